"""Every level beats the one two below it: `make levels`. Ends with one line of JSON; exits 1 when one does not.

2 players, 400 games a pair, seed 1: `advisor arena --game ocean --players 2 --a level:3 --b level:1 --games 400`.
"""

import json
import sys

from differential import house

from ext.ocean import Ocean
from search.arena import run_arena
from search.levels import LEVELS

GAMES = 400


def main() -> int:
    figures = {}
    for level in LEVELS[2:]:
        found = run_arena(lambda: Ocean(2, house()), f"level:{level}", f"level:{level - 2}", GAMES, 1)
        figures[f"{level} against {level - 2}"] = [found["win_rate"], *found["interval"]]
        print(f"level {level} against {level - 2}: {found['win_rate']:.1%}, {found['interval']}", file=sys.stderr)
    ok = all(low > 0.5 for _, low, _ in figures.values())
    print(json.dumps({"ok": ok, "game": "ocean", "games": GAMES, "levels": figures}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
