"""The long run of exact answers: late positions of each game, answered by `auto` and solved by brute force.

Positions of ocean come from self-play: 2 players with the last two picks to come, 3 and 4 players with the last one,
picking and placing. Every seat is advised under both objectives, and the answer is held to `reference.solver`. Those
of heart are in `exact_heart`, those of solo sanctuary in `exact_sanctuary`. Ends with one line of JSON; exits 1 when
anything differs. `tests/test_exact.py` does a part of it.
"""

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import exact_heart
import exact_sanctuary
from differential import house
from differential_ocean import random_catalogue
from reference.ocean import ReferenceOcean
from reference.solver import Solution, exploitability, solve

from ext.game import State
from ext.ocean import Ocean
from search.request import Algorithm, Answer, Limits, Objective, Options
from search.run import Search

MOMENTS = [
    (2, 8, "PICK"),
    (2, 8, "PLACE"),
    (3, 9, "PICK"),
    (2, 8, "PICK"),
    (2, 9, "PICK"),
    (3, 9, "PLACE"),
    (2, 8, "PICK"),
    (2, 9, "PLACE"),
    (4, 9, "PICK"),
]
"""Seats, round and phase; the picks of round 8, where what one takes the other lacks, come most often."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Late:
    """A late position in both implementations."""

    number: int
    game: Ocean
    state: State
    reference: ReferenceOcean


@dataclass
class Figures:
    """The largest differences found, and how often a seat had to mix."""

    answers: int = 0
    mixed: int = 0
    value_error: float = 0.0
    move_error: float = 0.0
    exploitability: float = 0.0

    def add(self, other: "Figures") -> None:
        """Take up what another position has shown."""
        self.answers += other.answers
        self.mixed += other.mixed
        self.value_error = max(self.value_error, other.value_error)
        self.move_error = max(self.move_error, other.move_error)
        self.exploitability = max(self.exploitability, other.exploitability)

    def report(self) -> dict[str, Any]:
        """For the JSON line."""
        return {
            "answers": self.answers,
            "mixed": self.mixed,
            "largest_value_error": self.value_error,
            "largest_move_error": self.move_error,
            "largest_exploitability": self.exploitability,
        }


def late(number: int) -> Late:
    """Play game `number` up to its moment, sensibly for the most part."""
    rng = random.Random(number)
    seats, last_round, phase = MOMENTS[number % len(MOMENTS)]
    rules = {
        "topology": rng.choice(["SQUARE", "SQUARE", "SQUARE_DIAGONAL", "HEX"]),
        # To and fro, hands come back to who has held them: of three, one would never be seen.
        "passing": rng.choice(["LEFT", "RIGHT", "ALTERNATE"] if seats == 2 else ["LEFT", "RIGHT"]),
        "same_kind_sets": rng.random() < 0.3,
    }
    catalogue = house() if rng.random() < 0.6 else random_catalogue(rng)
    game = Ocean(seats, catalogue, rules)
    reference = ReferenceOcean(catalogue, seats, rules, False)
    cards = rng.sample(range(40), 40)
    reference.deal(cards, [])
    state = game.start()
    for card in cards[: 10 * seats]:
        state = game.happen(state, card)
    while (reference.round, reference.phase) != (last_round, phase):
        seat = rng.choice(reference.pending())
        move = game.choose(state, seat, rng.getrandbits(64))
        reference.play(seat, game.notation(move))
        state = game.play(state, seat, move)
    return Late(number, game, state, reference)


def advise(position: Late, seat: int, objective: str, state: State | None = None) -> Answer:
    """What `auto` answers the seat, which is shown its observation and nothing else."""
    seen = position.game.observe(position.state if state is None else state, seat)
    options = Options(algorithm=Algorithm.AUTO, objective=Objective[objective], seed=position.number)
    return Search(position.game, seen, Limits(simulations=100), options).run()


def near(what: str, found: float, expected: Fraction | float) -> float:
    """How far two numbers are apart; raises AssertionError when that is too far."""
    error = abs(found - float(expected))
    assert error <= TOLERANCE, f"{what}: found {found!r}, by brute force {float(expected)!r}"
    return error


def check(position: Late, seat: int, answer: Answer, solution: Solution) -> Figures:
    """Hold an answer to the brute force; raises AssertionError where they differ."""
    game, seats = position.game, position.game.seats
    figures = Figures(answers=1)
    assert answer.exact, "the answer does not claim to be exact"
    assert answer.algorithm is Algorithm.EXPECTIMAX, answer.algorithm
    ranked = {game.notation(move.move): move for move in answer.moves}
    assert sorted(ranked) == sorted(solution.moves[seat]), "not all moves are ranked"
    assert len(ranked) == len(answer.moves) == answer.legal_moves

    # Everybody's mix, as probabilities of all of its moves.
    mixes: dict[int, Mapping[str, float]] = {}
    assert sorted(answer.mixes) == list(range(seats)), f"mixes of the seats {sorted(answer.mixes)}"
    for other, mix in answer.mixes.items():
        given = {game.notation(move): p for move, p in mix}
        assert len(given) == len(mix), "a move twice in a mix"
        assert set(given) <= set(solution.moves[other]), "a move in a mix that is not legal"
        mixes[other] = {move: given.get(move, 0.0) for move in solution.moves[other]}
        assert min(given.values()) > 0
        near("a mix adds up to", sum(given.values()), 1)
    figures.mixed = len(answer.mixes[seat]) > 1

    # Each move's value is its value against the mixes of the others, and so is the outlook it gives every seat.
    against = solution.against(seat, mixes)
    for move, value in against.items():
        figures.move_error = max(figures.move_error, near(f"value of {move}", ranked[move].value, value))
        for one, score in enumerate(mean_scores(solution, {**mixes, seat: {move: 1.0}})):
            near(f"score of seat {one} after {move}", ranked[move].expected_score[one], score)
    values = [ranked[move].value for move in mixes[seat]]
    assert answer.moves[0].value >= max(values) - TOLERANCE, "the first move is not the best"
    assert all(one.value >= other.value - TOLERANCE for one, other in zip(answer.moves, answer.moves[1:], strict=False))

    # The value of the game, and nobody gains by another way to play.
    mine = sum(p * ranked[move].value for move, p in mixes[seat].items())
    scores = mean_scores(solution, mixes)
    for one, score in enumerate(scores):
        near(f"score of seat {one}", answer.expected_score[one], score)
    if seats == 2:
        rows, columns = ([mixes[one][move] for move in solution.moves[one]] for one in range(2))
        figures.exploitability = exploitability(solution.matrix(), rows, columns)
        assert figures.exploitability <= TOLERANCE, f"exploitability {figures.exploitability}"
        if solution.objective == "WIN":
            expected = solution.game_value if seat == 0 else 1 - solution.game_value
            figures.value_error = near("value of the game", mine, expected)
        else:
            near("the own score", answer.expected_score[seat], mine)
            difference = answer.expected_score[0] - answer.expected_score[1]
            figures.value_error = near("value of the game", difference, solution.game_value)
    else:
        figures.value_error = near("value of the game", mine, solution.values[seat])
        for other in range(seats):
            best = max(solution.against(other, mixes).values())
            for move, p in mixes[other].items():
                assert p == 0 or best - solution.against(other, mixes)[move] <= TOLERANCE, f"{move} is not the best"
    return figures


def mean_scores(solution: Solution, mixes: Mapping[int, Mapping[str, float]]) -> list[Fraction]:
    """Every seat's expected final score when each plays its mix."""
    plain = solution if solution.objective == "SCORE" else solution.under("SCORE")
    return [
        sum(
            (Fraction(mixes[seat].get(move, 0.0)) * value for move, value in plain.against(seat, mixes).items()),
            Fraction(0),
        )
        for seat in range(solution.seats)
    ]


