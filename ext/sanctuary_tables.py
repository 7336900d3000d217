"""Rule options and catalogue of sanctuary, turned into plain tables for the kernel.

Catalogues are mappings with the field names of SanctuaryCatalogue in advisor/v1/sanctuary.proto, found sound by
`ext.sanctuary_catalogue.check`. The code of an edge, an end-game score or a goal is its number in its enum, so that 0
is "none": no edge, no end-game score. Stacks and colours of manatees are indices in `STACKS` and `COLOURS` of
`ext.sanctuary_notation`, play orders and challenges indices in `PLAY_ORDERS` and `CHALLENGES`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ext.errors import Malformed, Violation
from ext.reading import Faults, Full, shown
from ext.sanctuary_notation import COLOURS

VARIANTS = ("base", "solo", "scramble")
SEATS = {"base": (2, 6), "solo": (1, 1), "scramble": (7, 12)}
"""The fewest and the most seats of each variant (sanctuary-1)."""
SMALL_SCRAMBLE = 2
"""The fewest seats of Scramble with `allow_small_scramble`."""
MOST_SEATS = 12

EDGES = ("RED", "GREEN", "PURPLE", "WALL")
EDGE_PREFIX = "SANCTUARY_EDGE_"
RED, GREEN, PURPLE, WALL = range(1, 5)
END_GAMES = ("PAIRS", "PINK", "YELLOW")
END_GAME_PREFIX = "SANCTUARY_END_GAME_"
PAIRS_AT_END, PINK_AT_END, YELLOW_AT_END = range(1, 4)
GOALS = (
    "YELLOW",
    "PINK",
    "MANATEES",
    "RED_FLOWERS",
    "GREEN_FLOWERS",
    "PURPLE_FLOWERS",
    "LITTLE_FOOD",
    "SHAPE",
)
GOAL_PREFIX = "SANCTUARY_GOAL_"
LITTLE_FOOD, SHAPE = 7, 8
PLAY_ORDERS = ("ROUND_ROBIN", "SEAT_BY_SEAT")
CHALLENGES = (
    "NONE",
    "HARVESTER",
    "TIGHT_FIT",
    "COLOUR_COORDINATED",
    "SHORTAGE",
    "POWER_CAP",
    "WEAK_CUT",
    "ARCHITECT",
    "SAVIOUR",
)

DEFAULT_RULES: dict[str, Any] = {
    "allow_small_scramble": False,  # sanctuary-1
    "blind_choice": False,  # sanctuary-4
    "pooled_space": False,  # sanctuary-10
    "play_order": "ROUND_ROBIN",  # sanctuary-15
    "food_cap": 0,  # sanctuary-16
    "floor_score_at_zero": False,  # sanctuary-18
    "round_bonuses": False,  # sanctuary-20
    "mirror_shapes": False,  # sanctuary-20
    "challenge": "NONE",  # sanctuary-23
}
CHOICES: dict[str, tuple[str, ...]] = {"play_order": PLAY_ORDERS, "challenge": CHALLENGES}
MOST_FOOD_CAP = 999

# What is the same in every game. By colour where there are three numbers: gray, pink, yellow.
ROUNDS = 3
DEALT = 5
STARTING_SCORE = 10
MOST_POINTS = 9_999
MOST_FOOD = 9_999
"""Where the tracks end, far beyond any game: who is given almost as much gains no more."""
BAG = (80, 30, 20)
SPACES = (1, 1, 2)
MEALS = (1, 2, 1)
POINTS = ((3, 6, 3), (2, 4, 2), (1, 2, 1))
"""What a manatee scores in rounds 1, 2 and 3 (sanctuary-17)."""
RETURN_COST = 2
GOAL_POINTS = (0, 3, 2, 1, 3, 3, 3, 0, 0)
"""By the code of a goal: points for each that is counted."""
LITTLE_FOOD_POINTS = (5, 10, 15)
"""In rounds 1, 2 and 3, once, for at most `LITTLE_FOOD_MOST` food (sanctuary-20)."""
LITTLE_FOOD_MOST = 3
TIERS = (50, 60, 70, 80, 90, 100, 110)
"""The bounds of a solo score; with round bonuses each is `TIER_RAISE` higher (sanctuary-22)."""
TIER_RAISE = 25

Cell = tuple[int, int]
STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""The steps (dx, dy) across sides 0 to 3: north, east, south, west; y points down."""

