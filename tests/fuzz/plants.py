"""Faults to plant into the service, by which the fuzzer shows that it finds such faults."""

import ctypes
import time
from collections.abc import Callable
from typing import Any, Final

from advisor import positions, service

HIT: Final = range(10**7)
"""Values of `Position.chance_events`, out of which a planted fault shows."""
_kept: list[bytes] = []


def _fail() -> None:
    raise KeyError("planted")


def _leak() -> None:
    _kept.append(bytes(range(256)) * 256)


PLANTS: Final[dict[str, tuple[Callable[[], Any], bool]]] = {
    "key-error": (_fail, False),
    "sleep": (lambda: time.sleep(2), False),
    "hang": (lambda: time.sleep(3600), False),
    "crash": (lambda: ctypes.string_at(0), False),
    "leak": (_leak, True),
}
"""What happens, and whether it does with every position instead of those that have the value."""


def plant(name: str) -> None:
    """Plant a fault into the reader of positions."""
    strike, always = PLANTS[name]
    whole = positions.read_position

    def read_position(games: Any, position: Any, faults: Any, familiar: Any = None) -> Any:
        if always or position.chance_events not in HIT:
            strike()
        return whole(games, position, faults, familiar)

    service.read_position = read_position  # type: ignore[attr-defined]
