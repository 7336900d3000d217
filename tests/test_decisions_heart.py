"""The rule decisions of heart on the kernel, each as a small story (`docs/rules-heart.md` has their text).

Columns 0 to 3 rescue, swim, photograph and have the shark. Every column has a blank tile at the beach end, and every
starting tile has food to the north, rescue to the east, swim to the south and nothing to the west, unless the story
says otherwise. So a blank tile goes west of the starting tile.
"""

import copy
from typing import Any

import pytest
from heart_cases import (
    DIVER,
    FOOD,
    HOME,
    ON_ANY,
    ON_CORAL,
    ON_DIVER,
    ON_FISH,
    RARE,
    RELOCATE,
    RESCUE,
    STRANGE,
    SWIM,
    Laid,
    Story,
    catalogue,
    green,
    icons,
    names,
    orange,
    pattern,
)

from ext.errors import Malformed
from ext.game import CHANCE, OVER
from ext.heart import Heart

pytestmark = pytest.mark.kernel

WEST = "place -1,0 r0"
"""Where a blank tile goes beside a starting tile."""
NEARBY: Laid = {(-1, 0): "...."}
"""A tile to the west of the starting tile."""
FISHY: Laid = {(-1, 0): "I... r3", (-2, 0): "I... r1"}
"""To the west of the starting tile, two tiles with a complete fish between them."""


# heart-1: two to four seats, and who begins.


def test_heart_1_two_to_four_seats_and_the_first_player_is_drawn() -> None:
    for seats in (1, 5):
        with pytest.raises(Malformed, match="2 to 4"):
            Heart(seats, catalogue())
    for seats in (2, 3, 4):
        game = Heart(seats, catalogue())
        start = game.start()
        assert game.turn(start) == CHANCE
        assert game.dump(start)["table"]["phase"] == "DRAW_FIRST"
        outcomes = {game.outcome_notation(outcome): weight for outcome, weight in game.outcomes(start)}
        assert outcomes == {f"first {seat}": 1 for seat in range(seats)}
        last = game.happen(start, game.parse_outcome(f"first {seats - 1}"))
        table = game.dump(last)["table"]
        assert (table["first_player"], table["turn"]) == (seats - 1, seats - 1)


def test_heart_1_turns_go_from_seat_to_seat_upwards() -> None:
    story = Story(seats=3, turn=1)
    for seat, take in ((1, "take 0"), (2, "take 0"), (0, "take 2")):
        assert story.turn == seat
        story.do(take, WEST)
    assert story.turn == 1


# heart-2: what is where before anybody decides.


def test_heart_2_seats_get_their_starting_tile_unturned_with_a_manatee() -> None:
    game = Heart(4, catalogue(starts=["FRS.", "F...", "FFFF", "CCCC"]))
    table = game.dump(game.start())["table"]
    home = {"tile": None, "cell": {"x": 0, "y": 0}, "rotation": 0, "manatees": 1}
    assert [seat["habitat"] for seat in table["seats"]] == [[home]] * 4
    assert (table["supply"], table["shark"], table["die_face"]) == (26, None, None)
    # Seat 1 has food to the north and nothing else: food goes north of its starting tile and nowhere else.
    story = Story(seats=4, turn=1, starts=["FRS.", "F...", "FFFF", "CCCC"], columns={0: ["F...", "...."]})
    story.do("take 0")
    assert [move for move in story.moves if move.startswith("place 0,-1")] == ["place 0,-1 r2"]


def test_heart_2_columns_are_drawn_from_left_to_right_then_four_photos_then_the_die() -> None:
    game = Heart(2, catalogue([green(2)]))
    state = game.happen(game.start(), game.parse_outcome("first 1"))
    drawn = [3, 1, 0, 2, 2, 2, 4, 0, 0, 0, 5, 6]
    for n, tile in enumerate(drawn):
        assert game.dump(state)["table"]["refill_column"] == n // 3
        state = game.happen(state, game.parse_outcome(f"tile {tile}"))
    for photo in (1, 0, 1, 1):
        assert game.dump(state)["table"]["phase"] == "DRAW_PHOTO"
        state = game.happen(state, game.parse_outcome(f"photo {photo}"))
    assert game.dump(state)["table"]["phase"] == "ROLL_DIE"
    state = game.happen(state, game.parse_outcome("die 4"))
    table = game.dump(state)["table"]
    # The first drawn lies at the beach end.
    assert [column["tiles"] for column in table["columns"]] == [[3, 1, 0], [2, 2, 2], [4, 0, 0], [0, 5, 6]]
    assert (table["open_photos"], table["die_face"]) == ([0, 1, 1, 1], 4)
    assert game.turn(state) == 1


def test_heart_2_alike_components_are_one_kind_weighted_by_their_number() -> None:
    story = Story(columns={0: ["...."], 1: ["F..."], 2: ["R...", "R..."], 3: ["D..."] * 3})
    assert story.chance == {}
    story.do("take 0")
    # Three of each kind but the blank one, less what the columns have.
    assert (story.chance["S..."], story.chance["F..."], story.chance["R..."]) == (3, 2, 1)
    assert "D..." not in story.chance


