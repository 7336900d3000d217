"""The server on a real socket: health, deadlines, cancellation, admission, drain, metrics, errors."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from wire import advisor, new, observe, play

from advisor.advice import Advice
from advisor.calls import rounded_up
from advisor.errors import DETAILS_KEY, PUSHBACK_KEY, AdvisorError
from advisor.pool import Job, SearchPool
from advisor.remote import RemoteAdvisor
from advisor.server import SERVICE, ServerThread, serve
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advice_pb2, advisor_service_pb2_grpc, position_pb2
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
PATIENCE = 5.0
"""Seconds after which something that should have happened has not."""


def settings(**changed: Any) -> Settings:
    """Of a server for tests, whose answers have some time to come back in: the machine may have other things to do.

    It keeps no answers, so that equal requests are searched for each time.
    """
    chosen = {
        "port": 0, "metrics_port": 0, "workers": 2, "log_level": "error", "deadline_margin_seconds": 0.1,
        "cache_bytes": 0,
    }  # fmt: skip
    return Settings(**{**chosen, **changed})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings()) as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


def ask(position: position_pb2.Position, seconds: float = 0.0, simulations: int = 0) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=1)
    if seconds:
        request.limits.time.FromMilliseconds(round(seconds * 1000))
    if simulations:
        request.limits.simulations = simulations
    return request


@contextmanager
def connect(address: str) -> Iterator[advisor_service_pb2_grpc.AdvisorServiceStub]:
    with grpc.insecure_channel(address) as channel:
        yield advisor_service_pb2_grpc.AdvisorServiceStub(channel)


def wait_for(condition: Callable[[], bool]) -> float:
    """Seconds until the condition holds."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.001)
    return time.monotonic() - begun


def total(families: Iterable[Metric], name: str, labels: dict[str, str]) -> float:
    """The sum of the samples of that name that carry these labels."""
    samples = [sample for family in families for sample in family.samples]
    return sum(
        sample.value for sample in samples if sample.name == name and labels.items() <= dict(sample.labels).items()
    )


def metric(server: ServerThread, name: str, **labels: str) -> float:
    """The same of a server in this process."""
    return total(server.running.metrics.registry.collect(), name, labels)


def code_of(error: Any) -> grpc.StatusCode:
    code: grpc.StatusCode = error.code()  # an error of a call is the call as well
    return code


def status_of(error: Any) -> tuple[grpc.StatusCode, status_pb2.Status, dict[str, Any]]:
    trailers = dict(error.trailing_metadata() or ())
    return error.code(), status_pb2.Status.FromString(trailers[DETAILS_KEY]), trailers


# Health and reflection.


def test_health(server: ServerThread) -> None:
    with grpc.insecure_channel(server.address) as channel:
        checks: Any = health_pb2_grpc.HealthStub(channel)
        for name in ("", SERVICE):
            assert checks.Check(health_pb2.HealthCheckRequest(service=name), timeout=5).status == SERVING
        with pytest.raises(grpc.RpcError) as caught:
            checks.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=5)
        assert code_of(caught.value) == grpc.StatusCode.NOT_FOUND


def reflected(address: str) -> set[str]:
    with grpc.insecure_channel(address) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        answers = [answer.list_services_response for answer in stub.ServerReflectionInfo(asked)]
        return {service.name for answer in answers for service in answer.service}


def test_reflection_is_off_unless_asked_for(server: ServerThread) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        reflected(server.address)
    assert code_of(caught.value) == grpc.StatusCode.UNIMPLEMENTED


def test_reflection_on() -> None:
    with ServerThread(settings(reflection=True, metrics=False)) as server:
        assert SERVICE in reflected(server.address)
        assert server.metrics_port is None


