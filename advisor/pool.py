"""Searches on native threads: who is admitted, and the way from the event loop to a thread and back.

Which of them run is decided by `search.scheduler`.
"""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from advisor import logs
from advisor.crew import Crew, Member
from advisor.errors import CANCELLED, OVERLOADED, QUEUE_FULL, SHUTTING_DOWN, AdvisorError
from advisor.metrics import Metrics
from advisor.threadtimes import TIMES
from search.binding import unbind
from search.run import SEARCH_NICENESS, Search
from search.scheduler import Claim, Scheduler

T = TypeVar("T")

LEAST_SHARE: Final = 0.25
"""Part of the search asked for that must fit before a deadline, by what waits before it, for a call to be admitted."""
RESERVE: Final = 4
"""One part in so many of the queue is kept for clients that hold less than an equal share of it."""
LAST_CALL: Final = 0.015
"""How long before its deadline a search that still waits begins, permit or not, to answer with something; seconds."""
TELLING_WAIT: Final = 0.02
"""Waits reckoned as shorter than this, in seconds, say nothing of how well waits are reckoned."""
MOST_SLOWNESS: Final = 1.5
"""By how much longer waits may be taken than what waits before a call: searches of its own client may overtake it."""
WEIGHT: Final = 0.05
"""Of the latest wait among those before it."""
MOST_BEGUN: Final = 8
"""Searches that have begun, running or asleep, for each worker: each holds on to its tree."""


class Ask(NamedTuple):
    """What the scheduler is to know of a search.

    client: whose share of the cores it takes from. priority: among that client's. seconds: of searching that it asks
    for, on one core, at a guess. deadline: a `time.monotonic()` value, None without one. brief: it takes hardly longer
    than to hand it to a thread. threads: on how many it searches, were there as many cores.
    """

    client: str = ""
    priority: int = 0
    seconds: float = 0.0
    deadline: float | None = None
    brief: bool = False
    threads: int = 1

    @property
    def lasts(self) -> float:
        """Seconds from its begin to its end, were there no deadline and a core for each thread."""
        return self.seconds / self.threads

    def due(self, now: float) -> float:
        """Return when the answer is wanted, on the clock of `time.monotonic`."""
        due = now + self.lasts
        return due if self.deadline is None else min(due, self.deadline)