def check_position(number: int) -> Figures:
    """Solve and advise late position `number`; raises AssertionError that names it."""
    figures = Figures()
    position = late(number)
    for objective in ("WIN", "SCORE"):
        solution = solve(position.reference, objective)
        for seat in range(position.game.seats):
            try:
                answer = advise(position, seat, objective)
                figures.add(check(position, seat, answer, solution))
                # Hidden choices of others change nothing.
                state = position.state
                for other in range(position.game.seats):
                    if other != seat:
                        state = position.game.play(state, other, position.game.moves(state, other)[-1])
                hidden = advise(position, seat, objective, state)
                assert (hidden.moves, hidden.mixes) == (answer.moves, answer.mixes), "hidden choices changed the answer"
            except AssertionError as error:
                raise AssertionError(f"position {number}, seat {seat}, {objective}: {error}") from error
    return figures


AnyFigures = Figures | exact_heart.Figures | exact_sanctuary.Figures
GAMES: dict[str, tuple[Callable[[int], AnyFigures], Callable[[], Any], int]] = {
    "heart": (exact_heart.check_position, exact_heart.Figures, 200),
    "ocean": (check_position, Figures, 500),
    "sanctuary": (exact_sanctuary.check_position, exact_sanctuary.Figures, 300),
}
"""How a position is checked, what is added up, and how many positions there are."""


def attempt(game: str, number: int) -> AnyFigures | str:
    """What a position shows, or what is wrong."""
    try:
        return GAMES[game][0](number)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:2000]


def run(game: str, first: int, positions: int, seconds: float) -> dict[str, Any]:
    """Check positions of a game until their number or the time is reached."""
    start, done, differences = time.monotonic(), 0, 0
    figures = GAMES[game][1]()
    with multiprocessing.Pool() as pool:
        for found in pool.imap_unordered(partial(attempt, game), range(first, first + positions)):
            done += 1
            if isinstance(found, str):
                differences += 1
                print(found, file=sys.stderr)
            else:
                figures.add(found)
            if time.monotonic() - start > seconds or differences >= 10:
                break
    return {
        "ok": differences == 0,
        "positions": done,
        "agree": done - differences,
        **figures.report(),
        "seconds": round(time.monotonic() - start, 1),
    }


def main() -> int:
    """Check the games asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=GAMES, help="this one only")
    parser.add_argument("--positions", type=int, help="of each game")
    parser.add_argument("--first", type=int, default=0, help="number of the first position")
    options = parser.parse_args()
    games = [options.game] if options.game else list(GAMES)
    seconds = float(os.environ.get("SECONDS_", "inf")) / len(games)
    found = {game: run(game, options.first, options.positions or GAMES[game][2], seconds) for game in games}
    ok = all(figures["ok"] for figures in found.values())
    print(json.dumps({"ok": ok, **found}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
