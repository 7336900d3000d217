"""The rule decisions of sanctuary on the kernel, each as a small story (`docs/rules-sanctuary.md` has their text).

Every starting tile has red to the north, green to the east, purple to the south, a wall to the west and four spaces,
unless the story says otherwise. How kinds of card are told: see sanctuary_cases.
"""

import copy
from typing import Any

import pytest
from sanctuary_cases import (
    GREEN,
    LITTLE_FOOD,
    MIXED,
    OTHER_CHALLENGES,
    PURPLE,
    RED,
    ROOMY,
    SHAPELY,
    SHAPES,
    YELLOW,
    Laid,
    Manatees,
    Story,
    catalogue,
    find,
    names,
    seen_by,
    told,
)

from ext.errors import Malformed
from ext.game import CHANCE, OVER
from ext.sanctuary import Sanctuary

pytestmark = pytest.mark.kernel

KINDS = ["g", "p", "y", "?", "h", "gg", "pp", "yy", "??", "hh", "gp", "gy", "py", "g?", "p?"]
"""Fifteen kinds, in the order in which hands are listed."""


def column(length: int, card: str = "RRRR3") -> Laid:
    """So many cards in a row to the north of the starting tile, each of which completes a flower."""
    return {(0, -y): card for y in range(1, length + 1)}


def refused(path: str, *arguments: Any) -> None:
    with pytest.raises(Malformed) as caught:
        Sanctuary(*arguments)
    assert path in [fault.path for fault in caught.value.violations]


# sanctuary-1: variants by seats.


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
            game = Sanctuary(seats, catalogue(), rules, variant)
            assert (game.seats, game.variant) == (seats, variant)
            assert len(game.dump(game.start())["table"]["seats"]) == seats
        else:
            refused("seats", seats, catalogue(), rules, variant)


def test_sanctuary_1_challenges_are_for_solo_and_scramble_needs_both_editions() -> None:
    for seats, variant in ((2, "base"), (7, "scramble")):
        refused("rules.challenge", seats, catalogue(), {"challenge": "HARVESTER"}, variant)
    Sanctuary(1, catalogue(), {"challenge": "HARVESTER"}, "solo")
    one_edition = catalogue()
    del one_edition["editions"][1]
    Sanctuary(6, one_edition, {}, "base")
    refused("variant", 7, one_edition, {}, "scramble")


# sanctuary-2: the beginning.


def test_sanctuary_2_what_everybody_begins_with() -> None:
    story = Story(seats=3, start=True)
    table = story.table
    assert (table["round"], table["phase"], table["turn"], story.turn) == (1, "DRAW_CARD", None, CHANCE)
    assert story.bags == [(80, 30, 20)]
    for seat in table["seats"]:
        assert (seat["score"], seat["food"], seat["manatees"]) == (10, 0, told((0, 0, 0)))
        assert (seat["sanctuary"], seat["tops"], seat["hand_size"]) == ([], [], 0)
    assert story.scores == [10, 10, 10]


def test_sanctuary_2_one_event_a_card_and_seat_0s_five_first() -> None:
    story = Story(seats=3, start=True, deck={"g": 6, "p": 4, "h": 1})
    assert story.chance == {"card -": 79, "card g": 6, "card p": 4, "card h": 1}
    assert story.let("card g") == [
        {"card_dealt": {"seat": 0}},
        {"private_to": 0, "card_received": {"seat": 0, "card": "g"}},
    ]
    assert story.chance["card g"] == 5
    story.let("card g", "card h", "card p", "card p")
    assert "card h" not in story.chance
    assert find(story.let("card g"), "card_dealt") == [{"seat": 1}]
    assert (story.hand(0), story.hand(1)) == (["g", "g", "p", "p", "h"], ["g"])
    assert [seat["hand_size"] for seat in story.table["seats"]] == [5, 1, 0]
    story.deal(["-"] * 4, ["-"] * 5)
    assert (story.phase, story.turn) == ("SPLIT", 0)


def test_sanctuary_2_nothing_is_reshuffled_and_six_seats_use_up_the_deck() -> None:
    story = Story(["g"], seats=6, number=2)
    story.do("top g", "return 1,0,0")  # There is no food.
    assert (story.table["round"], story.phase) == (3, "DRAW_CARD")
    # Of 90 cards 60 have been dealt; the g that was played does not come back.
    assert (sum(story.chance.values()), story.chance["card g"]) == (30, 2)
    while story.turn == CHANCE:
        story.let(next(iter(story.chance)))
    assert story.phase == "SPLIT"
    assert [seat["hand_size"] for seat in story.table["seats"]] == [5] * 6


# sanctuary-3: what a catalogue must be.


def test_sanctuary_3_edges_are_a_flower_or_a_wall() -> None:
    for edge in ("SANCTUARY_EDGE_UNSPECIFIED", "RED", None):
        broken = catalogue({"RGPW2": 3})
        broken["editions"][0]["cards"][1]["edges"][2] = edge
        refused("catalogue.editions[0].cards[1].edges[2]", 2, broken)
        broken = catalogue()
        broken["editions"][0]["starting_tile"]["edges"][0] = edge
        refused("catalogue.editions[0].starting_tile.edges[0]", 2, broken)


def test_sanctuary_3_ninety_cards_an_edition_of_different_kinds() -> None:
    broken = catalogue({"g": 3})
    broken["editions"][0]["cards"][1]["count"] = 4
    refused("catalogue.editions[0].cards", 2, broken)
    broken = catalogue({"g": 3, "p": 3})
    broken["editions"][0]["cards"][2] = copy.deepcopy(broken["editions"][0]["cards"][1])
    refused("catalogue.editions[0].cards[2]", 2, broken)
    # Kinds of different editions may be alike.
    game = Sanctuary(7, catalogue({"g": 3, "'g": 3}), {}, "scramble")
    named = {game.outcome_notation(outcome): weight for outcome, weight in game.outcomes(game.start())}
    assert named == {"card 0": 87, "card 1": 3, "card 2": 87, "card 3": 3}


def test_sanctuary_3_bonuses_track_and_shape_are_there_if_they_are_needed() -> None:
    plain = {**catalogue(), "bonuses": [], "solo_track": None, "challenge_shape": None}
    Sanctuary(2, plain)
    refused("rules.round_bonuses", 2, plain, {"round_bonuses": True})
    refused("variant", 1, plain, {}, "solo")
    shapeless = {**catalogue(), "challenge_shape": None}
    Sanctuary(1, shapeless, {"challenge": "SAVIOUR"}, "solo")
    refused("rules.challenge", 1, shapeless, {"challenge": "ARCHITECT"}, "solo")
    broken = catalogue()
    broken["bonuses"][0]["count"] = 2
    refused("catalogue.bonuses", 2, broken)


# sanctuary-4: the draft.


def draft(seats: int = 3, number: int = 1, **rules: bool) -> Story:
    """Every seat is to split five of the kinds, seat 0 the first five, and so on."""
    hands = [KINDS[5 * seat : 5 * seat + 5] for seat in range(seats)]
    return Story(*hands, seats=seats, phase="SPLIT", number=number, rules=rules)


def test_sanctuary_4_five_cards_are_split_into_1_and_4_or_2_and_3() -> None:
    story = draft()
    assert story.moves == [
        *("split g", "split p", "split y", "split ?", "split h"),
        *("split g,p", "split g,y", "split g,?", "split g,h", "split p,y", "split p,?", "split p,h"),
        *("split y,?", "split y,h", "split ?,h"),
    ]
    for wrong in ("split gg", "split g,g", "split g,gg", "keep smaller", "top g"):
        assert not story.legal(wrong)
    # The order in a stack means nothing.
    assert story.canonical("split h,g") == "split g,h"


def test_sanctuary_4_equal_cards_are_alike() -> None:
    story = Story(["g", "g", "p", "p", "p"], ["-"] * 5, phase="SPLIT")
    assert story.moves == ["split g", "split p", "split g,g", "split g,p", "split p,p"]
    assert story.moves_of(1) == ["split -", "split -,-"]


def test_sanctuary_4_splits_are_simultaneous_and_hidden_until_all_are_in() -> None:
    story = draft()
    assert story.game.pending(story.state) == [0, 1, 2]
    assert story.play(2, "split gp") == [{"committed": {"seat": 2}}]  # In any order.
    assert (story.game.pending(story.state), story.moves_of(2)) == ([0, 1], [])  # It is final.
    assert [seat["committed"] for seat in story.table["seats"]] == [False, False, True]
    assert [seat["hand_size"] for seat in story.table["seats"]] == [5, 5, 5]
    assert (story.knows(2)["commitment"], story.knows(0)["commitment"]) == ("split gp", None)
    story.play(0, "split p,?")
    events = story.play(1, "split gg,hh")
    assert names(events) == ["committed", "stacks_offered", *["stacks_seen"] * 3]
    assert events[1] == {"stacks_offered": {"smaller_stacks": [2, 2, 1]}}
    assert [seat["smaller_stack"] for seat in story.table["seats"]] == [2, 2, 1]
    assert [seat["hand_size"] for seat in story.table["seats"]] == [0, 0, 0]
    assert story.phase == "CHOOSE"


