"""Reads positions of sanctuary: checks everything a position says about itself and gives it as plain Python values.

A position is a mapping with the field names of SanctuaryPosition in advisor/v1/sanctuary.proto. Enums are short strings
("PLAY", "ROUND_ROBIN"), commitments are notations ("split 3,17") or None. As on the wire, an absent field (or None) is
its default: an empty list, 0, False, no manatees, and (0, 0) for a cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ext import sanctuary_notation
from ext.errors import Malformed
from ext.reading import Faults, Full, shown
from ext.sanctuary_layout import HOME, START, UNKNOWN, Laid, explain, half_of, legal_order
from ext.sanctuary_notation import COLOURS, REACH
from ext.sanctuary_tables import (
    BAG,
    CHOICES,
    DEALT,
    DEFAULT_RULES,
    MEALS,
    MOST_FOOD,
    MOST_POINTS,
    ROUNDS,
    SPACES,
    STARTING_SCORE,
    SoloTrack,
    edition_of,
    editions,
    or_one,
    solo_track,
)

MOST_HAND = 8
"""A draft brings 2 to 8 cards: a stack of another and what comes back of the own two, 1 to 4 each (sanctuary-4)."""
LEAST_HAND = 2
MOST_STACK = 4
MOST_DRAWS = 49
"""Nine icons and a draw more for each of 40 yellow manatees (sanctuary-7)."""
PHASES = (
    *("SPLIT", "CHOOSE", "PICK", "DISCARD", "PLAY", "RETURN", "FEED"),
    *("DRAW_BONUS", "DRAW_CARD", "DRAW_MANATEE", "OVER"),
)
_SEATED = ("PLAY", "DRAW_MANATEE", "RETURN", "FEED")
"""Phases in which a seat that decides, or for which is drawn, is named."""
_HANDS_OUT = ("PLAY", "DRAW_MANATEE", "RETURN")
"""Phases in which the draft is over and cards are left to play."""
_PLAYED = (*_HANDS_OUT, "FEED", "OVER")
"""Phases after the draft."""
_HIDDEN = {"SPLIT": "split", "CHOOSE": "keep"}
"""What is committed, in the phases in which decisions are hidden."""
_DISCARDING = ("POWER_CAP", "WEAK_CUT")
"""Challenges in which cards of the hand are discarded."""

_RULES = tuple(DEFAULT_RULES)
_TABLE = (
    *("round", "phase", "turn", "seats", "bags", "newcomers", "draws_left", "bonuses", "drawn", "discards", "token"),
    *("strongest_discarded", "sent_back"),
)
_SEAT = ("score", "food", "manatees", "sanctuary", "tops", "hand_size", "committed", "smaller_stack")
_PLACED = ("card", "cell", "rotation")
_SECRETS = ("hand", "commitment", "made", "left_hand", "right_hand")
_KNOWLEDGE = ("seat", "hand", "commitment", "made", "offered", "left_hand", "right_hand")
_STACKS = ("smaller", "larger")
_CELL = ("x", "y")
# The wire's field order, for the order of the faults. The messages' own orders do not contradict each other.
_FIELD_ORDER = (
    *("rules", "table", "referee", "seat_knowledge", *_RULES, "seat", "round", "phase", "turn", *_SEAT, "seats"),
    *("bags", "newcomers", *_TABLE[_TABLE.index("draws_left") :], "card", "cell", "rotation", *COLOURS),
    *("hand", "commitment", "made", "offered", "left_hand", "right_hand", *_STACKS, "x", "y"),
)
_FIELD_RANK = {name: rank for rank, name in enumerate(_FIELD_ORDER)}

Manatees = tuple[int, int, int]
"""Gray, pink and yellow ones."""
Stacks = tuple[list[int], list[int]]
"""The kinds of the cards of the smaller and of the larger stack, ascending."""
_NOBODY: Manatees = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class ParsedSeat:
    """What a position that holds together says of one seat."""

    score: int
    food: int
    manatees: Manatees
    """Housed ones."""
    sanctuary: list[tuple[int, int, int, int]]
    """(card, x, y, fewest clockwise quarter turns) without the starting tile, in an order of legal placements.

    The order depends on the sanctuary alone, not on the order in which its cards are given.
    """
    tops: list[int]
    """Ascending."""
    hand: list[int]
    """Ascending; in an observation empty but for the observer."""
    hand_size: int
    committed: bool
    commitment: str | None
    """In canonical notation; None where there is none or it is unknown."""
    smaller_stack: int
    """0 outside CHOOSE."""
    made: Stacks | None
    """The stacks that the seat has made, in CHOOSE; None where they are unknown."""
    left_hand: list[int]
    """Cards that the seat knows of its left neighbour's hand, ascending; empty where that is unknown."""
    right_hand: list[int]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A position that holds together."""

    round: int
    """1 to 3."""
    phase: str
    """One of `PHASES`."""
    turn: int | None
    """The seat that decides or for which is drawn; None where it is nobody's turn."""
    seats: list[ParsedSeat]
    bags: list[Manatees]
    """One, in Scramble two."""
    newcomers: Manatees
    draws_left: int
    bonuses: list[int]
    """Kinds, for rounds 1, 2 and 3."""
    drawn: list[int]
    """Ascending."""
    discards: list[int]
    """Ascending."""
    token: int
    strongest_discarded: bool
    sent_back: bool
    observer: int | None
    """The seat that observes; None for a referee's position."""
    offered: Stacks | None
    """The stacks offered to the observer, where it has seen them."""
    deck: list[int]
    """How many cards of each kind lie nowhere that the position shows.

    These are the deck, in an observation with the cards that the observer does not know of others' hands and stacks.
    """


