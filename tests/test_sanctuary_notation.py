"""How moves and outcomes of chance of sanctuary are written and read."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from differential import house
from hypothesis import given
from hypothesis import strategies as st
from reference.sanctuary import ReferenceSanctuary

from ext import sanctuary_notation

COORDS = (-24, -10, -9, -1, 0, 1, 9, 10, 24)
CARDS = (0, 1, 9, 10, 99, 100, 179)


def test_round_trips() -> None:
    parse = sanctuary_notation.parse
    for card in range(180):
        assert parse(sanctuary_notation.split(card)) == ("split", card)
        assert parse(sanctuary_notation.pick(card)) == ("pick", card)
        assert parse(sanctuary_notation.discard(card)) == ("discard", card)
        assert parse(sanctuary_notation.top(card)) == ("top", card)
    for one, other in itertools.product(CARDS, CARDS):
        assert parse(sanctuary_notation.split(one, other)) == ("split", *sorted((one, other)))
    for stack in range(2):
        assert parse(sanctuary_notation.keep(stack)) == ("keep", stack)
    for card, x, y, turns in itertools.product(CARDS, COORDS, COORDS, range(4)):
        assert parse(sanctuary_notation.bottom(card, x, y, turns)) == ("bottom", card, x, y, turns)
    for back in itertools.product((0, 1, 10, 160), (0, 9, 60), (0, 2, 40)):
        assert parse(sanctuary_notation.send_back(*back)) == ("return", *back)
    assert parse(sanctuary_notation.DECLINE) == ("decline",)


def test_as_the_messages_show_them() -> None:
    assert [
        sanctuary_notation.split(17),
        sanctuary_notation.split(17, 3),
        sanctuary_notation.keep(0),
        sanctuary_notation.keep(1),
        sanctuary_notation.pick(17),
        sanctuary_notation.discard(17),
        sanctuary_notation.top(17),
        sanctuary_notation.bottom(17, 0, -1, 2),
        sanctuary_notation.send_back(1, 0, 2),
    ] == [
        *("split 17", "split 3,17", "keep smaller", "keep larger", "pick 17", "discard 17", "top 17"),
        *("bottom 17 0,-1 r2", "return 1,0,2"),
    ]


@pytest.mark.parametrize(("word", "number"), [("bonus", 10), ("card", 180)])
def test_outcomes(word: str, number: int) -> None:
    for kind in range(number):
        assert sanctuary_notation.outcome(word, kind) == f"{word} {kind}"
        assert sanctuary_notation.parse_outcome(f"{word} {kind}") == (word, kind)
        assert sanctuary_notation.parse_outcome(f" {word.upper()}\t0{kind} ") == (word, kind)
    for kind in (-1, number):
        with pytest.raises(ValueError, match=f"from 0 to {number - 1}"):
            sanctuary_notation.outcome(word, kind)
        with pytest.raises(ValueError, match=f"from 0 to {number - 1}"):
            sanctuary_notation.parse_outcome(f"{word} {kind}")


def test_outcomes_name_the_colour() -> None:
    for index, colour in enumerate(("gray", "pink", "yellow")):
        assert sanctuary_notation.outcome("manatee", index) == f"manatee {colour}"
        assert sanctuary_notation.parse_outcome(f"  Manatee {colour.upper()} ") == ("manatee", index)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Split  2", "split 2"),
        ("split 17 ,3", "split 3,17"),
        ("split 3,3", "split 3,3"),
        (" KEEP\tLarger ", "keep larger"),
        ("pick 003", "pick 3"),
        ("\nDiscard 179", "discard 179"),
        ("DECLINE", "decline"),
        ("Top 0017", "top 17"),
        ("bottom 17 0, -1 R2", "bottom 17 0,-1 r2"),
        ("Bottom\t0  -24 , 24   r0", "bottom 0 -24,24 r0"),
        ("bottom 5 -0,00 r1", "bottom 5 0,0 r1"),
        ("return 01, 0 ,2", "return 1,0,2"),
    ],
)
def test_lenient_notation(text: str, canonical: str) -> None:
    assert sanctuary_notation.canonical(text) == canonical


@pytest.mark.parametrize(
    "text",
    [
        *("", "split", "split2", "split 180", "split -1", "split 1,2,3", "split 1 2", "split ,1", "split \u0661"),
        *("split 1,180", "\u017fplit 1", "split 1\0", "keep", "keep 1", "keep small", "keep smallest", "keepsmaller"),
        *("pick", "pick 180", "pick 1,2", "pic\u212a 1", "discard", "discard -1", "decline 1", "de cline", "top"),
        *("top 180", "top 1 2", "top " + "9" * 5000, "bottom", "bottom 1", "bottom 1 1,1", "bottom 1 1,1 2"),
        *("bottom 1 1,1 r4", "bottom 1 1,1 r-1", "bottom 1 1,1r1", "bottom 1 1 1 r1", "bottom 1,1 r1"),
        *("bottom 1 25,0 r0", "bottom 1 0,-25 r0", "bottom 1 +1,0 r0", "bottom 1 - 1,0 r0", "bottom 1 1.0,0 r0"),
        *("bottom 180 1,1 r0", "bottom 1 " + "9" * 5000 + ",0 r0", "return", "return 1", "return 1,2"),
        *("return 1,2,3,4", "return 161,0,0", "return 0,61,0", "return 0,0,41", "return -1,0,0", "return 1 0 2"),
        *("return 1,0,2 3", "card 3", "place 3", "manatee pink", None, 17, b"top 1", ["top 1"]),
    ],
)  # fmt: skip
def test_no_notation(text: Any) -> None:
    for read in (sanctuary_notation.parse, sanctuary_notation.canonical):
        with pytest.raises(ValueError, match="expected") as caught:
            read(text)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["", "bonus", "bonus 10", "card 180", "card -1", "manatee", "manatee 1", "manatee blue", "top 1", None, 3]
)
def test_no_outcome(text: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        sanctuary_notation.parse_outcome(text)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sanctuary_notation.split(),
        lambda: sanctuary_notation.split(180),
        lambda: sanctuary_notation.split(1, -1),
        lambda: sanctuary_notation.split(1, 2, 3),
        lambda: sanctuary_notation.keep(2),
        lambda: sanctuary_notation.keep(-1),
        lambda: sanctuary_notation.pick(180),
        lambda: sanctuary_notation.discard(-1),
        lambda: sanctuary_notation.top(180),
        lambda: sanctuary_notation.bottom(180, 0, 1, 0),
        lambda: sanctuary_notation.bottom(0, 25, 1, 0),
        lambda: sanctuary_notation.bottom(0, 0, -25, 0),
        lambda: sanctuary_notation.bottom(0, 0, 1, 4),
        lambda: sanctuary_notation.send_back(161, 0, 0),
        lambda: sanctuary_notation.send_back(0, -1, 0),
        lambda: sanctuary_notation.send_back(0, 0, 41),
        lambda: sanctuary_notation.outcome("top", 1),
        lambda: sanctuary_notation.outcome("manatee", 3),
        lambda: sanctuary_notation.outcome("manatee", -1),
    ],
)
def test_nothing_to_write(call: Callable[[], str]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


def test_what_is_expected_depends_on_the_word() -> None:
    with pytest.raises(ValueError, match=r'^expected "top <card>" with a card from 0 to 179, not 200$'):
        sanctuary_notation.parse("top 200")
    with pytest.raises(
        ValueError, match=r'^expected "split <card>" or "split <card>,<card>" with cards from 0 to 179$'
    ):
        sanctuary_notation.parse("Split 1,2,3")
    with pytest.raises(ValueError, match=r'^expected "keep smaller" or "keep larger"$'):
        sanctuary_notation.parse("keep both")
    with pytest.raises(ValueError, match=r'^expected "split <card>" or .* or "return <gray>,<pink>,<yellow>"$'):
        sanctuary_notation.parse("jump")
    with pytest.raises(ValueError, match=r'^expected "manatee gray" or "manatee pink" or "manatee yellow"$'):
        sanctuary_notation.parse_outcome("manatee red")


@given(st.text(max_size=30))
def test_reading_never_fails_otherwise(text: str) -> None:
    for read in (sanctuary_notation.parse, sanctuary_notation.parse_outcome):
        try:
            read(text)
        except ValueError as error:
            assert "expected" in str(error)  # noqa: PT017


def order(text: str) -> tuple[int, ...]:
    """The key that lists the moves of one decision in canonical order."""
    word, *numbers = sanctuary_notation.parse(text)
    if word == "split":
        return (len(numbers), *numbers)
    if word == "bottom":
        card, x, y, turns = numbers
        return (1, card, y, x, turns)
    return (word in ("bottom", "decline"), *numbers)


@pytest.mark.parametrize(
    ("seats", "variant", "rules"),
    [(2, "base", {}), (1, "solo", {"challenge": "POWER_CAP"}), (7, "scramble", {"round_bonuses": True})],
)
def test_every_move_and_outcome_of_a_game_is_read_and_listed_in_order(
    seats: int, variant: str, rules: dict[str, Any]
) -> None:
    rng = random.Random(3)
    game = ReferenceSanctuary(house("sanctuary"), seats, rules, variant)
    game.start()
    while not game.over:
        outcomes = game.chance()
        if outcomes is not None:
            for outcome in outcomes:
                assert sanctuary_notation.outcome(*sanctuary_notation.parse_outcome(outcome)) == outcome
            game.happen(rng.choices(list(outcomes), list(outcomes.values()))[0])
            continue
        moves = game.moves(game.turn)
        assert [sanctuary_notation.canonical(move) for move in moves] == moves
        assert sorted(moves, key=order) == moves
        game.play(game.turn, rng.choice(moves))
