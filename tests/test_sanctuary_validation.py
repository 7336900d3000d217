"""What the reader of sanctuary's positions accepts and refuses."""

from __future__ import annotations

import copy
import dataclasses
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.sanctuary import CHALLENGES, COLOURS, DEFAULT_RULES, HOME, ReferenceSanctuary, by_row
from test_ocean_validation import DELETE, NO_LIST, NO_MAPPING, NO_NUMBER, changed, name_of, paths, places
from test_reference_sanctuary import CATALOGUE, OPTIONS, deal, do, let, new_game

from ext import sanctuary_position
from ext.errors import Malformed

Message = dict[str, Any]
Game = ReferenceSanctuary


def read(
    position: Any,
    seats: int = 3,
    rules: Message | None = None,
    variant: str = "base",
    *,
    observes: bool = False,
    catalogue: Message = CATALOGUE,
) -> sanctuary_position.Parsed:
    options = {**DEFAULT_RULES, **(rules or {})}
    return sanctuary_position.check(
        position, catalogue=catalogue, seats=seats, rules=options, variant=variant, observation=observes
    )


def how(game: Game, **more: Any) -> Message:
    return {"seats": game.seats, "rules": game.rules, "variant": game.variant, **more}


# Sound positions. Three seats are dealt 0 to 4, 5 to 9 and 10 to 14. Round 1: seat 0 keeps 12 and gets 0 back; seat 1
# keeps 1 to 4 and gets 7 to 9; seat 2 keeps 5 and 6 and gets 10, 11, 13 and 14.

HANDS = [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]
SPLITS = ["split 0", "split 5,6", "split 12"]
CHOICES = ["keep smaller", "keep larger", "keep smaller"]


def dealt(**rules: Any) -> Game:
    game = new_game(3, **rules)
    deal(game, *HANDS)
    return game


def after(*moves: str, **rules: Any) -> Game:
    game = dealt(**rules)
    do(game, *moves)
    return game


def later(game: Game, *moves: str) -> Game:
    """The game after these moves and outcomes."""
    game = game.clone()
    for move in moves:
        if move.split()[0] in ("card", "manatee", "bonus"):
            let(game, move)
        else:
            do(game, move)
    return game


def step(game: Game, rng: random.Random, bottoms: float = 0.6) -> None:
    chance = game.chance()
    if chance is not None:
        game.happen(rng.choices(list(chance), list(chance.values()))[0])
        return
    seat = rng.choice(game.pending())
    moves = game.moves(seat)
    if game.phase == "PLAY" and rng.random() < bottoms:
        moves = [move for move in moves if move.startswith("bottom")] or moves
    game.play(seat, rng.choice(moves))


def until(game: Game, phase: str, round_number: int, *, seed: int = 1) -> Game:
    """The game after random play to this phase of this round."""
    game = game.clone()
    rng = random.Random(seed)
    while (game.phase, game.round) != (phase, round_number):
        assert not game.over, "comes by there"
        step(game, rng)
    return game


PLAY = after(*SPLITS, *CHOICES)
# Seat 1 has taken a yellow and a pink manatee and has one to draw.
DRAW = later(PLAY, "bottom 0 0,-1 r0", "top 8")
PLAYED = later(DRAW, "manatee gray", "top 6", "top 12", "bottom 1 1,0 r0", "top 11", "manatee gray")
PLAYED = later(PLAYED, "top 2", "manatee gray", "top 5")
# Seat 1 has seven spaces and houses three gray manatees, a pink and a yellow one. A yellow and a gray one have come.
RETURN = later(PLAYED, "top 4", "manatee gray")
FEED = until(RETURN, "FEED", 1)


def pair(*cards: int, **rules: Any) -> Game:
    """A game of solo with these cards drawn, of which the first of each two is kept."""
    game = new_game(1, "solo", **rules)
    for i, card in enumerate(cards):
        let(game, f"card {card}")
        if i % 2:
            do(game, f"pick {cards[i - 1]}")
    return game


PAIRS = (3, 0, 6, 1, 8, 2, 7, 4, 14, 5)


def sent_back() -> Game:
    """A saviour has played tops until a manatee had no room."""
    game = pair(*PAIRS, challenge="SAVIOUR")
    return later(game, "top 8", "manatee gray", "top 6", "manatee gray", "return 3,0,0")


def bonuses() -> Game:
    game = new_game(3, round_bonuses=True)
    let(game, "bonus 5")
    return game


GAMES: dict[str, Game] = {
    "start": new_game(3),
    "deal": later(new_game(3), *[f"card {card}" for card in (0, 1, 2, 3, 4, 5, 6)]),
    "split": dealt(),
    "split-c": after("split 0", "split 5,6"),
    "choose": after(*SPLITS),
    "choose-c": after(*SPLITS, "keep smaller", "keep larger"),
    "play": PLAY,
    "draw": DRAW,
    "played": PLAYED,
    "return": RETURN,
    "feed": FEED,
    "deal-2": until(FEED, "DRAW_CARD", 2),
    "choose-2": until(FEED, "CHOOSE", 2),
    "play-2": until(FEED, "PLAY", 2),
    "over": until(FEED, "OVER", 3),
    "play-b": after(*SPLITS, *CHOICES, blind_choice=True),
    "play-b2": until(after(*SPLITS, *CHOICES, blind_choice=True), "PLAY", 2),
    "two": until(new_game(2), "PLAY", 1),
    "two-b": until(new_game(2, blind_choice=True), "PLAY", 1),
    "bonus": bonuses(),
    "bonuses": until(bonuses(), "PLAY", 1),
    "big": until(new_game(3, "scramble", allow_small_scramble=True), "PLAY", 2),
    "cap": until(new_game(3, food_cap=9, floor_score_at_zero=True), "PLAY", 2),
    "solo": pair(3, 0, 6),
    "pick": later(pair(3, 0), "card 6", "card 1"),
    "solo-play": pair(*PAIRS),
    "solo-over": until(pair(*PAIRS), "OVER", 3),
    "power": pair(*PAIRS, challenge="POWER_CAP"),
    "powered": later(pair(*PAIRS, challenge="POWER_CAP"), "discard 6"),
    "powered-3": until(later(pair(*PAIRS, challenge="POWER_CAP"), "discard 6"), "PLAY", 3),
    "weak": pair(*PAIRS, challenge="WEAK_CUT"),
    "saviour": pair(*PAIRS, challenge="SAVIOUR"),
    "sent": sent_back(),
}
# (position, seats, rules and variant)
BASES: dict[str, tuple[Message, Message]] = {name: (game.position(), how(game)) for name, game in GAMES.items()}
for name, observer in (("split-c", 0), ("choose", 1), ("play", 0), ("two", 0), ("play-b", 0), ("solo-play", 0)):
    BASES[f"o-{name}"] = GAMES[name].observe(observer), how(GAMES[name], observes=True)


