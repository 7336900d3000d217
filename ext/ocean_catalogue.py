"""Checks catalogues of ocean: the 40 species cards, the 8 targets and the promo's name.

A catalogue is a mapping with the field names of OceanCatalogue in advisor/v1/ocean.proto and full enum names
("OCEAN_KIND_PLANT"). An absent field (or None) is its default, as on the wire.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ext.errors import Violation
from ext.ocean_notation import CARDS, REACH
from ext.ocean_position import FIELD_RANK, ROUNDS, TARGETS, TOPOLOGIES, neighbours
from ext.reading import Cell, Faults, Full, shown

COUNTS = {
    "OCEAN_KIND_PLANT": 7,
    "OCEAN_KIND_CORAL": 7,
    "OCEAN_KIND_TINY": 3,
    "OCEAN_KIND_INVERTEBRATE": 4,
    "OCEAN_KIND_SMALL": 5,
    "OCEAN_KIND_MEDIUM": 5,
    "OCEAN_KIND_GIANT": 6,
    "OCEAN_KIND_CARNIVORE": 3,
}
"""Cards of each kind, in the order of the enum."""

KINDS = tuple(COUNTS)
CONDITIONS = tuple(
    f"OCEAN_CONDITION_{name}"
    for name in (
        "FLAT",
        "EACH_TINY",
        "EACH_PLANT",
        "EACH_PLANT_OR_CORAL",
        "EACH_INVERTEBRATE",
        "EACH_SMALL",
        "EACH_TINY_OR_CORAL",
        "EACH_GIANT_OR_CARNIVORE",
        "TWO_PLANTS",
        "TWO_CORALS",
        "PAIRS",
        "TWO_SMALL_OR_INVERTEBRATE",
        "TWO_TINY",
        "THREE_PLANTS",
        "TWO_TINY_OR_INVERTEBRATE",
        "THREE_SMALL_OR_INVERTEBRATE",
        "TWO_MEDIUM",
    )
)
IUCN_CATEGORIES = tuple(
    f"OCEAN_IUCN_CATEGORY_{name}"
    for name in (
        "NO_CATEGORY",
        "NOT_EVALUATED",
        "DATA_DEFICIENT",
        "LEAST_CONCERN",
        "NEAR_THREATENED",
        "VULNERABLE",
        "ENDANGERED",
        "CRITICALLY_ENDANGERED",
    )
)

_ID = re.compile(r"[a-z0-9-]{1,64}")
_SHAPES = {"square": ("SQUARE", "SQUARE_DIAGONAL"), "hex": ("HEX",)}
"""The topologies that use each of a target's two patterns (ocean-16)."""


def check(
    catalogue: Mapping[str, Any],
    *,
    targets: bool = False,
    promo: bool = False,
    whole_shape: bool = False,
    topology: str | None = None,
) -> list[Violation]:
    """Everything that is wrong with a catalogue, in the order of the fields, at most 1,000; empty when it is sound.

    `targets` demands the 8 target cards, `promo` the promo's name. `whole_shape` also tells of each pattern that can
    never match because it has other than nine cells: legal (ocean-15), so that whoever only has to accept or refuse a
    catalogue leaves it False; `topology` (SQUARE, SQUARE_DIAGONAL or HEX) restricts this to the patterns in use.
    Wrong types are violations too. ValueError only for an unknown `topology`.
    """
    if topology is not None and topology not in TOPOLOGIES:
        raise ValueError(f"expected {' or '.join(TOPOLOGIES)}")
    faults = Faults()
    with suppress(Full):
        _check(faults, catalogue, targets, promo, whole_shape, topology)
    return faults.in_field_order(FIELD_RANK)


