"""Requests that are taken apart against requests that are read: whatever is prepared so is what `prepare` prepares."""

import random
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from test_ocean_wire import GAMES, any_byte, any_field, observations
from wire import new, new_heart, new_sanctuary, observe, play

from advisor.answers import how_key, key_of
from advisor.errors import AdvisorError
from advisor.service import MOST_WAYS, Advisor, Prepared
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext.asked_wire import take_asked_apart

pytestmark = pytest.mark.kernel

ways_to_play = pytest.mark.parametrize("how", GAMES, ids=lambda how: "-".join(map(str, how.values())))


@cache
def asked(number: int) -> list[pb.AdviseRequest]:
    """Requests of every seat that owes a decision, about times and ways of all kinds."""
    rng = random.Random(number)
    found = []
    for position in observations(number, **GAMES[number]):
        if position.ocean.table.seats[position.ocean.seat_knowledge.seat].committed:
            continue
        request = pb.AdviseRequest(position=position, seat=position.ocean.seat_knowledge.seat)
        if rng.random() < 0.8:
            request.limits.simulations = rng.choice((1, 50, 20_000))
        if rng.random() < 0.5:
            request.limits.time.nanos = rng.choice((20_000_000, 500_000_000))
        if rng.random() < 0.2:
            request.limits.depth = 5
        if rng.random() < 0.9:
            request.options.algorithm = rng.choice((advice_pb2.ALGORITHM_MCTS, advice_pb2.ALGORITHM_UCT))
        if rng.random() < 0.7:
            request.options.seed = rng.choice((1, 7, 1 << 40, (1 << 64) - 1))
        if rng.random() < 0.3:
            request.options.priority = rng.randrange(-9, 10)
            request.options.confidence = 0.9
            request.options.max_moves = 3
        found.append(request)
    return found


def plainly(advisor: Advisor, data: bytes) -> Prepared | None:
    plain = advisor.take_apart(data)
    return None if plain is None else advisor.prepare_plain(plain)


def read(advisor: Advisor, data: bytes) -> Prepared | None:
    """What `prepare` makes of a request, None where something is wrong."""
    try:
        return advisor.prepare(pb.AdviseRequest.FromString(data))
    except (AdvisorError, DecodeError):
        return None


def told(prepared: Prepared | None) -> Any:
    if prepared is None:
        return None
    alike = prepared._replace(converted_seconds=0.0, how_key=b"")
    return alike._asdict() | {"observation": bytes(prepared.observation), "key": key_of(prepared)}


def agrees(advisor: Advisor, data: bytes) -> bool:
    """Whether a request is prepared plainly, at the latest the second time; never otherwise than when it is read."""
    thorough, plain = read(advisor, data), advisor.take_apart(data)
    if plain is None:
        return False
    first = advisor.prepare_plain(plain)
    if first is not None:
        assert told(first) == told(thorough)
    elif thorough is not None:
        advisor.remember(plain, thorough, how_key(thorough))
    second = advisor.prepare_plain(plain)
    if second is not None:
        assert told(second) == told(thorough)
    return second is not None


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_request_is_taken_apart_as_it_is_read(number: int) -> None:
    advisor = Advisor()
    taken = left = 0
    for request in asked(number):
        data = request.SerializeToString()
        if agrees(advisor, data):
            taken += 1
        else:
            left += 1
            assert read(advisor, data) is None  # the game is over
    assert taken > 15
    assert left < taken


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_whatever_is_changed_nothing_is_taken_that_would_be_refused(number: int) -> None:
    rng, advisor = random.Random(number), Advisor()
    requests = asked(number)
    for request in requests:
        read(advisor, request.SerializeToString())  # so that the rules are familiar
    taken = left = 0
    for round_ in range(3_000):
        request = pb.AdviseRequest()
        request.CopyFrom(rng.choice(requests))
        if round_ % 2:
            for _ in range(rng.choice((1, 1, 2))):
                any_field(rng, rng.choice((request, request.limits, request.options, request.position)))
        data = request.SerializeToString()
        if round_ % 2 == 0 or rng.random() < 0.2:
            data = any_byte(rng, data)
        if agrees(advisor, data):
            taken += 1
        else:
            left += 1
    assert taken > 300
    assert left > 300


