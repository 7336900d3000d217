"""Many searches on few cores, on a real socket: deep ones give way to hints, late ones are refused at the door, and
whoever was admitted is answered."""

import asyncio
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from test_server import ask, code_of, connect, metric, settings, status_of, wait_for
from wire import advisor, new, new_heart, observe, play

from advisor import servicer
from advisor.errors import OVERLOADED, PUSHBACK_KEY, QUEUE_FULL, AdvisorError
from advisor.metrics import Metrics
from advisor.pool import Ask, Job, SearchPool
from advisor.rates import Rates
from advisor.server import ServerThread
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from search.request import Algorithm, Limits, Options

pytestmark = pytest.mark.apart

DEEP_SECONDS = 1.5
HINTS = 12


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings()) as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


def pool(workers: int = 1, queue_length: int = 8, max_wait_seconds: float = 600.0) -> SearchPool:
    return SearchPool(
        workers, queue_length, 0.25, Metrics([], workers, queue_length), 0, max_wait_seconds=max_wait_seconds
    )


def test_deep_searches_do_not_starve_hints(server: ServerThread, position: position_pb2.Position) -> None:
    """Four searches of 1.5 s on two workers, and all the while hints of 20 ms."""
    with connect(server.address) as stub:
        deep = [stub.Advise.future(ask(position, DEEP_SECONDS), timeout=30) for _ in range(4)]
        wait_for(lambda: metric(server, "advisor_workers_busy") == 2)
        waited = []
        for _ in range(HINTS):
            hint = stub.Advise(ask(position, 0.02), timeout=30)
            waited.append(hint.timing.queued_ms)
            assert hint.simulations > 0
        answers = [answer.result() for answer in deep]
    # Without slices each would have waited for the end of a deep one: for a second and more.
    assert statistics.median(waited) < 200
    assert metric(server, "advisor_preemptions_total") >= 2
    assert all(answer.stop_reason == advice_pb2.STOP_REASON_TIME for answer in answers)
    paused = "advisor_request_seconds_sum"
    assert metric(server, paused, part="paused") > 0


def test_exact_searches_give_way_too(server: ServerThread) -> None:
    position = play(new_heart(2), 12, 3)
    seat = advisor().observe(pb.ObserveRequest(position=position, seat=0)).status.pending[0]
    deep = pb.AdviseRequest(position=position, seat=seat)
    deep.options.algorithm = advice_pb2.ALGORITHM_EXPECTIMAX
    deep.limits.depth = 6
    deep.limits.time.FromMilliseconds(1500)
    before = metric(server, "advisor_preemptions_total")
    hint = pb.AdviseRequest(position=position, seat=seat)
    hint.limits.time.FromMilliseconds(20)
    with connect(server.address) as stub:
        running = [stub.Advise.future(deep, timeout=30) for _ in range(2)]
        wait_for(lambda: metric(server, "advisor_workers_busy") == 2)
        waited = [stub.Advise(hint, timeout=30).timing.queued_ms for _ in range(5)]
        for answer in running:
            assert answer.result().algorithm == advice_pb2.ALGORITHM_EXPECTIMAX
    assert min(waited) < 300
    assert metric(server, "advisor_preemptions_total") > before


def test_a_search_that_gives_way_has_the_same_answer(server: ServerThread, position: position_pb2.Position) -> None:
    request = ask(position, simulations=20_000)
    request.options.trees = request.options.threads = 2
    with connect(server.address) as stub:
        alone = stub.Advise(request, timeout=30)
        request.options.seed = 0
        crowd = [stub.Advise.future(ask(position, 0.02), timeout=30) for _ in range(20)]
        among = stub.Advise(request, timeout=30)
        for answer in crowd:
            answer.result()
    alone.ClearField("timing")
    among.ClearField("timing")
    assert alone == among


def test_more_threads_than_workers_take_turns(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1)) as server, connect(server.address) as stub:
        request = ask(position, simulations=20_000)
        request.options.trees = request.options.threads = 3
        answer = stub.Advise(request, timeout=30)
        assert answer.simulations == 20_000
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)


