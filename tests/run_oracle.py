"""The long differential run: `make oracle`.

Plays random games over the mix of variants and options through the kernel and the reference, compared at every step
(tests/differential.py). With --faults it needs the build of `make faults`: each planted fault must be caught. Ends
with one line of JSON; exits 1 when anything disagrees or a fault goes unnoticed.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time

from differential import Disagreement, play_match

from ext.ocean import plant_fault

EMBODIED = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19]
"""Decisions of ocean that the kernel embodies; ocean-13 is data and is held by tests/test_house_catalogue.py."""
FAULT_GAMES = 400
"""Games in which a planted fault must show."""


def plays(number: int) -> str | None:
    """None when game `number` agrees, else what differs."""
    try:
        play_match(number)
    except Disagreement as difference:
        return str(difference)[:2000]
    return None


def caught(decision: int) -> int | None:
    """The number of games until the fault shows; None when it does not."""
    plant_fault(decision)
    try:
        return next((number + 1 for number in range(FAULT_GAMES) if plays(number)), None)
    finally:
        plant_fault(0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--faults", action="store_true", help="plant every fault instead")
    options = parser.parse_args()
    seconds = float(os.environ.get("SECONDS_", "inf"))
    if options.faults and not plant_fault(0):
        sys.exit("this build has no faults to plant: run `make oracle`, which makes one that has")
    start, played, differences = time.monotonic(), 0, []
    figures: dict[str, object] = {"game": "ocean"}
    with multiprocessing.Pool() as pool:
        if options.faults:
            found = dict(zip(EMBODIED, pool.map(caught, EMBODIED, chunksize=1), strict=True))
            figures["games_until_caught"] = {f"ocean-{decision}": games for decision, games in found.items()}
            figures["agree_without_fault"] = all(plays(number) is None for number in range(50))
            ok = None not in found.values() and figures["agree_without_fault"] is True
        else:
            numbers = range(options.first, options.first + options.games)
            for difference in pool.imap_unordered(plays, numbers, chunksize=10):
                played += 1
                if difference:
                    differences.append(difference)
                    print(difference, file=sys.stderr)
                if time.monotonic() - start > seconds or len(differences) >= 10:
                    break
            figures |= {"games": played, "agree": played - len(differences)}
            ok = not differences
    print(json.dumps({"ok": ok, **figures, "seconds": round(time.monotonic() - start, 1)}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