# heart-3: a die face is Relocate, or a set of attractions of which one will do.


@pytest.mark.parametrize(("die", "bonus"), [(ON_FISH, True), (ON_ANY, True), (ON_CORAL, False), (ON_DIVER, False)])
def test_heart_3_any_one_attraction_of_the_face_will_do(die: int, bonus: bool) -> None:
    story = Story(FISHY, die=die)
    story.do("take 3", "place -1,-1 r0")
    assert story.phase == ("TAKE" if bonus else "ROLL_DIE")


def test_heart_3_sides_with_the_same_face_weigh_together() -> None:
    story = Story(die=ON_CORAL)
    story.do("take 3", WEST)
    assert story.chance == {"die 0": 2, "die 1": 1, "die 2": 1, "die 3": 1, "die 4": 1}


# heart-4: rotations, and what beside means.


def test_heart_4_a_tile_shares_an_edge_with_an_own_tile_corners_do_not_count() -> None:
    story = Story()
    story.do("take 0")
    assert story.moves == [WEST]
    for cell in ("-1,-1", "-1,1", "-2,0", "0,0"):
        assert not story.legal(f"place {cell} r0")


def test_heart_4_turns_are_clockwise_and_count_from_the_tile_as_printed() -> None:
    story = Story(columns={0: ["FRS.", "...."]})
    story.do("take 0")
    # Turned once .FRS, twice S.FR, three times RS.F. North needs food to its south, east rescue to its west ...
    assert story.moves == ["place 0,-1 r2", "place -1,0 r2", "place 1,0 r2", "place 0,1 r2"]


def test_heart_4_the_fewest_turns_stand_for_rotations_that_look_alike() -> None:
    story = Story(columns={0: ["F.F.", "...."]})
    story.do("take 0")
    assert story.moves == ["place 0,-1 r0", WEST]
    game, state = story.game, story.state
    assert game.legal(state, 0, game.parse("place 0,-1 r2"))
    assert game.canonical(state, 0, game.parse("place 0,-1 r2")) == game.parse("place 0,-1 r0")
    assert game.play(state, 0, game.parse("place 0,-1 r2")) == game.play(state, 0, game.parse("place 0,-1 r0"))
    # A blank tile looks alike in all four.
    story = Story()
    story.do("take 0")
    assert all(story.legal(f"place -1,0 r{r}") for r in range(4))
    assert story.moves == [WEST]


def test_heart_4_no_two_kinds_are_rotations_of_each_other() -> None:
    rotated = catalogue()
    rotated["tiles"][1]["edges"] = rotated["tiles"][2]["edges"][1:] + rotated["tiles"][2]["edges"][:1]
    with pytest.raises(Malformed, match="turned"):
        Heart(2, rotated)


# heart-5: touching edges are equal.


def test_heart_5_the_same_half_icon_or_blank_on_both() -> None:
    # At -1,-1 a tile touches two blank edges, to its south and its east.
    story = Story({(-1, 0): "....", (0, -1): "F... r2"}, columns={0: ["F...", "...."]})
    story.do("take 0")
    assert [m for m in story.moves if m.startswith("place -1,-1")] == ["place -1,-1 r0", "place -1,-1 r3"]
    # East of the starting tile is half a rescue icon: neither food nor blank will do.
    assert not any(story.legal(f"place 1,0 r{r}") for r in range(4))


# heart-6: what fits is placed, what does not is discarded.


def test_heart_6_what_fits_anywhere_must_be_placed() -> None:
    story = Story()
    story.do("take 3")
    assert "discard" not in story.moves
    assert not story.legal("discard")


def test_heart_6_what_fits_nowhere_is_discarded_and_the_turn_ends_without_an_action() -> None:
    story = Story({}, NEARBY, columns={3: [STRANGE, "...."]}, die=ON_CORAL)
    story.do("take 3")
    assert story.moves == ["discard"]
    assert names(story.do("discard")) == ["discarded"]
    # Neither has the shark moved nor the die been rolled.
    assert (story.turn, story.phase, story.table["shark"], story.table["die_face"]) == (1, "TAKE", None, ON_CORAL)
    assert story.table["discards"] == [{"tile": story.kinds.index(STRANGE), "count": 1}]


# heart-7: refills and the reshuffle.


def test_heart_7_an_emptied_column_is_refilled_before_the_tile_is_placed() -> None:
    story = Story(columns={0: ["...."]})
    assert names(story.do("take 0")) == ["taken"]
    assert (story.turn, story.phase, story.table["refill_column"]) == (CHANCE, "DRAW_TILE", 0)
    story.let("R...", "S...", "D...")
    # The first drawn lies at the beach end.
    assert (story.columns[0], story.phase) == (["R...", "S...", "D..."], "PLACE")


def test_heart_7_a_column_with_tiles_left_is_never_topped_up() -> None:
    for left in (["F..."], ["F...", "D..."]):
        story = Story(columns={0: ["....", *left]})
        story.do("take 0")
        assert (story.columns[0], story.phase) == (left, "PLACE")


