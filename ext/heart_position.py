"""Reads positions of heart: checks everything a position says about itself and gives it as plain Python values.

A position is a mapping with the field names of HeartPosition in advisor/v1/heart.proto. Phases are short strings
("TAKE", "DRAW_TILE"). As on the wire, an absent field (or None) is its default: an empty list, 0, False, and (0, 0) for
a cell; an absent kind of tile stands for the starting tile.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from ext.cells import reached
from ext.errors import Malformed
from ext.heart_notation import COLUMNS, REACH
from ext.heart_tables import DEFAULT_RULES, ICONS, STEPS, distinct_turns, edges_word, icon_code, or_one, turned
from ext.reading import Cell, Faults, Full, shown

MANATEES = 30
COLUMN_SIZE = 3
"""Tiles of a full column."""
OPEN_PHOTOS = 4
"""Photo cards that lie open while the deck lasts."""
STARTING_TILE_ROOM = 4
"""Manatees that a starting tile holds; any other tile holds one."""
PHOTOS_THAT_END = 5
"""Photo cards of a seat that trigger the end (heart-20); in its last turn it may take one more."""
HOME: Cell = (0, 0)
"""The starting tile's cell."""
START = -1
"""Stands for a kind of tile where the starting tile lies."""

DECISIONS = ("TAKE", "PLACE", "SWIM", "PHOTO", "SHARK")
PHASES = (*DECISIONS, "DRAW_FIRST", "DRAW_TILE", "DRAW_PHOTO", "ROLL_DIE", "OVER")
_SETUP = ("DRAW_FIRST", "DRAW_TILE", "DRAW_PHOTO", "ROLL_DIE")
_ACTION_OF = {"SWIM": "SWIM", "PHOTO": "PHOTO", "SHARK": "SHARK", "DRAW_PHOTO": "PHOTO", "ROLL_DIE": "SHARK"}
"""The action that is under way, in the phases that belong to one; setup apart."""
_SIDES = ("north", "east", "south", "west")

_TABLE = (
    *("phase", "first_player", "turn", "seats", "shark", "supply", "pile", "discards", "columns", "open_photos"),
    *("photo_deck", "die_face", "tile_in_hand", "action_column", "bonus", "refill_column", "swims_left", "swum"),
    *("swum_on_starting_tile", "nothing_placed_since_reshuffle", "trigger_seat", "turns_left"),
)
# The wire's field order, for the order of the faults. The messages' own orders do not contradict each other.
_FIELD_ORDER = (
    *("rules", "table", "referee", "seat_knowledge", *DEFAULT_RULES, *_TABLE),
    *("habitat", "photos", "tiles", "tile", "photo", "count", "seat", "cell", "rotation", "manatees", "x", "y"),
)
_FIELD_RANK = {name: rank for rank, name in enumerate(_FIELD_ORDER)}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A position that holds together. Lists have one entry a seat, a kind or a column, in their order."""

    phase: str
    """One of `PHASES`."""
    first_player: int | None
    """None in DRAW_FIRST, as `turn`."""
    turn: int | None
    habitats: list[list[tuple[int, int, int, int, int]]]
    """Of each seat (kind, x, y, fewest clockwise quarter turns, manatees) by row, then column.

    The kind of the starting tile is `START`.
    """
    photos: list[list[int]]
    """Of each seat the kinds of its photo cards, ascending."""
    shark: tuple[int, int, int] | None
    """(seat, x, y); None on the ocean board."""
    supply: int
    pile: list[int]
    """How many tiles of each kind."""
    discards: list[int]
    """How many tiles of each kind."""
    columns: list[list[int]]
    """Of each column the kinds of its tiles, the beach end first."""
    open_photos: list[int]
    """Kinds, ascending."""
    photo_deck: list[int]
    """How many photo cards of each kind."""
    die_face: int | None
    """None in setup."""
    tile_in_hand: int | None
    action_column: int | None
    bonus: bool
    refill_column: int | None
    swims_left: int
    swum: list[Cell]
    """By row, then column."""
    swum_on_starting_tile: int
    nothing_placed_since_reshuffle: bool
    trigger_seat: int | None
    turns_left: int
    observer: int | None
    """The seat that observes; None for a referee's position."""


def by_row(cell: Cell) -> Cell:
    """The key that sorts cells as answers list them: by row, then column."""
    x, y = cell
    return y, x


