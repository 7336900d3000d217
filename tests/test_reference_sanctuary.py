"""The reference implementation of sanctuary, held to positions that were worked out by hand."""

from __future__ import annotations

import copy
import itertools
import random
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from reference.sanctuary import (
    CHALLENGES,
    CHANCE,
    DEFAULT_RULES,
    OVER,
    PLAY_ORDERS,
    ReferenceSanctuary,
    Sanctuary,
)

from advisor.v1 import sanctuary_pb2

Cell = tuple[int, int]
Event = dict[str, Any]

HOME = (0, 0)
PROTO = Path(__file__).parent.parent / "proto" / "advisor" / "v1" / "sanctuary.proto"
EDGES = {"R": "RED", "G": "GREEN", "P": "PURPLE", "W": "WALL"}
RED, GREEN, PURPLE, WALL = (f"SANCTUARY_EDGE_{name}" for name in EDGES.values())
ICONS = {"g": "gray", "p": "pink", "y": "yellow"}

# The kinds of card of the small catalogue: id, edges north, east, south, west, spaces or what it scores in the end,
# dots, rescues, harvests, count. 90 cards an edition.
FIRST = """
 0 RRRR 3      1 ?   0 6
 1 GGGG 3      1 -   1 6
 2 PPPP 3      1 g   1 6
 3 RGPW 2      2 ??  0 6
 4 GPRW 2      2 y   0 6
 5 PRGW 2      2 p   1 6
 6 RWRW 5      3 gg  0 6
 7 GWGW 5      3 -   3 6
 8 PRPR 4      3 yp? 0 6
 9 RRGG 1      1 -   0 6
10 GGPP 4      2 y?  1 6
11 PPRR 4      2 ?   2 6
12 RGRG PAIRS  2 gpy 0 6
13 GPGP PINK   2 ??  1 6
14 WRGP YELLOW 3 -   2 6
"""
SECOND = """
15 RRRR 3      1 ?   0 10
16 GGRR 3      1 y   0 10
17 PPGG 3      1 -   2 10
18 RGPG 2      2 ??  0 10
19 GPRW 2      2 yy  0 10
20 PRGW 6      3 p   1 10
21 RPGP PAIRS  2 gpp 0 10
22 GRGR YELLOW 3 ?   2 10
23 PGWG 5      3 ??? 0 10
"""
CORNER = {"cells": [{}, {"x": 1}, {"x": 1, "y": 1}]}
ELL = {"cells": [{}, {"y": 1}, {"y": 2}, {"x": 1, "y": 2}]}  # Not its own mirror image.


def edges(letters: str) -> list[str]:
    return [f"SANCTUARY_EDGE_{EDGES[letter]}" for letter in letters]


def make_cards(table: str) -> list[dict[str, Any]]:
    cards = []
    for line in table.strip().splitlines():
        _, letters, bottom, strength, icons, harvests, count = line.split()
        card: dict[str, Any] = {"count": int(count), "strength": int(strength), "edges": edges(letters)}
        named = {name: icons.count(letter) for letter, name in ICONS.items() if letter in icons}
        card["rescues"] = named
        card["random_rescues"] = icons.count("?")
        card["harvests"] = int(harvests)
        if bottom.isdigit():
            card["capacity"] = int(bottom)
        else:
            card["end_game"] = f"SANCTUARY_END_GAME_{bottom}"
        cards.append(card)
    return cards


def bonus(*goals: str, count: int = 1) -> dict[str, Any]:
    """Return a bonus card with these faces for rounds 1, 2 and 3, or one face for all."""
    faces: list[dict[str, Any]] = []
    for goal in goals if len(goals) == 3 else goals * 3:
        shapes = {"CORNER": (CORNER, 4), "ELL": (ELL, 7)}
        if goal in shapes:
            faces.append({"goal": "SANCTUARY_GOAL_SHAPE", "shape": shapes[goal][0], "points": shapes[goal][1]})
        else:
            faces.append({"goal": f"SANCTUARY_GOAL_{goal}"})
    return {"count": count, "faces": faces}


BONUSES = [
    bonus("YELLOW", "PINK", "MANATEES"),  # 0
    bonus("RED_FLOWERS", count=2),  # 1
    bonus("GREEN_FLOWERS"),  # 2
    bonus("PURPLE_FLOWERS"),  # 3
    bonus("LITTLE_FOOD", count=2),  # 4
    bonus("CORNER", "ELL", "CORNER"),  # 5
    bonus("ELL"),  # 6
    bonus("MANATEES", "YELLOW", "PINK"),  # 7
]


def make_catalogue() -> dict[str, Any]:
    return {
        "id": "test",
        "about": "For tests.",
        "editions": [
            {
                "name": "One",
                "cards": make_cards(FIRST),
                "starting_tile": {"edges": edges("RGPW"), "capacity": 4},
            },
            {
                "name": "Two",
                "cards": make_cards(SECOND),
                "starting_tile": {"edges": edges("GRRP"), "capacity": 2},
            },
        ],
        "bonuses": BONUSES,
        # Ten steps down to ten steps up, -2 points for each step up.
        "solo_track": {"values": [-2 * step for step in range(-10, 11)], "start": 10},
        "challenge_shape": ELL,
    }


CATALOGUE = make_catalogue()
OPTIONS: dict[str, list[Any]] = {
    "allow_small_scramble": [False, True],
    "blind_choice": [False, True],
    "pooled_space": [False, True],
    "play_order": list(PLAY_ORDERS),
    "food_cap": [0, 9],
    "floor_score_at_zero": [False, True],
    "round_bonuses": [False, True],
    "mirror_shapes": [False, True],
}


# Setting scenes.


def new_game(seats: int = 2, variant: str = "base", **rules: Any) -> ReferenceSanctuary:
    """Return a game before its first event."""
    game = ReferenceSanctuary(CATALOGUE, seats, rules, variant)
    game.start()
    return game


def let(game: ReferenceSanctuary, *outcomes: str) -> list[Event]:
    """Let chance have these outcomes and return all events."""
    return [event for outcome in outcomes for event in game.happen(outcome)]


def do(game: ReferenceSanctuary, *moves: str) -> list[Event]:
    """Make these moves, each of the lowest deciding seat, and return all events."""
    return [event for move in moves for event in game.play(game.turn, move)]


def deal(game: ReferenceSanctuary, *hands: list[int]) -> list[Event]:
    return [event for hand in hands for card in hand for event in let(game, f"card {card}")]


def scene(*hands: list[int], variant: str = "base", round_number: int = 1, **rules: Any) -> ReferenceSanctuary:
    """Return a game in which seat 0 plays first and the seats hold these cards, whatever came before."""
    game = new_game(len(hands), variant, **rules)
    for seat, hand in enumerate(hands):
        hold(game, seat, *hand)
    if game.rules["round_bonuses"]:
        game.bonuses = [0, 0, 0]
    game.round = round_number
    game.phase = "PLAY"
    game.current = 0
    return game


def solo(*hand: int, **more: Any) -> ReferenceSanctuary:
    return scene(list(hand), variant="solo", **more)


def hold(game: ReferenceSanctuary, seat: int, *cards: int) -> None:
    """Put cards of the deck into a hand."""
    for card in cards:
        game.deck[card] -= 1
        game.hands[seat].append(card)


def house(game: ReferenceSanctuary, seat: int, gray: int = 0, pink: int = 0, yellow: int = 0) -> None:
    """Move manatees from the seat's bag into its sanctuary."""
    for colour, count in (("GRAY", gray), ("PINK", pink), ("YELLOW", yellow)):
        game.bags[game.bag_of(seat)][colour] -= count
        game.housed[seat][colour] += count


def lay(game: ReferenceSanctuary, seat: int, cell: Cell, card: int, rotation: int = 0) -> None:
    """Put a card of the deck into a sanctuary."""
    printed = game.cards[card]
    game.deck[card] -= 1
    game.sanctuaries[seat].lay(cell, card, printed["edges"], rotation, int(printed.get("capacity", 0)))


def fill_bag(game: ReferenceSanctuary, gray: int = 0, pink: int = 0, yellow: int = 0, bag: int = 0) -> None:
    """Let a bag hold exactly these; the others are out of this test."""
    game.bags[bag] = {"GRAY": gray, "PINK": pink, "YELLOW": yellow}


def counts(gray: int = 0, pink: int = 0, yellow: int = 0) -> dict[str, int]:
    return {"gray": gray, "pink": pink, "yellow": yellow}


def names(events: list[Event]) -> list[str]:
    return [name for event in events for name in event if name != "private_to"]


def find(events: list[Event], name: str) -> list[Any]:
    """Return what the events of a name say."""
    return [event[name] for event in events if name in event]


def seen_by(seat: int, events: list[Event]) -> list[Event]:
    return [event for event in events if event.get("private_to", seat) == seat]


# The decisions, one by one.


@pytest.mark.parametrize(
    ("variant", "fewest", "most", "rules"),
    [
        ("solo", 1, 1, {}),
        ("base", 2, 6, {}),
        ("base", 2, 6, {"allow_small_scramble": True}),
        ("scramble", 7, 12, {}),
        ("scramble", 2, 12, {"allow_small_scramble": True}),
    ],
)
def test_sanctuary_1_variants_by_seats(variant: str, fewest: int, most: int, rules: dict[str, Any]) -> None:
    for seats in range(14):
        if fewest <= seats <= most:
            assert ReferenceSanctuary(CATALOGUE, seats, rules, variant).seats == seats
        else:
            with pytest.raises(ValueError, match="sanctuary-1"):
                ReferenceSanctuary(CATALOGUE, seats, rules, variant)


