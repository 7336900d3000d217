"""Positions of heart in which few moves win, made by hand: the search finds them, and it loses no move for good."""

import random
from collections.abc import Callable, Iterator

import pytest
from differential import house
from heart_cases import (
    ON_FISH,
    RARE,
    RELOCATE,
    Laid,
    Story,
    green,
    orange,
    pattern,
)

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import CHANCE, OVER, State
from ext.heart import Heart
from search.request import Algorithm, Answer, Limits, Options
from search.run import Search

pytestmark = pytest.mark.kernel

WEST = "place -1,0 r0"
FIVE = [RARE] * 5
"""Photo cards that have triggered the end; they score 5 points."""


def row(first: int, last: int, y: int = 0) -> Laid:
    """Blank tiles side by side."""
    return {(x, y): "...." for x in range(first, last + 1)}


def a_photo_that_wins() -> Story:
    """The last turn: of three cards the one that counts the four manatees is worth more than the opponent's lead."""
    cards = [green(4), orange(2, "MANATEES"), orange(1, "TILES", per=2)]
    story = Story(row(-3, -1), cards=cards, shown=[1, 2, 3], held={0: FIVE, 1: [1, 1, 1]}, home={0: 4}, trigger=0)
    story.do("take 2", "place -4,0 r0")
    return story


def a_photo_that_the_other_needs() -> Story:
    """Either card is worth as much, but only one of them could be taken by the other, whose turn is the last."""
    cards = [green(4) | {"count": 1}, green(4, pattern((0, 0), (1, 0), (2, 0))) | {"count": 1}, green(3)]
    story = Story(row(-3, -1), cards=cards, shown=[1, 2], held={0: [3, RARE], 1: FIVE}, trigger=1)
    story.do("take 2", "place -4,0 r0")
    return story


def a_placement_for_the_photo_of_the_turn() -> Story:
    """Two of the many places complete six tiles in two rows, for which there is a card; the tile gains nothing."""
    block = pattern(*((x, y) for x in range(3) for y in range(2)))
    habitat = {**row(-30, -1), **row(-15, -14, -1)}
    story = Story(habitat, cards=[green(9, block), green(4)], shown=[1], held={0: FIVE, 1: [2, 2]}, trigger=0)
    story.do("take 2")
    return story


def a_placement_for_a_photo_early_in_the_game() -> Story:
    """The same with the game before it: 9 points are no win yet."""
    block = pattern(*((x, y) for x in range(3) for y in range(2)))
    story = Story({**row(-20, -1), **row(-15, -14, -1)}, row(-14, -1), cards=[green(9, block)], shown=[1])
    story.do("take 2")
    return story


def a_swim_that_leaves_room() -> Story:
    """Two swims: the manatee at home can go to either of two tiles with food, the one in the east to one of them only.

    A manatee that goes where the other has to go is in its way, although it eats as much there.
    """
    west: Laid = {(-1, 0): "....", (-2, 0): "F... r3", (-3, 0): "F.F. r1", (-4, 0): "FF..", **row(-20, -5)}
    east: Laid = {(1, 0): "R... r3", (2, 0): "F... r1", (3, 0): "F.F. r1", (4, 0): "F... r3", (5, 0): ".... m"}
    story = Story(
        {**west, **east, (0, 1): "S..."},
        cards=[green(4)],
        held={0: FIVE, 1: [1, 1]},
        home={1: 4},
        rules={"starting_tile_blocks": True},
        trigger=0,
    )
    story.do("take 1", "place -21,0 r0")
    return story


def a_shark_in_the_way() -> Story:
    """The other seat has the last turn and wins by a swim to its food, unless the shark lies where it must pass."""
    food: Laid = {(-2, 0): "F... r3", (-3, 0): "F.F. r1", (-4, 0): "F... r1"}
    story = Story(
        {},
        {(-1, 0): "....", **food, **row(-30, -5)},
        cards=[green(3)],
        held={0: [1, 1], 1: FIVE},
        die=ON_FISH,
        trigger=1,
    )
    story.do("take 3", WEST)
    return story