def test_sanctuary_4_the_neighbour_looks_at_both_stacks_keeps_one_and_returns_the_other() -> None:
    story = draft()
    events = story.do("split p,?", "split gg,hh", "split gp")
    # In round 1 seat 0's stacks go to seat 1.
    stacks = {"smaller": ["p", "?"], "larger": ["g", "y", "h"]}
    assert {"private_to": 1, "stacks_seen": {"seat": 1, "stacks": stacks}} in events
    assert story.moves == ["keep smaller", "keep larger"]
    assert names(story.play(1, "keep larger")) == ["committed"]
    assert names(story.play(0, "keep smaller")) == ["committed"]
    events = story.play(2, "keep smaller")
    assert names(events) == ["committed", "stacks_chosen", *["hand_taken"] * 3]
    assert events[1] == {"stacks_chosen": {"kept": ["SMALLER", "LARGER", "SMALLER"]}}
    # Seat 0 keeps seat 2's gp and gets p and ? back from seat 1; and so on.
    assert story.hand(0) == ["p", "?", "gp"]
    assert story.hand(1) == ["g", "y", "h", "pp", "yy", "??"]
    assert story.hand(2) == ["gg", "hh", "gy", "py", "g?", "p?"]
    assert events[2] == {"private_to": 0, "hand_taken": {"seat": 0, "cards": ["p", "?", "gp"]}}
    assert [seat["hand_size"] for seat in story.table["seats"]] == [3, 6, 6]
    assert (story.phase, story.turn) == ("PLAY", 0)


@pytest.mark.parametrize(("number", "offered_to_0"), [(1, 2), (2, 1), (3, 2)])
def test_sanctuary_4_left_then_right_then_left(number: int, offered_to_0: int) -> None:
    story = draft(number=number)
    story.do("split g", "split gg", "split gp")
    assert story.knows(0)["offered"]["smaller"] == [{1: "gg", 2: "gp"}[offered_to_0]]
    story.do("keep smaller", "keep larger", "keep larger")
    assert ("gp" in story.hand(0), "gg" in story.hand(0)) == (offered_to_0 == 2, offered_to_0 == 1)


def test_sanctuary_4_two_players_swap_and_hands_run_from_2_to_8() -> None:
    for number in (1, 2, 3):
        story = draft(2, number)
        story.do("split g", "split gg")
        story.do("keep larger", "keep smaller")
        assert story.hand(0) == ["p", "y", "?", "h", "pp", "yy", "??", "hh"]
        assert story.hand(1) == ["g", "gg"]
        assert story.turn == 0


def test_sanctuary_4_a_blind_choice_shows_sizes_only_and_then_the_kept_stack() -> None:
    story = draft(blind_choice=True)
    events = story.do("split g", "split gg,pp", "split gp")
    assert names(events) == [*["committed"] * 3, "stacks_offered"]
    assert story.knows(1)["offered"] is None
    assert story.knows(1)["made"] == {"smaller": ["gg", "pp"], "larger": ["yy", "??", "hh"]}
    events = story.do("keep smaller", "keep smaller", "keep smaller")
    assert find(seen_by(1, events), "hand_taken") == [{"seat": 1, "cards": ["g", "yy", "??", "hh"]}]
    # Seat 1 knows what seat 2 kept of its stacks, but not what seat 0 got back.
    assert (story.knows(1)["left_hand"], story.knows(1)["right_hand"]) == (["gg", "pp"], [])


# sanctuary-5: who knows which cards.


def drafted() -> Story:
    """Seat 1 keeps g and p, seat 2 keeps yy, ?? and hh, seat 0 keeps gp."""
    story = draft()
    story.do("split g,p", "split gg,pp", "split gp")
    story.do("keep smaller", "keep smaller", "keep larger")
    return story


def test_sanctuary_5_the_stacks_while_they_are_out() -> None:
    story = draft()
    story.do("split g,p", "split gg,pp", "split gp")
    assert story.knows(0) == {
        "seat": 0,
        "hand": [],
        "commitment": None,
        "made": {"smaller": ["g", "p"], "larger": ["y", "?", "h"]},
        "offered": {"smaller": ["gp"], "larger": ["gy", "py", "g?", "p?"]},
        "left_hand": [],
        "right_hand": [],
    }


def test_sanctuary_5_the_stack_that_the_neighbour_kept_and_the_one_that_was_returned() -> None:
    story = drafted()
    assert story.knows(0) == {
        "seat": 0,
        "hand": ["y", "?", "h", "gp"],
        "commitment": None,
        "made": None,
        "offered": None,
        "left_hand": ["g", "p"],
        "right_hand": ["gy", "py", "g?", "p?"],
    }
    assert (story.knows(1)["left_hand"], story.knows(1)["right_hand"]) == (["yy", "??", "hh"], ["y", "?", "h"])
    assert (story.knows(2)["left_hand"], story.knows(2)["right_hand"]) == (["gp"], ["gg", "pp"])
    # In every world that seat 0 thinks possible its neighbours hold these, and of the others any.
    game, guessed = story.game, set()
    for key in range(30):
        world = game.dump(game.determinize(game.observe(story.state, 0), key))["referee"]["seats"]
        left = [story.kinds[card] for card in world[1]["hand"]]
        right = [story.kinds[card] for card in world[2]["hand"]]
        assert {"g", "p"} <= set(left)
        assert {"gy", "py", "g?", "p?"} <= set(right)
        guessed.add(tuple(left))
    assert len(guessed) > 1


def test_sanctuary_5_in_round_2_the_sides_change() -> None:
    story = draft(number=2)
    story.do("split g,p", "split gg,pp", "split gp")
    assert story.knows(0)["offered"] == {"smaller": ["gg", "pp"], "larger": ["yy", "??", "hh"]}
    story.do("keep smaller", "keep smaller", "keep larger")
    # Seat 2 has kept y, ? and h of seat 0's; seat 0 has returned yy, ?? and hh to seat 1.
    assert (story.knows(0)["left_hand"], story.knows(0)["right_hand"]) == (["yy", "??", "hh"], ["y", "?", "h"])


def test_sanctuary_5_a_played_card_is_no_longer_known_to_be_held() -> None:
    story = drafted()
    story.do("top h", "top g")
    assert story.knows(0)["left_hand"] == ["p"]
    assert story.knows(1)["right_hand"] == ["y", "?"]
    assert story.knows(2)["left_hand"] == ["gp"]


def test_sanctuary_5_with_two_players_both_hands_are_known_unless_chosen_blindly() -> None:
    for blind in (False, True):
        story = Story(
            ["g", "g", "p", "y", "h"],
            ["g", "gg", "pp", "yy", "hh"],
            phase="SPLIT",
            rules={"blind_choice": blind},
        )
        story.do("split g,p", "split g")
        story.do("keep larger", "keep smaller")
        assert story.hand(1) == ["g", "g", "p"]  # It has kept g and p and has its own g back.
        assert story.knows(0)["left_hand"] == (["g", "p"] if blind else ["g", "g", "p"])
        assert story.knows(0)["right_hand"] == []
        story.do("top h", "top g")
        assert story.knows(0)["left_hand"] == (["p"] if blind else ["g", "p"])


def test_sanctuary_5_playing_a_card_removes_one_copy_for_each_who_knows_one() -> None:
    story = Story(["h", "p", "y", "?", "gg"], ["h", "pp", "yy", "??", "hh"], KINDS[10:], seats=3, phase="SPLIT")
    story.do("split h", "split h", "split gp")
    story.do("keep larger", "keep smaller", "keep larger")
    # Seat 1 has an h of seat 0, which seat 0 knows, and its own h back, which seat 2 knows.
    assert story.hand(1) == ["h", "h"]
    assert (story.knows(0)["left_hand"], story.knows(2)["right_hand"]) == (["h"], ["h"])
    story.do("top p", "top h")
    while story.turn == CHANCE:
        story.let(next(iter(story.chance)))
    # Neither knows whether the other one is left.
    assert story.knows(0)["left_hand"] == story.knows(2)["right_hand"] == []
    assert story.hand(1) == ["h"]


def test_sanctuary_5_kinds_of_different_editions_differ() -> None:
    story = Story(
        ["-"] * 5,
        ["h", "'h", "-", "-", "-"],
        variant="scramble",
        rules={"allow_small_scramble": True},
        phase="SPLIT",
    )
    story.do("split -", "split h,'h")
    story.do("keep larger", "keep larger")
    assert story.hand(1) == ["-", "-", "-", "-", "h", "'h"]
    story.do("top -", "top 'h")
    assert story.knows(0)["left_hand"] == ["-", "-", "-", "-", "h"]


