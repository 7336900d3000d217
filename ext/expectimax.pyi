"""Exact search: what a state is worth to every seat when all play their best."""

from collections.abc import Callable, Container

from ext.game import Game, Observation

class Expectimax:
    """An exact search of one world of an observation; `certain` tells whether there is another.

    `nodes` bounds the states that are looked at, `depth` the decisions and chance events in a line, `allowed` the root
    moves; `world` numbers the world that is sampled where there are several.
    """

    between: Callable[[], object] | None
    """Called every 10 ms of a run, by the running thread; must not raise."""

    def __init__(
        self,
        game: Game,
        observation: Observation,
        objective: int,
        *,
        nodes: int = ...,
        depth: int = 64,
        world: int = 0,
        allowed: Container[int] | None = None,
    ) -> None: ...
    @property
    def seat(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    @property
    def exact(self) -> bool:
        """Whether nothing was estimated."""
    def line_of(self, choice: int) -> tuple[list[tuple[int, int]], int]:
        """The turn that begins with a root move, played best, and how many of its moves can be played at once."""
    @property
    def certain(self) -> bool:
        """Whether the observation leaves this world only."""
    def size(self, most: float = 1e18) -> float:
        """About how many states `run` would look at, from the numbers of moves along one line; stops above `most`."""
    def run(self, seconds: float = 3600.0) -> bool:
        """Solves every root move, without the GIL. False when nodes, time or a stop came first."""
    def stop(self) -> None:
        """Ends `run` within microseconds, from any thread."""
    def moves(self) -> list[int]:
        """The root moves, ascending."""
    def outlooks(self) -> list[tuple[list[float], list[float], list[float], list[float]]]:
        """Per root move: (value, share of first place, score, squared score), each a list over the seats."""
    def mixes(self) -> dict[int, dict[int, float]]:
        """Per seat that decides now: {move: probability}. Empty where a single seat decides."""
