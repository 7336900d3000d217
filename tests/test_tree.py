"""Tree memory: a limit that holds, and a search that says when it is full. Engines do exactly what they are asked."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from differential import house
from ocean_cases import catalogue, dealt

from ext.engine import OBJECTIVES, STEP_CODES, VALUE_ONE, Engine, Flat, logarithm
from ext.game import Game, Observation
from ext.heart import Heart
from ext.mcts import Mcts
from ext.ocean import Ocean
from ext.tree import forget, kept, measure
from ext.uct import Uct

pytestmark = pytest.mark.kernel

FOREVER = 600.0


@cache
def table(kind: str = "ocean", seats: int = 3) -> tuple[Game, Observation]:
    """Round 2 of ocean, where every seat has a choice of nine cards; a placement of heart after some turns."""
    if kind == "heart":
        heart = Heart(seats, house("heart"))
        state = heart.deal(4)
        for number in range(1000):
            turn = heart.turn(state)
            if turn >= 0 and number > 30 and len(heart.moves(state, turn)) > 8:
                return heart, heart.observe(state, turn)
            if turn >= 0:
                state = heart.play(state, turn, heart.choose(state, turn, number))
            else:
                state = heart.happen(state, heart.draw(state, 4, 0))
    game = Ocean(seats, catalogue(dict.fromkeys(range(0, 40, 3), "EACH_PLANT_OR_CORAL")))
    state = dealt(game, [7 * i % 40 for i in range(40)])
    for seat in range(seats):
        state = game.play(state, seat, game.moves(state, seat)[seat])
    return game, game.observe(state, 0)


Growing = Uct | Mcts
KINDS: list[type[Uct] | type[Mcts]] = [Uct, Mcts]
trees = pytest.mark.parametrize("kind", KINDS)
ENGINES: dict[str, Callable[..., Engine]] = {
    "flat": lambda game, seen, objective=0, seed=1, tree=0, depth=1000, **memory: Flat(
        game, seen, objective, seed, tree, depth
    ),
    "uct": Uct,
    "mcts": Mcts,
}
engines = pytest.mark.parametrize("name", ENGINES)
every_game = pytest.mark.parametrize("game_kind", ["heart", "ocean"])


def make(name: str, simulations: int = 1000, seed: int = 1, game_kind: str = "ocean", **more: Any) -> Engine:
    game, seen = table(game_kind)
    more = {"objective": 0, "memory": 64 << 20} | more
    return ENGINES[name](game, seen, seed=seed, simulations=simulations, **more)


def code(name: str) -> int:
    return next(number for number, word in STEP_CODES.items() if word == name)


# The arena.


@pytest.mark.parametrize("fanout", [1, 2, 14, 80])
def test_a_capacity_and_its_bytes_agree(fanout: int) -> None:
    before = 0
    for capacity in [*range(1, 70), 127, 128, 129, 1000, 4095, 4096, 4097, 100_000, 1_000_000, 20_000_000]:
        size, fits = measure(capacity, fanout)
        assert fits == capacity
        assert size > before
        before = size
        # Nodes, edges and a table that is at most half full.
        assert size >= capacity * (28 + 40 * fanout + 8)
        assert size <= (capacity + 1) * (32 + 48 * fanout + 16) + 64


def test_more_nodes_than_numbers_are_not_promised() -> None:
    _, fits = measure((1 << 32) - 2, 1)
    assert fits < 1 << 31


# Memory.


@trees
@pytest.mark.parametrize("memory", [1 << 14, 20_000, 1 << 16, 1 << 18, 1 << 20])
@every_game
def test_the_memory_limit_holds_and_a_full_tree_says_so(game_kind: str, kind: type[Growing], memory: int) -> None:
    game, seen = table(game_kind)
    engine = kind(game, seen, 0, 1, memory=memory, simulations=1 << 40)
    assert engine.step(1 << 40, FOREVER) == code("full")
    assert 0 < engine.nodes * engine.bytes_per_node <= memory
    # It is full, not merely stopped early: what is left would not do for another quarter of the nodes.
    assert engine.simulations > 0
    if kind is Uct:
        assert engine.nodes <= engine.simulations + 1
        assert engine.simulations * engine.bytes_per_node >= 0.4 * memory
    assert engine.step(10, FOREVER) == code("full")
    assert sum(sums[0] for sums in engine.sums()) == engine.simulations


@trees
def test_more_memory_makes_a_larger_tree(kind: type[Growing]) -> None:
    game, seen = table()
    done = []
    for memory in (1 << 15, 1 << 16, 1 << 17):
        engine = kind(game, seen, 0, 1, memory=memory, simulations=1 << 40)
        engine.step(1 << 40, FOREVER)
        done.append(engine.simulations)
    assert done[0] < done[1] < done[2]


@trees
@every_game
def test_memory_does_not_bind_where_the_simulations_fit(game_kind: str, kind: type[Growing]) -> None:
    game, seen = table(game_kind)
    answers = []
    for memory in (8 << 20, 64 << 20):
        engine = kind(game, seen, 0, 1, memory=memory, simulations=500)
        assert engine.step(500, FOREVER) == code("enough")
        assert engine.simulations == 500
        assert engine.nodes <= 501
        answers.append(engine.sums())
    assert answers[0] == answers[1]


@trees
@every_game
def test_a_full_tree_is_the_beginning_of_a_larger_one(game_kind: str, kind: type[Growing]) -> None:
    """What was found before the memory ran out is what more memory finds in as many simulations."""
    game, seen = table(game_kind)
    small = kind(game, seen, 0, 1, memory=1 << 15, simulations=1 << 40)
    small.step(1 << 40, FOREVER)
    large = kind(game, seen, 0, 1, memory=64 << 20, simulations=small.simulations)
    assert large.step(small.simulations, FOREVER) == code("enough")
    assert large.sums() == small.sums()


@trees
def test_no_memory_at_all_is_an_error(kind: type[Growing]) -> None:
    game, seen = table()
    for memory in (0, 1, 40):
        with pytest.raises(MemoryError):
            kind(game, seen, 0, 1, memory=memory, simulations=10)


# Trees that are kept.


def summary(engine: Engine) -> object:
    return engine.sums(), engine.nodes, engine.depth_sum, engine.plies, [engine.line(i) for i in range(3)]


@trees
@every_game
@pytest.mark.parametrize("done", [3, 40, 1000])
def test_a_kept_tree_finds_what_a_new_one_finds(game_kind: str, kind: type[Growing], done: int) -> None:
    """However full it was: a table is cleared whole or node by node."""
    game, seen = table(game_kind)

    def search(seed: int, simulations: int) -> object:
        engine = kind(game, seen, 0, seed, memory=64 << 20, simulations=1000)
        engine.step(simulations, FOREVER)
        return summary(engine)

    forget()
    fresh = search(1, 1000)
    forget()
    for seed in range(2, 6):
        search(seed, done)
        assert kept()[0] == 1
        assert search(1, 1000) == fresh
    assert kept()[0] == 1


def test_trees_that_are_open_share_nothing() -> None:
    forget()
    make("mcts").step(500, FOREVER)
    alone = make("mcts", seed=3)
    alone.step(1000, FOREVER)
    both = [make("mcts", seed=3), make("mcts", seed=4)]
    assert kept()[0] == 0
    for _ in range(10):
        for engine in both:
            engine.step(100, FOREVER)
    assert summary(both[0]) == summary(alone)
    del both, alone, engine
    assert kept()[0] == 3


@trees
def test_another_shape_is_another_tree(kind: type[Growing]) -> None:
    forget()
    for simulations in (100, 101, 5000, 100):
        make(kind.__name__.lower(), simulations=simulations).step(100, FOREVER)
    assert kept()[0] == 3
    make(kind.__name__.lower(), simulations=100, game_kind="heart").step(100, FOREVER)
    assert kept()[0] == (4 if kind is Mcts else 3)  # a node has room for as many edges as the game has moves


def test_what_is_kept_is_bounded_and_large_trees_are_given_back() -> None:
    forget()
    large = make("mcts", simulations=200_000, memory=256 << 20)
    large.step(200_000, FOREVER)
    del large
    assert kept()[:2] == (0, 0)
    used = 0
    for simulations in range(2000, 54_000, 2000):
        engine = make("mcts", simulations=simulations)
        engine.step(simulations, FOREVER)
        del engine
        trees, touched, most = kept()
        assert 0 < touched <= most
        used = max(used, touched)
    # Had nothing been dropped all of them would be there.
    assert used > most / 2
    assert trees < 26
    for simulations in range(1, 100):
        make("mcts", simulations=simulations).step(simulations, FOREVER)
    assert kept()[0] == 64
    forget()
    assert kept()[:2] == (0, 0)


def test_a_kept_tree_counts_with_all_that_was_ever_touched_of_it() -> None:
    forget()
    make("mcts").step(1000, FOREVER)
    before = kept()
    make("mcts").step(1, FOREVER)
    assert kept() == before


def test_what_is_kept_does_not_stand_in_the_way(tmp_path: Path) -> None:
    """Where addresses are limited, too: trees of other shapes are given back before there is no memory."""
    script = """