def _check(
    faults: Faults, catalogue: object, targets: bool, promo: bool, whole_shape: bool, topology: str | None
) -> None:
    if not isinstance(catalogue, Mapping):
        faults.add("", f"expected a mapping, not {shown(catalogue)}")
        return
    fields = faults.message(catalogue, "", ("id", "about", "cards", "targets", "promo_name"), prefix="")
    identifier = fields.get("id")
    if not isinstance(identifier, str) or not _ID.fullmatch(identifier):
        faults.add("id", f"expected 1 to 64 lower-case letters, digits and hyphens, not {shown(identifier)}")
    _text(faults, fields.get("about"), "about", 1, 2_000)
    # Names are unique over cards, targets and promo: people tell components apart by them.
    names: dict[str, str] = {}
    _check_cards(faults, fields.get("cards"), names)

    before = len(faults.found)
    entries = faults.array(fields.get("targets"), "targets")
    if len(faults.found) == before:
        if targets and len(entries) != TARGETS:
            faults.add("targets", f"expected {TARGETS} target cards, which this variant needs, not {len(entries)}")
        elif len(entries) not in (0, TARGETS):
            faults.add("targets", f"expected {TARGETS} target cards or none, not {len(entries)}")
    for i, entry in enumerate(entries):
        _check_target(faults, entry, f"targets[{i}]", names, whole_shape, topology)

    name = fields.get("promo_name")
    if name is None or name == "":
        if promo:
            faults.add("promo_name", "expected the name of the promo target, which the option promo needs")
    else:
        _name(faults, name, "promo_name", names)


def _text(faults: Faults, value: object, path: str, least: int, most: int) -> bool:
    """Checks a text's type and its length in characters."""
    expected = f"expected {least} to {most:,} characters" if least else f"expected at most {most:,} characters"
    if value is None:
        value = ""
    if not isinstance(value, str):
        faults.add(path, f"{expected}, not {shown(value)}")
        return False
    if not least <= len(value) <= most:
        faults.add(path, f"{expected}, not {len(value):,}")
        return False
    if least and not value.strip():
        faults.add(path, f"{expected}, not only spaces")
        return False
    return True


def _name(faults: Faults, value: object, path: str, names: dict[str, str]) -> None:
    if _text(faults, value, path, 1, 64):
        assert isinstance(value, str)
        if value in names:
            faults.add(path, f"expected a name of its own; {shown(value)} is {names[value]} too")
        else:
            names[value] = path


def _enum(faults: Faults, value: object, path: str, among: Sequence[str], what: str) -> bool:
    if isinstance(value, str) and value in among:
        return True
    prefix = among[0][: among[0].index("_", len("OCEAN_")) + 1]
    if prefix == "OCEAN_IUCN_":
        prefix = "OCEAN_IUCN_CATEGORY_"
    faults.add(path, f"expected {what} ({prefix}...), not {shown(value)}")
    return False


def _check_cards(faults: Faults, value: object, names: dict[str, str]) -> None:
    before = len(faults.found)
    entries = faults.array(value, "cards")
    if len(faults.found) > before:
        return
    if len(entries) != CARDS:
        faults.add("cards", f"expected {CARDS} cards, not {len(entries)}")
    counts = dict.fromkeys(KINDS, 0)
    unreadable = 0
    for i, entry in enumerate(entries):
        path = f"cards[{i}]"
        if not isinstance(entry, Mapping):
            faults.add(path, f"expected a mapping, not {shown(entry)}")
            unreadable += 1
            continue
        card = faults.message(entry, path, ("name", "scientific_name", "kind", "condition", "iucn_category", "note"))
        _name(faults, card.get("name"), f"{path}.name", names)
        _text(faults, card.get("scientific_name"), f"{path}.scientific_name", 0, 80)
        if _enum(faults, card.get("kind"), f"{path}.kind", KINDS, "a kind"):
            counts[card["kind"]] += 1
        else:
            unreadable += 1
        _enum(faults, card.get("condition"), f"{path}.condition", CONDITIONS, "a condition")
        _enum(faults, card.get("iucn_category"), f"{path}.iucn_category", IUCN_CATEGORIES, "a category")
        _text(faults, card.get("note"), f"{path}.note", 0, 400)
    # A card whose kind cannot be read may be any of those that lack: only what lacks beyond that is another fault.
    lacking = sum(max(0, COUNTS[kind] - count) for kind, count in counts.items())
    for kind, count in counts.items():
        if count > COUNTS[kind] or (count < COUNTS[kind] and lacking > unreadable):
            faults.add("cards", f"expected {COUNTS[kind]} cards of {kind}, not {count}")


