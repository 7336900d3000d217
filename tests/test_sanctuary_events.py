"""Events of sanctuary between two positions, and observations that take up what a client has seen."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from differential import house
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.sanctuary import CHALLENGES, DEFAULT_RULES, ReferenceSanctuary
from test_ocean_validation import NO_LIST, NO_MAPPING, NO_NUMBER, damage, junk_values, paths
from test_reference_sanctuary import (
    CATALOGUE,
    OPTIONS,
    deal,
    do,
    fill_bag,
    hold,
    let,
    names,
    new_game,
    random_options,
    scene,
    seen_by,
)
from test_reference_sanctuary import house as move_in

from ext import sanctuary_events, sanctuary_position, sanctuary_tables
from ext.errors import Malformed

Event = dict[str, Any]
Message = dict[str, Any]

AUTOMATIC = {"housed", "fed", "scored", "round_begun", "ended"}
"""What follows by itself, which a report may leave out."""


class Kernel:
    """What a report asks of the kernel, whose observations are dictionaries here."""

    def __init__(self, game: ReferenceSanctuary) -> None:
        self.seats = game.seats
        self.catalogue = game.catalogue
        self.rules = {**DEFAULT_RULES, **game.rules}
        self.variant = game.variant
        self.cards = sanctuary_tables.cards(game.catalogue, game.variant, self.rules["challenge"])

    @property
    def setup(self) -> dict[str, Any]:
        """How both readers want it."""
        return {"catalogue": self.catalogue, "rules": self.rules, "variant": self.variant, "seats": self.seats}

    def dump_observation(self, observation: Any) -> Message:
        seen: Message = copy.deepcopy(observation)
        return seen

    def load_observation(self, position: Mapping[str, Any]) -> Any:
        sanctuary_position.check(position, observation=True, **self.setup)
        return position


def report(game: ReferenceSanctuary, seen: Message, events: Any) -> Message:
    """The observation after events; neither of the two is changed."""
    before = copy.deepcopy((seen, events))
    try:
        after: Any = sanctuary_events.report(Kernel(game), seen, events)  # type: ignore[arg-type]
    finally:
        assert (seen, events) == before
    message: Message = after
    return message


def commit(seen: Message, move: str) -> Message:
    """What the kernel makes of the own split or choice."""
    seen = copy.deepcopy(seen)
    knowledge = seen["seat_knowledge"]
    knowledge["commitment"] = move
    seen["table"]["seats"][knowledge["seat"]]["committed"] = True
    return seen


# Whole games.


class Client:
    """One who sees a game as a seat and keeps nothing but its observation."""

    def __init__(self, game: ReferenceSanctuary, seat: int, rng: random.Random, lazy: bool) -> None:
        self.game = game
        self.seat = seat
        self.rng = rng
        self.lazy = lazy
        """Whether it reports several events at a time, not what follows from others, and no open move by itself."""
        self.kept = game.observe(seat)
        self.told: list[Event] = []

    def decide(self, phase: str, move: str, events: list[Event]) -> list[Event]:
        """Takes up its own move, or leaves that to the events; what is left of them."""
        if phase == "SPLIT" or (phase == "CHOOSE" and not (self.lazy or "stacks_chosen" in names(events))):
            self.report()
            self.kept = commit(self.kept, move)
        elif phase != "CHOOSE" and not self.lazy and self.rng.random() < 0.5:
            # The kernel plays an open move out on the observation.
            self.kept = self.game.observe(self.seat)
            return []
        return events

    def hear(self, events: list[Event]) -> None:
        for event in seen_by(self.seat, events):
            (name,) = event.keys() - {"private_to"}
            optional = name in AUTOMATIC or (name == "hand_taken" and not self.game.rules["blind_choice"])
            if self.lazy and (optional or name == "committed") and self.rng.random() < 0.4:
                continue
            self.told.append(event)
        if not self.lazy or (self.game.phase != "CHOOSE" and self.rng.random() < 0.2):
            self.report()
            if not self.lazy or self.game.phase not in ("SPLIT", "CHOOSE"):
                self.check()

    def report(self) -> None:
        kept: Any = self.kept
        self.kept = sanctuary_events.report(Kernel(self.game), kept, self.told)  # type: ignore[assignment]
        self.told = []

    def check(self) -> None:
        assert self.kept == self.game.observe(self.seat)


def play(game: ReferenceSanctuary, rng: random.Random, watchers: int, seen: Counter[str]) -> None:
    """Plays a random game: the events come out of the positions alike, and clients know what they would be shown."""
    game.start()
    how = Kernel(game).setup
    seats = rng.sample(range(game.seats), min(watchers, game.seats))
    clients = [Client(game, seat, rng, lazy) for seat in seats for lazy in (False, True)]
    liking = rng.choice([0.1, 0.5, 0.9])
    while not game.over:
        before = game.position()
        untouched = copy.deepcopy(before)
        outcomes = game.chance()
        if outcomes is not None:
            outcome = rng.choices(list(outcomes), list(outcomes.values()))[0]
            events = game.happen(outcome)
            assert sanctuary_events.chance_events(before, outcome, game.position(), **how) == events
            heard = dict.fromkeys(clients, events)
        else:
            seat, phase = rng.choice(game.pending()), game.phase
            moves = game.moves(seat)
            if phase == "PLAY" and rng.random() < liking:
                moves = [move for move in moves if move.startswith("bottom")] or moves
            move = rng.choice(moves)
            events = game.play(seat, move)
            assert sanctuary_events.events(before, seat, move, game.position(), **how) == events
            heard = {
                client: client.decide(phase, move, events) if client.seat == seat else events for client in clients
            }
        assert before == untouched
        for client, told in heard.items():
            client.hear(told)
        seen.update(names(events))
        seen.update(event["ended"]["reason"] for event in events if "ended" in event)
    for client in clients:
        client.report()
        client.check()


GAMES: list[tuple[str, int, str]] = [
    *[("base", seats, "NONE") for seats in (2, 3, 4, 5, 6)],
    *[("scramble", seats, "NONE") for seats in (2, 3, 7, 12)],
    *[("solo", 1, challenge) for challenge in CHALLENGES],
]


@pytest.mark.parametrize("how", GAMES, ids=str)
@pytest.mark.parametrize("options", ["off", "on", "mixed"])
def test_games(how: tuple[str, int, str], options: str) -> None:
    variant, seats, challenge = how
    rng = random.Random(f"{how} {options}")
    if options == "mixed":
        rules = random_options(rng)
    else:
        rules = {name: values[options == "on"] for name, values in OPTIONS.items()}
    rules["challenge"] = challenge
    if challenge != "NONE":
        rules["round_bonuses"] = False
    if variant == "scramble" and seats < 7:
        rules["allow_small_scramble"] = True
    seen: Counter[str] = Counter()
    catalogue = house("sanctuary") if options == "mixed" else CATALOGUE
    play(ReferenceSanctuary(catalogue, seats, rules, variant), rng, 2 if seats < 7 else 1, seen)
    assert seen["ended"] == seen["ROUNDS"] + seen["SENT_BACK"] > 0


def test_a_lost_saviour_ends_unscored() -> None:
    rng = random.Random(5)
    seen: Counter[str] = Counter()
    for _ in range(6):
        play(new_game(1, "solo", challenge="SAVIOUR"), rng, 1, seen)
    assert seen["SENT_BACK"] > 0


@pytest.mark.parametrize("text", ["", "jump", "top", "top 180", "keep both", 3, None])
def test_no_notation(text: Any) -> None:
    game = dealt()
    with pytest.raises(ValueError, match="expected"):
        sanctuary_events.events(game.position(), 0, text, game.position(), **Kernel(game).setup)
    with pytest.raises(ValueError, match="expected"):
        sanctuary_events.chance_events(game.position(), text, game.position(), **Kernel(game).setup)


def test_lenient_notations() -> None:
    game = playing()
    before, after = game.position(), game.clone()
    events = after.play(0, "bottom 0 0,-1 r0")
    for text in (" Bottom 0  0 , -1 R0", "bottom 0 0,-1 r3"):  # Red on all sides: all turns are alike.
        assert sanctuary_events.events(before, 0, text, after.position(), **Kernel(game).setup) == events


# Reports that cannot be. The observer is seat 1 of three.


def dealt() -> ReferenceSanctuary:
    """Three seats that owe a split."""
    game = new_game(3)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    return game


def offered(**rules: Any) -> ReferenceSanctuary:
    """Three seats that owe a choice."""
    game = new_game(3, **rules)
    deal(game, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14])
    do(game, "split 0,1", "split 5,6", "split 10")
    return game


def playing() -> ReferenceSanctuary:
    """Seat 0 holds 0, 2, 3 and 4, of which seat 1 knows the last three; 12 is known to be in the hand of seat 2."""
    game = offered()
    do(game, "keep larger", "keep smaller", "keep smaller")
    game.hands = [[0, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11], [1, 12, 13, 14]]
    game.known = [[[] for _ in range(3)] for _ in range(3)]
    game.known[1] = [[2, 3, 4], [], [12]]
    return game


def hungry() -> ReferenceSanctuary:
    """Seat 1 is short of a food for two gray ones and a pink one; seat 2 can pay."""
    game = scene([9], [1], [7])
    for seat, cards in enumerate(([0, 2, 4, 6], [5, 3, 8, 9], [10, 11, 12, 13])):
        hold(game, seat, *cards)
        game.tops[seat], game.hands[seat] = cards, game.hands[seat][:1]
    move_in(game, 1, gray=2, pink=1)
    game.food = [0, 3, 2]
    do(game, "top 9", "top 1", "top 7")
    assert (game.phase, game.current) == ("FEED", 1)
    return game


def crowded() -> ReferenceSanctuary:
    """Seat 1 has room for one space more than its three gray ones; newcomers are one of each colour."""
    game = playing()
    game.hands[1].remove(5)
    game.deck[5] += 1
    hold(game, 1, 12)
    move_in(game, 1, gray=3)
    do(game, "top 2", "top 12")
    assert (game.phase, game.current) == ("RETURN", 1)
    return game


def drawing() -> ReferenceSanctuary:
    """A manatee is drawn for seat 1 from a bag that has no yellow ones."""
    game = playing()
    game.hands[1].remove(9)
    game.deck[9] += 1
    hold(game, 1, 3)
    do(game, "top 2", "top 3")
    fill_bag(game, gray=3, pink=3)
    assert (game.phase, game.current) == ("DRAW_MANATEE", 1)
    return game


def pair(challenge: str = "NONE") -> ReferenceSanctuary:
    """The solo seat picks from 2 and 3."""
    game = new_game(1, "solo", challenge=challenge)
    let(game, "card 2", "card 3")
    return game


def discarding(challenge: str) -> ReferenceSanctuary:
    """The solo seat holds 2, 3, 4 and 6 twice; of two dots are 3 and 4, of one is 2, of three is 6."""
    game = new_game(1, "solo", challenge=challenge)
    for card in (2, 3, 4, 6, 6):
        let(game, f"card {card}", "card 0")
        do(game, f"pick {card}")
    assert game.phase == "DISCARD"
    return game


def bonus_due() -> ReferenceSanctuary:
    return new_game(3, round_bonuses=True)


def deal_due() -> ReferenceSanctuary:
    """Seat 1 is dealt the next card; of kind 0 it has four of six."""
    game = new_game(3)
    deal(game, [0, 0, 1, 2, 3], [0, 0, 0, 0])
    return game


def finished() -> ReferenceSanctuary:
    """Three seats, seat 2 about to play the last card of the game for its top, which does nothing."""
    game = scene([], [], [1], round_number=3)
    game.current = 2
    for seat in range(3):
        for cards in ((6, 7, 8, 9, 10), (2, 3, 4, 5, 11), (0, 12, 13, 14)):
            hold(game, seat, *cards)
            game.tops[seat] += cards
    for seat, card in ((0, 1), (1, 1)):
        hold(game, seat, card)
        game.tops[seat].append(card)
    game.hands = [[], [], [1]]
    return game


def rare() -> ReferenceSanctuary:
    """All cards of kind 1 are played."""
    game = playing()
    game.tops[0] = [1] * 6
    return game


def blind() -> ReferenceSanctuary:
    return offered(blind_choice=True)


def told(kind: str, **fields: Any) -> Event:
    return {kind: fields}


def at(x: int, y: int) -> Message:
    return {"x": x, "y": y}


def counts(gray: int = 0, pink: int = 0, yellow: int = 0) -> Message:
    return {"gray": gray, "pink": pink, "yellow": yellow}


# A game, and what seat 1 (in solo seat 0) knows; with "+" it has committed.
BASES: dict[str, tuple[ReferenceSanctuary, Message]] = {}
for name, game in (
    ("bonus", bonus_due()),
    ("deal", deal_due()),
    ("split", dealt()),
    ("choose", offered()),
    ("blind", blind()),
    ("play", playing()),
    ("rare", rare()),
    ("draw", drawing()),
    ("crowd", crowded()),
    ("feed", hungry()),
    ("last", finished()),
    ("solo", new_game(1, "solo")),
    ("pair", pair()),
    ("strong", discarding("POWER_CAP")),
    ("weak", discarding("WEAK_CUT")),
):
    BASES[name] = (game, game.observe(0 if game.solo else 1))
for name, move in (("split", "split 5,6"), ("choose", "keep smaller"), ("blind", "keep smaller")):
    BASES[f"{name}+"] = (BASES[name][0], commit(BASES[name][1], move))

OFFERED = told("stacks_offered", smaller_stacks=[2, 2, 1])
SEEN = told("stacks_seen", stacks={"smaller": [1, 0], "larger": [4, 3, 2]})
CHOSEN = told("stacks_chosen", kept=["LARGER", "SMALLER", "SMALLER"])
TAKEN = told("hand_taken", cards=[9, 8, 7, 1, 0])
TOP = told("top_played", seat=0, card=2, taken={"gray": 1})
BOTTOM = told("bottom_played", seat=0, card=0, cell=at(0, -1), flowers=1)
OWN = told("top_played", seat=1, card=5, taken={"pink": 1})
RETURNED = told("returned", seat=1, manatees=counts(pink=1, yellow=1))
HUNGRY = told("returned", seat=1, manatees=counts(gray=1))
LAST = told("top_played", seat=2, card=1)
ENDED = told("ended", reason="ROUNDS")

SOUND_REPORTS: list[tuple[str, list[Event]]] = [
    *[(base, []) for base in BASES if base not in ("rare", "draw", "crowd")],
    ("bonus", [told("bonus_drawn", bonus=1, round=1), told("bonus_drawn", bonus=1, round=2)]),
    ("deal", [told("card_dealt", seat=1), told("card_received", card=0), told("card_dealt", seat=2)]),
    ("deal", [told("card_dealt", seat=1), {"private_to": 1, **told("card_received", seat=1, card=14)}]),
    ("split", [told("committed", seat=0), told("committed", seat=2)]),
    ("split+", [told("committed"), told("committed", seat=1), told("committed", seat=1), OFFERED, SEEN]),
    ("split+", [OFFERED, SEEN, told("committed", seat=1), CHOSEN, TAKEN]),
    ("choose", [CHOSEN]),
    ("choose+", [told("committed", seat=2), CHOSEN, TAKEN, TOP]),
    ("blind+", [CHOSEN, TAKEN]),
    ("blind", [CHOSEN, TAKEN, told("top_played", seat=0, card=14)]),
    ("play", [TOP, told("housed", seat=0, manatees={"gray": 1}), OWN]),
    ("play", [BOTTOM, OWN, told("top_played", seat=2, card=0)]),
    (
        "play",
        [{**BOTTOM, "private_to": 1}, told("bottom_played", seat=1, card=9, cell=at(0, -1), rotation=2, flowers=1)],
    ),
    ("last", [LAST]),
    ("last", [LAST, told("fed", seat=1), told("scored", seat=0, score=10), told("scored", seat=2, score=10), ENDED]),
    ("solo", [told("card_drawn", card=3), told("card_drawn", card=3), told("picked", card=3, discarded=3)]),
    ("pair", [told("picked", card=3, discarded=2, token=1)]),
    ("strong", [told("declined"), told("top_played", card=6, taken=counts(gray=2))]),
    ("strong", [told("discarded", card=6)]),
    ("weak", [told("discarded", card=2)]),
]

NO_EVENT: tuple[Any, ...] = (None, 3, "x", [], {})
NO_CHOICE: tuple[Any, ...] = (None, "UNSPECIFIED", 1, [], {})
REPORT_CASES: list[tuple[str, list[Any], list[str]]] = [
    # Shapes.
    *[("play", [junk], ["events[0]"]) for junk in NO_EVENT],
    *[("play", [{kind: junk}], [f"events[0].{kind}"]) for kind in sanctuary_events._KINDS for junk in NO_MAPPING],
    ("play", [{"committed": {}, "fed": {}}], ["events[0]"]),
    ("play", [{"dealt": {}}], ["events[0]", "events[0].dealt"]),
    ("play", [told("declined", seat=1)], ["events[0].declined.seat"]),
    ("play", [told("committed", seat=3)], ["events[0].committed.seat"]),
    ("play", [{**TOP, "private_to": 2}], ["events[0].private_to"]),
    ("play", [{**TOP, "private_to": "me"}], ["events[0].private_to"]),
    *[("play", [told("top_played", **{field: junk})], [f"events[0].top_played.{field}"])
      for field in ("seat", "card", "harvest") for junk in NO_NUMBER],
    *[("play", [told("top_played", taken=junk)], ["events[0].top_played.taken"]) for junk in NO_MAPPING],
    ("play", [told("top_played", seat=-1, card=15, harvest=10**9, taken={"gray": 161, "pink": -1, "blue": 1})],
     [f"events[0].top_played.{field}" for field in
      ("seat", "card", "harvest", "taken.gray", "taken.pink", "taken.blue")]),
    ("play", [told("bottom_played", cell={"x": 25, "y": "0"}, rotation=4, flowers="1")],
     [f"events[0].bottom_played.{field}" for field in ("cell.x", "cell.y", "rotation", "flowers")]),
    *[("play", [told("manatee_drawn", colour=junk)], ["events[0].manatee_drawn.colour"])
      for junk in (*NO_CHOICE, "gray")],
    *[("play", [told("ended", reason=junk)], ["events[0].ended.reason"]) for junk in (*NO_CHOICE, "LOST")],
    ("play", [told("ended", reason="ROUNDS", tier=8, challenge_won=1)],
     ["events[0].ended.challenge_won", "events[0].ended.tier"]),
    *[("split", [told("stacks_offered", smaller_stacks=junk)], ["events[0].stacks_offered.smaller_stacks"])
      for junk in (None, [], [1, 1], [1, 1, 1, 1])],
    ("split", [told("stacks_offered", smaller_stacks=[0, 3, True])],
     [f"events[0].stacks_offered.smaller_stacks[{s}]" for s in range(3)]),
    *[("split", [told("stacks_seen", stacks={"smaller": junk})], ["events[0].stacks_seen.stacks.smaller"])
      for junk in (*NO_LIST, [0] * 6)],
    ("split", [told("stacks_seen", stacks={"both": []})], ["events[0].stacks_seen.stacks.both"]),
    *[("choose", [told("stacks_chosen", kept=junk)], ["events[0].stacks_chosen.kept"]) for junk in (None, ["LARGER"])],
    ("choose", [told("stacks_chosen", kept=["larger", None, 1])],
     [f"events[0].stacks_chosen.kept[{s}]" for s in range(3)]),
    ("choose", [told("hand_taken", cards=[0] * 9)], ["events[0].hand_taken.cards"]),
    ("choose", [told("hand_taken", cards=[0, 15, "1"])],
     ["events[0].hand_taken.cards[1]", "events[0].hand_taken.cards[2]"]),
    ("bonus", [told("bonus_drawn", bonus=10, round=0)], ["events[0].bonus_drawn.bonus", "events[0].bonus_drawn.round"]),
    # Unreadable events are all told, before anything is taken up.
    ("play", [told("fed"), 3, told("fed", seat=7)], ["events[1]", "events[2].fed.seat"]),
    # Private to another.
    *[("play", [told(kind, seat=0)], [f"events[0].{kind}.seat"]) for kind in ("card_received", "hand_taken")],
    # Not due.
    *[(base, [told("card_drawn")], ["events[0].card_drawn"]) for base in BASES if base not in ("solo", "pair", "last")],
    ("pair", [told("card_drawn")], ["events[0].card_drawn"]),
    ("solo", [told("card_dealt")], ["events[0].card_dealt"]),
    ("last", [LAST, TOP], ["events[1].top_played"]),
    *[("play", [told(kind)], [f"events[0].{kind}"])
      for kind in ("fed", "scored", "housed", "hand_taken", "stacks_seen")],
    ("play", [told("top_played", seat=2, card=1)], ["events[0].top_played.seat"]),
    ("draw", [told("manatee_drawn", seat=0, colour="GRAY")], ["events[0].manatee_drawn.seat"]),
    # Draws.
    ("bonus", [told("bonus_drawn", bonus=0, round=2)], ["events[0].bonus_drawn.round"]),
    ("bonus", [told("bonus_drawn", bonus=8, round=1)], ["events[0].bonus_drawn.bonus"]),
    ("bonus", [told("bonus_drawn", bonus=0, round=1), told("bonus_drawn", bonus=0, round=2)],
     ["events[1].bonus_drawn.bonus"]),
    ("deal", [told("card_dealt", seat=2)], ["events[0].card_dealt.seat"]),
    ("deal", [told("card_dealt", seat=1)], ["events"]),
    ("deal", [told("card_dealt", seat=1), told("card_dealt", seat=2)], ["events[1].card_dealt"]),
    ("deal", [told("card_received", card=3)], ["events[0].card_received"]),
    ("solo", [told("card_drawn", card=3)] * 3, ["events[2].card_drawn"]),
    ("draw", [told("manatee_drawn", seat=1, colour="YELLOW")], ["events[0].manatee_drawn.colour"]),
    # The draft.
    ("split", [told("committed", seat=0)] * 2, ["events[1].committed.seat"]),
    ("split", [told("committed", seat=1)], ["events[0].committed.seat"]),
    ("split", [OFFERED], ["events[0].stacks_offered"]),
    ("split+", [told("stacks_offered", smaller_stacks=[2, 1, 1])], ["events[0].stacks_offered.smaller_stacks[1]"]),
    ("split+", [OFFERED], ["events"]),
    ("split+", [OFFERED, CHOSEN], ["events[1].stacks_chosen"]),
    ("split+", [OFFERED, SEEN, SEEN], ["events[2].stacks_seen"]),
    ("split+", [OFFERED, told("stacks_seen", seat=1)],
     ["events[1].stacks_seen.stacks.larger", "events[1].stacks_seen.stacks.smaller"]),
    ("choose", [told("committed", seat=1)], ["events[0].committed.seat"]),
    ("choose+", [told("stacks_chosen", kept=["LARGER"] * 3)], ["events[0].stacks_chosen.kept[1]"]),
    ("choose+", [CHOSEN, CHOSEN], ["events[1].stacks_chosen"]),
    ("choose+", [CHOSEN, told("hand_taken", cards=[9, 8, 7, 1, 2])], ["events[1].hand_taken.cards"]),
    ("choose+", [CHOSEN, TAKEN, TAKEN], ["events[2].hand_taken"]),
    ("blind+", [CHOSEN], ["events"]),
    ("blind+", [CHOSEN, TOP], ["events[1].top_played"]),
    ("blind+", [CHOSEN, told("hand_taken", cards=[9, 8, 7, 1])], ["events[1].hand_taken.cards"]),
    ("blind+", [CHOSEN, told("hand_taken", cards=[9, 8, 1, 1, 2])], ["events[1].hand_taken.cards"]),
    ("blind+", [CHOSEN, told("hand_taken")], ["events[1].hand_taken.cards"]),
    # Cards played: the numbers that follow, a card of another hand, one that is known to be elsewhere, and placements.
    ("play", [told("top_played", seat=0, card=2, harvest=1, taken={"pink": 1})],
     [f"events[0].top_played.{field}" for field in ("harvest", "taken.gray", "taken.pink")]),
    ("play", [TOP, told("top_played", seat=1, card=12)], ["events[1].top_played.card"]),
    ("rare", [TOP, OWN, told("top_played", seat=2, card=1)], ["events[2].top_played.card"]),
    ("play", [TOP, told("housed", seat=1, manatees={"gray": 1})], ["events[1].housed.seat"]),
    ("play", [TOP, told("housed", manatees={"pink": 1})],
     ["events[1].housed.manatees.gray", "events[1].housed.manatees.pink"]),
    ("play", [BOTTOM, told("housed")], ["events[1].housed"]),
    *[("play", [told("bottom_played", seat=0, card=card, cell=at(*cell), rotation=turns, flowers=1)],
       ["events[0].bottom_played.cell"])
      for card, cell, turns in (
          (0, (0, 0), 0),  # Taken.
          (0, (0, -2), 0),  # No neighbour at all.
          (0, (1, 0), 0),  # Red on green.
          (4, (0, -1), 0),  # No neighbour at the inner edge.
          (4, (-1, 0), 1),  # A wall on a wall.
      )],
    ("play", [told("bottom_played", seat=0, card=0)], ["events[0].bottom_played.cell", ]),
    ("play", [told("bottom_played", seat=0, card=0, cell=at(0, -1))], ["events[0].bottom_played.flowers"]),
    # Manatees sent back: too many of one, too few for the space, one that could stay.
    *[("crowd", [told("returned", seat=1, manatees=counts(*back))], ["events[0].returned.manatees"])
      for back in ((2, 1, 1), (0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))],
    *[("feed", [told("returned", seat=1, manatees=counts(*back))], ["events[0].returned.manatees"])
      for back in ((0, 0, 1), (0, 0, 0), (2, 0, 0), (1, 1, 0))],
    ("feed", [HUNGRY, told("fed", seat=0)], ["events[1].fed.seat"]),
    ("feed", [HUNGRY, told("fed", seat=1, food=4)], ["events[1].fed.food"]),
    ("feed", [HUNGRY, told("fed", seat=2), told("fed", seat=1, food=3)], ["events[2].fed"]),
    ("feed", [HUNGRY, told("scored", seat=1, manatees=8, score=17)],
     ["events[1].scored.manatees"]),
    ("feed", [HUNGRY, told("round_begun", round=3)], ["events[1].round_begun.round"]),
    ("feed", [HUNGRY, told("round_begun", round=2), told("scored")], ["events[2].scored"]),
    ("feed", [HUNGRY, told("ended", reason="ROUNDS")], ["events[1].ended"]),
    # The end.
    ("last", [LAST, told("ended", reason="SENT_BACK", tier=0, challenge_won=False)],
     [f"events[1].ended.{field}" for field in ("challenge_won", "reason", "tier")]),
    ("last", [LAST, ENDED, ENDED], ["events[2].ended"]),
    # Solo.
    ("pair", [told("picked", card=4, discarded=3)], ["events[0].picked.card"]),
    ("pair", [told("picked", card=3, discarded=3, token=1)], ["events[0].picked.discarded"]),
    ("pair", [told("picked", card=2, discarded=3, token=1)], ["events[0].picked.token"]),
    *[("strong", [told("discarded", card=card)], ["events[0].discarded.card"]) for card in (2, 3, 7)],
    *[("weak", [told("discarded", card=card)], ["events[0].discarded.card"]) for card in (0, 6)],
    ("weak", [told("declined")], ["events[0].declined"]),
]  # fmt: skip


@pytest.mark.parametrize(("base", "events"), SOUND_REPORTS)
def test_sound_reports(base: str, events: list[Event]) -> None:
    report(*BASES[base], events)


@pytest.mark.parametrize(("base", "events", "expected"), REPORT_CASES)
def test_reports_that_cannot_be(base: str, events: list[Any], expected: list[str]) -> None:
    with pytest.raises(Malformed) as caught:
        report(*BASES[base], events)
    assert paths(caught.value.violations) == sorted(expected)
    assert all(" " in message and len(message) < 400 for _, message in caught.value.violations)


@pytest.mark.parametrize("junk", [3, "x", {}, b"x"])
def test_no_list_of_events(junk: Any) -> None:
    with pytest.raises(Malformed) as caught:
        report(*BASES["play"], junk)
    assert paths(caught.value.violations) == ["events"]


@pytest.mark.parametrize(
    ("base", "events", "path", "message"),
    [
        ("play", [OWN], "events[0].top_played.seat", "expected seat 0, whose turn it is"),
        ("play", [told("fed")], "events[0].fed", "nothing of the kind happens here"),
        ("draw", [TOP], "events[0].top_played", "expected manatee_drawn of seat 1 here, in DRAW_MANATEE"),
        ("split", [OFFERED], "events[0].stacks_offered", "commit the own split first: its cards are in no event"),
        ("split+", [OFFERED], "events", "stacks_seen of seat 1 must be reported next"),
        ("choose+", [told("stacks_chosen", kept=["LARGER"] * 3)], "events[0].stacks_chosen.kept[1]",
         "expected SMALLER, which seat 1 has committed"),
        ("choose", [told("committed", seat=1)], "events[0].committed.seat",
         "expected the own choice: commit it first, or report it with stacks_chosen"),
        ("play", [TOP, told("top_played", seat=1, card=12)], "events[1].top_played.card",
         "expected a card of the hand of seat 1, which is known; 12 is not in it"),
        ("play", [told("top_played", seat=0, card=2, taken={"gray": 1}, harvest=1)], "events[0].top_played.harvest",
         "expected 0, not 1"),
        ("crowd", [told("returned", seat=1, manatees=counts(yellow=1))], "events[0].returned.manatees",
         "expected more to go back; there is not space enough for the 1 gray, 1 pink, 0 yellow left"),
        ("feed", [told("returned", seat=1, manatees=counts(gray=2))], "events[0].returned.manatees",
         "expected less to go back; there is food for a gray one of the 2 gray, 0 pink, 0 yellow"),
        ("pair", [told("picked", card=4)], "events[0].picked.card", "expected 2 or 3, which are drawn, not 4"),
        ("weak", [told("discarded", card=6)], "events[0].discarded.card", "expected 2, weakest of the hand, not 6"),
        ("last", [LAST, told("scored", seat=3)], "events[1].scored.seat", "expected a seat, 0 to 2, not 3"),
        ("feed", [HUNGRY, told("fed", seat=0)], "events[1].fed.seat", "expected seat 1 or 2, not 0"),
    ],
)  # fmt: skip
def test_messages_say_what_was_expected(base: str, events: list[Event], path: str, message: str) -> None:
    with pytest.raises(Malformed) as caught:
        report(*BASES[base], events)
    assert caught.value.violations == [(path, message)]


def test_what_is_forgotten_stays_forgotten() -> None:
    """A client may know less of a neighbour's hand than the draft has shown."""
    game, seen = playing(), playing().observe(1)
    seen["seat_knowledge"]["left_hand"] = []
    seen["seat_knowledge"]["right_hand"] = [2]
    after = report(game, seen, [told("top_played", seat=0, card=3)])["seat_knowledge"]
    assert (after["left_hand"], after["right_hand"]) == ([], [2])
    after = report(game, seen, [TOP])["seat_knowledge"]
    assert (after["left_hand"], after["right_hand"]) == ([], [])