def test_health_while_all_workers_search(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub, grpc.insecure_channel(server.address) as channel:
        checks: Any = health_pb2_grpc.HealthStub(channel)
        searches = [stub.Advise.future(ask(position, 0.5)) for _ in range(2)]
        wait_for(lambda: metric(server, "advisor_workers_busy") == 2)
        begun = time.monotonic()
        for _ in range(10):
            assert checks.Check(health_pb2.HealthCheckRequest(), timeout=5).status == SERVING
        assert time.monotonic() - begun < 0.5
        for search in searches:
            assert search.result().stop_reason == advice_pb2.STOP_REASON_TIME


# Answers.


def test_the_same_bytes_as_without_a_server(server: ServerThread, position: position_pb2.Position) -> None:
    request = ask(position, simulations=500)
    request.options.trees = 2
    with RemoteAdvisor(server.address) as remote:
        answers = [remote.advise(request), remote.advise(request), advisor().advise(request)]
    for answer in answers:
        assert answer.timing.searched_ms > 0
        answer.ClearField("timing")
    assert answers[0].SerializeToString(deterministic=True) == answers[1].SerializeToString(deterministic=True)
    assert answers[0] == answers[2]


def test_timing_is_filled(server: ServerThread, position: position_pb2.Position) -> None:
    with RemoteAdvisor(server.address) as remote:
        timing = remote.advise(ask(position, simulations=500)).timing
    assert timing.request_id
    assert timing.converted_ms > 0
    assert timing.queued_ms >= 0
    assert timing.total_ms >= timing.queued_ms + timing.converted_ms + timing.searched_ms
    assert timing.threads == 1
    assert timing.simulations_per_second > 0


def test_many_calls_at_once(server: ServerThread, position: position_pb2.Position) -> None:
    with RemoteAdvisor(server.address) as remote, ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(remote.advise, [ask(position, simulations=300)] * 40))
    for answer in answers:
        answer.ClearField("timing")
    assert len(answers) == 40
    assert all(answer == answers[0] for answer in answers)


async def test_asynchronous_use(position: position_pb2.Position) -> None:
    async with serve(settings()) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        answers = await asyncio.gather(*(stub.Advise(ask(position, simulations=100)) for _ in range(5)))
        assert {answer.simulations for answer in answers} == {100}
        assert server.metrics_port


# Deadlines.


