"""Answers that claim to be exact, held to brute force on late positions: the short form of `tests/run_exact.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction

import exact_heart
import pytest
from reference.heart_solver import BruteForce
from reference.solver import solve
from run_exact import MOMENTS, Late, advise, check, check_position, late

from ext.heart import plant_fault
from search.request import Answer

HEART = [*range(201, 208), 209, 210]
"""Positions of heart, one of each kind at least, and their size."""
HEART_STATES = 3000


@pytest.mark.parametrize("number", range(60))
def test_late_positions_are_answered_exactly(number: int) -> None:
    check_position(number)


@pytest.mark.parametrize("number", HEART)
def test_late_positions_of_heart_are_answered_exactly(number: int) -> None:
    exact_heart.check_position(number, most=HEART_STATES)


def test_the_positions_are_what_they_are_meant_to_be() -> None:
    for number, moment in enumerate(MOMENTS):
        position = late(number)
        assert (position.game.seats, position.reference.round, position.reference.phase) == moment
        assert position.game.dump(position.state) == position.reference.position()
    assert {exact_heart.KINDS[number % len(exact_heart.KINDS)] for number in HEART} == set(exact_heart.KINDS)


# Wrong answers are noticed.


def change_first_value(answer: Answer, seat: int) -> Answer:
    moves = list(answer.moves)
    moves[0] = dataclasses.replace(moves[0], value=moves[0].value + 1e-8)
    return dataclasses.replace(answer, moves=moves)


def change_last_value(answer: Answer, seat: int) -> Answer:
    moves = list(answer.moves)
    moves[-1] = dataclasses.replace(moves[-1], value=moves[-1].value - 1e-8)
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