def test_sanctuary_5_hands_are_hidden_and_sizes_are_not() -> None:
    story = drafted()
    view = story.game.dump_observation(story.game.observe(story.state, 0))
    assert sorted(view) == ["seat_knowledge", "table"]
    assert [seat["hand_size"] for seat in view["table"]["seats"]] == [4, 4, 7]


# sanctuary-6: the top.


def test_sanctuary_6_the_top_is_always_playable_and_without_flowers_harvests_nothing() -> None:
    story = Story(["hhh", "RRRR3"], ["-"], starts=("WWWW4",) * 2)
    # Nothing can be laid beside walls; every card can be played.
    assert story.moves == ["top hhh", "top RRRR3"]
    assert story.do("top hhh") == [{"top_played": {"seat": 0, "card": "hhh", "harvest": 0, "taken": told((0, 0, 0))}}]
    assert (story.food, story.turn) == ([0, 0], 1)
    # The card has been played for one half only.
    assert (story.table["seats"][0]["sanctuary"], story.table["seats"][0]["hand_size"]) == ([], 1)
    assert story.kinds.index("hhh") in story.table["seats"][0]["tops"]


def test_sanctuary_6_every_card_must_be_played() -> None:
    story = Story(["-", "-"])
    assert not story.legal("decline")
    story.do("top -")
    assert (story.turn, story.moves) == (0, ["top -"])
    story.do("top -")
    assert story.table["round"] == 2


# sanctuary-7: rescues.


def test_sanctuary_7_named_colours_are_taken_and_then_the_others_are_drawn() -> None:
    story = Story(["yp?"], ["-"])
    # No chance events for the named ones.
    assert story.do("top yp?") == [
        {"top_played": {"seat": 0, "card": "yp?", "harvest": 0, "taken": told((0, 1, 1))}},
    ]
    table = story.table
    assert (table["phase"], table["turn"], story.turn, table["draws_left"]) == ("DRAW_MANATEE", 0, CHANCE, 1)
    assert (story.newcomers, story.bags) == ((0, 1, 1), [(80, 29, 19)])
    # The yellow one of this very card does not call another.
    assert story.chance == {"manatee gray": 80, "manatee pink": 29, "manatee yellow": 19}
    assert story.let("manatee gray") == [
        {"manatee_drawn": {"seat": 0, "colour": "GRAY"}},
        {"housed": {"seat": 0, "manatees": told((1, 1, 1))}},
    ]
    assert (story.turn, story.housed(), story.newcomers) == (1, (1, 1, 1), (0, 0, 0))


@pytest.mark.parametrize(("card", "draws"), [("g", 2), ("gg", 2), ("?", 3), ("??", 4), ("h", 0), ("-", 0)])
def test_sanctuary_7_one_more_for_each_yellow_one_housed_before_on_a_card_with_an_icon(card: str, draws: int) -> None:
    story = Story([card], ["-"], laid={0: {(1, 0): "GGGG9"}}, housed={0: (1, 0, 2)})
    story.do(f"top {card}")
    assert story.table["draws_left"] == draws
    for _ in range(draws):
        assert story.phase == "DRAW_MANATEE"
        story.let("manatee yellow")  # These call nobody.
    assert (story.turn, story.housed()[2]) == (1, 2 + draws)


def test_sanctuary_7_all_are_drawn_before_they_are_housed() -> None:
    story = Story(["??"], ["-"], housed={0: (4, 0, 0)})
    story.do("top ??")
    story.let("manatee gray")
    assert (story.phase, story.newcomers, story.table["draws_left"]) == ("DRAW_MANATEE", (1, 0, 0), 1)
    story.let("manatee pink")
    assert (story.phase, story.newcomers) == ("RETURN", (1, 1, 0))


def test_sanctuary_7_an_absent_colour_is_skipped_and_the_yellow_extras_come_all_the_same() -> None:
    story = Story(["gp"], number=3, housed={0: (0, 0, 2)}, bags=[(10, 0, 0)])
    assert find(story.do("top gp"), "top_played")[0]["taken"] == told((1, 0, 0))
    assert (story.chance, story.table["draws_left"]) == ({"manatee gray": 9}, 2)
    # Of two named ones that are not both there one comes.
    story = Story(["pp"], number=3, bags=[(3, 1, 0)])
    assert find(story.do("top pp"), "top_played")[0]["taken"] == told((0, 1, 0))


def test_sanctuary_7_an_empty_bag_ends_the_drawing() -> None:
    story = Story(["???", "g?"], ["-"], number=3, bags=[(1, 0, 0)])
    story.do("top ???")
    assert story.chance == {"manatee gray": 1}  # A certain draw is still an event.
    assert names(story.let("manatee gray")) == ["manatee_drawn", "housed"]
    assert (story.turn, story.table["draws_left"]) == (1, 0)
    story.do("top -")
    # Nobody comes at all.
    assert find(story.do("top g?"), "top_played")[0]["taken"] == told((0, 0, 0))
    assert story.phase != "DRAW_MANATEE"


# sanctuary-8: harvests.

FOUR_FLOWERS: Laid = {**column(3), (1, 0): "GGGG3"}


def test_sanctuary_8_four_flowers_and_two_harvests_give_8_before_the_draws() -> None:
    story = Story(["hh?"], ["-"], laid={0: FOUR_FLOWERS}, food={0: 1})
    assert find(story.do("top hh?"), "top_played")[0]["harvest"] == 8
    assert (story.food, story.phase) == ([9, 0], "DRAW_MANATEE")


@pytest.mark.parametrize(("icons", "food"), [("h", 4), ("hhh", 12), ("gh", 4), ("?", 0)])
def test_sanctuary_8_every_completed_flower_for_each_harvest_icon(icons: str, food: int) -> None:
    story = Story([icons], ["-"], laid={0: FOUR_FLOWERS, 1: column(2)})
    story.do(f"top {icons}")
    assert story.food == [food, 0]


# sanctuary-9: newcomers that do not fit.


def test_sanctuary_9_the_player_picks_which_newcomers_go_back_for_2_points_each() -> None:
    story = Story(["gpy"], ["-"], housed={0: (2, 0, 0)})
    story.do("top gpy")
    assert (story.phase, story.turn, story.newcomers) == ("RETURN", 0, (1, 1, 1))
    # Two spaces, for the yellow one or the other two. The second set is smaller, and the first is minimal, too.
    assert story.moves == ["return 0,0,1", "return 1,1,0"]
    for wrong in ("return 0,0,0", "return 1,0,0", "return 0,1,1", "return 1,1,1", "return 2,1,0"):
        assert not story.legal(wrong)
    assert story.do("return 1,1,0") == [
        {"returned": {"seat": 0, "manatees": told((1, 1, 0))}},
        {"housed": {"seat": 0, "manatees": told((0, 0, 1))}},
    ]
    assert (story.scores, story.housed(), story.bags) == ([6, 10], (2, 0, 1), [(78, 30, 19)])
    assert story.turn == 1


def test_sanctuary_9_established_manatees_stay_and_a_single_way_is_asked() -> None:
    story = Story(["y"], ["-"], housed={0: (3, 0, 0)})
    story.do("top y")
    assert story.moves == ["return 0,0,1"]  # No gray one leaves in its place.
    assert names(story.do("return 0,0,1")) == ["returned"]
    assert (story.scores, story.housed()) == ([8, 10], (3, 0, 0))


def test_sanctuary_9_alike_newcomers_are_counted() -> None:
    story = Story(["ggp"], ["-"], housed={0: (2, 0, 0)})
    story.do("top ggp")
    assert story.moves == ["return 0,1,0", "return 1,0,0"]
    story.do("return 1,0,0")
    assert (story.housed(), story.scores[0]) == ((3, 1, 0), 8)


# sanctuary-10: spaces.


@pytest.mark.parametrize("pooled", [False, True])
def test_sanctuary_10_a_yellow_one_takes_two_spaces_of_one_card(pooled: bool) -> None:
    rules = {"pooled_space": pooled}
    # 3 + 1 spaces, two of them taken: one is left on each.
    story = Story(["y"], ["-"], starts=("RGPW3",) * 2, laid={0: column(1, "RRRR1")}, housed={0: (0, 0, 1)}, rules=rules)
    story.do("top y")
    story.let("manatee gray")  # For the yellow one that was here.
    assert story.phase == "RETURN"
    assert story.moves == (["return 0,0,1", "return 1,0,0"] if pooled else ["return 0,0,1"])