Tree = dict[int, "Tree"]
INSIDE: Tree = {1: {4: {}, 10: {1: {}, 2: {3: {1: {2: {}}}}, 4: {4: {}}}}, 3: {2: {}}, 4: {}}
"""Numbers of the fields of an AdviseRequest that are messages, and of theirs."""


def varint(number: int, size: int = 1) -> bytes:
    """A number in so many bytes at least, as no library writes it."""
    found = bytearray()
    while number > 0x7F or size > 1:
        found.append(number & 0x7F | 0x80)
        number, size = number >> 7, size - 1
    return bytes([*found, number])


def number_at(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return number, at


def fields_of(data: bytes) -> list[tuple[int, int, bytes | int]]:
    """Number, wire type and value of each field; a value without a size is a number."""
    found: list[tuple[int, int, bytes | int]] = []
    at = 0
    while at < len(data):
        tag, at = number_at(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = number_at(data, at)
            found.append((number, kind, value))
        else:
            size, at = number_at(data, at) if kind == 2 else (8, at)
            found.append((number, kind, data[at : at + size]))
            at += size
    return found


def rewritten(rng: random.Random, data: bytes, inside: Tree) -> bytes:
    """Say a message in another way, or say something else, somewhere in it, with sizes that agree."""
    fields = fields_of(data)
    deep = [i for i, (number, kind, _) in enumerate(fields) if kind == 2 and number in inside]
    if deep and rng.random() < 0.8:
        i = rng.choice(deep)
        number, kind, value = fields[i]
        assert isinstance(value, bytes)
        fields[i] = number, kind, rewritten(rng, value, inside[number])
        return written(rng, fields)
    change = rng.randrange(8)
    i = rng.randrange(len(fields)) if fields else 0
    if not fields or change == 0:
        kind, value = rng.choice(((0, 0), (0, 1), (0, 1 << 32), (2, b""), (1, bytes(8))))
        fields.insert(i, (rng.randrange(1, 17), kind, value))
    elif change == 1:
        fields.append(fields[i])
    elif change == 2:
        rng.shuffle(fields)
    elif change == 3:
        del fields[i]
    elif change == 4 and fields[i][1] == 0:
        number, kind, value = fields[i]
        assert isinstance(value, int)
        fields[i] = number, kind, (value + rng.choice((1, -1, 1 << 32, 1 << 63))) % 2**64
    elif change == 5 and fields[i][1] == 2:
        number, kind, value = fields[i]
        assert isinstance(value, bytes)
        at = rng.randrange(len(value) + 1)
        fields[i : i + 1] = [(number, kind, value[:at]), (number, kind, value[at:])]
    else:
        return written(rng, fields, rng.choice((2, 3, 5, 6, 10)))
    return written(rng, fields)


def written(rng: random.Random, fields: list[tuple[int, int, bytes | int]], size: int = 1) -> bytes:
    """A message; with a size, one tag, length or number takes so many bytes."""
    chosen, what = rng.randrange(len(fields) or 1), rng.randrange(2)
    parts = []
    for i, (number, kind, value) in enumerate(fields):
        sizes = [size if i == chosen and what == which else 1 for which in range(2)]
        parts.append(varint(number << 3 | kind, sizes[0]))
        if isinstance(value, int):
            parts.append(varint(value, sizes[1]))
        else:
            parts += [varint(len(value), sizes[1]), value] if kind == 2 else [value]
    return b"".join(parts)


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_however_it_is_said_nothing_is_taken_that_would_be_refused(number: int) -> None:
    rng, advisor = random.Random(number), Advisor()
    requests = [request.SerializeToString() for request in asked(number)]
    assert all(written(rng, fields_of(data)) == data for data in requests)
    assert sum(agrees(advisor, data) for data in requests) > 15
    taken = left = refused = 0
    for _ in range(4_000):
        data = rng.choice(requests)
        for _ in range(rng.choice((1, 1, 1, 2))):
            with suppress(IndexError):  # where a message was cut in two there may be none any more
                data = rewritten(rng, data, INSIDE)
        if agrees(advisor, data):
            taken += 1
        else:
            left += 1
            try:
                pb.AdviseRequest.FromString(data)
            except DecodeError:
                refused += 1
    assert taken > 300
    assert left > 300
    assert refused > 30


def paths(message: Any) -> list[tuple[Any, str]]:
    """Every field that is set, with its message."""
    found = []
    for field, value in message.ListFields():
        found.append((message, field.name))
        if field.message_type is not None and not field.is_repeated:
            found += paths(value)
    return found


@ways_to_play
def test_every_field_may_be_missing_or_come_twice(how: dict[str, Any]) -> None:
    advisor = Advisor()
    whole = pb.AdviseRequest()
    whole.CopyFrom(asked(GAMES.index(how))[0])
    whole.limits.SetInParent()
    whole.options.seed = 5
    assert agrees(advisor, whole.SerializeToString())
    count = len(paths(whole))
    for number in range(count):
        request = pb.AdviseRequest()
        request.CopyFrom(whole)
        message, name = paths(request)[number]
        message.ClearField(name)
        agrees(advisor, request.SerializeToString())
    for name in ("position", "limits", "options", "seat"):
        again = pb.AdviseRequest()
        again.CopyFrom(whole)
        if name == "seat":
            again.seat = 1
        for other in ("position", "limits", "options", "seat"):
            if other != name:
                again.ClearField(other)
        twice = whole.SerializeToString() + again.SerializeToString()
        assert take_asked_apart(twice) is None or (name == "seat" and not whole.seat)


def test_what_is_not_plain_is_left_to_the_reader() -> None:
    advisor = Advisor()
    plain = asked(0)[0]
    assert agrees(advisor, plain.SerializeToString())
    for request in (
        pb.AdviseRequest(position=play(new(), 0, 0)),
        pb.AdviseRequest(position=play(new_heart(), 0, 0)),
        pb.AdviseRequest(position=observe(play(new_heart(), 0, 0), 0)),
        pb.AdviseRequest(position=play(new_sanctuary(), 0, 0)),
        pb.AdviseRequest(record=position_pb2.Record(start=plain.position)),
        pb.AdviseRequest(position=plain.position, record=position_pb2.Record(start=plain.position)),
        pb.AdviseRequest(),
    ):
        assert plainly(advisor, request.SerializeToString()) is None
    for lists in ("allow_moves", "avoid_moves", "report_moves"):
        request = pb.AdviseRequest()
        request.CopyFrom(plain)
        getattr(request.options, lists).add(notation="pick 1")
        assert take_asked_apart(request.SerializeToString()) is None
    bare = pb.AdviseRequest(position=plain.position, seat=plain.seat).SerializeToString()
    assert take_asked_apart(bare + b"\x22\x09\x51" + bytes(8)) is not None
    for size in range(8):  # a confidence that is cut short, with something behind it
        assert take_asked_apart(bare + bytes((0x22, 1 + size, 0x51)) + bytes(size)) is None
        assert take_asked_apart(bare + bytes((0x22, 1 + size, 0x51)) + bytes(size) + b"\x1a\x08" + bytes(8)) is None
    for data in (b"", b"\x0a", b"\x0a\x05", b"\xff" * 20, plain.SerializeToString()[:-1]):
        assert plainly(advisor, data) is None


def test_nothing_is_plain_before_it_was_read_and_its_rules_are_familiar() -> None:
    advisor = Advisor()
    data = asked(0)[0].SerializeToString()
    assert advisor.take_apart(data) is None
    assert read(advisor, data) is not None
    plain = advisor.take_apart(data)
    assert plain is not None
    assert advisor.prepare_plain(plain) is None
    assert agrees(advisor, data)


def test_ways_are_remembered_by_all_that_was_said_but_the_seed() -> None:
    advisor = Advisor()
    request = pb.AdviseRequest()
    request.CopyFrom(asked(0)[0])
    assert agrees(advisor, request.SerializeToString())
    request.options.seed = 123
    prepared = plainly(advisor, request.SerializeToString())
    assert prepared is not None
    assert prepared.options.seed == 123
    request.options.seed = 0
    prepared = plainly(advisor, request.SerializeToString())
    assert prepared is not None
    assert prepared.options.seed == 0
    for change in ("priority", "trees", "max_moves"):
        setattr(request.options, change, 2)
        assert plainly(advisor, request.SerializeToString()) is None
        assert agrees(advisor, request.SerializeToString())
    for simulations in range(1, 3 * MOST_WAYS):
        request.limits.simulations = simulations
        assert agrees(advisor, request.SerializeToString())
        assert len(advisor._ways) <= MOST_WAYS
