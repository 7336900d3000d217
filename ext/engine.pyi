"""What every sampling search shares: worlds of an observation, the statistics of the root, and a resumable loop."""

from collections.abc import Container

from ext.game import Game, Observation

STEP_CODES: dict[int, str]
"""What `Engine.step` returns: "enough", "timeout", "stopped", "full"."""
VALUE_ONE: int
"""1.0 in the fixed-point sums of values and win shares."""
OBJECTIVES: dict[str, int]

def logarithm(x: float) -> float:
    """The natural logarithm of x >= 1 as the searches take it."""

class Engine:
    """A search for the seat that owns an observation. `tree` sets independent searches of one seed apart.

    `allowed` are the root moves that may be chosen, None for all; ValueError when none of them is legal.
    """

    def __init__(
        self,
        game: Game,
        observation: Observation,
        objective: int,
        seed: int,
        tree: int = 0,
        depth: int = 1000,
        *,
        allowed: Container[int] | None = None,
    ) -> None: ...
    @property
    def seat(self) -> int: ...
    @property
    def simulations(self) -> int: ...
    @property
    def depth_sum(self) -> int: ...
    @property
    def depth_max(self) -> int: ...
    @property
    def turn_sum(self) -> int:
        """Sum of depths in turns; a turn is a run of decisions of one seat."""
    @property
    def turn_max(self) -> int: ...
    @property
    def plies(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def step(self, more: int, seconds: float) -> int:
        """Makes up to `more` simulations in about `seconds`, without the GIL. Returns a code, see STEP_CODES."""
    def stop(self) -> None:
        """Ends a step within microseconds, from any thread, and every later one at once."""
    def moves(self) -> list[int]:
        """The root moves, ascending."""
    def priors(self) -> list[float]:
        """How the root moves looked before the search, in the order of `moves`; they add up to 1."""
    def sums(self) -> list[tuple[int, int, int, list[int], list[int], list[int]]]:
        """Per root move: visits, value, squared value, and per seat win share, score and squared score."""
    def line(self, choice: int) -> tuple[list[tuple[int, int]], int]:
        """The likeliest continuation after root move number `choice`, that move first; and how much is playable.

        ([(seat, move)], moves at its start that the seat makes before it learns anything).
        """

class Flat(Engine):
    """The same number of uniform playouts for each move."""
