"""Permits to search: who gets them, in which order, and that none is ever lost or had twice."""

import random
import threading
import time
from collections.abc import Callable

import pytest

from search.scheduler import QUANTUM, Claim, Phase, Scheduler

PATIENCE = 20.0


class Waiting:
    """A claim that waits for its first permit, and whether it has begun."""

    def __init__(
        self, scheduler: Scheduler, client: str = "", priority: int = 0, due: float = 0.0, work: float = 0.0
    ) -> None:
        self.begun = 0
        self.claim = Claim(scheduler, client, priority, due, work, self._begin)
        scheduler.enter(self.claim)

    def _begin(self) -> None:
        self.begun += 1


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def order(scheduler: Scheduler, waiting: list[Waiting]) -> list[int]:
    """The order in which claims begin when each leaves at once; the first permit is free already."""
    found = []
    while (now := next((i for i, one in enumerate(waiting) if one.begun and i not in found), None)) is not None:
        found.append(now)
        waiting[now].claim.leave()
    return found


def test_the_first_come_begin_at_once_and_one_more_waits() -> None:
    scheduler = Scheduler(2, 16)
    waiting = [Waiting(scheduler) for _ in range(3)]
    assert [one.begun for one in waiting] == [1, 1, 0]
    assert (scheduler.holding, scheduler.waiting, scheduler.resting) == (2, 1, 0)
    waiting[1].claim.leave()
    assert [one.begun for one in waiting] == [1, 1, 1]
    for one in waiting:
        one.claim.leave()
        one.claim.leave()  # twice does no harm
    assert (scheduler.holding, scheduler.waiting) == (0, 0)


def test_priority_comes_first_then_who_is_due_then_who_came() -> None:
    scheduler = Scheduler(1, 16)
    first = Waiting(scheduler)
    waiting = [
        Waiting(scheduler, priority=priority, due=due)
        for priority, due in [(0, 5.0), (0, 4.0), (-1, 1.0), (9, 9.0), (0, 4.0), (0, 6.0)]
    ]
    first.claim.leave()
    assert order(scheduler, waiting) == [3, 1, 4, 0, 5, 2]


def test_a_client_that_had_more_time_comes_later_whatever_its_priority() -> None:
    scheduler = Scheduler(1, 16)
    greedy = Waiting(scheduler, "greedy")
    modest = Waiting(scheduler, "modest", due=100.0)
    more = Waiting(scheduler, "greedy", priority=9)
    greedy.claim.since -= 3 * QUANTUM  # it has searched for so long
    greedy.claim.leave()
    assert order(scheduler, [more, modest]) == [1, 0]


def test_nobody_saves_up_more_than_a_quantum() -> None:
    scheduler = Scheduler(2, 16)
    greedy, modest = Waiting(scheduler, "greedy"), Waiting(scheduler, "modest")
    greedy.claim.since -= 100.0
    greedy.claim.leave()
    again = Waiting(scheduler, "greedy")  # levelled with who has had least
    modest.claim.since -= 2.5 * QUANTUM
    modest.claim.leave()
    last = [Waiting(scheduler, "modest"), Waiting(scheduler, "greedy")]
    assert again.begun
    assert last[0].begun
    again.claim.leave()
    assert last[1].begun


def test_who_comes_back_starts_level() -> None:
    scheduler = Scheduler(1, 16)
    first = Waiting(scheduler, "a")
    first.claim.since -= 50.0
    first.claim.leave()
    busy = Waiting(scheduler, "b")
    waiting = [Waiting(scheduler, "b", due=2.0), Waiting(scheduler, "a", due=1.0)]
    busy.claim.leave()
    assert order(scheduler, waiting) == [1, 0]


def test_a_running_one_gives_way_to_a_better_claim_only() -> None:
    scheduler = Scheduler(1, 16)
    deep = Waiting(scheduler, due=time.monotonic() + 60)
    worse = Waiting(scheduler, due=time.monotonic() + 90)
    deep.claim.rest(None)
    assert deep.claim.phase is Phase.HOLDING
    assert not worse.begun
    hint = Waiting(scheduler, due=time.monotonic() + 1)
    thread = threading.Thread(target=deep.claim.rest, args=(None,))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    assert hint.begun
    assert scheduler.resting == 1
    assert scheduler.preemptions == 1
    hint.claim.leave()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert deep.claim.phase is Phase.HOLDING
    assert deep.claim.rested > 0.02
    assert not worse.begun