def check(
    position: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    seats: int,
    rules: Mapping[str, bool],
    observation: bool,
) -> Parsed:
    """Reads a position of a game with this sound catalogue and these rules: an observation, or a referee's position.

    `seats` is 2 to 4, `rules` has every option. All that the proto's comments and heart-22 demand is checked: ranges,
    which fields go with the phase, components that add up, habitats that fit and hang together, columns and open photo
    cards that have been refilled, swims, the trigger and the turns left, and the reason of an end. Components are
    counted with the pile and the photo deck last, so that one too many or too few there is a fault of theirs. What
    would need playing is not checked: whether a SWIM, PHOTO or SHARK has anything to choose.

    Raises `Malformed` with every fault found, in the order of the fields, at most 1,000. A fault that only follows
    from another one is left out: with an impossible phase, for example, no field is missed or too many.
    """
    reading = _Reading(catalogue, seats, rules, observation)
    try:
        parsed = reading.read(position)
    except Full:
        parsed = None
    if reading.faults.found or parsed is None:
        raise Malformed(reading.faults.in_field_order(_FIELD_RANK))
    return parsed


class _Placed(NamedTuple):
    """A tile in a habitat."""

    place: int
    """Its index in the list."""
    kind: int
    rotation: int
    word: int | None
    """Its edges as it lies; None when they cannot be known."""
    manatees: int


_Habitat = dict[Cell, _Placed]


class _Stock:
    """The components of one sort: how many of each kind are not accounted for yet."""

    def __init__(self, what: str, kinds: Sequence[Mapping[str, Any]]) -> None:
        self.what = what
        self.counts = [or_one(kind.get("count")) for kind in kinds]
        self.left = self.counts.copy()