@pytest.mark.parametrize(
    ("there", "apart", "together"),
    [
        ((6, 0, 0), True, True),
        ((2, 4, 0), True, True),
        ((2, 0, 2), True, True),
        ((0, 2, 2), True, True),
        ((0, 0, 3), False, True),
        ((3, 0, 2), False, False),
        ((7, 0, 0), False, False),
    ],
)
def test_sanctuary_10_players_may_rearrange_so_only_feasibility_matters(
    there: Manatees, apart: bool, together: bool
) -> None:
    for pooled, fits in ((False, apart), (True, together)):

        def load(rules: dict[str, Any]) -> Story:
            laid = {0: column(1, "RRRR3")}
            return Story(["-"], starts=("RGPW3",) * 2, laid=laid, housed={0: there}, food={0: 20}, rules=rules)

        if fits:
            assert load({"pooled_space": pooled}).housed() == there
        else:
            with pytest.raises(Malformed, match="manatees"):
                load({"pooled_space": pooled})


# sanctuary-11: bottoms.


def test_sanctuary_11_four_orientations_each_where_its_host_is() -> None:
    story = Story(["RGPW2", "PPPP3"], ["-"])
    # The inner edge is red. North of the start it faces it in half a turn, its host in the south. East of the start r2
    # would match (green in the west), but there is no host; and so it is in the south (purple in the north).
    assert [move for move in story.bottoms if "RGPW2" in move] == ["bottom RGPW2 0,-1 r2"]
    for wrong in ("bottom RGPW2 1,0 r2", "bottom RGPW2 0,1 r2", "bottom RGPW2 0,-1 r0", "bottom RGPW2 0,0 r2"):
        assert not story.legal(wrong)
    story.do("bottom RGPW2 0,-1 r2", "top -")
    laid = {"card": story.kinds.index("RGPW2"), "cell": {"x": 0, "y": -1}, "rotation": 2}
    assert story.table["seats"][0]["sanctuary"] == [laid]
    # Turned, purple is in the north now; an earlier card is a host, too. By row.
    assert story.bottoms == ["bottom PPPP3 0,-2 r0", "bottom PPPP3 0,1 r0"]


def test_sanctuary_11_each_of_the_four_turns_is_clockwise() -> None:
    # A green starting tile all around: the inner edge is green, each side has its own turn.
    story = Story(["GRPW2"], starts=("GGGG4",) * 2)
    assert story.bottoms == [f"bottom GRPW2 {place}" for place in ("0,-1 r2", "-1,0 r1", "1,0 r3", "0,1 r0")]
    # Laid to the west its edges are wall, green, red, purple: only red fits to its south.
    story.do("bottom GRPW2 -1,0 r1")
    story = Story(["RWWW1", "PWWW1", "WRWW1"], starts=("GGGG4",) * 2, laid={0: {(-1, 0): "GRPW2 r1"}})
    assert story.bottoms == ["bottom RWWW1 -1,1 r0", "bottom PWWW1 -2,0 r1"]


def test_sanctuary_11_the_lowest_rotation_stands_for_equal_ones() -> None:
    story = Story(["RWRW5", "RRRR3"], ["-"])
    # The host is in the south (r2); r0 has the same edges.
    assert [move for move in story.bottoms if "RWRW5" in move] == ["bottom RWRW5 0,-1 r0"]
    assert story.canonical("bottom RWRW5 0,-1 r2") == "bottom RWRW5 0,-1 r0"
    assert not story.legal("bottom RWRW5 0,-1 r1")
    game, state = story.game, story.state
    moves = [game.parse(f"bottom {story.kinds.index('RWRW5')} 0,-1 r{r}") for r in (0, 2)]
    assert game.play(state, 0, moves[0]) == game.play(state, 0, moves[1])
    assert find(story.do("bottom RWRW5 0,-1 r2"), "bottom_played")[0]["rotation"] == 0
    story.do("top -")
    assert story.bottoms == ["bottom RRRR3 0,-2 r0"]
    assert all(story.legal(f"bottom RRRR3 0,-2 r{r}") for r in range(4))


def test_sanctuary_11_a_host_must_be_at_the_inner_edge() -> None:
    story = Story(["PRPR4"])
    # North of the start red must be in the south, and so the inner edge in the east or the west: nobody is there.
    assert story.bottoms == ["bottom PRPR4 0,1 r0"]
    story = Story(["PRPR4"], laid={0: {(1, 0): "GGGG3", (1, -1): "GPWW2 r2"}})
    # Now a card with purple to its west lies in the east.
    assert "bottom PRPR4 0,-1 r1" in story.bottoms
    assert story.canonical("bottom PRPR4 0,-1 r3") == "bottom PRPR4 0,-1 r1"
    assert find(story.do("bottom PRPR4 0,-1 r1"), "bottom_played")[0]["flowers"] == 2


def test_sanctuary_11_the_inner_edge_matches_like_any_other_and_may_be_a_wall() -> None:
    assert Story(["WRGP2"], laid={0: column(1)}).bottoms == []
    # Beside the wall of the starting tile, below a card with purple to its south: wall on wall, and a flower.
    story = Story(["WRGP2"], laid={0: {**column(1), (-1, -1): "RPWW2 r1"}})
    assert story.bottoms == ["bottom WRGP2 -1,0 r1"]
    assert find(story.do("bottom WRGP2 -1,0 r1"), "bottom_played")[0]["flowers"] == 1
    # A wall on red, though another edge completes a flower.
    story = Story(["WGRP2"], laid={0: {**column(1), (1, 0): "GGGG3"}})
    assert not any(story.legal(f"bottom WGRP2 1,-1 r{r}") for r in range(4))


def test_sanctuary_11_a_position_with_an_unhosted_card_is_refused() -> None:
    Story(["-"], laid={0: {(0, 1): "PRPR4"}})
    with pytest.raises(Malformed, match="sanctuary"):
        Story(["-"], laid={0: {(0, -1): "PRPR4 r1"}})


# sanctuary-12: touching edges.


@pytest.mark.parametrize(
    ("card", "legal"),
    [
        ("GRPW2", True),  # Half a turn: green to the south, red to the west, both flowers.
        ("GRRR2", True),  # Flowers that face empty water.
        ("GWPW2", False),  # A wall against red.
        ("GGPW2", False),  # Green against red.
        ("WRPW2", False),  # A wall against green.
        ("PRPW2", False),  # Purple against green.
    ],
)
def test_sanctuary_12_the_same_flower_or_both_walls(card: str, legal: bool) -> None:
    story = Story([card], laid={0: {(0, -1): "RRRR3", (1, 0): "GGGG3"}})
    assert story.legal(f"bottom {card} 1,-1 r2") == legal
    assert (f"bottom {card} 1,-1 r2" in story.bottoms) == legal


@pytest.mark.parametrize(("card", "legal"), [("PWWW2", True), ("PGWW2", False), ("PPPP2", False)])
def test_sanctuary_12_nothing_but_a_wall_touches_a_wall(card: str, legal: bool) -> None:
    # West of the starting tile, whose edge there is a wall, below a card with purple to its south.
    story = Story([card], laid={0: {**column(1), (-1, -1): "RPWW2 r1"}})
    assert story.legal(f"bottom {card} -1,0 r0") == legal
    assert (f"bottom {card} -1,0 r0" in story.bottoms) == legal


def test_sanctuary_12_at_least_one_flower_is_completed() -> None:
    # Wall on wall in the west of the starting tile, and nothing else is touched.
    story = Story(["WRRR2"])
    assert not story.legal("bottom WRRR2 -1,0 r1")
    assert not story.legal("bottom WRRR2 5,5 r0")
    assert story.bottoms == []


# sanctuary-13: completed flowers.


def test_sanctuary_13_each_flower_completed_is_a_step_on_the_track_and_a_food() -> None:
    story = Story(["GRPW2", "h"], ["-"], laid={0: {(0, -1): "RRRR3", (1, 0): "GGGG3"}})
    assert story.do("bottom GRPW2 1,-1 r2") == [
        {"bottom_played": {"seat": 0, "card": "GRPW2", "cell": {"x": 1, "y": -1}, "rotation": 2, "flowers": 2}}
    ]
    assert story.food == [2, 0]
    story.do("top -", "top h")
    assert story.food == [2 + 4, 0]


def test_sanctuary_13_the_track_is_uncapped() -> None:
    story = Story(["h"], ["-"], number=3, laid={0: column(20)})
    story.do("top h")
    assert story.food == [20, 0]


# sanctuary-14: end-game cards.


