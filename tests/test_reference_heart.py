"""The reference implementation of heart, held to positions that were worked out by hand."""

from __future__ import annotations

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest
from reference.heart import (
    CHANCE,
    DEFAULT_RULES,
    OVER,
    Habitat,
    ReferenceHeart,
)

Cell = tuple[int, int]
Event = dict[str, Any]

HOME = (0, 0)
PROTO = Path(__file__).parent.parent / "proto" / "advisor" / "v1" / "heart.proto"
ICONS = {".": "BLANK", "F": "FOOD", "D": "DIVER", "I": "FISH", "C": "CORAL", "R": "RESCUE", "S": "SWIM"}
FOOD, DIVER, FISH, CORAL, RESCUE, SWIM = (f"HEART_ICON_{ICONS[letter]}" for letter in "FDICRS")

# The kinds of tile of the small catalogue: id, edges north, east, south, west, count. 90 tiles in all.
TILES = """
 0 .... 10
 1 F.F. 8
 2 FFFF 8
 3 F... 10
 4 R... 8
 5 S... 8
 6 D... 6
 7 I... 6
 8 C... 6
 9 FRS. 6
10 FDIC 6
11 RSRS 4
12 FF.. 4
"""
# Seats 0 and 1 have food to the north, rescue to the east, swim to the south and nothing to the west.
STARTING_TILES = ["FRS.", "FRS.", "FFFF", "CCCC"]
# Column 0 rescues, column 1 swims, column 2 photographs, column 3 has the shark.
ACTIONS = ["RESCUE", "SWIM", "PHOTO", "SHARK"]
# Face 0 is Relocate; the others ask for coral, diver, fish, or any attraction.
DIE = [["RELOCATE"], ["CORAL"], ["DIVER"], ["FISH"], ["CORAL", "DIVER", "FISH"]]

HOOK = {
    "cells": [{}, {"x": 1}, {"y": 1}],
    "edges": [{"second_cell": 1, "icon": FOOD}, {"second_cell": 2, "icon": FOOD}],
    "manatees": 1,
}
RESCUE_PAIR = {"cells": [{"x": 3}, {"x": 4}], "edges": [{"first_cell": 1, "icon": RESCUE}]}
TWO_ON_ONE = {"cells": [{}], "manatees": 2}
ZIGZAG = {"cells": [{}, {"x": 1}, {"x": 1, "y": 1}, {"x": 2, "y": 1}]}


def icons(icon: str, at_least: int = 1) -> dict[str, Any]:
    """Return a demand for complete icons as protobuf JSON writes it."""
    return {"icons": {"icon": icon, "at_least": at_least}}


def green(count: int, points: int, *requirement: dict[str, Any]) -> dict[str, Any]:
    return {"count": count, "colour": "HEART_COLOUR_GREEN", "points": points, "requirement": list(requirement)}


def orange(count: int, points: int, scoring: dict[str, Any], *requirement: dict[str, Any]) -> dict[str, Any]:
    photo = green(count, points, *requirement)
    return {**photo, "colour": "HEART_COLOUR_ORANGE", "scoring": scoring}


# 24 cards. A photo's kind is its index.
PHOTO_CARDS = [
    green(3, 2, icons(FOOD)),  # 0
    green(2, 3, icons(CORAL), icons(FOOD, 2)),  # 1
    green(3, 5, {"pattern": HOOK}),  # 2
    green(2, 4, {"pattern": RESCUE_PAIR}),  # 3
    orange(3, 1, {"counted": "HEART_COUNTED_MANATEES"}),  # 4
    orange(3, 2, {"counted": "HEART_COUNTED_TILES", "per": 2}, icons(DIVER)),  # 5
    orange(2, 3, {"counted": "HEART_COUNTED_ICONS", "icon": FOOD, "per": 2}, icons(SWIM)),  # 6
    green(2, 1),  # 7
    green(2, 6, {"pattern": TWO_ON_ONE}),  # 8
    green(2, 7, {"pattern": ZIGZAG}),  # 9
]


def edges(letters: str) -> list[str]:
    return [f"HEART_ICON_{ICONS[letter]}" for letter in letters]


def make_catalogue(starting_tiles: list[str] = STARTING_TILES) -> dict[str, Any]:
    tiles = [line.split() for line in TILES.strip().splitlines()]
    faces: list[dict[str, Any]] = [
        {"count": 2, "relocate": True} if face == ["RELOCATE"] else {"attractions": [f"HEART_ICON_{a}" for a in face]}
        for face in DIE
    ]
    return {
        "id": "test",
        "about": "For tests.",
        "tiles": [{"count": int(count), "edges": edges(letters)} for _, letters, count in tiles],
        "starting_tiles": [{"edges": edges(letters)} for letters in starting_tiles],
        "photos": [{"name": f"Photo {kind}", **photo} for kind, photo in enumerate(PHOTO_CARDS)],
        "die_faces": faces,
        "actions": [f"HEART_ACTION_{action}" for action in ACTIONS],
    }


CATALOGUE = make_catalogue()


# Setting scenes. Everything comes from the pile, the deck or the supply, so that nothing appears twice.


def new_game(
    seats: int = 2, first: int = 0, die: int = 0, catalogue: dict[str, Any] = CATALOGUE, **rules: Any
) -> ReferenceHeart:
    """Return a game at its first take: each column has 0, 3, 3, photos 0, 1, 2 and 5 lie open."""
    game = ReferenceHeart(catalogue, seats, rules)
    game.start(first)
    let(game, *["tile 0", "tile 3", "tile 3"] * 4)
    let(game, "photo 0", "photo 1", "photo 2", "photo 5")
    let(game, f"die {die}")
    assert (game.turn, game.phase) == (first, "TAKE")
    return game


def let(game: ReferenceHeart, *outcomes: str) -> list[Event]:
    """Let chance have these outcomes and return all events."""
    return [event for outcome in outcomes for event in game.happen(outcome)]


def do(game: ReferenceHeart, *moves: str) -> list[Event]:
    """Make these moves of the deciding seat and return all events."""
    return [event for move in moves for event in game.play(game.turn, move)]


def offer(game: ReferenceHeart, column: int, *tiles: int) -> None:
    """Let a column have exactly these tiles."""
    for tile in game.columns[column]:
        game.pile[tile] += 1
    game.columns[column] = list(tiles)
    for tile in tiles:
        game.pile[tile] -= 1