_EDGE_CODES = {EDGE_PREFIX + name: code for code, name in enumerate(EDGES, 1)}
_END_GAME_CODES = {END_GAME_PREFIX + name: code for code, name in enumerate(END_GAMES, 1)}
_GOAL_CODES = {GOAL_PREFIX + name: code for code, name in enumerate(GOALS, 1)}


# Rule options.


def read_rules(rules: Mapping[str, Any], variant: str, seats: int) -> dict[str, Any]:
    """Every option written out. Raises Malformed with paths "variant", "seats" and "rules.…"."""
    faults = Faults()
    read = dict(DEFAULT_RULES)
    with suppress(Full):
        for name, value in faults.message(rules, "rules", DEFAULT_RULES).items():
            if not isinstance(name, str) or name not in read:
                continue
            if name in CHOICES:
                sound = isinstance(value, str) and value in CHOICES[name]
                wanted = f"one of {', '.join(CHOICES[name])}"
            elif name == "food_cap":
                sound = type(value) is int and 0 <= value <= MOST_FOOD_CAP
                wanted = f"a whole number from 0, which is no limit, to {MOST_FOOD_CAP}"
            else:
                sound = isinstance(value, bool)
                wanted = "true or false"
            if sound:
                read[name] = value
            else:
                faults.add(f"rules.{name}", f"give {wanted}, not {shown(value)}")
        if variant in VARIANTS:
            _check_seats(faults, variant, seats, read["allow_small_scramble"])
        else:
            known = ", ".join(VARIANTS)
            faults.add("variant", f"{shown(variant)} is not a variant of sanctuary; give one of {known}")
        if read["challenge"] != "NONE":
            if variant in VARIANTS and variant != "solo":
                faults.add("rules.challenge", "challenges are for the variant solo; give NONE")
            if read["round_bonuses"]:
                faults.add("rules.challenge", "not together with round_bonuses; leave one of them off")
    if faults.found:
        raise Malformed(faults.in_field_order(_RULES_RANK))
    return read


_RULES_RANK = {name: rank for rank, name in enumerate(("variant", "seats", "rules", *DEFAULT_RULES))}


def _check_seats(faults: Faults, variant: str, seats: int, small: bool) -> None:
    fewest, most = SEATS[variant]
    hint = ""
    if variant == "scramble":
        hint = "" if small else f", with allow_small_scramble for {SMALL_SCRAMBLE} to {most}"
        fewest = SMALL_SCRAMBLE if small else fewest
    if type(seats) is not int or not fewest <= seats <= most:
        wanted = f"{fewest} seat" if most == 1 else f"{fewest} to {most} seats"
        faults.add("seats", f"{variant} is for {wanted}{hint}, not {shown(seats)}")


def lacking(catalogue: Mapping[str, Any], rules: Mapping[str, Any], variant: str) -> list[Violation]:
    """What a game needs that its catalogue, itself sound, does not have; paths "variant" and "rules.…"."""
    found = []
    if variant == "scramble" and len(catalogue["editions"]) < 2:
        found.append(Violation("variant", "scramble needs a catalogue of two editions"))
    if variant == "solo" and catalogue.get("solo_track") is None:
        found.append(Violation("variant", "solo needs a catalogue with a solo track"))
    if rules["round_bonuses"] and not catalogue.get("bonuses"):
        found.append(Violation("rules.round_bonuses", "the catalogue has no round bonus cards"))
    if rules["challenge"] == "ARCHITECT" and catalogue.get("challenge_shape") is None:
        found.append(Violation("rules.challenge", "the catalogue has no challenge shape, which ARCHITECT needs"))
    return found


