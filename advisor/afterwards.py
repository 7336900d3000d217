"""What the answer to a call need not wait for: done as soon as it is on its way, or before anybody looks for it."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import RestrictedRegistry


class Afterwards:
    """Work that is left for later. Each piece is done once, in the order in which it was left."""

    def __init__(self) -> None:
        self._work: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()

    def leave(self, work: Callable[[], None]) -> None:
        """Have the running event loop do something in its next turn, unless `settle` comes before that."""
        self._work.append(work)
        asyncio.get_running_loop().call_soon(self.settle)

    def settle(self) -> None:
        """Do what is left, or wait until another thread has; any thread may ask."""
        with self._lock:
            while self._work:
                self._work.popleft()()


class SettledRegistry(CollectorRegistry):
    """A registry that settles first: who has its answer, and looks at the metrics, finds it counted."""

    def __init__(self, afterwards: Afterwards) -> None:
        self._afterwards = afterwards
        super().__init__()

    def collect(self) -> Iterator[Metric]:
        """Return all metrics."""
        self._afterwards.settle()
        yield from super().collect()

    def restricted_registry(self, names: Iterable[str]) -> RestrictedRegistry:
        """Return what collects some of the metrics."""
        self._afterwards.settle()
        return super().restricted_registry(names)
