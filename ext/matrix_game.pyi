"""Two-player zero-sum matrix games."""

def solve(payoff: list[list[float]]) -> tuple[float, list[float], list[float]]:
    """(value, row mix, column mix) of a matrix given as a list of equal rows, at least 1 x 1; rows maximise."""
