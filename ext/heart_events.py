"""What happens in heart, as everybody sees it: events between two positions, and states after events.

Events and positions are mappings with the field names of HeartEvent and HeartPosition in advisor/v1/heart.proto. Enums
are short strings ("SUPPLY"). Nothing is private. The positions handed in are dumps, every field written out; events may
come from outside.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ext import heart_notation
from ext.errors import Malformed
from ext.game import CHANCE, OVER, Game, State
from ext.heart_notation import COLUMNS, MOST_FACES, PHOTOS, REACH, TILES
from ext.heart_position import HOME, STARTING_TILE_ROOM
from ext.reading import Cell, Faults, Full, shown

Event = dict[str, Any]

_KINDS: dict[str, tuple[str, ...]] = {
    "first_drawn": ("seat",),
    "tile_drawn": ("tile", "column"),
    "photo_drawn": ("photo",),
    "die_rolled": ("face",),
    "taken": ("seat", "column", "tile"),
    "placed": ("seat", "tile", "cell", "rotation"),
    "discarded": ("seat", "tile"),
    "swam": ("seat", "origin", "destination"),
    "photo_taken": ("seat", "photo"),
    "shark_moved": ("seat", "host", "cell"),
    "declined": ("seat",),
    "rescued": ("seat", "manatees"),
    "relocated": ("seat", "host"),
    "reshuffled": ("tiles",),
    "end_triggered": ("seat", "reason"),
    "ended": ("reason",),
}
"""Every kind of event with its fields."""
_DUE = {
    "TAKE": ("taken", "declined"),
    "PLACE": ("placed", "discarded"),
    "SWIM": ("swam", "declined"),
    "PHOTO": ("photo_taken", "declined"),
    "SHARK": ("shark_moved",),
    "DRAW_FIRST": ("first_drawn",),
    "DRAW_TILE": ("tile_drawn",),
    "DRAW_PHOTO": ("photo_drawn",),
    "ROLL_DIE": ("die_rolled",),
}
"""The events of which one comes next in each phase. The kinds that are in none are automatic: they follow these."""
_AUTOMATIC = _KINDS.keys() - {kind for kinds in _DUE.values() for kind in kinds}
_RANGES = {
    "tile": (0, TILES - 1, "a kind of tile"),
    "column": (0, COLUMNS - 1, "a column"),
    "photo": (0, PHOTOS - 1, "a kind of photo card"),
    "face": (0, MOST_FACES - 1, "a kind of die face"),
    "rotation": (0, 3, "clockwise quarter turns"),
    "manatees": (0, STARTING_TILE_ROOM, "manatees"),
    "tiles": (1, TILES, "tiles"),
}
_REASONS = {"end_triggered": ("SUPPLY", "PHOTOS"), "ended": ("LAST_TURN", "NO_TILES", "NOTHING_PLACED")}
_CHOSEN = {"taken": "column", "placed": "cell", "swam": "destination", "photo_taken": "photo", "shark_moved": "cell"}
"""The field at fault when a move is not legal."""


def events(
    before: Mapping[str, Any],
    seat: int,
    notation: str,
    after: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    rules: Mapping[str, bool],
) -> list[Event]:
    """What the legal move `notation` of `seat` brought between two positions, up to what comes next.

    First the decision; then whatever it brought by itself, in this order: a rescue, the relocation of a manatee, the
    trigger of the end, a reshuffle, the end. ValueError for no notation.
    """
    old, new = before["table"], after["table"]
    word, *numbers = heart_notation.parse(notation)
    found: list[Event] = []
    if word == "take":
        found.append({"taken": {"seat": seat, "column": numbers[0], "tile": old["columns"][numbers[0]]["tiles"][0]}})
    elif word == "place":
        x, y = numbers[:2]
        turns = _tile(new, seat, (x, y))["rotation"]  # The fewest, whatever the notation has.
        placed = {"seat": seat, "tile": old["tile_in_hand"], "cell": _entry(x, y), "rotation": turns}
        found.append({"placed": placed})
        if not old["bonus"] and catalogue["actions"][old["action_column"]] == "HEART_ACTION_RESCUE":
            found.append({"rescued": {"seat": seat, "manatees": old["supply"] - new["supply"]}})
    elif word == "discard":
        found.append({"discarded": {"seat": seat, "tile": old["tile_in_hand"]}})
    elif word == "swim":
        x0, y0, x1, y1 = numbers
        found.append({"swam": {"seat": seat, "origin": _entry(x0, y0), "destination": _entry(x1, y1)}})
    elif word == "photo":
        found.append({"photo_taken": {"seat": seat, "photo": numbers[0]}})
    elif word == "shark":
        host, x, y = numbers
        found.append({"shark_moved": {"seat": seat, "host": host, "cell": _entry(x, y)}})
        if _tile(new, seat, HOME)["manatees"] > _tile(old, seat, HOME)["manatees"]:
            found.append({"relocated": {"seat": seat, "host": host}})
    else:
        found.append({"declined": {"seat": seat}})
    if old["trigger_seat"] is None and new["trigger_seat"] is not None:
        found.append({"end_triggered": {"seat": seat, "reason": "PHOTOS" if word == "photo" else "SUPPLY"}})
    return found + _aftermath(old, new, 0, rules)


def chance_events(
    before: Mapping[str, Any],
    outcome: str,
    after: Mapping[str, Any],
    *,
    catalogue: Mapping[str, Any],
    rules: Mapping[str, bool],
) -> list[Event]:
    """What an outcome of chance ("tile 12") brought between two positions, up to what comes next.

    The draw or the roll; then a reshuffle; then the end. ValueError for no outcome.
    """
    old, new = before["table"], after["table"]
    word, number = heart_notation.parse_outcome(outcome)
    drawn: Event
    if word == "first":
        drawn = {"first_drawn": {"seat": number}}
    elif word == "tile":
        drawn = {"tile_drawn": {"tile": number, "column": old["refill_column"]}}
    elif word == "photo":
        drawn = {"photo_drawn": {"photo": number}}
    else:
        drawn = {"die_rolled": {"face": number}}
    return [drawn, *_aftermath(old, new, 1 if word == "tile" else 0, rules)]


def _aftermath(old: Mapping[str, Any], new: Mapping[str, Any], drawn: int, rules: Mapping[str, bool]) -> list[Event]:
    """The reshuffle and the end between two tables, `drawn` tiles having been drawn from the pile."""
    found: list[Event] = []
    pile = _number(new["pile"])
    if pile > _number(old["pile"]) - drawn:
        found.append({"reshuffled": {"tiles": pile}})
    if new["phase"] == "OVER":
        if old["phase"] not in ("TAKE", "DRAW_TILE") and old["trigger_seat"] is not None and old["turns_left"] == 0:
            reason = "LAST_TURN"
        elif rules["reshuffle_discards"] and new["discards"]:
            reason = "NOTHING_PLACED"
        else:
            reason = "NO_TILES"
        found.append({"ended": {"reason": reason}})
    return found


def _number(counts: Sequence[Mapping[str, int]]) -> int:
    return sum(entry["count"] for entry in counts)


def _entry(x: int, y: int) -> dict[str, int]:
    return {"x": x, "y": y}


def _tile(table: Mapping[str, Any], seat: int, cell: Cell) -> Mapping[str, Any]:
    """The tile of a seat that lies on a cell."""
    entry = _entry(*cell)
    found: Mapping[str, Any] = next(tile for tile in table["seats"][seat]["habitat"] if tile["cell"] == entry)
    return found


def report(game: Game, state: State, events: Sequence[Mapping[str, Any]]) -> State:
    """The state after what has been seen to happen, in order; `game` is the kernel that `state` is of.

    Decisions of any seat and outcomes of chance, none left out. What follows from them by itself (rescued, relocated,
    reshuffled, end_triggered, ended) may be left out; given, it is what the game says, in its order.

    Raises `Malformed` with paths like "events[2].placed.cell", at most 1,000 faults: first whatever is unreadable in
    any event, or else what is wrong with the first event that cannot have happened.
    """
    reporting = _Reporting(game, state)
    with suppress(Full):
        reporting.take(events)
    if reporting.faults.found:
        raise Malformed(reporting.faults.found)
    return reporting.state


class _Reporting:
    """Events being taken up. Readable ones come out of `read` with every absent field filled in."""

    def __init__(self, game: Game, state: State) -> None:
        self.game = game
        self.state = state
        self.faults = Faults()
        self.following: list[Event] = []
        """What the last event brought by itself and has not been told."""

    def take(self, events: object) -> None:
        faults = self.faults
        readable = [self.read(event, f"events[{i}]") for i, event in enumerate(faults.array(events, "events"))]
        if faults.found:
            return
        for i, (kind, event) in enumerate(pair for pair in readable if pair is not None):
            path = f"events[{i}].{kind}"
            if kind in _AUTOMATIC:
                self.take_automatic(kind, event, path)
            else:
                self.take_due(kind, event, path)
            # Later events build on this one: what is wrong with them would only follow from it.
            if faults.found:
                return

    # Shapes.

    def read(self, event: object, path: str) -> tuple[str, dict[str, Any]] | None:
        faults = self.faults
        if not isinstance(event, Mapping):
            faults.add(path, f"expected a mapping, not {shown(event)}")
            return None
        fields = faults.message(event, path, (*_KINDS, "private_to"))
        if fields.get("private_to") is not None:
            faults.add(f"{path}.private_to", "expected none: everything that happens in heart is public")
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
        if name in ("seat", "host"):
            return self.faults.integer(value, path, 0, self.game.seats - 1, "a seat")
        if name in ("cell", "origin", "destination"):
            cell = self.faults.cell(value, path, REACH)
            return None if cell is None else _entry(*cell)
        if name == "reason":
            return self.faults.choice(value, path, _REASONS[kind])
        return self.faults.integer(value, path, *_RANGES[name])

    # Meaning.

    def take_automatic(self, kind: str, event: dict[str, Any], path: str) -> None:
        while self.following:
            expected = self.following.pop(0)
            if kind in expected:
                self.compare(event, expected[kind], path)
                return
        self.faults.add(path, "nothing of the kind happens here")

    def compare(self, event: dict[str, Any], expected: dict[str, Any], path: str) -> None:
        """One fault for each field that is not as expected."""
        for name, value in expected.items():
            if event[name] != value:
                self.faults.add(f"{path}.{name}", f"expected {value}, not {event[name]}")

    def take_due(self, kind: str, event: dict[str, Any], path: str) -> None:
        """A decision or an outcome of chance: the one that is due."""
        game, faults = self.game, self.faults
        turn = game.turn(self.state)
        if turn == OVER:
            faults.add(path, "nothing happens any more: the game is over")
            return
        table = game.dump(self.state)["table"]
        due = _DUE[table["phase"]]
        if kind not in due:
            whose = "" if turn == CHANCE else f" of seat {turn}"
            faults.add(path, f"expected {' or '.join(due)}{whose} here, in {table['phase']}")
            return
        if turn == CHANCE:
            self.take_outcome(kind, event, path, table)
        elif event["seat"] != turn:
            faults.add(f"{path}.seat", f"expected seat {turn}, whose turn it is")
        else:
            self.take_move(kind, event, path, table)

    def take_outcome(self, kind: str, event: dict[str, Any], path: str, table: Mapping[str, Any]) -> None:
        game, before = self.game, self.state
        if kind == "tile_drawn" and event["column"] != table["refill_column"]:
            self.faults.add(f"{path}.column", f"expected {table['refill_column']}, the column being filled")
            return
        name = _KINDS[kind][0]
        text = heart_notation.outcome(_OUTCOMES[kind], event[name])
        possible = {game.outcome_notation(outcome): outcome for outcome, _ in game.outcomes(before)}
        if text not in possible:
            self.faults.add(f"{path}.{name}", f"expected one that can be drawn; {event[name]} cannot")
            return
        self.state = game.happen(before, possible[text])
        self.following = game.chance_events(before, possible[text], self.state)[1:]

    def take_move(self, kind: str, event: dict[str, Any], path: str, table: Mapping[str, Any]) -> None:
        game, before, seat = self.game, self.state, event["seat"]
        tile = table["tile_in_hand"]
        where = "in hand"
        if kind == "taken":
            column = event["column"]
            where = f"at the beach end of column {column}"
            tile = next(iter(table["columns"][column]["tiles"]), None)
            if tile is None:
                self.faults.add(f"{path}.column", f"expected a column with a tile; {column} is empty")
                return
        if event.get("tile", tile) != tile:
            self.faults.add(f"{path}.tile", f"expected {tile}, the tile {where}, not {event['tile']}")
            return
        move = game.parse(_notation(kind, event))
        if not game.legal(before, seat, move):
            where = f"{path}.{_CHOSEN[kind]}" if kind in _CHOSEN else path
            self.faults.add(where, f"{_notation(kind, event)!r} is not a legal move of seat {seat} here")
            return
        move = game.canonical(before, seat, move)
        self.state = game.play(before, seat, move)
        self.following = game.events(before, seat, move, self.state)[1:]


_OUTCOMES = {"first_drawn": "first", "tile_drawn": "tile", "photo_drawn": "photo", "die_rolled": "die"}
"""The word that writes each outcome."""


def _notation(kind: str, event: Mapping[str, Any]) -> str:
    """Writes the move that an event tells of."""
    if kind == "taken":
        return heart_notation.take(event["column"])
    if kind == "placed":
        return heart_notation.place(event["cell"]["x"], event["cell"]["y"], event["rotation"])
    if kind == "swam":
        return heart_notation.swim(*event["origin"].values(), *event["destination"].values())
    if kind == "photo_taken":
        return heart_notation.photo(event["photo"])
    if kind == "shark_moved":
        return heart_notation.shark(event["host"], *event["cell"].values())
    return heart_notation.DISCARD if kind == "discarded" else heart_notation.DECLINE