def test_sanctuary_14_they_house_nobody_and_are_placed_like_any_card() -> None:
    story = Story(["RRRR+PAIRS", "g"], ["-"], starts=("RGPW0",) * 2)
    assert story.bottoms == ["bottom RRRR+PAIRS 0,-1 r0"]
    story.do("bottom RRRR+PAIRS 0,-1 r0")
    assert story.food == [1, 0]
    story.do("top -", "top g")
    assert story.moves == ["return 1,0,0"]


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        (["PAIRS"], 2),  # Five manatees, rounded down.
        (["PINK"], 2),
        (["YELLOW"], 6),
        (["PAIRS", "PAIRS"], 4),
        (["PAIRS", "PINK", "YELLOW", "YELLOW"], 16),
    ],
)
def test_sanctuary_14_they_score_once_after_round_3_and_copies_add_up(cards: list[str], points: int) -> None:
    laid = {(0, -1 - i): f"RRRR+{card}" for i, card in enumerate(cards)}
    for number, manatees in ((1, 18), (2, 12), (3, 6)):
        story = Story(["-"], starts=("RGPW9",) * 2, number=number, laid={0: laid}, housed={0: (2, 1, 2)}, food={0: 6})
        scored = find(story.do("top -"), "scored")[0]
        assert (scored["manatees"], scored["end_game"]) == (manatees, points if number == 3 else 0)
        assert scored["score"] == 10 + scored["manatees"] + scored["end_game"] == story.scores[0]


# sanctuary-15: in which order cards are played.


def order_of(story: Story) -> list[int]:
    order = []
    while story.phase == "PLAY":
        order.append(story.turn)
        story.do("top -")
    return order


def test_sanctuary_15_one_card_a_seat_and_seats_without_cards_are_skipped() -> None:
    hands = [["-"] * 2, ["-"], ["-"] * 3]
    assert order_of(Story(*hands, seats=3)) == [0, 1, 2, 0, 2, 2]
    assert order_of(Story(*hands, seats=3, rules={"play_order": "SEAT_BY_SEAT"})) == [0, 0, 1, 2, 2, 2]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_sanctuary_15_seat_0_is_first_in_every_round(number: int) -> None:
    story = draft(number=number)
    story.do("split g", "split gg", "split gp")
    story.do("keep larger", "keep larger", "keep larger")
    assert (story.phase, story.turn) == ("PLAY", 0)


@pytest.mark.parametrize("play_order", ["ROUND_ROBIN", "SEAT_BY_SEAT"])
def test_sanctuary_15_the_bag_is_shared_and_returns_come_before_the_next_seats_card(play_order: str) -> None:
    story = Story(
        ["y"],
        ["y"],
        seats=3,
        number=3,
        housed={0: (3, 0, 0)},
        bags=[(0, 0, 1)],
        rules={"play_order": play_order},
    )
    story.do("top y")
    assert (story.turn, story.phase, story.bags) == (0, "RETURN", [(0, 0, 0)])
    story.do("return 0,0,1")
    assert (story.turn, story.phase) == (1, "PLAY")
    assert find(story.do("top y"), "top_played")[0]["taken"] == told((0, 0, 1))


# sanctuary-16: food.


def feeding(food: int, *there: int, number: int = 1, **rules: Any) -> Story:
    """The first of two seats, with nine spaces and these manatees, has a harmless card to play, the last of all."""
    gray, pink, yellow = there
    housed = {0: (gray, pink, yellow)}
    return Story(["-"], starts=("RGPW9",) * 2, number=number, housed=housed, food={0: food}, rules=rules)


def test_sanctuary_16_gray_and_yellow_eat_1_and_pink_2() -> None:
    story = feeding(12, 4, 1, 1)
    assert find(story.do("top -"), "fed") == [{"seat": 0, "food": 7}, {"seat": 1, "food": 0}]
    assert story.food == [5, 0]  # The rest carries over.
    story = feeding(5, 2, 1, 1)
    assert find(story.do("top -"), "fed")[0] == {"seat": 0, "food": 5}
    assert (story.food, story.housed()) == ([0, 0], (2, 1, 1))
    for there, meals in (((1, 0, 0), 1), ((0, 1, 0), 2), ((0, 0, 1), 1)):
        assert find(feeding(9, *there).do("top -"), "fed")[0]["food"] == meals


def test_sanctuary_16_short_of_food_a_minimal_set_goes_back() -> None:
    story = feeding(3, 2, 2, 1)
    assert names(story.do("top -")) == ["top_played"]
    assert (story.phase, story.turn) == ("FEED", 0)
    # Three food are three small ones, or a pink and a small one. Two pink ones are too many; of a pink one alone there
    # would be a food left.
    assert story.moves == ["return 0,2,0", "return 1,1,1", "return 2,1,0"]
    for wrong in ("return 0,0,0", "return 1,2,0", "return 2,1,1", "return 0,1,1", "return 2,2,1"):
        assert not story.legal(wrong)
    events = story.do("return 1,1,1")
    assert events[:2] == [{"returned": {"seat": 0, "manatees": told((1, 1, 1))}}, {"fed": {"seat": 0, "food": 3}}]
    assert (story.housed(), story.bags, story.food[0]) == ((1, 1, 0), [(79, 29, 20)], 0)
    assert story.scores[0] == 10 - 6 + 3 + 6


def test_sanctuary_16_a_food_may_be_left_over() -> None:
    story = feeding(3, 0, 2, 0)
    story.do("top -")
    assert story.moves == ["return 0,1,0"]  # A single way is asked.
    story.do("return 0,1,0")
    assert (story.food[0], story.housed()) == (1, (0, 1, 0))


def test_sanctuary_16_sending_back_is_not_voluntary() -> None:
    story = feeding(7, 4, 1, 1)
    assert names(story.do("top -"))[:2] == ["top_played", "fed"]
    assert story.table["round"] == 2


def test_sanctuary_16_seats_pay_and_decide_openly_in_seat_order() -> None:
    three: Manatees = (3, 0, 0)
    story = Story(["-"], seats=3, housed=dict.fromkeys(range(3), three), food={0: 3, 1: 1, 2: 3})
    assert find(story.do("top -"), "fed") == [{"seat": 0, "food": 3}]
    # Seat 0 has paid, seat 2 has not.
    assert (story.phase, story.turn, story.food) == ("FEED", 1, [0, 1, 3])
    assert story.game.pending(story.state) == [1]
    events = story.do("return 2,0,0")
    assert find(events, "fed") == [{"seat": 1, "food": 1}, {"seat": 2, "food": 3}]
    assert names(events)[-4:] == ["scored", "scored", "scored", "round_begun"]
    assert events[-1] == {"round_begun": {"round": 2}}
    assert (story.phase, story.scores) == ("DRAW_CARD", [19, 10 - 4 + 3, 19])


def test_sanctuary_16_a_food_cap_holds_after_every_gain() -> None:
    story = Story(["hh?", "RRRR3"], ["-"], laid={0: FOUR_FLOWERS}, food={0: 5}, rules={"food_cap": 9})
    assert find(story.do("top hh?"), "top_played")[0]["harvest"] == 8
    assert story.food == [9, 0]
    story.let("manatee gray")
    story.do("top -")
    story.do("bottom RRRR3 0,-4 r0")
    assert story.food == [9 - 1, 0]  # No gain; then one is fed.
    laid: Laid = {(0, -1): "RRRR3", (1, 0): "GGGG3"}
    for cap, food in ((0, 10), (9, 9)):
        story = Story(["GRPW2", "-"], laid={0: laid}, food={0: 8}, rules={"food_cap": cap})
        story.do("bottom GRPW2 1,-1 r2")
        assert story.food[0] == food


# sanctuary-17: what manatees score.


@pytest.mark.parametrize(("number", "gray", "pink", "yellow"), [(1, 3, 6, 3), (2, 2, 4, 2), (3, 1, 2, 1)])
def test_sanctuary_17_fewer_points_from_round_to_round(number: int, gray: int, pink: int, yellow: int) -> None:
    for there, points in (
        ((1, 0, 0), gray),
        ((0, 1, 0), pink),
        ((0, 0, 1), yellow),
        ((2, 1, 2), 2 * (gray + yellow) + pink),
    ):
        scored = find(feeding(20, *there, number=number).do("top -"), "scored")
        assert [entry["manatees"] for entry in scored] == [points, 0]
        assert scored[0]["score"] == 10 + points


def test_sanctuary_17_one_yellow_one_pink_and_four_gray_score_21_in_round_1() -> None:
    assert find(feeding(12, 4, 1, 1).do("top -"), "scored")[0]["manatees"] == 21


# sanctuary-18: points below 0, and the order in which points come.


@pytest.mark.parametrize(("floor", "score"), [(False, -4), (True, 0)])
def test_sanctuary_18_a_score_may_fall_below_0_unless_it_has_a_floor(floor: bool, score: int) -> None:
    story = feeding(0, 7, 0, 0, floor_score_at_zero=floor)
    story.do("top -", "return 7,0,0")
    assert story.scores[0] == score
    # The floor holds after every change: what comes later counts from 0.
    story = Story(["gg", "-"], housed={0: (3, 0, 0)}, food={0: 4}, score={0: 1}, rules={"floor_score_at_zero": floor})
    story.do("top gg", "return 1,0,0")
    assert story.scores[0] == (0 if floor else -1)
    story.do("top -")
    assert story.scores[0] == (12 if floor else 11)


