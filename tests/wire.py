"""What the tests of the service share: positions from real games, and messages changed by path."""

import random
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.message import Message

from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import ocean_pb2, position_pb2

CLEAR = object()
"""As a value in `edit`: remove the field or the entry."""


@dataclass(frozen=True)
class Append:
    """As a value in `edit`: append a scalar, or an empty message for None."""

    value: Any = None


@cache
def advisor() -> Advisor:
    """One service for all tests of a process."""
    return Advisor(Settings(port=0, metrics_port=0, default_seconds=0.05, workers=2))


def new(seats: int = 4, variant: str = "base", seed: int = 7, **rules: Any) -> pb.NewPositionRequest:
    request = pb.NewPositionRequest(game="ocean", seats=seats, variant=variant, seed=seed)
    if rules:
        request.rules.ocean.CopyFrom(ocean_pb2.OceanRules(**rules))
    return request


def play(request: pb.NewPositionRequest, decisions: int, seed: int = 1) -> position_pb2.Position:
    """The referee's position after so many random decisions; the seats decide in a random order."""
    rng = random.Random(seed)
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    for _ in range(decisions):
        seat = rng.choice(status.pending)
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=rng.choice(moves)))
        position, status = played.position, played.status
    return position


def observe(position: position_pb2.Position, seat: int) -> position_pb2.Position:
    return advisor().observe(pb.ObserveRequest(position=position, seat=seat)).position


def over(request: pb.NewPositionRequest, seed: int = 1) -> position_pb2.Position:
    """A finished game: 9 picks and 8 placements a seat."""
    return play(request, 17 * request.seats, seed)


def edit(message: Message, path: str, value: Any) -> None:
    """Set the field at `path` ("position.ocean.table.seats[0].hand_size"), remove it, or append to it."""
    steps: list[str | int] = []
    for name, index in re.findall(r"([a-z][a-z_0-9]*)|\[(\d+)\]", path):
        steps.append(int(index) if index else name)
    target: Any = message
    for step in steps[:-1]:
        target = target[step] if isinstance(step, int) else getattr(target, step)
    last = steps[-1]
    if isinstance(last, int):
        if value is CLEAR:
            del target[last]
        else:
            target[last] = value
    elif value is CLEAR:
        target.ClearField(last)
    elif isinstance(value, Append):
        field = getattr(target, last)
        field.append(value.value) if value.value is not None else field.add()
    elif isinstance(value, Message):
        getattr(target, last).CopyFrom(value)
    elif isinstance(value, list):
        target.ClearField(last)
        getattr(target, last).extend(value)
    else:
        setattr(target, last, value)
