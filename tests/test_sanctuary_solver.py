"""The brute-force solver of solo sanctuary, held to positions solved by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reference.sanctuary_solver import BruteForce, Outlook, TooLarge, best_for, best_move, blend
from test_reference_sanctuary import do, fill_bag, house, new_game, solo


def win(met: Fraction | int, score: Fraction | int) -> Fraction:
    return Fraction(98, 100) * met + Fraction(2, 10_000) * score


def outlook(win_value: Fraction | int, score: Fraction | int) -> dict[str, Outlook]:
    return {"WIN": Outlook(Fraction(win_value), Fraction(0), Fraction(score))} | {
        "SCORE": Outlook(Fraction(score), Fraction(0), Fraction(score))
    }


def test_the_last_card_is_worth_the_scores_it_leads_to() -> None:
    game = solo(1, round_number=3)
    game.score[0] = 60
    # A harvest without a flower, or a green flower, below which there are three spaces: nothing that scores.
    solution = BruteForce(game, 1000)
    assert list(solution.moves) == ["top 1", "bottom 1 1,0 r0"]
    for prospects in solution.moves.values():
        assert prospects["SCORE"] == Outlook(Fraction(60), Fraction(1), Fraction(60))
        assert prospects["WIN"] == Outlook(win(1, 60), Fraction(1), Fraction(60))
    # Nothing is drawn: a state for each move.
    assert solution.states == solution.nodes == len(solution.moves)
    # Equal values go by the notation.
    assert best_move("SCORE", solution.moves) == best_move("WIN", solution.moves) == "bottom 1 1,0 r0"


def test_a_draw_is_weighted_by_what_is_in_the_bag() -> None:
    game = solo(0, round_number=3)
    fill_bag(game, gray=2, pink=1)
    game.food[0] = 2
    solution = BruteForce(game, 1000)
    # Round 3: a gray one scores 1, a pink one 2.
    top = solution.moves["top 0"]["SCORE"]
    assert top.score == 10 + Fraction(2, 3) * 1 + Fraction(1, 3) * 2
    assert all(
        prospects["SCORE"].score == 10 for move, prospects in solution.moves.items() if move.startswith("bottom")
    )
    # The card, and behind its top one of two colours.
    assert solution.states == len(solution.moves) + 2
    assert BruteForce(game, solution.nodes).nodes == solution.nodes
    with pytest.raises(TooLarge):
        BruteForce(game, solution.nodes - 1)


def test_the_challenge_is_what_winning_is() -> None:
    """The last card: a harvest that makes 40 food, or a manatee that scores; there is a flower and food for it."""
    for challenge, best in (("NONE", "top"), ("HARVESTER", "bottom")):
        game = solo(0, round_number=3, challenge=challenge)
        fill_bag(game, gray=5)
        game.score[0], game.food[0] = 80, 39
        solution = BruteForce(game, 1000)
        # A bottom brings a flower and its food. The manatee eats one and scores one.
        assert solution.moves["top 0"]["SCORE"].score == 81
        met = {move: prospects["WIN"].met for move, prospects in solution.moves.items()}
        assert met["top 0"] == (challenge == "NONE")
        assert all(met[move] == 1 for move in met if move.startswith("bottom"))
        assert best_move("WIN", solution.moves).startswith(best)
        assert best_move("SCORE", solution.moves) == "top 0"
        assert solution.moves[best_move("WIN", solution.moves)]["WIN"].value == win(1, 81 if best == "top" else 80)


def test_71_points_are_needed_and_chance_may_bring_them() -> None:
    game = solo(0, round_number=3, challenge="POWER_CAP")
    fill_bag(game, gray=1, pink=3)
    game.score[0], game.food[0] = 69, 10
    solution = BruteForce(game, 1000)
    assert solution.moves["top 0"]["WIN"] == Outlook(
        win(Fraction(3, 4), Fraction(70 + 3 * 71, 4)), Fraction(3, 4), Fraction(70 + 3 * 71, 4)
    )


def test_what_goes_back_is_decided_after_the_draws_and_a_saviour_then_loses() -> None:
    for challenge in ("NONE", "SAVIOUR"):
        game = solo(8, round_number=3, challenge=challenge)
        house(game, 0, gray=2)
        fill_bag(game, gray=1, pink=1, yellow=1)
        game.score[0], game.food[0] = 90, 20
        # Yellow, pink and "?" (the gray one that is left) on two spaces: the gray and the pink one stay, or the yellow.
        do(game, "top 8")
        assert game.chance() == {"manatee gray": 1}
        game.happen("manatee gray")
        solution = BruteForce(game, 1000)
        assert list(solution.moves) == ["return 0,0,1", "return 1,1,0"]
        scores = {move: prospects["WIN"].score for move, prospects in solution.moves.items()}
        if challenge == "NONE":
            # Two points for each that goes back; two gray ones were there, 1 each, a gray 1, a pink 2, a yellow 1.
            assert scores == {"return 0,0,1": 90 - 2 + 2 + 3, "return 1,1,0": 90 - 4 + 2 + 1}
        else:
            assert scores == {"return 0,0,1": 88, "return 1,1,0": 86}
            assert all(prospects["WIN"].met == 0 for prospects in solution.moves.values())


def test_feeding_ends_the_game() -> None:
    game = solo(1, round_number=3)
    house(game, 0, gray=1, pink=1)
    game.score[0], game.food[0] = 50, 2
    do(game, "top 1")
    assert game.phase == "FEED"
    solution = BruteForce(game, 1000)
    # Three meals, two food: the pink one and the gray one cannot both stay.
    scores = {move: prospects["SCORE"].score for move, prospects in solution.moves.items()}
    assert scores == {"return 0,1,0": 50 - 2 + 1, "return 1,0,0": 50 - 2 + 2}


def test_ways_that_meet_are_looked_at_once_and_counted_twice() -> None:
    game = solo(0, 1, round_number=3)
    fill_bag(game, gray=2)
    game.food[0] = 10
    solution = BruteForce(game, 10_000)
    assert solution.nodes < solution.states
    # The tops in either order: the same end.
    assert solution.moves["top 0"]["SCORE"].score >= 11


def test_the_best_is_taken_and_ties_go_by_notation() -> None:
    tiny = Fraction(1, 10**13)
    branches = {
        "top 3": outlook(3, 1),
        "top 12": outlook(3 - tiny, 2),
        "bottom 3 0,1 r0": outlook(1, 5),
    }
    assert best_move("WIN", branches) == "top 12"
    assert best_move("SCORE", branches) == "bottom 3 0,1 r0"
    assert best_for(branches)["WIN"] == branches["top 12"]["WIN"]
    assert best_for(branches)["SCORE"] == branches["bottom 3 0,1 r0"]["SCORE"]


def test_chance_is_weighted() -> None:
    third = Fraction(1, 3)
    parts = [(third, Outlook(Fraction(3), Fraction(1), Fraction(6)))]
    parts += [(1 - third, Outlook(Fraction(0), Fraction(0), Fraction(9)))]
    assert blend(parts) == Outlook(Fraction(1), third, Fraction(8))


def test_other_positions_are_refused() -> None:
    with pytest.raises(ValueError, match="last round"):
        BruteForce(solo(1, round_number=2), 10)
    with pytest.raises(ValueError, match="last round"):
        BruteForce(new_game(), 10)
    game = solo(0, round_number=3)
    do(game, "top 0")
    with pytest.raises(ValueError, match="decide"):
        BruteForce(game, 10)
