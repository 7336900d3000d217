"""Checks catalogues of heart: habitat tiles, starting tiles, photo cards, the die and the ocean board.

A catalogue is a mapping with the field names of HeartCatalogue in advisor/v1/heart.proto and full enum names
("HEART_ICON_FOOD"). An absent field (or None) is its default, as on the wire, where a number that is 0 and an enum
that is UNSPECIFIED are absent, too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ext import heart_tables
from ext.errors import Violation
from ext.heart_notation import COLUMNS, MOST_FACES, MOST_SEATS, PHOTOS, TILES
from ext.heart_tables import ICON_PREFIX, STEPS
from ext.reading import Cell, Faults, Full, shown

MANATEES = 30
STARTING_TILE_ROOM = 4
"""Manatees that a starting tile holds; any other tile holds one."""
DEMANDS = 8
"""The most demands of a requirement."""
PATTERN_CELLS = 8
PATTERN_EDGES = 10
"""Edges that eight cells can share at most."""
PATTERN_REACH = 8
"""The farthest column or row of a pattern's cell."""
MOST = 99
"""The largest number of points, or of what is demanded or counted."""

ICONS = tuple(ICON_PREFIX + name for name in heart_tables.ICONS)
BLANK, *HALF_ICONS = ICONS
ATTRACTIONS = tuple(ICON_PREFIX + name for name in ("DIVER", "FISH", "CORAL"))
ACTIONS = tuple(f"HEART_ACTION_{name}" for name in ("RESCUE", "SWIM", "PHOTO", "SHARK"))
COLOURS = ("HEART_COLOUR_GREEN", "HEART_COLOUR_ORANGE")
COUNTED = tuple(f"HEART_COUNTED_{name}" for name in ("ICONS", "MANATEES", "TILES"))

_ID = re.compile(r"[a-z0-9-]{1,64}")

# The wire's field order, for the order of the faults. The messages' own orders do not contradict each other.
# fmt: off
_FIELD_ORDER = (
    "id", "about", "tiles", "starting_tiles", "photos", "die_faces", "actions", "name", "count", "relocate",
    "attractions", "colour", "points", "requirement", "scoring", "icons", "pattern", "cells", "x", "y", "edges",
    "manatees", "first_cell", "second_cell", "counted", "icon", "at_least", "per",
)
# fmt: on
_FIELD_RANK = {name: rank for rank, name in enumerate(_FIELD_ORDER)}


def check(catalogue: Mapping[str, Any]) -> list[Violation]:
    """Everything that is wrong with a catalogue, in the order of the fields, at most 1,000; empty when it is sound.

    Wrong types are violations too. Of a list that is too long only as many entries are looked at as it may have.
    """
    faults = Faults()
    with suppress(Full):
        _check(faults, catalogue)
    return faults.in_field_order(_FIELD_RANK)


def _check(faults: Faults, catalogue: object) -> None:
    if not isinstance(catalogue, Mapping):
        faults.add("", f"expected a mapping, not {shown(catalogue)}")
        return
    known = ("id", "about", "tiles", "starting_tiles", "photos", "die_faces", "actions")
    fields = faults.message(catalogue, "", known, prefix="")
    identifier = fields.get("id")
    if not isinstance(identifier, str) or not _ID.fullmatch(identifier):
        faults.add("id", f"expected 1 to 64 lower-case letters, digits and hyphens, not {shown(identifier)}")
    _text(faults, fields.get("about"), "about", 2_000)
    _check_tiles(faults, fields.get("tiles"))
    for path, entry in _entries(faults, fields.get("starting_tiles"), "starting_tiles", MOST_SEATS, MOST_SEATS):
        _check_edges(faults, faults.message(entry, path, ("edges",)).get("edges"), f"{path}.edges")
    _check_photos(faults, fields.get("photos"))
    _check_die(faults, fields.get("die_faces"))
    actions = _list(faults, fields.get("actions"), "actions", COLUMNS, COLUMNS)
    _check_enums(faults, actions, "actions", ACTIONS, "an action", once=True)


# Values of one sort.


def _text(faults: Faults, value: object, path: str, most: int) -> bool:
    """Checks a text's type and its length, 1 to `most` characters."""
    expected = f"expected 1 to {most:,} characters"
    if value is None:
        value = ""
    if not isinstance(value, str):
        faults.add(path, f"{expected}, not {shown(value)}")
    elif not 1 <= len(value) <= most:
        faults.add(path, f"{expected}, not {len(value):,}")
    elif not value.strip():
        faults.add(path, f"{expected}, not only spaces")
    else:
        return True
    return False