def test_the_bases_are_sound() -> None:
    for name, (position, kind) in BASES.items():
        parsed = read(position, **kind)
        assert parsed.phase == position["table"]["phase"], name
    assert {position["table"]["phase"] for position, _ in BASES.values()} == set(sanctuary_position.PHASES)


# What is read is what the reference has.


def by_colour(manatees: dict[str, int]) -> tuple[int, int, int]:
    gray, pink, yellow = (manatees[colour] for colour in COLOURS)
    return gray, pink, yellow


def cards_of(stacks: dict[str, list[int]] | None) -> list[int]:
    return [*stacks["smaller"], *stacks["larger"]] if stacks else []


def expected(game: Game, observer: int | None) -> Message:
    """The fields of `Parsed`, sanctuaries by row."""
    deck = Counter({kind: count for kind, count in enumerate(game.deck) if count})
    seats: list[Message] = []
    for s in range(game.seats):
        sanctuary = game.sanctuaries[s]
        mine = observer in (None, s)
        stacks = game._stacks_entry(s)
        known = {side: game.known[s][(s + step) % game.seats] for side, step in (("left_hand", 1), ("right_hand", -1))}
        if game.seats <= 2:
            known["right_hand"] = []
        if not mine:
            deck.update([*game.hands[s], *cards_of(stacks)])
        seats.append(
            {
                "score": game.score[s],
                "food": game.food[s],
                "manatees": by_colour(game.housed[s]),
                "sanctuary": [
                    (sanctuary.cards[cell], *cell, sanctuary.rotations[cell])
                    for cell in sorted(sanctuary.cards, key=by_row)
                ],
                "tops": sorted(game.tops[s]),
                "hand": sorted(game.hands[s]) if mine else [],
                "hand_size": len(game.hands[s]),
                "committed": game.commitments[s] is not None,
                "commitment": game.commitments[s] if mine else None,
                "smaller_stack": 0 if stacks is None else len(stacks["smaller"]),
                "made": (stacks["smaller"], stacks["larger"]) if stacks and mine else None,
                "left_hand": sorted(known["left_hand"]) if mine else [],
                "right_hand": sorted(known["right_hand"]) if mine else [],
            }
        )
    offered = None
    if observer is not None:
        deck.subtract(seats[observer]["left_hand"] + seats[observer]["right_hand"])
        stacks = game._stacks_entry(game.giver(observer))
        if stacks and not game.rules["blind_choice"]:
            offered = stacks["smaller"], stacks["larger"]
            deck.subtract(cards_of(stacks))
    return {
        "round": game.round,
        "phase": game.phase,
        "turn": game.current if game.phase in ("PLAY", "DRAW_MANATEE", "RETURN", "FEED") else None,
        "seats": seats,
        "bags": [by_colour(bag) for bag in game.bags],
        "newcomers": by_colour(game.newcomers),
        "draws_left": game.draws_left,
        "bonuses": game.bonuses,
        "drawn": sorted(game.drawn),
        "discards": sorted(game.discards),
        "token": game.token,
        "strongest_discarded": game.strongest_discarded,
        "sent_back": game.sent_back,
        "observer": observer,
        "offered": offered,
        "deck": [deck[kind] for kind in range(len(game.cards))],
    }


def plain(parsed: sanctuary_position.Parsed) -> Message:
    fields = dataclasses.asdict(parsed)
    for seat in fields["seats"]:
        seat["sanctuary"].sort(key=lambda placed: (placed[2], placed[1]))
    return fields


def rebuilt(parsed: sanctuary_position.Parsed, seats: int, rules: Message, variant: str) -> Game:
    """The reference's game of a referee's position, every card of the sanctuaries placed legally."""
    game = ReferenceSanctuary(CATALOGUE, seats, rules, variant)
    for name in ("round", "phase", "draws_left", "token", "strongest_discarded", "sent_back"):
        setattr(game, name, getattr(parsed, name))
    game.current = parsed.turn
    game.newcomers = dict(zip(COLOURS, parsed.newcomers, strict=True))
    game.bags = [dict(zip(COLOURS, bag, strict=True)) for bag in parsed.bags]
    game.bonuses, game.drawn, game.discards = parsed.bonuses, parsed.drawn, parsed.discards
    game.deck = parsed.deck
    for s, seat in enumerate(parsed.seats):
        for card, x, y, turns in seat.sanctuary:
            edges = game.cards[card]["edges"]
            assert game.sanctuaries[s].fits((x, y), edges, turns)
            game.sanctuaries[s].lay((x, y), card, edges, turns, game._capacity(card))
            assert game.sanctuaries[s].rotations[x, y] == turns
        game.score[s], game.food[s] = seat.score, seat.food
        game.housed[s] = dict(zip(COLOURS, seat.manatees, strict=True))
        game.tops[s], game.hands[s] = seat.tops, seat.hand
        game.commitments[s], game.stacks[s] = seat.commitment, seat.made
        game.known[s][(s - 1) % seats] = seat.right_hand
        game.known[s][(s + 1) % seats] = seat.left_hand
    return game


def sound(game: Game) -> None:
    """What the kernel relies on, by the reference's own lights."""
    game.check()
    chance = game.chance()
    assert game.over or (game.pending() if chance is None else chance)
    for s in range(game.seats):
        assert game.commitments[s] is None or game.commitments[s] in moves_before(game, s)
        assert len(game.hands[s]) <= 8
        if s in game.pending():
            assert game.moves(s)


def moves_before(game: Game, seat: int) -> list[str]:
    """The moves that a seat has had before it committed."""
    other = game.clone()
    other.commitments[seat] = None
    return other.moves(seat)


def test_what_is_read() -> None:
    for name, game in GAMES.items():
        parsed = read(game.position(), **how(game))
        assert plain(parsed) == expected(game, None), name
        again = rebuilt(parsed, **how(game))
        sound(again)
        assert again.position() == game.position()
        for seat in range(game.seats):
            assert plain(read(game.observe(seat), **how(game), observes=True)) == expected(game, seat), name


def test_absent_fields_are_defaults() -> None:
    for name, (position, kind) in BASES.items():
        want = read(position, **kind)
        assert read(bare(position), **kind) == want, name
        assert read(none_for_absent(position), **kind) == want, name
    position, kind = copy.deepcopy(BASES["play"])
    want = read(position, **kind)
    position["seat_knowledge"] = None
    position["rules"] = {"blind_choice": False, "play_order": "UNSPECIFIED", "food_cap": 0, "challenge": None}
    assert read(position, **kind) == want


