"""Late positions of heart, answered by `auto` and solved by brute force.

Positions come from self-play, with the rules mixed: the last decisions of a game, of which brute force looks at no more
than so many states, chance enumerated. Those of one game hang together, so at most one of a game is taken. Which kind
of decision it is goes by turns (`KINDS`), and for every other position a game is looked for in which somebody else
decides after it. What is too large for brute force, and what `auto` does not try, is counted and left out.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from differential import house
from reference.heart import DEFAULT_RULES, ReferenceHeart
from reference.heart_solver import BruteForce, Outlook, best_move

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import CHANCE, OVER, State
from ext.heart import Heart
from search.exact import AUTO_NODES
from search.request import Algorithm, Answer, Limits, Objective, Options
from search.run import Search

MOST_STATES = 100_000
"""Below a position that is solved."""
KINDS = ("TAKE", "PLACE", "SWIM", "SHARK", "PHOTO", "PLACE", "SWIM", "bonus TAKE", "TAKE", "bonus PLACE")
LAST = 16
"""Decisions of a game that are late."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Late:
    """A late position in both implementations, and how it was found."""

    number: int
    kind: str
    game: Heart
    state: State
    reference: ReferenceHeart
    late: int
    too_large: int
    declined: int


@dataclass
class Figures:
    """What has been looked at, and the largest differences found."""

    answers: int = 0
    states: int = 0
    interactive: int = 0
    late: int = 0
    too_large: int = 0
    declined: int = 0
    value_error: float = 0.0
    score_error: float = 0.0

    def add(self, other: "Figures") -> None:
        """Take up what another position has shown."""
        for name in ("answers", "states", "interactive", "late", "too_large", "declined"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.value_error = max(self.value_error, other.value_error)
        self.score_error = max(self.score_error, other.score_error)

    def report(self) -> dict[str, Any]:
        """For the JSON line."""
        return {
            "answers": self.answers,
            "states": self.states,
            "others_decide": self.interactive,
            "late_decisions": self.late,
            "rejected_as_too_large": round(self.too_large / max(self.late, 1), 4),
            "rejected_by_estimate": self.declined,
            "largest_value_error": self.value_error,
            "largest_score_error": self.score_error,
        }


def kind_of(game: Heart, state: State) -> str:
    """The decision that is due."""
    table = game.dump(state)["table"]
    return ("bonus " if table["bonus"] else "") + str(table["phase"])


def self_play(game: Heart, rng: random.Random) -> Iterator[tuple[State, str]]:
    """A game, sensible for the most part: every state before the end, and what happens there, a move or an outcome."""
    state, greed = game.start(), rng.choice([0.6, 0.9])
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            outcome = game.draw(state, rng.getrandbits(64), 0)
            yield state, game.outcome_notation(outcome)
            state = game.happen(state, outcome)
            continue
        moves = game.moves(state, turn)
        move = game.choose(state, turn, rng.getrandbits(64)) if rng.random() < greed else rng.choice(moves)
        yield state, game.notation(move)
        state = game.play(state, turn, move)


def size(game: Heart, state: State, most: int) -> tuple[int, bool]:
    """States below this one, at most one more than `most`, and whether another seat decides in any of them."""
    owner, count, interactive, stack = game.turn(state), 0, False, [state]
    while stack and count <= most:
        here = stack.pop()
        turn = game.turn(here)
        if turn == CHANCE:
            below = [game.happen(here, outcome) for outcome, _ in game.outcomes(here)]
        else:
            below = [game.play(here, turn, move) for move in game.moves(here, turn)] if turn != OVER else []
            interactive |= turn not in (OVER, owner)
        count += len(below)
        stack += below
    return count, interactive


def late(number: int, most: int = MOST_STATES) -> Late:
    """The first fitting position of the games that belong to a number."""
    rng = random.Random(f"heart {number}")
    wanted, others_decide = KINDS[number % len(KINDS)], number % 2 == 0
    seen = too_large = declined = games = 0
    while True:
        games += 1
        rules = {
            option: rng.random() < 0.7 if default else rng.random() < 0.3 for option, default in DEFAULT_RULES.items()
        }
        game = Heart(rng.choice([2, 3, 4, 4]), house("heart"), rules)
        course = list(self_play(game, rng))
        fitting = []
        decisions = [i for i, (state, _) in enumerate(course) if game.turn(state) != CHANCE][-LAST:]
        seen += len(decisions)
        # What leads to a state that is too large is larger still.
        for late_ones, i in enumerate(reversed(decisions)):
            state = course[i][0]
            count, interactive = size(game, state, most)
            if count > most:
                too_large += len(decisions) - late_ones
                break
            if kind_of(game, state) == wanted and len(game.moves(state, game.turn(state))) > 1:
                fitting.append((interactive, count, i))
        if others_decide and games <= 20:
            fitting = [found for found in fitting if found[0]]
        if fitting:
            i = rng.choice(fitting)[2]
            if is_declined(game, course[i][0]):
                declined += 1
                continue
            reference = replay(game, rules, [step for _, step in course[:i]])
            return Late(number, wanted, game, course[i][0], reference, seen, too_large, declined)


def is_declined(game: Heart, state: State) -> bool:
    """Whether `auto` does not try: along one line there seem to be too many states."""
    seen = game.observe(state, game.turn(state))
    return Expectimax(game, seen, OBJECTIVES["win"]).size(AUTO_NODES) > AUTO_NODES


def replay(game: Heart, rules: dict[str, bool], course: list[str]) -> ReferenceHeart:
    """The same course of a game in the reference."""
    reference = ReferenceHeart(house("heart"), game.seats, rules)
    reference.start()
    for step in course:
        if reference.chance() is not None:
            reference.happen(step)
        else:
            reference.play(reference.turn, step)
    return reference


def advise(position: Late, objective: str) -> Answer:
    """What `auto` answers the seat that decides."""
    game, state = position.game, position.state
    seen = game.observe(state, game.turn(state))
    options = Options(algorithm=Algorithm.AUTO, objective=Objective[objective], seed=position.number)
    return Search(game, seen, Limits(simulations=100), options).run()


def error_of(what: str, found: list[float], expected: list[Any]) -> float:
    """How far numbers are apart at the most; raises AssertionError when that is too far."""
    error = max(abs(one - float(other)) for one, other in zip(found, expected, strict=True))
    assert error <= TOLERANCE, f"{what}: found {found}, by brute force {[float(other) for other in expected]}"
    return error


def check(position: Late, answer: Answer, solution: BruteForce, objective: str) -> Figures:
    """Hold an answer to the brute force; raises AssertionError where they differ."""
    game, seat = position.game, solution.seat
    figures = Figures(answers=1)
    assert answer.exact, "the answer does not claim to be exact"
    assert answer.algorithm is Algorithm.EXPECTIMAX, answer.algorithm
    assert not answer.mixes
    ranked = {game.notation(move.move): move for move in answer.moves}
    assert sorted(ranked) == sorted(solution.moves), "not all moves are ranked"
    assert len(ranked) == len(answer.moves) == answer.legal_moves
    for move, found in ranked.items():
        expected: Outlook = solution.moves[move][objective]
        value = error_of(f"value of {move}", [found.value], [expected.values[seat]])
        figures.value_error = max(figures.value_error, value)
        error_of(f"shares of first place after {move}", found.win_share, expected.shares)
        score = error_of(f"scores after {move}", found.expected_score, expected.scores)
        figures.score_error = max(figures.score_error, score)
    best = best_move(seat, objective, solution.moves)
    assert next(iter(ranked)) == best, f"{next(iter(ranked))} comes first, {best} is the best"
    assert all(one.value >= other.value - TOLERANCE for one, other in zip(answer.moves, answer.moves[1:], strict=False))
    error_of("scores", answer.expected_score, solution.moves[best][objective].scores)
    return figures


def check_position(number: int, most: int = MOST_STATES) -> Figures:
    """Solve and advise late position `number`; raises AssertionError that names it."""
    position = late(number, most)
    game, state = position.game, position.state
    figures = Figures(late=position.late, too_large=position.too_large, declined=position.declined)
    try:
        assert game.dump(state) == position.reference.position(), "the two implementations differ"
        solution = BruteForce(position.reference, most)
        count, interactive = size(game, state, most)
        assert solution.states == count, f"{solution.states} states, in the kernel {count}"
        figures.states, figures.interactive = count, interactive
        for objective in ("WIN", "SCORE"):
            figures.add(check(position, advise(position, objective), solution, objective))
    except AssertionError as error:
        raise AssertionError(f"position {number} of heart ({position.kind}): {error}") from error
    return figures
