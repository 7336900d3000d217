"""Ranked moves are written as bytes; set field by field they are the same message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.v1 import advice_pb2
from ext.ranked_wire import ranked_numbers
from search.request import Ranked

NUMBERS = st.floats(allow_nan=False)
SEATS = st.lists(NUMBERS, max_size=12)


def set_one_by_one(rank: int, ranked: Ranked) -> advice_pb2.RankedMove:
    message = advice_pb2.RankedMove(rank=rank, visits=ranked.visits, playable=ranked.playable)
    message.prior, message.value, message.standard_error = ranked.prior, ranked.value, ranked.standard_error
    message.win_share.extend(ranked.win_share)
    message.expected_score.extend(ranked.expected_score)
    message.score_spread.extend(ranked.score_spread)
    message.interval.low, message.interval.high = ranked.interval
    message.tied_with_best = ranked.tied
    return message


@given(
    st.integers(1, 2**31 - 1),
    st.builds(
        Ranked,
        move=st.just(0),
        visits=st.integers(0, 2**63 - 1),
        prior=NUMBERS,
        value=NUMBERS,
        standard_error=NUMBERS,
        win_share=SEATS,
        expected_score=SEATS,
        score_spread=SEATS,
        line=st.just([]),
        playable=st.integers(1, 2**31 - 1),
        interval=st.tuples(NUMBERS, NUMBERS),
        tied=st.booleans(),
    ),
)
def test_bytes_are_those_of_the_message_set_one_by_one(rank: int, ranked: Ranked) -> None:
    read = advice_pb2.RankedMove.FromString(ranked_numbers(rank, ranked))
    assert read.SerializeToString() == set_one_by_one(rank, ranked).SerializeToString()
    assert read.HasField("interval")


def test_whole_numbers_are_written_as_fractions() -> None:
    ranked = Ranked(1, 2, 0, 1, 0, [1, 0], [12, 8], [0, 0], [], 1, (1, 1))
    read = advice_pb2.RankedMove.FromString(ranked_numbers(1, ranked))
    assert list(read.expected_score) == [12.0, 8.0]
    assert (read.value, read.interval.high) == (1.0, 1.0)


def test_a_count_beyond_64_bits_is_an_error() -> None:
    with pytest.raises(OverflowError):
        ranked_numbers(1, Ranked(1, 2**63, 0.0, 0.0, 0.0, [], [], [], [], 1))
