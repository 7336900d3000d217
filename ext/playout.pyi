"""Uniform playouts in a loop without the GIL."""

from ext.game import Game, State

def run(game: Game, state: State, seed: int, count: int) -> tuple[int, int]:
    """Plays `count` uniform playouts from a state. Returns (plies, sum of all final scores)."""