def edition_of(seat: int, seats: int, variant: str) -> int:
    """The bag, and so the edition of the starting tile, of a seat: in Scramble the later half has 1 (sanctuary-24)."""
    return int(variant == "scramble" and seat >= (seats + 1) // 2)


# Values of one sort.


def or_one(value: int | None) -> int:
    """A number whose absence, which is also written 0, means 1: every `count`."""
    return value or 1


def end_game_code(value: str | None) -> int:
    """The code of a full enum name; 0 for none, which is also written UNSPECIFIED. KeyError for any other text."""
    return 0 if value in (None, f"{END_GAME_PREFIX}UNSPECIFIED") else _END_GAME_CODES[value]


def goal_code(value: str) -> int:
    """The code of a full enum name; KeyError for any other text."""
    return _GOAL_CODES[value]


# The edges of a cell as a 16-bit word: bits 4 d to 4 d + 3 are the code of the edge on side d.


def edges_word(edges: Sequence[str]) -> int:
    """The word of four full enum names: north, east, south, west. KeyError for a text that is none."""
    return sum(_EDGE_CODES[edge] << 4 * side for side, edge in enumerate(edges))


def edge_at(word: int, side: int) -> int:
    """The code of the edge on a side, 0 to 3."""
    return word >> 4 * side & 15


def turned(word: int, turns: int) -> int:
    """The word after `turns` clockwise quarter turns, 0 or more: after one, what was north is east."""
    shift = 4 * (turns % 4)
    return (word << shift | word >> 16 - shift) & 0xFFFF


def distinct_turns(word: int) -> int:
    """How many rotations look different, 1, 2 or 4: those of fewer turns than this (sanctuary-11)."""
    return next(turns for turns in (1, 2, 4) if turned(word, turns) == word)


# Cards and starting tiles.


class Card(NamedTuple):
    """A kind of card, its bottom as the rules of this game have it."""

    edition: int
    copies: int
    strength: int
    rescues: tuple[int, int, int]
    """Named icons by colour."""
    random_rescues: int
    harvests: int
    words: tuple[int, int, int, int]
    """The edges after 0 to 3 turns."""
    turns: int
    """How many of these are different: those of fewer turns than this."""
    hosts: tuple[int, int, int, int]
    """For 0 to 3 turns the sides on which a host may be: bit d for side d, one for each rotation of equal edges."""
    capacity: int
    end_game: int

    @property
    def icons(self) -> int:
        """Rescue icons of either sort; any brings the extra draws for yellow manatees (sanctuary-7)."""
        return sum(self.rescues) + self.random_rescues

    @property
    def flowers(self) -> int:
        """Flower halves on the bottom."""
        return sum(edge_at(self.words[0], side) != WALL for side in range(4))


class StartingTile(NamedTuple):
    """The starting tile of an edition."""

    word: int
    capacity: int


def cards(catalogue: Mapping[str, Any], variant: str, challenge: str = "NONE") -> list[Card]:
    """The kinds of card of a game by their ids: of the first edition, in Scramble then of the second."""
    tight = challenge == "TIGHT_FIT"
    return [
        _card(entry, edition, tight)
        for edition, entries in enumerate(editions(catalogue, variant))
        for entry in entries["cards"]
    ]


def starting_tiles(catalogue: Mapping[str, Any], variant: str) -> list[StartingTile]:
    """The starting tile of each edition in the game: one, in Scramble two."""
    tiles = [entry["starting_tile"] for entry in editions(catalogue, variant)]
    return [StartingTile(edges_word(tile["edges"]), tile.get("capacity") or 0) for tile in tiles]


def editions(catalogue: Mapping[str, Any], variant: str) -> Sequence[Mapping[str, Any]]:
    """The editions that a variant plays with."""
    used: Sequence[Mapping[str, Any]] = catalogue["editions"][: 2 if variant == "scramble" else 1]
    return used


def _card(entry: Mapping[str, Any], edition: int, tight: bool) -> Card:
    word = edges_word(entry["edges"])
    turns = distinct_turns(word)
    # Unrotated, the inner edge is north (sanctuary-11): after so many turns it is on the side of that number.
    hosts = [sum(1 << side for side in range(turn % turns, 4, turns)) for turn in range(4)]
    named = entry.get("rescues") or {}
    gray, pink, yellow = (named.get(colour) or 0 for colour in COLOURS)
    return Card(
        edition=edition,
        copies=or_one(entry.get("count")),
        strength=entry["strength"],
        rescues=(gray, pink, yellow),
        random_rescues=entry.get("random_rescues") or 0,
        harvests=entry.get("harvests") or 0,
        words=(word, turned(word, 1), turned(word, 2), turned(word, 3)),
        turns=turns,
        hosts=(hosts[0], hosts[1], hosts[2], hosts[3]),
        capacity=max(0, (entry.get("capacity") or 0) - tight),
        end_game=end_game_code(entry.get("end_game")),
    )


# Round bonus cards, the solo track and the challenge shape.

Image = list[Cell]
"""The cells of a shape as it may lie in a sanctuary: (dx, dy) from the first, which is (0, 0)."""


class Face(NamedTuple):
    """What a round bonus card rewards in one round."""

    goal: int
    points: int
    """For each that is counted; for LITTLE_FOOD, which depends on the round, and SHAPE, once."""
    images: list[Image]
    """Of SHAPE; empty for any other goal."""


class Bonus(NamedTuple):
    """A kind of round bonus card."""

    copies: int
    faces: tuple[Face, Face, Face]
    """For rounds 1, 2 and 3."""


class SoloTrack(NamedTuple):
    """The track of the solo token, which is `lowest` to `highest` steps up from its start."""

    values: list[int]
    """From the lowest place up."""
    lowest: int

    @property
    def highest(self) -> int:
        """How many steps up the token can go."""
        return self.lowest + len(self.values) - 1


def bonuses(catalogue: Mapping[str, Any], mirror: bool) -> list[Bonus]:
    """The kinds of round bonus card by their ids; `mirror` is the option mirror_shapes."""
    found = []
    for entry in catalogue.get("bonuses") or ():
        one, two, three = (_face(face, round_index, mirror) for round_index, face in enumerate(entry["faces"]))
        found.append(Bonus(or_one(entry.get("count")), (one, two, three)))
    return found


def solo_track(catalogue: Mapping[str, Any]) -> SoloTrack:
    """The solo track of a catalogue that has one."""
    track = catalogue["solo_track"]
    return SoloTrack([value or 0 for value in track["values"]], -(track.get("start") or 0))


def challenge_images(catalogue: Mapping[str, Any], mirror: bool) -> list[Image]:
    """The images of the challenge shape of a catalogue that has one; `mirror` is the option mirror_shapes."""
    return shape_images(catalogue["challenge_shape"], mirror)


def _face(face: Mapping[str, Any], round_index: int, mirror: bool) -> Face:
    goal = goal_code(face["goal"])
    if goal == SHAPE:
        return Face(goal, face["points"], shape_images(face["shape"], mirror))
    return Face(goal, LITTLE_FOOD_POINTS[round_index] if goal == LITTLE_FOOD else GOAL_POINTS[goal], [])


def shape_images(shape: Mapping[str, Any], mirror: bool) -> list[Image]:
    """The different images of a shape: its rotations, and with `mirror` those of its mirror image (sanctuary-20).

    All list the cells in one order, made for matching from the first cell on: each later one is, if it can be, beside
    an earlier one, and beside as many as any.
    """
    cells = _matching_order([_cell(entry) for entry in shape["cells"]])
    images: dict[frozenset[Cell], Image] = {}
    for image in (cells, [(-x, y) for x, y in cells]) if mirror else (cells,):
        for _ in range(4):
            x0, y0 = image[0]
            images.setdefault(looks(image), [(x - x0, y - y0) for x, y in image])
            image = [(-y, x) for x, y in image]
    return list(images.values())


def looks(cells: Iterable[Cell]) -> frozenset[Cell]:
    """What is equal in images that differ only in place and in the order of their cells."""
    cells = list(cells)
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - top) for x, y in cells)


def _cell(entry: Mapping[str, int] | None) -> Cell:
    return ((entry or {}).get("x") or 0, (entry or {}).get("y") or 0)


def _matching_order(cells: Sequence[Cell]) -> list[Cell]:
    beside = {cell: {(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS}.intersection(cells) for cell in cells}
    order: list[Cell] = []
    left = list(cells)
    while left:
        seen = set(order)
        order.append(max(left, key=lambda cell: (len(beside[cell] & seen), len(beside[cell]))))
        left.remove(order[-1])
    return order
