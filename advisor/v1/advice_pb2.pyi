import datetime

from advisor.v1 import game_pb2 as _game_pb2
from advisor.v1 import position_pb2 as _position_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Algorithm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ALGORITHM_UNSPECIFIED: _ClassVar[Algorithm]
    ALGORITHM_MCTS: _ClassVar[Algorithm]
    ALGORITHM_UCT: _ClassVar[Algorithm]
    ALGORITHM_FLAT: _ClassVar[Algorithm]
    ALGORITHM_GREEDY: _ClassVar[Algorithm]
    ALGORITHM_RANDOM: _ClassVar[Algorithm]
    ALGORITHM_EXPECTIMAX: _ClassVar[Algorithm]

class Objective(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OBJECTIVE_UNSPECIFIED: _ClassVar[Objective]
    OBJECTIVE_WIN: _ClassVar[Objective]
    OBJECTIVE_SCORE: _ClassVar[Objective]

class StopReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOP_REASON_UNSPECIFIED: _ClassVar[StopReason]
    STOP_REASON_SIMULATIONS: _ClassVar[StopReason]
    STOP_REASON_TIME: _ClassVar[StopReason]
    STOP_REASON_DEADLINE: _ClassVar[StopReason]
    STOP_REASON_MEMORY: _ClassVar[StopReason]
    STOP_REASON_CANCELLED: _ClassVar[StopReason]
    STOP_REASON_IMMEDIATE: _ClassVar[StopReason]
    STOP_REASON_SOLVED: _ClassVar[StopReason]
    STOP_REASON_DEPTH: _ClassVar[StopReason]
ALGORITHM_UNSPECIFIED: Algorithm
ALGORITHM_MCTS: Algorithm
ALGORITHM_UCT: Algorithm
ALGORITHM_FLAT: Algorithm
ALGORITHM_GREEDY: Algorithm
ALGORITHM_RANDOM: Algorithm
ALGORITHM_EXPECTIMAX: Algorithm
OBJECTIVE_UNSPECIFIED: Objective
OBJECTIVE_WIN: Objective
OBJECTIVE_SCORE: Objective
STOP_REASON_UNSPECIFIED: StopReason
STOP_REASON_SIMULATIONS: StopReason
STOP_REASON_TIME: StopReason
STOP_REASON_DEADLINE: StopReason
STOP_REASON_MEMORY: StopReason
STOP_REASON_CANCELLED: StopReason
STOP_REASON_IMMEDIATE: StopReason
STOP_REASON_SOLVED: StopReason
STOP_REASON_DEPTH: StopReason

class Limits(_message.Message):
    __slots__ = ("simulations", "time", "depth", "memory_bytes")
    SIMULATIONS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    simulations: int
    time: _duration_pb2.Duration
    depth: int
    memory_bytes: int
    def __init__(self, simulations: _Optional[int] = ..., time: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., depth: _Optional[int] = ..., memory_bytes: _Optional[int] = ...) -> None: ...

class AdviceOptions(_message.Message):
    __slots__ = ("algorithm", "objective", "trees", "threads", "seed", "max_moves", "allow_moves", "avoid_moves", "report_moves", "confidence", "priority")
    ALGORITHM_FIELD_NUMBER: _ClassVar[int]
    OBJECTIVE_FIELD_NUMBER: _ClassVar[int]
    TREES_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MAX_MOVES_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MOVES_FIELD_NUMBER: _ClassVar[int]
    AVOID_MOVES_FIELD_NUMBER: _ClassVar[int]
    REPORT_MOVES_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    algorithm: Algorithm
    objective: Objective
    trees: int
    threads: int
    seed: int
    max_moves: int
    allow_moves: _containers.RepeatedCompositeFieldContainer[_position_pb2.Move]
    avoid_moves: _containers.RepeatedCompositeFieldContainer[_position_pb2.Move]
    report_moves: _containers.RepeatedCompositeFieldContainer[_position_pb2.Move]
    confidence: float
    priority: int
    def __init__(self, algorithm: _Optional[_Union[Algorithm, str]] = ..., objective: _Optional[_Union[Objective, str]] = ..., trees: _Optional[int] = ..., threads: _Optional[int] = ..., seed: _Optional[int] = ..., max_moves: _Optional[int] = ..., allow_moves: _Optional[_Iterable[_Union[_position_pb2.Move, _Mapping]]] = ..., avoid_moves: _Optional[_Iterable[_Union[_position_pb2.Move, _Mapping]]] = ..., report_moves: _Optional[_Iterable[_Union[_position_pb2.Move, _Mapping]]] = ..., confidence: _Optional[float] = ..., priority: _Optional[int] = ...) -> None: ...

class RankedMove(_message.Message):
    __slots__ = ("rank", "move", "visits", "prior", "value", "standard_error", "win_share", "expected_score", "score_spread", "line", "playable", "interval", "tied_with_best")
    RANK_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    VISITS_FIELD_NUMBER: _ClassVar[int]
    PRIOR_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    STANDARD_ERROR_FIELD_NUMBER: _ClassVar[int]
    WIN_SHARE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORE_SPREAD_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    PLAYABLE_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    TIED_WITH_BEST_FIELD_NUMBER: _ClassVar[int]
    rank: int
    move: _position_pb2.Move
    visits: int
    prior: float
    value: float
    standard_error: float
    win_share: _containers.RepeatedScalarFieldContainer[float]
    expected_score: _containers.RepeatedScalarFieldContainer[float]
    score_spread: _containers.RepeatedScalarFieldContainer[float]
    line: _containers.RepeatedCompositeFieldContainer[_position_pb2.SeatMove]
    playable: int
    interval: Interval
    tied_with_best: bool
    def __init__(self, rank: _Optional[int] = ..., move: _Optional[_Union[_position_pb2.Move, _Mapping]] = ..., visits: _Optional[int] = ..., prior: _Optional[float] = ..., value: _Optional[float] = ..., standard_error: _Optional[float] = ..., win_share: _Optional[_Iterable[float]] = ..., expected_score: _Optional[_Iterable[float]] = ..., score_spread: _Optional[_Iterable[float]] = ..., line: _Optional[_Iterable[_Union[_position_pb2.SeatMove, _Mapping]]] = ..., playable: _Optional[int] = ..., interval: _Optional[_Union[Interval, _Mapping]] = ..., tied_with_best: bool = ...) -> None: ...

class Interval(_message.Message):
    __slots__ = ("low", "high")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class Outlook(_message.Message):
    __slots__ = ("win_share", "expected_score", "score_spread")
    WIN_SHARE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_SCORE_FIELD_NUMBER: _ClassVar[int]
    SCORE_SPREAD_FIELD_NUMBER: _ClassVar[int]
    win_share: _containers.RepeatedScalarFieldContainer[float]
    expected_score: _containers.RepeatedScalarFieldContainer[float]
    score_spread: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, win_share: _Optional[_Iterable[float]] = ..., expected_score: _Optional[_Iterable[float]] = ..., score_spread: _Optional[_Iterable[float]] = ...) -> None: ...

