from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OceanKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_KIND_UNSPECIFIED: _ClassVar[OceanKind]
    OCEAN_KIND_PLANT: _ClassVar[OceanKind]
    OCEAN_KIND_CORAL: _ClassVar[OceanKind]
    OCEAN_KIND_TINY: _ClassVar[OceanKind]
    OCEAN_KIND_INVERTEBRATE: _ClassVar[OceanKind]
    OCEAN_KIND_SMALL: _ClassVar[OceanKind]
    OCEAN_KIND_MEDIUM: _ClassVar[OceanKind]
    OCEAN_KIND_GIANT: _ClassVar[OceanKind]
    OCEAN_KIND_CARNIVORE: _ClassVar[OceanKind]

class OceanCondition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_CONDITION_UNSPECIFIED: _ClassVar[OceanCondition]
    OCEAN_CONDITION_FLAT: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_TINY: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_PLANT: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_PLANT_OR_CORAL: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_INVERTEBRATE: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_SMALL: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_TINY_OR_CORAL: _ClassVar[OceanCondition]
    OCEAN_CONDITION_EACH_GIANT_OR_CARNIVORE: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_PLANTS: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_CORALS: _ClassVar[OceanCondition]
    OCEAN_CONDITION_PAIRS: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_SMALL_OR_INVERTEBRATE: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_TINY: _ClassVar[OceanCondition]
    OCEAN_CONDITION_THREE_PLANTS: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_TINY_OR_INVERTEBRATE: _ClassVar[OceanCondition]
    OCEAN_CONDITION_THREE_SMALL_OR_INVERTEBRATE: _ClassVar[OceanCondition]
    OCEAN_CONDITION_TWO_MEDIUM: _ClassVar[OceanCondition]

class OceanIucnCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_IUCN_CATEGORY_UNSPECIFIED: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_NO_CATEGORY: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_NOT_EVALUATED: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_DATA_DEFICIENT: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_LEAST_CONCERN: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_NEAR_THREATENED: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_VULNERABLE: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_ENDANGERED: _ClassVar[OceanIucnCategory]
    OCEAN_IUCN_CATEGORY_CRITICALLY_ENDANGERED: _ClassVar[OceanIucnCategory]

