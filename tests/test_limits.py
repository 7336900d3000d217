"""What a client may cost: calls, rates, memory, sizes, connections; and that the server outlives who abuses it."""

import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client import CollectorRegistry
from test_api_guide import error_json
from wire import new, observe

from advisor.access import TOKEN_KEY
from advisor.budget import BYTES_PER_SECOND, BYTES_PER_SIMULATION, LEAST_BYTES, MemoryBudget, need
from advisor.client import Client
from advisor.client_policy import Retry
from advisor.clients import ClientLimits
from advisor.errors import AdvisorError
from advisor.machine import machine_memory
from advisor.metrics import Metrics
from advisor.server import ServerThread
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.tokens import make_token
from advisor.v1 import advice_pb2, advisor_service_pb2_grpc, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from search.request import Algorithm, Limits, Options

pytestmark = pytest.mark.apart

ONCE = Retry(attempts=1)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""The frame with which a client of HTTP/2 begins, empty."""


def settings(**changed: Any) -> Settings:
    return Settings(**{"port": 0, "metrics_port": 0, "workers": 1, "log_level": "error", **changed})


def value(server: ServerThread, name: str, **labels: str) -> float:
    registry: CollectorRegistry = server.running.metrics.registry
    return registry.get_sample_value(name, labels) or 0.0


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def answers(server: ServerThread) -> bool:
    """Whether a new connection is answered."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    with Client(server.address, retry=ONCE, options=options) as client:
        return len(client.list_games(pb.ListGamesRequest(), timeout=20).games) == 3


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(Advisor(settings()).new_position(new(3)).position, 0)


# Calls of one client.


class Clock:
    def __init__(self) -> None:
        self.now = 1e6

    def __call__(self) -> float:
        return self.now


def counts() -> Metrics:
    return Metrics(["ocean"], 1, 1)


def outcome(limits: ClientLimits, client: str) -> str | float:
    """ "" for a call that was let in, the reason or the delay of one that was not."""
    try:
        limits.enter(client)
    except AdvisorError as error:
        return error.retry_after or 0.0 if error.reason == "CLIENT_RATE" else error.reason
    return ""


def test_calls_at_a_time() -> None:
    limits = ClientLimits(2, 0.0, 1, 0.5, counts())
    assert [outcome(limits, who) for who in "aaaba"] == ["", "", "CLIENT_CALLS", "", "CLIENT_CALLS"]
    limits.leave("a")
    assert [outcome(limits, who) for who in "aa"] == ["", "CLIENT_CALLS"]
    for who in "aab":
        limits.leave(who)
    assert len(limits) == 0


def test_calls_a_second() -> None:
    clock = Clock()
    limits = ClientLimits(0, 2.0, 3, 0.5, counts(), clock=clock)
    assert [outcome(limits, "a") for _ in range(4)] == ["", "", "", 0.5]
    assert outcome(limits, "b") == ""
    clock.now += 0.25
    assert outcome(limits, "a") == pytest.approx(0.25)  # and being refused has cost nothing
    clock.now += 0.25
    assert [outcome(limits, "a") for _ in range(2)] == ["", 0.5]
    clock.now += 1000
    assert [outcome(limits, "a") for _ in range(4)] == ["", "", "", 0.5]  # no more is saved up


def test_who_comes_when_told_is_let_in() -> None:
    clock = Clock()
    limits = ClientLimits(0, 3.0, 1, 0.5, counts(), clock=clock)
    assert outcome(limits, "a") == ""
    for _ in range(1000):
        delay = outcome(limits, "a")
        assert isinstance(delay, float)
        clock.now += round(delay * 1000 + 0.5) / 1000
        assert outcome(limits, "a") == ""


def test_the_table_of_clients_is_bounded() -> None:
    clock = Clock()
    limits = ClientLimits(5, 1.0, 1, 0.5, counts(), most=100, clock=clock)
    limits.enter("stays")  # a call that goes on
    for number in range(1000):
        limits.enter(str(number))
        limits.leave(str(number))
        assert len(limits) <= 100
    assert outcome(limits, "999") != ""  # known still
    assert outcome(limits, "0") == ""  # forgotten
    for _ in range(4):
        clock.now += 1
        limits.enter("stays")
    clock.now += 1
    assert outcome(limits, "stays") == "CLIENT_CALLS"


def test_without_limits_nothing_is_kept() -> None:
    limits = ClientLimits(0, 0.0, 1, 0.5, counts())
    for number in range(100):
        limits.enter(str(number))
    assert len(limits) == 0
    limits.leave("5")


