"""The brute-force solver of late positions, held to full enumeration of small ones and to games solved by hand."""

from __future__ import annotations

import itertools
import json
import random
import re
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from reference.ocean import Cell, ReferenceOcean, by_row
from reference.solver import (
    Ending,
    Solution,
    exploitability,
    payoff_matrix,
    row_payoff,
    solve,
    solve_matrix,
    utilities,
)
from test_reference_ocean import CATALOGUE

Table = dict[tuple[str, ...], list[Fraction]]

HOUSE_FILE = Path(__file__).parents[1] / "advisor" / "catalogues" / "ocean-house.json"
# Its nine-cell targets match whole shapes; the house has none that do.
OPTIONS: list[tuple[bool, dict[str, Any]]] = [
    (False, {}),
    (True, {}),
    (True, {"mirror_targets": True, "passing": "RIGHT"}),
    (True, {"target_match": "WHOLE_SHAPE", "promo": True}),
    (True, {"topology": "HEX", "promo": True, "no_category_counts": False}),
    (True, {"topology": "HEX", "mirror_targets": True, "target_match": "WHOLE_SHAPE"}),
    (True, {"topology": "SQUARE_DIAGONAL", "same_kind_sets": True, "passing": "ALTERNATE"}),
]


def house() -> dict[str, Any]:
    """Return the catalogue that ships, with the names of the fields as the reference has them."""

    def snake(key: re.Match[str]) -> str:
        return re.sub("([A-Z])", r"_\1", key[0]).lower()

    catalogue: dict[str, Any] = json.loads(re.sub(r'"\w+":', snake, HOUSE_FILE.read_text()))
    return catalogue


HOUSE = house()


class NarrowOcean(ReferenceOcean):
    """An ocean in which only the first free cells may be used, so that all play can be enumerated.

    Which they are depends on the own ocean alone, as in the game.
    """

    width = 2

    def free_cells(self, seat: int) -> set[Cell]:
        return set(sorted(super().free_cells(seat), key=by_row)[: self.width])

    def clone(self) -> NarrowOcean:
        other = NarrowOcean.__new__(NarrowOcean)
        other.__dict__.update(super().clone().__dict__)
        return other


def play_until(game: ReferenceOcean, last_round: int, phase: str, rng: random.Random) -> None:
    """Play at random, better placements more often, up to a round and a phase."""
    while (game.round, game.phase) != (last_round, phase):
        for seat in range(game.seats):
            moves = game.moves(seat)
            move = rng.choice(moves)
            if game.phase == "PLACE" and rng.random() < 0.8:
                move = max(rng.sample(moves, min(4, len(moves))), key=lambda m: points_after(game, seat, m))
            game.play(seat, move)


def points_after(game: ReferenceOcean, seat: int, move: str) -> int:
    x, y = move.removeprefix("place ").split(",")
    trial = game.clone()
    card = game.revealed[seat]
    assert card is not None
    trial.oceans[seat][(int(x), int(y))] = card
    return trial.species_points(seat)


def late(
    kind: type[ReferenceOcean],
    seats: int,
    last_round: int,
    phase: str,
    seed: int,
    catalogue: dict[str, Any] = HOUSE,
    targets: bool = False,
    **rules: Any,
) -> ReferenceOcean:
    rng = random.Random(f"{seats} {last_round} {phase} {seed}")
    game = kind(catalogue, seats, rules, targets)
    target_ids = list(range(9 if rules.get("promo") else 8)) if targets else []
    game.deal(rng.sample(range(40), 40), rng.sample(target_ids, len(target_ids)))
    play_until(game, last_round, phase, rng)
    return game


# Full enumeration: every combination of every seat's choices, decided from the end of the game.


def enumerate_play(game: ReferenceOcean, objective: str) -> list[Fraction]:
    """Return each seat's value: an equilibrium at each moment with 2 seats, dominant choices with more."""
    if game.over:
        return utilities(objective, game.scores())
    return decide(game, objective, enumerate_choices(game, objective))


