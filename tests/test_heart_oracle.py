"""The short form of `make oracle` for heart: kernel and reference agree at every step of random games."""

import pytest
from differential import play_match
from differential_heart import HeartMatch

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("number", range(1_000_000, 1_000_020))
def test_random_game_agrees_at_every_step(number: int) -> None:
    play_match(HeartMatch, number)