def long_search(position: position_pb2.Position) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=0)
    request.limits.time.FromSeconds(60)
    return request


def test_one_client_does_not_take_another_ones_calls(tmp_path: Path, position: position_pb2.Position) -> None:
    made = {name: make_token(name) for name in ("a", "b")}
    path = tmp_path / "tokens"
    path.write_text("".join(f"{line}\n" for _, line in made.values()))
    metadata = {name: ((TOKEN_KEY, f"Bearer {token}"),) for name, (token, _) in made.items()}
    with (
        ServerThread(settings(token_file=path, client_calls=2)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        watch = pb.WatchAdviceRequest(advise=long_search(position))
        calls = [
            stub.Advise.future(long_search(position), metadata=metadata["a"]),
            stub.WatchAdvice(watch, metadata=metadata["a"]),
        ]
        wait_for(
            lambda: sum(value(server, "advisor_requests_in_flight", rpc=r) for r in ("Advise", "WatchAdvice")) == 2
        )
        for method, request in ((stub.ListGames, pb.ListGamesRequest()), (stub.WatchAdvice, watch)):
            with pytest.raises(grpc.RpcError) as caught:
                list(method(request, metadata=metadata["a"], timeout=20))
            found = error_json(caught.value)
            assert (found["code"], found["reason"]) == ("RESOURCE_EXHAUSTED", "CLIENT_CALLS")
            assert found["retry_after_seconds"] == 0.5
        assert value(server, "advisor_rejected_total", reason="client_calls") == 2
        assert stub.ListGames(pb.ListGamesRequest(), metadata=metadata["b"], timeout=20).games
        for call in calls:
            call.cancel()
        # Whoever hangs up has its calls back.
        wait_for(lambda: not value(server, "advisor_requests_in_flight", rpc="WatchAdvice"))
        wait_for(lambda: not value(server, "advisor_requests_in_flight", rpc="Advise"))
        for _ in range(5):
            assert stub.ListGames(pb.ListGamesRequest(), metadata=metadata["a"], timeout=20).games


def test_a_client_that_is_too_fast_is_told_when_to_come_back() -> None:
    with ServerThread(settings(client_rate=5.0, client_burst=2)) as server:
        with Client(server.address, retry=ONCE) as client:
            found = []
            for _ in range(10):
                try:
                    client.list_games(pb.ListGamesRequest())
                except AdvisorError as refusal:
                    found.append(refusal)
        assert found
        for refused in found:
            assert (refused.status, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "CLIENT_RATE")
            assert refused.retry_after is not None
            assert 0 < refused.retry_after <= 0.2
        assert value(server, "advisor_rejected_total", reason="client_rate") == len(found)
        # The client library waits as it is told.
        with Client(server.address, retry=Retry(attempts=5)) as client:
            for _ in range(6):
                assert client.list_games(pb.ListGamesRequest()).games


def test_each_question_of_a_batch_is_a_call(position: position_pb2.Position) -> None:
    with ServerThread(settings(client_rate=0.001, client_burst=3)) as server, Client(server.address) as client:
        asked = [pb.AdviseBatchRequest(id=str(number)) for number in range(4)]
        for question in asked:
            question.choose.position.CopyFrom(position)
            question.choose.level = 1
        with client.batch(asked) as batch:
            found = [answer.failure.reason for answer in batch]
        # The stream itself is one, too.
        assert sorted(found) == ["", "", "CLIENT_RATE", "CLIENT_RATE"]
        assert value(server, "advisor_rejected_total", reason="client_rate") == 2


def test_a_request_beyond_the_rate_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are no message: had they been parsed, the error would be another."""
    with (
        ServerThread(settings(client_rate=0.001, client_burst=1)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub: Any = channel.unary_unary("/advisor.v1.AdvisorService/Advise", None, None)
        codes = []
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as caught:
                stub(b"\xff\xff", timeout=20)
            codes.append(error_json(caught.value)["reason"])
        assert codes == ["INVALID_REQUEST", "CLIENT_RATE"]


# Memory of all searches.


@pytest.mark.parametrize(
    ("limits", "options", "expected"),
    [
        (Limits(), Options(), 256 << 20),
        (Limits(simulations=1000), Options(), LEAST_BYTES + 1000 * BYTES_PER_SIMULATION),
        (Limits(simulations=10**9), Options(), 256 << 20),
        (Limits(seconds=0.5), Options(), LEAST_BYTES + BYTES_PER_SECOND // 2),
        (Limits(seconds=0.5), Options(trees=4, threads=2), LEAST_BYTES + BYTES_PER_SECOND),
        (Limits(seconds=0.5), Options(trees=2, threads=16), LEAST_BYTES + BYTES_PER_SECOND),
        (Limits(seconds=600, simulations=10), Options(), LEAST_BYTES + 10 * BYTES_PER_SIMULATION),
        (Limits(seconds=600, memory=1 << 16), Options(), 1 << 16),
        (Limits(seconds=600), Options(algorithm=Algorithm.GREEDY), 0),
        (Limits(seconds=600), Options(algorithm=Algorithm.FLAT), 0),
    ],
)
def test_what_a_search_is_reckoned_to_need(limits: Limits, options: Options, expected: int) -> None:
    assert need(limits, options) == expected


def test_the_budget_counts_the_largest_searches() -> None:
    metrics = counts()

    def shown() -> float | None:
        return metrics.registry.get_sample_value("advisor_search_memory_reserved_bytes")

    budget = MemoryBudget(100, 2, 0.5, metrics)
    with budget.holding(60), budget.holding(30), budget.holding(20):
        # Three are admitted, of which two ever have a tree at a time.
        assert budget.reserved == shown() == 90
        with pytest.raises(AdvisorError) as caught, budget.holding(41):
            pass
        assert (caught.value.reason, caught.value.retry_after) == ("OUT_OF_MEMORY", 0.5)
        assert budget.reserved == 90
        with budget.holding(40):
            assert budget.reserved == 100
        with pytest.raises(KeyError), budget.holding(35):
            raise KeyError
        assert budget.reserved == 90
    assert budget.reserved == shown() == 0
    assert metrics.registry.get_sample_value("advisor_rejected_total", {"reason": "out_of_memory"}) == 1


def test_memory_is_refused_before_it_is_taken(position: position_pb2.Position) -> None:
    total = 8 << 20
    with (
        ServerThread(settings(max_total_memory_bytes=total)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        large, small = long_search(position), long_search(position)
        large.limits.memory_bytes = total
        small.limits.memory_bytes = 1 << 20
        small.limits.time.FromMilliseconds(10)
        running = stub.Advise.future(large)
        wait_for(lambda: value(server, "advisor_search_memory_reserved_bytes") == total)
        choice = pb.ChooseMoveRequest(position=position, seat=0, limits=small.limits)
        for method, request in ((stub.Advise, small), (stub.ChooseMove, choice)):
            with pytest.raises(grpc.RpcError) as caught:
                method(request, timeout=20)
            found = error_json(caught.value)
            assert (found["code"], found["reason"]) == ("RESOURCE_EXHAUSTED", "OUT_OF_MEMORY")
            assert found["retry_after_seconds"] == 0.5
        small.options.algorithm = advice_pb2.ALGORITHM_GREEDY  # which has no tree
        stub.Advise(small, timeout=20)
        running.cancel()
        wait_for(lambda: not value(server, "advisor_search_memory_reserved_bytes"))
        assert stub.ChooseMove(choice, timeout=20).moves


def test_the_memory_of_the_machine(tmp_path: Path) -> None:
    assert machine_memory(tmp_path) == 4 << 30
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal:       16000000 kB\nMemFree:        1 kB\n")
    assert machine_memory(tmp_path) == 16_000_000 << 10
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert machine_memory(tmp_path) == 16_000_000 << 10
    (tmp_path / "sys/fs/cgroup/memory.max").write_text(f"{1 << 30}\n")
    assert machine_memory(tmp_path) == 1 << 30
    assert machine_memory() > 0


# Sizes: each cap is a setting, and a request beyond it is told which field.


def of_steps(request: Any, number: int) -> None:
    request.record.start.CopyFrom(request.position)
    request.ClearField("position")
    for _ in range(number):
        request.record.steps.add()


def test_every_cap_names_its_field(position: position_pb2.Position) -> None:
    caps: list[tuple[dict[str, Any], Callable[[Any], object], str, str]] = [
        ({"max_simulations": 10}, lambda r: setattr(r.limits, "simulations", 11), "limits.simulations", "1 to 10,"),
        ({"max_seconds": 2}, lambda r: r.limits.time.FromSeconds(3), "limits.time", "at most 2 s"),
        (
            {"max_memory_bytes": 1 << 20},
            lambda r: setattr(r.limits, "memory_bytes", (1 << 20) + 1),
            "limits.memory_bytes",
            "to 1,048,576,",
        ),
        (
            {"max_total_memory_bytes": 1 << 21},
            lambda r: setattr(r.limits, "memory_bytes", (1 << 21) + 1),
            "limits.memory_bytes",
            "to 2,097,152,",
        ),
        ({"max_trees": 3}, lambda r: setattr(r.options, "trees", 4), "options.trees", "1 to 3,"),
        ({"max_threads": 3}, lambda r: setattr(r.options, "threads", 4), "options.threads", "1 to 3,"),
        ({"max_record_steps": 3}, lambda r: of_steps(r, 4), "record.steps", "at most 3,"),
        *(
            (
                {"max_listed_moves": 2},
                lambda r, name=name: getattr(r.options, name).extend([position_pb2.Move(notation="pick 1")] * 3),
                f"options.{name}",
                "at most 2,",
            )
            for name in ("allow_moves", "avoid_moves", "report_moves")
        ),
    ]
    for chosen, change, path, message in caps:
        advisor = Advisor(settings(**chosen))
        for request in (pb.AdviseRequest(position=position, seat=0), pb.ChooseMoveRequest(position=position, seat=0)):
            if isinstance(request, pb.ChooseMoveRequest):
                if "report" in path:
                    continue
                request.limits.SetInParent()
            change(request)
            with pytest.raises(AdvisorError) as caught:
                advisor.prepare(request) if isinstance(request, pb.AdviseRequest) else advisor.prepare_choice(request)
            faults = {fault.path: fault.message for fault in caught.value.violations}
            assert path in faults, (path, faults)
            assert message in faults[path]


def test_what_is_not_asked_for_is_within_the_caps(position: position_pb2.Position) -> None:
    advisor = Advisor(settings(max_total_memory_bytes=1 << 20, max_seconds=0.05))
    held = advisor.prepare(pb.AdviseRequest(position=position, seat=0)).limits
    assert (held.memory, held.seconds) == (1 << 20, 0.05)


# Connections.


def connect(server: ServerThread, timeout: float = 20.0) -> socket.socket:
    host, port = server.address.split(":")
    connection = socket.create_connection((host, int(port)), timeout)
    connection.settimeout(timeout)
    return connection


def until_closed(connection: socket.socket) -> bytes:
    """What the server says before it hangs up; fails where it does not."""
    said = b""
    with suppress(ConnectionError):
        while more := connection.recv(1 << 16):
            said += more
    return said


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings(handshake_seconds=0.5)) as running:
        yield running


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_garbage(server: ServerThread) -> None:
    rng = random.Random(1)
    openings = [b"", PREFACE, PREFACE + SETTINGS, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"]
    for number in range(200):
        with connect(server) as connection:
            with suppress(ConnectionError):
                connection.sendall(rng.choice(openings) + rng.randbytes(rng.randint(0, 2000)))
            if number % 10 == 0:
                until_closed(connection)
    assert answers(server)


def test_frames_that_break_the_rules(server: ServerThread) -> None:
    def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload

    wrong = {
        "data on no stream": frame(0, 0, 1, b"x" * 100),
        "headers on stream 0": frame(1, 4, 0, b"\x82"),
        "headers that no table has": frame(1, 4, 1, b"\xff\xff\xff\xff\xff\xff\x7f"),
        "continuation of nothing": frame(9, 4, 1, b"\x82"),
        "an endless continuation": frame(1, 0, 1, b"") + frame(9, 0, 1, b"\x00\x01a\x7f" + b"a" * 126) * 2000,
        "a window of 0": frame(8, 0, 0, b"\x00\x00\x00\x00"),
        "settings of the wrong length": frame(4, 0, 0, b"\x00" * 7),
        "a push promise": frame(5, 4, 1, b"\x00\x00\x00\x02\x82"),
        "a frame longer than agreed": (1 << 23).to_bytes(3, "big") + b"\x00\x00\x00\x00\x00\x01",
        "streams that are reset": b"".join(
            frame(1, 5, 2 * n + 1, b"\x82") + frame(3, 0, 2 * n + 1, b"\x00\x00\x00\x08") for n in range(2000)
        ),
    }
    for name, sent in wrong.items():
        with connect(server) as connection, suppress(ConnectionError):
            connection.sendall(PREFACE + SETTINGS + sent)
            connection.shutdown(socket.SHUT_WR)
            until_closed(connection)
        assert answers(server), name


def test_connections_that_say_nothing_are_closed(server: ServerThread) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(connect(server)) for _ in range(50)]
        half = [stack.enter_context(connect(server)) for _ in range(50)]
        for connection in half:
            connection.sendall(PREFACE[:10])
        assert answers(server)
        for connection in silent + half:
            until_closed(connection)


def test_a_thousand_connections_that_come_and_go(server: ServerThread) -> None:
    assert answers(server)
    before = descriptors()
    for number in range(1000):
        with connect(server) as connection:
            if number % 2:
                connection.sendall(PREFACE + SETTINGS)
    assert answers(server)
    wait_for(lambda: descriptors() <= before + 5)


def test_a_flood_of_pings_is_cut_off(server: ServerThread) -> None:
    with connect(server) as connection:
        connection.sendall(PREFACE + SETTINGS)
        with suppress(ConnectionError):
            for number in range(100):
                connection.sendall(bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + number.to_bytes(8, "big"))
                time.sleep(0.001)
        assert b"too_many_pings" in until_closed(connection)
    assert answers(server)


def test_one_connection_too_many_is_hung_up_on() -> None:
    with ServerThread(settings(max_connections=3)) as server:
        with ExitStack() as stack:
            held = [stack.enter_context(connect(server)) for _ in range(3)]
            for connection in held:
                connection.sendall(PREFACE + SETTINGS)
                assert connection.recv(100)
            with connect(server) as more:
                assert until_closed(more) == b""
        wait_for(lambda: suppressed(lambda: answers(server)))


def suppressed(call: Callable[[], bool]) -> bool:
    with suppress(AdvisorError):
        return call()
    return False


def test_more_calls_than_a_connection_may_have_wait_in_the_client(position: position_pb2.Position) -> None:
    with (
        ServerThread(settings(max_streams=2)) as server,
        Client(server.address) as client,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        stub.ListGames(pb.ListGamesRequest(), timeout=20)  # the client knows the limit once it is connected
        calls = [stub.Advise.future(long_search(position)) for _ in range(2)]
        wait_for(lambda: value(server, "advisor_requests_in_flight", rpc="Advise") == 2)
        waiting = stub.ListGames.future(pb.ListGamesRequest(), timeout=60)
        time.sleep(0.1)
        assert not waiting.done()
        assert client.list_games(pb.ListGamesRequest()).games  # on a connection of its own
        calls[0].cancel()
        assert waiting.result().games
        calls[1].cancel()


def test_metadata_beyond_the_limit_ends_the_call_alone(server: ServerThread) -> None:
    with grpc.insecure_channel(server.address) as channel:
        stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        most = server.running.settings.max_metadata_bytes
        assert stub.ListGames(pb.ListGamesRequest(), metadata=(("x-text", "a" * (most - 1000)),), timeout=20).games
        with pytest.raises(grpc.RpcError) as caught:
            stub.ListGames(pb.ListGamesRequest(), metadata=(("x-text", "a" * (most + 1)),), timeout=20)
        assert error_json(caught.value)["code"] == "RESOURCE_EXHAUSTED"
        assert stub.ListGames(pb.ListGamesRequest(), timeout=20).games


def test_who_vanishes_while_it_waits_is_found_gone(position: position_pb2.Position) -> None:
    """A connection that answers nothing any more, as when a cable was pulled: its search is cancelled."""
    with ServerThread(settings(keepalive_seconds=0.2)) as server:
        proxy = Proxy(server)
        with proxy, grpc.insecure_channel(proxy.address) as channel:
            stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
            call = stub.Advise.future(long_search(position))
            wait_for(lambda: value(server, "advisor_workers_busy") == 1)
            proxy.silent = True
            wait_for(lambda: value(server, "advisor_workers_busy") == 0)
            call.cancel()


class Proxy:
    """One connection to a server that passes nothing on while it is `silent`."""

    def __init__(self, server: ServerThread) -> None:
        self.silent = False
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._open: list[socket.socket] = []

    def __enter__(self) -> "Proxy":
        self._threads[0].start()
        return self

    def __exit__(self, *error: object) -> None:
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._listener.close()

    def _accept(self) -> None:
        near, _ = self._listener.accept()
        far = connect(self._server)
        far.settimeout(None)
        self._open += [near, far]
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.silent:
                    target.sendall(data)
