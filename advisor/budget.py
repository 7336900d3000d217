"""The memory that all searches together may take."""

from bisect import bisect_left, insort
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
_TREELESS: Final = (*IMMEDIATE, Algorithm.EXPECTIMAX, Algorithm.FLAT)


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

    def holding(self, size: int) -> "Held":
        """Have a search of that size admitted for as long as the context lasts.

        Its begin raises `AdvisorError` (OUT_OF_MEMORY) where the memory would not reach for it.
        """
        return Held(self, size)

    def take(self, size: int) -> None:
        """Admit a search of that size, or raise what `holding` raises."""
        insort(self._needs, size)
        if self.reserved > self._total:
            self.drop(size)
            self._metrics.rejected.labels(OUT_OF_MEMORY.lower()).inc()
            raise AdvisorError(
                OUT_OF_MEMORY,
                "other searches hold the memory that this one may need; try again later, or with less memory_bytes",
                retry_after=self._retry_seconds,
            )

    def drop(self, size: int) -> None:
        """Forget a search of that size that was admitted."""
        del self._needs[bisect_left(self._needs, size)]


class Held:
    """A search admitted while the context lasts."""

    __slots__ = ("_budget", "_size")

    def __init__(self, budget: MemoryBudget, size: int) -> None:
        self._budget, self._size = budget, size

    def __enter__(self) -> None:
        self._budget.take(self._size)

    def __exit__(self, *_: object) -> None:
        self._budget.drop(self._size)