def check(
    position: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    seats: int,
    rules: Mapping[str, Any],
    variant: str,
    observation: bool,
) -> Parsed:
    """Reads a position of a game with this sound catalogue and these rules: an observation, or a referee's position.

    `rules` has every option; they, `seats` and `variant` ("base", "solo" or "scramble") go together. All that the
    proto's comments demand is checked: ranges, which fields go with the phase, cards and manatees that add up, as many
    cards a seat as its drafts can have brought, sanctuaries that legal placements lead to, manatees that have room,
    newcomers and draws that the top just played brings, that there is something to decide or to draw, and that nobody
    knows more of a hand than the draft has shown. Cards are counted in the order of the fields, so that one too many is
    a fault of the last place. An observation may say that every seat has committed, when what they have chosen has
    still to be reported; a referee's position may not, for it shows the choices at once.

    Not checked is what would need the past: points and food beyond their ranges, the bags' shares in Scramble, in which
    order the seats have come to play their cards, and by which stacks the cards have come to the seats.

    Raises `Malformed` with every fault found, in the order of the fields, at most 1,000. A fault that only follows
    from another one is left out: with an impossible phase, for example, no field is missed or too many.
    """
    reading = _Reading(catalogue, seats, rules, variant, observation)
    try:
        parsed = reading.read(position)
    except Full:
        parsed = None
    if reading.faults.found or parsed is None:
        raise Malformed(reading.faults.in_field_order(_FIELD_RANK))
    return parsed


@dataclass(slots=True)
class _Seat:
    """What has been read of one seat. What is wrong, or not read, is None or left out."""

    score: int | None = None
    food: int | None = None
    manatees: Manatees | None = None
    laid: list[tuple[int, int, int, int]] | None = None
    """As `ParsedSeat.sanctuary`."""
    spaces: int = 0
    doubles: int = 0
    """Yellow manatees that find their two spaces on one card."""
    tops: list[int] | None = None
    hand_size: int | None = None
    committed: bool | None = None
    smaller_stack: int | None = None
    hand: list[int] | None = None
    commitment: str | None = None
    made: Stacks | None = None
    left_hand: list[int] = field(default_factory=list)
    right_hand: list[int] = field(default_factory=list)

    @property
    def played(self) -> int | None:
        """Cards played; None if that is not known."""
        return None if self.tops is None or self.laid is None else len(self.tops) + len(self.laid)

    def houses(self, manatees: Manatees, pooled: bool) -> bool:
        """Whether a sanctuary that is sound has room for these manatees (sanctuary-10)."""
        gray, pink, yellow = manatees
        if SPACES[0] * gray + SPACES[1] * pink + SPACES[2] * yellow > self.spaces:
            return False
        return pooled or yellow <= self.doubles