def test_heart_7_discards_become_the_pile_in_the_middle_of_a_refill() -> None:
    story = Story(columns={0: ["...."]}, pile=["R..."], discards=["S...", "S..."])
    story.do("take 0")
    events = story.let("R...")
    assert events == [
        {"tile_drawn": {"tile": story.kinds.index("R..."), "column": 0}},
        {"reshuffled": {"tiles": 2}},
    ]
    # The tile in hand is not among them. A certain draw is still an event.
    assert story.chance == {"S...": 2}
    story.let("S...", "S...")
    assert (story.columns[0], story.phase, story.table["discards"]) == (["R...", "S...", "S..."], "PLACE", [])


def test_heart_7_without_the_reshuffle_a_column_stays_short() -> None:
    story = Story(rules={"reshuffle_discards": False}, columns={0: ["...."]}, pile=["R..."], discards=["S...", "S..."])
    story.do("take 0")
    assert names(story.let("R...")) == ["tile_drawn"]
    assert (story.columns[0], story.phase) == (["R..."], "PLACE")
    story.do(WEST)
    assert (story.turn, story.columns[0]) == (1, ["R..."])


def test_heart_7_an_empty_column_waits_for_a_turn_that_finds_tiles_the_lowest_first() -> None:
    story = Story(columns={0: [STRANGE] * 3, 1: [], 2: [], 3: [STRANGE]}, pile=[])
    story.do("take 3")
    assert (story.phase, story.columns) == ("PLACE", [[STRANGE] * 3, [], [], []])  # There is nothing to draw.
    # The discard is found by the next turn.
    assert names(story.do("discard")) == ["discarded", "reshuffled"]
    assert (story.turn, story.table["turn"], story.table["refill_column"]) == (CHANCE, 1, 1)
    story.let(STRANGE)
    assert (story.turn, story.columns) == (1, [[STRANGE] * 3, [STRANGE], [], []])


# heart-8: when there is no tile to take.


def test_heart_8_a_take_that_finds_every_column_empty_ends_the_game() -> None:
    story = Story(columns={0: ["...."], 1: [], 2: [], 3: []}, pile=[])
    story.do("take 0")
    assert story.do(WEST)[1:] == [{"rescued": {"seat": 0, "manatees": 1}}, {"ended": {"reason": "NO_TILES"}}]
    assert (story.turn, story.phase) == (OVER, "OVER")


def test_heart_8_final_turns_lapse_too() -> None:
    story = Story(columns={0: ["...."], 1: [], 2: [], 3: []}, pile=[], supply=1)
    story.do("take 0")
    assert story.do(WEST)[-2:] == [
        {"end_triggered": {"seat": 0, "reason": "SUPPLY"}},
        {"ended": {"reason": "NO_TILES"}},
    ]


def test_heart_8_a_bonus_that_finds_no_tile_is_skipped() -> None:
    story = Story(FISHY, columns={0: [], 1: [], 2: [], 3: ["...."]}, pile=[], die=ON_FISH, shark=(1, (-1, 0)))
    story.do("take 3", "place -1,-1 r0", "shark 1:-2,0")
    assert story.phase == "ROLL_DIE"
    assert story.let("die 0")[-1] == {"ended": {"reason": "NO_TILES"}}


# heart-9: rescue.


def test_heart_9_one_and_one_for_each_complete_rescue_icon_this_turns_tile_too() -> None:
    story = Story(columns={0: ["R...", "...."]})
    story.do("take 0")
    assert story.do("place 1,0 r3")[-1] == {"rescued": {"seat": 0, "manatees": 2}}
    assert (story.manatees(0), story.table["supply"]) == ({HOME: 3}, 26)


@pytest.mark.parametrize(("there", "supply", "rescued"), [(1, 9, 2), (3, 9, 1), (4, 9, 0), (0, 9, 2), (0, 1, 1)])
def test_heart_9_as_many_as_there_is_room_and_supply_for(there: int, supply: int, rescued: int) -> None:
    story = Story({(1, 0): "R... r3"}, home={0: there}, supply=supply)
    story.do("take 0")
    assert story.do(WEST)[1] == {"rescued": {"seat": 0, "manatees": rescued}}
    assert story.manatees(0).get(HOME, 0) == there + rescued


# heart-10: swims.


def two_swims(home: int = 1, west: str = "....", **rules: bool) -> Story:
    """The seat may swim twice: it has just completed a swim icon to the south. To the west is another tile."""
    story = Story({(-1, 0): west}, home={0: home}, columns={1: ["S...", "...."]}, rules=rules)
    story.do("take 1", "place 0,1 r0")
    return story