def test_a_near_deadline_is_answered(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        begun = time.monotonic()
        answer = stub.Advise(ask(position, 60), timeout=0.3)
        assert time.monotonic() - begun < 0.3
    assert answer.stop_reason == advice_pb2.STOP_REASON_DEADLINE
    assert answer.simulations > 0
    assert answer.moves


def test_a_deadline_that_fits_nothing(position: position_pb2.Position) -> None:
    # A margin wider than the deadline, because the client's own clock would end a shorter call first.
    with ServerThread(settings(deadline_margin_seconds=30)) as impatient, connect(impatient.address) as stub:
        with pytest.raises(grpc.RpcError) as caught:
            stub.Advise(ask(position, 60), timeout=20)
        code, status, _ = status_of(caught.value)
        assert code == grpc.StatusCode.DEADLINE_EXCEEDED
        info = error_details_pb2.ErrorInfo()
        assert status.details[0].Unpack(info)
        assert info.reason == "DEADLINE_TOO_SHORT"


def test_time_comes_before_a_far_deadline(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        answer = stub.Advise(ask(position, 0.05), timeout=30)
    assert answer.stop_reason == advice_pb2.STOP_REASON_TIME


# Limits: the first to bind ends the search, and the answer says which.


@pytest.mark.parametrize(
    ("reason", "limits", "timeout"),
    [
        ("SIMULATIONS", {"simulations": 200, "seconds": 60}, 60),
        ("TIME", {"simulations": 10**9, "seconds": 0.05}, 60),
        ("DEADLINE", {"simulations": 10**9, "seconds": 60}, 0.3),
        ("MEMORY", {"simulations": 10**9, "seconds": 60, "memory_bytes": 65_536}, 60),
        ("TIME", {"simulations": 10**9, "seconds": 0.05, "depth": 1}, 60),
    ],
)
def test_the_limit_that_binds_is_named(
    server: ServerThread, position: position_pb2.Position, reason: str, limits: dict[str, Any], timeout: float
) -> None:
    request = ask(position, limits["seconds"], limits["simulations"])
    for name in ("memory_bytes", "depth"):
        if name in limits:
            setattr(request.limits, name, limits[name])
    label = {"reason": reason.lower()}
    before = metric(server, "advisor_stop_reasons_total", **label)
    with connect(server.address) as stub:
        answer = stub.Advise(request, timeout=timeout)
    assert advice_pb2.StopReason.Name(answer.stop_reason) == f"STOP_REASON_{reason}"
    assert answer.simulations > 0
    assert metric(server, "advisor_stop_reasons_total", **label) == before + 1


def test_answers_without_a_limit_to_bind(server: ServerThread, position: position_pb2.Position) -> None:
    late = play(new(2, seed=7), 26, 7)
    solved, shallow = pb.AdviseRequest(position=late, seat=0), pb.AdviseRequest(position=late, seat=0)
    shallow.limits.depth = 1
    shallow.options.algorithm = advice_pb2.ALGORITHM_EXPECTIMAX
    immediate = ask(position)
    immediate.options.algorithm = advice_pb2.ALGORITHM_GREEDY
    with connect(server.address) as stub:
        assert stub.Advise(immediate, timeout=5).stop_reason == advice_pb2.STOP_REASON_IMMEDIATE
        assert stub.Advise(shallow, timeout=5).stop_reason == advice_pb2.STOP_REASON_DEPTH
        exact = metric(server, "advisor_exact_answers_total", game="ocean")
        answer = stub.Advise(solved, timeout=5)
    assert answer.stop_reason == advice_pb2.STOP_REASON_SOLVED
    assert answer.exact
    assert metric(server, "advisor_exact_answers_total", game="ocean") == exact + 1


def test_overrun_is_measured(server: ServerThread, position: position_pb2.Position) -> None:
    before = metric(server, "advisor_overrun_seconds_count", rpc="Advise")
    with connect(server.address) as stub:
        stub.Advise(ask(position, 0.05), timeout=30)
        stub.Advise(ask(position, 60), timeout=0.2)
        stub.Advise(ask(position, simulations=50), timeout=30)
    assert metric(server, "advisor_overrun_seconds_count", rpc="Advise") == before + 2


# Cancellation.


def test_cancel_stops_the_search(server: ServerThread, position: position_pb2.Position) -> None:
    before = metric(server, "advisor_cancelled_total", rpc="Advise")
    stopped = metric(server, "advisor_cancel_seconds_count")
    with connect(server.address) as stub:
        for _ in range(5):
            search = stub.Advise.future(ask(position, 60))
            wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
            search.cancel()
            assert wait_for(lambda: metric(server, "advisor_workers_busy") == 0) < 1.0
    wait_for(lambda: metric(server, "advisor_cancelled_total", rpc="Advise") == before + 5)
    assert metric(server, "advisor_requests_in_flight") == 0
    assert metric(server, "advisor_cancel_seconds_count") == stopped + 5
    assert metric(server, "advisor_stop_reasons_total", algorithm="auto", reason="cancelled") >= 5


def test_disconnect_stops_the_search(server: ServerThread, position: position_pb2.Position) -> None:
    channel = grpc.insecure_channel(server.address)
    searches = [advisor_service_pb2_grpc.AdvisorServiceStub(channel).Advise.future(ask(position, 60)) for _ in range(4)]
    wait_for(lambda: metric(server, "advisor_workers_busy") == 2 and metric(server, "advisor_queue_length") == 2)
    channel.close()
    wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0)
    assert all(search.done() for search in searches)


def test_cancel_while_waiting(server: ServerThread, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        running = [stub.Advise.future(ask(position, 60)) for _ in range(2)]
        wait_for(lambda: metric(server, "advisor_workers_busy") == 2)
        waiting = stub.Advise.future(ask(position, 60))
        wait_for(lambda: metric(server, "advisor_queue_length") == 1)
        waiting.cancel()
        wait_for(lambda: metric(server, "advisor_queue_length") == 0)
        assert metric(server, "advisor_workers_busy") == 2
        for search in running:
            search.cancel()
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)


# Admission.


def test_a_full_queue_is_refused_with_advice(position: position_pb2.Position) -> None:
    with (
        ServerThread(settings(workers=1, queue_length=1, retry_seconds=0.25)) as server,
        connect(server.address) as stub,
    ):
        accepted = [stub.Advise.future(ask(position, 60)) for _ in range(2)]
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 2)
        with pytest.raises(grpc.RpcError) as caught:
            stub.Advise(ask(position, 60), timeout=5)
        code, status, trailers = status_of(caught.value)
        assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        assert status.details[0].Unpack(info)
        assert status.details[1].Unpack(retry)
        assert info.reason == "QUEUE_FULL"
        assert retry.retry_delay.ToMilliseconds() == 250
        assert trailers[PUSHBACK_KEY] == "250"
        assert metric(server, "advisor_rejected_total", reason="queue_full") == 1
        # What does not search is not refused.
        assert stub.ListMoves(pb.ListMovesRequest(position=position, seat=1), timeout=5).moves
        for search in accepted:
            search.cancel()
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
        assert stub.Advise(ask(position, simulations=10), timeout=5).moves


