"""The game contract: what a rules kernel gives to the search. Everything that the search calls runs without the GIL.

A state is a flat struct of `state_bytes` that memcpy clones. It holds no unknown order: decks and hands are sets, and
chance is drawn one event at a time. Codes of moves and outcomes are unsigned 32-bit words; canonical order ascends.
The methods trust their arguments; the Python methods of `Game` check them.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from ext.rng cimport Stream

ctypedef uint32_t move_t

cdef enum:
    C_CHANCE = -1       # turn(): a chance event is next
    C_OVER = -2         # turn(): the game has ended
    C_MAX_SEATS = 12
    C_MAX_MOVES = 4096  # no kernel has more representatives at one decision
    C_MAX_OUTCOMES = 256


cdef class Game:
    cdef readonly int seats
    cdef readonly int max_moves      # bounds moves()
    cdef readonly int max_outcomes   # bounds outcomes()
    cdef readonly int max_plies      # bounds a game: decisions and chance events together
    cdef readonly size_t state_bytes
    cdef readonly size_t observation_bytes
    cdef readonly bint aim           # of a single seat: there is something to reach besides points

    # The position before the first chance event.
    cdef void begin(self, void* state) noexcept nogil
    # A seat that owes a decision (the lowest), C_CHANCE or C_OVER.
    cdef int turn_of(self, const void* state) noexcept nogil
    # Bit s: seat s owes a decision. Simultaneous ones are committed in any order and hidden until all are in.
    cdef uint32_t pending_mask(self, const void* state) noexcept nogil
    # Representatives of the legal moves, ascending; returns how many.
    cdef int list_moves(self, const void* state, int seat, move_t* buffer) noexcept nogil
    cdef bint is_legal(self, const void* state, int seat, move_t move) noexcept nogil
    # The representative of a legal move.
    cdef move_t representative(self, const void* state, int seat, move_t move) noexcept nogil
    # Applies a legal move.
    cdef void apply(self, void* state, int seat, move_t move) noexcept nogil
    # Outcomes of the chance event that is next, ascending, with their weights; returns how many.
    cdef int list_outcomes(self, const void* state, uint32_t* buffer, uint32_t* weights) noexcept nogil
    # One of them, by the weights. Depends on nothing but the key and the event's number: siblings share luck.
    cdef uint32_t draw_outcome(self, const void* state, uint64_t key) noexcept nogil
    cdef void settle(self, void* state, uint32_t outcome) noexcept nogil
    # What `seat` knows. Equal knowledge gives equal bytes.
    cdef void look(self, const void* state, int seat, void* observation) noexcept nogil
    # Any full state of the observation: what is common to all its worlds, ready for `sample`.
    cdef void prepare(self, const void* observation, void* state) noexcept nogil
    # Overwrites the hidden part of a prepared state: uniform over labelled deals. Others' hidden commitments are
    # drawn uniformly from their legal moves.
    cdef void sample(self, const void* observation, uint64_t key, void* state) noexcept nogil
    # Takes back every commitment but the observer's: a search decides them again, without sight of each other.
    cdef void reopen(self, void* state, int observer) noexcept nogil
    # Whether the observation leaves one world only, as far as it matters for the rest of the game.
    cdef bint certain(self, const void* observation) noexcept nogil
    # Whether the rest of the game is without chance and no seat can touch what another can do or score any more: then
    # the highest own score is everybody's dominant aim.
    cdef bint separable(self, const void* state) noexcept nogil
    # Chance is next, and what it brings no longer matters to the rest of the game: one outcome stands for all.
    cdef bint futile(self, const void* state) noexcept nogil
    # What the tree of `seat` keys its nodes by: the history it has seen and its own choices, dealt secrets left out.
    cdef uint64_t node_key(self, const void* state, int seat) noexcept nogil
    # Whether the notation of one move comes before the other's in byte order, where equal values have to be ordered.
    cdef bint precedes(self, move_t one, move_t other) noexcept nogil
    # Points that each move gains at once, in the order of list_moves().
    cdef void gains(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil
    # Points that each move gains at once and in prospect, at a guess: the order in which a search looks at moves.
    cdef void promise(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil
    # An informed playout move.
    cdef move_t policy(self, const void* state, int seat, Stream* stream) noexcept nogil
    # Plays uniformly at random to the end and scores. The state is used up. Returns the number of plies.
    cdef int rollout(self, void* state, Stream* stream, int32_t* scores) noexcept nogil
    # The same with informed choices that cost little.
    cdef int informed(self, void* state, Stream* stream, int32_t* scores) noexcept nogil
    # Estimated final scores and their spread (one standard deviation), in points.
    cdef void evaluate(self, const void* state, double* values, double* scales) noexcept nogil
    # Exact points as the position stands.
    cdef void points(self, const void* state, int32_t* scores) noexcept nogil
    # Places by final scores and tie-breaks: 1, 1, 3.
    cdef void places(self, const void* state, const int32_t* scores, int32_t* places) noexcept nogil
    # Whether a single seat has reached what it aims at, at the end of a game with these final scores.
    cdef bint met(self, const void* state, const int32_t* scores) noexcept nogil
    cdef uint64_t state_key(self, const void* state) noexcept nogil
    cdef uint64_t knowledge_key(self, const void* state, int seat) noexcept nogil

    # Checks for the Python methods.
    cdef void* _own(self, State state) except NULL
    cdef void* _own_observation(self, Observation observation) except NULL
    cdef int _seat(self, int seat) except -1
    cdef State _copy(self, State state)


cdef class State:
    cdef readonly Game game
    cdef void* data


cdef class Observation:
    cdef readonly Game game
    cdef void* data


cdef State new_state(Game game)
cdef Observation new_observation(Game game)
cdef void rank_scores(const int32_t* scores, int n, int32_t* places) noexcept nogil
