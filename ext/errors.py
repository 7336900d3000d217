"""The one error that every reader of input raises: all faults at once, each with the path of its field."""

from collections.abc import Sequence
from typing import NamedTuple


class Violation(NamedTuple):
    """One fault: `path` as in the wire message ("table.seats[1].ocean[0].card"), and what is wrong and what to do."""

    path: str
    message: str


class Malformed(ValueError):
    """Input that cannot be read. `violations` holds every fault found, at least one, in the order of the fields."""

    def __init__(self, violations: Sequence[Violation]) -> None:
        self.violations = list(violations)
        super().__init__("; ".join(f"{path}: {message}" for path, message in self.violations))
