"""Stories of sanctuary: positions made by hand with a small catalogue, and what is played on them.

Kinds of card are told by a text for the half that matters. The other half does nothing: the bottom of a card told by
its top has walls all around and so can never be laid. "gpy?h" is a top with a gray, a pink and a yellow rescue, a "?"
and a harvest, "-" a top that does nothing. "RGPW2" is a bottom with red to the north, green to the east, purple to the
south, a wall to the west and two spaces, "RRRR+PAIRS" one that scores in the end. "-:3" has three dots, other cards
have one. "'gg" is of the second edition.
"""

import copy
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ext.game import State
from ext.sanctuary import Sanctuary
from ext.sanctuary_tables import BAG, CHALLENGES

Cell = tuple[int, int]
Entry = dict[str, Any]
Laid = Mapping[Cell, str]
"""A sanctuary without its starting tile: on each cell a bottom, "RGPW2 r3" if it is turned."""
Manatees = tuple[int, int, int]
"""Gray, pink and yellow ones."""

CARDS = 90
DEALT = 5
FILLER = "-"
ROOMY = "RRRR9"
"""A card for whole rows of them, to the north of a starting tile that has red there."""
START = "RGPW4"
"""Every starting tile: red to the north, green to the east, purple to the south, a wall to the west, four spaces."""
LETTERS = {"R": "RED", "G": "GREEN", "P": "PURPLE", "W": "WALL"}
COLOURS = {"g": "gray", "p": "pink", "y": "yellow"}
BOTTOM = re.compile(r"([RGPW]{4})(?:([0-9])|\+([A-Z]+))")
NOBODY: Manatees = (0, 0, 0)

CORNER: Entry = {"cells": [{}, {"x": 1}, {"x": 1, "y": 1}]}
ELL: Entry = {"cells": [{}, {"y": 1}, {"y": 2}, {"x": 1, "y": 2}]}
"""Three in a column and one to the right of its foot: not its own mirror image."""
TRACK: Entry = {"values": [-2 * step for step in range(-10, 11)], "start": 10}
"""Ten steps down to ten steps up, and two points less for each step up."""


def face(goal: str) -> Entry:
    """A face of a round bonus card; a shape is told with its points: "CORNER 4"."""
    name, _, points = goal.partition(" ")
    if points:
        shape = {"CORNER": CORNER, "ELL": ELL}[name]
        return {"goal": "SANCTUARY_GOAL_SHAPE", "shape": shape, "points": int(points)}
    return {"goal": f"SANCTUARY_GOAL_{goal}"}


def bonus_card(*goals: str, count: int = 1) -> Entry:
    """A round bonus card with these faces for rounds 1, 2 and 3, or with one face for all."""
    return {"count": count, "faces": [face(goal) for goal in (goals if len(goals) == 3 else goals * 3)]}


MIXED, RED, GREEN, PURPLE, LITTLE_FOOD, SHAPES, YELLOW, SHAPELY = range(8)
"""Kinds of round bonus card."""
BONUSES = [
    bonus_card("YELLOW", "PINK", "MANATEES"),
    bonus_card("RED_FLOWERS", count=2),
    bonus_card("GREEN_FLOWERS"),
    bonus_card("PURPLE_FLOWERS"),
    bonus_card("LITTLE_FOOD", count=2),
    bonus_card("CORNER 4", "ELL 7", "CORNER 9"),
    bonus_card("YELLOW"),
    bonus_card("ELL 7"),
]


def edges(letters: str) -> list[str]:
    return [f"SANCTUARY_EDGE_{LETTERS[letter]}" for letter in letters]


def card(name: str, count: int) -> Entry:
    """The catalogue's entry of a kind told by its text."""
    text, _, dots = name.removeprefix("'").partition(":")
    found = BOTTOM.fullmatch(text)
    icons = "" if found else text
    entry: Entry = {
        "count": count,
        "strength": int(dots or 1),
        "rescues": {colour: icons.count(letter) for letter, colour in COLOURS.items()},
        "random_rescues": icons.count("?"),
        "harvests": icons.count("h"),
        "edges": edges(found[1] if found else "WWWW"),
    }
    if found and found[3]:
        return entry | {"end_game": f"SANCTUARY_END_GAME_{found[3]}"}
    return entry | {"capacity": int(found[2]) if found else 1}


def starting_tile(text: str) -> Entry:
    return {"edges": edges(text[:4]), "capacity": int(text[4:])}


