"""Shares few cores among many searches: permits to run, passed on between two slices to who has the best claim.

A thread searches only while its claim holds one of the permits. Between two slices it calls `Claim.rest`, which passes
the permit on when somebody who waits comes before it, and sleeps until it gets one again or its time is up. Everything
that moves a permit happens under one lock.
"""

import threading
import time
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Final

QUANTUM: Final = 0.25
"""Steps in which the searching time of two clients is compared, in seconds, and the most that one can save up."""
MOST_LATE: Final = 4.0
"""How many times its work a claim may be late until it comes before all that are less so."""
Key = tuple[int, int, float, int]
"""Orders claims: client's time in quanta, -priority, due, number."""


def _nothing() -> None:
    """Is done where a claim's thread runs already."""


class Phase(Enum):
    """Where a claim stands."""

    OUT = auto()
    """Not entered yet, or left."""
    WAITING = auto()
    """For its first permit; nothing runs."""
    RESTING = auto()
    """For its next permit; its thread sleeps."""
    HOLDING = auto()
    """Has a permit."""
    LATE = auto()
    """Runs without a permit, for the moment it takes to end: its time is up or it was cancelled."""


class Client:
    """Whose searching time is counted."""

    def __init__(self, used: float) -> None:
        self.used = used
        """Core-seconds, from a zero that means nothing: only differences count."""
        self.claims = 0


class Claim:
    """One thread's claim to a core.

    client: whose time it counts as. priority: the higher the sooner, among claims of equal clients. due: when the
    answer is wanted, a `time.monotonic()` value; the sooner the sooner. work: core-seconds that it will take, at a
    guess. begin: called under the scheduler's lock, by whatever thread, when a claim that waits may begin. threads: on
    how many the work will be done, once it has begun and `shared` was called.
    """

    def __init__(
        self,
        scheduler: "Scheduler",
        client: str,
        priority: int,
        due: float,
        work: float = 0.0,
        begin: Callable[[], None] | None = None,
        threads: int = 1,
    ) -> None:
        self.client, self.priority, self.due, self.work, self.begin = client, priority, due, work, begin or _nothing
        self._threads = threads
        self.phase = Phase.OUT
        self.ran = 0.0
        """Seconds with a permit, up to the last time it was counted."""
        self.rested = 0.0
        """Seconds slept between slices."""
        self.number = 0
        self.permit: int | None = None
        """Which of the permits it has, counted from 0."""
        self.since = 0.0
        self.account: Client | None = None
        self.awake: threading.Event | None = None
        """Made when its thread sleeps for the first time."""
        self._scheduler = scheduler

    @property
    def permits(self) -> int:
        """How many permits there are."""
        return self._scheduler.permits

    def shared(self, threads: int) -> list["Claim"]:
        """Claims for the other threads of the same search, `threads` in all: each takes on its share of the work."""
        self.work, self._threads = self.work / threads, 1
        return [Claim(self._scheduler, self.client, self.priority, self.due, self.work) for _ in range(1, threads)]

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return self.phase is Phase.WAITING

    def left(self, now: float) -> float:
        """Core-seconds still to be done, at a guess, at a `time.monotonic()` value."""
        ran = self.ran + (now - self.since if self.phase is Phase.HOLDING else 0.0)
        return max(0.0, self.work - ran)

    def soonest(self, now: float) -> float:
        """When its answer can be had at the soonest, if it is wanted sooner, at a `time.monotonic()` value.

        A deep search that is late would hold up every hint until its end, though a second more is less to it than to
        them; but when it is late by several times its work it is wanted when it was.
        """
        late = now > self.due + MOST_LATE * self.work / self._threads
        return self.due if late else max(self.due, now + self.left(now) / self._threads)

    def key(self, now: float) -> Key:
        """Where it stands among others that have entered."""
        assert self.account is not None
        return int(self.account.used / QUANTUM), -self.priority, self.soonest(now), self.number

    def hold(self, until: float | None) -> None:
        """Waits for a permit, until a time or for ever; called by the thread that is to run."""
        self._scheduler.hold(self, until)

    def rest(self, until: float | None) -> None:
        """Lets who has a better claim go first, if anybody has; called by the running thread between two slices."""
        if self._scheduler.crowded:
            self._scheduler.rest(self, until)

    def leave(self) -> None:
        """Gives the permit back; does nothing without one."""
        self._scheduler.leave(self)

    def wake(self) -> None:
        """Ends its sleep, since it is to end: from any thread."""
        self._scheduler.wake(self)


