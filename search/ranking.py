"""From what simulations say of each move to ranked moves."""

from collections.abc import Callable, Sequence
from functools import cmp_to_key, lru_cache
from itertools import groupby
from math import sqrt
from statistics import NormalDist

from ext.engine import Engine
from ext.estimates import estimates
from search.request import Algorithm, Objective, Options, Ranked

SCORE_SCALE = 64
"""Points that make up 1.0 in the tree under the objective SCORE (ext.engine)."""
PRIOR_VISITS = 4
"""Visits' worth of trust in the variance of all simulations when a move's own is judged."""
IGNORANCE = {Objective.WIN: 0.25, Objective.SCORE: 225.0}
"""Variance of a value of which nothing is known: a game won or lost alike; 15 points."""
UNKNOWN = {Objective.WIN: (-1.0, 2.0), Objective.SCORE: (-1000.0, 1000.0)}
"""The range of values: what is known of a move that was never tried. WIN leaves 0 to 1 only by its term for points."""


def rank(
    engines: Sequence[Engine],
    seat: int,
    algorithm: Algorithm,
    options: Options,
    before: Callable[[int, int], bool],
) -> list[Ranked]:
    """All root moves, best first.

    Tree searches rank by visits, which are steadier than means; then by value; then by notation. `flat` visits all
    moves alike and ranks by value. `before` tells which of two moves comes first by notation. The first `lines` moves
    get their line. A move that was never visited has value 0, comes last and has the whole range of values for an
    interval.
    """
    objective = options.objective
    unit = SCORE_SCALE if objective is Objective.SCORE else 1
    found = estimates(list(engines), unit, IGNORANCE[objective], PRIOR_VISITS)
    flat = algorithm is Algorithm.FLAT
    keys = [(-min(visits, 1) if flat else -visits, -value) for _, visits, _, value, *_ in found]

    def by_notation(one: int, other: int) -> int:
        return -1 if before(found[one][0], found[other][0]) else 1

    ordered: list[int] = []
    for _, same in groupby(sorted(range(len(found)), key=keys.__getitem__), key=keys.__getitem__):
        equals = list(same)
        # Notations are compared only where all else is equal: spelling each of a thousand moves takes its time.
        ordered += sorted(equals, key=cmp_to_key(by_notation)) if len(equals) > 1 else equals
    sure = quantile(options.confidence)
    best = ordered[0]
    best_value, best_error = found[best][3:5]
    ranked: list[Ranked] = []
    for place, i in enumerate(ordered):
        move, visits, prior, value, error, win_share, expected_score, score_spread = found[i]
        line, playable = [(seat, move)], 1
        if place < options.lines:
            line, playable = max((engine.line(i) for engine in engines), key=lambda continued: len(continued[0]))
        if visits:
            interval = clip(value - sure * error, value + sure * error, objective)
            tied = i == best or best_value - value <= sure * sqrt(best_error**2 + error**2)
        else:
            interval, tied = UNKNOWN[objective], True
        ranked.append(
            Ranked(
                move,
                visits,
                prior,
                value,
                error,
                win_share,
                expected_score,
                score_spread,
                line,
                playable,
                interval,
                tied,
            )
        )
    return ranked


@lru_cache(maxsize=64)
def quantile(confidence: float) -> float:
    """Of the normal distribution, both sides: 1.96 for 0.95. Rounded, so that no machine's last bit shows."""
    return round(NormalDist().inv_cdf((1 + confidence) / 2), 9)


def clip(low: float, high: float, objective: Objective) -> tuple[float, float]:
    """An interval within the range of values."""
    least, most = UNKNOWN[objective]
    return max(low, least), min(high, most)