def enumerate_choices(game: ReferenceOcean, objective: str) -> Table:
    """Return each seat's value after every combination of moves."""
    table = {}
    for choices in itertools.product(*[game.moves(seat) for seat in range(game.seats)]):
        after = game.clone()
        for seat, choice in enumerate(choices):
            after.play(seat, choice)
        table[choices] = enumerate_play(after, objective)
    return table


def decide(game: ReferenceOcean, objective: str, table: Table) -> list[Fraction]:
    moves = [game.moves(seat) for seat in range(game.seats)]
    if game.seats > 2:
        return table[tuple(dominant(game, seat, moves, table) for seat in range(game.seats))]
    matrix = [[zero_sum(objective, table[mine, other]) for other in moves[1]] for mine in moves[0]]
    _, x, y = solve_matrix(matrix)
    values = [Fraction(0), Fraction(0)]
    for (mine, p), (other, q) in itertools.product(zip(moves[0], x, strict=True), zip(moves[1], y, strict=True)):
        for seat in range(2):
            values[seat] += p * q * table[mine, other][seat]
    return values


def zero_sum(objective: str, values: list[Fraction]) -> Fraction:
    return values[0] if objective == "WIN" else values[0] - values[1]


def dominant(game: ReferenceOcean, seat: int, moves: list[list[str]], table: Table) -> str:
    """Return a move that is at least as good as every other, whatever the others do."""
    others = list(itertools.product(*(moves[other] if other != seat else [""] for other in range(game.seats))))

    def value(move: str, profile: tuple[str, ...]) -> Fraction:
        return table[(*profile[:seat], move, *profile[seat + 1 :])][seat]

    for move in moves[seat]:
        if all(value(move, profile) >= value(rival, profile) for rival in moves[seat] for profile in others):
            return move
    raise AssertionError("no dominant choice")


@pytest.mark.parametrize("objective", ["WIN", "SCORE"])
@pytest.mark.parametrize(
    ("seats", "last_round", "phase", "width", "positions"),
    [
        (2, 8, "PICK", 2, 4),
        (2, 8, "PLACE", 2, 7),
        (2, 9, "PICK", 3, 6),
        (2, 9, "PLACE", 99, 3),
        (3, 9, "PICK", 2, 5),
        (3, 9, "PLACE", 4, 5),
        (4, 9, "PLACE", 3, 2),
    ],
)
def test_full_enumeration_agrees(
    objective: str, seats: int, last_round: int, phase: str, width: int, positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NarrowOcean, "width", width)
    for number in range(positions):
        targets, rules = OPTIONS[number % len(OPTIONS)]
        catalogue = CATALOGUE if rules.get("target_match") else HOUSE
        game = late(NarrowOcean, seats, last_round, phase, number, catalogue, targets, **rules)
        table = enumerate_choices(game, objective)
        solution = solve(game, objective)
        value = decide(game, objective, table)
        if seats == 2:
            # Different equilibria may differ in what each seat scores, not in what the two score apart.
            rows, columns, matrix = payoff_matrix(game, objective)
            assert matrix == [[zero_sum(objective, table[row, column]) for column in columns] for row in rows]
            assert solution.game_value == zero_sum(objective, value)
        else:
            assert solution.values == value
        for choices, values in table.items():
            assert utilities(objective, solution.scores(choices)) == values
        for seat in range(seats):
            for move, worth in solution.move_values[seat].items():
                expected = Fraction(0)
                for choices, values in table.items():
                    weight = Fraction(choices[seat] == move)
                    for other in range(seats):
                        weight *= solution.mixes[other][choices[other]] if other != seat else 1
                    expected += weight * values[seat]
                assert worth == expected


def test_some_positions_need_a_mix() -> None:
    solutions = [solve(late(ReferenceOcean, 2, 8, "PICK", number), "WIN") for number in range(12)]
    assert any(0 < p < 1 for solution in solutions for p in solution.mixes[0].values())