def test_what_would_be_late_is_refused_at_the_door(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1, retry_seconds=0.5)) as server, connect(server.address) as stub:
        begun = time.monotonic()
        calls = [stub.Advise.future(ask(position, 0.4), timeout=1.0) for _ in range(8)]
        refused, answered = [], []
        for call in calls:
            try:
                answered.append(call.result())
            except grpc.RpcError as error:
                refused.append(error)
        assert len(answered) >= 2
        assert refused
        for refusal in refused:
            code, status, trailers = status_of(refusal)
            assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            assert status.details[0].Unpack(info)
            assert info.reason == OVERLOADED
            assert status.details[1].Unpack(retry)
            assert int(trailers[PUSHBACK_KEY]) >= 500
        assert all(answer.simulations > 0 for answer in answered)
        assert metric(server, "advisor_rejected_total", reason="overloaded") == len(refused)
        assert time.monotonic() - begun < 20


async def test_who_was_admitted_begins_in_time_to_answer() -> None:
    """One worker, held by what never rests: the next one begins at its last call all the same."""
    searches, release = pool(), threading.Event()
    try:
        holder = asyncio.ensure_future(searches.run(Job(), lambda: release.wait(20), Ask(seconds=0.0)))
        await asyncio.sleep(0.05)
        begun = time.monotonic()
        assert await searches.run(Job(), lambda: "answer", Ask(seconds=0.1, deadline=begun + 0.3)) == "answer"
        assert 0.2 < time.monotonic() - begun < 10
        assert not holder.done()
        release.set()
        assert await holder
    finally:
        release.set()
        searches.close()


async def test_waits_are_reckoned_by_how_long_they_were_lately() -> None:
    """Where each search takes twice the time that it asks for, a queue that would just do is too long."""
    searches = pool(queue_length=80)
    try:

        def work() -> None:
            time.sleep(0.02)

        async def queue(length: int) -> None:
            waiting = [asyncio.ensure_future(searches.run(Job(), work, Ask(seconds=0.01))) for _ in range(length)]
            await asyncio.sleep(0)
            deadline = time.monotonic() + (length + 10) * 0.01
            try:
                await searches.run(Job(), work, Ask(seconds=0.01, deadline=deadline))
            finally:
                await asyncio.wait(waiting)

        await queue(40)
        for _ in range(2):
            with suppress(AdvisorError):
                await queue(40)
        with pytest.raises(AdvisorError) as caught:
            await queue(40)
        assert caught.value.reason == OVERLOADED
    finally:
        searches.close()


async def test_a_flood_leaves_the_last_of_the_queue_to_others() -> None:
    searches, release = pool(queue_length=8), threading.Event()
    jobs = []

    def enter(client: str) -> "asyncio.Task[object]":
        job = asyncio.ensure_future(searches.run(Job(), lambda: release.wait(20), Ask(client)))
        jobs.append(job)
        return job

    try:
        for client in ["flood"] * 5 + ["other"]:
            enter(client)
        await asyncio.sleep(0.01)
        enter("flood")
        refused = [enter("flood") for _ in range(4)]
        await asyncio.sleep(0.01)
        assert all(isinstance(job.exception(), AdvisorError) for job in refused)
        error = refused[0].exception()
        assert isinstance(error, AdvisorError)
        assert error.reason == QUEUE_FULL
        admitted = [enter("other") for _ in range(2)]
        await asyncio.sleep(0.01)
        assert not any(job.done() for job in admitted)
        full = enter("third")
        await asyncio.sleep(0.01)
        assert isinstance(full.exception(), AdvisorError)
        release.set()
        await asyncio.gather(*jobs, return_exceptions=True)
    finally:
        release.set()
        searches.close()


async def test_without_a_deadline_the_wait_is_bounded() -> None:
    searches, release = pool(max_wait_seconds=5.0), threading.Event()
    try:
        jobs = [
            asyncio.ensure_future(searches.run(Job(), lambda: release.wait(20), Ask(seconds=3.0))) for _ in range(2)
        ]
        await asyncio.sleep(0.01)
        with pytest.raises(AdvisorError) as caught:
            await searches.run(Job(), lambda: None, Ask(seconds=3.0))
        assert caught.value.reason == OVERLOADED
        assert caught.value.retry_after is not None
        assert caught.value.retry_after >= 0.25
        release.set()
        await asyncio.gather(*jobs)
    finally:
        release.set()
        searches.close()


