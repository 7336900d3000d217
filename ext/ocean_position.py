"""Reads positions of ocean: checks everything a position says about itself and gives it as plain Python values.

A position is a mapping with the field names of OceanPosition in advisor/v1/ocean.proto. Enums are short strings
("PICK", "LEFT"), commitments are notations ("pick 17") or None, and `revealed_card` is an int or None. As on the wire,
an absent field (or None) is its default: an empty list, 0, False, and (0, 0) for a cell.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ext import ocean_notation
from ext.errors import Malformed
from ext.ocean_notation import CARDS, REACH
from ext.reading import Cell, Faults, Full, is_list, shown

ROUNDS = 9
"""Picks, and so rounds, of a game; also the cards of a finished ocean."""
HAND = 10
"""Cards dealt to each seat."""
TARGETS = 8
"""Plain target cards, ids 0 to 7."""
PROMO = 8
"""The promo target's id."""
TARGETS_EACH = 2
"""Targets dealt to each seat."""

TOPOLOGIES = ("SQUARE", "SQUARE_DIAGONAL", "HEX")
PASSINGS = ("LEFT", "RIGHT", "ALTERNATE")
MATCHES = ("CONTAINED", "WHOLE_SHAPE")
PHASES = ("PICK", "PLACE", "OVER")

_NEIGHBOURS: dict[str, tuple[Cell, ...]] = {
    "SQUARE": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "SQUARE_DIAGONAL": ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)),
    "HEX": ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)),
}

# The wire's field order, for the order of the faults. The messages' own orders do not contradict each other.
# fmt: off
_FIELD_ORDER = (
    "rules", "table", "referee", "seat_knowledge", "round", "phase", "seat", "seats", "ocean", "hand_size",
    "committed", "revealed_card", "hand", "id", "about", "card", "cards", "targets", "promo_name", "commitment",
    "hands", "cell", "name", "scientific_name", "kind", "condition", "iucn_category", "note", "points", "square",
    "hex", "x", "y", "kinds",
)
# fmt: on
FIELD_RANK = {name: rank for rank, name in enumerate(_FIELD_ORDER)}
"""The rank of each field among the faults, for `Faults.in_field_order`."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A position that holds together. Lists have one entry a seat, in seat order."""

    round: int
    """1 to 9; 9 when the game is over."""
    phase: str
    """PICK, PLACE or OVER."""
    oceans: list[list[tuple[int, int, int]]]
    """(card, x, y) of each placed card: the one at (0, 0) first, each later one adjacent to an earlier one."""
    committed: list[bool]
    """Whether the seat has made this phase's choice."""
    revealed: list[int | None]
    """The card that waits for its placement; None outside PLACE."""
    hands: list[list[int]]
    """Ascending card ids: of a referee's position the whole hands, of an observation the known cards of each."""
    targets: list[list[int]]
    """Two target ids, as given; [] where there are none or they are unknown."""
    commitments: list[str | None]
    """The hidden choice in canonical notation; None where there is none or it is unknown."""
    observer: int | None
    """The seat that observes; None for a referee's position."""


def neighbours(topology: str) -> tuple[Cell, ...]:
    """The steps (dx, dy) from a cell to its adjacent cells (ocean-1): 4, 8 or 6. ValueError for no topology."""
    if topology not in _NEIGHBOURS:
        raise ValueError(f"expected {' or '.join(TOPOLOGIES)}")
    return _NEIGHBOURS[topology]


def direction(passing: str, round: int) -> str:
    """LEFT or RIGHT: which way hands pass after the pick of `round`, 1 to 8 (ocean-4). ValueError for no passing."""
    if passing == "ALTERNATE":
        return "LEFT" if round % 2 else "RIGHT"
    if passing not in PASSINGS:
        raise ValueError(f"expected {' or '.join(PASSINGS)}")
    return passing


