"""Every level beats the one two below it: `make levels`. Ends with one line of JSON; exits 1 when one does not.

2 players, 400 games a pair, seed 1: `advisor arena --game ocean --players 2 --a level:3 --b level:1 --games 400`. Of
sanctuary, too, the game for one seat, in which a level scores more than the one two below it in games of the same luck,
and one Scramble of twelve computer opponents to its end.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from differential import house

from ext.game import OVER, Game
from ext.heart import Heart
from ext.ocean import Ocean
from ext.rng import hash_words
from ext.sanctuary import Sanctuary
from search.arena import play_game, run_arena
from search.levels import LEVELS
from search.players import parse_spec

KERNELS: dict[str, Callable[[], Game]] = {
    "heart": lambda: Heart(2, house("heart")),
    "ocean": lambda: Ocean(2, house()),
    "sanctuary": lambda: Sanctuary(2, house("sanctuary")),
}


def scramble(spec: str, seats: int, seed: int) -> dict[str, Any]:
    """A game of so many equal computer opponents: what came of it, and how long it took."""
    game, decisions = Sanctuary(seats, house("sanctuary"), {}, "scramble"), 0
    player = parse_spec(spec)

    class Counting:
        """The same player, counted."""

        def choose(self, game: Game, observation: Any, seed: int) -> int:
            """Its move."""
            nonlocal decisions
            decisions += 1
            return player.choose(game, observation, seed)

    start = time.monotonic()
    end = play_game(game, game.deal(seed), [Counting() for _ in range(seats)], hash_words(seed, 1), seed)
    assert game.turn(end) == OVER
    table = game.dump(end)["table"]
    return {
        "seats": seats,
        "player": spec,
        "decisions": decisions,
        "cards": [len(seat["sanctuary"]) + len(seat["tops"]) for seat in table["seats"]],
        "scores": game.score(end),
        "ranks": game.ranks(end),
        "seconds": round(time.monotonic() - start, 1),
    }


def alone(games: int) -> dict[str, list[float]]:
    """The mean score of each level in the game for one seat, and its interval."""
    game = Sanctuary(1, house("sanctuary"), {}, "solo")
    found = {}
    for level in LEVELS:
        figures = run_arena(lambda: game, f"level:{level}", None, games, 1)
        found[f"{level}"] = [figures["mean_score"], *figures["mean_score_interval"]]
        print(f"sanctuary alone: level {level}: {figures['mean_score']:.1f}", file=sys.stderr)
    return found


def main() -> int:
    """Play the games asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=KERNELS, help="this one only")
    parser.add_argument("--games", type=int, default=400, help="of each pair")
    options = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {}
    more: dict[str, Any] = {}
    for game in [options.game] if options.game else KERNELS:
        found[game] = {}
        for level in LEVELS[2:]:
            figures = run_arena(KERNELS[game], f"level:{level}", f"level:{level - 2}", options.games, 1)
            pair, rate, interval = f"{level} against {level - 2}", figures["win_rate"], figures["interval"]
            found[game][pair] = [rate, *interval]
            print(f"{game}: level {pair}: {rate:.1%}, {interval}", file=sys.stderr)
    ok = all(low > 0.5 for pairs in found.values() for _, low, _ in pairs.values())
    if "sanctuary" in found:
        scores = alone(options.games)
        more = {"alone": scores, "scramble": scramble("mcts:200", 12, 1)}
        ok &= all(scores[f"{level}"][0] > scores[f"{level - 2}"][0] for level in LEVELS[2:])
    print(json.dumps({"ok": ok, "games": options.games, "levels": found, **more}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
