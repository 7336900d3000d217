"""How moves and outcomes of chance of heart are written: "take 2", "place 3,-1 r2", "tile 12" and so on."""

import re
from typing import NamedTuple

MOST_SEATS = 4
COLUMNS = 4
"""Columns of the ocean board, 0 to 3; each has one of the four actions."""
TILES = 90
"""Habitat tiles, and so the most kinds of them; ids are 0 to `TILES` - 1."""
PHOTOS = 24
"""Photo cards, and so the most kinds of them; ids are 0 to `PHOTOS` - 1."""
MOST_FACES = 20
"""The most kinds of die face; ids are 0 to `MOST_FACES` - 1."""
REACH = 90
"""The farthest column or row of a tile from the starting tile at (0, 0)."""

DISCARD = "discard"
DECLINE = "decline"

Reading = tuple[str, *tuple[int, ...]]
"""The word of a notation and its numbers in the order in which they are written."""


class _Form(NamedTuple):
    """One way to write; `{}` stands for a number in `written`, a space for one or more spaces."""

    written: str
    shown: str
    """The same with names for the numbers."""
    limits: str
    ranges: tuple[tuple[int, int], ...]

    @property
    def expected(self) -> str:
        return f"expected {self.shown}{self.limits}"

    @property
    def pattern(self) -> re.Pattern[str]:
        # ASCII only: other scripts' digits and letters that merely fold to these ones are no notation. Four digits are
        # enough for every number that is in range, and keep absurdly long ones away from int().
        loose = re.sub("[,:]", r"\\s*\g<0>\\s*", self.written).replace(" ", r"\s+").replace("{}", "(-?[0-9]{1,4})")
        return re.compile(rf"\s*{loose}\s*", re.ASCII | re.IGNORECASE)

    def fits(self, numbers: tuple[int, ...]) -> bool:
        return all(low <= number <= high for number, (low, high) in zip(numbers, self.ranges, strict=True))


_CELL = (-REACH, REACH), (-REACH, REACH)
_WITHIN = f" with x and y from -{REACH} to {REACH}"


def _counted(word: str, what: str, most: int) -> _Form:
    return _Form(f"{word} {{}}", f'"{word} <{what}>"', f" with a {what} from 0 to {most}", ((0, most),))


_MOVES = {
    "take": _counted("take", "column", COLUMNS - 1),
    "place": _Form("place {},{} r{}", '"place <x>,<y> r<turns>"', f"{_WITHIN} and 0 to 3 turns", (*_CELL, (0, 3))),
    "discard": _Form(DISCARD, f'"{DISCARD}"', "", ()),
    "swim": _Form("swim {},{} {},{}", '"swim <x>,<y> <x>,<y>"', _WITHIN, _CELL * 2),
    "photo": _counted("photo", "kind", PHOTOS - 1),
    "shark": _Form(
        "shark {}:{},{}",
        '"shark <seat>:<x>,<y>"',
        f"{_WITHIN} and a seat from 0 to {MOST_SEATS - 1}",
        ((0, MOST_SEATS - 1), *_CELL),
    ),
    "decline": _Form(DECLINE, f'"{DECLINE}"', "", ()),
}
_OUTCOMES = {
    "first": _counted("first", "seat", MOST_SEATS - 1),
    "tile": _counted("tile", "kind", TILES - 1),
    "photo": _counted("photo", "kind", PHOTOS - 1),
    "die": _counted("die", "kind", MOST_FACES - 1),
}
_PATTERNS = {form: form.pattern for forms in (_MOVES, _OUTCOMES) for form in forms.values()}


def _written(forms: dict[str, _Form], word: str, *numbers: int) -> str:
    form = forms[word]
    if not form.fits(numbers):
        raise ValueError(form.expected)
    return form.written.format(*numbers)


def _read(forms: dict[str, _Form], text: str) -> Reading:
    word = ""
    if isinstance(text, str):
        for word, form in forms.items():
            found = _PATTERNS[form].fullmatch(text)
            if found:
                numbers = tuple(int(number) for number in found.groups())
                if not form.fits(numbers):
                    raise ValueError(f"{form.expected}, not {', '.join(map(str, numbers))}")
                return word, *numbers
        word = re.split(r"\s", text.strip(), maxsplit=1)[0][:10].lower()
    if word in forms:
        raise ValueError(forms[word].expected)
    raise ValueError(f"expected {' or '.join(form.shown for form in forms.values())}")


def take(column: int) -> str:
    """Writes the take from a column, 0 to 3: "take 2". Raises ValueError for any other column."""
    return _written(_MOVES, "take", column)


def place(x: int, y: int, turns: int) -> str:
    """Writes a placement at column `x` and row `y`, each -90 to 90, after 0 to 3 clockwise quarter turns.

    "place 3,-1 r2". Raises ValueError for other numbers.
    """
    return _written(_MOVES, "place", x, y, turns)


def swim(x0: int, y0: int, x1: int, y1: int) -> str:
    """Writes a swim from one cell to another, each -90 to 90: "swim 0,0 1,0". Raises ValueError for other cells."""
    return _written(_MOVES, "swim", x0, y0, x1, y1)


def photo(kind: int) -> str:
    """Writes the taking of a photo card of a kind, 0 to 23: "photo 7". Raises ValueError for any other kind."""
    return _written(_MOVES, "photo", kind)


def shark(seat: int, x: int, y: int) -> str:
    """Writes the shark's move to a cell, each of x and y -90 to 90, of a seat, 0 to 3: "shark 2:3,-1".

    Raises ValueError for other numbers.
    """
    return _written(_MOVES, "shark", seat, x, y)


def parse(text: str) -> Reading:
    """Reads a move: its word and its numbers, as the writers above take them.

    ("take", column), ("place", x, y, turns), ("discard",), ("swim", x0, y0, x1, y1), ("photo", kind),
    ("shark", seat, x, y) or ("decline",). Upper and lower case are alike, and extra spaces around words and numbers
    are ignored ("Take  2", "place 3, -1 R2"). Raises ValueError, which says what is expected.
    """
    return _read(_MOVES, text)


def canonical(text: str) -> str:
    """Rewrites a move the one way that answers use. Raises ValueError as `parse` does."""
    word, *numbers = parse(text)
    return _written(_MOVES, word, *numbers)


def outcome(word: str, number: int) -> str:
    """Writes an outcome of chance: "first" and a seat, or "tile", "photo" or "die" and a kind.

    ValueError for any other word or number.
    """
    if word not in _OUTCOMES:
        raise ValueError(f"expected {' or '.join(_OUTCOMES)}")
    return _written(_OUTCOMES, word, number)


def parse_outcome(text: str) -> tuple[str, int]:
    """Reads an outcome of chance, as leniently as `parse`: ("first", seat) or ("tile" or "photo" or "die", kind).

    Raises ValueError, which says what is expected.
    """
    word, *numbers = _read(_OUTCOMES, text)
    return word, numbers[0]
