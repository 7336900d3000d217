"""The two ways to come by inputs: sound requests changed at random, and atheris, which follows what is executed."""

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from google.protobuf.message import Message

from fuzz.child import Bounds, Keep, Trial, watch
from fuzz.flight import Flight
from fuzz.mutate import Mutator
from fuzz.seeds import requests
from fuzz.target import Runner, cells

MAX_LENGTH: Final = 1 << 16
"""Longest input of atheris, in bytes."""
MOST_GIVEN: Final = 24
"""Sound requests that atheris begins with, of each RPC and game; it tries them all first."""
LEAST_SHARE: Final = 3.0
"""Seconds for an RPC and a game, at least."""
PLAIN: Final = ("ListGames", "GetGame")
"""RPCs with next to nothing in their requests."""
RSS_LIMIT_MB: Final = 1024


def mutators_by_game() -> dict[str, Mutator]:
    """One a game: parts of its requests fit into each other."""
    donors: dict[str, list[Message]] = {}
    for (_, game), some in requests().items():
        donors.setdefault(game, []).extend(some)
    return {game: Mutator(some) for game, some in donors.items()}


def _with_method(runner: Runner) -> list[tuple[str, str]]:
    """RPC and game of everything that can be called without a network."""
    return [cell for cell in cells(runner.targets) if cell in requests() and cell[0] not in runner.missing]


def missing(runner: Runner) -> list[str]:
    """RPCs that are not tried: nothing answers them here, or nothing is known to ask."""
    return sorted(set(runner.targets) - {rpc for rpc, _ in _with_method(runner)})


def structured(runner: Runner, flight: Flight, keep: Keep, bounds: Bounds, seed: int) -> int:
    """Change sound requests, those of all RPCs and games in turn; returns the bytes by which a child has grown most."""
    mutators, sound = mutators_by_game(), requests()
    order = _with_method(runner)

    def live(left: Bounds) -> NoReturn:
        rng = random.Random(f"{seed} {sum(flight.by_rpc.values())}")
        trial = Trial(runner, flight, keep, left)
        while True:
            for rpc, game in order:
                data = rng.choice(sound[rpc, game]).SerializeToString()
                kind = runner.targets[rpc].request
                trial.one(rpc, mutators[game].mutated(kind, data, rng.getrandbits(32)))

    return watch(flight, keep, bounds, live)


def coverage(runner: Runner, flight: Flight, keep: Keep, seconds: float, seed: int, folder: Path) -> int:
    """Let atheris have a share of the time for each RPC and game; what it finds worth while stays for the next run.

    Where that would be too short to be of use, only as many of them get one, drawn from the seed.
    The code to be followed must have been imported with `atheris.instrument_imports`.
    """
    import atheris

    mutators, sound = mutators_by_game(), requests()
    left = _with_method(runner)
    growth, rng = 0, random.Random(seed)
    rng.shuffle(left)
    left = left[: max(1, int(seconds / LEAST_SHARE))]
    weights = {cell: 0.2 if cell[0] in PLAIN else 1.0 for cell in left}
    for rpc, game in left:
        share = seconds * weights[rpc, game] / sum(weights.values())
        found, given = _folders(folder, rpc, game, sound[rpc, game], rng)
        kind, mutator = runner.targets[rpc].request, mutators[game]

        def live(
            time_left: Bounds,
            rpc: str = rpc,
            kind: type[Message] = kind,
            mutator: Mutator = mutator,
            folders: Sequence[Path] = (found, given),
        ) -> NoReturn:
            trial = Trial(runner, flight, keep, time_left)

            def mutated(data: bytes, max_size: int, number: int) -> bytes:
                changed = mutator.mutated(kind, data, number, lambda raw: atheris.Mutate(raw, max_size))
                return changed if len(changed) <= max_size else bytes(atheris.Mutate(data, max_size))

            _silence(folder / "atheris.log")
            arguments: list[Any] = [
                "fuzz",
                f"-seed={seed + 1}",
                f"-max_len={MAX_LENGTH}",
                "-len_control=0",
                f"-rss_limit_mb={RSS_LIMIT_MB}",
                f"-artifact_prefix={folder}/atheris-",
                *map(str, folders),
            ]
            atheris.Setup(arguments, lambda data: trial.one(rpc, data), custom_mutator=mutated)
            atheris.Fuzz()
            raise AssertionError("atheris has come back")

        growth = max(growth, watch(flight, keep, Bounds(share), live))
    return growth


def _folders(folder: Path, rpc: str, game: str, sound: Sequence[Message], rng: random.Random) -> tuple[Path, Path]:
    """Where atheris keeps what it finds, and where it finds sound requests."""
    found, given = folder / "corpus" / f"{rpc}-{game}", folder / "seeds" / f"{rpc}-{game}"
    for path in (found, given):
        path.mkdir(parents=True, exist_ok=True)
    for number, request in enumerate(rng.sample(sound, min(len(sound), MOST_GIVEN))):
        (given / str(number)).write_bytes(request.SerializeToString())
    return found, given


def _silence(log: Path) -> None:
    """Have the rest of the process speak to a file."""
    sys.stdout.flush()
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
