"""Exact search: what a state is worth to every seat when all play their best."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t

from ext.game cimport C_MAX_MOVES, C_MAX_SEATS, Game, Observation, move_t

cdef enum:
    DEPTH = 64          # frames; deeper lines are cut by the estimate
    C_MAX_PAIR = 128    # moves of a seat up to which simultaneous decisions of two are a matrix game
    LINE = 16           # decisions of a line that are kept

# What a state is worth. Scores and their squares are those of the final position.
cdef struct Outlook:
    double value[C_MAX_SEATS]       # in terms of the objective
    double share[C_MAX_SEATS]       # of first place
    double score[C_MAX_SEATS]
    double square[C_MAX_SEATS]

# One decision of a line.
cdef struct Step:
    move_t move
    int8_t seat
    bint informed           # chance comes before it

cdef class Expectimax:
    cdef readonly Game game
    cdef readonly Observation observation
    cdef readonly int seat
    cdef readonly int objective
    cdef readonly int n_root
    cdef readonly int64_t nodes
    cdef readonly bint exact            # so far nothing was estimated
    cdef int64_t node_limit
    cdef int64_t deadline
    cdef public object between          # called between two slices of a run; None: it runs in one piece
    cdef int64_t slice_end              # 0: no slices
    cdef int depth_limit
    cdef int stop_flag
    cdef void* frames                   # DEPTH states to work in
    cdef void* world
    cdef move_t root[C_MAX_MOVES]
    cdef Outlook* outlook               # of the root moves
    cdef Step* root_line                # what follows each of them, LINE steps apart
    cdef int* root_length
    cdef Step line[DEPTH + 1][LINE]     # what follows a state at a depth, while one seat at a time decides
    cdef int length[DEPTH + 1]
    cdef double mix[C_MAX_SEATS][C_MAX_PAIR]   # of the root, where it is simultaneous between two seats
    cdef move_t mix_move[C_MAX_SEATS][C_MAX_PAIR]
    cdef int mix_size[C_MAX_SEATS]

    cdef int root_moves(self, move_t* moves) noexcept nogil
    cdef double _size_alone(self, int seat)
    cdef void* frame(self, int depth) noexcept nogil
    cdef bint spent(self) noexcept nogil
    cdef void pause(self) noexcept nogil
    cdef void judge(self, const void* state, const int32_t* scores, Outlook* out) noexcept nogil
    cdef void value_alone(self, Outlook* out, double met, double score, double scale) noexcept nogil
    cdef void estimate(self, const void* state, Outlook* out) noexcept nogil
    cdef int solo(self, const void* state, int seat, int depth, int32_t* best) noexcept nogil
    cdef void pass_time(self, void* state, int seat) noexcept nogil
    cdef int solve(self, const void* state, int depth, Outlook* out) noexcept nogil
    cdef void extend(self, int depth) noexcept nogil
    cdef int solve_chance(self, const void* state, int depth, Outlook* out) noexcept nogil
    cdef int solve_sequential(self, const void* state, int seat, int depth, Outlook* out) noexcept nogil
    cdef int solve_separable(self, const void* state, int depth, Outlook* out) noexcept nogil
    cdef double payoff(self, const Outlook* part, int row, int column) noexcept nogil
    cdef Outlook* pair_table(
        self, const void* state, int row, int column, int depth, move_t* rows, move_t* columns, int* m, int* n,
        bint root
    ) noexcept nogil
    cdef int solve_pair(
        self, const void* state, int row, int column, int depth, Outlook* out, bint root
    ) noexcept nogil
    cdef void keep_mix(self, int seat, const move_t* moves, const double* weights, int n) noexcept nogil
    cdef int solve_many(self, const void* state, int depth, Outlook* out, bint root) noexcept nogil
    cdef void commit_all(
        self, void* state, uint32_t owed, const move_t* moves, int except_, move_t instead
    ) noexcept nogil
    cdef int solve_root(self) noexcept nogil
    cdef int root_separable(self) noexcept nogil