def show(game: ReferenceHeart, *photos: int) -> None:
    """Let exactly these photos lie open."""
    for photo in game.open_photos:
        game.photo_deck[photo] += 1
    game.open_photos = list(photos)
    for photo in photos:
        game.photo_deck[photo] -= 1


def give(game: ReferenceHeart, seat: int, *photos: int) -> None:
    for photo in photos:
        game.photo_deck[photo] -= 1
        game.photos_taken[seat].append(photo)


def put(game: ReferenceHeart, seat: int, cell: Cell, manatees: int) -> None:
    """Let a tile hold so many manatees."""
    game.supply -= manatees - game.habitats[seat].manatees[cell]
    game.habitats[seat].manatees[cell] = manatees


def lay(game: ReferenceHeart, seat: int, cell: Cell, tile: int, rotation: int = 0, manatees: int = 0) -> None:
    """Put a tile of the pile into a habitat."""
    habitat = game.habitats[seat]
    habitat.lay(cell, tile, game.tiles[tile]["edges"], rotation)
    game.pile[tile] -= 1
    put(game, seat, cell, manatees)
    game.check()


def use_up(game: ReferenceHeart, pile: list[int], discards: list[int]) -> None:
    """Leave only these tiles in the pile and among the discards; the others are out of this test."""
    game.pile = [pile.count(tile) for tile in range(len(game.tiles))]
    game.discards = [discards.count(tile) for tile in range(len(game.tiles))]


def names(events: list[Event]) -> list[str]:
    return [name for event in events for name in event]


def habitat_of(start: str, tiles: dict[Cell, str]) -> Habitat:
    """Return a habitat whose tiles are given by their edges as they lie."""
    habitat = Habitat(edges(start))
    for cell, letters in tiles.items():
        habitat.lay(cell, 0, edges(letters), 0)
    return habitat


# The decisions, one by one.


def test_heart_1_the_first_player_is_drawn_from_two_to_four_seats() -> None:
    for seats in (1, 5):
        with pytest.raises(ValueError, match="heart-1"):
            ReferenceHeart(CATALOGUE, seats, {})
    game = ReferenceHeart(CATALOGUE, 4, {})
    game.start()
    assert game.turn == CHANCE
    assert game.chance() == {"first 0": 1, "first 1": 1, "first 2": 1, "first 3": 1}
    assert let(game, "first 2") == [{"first_drawn": {"seat": 2}}]
    assert game.position()["table"]["first_player"] == 2


def test_heart_1_the_first_player_may_be_given() -> None:
    game = ReferenceHeart(CATALOGUE, 3, {})
    game.start(1)
    assert (game.phase, game.first_player) == ("DRAW_TILE", 1)
    game = new_game(seats=3, first=1)
    assert game.turn == 1
    assert game.moves(0) == []


def test_heart_2_setup_draws_columns_then_photos_then_the_die() -> None:
    game = ReferenceHeart(CATALOGUE, 4, {})
    game.start(0)
    # Starting tiles need no chance: they lie already, unturned, with a manatee each.
    tables = game.position()["table"]["seats"]
    assert all(s["habitat"] == [{"tile": None, "cell": {"x": 0, "y": 0}, "rotation": 0, "manatees": 1}] for s in tables)
    assert [habitat.edges[HOME] for habitat in game.habitats] == [edges(letters) for letters in STARTING_TILES]
    assert game.supply == 26
    assert game.shark is None

    chance = game.chance()
    assert chance is not None
    assert chance["tile 0"] == 10  # Weighted by count.
    assert sum(chance.values()) == 90
    let(game, "tile 12", "tile 3", "tile 0")
    assert game.columns == [[12, 3, 0], [], [], []]  # The first drawn is at the beach end.
    chance = game.chance()
    assert chance is not None
    assert chance["tile 0"] == 9
    let(game, *["tile 1"] * 8, "tile 2")
    assert game.columns == [[12, 3, 0], [1, 1, 1], [1, 1, 1], [1, 1, 2]]

    chance = game.chance()
    assert chance is not None
    assert chance["photo 2"] == 3
    assert sum(chance.values()) == 24
    let(game, "photo 9", "photo 2", "photo 2", "photo 0")
    assert game.position()["table"]["open_photos"] == [0, 2, 2, 9]
    assert game.chance() == {"die 0": 2, "die 1": 1, "die 2": 1, "die 3": 1, "die 4": 1}
    assert let(game, "die 4") == [{"die_rolled": {"face": 4}}]
    assert game.moves(0) == ["take 0", "take 1", "take 2", "take 3"]
    game.check()


def test_heart_2_each_action_has_exactly_one_column() -> None:
    catalogue = make_catalogue()
    catalogue["actions"][0] = catalogue["actions"][1]
    with pytest.raises(ValueError, match="heart-2"):
        ReferenceHeart(catalogue, 2, {})


def test_heart_3_any_one_attraction_of_the_face_suffices() -> None:
    # The die shows coral, diver or fish. With a complete fish only there is a bonus, with none there is not.
    for with_fish in (True, False):
        game = new_game(die=4)
        if with_fish:
            lay(game, 0, (-1, 0), 7, 3)  # Fish to the west ...
            lay(game, 0, (-2, 0), 7, 1)  # ... and a fish to the east that completes it.
        do(game, "take 3", "place -1,0 r0" if not with_fish else "place -1,-1 r0")
        assert game.phase == ("TAKE" if with_fish else "ROLL_DIE")
        assert game.bonus == with_fish


def test_heart_3_a_face_is_relocate_or_a_set_of_attractions() -> None:
    for face in ({}, {"relocate": True, "attractions": [FISH]}, {"attractions": [FOOD]}):
        catalogue = make_catalogue()
        catalogue["die_faces"][0] = face
        with pytest.raises(ValueError, match="heart-3"):
            ReferenceHeart(catalogue, 2, {})


def test_heart_4_distinct_rotations_and_shared_edges() -> None:
    game = new_game()
    offer(game, 0, 1, 3, 3)  # F.F. has two distinct rotations.
    do(game, "take 0")
    # North of the start its south must be food; west of the start its east must be blank. East wants rescue, south
    # swim, and the corners share no edge.
    assert game.moves(0) == ["place 0,-1 r0", "place -1,0 r0"]
    assert game.legal(0, "place 0,-1 r2")
    assert game.canonical(0, "place 0,-1 r2") == "place 0,-1 r0"
    for other in ("place 0,-1 r1", "place -1,-1 r0", "place 1,1 r0", "place 0,0 r0", "place 0,-1", "place 0,-1 r4"):
        assert not game.legal(0, other)
    game.play(0, "place 0,-1 r2")
    assert game.position()["table"]["seats"][0]["habitat"][0] == {
        "tile": 1,
        "cell": {"x": 0, "y": -1},
        "rotation": 0,
        "manatees": 0,
    }