def test_sanctuary_1_challenges_are_for_solo_and_scramble_needs_two_editions() -> None:
    for seats, variant in ((2, "base"), (7, "scramble")):
        with pytest.raises(ValueError, match="sanctuary-1"):
            new_game(seats, variant, challenge="HARVESTER")
    assert new_game(1, "solo", challenge="HARVESTER").challenge == "HARVESTER"
    one_edition = {**CATALOGUE, "editions": CATALOGUE["editions"][:1]}
    ReferenceSanctuary(one_edition, 6, {}, "base")
    with pytest.raises(ValueError, match="sanctuary-1"):
        ReferenceSanctuary(one_edition, 7, {}, "scramble")


def test_sanctuary_2_one_event_a_card_and_seat_0_first() -> None:
    game = new_game(3)
    table = game.position()["table"]
    assert (table["round"], table["phase"], table["turn"]) == (1, "DRAW_CARD", None)
    assert table["bags"] == [counts(80, 30, 20)]
    for seat in table["seats"]:
        assert (seat["score"], seat["food"], seat["manatees"], seat["sanctuary"]) == (10, 0, counts(), [])
    assert game.chance() == {f"card {kind}": 6 for kind in range(15)}
    assert let(game, "card 4") == [
        {"card_dealt": {"seat": 0}},
        {"private_to": 0, "card_received": {"seat": 0, "card": 4}},
    ]
    chance = game.chance()
    assert chance is not None
    assert chance["card 4"] == 5
    let(game, "card 4", "card 5", "card 6", "card 7")
    assert find(let(game, "card 8"), "card_dealt") == [{"seat": 1}]
    assert game.hands == [[4, 4, 5, 6, 7], [8], []]
    assert [s["hand_size"] for s in game.observe(2)["table"]["seats"]] == [5, 1, 0]
    game.check()


def test_sanctuary_2_six_seats_use_up_the_deck() -> None:
    game = scene(*[[9]] * 6, round_number=2)
    game.deck = [2] * 15  # What is left after two rounds.
    do(game, *["top 9"] * 6)
    assert (game.round, sum(game.deck)) == (3, 30)
    while game.chance() is not None:
        let(game, next(iter(game.chance() or {})))
    assert (game.phase, sum(game.deck)) == ("SPLIT", 0)


def test_sanctuary_3_what_a_catalogue_must_be() -> None:
    broken = make_catalogue()
    broken["editions"][0]["cards"][3]["count"] = 7
    with pytest.raises(ValueError, match="90 cards"):
        ReferenceSanctuary(broken, 2, {}, "base")
    broken = make_catalogue()
    broken["editions"][0]["cards"][1] = {**broken["editions"][0]["cards"][0], "count": 6}
    with pytest.raises(ValueError, match="equal"):
        ReferenceSanctuary(broken, 2, {}, "base")
    broken = make_catalogue()
    broken["editions"][0]["cards"][1]["edges"][2] = "SANCTUARY_EDGE_UNSPECIFIED"
    with pytest.raises(ValueError, match="sanctuary-3"):
        ReferenceSanctuary(broken, 2, {}, "base")
    broken = make_catalogue()
    broken["bonuses"] = []
    ReferenceSanctuary(broken, 2, {}, "base")
    with pytest.raises(ValueError, match="sanctuary-20"):
        ReferenceSanctuary(broken, 2, {"round_bonuses": True}, "base")
    for key, rules in (("solo_track", {}), ("challenge_shape", {"challenge": "ARCHITECT"})):
        broken = make_catalogue()
        del broken[key]
        with pytest.raises(ValueError, match=r"sanctuary-2[13]"):
            ReferenceSanctuary(broken, 1, rules, "solo")


def test_sanctuary_4_splits_are_named_by_the_smaller_stack() -> None:
    game = new_game()
    deal(game, [14, 0, 3, 2, 1], [5, 5, 5, 7, 7])
    assert game.moves(0) == [
        *(f"split {card}" for card in (0, 1, 2, 3, 14)),
        *("split 0,1", "split 0,2", "split 0,3", "split 0,14", "split 1,2", "split 1,3", "split 1,14"),
        *("split 2,3", "split 2,14", "split 3,14"),
    ]
    assert game.moves(1) == ["split 5", "split 7", "split 5,5", "split 5,7", "split 7,7"]  # Equal cards are alike.
    assert game.canonical(0, "split 14,3") == "split 3,14"
    for wrong in ("split", "split 4", "split 3,3", "split 0,1,2", "split 3,", "keep smaller"):
        assert not game.legal(0, wrong)


def test_sanctuary_4_splits_and_choices_are_hidden_until_all_are_in() -> None:
    game = new_game(3)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    assert game.play(2, "split 10") == [{"committed": {"seat": 2}}]  # In any order.
    assert game.pending() == [0, 1]
    assert (game.turn, game.moves(2)) == (0, [])  # Final.
    assert game.observe(0)["table"]["seats"][2]["committed"]
    assert game.observe(2)["seat_knowledge"]["commitment"] == "split 10"
    assert game.observe(0)["seat_knowledge"]["commitment"] is None
    game.play(0, "split 1,3")
    events = game.play(1, "split 5,9")
    assert names(events) == ["committed", "stacks_offered", "stacks_seen", "stacks_seen", "stacks_seen"]
    assert events[1] == {"stacks_offered": {"smaller_stacks": [2, 2, 1]}}
    # Round 1: seat 0's stacks go to seat 1.
    stacks = {"smaller": [1, 3], "larger": [0, 2, 4]}
    assert events[3] == {"private_to": 1, "stacks_seen": {"seat": 1, "stacks": stacks}}
    assert [s["smaller_stack"] for s in game.observe(0)["table"]["seats"]] == [2, 2, 1]
    assert [s["hand_size"] for s in game.observe(0)["table"]["seats"]] == [0, 0, 0]
    assert game.moves(1) == ["keep smaller", "keep larger"]
    game.play(1, "keep larger")
    assert game.observe(0)["table"]["seats"][1]["committed"]
    game.play(0, "keep smaller")
    events = game.play(2, "keep smaller")
    assert events[1] == {"stacks_chosen": {"kept": ["SMALLER", "LARGER", "SMALLER"]}}
    # Seat 0 keeps 10 of seat 2 and gets back 1 and 3; seat 1 keeps 0, 2, 4 of seat 0.
    assert [sorted(hand) for hand in game.hands] == [[1, 3, 10], [0, 2, 4, 6, 7, 8], [5, 9, 11, 12, 13, 14]]
    assert events[2] == {"private_to": 0, "hand_taken": {"seat": 0, "cards": [1, 3, 10]}}
    assert (game.phase, game.turn) == ("PLAY", 0)
    game.check()


def test_sanctuary_4_left_right_left_and_two_to_eight_cards() -> None:
    game = new_game(4)
    assert [game.chooser(seat) for seat in range(4)] == [1, 2, 3, 0]
    assert [game.giver(seat) for seat in range(4)] == [3, 0, 1, 2]
    game.round = 2
    assert [game.chooser(seat) for seat in range(4)] == [3, 0, 1, 2]
    game.round = 3
    assert [game.chooser(seat) for seat in range(4)] == [1, 2, 3, 0]
    game = new_game(2)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9])
    do(game, "split 0", "split 5")
    do(game, "keep larger", "keep smaller")
    assert [sorted(hand) for hand in game.hands] == [[1, 2, 3, 4, 6, 7, 8, 9], [0, 5]]


def test_sanctuary_4_option_blind_choice() -> None:
    game = new_game(3, blind_choice=True)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    events = do(game, "split 0", "split 5,6", "split 10")
    assert names(events) == ["committed"] * 3 + ["stacks_offered"]
    assert game.observe(1)["seat_knowledge"]["offered"] is None
    assert game.observe(1)["seat_knowledge"]["made"] == {"smaller": [5, 6], "larger": [7, 8, 9]}
    events = do(game, "keep smaller", "keep smaller", "keep smaller")
    assert find(seen_by(1, events), "hand_taken") == [{"seat": 1, "cards": [0, 7, 8, 9]}]
    # Seat 1 knows what seat 2 kept, but not what seat 0 got back.
    knowledge = game.observe(1)["seat_knowledge"]
    assert (knowledge["left_hand"], knowledge["right_hand"]) == ([5, 6], [])


def draft_for_three() -> ReferenceSanctuary:
    """Seats keep 0 and 1 (seat 1), 7, 8, 9 (seat 2) and 10 (seat 0)."""
    game = new_game(3)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    do(game, "split 0,1", "split 5,6", "split 10")
    do(game, "keep smaller", "keep smaller", "keep larger")
    return game


