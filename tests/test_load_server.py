"""`advisor load` against servers: what a stalled, a silent and a full one look like, and a real one."""

import asyncio
import csv
import json
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from test_load import check_page

from advisor.cli import main
from advisor.errors import QUEUE_FULL, AdvisorError
from advisor.load.asked import Kind, Load
from advisor.load.generator import METHOD, generate
from advisor.load.ledger import Table
from advisor.load.positions import Unseeded
from advisor.load.statistics import figures
from advisor.server import ServerThread
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from search.run import SEARCH_NICENESS

pytestmark = pytest.mark.apart

Answer = Callable[[pb.AdviseRequest, Any], Coroutine[Any, Any, pb.AdviseResponse]]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server in another thread that answers Advise as it is told; yields its address."""
    ready: list[str] = []
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        server = grpc.aio.server()
        service, method = METHOD.strip("/").split("/")
        handler: Any = grpc.unary_unary_rpc_method_handler(
            answer, pb.AdviseRequest.FromString, lambda message: message.SerializeToString()
        )
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
        ready.append(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
        await server.start()
        started.set()
        await stop.wait()
        await server.stop(0)

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert started.wait(20)
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()


def best(notation: str = "pick 1") -> pb.AdviseResponse:
    answer = pb.AdviseResponse(simulations=10)
    answer.moves.add(rank=1).move.notation = notation
    return answer


def run(address: str, kind: Kind, load: Load) -> tuple[Table, dict[str, Any]]:
    made = generate(address, [[Unseeded(pb.AdviseRequest())]], [kind], load)
    return made.ledger.table(), figures(made, [kind], load)


def test_a_stalled_server_cannot_hide() -> None:
    asked = 0

    async def answer(_request: pb.AdviseRequest, _context: Any) -> pb.AdviseResponse:
        nonlocal asked
        asked += 1
        await stalled.wait()
        if asked == 10:
            stalled.clear()
            asyncio.get_running_loop().call_later(0.8, stalled.set)
            await stalled.wait()
        return best()

    stalled = asyncio.Event()
    stalled.set()
    with answering(answer) as address:
        load = Load(rate=50, evenly=True, calls=70)
        table, found = run(address, Kind("x"), load)
    assert found["completed"] == 70
    # Forty calls were due in the stall. They were sent in it, and each counts what it waited.
    assert (table.latency_ms > 100).sum() >= 25
    assert found["latency_ms"]["p99"] > 600
    assert (table.lag_ms < 100).mean() > 0.8


def test_calls_carry_deadlines_and_seeds_of_their_own() -> None:
    seen: list[tuple[float | None, int]] = []

    async def answer(request: pb.AdviseRequest, context: Any) -> pb.AdviseResponse:
        seen.append((context.time_remaining(), request.options.seed))
        return best()

    with answering(answer) as address:
        run(address, Kind("x", deadline=5.0), Load(concurrency=2, calls=20))
        run(address, Kind("x"), Load(concurrency=1, calls=5))
    assert all(left is not None and 2 < left <= 5.001 for left, _ in seen[:20])
    assert all(left is None or left > 1e6 for left, _ in seen[20:])
    assert len({seed for _, seed in seen}) == 25


def test_outcomes_late_and_never() -> None:
    async def late(_request: pb.AdviseRequest, _context: Any) -> pb.AdviseResponse:
        await asyncio.sleep(30)
        return best()

    with answering(late) as address:
        # The server's own gRPC ends the call at its deadline: an error, and so an outcome.
        _, found = run(address, Kind("x", deadline=0.2), Load(rate=100, calls=5, grace=5.0))
        assert (found["failed"], found["failed_by"]) == (5, {"DEADLINE_EXCEEDED": 5})
        assert found["deadline_met"] == 0
        _, found = run(address, Kind("x"), Load(rate=100, calls=5, grace=0.2))
        assert (found["requests"], found["lost"]) == (5, 5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        _, found = run(address, Kind("x", deadline=0.1), Load(rate=100, calls=5, grace=0.2))
    assert (found["requests"], found["lost"]) == (5, 5)


def test_refusals() -> None:
    asked = 0

    async def answer(_request: pb.AdviseRequest, context: Any) -> pb.AdviseResponse:
        nonlocal asked
        asked += 1
        if asked % 2:
            error = AdvisorError(QUEUE_FULL, "full", retry_after=0.01)
            await context.abort(error.status, error.message, error.trailers())
        return best()

    with answering(answer) as address:
        _, found = run(address, Kind("x"), Load(concurrency=1, calls=10))
        assert (found["completed"], found["rejected"], found["rejected_with_retry"]) == (5, 5, 5)
        assert found["rejected_by"] == {QUEUE_FULL: 5}
        assert found["attempts"] == 10  # each call was one attempt
        _, found = run(address, Kind("x"), Load(concurrency=1, calls=10, attempts=2))
        assert (found["completed"], found["rejected"], found["attempts"]) == (10, 0, 20)
        # No time for another attempt: the refusal stands.
        _, found = run(address, Kind("x", deadline=0.005), Load(concurrency=1, calls=1, attempts=2))
        assert found["completed"] == 0


# The command.


@dataclass(frozen=True)
class Told:
    """What a command has told."""

    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Told]


@pytest.fixture
def niceness() -> list[int]:
    """What the command would have made its priority."""
    return []


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], niceness: list[int]) -> Command:
    """Run `advisor load` with few positions and short runs, at the tests' own priority; `code` is what it ends with.

    With mcts, since what exact search takes differs from one position to the next.
    """
    monkeypatch.setenv("SECONDS_", "0.6")
    monkeypatch.setattr("advisor.cli.load.lower_priority", niceness.append)
    monkeypatch.setattr("advisor.load.sweep.RAMP_SECONDS", 0.2)

    def run_command(*arguments: str | Path, code: int = 0) -> Told:
        small = ("--warm-up", "0.1", "--positions", "6", "--players", "2", "--algorithm", "mcts")
        line = ["load", *small, *map(str, arguments)]
        with pytest.raises(SystemExit) as ended:
            main(line)
        captured = capsys.readouterr()
        assert (ended.value.code or 0) == code, captured.err
        return Told(captured.out, captured.err)

    return run_command


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(Settings(port=0, metrics_port=0)) as running:
        yield running


def test_a_sweep_of_a_child_server(command: Command, niceness: list[int], tmp_path: Path) -> None:
    page, table = tmp_path / "r.html", tmp_path / "r.csv"
    settings = ("--sweep", "--simulations", "50,500", "--reference", "1000")
    files = ("--html", page, "--csv", table)
    points = command(*settings, *files, "--json", "--workers", "1", "--", "--queue-length", "7").json
    assert niceness == [SEARCH_NICENESS]
    assert [point["simulations"] for point in points] == [50, 500]
    for point in points:
        assert point["requests"] == point["completed"] > 5
        assert 0 < point["latency_ms"]["p50"] <= point["latency_ms"]["p999"] < 5000
        assert point["simulations_mean"] == point["simulations"]
        assert point["server"]["workers"] == 1
        assert point["server"]["queue_capacity"] == 7
        assert 0 < point["server"]["busy_workers"] <= 1.1
        assert 0 <= point["quality"]["agreement"] <= 1
        assert point["quality"]["positions"] == 6
        assert point["concurrency"] == 1
        assert point["cached"] == 0
    assert points[0]["latency_ms"]["p50"] < points[1]["latency_ms"]["p50"]
    assert "50 sims" in check_page(page.read_text(encoding="utf-8")).text
    assert len(list(csv.DictReader(table.open(encoding="utf-8")))) == 2


def test_a_mix_and_a_bound(command: Command, server: ServerThread) -> None:
    at = ("--server", server.address, "--metrics", f"127.0.0.1:{server.metrics_port}", "--reference", "0", "--json")
    mix = ("--mix", "100ms*1,20@10s*5", "--rate", "30", "--max-lost", "0", "--max-failed", "0")
    found = command(*at, *mix).json
    assert set(found["by_class"]) == {"100ms", "20@10s"}
    assert sum(part["requests"] for part in found["by_class"].values()) == found["requests"] > 5
    assert found["quality"] is None
    assert found["server"]["requests"]["OK"] >= found["completed"]
    slow = command(*at, "--time", "200ms", "--target-p99", "100ms", "--calls", "3", code=1)
    assert "--target-p99: p99 is" in slow.err
    assert slow.json["requests"] == 3


def test_a_part_of_the_capacity(command: Command, server: ServerThread) -> None:
    at = ("--server", server.address, "--simulations", "20", "--reference", "0", "--json")
    found = command(*at, "--of-capacity", "0.3", "--calls", "20", "--deadline", "10s").json
    assert found["requests"] == 20
    assert found["capacity"]["throughput"] > 0
    assert found["rate"] == pytest.approx(0.3 * found["capacity"]["throughput"])
    assert found["deadline_met"] is not None


def test_figures_for_people(command: Command, server: ServerThread) -> None:
    told = command("--server", server.address, "--calls", "5", "--simulations", "20", "--reference", "100").out
    assert "p99 ms" in told
    assert "ocean 2p, 20 sims, 1 caller" in told


def test_servers_that_cannot_be_asked(command: Command, server: ServerThread) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        closed = f"127.0.0.1:{taken.getsockname()[1]}"
        assert "cannot be reached" in command("--server", closed, code=3).err
        assert "no Prometheus metrics at" in command("--server", server.address, "--metrics", closed, code=3).err
    assert "game: expected" in command("--server", server.address, "--game", "chess", code=2).err
    assert "seats: expected" in command("--server", server.address, "--players", "9", code=2).err
