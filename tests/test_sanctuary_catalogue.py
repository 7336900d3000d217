"""What the reader of sanctuary's catalogues accepts, refuses and warns of, and the tables that it makes of them."""

from __future__ import annotations

import copy
import itertools
import json
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from differential import house
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import sanctuary as reference

from advisor.v1 import sanctuary_pb2
from ext import sanctuary_catalogue, sanctuary_tables
from ext.errors import Malformed, Violation
from ext.sanctuary_tables import GREEN, PURPLE, RED, WALL, Face, Image, SoloTrack, StartingTile

Message = dict[str, Any]
DELETE = object()
LETTERS = {"R": "RED", "G": "GREEN", "P": "PURPLE", "W": "WALL"}


def edges(letters: str) -> list[str]:
    return [f"SANCTUARY_EDGE_{LETTERS[letter]}" for letter in letters]


def word(letters: str) -> int:
    return sanctuary_tables.edges_word(edges(letters))


def shape(*cells: tuple[int, int]) -> Message:
    return {"cells": [{"x": x, "y": y} for x, y in cells]}


ELL = shape((0, 0), (0, 1), (0, 2), (1, 2))
PLAIN = {"goal": "SANCTUARY_GOAL_PINK"}
SHAPED = {"goal": "SANCTUARY_GOAL_SHAPE", "shape": ELL, "points": 7}
CATALOGUE: Message = {
    "id": "test-catalogue-1",
    "about": "Invented for tests.",
    "editions": [
        {
            "name": "One",
            "cards": [
                {"count": 40, "strength": 1, "rescues": {"gray": 1}, "edges": edges("RGPW"), "capacity": 2},
                {"count": 30, "strength": 2, "random_rescues": 2, "edges": edges("RGRG"), "capacity": 3},
                {
                    "count": 19,
                    "strength": 3,
                    "rescues": {"gray": 2, "pink": 1, "yellow": 3},
                    "random_rescues": 3,
                    "harvests": 9,
                    "edges": edges("PPPP"),
                    "end_game": "SANCTUARY_END_GAME_YELLOW",
                },
                {"strength": 1, "harvests": 1, "edges": edges("WWRW"), "capacity": 9},
            ],
            "starting_tile": {"edges": edges("RGPW"), "capacity": 4},
        },
        {
            "name": "Two",
            "cards": [{"count": 90, "strength": 1, "rescues": {"gray": 1}, "edges": edges("RGPW"), "capacity": 2}],
            "starting_tile": {"edges": edges("WWWP")},
        },
    ],
    "bonuses": [
        {"count": 8, "faces": [PLAIN, PLAIN, {"goal": "SANCTUARY_GOAL_LITTLE_FOOD"}]},
        {"count": 1, "faces": [PLAIN, SHAPED, PLAIN]},
        {"faces": [PLAIN, {**SHAPED, "points": 8}, {"goal": "SANCTUARY_GOAL_GREEN_FLOWERS"}]},
    ],
    "solo_track": {"values": [6, 3, 0, -3], "start": 2},
    "challenge_shape": shape((0, 0), (1, 0), (1, 1)),
}
# No two parts are one object: a change is of one place.
CATALOGUE = json.loads(json.dumps(CATALOGUE))
CARD: Message = CATALOGUE["editions"][0]["cards"][0]


def change(message: Any, path: str, value: Any) -> None:
    """Sets, appends (index equal to the length) or deletes the field at `path`."""
    *way, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
    for step in way:
        message = message[step]
    if value is DELETE:
        del message[last]
    elif isinstance(message, list) and last == len(message):
        message.append(value)
    else:
        message[last] = value


def changed(changes: Iterable[tuple[str, Any]]) -> Message:
    message = copy.deepcopy(CATALOGUE)
    for path, value in changes:
        change(message, path, value if value is DELETE else copy.deepcopy(value))
    return message


def paths(violations: Iterable[Violation]) -> list[str]:
    return sorted({path for path, _ in violations})


# Catalogues that are refused: the changes to the sound one, and where the faults are.

CASES: list[tuple[list[tuple[str, Any]], list[str]]] = []
NO_TEXT: tuple[Any, ...] = (3, True, [], {}, b"x")
NO_LIST: tuple[Any, ...] = (3, True, "xy", {}, {"a": 1}, 1.5, b"xy", object())
NO_MAPPING: tuple[Any, ...] = (3, True, "x", [], 1.5, object())
NO_NUMBER: tuple[Any, ...] = (1.5, "1", [], {}, False, True, 10**30, -(10**30), 2**31, float("nan"))
NO_ENUM: tuple[Any, ...] = (1, True, "", "RED", "PINK", "SHAPE", "sanctuary_edge_red", [], {}, b"x")


def fault(*pairs: Any) -> None:
    """fault(path, value, ..., [paths at fault])"""
    *flat, expected = pairs
    CASES.append((list(zip(flat[::2], flat[1::2], strict=True)), expected))


def faults(path: str, *values: Any) -> None:
    for value in values:
        fault(path, value, [path])


faults("id", None, DELETE, "", "A", "a_b", "a b", "é", "a\n", "x" * 65, *NO_TEXT)
faults("about", None, DELETE, "", "  ", "x" * 2001, *NO_TEXT)