def test_sanctuary_5_what_the_draft_shows() -> None:
    game = draft_for_three()
    assert [sorted(hand) for hand in game.hands] == [[2, 3, 4, 10], [0, 1, 5, 6], [7, 8, 9, 11, 12, 13, 14]]
    knowledge = game.observe(0)["seat_knowledge"]
    # Of the left neighbour the stack that it kept, of the right neighbour the one that seat 0 returned.
    assert knowledge == {
        "seat": 0,
        "hand": [2, 3, 4, 10],
        "commitment": None,
        "made": None,
        "offered": None,
        "left_hand": [0, 1],
        "right_hand": [11, 12, 13, 14],
    }
    assert game.observe(1)["seat_knowledge"]["left_hand"] == [7, 8, 9]
    assert game.observe(1)["seat_knowledge"]["right_hand"] == [2, 3, 4]
    assert game.position()["referee"]["seats"][1] == {
        "hand": [0, 1, 5, 6],
        "commitment": None,
        "made": None,
        "left_hand": [7, 8, 9],
        "right_hand": [2, 3, 4],
    }
    # Played cards are no longer known to be held.
    do(game, "top 4", "top 1")
    assert game.observe(0)["seat_knowledge"]["left_hand"] == [0]
    assert game.observe(1)["seat_knowledge"]["right_hand"] == [2, 3]
    game.check()


def test_sanctuary_5_the_stacks_while_choosing() -> None:
    game = new_game(3)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    do(game, "split 0,1", "split 5,6", "split 10")
    knowledge = game.observe(0)["seat_knowledge"]
    assert knowledge["hand"] == []
    assert knowledge["made"] == {"smaller": [0, 1], "larger": [2, 3, 4]}
    assert knowledge["offered"] == {"smaller": [10], "larger": [11, 12, 13, 14]}
    assert knowledge["left_hand"] == knowledge["right_hand"] == []
    assert game.position()["referee"]["seats"][2]["made"] == {"smaller": [10], "larger": [11, 12, 13, 14]}


def test_sanctuary_5_in_round_2_the_sides_change() -> None:
    game = new_game(3)
    game.round = 2
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    do(game, "split 0,1", "split 5,6", "split 10")
    assert game.observe(0)["seat_knowledge"]["offered"] == {"smaller": [5, 6], "larger": [7, 8, 9]}
    do(game, "keep smaller", "keep smaller", "keep larger")
    # Seat 2 has kept 2, 3, 4 of seat 0; seat 0 has returned 7, 8, 9 to seat 1.
    knowledge = game.observe(0)["seat_knowledge"]
    assert (knowledge["left_hand"], knowledge["right_hand"]) == ([7, 8, 9], [2, 3, 4])


def test_sanctuary_5_with_two_seats_both_hands_are_known() -> None:
    for blind in (False, True):
        game = new_game(2, blind_choice=blind)
        deal(game, [0, 0, 1, 2, 3], [0, 5, 6, 7, 8])
        do(game, "split 0,1", "split 0")
        do(game, "keep larger", "keep smaller")
        assert sorted(game.hands[1]) == [0, 0, 1]
        knowledge = game.observe(0)["seat_knowledge"]
        # Blindly only the stack that seat 1 kept.
        assert (knowledge["left_hand"], knowledge["right_hand"]) == ([0, 1] if blind else [0, 0, 1], [])
        do(game, "top 7", "top 0")
        assert game.observe(0)["seat_knowledge"]["left_hand"] == ([1] if blind else [0, 1])


def test_sanctuary_5_a_play_removes_one_known_copy_for_each_who_knows_one() -> None:
    game = new_game(3)
    deal(game, [9, 1, 2, 3, 4], [9, 6, 7, 8, 8], [10, 11, 12, 13, 14])
    do(game, "split 9", "split 9", "split 10")
    do(game, "keep larger", "keep smaller", "keep larger")
    # Seat 1 has a 9 of seat 0, which seat 0 knows, and its own 9 back, which seat 2 knows.
    assert sorted(game.hands[1]) == [9, 9]
    assert (game.observe(0)["seat_knowledge"]["left_hand"], game.observe(2)["seat_knowledge"]["right_hand"]) == (
        [9],
        [9],
    )
    do(game, "top 14", "top 9")
    # Neither knows whether the other one is left.
    assert game.observe(0)["seat_knowledge"]["left_hand"] == game.observe(2)["seat_knowledge"]["right_hand"] == []
    assert game.hands[1] == [9]


def test_sanctuary_6_the_top_is_always_playable() -> None:
    game = scene([9, 7], [9])
    game.sanctuaries[0].edges[HOME] = edges("WWWW")  # No flower can be completed.
    assert game.moves(0) == ["top 7", "top 9"]
    assert do(game, "top 7") == [{"top_played": {"seat": 0, "card": 7, "harvest": 0, "taken": counts()}}]
    assert game.food[0] == 0  # Three harvests without a flower.
    assert game.tops[0] == [7]
    assert game.moves(1)[0] == "top 9"


def test_sanctuary_7_named_colours_are_taken_then_the_rest_is_drawn() -> None:
    game = scene([8, 9], [9])  # A yellow, a pink and one "?".
    events = do(game, "top 8")
    assert events == [{"top_played": {"seat": 0, "card": 8, "harvest": 0, "taken": counts(0, 1, 1)}}]
    table = game.position()["table"]
    assert (table["phase"], table["turn"], table["draws_left"]) == ("DRAW_MANATEE", 0, 1)
    assert table["newcomers"] == counts(0, 1, 1)
    # The yellow one of this card brings nobody yet.
    assert game.chance() == {"manatee gray": 80, "manatee pink": 29, "manatee yellow": 19}
    assert let(game, "manatee gray") == [
        {"manatee_drawn": {"seat": 0, "colour": "GRAY"}},
        {"housed": {"seat": 0, "manatees": counts(1, 1, 1)}},
    ]
    assert (game.turn, game.housed[0]) == (1, {"GRAY": 1, "PINK": 1, "YELLOW": 1})


def test_sanctuary_7_one_more_for_each_yellow_housed_before_on_a_card_that_rescues() -> None:
    game = scene([2, 7, 5, 3], [9])
    lay(game, 0, (1, 0), 1)
    lay(game, 0, (2, 0), 1)
    house(game, 0, yellow=2)
    do(game, "top 2")  # A gray one; two more for the yellow ones.
    assert game.draws_left == 2
    let(game, "manatee yellow", "manatee gray")
    assert game.housed[0] == {"GRAY": 2, "PINK": 0, "YELLOW": 3}
    do(game, "top 9")
    do(game, "top 7")  # Harvests only.
    assert game.phase == "PLAY"
    fill_bag(game, gray=10)
    do(game, "top 5")  # No pink one in the bag: skipped, but the yellow ones call all the same.
    assert (game.newcomers, game.draws_left) == ({"GRAY": 0, "PINK": 0, "YELLOW": 0}, 3)


def test_sanctuary_7_an_empty_bag_ends_the_drawing() -> None:
    game = scene([3], [3, 12])
    fill_bag(game, gray=1)
    do(game, "top 3")
    assert game.chance() == {"manatee gray": 1}  # A certain draw is still an event.
    assert names(let(game, "manatee gray")) == ["manatee_drawn", "housed"]
    assert names(do(game, "top 3")) == ["top_played"]  # Nobody at all.
    assert game.turn == 1
    fill_bag(game, pink=1)
    assert do(game, "top 12")[0]["top_played"]["taken"] == counts(0, 1, 0)


def four_flowers(game: ReferenceSanctuary, seat: int) -> None:
    """Complete four flowers: three red ones to the north, a green one to the east."""
    lay(game, seat, (0, -1), 0)
    lay(game, seat, (0, -2), 0)
    lay(game, seat, (0, -3), 0)
    lay(game, seat, (1, 0), 1)


def test_sanctuary_8_four_flowers_and_two_harvests_give_eight() -> None:
    game = scene([11, 7], [9])  # Two harvests and a "?"; three harvests.
    four_flowers(game, 0)
    assert game.sanctuaries[0].completed() == 4
    events = do(game, "top 11")
    assert events[0]["top_played"]["harvest"] == 8
    assert (game.food[0], game.phase) == (8, "DRAW_MANATEE")  # Before the draw.
    let(game, "manatee gray")
    do(game, "top 9", "top 7")
    assert game.food[0] == 8 + 12 - 1  # Then one is fed.


def test_sanctuary_9_newcomers_that_do_not_fit_go_back() -> None:
    game = scene([12], [9])  # A gray, a pink and a yellow one: four spaces.
    house(game, 0, gray=2)
    do(game, "top 12")
    table = game.position()["table"]
    assert (table["phase"], table["turn"], table["newcomers"]) == ("RETURN", 0, counts(1, 1, 1))
    # Two spaces: for the yellow one, or for the other two. The second set is smaller, the first no worse.
    assert game.moves(0) == ["return 0,0,1", "return 1,1,0"]
    for wrong in ("return 0,0,0", "return 1,0,0", "return 1,1,1", "return 0,1,1", "return 2,1,0", "return 1,1"):
        assert not game.legal(0, wrong)
    assert do(game, "return 1,1,0") == [
        {"returned": {"seat": 0, "manatees": counts(1, 1, 0)}},
        {"housed": {"seat": 0, "manatees": counts(0, 0, 1)}},
    ]
    assert game.score[0] == 10 - 4
    assert game.housed[0] == {"GRAY": 2, "PINK": 0, "YELLOW": 1}
    assert game.bags[0] == {"GRAY": 78, "PINK": 30, "YELLOW": 19}
    assert game.turn == 1


def test_sanctuary_9_established_ones_stay_and_a_single_way_is_asked() -> None:
    game = scene([4], [9])  # A yellow one.
    house(game, 0, gray=3)
    do(game, "top 4")
    assert game.moves(0) == ["return 0,0,1"]  # No gray one may leave in its place.
    assert names(do(game, "return 0,0,1")) == ["returned"]
    assert (game.score[0], game.housed[0]["GRAY"]) == (8, 3)


