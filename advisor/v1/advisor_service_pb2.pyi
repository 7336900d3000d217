import datetime

from advisor.v1 import advice_pb2 as _advice_pb2
from advisor.v1 import game_pb2 as _game_pb2
from advisor.v1 import position_pb2 as _position_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListGamesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListGamesResponse(_message.Message):
    __slots__ = ("games",)
    GAMES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[_game_pb2.GameSummary]
    def __init__(self, games: _Optional[_Iterable[_Union[_game_pb2.GameSummary, _Mapping]]] = ...) -> None: ...

class GetGameRequest(_message.Message):
    __slots__ = ("game", "catalogue")
    GAME_FIELD_NUMBER: _ClassVar[int]
    CATALOGUE_FIELD_NUMBER: _ClassVar[int]
    game: str
    catalogue: _game_pb2.CatalogueRef
    def __init__(self, game: _Optional[str] = ..., catalogue: _Optional[_Union[_game_pb2.CatalogueRef, _Mapping]] = ...) -> None: ...

class GetGameResponse(_message.Message):
    __slots__ = ("summary", "options", "catalogue")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CATALOGUE_FIELD_NUMBER: _ClassVar[int]
    summary: _game_pb2.GameSummary
    options: _containers.RepeatedCompositeFieldContainer[_game_pb2.RuleOption]
    catalogue: _game_pb2.Catalogue
    def __init__(self, summary: _Optional[_Union[_game_pb2.GameSummary, _Mapping]] = ..., options: _Optional[_Iterable[_Union[_game_pb2.RuleOption, _Mapping]]] = ..., catalogue: _Optional[_Union[_game_pb2.Catalogue, _Mapping]] = ...) -> None: ...

class NewPositionRequest(_message.Message):
    __slots__ = ("game", "variant", "seats", "first_seat", "rules", "catalogue", "seed")
    GAME_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEAT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    CATALOGUE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    game: str
    variant: str
    seats: int
    first_seat: int
    rules: _game_pb2.Rules
    catalogue: _game_pb2.CatalogueRef
    seed: int
    def __init__(self, game: _Optional[str] = ..., variant: _Optional[str] = ..., seats: _Optional[int] = ..., first_seat: _Optional[int] = ..., rules: _Optional[_Union[_game_pb2.Rules, _Mapping]] = ..., catalogue: _Optional[_Union[_game_pb2.CatalogueRef, _Mapping]] = ..., seed: _Optional[int] = ...) -> None: ...

class NewPositionResponse(_message.Message):
    __slots__ = ("position", "status")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    status: _position_pb2.Status
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., status: _Optional[_Union[_position_pb2.Status, _Mapping]] = ...) -> None: ...

class ObserveRequest(_message.Message):
    __slots__ = ("position", "seat")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    seat: int
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class ObserveResponse(_message.Message):
    __slots__ = ("position", "status")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    status: _position_pb2.Status
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., status: _Optional[_Union[_position_pb2.Status, _Mapping]] = ...) -> None: ...

class ListMovesRequest(_message.Message):
    __slots__ = ("position", "seat")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    seat: int
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class ListMovesResponse(_message.Message):
    __slots__ = ("moves",)
    MOVES_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[_position_pb2.Move]
    def __init__(self, moves: _Optional[_Iterable[_Union[_position_pb2.Move, _Mapping]]] = ...) -> None: ...

class ApplyMoveRequest(_message.Message):
    __slots__ = ("position", "seat", "move", "events", "seed")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    seat: int
    move: _position_pb2.Move
    events: _containers.RepeatedCompositeFieldContainer[_position_pb2.Event]
    seed: int
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., seat: _Optional[int] = ..., move: _Optional[_Union[_position_pb2.Move, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_position_pb2.Event, _Mapping]]] = ..., seed: _Optional[int] = ...) -> None: ...

class ApplyMoveResponse(_message.Message):
    __slots__ = ("position", "events", "status")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    events: _containers.RepeatedCompositeFieldContainer[_position_pb2.Event]
    status: _position_pb2.Status
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_position_pb2.Event, _Mapping]]] = ..., status: _Optional[_Union[_position_pb2.Status, _Mapping]] = ...) -> None: ...

class AdviseRequest(_message.Message):
    __slots__ = ("position", "seat", "limits", "options", "record")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    seat: int
    limits: _advice_pb2.Limits
    options: _advice_pb2.AdviceOptions
    record: _position_pb2.Record
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., seat: _Optional[int] = ..., limits: _Optional[_Union[_advice_pb2.Limits, _Mapping]] = ..., options: _Optional[_Union[_advice_pb2.AdviceOptions, _Mapping]] = ..., record: _Optional[_Union[_position_pb2.Record, _Mapping]] = ...) -> None: ...