def test_heart_4_turns_are_clockwise_and_a_blank_tile_has_one_rotation() -> None:
    game = new_game()
    offer(game, 0, 9, 3, 3)  # FRS.: turned clockwise once .FRS, twice S.FR, three times RS.F.
    do(game, "take 0")
    # North: food to the south in r2. East: rescue to the west in r2. South: swim to the north in r2. West: a blank
    # east in r2.
    assert game.moves(0) == ["place 0,-1 r2", "place -1,0 r2", "place 1,0 r2", "place 0,1 r2"]
    game = new_game()
    do(game, "take 0")  # A blank tile.
    assert game.moves(0) == ["place -1,0 r0"]
    assert game.canonical(0, "place -1,0 r3") == "place -1,0 r0"


def test_heart_4_no_two_kinds_are_rotations_of_each_other() -> None:
    catalogue = make_catalogue()
    catalogue["tiles"][12]["edges"] = edges("..F.")
    with pytest.raises(ValueError, match="heart-4"):
        ReferenceHeart(catalogue, 2, {})


def test_heart_5_every_touching_edge_must_be_equal() -> None:
    game = new_game()
    lay(game, 0, (-1, 0), 0)
    lay(game, 0, (0, -1), 3, 2)
    offer(game, 0, 3, 3)
    do(game, "take 0")
    # (-1,-1) touches two blank edges, south and east: the food must look north or west.
    at_corner = [move for move in game.moves(0) if move.startswith("place -1,-1 ")]
    assert at_corner == ["place -1,-1 r0", "place -1,-1 r3"]
    # East of the start there is half a rescue icon: neither blank nor food fits.
    assert not any(move.startswith("place 1,0 ") for move in game.moves(0))


def test_heart_6_what_fits_must_be_placed() -> None:
    game = new_game()
    do(game, "take 3")
    assert not game.legal(0, "discard")


def test_heart_6_what_fits_nowhere_is_discarded_and_the_turn_ends() -> None:
    game = new_game(seats=4, first=3, die=0)
    lay(game, 0, (-1, 0), 0)  # The shark could go here.
    do(game, "take 3")  # A blank tile fits nowhere around CCCC.
    assert game.moves(3) == ["discard"]
    assert do(game, "discard") == [{"discarded": {"seat": 3, "tile": 0}}]
    assert game.shark is None
    assert (game.turn, game.phase, game.die_face) == (0, "TAKE", 0)
    assert game.discards[0] == 1
    game.check()


def test_heart_7_an_emptied_column_is_refilled_before_the_placement() -> None:
    game = new_game()
    offer(game, 0, 0, 3)
    do(game, "take 0")
    assert (game.phase, game.columns[0]) == ("PLACE", [3])  # One or two tiles are never topped up.
    game = new_game()
    offer(game, 0, 0)
    do(game, "take 0")
    assert (game.phase, game.turn, game.tile_in_hand, game.refill_column) == ("DRAW_TILE", CHANCE, 0, 0)
    let(game, "tile 5", "tile 6", "tile 7")
    assert game.columns[0] == [5, 6, 7]
    assert (game.phase, game.turn, game.tile_in_hand, game.refill_column) == ("PLACE", 0, 0, None)


def test_heart_7_the_discards_become_the_pile_in_the_middle_of_a_refill() -> None:
    game = new_game()
    offer(game, 0, 0)
    use_up(game, pile=[5], discards=[6, 6])
    assert names(do(game, "take 0")) == ["taken"]
    assert let(game, "tile 5") == [{"tile_drawn": {"tile": 5, "column": 0}}, {"reshuffled": {"tiles": 2}}]
    assert game.chance() == {"tile 6": 2}  # Not the tile in hand. A certain draw is still an event.
    let(game, "tile 6", "tile 6")
    assert (game.columns[0], game.phase) == ([5, 6, 6], "PLACE")


def test_heart_7_without_reshuffle_the_column_stays_short() -> None:
    game = new_game(reshuffle_discards=False)
    offer(game, 0, 0)
    use_up(game, pile=[5], discards=[6, 6])
    do(game, "take 0")
    assert names(let(game, "tile 5")) == ["tile_drawn"]
    assert (game.columns[0], game.phase) == ([5], "PLACE")
    do(game, "place -1,0 r0")
    assert (game.columns[0], game.turn, game.phase) == ([5], 1, "TAKE")


def test_heart_7_an_empty_column_waits_for_the_next_turn_that_finds_tiles() -> None:
    game = new_game(seats=4, first=3)
    game.columns = [[0, 3], [], [], [0]]
    use_up(game, pile=[], discards=[])
    do(game, "take 3")
    assert (game.phase, game.columns) == ("PLACE", [[0, 3], [], [], []])  # No tiles to be found.
    game.discards[0] = 3  # As if others had been discarded before.
    assert names(do(game, "discard")) == ["discarded", "reshuffled"]
    # Seat 0's turn begins with four tiles to be found: column 1 first, with three of them, then column 2.
    assert (game.turn, game.current, game.refill_column) == (CHANCE, 0, 1)
    let(game, "tile 0", "tile 0", "tile 0")
    assert game.refill_column == 2
    let(game, "tile 0")
    assert game.columns == [[0, 3], [0, 0, 0], [0], []]
    assert game.moves(0) == ["take 0", "take 1", "take 2"]


def test_heart_8_no_tile_to_take_ends_the_game() -> None:
    game = new_game()
    game.columns = [[0], [], [], []]
    use_up(game, pile=[], discards=[])
    do(game, "take 0")
    assert names(do(game, "place -1,0 r0")) == ["placed", "rescued", "ended"]
    assert (game.turn, game.over, game.phase) == (OVER, True, "OVER")
    assert game.moves(0) == game.moves(1) == []
    assert game.ranks() == [1, 2]


def test_heart_8_final_turns_included() -> None:
    game = new_game()
    game.columns = [[0], [], [], []]
    use_up(game, pile=[], discards=[])
    game.supply = 1
    do(game, "take 0")
    events = do(game, "place -1,0 r0")
    assert events[-2:] == [
        {"end_triggered": {"seat": 0, "reason": "SUPPLY"}},
        {"ended": {"reason": "NO_TILES"}},
    ]