def bare(value: Any) -> Any:
    """The message without fields that have their default."""
    if isinstance(value, list):
        return [bare(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    fields = {name: bare(entry) for name, entry in value.items()}
    # The turn is an optional number, for which 0 is no default.
    return {name: entry for name, entry in fields.items() if entry or (name == "turn" and entry is not None)}


def none_for_absent(value: Any) -> Any:
    if isinstance(value, list):
        return [none_for_absent(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        name: none_for_absent(entry) if entry or name in ("turn", "referee", "table") else None
        for name, entry in value.items()
    }


def test_order_is_free() -> None:
    rng = random.Random(3)
    for name, (position, kind) in BASES.items():
        want = read(position, **kind)
        for _ in range(3):
            assert read(shuffled(copy.deepcopy(position), rng), **kind) == want, name


def shuffled(value: Any, rng: random.Random, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: shuffled(entry, rng, name) for name, entry in value.items()}
    if isinstance(value, list):
        value = [shuffled(entry, rng) for entry in value]
        if key not in ("seats", "bags", "bonuses"):
            rng.shuffle(value)
    return value


def test_rotations_come_with_the_fewest_turns() -> None:
    position, kind = copy.deepcopy(BASES["draw"])
    want = read(position, **kind)
    assert want.seats[0].sanctuary == [(0, 0, -1, 0)]
    for rotation in range(4):
        position["table"]["seats"][0]["sanctuary"][0]["rotation"] = rotation
        assert read(position, **kind) == want


def test_lenient_commitments() -> None:
    position, kind = copy.deepcopy(BASES["split-c"])
    position["referee"]["seats"][1]["commitment"] = " Split 6 , 5"
    assert read(position, **kind).seats[1].commitment == "split 5,6"
    position, kind = copy.deepcopy(BASES["choose-c"])
    position["referee"]["seats"][1]["commitment"] = "KEEP  larger"
    assert read(position, **kind).seats[1].commitment == "keep larger"


def test_less_may_be_known_than_the_draft_has_shown() -> None:
    for name in ("play", "o-play", "two", "o-two"):
        position, kind = copy.deepcopy(BASES[name])
        hidden = position["seat_knowledge"] if "seat_knowledge" in position else position["referee"]["seats"][0]
        assert hidden["left_hand"]
        hidden["left_hand"] = hidden["left_hand"][1:]
        assert read(position, **kind).seats[0].left_hand == hidden["left_hand"]


def test_an_observation_may_wait_for_the_choices() -> None:
    """Every seat has committed; what they have chosen is reported next."""
    position, kind = copy.deepcopy(BASES["o-split-c"])
    position["table"]["seats"][2]["committed"] = True
    assert [seat.committed for seat in read(position, **kind).seats] == [True] * 3


# Malformed positions: (base, changes, paths at fault), exactly these paths, no more and no fewer.

Case = tuple[str, list[tuple[str, Any]], list[str]]
CASES: list[Case] = []


def case(base: str, *pairs: Any) -> None:
    """case(base, path, value, path, value, ..., paths at fault), each within the table but for a leading "/"."""
    *flat, wrong = pairs
    changes = [(within(path), value) for path, value in zip(flat[::2], flat[1::2], strict=True)]
    CASES.append((base, changes, [within(path) for path in wrong.split()]))


def within(path: str) -> str:
    return path[1:] if path.startswith("/") else f"table.{path}"


def same(base: str, path: str, *values: Any) -> None:
    """Each value alone is a fault at its own path."""
    for value in values:
        case(base, path, value, path)


def more(value: Any) -> Any:
    return value + 1


def less(value: Any) -> Any:
    return value - 1


junk: Any
HIDDEN = "/referee.seats[0]."

# The message around the table.
same("play", "/table", None, DELETE, *NO_MAPPING)
same("play", "/referee", None, DELETE, *NO_MAPPING)
same("play", "/rules", *NO_MAPPING)
case("play", "/rules", {"blind_choice": True}, "/rules.blind_choice")
case(
    "play",
    *("/rules", {"blind_choice": 1, "play_order": "BACKWARDS", "food_cap": -1, "challenge": "SHORTAGE"}),
    "/rules.blind_choice /rules.play_order /rules.food_cap /rules.challenge",
)
case("play", "/rules", {"food_cap": True, "colour": 1}, "/rules.food_cap /rules.colour")
case("play", "/seat_knowledge", {"seat": 0}, "/seat_knowledge")
same("o-play", "/seat_knowledge", None, *NO_MAPPING)
same("o-play", "/seat_knowledge.seat", -1, 3, *NO_NUMBER)
case("o-play", "/referee", {}, "/referee")
for base, where in (
    *(("play", "/"), ("play", ""), ("play", "seats[0]."), ("draw", "seats[0].sanctuary[0]."), ("play", "bags[0].")),
    *(("draw", "seats[0].sanctuary[0].cell."), ("play", "seats[0].manatees."), ("draw", "newcomers.")),
    *(("play", "/referee."), ("play", HIDDEN), ("choose", f"{HIDDEN}made."), ("o-play", "/seat_knowledge.")),
    *(("o-choose", "/seat_knowledge.offered."),),
):
    case(base, f"{where}tables", 1, f"{where}tables")
case("play", "/table", lambda old: {**old, 7: 1}, "/table")
case("play", "/table", lambda old: {**old, "a b": 1, "x" * 5000: 1}, "/table")

# Round, phase, turn.
same("play-2", "round", 0, 4, -1, *NO_NUMBER, None)
same("play", "phase", "", "UNSPECIFIED", "play", "SANCTUARY_PHASE_PLAY", "DEAL", None, 1, [], {}, DELETE)
same("play", "phase", "PICK", "DISCARD", "DRAW_BONUS")
same("solo", "phase", "SPLIT", "CHOOSE", "DISCARD", "DRAW_BONUS")
case("bonus", "round", 2, "round")
case("over", "round", 2, "round")
case("solo-over", "round", 1, "round")
same("play", "turn", None, DELETE, -1, 3, *NO_NUMBER)
same("solo-play", "turn", None, 1)
for base in ("start", "split", "choose", "over", "solo", "power", "bonus"):
    same(base, "turn", 0)
case("play", "round", 2, "seats[0]")
case("play-2", "round", 1, "seats[0] seats[1] seats[2]")

# Seats.
same("play", "seats", [], None, *NO_LIST)
case("play", "seats[2]", DELETE, "seats")
case("play", "seats[3]", {}, "seats")
for junk in NO_MAPPING:
    same("play", "seats[1]", junk)
same("play", "seats[1].score", -10_000, 10_000, *NO_NUMBER)
same("cap", "seats[1].score", -1, -10_000)
same("play", "seats[1].food", -1, 10_000, *NO_NUMBER)
same("cap", "seats[1].food", 10)
same("play", "seats[1].hand_size", -1, 9, *NO_NUMBER)
same("play", "seats[1].committed", 1, 0, "true", [], {}, True)
same("play", "seats[1].smaller_stack", -1, 3, 1, 2, *NO_NUMBER)
for base in ("start", "deal", "split", "choose"):
    same(base, "seats[1].score", 9, 11, None)
    same(base, "seats[1].food", 1)
    case(base, "seats[1].manatees", {"gray": 1}, "bags[0].gray", less, "seats[1].manatees")
same("solo", "seats[0].score", 0)
same("bonus", "seats[0].food", 3)
case(
    "play",
    *("seats[1]", None),
    "seats[1] /referee.seats[1].hand /referee.seats[0].left_hand /referee.seats[2].right_hand",
)

# Hands.
same("start", "seats[0].hand_size", 6)
case("deal", "seats[1].hand_size", 6, "seats[1].hand_size")
case("deal", "seats[2].hand_size", 1, f"{HIDDEN}hand[5]", 14, f"seats[2].hand_size {HIDDEN}hand /referee.seats[2].hand")
case("deal", "seats[0].hand_size", 4, f"{HIDDEN}hand", [0, 1, 2, 3], "seats[1].hand_size")
case("split", "phase", "DRAW_CARD", "phase")
same("split", "seats[1].hand_size", 4, 0, None, 6)
case("choose", "seats[1].hand_size", 1, "seats[1].hand_size")
case("play", "seats[0].hand_size", 0, "seats[0].hand_size")
case("play", "seats[0].hand_size", 3, f"seats {HIDDEN}hand")
case("played", "seats[2].hand_size", 8, "seats[2] /referee.seats[2].hand")
same("feed", "seats[1].hand_size", 1)
same("over", "seats[1].hand_size", 1)
same("solo", "seats[0].hand_size", 5)
same("power", "seats[0].hand_size", 4, 6)
same("weak", "seats[0].hand_size", 4)
same("solo-play", "seats[0].hand_size", 6)
same("powered", "seats[0].hand_size", 5)
same("saviour", "phase", "DRAW_BONUS")
same("sent", "seats[0].hand_size", 5)

# Cards played.
same("draw", "seats[1].tops", *NO_LIST)
same("draw", "seats[1].tops[0]", -1, 15, 2**31, *NO_NUMBER)
same("big", "seats[0].tops[0]", 24)
case("draw", "seats[1].tops", [], "seats newcomers")
case("start", "seats[1].tops", [7, 7, 7, 7, 7, 7, 7], "seats[1].tops[6]")
case("split", "seats[2].tops", [1], "seats[2]")
case("deal-2", "seats[2].tops", lambda tops: tops[1:], "seats")
case("over", "seats[2].tops", lambda tops: tops[1:], "seats")
case("feed", "seats[0].tops[0]", DELETE, "seats[0]")

# Sanctuaries. Seat 0 has card 0 to the north of its starting tile, RGPW. Seat 1 has card 1 to the east of its own.
S0, S1 = "seats[0].sanctuary", "seats[1].sanctuary"
same("draw", S0, *NO_LIST)
for junk in NO_MAPPING:
    same("draw", f"{S0}[0]", junk)
    same("draw", f"{S0}[0].cell", junk)
same("draw", f"{S0}[0].card", -1, 15, 2**31, *NO_NUMBER)
same("draw", f"{S0}[0].cell.x", -25, 25, *NO_NUMBER)
same("draw", f"{S0}[0].cell.y", -25, 25, *NO_NUMBER)
same("draw", f"{S0}[0].rotation", -1, 4, *NO_NUMBER)
same("draw", f"{S0}[0].cell", None, {}, {"x": 0, "y": 0}, DELETE)
same("draw", f"{S0}[0].cell", {"x": 2, "y": 0}, {"x": 1, "y": 1}, {"x": 24, "y": -24})
case("draw", f"{S0}[0].cell", {"x": 1, "y": 0}, f"{S0}[0]")
case("draw", f"{S0}[0].cell", {"x": -1, "y": 0}, f"{S0}[0]")
case("draw", f"{S0}[0].card", 1, f"{S0}[0]")


def laid(*cards: tuple[int, int, int, int]) -> list[Message]:
    return [{"card": card, "cell": {"x": x, "y": y}, "rotation": turns} for card, x, y, turns in cards]


SPARE = [[9] * 6 + [13] * 6, [4] * 5 + [5] * 5 + [10] * 5, [11] * 6 + [14] * 6 + [7] * 6]
"""Tops of the seats, so that 0, 1, 2, 3, 6, 8 and 12, and one each of 4 and 5, are left in the deck."""


def sanctuary(wrong: str, *cards: tuple[int, int, int, int]) -> None:
    """Seat 0 has this sanctuary at the end of the game; the faults are within it."""
    changes = [("table.seats[0].sanctuary", laid(*cards)), ("table.seats[0].tops", SPARE[0][len(cards) :])]
    at_fault = [part.partition(".") for part in wrong.split()]
    CASES.append(("roomy", changes, [f"table.{S0}[{index}]{dot}{name}" for index, dot, name in at_fault]))


def roomy() -> tuple[Message, Message]:
    """A game that is over, in which nobody has laid a card or houses a manatee."""
    position, kind = copy.deepcopy(BASES["over"])
    for seat, tops in zip(position["table"]["seats"], SPARE, strict=True):
        seat.update(sanctuary=[], tops=tops, manatees={})
    position["table"]["bags"] = [{"gray": 80, "pink": 30, "yellow": 20}]
    return position, kind


BASES["roomy"] = roomy()
# Edges: 0 RRRR, 1 GGGG, 2 PPPP, 3 RGPW, 6 RWRW, 8 PRPR, 12 RGRG.
sanctuary("1.cell", (0, 0, -1, 0), (0, 0, -1, 1))
sanctuary("1.cell", (0, 0, -1, 0), (0, 0, -3, 0))
sanctuary("1.cell", (0, 0, -1, 0), (0, 3, 3, 0), (0, 4, 3, 0))
sanctuary("1.cell 3.cell", (0, 0, -1, 0), (0, 3, 3, 0), (0, 4, 3, 0), (0, -5, 3, 0))
sanctuary("2", (0, 0, -1, 0), (1, 1, 0, 0), (2, 1, -1, 0))
sanctuary("0 1 2.cell", (2, 0, -1, 0), (0, 1, 0, 0), (1, 5, 0, 0))
# Beside the starting tile's wall only a wall goes, which completes nothing: 6 turned has walls to the north and south.
sanctuary("0", (6, -1, 0, 0))
sanctuary("1.card 1.rotation", (0, 0, -1, 0), (99, 0, -2, 7))
sanctuary("0.card", (77, 0, -1, 0), (0, 0, -2, 0))
sanctuary("1.cell.x", (0, 0, -1, 0), (0, 30, -2, 0), (0, 9, 9, 0))


# Here the flower is completed, but the inner edge, which was north, has no host: it is to the south, and to the east.
sanctuary("0", (3, 1, 0, 2))
sanctuary("0", (5, 1, 0, 1))
sanctuary("1", (0, 0, -1, 0), (4, 0, -2, 1))

# Manatees.
same("played", "seats[1].manatees", *NO_MAPPING)
for colour, most in (("gray", 80), ("pink", 30), ("yellow", 20)):
    same("played", f"seats[1].manatees.{colour}", -1, most + 1, *NO_NUMBER)
    same("played", f"bags[0].{colour}", -1, most + 1, *NO_NUMBER)
    same("draw", f"newcomers.{colour}", -1, most + 1, *NO_NUMBER)
    case("played", f"bags[0].{colour}", less, "bags")
    case("big", f"bags[1].{colour}", more, "bags")
    same("big", f"bags[1].{colour}", 2 * most + 1)
same("play", "bags", [], None, *NO_LIST)
case("play", "bags[1]", {}, "bags")
case("big", "bags[1]", DELETE, "bags")
for junk in NO_MAPPING:
    same("play", "bags[0]", junk)
case("played", "bags[0]", None, "bags")
case("played", "seats[1].manatees.gray", more, "bags")
for colour, many in (("gray", 20), ("pink", 20), ("yellow", 10)):
    case(
        "play",
        *(f"seats[0].manatees.{colour}", many, f"bags[0].{colour}", lambda old, many=many: old - many),
        "seats[0].manatees",
    )

# Newcomers and draws.
same("draw", "newcomers", *NO_MAPPING)
same("draw", "draws_left", 0, 50, -1, None, *NO_NUMBER)
case("draw", "draws_left", 2, "newcomers")
case("draw", "newcomers.gray", 1, "bags[0].gray", less, "newcomers")
case("draw", "newcomers.pink", 0, "bags[0].pink", more, "newcomers")
case("draw", "newcomers", None, "bags[0]", {"gray": 80, "pink": 30, "yellow": 20}, "newcomers")
case("draw", "seats[1].tops", [7], "newcomers")
case("draw", "turn", 2, "newcomers")
case("draw", "bags[0]", None, "bags")
for base in ("play", "feed", "over", "split", "start", "bonus", "solo", "return"):
    same(base, "draws_left", 1)
for base in ("play", "feed", "over", "split", "start", "bonus", "solo"):
    case(base, "newcomers", {"gray": 1}, "bags[0].gray", less, "newcomers")
case("return", "newcomers.gray", 0, "bags[0].gray", more, "newcomers")
case("return", "newcomers.gray", 4, "bags[0].gray", lambda old: old - 3, "newcomers")

# Food.
same("feed", "seats[0].food", 99)
case("feed", "turn", 1, "seats[1].food") if FEED.food[1] >= 9 else None

# Bonus cards.
same("play", "bonuses", [0], [1, 2, 3], *NO_LIST)
same("bonuses", "bonuses", [], None, [5, 6], [0, 1, 2, 3], *NO_LIST)
same("bonuses", "bonuses[1]", -1, 8, *NO_NUMBER)
same("bonus", "bonuses", [0, 1, 2], [0, 1, 2, 3])
case("bonuses", "bonuses", [5, 5, 0], "bonuses[1]")
case("bonuses", "bonuses", [1, 1, 1], "bonuses[2]")

# The draft.
same("choose", "seats[1].smaller_stack", 0, None, 3)
case("choose", "seats[0].smaller_stack", 2, f"{HIDDEN}made.smaller {HIDDEN}made.larger")
same("choose", f"{HIDDEN}made", None, *NO_MAPPING)
same("choose", f"{HIDDEN}made.smaller", [], None, *NO_LIST)
same("choose", f"{HIDDEN}made.smaller[0]", -1, 15, *NO_NUMBER)
same("choose", f"{HIDDEN}made.larger", [], [1, 2, 3], [1, 2, 3, 4, 4], None, *NO_LIST)
same("play", f"{HIDDEN}made", {}, {"smaller": [14], "larger": [14, 14, 14, 14]}, *NO_MAPPING)
case("split-c", "seats[2].committed", True, "seats /referee.seats[2].commitment")
case("split-c", "seats[0].committed", False, f"{HIDDEN}commitment")
case("split-c", "seats[2].committed", True, "/referee.seats[2].commitment", "split 12", "seats")
same("split", f"{HIDDEN}commitment", "split 0")
same("split-c", f"{HIDDEN}commitment", None, "", "split", "split 9", "split 5,5", "split 0,0", "split 179", "split 180")
same("split-c", f"{HIDDEN}commitment", "keep smaller", "top 0", "split 0,1,2", 3, [], {}, b"split 0", "split " * 9999)
same("choose-c", f"{HIDDEN}commitment", None, "split 0", "keep", "keep both", "decline")
same("play", f"{HIDDEN}commitment", "top 0")
case("play", "seats[0].committed", True, f"{HIDDEN}commitment", "top 0", "seats[0].committed")
same("solo", "seats[0].committed", True)
same("solo", "seats[0].smaller_stack", 1)

# Hands of the referee.
same("play", "/referee.seats", [], None, *NO_LIST)
case("play", "/referee.seats[2]", DELETE, "/referee.seats")
case("play", "/referee.seats[3]", {}, "/referee.seats")
for junk in NO_MAPPING:
    case("start", "/referee.seats[1]", junk, "/referee.seats[1]")
same("play", f"{HIDDEN}hand", [0], [], None, [0, 12, 3], *NO_LIST)
same("play", f"{HIDDEN}hand[1]", -1, 15, *NO_NUMBER)
case("play", f"{HIDDEN}hand", [0, 14], "/referee.seats[2].left_hand[0]")
case("play", f"{HIDDEN}hand", [1, 12], "/referee.seats[1].right_hand[0]")

# What is known of others' hands. Seat 0 knows 1 to 4 of seat 1 and 10, 11, 13 and 14 of seat 2.
same("play", f"{HIDDEN}left_hand", *NO_LIST, [1, 2, 3, 4, 7], [1] * 8)
same("play", f"{HIDDEN}left_hand[0]", -1, 15, 5, *NO_NUMBER)
case("play", f"{HIDDEN}left_hand[0]", 2, f"{HIDDEN}left_hand[1]")
case("play", f"{HIDDEN}left_hand[0]", 7, "/referee.seats[2].right_hand[0]")
case("play", f"{HIDDEN}right_hand[0]", 6, "/referee.seats[1].left_hand[1]")
case("two", "/referee.seats[0].right_hand", [0], f"{HIDDEN}right_hand")
for base in ("split", "choose", "feed", "over", "deal-2", "solo-play"):
    same(base, f"{HIDDEN}left_hand", [1])
    same(base, f"{HIDDEN}right_hand", [1])
same("play-b", f"{HIDDEN}right_hand", [10])
same("play-b2", f"{HIDDEN}left_hand", [GAMES["play-b2"].hands[1][0]])
same("two-b", f"{HIDDEN}left_hand", lambda old: [*old, *old, *old, *old, *old])

# An observer's knowledge.
same("o-play", "/seat_knowledge.hand", [0], [], [0, 12, 3], None, *NO_LIST)
same("o-play", "/seat_knowledge.hand[0]", -1, 15, *NO_NUMBER)
same("o-play", "/seat_knowledge.commitment", "top 0", 3)
same("o-play", "/seat_knowledge.made", {}, {"smaller": [14], "larger": [14, 14, 14, 14]})
same("o-play", "/seat_knowledge.offered", {}, {"smaller": [14], "larger": [14, 14, 14, 14]})
same("o-play", "/seat_knowledge.left_hand", [1, 2, 3, 4, 5], [1] * 8, *NO_LIST)
same("o-play", "/seat_knowledge.left_hand[1]", -1, 15, *NO_NUMBER)
same("o-play", "/seat_knowledge.right_hand", [1, 2, 3, 4, 5])
case(
    "o-play",
    "/seat_knowledge.left_hand",
    [1] * 4,
    "/seat_knowledge.right_hand",
    [1] * 3,
    "/seat_knowledge.right_hand[2]",
)
same("o-play-b", "/seat_knowledge.right_hand", [10])
same("o-solo-play", "/seat_knowledge.left_hand", [10])
same("o-solo-play", "/seat_knowledge.right_hand", [10])
same("o-two", "/seat_knowledge.right_hand", [10])
same("o-choose", "/seat_knowledge.offered", None, *NO_MAPPING)
same("o-choose", "/seat_knowledge.offered.smaller", [], [3, 4], None, *NO_LIST)
same("o-choose", "/seat_knowledge.offered.larger", [], [3, 4], None, *NO_LIST)
same("o-choose", "/seat_knowledge.made", None, *NO_MAPPING)
same("o-choose", "/seat_knowledge.hand", [1])
case("o-choose", "seats[0].smaller_stack", 2, "/seat_knowledge.offered.larger /seat_knowledge.offered.smaller")
case("o-split-c", "seats[1].committed", "no", "seats[1].committed")
same("o-split-c", "/seat_knowledge.commitment", None, "split 9", "keep smaller", 5)
case("o-split-c", "seats[0].committed", False, "/seat_knowledge.commitment")

# Solo.
same("play", "drawn", [0])
same("play", "discards", [0])
same("play", "token", 1, -1, *NO_NUMBER)
same("play", "strongest_discarded", True, 1, "no")
same("play", "sent_back", True, 1, "no")
same("solo", "drawn", [0, 1], [0, 1, 2], *NO_LIST)
same("solo", "drawn[0]", -1, 15, *NO_NUMBER)
same("pick", "drawn", [], [6], [6, 1, 1], None)
same("solo-play", "drawn", [5])
same("solo-play", "discards", [], None, [0, 1, 2, 4], [0, 1, 2, 4, 5, 5], *NO_LIST)
same("solo-play", "discards[0]", -1, 15, *NO_NUMBER)
same("solo-play", "token", -11, 11, *NO_NUMBER)
same("solo", "token", 3, -3)
same("solo-over", "token", 1)
case("solo", "discards", [], "discards")
case("solo-play", "seats[0].tops", [9], "seats[0]")
same("solo-play", "strongest_discarded", True)
same("power", "strongest_discarded", True)
case("powered", "strongest_discarded", False, "discards seats[0]")
same("powered-3", "strongest_discarded", False)
case("weak", "phase", "PLAY", "turn", 0, "seats[0].hand_size discards")
same("saviour", "sent_back", True)
case("sent", "sent_back", False, "round seats[0].hand_size")
same("solo-over", "sent_back", True)

# Faults apart from each other are all told.
case(
    "played",
    *("turn", 9),
    *("seats[0].sanctuary[0].cell.x", 99),
    *("seats[1].manatees.pink", 31),
    *("seats[2].hand_size", "x"),
    *("draws_left", 7),
    *("token", 4),
    *("/extra", 1),
    *("/referee.seats[1].commitment", "top 3"),
    "/extra draws_left seats[0].sanctuary[0].cell.x seats[1].manatees.pink seats[2].hand_size token turn "
    "/referee.seats[1].commitment",
)


@pytest.mark.parametrize("malformed", CASES, ids=name_of)
def test_malformed_positions(malformed: Case) -> None:
    base, changes, wrong = malformed
    position, kind = BASES[base]
    with pytest.raises(Malformed) as caught:
        read(changed(position, changes), **kind)
    assert paths(caught.value.violations) == sorted(wrong)
    assert all(message and len(message) < 400 for _, message in caught.value.violations)


def test_there_are_many_malformed_positions() -> None:
    assert len(CASES) >= 700


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_mapping_at_all(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed) as caught:
            read(junk, observes=observes)
        assert paths(caught.value.violations) == [""]


def test_faults_are_in_the_order_of_the_fields() -> None:
    base, changes, _ = CASES[-1]
    changes = [
        *changes,
        ("rules", {"mirror_shapes": True}),
        ("table.seats[0].tops", 3),
        ("table.seats[0].score", "x"),
        ("table.bags[0].pink", 31),
        ("table.sent_back", True),
        ("referee.seats[1].left_hand", 3),
    ]
    position, kind = BASES[base]
    with pytest.raises(Malformed) as caught:
        read(changed(position, changes), **kind)
    assert [path for path, _ in caught.value.violations] == [
        "rules.mirror_shapes",
        "table.turn",
        "table.seats[0].score",
        "table.seats[0].sanctuary[0].cell.x",
        "table.seats[0].tops",
        "table.seats[1].manatees.pink",
        "table.seats[2].hand_size",
        "table.bags[0].pink",
        "table.draws_left",
        "table.token",
        "table.sent_back",
        "referee.seats[1].commitment",
        "referee.seats[1].left_hand",
        "extra",
    ]


MESSAGES: list[tuple[str, str, Any, str]] = [
    ("split", "table.turn", 1, "expected none in SPLIT"),
    ("play", "table.turn", None, "expected the seat whose turn it is in PLAY"),
    ("play", "table.phase", "PICK", "expected no PICK outside solo"),
    (
        "played",
        "table.bags[0].gray",
        less,
        "expected 80 gray, 30 pink and 20 yellow in all, with those housed and the ",
    ),
    ("draw", "table.seats[0].sanctuary[0].cell", {"x": 1}, "its west edge has RED, and the starting tile beside it "),
    ("draw", "table.seats[0].sanctuary[0].cell", {"x": 1, "y": 1}, "hangs together with the starting tile"),
    ("start", "table.seats[0].hand_size", 6, "expected 0 to 5 cards in DRAW_CARD, not 6"),
    ("split", "table.seats[2].tops", [1], "expected 0 cards played before this draft, not 1"),
    ("over", "table.seats[2].tops", lambda tops: tops[1:], "expected 45 cards in all hands and played, 5 a seat and "),
    ("feed", "table.seats[0].food", 99, "in FEED, which is what the manatees of this seat eat"),
    ("return", "table.newcomers", {}, "has room for all of them"),
    ("draw", "table.draws_left", 2, "what a top of seat 1 brings, not 2 newcomers and 2 draws left"),
    (
        "play",
        "referee.seats[0].left_hand[0]",
        5,
        "of the hand of seat 1, less what its other neighbour knows; 5 is not",
    ),
    ("play-b", "referee.seats[0].right_hand", [10], "expected none in round 1 with blind_choice"),
    ("o-play", "seat_knowledge.hand", [0, 12, 3], "expected 2 cards, the hand_size of seat 0, not 3"),
    ("solo", "table.token", 9, "expected -2 to 2: a pick moves it by 2 at most, and this round has had 1"),
    ("split-c", "referee.seats[0].commitment", "keep larger", 'expected a "split" in SPLIT, not "keep"'),
]


@pytest.mark.parametrize(("base", "path", "value", "words"), MESSAGES)
def test_messages_say_what_to_do(base: str, path: str, value: Any, words: str) -> None:
    position, kind = BASES[base]
    with pytest.raises(Malformed) as caught:
        read(changed(position, [(path, value)]), **kind)
    assert any(words in message for _, message in caught.value.violations), caught.value.violations


@pytest.mark.parametrize(
    ("base", "path", "entry"),
    [
        ("played", "table.seats[1].sanctuary", {"card": 99}),
        ("played", "table.seats[1].sanctuary", {"card": 0, "cell": {"x": 3, "y": 3}}),
        ("played", "table.seats[1].sanctuary", None),
        ("played", "table.seats[1].tops", 0),
        ("bonuses", "table.bonuses", 77),
        ("solo", "table.drawn", 3),
        ("solo", "table.discards", 3),
        ("play", "referee.seats[1].hand", 3),
        ("play", "referee.seats[1].left_hand", 3),
        ("choose", "referee.seats[1].made.larger", 3),
        ("o-play", "seat_knowledge.hand", 3),
        ("play", "table.seats", {}),
        ("play", "table.bags", {}),
        ("play", "referee.seats", {}),
    ],
)
def test_long_lists_are_refused_soon(base: str, path: str, entry: Any) -> None:
    position, kind = BASES[base]
    with pytest.raises(Malformed) as caught:
        read(changed(position, [(path, [entry] * 100_000)]), **kind)
    assert 1 <= len(caught.value.violations) <= 1000


def test_reading_stops_at_a_thousand_faults() -> None:
    position, kind = BASES["play"]
    with pytest.raises(Malformed) as caught:
        read(changed(position, [("table.seats[1].tops", [99] * 100_000)]), **kind)
    assert len(caught.value.violations) == 1000


def test_a_wide_sanctuary_is_refused_soon() -> None:
    """As many cards as there are cells, none beside another: no more work than faults."""
    position, kind = BASES["big"]
    cells = [(x, y) for x in range(-24, 25, 2) for y in range(-24, 25, 2) if (x, y) != HOME]
    wide = [{"card": i % 24, "cell": {"x": x, "y": y}} for i, (x, y) in enumerate(cells)]
    with pytest.raises(Malformed) as caught:
        read(changed(position, [(f"table.seats[{s}].sanctuary", wide) for s in range(3)]), **kind)
    assert len(caught.value.violations) == 1000


# Random damage: refused or accepted, never anything else.

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.integers(),
    st.floats(),
    st.sampled_from([*sanctuary_position.PHASES, "UNSPECIFIED", "keep smaller", "split 3", "split 0,1"]),
    st.text(max_size=5),
    st.binary(max_size=3),
)
keys = st.one_of(st.sampled_from(sanctuary_position._FIELD_ORDER), st.text(max_size=3), st.integers(), st.none())
junk_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=8,
)


def at(message: Any, path: tuple[str | int, ...]) -> tuple[Any, Any]:
    """What holds the place at a path, and its name or index there."""
    *way, last = path
    for name in way:
        message = message[name]
    return message, last


def damage(draw: Callable[[Any], Any], message: Any) -> Any:
    """A message with one to four places in it set to junk, moved by one, removed, doubled or overwritten by another."""
    message = copy.deepcopy(message)
    for _ in range(draw(st.integers(1, 4))):
        where = places(message)
        if not where:
            return message
        inner, last = at(message, draw(st.sampled_from(where)))
        what = draw(st.sampled_from(["set", "move", "delete", "copy", "double"]))
        if what == "delete":
            del inner[last]
        elif what == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[last]))
        elif what == "copy":
            source, name = at(message, draw(st.sampled_from(where)))
            inner[last] = copy.deepcopy(source[name])
        elif what == "move" and type(inner[last]) is int:
            inner[last] += draw(st.sampled_from([-1, 1]))
        else:
            inner[last] = draw(junk_values)
    return message


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_positions(data: st.DataObject) -> None:
    position, kind = BASES[data.draw(st.sampled_from(sorted(BASES)))]
    try:
        parsed = read(damage(data.draw, position), **kind)
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        return
    # Accepted: then the reference takes it up, too.
    possible(parsed, kind)


