"""Messages of heart as its kernel takes them, and back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

from advisor.converter import Content, short_name
from advisor.errors import quote
from advisor.faults import Faults
from advisor.v1 import heart_pb2, position_pb2
from ext import heart_catalogue, heart_notation, heart_tables
from ext.errors import Violation
from ext.game import Game, Observation
from ext.heart import Heart

_SWITCHES: Final = tuple(field.name for field in heart_pb2.HeartRules.DESCRIPTOR.fields)
_PHASE: Final = "HEART_PHASE_"
# More entries than any position has are refused before anything is done with them.
_MAX_SEATS: Final = 4
_MAX_HABITAT: Final = 91
_MAX_TAKEN: Final = 6
_MAX_TILES: Final = 90
_MAX_COLUMNS: Final = 4
_MAX_COLUMN: Final = 3
_MAX_OPEN: Final = 4
_MAX_PHOTOS: Final = 24
_MAX_SWUM: Final = 30

_OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "first_drawn": ("first", "seat"),
    "tile_drawn": ("tile", "tile"),
    "photo_drawn": ("photo", "photo"),
    "die_rolled": ("die", "face"),
}
"""Events of chance: the outcome's word, and the field that has its number."""

_REASONS: Final[Mapping[str, tuple[EnumTypeWrapper, str]]] = {
    "end_triggered": (heart_pb2.HeartTriggerReason, "HEART_TRIGGER_REASON_"),
    "ended": (heart_pb2.HeartEndReason, "HEART_END_REASON_"),
}
_REASON_TEXTS: Final[Mapping[str, str]] = {
    "SUPPLY": "the last manatee has left the supply",
    "PHOTOS": "it has five photo cards",
    "LAST_TURN": "the last turn is finished",
    "NO_TILES": "no tile is left to take",
    "NOTHING_PLACED": "no tile was placed since the last reshuffle",
}
_TEXTS: Final[Mapping[str, str]] = {
    "first_drawn": "seat {seat} is the first player",
    "tile_drawn": "tile {tile} comes to column {column}",
    "photo_drawn": "photo card {photo} is laid open",
    "die_rolled": "the die shows face {face}",
    "taken": "seat {seat} takes tile {tile} from column {column}",
    "placed": "seat {seat} places tile {tile} at {cell[x]},{cell[y]} r{rotation}",
    "discarded": "seat {seat} discards tile {tile}, which fits nowhere",
    "swam": "a manatee of seat {seat} swims from {origin[x]},{origin[y]} to {destination[x]},{destination[y]}",
    "photo_taken": "seat {seat} takes photo card {photo}",
    "shark_moved": "seat {seat} moves the shark to {cell[x]},{cell[y]} of seat {host}",
    "declined": "seat {seat} declines",
    "rescued": "manatees that seat {seat} rescues: {manatees}",
    "relocated": "a manatee of seat {host} is relocated to seat {seat}",
    "reshuffled": "the discards become the new pile; tiles in it: {tiles}",
    "end_triggered": "seat {seat} triggers the end: {reason}",
    "ended": "the game is over: {reason}",
}