class OceanTopology(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_TOPOLOGY_UNSPECIFIED: _ClassVar[OceanTopology]
    OCEAN_TOPOLOGY_SQUARE: _ClassVar[OceanTopology]
    OCEAN_TOPOLOGY_SQUARE_DIAGONAL: _ClassVar[OceanTopology]
    OCEAN_TOPOLOGY_HEX: _ClassVar[OceanTopology]

class OceanPassing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_PASSING_UNSPECIFIED: _ClassVar[OceanPassing]
    OCEAN_PASSING_LEFT: _ClassVar[OceanPassing]
    OCEAN_PASSING_RIGHT: _ClassVar[OceanPassing]
    OCEAN_PASSING_ALTERNATE: _ClassVar[OceanPassing]

class OceanTargetMatch(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_TARGET_MATCH_UNSPECIFIED: _ClassVar[OceanTargetMatch]
    OCEAN_TARGET_MATCH_CONTAINED: _ClassVar[OceanTargetMatch]
    OCEAN_TARGET_MATCH_WHOLE_SHAPE: _ClassVar[OceanTargetMatch]

class OceanPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCEAN_PHASE_UNSPECIFIED: _ClassVar[OceanPhase]
    OCEAN_PHASE_PICK: _ClassVar[OceanPhase]
    OCEAN_PHASE_PLACE: _ClassVar[OceanPhase]
    OCEAN_PHASE_OVER: _ClassVar[OceanPhase]
OCEAN_KIND_UNSPECIFIED: OceanKind
OCEAN_KIND_PLANT: OceanKind
OCEAN_KIND_CORAL: OceanKind
OCEAN_KIND_TINY: OceanKind
OCEAN_KIND_INVERTEBRATE: OceanKind
OCEAN_KIND_SMALL: OceanKind
OCEAN_KIND_MEDIUM: OceanKind
OCEAN_KIND_GIANT: OceanKind
OCEAN_KIND_CARNIVORE: OceanKind
OCEAN_CONDITION_UNSPECIFIED: OceanCondition
OCEAN_CONDITION_FLAT: OceanCondition
OCEAN_CONDITION_EACH_TINY: OceanCondition
OCEAN_CONDITION_EACH_PLANT: OceanCondition
OCEAN_CONDITION_EACH_PLANT_OR_CORAL: OceanCondition
OCEAN_CONDITION_EACH_INVERTEBRATE: OceanCondition
OCEAN_CONDITION_EACH_SMALL: OceanCondition
OCEAN_CONDITION_EACH_TINY_OR_CORAL: OceanCondition
OCEAN_CONDITION_EACH_GIANT_OR_CARNIVORE: OceanCondition
OCEAN_CONDITION_TWO_PLANTS: OceanCondition
OCEAN_CONDITION_TWO_CORALS: OceanCondition
OCEAN_CONDITION_PAIRS: OceanCondition
OCEAN_CONDITION_TWO_SMALL_OR_INVERTEBRATE: OceanCondition
OCEAN_CONDITION_TWO_TINY: OceanCondition
OCEAN_CONDITION_THREE_PLANTS: OceanCondition
OCEAN_CONDITION_TWO_TINY_OR_INVERTEBRATE: OceanCondition
OCEAN_CONDITION_THREE_SMALL_OR_INVERTEBRATE: OceanCondition
OCEAN_CONDITION_TWO_MEDIUM: OceanCondition
OCEAN_IUCN_CATEGORY_UNSPECIFIED: OceanIucnCategory
OCEAN_IUCN_CATEGORY_NO_CATEGORY: OceanIucnCategory
OCEAN_IUCN_CATEGORY_NOT_EVALUATED: OceanIucnCategory
OCEAN_IUCN_CATEGORY_DATA_DEFICIENT: OceanIucnCategory
OCEAN_IUCN_CATEGORY_LEAST_CONCERN: OceanIucnCategory
OCEAN_IUCN_CATEGORY_NEAR_THREATENED: OceanIucnCategory
OCEAN_IUCN_CATEGORY_VULNERABLE: OceanIucnCategory
OCEAN_IUCN_CATEGORY_ENDANGERED: OceanIucnCategory
OCEAN_IUCN_CATEGORY_CRITICALLY_ENDANGERED: OceanIucnCategory
OCEAN_TOPOLOGY_UNSPECIFIED: OceanTopology
OCEAN_TOPOLOGY_SQUARE: OceanTopology
OCEAN_TOPOLOGY_SQUARE_DIAGONAL: OceanTopology
OCEAN_TOPOLOGY_HEX: OceanTopology
OCEAN_PASSING_UNSPECIFIED: OceanPassing
OCEAN_PASSING_LEFT: OceanPassing
OCEAN_PASSING_RIGHT: OceanPassing
OCEAN_PASSING_ALTERNATE: OceanPassing
OCEAN_TARGET_MATCH_UNSPECIFIED: OceanTargetMatch
OCEAN_TARGET_MATCH_CONTAINED: OceanTargetMatch
OCEAN_TARGET_MATCH_WHOLE_SHAPE: OceanTargetMatch
OCEAN_PHASE_UNSPECIFIED: OceanPhase
OCEAN_PHASE_PICK: OceanPhase
OCEAN_PHASE_PLACE: OceanPhase
OCEAN_PHASE_OVER: OceanPhase

class OceanCell(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class OceanCatalogue(_message.Message):
    __slots__ = ("id", "about", "cards", "targets", "promo_name")
    ID_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    PROMO_NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    about: str
    cards: _containers.RepeatedCompositeFieldContainer[OceanCard]
    targets: _containers.RepeatedCompositeFieldContainer[OceanTarget]
    promo_name: str
    def __init__(self, id: _Optional[str] = ..., about: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[OceanCard, _Mapping]]] = ..., targets: _Optional[_Iterable[_Union[OceanTarget, _Mapping]]] = ..., promo_name: _Optional[str] = ...) -> None: ...

class OceanCard(_message.Message):
    __slots__ = ("name", "scientific_name", "kind", "condition", "iucn_category", "note")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCIENTIFIC_NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    IUCN_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    name: str
    scientific_name: str
    kind: OceanKind
    condition: OceanCondition
    iucn_category: OceanIucnCategory
    note: str
    def __init__(self, name: _Optional[str] = ..., scientific_name: _Optional[str] = ..., kind: _Optional[_Union[OceanKind, str]] = ..., condition: _Optional[_Union[OceanCondition, str]] = ..., iucn_category: _Optional[_Union[OceanIucnCategory, str]] = ..., note: _Optional[str] = ...) -> None: ...

class OceanTarget(_message.Message):
    __slots__ = ("name", "points", "square", "hex")
    NAME_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    HEX_FIELD_NUMBER: _ClassVar[int]
    name: str
    points: int
    square: _containers.RepeatedCompositeFieldContainer[OceanPatternCell]
    hex: _containers.RepeatedCompositeFieldContainer[OceanPatternCell]
    def __init__(self, name: _Optional[str] = ..., points: _Optional[int] = ..., square: _Optional[_Iterable[_Union[OceanPatternCell, _Mapping]]] = ..., hex: _Optional[_Iterable[_Union[OceanPatternCell, _Mapping]]] = ...) -> None: ...

class OceanPatternCell(_message.Message):
    __slots__ = ("x", "y", "kinds")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    kinds: _containers.RepeatedScalarFieldContainer[OceanKind]
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ..., kinds: _Optional[_Iterable[_Union[OceanKind, str]]] = ...) -> None: ...