class SeatMix(_message.Message):
    __slots__ = ("seat", "moves")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    moves: _containers.RepeatedCompositeFieldContainer[MixedMove]
    def __init__(self, seat: _Optional[int] = ..., moves: _Optional[_Iterable[_Union[MixedMove, _Mapping]]] = ...) -> None: ...

class MixedMove(_message.Message):
    __slots__ = ("move", "probability")
    MOVE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    move: _position_pb2.Move
    probability: float
    def __init__(self, move: _Optional[_Union[_position_pb2.Move, _Mapping]] = ..., probability: _Optional[float] = ...) -> None: ...

class Depth(_message.Message):
    __slots__ = ("mean_decisions", "max_decisions", "mean_turns", "max_turns")
    MEAN_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    MEAN_TURNS_FIELD_NUMBER: _ClassVar[int]
    MAX_TURNS_FIELD_NUMBER: _ClassVar[int]
    mean_decisions: float
    max_decisions: int
    mean_turns: float
    max_turns: int
    def __init__(self, mean_decisions: _Optional[float] = ..., max_decisions: _Optional[int] = ..., mean_turns: _Optional[float] = ..., max_turns: _Optional[int] = ...) -> None: ...

class Versions(_message.Message):
    __slots__ = ("sirenia", "kernel", "catalogue")
    SIRENIA_FIELD_NUMBER: _ClassVar[int]
    KERNEL_FIELD_NUMBER: _ClassVar[int]
    CATALOGUE_FIELD_NUMBER: _ClassVar[int]
    sirenia: str
    kernel: int
    catalogue: _game_pb2.CatalogueRef
    def __init__(self, sirenia: _Optional[str] = ..., kernel: _Optional[int] = ..., catalogue: _Optional[_Union[_game_pb2.CatalogueRef, _Mapping]] = ...) -> None: ...

class Timing(_message.Message):
    __slots__ = ("queued_ms", "converted_ms", "searched_ms", "total_ms", "simulations_per_second", "threads", "request_id", "cached")
    QUEUED_MS_FIELD_NUMBER: _ClassVar[int]
    CONVERTED_MS_FIELD_NUMBER: _ClassVar[int]
    SEARCHED_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    SIMULATIONS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CACHED_FIELD_NUMBER: _ClassVar[int]
    queued_ms: float
    converted_ms: float
    searched_ms: float
    total_ms: float
    simulations_per_second: float
    threads: int
    request_id: str
    cached: bool
    def __init__(self, queued_ms: _Optional[float] = ..., converted_ms: _Optional[float] = ..., searched_ms: _Optional[float] = ..., total_ms: _Optional[float] = ..., simulations_per_second: _Optional[float] = ..., threads: _Optional[int] = ..., request_id: _Optional[str] = ..., cached: bool = ...) -> None: ...