@pytest.mark.parametrize("topology", ["SQUARE", "SQUARE_DIAGONAL", "HEX"])
def test_the_fast_score_is_the_reference_score(topology: str) -> None:
    rng = random.Random(topology)
    matched = 0
    for (targets, rules), catalogue in itertools.product(OPTIONS, [HOUSE, CATALOGUE]):
        rules = {**rules, "topology": topology}
        for number in range(2):
            last_round = 8 + number % 2
            game = late(ReferenceOcean, 2, last_round, "PICK", number, catalogue, targets, **rules)
            for seat in range(2):
                ending = Ending(game, seat)
                for _ in range(25):
                    trial = game.clone()
                    added: list[tuple[Cell, int]] = []
                    for card in rng.sample(sorted(game.hands[seat]), 10 - last_round):
                        assert ending.cells(added[0][0] if added else None) == sorted(trial.free_cells(seat))
                        added.append((rng.choice(sorted(trial.free_cells(seat))), card))
                        trial.oceans[seat][added[-1][0]] = card
                    assert ending.score(*added) == trial.scores()[seat], added
                    matched += trial.target_points(seat) - game.target_points(seat) > 4  # More than the promo adds.
    assert matched


@pytest.mark.parametrize(
    ("cells", "points"),
    [([(x, 0) for x in range(7)], 15), ([(x, y) for x in range(3) for y in range(2)] + [(0, 2)], 12)],
    ids=["row", "block"],
)
@pytest.mark.parametrize("match", ["CONTAINED", "WHOLE_SHAPE"])
def test_nine_cell_targets_are_found(cells: list[Cell], points: int, match: str) -> None:
    """Shapes that play at random hardly ever makes: a row of nine, a block of nine with a small one in the middle."""
    game = ReferenceOcean(CATALOGUE, 2, {"target_match": match}, True)
    game.deal(list(range(40)), [4, 6, 0, 1])
    game.round = 8
    game.hands[0] = {0, 1, 30}
    game.oceans[0] = dict(zip(cells, [2, 3, 4, 21, 5, 6, 7], strict=True))  # Card 21, a small one, is fourth: (1, 1).
    ending = Ending(game, 0)
    found = set()
    for first in ending.cells():
        for last in ending.cells(first):
            trial = game.clone()
            trial.oceans[0] |= {first: 1, last: 0}
            assert ending.score((first, 1), (last, 0)) == trial.scores()[0]
            found.add(trial.target_points(0))
    assert found == {0, points}


# Matrices.


def fractions(rows: list[list[int]]) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in rows]


@pytest.mark.parametrize(
    ("rows", "value", "x", "y"),
    [
        ([[3]], "3", "1", "1"),
        ([[1, -1], [-1, 1]], "0", "1/2 1/2", "1/2 1/2"),
        ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], "0", "1/3 1/3 1/3", "1/3 1/3 1/3"),
        ([[4, 1], [2, 3]], "5/2", "1/4 3/4", "1/2 1/2"),
        # A saddle point, and a column that is never played.
        ([[2, 5], [1, 7]], "2", "1 0", "1 0"),
        ([[3, 0, 9], [0, 2, 9]], "6/5", "2/5 3/5", "2/5 3/5 0"),
    ],
)
def test_solved_by_hand(rows: list[list[int]], value: str, x: str, y: str) -> None:
    found = solve_matrix(fractions(rows))
    assert found == (Fraction(value), [Fraction(p) for p in x.split()], [Fraction(p) for p in y.split()])


def test_equilibria_of_random_matrices() -> None:
    rng = random.Random(5)
    for _ in range(400):
        height, width = rng.randint(1, 4), rng.randint(1, 4)
        spread = rng.choice([1, 2, 50])  # Few different entries make degenerate games.
        matrix = fractions([[rng.randint(-spread, spread) for _ in range(width)] for _ in range(height)])
        value, x, y = solve_matrix(matrix)
        assert exploitability(matrix, [float(p) for p in x], [float(p) for p in y]) < 1e-12
        assert sum(p * q * matrix[i][j] for i, p in enumerate(x) for j, q in enumerate(y)) == value