class OceanRules(_message.Message):
    __slots__ = ("topology", "passing", "same_kind_sets", "target_match", "mirror_targets", "promo", "no_category_counts")
    TOPOLOGY_FIELD_NUMBER: _ClassVar[int]
    PASSING_FIELD_NUMBER: _ClassVar[int]
    SAME_KIND_SETS_FIELD_NUMBER: _ClassVar[int]
    TARGET_MATCH_FIELD_NUMBER: _ClassVar[int]
    MIRROR_TARGETS_FIELD_NUMBER: _ClassVar[int]
    PROMO_FIELD_NUMBER: _ClassVar[int]
    NO_CATEGORY_COUNTS_FIELD_NUMBER: _ClassVar[int]
    topology: OceanTopology
    passing: OceanPassing
    same_kind_sets: bool
    target_match: OceanTargetMatch
    mirror_targets: bool
    promo: bool
    no_category_counts: bool
    def __init__(self, topology: _Optional[_Union[OceanTopology, str]] = ..., passing: _Optional[_Union[OceanPassing, str]] = ..., same_kind_sets: bool = ..., target_match: _Optional[_Union[OceanTargetMatch, str]] = ..., mirror_targets: bool = ..., promo: bool = ..., no_category_counts: bool = ...) -> None: ...

class OceanPosition(_message.Message):
    __slots__ = ("rules", "table", "referee", "seat_knowledge")
    RULES_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REFEREE_FIELD_NUMBER: _ClassVar[int]
    SEAT_KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    rules: OceanRules
    table: OceanTable
    referee: OceanReferee
    seat_knowledge: OceanSeatKnowledge
    def __init__(self, rules: _Optional[_Union[OceanRules, _Mapping]] = ..., table: _Optional[_Union[OceanTable, _Mapping]] = ..., referee: _Optional[_Union[OceanReferee, _Mapping]] = ..., seat_knowledge: _Optional[_Union[OceanSeatKnowledge, _Mapping]] = ...) -> None: ...

class OceanTable(_message.Message):
    __slots__ = ("round", "phase", "seats")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    round: int
    phase: OceanPhase
    seats: _containers.RepeatedCompositeFieldContainer[OceanSeat]
    def __init__(self, round: _Optional[int] = ..., phase: _Optional[_Union[OceanPhase, str]] = ..., seats: _Optional[_Iterable[_Union[OceanSeat, _Mapping]]] = ...) -> None: ...

class OceanSeat(_message.Message):
    __slots__ = ("ocean", "hand_size", "committed", "revealed_card", "targets")
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    REVEALED_CARD_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    ocean: _containers.RepeatedCompositeFieldContainer[OceanPlacedCard]
    hand_size: int
    committed: bool
    revealed_card: int
    targets: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, ocean: _Optional[_Iterable[_Union[OceanPlacedCard, _Mapping]]] = ..., hand_size: _Optional[int] = ..., committed: bool = ..., revealed_card: _Optional[int] = ..., targets: _Optional[_Iterable[int]] = ...) -> None: ...

