"""Searches of sanctuary in every phase of every variant, and of positions in which it is plain what is best."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import exact_sanctuary
import pytest
from differential import house
from exact_sanctuary import MOMENTS, SETTINGS, Late
from run_levels import scramble
from sanctuary_cases import Story

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import CHANCE, OVER, Observation, State
from ext.mcts import Mcts
from ext.sanctuary import Sanctuary
from search import run
from search.arena import run_arena
from search.levels import LEVELS, choose
from search.request import Algorithm, Answer, Limits, Objective, Options
from search.run import Search

pytestmark = pytest.mark.apart

kernel = pytest.mark.kernel

SMALL = {"allow_small_scramble": True}
GAMES: dict[str, Callable[[], Sanctuary]] = {
    "solo": lambda: Sanctuary(1, house("sanctuary"), {"round_bonuses": True}, "solo"),
    "solo power cap": lambda: Sanctuary(1, house("sanctuary"), {"challenge": "POWER_CAP"}, "solo"),
    "solo weak cut": lambda: Sanctuary(1, house("sanctuary"), {"challenge": "WEAK_CUT", "food_cap": 5}, "solo"),
    "base 2": lambda: Sanctuary(2, house("sanctuary"), {"round_bonuses": True, "food_cap": 4}),
    "base 3 blind": lambda: Sanctuary(3, house("sanctuary"), {"blind_choice": True, "pooled_space": True}),
    "base 6": lambda: Sanctuary(6, house("sanctuary"), {"play_order": "SEAT_BY_SEAT", "floor_score_at_zero": True}),
    "scramble 2": lambda: Sanctuary(2, house("sanctuary"), {**SMALL, "blind_choice": True, "food_cap": 5}, "scramble"),
    "scramble 8": lambda: Sanctuary(8, house("sanctuary"), {"round_bonuses": True}, "scramble"),
}
PHASES = {"SPLIT", "CHOOSE", "PLAY", "RETURN", "FEED"}
SOLO_PHASES = {"PICK", "PLAY", "RETURN", "FEED"}
every_game = pytest.mark.parametrize("name", GAMES)


@cache
def phases(name: str) -> dict[str, tuple[Sanctuary, State]]:
    """A decision of each phase, the second or a later one that there is; most of the moves before it were any."""
    game, found, rng = GAMES[name](), dict[str, tuple[Sanctuary, State]](), random.Random(name)
    wanted = (SOLO_PHASES if game.seats == 1 else PHASES) | ({"DISCARD"} if game.aim else set())
    for seed in range(60):
        state, skip = game.deal(seed), 1
        while (turn := game.turn(state)) != OVER and found.keys() != wanted:
            if turn == CHANCE:
                state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
                continue
            seat = rng.choice(game.pending(state))
            phase = game.dump(state)["table"]["phase"]
            if phase not in found and len(game.moves(state, turn)) > 1:
                if skip == 0:
                    found[phase] = game, state
                skip = (skip + 1) % 2
            move = game.choose(state, seat, rng.getrandbits(64)) if rng.random() < 0.4 else None
            state = game.play(state, seat, rng.choice(game.moves(state, seat)) if move is None else move)
    assert found.keys() == wanted
    return found


def ask(game: Sanctuary, seen: Observation, algorithm: Algorithm, simulations: int = 60, **more: Any) -> Answer:
    depth = 1 if algorithm is Algorithm.EXPECTIMAX else None
    limits = Limits(simulations=3 if depth else simulations, depth=depth)
    return Search(game, seen, limits, Options(algorithm=algorithm, **{"threads": 1, **more})).run()


def best(game: Sanctuary, state: State, **more: Any) -> str:
    """The move that is advised to the seat whose turn it is."""
    answer = ask(game, game.observe(state, game.turn(state)), Algorithm.MCTS, **{"simulations": 400, **more})
    return game.notation(answer.moves[0].move)


# Every phase.


@kernel
@pytest.mark.parametrize("algorithm", Algorithm, ids=lambda algorithm: algorithm.value)
@every_game
def test_advice_is_legal_in_every_phase_and_the_same_again(name: str, algorithm: Algorithm) -> None:
    for game, state in phases(name).values():
        for seat in game.pending(state)[:2]:
            seen = game.observe(state, seat)
            found = [ask(game, seen, algorithm, trees=2, threads=threads, seed=7) for threads in (1, 2, 2)]
            assert sorted(ranked.move for ranked in found[0].moves) == game.moves_observation(seen)
            assert found[0].legal_moves == len(found[0].moves)
            results = [dataclasses.replace(answer, seconds=0.0, threads=0) for answer in found]
            assert results[0] == results[1] == results[2]
            assert found[0].objective is (Objective.SCORE if game.seats == 1 and not game.aim else Objective.WIN)
            for ranked in found[0].moves:
                assert 1 <= ranked.playable <= len(ranked.line)
                assert ranked.line[0] == (seat, ranked.move)


@kernel
@pytest.mark.parametrize("algorithm", [Algorithm.MCTS, Algorithm.UCT, Algorithm.AUTO], ids=lambda one: one.value)
@every_game
def test_lines_are_playable_in_every_world(name: str, algorithm: Algorithm) -> None:
    """What is said to be playable can be played whatever is hidden; the rest of a line fits one world."""
    longer = 0
    for game, state in phases(name).values():
        seat = game.turn(state)
        seen = game.observe(state, seat)
        answer = ask(game, seen, algorithm, simulations=400)
        for ranked in answer.moves:
            for key in range(3):
                world = game.determinize(seen, key)
                for who, move in ranked.line[: ranked.playable]:
                    assert who == seat
                    assert seat in game.pending(world)
                    world = game.play(world, seat, move)
            # Behind the last of them something new is learned, or somebody else is to decide.
            longer += len(ranked.line) > 1
            assert all(0 <= who < game.seats for who, _ in ranked.line)
            assert len({who for who, _ in ranked.line[: ranked.playable]}) == 1
    assert longer or algorithm is Algorithm.UCT


@kernel
def test_a_seat_that_plays_all_its_cards_is_told_the_whole_turn() -> None:
    """Seat by seat, without draws: the line goes on with the seat's own cards, all playable at once."""
    hands = [["h", "RRRR3", "gg"], ["p", "h"]]
    for order, playable in (("SEAT_BY_SEAT", 3), ("ROUND_ROBIN", 1)):
        story = Story(*hands, rules={"play_order": order}, number=3, food={0: 9, 1: 9})
        answer = ask(story.game, story.game.observe(story.state, 0), Algorithm.MCTS, simulations=600)
        assert answer.moves[0].playable == playable
        assert [who for who, _ in answer.moves[0].line][:playable] == [0] * playable