def test_too_many_calls(position: position_pb2.Position) -> None:
    with ServerThread(settings(max_calls=1)) as server, connect(server.address) as stub:
        running = stub.Advise.future(ask(position, 60))
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        with pytest.raises(grpc.RpcError) as caught:
            stub.ListGames(pb.ListGamesRequest(), timeout=5)
        code, _, trailers = status_of(caught.value)
        assert code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert PUSHBACK_KEY in trailers
        running.cancel()


# Failures inside.


class Broken(Advisor):
    """Fails in the two places where a call leaves the event loop."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        raise RuntimeError("list")

    def search(self, *args: Any, **kwargs: Any) -> Advice:
        raise KeyError("search")


def test_an_exception_is_an_internal_error(position: position_pb2.Position, capfd: pytest.CaptureFixture[str]) -> None:
    broken = settings(workers=1)
    with ServerThread(broken, Broken(broken)) as server, RemoteAdvisor(server.address) as remote:
        for _ in range(3):
            with pytest.raises(AdvisorError) as caught:
                remote.advise(ask(position, simulations=10))
            assert caught.value.status == grpc.StatusCode.INTERNAL
            with pytest.raises(AdvisorError) as caught:
                remote.list_games(pb.ListGamesRequest())
            assert caught.value.status == grpc.StatusCode.INTERNAL
            assert "list" not in caught.value.message
        assert remote.list_moves(pb.ListMovesRequest(position=position, seat=1)).moves
        assert metric(server, "advisor_workers_busy") == 0
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    assert len(logged) == 6
    assert logged[-1]["request_id"] == caught.value.metadata["request_id"]
    assert "RuntimeError: list" in logged[-1]["exception"]
    assert all("hand_size" not in json.dumps(line) for line in logged)


def test_a_taken_port_is_an_error(server: ServerThread) -> None:
    with pytest.raises(OSError, match="cannot listen"), ServerThread(settings(port=server.port)):
        pass
    assert server.metrics_port is not None
    with pytest.raises(OSError, match="cannot listen"), ServerThread(settings(metrics_port=server.metrics_port)):
        pass


# Metrics.


def test_metrics_over_http(position: position_pb2.Position) -> None:
    with ServerThread(settings()) as server, RemoteAdvisor(server.address) as remote:
        remote.advise(ask(position, 0.05))
        for game in ("ocean", "x" * 1000):
            with pytest.raises(AdvisorError):
                remote.observe(pb.ObserveRequest(position=position_pb2.Position(game=game), seat=0))
        url = f"http://127.0.0.1:{server.metrics_port}/metrics"
        with urllib.request.urlopen(url, timeout=5) as answer:
            families = {one.name: one for one in text_string_to_metric_families(answer.read().decode())}
    wanted = {
        "advisor_requests", "advisor_request_seconds", "advisor_overrun_seconds", "advisor_simulations",
        "advisor_nodes", "advisor_search_depth_decisions", "advisor_simulations_per_second", "advisor_stop_reasons",
        "advisor_cancelled", "advisor_rejected", "advisor_requests_in_flight", "advisor_workers_busy",
        "advisor_workers", "advisor_queue_length", "advisor_queue_capacity", "advisor_build_info",
        "advisor_playouts_per_second", "advisor_exact_answers", "advisor_interim_answers",
        "advisor_interim_answers_skipped", "advisor_choices", "advisor_cancel_seconds", "advisor_search_cpu_seconds",
        "advisor_search_runnable_seconds", "advisor_kept_answers", "advisor_kept_answers_bytes",
        "advisor_catalogue_reloads",
        "process_cpu_seconds", "process_resident_memory_bytes",
    }  # fmt: skip
    assert wanted <= families.keys()
    labels = [sample.labels for sample in families["advisor_requests"].samples if sample.name.endswith("_total")]
    assert {"rpc": "Advise", "game": "ocean", "code": "OK"} in labels
    assert {"rpc": "Observe", "game": "unknown", "code": "INVALID_ARGUMENT"} in labels
    parts = {
        sample.labels["part"]
        for sample in families["advisor_request_seconds"].samples
        if sample.labels["rpc"] == "Advise"
    }
    assert parts == {"queued", "converted", "searched", "paused", "total"}
    stops = [sample.labels for sample in families["advisor_stop_reasons"].samples if sample.name.endswith("_total")]
    assert stops == [{"game": "ocean", "algorithm": "mcts", "reason": "time"}]


def test_searching_threads_give_way_and_are_measured(position: position_pb2.Position) -> None:
    others = set(threading.enumerate())
    with ServerThread(settings(niceness=7)) as server:
        own = [thread for thread in threading.enumerate() if thread not in others]
        workers = [thread.native_id or 0 for thread in own if thread.name.startswith("advise-")]
        assert len(workers) == 2
        wait_for(lambda: {os.getpriority(os.PRIO_PROCESS, number) for number in workers} == {7})
        before = metric(server, "advisor_search_cpu_seconds_total")
        with connect(server.address) as stub:
            stub.Advise(ask(position, 0.3), timeout=30)
        assert metric(server, "advisor_search_cpu_seconds_total") > before + 0.01
        assert metric(server, "advisor_search_runnable_seconds_total") >= 0


def test_the_time_of_threads_that_have_ended_stays(position: position_pb2.Position) -> None:
    names = ("advisor_search_cpu_seconds_total", "advisor_search_runnable_seconds_total")
    with ServerThread(settings()) as server, connect(server.address) as stub:
        request = ask(position, 0.4)
        request.options.trees = request.options.threads = 2
        seen = [[metric(server, name) for name in names]]
        for _ in range(3):
            answer = stub.Advise.future(request, timeout=30)
            while not answer.done():
                seen.append([metric(server, name) for name in names])
                time.sleep(0.002)
            seen.append([metric(server, name) for name in names])
        for before, after in pairwise(seen):
            assert before[0] <= after[0]
            assert before[1] <= after[1]
        # Two threads, each of which ran or waited for a core, nearly all the time.
        assert sum(seen[-1]) - sum(seen[0]) > 3 * 2 * 0.4 * 0.75
    assert threading.active_count() < 100


# Workers.


def test_a_priority_that_cannot_be_set_is_no_fault(
    position: position_pb2.Position, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "setpriority", refuse)
    with ServerThread(settings(niceness=19, log_level="warning")) as server, connect(server.address) as stub:
        assert stub.Advise(ask(position, simulations=50), timeout=10).simulations == 50
    assert capfd.readouterr().err.count("own priority") == 1


def test_niceness_is_only_raised(position: position_pb2.Position, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpriority", lambda *_: 5)
    monkeypatch.setattr(os, "setpriority", lambda *_: pytest.fail("taking niceness back needs a privilege"))
    with ServerThread(settings(niceness=0)) as server, connect(server.address) as stub:
        assert stub.Advise(ask(position, simulations=50), timeout=10).simulations == 50


def test_a_worker_that_dies_is_no_ready_server(
    position: position_pb2.Position, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with ServerThread(settings()) as server, connect(server.address) as stub:

        def die(self: SearchPool, job: Job) -> None:
            raise RuntimeError("planted")

        monkeypatch.setattr(SearchPool, "_end", die)
        for _ in range(2):  # the call that it had, and one that comes later
            with pytest.raises(grpc.RpcError) as caught:
                stub.Advise(ask(position, simulations=50), timeout=10)
            assert code_of(caught.value) == grpc.StatusCode.UNAVAILABLE
        with grpc.insecure_channel(server.address) as channel:
            checks: Any = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest(service=SERVICE)
            wait_for(lambda: checks.Check(request, timeout=5).status != SERVING)
    assert "planted" in capfd.readouterr().err


def test_who_leaves_the_queue_has_not_waited_zero_seconds(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1)) as server, connect(server.address) as stub:
        running = stub.Advise.future(ask(position, 60))
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        waiting = stub.Advise.future(ask(position, 60))
        wait_for(lambda: metric(server, "advisor_queue_length") == 1)
        waiting.cancel()
        wait_for(lambda: metric(server, "advisor_requests_total", rpc="Advise") == 1)
        assert metric(server, "advisor_request_seconds_count", part="queued") == 0
        running.cancel()
        wait_for(lambda: metric(server, "advisor_requests_total", rpc="Advise") == 2)
        assert metric(server, "advisor_request_seconds_count", part="queued") == 1


# Drain.


@dataclass
class Child:
    """A server in a process of its own."""

    process: "subprocess.Popen[str]"
    address: str
    metrics_port: int

    def metric(self, name: str, **labels: str) -> float:
        """The sum of the samples of that name that carry these labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        return total(families, name, labels)