def test_heart_8_a_bonus_that_finds_no_tile_is_skipped() -> None:
    game = new_game(die=3)
    lay(game, 0, (-1, 0), 7, 3)
    lay(game, 0, (-2, 0), 7, 1)  # A complete fish.
    game.columns = [[], [], [], [0]]
    use_up(game, pile=[], discards=[])
    do(game, "take 3", "place -1,-1 r0")
    assert game.phase == "ROLL_DIE"
    assert let(game, "die 0")[-1] == {"ended": {"reason": "NO_TILES"}}


def test_heart_9_rescue_counts_the_tile_just_placed() -> None:
    game = new_game()
    offer(game, 0, 4, 3)
    do(game, "take 0")
    events = do(game, "place 1,0 r3")  # Completes the rescue icon east of the start.
    assert events[-1] == {"rescued": {"seat": 0, "manatees": 2}}
    assert game.habitats[0].manatees[HOME] == 3
    assert game.supply == 26
    game.check()


@pytest.mark.parametrize(("there", "supply", "rescued"), [(1, 9, 2), (3, 9, 1), (4, 9, 0), (0, 9, 2), (0, 1, 1)])
def test_heart_9_rescue_stops_at_the_room_and_the_supply(there: int, supply: int, rescued: int) -> None:
    game = new_game()
    lay(game, 0, (1, 0), 4, 3)
    game.habitats[0].manatees[HOME] = there
    game.supply = supply
    do(game, "take 0")
    events = do(game, "place -1,0 r0")
    assert events[1] == {"rescued": {"seat": 0, "manatees": rescued}}
    assert game.habitats[0].manatees[HOME] == there + rescued


def swim_scene(manatees: int, **rules: Any) -> ReferenceHeart:
    """A swim with one complete swim icon, so two swims; tiles west and south of the start."""
    game = new_game(**rules)
    lay(game, 0, (-1, 0), 0)
    put(game, 0, HOME, manatees)
    offer(game, 1, 5, 3)
    do(game, "take 1", "place 0,1 r0")
    return game


def test_heart_10_each_swim_is_by_another_manatee() -> None:
    game = swim_scene(2)
    assert (game.phase, game.swims_left) == ("SWIM", 2)
    assert game.moves(0) == ["swim 0,0 -1,0", "swim 0,0 0,1", "decline"]
    assert not game.legal(0, "swim 0,0 0,0")  # To another tile.
    assert do(game, "swim 0,0 0,1") == [
        {"swam": {"seat": 0, "origin": {"x": 0, "y": 0}, "destination": {"x": 0, "y": 1}}}
    ]
    table = game.position()["table"]
    assert (table["swims_left"], table["swum"], table["swum_on_starting_tile"]) == (1, [{"x": 0, "y": 1}], 0)
    assert game.moves(0) == ["swim 0,0 -1,0", "decline"]
    do(game, "swim 0,0 -1,0")
    assert (game.turn, game.phase, game.swum) == (1, "TAKE", set())


def test_heart_10_swimmers_on_the_starting_tile_are_counted() -> None:
    game = swim_scene(1)
    put(game, 0, (-1, 0), 1)
    do(game, "swim -1,0 0,0")
    assert (game.swum_on_starting_tile, game.swum) == (1, set())
    # One of the two there has not swum.
    assert game.moves(0) == ["swim 0,0 -1,0", "swim 0,0 0,1", "decline"]
    game = swim_scene(1)
    put(game, 0, HOME, 0)
    put(game, 0, (-1, 0), 1)
    do(game, "swim -1,0 0,0")
    assert game.turn == 1  # The only manatee has swum: nothing is asked.


def test_heart_10_declining_ends_the_action() -> None:
    game = swim_scene(2)
    assert do(game, "decline") == [{"declined": {"seat": 0}}]
    assert (game.turn, game.swims_left) == (1, 0)


def test_heart_10_repeat_swimmers() -> None:
    game = swim_scene(1, repeat_swimmers=True)
    do(game, "swim 0,0 0,1")
    assert (game.swum, game.swum_on_starting_tile) == (set(), 0)
    assert game.moves(0) == ["swim 0,1 -1,0", "swim 0,1 0,0", "decline"]
    do(game, "swim 0,1 -1,0")
    assert game.habitats[0].manatees == {HOME: 0, (-1, 0): 1, (0, 1): 0}


def test_heart_10_swims_mandatory() -> None:
    game = swim_scene(2, swims_mandatory=True)
    assert game.moves(0) == ["swim 0,0 -1,0", "swim 0,0 0,1"]
    do(game, "swim 0,0 0,1")
    assert game.moves(0) == ["swim 0,0 -1,0"]  # A single legal move is still asked.
    do(game, "swim 0,0 -1,0")
    assert game.turn == 1


def row_of_tiles() -> Habitat:
    """Blank tiles from (-3,0) to (2,0), the start among them, without manatees."""
    habitat = habitat_of("....", {(x, 0): "...." for x in (-3, -2, -1, 1, 2)})
    habitat.manatees[HOME] = 0
    return habitat


def test_heart_11_manatees_and_the_shark_block() -> None:
    habitat = row_of_tiles()
    habitat.manatees[HOME] = 1
    assert habitat.reachable(HOME, None, False) == {(-3, 0), (-2, 0), (-1, 0), (1, 0), (2, 0)}
    habitat.manatees[(-2, 0)] = 1
    assert habitat.reachable(HOME, None, False) == {(-1, 0), (1, 0), (2, 0)}
    assert habitat.reachable(HOME, (1, 0), False) == {(-1, 0)}


def test_heart_11_the_starting_tile_blocks_when_full() -> None:
    habitat = row_of_tiles()
    habitat.manatees[(-1, 0)] = 1
    habitat.manatees[HOME] = 3
    assert habitat.reachable((-1, 0), None, False) == {(-3, 0), (-2, 0), HOME, (1, 0), (2, 0)}
    habitat.manatees[HOME] = 4
    assert habitat.reachable((-1, 0), None, False) == {(-3, 0), (-2, 0)}
    assert habitat.reachable(HOME, None, False) == {(1, 0), (2, 0)}  # Leaving is always allowed.


def test_heart_11_option_starting_tile_blocks() -> None:
    habitat = row_of_tiles()
    habitat.manatees[(-1, 0)] = 1
    assert habitat.reachable((-1, 0), None, True) == {(-3, 0), (-2, 0), HOME, (1, 0), (2, 0)}
    habitat.manatees[HOME] = 1
    assert habitat.reachable((-1, 0), None, True) == {(-3, 0), (-2, 0)}
    assert habitat.reachable(HOME, None, True) == {(1, 0), (2, 0)}
    game = swim_scene(1, starting_tile_blocks=True)
    put(game, 0, (-1, 0), 1)
    assert game.moves(0) == ["swim 0,0 0,1", "decline"]