import resource
from test_tree import kept, make
make("mcts")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2)
for memory in range(250, 260):
    make("mcts", simulations=1 << 40, memory=memory << 20).step(100, 600.0)
print(kept()[0])
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "1\n", done.stderr


def test_who_asks_what_is_kept_is_in_nobody_s_way() -> None:
    """A thread that has the interpreter's lock may wait for that of the trees, so never the other way round."""
    script = """
import threading
from test_tree import kept, make
def work():
    for _ in range(3000):
        make("uct", simulations=1)
def ask():
    while any(thread.is_alive() for thread in workers):
        kept()
workers = [threading.Thread(target=work) for _ in range(2)]
askers = [threading.Thread(target=ask) for _ in range(2)]
for thread in workers + askers:
    thread.start()
for thread in workers + askers:
    thread.join()
print("done")
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, timeout=120)
    assert done.stdout == b"done\n"


def test_threads_open_and_close_trees_at_once() -> None:
    forget()
    expected = {}
    for seed in range(8):
        engine = make("mcts", seed=seed, simulations=200 + seed % 2)
        engine.step(200, FOREVER)
        expected[seed] = engine.sums()

    def work(thread: int) -> None:
        for number in range(100):
            seed = (thread + number) % 8
            engine = make("mcts", seed=seed, simulations=200 + seed % 2)
            engine.step(200, FOREVER)
            assert engine.sums() == expected[seed]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert 1 <= kept()[0] <= 2 * 5


# Steps.


@engines
@every_game
def test_a_step_makes_exactly_the_simulations_asked_for(game_kind: str, name: str) -> None:
    # Every simulation is played to the end: in ocean round 2 to 9 of three seats.
    most = 3 * 16 if game_kind == "ocean" else table(game_kind)[0].max_plies
    for count in (1, 2, 7, 8, 9, 64, 333):
        engine = make(name, game_kind=game_kind)
        assert engine.step(count, FOREVER) == code("enough")
        assert engine.simulations == count
        assert sum(sums[0] for sums in engine.sums()) == count
        assert 0 < engine.plies <= count * most
        assert count <= engine.depth_sum <= count * engine.depth_max
    assert make(name).step(0, FOREVER) == code("enough")


@engines
@every_game
def test_steps_add_up_to_one_search(game_kind: str, name: str) -> None:
    """A search is resumable: it does not matter where its steps are cut."""
    whole = make(name, game_kind=game_kind)
    whole.step(400, FOREVER)
    cut = make(name, game_kind=game_kind)
    for count in (1, 7, 92, 100, 200):
        cut.step(count, FOREVER)
    assert cut.sums() == whole.sums()
    assert (cut.nodes, cut.depth_sum, cut.depth_max, cut.plies) == (
        whole.nodes,
        whole.depth_sum,
        whole.depth_max,
        whole.plies,
    )


@engines
def test_one_more_simulation_changes_one_move(name: str) -> None:
    found = []
    for count in (300, 301):
        engine = make(name, simulations=count)
        engine.step(count, FOREVER)
        found.append([sums[0] for sums in engine.sums()])
    assert sorted(b - a for a, b in zip(*found, strict=True)) == [0] * (len(found[0]) - 1) + [1]


@engines
def test_time_ends_a_step_soon(name: str) -> None:
    engine = make(name, simulations=1 << 40)
    assert engine.step(1 << 40, 0.01) == code("timeout")
    done = engine.simulations
    assert done >= 8
    assert done % 8 == 0
    # Without any time it still makes some and stops at the first look at the clock.
    for seconds in (0.0, -1.0):
        assert engine.step(1 << 40, seconds) == code("timeout")
        done += 8
        assert engine.simulations == done


@engines
def test_a_stopped_engine_stays_stopped(name: str) -> None:
    engine = make(name)
    engine.step(50, FOREVER)
    before = engine.sums()
    engine.stop()
    assert engine.step(100, FOREVER) == code("stopped")
    assert engine.simulations == 50
    assert engine.sums() == before


@engines
@every_game
def test_depth_limits_decisions_from_the_root(game_kind: str, name: str) -> None:
    for depth in (1, 2, 5):
        engine = make(name, simulations=2000, depth=depth, game_kind=game_kind)
        engine.step(2000, FOREVER)
        assert engine.depth_max == (1 if name == "flat" else depth)
        assert engine.simulations == 2000
    if name != "flat":
        engine = make(name, simulations=2000, game_kind=game_kind)
        engine.step(2000, FOREVER)
        assert engine.depth_max > 2


@engines
def test_seeds_and_tree_numbers_make_other_searches(name: str) -> None:
    found = set()
    for seed, tree in [(1, 0), (2, 0), (1, 1), (1, 2), (1 << 63, 0), (-1, 0), ((1 << 63) + 1, 0)]:
        engine = make(name, seed=seed, tree=tree)
        engine.step(200, FOREVER)
        found.add(repr(engine.sums()))
    assert len(found) == 7
    for seed in (1 + (1 << 64), 1 - (1 << 64)):
        engine = make(name, seed=seed)
        engine.step(200, FOREVER)
        assert repr(engine.sums()) in found


@engines
@every_game
def test_what_the_root_holds(game_kind: str, name: str) -> None:
    game, seen = table(game_kind)
    engine = make(name, game_kind=game_kind)
    engine.step(300, FOREVER)
    assert engine.moves() == game.moves_observation(seen)
    assert sum(engine.priors()) == pytest.approx(1)
    assert all(prior > 0 for prior in engine.priors())
    for choice, sums in enumerate(engine.sums()):
        visits, value, square, win, score, score_square = sums
        assert visits > 0
        assert 0 < value < visits * VALUE_ONE
        assert 0 < square <= visits * VALUE_ONE
        assert sum(win) == pytest.approx(visits * VALUE_ONE, rel=1e-6)
        assert all(s * s <= visits * q for s, q in zip(score, score_square, strict=True))
        line, playable = engine.line(choice)
        assert line[0] == (engine.seat, engine.moves()[choice])
        assert 1 <= playable <= len(line)


def test_flat_visits_all_moves_alike_in_the_same_worlds() -> None:
    engine = make("flat")
    n = len(engine.moves())
    engine.step(25 * n + 3, FOREVER)
    assert [sums[0] for sums in engine.sums()] == [26] * 3 + [25] * (n - 3)


def test_under_score_the_value_is_the_own_score() -> None:
    for name in ENGINES:
        engine = make(name, objective=OBJECTIVES["score"])
        engine.step(200, FOREVER)
        for _, value, _, _, score, _ in engine.sums():
            assert 64 * value == score[engine.seat] * VALUE_ONE


def test_a_line_can_be_played() -> None:
    """Every seat's own moves, one after the other, from some world of the observation; the first ones at once."""
    game, seen = table()
    engine = make("mcts", simulations=5000)
    engine.step(5000, FOREVER)
    best = max(range(len(engine.moves())), key=lambda i: engine.sums()[i][0])
    line, playable = engine.line(best)
    assert line == engine.line(best)[0]
    assert len(line) > 2
    # Round 2: all pick, then all place; what the others pick is news before the own placement.
    assert [seat for seat, _ in line[:3]] == [0, 1, 2]
    assert playable == 1
    held = set(game.moves_observation(seen))
    for seat, move in line[:3]:
        assert move in held if seat == 0 else move not in held
    if len(line) > 3:
        assert line[3][0] == 0
        assert game.notation(line[3][1]).startswith("place")


@trees
def test_a_depth_of_nothing_is_refused(kind: type[Growing]) -> None:
    game, seen = table()
    with pytest.raises(ValueError, match="depth"):
        kind(game, seen, 0, 1, 0, 0, memory=1 << 20, simulations=10)


@pytest.mark.parametrize("choice", [-1, 9, 1000])
def test_the_line_of_no_move_is_refused(choice: int) -> None:
    with pytest.raises((IndexError, ValueError)):
        make("flat").line(choice)


def test_the_logarithm_of_the_searches() -> None:
    for x in [*range(1, 5000), 1.5, 1e6 + 0.5, 1e9, 2.0**52, 1e15]:
        assert logarithm(x) == pytest.approx(math.log(x), rel=1e-13, abs=1e-14)
