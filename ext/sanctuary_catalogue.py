"""Checks catalogues of sanctuary: the editions' cards and starting tiles, round bonus cards, solo track, shapes.

A catalogue is a mapping with the field names of SanctuaryCatalogue in advisor/v1/sanctuary.proto and full enum names
("SANCTUARY_EDGE_RED"). An absent field (or None) is its default, as on the wire, where a number that is 0 and an enum
that is UNSPECIFIED are absent, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ext import sanctuary_tables
from ext.errors import Violation
from ext.reading import Cell, Faults, Full, shown
from ext.sanctuary_notation import BONUS_CARDS, COLOURS, EDITION_KINDS, REACH
from ext.sanctuary_tables import EDGE_PREFIX, END_GAME_PREFIX, GOAL_PREFIX, ROUNDS

EDITIONS = 2
CARDS = EDITION_KINDS
"""Cards of an edition."""
STRENGTHS = 3
MOST_ICONS = 9
"""The most rescue icons, and the most harvest icons, of a top, and the most spaces of a cell."""
SHAPE_CELLS = 12
SHAPE_REACH = 12
"""The farthest column or row of a shape's cell."""
MOST_POINTS = 99
PLACES = 41
"""The most places of the solo track."""
MOST_CELLS = REACH + 1
"""Cells of the largest sanctuary: the starting tile and three rounds of eight cards."""
SOLO_CELLS = 16
"""Cells of the largest sanctuary in solo: the starting tile and three rounds of five cards."""

EDGES = tuple(EDGE_PREFIX + name for name in sanctuary_tables.EDGES)
*FLOWERS, WALL = EDGES
END_GAMES = tuple(END_GAME_PREFIX + name for name in sanctuary_tables.END_GAMES)
GOALS = tuple(GOAL_PREFIX + name for name in sanctuary_tables.GOALS)
SHAPE = f"{GOAL_PREFIX}SHAPE"

_ID = re.compile(r"[a-z0-9-]{1,64}")

