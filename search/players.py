"""Players of an arena: what a SPEC such as `uct:2000` stands for."""

import re
from dataclasses import dataclass

from ext.game import Game, Observation
from search.request import Algorithm, Limits, Objective, Options
from search.run import Search

SPEC_HELP = "random, greedy, flat:N, uct:N, mcts:N (simulations a decision) or mcts:250ms (time a decision)"


@dataclass(frozen=True, slots=True)
class Player:
    """Chooses a move from what its seat knows."""

    algorithm: Algorithm
    limits: Limits
    objective: Objective = Objective.WIN

    def choose(self, game: Game, observation: Observation, seed: int) -> int:
        """The best-ranked move; equal seeds give equal moves where the limit is a number of simulations."""
        options = Options(algorithm=self.algorithm, objective=self.objective, seed=seed, threads=1)
        return Search(game, observation, self.limits, options).run().moves[0].move


def parse_spec(spec: str) -> Player:
    """Reads a SPEC; raises ValueError that says what is expected."""
    if spec in ("random", "greedy"):
        return Player(Algorithm(spec), Limits())
    match = re.fullmatch(r"(flat|uct|mcts):([1-9][0-9]{0,8})(ms|s)?", spec)
    if not match:
        raise ValueError(f"'{spec}' is no player; give {SPEC_HELP}")
    name, number, unit = match.groups()
    if unit is None:
        return Player(Algorithm(name), Limits(simulations=int(number)))
    return Player(Algorithm(name), Limits(seconds=int(number) / (1000 if unit == "ms" else 1)))
