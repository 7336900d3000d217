"""Blocks of an arena played elsewhere: whatever is lost and played again, each counts once, and the figures stay."""

import dataclasses
import json
import pickle
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from typer.testing import CliRunner
from wire import advisor, new, new_heart, new_sanctuary

import advisor as package
from advisor import cluster
from advisor.cli import app
from advisor.cluster import ATTEMPTS, MOST_BLOCKS, ClusterError, Ledger, Lost, Played, Recipe, connected, play_blocks
from advisor.games import Setup
from advisor.v1 import advisor_service_pb2 as pb
from search.arena import Block, run_arena


def setup_of(request: pb.NewPositionRequest) -> Setup:
    return advisor().setup(request)


@dataclass
class Fake:
    """An executor in this process: plays when asked for a result, in any order, and loses what it is told to.

    lose: by the number of the submission, from 0.
    """

    play: Callable[[range], Played]
    cores: int = 2
    lose: Callable[[int], bool] = lambda _: False
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    handed_out: list[range] = field(default_factory=list)
    running: set[int] = field(default_factory=set)
    most: int = 0
    cancelled: list[int] = field(default_factory=list)

    def slots(self) -> int:
        return self.cores

    def submit(self, numbers: range) -> int:
        self.handed_out.append(numbers)
        self.running.add(len(self.handed_out) - 1)
        self.most = max(self.most, len(self.running))
        return len(self.handed_out) - 1

    def wait(self, tasks: Sequence[int]) -> Sequence[int]:
        assert set(tasks) == self.running
        return self.rng.sample(tasks, self.rng.randint(0, min(2, len(tasks))))

    def result(self, task: int) -> Played:
        self.running.remove(task)
        if self.lose(task):
            raise Lost("the node died")
        return self.play(self.handed_out[task])

    def cancel(self, tasks: Sequence[int]) -> None:
        self.cancelled.extend(tasks)


def numbered(numbers: range) -> Played:
    """Blocks that tell their number by their score."""
    return Played(f"node {numbers[0] % 3}", {number: Block(2, 0.0, 0.0, float(number)) for number in numbers})


def ignore(done: int) -> None:
    del done


@pytest.mark.parametrize("blocks", [1, 2, 31, 200, 5_000])
@pytest.mark.parametrize("seed", range(3))
def test_every_block_counts_once_whatever_is_lost(blocks: int, seed: int) -> None:
    lost = random.Random(seed)
    fake = Fake(numbered, 2 + seed, lambda _: lost.random() < 0.2, random.Random(seed))
    ledger = Ledger(fake)
    done: list[int] = []
    played = ledger.play(blocks, done.append)
    assert [block.score for block in played] == list(range(blocks))
    assert done == sorted(done)
    assert done[-1] == blocks
    assert len(fake.handed_out) == ledger.tasks.tasks
    assert ledger.tasks.retried == ledger.tasks.tasks - len({numbers[0] for numbers in fake.handed_out})
    assert ledger.tasks.retried > 0 or blocks < 200
    assert ledger.tasks.nodes == len({numbers[0] % 3 for numbers in fake.handed_out})
    assert max(map(len, fake.handed_out)) <= MOST_BLOCKS
    assert fake.cancelled == []
    assert not fake.running


def test_tasks_handed_out_are_bounded_by_the_cores() -> None:
    fake = Fake(numbered, 3)
    Ledger(fake).play(10_000, ignore)
    assert fake.most == 6


def test_a_task_that_is_lost_each_time_ends_the_arena() -> None:
    fake = Fake(numbered, 1, lambda task: fake.handed_out[task][0] == 0)
    ledger = Ledger(fake)
    with pytest.raises(ClusterError, match=f"lost {ATTEMPTS} times, the last time so: the node died"):
        ledger.play(500, ignore)
    assert sum(numbers[0] == 0 for numbers in fake.handed_out) == ATTEMPTS
    assert set(fake.cancelled) == fake.running


