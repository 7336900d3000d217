"""What the answer to a call need not wait for: done for many calls together, or before anybody looks for it.

Counting one call after the other takes several times as long, since what it needs is in no cache any more.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import RestrictedRegistry

TOGETHER: Final = 16
"""Pieces that are enough to be done; together they take about a quarter of a millisecond."""
SECONDS: Final = 0.5
"""How long fewer are left."""


class Afterwards:
    """Work that is left for later. Each piece is done once, in the order in which it was left."""

    def __init__(self) -> None:
        self._work: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._waiting = False
        """The loop will settle what is left when its time has come."""

    def leave(self, work: Callable[[], None]) -> None:
        """Have the running event loop do something soon: with enough others in its next turn, else a moment later."""
        self._work.append(work)
        if len(self._work) == TOGETHER:
            asyncio.get_running_loop().call_soon(self.settle)
        elif not self._waiting:
            self._waiting = True
            asyncio.get_running_loop().call_later(SECONDS, self._settle_in_time)

    def settle(self) -> None:
        """Do what is left, or wait until another thread has; any thread may ask. Raises the first failure, last."""
        failures: list[Exception] = []
        with self._lock:
            while self._work:
                try:
                    self._work.popleft()()
                except Exception as failure:
                    failures.append(failure)
        if failures:
            raise failures[0]

    def _settle_in_time(self) -> None:
        self._waiting = False
        self.settle()


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