class AdviseResponse(_message.Message):
    __slots__ = ("moves", "legal_moves", "exact", "algorithm", "objective", "stop_reason", "simulations", "nodes", "determinizations", "depth", "limits", "trees", "seed", "versions", "timing", "mixes", "outlook", "confidence")
    MOVES_FIELD_NUMBER: _ClassVar[int]
    LEGAL_MOVES_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    SIMULATIONS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    DETERMINIZATIONS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    TREES_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    MIXES_FIELD_NUMBER: _ClassVar[int]
    OUTLOOK_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[_advice_pb2.RankedMove]
    legal_moves: int
    exact: bool
    algorithm: _advice_pb2.Algorithm
    objective: _advice_pb2.Objective
    stop_reason: _advice_pb2.StopReason
    simulations: int
    nodes: int
    determinizations: int
    depth: _advice_pb2.Depth
    limits: _advice_pb2.Limits
    trees: int
    seed: int
    versions: _advice_pb2.Versions
    timing: _advice_pb2.Timing
    mixes: _containers.RepeatedCompositeFieldContainer[_advice_pb2.SeatMix]
    outlook: _advice_pb2.Outlook
    confidence: float
    def __init__(self, moves: _Optional[_Iterable[_Union[_advice_pb2.RankedMove, _Mapping]]] = ..., legal_moves: _Optional[int] = ..., exact: bool = ..., algorithm: _Optional[_Union[_advice_pb2.Algorithm, str]] = ..., objective: _Optional[_Union[_advice_pb2.Objective, str]] = ..., stop_reason: _Optional[_Union[_advice_pb2.StopReason, str]] = ..., simulations: _Optional[int] = ..., nodes: _Optional[int] = ..., determinizations: _Optional[int] = ..., depth: _Optional[_Union[_advice_pb2.Depth, _Mapping]] = ..., limits: _Optional[_Union[_advice_pb2.Limits, _Mapping]] = ..., trees: _Optional[int] = ..., seed: _Optional[int] = ..., versions: _Optional[_Union[_advice_pb2.Versions, _Mapping]] = ..., timing: _Optional[_Union[_advice_pb2.Timing, _Mapping]] = ..., mixes: _Optional[_Iterable[_Union[_advice_pb2.SeatMix, _Mapping]]] = ..., outlook: _Optional[_Union[_advice_pb2.Outlook, _Mapping]] = ..., confidence: _Optional[float] = ...) -> None: ...

class WatchAdviceRequest(_message.Message):
    __slots__ = ("advise", "interval")
    ADVISE_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    advise: AdviseRequest
    interval: _duration_pb2.Duration
    def __init__(self, advise: _Optional[_Union[AdviseRequest, _Mapping]] = ..., interval: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WatchAdviceResponse(_message.Message):
    __slots__ = ("advice", "final")
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    advice: AdviseResponse
    final: bool
    def __init__(self, advice: _Optional[_Union[AdviseResponse, _Mapping]] = ..., final: bool = ...) -> None: ...

class ChooseMoveRequest(_message.Message):
    __slots__ = ("position", "seat", "level", "limits", "options", "seed", "record", "turn_time")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    TURN_TIME_FIELD_NUMBER: _ClassVar[int]
    position: _position_pb2.Position
    seat: int
    level: int
    limits: _advice_pb2.Limits
    options: _advice_pb2.AdviceOptions
    seed: int
    record: _position_pb2.Record
    turn_time: _duration_pb2.Duration
    def __init__(self, position: _Optional[_Union[_position_pb2.Position, _Mapping]] = ..., seat: _Optional[int] = ..., level: _Optional[int] = ..., limits: _Optional[_Union[_advice_pb2.Limits, _Mapping]] = ..., options: _Optional[_Union[_advice_pb2.AdviceOptions, _Mapping]] = ..., seed: _Optional[int] = ..., record: _Optional[_Union[_position_pb2.Record, _Mapping]] = ..., turn_time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ChooseMoveResponse(_message.Message):
    __slots__ = ("moves", "level", "value", "stop_reason", "simulations", "timing")
    MOVES_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    SIMULATIONS_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[_position_pb2.Move]
    level: int
    value: float
    stop_reason: _advice_pb2.StopReason
    simulations: int
    timing: _advice_pb2.Timing
    def __init__(self, moves: _Optional[_Iterable[_Union[_position_pb2.Move, _Mapping]]] = ..., level: _Optional[int] = ..., value: _Optional[float] = ..., stop_reason: _Optional[_Union[_advice_pb2.StopReason, str]] = ..., simulations: _Optional[int] = ..., timing: _Optional[_Union[_advice_pb2.Timing, _Mapping]] = ...) -> None: ...

class AdviseBatchRequest(_message.Message):
    __slots__ = ("id", "advise", "choose", "cancel", "timeout")
    ID_FIELD_NUMBER: _ClassVar[int]
    ADVISE_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    id: str
    advise: AdviseRequest
    choose: ChooseMoveRequest
    cancel: BatchCancel
    timeout: _duration_pb2.Duration
    def __init__(self, id: _Optional[str] = ..., advise: _Optional[_Union[AdviseRequest, _Mapping]] = ..., choose: _Optional[_Union[ChooseMoveRequest, _Mapping]] = ..., cancel: _Optional[_Union[BatchCancel, _Mapping]] = ..., timeout: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class BatchCancel(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AdviseBatchResponse(_message.Message):
    __slots__ = ("id", "advice", "choice", "failure")
    ID_FIELD_NUMBER: _ClassVar[int]
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    id: str
    advice: AdviseResponse
    choice: ChooseMoveResponse
    failure: BatchFailure
    def __init__(self, id: _Optional[str] = ..., advice: _Optional[_Union[AdviseResponse, _Mapping]] = ..., choice: _Optional[_Union[ChooseMoveResponse, _Mapping]] = ..., failure: _Optional[_Union[BatchFailure, _Mapping]] = ...) -> None: ...

class BatchFailure(_message.Message):
    __slots__ = ("code", "reason", "message", "faults", "retry_delay", "metadata")
    class MetadataEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    RETRY_DELAY_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    message: str
    faults: _containers.RepeatedCompositeFieldContainer[FieldFault]
    retry_delay: _duration_pb2.Duration
    metadata: _containers.ScalarMap[str, str]
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[FieldFault, _Mapping]]] = ..., retry_delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., metadata: _Optional[_Mapping[str, str]] = ...) -> None: ...

class FieldFault(_message.Message):
    __slots__ = ("field", "description")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    field: str
    description: str
    def __init__(self, field: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...
