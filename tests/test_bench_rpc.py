"""`advisor bench search`, `rpc` and `serving`: keys, arithmetic, and that they measure what they say."""

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import pytest
from differential import house
from wire import advisor, new, observe, play

from advisor.child import child_server
from advisor.cli import bench_rpc, bench_serving, main
from advisor.errors import AdvisorError
from advisor.load.positions import Unseeded
from advisor.settings import cores
from advisor.v1 import advisor_service_pb2
from ext.ocean import Ocean
from search import bench
from search.bench import OVERRUN_LIMIT, WINDOWS, bench_search, bytes_per_node, overrun, percentile, search_rate
from search.request import Algorithm, Limits, Options, StopReason
from search.run import Search

pytestmark = pytest.mark.apart

SEARCH_KEYS = {
    "game",
    "players",
    "algorithm",
    "simulations",
    "simulations_per_second",
    "bytes_per_node",
    "overrun_ms",
    "searches",
}
RPC_KEYS = {"overhead_ms", "health_ms", "calls"}

Run = Callable[..., Any]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that ends well; return the one line of JSON that it prints."""

    def run_command(*arguments: object) -> Any:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert ended.value.code in (0, None), captured.err
        assert len(captured.out.splitlines()) == 1
        return json.loads(captured.out)

    return run_command


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([3, 1, 2], 0.5, 2), ([4, 1, 3, 2], 0.5, 2), ([1], 0.99, 1), (range(1, 101), 0.99, 99), (range(1, 201), 1, 200)],
)
def test_percentiles(values: Any, share: float, expected: float) -> None:
    assert percentile(list(values), share) == expected


# Search.


@pytest.mark.parametrize("algorithm", ["mcts", "uct", "flat"])
def test_search_figures(run: Run, algorithm: str) -> None:
    command = ("bench", "search", "--game", "ocean", "--simulations", 500, "--searches", 5, "--seconds", 0.5)
    found = run(*command, "--algorithm", algorithm, "--json")
    assert found.keys() >= SEARCH_KEYS
    assert (found["game"], found["players"], found["algorithm"]) == ("ocean", 4, algorithm)
    assert (found["simulations"], found["searches"], found["threads"]) == (500, 5, os.cpu_count())
    rates = found["simulations_per_second"]
    assert set(rates) == {"one_thread", "all_threads"}
    assert min(rates.values()) > 1000
    late = found["overrun_ms"]
    assert set(late) == {"p50", "p99", "max"}
    assert 0 <= late["p50"] <= late["p99"] <= late["max"]
    if algorithm == "flat":
        assert found["bytes_per_node"] is None
    else:
        assert 40 < found["bytes_per_node"] < 5000


def test_search_defaults(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def note(*arguments: Any) -> dict[str, Any]:
        asked.extend(arguments)
        return {}

    monkeypatch.setattr("advisor.cli.bench.bench_search", note)
    monkeypatch.setenv("SECONDS_", "1.5")
    run("bench", "search", "--game", "ocean", "--json")
    game, observation, simulations, seconds, algorithm, searches = asked
    assert (game.name, game.seats, simulations, seconds) == ("ocean", 4, 10_000, 1.5)
    assert (algorithm, searches) == (Algorithm.MCTS, 200)
    assert len(game.moves_observation(observation)) == 10


def test_search_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Ocean(4, house())
    rates: list[tuple[Any, int]] = []
    late = iter([0.001, 0.002, 0.0015])

    def rate(_: Any, __: Any, simulations: int, seconds: float, algorithm: Algorithm, trees: int, seed: int) -> float:
        rates.append((seconds, trees))
        return float(100 * trees + seed)

    monkeypatch.setattr(bench, "search_rate", rate)
    monkeypatch.setattr(bench, "overrun", lambda *_: next(late))
    found = bench_search(game, game.observe(game.deal(1), 0), 10_000, 20 + 3 * OVERRUN_LIMIT, searches=3)
    cores = os.cpu_count() or 1
    assert rates[1:] == [(pytest.approx(2), trees) for _ in range(WINDOWS) for trees in (1, cores)]
    assert found["simulations_per_second"] == {"one_thread": 102, "all_threads": 100 * cores + 2}
    assert found["overrun_ms"] == pytest.approx({"p50": 1.5, "p99": 2, "max": 2})


def test_the_rate_counts_whole_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Ocean(2, house())
    observation = game.observe(game.deal(1), 0)
    begun = time.perf_counter()
    found = search_rate(game, observation, 3000, 0.0, Algorithm.MCTS, 1, 0)
    spent = time.perf_counter() - begun
    assert found >= 3000 / spent
    assert 0 <= overrun(game, observation, Algorithm.MCTS, 0) < 1
    monkeypatch.setattr(bench, "LEAST_MEMORY", 1 << 15)
    monkeypatch.setattr(bench, "MEMORY_EACH", 1)
    with pytest.raises(RuntimeError, match="bytes are too few"):
        search_rate(game, observation, 20_000, 0.0, Algorithm.MCTS, 1, 0)


def test_bytes_per_node_is_what_a_limit_buys() -> None:
    game = Ocean(4, house())
    observation = game.observe(game.deal(1), 0)
    each = bytes_per_node(game, observation, Algorithm.MCTS)
    assert each is not None
    memory = 1 << 20
    answer = Search(game, observation, Limits(seconds=20.0, memory=memory), Options(Algorithm.MCTS)).run()
    assert answer.stop_reason is StopReason.MEMORY
    assert answer.nodes * each <= memory * 1.01


# RPC.


def test_rpc_figures(run: Run) -> None:
    found = run("bench", "rpc", "--calls", 30, "--seconds", 0.3, "--json")
    assert found.keys() >= RPC_KEYS
    assert found["calls"] >= 30
    for key in ("overhead_ms", "overhead_busy_ms", "health_ms"):
        assert set(found[key]) == {"p50", "p99"}
        assert 0 < found[key]["p50"] <= found[key]["p99"] < 5000
    assert (found["game"], found["players"]) == ("ocean", 4)


def test_rpc_defaults(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def note(*arguments: Any) -> dict[str, Any]:
        asked.extend(arguments)
        return {}

    monkeypatch.setattr("advisor.cli.bench.bench_rpc", note)
    monkeypatch.setenv("SECONDS_", "2.5")
    run("bench", "rpc", "--players", 3, "--variant", "targets", "--json")
    request, seconds, calls = asked
    assert request == new(3, "targets")
    assert (seconds, calls) == (2.5, 500)


def test_serving_figures(run: Run) -> None:
    found = run("bench", "serving", "--milliseconds", 5, "--seconds", 5, "--json")
    assert found["bare_per_second"] > 0
    assert found["served_per_second"] > 0
    assert 0 < found["ratio"] < found["ratio_less_callers"]
    assert 0 < found["client_ms"] < 1e3 / found["served_per_second"]
    assert found["search_ms"] == pytest.approx(found["cores"] / found["bare_per_second"] * 1e3)
    assert (found["game"], found["players"], found["rounds"]) == ("ocean", 4, bench_serving.ROUNDS)


def test_a_wrong_answer_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that was kept nor one with other simulations counts as a search."""
    monkeypatch.setattr(bench_serving, "WARM_UP", 0.0)
    asked, (wrong,) = [Unseeded(request) for request in requests(2)], requests(1)
    wrong.limits.simulations = 0
    with child_server("--workers", "1") as address:
        assert bench_serving.served(address, asked, 10, 0.3)[0] > 0
        with pytest.raises(ValueError, match="not searched for"):
            bench_serving.served(address, asked, 11, 0.3)
        monkeypatch.setattr(bench_serving, "count", lambda _: repeat(7))
        with pytest.raises(ValueError, match="not searched for"):
            bench_serving.served(address, asked, 10, 0.3)
        with pytest.raises(AdvisorError, match="expected 1 to"):
            bench_serving.served(address, [Unseeded(wrong)], 10, 0.3)


def test_a_bare_loop_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many searches a second as there are, on every core."""

    class Slow:
        def __init__(self, *_: object) -> None: ...

        def run(self) -> None:
            time.sleep(0.02)

    monkeypatch.setattr(bench_serving, "Search", Slow)
    prepared = [advisor().prepare(request) for request in requests(5)]
    with ThreadPoolExecutor(cores()) as threads:
        found = bench_serving.bare(prepared, 10, 0.5, threads)
    assert 30 * cores() < found <= 50 * cores()


def requests(count: int) -> list[advisor_service_pb2.AdviseRequest]:
    found = []
    for seed in range(count):
        request = advisor_service_pb2.AdviseRequest(position=observe(play(new(), 16, seed), 1), seat=1)
        request.limits.simulations = 10
        found.append(request)
    return found


def test_measure_calls_often_and_long_enough() -> None:
    calls = iter(range(1_000_000))
    assert bench_rpc.measure(lambda: next(calls), 0, 5) == [0, 1, 2, 3, 4]
    begun = time.perf_counter()
    assert len(bench_rpc.measure(lambda: next(calls), 0.1, 5)) > 5
    assert 0.1 <= time.perf_counter() - begun < 1
