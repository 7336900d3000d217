"""I Heart Manatees: the rules kernel."""

from collections.abc import Mapping
from typing import Any

from ext.game import Game

class Heart(Game):
    """The rules of heart for a number of seats, options and a catalogue.

    `catalogue` is the message HeartCatalogue as a mapping with the field names of the .proto file and full enum names;
    `rules` maps option names to True or False; absent ones take the default. Raises `ext.game.Malformed` with paths
    "seats", "rules.mirror_patterns", "catalogue.tiles[3].edges" ...

    Nothing is hidden but orders that nobody knows: an observation may stand before a chance event, too, and
    `determinize` gives the one state that fits it.
    """

    def __init__(
        self, seats: int, catalogue: Mapping[str, Any], rules: Mapping[str, Any] | None = None, variant: str = "base"
    ) -> None: ...
    @property
    def rules(self) -> dict[str, bool]: ...
    @property
    def variant(self) -> str: ...
    @property
    def catalogue(self) -> Mapping[str, Any]: ...

def plant_fault(decision: int) -> bool:
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
