"""How moves and outcomes of chance of sanctuary are written: "split 3,17", "bottom 17 0,-1 r2", "manatee pink" etc."""

import re
from typing import NamedTuple

EDITION_KINDS = 90
"""Cards of an edition, and so the most kinds of them."""
KINDS = 2 * EDITION_KINDS
"""The most kinds of card of both editions; ids are 0 to `KINDS` - 1."""
BONUS_CARDS = 10
"""Round bonus cards, and so the most kinds of them; ids are 0 to `BONUS_CARDS` - 1."""
REACH = 24
"""The farthest column or row of a card from the starting tile at (0, 0): three rounds of at most eight cards."""
MOST_MANATEES = (160, 60, 40)
"""The most gray, pink and yellow manatees that there are, in two bags."""

STACKS = ("smaller", "larger")
"""Readings name a stack by its index here."""
COLOURS = ("gray", "pink", "yellow")
"""Readings name the colour of a manatee by its index here."""
DECLINE = "decline"

Reading = tuple[str, *tuple[int, ...]]
"""The word of a notation and its numbers in the order in which they are written."""


class _Number(NamedTuple):
    """A place for a number."""

    low: int
    high: int

    @property
    def pattern(self) -> str:
        # Four digits are enough for every number that is in range, and keep absurdly long ones away from int().
        return "(-?[0-9]{1,4})"

    def read(self, text: str) -> int:
        return int(text)

    def write(self, value: int) -> str:
        return str(value)

    def fits(self, value: int) -> bool:
        return self.low <= value <= self.high


class _Name(NamedTuple):
    """A place for one of a few names, each of which a reading gives as its index."""

    names: tuple[str, ...]

    @property
    def pattern(self) -> str:
        return f"({'|'.join(self.names)})"

    def read(self, text: str) -> int:
        return self.names.index(text.lower())

    def write(self, value: int) -> str:
        return self.names[value]

    def fits(self, value: int) -> bool:
        return 0 <= value < len(self.names)


class _Form(NamedTuple):
    """One way to write; `{}` stands for a place in `written`, a space for one or more spaces."""

    written: str
    shown: str
    """The same with names for the places."""
    limits: str
    places: tuple[_Number | _Name, ...]

    @property
    def word(self) -> str:
        return self.written.split()[0]

    @property
    def expected(self) -> str:
        return f"expected {self.shown}{self.limits}"

    @property
    def pattern(self) -> re.Pattern[str]:
        # ASCII only: other scripts' digits and letters that merely fold to these ones are no notation.
        loose = self.written.replace(",", r"\s*,\s*").replace(" ", r"\s+")
        for place in self.places:
            loose = loose.replace("{}", place.pattern, 1)
        return re.compile(rf"\s*{loose}\s*", re.ASCII | re.IGNORECASE)

    def fits(self, numbers: tuple[int, ...]) -> bool:
        return all(place.fits(number) for number, place in zip(numbers, self.places, strict=True))

    def write(self, numbers: tuple[int, ...]) -> str:
        return self.written.format(*(place.write(number) for number, place in zip(numbers, self.places, strict=True)))


_CARD = _Number(0, KINDS - 1)
_COORD = _Number(-REACH, REACH)
_CARDS_WITHIN = f"from 0 to {KINDS - 1}"


def _with_card(word: str) -> _Form:
    return _Form(f"{word} {{}}", f'"{word} <card>"', f" with a card {_CARDS_WITHIN}", (_CARD,))


_SPLIT_SHOWN = '"split <card>" or "split <card>,<card>"'
_SPLIT_LIMITS = f" with cards {_CARDS_WITHIN}"
_MOVES = (
    _Form("split {}", _SPLIT_SHOWN, _SPLIT_LIMITS, (_CARD,)),
    _Form("split {},{}", _SPLIT_SHOWN, _SPLIT_LIMITS, (_CARD, _CARD)),
    _Form("keep {}", '"keep smaller" or "keep larger"', "", (_Name(STACKS),)),
    _with_card("pick"),
    _with_card("discard"),
    _Form(DECLINE, f'"{DECLINE}"', "", ()),
    _with_card("top"),
    _Form(
        "bottom {} {},{} r{}",
        '"bottom <card> <x>,<y> r<turns>"',
        f" with a card {_CARDS_WITHIN}, x and y from -{REACH} to {REACH} and 0 to 3 turns",
        (_CARD, _COORD, _COORD, _Number(0, 3)),
    ),
    _Form(
        "return {},{},{}",
        '"return <gray>,<pink>,<yellow>"',
        " with up to {}, {} and {}".format(*MOST_MANATEES),
        tuple(_Number(0, most) for most in MOST_MANATEES),
    ),
)
_OUTCOMES = (
    _Form("bonus {}", '"bonus <kind>"', f" with a kind from 0 to {BONUS_CARDS - 1}", (_Number(0, BONUS_CARDS - 1),)),
    _with_card("card"),
    _Form("manatee {}", " or ".join(f'"manatee {colour}"' for colour in COLOURS), "", (_Name(COLOURS),)),
)
_PATTERNS = {form: form.pattern for form in (*_MOVES, *_OUTCOMES)}