def test_heart_10_each_swim_is_by_another_manatee() -> None:
    story = two_swims(home=2)
    assert (story.phase, story.table["swims_left"]) == ("SWIM", 2)
    assert story.moves == ["swim 0,0 -1,0", "swim 0,0 0,1", "decline"]
    assert names(story.do("swim 0,0 0,1")) == ["swam"]
    assert (story.table["swims_left"], story.table["swum"]) == (1, [{"x": 0, "y": 1}])
    assert story.moves == ["swim 0,0 -1,0", "decline"]
    story.do("swim 0,0 -1,0")
    assert (story.turn, story.manatees(0), story.table["swum"]) == (1, {(-1, 0): 1, (0, 1): 1}, [])


def test_heart_10_to_another_tile() -> None:
    assert not two_swims().legal("swim 0,0 0,0")


def test_heart_10_manatees_on_the_starting_tile_are_alike_and_those_that_swam_are_counted() -> None:
    story = two_swims(home=1, west=".... m")
    story.do("swim -1,0 0,0")
    assert (story.table["swum_on_starting_tile"], story.table["swum"]) == (1, [])
    # One of the two there has not swum.
    assert story.moves == ["swim 0,0 -1,0", "swim 0,0 0,1", "decline"]
    # The only manatee has swum: nothing is asked.
    story = two_swims(home=0, west=".... m")
    story.do("swim -1,0 0,0")
    assert story.turn == 1


def test_heart_10_declining_a_swim_ends_the_action() -> None:
    story = two_swims(home=2)
    assert story.do("decline") == [{"declined": {"seat": 0}}]
    assert (story.turn, story.table["swims_left"]) == (1, 0)


def test_heart_10_the_same_manatee_may_swim_again_with_repeat_swimmers() -> None:
    story = two_swims(repeat_swimmers=True)
    story.do("swim 0,0 0,1")
    assert (story.table["swum"], story.table["swum_on_starting_tile"]) == ([], 0)
    assert story.moves == ["swim 0,1 -1,0", "swim 0,1 0,0", "decline"]
    story.do("swim 0,1 -1,0")
    assert (story.turn, story.manatees(0)) == (1, {(-1, 0): 1})


def test_heart_10_swims_go_on_while_any_is_legal_with_swims_mandatory() -> None:
    story = two_swims(home=2, swims_mandatory=True)
    assert not story.legal("decline")
    story.do("swim 0,0 0,1")
    assert story.moves == ["swim 0,0 -1,0"]  # A single legal move is still asked.
    story.do("swim 0,0 -1,0")
    assert story.turn == 1


# heart-11: where a swim leads.


def swims(*row: str, home: int = 0, shark: int | None = None, **rules: bool) -> dict[int, list[int]]:
    """Where each manatee of a row of tiles can swim: "mm" is two manatees, the starting tile is at 0.

    The row ends with a tile just placed, without a manatee.
    """
    xs = [*range(-len(row), 0)]
    habitat = {(x, 0): f".... {text}" for x, text in zip(xs, row, strict=True)}
    story = Story(habitat, home={0: home}, rules=rules, shark=None if shark is None else (0, (shark, 0)))
    story.do("take 1", f"place {-len(row) - 1},0 r0")
    found: dict[int, list[int]] = {}
    for move in story.moves:
        if move.startswith("swim"):
            origin, destination = (int(cell.split(",")[0]) for cell in move.split()[1:])
            found.setdefault(origin, []).append(destination)
    return found


def test_heart_11_any_length_but_not_onto_or_past_a_manatee_or_the_shark() -> None:
    assert swims("", "", "", home=1) == {0: [-4, -3, -2, -1]}
    assert swims("", "m", "", home=1) == {-2: [-4, -3, -1, 0], 0: [-1]}
    assert swims("", "", "", home=1, shark=-2) == {0: [-1]}


def test_heart_11_the_starting_tile_lets_swims_in_and_through_while_it_has_fewer_than_four() -> None:
    # From north to west, over the starting tile.
    for there, free in ((3, True), (4, False)):
        story = Story({(0, -1): "F... r2 m"}, home={0: there})
        story.do("take 1", WEST)
        assert story.legal("swim 0,-1 -1,0") == story.legal("swim 0,-1 0,0") == free
        assert story.legal("swim 0,0 -1,0")  # Leaving is always allowed.


def test_heart_11_any_manatee_on_the_starting_tile_blocks_with_the_option() -> None:
    for there, free in ((0, True), (1, False)):
        story = Story({(0, -1): "F... r2 m"}, home={0: there}, rules={"starting_tile_blocks": True})
        story.do("take 1", WEST)
        assert story.phase == ("SWIM" if there or free else "TAKE")
        assert story.legal("swim 0,-1 -1,0") == story.legal("swim 0,-1 0,0") == free
        assert story.legal("swim 0,0 -1,0") == (there > 0)


# heart-12: photos.


def test_heart_12_a_photo_is_taken_after_placing_and_replaced_at_once() -> None:
    story = Story(cards=[green(1), green(2, icons(FOOD))], shown=[1, 1, 2])
    story.do("take 2", WEST)
    # Equal cards are one move; there is no complete food.
    assert story.moves == ["photo 1", "decline"]
    assert story.do("photo 1") == [{"photo_taken": {"seat": 0, "photo": 1}}]
    assert (story.turn, story.scores) == (CHANCE, [1, 0])
    assert story.chance == {"photo 0": 13, "photo 1": 3, "photo 2": 4}
    assert story.let("photo 2") == [{"photo_drawn": {"photo": 2}}]
    assert (story.table["open_photos"], story.turn) == ([0, 1, 2, 2], 1)


