"""Answers that claim to be exact, held to brute force on late positions: the short form of `tests/run_exact.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction

import exact_heart
import exact_sanctuary
import pytest
from reference.heart_solver import BruteForce
from reference.sanctuary_solver import BruteForce as SanctuaryBruteForce
from reference.solver import solve
from run_exact import MOMENTS, Late, advise, check, check_position, late

from ext.heart import plant_fault
from search.request import Answer

HEART = [*range(201, 208), 209, 210]
"""Positions of heart, one of each kind at least, and their size."""
HEART_STATES = 3000
SANCTUARY = range(len(exact_sanctuary.SETTINGS) * len(exact_sanctuary.MOMENTS))
"""Positions of sanctuary, one of each setting and each moment, and their size."""
SANCTUARY_STATES = 1500


@pytest.mark.parametrize("number", range(60))
def test_late_positions_are_answered_exactly(number: int) -> None:
    check_position(number)


@pytest.mark.parametrize("number", HEART)
def test_late_positions_of_heart_are_answered_exactly(number: int) -> None:
    exact_heart.check_position(number, most=HEART_STATES)


@pytest.mark.parametrize("number", SANCTUARY)
def test_late_positions_of_sanctuary_are_answered_exactly(number: int) -> None:
    exact_sanctuary.check_position(number, most=SANCTUARY_STATES)


def test_the_positions_are_what_they_are_meant_to_be() -> None:
    for number, moment in enumerate(MOMENTS):
        position = late(number)
        assert (position.game.seats, position.reference.round, position.reference.phase) == moment
        assert position.game.dump(position.state) == position.reference.position()
    assert {exact_heart.KINDS[number % len(exact_heart.KINDS)] for number in HEART} == set(exact_heart.KINDS)
    for number in SANCTUARY[::7]:
        alone = exact_sanctuary.late(number, SANCTUARY_STATES)
        table = alone.game.dump(alone.state)["table"]
        assert (alone.game.variant, table["round"], alone.moment.split()[0]) == ("solo", 3, table["phase"])
        assert table["seats"][0]["hand_size"] <= 3


# Wrong answers are noticed.


def change_first_value(answer: Answer, seat: int) -> Answer:
    moves = list(answer.moves)
    moves[0] = moves[0]._replace(value=moves[0].value + 1e-8)
    return dataclasses.replace(answer, moves=moves)


def change_last_value(answer: Answer, seat: int) -> Answer:
    moves = list(answer.moves)
    moves[-1] = moves[-1]._replace(value=moves[-1].value - 1e-8)
    return dataclasses.replace(answer, moves=moves)


def play_pure(answer: Answer, seat: int) -> Answer:
    """The likeliest move of the seat, always."""
    return dataclasses.replace(answer, mixes={**answer.mixes, seat: [(answer.mixes[seat][0][0], 1.0)]})


def play_evenly(answer: Answer, seat: int) -> Answer:
    n = len(answer.moves)
    return dataclasses.replace(answer, mixes={**answer.mixes, seat: [(move.move, 1 / n) for move in answer.moves]})


def let_the_other_play_evenly(answer: Answer, seat: int) -> Answer:
    other = [(move, 1 / len(answer.mixes[1 - seat])) for move, _ in answer.mixes[1 - seat]]
    return dataclasses.replace(answer, mixes={**answer.mixes, 1 - seat: other})


def shift_a_little(answer: Answer, seat: int) -> Answer:
    (first, p), (second, q), *rest = answer.mixes[seat]
    mixes = {**answer.mixes, seat: [(first, p - 1e-6), (second, q + 1e-6), *rest]}
    return dataclasses.replace(answer, mixes=mixes)


def add_up_to_less(answer: Answer, seat: int) -> Answer:
    (first, p), *rest = answer.mixes[seat]
    return dataclasses.replace(answer, mixes={**answer.mixes, seat: [(first, p - 1e-6), *rest]})


def leave_out_a_move(answer: Answer, seat: int) -> Answer:
    return dataclasses.replace(answer, moves=answer.moves[:-1])


def turn_the_ranking(answer: Answer, seat: int) -> Answer:
    return dataclasses.replace(answer, moves=answer.moves[::-1])


def claim_nothing(answer: Answer, seat: int) -> Answer:
    return dataclasses.replace(answer, exact=False)


def change_the_outlook(answer: Answer, seat: int) -> Answer:
    return dataclasses.replace(answer, expected_score=[score + 1e-6 for score in answer.expected_score])


def change_the_chance_of_success(answer: Answer, seat: int) -> Answer:
    moves = list(answer.moves)
    moves[-1] = moves[-1]._replace(win_share=[share + 1e-8 for share in moves[-1].win_share])
    return dataclasses.replace(answer, moves=moves)


SPOILT_OF_ONE_SEAT = [
    change_first_value,
    change_last_value,
    leave_out_a_move,
    turn_the_ranking,
    claim_nothing,
    change_the_outlook,
]
"""What can be wrong where one seat decides."""


@pytest.mark.parametrize(
    "spoil",
    [
        change_first_value,
        change_last_value,
        play_pure,
        play_evenly,
        let_the_other_play_evenly,
        shift_a_little,
        add_up_to_less,
        leave_out_a_move,
        turn_the_ranking,
        claim_nothing,
        change_the_outlook,
    ],
)
@pytest.mark.parametrize("objective", ["WIN", "SCORE"])
def test_a_wrong_answer_is_noticed(spoil: Callable[[Answer, int], Answer], objective: str) -> None:
    position = mixed_position(objective)
    solution = solve(position.reference, objective)
    for seat in range(2):
        answer = advise(position, seat, objective)
        assert check(position, seat, answer, solution).mixed
        with pytest.raises(AssertionError):
            check(position, seat, spoil(answer, seat), solution)


def mixed_position(objective: str) -> Late:
    """The first position in which both seats mix, not evenly."""
    for number in range(200):
        if MOMENTS[number % len(MOMENTS)] == (2, 8, "PICK"):
            position = late(number)
            mixes = advise(position, 0, objective).mixes
            if all(len(mixes[seat]) > 1 and mixes[seat][0][1] > 0.55 for seat in range(2)):
                return position
    raise AssertionError("no position with mixes")


def test_another_objective_is_noticed() -> None:
    position = mixed_position("SCORE")
    with pytest.raises(AssertionError):
        check(position, 0, advise(position, 0, "SCORE"), solve(position.reference, "WIN"))


@pytest.mark.planted
def test_chance_taken_for_futile_is_noticed() -> None:
    """In the build with faults: one face of the die stands for all, though another seat's shark comes after it."""
    assert plant_fault(209)
    try:
        with pytest.raises(AssertionError):
            exact_heart.check_position(214, most=30_000)
    finally:
        plant_fault(0)