def test_a_hand_known_in_full_plays_what_is_known() -> None:
    game, seen = playing(), playing().observe(1)
    seen["seat_knowledge"]["right_hand"] = [0, 2, 3, 4]
    report(game, seen, [TOP])
    with pytest.raises(Malformed) as caught:
        report(game, seen, [told("top_played", seat=0, card=1)])
    assert paths(caught.value.violations) == ["events[0].top_played.card"]


def test_food_ends_where_its_track_does() -> None:
    game, seen = playing(), playing().observe(1)
    seen["table"]["seats"][0]["food"] = 9999
    assert report(game, seen, [BOTTOM])["table"]["seats"][0]["food"] == 9999


def test_a_report_is_one_or_many() -> None:
    """Events told one at a time lead where they lead together, as long as nothing private is owed in between."""
    game, seen = BASES["choose+"]
    events = [told("committed", seat=0), told("committed", seat=2), CHOSEN, TOP, told("top_played", seat=1, card=1)]
    together = report(game, seen, events)
    for event in events:
        seen = report(game, seen, [event])
    assert seen == together


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_damaged_reports(data: st.DataObject) -> None:
    base, events = data.draw(st.sampled_from(SOUND_REPORTS))
    try:
        # What is taken up leaves a sound observation, as `load_observation` holds it.
        report(*BASES[base], damage(data.draw, events))
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        assert all(path.startswith("events[") for path, _ in error.violations) or len(error.violations) == 1  # noqa: PT017


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(BASES)), st.lists(junk_values, max_size=3))
def test_junk_reports(base: str, events: list[Any]) -> None:
    try:
        report(*BASES[base], events)
    except Malformed as error:
        assert error.violations  # noqa: PT017
