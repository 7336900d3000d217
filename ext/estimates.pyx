"""What simulations say of the root moves: sums merged over trees, mean values and how sure these are.

Sums are integers, so that the order of merging is no matter; the same operations in the same order make the same
numbers of them everywhere.
"""
from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

from ext.engine cimport ONE, Engine, RootMove


cdef inline double squares(RootMove* root) noexcept nogil:
    """Sum of the squared values."""
    return <double> root.value_square / ONE


cdef void merge(RootMove* total, RootMove* root, int moves, int seats) noexcept nogil:
    """Adds what one tree has counted of each move."""
    cdef int i, s
    for i in range(moves):
        total[i].visits += root[i].visits
        total[i].value += root[i].value
        total[i].value_square += root[i].value_square
        for s in range(seats):
            total[i].win[s] += root[i].win[s]
            total[i].score[s] += root[i].score[s]
            total[i].score_square[s] += root[i].score_square[s]


cdef double pooled_variance(RootMove* total, int moves, double unit, double ignorance, double trust) noexcept nogil:
    """Variance of the values of all simulations about the mean of their own move."""
    cdef double within = 0, mean
    cdef int64_t n = 0
    cdef int i
    for i in range(moves):
        if total[i].visits > 0:
            n += total[i].visits - 1
            mean = <double> total[i].value / ONE
            within += unit * unit * (squares(&total[i]) - mean * mean / total[i].visits)
    # A few simulations' worth of ignorance go in: a move that was tried once tells nothing of its spread.
    return (max(within, 0.0) + trust * ignorance) / (n + trust)


cdef double standard_error(RootMove* root, double mean, double unit, double pooled, double trust) noexcept nogil:
    """Of a mean value, as if simulations were independent; 0 for a move that was never tried."""
    cdef double own
    if root.visits == 0:
        return 0
    own = unit * unit * squares(root) - root.visits * mean * mean
    # Drawn towards the variance of all simulations where the move was hardly tried.
    return sqrt((max(own, 0.0) + trust * pooled) / (root.visits + trust) / root.visits)


def estimates(list engines, double unit, double ignorance, double trust) -> list:
    if not engines:
        raise ValueError("there is no tree")
    cdef Engine first = engines[0], engine
    cdef int moves = first.n_root, seats = first.game.seats
    cdef RootMove* total = <RootMove*> calloc(moves, sizeof(RootMove))
    cdef double pooled, mean, score
    cdef int64_t n
    cdef int i, s
    cdef list found = [], shares, scores, spreads
    if total == NULL:
        raise MemoryError
    try:
        for engine in engines:
            merge(total, engine.root, moves, seats)
        pooled = pooled_variance(total, moves, unit, ignorance, trust)
        for i in range(moves):
            n = max(total[i].visits, 1)
            mean = unit * total[i].value / ONE / n
            shares, scores, spreads = [], [], []
            for s in range(seats):
                score = <double> total[i].score[s] / n
                shares.append(<double> total[i].win[s] / ONE / n)
                scores.append(score)
                spreads.append(sqrt(max(<double> total[i].score_square[s] / n - score * score, 0.0)))
            found.append((
                first.root[i].move, total[i].visits, first.root[i].prior, mean,
                standard_error(&total[i], mean, unit, pooled, trust), shares, scores, spreads,
            ))
    finally:
        free(total)
    return found
