"""Uniform playouts in a loop without the GIL: what `advisor bench playouts` measures."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from ext.game cimport C_MAX_SEATS, Game, State
from ext.rng cimport Stream, seed_stream


def run(Game game, State state, seed, int64_t count):
    """Plays `count` uniform playouts from a state. Returns (plies, sum of all final scores)."""
    if state.game is not game:
        raise ValueError("the state belongs to another game")
    cdef Stream stream
    cdef int32_t scores[C_MAX_SEATS]
    cdef int64_t plies = 0, total = 0
    cdef int s
    cdef void* world = calloc(1, game.state_bytes)
    if world == NULL:
        raise MemoryError
    seed_stream(&stream, seed & 0xFFFFFFFFFFFFFFFF)
    with nogil:
        for _ in range(count):
            memcpy(world, state.data, game.state_bytes)
            plies += game.rollout(world, &stream, scores)
            for s in range(game.seats):
                total += scores[s]
    free(world)
    return plies, total
