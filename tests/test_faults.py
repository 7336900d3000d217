"""What breaks around a server: slow and silent clients, a full disk, clocks that jump, no descriptors left, a kill."""

import ast
import contextlib
import itertools
import os
import signal
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from fuzz.seeds import records
from fuzz.sockets import PREFACE, call_headers, frame
from serving import Served, limited_descriptors, served, stop, wait_until
from test_server import ask, connect, metric, settings
from wire import new, observe, play

from advisor.server import SERVICE, ServerThread
from advisor.service import Advisor
from advisor.servicer import SMALL_BYTES
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

ROOT = Path(__file__).parent.parent
HALF_OPEN = 200
DESCRIPTORS = 64
DAY = 86_400.0
PATIENCE = 20.0
"""Seconds after which a call would end by itself."""


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served("--workers", "2", "--log-level", "error") as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


@contextlib.contextmanager
def raw(server: Served) -> Iterator[socket.socket]:
    with socket.create_connection((server.host, server.port), timeout=10) as connection:
        yield connection


def call_bytes(rpc: str, request: bytes, window: int = 65_535) -> bytes:
    """A whole call, on a connection whose client takes so many bytes of an answer."""
    message = b"\x00" + struct.pack(">I", len(request)) + request
    opening = PREFACE + frame(4, 0, 0, struct.pack(">HI", 4, window))
    return opening + frame(1, 4, 1, call_headers(f"/{SERVICE}/{rpc}")) + frame(0, 1, 1, message)


def assert_answers(server: Served, position: position_pb2.Position) -> None:
    with connect(server.address) as stub:
        assert stub.Advise(ask(position, simulations=100), timeout=20).simulations == 100


def assert_quiet(server: Served) -> None:
    names = ("advisor_requests_in_flight", "advisor_workers_busy", "advisor_queue_length")
    wait_until(lambda: all(server.metric(name) == 0 for name in names))


# Clients.


def test_a_client_that_does_not_read_holds_no_worker(server: Served, position: position_pb2.Position) -> None:
    watch = pb.WatchAdviceRequest(advise=ask(position, 0.5))
    watch.interval.FromMilliseconds(20)
    with raw(server) as one, raw(server) as other:
        for connection in (one, other):
            connection.sendall(call_bytes("WatchAdvice", watch.SerializeToString(), window=0))
        wait_until(lambda: server.metric("advisor_workers_busy") == 2)
        # Their searches end in their own time; the next caller gets a worker though neither has read a byte.
        wait_until(lambda: server.metric("advisor_workers_busy") == 0)
        assert_answers(server, position)
    assert_quiet(server)


def test_a_client_that_dribbles_is_answered(server: Served, position: position_pb2.Position) -> None:
    with raw(server) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = call_bytes("ListGames", b"")
        for at in range(len(data)):
            connection.sendall(data[at : at + 1])
            if at == len(data) // 2:
                assert_answers(server, position)
        heard = b""
        while b"grpc-status" not in heard and (more := connection.recv(65_536)):
            heard += more
        assert b"ocean" in heard
    assert_quiet(server)


def test_half_open_connections(server: Served, position: position_pb2.Position) -> None:
    assert_answers(server, position)
    before = server.figures()
    with contextlib.ExitStack() as silent:
        for number in range(HALF_OPEN):
            silent.enter_context(raw(server)).sendall(PREFACE[: number % len(PREFACE)])
        wait_until(lambda: server.figures().descriptors >= HALF_OPEN)
        assert_answers(server, position)
        assert server.figures().threads < before.threads + 20
    wait_until(lambda: server.figures().descriptors <= before.descriptors + 4)
    assert_answers(server, position)


# The machine.


def test_a_log_that_cannot_be_written(position: position_pb2.Position) -> None:
    """On a full disk calls are answered and refused as ever, none stays open, and the end is orderly."""
    with open("/dev/full", "wb") as full, served("--log-level", "debug", log=full) as server:
        with connect(server.address) as stub:
            for _ in range(20):
                with pytest.raises(grpc.RpcError) as caught:
                    stub.Advise(pb.AdviseRequest(position=position, seat=9), timeout=20)
                error: Any = caught.value
                assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert_answers(server, position)
        assert_quiet(server)
        assert stop(server) == 0


