"""A server with a fault: the command line is the fault's name and what the program is to do."""

import os
import sys
from collections.abc import Callable
from typing import Any, Final

from advisor.cli import main
from advisor.service import Advisor

_kept: list[Any] = []


def _leak(advisor: Any, response: Any) -> None:
    _kept.append(bytes(range(256)) * 1024)


def _descriptors(advisor: Any, response: Any) -> None:
    _kept.append(os.dup(0))


def _wrong(advisor: Any, response: Any) -> None:
    del response.moves[3:]


PLANTS: Final[dict[str, Callable[[Any, Any], None]]] = {"leak": _leak, "descriptors": _descriptors, "wrong": _wrong}


def plant(name: str) -> None:
    """Have every answer of ListMoves spoiled, or something kept with it."""
    strike, whole = PLANTS[name], Advisor.list_moves

    def list_moves(self: Advisor, request: Any) -> Any:
        response = whole(self, request)
        strike(self, response)
        return response

    Advisor.list_moves = list_moves  # type: ignore[method-assign]


if __name__ == "__main__":
    plant(sys.argv.pop(1))
    main()
