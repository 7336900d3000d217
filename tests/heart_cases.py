"""Stories of heart: positions made by hand with a small catalogue, and what is played on them.

Tiles are told by their edges as printed, north, east, south and west: "FR.." has food to the north, rescue to the east.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ext.game import State
from ext.heart import Heart

Cell = tuple[int, int]
Entry = dict[str, Any]
Laid = Mapping[Cell, str]
"""A habitat without its starting tile: on each cell a tile, "F... r2", with "m" behind it where there is a manatee."""

HOME: Cell = (0, 0)
TILES = 90
MANATEES = 30
LETTERS = {".": "BLANK", "F": "FOOD", "D": "DIVER", "I": "FISH", "C": "CORAL", "R": "RESCUE", "S": "SWIM"}
_LETTER_OF = {f"HEART_ICON_{icon}": letter for letter, icon in LETTERS.items()}
FOOD, DIVER, FISH, CORAL, RESCUE, SWIM = (f"HEART_ICON_{LETTERS[letter]}" for letter in "FDICRS")
KINDS = [
    *("....", "F...", "R...", "S...", "D...", "I...", "C..."),
    *("F.F.", "FF..", "FRS.", "FDIC", "FFFF", "RSRS", "CCCC"),
]
START = "FRS."
"""Every starting tile: food to the north, rescue to the east, swim to the south, nothing to the west."""
STRANGE = "CCCC"
"""A tile that fits nowhere beside a starting tile and blank ones."""
RARE = 0
"""A kind of photo card that nobody can take; the cards of a story come behind it."""
RELOCATE, ON_CORAL, ON_DIVER, ON_FISH, ON_ANY = range(5)
"""Kinds of die face."""


def edges(letters: str) -> list[str]:
    return [f"HEART_ICON_{LETTERS[letter]}" for letter in letters]


def icons(icon: str, at_least: int = 1) -> Entry:
    """A demand for complete icons."""
    return {"icons": {"icon": icon, "at_least": at_least}}


def pattern(*cells: Cell, edges: Sequence[tuple[int, int, str]] = (), manatees: int = 0) -> Entry:
    """A demand for a pattern; an edge is two places in `cells` and the icon between them."""
    named = [{"first_cell": one, "second_cell": other, "icon": icon} for one, other, icon in edges]
    return {"pattern": {"cells": [{"x": x, "y": y} for x, y in cells], "edges": named, "manatees": manatees}}


def green(points: int, *requirement: Entry) -> Entry:
    return {"count": 5, "colour": "HEART_COLOUR_GREEN", "points": points, "requirement": list(requirement)}


def orange(points: int, counted: str, *requirement: Entry, icon: str | None = None, per: int = 1) -> Entry:
    scoring = {"counted": f"HEART_COUNTED_{counted}", "per": per} | ({"icon": icon} if icon else {})
    return green(points, *requirement) | {"colour": "HEART_COLOUR_ORANGE", "scoring": scoring}


def catalogue(
    cards: Sequence[Entry] = (), counts: Mapping[str, int] | None = None, starts: Sequence[str] = (START,) * 4
) -> Entry:
    """The card that nobody can take, and those given; three tiles of each kind unless counts are given, and blank ones.

    Columns 0 to 3 rescue, swim, photograph and have the shark.
    """
    counts = dict.fromkeys(KINDS[1:], 3) if counts is None else dict(counts)
    counts["...."] = TILES - sum(count for tile, count in counts.items() if tile != "....")
    rare = green(1, icons(CORAL, 99)) | {"count": 24 - sum(card["count"] for card in cards)}
    return {
        "id": "by-hand",
        "about": "For tests.",
        "tiles": [{"count": counts[tile], "edges": edges(tile)} for tile in KINDS if counts.get(tile)],
        "starting_tiles": [{"edges": edges(start)} for start in starts],
        "photos": [{"name": f"Card {i}", **card} for i, card in enumerate([rare, *cards])],
        "die_faces": [
            {"count": 2, "relocate": True},
            {"attractions": [CORAL]},
            {"attractions": [DIVER]},
            {"attractions": [FISH]},
            {"attractions": [CORAL, DIVER, FISH]},
        ],
        "actions": [f"HEART_ACTION_{action}" for action in ("RESCUE", "SWIM", "PHOTO", "SHARK")],
    }


class Story:
    """A position, and what comes of it.

    Seats without a habitat have their starting tile only, with one manatee on it or as many as `home` says. Columns not
    given have three blank tiles. Tiles not given are in the pile and manatees
    in the supply; but when `pile` or `supply` is given, what is left over lies in a row of blank tiles to the west in
    the habitat of the last seat.
    """

    def __init__(
        self,
        *habitats: Laid,
        seats: int = 2,
        rules: Mapping[str, bool] | None = None,
        cards: Sequence[Entry] = (),
        starts: Sequence[str] = (START,) * 4,
        home: Mapping[int, int] | None = None,
        columns: Mapping[int, Sequence[str]] | None = None,
        pile: Sequence[str] | None = None,
        discards: Sequence[str] = (),
        supply: int | None = None,
        shown: Sequence[int] = (),
        held: Mapping[int, Sequence[int]] | None = None,
        die: int = RELOCATE,
        shark: tuple[int, Cell] | None = None,
        turn: int = 0,
        trigger: int | None = None,
        stale: bool = False,
    ) -> None:
        columns, held = columns or {}, held or {}
        beach = [list(columns.get(column, ["...."] * 3)) for column in range(4)]
        laid = [dict(habitat) for habitat in habitats] + [{} for _ in range(seats - len(habitats))]
        for seat in range(seats):
            laid[seat][HOME] = " m" * (home or {}).get(seat, 1)
        used = [text.split()[0] for habitat in laid for cell, text in habitat.items() if cell != HOME]
        used += [tile for column in beach for tile in column] + list(discards)
        manatees = sum(text.count("m") for habitat in laid for text in habitat.values())
        swimming = 0 if supply is None else MANATEES - manatees - supply
        row = swimming if pile is None else TILES - len(used) - len(pile)
        west = min(x for x, y in laid[-1] if y == 0)
        laid[-1] |= {(west - 1 - i, 0): ".... m" if i < swimming else "...." for i in range(row)}
        used += ["...."] * row
        counts = None if pile is None else Counter([*used, *pile])
        self.game = Heart(seats, catalogue(cards, counts, starts), rules)
        self.kinds = ["".join(_LETTER_OF[edge] for edge in tile["edges"]) for tile in self.game.catalogue["tiles"]]
        rest = Counter({i: tile["count"] for i, tile in enumerate(self.game.catalogue["tiles"])})
        rest.subtract(self.kinds.index(tile) for tile in used)
        photos = Counter({i: card["count"] for i, card in enumerate(self.game.catalogue["photos"])})
        shown = [*shown, *[RARE] * (4 - len(shown))]
        photos.subtract([*shown, *(card for cards in held.values() for card in cards)])
        thrown = Counter(self.kinds.index(tile) for tile in discards)
        table = {
            "phase": "TAKE",
            "first_player": 0,
            "turn": turn,
            "seats": [
                {
                    "habitat": [self.placed(cell, text) for cell, text in habitat.items()],
                    "photos": held.get(seat, []),
                }
                for seat, habitat in enumerate(laid)
            ],
            "shark": shark and {"seat": shark[0], "cell": {"x": shark[1][0], "y": shark[1][1]}},
            "supply": MANATEES - manatees - swimming,
            "pile": [{"tile": tile, "count": count} for tile, count in rest.items() if count],
            "discards": [{"tile": tile, "count": count} for tile, count in thrown.items()],
            "columns": [{"tiles": [self.kinds.index(tile) for tile in column]} for column in beach],
            "open_photos": shown,
            "photo_deck": [{"photo": card, "count": count} for card, count in photos.items() if count],
            "die_face": die,
            "nothing_placed_since_reshuffle": stale,
            "trigger_seat": trigger,
            "turns_left": 0 if trigger is None else (trigger - turn) % seats,
        }
        self.state: State = self.game.load({"table": table, "referee": {}})

    def placed(self, cell: Cell, text: str) -> Entry:
        """A tile in a habitat, from its text."""
        words = text.split()
        entry: Entry = {"cell": {"x": cell[0], "y": cell[1]}, "manatees": words.count("m")}
        if cell == HOME:
            return entry
        turns = [int(word[1]) for word in words if word.startswith("r")]
        return entry | {"tile": self.kinds.index(words[0]), "rotation": sum(turns)}

    # What is played.

    def do(self, *moves: str) -> list[Entry]:
        """The seats whose turn it is make these moves; the events."""
        events: list[Entry] = []
        for text in moves:
            seat, move = self.game.turn(self.state), self.game.parse(text)
            after = self.game.play(self.state, seat, move)
            events += self.game.events(self.state, seat, move, after)
            self.state = after
        return events

    def let(self, *outcomes: str) -> list[Entry]:
        """Chance brings these, "photo 1" or "die 2", or a tile by its edges; the events."""
        events: list[Entry] = []
        for text in outcomes:
            outcome = self.game.parse_outcome(f"tile {self.kinds.index(text)}" if text in self.kinds else text)
            after = self.game.happen(self.state, outcome)
            events += self.game.chance_events(self.state, outcome, after)
            self.state = after
        return events

    # What has come of it.

    @property
    def turn(self) -> int:
        return self.game.turn(self.state)

    @property
    def moves(self) -> list[str]:
        """Legal moves of the seat whose turn it is."""
        return [] if self.turn < 0 else [self.game.notation(move) for move in self.game.moves(self.state, self.turn)]

    def legal(self, text: str) -> bool:
        return self.game.legal(self.state, self.turn, self.game.parse(text))

    @property
    def chance(self) -> dict[str, int]:
        """What may come, with its weight; tiles by their edges."""
        named = {self.game.outcome_notation(outcome): weight for outcome, weight in self.game.outcomes(self.state)}
        tiles = {f"tile {number}": tile for number, tile in enumerate(self.kinds)}
        return {tiles.get(text, text): weight for text, weight in named.items()}

    @property
    def table(self) -> Entry:
        table: Entry = self.game.dump(self.state)["table"]
        return table

    @property
    def phase(self) -> str:
        return str(self.table["phase"])

    @property
    def columns(self) -> list[list[str]]:
        return [[self.kinds[tile] for tile in column["tiles"]] for column in self.table["columns"]]

    @property
    def scores(self) -> list[int]:
        return self.game.score(self.state)

    def manatees(self, seat: int) -> dict[Cell, int]:
        """The tiles of a seat that have manatees."""
        tiles = self.table["seats"][seat]["habitat"]
        return {(t["cell"]["x"], t["cell"]["y"]): t["manatees"] for t in tiles if t["manatees"]}


def names(events: Sequence[Entry]) -> list[str]:
    return [name for event in events for name in event]