def test_heart_12_nothing_is_asked_when_no_card_can_be_taken() -> None:
    story = Story()
    story.do("take 2", WEST)
    assert story.turn == 1


def test_heart_12_late_in_a_game_of_four_fewer_than_four_lie_open() -> None:
    held = dict.fromkeys(range(3), [RARE] * 5) | {3: [1, *[RARE] * 4]}
    story = Story(seats=4, turn=3, trigger=3, held=held, cards=[green(1)], shown=[1] * 4)
    assert story.table["photo_deck"] == []
    story.do("take 2", WEST)
    assert names(story.do("photo 1")) == ["photo_taken", "ended"]
    assert story.table["open_photos"] == [1, 1, 1]


def test_heart_12_green_is_worth_its_points_and_orange_what_the_final_habitat_counts() -> None:
    cards = [green(7), orange(2, "MANATEES")]
    for card, now, later in ((1, 7, 7), (2, 2, 4)):
        story = Story(cards=cards, held={0: [card]})
        assert story.scores == [now, 0]
        story.do("take 0", WEST)  # A second manatee comes.
        assert story.scores == [later, 0]


def test_heart_12_orange_has_a_requirement_too_unless_switched_off() -> None:
    cards = [green(1, icons(DIVER)), orange(1, "TILES", icons(DIVER))]
    story = Story(cards=cards, shown=[1, 2])
    story.do("take 2", WEST)
    assert story.turn == 1
    story = Story(cards=cards, shown=[1, 2], rules={"orange_needs_requirement": False})
    story.do("take 2", WEST)
    assert story.moves == ["photo 2", "decline"]


# heart-13: what a card asks for.


def can_take(habitat: Laid, *requirement: dict[str, Any], home: int = 1, **rules: bool) -> bool:
    """Whether a card can be taken after a blank tile has been placed far to the west, in a row of two."""
    story = Story({(-1, 0): "....", **habitat}, cards=[green(1, *requirement)], shown=[1], home={0: home}, rules=rules)
    story.do("take 2", "place -2,0 r0")
    return story.phase == "PHOTO"


NORTH_AND_SOUTH: Laid = {(0, -1): "F... r2", (0, 1): "S..."}


def test_heart_13_all_demands_must_hold_and_none_is_met() -> None:
    assert can_take(NORTH_AND_SOUTH, icons(FOOD), icons(SWIM))
    assert not can_take(NORTH_AND_SOUTH, icons(FOOD), icons(RESCUE))
    assert not can_take(NORTH_AND_SOUTH, icons(FOOD, 2))
    assert can_take({})


def test_heart_13_a_pattern_has_cells_named_inner_edges_and_manatees() -> None:
    column = pattern((0, 0), (0, 1), (0, 2), edges=[(0, 1, FOOD), (1, 2, SWIM)])
    assert can_take(NORTH_AND_SOUTH, column)
    assert not can_take(NORTH_AND_SOUTH, pattern((0, 0), (0, 1), (0, 2), edges=[(0, 1, SWIM), (1, 2, SWIM)]))
    # Inner edges that are not named are free, and so is all that lies around.
    assert can_take(NORTH_AND_SOUTH, pattern((0, 0), (0, 1), (0, 2)))
    assert not can_take(NORTH_AND_SOUTH, pattern((0, 0), (0, 1), (0, 2), (0, 3)))
    for manatees, met in ((2, True), (3, False)):
        both = pattern((0, 0), (0, 1), edges=[(0, 1, FOOD)], manatees=manatees)
        assert can_take(NORTH_AND_SOUTH, both, home=2) == met
    # A manatee elsewhere does not count.
    assert not can_take(
        {(0, -1): "F... r2", (0, 1): "S... m"}, pattern((0, 0), (0, 1), edges=[(0, 1, FOOD)], manatees=2)
    )


def test_heart_13_a_pattern_turns_and_may_have_one_cell_or_cells_that_do_not_touch() -> None:
    # Food to the left of swim: to be found from top to bottom.
    assert can_take(NORTH_AND_SOUTH, pattern((3, 1), (4, 1), (5, 1), edges=[(1, 0, FOOD), (2, 1, SWIM)]))
    assert can_take({}, pattern((5, 5), manatees=1))
    assert not can_take({}, pattern((5, 5), manatees=2))
    assert can_take(NORTH_AND_SOUTH, pattern((0, 0), (2, 0)))
    assert not can_take(NORTH_AND_SOUTH, pattern((0, 0), (3, 0)))


