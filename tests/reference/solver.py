"""The last picks of ocean solved by trying everything, written to be read next to `reference.ocean`.

What is solved. Everything is known (the referee's position, nobody has committed), and there is left:
- with 2 players at most the last two picks: rounds 8 and 9, picking or placing;
- with 3 or 4 players the last pick: round 9, picking or placing.

What a solution is. A seat's value is, for the objective WIN, 0.98 x its share of first place + 0.02 x (1/n + (own
score - mean score) / 1000), and for SCORE its own final score. Choices are simultaneous. With 2 seats the solution is
an equilibrium of the zero-sum game (on WIN's value, whose sum is 1, or on the difference of the scores); with more
seats it is a dominant choice of every seat.

Why a seat may be looked at alone once the picks of round 8 are open. The score of a seat depends on its own ocean and
targets only. Its ocean changes by its own choices only, and what it may choose from depends on its ocean and on its
hand. In round 9 hands are not passed any more. After the reveal of round 8, hands are passed once more; what each
then holds is settled and does not depend on how the cards are placed. So from there on no choice of one seat changes
what another can still score, and a seat's final score is a function of its own remaining choices. Both objectives
grow strictly with the own score, whatever the others score: WIN's share of first place does not fall and (own - mean)
rises by (1 - 1/n) a point; with SCORE and 2 seats the difference rises. So a choice that leads to the seat's greatest
final score is at least as good as any other choice against everything the others may do, all such choices are alike,
and every other choice is worse. The value of every seat is therefore the same in every equilibrium: that of the
scores in which each seat does its best.

Only the picks of round 8 interact: a card that I take is one that the other cannot have in round 9. With 2 players
that is one matrix of at most 3 x 3, whose cells are decided by the paragraph above.

`tests/test_reference_solver.py` plays small positions out in full, every combination of every seat's choices, and
compares.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from reference.ocean import (
    LAST_ROUND,
    PROMO,
    Cell,
    ReferenceOcean,
    condition_points,
    iucn_points,
    neighbours,
    pattern_images,
)

Matrix = Sequence[Sequence[Fraction]]
Mix = Mapping[str, Fraction | float]
Placed = tuple[Cell, int]

OBJECTIVES = ("WIN", "SCORE")


# Two-player zero-sum games given as a matrix: the row player gets the entry, the column player loses it.


def linear_solution(equations: list[list[Fraction]]) -> list[Fraction] | None:
    """Solve n equations in n unknowns (each row: coefficients, then the right side), None if not uniquely solvable."""
    rows = [list(row) for row in equations]
    n = len(rows)
    for column in range(n):
        pivot = next((r for r in range(column, n) if rows[r][column] != 0), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column][column]
        rows[column] = [entry / lead for entry in rows[column]]
        for r in range(n):
            if r != column and rows[r][column] != 0:
                factor = rows[r][column]
                rows[r] = [entry - factor * other for entry, other in zip(rows[r], rows[column], strict=True)]
    return [row[n] for row in rows]


def row_values(matrix: Matrix, y: Sequence[Fraction]) -> list[Fraction]:
    """Return what each row gives against the column player's mix."""
    return [sum((entry * p for entry, p in zip(row, y, strict=True)), Fraction(0)) for row in matrix]


def column_values(matrix: Matrix, x: Sequence[Fraction]) -> list[Fraction]:
    """Return what each column gives the row player who plays a mix."""
    return row_values(list(zip(*matrix, strict=True)), x)


def equaliser(matrix: Matrix, rows: Sequence[int], columns: Sequence[int]) -> tuple[Fraction, list[Fraction]] | None:
    """Return the value v and the mix on `columns` against which each of `rows` gives v, None if they are not unique."""
    equations = [[matrix[r][c] for c in columns] + [Fraction(-1), Fraction(0)] for r in rows]
    equations.append([Fraction(1)] * len(columns) + [Fraction(0), Fraction(1)])
    solution = linear_solution(equations)
    return None if solution is None else (solution[-1], solution[:-1])