@pytest.mark.parametrize("algorithm", [Algorithm.MCTS, Algorithm.UCT, Algorithm.FLAT], ids=lambda one: one.value)
def test_the_value_of_a_move_to_one_seat_follows_its_formula(algorithm: Algorithm) -> None:
    """With a challenge it is nearly all that it is met; without one it is the score, whatever is asked for."""
    game = Sanctuary(1, house("sanctuary"), {"challenge": "SHORTAGE"}, "solo")
    plain = Sanctuary(1, house("sanctuary"), {}, "solo")
    state = game.deal(4)
    for number in range(40):
        turn = game.turn(state)
        if turn == CHANCE:
            state = game.happen(state, game.draw(state, 1, 0))
        else:
            state = game.play(state, 0, game.choose(state, 0, number))
    while game.turn(state) == CHANCE:
        state = game.happen(state, game.draw(state, 1, 0))
    for objective in Objective:
        answer = ask(game, game.observe(state, 0), algorithm, 300, objective=objective)
        assert {0.0, 1.0} != {ranked.win_share[0] for ranked in answer.moves}
        for ranked in answer.moves:
            (met,), (score,) = ranked.win_share, ranked.expected_score
            value = score if objective is Objective.SCORE else 0.98 * met + 0.02 * score / 100
            assert ranked.value == pytest.approx(value, abs=1e-6 if objective is Objective.WIN else 1e-5)
        same = plain.load(game.dump(state))
        answer = ask(plain, plain.observe(same, 0), algorithm, 300, objective=objective)
        assert answer.objective is Objective.SCORE
        for ranked in answer.moves:
            assert ranked.value == pytest.approx(ranked.expected_score[0], abs=1e-5)
            assert ranked.visits == 0 or ranked.win_share == [1.0]


# Transpositions.


@kernel
def test_cards_played_in_another_order_lead_to_one_node() -> None:
    story = Story(["-", "-:2", "-:3"], seats=1, variant="solo", number=3)
    game = story.game
    cards = [game.parse(f"top {story.kinds.index(name)}") for name in ("-", "-:2", "-:3")]
    one, other, third = cards

    def after(*moves: int) -> State:
        state = story.state
        for move in moves:
            state = game.play(state, 0, move)
        return state

    assert game.history_key(after(one, other), 0) == game.history_key(after(other, one), 0)
    assert game.history_key(after(one, other), 0) != game.history_key(after(one, third), 0)
    engine = Mcts(game, game.observe(story.state, 0), OBJECTIVES["score"], 1, memory=1 << 20, simulations=500)
    engine.step(500, 60.0)
    # One node for each set of cards that are left: eight less the empty one.
    assert engine.nodes == 7


