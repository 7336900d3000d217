"""WatchAdvice on a real socket: interim rankings, one final answer, slow clients, cancelled and broken calls."""

import time
from collections.abc import Iterator
from typing import Any

import grpc
import grpc.aio
import pytest
from test_server import connect, metric, settings, status_of, wait_for
from wire import advisor, new, observe, play

from advisor.calls import write
from advisor.client import AsyncClient
from advisor.errors import CANCELLED, AdvisorError
from advisor.remote import RemoteAdvisor
from advisor.server import ServerThread, serve
from advisor.v1 import advice_pb2, advisor_service_pb2_grpc, position_pb2
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings()) as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


def watch(
    position: position_pb2.Position, seconds: float = 0.0, simulations: int = 0, interval: float = 0.02
) -> pb.WatchAdviceRequest:
    request = pb.WatchAdviceRequest()
    request.advise.position.CopyFrom(position)
    request.advise.seat = 1
    if seconds:
        request.advise.limits.time.FromMilliseconds(round(seconds * 1000))
    if simulations:
        request.advise.limits.simulations = simulations
    request.interval.FromMilliseconds(round(interval * 1000))
    return request


def without_timing(answer: pb.AdviseResponse) -> bytes:
    answer.ClearField("timing")
    return answer.SerializeToString(deterministic=True)


def test_interim_answers_and_one_final(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        got = list(stub.WatchAdvice(watch(position, 0.6), timeout=10))
    assert [one.final for one in got] == [False] * (len(got) - 1) + [True]
    assert len(got) >= 4
    *interim, final = [one.advice for one in got]
    assert final.stop_reason == advice_pb2.STOP_REASON_TIME
    for one in interim:
        assert one.stop_reason == advice_pb2.STOP_REASON_UNSPECIFIED
        assert len(one.moves) == 8
        assert one.timing.request_id == final.timing.request_id
        assert not one.exact
    counts = [one.simulations for one in (*interim, final)]
    assert counts == sorted(counts)
    assert counts[0] > 0


def test_the_final_answer_is_that_of_advise(server: ServerThread, position: position_pb2.Position) -> None:
    request = watch(position, simulations=20_000)
    request.advise.options.trees = 2
    request.advise.options.seed = 5
    with connect(server.address) as stub:
        *_, last = stub.WatchAdvice(request, timeout=30)
        alone = stub.Advise(request.advise, timeout=30)
    assert last.final
    expected = without_timing(alone)
    assert without_timing(last.advice) == expected
    *_, here = advisor().watch(request)
    assert here.final
    assert without_timing(here.advice) == expected


def test_what_does_not_search_is_answered_once(server: ServerThread, position: position_pb2.Position) -> None:
    request = watch(position)
    request.advise.options.algorithm = advice_pb2.ALGORITHM_GREEDY
    with connect(server.address) as stub:
        (only,) = stub.WatchAdvice(request, timeout=10)
    assert only.final
    assert only.advice.stop_reason == advice_pb2.STOP_REASON_IMMEDIATE


def test_a_slow_client_gets_at_most_one_answer_an_interval(
    server: ServerThread, position: position_pb2.Position
) -> None:
    skipped = metric(server, "advisor_interim_answers_skipped_total")
    narrow = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(server.address, options=narrow) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        answers = stub.WatchAdvice(watch(position, 1.5), timeout=20)
        first = next(answers)
        time.sleep(1.6)
        # The search has ended in its own time, whatever the client takes.
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
        rest = list(answers)
    assert not first.final
    assert rest[-1].final
    assert sum(one.final for one in rest) == 1
    assert len(rest) <= 1.5 / 0.02
    assert rest[-1].advice.simulations >= max(one.advice.simulations for one in rest)
    assert metric(server, "advisor_interim_answers_skipped_total") > skipped


def test_a_client_that_never_reads_is_cut_off_by_its_deadline(
    server: ServerThread, position: position_pb2.Position
) -> None:
    before = metric(server, "advisor_requests_total", rpc="WatchAdvice")
    with grpc.insecure_channel(server.address, options=[("grpc.http2.lookahead_bytes", 1024)]) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        answers = stub.WatchAdvice(watch(position, 60), timeout=1)
        time.sleep(1.1)
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
        wait_for(lambda: metric(server, "advisor_requests_total", rpc="WatchAdvice") == before + 1)
        answers.cancel()
    assert metric(server, "advisor_requests_in_flight") == 0


def test_cancel_and_disconnect_stop_the_work(server: ServerThread, position: position_pb2.Position) -> None:
    before = metric(server, "advisor_requests_total", rpc="WatchAdvice", code="CANCELLED")
    for leave in ("cancel", "close"):
        channel = grpc.insecure_channel(server.address)
        answers = advisor_service_pb2_grpc.AdvisorServiceStub(channel).WatchAdvice(watch(position, 60))
        assert not next(answers).final
        if leave == "cancel":
            answers.cancel()
        else:
            channel.close()
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
        channel.close()
    wait_for(lambda: metric(server, "advisor_requests_total", rpc="WatchAdvice", code="CANCELLED") == before + 2)
    assert metric(server, "advisor_requests_in_flight") == 0


def test_a_near_deadline_is_answered(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        *_, last = stub.WatchAdvice(watch(position, 60), timeout=0.4)
    assert last.final
    assert last.advice.stop_reason == advice_pb2.STOP_REASON_DEADLINE


def test_errors_come_as_errors(server: ServerThread, position: position_pb2.Position) -> None:
    request = watch(position, 1)
    request.advise.seat = 2
    with connect(server.address) as stub, pytest.raises(grpc.RpcError) as caught:
        list(stub.WatchAdvice(request, timeout=10))
    code, _, trailers = status_of(caught.value)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "sirenia-request-id" in trailers
    assert metric(server, "advisor_requests_in_flight") == 0


def test_a_full_queue_is_refused(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1, queue_length=0)) as small, connect(small.address) as stub:
        answers = stub.WatchAdvice(watch(position, 60))
        next(answers)
        with pytest.raises(grpc.RpcError) as caught:
            list(stub.WatchAdvice(watch(position, 60), timeout=10))
        assert status_of(caught.value)[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
        answers.cancel()


async def test_many_watchers(position: position_pb2.Position) -> None:
    async with serve(settings()) as running, AsyncClient(running.address) as client:
        streams = [client.watch(watch(position, 0.3, interval=0.05)) for _ in range(6)]
        for stream in streams:
            *_, last = [one async for one in stream]
            assert last.final


def test_metrics(server: ServerThread, position: position_pb2.Position) -> None:
    before = metric(server, "advisor_interim_answers_total", game="ocean")
    with RemoteAdvisor(server.address) as remote:
        got = list(remote.watch(watch(position, 0.3)))
    wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)
    assert metric(server, "advisor_interim_answers_total", game="ocean") == before + len(got) - 1


def test_without_a_server(position: position_pb2.Position) -> None:
    answers = advisor().watch(watch(position, 60))
    assert not next(answers).final
    begun = time.monotonic()
    answers.close()  # type: ignore[attr-defined]  # a generator
    assert time.monotonic() - begun < 1


async def test_a_write_that_finds_the_client_gone_is_a_cancel_and_no_fault_of_ours() -> None:
    class Gone:
        async def write(self, message: object) -> None:
            raise grpc.aio.InternalError("the call has ended")

    context: Any = Gone()
    with pytest.raises(AdvisorError) as caught:
        await write(context, pb.WatchAdviceResponse())
    assert caught.value.reason == CANCELLED
