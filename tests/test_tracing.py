"""Traces over a real socket into a collector of the test's own, and the lines that the log has of calls."""

import io
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from serving import served, stop
from test_server import ask, connect, settings
from wire import new, observe, play

from advisor import logs, tracing
from advisor.calls import Call
from advisor.client import AdvisorError, Client
from advisor.client_trace import with_trace
from advisor.server import SERVICE, ServerThread
from advisor.service import Advisor
from advisor.tracing import traceparent
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2

pytestmark = pytest.mark.apart

SEED = 0x5EED_0F_A_CA11
"""Of requests: never to be seen in a span or a line, in any form."""
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


class Collector:
    """What a collector receives: every span, its ids in hex, its attributes as a mapping."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.raw: list[bytes] = []
        self.port = 0

    def named(self, name: str) -> list[Any]:
        """The spans of that name, so far."""
        return [span for span in list(self.spans) if span.name == name]


@contextmanager
def collector(port: int = 0) -> Iterator[Collector]:
    """A server that takes OTLP."""
    service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    rpcs = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc")
    found = Collector()

    class Servicer(rpcs.TraceServiceServicer):  # type: ignore[misc, name-defined]
        def Export(self, request: Any, context: Any) -> Any:
            del context
            found.raw.append(request.SerializeToString())
            found.spans += [span for some in request.resource_spans for one in some.scope_spans for span in one.spans]
            return service.ExportTraceServiceResponse()

    server = grpc.server(ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
    rpcs.add_TraceServiceServicer_to_server(Servicer(), server)
    found.port = server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    try:
        yield found
    finally:
        server.stop(None).wait()


def attributes(span: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


def endpoint(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def advise(position: position_pb2.Position, simulations: int = 300) -> pb.AdviseRequest:
    request = ask(position, simulations=simulations)
    request.options.seed = SEED
    return request


# Traces.


def test_one_trace_from_the_client_to_the_search(position: position_pb2.Position) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    tracer = sdk.TracerProvider().get_tracer("test")
    with (
        collector() as found,
        ServerThread(settings(traces=endpoint(found.port))) as server,
        Client(server.address) as client,
    ):
        with tracer.start_as_current_span("mine") as mine:
            answer = client.advise(advise(position))
            with pytest.raises(AdvisorError):
                client.list_moves(pb.ListMovesRequest(position=position, seat=9))
            watched = pb.WatchAdviceRequest(advise=advise(position, 301))
            assert list(client.watch(watched))[-1].final
        client.list_games(pb.ListGamesRequest())
    mine = mine.get_span_context()  # the server's end has sent everything
    assert len({span.span_id for span in found.spans}) == len(found.spans)

    (call,) = found.named(f"{SERVICE}/Advise")
    assert (call.trace_id.hex(), call.parent_span_id.hex()) == (f"{mine.trace_id:032x}", f"{mine.span_id:016x}")
    assert call.kind == 2  # SERVER
    told = attributes(call)
    assert told["sirenia.request_id"] == answer.timing.request_id
    assert {name: told[name] for name in ("rpc.method", "sirenia.game", "sirenia.algorithm", "sirenia.code")} == {
        "rpc.method": "Advise", "sirenia.game": "ocean", "sirenia.algorithm": "mcts", "sirenia.code": "OK",
    }  # fmt: skip
    below = sorted(
        (span for span in found.spans if span.parent_span_id == call.span_id),
        key=lambda span: span.start_time_unix_nano,
    )
    assert [span.name for span in below] == ["converted", "queued", "searched"]
    assert {span.trace_id for span in below} == {call.trace_id}
    at = call.start_time_unix_nano
    for span in below:
        assert at == span.start_time_unix_nano <= span.end_time_unix_nano <= call.end_time_unix_nano
        at = span.end_time_unix_nano
    assert at - below[-1].start_time_unix_nano == pytest.approx(answer.timing.searched_ms * 1e6, abs=2)
    searched = attributes(below[-1])
    assert searched.pop("sirenia.paused_seconds") >= 0
    assert searched == {
        "sirenia.simulations": 300, "sirenia.stop_reason": "simulations", "sirenia.threads": 1,
        "sirenia.nodes": answer.nodes,
    }  # fmt: skip

    (refused,) = found.named(f"{SERVICE}/ListMoves")
    assert refused.parent_span_id == call.parent_span_id
    assert attributes(refused)["sirenia.code"] == "INVALID_ARGUMENT"
    assert attributes(refused)["rpc.grpc.status_code"] == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert refused.status.code == 0  # the caller's fault, not the server's
    (watch,) = found.named(f"{SERVICE}/WatchAdvice")
    assert watch.parent_span_id == call.parent_span_id
    (alone,) = found.named(f"{SERVICE}/ListGames")
    assert alone.trace_id != call.trace_id
    assert alone.parent_span_id == b""


def test_questions_of_a_batch_are_below_their_stream(position: position_pb2.Position) -> None:
    with (
        collector() as found,
        ServerThread(settings(traces=endpoint(found.port), cache_bytes=1 << 20)) as server,
        Client(server.address) as client,
    ):
        for name in ("a", "b"):  # one after the other, so that the second is answered from what is kept
            asked = pb.AdviseBatchRequest(id=name, advise=advise(position))
            assert [answer.id for answer in client.batch([asked])] == [name]
    streams, questions = found.named(f"{SERVICE}/AdviseBatchStream"), found.named(f"{SERVICE}/AdviseBatch")
    assert {span.parent_span_id for span in questions} == {span.span_id for span in streams}
    assert sorted(attributes(span)["sirenia.cached"] for span in questions) == [False, True]
    assert len(found.named("searched")) == 1


@pytest.mark.parametrize(("flags", "ratio", "spans"), [("00", 1.0, 0), ("01", 0.0, 2), ("", 0.0, 0), ("", 1.0, 2)])
def test_the_callers_word_on_sampling_counts(flags: str, ratio: float, spans: int) -> None:
    with collector() as found:
        tracer = tracing.Tracing(endpoint(found.port), ratio, logs.logger("error"))
        call = Call("ListGames", "none")
        call.traceparent = flags and f"00-{TRACE}-{SPAN}-{flags}"
        tracer.begin(call)
        call.parts = {"converted": 0.1, "total": 0.2}
        tracer.end(call, grpc.StatusCode.OK)
        tracer.close()
        assert len(found.spans) == spans
    assert (tracing.trace_id(call) == TRACE) == bool(flags)


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "nonsense",
        f"00-{TRACE}-{SPAN}",
        PARENT.upper(),
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"{PARENT}-t0p-s3cret",
        f"{PARENT}\n",
        b"bytes",
    ],
)
def test_a_parent_that_is_none(sent: str | bytes) -> None:
    assert traceparent([("traceparent", sent)]) == ""
    assert traceparent([("other", PARENT), ("traceparent", PARENT)]) == PARENT
    assert traceparent(None) == ""


def test_spans_hold_nothing_of_what_was_asked(position: position_pb2.Position) -> None:
    secrets = (("authorization", "Bearer t0p-s3cret"), ("tracestate", "mine=t0p-s3cret"), ("traceparent", PARENT))
    with (
        collector() as found,
        ServerThread(settings(traces=endpoint(found.port))) as server,
        connect(server.address) as stub,
    ):
        stub.Advise(advise(position), timeout=30, metadata=secrets)
        with pytest.raises(grpc.RpcError):
            stub.GetGame(pb.GetGameRequest(game="t0p-s3cret"), timeout=30, metadata=secrets)
    sent = b"".join(found.raw)
    assert bytes.fromhex(TRACE) in sent
    assert_tells_nothing(sent)
    names = {one for span in found.spans for one in attributes(span)}
    assert names == {
        "rpc.system", "rpc.service", "rpc.method", "rpc.grpc.status_code", "sirenia.code", "sirenia.game",
        "sirenia.algorithm", "sirenia.request_id", "sirenia.cached", "sirenia.paused_seconds", "sirenia.simulations",
        "sirenia.stop_reason", "sirenia.threads", "sirenia.nodes",
    }  # fmt: skip


def assert_tells_nothing(text: bytes) -> None:
    """Neither seeds nor tokens, positions or addresses."""
    for secret in (
        b"t0p-s3cret",
        str(SEED).encode(),
        f"{SEED:x}".encode(),
        SEED.to_bytes(8, "little"),
        b"hand",
        b"127.0",
    ):
        assert secret not in text.lower()


def test_a_collector_that_is_gone_costs_a_line(
    position: position_pb2.Position, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.sdk.trace")
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")  # milliseconds between tries
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    with socket.socket() as taken:  # nobody listens, and nobody else will
        taken.bind(("127.0.0.1", 0))
        with ServerThread(settings(traces=endpoint(taken.getsockname()[1]), log_level="info")) as server:
            with connect(server.address) as stub:
                logged = ""
                for _ in range(300):
                    assert stub.ListGames(pb.ListGamesRequest(), timeout=30).games
                    logged += capfd.readouterr().err
                    if "traces are lost" in logged:
                        break
                    time.sleep(0.02)
                for _ in range(20):
                    stub.ListGames(pb.ListGamesRequest(), timeout=30)
            begun = time.monotonic()
        assert time.monotonic() - begun < 10
    lines = [json.loads(line) for line in (logged + capfd.readouterr().err).splitlines()]
    assert [(line["level"], line["event"][:15]) for line in lines] == [("warning", "traces are lost")]


def test_without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(tracing.TracingError, match=r"pip install 'sirenia\[tracing\]'"):
        ServerThread(settings(traces="http://127.0.0.1:4317")).__enter__()


@pytest.mark.parametrize("value", ["127.0.0.1:4317", "http://host", "grpc://host:1", "http://user:word@host:1", "x"])
def test_an_endpoint_that_is_none(value: str) -> None:
    with pytest.raises(ValueError, match=r"expected http://HOST:PORT"):
        settings(traces=value)


def test_what_a_client_sends_of_its_trace() -> None:
    trace = pytest.importorskip("opentelemetry.trace")
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    token = (("authorization", "Bearer x"),)
    assert with_trace(()) == ()
    assert with_trace(token) is token
    with sdk.TracerProvider().get_tracer("test").start_as_current_span("mine") as span:
        first, (key, value) = with_trace(token)
        assert first == token[0]
        assert with_trace(()) == ((key, value),)
        assert traceparent([("user-agent", "x"), (key, value)]) == value
        assert value[3:52] == f"{span.get_span_context().trace_id:032x}-{span.get_span_context().span_id:016x}"
    with trace.use_span(trace.INVALID_SPAN):
        assert with_trace(token) is token


# The log.


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_a_line_for_every_call(position: position_pb2.Position, capfd: pytest.CaptureFixture[str]) -> None:
    secrets = (("authorization", "Bearer t0p-s3cret"), ("traceparent", PARENT))
    with ServerThread(settings(log_level="debug")) as server, connect(server.address) as stub:
        answer = stub.Advise(advise(position), timeout=30, metadata=secrets)
        with pytest.raises(grpc.RpcError):
            stub.GetGame(pb.GetGameRequest(game="t0p-s3cret"), timeout=30)
    logged = capfd.readouterr().err
    advised, refused = lines_of(logged)
    parts = {name: advised.pop(name) for name in list(advised) if name.endswith("_ms")}
    assert parts.keys() == {"converted_ms", "queued_ms", "paused_ms", "searched_ms", "total_ms"}
    assert parts["searched_ms"] == pytest.approx(answer.timing.searched_ms, abs=0.001)
    assert parts["total_ms"] >= parts["converted_ms"] + parts["queued_ms"] + parts["searched_ms"]
    assert advised.pop("timestamp")
    assert advised == {
        "event": "call", "level": "debug", "rpc": "Advise", "game": "ocean", "algorithm": "mcts", "code": "OK",
        "request_id": answer.timing.request_id, "trace_id": TRACE,
    }  # fmt: skip
    assert (refused["game"], refused["code"], refused["reason"]) == ("unknown", "INVALID_ARGUMENT", "INVALID_REQUEST")
    assert "trace_id" not in refused
    assert_tells_nothing(logged.encode())


def test_with_info_only_what_calls_for_a_look(
    position: position_pb2.Position, capfd: pytest.CaptureFixture[str]
) -> None:
    class Slow(Advisor):
        """Takes a while over a list."""

        def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
            time.sleep(0.5)
            return super().list_games(request)

        def get_game(self, request: pb.GetGameRequest) -> pb.GetGameResponse:
            raise RuntimeError("planted")

    chosen = settings(log_level="info", slow_seconds=0.4)
    with ServerThread(chosen, Slow(chosen)) as server, connect(server.address) as stub:
        stub.Advise(ask(position, 0.8), timeout=30)  # long, as it was asked for
        stub.ListGames(pb.ListGamesRequest(), timeout=30)
        with pytest.raises(grpc.RpcError):
            stub.GetGame(pb.GetGameRequest(game="ocean"), timeout=30)
    slow, failed = lines_of(capfd.readouterr().err)
    assert (slow["event"], slow["level"], slow["rpc"]) == ("slow call", "info", "ListGames")
    assert slow["total_ms"] > 400
    assert (failed["event"], failed["level"], failed["code"]) == ("call failed", "error", "INTERNAL")
    assert "RuntimeError: planted" in failed["exception"]


def test_lines_as_text(position: position_pb2.Position, capfd: pytest.CaptureFixture[str]) -> None:
    class Broken(Advisor):
        """Fails over a position."""

        def list_moves(self, request: pb.ListMovesRequest) -> pb.ListMovesResponse:
            held = request
            raise RuntimeError(f"planted {bool(held)}")

    chosen = settings(log_level="debug", log_format="text")
    with ServerThread(chosen, Broken(chosen)) as server, connect(server.address) as stub:
        stub.ListGames(pb.ListGamesRequest(), timeout=30)
        with pytest.raises(grpc.RpcError):
            stub.ListMoves(pb.ListMovesRequest(position=position, seat=1), timeout=30)
    logged = capfd.readouterr().err
    assert "rpc=ListGames" in logged
    assert "RuntimeError: planted True" in logged
    assert "\x1b" not in logged
    assert_tells_nothing(logged.replace("handle", "").encode())


def test_a_log_that_nobody_reads_holds_up_nothing(position: position_pb2.Position) -> None:
    """Standard error is a pipe that is full: the server answers and ends in order."""
    read, write = os.pipe()
    try:
        os.set_blocking(write, False)
        with suppress(BlockingIOError):
            while os.write(write, b"x" * 4096):
                pass
        os.set_blocking(write, True)
        with os.fdopen(write, "wb", closefd=False) as log, served("--log-level", "debug", log=log) as server:
            with connect(server.address) as stub:
                for _ in range(50):
                    assert stub.ListGames(pb.ListGamesRequest(), timeout=30).games
                assert stub.Advise(advise(position), timeout=30).moves
            assert stop(server) == 0
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("make", [lambda: open("/dev/full", "w"), io.StringIO, lambda: None])  # noqa: SIM115
def test_a_line_is_written_or_dropped(make: Callable[[], Any], tmp_path: Path) -> None:
    file = make()
    lines = logs.Lines(file)
    for _ in range(3):
        lines.info("a line")
    if isinstance(file, io.StringIO):
        assert file.getvalue() == 3 * "a line\n"
    elif file is not None:
        file.close()
        lines.info("after the end")


def test_long_lines_are_whole_where_they_are_read(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+") as file:
        lines = logs.Lines(file)
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda number: lines.info(f"{number}" * 30_000), range(4)))
        file.seek(0)
        assert sorted(file.read().splitlines()) == [f"{number}" * 30_000 for number in range(4)]