def test_heart_12_a_photo_is_taken_and_replaced_at_once() -> None:
    game = new_game()
    show(game, 7, 7, 0, 5)
    do(game, "take 2", "place -1,0 r0")
    assert game.moves(0) == ["photo 7", "decline"]  # Equal cards are one move; food and diver are missing.
    assert do(game, "photo 7") == [{"photo_taken": {"seat": 0, "photo": 7}}]
    assert game.scores() == [1, 0]
    chance = game.chance()
    assert chance is not None
    assert chance["photo 2"] == 3
    assert sum(chance.values()) == 20
    assert let(game, "photo 9") == [{"photo_drawn": {"photo": 9}}]
    assert game.position()["table"]["open_photos"] == [0, 5, 7, 9]
    assert game.turn == 1
    game.check()


def test_heart_12_nothing_is_asked_when_no_requirement_is_met() -> None:
    game = new_game()
    do(game, "take 2", "place -1,0 r0")
    assert game.turn == 1


def test_heart_12_an_empty_deck_replaces_nothing() -> None:
    game = new_game()
    show(game, 7, 0, 5, 1)
    game.photo_deck = [0 for _ in game.photo_deck]
    do(game, "take 2", "place -1,0 r0", "photo 7")
    assert (game.open_photos, game.turn, game.phase) == ([0, 5, 1], 1, "TAKE")


def test_heart_12_orange_scores_the_final_habitat() -> None:
    game = new_game()
    show(game, 4, 0, 5, 1)
    do(game, "take 2", "place -1,0 r0", "photo 4")  # One point a manatee.
    assert game.scores() == [1, 0]
    put(game, 0, HOME, 4)
    assert game.scores() == [4, 0]


def test_heart_12_option_orange_needs_no_requirement() -> None:
    game = new_game(orange_needs_requirement=False)
    show(game, 0, 5, 6, 1)
    do(game, "take 2", "place -1,0 r0")
    assert game.moves(0) == ["photo 5", "photo 6", "decline"]  # Green ones still need theirs.


def test_heart_13_all_demands_must_hold() -> None:
    habitat = habitat_of("FFF.", {(0, -1): "..F.", (1, 0): "...F"})
    two_foods_and_a_coral = PHOTO_CARDS[1]["requirement"]
    assert habitat.icons(FOOD) == 2
    assert not habitat.meets(two_foods_and_a_coral, False)
    habitat = habitat_of("FFFC", {(0, -1): "..F.", (1, 0): "...F", (-1, 0): ".C.."})
    assert habitat.meets(two_foods_and_a_coral, False)
    habitat = habitat_of("FFFC", {(0, -1): "..F.", (-1, 0): ".C.."})
    assert not habitat.meets(two_foods_and_a_coral, False)
    assert habitat.meets([], False)


def test_heart_13_a_pattern_may_be_rotated_inside_a_bigger_habitat() -> None:
    # A corner tile with food on two adjacent edges, here north and west of the start; the rest is decoration.
    tiles = {(0, -1): "..F.", (-1, 0): ".F..", (1, 0): "...S", (2, 0): "...."}
    habitat = habitat_of("FS.F", tiles)
    assert habitat.has_pattern(HOOK, False)
    habitat.manatees[HOME] = 0
    assert not habitat.has_pattern(HOOK, False)  # The least number of manatees is one.
    habitat.manatees[(2, 0)] = 1
    assert not habitat.has_pattern(HOOK, False)  # Not on the pattern's tiles.
    habitat.manatees[(2, 0)] = 0
    habitat.manatees[(0, -1)] = 1
    assert habitat.has_pattern(HOOK, False)
    opposite = habitat_of("F.F.", {(0, -1): "..F.", (0, 1): "F..."})
    assert not opposite.has_pattern(HOOK, False)  # Two foods, but in a line.


def test_heart_13_an_edge_demands_its_icon() -> None:
    assert habitat_of(".R..", {(1, 0): "...R"}).has_pattern(RESCUE_PAIR, False)
    assert not habitat_of(".F..", {(1, 0): "...F"}).has_pattern(RESCUE_PAIR, False)
    assert not habitat_of("....", {(1, 0): "...."}).has_pattern(RESCUE_PAIR, False)


def test_heart_13_a_pattern_may_have_one_cell() -> None:
    habitat = habitat_of("....", {(1, 0): "...."})
    assert not habitat.has_pattern(TWO_ON_ONE, False)
    habitat.manatees[HOME] = 2
    assert habitat.has_pattern(TWO_ON_ONE, False)


def test_heart_13_mirrored_only_with_the_option() -> None:
    zigzag = habitat_of("....", {(1, 0): "....", (1, 1): "....", (2, 1): "...."})
    upright = habitat_of("....", {(0, 1): "....", (-1, 1): "....", (-1, 2): "...."})
    mirrored = habitat_of("....", {(1, 0): "....", (1, -1): "....", (2, -1): "...."})
    assert zigzag.has_pattern(ZIGZAG, False)
    assert upright.has_pattern(ZIGZAG, False)
    assert not mirrored.has_pattern(ZIGZAG, False)
    assert mirrored.has_pattern(ZIGZAG, True)


@pytest.mark.parametrize(("mirror_patterns", "asked"), [(False, False), (True, True)])
def test_heart_13_the_option_counts_in_play(mirror_patterns: bool, asked: bool) -> None:
    game = new_game(mirror_patterns=mirror_patterns)
    show(game, 9, 1, 2, 5)
    lay(game, 0, (-1, 0), 0)
    lay(game, 0, (-1, 1), 0)
    do(game, "take 2", "place -2,1 r0")  # From (0,0): west, south, west.
    assert (game.phase == "PHOTO") == asked


def test_heart_13_orange_floors_what_it_counts() -> None:
    tiles = {(0, -1): "..F.", (0, 1): "F.F.", (0, 2): "F..."}
    habitat = habitat_of("F.F.", tiles)
    assert habitat.photo_points(PHOTO_CARDS[4]) == 1  # 1 for each of 1 manatee.
    assert habitat.photo_points(PHOTO_CARDS[5]) == 4  # 2 for every 2 of 4 tiles, the starting tile among them.
    assert habitat.photo_points(PHOTO_CARDS[6]) == 3  # 3 for every 2 of 3 foods.


