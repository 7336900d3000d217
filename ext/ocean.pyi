"""Malaysia's Ocean Heritage: the rules kernel."""

from collections.abc import Mapping
from typing import Any

from ext.game import Game

class Ocean(Game):
    """The rules of ocean for a number of seats, a variant, options and a catalogue.

    `catalogue` is the message OceanCatalogue as a mapping with the field names of the .proto file and full enum
    names; `rules` maps option names to "SQUARE", "LEFT", "CONTAINED", True ...; absent ones take the default.
    Raises `ext.game.Malformed` with paths "seats", "rules.promo", "catalogue.cards[3].kind" ...
    """

    def __init__(
        self, seats: int, catalogue: Mapping[str, Any], rules: Mapping[str, Any] | None = None, variant: str = "base"
    ) -> None: ...
    @property
    def rules(self) -> dict[str, Any]: ...
    @property
    def variant(self) -> str: ...

def plant_fault(decision: int) -> bool:
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
