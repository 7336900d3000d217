"""Callers who come and go: nothing is lost, nothing stays behind, and the server answers the next one at once."""

import random
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from select import select
from threading import Event, Thread
from typing import Any

import grpc
import pytest
from test_server import Child, ask, child, connect, wait_for
from wire import new, observe, play

from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import advisor_service_pb2_grpc, position_pb2

pytestmark = pytest.mark.apart

PAIRS = 1000
SIDE_BY_SIDE = 16
EXPIRED = 200
GROWTH = 48 << 20
"""Bytes by which the server may have grown: what allocators of a few threads keep for later."""
PROMPT = 0.010
"""Seconds within which a worker is free again."""

CANCELLED, DEADLINE = grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED
OK, FULL = grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.fixture(scope="module")
def server() -> Iterator[Child]:
    # It keeps no answers: who asks after a storm is to be searched for.
    with child("--workers", "2", "--queue-length", "8", "--cache-bytes", "0", "--log-level", "error") as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


def resident(server: Child) -> int:
    """Bytes of the server's memory that are in use."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmRSS")


def start(stub: Any, position: position_pb2.Position, kind: int, timeout: float | None = None) -> Any:
    """A call that searches for a minute, of one of the three RPCs that search."""
    advise = ask(position, 60)
    if kind == 0:
        watched = pb.WatchAdviceRequest(advise=advise)
        watched.interval.FromMilliseconds(20)
        return stub.WatchAdvice(watched, timeout=timeout)
    if kind == 1:
        choice = pb.ChooseMoveRequest(position=position, seat=1, limits=advise.limits)
        return stub.ChooseMove.future(choice, timeout=timeout)
    return stub.Advise.future(advise, timeout=timeout)


def storm(address: str, position: position_pb2.Position, calls: int, expire: bool) -> Counter[grpc.StatusCode]:
    """Calls that are cancelled after a moment, or whose deadline is that moment; how each of them ended."""
    rng = random.Random(calls)
    left = deque((number % 4, rng.choice((0.0, 0.001, 0.005, 0.02, 0.04)) * rng.random()) for number in range(calls))

    def visitor(_: int) -> Counter[grpc.StatusCode]:
        outcomes: Counter[grpc.StatusCode] = Counter()
        with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
            while (next_one := left.popleft() if left else None) is not None:
                kind, moment = next_one
                call = start(stub, position, kind, moment if expire else None)
                if not expire:
                    if kind == 0 and moment < 0.001:
                        with suppress(grpc.RpcError):
                            next(call)  # it searches, unless there was no room for it
                    time.sleep(moment)
                    call.cancel()
                outcomes[call.code()] += 1
        return outcomes

    with ThreadPoolExecutor(SIDE_BY_SIDE) as visitors:
        return sum(visitors.map(visitor, range(SIDE_BY_SIDE)), Counter())


def assert_quiet(server: Child, position: position_pb2.Position) -> None:
    """No worker is busy, no call is open, and the next caller is answered at once."""
    names = ("advisor_workers_busy", "advisor_queue_length", "advisor_requests_in_flight")
    wait_for(lambda: all(server.metric(name) == 0 for name in names))
    with connect(server.address) as stub:
        begun = time.monotonic()
        assert stub.Advise(ask(position, simulations=100), timeout=5).simulations == 100
        assert time.monotonic() - begun < 1


def test_a_thousand_start_and_cancel_pairs(server: Child, position: position_pb2.Position) -> None:
    storm(server.address, position, PAIRS // 5, expire=False)
    assert_quiet(server, position)
    before, stopped = resident(server), server.metric("advisor_cancel_seconds_count")
    outcomes = storm(server.address, position, PAIRS, expire=False)
    assert outcomes.total() == PAIRS
    assert outcomes.keys() <= {CANCELLED, FULL}
    assert outcomes[CANCELLED] > PAIRS / 2
    assert_quiet(server, position)
    assert resident(server) < before + GROWTH
    # Many were cancelled before they had a worker; of the others each has given its worker back.
    assert server.metric("advisor_cancel_seconds_count") >= stopped + PAIRS / 100


def test_workers_are_free_at_once(server: Child, position: position_pb2.Position) -> None:
    """The worker is what has to give up its core, which takes no longer than it takes to get one."""
    for _ in range(5):  # the machine may have other things to do
        prompt = server.metric("advisor_cancel_seconds_bucket", le=str(PROMPT))
        done = server.metric("advisor_cancel_seconds_count")
        with connect(server.address) as stub:
            for number in range(60):
                call = start(stub, position, 0)
                next(call)
                time.sleep(0.001 * (number % 10))
                call.cancel()
                assert call.code() == CANCELLED
        assert_quiet(server, position)
        done = server.metric("advisor_cancel_seconds_count") - done
        prompt = server.metric("advisor_cancel_seconds_bucket", le=str(PROMPT)) - prompt
        assert done == 60
        if prompt >= 0.95 * done:
            return
    pytest.fail(f"only {prompt:.0f} of {done:.0f} workers were free within {PROMPT} s")


def test_expired_deadlines(server: Child, position: position_pb2.Position) -> None:
    before = resident(server)
    outcomes = storm(server.address, position, EXPIRED, expire=True)
    assert outcomes.total() == EXPIRED
    assert outcomes.keys() <= {OK, DEADLINE, FULL}
    assert outcomes[DEADLINE] > 0
    assert_quiet(server, position)
    assert resident(server) < before + GROWTH


def test_closed_channels(server: Child, position: position_pb2.Position) -> None:
    before = resident(server)
    for _ in range(25):
        channel = grpc.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        assert not next(watched := start(stub, position, 0)).final
        calls = [stub.Advise.future(ask(position, 60)) for _ in range(3)]
        channel.close()
        assert {call.code() for call in (*calls, watched)} == {CANCELLED}
    assert_quiet(server, position)
    assert resident(server) < before + GROWTH


class Relay:
    """A port that passes everything on to the server until the connections through it are reset."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._target = (host, int(port))
        self._broken = Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = Thread(target=self._run)
        self._thread.start()

    def reset(self) -> None:
        """Break every connection as a machine does that has lost its power and is asked again."""
        self._broken.set()
        self._thread.join()

    def _run(self) -> None:
        partner: dict[socket.socket, socket.socket] = {}
        while not self._broken.is_set():
            for one in select([self._listening, *partner], [], [], 0.005)[0]:
                if one is self._listening:
                    near, far = one.accept()[0], socket.create_connection(self._target)
                    partner |= {near: far, far: near}
                elif data := one.recv(65536):
                    partner[one].sendall(data)
        self._listening.close()
        for one in partner:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()