# Editions.
faults("editions", None, DELETE, [], *NO_LIST)
fault("editions[2]", {**CATALOGUE["editions"][0], "name": "Three"}, ["editions"])
faults("editions[1]", None, *NO_MAPPING)
faults("editions[1].name", None, DELETE, "", " ", "x" * 65, "One", *NO_TEXT)
for which in ("editions[0]", "editions[1]"):
    faults(f"{which}.starting_tile", None, DELETE, *NO_MAPPING)
    faults(f"{which}.starting_tile.capacity", -1, 10, *NO_NUMBER)
for where in ("editions[0].cards[2].edges", "editions[1].starting_tile.edges"):
    faults(where, None, DELETE, [], edges("RGP"), edges("RGPWR"), *NO_LIST)
    faults(f"{where}[1]", None, "SANCTUARY_EDGE_UNSPECIFIED", "SANCTUARY_EDGE_BLUE", *NO_ENUM)

# Cards.
faults("editions[0].cards", None, DELETE, [], *NO_LIST)
faults("editions[0].cards[1]", None, *NO_MAPPING)
faults("editions[0].cards[1].count", -1, 91, *NO_NUMBER)
fault("editions[0].cards[1].count", 31, ["editions[0].cards"])
fault("editions[0].cards[1].count", DELETE, ["editions[0].cards"])
fault("editions[0].cards[4]", {**CARD, "count": 1, "capacity": 3}, ["editions[0].cards"])
fault("editions[1].cards", [CARD] * 91, ["editions[1].cards", *(f"editions[1].cards[{i}]" for i in range(1, 90))])
faults("editions[0].cards[1].strength", None, DELETE, 0, -1, 4, *NO_NUMBER)
faults("editions[0].cards[0].rescues", *NO_MAPPING)
for colour in ("gray", "pink", "yellow"):
    faults(f"editions[0].cards[2].rescues.{colour}", -1, 10, *NO_NUMBER)
faults("editions[0].cards[2].random_rescues", -1, 4, 10, *NO_NUMBER)  # With six named icons.
fault("editions[0].cards[2].rescues.gray", 3, ["editions[0].cards[2].random_rescues"])
faults("editions[0].cards[2].harvests", -1, 10, *NO_NUMBER)
faults("editions[0].cards[1].capacity", -1, 10, *NO_NUMBER)
faults("editions[0].cards[2].end_game", "SANCTUARY_END_GAME_GRAY", *NO_ENUM)
for none in (None, DELETE, 0):
    fault("editions[0].cards[1].capacity", none, ["editions[0].cards[1]"])
for none in (None, DELETE, "SANCTUARY_END_GAME_UNSPECIFIED"):
    fault("editions[0].cards[2].end_game", none, ["editions[0].cards[2]"])
fault("editions[0].cards[2].capacity", 1, ["editions[0].cards[2]"])

# Cards of one kind that are written as two.
for twin in (
    {**CARD, "count": 1},
    {**CARD, "count": None, "harvests": 0, "random_rescues": None, "end_game": "SANCTUARY_END_GAME_UNSPECIFIED"},
    {**CARD, "count": 0, "rescues": {"gray": 1, "pink": 0, "yellow": None}},
):
    fault("editions[0].cards[0].count", 39, "editions[0].cards[4]", twin, ["editions[0].cards[4]"])
fault("editions[0].cards[1]", {**CARD, "count": 2}, ["editions[0].cards[1]"])  # What adds up is then left open.

# Round bonus cards.
faults("bonuses", *NO_LIST)
faults("bonuses[1]", None, *NO_MAPPING)
faults("bonuses[0].count", -1, 11, *NO_NUMBER)
fault("bonuses[0].count", 7, ["bonuses"])
fault("bonuses[2]", DELETE, ["bonuses"])
faults("bonuses[0].faces", None, DELETE, [], [PLAIN] * 2, [PLAIN] * 4, *NO_LIST)
faults("bonuses[0].faces[1]", None, *NO_MAPPING)
faults("bonuses[0].faces[1].goal", None, DELETE, "SANCTUARY_GOAL_UNSPECIFIED", *NO_ENUM)
faults("bonuses[0].faces[1].points", -1, 1, 99, 100, *NO_NUMBER)
faults("bonuses[0].faces[1].shape", ELL, {}, *NO_MAPPING)
faults("bonuses[1].faces[1].shape", None, DELETE, *NO_MAPPING)
faults("bonuses[1].faces[1].points", None, DELETE, 0, -1, 100, *NO_NUMBER)
fault(
    *("bonuses[1].faces[1].goal", PLAIN["goal"]),
    ["bonuses[1].faces[1].points", "bonuses[1].faces[1].shape"],
)
fault("bonuses[0].faces[1]", {}, ["bonuses[0].faces[1].goal"])
fault("bonuses[2].faces", [PLAIN, SHAPED, PLAIN], ["bonuses[2]"])
TURNED_ELL = shape((5, 7), (4, 7), (3, 7), (3, 8))
fault("bonuses[2].faces", [PLAIN, {**SHAPED, "shape": TURNED_ELL}, {**PLAIN, "points": 0}], ["bonuses[2]"])
fault(
    *("bonuses", [{"faces": [PLAIN] * 3}] * 11),
    ["bonuses", *(f"bonuses[{i}]" for i in range(1, 10))],
)