class Scheduler:
    """Hands out `permits`. Of searches that have begun, at most `most_begun` rest; then none begins, it is resumed."""

    def __init__(self, permits: int, most_begun: int) -> None:
        self.permits = permits
        self.crowded = False
        """Somebody waits. Read without the lock: who sees it late has its next slice a slice later."""
        self.preemptions = 0
        """How often a permit was passed on between two slices."""
        self._most_begun = most_begun
        self._lock = threading.Lock()
        self._free = list(range(permits))
        self._entered = 0
        self._claims: set[Claim] = set()
        self._waiting: set[Claim] = set()
        self._clients: dict[str, Client] = {}
        self._holding = 0
        self._resting = 0

    @property
    def holding(self) -> int:
        """Claims with a permit."""
        return self._holding

    @property
    def resting(self) -> int:
        """Claims that have begun and sleep."""
        return self._resting

    @property
    def waiting(self) -> int:
        """Claims that have not begun."""
        return len(self._waiting) - self._resting

    def enter(self, claim: Claim) -> None:
        """Has a claim wait for its first permit, which it may get at once."""
        with self._lock:
            self._enter(claim)
            self._wait(claim, Phase.WAITING)
            self._deal()

    def hold(self, claim: Claim, until: float | None) -> None:
        """See `Claim.hold`."""
        with self._lock:
            self._enter(claim)
            self._wait(claim, Phase.RESTING)
            self._deal()
        self._sleep(claim, until)

    def rest(self, claim: Claim, until: float | None) -> None:
        """See `Claim.rest`."""
        with self._lock:
            if claim.phase is not Phase.HOLDING:
                return
            self._charge(claim)
            now = time.monotonic()
            best = self._best(now)
            if best is None or best.key(now) > claim.key(now):
                return
            self._give_back(claim)
            self.preemptions += 1
            self._wait(claim, Phase.RESTING)
            self._deal()
        self._sleep(claim, until)

    def leave(self, claim: Claim) -> None:
        """See `Claim.leave`; a claim that waits is withdrawn."""
        with self._lock:
            if claim.phase is Phase.OUT:
                return
            if claim.phase is Phase.HOLDING:
                self._give_back(claim)
            self._stop_waiting(claim)
            claim.phase = Phase.OUT
            claim.begin = _nothing  # what it held on to is no longer needed
            self._claims.remove(claim)
            account = claim.account
            assert account is not None
            account.claims -= 1
            if account.claims == 0:
                # What it has used is forgotten: who comes back starts level with who has had least.
                del self._clients[claim.client]
            self._deal()

    def wake(self, claim: Claim) -> None:
        """See `Claim.wake`."""
        with self._lock:
            if claim.phase is Phase.RESTING:
                self._go_on_late(claim)

    def begin_late(self, claim: Claim) -> None:
        """Has a claim that still waits begin without a permit, in time to answer with something."""
        with self._lock:
            if claim.phase is Phase.WAITING:
                self._go_on_late(claim)
                claim.begin()

    def delay(self, client: str, priority: int, due: float, work: float = 0.0) -> float:
        """About how long a claim would wait for a permit if it entered now, in seconds: from what comes before it."""
        with self._lock:
            account = self._clients.get(client)
            used = self._least() if account is None else account.used
            now = time.monotonic()
            key = (int(used / QUANTUM), -priority, max(due, now + work), self._entered + 1)
            ahead = [claim for claim in self._claims if claim.key(now) < key]
            return self._work(ahead) / self.permits if len(ahead) >= self.permits else 0.0

    def backlog(self) -> float:
        """About how long all that has entered will keep the cores busy, in seconds."""
        with self._lock:
            return self._work(self._claims) / self.permits

    def waiting_of(self, client: str) -> tuple[int, int]:
        """How many claims of a client have not begun, and how many clients have claims, this one included."""
        with self._lock:
            own = sum(claim.phase is Phase.WAITING for claim in self._claims if claim.client == client)
            return own, len(self._clients) + (client not in self._clients)

    def _work(self, claims: Iterable[Claim]) -> float:
        now = time.monotonic()
        return sum(claim.left(now) for claim in claims)

    def _least(self) -> float:
        return min((client.used for client in self._clients.values()), default=0.0)

    def _enter(self, claim: Claim) -> None:
        self._entered += 1
        claim.number = self._entered
        account = self._clients.get(claim.client)
        if account is None:
            account = self._clients[claim.client] = Client(self._least())
        account.claims += 1
        self._claims.add(claim)
        claim.account = account

    def _wait(self, claim: Claim, phase: Phase) -> None:
        claim.phase = phase
        if phase is Phase.RESTING:
            self._resting += 1
            if claim.awake is None:
                claim.awake = threading.Event()
            claim.awake.clear()
        self._waiting.add(claim)

    def _stop_waiting(self, claim: Claim) -> None:
        if claim in self._waiting:
            self._waiting.remove(claim)
            self._resting -= claim.phase is Phase.RESTING

    def _deal(self) -> None:
        """Hands out free permits to the best claims."""
        while self._free and self._waiting:
            now = time.monotonic()
            best = self._best(now)
            if best is None:
                break
            self._stop_waiting(best)
            awake = best.awake if best.phase is Phase.RESTING else None
            best.phase = Phase.HOLDING
            best.since = now
            best.permit = self._free.pop()
            self._holding += 1
            if awake is None:
                best.begin()
            else:
                awake.set()
        self.crowded = bool(self._waiting)

    def _best(self, now: float) -> Claim | None:
        ready = self._waiting
        if self._holding + self._resting >= self._most_begun:
            ready = {claim for claim in ready if claim.phase is Phase.RESTING}
        return min(ready, key=lambda claim: claim.key(now), default=None)

    def _charge(self, claim: Claim) -> None:
        """Counts the time since the permit came or was counted last."""
        now = time.monotonic()
        ran = now - claim.since
        claim.since = now
        claim.ran += ran
        account = claim.account
        assert account is not None
        account.used += ran
        for client in self._clients.values():
            client.used = max(client.used, account.used - QUANTUM)

    def _give_back(self, claim: Claim) -> None:
        """Takes the permit of a claim that has one."""
        self._charge(claim)
        self._holding -= 1
        assert claim.permit is not None
        self._free.append(claim.permit)
        claim.permit = None

    def _go_on_late(self, claim: Claim) -> None:
        self._stop_waiting(claim)
        claim.phase = Phase.LATE
        if claim.awake is not None:
            claim.awake.set()
        self.crowded = bool(self._waiting)

    def _sleep(self, claim: Claim, until: float | None) -> None:
        began = time.monotonic()
        assert claim.awake is not None
        if not claim.awake.wait(None if until is None else max(0.0, until - began)):
            self.wake(claim)
        claim.rested += time.monotonic() - began