@kernel
@pytest.mark.parametrize("name", ["solo", "base 2", "scramble 8"])
def test_bottoms_laid_in_another_order_lead_to_one_node(name: str) -> None:
    game, rng, met = GAMES[name](), random.Random(3), 0
    for seed in range(40):
        state = game.deal(seed)
        while (turn := game.turn(state)) != OVER:
            if turn == CHANCE:
                state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
                continue
            moves = game.moves(state, turn)
            bottoms = [move for move in moves if game.notation(move).startswith("bottom")]
            if len(bottoms) > 1:
                one, other = rng.sample(bottoms, 2)
                ends = [both(game, state, turn, pair) for pair in ((one, other), (other, one))]
                if ends[0] is not None and ends[1] is not None and game.dump(ends[0]) == game.dump(ends[1]):
                    keys = {tuple(game.history_key(end, seat) for seat in range(game.seats)) for end in ends if end}
                    assert len(keys) == 1
                    met += 1
            state = game.play(state, turn, rng.choice(moves))
        if met > 20:
            return
    raise AssertionError(f"only {met} transpositions")


def both(game: Sanctuary, state: State, seat: int, pair: tuple[int, int]) -> State | None:
    """After both moves of a seat, the others doing in between what is listed first; None where one is not legal."""
    for move in pair:
        for _ in range(2 * game.seats):
            if game.turn(state) in (seat, CHANCE, OVER):
                break
            state = game.play(state, game.turn(state), game.moves(state, game.turn(state))[0])
        if game.turn(state) != seat or not game.legal(state, seat, move):
            return None
        state = game.play(state, seat, move)
    return state


# What is plainly best.


@kernel
def test_a_challenge_changes_what_is_advised() -> None:
    """Six flowers are laid. A seventh comes with a card that scores four points for pairs, and loses the shortage."""
    laid = {
        0: {
            (0, -1): "RWRW3",
            (0, -2): "RWRW3",
            (0, -3): "RWRW3",
            (1, 0): "GWGW3 r1",
            (2, 0): "GWGW3 r1",
            (3, 0): "GWGW3 r1",
        }
    }
    advised = {}
    for challenge in ("NONE", "SHORTAGE"):
        story = Story(
            ["RRRR+PAIRS", "-:2"],
            seats=1,
            variant="solo",
            rules={"challenge": challenge},
            number=3,
            laid=laid,
            housed={0: (8, 0, 0)},
            food={0: 30},
            score={0: 70},
        )
        for algorithm in (Algorithm.AUTO, Algorithm.MCTS):
            answer = ask(story.game, story.game.observe(story.state, 0), algorithm, simulations=600)
            lines = [story.game.notation(move).split()[:2] for _, move in answer.moves[0].line]
            played = [what for what, kind in lines if kind == str(story.kinds.index("RRRR+PAIRS"))]
            advised[challenge, algorithm] = played
            if algorithm is Algorithm.AUTO:
                assert answer.exact
                assert answer.win_share == [1.0]
                assert answer.expected_score == [82.0 if challenge == "NONE" else 78.0]
    for algorithm in (Algorithm.AUTO, Algorithm.MCTS):
        assert advised["NONE", algorithm] == ["bottom"]
        assert advised["SHORTAGE", algorithm] == ["top"]