@contextmanager
def child(*options: str) -> Iterator[Child]:
    """Start a server; it is killed at the end."""
    command = [sys.executable, "-m", "advisor", "serve", "--port", "0", "--metrics-port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert ready["event"] == "ready"
        yield Child(process, f"{ready['host']}:{ready['port']}", ready["metrics_port"])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("closed", ["0<&-", "2>&-"])
def test_streams_that_were_closed_before_the_start_are_no_fault(closed: str) -> None:
    serve = f"exec {sys.executable} -m advisor serve --port 0 --metrics-port 0 {closed}"
    with subprocess.Popen(["bash", "-c", serve], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["event"] == "ready"
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_drain_finishes_accepted_calls(position: position_pb2.Position, number: signal.Signals) -> None:
    with child("--grace-seconds", "20") as server, grpc.insecure_channel(server.address) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        checks: Any = health_pb2_grpc.HealthStub(channel)
        watch = checks.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert next(watch).status == SERVING
        search = stub.Advise.future(ask(position, 1.0))
        stub.ListGames(pb.ListGamesRequest(), timeout=5)
        time.sleep(0.2)
        server.process.send_signal(number)
        assert next(watch).status == NOT_SERVING
        watch.cancel()
        with connect(server.address) as late, pytest.raises(grpc.RpcError) as caught:
            late.ListGames(pb.ListGamesRequest(), timeout=1)
        assert code_of(caught.value) in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        assert search.result(timeout=5).stop_reason == advice_pb2.STOP_REASON_TIME
        assert server.process.wait(10) == 0


def test_drain_answers_long_searches_with_what_they_have(position: position_pb2.Position) -> None:
    with child("--grace-seconds", "2") as server, connect(server.address) as stub:
        search = stub.Advise.future(ask(position, 300))
        time.sleep(0.3)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        answer = search.result(timeout=10)
        assert answer.stop_reason == advice_pb2.STOP_REASON_DEADLINE
        assert answer.simulations > 0
        assert time.monotonic() - begun < 2.5
        assert server.process.wait(10) == 0


def test_a_second_signal_ends_at_once(position: position_pb2.Position) -> None:
    with child("--grace-seconds", "60") as server, connect(server.address) as stub:
        search = stub.Advise.future(ask(position, 300))
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(10)
        with pytest.raises(grpc.RpcError):
            search.result(timeout=5)


@pytest.mark.parametrize(
    ("remaining", "step"),
    [(0.05, 0.001), (0.999, 0.01), (1.5, 0.01), (9.95, 0.1), (60.0, 0.1), (100.01, 1.0), (2e4, 100.0)],
)
def test_what_grpc_may_have_added_to_a_deadline(remaining: float, step: float) -> None:
    assert rounded_up(remaining) == step


@pytest.mark.parametrize("seconds", [1.001, 10.01])
def test_a_deadline_that_the_wire_rounds_up_is_kept(
    server: ServerThread, position: position_pb2.Position, seconds: float
) -> None:
    """The search ends before the caller's own clock does, not before the deadline as it arrives here."""
    request = ask(position, 60)
    request.options.algorithm = advice_pb2.ALGORITHM_FLAT  # which no memory ends
    with connect(server.address) as stub:
        answer = stub.Advise(request, timeout=seconds)
    assert answer.stop_reason == advice_pb2.STOP_REASON_DEADLINE