def possible(parsed: sanctuary_position.Parsed, kind: Message) -> None:
    """A position that has been accepted is one, and for an observation there is one."""
    if parsed.observer is None:
        sound(rebuilt(parsed, **kind))
        return
    # With what is hidden dealt from the deck it is a referee's position; the observer's choice stays its own.
    assert min(parsed.deck) >= 0
    deck = [kind for kind, count in enumerate(parsed.deck) for _ in range(count)]
    seats = []
    observer = parsed.seats[parsed.observer]
    sides = (
        {1: observer.left_hand, kind["seats"] - 1: observer.right_hand}
        if kind["seats"] > 2
        else {1: observer.left_hand}
    )
    for s, seat in enumerate(parsed.seats):
        step = (s - parsed.observer) % kind["seats"]
        if step:
            known = sides.get(step, [])
            hand = known + [deck.pop() for _ in range(seat.hand_size - len(known))]
            made = None
            giver = (parsed.observer + (1 if parsed.round == 2 else -1)) % kind["seats"]
            if parsed.phase == "CHOOSE":
                cards = [deck.pop() for _ in range(5)] if parsed.offered is None or s != giver else None
                made = parsed.offered if cards is None else (cards[: seat.smaller_stack], cards[seat.smaller_stack :])
            seat = dataclasses.replace(seat, hand=sorted(hand), committed=False, commitment=None, made=made)
        seats.append(seat)
    counts = Counter(deck)
    left = [counts[card] for card in range(len(parsed.deck))]
    rest = {name: value for name, value in kind.items() if name != "observes"}
    sound(rebuilt(dataclasses.replace(parsed, seats=seats, deck=left, observer=None), **rest))