class _Reading:
    """One position being read: first every field by itself, then what the fields say of each other.

    What is wrong stays None or is left out; checks that need it are passed over.
    """

    def __init__(self, catalogue: Mapping[str, Any], seats: int, rules: Mapping[str, bool], observation: bool) -> None:
        self.catalogue = catalogue
        self.seats = seats
        self.rules = rules
        self.observation = observation
        self.faults = Faults()
        self.wrong: set[str] = set()
        """Fields of the table, other than seats, with a fault."""
        self.tiles = _Stock("tile", catalogue["tiles"])
        self.photo_cards = _Stock("photo card", catalogue["photos"])
        self.setup: bool | None = None
        self.phase: str | None = None
        self.first_player: int | None = None
        self.turn: int | None = None
        self.habitats: list[_Habitat] = [{} for _ in range(seats)]
        self.habitat_sound = [False] * seats
        self.photos: list[list[int]] = [[] for _ in range(seats)]
        self.photos_sound = [False] * seats
        self.shark: tuple[int, Cell] | None = None
        self.supply: int | None = None
        self.pile: list[int] = []
        self.discards: list[int] = []
        self.columns: list[list[int]] = []
        self.open_photos: list[int] = []
        self.photo_deck: list[int] = []
        self.die_face: int | None = None
        self.tile_in_hand: int | None = None
        self.action_column: int | None = None
        self.bonus: bool | None = None
        self.refill_column: int | None = None
        self.swims_left: int | None = None
        self.swum: list[tuple[int, Cell]] = []
        """With the index of each in the list."""
        self.swum_on_starting_tile: int | None = None
        self.nothing_placed_since_reshuffle: bool | None = None
        self.trigger_seat: int | None = None
        self.turns_left: int | None = None
        self.observer: int | None = None

    def read(self, position: object) -> Parsed | None:
        faults = self.faults
        if not isinstance(position, Mapping):
            faults.add("", f"expected a mapping, not {shown(position)}")
            return None
        fields = faults.message(position, "", ("rules", "table", "referee", "seat_knowledge"), prefix="")
        self.read_rules(fields.get("rules"))
        table = fields.get("table")
        if table is None:
            faults.add("table", "expected the table")
        else:
            before = len(faults.found)
            values = faults.message(table, "table", _TABLE)
            if isinstance(table, Mapping):
                self.read_table(values)
                self.wrong = {_field(fault.path) for fault in faults.found[before:]}
                self.check_table()
        self.read_knowledge(fields)
        if faults.found:
            return None
        assert self.phase is not None
        return Parsed(
            phase=self.phase,
            first_player=self.first_player,
            turn=self.turn,
            habitats=[_listed(habitat) for habitat in self.habitats],
            photos=[sorted(photos) for photos in self.photos],
            shark=None if self.shark is None else (self.shark[0], *self.shark[1]),
            supply=self.supply or 0,
            pile=self.pile,
            discards=self.discards,
            columns=self.columns,
            open_photos=sorted(self.open_photos),
            photo_deck=self.photo_deck,
            die_face=self.die_face,
            tile_in_hand=self.tile_in_hand,
            action_column=self.action_column,
            bonus=bool(self.bonus),
            refill_column=self.refill_column,
            swims_left=self.swims_left or 0,
            swum=sorted((cell for _, cell in self.swum), key=by_row),
            swum_on_starting_tile=self.swum_on_starting_tile or 0,
            nothing_placed_since_reshuffle=bool(self.nothing_placed_since_reshuffle),
            trigger_seat=self.trigger_seat,
            turns_left=self.turns_left or 0,
            observer=self.observer,
        )

    def read_rules(self, value: object) -> None:
        """The rules are the game's own and may be absent; those that are given must be right."""
        rules = self.faults.message(value, "rules", tuple(DEFAULT_RULES))
        for name in DEFAULT_RULES:
            if rules.get(name) is None:
                continue
            given, ours = self.faults.flag(rules[name], f"rules.{name}"), self.rules[name]
            if given is not None and given != ours:
                self.faults.add(f"rules.{name}", f"the position is read as one of a game with {ours}, not {given}")

    def read_knowledge(self, fields: Mapping[str, Any]) -> None:
        faults = self.faults
        right, wrong = ("seat_knowledge", "referee") if self.observation else ("referee", "seat_knowledge")
        whose = "a seat's observation" if self.observation else "a referee's position"
        if fields.get(wrong) is not None:
            faults.add(wrong, f"expected {whose}: give {right} and not {wrong}")
        elif fields.get(right) is None:
            faults.add(right, f"expected {whose}: give {right}")
        knowledge = faults.message(fields.get(right), right, ("seat",) if self.observation else ())
        if self.observation and isinstance(fields.get(right), Mapping):
            self.observer = faults.integer(knowledge.get("seat"), f"{right}.seat", 0, self.seats - 1, "a seat")

    # Every field by itself.

    def read_table(self, table: Mapping[str, Any]) -> None:
        faults = self.faults
        self.phase = faults.choice(table.get("phase"), "table.phase", PHASES)
        self.first_player = self.optional(table, "first_player", self.seats, "a seat")
        self.turn = self.optional(table, "turn", self.seats, "a seat")
        self.read_seats(table.get("seats"))
        self.shark = self.read_shark(table.get("shark"))
        self.supply = faults.integer(table.get("supply"), "table.supply", 0, MANATEES - 2, "manatees")
        self.read_columns(table.get("columns"))
        self.open_photos = self.read_kinds(table.get("open_photos"), "table.open_photos", OPEN_PHOTOS, self.photo_cards)
        self.photo_deck = self.read_counts(table.get("photo_deck"), "table.photo_deck", "photo", self.photo_cards)
        self.die_face = self.optional(table, "die_face", len(self.catalogue["die_faces"]), "a kind of die face")
        self.tile_in_hand = self.optional(table, "tile_in_hand", len(self.tiles.counts), "a kind of tile")
        if self.tile_in_hand is not None:
            self.use(self.tiles, self.tile_in_hand, "table.tile_in_hand")
        self.discards = self.read_counts(table.get("discards"), "table.discards", "tile", self.tiles)
        self.pile = self.read_counts(table.get("pile"), "table.pile", "tile", self.tiles)
        self.action_column = self.optional(table, "action_column", COLUMNS, "a column")
        self.bonus = faults.flag(table.get("bonus"), "table.bonus")
        self.refill_column = self.optional(table, "refill_column", COLUMNS, "a column")
        # As many swims as icons, and no tile has more than four of those.
        self.swims_left = faults.integer(table.get("swims_left"), "table.swims_left", 0, 2 * 91 + 1, "swims")
        self.read_swum(table.get("swum"))
        self.swum_on_starting_tile = faults.integer(
            table.get("swum_on_starting_tile"), "table.swum_on_starting_tile", 0, STARTING_TILE_ROOM, "manatees"
        )
        self.nothing_placed_since_reshuffle = faults.flag(
            table.get("nothing_placed_since_reshuffle"), "table.nothing_placed_since_reshuffle"
        )
        self.trigger_seat = self.optional(table, "trigger_seat", self.seats, "a seat")
        self.turns_left = faults.integer(table.get("turns_left"), "table.turns_left", 0, self.seats, "turns")

    def optional(self, table: Mapping[str, Any], name: str, number: int, what: str) -> int | None:
        """A number below `number`; None when it is absent or wrong."""
        value = table.get(name)
        return None if value is None else self.faults.integer(value, f"table.{name}", 0, number - 1, what)

    def use(self, stock: _Stock, kind: int, path: str, number: int = 1) -> bool:
        """Accounts for components that are in a place; False, with a fault, when there are not so many."""
        if stock.left[kind] < number:
            total, others = stock.counts[kind], stock.counts[kind] - stock.left[kind]
            self.faults.add(path, f"there are {total} {stock.what}s of kind {kind}, and {others} are elsewhere")
            return False
        stock.left[kind] -= number
        return True

    def read_kind(self, value: object, path: str, stock: _Stock) -> int | None:
        kind = self.faults.integer(value, path, 0, len(stock.counts) - 1, f"a kind of {stock.what}")
        return kind if kind is not None and self.use(stock, kind, path) else None

    def read_kinds(self, value: object, path: str, most: int, stock: _Stock) -> list[int]:
        """A list of kinds of components."""
        entries = self.faults.array(value, path)
        if len(entries) > most:
            self.faults.add(path, f"expected at most {most} {stock.what}s, not {len(entries)}")
        kinds = [self.read_kind(entry, f"{path}[{i}]", stock) for i, entry in enumerate(entries)]
        return [kind for kind in kinds if kind is not None]

    def read_counts(self, value: object, path: str, name: str, stock: _Stock) -> list[int]:
        """A list of kinds with counts, as a count for each kind."""
        faults = self.faults
        counts = [0] * len(stock.counts)
        at: dict[int, int] = {}
        for i, entry in enumerate(faults.array(value, path)):
            here = f"{path}[{i}]"
            fields = faults.message(entry, here, (name, "count"))
            if entry is not None and not isinstance(entry, Mapping):
                continue
            kind = faults.integer(fields.get(name), f"{here}.{name}", 0, len(counts) - 1, f"a kind of {stock.what}")
            number = faults.integer(
                fields.get("count"), f"{here}.count", 1, sum(stock.counts), f"a number of {stock.what}s"
            )
            if kind is None or number is None:
                continue
            if at.setdefault(kind, i) != i:
                faults.add(f"{here}.{name}", f"expected each kind once; {kind} is {path}[{at[kind]}] too")
            elif self.use(stock, kind, f"{here}.count", number):
                counts[kind] = number
        return counts

    def read_columns(self, value: object) -> None:
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, "table.columns")
        if len(entries) != COLUMNS and len(faults.found) == before:
            faults.add("table.columns", f"expected {COLUMNS} columns, not {len(entries)}")
        for c, entry in enumerate(entries[:COLUMNS]):
            column = faults.message(entry, f"table.columns[{c}]", ("tiles",))
            self.columns.append(
                self.read_kinds(column.get("tiles"), f"table.columns[{c}].tiles", COLUMN_SIZE, self.tiles)
            )

    def read_shark(self, value: object) -> tuple[int, Cell] | None:
        if value is None:
            return None
        faults = self.faults
        shark = faults.message(value, "table.shark", ("seat", "cell"))
        if not isinstance(value, Mapping):
            return None
        seat = faults.integer(shark.get("seat"), "table.shark.seat", 0, self.seats - 1, "a seat")
        cell = faults.cell(shark.get("cell"), "table.shark.cell", REACH)
        return None if seat is None or cell is None else (seat, cell)

    def read_swum(self, value: object) -> None:
        at: dict[Cell, int] = {}
        for i, entry in enumerate(self.faults.array(value, "table.swum")):
            cell = self.faults.cell(entry, f"table.swum[{i}]", REACH)
            if cell == HOME:
                self.faults.add(f"table.swum[{i}]", "expected no starting tile: swum_on_starting_tile counts those")
            elif cell is not None and at.setdefault(cell, i) != i:
                self.faults.add(f"table.swum[{i}]", f"expected each cell once; it is table.swum[{at[cell]}] too")
        self.swum = [(i, cell) for cell, i in at.items()]

    # Seats.

    def read_seats(self, value: object) -> None:
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, "table.seats")
        if len(entries) != self.seats and len(faults.found) == before:
            faults.add("table.seats", f"expected {self.seats} entries, one a seat, not {len(entries)}")
        for s, entry in enumerate(entries[: self.seats]):
            seat = faults.message(entry, f"table.seats[{s}]", ("habitat", "photos"))
            if entry is not None and not isinstance(entry, Mapping):
                continue
            self.read_habitat(s, seat.get("habitat"), f"table.seats[{s}].habitat")
            before = len(faults.found)
            path = f"table.seats[{s}].photos"
            self.photos[s] = self.read_kinds(seat.get("photos"), path, PHOTOS_THAT_END + 1, self.photo_cards)
            self.photos_sound[s] = len(faults.found) == before

    def read_habitat(self, s: int, value: object, path: str) -> None:
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, path)
        if len(faults.found) > before:
            return
        habitat = self.habitats[s]
        all_cells = True
        for i, entry in enumerate(entries):
            cell, placed = self.read_placed(s, i, entry, f"{path}[{i}]")
            if cell is None or cell in habitat:
                # Where the tile really lies is not known, so nothing can be said of the others' connection.
                all_cells = False
                if cell is not None:
                    other = f"{path}[{habitat[cell].place}]"
                    faults.add(f"{path}[{i}].cell", f"expected a free cell; {cell[0]},{cell[1]} has {other}")
            else:
                habitat[cell] = placed
        if all_cells and HOME not in habitat:
            faults.add(path, f"expected the starting tile of seat {s} at 0,0")
        elif all_cells:
            self.check_connected(path, habitat)
        self.check_edges(path, habitat)
        self.habitat_sound[s] = len(faults.found) == before

    def read_placed(self, s: int, i: int, entry: object, path: str) -> tuple[Cell | None, _Placed]:
        """A tile and its cell, None if that is wrong; a tile with other faults is as right as can be."""
        faults = self.faults
        fields = faults.message(entry, path, ("tile", "cell", "rotation", "manatees"))
        if entry is not None and not isinstance(entry, Mapping):
            return None, _Placed(i, START, 0, None, 0)
        cell = faults.cell(fields.get("cell"), f"{path}.cell", REACH)
        tile = fields.get("tile")
        kind = None if tile is None or cell == HOME else self.read_kind(tile, f"{path}.tile", self.tiles)
        room = 1 if cell is not None and cell != HOME else STARTING_TILE_ROOM
        rotation = faults.integer(fields.get("rotation"), f"{path}.rotation", 0, 3, "clockwise quarter turns")
        manatees = faults.integer(fields.get("manatees"), f"{path}.manatees", 0, room, "manatees")
        word = None
        if cell == HOME:
            if tile is not None:
                faults.add(f"{path}.tile", "expected none: at 0,0 lies the starting tile")
            if rotation:
                faults.add(f"{path}.rotation", "expected 0: a starting tile is never turned")
            rotation = 0
            word = edges_word(self.catalogue["starting_tiles"][s]["edges"])
        elif tile is None and cell is not None:
            faults.add(f"{path}.tile", "expected a kind of tile; only the starting tile, at 0,0, has none")
        elif kind is not None and rotation is not None:
            rotation, word = _as_it_lies(tuple(self.catalogue["tiles"][kind]["edges"]), rotation)
        return cell, _Placed(i, START if kind is None else kind, rotation or 0, word, manatees or 0)

    def check_connected(self, path: str, habitat: _Habitat) -> None:
        """One fault for each group of tiles that does not hang together with the starting tile."""
        left = habitat.keys() - reached(habitat, HOME)
        while left:
            first = min(left, key=lambda cell: habitat[cell].place)
            here = f"{path}[{habitat[first].place}].cell"
            self.faults.add(here, "expected a cell that hangs together with the starting tile by shared edges")
            left -= reached(left, first)

    def check_edges(self, path: str, habitat: _Habitat) -> None:
        """One fault for each two touching edges that are not equal, at the later tile."""
        for tile, other, side in _touching(habitat):
            if tile.word is None or other.word is None:
                continue
            mine, theirs = _edge(tile.word, side), _edge(other.word, side ^ 2)
            if mine != theirs:
                if tile.place < other.place:
                    tile, other, side, mine, theirs = other, tile, side ^ 2, theirs, mine
                self.faults.add(
                    f"{path}[{tile.place}]",
                    f"expected touching edges to be equal: its {_SIDES[side]} edge has {ICONS[mine]}, "
                    f"and {path}[{other.place}] beside it {ICONS[theirs]}",
                )

    # What the fields say of each other.

    def add(self, where: str, message: str) -> None:
        """Notes a fault in a part of the table."""
        self.wrong.add(_field(f"table.{where}"))
        self.faults.add(f"table.{where}", message)

    def sound(self, *fields: str) -> bool:
        """Whether these fields of the table have no fault so far."""
        return self.wrong.isdisjoint(fields)

    def check_table(self) -> None:
        self.check_counts()
        self.check_manatees()
        self.check_shark()
        self.check_trigger()
        if not self.sound("phase"):
            return
        self.check_die()
        self.check_players()
        self.check_turn()
        self.check_refills()
        self.check_open_photos()
        self.check_swims()
        self.check_over()

    def check_counts(self) -> None:
        """Nothing is missing. What is too much has been told already, where it was."""
        if all(self.habitat_sound) and self.sound("columns", "tile_in_hand", "discards", "pile"):
            self.check_all_there(self.tiles, "pile")
        if all(self.photos_sound) and self.sound("open_photos", "photo_deck"):
            self.check_all_there(self.photo_cards, "photo_deck")

    def check_all_there(self, stock: _Stock, rest: str) -> None:
        missing = [f"{number} of kind {kind}" for kind, number in enumerate(stock.left) if number]
        if missing:
            more = f" and {len(missing) - 5} more kinds" if len(missing) > 5 else ""
            self.add(rest, f"expected more {stock.what}s here, which are nowhere: {', '.join(missing[:5])}{more}")

    def check_manatees(self) -> None:
        if not all(self.habitat_sound) or not self.sound("supply"):
            return
        expected = MANATEES - sum(tile.manatees for habitat in self.habitats for tile in habitat.values())
        if self.supply != expected:
            least = f"{expected}, which makes {MANATEES}" if expected >= 0 else f"at most {MANATEES} in all"
            self.add("supply", f"expected {least} with those in the habitats, not {self.supply}")

    def check_shark(self) -> None:
        if self.shark is None or not self.sound("shark") or not self.habitat_sound[self.shark[0]]:
            return
        seat, cell = self.shark
        tile = self.habitats[seat].get(cell)
        if tile is None or cell == HOME or tile.manatees:
            self.add("shark.cell", f"expected a tile of seat {seat}, not the starting tile, without a manatee")

    def check_trigger(self) -> None:
        if not all(self.photos_sound) or not self.sound("supply", "trigger_seat"):
            return
        most = max(len(photos) for photos in self.photos)
        trigger = self.trigger_seat
        if trigger is None:
            if self.supply == 0 or most >= PHOTOS_THAT_END:
                why = "the supply is 0" if self.supply == 0 else f"a seat has {PHOTOS_THAT_END} photo cards"
                self.add("trigger_seat", f"expected the seat that triggered the end: {why}")
            elif self.turns_left and self.sound("turns_left"):
                self.add("turns_left", "expected 0: the end has not been triggered")
            return
        if self.supply and len(self.photos[trigger]) < PHOTOS_THAT_END:
            reason = "none" if most < PHOTOS_THAT_END else f"a seat with {PHOTOS_THAT_END} photo cards"
            self.add(
                "trigger_seat", f"expected {reason}: the supply is not 0, and seat {trigger} has fewer photo cards"
            )
            return
        for s, photos in enumerate(self.photos):
            if s != trigger and len(photos) > PHOTOS_THAT_END:
                self.add(f"seats[{s}].photos", f"expected at most {PHOTOS_THAT_END}: seat {trigger} triggered the end")
        if self.turn is None or not self.sound("turn", "turns_left", "phase"):
            return
        expected = (trigger - self.turn) % self.seats
        # Nothing but the draw that replaces the fifth photo card comes between a trigger and the end of its turn.
        if self.phase == "DRAW_PHOTO" and self.supply and not expected and len(self.photos[trigger]) == PHOTOS_THAT_END:
            expected = self.seats
        if self.turns_left != expected:
            self.add("turns_left", f"expected {expected} after this one, not {self.turns_left}")

    def check_die(self) -> None:
        """The die's face is absent exactly in setup; then nothing has happened yet."""
        if not self.sound("die_face"):
            return
        if self.die_face is not None:
            if self.phase == "DRAW_FIRST":
                self.add("die_face", "expected none before the first player is drawn")
            else:
                self.setup = False
            return
        played = (
            self.phase not in _SETUP
            or any(len(habitat) > 1 for habitat in self.habitats)
            or any(self.photos)
            or self.shark is not None
            or any(self.discards)
            or self.tile_in_hand is not None
            or self.action_column is not None
        )
        if played:
            self.add("die_face", "expected the face that the die shows; only in setup there is none")
            return
        self.setup = True
        for s, habitat in enumerate(self.habitats):
            if self.habitat_sound[s] and habitat[HOME].manatees != 1:
                self.add(f"seats[{s}].habitat[{habitat[HOME].place}].manatees", "expected 1 in setup")

    def check_players(self) -> None:
        drawn = self.phase != "DRAW_FIRST"
        self.require("first_player", drawn, "the first player")
        self.require("turn", drawn, "the seat whose turn it is")
        if self.setup and self.sound("first_player", "turn") and self.turn != self.first_player:
            self.add("turn", f"expected {self.first_player}, the first player, in setup")

    def require(self, field: str, needed: bool | None, what: str, when: str = "") -> None:
        """One fault if a field is absent and needed, or there and not; None: either will do."""
        if needed is None or not self.sound(field) or (getattr(self, field) is not None) == needed:
            return
        self.add(field, f"expected {what if needed else 'none'} in {self.phase}{when}")

    def check_turn(self) -> None:
        """Which of the turn's own fields are there."""
        phase, setup = self.phase, self.setup
        self.require("refill_column", phase == "DRAW_TILE", "the column being filled")
        if setup is None:
            return
        either = phase == "OVER" or (phase == "DRAW_TILE" and not setup)
        self.require("tile_in_hand", None if either else phase == "PLACE", "the tile in hand")
        # Whether this turn's take has been made; None when it is not known.
        taken: bool | None = not setup and phase in ("PLACE", *_ACTION_OF)
        when = ""
        if phase == "TAKE":
            taken = self.bonus
            when = f" with{'' if taken else 'out'} bonus"
        elif phase == "DRAW_TILE" and not setup:
            taken = self.tile_in_hand is not None if self.sound("tile_in_hand") else None
            when = f" with{'' if taken else 'out'} a tile in hand"
        if self.bonus and (phase not in ("TAKE", "PLACE", "DRAW_TILE") or taken is False):
            self.add("bonus", f"expected false in {phase}{when}")
        self.require("action_column", taken, "the column of this turn's take", when)
        self.check_action()
        self.check_reshuffle()

    def check_action(self) -> None:
        """The action under way is that of the column, and a bonus is due."""
        assert self.phase is not None
        if self.action_column is not None and self.sound("action_column", "bonus"):
            action = "SHARK" if self.bonus else _ACTION_OF.get(self.phase)
            column = [name.removeprefix("HEART_ACTION_") for name in self.catalogue["actions"]]
            if action is not None and column[self.action_column] != action:
                when = " with bonus" if self.bonus else ""
                right = column.index(action)
                self.add("action_column", f"expected {right}, the column of {action}, in {self.phase}{when}")
        if not self.bonus or not self.sound("bonus", "die_face", "turn"):
            return
        assert self.turn is not None
        assert self.die_face is not None
        attractions = self.catalogue["die_faces"][self.die_face].get("attractions") or ()
        mine = self.habitats[self.turn]
        if not attractions:
            self.add("bonus", "expected false: the die shows Relocate")
        elif self.habitat_sound[self.turn] and not any(_icons(mine, icon_code(icon)) for icon in attractions):
            self.add("bonus", f"expected false: seat {self.turn} has no complete icon that the die shows")

    def check_reshuffle(self) -> None:
        if not self.nothing_placed_since_reshuffle:
            return
        if not self.rules["reshuffle_discards"]:
            self.add("nothing_placed_since_reshuffle", "expected false: this game has no reshuffle")
        elif self.setup:
            self.add("nothing_placed_since_reshuffle", "expected false in setup")
        elif self.phase in ("SWIM", "PHOTO", "SHARK", "DRAW_PHOTO") or (self.phase == "TAKE" and self.bonus):
            self.add("nothing_placed_since_reshuffle", f"expected false in {self.phase}: a tile has just been placed")

    def tiles_to_draw(self) -> bool:
        """Whether a tile can be drawn, perhaps after a reshuffle (heart-7)."""
        return any(self.pile) or (self.rules["reshuffle_discards"] and any(self.discards))

    def check_refills(self) -> None:
        if self.phase == "DRAW_TILE" and self.sound("pile") and not any(self.pile):
            self.add("pile", "expected a tile to draw")
        if not self.sound("columns", "refill_column") or self.setup is None:
            return
        if self.setup:
            self.check_setup_columns()
        elif self.phase == "DRAW_TILE":
            self.check_refill_column()
        elif self.phase in DECISIONS and self.sound("pile", "discards"):
            empty = [c for c, tiles in enumerate(self.columns) if not tiles]
            if self.tiles_to_draw():
                for c in empty:
                    self.add(f"columns[{c}].tiles", "expected tiles: there are some to fill the column with")
            elif self.phase == "TAKE" and len(empty) == COLUMNS:
                self.add("columns", "expected a tile to take")

    def check_setup_columns(self) -> None:
        """Columns are filled from left to right (heart-2)."""
        filling = self.refill_column
        if filling is None:
            filling = 0 if self.phase == "DRAW_FIRST" else COLUMNS
        for c, tiles in enumerate(self.columns):
            expected = COLUMN_SIZE if c < filling else 0
            if c == self.refill_column:
                self.check_room(c)
            elif len(tiles) != expected:
                self.add(f"columns[{c}].tiles", f"expected {expected} tiles at this point of the setup")

    def check_room(self, column: int) -> None:
        if len(self.columns[column]) >= COLUMN_SIZE:
            self.add(f"columns[{column}].tiles", f"expected fewer than {COLUMN_SIZE} tiles: the column is being filled")

    def check_refill_column(self) -> None:
        """A take refills its column at once; columns that stayed empty follow, the lowest first (heart-7)."""
        column = self.refill_column
        assert column is not None
        self.check_room(column)
        if not self.sound("tile_in_hand", "action_column", "bonus", "pile"):
            return
        in_hand = self.tile_in_hand is not None
        if in_hand and not self.bonus and column != self.action_column:
            self.add("refill_column", f"expected {self.action_column}, the column of this turn's take")
            return
        for c in range(COLUMNS if in_hand else column):
            if c != column and not self.columns[c]:
                why = "it would have been filled before the take" if in_hand else "the lowest empty one comes first"
                self.add(f"columns[{c}].tiles", f"expected tiles: {why}")

    def check_open_photos(self) -> None:
        if self.phase == "DRAW_PHOTO" and self.sound("photo_deck") and not any(self.photo_deck):
            self.add("photo_deck", "expected a photo card to draw")
        if not self.sound("open_photos", "photo_deck") or self.setup is None:
            return
        least = most = OPEN_PHOTOS
        if self.phase == "DRAW_PHOTO":
            least, most = 0 if self.setup else OPEN_PHOTOS - 1, OPEN_PHOTOS - 1
        elif self.setup and self.phase != "ROLL_DIE":
            least = most = 0
        elif not any(self.photo_deck):
            least = 0
        if not least <= len(self.open_photos) <= most:
            number = str(most) if least == most else f"{least} to {most}"
            point = "at this point of the setup" if self.setup else f"in {self.phase} while the deck has cards"
            self.add("open_photos", f"expected {number} photo cards {point}, not {len(self.open_photos)}")

    def check_swims(self) -> None:
        """Each swim of an action is one fewer left, by another manatee (heart-10)."""
        repeat = self.rules["repeat_swimmers"]
        if self.phase != "SWIM" or repeat:
            why = f"in {self.phase}" if self.phase != "SWIM" else "with repeat_swimmers"
            if self.swum and self.sound("swum"):
                self.add("swum", f"expected none {why}")
            if self.swum_on_starting_tile:
                self.add("swum_on_starting_tile", f"expected 0 {why}")
        if self.phase != "SWIM":
            if self.swims_left:
                self.add("swims_left", f"expected 0 in {self.phase}")
            return
        if not self.sound("turn"):
            return
        assert self.turn is not None
        mine = self.habitats[self.turn]
        if not self.habitat_sound[self.turn]:
            return
        for i, cell in self.swum:
            if cell not in mine or not mine[cell].manatees:
                self.add(f"swum[{i}]", f"expected a tile of seat {self.turn} with a manatee")
        if (self.swum_on_starting_tile or 0) > mine[HOME].manatees:
            self.add("swum_on_starting_tile", f"expected at most {mine[HOME].manatees}, the manatees there")
        if not self.sound("swims_left", "swum", "swum_on_starting_tile"):
            return
        made = len(self.swum) + (self.swum_on_starting_tile or 0)
        most = 1 + _icons(mine, icon_code("HEART_ICON_SWIM")) - made
        left = self.swims_left or 0
        if not 1 <= left <= most or (left != most and not repeat):
            number = f"1 to {most}" if repeat else f"{most}"
            self.add("swims_left", f"expected {number}: 1, and 1 for each complete swim icon, less those made")

    def check_over(self) -> None:
        """A game is over for one of three reasons (heart-8, heart-20, heart-23)."""
        needed = ("pile", "discards", "columns", "tile_in_hand", "nothing_placed_since_reshuffle", "trigger_seat")
        if self.phase != "OVER" or not self.sound(*needed, "turn", "turns_left"):
            return
        last_turn = self.trigger_seat is not None and self.turns_left == 0
        no_tiles = not any(self.columns) and not self.tiles_to_draw()
        nothing_placed = (
            bool(self.nothing_placed_since_reshuffle)
            and not any(self.pile)
            and any(self.discards)
            and any(len(tiles) < COLUMN_SIZE for tiles in self.columns)
        )
        if self.tile_in_hand is not None and not nothing_placed:
            self.add(
                "tile_in_hand", "expected none: only a reshuffle with nothing placed ends a turn before it is used"
            )
        elif not (last_turn or no_tiles or nothing_placed):
            self.add(
                "phase",
                "expected a reason for the end: the last turn after a trigger, no tile to take, or a second reshuffle "
                "with nothing placed",
            )