def held(seats: int, passing: str, round: int, phase: str) -> list[set[int]]:
    """Who has held the hands: for the hand now in front of each seat, the seats that have held it so far.

    The present holder is one of them. `round` is 1 to 9. The phase changes nothing: hands pass between one round's
    last reveal and the next round's picks (ocean-3), and not after round 9 (ocean-5). ValueError for no passing.
    """
    if phase not in PHASES:
        raise ValueError(f"expected {' or '.join(PHASES)}")
    return [set(seats_of_hand) for seats_of_hand in _held(seats, passing, round)]


@lru_cache(maxsize=128)
def _held(seats: int, passing: str, round: int) -> tuple[frozenset[int], ...]:
    holders = tuple(frozenset({seat}) for seat in range(seats))
    for passed in range(1, round):
        step = 1 if direction(passing, passed) == "LEFT" else -1
        holders = tuple(holders[(seat - step) % seats] | {seat} for seat in range(seats))
    return holders


def by_row(cell: Cell) -> tuple[int, int]:
    """The key that sorts cells as answers list them: by row, then column."""
    x, y = cell
    return y, x


def is_free_neighbour(cells: Iterable[Cell], cell: Cell, topology: str) -> bool:
    """Whether `cell` is within -8 to 8, not one of `cells` and adjacent to at least one of them (ocean-2)."""
    taken = set(cells)
    x, y = cell
    if cell in taken or abs(x) > REACH or abs(y) > REACH:
        return False
    return any((x + dx, y + dy) in taken for dx, dy in neighbours(topology))


def check(
    position: Mapping[str, Any],
    *,
    seats: int,
    topology: str,
    passing: str,
    variant: str,
    promo: bool,
    observation: bool,
) -> Parsed:
    """Reads a position of a game with these rules: an observation, or else a referee's position.

    `seats` is 2 to 4, `topology` SQUARE, SQUARE_DIAGONAL or HEX, `passing` LEFT, RIGHT or ALTERNATE, `variant` "base"
    or "targets"; `promo` says that target 8 is in the game. Every rule of the proto's comments is checked: ranges, the
    counts that follow from round and phase, every card being in one place (the fault is at the later one: oceans
    before revealed cards before hands), connected oceans, legal commitments, and in an observation that the observer
    knows no hand that it has not held.

    Raises `Malformed` with every fault found, in the order of the fields, at most 1,000. A fault that only follows
    from another one is left out: with an impossible round, for example, no count is compared.
    """
    reading = _Reading(seats, topology, passing, variant, promo, observation)
    try:
        parsed = reading.read(position)
    except Full:
        parsed = None
    if reading.faults.found or parsed is None:
        raise Malformed(reading.faults.in_field_order(FIELD_RANK))
    return parsed


