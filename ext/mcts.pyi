"""Information-set Monte Carlo tree search."""

from collections.abc import Container

from ext.engine import Engine
from ext.game import Game, Observation

class Mcts(Engine):
    """Information-set MCTS. `memory` in bytes; `simulations` is the most that will be asked for.

    `exploration` weighs the upper bound, `bias` the points that a move gains at once; without `informed` playouts are
    uniform.
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
        memory: int,
        simulations: int,
        allowed: Container[int] | None = None,
        exploration: float = 0.4,
        bias: float = 1.0,
        informed: bool = True,
    ) -> None: ...
    @property
    def bytes_per_node(self) -> float: ...