def _enum(faults: Faults, value: object, path: str, among: Sequence[str], what: str) -> bool:
    if isinstance(value, str) and value in among:
        return True
    faults.add(path, f"expected {what}, one of {', '.join(among)}, not {shown(value)}")
    return False


def _check_enums(
    faults: Faults, values: Sequence[object], path: str, among: Sequence[str], what: str, once: bool
) -> None:
    """Checks each entry; with `once`, also that none is repeated."""
    seen: dict[object, int] = {}
    for i, value in enumerate(values):
        if _enum(faults, value, f"{path}[{i}]", among, what) and once and seen.setdefault(value, i) != i:
            faults.add(f"{path}[{i}]", f"expected {what} that is there once; {value} is {path}[{seen[value]}] too")


def _count(faults: Faults, value: object, path: str, most: int, what: str) -> int | None:
    """A number from 1 to `most`, absent being 1; None when it is wrong."""
    if value is None or (type(value) is int and value == 0):
        return 1
    return faults.integer(value, path, 1, most, what)


def _list(faults: Faults, value: object, path: str, least: int, most: int) -> Sequence[Any]:
    """A list of `least` to `most` entries; of one that is too long, the first `most`."""
    before = len(faults.found)
    entries = faults.array(value, path)
    if len(faults.found) == before and not least <= len(entries) <= most:
        wanted = f"{most}" if least == most else f"{least} to {most}"
        faults.add(path, f"expected {wanted} entries, not {len(entries):,}")
    return entries[:most]