# Shapes.
faults("challenge_shape", *NO_MAPPING)
for where in ("challenge_shape", "bonuses[1].faces[1].shape"):
    faults(f"{where}.cells", None, DELETE, [], *NO_LIST)
    fault(f"{where}.cells", shape(*((x, 0) for x in range(-6, 7)))["cells"], [f"{where}.cells"])
    faults(f"{where}.cells[2]", {}, None, {"x": 0}, *NO_MAPPING)
    for coordinate in ("x", "y"):
        faults(f"{where}.cells[2].{coordinate}", 13, -13, *NO_NUMBER)

# The solo track.
faults("solo_track", *NO_MAPPING)
faults("solo_track.values", None, DELETE, [], [0] * 42, *NO_LIST)
faults("solo_track.values[1]", 100, -100, *NO_NUMBER)
faults("solo_track.start", -1, 4, 100, *NO_NUMBER)

# Unknown fields, and several faults at once.
for where in (
    *("", "editions[1].", "editions[0].cards[1].", "editions[0].cards[0].rescues.", "editions[0].starting_tile."),
    *("bonuses[1].", "bonuses[1].faces[0].", "bonuses[1].faces[1].shape.", "challenge_shape.cells[1]."),
    *("solo_track.", "challenge_shape."),
):
    fault(f"{where}weight", 1, [f"{where}weight"])
fault("id", 1, "editions[1].name", "", "bonuses[1].count", -1, ["bonuses[1].count", "editions[1].name", "id"])


def name_of(value: Any) -> str:
    return str(value[0][0][0])


@pytest.mark.parametrize("malformed", CASES, ids=name_of)
def test_malformed_catalogues(malformed: tuple[list[tuple[str, Any]], list[str]]) -> None:
    changes, expected = malformed
    catalogue = changed(changes)
    found = sanctuary_catalogue.check(catalogue)
    assert paths(found) == sorted(expected)
    assert all(message and len(message) < 400 for _, message in found)
    assert sanctuary_catalogue.warnings(catalogue) == []


def test_there_are_many_malformed_catalogues() -> None:
    assert len(CASES) >= 300


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [("editions[1]", DELETE)],
        [("bonuses", DELETE), ("solo_track", DELETE), ("challenge_shape", DELETE)],
        [("bonuses", None), ("solo_track", None), ("challenge_shape", None)],
        [("bonuses", [])],
        [("editions[0].cards[3].count", 0), ("editions[0].cards[1].rescues", None)],
        [("editions[0].cards[1].rescues", {}), ("editions[0].cards[1].harvests", None)],
        [("editions[0].cards[2].capacity", 0), ("editions[0].cards[1].end_game", "SANCTUARY_END_GAME_UNSPECIFIED")],
        # A rotation is another card: its inner edge is another.
        [("editions[0].cards[0].count", 39), ("editions[0].cards[4]", {**CARD, "count": 1, "edges": edges("GPWR")})],
        [("bonuses[0].faces[1].points", 0), ("bonuses[0].faces[1].shape", None)],
        # A mirror image is another shape.
        [("bonuses[2].faces", [PLAIN, {**SHAPED, "shape": shape((0, 0), (0, 1), (0, 2), (-1, 2))}, PLAIN])],
        [("challenge_shape.cells", [None])],
        [("challenge_shape", shape(*((x, 12) for x in range(-12, 0))))],
        [("solo_track", {"values": [None, 99, -99]})],
        [("solo_track.values", [0] * 41), ("solo_track.start", 40)],
        [("editions[0].starting_tile.capacity", 9)],
    ],
)
def test_sound_catalogues(changes: list[tuple[str, Any]]) -> None:
    catalogue = changed(changes)
    assert sanctuary_catalogue.check(catalogue) == []
    compiled(catalogue)


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_catalogue(junk: Any) -> None:
    assert paths(sanctuary_catalogue.check(junk)) == [""]
    assert sanctuary_catalogue.warnings(junk) == []


def test_faults_are_in_the_order_of_the_fields() -> None:
    broken = changed(
        [
            ("challenge_shape.cells[1].y", 99),
            ("solo_track.start", -1),
            ("bonuses[1].faces[1].shape.cells[0].x", 99),
            ("bonuses[0].faces[0].goal", 0),
            ("editions[0].starting_tile.capacity", -1),
            ("editions[1].cards[0].edges[0]", 0),
            ("editions[0].cards[2].end_game", 0),
            ("editions[0].cards[2].harvests", -1),
            ("editions[0].name", ""),
            ("id", ""),
            ("extra", 1),
        ]
    )
    assert [path for path, _ in sanctuary_catalogue.check(broken)] == [
        "id",
        "editions[0].name",
        "editions[0].cards[2].harvests",
        "editions[0].cards[2].end_game",
        "editions[0].starting_tile.capacity",
        "editions[1].cards[0].edges[0]",
        "bonuses[0].faces[0].goal",
        "bonuses[1].faces[1].shape.cells[0].x",
        "solo_track.start",
        "challenge_shape.cells[1].y",
        "extra",
    ]


def test_the_order_of_the_fields_is_the_messages() -> None:
    for name in (
        *("Catalogue", "Edition", "Card", "StartingTile", "Bonus", "Face", "Shape", "SoloTrack", "Cell", "Manatees"),
    ):
        fields = [field.name for field in getattr(sanctuary_pb2, f"Sanctuary{name}").DESCRIPTOR.fields]
        assert sorted(fields, key=sanctuary_catalogue._FIELD_RANK.__getitem__) == fields


