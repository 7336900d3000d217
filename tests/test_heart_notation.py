"""How moves and outcomes of chance of heart are written and read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ext import heart_notation

COORDS = (-90, -10, -9, -1, 0, 1, 9, 10, 90)
CELLS = list(itertools.product(COORDS, COORDS))


def test_round_trips() -> None:
    for column in range(4):
        assert heart_notation.parse(heart_notation.take(column)) == ("take", column)
    for (x, y), turns in itertools.product(CELLS, range(4)):
        assert heart_notation.parse(heart_notation.place(x, y, turns)) == ("place", x, y, turns)
    for one, other in itertools.product(CELLS, CELLS):
        assert heart_notation.parse(heart_notation.swim(*one, *other)) == ("swim", *one, *other)
    for kind in range(24):
        assert heart_notation.parse(heart_notation.photo(kind)) == ("photo", kind)
    for seat, (x, y) in itertools.product(range(4), CELLS):
        assert heart_notation.parse(heart_notation.shark(seat, x, y)) == ("shark", seat, x, y)
    assert heart_notation.parse(heart_notation.DISCARD) == ("discard",)
    assert heart_notation.parse(heart_notation.DECLINE) == ("decline",)


@pytest.mark.parametrize(("word", "number"), [("first", 4), ("tile", 90), ("photo", 24), ("die", 20)])
def test_outcomes(word: str, number: int) -> None:
    for kind in range(number):
        assert heart_notation.outcome(word, kind) == f"{word} {kind}"
        assert heart_notation.parse_outcome(f"{word} {kind}") == (word, kind)
        assert heart_notation.parse_outcome(f" {word.upper()}\t0{kind} ") == (word, kind)
    for kind in (-1, number):
        with pytest.raises(ValueError, match=f"from 0 to {number - 1}"):
            heart_notation.outcome(word, kind)
        with pytest.raises(ValueError, match=f"from 0 to {number - 1}"):
            heart_notation.parse_outcome(f"{word} {kind}")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Take  2", "take 2"),
        (" TAKE 003 ", "take 3"),
        ("place 3, -1 R2", "place 3,-1 r2"),
        ("Place\t-90 , 90   r0", "place -90,90 r0"),
        ("place -0,00 r1", "place 0,0 r1"),
        ("DISCARD", "discard"),
        ("swim 0,0  1 ,0", "swim 0,0 1,0"),
        ("Photo 07", "photo 7"),
        ("shark 2 : 3 , -1", "shark 2:3,-1"),
        ("\ndecline ", "decline"),
    ],
)
def test_lenient_notation(text: str, canonical: str) -> None:
    assert heart_notation.canonical(text) == canonical


@pytest.mark.parametrize(
    "text",
    [
        *("", "take", "take2", "take 4", "take -1", "take 1,2", "take 1 2", "take \u0661", "ta\u212ae 1", "take 1\0"),
        *("place", "place 1,1", "place 1,1 2", "place 1,1 r4", "place 1,1 r-1", "place 1,1r1", "place 1 1 r1"),
        *("place 91,0 r0", "place 0,-91 r0", "place +1,0 r0", "place - 1,0 r0", "place 1.0,0 r0"),
        *("place " + "9" * 5000 + ",0 r0", "take " + "9" * 5000, "discard 1", "decline now", "dis card"),
        *("swim", "swim 0,0", "swim 0,0 1", "swim 0,0,1,0", "swim 0,0 91,0", "swim 0,0 1,0 2,0"),
        *("photo", "photo 24", "photo -1", "shark 3,-1", "shark 4:1,1", "shark -1:1,1", "shark 1:91,1", "shark 1 1,1"),
        *("tile 3", "pick 3", None, 17, b"take 1", ["take 1"]),
    ],
)
def test_no_notation(text: Any) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        heart_notation.parse(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", ["", "first", "first 4", "tile 90", "photo 24", "die 20", "take 1", "dice 1", None, 3])
def test_no_outcome(text: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        heart_notation.parse_outcome(text)


@pytest.mark.parametrize(
    "call",
    [
        lambda: heart_notation.take(4),
        lambda: heart_notation.take(-1),
        lambda: heart_notation.place(91, 0, 0),
        lambda: heart_notation.place(0, -91, 0),
        lambda: heart_notation.place(0, 1, 4),
        lambda: heart_notation.swim(0, 0, 0, 91),
        lambda: heart_notation.photo(24),
        lambda: heart_notation.shark(4, 0, 1),
        lambda: heart_notation.shark(1, 0, 91),
        lambda: heart_notation.outcome("take", 1),
    ],
)
def test_nothing_to_write(call: Callable[[], str]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


def test_what_is_expected_depends_on_the_word() -> None:
    with pytest.raises(ValueError, match=r'^expected "take <column>" with a column from 0 to 3, not 7$'):
        heart_notation.parse("take 7")
    with pytest.raises(ValueError, match=r'^expected "shark <seat>:<x>,<y>" with'):
        heart_notation.parse("Shark 1,2")
    with pytest.raises(ValueError, match=r'^expected "take <column>" or "place .* or "decline"$'):
        heart_notation.parse("jump")


@given(st.text(max_size=30))
def test_reading_never_fails_otherwise(text: str) -> None:
    for read in (heart_notation.parse, heart_notation.parse_outcome):
        try:
            read(text)
        except ValueError as error:
            assert "expected" in str(error)  # noqa: PT017