def solve_matrix(matrix: Matrix) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return the value and an equilibrium (row mix, column mix), exactly.

    Every pair of supports of one size is tried; an answer is taken only when neither player can do better against it.
    The extreme equilibria of a matrix game are the unique equalisers of a square part of the matrix (Shapley and Snow),
    so one is found.
    """
    height, width = len(matrix), len(matrix[0])
    transposed = list(zip(*matrix, strict=True))
    for size in range(1, min(height, width) + 1):
        for rows in itertools.combinations(range(height), size):
            for columns in itertools.combinations(range(width), size):
                for_columns = equaliser(matrix, rows, columns)
                for_rows = equaliser(transposed, columns, rows)
                if for_columns is None or for_rows is None or for_columns[0] != for_rows[0]:
                    continue
                value = for_columns[0]
                x, y = [Fraction(0)] * height, [Fraction(0)] * width
                for r, p in zip(rows, for_rows[1], strict=True):
                    x[r] = p
                for c, p in zip(columns, for_columns[1], strict=True):
                    y[c] = p
                if min(x) < 0 or min(y) < 0:
                    continue
                if max(row_values(matrix, y)) == value == min(column_values(matrix, x)):
                    return value, x, y
    raise AssertionError("every matrix game has an equilibrium")


def exploitability(
    matrix: Sequence[Sequence[Fraction | float]], x: Sequence[Fraction | float], y: Sequence[Fraction | float]
) -> float:
    """Return what the two players together could gain by each playing best against the other's mix; 0 at equilibrium.

    A mix is a list of probabilities in the order of the rows or columns. It must be one: not negative, 1 in sum.
    """
    exact = [[Fraction(entry) for entry in row] for row in matrix]
    mixes = []
    for mix, length in ((x, len(exact)), (y, len(exact[0]))):
        probabilities = [Fraction(p) for p in mix]
        if len(probabilities) != length or min(probabilities) < 0 or abs(float(sum(probabilities)) - 1) > 1e-12:
            raise ValueError(f"no mix of {length} choices: {[float(p) for p in probabilities]}")
        mixes.append(probabilities)
    return float(max(row_values(exact, mixes[1])) - min(column_values(exact, mixes[0])))


# Values.


def utilities(objective: str, scores: Sequence[int], ranks: Sequence[int] | None = None) -> list[Fraction]:
    """Return each seat's value of a finished game; without ranks the scores alone decide who is first."""
    if objective == "SCORE":
        return [Fraction(score) for score in scores]
    if objective != "WIN":
        raise ValueError(f"unknown objective {objective!r}")
    n = len(scores)
    mean = Fraction(sum(scores), n)
    shares = shares_of_first_place([1 + (score < max(scores)) for score in scores] if ranks is None else ranks)
    return [
        Fraction(98, 100) * share + Fraction(2, 100) * (Fraction(1, n) + (score - mean) / 1000)
        for share, score in zip(shares, scores, strict=True)
    ]


def shares_of_first_place(ranks: Sequence[int]) -> list[Fraction]:
    """Return each seat's share of first place: those who are first share it."""
    winners = sum(rank == 1 for rank in ranks)
    return [Fraction(1, winners) if rank == 1 else Fraction(0) for rank in ranks]


def row_payoff(objective: str, scores: Sequence[int]) -> Fraction:
    """Return what seat 0 gets of seat 1 in the zero-sum game of two: its value with WIN, the difference with SCORE."""
    values = utilities(objective, scores)
    return values[0] if objective == "WIN" else values[0] - values[1]


# One seat alone.