def test_clocks_that_jump(position: position_pb2.Position, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches take their time, no more and no less. No call has a deadline, which gRPC itself tells by the day."""
    now, jumps = time.time, itertools.count()
    with ServerThread(settings()) as server, connect(server.address) as stub:
        stub.Advise(ask(position, simulations=10), timeout=20)
        monkeypatch.setattr(time, "time", lambda: now() + DAY * (-1) ** next(jumps))
        other = ask(position, 0.2)
        other.options.seed = 1  # an equal question would get an answer that was kept
        answer = stub.Advise(ask(position, 0.2))
        watched = list(stub.WatchAdvice(pb.WatchAdviceRequest(advise=other)))
        hurried = Advisor(settings()).advise(ask(position, 60), time.monotonic() + 0.2)
        monkeypatch.undo()
        assert answer.stop_reason == watched[-1].advice.stop_reason == advice_pb2.STOP_REASON_TIME
        assert hurried.stop_reason == advice_pb2.STOP_REASON_DEADLINE
        for timing in (answer.timing, watched[-1].advice.timing, hurried.timing):
            assert 100 < timing.searched_ms <= timing.total_ms < 20_000
        assert metric(server, "advisor_request_seconds_sum") < DAY / 100


def wall_clocks(source: str) -> list[int]:
    """Lines of a program that ask for the time of day."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr="time" | "time_ns"):
                found.append(node.lineno)
            case ast.Attribute(attr="now" | "utcnow" | "today", value=ast.Name(id="datetime" | "date")):
                found.append(node.lineno)
            case ast.Attribute(attr="now" | "utcnow", value=ast.Attribute(attr="datetime")):
                found.append(node.lineno)
            case ast.ImportFrom(module="time", names=names) if {"time", "time_ns"} & {name.name for name in names}:
                found.append(node.lineno)
    return found


def test_nothing_asks_for_the_time_of_day() -> None:
    """A clock that can be set must decide nothing: durations and deadlines are `time.monotonic`'s.

    Only a report of `advisor load` says when it was made.
    """
    for source in ("import time\nx = time.time()", "from time import time", "import datetime\ndatetime.datetime.now()"):
        assert wall_clocks(source)
    files = [path for name in ("advisor", "search", "ext") for path in (ROOT / name).rglob("*.py")]
    files.remove(ROOT / "advisor" / "load" / "report.py")
    assert len(files) > 50
    found = [f"{path}:{line}" for path in files for line in wall_clocks(path.read_text())]
    assert found == []
    kernels = [path for pattern in ("*.pyx", "*.pxd", "*.pxi", "*.h") for path in (ROOT / "ext").glob(pattern)]
    assert len(kernels) > 10
    for path in kernels:
        text = path.read_text()
        assert not any(word in text for word in ("CLOCK_REALTIME", "gettimeofday", "time(NULL")), path


def test_no_descriptors_left(position: position_pb2.Position) -> None:
    """New connections wait or fail; when there is room again, the server answers, its metrics too."""
    limit = limited_descriptors(DESCRIPTORS)
    with served("--workers", "1", "--log-level", "error", before=limit) as server:
        assert_answers(server, position)
        with contextlib.ExitStack() as many:
            for _ in range(2 * DESCRIPTORS):
                with contextlib.suppress(OSError):
                    many.enter_context(raw(server)).sendall(PREFACE[:3])
            wait_until(lambda: server.figures().descriptors >= DESCRIPTORS)
            assert server.alive
        wait_until(lambda: server.figures().descriptors < DESCRIPTORS / 2, 20)
        assert_answers(server, position)
        assert_quiet(server)
        assert stop(server) == 0


def test_killed_while_calls_run(position: position_pb2.Position) -> None:
    with served("--workers", "2", "--log-level", "error") as server, connect(server.address) as stub:
        stub.ListGames(pb.ListGamesRequest(), timeout=20)

        def watch() -> grpc.StatusCode:
            watched = stub.WatchAdvice(pb.WatchAdviceRequest(advise=ask(position, 20)), timeout=200)
            with contextlib.suppress(grpc.RpcError):
                list(watched)
            code: grpc.StatusCode = watched.code()
            return code

        calls = [stub.Advise.future(ask(position, 20), timeout=200) for _ in range(4)]
        with ThreadPoolExecutor(1) as waiting:
            watched = waiting.submit(watch)
            wait_until(lambda: server.metric("advisor_requests_in_flight") == 5)
            begun = time.monotonic()
            os.kill(server.process.pid, signal.SIGKILL)
            codes = [watched.result(20), *(call.code() for call in calls)]
        assert set(codes) == {grpc.StatusCode.UNAVAILABLE}
        assert time.monotonic() - begun < 20


def test_a_batch_that_is_refused_while_an_answer_goes_out(server: Served) -> None:
    """The client hears why at once, in whatever moment of the answer before it the refusal comes."""
    position = records()["heart-4-over"].start
    question = pb.AdviseBatchRequest(id="a", advise=pb.AdviseRequest(position=position))
    assert question.ByteSize() > SMALL_BYTES  # so that a thread reads it, and the answer takes its time
    with connect(server.address) as stub:
        refused = 0
        for _ in range(60):
            answers = stub.AdviseBatch(iter([question, question]), timeout=PATIENCE)
            begun = time.monotonic()
            with contextlib.suppress(grpc.RpcError):
                list(answers)
            assert answers.code() in (grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT)
            assert time.monotonic() - begun < PATIENCE / 2
            refused += answers.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert refused > 0
    assert_quiet(server)
