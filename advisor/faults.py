"""Collects the faults of one request, each with the path of its field, so that a caller hears of all at once."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from advisor.errors import AdvisorError, invalid
from ext.errors import Violation

T = TypeVar("T")


def join(prefix: str, path: str) -> str:
    """Put a path below a prefix; either may be empty, and an index follows without a dot."""
    if not prefix or not path or path.startswith("["):
        return prefix + path
    return f"{prefix}.{path}"


class Faults:
    """A list of faults and the place below which new ones are added.

    Views made by `under` share the list, and the refusal: the error to give when the request has no fault in itself
    but cannot be served here.
    """

    __slots__ = ("_refusals", "found", "prefix")

    def __init__(self, prefix: str = "", shared: "Faults | None" = None) -> None:
        """Begin without a fault, or share those of another view."""
        self.prefix = prefix
        self.found: list[Violation] = [] if shared is None else shared.found
        self._refusals: list[AdvisorError] = [] if shared is None else shared._refusals

    def under(self, path: str) -> "Faults":
        """Return a view that adds below `path`."""
        return Faults(join(self.prefix, path), self)

    def add(self, path: str, message: str) -> None:
        """Add one fault; an empty path means the place itself."""
        self.found.append(Violation(join(self.prefix, path), message))

    def few(self, entries: Sequence[T], most: int, path: str) -> Sequence[T]:
        """Return the entries, the first `most` of them, with a fault, when there are more: too many cost nothing."""
        if len(entries) <= most:
            return entries
        self.add(path, f"expected at most {most:,}, not {len(entries):,}")
        return entries[:most]

    def take(self, violations: Iterable[Violation]) -> None:
        """Add faults that a lower floor found, their paths relative to the place.

        A place that has a fault already gets no second one: what could not be converted is missing below.
        """
        known = {path for path, _ in self.found}
        for path, message in violations:
            if join(self.prefix, path) not in known:
                self.add(path, message)

    def refuse(self, error: AdvisorError) -> None:
        """Note why the request cannot be served though it may be well formed; the first reason counts."""
        self._refusals.append(error)

    def __bool__(self) -> bool:
        return bool(self.found or self._refusals)

    def raise_if_any(self) -> None:
        """Raise `AdvisorError`: INVALID_ARGUMENT with all faults, or without any the refusal."""
        if self.found:
            raise invalid(self.found)
        if self._refusals:
            raise self._refusals[0]
