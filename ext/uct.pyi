"""Plain information-set UCT with uniform playouts: the yardstick, frozen."""

from collections.abc import Container

from ext.engine import Engine
from ext.game import Game, Observation

class Uct(Engine):
    """Plain information-set UCT. `memory` in bytes; `simulations` is the most that will be asked for."""

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
    ) -> None: ...
    @property
    def bytes_per_node(self) -> float: ...
