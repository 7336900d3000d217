"""Players of an arena: what a SPEC such as `uct:2000` stands for."""

import re
from dataclasses import dataclass
from typing import Protocol

from ext.game import Game, Observation
from search.levels import LEVELS, choose, pick
from search.request import Algorithm, Limits, Objective, Options
from search.run import Search

SPEC_HELP = "random, greedy, flat:N, uct:N, mcts:N (simulations a decision), mcts:250ms (time), expectimax:D, level:L"


class Player(Protocol):
    """Chooses a move from what its seat knows; equal seeds give equal moves unless time is the limit."""

    def choose(self, game: Game, observation: Observation, seed: int) -> int:
        """A legal move of the observer, which owes one."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """Plays the best-ranked move of a search."""

    algorithm: Algorithm
    limits: Limits
    objective: Objective = Objective.WIN

    def choose(self, game: Game, observation: Observation, seed: int) -> int:
        """The best-ranked move; where the answer holds a mix for its seat, a move drawn from that mix."""
        options = Options(algorithm=self.algorithm, objective=self.objective, seed=seed, threads=1, lines=0)
        return pick(Search(game, observation, self.limits, options).run(), game.observer(observation), seed)


@dataclass(frozen=True, slots=True)
class Opponent:
    """Plays at a level."""

    level: int

    def choose(self, game: Game, observation: Observation, seed: int) -> int:
        """The level's move."""
        return choose(game, observation, self.level, seed).move


def parse_spec(spec: str) -> Player:
    """Reads a SPEC; raises ValueError that says what is expected."""
    if spec in ("random", "greedy"):
        return Searcher(Algorithm(spec), Limits())
    match = re.fullmatch(r"(flat|uct|mcts|auto|expectimax|level):([1-9][0-9]{0,8})(ms|s)?", spec)
    if not match:
        raise ValueError(f"'{spec}' is no player; give {SPEC_HELP}")
    name, number, unit = match.groups()
    if name == "level" and unit is None and int(number) in LEVELS:
        return Opponent(int(number))
    if name == "expectimax" and unit is None and int(number) <= 60:
        return Searcher(Algorithm.EXPECTIMAX, Limits(simulations=16, depth=int(number)))
    if name in ("level", "expectimax"):
        raise ValueError(f"'{spec}' is no player; give {SPEC_HELP}")
    if unit is None:
        return Searcher(Algorithm(name), Limits(simulations=int(number)))
    return Searcher(Algorithm(name), Limits(seconds=int(number) / (1000 if unit == "ms" else 1)))