class HeartConverter:
    """The converter of heart."""

    member = "heart"
    catalogue_type: type[Message] = heart_pb2.HeartCatalogue

    def check_catalogue(self, catalogue: Content) -> list[Violation]:
        """Return everything that is wrong with a catalogue."""
        return list(heart_catalogue.check(catalogue))

    def catalogue_warnings(self, catalogue: Content) -> list[Violation]:
        """Return what is allowed but probably not meant."""
        return list(heart_catalogue.warnings(catalogue))

    def kernel(self, seats: int, variant: str, rules: Content, catalogue: Content) -> Game:
        """Compile the rules of heart."""
        return Heart(seats, catalogue, rules, variant)

    def rules_of(self, game: Game) -> Content:
        """Return every rule option of a compiled game."""
        assert isinstance(game, Heart)
        return game.rules

    # Rules.

    def read_rules(self, message: Message, faults: Faults) -> Content:
        """Return the options that are set."""
        assert isinstance(message, heart_pb2.HeartRules)
        return {name: getattr(message, name) for name in _SWITCHES if message.HasField(name)}

    def parse_rules(self, pairs: Mapping[str, str], faults: Faults) -> heart_pb2.HeartRules:
        """Return the message of options as written on a command line: {"mirror_patterns": "true"}."""
        message = heart_pb2.HeartRules()
        for name, text in pairs.items():
            if name not in _SWITCHES:
                faults.add("", f"{quote(name)} is no rule option; expected {', '.join(_SWITCHES)}")
            elif text.lower() not in ("true", "false"):
                faults.add(name, f"expected true or false, not {quote(text)}")
            else:
                setattr(message, name, text.lower() == "true")
        return message

    def position_rules(self, position: Message) -> heart_pb2.HeartRules:
        """Return the rules inside a position."""
        assert isinstance(position, heart_pb2.HeartPosition)
        return position.rules

    # Positions.

    def is_referee(self, position: Message, faults: Faults) -> bool | None:
        """Whether the position is a referee's."""
        assert isinstance(position, heart_pb2.HeartPosition)
        which = position.WhichOneof("knowledge")
        if which is None:
            faults.add("", "expected referee or seat_knowledge")
            return None
        return bool(which == "referee")

    def read_position(self, position: Message, faults: Faults) -> Content:
        """Return the position without its rules."""
        assert isinstance(position, heart_pb2.HeartPosition)
        content: dict[str, Any] = {}
        if position.HasField("table"):
            content["table"] = self._read_table(position.table, faults.under("table"))
        else:
            faults.add("table", "is required")
        if position.HasField("referee"):
            content["referee"] = {}
        elif position.HasField("seat_knowledge"):
            content["seat_knowledge"] = {"seat": position.seat_knowledge.seat}
        return content

    def _read_table(self, table: heart_pb2.HeartTable, faults: Faults) -> Content:
        phase = short_name(heart_pb2.HeartPhase, _PHASE, table.phase, "phase", faults)
        if not phase and table.phase == 0:
            faults.add("phase", "is required")
        seats = faults.few(table.seats, _MAX_SEATS, "seats")
        columns = faults.few(table.columns, _MAX_COLUMNS, "columns")
        shark = {"seat": table.shark.seat, "cell": _cell(table.shark.cell)} if table.HasField("shark") else None
        return {
            "phase": phase,
            "first_player": _optional(table, "first_player"),
            "turn": _optional(table, "turn"),
            "seats": [
                {
                    "habitat": [
                        {
                            "tile": _optional(placed, "tile"),
                            "cell": _cell(placed.cell),
                            "rotation": placed.rotation,
                            "manatees": placed.manatees,
                        }
                        for placed in faults.few(seat.habitat, _MAX_HABITAT, f"seats[{i}].habitat")
                    ],
                    "photos": list(faults.few(seat.photos, _MAX_TAKEN, f"seats[{i}].photos")),
                }
                for i, seat in enumerate(seats)
            ],
            "shark": shark,
            "supply": table.supply,
            "pile": _tile_counts(faults.few(table.pile, _MAX_TILES, "pile")),
            "discards": _tile_counts(faults.few(table.discards, _MAX_TILES, "discards")),
            "columns": [
                {"tiles": list(faults.few(column.tiles, _MAX_COLUMN, f"columns[{i}].tiles"))}
                for i, column in enumerate(columns)
            ],
            "open_photos": list(faults.few(table.open_photos, _MAX_OPEN, "open_photos")),
            "photo_deck": [
                {"photo": entry.photo, "count": entry.count}
                for entry in faults.few(table.photo_deck, _MAX_PHOTOS, "photo_deck")
            ],
            "die_face": _optional(table, "die_face"),
            "tile_in_hand": _optional(table, "tile_in_hand"),
            "action_column": _optional(table, "action_column"),
            "bonus": table.bonus,
            "refill_column": _optional(table, "refill_column"),
            "swims_left": table.swims_left,
            "swum": [_cell(cell) for cell in faults.few(table.swum, _MAX_SWUM, "swum")],
            "swum_on_starting_tile": table.swum_on_starting_tile,
            "nothing_placed_since_reshuffle": table.nothing_placed_since_reshuffle,
            "trigger_seat": _optional(table, "trigger_seat"),
            "turns_left": table.turns_left,
        }

    def write_position(self, content: Content, rules: Content, position: Message) -> None:
        """Fill the position's message; its fields have the names and, but for the phase, the values of the content."""
        assert isinstance(position, heart_pb2.HeartPosition)
        table = {**content["table"], "phase": _PHASE + content["table"]["phase"]}
        knowledge = {name: content[name] for name in ("referee", "seat_knowledge") if name in content}
        position.MergeFrom(heart_pb2.HeartPosition(rules=rules, table=table, **knowledge))

    # Moves.

    def read_move(self, move: Message, faults: Faults) -> tuple[str, str] | None:
        """Return a typed move's notation, and the path of the field that says it."""
        assert isinstance(move, heart_pb2.HeartMove)
        match move.WhichOneof("move"):
            case "take":
                return f"take {move.take.column}", "take.column"
            case "place":
                return f"place {_text(move.place.cell)} r{move.place.rotation}", "place"
            case "discard":
                return heart_notation.DISCARD, "discard"
            case "swim":
                return f"swim {_text(move.swim.origin)} {_text(move.swim.destination)}", "swim"
            case "photo":
                return f"photo {move.photo.photo}", "photo.photo"
            case "shark":
                return f"shark {move.shark.seat}:{_text(move.shark.cell)}", "shark"
            case "decline":
                return heart_notation.DECLINE, "decline"
        faults.add("", "expected take, place, discard, swim, photo, shark or decline")
        return None

    def write_move(self, notation: str, move: Message) -> None:
        """Fill the move's message."""
        word, *numbers = heart_notation.parse(notation)
        match word:
            case "take":
                said: Any = {"column": numbers[0]}
            case "place":
                said = {"cell": _at(*numbers[:2]), "rotation": numbers[2]}
            case "swim":
                said = {"origin": _at(*numbers[:2]), "destination": _at(*numbers[2:])}
            case "photo":
                said = {"photo": numbers[0]}
            case "shark":
                said = {"seat": numbers[0], "cell": _at(*numbers[1:])}
            case _:
                said = {}
        move.MergeFrom(heart_pb2.HeartMove(**{word: said}))

    # Events.

    def read_event(self, event: Message, faults: Faults) -> Content:
        """Return what a reported event says."""
        assert isinstance(event, heart_pb2.HeartEvent)
        name = event.WhichOneof("event")
        if name is None:
            faults.add("", f"expected {', '.join(_TEXTS)}")
            return {}
        message = getattr(event, name)
        said: dict[str, Any] = {}
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            said[field.name] = _cell(value) if field.message_type is not None else value
        if name in _REASONS:
            kind, prefix = _REASONS[name]
            path = f"{name}.reason"
            said["reason"] = short_name(kind, prefix, message.reason, path, faults)
            if message.reason == 0:
                faults.add(path, "is required")
        return {name: said}

    def write_event(self, content: Content, event: position_pb2.Event) -> None:
        """Fill the typed event and its text."""
        name = _name(content)
        said = dict(content[name])
        told = said
        if name in _REASONS:
            told = {**said, "reason": _REASON_TEXTS[said["reason"]]}
            said["reason"] = _REASONS[name][1] + said["reason"]
        event.heart.MergeFrom(heart_pb2.HeartEvent(**{name: said}))
        event.text = _TEXTS[name].format_map(told)

    def outcome(self, event: Content) -> str | None:
        """Return the outcome that an event of chance tells of."""
        name = _name(event)
        if name not in _OUTCOMES:
            return None
        word, field = _OUTCOMES[name]
        return f"{word} {event[name][field]}"

    def is_chance(self, event: Content) -> bool:
        """Whether the event is one of chance."""
        return _name(event) in _OUTCOMES

    def own_move_events(
        self, game: Game, before: Observation, seat: int, move: int, after: Observation
    ) -> Sequence[Content]:
        """Return what the move brings about up to the next decision or chance event: all of it is open (heart-22)."""
        return game.events(game.determinize(before, 0), seat, move, game.determinize(after, 0))

    def turn_decisions(self, observation: Content, catalogue: Content) -> int:
        """Return 2, a take and a placement, and the most that the action may bring: swims, a photo, shark and bonus."""
        table = observation["table"]
        # The actions that may come, each with the tile that is placed before it; None once that is done.
        if table["action_column"] is None:
            tiles = {i: column["tiles"][0] for i, column in enumerate(table["columns"]) if column["tiles"]}
        else:
            tiles = {table["action_column"]: table["tile_in_hand"]}
        most = 2
        for column, tile in tiles.items():
            match catalogue["actions"][column]:
                case "HEART_ACTION_PHOTO":
                    most = max(most, 3)
                case "HEART_ACTION_SHARK":
                    most = max(most, 5)
                case "HEART_ACTION_SWIM":
                    icons = 0 if tile is None else catalogue["tiles"][tile]["edges"].count("HEART_ICON_SWIM")
                    icons += sum(_swim_icons(table["seats"][table["turn"]]["habitat"], catalogue, table["turn"]))
                    most = max(most, 3 + icons)
        return most


