"""Ranked moves as protobuf's wire has them."""

from collections.abc import Callable, Container, Sequence
from typing import Protocol

class Ranked(Protocol):
    """A move with what is told of it; lists of numbers hold one a seat, `line` is (seat, move) by (seat, move)."""

    @property
    def move(self) -> int: ...
    @property
    def visits(self) -> int: ...
    @property
    def prior(self) -> float: ...
    @property
    def value(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def win_share(self) -> list[float]: ...
    @property
    def expected_score(self) -> list[float]: ...
    @property
    def score_spread(self) -> list[float]: ...
    @property
    def line(self) -> list[tuple[int, int]]: ...
    @property
    def playable(self) -> int: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def tied(self) -> bool: ...

def ranked_moves(
    moves: Sequence[Ranked],
    most: int,
    reported: Container[int],
    known: dict[int, bytes],
    spell: Callable[[int], bytes],
) -> bytes:
    """The field `moves` of an `AdviseResponse`: the first `most` of a list, best first, and those that are reported.

    The same bytes that protobuf's own library writes. known: serialised `Move` messages by the moves' codes; spell:
    makes one that is not known, and may keep it there. Raises OverflowError for counts beyond 64 bits.
    """