def catalogue(
    counts: Mapping[str, int] | None = None,
    *,
    starts: Sequence[str] = (START, START),
    track: Entry = TRACK,
    bonuses: Sequence[Entry] = BONUSES,
    shape: Entry = ELL,
) -> Entry:
    """Two editions with so many cards of these kinds, in this order; in front of them the filler, which is the rest."""
    editions = []
    for mark, start in zip(("", "'"), starts, strict=True):
        own = {name: count for name, count in (counts or {}).items() if name.startswith("'") == bool(mark)}
        own.pop(mark + FILLER, None)
        own = {mark + FILLER: CARDS - sum(own.values()), **own}
        cards = [card(name, count) for name, count in own.items()]
        name = "Second" if mark else "First"
        editions.append({"name": name, "cards": cards, "starting_tile": starting_tile(start)})
    printed = {
        "id": "by-hand",
        "about": "For tests.",
        "editions": editions,
        "bonuses": list(bonuses),
        "solo_track": track,
        "challenge_shape": shape,
    }
    return copy.deepcopy(printed)  # A test may break it.


def told(manatees: Sequence[int]) -> Entry:
    """Manatees as positions and events have them."""
    return dict(zip(COLOURS.values(), manatees, strict=True))


class Story:
    """A position, and what comes of it; or, without hands and with `start`, a game before its first event.

    `hands` are those of the first seats; the others' are empty. What a seat must have had besides by this round was
    filler, played for its top, and in solo discarded. Two more cards of each kind that is named are in the deck, or as
    many as `deck` says, and the rest of it is filler. Manatees not given are in the bags; but when `bags` are given,
    what is left over lives with the last seats, in rows of roomy cards that have food enough.
    """

    def __init__(
        self,
        *hands: Sequence[str],
        seats: int = 2,
        variant: str = "base",
        rules: Mapping[str, Any] | None = None,
        start: bool = False,
        phase: str = "PLAY",
        number: int = 1,
        turn: int = 0,
        laid: Mapping[int, Laid] | None = None,
        housed: Mapping[int, Manatees] | None = None,
        food: Mapping[int, int] | None = None,
        score: Mapping[int, int] | None = None,
        bags: Sequence[Manatees] | None = None,
        deck: Mapping[str, int] | None = None,
        drawn: Sequence[str] = (),
        token: int = 0,
        strongest_discarded: bool = False,
        bonuses: Sequence[int] = (),
        starts: Sequence[str] = (START, START),
        track: Entry = TRACK,
    ) -> None:
        held = [list(hand) for hand in hands] + [[] for _ in range(seats - len(hands))]
        sanctuaries: list[dict[Cell, str]] = [dict((laid or {}).get(seat, {})) for seat in range(seats)]
        living = [(housed or {}).get(seat, NOBODY) for seat in range(seats)]
        stock = [(food or {}).get(seat, 0) for seat in range(seats)]
        whole = [tuple(BAG) for _ in range(2 if variant == "scramble" else 1)]
        bags = list(bags) if bags else None
        if bags:
            self._crowd(sanctuaries, living, stock, [sum(n) for n in zip(*whole, strict=True)], bags)
        used = [name for hand in held for name in hand] + list(drawn)
        used += [text.split()[0] for cells in sanctuaries for text in cells.values()]
        counts = dict(Counter(used))
        counts = {name: count + (deck or {}).get(name, 2) for name, count in counts.items()}
        counts |= {name: count for name, count in (deck or {}).items() if name not in counts}
        printed = catalogue(counts, starts=starts, track=track)
        self.game = Sanctuary(seats, printed, rules, variant)
        self.kinds = [FILLER, *[n for n in counts if n[0] != "'" and n != FILLER]]
        if variant == "scramble":
            self.kinds += ["'" + FILLER, *[n for n in counts if n[0] == "'" and n != "'" + FILLER]]
        if start:
            self.state: State = self.game.start()
            return
        tops, discards = self._past(held, sanctuaries, phase, number, len(drawn), strongest_discarded)
        if bags is None:
            left = [[a - b for a, b in zip(full, NOBODY, strict=True)] for full in whole]
            for seat in range(seats):
                own = left[int(variant == "scramble" and seat >= (seats + 1) // 2)]
                own[:] = [a - b for a, b in zip(own, living[seat], strict=True)]
        else:
            left = [list(bag) for bag in bags]
        table = {
            "round": number,
            "phase": phase,
            "turn": turn if phase == "PLAY" else None,
            "seats": [
                {
                    "score": (score or {}).get(seat, 10),
                    "food": stock[seat],
                    "manatees": told(living[seat]),
                    "sanctuary": [self._placed(cell, text) for cell, text in sanctuaries[seat].items()],
                    "tops": [0] * tops[seat],
                    "hand_size": len(held[seat]),
                    "committed": False,
                    "smaller_stack": 0,
                }
                for seat in range(seats)
            ],
            "bags": [told(bag) for bag in left],
            "newcomers": told(NOBODY),
            "draws_left": 0,
            "bonuses": list(bonuses),
            "drawn": [self.kinds.index(name) for name in drawn],
            "discards": [0] * discards,
            "token": token,
            "strongest_discarded": strongest_discarded,
            "sent_back": False,
        }
        secrets = [
            {
                "hand": [self.kinds.index(name) for name in hand],
                "commitment": None,
                "made": None,
                "left_hand": [],
                "right_hand": [],
            }
            for hand in held
        ]
        self.state = self.game.load({"table": table, "referee": {"seats": secrets}})

    @staticmethod
    def _crowd(
        sanctuaries: list[dict[Cell, str]],
        living: list[Manatees],
        stock: list[int],
        whole: Sequence[int],
        bags: Sequence[Manatees],
    ) -> None:
        """The manatees that are neither in the bags nor anywhere else move in with the last seats."""
        rest = [all_ - sum(there[c] for there in (*bags, *living)) for c, all_ in enumerate(whole)]
        for seat in reversed(range(len(sanctuaries))):
            if sanctuaries[seat] or any(living[seat]) or not any(rest):
                continue
            sanctuaries[seat] = {(0, -1 - i): ROOMY for i in range(18)}
            yellow = min(rest[2], 20)
            pink = min(rest[1], 162 - 2 * yellow)
            gray = min(rest[0], 162 - 2 * yellow - pink)
            living[seat] = (gray, pink, yellow)
            rest = [a - b for a, b in zip(rest, living[seat], strict=True)]
            stock[seat] = 500
        assert not any(rest), "room for all of them"

    def _past(
        self,
        held: Sequence[Sequence[str]],
        sanctuaries: Sequence[Laid],
        phase: str,
        number: int,
        drawn: int,
        strongest_discarded: bool,
    ) -> tuple[list[int], int]:
        """How many fillers each seat has played for their tops, and how many have been discarded in solo."""
        seats = self.game.seats
        cards = [len(hand) + len(cells) for hand, cells in zip(held, sanctuaries, strict=True)]
        before = DEALT * (number - 1)
        if self.game.variant != "solo":
            wanted = DEALT * seats * number
            tops = [0] * seats
            while sum(cards) + sum(tops) < wanted:
                fewest = min(range(seats), key=lambda seat: cards[seat] + tops[seat])
                tops[fewest] += 1
            assert sum(cards) + sum(tops) == wanted, "no more cards than have been dealt"
            return tops, 0
        drafting = phase in ("DRAW_CARD", "PICK")
        kept = before + (len(held[0]) if drafting else DEALT)
        cut = int(strongest_discarded)
        if self.game.rules["challenge"] == "WEAK_CUT":
            cut += number - (phase != "PLAY")
        own = kept - cut - cards[0]
        assert own >= 0, "no more cards than have been kept"
        return [own], kept + cut

    def _placed(self, cell: Cell, text: str) -> Entry:
        name, _, turns = text.partition(" r")
        return {
            "card": self.kinds.index(name),
            "cell": {"x": cell[0], "y": cell[1]},
            "rotation": int(turns or 0),
        }

    # Names for numbers.

    def _renamed(self, text: str, to_numbers: bool) -> str:
        """A move or an outcome with kinds told by their texts instead of their numbers, or the other way round."""
        word, *rest = text.split(" ")
        if word not in ("split", "pick", "discard", "top", "bottom", "card") or not rest:
            return text
        names = rest[0].split(",")
        names = [str(self.kinds.index(n)) if to_numbers else self.kinds[int(n)] for n in names]
        return " ".join([word, ",".join(names), *rest[1:]])

    def _named(self, value: Any, key: str = "") -> Any:
        """Events and knowledge, with kinds told by their texts."""
        if isinstance(value, dict):
            return {name: self._named(entry, name) for name, entry in value.items()}
        if isinstance(value, list):
            return [self._named(entry, key) for entry in value]
        if isinstance(value, str) and key == "commitment":
            return self._renamed(value, to_numbers=False)
        card_keys = ("card", "discarded", "cards", "smaller", "larger", "hand", "left_hand", "right_hand", "tops")
        return self.kinds[value] if key in (*card_keys, "discards", "drawn") and isinstance(value, int) else value

    # What is played.

    def play(self, seat: int, text: str) -> list[Entry]:
        """A seat makes this move; the events."""
        move = self.game.parse(self._renamed(text, to_numbers=True))
        after = self.game.play(self.state, seat, move)
        return self._told(self.game.events(self.state, seat, move, after), after)

    def do(self, *moves: str) -> list[Entry]:
        """The lowest seats that owe a decision make these moves; the events."""
        return [event for text in moves for event in self.play(self.turn, text)]

    def let(self, *outcomes: str) -> list[Entry]:
        """Chance brings these, "bonus 3", "card gg" or "manatee pink"; the events."""
        events: list[Entry] = []
        for text in outcomes:
            outcome = self.game.parse_outcome(self._renamed(text, to_numbers=True))
            after = self.game.happen(self.state, outcome)
            events += self._told(self.game.chance_events(self.state, outcome, after), after)
        return events

    def _told(self, events: Sequence[Entry], after: State) -> list[Entry]:
        """The story goes on. What is told must lead to what is seen: kernel and events find it out by themselves."""
        hidden = [event["committed"]["seat"] for event in events if "committed" in event]
        observer = min(set(range(self.game.seats)) - set(hidden))
        kept = self.game.report(self.game.observe(self.state, observer), seen_by(observer, events))
        assert self.game.dump_observation(kept) == self.game.dump_observation(self.game.observe(after, observer))
        self.state = after
        found: list[Entry] = self._named(list(events))
        return found

    def deal(self, *hands: Sequence[str]) -> list[Entry]:
        return self.let(*[f"card {name}" for hand in hands for name in hand])

    # What has come of it.

    @property
    def turn(self) -> int:
        return self.game.turn(self.state)

    @property
    def moves(self) -> list[str]:
        """Legal moves of the lowest seat that owes a decision."""
        return [] if self.turn < 0 else self.moves_of(self.turn)

    def moves_of(self, seat: int) -> list[str]:
        moves = self.game.moves(self.state, seat)
        return [self._renamed(self.game.notation(move), to_numbers=False) for move in moves]

    @property
    def bottoms(self) -> list[str]:
        """Those of the moves that lay a bottom."""
        return [move for move in self.moves if move.startswith("bottom")]

    def legal(self, text: str, seat: int | None = None) -> bool:
        move = self.game.parse(self._renamed(text, to_numbers=True))
        return self.game.legal(self.state, self.turn if seat is None else seat, move)

    def canonical(self, text: str) -> str:
        move = self.game.parse(self._renamed(text, to_numbers=True))
        return self._renamed(self.game.notation(self.game.canonical(self.state, self.turn, move)), to_numbers=False)

    @property
    def chance(self) -> dict[str, int]:
        """What may come, with its weight."""
        named = {self.game.outcome_notation(outcome): weight for outcome, weight in self.game.outcomes(self.state)}
        return {self._renamed(text, to_numbers=False): weight for text, weight in named.items()}

    @property
    def table(self) -> Entry:
        table: Entry = self.game.dump(self.state)["table"]
        return table

    @property
    def phase(self) -> str:
        return str(self.table["phase"])

    @property
    def scores(self) -> list[int]:
        return self.game.score(self.state)

    @property
    def ranks(self) -> list[int]:
        return self.game.ranks(self.state)

    @property
    def food(self) -> list[int]:
        return [seat["food"] for seat in self.table["seats"]]

    @property
    def bags(self) -> list[Manatees]:
        return [self._counts(bag) for bag in self.table["bags"]]

    @property
    def newcomers(self) -> Manatees:
        return self._counts(self.table["newcomers"])

    def housed(self, seat: int = 0) -> Manatees:
        return self._counts(self.table["seats"][seat]["manatees"])

    @staticmethod
    def _counts(entry: Entry) -> Manatees:
        return entry["gray"], entry["pink"], entry["yellow"]

    def hand(self, seat: int) -> list[str]:
        hand: list[str] = self._named(self.game.dump(self.state)["referee"]["seats"][seat]["hand"], "hand")
        return hand

    def knows(self, seat: int) -> Entry:
        """What a seat knows beyond the table."""
        seen = self.game.dump_observation(self.game.observe(self.state, seat))
        knowledge: Entry = self._named(seen["seat_knowledge"])
        return knowledge


def names(events: Sequence[Entry]) -> list[str]:
    return [name for event in events for name in event if name != "private_to"]


def find(events: Sequence[Entry], name: str) -> list[Any]:
    """What the events of a name say."""
    return [event[name] for event in events if name in event]


def seen_by(seat: int, events: Sequence[Entry]) -> list[Entry]:
    """The events that are public or for this seat."""
    return [event for event in events if event.get("private_to", seat) == seat]


OTHER_CHALLENGES = CHALLENGES[1:]
"""All but NONE."""
