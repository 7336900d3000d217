"""Two-player zero-sum matrix games, by the simplex method (Dantzig 1951; Bland 1977 for the pivots: no cycles)."""
from libc.stdlib cimport free, malloc


cdef double solve_matrix(const double* payoff, int m, int n, double* x, double* y) noexcept nogil:
    """Value of the m x n game for the row player, who maximises; optimal mixes in x (m) and y (n).

    A saddle point is taken where there is one, the first by row and column; a mix is sought only without.
    """
    cdef int i, j, row, column
    cdef double worst, best, low, high
    for i in range(m):
        x[i] = 0
    for j in range(n):
        y[j] = 0
    low = high = payoff[0]
    row = column = 0
    for i in range(m):
        worst = payoff[i * n]
        for j in range(n):
            worst = payoff[i * n + j] if payoff[i * n + j] < worst else worst
        if i == 0 or worst > low:
            low, row = worst, i
    for j in range(n):
        best = payoff[j]
        for i in range(m):
            best = payoff[i * n + j] if payoff[i * n + j] > best else best
        if j == 0 or best < high:
            high, column = best, j
    if low == high:
        x[row] = 1
        y[column] = 1
        return low
    return simplex(payoff, m, n, x, y)


cdef double simplex(const double* payoff, int m, int n, double* x, double* y) noexcept nogil:
    """The column player's programme: payoffs shifted to be positive, maximise sum(q), A q <= 1, q >= 0.

    The tableau has m rows of slack variables and one of costs; x comes out as the dual solution.
    """
    cdef int width = n + m + 1
    cdef double* t = <double*> malloc((m + 1) * width * sizeof(double))
    cdef int* basis = <int*> malloc(m * sizeof(int))
    cdef double shift, ratio, best, pivot, factor, value
    cdef int i, j, enter, leave, k
    shift = payoff[0]
    for i in range(m * n):
        shift = payoff[i] if payoff[i] < shift else shift
    shift = 1 - shift
    for i in range(m + 1):
        for j in range(width):
            t[i * width + j] = 0
    for i in range(m):
        for j in range(n):
            t[i * width + j] = payoff[i * n + j] + shift
        t[i * width + n + i] = 1
        t[i * width + width - 1] = 1
        basis[i] = n + i
    for j in range(n):
        t[m * width + j] = -1
    while True:
        enter = -1
        for j in range(n + m):
            if t[m * width + j] < -1e-13:
                enter = j
                break
        if enter < 0:
            break
        leave = -1
        best = 0
        for i in range(m):
            if t[i * width + enter] > 1e-12:
                ratio = t[i * width + width - 1] / t[i * width + enter]
                if leave < 0 or ratio < best - 1e-15 or (ratio <= best + 1e-15 and basis[i] < basis[leave]):
                    best = ratio
                    leave = i
        pivot = t[leave * width + enter]
        for j in range(width):
            t[leave * width + j] /= pivot
        for k in range(m + 1):
            factor = t[k * width + enter]
            if k != leave and factor != 0:
                for j in range(width):
                    t[k * width + j] -= factor * t[leave * width + j]
        basis[leave] = enter
    value = 1 / t[m * width + width - 1]
    for i in range(m):
        if basis[i] < n:
            y[basis[i]] = t[i * width + width - 1] * value
        x[i] = t[m * width + n + i] * value
    free(t)
    free(basis)
    return value - shift


def solve(payoff):
    """(value, row mix, column mix) of a matrix given as a list of equal rows, at least 1 x 1; rows maximise."""
    cdef int m = len(payoff)
    cdef int n = len(payoff[0])
    cdef double* a = <double*> malloc(m * n * sizeof(double))
    cdef double* x = <double*> malloc(m * sizeof(double))
    cdef double* y = <double*> malloc(n * sizeof(double))
    for i in range(m):
        for j in range(n):
            a[i * n + j] = payoff[i][j]
    value = solve_matrix(a, m, n, x, y)
    answer = value, [x[i] for i in range(m)], [y[j] for j in range(n)]
    free(a)
    free(x)
    free(y)
    return answer
