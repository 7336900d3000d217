"""Searching threads stay on their permits' cores, and go back to where the system wants them."""

import os
import threading
import time
from collections.abc import Callable

import pytest

from search import binding
from search.binding import LEAST_SHARE, Bound, Cores, unbind
from search.scheduler import Claim, Scheduler

pytestmark = pytest.mark.apart

ALL = os.sched_getaffinity(0)
two_cores = pytest.mark.skipif(len(ALL) < 2, reason="one core: there is nowhere else to be")


def holding(permits: int) -> list[Claim]:
    scheduler = Scheduler(permits, 8 * permits)
    claims = [Claim(scheduler, "", 0, 0.0) for _ in range(permits)]
    for claim in claims:
        scheduler.enter(claim)
    return claims


@pytest.fixture
def cores(monkeypatch: pytest.MonkeyPatch) -> Cores:
    fresh = Cores()
    monkeypatch.setattr(binding, "CORES", fresh)
    return fresh


@two_cores
def test_each_permit_has_a_core_of_its_own(cores: Cores) -> None:
    claims = holding(len(ALL))
    assert {cores.core(claim) for claim in claims} == ALL
    with Bound(claims[0]) as bound:
        bound.before()
        assert os.sched_getaffinity(0) == {cores.core(claims[0])}
        bound.after()
    assert os.sched_getaffinity(0) == ALL


@two_cores
def test_who_gets_another_permit_moves(cores: Cores) -> None:
    first, second = holding(2) if len(ALL) == 2 else holding(len(ALL))[:2]
    with Bound(first) as bound:
        bound.before()
        before = os.sched_getaffinity(0)
        second.leave()
        other = first.permit
        first.leave()
        assert first.permit is None
        bound.before()
        assert os.sched_getaffinity(0) == ALL  # without a permit, for the moment it takes to end
        first._scheduler.enter(first)
        first._scheduler.enter(second)
        bound.before()
        assert os.sched_getaffinity(0) == {cores.core(first)}
        assert (os.sched_getaffinity(0) == before) == (first.permit == other)
    assert os.sched_getaffinity(0) == ALL


@two_cores
def test_the_permits_of_a_process_that_has_other_cores_bind_nobody(cores: Cores) -> None:
    for permits in (1, len(ALL) + 1):
        with Bound(holding(permits)[0]) as bound:
            bound.before()
            bound.after()
            assert os.sched_getaffinity(0) == ALL
    with Bound(None) as bound:
        bound.before()
        bound.after()
        assert os.sched_getaffinity(0) == ALL


@two_cores
def test_nobody_is_bound_for_a_while_where_others_need_the_cores(cores: Cores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "LOOSE_SECONDS", 0.2)
    claim = holding(len(ALL))[0]
    for _ in range(5):
        cores.note(0.0, 0.01)
    assert cores.core(claim) is not None  # a moment says nothing
    slices = 0
    while cores.core(claim) is not None:
        cores.note(0.002, 0.01)
        slices += 1
    assert 1 < slices < 200
    with Bound(claim) as bound:
        bound.before()
        assert os.sched_getaffinity(0) == ALL
        time.sleep(0.25)
        bound.before()
        assert os.sched_getaffinity(0) == {cores.core(claim)}
    for _ in range(200):
        cores.note(LEAST_SHARE * 0.011, 0.01)
    assert cores.core(claim) is not None  # just enough


@two_cores
def test_who_was_placed_by_somebody_else_stays_there(cores: Cores) -> None:
    """An operator's `taskset` on a server that runs."""
    first, *_ = holding(len(ALL))
    only = {min(ALL)}
    try:
        os.sched_setaffinity(0, only)
        with Bound(first) as bound:
            bound.before()
            bound.after()
            assert os.sched_getaffinity(0) == only
        assert os.sched_getaffinity(0) == only
        assert cores.core(first) is None
    finally:
        os.sched_setaffinity(0, ALL)


@two_cores
def test_a_thread_that_a_bound_one_has_started_is_not_bound(cores: Cores) -> None:
    found = []

    def look() -> None:
        before = os.sched_getaffinity(0)
        unbind()
        found.append((before, os.sched_getaffinity(0)))

    with Bound(holding(len(ALL))[0]) as bound:
        bound.before()
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    ((before, after),) = found
    assert len(before) == 1
    assert after == ALL


@two_cores
def test_the_share_of_a_core_is_measured(cores: Cores) -> None:
    claim = holding(len(ALL))[0]

    def share(work: Callable[[], object]) -> float:
        cores._share = 1.0
        with Bound(claim) as bound:
            bound.before()
            work()
            bound.after()
        return cores._share

    assert share(lambda: time.sleep(0.05)) == pytest.approx(1 - binding.WEIGHT, abs=0.01)
    assert share(lambda: sum(range(2_000_000))) > 1 - binding.WEIGHT / 2


def test_a_system_that_forbids_it_is_left_alone(cores: Cores, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", forbidden)
    claim = holding(len(ALL))[0]
    with Bound(claim) as bound:
        bound.before()
        bound.after()
    assert cores.core(claim) is None


@two_cores
def test_a_thread_that_somebody_keeps_on_the_permits_own_core_stays_there(cores: Cores) -> None:
    claims = holding(len(ALL))
    chosen = {cores.core(claims[0])}
    os.sched_setaffinity(0, {core for core in chosen if core is not None})
    try:
        with Bound(claims[0]) as bound:
            bound.before()
            bound.after()
            bound.before()
        assert os.sched_getaffinity(0) == chosen
        assert not cores.usable
    finally:
        os.sched_setaffinity(0, ALL)
