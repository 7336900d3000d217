"""What the reader of heart's catalogues accepts, refuses and warns of, and the tables that it makes of them."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from differential import snake
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import heart as reference

from ext import heart_catalogue, heart_tables
from ext.errors import Malformed, Violation
from ext.heart_tables import IconDemand, PatternDemand, PatternImage

Message = dict[str, Any]
DELETE = object()
HOUSE = Path(__file__).parent.parent / "advisor" / "catalogues" / "heart-house.json"
LETTERS = {".": "BLANK", "F": "FOOD", "D": "DIVER", "I": "FISH", "C": "CORAL", "R": "RESCUE", "S": "SWIM"}
FOOD, DIVER, FISH, CORAL = (f"HEART_ICON_{name}" for name in ("FOOD", "DIVER", "FISH", "CORAL"))
BLANK = "HEART_ICON_BLANK"


def edges(letters: str) -> list[str]:
    return [f"HEART_ICON_{LETTERS[letter]}" for letter in letters]


def word(letters: str) -> int:
    return heart_tables.edges_word(edges(letters))


HOOK = {
    "cells": [{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 0, "y": 1}, {"x": 2, "y": 0}],
    "edges": [
        {"first_cell": 0, "second_cell": 1, "icon": FOOD},
        {"first_cell": 2, "second_cell": 0, "icon": CORAL},
    ],
    "manatees": 2,
}
CATALOGUE: Message = {
    "id": "test-catalogue-1",
    "about": "Invented for tests.",
    "tiles": [
        {"count": 40, "edges": edges("FDIC")},
        {"count": 20, "edges": edges("FCID")},
        {"count": 19, "edges": edges("FF.R")},
        {"count": 10, "edges": edges("S.S.")},
        {"edges": edges("....")},
    ],
    "starting_tiles": [{"edges": edges("FR.S")} for _ in range(4)],
    "photos": [
        {"name": "Hook", "count": 9, "colour": "HEART_COLOUR_GREEN", "points": 5, "requirement": [{"pattern": HOOK}]},
        {"name": "Anything", "count": 4, "colour": "HEART_COLOUR_GREEN", "points": 1},
        {
            "name": "Fish",
            "count": 10,
            "colour": "HEART_COLOUR_ORANGE",
            "points": 2,
            "requirement": [{"icons": {"icon": FISH, "at_least": 2}}, {"icons": {"icon": FOOD}}],
            "scoring": {"counted": "HEART_COUNTED_ICONS", "icon": FISH, "per": 2},
        },
        {
            "name": "Crowd",
            "colour": "HEART_COLOUR_ORANGE",
            "points": 1,
            "scoring": {"counted": "HEART_COUNTED_MANATEES"},
        },
    ],
    "die_faces": [
        {"count": 2, "relocate": True},
        {"attractions": [DIVER, FISH]},
        {"attractions": [CORAL]},
    ],
    "actions": [f"HEART_ACTION_{action}" for action in ("SHARK", "RESCUE", "SWIM", "PHOTO")],
}


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
NO_ENUM: tuple[Any, ...] = (1, True, "", "FOOD", "GREEN", "ICONS", "heart_icon_food", [], {}, b"x")


def fault(*pairs: Any) -> None:
    """fault(path, value, ..., [paths at fault])"""
    *flat, expected = pairs
    CASES.append((list(zip(flat[::2], flat[1::2], strict=True)), expected))


def faults(path: str, *values: Any) -> None:
    for value in values:
        fault(path, value, [path])


faults("id", None, DELETE, "", "A", "a_b", "a b", "é", "a\n", "x" * 65, *NO_TEXT)
faults("about", None, DELETE, "", "  ", "x" * 2001, *NO_TEXT)

# Tiles.
faults("tiles", None, DELETE, [], *NO_LIST)
faults("tiles[1]", None, *NO_MAPPING)
faults("tiles[1].count", -1, 91, *NO_NUMBER)
fault("tiles[1].count", 21, ["tiles"])
fault("tiles[1].count", DELETE, ["tiles"])
fault("tiles[5]", {"edges": edges("C...")}, ["tiles"])
fault("tiles", [{"edges": edges("FFFF")}] * 91, ["tiles", *(f"tiles[{i}].edges" for i in range(1, 90))])
for where in ("tiles[2].edges", "starting_tiles[2].edges"):
    faults(where, None, DELETE, [], edges("FFF"), edges("FFFFF"), *NO_LIST)
    faults(f"{where}[1]", None, "HEART_ICON_UNSPECIFIED", "HEART_ICON_SHARK", *NO_ENUM)
# A rotation of tile 0, of tile 3, and tile 4 again; a mirror image is no rotation.
for letters in ("FDIC", "DICF", "ICFD", "CFDI", "S.S.", ".S.S"):
    fault("tiles[4].edges", edges(letters), ["tiles[4].edges"])
fault("tiles[4].edges", edges(".S.S"), "tiles[4].count", 2, ["tiles[4].edges"])  # What adds up is then left open.
faults("starting_tiles", None, DELETE, [], *NO_LIST)
fault("starting_tiles[3]", DELETE, ["starting_tiles"])
fault("starting_tiles[4]", {"edges": edges("FR.S")}, ["starting_tiles"])
faults("starting_tiles[1]", None, *NO_MAPPING)

# Photo cards.
faults("photos", None, DELETE, [], *NO_LIST)
faults("photos[1]", None, *NO_MAPPING)
fault("photos[4]", {**CATALOGUE["photos"][1], "name": "More", "points": 9}, ["photos"])
fault("photos[1].count", 5, ["photos"])
faults("photos[1].count", -1, 25, *NO_NUMBER)
faults("photos[1].name", None, DELETE, "", " ", "x" * 65, "Hook", *NO_TEXT)
fault("photos[0].name", "Fish", ["photos[2].name"])
faults("photos[1].colour", None, DELETE, "HEART_COLOUR_UNSPECIFIED", *NO_ENUM)
faults("photos[2].points", None, DELETE, 0, -1, 100, *NO_NUMBER)
faults("photos[1].requirement", *NO_LIST)
fault("photos[1].requirement", [{"icons": {"icon": FOOD}}] * 9, ["photos[1].requirement"])
fault("photos[1].scoring", {"counted": "HEART_COUNTED_TILES"}, ["photos[1].scoring"])
fault("photos[1].colour", "HEART_COLOUR_ORANGE", ["photos[1].scoring"])
fault("photos[2].colour", "HEART_COLOUR_GREEN", ["photos[2].scoring"])
faults("photos[2].scoring", None, DELETE, *NO_MAPPING)
fault("photos[2].scoring", {}, ["photos[2].scoring.counted"])
faults("photos[2].scoring.counted", None, "HEART_COUNTED_UNSPECIFIED", *NO_ENUM)
faults("photos[2].scoring.icon", None, DELETE, BLANK, "HEART_ICON_UNSPECIFIED", *NO_ENUM)
faults("photos[3].scoring.icon", FOOD, BLANK, *NO_ENUM)
faults("photos[3].scoring.per", -1, 100, *NO_NUMBER)

# Photo cards of one kind that are written as two.
TWIN = {**CATALOGUE["photos"][2], "name": "Fish again", "count": 1}
for twin in (
    TWIN,
    {**TWIN, "requirement": [{"icons": {"icon": FOOD, "at_least": 1}}, {"icons": {"icon": FISH, "at_least": 2}}]},
    {**CATALOGUE["photos"][3], "name": "Crowd again", "requirement": [], "count": 0},
    {**TWIN, "scoring": {"counted": "HEART_COUNTED_MANATEES", "per": 1}, "requirement": None, "points": 1},
):
    fault("photos[2].count", 9, "photos[4]", twin, ["photos[4]"])
TURNED_HOOK = {
    "cells": [{"y": 5}, {"x": 1, "y": 5}, {"x": 1, "y": 6}, {"x": 1, "y": 7}],
    "edges": [{"second_cell": 1, "icon": CORAL}, {"first_cell": 2, "second_cell": 1, "icon": FOOD}],
    "manatees": 2,
}
fault(
    *("photos[2].count", 9),
    *("photos[4]", {**CATALOGUE["photos"][0], "name": "T", "count": 1, "requirement": [{"pattern": TURNED_HOOK}]}),
    ["photos[4]"],
)

# Demands.
faults("photos[0].requirement[0]", None, {}, {"icons": {"icon": FOOD}, "pattern": HOOK}, *NO_MAPPING)
faults("photos[2].requirement[0].icons", *NO_MAPPING)
faults("photos[2].requirement[0]", {"icons": None})
faults("photos[2].requirement[0].icons.icon", None, DELETE, BLANK, "HEART_ICON_UNSPECIFIED", *NO_ENUM)
faults("photos[2].requirement[0].icons.at_least", -1, 100, *NO_NUMBER)
PATTERN = "photos[0].requirement[0].pattern"
faults(PATTERN, *NO_MAPPING)
faults(f"{PATTERN}.cells", None, DELETE, [], *NO_LIST)
fault(f"{PATTERN}.cells", [*HOOK["cells"], *({"x": x, "y": 3} for x in range(5))], [f"{PATTERN}.cells"])  # type: ignore[misc]
faults(f"{PATTERN}.cells[3]", {}, None, {"x": 1}, *NO_MAPPING)
fault(f"{PATTERN}.cells[2]", {"x": 1}, f"{PATTERN}.edges[1]", DELETE, [f"{PATTERN}.cells[2]"])
for coordinate in ("x", "y"):
    faults(f"{PATTERN}.cells[3].{coordinate}", 9, -9, *NO_NUMBER)
faults(f"{PATTERN}.manatees", -1, 31, *NO_NUMBER)
faults(f"{PATTERN}.edges", *NO_LIST)
faults(f"{PATTERN}.edges[1]", None, *NO_MAPPING)
faults(f"{PATTERN}.edges[1].icon", None, DELETE, BLANK, "HEART_ICON_UNSPECIFIED", *NO_ENUM)
for end in ("first_cell", "second_cell"):
    faults(f"{PATTERN}.edges[1].{end}", -1, 4, 100, *NO_NUMBER)
# Two cells in a row with a gap, diagonal ones, a cell with itself, and an edge given twice.
for one, other in ((0, 3), (1, 2), (2, 2)):
    fault(f"{PATTERN}.edges[1]", {"first_cell": one, "second_cell": other, "icon": FOOD}, [f"{PATTERN}.edges[1]"])
for one, other in ((0, 1), (1, 0)):
    for icon in (FOOD, CORAL):
        fault(f"{PATTERN}.edges[2]", {"first_cell": one, "second_cell": other, "icon": icon}, [f"{PATTERN}.edges[2]"])
fault(
    f"{PATTERN}.edges",
    [{"second_cell": 1, "icon": FOOD}] * 11,
    [f"{PATTERN}.edges", *(f"{PATTERN}.edges[{i}]" for i in range(1, 10))],
)

# The die and the ocean board.
faults("die_faces", None, DELETE, [], *NO_LIST)
faults("die_faces[1]", None, {}, {"relocate": False, "attractions": []}, *NO_MAPPING)
faults("die_faces[1]", {"relocate": True, "attractions": [FISH]}, {"relocate": True})
fault("die_faces[1]", {"attractions": [CORAL]}, ["die_faces[2]"])
fault("die_faces[2].attractions", [FISH, DIVER], ["die_faces[2]"])
faults("die_faces[0].count", -1, 21, *NO_NUMBER)
fault("die_faces[0].count", 19, ["die_faces"])
faults("die_faces[0].relocate", 1, 0, "true", [], {})
faults("die_faces[1].attractions", *NO_LIST)
faults("die_faces[1].attractions[0]", None, FOOD, BLANK, "HEART_ICON_UNSPECIFIED", *NO_ENUM)
fault("die_faces[1].attractions[1]", DIVER, ["die_faces[1].attractions[1]"])
fault("die_faces", [{"relocate": True}] * 21, ["die_faces", *(f"die_faces[{i}]" for i in range(1, 20))])
faults("actions", None, DELETE, [], CATALOGUE["actions"][:3], *NO_LIST)
fault("actions[4]", "HEART_ACTION_SWIM", ["actions"])
faults("actions[3]", None, "HEART_ACTION_UNSPECIFIED", *CATALOGUE["actions"][:3], *NO_ENUM)

# Unknown fields, and several faults at once.
for where in (
    *("", "tiles[0].", "starting_tiles[0].", "photos[0].", "photos[2].requirement[1].", "photos[2].scoring."),
    *(f"{PATTERN}.", f"{PATTERN}.cells[1].", f"{PATTERN}.edges[0].", "photos[2].requirement[1].icons."),
    "die_faces[1].",
):
    fault(f"{where}weight", 1, [f"{where}weight"])
fault("id", 1, "tiles[0].edges[3]", 7, "photos[2].points", 0, ["id", "photos[2].points", "tiles[0].edges[3]"])


def name_of(value: Any) -> str:
    return str(value[0][0][0])


@pytest.mark.parametrize("malformed", CASES, ids=name_of)
def test_malformed_catalogues(malformed: tuple[list[tuple[str, Any]], list[str]]) -> None:
    changes, expected = malformed
    catalogue = changed(changes)
    found = heart_catalogue.check(catalogue)
    assert paths(found) == sorted(expected)
    assert all(message and len(message) < 400 for _, message in found)
    assert heart_catalogue.warnings(catalogue) == []


def test_there_are_many_malformed_catalogues() -> None:
    assert len(CASES) >= 300


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [("tiles[4].count", 0)],
        [("tiles[4].count", None)],
        [("tiles[4].edges", edges("DF.."))],
        [("photos[3].count", 0), ("photos[3].scoring.per", 0), ("photos[2].requirement[1].icons.at_least", 0)],
        [("photos[3].scoring.icon", "HEART_ICON_UNSPECIFIED"), ("photos[1].scoring", None)],
        [("photos[1].requirement", [{"pattern": {"cells": [None]}}])],
        [("photos[1].requirement", [{"pattern": {"cells": [{"x": -8, "y": 8}, {"x": 8, "y": -8}]}}])],
        [("photos[1].requirement", [{"icons": {"icon": FOOD}, "pattern": None}] * 8)],
        # A mirror image is another pattern.
        [("photos[1].requirement", [{"pattern": {**HOOK, "cells": [{}, {"x": 1}, {"y": -1}, {"x": 2}]}}]),
         ("photos[1].points", 5)],
        [("photos[1].points", 5)],
        [("die_faces", [{"relocate": True}])],
        [("die_faces[0].count", 18)],
    ],
)  # fmt: skip
def test_sound_catalogues(changes: list[tuple[str, Any]]) -> None:
    assert heart_catalogue.check(changed(changes)) == []


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_catalogue(junk: Any) -> None:
    assert paths(heart_catalogue.check(junk)) == [""]
    assert heart_catalogue.warnings(junk) == []


def test_faults_are_in_the_order_of_the_fields() -> None:
    broken = changed(
        [
            ("actions[0]", 0),
            ("photos[0].requirement[0].pattern.edges[0].icon", 0),
            ("photos[0].requirement[0].pattern.cells[1].y", 99),
            ("photos[0].name", ""),
            ("tiles[2].edges[0]", 0),
            ("tiles[2].count", -1),
            ("id", ""),
            ("extra", 1),
        ]
    )
    assert [path for path, _ in heart_catalogue.check(broken)] == [
        "id",
        "tiles[2].count",
        "tiles[2].edges[0]",
        "photos[0].name",
        "photos[0].requirement[0].pattern.cells[1].y",
        "photos[0].requirement[0].pattern.edges[0].icon",
        "actions[0]",
        "extra",
    ]


def test_endless_lists_are_not_read_to_their_end() -> None:
    for path in ("tiles", "photos", "photos[0].requirement", f"{PATTERN}.cells", f"{PATTERN}.edges", "tiles[0].edges"):
        assert 0 < len(heart_catalogue.check(changed([(path, [{}] * 100_000)]))) <= 1_000
    assert len(heart_catalogue.check(changed([("die_faces[1].attractions", [FISH] * 100_000)]))) == 1_000


@pytest.mark.parametrize(
    ("changes", "expected", "words"),
    [
        ([], [], ""),
        ([("tiles[3].edges", edges("FIFI"))], ["tiles"], "no tile shows HEART_ICON_SWIM"),
        ([("starting_tiles[2].edges", edges("...."))], ["starting_tiles[2].edges"], "no icon"),
        ([("photos[1].name", "Any  thing")], ["photos[1].name"], "spaces"),
        ([("photos[1].name", "hook")], ["photos[1].name"], "worded like photos[0].name"),
        ([("photos[1].requirement", [{"pattern": {"cells": [{}, {"x": 1}], "manatees": 6}}])],
         ["photos[1].requirement[0].pattern.manatees"], "never met: 6 manatees, where its tiles hold 5"),
        # Nineteen halves on tiles and one on the starting tile: one icon there, and nine among the rest.
        ([("photos[2].requirement[0].icons", {"icon": "HEART_ICON_RESCUE", "at_least": 11})],
         ["photos[2].requirement[0].icons"], "never met: 11 of HEART_ICON_RESCUE, of which a habitat has 10 at most"),
        ([("photos[2].requirement[0].icons", {"icon": "HEART_ICON_RESCUE", "at_least": 10})], [], ""),
        ([("tiles[0].edges", edges("FDDC")), ("tiles[1].edges", edges("FCDD"))],
         ["photos[2].requirement[0].icons", "photos[2].scoring.icon", "tiles"], "no tile shows HEART_ICON_FISH"),
        ([("die_faces[0]", DELETE)], ["die_faces"], "Relocate"),
        ([("die_faces[2]", DELETE)], ["die_faces"], "no face shows HEART_ICON_CORAL"),
    ],
)  # fmt: skip
def test_warnings(changes: list[tuple[str, Any]], expected: list[str], words: str) -> None:
    catalogue = changed(changes)
    assert heart_catalogue.check(catalogue) == []
    found = heart_catalogue.warnings(catalogue)
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
        st.sampled_from([FOOD, BLANK, DIVER, "HEART_ACTION_SWIM", "HEART_COLOUR_GREEN", "HEART_COUNTED_TILES"]),
        st.text(max_size=5),
        st.binary(max_size=3),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.sampled_from(heart_catalogue._FIELD_ORDER), st.text(max_size=3), st.integers(), st.none()),
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


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_damaged_catalogues(data: st.DataObject) -> None:
    catalogue = damage(data.draw, CATALOGUE)
    found = heart_catalogue.check(catalogue)
    assert len(found) <= 1_000
    heart_catalogue.warnings(catalogue)
    if not found:
        for photo in catalogue["photos"]:
            assert len(heart_tables.requirement(photo, mirror=True)) == len(photo.get("requirement") or ())


@settings(max_examples=100, deadline=None)
@given(JUNK)
def test_junk_catalogues(junk: Any) -> None:
    assert heart_catalogue.check(junk)
    assert heart_catalogue.warnings(junk) == []


# Tables: the rule options.


def test_rules_are_written_out() -> None:
    assert heart_tables.read_rules({}, "base") == reference.DEFAULT_RULES
    assert heart_tables.read_rules({"mirror_patterns": True}, "base") == {
        **reference.DEFAULT_RULES,
        "mirror_patterns": True,
    }
    assert heart_tables.DEFAULT_RULES == reference.DEFAULT_RULES


def test_wrong_rules_are_all_told() -> None:
    with pytest.raises(Malformed) as caught:
        heart_tables.read_rules({"swims_mandatory": 1, "swim_twice": True, "mirror_patterns": None}, "targets")
    assert paths(caught.value.violations) == [
        "rules.mirror_patterns",
        "rules.swim_twice",
        "rules.swims_mandatory",
        "variant",
    ]


# Tables: edges as words.


def test_a_word_has_a_nibble_a_side_with_the_icons_number_less_one() -> None:
    assert [word(letter + "...") for letter in LETTERS] == list(range(7))
    assert word("FDIC") == 0x4321
    assert word(".R.S") == 0x6050
    assert [heart_tables.icon_code(icon) for icon in (BLANK, FOOD, CORAL)] == [0, 1, 4]
    with pytest.raises(KeyError):
        heart_tables.edges_word(["HEART_ICON_UNSPECIFIED"] * 4)


def test_turning_takes_north_to_east() -> None:
    assert heart_tables.turned(word("FDIC"), 0) == word("FDIC")
    assert heart_tables.turned(word("FDIC"), 1) == word("CFDI")
    assert heart_tables.turned(word("FDIC"), 2) == word("ICFD")
    assert heart_tables.turned(word("FDIC"), 3) == word("DICF")
    assert heart_tables.turned(word("FDIC"), 4) == word("FDIC")


def test_every_word_turns_as_the_reference_turns_it() -> None:
    rng = random.Random(4)
    for _ in range(500):
        tile = [rng.choice(edges("FDICRS..")) for _ in range(4)]
        code = heart_tables.edges_word(tile)
        for turns in range(4):
            assert heart_tables.turned(code, turns) == heart_tables.edges_word(reference.turned(tile, turns))
        distinct = [turns for turns in range(4) if reference.fewest_turns(tile, turns) == turns]
        assert list(range(heart_tables.distinct_turns(code))) == distinct


def test_how_many_rotations_look_different() -> None:
    expected = {"....": 1, "FFFF": 1, "F.F.": 2, ".SS.": 4, "RSRS": 2, "FDIC": 4, "FFF.": 4}
    assert {letters: heart_tables.distinct_turns(word(letters)) for letters in expected} == expected


# Tables: what photo cards demand.


def images(pattern: Message, mirror: bool = False) -> list[PatternImage]:
    return heart_tables.pattern_images(pattern, mirror)


def line(length: int, *demanded: str) -> Message:
    return {
        "cells": [{"x": x} for x in range(length)],
        "edges": [{"first_cell": i, "second_cell": i + 1, "icon": icon} for i, icon in enumerate(demanded)],
    }


@pytest.mark.parametrize(
    ("pattern", "plain", "mirrored"),
    [
        (line(1), 1, 1),
        (line(2), 2, 2),
        (line(2, FOOD), 2, 2),
        (line(3, FOOD, FOOD), 2, 2),
        (line(3, FOOD), 4, 4),
        (line(3, FOOD, CORAL), 4, 4),
        ({"cells": [{}, {"x": 1}, {"y": 1}]}, 4, 4),
        ({"cells": [{}, {"x": 1}, {"y": 1}, {"x": 1, "y": 1}]}, 1, 1),
        ({"cells": [{}, {"x": 1}, {"x": 1, "y": 1}, {"x": 2, "y": 1}]}, 2, 4),  # an S
        ({"cells": [{}, {"x": 1}, {"x": 2}, {"x": 2, "y": 1}]}, 4, 8),  # an L
        (HOOK, 4, 8),
        ({"cells": [{}, {"x": 3, "y": 1}]}, 2, 4),  # cells that do not touch
    ],
)
def test_different_images_are_there_once(pattern: Message, plain: int, mirrored: bool) -> None:
    assert [len(images(pattern, mirror)) for mirror in (False, True)] == [plain, mirrored]


def test_an_image_is_told_from_its_first_cell() -> None:
    pattern = {
        "cells": [{"x": 4, "y": 4}, {"x": 4, "y": 3}, {"x": 5, "y": 3}],
        "edges": [{"first_cell": 1, "second_cell": 2, "icon": CORAL}],
        "manatees": 1,
    }
    assert images(pattern)[0] == PatternImage([(0, 0), (1, 0), (0, 1)], [(0, 1, 4)], 1)
    assert [image.cells for image in images(pattern)] == [
        [(0, 0), (1, 0), (0, 1)],
        [(0, 0), (0, 1), (-1, 0)],
        [(0, 0), (-1, 0), (0, -1)],
        [(0, 0), (0, -1), (1, 0)],
    ]


def random_pattern(rng: random.Random) -> Message:
    cells = rng.sample([(x, y) for x in range(-1, 3) for y in range(3)], rng.randint(1, 6))
    sides = [
        (i, j)
        for i, (x, y) in enumerate(cells)
        for j, (a, b) in enumerate(cells)
        if i != j and abs(a - x) + abs(b - y) == 1
    ]
    demanded: dict[frozenset[int], Message] = {}
    for one, other in rng.sample(sides, rng.randint(0, len(sides))):
        edge = {"first_cell": one, "second_cell": other, "icon": rng.choice([FOOD, CORAL])}
        demanded.setdefault(frozenset((one, other)), edge)
    return {
        "cells": [{"x": x, "y": y} for x, y in cells],
        "edges": list(demanded.values()),
        "manatees": rng.randint(0, 3),
    }


def test_cells_are_in_an_order_for_matching() -> None:
    rng = random.Random(5)
    for _ in range(300):
        pattern = random_pattern(rng)
        found = images(pattern, mirror=True)
        assert len({tuple(image.edges) for image in found}) == 1
        for cells, demanded, manatees in found:
            assert cells[0] == (0, 0)
            assert manatees == pattern["manatees"]
            assert len(set(cells)) == len(pattern["cells"])
            beside = [{j for j, (a, b) in enumerate(cells) if abs(a - x) + abs(b - y) == 1} for x, y in cells]
            assert all(other in beside[one] for one, other, _ in demanded)
            assert not demanded or any(0 in edge[:2] for edge in demanded)
            for i in range(1, len(cells)):
                # Beside an earlier one, unless none of those that are left is.
                assert beside[i] & set(range(i)) or not any(beside[j] & set(range(i)) for j in range(i, len(cells)))


def matches(habitat: reference.Habitat, demand: PatternDemand) -> bool:
    """Whether one of the images lies somewhere in a habitat."""
    codes = heart_tables.icon_code
    for x0, y0 in habitat.edges:
        for cells, demanded, manatees in demand.images:
            place = [(x0 + x, y0 + y) for x, y in cells]
            if not all(cell in habitat.edges for cell in place):
                continue
            held = sum(habitat.manatees[cell] for cell in place)
            if held >= manatees and all(
                codes(habitat.complete(place[one], place[other])) == icon for one, other, icon in demanded
            ):
                return True
    return False


def test_images_match_where_the_reference_finds_the_pattern() -> None:
    rng = random.Random(6)
    found = {True: 0, False: 0}
    for _ in range(150):
        habitat = reference.Habitat(edges("FFC."))
        for _ in range(60):
            cell = rng.randint(-2, 2), rng.randint(-2, 2)
            tile = [rng.choice(edges("FFCC.")) for _ in range(4)]
            if habitat.fits(cell, tile):
                habitat.lay(cell, 0, tile, 0)
                habitat.manatees[cell] = rng.randint(0, 1)
        for mirror in (False, True):
            pattern = random_pattern(rng)
            [demand] = heart_tables.requirement({"requirement": [{"pattern": pattern}]}, mirror)
            assert isinstance(demand, PatternDemand)
            holds = habitat.has_pattern(pattern, mirror)
            assert matches(habitat, demand) == holds
            found[holds] += 1
    assert min(found.values()) > 50


def test_requirements() -> None:
    assert heart_tables.requirement({}, mirror=False) == []
    assert heart_tables.requirement({"requirement": None}, mirror=False) == []
    assert heart_tables.requirement(CATALOGUE["photos"][2], mirror=False) == [IconDemand(3, 2), IconDemand(1, 1)]
    assert heart_tables.requirement(CATALOGUE["photos"][0], mirror=True) == [PatternDemand(images(HOOK, mirror=True))]
    zero = {"requirement": [{"icons": {"icon": FOOD, "at_least": 0}}]}
    assert heart_tables.requirement(zero, mirror=False) == [IconDemand(1, 1)]


def test_what_is_absent_is_one() -> None:
    assert [heart_tables.or_one(value) for value in (None, 0, 1, 7)] == [1, 1, 1, 7]


def test_the_reference_takes_up_what_is_sound() -> None:
    reference.ReferenceHeart(CATALOGUE, 4, {})
    reference.ReferenceHeart(snake(json.loads(HOUSE.read_text())), 4, {})