class _Reading:
    """One position being read. What is wrong stays None or is left out, so that later checks can pass over it."""

    def __init__(self, seats: int, topology: str, passing: str, variant: str, promo: bool, observation: bool) -> None:
        self.seats = seats
        self.topology = topology
        self.passing = passing
        self.with_targets = variant == "targets"
        self.promo = promo
        self.observation = observation
        self.faults = Faults()
        self.round: int | None = None
        self.phase: str | None = None
        # Both known and possible together: only then do counts follow from them.
        self.moment: tuple[int, str] | None = None
        self.cells: list[dict[Cell, int]] = [{} for _ in range(seats)]
        self.ocean_sound = [False] * seats
        self.revealed: list[int | None] = [None] * seats
        self.committed: list[bool | None] = [False] * seats
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.hand_sound = [False] * seats
        self.targets: list[list[int]] = [[] for _ in range(seats)]
        self.commitments: list[str | None] = [None] * seats
        self.observer: int | None = None
        # Where each card and target was first seen.
        self.card_at: dict[int, str] = {}
        self.target_at: dict[int, str] = {}

    def read(self, position: object) -> Parsed | None:
        faults = self.faults
        if not isinstance(position, Mapping):
            faults.add("", f"expected a mapping, not {shown(position)}")
            return None
        fields = faults.message(position, "", ("rules", "table", "referee", "seat_knowledge"), prefix="")
        self.read_rules(fields.get("rules"))
        table = fields.get("table")
        if table is None:
            # Round, phase and seats would each be missing too; and nothing hidden can be judged without them.
            faults.add("table", "expected the table")
        else:
            self.read_table(table)
        right, wrong = ("seat_knowledge", "referee") if self.observation else ("referee", "seat_knowledge")
        whose = "a seat's observation" if self.observation else "a referee's position"
        if fields.get(wrong) is not None:
            faults.add(wrong, f"expected {whose}: give {right} and not {wrong}")
        elif fields.get(right) is None:
            faults.add(right, f"expected {whose}: give {right}")
        if fields.get(right) is not None and table is not None:
            if self.observation:
                self.read_knowledge(fields[right])
            else:
                self.read_referee(fields[right])
        if faults.found:
            return None
        assert self.moment is not None
        return Parsed(
            round=self.moment[0],
            phase=self.moment[1],
            oceans=[[(card, x, y) for (x, y), card in cells.items()] for cells in self.cells],
            committed=[bool(committed) for committed in self.committed],
            revealed=self.revealed,
            hands=[sorted(hand) for hand in self.hands],
            targets=self.targets,
            commitments=self.commitments,
            observer=self.observer,
        )

    def read_rules(self, value: object) -> None:
        """The rules are the game's own and may be absent; those that are given must be right."""
        faults = self.faults
        flags = ("same_kind_sets", "mirror_targets", "promo", "no_category_counts")
        rules = faults.message(value, "rules", ("topology", "passing", "target_match", *flags))
        words: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
            ("topology", TOPOLOGIES, self.topology),
            ("passing", PASSINGS, self.passing),
            ("target_match", MATCHES, None),
        )
        for name, among, ours in words:
            if rules.get(name) in (None, "UNSPECIFIED"):
                continue
            given = faults.choice(rules[name], f"rules.{name}", among)
            if given is not None and ours is not None and given != ours:
                faults.add(f"rules.{name}", f"the position is read as one of a game with {ours}, not {given}")
        for name in flags:
            if rules.get(name) is None:
                continue
            on = faults.flag(rules[name], f"rules.{name}")
            if name == "promo" and on is not None and on != self.promo:
                faults.add("rules.promo", f"the position is read as one of a game with promo {self.promo}, not {on}")

    # The table.

    def read_table(self, value: object) -> None:
        faults = self.faults
        if not isinstance(value, Mapping):
            faults.message(value, "table", ())
            return
        table = faults.message(value, "table", ("round", "phase", "seats"))
        self.round = faults.integer(table.get("round"), "table.round", 1, ROUNDS, "a round")
        self.phase = faults.choice(table.get("phase"), "table.phase", PHASES)
        if self.round is not None and self.phase is not None:
            if self.phase == "PLACE" and self.round == 1:
                faults.add("table.phase", "expected PICK: the card of round 1 is placed without a decision")
            elif self.phase == "OVER" and self.round != ROUNDS:
                faults.add("table.round", f"expected {ROUNDS}: the game is over after round {ROUNDS} only")
            else:
                self.moment = self.round, self.phase
        before = len(faults.found)
        entries = faults.array(table.get("seats"), "table.seats")
        if len(entries) != self.seats and len(faults.found) == before:
            faults.add("table.seats", f"expected {self.seats} entries, one a seat, not {len(entries)}")
        seats = [
            faults.message(entry, f"table.seats[{s}]", ("ocean", "hand_size", "committed", "revealed_card", "targets"))
            for s, entry in enumerate(entries[: self.seats])
        ]
        readable = [entry is None or isinstance(entry, Mapping) for entry in entries[: self.seats]]
        for s, seat in enumerate(seats):
            if readable[s]:
                self.read_ocean(s, seat.get("ocean"))
        for s, seat in enumerate(seats):
            if readable[s]:
                self.read_revealed(s, seat.get("revealed_card"))
                self.read_hand_size(s, seat.get("hand_size"))
                self.read_committed(s, seat.get("committed"))
                opened = None if self.phase is None else self.phase == "OVER" and self.with_targets
                path = f"table.seats[{s}].targets"
                self.read_targets(s, seat.get("targets"), path, opened, "targets are secret until the game is over")
            else:
                self.committed[s] = None
        for s in range(len(seats), self.seats):
            self.committed[s] = None

    def read_ocean(self, s: int, value: object) -> None:
        faults = self.faults
        path = f"table.seats[{s}].ocean"
        before = len(faults.found)
        entries = faults.array(value, path)
        if len(faults.found) > before:
            return
        size = None
        if self.moment is not None:
            size = ROUNDS if self.moment[1] == "OVER" else self.moment[0] - 1
            if len(entries) != size:
                when = "when the game is over" if self.moment[1] == "OVER" else f"in round {self.moment[0]}"
                faults.add(path, f"expected {size} cards {when}, not {len(entries)}")
        at: dict[Cell, int] = {}
        cards: dict[int, int] = {}
        order: list[Cell] = []
        all_cells = True
        for i, entry in enumerate(entries):
            here = f"{path}[{i}]"
            quick = self.plain_card(entry, here, at)
            if quick is not None:
                cards[i] = quick[0]
                at[quick[1]] = i
                continue
            if entry is not None and not isinstance(entry, Mapping):
                faults.message(entry, here, ())
                all_cells = False
                continue
            placed = faults.message(entry, here, ("card", "cell"))
            card = self.read_card(placed.get("card"), f"{here}.card")
            if card is not None:
                cards[i] = card
            cell = faults.cell(placed.get("cell"), f"{here}.cell", REACH)
            if cell is None:
                all_cells = False
            elif cell in at:
                # Where the card really lies is not known, so nothing can be said of the others' connection.
                all_cells = False
                faults.add(f"{here}.cell", f"expected a free cell; {cell[0]},{cell[1]} has {path}[{at[cell]}]")
            else:
                at[cell] = i
        if all_cells and entries:
            if (0, 0) not in at:
                faults.add(path, "expected a card at 0,0: the first one")
            elif size is None or len(entries) >= size:
                # With a card too few, the missing one may be the bridge.
                order = self.check_connected(path, at)
        if len(faults.found) == before:
            self.ocean_sound[s] = True
            self.cells[s] = {cell: cards[at[cell]] for cell in order}

    def plain_card(self, entry: object, path: str, at: Mapping[Cell, int]) -> tuple[int, Cell] | None:
        """Reads a placed card with which everything is plain and right; None, with nothing noted, of any other."""
        if type(entry) is not dict or len(entry) != 2:
            return None
        card, place = entry.get("card"), entry.get("cell")
        if type(card) is not int or type(place) is not dict or len(place) != 2:
            return None
        x, y = place.get("x"), place.get("y")
        if type(x) is not int or type(y) is not int or abs(x) > REACH or abs(y) > REACH or (x, y) in at:
            return None
        if not 0 <= card < CARDS or card in self.card_at:
            return None
        self.card_at[card] = f"{path}.card"
        return card, (x, y)

    def check_connected(self, path: str, at: dict[Cell, int]) -> list[Cell]:
        """The cells that hang together with the first card; one fault for each group that does not."""
        order = _reached(at, (0, 0), self.topology)
        left = set(at).difference(order)
        while left:
            first = min(left, key=at.__getitem__)
            message = f"expected a cell that hangs together with the card at 0,0 in {self.topology}"
            self.faults.add(f"{path}[{at[first]}].cell", message)
            left.difference_update(_reached(left, first, self.topology))
        return order

    def read_card(self, value: object, path: str) -> int | None:
        """A card that is nowhere else so far."""
        card = self.faults.integer(value, path, 0, CARDS - 1, "a card")
        if card is None:
            return None
        if card in self.card_at:
            self.faults.add(path, f"card {card} is already at {self.card_at[card]}; every card is in one place")
            return None
        self.card_at[card] = path
        return card

    def read_revealed(self, s: int, value: object) -> None:
        path = f"table.seats[{s}].revealed_card"
        if value is None:
            if self.phase == "PLACE" and self.moment is not None:
                self.faults.add(path, "expected the card that this seat has to place")
        elif self.phase in ("PICK", "OVER"):
            self.faults.add(path, f"expected no revealed card in {self.phase}")
        else:
            self.revealed[s] = self.read_card(value, path)

    def hand_size(self) -> int | None:
        """Cards of each hand at this moment, or None when the moment is not known."""
        if self.moment is None:
            return None
        round, phase = self.moment
        return {"PICK": HAND + 1 - round, "PLACE": HAND - round, "OVER": 1}[phase]

    def read_hand_size(self, s: int, value: object) -> None:
        path = f"table.seats[{s}].hand_size"
        given = self.faults.integer(value, path, 0, HAND, "a number of cards")
        size = self.hand_size()
        if given is not None and size is not None and given != size:
            assert self.moment is not None
            self.faults.add(path, f"expected {size} in {self.moment[1]} of round {self.moment[0]}, not {given}")

    def read_committed(self, s: int, value: object) -> None:
        path = f"table.seats[{s}].committed"
        self.committed[s] = self.faults.flag(value, path)
        if self.committed[s] and self.phase == "OVER":
            self.faults.add(path, "expected false: nothing is owed when the game is over")
            self.committed[s] = None

    def read_targets(self, s: int, value: object, path: str, needed: bool | None, otherwise: str) -> None:
        """Two targets that nobody else holds if `needed`, else none; None: either."""
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, path)
        if len(faults.found) > before:
            return
        if needed is False or (needed is None and not entries):
            if entries:
                faults.add(path, f"expected none: {otherwise if self.with_targets else 'this game has no targets'}")
            return
        if len(entries) != TARGETS_EACH:
            faults.add(path, f"expected {TARGETS_EACH} target ids, not {len(entries)}")
        mine = []
        for i, entry in enumerate(entries):
            here = f"{path}[{i}]"
            target = faults.integer(entry, here, 0, TARGETS if self.promo else TARGETS - 1, "a target")
            if target is None:
                continue
            if target in self.target_at:
                faults.add(here, f"target {target} is already at {self.target_at[target]}; each is there once")
                continue
            self.target_at[target] = here
            mine.append(target)
        self.targets[s] = mine

    # What is hidden.

    def read_referee(self, value: object) -> None:
        faults = self.faults
        before = len(faults.found)
        referee = faults.message(value, "referee", ("seats",))
        if not isinstance(value, Mapping):
            return
        entries = faults.array(referee.get("seats"), "referee.seats")
        if len(faults.found) > before and not entries:
            return
        if len(entries) != self.seats:
            faults.add("referee.seats", f"expected {self.seats} entries, one a seat, not {len(entries)}")
        for s, entry in enumerate(entries[: self.seats]):
            path = f"referee.seats[{s}]"
            secrets = faults.message(entry, path, ("hand", "targets", "commitment"))
            if entry is not None and not isinstance(entry, Mapping):
                continue
            self.read_hand(s, secrets.get("hand"), f"{path}.hand", self.hand_size(), self.hand_size())
            self.read_secret_targets(s, secrets.get("targets"), f"{path}.targets")
            self.read_commitment(s, secrets.get("commitment"), f"{path}.commitment")
        if self.phase in ("PICK", "PLACE") and all(self.committed):
            faults.add("table.seats", "expected a seat that has not committed: once all have, the choices are revealed")

    def read_knowledge(self, value: object) -> None:
        faults = self.faults
        knowledge = faults.message(value, "seat_knowledge", ("seat", "targets", "commitment", "hands"))
        if not isinstance(value, Mapping):
            return
        self.observer = faults.integer(knowledge.get("seat"), "seat_knowledge.seat", 0, self.seats - 1, "a seat")
        before = len(faults.found)
        entries = faults.array(knowledge.get("hands"), "seat_knowledge.hands")
        if len(entries) != self.seats and len(faults.found) == before:
            faults.add("seat_knowledge.hands", f"expected {self.seats} entries, one a seat, not {len(entries)}")
        holders = None
        if self.moment is not None and self.observer is not None:
            holders = held(self.seats, self.passing, *self.moment)
        for s, entry in enumerate(entries[: self.seats]):
            known = faults.message(entry, f"seat_knowledge.hands[{s}]", ("cards",))
            if entry is not None and not isinstance(entry, Mapping):
                continue
            path = f"seat_knowledge.hands[{s}].cards"
            size = self.hand_size()
            if s == self.observer:
                self.read_hand(s, known.get("cards"), path, size, size)
            elif holders is None or self.observer in holders[s]:
                self.read_hand(s, known.get("cards"), path, 0, size)
            elif is_list(known.get("cards")) and len(known["cards"]) > 0:
                faults.add(path, f"expected none: seat {self.observer} has not held this hand")
            else:
                faults.array(known.get("cards"), path)
        if self.observer is None:
            # Whose they are is not known; that they are readable can still be said.
            if self.moment is not None:
                self.read_secret_targets(0, knowledge.get("targets"), "seat_knowledge.targets")
            return
        self.read_secret_targets(self.observer, knowledge.get("targets"), "seat_knowledge.targets")
        self.read_commitment(self.observer, knowledge.get("commitment"), "seat_knowledge.commitment")

    def read_hand(self, s: int, value: object, path: str, least: int | None, most: int | None) -> None:
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, path)
        if len(faults.found) > before:
            return
        if least is not None and most is not None and not least <= len(entries) <= most:
            expected = f"{most} cards" if least == most else f"at most {most} cards"
            faults.add(path, f"expected {expected}, not {len(entries)}")
        cards = [self.read_card(entry, f"{path}[{i}]") for i, entry in enumerate(entries)]
        self.hands[s] = [card for card in cards if card is not None]
        self.hand_sound[s] = len(faults.found) == before and most is not None

    def read_secret_targets(self, s: int, value: object, path: str) -> None:
        needed = None if self.phase is None else self.phase != "OVER" and self.with_targets
        if not self.with_targets:
            needed = False
        # Over: the open ones on the table stay.
        if self.phase == "OVER" or self.phase is None:
            mine = self.targets[s]
            self.read_targets(s, value, path, needed, "they are open on the table now")
            self.targets[s] = mine
        else:
            self.read_targets(s, value, path, needed, "they are open on the table now")

    def read_commitment(self, s: int, value: object, path: str) -> None:
        faults = self.faults
        committed = self.committed[s]
        if value is None:
            if committed:
                faults.add(path, f"expected the choice that seat {s} has committed")
            return
        if committed is False:
            faults.add(path, f"expected none: seat {s} has not committed")
            return
        if not isinstance(value, str):
            faults.add(path, f"expected a move's notation, not {shown(value)}")
            return
        try:
            move = ocean_notation.parse(value)
        except ValueError as error:
            faults.add(path, str(error))
            return
        if self.phase not in ("PICK", "PLACE"):
            return
        if move[0] != self.phase.lower():
            faults.add(path, f"expected a {self.phase.lower()} in {self.phase}")
            return
        if move[0] == "pick":
            if self.hand_sound[s] and move[1] not in self.hands[s]:
                faults.add(path, f"expected a card of the hand; {move[1]} is not in it")
                return
            self.commitments[s] = ocean_notation.pick(move[1])
        else:
            x, y = move[1], move[2]
            if self.ocean_sound[s] and not is_free_neighbour(self.cells[s], (x, y), self.topology):
                faults.add(path, f"expected a free cell adjacent to an own card; {x},{y} is not")
                return
            self.commitments[s] = ocean_notation.place(x, y)


def _reached(cells: Iterable[Cell], start: Cell, topology: str) -> list[Cell]:
    """The cells that hang together with `start`, from it outwards: in one order, however the cells are listed."""
    left = set(cells) - {start}
    reached = [start]
    steps = neighbours(topology)
    for x, y in reached:
        for dx, dy in steps:
            cell = x + dx, y + dy
            if cell in left:
                left.remove(cell)
                reached.append(cell)
    return reached
