"""Information-set Monte Carlo tree search."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from ext.engine cimport Engine
from ext.game cimport move_t
from ext.tree cimport Edge, Tree


cdef enum:
    PATH = 512


# A continuation of the game.
cdef struct Line:
    int length
    int playable
    int64_t followed        # how often its moves were played, in sum
    int seats[PATH]
    move_t moves[PATH]


cdef class Mcts(Engine):
    cdef Tree tree
    cdef double exploration
    cdef double bias
    cdef bint informed

    cdef uint32_t visit(self, const void* world, int turn, int n) noexcept nogil
    cdef Edge* select(self, uint32_t node, int n) noexcept nogil
    cdef move_t promising(self, const void* world, int turn, int n) noexcept nogil
    cdef void follow(self, int choice, uint64_t key, Line* line) noexcept nogil