def test_every_number_matters() -> None:
    """A number that is one more or one less is refused, or the position is still one."""
    refused = accepted = 0
    for name, (position, kind) in BASES.items():
        message = copy.deepcopy(position)
        for path in places(position):
            inner, last = at(message, path)
            if type(inner[last]) is not int:
                continue
            for change in (-1, 1):
                inner[last] += change
                try:
                    parsed = read(message, **kind)
                except Malformed:
                    refused += 1
                else:
                    accepted += 1
                    assert path[-1] != "hand_size", name
                    possible(parsed, kind)
                inner[last] -= change
    assert refused > 2 * accepted > 0


@settings(max_examples=200, deadline=None)
@given(junk_values)
def test_junk_positions(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed):
            read(junk, observes=observes)
        with pytest.raises(Malformed):
            read({"table": junk}, observes=observes)


# Whole random games of the reference: what it says, the reader reads.


def options(rng: random.Random) -> Message:
    return {name: rng.choice(values) for name, values in OPTIONS.items()}


def mixes() -> list[tuple[int, Message, str]]:
    """(seats, rules, variant): every number of seats of every variant, and every challenge, with random options."""
    rng = random.Random(7)
    found: list[tuple[int, Message, str]] = [(seats, options(rng), "base") for seats in (2, 2, 3, 3, 4, 5, 6)]
    found += [
        (seats, options(rng) | {"allow_small_scramble": seats < 7}, "scramble") for seats in (2, 4, *range(7, 13))
    ]
    for challenge in CHALLENGES:
        rules = options(rng) | {"challenge": challenge}
        found.append((1, rules | ({} if challenge == "NONE" else {"round_bonuses": False}), "solo"))
    return found


