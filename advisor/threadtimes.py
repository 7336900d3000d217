"""How long the threads that search have run and waited. Some live as long as the process, some for one search."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from search.run import Search
from search.scheduler import Claim


class Times(NamedTuple):
    """What Linux's scheduler notes of a thread, in nanoseconds."""

    ran: int = 0
    waited: int = 0

    def plus(self, other: "Times", sign: int = 1) -> "Times":
        """Return the sum, or with sign -1 the difference."""
        return Times(self.ran + sign * other.ran, self.waited + sign * other.waited)


def read_times(thread: int) -> Times | None:
    """Return a thread's times; None where the system does not tell them."""
    try:
        ran, waited, _ = Path(f"/proc/self/task/{thread}/schedstat").read_text().split()
        return Times(int(ran), int(waited))
    except (OSError, ValueError):
        return None


class ThreadTimes:
    """Sums over all threads that search or have searched. They never fall: a thread leaves its times when it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended = Times()
        self._living: dict[int, Times] = {}  # as they were when the thread began to be measured

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the calling thread; within itself it does nothing."""
        thread = threading.get_native_id()
        with self._lock:
            outer = thread not in self._living
            began = read_times(thread) if outer else None
            if began is not None:
                self._living[thread] = began
        try:
            yield
        finally:
            if began is not None:
                with self._lock:
                    self._ended = self._ended.plus((read_times(thread) or began).plus(self._living.pop(thread), -1))

    def total(self) -> Times | None:
        """Return the sums so far; None where the system does not tell them."""
        with self._lock:
            if read_times(threading.get_native_id()) is None:
                return None
            total = self._ended
            for thread, began in self._living.items():
                # Who is measured cannot end before this lock is free.
                total = total.plus((read_times(thread) or began).plus(began, -1))
            return total


TIMES: Final = ThreadTimes()
"""Of this process."""


class MeasuredSearch(Search):
    """A search whose own threads, which live no longer than it, are measured; who calls it sees to its own."""

    def _execute(self, trees: range, quota: list[int], end: float | None, claim: Claim | None) -> list[str]:
        if trees.start == 0:
            return super()._execute(trees, quota, end, claim)
        with TIMES.measured():
            return super()._execute(trees, quota, end, claim)
