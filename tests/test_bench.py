"""The speed figures: their keys, their arithmetic, and what a playout counts."""

import json
import math
import os
import random
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from differential import house
from wire import advisor, new, new_heart, new_sanctuary

from advisor.cli.bench import reference_playout
from advisor.v1 import advisor_service_pb2 as pb
from ext import playout
from ext.game import CHANCE, OVER, Game
from ext.heart import Heart
from ext.ocean import Ocean
from ext.sanctuary import Sanctuary
from search import bench
from search.bench import WINDOWS, bench_playouts, rate, reference_rate

pytestmark = pytest.mark.apart

CONTRACT = {
    "game",
    "players",
    "threads",
    "playouts_per_second",
    "speedup_over_python",
    "thread_speedup",
    "plies_per_playout",
    "ns_per_ply",
}
TINY = 0.05
GAMES: dict[str, Callable[[], Game]] = {
    "heart": lambda: Heart(4, house("heart")),
    "ocean": lambda: Ocean(4, house()),
    "sanctuary": lambda: Sanctuary(4, house("sanctuary")),
    "sanctuary-1": lambda: Sanctuary(1, house("sanctuary"), {"challenge": "WEAK_CUT"}, "solo"),
    "sanctuary-12": lambda: Sanctuary(12, house("sanctuary"), {}, "scramble"),
}
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
@pytest.mark.parametrize("with_reference", [True, False])
def test_the_keys_of_the_contract_and_their_arithmetic(name: str, with_reference: bool) -> None:
    played: list[int] = []
    game = GAMES[name]()
    start = time.monotonic()
    found = bench_playouts(game, TINY, played.append if with_reference else None)
    # The bound holds but for one batch a window, which takes longer in a longer game.
    assert time.monotonic() - start < (5 if name == "ocean" else 20)
    assert set(found) >= CONTRACT
    assert json.loads(json.dumps(found)) == found
    assert (found["game"], found["players"], found["threads"]) == (game.name, game.seats, os.cpu_count())
    rates = found["playouts_per_second"]
    assert set(rates) == {"one_thread", "all_threads", "python_reference"}
    assert rates["one_thread"] > (100 if game.seats > 4 else 1000)
    assert rates["all_threads"] > (100 if game.seats > 4 else 1000)
    assert 0.1 < found["thread_speedup"] <= 4 * found["threads"]
    assert found["ns_per_ply"] * found["plies_per_playout"] * rates["one_thread"] == pytest.approx(1e9)
    if with_reference:
        assert found["speedup_over_python"] == pytest.approx(rates["one_thread"] / rates["python_reference"])
        # Every game of the reference has a seed of its own.
        assert len(played) >= WINDOWS
        assert len(set(played)) == len(played)
    else:
        assert rates["python_reference"] is found["speedup_over_python"] is None


@pytest.mark.parametrize(
    ("seats", "variant", "plies"),
    [
        (4, "base", 40 + 36 + 32),
        (4, "targets", 40 + 8 + 36 + 32),
        (3, "base", 30 + 27 + 24),
        (2, "base", 20 + 18 + 16),
        (2, "targets", 20 + 4 + 18 + 16),
    ],
)
def test_plies_are_decisions_and_chance_events_deal_included(seats: int, variant: str, plies: int) -> None:
    game = Ocean(seats, house(), variant=variant)
    assert playout.run(game, game.start(), 1, 100)[0] == 100 * plies
    # From the first decision on, the deal is behind.
    dealt = seats * (12 if variant == "targets" else 10)
    assert playout.run(game, game.deal(1), 1, 100)[0] == 100 * (plies - dealt)
    if (seats, variant) == (4, "base"):
        assert bench_playouts(game, TINY, None)["plies_per_playout"] == 108


@pytest.mark.parametrize("name", ["heart", "sanctuary", "sanctuary-1"])
def test_plies_are_those_of_uniform_play_step_by_step(name: str) -> None:
    game, rng, lengths = GAMES[name](), random.Random(1), []
    for _ in range(60):
        state, plies = game.start(), 0
        while (turn := game.turn(state)) != OVER:
            if turn == CHANCE:
                state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
            else:
                state = game.play(state, turn, rng.choice(game.moves(state, turn)))
            plies += 1
        lengths.append(plies)
    mean = playout.run(game, game.start(), 1, 1500)[0] / 1500
    assert abs(statistics.fmean(lengths) - mean) < 4.5 * statistics.stdev(lengths) / math.sqrt(60)
    assert bench_playouts(game, TINY, None)["plies_per_playout"] == pytest.approx(mean, rel=0.02)


@pytest.mark.parametrize(
    "request_",
    [
        new(3),
        new_heart(3),
        new_sanctuary(4, round_bonuses=True),
        new_sanctuary(1, "solo", challenge="SANCTUARY_CHALLENGE_POWER_CAP"),
        new_sanctuary(12, "scramble"),
    ],
    ids=lambda request: f"{request.game}-{request.seats}",
)
def test_there_is_a_reference_to_compare_with(request_: pb.NewPositionRequest) -> None:
    play = reference_playout(advisor().setup(request_))
    assert play is not None
    assert 0 < reference_rate(play, 0.0) < 100_000


def test_figures_are_medians_of_at_least_five_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WINDOWS >= 5
    asked: list[int] = []
    rates = {1: [5.0, 1.0, 3.0, 100.0, 2.0], 2: [10.0, 2.0, 9.0, 150.0, 4.0]}

    def made_up(game: Ocean, seconds: float, threads: int, pool: object, seed: int) -> float:
        asked.append(threads)
        return rates[threads][(asked.count(threads) - 1) % 5]

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(bench, "rate", made_up)
    found = bench_playouts(Ocean(2, house()), 1.0, None)
    # In turn, so that a drift of the machine meets both.
    assert asked == [1, 2] * WINDOWS
    if WINDOWS == 5:
        assert found["playouts_per_second"]["one_thread"] == 3
        assert found["playouts_per_second"]["all_threads"] == 9
        assert found["thread_speedup"] == 2


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_so_many_threads_play_at_once(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    game = Ocean(2, house())
    working: set[int] = set()
    seeds: list[int] = []
    lock = threading.Lock()
    run = playout.run

    def watched(game: Ocean, state: object, seed: int, count: int) -> tuple[int, int]:
        with lock:
            working.add(threading.get_ident())
            seeds.append(seed)
        time.sleep(0.002)
        return run(game, game.start(), seed, 10)

    monkeypatch.setattr(playout, "run", watched)
    with ThreadPoolExecutor(threads) as pool:
        assert rate(game, 0.02, threads, pool, 1) > 0
    assert len(working) == threads
    assert len(set(seeds)) == len(seeds)


def test_the_reference_is_timed_by_the_game() -> None:
    assert reference_rate(lambda seed: time.sleep(0.004), 0.01) == pytest.approx(230, rel=0.4)
    # A game longer than the window is played to its end and counts.
    assert reference_rate(lambda seed: time.sleep(0.01), 0.0) == pytest.approx(98, rel=0.3)