def arrangement_exists(capacities: list[int], others: int, yellows: int) -> bool:
    """Tell whether the manatees can be housed, by trying every card for every one."""
    if yellows > 0:
        for i, capacity in enumerate(capacities):
            if capacity >= 2:
                rest = [*capacities[:i], capacity - 2, *capacities[i + 1 :]]
                if arrangement_exists(rest, others, yellows - 1):
                    return True
        return False
    return others <= sum(capacities)


def test_sanctuary_10_feasible_is_what_some_arrangement_houses() -> None:
    for capacities in itertools.combinations_with_replacement(range(5), 3):
        sanctuary = Sanctuary(edges("RGPW"), capacities[0])
        sanctuary.lay((0, -1), 0, edges("RRRR"), 0, capacities[1])
        sanctuary.lay((0, -2), 0, edges("RRRR"), 0, capacities[2])
        for gray, pink, yellow in itertools.product(range(5), range(3), range(5)):
            manatees = {"GRAY": gray, "PINK": pink, "YELLOW": yellow}
            expected = arrangement_exists(list(capacities), gray + pink, yellow)
            assert sanctuary.can_house(manatees, pooled_space=False) == expected
            assert sanctuary.can_house(manatees, pooled_space=True) == (gray + pink + 2 * yellow <= sum(capacities))


def test_sanctuary_10_a_yellow_one_needs_two_spaces_on_one_card() -> None:
    for pooled in (False, True):
        game = scene([4], [9], pooled_space=pooled)
        lay(game, 0, (0, -1), 9, 2)  # One space more.
        house(game, 0, yellow=1)
        game.sanctuaries[0].capacities[HOME] = 3
        # 3 + 1 spaces, two of them taken: one is left on each card.
        do(game, "top 4")
        let(game, "manatee gray")  # For the one that was here.
        assert game.phase == "RETURN"
        assert game.moves(0) == (["return 0,0,1", "return 1,0,0"] if pooled else ["return 0,0,1"])


def test_sanctuary_11_four_orientations_each_where_its_host_is() -> None:
    game = scene([3], [9])  # RGPW: the inner edge is red.
    # Only north of the start (red) the inner edge matches; its host is then in the south: half a turn.
    assert [move for move in game.moves(0) if move.startswith("bottom 3")] == ["bottom 3 0,-1 r2"]
    # East of the start its west edge must be green: in r1 (WRGP, host in the east) it is purple, in r2 (PWRG, host in
    # the south) green, but there is no host.
    assert not game.legal(0, "bottom 3 1,0 r2")
    hold(game, 1, 9)
    do(game, "bottom 3 0,-1 r2")
    assert game.sanctuaries[0].edges[(0, -1)] == edges("PWRG")
    placed = game.observe(1)["table"]["seats"][0]["sanctuary"]
    assert placed == [{"card": 3, "cell": {"x": 0, "y": -1}, "rotation": 2}]
    # An earlier card is a host, too: PPPP north of it.
    hold(game, 0, 2)
    do(game, "top 9")
    assert game.moves(0) == ["top 2", "bottom 2 0,-2 r0", "bottom 2 0,1 r0"]


def test_sanctuary_11_any_cell_may_be_the_host_and_equal_edges_are_one_move() -> None:
    game = scene([6, 0], [9])  # RWRW: half a turn changes nothing.
    assert [move for move in game.moves(0) if move.startswith("bottom 6")] == ["bottom 6 0,-1 r0"]
    # The host is in the south (r2); r0 names the same edges and is how the position stores it.
    assert game.canonical(0, "bottom 6 0,-1 r2") == "bottom 6 0,-1 r0"
    assert not game.legal(0, "bottom 6 0,-1 r1")
    one = game.clone()
    one.play(0, "bottom 6 0,-1 r2")
    game.play(0, "bottom 6 0,-1 r0")
    assert one.position() == game.position()
    assert game.position()["table"]["seats"][0]["sanctuary"][0]["rotation"] == 0
    do(game, "top 9")
    # Four equal edges: one move a cell.
    assert [move for move in game.moves(0) if move.startswith("bottom 0")] == ["bottom 0 0,-2 r0"]
    for turns in range(4):
        assert game.legal(0, f"bottom 0 0,-2 r{turns}")


def test_sanctuary_11_a_host_beside_the_inner_edge_is_needed() -> None:
    game = scene([8], [9])  # PRPR: inner edge purple.
    # North of the start red must be in the south: a quarter turn, with inner edges in the east or west: no host.
    # South of it purple in the north: r0, host in the north.
    assert [move for move in game.moves(0) if move.startswith("bottom 8")] == ["bottom 8 0,1 r0"]
    lay(game, 0, (1, 0), 1)
    lay(game, 0, (1, -1), 10, 2)  # GGPP turned half: PPGG.
    # At (0,-1) there is now a host in the east, with purple facing it; the south is red. But its west is green.
    assert not game.legal(0, "bottom 8 0,-1 r1")
    game.sanctuaries[0].edges[(1, -1)] = edges("PPGP")
    assert game.legal(0, "bottom 8 0,-1 r1")
    assert game.canonical(0, "bottom 8 0,-1 r3") == "bottom 8 0,-1 r1"


def test_sanctuary_11_the_inner_edge_may_be_a_wall() -> None:
    game = scene([14], [9])  # WRGP: inner edge a wall.
    lay(game, 0, (0, -1), 0)
    # West of the start the wall faces the wall, in r1 (PWRG), but no flower is completed.
    assert game.moves(0) == ["top 14"]
    lay(game, 0, (-1, -1), 0)
    assert game.moves(0) == ["top 14"]  # At (-1,0) the north is purple, against red.
    game.sanctuaries[0].edges[(-1, -1)] = edges("RRPR")  # As if it were another card.
    assert game.moves(0) == ["top 14", "bottom 14 -1,0 r1"]


def test_sanctuary_12_touching_edges_are_the_same_flower_or_both_walls() -> None:
    sanctuary = Sanctuary(edges("RGPW"), 0)
    sanctuary.lay((0, -1), 0, edges("RRRR"), 0, 0)
    sanctuary.lay((1, 0), 1, edges("GGGG"), 0, 0)
    # At (1,-1): red in the west, green in the south.
    assert sanctuary.would_complete((1, -1), edges("PWGR")) == 2
    assert sanctuary.would_complete((1, -1), edges("RRRR")) is None  # Two colours.
    assert sanctuary.would_complete((1, -1), edges("PWWR")) is None  # A wall against a flower.
    # West of the start: wall against wall completes nothing.
    assert sanctuary.would_complete((-1, 0), edges("RWRR")) == 0
    assert not sanctuary.fits((-1, 0), edges("WRRR"), 1)
    # The card's other flowers face empty water.
    assert sanctuary.fits((0, 1), edges("PRGR"), 0)
    assert not sanctuary.fits((0, -1), edges("RRRR"), 0)  # Not free.
    assert sanctuary.would_complete((5, 5), edges("RRRR")) == 0  # Nothing is touched.


def test_sanctuary_13_each_flower_completed_moves_the_track_and_brings_a_food() -> None:
    game = scene([9, 9], [9])
    lay(game, 0, (0, -1), 0)
    lay(game, 0, (1, 0), 1)
    before = game.sanctuaries[0].completed()
    # RRGG at (1,-1): green in the south, red in the west in no rotation; turned to GRRG, RGGR, ... the last has both.
    assert [move for move in game.moves(0) if " 1,-1 " in move] == ["bottom 9 1,-1 r3"]
    events = do(game, "bottom 9 1,-1 r3")
    assert events[0]["bottom_played"] == {
        "seat": 0,
        "card": 9,
        "cell": {"x": 1, "y": -1},
        "rotation": 3,
        "flowers": 2,
    }
    assert (game.food[0], game.sanctuaries[0].completed()) == (2, before + 2)
    assert game.sanctuaries[0].flowers(RED) == 2
    assert game.sanctuaries[0].flowers(GREEN) == 2
    assert game.sanctuaries[0].flowers(PURPLE) == 0


def test_sanctuary_14_end_game_cards_house_nobody_and_score_once_after_round_3() -> None:
    for round_number in (1, 2, 3):
        game = scene([9], [9], round_number=round_number)
        lay(game, 0, (0, -1), 12, 2)  # Pairs, twice.
        lay(game, 0, (0, -2), 12, 2)
        lay(game, 0, (0, 1), 13, 1)  # Pink.
        lay(game, 0, (1, 0), 14, 2)  # Yellow; that it does not lie well does not matter here.
        game.sanctuaries[0].capacities[HOME] = 9
        assert sum(game.sanctuaries[0].capacities.values()) == 9
        house(game, 0, gray=2, pink=1, yellow=2)
        game.food[0] = 6
        assert game.end_game_points(0) == 2 + 2 + 2 + 6
        game.sanctuaries[0].edges = {HOME: edges("RGPW")}  # No flowers to count.
        events = do(game, "top 9", "top 9")
        scored = find(events, "scored")[0]
        assert scored["end_game"] == (12 if round_number == 3 else 0)
        assert scored["score"] == 10 + scored["manatees"] + scored["end_game"]


def test_sanctuary_15_one_card_a_seat_and_seats_without_cards_are_skipped() -> None:
    game = scene([9, 9], [9], [9, 9, 9])
    order = []
    while game.phase == "PLAY":
        order.append(game.turn)
        do(game, "top 9")
    assert order == [0, 1, 2, 0, 2, 2]
    assert game.round == 2


