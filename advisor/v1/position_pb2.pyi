from advisor.v1 import game_pb2 as _game_pb2
from advisor.v1 import heart_pb2 as _heart_pb2
from advisor.v1 import ocean_pb2 as _ocean_pb2
from advisor.v1 import sanctuary_pb2 as _sanctuary_pb2
from google.protobuf import any_pb2 as _any_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Position(_message.Message):
    __slots__ = ("game", "variant", "seats", "catalogue", "chance_events", "ocean", "heart", "sanctuary", "other")
    GAME_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CATALOGUE_FIELD_NUMBER: _ClassVar[int]
    CHANCE_EVENTS_FIELD_NUMBER: _ClassVar[int]
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HEART_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    game: str
    variant: str
    seats: int
    catalogue: _game_pb2.CatalogueRef
    chance_events: int
    ocean: _ocean_pb2.OceanPosition
    heart: _heart_pb2.HeartPosition
    sanctuary: _sanctuary_pb2.SanctuaryPosition
    other: _any_pb2.Any
    def __init__(self, game: _Optional[str] = ..., variant: _Optional[str] = ..., seats: _Optional[int] = ..., catalogue: _Optional[_Union[_game_pb2.CatalogueRef, _Mapping]] = ..., chance_events: _Optional[int] = ..., ocean: _Optional[_Union[_ocean_pb2.OceanPosition, _Mapping]] = ..., heart: _Optional[_Union[_heart_pb2.HeartPosition, _Mapping]] = ..., sanctuary: _Optional[_Union[_sanctuary_pb2.SanctuaryPosition, _Mapping]] = ..., other: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("notation", "ocean", "heart", "sanctuary", "other")
    NOTATION_FIELD_NUMBER: _ClassVar[int]
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HEART_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    notation: str
    ocean: _ocean_pb2.OceanMove
    heart: _heart_pb2.HeartMove
    sanctuary: _sanctuary_pb2.SanctuaryMove
    other: _any_pb2.Any
    def __init__(self, notation: _Optional[str] = ..., ocean: _Optional[_Union[_ocean_pb2.OceanMove, _Mapping]] = ..., heart: _Optional[_Union[_heart_pb2.HeartMove, _Mapping]] = ..., sanctuary: _Optional[_Union[_sanctuary_pb2.SanctuaryMove, _Mapping]] = ..., other: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("private_to", "text", "ocean", "heart", "sanctuary", "other")
    PRIVATE_TO_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HEART_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    private_to: int
    text: str
    ocean: _ocean_pb2.OceanEvent
    heart: _heart_pb2.HeartEvent
    sanctuary: _sanctuary_pb2.SanctuaryEvent
    other: _any_pb2.Any
    def __init__(self, private_to: _Optional[int] = ..., text: _Optional[str] = ..., ocean: _Optional[_Union[_ocean_pb2.OceanEvent, _Mapping]] = ..., heart: _Optional[_Union[_heart_pb2.HeartEvent, _Mapping]] = ..., sanctuary: _Optional[_Union[_sanctuary_pb2.SanctuaryEvent, _Mapping]] = ..., other: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("start", "steps")
    START_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    start: Position
    steps: _containers.RepeatedCompositeFieldContainer[RecordStep]
    def __init__(self, start: _Optional[_Union[Position, _Mapping]] = ..., steps: _Optional[_Iterable[_Union[RecordStep, _Mapping]]] = ...) -> None: ...

class RecordStep(_message.Message):
    __slots__ = ("move", "event", "chance")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    move: SeatMove
    event: Event
    chance: Chance
    def __init__(self, move: _Optional[_Union[SeatMove, _Mapping]] = ..., event: _Optional[_Union[Event, _Mapping]] = ..., chance: _Optional[_Union[Chance, _Mapping]] = ...) -> None: ...

class Chance(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: str
    def __init__(self, outcome: _Optional[str] = ...) -> None: ...

class SeatMove(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: Move
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[Move, _Mapping]] = ...) -> None: ...

class Status(_message.Message):
    __slots__ = ("over", "pending", "scores", "ranks")
    OVER_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    over: bool
    pending: _containers.RepeatedScalarFieldContainer[int]
    scores: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, over: bool = ..., pending: _Optional[_Iterable[int]] = ..., scores: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ...) -> None: ...
