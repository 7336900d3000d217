"""From sums over simulations to ranked moves."""

from collections.abc import Callable, Sequence
from math import sqrt

from ext.engine import VALUE_ONE, Engine
from search.request import Algorithm, Objective, Ranked

SCORE_SCALE = 64
"""Points that make up 1.0 in the tree under the objective SCORE (ext.engine)."""


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


def rank(
    engines: Sequence[Engine],
    seat: int,
    seats: int,
    algorithm: Algorithm,
    objective: Objective,
    notation: Callable[[int], str],
    lines: int,
) -> list[Ranked]:
    """All root moves, best first.

    Tree searches rank by visits, which are steadier than means; then by value; then by notation. `flat` visits all
    moves alike and ranks by value. A move that was never visited has value 0 and comes last.
    """
    moves, priors = engines[0].moves(), engines[0].priors()
    merged = [Sums(seats) for _ in moves]
    for engine in engines:
        for total, sums in zip(merged, engine.sums(), strict=True):
            total.add(sums)
    unit = SCORE_SCALE if objective is Objective.SCORE else 1
    mean = [unit * total.value / VALUE_ONE / total.visits if total.visits else 0.0 for total in merged]

    def order(i: int) -> tuple[int, float, bytes]:
        weight = min(merged[i].visits, 1) if algorithm is Algorithm.FLAT else merged[i].visits
        return -weight, -mean[i], notation(moves[i]).encode()

    ranked: list[Ranked] = []
    for i in sorted(range(len(moves)), key=order):
        total, n = merged[i], max(merged[i].visits, 1)
        line, playable = [(seat, moves[i])], 1
        if len(ranked) < lines:
            line, playable = max((engine.line(i) for engine in engines), key=lambda found: len(found[0]))
        scores = [score / n for score in total.score]
        ranked.append(
            Ranked(
                move=moves[i],
                visits=total.visits,
                prior=priors[i],
                value=mean[i],
                standard_error=standard_error(total, mean[i], unit),
                win_share=[win / VALUE_ONE / n for win in total.win],
                expected_score=scores,
                score_spread=[
                    sqrt(max(square / n - score * score, 0.0))
                    for square, score in zip(total.score_square, scores, strict=True)
                ],
                line=line,
                playable=playable,
            )
        )
    return ranked


def standard_error(total: Sums, mean: float, unit: int) -> float:
    """Of the mean value, as if simulations were independent; 0 below two of them. Squares are in units of 2^-30."""
    if total.visits < 2:
        return 0.0
    square = unit * unit * total.square / VALUE_ONE / total.visits
    return sqrt(max(square - mean * mean, 0.0) / (total.visits - 1))