def test_sanctuary_15_option_seat_by_seat() -> None:
    game = scene([9, 9], [9], [9, 9, 9], play_order="SEAT_BY_SEAT")
    order = []
    while game.phase == "PLAY":
        order.append(game.turn)
        do(game, "top 9")
    assert order == [0, 0, 1, 2, 2, 2]


def test_sanctuary_15_returns_come_before_the_next_seats_card() -> None:
    game = scene([4], [4])  # Both take a yellow one, and the bag has only one.
    house(game, 0, gray=3)
    fill_bag(game, yellow=1)
    do(game, "top 4")
    assert (game.turn, game.phase) == (0, "RETURN")
    do(game, "return 0,0,1")
    assert do(game, "top 4")[0]["top_played"]["taken"] == counts(0, 0, 1)


def feed_scene(food: int, gray: int = 0, pink: int = 0, yellow: int = 0, **rules: Any) -> ReferenceSanctuary:
    """Seat 0 of two has played its card and these manatees to feed; seat 1 plays the last card."""
    game = scene([9], [9], **rules)
    game.sanctuaries[0].capacities[HOME] = 99
    house(game, 0, gray, pink, yellow)
    game.food[0] = food
    do(game, "top 9")
    return game


def test_sanctuary_16_what_they_eat() -> None:
    game = feed_scene(12, gray=4, pink=1, yellow=1)
    assert find(do(game, "top 9"), "fed") == [{"seat": 0, "food": 7}, {"seat": 1, "food": 0}]
    assert game.food[0] == 5  # Carries over.
    assert game.score[0] == 10 + 21  # sanctuary-17
    game = feed_scene(5, gray=2, pink=1, yellow=1)
    assert find(do(game, "top 9"), "fed")[0] == {"seat": 0, "food": 5}
    assert game.food[0] == 0


def test_sanctuary_16_short_of_food_a_minimal_set_goes_back() -> None:
    game = feed_scene(3, gray=2, pink=2, yellow=1)
    events = do(game, "top 9")
    assert names(events) == ["top_played"]
    assert (game.phase, game.turn) == ("FEED", 0)
    # 3 food feed three small ones, or a pink and a small one; two pinks would need 4, but with one pink and no small
    # one a small one could still be fed.
    assert game.moves(0) == ["return 0,2,0", "return 1,1,1", "return 2,1,0"]
    assert do(game, "return 1,1,1")[:2] == [
        {"returned": {"seat": 0, "manatees": counts(1, 1, 1)}},
        {"fed": {"seat": 0, "food": 3}},
    ]
    assert game.housed[0] == {"GRAY": 1, "PINK": 1, "YELLOW": 0}
    assert game.bags[0] == {"GRAY": 79, "PINK": 29, "YELLOW": 20}
    assert game.score[0] == 10 - 6 + 9
    # A single food is left over when a pink one goes and nobody smaller does.
    game = feed_scene(3, pink=2)
    do(game, "top 9")
    assert game.moves(0) == ["return 0,1,0"]
    do(game, "return 0,1,0")
    assert game.food[0] == 1


def test_sanctuary_16_seats_pay_in_order_and_openly() -> None:
    game = scene([9], [9], [9])
    for seat in range(3):
        house(game, seat, gray=3)
    game.food = [3, 1, 3]
    events = do(game, "top 9", "top 9", "top 9")
    assert find(events, "fed") == [{"seat": 0, "food": 3}]
    assert (game.phase, game.turn) == ("FEED", 1)
    assert [s["food"] for s in game.observe(2)["table"]["seats"]] == [0, 1, 3]
    assert game.pending() == [1]
    events = do(game, "return 2,0,0")
    assert find(events, "fed") == [{"seat": 1, "food": 1}, {"seat": 2, "food": 3}]
    assert names(events)[-4:] == ["scored", "scored", "scored", "round_begun"]
    assert (game.round, game.phase) == (2, "DRAW_CARD")


def test_sanctuary_16_option_food_cap() -> None:
    game = scene([11, 0], [9], food_cap=9)
    four_flowers(game, 0)
    game.food[0] = 5
    assert do(game, "top 11")[0]["top_played"]["harvest"] == 8
    assert game.food[0] == 9
    let(game, "manatee gray")
    do(game, "top 9")
    do(game, "bottom 0 0,-4 r0")
    assert game.food[0] == 9 - 1  # No gain; then one is fed.


@pytest.mark.parametrize(("round_number", "points"), [(1, 21), (2, 14), (3, 7)])
def test_sanctuary_17_what_they_score(round_number: int, points: int) -> None:
    game = feed_scene(12, gray=4, pink=1, yellow=1, round_number=round_number)
    scored = find(do(game, "top 9"), "scored")[0]
    assert (scored["manatees"], scored["score"]) == (points, 10 + points)


def test_sanctuary_18_the_score_may_fall_below_0() -> None:
    for floor in (False, True):
        game = feed_scene(0, gray=7, floor_score_at_zero=floor)
        do(game, "top 9", "return 7,0,0")
        assert game.score[0] == (0 if floor else -4)


def test_sanctuary_18_option_floor_holds_after_every_change() -> None:
    for floor in (False, True):
        game = solo(9, round_number=3, floor_score_at_zero=floor)
        lay(game, 0, (0, -1), 12, 2)  # Pairs.
        house(game, 0, gray=2)
        game.food[0] = 2
        game.score[0] = 1
        game.token = 5  # -10 points, before the end-game card's 1.
        scored = find(do(game, "top 9"), "scored")[0]
        assert (scored["manatees"], scored["track"], scored["end_game"]) == (2, -10, 1)
        assert scored["score"] == (1 if floor else -6)


def test_sanctuary_19_ties_go_to_manatees_then_to_least_food() -> None:
    game = scene([9], [9], [9])
    assert game.ranks() == [1, 1, 1]
    game.food = [2, 1, 1]
    assert game.ranks() == [3, 1, 1]
    house(game, 0, gray=1)
    assert game.ranks() == [1, 2, 2]
    game.score[2] = 11
    assert game.ranks() == [2, 3, 1]
    house(game, 1, yellow=1)
    assert game.ranks() == [3, 2, 1]


def test_sanctuary_20_three_bonus_cards_are_drawn_before_the_deal() -> None:
    game = new_game(2, round_bonuses=True)
    assert game.chance() == {f"bonus {kind}": 2 if kind in (1, 4) else 1 for kind in range(8)}
    assert let(game, "bonus 1") == [{"bonus_drawn": {"bonus": 1, "round": 1}}]
    chance = game.chance()
    assert chance is not None
    assert chance["bonus 1"] == 1
    assert find(let(game, "bonus 1", "bonus 5"), "bonus_drawn")[-1] == {"bonus": 5, "round": 3}
    assert game.observe(0)["table"]["bonuses"] == [1, 1, 5]
    assert game.phase == "DRAW_CARD"
    assert new_game(2).phase == "DRAW_CARD"


def bonus_of(game: ReferenceSanctuary, kind: int, round_number: int) -> int:
    game.round = round_number
    game.bonuses = [kind] * 3
    return game.bonus_points(0)


def test_sanctuary_20_objectives() -> None:
    game = scene([9], [9], round_bonuses=True)
    house(game, 0, gray=4, pink=3, yellow=2)
    # The face of the round: yellow, pink, all manatees.
    assert [bonus_of(game, 0, r) for r in (1, 2, 3)] == [6, 6, 9]
    assert [bonus_of(game, 7, r) for r in (1, 2, 3)] == [9, 6, 6]
    four_flowers(game, 0)
    lay(game, 0, (0, 1), 2)
    assert [bonus_of(game, kind, 1) for kind in (1, 2, 3)] == [9, 3, 3]
    game.food[0] = 3
    assert [bonus_of(game, 4, r) for r in (1, 2, 3)] == [5, 10, 15]
    game.food[0] = 4
    assert [bonus_of(game, 4, r) for r in (1, 2, 3)] == [0, 0, 0]


def test_sanctuary_20_shapes_may_be_turned_but_not_mirrored() -> None:
    for mirror in (False, True):
        game = scene([9], [9], round_bonuses=True, mirror_shapes=mirror)
        assert bonus_of(game, 5, 1) == 0
        lay(game, 0, (0, -1), 0)
        lay(game, 0, (1, 0), 1)
        assert bonus_of(game, 5, 1) == 4  # The corner, once, turned; the starting tile is a part of it.
        lay(game, 0, (0, -2), 0)
        # Two up and one to the right at the foot is the shape as drawn.
        assert bonus_of(game, 6, 1) == 7
        game = scene([9], [9], round_bonuses=True, mirror_shapes=mirror)
        for cell, card in (((0, -1), 0), ((0, 1), 2)):
            lay(game, 0, cell, card)
        lay(game, 0, (1, -1), 0)
        assert bonus_of(game, 6, 1) == (7 if mirror else 0)  # Its foot is at the wrong side.


def test_sanctuary_20_shapes_in_each_rotation_and_mirror_image() -> None:
    turned_shapes = [
        [(0, 0), (0, 1), (0, 2), (1, 2)],
        [(0, 0), (-1, 0), (-2, 0), (-2, 1)],
        [(0, 0), (0, -1), (0, -2), (-1, -2)],
        [(0, 0), (1, 0), (2, 0), (2, -1)],
    ]
    for cells in turned_shapes:
        for mirrored in (False, True):
            sanctuary = Sanctuary(edges("WWWW"), 0)
            for x, y in cells[1:]:
                sanctuary.lay((-x if mirrored else x, y), 0, edges("WWWW"), 0, 0)
            assert sanctuary.contains(ELL, mirror_shapes=True)
            assert sanctuary.contains(ELL, mirror_shapes=False) == (not mirrored)
            sanctuary.edges[(5, 5)] = edges("WWWW")  # A bigger sanctuary still contains it.
            assert sanctuary.contains(ELL, mirror_shapes=False) == (not mirrored)
            del sanctuary.edges[HOME]
            assert not sanctuary.contains(ELL, mirror_shapes=True)


