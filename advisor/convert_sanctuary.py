"""Messages of sanctuary as its kernel takes them, and back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

from advisor.converter import UNSPECIFIED, Content, short_name
from advisor.errors import quote
from advisor.faults import Faults
from advisor.v1 import position_pb2, sanctuary_pb2
from ext import sanctuary_catalogue, sanctuary_notation
from ext.errors import Violation
from ext.game import Game, Observation
from ext.sanctuary import Sanctuary

Manatees = dict[str, int]
Hidden = sanctuary_pb2.SanctuarySecrets | sanctuary_pb2.SanctuarySeatKnowledge
"""What only some know, of one seat."""

_CHOICES: Final[Mapping[str, tuple[EnumTypeWrapper, str]]] = {
    "play_order": (sanctuary_pb2.SanctuaryPlayOrder, "SANCTUARY_PLAY_ORDER_"),
    "challenge": (sanctuary_pb2.SanctuaryChallenge, "SANCTUARY_CHALLENGE_"),
}
_NUMBERS: Final = ("food_cap",)
_OPTIONS: Final = tuple(field.name for field in sanctuary_pb2.SanctuaryRules.DESCRIPTOR.fields)
_WHOLE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_PHASE: Final = "SANCTUARY_PHASE_"
_STACK: Final = "SANCTUARY_STACK_"
_COLOUR: Final = "SANCTUARY_COLOUR_"
_REASON: Final = "SANCTUARY_END_REASON_"
# More entries than any position or event has are refused before anything is done with them.
_MAX_SEATS: Final = 12
_MAX_PLAYED: Final = 24
_MAX_BAGS: Final = 2
_MAX_BONUSES: Final = 3
_MAX_DRAWN: Final = 2
_MAX_DISCARDS: Final = 18
_MAX_HAND: Final = 8
_MAX_STACK: Final = 4

_OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "bonus_drawn": ("bonus", "bonus"),
    "card_received": ("card", "card"),
    "card_drawn": ("card", "card"),
    "manatee_drawn": ("manatee", "colour"),
}
"""Events that tell an outcome of chance: its word, and the field that has the rest."""
_CHANCE: Final = frozenset(_OUTCOMES.keys() - {"card_received"} | {"card_dealt"})
"""Events of chance, one for each; a card that is dealt face down is told apart from what it is."""
_DRAFT: Final = ("split", "keep")
"""Moves that stay hidden until every seat has made its own."""
_REASON_TEXTS: Final[Mapping[str, str]] = {
    "ROUNDS": "round 3 is scored",
    "SENT_BACK": "a manatee was sent back",
}
_TEXTS: Final[Mapping[str, str]] = {
    "bonus_drawn": "bonus card {bonus} is for round {round}",
    "card_dealt": "seat {seat} is dealt a card",
    "card_received": "seat {seat} gets card {card}",
    "card_drawn": "card {card} is drawn",
    "committed": "seat {seat} commits",
    "stacks_offered": "all offer their stacks, the smaller ones of {smaller_stacks} cards",
    "stacks_seen": "seat {seat} sees stacks {stacks}",
    "stacks_chosen": "all have chosen, by seat: {kept}",
    "hand_taken": "seat {seat} takes up cards {cards}",
    "picked": "card {card} is kept and card {discarded} discarded; the token is at {token}",
    "discarded": "card {card} is discarded for the challenge",
    "declined": "no card is discarded in this round",
    "top_played": "seat {seat} plays the top of card {card}: food {harvest}, manatees taken: {taken}",
    "bottom_played": "seat {seat} plays the bottom of card {card} at {cell} r{rotation}: flowers {flowers}",
    "manatee_drawn": "a {colour} manatee is drawn for seat {seat}",
    "returned": "seat {seat} sends back {manatees}",
    "housed": "seat {seat} houses {manatees}",
    "fed": "seat {seat} pays {food} food",
    "scored": "seat {seat} scores: manatees {manatees}, bonus {bonus}, track {track}, end-game cards {end_game}; "
    "it has {score} points",
    "round_begun": "round {round} begins",
    "ended": "the game is over: {reason}",
}


class SanctuaryConverter:
    """The converter of sanctuary."""

    member = "sanctuary"
    catalogue_type: type[Message] = sanctuary_pb2.SanctuaryCatalogue

    def check_catalogue(self, catalogue: Content) -> list[Violation]:
        """Return everything that is wrong with a catalogue."""
        return list(sanctuary_catalogue.check(catalogue))

    def catalogue_warnings(self, catalogue: Content) -> list[Violation]:
        """Return what is allowed but probably not meant."""
        return list(sanctuary_catalogue.warnings(catalogue))

    def kernel(self, seats: int, variant: str, rules: Content, catalogue: Content) -> Game:
        """Compile the rules of sanctuary."""
        return Sanctuary(seats, catalogue, rules, variant)

    def rules_of(self, game: Game) -> Content:
        """Return every rule option of a compiled game."""
        assert isinstance(game, Sanctuary)
        return game.rules

    # Rules.

    def read_rules(self, message: Message, faults: Faults) -> Content:
        """Return the options that are set."""
        assert isinstance(message, sanctuary_pb2.SanctuaryRules)
        rules: dict[str, Any] = {}
        for name in _OPTIONS:
            if name not in _CHOICES:
                if message.HasField(name):
                    rules[name] = getattr(message, name)
                continue
            kind, prefix = _CHOICES[name]
            value = short_name(kind, prefix, getattr(message, name), name, faults)
            if value:
                rules[name] = value
        return rules

    def parse_rules(self, pairs: Mapping[str, str], faults: Faults) -> sanctuary_pb2.SanctuaryRules:
        """Return the message of options as written on a command line: {"challenge": "saviour", "food_cap": "20"}."""
        message = sanctuary_pb2.SanctuaryRules()
        for name, text in pairs.items():
            if name not in _OPTIONS:
                faults.add("", f"{quote(name)} is no rule option; expected {', '.join(_OPTIONS)}")
            elif name in _CHOICES:
                kind, prefix = _CHOICES[name]
                values = [key.removeprefix(prefix) for key in kind.keys() if key != prefix + UNSPECIFIED]  # noqa: SIM118
                if text.upper() in values:
                    setattr(message, name, kind.Value(prefix + text.upper()))
                else:
                    faults.add(name, f"expected {' or '.join(values)}, not {quote(text)}")
            elif name in _NUMBERS:
                if _WHOLE.fullmatch(text):
                    setattr(message, name, int(text))
                else:
                    faults.add(name, f"expected a whole number, not {quote(text)}")
            elif text.lower() in ("true", "false"):
                setattr(message, name, text.lower() == "true")
            else:
                faults.add(name, f"expected true or false, not {quote(text)}")
        return message

    def position_rules(self, position: Message) -> sanctuary_pb2.SanctuaryRules:
        """Return the rules inside a position."""
        assert isinstance(position, sanctuary_pb2.SanctuaryPosition)
        return position.rules

    # Positions.

    def is_referee(self, position: Message, faults: Faults) -> bool | None:
        """Whether the position is a referee's."""
        assert isinstance(position, sanctuary_pb2.SanctuaryPosition)
        which = position.WhichOneof("knowledge")
        if which is None:
            faults.add("", "expected referee or seat_knowledge")
            return None
        return bool(which == "referee")

    def read_position(self, position: Message, faults: Faults) -> Content:
        """Return the position without its rules."""
        assert isinstance(position, sanctuary_pb2.SanctuaryPosition)
        content: dict[str, Any] = {}
        if position.HasField("table"):
            content["table"] = self._read_table(position.table, faults.under("table"))
        else:
            faults.add("table", "is required")
        if position.HasField("referee"):
            below = faults.under("referee")
            content["referee"] = {
                "seats": [
                    _read_hidden(secrets, below.under(f"seats[{i}]"))
                    for i, secrets in enumerate(below.few(position.referee.seats, _MAX_SEATS, "seats"))
                ]
            }
        elif position.HasField("seat_knowledge"):
            knowledge, below = position.seat_knowledge, faults.under("seat_knowledge")
            content["seat_knowledge"] = {
                "seat": knowledge.seat,
                **_read_hidden(knowledge, below),
                "offered": _optional_stacks(knowledge, "offered", below),
            }
        return content

    def _read_table(self, table: sanctuary_pb2.SanctuaryTable, faults: Faults) -> Content:
        phase = short_name(sanctuary_pb2.SanctuaryPhase, _PHASE, table.phase, "phase", faults)
        if not phase and table.phase == 0:
            faults.add("phase", "is required")
        return {
            "round": table.round,
            "phase": phase,
            "turn": table.turn if table.HasField("turn") else None,
            "seats": [
                {
                    "score": seat.score,
                    "food": seat.food,
                    "manatees": _manatees(seat.manatees),
                    "sanctuary": [
                        {"card": placed.card, "cell": _cell(placed.cell), "rotation": placed.rotation}
                        for placed in faults.few(seat.sanctuary, _MAX_PLAYED, f"seats[{i}].sanctuary")
                    ],
                    "tops": list(faults.few(seat.tops, _MAX_PLAYED, f"seats[{i}].tops")),
                    "hand_size": seat.hand_size,
                    "committed": seat.committed,
                    "smaller_stack": seat.smaller_stack,
                }
                for i, seat in enumerate(faults.few(table.seats, _MAX_SEATS, "seats"))
            ],
            "bags": [_manatees(bag) for bag in faults.few(table.bags, _MAX_BAGS, "bags")],
            "newcomers": _manatees(table.newcomers),
            "draws_left": table.draws_left,
            "bonuses": list(faults.few(table.bonuses, _MAX_BONUSES, "bonuses")),
            "drawn": list(faults.few(table.drawn, _MAX_DRAWN, "drawn")),
            "discards": list(faults.few(table.discards, _MAX_DISCARDS, "discards")),
            "token": table.token,
            "strongest_discarded": table.strongest_discarded,
            "sent_back": table.sent_back,
        }

    def write_position(self, content: Content, rules: Content, position: Message) -> None:
        """Fill the position's message; but for enums and commitments its fields have the values of the content."""
        assert isinstance(position, sanctuary_pb2.SanctuaryPosition)
        said: dict[str, Any] = {
            "rules": {name: _CHOICES[name][1] + value if name in _CHOICES else value for name, value in rules.items()},
            "table": {
                **content["table"],
                "phase": _PHASE + content["table"]["phase"],
                "newcomers": _any(content["table"]["newcomers"]),
                "seats": [{**seat, "manatees": _any(seat["manatees"])} for seat in content["table"]["seats"]],
            },
        }
        if "referee" in content:
            said["referee"] = {"seats": [_hidden(secrets) for secrets in content["referee"]["seats"]]}
        else:
            said["seat_knowledge"] = _hidden(content["seat_knowledge"])
        position.MergeFrom(sanctuary_pb2.SanctuaryPosition(**said))

    # Moves.

    def read_move(self, move: Message, faults: Faults) -> tuple[str, str] | None:
        """Return a typed move's notation, and the path of the field that says it."""
        assert isinstance(move, sanctuary_pb2.SanctuaryMove)
        which = move.WhichOneof("move")
        if which is None:
            names = [field.name for field in sanctuary_pb2.SanctuaryMove.DESCRIPTOR.fields]
            faults.add("", f"expected {', '.join(names[:-1])} or {names[-1]}")
            return None
        fields = getattr(move, which).DESCRIPTOR.fields
        return _notation(move), f"{which}.{fields[0].name}" if len(fields) == 1 else which

    def write_move(self, notation: str, move: Message) -> None:
        """Fill the move's message."""
        move.MergeFrom(_move(notation))

    # Events.

    def read_event(self, event: Message, faults: Faults) -> Content:
        """Return what a reported event says."""
        assert isinstance(event, sanctuary_pb2.SanctuaryEvent)
        name = event.WhichOneof("event")
        if name is None:
            faults.add("", f"expected {', '.join(_TEXTS)}")
            return {}
        message, below = getattr(event, name), faults.under(name)
        return {name: {field.name: _said(message, field.name, below) for field in message.DESCRIPTOR.fields}}

    def write_event(self, content: Content, event: position_pb2.Event) -> None:
        """Fill the typed event and its text."""
        name = _name(content)
        written = {field: _written(field, value) for field, value in content[name].items()}
        told = {field: _told(field, value) for field, value in content[name].items()}
        event.sanctuary.MergeFrom(sanctuary_pb2.SanctuaryEvent(**{name: written}))
        event.text = _TEXTS[name].format_map(told) + (_ending(content[name]) if name == "ended" else "")

    def outcome(self, event: Content) -> str | None:
        """Return the outcome that an event of chance tells of."""
        name = _name(event)
        if name not in _OUTCOMES:
            return None
        word, field = _OUTCOMES[name]
        return f"{word} {str(event[name][field]).lower()}"

    def is_chance(self, event: Content) -> bool:
        """Whether the event stands for one of chance; that somebody gets to know the card dealt is no second one."""
        return _name(event) in _CHANCE

    def own_move_events(
        self, game: Game, before: Observation, seat: int, move: int, after: Observation
    ) -> Sequence[Content]:
        """Return that the seat commits, or what its move brings about up to the next decision or chance event.

        Splits and choices are hidden until the last is in (sanctuary-4); all other moves are open and so is all that
        follows from them, so that any world tells it.
        """
        if game.notation(move).split()[0] in _DRAFT:
            return [{"committed": {"seat": seat}}]
        world = game.determinize(before, 0)
        return game.events(world, seat, move, game.play(world, seat, move))

    def turn_decisions(self, observation: Content, catalogue: Content) -> int:
        """Return 2 for a card, whose newcomers may not all have room, if one that is left to play brings any; else 1.

        Every choice of the draft is a turn of its own, and so is the feeding.
        """
        table = observation["table"]
        if table["phase"] == "RETURN":
            return 2
        if table["phase"] != "PLAY":
            return 1
        kinds = [card for edition in catalogue["editions"] for card in edition["cards"]]
        return 1 + any(_rescues(kinds[card]) for card in observation["seat_knowledge"]["hand"])


