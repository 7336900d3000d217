"""A bounded pool of native threads for searches, with a bounded queue in front of it."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from advisor.errors import CANCELLED, QUEUE_FULL, AdvisorError
from advisor.metrics import Metrics
from search.run import Search, lower_priority

T = TypeVar("T")


class Job:
    """One search from admission to its end: lets the event loop cancel what a worker runs."""

    def __init__(self) -> None:
        self.queued_seconds = 0.0
        self._lock = threading.Lock()
        self._search: Search | None = None
        self._cancelled = False
        self._hurried = False

    @property
    def cancelled(self) -> bool:
        """Whether the caller has gone."""
        return self._cancelled

    @property
    def hurried(self) -> bool:
        """Whether the caller is to be answered with what the search has by now."""
        return self._hurried and not self._cancelled

    def started(self, search: Search) -> None:
        """Note the search that is about to run; called on the worker."""
        with self._lock:
            self._search = search
            if self._cancelled or self._hurried:
                search.cancel()

    def hurry(self) -> None:
        """Stop the search within milliseconds and have its answer so far."""
        with self._lock:
            self._hurried = True
            if self._search is not None:
                self._search.cancel()

    def cancel(self) -> None:
        """Stop the search within milliseconds, whether it has started or not."""
        with self._lock:
            self._cancelled = True
            if self._search is not None:
                self._search.cancel()


class SearchPool:
    """Runs searches on `workers` threads, first come first served; at most `queue_length` of them wait."""

    def __init__(self, workers: int, queue_length: int, retry_seconds: float, metrics: Metrics) -> None:
        self._capacity = workers + queue_length
        self._workers = workers
        self._retry_seconds = retry_seconds
        self._metrics = metrics
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="advise", initializer=lower_priority)
        self._lock = threading.Lock()
        self._admitted = 0
        self._running = 0

    async def run(self, job: Job, work: Callable[[], T]) -> T:
        """Run `work` on a worker; raises `AdvisorError` (QUEUE_FULL) at once when too many wait already.

        When the awaiting task is cancelled the job is cancelled too, and its worker is free again within milliseconds.
        """
        self._admit()
        entered = time.monotonic()

        def task() -> T:
            self._begin()
            try:
                job.queued_seconds = time.monotonic() - entered
                if job.cancelled:
                    raise AdvisorError(CANCELLED, "the caller cancelled")
                return work()
            finally:
                self._end()

        try:
            future = self._executor.submit(task)
        except RuntimeError:
            self._leave()
            raise
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            job.cancel()
            if future.cancel():  # never reached a worker, so the worker's bookkeeping does not run
                self._leave()
            raise

    def close(self) -> None:
        """Take no more work and wait for what runs."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _admit(self) -> None:
        with self._lock:
            if self._admitted >= self._capacity:
                self._metrics.rejected.labels(QUEUE_FULL.lower()).inc()
                raise AdvisorError(
                    QUEUE_FULL,
                    f"{self._admitted} searches run or wait already; try again later",
                    retry_after=self._retry_seconds,
                )
            self._admitted += 1
            self._show()

    def _begin(self) -> None:
        with self._lock:
            self._running += 1
            self._show()

    def _end(self) -> None:
        with self._lock:
            self._running -= 1
            self._admitted -= 1
            self._show()

    def _leave(self) -> None:
        with self._lock:
            self._admitted -= 1
            self._show()

    def _show(self) -> None:
        # Set under the lock, so that the gauges never show an old state after a new one.
        self._metrics.busy.set(self._running)
        self._metrics.queued.set(max(0, self._admitted - self._running))