def test_a_sleep_ends_with_its_time_and_takes_no_permit() -> None:
    scheduler = Scheduler(1, 16)
    deep = Waiting(scheduler, due=9e9)
    hint = Waiting(scheduler, due=1.0)
    deep.claim.rest(time.monotonic() + 0.02)
    assert deep.claim.phase is Phase.LATE
    assert scheduler.holding == 1
    deep.claim.rest(None)  # who is late does not sleep again
    deep.claim.leave()
    assert scheduler.holding == 1
    hint.claim.leave()
    assert scheduler.holding == 0


def test_a_cancel_wakes_a_sleeper() -> None:
    scheduler = Scheduler(1, 16)
    deep, hint = Waiting(scheduler, due=9e9), Waiting(scheduler, due=1.0)
    thread = threading.Thread(target=deep.claim.rest, args=(None,))
    thread.start()
    while not hint.begun:
        time.sleep(0.001)
    deep.claim.wake()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_one_that_waits_can_be_withdrawn_or_begin_late() -> None:
    scheduler = Scheduler(1, 16)
    first, second, third = (Waiting(scheduler) for _ in range(3))
    second.claim.leave()
    scheduler.begin_late(second.claim)
    scheduler.begin_late(third.claim)
    assert (second.begun, third.begun) == (0, 1)
    scheduler.begin_late(third.claim)
    assert third.begun == 1
    assert (scheduler.holding, scheduler.waiting) == (1, 0)
    first.claim.leave()
    third.claim.leave()
    assert scheduler.holding == 0


def test_where_enough_have_begun_sleepers_go_on_before_another_begins() -> None:
    scheduler = Scheduler(1, 2)
    deep = Waiting(scheduler, due=50.0)
    hint = Waiting(scheduler, due=40.0)
    thread = threading.Thread(target=deep.claim.rest, args=(None,))
    thread.start()
    while not hint.begun:
        time.sleep(0.001)
    third = Waiting(scheduler, due=30.0)
    hint.claim.rest(time.monotonic() + 5)
    # It would have given way, had not two begun already.
    assert (scheduler.resting, third.begun) == (1, 0)
    hint.claim.leave()
    assert third.begun == 1
    third.claim.leave()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_the_delay_is_the_work_that_comes_before() -> None:
    scheduler = Scheduler(2, 16)
    now = time.monotonic()
    assert scheduler.delay("", 0, now) == 0
    held = [Waiting(scheduler, due=now + 1, work=1.0) for _ in range(2)]
    assert 0.9 < scheduler.delay("", 0, now + 2) <= 1.0
    assert scheduler.delay("", 0, now + 0.5) == 0  # they give way
    Waiting(scheduler, due=now + 3, work=4.0)
    assert 0.9 < scheduler.delay("", 0, now + 2) <= 1.0
    assert 2.9 < scheduler.delay("", 0, now + 5) <= 3.0  # which it can be had by
    assert 2.9 < scheduler.backlog() <= 3.0
    held[0].claim.leave()
    assert scheduler.backlog() == pytest.approx(2.5, abs=0.1)


def test_the_queue_is_counted_by_client() -> None:
    scheduler = Scheduler(1, 16)
    for client in ("a", "a", "a", "b"):
        Waiting(scheduler, client)
    assert scheduler.waiting_of("a") == (2, 2)
    assert scheduler.waiting_of("b") == (1, 2)
    assert scheduler.waiting_of("c") == (0, 3)