def _rescues(card: Content) -> bool:
    """Whether a kind of card has a manatee icon."""
    return bool(card.get("random_rescues") or any((card.get("rescues") or {}).values()))


# What is hidden.


def _read_hidden(secrets: Hidden, faults: Faults) -> dict[str, Any]:
    # An empty move is no commitment but a fault: as an empty notation the kernel refuses it at the right path.
    return {
        "hand": list(faults.few(secrets.hand, _MAX_HAND, "hand")),
        "commitment": _notation(secrets.commitment) if secrets.HasField("commitment") else None,
        "made": _optional_stacks(secrets, "made", faults),
        "left_hand": list(faults.few(secrets.left_hand, _MAX_HAND, "left_hand")),
        "right_hand": list(faults.few(secrets.right_hand, _MAX_HAND, "right_hand")),
    }


def _optional_stacks(message: Message, field: str, faults: Faults) -> dict[str, list[int]] | None:
    return _stacks(getattr(message, field), faults.under(field)) if message.HasField(field) else None


def _stacks(stacks: sanctuary_pb2.SanctuaryStacks, faults: Faults) -> dict[str, list[int]]:
    return {name: list(faults.few(getattr(stacks, name), _MAX_STACK, name)) for name in ("smaller", "larger")}


def _hidden(secrets: Content) -> dict[str, Any]:
    """Return what is hidden as the message's constructor takes it."""
    commitment = secrets["commitment"]
    return {**secrets, "commitment": None if commitment is None else _move(commitment)}