class Ending:
    """What one seat's ocean comes to with one or two more cards.

    The reference says which cells are free and what a condition scores. Only the adding up is done here, card by card
    instead of the whole ocean again: a new card changes its own points and those of its neighbours. Targets are looked
    for once: every place of every image that lacks at most two cards is listed with the cells that it lacks.
    """

    def __init__(self, game: ReferenceOcean, seat: int) -> None:
        """Look at a seat's ocean as it lies in `game`."""
        self.game = game.clone()
        self.seat = seat
        self.ocean: dict[Cell, int] = dict(game.oceans[seat])
        self.species = game.species_points(seat)
        self.around: dict[Cell, list[Cell]] = {}
        self.free: dict[Cell | None, list[Cell]] = {}
        self.conditions: dict[tuple[int, tuple[str, ...]], int] = {}
        self.gains: dict[tuple[Placed, ...], int] = {}
        self.twos: dict[tuple[int, int], int] = {}
        # Of each target but the promo: its points, whether it matches already, and what it lacks elsewhere.
        self.patterns: list[tuple[int, bool, dict[frozenset[Cell], list[dict[Cell, list[str]]]]]] = []
        self.promo = PROMO in game.held_targets[seat]
        for target in game.held_targets[seat]:
            if target != PROMO:
                lacks = self._lacks(target)
                self.patterns.append((game.target_cards[target]["points"], frozenset() in lacks, lacks))

    def _neighbours(self, cell: Cell) -> list[Cell]:
        if cell not in self.around:
            self.around[cell] = neighbours(self.game.topology, *cell)
        return self.around[cell]

    def _lacks(self, target: int) -> dict[frozenset[Cell], list[dict[Cell, list[str]]]]:
        """Return, by the set of at most two free cells that an image lacks, what kinds it demands of them."""
        game = self.game
        pattern = game.target_cards[target]["hex" if game.topology == "HEX" else "square"]
        cells = [(int(entry.get("x", 0)), int(entry.get("y", 0))) for entry in pattern]
        demands = [list(entry.get("kinds", [])) for entry in pattern]
        found: dict[frozenset[Cell], list[dict[Cell, list[str]]]] = {}
        if game.target_match == "WHOLE_SHAPE" and len(cells) != 9:
            return found  # With nine cells in a finished ocean, to be contained is to be equal.
        # Two more cards reach two steps from the ocean at most, so an image's first cell lies within them.
        region = set(self.ocean)
        for _ in range(2):
            region |= {near for cell in region for near in self._neighbours(cell)}
        for image in pattern_images(game.topology, cells, game.mirror_targets):
            for x, y in region:
                lack: dict[Cell, list[str]] = {}
                for (image_x, image_y), kinds in zip(image, demands, strict=True):
                    cell = (image_x - image[0][0] + x, image_y - image[0][1] + y)
                    if cell not in self.ocean:
                        lack[cell] = kinds
                        if len(lack) > 2:
                            break
                    elif kinds and game.cards[self.ocean[cell]]["kind"] not in kinds:
                        break
                else:
                    found.setdefault(frozenset(lack), []).append(lack)
        return found

    def cells(self, first: Cell | None = None) -> list[Cell]:
        """Return the free cells, of the ocean as it lies or with one more card at `first`."""
        if first not in self.free:
            if first is not None:
                self.game.oceans[self.seat][first] = -1  # Which card does not matter.
            self.free[first] = sorted(self.game.free_cells(self.seat))
            if first is not None:
                del self.game.oceans[self.seat][first]
        return self.free[first]

    def _points_at(self, cell: Cell) -> int:
        ocean, cards = self.ocean, self.game.cards
        kinds = tuple(cards[ocean[near]]["kind"] for near in self._neighbours(cell) if near in ocean)
        key = (ocean[cell], kinds)
        if key not in self.conditions:
            condition = cards[ocean[cell]]["condition"]
            self.conditions[key] = condition_points(condition, list(kinds), self.game.same_kind_sets)
        return self.conditions[key]

    def _gain(self, cell: Cell, card: int) -> int:
        """Return what one more card adds to the species' points of the ocean as it is just now."""
        scorers = [near for near in self._neighbours(cell) if near in self.ocean]
        before = sum(self._points_at(near) for near in scorers)
        self.ocean[cell] = card
        after = self._points_at(cell) + sum(self._points_at(near) for near in scorers)
        del self.ocean[cell]
        return after - before

    def _gain_of(self, *added: Placed) -> int:
        """Return what the last of the added cards adds to the species' points when the others lie already."""
        if len(added) == 2:
            (first, first_card), (last, _) = added
            reach = set(self._neighbours(last))
            if first not in reach and not any(near in reach for near in self._neighbours(first)):
                added = added[1:]  # The first neither touches the last card nor a neighbour of it.
        if added not in self.gains:
            if len(added) == 2:
                self.ocean[first] = first_card
                self.gains[added] = self._gain(*added[1])
                del self.ocean[first]
            else:
                self.gains[added] = self._gain(*added[0])
        return self.gains[added]

    def _target_points(self, added: tuple[Placed, ...]) -> int:
        points = 0
        cards = self.game.cards
        kinds = {cell: cards[card]["kind"] for cell, card in added}
        subsets = [frozenset([cell]) for cell in kinds] + [frozenset(kinds)]
        for worth, matches, lacks in self.patterns:
            if matches or any(
                all(not allowed or kinds[cell] in allowed for cell, allowed in lack.items())
                for subset in subsets
                for lack in lacks.get(subset, ())
            ):
                points += worth
        if self.promo:
            categories = [cards[card]["iucn_category"] for card in [*self.ocean.values(), *(card for _, card in added)]]
            points += iucn_points(categories, self.game.no_category_counts)
        return points

    def score(self, *added: Placed) -> int:
        """Return the score of the finished ocean, with one or two cards added in this order."""
        points = self.species + sum(self._gain_of(*added[: i + 1]) for i in range(len(added)))
        return points + self._target_points(added) if self.patterns or self.promo else points

    def best_with(self, card: int, first: Placed | None = None) -> int:
        """Return the best score when `card` is the last to be placed, after `first` if that is given."""
        if first is None:
            return max(self.score((cell, card)) for cell in self.cells())
        return max(self.score(first, (cell, card)) for cell in self.cells(first[0]))

    def best_with_two(self, card: int, last_card: int) -> int:
        """Return the best score when `card` and then `last_card` are placed."""
        if (card, last_card) not in self.twos:
            self.twos[card, last_card] = max(self.best_with(last_card, (cell, card)) for cell in self.cells())
        return self.twos[card, last_card]