MIXES = mixes()


def test_the_mixes_have_every_option() -> None:
    seen = {(name, value) for _, rules, _ in MIXES for name, value in rules.items()}
    assert seen >= {(name, value) for name, values in OPTIONS.items() for value in values}


@pytest.mark.parametrize("mix", MIXES, ids=str)
def test_games(mix: tuple[int, Message, str]) -> None:
    seats, rules, variant = mix
    rng = random.Random(MIXES.index(mix))
    game = ReferenceSanctuary(CATALOGUE, seats, rules, variant)
    game.start()
    kind = how(game)
    steps = 0
    while True:
        position = game.position()
        parsed = read(position, **kind)
        if steps % 5 == 0 or game.phase in ("DRAW_MANATEE", "RETURN", "FEED", "OVER"):
            assert plain(parsed) == expected(game, None)
            assert rebuilt(parsed, **kind).position() == position
        seat = rng.randrange(seats)
        assert plain(read(game.observe(seat), **kind, observes=True)) == expected(game, seat)
        if game.over:
            break
        step(game, rng)
        steps += 1


def much_room(seats: int, variant: str) -> tuple[Game, Message]:
    """Round 3 of a game with a catalogue in which every bottom has nine spaces."""
    catalogue = copy.deepcopy(CATALOGUE)
    for edition in catalogue["editions"]:
        for card in edition["cards"]:
            card["capacity"] = 9
            card.pop("end_game", None)
    rules = {"pooled_space": True, "allow_small_scramble": True}
    game = ReferenceSanctuary(catalogue, seats, rules, variant)
    game.start()
    rng = random.Random(seats)
    while (game.round, game.phase) != (3, "PLAY"):
        step(game, rng, bottoms=1)
    return game, catalogue


