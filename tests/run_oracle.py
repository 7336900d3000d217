"""The long differential run: `make oracle`.

Plays random games of each kind over the mix of variants and options through the kernel and the reference, compared at
every step (tests/differential.py). With --faults it needs the build of `make faults`: each planted fault must be
caught. Ends with one line of JSON; exits 1 when anything disagrees or a fault goes unnoticed.
"""

import argparse
import functools
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.pool import Pool
from typing import Any, NamedTuple

from differential import Disagreement, Match, play_match
from differential_heart import HeartMatch
from differential_ocean import OceanMatch
from differential_sanctuary import SanctuaryMatch

from ext import heart, ocean, sanctuary


class Game(NamedTuple):
    """How a game is run."""

    match: type[Match]
    games: int
    decisions: list[int]
    """Those that the kernel embodies, each with a fault to plant."""
    plant_fault: Callable[[int], bool]


GAMES = {
    # ocean-13 is data and is held by tests/test_house_catalogue.py.
    "ocean": Game(OceanMatch, 10_000, [n for n in range(1, 20) if n != 13], ocean.plant_fault),
    "heart": Game(HeartMatch, 1_500, list(range(1, 24)), heart.plant_fault),
    # sanctuary-22, the tiers, is in ext/sanctuary_events.py and is held by tests/test_sanctuary_oracle.py.
    "sanctuary": Game(SanctuaryMatch, 3_000, [n for n in range(1, 25) if n != 22], sanctuary.plant_fault),
}
FAULT_GAMES = 400
"""Games in which a planted fault must show."""


def plays(name: str, number: int) -> str | Counter[str]:
    """What happened in game `number`, or the text of what differs."""
    try:
        return play_match(GAMES[name].match, number)
    except Disagreement as difference:
        return str(difference)[:2000]


def agrees(name: str, number: int) -> bool:
    return not isinstance(plays(name, number), str)


def caught(name: str, decision: int) -> int | None:
    """The number of games until the fault shows; None when it does not."""
    GAMES[name].plant_fault(decision)
    try:
        return next((number + 1 for number in range(FAULT_GAMES) if not agrees(name, number)), None)
    finally:
        GAMES[name].plant_fault(0)


def run_faults(pool: Pool, name: str) -> dict[str, Any]:
    decisions = GAMES[name].decisions
    found = pool.map(functools.partial(caught, name), decisions, chunksize=1)
    agree = all(pool.map(functools.partial(agrees, name), range(50)))
    until = {f"{name}-{decision}": games for decision, games in zip(decisions, found, strict=True)}
    return {"ok": agree and None not in found, "games_until_caught": until, "agree_without_fault": agree}


def run_games(pool: Pool, name: str, numbers: range, until: float) -> dict[str, Any]:
    played, differences, seen = 0, 0, Counter[str]()
    for outcome in pool.imap_unordered(functools.partial(plays, name), numbers, chunksize=5):
        played += 1
        if isinstance(outcome, str):
            differences += 1
            print(f"{name}: {outcome}", file=sys.stderr)
        else:
            seen += outcome
        if time.monotonic() > until or differences >= 10:
            break
    figures: dict[str, Any] = {"ok": not differences, "games": played, "agree": played - differences}
    return figures | ({"seen": dict(sorted(seen.items()))} if seen else {})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=GAMES, action="append", help="a game; all of them by default")
    parser.add_argument("--games", type=int, help="how many of each")
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--faults", action="store_true", help="plant every fault instead")
    options = parser.parse_args()
    names = options.game or list(GAMES)
    share = float(os.environ.get("SECONDS_", "inf")) / len(names)
    if options.faults and not ocean.plant_fault(0):
        sys.exit("this build has no faults to plant: run `make oracle`, which makes one that has")
    start, figures = time.monotonic(), {}
    for name in names:
        began = time.monotonic()
        with multiprocessing.Pool() as pool:
            if options.faults:
                figures[name] = run_faults(pool, name)
            else:
                numbers = range(options.first, options.first + (options.games or GAMES[name].games))
                figures[name] = run_games(pool, name, numbers, began + share)
        figures[name]["seconds"] = round(time.monotonic() - began, 1)
    ok = all(found["ok"] for found in figures.values())
    print(json.dumps({"ok": ok, **figures, "seconds": round(time.monotonic() - start, 1)}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