class _Reading:
    """One position being read: first every field by itself, then what the fields say of each other.

    Sound values are taken up without building their paths, which would cost more than the checks; whatever is odd
    about a value is told by the slower ways of `Faults`. What is wrong stays None or is left out; checks that need it
    are passed over.
    """

    def __init__(
        self, catalogue: Mapping[str, Any], seats: int, rules: Mapping[str, Any], variant: str, observation: bool
    ) -> None:
        self.catalogue = catalogue
        self.seats = seats
        self.rules = rules
        self.variant = variant
        self.solo = variant == "solo"
        self.challenge: str = rules["challenge"]
        self.observation = observation
        self.faults = Faults()
        self.editions = editions(catalogue, variant)
        self.cards: list[Mapping[str, Any]] = [card for edition in self.editions for card in edition["cards"]]
        self.left = [or_one(card.get("count")) for card in self.cards]
        """How many cards of each kind are not accounted for yet."""
        self.all_manatees: Manatees = (
            BAG[0] * len(self.editions),
            BAG[1] * len(self.editions),
            BAG[2] * len(self.editions),
        )
        self.track: SoloTrack | None = solo_track(catalogue) if self.solo else None
        self.round: int | None = None
        self.phase: str | None = None
        self.turn: int | None = None
        self.seat = [_Seat() for _ in range(seats)]
        self.bags: list[Manatees] | None = None
        self.newcomers: Manatees | None = None
        self.draws_left: int | None = None
        self.bonuses: list[int] | None = None
        self.drawn: list[int] | None = None
        self.discards: list[int] | None = None
        self.token: int | None = None
        self.strongest_discarded: bool | None = None
        self.sent_back: bool | None = None
        self.observer: int | None = None
        self.offered: Stacks | None = None

    def read(self, position: object) -> Parsed | None:
        faults = self.faults
        if not isinstance(position, Mapping):
            faults.add("", f"expected a mapping, not {shown(position)}")
            return None
        fields = faults.message(position, "", ("rules", "table", "referee", "seat_knowledge"), prefix="")
        self.read_rules(fields.get("rules"))
        table = fields.get("table")
        if table is None:
            # Phase and seats would each be missing too; and nothing hidden can be judged without them.
            faults.add("table", "expected the table")
        elif isinstance(table, Mapping):
            self.read_table(faults.message(table, "table", _TABLE))
            self.check_table()
        else:
            faults.message(table, "table", ())
        self.read_hidden(fields, isinstance(table, Mapping))
        return None if faults.found else self.parsed()

    def parsed(self) -> Parsed:
        """What has been read, when nothing is wrong with it."""
        assert self.round is not None
        assert self.phase is not None
        return Parsed(
            round=self.round,
            phase=self.phase,
            turn=self.turn,
            seats=[
                ParsedSeat(
                    score=seat.score or 0,
                    food=seat.food or 0,
                    manatees=seat.manatees or _NOBODY,
                    sanctuary=seat.laid or [],
                    tops=sorted(seat.tops or ()),
                    hand=sorted(seat.hand or ()),
                    hand_size=seat.hand_size or 0,
                    committed=bool(seat.committed),
                    commitment=seat.commitment,
                    smaller_stack=seat.smaller_stack or 0,
                    made=seat.made,
                    left_hand=sorted(seat.left_hand),
                    right_hand=sorted(seat.right_hand),
                )
                for seat in self.seat
            ],
            bags=self.bags or [],
            newcomers=self.newcomers or _NOBODY,
            draws_left=self.draws_left or 0,
            bonuses=self.bonuses or [],
            drawn=sorted(self.drawn or ()),
            discards=sorted(self.discards or ()),
            token=self.token or 0,
            strongest_discarded=bool(self.strongest_discarded),
            sent_back=bool(self.sent_back),
            observer=self.observer,
            offered=self.offered,
            deck=self.left,
        )

    def read_rules(self, value: object) -> None:
        """The rules are the game's own and may be absent; those that are given must be right."""
        if value is None:
            return
        faults = self.faults
        rules = faults.message(value, "rules", _RULES)
        for name in _RULES:
            given, ours, path = rules.get(name), self.rules[name], f"rules.{name}"
            if given is None or (given == "UNSPECIFIED" and name in CHOICES):
                continue
            before = len(faults.found)
            if name in CHOICES:
                faults.choice(given, path, CHOICES[name])
            elif type(ours) is int:
                faults.integer(given, path, 0, 999, "food")
            else:
                faults.flag(given, path)
            if len(faults.found) == before and given != ours:
                faults.add(path, f"the position is read as one of a game with {ours}, not {given}")

    # Every field by itself.

    def read_table(self, table: Mapping[str, Any]) -> None:
        faults = self.faults
        self.round = faults.integer(table.get("round"), "table.round", 1, ROUNDS, "a round")
        self.read_phase(table.get("phase"))
        turn = table.get("turn")
        if turn is not None:
            self.turn = faults.integer(turn, "table.turn", 0, self.seats - 1, "a seat")
        if self.phase is not None and (turn is not None) != (self.phase in _SEATED):
            self.turn = None
            wanted = "none" if turn is not None else "the seat whose turn it is"
            faults.add("table.turn", f"expected {wanted} in {self.phase}")
        for s, entry in enumerate(self.entries(table.get("seats"), "table.seats", self.seats, "one a seat")):
            self.read_seat(s, entry)
        before = len(faults.found)
        bags = [
            self.read_manatees(entry, f"table.bags[{b}]")
            for b, entry in enumerate(self.entries(table.get("bags"), "table.bags", len(self.editions), "one a bag"))
        ]
        if len(faults.found) == before:
            self.bags = [bag for bag in bags if bag is not None]
        self.newcomers = self.read_manatees(table.get("newcomers"), "table.newcomers")
        self.draws_left = faults.integer(table.get("draws_left"), "table.draws_left", 0, MOST_DRAWS, "draws")
        self.bonuses = self.read_bonuses(table.get("bonuses"))
        self.drawn = self.read_cards(table.get("drawn"), "table.drawn")
        self.discards = self.read_cards(table.get("discards"), "table.discards")
        lowest, highest = (0, 0) if self.track is None else (self.track.lowest, self.track.highest)
        steps = "0 outside solo" if self.track is None else "steps along the track"
        self.token = faults.integer(table.get("token"), "table.token", lowest, highest, steps)
        self.strongest_discarded = faults.flag(table.get("strongest_discarded"), "table.strongest_discarded")
        self.sent_back = faults.flag(table.get("sent_back"), "table.sent_back")

    def entries(self, value: object, path: str, number: int, which: str) -> Sequence[Any]:
        """A list that has to have so many entries; no more than that are read."""
        before = len(self.faults.found)
        entries = self.faults.array(value, path)
        if len(entries) != number and len(self.faults.found) == before:
            self.faults.add(path, f"expected {number}, {which}, not {len(entries)}")
        return entries[:number]

    def read_phase(self, value: object) -> None:
        """The phase; None if this game, or this round, does not have it."""
        phase = self.faults.choice(value, "table.phase", PHASES)
        why = ""
        if phase in ("SPLIT", "CHOOSE") and self.solo:
            why = "in solo"
        elif phase == "PICK" and not self.solo:
            why = "outside solo"
        elif phase == "DISCARD" and self.challenge not in _DISCARDING:
            why = f"without the challenge {' or '.join(_DISCARDING)}"
        elif phase == "DRAW_BONUS" and not self.rules["round_bonuses"]:
            why = "without round_bonuses"
        if why:
            self.faults.add("table.phase", f"expected no {phase} {why}")
        elif phase == "DRAW_BONUS" and self.round is not None and self.round > 1:
            self.faults.add("table.round", "expected 1 in DRAW_BONUS: all bonus cards are drawn before the first deal")
            self.round = None
        else:
            self.phase = phase

    def read_seat(self, s: int, entry: object) -> None:
        faults = self.faults
        path = f"table.seats[{s}]"
        fields = faults.message(entry, path, _SEAT)
        if fields is not entry and entry is not None:
            return  # No mapping at all.
        seat = self.seat[s]
        least = 0 if self.rules["floor_score_at_zero"] else -MOST_POINTS
        seat.score = faults.integer(fields.get("score"), f"{path}.score", least, MOST_POINTS, "points")
        most = self.rules["food_cap"] or MOST_FOOD
        seat.food = faults.integer(fields.get("food"), f"{path}.food", 0, most, "food")
        seat.manatees = self.read_manatees(fields.get("manatees"), f"{path}.manatees")
        self.read_sanctuary(s, fields.get("sanctuary"), f"{path}.sanctuary")
        seat.tops = self.read_cards(fields.get("tops"), f"{path}.tops")
        seat.hand_size = faults.integer(fields.get("hand_size"), f"{path}.hand_size", 0, MOST_HAND, "cards")
        seat.committed = faults.flag(fields.get("committed"), f"{path}.committed")
        seat.smaller_stack = faults.integer(fields.get("smaller_stack"), f"{path}.smaller_stack", 0, 2, "cards")

    def read_manatees(self, value: object, path: str) -> Manatees | None:
        """Numbers by colour, each at most as many as there are."""
        most = self.all_manatees
        if type(value) is dict and len(value) == len(COLOURS):
            gray, pink, yellow = value.get("gray"), value.get("pink"), value.get("yellow")
            if (
                (type(gray) is int and 0 <= gray <= most[0])
                and (type(pink) is int and 0 <= pink <= most[1])
                and (type(yellow) is int and 0 <= yellow <= most[2])
            ):
                return gray, pink, yellow
        faults = self.faults
        before = len(faults.found)
        fields = faults.message(value, path, COLOURS)
        gray, pink, yellow = (
            faults.integer(fields.get(colour), f"{path}.{colour}", 0, all_, "manatees")
            for colour, all_ in zip(COLOURS, most, strict=True)
        )
        return (gray or 0, pink or 0, yellow or 0) if len(faults.found) == before else None

    def read_cards(self, value: object, path: str) -> list[int] | None:
        """A list of kinds of cards that are nowhere else; None, with faults, if something is wrong with it."""
        faults, left = self.faults, self.left
        before = len(faults.found)
        cards = []
        for i, card in enumerate(value if type(value) is list else faults.array(value, path)):
            if type(card) is int and 0 <= card < len(left) and left[card]:
                left[card] -= 1
                cards.append(card)
            else:
                self.read_card(card, f"{path}[{i}]", cards)
        return cards if len(faults.found) == before else None

    def read_card(self, value: object, path: str, cards: list[int]) -> None:
        """Adds a kind of card that is nowhere else."""
        card = self.read_kind(value, path)
        if card is None:
            return
        if self.left[card]:
            self.left[card] -= 1
            cards.append(card)
        else:
            total = or_one(self.cards[card].get("count"))
            self.faults.add(path, f"there are {total} cards of kind {card}, and all of them are elsewhere")

    def read_kind(self, value: object, path: str) -> int | None:
        return self.faults.integer(value, path, 0, len(self.cards) - 1, "a kind of card")

    def read_bonuses(self, value: object) -> list[int] | None:
        faults = self.faults
        before = len(faults.found)
        entries = faults.array(value, "table.bonuses")
        if len(faults.found) > before:
            return None
        if not self.rules["round_bonuses"]:
            if len(entries):
                faults.add("table.bonuses", "expected none: this game has no round_bonuses")
            return []
        left = [or_one(bonus.get("count")) for bonus in self.catalogue["bonuses"]]
        if self.phase == "DRAW_BONUS" and len(entries) >= ROUNDS:
            faults.add("table.bonuses", f"expected at most {ROUNDS - 1} in DRAW_BONUS, not {len(entries)}")
        elif self.phase not in (None, "DRAW_BONUS") and len(entries) != ROUNDS:
            faults.add("table.bonuses", f"expected {ROUNDS}, one a round, not {len(entries)}")
        bonuses = []
        for i, entry in enumerate(entries[:ROUNDS]):
            path = f"table.bonuses[{i}]"
            kind = faults.integer(entry, path, 0, len(left) - 1, "a kind of bonus card")
            if kind is None:
                continue
            if not left[kind]:
                total = or_one(self.catalogue["bonuses"][kind].get("count"))
                faults.add(path, f"there is no more than {total} of kind {kind}")
                continue
            left[kind] -= 1
            bonuses.append(kind)
        return bonuses if len(faults.found) == before else None

    # Sanctuaries.

    def read_sanctuary(self, s: int, value: object, path: str) -> None:
        faults, left = self.faults, self.left
        before = len(faults.found)
        entries = value if type(value) is list else faults.array(value, path)
        if len(faults.found) > before:
            return
        tile = self.editions[edition_of(s, self.seats, self.variant)]["starting_tile"]
        laid: Laid = {HOME: (-1, START, half_of(tuple(tile["edges"]), 0))}
        all_cells = True
        for i, entry in enumerate(entries):
            card = turns = x = y = None
            if type(entry) is dict and len(entry) == len(_PLACED):
                card, turns, place = entry.get("card"), entry.get("rotation"), entry.get("cell")
                if type(place) is dict and len(place) == len(_CELL):
                    x, y = place.get("x"), place.get("y")
            if (
                (type(x) is int and -REACH <= x <= REACH)
                and (type(y) is int and -REACH <= y <= REACH)
                and (type(card) is int and 0 <= card < len(left) and left[card])
                and (type(turns) is int and 0 <= turns <= 3)
                and (x, y) not in laid
            ):
                left[card] -= 1
                laid[x, y] = i, card, half_of(tuple(self.cards[card]["edges"]), turns)
            else:
                all_cells &= self.read_placed(i, entry, f"{path}[{i}]", laid)
        order = legal_order(laid) if len(faults.found) == before else None
        if order is None:
            explain(self.faults, path, laid, all_cells)
            return
        seat = self.seat[s]
        seat.laid = order
        rooms = [self.room(card) for card, _, _, _ in order]
        rooms.append(tile.get("capacity") or 0)
        seat.spaces = sum(rooms)
        seat.doubles = sum(room // 2 for room in rooms)

    def room(self, card: int) -> int:
        """The spaces of a card's bottom: in TIGHT_FIT one less, but not below 0 (sanctuary-23)."""
        room: int = self.cards[card].get("capacity") or 0
        return room - 1 if room and self.challenge == "TIGHT_FIT" else room

    def read_placed(self, i: int, entry: object, path: str, laid: Laid) -> bool:
        """Reads a card with which something is odd, perhaps only an absent field; whether its cell is known.

        It is taken up in any case, for what it says of the others, if its cell is known: with faults its edges may be
        unknown, and the sanctuary is refused.
        """
        faults = self.faults
        fields = faults.message(entry, path, _PLACED)
        if entry is not None and not isinstance(entry, Mapping):
            return False
        cards: list[int] = []
        self.read_card(fields.get("card"), f"{path}.card", cards)
        cell = faults.cell(fields.get("cell"), f"{path}.cell", REACH)
        turns = faults.integer(fields.get("rotation"), f"{path}.rotation", 0, 3, "clockwise quarter turns")
        if cell is None:
            return False
        if cell in laid:
            what = "the starting tile" if cell == HOME else f"the card at index {laid[cell][0]}"
            faults.add(f"{path}.cell", f"expected a free cell; {cell[0]},{cell[1]} has {what}")
            return False
        if cards and turns is not None:
            laid[cell] = i, cards[0], half_of(tuple(self.cards[cards[0]]["edges"]), turns)
        else:
            laid[cell] = i, START, UNKNOWN
        return True

    # What the fields of the table say of each other.

    def check_table(self) -> None:
        self.check_manatees()
        self.check_room()
        if self.phase is None:
            return
        self.check_flags()
        self.check_hand_sizes()
        self.check_draft()
        if self.solo:
            self.check_solo()
        else:
            for name, cards in (("drawn", self.drawn), ("discards", self.discards)):
                if cards:
                    self.faults.add(f"table.{name}", "expected none outside solo")
            self.check_played()
        self.check_setup()
        self.check_newcomers()
        if self.phase == "FEED":
            self.check_feed()

    def check_manatees(self) -> None:
        """None is lost or too many; what one bag has more than at the start has come from the other (sanctuary-24)."""
        if self.bags is None or self.newcomers is None:
            return
        gray, pink, yellow = self.newcomers
        for bag in self.bags:
            gray, pink, yellow = gray + bag[0], pink + bag[1], yellow + bag[2]
        for seat in self.seat:
            if seat.manatees is None:
                return
            there = seat.manatees
            gray, pink, yellow = gray + there[0], pink + there[1], yellow + there[2]
        if (gray, pink, yellow) != self.all_manatees:
            wanted = "{} gray, {} pink and {} yellow".format(*self.all_manatees)
            message = f"expected {wanted} in all, with those housed and the newcomers, not {gray}, {pink} and {yellow}"
            self.faults.add("table.bags", message)

    def check_room(self) -> None:
        pooled = self.rules["pooled_space"]
        for s, seat in enumerate(self.seat):
            if seat.manatees is None or seat.laid is None or seat.houses(seat.manatees, pooled):
                continue
            yellow = "" if pooled else f", for {seat.doubles} yellow ones at most"
            message = f"expected no more than have room: the sanctuary has {seat.spaces} spaces{yellow}"
            self.faults.add(f"table.seats[{s}].manatees", message)

    def check_flags(self) -> None:
        """What only some challenges have, and the round in which a game is over."""
        faults, phase = self.faults, self.phase
        if self.strongest_discarded and self.challenge != "POWER_CAP":
            faults.add("table.strongest_discarded", "expected false without the challenge POWER_CAP")
            self.strongest_discarded = None
        if self.sent_back and (self.challenge != "SAVIOUR" or phase != "OVER"):
            why = "without the challenge SAVIOUR" if self.challenge != "SAVIOUR" else f"in {phase}"
            faults.add("table.sent_back", f"expected false {why}")
            self.sent_back = None
        elif phase == "OVER" and self.sent_back is False and self.round not in (None, ROUNDS):
            more = ", or with sent_back" if self.challenge == "SAVIOUR" else ""
            faults.add("table.round", f"expected {ROUNDS}: the game is over after round {ROUNDS} only{more}")
            self.round = None

    def hand_limits(self, s: int) -> tuple[int, int]:
        """The fewest and the most cards of a hand in this phase."""
        phase, mine = self.phase, s == self.turn
        if phase in ("DRAW_BONUS", "CHOOSE", "FEED"):
            return 0, 0
        if phase in ("SPLIT", "DISCARD"):
            return DEALT, DEALT
        if phase == "DRAW_CARD":
            return 0, DEALT - self.solo
        if phase == "PICK":
            return 0, DEALT - 1
        most = MOST_HAND
        if self.solo:
            # One is discarded before cards are played; by POWER_CAP in round 1 only if it has been at all.
            cut = self.challenge == "WEAK_CUT" or (bool(self.strongest_discarded) and self.round == 1)
            most = DEALT - cut
        if phase == "PLAY":
            return int(mine), most
        if phase == "OVER":
            # A manatee that is sent back for want of space may leave cards unplayed (sanctuary-23).
            return 0, most - 1 if self.sent_back or self.sent_back is None else 0
        return 0, most - mine

    def check_hand_sizes(self) -> None:
        for s, seat in enumerate(self.seat):
            if seat.hand_size is None:
                continue
            low, high = self.hand_limits(s)
            if not low <= seat.hand_size <= high:
                wanted = f"{low}" if low == high else f"{low} to {high}"
                message = f"expected {wanted} cards in {self.phase}, not {seat.hand_size}"
                self.faults.add(f"table.seats[{s}].hand_size", message)
                seat.hand_size = None
        if self.phase == "DRAW_CARD" and not self.solo:
            self.check_deal()

    def check_deal(self) -> None:
        """Seat 0's five cards come first (sanctuary-2)."""
        short: int | None = None
        for s, seat in enumerate(self.seat):
            if seat.hand_size is None:
                return
            if short is None:
                short = s if seat.hand_size < DEALT else None
            elif seat.hand_size:
                message = f"expected 0 while seat {short} has fewer than {DEALT}: the lowest seat's cards come first"
                self.faults.add(f"table.seats[{s}].hand_size", message)
        if short is None:
            self.faults.add("table.phase", f"expected SPLIT: every seat has its {DEALT} cards")

    def check_draft(self) -> None:
        """Commitments and stacks are there in their phases only."""
        hidden, choosing = self.phase in _HIDDEN, self.phase == "CHOOSE"
        for s, seat in enumerate(self.seat):
            if seat.committed and not hidden:
                self.faults.add(f"table.seats[{s}].committed", f"expected false in {self.phase}")
                seat.committed = None
            if seat.smaller_stack is not None and (seat.smaller_stack > 0) != choosing:
                wanted = "1 or 2, the cards in the smaller stack of this seat," if choosing else "0"
                self.faults.add(f"table.seats[{s}].smaller_stack", f"expected {wanted} in {self.phase}")
                seat.smaller_stack = None
        if not self.observation and hidden and all(seat.committed for seat in self.seat):
            message = "expected a seat that has not committed: once all have, the choices are shown"
            self.faults.add("table.seats", message)

    def check_played(self) -> None:
        """As many cards as have been dealt, and of each seat as many as its drafts can have brought."""
        if self.round is None:
            return
        drafted = self.phase in _PLAYED
        rounds = self.round if drafted else self.round - 1
        low, high = LEAST_HAND * rounds, MOST_HAND * rounds
        cards: int | None = 0
        sound = True
        for s, seat in enumerate(self.seat):
            played = seat.played
            if played is None or seat.hand_size is None:
                cards = None
                continue
            mine = played + seat.hand_size if drafted else played
            if not low <= mine <= high:
                sound = False
                wanted = f"{low}" if low == high else f"{low} to {high}"
                what = "cards in hand and played" if drafted else "cards played before this draft"
                self.faults.add(f"table.seats[{s}]", f"expected {wanted} {what}, not {mine}")
            cards = None if cards is None else cards + mine
        wanted_cards = DEALT * self.seats * rounds
        if sound and cards is not None and cards != wanted_cards:
            what = "in all hands and played" if drafted else "played before this draft"
            message = f"expected {wanted_cards} cards {what}, {DEALT} a seat and round, not {cards}"
            self.faults.add("table.seats", message)

    def check_solo(self) -> None:
        """Every round draws five pairs, of which the hand has one card and the discards the other (sanctuary-21)."""
        faults, phase, seat = self.faults, self.phase, self.seat[0]
        if self.drawn is not None:
            low, high = {"PICK": (2, 2), "DRAW_CARD": (0, 1)}.get(phase or "", (0, 0))
            if not low <= len(self.drawn) <= high:
                wanted = f"{low}" if low == high else f"{low} or {high}"
                faults.add("table.drawn", f"expected {wanted} cards in {phase}, not {len(self.drawn)}")
        if self.round is None:
            return
        drafted = phase in _PLAYED
        if self.challenge == "POWER_CAP" and self.strongest_discarded is not None:
            # Once a game, after a draft; at the latest after that of round 3 (sanctuary-23).
            before_any = self.round == 1 and not drafted
            if self.strongest_discarded and (phase == "DISCARD" or before_any):
                why = "it is asked for once" if phase == "DISCARD" else "no draft is over"
                faults.add("table.strongest_discarded", f"expected false in {phase}: {why}")
                return
            if not self.strongest_discarded and drafted and self.round == ROUNDS:
                faults.add("table.strongest_discarded", f"expected true after the draft of round {ROUNDS}")
                return
        picks = seat.hand_size if phase in ("DRAW_BONUS", "DRAW_CARD", "PICK") else DEALT
        if picks is None:
            return
        steps = 0 if phase == "OVER" and self.sent_back is False else 2 * picks
        if self.token is not None and abs(self.token) > steps:
            why = (
                f"a pick moves it by 2 at most, and this round has had {picks}"
                if steps
                else "no pick has moved it since it was reset"
            )
            faults.add("table.token", f"expected {f'-{steps} to {steps}' if steps else '0'}: {why}")
        if self.challenge == "POWER_CAP" and self.strongest_discarded is None:
            return
        cut = int(bool(self.strongest_discarded))
        if self.challenge == "WEAK_CUT":
            cut = self.round - (not drafted)
        kept = DEALT * (self.round - 1) + picks
        if self.discards is not None and len(self.discards) != kept + cut:
            more = f" and {cut} of the challenge" if self.challenge in _DISCARDING else ""
            message = f"expected {kept + cut} cards, one for each pick{more}, not {len(self.discards)}"
            faults.add("table.discards", message)
        played = seat.played
        if played is not None and seat.hand_size is not None and played + seat.hand_size != kept - cut:
            less = f" less the {cut} that the challenge has taken" if self.challenge in _DISCARDING else ""
            message = f"expected {kept - cut} cards in hand and played, one for each pick{less}, "
            faults.add("table.seats[0]", f"{message}not {played + seat.hand_size}")

    def check_setup(self) -> None:
        """Nothing has happened to anybody before the first card is played."""
        if self.round != 1 or self.phase in _PLAYED:
            return
        for s, seat in enumerate(self.seat):
            path = f"table.seats[{s}]"
            if seat.score is not None and seat.score != STARTING_SCORE:
                self.faults.add(f"{path}.score", f"expected {STARTING_SCORE} before the first card is played")
            if seat.food:
                self.faults.add(f"{path}.food", "expected 0 before the first card is played")
            if seat.manatees is not None and any(seat.manatees):
                self.faults.add(f"{path}.manatees", "expected none before the first card is played")

    def check_newcomers(self) -> None:
        """Newcomers and draws are there in their phases only, and come of a top of the seat whose turn it is."""
        faults, phase = self.faults, self.phase
        if self.draws_left is not None and (self.draws_left > 0) != (phase == "DRAW_MANATEE"):
            wanted = f"1 to {MOST_DRAWS}" if phase == "DRAW_MANATEE" else "0"
            faults.add("table.draws_left", f"expected {wanted} in {phase}, not {self.draws_left}")
            self.draws_left = None
        if phase not in ("DRAW_MANATEE", "RETURN"):
            if self.newcomers is not None and any(self.newcomers):
                faults.add("table.newcomers", f"expected none in {phase}")
            return
        if phase == "DRAW_MANATEE" and self.bags is not None and not any(map(any, self.bags)):
            faults.add("table.bags", "expected a manatee to draw")
            self.bags = None
        if self.turn is None or self.newcomers is None:
            return
        seat = self.seat[self.turn]
        if phase == "RETURN" and seat.manatees is not None and seat.laid is not None:
            gray, pink, yellow = (a + b for a, b in zip(seat.manatees, self.newcomers, strict=True))
            if seat.houses((gray, pink, yellow), self.rules["pooled_space"]):
                message = f"expected more in RETURN: the sanctuary of seat {self.turn} has room for all of them"
                faults.add("table.newcomers", message)
                return
        self.check_top(self.turn)

    def check_top(self, turn: int) -> None:
        """A top of the seat brings these newcomers and these draws (sanctuary-7)."""
        seat = self.seat[turn]
        if seat.tops is None or seat.manatees is None or self.bags is None or self.draws_left is None:
            return
        assert self.newcomers is not None
        own = self.bags[edition_of(turn, self.seats, self.variant)]
        yellow = seat.manatees[2]
        brought = sum(self.newcomers) + self.draws_left
        # When the bags are empty the rest of the draws is void.
        void = self.phase == "RETURN" and not any(map(any, self.bags))
        for card in set(seat.tops):
            named, random = _rescues(self.cards[card])
            if not any(named) and not random:
                continue
            # A named colour is skipped, wholly or in part, only when none of it is left; and it is not put back now.
            taken = [min(icons, there) for icons, there in zip(named, self.newcomers, strict=True)]
            if any(took < icons and bag for took, icons, bag in zip(taken, named, own, strict=True)):
                continue
            most = sum(taken) + random + yellow
            least = 0 if void else sum(icons for icons, bag in zip(named, own, strict=True) if bag) + random + yellow
            if least <= brought <= most:
                return
        draws = f" and {self.draws_left} draws left" if self.draws_left else ""
        message = f"expected what a top of seat {turn} brings, not {brought - self.draws_left} newcomers{draws}: "
        more = f", and {yellow} draws for its yellow manatees" if yellow else ""
        self.faults.add("table.newcomers", f"{message}its named colours, its draws{more}")

    def check_feed(self) -> None:
        if self.turn is None:
            return
        seat = self.seat[self.turn]
        if seat.manatees is None or seat.food is None:
            return
        meals = sum(each * number for each, number in zip(MEALS, seat.manatees, strict=True))
        if meals <= seat.food:
            message = f"expected less than {meals} in FEED, which is what the manatees of this seat eat"
            self.faults.add(f"table.seats[{self.turn}].food", message)

    # What is hidden.

    def read_hidden(self, fields: Mapping[str, Any], with_table: bool) -> None:
        """The referee's or a seat's knowledge; without a table only whether it is the right one of the two."""
        faults = self.faults
        right, wrong = ("seat_knowledge", "referee") if self.observation else ("referee", "seat_knowledge")
        whose = "a seat's observation" if self.observation else "a referee's position"
        value = fields.get(right)
        if fields.get(wrong) is not None:
            faults.add(wrong, f"expected {whose}: give {right} and not {wrong}")
        elif value is None:
            faults.add(right, f"expected {whose}: give {right}")
        if value is None or not with_table:
            return
        hidden = faults.message(value, right, _KNOWLEDGE if self.observation else ("seats",))
        if not isinstance(value, Mapping):
            return
        if self.observation:
            self.read_knowledge(hidden)
        else:
            self.read_referee(hidden)

    def read_referee(self, referee: Mapping[str, Any]) -> None:
        faults = self.faults
        entries = self.entries(referee.get("seats"), "referee.seats", self.seats, "one a seat")
        readable: list[tuple[int, Mapping[str, Any]]] = []
        for s, entry in enumerate(entries):
            path = f"referee.seats[{s}]"
            secrets = faults.message(entry, path, _SECRETS)
            if entry is None or secrets is entry:
                readable.append((s, secrets))
                self.read_own(s, secrets, path)
        # Cards of each hand that nobody else is known to know yet.
        unknown = [None if seat.hand is None else seat.hand.copy() for seat in self.seat]
        for s, secrets in readable:
            for name, step in (("left_hand", 1), ("right_hand", -1)):
                path = f"referee.seats[{s}].{name}"
                other = (s + step) % self.seats
                known = self.known(s, secrets.get(name), path, step)
                if not len(known):
                    continue
                found = self.read_known(known, path, other, unknown[other])
                if step > 0:
                    self.seat[s].left_hand = found
                else:
                    self.seat[s].right_hand = found

    def read_known(self, entries: Sequence[Any], path: str, other: int, unknown: list[int] | None) -> list[int]:
        """Cards that are in a neighbour's hand, and which the other neighbour does not know."""
        found = []
        for i, entry in enumerate(entries):
            if unknown is not None and type(entry) is int and entry in unknown:
                unknown.remove(entry)
                found.append(entry)
                continue
            card = self.read_kind(entry, f"{path}[{i}]")
            if card is None or unknown is None:
                continue
            if card in unknown:
                unknown.remove(card)
                found.append(card)
                continue
            both = "" if self.seats == 2 else ", less what its other neighbour knows"
            message = f"expected a card of the hand of seat {other}{both}; {card} is not among them"
            self.faults.add(f"{path}[{i}]", message)
        return found

    def read_knowledge(self, knowledge: Mapping[str, Any]) -> None:
        faults = self.faults
        self.observer = faults.integer(knowledge.get("seat"), "seat_knowledge.seat", 0, self.seats - 1, "a seat")
        if self.observer is None:
            return  # Whose the rest is, is not known.
        s = self.observer
        self.read_own(s, knowledge, "seat_knowledge")
        giver = (s - self.to_left(1)) % self.seats
        sees = None if self.phase is None else self.phase == "CHOOSE" and not self.rules["blind_choice"]
        why = f"in {self.phase}" if self.phase != "CHOOSE" else "with blind_choice"
        sound = self.round is not None  # Which tells who has made them.
        size = self.seat[giver].smaller_stack if sound else None
        self.offered = self.read_stacks(
            knowledge.get("offered"), "seat_knowledge.offered", sees, why, size, "the stacks offered to the observer"
        )
        for name, step in (("left_hand", 1), ("right_hand", -1)):
            path = f"seat_knowledge.{name}"
            known = self.known(s, knowledge.get(name), path, step)
            if len(known):
                found = self.read_cards(known, path) or []
                if step > 0:
                    self.seat[s].left_hand = found
                else:
                    self.seat[s].right_hand = found

    def to_left(self, step: int) -> int:
        """The step to who is offered a seat's stacks: to the left neighbour, in round 2 to the right one."""
        return -step if self.round == 2 else step

    def read_own(self, s: int, secrets: Mapping[str, Any], path: str) -> None:
        """What a seat has itself."""
        seat = self.seat[s]
        faults = self.faults
        before = len(faults.found)
        value = secrets.get("hand")
        hand = self.read_cards(value, f"{path}.hand")
        if hand is not None and seat.hand_size is not None and len(hand) != seat.hand_size:
            message = f"expected {seat.hand_size} cards, the hand_size of seat {s}, not {len(hand)}"
            faults.add(f"{path}.hand", message)
        if len(faults.found) == before and seat.hand_size is not None:
            seat.hand = hand
        self.read_commitment(s, secrets.get("commitment"), f"{path}.commitment")
        made = None if self.phase is None else self.phase == "CHOOSE"
        why, what = f"in {self.phase}", f"the stacks that seat {s} has made"
        seat.made = self.read_stacks(secrets.get("made"), f"{path}.made", made, why, seat.smaller_stack, what)

    def read_stacks(
        self, value: object, path: str, needed: bool | None, why: str, smaller: int | None, what: str
    ) -> Stacks | None:
        """Two stacks of five cards if `needed`, else none; None: either. `smaller`: cards of the smaller, if known."""
        faults = self.faults
        if value is None:
            if needed:
                faults.add(path, f"expected {what} {why}")
            return None
        if needed is False:
            faults.add(path, f"expected none {why}")
            return None
        before = len(faults.found)
        stacks = faults.message(value, path, _STACKS)
        if not isinstance(value, Mapping):
            return None
        cards = [self.read_cards(stacks.get(name), f"{path}.{name}") for name in _STACKS]
        if len(faults.found) > before:
            return None
        few, many = (sorted(stack or ()) for stack in cards)
        wanted = min(max(len(few), 1), 2) if smaller is None else smaller
        for name, stack, size in (("smaller", few, wanted), ("larger", many, DEALT - wanted)):
            if len(stack) != size:
                hint = " or 2" if smaller is None and name == "smaller" else ""
                faults.add(f"{path}.{name}", f"expected {size}{hint} cards, not {len(stack)}")
        return (few, many) if len(faults.found) == before else None

    def read_commitment(self, s: int, value: object, path: str) -> None:
        faults, seat = self.faults, self.seat[s]
        if value is None:
            if seat.committed:
                faults.add(path, f"expected the choice that seat {s} has committed")
            return
        if seat.committed is False:
            faults.add(path, f"expected none: seat {s} has not committed")
            return
        if not isinstance(value, str):
            faults.add(path, f"expected a move's notation, not {shown(value)}")
            return
        try:
            word, *numbers = sanctuary_notation.parse(value)
        except ValueError as error:
            faults.add(path, str(error))
            return
        wanted = _HIDDEN.get(self.phase or "")
        if wanted is None:
            return  # That the seat cannot have committed has been told.
        if word != wanted:
            faults.add(path, f'expected a "{wanted}" in {self.phase}, not "{word}"')
        elif word == "keep":
            seat.commitment = sanctuary_notation.keep(numbers[0])
        elif seat.hand is not None and any(seat.hand.count(card) < numbers.count(card) for card in numbers):
            cards = " and ".join(map(str, numbers))
            faults.add(path, f"expected cards of the hand of seat {s}; {cards} are not all in it")
        else:
            seat.commitment = sanctuary_notation.split(*numbers)

    def known(self, s: int, value: object, path: str, step: int) -> Sequence[Any]:
        """What a seat knows of its left (`step` 1) or right (-1) neighbour's hand, unless it cannot know anything."""
        faults = self.faults
        if type(value) is list and not value:
            return value
        entries = faults.array(value, path)
        if not len(entries):
            return ()
        why = ""
        most = MOST_STACK
        if self.solo:
            why = "in solo"
        elif self.phase is not None and self.phase not in _HANDS_OUT:
            why = f"in {self.phase}"
        elif self.seats == 2:
            if step < 0:
                why = "with two seats, whose left_hand has what is known of the other hand"
            elif not self.rules["blind_choice"]:
                most = MOST_HAND
        elif self.rules["blind_choice"] and self.round is not None and step != self.to_left(1):
            # The neighbour's stacks were chosen from unseen.
            why = f"in round {self.round} with blind_choice"
        if why:
            faults.add(path, f"expected none {why}")
            return ()
        other = (s + step) % self.seats
        size = self.seat[other].hand_size
        most = most if size is None else min(most, size)
        if len(entries) > most:
            whole = f"the hand of seat {other}" if most == size else "the most that the draft has shown"
            faults.add(path, f"expected at most {most} cards, {whole}, not {len(entries)}")
            return ()
        return entries


def _rescues(card: Mapping[str, Any]) -> tuple[tuple[int, ...], int]:
    """The named rescue icons of a top by colour, and how many it has that name no colour."""
    named = card.get("rescues") or {}
    return tuple(named.get(colour) or 0 for colour in COLOURS), card.get("random_rescues") or 0