def position_that_hangs_on_the_move() -> exact_sanctuary.Late:
    """The first one of sanctuary in which what meets the challenge is not what scores most."""
    for number in range(2000):
        if exact_sanctuary.SETTINGS[number % 10] in ("HARVESTER", "SHORTAGE") and number // 10 % 6 in (1, 3, 5):
            position = exact_sanctuary.late(number, 300)
            one, other = (exact_sanctuary.advise(position, objective) for objective in ("WIN", "SCORE"))
            if one.win_share[0] > other.win_share[0]:
                return position
    raise AssertionError("no position in which the challenge hangs on the move")


@pytest.mark.parametrize("objective", ["WIN", "SCORE"])
def test_a_wrong_answer_of_sanctuary_is_noticed(objective: str) -> None:
    position = position_that_hangs_on_the_move()
    solution = SanctuaryBruteForce(position.reference, SANCTUARY_STATES)
    answer = exact_sanctuary.advise(position, objective)
    found = exact_sanctuary.check(position, answer, solution, objective)
    assert found.decisive, "the challenge does not hang on the move"
    for spoil in [*SPOILT_OF_ONE_SEAT, change_the_chance_of_success]:
        with pytest.raises(AssertionError):
            exact_sanctuary.check(position, spoil(answer, 0), solution, objective)
    # What wins and what scores most are two things.
    other = exact_sanctuary.advise(position, "SCORE" if objective == "WIN" else "WIN")
    with pytest.raises(AssertionError):
        exact_sanctuary.check(position, other, solution, objective)


@pytest.mark.parametrize("objective", ["WIN", "SCORE"])
def test_a_wrong_answer_of_heart_is_noticed(objective: str) -> None:
    position = exact_heart.late(203, HEART_STATES)
    solution = BruteForce(position.reference, HEART_STATES)
    answer = exact_heart.advise(position, objective)
    exact_heart.check(position, answer, solution, objective)
    for spoil in SPOILT_OF_ONE_SEAT:
        with pytest.raises(AssertionError):
            exact_heart.check(position, spoil(answer, solution.seat), solution, objective)
    # The brute force, too, is held to its word: another value of one move, and the answer is wrong.
    outlook = next(iter(solution.moves.values()))[objective]
    outlook.values[solution.seat] += Fraction(1, 10**8)
    with pytest.raises(AssertionError):
        exact_heart.check(position, answer, solution, objective)
