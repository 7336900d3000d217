"""What the readers of heart accept and refuse: positions, and reports of events."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.heart import DEFAULT_RULES, HOME, ReferenceHeart, by_row
from test_ocean_validation import DELETE, NO_LIST, NO_MAPPING, NO_NUMBER, changed, name_of, paths, places
from test_reference_heart import CATALOGUE, do, give, lay, let, new_game, offer, put

from ext import heart_events, heart_position
from ext.errors import Malformed
from ext.game import CHANCE, OVER, State
from ext.heart import Heart

Message = dict[str, Any]


def read(
    position: Any, seats: int, rules: dict[str, bool] | None = None, *, observes: bool = False
) -> heart_position.Parsed:
    options = {**DEFAULT_RULES, **(rules or {})}
    return heart_position.check(position, catalogue=CATALOGUE, seats=seats, rules=options, observation=observes)


# Sound positions. The die shows coral; columns 0 to 3, which rescue, swim, photograph and move the shark, have the
# tiles 0, 3 and 3; the photo cards 0, 1, 2 and 5 lie open. Seat 0, whose turn it is, has complete icons of food (to the
# north of the starting tile), swim (to the south) and coral (in the northwest), and may place tile 0 at -1,1.

NORTH, SOUTH, EAST, WEST = (0, -1), (0, 1), (1, 0), (-1, 0)


def scene(**rules: Any) -> ReferenceHeart:
    game = new_game(seats=3, die=1, **rules)
    lay(game, 0, NORTH, 1, manatees=1)
    lay(game, 0, SOUTH, 5)
    lay(game, 0, WEST, 8)
    lay(game, 0, (-1, -1), 8, rotation=2)
    lay(game, 1, NORTH, 3, rotation=2)
    lay(game, 1, EAST, 4, rotation=3, manatees=1)
    lay(game, 2, SOUTH, 2)
    game.shark = (1, NORTH)
    return game


def after(*moves: str, **rules: bool) -> ReferenceHeart:
    game = scene(**rules)
    do(game, *moves)
    return game


def fifth_photo() -> ReferenceHeart:
    """Seat 0 has just taken its fifth photo card."""
    game = scene()
    give(game, 0, 4, 4, 7, 7)
    do(game, "take 2", "place -1,1 r0", "photo 0")
    return game


def final_turn() -> ReferenceHeart:
    """Seat 1 has its last turn, after which two seats have theirs."""
    game = fifth_photo()
    let(game, "photo 1")
    return game


def dry() -> ReferenceHeart:
    """Seat 0 has rescued the last manatee, and seat 1 has its last turn."""
    game = scene()
    for y in range(2, 9):
        lay(game, 2, (0, y), 2, manatees=1)
    for x in range(-1, -7, -1):
        lay(game, 0, (x, 1), 0, manatees=1)
    for seat, habitat in enumerate(game.habitats):
        for cell in habitat.cells():
            put(game, seat, cell, min(4 if cell == HOME else 1, game.supply + habitat.manatees[cell]))
    assert game.supply == 0
    game.shark = None
    game.__dict__.update(current=1, trigger_seat=0, turns_left=2)
    return game


def emptied(**rules: bool) -> ReferenceHeart:
    """The take has emptied column 1."""
    game = scene(**rules)
    offer(game, 1, 0)
    do(game, "take 1")
    return game


def emptied_bonus() -> ReferenceHeart:
    """The bonus take has emptied column 1."""
    game = scene()
    offer(game, 1, 0)
    do(game, "take 3", "place -1,1 r0", "shark 2:0,1", "take 1")
    return game


def refilling() -> ReferenceHeart:
    """Columns 1 and 3 stayed empty, and now column 1 is being filled."""
    game = scene()
    offer(game, 1, 0)
    offer(game, 3)
    game.phase = "DRAW_TILE"
    game.refill_column = 1
    return game


def over(game: ReferenceHeart, turn: int, **fields: Any) -> ReferenceHeart:
    game.current = turn
    game.__dict__.update(phase="OVER", action_column=None, **fields)
    return game


def without_pile(game: ReferenceHeart) -> ReferenceHeart:
    game.discards = [one + other for one, other in zip(game.discards, game.pile, strict=True)]
    game.pile = [0 for _ in game.pile]
    return game


def out_of_tiles() -> ReferenceHeart:
    game = scene(reshuffle_discards=False)
    for column in range(4):
        offer(game, column)
    return over(without_pile(game), 0)


def set_up(*outcomes: str) -> ReferenceHeart:
    game = ReferenceHeart(CATALOGUE, 3, {})
    game.start()
    let(game, *outcomes)
    return game


TILES = ["tile 0", "tile 3", "tile 3"]
GAMES = {
    "first": set_up(),
    "columns": set_up("first 2", *TILES, "tile 0"),
    "cards": set_up("first 2", *TILES * 4, "photo 0", "photo 0"),
    "die": set_up("first 2", *TILES * 4, "photo 0", "photo 1", "photo 2", "photo 2"),
    "take": scene(),
    "place": after("take 1"),
    "swim": after("take 1", "place -1,1 r0"),
    "swam": after("take 1", "place -1,1 r0", "swim 0,0 0,1"),
    "swam-r": after("take 1", "place -1,1 r0", "swim 0,0 0,1", repeat_swimmers=True),
    "photo": after("take 2", "place -1,1 r0"),
    "shark": after("take 3", "place -1,1 r0"),
    "bonus": after("take 3", "place -1,1 r0", "shark 2:0,1"),
    "bonus-place": after("take 3", "place -1,1 r0", "shark 2:0,1", "take 1"),
    "draw": emptied(),
    "draw-b": emptied_bonus(),
    "refill": refilling(),
    "draw-photo": after("take 2", "place -1,1 r0", "photo 0"),
    "roll": after("take 3", "place -1,1 r0", "shark 2:0,1", "take 1", "place 1,-1 r0"),
    "fifth": fifth_photo(),
    "final": final_turn(),
    "dry": dry(),
    "over": over(final_turn(), 0, turns_left=0),
    "over-n": out_of_tiles(),
    "over-r": over(without_pile(emptied()), 0, nothing_placed_since_reshuffle=True, refill_column=None),
}
# (position, seats and rules that differ from the default)
BASES: dict[str, tuple[Message, dict[str, Any]]] = {
    name: (game.position(), {"seats": 3, "rules": game.rules}) for name, game in GAMES.items()
}
BASES["o-take"] = scene().observe(1), {"seats": 3, "observes": True}


def test_the_bases_are_sound() -> None:
    for name, (position, how) in BASES.items():
        parsed = read(position, **how)
        assert parsed.phase == position["table"]["phase"], name
        assert parsed.observer == (1 if name == "o-take" else None)
    assert {position["table"]["phase"] for position, _ in BASES.values()} == set(heart_position.PHASES)


def expected(game: ReferenceHeart, observer: int | None) -> heart_position.Parsed:
    return heart_position.Parsed(
        phase=game.phase,
        first_player=game.first_player,
        turn=game.current,
        habitats=[
            [
                (habitat.kinds[cell], *cell, habitat.rotations[cell], habitat.manatees[cell])
                for cell in sorted(habitat.edges, key=by_row)
            ]
            for habitat in game.habitats
        ],
        photos=[sorted(taken) for taken in game.photos_taken],
        shark=None if game.shark is None else (game.shark[0], *game.shark[1]),
        supply=game.supply,
        pile=game.pile,
        discards=game.discards,
        columns=game.columns,
        open_photos=sorted(game.open_photos),
        photo_deck=game.photo_deck,
        die_face=game.die_face,
        tile_in_hand=game.tile_in_hand,
        action_column=game.action_column,
        bonus=game.bonus,
        refill_column=game.refill_column,
        swims_left=game.swims_left,
        swum=sorted(game.swum, key=by_row),
        swum_on_starting_tile=game.swum_on_starting_tile,
        nothing_placed_since_reshuffle=game.nothing_placed_since_reshuffle,
        trigger_seat=game.trigger_seat,
        turns_left=game.turns_left,
        observer=observer,
    )


def test_absent_fields_are_defaults() -> None:
    position, how = copy.deepcopy(BASES["take"])
    plain = read(position, **how)
    table = position["table"]
    for name, value in list(table.items()):
        if not value and name not in ("first_player", "turn"):
            del table[name]
    home = next(tile for tile in table["seats"][2]["habitat"] if tile["tile"] is None)
    assert home == {"tile": None, "cell": {"x": 0, "y": 0}, "rotation": 0, "manatees": 1}
    del home["tile"], home["cell"], home["rotation"]
    del table["seats"][2]["photos"]
    position["seat_knowledge"] = None
    position["rules"] = {"mirror_patterns": False, "swims_mandatory": None}
    assert read(position, **how) == plain
    # A starting tile without a manatee is the empty message.
    put(game := scene(), 2, HOME, 0)
    position = game.position()
    position["table"]["seats"][2]["habitat"][0] = None
    assert read(position, 3).habitats[2][0] == (-1, 0, 0, 0, 0)


def test_order_is_free() -> None:
    for base in ("take", "swam", "final"):
        position, how = copy.deepcopy(BASES[base])
        plain = read(position, **how)
        table = position["table"]
        for name in ("pile", "discards", "photo_deck", "open_photos", "swum"):
            table[name].reverse()
        for seat in table["seats"]:
            seat["habitat"].reverse()
            seat["photos"].reverse()
        assert read(position, **how) == plain


def test_rotations_come_with_the_fewest_turns() -> None:
    position, how = copy.deepcopy(BASES["take"])
    plain = read(position, **how)
    tiles = {tile["tile"]: tile for seat in position["table"]["seats"] for tile in seat["habitat"]}
    tiles[1]["rotation"] = 2
    for rotation in range(4):
        tiles[2]["rotation"] = rotation
        assert read(position, **how) == plain


# Malformed positions: (base, changes, paths at fault), exactly these paths, no more and no fewer.

Case = tuple[str, list[tuple[str, Any]], list[str]]
CASES: list[Case] = []


def case(base: str, *pairs: Any) -> None:
    """case(base, path, value, path, value, ..., paths at fault), each within the table but for a leading "/"."""
    *flat, wrong = pairs
    changes = [(within(path), value) for path, value in zip(flat[::2], flat[1::2], strict=True)]
    CASES.append((base, changes, [within(path) for path in wrong.split()]))


def within(path: str) -> str:
    return path[1:] if path.startswith("/") else f"table.{path}"


def same(base: str, path: str, *values: Any) -> None:
    """Each value alone is a fault at its own path."""
    for value in values:
        case(base, path, value, path)


def more(value: Any) -> Any:
    return value + 1


def less(value: Any) -> Any:
    return value - 1


junk: Any

# The message around the table.
same("take", "/table", None, DELETE, *NO_MAPPING)
same("take", "/referee", None, DELETE, *NO_MAPPING)
same("take", "/rules", *NO_MAPPING)
case("take", "/rules", {"swims_mandatory": True}, "/rules.swims_mandatory")
case("take", "/rules", {"swims_mandatory": 1, "mirror_patterns": "no"}, "/rules.swims_mandatory /rules.mirror_patterns")
case("take", "/rules", {"colour": 1}, "/rules.colour")
case("take", "/seat_knowledge", {"seat": 0}, "/seat_knowledge")
case("take", "/referee", {"seat": 1}, "/referee.seat")
same("o-take", "/seat_knowledge", None, *NO_MAPPING)
same("o-take", "/seat_knowledge.seat", -1, 3, *NO_NUMBER)
case("o-take", "/referee", {}, "/referee")
for base, where in (
    *(("take", "/"), ("take", ""), ("take", "seats[0]."), ("take", "seats[0].habitat[1]."), ("take", "shark.")),
    *(("take", "seats[0].habitat[1].cell."), ("take", "shark.cell."), ("take", "pile[0]."), ("take", "columns[0].")),
    *(("take", "photo_deck[0]."), ("swam", "swum[0]."), ("o-take", "/seat_knowledge."), ("over-r", "discards[0].")),
):
    case(base, f"{where}tables", 1, f"{where}tables")
case("take", "/table", lambda old: {**old, 7: 1}, "/table")
case("take", "/table", lambda old: {**old, "a b": 1, "x" * 5000: 1}, "/table")

# Phase and players.
same("take", "phase", "", "UNSPECIFIED", "take", "HEART_PHASE_TAKE", "DEAL", None, 1, [], {}, DELETE)
same("take", "first_player", None, -1, 3, *NO_NUMBER)
same("take", "turn", None, -1, 3, *NO_NUMBER)
same("first", "first_player", 0)
same("first", "turn", 0)
for base in ("columns", "cards", "die"):
    same(base, "turn", 1, None)
    same(base, "first_player", None)
    case(base, "first_player", 1, "turn")

# Seats and habitats.
same("take", "seats", [], None, *NO_LIST)
case("take", "seats[2]", DELETE, "seats")
case("take", "seats[3]", {}, "seats")
for junk in NO_MAPPING:
    same("take", "seats[1]", junk)
    same("take", "seats[0].habitat[1]", junk)
    same("take", "seats[0].habitat[1].cell", junk)
case("take", "seats[1]", None, "seats[1].habitat")
same("take", "seats[1].habitat", [], None, *NO_LIST)
# The habitat of seat 0: by row, -1,-1 and 0,-1, then -1,0 and 0,0, then 0,1.
same("take", "seats[0].habitat[1].tile", -1, 13, 2**31, *NO_NUMBER, None)
case("take", "seats[0].habitat[3].tile", 1, "seats[0].habitat[3].tile")
same("take", "seats[0].habitat[1].cell.x", -91, 91, *NO_NUMBER)
same("take", "seats[0].habitat[1].cell.y", -91, 91, *NO_NUMBER)
same("take", "seats[0].habitat[1].rotation", -1, 4, *NO_NUMBER)
same("take", "seats[0].habitat[3].rotation", 1, 4)
same("take", "seats[0].habitat[1].manatees", -1, 2, *NO_NUMBER)
same("take", "seats[0].habitat[3].manatees", -1, 5, *NO_NUMBER)
case("take", "seats[0].habitat[3]", DELETE, "seats[0].habitat")
case("take", "seats[0].habitat[4].cell", {"x": 0, "y": -1}, "seats[0].habitat[4].cell")
case("take", "seats[0].habitat[4].cell", {"x": 0, "y": 0}, "seats[0].habitat[4].cell seats[0].habitat[4].tile")
case("take", "seats[0].habitat[4].cell.y", 2, "seats[0].habitat[4].cell")
case("take", "seats[0].habitat[4].cell", {"x": 1, "y": 1}, "seats[0].habitat[4].cell")
case(
    "take",
    *("seats[0].habitat[4].cell", {"x": 7, "y": 7}),
    *("seats[0].habitat[0].cell", {"x": 7, "y": -7}),
    *("seats[1].habitat[0].cell", {"x": 5, "y": 5}),
    *("shark", None),
    "seats[0].habitat[0].cell seats[0].habitat[4].cell seats[1].habitat[0].cell",
)
# Two together, apart from the starting tile, are one fault.
case(
    "take",
    *("seats[0].habitat[0].cell.x", 5),
    *("seats[0].habitat[2].cell.x", 5),
    "seats[0].habitat[0].cell",
)
case("take", "seats[0].habitat[4].rotation", 1, "seats[0].habitat[4]")
case("take", "seats[0].habitat[0].rotation", 0, "seats[0].habitat[2]")
case("take", "seats[0].habitat[2].rotation", 2, "seats[0].habitat[2]")
case("take", "seats[0].habitat[2].rotation", 1, "seats[0].habitat[2] seats[0].habitat[3]")
case("take", "seats[0].habitat[4].tile", 6, "pile[6].count", less, "pile[5].count", more, "seats[0].habitat[4]")
case("take", "seats[0].habitat[4].tile", 6, "pile[6].count seats[0].habitat[4]")

# Photo cards of a seat.
same("take", "seats[0].photos", *NO_LIST)
same("fifth", "seats[0].photos[4]", -1, 10, *NO_NUMBER)
case("final", "seats[0].photos", [0, 4, 4, 7, 7, 9, 9], "photo_deck", [], "seats[0].photos")
case("final", "seats[0].photos", [0, 4, 4, 7, 7, 7], "seats[0].photos[5]")

# The shark.
same("take", "shark", *NO_MAPPING)
same("take", "shark.seat", -1, 3, *NO_NUMBER)
same("take", "shark.cell", *NO_MAPPING)
same("take", "shark.cell.x", 91, *NO_NUMBER)
same("take", "shark.cell", None, {"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 4, "y": 0})
case("take", "shark.seat", 2, "shark.cell")

# Manatees.
same("take", "supply", 0.5, 29, -1, *NO_NUMBER)
same("take", "supply", more, less, None)
case("take", "seats[0].habitat[1].manatees", 0, "supply")
case("take", "seats[2].habitat[0].manatees", 4, "supply")

# Components. The pile and the deck have what is nowhere else.
for name, kind in (("pile", "tile"), ("discards", "tile"), ("photo_deck", "photo")):
    base = "over-r" if name == "discards" else "take"
    same(base, name, *NO_LIST)
    for junk in NO_MAPPING:
        same(base, f"{name}[0]", junk)
    same(base, f"{name}[0].{kind}", -1, 90, *NO_NUMBER)
    same(base, f"{name}[0].count", 0, -1, 91, None, *NO_NUMBER)
    case(base, f"{name}[1].{kind}", 0, f"{name}[1].{kind}")
case("take", "pile[3].count", more, "pile[3].count")
case("take", "pile[9].count", less, "pile")
case("take", "pile[3]", DELETE, "pile")
case("take", "pile", None, "pile")
case("take", "discards", [{"tile": 9, "count": 1}], "pile[9].count")
case("take", "discards", [{"tile": 9, "count": 7}], "discards[0].count")
case("take", "photo_deck[3].count", more, "photo_deck[3].count")
case("take", "photo_deck[3].count", less, "photo_deck")
case("take", "photo_deck", None, "photo_deck")
case("take", "seats[1].photos", [8, 8, 8], "photo_deck[8]", DELETE, "seats[1].photos[2]")

# Columns.
same("take", "columns", [], None, *NO_LIST)
case("take", "columns[3]", DELETE, "columns")
case("take", "columns[4]", {}, "columns")
for junk in NO_MAPPING:
    same("take", "columns[1]", junk)
same("take", "columns[1].tiles", *NO_LIST)
same("take", "columns[1].tiles[0]", -1, 13, *NO_NUMBER)
case("take", "columns[1].tiles[3]", 12, "pile[12].count", less, "columns[1].tiles")
TO_PILE = ("pile[0].count", more, "pile[3].count", lambda count: count + 2)
for base in ("take", "place", "swim", "photo", "shark", "bonus", "bonus-place"):
    column = 0 if base in ("swim", "place", "photo") else 2
    case(base, f"columns[{column}].tiles", [], *TO_PILE, f"columns[{column}].tiles")
for column in range(4):
    case("take", f"columns[{column}]", None, *TO_PILE, f"columns[{column}].tiles")

# Open photo cards.
same("take", "open_photos", *NO_LIST)
same("take", "open_photos[1]", -1, 10, *NO_NUMBER)
TO_DECK = ("photo_deck[0].count", more)
for base in ("take", "place", "swim", "photo", "shark", "bonus", "bonus-place", "roll", "draw", "refill"):
    case(base, "open_photos[0]", DELETE, *TO_DECK, "open_photos")
case("take", "open_photos[4]", 9, "photo_deck[9].count", 1, "open_photos")
case("draw-photo", "open_photos[0]", DELETE, "photo_deck[1].count", more, "open_photos")
case("draw-photo", "open_photos[3]", 9, "photo_deck[9].count", 1, "open_photos")

# The die.
same("take", "die_face", None, -1, 5, *NO_NUMBER)
for base in ("place", "swim", "photo", "shark", "bonus", "draw", "refill", "draw-photo", "roll", "final", "over"):
    same(base, "die_face", None)
same("first", "die_face", 0)

# Fields that go with the phase.
same("take", "tile_in_hand", -1, 13, *NO_NUMBER)
for base in ("take", "swim", "photo", "shark", "bonus", "roll", "draw-photo", "final", "over"):
    case(base, "tile_in_hand", 0, "pile[0].count", less, "tile_in_hand")
case("place", "tile_in_hand", None, "pile[0].count", more, "tile_in_hand")
case("draw", "tile_in_hand", None, "pile[0].count", more, "action_column")
case("draw-b", "tile_in_hand", None, "pile[0].count", more, "action_column bonus")
case("over-n", "tile_in_hand", 0, "discards[0].count", less, "tile_in_hand")
same("take", "action_column", 0, 4, -1, *NO_NUMBER)
for base in ("place", "swim", "photo", "shark", "bonus", "bonus-place", "draw", "draw-photo", "roll"):
    same(base, "action_column", None)
for base in ("refill", "final", "over", "over-n", "over-r"):
    same(base, "action_column", 2)
for base, wrong in (("swim", 0), ("photo", 1), ("shark", 2), ("draw-photo", 1), ("roll", 0), ("bonus", 0)):
    same(base, "action_column", wrong)
same("bonus-place", "action_column", 1)
same("draw-b", "action_column", 1)
case("draw", "action_column", 0, "refill_column")
same("take", "bonus", 0, "no", [], {})
for base in ("place", "swim", "draw", "photo"):
    case(base, "bonus", True, "bonus" if base in ("swim", "photo") else "action_column")
for base in ("refill", "roll", "final", "over", "columns", "first"):
    case(base, "bonus", True, "bonus action_column" if base == "final" else "bonus")
case("take", "bonus", True, "action_column")
case("bonus", "bonus", False, "action_column")
case("bonus", "die_face", 0, "bonus")
case("bonus", "die_face", 2, "bonus")
same("take", "refill_column", 0, 4, -1, *NO_NUMBER)
for base in ("first", "cards", "die", "place", "over"):
    same(base, "refill_column", 0)
same("draw", "refill_column", None, 4)
same("columns", "refill_column", None)
case("draw-b", "refill_column", 3, "columns[1].tiles")
case("refill", "refill_column", 0, "columns[0].tiles")
case("draw", "columns[2].tiles", [], *TO_PILE, "columns[2].tiles")

# Swims.
for base in ("take", "place", "photo", "roll", "over", "first"):
    same(base, "swims_left", 1, -1, 184)
    same(base, "swum_on_starting_tile", 1, 5)
    same(base, "swum", [{"x": 0, "y": -1}], *NO_LIST)
same("swim", "swims_left", 0, 1, 3, None, *NO_NUMBER)
same("swam", "swims_left", 0, 2)
same("swam-r", "swims_left", 0, 3)
same("swam-r", "swum_on_starting_tile", 1)
same("swam-r", "swum", [{"x": 0, "y": 1}])
same("swim", "swum_on_starting_tile", 2, 5, -1, *NO_NUMBER)
case("swim", "swum_on_starting_tile", 1, "swims_left")
case("swam", "swum_on_starting_tile", 1, "swum_on_starting_tile")
case("swam", "swum", [], "swims_left")
same("swam", "swum[0]", {"x": 0, "y": 0}, None, {"x": 1, "y": 0}, {"x": -1, "y": 0}, *NO_MAPPING)
case("swam", "swum[1]", {"x": 0, "y": 1}, "swum[1]")
case("swam", "swum[0].x", 91, "swum[0].x")

# Reshuffles.
same("take", "nothing_placed_since_reshuffle", 1, "no", [])
for base in ("swim", "photo", "shark", "bonus", "draw-photo", "over-n", "first", "columns"):
    same(base, "nothing_placed_since_reshuffle", True)

# The trigger.
same("take", "trigger_seat", 0, 3, -1, *NO_NUMBER)
same("take", "turns_left", 1, 4, -1, *NO_NUMBER)
same("fifth", "trigger_seat", None, 1)
same("fifth", "turns_left", 0, 1, 2)
same("final", "turns_left", 0, 1, 3, 4)
same("final", "trigger_seat", None, 1, 2)
same("over", "turns_left", 1, 3)
case("final", "turn", 2, "turns_left")

same("dry", "trigger_seat", None)
same("dry", "turns_left", 0, 1, 3)
case("dry", "trigger_seat", 1, "turns_left")
case("dry", "supply", 1, "supply")

# The end.
case("take", "phase", "OVER", "phase")
case("final", "phase", "OVER", "phase")
case("over-n", "discards[4].count", less, "pile", [{"tile": 4, "count": 1}], "phase")
case("over-r", "nothing_placed_since_reshuffle", False, "tile_in_hand")
case("over-r", "tile_in_hand", None, "discards[0].count", more, "nothing_placed_since_reshuffle", False, "phase")

# Chance phases have something to draw.
case("draw", "pile", [], "discards", BASES["draw"][0]["table"]["pile"], "pile")
case("cards", "photo_deck", [], "photo_deck")

# Setup.
case("first", "columns[0].tiles", [0], "pile[0].count", less, "columns[0].tiles")
case("columns", "columns[0].tiles[2]", DELETE, "pile[3].count", more, "columns[0].tiles")
case("columns", "columns[3].tiles", [12], "pile[12].count", less, "columns[3].tiles")
case("columns", "columns[1].tiles", [12, 12, 12], "pile[0].count", more, "pile[12].count", 1, "columns[1].tiles")
case("cards", "columns[3].tiles", [], *TO_PILE, "columns[3].tiles")
case("columns", "open_photos", [9], "photo_deck[9].count", less, "open_photos")
case("cards", "open_photos", [0, 0, 0, 1], "photo_deck[0]", DELETE, "photo_deck[0].count", 1, "open_photos")
case("die", "open_photos[0]", DELETE, *TO_DECK, "open_photos")
case("columns", "seats[1].habitat[0].manatees", 2, "supply", 26, "seats[1].habitat[0].manatees")
case("columns", "discards", [{"tile": 12, "count": 1}], "pile[12].count", less, "die_face")
case("die", "seats[1].photos", [9], "photo_deck[9].count", less, "die_face")

# Faults apart from each other are all told.
case(
    "swim",
    *("first_player", 9),
    *("seats[0].habitat[0].cell.x", 99),
    *("seats[2].habitat[0].manatees", 7),
    *("columns[2].tiles[0]", "x"),
    *("open_photos[0]", 55),
    *("swum_on_starting_tile", -1),
    *("trigger_seat", 1),
    *("/extra", 1),
    "/extra columns[2].tiles[0] first_player open_photos[0] seats[0].habitat[0].cell.x seats[2].habitat[0].manatees "
    "swum_on_starting_tile trigger_seat",
)


@pytest.mark.parametrize("malformed", CASES, ids=name_of)
def test_malformed_positions(malformed: Case) -> None:
    base, changes, wrong = malformed
    sound, how = BASES[base]
    position = changed(sound, changes)
    with pytest.raises(Malformed) as caught:
        read(position, **how)
    assert paths(caught.value.violations) == sorted(wrong)
    assert all(message and len(message) < 400 for _, message in caught.value.violations)


def test_there_are_many_malformed_positions() -> None:
    assert len(CASES) >= 600


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_mapping_at_all(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed) as caught:
            read(junk, 2, observes=observes)
        assert paths(caught.value.violations) == [""]


def test_faults_are_in_the_order_of_the_fields() -> None:
    base, changes, _ = CASES[-1]
    changes = [*changes, ("rules", {"mirror_patterns": True}), ("referee.seats", [])]
    position, how = BASES[base]
    with pytest.raises(Malformed) as caught:
        read(changed(position, changes), **how)
    assert [path for path, _ in caught.value.violations] == [
        "rules.mirror_patterns",
        "table.first_player",
        "table.seats[0].habitat[0].cell.x",
        "table.seats[2].habitat[0].manatees",
        "table.columns[2].tiles[0]",
        "table.open_photos[0]",
        "table.swum_on_starting_tile",
        "table.trigger_seat",
        "referee.seats",
        "extra",
    ]


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("table.seats[1].habitat", {"tile": 99}),
        ("table.seats[1].habitat", {"tile": 0, "cell": {"x": 3, "y": 3}}),
        ("table.seats[1].photos", 0),
        ("table.pile", {"tile": 0, "count": 1}),
        ("table.discards", None),
        ("table.columns[2].tiles", 4),
        ("table.open_photos", 3),
        ("table.swum", {"x": 1}),
    ],
)
def test_reading_stops_at_a_thousand_faults(path: str, entry: Any) -> None:
    position = changed(BASES["take"][0], [(path, [entry] * 100_000)])
    with pytest.raises(Malformed) as caught:
        read(position, 3)
    assert len(caught.value.violations) == 1000


def test_a_wide_habitat_is_refused_soon() -> None:
    """As many tiles as there are cells, none beside another: no more work than faults."""
    wide = [{"tile": 0, "cell": {"x": x, "y": y}} for x in range(-90, 91, 2) for y in range(-90, 91, 2)]
    position = changed(BASES["take"][0], [(f"table.seats[{s}].habitat", wide) for s in range(3)])
    with pytest.raises(Malformed) as caught:
        read(position, 3)
    assert len(caught.value.violations) == 1000


# Random damage: refused or accepted, never anything else.

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(),
    st.floats(),
    st.sampled_from([*heart_position.PHASES, "UNSPECIFIED"]),
    st.text(max_size=5),
    st.binary(max_size=3),
)
keys = st.one_of(st.sampled_from(heart_position._FIELD_ORDER), st.text(max_size=3), st.integers(), st.none())
junk_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=8,
)


def damage(draw: Callable[[Any], Any], message: Any) -> Any:
    """A message with one to four places in it set to junk, removed, doubled or overwritten by another place."""
    message = copy.deepcopy(message)
    for _ in range(draw(st.integers(1, 4))):
        where = places(message)
        if not where:
            return message
        inner, last = at(message, draw(st.sampled_from(where)))
        what = draw(st.sampled_from(["set", "delete", "copy", "double"]))
        if what == "delete":
            del inner[last]
        elif what == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[last]))
        elif what == "copy":
            source, name = at(message, draw(st.sampled_from(where)))
            inner[last] = copy.deepcopy(source[name])
        else:
            inner[last] = draw(junk_values)
    return message


def at(message: Any, path: tuple[str | int, ...]) -> tuple[Any, Any]:
    """What holds the place at a path, and its name or index there."""
    *way, last = path
    for step in way:
        message = message[step]
    return message, last


@settings(max_examples=800, deadline=None)
@given(st.data())
def test_damaged_positions(data: st.DataObject) -> None:
    base, how = BASES[data.draw(st.sampled_from(sorted(BASES)))]
    try:
        parsed = read(damage(data.draw, base), **how)
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        return
    # Accepted: then every component is in one place.
    tiles = [kind for habitat in parsed.habitats for kind, *_ in habitat if kind >= 0]
    tiles += [kind for column in parsed.columns for kind in column]
    tiles += [] if parsed.tile_in_hand is None else [parsed.tile_in_hand]
    assert len(tiles) + sum(parsed.pile) + sum(parsed.discards) == 90
    assert sum(map(len, parsed.photos)) + len(parsed.open_photos) + sum(parsed.photo_deck) == 24
    assert parsed.supply + sum(tile[4] for habitat in parsed.habitats for tile in habitat) == 30


@settings(max_examples=200, deadline=None)
@given(junk_values)
def test_junk_positions(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed):
            read(junk, 2, observes=observes)
        with pytest.raises(Malformed):
            read({"table": junk}, 2, observes=observes)


# Whole random games of the reference: what it says, the readers read.

MIXES = [
    (2 + mix % 3, {name: bool(mix >> bit & 1) for bit, name in enumerate(DEFAULT_RULES)})
    for mix in range(1 << len(DEFAULT_RULES))
]


def discard(game: ReferenceHeart, seat: int) -> list[Message]:
    """Discards a tile whether or not it fits, for games that run out of tiles."""
    events: list[Message] = []
    game._discard(seat, events)
    return events


@pytest.mark.parametrize("part", range(8))
def test_games(part: int) -> None:
    seen: set[str] = set()
    for number in range(16 * part, 16 * part + 16):
        seats, rules = MIXES[number]
        rng = random.Random(number)
        game = ReferenceHeart(CATALOGUE, seats, rules)
        game.start(rng.choice([None, rng.randrange(seats)]))
        wasteful = rng.random() < 0.25
        before = game.position()
        while not game.over:
            chance = game.chance()
            if chance is not None:
                outcome = rng.choices(list(chance), list(chance.values()))[0]
                events = game.happen(outcome)
                said = heart_events.chance_events(
                    before, outcome, now := game.position(), catalogue=CATALOGUE, rules=rules
                )
            else:
                seat = game.turn
                move = rng.choice(game.moves(seat))
                if wasteful and game.phase == "PLACE" and rng.random() < 0.9:
                    move = "discard"
                events = discard(game, seat) if move == "discard" else game.play(seat, move)
                said = heart_events.events(before, seat, move, now := game.position(), catalogue=CATALOGUE, rules=rules)
            assert said == events
            seen |= {kind + str(event.get("reason", "")) for entry in events for kind, event in entry.items()}
            before = now
            if rng.random() < 0.15 or game.over:
                assert read(now, seats, rules) == expected(game, None)
                observer = rng.randrange(seats)
                assert read(game.observe(observer), seats, rules, observes=True) == expected(game, observer)
    assert {"reshuffled", "relocated", "endedLAST_TURN", "end_triggeredPHOTOS"} <= seen


# Reports.


def random_game(game: Heart, rng: random.Random) -> Iterator[tuple[State, list[Message]]]:
    """The states of a random game, each with the events that led to it."""
    state = game.start()
    yield state, []
    while game.turn(state) != OVER:
        before, seat = state, game.turn(state)
        if seat == CHANCE:
            outcomes, weights = zip(*game.outcomes(before), strict=True)
            outcome = rng.choices(outcomes, weights)[0]
            state = game.happen(before, outcome)
            yield state, game.chance_events(before, outcome, state)
        else:
            move = rng.choice(game.moves(before, seat))
            state = game.play(before, seat, move)
            yield state, game.events(before, seat, move, state)


def thinned(events: list[Message], rng: random.Random) -> list[Message]:
    """Events without some of those that follow by themselves."""
    return [event for event in events if rng.random() < 0.6 or not event.keys() & heart_events._AUTOMATIC]


@pytest.mark.parametrize("mix", MIXES[::8], ids=str)
def test_reported_games(mix: tuple[int, dict[str, bool]]) -> None:
    seats, rules = mix
    rng = random.Random(MIXES.index(mix))
    game = Heart(seats, CATALOGUE, rules)
    known = game.start()
    heard: list[Message] = []
    for state, events in random_game(game, rng):
        heard += thinned(events, rng)
        if rng.random() < 0.2 or game.turn(state) == OVER:
            known = heart_events.report(game, known, heard)
            assert known == state
            heard = []


STATES = {
    name: Heart(how["seats"], CATALOGUE, how["rules"]).load(position)
    for name, (position, how) in BASES.items()
    if "observes" not in how
}


def event(kind: str, **fields: Any) -> Message:
    cells = {"cell", "origin", "destination"}
    return {
        kind: {name: dict(zip("xy", value, strict=True)) if name in cells else value for name, value in fields.items()}
    }


TAKEN = event("taken", column=2, tile=0)
PLACED = event("placed", tile=0, cell=(-1, 1))
MOVED = event("shark_moved", host=2, cell=(0, 1))
RESCUE = [event("taken", column=0, tile=0), PLACED, event("rescued", manatees=1)]

SOUND_REPORTS: list[tuple[str, list[Message]]] = [
    ("take", []),
    ("take", [TAKEN, PLACED, event("photo_taken", photo=0), event("photo_drawn", photo=1)]),
    ("take", [TAKEN, PLACED, event("declined")]),
    ("take", [event("taken", column=3, tile=0), event("placed", tile=0, cell=(-1, 1), rotation=3), MOVED]),
    ("take", [*RESCUE, event("taken", seat=1, column=3, tile=0)]),
    ("take", [*RESCUE[:2], event("taken", seat=1, column=3, tile=0)]),
    ("swim", [event("swam", origin=(0, 0), destination=(0, 1)), event("declined")]),
    ("bonus", [event("taken", column=1, tile=0), event("placed", tile=0, cell=(1, -1)), event("die_rolled", face=4)]),
    ("draw", [event("tile_drawn", tile=12, column=1), event("tile_drawn", tile=12, column=1)]),
    ("first", [event("first_drawn", seat=2), event("tile_drawn", tile=0)]),
    ("fifth", [event("photo_drawn", photo=1)]),
]  # fmt: skip

NO_EVENT: tuple[Any, ...] = (None, 3, "x", [], {})
# (state, events, paths at fault, words of the message)
REPORT_CASES: list[tuple[str, Any, str, str]] = [
    # Shapes.
    *[("take", junk, "events", "list") for junk in NO_LIST],
    *[("take", [junk], "events[0]", "expected") for junk in NO_EVENT],
    *[("take", [{kind: junk}], f"events[0].{kind}", "mapping")
      for kind in heart_events._KINDS for junk in NO_MAPPING],
    *[("take", [{kind: {"colour": 1}}, 3], f"events[0].{kind}.colour events[1]", "unknown")
      for kind in ("swam", "declined", "relocated")],
    ("take", [TAKEN | PLACED], "events[0]", "one of"),
    ("take", [{"dealt": {}}], "events[0] events[0].dealt", "expected"),
    ("take", [TAKEN | {"private_to": 0}], "events[0].private_to", "public"),
    *[("take", [event("taken", **{name: junk})], f"events[0].taken.{name}", "expected")
      for name in ("seat", "column", "tile") for junk in (-1, 90, *NO_NUMBER)],
    *[("take", [event("placed", rotation=junk)], "events[0].placed.rotation", "0 to 3") for junk in (-1, 4, "1")],
    ("take", [{"placed": {"cell": {"x": 91, "y": "1"}}}],
     "events[0].placed.cell.x events[0].placed.cell.y", "expected"),
    *[("take", [{"swam": {"origin": junk}}], "events[0].swam.origin", "mapping") for junk in NO_MAPPING],
    *[("take", [{"rescued": {"manatees": junk}}], "events[0].rescued.manatees", "0 to 4") for junk in (-1, 5, True)],
    *[("take", [{"reshuffled": {"tiles": junk}}], "events[0].reshuffled.tiles", "1 to 90") for junk in (0, 91, None)],
    *[("take", [{kind: {"reason": junk}}], f"events[0].{kind}.reason", "expected")
      for kind in ("ended", "end_triggered") for junk in (None, 1, "supply", "SCORE")],
    # What is due.
    ("take", [PLACED], "events[0].placed", "taken or declined of seat 0"),
    ("place", [TAKEN], "events[0].taken", "placed or discarded of seat 0"),
    ("take", [event("tile_drawn", tile=0)], "events[0].tile_drawn", "taken or declined of seat 0"),
    ("draw", [PLACED], "events[0].placed", "tile_drawn"),
    ("roll", [event("photo_drawn")], "events[0].photo_drawn", "die_rolled"),
    ("over", [TAKEN], "events[0].taken", "over"),
    ("take", [event("taken", seat=1, column=2, tile=0)], "events[0].taken.seat", "seat 0"),
    # The tile.
    ("take", [event("taken", column=2, tile=5)], "events[0].taken.tile", "beach end of column 2, not 5"),
    ("refill", [event("tile_drawn", tile=12, column=3)], "events[0].tile_drawn.column", "expected 1"),
    ("place", [event("placed", tile=5, cell=(-1, 1))], "events[0].placed.tile", "in hand, not 5"),
    ("place", [event("discarded", tile=5)], "events[0].discarded.tile", "in hand, not 5"),
    # Moves that are not legal.
    ("take", [event("declined")], "events[0].declined", "not a legal move"),
    ("place", [event("discarded", tile=0)], "events[0].discarded", "not a legal move"),
    ("take", [TAKEN, event("placed", tile=0, cell=(0, 0))], "events[1].placed.cell", "not a legal move"),
    ("take", [TAKEN, event("placed", tile=0, cell=(90, -90))], "events[1].placed.cell", "not a legal move"),
    ("swim", [event("swam", origin=(0, 0), destination=(0, -1))], "events[0].swam.destination", "not a legal move"),
    ("swim", [event("swam", origin=(7, 0), destination=(80, -1))], "events[0].swam.destination", "not a legal move"),
    ("photo", [event("photo_taken", photo=1)], "events[0].photo_taken.photo", "not a legal move"),
    ("photo", [event("photo_taken", photo=23)], "events[0].photo_taken.photo", "not a legal move"),
    ("shark", [event("shark_moved", host=1, cell=(0, -1))], "events[0].shark_moved.cell", "not a legal move"),
    ("shark", [event("shark_moved", host=0, cell=(0, -1))], "events[0].shark_moved.cell", "not a legal move"),
    # What cannot be drawn.
    ("draw", [event("tile_drawn", tile=89, column=1)], "events[0].tile_drawn.tile", "89 cannot"),
    ("draw-photo", [event("photo_drawn", photo=23)], "events[0].photo_drawn.photo", "23 cannot"),
    ("roll", [event("die_rolled", face=19)], "events[0].die_rolled.face", "19 cannot"),
    # What follows by itself.
    ("take", RESCUE[2:], "events[0].rescued", "nothing of the kind"),
    ("take", [*RESCUE, RESCUE[2]], "events[3].rescued", "nothing of the kind"),
    ("take", [*RESCUE[:2], event("rescued", seat=1, manatees=2)],
     "events[2].rescued.manatees events[2].rescued.seat", "expected 1, not 2"),
    ("take", [*RESCUE[:2], event("relocated", host=1)], "events[2].relocated", "nothing of the kind"),
    ("take", [*RESCUE[:2], event("taken", seat=1, column=0, tile=3), RESCUE[2]], "events[3].rescued", "nothing"),
    ("fifth", [event("end_triggered", reason="PHOTOS")], "events[0].end_triggered", "nothing of the kind"),
]  # fmt: skip


@pytest.mark.parametrize(("base", "events"), SOUND_REPORTS)
def test_sound_reports(base: str, events: list[Message]) -> None:
    state = STATES[base]
    told = copy.deepcopy(events)
    after = heart_events.report(state.game, state, events)
    assert told == events
    assert (after == state) == (not events)
    read(state.game.dump(after), 3)


@pytest.mark.parametrize(("base", "events", "wrong", "words"), REPORT_CASES)
def test_reports_that_cannot_be(base: str, events: Any, wrong: str, words: str) -> None:
    state = STATES[base]
    with pytest.raises(Malformed, match=re.escape(words)) as caught:
        heart_events.report(state.game, state, events)
    assert paths(caught.value.violations) == wrong.split()


def test_reading_of_events_stops_at_a_thousand_faults() -> None:
    state = STATES["take"]
    with pytest.raises(Malformed) as caught:
        heart_events.report(state.game, state, [{"taken": {"seat": 7}}] * 100_000)
    assert len(caught.value.violations) == 1000


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_reports(data: st.DataObject) -> None:
    base, events = data.draw(st.sampled_from(SOUND_REPORTS[1:]))
    state = STATES[base]
    try:
        after = heart_events.report(state.game, state, damage(data.draw, events))
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        return
    # Whatever is taken up leaves a sound position.
    read(state.game.dump(after), 3)


@settings(max_examples=100, deadline=None)
@given(st.lists(junk_values, min_size=1, max_size=3))
def test_junk_reports(events: list[Any]) -> None:
    state = STATES["take"]
    with pytest.raises(Malformed):
        heart_events.report(state.game, state, events)
