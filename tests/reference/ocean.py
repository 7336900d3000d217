"""Malaysia's Ocean Heritage, written to be read next to the decided rules (ocean-1 to ocean-19).

Nothing here is fast. Scores are found by looking at every card again, targets by trying every image of a pattern at
every place, and what a player knows by remembering every card it ever held.
"""

from __future__ import annotations

from typing import Any

Cell = tuple[int, int]
Event = dict[str, Any]

PLANT = "OCEAN_KIND_PLANT"
CORAL = "OCEAN_KIND_CORAL"
TINY = "OCEAN_KIND_TINY"
INVERTEBRATE = "OCEAN_KIND_INVERTEBRATE"
SMALL = "OCEAN_KIND_SMALL"
MEDIUM = "OCEAN_KIND_MEDIUM"
GIANT = "OCEAN_KIND_GIANT"
CARNIVORE = "OCEAN_KIND_CARNIVORE"

# The rulebook's number of cards of each kind (ocean-13): 40 in all.
CARDS_OF_KIND = {
    PLANT: 7,
    CORAL: 7,
    TINY: 3,
    INVERTEBRATE: 4,
    SMALL: 5,
    MEDIUM: 5,
    GIANT: 6,
    CARNIVORE: 3,
}

NO_CATEGORY = "OCEAN_IUCN_CATEGORY_NO_CATEGORY"
UNSPECIFIED_CATEGORY = "OCEAN_IUCN_CATEGORY_UNSPECIFIED"

DECK_SIZE = 40
HAND_SIZE = 10
LAST_ROUND = 9
TARGETS_EACH = 2
PLAIN_TARGETS = 8
PROMO = 8  # The promo target's id, next after the eight plain ones (ocean-17).

DEFAULT_RULES: dict[str, Any] = {
    "topology": "SQUARE",  # ocean-1
    "passing": "LEFT",  # ocean-4
    "same_kind_sets": False,  # ocean-10
    "target_match": "CONTAINED",  # ocean-15
    "mirror_targets": False,  # ocean-16
    "promo": False,  # ocean-17
    "no_category_counts": True,  # ocean-18
}


def neighbours(topology: str, x: int, y: int) -> list[Cell]:
    """Return the cells adjacent to (x, y) (ocean-1)."""
    if topology == "SQUARE":
        steps = [(0, -1), (1, 0), (0, 1), (-1, 0)]
    elif topology == "SQUARE_DIAGONAL":
        steps = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
    elif topology == "HEX":
        steps = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
    else:
        raise ValueError(f"unknown topology {topology!r}")
    return [(x + dx, y + dy) for dx, dy in steps]


def is_scoring_pair(one: str, other: str) -> bool:
    """Tell whether two kinds make a pair of the set condition (ocean-11)."""
    if {one, other} == {CORAL, INVERTEBRATE}:
        return True
    if {one, other} == {CORAL, PLANT}:
        return True
    if {one, other} == {PLANT, INVERTEBRATE}:
        return True
    return one == PLANT and other == PLANT


def most_disjoint_pairs(kinds: list[str]) -> int:
    """Return the largest number of disjoint scoring pairs, by trying every way to pair (ocean-11)."""
    if len(kinds) < 2:
        return 0
    first = kinds[0]
    rest = kinds[1:]
    best = most_disjoint_pairs(rest)  # The first card stays without a partner.
    for i in range(len(rest)):
        if is_scoring_pair(first, rest[i]):
            others = rest[:i] + rest[i + 1 :]
            best = max(best, 1 + most_disjoint_pairs(others))
    return best


def sets_of_either(size: int, one: str, other: str, adjacent_kinds: list[str], same_kind_sets: bool) -> int:
    """Return how many sets of `size` cards "of either one or other" there are (ocean-9, ocean-10)."""
    a = adjacent_kinds.count(one)
    b = adjacent_kinds.count(other)
    if same_kind_sets:
        return a // size + b // size
    return (a + b) // size


