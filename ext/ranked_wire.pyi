"""Ranked moves as protobuf's wire has them."""

from search.request import Ranked

def ranked_numbers(rank: int, ranked: Ranked) -> bytes:
    """The numbers of a `RankedMove`: all its fields but the moves. `rank` counts from 1.

    Laid end to end with the moves' fields it is the whole message. Raises OverflowError for counts beyond 64 bits.
    """