def test_heart_13_mirrored_only_with_the_option() -> None:
    # An L: rescue to the right of the upper end of food over swim.
    bend: Laid = {(0, -1): "F... r2", (1, 0): "R... r3"}
    corner = pattern((0, 0), (0, -1), (1, 0), edges=[(0, 1, FOOD), (0, 2, RESCUE)])
    mirrored = pattern((0, 0), (0, -1), (-1, 0), edges=[(0, 1, FOOD), (0, 2, RESCUE)])
    assert can_take(bend, corner)
    assert not can_take(bend, mirrored)
    assert can_take(bend, mirrored, mirror_patterns=True)


def test_heart_13_orange_counts_icons_manatees_or_tiles_and_floors() -> None:
    cards = [orange(5, "ICONS", icon=FOOD, per=2), orange(5, "MANATEES", per=2), orange(5, "TILES", per=2)]
    three_foods: Laid = {(0, -1): "F.F.", (0, -2): "F.F.", (0, -3): "F... r2"}

    def worth(card: int, home: int) -> int:
        # The manatees on the starting tile eat there, too.
        return Story(three_foods, cards=cards, held={0: [card]}, home={0: home}).scores[0] - home

    assert worth(1, 1) == 5  # Three icons.
    assert [worth(2, home) for home in (1, 2, 3, 4)] == [0, 5, 5, 10]
    assert worth(3, 1) == 10  # Four tiles: the starting tile is one.


def test_heart_13_a_photo_uses_nothing_up() -> None:
    story = Story({(0, -1): "F... r2"}, cards=[green(3, icons(FOOD))], shown=[1, 1], held={0: [1]})
    story.do("take 2", WEST, "photo 1")
    assert story.table["seats"][0]["photos"] == [1, 1]


# heart-14: where the shark goes.


def test_heart_14_to_another_tile_of_another_player_without_manatee_and_no_starting_tile() -> None:
    story = Story(
        NEARBY,
        {(-1, 0): "....", (-2, 0): ".... m"},
        {(0, -1): "F... r2"},
        seats=3,
        home={1: 0},
        shark=(1, (-1, 0)),
    )
    story.do("take 3", "place -2,0 r0")
    # Not where it is, not beside a manatee, not on a starting tile even if empty. One choice is still asked.
    assert story.moves == ["shark 2:0,-1"]
    assert story.do("shark 2:0,-1")[0] == {"shark_moved": {"seat": 0, "host": 2, "cell": {"x": 0, "y": -1}}}
    assert story.table["shark"] == {"seat": 2, "cell": {"x": 0, "y": -1}}


def test_heart_14_without_such_a_tile_it_stays() -> None:
    story = Story()
    assert names(story.do("take 3", WEST)) == ["taken", "placed"]
    assert (story.phase, story.table["shark"]) == ("ROLL_DIE", None)


# heart-15: Relocate.


@pytest.mark.parametrize(("theirs", "ours", "moved"), [(1, 1, 1), (4, 3, 1), (0, 1, 0), (2, 4, 0)])
def test_heart_15_one_manatee_from_the_hosts_starting_tile_to_the_own(theirs: int, ours: int, moved: int) -> None:
    story = Story({}, {(-1, 0): "....", (-2, 0): ".... m"}, home={0: ours, 1: theirs})
    story.do("take 3", WEST)
    events = story.do("shark 1:-1,0")
    assert names(events) == ["shark_moved", *["relocated"] * moved]
    assert story.manatees(0).get(HOME, 0) == ours + moved
    assert story.manatees(1).get(HOME, 0) == theirs - moved
    assert story.phase == "ROLL_DIE"


def test_heart_15_not_when_the_shark_could_not_be_placed() -> None:
    story = Story({}, NEARBY, shark=(1, (-1, 0)))
    assert names(story.do("take 3", WEST)) == ["taken", "placed"]
    assert (story.phase, story.manatees(0), story.manatees(1)) == ("ROLL_DIE", {HOME: 1}, {HOME: 1})


# heart-16: the bonus tile.


def test_heart_16_one_tile_more_from_any_column_without_an_action() -> None:
    story = Story(FISHY, columns={3: ["...."]}, die=ON_FISH)
    story.do("take 3")
    story.let("R...", "S...", "D...")
    story.do("place -1,-1 r0")  # The shark cannot move, and yet there is a bonus.
    assert (story.phase, story.table["bonus"], story.table["action_column"]) == ("TAKE", True, 3)
    assert story.moves == ["take 0", "take 1", "take 2", "take 3"]  # It cannot be declined.
    story.do("take 0")
    assert names(story.do("place -2,-1 r0")) == ["placed"]  # No rescue, no further bonus.
    assert (story.phase, story.table["bonus"]) == ("ROLL_DIE", False)
    story.let("die 2")
    assert (story.turn, story.phase) == (1, "TAKE")


def test_heart_16_the_shark_goes_first_and_this_turns_tile_counts() -> None:
    story = Story({(-1, 0): "I... r3"}, NEARBY, columns={3: ["I...", "...."]}, die=ON_FISH)
    story.do("take 3", "place -2,0 r1")
    assert story.phase == "SHARK"
    story.do("shark 1:-1,0")
    assert (story.phase, story.table["bonus"]) == ("TAKE", True)


