"""The threads that answer stay on one core, unless somebody else needs it or has placed them."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_server import child, wait_for

from advisor import together
from advisor.client import Client
from advisor.threadtimes import Times
from advisor.together import Together
from advisor.v1 import advisor_service_pb2 as pb
from search.binding import CORES

pytestmark = [
    pytest.mark.apart,
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one core there is nothing to choose"),
]


class Threads:
    """Two threads that wait, and what the system is made to say of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.end = threading.Event()
        self.threads = [threading.Thread(target=self.end.wait) for _ in range(2)]
        for thread in self.threads:
            thread.start()
        self.ids = [thread.native_id for thread in self.threads if thread.native_id is not None]
        self.times: Times | None = Times()
        self.now = time.monotonic()
        monkeypatch.setattr(together, "read_times", lambda thread: self.times)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def placed(self) -> list[set[int]]:
        return [os.sched_getaffinity(thread) for thread in self.ids]

    def pass_second(self, ran: float, waited: float) -> None:
        assert self.times is not None
        self.now += 1
        self.times = self.times.plus(Times(int(ran * 1e9), int(waited * 1e9)))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Threads]:
    made = Threads(monkeypatch)
    yield made
    made.end.set()
    for thread in made.threads:
        thread.join()


ANYWHERE = [set(CORES.all)] * 2


def test_threads_are_bound_to_the_core_that_the_first_runs_on(threads: Threads) -> None:
    os.sched_setaffinity(threads.ids[0], CORES.all)
    kept = Together(threads.ids)
    kept.look()
    assert kept.core in CORES.all
    assert threads.placed() == [{kept.core}] * 2


@pytest.mark.parametrize(
    ("ran", "waited", "stays"),
    [(0.5, 0.06, True), (0.5, 0.13, False), (0.01, 0.03, True), (0.01, 0.06, False), (0.0, 0.0, True)],
)
def test_threads_that_wait_for_their_core_are_let_go(threads: Threads, ran: float, waited: float, stays: bool) -> None:
    kept = Together(threads.ids)
    kept.look()
    threads.pass_second(ran, waited)
    kept.look()
    assert (kept.core is not None) == stays
    assert (threads.placed() == ANYWHERE) == (not stays)


def test_few_calls_are_judged_by_when_there_are_enough_of_them(threads: Threads) -> None:
    kept = Together(threads.ids)
    kept.look()
    for stays in (True, True, False):
        threads.pass_second(0.005, 0.015)
        kept.look()
        assert (kept.core is not None) == stays


def test_a_process_that_somebody_keeps_on_the_same_core_stays_there(threads: Threads) -> None:
    kept = Together(threads.ids)
    kept.look()
    assert kept.core is not None
    everybody = [int(task.name) for task in Path("/proc/self/task").iterdir()]
    before = {task: os.sched_getaffinity(task) for task in everybody}
    try:
        for task in everybody:
            os.sched_setaffinity(task, {kept.core})
        here = kept.core
        for _ in range(20):
            threads.pass_second(0.1, 0.9)
            kept.look()
            assert threads.placed() == [{here}] * 2
    finally:
        for task, cores in before.items():
            os.sched_setaffinity(task, cores)


def test_where_searching_threads_are_placed_by_somebody_nothing_stays_bound(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Together(threads.ids)
    kept.look()
    monkeypatch.setattr(CORES, "_usable", False)
    kept.look()
    assert threads.placed() == ANYWHERE
    monkeypatch.setattr(CORES, "_usable", True)
    kept.look()
    assert threads.placed() == ANYWHERE


def test_threads_that_were_let_go_stay_together_again_after_a_while(threads: Threads) -> None:
    kept = Together(threads.ids)
    kept.look()
    threads.pass_second(0.1, 0.2)
    kept.look()
    for _ in range(9):
        threads.pass_second(0.1, 0.0)
        kept.look()
        assert kept.core is None
    threads.pass_second(0.1, 0.2)  # while they ran anywhere: of no account
    kept.look()
    assert kept.core is not None
    threads.pass_second(0.1, 0.0)
    kept.look()
    assert threads.placed() == [{kept.core}] * 2


@pytest.mark.parametrize("bound", [False, True])
def test_threads_that_somebody_else_places_are_left_alone(threads: Threads, bound: bool) -> None:
    kept = Together(threads.ids)
    if bound:
        kept.look()
    chosen = {CORES.all[0]} if kept.core != CORES.all[0] else {CORES.all[1]}
    os.sched_setaffinity(threads.ids[1], chosen)
    for _ in range(20):
        threads.pass_second(0.1, 0.9)
        kept.look()
        assert threads.placed()[1] == chosen


def test_a_system_that_tells_no_times_lets_them_stay(threads: Threads) -> None:
    threads.times = None
    kept = Together(threads.ids)
    kept.look()
    kept.look()
    assert kept.core is not None


def test_a_thread_that_has_ended_is_no_fault(threads: Threads) -> None:
    kept = Together([*threads.ids, 2**22 + 1])
    kept.look()
    kept.look()
    assert kept.core is None


DRAINING = """
import asyncio, os, signal
from advisor import server, together
from advisor.settings import Settings

server.LOOK_SECONDS = 0.05
tasks = []

async def watch(running):
    while len(os.sched_getaffinity(0)) > 1:
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0.2)
    together.TELLING, together.MOST_WAITED = 0, -1  # whatever the loop does, it waits too much
    for _ in range(100):
        await asyncio.sleep(0.02)
        if len(os.sched_getaffinity(0)) > 1:
            print("let go")
            break

settings = Settings(port=0, metrics_port=0, log_level="error", notice_seconds=2)
asyncio.run(server.run_until_signal(settings, lambda running: tasks.append(asyncio.ensure_future(watch(running)))))
"""


def test_a_server_that_is_to_go_looks_as_long_as_it_takes_calls() -> None:
    ran = subprocess.run([sys.executable, "-c", DRAINING], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "let go\n"


def test_a_server_keeps_loop_and_poller_on_one_core_and_nothing_else() -> None:
    with child("--workers", "2", "--log-level", "warning") as server:
        folder = Path(f"/proc/{server.process.pid}/task")

        def bound() -> dict[int, set[int]]:
            found = {int(task.name): os.sched_getaffinity(int(task.name)) for task in folder.iterdir()}
            return {task: cores for task, cores in found.items() if len(cores) == 1}

        wait_for(lambda: len(bound()) == 2)
        cores = bound()
        assert server.process.pid in cores  # the loop's thread is the first one
        assert len(set(map(frozenset, cores.values()))) == 1
        with Client(server.address, timeout=30) as client:
            # Threads that the loop starts: one that reads, and one that searches.
            new = pb.NewPositionRequest(game="ocean", seats=4, seed=1)
            position = client.new_position(new).position
            request = pb.AdviseRequest(position=position)
            request.limits.simulations = 20_000
            client.advise(request)
            assert set(bound()) == set(cores)
