"""A bounded pool of native threads for searches, with a bounded queue in front of it."""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from advisor import logs
from advisor.errors import CANCELLED, QUEUE_FULL, SHUTTING_DOWN, AdvisorError
from advisor.metrics import Metrics
from advisor.threadtimes import TIMES
from search.run import SEARCH_NICENESS, Search

T = TypeVar("T")


class Job:
    """One search from admission to its end: lets the event loop cancel what a worker runs, or look at it."""

    def __init__(self) -> None:
        self.queued_seconds = 0.0
        self.began = False
        """A worker has taken it up."""
        self.cancelled_at: float | None = None
        """When the caller was found gone, as `time.monotonic()` tells it; None while it waits for its answer."""
        self._lock = threading.Lock()
        self._search: Search | None = None
        self._hurried = False

    @property
    def search(self) -> Search | None:
        """The search that runs; None before and after."""
        return self._search

    @property
    def hurried(self) -> bool:
        """Whether the caller is to be answered with what the search has by now."""
        return self._hurried and self.cancelled_at is None

    def started(self, search: Search) -> None:
        """Note the search that is about to run; called on the worker."""
        with self._lock:
            self._search = search
            if self.cancelled_at is not None or self._hurried:
                search.cancel()

    def finished(self) -> None:
        """Let go of the search, so that the worker is who gives its memory back; called on the worker."""
        with self._lock:
            self._search = None

    def hurry(self) -> None:
        """Stop the search within milliseconds and have its answer so far."""
        with self._lock:
            self._hurried = True
            if self._search is not None:
                self._search.cancel()

    def cancel(self) -> None:
        """Stop the search within milliseconds, whether it has started or not."""
        with self._lock:
            if self.cancelled_at is None:
                self.cancelled_at = time.monotonic()
            if self._search is not None:
                self._search.cancel()


class _Task(Generic[T]):
    """A job with what is to be done, and the future that waits for it in the event loop."""

    def __init__(self, job: Job, work: Callable[[], T]) -> None:
        self.job = job
        self._work = work
        self._entered = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self._loop.create_future()

    def run(self) -> Callable[[], None]:
        """Do the work and return what tells the event loop of its outcome; called on a worker."""
        self.job.queued_seconds = time.monotonic() - self._entered
        if self.job.cancelled_at is not None:
            return partial(self._fail, AdvisorError(CANCELLED, "the caller cancelled"))
        self.job.began = True
        try:
            result = self._work()
        except BaseException as error:
            # Without this frame in the traceback, which holds the task, which holds the error.
            below = error.__traceback__.tb_next if error.__traceback__ is not None else None
            return partial(self._fail, error.with_traceback(below))
        finally:
            self.job.finished()
        return partial(self._succeed, result)

    def refuse(self, error: AdvisorError) -> None:
        """Tell the event loop that the work will not be done."""
        self.tell(partial(self._fail, error))

    def tell(self, outcome: Callable[[], None]) -> None:
        """Hand an outcome to the event loop, which may have ended."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(outcome)

    def _succeed(self, result: T) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def _fail(self, error: BaseException) -> None:
        if not self.future.done():
            self.future.set_exception(error)


def give_way(niceness: int) -> None:
    """Give the calling thread at least this niceness. More stays: taking it back would need a privilege."""
    thread = threading.get_native_id()
    if niceness > os.getpriority(os.PRIO_PROCESS, thread):
        os.setpriority(os.PRIO_PROCESS, thread, niceness)


class SearchPool:
    """Runs searches on `workers` threads, first come first served; at most `queue_length` of them wait.

    A worker that ends though it should not breaks the pool: it takes no more work, and `on_broken` is called, from
    that worker, once.
    """

    def __init__(
        self,
        workers: int,
        queue_length: int,
        retry_seconds: float,
        metrics: Metrics,
        niceness: int = SEARCH_NICENESS,
        *,
        on_broken: Callable[[], None] = lambda: None,
        log_level: str = "info",
    ) -> None:
        self._capacity = workers + queue_length
        self._retry_seconds = retry_seconds
        self._metrics = metrics
        self._niceness = niceness
        self._on_broken = on_broken
        self._log = logs.logger(log_level)
        self._told = False
        self._changed = threading.Condition()
        self._waiting: deque[_Task[Any]] = deque()
        self._running = 0
        self._closed = False
        metrics.watch_pool(lambda: self._running, lambda: len(self._waiting))
        self._threads = [
            threading.Thread(target=self._serve, name=f"advise-{number}", daemon=True) for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, job: Job, work: Callable[[], T]) -> T:
        """Run `work` on a worker; raises `AdvisorError` (QUEUE_FULL) at once when too many wait already.

        When the awaiting task is cancelled the job is cancelled too, and its worker is free again within milliseconds.
        """
        task = _Task(job, work)
        self._enter(task)
        try:
            return await task.future
        except asyncio.CancelledError:
            job.cancel()
            self._withdraw(task)
            raise

    def close(self) -> None:
        """Take no more work, refuse what waits, and wait for what runs."""
        self._refuse_all()
        for thread in self._threads:
            thread.join()

    def _refuse_all(self) -> bool:
        """Take no more work and refuse what waits; return whether this was so already."""
        with self._changed:
            already, self._closed = self._closed, True
            for task in self._waiting:
                task.refuse(self._shutting_down())
            self._waiting.clear()
            self._changed.notify_all()
            return already

    def _shutting_down(self) -> AdvisorError:
        return AdvisorError(SHUTTING_DOWN, "the server shuts down", retry_after=self._retry_seconds)

    def _enter(self, task: _Task[Any]) -> None:
        with self._changed:
            if self._closed:
                raise self._shutting_down()
            admitted = self._running + len(self._waiting)
            if admitted >= self._capacity:
                self._metrics.rejected.labels(QUEUE_FULL.lower()).inc()
                raise AdvisorError(
                    QUEUE_FULL,
                    f"{admitted} searches run or wait already; try again later",
                    retry_after=self._retry_seconds,
                )
            self._waiting.append(task)
            self._changed.notify()

    def _withdraw(self, task: _Task[Any]) -> None:
        """Forget a task that no worker has taken up."""
        with self._changed, suppress(ValueError):
            self._waiting.remove(task)

    def _serve(self) -> None:
        """A worker's life."""
        try:
            give_way(self._niceness)
        except OSError as error:
            self._tell_once(error)
        try:
            with TIMES.measured():
                self._work()
        except BaseException:
            # Were it to end in silence, what waits would wait for ever on a server that says it is ready.
            self._log.exception("a worker has ended")
            if not self._refuse_all():
                self._on_broken()

    def _tell_once(self, error: OSError) -> None:
        with self._changed:
            told, self._told = self._told, True
        if not told:
            self._log.warning("searches run at the server's own priority", niceness=self._niceness, error=str(error))

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                outcome = task.run()
                self._end(task.job)
            except BaseException:
                task.refuse(self._shutting_down())
                raise
            task.tell(outcome)
            del task, outcome  # nothing of a call outlives it here while the worker waits for the next

    def _next(self) -> _Task[Any] | None:
        with self._changed:
            while not self._waiting:
                if self._closed:
                    return None
                self._changed.wait()
            self._running += 1
            return self._waiting.popleft()

    def _end(self, job: Job) -> None:
        with self._changed:
            self._running -= 1
        if job.cancelled_at is not None:
            self._metrics.cancel.observe(time.monotonic() - job.cancelled_at)