def test_heart_16_a_bonus_tile_that_fits_nowhere_is_discarded() -> None:
    story = Story(FISHY, columns={0: [STRANGE, "...."]}, die=ON_FISH)
    story.do("take 3", "place -1,-1 r0", "take 0")
    assert story.moves == ["discard"]
    story.do("discard")
    assert story.phase == "ROLL_DIE"


def test_heart_16_the_bonus_tile_may_be_declined_with_the_option() -> None:
    story = Story(FISHY, die=ON_FISH, rules={"bonus_tile_optional": True})
    assert not story.legal("decline")  # Only the bonus may.
    story.do("take 3", "place -1,-1 r0")
    assert story.moves == ["take 0", "take 1", "take 2", "take 3", "decline"]
    assert names(story.do("decline")) == ["declined"]
    assert story.phase == "ROLL_DIE"


# heart-17: the die is rolled again.


def test_heart_17_whether_or_not_it_gave_anything() -> None:
    nothing = Story(die=ON_CORAL)
    nothing.do("take 3", WEST)
    bonus = Story(FISHY, die=ON_FISH)
    bonus.do("take 3", "place -1,-1 r0", "take 0", "place -2,-1 r0")
    relocated = Story({}, NEARBY, die=RELOCATE)
    relocated.do("take 3", WEST, "shark 1:-1,0")
    for story in (nothing, bonus, relocated):
        assert story.phase == "ROLL_DIE"
        assert story.let("die 3") == [{"die_rolled": {"face": 3}}]
        assert (story.turn, story.table["die_face"]) == (1, 3)


# heart-18: what the shark does not hinder.


def test_heart_18_the_shark_blocks_movement_and_nothing_else() -> None:
    story = Story({(-1, 0): "D... r3"}, columns={1: ["D...", "...."]}, shark=(0, (-1, 0)), die=ON_DIVER)
    # Built beside the shark, completing the icon on its tile; but the only swim leads over it.
    assert names(story.do("take 1", "place -2,0 r1")) == ["taken", "placed"]
    assert story.turn == 1
    story = Story({(-1, 0): "D... r3", (-2, 0): "D... r1"}, shark=(0, (-1, 0)), die=ON_DIVER)
    story.do("take 3", "place -2,-1 r0")
    assert (story.phase, story.table["bonus"]) == ("TAKE", True)


# heart-19: points of manatees.


def test_heart_19_each_manatee_scores_each_complete_food_on_its_tile() -> None:
    assert Story({(0, -1): "F.F. m"}, home={0: 3}).scores == [3 + 1, 0]
    assert Story({(0, -1): "F.F. m", (0, -2): "F... r2"}, home={0: 3}).scores == [3 + 2, 0]
    assert Story({(0, -1): "F.F.", (0, -2): "F... r2 m"}, home={0: 0}).scores == [1, 0]
    assert Story(home={0: 4}).scores == [0, 0]  # Half an icon is none.


# heart-20: how the game ends.


def test_heart_20_a_fifth_photo_triggers_and_every_seat_has_one_more_turn() -> None:
    story = Story(turn=1, cards=[green(1)], shown=[1, 1, 1, 1], held={0: [RARE] * 4, 1: [RARE] * 4})
    story.do("take 2", WEST)
    assert story.do("photo 1")[1:] == [{"end_triggered": {"seat": 1, "reason": "PHOTOS"}}]
    assert (story.table["trigger_seat"], story.table["turns_left"]) == (1, 2)
    story.let("photo 0")
    assert (story.turn, story.table["turns_left"]) == (0, 1)
    # Another's fifth photo changes nothing.
    story.do("take 2", WEST)
    assert names(story.do("photo 1")) == ["photo_taken"]
    story.let("photo 0")
    assert (story.turn, story.table["turns_left"], story.table["trigger_seat"]) == (1, 0, 1)
    # The triggering seat has the last turn.
    story.do("take 0")
    assert story.do("place -2,0 r0")[-1] == {"ended": {"reason": "LAST_TURN"}}


def test_heart_20_the_last_manatee_triggers_and_the_excess_is_lost() -> None:
    story = Story({}, {(1, 0): "R... r3"}, seats=3, turn=1, supply=1)
    story.do("take 0")
    assert story.do(WEST)[1:] == [
        {"rescued": {"seat": 1, "manatees": 1}},
        {"end_triggered": {"seat": 1, "reason": "SUPPLY"}},
    ]
    assert (story.turn, story.table["turns_left"]) == (2, 2)
    assert story.manatees(1) == {HOME: 2}


# heart-21: ties.


def test_heart_21_a_tie_goes_to_the_most_manatees_and_then_is_shared() -> None:
    def ranks(*home: int, held: dict[int, list[int]] | None = None) -> list[int]:
        story = Story(seats=3, home=dict(enumerate(home)), cards=[green(1)], held=held)
        return story.game.ranks(story.state)

    assert ranks(1, 1, 1) == [1, 1, 1]
    assert ranks(1, 2, 1) == [2, 1, 2]
    assert ranks(1, 1, 0) == [1, 1, 3]
    assert ranks(1, 2, 1, held={2: [1]}) == [3, 2, 1]


