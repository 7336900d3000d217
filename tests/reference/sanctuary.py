"""Manatee Sanctuary, written to be read next to the decided rules (sanctuary-1 to sanctuary-24).

Nothing here is fast. Flowers are counted by looking at every cell again, placements are found by trying every card on
every cell in every rotation, shapes by trying every image at every place, and what may be sent back by trying every
number of manatees of each colour.
"""

from __future__ import annotations

import copy
import re
from typing import Any

Cell = tuple[int, int]
Manatees = dict[str, int]  # How many of each colour.
Event = dict[str, Any]

GRAY = "GRAY"
PINK = "PINK"
YELLOW = "YELLOW"
COLOURS = (GRAY, PINK, YELLOW)

RED = "SANCTUARY_EDGE_RED"
GREEN = "SANCTUARY_EDGE_GREEN"
PURPLE = "SANCTUARY_EDGE_PURPLE"
WALL = "SANCTUARY_EDGE_WALL"
FLOWERS = (RED, GREEN, PURPLE)

PAIRS_AT_END = "SANCTUARY_END_GAME_PAIRS"
PINK_AT_END = "SANCTUARY_END_GAME_PINK"
YELLOW_AT_END = "SANCTUARY_END_GAME_YELLOW"

FLOWER_GOALS = {
    "SANCTUARY_GOAL_RED_FLOWERS": RED,
    "SANCTUARY_GOAL_GREEN_FLOWERS": GREEN,
    "SANCTUARY_GOAL_PURPLE_FLOWERS": PURPLE,
}

SMALLER = "SMALLER"
LARGER = "LARGER"

CARDS = 90  # Of an edition.
BONUS_CARDS = 10
BAG: Manatees = {GRAY: 80, PINK: 30, YELLOW: 20}
SPACES: Manatees = {GRAY: 1, PINK: 1, YELLOW: 2}
MEALS: Manatees = {GRAY: 1, PINK: 2, YELLOW: 1}
ROUNDS = 3
DEALT = 5
STARTING_SCORE = 10
RETURN_COST = 2
HOME: Cell = (0, 0)  # The starting tile's cell.

CHANCE = -1
OVER = -2

# The side steps in the order of the edges: north, east, south, west; y points down.
STEPS: list[Cell] = [(0, -1), (1, 0), (0, 1), (-1, 0)]

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

# Phases in which a seat that decides, or for which is drawn, is named.
SEATED = ("PLAY", "DRAW_MANATEE", "RETURN", "FEED")

SPLIT_TEXT = re.compile(r"split ([0-9]+)(?:,([0-9]+))?")
BOTTOM_TEXT = re.compile(r"bottom ([0-9]+) (-?[0-9]+),(-?[0-9]+) r([0-3])")


def by_row(cell: Cell) -> tuple[int, int]:
    """Return the key that sorts cells by row, then column."""
    x, y = cell
    return (y, x)


def text_of(cell: Cell) -> str:
    """Return a cell as notations write it."""
    return f"{cell[0]},{cell[1]}"


def cell_of(text: str) -> Cell:
    """Return the cell that a notation writes."""
    x, y = text.split(",")
    return (int(x), int(y))


def cell_entry(cell: Cell) -> dict[str, int]:
    """Return a cell as positions and events hold it."""
    return {"x": cell[0], "y": cell[1]}


def count_of(entry: dict[str, Any]) -> int:
    """Return the count of a kind in the catalogue; an absent one is 1."""
    return int(entry.get("count", 1))


def no_manatees() -> Manatees:
    """Return none of each colour."""
    return {GRAY: 0, PINK: 0, YELLOW: 0}


def manatees_of(entry: dict[str, Any]) -> Manatees:
    """Return the manatees that a message holds; absent ones are 0."""
    return {colour: int(entry.get(colour.lower(), 0)) for colour in COLOURS}


def manatees_entry(manatees: Manatees) -> dict[str, int]:
    """Return manatees as positions and events hold them."""
    return {colour.lower(): manatees[colour] for colour in COLOURS}


def number(manatees: Manatees) -> int:
    """Return how many there are, whatever their colour."""
    return sum(manatees.values())


def plus(one: Manatees, other: Manatees) -> Manatees:
    """Return both together."""
    return {colour: one[colour] + other[colour] for colour in COLOURS}


def minus(one: Manatees, other: Manatees) -> Manatees:
    """Return what is left of the first without the second."""
    return {colour: one[colour] - other[colour] for colour in COLOURS}


def one_of(colour: str) -> Manatees:
    """Return one manatee of a colour."""
    return {**no_manatees(), colour: 1}


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four cells that share an edge with a cell, in the order of its edges."""
    return [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]


def turned(edges: list[str], rotation: int) -> list[str]:
    """Return the edges after so many clockwise quarter turns: what was north is then east (sanctuary-11)."""
    return edges[4 - rotation :] + edges[: 4 - rotation]


def equal_turns(edges: list[str], rotation: int) -> list[int]:
    """Return every rotation that gives the same edges as `rotation` does, ascending (sanctuary-11)."""
    wanted = turned(edges, rotation)
    return [other for other in range(4) if turned(edges, other) == wanted]


def shape_images(cells: list[Cell], mirror_shapes: bool) -> list[list[Cell]]:
    """Return a shape in each of its 4 rotations, or 8 with mirror images (sanctuary-20)."""
    starts = [cells]
    if mirror_shapes:
        starts.append([(-x, y) for x, y in cells])
    images = []
    for start in starts:
        image = start
        for _ in range(4):
            images.append(image)
            image = [(-y, x) for x, y in image]
    return images


def subsets(manatees: Manatees) -> list[Manatees]:
    """Return every part of some manatees, from none to all, by gray, then pink, then yellow."""
    return [
        {GRAY: gray, PINK: pink, YELLOW: yellow}
        for gray in range(manatees[GRAY] + 1)
        for pink in range(manatees[PINK] + 1)
        for yellow in range(manatees[YELLOW] + 1)
    ]


def without(cards: list[int], gone: list[int]) -> list[int]:
    """Return the cards that are left when some are taken out."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


