"""The last moves of heart solved by trying everything, written to be read next to `reference.heart`.

Seats decide one after the other, and nothing is hidden. Whoever decides makes the move that is worth most to itself
(max^n); values within 1e-12 of each other are equal, and of equal moves the first in the byte order of notations is
made. Chance is enumerated by its weights, also where what it brings no longer matters (heart-22). Values are those of
`reference.solver.utilities`; first place goes by the ranks, ties being broken by manatees (heart-21).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from reference.heart import ReferenceHeart
from reference.solver import OBJECTIVES, shares_of_first_place, utilities

TIE = Fraction(1, 10**12)


class TooLarge(Exception):
    """There are more states than may be looked at."""


class Outlook(NamedTuple):
    """What a position comes to, for each seat."""

    values: list[Fraction]
    shares: list[Fraction]
    scores: list[Fraction]


Prospects = dict[str, Outlook]
"""By objective, which decides what everybody plays."""


class KnownMoves(ReferenceHeart):
    """A game that is only asked for moves that it has listed: none of them is looked up again."""

    def canonical(self, seat: int, notation: str) -> str:
        return notation

    def clone(self) -> ReferenceHeart:
        other = super().clone()
        other.__class__ = KnownMoves
        return other


class BruteForce:
    """A position and all that can follow it, under every objective at once; raises `TooLarge` past `most` states."""

    def __init__(self, game: ReferenceHeart, most: int) -> None:
        self.most = most
        self.states = 0
        self._ends: dict[object, Prospects] = {}
        root = game.clone()
        root.__class__ = KnownMoves
        self.seat = root.turn
        self.moves = self._branches(root)

    def _branches(self, game: ReferenceHeart) -> dict[str, Prospects]:
        """What each move of the deciding seat comes to."""
        seat = game.turn
        return {
            move: self._after(game, partial(ReferenceHeart.play, seat=seat, notation=move)) for move in game.moves(seat)
        }

    def _after(self, game: ReferenceHeart, step: Callable[[ReferenceHeart], object]) -> Prospects:
        after = game.clone()
        step(after)
        self.states += 1
        if self.states > self.most:
            raise TooLarge
        return self._prospects(after)

    def _prospects(self, game: ReferenceHeart) -> Prospects:
        if game.over:
            return self._end(game)
        outcomes = game.chance()
        if outcomes is None:
            return best_for(game.turn, self._branches(game))
        total = sum(outcomes.values())
        parts = [
            (Fraction(weight, total), self._after(game, partial(ReferenceHeart.happen, outcome=outcome)))
            for outcome, weight in outcomes.items()
        ]
        return {objective: blend([(p, part[objective]) for p, part in parts]) for objective in OBJECTIVES}

    def _end(self, game: ReferenceHeart) -> Prospects:
        """Final scores. What they depend on is looked at once: many ends differ in nothing but the die."""
        key = tuple(
            (*habitat.kinds.items(), *habitat.rotations.values(), *habitat.manatees.values(), *taken)
            for habitat, taken in zip(game.habitats, game.photos_taken, strict=True)
        )
        if key not in self._ends:
            scores, ranks = game.scores(), game.ranks()
            shares = shares_of_first_place(ranks)
            self._ends[key] = {
                objective: Outlook(utilities(objective, scores, ranks), shares, [Fraction(score) for score in scores])
                for objective in OBJECTIVES
            }
        return self._ends[key]


def blend(parts: list[tuple[Fraction, Outlook]]) -> Outlook:
    """Return the mean of what may come."""
    first = parts[0][1]
    if all(outlook is first for _, outlook in parts):
        return first  # Chance that brings nothing: no sums.
    rows = [
        [sum((p * numbers[seat] for p, numbers in row), Fraction(0)) for seat in range(len(row[0][1]))]
        for row in ([(p, outlook[i]) for p, outlook in parts] for i in range(3))
    ]
    return Outlook(*rows)


def best_for(seat: int, branches: dict[str, Prospects]) -> Prospects:
    """Return what a seat's best move comes to, under each objective."""
    return {objective: branches[best_move(seat, objective, branches)][objective] for objective in OBJECTIVES}


def best_move(seat: int, objective: str, branches: dict[str, Prospects]) -> str:
    """Return the move of greatest value; ties go by the byte order of the notation."""
    values = {move: prospects[objective].values[seat] for move, prospects in branches.items()}
    greatest = max(values.values())
    return min((move for move, value in values.items() if greatest - value <= TIE), key=str.encode)
