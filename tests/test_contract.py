"""The game contract, held by every game: random games through every method. A new game is one more line in GAMES."""

import copy
import itertools
import json
import math
import pickle
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import pytest
from differential import house
from ocean_cases import catalogue

from ext import playout
from ext.engine import Flat
from ext.game import CHANCE, OVER, Game, Observation, State
from ext.heart import Heart
from ext.mcts import Mcts
from ext.ocean import Ocean
from ext.sanctuary import Sanctuary
from ext.uct import Uct

pytestmark = pytest.mark.kernel


def ocean(seats: int, variant: str, topology: str) -> Callable[[], Game]:
    """Options differ from game to game, so that each value is met."""
    rules = {
        "topology": topology,
        "passing": ("LEFT", "ALTERNATE", "RIGHT")[seats - 2],
        "same_kind_sets": topology == "HEX",
        "mirror_targets": seats == 3,
        "promo": variant == "targets" and seats != 3,
    }
    return lambda: Ocean(seats, house(), rules, variant)


def heart(seats: int, **rules: bool) -> Callable[[], Game]:
    return lambda: Heart(seats, house("heart"), rules)


def sanctuary(seats: int, variant: str, **rules: object) -> Callable[[], Game]:
    return lambda: Sanctuary(seats, house("sanctuary"), rules, variant)


LOUD = "ocean-3-loud"
GAMES: dict[str, Callable[[], Game]] = {
    f"ocean-{seats}-{variant}-{topology.lower()}": ocean(seats, variant, topology)
    for seats in (2, 3, 4)
    for variant in ("base", "targets")
    for topology in ("SQUARE", "SQUARE_DIAGONAL", "HEX")
} | {
    # The highest cards of a hand score, the others do not: which one was taken is heard in every score.
    LOUD: lambda: Ocean(3, catalogue(dict.fromkeys(range(28), "TWO_TINY"))),
    "heart-2": heart(2),
    "heart-3": heart(3, repeat_swimmers=True, swims_mandatory=True, mirror_patterns=True),
    "heart-4": heart(
        4, reshuffle_discards=False, starting_tile_blocks=True, orange_needs_requirement=False, bonus_tile_optional=True
    ),
    "sanctuary-4": sanctuary(4, "base", round_bonuses=True, mirror_shapes=True),
    "sanctuary-2-blind": sanctuary(2, "base", blind_choice=True, floor_score_at_zero=True, food_cap=12),
    "sanctuary-solo": sanctuary(1, "solo", round_bonuses=True, pooled_space=True),
    "sanctuary-solo-power-cap": sanctuary(1, "solo", challenge="POWER_CAP"),
    "sanctuary-12": sanctuary(12, "scramble", play_order="SEAT_BY_SEAT"),
}

every_game = pytest.mark.parametrize("name", GAMES)
# What seats hide from each other: choices made together, and hands.
OPEN = [name for name in GAMES if name.startswith(("heart", "sanctuary-solo"))]
SECRETIVE = [name for name in GAMES if name not in OPEN]
# Games that chance only sets up, in secret: before the deal is done there is nothing to write down.
SET_UP = [name for name in GAMES if name.startswith("ocean")]
SOLITARY = [name for name in GAMES if name.startswith("sanctuary-solo")]
every_secretive_game = pytest.mark.parametrize("name", SECRETIVE)
every_open_game = pytest.mark.parametrize("name", OPEN)
every_game_of_several = pytest.mark.parametrize("name", [name for name in GAMES if name not in SOLITARY])
WIDE = 1 << 64


class Step(NamedTuple):
    """What changed a state: a decision, or a chance event (seat CHANCE, the outcome as the move)."""

    before: State
    seat: int
    move: int
    after: State


@cache
def game_of(name: str) -> Game:
    return GAMES[name]()


def walk(game: Game, seed: int, greed: float = 0.0) -> Iterator[Step]:
    """A whole game from its start; seats that decide together commit in random order."""
    rng = random.Random(seed)
    state = game.start()
    while game.turn(state) != OVER:
        pending = game.pending(state)
        if pending:
            seat = rng.choice(pending)
            move = rng.choice(game.moves(state, seat))
            if rng.random() < greed:
                move = game.choose(state, seat, rng.getrandbits(64))
            after = game.play(state, seat, move)
        else:
            seat, move = CHANCE, game.draw(state, rng.getrandbits(64), 0)
            after = game.happen(state, move)
        yield Step(state, seat, move, after)
        state = after


@cache
def steps(name: str) -> list[Step]:
    """Two whole games: one at random, one in which most moves are sensible."""
    return [step for seed in range(2) for step in walk(game_of(name), seed, greed=0.8 * seed)]


@cache
def states(name: str) -> list[State]:
    return [step.before for step in steps(name)] + [step.after for step in steps(name) if is_over(name, step.after)]


def is_over(name: str, state: State) -> bool:
    return game_of(name).turn(state) == OVER


def decisions(name: str) -> list[State]:
    return [state for state in states(name) if game_of(name).pending(state)]


def chances(name: str) -> list[State]:
    return [state for state in states(name) if game_of(name).turn(state) == CHANCE]


def written(name: str) -> list[State]:
    """The states that can be written down."""
    return [state for state in states(name) if complete(name, state)]


def complete(name: str, state: State) -> bool:
    """Whether it can be written down, and worlds drawn that fit what a seat sees of it."""
    return name not in SET_UP or game_of(name).turn(state) != CHANCE