def _entries(
    faults: Faults, value: object, path: str, least: int, most: int
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The messages of a list with their paths; what is no message is a fault and left out."""
    for i, entry in enumerate(_list(faults, value, path, least, most)):
        if isinstance(entry, Mapping):
            yield f"{path}[{i}]", entry
        else:
            faults.add(f"{path}[{i}]", f"expected a mapping, not {shown(entry)}")


# Components.


def _check_edges(faults: Faults, value: object, path: str) -> None:
    _check_enums(faults, _list(faults, value, path, 4, 4), path, ICONS, "an icon or BLANK", once=False)


def _check_total(faults: Faults, counts: Sequence[int | None], before: int, path: str, least: int, most: int) -> None:
    """Checks what the counts add up to, if nothing has been wrong with their list since `before` faults."""
    if len(faults.found) == before:
        total = sum(count or 0 for count in counts)
        if not least <= total <= most:
            wanted = f"{most}" if least == most else f"{least} to {most}"
            faults.add(path, f"expected counts that add up to {wanted}, not {total:,}")


def _check_tiles(faults: Faults, value: object) -> None:
    before = len(faults.found)
    counts = []
    alike: dict[int, str] = {}
    for path, entry in _entries(faults, value, "tiles", 1, TILES):
        tile = faults.message(entry, path, ("count", "edges"))
        counts.append(_count(faults, tile.get("count"), f"{path}.count", TILES, "a number of tiles"))
        sound = len(faults.found)
        _check_edges(faults, tile.get("edges"), f"{path}.edges")
        if len(faults.found) == sound:
            word = heart_tables.edges_word(tile["edges"])
            first = alike.setdefault(min(heart_tables.turned(word, turns) for turns in range(4)), path)
            if first != path:
                faults.add(f"{path}.edges", f"expected a kind of its own; these are the edges of {first}, turned")
    _check_total(faults, counts, before, "tiles", TILES, TILES)


def _check_die(faults: Faults, value: object) -> None:
    before = len(faults.found)
    counts = []
    alike: dict[frozenset[str], str] = {}
    for path, entry in _entries(faults, value, "die_faces", 1, MOST_FACES):
        face = faults.message(entry, path, ("count", "relocate", "attractions"))
        counts.append(_count(faults, face.get("count"), f"{path}.count", MOST_FACES, "a number of sides"))
        sound = len(faults.found)
        relocate = faults.flag(face.get("relocate"), f"{path}.relocate")
        attractions = faults.array(face.get("attractions"), f"{path}.attractions")
        _check_enums(faults, attractions, f"{path}.attractions", ATTRACTIONS, "an attraction", once=True)
        if len(faults.found) > sound:
            continue
        if relocate == bool(attractions):
            faults.add(path, f"expected either relocate or attractions, not {'both' if relocate else 'neither'}")
        elif (first := alike.setdefault(frozenset(attractions), path)) != path:
            faults.add(path, f"expected a kind of its own; this face is {first} too")
    _check_total(faults, counts, before, "die_faces", 1, MOST_FACES)


def _check_photos(faults: Faults, value: object) -> None:
    before = len(faults.found)
    counts = []
    names: dict[object, str] = {}
    alike: dict[object, str] = {}
    for path, entry in _entries(faults, value, "photos", 1, PHOTOS):
        photo = faults.message(entry, path, ("name", "count", "colour", "points", "requirement", "scoring"))
        name = photo.get("name")
        if _text(faults, name, f"{path}.name", 64) and (first := names.setdefault(name, path)) != path:
            faults.add(f"{path}.name", f"expected a name of its own; {shown(name)} is {first}.name too")
        counts.append(_count(faults, photo.get("count"), f"{path}.count", PHOTOS, "a number of cards"))
        sound = len(faults.found)
        colour = photo.get("colour")
        coloured = _enum(faults, colour, f"{path}.colour", COLOURS, "a colour")
        faults.integer(photo.get("points"), f"{path}.points", 1, MOST, "points")
        for where, demand in _entries(faults, photo.get("requirement"), f"{path}.requirement", 0, DEMANDS):
            _check_demand(faults, demand, where)
        scoring = photo.get("scoring")
        if scoring is not None:
            _check_scoring(faults, scoring, f"{path}.scoring")
        if coloured and (scoring is None) != (colour == "HEART_COLOUR_GREEN"):
            wanted = "the scoring of an ORANGE card" if scoring is None else "none: a GREEN card scores its points"
            faults.add(f"{path}.scoring", f"expected {wanted}")
        if len(faults.found) == sound and (first := alike.setdefault(_face(photo), path)) != path:
            faults.add(path, f"expected a kind of its own; but for name and count this is {first}")
    _check_total(faults, counts, before, "photos", PHOTOS, PHOTOS)


def _check_demand(faults: Faults, entry: Mapping[str, Any], path: str) -> None:
    demand = faults.message(entry, path, ("icons", "pattern"))
    icons, pattern = demand.get("icons"), demand.get("pattern")
    if (icons is None) == (pattern is None):
        faults.add(path, f"expected either icons or a pattern, not {'neither' if icons is None else 'both'}")
    if icons is not None:
        wanted = faults.message(icons, f"{path}.icons", ("icon", "at_least"))
        if isinstance(icons, Mapping):
            _enum(faults, wanted.get("icon"), f"{path}.icons.icon", HALF_ICONS, "an icon")
        _count(faults, wanted.get("at_least"), f"{path}.icons.at_least", MOST, "a number of icons")
    if pattern is not None:
        _check_pattern(faults, pattern, f"{path}.pattern")


def _check_pattern(faults: Faults, value: object, path: str) -> None:
    pattern = faults.message(value, path, ("cells", "edges", "manatees"))
    if not isinstance(value, Mapping):
        return
    before = len(faults.found)
    entries = _list(faults, pattern.get("cells"), f"{path}.cells", 1, PATTERN_CELLS)
    # How many cells a faulty list should have is not known.
    last = len(entries) - 1 if len(faults.found) == before else PATTERN_CELLS - 1
    at: dict[int | None, Cell] = {}
    for i, entry in enumerate(entries):
        cell = faults.cell(entry, f"{path}.cells[{i}]", PATTERN_REACH)
        if cell is None:
            continue
        if cell in at.values():
            faults.add(f"{path}.cells[{i}]", f"expected another cell; {cell[0]},{cell[1]} is there already")
        at[i] = cell
    taken: dict[frozenset[int | None], str] = {}
    for here, edge in _entries(faults, pattern.get("edges"), f"{path}.edges", 0, PATTERN_EDGES):
        faults.message(edge, here, ("first_cell", "second_cell", "icon"))
        _enum(faults, edge.get("icon"), f"{here}.icon", HALF_ICONS, "an icon")
        one, other = (
            faults.integer(edge.get(end), f"{here}.{end}", 0, last, "an index in cells")
            for end in ("first_cell", "second_cell")
        )
        if one not in at or other not in at:
            continue
        (x, y), (a, b) = at[one], at[other]
        if (a - x, b - y) not in STEPS:
            faults.add(here, f"expected two cells that share an edge, not {x},{y} and {a},{b}")
        elif (first := taken.setdefault(frozenset((one, other)), here)) != here:
            faults.add(here, f"expected one icon an edge; {first} demands one there, too")
    faults.integer(pattern.get("manatees"), f"{path}.manatees", 0, MANATEES, "a number of manatees")


def _check_scoring(faults: Faults, value: object, path: str) -> None:
    scoring = faults.message(value, path, ("counted", "icon", "per"))
    if not isinstance(value, Mapping):
        return
    counted, icon = scoring.get("counted"), scoring.get("icon")
    known = _enum(faults, counted, f"{path}.counted", COUNTED, "what is counted")
    given = icon not in (None, f"{ICON_PREFIX}UNSPECIFIED")
    if counted == "HEART_COUNTED_ICONS" or (given and not known):
        _enum(faults, icon, f"{path}.icon", HALF_ICONS, "an icon")
    elif given:
        faults.add(f"{path}.icon", f"expected none: {counted} counts no icons")
    _count(faults, scoring.get("per"), f"{path}.per", MOST, "how many earn the points once")


def _face(photo: Mapping[str, Any]) -> object:
    """What two sound photo cards have in common that are equal but for name and count, however they are written."""
    scoring = photo.get("scoring")
    scores = None
    if scoring is not None:
        icon = scoring.get("icon") if scoring["counted"] == "HEART_COUNTED_ICONS" else None
        scores = scoring["counted"], icon, heart_tables.or_one(scoring.get("per"))
    return photo["colour"], photo["points"], _demanded(photo), scores


def _demanded(photo: Mapping[str, Any]) -> frozenset[object]:
    """The demands of a sound card, in no order, patterns in no rotation."""
    return frozenset(
        demand if isinstance(demand, heart_tables.IconDemand) else frozenset(image.looks for image in demand.images)
        for demand in heart_tables.requirement(photo, mirror=False)
    )


# Warnings.


def warnings(catalogue: Mapping[str, Any]) -> list[Violation]:
    """What is legal in a catalogue but odd, in the order of the fields; nothing of one that `check` finds fault with.

    Icons that are on no tile; starting tiles without any; names that differ only in case and spaces; icons and
    manatees demanded that no habitat can have; a die that never shows Relocate or one of the attractions.
    """
    if check(catalogue):
        return []
    faults = Faults()
    with suppress(Full):
        _warn(faults, catalogue)
    return faults.in_field_order(_FIELD_RANK)


def _warn(faults: Faults, catalogue: Mapping[str, Any]) -> None:
    halves: Counter[str] = Counter()
    for tile in catalogue["tiles"]:
        for icon in tile["edges"]:
            halves[icon] += heart_tables.or_one(tile.get("count"))
    for icon in HALF_ICONS:
        if not halves[icon]:
            faults.add("tiles", f"no tile shows {icon}")
    most = dict.fromkeys(HALF_ICONS, 0)
    for i, tile in enumerate(catalogue["starting_tiles"]):
        if set(tile["edges"]) == {BLANK}:
            faults.add(f"starting_tiles[{i}].edges", "show no icon")
        for icon in HALF_ICONS:
            # Each complete icon takes two halves, at most one of them on the starting tile, which no other touches.
            own = tile["edges"].count(icon)
            most[icon] = max(most[icon], min(own, halves[icon]) + max(halves[icon] - own, 0) // 2)
    words: dict[str, str] = {}
    for i, photo in enumerate(catalogue["photos"]):
        path = f"photos[{i}]"
        name = " ".join(photo["name"].split())
        if photo["name"] != name:
            faults.add(f"{path}.name", "has spaces at an end or several in a row")
        if (first := words.setdefault(name.casefold(), path)) != path:
            faults.add(f"{path}.name", f"is worded like {first}.name")
        for k, demand in enumerate(photo.get("requirement") or ()):
            _warn_demand(faults, demand, f"{path}.requirement[{k}]", most)
        icon = (photo.get("scoring") or {}).get("icon")
        if icon in most and not most[icon]:
            faults.add(f"{path}.scoring.icon", f"is never complete: no habitat can have {icon}")
    faces = catalogue["die_faces"]
    if not any(face.get("relocate") for face in faces):
        faults.add("die_faces", "no face is Relocate")
    for attraction in ATTRACTIONS:
        if not any(attraction in (face.get("attractions") or ()) for face in faces):
            faults.add("die_faces", f"no face shows {attraction}")


def _warn_demand(faults: Faults, demand: Mapping[str, Any], path: str, most: Mapping[str, int]) -> None:
    """`most` is how many complete icons of each kind a habitat can have."""
    icons, pattern = demand.get("icons"), demand.get("pattern")
    if icons is not None:
        path = f"{path}.icons"
        wanted = Counter({icons["icon"]: heart_tables.or_one(icons.get("at_least"))})
    else:
        assert pattern is not None
        path = f"{path}.pattern"
        wanted = Counter(edge["icon"] for edge in pattern.get("edges") or ())
        room = len(pattern["cells"]) - 1 + STARTING_TILE_ROOM
        if (manatees := pattern.get("manatees") or 0) > room:
            faults.add(f"{path}.manatees", f"is never met: {manatees} manatees, where its tiles hold {room}")
    for icon, count in wanted.items():
        if count > most[icon]:
            faults.add(path, f"is never met: {count} of {icon}, of which a habitat has {most[icon]} at most")