def test_who_interrupts_leaves_no_task_running() -> None:
    fake = Fake(numbered)

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Ledger(fake).play(500, interrupt)
    assert set(fake.cancelled) == fake.running != set()


@pytest.mark.parametrize(
    "answer", [lambda numbers: numbered(range(numbers[0] + 1, numbers[-1] + 2)), lambda _: numbered(range(1))]
)
def test_blocks_that_nobody_asked_for_do_not_count(answer: Callable[[range], Played]) -> None:
    with pytest.raises(ClusterError, match="answered with others"):
        Ledger(Fake(answer)).play(100, ignore)


@pytest.mark.parametrize(
    ("request_of", "b", "games"),
    [
        (lambda: new(2, "base"), "random", 40),
        (lambda: new(3, "targets", promo=True), "mcts:20", 12),
        (lambda: new_heart(2, mirror_patterns=True), "random", 8),
        (lambda: new_sanctuary(1, "solo"), None, 6),
    ],
)
def test_the_figures_are_those_of_this_process(
    request_of: Callable[[], pb.NewPositionRequest], b: str | None, games: int
) -> None:
    """To the bit, although tasks end in any order and are lost; the recipe has travelled."""
    setup = setup_of(request_of())
    recipe = Recipe.of(setup, "greedy", b, 5)
    travelled = pickle.loads(pickle.dumps(recipe))
    assert travelled == recipe
    lost = random.Random(3)
    fake = Fake(lambda numbers: play_blocks(travelled, numbers), 1, lambda _: lost.random() < 0.3)
    elsewhere = run_arena(lambda: setup.kernel, "greedy", b, games, 5, elsewhere=Ledger(fake).play)
    assert elsewhere == run_arena(lambda: setup.kernel, "greedy", b, games, 5, threads=2)
    assert elsewhere != run_arena(lambda: setup.kernel, "greedy", b, games, 6, threads=2)


def test_a_recipe_is_made_into_a_game_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe.of(setup_of(new(2)), "random", "random", 1)
    cluster.kernel.cache_clear()
    for number in range(5):
        play_blocks(pickle.loads(pickle.dumps(recipe)), range(number, number + 1))
    assert cluster.kernel.cache_info().misses == 1


def test_another_version_does_not_play() -> None:
    recipe = dataclasses.replace(Recipe.of(setup_of(new(2)), "random", "random", 1), version="0.0.1")
    with pytest.raises(ClusterError, match=f"a node has version {package.__version__} .* 0.0.1"):
        play_blocks(recipe, range(1))


# Errors of the command. None of these starts a cluster.

ARENA = ["arena", "--game", "ocean", "--players", "2", "--a", "random", "--b", "random", "--games", "2"]


def arena(*options: str) -> Any:
    return CliRunner().invoke(app, [*ARENA, *options])


@pytest.mark.parametrize("address", ["nonsense", "host:", ":1", "host:70000", "host:x"])
def test_an_address_that_is_none(address: str) -> None:
    outcome = arena("--ray", address)
    assert (outcome.exit_code, outcome.stdout) == (3, "")
    assert outcome.stderr == f"--ray: expected HOST:PORT, auto or local, not {address}\n"


def test_nobody_listens() -> None:
    outcome = arena("--ray", "127.0.0.1:1")
    assert (outcome.exit_code, outcome.stderr) == (3, "--ray: no Ray cluster at 127.0.0.1:1: connection refused\n")


def test_threads_are_the_clusters_own() -> None:
    outcome = arena("--ray", "127.0.0.1:1", "--threads", "2")
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith("--threads: has no effect with --ray")


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # so an import fails as if it were not there
    outcome = arena("--ray", "local", "--json")
    assert (outcome.exit_code, outcome.stdout) == (3, "")
    assert outcome.stderr == "--ray: Ray is not installed: pip install 'sirenia[cluster]'\n"
    with pytest.raises(ClusterError, match="not installed"), connected("local"):
        pass


def test_an_arena_of_this_process_needs_no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    outcome = arena("--json")
    assert outcome.exit_code == 0
    assert "ray" not in json.loads(outcome.stdout)
