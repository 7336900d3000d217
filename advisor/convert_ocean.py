"""Messages of ocean as its kernel takes them, and back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

from advisor.converter import UNSPECIFIED, Content, short_name
from advisor.errors import quote
from advisor.faults import Faults
from advisor.v1 import ocean_pb2, position_pb2
from ext import ocean_catalogue, ocean_notation
from ext.errors import Violation
from ext.game import Game, Observation
from ext.ocean import Ocean

_SWITCHES: Final = ("same_kind_sets", "mirror_targets", "promo", "no_category_counts")
_CHOICES: Final[Mapping[str, tuple[EnumTypeWrapper, str]]] = {
    "topology": (ocean_pb2.OceanTopology, "OCEAN_TOPOLOGY_"),
    "passing": (ocean_pb2.OceanPassing, "OCEAN_PASSING_"),
    "target_match": (ocean_pb2.OceanTargetMatch, "OCEAN_TARGET_MATCH_"),
}
# More entries than any position or event has are refused before anything is done with them.
_MAX_SEATS: Final = 4
_MAX_CARDS: Final = 40
_MAX_OCEAN: Final = 9
_MAX_TARGETS: Final = 9


class OceanConverter:
    """The converter of ocean."""

    member = "ocean"
    catalogue_type: type[Message] = ocean_pb2.OceanCatalogue

    def check_catalogue(self, catalogue: Content) -> list[Violation]:
        """Return everything that is wrong with a catalogue."""
        return list(ocean_catalogue.check(catalogue))

    def catalogue_warnings(self, catalogue: Content) -> list[Violation]:
        """Return what is allowed but probably not meant."""
        return list(ocean_catalogue.warnings(catalogue))

    def kernel(self, seats: int, variant: str, rules: Content, catalogue: Content) -> Game:
        """Compile the rules of ocean."""
        return Ocean(seats, catalogue, rules, variant)

    def rules_of(self, game: Game) -> Content:
        """Return every rule option of a compiled game."""
        assert isinstance(game, Ocean)
        return game.rules

    # Rules.

    def read_rules(self, message: Message, faults: Faults) -> Content:
        """Return the options that are set."""
        assert isinstance(message, ocean_pb2.OceanRules)
        rules: dict[str, Any] = {}
        for name, (kind, prefix) in _CHOICES.items():
            value = short_name(kind, prefix, getattr(message, name), name, faults)
            if value:
                rules[name] = value
        for name in _SWITCHES:
            if message.HasField(name):
                rules[name] = getattr(message, name)
        return rules

    def parse_rules(self, pairs: Mapping[str, str], faults: Faults) -> ocean_pb2.OceanRules:
        """Return the message of options as written on a command line: {"topology": "HEX", "promo": "true"}."""
        message = ocean_pb2.OceanRules()
        for name, text in pairs.items():
            if name in _CHOICES:
                kind, prefix = _CHOICES[name]
                values = [key.removeprefix(prefix) for key in kind.keys() if key != prefix + UNSPECIFIED]  # noqa: SIM118
                if text.upper() in values:
                    setattr(message, name, kind.Value(prefix + text.upper()))
                else:
                    faults.add(name, f"expected {' or '.join(values)}, not {quote(text)}")
            elif name in _SWITCHES:
                if text.lower() in ("true", "false"):
                    setattr(message, name, text.lower() == "true")
                else:
                    faults.add(name, f"expected true or false, not {quote(text)}")
            else:
                faults.add("", f"{quote(name)} is no rule option; expected {', '.join((*_CHOICES, *_SWITCHES))}")
        return message

    def position_rules(self, position: Message) -> ocean_pb2.OceanRules:
        """Return the rules inside a position."""
        assert isinstance(position, ocean_pb2.OceanPosition)
        return position.rules

    def _write_rules(self, rules: Content, message: ocean_pb2.OceanRules) -> None:
        for name, (kind, prefix) in _CHOICES.items():
            setattr(message, name, kind.Value(prefix + rules[name]))
        for name in _SWITCHES:
            setattr(message, name, rules[name])

    # Positions.

    def is_referee(self, position: Message, faults: Faults) -> bool | None:
        """Whether the position is a referee's."""
        assert isinstance(position, ocean_pb2.OceanPosition)
        which = position.WhichOneof("knowledge")
        if which is None:
            faults.add("", "expected referee or seat_knowledge")
            return None
        return bool(which == "referee")

    def read_position(self, position: Message, faults: Faults) -> Content:
        """Return the position without its rules."""
        assert isinstance(position, ocean_pb2.OceanPosition)
        content: dict[str, Any] = {}
        if position.HasField("table"):
            content["table"] = self._read_table(position.table, faults.under("table"))
        else:
            faults.add("table", "is required")
        if position.HasField("referee"):
            below = faults.under("referee")
            content["referee"] = {
                "seats": [
                    {
                        "hand": list(below.few(secrets.hand, _MAX_CARDS, f"seats[{i}].hand")),
                        "targets": list(below.few(secrets.targets, _MAX_TARGETS, f"seats[{i}].targets")),
                        "commitment": _commitment(secrets),
                    }
                    for i, secrets in enumerate(below.few(position.referee.seats, _MAX_SEATS, "seats"))
                ]
            }
        elif position.HasField("seat_knowledge"):
            knowledge = position.seat_knowledge
            below = faults.under("seat_knowledge")
            content["seat_knowledge"] = {
                "seat": knowledge.seat,
                "targets": list(below.few(knowledge.targets, _MAX_TARGETS, "targets")),
                "commitment": _commitment(knowledge),
                "hands": [
                    {"cards": list(below.few(hand.cards, _MAX_CARDS, f"hands[{i}].cards"))}
                    for i, hand in enumerate(below.few(knowledge.hands, _MAX_SEATS, "hands"))
                ],
            }
        return content

    def _read_table(self, table: ocean_pb2.OceanTable, faults: Faults) -> Content:
        phase = short_name(ocean_pb2.OceanPhase, "OCEAN_PHASE_", table.phase, "phase", faults)
        if not phase and table.phase == 0:
            faults.add("phase", "is required")
        return {
            "round": table.round,
            "phase": phase,
            "seats": [
                {
                    "ocean": [
                        {"card": placed.card, "cell": {"x": placed.cell.x, "y": placed.cell.y}}
                        for placed in faults.few(seat.ocean, _MAX_OCEAN, f"seats[{i}].ocean")
                    ],
                    "hand_size": seat.hand_size,
                    "committed": seat.committed,
                    "revealed_card": seat.revealed_card if seat.HasField("revealed_card") else None,
                    "targets": list(faults.few(seat.targets, _MAX_TARGETS, f"seats[{i}].targets")),
                }
                for i, seat in enumerate(faults.few(table.seats, _MAX_SEATS, "seats"))
            ],
        }

    def write_position(self, content: Content, rules: Content, position: Message) -> None:
        """Fill the position's message."""
        assert isinstance(position, ocean_pb2.OceanPosition)
        self._write_rules(rules, position.rules)
        table = content["table"]
        position.table.round = table["round"]
        position.table.MergeFrom(ocean_pb2.OceanTable(phase="OCEAN_PHASE_" + table["phase"]))
        for seat in table["seats"]:
            shown = position.table.seats.add(
                hand_size=seat["hand_size"], committed=seat["committed"], targets=seat["targets"]
            )
            if seat["revealed_card"] is not None:
                shown.revealed_card = seat["revealed_card"]
            for placed in seat["ocean"]:
                cell = ocean_pb2.OceanCell(x=placed["cell"]["x"], y=placed["cell"]["y"])
                shown.ocean.add(card=placed["card"], cell=cell)
        if "referee" in content:
            position.referee.SetInParent()
            for seat in content["referee"]["seats"]:
                secrets = position.referee.seats.add(hand=seat["hand"], targets=seat["targets"])
                if seat["commitment"] is not None:
                    self.write_move(seat["commitment"], secrets.commitment)
        else:
            known = content["seat_knowledge"]
            knowledge = position.seat_knowledge
            knowledge.SetInParent()
            knowledge.seat = known["seat"]
            knowledge.targets.extend(known["targets"])
            if known["commitment"] is not None:
                self.write_move(known["commitment"], knowledge.commitment)
            for hand in known["hands"]:
                knowledge.hands.add(cards=hand["cards"])

    # Moves.

    def read_move(self, move: Message, faults: Faults) -> tuple[str, str] | None:
        """Return a typed move's notation, and the path of the field that says it."""
        assert isinstance(move, ocean_pb2.OceanMove)
        which = move.WhichOneof("move")
        if which == "pick":
            return _notation(move), "pick.card"
        if which == "place":
            return _notation(move), "place.cell"
        faults.add("", "expected pick or place")
        return None

    def write_move(self, notation: str, move: Message) -> None:
        """Fill the move's message."""
        assert isinstance(move, ocean_pb2.OceanMove)
        parsed = ocean_notation.parse(notation)
        if parsed[0] == "pick":
            move.pick.SetInParent()
            move.pick.card = parsed[1]
        else:
            move.place.cell.SetInParent()
            move.place.cell.x = parsed[1]
            move.place.cell.y = parsed[2]

    # Events.

    def read_event(self, event: Message, faults: Faults) -> Content:
        """Return what a reported event says."""
        assert isinstance(event, ocean_pb2.OceanEvent)
        match event.WhichOneof("event"):
            case "committed":
                return {"committed": {"seat": event.committed.seat}}
            case "revealed":
                moves = []
                for i, choice in enumerate(faults.few(event.revealed.moves, _MAX_SEATS, "revealed.moves")):
                    below = faults.under(f"revealed.moves[{i}].move")
                    notation = None
                    if not choice.HasField("move"):
                        below.add("", "is required")
                    else:
                        said = self.read_move(choice.move, below)
                        notation = said[0] if said else None
                    moves.append({"seat": choice.seat, "move": notation})
                return {"revealed": {"moves": moves}}
            case "passed":
                number = event.passed.direction
                name = short_name(ocean_pb2.OceanPassing, "OCEAN_PASSING_", number, "passed.direction", faults)
                if not name and number == 0:
                    faults.add("passed.direction", "is required")
                return {"passed": {"direction": name}}
            case "received":
                cards = faults.few(event.received.cards, _MAX_CARDS, "received.cards")
                return {"received": {"seat": event.received.seat, "cards": list(cards)}}
            case "ended":
                opened = [
                    {"targets": list(faults.few(held.targets, _MAX_TARGETS, f"ended.targets[{i}].targets"))}
                    for i, held in enumerate(faults.few(event.ended.targets, _MAX_SEATS, "ended.targets"))
                ]
                return {"ended": {"targets": opened}}
            case _:
                faults.add("", "expected committed, revealed, passed, received or ended")
                return {}

    def write_event(self, content: Content, event: position_pb2.Event) -> None:
        """Fill the typed event and its text."""
        typed = event.ocean
        if "committed" in content:
            seat = content["committed"]["seat"]
            typed.committed.SetInParent()
            typed.committed.seat = seat
            event.text = f"seat {seat} commits"
        elif "revealed" in content:
            typed.revealed.SetInParent()
            choices = content["revealed"]["moves"]
            for choice in choices:
                shown = typed.revealed.moves.add(seat=choice["seat"])
                self.write_move(choice["move"], shown.move)
            told = (f"seat {choice['seat']}: {choice['move']}" for choice in choices)
            event.text = f"all reveal ({', '.join(told)})"
        elif "passed" in content:
            direction = content["passed"]["direction"]
            typed.passed.CopyFrom(ocean_pb2.OceanPassed(direction="OCEAN_PASSING_" + direction))
            event.text = f"hands pass to the {direction.lower()}"
        elif "received" in content:
            received = content["received"]
            typed.received.SetInParent()
            typed.received.seat = received["seat"]
            typed.received.cards.extend(received["cards"])
            event.text = f"seat {received['seat']} takes up cards {', '.join(map(str, received['cards']))}"
        else:
            typed.ended.SetInParent()
            for held in content["ended"]["targets"]:
                typed.ended.targets.add(targets=held["targets"])
            opened = content["ended"]["targets"]
            event.text = "the game is over" + (", targets are opened" if opened else "")

    def outcome(self, event: Content) -> None:
        """Return None: after the deal nothing is left to chance."""

    def is_chance(self, event: Content) -> bool:
        """Return False for the same reason."""
        return False

    def own_move_events(
        self, game: Game, before: Observation, seat: int, move: int, after: Observation
    ) -> Sequence[Content]:
        """Return that the seat commits: what all choose is shown only when all have chosen (ocean-3)."""
        return [{"committed": {"seat": seat}}]

    def turn_decisions(self, observation: Content, catalogue: Content) -> int:
        """Return 2, a pick and a placement; 1 in the first round, whose card needs no place (ocean-3)."""
        return 1 if observation["table"]["round"] == 1 else 2


def _notation(move: ocean_pb2.OceanMove) -> str:
    """Write a typed move without judging it; "" when it is empty."""
    if move.HasField("pick"):
        return f"pick {move.pick.card}"
    if move.HasField("place"):
        return f"place {move.place.cell.x},{move.place.cell.y}"
    return ""


def _commitment(secrets: ocean_pb2.OceanSecrets | ocean_pb2.OceanSeatKnowledge) -> str | None:
    # An empty move is no commitment but a fault: as an empty notation the kernel refuses it at the right path.
    return _notation(secrets.commitment) if secrets.HasField("commitment") else None