class OceanPlacedCard(_message.Message):
    __slots__ = ("card", "cell")
    CARD_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    card: int
    cell: OceanCell
    def __init__(self, card: _Optional[int] = ..., cell: _Optional[_Union[OceanCell, _Mapping]] = ...) -> None: ...

class OceanReferee(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[OceanSecrets]
    def __init__(self, seats: _Optional[_Iterable[_Union[OceanSecrets, _Mapping]]] = ...) -> None: ...

class OceanSecrets(_message.Message):
    __slots__ = ("hand", "targets", "commitment")
    HAND_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedScalarFieldContainer[int]
    targets: _containers.RepeatedScalarFieldContainer[int]
    commitment: OceanMove
    def __init__(self, hand: _Optional[_Iterable[int]] = ..., targets: _Optional[_Iterable[int]] = ..., commitment: _Optional[_Union[OceanMove, _Mapping]] = ...) -> None: ...

class OceanSeatKnowledge(_message.Message):
    __slots__ = ("seat", "targets", "commitment", "hands")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    targets: _containers.RepeatedScalarFieldContainer[int]
    commitment: OceanMove
    hands: _containers.RepeatedCompositeFieldContainer[OceanKnownHand]
    def __init__(self, seat: _Optional[int] = ..., targets: _Optional[_Iterable[int]] = ..., commitment: _Optional[_Union[OceanMove, _Mapping]] = ..., hands: _Optional[_Iterable[_Union[OceanKnownHand, _Mapping]]] = ...) -> None: ...

class OceanKnownHand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cards: _Optional[_Iterable[int]] = ...) -> None: ...

class OceanMove(_message.Message):
    __slots__ = ("pick", "place")
    PICK_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    pick: OceanPick
    place: OceanPlace
    def __init__(self, pick: _Optional[_Union[OceanPick, _Mapping]] = ..., place: _Optional[_Union[OceanPlace, _Mapping]] = ...) -> None: ...

class OceanPick(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class OceanPlace(_message.Message):
    __slots__ = ("cell",)
    CELL_FIELD_NUMBER: _ClassVar[int]
    cell: OceanCell
    def __init__(self, cell: _Optional[_Union[OceanCell, _Mapping]] = ...) -> None: ...

class OceanEvent(_message.Message):
    __slots__ = ("committed", "revealed", "passed", "received", "ended")
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    committed: OceanCommitted
    revealed: OceanRevealed
    passed: OceanPassed
    received: OceanReceived
    ended: OceanEnded
    def __init__(self, committed: _Optional[_Union[OceanCommitted, _Mapping]] = ..., revealed: _Optional[_Union[OceanRevealed, _Mapping]] = ..., passed: _Optional[_Union[OceanPassed, _Mapping]] = ..., received: _Optional[_Union[OceanReceived, _Mapping]] = ..., ended: _Optional[_Union[OceanEnded, _Mapping]] = ...) -> None: ...

class OceanCommitted(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class OceanRevealed(_message.Message):
    __slots__ = ("moves",)
    MOVES_FIELD_NUMBER: _ClassVar[int]
    moves: _containers.RepeatedCompositeFieldContainer[OceanSeatMove]
    def __init__(self, moves: _Optional[_Iterable[_Union[OceanSeatMove, _Mapping]]] = ...) -> None: ...

class OceanSeatMove(_message.Message):
    __slots__ = ("seat", "move")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    move: OceanMove
    def __init__(self, seat: _Optional[int] = ..., move: _Optional[_Union[OceanMove, _Mapping]] = ...) -> None: ...

class OceanPassed(_message.Message):
    __slots__ = ("direction",)
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    direction: OceanPassing
    def __init__(self, direction: _Optional[_Union[OceanPassing, str]] = ...) -> None: ...

class OceanReceived(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[int]] = ...) -> None: ...

class OceanEnded(_message.Message):
    __slots__ = ("targets",)
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[OceanHeldTargets]
    def __init__(self, targets: _Optional[_Iterable[_Union[OceanHeldTargets, _Mapping]]] = ...) -> None: ...

class OceanHeldTargets(_message.Message):
    __slots__ = ("targets",)
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, targets: _Optional[_Iterable[int]] = ...) -> None: ...