@pytest.mark.parametrize(
    "path",
    [
        *("editions", "editions[0].cards", "editions[0].cards[0].edges", "bonuses", "bonuses[0].faces"),
        *("challenge_shape.cells", "solo_track.values"),
    ],
)
def test_endless_lists_are_not_read_to_their_end(path: str) -> None:
    assert 0 < len(sanctuary_catalogue.check(changed([(path, [{}] * 100_000)]))) <= 1_000


@pytest.mark.parametrize(
    ("changes", "expected", "words"),
    [
        ([], ["editions[0].cards[3].edges"], "never be laid"),
        ([("editions[0].cards[3].edges", edges("WWRW"))], [], ""),
        ([("editions[0].cards[2].edges", edges("RRRR")), ("editions[0].cards[0].edges", edges("RGRW"))],
         ["editions[0].cards"], "no card shows SANCTUARY_EDGE_PURPLE"),
        ([("editions[0].cards[3].harvests", 0)], ["editions[0].cards[3]"], "does nothing"),
        ([("editions[0].cards[3].harvests", None), ("editions[0].cards[3].rescues", {"gray": 0})],
         ["editions[0].cards[3]"], "does nothing"),
        ([("editions[1].starting_tile.edges", edges("WWWW"))], ["editions[1].starting_tile.edges"], "ever be laid"),
        ([("editions[0].starting_tile.edges", edges("PWWW")), ("editions[0].cards[2].edges", edges("RRRR")),
          ("editions[0].cards[0].edges", edges("RGRW"))],
         ["editions[0].cards", "editions[0].starting_tile.edges"], "no card shows SANCTUARY_EDGE_PURPLE"),
        ([("editions[1].name", " one")], ["editions[1].name"], "spaces"),
        ([("editions[1].name", "one")], ["editions[1].name"], "worded like editions[0].name"),
        ([("solo_track.values", [-1, 0, 1])], ["solo_track.values"], "rise"),
        ([("challenge_shape", shape((3, 3)))], ["challenge_shape"], "always there"),
        ([("challenge_shape", shape((0, 0), (8, 8)))], ["challenge_shape"], "takes 17 cells, where a sanctuary has 16"),
        ([("challenge_shape", shape((0, 0), (8, -7)))], [], ""),
        ([("bonuses[1].faces[1].shape", shape((-12, 0), (12, 1)))], ["bonuses[1].faces[1].shape"], "takes 26 cells"),
        ([("bonuses[1].faces[1].shape", shape((-12, 0), (12, 0)))], [], ""),
    ],
)  # fmt: skip
def test_warnings(changes: list[tuple[str, Any]], expected: list[str], words: str) -> None:
    catalogue = changed(changes or [("editions[0].cards[3].edges", edges("WWWW"))])
    assert sanctuary_catalogue.check(catalogue) == []
    found = sanctuary_catalogue.warnings(catalogue)
    assert paths(found) == expected
    assert all(words in message for _, message in found[:1])


# Random damage: refused or accepted, never anything else.

JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-12, 100),
        st.integers(),
        st.floats(),
        st.sampled_from([*edges("RW"), "SANCTUARY_GOAL_SHAPE", "SANCTUARY_GOAL_PINK", "SANCTUARY_END_GAME_PAIRS"]),
        st.text(max_size=5),
        st.binary(max_size=3),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.sampled_from(sanctuary_catalogue._FIELD_ORDER), st.text(max_size=3), st.integers(), st.none()),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


def places(message: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(message, dict):
        entries = message.items()
    elif isinstance(message, list):
        entries = enumerate(message)
    for key, value in entries:
        found += places(value, (*path, key))
    return found


def damage(draw: Callable[[Any], Any], message: Any) -> Any:
    message = copy.deepcopy(message)
    for _ in range(draw(st.integers(1, 4))):
        where = places(message)
        if not where:
            break
        *way, last = draw(st.sampled_from(where))
        inner = message
        for step in way:
            inner = inner[step]
        what = draw(st.sampled_from(["set", "delete", "double"]))
        if what == "delete":
            del inner[last]
        elif what == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[last]))
        else:
            inner[last] = draw(JUNK)
    return message


def compiled(catalogue: Message) -> None:
    """Makes every table of a sound catalogue."""
    for variant in sanctuary_tables.VARIANTS:
        assert sanctuary_tables.cards(catalogue, variant, "TIGHT_FIT")
        assert sanctuary_tables.starting_tiles(catalogue, variant)
        rules = {**sanctuary_tables.DEFAULT_RULES, "round_bonuses": True, "challenge": "ARCHITECT"}
        sanctuary_tables.lacking(catalogue, rules, variant)
    for mirror in (False, True):
        assert len(sanctuary_tables.bonuses(catalogue, mirror)) == len(catalogue.get("bonuses") or ())
        if catalogue.get("challenge_shape") is not None:
            assert sanctuary_tables.challenge_images(catalogue, mirror)
    if catalogue.get("solo_track") is not None:
        track = sanctuary_tables.solo_track(catalogue)
        assert track.lowest <= 0 <= track.highest


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_damaged_catalogues(data: st.DataObject) -> None:
    catalogue = damage(data.draw, CATALOGUE)
    found = sanctuary_catalogue.check(catalogue)
    assert len(found) <= 1_000
    sanctuary_catalogue.warnings(catalogue)
    if not found:
        compiled(catalogue)


