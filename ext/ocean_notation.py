"""How moves of ocean are written: "pick 17" and "place 1,-2" (x,y)."""

import re
from typing import Literal

CARDS = 40
"""How many species cards there are; ids are 0 to `CARDS` - 1."""
REACH = 8
"""The farthest column or row of a card from the first one at (0, 0): nine connected cards never get farther."""

# ASCII only: other scripts' digits and letters that merely fold to these ones are no notation. Four digits are enough
# for every number that is in range, and keep absurdly long ones away from int().
_PICK = re.compile(r"\s*pick\s+([0-9]{1,4})\s*", re.ASCII | re.IGNORECASE)
_PLACE = re.compile(r"\s*place\s+(-?[0-9]{1,4})\s*,\s*(-?[0-9]{1,4})\s*", re.ASCII | re.IGNORECASE)

_PICK_EXPECTED = f'"pick <card>" with a card from 0 to {CARDS - 1}'
_PLACE_EXPECTED = f'"place <x>,<y>" with x and y from -{REACH} to {REACH}'


def pick(card: int) -> str:
    """Writes the choice of a card, 0 to 39: "pick 17". Raises ValueError for any other card."""
    if not 0 <= card < CARDS:
        raise ValueError(f"expected a card from 0 to {CARDS - 1}")
    return f"pick {card}"


def place(x: int, y: int) -> str:
    """Writes a placement at column `x` and row `y`, each -8 to 8: "place 1,-2". Raises ValueError for other cells."""
    if not (-REACH <= x <= REACH and -REACH <= y <= REACH):
        raise ValueError(f"expected x and y from -{REACH} to {REACH}")
    return f"place {x},{y}"


def parse(text: str) -> tuple[Literal["pick"], int] | tuple[Literal["place"], int, int]:
    """Reads a notation into ("pick", card) or ("place", x, y).

    Upper and lower case are alike, and extra spaces around words and numbers are ignored ("Pick  17", "place 1, -2").
    The card is 0 to 39, x and y are -8 to 8. Raises ValueError, which says what is expected.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected {_PICK_EXPECTED}, or {_PLACE_EXPECTED}")
    found = _PICK.fullmatch(text)
    if found:
        card = int(found[1])
        if card >= CARDS:
            raise ValueError(f"expected {_PICK_EXPECTED}; there is no card {card}")
        return "pick", card
    found = _PLACE.fullmatch(text)
    if found:
        x, y = int(found[1]), int(found[2])
        if abs(x) > REACH or abs(y) > REACH:
            raise ValueError(f"expected {_PLACE_EXPECTED}; {x},{y} is outside")
        return "place", x, y
    raise ValueError(f"expected {_PICK_EXPECTED}, or {_PLACE_EXPECTED}")


def canonical(text: str) -> str:
    """Rewrites a notation the one way that answers use. Raises ValueError as `parse` does."""
    move = parse(text)
    return pick(move[1]) if move[0] == "pick" else place(move[1], move[2])
