"""The quick reader of ocean's observations against the thorough one: it takes nothing else, and reads nothing else."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from wire import advisor, new, observe, play

from advisor.convert_ocean import OceanConverter
from advisor.faults import Faults
from advisor.games import Setup
from advisor.positions import read_position
from advisor.v1 import ocean_pb2, position_pb2
from ext.errors import Malformed

pytestmark = pytest.mark.kernel

GAMES: list[dict[str, Any]] = [
    {"seats": 4},
    {"seats": 2, "topology": ocean_pb2.OCEAN_TOPOLOGY_HEX},
    {"seats": 3, "topology": ocean_pb2.OCEAN_TOPOLOGY_SQUARE_DIAGONAL, "passing": ocean_pb2.OCEAN_PASSING_ALTERNATE},
    {"seats": 3, "variant": "targets", "passing": ocean_pb2.OCEAN_PASSING_RIGHT},
    {"seats": 4, "variant": "targets", "promo": True},
]


def observations(seed: int, **how: Any) -> list[position_pb2.Position]:
    """What every seat sees at several times of a game."""
    found = []
    for moves in range(0, 17 * how["seats"] + 1, 3):
        position = play(new(**how), moves, seed)
        found += [observe(position, seat) for seat in range(how["seats"])]
    return found


def setup_of(position: position_pb2.Position) -> Setup:
    loaded = read_position(advisor().games, position, Faults())
    assert loaded is not None
    return loaded.setup


def thoroughly(setup: Setup, message: ocean_pb2.OceanPosition) -> bytes | None:
    """What the thorough reader makes of a message: the observation's bytes; None of one in which something is wrong."""
    converter, faults = setup.entry.converter, Faults()
    assert isinstance(converter, OceanConverter)
    if converter.is_referee(message, faults) is not False:
        return None
    content = converter.read_position(message, faults)
    if faults:
        return None
    try:
        return bytes(setup.kernel.load_observation(content))
    except Malformed:
        return None


def quickly(setup: Setup, message: bytes) -> bytes | None:
    recognized = setup.kernel.recognize(message)
    return None if recognized is None else bytes(recognized)


@pytest.mark.parametrize("how", GAMES, ids=lambda how: "-".join(map(str, how.values())))
def test_what_answers_write_is_read_alike(how: dict[str, Any]) -> None:
    quick = left = 0
    for seed in range(6):
        for position in observations(seed, **how):
            setup, message = setup_of(position), position.ocean
            found = quickly(setup, message.SerializeToString())
            table, own = message.table, message.table.seats[message.seat_knowledge.seat]
            if found is None:
                left += 1
                assert table.phase == ocean_pb2.OCEAN_PHASE_OVER or own.committed
            else:
                quick += 1
                assert found == thoroughly(setup, message)
    assert quick > left > 0


def any_field(rng: random.Random, message: Any) -> None:
    """Change something somewhere in a message: a number, how often something is there, or whether it is."""
    while True:
        field = rng.choice(message.DESCRIPTOR.fields)
        repeated = field.is_repeated
        inside = field.message_type is not None
        value = getattr(message, field.name)
        if inside and (value if repeated else message.HasField(field.name)) and rng.random() < 0.8:
            message = rng.choice(value) if repeated else value
            continue
        break
    if repeated:
        change = rng.randrange(4)
        if change == 0 and value:
            del value[rng.randrange(len(value))]
        elif change == 1 and value:
            value.extend([value[rng.randrange(len(value))]])
        elif change == 2 and len(value) > 1:
            items = list(value)
            rng.shuffle(items)
            del value[:]
            value.extend(items)
        elif inside:
            value.add()
        else:
            value.append(rng.choice((-1, 0, 3, 7, 8, 9, 39, 40, 1 << 30)))
    elif inside or rng.random() < 0.2:
        message.ClearField(field.name)
    elif field.enum_type is not None:
        setattr(message, field.name, rng.randrange(5))
    elif isinstance(value, bool):
        setattr(message, field.name, not value)
    elif isinstance(value, int):
        near = max(-(1 << 31), value - 1), min((1 << 31) - 1, value + 1)
        chosen = rng.choice((*near, *near, 0, 9, 40, -1, -(1 << 31), (1 << 31) - 1))
        setattr(message, field.name, abs(chosen) if field.type == field.TYPE_UINT64 else chosen)