def _swim_icons(habitat: Sequence[Content], catalogue: Content, seat: int) -> Iterator[bool]:
    """Yield for every shared edge of a habitat whether it has a swim icon."""
    swim = heart_tables.ICONS.index("SWIM")
    words = {}
    for placed in habitat:
        tile = placed["tile"]
        entry = catalogue["starting_tiles"][seat] if tile is None else catalogue["tiles"][tile]
        word = heart_tables.turned(heart_tables.edges_word(entry["edges"]), placed["rotation"])
        words[placed["cell"]["x"], placed["cell"]["y"]] = word
    for (x, y), word in words.items():
        yield (x + 1, y) in words and word >> 4 & 7 == swim
        yield (x, y + 1) in words and word >> 8 & 7 == swim


def _name(content: Content) -> str:
    """Return the name of an event: its one key."""
    return next(iter(content), "")


def _optional(message: Message, field: str) -> int | None:
    return getattr(message, field) if message.HasField(field) else None


def _at(x: int, y: int) -> dict[str, int]:
    return {"x": x, "y": y}


def _cell(cell: heart_pb2.HeartCell) -> dict[str, int]:
    return {"x": cell.x, "y": cell.y}


def _text(cell: heart_pb2.HeartCell) -> str:
    return f"{cell.x},{cell.y}"


def _tile_counts(entries: Sequence[heart_pb2.HeartTileCount]) -> list[dict[str, int]]:
    return [{"tile": entry.tile, "count": entry.count} for entry in entries]