def condition_points(condition: str, adjacent_kinds: list[str], same_kind_sets: bool) -> int:
    """Return what a card with this condition scores next to cards of these kinds (ocean-9 to ocean-12).

    "Tiny" is the tiny species, Mikrob Kecil, in every condition (ocean-7); "small" is the small marine life.
    """
    plants = adjacent_kinds.count(PLANT)
    corals = adjacent_kinds.count(CORAL)
    tiny = adjacent_kinds.count(TINY)
    invertebrates = adjacent_kinds.count(INVERTEBRATE)
    small = adjacent_kinds.count(SMALL)
    medium = adjacent_kinds.count(MEDIUM)
    giants = adjacent_kinds.count(GIANT)
    carnivores = adjacent_kinds.count(CARNIVORE)

    # In the rulebook's order (ocean-12).
    if condition == "OCEAN_CONDITION_FLAT":
        return 4
    if condition == "OCEAN_CONDITION_EACH_TINY":
        return 2 * tiny
    if condition == "OCEAN_CONDITION_EACH_PLANT":
        return 3 * plants
    if condition == "OCEAN_CONDITION_EACH_PLANT_OR_CORAL":
        return 2 * (plants + corals)
    if condition == "OCEAN_CONDITION_EACH_INVERTEBRATE":
        return 3 * invertebrates
    if condition == "OCEAN_CONDITION_EACH_SMALL":
        return 6 * small
    if condition == "OCEAN_CONDITION_EACH_TINY_OR_CORAL":
        return 3 * (tiny + corals)
    if condition == "OCEAN_CONDITION_EACH_GIANT_OR_CARNIVORE":
        return 5 * (giants + carnivores)
    if condition == "OCEAN_CONDITION_TWO_PLANTS":
        return 12 * (plants // 2)
    if condition == "OCEAN_CONDITION_TWO_CORALS":
        return 8 * (corals // 2)
    if condition == "OCEAN_CONDITION_PAIRS":
        # Untouched by the option of ocean-10.
        return 10 * most_disjoint_pairs([kind for kind in adjacent_kinds if kind in (PLANT, CORAL, INVERTEBRATE)])
    if condition == "OCEAN_CONDITION_TWO_SMALL_OR_INVERTEBRATE":
        return 12 * sets_of_either(2, SMALL, INVERTEBRATE, adjacent_kinds, same_kind_sets)
    if condition == "OCEAN_CONDITION_TWO_TINY":
        return 16 * (tiny // 2)
    if condition == "OCEAN_CONDITION_THREE_PLANTS":
        return 23 * (plants // 3)
    if condition == "OCEAN_CONDITION_TWO_TINY_OR_INVERTEBRATE":
        return 14 * sets_of_either(2, TINY, INVERTEBRATE, adjacent_kinds, same_kind_sets)
    if condition == "OCEAN_CONDITION_THREE_SMALL_OR_INVERTEBRATE":
        return 21 * sets_of_either(3, SMALL, INVERTEBRATE, adjacent_kinds, same_kind_sets)
    if condition == "OCEAN_CONDITION_TWO_MEDIUM":
        return 13 * (medium // 2)
    raise ValueError(f"unknown condition {condition!r}")


def rotated(topology: str, cell: Cell) -> Cell:
    """Return the cell turned by one step about the origin: a quarter, or with HEX a sixth (ocean-16)."""
    x, y = cell
    if topology == "HEX":
        return (-y, x + y)
    return (-y, x)


def mirrored(topology: str, cell: Cell) -> Cell:
    """Return the cell's mirror image (ocean-16). Which mirror does not matter: the rotations give the others."""
    x, y = cell
    if topology == "HEX":
        return (y, x)
    return (-x, y)


def pattern_images(topology: str, cells: list[Cell], mirror_targets: bool) -> list[list[Cell]]:
    """Return every image of a pattern: 4 or 6 rotations, twice as many with mirroring (ocean-16).

    The cells of an image keep the order of the pattern's cells.
    """
    starts = [cells]
    if mirror_targets:
        starts.append([mirrored(topology, cell) for cell in cells])
    turns = 6 if topology == "HEX" else 4
    images = []
    for start in starts:
        image = start
        for _ in range(turns):
            images.append(image)
            image = [rotated(topology, cell) for cell in image]
    return images


def target_matches(
    topology: str,
    pattern: list[dict[str, Any]],
    ocean_kinds: dict[Cell, str],
    target_match: str,
    mirror_targets: bool,
) -> bool:
    """Tell whether a target's pattern matches an ocean, given as the kind of the card in each cell (ocean-15).

    `pattern` is the catalogue's list for the topology; an absent x or y is 0, and absent kinds mean any card.
    """
    if target_match not in ("CONTAINED", "WHOLE_SHAPE"):
        raise ValueError(f"unknown target match {target_match!r}")
    cells = [(int(entry.get("x", 0)), int(entry.get("y", 0))) for entry in pattern]
    demands = [list(entry.get("kinds", [])) for entry in pattern]
    if not cells:
        raise ValueError("a pattern has at least one cell")
    if target_match == "WHOLE_SHAPE" and (len(cells) != 9 or len(ocean_kinds) != 9):
        # The footprint is that of nine cards: other patterns, and unfinished oceans, never match.
        return False
    for image in pattern_images(topology, cells, mirror_targets):
        # A pattern cell is never empty, so in every match the image's first cell lies on some card.
        # Trying each card in turn for it tries every translation that can match.
        for card_x, card_y in ocean_kinds:
            shift_x = card_x - image[0][0]
            shift_y = card_y - image[0][1]
            shifted = [(x + shift_x, y + shift_y) for x, y in image]
            if target_match == "WHOLE_SHAPE" and set(shifted) != set(ocean_kinds):
                continue
            if all(
                cell in ocean_kinds and (not kinds or ocean_kinds[cell] in kinds)
                for cell, kinds in zip(shifted, demands, strict=True)
            ):
                return True
    return False


def iucn_points(categories: list[str], no_category_counts: bool) -> int:
    """Return what the promo target scores for the categories of the owner's cards (ocean-17, ocean-18)."""
    distinct = set(categories)
    if not no_category_counts:
        distinct.discard(NO_CATEGORY)
    if len(distinct) < 3:
        return 0
    if len(distinct) == 3:
        return 3
    if len(distinct) == 4:
        return 7
    if len(distinct) == 5:
        return 12
    return 18


def by_row(cell: Cell) -> tuple[int, int]:
    """Return the key that sorts cells by row, then column."""
    x, y = cell
    return (y, x)


class ReferenceOcean:
    """One game, seen by the referee. Call `deal` before anything else."""

    def __init__(self, catalogue: dict[str, Any], seats: int, rules: dict[str, Any], targets: bool) -> None:
        """Set up a game without cards: `targets` tells whether the TARGETS variant is played (ocean-14)."""
        if not 2 <= seats <= 4:
            raise ValueError("2 to 4 players")
        for key in rules:
            if key not in DEFAULT_RULES:
                raise ValueError(f"unknown rule option {key!r}")
        options = {**DEFAULT_RULES, **rules}
        if options["topology"] not in ("SQUARE", "SQUARE_DIAGONAL", "HEX"):
            raise ValueError("topology")
        if options["passing"] not in ("LEFT", "RIGHT", "ALTERNATE"):
            raise ValueError("passing")
        if options["target_match"] not in ("CONTAINED", "WHOLE_SHAPE"):
            raise ValueError("target_match")
        self.topology: str = options["topology"]
        self.passing: str = options["passing"]
        self.same_kind_sets: bool = options["same_kind_sets"]
        self.target_match: str = options["target_match"]
        self.mirror_targets: bool = options["mirror_targets"]
        self.promo: bool = options["promo"]
        self.no_category_counts: bool = options["no_category_counts"]
        self.targets_played = targets
        self.seats = seats

        # The catalogue (ocean-13). A card's id is its index, and so is a target's.
        self.catalogue = catalogue
        self.cards: list[dict[str, Any]] = catalogue["cards"]
        self.target_cards: list[dict[str, Any]] = catalogue.get("targets", [])
        kinds = [card["kind"] for card in self.cards]
        if len(kinds) != DECK_SIZE or any(kinds.count(kind) != count for kind, count in CARDS_OF_KIND.items()):
            raise ValueError("the catalogue's cards do not have the rulebook's counts of kinds")
        if targets and len(self.target_cards) != PLAIN_TARGETS:
            raise ValueError("TARGETS needs a catalogue with 8 targets")
        if self.promo:
            # Without TARGETS the other target options are idle, but the promo is refused.
            if not targets:
                raise ValueError("promo needs TARGETS")
            if not catalogue.get("promo_name"):
                raise ValueError("promo needs a catalogue with a promo target")
            if any(card.get("iucn_category", UNSPECIFIED_CATEGORY) == UNSPECIFIED_CATEGORY for card in self.cards):
                raise ValueError("promo needs a category on every card")

        # The moment of the game.
        self.round = 1
        self.phase = "PICK"
        # Of each seat: the cards in its hand, the card in each cell of its ocean, the card it has revealed and not
        # yet placed, its hidden choice, its targets, and every card that it has ever had in its hand.
        self.hands: list[set[int]] = [set() for _ in range(seats)]
        self.oceans: list[dict[Cell, int]] = [{} for _ in range(seats)]
        self.revealed: list[int | None] = [None for _ in range(seats)]
        self.commitments: list[str | None] = [None for _ in range(seats)]
        self.held_targets: list[list[int]] = [[] for _ in range(seats)]
        self.ever_held: list[set[int]] = [set() for _ in range(seats)]

    def deal(self, cards: list[int], targets: list[int]) -> None:
        """Start the game with the deck and the target deck in these orders (ocean-6).

        `targets` names target ids, at least as many as are dealt; it is empty in the base game.
        """
        if sorted(cards) != list(range(DECK_SIZE)):
            raise ValueError("the deck is each of the 40 cards once")
        if self.targets_played:
            known = list(range(PLAIN_TARGETS))
            if self.promo:
                known.append(PROMO)  # Shuffled in with the eight (ocean-17).
            if len(set(targets)) != len(targets) or any(target not in known for target in targets):
                raise ValueError("each target is there once at most")
            if len(targets) < TARGETS_EACH * self.seats:
                raise ValueError("too few targets")
        elif targets:
            raise ValueError("the base game has no targets")
        self.round = 1
        self.phase = "PICK"
        for seat in range(self.seats):
            # Seat s gets cards 10 s to 10 s + 9 and targets 2 s and 2 s + 1; the rest stay unseen (ocean-6).
            self.hands[seat] = set(cards[HAND_SIZE * seat : HAND_SIZE * seat + HAND_SIZE])
            self.held_targets[seat] = sorted(targets[TARGETS_EACH * seat : TARGETS_EACH * seat + TARGETS_EACH])
            self.oceans[seat] = {}
            self.revealed[seat] = None
            self.commitments[seat] = None
            self.ever_held[seat] = set(self.hands[seat])

    def clone(self) -> ReferenceOcean:
        """Return a copy that can be played on without changing this game."""
        other = ReferenceOcean.__new__(ReferenceOcean)
        other.__dict__.update(self.__dict__)
        other.hands = [set(hand) for hand in self.hands]
        other.oceans = [dict(ocean) for ocean in self.oceans]
        other.revealed = list(self.revealed)
        other.commitments = list(self.commitments)
        other.held_targets = [list(held) for held in self.held_targets]
        other.ever_held = [set(held) for held in self.ever_held]
        return other

    # Play.

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.phase == "OVER"

    def pending(self) -> list[int]:
        """Return the seats that still owe a decision: play is simultaneous, in any order (ocean-3)."""
        if self.over:
            return []
        return [seat for seat in range(self.seats) if self.commitments[seat] is None]

    def moves(self, seat: int) -> list[str]:
        """Return the legal choices of a seat, none if it owes none. A commit is final (ocean-3)."""
        if seat not in self.pending():
            return []
        if self.phase == "PICK":
            return [f"pick {card}" for card in sorted(self.hands[seat])]
        return [f"place {x},{y}" for x, y in sorted(self.free_cells(seat), key=by_row)]

    def free_cells(self, seat: int) -> set[Cell]:
        """Return the cells that are adjacent to an own card and not taken (ocean-2). There is no size limit."""
        ocean = self.oceans[seat]
        cells = set()
        for x, y in ocean:
            for cell in neighbours(self.topology, x, y):
                if cell not in ocean:
                    cells.add(cell)
        return cells

    def play(self, seat: int, notation: str) -> list[Event]:
        """Commit a seat's choice and return what happens; the last seat's commit reveals all (ocean-3)."""
        if notation not in self.moves(seat):
            raise ValueError(f"seat {seat} may not play {notation!r}")
        self.commitments[seat] = notation
        events: list[Event] = [{"committed": {"seat": seat}}]
        if self.pending():
            return events

        choices = [commitment for commitment in self.commitments if commitment is not None]
        events.append({"revealed": {"moves": [{"seat": s, "move": choices[s]} for s in range(self.seats)]}})
        self.commitments = [None for _ in range(self.seats)]
        if self.phase == "PICK":
            events.extend(self._reveal_picks(choices))
        else:
            events.extend(self._reveal_placements(choices))
        return events

    def _reveal_picks(self, choices: list[str]) -> list[Event]:
        for seat in range(self.seats):
            card = int(choices[seat].removeprefix("pick "))
            self.hands[seat].remove(card)
            if self.round == 1:
                self.oceans[seat][(0, 0)] = card  # The first card is the origin, without a decision (ocean-2, 3).
            else:
                self.revealed[seat] = card
        if self.round == 1:
            return self._pass_hands()
        self.phase = "PLACE"
        return []

    def _reveal_placements(self, choices: list[str]) -> list[Event]:
        for seat in range(self.seats):
            x, y = choices[seat].removeprefix("place ").split(",")
            card = self.revealed[seat]
            assert card is not None
            self.oceans[seat][(int(x), int(y))] = card
            self.revealed[seat] = None
        if self.round < LAST_ROUND:
            return self._pass_hands()
        # Nine cards are placed. The tenth is not passed; it stays with its holder and scores nothing (ocean-5).
        # Held targets are open now (ocean-14).
        self.phase = "OVER"
        if not self.targets_played:
            return [{"ended": {"targets": []}}]
        return [{"ended": {"targets": [{"targets": list(held)} for held in self.held_targets]}}]

    def _pass_hands(self) -> list[Event]:
        """Pass every hand to a neighbour and begin the next round (ocean-4)."""
        if self.passing == "LEFT":
            direction = "LEFT"
        elif self.passing == "RIGHT":
            direction = "RIGHT"
        else:
            direction = "LEFT" if self.round % 2 == 1 else "RIGHT"
        # The left neighbour of seat s is seat s + 1.
        step = 1 if direction == "LEFT" else -1
        received: list[set[int]] = [set() for _ in range(self.seats)]
        for seat in range(self.seats):
            received[(seat + step) % self.seats] = self.hands[seat]
        self.hands = received
        events: list[Event] = [{"passed": {"direction": direction}}]
        for seat in range(self.seats):
            self.ever_held[seat] |= self.hands[seat]
            events.append({"private_to": seat, "received": {"seat": seat, "cards": sorted(self.hands[seat])}})
        self.round += 1
        self.phase = "PICK"
        return events

    # What is seen.

    def _table(self) -> dict[str, Any]:
        seats = []
        for seat in range(self.seats):
            ocean = self.oceans[seat]
            seats.append(
                {
                    "ocean": [{"card": ocean[(x, y)], "cell": {"x": x, "y": y}} for x, y in sorted(ocean, key=by_row)],
                    # Until the reveal a chosen card counts in its hand (ocean-3).
                    "hand_size": len(self.hands[seat]),
                    "committed": self.commitments[seat] is not None,
                    "revealed_card": self.revealed[seat],
                    # Secret to the end (ocean-14).
                    "targets": list(self.held_targets[seat]) if self.over else [],
                }
            )
        return {"round": self.round, "phase": self.phase, "seats": seats}

    def _secret_targets(self, seat: int) -> list[int]:
        return [] if self.over else list(self.held_targets[seat])

    def position(self) -> dict[str, Any]:
        """Return everything: the referee's position."""
        secrets = []
        for seat in range(self.seats):
            secrets.append(
                {
                    "hand": sorted(self.hands[seat]),
                    "targets": self._secret_targets(seat),
                    "commitment": self.commitments[seat],
                }
            )
        return {"table": self._table(), "referee": {"seats": secrets}}

    def observe(self, seat: int) -> dict[str, Any]:
        """Return what one seat knows, if it forgets nothing ("What an observer knows").

        A hand that the seat has held is known from then on, less what was since played from it. So, of any hand, it
        knows the cards that it has had in its own hand before. What follows by elimination is not added.
        """
        hands = [{"cards": sorted(hand & self.ever_held[seat])} for hand in self.hands]
        return {
            "table": self._table(),
            "seat_knowledge": {
                "seat": seat,
                "targets": self._secret_targets(seat),
                "commitment": self.commitments[seat],
                "hands": hands,
            },
        }

    # Scoring.

    def species_points(self, seat: int) -> int:
        """Return the points of the cards placed so far.

        Each card scores from its neighbours, never from itself, and a neighbour serves any number of scorers
        (ocean-8).
        """
        ocean = self.oceans[seat]
        points = 0
        for (x, y), card in ocean.items():
            adjacent_kinds = []
            for cell in neighbours(self.topology, x, y):
                if cell in ocean:
                    adjacent_kinds.append(self.cards[ocean[cell]]["kind"])
            points += condition_points(self.cards[card]["condition"], adjacent_kinds, self.same_kind_sets)
        return points

    def target_points(self, seat: int) -> int:
        """Return the points of the seat's targets as its cards lie now; each scores once at most (ocean-14)."""
        ocean = self.oceans[seat]
        ocean_kinds = {cell: self.cards[card]["kind"] for cell, card in ocean.items()}
        points = 0
        for target in self.held_targets[seat]:
            if target == PROMO:
                # Whatever `target_match` says (ocean-17).
                categories = [self.cards[card]["iucn_category"] for card in ocean.values()]
                points += iucn_points(categories, self.no_category_counts)
                continue
            target_card = self.target_cards[target]
            # SQUARE_DIAGONAL uses the square patterns; HEX has its own (ocean-16).
            pattern = target_card["hex"] if self.topology == "HEX" else target_card["square"]
            if target_matches(self.topology, pattern, ocean_kinds, self.target_match, self.mirror_targets):
                points += target_card["points"]
        return points

    def scores(self) -> list[int]:
        """Return each seat's points as the position stands."""
        return [self.species_points(seat) + self.target_points(seat) for seat in range(self.seats)]

    def ranks(self) -> list[int]:
        """Return each seat's rank: most points win, ties are shared, 1, 1, 3 (ocean-19)."""
        scores = self.scores()
        return [1 + sum(other > score for other in scores) for score in scores]
