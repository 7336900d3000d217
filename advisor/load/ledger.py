"""The ledger of a run: every call has a number, and in the end exactly one outcome."""

import math
from array import array
from collections import Counter
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray


class Outcome(IntEnum):
    """What became of a call."""

    COMPLETED = 0
    """It was answered with a ranking."""
    REJECTED = 1
    """The server refused it for want of room: RESOURCE_EXHAUSTED."""
    FAILED = 2
    """It ended with any other error."""
    LOST = 3
    """It had no outcome by its deadline and the grace after it."""


OPEN: Final = 255
"""Stands for an outcome while there is none."""
NOTHING: Final = -1
"""Stands for a text where there is none."""
COLUMNS: Final = {
    "kind": ("H", 0),
    "position": ("L", 0),
    "due": ("d", math.nan),
    "sent": ("d", math.nan),
    "ended": ("d", math.nan),
    "outcome": ("B", OPEN),
    "attempts": ("H", 1),
    "advice": ("d", math.nan),
    "reason": ("h", NOTHING),
    "move": ("l", NOTHING),
    "simulations": ("q", 0),
    "depth": ("d", math.nan),
    "queued_ms": ("d", math.nan),
    "searched_ms": ("d", math.nan),
    "cached": ("B", 0),
}
"""What is kept of a call: the type code of `array`, and what stands there until something is known."""


class LedgerError(Exception):
    """A call would have two outcomes, or has none: a fault of the load tester itself."""


class Ledger:
    """Columns of numbers, one row a call; times are seconds on the run's clock.

    Columns and no objects: a million calls are little memory, and nothing for the garbage collector to walk through
    while calls are timed.
    """

    def __init__(self) -> None:
        self._columns: dict[str, array[Any]] = {name: array(code) for name, (code, _) in COLUMNS.items()}
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._columns["outcome"])

    def open(self, kind: int, position: int, due: float, sent: float) -> int:
        """Enter a call that is being made; return its number."""
        call = len(self)
        for name, (_, unknown) in COLUMNS.items():
            self._columns[name].append(unknown)
        self._write(call, kind=kind, position=position, due=due, sent=sent)
        return call

    def complete(
        self,
        call: int,
        ended: float,
        move: str,
        simulations: int,
        depth: float,
        queued_ms: float,
        searched_ms: float,
        cached: bool = False,
        attempts: int = 1,
    ) -> None:
        """Enter an answer: the best move's notation, and what the server says of its work, the depth in decisions."""
        self._close(call, Outcome.COMPLETED, ended, attempts)
        self._write(call, move=self._number(move), simulations=simulations, depth=depth, cached=cached)
        self._write(call, queued_ms=queued_ms, searched_ms=searched_ms)

    def reject(self, call: int, ended: float, reason: str, retry_after: float | None, attempts: int = 1) -> None:
        """Enter a refusal; `retry_after` in seconds, None where the server did not say when to come back."""
        self._close(call, Outcome.REJECTED, ended, attempts)
        self._write(call, reason=self._number(reason), advice=math.nan if retry_after is None else retry_after)

    def fail(self, call: int, ended: float, reason: str, attempts: int = 1) -> None:
        """Enter an error."""
        self._close(call, Outcome.FAILED, ended, attempts)
        self._write(call, reason=self._number(reason))

    def lose(self, call: int, ended: float, attempts: int = 1) -> None:
        """Enter that the outcome is waited for no longer."""
        self._close(call, Outcome.LOST, ended, attempts)

    def _close(self, call: int, outcome: Outcome, ended: float, attempts: int) -> None:
        found = self._columns["outcome"][call]
        if found != OPEN:
            raise LedgerError(f"call {call} has the outcome {Outcome(found).name} already")
        self._write(call, outcome=outcome, ended=ended, attempts=attempts)

    def _write(self, call: int, **values: float) -> None:
        for name, value in values.items():
            self._columns[name][call] = value

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def table(self) -> "Table":
        """Return what was entered, as columns to reckon with; raises `LedgerError` unless every call has an outcome."""
        outcomes = self._columns["outcome"]
        if OPEN in outcomes:
            raise LedgerError(f"call {outcomes.index(OPEN)} has no outcome")
        columns = {name: np.array(column, dtype=column.typecode) for name, column in self._columns.items()}
        return Table(texts=self._texts, **columns)


@dataclass(frozen=True)
class Table:
    """A finished ledger, or some of its calls; a column for each of `COLUMNS`."""

    texts: list[str]
    """What the numbers of reasons and moves stand for."""
    kind: NDArray[np.intp]
    position: NDArray[np.intp]
    due: NDArray[np.float64]
    sent: NDArray[np.float64]
    ended: NDArray[np.float64]
    outcome: NDArray[np.intp]
    attempts: NDArray[np.intp]
    advice: NDArray[np.float64]
    reason: NDArray[np.intp]
    move: NDArray[np.intp]
    simulations: NDArray[np.int64]
    depth: NDArray[np.float64]
    queued_ms: NDArray[np.float64]
    searched_ms: NDArray[np.float64]
    cached: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.outcome)

    def where(self, chosen: NDArray[np.bool_]) -> "Table":
        """Return some of the calls."""
        columns = {each.name: getattr(self, each.name)[chosen] for each in fields(self) if each.name != "texts"}
        return replace(self, **columns)

    def ended_as(self, outcome: Outcome) -> "Table":
        """Return the calls with that outcome."""
        return self.where(self.outcome == outcome)

    @property
    def latency_ms(self) -> NDArray[np.float64]:
        """From when each call was due to its outcome, in milliseconds."""
        return np.asarray((self.ended - self.due) * 1e3)

    @property
    def lag_ms(self) -> NDArray[np.float64]:
        """How late each call was sent, in milliseconds."""
        return np.asarray((self.sent - self.due) * 1e3)

    def reasons(self) -> dict[str, int]:
        """Return how often each reason was given, the most frequent first."""
        counted = Counter(self.texts[number] for number in self.reason.tolist() if number != NOTHING)
        return dict(counted.most_common())

    def answers(self) -> list[tuple[int, str]]:
        """Return for each completed call the number of its position and the best move's notation."""
        pairs = zip(self.position.tolist(), self.move.tolist(), strict=True)
        return [(position, self.texts[number]) for position, number in pairs if number != NOTHING]