def some(name: str, count: int, among: list[State] | None = None) -> list[State]:
    """A few of a game's states, spread over it."""
    chosen = decisions(name) if among is None else among
    return [chosen[i * (len(chosen) - 1) // (count - 1)] for i in range(count)]


def at_most(count: int, among: list[State]) -> list[State]:
    """All of these states, or as many of them, spread over the games."""
    return among[:: -(-len(among) // count)]


def half_committed(name: str) -> list[State]:
    """States in which some of the seats that decide together have decided and some have not."""
    game = game_of(name)
    return [
        step.after
        for step in steps(name)
        if step.seat != CHANCE and 0 < len(game.pending(step.after)) < len(game.pending(step.before))
    ]


def fits(counts: Mapping[Any, int], weights: Mapping[Any, float]) -> bool:
    """Whether counts are a sample of the weights: chi-square below about its 1 - 1e-5 quantile."""
    assert set(counts) <= set(weights)
    n, total = sum(counts.values()), sum(weights.values())
    assert n >= 5 * len(weights), "too small a sample to tell"
    expected = {key: n * weight / total for key, weight in weights.items()}
    chi2 = sum((counts.get(key, 0) - want) ** 2 / want for key, want in expected.items())
    degrees = len(weights) - 1
    return chi2 <= degrees + 5 * math.sqrt(2 * degrees) + 8


def seen_by(seat: int, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a seat is told."""
    return [event for event in events if event.get("private_to", seat) == seat]


def dumped(game: Game, state: State) -> str:
    return json.dumps(game.dump(state))


# Turn order, moves and their codes.


@every_game
def test_turn_is_the_lowest_seat_that_owes_a_decision(name: str) -> None:
    game = game_of(name)
    for state in states(name):
        turn, pending = game.turn(state), game.pending(state)
        assert pending == sorted(set(pending) & set(range(game.seats)))
        assert turn == (pending[0] if pending else turn)
        assert (turn in (CHANCE, OVER)) == (not pending)
        assert bool(game.outcomes(state)) == (turn == CHANCE)
        for seat in range(game.seats):
            assert bool(game.moves(state, seat)) == (seat in pending)


@every_game
def test_the_stated_bounds_hold(name: str) -> None:
    game = game_of(name)
    for state in states(name):
        assert len(game.outcomes(state)) <= game.max_outcomes
        assert all(len(game.moves(state, seat)) <= game.max_moves for seat in range(game.seats))
        assert len(bytes(state)) == game.state_bytes
    for seed in range(2):
        assert sum(1 for _ in walk(game, seed)) <= game.max_plies
    plies, _ = playout.run(game, game.start(), 1, 50)
    assert plies <= 50 * game.max_plies


@every_game
def test_moves_ascend_and_are_legal_canonical_and_distinct(name: str) -> None:
    game = game_of(name)
    for state in decisions(name):
        for seat in game.pending(state):
            moves = game.moves(state, seat)
            assert moves == sorted(set(moves))
            assert all(game.legal(state, seat, move) and game.canonical(state, seat, move) == move for move in moves)
            texts = [game.notation(move) for move in moves]
            assert len(set(texts)) == len(texts)
            assert [game.parse(text) for text in texts] == moves
            # Moves that lead to the same position are there once.
            assert len({game.key(game.play(state, seat, move)) for move in moves}) == len(moves)


@every_game
def test_other_codes_are_refused_or_have_a_representative(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    for state in some(name, 24):
        seat = rng.choice(game.pending(state))
        moves = game.moves(state, seat)
        near = [move ^ 1 << bit for move in rng.sample(moves, min(2, len(moves))) for bit in range(32)]
        for code in [*near, *range(64), *[rng.getrandbits(32) for _ in range(60)], -1, WIDE, (1 << 32) + moves[0]]:
            if game.legal(state, seat, code):
                representative = game.canonical(state, seat, code)
                assert representative in moves
                assert game.play(state, seat, code) == game.play(state, seat, representative)
                continue
            assert code not in moves
            for call in (game.canonical, game.play):
                with pytest.raises(ValueError, match="legal"):
                    call(state, seat, code)


@every_game
def test_who_owes_no_decision_has_no_legal_move(name: str) -> None:
    game = game_of(name)
    for state in states(name)[::3]:
        for seat in set(range(game.seats)) - set(game.pending(state)):
            assert game.moves(state, seat) == game.priors(state, seat) == []
            for code in [*range(0, 40, 3), 0x1000, 0x10BD]:
                assert not game.legal(state, seat, code)
            with pytest.raises(ValueError, match="decision"):
                game.choose(state, seat, 1)


# Chance.


@every_game
def test_outcomes_have_weights_and_draw_gives_one_of_them(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    for state in states(name):
        outcomes = game.outcomes(state)
        codes = [code for code, _ in outcomes]
        assert codes == sorted(set(codes))
        assert all(weight > 0 for _, weight in outcomes)
        if game.turn(state) != CHANCE:
            with pytest.raises(ValueError, match="chance"):
                game.draw(state, 1, 1)
            with pytest.raises(ValueError, match="outcome"):
                game.happen(state, 0)
            continue
        assert all(game.draw(state, seed, 0) in codes for seed in range(20))
        other = sorted(set(range(max(codes))) - set(codes))
        for code in [max(codes) + 1, -1, WIDE, 1 << 32, *rng.sample(other, min(len(other), 40))]:
            with pytest.raises(ValueError, match="outcome"):
                game.happen(state, code)


@every_game
def test_outcomes_have_texts_of_their_own(name: str) -> None:
    game = game_of(name)
    of_text: dict[str, int] = {}
    for state in chances(name):
        for code, _ in game.outcomes(state):
            text = game.outcome_notation(code)
            assert text.isascii()
            assert text.isprintable()
            assert game.parse_outcome(text) == code
            assert of_text.setdefault(text, code) == code
    assert len(of_text) == len(set(of_text.values())) > game.seats
    for text in ("", " ", "nothing", "tile", "tile -1", "die x", "1e3", "\u0663", "-1", "9" * 30, "\0"):
        with pytest.raises(ValueError, match="expected"):
            game.parse_outcome(text)


@every_game
def test_what_chance_brought_is_told_as_events(name: str) -> None:
    """Nothing while a game is only set up in secret; else each outcome, to everybody or to one seat only."""
    game = game_of(name)
    for state in at_most(24, chances(name)):
        told = [game.chance_events(state, code, game.happen(state, code)) for code, _ in game.outcomes(state)]
        assert all(bool(events) == (name not in SET_UP) for events in told)
        private = any("private_to" in event for events in told for event in events)
        assert not private or name in SECRETIVE
        # Who is told is told which it was, the others are told the same whatever it was.
        informed = [
            seat
            for seat in range(game.seats)
            if len({json.dumps(seen_by(seat, events)) for events in told}) == len(told) > 1
        ]
        same = [seat for seat in range(game.seats) if len({json.dumps(seen_by(seat, events)) for events in told}) == 1]
        assert len(told) == 1 or sorted(informed + same) == list(range(game.seats))
        assert len(told) == 1 or len(informed) == (1 if private else 0 if name in SET_UP else game.seats)


@every_game
def test_a_draw_depends_on_seed_world_and_event_alone(name: str) -> None:
    game = game_of(name)
    chance = [state for state in states(name) if game.turn(state) == CHANCE]
    wanted = [(state, seed, world) for state in chance for seed in (1, 2) for world in (0, 1)]
    drawn = {i: game.draw(*call) for i, call in enumerate(wanted)}
    for i in random.Random(1).sample(range(len(wanted)), len(wanted)):
        assert game.draw(*wanted[i]) == drawn[i]
    widest = max(chance, key=lambda state: len(game.outcomes(state)))
    for draws in (
        [game.draw(widest, seed, 0) for seed in range(40)],
        [game.draw(widest, 0, world) for world in range(40)],
    ):
        assert len(set(draws)) > 10
    if name in SOLITARY:
        return  # A decision comes after two draws.
    # What was drawn before, and in which order, is no matter: only which event it is.
    codes = [code for code, _ in game.outcomes(widest)]
    one = game.happen(game.happen(widest, codes[0]), codes[5])
    other = game.happen(game.happen(widest, codes[5]), codes[0])
    assert game.outcomes(one) == game.outcomes(other)
    assert all(game.draw(one, seed, 3) == game.draw(other, seed, 3) for seed in range(50))


@every_open_game
def test_sibling_moves_share_their_luck(name: str) -> None:
    """Where the moves of a decision lead to chance with the same outcomes, one key draws the same for all of them."""
    game = game_of(name)
    compared = 0
    for state in decisions(name):
        seat = game.turn(state)
        drawn: dict[str, list[int]] = {}
        for after in [game.play(state, seat, move) for move in game.moves(state, seat)[:12]]:
            if game.turn(after) == CHANCE:
                found = [game.draw(after, seed, 1) for seed in range(10)]
                assert drawn.setdefault(str(game.outcomes(after)), found) == found
                compared += 1
        compared -= len(drawn)
    assert compared > (20 if name in SOLITARY else 100)


@every_game
def test_draws_follow_the_weights(name: str) -> None:
    game = game_of(name)
    chance = [state for state in states(name) if game.turn(state) == CHANCE]
    for state in chance[:: max(len(chance) // 3, 1)]:
        weights = {code: float(weight) for code, weight in game.outcomes(state)}
        n = 100 * len(weights)
        assert fits(Counter(game.draw(state, seed, 7) for seed in range(n)), weights)
        assert fits(Counter(game.draw(state, 7, world) for world in range(n)), weights)


@every_game
def test_events_of_one_seed_have_luck_of_their_own(name: str) -> None:
    """Two events in a row, at the start and later: the half of the outcomes that each falls in is independent."""
    game = game_of(name)

    def halves_of(state: State) -> dict[int, tuple[bool, float]]:
        outcomes = game.outcomes(state)
        total = sum(weight for _, weight in outcomes)
        return {code: (2 * i < len(outcomes), weight / total) for i, (code, weight) in enumerate(outcomes)}

    tested = 0
    for first in [game.start(), *at_most(12, chances(name))]:
        weights: dict[tuple[bool, bool], float] = defaultdict(float)
        halves: Counter[tuple[bool, bool]] = Counter()
        for one, (half, p) in halves_of(first).items():
            for other_half, q in halves_of(game.happen(first, one)).values():
                weights[half, other_half] += p * q
        for seed in range(400) if len(weights) == 4 else ():
            one = game.draw(first, seed, 0)
            second = game.happen(first, one)
            halves[halves_of(first)[one][0], halves_of(second)[game.draw(second, seed, 0)][0]] += 1
        assert not halves or fits(halves, weights)
        tested += bool(halves)
    assert tested >= 5


@every_game
def test_a_deal_is_chance_drawn_with_its_seed(name: str) -> None:
    game = game_of(name)
    state = game.deal(5)
    assert game.turn(state) >= 0
    assert state == game.deal(5) == game.deal(5 + WIDE) == game.deal(5 - WIDE)
    # Alone, one is dealt two cards, which may be the same.
    assert len({game.key(game.deal(seed)) for seed in range(-20, 20)}) >= (35 if name in SOLITARY else 40)


# States are values.


@every_game
def test_nothing_changes_a_state(name: str) -> None:
    game = game_of(name)
    for state in some(name, 12, states(name)):
        before, digest = bytes(state), hash(state)
        pending = game.pending(state)
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            looks = bytes(seen)
            game.reopened(state, seat)
            game.moves(state, seat)
            game.priors(state, seat)
            if complete(name, state):
                world = bytes(game.determinize(seen, 3))
                game.determinize(seen, 4)
                assert bytes(game.determinize(seen, 3)) == world
            assert bytes(seen) == looks
        for seat in pending:
            assert game.play(state, seat, game.moves(state, seat)[-1]) != state
            game.choose(state, seat, 1)
        for code, _ in game.outcomes(state)[:3]:
            assert game.happen(state, code) != state
        for call in (game.playout, game.informed_playout):
            call(state, 1)
        game.estimate(state), game.score(state), game.ranks(state), game.key(state)
        playout.run(game, state, 1, 3)
        assert bytes(state) == before
        assert hash(state) == digest


@every_game
def test_a_position_written_and_read_is_the_same(name: str) -> None:
    game = game_of(name)
    for state in at_most(150, written(name)):
        text = dumped(game, state)
        again = game.load(json.loads(text))
        assert (dumped(game, again), game.key(again)) == (text, game.key(state))
        assert (game.turn(again), game.pending(again)) == (game.turn(state), game.pending(state))
        assert (game.score(again), game.ranks(again)) == (game.score(state), game.ranks(state))
        assert game.outcomes(again) == game.outcomes(state)
        for seat in range(game.seats):
            assert game.observe(again, seat) == game.observe(state, seat)
            assert game.moves(again, seat) == game.moves(state, seat)
            assert game.priors(again, seat) == game.priors(state, seat)
            assert game.history_key(again, seat) == game.history_key(state, seat)


@every_game
def test_states_observations_and_games_are_not_pickled(name: str) -> None:
    game = game_of(name)
    state = game.deal(1)
    for value in (game, state, game.observe(state, 0)):
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                call(value)


@every_secretive_game
def test_commits_in_any_order_give_one_position(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    together = [state for state in decisions(name) if len(game.pending(state)) > 1]
    for state in some(name, 20, together):
        moves = {seat: rng.choice(game.moves(state, seat)) for seat in game.pending(state)}
        ends = []
        for order in itertools.islice(itertools.permutations(moves), 6):
            after = state
            for seat in order:
                assert game.legal(after, seat, moves[seat])
                after = game.play(after, seat, moves[seat])
            ends.append((game.key(after), dumped(game, after), [game.observe(after, s) for s in range(game.seats)]))
        assert ends.count(ends[0]) == len(ends)


# Hashes.


@every_game
def test_equal_positions_have_equal_keys_and_different_ones_do_not(name: str) -> None:
    game = game_of(name)
    seen: dict[int, object] = {}
    keys: dict[object, int] = {}
    visited = list(states(name))
    for seed in range(10, 15):
        visited += [step.after for step in walk(game, seed, greed=0.5)]
    for state in at_most(500, visited):
        if pending := game.pending(state):
            visited += [game.play(state, pending[-1], move) for move in game.moves(state, pending[-1])[:40]]
    assert len(visited) > (500 if name in SOLITARY else 1000)
    for state in at_most(20_000 if name in SET_UP else 3000, visited):
        what = dumped(game, state) if complete(name, state) else bytes(state)
        key = game.key(state)
        assert seen.setdefault(key, what) == what
        assert keys.setdefault(what, key) == key
    assert all(0 <= key < WIDE for key in seen)
    # All 64 bits are in use.
    for bit in range(64):
        assert 0.3 < sum(key >> bit & 1 for key in seen) / len(seen) < 0.7


@every_game
def test_what_looks_the_same_to_a_seat_has_the_same_keys(name: str) -> None:
    game = game_of(name)
    keys: dict[bytes, tuple[int, int]] = {}
    looks: dict[int, bytes] = {}
    for state in states(name):
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            worlds = [game.determinize(seen, key) for key in range(2)] if complete(name, state) else []
            for world in [state, *worlds]:
                both = game.observation_key(world, seat), game.history_key(world, seat)
                assert keys.setdefault(bytes(seen), both) == both
                assert looks.setdefault(both[0], bytes(seen)) == bytes(seen)


@every_game
def test_history_tells_a_seats_decisions_apart(name: str) -> None:
    game = game_of(name)
    for seat in range(game.seats):
        for seed in range(2):
            own = [step.before for step in walk(game, seed) if step.seat == seat]
            assert len({game.history_key(state, seat) for state in own}) == len(own)


@every_game_of_several
def test_history_holds_what_a_seat_has_seen(name: str) -> None:
    """Where a move of one seat leads to different events, the histories differ of the others who are told."""
    game = game_of(name)
    told_apart = 0
    last_ones = [state for state in half_committed(name) if len(game.pending(state)) == 1][::3]
    for state in last_ones if name in SECRETIVE else at_most(30, decisions(name)):
        seat = game.pending(state)[0]
        for observer in set(range(game.seats)) - {seat}:
            found: dict[str, int] = {}
            for move in game.moves(state, seat):
                after = game.play(state, seat, move)
                told = json.dumps(seen_by(observer, game.events(state, seat, move, after)))
                assert found.setdefault(told, game.history_key(after, observer)) not in [
                    key for text, key in found.items() if text != told
                ]
            told_apart += len(found) > 1
    assert told_apart > 0


# What a seat knows.


@every_game
def test_an_observation_written_and_read_is_the_same(name: str) -> None:
    game = game_of(name)
    for state in at_most(80, written(name)[::-1]):
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            again = game.load_observation(json.loads(json.dumps(game.dump_observation(seen))))
            assert bytes(again) == bytes(seen)
            assert again == seen
            assert hash(again) == hash(seen)
            assert game.observer(again) == seat
            assert game.pending_observation(again) == game.pending(state)
            assert game.over_observation(again) == (game.turn(state) == OVER)
            assert game.moves_observation(again) == game.moves(state, seat)
            if game.turn(state) == OVER:
                assert game.score_observation(again) == game.score(state)


@every_game
def test_a_world_looks_to_the_observer_as_the_state_does(name: str) -> None:
    game = game_of(name)
    for state in some(name, 12):
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            for key in (*range(4), WIDE - 1):
                world = game.determinize(seen, key)
                assert game.observe(world, seat) == seen
                assert game.moves(world, seat) == game.moves(state, seat)
                assert game.pending(world) == game.pending(state)
                # A world is a position like any other.
                assert game.key(game.load(game.dump(world))) == game.key(world)
                assert len(game.playout(world, key)) == game.seats
            assert game.determinize(seen, -1) == game.determinize(seen, WIDE - 1)
            assert game.determinize(seen, 5 + WIDE) == game.determinize(seen, 5)


@every_secretive_game
def test_worlds_differ_while_anything_is_hidden(name: str) -> None:
    game = game_of(name)
    state = game.deal(3)
    for seat in range(game.seats):
        seen = game.observe(state, seat)
        keys = {game.key(game.determinize(seen, key)) for key in range(64)}
        assert len(keys) > 60
        # The true hands are one deal of a great many: whoever gives them back has looked.
        assert game.key(state) not in keys


@every_open_game
def test_where_nothing_is_hidden_the_only_world_is_the_state(name: str) -> None:
    game = game_of(name)
    for state in states(name):
        for seat in range(game.seats):
            worlds = [game.determinize(game.observe(state, seat), key) for key in (0, 1, WIDE - 1)]
            assert worlds.count(worlds[0]) == len(worlds)
            assert game.key(worlds[0]) == game.key(state)
            assert game.outcomes(worlds[0]) == game.outcomes(state)
            assert game.reopened(state, seat) == state


# Three players with targets: ten undealt cards and six hidden targets leave too many worlds to count at any time.
@pytest.mark.parametrize("name", [name for name in SECRETIVE if not name.startswith("ocean-3-targets")])
def test_worlds_are_drawn_uniformly(name: str) -> None:
    """Where few worlds are left, each comes as often: over hidden components and hidden commitments alike.

    Of alike cards it matters which copy it is: a world comes as often as there are ways to deal it.
    """
    assert uniform_worlds(name) > 0, "a position with few worlds"


@cache
def uniform_worlds(name: str) -> int:
    """In how many positions it was tested that worlds are uniform."""
    game = game_of(name)
    tested = 0
    for state in random.Random(name).sample(decisions(name), len(decisions(name))):
        for seat in range(game.seats):
            seen = game.observe(state, seat)
            few = {game.key(game.determinize(seen, key)) for key in range(300)}
            if not 1 < len(few) <= 250:
                continue
            drawn = [game.determinize(seen, key) for key in range(1000, 5500)]
            counts = Counter(map(game.key, drawn))
            if len(counts) > 800:
                continue
            worlds = {game.key(world): world for world in drawn}
            assert hidden(game, state) in [hidden(game, world) for world in worlds.values()]
            assert fits(counts, {key: ways(game, seen, world) for key, world in worlds.items()})
            tested += 1
            if tested == 4:
                return tested
    return tested


def hidden(game: Game, world: State) -> object:
    """What tells worlds of one observation apart, if not what the others know."""
    if not isinstance(game, Sanctuary):
        return game.key(world)
    secrets = game.dump(world)["referee"]["seats"]
    return json.dumps([[secret[name] for name in ("hand", "commitment", "made")] for secret in secrets])


def ways(game: Game, seen: Observation, world: State) -> float:
    """In how many ways the hidden cards of a world can be dealt, up to a factor."""
    if not isinstance(game, Sanctuary):
        return 1.0  # No two cards are alike.
    position, knowledge = game.dump(world), game.dump_observation(seen)["seat_knowledge"]
    observer, secrets = knowledge["seat"], position["referee"]["seats"]
    assert position["table"]["phase"] not in ("SPLIT", "CHOOSE"), "there are too many worlds then"
    known = {(observer + 1) % game.seats: knowledge["left_hand"]}
    known.setdefault((observer - 1) % game.seats, knowledge["right_hand"])
    unknown = [
        Counter(secret["hand"]) - Counter(known.get(seat, []))
        for seat, secret in enumerate(secrets)
        if seat != observer
    ]
    entries = [entry for edition in game.catalogue["editions"] for entry in edition["cards"]]
    deck = Counter({kind: entry.get("count", 1) for kind, entry in enumerate(entries)})
    for seat, secret in zip(position["table"]["seats"], secrets, strict=True):
        deck.subtract([*seat["tops"], *(placed["card"] for placed in seat["sanctuary"]), *secret["hand"]])
    alike = [count for pile in (*unknown, deck) for count in pile.values()]
    return 1 / math.prod(math.factorial(max(count, 0)) for count in alike)


@every_secretive_game
def test_a_search_takes_back_the_others_commitments_only(name: str) -> None:
    game, rng = game_of(name), random.Random(name)
    together = [state for state in decisions(name) if len(game.pending(state)) == game.seats]
    for state in some(name, 16, together):
        moves = {seat: rng.choice(game.moves(state, seat)) for seat in range(game.seats)}
        for observer in range(game.seats):
            assert game.reopened(state, observer) == state
            own = game.play(state, observer, moves[observer])
            assert game.key(game.reopened(own, observer)) == game.key(own)
            both = own
            for seat in rng.sample(range(game.seats), game.seats - 1):
                if len(game.pending(both)) > 1 and seat in game.pending(both):
                    both = game.play(both, seat, moves[seat])
            assert game.key(game.reopened(both, observer)) == game.key(own)
            assert observer not in game.pending(game.reopened(both, observer))
            others = state
            for seat in rng.sample(range(game.seats), game.seats):
                if seat != observer:
                    others = game.play(others, seat, moves[seat])
            assert game.key(game.reopened(others, observer)) == game.key(state)


@every_game
def test_who_reports_what_it_is_told_knows_what_it_sees(name: str) -> None:
    """From the start: chance and everybody's moves, its own among them, which it commits where they are hidden."""
    game = game_of(name)
    watchers = range(game.seats)[-2:]
    kept = {seat: game.observe(game.start(), seat) for seat in watchers}
    for before, seat, move, after in walk(game, 1, greed=0.8):
        if seat == CHANCE and name in SET_UP:
            kept = {watcher: game.observe(after, watcher) for watcher in watchers}
            continue
        events = game.chance_events(before, move, after) if seat == CHANCE else game.events(before, seat, move, after)
        if seat in watchers and any("committed" in event for event in events):
            kept[seat] = game.commit(kept[seat], move)
        elif seat in watchers:
            assert game.commit(kept[seat], move) == game.observe(after, seat)
        for watcher in watchers:
            kept[watcher] = game.report(kept[watcher], seen_by(watcher, events))
            assert kept[watcher] == game.observe(after, watcher)


@every_game
def test_a_search_does_not_read_hidden_things(name: str) -> None:
    """The state's other worlds, put in its place, change nothing that a search asks from the observation."""
    game = game_of(name)
    for state in some(name, 3):
        seat = game.pending(state)[0]
        found = []
        for world in [state, *[game.determinize(game.observe(state, seat), key) for key in range(3)]]:
            engine = Mcts(game, game.observe(world, seat), 0, 1, memory=1 << 20, simulations=40)
            engine.step(40, 60)
            found.append((engine.moves(), engine.priors(), engine.sums()))
        assert found.count(found[0]) == len(found)


# Playouts and estimates.


@every_game
def test_playouts_follow_their_seed(name: str) -> None:
    game = game_of(name)
    for state in (game.start(), *some(name, 4)):
        for play in (game.playout, game.informed_playout):
            scores = [play(state, seed) for seed in range(30)]
            assert scores == [play(state, seed) for seed in range(30)]
            assert all(len(score) == game.seats for score in scores)
            assert play(state, 7 + WIDE) == play(state, 7 - WIDE) == scores[7]
    for play in (game.playout, game.informed_playout):
        # The points of a single seat are the same now and then.
        different = len({tuple(play(game.start(), seed)) for seed in range(-15, 15)})
        assert different > (12 if name in SOLITARY else 20)
    plies, total = playout.run(game, game.start(), 9, 40)
    assert (plies, total) == playout.run(game, game.start(), 9 + WIDE, 40) != playout.run(game, game.start(), 10, 40)


@every_game
def test_seeds_and_keys_count_modulo_two_to_the_64_and_no_less(name: str) -> None:
    """None is cut to 32 bits, and negative or larger ones are taken."""
    game = game_of(name)
    state = game.deal(1)
    seat = game.turn(state)
    seen = game.observe(state, seat)
    calls: list[Callable[[int], object]] = [
        lambda seed: bytes(game.deal(seed)),
        lambda seed: [game.playout(state, seed ^ i) for i in range(8)],
        lambda seed: [game.informed_playout(state, seed ^ i) for i in range(8)],
        lambda seed: [playout.run(game, state, seed ^ i, 20) for i in range(8)],
        lambda seed: [game.choose(state, seat, seed ^ i) for i in range(64)],
        lambda seed: [game.draw(game.start(), seed ^ i, 0) for i in range(64)],
        lambda seed: [game.draw(game.start(), 0, seed ^ i) for i in range(64)],
    ]
    if name in SECRETIVE:
        calls.append(lambda seed: bytes(game.determinize(seen, seed)))
    for call in calls:
        found = [call(5 + high) for high in (0, 1 << 32, 1 << 33, 1 << 62, 1 << 63)]
        assert all(found.count(one) == 1 for one in found)
        for same in (5 + WIDE, 5 - WIDE, 5 + (WIDE << 40)):
            assert call(same) == found[0]
        assert call(-3) == call(WIDE - 3)


@every_game
def test_a_playout_of_a_finished_game_is_its_score(name: str) -> None:
    game = game_of(name)
    ends = [state for state in states(name) if game.turn(state) == OVER]
    assert len(ends) == 2
    for state in ends:
        assert game.playout(state, 1) == game.informed_playout(state, 2) == game.score(state)
        assert playout.run(game, state, 1, 3) == (0, 3 * sum(game.score(state)))


def played_out(game: Game, state: State, rng: random.Random) -> list[int]:
    """The same as a playout, step by step through the contract, seats in random order."""
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
            continue
        seat = rng.choice(game.pending(state))
        state = game.play(state, seat, rng.choice(game.moves(state, seat)))
    return game.score(state)


@every_game
def test_playouts_score_as_uniform_play_step_by_step(name: str) -> None:
    """From the start and the deal, from decisions of which some are made and some are not, and from late ones."""
    game, rng = game_of(name), random.Random(name)
    partial = half_committed(name) if name in SECRETIVE else decisions(name)[-100:]
    for state in (game.start(), game.deal(1), partial[0], *rng.sample(partial, 3), partial[-1]):
        plies = max(playout.run(game, state, 1, 1)[0], 1)
        n = min(max((50_000 if name == LOUD else 4500) // plies, 50), 1500)
        slow = [played_out(game, state, rng) for _ in range(n)]
        fast = [game.playout(state, seed) for seed in range(10 * n)]
        for seat in range(game.seats):
            for power in (1, 2):
                one = [scores[seat] ** power for scores in slow]
                other = [scores[seat] ** power for scores in fast]
                assert agree(one, other), f"seat {seat}, power {power}, {plies} plies to go"


def agree(one: list[int], other: list[int]) -> bool:
    """Whether the means of two samples agree: a z-test with room for small, skewed samples."""
    means = [sum(sample) / len(sample) for sample in (one, other)]
    errors = [
        sum((value - mean) ** 2 for value in sample) / len(sample) / (len(sample) - 1)
        for sample, mean in zip((one, other), means, strict=True)
    ]
    return abs(means[0] - means[1]) <= 4.2 * math.sqrt(sum(errors)) + 1e-9


@every_game
def test_the_last_decision_of_a_playout_is_uniform(name: str) -> None:
    """Scores that a playout reaches from the last decision: exactly those, as often as moves and chance make them."""
    game = game_of(name)
    found = 0
    late = (step.before for seed in range(30, 50) for step in list(walk(game, seed))[-6:] if step.seat != CHANCE)
    for state in itertools.chain(decisions(name), late):
        if found >= 10 or len(game.pending(state)) > 1:
            continue
        seat = game.pending(state)[0]
        moves = game.moves(state, seat)
        weights: dict[tuple[int, ...], float] = defaultdict(float)
        for move in moves:
            after = endings(game, game.play(state, seat, move))
            if after is None:
                break
            for scores, p in after.items():
                weights[scores] += p / len(moves)
        else:
            counts = Counter(tuple(game.playout(state, seed)) for seed in range(100 * len(moves)))
            assert fits(counts, weights)
            informed = {tuple(game.informed_playout(state, seed)) for seed in range(200)}
            assert informed <= set(weights)
            found += 1
    assert found >= 2


def endings(game: Game, state: State) -> dict[tuple[int, ...], float] | None:
    """Final scores and how likely each is where nobody decides any more; None where somebody does."""
    if game.turn(state) == OVER:
        return {tuple(game.score(state)): 1.0}
    outcomes = game.outcomes(state)
    total = sum(weight for _, weight in outcomes)
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for code, weight in outcomes:
        below = endings(game, game.happen(state, code))
        if below is None:
            return None
        for scores, p in below.items():
            found[scores] += p * weight / total
    return found if outcomes else None


@every_game
def test_informed_playouts_score_more(name: str) -> None:
    game = game_of(name)
    state = game.deal(1)
    n = 300
    uniform = [sum(game.playout(state, seed)) for seed in range(n)]
    informed = [sum(game.informed_playout(state, seed)) for seed in range(n)]
    assert sum(informed) > 1.1 * sum(uniform)
    assert not agree(uniform, informed)


@every_game
def test_informed_choices_are_legal_and_follow_their_key(name: str) -> None:
    game = game_of(name)
    for state in some(name, 12):
        for seat in game.pending(state):
            moves = game.moves(state, seat)
            chosen = [game.choose(state, seat, key) for key in range(20)]
            assert set(chosen) <= set(moves)
            assert chosen == [game.choose(state, seat, key + WIDE) for key in range(20)]
    state = game.deal(1)
    assert len({game.choose(state, game.turn(state), key) for key in range(200)}) > 1


@every_game
def test_informed_choices_mostly_gain_most(name: str) -> None:
    """Seven times in eight one of the moves that gain most, each of them as often; else any move."""
    game = game_of(name)
    for state in some(name, 8):
        seat = game.turn(state)
        moves, gains = game.moves(state, seat), game.priors(state, seat)
        chosen = Counter(game.choose(state, seat, key) for key in range(40 * len(moves)))
        best = [move for move, gain in zip(moves, gains, strict=True) if gain == max(gains)]
        weights = {move: 1 / 8 / len(moves) + (7 / 8 / len(best) if move in best else 0) for move in moves}
        assert fits(chosen, weights)


@every_game
def test_priors_give_a_number_to_every_move(name: str) -> None:
    game = game_of(name)
    told_apart = 0
    for state in decisions(name):
        for seat in game.pending(state):
            gains = game.priors(state, seat)
            assert len(gains) == len(game.moves(state, seat))
            assert all(math.isfinite(gain) for gain in gains)
            told_apart += len(set(gains)) > 1
    assert told_apart > 0


@every_game
def test_estimates_are_finite_and_exact_at_the_end(name: str) -> None:
    game = game_of(name)
    for state in states(name):
        values, scales = game.estimate(state)
        assert len(values) == len(scales) == game.seats
        assert all(math.isfinite(number) for number in values + scales)
        assert all((scale == 0) == (game.turn(state) == OVER) and scale >= 0 for scale in scales)
        if game.turn(state) == OVER:
            assert values == [float(score) for score in game.score(state)]


@every_game
def test_places_follow_scores(name: str) -> None:
    game = game_of(name)
    for seed in range(30):
        for *_, state in walk(game, seed):
            scores, ranks = game.score(state), game.ranks(state)
            assert len(scores) == len(ranks) == game.seats
            # 1, 1, 3: a place is one more than the number of seats before it.
            assert all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
            for (one, place), (other, behind) in itertools.product(zip(scores, ranks, strict=True), repeat=2):
                assert one <= other or place < behind


@every_game
def test_threads_share_a_game(name: str) -> None:
    game = game_of(name)
    state = game.deal(1)

    def work(seed: int) -> tuple[list[int], tuple[int, int], int]:
        seen = game.observe(state, seed % game.seats)
        return game.playout(state, seed), playout.run(game, state, seed, 40), game.key(game.determinize(seen, seed))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(work, range(40))) == [work(seed) for seed in range(40)]


# Wrong calls.


@every_game
def test_another_games_states_and_none_are_refused(name: str) -> None:
    game, twin = game_of(name), GAMES[name]()
    state = game.deal(1)
    foreign = twin.deal(1)
    assert foreign != state
    seat = game.turn(state)
    seen = game.observe(state, seat)
    move = game.moves(state, seat)[0]
    of_state: list[Callable[[Any], Any]] = [
        game.turn,
        game.pending,
        game.outcomes,
        game.estimate,
        game.score,
        game.ranks,
        game.key,
        game.dump,
        lambda s: game.moves(s, seat),
        lambda s: game.legal(s, seat, move),
        lambda s: game.canonical(s, seat, move),
        lambda s: game.play(s, seat, move),
        lambda s: game.draw(s, 1, 1),
        lambda s: game.happen(s, 1),
        lambda s: game.observe(s, 0),
        lambda s: game.reopened(s, 0),
        lambda s: game.priors(s, seat),
        lambda s: game.choose(s, seat, 1),
        lambda s: game.playout(s, 1),
        lambda s: game.informed_playout(s, 1),
        lambda s: game.observation_key(s, 0),
        lambda s: game.history_key(s, 0),
        lambda s: playout.run(game, s, 1, 1),
        lambda s: game.events(s, seat, move, state),
        lambda s: game.events(state, seat, move, s),
        lambda s: game.chance_events(s, 1, state),
        lambda s: game.chance_events(state, 1, s),
    ]
    of_observation: list[Callable[[Any], Any]] = [
        game.observer,
        game.dump_observation,
        game.pending_observation,
        game.over_observation,
        game.moves_observation,
        game.score_observation,
        lambda o: game.determinize(o, 1),
        lambda o: game.commit(o, move),
        lambda o: game.report(o, []),
        lambda o: Flat(game, o, 0, 1),
        lambda o: Uct(game, o, 0, 1, memory=1 << 20, simulations=1),
        lambda o: Mcts(game, o, 0, 1, memory=1 << 20, simulations=1),
    ]
    for calls, wrong in (
        (of_state, [foreign, None, seen, 7]),
        (of_observation, [twin.observe(foreign, seat), None, state]),
    ):
        for call, value in itertools.product(calls, wrong):
            with pytest.raises((ValueError, TypeError)):
                call(value)
    # The twin's own are right there.
    assert twin.turn(foreign) == game.turn(state)


@every_game
def test_what_is_no_seat_is_refused(name: str) -> None:
    game = game_of(name)
    state = game.deal(1)
    move = game.moves(state, game.turn(state))[0]
    calls: list[Callable[[Any], Any]] = [
        lambda seat: game.moves(state, seat),
        lambda seat: game.legal(state, seat, move),
        lambda seat: game.canonical(state, seat, move),
        lambda seat: game.play(state, seat, move),
        lambda seat: game.observe(state, seat),
        lambda seat: game.reopened(state, seat),
        lambda seat: game.priors(state, seat),
        lambda seat: game.choose(state, seat, 1),
        lambda seat: game.observation_key(state, seat),
        lambda seat: game.history_key(state, seat),
    ]
    no_seats = [-1, -(1 << 31), game.seats, 12, 31, 32, 64, (1 << 31) - 1, 1 << 40, None, "0", [0]]
    for call, seat in itertools.product(calls, no_seats):
        # A number that no C integer holds is an OverflowError, as in Python's own functions.
        with pytest.raises((ValueError, TypeError, OverflowError)):
            call(seat)


@every_game
def test_values_of_the_wrong_type_are_refused(name: str) -> None:
    game = game_of(name)
    state = game.deal(1)
    seat = game.turn(state)
    seen = game.observe(state, seat)
    bad: Any
    for bad in (None, "1", 1.5, b"1", [1]):
        calls: list[Callable[[Any], Any]] = [
            lambda x: game.play(state, seat, x),
            lambda x: game.happen(game.start(), x),
            lambda x: game.draw(game.start(), x, 0),
            lambda x: game.draw(game.start(), 0, x),
            lambda x: game.deal(x),
            lambda x: game.determinize(seen, x),
            lambda x: game.playout(state, x),
            lambda x: game.informed_playout(state, x),
            lambda x: game.choose(state, seat, x),
            lambda x: playout.run(game, state, x, 1),
            lambda x: game.load(x),
            lambda x: game.load_observation(x),
            lambda x: game.load({"table": x}),
        ]
        for call in calls:
            with pytest.raises((ValueError, TypeError)):
                call(bad)
    for text in ("", "nothing", "pick", "place", "pick 17 17", "take 17 17", "\0"):
        with pytest.raises(ValueError, match="expected"):
            game.parse(text)
    for code in (-1, 1 << 31, (1 << 32) - 1, 1 << 70):
        with pytest.raises((ValueError, OverflowError)):
            game.notation(code)


@every_game
def test_a_seat_that_owes_nothing_is_not_searched(name: str) -> None:
    game = game_of(name)
    end = next(state for state in states(name) if game.turn(state) == OVER)
    idle = [game.observe(end, 0)]
    if name not in SOLITARY:
        committed = half_committed(name)[0] if name in SECRETIVE else decisions(name)[0]
        seats = set(range(game.seats)) - set(game.pending(committed))
        idle.append(game.observe(committed, min(seats)))
    for seen in idle:
        with pytest.raises(ValueError, match="owes no decision"):
            Flat(game, seen, 0, 1)
        assert game.moves_observation(seen) == []
        with pytest.raises(ValueError, match="legal"):
            game.commit(seen, 0)


@every_game
def test_nobody_owes_a_decision_while_chance_is_next(name: str) -> None:
    game = game_of(name)
    for state in (game.start(), game.happen(game.start(), game.draw(game.start(), 1, 1))):
        seen = game.observe(state, 0)
        assert game.pending_observation(seen) == game.pending(state) == []
        assert game.moves_observation(seen) == []
        with pytest.raises(ValueError, match="decision"):
            Flat(game, seen, 0, 1)
        if name in SET_UP:
            with pytest.raises(ValueError, match="deal"):
                game.dump_observation(seen)
        else:
            assert game.load_observation(game.dump_observation(seen)) == seen


CRASHES = {
    "states without a game": (
        "from ext.game import Observation, State\n"
        "for kind in (State, Observation): kind() == kind(); hash(kind()), bytes(kind())"
    ),
    "a search while cards are dealt": (
        "from differential import house; from ext.ocean import Ocean; from ext.engine import Flat\n"
        "game = Ocean(2, house()); Flat(game, game.observe(game.start(), 0), 0, 1).step(10, 1)"
    ),
    "a search while tiles are drawn": (
        "from differential import house; from ext.heart import Heart; from ext.engine import Flat\n"
        "game = Heart(2, house('heart')); Flat(game, game.observe(game.start(), 0), 0, 1).step(10, 1)"
    ),
    "a search while bonus cards are drawn": (
        "from differential import house; from ext.sanctuary import Sanctuary; from ext.engine import Flat\n"
        "game = Sanctuary(3, house('sanctuary'), {'round_bonuses': True})\n"
        "Flat(game, game.observe(game.start(), 0), 0, 1).step(10, 1)"
    ),
}


@pytest.mark.parametrize("what", CRASHES)
def test_nothing_that_python_can_call_ends_the_process(what: str) -> None:
    code = f"import sys; sys.path[:] = {sys.path!r}\ntry:\n    exec({CRASHES[what]!r})\nexcept Exception: pass"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_the_games_cover_what_the_contract_names() -> None:
    """Simultaneous decisions, chance, hidden things: a list of games without them would test little."""
    kinds: dict[str, int] = defaultdict(int)
    for name in SECRETIVE:
        game = game_of(name)
        kinds["simultaneous"] += any(len(game.pending(state)) > 1 for state in decisions(name))
        kinds["chance"] += bool(chances(name))
        kinds["half committed"] += bool(half_committed(name))
        kinds["few worlds"] += uniform_worlds(name) > 0
    assert all(
        kinds[kind] > 0.7 * len(SECRETIVE) for kind in ("simultaneous", "chance", "half committed", "few worlds")
    )
    for name in OPEN:
        game = game_of(name)
        assert all(len(game.pending(state)) == 1 for state in decisions(name))
        # Chance and decisions take turns, and some chance is weighted.
        deciders = [step.seat for step in steps(name)]
        assert sum((one == CHANCE) != (other == CHANCE) for one, other in itertools.pairwise(deciders)) > 50
        assert any(weight > 1 for state in chances(name) for _, weight in game.outcomes(state))