class Job:
    """One search from admission to its end: lets the event loop cancel what a worker runs, or look at it."""

    def __init__(self) -> None:
        self.claim: Claim | None = None
        """To a core; None before it is admitted."""
        self.queued_seconds = 0.0
        self.rested_seconds = 0.0
        """How long it gave way to others after it had begun."""
        self.ran_seconds = 0.0
        """How long its first thread held a core."""
        self.cpu_seconds = 0.0
        """Processor time that its first thread took for it all, ranking and writing included."""
        self.began = False
        """It has had its turn: a thread has it or is about to."""
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
        if self.claim is not None:
            search.share(self.claim)
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
        self.claim: Claim | None = None
        self.taken = False
        """A thread has taken it up."""
        self.expected = 0.0
        """The wait that was reckoned, by searching times alone; seconds."""
        self.entered = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self._loop.create_future()

    def run(self) -> Callable[[], None]:
        """Do the work and return what tells the event loop of its outcome; called on a worker."""
        self.taken = True
        if self.job.cancelled_at is not None:
            return partial(self._fail, AdvisorError(CANCELLED, "the caller cancelled"))
        began = time.thread_time()
        try:
            result = self._work()
        except BaseException as error:
            # Without this frame in the traceback, which holds the task, which holds the error.
            below = error.__traceback__.tb_next if error.__traceback__ is not None else None
            return partial(self._fail, error.with_traceback(below))
        finally:
            self.job.finished()
        self.job.cpu_seconds = time.thread_time() - began
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
    """Runs searches, `workers` at a time; at most `queue_length` more are admitted.

    A search that gives way to another keeps its thread, so there may be more threads than workers. A thread that ends
    though it should not breaks the pool: it takes no more work, and `on_broken` is called, from that thread, once.
    """

    def __init__(
        self,
        workers: int,
        queue_length: int,
        retry_seconds: float,
        metrics: Metrics,
        niceness: int = SEARCH_NICENESS,
        *,
        max_wait_seconds: float = 600.0,
        on_broken: Callable[[], None] = lambda: None,
        log_level: str = "info",
        log_format: str = "json",
    ) -> None:
        self._workers = workers
        self._queue_length = queue_length
        self._retry_seconds = retry_seconds
        self._max_wait_seconds = max_wait_seconds
        self._metrics = metrics
        self._niceness = niceness
        self._on_broken = on_broken
        self._log = logs.logger(log_level, log_format)
        self._told = False
        # Never taken under the scheduler's lock; that one is taken under this.
        self._lock = threading.Lock()
        self._tasks: set[_Task[Any]] = set()
        self._slowness = 1.0
        """How much longer than reckoned waits have been lately: a call is more than its search. Under the scheduler's
        lock; read without, it is as good a moment later."""
        self._closed = False
        self._scheduler = Scheduler(workers, MOST_BEGUN * workers)
        metrics.watch_scheduler(self._scheduler)
        self._crew: Crew[_Task[Any]] = Crew(workers, "advise", self._serve)

    async def run(self, job: Job, work: Callable[[], T], ask: Ask | None = None) -> T:
        """Run `work` on a thread; raises `AdvisorError` (QUEUE_FULL, OVERLOADED) at once when it cannot be had in time.

        When the awaiting task is cancelled the job is cancelled too, and its core is free again within milliseconds.
        """
        if ask is not None and ask.brief and self.idle:
            return self._run_here(job, work)
        task = _Task(job, work)
        last_call = self._enter(task, Ask() if ask is None else ask)
        try:
            return await task.future
        except asyncio.CancelledError:
            job.cancel()
            self._withdraw(task)
            raise
        finally:
            if last_call is not None:
                last_call.cancel()

    @property
    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not self._tasks

    @property
    def full(self) -> bool:
        """Whether a search that came now would have to wait."""
        return len(self._tasks) >= self._workers

    def shed(self, ask: Ask) -> None:
        """Raise what `run` would raise for a search that cannot be had in time, before anything is done for it."""
        now = time.monotonic()
        with self._lock:
            self._admit(ask, now, ask.due(now))

    def _run_here(self, job: Job, work: Callable[[], T]) -> T:
        """Do work on the event loop, which waits no longer for it than to wake a thread and be woken by it."""
        if self._closed:
            raise self._shutting_down()
        job.began = True
        began, cpu = time.monotonic(), time.thread_time()
        try:
            return work()
        finally:
            job.finished()
            job.ran_seconds, job.cpu_seconds = time.monotonic() - began, time.thread_time() - cpu

    def close(self) -> None:
        """Take no more work, refuse what waits, and wait for what runs."""
        self._refuse_all()
        self._crew.join()

    def _refuse_all(self) -> bool:
        """Take no more work and refuse what waits; return whether this was so already."""
        with self._lock:
            already, self._closed = self._closed, True
            waiting = [task for task in self._tasks if not task.taken]
        for task in waiting:
            task.refuse(self._shutting_down())
            task.job.cancel()  # who begins all the same, for want of anybody before it, ends at once
        for task in waiting:
            self._withdraw(task)
        self._crew.end()
        return already

    def _shutting_down(self) -> AdvisorError:
        return AdvisorError(SHUTTING_DOWN, "the server shuts down", retry_after=self._retry_seconds)

    def _enter(self, task: _Task[Any], ask: Ask) -> asyncio.TimerHandle | None:
        """Admit a task or raise; return the timer that has it begin at its last call."""
        now = time.monotonic()
        due = ask.due(now)
        with self._lock:
            if self._closed:
                raise self._shutting_down()
            task.expected = self._admit(ask, now, due)
            begin = partial(self._begin, task)
            # What a deadline will cut short is no more work than fits before it.
            work = max(0.0, due - now) * ask.threads
            claim = Claim(self._scheduler, ask.client, ask.priority, due, work, begin, ask.threads)
            task.claim = task.job.claim = claim
            self._tasks.add(task)
        self._scheduler.enter(claim)
        if ask.deadline is None or not claim.waits:
            return None
        return asyncio.get_running_loop().call_later(
            max(0.0, ask.deadline - LAST_CALL - now), self._scheduler.begin_late, claim
        )

    def _admit(self, ask: Ask, now: float, due: float) -> float:
        """Raise when a search cannot be had in time, else return its wait as reckoned. Refusals are made here only."""
        admitted = len(self._tasks)
        if admitted >= self._workers + self._queue_length:
            self._refuse(QUEUE_FULL, f"{admitted} searches run or wait already; try again later")
        if admitted - self._workers >= self._queue_length - self._queue_length // RESERVE:
            own, clients = self._scheduler.waiting_of(ask.client)
            if own >= max(1, self._queue_length // clients):
                self._refuse(QUEUE_FULL, f"{own} searches of this client wait, its share of the queue; try again later")
        expected = self._scheduler.delay(ask.client, ask.priority, due, due - now) if admitted >= self._workers else 0.0
        wait = expected * self._slowness
        if ask.deadline is None:
            late = wait - self._max_wait_seconds
        else:
            left = ask.deadline - now
            late = wait - left + LEAST_SHARE * min(ask.lasts, left)
        if wait and late > 0:
            self._refuse(OVERLOADED, "what waits before it would make this search too late; try again later", late)
        return expected

    def _refuse(self, reason: str, text: str, late: float = 0.0) -> None:
        self._metrics.rejected.labels(reason.lower()).inc()
        raise AdvisorError(reason, text, retry_after=max(late, self._retry_seconds))

    def _begin(self, task: _Task[Any]) -> None:
        """Have a thread take up a task; called under the scheduler's lock."""
        task.job.began = True
        task.job.queued_seconds = time.monotonic() - task.entered
        if task.expected > TELLING_WAIT:
            ratio = min(MOST_SLOWNESS, task.job.queued_seconds / task.expected)
            self._slowness = max(1.0, self._slowness + WEIGHT * (ratio - self._slowness))
        self._crew.take(task)

    def _withdraw(self, task: _Task[Any]) -> None:
        """Forget a task that no thread has taken up; one that a thread is about to take up ends at once there."""
        if not task.taken:
            assert task.claim is not None
            self._scheduler.leave(task.claim)
            with self._lock:
                self._tasks.discard(task)

    def _serve(self, member: Member[_Task[Any]]) -> None:
        """A thread's life."""
        unbind()
        try:
            give_way(self._niceness)
        except OSError as error:
            self._tell_once(error)
        try:
            with TIMES.measured():
                self._work(member)
        except BaseException:
            # Were it to end in silence, what waits would wait for ever on a server that says it is ready.
            self._log.exception("a worker has ended")
            if not self._refuse_all():
                self._on_broken()

    def _tell_once(self, error: OSError) -> None:
        with self._lock:
            told, self._told = self._told, True
        if not told:
            self._log.warning("searches run at the server's own priority", niceness=self._niceness, error=str(error))

    def _work(self, member: Member[_Task[Any]]) -> None:
        while (task := member.wait()) is not None:
            try:
                outcome = task.run()
                member.ready()  # before the core is free, so that who is next has this thread on it
                self._end(task)
            except BaseException:
                task.refuse(self._shutting_down())
                raise
            task.tell(outcome)
            del task, outcome  # nothing of a call outlives it here while the thread waits for the next

    def _end(self, task: _Task[Any]) -> None:
        claim, job = task.claim, task.job
        assert claim is not None
        self._scheduler.leave(claim)
        with self._lock:
            self._tasks.discard(task)
        job.rested_seconds = claim.rested
        job.ran_seconds = claim.ran
        if job.cancelled_at is not None:
            self._metrics.cancel.observe(time.monotonic() - job.cancelled_at)
