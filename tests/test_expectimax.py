"""Exact search: matrix games, the order of ties, budgets and depth."""

import itertools
import random

import pytest
from differential import house

from ext.expectimax import Expectimax
from ext.game import State
from ext.matrix_game import solve
from ext.ocean import Ocean

pytestmark = pytest.mark.kernel


def late(game: Ocean, seed: int, round_: int, phase: str = "PICK") -> State:
    """A position at the beginning of a round's phase, reached by mostly greedy play."""
    state = game.deal(seed)
    ply = 0
    while True:
        table = game.dump(state)["table"]
        if (table["round"], table["phase"]) == (round_, phase) and len(game.pending(state)) == game.seats:
            return state
        seat = game.pending(state)[0]
        state = game.play(state, seat, game.choose(state, seat, seed * 1000 + ply))
        ply += 1


def test_matrix_games_with_known_solutions() -> None:
    value, x, y = solve([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert value == pytest.approx(0)
    assert x == pytest.approx([1 / 3] * 3)
    assert y == pytest.approx([1 / 3] * 3)
    value, x, y = solve([[3, 0], [1, 2]])
    assert value == pytest.approx(1.5)
    assert x == pytest.approx([0.25, 0.75])
    assert y == pytest.approx([0.5, 0.5])
    assert solve([[2.0]]) == (2.0, [1.0], [1.0])
    assert solve([[1, 2], [0, 3]])[0] == 1, "a saddle point"


def test_random_matrices_are_solved_to_equilibrium() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        m, n = rng.randint(1, 12), rng.randint(1, 12)
        few = rng.random() < 0.5
        matrix = [[float(rng.randint(0, 3)) if few else rng.random() for _ in range(n)] for _ in range(m)]
        value, x, y = solve(matrix)
        assert sum(x) == pytest.approx(1)
        assert sum(y) == pytest.approx(1)
        assert min(x + y) >= -1e-12
        best = max(sum(matrix[i][j] * y[j] for j in range(n)) for i in range(m))
        worst = min(sum(matrix[i][j] * x[i] for i in range(m)) for j in range(n))
        assert best - 1e-9 <= value <= worst + 1e-9


def test_the_order_of_ties_is_the_byte_order_of_notation() -> None:
    game = Ocean(2, house())
    picks = list(range(40))
    cells = [game.parse(f"place {x},{y}") for x in range(-8, 9) for y in range(-8, 9)]
    rng = random.Random(1)
    for moves in (picks, rng.sample(cells, 60)):
        for one, other in itertools.product(moves, repeat=2):
            assert game.before(one, other) == (game.notation(one).encode() < game.notation(other).encode())


@pytest.mark.parametrize("phase", ["PICK", "PLACE"])
def test_the_last_round_is_everybodys_own(phase: str) -> None:
    """Three seats, last pick: the own highest score is proven, and others' mixes are pure."""
    game = Ocean(3, house())
    for seed in range(5):
        engine = Expectimax(game, game.observe(late(game, seed, 9, phase), 0), 0)
        assert engine.certain
        assert engine.run()
        assert engine.exact
        assert all(list(mix.values()) == [1.0] for mix in engine.mixes().values())
        assert len(engine.mixes()) == 3


def test_budgets_end_a_run() -> None:
    game = Ocean(2, house())
    seen = game.observe(late(game, 1, 8), 0)
    full = Expectimax(game, seen, 0)
    assert full.run()
    assert full.exact
    short = Expectimax(game, seen, 0, nodes=full.nodes - 1)
    assert not short.run()
    assert Expectimax(game, seen, 0, nodes=full.nodes).run()
    stopped = Expectimax(game, seen, 0)
    stopped.stop()
    assert not stopped.run()
    assert not Expectimax(game, game.observe(game.deal(1), 0), 0).run(seconds=0.05)
    # The count of moves along one line tells the size of the whole within a small factor.
    assert full.nodes / 4 < full.size() < full.nodes * 4


def test_a_depth_limit_estimates() -> None:
    game = Ocean(2, house())
    seen = game.observe(late(game, 1, 5), 0)
    engine = Expectimax(game, seen, 0, depth=2)
    assert engine.run()
    assert not engine.exact
    assert all(0 <= outlook[1][0] <= 1 for outlook in engine.outlooks())


def test_only_allowed_moves_are_searched() -> None:
    game = Ocean(2, house())
    seen = game.observe(late(game, 2, 8), 0)
    moves = Expectimax(game, seen, 0).moves()
    engine = Expectimax(game, seen, 0, allowed=moves[1:])
    assert engine.run()
    assert engine.moves() == moves[1:]
    assert set(engine.mixes()[0]) == set(moves[1:])
    with pytest.raises(ValueError, match="allowed"):
        Expectimax(game, seen, 0, allowed=[])