# heart-22: what happens though it no longer matters; what a position carries; what is refused.


def test_heart_22_draws_and_rolls_happen_in_the_last_turn_too() -> None:
    five = {0: [RARE] * 5}
    story = Story(trigger=0, held=five, cards=[green(1)], shown=[1], columns={2: ["...."]})
    story.do("take 2")
    story.let("F...", "F...", "F...")
    story.do(WEST, "photo 1")
    assert story.let("photo 0") == [{"photo_drawn": {"photo": 0}}, {"ended": {"reason": "LAST_TURN"}}]
    assert story.table["seats"][0]["photos"] == [0] * 5 + [1]
    story = Story(trigger=0, held=five)
    story.do("take 3", WEST)
    assert story.let("die 2") == [{"die_rolled": {"face": 2}}, {"ended": {"reason": "LAST_TURN"}}]


def test_heart_22_everything_is_open() -> None:
    story = two_swims(home=2)
    story.do("swim 0,0 0,1")
    game = story.game
    for seat in (0, 1):
        view = game.dump_observation(game.observe(story.state, seat))
        assert view == {"table": story.table, "seat_knowledge": {"seat": seat}}
        assert game.dump(game.determinize(game.observe(story.state, seat), 7)) == game.dump(story.state)


def test_heart_22_positions_that_cannot_be_are_refused() -> None:
    def refused(path: str, change: Any, **story: Any) -> None:
        told = Story(**story)
        position = copy.deepcopy(told.game.dump(told.state))
        change(position["table"])
        with pytest.raises(Malformed) as caught:
            told.game.load(position)
        assert path in [fault.path for fault in caught.value.violations]

    def empty_a_column(table: Any) -> None:
        taken = [*table["columns"][1]["tiles"]]
        table["columns"][1]["tiles"] = []
        for entry in table["pile"]:
            entry["count"] += taken.count(entry["tile"])

    def take_a_photo_away(table: Any) -> None:
        table["open_photos"].pop()
        table["photo_deck"][0]["count"] += 1

    refused("table.columns[1].tiles", empty_a_column)
    refused("table.open_photos", take_a_photo_away)
    refused("table.trigger_seat", lambda table: table.update(trigger_seat=0))
    refused("table.trigger_seat", lambda table: table.update(trigger_seat=None), trigger=0, held={0: [RARE] * 5})
    refused("table.supply", lambda table: table.update(supply=27))


# heart-23: no endless game.


def stuck(stale: bool, column: int = 0) -> Story:
    """Nobody can place what lies at the beach; the pile is empty, and one tile has been discarded."""
    beach = {c: [STRANGE] * 2 for c in range(4)} | {column: [STRANGE]}
    return Story(columns=beach, pile=[], discards=[STRANGE], stale=stale)


def test_heart_23_a_second_reshuffle_with_nothing_placed_in_between_ends_the_game() -> None:
    story = stuck(stale=False)
    assert names(story.do("take 0")) == ["taken", "reshuffled"]  # The first never does.
    assert story.table["nothing_placed_since_reshuffle"]
    story.let(STRANGE)
    story.do("discard")
    assert story.do("take 0")[-1] == {"ended": {"reason": "NOTHING_PLACED"}}
    # Other columns have tiles; the tile in hand is not scored, and the action lapses.
    table = story.table
    assert (story.turn, table["tile_in_hand"], table["action_column"]) == (OVER, story.kinds.index(STRANGE), None)
    assert story.columns == [[], *[[STRANGE] * 2] * 3]
    assert story.scores == [0, 0]


def test_heart_23_a_placement_in_between_lets_it_go_on() -> None:
    beach = {0: [STRANGE], 1: ["....", STRANGE], 2: [STRANGE] * 2, 3: [STRANGE] * 2}
    story = Story(columns=beach, pile=[], discards=[STRANGE], stale=True)
    story.do("take 1", WEST, "decline")
    assert not story.table["nothing_placed_since_reshuffle"]
    assert names(story.do("take 0")) == ["taken", "reshuffled"]


def test_heart_23_also_at_the_start_of_a_turn() -> None:
    story = Story(columns={0: [STRANGE] * 2, 1: [STRANGE], 2: [STRANGE], 3: []}, pile=[], rules={}, stale=True)
    # The discard could fill column 3, but only after a second reshuffle.
    assert names(story.do("take 0", "discard")) == ["taken", "discarded", "ended"]


def test_heart_23_never_without_reshuffles() -> None:
    beach = {c: [STRANGE] for c in range(4)}
    story = Story(columns=beach, pile=[], discards=[STRANGE], rules={"reshuffle_discards": False})
    for _ in range(3):
        story.do(story.moves[0], "discard")
    assert story.do(story.moves[0], "discard")[-1] == {"ended": {"reason": "NO_TILES"}}