def test_sanctuary_20_bonuses_are_judged_after_feeding() -> None:
    game = scene([9], [9], round_bonuses=True)
    game.bonuses = [4, 4, 4]
    house(game, 0, gray=4)
    game.food = [7, 4]
    events = do(game, "top 9", "top 9")
    # 7 - 4 is at most 3; seat 1 has 4 left.
    assert [scored["bonus"] for scored in find(events, "scored")] == [5, 0]
    assert game.score == [10 + 12 + 5, 10]


def test_sanctuary_21_two_cards_one_kept_five_times() -> None:
    game = new_game(1, "solo")
    assert let(game, "card 6") == [{"card_drawn": {"card": 6}}]
    assert (game.phase, game.position()["table"]["drawn"]) == ("DRAW_CARD", [6])
    let(game, "card 0")
    assert game.moves(0) == ["pick 0", "pick 6"]
    # Three dots kept over one: two steps up, to -4.
    assert do(game, "pick 6") == [{"picked": {"card": 6, "discarded": 0, "token": 2}}]
    assert game.track_points() == -4
    let(game, "card 0", "card 3")
    do(game, "pick 0")  # A weaker one: a step down.
    assert game.token == 1
    let(game, "card 4", "card 5")
    do(game, "pick 4")
    assert game.token == 1  # Equally strong.
    let(game, "card 9", "card 9")
    assert game.moves(0) == ["pick 9"]
    do(game, "pick 9")
    let(game, "card 1", "card 2")
    do(game, "pick 1")
    assert (game.phase, game.turn) == ("PLAY", 0)
    assert sorted(game.hands[0]) == [0, 1, 4, 6, 9]
    assert game.observe(0)["table"]["discards"] == [0, 2, 3, 5, 9]
    game.check()


def test_sanctuary_21_the_token_stops_at_the_ends_and_is_reset() -> None:
    game = new_game(1, "solo")
    game.token = 9
    let(game, "card 6", "card 0")
    do(game, "pick 6")
    assert (game.token, game.track_points()) == (10, -20)
    game.token = -9
    let(game, "card 6", "card 0")
    do(game, "pick 0")
    assert (game.token, game.track_points()) == (-10, 20)
    game = solo(9)
    game.token = -3
    events = do(game, "top 9")
    assert find(events, "scored") == [
        {"seat": 0, "manatees": 0, "bonus": 0, "track": 6, "end_game": 0, "score": 16},
    ]
    assert (game.token, game.round) == (0, 2)


@pytest.mark.parametrize(
    ("score", "tier"),
    [(-5, 0), (49, 0), (50, 1), (59, 1), (60, 2), (70, 3), (80, 4), (90, 5), (100, 6), (109, 6), (110, 7), (200, 7)],
)
def test_sanctuary_22_tiers(score: int, tier: int) -> None:
    for bonuses in (False, True):
        game = solo(9, round_number=3, round_bonuses=bonuses)
        game.bonuses = [2, 2, 2]  # Worth nothing here.
        game.score[0] = score + (25 if bonuses else 0)
        assert find(do(game, "top 9"), "ended") == [{"reason": "ROUNDS", "tier": tier, "challenge_won": None}]
        assert (game.turn, game.ranks()) == (OVER, [1])


def test_sanctuary_23_challenges_exclude_round_bonuses() -> None:
    for challenge in CHALLENGES[1:]:
        with pytest.raises(ValueError, match="sanctuary-23"):
            new_game(1, "solo", challenge=challenge, round_bonuses=True)
    new_game(1, "solo", challenge="NONE", round_bonuses=True)


def last_card(challenge: str, score: int = 71, **rules: Any) -> ReferenceSanctuary:
    """Return a solo game with one harmless card left to play."""
    game = solo(9, round_number=3, challenge=challenge, **rules)
    game.score[0] = score
    return game


def won(game: ReferenceSanctuary) -> bool:
    ended = find(do(game, "top 9"), "ended")[0]
    assert ended["challenge_won"] in (True, False)
    return bool(ended["challenge_won"])


@pytest.mark.parametrize("challenge", ["TIGHT_FIT", "POWER_CAP", "WEAK_CUT", "SHORTAGE"])
def test_sanctuary_23_at_least_71_points(challenge: str) -> None:
    assert won(last_card(challenge, 71))
    assert not won(last_card(challenge, 70))


def test_sanctuary_23_harvester() -> None:
    for food, expected in ((40, True), (39, False)):
        game = last_card("HARVESTER")
        game.food[0] = food + 1
        house(game, 0, gray=1)  # Fed first.
        assert won(game) == expected
    game = last_card("HARVESTER", 70)
    game.food[0] = 40
    assert not won(game)


def test_sanctuary_23_tight_fit() -> None:
    for challenge, spaces in (("TIGHT_FIT", [0, 2, 0]), ("NONE", [1, 3, 0])):
        game = solo(9, 0, 12, 9, challenge=challenge)
        do(game, "bottom 9 0,-1 r2", "bottom 0 -1,-1 r0", "bottom 12 -1,-2 r0")
        # The starting tile keeps its four spaces; an end-game card has none to lose.
        assert list(game.sanctuaries[0].capacities.values()) == [4, *spaces]


def test_sanctuary_23_colour_coordinated_and_shortage() -> None:
    for length in (6, 7):
        for challenge, expected in (("COLOUR_COORDINATED", length == 7), ("SHORTAGE", length == 6)):
            game = last_card(challenge)
            for y in range(1, length):
                lay(game, 0, (0, -y), 0 if y < 6 else 6)
            if length == 7:
                lay(game, 0, (0, -7), 6)
            else:
                lay(game, 0, (0, -6), 6)
            assert game.sanctuaries[0].flowers(RED) == length
            assert won(game) == expected
    game = last_card("COLOUR_COORDINATED")
    four_flowers(game, 0)
    for y in (1, 2, 3):
        lay(game, 0, (0, y), 2)
    assert game.sanctuaries[0].completed() == 7
    assert not won(game)  # Of three colours.


def picked(game: ReferenceSanctuary, *cards: int) -> list[Event]:
    """Draft these cards, each from a pair of equal ones."""
    return [event for card in cards for event in let(game, *[f"card {card}"] * 2) + do(game, f"pick {card}")]


def test_sanctuary_23_power_cap() -> None:
    game = new_game(1, "solo", challenge="POWER_CAP")
    picked(game, 6, 7, 0, 6, 3)
    assert game.phase == "DISCARD"
    assert game.moves(0) == ["discard 6", "discard 7", "decline"]  # Of equals the player picks.
    assert do(game, "decline") == [{"declined": {}}]
    assert (game.phase, game.strongest_discarded) == ("PLAY", False)
    # Once it is done it is not asked again.
    game = new_game(1, "solo", challenge="POWER_CAP")
    picked(game, 6, 7, 0, 6, 3)
    assert do(game, "discard 6") == [{"discarded": {"card": 6}}]
    assert sorted(game.hands[0]) == [0, 3, 6, 7]
    assert game.discards.count(6) == 3
    game.check()
    table = game.position()["table"]
    assert (table["phase"], table["strongest_discarded"]) == ("PLAY", True)
    game.hands[0] = []
    game.round = 2
    game.phase = "DRAW_CARD"
    picked(game, 0, 1, 2, 3, 4)
    assert game.phase == "PLAY"
    # Forced in round 3.
    game = new_game(1, "solo", challenge="POWER_CAP")
    game.round = 3
    picked(game, 0, 1, 2, 3, 3)
    assert game.moves(0) == ["discard 3"]


def test_sanctuary_23_weak_cut() -> None:
    game = new_game(1, "solo", challenge="WEAK_CUT")
    for round_number in (1, 2, 3):
        game.round = round_number
        game.hands[0] = []
        game.phase = "DRAW_CARD"
        if round_number == 1:
            picked(game, 6, 0, 1, 3, 4)
            assert game.moves(0) == ["discard 0", "discard 1"]
        else:
            picked(game, 6, 10, 13, 14, 12)
            assert game.moves(0) == ["discard 10", "discard 12", "discard 13"]
            game.deck = [6] * 15
        do(game, game.moves(0)[0])
        assert (game.phase, len(game.hands[0]), game.strongest_discarded) == ("PLAY", 4, False)


def test_sanctuary_23_architect() -> None:
    for mirror in (False, True):
        game = last_card("ARCHITECT", mirror_shapes=mirror)
        lay(game, 0, (0, -1), 0)
        lay(game, 0, (0, 1), 2)
        lay(game, 0, (1, -1), 0)
        assert won(game) == mirror
    game = last_card("ARCHITECT")
    lay(game, 0, (0, -1), 0)
    lay(game, 0, (0, -2), 0)
    lay(game, 0, (1, 0), 1)
    assert won(game)