# Moves.


def _notation(move: sanctuary_pb2.SanctuaryMove) -> str:
    """Write a typed move without judging it; "" when it is empty."""
    match move.WhichOneof("move"):
        case "split":
            # One card too many is enough to be refused.
            return f"split {','.join(map(str, move.split.cards[:3]))}"
        case "choose":
            names = dict(enumerate(sanctuary_notation.STACKS, sanctuary_pb2.SANCTUARY_STACK_SMALLER))
            return f"keep {names.get(move.choose.stack, '')}"
        case "pick":
            return f"pick {move.pick.card}"
        case "discard":
            return f"discard {move.discard.card}"
        case "decline":
            return sanctuary_notation.DECLINE
        case "top":
            return f"top {move.top.card}"
        case "bottom":
            placed = move.bottom
            return f"bottom {placed.card} {placed.cell.x},{placed.cell.y} r{placed.rotation}"
        case "send_back":
            return f"return {move.send_back.gray},{move.send_back.pink},{move.send_back.yellow}"
    return ""


def _move(notation: str) -> sanctuary_pb2.SanctuaryMove:
    """Read a sound notation into a message."""
    word, *numbers = sanctuary_notation.parse(notation)
    match word:
        case "split":
            return sanctuary_pb2.SanctuaryMove(split={"cards": numbers})
        case "keep":
            return sanctuary_pb2.SanctuaryMove(choose={"stack": _STACK + sanctuary_notation.STACKS[numbers[0]].upper()})
        case "bottom":
            card, x, y, rotation = numbers
            return sanctuary_pb2.SanctuaryMove(bottom={"card": card, "cell": {"x": x, "y": y}, "rotation": rotation})
        case "return":
            gray, pink, yellow = numbers
            return sanctuary_pb2.SanctuaryMove(send_back={"gray": gray, "pink": pink, "yellow": yellow})
        case sanctuary_notation.DECLINE:
            return sanctuary_pb2.SanctuaryMove(decline={})
    return sanctuary_pb2.SanctuaryMove(**{word: {"card": numbers[0]}})