@settings(max_examples=60, deadline=None)
@given(JUNK)
def test_junk_catalogues(junk: Any) -> None:
    assert sanctuary_catalogue.check(junk)
    assert sanctuary_catalogue.warnings(junk) == []


# Tables: the rule options.

ON: Message = {
    "allow_small_scramble": True,
    "blind_choice": True,
    "pooled_space": True,
    "play_order": "SEAT_BY_SEAT",
    "food_cap": 999,
    "floor_score_at_zero": True,
    "round_bonuses": True,
    "mirror_shapes": True,
}


def test_rules_are_written_out() -> None:
    assert sanctuary_tables.DEFAULT_RULES == reference.DEFAULT_RULES
    assert sanctuary_tables.read_rules({}, "base", 2) == reference.DEFAULT_RULES
    assert sanctuary_tables.read_rules(ON, "base", 6) == {**ON, "challenge": "NONE"}
    for name, value in ON.items():
        assert sanctuary_tables.read_rules({name: value}, "base", 3) == {**reference.DEFAULT_RULES, name: value}
    for challenge in reference.CHALLENGES:
        assert sanctuary_tables.read_rules({"challenge": challenge}, "solo", 1)["challenge"] == challenge
    assert list(sanctuary_tables.DEFAULT_RULES) == [f.name for f in sanctuary_pb2.SanctuaryRules.DESCRIPTOR.fields]


def test_seats_of_each_variant_are_the_references() -> None:
    for variant, seats, small in itertools.product(sanctuary_tables.VARIANTS, range(-1, 15), (False, True)):
        rules = {"allow_small_scramble": small}
        try:
            sanctuary_tables.read_rules(rules, variant, seats)
        except Malformed as error:
            assert paths(error.violations) == ["seats"]  # noqa: PT017
            with pytest.raises(ValueError, match="seats"):
                reference.ReferenceSanctuary(CATALOGUE, seats, rules, variant)
        else:
            reference.ReferenceSanctuary(CATALOGUE, seats, rules, variant)


@pytest.mark.parametrize(
    ("rules", "variant", "seats", "expected"),
    [
        (
            {
                "challenge": "none",
                "food_cap": 1000,
                "play_order": 1,
                "draw": True,
                "mirror_shapes": None,
                "blind_choice": 1,
            },
            "targets",
            2,
            ["variant", *(f"rules.{name}" for name in
             ("blind_choice", "play_order", "food_cap", "mirror_shapes", "challenge", "draw"))],
        ),
        ({"challenge": "SAVIOUR"}, "base", 2, ["rules.challenge"]),
        ({"challenge": "SAVIOUR"}, "scramble", 6, ["seats", "rules.challenge"]),
        ({"challenge": "SAVIOUR", "round_bonuses": True}, "solo", 1, ["rules.challenge"]),
        ({"challenge": "SAVIOUR", "round_bonuses": True}, "base", 1, ["seats", "rules.challenge", "rules.challenge"]),
        ({"food_cap": -1}, "base", 2, ["rules.food_cap"]),
        ({"food_cap": True}, "base", 2, ["rules.food_cap"]),
        ({"food_cap": 3.0}, "base", 2, ["rules.food_cap"]),
        ({"food_cap": 10**40}, "base", 2, ["rules.food_cap"]),
        ({"challenge": []}, "solo", 1, ["rules.challenge"]),
        ({"challenge": "UNSPECIFIED"}, "solo", 1, ["rules.challenge"]),
        ({3: True, "a.b": 1, "": 2}, "base", 2, ["rules", "rules", "rules"]),
        (["food_cap"], "base", 2, ["rules"]),
        ("food_cap", "base", 2, ["rules"]),
        ({}, None, 2, ["variant"]),
        ({}, [], 2, ["variant"]),
        ({}, "x" * 1000, 2, ["variant"]),
        ({}, "base", None, ["seats"]),
        ({}, "solo", True, ["seats"]),
        ({}, "base", "2", ["seats"]),
        ({}, "base", 2.0, ["seats"]),
        ({}, "base", 10**40, ["seats"]),
    ],
)  # fmt: skip
def test_wrong_rules_are_all_told(rules: Any, variant: Any, seats: Any, expected: list[str]) -> None:
    with pytest.raises(Malformed) as caught:
        sanctuary_tables.read_rules(rules, variant, seats)
    assert [path for path, _ in caught.value.violations] == expected
    assert all(message and len(message) < 300 for _, message in caught.value.violations)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(JUNK, st.dictionaries(st.sampled_from([*ON, "challenge", "x"]), JUNK, max_size=3)),
    st.one_of(JUNK, st.sampled_from(["base", "solo"])),
    st.one_of(JUNK, st.integers(1, 3)),
)
def test_rules_of_junk(rules: Any, variant: Any, seats: Any) -> None:
    try:
        read = sanctuary_tables.read_rules(rules, variant, seats)
    except Malformed:
        return
    reference.ReferenceSanctuary(CATALOGUE, seats, read, variant)


