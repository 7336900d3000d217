"""The fuzzer's corpus and changed positions through the kernels, which `make debug` and `make sanitize` watch."""

import random

import pytest
from fuzz.engines import mutators_by_game
from fuzz.seeds import requests
from fuzz.target import GAMES, Runner

pytestmark = pytest.mark.kernel

MUTANTS = 100
"""Changed requests of each RPC and game."""
KERNEL_RPCS = ("Observe", "ListMoves", "ApplyMove", "Advise", "ChooseMove")


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner()


@pytest.mark.parametrize("game", GAMES)
def test_the_corpus(runner: Runner, game: str) -> None:
    for rpc in KERNEL_RPCS:
        sound = requests()[rpc, game]
        reasons = [runner.run(rpc, request.SerializeToString()) for request in sound[:: 1 + len(sound) // 40]]
        assert reasons.count("") > len(reasons) / 3


@pytest.mark.parametrize("game", GAMES)
def test_changed_positions(runner: Runner, game: str) -> None:
    """Whatever stands in a position is refused or played on; a fault raises, or ends the process."""
    mutator, rng = mutators_by_game()[game], random.Random(7)
    reasons = set()
    for rpc in KERNEL_RPCS:
        kind, sound = runner.targets[rpc].request, requests()[rpc, game]
        for _ in range(MUTANTS):
            data = rng.choice(sound).SerializeToString()
            reasons.add(runner.run(rpc, mutator.mutated(kind, data, rng.getrandbits(32))))
    assert {"", "INVALID_REQUEST"} <= reasons