def test_heart_13_nothing_is_used_up() -> None:
    game = new_game()
    lay(game, 0, (0, -1), 3, 2)  # One food icon.
    show(game, 0, 0, 5, 1)
    do(game, "take 2", "place -1,0 r0", "photo 0")
    let(game, "photo 9")
    do(game, "take 0", "place -1,0 r0")
    offer(game, 2, 0, 3)
    do(game, "take 2", "place -2,0 r0", "photo 0")
    assert game.photos_taken[0] == [0, 0]


def test_heart_14_where_the_shark_may_go() -> None:
    game = new_game(seats=3)
    lay(game, 1, (-1, 0), 0)
    lay(game, 1, (-2, 0), 0, manatees=1)
    lay(game, 2, (0, -1), 3, 2)
    put(game, 1, HOME, 0)
    game.shark = (1, (-1, 0))
    do(game, "take 3", "place -1,0 r0")
    # Not where it is, not beside a manatee, not on starting tiles, not into the own habitat. Still asked.
    assert game.moves(0) == ["shark 2:0,-1"]
    assert do(game, "shark 2:0,-1")[0] == {"shark_moved": {"seat": 0, "host": 2, "cell": {"x": 0, "y": -1}}}
    assert game.position()["table"]["shark"] == {"seat": 2, "cell": {"x": 0, "y": -1}}
    game.check()


def test_heart_14_a_shark_without_a_tile_stays() -> None:
    game = new_game()
    assert names(do(game, "take 3", "place -1,0 r0")) == ["taken", "placed"]
    assert (game.shark, game.phase) == (None, "ROLL_DIE")


def relocate_scene(host_manatees: int, own_manatees: int) -> list[Event]:
    game = new_game()
    lay(game, 1, (-1, 0), 0)
    put(game, 1, HOME, host_manatees)
    put(game, 0, HOME, own_manatees)
    do(game, "take 3", "place -1,0 r0")
    events = do(game, "shark 1:-1,0")
    moved = 1 if "relocated" in names(events) else 0
    assert game.habitats[0].manatees[HOME] == own_manatees + moved
    assert game.habitats[1].manatees[HOME] == host_manatees - moved
    assert game.phase == "ROLL_DIE"
    game.check()
    return events


def test_heart_15_relocate_takes_one_manatee_from_the_host() -> None:
    assert relocate_scene(1, 1)[-1] == {"relocated": {"seat": 0, "host": 1}}
    assert names(relocate_scene(4, 3)) == ["shark_moved", "relocated"]
    assert names(relocate_scene(0, 1)) == ["shark_moved"]  # There is none.
    assert names(relocate_scene(2, 4)) == ["shark_moved"]  # There is no room.


def test_heart_15_relocate_needs_a_shark_that_was_placed() -> None:
    game = new_game()
    lay(game, 1, (-1, 0), 0)
    game.shark = (1, (-1, 0))  # It is there already and has nowhere else to go.
    assert names(do(game, "take 3", "place -1,0 r0")) == ["taken", "placed"]
    assert [habitat.manatees[HOME] for habitat in game.habitats] == [1, 1]
    assert game.phase == "ROLL_DIE"


def coral_scene(**rules: Any) -> ReferenceHeart:
    """The die shows coral, seat 0 has a complete one, and the shark cannot move."""
    game = new_game(die=1, **rules)
    lay(game, 0, (0, -1), 10, 2)  # Food to the south, coral to the east.
    lay(game, 0, (1, -1), 8, 3)  # Coral to the west.
    return game


def test_heart_16_a_bonus_tile_without_an_action() -> None:
    game = coral_scene()
    offer(game, 3, 0)
    do(game, "take 3")
    let(game, "tile 5", "tile 6", "tile 7")
    do(game, "place -1,0 r0")
    assert (game.phase, game.bonus, game.action_column) == ("TAKE", True, 3)
    # Any column, the refilled one too; mandatory.
    assert game.moves(0) == ["take 0", "take 1", "take 2", "take 3"]
    do(game, "take 0")
    assert (game.phase, game.bonus, game.action_column) == ("PLACE", True, 3)
    assert names(do(game, "place -2,0 r0")) == ["placed"]  # No rescue, no further bonus.
    assert (game.phase, game.bonus) == ("ROLL_DIE", False)
    let(game, "die 2")
    assert (game.turn, game.phase) == (1, "TAKE")
    game.check()


def test_heart_16_the_shark_moves_first_and_this_turns_tile_counts() -> None:
    game = new_game(die=1)
    lay(game, 1, (-1, 0), 0)
    lay(game, 0, (0, -1), 10, 2)
    offer(game, 3, 8, 3)
    do(game, "take 3", "place 1,-1 r3")  # Completes the coral.
    assert game.phase == "SHARK"
    do(game, "shark 1:-1,0")
    assert (game.phase, game.bonus) == ("TAKE", True)


def test_heart_16_a_bonus_tile_that_fits_nowhere_is_discarded() -> None:
    game = coral_scene()
    offer(game, 0, 2, 3)
    do(game, "take 3", "place -1,0 r0", "take 0")
    assert game.moves(0) == ["discard"]
    do(game, "discard")
    assert game.phase == "ROLL_DIE"
    assert game.discards[2] == 1


def test_heart_16_a_bonus_take_refills_its_column() -> None:
    game = coral_scene()
    offer(game, 0, 0)
    do(game, "take 3", "place -1,0 r0", "take 0")
    let(game, "tile 5", "tile 6", "tile 7")
    assert (game.phase, game.bonus, game.tile_in_hand, game.columns[0]) == ("PLACE", True, 0, [5, 6, 7])


def test_heart_16_option_bonus_tile_optional() -> None:
    game = coral_scene(bonus_tile_optional=True)
    assert not game.legal(0, "decline")  # Only the bonus.
    do(game, "take 3", "place -1,0 r0")
    assert game.moves(0) == ["take 0", "take 1", "take 2", "take 3", "decline"]
    do(game, "decline")
    assert (game.phase, game.bonus) == ("ROLL_DIE", False)


def test_heart_17_the_die_is_rolled_again_though_it_gave_nothing() -> None:
    game = new_game(die=1)
    do(game, "take 3", "place -1,0 r0")  # No coral: no bonus.
    assert game.chance() == {"die 0": 2, "die 1": 1, "die 2": 1, "die 3": 1, "die 4": 1}
    assert let(game, "die 3") == [{"die_rolled": {"face": 3}}]
    assert (game.turn, game.die_face) == (1, 3)


