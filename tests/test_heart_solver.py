"""The brute-force solver of heart, held to positions solved by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reference.heart import ReferenceHeart
from reference.heart_solver import BruteForce, Outlook, TooLarge, best_for, best_move, blend
from test_reference_heart import do, give, lay, new_game, put, show

HOME, WEST, SOUTH = (0, 0), (-1, 0), (0, 1)


def last_photo(*others: int) -> ReferenceHeart:
    """Seat 0, whose cards score 18, may take a sixth as the last move of the game; seat 1 has these cards."""
    game = new_game()
    game.trigger_seat, game.turns_left = 0, 0
    give(game, 0, 0, 0, 3, 3, 8)
    give(game, 1, *others)
    show(game, 4, 7, 2, 6)
    lay(game, 0, SOUTH, 5)
    do(game, "take 2", "place -1,0 r0")
    return game


def outlook(*values: Fraction | int) -> Outlook:
    return Outlook([Fraction(value) for value in values], [], [])


def test_the_last_move_is_worth_the_scores_it_leads_to() -> None:
    game = last_photo(8, 9, 9)
    assert game.moves(0) == ["photo 4", "photo 6", "photo 7", "decline"]
    assert game.scores() == [18, 20]
    solution = BruteForce(game, 1000)
    # A point for the one manatee; nothing for food, of which there is none; a point.
    scores = {move: prospects["SCORE"].scores for move, prospects in solution.moves.items()}
    assert scores == {"photo 4": [19, 20], "photo 6": [18, 20], "photo 7": [19, 20], "decline": [18, 20]}
    for prospects in solution.moves.values():
        assert prospects["WIN"].shares == [0, 1]
        own, other = prospects["WIN"].scores
        assert prospects["WIN"].values[0] == Fraction(2, 100) * (Fraction(1, 2) + (own - other) / 2000)
        assert prospects["SCORE"].values == prospects["SCORE"].scores
    # Equal values go by the notation.
    assert best_move(0, "SCORE", solution.moves) == best_move(0, "WIN", solution.moves) == "photo 4"
    # Four moves; behind each photo one of the kinds of card in the deck.
    assert solution.states == 4 + 3 * sum(count > 0 for count in game.photo_deck)


@pytest.mark.parametrize(("manatees", "share"), [(1, Fraction(0)), (2, Fraction(1, 2)), (3, Fraction(1))])
def test_a_tie_goes_to_the_most_manatees(manatees: int, share: Fraction) -> None:
    game = last_photo(8, 9, 1, 1)
    put(game, 0, HOME, manatees)
    put(game, 1, HOME, 2)
    end = BruteForce(game, 1000).moves["photo 7"]["WIN"]
    assert end.scores == [19, 19]
    assert end.shares == [share, 1 - share]
    assert end.values == [Fraction(98, 100) * one + Fraction(1, 100) for one in end.shares]


def test_who_decides_maximises_its_own_value_and_ties_go_by_notation() -> None:
    tiny = Fraction(1, 10**13)
    worth = {"place 2,0 r0": (Fraction(3), 1), "place -1,0 r0": (3 - tiny, 2), "place 0,9 r0": (Fraction(1), 5)}
    branches = {
        move: {"WIN": outlook(first, second), "SCORE": outlook(second, first)}
        for move, (first, second) in worth.items()
    }
    assert best_move(0, "WIN", branches) == "place -1,0 r0"
    assert best_move(1, "WIN", branches) == best_move(0, "SCORE", branches) == "place 0,9 r0"
    assert best_for(1, branches)["WIN"] == outlook(1, 5)


def test_chance_is_weighted() -> None:
    third = Fraction(1, 3)
    assert blend([(third, outlook(3, 0)), (1 - third, outlook(0, 6))]) == outlook(1, 4)


def test_the_die_of_the_last_turn_is_enumerated_and_too_much_is_refused() -> None:
    game = new_game()
    game.trigger_seat, game.turns_left = 0, 0
    give(game, 0, 0, 0, 4, 5, 5)
    lay(game, 1, WEST, 0)
    lay(game, 1, (-2, 0), 0)
    do(game, "take 3", "place -1,0 r0")
    solution = BruteForce(game, 1000)
    assert sorted(solution.moves) == ["shark 1:-1,0", "shark 1:-2,0"]
    assert solution.states == 2 * (1 + len(game.die_faces))
    assert BruteForce(game, solution.states).states == solution.states
    with pytest.raises(TooLarge):
        BruteForce(game, solution.states - 1)
