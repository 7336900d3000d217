"""What a search is asked and what it answers: plain values, no wire format."""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Algorithm(Enum):
    """How moves are found. AUTO is exact search where the rest of the game is small enough, else MCTS."""

    AUTO = "auto"
    EXPECTIMAX = "expectimax"
    MCTS = "mcts"
    UCT = "uct"
    FLAT = "flat"
    GREEDY = "greedy"
    RANDOM = "random"

    __hash__ = object.__hash__
    """Its members are one of a kind; the inherited one is a function of Python's that hashes their names."""


class Objective(Enum):
    """What is maximised; the formulas stand in docs/architecture.md."""

    WIN = "win"
    SCORE = "score"


class StopReason(Enum):
    """Which limit ended a search."""

    SIMULATIONS = "simulations"
    TIME = "time"
    DEADLINE = "deadline"
    MEMORY = "memory"
    CANCELLED = "cancelled"
    IMMEDIATE = "immediate"
    SOLVED = "solved"
    DEPTH = "depth"


class Limits(NamedTuple):
    """What may be spent; the first to bind ends the search. At least one of the first three must be given.

    simulations: over all trees, 1 or more.
    seconds: wall time, more than 0.
    deadline: a `time.monotonic()` value.
    depth: deepest decision in the tree, counted from the root, 1 or more.
    memory: bytes for all trees together.
    """

    simulations: int | None = None
    seconds: float | None = None
    deadline: float | None = None
    depth: int | None = None
    memory: int = 256 << 20

    def until(self, deadline: float | None) -> "Limits":
        """The same with another deadline."""
        return Limits(self.simulations, self.seconds, deadline, self.depth, self.memory)


class Options(NamedTuple):
    """How to search. `threads` never changes the result; `trees` does."""

    algorithm: Algorithm = Algorithm.AUTO
    objective: Objective = Objective.WIN
    trees: int = 1
    threads: int | None = None
    seed: int = 0
    lines: int = 10
    """How many of the best moves get a line; the others' is the move alone."""
    allowed: frozenset[int] | None = None
    """The root moves that are searched and ranked; None for all. At least one must be legal."""
    confidence: float = 0.95
    """Of intervals and ties, more than 0 and less than 1."""


class Ranked(NamedTuple):
    """One legal move with its statistics; lists hold a number a seat."""

    move: int
    visits: int
    prior: float
    value: float
    standard_error: float
    win_share: list[float]
    expected_score: list[float]
    score_spread: list[float]
    line: list[tuple[int, int]]
    """(seat, move), this move first."""
    playable: int
    interval: tuple[float, float] = (0.0, 0.0)
    """Of the value, at the confidence asked for."""
    tied: bool = False
    """Not separable from the best-ranked move at that confidence; the best itself is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """All allowed moves, best first, and how they were found. Lists over seats are the outlook of the position."""

    moves: list[Ranked]
    algorithm: Algorithm
    objective: Objective
    stop_reason: StopReason | None
    """None while the search goes on."""
    simulations: int
    nodes: int
    determinizations: int
    mean_depth: float
    max_depth: int
    mean_turns: float
    max_turns: int
    trees: int
    threads: int
    seed: int
    seconds: float
    """Wall time of the search: the one field, with `threads`, that may differ between equal requests."""
    legal_moves: int
    """All legal ones, allowed or not."""
    win_share: list[float]
    expected_score: list[float]
    score_spread: list[float]
    confidence: float = 0.95
    exact: bool = False
    mixes: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
    """Seat -> its moves with their probabilities, likeliest first, where seats decide at once and values are proven."""
