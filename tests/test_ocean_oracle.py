"""The short form of `make oracle` for ocean: kernel and reference agree at every step of random games."""

import pytest
from differential import play_match
from differential_ocean import OceanMatch

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("number", range(1_000_000, 1_000_120))
def test_random_game_agrees_at_every_step(number: int) -> None:
    play_match(OceanMatch, number)