def test_a_drain_answers_what_sleeps(position: position_pb2.Position) -> None:
    """Deep searches of which half sleep; the grace is short, so all are hurried and answered with what they have."""
    with ServerThread(settings(workers=1, grace_seconds=1.0)) as server, connect(server.address) as stub:
        deep = [stub.Advise.future(ask(position, 60), timeout=120) for _ in range(2)]
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        hint = stub.Advise.future(ask(position, 30), timeout=120)
        wait_for(lambda: metric(server, "advisor_searches_paused") >= 1)
        stop = asyncio.run_coroutine_threadsafe(server.running.drain(), server.loop)
        outcomes: list[object] = []
        for call in (*deep, hint):
            try:
                outcomes.append(call.result().stop_reason)
            except grpc.RpcError as error:
                outcomes.append(code_of(error))
        stop.result(timeout=20)
    # One of the deep ones may never have begun: then there is nothing to answer with.
    assert outcomes.count(advice_pb2.STOP_REASON_DEADLINE) >= 2
    assert set(outcomes) <= {advice_pb2.STOP_REASON_DEADLINE, grpc.StatusCode.UNAVAILABLE}


# Refusals before anything is read, and searches too short for a thread.


def asked_at_once(stub: Any, request: pb.AdviseRequest) -> grpc.StatusCode:
    try:
        stub.Advise(request, timeout=1.5)
    except grpc.RpcError as error:
        return code_of(error)
    return grpc.StatusCode.OK


def watched(stub: Any, request: pb.AdviseRequest) -> grpc.StatusCode:
    try:
        list(stub.WatchAdvice(pb.WatchAdviceRequest(advise=request), timeout=1.5))
    except grpc.RpcError as error:
        return code_of(error)
    return grpc.StatusCode.OK


def asked_in_a_batch(stub: Any, request: pb.AdviseRequest) -> grpc.StatusCode:
    (answer,) = stub.AdviseBatch(iter([pb.AdviseBatchRequest(id="1", advise=request)]), timeout=1.5)
    codes = {code.value[0]: code for code in grpc.StatusCode}
    return codes[answer.failure.code] if answer.HasField("failure") else grpc.StatusCode.OK