def test_sanctuary_23_saviour_needs_24() -> None:
    for gray, expected in ((20, True), (19, False)):
        game = last_card("SAVIOUR")
        game.sanctuaries[0].capacities[HOME] = 99
        house(game, 0, gray=gray, pink=1, yellow=3)
        game.food[0] = 99
        assert won(game) == expected
        assert not game.sent_back


def test_sanctuary_23_saviour_loses_with_the_first_return() -> None:
    game = solo(12, 6, round_number=3, challenge="SAVIOUR")
    house(game, 0, gray=2)
    game.score[0] = 90
    game.token = -3
    do(game, "top 12")
    assert not game.over  # The return is asked and made, the other newcomers are housed.
    assert do(game, "return 1,1,0") == [
        {"returned": {"seat": 0, "manatees": counts(1, 1, 0)}},
        {"housed": {"seat": 0, "manatees": counts(0, 0, 1)}},
        {"ended": {"reason": "SENT_BACK", "tier": None, "challenge_won": False}},
    ]
    table = game.position()["table"]
    assert (table["phase"], table["sent_back"], table["token"]) == ("OVER", True, -3)
    assert game.scores() == [86]  # Unscored.
    assert game.hands[0] == [6]
    # For want of food, too.
    game = last_card("SAVIOUR", 90)
    house(game, 0, gray=4)
    do(game, "top 9")
    assert names(do(game, "return 4,0,0")) == ["returned", "fed", "ended"]
    assert (game.scores(), game.challenge_won()) == ([82], False)


def test_sanctuary_24_both_decks_and_two_bags() -> None:
    game = new_game(7, "scramble")
    assert len(game.cards) == 24
    chance = game.chance()
    assert chance is not None
    assert (chance["card 0"], chance["card 15"], sum(chance.values())) == (6, 10, 180)
    assert [game.bag_of(seat) for seat in range(7)] == [0, 0, 0, 0, 1, 1, 1]
    assert [game.bag_of(seat) for seat in range(12)] != []
    # Starting tiles follow the bag.
    assert game.sanctuaries[3].edges[HOME] == edges("RGPW")
    assert game.sanctuaries[4].edges[HOME] == edges("GRRP")
    assert (game.sanctuaries[3].capacities[HOME], game.sanctuaries[4].capacities[HOME]) == (4, 2)
    assert game.position()["table"]["bags"] == [counts(80, 30, 20)] * 2
    small = new_game(3, "scramble", allow_small_scramble=True)
    assert [small.bag_of(seat) for seat in range(3)] == [0, 0, 1]
    assert new_game(6).bag_of(5) == 0


def test_sanctuary_24_draws_from_the_own_bag_then_from_the_other() -> None:
    rules: dict[str, Any] = {"variant": "scramble", "allow_small_scramble": True}
    game = scene([3], [3], **rules)
    fill_bag(game, pink=1, bag=1)
    do(game, "top 3")
    let(game, "manatee yellow", "manatee gray")
    assert game.bags[0] == {"GRAY": 79, "PINK": 30, "YELLOW": 19}
    do(game, "top 3")
    assert game.chance() == {"manatee pink": 1}  # Seat 1's own bag.
    let(game, "manatee pink")
    assert game.chance() == {"manatee gray": 79, "manatee pink": 30, "manatee yellow": 19}  # The other one.
    let(game, "manatee yellow")
    # Three spaces, and the second starting tile has two. What goes back comes to the own bag.
    assert game.moves(1) == ["return 0,0,1", "return 0,1,0"]
    do(game, "return 0,0,1")
    assert game.bags[1] == {"GRAY": 0, "PINK": 0, "YELLOW": 1}


def test_sanctuary_24_an_absent_colour_is_skipped_unless_the_bag_is_empty() -> None:
    rules: dict[str, Any] = {"variant": "scramble", "allow_small_scramble": True}
    game = scene([12], [9], **rules)  # A gray, a pink and a yellow one, in this order.
    fill_bag(game, gray=2, yellow=1, bag=0)
    taken = do(game, "top 12")[0]["top_played"]["taken"]
    assert taken == counts(1, 0, 1)  # The other bag's pink ones are out of reach.
    assert game.bags[1]["PINK"] == 30
    game = scene([12], [9], **rules)
    fill_bag(game, gray=1, bag=0)  # Empty after the gray one.
    assert do(game, "top 12")[0]["top_played"]["taken"] == counts(1, 1, 1)
    assert game.bags[1] == {"GRAY": 80, "PINK": 29, "YELLOW": 19}
    game = scene([12], [3], **rules)
    fill_bag(game, bag=0)
    fill_bag(game, gray=1, bag=1)
    assert do(game, "top 12")[0]["top_played"]["taken"] == counts(1, 0, 0)
    assert names(do(game, "top 3")) == ["top_played"]  # Both are empty: no draw.
    assert game.phase == "FEED"


def test_figures_of_the_rulebook() -> None:
    # One of each example, in the rulebook's words: two flowers by the first card, a draw, a bonus draw and two harvests
    # of four flowers by the second; twelve food in the end.
    game = scene([9, 11], [9])
    lay(game, 0, (0, -1), 0)
    lay(game, 0, (1, 0), 1)
    house(game, 0, gray=2, pink=1, yellow=1)
    game.sanctuaries[0].capacities[HOME] = 9
    game.food[0] = 2
    assert game._meals(game.housed[0]) == 5
    assert do(game, "bottom 9 1,-1 r3")[0]["bottom_played"]["flowers"] == 2
    do(game, "top 9")
    assert do(game, "top 11")[0]["top_played"]["harvest"] == 8
    assert game.draws_left == 2  # The "?" and one for the yellow.
    assert game.food[0] == 12
    let(game, "manatee gray")
    events = let(game, "manatee gray")
    assert find(events, "fed")[0] == {"seat": 0, "food": 7}
    assert game.food[0] == 5
    assert find(events, "scored")[0]["manatees"] == 21


# What is common to all games.


def test_a_clone_is_played_on_alone() -> None:
    game = draft_for_three()
    before = copy.deepcopy(game.position())
    other = game.clone()
    do(other, "top 4", "top 6")
    assert game.position() == before
    assert other.position() != before


