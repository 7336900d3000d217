"""Manatee Sanctuary: the rules kernel."""

from collections.abc import Mapping
from typing import Any

from ext.game import Game
from ext.sanctuary_tables import Card

class Sanctuary(Game):
    """The rules of sanctuary for a number of seats, a variant, options and a catalogue.

    `catalogue` is the message SanctuaryCatalogue as a mapping with the field names of the .proto file and full enum
    names; `rules` maps option names to values as in `ext.sanctuary_tables.DEFAULT_RULES`; absent ones take the default;
    `variant` is "base" (2 to 6 seats), "solo" (1) or "scramble" (7 to 12). Raises `ext.errors.Malformed` with paths
    "seats", "variant", "rules.challenge", "catalogue.editions[0].cards[3].edges" ...
    """

    def __init__(
        self, seats: int, catalogue: Mapping[str, Any], rules: Mapping[str, Any] | None = None, variant: str = "base"
    ) -> None: ...
    @property
    def rules(self) -> dict[str, Any]: ...
    @property
    def variant(self) -> str: ...
    @property
    def catalogue(self) -> Mapping[str, Any]: ...
    @property
    def cards(self) -> list[Card]:
        """The kinds of card of this game, compiled."""

def plant_fault(decision: int) -> bool:
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