def test_exploitability() -> None:
    pennies = fractions([[1, -1], [-1, 1]])
    assert exploitability(pennies, [0.5, 0.5], [0.5, 0.5]) == 0
    assert exploitability(pennies, [1.0, 0.0], [0.5, 0.5]) == 1
    assert exploitability(pennies, [0.75, 0.25], [0, 1]) == 1.5
    for wrong in ([0.5, 0.6], [1.5, -0.5], [1.0]):
        with pytest.raises(ValueError, match="no mix"):
            exploitability(pennies, wrong, [0.5, 0.5])


# Values.


def test_values_of_finished_games() -> None:
    assert utilities("SCORE", [60, 70]) == [60, 70]
    assert utilities("WIN", [70, 60]) == [Fraction("0.9901"), Fraction("0.0099")]
    assert utilities("WIN", [70, 70, 40]) == [
        Fraction("0.49") + Fraction(2, 100) * (Fraction(1, 3) + Fraction(10, 1000)),
        Fraction("0.49") + Fraction(2, 100) * (Fraction(1, 3) + Fraction(10, 1000)),
        Fraction(2, 100) * (Fraction(1, 3) - Fraction(20, 1000)),
    ]
    assert row_payoff("WIN", [70, 60]) == Fraction("0.9901")
    assert row_payoff("SCORE", [57, 60]) == -3
    with pytest.raises(ValueError, match="objective"):
        utilities("LUCK", [1, 2])


def test_the_values_against_other_mixes() -> None:
    game = late(ReferenceOcean, 2, 8, "PICK", 3)
    for objective in ("WIN", "SCORE"):
        solution = solve(game, objective)
        rows, columns, matrix = payoff_matrix(game, objective)
        uniform = {seat: {move: 1 / len(solution.moves[seat]) for move in solution.moves[seat]} for seat in range(2)}
        values = [solution.against(seat, uniform) for seat in range(2)]
        for row, entries in zip(rows, matrix, strict=True):
            mean = float(sum(entries) / len(columns))
            scores = [solution.scores((row, column)) for column in columns]
            theirs = 0 if objective == "WIN" else sum(score[1] for score in scores) / len(columns)
            assert float(values[0][row]) == pytest.approx(mean + theirs)
        assert solution.best(0) == min(
            (move for move in rows if solution.move_values[0][move] == max(solution.move_values[0].values())),
            key=str.encode,
        )


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="last"):
        solve(late(ReferenceOcean, 2, 7, "PLACE", 1), "WIN")
    with pytest.raises(ValueError, match="last"):
        solve(late(ReferenceOcean, 3, 8, "PLACE", 1), "WIN")
    game = late(ReferenceOcean, 2, 9, "PICK", 1)
    with pytest.raises(ValueError, match="objective"):
        solve(game, "LUCK")
    game.play(0, game.moves(0)[0])
    with pytest.raises(ValueError, match="all seats"):
        solve(game, "WIN")
    with pytest.raises(ValueError, match="two players"):
        payoff_matrix(late(ReferenceOcean, 3, 9, "PICK", 1), "WIN")


@pytest.mark.parametrize(("seats", "last_round"), [(2, 8), (3, 9)])
def test_the_time_of_a_position(seats: int, last_round: int) -> None:
    games = [
        late(ReferenceOcean, seats, last_round, "PICK", number, targets=number % 2 == 1, **OPTIONS[number % 7][1])
        for number in range(1, 6, 2)
    ]
    began = time.process_time()
    solutions: list[Solution] = [solve(game, "WIN") for game in games]
    assert (time.process_time() - began) / len(games) < 3.0  # Far less on an idle machine: 0.1 s.
    assert all(sum(mix.values()) == 1 for solution in solutions for mix in solution.mixes)