def test_heart_18_the_shark_blocks_movement_only() -> None:
    game = new_game()
    lay(game, 0, (-1, 0), 6, 3)  # Diver to the west.
    game.shark = (0, (-1, 0))
    offer(game, 1, 6, 3)
    do(game, "take 1")
    events = do(game, "place -2,0 r1")  # Built beside the shark, completing the diver on its tile.
    assert game.habitats[0].icons(DIVER) == 1
    assert names(events) == ["placed"]  # No swim: the only way leads over the shark.
    assert game.turn == 1


def test_heart_19_manatees_score_the_food_on_their_tile() -> None:
    game = new_game()
    lay(game, 0, (0, -1), 1, manatees=1)  # Food to the south, shared with the start, and to the north.
    put(game, 0, HOME, 3)
    # One icon: three manatees on one side, one on the other.
    assert game.scores() == [4, 0]
    lay(game, 0, (0, -2), 1)
    # The tile in the middle has two icons now; nobody is on the third tile.
    assert game.scores() == [3 + 2, 0]
    assert game.habitats[0].icons(FOOD) == 2


def play_a_turn(game: ReferenceHeart) -> list[Event]:
    """Let the seat rescue with a blank tile at the west end of its habitat."""
    seat = game.turn
    offer(game, 0, 0, 3)
    west = min(x for x, y in game.habitats[seat].edges if y == 0)
    return do(game, "take 0", f"place {west - 1},0 r0")


def test_heart_20_the_fifth_photo_triggers_and_the_trigger_seat_plays_last() -> None:
    game = new_game(seats=2, first=1)
    give(game, 1, 0, 0, 2, 2)
    give(game, 0, 4, 4, 4, 5)
    show(game, 7, 7, 3, 5)
    do(game, "take 2", "place -1,0 r0")
    assert do(game, "photo 7") == [
        {"photo_taken": {"seat": 1, "photo": 7}},
        {"end_triggered": {"seat": 1, "reason": "PHOTOS"}},
    ]
    assert (game.trigger_seat, game.turns_left) == (1, 2)
    game.check()
    let(game, "photo 9")
    assert (game.turn, game.turns_left) == (0, 1)
    # Seat 0's own fifth photo changes nothing.
    offer(game, 2, 0, 3)
    do(game, "take 2", "place -1,0 r0")
    assert names(do(game, "photo 7")) == ["photo_taken"]
    let(game, "photo 9")
    assert (game.trigger_seat, game.turn, game.turns_left) == (1, 1, 0)
    # Seat 1 has the last turn.
    assert play_a_turn(game)[-1] == {"ended": {"reason": "LAST_TURN"}}
    assert game.turn == OVER
    game.check()


def test_heart_20_the_last_manatee_triggers_and_the_excess_is_lost() -> None:
    game = new_game(seats=3, first=1)
    lay(game, 1, (1, 0), 4, 3)  # A rescue would bring two.
    game.supply = 1
    assert play_a_turn(game)[-2:] == [
        {"rescued": {"seat": 1, "manatees": 1}},
        {"end_triggered": {"seat": 1, "reason": "SUPPLY"}},
    ]
    # Then seats 2, 0 and 1. Around FFFF seat 2 cannot place a blank tile.
    assert (game.turn, game.turns_left) == (2, 2)
    offer(game, 1, 0, 3)
    do(game, "take 1", "discard")
    assert (game.turn, game.turns_left) == (0, 1)
    assert names(play_a_turn(game)) == ["taken", "placed", "rescued"]
    assert (game.turn, game.turns_left) == (1, 0)
    assert play_a_turn(game)[-1] == {"ended": {"reason": "LAST_TURN"}}


def test_heart_21_ties_go_to_the_most_manatees_then_are_shared() -> None:
    game = new_game(seats=3)
    assert game.scores() == [0, 0, 0]
    assert game.ranks() == [1, 1, 1]
    put(game, 1, HOME, 2)
    assert game.ranks() == [2, 1, 2]
    give(game, 2, 7)
    assert game.scores() == [0, 0, 1]
    assert game.ranks() == [3, 2, 1]
    put(game, 0, HOME, 2)
    assert game.ranks() == [2, 2, 1]
    game.photos_taken[2] = []
    assert game.ranks() == [1, 1, 3]


def test_heart_22_draws_happen_in_the_last_turn_too() -> None:
    game = new_game()
    show(game, 7, 7, 3, 5)
    give(game, 0, 0, 0, 2, 2, 4)
    game.trigger_seat = 0  # In the last turn.
    offer(game, 2, 0)
    do(game, "take 2")
    let(game, "tile 5", "tile 5", "tile 5")
    do(game, "place -1,0 r0", "photo 7")
    assert game.chance() is not None
    assert let(game, "photo 9") == [{"photo_drawn": {"photo": 9}}, {"ended": {"reason": "LAST_TURN"}}]
    assert len(game.photos_taken[0]) == 6
    game.check()
    game = new_game()
    give(game, 0, 0, 0, 2, 2, 4)
    game.trigger_seat = 0
    do(game, "take 3", "place -1,0 r0")
    assert let(game, "die 2") == [{"die_rolled": {"face": 2}}, {"ended": {"reason": "LAST_TURN"}}]


def test_heart_22_everything_is_open() -> None:
    game = swim_scene(2)
    do(game, "swim 0,0 0,1")
    assert game.position() == {"table": game.observe(1)["table"], "referee": {}}
    assert game.observe(1)["seat_knowledge"] == {"seat": 1}
    table = game.position()["table"]
    assert (table["action_column"], table["phase"], table["turn"]) == (1, "SWIM", 0)


def test_heart_22_positions_that_are_refused() -> None:
    game = new_game()
    game.check()
    game.pile[3] += len(game.columns[0]) - 1
    game.pile[0] += 1
    game.columns[0] = []
    with pytest.raises(ValueError, match="empty column"):
        game.check()
    game = new_game()
    show(game, 0, 1, 2)
    with pytest.raises(ValueError, match="photos open"):
        game.check()
    game = new_game()
    game.trigger_seat = 0
    with pytest.raises(ValueError, match="trigger"):
        game.check()
    game = new_game()
    give(game, 0, 0, 0, 4, 4, 4)
    with pytest.raises(ValueError, match="trigger"):
        game.check()
    game = new_game()
    game.pile[5] -= 1
    with pytest.raises(ValueError, match="tiles of kind 5"):
        game.check()


