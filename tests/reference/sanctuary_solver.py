"""The last cards of a solo game solved by trying everything, written to be read next to `reference.sanctuary`.

Nothing is dealt any more in round 3 once the draft is over, so nothing is hidden: the seat plays its last cards, chance
draws manatees out of a bag that everybody sees, and the seat says what goes back. It makes the move that is worth most;
values within 1e-12 of each other are equal, and of equal moves the first in the byte order of notations is made. Chance
is enumerated by its weights.

`SCORE` is the final score. `WIN` is 0.98 times whether the challenge is won, which without a challenge it always is,
plus 0.02 times the score in hundreds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from reference.sanctuary import OVER, ROUNDS, ReferenceSanctuary

TIE = Fraction(1, 10**12)
OBJECTIVES = ("WIN", "SCORE")
LATE_PHASES = ("PLAY", "DRAW_MANATEE", "RETURN", "FEED", "OVER")


class TooLarge(Exception):
    """There are more states than may be looked at."""


class Outlook(NamedTuple):
    """What a position comes to when it is played for one objective."""

    value: Fraction
    met: Fraction
    """The probability that the challenge is won; 1 without one."""
    score: Fraction


Prospects = dict[str, Outlook]
"""By objective, which decides what is played."""


class Found(NamedTuple):
    """What a position comes to, and how many states follow it, those that are reached in two ways counted twice."""

    prospects: Prospects
    states: int


class KnownMoves(ReferenceSanctuary):
    """A game that is only asked for moves that it has listed: none of them is looked up again."""

    def canonical(self, seat: int, notation: str) -> str:
        return notation

    def clone(self) -> ReferenceSanctuary:
        other = super().clone()
        other.__class__ = KnownMoves
        return other


class BruteForce:
    """A late solo position and all that can follow it, for every objective at once.

    `nodes` counts the different positions that were looked at, `states` the whole tree, in which those that are reached
    in several ways count as often. Raises `TooLarge` past `most` nodes, and ValueError for any other position.
    """

    def __init__(self, game: ReferenceSanctuary, most: int) -> None:
        if not game.solo or game.round != ROUNDS or game.phase not in LATE_PHASES:
            raise ValueError("only solo positions of the last round, the draft over, are solved")
        if game.turn < 0:
            raise ValueError("somebody has to decide")
        self.most = most
        self.nodes = 0
        self._known: dict[str, Found] = {}
        root = game.clone()
        root.__class__ = KnownMoves
        branches = self._branches(root)
        self.moves = {move: found.prospects for move, found in branches.items()}
        self.states = sum(1 + found.states for found in branches.values())

    def _branches(self, game: ReferenceSanctuary) -> dict[str, Found]:
        """What each move comes to."""
        return {
            move: self._after(game, partial(ReferenceSanctuary.play, seat=0, notation=move)) for move in game.moves(0)
        }

    def _after(self, game: ReferenceSanctuary, step: Callable[[ReferenceSanctuary], object]) -> Found:
        after = game.clone()
        step(after)
        key = repr(after.position())
        if key not in self._known:
            self.nodes += 1
            if self.nodes > self.most:
                raise TooLarge
            self._known[key] = self._found(after)
        return self._known[key]

    def _found(self, game: ReferenceSanctuary) -> Found:
        if game.turn == OVER:
            return Found(end_of(game), 0)
        outcomes = game.chance()
        if outcomes is None:
            branches = self._branches(game)
            best = best_for({move: found.prospects for move, found in branches.items()})
            return Found(best, sum(1 + found.states for found in branches.values()))
        total = sum(outcomes.values())
        parts = [
            (Fraction(weight, total), self._after(game, partial(ReferenceSanctuary.happen, outcome=outcome)))
            for outcome, weight in outcomes.items()
        ]
        mean = {objective: blend([(p, found.prospects[objective]) for p, found in parts]) for objective in OBJECTIVES}
        return Found(mean, sum(1 + found.states for _, found in parts))


def end_of(game: ReferenceSanctuary) -> Prospects:
    """Return what a finished game is worth."""
    (score,) = game.scores()
    won = game.challenge_won()
    met = Fraction(1 if won is None else int(won))
    win = Fraction(98, 100) * met + Fraction(2, 100) * Fraction(score, 100)
    return {"WIN": Outlook(win, met, Fraction(score)), "SCORE": Outlook(Fraction(score), met, Fraction(score))}


def blend(parts: list[tuple[Fraction, Outlook]]) -> Outlook:
    """Return the mean of what may come."""
    value, met, score = (sum((p * outlook[i] for p, outlook in parts), Fraction(0)) for i in range(3))
    return Outlook(value, met, score)


def best_for(branches: dict[str, Prospects]) -> Prospects:
    """Return what the best move comes to, for each objective."""
    return {objective: branches[best_move(objective, branches)][objective] for objective in OBJECTIVES}


def best_move(objective: str, branches: dict[str, Prospects]) -> str:
    """Return the move of greatest value; ties go by the byte order of the notation."""
    values = {move: prospects[objective].value for move, prospects in branches.items()}
    greatest = max(values.values())
    return min((move for move, value in values.items() if greatest - value <= TIE), key=str.encode)
