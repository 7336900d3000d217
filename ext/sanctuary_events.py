"""What happens in sanctuary, as a player sees it: events between two positions, and observations after events.

Events and positions are mappings with the field names of SanctuaryEvent and SanctuaryPosition in
advisor/v1/sanctuary.proto. Enums are short strings ("PINK"), moves are notations ("keep larger"), and an event that
only one seat sees carries "private_to". The positions handed in are dumps, every field written out; events may come
from outside.

`_Table` has the rules for the public part of a position. Both `events` and `report` move one on: what it says happened
is what the one tells and what the other holds reports to.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Protocol

from ext import sanctuary_notation, sanctuary_tables
from ext.errors import Malformed, Violation
from ext.game import Observation
from ext.reading import Cell, Faults, Full, shown
from ext.sanctuary_notation import BONUS_CARDS, COLOURS, MOST_MANATEES, REACH, STACKS
from ext.sanctuary_tables import (
    DEALT,
    LITTLE_FOOD,
    LITTLE_FOOD_MOST,
    MEALS,
    MOST_FOOD,
    MOST_POINTS,
    PAIRS_AT_END,
    PINK_AT_END,
    POINTS,
    RETURN_COST,
    ROUNDS,
    SHAPE,
    SPACES,
    STEPS,
    TIER_RAISE,
    TIERS,
    WALL,
    YELLOW_AT_END,
    Card,
)

Event = dict[str, Any]
Manatees = dict[str, int]
"""How many of each of `COLOURS`."""
Stacks = dict[str, list[int]]
"""The cards of each of `STACKS`, ascending."""

_HOME: Cell = (0, 0)
_KEPT = tuple(stack.upper() for stack in STACKS)
_COLOUR_NAMES = tuple(colour.upper() for colour in COLOURS)
# What the challenges demand (sanctuary-23).
_CHALLENGE_SCORE = 71
_HARVESTER_FOOD = 40
_FLOWERS_OF_ONE_COLOUR = 7
_SHORTAGE_FLOWERS = 6
_SAVIOUR_MANATEES = 24


def events(
    before: Mapping[str, Any],
    seat: int,
    notation: str,
    after: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    rules: Mapping[str, Any],
    variant: str,
    seats: int,
    cards: Sequence[Card] | None = None,
) -> list[Event]:
    """What the legal move `notation` of `seat` brought between two referee's positions, up to what comes next.

    First the decision, of a split or a choice only that the seat has committed. Then what it brought by itself: when it
    was the last split, stacks_offered and without `blind_choice` a private stacks_seen for each seat; when it was the
    last choice, stacks_chosen and a private hand_taken for each seat; housed; when no card is left to play, fed for
    each seat up to one that is short of food, and after the last scored for each seat and round_begun or ended.

    `rules` has every option; `cards` are the kinds of card as ext.sanctuary_tables compiles them, which takes a while.
    ValueError for no notation.
    """
    table = _Table(before["table"], catalogue, rules, variant, seats, cards)
    word, *numbers = sanctuary_notation.parse(notation)
    if word not in ("split", "keep"):
        return table.play(seat, word, numbers)
    found = table.commit(seat)
    if any(not entry["committed"] for entry in table.seats):
        return found
    secrets = after["referee"]["seats"]
    if word == "split":
        found += table.offer([entry["smaller_stack"] for entry in after["table"]["seats"]])
        if not rules["blind_choice"]:
            for s in range(seats):
                found.append(_stacks_seen(s, secrets[table.giver(s)]["made"]))
        return found
    texts = [entry["commitment"] for entry in before["referee"]["seats"]]
    texts[seat] = notation
    found += table.choose([_KEPT[_stack(text)] for text in texts])
    return found + [_hand_taken(s, entry["hand"]) for s, entry in enumerate(secrets)]


def chance_events(
    before: Mapping[str, Any],
    outcome: str,
    after: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    rules: Mapping[str, Any],
    variant: str,
    seats: int,
    cards: Sequence[Card] | None = None,
) -> list[Event]:
    """What an outcome of chance ("card 12") brought between two referee's positions, up to what comes next.

    The draw; of a card dealt to a hand that one was dealt, and then which one, private to its seat. After the last
    manatee what follows by itself, as in `events`. ValueError for no outcome.
    """
    table = _Table(before["table"], catalogue, rules, variant, seats, cards)
    word, number = sanctuary_notation.parse_outcome(outcome)
    if word == "bonus":
        return table.draw_bonus(number)
    if word == "manatee":
        return table.draw_manatee(COLOURS[number])
    if variant == "solo":
        return table.draw_card(number)
    found = table.deal()
    seat = found[0]["card_dealt"]["seat"]
    return [*found, {"private_to": seat, "card_received": {"seat": seat, "card": number}}]


def _stacks_seen(seat: int, stacks: Stacks) -> Event:
    return {"private_to": seat, "stacks_seen": {"seat": seat, "stacks": stacks}}


def _hand_taken(seat: int, cards: Sequence[int]) -> Event:
    return {"private_to": seat, "hand_taken": {"seat": seat, "cards": sorted(cards)}}


def _stack(text: str) -> int:
    """Which of `STACKS` a choice keeps."""
    _, *numbers = sanctuary_notation.parse(text)
    return numbers[0]


class _Kernel(Protocol):
    """What `report` asks of a game of sanctuary."""

    @property
    def seats(self) -> int: ...
    @property
    def catalogue(self) -> Mapping[str, Any]: ...
    @property
    def rules(self) -> Mapping[str, Any]: ...
    @property
    def variant(self) -> str: ...
    @property
    def cards(self) -> Sequence[Card]: ...
    def dump_observation(self, observation: Observation) -> dict[str, Any]: ...
    def load_observation(self, position: Mapping[str, Any]) -> Observation: ...


def report(game: _Kernel, observation: Observation, events: Sequence[Mapping[str, Any]]) -> Observation:
    """The observation after what the observer has seen happen, in order; `game` is the kernel that it is of.

    Decisions of any seat and outcomes of chance, none left out but commitments, and what is private to the observer:

    - committed: of another seat once, or not at all. Of the observer's own any number of times, but it does not say
      which choice: a split has to be committed before, a choice may be told by stacks_chosen instead.
    - stacks_seen right after stacks_offered, unless the choice is blind.
    - hand_taken right after stacks_chosen, which may be left out unless the choice is blind.
    - card_received right after a card_dealt to the observer.

    What follows by itself (housed, fed, scored, round_begun, ended) may be left out; given, it is what the rules say,
    in their order. What follows in other events (harvest, taken, flowers, token) has to be given, and right.

    Raises `Malformed` with paths like "events[2].top_played.card", at most 1,000 faults: first whatever is unreadable
    in any event, or else what is wrong with the first event that cannot have happened. The path is "events" when
    something has to follow the last one, or when they lead to what no position holds.
    """
    seen = game.dump_observation(observation)
    table = _Table(seen["table"], game.catalogue, game.rules, game.variant, game.seats, game.cards)
    reporting = _Reporting(table, seen["seat_knowledge"])
    with suppress(Full):
        reporting.take(events)
    if reporting.faults.found:
        raise Malformed(reporting.faults.found)
    try:
        return game.load_observation({**seen, "table": table.now, "seat_knowledge": reporting.knowledge})
    except Malformed as error:
        raise Malformed(
            [Violation("events", f"they lead to no position: {path}: {fault}") for path, fault in error.violations]
        ) from error


class _Table:
    """The public part of a position, `now`, moved on by what everybody sees.

    Every method that moves it on takes what is legal there and returns what happened: first the event itself, then what
    it brought by itself. No list or message of the table handed in is changed.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        catalogue: Mapping[str, Any],
        rules: Mapping[str, Any],
        variant: str,
        seats: int,
        cards: Sequence[Card] | None,
    ) -> None:
        self.catalogue = catalogue
        self.rules = rules
        self.variant = variant
        self.challenge: str = rules["challenge"]
        self.seats: list[dict[str, Any]] = [dict(entry) for entry in table["seats"]]
        self.bags: list[Manatees] = [dict(bag) for bag in table["bags"]]
        self.now: dict[str, Any] = {**table, "seats": self.seats, "bags": self.bags}
        self.editions = [sanctuary_tables.edition_of(s, seats, variant) for s in range(seats)]
        self.cards = sanctuary_tables.cards(catalogue, variant, self.challenge) if cards is None else cards

    @cached_property
    def tiles(self) -> list[sanctuary_tables.StartingTile]:
        """The starting tile of each edition."""
        return sanctuary_tables.starting_tiles(self.catalogue, self.variant)

    @cached_property
    def bonuses(self) -> list[sanctuary_tables.Bonus]:
        """The kinds of round bonus card."""
        return sanctuary_tables.bonuses(self.catalogue, self.rules["mirror_shapes"])

    @cached_property
    def track(self) -> sanctuary_tables.SoloTrack:
        """The solo track; only in solo."""
        return sanctuary_tables.solo_track(self.catalogue)

    # What is there.

    def words(self, seat: int) -> dict[Cell, int]:
        """The edges, as they lie, of each cell of a sanctuary, the starting tile first."""
        words = {_HOME: self.tiles[self.editions[seat]].word}
        for placed in self.seats[seat]["sanctuary"]:
            words[placed["cell"]["x"], placed["cell"]["y"]] = self.cards[placed["card"]].words[placed["rotation"]]
        return words

    def flowers(self, seat: int) -> list[int]:
        """The completed flowers of a sanctuary: red, green and purple ones."""
        words = self.words(seat)
        found = [0, 0, 0]
        for (x, y), word in words.items():
            for side in (1, 2):  # East and south: each pair of touching edges once.
                edge = sanctuary_tables.edge_at(word, side)
                if edge != WALL and (x + STEPS[side][0], y + STEPS[side][1]) in words:
                    found[edge - 1] += 1
        return found

    def touching(self, seat: int, card: int, cell: Cell, turns: int) -> list[tuple[int, int]]:
        """The edges of a card on a cell that touch others, each with the one that it touches."""
        words = self.words(seat)
        word = self.cards[card].words[turns]
        edge_at = sanctuary_tables.edge_at
        beside = [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]
        return [
            (edge_at(word, side), edge_at(words[other], (side + 2) % 4))
            for side, other in enumerate(beside)
            if other in words
        ]

    def misplaced(self, seat: int, card: int, cell: Cell, turns: int) -> str | None:
        """Why a card may not be played to a cell (sanctuary-11, sanctuary-12), or None."""
        words = self.words(seat)
        where = f"{cell[0]},{cell[1]}"
        if cell in words:
            return f"expected a free cell; {where} is not"
        hosts = self.cards[card].hosts[turns]
        beside = [(cell[0] + dx, cell[1] + dy) for dx, dy in STEPS]
        if not any(hosts >> side & 1 and other in words for side, other in enumerate(beside)):
            return f"expected a card beside the inner edge; at {where} r{turns} there is none"
        touching = self.touching(seat, card, cell, turns)
        if any(edge != facing for edge, facing in touching):
            return f"expected touching edges to be the same flower or both walls; at {where} r{turns} some are not"
        if all(edge == WALL for edge, _ in touching):
            return f"expected a flower to be completed; at {where} r{turns} none is"
        return None

    def can_house(self, seat: int, manatees: Manatees) -> bool:
        """Whether some arrangement houses these manatees of a seat (sanctuary-10)."""
        spaces = [self.cards[placed["card"]].capacity for placed in self.seats[seat]["sanctuary"]]
        spaces.append(self.tiles[self.editions[seat]].capacity)
        if _each(SPACES, manatees) > sum(spaces):
            return False
        # A yellow one needs its two spaces on one card.
        return bool(self.rules["pooled_space"]) or manatees["yellow"] <= sum(space // 2 for space in spaces)

    def contains(self, seat: int, images: Sequence[sanctuary_tables.Image]) -> bool:
        """Whether one of a shape's images lies somewhere in a sanctuary (sanctuary-20)."""
        words = self.words(seat)
        return any(all((x + dx, y + dy) in words for dx, dy in image) for image in images for x, y in words)

    def bag_to_draw_from(self, seat: int) -> Manatees | None:
        """The own bag, while it is empty the other one, None when there is nothing left (sanctuary-24)."""
        own = self.bags[self.editions[seat]]
        return next((bag for bag in (own, *self.bags) if _number(bag) > 0), None)

    def chooser(self, seat: int) -> int:
        """Who chooses between a seat's stacks: its left neighbour, in round 2 the right one (sanctuary-4)."""
        return (seat + (-1 if self.now["round"] == 2 else 1)) % len(self.seats)

    def giver(self, seat: int) -> int:
        """Whose stacks a seat chooses between."""
        return (seat + (1 if self.now["round"] == 2 else -1)) % len(self.seats)

    def stack_size(self, seat: int, stack: str) -> int:
        """How many cards are in the SMALLER or the LARGER stack of a seat."""
        smaller: int = self.seats[seat]["smaller_stack"]
        return smaller if stack == "SMALLER" else DEALT - smaller

    def not_returned(self, seat: int, back: Manatees) -> str | None:
        """Why a seat may not send these manatees back, or None (sanctuary-9, in FEED sanctuary-16)."""
        hungry = self.now["phase"] == "FEED"
        housed = self.seats[seat]["manatees"]
        among = housed if hungry else self.now["newcomers"]
        if any(back[colour] > among[colour] for colour in COLOURS):
            return f"expected some of the {_told(among)} {'housed' if hungry else 'newcomers'}, not {_told(back)}"
        left = _minus(among, back)

        def stays(more: Manatees) -> bool:
            there = _plus(left, more)
            if hungry:
                return _each(MEALS, there) <= int(self.seats[seat]["food"])
            return self.can_house(seat, _plus(housed, there))

        want = "food" if hungry else "space"
        if not stays(_none()):
            return f"expected more to go back; there is not {want} enough for the {_told(left)} left"
        for colour in COLOURS:
            if back[colour] > 0 and stays({**_none(), colour: 1}):
                return f"expected less to go back; there is {want} for a {colour} one of the {_told(back)}"
        return None

    # Chance.

    def draw_bonus(self, kind: int) -> list[Event]:
        bonuses = self.now["bonuses"] = [*self.now["bonuses"], kind]
        if len(bonuses) == ROUNDS:
            self.now["phase"] = "DRAW_CARD"
        return [{"bonus_drawn": {"bonus": kind, "round": len(bonuses)}}]

    def deal(self) -> list[Event]:
        """Deals to the first seat that lacks cards: seat 0's five come first (sanctuary-2)."""
        seat = next(s for s, entry in enumerate(self.seats) if entry["hand_size"] < DEALT)
        self.seats[seat]["hand_size"] += 1
        if all(entry["hand_size"] == DEALT for entry in self.seats):
            self.now["phase"] = "SPLIT"
        return [{"card_dealt": {"seat": seat}}]

    def draw_card(self, card: int) -> list[Event]:
        drawn = self.now["drawn"] = sorted([*self.now["drawn"], card])
        if len(drawn) == 2:
            self.now["phase"] = "PICK"
        return [{"card_drawn": {"card": card}}]

    def draw_manatee(self, colour: str) -> list[Event]:
        seat = self.now["turn"]
        bag = self.bag_to_draw_from(seat)
        assert bag is not None
        bag[colour] -= 1
        newcomers = self.now["newcomers"]
        self.now["newcomers"] = {**newcomers, colour: newcomers[colour] + 1}
        self.now["draws_left"] -= 1
        return [{"manatee_drawn": {"seat": seat, "colour": colour.upper()}}, *self.draw_or_house(seat)]

    # The draft.

    def commit(self, seat: int) -> list[Event]:
        self.seats[seat]["committed"] = True
        return [{"committed": {"seat": seat}}]

    def offer(self, smaller_stacks: Sequence[int]) -> list[Event]:
        for entry, smaller in zip(self.seats, smaller_stacks, strict=True):
            entry.update(hand_size=0, committed=False, smaller_stack=smaller)
        self.now["phase"] = "CHOOSE"
        return [{"stacks_offered": {"smaller_stacks": list(smaller_stacks)}}]

    def choose(self, kept: Sequence[str]) -> list[Event]:
        for seat, stack in enumerate(kept):
            giver = self.giver(seat)
            size = self.stack_size(giver, stack)
            self.seats[seat]["hand_size"] += size
            self.seats[giver]["hand_size"] += DEALT - size
        for entry in self.seats:
            entry.update(committed=False, smaller_stack=0)
        return [{"stacks_chosen": {"kept": list(kept)}}, *self.next_card(0)]

    def pick(self, card: int) -> list[Event]:
        (other,) = _without(self.now["drawn"], [card])
        own = self.seats[0]
        own["hand_size"] += 1
        # Up for keeping the stronger card; the ends of the track stop the token (sanctuary-21).
        token = self.now["token"] + self.cards[card].strength - self.cards[other].strength
        token = max(self.track.lowest, min(self.track.highest, token))
        self.now.update(drawn=[], discards=sorted([*self.now["discards"], other]), token=token)
        found: list[Event] = [{"picked": {"card": card, "discarded": other, "token": token}}]
        if own["hand_size"] < DEALT:
            self.now["phase"] = "DRAW_CARD"
        elif self.challenge == "WEAK_CUT" or (self.challenge == "POWER_CAP" and not self.now["strongest_discarded"]):
            self.now["phase"] = "DISCARD"
        else:
            found += self.next_card(0)
        return found

    def discard(self, card: int) -> list[Event]:
        self.seats[0]["hand_size"] -= 1
        self.now["discards"] = sorted([*self.now["discards"], card])
        self.now["strongest_discarded"] = self.challenge == "POWER_CAP"
        return [{"discarded": {"card": card}}, *self.next_card(0)]

    def decline(self) -> list[Event]:
        return [{"declined": {}}, *self.next_card(0)]

    # Cards.

    def play(self, seat: int, word: str, numbers: Sequence[int]) -> list[Event]:
        """A move that is not hidden, as the notation has it."""
        if word == "top":
            return self.play_top(seat, numbers[0])
        if word == "bottom":
            card, x, y, turns = numbers
            return self.play_bottom(seat, card, (x, y), turns)
        if word == "return":
            return self.send_back(seat, dict(zip(COLOURS, numbers, strict=True)))
        if word == "pick":
            return self.pick(numbers[0])
        return self.discard(numbers[0]) if word == "discard" else self.decline()

    def play_top(self, seat: int, card: int) -> list[Event]:
        kind, own = self.cards[card], self.seats[seat]
        own["hand_size"] -= 1
        own["tops"] = sorted([*own["tops"], card])
        harvest = kind.harvests * sum(self.flowers(seat))
        self.gain_food(seat, harvest)
        # The named colours are taken first; one that the bag does not have is skipped (sanctuary-7).
        taken = _none()
        for colour, icons in zip(COLOURS, kind.rescues, strict=True):
            for _ in range(icons):
                bag = self.bag_to_draw_from(seat)
                if bag is not None and bag[colour] > 0:
                    bag[colour] -= 1
                    taken[colour] += 1
        self.now["newcomers"] = taken
        self.now["draws_left"] = kind.random_rescues + (own["manatees"]["yellow"] if kind.icons else 0)
        played = {"seat": seat, "card": card, "harvest": harvest, "taken": dict(taken)}
        return [{"top_played": played}, *self.draw_or_house(seat)]

    def play_bottom(self, seat: int, card: int, cell: Cell, turns: int) -> list[Event]:
        own = self.seats[seat]
        turns %= self.cards[card].turns  # The fewest.
        flowers = sum(edge != WALL for edge, _ in self.touching(seat, card, cell, turns))
        own["hand_size"] -= 1
        at = {"x": cell[0], "y": cell[1]}
        placed = [*own["sanctuary"], {"card": card, "cell": at, "rotation": turns}]
        own["sanctuary"] = sorted(placed, key=lambda entry: (entry["cell"]["y"], entry["cell"]["x"]))
        self.gain_food(seat, flowers)
        played = {"seat": seat, "card": card, "cell": at, "rotation": turns, "flowers": flowers}
        return [{"bottom_played": played}, *self.card_resolved(seat)]

    def draw_or_house(self, seat: int) -> list[Event]:
        """Goes on with the newcomers: the next draw, the choice of who goes back, or their housing."""
        if self.now["draws_left"] > 0 and self.bag_to_draw_from(seat) is not None:
            self.now["phase"] = "DRAW_MANATEE"
            return []
        self.now["draws_left"] = 0  # Empty bags end the drawing.
        if not self.can_house(seat, _plus(self.seats[seat]["manatees"], self.now["newcomers"])):
            self.now["phase"] = "RETURN"
            return []
        return self.house(seat) + self.card_resolved(seat)

    def house(self, seat: int) -> list[Event]:
        newcomers, own = self.now["newcomers"], self.seats[seat]
        own["manatees"] = _plus(own["manatees"], newcomers)
        self.now["newcomers"] = _none()
        return [{"housed": {"seat": seat, "manatees": newcomers}}] if _number(newcomers) > 0 else []

    def send_back(self, seat: int, manatees: Manatees) -> list[Event]:
        """Newcomers go back for want of space or, in FEED, manatees for want of food."""
        hungry = self.now["phase"] == "FEED"
        if hungry:
            self.seats[seat]["manatees"] = _minus(self.seats[seat]["manatees"], manatees)
        else:
            self.now["newcomers"] = _minus(self.now["newcomers"], manatees)
        bag = self.editions[seat]
        self.bags[bag] = _plus(self.bags[bag], manatees)
        self.add_points(seat, -RETURN_COST * _number(manatees))
        found: list[Event] = [{"returned": {"seat": seat, "manatees": manatees}}]
        found += self.pay(seat) if hungry else self.house(seat)
        if self.challenge == "SAVIOUR":
            self.now["sent_back"] = True
            return found + self.end("SENT_BACK")
        return found + (self.feed_from(seat + 1) if hungry else self.card_resolved(seat))

    def gain_food(self, seat: int, food: int) -> None:
        own = self.seats[seat]
        own["food"] = min(own["food"] + food, self.rules["food_cap"] or MOST_FOOD)

    def add_points(self, seat: int, points: int) -> None:
        own = self.seats[seat]
        least = 0 if self.rules["floor_score_at_zero"] else -MOST_POINTS
        own["score"] = max(least, min(own["score"] + points, MOST_POINTS))

    def card_resolved(self, seat: int) -> list[Event]:
        return self.next_card(seat if self.rules["play_order"] == "SEAT_BY_SEAT" else seat + 1)

    def next_card(self, first: int) -> list[Event]:
        """Lets the next seat with cards play, from `first` on and around; when all are played, the seats feed."""
        seats = len(self.seats)
        for step in range(seats):
            seat = (first + step) % seats
            if self.seats[seat]["hand_size"] > 0:
                self.now.update(phase="PLAY", turn=seat)
                return []
        return self.feed_from(0)

    # The end of a round.

    def feed_from(self, first: int) -> list[Event]:
        """Lets the seats pay in order, from one on, until one has to decide; when all have paid, scores the round."""
        found: list[Event] = []
        for seat in range(first, len(self.seats)):
            if _each(MEALS, self.seats[seat]["manatees"]) > self.seats[seat]["food"]:
                self.now.update(phase="FEED", turn=seat)
                return found
            found += self.pay(seat)
        return found + self.score_round()

    def pay(self, seat: int) -> list[Event]:
        meals = _each(MEALS, self.seats[seat]["manatees"])
        self.seats[seat]["food"] -= meals
        return [{"fed": {"seat": seat, "food": meals}}]

    def score_round(self) -> list[Event]:
        found = [self.score(seat) for seat in range(len(self.seats))]
        self.now.update(token=0, turn=None)
        if self.now["round"] == ROUNDS:
            return found + self.end("ROUNDS")
        self.now["round"] += 1
        self.now["phase"] = "DRAW_CARD"
        return [*found, {"round_begun": {"round": self.now["round"]}}]

    def score(self, seat: int) -> Event:
        """Scores the round for a seat, in the order of sanctuary-18."""
        points = {
            "manatees": _each(POINTS[self.now["round"] - 1], self.seats[seat]["manatees"]),
            "bonus": self.bonus_points(seat) if self.rules["round_bonuses"] else 0,
            "track": self.track.values[self.now["token"] - self.track.lowest] if self.variant == "solo" else 0,
            "end_game": self.end_game_points(seat) if self.now["round"] == ROUNDS else 0,
        }
        for part in points.values():
            self.add_points(seat, part)
        return {"scored": {"seat": seat, **points, "score": self.seats[seat]["score"]}}

    def bonus_points(self, seat: int) -> int:
        """What the round's bonus card gives a seat (sanctuary-20)."""
        own = self.seats[seat]
        this: int = self.now["round"] - 1
        kind: int = self.now["bonuses"][this]
        face = self.bonuses[kind].faces[this]
        if face.goal == SHAPE:
            return face.points if self.contains(seat, face.images) else 0
        if face.goal == LITTLE_FOOD:
            return face.points if own["food"] <= LITTLE_FOOD_MOST else 0
        manatees: Manatees = own["manatees"]
        counted: tuple[int, ...] = (manatees["yellow"], manatees["pink"], _number(manatees), *self.flowers(seat))
        return face.points * counted[face.goal - 1]

    def end_game_points(self, seat: int) -> int:
        """What a seat's end-game cards score; copies add up (sanctuary-14)."""
        manatees = self.seats[seat]["manatees"]
        gives = {
            PAIRS_AT_END: _number(manatees) // 2,
            PINK_AT_END: 2 * manatees["pink"],
            YELLOW_AT_END: 3 * manatees["yellow"],
        }
        return sum(gives.get(self.cards[placed["card"]].end_game, 0) for placed in self.seats[seat]["sanctuary"])

    def end(self, reason: str) -> list[Event]:
        self.now.update(phase="OVER", turn=None)
        tier = None
        if self.variant == "solo" and not self.now["sent_back"]:
            more = TIER_RAISE if self.rules["round_bonuses"] else 0
            tier = sum(self.seats[0]["score"] >= bound + more for bound in TIERS)
        return [{"ended": {"reason": reason, "tier": tier, "challenge_won": self.challenge_won()}}]

    def challenge_won(self) -> bool | None:
        """Whether the challenge is won at the end of the game (sanctuary-23); None without one."""
        own = self.seats[0]
        match self.challenge:
            case "NONE":
                return None
            case "HARVESTER":
                met = own["food"] >= _HARVESTER_FOOD
            case "COLOUR_COORDINATED":
                met = max(self.flowers(0)) >= _FLOWERS_OF_ONE_COLOUR
            case "SHORTAGE":
                met = sum(self.flowers(0)) <= _SHORTAGE_FLOWERS
            case "ARCHITECT":
                images = sanctuary_tables.challenge_images(self.catalogue, self.rules["mirror_shapes"])
                met = self.contains(0, images)
            case "SAVIOUR":
                met = _number(own["manatees"]) >= _SAVIOUR_MANATEES and not self.now["sent_back"]
            case _:
                met = True  # TIGHT_FIT, POWER_CAP and WEAK_CUT ask for nothing but the points.
        return bool(met and own["score"] >= _CHALLENGE_SCORE)


def _none() -> Manatees:
    return dict.fromkeys(COLOURS, 0)


def _number(manatees: Manatees) -> int:
    return sum(manatees.values())


def _plus(one: Manatees, other: Manatees) -> Manatees:
    return {colour: one[colour] + other[colour] for colour in COLOURS}


def _minus(one: Manatees, other: Manatees) -> Manatees:
    return {colour: one[colour] - other[colour] for colour in COLOURS}


def _each(weights: Sequence[int], manatees: Manatees) -> int:
    """The sum of what each manatee weighs, by colour."""
    return sum(weight * manatees[colour] for weight, colour in zip(weights, COLOURS, strict=True))


def _told(manatees: Manatees) -> str:
    return ", ".join(f"{manatees[colour]} {colour}" for colour in COLOURS)


def _without(cards: Sequence[int], gone: Sequence[int]) -> list[int]:
    """The cards that are left when some of them are taken out."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


# Reports.

_MOST_NUMBER = 99_999
"""More than any food or points in an event."""
_MOST_HAND = 8
_KINDS: dict[str, tuple[str, ...]] = {
    "bonus_drawn": ("bonus", "round"),
    "card_dealt": ("seat",),
    "card_received": ("seat", "card"),
    "card_drawn": ("card",),
    "committed": ("seat",),
    "stacks_offered": ("smaller_stacks",),
    "stacks_seen": ("seat", "stacks"),
    "stacks_chosen": ("kept",),
    "hand_taken": ("seat", "cards"),
    "picked": ("card", "discarded", "token"),
    "discarded": ("card",),
    "declined": (),
    "top_played": ("seat", "card", "harvest", "taken"),
    "bottom_played": ("seat", "card", "cell", "rotation", "flowers"),
    "manatee_drawn": ("seat", "colour"),
    "returned": ("seat", "manatees"),
    "housed": ("seat", "manatees"),
    "fed": ("seat", "food"),
    "scored": ("seat", "manatees", "bonus", "track", "end_game", "score"),
    "round_begun": ("round",),
    "ended": ("reason", "tier", "challenge_won"),
}
"""Every kind of event with its fields."""
_PRIVATE = ("card_received", "stacks_seen", "hand_taken")
_AUTOMATIC = ("housed", "fed", "scored", "round_begun", "ended")
_DUE = {
    "DRAW_BONUS": ("bonus_drawn",),
    "DRAW_CARD": ("card_dealt",),
    "SPLIT": ("committed", "stacks_offered"),
    "CHOOSE": ("committed", "stacks_chosen"),
    "PICK": ("picked",),
    "DISCARD": ("discarded", "declined"),
    "PLAY": ("top_played", "bottom_played"),
    "DRAW_MANATEE": ("manatee_drawn",),
    "RETURN": ("returned",),
    "FEED": ("returned",),
}
"""The events of which one comes next in each phase; in solo card_drawn instead of card_dealt."""
_CHOICES = {"colour": _COLOUR_NAMES, "reason": ("ROUNDS", "SENT_BACK")}
_MESSAGES = {("top_played", "taken"), ("returned", "manatees"), ("housed", "manatees")}
"""The fields that hold manatees; those of other kinds are numbers."""


class _Reporting:
    """Events being taken up. Readable ones come out of `read` with every absent field filled in."""

    def __init__(self, table: _Table, knowledge: Mapping[str, Any]) -> None:
        self.table = table
        self.knowledge = dict(knowledge)
        """What the observer knows; lists in it are replaced, never changed."""
        self.me: int = knowledge["seat"]
        self.solo = table.variant == "solo"
        self.blind = bool(table.rules["blind_choice"])
        self.faults = Faults()
        self.following: list[Event] = []
        """What the last event brought by itself and has not been told."""
        self.awaited: str | None = None
        """The private event that has to come next."""
        self.announced: str | None = None
        """Where the observer's own choice is told to be made, while it is not known which it is."""
        self.private: dict[str, Callable[[dict[str, Any], str], None]] = {
            "card_received": self.take_card_received,
            "stacks_seen": self.take_stacks_seen,
            "hand_taken": self.take_hand_taken,
        }
        self.due: dict[str, Callable[[dict[str, Any], str], list[Event]]] = {
            "bonus_drawn": self.take_bonus_drawn,
            "card_dealt": self.take_card_dealt,
            "card_drawn": self.take_card_drawn,
            "committed": self.take_committed,
            "stacks_offered": self.take_stacks_offered,
            "stacks_chosen": self.take_stacks_chosen,
            "picked": self.take_picked,
            "discarded": self.take_discarded,
            "declined": self.take_declined,
            "top_played": self.take_top_played,
            "bottom_played": self.take_bottom_played,
            "manatee_drawn": self.take_manatee_drawn,
            "returned": self.take_returned,
        }

    def take(self, events: object) -> None:
        faults = self.faults
        readable = [self.read(event, f"events[{i}]") for i, event in enumerate(faults.array(events, "events"))]
        if faults.found:
            return
        for i, (kind, event) in enumerate(pair for pair in readable if pair is not None):
            self.take_one(kind, event, f"events[{i}].{kind}")
            # Later events build on this one: what is wrong with them would only follow from it.
            if faults.found:
                return
        if self.awaited is not None:
            faults.add("events", f"{self.awaited} of seat {self.me} must be reported next")
        if self.announced is not None:
            faults.add(self.announced, "expected the own choice: commit it first, or report it with stacks_chosen")

    # Shapes.

    def read(self, event: object, path: str) -> tuple[str, dict[str, Any]] | None:
        faults = self.faults
        if not isinstance(event, Mapping):
            faults.add(path, f"expected a mapping, not {shown(event)}")
            return None
        fields = faults.message(event, path, (*_KINDS, "private_to"))
        if fields.get("private_to") is not None:
            private = self.read_seat(fields["private_to"], f"{path}.private_to")
            if private is not None and private != self.me:
                faults.add(f"{path}.private_to", f"seat {self.me} does not see what is private to {private}")
        kinds = [kind for kind in _KINDS if fields.get(kind) is not None]
        if len(kinds) != 1:
            # The faults in a field's own name are told already.
            faults.add(path, f"expected one of {', '.join(_KINDS)}, not {' and '.join(kinds) or 'none'}")
            return None
        kind = kinds[0]
        here = f"{path}.{kind}"
        values = faults.message(fields[kind], here, _KINDS[kind])
        if not isinstance(fields[kind], Mapping):
            return None
        return kind, {name: self.read_field(kind, name, values.get(name), f"{here}.{name}") for name in _KINDS[kind]}

    def read_field(self, kind: str, name: str, value: object, path: str) -> Any:
        faults = self.faults
        if name == "seat":
            if value is None and kind in _PRIVATE:
                return self.me
            seat = self.read_seat(value, path)
            if seat is not None and seat != self.me and kind in _PRIVATE:
                faults.add(path, f"expected {self.me}: seat {self.me} does not see what is private to {seat}")
            return seat
        if name in ("card", "discarded"):
            return self.read_card(value, path)
        if name == "cards":
            return self.read_cards(value, path, _MOST_HAND)
        if name == "stacks":
            fields = faults.message(value, path, STACKS)
            return {stack: self.read_cards(fields.get(stack), f"{path}.{stack}", DEALT) for stack in STACKS}
        if name == "smaller_stacks":
            sizes = self.one_a_seat(value, path)
            return [faults.integer(size, f"{path}[{s}]", 1, 2, "cards") for s, size in enumerate(sizes)]
        if name == "kept":
            stacks = self.one_a_seat(value, path)
            return [faults.choice(stack, f"{path}[{s}]", _KEPT) for s, stack in enumerate(stacks)]
        if (kind, name) in _MESSAGES:
            fields = faults.message(value, path, COLOURS)
            return {
                colour: faults.integer(fields.get(colour), f"{path}.{colour}", 0, most, f"{colour} manatees")
                for colour, most in zip(COLOURS, MOST_MANATEES, strict=True)
            }
        if name == "cell":
            cell = faults.cell(value, path, REACH)
            return None if cell is None else {"x": cell[0], "y": cell[1]}
        if name in _CHOICES:
            return faults.choice(value, path, _CHOICES[name])
        if name == "challenge_won":
            return None if value is None else faults.flag(value, path)
        if name == "tier":
            return None if value is None else faults.integer(value, path, 0, len(TIERS), "a tier")
        if name == "rotation":
            return faults.integer(value, path, 0, 3, "clockwise quarter turns")
        if name == "round":
            return faults.integer(value, path, 1, ROUNDS, "a round")
        if name == "bonus" and kind == "bonus_drawn":
            return faults.integer(value, path, 0, BONUS_CARDS - 1, "a kind of bonus card")
        return faults.integer(value, path, -_MOST_NUMBER, _MOST_NUMBER, "a number")

    def read_seat(self, value: object, path: str) -> int | None:
        return self.faults.integer(value, path, 0, len(self.table.seats) - 1, "a seat")

    def read_card(self, value: object, path: str) -> int | None:
        return self.faults.integer(value, path, 0, len(self.table.cards) - 1, "a kind of card")

    def read_cards(self, value: object, path: str, most: int) -> list[int | None]:
        entries = self.faults.array(value, path)
        if len(entries) > most:
            self.faults.add(path, f"expected at most {most} cards, not {len(entries)}")
            return []
        return [self.read_card(card, f"{path}[{k}]") for k, card in enumerate(entries)]

    def one_a_seat(self, value: object, path: str) -> Sequence[Any]:
        entries, seats = self.faults.array(value, path), len(self.table.seats)
        if len(entries) != seats:
            self.faults.add(path, f"expected {seats} entries, one a seat, not {len(entries)}")
            return ()
        return entries

    # Meaning.

    def take_one(self, kind: str, event: dict[str, Any], path: str) -> None:
        faults, now = self.faults, self.table.now
        if self.awaited is not None:
            if kind != self.awaited:
                faults.add(path, f"expected {self.awaited} of seat {self.me} here")
                return
            self.awaited = None
            self.private[kind](event, path)
            return
        if kind in _AUTOMATIC or kind in _PRIVATE:
            self.take_following(kind, event, path)
            return
        if now["phase"] == "OVER":
            faults.add(path, "nothing happens any more: the game is over")
            return
        due = ("card_drawn",) if self.solo and now["phase"] == "DRAW_CARD" else _DUE[now["phase"]]
        turn = now["turn"]
        if kind not in due:
            whose = "" if turn is None else f" of seat {turn}"
            faults.add(path, f"expected {' or '.join(due)}{whose} here, in {now['phase']}")
        elif turn is not None and event["seat"] != turn:
            faults.add(f"{path}.seat", f"expected seat {turn}, whose turn it is")
        else:
            found = self.due[kind](event, path)
            self.following = found[1:]
            if found and not faults.found:
                self.compare(event, found[0][kind], path)

    def take_following(self, kind: str, event: dict[str, Any], path: str) -> None:
        """What the last decision or draw brought by itself; what comes before it has been left out."""
        if kind == "hand_taken":
            event = {**event, "cards": sorted(event["cards"])}
        alike = [at for at, expected in enumerate(self.following) if kind in expected]
        if not alike:
            self.faults.add(path, "nothing of the kind happens here")
            return
        seats = [self.following[at][kind].get("seat") for at in alike]
        if event.get("seat") not in seats:
            self.faults.add(f"{path}.seat", f"expected seat {' or '.join(map(str, seats))}, not {event['seat']}")
            return
        at = alike[seats.index(event.get("seat"))]
        expected = self.following[at][kind]
        del self.following[: at + 1]
        self.compare(event, expected, path)

    def compare(self, event: Mapping[str, Any], expected: Mapping[str, Any], path: str) -> None:
        """One fault for each field that is not as expected."""
        for name, value in expected.items():
            if isinstance(value, Mapping):
                self.compare(event[name], value, f"{path}.{name}")
            elif event[name] != value:
                self.faults.add(f"{path}.{name}", f"expected {value}, not {event[name]}")

    # What is private to the observer, and has to be told.

    def take_card_received(self, event: dict[str, Any], path: str) -> None:
        card = event["card"]
        self.check_unseen([(card, f"{path}.card")])
        self.knowledge["hand"] = sorted([*self.knowledge["hand"], card])

    def take_stacks_seen(self, event: dict[str, Any], path: str) -> None:
        giver = self.table.giver(self.me)
        stacks: Stacks = event["stacks"]
        entries = []
        for stack, cards in stacks.items():
            here = f"{path}.stacks.{stack}"
            size = self.table.stack_size(giver, stack.upper())
            if len(cards) != size:
                self.faults.add(here, f"expected {size} cards, as seat {giver} has offered, not {len(cards)}")
            entries += [(card, f"{here}[{k}]") for k, card in enumerate(cards)]
        self.check_unseen(entries)
        self.knowledge["offered"] = {stack: sorted(cards) for stack, cards in stacks.items()}

    def take_hand_taken(self, event: dict[str, Any], path: str) -> None:
        """After a blind choice: what came back, which is known, and the stack kept, which was not."""
        here = f"{path}.cards"
        cards, size = event["cards"], self.table.seats[self.me]["hand_size"]
        if len(cards) != size:
            self.faults.add(here, f"expected {size} cards, not {len(cards)}")
        missing = list(self.knowledge["hand"])
        entries = []
        for k, card in enumerate(cards):
            if card in missing:
                missing.remove(card)
            else:
                entries.append((card, f"{here}[{k}]"))
        if missing:
            self.faults.add(here, f"expected {' and '.join(map(str, missing))} too, of the stack that came back")
        self.check_unseen(entries)
        self.knowledge["hand"] = sorted(cards)

    # Decisions and draws: each gives what happened, nothing if it could not.

    def take_bonus_drawn(self, event: dict[str, Any], path: str) -> list[Event]:
        kind, kinds, drawn = event["bonus"], self.table.bonuses, self.table.now["bonuses"]
        if kind >= len(kinds) or drawn.count(kind) >= kinds[kind].copies:
            self.faults.add(f"{path}.bonus", f"expected one that can be drawn; {kind} cannot")
            return []
        return self.table.draw_bonus(kind)

    def take_card_dealt(self, event: dict[str, Any], path: str) -> list[Event]:
        found = self.table.deal()
        if found[0]["card_dealt"]["seat"] == self.me:
            self.awaited = "card_received"
        return found

    def take_card_drawn(self, event: dict[str, Any], path: str) -> list[Event]:
        self.check_unseen([(event["card"], f"{path}.card")])
        return self.table.draw_card(event["card"])

    def take_committed(self, event: dict[str, Any], path: str) -> list[Event]:
        seat = event["seat"]
        if seat != self.me:
            if not self.table.seats[seat]["committed"]:
                return self.table.commit(seat)
            self.faults.add(f"{path}.seat", f"seat {seat} has committed already")
        elif self.knowledge["commitment"] is None:
            if self.table.now["phase"] == "SPLIT":
                self.faults.add(f"{path}.seat", _SPLIT_FIRST)
            self.announced = f"{path}.seat"
        return []

    def take_stacks_offered(self, event: dict[str, Any], path: str) -> list[Event]:
        knowledge, sizes = self.knowledge, event["smaller_stacks"]
        if knowledge["commitment"] is None:
            self.faults.add(path, _SPLIT_FIRST)
            return []
        smaller = list(sanctuary_notation.parse(knowledge["commitment"])[1:])
        if sizes[self.me] != len(smaller):
            here = f"{path}.smaller_stacks[{self.me}]"
            self.faults.add(here, f"expected {len(smaller)}, as seat {self.me} has committed, not {sizes[self.me]}")
        made = {"smaller": smaller, "larger": _without(knowledge["hand"], smaller)}
        knowledge.update(hand=[], commitment=None, made=made)
        if not self.blind:
            self.awaited = "stacks_seen"
        return self.table.offer(sizes)

    def take_stacks_chosen(self, event: dict[str, Any], path: str) -> list[Event]:
        knowledge, kept, me = self.knowledge, event["kept"], self.me
        if knowledge["commitment"] is not None:
            own = _KEPT[_stack(knowledge["commitment"])]
            if kept[me] != own:
                self.faults.add(f"{path}.kept[{me}]", f"expected {own}, which seat {me} has committed")
        chooser, giver = self.table.chooser(me), self.table.giver(me)
        gone, came_back = _kept_and_returned(knowledge["made"], kept[chooser])
        self.learn(chooser, gone)
        hand = came_back
        if not self.blind:
            taken, given_back = _kept_and_returned(knowledge["offered"], kept[me])
            self.learn(giver, given_back)
            hand = came_back + taken
        knowledge.update(hand=sorted(hand), commitment=None, made=None, offered=None)
        self.announced = None
        found = self.table.choose(kept)
        if self.blind:
            self.awaited = "hand_taken"
            return found
        return [*found, _hand_taken(me, hand)]

    def take_picked(self, event: dict[str, Any], path: str) -> list[Event]:
        card, drawn = event["card"], self.table.now["drawn"]
        if card not in drawn:
            self.faults.add(f"{path}.card", f"expected {drawn[0]} or {drawn[1]}, which are drawn, not {card}")
            return []
        (other,) = _without(drawn, [card])
        if event["discarded"] != other:
            self.faults.add(f"{path}.discarded", f"expected {other}, the other card drawn, not {event['discarded']}")
        self.knowledge["hand"] = sorted([*self.knowledge["hand"], card])
        return self.table.pick(card)

    def take_discarded(self, event: dict[str, Any], path: str) -> list[Event]:
        card, hand, cards = event["card"], self.knowledge["hand"], self.table.cards
        weak = self.table.challenge == "WEAK_CUT"
        wanted = (min if weak else max)(cards[own].strength for own in hand)
        if card not in hand or cards[card].strength != wanted:
            which = "weakest" if weak else "strongest"
            among = " or ".join(str(own) for own in sorted(set(hand)) if cards[own].strength == wanted)
            self.faults.add(f"{path}.card", f"expected {among}, {which} of the hand, not {card}")
            return []
        self.knowledge["hand"] = _without(hand, [card])
        return self.table.discard(card)

    def take_declined(self, event: dict[str, Any], path: str) -> list[Event]:
        if self.table.challenge != "POWER_CAP" or self.table.now["round"] == ROUNDS:
            self.faults.add(path, "expected discarded: it cannot be declined here")
        return self.table.decline()

    def take_top_played(self, event: dict[str, Any], path: str) -> list[Event]:
        self.leave_hand(event["seat"], event["card"], f"{path}.card")
        return self.table.play_top(event["seat"], event["card"])

    def take_bottom_played(self, event: dict[str, Any], path: str) -> list[Event]:
        seat, card = event["seat"], event["card"]
        cell = (event["cell"]["x"], event["cell"]["y"])
        event["rotation"] %= self.table.cards[card].turns  # One that looks the same is the same (sanctuary-11).
        self.leave_hand(seat, card, f"{path}.card")
        fault = self.table.misplaced(seat, card, cell, event["rotation"])
        if fault is not None:
            self.faults.add(f"{path}.cell", fault)
            return []
        return self.table.play_bottom(seat, card, cell, event["rotation"])

    def take_manatee_drawn(self, event: dict[str, Any], path: str) -> list[Event]:
        colour = event["colour"].lower()
        bag = self.table.bag_to_draw_from(event["seat"])
        if bag is None or bag[colour] == 0:
            self.faults.add(f"{path}.colour", f"expected one that can be drawn; the bag has no {colour} one")
            return []
        return self.table.draw_manatee(colour)

    def take_returned(self, event: dict[str, Any], path: str) -> list[Event]:
        fault = self.table.not_returned(event["seat"], event["manatees"])
        if fault is not None:
            self.faults.add(f"{path}.manatees", fault)
            return []
        return self.table.send_back(event["seat"], event["manatees"])

    # What the observer knows of hands.

    def side(self, seat: int) -> str | None:
        """The field with what the observer knows of a hand; None if it never knows anything of it."""
        if seat == self.me:
            return "hand"
        if seat == (self.me + 1) % len(self.table.seats):
            return "left_hand"
        return "right_hand" if self.me == (seat + 1) % len(self.table.seats) else None

    def learn(self, seat: int, cards: Sequence[int]) -> None:
        """Notes cards that are now in a neighbour's hand."""
        side = self.side(seat)
        assert side is not None
        self.knowledge[side] = sorted([*self.knowledge[side], *cards])

    def leave_hand(self, seat: int, card: int, path: str) -> None:
        """Takes a card that is played out of a hand; a fault if it cannot have been there."""
        side = self.side(seat)
        known = self.knowledge[side] if side else []
        if side and card in known:
            self.knowledge[side] = _without(known, [card])
        elif len(known) == self.table.seats[seat]["hand_size"]:
            self.faults.add(path, f"expected a card of the hand of seat {seat}, which is known; {card} is not in it")
        else:
            self.check_unseen([(card, path)])

    def check_unseen(self, entries: Sequence[tuple[int, str]]) -> None:
        """A fault at the path of each card of which no copy is left where the observer does not see it."""
        table, knowledge = self.table, self.knowledge
        seen = [*table.now["drawn"], *table.now["discards"]]
        for seat in table.seats:
            seen += seat["tops"]
            seen += [placed["card"] for placed in seat["sanctuary"]]
        for side in ("hand", "left_hand", "right_hand"):
            seen += knowledge[side]
        for stacks in (knowledge["made"], knowledge["offered"]):
            for cards in () if stacks is None else stacks.values():
                seen += cards
        for card, path in entries:
            copies = table.cards[card].copies
            if seen.count(card) >= copies:
                self.faults.add(path, f"expected a card that is not elsewhere; of {card} there are {copies}, all seen")
            seen.append(card)


_SPLIT_FIRST = "commit the own split first: its cards are in no event"


def _kept_and_returned(stacks: Stacks, kept: str) -> tuple[list[int], list[int]]:
    """The cards of the SMALLER or LARGER stack, which is kept, and those of the other."""
    smaller, larger = stacks["smaller"], stacks["larger"]
    return (smaller, larger) if kept == "SMALLER" else (larger, smaller)