def stalled_game(**rules: Any) -> ReferenceHeart:
    """Two seats around whose starting tiles the blank tile fits nowhere; no pile, one tile among the discards."""
    game = new_game(catalogue=make_catalogue(["CCCC"] * 4), **rules)
    game.columns = [[0], [0, 0], [8], [0]]
    use_up(game, pile=[], discards=[0])
    return game


def test_heart_23_a_second_reshuffle_without_a_placement_ends_the_game() -> None:
    game = stalled_game()
    # The first reshuffle never ends the game, although nobody has placed a tile.
    assert names(do(game, "take 0")) == ["taken", "reshuffled"]
    assert game.nothing_placed_since_reshuffle
    let(game, "tile 0")
    do(game, "discard")
    events = do(game, "take 0")
    assert names(events) == ["taken", "ended"]
    assert events[-1] == {"ended": {"reason": "NOTHING_PLACED"}}
    # Other columns hold tiles; the tile in hand stays there and scores nothing; the action lapses.
    table = game.position()["table"]
    assert (table["phase"], table["tile_in_hand"], table["action_column"]) == ("OVER", 0, None)
    assert game.columns == [[], [0, 0], [8], [0]]
    assert game.ranks() == [1, 1]


def test_heart_23_a_placement_in_between_lets_it_go_on() -> None:
    game = stalled_game()
    do(game, "take 0")
    let(game, "tile 0")
    do(game, "discard")
    use_up(game, pile=[7], discards=[0])
    do(game, "take 2")  # A coral, which fits.
    assert names(let(game, "tile 7")) == ["tile_drawn", "ended"]  # The refill comes before the placement.
    game = stalled_game()
    do(game, "take 0")
    let(game, "tile 0")
    do(game, "discard")
    use_up(game, pile=[7, 7, 7], discards=[0])
    do(game, "take 2")
    let(game, "tile 7", "tile 7", "tile 7")
    do(game, "place 0,-1 r2")
    assert not game.nothing_placed_since_reshuffle
    assert names(do(game, "take 0")) == ["taken", "reshuffled"]


def test_heart_23_at_the_start_of_a_turn() -> None:
    game = stalled_game()
    game.nothing_placed_since_reshuffle = True
    game.columns = [[0, 0], [0], [8], []]
    use_up(game, pile=[], discards=[])
    do(game, "take 0")
    # The discard of this turn could fill column 3, but only after a second reshuffle.
    assert names(do(game, "discard")) == ["discarded", "ended"]


# What is common to all games.


def test_a_clone_is_played_on_alone() -> None:
    game = swim_scene(2)
    before = copy.deepcopy(game.position())
    other = game.clone()
    do(other, "swim 0,0 0,1", "swim 0,0 -1,0", "take 0", "place -1,0 r0", "take 2")
    assert game.position() == before
    assert other.position() != before


def test_wrong_moves_and_outcomes_are_refused() -> None:
    game = new_game()
    for notation in ("take 4", "take 00", "place -1,0 r0", "discard", "decline", "photo 0", "shark 1:0,0", "", "take"):
        assert not game.legal(0, notation)
        with pytest.raises(ValueError, match="may not play"):
            game.play(0, notation)
    assert not game.legal(1, "take 0")
    assert game.moves(CHANCE) == game.moves(2) == []
    with pytest.raises(ValueError, match="cannot happen"):
        game.happen("die 0")
    with pytest.raises(ValueError, match="unknown rule option"):
        ReferenceHeart(CATALOGUE, 2, {"swim_twice": True})


def fields(message: str) -> set[str]:
    """Return the names of a message's fields, as its .proto file has them."""
    found = re.search(rf"^message {message} {{(.*?)^}}", PROTO.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return set(re.findall(r"^ +(?:optional |repeated )?[\w.]+ (\w+) = \d+;", found[1], re.MULTILINE))


def test_dictionaries_mirror_the_messages() -> None:
    game = new_game()
    game.shark = (1, (1, 0))
    table = game.position()["table"]
    assert set(table) == fields("HeartTable")
    assert set(table["seats"][0]) == fields("HeartSeat")
    assert set(table["seats"][0]["habitat"][0]) == fields("HeartPlacedTile")
    assert set(table["shark"]) == fields("HeartShark")
    assert set(table["pile"][0]) == fields("HeartTileCount")
    assert set(table["photo_deck"][0]) == fields("HeartPhotoCount")
    assert set(DEFAULT_RULES) == fields("HeartRules")
    assert set(CATALOGUE) == fields("HeartCatalogue")


def play_out(number: int, rules: dict[str, bool], seen: set[str]) -> ReferenceHeart:
    """Play a random game to its end, looking at it after every step."""
    rng = random.Random(number)
    game = ReferenceHeart(CATALOGUE, rng.randint(2, 4), rules)
    game.start(None if number % 2 else 0)
    steps = 0
    while not game.over:
        chance = game.chance()
        if chance is not None:
            assert game.turn == CHANCE
            assert all(weight > 0 for weight in chance.values())
            assert all(game.moves(seat) == [] for seat in range(game.seats))
            events = game.happen(rng.choices(list(chance), list(chance.values()))[0])
        else:
            seat = game.turn
            moves = game.moves(seat)
            assert moves
            assert moves != ["decline"]
            assert len(set(moves)) == len(moves)
            assert all(game.moves(other) == [] for other in range(game.seats) if other != seat)
            if rng.random() < 0.05:
                # One representative for each resulting position.
                after = [game.clone() for _ in moves]
                for copied, move in zip(after, moves, strict=True):
                    copied.play(seat, move)
                assert len({repr(copied.position()) for copied in after}) == len(moves)
            events = game.play(seat, rng.choice(moves))
        for event in events:
            name = next(iter(event))
            seen.add(f"ended {event[name]['reason']}" if name == "ended" else name)
        game.check()
        steps += 1
        assert steps < 5000
    return game


def test_random_games_through_all_options_conserve_components_and_end() -> None:
    seen: set[str] = set()
    rng = random.Random(1)
    values: set[tuple[str, bool]] = set()
    for number in range(30):
        rules = {name: rng.random() < 0.5 for name in DEFAULT_RULES}
        values.update(rules.items())
        game = play_out(number, rules, seen)
        assert 1 in game.ranks()
        assert all(game.moves(seat) == [] for seat in range(game.seats))
    assert values == {(name, value) for name in DEFAULT_RULES for value in (True, False)}
    assert fields("HeartEvent") - {"ended"} <= seen
    assert "ended LAST_TURN" in seen
