"""What the tests of the service share: positions from real games, and messages changed by path."""

import random
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.message import Message

from advisor.faults import Faults
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import heart_pb2, ocean_pb2, position_pb2, sanctuary_pb2

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


def new_heart(seats: int = 3, seed: int = 7, **rules: bool) -> pb.NewPositionRequest:
    request = pb.NewPositionRequest(game="heart", seats=seats, seed=seed)
    request.rules.heart.CopyFrom(heart_pb2.HeartRules(**rules))
    return request


def new_sanctuary(seats: int = 3, variant: str = "base", seed: int = 7, **rules: Any) -> pb.NewPositionRequest:
    request = pb.NewPositionRequest(game="sanctuary", seats=seats, variant=variant, seed=seed)
    request.rules.sanctuary.CopyFrom(sanctuary_pb2.SanctuaryRules(**rules))
    return request


@dataclass(frozen=True)
class Game:
    """What random players did from a start on: the moves, and for each what happened."""

    start: position_pb2.Position
    end: position_pb2.Position
    moves: list[position_pb2.SeatMove]
    events: list[list[position_pb2.Event]]

    def record(self) -> position_pb2.Record:
        """All of it, as a referee knows it."""
        record = position_pb2.Record(start=self.start)
        converter = advisor().games.entries[self.start.game].converter
        for move, events in zip(self.moves, self.events, strict=True):
            record.steps.add(move=move)
            for event in events:
                outcome = converter.outcome(converter.read_event(getattr(event, converter.member), Faults()))
                if outcome is not None:
                    record.steps.add().chance.outcome = outcome
        return record

    def seen_by(self, seat: int) -> position_pb2.Record:
        """What one seat has done and seen."""
        record = position_pb2.Record(start=observe(self.start, seat))
        for move, events in zip(self.moves, self.events, strict=True):
            if move.seat == seat:
                record.steps.add(move=move)
            for event in events:
                if not event.HasField("private_to") or event.private_to == seat:
                    record.steps.add(event=event)
        return record


def play_game(request: pb.NewPositionRequest, decisions: int, seed: int = 1) -> Game:
    """So many random decisions; the seats decide in a random order."""
    rng = random.Random(seed)
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    moves, events = [], []
    for _ in range(decisions):
        seat = rng.choice(status.pending)
        legal = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        move = rng.choice(legal)
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=move))
        position, status = played.position, played.status
        moves.append(position_pb2.SeatMove(seat=seat, move=move))
        events.append(list(played.events))
    return Game(begun.position, position, moves, events)


def play(request: pb.NewPositionRequest, decisions: int, seed: int = 1) -> position_pb2.Position:
    """The referee's position after so many random decisions; the seats decide in a random order."""
    return play_game(request, decisions, seed).end


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
        elif isinstance(value, Message):
            target[last].CopyFrom(value)
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
