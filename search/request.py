"""What a search is asked and what it answers: plain values, no wire format."""

from dataclasses import dataclass, field
from enum import Enum


class Algorithm(Enum):
    """How moves are found."""

    MCTS = "mcts"
    UCT = "uct"
    FLAT = "flat"
    GREEDY = "greedy"
    RANDOM = "random"


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


@dataclass(frozen=True, slots=True)
class Limits:
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


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `threads` never changes the result; `trees` does."""

    algorithm: Algorithm = Algorithm.MCTS
    objective: Objective = Objective.WIN
    trees: int = 1
    threads: int | None = None
    seed: int = 0
    lines: int = 10
    """How many of the best moves get a line; the others' is the move alone."""


@dataclass(frozen=True, slots=True)
class Ranked:
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


@dataclass(frozen=True, slots=True)
class Answer:
    """All legal moves, best first, and how they were found."""

    moves: list[Ranked]
    algorithm: Algorithm
    objective: Objective
    stop_reason: StopReason
    simulations: int
    nodes: int
    determinizations: int
    mean_depth: float
    max_depth: int
    trees: int
    threads: int
    seed: int
    seconds: float
    """Wall time of the search: the one field, with `threads`, that may differ between equal requests."""
    exact: bool = field(default=False)