def _check_target(
    faults: Faults, entry: object, path: str, names: dict[str, str], whole_shape: bool, topology: str | None
) -> None:
    if not isinstance(entry, Mapping):
        faults.add(path, f"expected a mapping, not {shown(entry)}")
        return
    target = faults.message(entry, path, ("name", "points", "square", "hex"))
    _name(faults, target.get("name"), f"{path}.name", names)
    faults.integer(target.get("points"), f"{path}.points", 1, 99, "points")
    for shape, used_by in _SHAPES.items():
        here = f"{path}.{shape}"
        before = len(faults.found)
        cells = faults.array(target.get(shape), here)
        if len(faults.found) > before:
            continue
        if not 1 <= len(cells) <= ROUNDS:
            faults.add(here, f"expected 1 to {ROUNDS} cells, not {len(cells)}")
        elif whole_shape and len(cells) != ROUNDS and (topology is None or topology in used_by):
            faults.add(here, _not_nine(len(cells)))
        at: dict[Cell, int] = {}
        for i, cell in enumerate(cells):
            _check_pattern_cell(faults, cell, here, i, at)


def _not_nine(cells: int) -> str:
    return f"a pattern of {cells} cells never matches under WHOLE_SHAPE, which needs {ROUNDS} (ocean-15)"


def _check_pattern_cell(faults: Faults, entry: object, pattern: str, i: int, at: dict[Cell, int]) -> None:
    path = f"{pattern}[{i}]"
    if entry is not None and not isinstance(entry, Mapping):
        faults.add(path, f"expected a mapping, not {shown(entry)}")
        return
    cell = faults.message(entry, path, ("x", "y", "kinds"))
    x = faults.integer(cell.get("x"), f"{path}.x", -REACH, REACH, "a column")
    y = faults.integer(cell.get("y"), f"{path}.y", -REACH, REACH, "a row")
    if x is not None and y is not None and at.setdefault((x, y), i) != i:
        faults.add(path, f"expected another cell; {x},{y} is {pattern}[{at[x, y]}] too")
    seen: dict[str, int] = {}
    for k, kind in enumerate(faults.array(cell.get("kinds"), f"{path}.kinds")):
        if _enum(faults, kind, f"{path}.kinds[{k}]", KINDS, "a kind") and seen.setdefault(kind, k) != k:
            faults.add(f"{path}.kinds[{k}]", f"expected each kind once; {kind} is kinds[{seen[kind]}] too")


def warnings(catalogue: Mapping[str, Any]) -> list[Violation]:
    """What is legal in a catalogue but odd, in the order of the fields, at most 1,000.

    Conditions that no card shows; names and scientific names that differ only in case and spaces; equal targets;
    patterns that never match, under WHOLE_SHAPE (ocean-15) or at all. Parts that `check` finds fault with are passed
    over.
    """
    faults = Faults()
    with suppress(Full):
        _warn(faults, catalogue)
    return faults.in_field_order(FIELD_RANK)