def crowd(game: Game, spare: int, colour: str) -> None:
    """Leaves so many manatees of a colour in the first bag, and none else; the first seats are full."""
    for number, bag in enumerate(game.bags):
        for seat in range(game.seats):
            for kind in COLOURS:
                while bag[kind] > (spare if (kind, number) == (colour, 0) else 0) and game._can_house(
                    seat, {**game.housed[seat], kind: game.housed[seat][kind] + 1}
                ):
                    bag[kind] -= 1
                    game.housed[seat][kind] += 1
    game.check()


def test_empty_bags() -> None:
    """What a top brings less, because the bags are empty or have none of a colour, is right."""
    rng = random.Random(2)
    seen: set[tuple[str, str]] = set()
    for seats, variant in ((6, "base"), (6, "scramble")):
        begun, catalogue = much_room(seats, variant)
        for spare in (0, 1, 2, 5):
            for colour in COLOURS:
                game = begun.clone()
                crowd(game, spare, colour)
                while not game.over and game.phase != "FEED":
                    parsed = read(game.position(), **how(game), catalogue=catalogue)
                    assert plain(parsed) == expected(game, None)
                    if game.phase in ("DRAW_MANATEE", "RETURN"):
                        own = game.bags[game.bag_of(game.current or 0)].values()
                        if not any(sum(bag.values()) for bag in game.bags):
                            seen.add((game.phase, "no manatee"))
                        elif not any(own):
                            seen.add((game.phase, "own bag empty"))
                        elif 0 in own:
                            seen.add((game.phase, "no such colour"))
                    step(game, rng, bottoms=0)
    assert seen >= {
        ("DRAW_MANATEE", "no such colour"),
        ("DRAW_MANATEE", "own bag empty"),
        ("RETURN", "no manatee"),
    }
