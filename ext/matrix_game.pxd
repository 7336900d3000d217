"""Two-player zero-sum matrix games."""

cdef double solve_matrix(const double* payoff, int m, int n, double* x, double* y) noexcept nogil
