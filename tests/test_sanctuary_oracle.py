"""The short form of `make oracle` for sanctuary: kernel and reference agree at every step of random games.

In the build with faults each planted fault must make them disagree. Planted are, by decision:

====  ==================================================================================================
   1  every seat is of the first half, also in Scramble
   2  the deal goes around, one card a seat
   3  starting tiles lie a quarter turn too far
   4  in round 2 stacks are offered to the left, too
   5  which stack the neighbour kept is forgotten
   6  a harvest without a flower gives as much as with one
   7  yellow manatees bring another one on a card without a manatee icon, too
   8  a second harvest icon gives nothing
   9  newcomers go back for nothing
  10  spaces for yellow manatees add up in any case
  11  no host is needed
  12  a wall may touch anything
  13  completed flowers bring no food
  14  every two manatees are rounded up
  15  in rounds 2 and 3 seat 0 plays last
  16  pink manatees eat 1
  17  round 2 scores as round 1
  18  the floor of a score does not hold
  19  of equals the one with most food is first
  20  4 food are little, too
  21  the token goes the other way
  23  weak-cut discards the strongest and power-cap the weakest
  24  what goes back comes to the first bag
====  ==================================================================================================

sanctuary-22 is not the kernel's: tiers are worked out where events are.
"""

import pytest
from differential import play_match
from differential_sanctuary import SanctuaryMatch
from run_oracle import FAULT_GAMES, GAMES, caught, plays

from ext import sanctuary_events


@pytest.mark.kernel
@pytest.mark.parametrize("number", range(1_000_000, 1_000_030))
def test_random_game_agrees_at_every_step(number: int) -> None:
    play_match(SanctuaryMatch, number)


@pytest.mark.parametrize(("name", "wrong"), [("TIERS", (51, 60, 70, 80, 90, 100, 110)), ("TIER_RAISE", 0)])
def test_wrong_tiers_are_noticed(name: str, wrong: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanctuary_events, name, wrong)
    differences = (str(plays("sanctuary", number)) for number in range(FAULT_GAMES))
    assert any("ended" in difference for difference in differences)


@pytest.mark.planted
@pytest.mark.parametrize("decision", GAMES["sanctuary"].decisions)
def test_a_planted_fault_is_caught(decision: int) -> None:
    assert caught("sanctuary", decision) is not None