def test_wrong_moves_and_outcomes_are_refused() -> None:
    game = scene([3, 9], [9])
    for notation in (
        *("top 4", "top 03", "top", "bottom 3 0,-1 r4", "bottom 3 0,-1", "bottom 3 0,0 r0", "bottom 999 0,-1 r0", ""),
        *("return 0,0,0", "split 3", "keep smaller", "pick 3", "discard 3", "decline"),
    ):
        assert not game.legal(0, notation)
        with pytest.raises(ValueError, match="may not play"):
            game.play(0, notation)
    assert not game.legal(1, "top 9")
    assert game.moves(CHANCE) == game.moves(2) == []
    with pytest.raises(ValueError, match="cannot happen"):
        game.happen("card 0")
    with pytest.raises(ValueError, match="unknown rule option"):
        new_game(2, "base", both_halves=True)
    for wrong in ({"play_order": "ANY"}, {"challenge": "PEACE"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            new_game(1, "solo", **wrong)
    with pytest.raises(ValueError, match="variant"):
        new_game(2, "duel")


def test_check_finds_what_does_not_fit() -> None:
    game = draft_for_three()
    game.check()
    for breaking in (
        lambda g: g.deck.__setitem__(3, 0),
        lambda g: g.hands[0].remove(4),
        lambda g: g.bags[0].__setitem__("PINK", 31),
        lambda g: g.housed[0].__setitem__("GRAY", 1),
        lambda g: house(g, 0, gray=5),
        lambda g: lay(g, 0, (0, -1), 1),
        lambda g: g.known[0][1].append(14),
        lambda g: g.food.__setitem__(0, -1),
        lambda g: setattr(g, "token", 1),
        lambda g: setattr(g, "draws_left", 1),
    ):
        other = game.clone()
        breaking(other)
        with pytest.raises(ValueError, match=r"."):
            other.check()


def fields(message: str) -> set[str]:
    """Return the names of a message's fields, as its .proto file has them."""
    text = PROTO.read_text()
    if f"message {message} {{}}" in text:
        return set()
    found = re.search(rf"^message {message} {{(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return set(re.findall(r"^ +(?:optional |repeated )?[\w.]+ (\w+) = \d+;", found[1], re.MULTILINE))


def typed(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with its enum values as protobuf JSON writes them."""
    prefixes = {"phase": "PHASE", "play_order": "PLAY_ORDER", "challenge": "CHALLENGE"}
    return {
        key: f"SANCTUARY_{prefixes[key]}_{value}" if key in prefixes else value
        for key, value in entry.items()
        if value is not None
    }


def parse(entry: dict[str, Any], message: Message) -> None:
    json_format.ParseDict(entry, message)


def test_dictionaries_mirror_the_messages() -> None:
    parse(CATALOGUE, sanctuary_pb2.SanctuaryCatalogue())
    parse(typed(DEFAULT_RULES), sanctuary_pb2.SanctuaryRules())
    assert set(DEFAULT_RULES) == fields("SanctuaryRules")
    assert set(CATALOGUE) == fields("SanctuaryCatalogue")
    assert set(CATALOGUE["editions"][0]) == fields("SanctuaryEdition")
    game = draft_for_three()
    do(game, "bottom 2 0,1 r0")
    table = game.position()["table"]
    parse(typed(table), sanctuary_pb2.SanctuaryTable())
    assert set(table) == fields("SanctuaryTable")
    assert set(table["seats"][0]) == fields("SanctuarySeat")
    assert set(table["seats"][0]["sanctuary"][0]) == fields("SanctuaryPlacedCard")
    assert set(table["newcomers"]) == fields("SanctuaryManatees")
    assert set(game.position()["referee"]["seats"][0]) == fields("SanctuarySecrets")
    assert set(game.observe(1)["seat_knowledge"]) == fields("SanctuarySeatKnowledge")


def message_of(event: str) -> str:
    return "Sanctuary" + event.title().replace("_", "")


class Witness:
    """What one seat makes of what it may be told: public events, its private ones, its own moves."""

    def __init__(self, seat: int, seats: int) -> None:
        self.seat = seat
        self.seats = seats
        self.round = 1
        self.hand: list[int] = []
        self.commitment: str | None = None
        self.made: dict[str, list[int]] | None = None
        self.offered: dict[str, list[int]] | None = None
        # By how many seats to the left.
        self.known: dict[int, list[int]] = {}

    def decide(self, move: str) -> None:
        if move.startswith(("split", "keep")):
            self.commitment = move

    def hear(self, event: Event) -> None:
        name = next(key for key in event if key != "private_to")
        said = event[name]
        if name == "card_received":
            self.hand.append(said["card"])
        elif name == "stacks_offered":
            assert self.commitment is not None
            smaller = [int(card) for card in self.commitment.removeprefix("split ").split(",")]
            larger = list(self.hand)
            for card in smaller:
                larger.remove(card)
            self.made = {"smaller": smaller, "larger": sorted(larger)}
            self.hand = []
            self.commitment = None
        elif name == "stacks_seen":
            self.offered = said["stacks"]
        elif name == "stacks_chosen":
            assert self.made is not None
            to = -1 if self.round == 2 else 1
            kept = said["kept"]
            self._learn(to, self.made[kept[(self.seat + to) % self.seats].lower()])
            if self.offered is not None:
                self._learn(-to, self.offered["larger" if kept[self.seat] == "SMALLER" else "smaller"])
            self.made = self.offered = self.commitment = None
        elif name == "hand_taken":
            self.hand = list(said["cards"])
        elif name == "picked":
            self.hand.append(said["card"])
        elif name == "discarded" or (name in ("top_played", "bottom_played") and said["seat"] == self.seat):
            self.hand.remove(said["card"])
        elif name in ("top_played", "bottom_played"):
            known = self.known.get((said["seat"] - self.seat) % self.seats, [])
            if said["card"] in known:
                known.remove(said["card"])
        elif name == "round_begun":
            self.round = said["round"]

    def _learn(self, to: int, cards: list[int]) -> None:
        self.known.setdefault(to % self.seats, []).extend(cards)

    def knowledge(self) -> dict[str, Any]:
        assert set(self.known) <= {1, self.seats - 1}
        return {
            "seat": self.seat,
            "hand": sorted(self.hand),
            "commitment": self.commitment,
            "made": self.made,
            "offered": self.offered,
            "left_hand": sorted(self.known.get(1, [])),
            "right_hand": sorted(self.known.get(self.seats - 1, [])) if self.seats > 2 else [],
        }


def another_world(game: ReferenceSanctuary, seat: int, rng: random.Random) -> ReferenceSanctuary:
    """Return the game with all that a seat cannot know drawn anew: others' cards, the deck, others' choices."""
    other = game.clone()
    pool = [kind for kind, count in enumerate(game.deck) for _ in range(count)]
    hidden: list[list[int]] = []  # The lists to be filled again.
    sizes: list[int] = []

    def hide(cards: list[int], seen: list[int]) -> None:
        for card in seen:
            cards.remove(card)
        pool.extend(cards)
        sizes.append(len(cards))
        hidden.append(cards)

    for them in range(game.seats):
        if them == seat:
            continue
        hide(other.hands[them], other.known[seat][them])
        stacks = other.stacks[them]
        if stacks is not None and (game.rules["blind_choice"] or them != game.giver(seat)):
            hide(stacks[0], [])
            hide(stacks[1], [])
        # What they know about others is theirs to know.
        other.known[them] = [[] for _ in range(game.seats)]
    rng.shuffle(pool)
    for cards, size in zip(hidden, sizes, strict=True):
        cards[:] = [pool.pop() for _ in range(size)]
    for them in range(game.seats):
        if them != seat:
            other.hands[them].extend(other.known[seat][them])
    other.deck = [pool.count(kind) for kind in range(len(game.cards))]
    for them in range(game.seats):
        if them != seat and other.commitments[them] is not None:
            other.commitments[them] = None
            other.commitments[them] = rng.choice(other.moves(them))
    return other


class Tally:
    """What has been seen in random games."""

    def __init__(self) -> None:
        self.events: set[str] = set()
        self.moves: set[str] = set()
        self.worlds = 0


def play_out(game: ReferenceSanctuary, rng: random.Random, tally: Tally) -> None:
    """Play a random game to its end, looking at it after every step."""
    game.start()
    witnesses = [Witness(seat, game.seats) for seat in range(game.seats)]
    observer = rng.randrange(game.seats)
    steps = 0
    while not game.over:
        chance = game.chance()
        if chance is not None:
            assert game.turn == CHANCE
            assert all(weight > 0 for weight in chance.values())
            assert all(game.moves(seat) == [] for seat in range(game.seats))
            events = game.happen(rng.choices(list(chance), list(chance.values()))[0])
        else:
            seat = rng.choice(game.pending())
            moves = game.moves(seat)
            assert moves
            assert len(set(moves)) == len(moves)
            assert all(game.moves(other) == [] for other in range(game.seats) if other not in game.pending())
            if game.phase == "PLAY" and rng.random() < 0.7:
                moves = [move for move in moves if move.startswith("bottom")] or moves
            if rng.random() < 0.02:
                # One representative for each resulting position.
                after = [game.clone() for _ in moves]
                for copied, move in zip(after, moves, strict=True):
                    copied.play(seat, move)
                assert len({repr(copied.position()) for copied in after}) == len(moves)
            move = rng.choice(moves)
            tally.moves.add(f"{game.phase} {move.split()[0]}")
            witnesses[seat].decide(move)
            events = game.play(seat, move)
        game.check()
        for event in events:
            name = next(key for key in event if key != "private_to")
            if name not in tally.events:
                assert set(event[name]) == fields(message_of(name))
            assert ("private_to" in event) == (name in ("card_received", "stacks_seen", "hand_taken"))
            assert event.get("private_to", 0) in range(game.seats)
            tally.events.add(name)
            if name == "ended":
                tally.events.add(event[name]["reason"])
            for witness in witnesses:
                if event.get("private_to", witness.seat) == witness.seat:
                    witness.hear(event)
        # Each in turn, and all of them in the draft.
        told = [witnesses[steps % game.seats]]
        if "committed" in names(events):
            told = witnesses
        for witness in told:
            assert game.observe(witness.seat)["seat_knowledge"] == witness.knowledge()
        if rng.random() < (0.4 if game.phase in ("SPLIT", "CHOOSE") else 0.1):
            other = another_world(game, observer, rng)
            other.check()
            assert other.observe(observer) == game.observe(observer)
            assert other.moves(observer) == game.moves(observer)
            assert (other.pending(), other.scores(), other.ranks()) == (game.pending(), game.scores(), game.ranks())
            tally.worlds += other.position() != game.position()
        steps += 1
        assert steps < 3000
    assert all(game.moves(seat) == [] for seat in range(game.seats))
    assert game.pending() == []
    assert 1 in game.ranks()
    if not game.sent_back:
        assert all(hand == [] for hand in game.hands)
        assert game.round == 3
        cards = [len(game.tops[seat]) + len(game.sanctuaries[seat].cards) for seat in range(game.seats)]
        if game.solo:
            assert sum(cards) + len(game.discards) == 30
        else:
            assert sum(cards) == 15 * game.seats
            assert all(6 <= count <= 24 for count in cards)


def random_options(rng: random.Random) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in OPTIONS.items()}


def test_random_games_of_all_seats_variants_and_options() -> None:
    tally = Tally()
    rng = random.Random(1)
    values: set[tuple[str, Any]] = set()
    plan = [("base", seats) for seats in (2, 2, 3, 4, 5, 6)]
    plan += [("scramble", seats) for seats in (2, 3, 7, 8, 9, 10, 11, 12)]
    for variant, seats in plan:
        rules = random_options(rng)
        if variant == "scramble" and seats < 7:
            rules["allow_small_scramble"] = True
        values.update(rules.items())
        play_out(ReferenceSanctuary(CATALOGUE, seats, rules, variant), rng, tally)
    for challenge in (*CHALLENGES, *CHALLENGES, "POWER_CAP", "SAVIOUR", "SAVIOUR"):
        rules = {**random_options(rng), "challenge": challenge}
        if challenge != "NONE":
            rules["round_bonuses"] = False
        values.update(rules.items())
        play_out(ReferenceSanctuary(CATALOGUE, 1, rules, "solo"), rng, tally)
    everything = {(name, value) for name, choices in OPTIONS.items() for value in choices}
    assert values == everything | {("challenge", challenge) for challenge in CHALLENGES}
    assert tally.events == fields("SanctuaryEvent") | {"ROUNDS", "SENT_BACK"}
    assert tally.moves == {
        *("SPLIT split", "CHOOSE keep", "PICK pick", "DISCARD discard", "DISCARD decline"),
        *("PLAY top", "PLAY bottom", "RETURN return", "FEED return"),
    }
    assert tally.worlds > 300