def test_a_storm_loses_no_permit_and_gives_none_twice() -> None:
    """Threads that begin, rest, are cancelled and leave at random: never more run than there are permits."""
    permits, rng = 3, random.Random(4)
    scheduler = Scheduler(permits, 8)
    count, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(24)

    def count_running(sign: int) -> None:
        nonlocal count, most
        with lock:
            count += sign
            most = max(most, count)

    def live(seed: int) -> None:
        own = random.Random(seed)
        together.wait(PATIENCE)
        claim = Claim(scheduler, str(own.randrange(3)), own.randrange(-2, 3), own.random())
        claim.hold(None)
        for _ in range(30):
            if claim.phase is Phase.HOLDING:
                count_running(1)
                time.sleep(own.random() * 1e-4)
                count_running(-1)
            claim.priority = own.randrange(-2, 3)
            claim.rest(time.monotonic() + 0.005 if own.random() < 0.1 else None)
        claim.leave()

    threads = [threading.Thread(target=live, args=(rng.random(),)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    assert 1 < most <= permits
    assert (scheduler.holding, scheduler.waiting, scheduler.resting) == (0, 0, 0)
    assert scheduler.backlog() == 0
    assert scheduler.preemptions > 10


# Who is late.


def test_a_late_deep_search_gives_way_to_a_hint() -> None:
    scheduler = Scheduler(1, 8)
    now = time.monotonic()
    deep = Waiting(scheduler, due=now - 1.0, work=5.0)
    hint = Waiting(scheduler, due=now + 0.1, work=0.1)
    assert (deep.begun, hint.begun) == (1, 0)
    resting = threading.Thread(target=deep.claim.rest, args=(now + PATIENCE,))
    resting.start()
    wait_until(lambda: hint.begun == 1)
    assert scheduler.resting == 1
    hint.claim.leave()
    resting.join()
    assert (scheduler.resting, scheduler.holding) == (0, 1)
    # One that can no longer be late for long comes first, as does one that has waited for too long.
    for work, late in ((0.05, 0.1), (5.0, 21.0)):
        one = Waiting(scheduler, due=time.monotonic() - late, work=work)
        other = Waiting(scheduler, due=time.monotonic() + 0.1, work=0.1)
        deep.claim.leave()
        assert (one.begun, other.begun) == (1, 0)
        one.claim.leave()
        assert other.begun == 1
        deep = other


def test_each_thread_of_a_late_deep_search_gives_way_to_a_hint() -> None:
    scheduler = Scheduler(2, 8)
    now = time.monotonic()
    deep = Waiting(scheduler, due=now - 1.0, work=5.0)
    (other,) = deep.claim.shared(2)
    other.hold(None)
    assert scheduler.holding == 2
    assert scheduler.backlog() == pytest.approx(2.5, abs=0.1)  # its work counts once
    hint = Waiting(scheduler, due=now + 0.1, work=0.1)
    resting = threading.Thread(target=other.rest, args=(now + PATIENCE,))
    resting.start()
    wait_until(lambda: hint.begun == 1)
    assert (other.phase, deep.claim.phase) == (Phase.RESTING, Phase.HOLDING)
    hint.claim.leave()
    resting.join()
    assert (scheduler.resting, scheduler.holding) == (0, 2)


def test_several_threads_share_the_work_of_their_search() -> None:
    scheduler = Scheduler(2, 8)
    claim = Claim(scheduler, "", 0, 0.0, 8.0, threads=2)
    others = claim.shared(2)
    assert [one.work for one in (claim, *others)] == [4.0, 4.0]
    # Late by a work of four seconds, not by one of eight, before and after the work is shared out.
    alone = Claim(scheduler, "", 0, 0.0, 8.0, threads=2)
    for one in (claim, *others, alone):
        assert one.soonest(15.0) == 19.0
        assert one.soonest(17.0) == 0.0


def test_late_searches_of_equal_work_take_their_turns() -> None:
    scheduler = Scheduler(1, 8)
    holder = Waiting(scheduler, due=time.monotonic() - 9.0)
    late = [Waiting(scheduler, due=time.monotonic() - 0.01, work=0.02) for _ in range(4)]
    holder.claim.leave()
    # And who comes now is behind them.
    now = time.monotonic()
    assert 0.07 < scheduler.delay("", 0, now + 0.02, 0.02) <= 0.08
    assert scheduler.delay("", 0, now + 0.01, 0.01) == 0
    assert order(scheduler, late) == [0, 1, 2, 3]