# Fields of events, by their names, which mean the same in every one.


def _said(message: Message, name: str, faults: Faults) -> Any:
    """Return what a field of a reported event says."""
    value = getattr(message, name)
    match name:
        case "taken":
            return _manatees(value)
        case "manatees" if message.DESCRIPTOR.fields_by_name[name].message_type is not None:
            return _manatees(value)
        case "cell":
            return _cell(value)
        case "stacks":
            return _stacks(value, faults.under(name))
        case "cards":
            return list(faults.few(value, _MAX_HAND, name))
        case "smaller_stacks":
            return list(faults.few(value, _MAX_SEATS, name))
        case "kept":
            stacks = enumerate(faults.few(value, _MAX_SEATS, name))
            return [_enum(sanctuary_pb2.SanctuaryStack, _STACK, stack, f"{name}[{i}]", faults) for i, stack in stacks]
        case "colour":
            return _enum(sanctuary_pb2.SanctuaryColour, _COLOUR, value, name, faults)
        case "reason":
            return _enum(sanctuary_pb2.SanctuaryEndReason, _REASON, value, name, faults)
        case "tier" | "challenge_won":
            return value if message.HasField(name) else None
    return value


def _written(name: str, value: Any) -> Any:
    """Return a field of an event as the message's constructor takes it."""
    match name:
        case "taken":
            return _any(value)
        case "kept":
            return [_STACK + stack for stack in value]
        case "colour":
            return _COLOUR + value
        case "reason":
            return _REASON + value
    return value