def _field(path: str) -> str:
    """The field of the table that a path leads into: "columns" of "table.columns[2].tiles"."""
    return path.removeprefix("table.").split(".")[0].split("[")[0]


@cache  # There are not many tiles.
def _as_it_lies(edges: tuple[str, ...], rotation: int) -> tuple[int, int]:
    """The fewest turns that make a tile look as after `rotation` turns, and the word of its edges then."""
    printed = edges_word(edges)
    return rotation % distinct_turns(printed), turned(printed, rotation)


def _edge(word: int, side: int) -> int:
    """The icon code on a side of a tile."""
    return word >> 4 * side & 7


def _touching(habitat: _Habitat) -> Iterable[tuple[_Placed, _Placed, int]]:
    """Every two tiles that share an edge, once, with the side of the first that it is on."""
    for (x, y), tile in habitat.items():
        for side in (1, 2):
            dx, dy = STEPS[side]
            other = habitat.get((x + dx, y + dy))
            if other is not None:
                yield tile, other, side


def _icons(habitat: _Habitat, icon: int) -> int:
    """Complete icons of a kind in a sound habitat (heart-19)."""
    return sum(tile.word is not None and _edge(tile.word, side) == icon for tile, _, side in _touching(habitat))


def _listed(habitat: _Habitat) -> list[tuple[int, int, int, int, int]]:
    """(kind, x, y, rotation, manatees) by row, then column."""
    return [
        (tile.kind, *cell, tile.rotation, tile.manatees)
        for cell, tile in sorted(habitat.items(), key=lambda item: by_row(item[0]))
    ]
