"""What a game brings along so that the service can read and write its messages. One file a game implements it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from google.protobuf.message import Message

from advisor.catalogues import CatalogueRules
from advisor.faults import Faults
from advisor.v1 import position_pb2
from ext.game import Game, Observation

Content = Mapping[str, Any]
"""A game's own message as the kernel takes it: .proto field names, short enum names, moves as notation."""
UNSPECIFIED: Final = "UNSPECIFIED"
"""The short name of every enum's 0."""


class Converter(CatalogueRules, Protocol):
    """Turns one game's messages into what its kernel takes, and back.

    Nothing here knows the rules: values that no kernel could take (an enum number without a name, an empty oneof) are
    faults here, everything else is for the kernel to judge.
    """

    @property
    def member(self) -> str:
        """Name of the game's member in every `content` oneof: "ocean"."""

    def kernel(self, seats: int, variant: str, rules: Content, catalogue: Content) -> Game:
        """Compile the rules; raises `Malformed` with paths "rules.promo", "catalogue.targets" ..."""

    def rules_of(self, game: Game) -> Content:
        """Return every rule option of a compiled game."""

    def read_rules(self, message: Message, faults: Faults) -> Content:
        """Return the options that a rules message sets."""

    def parse_rules(self, pairs: Mapping[str, str], faults: Faults) -> Message:
        """Return the rules message of options as written on a command line."""

    def position_rules(self, position: Message) -> Message:
        """Return the rules message inside the game's position."""

    def is_referee(self, position: Message, faults: Faults) -> bool | None:
        """Whether the game's position is a referee's; None, with a fault, when it is neither kind."""

    def read_position(self, position: Message, faults: Faults) -> Content:
        """Return the game's position without its rules."""

    def write_position(self, content: Content, rules: Content, position: Message) -> None:
        """Fill the game's position message."""

    def read_move(self, move: Message, faults: Faults) -> tuple[str, str] | None:
        """Return a typed move's notation and the path of the field that says it; None, with a fault, without one."""

    def write_move(self, notation: str, move: Message) -> None:
        """Fill the game's move message."""

    def read_event(self, event: Message, faults: Faults) -> Content:
        """Return what a reported event says."""

    def write_event(self, content: Content, event: position_pb2.Event) -> None:
        """Fill the typed event and its text."""

    def outcome(self, event: Content) -> str | None:
        """Return the outcome that an event tells of, as the kernel reads it; None when it tells of none."""

    def is_chance(self, event: Content) -> bool:
        """Whether an event stands for a chance event. Each has exactly one, though another may tell its outcome."""

    def own_move_events(
        self, game: Game, before: Observation, seat: int, move: int, after: Observation
    ) -> Sequence[Content]:
        """Return what a seat's own move on its observation shows by itself."""

    def turn_decisions(self, observation: Content, catalogue: Content) -> int:
        """Return how many decisions the turn has in which the observer stands, those made included; at least 1.

        The observer owes one of them. Where the turn is not decided yet, it is the most that it may have.
        """


def short_name(kind: EnumTypeWrapper, prefix: str, number: int, path: str, faults: Faults) -> str:
    """Return an enum value without its prefix, "PICK"; "" for the unspecified one and, with a fault, unknown ones."""
    if number not in kind.values():
        names = ", ".join(name for name in kind.keys() if not name.endswith(UNSPECIFIED))  # noqa: SIM118
        faults.add(path, f"{number} is not a value of {kind.DESCRIPTOR.name}; expected {names}")
        return ""
    name = kind.Name(number).removeprefix(prefix)
    return "" if name == UNSPECIFIED else name