# The solver.


@dataclass
class Solution:
    """An equilibrium, and what it takes to value any other way to play.

    `values` has each seat's value, `mixes` each seat's probability of each of its moves, `move_values` what each move
    is worth to its seat while the others keep to `mixes`.
    """

    objective: str
    moves: list[list[str]]
    ends: dict[tuple[str, ...], tuple[int, ...]] | list[dict[str, int]] = field(repr=False)
    values: list[Fraction] = field(default_factory=list)
    mixes: list[dict[str, Fraction]] = field(default_factory=list)
    move_values: list[dict[str, Fraction]] = field(default_factory=list)

    @property
    def seats(self) -> int:
        """The number of seats; all of them are to choose."""
        return len(self.moves)

    @property
    def game_value(self) -> Fraction:
        """The value of the zero-sum game of two seats, which is the same in every equilibrium."""
        assert self.seats == 2
        return self.values[0] if self.objective == "WIN" else self.values[0] - self.values[1]

    def scores(self, choices: tuple[str, ...]) -> tuple[int, ...]:
        """Return the final scores after these moves of the seats and best play from then on."""
        if isinstance(self.ends, dict):
            return self.ends[choices]
        return tuple(end[choice] for end, choice in zip(self.ends, choices, strict=True))

    def against(self, seat: int, mixes: Mapping[int, Mix]) -> dict[str, Fraction]:
        """Return what each move of a seat is worth to it when the others play these mixes."""
        others = [
            [(move, Fraction(p)) for move, p in mixes[other].items() if p] if other != seat else []
            for other in range(self.seats)
        ]
        values = {}
        for move in self.moves[seat]:
            others[seat] = [(move, Fraction(1))]
            value = Fraction(0)
            for profile in itertools.product(*others):
                weight = Fraction(1)
                for _, p in profile:
                    weight *= p
                value += weight * utilities(self.objective, self.scores(tuple(choice for choice, _ in profile)))[seat]
            values[move] = value
        return values

    def under(self, objective: str) -> Solution:
        """Return where the same moves lead, to be valued under another objective; not solved."""
        return Solution(objective, self.moves, self.ends)

    def matrix(self) -> list[list[Fraction]]:
        """Return the zero-sum game of two seats: a row for each move of seat 0, a column for each of seat 1."""
        assert self.seats == 2
        return [
            [row_payoff(self.objective, self.scores((mine, other))) for other in self.moves[1]]
            for mine in self.moves[0]
        ]

    def best(self, seat: int) -> str:
        """Return the move of greatest value; ties go by the byte order of the notation."""
        values = self.move_values[seat]
        greatest = max(values.values())
        return min((move for move in values if values[move] == greatest), key=str.encode)