def test_endless_rules_are_not_read_to_their_end() -> None:
    with pytest.raises(Malformed) as caught:
        sanctuary_tables.read_rules({f"x{i}": 1 for i in range(5_000)}, "base", 2)
    assert len(caught.value.violations) == 1_000


def test_what_a_catalogue_lacks() -> None:
    bare = changed(
        [("editions[1]", DELETE), *((name, DELETE) for name in ("bonuses", "solo_track", "challenge_shape"))]
    )

    def lacking(catalogue: Message, variant: str, seats: int, **rules: Any) -> list[str]:
        read = sanctuary_tables.read_rules(rules, variant, seats)
        found = paths(sanctuary_tables.lacking(catalogue, read, variant))
        try:
            reference.ReferenceSanctuary(catalogue, seats, rules, variant)
        except ValueError:
            assert found
        else:
            assert not found
        return found

    for catalogue, expected in ((bare, True), (CATALOGUE, False)):
        assert lacking(catalogue, "base", 2) == []
        assert lacking(catalogue, "base", 2, round_bonuses=True) == ["rules.round_bonuses"] * expected
        assert lacking(catalogue, "solo", 1) == ["variant"] * expected
        assert lacking(catalogue, "scramble", 7) == ["variant"] * expected
        assert lacking(catalogue, "solo", 1, challenge="ARCHITECT") == ["rules.challenge", "variant"] * expected
        assert lacking(catalogue, "solo", 1, challenge="SHORTAGE") == ["variant"] * expected


def test_later_seats_of_scramble_have_the_second_edition() -> None:
    for variant, fewest in (("base", 2), ("solo", 1), ("scramble", 2)):
        for seats in range(fewest, 13 if variant == "scramble" else fewest + 1):
            rules = {"allow_small_scramble": True}
            game = reference.ReferenceSanctuary(CATALOGUE, seats, rules, variant)
            assert [sanctuary_tables.edition_of(seat, seats, variant) for seat in range(seats)] == [
                game.bag_of(seat) for seat in range(seats)
            ]


# Tables: codes, and what is the same in every game.


@pytest.mark.parametrize(
    ("names", "prefix", "first"),
    [
        ("EDGES", "EDGE", 1),
        ("END_GAMES", "END_GAME", 1),
        ("GOALS", "GOAL", 1),
        ("CHALLENGES", "CHALLENGE", 0),
        ("PLAY_ORDERS", "PLAY_ORDER", 0),
    ],
)
def test_codes_are_the_numbers_of_the_messages(names: str, prefix: str, first: int) -> None:
    """From 1 where 0 has a meaning, else one less."""
    prefix = f"SANCTUARY_{prefix}_"
    enums = sanctuary_pb2.DESCRIPTOR.enum_types_by_name.values()
    [enum] = [enum for enum in enums if enum.values[0].name == f"{prefix}UNSPECIFIED"]
    numbers = {prefix + name: code + 1 for code, name in enumerate(getattr(sanctuary_tables, names))}
    assert numbers == {value.name: value.number for value in enum.values[1:]}
    if names == "EDGES":
        assert [sanctuary_tables.edges_word([edge] * 4) & 15 for edge in numbers] == list(range(first, 5))
    if names == "END_GAMES":
        assert [sanctuary_tables.end_game_code(name) for name in numbers] == list(numbers.values())
        for none in (None, f"{prefix}UNSPECIFIED"):
            assert sanctuary_tables.end_game_code(none) == 0
    if names == "GOALS":
        assert [sanctuary_tables.goal_code(name) for name in numbers] == list(numbers.values())


def test_constants_are_the_references() -> None:
    for name in ("BAG", "SPACES", "MEALS"):
        assert list(getattr(sanctuary_tables, name)) == [getattr(reference, name)[c] for c in reference.COLOURS]
    for name in ("ROUNDS", "DEALT", "STARTING_SCORE", "RETURN_COST", "PLAY_ORDERS", "CHALLENGES"):
        assert getattr(sanctuary_tables, name) == getattr(reference, name)
    assert list(sanctuary_tables.STEPS) == reference.STEPS
    game = reference.ReferenceSanctuary(CATALOGUE, 1, {}, "solo")
    for round_index, colour in itertools.product(range(3), range(3)):
        game.round = round_index + 1
        game.housed = [reference.one_of(reference.COLOURS[colour])]
        assert sanctuary_tables.POINTS[round_index][colour] == game.manatee_points(0)
    for more in (0, sanctuary_tables.TIER_RAISE):
        game.rules["round_bonuses"] = more > 0
        for reached, bound in enumerate(sanctuary_tables.TIERS):
            game.score = [bound + more - 1]
            assert game.tier() == reached
            game.score = [bound + more]
            assert game.tier() == reached + 1


# Tables: edges as words.


def test_a_word_has_a_nibble_a_side_with_the_edges_number() -> None:
    assert word("RGPW") == 0x4321
    assert [sanctuary_tables.edge_at(word("RGPW"), side) for side in range(4)] == [RED, GREEN, PURPLE, WALL]
    with pytest.raises(KeyError):
        sanctuary_tables.edges_word(["SANCTUARY_EDGE_UNSPECIFIED"] * 4)


