"""What the readers of ocean accept and refuse: notations, catalogues, positions, and reports of events."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.ocean import ReferenceOcean

from ext import ocean_catalogue, ocean_events, ocean_notation, ocean_position
from ext.errors import Malformed, Violation

Message = dict[str, Any]
DELETE = object()


def paths(violations: Iterable[Violation]) -> list[str]:
    return sorted({path for path, _ in violations})


def steps(path: str) -> list[str | int]:
    return [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]


def change(message: Any, path: str, value: Any) -> None:
    """Sets, appends (index equal to the length), deletes, or computes from the old value the field at `path`."""
    *way, last = steps(path)
    for step in way:
        message = message[step]
    if callable(value):
        value = value(message[last])
    if value is DELETE:
        del message[last]
    elif isinstance(message, list) and last == len(message):
        message.append(value)
    else:
        message[last] = value


def changed(base: Message, changes: Iterable[tuple[str, Any]]) -> Message:
    message = copy.deepcopy(base)
    for path, value in changes:
        change(message, path, copy.deepcopy(value) if not callable(value) and value is not DELETE else value)
    return message


# Valid positions, built by hand. Seat s has the cards 10 s to 10 s + 9: its ocean's in a row to the right from (0, 0),
# then the revealed one, then the hand. Its targets are 2 s and 2 s + 1.


def table(seats: int, round: int, phase: str, targets: bool = False) -> Message:
    placed = 9 if phase == "OVER" else round - 1
    return {
        "round": round,
        "phase": phase,
        "seats": [
            {
                "ocean": [{"card": 10 * s + i, "cell": {"x": i, "y": 0}} for i in range(placed)],
                "hand_size": {"PICK": 11 - round, "PLACE": 10 - round, "OVER": 1}[phase],
                "committed": False,
                "revealed_card": 10 * s + placed if phase == "PLACE" else None,
                "targets": [2 * s, 2 * s + 1] if targets and phase == "OVER" else [],
            }
            for s in range(seats)
        ],
    }


def hand(s: int, round: int, phase: str) -> list[int]:
    first = {"PICK": round - 1, "PLACE": round, "OVER": 9}[phase]
    return list(range(10 * s + first, 10 * s + 10))


def referee(seats: int, round: int, phase: str, targets: bool = False) -> Message:
    secret = targets and phase != "OVER"
    return {
        "table": table(seats, round, phase, targets),
        "referee": {
            "seats": [
                {
                    "hand": hand(s, round, phase),
                    "targets": [2 * s, 2 * s + 1] if secret else [],
                    "commitment": None,
                }
                for s in range(seats)
            ]
        },
    }


def observation(seats: int, round: int, phase: str, seat: int, targets: bool = False, passing: str = "LEFT") -> Message:
    holders = ocean_position.held(seats, passing, round, phase)
    return {
        "table": table(seats, round, phase, targets),
        "seat_knowledge": {
            "seat": seat,
            "targets": [2 * seat, 2 * seat + 1] if targets and phase != "OVER" else [],
            "commitment": None,
            "hands": [{"cards": hand(s, round, phase) if seat in holders[s] else []} for s in range(seats)],
        },
    }


MOMENTS = [(r, "PICK") for r in range(1, 10)] + [(r, "PLACE") for r in range(2, 10)] + [(9, "OVER")]


def read(
    position: Any,
    seats: int,
    *,
    targets: bool = False,
    promo: bool = False,
    topology: str = "SQUARE",
    passing: str = "LEFT",
    observes: bool | None = None,
) -> ocean_position.Parsed:
    if observes is None:
        observes = "seat_knowledge" in position
    variant = "targets" if targets else "base"
    return ocean_position.check(
        position,
        seats=seats,
        topology=topology,
        passing=passing,
        variant=variant,
        promo=promo,
        observation=observes,
    )


# Notation.


@pytest.mark.parametrize("card", range(40))
def test_pick_round_trip(card: int) -> None:
    assert ocean_notation.parse(ocean_notation.pick(card)) == ("pick", card)


def test_place_round_trip() -> None:
    for x in range(-8, 9):
        for y in range(-8, 9):
            assert ocean_notation.parse(ocean_notation.place(x, y)) == ("place", x, y)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Pick  17", "pick 17"),
        ("  PICK 0 ", "pick 0"),
        ("pick 007", "pick 7"),
        ("place 1, -2", "place 1,-2"),
        ("Place\t-8 , 8", "place -8,8"),
        ("place -0,00", "place 0,0"),
    ],
)
def test_lenient_notation(text: str, canonical: str) -> None:
    assert ocean_notation.canonical(text) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pick",
        "pick40",
        "pick 40",
        "pick -1",
        "pick 1,2",
        "pick 1 2",
        "pick \u0661",
        "pic\u212a 1",
        "pick 1\0",
        "place",
        "place 1",
        "place 1 2",
        "place 9,0",
        "place 0,-9",
        "place 1,2,3",
        "place 1.0,2",
        "place - 1,2",
        "place +1,2",
        "pick " + "9" * 5000,
        "place " + "9" * 5000 + ",0",
        "take 3",
        None,
        17,
        b"pick 1",
        ["pick 1"],
    ],
)
def test_no_notation(text: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        ocean_notation.parse(text)


@pytest.mark.parametrize("card", [-1, 40])
def test_no_card(card: int) -> None:
    with pytest.raises(ValueError, match="expected a card"):
        ocean_notation.pick(card)


@pytest.mark.parametrize("cell", [(9, 0), (0, 9), (-9, 0), (0, -9)])
def test_no_cell(cell: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected x and y"):
        ocean_notation.place(*cell)


@given(st.text(max_size=30))
def test_notation_never_fails_otherwise(text: str) -> None:
    try:
        ocean_notation.parse(text)
    except ValueError as error:
        assert "expected" in str(error)  # noqa: PT017


# Who has held a hand.


def test_held() -> None:
    assert ocean_position.held(3, "LEFT", 1, "PICK") == [{0}, {1}, {2}]
    assert ocean_position.held(3, "LEFT", 2, "PICK") == [{0, 2}, {1, 0}, {2, 1}]
    assert ocean_position.held(3, "LEFT", 2, "PLACE") == [{0, 2}, {1, 0}, {2, 1}]
    assert ocean_position.held(3, "RIGHT", 2, "PICK") == [{0, 1}, {1, 2}, {2, 0}]
    assert ocean_position.held(4, "LEFT", 3, "PICK") == [{0, 3, 2}, {1, 0, 3}, {2, 1, 0}, {3, 2, 1}]
    assert ocean_position.held(4, "ALTERNATE", 2, "PICK") == [{0, 3}, {1, 0}, {2, 1}, {3, 2}]
    # Back to the right: every hand is at home again, and has been with the left neighbour.
    assert ocean_position.held(4, "ALTERNATE", 3, "PICK") == [{0, 1}, {1, 2}, {2, 3}, {3, 0}]
    assert ocean_position.held(4, "ALTERNATE", 9, "OVER") == ocean_position.held(4, "ALTERNATE", 3, "PICK")
    assert ocean_position.held(4, "LEFT", 9, "OVER") == [{0, 1, 2, 3}] * 4


def test_directions() -> None:
    assert [ocean_position.direction("ALTERNATE", r) for r in (1, 2, 3, 8)] == ["LEFT", "RIGHT", "LEFT", "RIGHT"]
    assert {ocean_position.direction("RIGHT", r) for r in range(1, 9)} == {"RIGHT"}


@pytest.mark.parametrize(
    "call",
    [
        lambda: ocean_position.neighbours("TRIANGLE"),
        lambda: ocean_position.direction("ACROSS", 1),
        lambda: ocean_position.held(2, "ACROSS", 2, "PICK"),
        lambda: ocean_position.held(2, "LEFT", 2, "DEAL"),
        lambda: ocean_catalogue.check({}, topology="TRIANGLE"),
    ],
)
def test_unknown_words(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        call()


def test_neighbours() -> None:
    assert {name: len(ocean_position.neighbours(name)) for name in ocean_position.TOPOLOGIES} == {
        "SQUARE": 4,
        "SQUARE_DIAGONAL": 8,
        "HEX": 6,
    }
    for name in ocean_position.TOPOLOGIES:
        around = ocean_position.neighbours(name)
        assert all((-x, -y) in around for x, y in around)


# Sound positions.


@pytest.mark.parametrize("targets", [False, True])
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("round", "phase"), MOMENTS)
def test_sound_positions(round: int, phase: str, seats: int, targets: bool) -> None:
    parsed = read(referee(seats, round, phase, targets), seats, targets=targets)
    assert (parsed.round, parsed.phase, parsed.observer) == (round, phase, None)
    assert parsed.hands == [hand(s, round, phase) for s in range(seats)]
    assert parsed.targets == [[2 * s, 2 * s + 1] if targets else [] for s in range(seats)]
    for passing in ocean_position.PASSINGS:
        for seat in range(seats):
            seen = observation(seats, round, phase, seat, targets, passing)
            parsed = read(seen, seats, targets=targets, passing=passing)
            assert parsed.observer == seat
            assert parsed.hands == [known["cards"] for known in seen["seat_knowledge"]["hands"]]
            known_targets = [s for s in range(seats) if parsed.targets[s]]
            everybody = list(range(seats))
            assert known_targets == ([] if not targets else everybody if phase == "OVER" else [seat])


def test_oceans_come_in_a_connected_order() -> None:
    position = referee(2, 6, "PICK")
    cells = [(2, 0), (1, 1), (0, 0), (1, 0), (2, 1)]
    for placed, (x, y) in zip(position["table"]["seats"][0]["ocean"], cells, strict=True):
        placed["cell"] = {"x": x, "y": y}
    parsed = read(position, 2)
    assert parsed.oceans[0] == [(2, 0, 0), (3, 1, 0), (0, 2, 0), (1, 1, 1), (4, 2, 1)]
    position["table"]["seats"][0]["ocean"].reverse()
    assert read(position, 2).oceans == parsed.oceans


@pytest.mark.parametrize(
    ("cell", "topologies"),
    [
        ((0, 1), {"SQUARE", "SQUARE_DIAGONAL", "HEX"}),
        ((1, 1), {"SQUARE_DIAGONAL"}),
        ((-1, -1), {"SQUARE_DIAGONAL"}),
        ((1, -1), {"SQUARE_DIAGONAL", "HEX"}),
        ((-1, 1), {"SQUARE_DIAGONAL", "HEX"}),
        ((2, 0), set()),
    ],
)
def test_connected_in_its_topology(cell: tuple[int, int], topologies: set[str]) -> None:
    position = changed(referee(2, 3, "PICK"), [("table.seats[1].ocean[1].cell", {"x": cell[0], "y": cell[1]})])
    for topology in ocean_position.TOPOLOGIES:
        if topology in topologies:
            read(position, 2, topology=topology)
        else:
            with pytest.raises(Malformed) as caught:
                read(position, 2, topology=topology)
            assert paths(caught.value.violations) == ["table.seats[1].ocean[1].cell"]


@pytest.mark.parametrize("topology", ocean_position.TOPOLOGIES)
def test_placements_follow_the_topology(topology: str) -> None:
    around = set(ocean_position.neighbours(topology))
    for x in range(-2, 3):
        for y in range(-2, 3):
            position = referee(2, 2, "PLACE")
            position["table"]["seats"][1]["committed"] = True
            position["referee"]["seats"][1]["commitment"] = f"Place {x}, {y}"
            if (x, y) in around:
                assert read(position, 2, topology=topology).commitments == [None, f"place {x},{y}"]
            else:
                with pytest.raises(Malformed) as caught:
                    read(position, 2, topology=topology)
                assert paths(caught.value.violations) == ["referee.seats[1].commitment"]


def test_absent_fields_are_defaults() -> None:
    position = referee(2, 2, "PICK")
    for seat in position["table"]["seats"]:
        del seat["committed"], seat["revealed_card"], seat["targets"]
        del seat["ocean"][0]["cell"]
    del position["table"]["seats"][0]["ocean"][0]["card"]
    position["referee"]["seats"][0] = {"hand": position["referee"]["seats"][0]["hand"]}
    position["seat_knowledge"] = None
    position["rules"] = {"topology": "SQUARE", "passing": "UNSPECIFIED", "promo": False, "same_kind_sets": None}
    assert read(position, 2, observes=False).oceans == [[(0, 0, 0)], [(10, 0, 0)]]
    position["table"]["seats"][0]["ocean"] = [None]
    assert read(position, 2, observes=False).oceans == [[(0, 0, 0)], [(10, 0, 0)]]
    seen = observation(2, 1, "PICK", 0)
    del seen["seat_knowledge"]["seat"]
    del seen["seat_knowledge"]["hands"][1]["cards"]
    assert read(seen, 2).observer == 0


def test_observation_may_forget_and_may_wait_for_the_reveal() -> None:
    seen = observation(3, 4, "PICK", 1)
    seen["seat_knowledge"]["hands"][0]["cards"] = [9]
    seen["seat_knowledge"]["hands"][2]["cards"] = []
    for seat in seen["table"]["seats"]:
        seat["committed"] = True
    seen["seat_knowledge"]["commitment"] = "pick 13"
    parsed = read(seen, 3)
    assert parsed.committed == [True] * 3
    assert parsed.commitments == [None, "pick 13", None]
    assert parsed.hands[0] == [9]


def test_promo() -> None:
    position = changed(
        referee(2, 1, "PICK", True), [("referee.seats[1].targets", [8, 0]), ("referee.seats[0].targets", [1, 7])]
    )
    assert read(position, 2, targets=True, promo=True).targets == [[1, 7], [8, 0]]


# Malformed positions. Bases: (referee or observer's seat, seats, round, phase, targets).

BASES: dict[str, tuple[Message, dict[str, Any]]] = {
    "pick1": (referee(2, 1, "PICK"), {"seats": 2}),
    "pick4": (referee(3, 4, "PICK"), {"seats": 3}),
    "place5": (referee(2, 5, "PLACE"), {"seats": 2}),
    "over": (referee(3, 9, "OVER"), {"seats": 3}),
    "pick4t": (referee(2, 4, "PICK", True), {"seats": 2, "targets": True}),
    "place5t": (referee(4, 5, "PLACE", True), {"seats": 4, "targets": True}),
    "overt": (referee(2, 9, "OVER", True), {"seats": 2, "targets": True}),
    "overp": (referee(2, 9, "OVER", True), {"seats": 2, "targets": True, "promo": True}),
    "o-pick1": (observation(4, 1, "PICK", 2), {"seats": 4}),
    "o-pick2": (observation(4, 2, "PICK", 2), {"seats": 4}),
    "o-pick2r": (observation(4, 2, "PICK", 2, passing="RIGHT"), {"seats": 4, "passing": "RIGHT"}),
    "o-pick9a": (observation(4, 9, "PICK", 2, passing="ALTERNATE"), {"seats": 4, "passing": "ALTERNATE"}),
    "o-place3t": (observation(3, 3, "PLACE", 0, True), {"seats": 3, "targets": True}),
    "o-over": (observation(2, 9, "OVER", 1), {"seats": 2}),
    "o-overt": (observation(2, 9, "OVER", 1, True), {"seats": 2, "targets": True}),
}

# (base, changes, paths at fault): exactly these paths, no more and no fewer.
Case = tuple[str, list[tuple[str, Any]], list[str]]
CASES: list[Case] = []


def case(base: str, *pairs: Any) -> None:
    """case(base, path, value, path, value, ..., [paths at fault])"""
    *flat, expected = pairs
    CASES.append((base, list(zip(flat[::2], flat[1::2], strict=True)), expected))


def same(base: str, path: str, *values: Any) -> None:
    """Each value alone is a fault at its own path."""
    for value in values:
        case(base, path, value, [path])


junk: Any
NO_NUMBER: tuple[Any, ...] = ("3", 3.0, True, [], {}, b"3", 10**5000)
NO_MAPPING: tuple[Any, ...] = ("x", 3, True, [], [{}], b"x")
NO_LIST: tuple[Any, ...] = ("x", 3, True, {}, b"x")

# Round and phase.
same("pick4", "table.round", 0, 10, -1, None, *NO_NUMBER)
same("pick4", "table.phase", "", "UNSPECIFIED", "pick", "OCEAN_PHASE_PICK", "DEAL", None, 1, [], {})
case("pick4", "table.round", DELETE, ["table.round"])
case("pick4", "table.phase", DELETE, ["table.phase"])
case("pick1", "table.phase", "PLACE", ["table.phase"])
same("over", "table.round", 8, 1)
same("overt", "table.round", 2)
case("pick1", "table.phase", "OVER", ["table.round"])
case("pick1", "table.round", 10, "table.phase", "x", ["table.phase", "table.round"])
case("pick1", "table", None, ["table"])
case("pick1", "table", DELETE, ["table"])
same("pick1", "table", *NO_MAPPING)
case(
    "pick4",
    "table.round",
    5,
    [
        *[f"referee.seats[{s}].hand" for s in range(3)],
        *[f"table.seats[{s}].hand_size" for s in range(3)],
        *[f"table.seats[{s}].ocean" for s in range(3)],
    ],
)

# Seats.
same("pick4", "table.seats", [], *NO_LIST)
case("pick4", "table.seats[2]", DELETE, ["table.seats"])
case("pick4", "table.seats[3]", {}, ["table.seats"])
case("pick4", "table.seats[3]", "x", ["table.seats"])
for junk in NO_MAPPING:
    case("pick4", "table.seats[1]", junk, ["table.seats[1]"])
case("pick4", "table.seats[1]", None, ["table.seats[1].hand_size", "table.seats[1].ocean"])

# Oceans.
same("pick4", "table.seats[1].ocean", [], *NO_LIST)
case("pick4", "table.seats[1].ocean[2]", DELETE, ["table.seats[1].ocean"])
case("pick4", "table.seats[1].ocean[1]", DELETE, ["table.seats[1].ocean"])
case("pick4", "table.seats[1].ocean[3]", {"card": 39, "cell": {"x": 0, "y": 1}}, ["table.seats[1].ocean"])
case("pick1", "table.seats[1].ocean[0]", {"card": 39}, ["table.seats[1].ocean"])
case(
    "pick4",
    "table.seats[1].ocean[3]",
    {"card": 39, "cell": {"x": 5, "y": 1}},
    ["table.seats[1].ocean", "table.seats[1].ocean[3].cell"],
)
case("over", "table.seats[0].ocean[8]", DELETE, ["table.seats[0].ocean"])
for junk in NO_MAPPING:
    case("pick4", "table.seats[1].ocean[1]", junk, ["table.seats[1].ocean[1]"])
    case("pick4", "table.seats[1].ocean[1].cell", junk, ["table.seats[1].ocean[1].cell"])
same("pick4", "table.seats[1].ocean[1].card", -1, 40, 2**31, *NO_NUMBER)
same("pick4", "table.seats[1].ocean[1].cell.x", 9, -9, *NO_NUMBER)
same("pick4", "table.seats[1].ocean[1].cell.y", 9, -9, *NO_NUMBER)
case("pick4", "table.seats[1].ocean[1].cell", {}, ["table.seats[1].ocean[1].cell"])
case("pick4", "table.seats[1].ocean[2].cell", None, ["table.seats[1].ocean[2].cell"])
case("pick4", "table.seats[1].ocean[1].cell.x", DELETE, ["table.seats[1].ocean[1].cell"])
case("pick4", "table.seats[1].ocean[0].cell.y", 1, ["table.seats[1].ocean"])
case("pick4", "table.seats[1].ocean[2].cell.y", 1, ["table.seats[1].ocean[2].cell"])
case("pick4", "table.seats[1].ocean[1].cell.y", 4, ["table.seats[1].ocean[1].cell", "table.seats[1].ocean[2].cell"])
# Several cards beyond one gap are one fault; two groups are two.
case(
    "over",
    *("table.seats[2].ocean[3].cell", {"x": -1, "y": 0}),
    ["table.seats[2].ocean[4].cell"],
)
case(
    "over",
    *("table.seats[2].ocean[3].cell", {"x": -1, "y": 0}),
    *("table.seats[2].ocean[6].cell", {"x": 0, "y": 1}),
    ["table.seats[2].ocean[4].cell", "table.seats[2].ocean[7].cell"],
)

# A card in two places: the later one is at fault, oceans before revealed cards before hands.
case("pick4", "table.seats[1].ocean[2].card", 11, ["table.seats[1].ocean[2].card"])
case("pick4", "table.seats[0].ocean[2].card", 10, ["table.seats[1].ocean[0].card"])
case("pick4", "table.seats[0].ocean[2].card", 5, ["referee.seats[0].hand[2]"])
case("pick4", "table.seats[0].ocean[2].card", 29, ["referee.seats[2].hand[6]"])
case("place5", "table.seats[0].revealed_card", 12, ["table.seats[0].revealed_card"])
case("place5", "table.seats[0].revealed_card", 14, ["table.seats[1].revealed_card"])
case("place5", "table.seats[0].revealed_card", 15, ["referee.seats[1].hand[0]"])
case("place5", "referee.seats[0].hand[0]", 4, ["referee.seats[0].hand[0]"])
case("place5", "referee.seats[0].hand[0]", 16, ["referee.seats[1].hand[1]"])
case("pick4", "referee.seats[0].hand[1]", 3, ["referee.seats[0].hand[1]"])
case("o-pick2", "seat_knowledge.hands[3].cards[0]", 22, ["seat_knowledge.hands[3].cards[0]"])
case("o-pick2", "seat_knowledge.hands[2].cards[0]", 0, ["seat_knowledge.hands[2].cards[0]"])
case("o-place3t", "seat_knowledge.hands[0].cards[0]", 2, ["seat_knowledge.hands[0].cards[0]"])

# Hand sizes.
same("pick4", "table.seats[1].hand_size", 6, 8, 0, -1, 11, None, *NO_NUMBER)
same("place5", "table.seats[1].hand_size", 4, 6)
same("over", "table.seats[1].hand_size", 0, 2)

# Commitments of a referee's position.
same("pick4", "table.seats[1].committed", 1, 0, "true", [], {})
same("over", "table.seats[1].committed", True)
case("pick4", "table.seats[1].committed", True, ["referee.seats[1].commitment"])
case("pick4", "referee.seats[1].commitment", "pick 13", ["referee.seats[1].commitment"])
case("over", "referee.seats[1].commitment", "pick 19", ["referee.seats[1].commitment"])
for junk in (
    *("pick 3", "pick 12", "pick 40", "pick", "place 0,1", "", "x" * 5000),
    *(17, True, {"pick": {"card": 13}}, [], b"pick 13"),
):
    case(
        "pick4",
        *("table.seats[1].committed", True),
        *("referee.seats[1].commitment", junk),
        ["referee.seats[1].commitment"],
    )
for junk in ("pick 15", "place 0,0", "place 3,0", "place 5,0", "place 1,2", "place -1,-1", "place 9,9", "place", 3):
    case(
        "place5",
        *("table.seats[1].committed", True),
        *("referee.seats[1].commitment", junk),
        ["referee.seats[1].commitment"],
    )
case(
    "place5",
    *("table.seats[0].committed", True),
    *("referee.seats[0].commitment", "place 0,1"),
    *("table.seats[1].committed", True),
    *("referee.seats[1].commitment", "place 0,1"),
    ["table.seats"],
)

# Revealed cards.
case("place5", "table.seats[1].revealed_card", None, ["table.seats[1].revealed_card"])
case("place5", "table.seats[1].revealed_card", DELETE, ["table.seats[1].revealed_card"])
same("place5", "table.seats[1].revealed_card", -1, 40, *NO_NUMBER)
same("pick4", "table.seats[1].revealed_card", 0, 39, 13, "x")
same("over", "table.seats[1].revealed_card", 39)

# Hands.
same("pick4", "referee.seats[1].hand", None, [], [13], *NO_LIST)
case("pick4", "referee.seats[1].hand[7]", 39, ["referee.seats[1].hand"])
case("pick4", "referee.seats[1].hand[6]", DELETE, ["referee.seats[1].hand"])
same("pick4", "referee.seats[1].hand[0]", -1, 40, *NO_NUMBER)
case("over", "referee.seats[1].hand", [], ["referee.seats[1].hand"])
case("over", "referee.seats[1].hand[1]", 39, ["referee.seats[1].hand"])

# The referee's and the seat's knowledge.
case("pick4", "referee", None, ["referee"])
case("pick4", "referee", DELETE, ["referee"])
same("pick4", "referee", *NO_MAPPING)
case("pick4", "seat_knowledge", {}, ["seat_knowledge"])
case("pick4", "seat_knowledge", BASES["o-pick1"][0]["seat_knowledge"], ["seat_knowledge"])
case("pick4", "referee", DELETE, "seat_knowledge", {}, ["seat_knowledge"])
same("pick4", "referee.seats", None, [], *NO_LIST)
case("pick4", "referee.seats[2]", DELETE, ["referee.seats"])
case("pick4", "referee.seats[3]", {}, ["referee.seats"])
for junk in NO_MAPPING:
    case("pick4", "referee.seats[1]", junk, ["referee.seats[1]"])
case("pick4", "referee.seats[1]", None, ["referee.seats[1].hand"])
case("o-pick1", "seat_knowledge", None, ["seat_knowledge"])
case("o-pick1", "seat_knowledge", DELETE, ["seat_knowledge"])
case("o-pick1", "referee", {}, ["referee"])
case("o-pick1", "referee", {"seats": []}, "seat_knowledge", DELETE, ["referee"])
for junk in NO_MAPPING:
    case("o-pick1", "seat_knowledge", junk, ["seat_knowledge"])

# Targets.
same("pick4", "table.seats[0].targets", [0, 1], [0], *NO_LIST)
same("pick4", "referee.seats[0].targets", [0, 1], [0], *NO_LIST)
same("over", "table.seats[0].targets", [0, 1])
same("over", "referee.seats[0].targets", [0, 1])
same("pick4t", "table.seats[0].targets", [6, 7], [0, 1])
same("pick4t", "referee.seats[0].targets", None, [], [0], [0, 1, 7], *NO_LIST)
same("pick4t", "referee.seats[0].targets[1]", 0, 8, -1, *NO_NUMBER)
case("pick4t", "referee.seats[1].targets[1]", 0, ["referee.seats[1].targets[1]"])
case("pick4t", "referee.seats[0].targets[1]", 3, ["referee.seats[1].targets[1]"])
case("place5t", "referee.seats[3].targets", [0, 1], ["referee.seats[3].targets[0]", "referee.seats[3].targets[1]"])
same("overt", "table.seats[0].targets", None, [], [7], [0, 1, 7])
same("overt", "table.seats[1].targets[0]", 0, 8, 1)
same("overp", "table.seats[1].targets[0]", 0, 9, 1)
same("overt", "referee.seats[0].targets", [0, 1], [6, 7])
same("o-place3t", "seat_knowledge.targets", None, [], [0], [0, 1, 2])
same("o-place3t", "seat_knowledge.targets[1]", 0, 8)
same("o-place3t", "table.seats[0].targets", [0, 1])
same("o-pick1", "seat_knowledge.targets", [0, 1])
same("o-overt", "seat_knowledge.targets", [2, 3])
same("o-over", "seat_knowledge.targets", [2, 3])

# What one seat knows.
same("o-pick1", "seat_knowledge.seat", 4, -1, *NO_NUMBER)
case("o-pick1", "seat_knowledge.seat", None, ["seat_knowledge.hands[0].cards", "seat_knowledge.hands[2].cards"])
same("o-pick1", "seat_knowledge.hands", None, [], *NO_LIST)
case("o-pick1", "seat_knowledge.hands[3]", DELETE, ["seat_knowledge.hands"])
case("o-pick1", "seat_knowledge.hands[4]", {}, ["seat_knowledge.hands"])
for junk in NO_MAPPING:
    case("o-pick1", "seat_knowledge.hands[1]", junk, ["seat_knowledge.hands[1]"])
case("o-pick1", "seat_knowledge.hands[2]", None, ["seat_knowledge.hands[2].cards"])
same("o-pick1", "seat_knowledge.hands[2].cards", [], [20], *NO_LIST)
same("o-pick1", "seat_knowledge.hands[2].cards[0]", 40, -1, "x")
case("o-pick1", "seat_knowledge.hands[2].cards[0]", 21, ["seat_knowledge.hands[2].cards[1]"])
same("o-pick1", "seat_knowledge.hands[1].cards", [10], [39], ["x"], *NO_LIST)
same("o-pick2", "seat_knowledge.hands[0].cards", [1], [1, 2])
same("o-pick2", "seat_knowledge.hands[1].cards", [11])
case("o-pick2", "seat_knowledge.hands[3].cards[8]", 31, ["seat_knowledge.hands[3].cards[8]"])
case("o-pick2", "seat_knowledge.hands[3].cards[9]", 1, ["seat_knowledge.hands[3].cards"])
same("o-pick2r", "seat_knowledge.hands[0].cards", [1])
same("o-pick2r", "seat_knowledge.hands[3].cards", [31])
case("o-pick2r", "seat_knowledge.hands[1].cards[9]", 1, ["seat_knowledge.hands[1].cards"])
same("o-pick9a", "seat_knowledge.hands[3].cards", [38])
same("o-pick9a", "seat_knowledge.hands[0].cards", [8])
case("o-pick9a", "seat_knowledge.hands[1].cards[2]", 8, ["seat_knowledge.hands[1].cards"])
case("o-pick1", "seat_knowledge.commitment", "pick 20", ["seat_knowledge.commitment"])
case("o-pick1", "table.seats[2].committed", True, ["seat_knowledge.commitment"])
for junk in ("pick 1", "pick 39", "place 0,1", "x", 20, {"pick": {"card": 20}}):
    case(
        "o-pick1",
        *("table.seats[2].committed", True),
        *("seat_knowledge.commitment", junk),
        ["seat_knowledge.commitment"],
    )
case("o-over", "table.seats[0].committed", True, ["table.seats[0].committed"])
case("o-over", "seat_knowledge.commitment", "pick 19", ["seat_knowledge.commitment"])
case("o-over", "seat_knowledge.hands[1].cards", [], ["seat_knowledge.hands[1].cards"])
case(
    "o-pick1",
    "table.seats[0].committed",
    True,
    "seat_knowledge.hands[0].commitment",
    "pick 1",
    ["seat_knowledge.hands[0].commitment"],
)

# Unknown fields.
for base, where in (
    *(("pick4", ""), ("pick4", "table."), ("pick4", "table.seats[1]."), ("pick4", "table.seats[1].ocean[1].")),
    *(("pick4", "table.seats[1].ocean[1].cell."), ("pick4", "referee."), ("pick4", "referee.seats[1].")),
    *(("o-pick1", "seat_knowledge."), ("o-pick1", "seat_knowledge.hands[0].")),
):
    case(base, f"{where}tables", 1, [f"{where}tables"])
case("pick4", "table", lambda old: {**old, 7: 1}, ["table"])
case("pick4", "table", lambda old: {**old, "a b": 1, "x" * 5000: 1}, ["table"])

# Rules.
same("pick4", "rules", *NO_MAPPING)
case("pick4", "rules", {"topology": "HEX"}, ["rules.topology"])
case("pick4", "rules", {"topology": "OCEAN_TOPOLOGY_SQUARE"}, ["rules.topology"])
case("pick4", "rules", {"passing": "RIGHT"}, ["rules.passing"])
case("pick4", "rules", {"passing": 1, "target_match": "NEARLY"}, ["rules.passing", "rules.target_match"])
case("pick4", "rules", {"promo": True, "mirror_targets": 1}, ["rules.mirror_targets", "rules.promo"])
case("pick4", "rules", {"colour": 1}, ["rules.colour"])

# Faults apart from each other are all told.
case(
    "place5",
    *("table.seats[0].hand_size", 9),
    *("table.seats[1].ocean[0].cell.x", 99),
    *("referee.seats[0].hand[4]", 44),
    *("referee.seats[1].targets", [1]),
    *("extra", 1),
    [
        *("extra", "referee.seats[0].hand[4]", "referee.seats[1].targets", "table.seats[0].hand_size"),
        "table.seats[1].ocean[0].cell.x",
    ],
)


def name_of(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 3:
        first = value[1][0][0] if value[1] else ""
        return f"{value[0]}:{first}"
    return ""


@pytest.mark.parametrize("malformed", CASES, ids=name_of)
def test_malformed_positions(malformed: Case) -> None:
    base, changes, expected = malformed
    sound, how = BASES[base]
    position = changed(sound, changes)
    with pytest.raises(Malformed) as caught:
        read(position, observes="seat_knowledge" in sound, **how)
    assert paths(caught.value.violations) == sorted(expected)
    assert all(message and len(message) < 400 for _, message in caught.value.violations)


def test_there_are_many_malformed_positions() -> None:
    assert len(CASES) >= 200
    for base, (position, how) in BASES.items():
        assert read(position, **how).round == position["table"]["round"], base


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_mapping_at_all(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed) as caught:
            read(junk, 2, observes=observes)
        assert paths(caught.value.violations) == [""]


def test_faults_are_in_the_order_of_the_fields() -> None:
    position = changed(
        BASES["pick4t"][0],
        [
            ("referee.seats[1].hand[0]", 77),
            ("table.seats[1].committed", 1),
            ("table.seats[0].targets", [0]),
            ("table.seats[1].ocean[0].card", 77),
            ("table.seats[0].hand_size", 3),
            ("rules", {"topology": "HEX"}),
        ],
    )
    with pytest.raises(Malformed) as caught:
        read(position, 2, targets=True)
    assert [path for path, _ in caught.value.violations] == [
        "rules.topology",
        "table.seats[0].hand_size",
        "table.seats[0].targets",
        "table.seats[1].ocean[0].card",
        "table.seats[1].committed",
        "referee.seats[1].hand[0]",
    ]


def test_reading_stops_at_a_thousand_faults() -> None:
    position = changed(BASES["pick4"][0], [("table.seats[1].ocean", [{"card": 99}] * 100_000)])
    with pytest.raises(Malformed) as caught:
        read(position, 3)
    assert len(caught.value.violations) == 1000
    broken: Message = {"cards": [{}] * 100_000}
    assert len(ocean_catalogue.check(broken)) == 1000


# Random damage: refused or accepted, never anything else.

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-12, 45),
    st.integers(),
    st.floats(),
    st.sampled_from(
        ["PICK", "PLACE", "OVER", "LEFT", "pick 3", "pick 12", "place 0,1", "place 1,0", "OCEAN_KIND_TINY"]
    ),
    st.text(max_size=5),
    st.binary(max_size=3),
)
keys = st.one_of(st.sampled_from(ocean_position._FIELD_ORDER), st.text(max_size=3), st.integers(), st.none())
junk_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=8,
)


def places(message: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(message, dict):
        for key, value in message.items():
            found += places(value, (*path, key))
    elif isinstance(message, list):
        for i, value in enumerate(message):
            found += places(value, (*path, i))
    return found


def damage(draw: Callable[[Any], Any], message: Any) -> Any:
    message = copy.deepcopy(message)
    for _ in range(draw(st.integers(1, 4))):
        where = places(message)
        if not where:
            return message
        *way, last = draw(st.sampled_from(where))
        inner = message
        for step in way:
            inner = inner[step]
        what = draw(st.sampled_from(["set", "delete", "copy", "double"]))
        if what == "delete":
            del inner[last]
        elif what == "double" and isinstance(inner, list):
            inner.append(copy.deepcopy(inner[last]))
        elif what == "copy":
            *from_way, from_last = draw(st.sampled_from(where))
            source = message
            try:
                for step in from_way:
                    source = source[step]
                inner[last] = copy.deepcopy(source[from_last])
            except (KeyError, IndexError, TypeError):
                inner[last] = None
        else:
            inner[last] = draw(junk_values)
    return message


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_damaged_positions(data: st.DataObject) -> None:
    base, how = BASES[data.draw(st.sampled_from(sorted(BASES)))]
    position = damage(data.draw, base)
    try:
        parsed = read(position, observes="seat_knowledge" in base, **how)
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        return
    # Accepted: then every card is in one place, and the oceans grow from the first card.
    cards = [card for ocean in parsed.oceans for card, _, _ in ocean]
    cards += [card for card in parsed.revealed if card is not None]
    cards += [card for held in parsed.hands for card in held]
    assert len(cards) == len(set(cards))
    for ocean in parsed.oceans:
        for i, (_, x, y) in enumerate(ocean):
            before = {(a, b) for _, a, b in ocean[:i]}
            assert (x, y) == (0, 0) if i == 0 else ocean_position.is_free_neighbour(before, (x, y), "SQUARE")


@settings(max_examples=200, deadline=None)
@given(junk_values)
def test_junk_positions(junk: Any) -> None:
    for observes in (False, True):
        with pytest.raises(Malformed):
            read(junk, 2, observes=observes)


# Catalogues.

KINDS = [kind for kind, count in ocean_catalogue.COUNTS.items() for _ in range(count)]
CATALOGUE: Message = {
    "id": "test-catalogue-1",
    "about": "Invented for tests.",
    "cards": [
        {
            "name": f"Card {i}",
            "scientific_name": f"Carta {chr(97 + i // 26)}{chr(97 + i % 26)}",
            "kind": kind,
            "condition": ocean_catalogue.CONDITIONS[i % 17],
            "iucn_category": ocean_catalogue.IUCN_CATEGORIES[i % 8],
            "note": "",
        }
        for i, kind in enumerate(KINDS)
    ],
    "targets": [
        {
            "name": f"Target {i}",
            "points": 10 + i,
            "square": [
                {"x": x % 3, "y": x // 3, "kinds": ["OCEAN_KIND_TINY", KINDS[i]] if x == i else []} for x in range(9)
            ],
            "hex": [{"x": x % 3, "y": x // 3, "kinds": [KINDS[5 * i]] if x == i else []} for x in range(9)],
        }
        for i in range(8)
    ],
    "promo_name": "Promo",
}

CATALOGUE_CASES: list[tuple[list[tuple[str, Any]], list[str]]] = []


def fault(*pairs: Any) -> None:
    """fault(path, value, ..., [paths at fault])"""
    *flat, expected = pairs
    CATALOGUE_CASES.append((list(zip(flat[::2], flat[1::2], strict=True)), expected))


def faults(path: str, *values: Any) -> None:
    for value in values:
        fault(path, value, [path])


NO_TEXT: tuple[Any, ...] = (3, True, [], {}, b"x")
faults("id", None, DELETE, "", "A", "a_b", "a b", "é", "a\n", "x" * 65, *NO_TEXT)
faults("about", None, DELETE, "", "  ", "x" * 2001, *NO_TEXT)
faults("cards", *NO_LIST)
faults("cards[3]", None, *NO_MAPPING)
faults("cards[3].name", None, DELETE, "", " ", "x" * 65, "Card 2", *NO_TEXT)
fault("cards[3].name", "Card 5", ["cards[5].name"])
fault("cards[3].name", "Target 5", ["targets[5].name"])
fault("promo_name", "Card 5", ["promo_name"])
faults("cards[3].scientific_name", "x" * 81, *NO_TEXT)
faults("cards[3].note", "x" * 401, *NO_TEXT)
faults("cards[3].kind", None, DELETE, "", "PLANT", "OCEAN_KIND_UNSPECIFIED", "ocean_kind_plant", 1, [], {})
faults("cards[3].condition", None, DELETE, "FLAT", "OCEAN_CONDITION_UNSPECIFIED", "OCEAN_KIND_PLANT", 1, [])
faults("cards[3].iucn_category", None, DELETE, "OCEAN_IUCN_CATEGORY_UNSPECIFIED", "LEAST_CONCERN", 4, [])
fault("cards[39]", DELETE, ["cards"])
fault("cards[40]", {**CATALOGUE["cards"][0], "name": "One more"}, ["cards"])
fault("cards", [], ["cards"])
fault("cards", None, ["cards"])
fault("cards", DELETE, ["cards"])
fault("cards[3].kind", "OCEAN_KIND_TINY", ["cards"])
faults("targets", *NO_LIST)
fault("targets[7]", DELETE, ["targets"])
fault("targets[8]", {**CATALOGUE["targets"][0], "name": "One more"}, ["targets"])
faults("targets[2]", None, *NO_MAPPING)
faults("targets[2].name", None, DELETE, "", "x" * 65, "Target 1", "Card 1", *NO_TEXT)
faults("targets[2].points", None, DELETE, 0, 100, -1, *NO_NUMBER)
for shape in ("square", "hex"):
    faults(f"targets[2].{shape}", None, DELETE, [], *NO_LIST)
    fault(f"targets[2].{shape}[9]", {"x": 5}, [f"targets[2].{shape}"])
    # Cell 1 given as (0, 0) is cell 0 again, given as (2, 0) it is cell 2: told at the later one.
    faults(f"targets[2].{shape}[1]", {}, None, *NO_MAPPING)
    fault(f"targets[2].{shape}[1]", {"x": 2}, [f"targets[2].{shape}[2]"])
    faults(f"targets[2].{shape}[1].x", 9, -9, *NO_NUMBER)
    faults(f"targets[2].{shape}[1].y", 9, -9, *NO_NUMBER)
    faults(f"targets[2].{shape}[1].kinds", *NO_LIST)
    fault(f"targets[2].{shape}[1].kinds[0]", "OCEAN_KIND_UNSPECIFIED", [f"targets[2].{shape}[1].kinds[0]"])
    fault(f"targets[2].{shape}[1].kinds[0]", "TINY", [f"targets[2].{shape}[1].kinds[0]"])
    fault(f"targets[2].{shape}[1].kinds[0]", 3, [f"targets[2].{shape}[1].kinds[0]"])
    fault(f"targets[2].{shape}[1].kinds[0]", {}, [f"targets[2].{shape}[1].kinds[0]"])
    twice = ["OCEAN_KIND_TINY", "OCEAN_KIND_CORAL", "OCEAN_KIND_TINY"]
    fault(f"targets[2].{shape}[1].kinds", twice, [f"targets[2].{shape}[1].kinds[2]"])
faults("promo_name", " ", "x" * 65, *NO_TEXT)
for where in ("", "cards[3].", "targets[2].", "targets[2].hex[1]."):
    fault(f"{where}colour", 1, [f"{where}colour"])
fault("id", "", "cards[3].note", 3, "targets[0].points", 0, ["cards[3].note", "id", "targets[0].points"])


def test_sound_catalogue() -> None:
    assert ocean_catalogue.check(CATALOGUE) == []
    for topology in (None, *ocean_position.TOPOLOGIES):
        assert ocean_catalogue.check(CATALOGUE, targets=True, promo=True, whole_shape=True, topology=topology) == []
    bare = changed(CATALOGUE, [("targets", DELETE), ("promo_name", DELETE), ("cards[0].note", DELETE)])
    assert ocean_catalogue.check(bare) == []
    assert paths(ocean_catalogue.check(bare, targets=True)) == ["targets"]
    assert paths(ocean_catalogue.check(bare, targets=True, promo=True)) == ["promo_name", "targets"]
    assert paths(ocean_catalogue.check(changed(CATALOGUE, [("promo_name", "")]), promo=True)) == ["promo_name"]


@pytest.mark.parametrize("malformed", CATALOGUE_CASES, ids=lambda c: c[0][0][0])
def test_malformed_catalogues(malformed: tuple[list[tuple[str, Any]], list[str]]) -> None:
    changes, expected = malformed
    catalogue = changed(CATALOGUE, changes)
    assert paths(ocean_catalogue.check(catalogue)) == sorted(expected)
    ocean_catalogue.warnings(catalogue)


@pytest.mark.parametrize("junk", [None, [], "x", 3, object()])
def test_no_catalogue(junk: Any) -> None:
    assert paths(ocean_catalogue.check(junk)) == [""]
    assert ocean_catalogue.warnings(junk) == []


def test_each_kind_that_is_off_is_told() -> None:
    catalogue = changed(CATALOGUE, [("cards[0].kind", "OCEAN_KIND_CORAL"), ("cards[39].kind", "OCEAN_KIND_TINY")])
    messages = [message for path, message in ocean_catalogue.check(catalogue) if path == "cards"]
    assert len(messages) == 4
    assert "expected 7 cards of OCEAN_KIND_PLANT, not 6" in messages
    # Two unreadable cards hide one kind that lacks a card, but not one that has a card too many.
    catalogue = changed(
        CATALOGUE, [("cards[0].kind", 3), ("cards[1].kind", "x"), ("cards[39].kind", "OCEAN_KIND_TINY")]
    )
    found = ocean_catalogue.check(catalogue)
    assert paths(found) == ["cards", "cards[0].kind", "cards[1].kind"]
    assert any("expected 3 cards of OCEAN_KIND_TINY, not 4" in message for _, message in found)


def test_whole_shape_tells_of_patterns_that_never_match() -> None:
    catalogue = changed(CATALOGUE, [("targets[1].square[8]", DELETE), ("targets[2].hex[8]", DELETE)])
    assert ocean_catalogue.check(catalogue, targets=True) == []
    both = ["targets[1].square", "targets[2].hex"]
    assert paths(ocean_catalogue.check(catalogue, whole_shape=True)) == both
    assert paths(ocean_catalogue.check(catalogue, whole_shape=True, topology="HEX")) == both[1:]
    assert paths(ocean_catalogue.check(catalogue, whole_shape=True, topology="SQUARE")) == both[:1]
    assert paths(ocean_catalogue.warnings(catalogue)) == both


ANY_NINE = [{"x": x % 3, "y": x // 3} for x in range(9)]


@pytest.mark.parametrize(
    ("changes", "expected", "words"),
    [
        ([], [], ""),
        ([("cards[39].condition", "OCEAN_CONDITION_FLAT"), ("cards[5].condition", "OCEAN_CONDITION_FLAT"),
          ("cards[22].condition", "OCEAN_CONDITION_FLAT")], ["cards"], "OCEAN_CONDITION_EACH_SMALL"),
        ([("cards[3].name", "card  2")], ["cards[3].name"], "spaces"),
        ([("cards[3].name", "card 2")], ["cards[3].name"], "worded like cards[2].name"),
        ([("promo_name", "TARGET 1")], ["promo_name"], "worded like targets[1].name"),
        ([("cards[3].scientific_name", "Carta aa")], ["cards[3].scientific_name"], "cards[0].scientific_name"),
        ([("targets[1].square", ANY_NINE), ("targets[1].hex", ANY_NINE), ("targets[4].square", ANY_NINE),
          ("targets[4].hex", [{"x": c["x"] - 4, "y": c["y"] + 2} for c in ANY_NINE])], ["targets[4]"], "targets[1]"),
        ([("targets[1].square", [{"kinds": []}])], ["targets[1].square"], "WHOLE_SHAPE"),
        ([("targets[1].square[8]", {"x": 3, "y": 2})], ["targets[1].square"], "never matches in SQUARE:"),
        ([("targets[1].hex[8]", {"x": 5, "y": 5})], ["targets[1].hex"], "do not reach"),
        ([("targets[1].hex", [{"x": x, "kinds": ["OCEAN_KIND_TINY"]} for x in range(4)])], ["targets[1].hex"],
         "not 4 cards of OCEAN_KIND_TINY"),
        ([("targets[1].hex", [{"x": x, "kinds": ["OCEAN_KIND_TINY", "OCEAN_KIND_CARNIVORE"]} for x in range(7)])],
         ["targets[1].hex"], "not 7 cards"),
    ],
)  # fmt: skip
def test_warnings(changes: list[tuple[str, Any]], expected: list[str], words: str) -> None:
    catalogue = changed(CATALOGUE, changes)
    assert ocean_catalogue.check(catalogue) == []
    found = ocean_catalogue.warnings(catalogue)
    assert paths(found) == expected
    assert all(words in message for _, message in found[:1])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_catalogues(data: st.DataObject) -> None:
    catalogue = damage(data.draw, CATALOGUE)
    assert len(ocean_catalogue.check(catalogue, targets=True, promo=True, whole_shape=True)) <= 1000
    ocean_catalogue.warnings(catalogue)


@settings(max_examples=100, deadline=None)
@given(junk_values)
def test_junk_catalogues(junk: Any) -> None:
    assert ocean_catalogue.check(junk)
    ocean_catalogue.warnings(junk)


# Events and reports, in whole games played by the reference.

GAMES = [
    (seats, topology, passing, targets, promo)
    for seats in (2, 3, 4)
    for topology in ocean_position.TOPOLOGIES
    for passing in ocean_position.PASSINGS
    for targets, promo in ((False, False), (True, False), (True, True))
]


class Game:
    """A random game, and what each reader says of it."""

    def __init__(self, seats: int, topology: str, passing: str, targets: bool, promo: bool, seed: int) -> None:
        self.random = random.Random(seed)
        self.seats = seats
        self.targets = targets
        self.topology = topology
        self.passing = passing
        self.promo = promo
        rules = {"topology": topology, "passing": passing, "promo": promo}
        self.game = ReferenceOcean(CATALOGUE, seats, rules, targets)
        cards = self.random.sample(range(40), 40)
        held = self.random.sample(range(9 if promo else 8), 8) if targets else []
        self.game.deal(cards, held)

    def report(self, seen: Message, events: list[Message], exact: bool = True) -> Message:
        how: dict[str, Any] = {"topology": self.topology, "promo": self.promo} if exact else {}
        variant = "targets" if self.targets else "base"
        before = copy.deepcopy((seen, events))
        after = ocean_events.report(seen, events, seats=self.seats, passing=self.passing, variant=variant, **how)
        assert (seen, events) == before
        return after

    def read(self, position: Message) -> ocean_position.Parsed:
        return read(
            position,
            self.seats,
            targets=self.targets,
            promo=self.promo,
            topology=self.topology,
            passing=self.passing,
        )

    def step(self) -> tuple[Message, int, str, list[Message], Message]:
        game = self.game
        before = game.position()
        seat = self.random.choice(game.pending())
        move = self.random.choice(game.moves(seat))
        events = game.play(seat, move)
        return before, seat, move, events, game.position()


def seen_by(seat: int, events: list[Message]) -> list[Message]:
    return [event for event in events if event.get("private_to", seat) == seat]


@pytest.mark.parametrize("how", GAMES, ids=str)
def test_games(how: tuple[int, str, str, bool, bool]) -> None:
    seats = how[0]
    play = Game(*how, seed=GAMES.index(how))
    game = play.game
    views = [game.observe(s) for s in range(seats)]
    # Of one who commits nothing and hears of the own choice at the reveal, several events at a time.
    late = [game.observe(s) for s in range(seats)]
    heard: list[list[Message]] = [[] for _ in range(seats)]
    while not game.over:
        before, seat, move, events, after = play.step()
        assert ocean_events.events(before, seat, move, after, passing=play.passing) == events
        assert play.read(after).observer is None
        views[seat] = ocean_events.commit(views[seat], move, topology=play.topology)
        if len(events) == 1:
            assert views[seat] == game.observe(seat)
        for s in range(seats):
            mine = seen_by(s, events)
            if play.random.random() < 0.5:
                mine = [event for event in mine if "passed" not in event]
            if play.random.random() < 0.5:
                mine = copy.deepcopy(mine)
                for event in mine:
                    event.pop("private_to", None)
                    if "received" in event:
                        del event["received"]["seat"]
                    if "revealed" in event:
                        play.random.shuffle(event["revealed"]["moves"])
                        event["revealed"]["moves"] = [m for m in event["revealed"]["moves"] if m["seat"] != s]
            views[s] = play.report(views[s], mine, exact=play.random.random() < 0.5)
            assert views[s] == game.observe(s)
            assert play.read(views[s]).observer == s
            heard[s] += seen_by(s, events)
            if len(events) > 1 and play.random.random() < 0.7:
                late[s] = play.report(late[s], heard[s])
                heard[s] = []
                assert late[s] == game.observe(s)
    for s in range(seats):
        assert play.report(late[s], heard[s]) == game.observe(s)


@pytest.mark.parametrize("passing", ocean_position.PASSINGS)
def test_known_hands_need_no_report(passing: str) -> None:
    """With two seats every hand is known from round 2 on, so that received can be left out."""
    play = Game(2, "SQUARE", passing, False, False, seed=3)
    view = play.game.observe(0)
    while not play.game.over:
        _, _, _, events, after = play.step()
        mine = seen_by(0, events)
        if after["table"]["round"] > 2:
            mine = [event for event in mine if "received" not in event and "ended" not in event]
        # Its own choice comes with the reveal only.
        if mine == [{"committed": {"seat": 0}}]:
            mine = []
        view = play.report(view, mine)
        if play.game.commitments[0] is None:
            assert view == play.game.observe(0)


def test_an_observation_keeps_its_rules() -> None:
    seen = {"rules": {"topology": "HEX", "promo": False}, **observation(2, 2, "PLACE", 0)}
    assert ocean_events.commit(seen, "Place 1, -1")["rules"] == seen["rules"]
    with pytest.raises(ValueError, match="adjacent"):
        ocean_events.commit(seen, "place 1,1")
    assert ocean_events.commit(observation(2, 2, "PLACE", 0), "place 1,1")
    assert ocean_events.commit({**observation(2, 2, "PLACE", 0), "rules": {}}, "place 0,1")
    with pytest.raises(ValueError, match="adjacent"):
        ocean_events.commit({**observation(2, 2, "PLACE", 0), "rules": {"topology": "UNSPECIFIED"}}, "place 1,1")


@pytest.mark.parametrize(
    ("seen", "move"),
    [
        (observation(2, 1, "PICK", 1), "pick 0"),
        (observation(2, 1, "PICK", 1), "place 0,1"),
        (observation(2, 1, "PICK", 1), "pick"),
        (observation(2, 2, "PLACE", 1), "pick 12"),
        (observation(2, 2, "PLACE", 1), "place 0,0"),
        (observation(2, 2, "PLACE", 1), "place 2,0"),
        (observation(2, 9, "OVER", 1), "pick 19"),
        (ocean_events.commit(observation(2, 1, "PICK", 1), "pick 12"), "pick 12"),
    ],
)
def test_no_legal_move_to_commit(seen: Message, move: str) -> None:
    with pytest.raises(ValueError, match=r"expected|over|final"):
        ocean_events.commit(seen, move, topology="SQUARE")


# Reports that cannot be. Observer 1 of three has committed: in "pick" the card 12 in round 2, in "place" the cell 0,1
# in round 3. With passing to the left it knows the hands 1 and 2 in round 2, and all in round 3.


def committed(seen: Message, move: str) -> Message:
    return ocean_events.commit(seen, move, topology="SQUARE")


PLAIN: dict[str, Any] = {"seats": 3, "passing": "LEFT", "variant": "base", "topology": "SQUARE"}
REPORTS: dict[str, tuple[Message, dict[str, Any]]] = {
    "first": (committed(observation(3, 1, "PICK", 1), "pick 10"), PLAIN),
    "pick": (committed(observation(3, 2, "PICK", 1), "pick 12"), PLAIN),
    "open": (observation(3, 2, "PICK", 1), PLAIN),
    "place": (committed(observation(3, 3, "PLACE", 1), "place 0,1"), PLAIN),
    "last": (committed(observation(3, 9, "PLACE", 1), "place 0,1"), PLAIN),
    "lastt": (
        committed(observation(3, 9, "PLACE", 1, True), "place 0,1"),
        {**PLAIN, "variant": "targets", "promo": False},
    ),
    "over": (observation(3, 9, "OVER", 1), PLAIN),
}


def reveal(*moves: tuple[int, str]) -> Message:
    return {"revealed": {"moves": [{"seat": seat, "move": move} for seat, move in moves]}}


PICKS = reveal((0, "pick 2"), (2, "pick 22"))
PLACES = reveal((0, "place 0,1"), (2, "place -1,0"))
FIRST = reveal((0, "pick 0"), (2, "pick 20"))
PASSED = {"passed": {"direction": "LEFT"}}
RECEIVED = {"received": {"cards": list(range(1, 10))}}
HELD = {"ended": {"targets": [{"targets": [0, 1]}, {"targets": [3, 2]}, {"targets": [4, 5]}]}}

SOUND_REPORTS: list[tuple[str, list[Message]]] = [
    ("first", [FIRST, PASSED, RECEIVED]),
    ("first", [FIRST, RECEIVED, {"committed": {"seat": 2}}]),
    ("first", [FIRST, {"committed": {"seat": 2}}, RECEIVED]),
    ("pick", []),
    ("pick", [{"committed": {}}, {"committed": {"seat": 1}}, {"committed": {"seat": 2}}, PICKS]),
    ("pick", [reveal((2, "pick 22"), (1, "Pick 12"), (0, "pick 2"))]),
    ("open", [{"committed": {"seat": 1}}, reveal((0, "pick 2"), (1, "pick 11"), (2, "pick 22"))]),
    ("open", [reveal((0, "pick 2"), (1, "pick 11"), (2, "pick 22")), {"committed": {"seat": 0}}]),
    ("place", [PLACES]),
    ("place", [PLACES, PASSED, {"private_to": 1, "received": {"seat": 1, "cards": [9, 8, 7, 6, 5, 4, 3]}}]),
    ("last", [PLACES]),
    ("last", [PLACES, {"ended": {}}]),
    ("lastt", [PLACES, HELD]),
]

NO_EVENT: tuple[Any, ...] = (None, 3, "x", [], {})
NO_DIRECTION: tuple[Any, ...] = (None, "left", "ALTERNATE", 1, [])
REPORT_CASES: list[tuple[str, list[Any], list[str]]] = [
    # Shapes.
    *[("pick", [junk], ["events[0]"]) for junk in NO_EVENT],
    *[("pick", [{kind: junk}], [f"events[0].{kind}"]) for kind in ocean_events._KINDS for junk in NO_MAPPING],
    ("pick", [{"committed": {"seat": 0}, "passed": {}}], ["events[0]"]),
    ("pick", [{"dealt": {}}], ["events[0]", "events[0].dealt"]),
    ("pick", [{"committed": {"seat": 0, "move": "pick 1"}}], ["events[0].committed.move"]),
    ("pick", [{"committed": {"seat": 3}}], ["events[0].committed.seat"]),
    ("pick", [{"committed": {"seat": "0"}}], ["events[0].committed.seat"]),
    ("pick", [{"committed": {"seat": 0}, "private_to": 2}], ["events[0].private_to"]),
    ("pick", [{"committed": {"seat": 0}, "private_to": "me"}], ["events[0].private_to"]),
    ("pick", [{"revealed": {"moves": 3}}], ["events[0].revealed.moves"]),
    ("pick", [{"revealed": {"moves": [3, None]}}], ["events[0].revealed.moves[0]", "events[0].revealed.moves[1]"]),
    ("pick", [{"revealed": {"moves": [{"seat": 0}]}}], ["events[0].revealed.moves[0].move"]),
    ("pick", [{"revealed": {"moves": [{"seat": 0, "move": {}, "x": 1}]}}],
     ["events[0].revealed.moves[0].move", "events[0].revealed.moves[0].x"]),
    ("pick", [reveal((0, "pick 40"), (3, "pick 22"))],
     ["events[0].revealed.moves[0].move", "events[0].revealed.moves[1].seat"]),
    *[("place", [PLACES, {"passed": {"direction": junk}}], ["events[1].passed.direction"])
      for junk in NO_DIRECTION],
    ("first", [FIRST, {"received": {"cards": [1, "2", 40, None, -1]}}],
     [f"events[1].received.cards[{k}]" for k in (1, 2, 4)]),
    ("first", [FIRST, {"received": {"cards": 3, "seat": 9}}], ["events[1].received.cards", "events[1].received.seat"]),
    ("lastt", [PLACES, {"ended": {"targets": [3, {"targets": 3}, {"targets": [8, "x"]}]}}],
     ["events[1].ended.targets[0]", "events[1].ended.targets[1].targets", "events[1].ended.targets[2].targets[0]",
      "events[1].ended.targets[2].targets[1]"]),
    # Unreadable events are all told, before anything is taken up.
    ("pick", [PASSED, 3, {"committed": {"seat": 7}}], ["events[1]", "events[2].committed.seat"]),
    # Committed.
    ("pick", [{"committed": {"seat": 0}}, {"committed": {"seat": 0}}], ["events[1].committed.seat"]),
    ("open", [{"committed": {"seat": 1}}], ["events[0].committed.seat"]),
    ("open", [{"committed": {"seat": 1}}, PICKS], ["events[1].revealed.moves"]),
    ("over", [{"committed": {"seat": 0}}], ["events[0].committed"]),
    # Revealed.
    ("over", [PICKS], ["events[0].revealed"]),
    ("open", [PICKS], ["events[0].revealed.moves"]),
    ("pick", [{"revealed": {}}], ["events[0].revealed.moves"]),
    ("pick", [reveal((0, "pick 2"))], ["events[0].revealed.moves"]),
    ("pick", [reveal((0, "pick 2"), (2, "pick 22"), (2, "pick 23"))], ["events[0].revealed.moves[2].seat"]),
    ("pick", [reveal((0, "pick 2"), (1, "pick 13"), (2, "pick 22"))], ["events[0].revealed.moves[1].move"]),
    ("open", [reveal((0, "pick 2"), (1, "pick 22"), (2, "pick 22"))], ["events[0].revealed.moves[1].move"]),
    ("pick", [reveal((0, "place 0,1"), (2, "pick 22"))], ["events[0].revealed.moves[0].move"]),
    # Placed, in the own hand, in another known hand, not in a hand that is known, the same card twice.
    *[("pick", [reveal((0, f"pick {card}"), (2, "pick 22"))], ["events[0].revealed.moves[0].move"])
      for card in (0, 10, 20, 12, 13, 25, 22)],
    *[("pick", [reveal((0, "pick 2"), (2, f"pick {card}"))], ["events[0].revealed.moves[1].move"])
      for card in (1, 39, 13)],
    ("first", [reveal((0, "pick 39"), (2, "pick 39"))], ["events[0].revealed.moves[1].move"]),
    *[("place", [reveal((0, move), (2, "place 0,1"))], ["events[0].revealed.moves[0].move"])
      for move in ("place 0,0", "place 1,0", "place 3,0", "place -1,-1", "pick 3")],
    ("place", [PLACES, PLACES], ["events[1].revealed.moves", "events[1].revealed.moves[0].move",
                                 "events[1].revealed.moves[1].move"]),
    # Passed and received.
    ("pick", [PASSED], ["events[0].passed"]),
    ("pick", [PICKS, PASSED], ["events[1].passed"]),
    ("place", [PLACES, PASSED, PASSED], ["events[2].passed"]),
    ("first", [FIRST, RECEIVED, PASSED], ["events[2].passed"]),
    ("place", [PLACES, {"passed": {"direction": "RIGHT"}}], ["events[1].passed.direction"]),
    ("last", [PLACES, PASSED], ["events[1].passed"]),
    ("pick", [RECEIVED], ["events[0].received"]),
    ("first", [FIRST, RECEIVED, RECEIVED], ["events[2].received"]),
    ("place", [reveal((0, "pick 13"), (2, "place 0,1"))], ["events[0].revealed.moves[0].move"]),
    ("first", [FIRST, {"received": {"seat": 0, "cards": list(range(1, 10))}}], ["events[1].received.seat"]),
    ("first", [FIRST, {"private_to": 0, "received": {"seat": 0, "cards": []}}], ["events[1].private_to"]),
    ("first", [FIRST], ["events"]),
    ("first", [FIRST, PASSED], ["events"]),
    ("first", [FIRST, PASSED, {"committed": {"seat": 2}}], ["events"]),
    ("first", [FIRST, PASSED, PICKS], ["events[2].revealed"]),
    ("first", [FIRST, {"received": {"cards": list(range(1, 9))}}], ["events[1].received.cards"]),
    ("first", [FIRST, {"received": {}}], ["events[1].received.cards"]),
    ("first", [FIRST, {"received": {"cards": [1, 2, 3, 4, 5, 6, 7, 8, 8]}}], ["events[1].received.cards[8]"]),
    # Placed just now, and in the hand that has passed on.
    ("first", [FIRST, {"received": {"cards": [0, 1, 2, 3, 4, 5, 6, 7, 20]}}],
     ["events[1].received.cards[0]", "events[1].received.cards[8]"]),
    ("first", [FIRST, {"received": {"cards": [1, 2, 3, 4, 5, 6, 7, 8, 19]}}], ["events[1].received.cards[8]"]),
    ("place", [PLACES, {"received": {"cards": [3, 4, 5, 6, 7, 8, 39]}}], ["events[1].received.cards[6]"]),
    # Ended.
    ("place", [PLACES, {"ended": {}}], ["events[1].ended"]),
    ("over", [{"ended": {}}], ["events[0].ended"]),
    ("last", [PLACES, {"ended": {}}, {"ended": {}}], ["events[2].ended"]),
    ("last", [PLACES, HELD], ["events[1].ended.targets"]),
    ("lastt", [PLACES], ["events"]),
    ("lastt", [PLACES, {"ended": {}}], ["events[1].ended.targets"]),
    *[("lastt", [PLACES, {"ended": {"targets": [{"targets": held} for held in targets]}}],
       [f"events[1].ended.targets{where}" for where in wheres])
      for targets, wheres in (
          ([[0, 1], [2, 3]], [""]),
          ([[0, 1], [2, 3], [4]], ["[2].targets"]),
          ([[0, 1], [2, 3], [4, 5, 6]], ["[2].targets"]),
          ([[0, 1], [2, 3], [4, 4]], ["[2].targets[1]"]),
          ([[0, 1], [2, 3], [4, 0]], ["[2].targets[1]"]),
          ([[0, 1], [2, 6], [4, 5]], ["[1].targets"]),
          ([[0, 3], [2, 6], [4, 5]], ["[0].targets[1]", "[1].targets"]),
          ([[0, 1], [2, 3], [4, 8]], ["[2].targets[1]"]),
      )],
]  # fmt: skip


@pytest.mark.parametrize(("base", "events"), SOUND_REPORTS)
def test_sound_reports(base: str, events: list[Message]) -> None:
    seen, how = REPORTS[base]
    after = ocean_events.report(seen, events, **how)
    read(after, 3, targets=how["variant"] == "targets")


@pytest.mark.parametrize(("base", "events", "expected"), REPORT_CASES)
def test_reports_that_cannot_be(base: str, events: list[Any], expected: list[str]) -> None:
    seen, how = REPORTS[base]
    before = copy.deepcopy(seen)
    with pytest.raises(Malformed) as caught:
        ocean_events.report(seen, events, **how)
    assert paths(caught.value.violations) == sorted(expected)
    assert seen == before


@pytest.mark.parametrize("junk", [3, "x", {}, b"x"])
def test_no_list_of_events(junk: Any) -> None:
    seen, how = REPORTS["pick"]
    with pytest.raises(Malformed) as caught:
        ocean_events.report(seen, junk, **how)
    assert paths(caught.value.violations) == ["events"]


def test_forgotten_cards_are_learnt_again() -> None:
    """A client that forgot part of the hand it is passed has to report it; what it kept must be in it."""
    seen = observation(2, 3, "PLACE", 0)
    seen["seat_knowledge"]["hands"][1]["cards"] = [13, 14]
    both = reveal((0, "place 0,1"), (1, "place 0,1"))
    how: dict[str, Any] = {"seats": 2, "passing": "LEFT", "variant": "base"}
    with pytest.raises(Malformed) as caught:
        ocean_events.report(seen, [both], **how)
    assert paths(caught.value.violations) == ["events"]
    with pytest.raises(Malformed) as caught:
        ocean_events.report(seen, [both, {"received": {"cards": [13, 15, 16, 17, 18, 19, 39]}}], **how)
    assert paths(caught.value.violations) == ["events[1].received.cards"]
    after = ocean_events.report(seen, [both, {"received": {"cards": [13, 14, 15, 16, 17, 18, 39]}}], **how)
    assert after["seat_knowledge"]["hands"][0] == {"cards": [13, 14, 15, 16, 17, 18, 39]}


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_damaged_reports(data: st.DataObject) -> None:
    base, events = data.draw(st.sampled_from(SOUND_REPORTS))
    seen, how = REPORTS[base]
    events = damage(data.draw, events)
    try:
        after = ocean_events.report(seen, events, **how)
    except Malformed as error:
        assert 1 <= len(error.violations) <= 1000  # noqa: PT017
        return
    # Whatever is taken up leaves a sound observation.
    read(after, 3, targets=how["variant"] == "targets")


@settings(max_examples=100, deadline=None)
@given(st.lists(junk_values, max_size=3))
def test_junk_reports(events: list[Any]) -> None:
    seen, how = REPORTS["pick"]
    try:
        ocean_events.report(seen, events, **how)
    except Malformed as error:
        assert error.violations  # noqa: PT017