@pytest.mark.parametrize("floor", [False, True])
def test_sanctuary_18_manatees_then_bonus_then_track_then_end_game_cards(floor: bool) -> None:
    story = Story(
        ["-"],
        seats=1,
        variant="solo",
        number=3,
        laid={0: column(1, "RRRR+PAIRS")},
        housed={0: (2, 0, 0)},
        food={0: 2},
        score={0: 1},
        token=10,
        bonuses=[GREEN, PURPLE, RED],
        rules={"floor_score_at_zero": floor, "round_bonuses": True},
        track={"values": [-3 * step for step in range(20)], "start": 0},
    )
    scored = find(story.do("top -"), "scored")[0]
    assert (scored["manatees"], scored["bonus"], scored["track"], scored["end_game"]) == (2, 3, -30, 1)
    # 1 + 2 + 3 is 6, less 30 is 0 at the floor, and then one more.
    assert scored["score"] == (1 if floor else -23)


# sanctuary-19: who wins.


def test_sanctuary_19_most_points_then_most_manatees_then_least_food_then_shared() -> None:
    def ranks(**given: Any) -> list[int]:
        return Story(["-"], seats=3, **given).ranks

    one: Manatees = (1, 0, 0)
    assert ranks() == [1, 1, 1]
    assert ranks(food={0: 2, 1: 1, 2: 1}) == [3, 1, 1]
    assert ranks(food={0: 2, 1: 1, 2: 1}, housed={0: one}) == [1, 2, 2]
    assert ranks(food={0: 2, 1: 1, 2: 1}, housed={0: one}, score={2: 11}) == [2, 3, 1]
    assert ranks(food={0: 2, 1: 1, 2: 1}, housed={0: one, 1: (0, 0, 1)}, score={2: 11}) == [3, 2, 1]
    # Colours are alike here.
    assert ranks(housed={0: (2, 0, 0), 1: (1, 1, 0)}) == [1, 1, 3]


# sanctuary-20: round bonuses.

WITH_BONUSES = {"round_bonuses": True}


def test_sanctuary_20_three_cards_are_drawn_before_the_first_deal() -> None:
    story = Story(seats=2, start=True, rules=WITH_BONUSES)
    assert story.phase == "DRAW_BONUS"
    assert story.chance == {f"bonus {kind}": 2 if kind in (RED, LITTLE_FOOD) else 1 for kind in range(8)}
    assert story.let(f"bonus {RED}") == [{"bonus_drawn": {"bonus": RED, "round": 1}}]
    assert story.chance[f"bonus {RED}"] == 1
    assert story.let(f"bonus {RED}") == [{"bonus_drawn": {"bonus": RED, "round": 2}}]
    assert f"bonus {RED}" not in story.chance
    story.let(f"bonus {SHAPES}")
    assert (story.phase, story.table["bonuses"]) == ("DRAW_CARD", [RED, RED, SHAPES])
    # They are public.
    assert story.game.dump_observation(story.game.observe(story.state, 1))["table"]["bonuses"] == [RED, RED, SHAPES]
    assert Story(seats=2, start=True).phase == "DRAW_CARD"


def bonus(kind: int, number: int = 1, **given: Any) -> int:
    """What a bonus card gives seat 0 in a round."""
    rules = {**WITH_BONUSES, **given.pop("rules", {})}
    others = [kind2 for kind2 in (GREEN, PURPLE, MIXED) if kind2 != kind][:2]
    bonuses = [*others[: number - 1], kind, *others[number - 1 :]]
    story = Story(["-"], number=number, rules=rules, bonuses=bonuses, starts=("RGPW9",) * 2, **given)
    scored = find(story.do("top -"), "scored")[0]
    assert scored["score"] == 10 + scored["manatees"] + scored["bonus"]
    points: int = scored["bonus"]
    return points


def test_sanctuary_20_objectives_by_the_face_of_the_round() -> None:
    there: dict[str, Any] = {"housed": {0: (3, 2, 1)}, "food": {0: 20}}
    # The mixed card: yellow ones, pink ones, all manatees.
    assert [bonus(MIXED, number, **there) for number in (1, 2, 3)] == [3, 4, 6]
    assert [bonus(YELLOW, number, **there) for number in (1, 2, 3)] == [3, 3, 3]
    laid = {0: {**FOUR_FLOWERS, (0, 1): "PPPP3"}}
    # All completed flowers of the colour, those of earlier rounds too.
    assert [bonus(kind, 2, laid=laid) for kind in (RED, GREEN, PURPLE)] == [9, 3, 3]


def test_sanctuary_20_little_food_after_feeding() -> None:
    for food, points in ((3, [5, 10, 15]), (0, [5, 10, 15]), (4, [0, 0, 0])):
        assert [bonus(LITTLE_FOOD, number, food={0: food}) for number in (1, 2, 3)] == points
    # Four are fed first.
    assert bonus(LITTLE_FOOD, 1, food={0: 7}, housed={0: (4, 0, 0)}) == 5
    assert bonus(LITTLE_FOOD, 1, food={0: 8}, housed={0: (4, 0, 0)}) == 0


def test_sanctuary_20_a_contained_shape_gives_its_points_once_in_any_rotation() -> None:
    corner: Laid = {(0, -1): "RRRR3", (1, 0): "GGGG3"}
    # The starting tile is a part of it.
    assert [bonus(SHAPES, number, laid={0: corner}) for number in (1, 2, 3)] == [4, 0, 9]
    assert bonus(SHAPES, 1, laid={0: column(3)}) == 0
    assert bonus(SHAPES, 1, laid={0: {**corner, (0, 1): "PPPP3", (0, -2): "RRRR3", (2, 0): "GGGG3"}}) == 4


@pytest.mark.parametrize(
    ("laid", "plain"),
    [
        # Three in a column and one to the right of the foot, as it is drawn; then with its head to the left.
        ({(0, -1): "RRRR3", (0, -2): "RRRR3", (1, 0): "GGGG3"}, True),
        ({(0, -1): "RRRR3", (0, 1): "PPPP3", (-1, -1): "RRRR3"}, True),
        # Its mirror image: the head to the right.
        ({(0, -1): "RRRR3", (0, 1): "PPPP3", (1, -1): "RRRR3"}, False),
    ],
)
def test_sanctuary_20_a_shape_is_mirrored_only_with_the_option(laid: Laid, plain: bool) -> None:
    assert bonus(SHAPELY, laid={0: laid}) == (7 if plain else 0)
    assert bonus(SHAPELY, laid={0: laid}, rules={"mirror_shapes": True}) == 7


# sanctuary-21: solo.


def solo(*hand: str, number: int = 3, challenge: str = "NONE", **given: Any) -> Story:
    """One plays alone, and these are the last cards of the round."""
    return Story(hand, seats=1, variant="solo", number=number, rules={"challenge": challenge}, **given)


def test_sanctuary_21_five_times_two_cards_of_which_one_is_kept() -> None:
    deck = {"g:3": 3, "p": 5, "?:2": 3, "h:2": 3}
    story = Story(seats=1, variant="solo", start=True, deck=deck)
    assert story.let("card g:3") == [{"card_drawn": {"card": "g:3"}}]
    assert (story.phase, story.table["drawn"]) == ("DRAW_CARD", [story.kinds.index("g:3")])
    story.let("card p")
    assert (story.turn, story.phase, story.moves) == (0, "PICK", ["pick g:3", "pick p"])
    # Three dots kept over one: two steps up, where the house's track has -4.
    assert story.do("pick g:3") == [{"picked": {"card": "g:3", "discarded": "p", "token": 2}}]
    story.let("card ?:2", "card p")
    story.do("pick p")  # A weaker one, a step down.
    assert story.table["token"] == 1
    story.let("card h:2", "card ?:2")
    story.do("pick h:2")  # Equally strong.
    assert story.table["token"] == 1
    story.let("card p", "card p")
    assert story.moves == ["pick p"]  # Also where there is no choice.
    story.do("pick p")
    assert (story.phase, story.turn) == ("DRAW_CARD", CHANCE)
    story.let("card -", "card g:3")
    story.do("pick -")  # Two steps down.
    assert (story.phase, story.turn, story.table["token"]) == ("PLAY", 0, -1)
    assert story.hand(0) == ["-", "g:3", "p", "p", "h:2"]
    # The discards are known.
    assert [story.kinds[card] for card in story.table["discards"]] == ["g:3", "p", "p", "?:2", "?:2"]