def test_turning_takes_north_to_east() -> None:
    assert sanctuary_tables.turned(word("RGPW"), 0) == word("RGPW")
    assert sanctuary_tables.turned(word("RGPW"), 1) == word("WRGP")
    assert sanctuary_tables.turned(word("RGPW"), 2) == word("PWRG")
    assert sanctuary_tables.turned(word("RGPW"), 3) == word("GPWR")
    assert sanctuary_tables.turned(word("RGPW"), 4) == word("RGPW")


def test_every_card_turns_as_the_reference_turns_it() -> None:
    """All 256 of them: the edges, the rotations that look different, and the sides where a host may be."""
    for letters in itertools.product(LETTERS, repeat=4):
        catalogue = {"editions": [{"cards": [{**CARD, "edges": edges("".join(letters))}]}]}
        [card] = sanctuary_tables.cards(catalogue, "base")
        printed = edges("".join(letters))
        for turns in range(4):
            assert card.words[turns] == sanctuary_tables.edges_word(reference.turned(printed, turns))
            alike = reference.equal_turns(printed, turns)
            assert [side for side in range(4) if card.hosts[turns] >> side & 1] == alike
            assert turns % card.turns == alike[0]
        assert card.turns == sanctuary_tables.distinct_turns(card.words[0])
        assert card.flowers == 4 - letters.count("W")


def fits(sanctuary: reference.Sanctuary, card: sanctuary_tables.Card, cell: tuple[int, int], turns: int) -> bool:
    """Whether a placement is legal, from the table alone."""
    flowers = hosts = 0
    for side, (dx, dy) in enumerate(sanctuary_tables.STEPS):
        beside = sanctuary.edges.get((cell[0] + dx, cell[1] + dy))
        if beside is None:
            continue
        edge = sanctuary_tables.edge_at(card.words[turns], side)
        if sanctuary_tables.edge_at(sanctuary_tables.edges_word(beside), side ^ 2) != edge:
            return False
        flowers += edge != WALL
        hosts |= 1 << side
    return cell not in sanctuary.edges and flowers > 0 and bool(hosts & card.hosts[turns])


def test_placements_by_the_table_are_the_references() -> None:
    rng = random.Random(7)
    entries = house("sanctuary")["editions"][0]["cards"]
    cards = sanctuary_tables.cards(house("sanctuary"), "base")
    legal = 0
    for _ in range(20):
        sanctuary = reference.Sanctuary(edges("RGPW"), 4)
        while len(sanctuary.edges) < 8:
            kind = rng.randrange(len(cards))
            cell = rng.choice([other for home in sanctuary.edges for other in reference.neighbours(home)])
            for turns in range(4):
                expected = sanctuary.fits(cell, entries[kind]["edges"], turns)
                assert fits(sanctuary, cards[kind], cell, turns) == expected
                if expected:
                    legal += 1
                    sanctuary.lay(cell, kind, entries[kind]["edges"], turns, 0)
                    break
    assert legal == 20 * 7


# Tables: cards, tiles, track.


def test_a_card_is_all_numbers() -> None:
    one, _, three, four = sanctuary_tables.cards(CATALOGUE, "base")
    assert one == sanctuary_tables.Card(
        edition=0,
        copies=40,
        strength=1,
        rescues=(1, 0, 0),
        random_rescues=0,
        harvests=0,
        words=(0x4321, 0x3214, 0x2143, 0x1432),
        turns=4,
        hosts=(1, 2, 4, 8),
        capacity=2,
        end_game=0,
    )
    assert (three.rescues, three.random_rescues, three.icons, three.harvests) == ((2, 1, 3), 3, 9, 9)
    assert (three.capacity, three.end_game) == (0, sanctuary_tables.YELLOW_AT_END)
    assert (three.turns, three.hosts) == (1, (15, 15, 15, 15))
    assert (four.copies, four.icons, four.harvests) == (1, 0, 1)


def test_editions_are_the_variants() -> None:
    for variant, number in (("base", 4), ("solo", 4), ("scramble", 5)):
        cards = sanctuary_tables.cards(CATALOGUE, variant)
        assert [card.edition for card in cards] == [0] * 4 + [1] * (number - 4)
    tiles = [StartingTile(word("RGPW"), 4), StartingTile(word("WWWP"), 0)]
    assert sanctuary_tables.starting_tiles(CATALOGUE, "base") == tiles[:1]
    assert sanctuary_tables.starting_tiles(CATALOGUE, "scramble") == tiles


@pytest.mark.parametrize("challenge", reference.CHALLENGES)
def test_capacities_are_the_references(challenge: str) -> None:
    game = reference.ReferenceSanctuary(CATALOGUE, 1, {"challenge": challenge}, "solo")
    cards = sanctuary_tables.cards(CATALOGUE, "solo", challenge)
    assert [card.capacity for card in cards] == [game._capacity(kind) for kind in range(len(cards))]


def test_the_track() -> None:
    track = sanctuary_tables.solo_track(CATALOGUE)
    assert track == SoloTrack([6, 3, 0, -3], -2)
    assert track.highest == 1
    game = reference.ReferenceSanctuary(CATALOGUE, 1, {}, "solo")
    for game.token in range(track.lowest, track.highest + 1):
        assert game.track_points() == track.values[game.token - track.lowest]


# Tables: shapes and bonuses.


def line(length: int) -> Message:
    return shape(*((x, 0) for x in range(length)))