class Sanctuary:
    """The starting tile and the cards of one seat."""

    def __init__(self, starting_edges: list[str], starting_capacity: int) -> None:
        """Begin with the starting tile, one cell with its own edges and capacity (sanctuary-11)."""
        self.edges: dict[Cell, list[str]] = {HOME: starting_edges}  # As they lie, turned.
        self.capacities: dict[Cell, int] = {HOME: starting_capacity}
        # Of cards, not of the starting tile.
        self.cards: dict[Cell, int] = {}
        self.rotations: dict[Cell, int] = {}

    def clone(self) -> Sanctuary:
        """Return a copy."""
        other = Sanctuary.__new__(Sanctuary)
        other.edges = dict(self.edges)
        other.capacities = dict(self.capacities)
        other.cards = dict(self.cards)
        other.rotations = dict(self.rotations)
        return other

    def lay(self, cell: Cell, card: int, printed_edges: list[str], rotation: int, capacity: int) -> None:
        """Put the visible half of a card on a free cell."""
        self.edges[cell] = turned(printed_edges, rotation)
        self.capacities[cell] = capacity
        self.cards[cell] = card
        self.rotations[cell] = equal_turns(printed_edges, rotation)[0]  # The host is forgotten (sanctuary-11).

    def would_complete(self, cell: Cell, edges: list[str]) -> int | None:
        """Return how many flowers a half with these edges completes on a cell, None if an edge is against the rules."""
        completed = 0
        for side, other in enumerate(neighbours(cell)):
            if other not in self.edges:
                continue  # Empty water: a flower and a wall are both fine.
            facing = self.edges[other][(side + 2) % 4]
            if facing != edges[side]:
                return None  # Flower against wall, or two colours (sanctuary-12).
            if edges[side] != WALL:
                completed += 1
        return completed

    def fits(self, cell: Cell, printed_edges: list[str], rotation: int) -> bool:
        """Tell whether a card may be played with these edges to a cell (sanctuary-11, sanctuary-12)."""
        if cell in self.edges:
            return False
        if not self.would_complete(cell, turned(printed_edges, rotation)):
            return False  # At least one flower must be completed.
        # The inner edge, north when unrotated, faces the host. Of rotations that look the same any may have one.
        return any(neighbours(cell)[turns] in self.edges for turns in equal_turns(printed_edges, rotation))

    def flowers(self, colour: str) -> int:
        """Return the completed flowers of a colour; none is ever lost (sanctuary-13)."""
        halves = 0
        for cell, edges in self.edges.items():
            for side, other in enumerate(neighbours(cell)):
                if other in self.edges and edges[side] == colour:
                    assert self.edges[other][(side + 2) % 4] == colour
                    halves += 1
        return halves // 2  # Seen from either side.

    def completed(self) -> int:
        """Return all completed flowers: where the marker stands on its uncapped track (sanctuary-13)."""
        return sum(self.flowers(colour) for colour in FLOWERS)

    def can_house(self, manatees: Manatees, pooled_space: bool) -> bool:
        """Tell whether there is an arrangement that houses these manatees (sanctuary-10)."""
        spaces = sum(self.capacities.values())
        if sum(SPACES[colour] * manatees[colour] for colour in COLOURS) > spaces:
            return False
        if pooled_space:
            return True
        # A yellow one needs its two spaces on one card.
        return manatees[YELLOW] <= sum(capacity // 2 for capacity in self.capacities.values())

    def contains(self, shape: dict[str, Any], mirror_shapes: bool) -> bool:
        """Tell whether a shape lies somewhere in the sanctuary, the starting tile included (sanctuary-20)."""
        cells = [(int(cell.get("x", 0)), int(cell.get("y", 0))) for cell in shape["cells"]]
        for image in shape_images(cells, mirror_shapes):
            # The image's first cell lies on some card: trying each in turn tries every place that can match.
            for card_x, card_y in self.edges:
                shift_x = card_x - image[0][0]
                shift_y = card_y - image[0][1]
                if all((x + shift_x, y + shift_y) in self.edges for x, y in image):
                    return True
        return False


class ReferenceSanctuary:
    """One game, seen by the referee. Call `start` before anything else, then `happen` while it is chance's turn."""

    def __init__(self, catalogue: dict[str, Any], seats: int, rules: dict[str, Any], variant: str) -> None:
        """Take up the components (sanctuary-1, sanctuary-3). The variants are "base", "solo" and "scramble"."""
        for key in rules:
            if key not in DEFAULT_RULES:
                raise ValueError(f"unknown rule option {key!r}")
        self.rules: dict[str, Any] = {**DEFAULT_RULES, **rules}
        if self.rules["play_order"] not in PLAY_ORDERS:
            raise ValueError("play_order")
        if self.rules["challenge"] not in CHALLENGES:
            raise ValueError("challenge")
        self.variant = variant
        self.seats = seats
        self._check_seats()
        self.challenge: str = self.rules["challenge"]
        if self.challenge != "NONE" and not self.solo:
            raise ValueError("challenges are for solo games (sanctuary-1)")
        if self.challenge != "NONE" and self.rules["round_bonuses"]:
            raise ValueError("a challenge and round bonuses exclude each other (sanctuary-23)")

        # The catalogue (sanctuary-3). A kind's id is its index; the second edition's kinds follow the first's.
        self.catalogue = catalogue
        editions = catalogue["editions"][: 2 if variant == "scramble" else 1]
        if variant == "scramble" and len(editions) < 2:
            raise ValueError("Scramble needs both editions (sanctuary-1)")
        for edition in editions:
            if sum(count_of(card) for card in edition["cards"]) != CARDS:
                raise ValueError("90 cards an edition")
            bare = [{key: card[key] for key in card if key != "count"} for card in edition["cards"]]
            if any(bare[i] == bare[j] for i in range(len(bare)) for j in range(i)):
                raise ValueError("two kinds of an edition are equal")
            for card in edition["cards"]:
                if len(card["edges"]) != 4 or any(edge not in (*FLOWERS, WALL) for edge in card["edges"]):
                    raise ValueError("four edges, each a flower or a wall (sanctuary-3)")
                if ("capacity" in card) == ("end_game" in card):
                    raise ValueError("a bottom has spaces or an end-game score (sanctuary-14)")
        self.cards: list[dict[str, Any]] = [card for edition in editions for card in edition["cards"]]
        self.starting_tiles: list[dict[str, Any]] = [edition["starting_tile"] for edition in editions]
        self.bonus_cards: list[dict[str, Any]] = catalogue.get("bonuses", [])
        if self.rules["round_bonuses"] and sum(count_of(bonus) for bonus in self.bonus_cards) != BONUS_CARDS:
            raise ValueError("ten round bonus cards (sanctuary-20)")
        if self.solo and "solo_track" not in catalogue:
            raise ValueError("solo needs a solo track (sanctuary-21)")
        if self.challenge == "ARCHITECT" and "challenge_shape" not in catalogue:
            raise ValueError("the architect needs a challenge shape (sanctuary-23)")

        self._clear()

    def _check_seats(self) -> None:
        """Raise a ValueError unless the variant is for so many seats (sanctuary-1)."""
        if self.variant == "solo":
            fits = self.seats == 1
        elif self.variant == "base":
            fits = 2 <= self.seats <= 6
        elif self.variant == "scramble":
            fewest = 2 if self.rules["allow_small_scramble"] else 7
            fits = fewest <= self.seats <= 12
        else:
            raise ValueError(f"unknown variant {self.variant!r}")
        if not fits:
            raise ValueError(f"{self.seats} seats cannot play {self.variant} (sanctuary-1)")

    def _clear(self) -> None:
        """Put everything where it is before the first draw (sanctuary-2)."""
        seats = range(self.seats)
        # The order of the deck is not kept: it is how many cards there are of each kind. The same goes for the bags.
        self.deck = [count_of(card) for card in self.cards]
        self.bags: list[Manatees] = [dict(BAG) for _ in self.starting_tiles]
        # Of each seat.
        self.hands: list[list[int]] = [[] for _ in seats]
        self.tops: list[list[int]] = [[] for _ in seats]  # Cards played for their tops.
        self.sanctuaries: list[Sanctuary] = []
        for seat in seats:
            tile = self.starting_tiles[self.bag_of(seat)]  # Follows the bag (sanctuary-24).
            self.sanctuaries.append(Sanctuary(list(tile["edges"]), int(tile.get("capacity", 0))))
        self.housed: list[Manatees] = [no_manatees() for _ in seats]
        self.food = [0 for _ in seats]
        self.score = [STARTING_SCORE for _ in seats]
        # The draft. `stacks` are the two that each seat has made: the smaller and the larger.
        self.commitments: list[str | None] = [None for _ in seats]
        self.stacks: list[tuple[list[int], list[int]] | None] = [None for _ in seats]
        # known[one][other]: which cards of another's hand a seat has seen in the draft (sanctuary-5).
        self.known: list[list[list[int]]] = [[[] for _ in seats] for _ in seats]
        # The card being played.
        self.newcomers = no_manatees()
        self.draws_left = 0
        # Solo.
        self.drawn: list[int] = []
        self.discards: list[int] = []
        self.token = 0
        self.strongest_discarded = False
        self.sent_back = False

        self.bonuses: list[int] = []  # For rounds 1, 2 and 3.
        self.round = 1
        self.phase = "DRAW_BONUS" if self.rules["round_bonuses"] else "DRAW_CARD"
        self.current: int | None = None  # In the phases of SEATED.

    def start(self) -> None:
        """Start the game. The first event draws a round bonus card, or seat 0's first card (sanctuary-2)."""
        self._clear()

    def clone(self) -> ReferenceSanctuary:
        """Return a copy that can be played on without changing this game."""
        other = ReferenceSanctuary.__new__(ReferenceSanctuary)
        other.__dict__.update(self.__dict__)
        other.deck = list(self.deck)
        other.bags = [dict(bag) for bag in self.bags]
        other.hands = [list(hand) for hand in self.hands]
        other.tops = [list(tops) for tops in self.tops]
        other.sanctuaries = [sanctuary.clone() for sanctuary in self.sanctuaries]
        other.housed = [dict(housed) for housed in self.housed]
        other.food = list(self.food)
        other.score = list(self.score)
        other.commitments = list(self.commitments)
        other.stacks = copy.deepcopy(self.stacks)
        other.known = [[list(cards) for cards in known] for known in self.known]
        other.newcomers = dict(self.newcomers)
        other.drawn = list(self.drawn)
        other.discards = list(self.discards)
        other.bonuses = list(self.bonuses)
        return other

    # Who is who.

    @property
    def solo(self) -> bool:
        """Whether one plays alone."""
        return self.variant == "solo"

    def bag_of(self, seat: int) -> int:
        """Return which bag a seat has: in Scramble the first half of the seats the first (sanctuary-24)."""
        if self.variant == "scramble" and seat >= (self.seats + 1) // 2:
            return 1
        return 0

    def chooser(self, seat: int) -> int:
        """Return who chooses between a seat's stacks: the left neighbour, in round 2 the right one (sanctuary-4)."""
        step = -1 if self.round == 2 else 1
        return (seat + step) % self.seats

    def giver(self, seat: int) -> int:
        """Return whose stacks a seat chooses between (sanctuary-4)."""
        return next(other for other in range(self.seats) if self.chooser(other) == seat)

    # Whose move it is.

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.phase == "OVER"

    def pending(self) -> list[int]:
        """Return the seats that owe a decision. Splits are simultaneous, and so are choices (sanctuary-4)."""
        if self.phase in ("SPLIT", "CHOOSE"):
            return [seat for seat in range(self.seats) if self.commitments[seat] is None]
        if self.phase in ("PICK", "DISCARD"):
            return [0]
        if self.phase in ("PLAY", "RETURN", "FEED"):
            assert self.current is not None
            return [self.current]
        return []

    @property
    def turn(self) -> int:
        """The lowest seat that owes a decision, CHANCE or OVER."""
        if self.over:
            return OVER
        if self.chance() is not None:
            return CHANCE
        return self.pending()[0]

    # Chance, one event at a time.

    def chance(self) -> dict[str, int] | None:
        """Return what may happen next, with its weight; None if it is not chance's turn.

        Equal components are one kind, weighted by its count. A certain draw is still an event.
        """
        if self.phase == "DRAW_BONUS":
            left = [count_of(bonus) - self.bonuses.count(kind) for kind, bonus in enumerate(self.bonus_cards)]
            return {f"bonus {kind}": count for kind, count in enumerate(left) if count > 0}
        if self.phase == "DRAW_CARD":
            return {f"card {kind}": count for kind, count in enumerate(self.deck) if count > 0}
        if self.phase == "DRAW_MANATEE":
            assert self.current is not None
            bag = self._bag_to_draw_from(self.current)
            assert bag is not None
            return {f"manatee {colour.lower()}": bag[colour] for colour in COLOURS if bag[colour] > 0}
        return None

    def happen(self, outcome: str) -> list[Event]:
        """Let one of the outcomes of `chance` happen and return all events that follow."""
        outcomes = self.chance()
        if outcomes is None or outcome not in outcomes:
            raise ValueError(f"{outcome!r} cannot happen")
        word, what = outcome.split()
        events: list[Event] = []
        if word == "bonus":
            self.bonuses.append(int(what))
            events.append({"bonus_drawn": {"bonus": int(what), "round": len(self.bonuses)}})
            if len(self.bonuses) == ROUNDS:
                self.phase = "DRAW_CARD"  # All three before the first deal (sanctuary-20).
        elif word == "card":
            self.deck[int(what)] -= 1  # Nothing is ever reshuffled (sanctuary-2).
            if self.solo:
                self._draw_to_pair(int(what), events)
            else:
                self._deal(int(what), events)
        else:
            assert self.current is not None
            bag = self._bag_to_draw_from(self.current)
            assert bag is not None
            colour = what.upper()
            bag[colour] -= 1
            self.newcomers[colour] += 1
            self.draws_left -= 1
            events.append({"manatee_drawn": {"seat": self.current, "colour": colour}})
            self._draw_or_house(events)
        return events

    # The draft.

    def _deal(self, card: int, events: list[Event]) -> None:
        """Deal to the first seat that has fewer than five cards: seat 0's five come first (sanctuary-2)."""
        seat = next(seat for seat in range(self.seats) if len(self.hands[seat]) < DEALT)
        self.hands[seat].append(card)
        events.append({"card_dealt": {"seat": seat}})
        events.append({"private_to": seat, "card_received": {"seat": seat, "card": card}})
        if all(len(hand) == DEALT for hand in self.hands):
            self.phase = "SPLIT"

    def _draw_to_pair(self, card: int, events: list[Event]) -> None:
        self.drawn.append(card)
        events.append({"card_drawn": {"card": card}})
        if len(self.drawn) == 2:
            self.phase = "PICK"  # sanctuary-21

    def _reveal_splits(self, events: list[Event]) -> None:
        """Offer all stacks at once."""
        for seat in range(self.seats):
            commitment = self.commitments[seat]
            assert commitment is not None
            smaller = [int(card) for card in commitment.removeprefix("split ").split(",")]
            self.stacks[seat] = (smaller, without(self.hands[seat], smaller))
            self.hands[seat] = []
        self.commitments = [None for _ in range(self.seats)]
        self.phase = "CHOOSE"
        events.append({"stacks_offered": {"smaller_stacks": [len(self._stacks_of(s)[0]) for s in range(self.seats)]}})
        if not self.rules["blind_choice"]:
            for seat in range(self.seats):
                stacks = self._stacks_entry(self.giver(seat))
                events.append({"private_to": seat, "stacks_seen": {"seat": seat, "stacks": stacks}})

    def _reveal_choices(self, events: list[Event]) -> None:
        """Let every seat keep one stack and return the other, all at once (sanctuary-4)."""
        choices = []
        for seat in range(self.seats):
            choices.append(SMALLER if self.commitments[seat] == "keep smaller" else LARGER)
        events.append({"stacks_chosen": {"kept": list(choices)}})
        for seat in range(self.seats):
            giver = self.giver(seat)
            smaller, larger = self._stacks_of(giver)
            kept = smaller if choices[seat] == SMALLER else larger
            returned = larger if choices[seat] == SMALLER else smaller
            self.hands[seat].extend(kept)
            self.hands[giver].extend(returned)
            # The giver knows which of its stacks was kept; the chooser has seen the one that it returned, unless it
            # chose blindly (sanctuary-5). With two seats these are the two parts of one hand.
            self.known[giver][seat].extend(kept)
            if not self.rules["blind_choice"]:
                self.known[seat][giver].extend(returned)
        for seat in range(self.seats):
            cards = sorted(self.hands[seat])
            events.append({"private_to": seat, "hand_taken": {"seat": seat, "cards": cards}})
        self.commitments = [None for _ in range(self.seats)]
        self.stacks = [None for _ in range(self.seats)]
        self._begin_playing(events)

    def _stacks_of(self, seat: int) -> tuple[list[int], list[int]]:
        stacks = self.stacks[seat]
        assert stacks is not None
        return stacks

    def _pick(self, card: int, events: list[Event]) -> None:
        """Keep one card of the pair and move the token by the difference of dots (sanctuary-21)."""
        (other,) = without(self.drawn, [card])
        self.drawn = []
        self.hands[0].append(card)
        self.discards.append(other)
        # Up for keeping the stronger card, down for keeping the weaker; the ends of the track stop the token.
        self.token += int(self.cards[card]["strength"]) - int(self.cards[other]["strength"])
        track = self.catalogue["solo_track"]
        lowest = -int(track.get("start", 0))
        highest = lowest + len(track["values"]) - 1
        self.token = max(lowest, min(highest, self.token))
        events.append({"picked": {"card": card, "discarded": other, "token": self.token}})
        if len(self.hands[0]) < DEALT:
            self.phase = "DRAW_CARD"
        elif self._must_discard():
            self.phase = "DISCARD"  # After the fifth card (sanctuary-23).
        else:
            self._begin_playing(events)

    def _must_discard(self) -> bool:
        """Tell whether the challenge asks for a discard in this round (sanctuary-23)."""
        if self.challenge == "POWER_CAP":
            return not self.strongest_discarded
        return self.challenge == "WEAK_CUT"

    # Playing cards.

    def _begin_playing(self, events: list[Event]) -> None:
        """Let seat 0 play first, in every round (sanctuary-15)."""
        self.current = self.seats - 1
        self._next_card(events, same_seat=False)

    def _next_card(self, events: list[Event], same_seat: bool) -> None:
        """Find who plays the next card; when all are played, feed. `same_seat`: the present seat may go on."""
        assert self.current is not None
        first = self.current if same_seat else self.current + 1
        for step in range(self.seats):
            seat = (first + step) % self.seats
            if self.hands[seat]:  # Seats without cards are skipped.
                self.current = seat
                self.phase = "PLAY"
                return
        self._feed_from(0, events)

    def _card_resolved(self, events: list[Event]) -> None:
        self._next_card(events, same_seat=self.rules["play_order"] == "SEAT_BY_SEAT")

    def _take_from_hand(self, seat: int, card: int) -> None:
        """Remove a card from a hand, and one known copy of its kind from what others know of it (sanctuary-5)."""
        self.hands[seat].remove(card)
        for other in range(self.seats):
            if card in self.known[other][seat]:
                self.known[other][seat].remove(card)

    def _gain_food(self, seat: int, food: int) -> None:
        self.food[seat] += food
        if self.rules["food_cap"] > 0:
            self.food[seat] = min(self.food[seat], self.rules["food_cap"])  # sanctuary-16

    def _add_points(self, seat: int, points: int) -> None:
        self.score[seat] += points
        if self.rules["floor_score_at_zero"]:
            self.score[seat] = max(0, self.score[seat])  # After every change (sanctuary-18).

    def _bag_to_draw_from(self, seat: int) -> Manatees | None:
        """Return the own bag, the other one while that is empty, None when there is nothing left (sanctuary-24)."""
        own = self.bags[self.bag_of(seat)]
        if number(own) > 0:
            return own
        for bag in self.bags:
            if number(bag) > 0:
                return bag
        return None

    def _play_top(self, seat: int, card: int, events: list[Event]) -> None:
        top = self.cards[card]
        self._take_from_hand(seat, card)
        self.tops[seat].append(card)
        # Each harvest brings food for every completed flower, before the draws (sanctuary-8).
        harvest = int(top.get("harvests", 0)) * self.sanctuaries[seat].completed()
        self._gain_food(seat, harvest)
        # The named colours first: taken, not drawn. One that the bag does not have is skipped (sanctuary-7).
        icons = manatees_of(top.get("rescues", {}))
        random_icons = int(top.get("random_rescues", 0))
        taken = no_manatees()
        for colour in COLOURS:
            for _ in range(icons[colour]):
                bag = self._bag_to_draw_from(seat)
                if bag is not None and bag[colour] > 0:
                    bag[colour] -= 1
                    taken[colour] += 1
        self.newcomers = taken
        events.append(
            {"top_played": {"seat": seat, "card": card, "harvest": harvest, "taken": manatees_entry(dict(taken))}}
        )
        # Then the "?", then one more for each yellow manatee that was here before, if the card rescues at all.
        self.draws_left = random_icons
        if number(icons) + random_icons > 0:
            self.draws_left += self.housed[seat][YELLOW]
        self._draw_or_house(events)

    def _draw_or_house(self, events: list[Event]) -> None:
        """Draw the next manatee; when all are drawn, house them (sanctuary-7)."""
        seat = self.current
        assert seat is not None
        if self.draws_left > 0 and self._bag_to_draw_from(seat) is not None:
            self.phase = "DRAW_MANATEE"
            return
        self.draws_left = 0  # Empty bags end the drawing.
        if self._can_house(seat, plus(self.housed[seat], self.newcomers)):
            self._house(seat, events)
            self._card_resolved(events)
        else:
            self.phase = "RETURN"  # sanctuary-9

    def _can_house(self, seat: int, manatees: Manatees) -> bool:
        return self.sanctuaries[seat].can_house(manatees, self.rules["pooled_space"])

    def _house(self, seat: int, events: list[Event]) -> None:
        """Let all newcomers move in."""
        if number(self.newcomers) > 0:
            events.append({"housed": {"seat": seat, "manatees": manatees_entry(self.newcomers)}})
        self.housed[seat] = plus(self.housed[seat], self.newcomers)
        self.newcomers = no_manatees()

    def _to_bag(self, seat: int, manatees: Manatees, events: list[Event]) -> None:
        """Send manatees back to the own bag, for 2 points each (sanctuary-9, sanctuary-16, sanctuary-24)."""
        bag = self.bag_of(seat)
        self.bags[bag] = plus(self.bags[bag], manatees)
        self._add_points(seat, -RETURN_COST * number(manatees))
        events.append({"returned": {"seat": seat, "manatees": manatees_entry(manatees)}})

    def _return_newcomers(self, seat: int, manatees: Manatees, events: list[Event]) -> None:
        self.newcomers = minus(self.newcomers, manatees)
        self._to_bag(seat, manatees, events)
        self._house(seat, events)
        if self.challenge == "SAVIOUR":
            self._lose(events)
        else:
            self._card_resolved(events)

    def _capacity(self, card: int) -> int:
        """Return the spaces of a bottom; an end-game card has none (sanctuary-14)."""
        capacity = int(self.cards[card].get("capacity", 0))
        if self.challenge == "TIGHT_FIT":
            capacity = max(0, capacity - 1)  # sanctuary-23
        return capacity

    def _play_bottom(self, seat: int, card: int, cell: Cell, rotation: int, events: list[Event]) -> None:
        sanctuary = self.sanctuaries[seat]
        edges = self.cards[card]["edges"]
        flowers = sanctuary.would_complete(cell, turned(edges, rotation))
        assert flowers is not None
        self._take_from_hand(seat, card)
        sanctuary.lay(cell, card, edges, rotation, self._capacity(card))
        self._gain_food(seat, flowers)  # One for each flower completed by the placement (sanctuary-13).
        events.append(
            {
                "bottom_played": {
                    "seat": seat,
                    "card": card,
                    "cell": cell_entry(cell),
                    "rotation": sanctuary.rotations[cell],
                    "flowers": flowers,
                }
            }
        )
        self._card_resolved(events)

    # Feeding and scoring.

    def _feed_from(self, first: int, events: list[Event]) -> None:
        """Let the seats pay in seat order, from one of them on, until one has to decide (sanctuary-16)."""
        for seat in range(first, self.seats):
            if self._meals(self.housed[seat]) > self.food[seat]:
                self.current = seat
                self.phase = "FEED"
                return
            self._pay(seat, events)
        self._score_round(events)

    def _meals(self, manatees: Manatees) -> int:
        return sum(MEALS[colour] * manatees[colour] for colour in COLOURS)

    def _pay(self, seat: int, events: list[Event]) -> None:
        meals = self._meals(self.housed[seat])
        self.food[seat] -= meals  # The rest carries over.
        events.append({"fed": {"seat": seat, "food": meals}})

    def _return_hungry(self, seat: int, manatees: Manatees, events: list[Event]) -> None:
        self.housed[seat] = minus(self.housed[seat], manatees)
        self._to_bag(seat, manatees, events)
        self._pay(seat, events)
        if self.challenge == "SAVIOUR":
            self._lose(events)
        else:
            self._feed_from(seat + 1, events)

    def _score_round(self, events: list[Event]) -> None:
        """Score manatees, round bonus, solo track and end-game cards, in this order (sanctuary-18)."""
        for seat in range(self.seats):
            manatees = self.manatee_points(seat)
            bonus = self.bonus_points(seat)
            track = self.track_points()
            end_game = self.end_game_points(seat) if self.round == ROUNDS else 0
            for points in (manatees, bonus, track, end_game):
                self._add_points(seat, points)
            events.append(
                {
                    "scored": {
                        "seat": seat,
                        "manatees": manatees,
                        "bonus": bonus,
                        "track": track,
                        "end_game": end_game,
                        "score": self.score[seat],
                    }
                }
            )
        self.token = 0
        self.current = None
        # What was known of hands has been played.
        assert not any(cards for known in self.known for cards in known)
        if self.round == ROUNDS:
            self._end_game("ROUNDS", events)
            return
        self.round += 1
        self.phase = "DRAW_CARD"
        events.append({"round_begun": {"round": self.round}})

    def manatee_points(self, seat: int) -> int:
        """Return what a seat's manatees score in this round: 3, 2, 1 each and pink ones twice that (sanctuary-17)."""
        each = 4 - self.round
        housed = self.housed[seat]
        return each * (housed[GRAY] + housed[YELLOW]) + 2 * each * housed[PINK]

    def bonus_points(self, seat: int) -> int:
        """Return what this round's bonus card gives a seat, once it has fed its manatees (sanctuary-20)."""
        if not self.rules["round_bonuses"]:
            return 0
        face = self.bonus_cards[self.bonuses[self.round - 1]]["faces"][self.round - 1]
        goal = face["goal"]
        housed = self.housed[seat]
        if goal == "SANCTUARY_GOAL_YELLOW":
            return 3 * housed[YELLOW]
        if goal == "SANCTUARY_GOAL_PINK":
            return 2 * housed[PINK]
        if goal == "SANCTUARY_GOAL_MANATEES":
            return number(housed)
        if goal in FLOWER_GOALS:
            return 3 * self.sanctuaries[seat].flowers(FLOWER_GOALS[goal])
        if goal == "SANCTUARY_GOAL_LITTLE_FOOD":
            return 5 * self.round if self.food[seat] <= 3 else 0
        if goal == "SANCTUARY_GOAL_SHAPE":
            contained = self.sanctuaries[seat].contains(face["shape"], self.rules["mirror_shapes"])
            return int(face["points"]) if contained else 0
        raise ValueError(f"unknown goal {goal!r}")

    def track_points(self) -> int:
        """Return what the solo track adds where the token is (sanctuary-21)."""
        if not self.solo:
            return 0
        track = self.catalogue["solo_track"]
        return int(track["values"][int(track.get("start", 0)) + self.token])

    def end_game_points(self, seat: int) -> int:
        """Return what a seat's end-game cards score; copies add up (sanctuary-14)."""
        housed = self.housed[seat]
        points = 0
        for card in self.sanctuaries[seat].cards.values():
            end_game = self.cards[card].get("end_game")
            if end_game == PAIRS_AT_END:
                points += number(housed) // 2
            elif end_game == PINK_AT_END:
                points += 2 * housed[PINK]
            elif end_game == YELLOW_AT_END:
                points += 3 * housed[YELLOW]
        return points

    def _lose(self, events: list[Event]) -> None:
        """End the game unscored: the saviour has sent a manatee back (sanctuary-23)."""
        self.sent_back = True
        self._end_game("SENT_BACK", events)

    def _end_game(self, reason: str, events: list[Event]) -> None:
        self.current = None
        self.phase = "OVER"
        events.append({"ended": {"reason": reason, "tier": self.tier(), "challenge_won": self.challenge_won()}})

    # Decisions.

    def moves(self, seat: int) -> list[str]:
        """Return a seat's legal moves, one for each position that they lead to, none if it owes none.

        In canonical order: splits by size of the smaller stack, then its cards; "keep smaller" first; picks and
        discards by card, "decline" last; tops by card, then bottoms by card, row, column, rotation; returns by gray,
        pink, yellow.
        """
        if seat not in self.pending():
            return []
        if self.phase == "SPLIT":
            return self._splits(seat)
        if self.phase == "CHOOSE":
            return ["keep smaller", "keep larger"]
        if self.phase == "PICK":
            return [f"pick {card}" for card in sorted(set(self.drawn))]
        if self.phase == "DISCARD":
            return self._discards()
        if self.phase == "PLAY":
            # The top is always playable (sanctuary-6).
            return [f"top {card}" for card in sorted(set(self.hands[seat]))] + self._bottoms(seat)
        if self.phase == "RETURN":
            sets = self._returns(seat)
        else:
            assert self.phase == "FEED"
            sets = self._hungry(seat)
        return [f"return {back[GRAY]},{back[PINK]},{back[YELLOW]}" for back in sets]

    def _splits(self, seat: int) -> list[str]:
        """Return every split, named by its smaller stack; equal cards are alike (sanctuary-4)."""
        hand = sorted(self.hands[seat])
        ones = set(hand)
        twos = {(hand[i], hand[j]) for j in range(len(hand)) for i in range(j)}
        return [f"split {one}" for one in sorted(ones)] + [f"split {low},{high}" for low, high in sorted(twos)]

    def _discards(self) -> list[str]:
        """Return what the challenge lets go: of equally strong cards the player picks one (sanctuary-23)."""
        strengths = {card: int(self.cards[card]["strength"]) for card in self.hands[0]}
        wanted = min(strengths.values()) if self.challenge == "WEAK_CUT" else max(strengths.values())
        moves = [f"discard {card}" for card in sorted(strengths) if strengths[card] == wanted]
        if self.challenge == "POWER_CAP" and self.round < ROUNDS:
            moves.append("decline")  # Forced in round 3.
        return moves

    def _bottoms(self, seat: int) -> list[str]:
        """Return every placement, by trying every card, cell and distinct rotation (sanctuary-11, sanctuary-12)."""
        sanctuary = self.sanctuaries[seat]
        beside = set()
        for cell in sanctuary.edges:
            beside.update(neighbours(cell))
        moves = []
        for card in sorted(set(self.hands[seat])):
            edges = self.cards[card]["edges"]
            distinct = [rotation for rotation in range(4) if equal_turns(edges, rotation)[0] == rotation]
            for cell in sorted(beside, key=by_row):
                for rotation in distinct:
                    if sanctuary.fits(cell, edges, rotation):
                        moves.append(f"bottom {card} {text_of(cell)} r{rotation}")
        return moves

    def _returns(self, seat: int) -> list[Manatees]:
        """Return the sets of newcomers of which none could still be housed (sanctuary-9)."""
        sets = []
        for back in subsets(self.newcomers):
            there = plus(self.housed[seat], minus(self.newcomers, back))
            if not self._can_house(seat, there):
                continue
            if any(back[colour] > 0 and self._can_house(seat, plus(there, one_of(colour))) for colour in COLOURS):
                continue
            sets.append(back)
        return sets

    def _hungry(self, seat: int) -> list[Manatees]:
        """Return the sets of manatees of which none could still be fed from what is left (sanctuary-16)."""
        sets = []
        for back in subsets(self.housed[seat]):
            there = minus(self.housed[seat], back)
            left = self.food[seat] - self._meals(there)
            if left < 0:
                continue
            if any(back[colour] > 0 and MEALS[colour] <= left for colour in COLOURS):
                continue
            sets.append(back)
        return sets

    def canonical(self, seat: int, notation: str) -> str:
        """Return the move of `moves` that leads to the same position as a legal notation."""
        move = notation
        split = SPLIT_TEXT.fullmatch(notation)
        if split is not None and split[2] is not None and int(split[1]) > int(split[2]):
            move = f"split {split[2]},{split[1]}"  # The order in a stack means nothing.
        bottom = BOTTOM_TEXT.fullmatch(notation)
        if bottom is not None and int(bottom[1]) < len(self.cards):
            card, x, y, turns = bottom.groups()
            # A rotation that looks the same is the same move (sanctuary-11).
            move = f"bottom {card} {x},{y} r{equal_turns(self.cards[int(card)]['edges'], int(turns))[0]}"
        if move not in self.moves(seat):
            raise ValueError(f"seat {seat} may not play {notation!r}")
        return move

    def legal(self, seat: int, notation: str) -> bool:
        """Tell whether a notation is a rules-legal way to say a move."""
        try:
            self.canonical(seat, notation)
        except ValueError:
            return False
        return True

    def play(self, seat: int, notation: str) -> list[Event]:
        """Make a seat's move and return what happens up to the next decision or chance event."""
        move = self.canonical(seat, notation)
        word, *rest = move.split()
        events: list[Event] = []
        if word in ("split", "keep"):
            self._commit(seat, move, events)
        elif word == "pick":
            self._pick(int(rest[0]), events)
        elif word == "discard":
            self._take_from_hand(seat, int(rest[0]))
            self.discards.append(int(rest[0]))
            self.strongest_discarded = self.challenge == "POWER_CAP"
            events.append({"discarded": {"card": int(rest[0])}})
            self._begin_playing(events)
        elif word == "decline":
            events.append({"declined": {}})
            self._begin_playing(events)
        elif word == "top":
            self._play_top(seat, int(rest[0]), events)
        elif word == "bottom":
            self._play_bottom(seat, int(rest[0]), cell_of(rest[1]), int(rest[2].removeprefix("r")), events)
        else:
            gray, pink, yellow = (int(count) for count in rest[0].split(","))
            back = {GRAY: gray, PINK: pink, YELLOW: yellow}
            if self.phase == "RETURN":
                self._return_newcomers(seat, back, events)
            else:
                self._return_hungry(seat, back, events)
        return events

    def _commit(self, seat: int, move: str, events: list[Event]) -> None:
        """Take down a hidden choice; the last one reveals all (sanctuary-4)."""
        self.commitments[seat] = move
        events.append({"committed": {"seat": seat}})
        if self.pending():
            return
        if self.phase == "SPLIT":
            self._reveal_splits(events)
        else:
            self._reveal_choices(events)

    # What is seen.

    def _table(self) -> dict[str, Any]:
        seats = []
        for seat in range(self.seats):
            sanctuary = self.sanctuaries[seat]
            placed = []
            for cell in sorted(sanctuary.cards, key=by_row):
                placed.append(
                    {
                        "card": sanctuary.cards[cell],
                        "cell": cell_entry(cell),
                        "rotation": sanctuary.rotations[cell],
                    }
                )
            seats.append(
                {
                    "score": self.score[seat],
                    "food": self.food[seat],
                    "manatees": manatees_entry(self.housed[seat]),
                    "sanctuary": placed,
                    "tops": sorted(self.tops[seat]),
                    "hand_size": len(self.hands[seat]),
                    "committed": self.commitments[seat] is not None,
                    "smaller_stack": 0 if self.stacks[seat] is None else len(self._stacks_of(seat)[0]),
                }
            )
        return {
            "round": self.round,
            "phase": self.phase,
            "turn": self.current if self.phase in SEATED else None,
            "seats": seats,
            "bags": [manatees_entry(bag) for bag in self.bags],
            "newcomers": manatees_entry(self.newcomers),
            "draws_left": self.draws_left,
            "bonuses": list(self.bonuses),
            "drawn": sorted(self.drawn),
            "discards": sorted(self.discards),
            "token": self.token,
            "strongest_discarded": self.strongest_discarded,
            "sent_back": self.sent_back,
        }

    def _stacks_entry(self, seat: int) -> dict[str, list[int]] | None:
        """Return the stacks that a seat has made, None if none are out."""
        if self.stacks[seat] is None:
            return None
        smaller, larger = self._stacks_of(seat)
        return {"smaller": sorted(smaller), "larger": sorted(larger)}

    def _secrets(self, seat: int) -> dict[str, Any]:
        """Return what a seat knows beyond the table, the stacks offered to it excepted (sanctuary-5)."""
        left = (seat + 1) % self.seats
        right = (seat - 1) % self.seats
        return {
            "hand": sorted(self.hands[seat]),
            "commitment": self.commitments[seat],
            "made": self._stacks_entry(seat),
            "left_hand": sorted(self.known[seat][left]),
            "right_hand": sorted(self.known[seat][right]) if right != left else [],
        }

    def position(self) -> dict[str, Any]:
        """Return everything: the referee's position, without the rules."""
        return {"table": self._table(), "referee": {"seats": [self._secrets(seat) for seat in range(self.seats)]}}

    def observe(self, seat: int) -> dict[str, Any]:
        """Return what one seat knows, if it forgets nothing (sanctuary-5)."""
        offered = None
        if self.phase == "CHOOSE" and not self.rules["blind_choice"]:
            offered = self._stacks_entry(self.giver(seat))
        return {"table": self._table(), "seat_knowledge": {"seat": seat, **self._secrets(seat), "offered": offered}}

    # What must always hold.

    def check(self) -> None:
        """Raise a ValueError unless every component is somewhere exactly once and all counts fit together."""
        self._check_cards()
        self._check_manatees()
        for sanctuary in self.sanctuaries:
            self._check_sanctuary(sanctuary)
        for seat in range(self.seats):
            if self.food[seat] < 0 or 0 < self.rules["food_cap"] < self.food[seat]:
                raise ValueError("food (sanctuary-16)")
            if self.rules["floor_score_at_zero"] and self.score[seat] < 0:
                raise ValueError("score (sanctuary-18)")
        if self.solo:
            self.track_points()  # The token is on the track.
        elif self.token != 0 or self.drawn or self.discards:
            raise ValueError("solo only")

    def _check_cards(self) -> None:
        out = self.drawn + self.discards
        for seat in range(self.seats):
            out = out + self.hands[seat] + self.tops[seat] + list(self.sanctuaries[seat].cards.values())
            if self.stacks[seat] is not None:
                smaller, larger = self._stacks_of(seat)
                out = out + smaller + larger
        for kind, card in enumerate(self.cards):
            if self.deck[kind] + out.count(kind) != count_of(card) or self.deck[kind] < 0:
                raise ValueError(f"cards of kind {kind}")
        dealt = sum(count_of(card) for card in self.cards) - sum(self.deck)
        each = 2 * DEALT if self.solo else DEALT
        if self.phase == "DRAW_BONUS":
            expected = [0]
        elif self.phase in ("DRAW_CARD", "PICK"):
            # Between the last round's deal and this one's.
            expected = list(range(each * self.seats * (self.round - 1), each * self.seats * self.round + 1))
        else:
            expected = [each * self.seats * self.round]
        if dealt not in expected:
            raise ValueError("cards dealt")
        for one in range(self.seats):
            for other in range(self.seats):
                known = self.known[one][other]
                if any(known.count(kind) > self.hands[other].count(kind) for kind in known):
                    raise ValueError("a card is known that is not there (sanctuary-5)")
                if known and (one - other) % self.seats not in (1, self.seats - 1):
                    raise ValueError("only neighbours' cards are known (sanctuary-5)")

    def _check_manatees(self) -> None:
        for colour in COLOURS:
            places = sum(bag[colour] for bag in self.bags) + self.newcomers[colour]
            places += sum(housed[colour] for housed in self.housed)
            counts = [part[colour] for part in (*self.bags, *self.housed, self.newcomers)]
            if places != BAG[colour] * len(self.bags) or min(counts) < 0:
                raise ValueError(f"manatees of colour {colour}")
        if number(self.newcomers) > 0 and self.phase not in ("DRAW_MANATEE", "RETURN"):
            raise ValueError("newcomers")
        if (self.draws_left > 0) != (self.phase == "DRAW_MANATEE"):
            raise ValueError("draws")
        for seat in range(self.seats):
            if not self._can_house(seat, self.housed[seat]):
                raise ValueError("manatees without space (sanctuary-10)")

    def _check_sanctuary(self, sanctuary: Sanctuary) -> None:
        """Build the sanctuary again, card by card, each one legally."""
        built = Sanctuary(sanctuary.edges[HOME], sanctuary.capacities[HOME])
        missing = dict(sanctuary.cards)
        while missing:
            # The order does not matter: what can be placed now can still be placed later.
            left = dict(missing)
            for cell, card in left.items():
                rotation = sanctuary.rotations[cell]
                if built.fits(cell, self.cards[card]["edges"], rotation):
                    built.lay(cell, card, self.cards[card]["edges"], rotation, self._capacity(card))
                    del missing[cell]
            if missing == left:
                raise ValueError("a card does not fit (sanctuary-12)")
        if (built.edges, built.capacities) != (sanctuary.edges, sanctuary.capacities):
            raise ValueError("a sanctuary")

    # The end.

    def scores(self) -> list[int]:
        """Return each seat's points as the position stands: where the markers are (sanctuary-18)."""
        return list(self.score)

    def ranks(self) -> list[int]:
        """Return each seat's rank: most points, most manatees, least food, then shared, 1, 1, 3 (sanctuary-19)."""
        standings = [(self.score[seat], number(self.housed[seat]), -self.food[seat]) for seat in range(self.seats)]
        return [1 + sum(other > standing for other in standings) for standing in standings]

    def tier(self) -> int | None:
        """Return how many bounds a solo score reaches, None if it is not a scored solo game (sanctuary-22)."""
        if not self.solo or self.sent_back:
            return None
        more = 25 if self.rules["round_bonuses"] else 0
        return sum(self.score[0] >= bound + more for bound in (50, 60, 70, 80, 90, 100, 110))

    def challenge_won(self) -> bool | None:
        """Return whether the challenge is won as the game stands now, at its end; None without one (sanctuary-23)."""
        sanctuary = self.sanctuaries[0]
        if self.challenge == "NONE":
            return None
        if self.challenge == "HARVESTER":
            objective = self.food[0] >= 40
        elif self.challenge == "COLOUR_COORDINATED":
            objective = any(sanctuary.flowers(colour) >= 7 for colour in FLOWERS)
        elif self.challenge == "SHORTAGE":
            objective = sanctuary.completed() <= 6
        elif self.challenge == "ARCHITECT":
            objective = sanctuary.contains(self.catalogue["challenge_shape"], self.rules["mirror_shapes"])
        elif self.challenge == "SAVIOUR":
            objective = number(self.housed[0]) >= 24 and not self.sent_back
        else:
            objective = True  # TIGHT_FIT, POWER_CAP and WEAK_CUT have no objective but the points.
        return objective and self.score[0] >= 71
