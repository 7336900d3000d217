"""What every sampling search shares: worlds of an observation, the statistics of the root, and a resumable loop."""
from libc.math cimport frexp
from libc.stdint cimport int32_t, int64_t, uint64_t

from ext.game cimport C_MAX_MOVES, C_MAX_SEATS, Game, Observation, move_t
from ext.rng cimport Stream

cdef enum:
    WIN = 0                 # objectives
    SCORE = 1
    RUNNING = 0             # what step() found
    ENOUGH = 1              # the simulations asked for are made
    TIMEOUT = 2
    STOPPED = 3
    FULL = 4                # the tree has no room left
    ONE = 1 << 30           # fixed-point 1.0 of values and win shares
    CHECK = 8               # simulations between looks at the clock and the stop flag
    YIELD_NS = 200000       # between calls of sched_yield


# Sums over the simulations that began with one root move.
cdef struct RootMove:
    move_t move
    double prior
    int64_t visits
    int64_t value           # own value in terms of the objective, fixed-point
    int64_t value_square    # of values shifted right by 15
    int64_t win[C_MAX_SEATS]        # fixed-point
    int64_t score[C_MAX_SEATS]
    int64_t score_square[C_MAX_SEATS]


cdef class Engine:
    cdef readonly Game game
    cdef readonly Observation observation
    cdef readonly int seat
    cdef readonly int objective
    cdef readonly int n_root
    cdef readonly int64_t simulations
    cdef readonly int64_t depth_sum
    cdef readonly int depth_max
    cdef readonly int64_t turn_sum      # a turn is a run of decisions of one seat
    cdef readonly int turn_max
    cdef readonly int64_t plies
    cdef uint64_t seed
    cdef int depth_limit
    cdef int stop_flag
    cdef RootMove* root
    cdef void* template         # the observation's world but for its hidden part
    cdef void* world            # the world of the simulation at hand
    cdef int32_t scores[C_MAX_SEATS]
    cdef int64_t shares[C_MAX_SEATS]    # of first place, fixed-point
    cdef int64_t values[C_MAX_SEATS]    # in terms of the objective, fixed-point
    cdef move_t buffer[C_MAX_MOVES]

    cdef int offer(self, int turn, int depth) noexcept nogil
    cdef void imagine(self, uint64_t key) noexcept nogil
    cdef void judge(self) noexcept nogil
    cdef void record(self, int choice, int depth, int turns) noexcept nogil
    # One simulation; False when there was no room for it.
    cdef bint simulate(self) noexcept nogil
    cdef int run(self, int64_t more, int64_t nanoseconds) noexcept nogil


cdef int64_t now() noexcept nogil


cdef inline double natural_log(double x) noexcept nogil:
    """ln(x) for x >= 1, to about 1e-14, from additions, multiplications and divisions alone.

    The system's log may differ in the last bit between libraries and processors; an answer must not.
    """
    cdef int exponent = 0
    cdef double s, square
    cdef double m = frexp(x, &exponent)     # x = m * 2^exponent, m in [0.5, 1)
    if m < 0.7071067811865476:
        m *= 2
        exponent -= 1
    # ln(m) = 2 artanh((m - 1) / (m + 1)), |s| < 0.172
    s = (m - 1) / (m + 1)
    square = s * s
    return exponent * 0.6931471805599453 + 2 * s * (
        1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (
            1.0 / 9 + square * (1.0 / 11 + square * (1.0 / 13 + square / 15))
        ))))
    )
