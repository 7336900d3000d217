"""Rule options and catalogue of ocean, checked and turned into plain tables for the kernel.

Numbers of kinds, conditions and categories are those of the enums in advisor/v1/ocean.proto, less one for kinds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ext.errors import Malformed, Violation

KINDS = ("PLANT", "CORAL", "TINY", "INVERTEBRATE", "SMALL", "MEDIUM", "GIANT", "CARNIVORE")
CATEGORIES = (
    "NO_CATEGORY",
    "NOT_EVALUATED",
    "DATA_DEFICIENT",
    "LEAST_CONCERN",
    "NEAR_THREATENED",
    "VULNERABLE",
    "ENDANGERED",
    "CRITICALLY_ENDANGERED",
)
DEFAULT_RULES: dict[str, Any] = {
    "topology": "SQUARE",
    "passing": "LEFT",
    "same_kind_sets": False,
    "target_match": "CONTAINED",
    "mirror_targets": False,
    "promo": False,
    "no_category_counts": True,
}
CHOICES: dict[str, tuple[str, ...]] = {
    "topology": ("SQUARE", "SQUARE_DIAGONAL", "HEX"),
    "passing": ("LEFT", "RIGHT", "ALTERNATE"),
    "target_match": ("CONTAINED", "WHOLE_SHAPE"),
}
VARIANTS = ("base", "targets")


class Condition(NamedTuple):
    """`points` for every `per` adjacent cards of the kinds (ocean-12). per 0: whatever is adjacent."""

    per: int
    points: int
    kinds: tuple[str, ...]


CONDITIONS: dict[str, Condition] = {
    "FLAT": Condition(0, 4, ()),
    "EACH_TINY": Condition(1, 2, ("TINY",)),  # ocean-7: Mikrob Kecil, not small marine life
    "EACH_PLANT": Condition(1, 3, ("PLANT",)),
    "EACH_PLANT_OR_CORAL": Condition(1, 2, ("PLANT", "CORAL")),
    "EACH_INVERTEBRATE": Condition(1, 3, ("INVERTEBRATE",)),
    "EACH_SMALL": Condition(1, 6, ("SMALL",)),
    "EACH_TINY_OR_CORAL": Condition(1, 3, ("TINY", "CORAL")),
    "EACH_GIANT_OR_CARNIVORE": Condition(1, 5, ("GIANT", "CARNIVORE")),
    "TWO_PLANTS": Condition(2, 12, ("PLANT",)),
    "TWO_CORALS": Condition(2, 8, ("CORAL",)),
    "PAIRS": Condition(1, 10, ()),  # ocean-11, counted by the kernel
    "TWO_SMALL_OR_INVERTEBRATE": Condition(2, 12, ("SMALL", "INVERTEBRATE")),
    "TWO_TINY": Condition(2, 16, ("TINY",)),
    "THREE_PLANTS": Condition(3, 23, ("PLANT",)),
    "TWO_TINY_OR_INVERTEBRATE": Condition(2, 14, ("TINY", "INVERTEBRATE")),
    "THREE_SMALL_OR_INVERTEBRATE": Condition(3, 21, ("SMALL", "INVERTEBRATE")),
    "TWO_MEDIUM": Condition(2, 13, ("MEDIUM",)),
}

Cell = tuple[int, int, int]
"""dx, dy, mask of the kinds that satisfy the cell (bit k: KINDS[k])."""


def read_rules(rules: Mapping[str, Any], variant: str) -> dict[str, Any]:
    """Every option written out. Raises Malformed with paths "rules.…" and "variant"."""
    faults = []
    if variant not in VARIANTS:
        faults.append(Violation("variant", f"'{variant}' is not a variant of ocean; give one of {', '.join(VARIANTS)}"))
    read = dict(DEFAULT_RULES)
    for name, value in rules.items():
        if name not in read:
            faults.append(Violation(f"rules.{name}", f"unknown option; ocean has {', '.join(read)}"))
        elif name in CHOICES and value not in CHOICES[name]:
            faults.append(Violation(f"rules.{name}", f"give one of {', '.join(CHOICES[name])}"))
        elif name not in CHOICES and not isinstance(value, bool):
            faults.append(Violation(f"rules.{name}", "give true or false"))
        else:
            read[name] = value
    if read["promo"] and variant == "base":
        faults.append(Violation("rules.promo", "the promo is a target card: play variant targets, or leave it off"))
    if faults:
        raise Malformed(faults)
    return read


def images(pattern: Sequence[Mapping[str, Any]], topology: str, mirror: bool) -> list[list[Cell]]:
    """The distinct images of a target's pattern, each with its first cell at (0, 0) (ocean-16).

    Images wider or higher than nine cells fit in no ocean and are left out.
    """
    cells = [(int(c.get("x", 0)), int(c.get("y", 0)), kind_mask(c.get("kinds", ()))) for c in pattern]
    found: list[list[Cell]] = []
    for mirrored in (False, True) if mirror else (False,):
        image = [(y, x, m) for x, y, m in cells] if mirrored else cells
        for _ in range(6 if topology == "HEX" else 4):
            image = [(-y, x + y, m) if topology == "HEX" else (-y, x, m) for x, y, m in image]
            ordered = sorted(image)
            x0, y0, _ = ordered[0]
            shifted = [(x - x0, y - y0, m) for x, y, m in ordered]
            rows = [y for _, y, _ in shifted]
            if shifted not in found and shifted[-1][0] <= 8 and max(rows) - min(rows) <= 8:
                found.append(shifted)
    return found


def kind_mask(kinds: Sequence[str]) -> int:
    """Bit k for KINDS[k]; no kinds: all of them."""
    if not kinds:
        return (1 << len(KINDS)) - 1
    return sum({1 << KINDS.index(kind.removeprefix("OCEAN_KIND_")) for kind in kinds})