@pytest.mark.parametrize(
    ("token", "pick", "end"),
    [
        (1, "g:3", 3),
        (2, "g:3", 3),
        (3, "g:3", 3),
        (3, "p", 1),
        (0, "p", -2),
        (-1, "p", -2),
        (-2, "p", -2),
        (-2, "g:3", 0),
    ],
)
def test_sanctuary_21_the_token_stops_at_the_ends_of_the_track(token: int, pick: str, end: int) -> None:
    # Two steps down and three up, which is not the house's track.
    track = {"values": [9, 4, 0, -1, -2, -50], "start": 2}
    story = Story(["-"] * 4, seats=1, variant="solo", phase="PICK", drawn=["g:3", "p"], token=token, track=track)
    assert story.do(f"pick {pick}")[0]["picked"]["token"] == end
    story.do(*["top -"] * 4)
    story.do(f"top {pick}")
    if story.phase == "FEED":
        story.do(story.moves[0])
    # 2 points for the manatee that goes back hungry, and what the track adds.
    assert story.scores[0] == 10 - 2 + {3: -50, 1: -1, -2: 9, 0: 0}[end]


@pytest.mark.parametrize(("token", "points"), [(0, 0), (2, -4), (-3, 6), (10, -20), (-10, 20)])
def test_sanctuary_21_at_scoring_the_tracks_value_is_added_and_the_token_reset(token: int, points: int) -> None:
    story = solo("-", number=1, token=token)
    scored = find(story.do("top -"), "scored")
    assert scored == [{"seat": 0, "manatees": 0, "bonus": 0, "track": points, "end_game": 0, "score": 10 + points}]
    assert (story.table["token"], story.table["round"], story.phase) == (0, 2, "DRAW_CARD")


# sanctuary-22: tiers.


@pytest.mark.parametrize(
    ("score", "tier"),
    [
        *((-5, 0), (49, 0), (50, 1), (59, 1), (60, 2), (69, 2), (70, 3), (79, 3), (80, 4), (89, 4)),
        *((90, 5), (99, 5), (100, 6), (109, 6), (110, 7), (200, 7)),
    ],
)
def test_sanctuary_22_tiers_by_lower_bound_25_higher_with_round_bonuses(score: int, tier: int) -> None:
    story = solo("-", score={0: score})
    assert story.do("top -")[-1] == {"ended": {"reason": "ROUNDS", "tier": tier, "challenge_won": None}}
    assert (story.turn, story.ranks) == (OVER, [1])
    # A card that gives nothing here.
    given: dict[str, Any] = {"rules": WITH_BONUSES, "bonuses": [GREEN, PURPLE, YELLOW]}
    story = Story(["-"], seats=1, variant="solo", number=3, score={0: score + 25}, **given)
    assert find(story.do("top -"), "ended")[0]["tier"] == tier


def test_sanctuary_22_tiers_are_for_solo() -> None:
    story = Story(["-"], number=3, score={0: 99})
    assert story.do("top -")[-1] == {"ended": {"reason": "ROUNDS", "tier": None, "challenge_won": None}}


# sanctuary-23: challenges.


def last_card(challenge: str, score: int = 71, **given: Any) -> Story:
    """Alone in round 3, with one harmless card left to play."""
    return solo("-", challenge=challenge, score={0: score}, strongest_discarded=challenge == "POWER_CAP", **given)


def won(story: Story) -> bool:
    ended = find(story.do("top -"), "ended")[0]
    assert ended["challenge_won"] == story.game.reached(story.state)
    return story.game.reached(story.state)


def test_sanctuary_23_challenges_exclude_round_bonuses() -> None:
    for challenge in OTHER_CHALLENGES:
        refused("rules.challenge", 1, catalogue(), {"challenge": challenge, "round_bonuses": True}, "solo")
    Sanctuary(1, catalogue(), WITH_BONUSES, "solo")


@pytest.mark.parametrize("challenge", ["TIGHT_FIT", "POWER_CAP", "WEAK_CUT", "SHORTAGE"])
def test_sanctuary_23_at_least_71_points(challenge: str) -> None:
    assert won(last_card(challenge, 71))
    assert not won(last_card(challenge, 70))


def test_sanctuary_23_points_are_judged_at_the_very_end() -> None:
    # 65 and 6 of the track.
    assert won(last_card("TIGHT_FIT", 65, token=-3))
    assert not won(last_card("TIGHT_FIT", 71, token=3))


def test_sanctuary_23_harvester_has_at_least_40_food_left() -> None:
    for food, score, met in ((41, 70, True), (40, 70, False), (41, 69, False)):
        # One manatee eats first, and scores a point.
        assert won(last_card("HARVESTER", score, food={0: food}, housed={0: (1, 0, 0)})) == met


def test_sanctuary_23_tight_fit_takes_a_space_of_each_card_but_not_of_the_starting_tile() -> None:
    # 4 and 0 and 2 spaces, instead of 4 and 1 and 3.
    laid = {0: {(0, -1): "RRRR1", (0, -2): "RRRR3"}}
    for challenge, spaces in (("TIGHT_FIT", 6), ("NONE", 8)):
        for there, phase in ((spaces - 1, "PLAY"), (spaces, "RETURN")):
            story = solo("g", "-", challenge=challenge, laid=laid, housed={0: (there, 0, 0)}, food={0: 20})
            story.do("top g")
            assert story.phase == phase
    # An end-game card has none to lose.
    laid = {0: {(0, -1): "RRRR+PAIRS"}}
    assert solo("-", challenge="TIGHT_FIT", laid=laid, housed={0: (4, 0, 0)}).housed() == (4, 0, 0)


def test_sanctuary_23_colour_coordinated_has_at_least_7_flowers_of_a_colour() -> None:
    assert won(last_card("COLOUR_COORDINATED", laid={0: column(7)}))
    assert not won(last_card("COLOUR_COORDINATED", laid={0: column(6)}))
    assert not won(last_card("COLOUR_COORDINATED", 70, laid={0: column(7)}))
    # Nine flowers of three colours.
    mixed: Laid = {**column(5), **{(x, 0): "GGGG3" for x in (1, 2)}, **{(0, y): "PPPP3" for y in (1, 2)}}
    assert not won(last_card("COLOUR_COORDINATED", laid={0: mixed}))


def test_sanctuary_23_shortage_has_at_most_6_flowers() -> None:
    assert won(last_card("SHORTAGE", laid={0: column(6)}))
    assert not won(last_card("SHORTAGE", laid={0: column(7)}))
    assert not won(last_card("SHORTAGE", laid={0: {**column(5), (1, 0): "GGGG3", (0, 1): "PPPP3"}}))


def fifth_card(challenge: str, number: int, *cards: str, **given: Any) -> Story:
    """The last of five cards has just been kept, of a pair of equal ones."""
    *held, last = cards
    deck = {last: 3}
    story = solo(*held, number=number, challenge=challenge, phase="DRAW_CARD", deck=deck, **given)
    story.let(*[f"card {last}"] * 2)
    story.do(f"pick {last}")
    return story


def test_sanctuary_23_power_cap_discards_the_strongest_once_when_the_player_likes() -> None:
    hand = ("g:3", "p:3", "?", "g:3", "h:2")
    for number in (1, 2):
        story = fifth_card("POWER_CAP", number, *hand)
        assert (story.phase, story.turn) == ("DISCARD", 0)
        assert story.moves == ["discard g:3", "discard p:3", "decline"]  # Of equals the player picks.
        assert not story.legal("discard h:2")
        assert story.do("decline") == [{"declined": {}}]
        assert (story.phase, story.table["strongest_discarded"], len(story.hand(0))) == ("PLAY", False, 5)
    story = fifth_card("POWER_CAP", 1, *hand)
    assert story.do("discard g:3") == [{"discarded": {"card": "g:3"}}]
    assert story.hand(0) == ["g:3", "p:3", "?", "h:2"]
    assert [story.kinds[card] for card in story.table["discards"]].count("g:3") == 1
    assert (story.phase, story.table["strongest_discarded"]) == ("PLAY", True)
    # Once it is done it is not asked again.
    assert fifth_card("POWER_CAP", 2, *hand, strongest_discarded=True).phase == "PLAY"
    assert fifth_card("POWER_CAP", 3, *hand, strongest_discarded=True).phase == "PLAY"


def test_sanctuary_23_power_cap_is_forced_in_round_3() -> None:
    story = fifth_card("POWER_CAP", 3, "p", "?", "g:2", "gg:2", "h")
    assert story.moves == ["discard g:2", "discard gg:2"]
    assert not story.legal("decline")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_sanctuary_23_weak_cut_discards_the_weakest_every_round(number: int) -> None:
    story = fifth_card("WEAK_CUT", number, "g:3", "p:2", "?:2", "p:2", "h:3")
    assert story.moves == ["discard p:2", "discard ?:2"]
    assert not story.legal("decline")
    assert names(story.do("discard ?:2")) == ["discarded"]
    assert story.hand(0) == ["g:3", "p:2", "p:2", "h:3"]
    assert (story.phase, story.table["strongest_discarded"]) == ("PLAY", False)


