"""Rule options and catalogue of heart, turned into plain tables for the kernel.

Catalogues are mappings with the field names of HeartCatalogue in advisor/v1/heart.proto, found sound by
`ext.heart_catalogue.check`. The code of an icon is its number in that enum, less one: its index in `ICONS`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ext.errors import Malformed, Violation

VARIANTS = ("base",)
ICONS = ("BLANK", "FOOD", "DIVER", "FISH", "CORAL", "RESCUE", "SWIM")
ICON_PREFIX = "HEART_ICON_"
DEFAULT_RULES = {
    "reshuffle_discards": True,  # heart-7
    "repeat_swimmers": False,  # heart-10
    "swims_mandatory": False,  # heart-10
    "starting_tile_blocks": False,  # heart-11
    "orange_needs_requirement": True,  # heart-12
    "mirror_patterns": False,  # heart-13
    "bonus_tile_optional": False,  # heart-16
}

Cell = tuple[int, int]
STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The steps (dx, dy) across sides 0 to 3: north, east, south, west; y points down."""

_CODES = {ICON_PREFIX + name: code for code, name in enumerate(ICONS)}


def read_rules(rules: Mapping[str, Any], variant: str) -> dict[str, bool]:
    """Every option written out. Raises Malformed with paths "rules.…" and "variant"."""
    faults = []
    if variant not in VARIANTS:
        faults.append(Violation("variant", f"'{variant}' is not a variant of heart; give one of {', '.join(VARIANTS)}"))
    read = dict(DEFAULT_RULES)
    for name, value in rules.items():
        if name not in read:
            faults.append(Violation(f"rules.{name}", f"unknown option; heart has {', '.join(read)}"))
        elif not isinstance(value, bool):
            faults.append(Violation(f"rules.{name}", "give true or false"))
        else:
            read[name] = value
    if faults:
        raise Malformed(faults)
    return read


def icon_code(icon: str) -> int:
    """The index in `ICONS` of a full enum name; KeyError for any other text."""
    return _CODES[icon]


def or_one(value: int | None) -> int:
    """A number whose absence, which is also written 0, means 1: `count`, `at_least` and `per`."""
    return value or 1


# The edges of a tile as a 16-bit word: bits 4 d to 4 d + 3 are the code of the icon on side d.


def edges_word(edges: Sequence[str]) -> int:
    """The word of four full enum names: north, east, south, west. KeyError for a text that is none."""
    return sum(icon_code(icon) << 4 * side for side, icon in enumerate(edges))


def turned(word: int, turns: int) -> int:
    """The word after `turns` clockwise quarter turns, 0 or more: after one, what was north is east."""
    shift = 4 * (turns % 4)
    return (word << shift | word >> 16 - shift) & 0xFFFF


def distinct_turns(word: int) -> int:
    """How many rotations look different, 1, 2 or 4: those of fewer turns than this (heart-4)."""
    return next(turns for turns in (1, 2, 4) if turned(word, turns) == word)


# What photo cards demand.


class PatternImage(NamedTuple):
    """A pattern as it may lie in a habitat (heart-13)."""

    cells: list[Cell]
    """(dx, dy) from the first cell, which is (0, 0)."""
    edges: list[tuple[int, int, int]]
    """(index of one cell, index of the other, icon code): the complete icons demanded."""
    manatees: int
    """The least number of manatees on the cells' tiles."""

    @property
    def looks(self) -> object:
        """What is equal in images that differ only in place and in the order of their cells and edges."""
        left, top = min(x for x, _ in self.cells), min(y for _, y in self.cells)
        cells = [(x - left, y - top) for x, y in self.cells]
        icons = frozenset((frozenset((cells[one], cells[other])), icon) for one, other, icon in self.edges)
        return frozenset(cells), icons, self.manatees


class IconDemand(NamedTuple):
    """At least so many complete icons of one kind anywhere."""

    icon: int
    at_least: int


class PatternDemand(NamedTuple):
    """One of the images of a pattern somewhere."""

    images: list[PatternImage]


Demand = IconDemand | PatternDemand


def requirement(photo: Mapping[str, Any], mirror: bool) -> list[Demand]:
    """The demands of a photo card, all of which must hold; `mirror` is the option mirror_patterns."""
    demands: list[Demand] = []
    for demand in photo.get("requirement") or ():
        icons = demand.get("icons")
        if icons is None:
            demands.append(PatternDemand(pattern_images(demand["pattern"], mirror)))
        else:
            demands.append(IconDemand(icon_code(icons["icon"]), or_one(icons.get("at_least"))))
    return demands


def pattern_images(pattern: Mapping[str, Any], mirror: bool) -> list[PatternImage]:
    """The different images of a pattern: its rotations, and with `mirror` those of its mirror image (heart-13).

    All list the cells in one order, made for matching from the first cell on: that is one with as many demanded icons
    as any, and each later one is, if it can be, beyond a demanded icon of an earlier one, or else beside an earlier.
    """
    cells = [_cell(entry) for entry in pattern["cells"]]
    edges = [
        (edge.get("first_cell") or 0, edge.get("second_cell") or 0, icon_code(edge["icon"]))
        for edge in pattern.get("edges") or ()
    ]
    order = _matching_order(cells, [(one, other) for one, other, _ in edges])
    cells = [cells[index] for index in order]
    edges = [(order.index(one), order.index(other), icon) for one, other, icon in edges]
    images: dict[object, PatternImage] = {}
    for image in (cells, [(-x, y) for x, y in cells]) if mirror else (cells,):
        for _ in range(4):
            x0, y0 = image[0]
            shifted = [(x - x0, y - y0) for x, y in image]
            found = PatternImage(shifted, edges, pattern.get("manatees") or 0)
            images.setdefault(found.looks, found)
            image = [(-y, x) for x, y in image]
    return list(images.values())


def _cell(entry: Mapping[str, int] | None) -> Cell:
    return ((entry or {}).get("x") or 0, (entry or {}).get("y") or 0)


def _matching_order(cells: Sequence[Cell], edges: Sequence[tuple[int, int]]) -> list[int]:
    """Indices of the cells in the order in which they are best looked for."""
    icons: list[set[int]] = [{sum(edge) - i for edge in edges if i in edge} for i in range(len(cells))]
    beside = [{j for j, cell in enumerate(cells) if abs(cell[0] - x) + abs(cell[1] - y) == 1} for x, y in cells]
    order: list[int] = []
    while len(order) < len(cells):
        seen = set(order)
        left = [i for i in range(len(cells)) if i not in seen]
        order.append(max(left, key=lambda i: (len(icons[i] & seen), len(beside[i] & seen), len(icons[i]))))
    return order
