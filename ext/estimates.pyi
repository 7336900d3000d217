"""What simulations say of the root moves: sums merged over trees, mean values and how sure these are."""

from ext.engine import Engine

Estimate = tuple[int, int, float, float, float, list[float], list[float], list[float]]
"""Move, visits, prior, mean value, its standard error; a number a seat: shares of first place, mean scores and their
standard deviations. Of a move without visits only the move and its prior are other than 0."""

def estimates(engines: list[Engine], unit: float, ignorance: float, trust: float) -> list[Estimate]:
    """What independent trees of one position say together, in the order of `Engine.moves`.

    unit: turns the trees' values into values. ignorance: variance of a value of which nothing is known. trust: how many
    simulations' worth of trust that has among all, and the variance of all among one move's own. Raises ValueError
    without a tree.
    """