def test_sanctuary_23_no_other_challenge_asks_for_a_discard() -> None:
    for challenge in ("NONE", "HARVESTER", "TIGHT_FIT", "SAVIOUR"):
        assert fifth_card(challenge, 2, "g:3", "p", "?:2", "h", "gg").phase == "PLAY"


def test_sanctuary_23_architect_contains_the_challenge_shape() -> None:
    ell: Laid = {(0, -1): "RRRR3", (0, -2): "RRRR3", (1, 0): "GGGG3"}
    mirrored: Laid = {(0, -1): "RRRR3", (0, 1): "PPPP3", (1, -1): "RRRR3"}
    assert won(last_card("ARCHITECT", laid={0: ell}))
    assert not won(last_card("ARCHITECT", 70, laid={0: ell}))
    for mirror in (False, True):
        rules = {"challenge": "ARCHITECT", "mirror_shapes": mirror}
        story = Story(["-"], seats=1, variant="solo", number=3, score={0: 71}, laid={0: mirrored}, rules=rules)
        assert won(story) == mirror


def test_sanctuary_23_saviour_has_at_least_24_manatees() -> None:
    laid = {0: {(0, -1): ROOMY, (0, -2): ROOMY}}
    for gray, met in ((20, True), (19, False)):
        there: Manatees = (gray, 1, 3)
        story = last_card("SAVIOUR", laid=laid, starts=("RGPW9",) * 2, housed={0: there}, food={0: 99})
        assert won(story) == met
        assert not story.table["sent_back"]


def test_sanctuary_23_saviour_loses_with_the_first_manatee_sent_back() -> None:
    story = solo("gpy", "-", challenge="SAVIOUR", score={0: 90}, token=-3, housed={0: (2, 0, 0)})
    story.do("top gpy")
    assert story.phase == "RETURN"  # The return is asked and made, the other newcomers are housed.
    assert story.do("return 1,1,0") == [
        {"returned": {"seat": 0, "manatees": told((1, 1, 0))}},
        {"housed": {"seat": 0, "manatees": told((0, 0, 1))}},
        {"ended": {"reason": "SENT_BACK", "tier": None, "challenge_won": False}},
    ]
    table = story.table
    assert (story.turn, table["phase"], table["sent_back"]) == (OVER, "OVER", True)
    # The round is not scored.
    assert (story.scores, table["token"], table["round"], story.hand(0)) == ([86], -3, 3, ["-"])
    # For want of food, too, in whatever round.
    story = solo("-", number=1, challenge="SAVIOUR", score={0: 90}, housed={0: (4, 0, 0)})
    story.do("top -")
    assert names(story.do("return 4,0,0")) == ["returned", "fed", "ended"]
    assert (story.turn, story.scores) == (OVER, [82])


# sanctuary-24: Scramble.

SMALL = {"allow_small_scramble": True}


def scramble(*hands: list[str], seats: int = 4, bags: list[Manatees] | None = None, **given: Any) -> Story:
    """Scramble in round 3. Of four seats the first two have the first bag."""
    return Story(*hands, seats=seats, variant="scramble", rules=SMALL, number=3, bags=bags, **given)


def test_sanctuary_24_both_decks_are_shuffled_together() -> None:
    story = Story(seats=7, variant="scramble", start=True, deck={"g": 3, "'p": 4})
    assert story.chance == {"card -": 87, "card g": 3, "card '-": 86, "card 'p": 4}
    assert story.bags == [(80, 30, 20), (80, 30, 20)]


@pytest.mark.parametrize(("seats", "first"), [(2, 1), (3, 2), (6, 3), (7, 4), (12, 6)])
def test_sanctuary_24_the_first_half_of_the_seats_draws_from_the_first_bag(seats: int, first: int) -> None:
    story = Story(*[["g"]] * seats, seats=seats, variant="scramble", rules=SMALL)
    story.do(*["top g"] * seats)
    assert story.bags == [(80 - first, 30, 20), (80 - (seats - first), 30, 20)]


def test_sanctuary_24_starting_tiles_follow_the_bag() -> None:
    hands = [["RRRR3", "GGGG3", "gg", "-"]] * 3
    story = Story(*hands, seats=3, variant="scramble", rules=SMALL, starts=("RRRR1", "GGGG2"))
    for seat, edge in ((0, "RRRR3"), (1, "RRRR3"), (2, "GGGG3")):
        assert {move.split()[1] for move in story.bottoms} == {edge}
        story.do("top gg")
        # One space, or two.
        assert story.phase == ("RETURN" if seat < 2 else "PLAY")
        if seat < 2:
            story.do("return 1,0,0")


def test_sanctuary_24_while_the_own_bag_is_empty_draws_come_from_the_other() -> None:
    story = scramble(["-"], ["-"], ["??"], bags=[(80, 30, 20), (0, 1, 0)], housed={2: (3, 0, 0)})
    story.do("top -", "top -", "top ??")
    assert story.chance == {"manatee pink": 1}
    story.let("manatee pink")
    assert story.chance == {"manatee gray": 80, "manatee pink": 30, "manatee yellow": 20}
    story.let("manatee yellow")
    # One space. What goes back comes to the own bag.
    assert story.moves == ["return 0,0,1"]
    story.do("return 0,0,1")
    assert story.bags == [(80, 30, 19), (0, 0, 1)]


def test_sanctuary_24_the_hungry_go_back_to_the_own_bag_too() -> None:
    story = scramble(["-"], housed={2: (2, 0, 0)})
    assert story.bags == [(80, 30, 20), (78, 30, 20)]
    story.do("top -", "return 2,0,0")
    assert story.bags == [(80, 30, 20), (80, 30, 20)]


def test_sanctuary_24_an_absent_colour_is_skipped_while_the_own_bag_is_not_empty() -> None:
    story = scramble(["-"], ["-"], ["gpy"], bags=[(80, 30, 20), (2, 0, 1)])
    story.do("top -", "top -")
    assert find(story.do("top gpy"), "top_played")[0]["taken"] == told((1, 0, 1))
    assert story.bags == [(80, 30, 20), (1, 0, 0)]
    # It is empty after the gray one.
    story = scramble(["-"], ["-"], ["gpy"], bags=[(80, 30, 20), (1, 0, 0)])
    story.do("top -", "top -")
    assert find(story.do("top gpy"), "top_played")[0]["taken"] == told((1, 1, 1))
    assert story.bags == [(80, 29, 19), (0, 0, 0)]


def test_sanctuary_24_drawing_ends_when_both_are_empty() -> None:
    story = scramble(["gpy", "?", "-"], bags=[(1, 0, 0), (0, 0, 0)], food={0: 9})
    assert find(story.do("top gpy"), "top_played")[0]["taken"] == told((1, 0, 0))
    assert names(story.do("top ?")) == ["top_played"]
    assert story.bags == [(0, 0, 0), (0, 0, 0)]
    # Also in the middle of a card.
    story = scramble(["???", "-"], bags=[(1, 0, 0), (0, 1, 0)], food={0: 9})
    story.do("top ???")
    story.let("manatee gray")
    assert names(story.let("manatee pink")) == ["manatee_drawn", "housed"]
    assert (story.phase, story.housed()) == ("PLAY", (1, 1, 0))


# Figures of the rulebook.


def test_the_figures_of_the_rulebook() -> None:
    # Feeding 1 yellow, 1 pink and 4 gray costs 7; they score 21 in round 1.
    events = feeding(7, 4, 1, 1).do("top -")
    assert (find(events, "fed")[0]["food"], find(events, "scored")[0]["manatees"]) == (7, 21)
    # 4 flowers and 2 harvests give 8.
    story = Story(["hh"], laid={0: FOUR_FLOWERS})
    assert find(story.do("top hh"), "top_played")[0]["harvest"] == 8
    # 1 yellow, 1 pink and 2 gray cost 5.
    assert find(feeding(5, 2, 1, 1).do("top -"), "fed")[0]["food"] == 5
    # Keeping 3 dots over 1 moves the token up two, to -4.
    story = Story(["-"] * 4, seats=1, variant="solo", phase="PICK", drawn=["-:3", "-"])
    assert story.do("pick -:3")[0]["picked"]["token"] == 2
    events = story.do(*["top -"] * 4, "top -:3")
    assert find(events, "scored")[0]["track"] == -4


def test_sanctuary_16_food_and_points_end_at_9999_and_the_position_can_be_read() -> None:
    story = Story(
        ["hhhhhhhhh"], laid={0: {(0, -1): "RWRW2"}}, housed={0: (3, 0, 0)}, food={0: 9_998}, score={0: 9_998}, number=3
    )
    story.play(0, "top hhhhhhhhh")
    dump = story.game.dump(story.state)
    assert dump["table"]["seats"][0]["food"] == 9_999 - 3  # eaten after the harvest
    assert dump["table"]["seats"][0]["score"] == 9_999
    assert story.game.load(dump) is not None