def _form(forms: tuple[_Form, ...], word: str, numbers: int) -> _Form:
    return next(form for form in forms if form.word == word and len(form.places) == numbers)


def _written(forms: tuple[_Form, ...], word: str, *numbers: int) -> str:
    form = _form(forms, word, len(numbers))
    if not form.fits(numbers):
        raise ValueError(form.expected)
    return form.write(numbers)


def _read(forms: tuple[_Form, ...], text: str) -> Reading:
    word = ""
    if isinstance(text, str):
        for form in forms:
            found = _PATTERNS[form].fullmatch(text)
            if found:
                numbers = tuple(place.read(part) for part, place in zip(found.groups(), form.places, strict=True))
                if not form.fits(numbers):
                    raise ValueError(f"{form.expected}, not {', '.join(map(str, numbers))}")
                return form.word, *numbers
        word = re.split(r"\s", text.strip(), maxsplit=1)[0][:10].lower()
    for form in forms:
        if form.word == word:
            raise ValueError(form.expected)
    raise ValueError(f"expected {' or '.join(dict.fromkeys(form.shown for form in forms))}")


def split(*cards: int) -> str:
    """Writes the split of a hand by the one or two cards, each 0 to 179, of the smaller stack: "split 3,17".

    Their order means nothing. Raises ValueError for other cards.
    """
    if not 1 <= len(cards) <= 2:
        raise ValueError(f"expected {_SPLIT_SHOWN}")
    return _written(_MOVES, "split", *sorted(cards))


def keep(stack: int) -> str:
    """Writes the choice of a stack, an index in `STACKS`: "keep larger". Raises ValueError for any other number."""
    return _written(_MOVES, "keep", stack)


def pick(card: int) -> str:
    """Writes the choice of a drawn card, 0 to 179: "pick 17". Raises ValueError for any other card."""
    return _written(_MOVES, "pick", card)


def discard(card: int) -> str:
    """Writes the discard of a card, 0 to 179: "discard 17". Raises ValueError for any other card."""
    return _written(_MOVES, "discard", card)


def top(card: int) -> str:
    """Writes the play of a card, 0 to 179, for its top: "top 17". Raises ValueError for any other card."""
    return _written(_MOVES, "top", card)


def bottom(card: int, x: int, y: int, turns: int) -> str:
    """Writes the play of a card, 0 to 179, for its bottom at column `x` and row `y`, each -24 to 24.

    `turns` are 0 to 3 clockwise quarter turns: "bottom 17 0,-1 r2". Raises ValueError for other numbers.
    """
    return _written(_MOVES, "bottom", card, x, y, turns)


def send_back(gray: int, pink: int, yellow: int) -> str:
    """Writes the return of manatees, at most 160, 60 and 40: "return 1,0,2". Raises ValueError for other numbers."""
    return _written(_MOVES, "return", gray, pink, yellow)


def parse(text: str) -> Reading:
    """Reads a move: its word and its numbers, as the writers above take them.

    ("split", card) or ("split", card, card) with the cards ascending, ("keep", index in `STACKS`), ("pick", card),
    ("discard", card), ("decline",), ("top", card), ("bottom", card, x, y, turns) or ("return", gray, pink, yellow).
    Upper and lower case are alike, and extra spaces around words and numbers are ignored ("Top  2",
    "split 17, 3"). Raises ValueError, which says what is expected.
    """
    word, *numbers = _read(_MOVES, text)
    return (word, *sorted(numbers)) if word == "split" else (word, *numbers)


def canonical(text: str) -> str:
    """Rewrites a move the one way that answers use. Raises ValueError as `parse` does."""
    word, *numbers = parse(text)
    return _written(_MOVES, word, *numbers)


def outcome(word: str, number: int) -> str:
    """Writes an outcome of chance: "bonus" and a kind, "card" and a kind, or "manatee" and an index in `COLOURS`.

    ValueError for any other word or number.
    """
    words = [form.word for form in _OUTCOMES]
    if word not in words:
        raise ValueError(f"expected {' or '.join(words)}")
    return _written(_OUTCOMES, word, number)


def parse_outcome(text: str) -> tuple[str, int]:
    """Reads an outcome of chance, as leniently as `parse`: ("bonus" or "card", kind) or ("manatee", colour).

    The colour is an index in `COLOURS`. Raises ValueError, which says what is expected.
    """
    word, *numbers = _read(_OUTCOMES, text)
    return word, numbers[0]
