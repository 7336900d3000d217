"""From sums over simulations to ranked moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from math import sqrt
from statistics import NormalDist

from ext.engine import VALUE_ONE, Engine
from search.request import Algorithm, Objective, Options, Ranked

SCORE_SCALE = 64
"""Points that make up 1.0 in the tree under the objective SCORE (ext.engine)."""
PRIOR_VISITS = 4
"""Visits' worth of trust in the variance of all simulations when a move's own is judged."""


class Sums:
    """Statistics of one root move, merged over trees: exact integers, so that the order of merging is no matter."""

    def __init__(self, seats: int) -> None:
        self.visits = self.value = self.square = 0
        self.win, self.score, self.score_square = [0] * seats, [0] * seats, [0] * seats

    def add(self, sums: tuple[int, int, int, list[int], list[int], list[int]]) -> None:
        """Adds what one tree has counted."""
        visits, value, square, *seats = sums
        self.visits += visits
        self.value += value
        self.square += square
        for mine, theirs in zip((self.win, self.score, self.score_square), seats, strict=True):
            for seat, count in enumerate(theirs):
                mine[seat] += count


@dataclass(frozen=True, slots=True)
class Doubt:
    """How sure a mean value is: `unit` turns tree values into values, `pooled` is the variance of all simulations."""

    unit: int
    pooled: float
    quantile: float

    def variance(self, total: Sums, mean: float) -> float:
        """Of one simulation of a move; drawn towards that of all moves where the move was hardly tried."""
        n = total.visits
        own = self.unit**2 * total.square / VALUE_ONE - n * mean * mean
        return (max(own, 0.0) + PRIOR_VISITS * self.pooled) / (n + PRIOR_VISITS)

    def error(self, total: Sums, mean: float) -> float:
        """Standard error of the mean, as if simulations were independent; 0 for a move that was never tried."""
        return sqrt(self.variance(total, mean) / total.visits) if total.visits else 0.0


def rank(
    engines: Sequence[Engine],
    seat: int,
    seats: int,
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
    moves, priors = engines[0].moves(), engines[0].priors()
    merged = [Sums(seats) for _ in moves]
    for engine in engines:
        for total, sums in zip(merged, engine.sums(), strict=True):
            total.add(sums)
    unit = SCORE_SCALE if options.objective is Objective.SCORE else 1
    mean = [unit * total.value / VALUE_ONE / total.visits if total.visits else 0.0 for total in merged]
    doubt = Doubt(unit, pooled_variance(merged, unit, options.objective), quantile(options.confidence))

    def order(one: int, other: int) -> int:
        most = 1 if algorithm is Algorithm.FLAT else merged[one].visits + merged[other].visits
        weight = min(merged[other].visits, most) - min(merged[one].visits, most)
        # Notations are compared only where all else is equal: spelling each of a thousand moves takes its time.
        if weight or mean[one] != mean[other]:
            return weight or (-1 if mean[one] > mean[other] else 1)
        return -1 if before(moves[one], moves[other]) else 1

    ranked: list[Ranked] = []
    ordered = sorted(range(len(moves)), key=cmp_to_key(order))
    best = ordered[0]
    best_error = doubt.error(merged[best], mean[best])
    for i in ordered:
        total, n = merged[i], max(merged[i].visits, 1)
        line, playable = [(seat, moves[i])], 1
        if len(ranked) < options.lines:
            line, playable = max((engine.line(i) for engine in engines), key=lambda found: len(found[0]))
        scores = [score / n for score in total.score]
        error = doubt.error(total, mean[i])
        half = doubt.quantile * error
        ranked.append(
            Ranked(
                move=moves[i],
                visits=total.visits,
                prior=priors[i],
                value=mean[i],
                standard_error=error,
                win_share=[win / VALUE_ONE / n for win in total.win],
                expected_score=scores,
                score_spread=[
                    sqrt(max(square / n - score * score, 0.0))
                    for square, score in zip(total.score_square, scores, strict=True)
                ],
                line=line,
                playable=playable,
                interval=clip(mean[i] - half, mean[i] + half, options.objective)
                if total.visits
                else UNKNOWN[options.objective],
                tied=i == best
                or total.visits == 0
                or mean[best] - mean[i] <= doubt.quantile * sqrt(best_error**2 + error**2),
            )
        )
    return ranked


def quantile(confidence: float) -> float:
    """Of the normal distribution, both sides: 1.96 for 0.95. Rounded, so that no machine's last bit shows."""
    return round(NormalDist().inv_cdf((1 + confidence) / 2), 9)


IGNORANCE = {Objective.WIN: 0.25, Objective.SCORE: 225.0}
"""Variance of a value of which nothing is known: a game won or lost alike; 15 points."""
UNKNOWN = {Objective.WIN: (-1.0, 2.0), Objective.SCORE: (-1000.0, 1000.0)}
"""The range of values: what is known of a move that was never tried. WIN leaves 0 to 1 only by its term for points."""


def clip(low: float, high: float, objective: Objective) -> tuple[float, float]:
    """An interval within the range of values."""
    least, most = UNKNOWN[objective]
    return max(low, least), min(high, most)


def pooled_variance(merged: Sequence[Sums], unit: int, objective: Objective) -> float:
    """Variance of the values of all simulations about the mean of their own move.

    A few simulations' worth of ignorance go in: a move that was tried once tells nothing of its spread.
    """
    n = sum(max(total.visits - 1, 0) for total in merged)
    within = sum(
        unit**2 * (total.square / VALUE_ONE - (total.value / VALUE_ONE) ** 2 / total.visits)
        for total in merged
        if total.visits
    )
    return (max(within, 0.0) + PRIOR_VISITS * IGNORANCE[objective]) / (n + PRIOR_VISITS)
