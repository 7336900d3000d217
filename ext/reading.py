"""Reads messages of untrusted types for every game: whatever is wrong is a fault at its path, never an exception.

A message is a mapping with the field names of the .proto files. As on the wire, an absent field (or None) is its
default: an empty list, 0, False, and (0, 0) for a cell.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ext.errors import Violation

MOST_FAULTS = 1_000
"""Reading stops at this many faults."""

Cell = tuple[int, int]
"""Column x to the right, row y downwards."""


class Full(Exception):
    """Ends the reading when there are `MOST_FAULTS` faults; the caller of the reader's methods catches it."""


def shown(value: object) -> str:
    """A value from outside as a message may show it: short, on one line, and never an error."""
    if value is None or isinstance(value, bool):
        return str(value)
    if type(value) is int:
        return str(value) if abs(value) < 10**12 else "a number far out of range"
    if isinstance(value, str):
        return ascii(value[:40]) + ("..." if len(value) > 40 else "")
    return f"a value of type {type(value).__name__[:40]}"


def is_list(value: object) -> bool:
    """Whether a value can stand for a repeated field: a sequence that is no text."""
    if type(value) is list:
        return True
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)


class Faults:
    """Collects faults and reads values of untrusted types: a wrong one is a fault at its path, never an exception.

    Every method may raise `Full`.
    """

    def __init__(self) -> None:
        self.found: list[Violation] = []

    def add(self, path: str, message: str) -> None:
        """Notes a fault."""
        self.found.append(Violation(path, message))
        if len(self.found) >= MOST_FAULTS:
            raise Full

    def message(self, value: object, path: str, fields: Iterable[str], prefix: str | None = None) -> Mapping[str, Any]:
        """A message as a mapping; empty when it is absent or none. Its fields' paths begin with `prefix` ("path.")."""
        if value is None:
            return {}
        if type(value) is dict and value.keys() <= set(fields):
            return value
        if not isinstance(value, Mapping):
            self.add(path, f"expected a mapping, not {shown(value)}")
            return {}
        start = f"{path}." if prefix is None else prefix
        known = set(fields)
        for key in value:
            if not isinstance(key, str) or key not in known:
                plain = isinstance(key, str) and key.isascii() and key.isidentifier() and len(key) <= 64
                where, what = (f"{start}{key}", "") if plain else (path, f" {shown(key)}")
                self.add(where, f"unknown field{what}; expected only {', '.join(fields)}")
        return value

    def array(self, value: object, path: str) -> Sequence[Any]:
        """A repeated field; empty when it is absent or no list."""
        if value is None:
            return ()
        if not is_list(value):
            self.add(path, f"expected a list, not {shown(value)}")
            return ()
        assert isinstance(value, Sequence)
        return value

    def integer(self, value: object, path: str, low: int, high: int, what: str) -> int | None:
        """A whole number from `low` to `high`, absent being 0; None when it is wrong."""
        if type(value) is int and low <= value <= high:
            return value
        if value is None:
            value = 0
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.add(path, f"expected {what}, {low} to {high}, not {shown(value)}")
            return None
        return int(value)

    def choice(self, value: object, path: str, among: Sequence[str]) -> str | None:
        """One of a few words; None when it is wrong."""
        if not isinstance(value, str) or value not in among:
            self.add(path, f"expected {' or '.join(among)}, not {shown(value)}")
            return None
        return value

    def flag(self, value: object, path: str) -> bool | None:
        """A truth value, absent being False; None when it is wrong."""
        if value is None:
            return False
        if not isinstance(value, bool):
            self.add(path, f"expected true or false, not {shown(value)}")
            return None
        return value

    def cell(self, value: object, path: str, reach: int) -> Cell | None:
        """A cell, absent being (0, 0), with x and y from `-reach` to `reach`; None when it is wrong."""
        before = len(self.found)
        fields = self.message(value, path, ("x", "y"))
        x = self.integer(fields.get("x"), f"{path}.x", -reach, reach, "a column")
        y = self.integer(fields.get("y"), f"{path}.y", -reach, reach, "a row")
        return (x, y) if x is not None and y is not None and len(self.found) == before else None

    def in_field_order(self, rank: Mapping[str, int]) -> list[Violation]:
        """The faults in the order of the wire's fields: by the rank of each field of their paths, unknown ones last."""
        return sorted(self.found, key=lambda fault: _path_key(fault.path, rank))


def _path_key(path: str, rank: Mapping[str, int]) -> list[tuple[int, int]]:
    key = []
    for part in path.split("."):
        name, *indices = part.split("[")
        key.append((rank.get(name, len(rank)), -1))
        key.extend((-1, int(index.rstrip("]"))) for index in indices)
    return key