# The wire's field order, for the order of the faults. The messages' own orders do not contradict each other.
# fmt: off
_FIELD_ORDER = (
    "id", "about", "editions", "bonuses", "solo_track", "challenge_shape", "name", "cards", "starting_tile", "count",
    "strength", "rescues", "gray", "pink", "yellow", "random_rescues", "harvests", "edges", "capacity", "end_game",
    "faces", "goal", "shape", "points", "cells", "x", "y", "values", "start",
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
    known = ("id", "about", "editions", "bonuses", "solo_track", "challenge_shape")
    fields = faults.message(catalogue, "", known, prefix="")
    identifier = fields.get("id")
    if not isinstance(identifier, str) or not _ID.fullmatch(identifier):
        faults.add("id", f"expected 1 to 64 lower-case letters, digits and hyphens, not {shown(identifier)}")
    _text(faults, fields.get("about"), "about", 2_000)
    names: dict[object, str] = {}
    for path, entry in _entries(faults, fields.get("editions"), "editions", 1, EDITIONS):
        edition = faults.message(entry, path, ("name", "cards", "starting_tile"))
        name = edition.get("name")
        if _text(faults, name, f"{path}.name", 64) and (first := names.setdefault(name, path)) != path:
            faults.add(f"{path}.name", f"expected a name of its own; {shown(name)} is {first}.name too")
        _check_cards(faults, edition.get("cards"), f"{path}.cards")
        _check_starting_tile(faults, edition.get("starting_tile"), f"{path}.starting_tile")
    _check_bonuses(faults, fields.get("bonuses"))
    if fields.get("solo_track") is not None:
        _check_solo_track(faults, fields["solo_track"])
    if fields.get("challenge_shape") is not None:
        _check_shape(faults, fields["challenge_shape"], "challenge_shape")


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


def _check_edges(faults: Faults, value: object, path: str) -> None:
    for i, edge in enumerate(_list(faults, value, path, 4, 4)):
        _enum(faults, edge, f"{path}[{i}]", EDGES, "a flower or a wall")


def _check_total(faults: Faults, counts: Sequence[int | None], before: int, path: str, wanted: int) -> None:
    """Checks what the counts add up to, if nothing has been wrong with their list since `before` faults."""
    if len(faults.found) == before:
        total = sum(count or 0 for count in counts)
        if total != wanted:
            faults.add(path, f"expected counts that add up to {wanted}, not {total:,}")


# Editions.


def _check_cards(faults: Faults, value: object, path: str) -> None:
    before = len(faults.found)
    counts = []
    alike: dict[object, str] = {}
    known = ("count", "strength", "rescues", "random_rescues", "harvests", "edges", "capacity", "end_game")
    for here, entry in _entries(faults, value, path, 1, EDITION_KINDS):
        card = faults.message(entry, here, known)
        counts.append(_count(faults, card.get("count"), f"{here}.count", CARDS, "a number of cards"))
        sound = len(faults.found)
        faults.integer(card.get("strength"), f"{here}.strength", 1, STRENGTHS, "a strength")
        _check_rescues(faults, card, here)
        faults.integer(card.get("harvests"), f"{here}.harvests", 0, MOST_ICONS, "a number of icons")
        _check_edges(faults, card.get("edges"), f"{here}.edges")
        _check_bottom(faults, card, here)
        if len(faults.found) == sound and (first := alike.setdefault(_look(card), here)) != here:
            faults.add(here, f"expected a kind of its own; but for the count this is {first}")
    _check_total(faults, counts, before, path, CARDS)


def _check_rescues(faults: Faults, card: Mapping[str, Any], path: str) -> None:
    rescues = card.get("rescues")
    named = faults.message(rescues, f"{path}.rescues", COLOURS)
    icons = [
        faults.integer(named.get(colour), f"{path}.rescues.{colour}", 0, MOST_ICONS, "a number of icons")
        for colour in COLOURS
    ]
    where = f"{path}.random_rescues"
    icons.append(faults.integer(card.get("random_rescues"), where, 0, MOST_ICONS, "a number of icons"))
    total = sum(count or 0 for count in icons)
    if None not in icons and total > MOST_ICONS:
        faults.add(where, f"expected up to {MOST_ICONS} rescue icons of either sort, not {total}")


def _check_bottom(faults: Faults, card: Mapping[str, Any], path: str) -> None:
    before = len(faults.found)
    capacity = faults.integer(card.get("capacity"), f"{path}.capacity", 0, MOST_ICONS, "a number of spaces")
    end_game = card.get("end_game")
    given = end_game not in (None, f"{END_GAME_PREFIX}UNSPECIFIED")
    if given:
        _enum(faults, end_game, f"{path}.end_game", END_GAMES, "an end-game score")
    if len(faults.found) == before and given == bool(capacity):
        faults.add(path, f"expected either capacity or end_game, not {'both' if given else 'neither'}")


def _look(card: Mapping[str, Any]) -> object:
    """What two sound cards have in common that are equal but for the count, however they are written."""
    named = card.get("rescues") or {}
    icons = [named.get(colour) or 0 for colour in COLOURS]
    numbers = [card.get(name) or 0 for name in ("strength", "random_rescues", "harvests", "capacity")]
    end_game = sanctuary_tables.end_game_code(card.get("end_game"))
    return *icons, *numbers, end_game, sanctuary_tables.edges_word(card["edges"])


def _check_starting_tile(faults: Faults, value: object, path: str) -> None:
    if value is None:
        faults.add(path, "expected a starting tile")
        return
    tile = faults.message(value, path, ("edges", "capacity"))
    if isinstance(value, Mapping):
        _check_edges(faults, tile.get("edges"), f"{path}.edges")
        faults.integer(tile.get("capacity"), f"{path}.capacity", 0, MOST_ICONS, "a number of spaces")


# Round bonus cards, solo track and shapes.


def _check_bonuses(faults: Faults, value: object) -> None:
    before = len(faults.found)
    counts = []
    alike: dict[object, str] = {}
    for path, entry in _entries(faults, value, "bonuses", 0, BONUS_CARDS):
        bonus = faults.message(entry, path, ("count", "faces"))
        counts.append(_count(faults, bonus.get("count"), f"{path}.count", BONUS_CARDS, "a number of cards"))
        sound = len(faults.found)
        for where, face in _entries(faults, bonus.get("faces"), f"{path}.faces", ROUNDS, ROUNDS):
            _check_face(faults, face, where)
        if len(faults.found) == sound and (first := alike.setdefault(_faces(bonus), path)) != path:
            faults.add(path, f"expected a kind of its own; but for the count this is {first}")
    if counts:
        _check_total(faults, counts, before, "bonuses", BONUS_CARDS)


def _check_face(faults: Faults, entry: Mapping[str, Any], path: str) -> None:
    face = faults.message(entry, path, ("goal", "shape", "points"))
    goal, shape, points = face.get("goal"), face.get("shape"), face.get("points")
    known = _enum(faults, goal, f"{path}.goal", GOALS, "a goal")
    if goal == SHAPE and shape is None:
        faults.add(f"{path}.shape", f"expected the shape of {SHAPE}")
    elif known and goal != SHAPE and shape is not None:
        faults.add(f"{path}.shape", f"expected none: {goal} is no shape")
    elif shape is not None:
        _check_shape(faults, shape, f"{path}.shape")
    if goal == SHAPE:
        faults.integer(points, f"{path}.points", 1, MOST_POINTS, "points")
    elif points is not None and not (type(points) is int and points == 0):
        fixed = faults.integer(points, f"{path}.points", 1, MOST_POINTS, "points") is not None
        if known and fixed:
            faults.add(f"{path}.points", f"expected none: the points of {goal} are fixed")


def _faces(bonus: Mapping[str, Any]) -> object:
    """What two sound round bonus cards have in common that are equal but for the count; shapes in no rotation."""
    return tuple(
        (face["goal"], face["points"], _shape_looks(face["shape"])) if face["goal"] == SHAPE else face["goal"]
        for face in bonus["faces"]
    )


def _shape_looks(shape: Mapping[str, Any]) -> frozenset[frozenset[Cell]]:
    return frozenset(sanctuary_tables.looks(image) for image in sanctuary_tables.shape_images(shape, mirror=False))


def _check_shape(faults: Faults, value: object, path: str) -> None:
    shape = faults.message(value, path, ("cells",))
    if not isinstance(value, Mapping):
        return
    seen: set[Cell] = set()
    for i, entry in enumerate(_list(faults, shape.get("cells"), f"{path}.cells", 1, SHAPE_CELLS)):
        cell = faults.cell(entry, f"{path}.cells[{i}]", SHAPE_REACH)
        if cell is None:
            continue
        if cell in seen:
            faults.add(f"{path}.cells[{i}]", f"expected another cell; {cell[0]},{cell[1]} is there already")
        seen.add(cell)


def _check_solo_track(faults: Faults, value: object) -> None:
    track = faults.message(value, "solo_track", ("values", "start"))
    if not isinstance(value, Mapping):
        return
    before = len(faults.found)
    values = _list(faults, track.get("values"), "solo_track.values", 1, PLACES)
    # How many places a faulty list should have is not known.
    last = len(values) - 1 if len(faults.found) == before else PLACES - 1
    for i, points in enumerate(values):
        faults.integer(points, f"solo_track.values[{i}]", -MOST_POINTS, MOST_POINTS, "points")
    faults.integer(track.get("start"), "solo_track.start", 0, last, "an index in values")


# Warnings.


def warnings(catalogue: Mapping[str, Any]) -> list[Violation]:
    """What is legal in a catalogue but odd, in the order of the fields; nothing of one that `check` finds fault with.

    Edition names that differ only in case and spaces; flowers that no card of an edition shows; tops that do nothing
    and bottoms that can never be laid; starting tiles at which nothing can; shapes that are always or never there; a
    solo track that rewards stronger cards.
    """
    if check(catalogue):
        return []
    faults = Faults()
    with suppress(Full):
        _warn(faults, catalogue)
    return faults.in_field_order(_FIELD_RANK)


def _warn(faults: Faults, catalogue: Mapping[str, Any]) -> None:
    words: dict[str, str] = {}
    for i, edition in enumerate(catalogue["editions"]):
        path = f"editions[{i}]"
        name = " ".join(edition["name"].split())
        if edition["name"] != name:
            faults.add(f"{path}.name", "has spaces at an end or several in a row")
        if (first := words.setdefault(name.casefold(), path)) != path:
            faults.add(f"{path}.name", f"is worded like {first}.name")
        _warn_edition(faults, edition, path)
    for i, bonus in enumerate(catalogue.get("bonuses") or ()):
        for k, face in enumerate(bonus["faces"]):
            if face["goal"] == SHAPE:
                _warn_shape(faults, face["shape"], f"bonuses[{i}].faces[{k}].shape", MOST_CELLS)
    track = catalogue.get("solo_track")
    if track is not None and track["values"][-1] > track["values"][0]:
        faults.add("solo_track.values", "rise, which rewards keeping stronger cards; the lowest place comes first")
    if catalogue.get("challenge_shape") is not None:
        _warn_shape(faults, catalogue["challenge_shape"], "challenge_shape", SOLO_CELLS)


def _warn_edition(faults: Faults, edition: Mapping[str, Any], path: str) -> None:
    halves = {edge for card in edition["cards"] for edge in card["edges"]}
    for flower in FLOWERS:
        if flower not in halves:
            faults.add(f"{path}.cards", f"no card shows {flower}")
    for i, card in enumerate(edition["cards"]):
        named = card.get("rescues") or {}
        icons = [card.get("random_rescues"), card.get("harvests"), *(named.get(colour) for colour in COLOURS)]
        if not any(icons):
            faults.add(f"{path}.cards[{i}]", "has a top that does nothing")
        if set(card["edges"]) == {WALL}:
            faults.add(f"{path}.cards[{i}].edges", "show no flower: this bottom can never be laid")
    own = set(edition["starting_tile"]["edges"])
    if own == {WALL}:
        faults.add(f"{path}.starting_tile.edges", "show no flower: no card can ever be laid")
    elif not own & halves - {WALL}:
        faults.add(f"{path}.starting_tile.edges", "show flowers that no card of the edition has")


def _warn_shape(faults: Faults, shape: Mapping[str, Any], path: str, most: int) -> None:
    """`most` is how many cells a sanctuary can have, all of which hang together."""
    [cells, *_] = sanctuary_tables.shape_images(shape, mirror=False)
    if len(cells) == 1:
        faults.add(path, "is always there: it is a single cell")
    # To get from one cell to the farthest takes all the cells between them.
    least = 1 + max(abs(x - a) + abs(y - b) for x, y in cells for a, b in cells)
    if least > most:
        faults.add(path, f"is never there: it takes {least} cells, where a sanctuary has {most} at most")