@pytest.mark.parametrize(
    ("drawn", "plain", "mirrored"),
    [
        (line(1), 1, 1),
        (line(2), 2, 2),
        (line(12), 2, 2),
        (shape((0, 0), (1, 0), (0, 1)), 4, 4),
        (shape((0, 0), (1, 0), (0, 1), (1, 1)), 1, 1),
        (shape((0, 0), (1, 0), (1, 1), (2, 1)), 2, 4),  # an S
        (ELL, 4, 8),
        (shape((0, 0), (3, 1)), 2, 4),  # cells that do not touch
    ],
)
def test_different_images_are_there_once(drawn: Message, plain: int, mirrored: bool) -> None:
    assert [len(sanctuary_tables.shape_images(drawn, mirror)) for mirror in (False, True)] == [plain, mirrored]


def test_an_image_is_told_from_its_first_cell() -> None:
    assert sanctuary_tables.shape_images(shape((4, 3), (5, 3), (4, 4)), mirror=False) == [
        [(0, 0), (1, 0), (0, 1)],
        [(0, 0), (0, 1), (-1, 0)],
        [(0, 0), (-1, 0), (0, -1)],
        [(0, 0), (0, -1), (1, 0)],
    ]


def matches(sanctuary: reference.Sanctuary, images: list[Image]) -> bool:
    """Whether one of the images lies somewhere in a sanctuary."""
    return any(
        all((x0 + x, y0 + y) in sanctuary.edges for x, y in image) for x0, y0 in sanctuary.edges for image in images
    )


def test_images_match_where_the_reference_finds_the_shape() -> None:
    rng = random.Random(6)
    found = {True: 0, False: 0}
    for _ in range(200):
        sanctuary = reference.Sanctuary(edges("RGPW"), 4)
        for _ in range(rng.randint(3, 12)):
            cell = rng.choice([other for home in sanctuary.edges for other in reference.neighbours(home)])
            sanctuary.edges[cell] = edges("RRRR")
        cells = rng.sample([(x, y) for x in range(-1, 2) for y in range(3)], rng.randint(1, 6))
        for mirror in (False, True):
            images = sanctuary_tables.shape_images(shape(*cells), mirror)
            assert all(image[0] == (0, 0) and len(set(image)) == len(cells) for image in images)
            for image in images:
                for i in range(1, len(image)):
                    # Beside an earlier one, unless none of those that are left is.
                    near = {other for home in image[:i] for other in reference.neighbours(home)}
                    assert image[i] in near or not near.intersection(image[i:])
            holds = sanctuary.contains(shape(*cells), mirror)
            assert matches(sanctuary, images) == holds
            found[holds] += 1
    assert min(found.values()) > 50


def test_bonuses() -> None:
    pink = Face(2, 2, [])
    ell = sanctuary_tables.shape_images(ELL, mirror=True)
    one, two, three = sanctuary_tables.bonuses(CATALOGUE, mirror=True)
    assert (one.copies, one.faces) == (8, (pink, pink, Face(sanctuary_tables.LITTLE_FOOD, 15, [])))
    assert (two.copies, two.faces) == (1, (pink, Face(sanctuary_tables.SHAPE, 7, ell), pink))
    assert three.faces[2] == Face(5, 3, [])
    assert sanctuary_tables.bonuses({"bonuses": None}, mirror=False) == []
    assert sanctuary_tables.challenge_images(CATALOGUE, mirror=False)[0] == [(0, 0), (-1, 0), (0, 1)]


def test_points_of_goals_are_the_references() -> None:
    """A seat with one manatee of each colour, one completed flower of each and 3 food, in every round."""
    for kind, goal in enumerate(sanctuary_tables.GOALS[:-1], 1):
        face = {"goal": f"SANCTUARY_GOAL_{goal}"}
        catalogue = changed([("bonuses", [{"count": 10, "faces": [face] * 3}])])
        assert sanctuary_catalogue.check(catalogue) == []
        game = reference.ReferenceSanctuary(catalogue, 2, {"round_bonuses": True}, "base")
        game.bonuses = [0, 0, 0]
        game.housed[0] = dict.fromkeys(reference.COLOURS, 1)
        for cell, letters in (((0, -1), "WWRW"), ((1, 0), "WWWG"), ((0, 1), "PWWW")):
            game.sanctuaries[0].lay(cell, 0, edges(letters), 0, 1)
        game.food[0] = sanctuary_tables.LITTLE_FOOD_MOST
        [bonus] = sanctuary_tables.bonuses(catalogue, mirror=False)
        for round_index in range(3):
            game.round = round_index + 1
            counted = 3 if goal == "MANATEES" else 1
            assert bonus.faces[round_index].goal == kind
            assert bonus.faces[round_index].points * counted == game.bonus_points(0)
        game.food[0] += 1
        assert (game.bonus_points(0) == 0) == (goal == "LITTLE_FOOD")


def test_what_is_absent_is_one() -> None:
    assert [sanctuary_tables.or_one(value) for value in (None, 0, 1, 7)] == [1, 1, 1, 7]


def test_the_reference_takes_up_what_is_sound() -> None:
    for catalogue in (CATALOGUE, house("sanctuary")):
        for variant, seats in (("base", 6), ("solo", 1), ("scramble", 12)):
            reference.ReferenceSanctuary(catalogue, seats, {"round_bonuses": True}, variant)