def test_connections_that_are_reset(server: Child, position: position_pb2.Position) -> None:
    for _ in range(5):
        relay = Relay(server.address)
        with connect(relay.address) as stub:
            calls = [stub.Advise.future(ask(position, 60)) for _ in range(4)]
            wait_for(lambda: server.metric("advisor_workers_busy") == 2)
            relay.reset()
            wait_for(lambda: server.metric("advisor_workers_busy") + server.metric("advisor_queue_length") == 0)
            assert {call.code() for call in calls} == {grpc.StatusCode.UNAVAILABLE}
    assert_quiet(server, position)


CLIENT = """
import sys, time, grpc
from advisor.v1 import advisor_service_pb2, advisor_service_pb2_grpc
channel = grpc.insecure_channel(sys.argv[1])
stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
request = advisor_service_pb2.WatchAdviceRequest.FromString(bytes.fromhex(sys.argv[2]))
watched = stub.WatchAdvice(request)
next(watched)
calls = [stub.Advise.future(request.advise) for _ in range(3)]
print("searching", flush=True)
time.sleep(60)
"""


def test_killed_clients(server: Child, position: position_pb2.Position) -> None:
    before = resident(server)
    request = pb.WatchAdviceRequest(advise=ask(position, 60)).SerializeToString().hex()
    command = [sys.executable, "-c", CLIENT, server.address, request]
    for _ in range(2):
        client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert client.stdout is not None
        assert client.stdout.readline() == "searching\n"
        wait_for(lambda: server.metric("advisor_workers_busy") == 2)
        client.send_signal(signal.SIGKILL)
        wait_for(lambda: server.metric("advisor_workers_busy") + server.metric("advisor_queue_length") == 0)
        client.communicate()
    assert_quiet(server, position)
    assert resident(server) < before + GROWTH
