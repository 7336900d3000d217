"""Every level beats the one two below it: `make levels`. Ends with one line of JSON; exits 1 when one does not.

2 players, 400 games a pair, seed 1: `advisor arena --game ocean --players 2 --a level:3 --b level:1 --games 400`.
"""

import argparse
import json
import sys
from collections.abc import Callable

from differential import house

from ext.game import Game
from ext.heart import Heart
from ext.ocean import Ocean
from search.arena import run_arena
from search.levels import LEVELS

KERNELS: dict[str, Callable[[], Game]] = {
    "heart": lambda: Heart(2, house("heart")),
    "ocean": lambda: Ocean(2, house()),
}


def main() -> int:
    """Play the games asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=KERNELS, help="this one only")
    parser.add_argument("--games", type=int, default=400, help="of each pair")
    options = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {}
    for game in [options.game] if options.game else KERNELS:
        found[game] = {}
        for level in LEVELS[2:]:
            figures = run_arena(KERNELS[game], f"level:{level}", f"level:{level - 2}", options.games, 1)
            pair, rate, interval = f"{level} against {level - 2}", figures["win_rate"], figures["interval"]
            found[game][pair] = [rate, *interval]
            print(f"{game}: level {pair}: {rate:.1%}, {interval}", file=sys.stderr)
    ok = all(low > 0.5 for pairs in found.values() for _, low, _ in pairs.values())
    print(json.dumps({"ok": ok, "games": options.games, "levels": found}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