def tabulate(game: ReferenceOcean, objective: str) -> Solution:
    """Return a position's moves and where they lead, not yet solved."""
    if objective not in OBJECTIVES:
        raise ValueError(f"unknown objective {objective!r}")
    if game.over or game.pending() != list(range(game.seats)):
        raise ValueError("only positions in which all seats are to choose are solved")
    if game.round < LAST_ROUND - 1 or (game.round < LAST_ROUND and game.seats > 2):
        raise ValueError("only the last two picks of 2 players and the last pick of more are solved")
    moves = [game.moves(seat) for seat in range(game.seats)]
    endings = [Ending(game, seat) for seat in range(game.seats)]
    if game.phase == "PLACE" or game.round == LAST_ROUND:
        return Solution(objective, moves, [own_ends(game, ending, moves[ending.seat]) for ending in endings])

    ends = {}
    for choices in itertools.product(*moves):
        revealed = game.clone()
        for seat, choice in enumerate(choices):
            revealed.play(seat, choice)
        hands = passed_hands(revealed)
        scores = []
        for seat, ending in enumerate(endings):
            card = revealed.revealed[seat]
            assert card is not None
            scores.append(max(ending.best_with_two(card, last_card) for last_card in hands[seat]))
        ends[choices] = tuple(scores)
    return Solution(objective, moves, ends)


def passed_hands(game: ReferenceOcean) -> list[set[int]]:
    """Return what each seat will hold when the revealed cards are placed, wherever that is."""
    after = game.clone()
    for seat in range(game.seats):
        after.play(seat, after.moves(seat)[0])
    return after.hands


def own_ends(game: ReferenceOcean, ending: Ending, moves: list[str]) -> dict[str, int]:
    """Return, by its next move, the best final score of a seat whose choices are independent of the others'."""
    ends = {}
    last_hand = passed_hands(game)[ending.seat] if game.round < LAST_ROUND else set()
    for move in moves:
        what, where = move.split(" ")
        if what == "pick":
            ends[move] = ending.best_with(int(where))
            continue
        x, y = where.split(",")
        card = game.revealed[ending.seat]
        assert card is not None
        placed = ((int(x), int(y)), card)
        if game.round < LAST_ROUND:
            ends[move] = max(ending.best_with(last_card, placed) for last_card in last_hand)
        else:
            ends[move] = ending.score(placed)
    return ends


def payoff_matrix(game: ReferenceOcean, objective: str) -> tuple[list[str], list[str], list[list[Fraction]]]:
    """Return the moves of seat 0, those of seat 1, and what seat 0 gets of seat 1 for each pair of them."""
    if game.seats != 2:
        raise ValueError("a matrix has two players")
    solution = tabulate(game, objective)
    return solution.moves[0], solution.moves[1], solution.matrix()


def solve(game: ReferenceOcean, objective: str) -> Solution:
    """Return an equilibrium of a late position."""
    solution = tabulate(game, objective)
    if isinstance(solution.ends, dict):
        _, x, y = solve_matrix(solution.matrix())
        choices = [dict(zip(moves, mix, strict=True)) for moves, mix in zip(solution.moves, (x, y), strict=True)]
    else:
        choices = []
        for end in solution.ends:
            chosen = min((move for move in end if end[move] == max(end.values())), key=str.encode)
            choices.append({move: Fraction(move == chosen) for move in end})
    solution.mixes = choices
    given = dict(enumerate(choices))
    solution.move_values = [solution.against(seat, given) for seat in range(game.seats)]
    solution.values = [
        sum((p * values[move] for move, p in mix.items()), Fraction(0))
        for mix, values in zip(solution.mixes, solution.move_values, strict=True)
    ]
    return solution
