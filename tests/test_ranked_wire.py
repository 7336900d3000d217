"""Ranked moves are written as bytes; set field by field they are the same message."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2
from ext.ranked_wire import ranked_moves
from search.request import Ranked

NUMBERS = st.floats(allow_nan=False)
SEATS = st.lists(NUMBERS, max_size=12)
CODES = st.integers(0, 2**63 - 1)
RANKED = st.builds(
    Ranked,
    move=CODES,
    visits=st.integers(0, 2**63 - 1),
    prior=NUMBERS,
    value=NUMBERS,
    standard_error=NUMBERS,
    win_share=SEATS,
    expected_score=SEATS,
    score_spread=SEATS,
    line=st.lists(st.tuples(st.integers(0, 11), CODES), max_size=5),
    playable=st.integers(0, 2**31 - 1),
    interval=st.tuples(NUMBERS, NUMBERS),
    tied=st.booleans(),
)


def move_of(code: int) -> position_pb2.Move:
    """Messages of many sizes: sizes up to 127 bytes are told in one."""
    return position_pb2.Move(notation=f"{code} " * (code % 40))


def spell(code: int) -> bytes:
    return move_of(code).SerializeToString()


def set_one_by_one(moves: Sequence[tuple[int, Ranked]]) -> advisor_service_pb2.AdviseResponse:
    response = advisor_service_pb2.AdviseResponse()
    for rank, ranked in moves:
        message = response.moves.add(rank=rank, visits=ranked.visits, playable=ranked.playable)
        message.move.CopyFrom(move_of(ranked.move))
        message.prior, message.value, message.standard_error = ranked.prior, ranked.value, ranked.standard_error
        message.win_share.extend(ranked.win_share)
        message.expected_score.extend(ranked.expected_score)
        message.score_spread.extend(ranked.score_spread)
        for seat, code in ranked.line:
            message.line.add(seat=seat).move.CopyFrom(move_of(code))
        message.interval.CopyFrom(advice_pb2.Interval(low=ranked.interval[0], high=ranked.interval[1]))
        message.tied_with_best = ranked.tied
    return response


@given(st.lists(RANKED, max_size=6), st.integers(0, 6), st.frozensets(st.integers(0, 6)), st.booleans())
def test_bytes_are_those_of_the_message_set_one_by_one(
    moves: list[Ranked], most: int, extra: frozenset[int], known: bool
) -> None:
    moves = [ranked._replace(move=i) for i, ranked in enumerate(moves)]
    told = [(i + 1, ranked) for i, ranked in enumerate(moves) if i < most or i in extra]
    dictionary = {code: spell(code) for ranked in moves for _, code in ranked.line} if known else {}
    written = ranked_moves(moves, most, extra, dictionary, spell)
    assert written == set_one_by_one(told).SerializeToString()


def test_whole_numbers_are_written_as_fractions() -> None:
    ranked = Ranked(1, 2, 0, 1, 0, [1, 0], [12, 8], [0, 0], [], 1, (1, 1))
    read = advisor_service_pb2.AdviseResponse.FromString(ranked_moves([ranked], 1, (), {}, spell)).moves[0]
    assert list(read.expected_score) == [12.0, 8.0]
    assert (read.value, read.interval.high) == (1.0, 1.0)


def test_a_move_that_is_known_is_not_spelt_again() -> None:
    ranked = Ranked(1, 2, 0.0, 0.0, 0.0, [], [], [], [(0, 1), (3, 2)], 1)
    asked: list[int] = []

    def ask(code: int) -> bytes:
        asked.append(code)
        return spell(code)

    read = advisor_service_pb2.AdviseResponse.FromString(ranked_moves([ranked], 1, (), {1: spell(7)}, ask)).moves[0]
    assert asked == [2]
    assert (read.move, read.line[0].move, read.line[1].move) == (move_of(7), move_of(7), move_of(2))


def test_what_is_no_message_is_an_error() -> None:
    ranked: Any = Ranked(1, 2, 0.0, 0.0, 0.0, [], [], [], [], 1)
    wrong: Any = {1: 5}
    empty: dict[int, bytes] = {}
    with pytest.raises(TypeError):
        ranked_moves([ranked], 1, (), wrong, spell)
    with pytest.raises(TypeError):
        ranked_moves([ranked], 1, (), {}, lambda code: cast(bytes, None))
    with pytest.raises(TypeError):
        ranked_moves([ranked._replace(move=[1])], 1, (), {}, spell)
    with pytest.raises(KeyError):
        ranked_moves([ranked], 1, (), {}, lambda code: empty[code])


@pytest.mark.parametrize(
    "ranked",
    [Ranked(1, 2**63, 0.0, 0.0, 0.0, [], [], [], [], 1), Ranked(1, 2, 0.0, 0.0, 0.0, [], [], [], [(2**63, 1)], 1)],
)
def test_a_count_beyond_64_bits_is_an_error(ranked: Ranked) -> None:
    with pytest.raises(OverflowError):
        ranked_moves([ranked], 1, (), {}, spell)