def _told(name: str, value: Any) -> Any:
    """Return a field of an event as a player reads it."""
    match name:
        case "taken" | "manatees" if isinstance(value, Mapping):
            return manatees_text(value)
        case "cell":
            return f"{value['x']},{value['y']}"
        case "stacks":
            return " and ".join(", ".join(map(str, value[stack])) for stack in ("smaller", "larger"))
        case "cards" | "smaller_stacks":
            return ", ".join(map(str, value))
        case "kept":
            return ", ".join(stack.lower() for stack in value)
        case "colour":
            return value.lower()
        case "reason":
            return _REASON_TEXTS[value]
    return value


def _ending(ended: Content) -> str:
    """Return what more there is to say of the end of a solo game."""
    more = "" if ended["tier"] is None else f"; tier {ended['tier']} of 7"
    if ended["challenge_won"] is None:
        return more
    return f"{more}; the challenge is {'won' if ended['challenge_won'] else 'lost'}"


def manatees_text(manatees: Mapping[str, int]) -> str:
    """Return manatees as a player reads them: "2 gray, 1 yellow", "none"."""
    return ", ".join(f"{count} {colour}" for colour, count in manatees.items() if count) or "none"


# Values.


def _name(content: Content) -> str:
    """Return the name of an event; "" for one that could not be read."""
    return next((name for name in content if name != "private_to"), "")


def _enum(kind: EnumTypeWrapper, prefix: str, number: int, path: str, faults: Faults) -> str:
    """Return a short name; "", with a fault, for an unknown number and for the unspecified one."""
    if number == 0:
        faults.add(path, "is required")
        return ""
    return short_name(kind, prefix, number, path, faults)


def _cell(cell: sanctuary_pb2.SanctuaryCell) -> dict[str, int]:
    return {"x": cell.x, "y": cell.y}


def _manatees(manatees: sanctuary_pb2.SanctuaryManatees) -> Manatees:
    return {"gray": manatees.gray, "pink": manatees.pink, "yellow": manatees.yellow}


def _any(manatees: Manatees) -> Manatees | None:
    """Return the manatees, or that there are none."""
    return manatees if any(manatees.values()) else None