def a_manatee_from_the_leader() -> Story:
    """The last turn: the shark takes a manatee from whoever hosts it. The one seat that leads has only two tiles."""
    leader: Laid = {(0, -1): "F... r2", (0, -2): "...."}
    story = Story(
        {},
        leader,
        row(-28, -1),
        seats=3,
        cards=[green(5)],
        held={0: FIVE, 1: [1], 2: [RARE]},
        home={0: 2, 1: 1, 2: 2},
        die=RELOCATE,
        trigger=0,
    )
    story.do("take 3", WEST)
    return story


STORIES: dict[Callable[[], Story], tuple[int, list[str]]] = {
    a_photo_that_wins: (200, ["photo 2"]),
    a_photo_that_the_other_needs: (200, ["photo 1"]),
    a_placement_for_the_photo_of_the_turn: (300, ["place -16,-1 r0", "place -13,-1 r0"]),
    a_placement_for_a_photo_early_in_the_game: (1000, ["place -16,-1 r0", "place -13,-1 r0"]),
    a_swim_that_leaves_room: (300, ["swim 0,0 -3,0", "swim 5,0 3,0"]),
    a_shark_in_the_way: (500, ["shark 1:-2,0", "shark 1:-1,0"]),
    a_manatee_from_the_leader: (300, ["shark 1:0,-2", "shark 1:0,-1"]),
}
"""How many simulations are enough, and the moves that are best."""
every_story = pytest.mark.parametrize("tell", STORIES, ids=lambda tell: tell.__name__)


def best_moves(story: Story) -> list[str]:
    """The moves that are worth most, by enumeration."""
    game, state = story.game, story.state
    engine = Expectimax(game, game.observe(state, story.turn), OBJECTIVES["win"])
    assert engine.run(60)
    assert engine.exact
    worth = {move: out[0][story.turn] for move, out in zip(engine.moves(), engine.outlooks(), strict=True)}
    return [game.notation(move) for move, value in worth.items() if value > max(worth.values()) - 0.1]


def ask(story: Story, simulations: int, seed: int) -> Answer:
    seen = story.game.observe(story.state, story.turn)
    options = Options(algorithm=Algorithm.MCTS, seed=seed, threads=1)
    return Search(story.game, seen, Limits(simulations=simulations), options).run()


@every_story
def test_the_best_moves_of_a_story_are_best_by_enumeration(tell: Callable[[], Story]) -> None:
    if tell is not a_placement_for_a_photo_early_in_the_game:
        assert best_moves(tell()) == STORIES[tell][1]


@every_story
def test_a_rare_move_that_wins_is_found(tell: Callable[[], Story]) -> None:
    story = tell()
    simulations, best = STORIES[tell]
    assert len(best) == 1 or 10 * len(best) <= len(story.moves), "not rare"
    found = [story.game.notation(ask(story, simulations, seed).moves[0].move) for seed in range(6)]
    assert set(found) <= set(best), f"{found}, of these are best: {best}"


# No move is lost for good.


def walk(seats: int, seed: int) -> Iterator[tuple[Heart, State]]:
    """The decisions of a game, sensible for the most part."""
    game, rng = Heart(seats, house("heart")), random.Random(seed)
    state = game.deal(seed)
    while (turn := game.turn(state)) != OVER:
        if turn == CHANCE:
            state = game.happen(state, game.draw(state, rng.getrandbits(64), 0))
            continue
        yield game, state
        state = game.play(state, turn, game.choose(state, turn, rng.getrandbits(64)))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_move_is_reported_and_none_is_lost_for_good(seats: int) -> None:
    """Of every phase the decision with the most moves: with one simulation all are there, with more all are tried."""
    widest: dict[str, tuple[int, Heart, State]] = {}
    for seed in range(2):
        for game, state in walk(seats, seed):
            phase, n = game.dump(state)["table"]["phase"], len(game.moves(state, game.turn(state)))
            if n > widest.get(phase, (0,))[0]:
                widest[phase] = n, game, state
    assert set(widest) == {"TAKE", "PLACE", "SWIM", "PHOTO", "SHARK"}
    for n, game, state in widest.values():
        seen = game.observe(state, game.turn(state))
        for simulations in (1, 20 * n):
            options = Options(algorithm=Algorithm.MCTS, seed=1, threads=1)
            answer = Search(game, seen, Limits(simulations=simulations), options).run()
            assert sorted(ranked.move for ranked in answer.moves) == game.moves_observation(seen)
        assert all(ranked.visits > 0 for ranked in answer.moves)
    assert max(n for n, *_ in widest.values()) > 40