def where_it_matters(setting: str) -> Late | None:
    """A late position in which the highest score is not what meets the challenge; None if there is none soon."""
    numbers = range(SETTINGS.index(setting), 360, len(SETTINGS))
    for number in [one for one in numbers if MOMENTS[one // len(SETTINGS) % len(MOMENTS)] in ("PLAY 1", "PLAY 2")]:
        position = exact_sanctuary.late(number, 400)
        answers = [exact_sanctuary.advise(position, objective) for objective in ("WIN", "SCORE")]
        if answers[0].win_share[0] > answers[1].win_share[0] + 0.2:
            return position
    return None


def test_every_challenge_is_played_for() -> None:
    """Where it hangs on the move whether a challenge is met, a sampling search finds what meets it."""
    found = 0
    for setting in SETTINGS[1:9]:
        position = where_it_matters(setting)
        if position is None:
            continue
        found += 1
        game, state = position.game, position.state
        engine = Expectimax(game, game.observe(state, 0), OBJECTIVES["win"])
        assert engine.run(60.0)
        assert engine.exact
        worth = {move: out[0][0] for move, out in zip(engine.moves(), engine.outlooks(), strict=True)}
        answer = ask(game, game.observe(state, 0), Algorithm.MCTS, simulations=2000)
        assert worth[answer.moves[0].move] > max(worth.values()) - 0.1, setting
    assert found >= 2


@kernel
def test_the_better_stack_is_kept_and_the_better_card_picked() -> None:
    """Cards that do nothing are offered beside such as bring manatees, for which there is room and food."""
    plenty: dict[str, Any] = {"number": 3, "food": {0: 20, 1: 20}}
    hands = [["ppp", "gg", "-", "-", "-"], ["-"] * 5]
    for smaller, kept in (("ppp,gg", "keep smaller"), ("-,-", "keep larger"), ("-", "keep larger")):
        story = Story(*hands, phase="SPLIT", **plenty)
        story.play(0, f"split {smaller}")
        story.play(1, "split -")
        story.play(0, "keep smaller")
        assert best(story.game, story.state) == kept
    for drawn in (["ppp", "-"], ["-", "gg"]):
        story = Story(["-"] * 4, seats=1, variant="solo", phase="PICK", drawn=drawn, number=3, food={0: 20})
        (good,) = (name for name in drawn if name != "-")
        assert best(story.game, story.state) == f"pick {story.kinds.index(good)}"


@kernel
def test_every_move_is_reported_and_none_is_lost_for_good() -> None:
    """Of every phase the decision that was found: with one simulation all are there, with more all are tried."""
    for name in ("solo weak cut", "base 3 blind", "scramble 8"):
        for game, state in phases(name).values():
            seen = game.observe(state, game.turn(state))
            n = len(game.moves_observation(seen))
            for simulations in (1, 20 * n):
                answer = ask(game, seen, Algorithm.MCTS, simulations=simulations)
                assert sorted(ranked.move for ranked in answer.moves) == game.moves_observation(seen)
            assert all(ranked.visits > 0 for ranked in answer.moves)


# Computer opponents.


@kernel
def test_twelve_computer_opponents_play_a_scramble_to_its_end() -> None:
    figures = scramble("mcts:8", 12, 3)
    assert figures["decisions"] >= 12 * (2 * 3 + 15)
    assert sum(figures["cards"]) == 12 * 15
    assert sorted(figures["ranks"])[0] == 1


@every_game
def test_levels_play_a_legal_move_in_every_phase(name: str) -> None:
    for game, state in phases(name).values():
        seat = game.pending(state)[-1]
        seen = game.observe(state, seat)
        for level in LEVELS[::3]:
            choice = choose(game, seen, level, 5)
            assert choose(game, seen, level, 5) == choice
            after = game.play(state, seat, choice.move)
            for move in choice.follow:
                assert game.turn(after) == seat
                after = game.play(after, seat, move)


def test_levels_grow_stronger() -> None:
    game = Sanctuary(2, house("sanctuary"))
    assert run_arena(lambda: game, "level:7", "level:2", 16, 1)["win_rate"] > 0.6
    alone = Sanctuary(1, house("sanctuary"), {}, "solo")
    scores = [run_arena(lambda: alone, f"level:{level}", None, 10, 1)["mean_score"] for level in (1, 5, 8)]
    assert scores[0] + 5 < scores[1] < scores[2]


def hungry() -> tuple[Sanctuary, Observation]:
    """Hundreds of ways to send hungry manatees back."""
    tall = {0: {(0, -row): "RRRR9" for row in range(1, 16)}}
    story = Story(["-"], laid=tall, housed={0: (40, 20, 20)}, food={0: 45}, number=2)
    story.play(0, "top -")
    return story.game, story.game.observe(story.state, 0)


@pytest.mark.parametrize("algorithm", [Algorithm.MCTS, Algorithm.FLAT])
def test_a_search_leaves_time_to_rank_its_moves(algorithm: Algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    game, observation = hungry()
    # As if ranking these took longer than there is: the search ends at once, not at its deadline.
    monkeypatch.setattr(run, "RANKING_SECONDS", 3.0 / len(game.moves_observation(observation)))
    limits = Limits(deadline=time.monotonic() + 2.0)
    answer = Search(game, observation, limits, Options(algorithm=algorithm, threads=1)).run()
    assert answer.seconds < 1.5
    assert answer.simulations


@kernel
@pytest.mark.parametrize("algorithm", [Algorithm.MCTS, Algorithm.EXPECTIMAX])
def test_moves_that_are_worth_the_same_go_by_their_notation(algorithm: Algorithm) -> None:
    game, observation = hungry()
    limits = Limits(simulations=40, depth=1)
    answer = Search(game, observation, limits, Options(algorithm=algorithm, seed=3, lines=0)).run()
    keys = [(-ranked.visits, -round(ranked.value, 9), game.notation(ranked.move).encode()) for ranked in answer.moves]
    assert len({key[:2] for key in keys}) < len(keys) / 2
    assert keys == sorted(keys)