def any_byte(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    change = rng.randrange(4)
    if change == 0:
        return data[:at]
    if change == 1:
        return data[:at] + rng.randbytes(1) + data[at:]
    if change == 2:
        return data[:at] + data[at + 1 :]
    return data[:at] + rng.randbytes(1) + data[at + 1 :]


def agrees(setup: Setup, data: bytes) -> bool:
    """Whether the quick reader takes a message; it must not take another than the thorough one."""
    found = quickly(setup, data)
    if found is None:
        return False
    assert found == thoroughly(setup, ocean_pb2.OceanPosition.FromString(data))
    return True


@pytest.mark.parametrize("how", GAMES, ids=lambda how: "-".join(map(str, how.values())))
def test_nothing_is_taken_that_the_thorough_reader_refuses(how: dict[str, Any]) -> None:
    rng = random.Random(str(how))
    positions = [position for seed in range(2) for position in observations(seed, **how)]
    taken = refused = 0
    for _ in range(6_000):
        position = rng.choice(positions)
        message = ocean_pb2.OceanPosition()
        message.CopyFrom(position.ocean)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            any_field(rng, message)
        if message.rules != position.ocean.rules:
            continue  # whose rules others have looked at
        good = agrees(setup_of(position), message.SerializeToString())
        taken, refused = taken + good, refused + (not good)
    assert min(taken, refused) > 100


@pytest.mark.parametrize("how", GAMES[:2], ids=lambda how: str(how["seats"]))
def test_no_bytes_are_taken_for_what_they_do_not_say(how: dict[str, Any]) -> None:
    rng = random.Random(3)
    positions = observations(1, **how)
    bare = []
    for position in positions:
        message = ocean_pb2.OceanPosition()
        message.CopyFrom(position.ocean)
        message.ClearField("rules")  # which it does not look at
        bare.append(message.SerializeToString())
    setup = setup_of(positions[0])
    taken = 0
    for _ in range(20_000):
        data = rng.choice(bare)
        for _ in range(rng.choice((1, 1, 2))):
            data = any_byte(rng, data) or b"\x00"
        taken += agrees(setup, data)
    assert taken > 20
    for junk in (b"", b"\x00", b"\x12", b"\x12\xff", b"\xff" * 12, b"\x12\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"):
        assert quickly(setup, junk) is None


def first_card(message: ocean_pb2.OceanPosition) -> int:
    return message.table.seats[0].ocean[0].card


def test_knowledge_in_two_parts_is_left_to_the_thorough_reader() -> None:
    """Which protobuf makes one of: what only one of them says must not get lost."""
    position = observe(play(new(4, "targets"), 12, 3), 1)
    setup, data = setup_of(position), position.ocean.SerializeToString()
    assert quickly(setup, data) is not None
    for more in (b"\x22\x00", b"\x22\x03\x12\x01\x03"):
        assert quickly(setup, data + more) is None


CHANGES: list[tuple[str, Callable[[ocean_pb2.OceanPosition], object]]] = [
    ("a card in two oceans", lambda one: setattr(one.table.seats[1].ocean[0], "card", first_card(one))),
    ("a card of an ocean in the hand", lambda one: one.seat_knowledge.hands[1].cards.__setitem__(0, first_card(one))),
    ("two cards in a cell", lambda one: one.table.seats[0].ocean[1].cell.CopyFrom(one.table.seats[0].ocean[0].cell)),
    ("a card far from the others", lambda one: setattr(one.table.seats[0].ocean[-1].cell, "y", 8)),
    ("a cell beyond the reach", lambda one: setattr(one.table.seats[0].ocean[-1].cell, "y", 9)),
    ("a card too many", lambda one: one.table.seats[0].ocean.add(card=39)),
    ("a hand that was never held", lambda one: one.seat_knowledge.hands[0].cards.append(39)),
    ("a card of the own hand unknown", lambda one: one.seat_knowledge.hands[1].cards.pop()),
    ("a hand of another size", lambda one: setattr(one.table.seats[2], "hand_size", 3)),
    ("a revealed card while picking", lambda one: setattr(one.table.seats[2], "revealed_card", 39)),
    ("targets without the variant", lambda one: one.seat_knowledge.targets.extend([1, 2])),
    ("a seat too many", lambda one: one.table.seats.add()),
    ("a hand too many", lambda one: one.seat_knowledge.hands.add()),
    ("another round", lambda one: setattr(one.table, "round", 4)),
    ("no round", lambda one: setattr(one.table, "round", 0)),
    ("another observer", lambda one: setattr(one.seat_knowledge, "seat", 0)),
    ("no such observer", lambda one: setattr(one.seat_knowledge, "seat", 4)),
    ("a referee", lambda one: one.referee.SetInParent()),
]  # fmt: skip


@pytest.mark.parametrize(("what", "change"), CHANGES, ids=[what for what, _ in CHANGES])
def test_what_is_wrong_is_left_to_the_thorough_reader(
    what: str, change: Callable[[ocean_pb2.OceanPosition], object]
) -> None:
    position = observe(play(new(), 12, 3), 1)
    assert (position.ocean.table.phase, position.ocean.table.round) == (ocean_pb2.OCEAN_PHASE_PICK, 3)
    setup, message = setup_of(position), position.ocean
    assert quickly(setup, message.SerializeToString()) == thoroughly(setup, message) is not None
    change(message)
    assert thoroughly(setup, message) is None
    assert quickly(setup, message.SerializeToString()) is None
