"""The memory that all searches together may take."""

from bisect import bisect_left, insort
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from advisor.errors import OUT_OF_MEMORY, AdvisorError
from advisor.metrics import Metrics
from search.immediate import IMMEDIATE
from search.request import Algorithm, Limits, Options

BYTES_PER_SIMULATION: Final = 4096
"""What a simulation adds to a tree is reckoned as: a node with its edges. Measured are 90 to 360 bytes."""
BYTES_PER_SECOND: Final = 64 << 20
"""What a thread adds to its trees in a second is reckoned as. Measured are 1 to 45 MiB."""
LEAST_BYTES: Final = 1 << 20
"""What the smallest search is reckoned as."""
_TREELESS: Final = frozenset((*IMMEDIATE, Algorithm.EXPECTIMAX, Algorithm.FLAT))


def need(limits: Limits, options: Options) -> int:
    """Return the tree memory in bytes that a search is reckoned to take: never more than its own limit."""
    if options.algorithm in _TREELESS:
        return 0
    found = limits.memory
    if limits.simulations is not None:
        found = min(found, LEAST_BYTES + limits.simulations * BYTES_PER_SIMULATION)
    if limits.seconds is not None:
        threads = min(options.trees, options.threads or options.trees)
        found = min(found, LEAST_BYTES + int(limits.seconds * BYTES_PER_SECOND) * threads)
    return found


class MemoryBudget:
    """What admitted searches may take at the worst: no more than `at_once` of them ever have a tree at a time.

    Belongs to one event loop; other threads may read `reserved`.
    """

    def __init__(self, total: int, at_once: int, retry_seconds: float, metrics: Metrics) -> None:
        """Have `total` bytes to give; who is refused is told to come back in `retry_seconds`."""
        self._total, self._at_once, self._retry_seconds = total, at_once, retry_seconds
        self._needs: list[int] = []
        """Of all admitted searches, ascending."""
        self._metrics = metrics
        metrics.watch_memory(lambda: self.reserved)

    @property
    def reserved(self) -> int:
        """Bytes that the searches admitted now may take at the worst."""
        return sum(self._needs[-self._at_once :])

    @contextmanager
    def holding(self, size: int) -> Iterator[None]:
        """Have a search of that size admitted for as long as the context lasts.

        Raises `AdvisorError` (OUT_OF_MEMORY) where the memory would not reach for it.
        """
        insort(self._needs, size)
        if self.reserved > self._total:
            self._drop(size)
            self._metrics.rejected.labels(OUT_OF_MEMORY.lower()).inc()
            raise AdvisorError(
                OUT_OF_MEMORY,
                "other searches hold the memory that this one may need; try again later, or with less memory_bytes",
                retry_after=self._retry_seconds,
            )
        try:
            yield
        finally:
            self._drop(size)

    def _drop(self, size: int) -> None:
        del self._needs[bisect_left(self._needs, size)]