def _entries(value: object) -> list[tuple[int, Mapping[str, Any]]]:
    """The mappings of a list, with their indices; none when it is no list or longer than any legal one."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray | memoryview) or len(value) > CARDS:
        return []
    return [(i, entry) for i, entry in enumerate(value) if isinstance(entry, Mapping)]


def _warn(faults: Faults, catalogue: object) -> None:
    if not isinstance(catalogue, Mapping):
        return
    cards = _entries(catalogue.get("cards"))
    shown_conditions = {card.get("condition") for _, card in cards if isinstance(card.get("condition"), str)}
    if cards:
        for condition in CONDITIONS:
            if condition not in shown_conditions:
                faults.add("cards", f"no card shows {condition}")
    targets = _entries(catalogue.get("targets"))
    words: dict[str, tuple[str, str]] = {}
    for list_name, entries in (("cards", cards), ("targets", targets)):
        for i, entry in entries:
            _warn_alike(faults, entry.get("name"), f"{list_name}[{i}].name", words)
    _warn_alike(faults, catalogue.get("promo_name"), "promo_name", words)
    sciences: dict[str, tuple[str, str]] = {}
    for i, card in cards:
        _warn_alike(faults, card.get("scientific_name"), f"cards[{i}].scientific_name", sciences, equal_too=True)
    faces: dict[object, str] = {}
    for i, target in targets:
        path = f"targets[{i}]"
        patterns = []
        for shape, topologies in _SHAPES.items():
            pattern = _pattern(target.get(shape))
            patterns.append(pattern)
            if pattern is not None:
                _warn_pattern(faults, f"{path}.{shape}", pattern, topologies)
        points = target.get("points")
        if isinstance(points, int) and None not in patterns:
            face = tuple(_moved(pattern) for pattern in patterns if pattern is not None)
            other = faces.setdefault(face, path)
            if other != path:
                faults.add(path, f"its patterns are those of {other}")


def _warn_alike(
    faults: Faults, value: object, path: str, seen: dict[str, tuple[str, str]], equal_too: bool = False
) -> None:
    if not isinstance(value, str) or not value.strip() or len(value) > 80:
        return
    if value != " ".join(value.split()):
        faults.add(path, "has spaces at an end or several in a row")
    other, written = seen.setdefault(" ".join(value.split()).casefold(), (path, value))
    # Equal names are `check`'s business; equal scientific names are nobody else's.
    if other != path and (equal_too or written != value):
        faults.add(path, f"is worded like {other}")


_Pattern = dict[Cell, frozenset[str]]


def _pattern(value: object) -> _Pattern | None:
    """The kinds that satisfy each cell of a sound pattern (none: any card); None for one that `check` refuses."""
    faults = Faults()
    entries = faults.array(value, "")
    if not 1 <= len(entries) <= ROUNDS:
        return None
    at: dict[Cell, int] = {}
    try:
        for i, entry in enumerate(entries):
            _check_pattern_cell(faults, entry, "", i, at)
    except Full:
        return None
    if faults.found:
        return None
    return {cell: frozenset((entries[i] or {}).get("kinds") or ()) for cell, i in at.items()}


def _moved(pattern: _Pattern) -> frozenset[tuple[int, int, frozenset[str]]]:
    """The pattern with its least column and row at 0: patterns are relative to any origin."""
    left = min(x for x, _ in pattern)
    top = min(y for _, y in pattern)
    return frozenset((x - left, y - top, kinds) for (x, y), kinds in pattern.items())


def _distance(one: Cell, other: Cell, topology: str) -> int:
    """Steps between two cells."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    if topology == "SQUARE":
        return abs(dx) + abs(dy)
    if topology == "SQUARE_DIAGONAL":
        return max(abs(dx), abs(dy))
    return max(abs(dx), abs(dy), abs(dx + dy))


def _in_one_piece(cells: set[Cell], topology: str) -> bool:
    start = next(iter(cells))
    left = cells - {start}
    frontier = [start]
    while frontier:
        x, y = frontier.pop()
        near = {(x + dx, y + dy) for dx, dy in neighbours(topology)} & left
        left -= near
        frontier.extend(near)
    return not left


_KIND_SETS = tuple(
    frozenset(kind for i, kind in enumerate(KINDS) if bits >> i & 1) for bits in range(1, 1 << len(KINDS))
)


def _warn_pattern(faults: Faults, path: str, pattern: _Pattern, topologies: Sequence[str]) -> None:
    # Hall's theorem: the cells can be filled unless some kinds are demanded by more cells than they have cards.
    demands = Counter(kinds for kinds in pattern.values() if kinds)
    for kinds in _KIND_SETS:
        asked = sum(count for demand, count in demands.items() if demand <= kinds)
        if asked > sum(COUNTS[kind] for kind in kinds):
            faults.add(path, f"never matches: there are not {asked} cards of {' and '.join(sorted(kinds))}")
            return
    unreachable = [
        topology
        for topology in topologies
        if max(_distance(one, other, topology) for one in pattern for other in pattern) >= ROUNDS
    ]
    if unreachable:
        faults.add(path, f"never matches in {' and '.join(unreachable)}: {ROUNDS} cards do not reach across it")
    if len(pattern) != ROUNDS:
        faults.add(path, _not_nine(len(pattern)))
        return
    apart = [topology for topology in topologies if topology not in unreachable]
    apart = [topology for topology in apart if not _in_one_piece(set(pattern), topology)]
    if apart:
        faults.add(path, f"never matches in {' and '.join(apart)}: its {ROUNDS} cells do not hang together")