@pytest.mark.parametrize("outcome", [asked_at_once, watched, asked_in_a_batch])
@pytest.mark.parametrize("small", [False, True], ids=["takes long to read", "is read at once"])
def test_what_is_hopeless_is_refused_before_it_is_read(
    position: position_pb2.Position,
    outcome: Callable[[Any, pb.AdviseRequest], grpc.StatusCode],
    small: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But for what is small: there, who has two faults hears of the one that is his."""
    if not small:
        monkeypatch.setattr(servicer, "SMALL_BYTES", 100)
    wrong = ask(position, 2.0)
    wrong.position.ocean.table.round = 12
    known = brief(position, advice_pb2.ALGORITHM_MCTS, 100)
    known.options.priority = -9
    with ServerThread(settings(workers=1, cache_bytes=1 << 20)) as server, connect(server.address) as stub:
        assert outcome(stub, wrong) is grpc.StatusCode.INVALID_ARGUMENT
        assert outcome(stub, known) is grpc.StatusCode.OK
        # Three seconds of searches that are due before it.
        long = [stub.Advise.future(ask(position, 1.0), timeout=30) for _ in range(3)]
        wait_for(lambda: metric(server, "advisor_queue_length") == 2)
        refused, invalid = grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT
        assert outcome(stub, ask(position, 2.0)) is refused
        assert outcome(stub, wrong) is (invalid if small else refused)
        assert outcome(stub, known) is grpc.StatusCode.OK  # its answer is kept
        wrong.limits.time.FromSeconds(-1)  # a limit that is wrong is told all the same
        assert outcome(stub, wrong) is grpc.StatusCode.INVALID_ARGUMENT
        for call in long:
            call.cancel()


def test_what_is_hopeless_has_no_rules_compiled(position: position_pb2.Position) -> None:
    """That takes milliseconds, on the loop, and pushes out what others play by."""
    other = ask(play(new(2, "targets"), 1), 2.0)
    other.position.ocean.table.round = 12
    with ServerThread(settings(workers=1)) as server, connect(server.address) as stub:
        long = [stub.Advise.future(ask(position, 1.0), timeout=30) for _ in range(3)]
        wait_for(lambda: metric(server, "advisor_queue_length") == 2)
        for outcome in (asked_at_once, watched, asked_in_a_batch):
            assert outcome(stub, other) is grpc.StatusCode.RESOURCE_EXHAUSTED
        for call in long:
            call.cancel()


def test_time_for_a_turn_is_looked_at_before_a_refusal(position: position_pb2.Position) -> None:
    """It may be much shorter than the deadline, and then comes before what waits."""
    with ServerThread(settings(workers=1)) as server, connect(server.address) as stub:
        deep = [stub.Advise.future(ask(position, 0.6), timeout=30) for _ in range(5)]
        wait_for(lambda: metric(server, "advisor_queue_length") == 4)
        request = pb.ChooseMoveRequest(position=position, seat=1)
        request.limits.memory_bytes = 1 << 20
        request.turn_time.FromMilliseconds(150)
        assert stub.ChooseMove(request, timeout=1.5).moves
        for call in deep:
            call.cancel()


def brief(position: position_pb2.Position, algorithm: advice_pb2.Algorithm, simulations: int) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=1)
    request.limits.simulations = simulations
    request.options.algorithm = algorithm
    return request


def test_a_brief_search_needs_no_thread(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1)) as server, connect(server.address) as stub:
        threads: list[str] = []
        run = server.running._servicer._advisor._run

        def noted(*arguments: Any) -> Any:
            threads.append(threading.current_thread().name)
            return run(*arguments)

        server.running._servicer._advisor._run = noted  # type: ignore[method-assign,assignment]
        loop = server._thread.name
        mcts, auto = advice_pb2.ALGORITHM_MCTS, advice_pb2.ALGORITHM_UNSPECIFIED
        for algorithm, simulations, here in (
            (advice_pb2.ALGORITHM_GREEDY, 10, True),
            (advice_pb2.ALGORITHM_RANDOM, 10, True),
            (mcts, 10, False),  # nobody knows yet how fast they are
            (mcts, 1000, False),
            (mcts, 11, True),
            (mcts, 10**5, False),
            (auto, 10, False),  # which may find that it can solve the rest
            (advice_pb2.ALGORITHM_EXPECTIMAX, 10, False),
        ):
            threads.clear()
            request = brief(position, algorithm, simulations)
            request.limits.time.FromMilliseconds(300)
            answer = stub.Advise(request, timeout=30)
            assert (threads == [loop]) == here, (algorithm, simulations, threads)
            assert answer.timing.total_ms > 0
        # And none takes the loop while another search runs.
        long = stub.Advise.future(ask(position, 1.0), timeout=30)
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        threads.clear()
        stub.Advise(brief(position, mcts, 12), timeout=30)
        assert loop not in threads
        long.cancel()


def test_only_the_slowest_rate_tells_what_is_brief() -> None:
    """A game's end is fiftyfold faster than its start: many fast searches make no slow one brief."""
    rates, way, other = Rates(), b"way", b"other"
    limits, mcts = Limits(simulations=300), Options(Algorithm.MCTS)
    assert not rates.brief(way, limits, mcts, 10)
    rates.note_slowest(way, Algorithm.MCTS, 3000, 0.01)
    assert rates.brief(way, limits, mcts, 10)
    assert not rates.brief(way, limits, mcts, 50)  # which all have to be ranked
    assert not rates.brief(other, limits, mcts, 10)
    assert not rates.brief(way, limits, Options(Algorithm.UCT), 10)
    assert not rates.brief(way, limits, Options(Algorithm.MCTS, trees=2), 10)
    assert not rates.brief(way, Limits(seconds=0.001), mcts, 10)
    rates.note_slowest(way, Algorithm.MCTS, 300, 0.03)
    for _ in range(20):
        rates.note_slowest(way, Algorithm.MCTS, 3000, 0.01)
        assert not rates.brief(way, limits, mcts, 10)
    for _ in range(2000):
        rates.note_slowest(way, Algorithm.MCTS, 3000, 0.01)
    assert rates.brief(way, limits, mcts, 10)
