from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SanctuaryEdge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_EDGE_UNSPECIFIED: _ClassVar[SanctuaryEdge]
    SANCTUARY_EDGE_RED: _ClassVar[SanctuaryEdge]
    SANCTUARY_EDGE_GREEN: _ClassVar[SanctuaryEdge]
    SANCTUARY_EDGE_PURPLE: _ClassVar[SanctuaryEdge]
    SANCTUARY_EDGE_WALL: _ClassVar[SanctuaryEdge]

class SanctuaryColour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_COLOUR_UNSPECIFIED: _ClassVar[SanctuaryColour]
    SANCTUARY_COLOUR_GRAY: _ClassVar[SanctuaryColour]
    SANCTUARY_COLOUR_PINK: _ClassVar[SanctuaryColour]
    SANCTUARY_COLOUR_YELLOW: _ClassVar[SanctuaryColour]

class SanctuaryEndGame(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_END_GAME_UNSPECIFIED: _ClassVar[SanctuaryEndGame]
    SANCTUARY_END_GAME_PAIRS: _ClassVar[SanctuaryEndGame]
    SANCTUARY_END_GAME_PINK: _ClassVar[SanctuaryEndGame]
    SANCTUARY_END_GAME_YELLOW: _ClassVar[SanctuaryEndGame]

class SanctuaryGoal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_GOAL_UNSPECIFIED: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_YELLOW: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_PINK: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_MANATEES: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_RED_FLOWERS: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_GREEN_FLOWERS: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_PURPLE_FLOWERS: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_LITTLE_FOOD: _ClassVar[SanctuaryGoal]
    SANCTUARY_GOAL_SHAPE: _ClassVar[SanctuaryGoal]

class SanctuaryChallenge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_CHALLENGE_UNSPECIFIED: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_NONE: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_HARVESTER: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_TIGHT_FIT: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_COLOUR_COORDINATED: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_SHORTAGE: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_POWER_CAP: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_WEAK_CUT: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_ARCHITECT: _ClassVar[SanctuaryChallenge]
    SANCTUARY_CHALLENGE_SAVIOUR: _ClassVar[SanctuaryChallenge]

class SanctuaryPlayOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_PLAY_ORDER_UNSPECIFIED: _ClassVar[SanctuaryPlayOrder]
    SANCTUARY_PLAY_ORDER_ROUND_ROBIN: _ClassVar[SanctuaryPlayOrder]
    SANCTUARY_PLAY_ORDER_SEAT_BY_SEAT: _ClassVar[SanctuaryPlayOrder]

class SanctuaryStack(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_STACK_UNSPECIFIED: _ClassVar[SanctuaryStack]
    SANCTUARY_STACK_SMALLER: _ClassVar[SanctuaryStack]
    SANCTUARY_STACK_LARGER: _ClassVar[SanctuaryStack]

class SanctuaryPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_PHASE_UNSPECIFIED: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_SPLIT: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_CHOOSE: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_PICK: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_DISCARD: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_PLAY: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_RETURN: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_FEED: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_DRAW_BONUS: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_DRAW_CARD: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_DRAW_MANATEE: _ClassVar[SanctuaryPhase]
    SANCTUARY_PHASE_OVER: _ClassVar[SanctuaryPhase]

class SanctuaryEndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SANCTUARY_END_REASON_UNSPECIFIED: _ClassVar[SanctuaryEndReason]
    SANCTUARY_END_REASON_ROUNDS: _ClassVar[SanctuaryEndReason]
    SANCTUARY_END_REASON_SENT_BACK: _ClassVar[SanctuaryEndReason]
SANCTUARY_EDGE_UNSPECIFIED: SanctuaryEdge
SANCTUARY_EDGE_RED: SanctuaryEdge
SANCTUARY_EDGE_GREEN: SanctuaryEdge
SANCTUARY_EDGE_PURPLE: SanctuaryEdge
SANCTUARY_EDGE_WALL: SanctuaryEdge
SANCTUARY_COLOUR_UNSPECIFIED: SanctuaryColour
SANCTUARY_COLOUR_GRAY: SanctuaryColour
SANCTUARY_COLOUR_PINK: SanctuaryColour
SANCTUARY_COLOUR_YELLOW: SanctuaryColour
SANCTUARY_END_GAME_UNSPECIFIED: SanctuaryEndGame
SANCTUARY_END_GAME_PAIRS: SanctuaryEndGame
SANCTUARY_END_GAME_PINK: SanctuaryEndGame
SANCTUARY_END_GAME_YELLOW: SanctuaryEndGame
SANCTUARY_GOAL_UNSPECIFIED: SanctuaryGoal
SANCTUARY_GOAL_YELLOW: SanctuaryGoal
SANCTUARY_GOAL_PINK: SanctuaryGoal
SANCTUARY_GOAL_MANATEES: SanctuaryGoal
SANCTUARY_GOAL_RED_FLOWERS: SanctuaryGoal
SANCTUARY_GOAL_GREEN_FLOWERS: SanctuaryGoal
SANCTUARY_GOAL_PURPLE_FLOWERS: SanctuaryGoal
SANCTUARY_GOAL_LITTLE_FOOD: SanctuaryGoal
SANCTUARY_GOAL_SHAPE: SanctuaryGoal
SANCTUARY_CHALLENGE_UNSPECIFIED: SanctuaryChallenge
SANCTUARY_CHALLENGE_NONE: SanctuaryChallenge
SANCTUARY_CHALLENGE_HARVESTER: SanctuaryChallenge
SANCTUARY_CHALLENGE_TIGHT_FIT: SanctuaryChallenge
SANCTUARY_CHALLENGE_COLOUR_COORDINATED: SanctuaryChallenge
SANCTUARY_CHALLENGE_SHORTAGE: SanctuaryChallenge
SANCTUARY_CHALLENGE_POWER_CAP: SanctuaryChallenge
SANCTUARY_CHALLENGE_WEAK_CUT: SanctuaryChallenge
SANCTUARY_CHALLENGE_ARCHITECT: SanctuaryChallenge
SANCTUARY_CHALLENGE_SAVIOUR: SanctuaryChallenge
SANCTUARY_PLAY_ORDER_UNSPECIFIED: SanctuaryPlayOrder
SANCTUARY_PLAY_ORDER_ROUND_ROBIN: SanctuaryPlayOrder
SANCTUARY_PLAY_ORDER_SEAT_BY_SEAT: SanctuaryPlayOrder
SANCTUARY_STACK_UNSPECIFIED: SanctuaryStack
SANCTUARY_STACK_SMALLER: SanctuaryStack
SANCTUARY_STACK_LARGER: SanctuaryStack
SANCTUARY_PHASE_UNSPECIFIED: SanctuaryPhase
SANCTUARY_PHASE_SPLIT: SanctuaryPhase
SANCTUARY_PHASE_CHOOSE: SanctuaryPhase
SANCTUARY_PHASE_PICK: SanctuaryPhase
SANCTUARY_PHASE_DISCARD: SanctuaryPhase
SANCTUARY_PHASE_PLAY: SanctuaryPhase
SANCTUARY_PHASE_RETURN: SanctuaryPhase
SANCTUARY_PHASE_FEED: SanctuaryPhase
SANCTUARY_PHASE_DRAW_BONUS: SanctuaryPhase
SANCTUARY_PHASE_DRAW_CARD: SanctuaryPhase
SANCTUARY_PHASE_DRAW_MANATEE: SanctuaryPhase
SANCTUARY_PHASE_OVER: SanctuaryPhase
SANCTUARY_END_REASON_UNSPECIFIED: SanctuaryEndReason
SANCTUARY_END_REASON_ROUNDS: SanctuaryEndReason
SANCTUARY_END_REASON_SENT_BACK: SanctuaryEndReason

class SanctuaryCell(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class SanctuaryManatees(_message.Message):
    __slots__ = ("gray", "pink", "yellow")
    GRAY_FIELD_NUMBER: _ClassVar[int]
    PINK_FIELD_NUMBER: _ClassVar[int]
    YELLOW_FIELD_NUMBER: _ClassVar[int]
    gray: int
    pink: int
    yellow: int
    def __init__(self, gray: _Optional[int] = ..., pink: _Optional[int] = ..., yellow: _Optional[int] = ...) -> None: ...

class SanctuaryCatalogue(_message.Message):
    __slots__ = ("id", "about", "editions", "bonuses", "solo_track", "challenge_shape")
    ID_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    EDITIONS_FIELD_NUMBER: _ClassVar[int]
    BONUSES_FIELD_NUMBER: _ClassVar[int]
    SOLO_TRACK_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_SHAPE_FIELD_NUMBER: _ClassVar[int]
    id: str
    about: str
    editions: _containers.RepeatedCompositeFieldContainer[SanctuaryEdition]
    bonuses: _containers.RepeatedCompositeFieldContainer[SanctuaryBonus]
    solo_track: SanctuarySoloTrack
    challenge_shape: SanctuaryShape
    def __init__(self, id: _Optional[str] = ..., about: _Optional[str] = ..., editions: _Optional[_Iterable[_Union[SanctuaryEdition, _Mapping]]] = ..., bonuses: _Optional[_Iterable[_Union[SanctuaryBonus, _Mapping]]] = ..., solo_track: _Optional[_Union[SanctuarySoloTrack, _Mapping]] = ..., challenge_shape: _Optional[_Union[SanctuaryShape, _Mapping]] = ...) -> None: ...

class SanctuaryEdition(_message.Message):
    __slots__ = ("name", "cards", "starting_tile")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    STARTING_TILE_FIELD_NUMBER: _ClassVar[int]
    name: str
    cards: _containers.RepeatedCompositeFieldContainer[SanctuaryCard]
    starting_tile: SanctuaryStartingTile
    def __init__(self, name: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[SanctuaryCard, _Mapping]]] = ..., starting_tile: _Optional[_Union[SanctuaryStartingTile, _Mapping]] = ...) -> None: ...

class SanctuaryCard(_message.Message):
    __slots__ = ("count", "strength", "rescues", "random_rescues", "harvests", "edges", "capacity", "end_game")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    RESCUES_FIELD_NUMBER: _ClassVar[int]
    RANDOM_RESCUES_FIELD_NUMBER: _ClassVar[int]
    HARVESTS_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    END_GAME_FIELD_NUMBER: _ClassVar[int]
    count: int
    strength: int
    rescues: SanctuaryManatees
    random_rescues: int
    harvests: int
    edges: _containers.RepeatedScalarFieldContainer[SanctuaryEdge]
    capacity: int
    end_game: SanctuaryEndGame
    def __init__(self, count: _Optional[int] = ..., strength: _Optional[int] = ..., rescues: _Optional[_Union[SanctuaryManatees, _Mapping]] = ..., random_rescues: _Optional[int] = ..., harvests: _Optional[int] = ..., edges: _Optional[_Iterable[_Union[SanctuaryEdge, str]]] = ..., capacity: _Optional[int] = ..., end_game: _Optional[_Union[SanctuaryEndGame, str]] = ...) -> None: ...

class SanctuaryStartingTile(_message.Message):
    __slots__ = ("edges", "capacity")
    EDGES_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    edges: _containers.RepeatedScalarFieldContainer[SanctuaryEdge]
    capacity: int
    def __init__(self, edges: _Optional[_Iterable[_Union[SanctuaryEdge, str]]] = ..., capacity: _Optional[int] = ...) -> None: ...

class SanctuaryBonus(_message.Message):
    __slots__ = ("count", "faces")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FACES_FIELD_NUMBER: _ClassVar[int]
    count: int
    faces: _containers.RepeatedCompositeFieldContainer[SanctuaryFace]
    def __init__(self, count: _Optional[int] = ..., faces: _Optional[_Iterable[_Union[SanctuaryFace, _Mapping]]] = ...) -> None: ...

class SanctuaryFace(_message.Message):
    __slots__ = ("goal", "shape", "points")
    GOAL_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    goal: SanctuaryGoal
    shape: SanctuaryShape
    points: int
    def __init__(self, goal: _Optional[_Union[SanctuaryGoal, str]] = ..., shape: _Optional[_Union[SanctuaryShape, _Mapping]] = ..., points: _Optional[int] = ...) -> None: ...

class SanctuaryShape(_message.Message):
    __slots__ = ("cells",)
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[SanctuaryCell]
    def __init__(self, cells: _Optional[_Iterable[_Union[SanctuaryCell, _Mapping]]] = ...) -> None: ...

class SanctuarySoloTrack(_message.Message):
    __slots__ = ("values", "start")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    start: int
    def __init__(self, values: _Optional[_Iterable[int]] = ..., start: _Optional[int] = ...) -> None: ...

class SanctuaryRules(_message.Message):
    __slots__ = ("allow_small_scramble", "blind_choice", "pooled_space", "play_order", "food_cap", "floor_score_at_zero", "round_bonuses", "mirror_shapes", "challenge")
    ALLOW_SMALL_SCRAMBLE_FIELD_NUMBER: _ClassVar[int]
    BLIND_CHOICE_FIELD_NUMBER: _ClassVar[int]
    POOLED_SPACE_FIELD_NUMBER: _ClassVar[int]
    PLAY_ORDER_FIELD_NUMBER: _ClassVar[int]
    FOOD_CAP_FIELD_NUMBER: _ClassVar[int]
    FLOOR_SCORE_AT_ZERO_FIELD_NUMBER: _ClassVar[int]
    ROUND_BONUSES_FIELD_NUMBER: _ClassVar[int]
    MIRROR_SHAPES_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    allow_small_scramble: bool
    blind_choice: bool
    pooled_space: bool
    play_order: SanctuaryPlayOrder
    food_cap: int
    floor_score_at_zero: bool
    round_bonuses: bool
    mirror_shapes: bool
    challenge: SanctuaryChallenge
    def __init__(self, allow_small_scramble: bool = ..., blind_choice: bool = ..., pooled_space: bool = ..., play_order: _Optional[_Union[SanctuaryPlayOrder, str]] = ..., food_cap: _Optional[int] = ..., floor_score_at_zero: bool = ..., round_bonuses: bool = ..., mirror_shapes: bool = ..., challenge: _Optional[_Union[SanctuaryChallenge, str]] = ...) -> None: ...

class SanctuaryPosition(_message.Message):
    __slots__ = ("rules", "table", "referee", "seat_knowledge")
    RULES_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REFEREE_FIELD_NUMBER: _ClassVar[int]
    SEAT_KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    rules: SanctuaryRules
    table: SanctuaryTable
    referee: SanctuaryReferee
    seat_knowledge: SanctuarySeatKnowledge
    def __init__(self, rules: _Optional[_Union[SanctuaryRules, _Mapping]] = ..., table: _Optional[_Union[SanctuaryTable, _Mapping]] = ..., referee: _Optional[_Union[SanctuaryReferee, _Mapping]] = ..., seat_knowledge: _Optional[_Union[SanctuarySeatKnowledge, _Mapping]] = ...) -> None: ...

class SanctuaryTable(_message.Message):
    __slots__ = ("round", "phase", "turn", "seats", "bags", "newcomers", "draws_left", "bonuses", "drawn", "discards", "token", "strongest_discarded", "sent_back")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BAGS_FIELD_NUMBER: _ClassVar[int]
    NEWCOMERS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_LEFT_FIELD_NUMBER: _ClassVar[int]
    BONUSES_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    STRONGEST_DISCARDED_FIELD_NUMBER: _ClassVar[int]
    SENT_BACK_FIELD_NUMBER: _ClassVar[int]
    round: int
    phase: SanctuaryPhase
    turn: int
    seats: _containers.RepeatedCompositeFieldContainer[SanctuarySeat]
    bags: _containers.RepeatedCompositeFieldContainer[SanctuaryManatees]
    newcomers: SanctuaryManatees
    draws_left: int
    bonuses: _containers.RepeatedScalarFieldContainer[int]
    drawn: _containers.RepeatedScalarFieldContainer[int]
    discards: _containers.RepeatedScalarFieldContainer[int]
    token: int
    strongest_discarded: bool
    sent_back: bool
    def __init__(self, round: _Optional[int] = ..., phase: _Optional[_Union[SanctuaryPhase, str]] = ..., turn: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[SanctuarySeat, _Mapping]]] = ..., bags: _Optional[_Iterable[_Union[SanctuaryManatees, _Mapping]]] = ..., newcomers: _Optional[_Union[SanctuaryManatees, _Mapping]] = ..., draws_left: _Optional[int] = ..., bonuses: _Optional[_Iterable[int]] = ..., drawn: _Optional[_Iterable[int]] = ..., discards: _Optional[_Iterable[int]] = ..., token: _Optional[int] = ..., strongest_discarded: bool = ..., sent_back: bool = ...) -> None: ...

class SanctuarySeat(_message.Message):
    __slots__ = ("score", "food", "manatees", "sanctuary", "tops", "hand_size", "committed", "smaller_stack")
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FOOD_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    TOPS_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    SMALLER_STACK_FIELD_NUMBER: _ClassVar[int]
    score: int
    food: int
    manatees: SanctuaryManatees
    sanctuary: _containers.RepeatedCompositeFieldContainer[SanctuaryPlacedCard]
    tops: _containers.RepeatedScalarFieldContainer[int]
    hand_size: int
    committed: bool
    smaller_stack: int
    def __init__(self, score: _Optional[int] = ..., food: _Optional[int] = ..., manatees: _Optional[_Union[SanctuaryManatees, _Mapping]] = ..., sanctuary: _Optional[_Iterable[_Union[SanctuaryPlacedCard, _Mapping]]] = ..., tops: _Optional[_Iterable[int]] = ..., hand_size: _Optional[int] = ..., committed: bool = ..., smaller_stack: _Optional[int] = ...) -> None: ...

class SanctuaryPlacedCard(_message.Message):
    __slots__ = ("card", "cell", "rotation")
    CARD_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    card: int
    cell: SanctuaryCell
    rotation: int
    def __init__(self, card: _Optional[int] = ..., cell: _Optional[_Union[SanctuaryCell, _Mapping]] = ..., rotation: _Optional[int] = ...) -> None: ...

class SanctuaryReferee(_message.Message):
    __slots__ = ("seats",)
    SEATS_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[SanctuarySecrets]
    def __init__(self, seats: _Optional[_Iterable[_Union[SanctuarySecrets, _Mapping]]] = ...) -> None: ...

class SanctuarySecrets(_message.Message):
    __slots__ = ("hand", "commitment", "made", "left_hand", "right_hand")
    HAND_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    LEFT_HAND_FIELD_NUMBER: _ClassVar[int]
    RIGHT_HAND_FIELD_NUMBER: _ClassVar[int]
    hand: _containers.RepeatedScalarFieldContainer[int]
    commitment: SanctuaryMove
    made: SanctuaryStacks
    left_hand: _containers.RepeatedScalarFieldContainer[int]
    right_hand: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, hand: _Optional[_Iterable[int]] = ..., commitment: _Optional[_Union[SanctuaryMove, _Mapping]] = ..., made: _Optional[_Union[SanctuaryStacks, _Mapping]] = ..., left_hand: _Optional[_Iterable[int]] = ..., right_hand: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuarySeatKnowledge(_message.Message):
    __slots__ = ("seat", "hand", "commitment", "made", "offered", "left_hand", "right_hand")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    LEFT_HAND_FIELD_NUMBER: _ClassVar[int]
    RIGHT_HAND_FIELD_NUMBER: _ClassVar[int]
    seat: int
    hand: _containers.RepeatedScalarFieldContainer[int]
    commitment: SanctuaryMove
    made: SanctuaryStacks
    offered: SanctuaryStacks
    left_hand: _containers.RepeatedScalarFieldContainer[int]
    right_hand: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., hand: _Optional[_Iterable[int]] = ..., commitment: _Optional[_Union[SanctuaryMove, _Mapping]] = ..., made: _Optional[_Union[SanctuaryStacks, _Mapping]] = ..., offered: _Optional[_Union[SanctuaryStacks, _Mapping]] = ..., left_hand: _Optional[_Iterable[int]] = ..., right_hand: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuaryStacks(_message.Message):
    __slots__ = ("smaller", "larger")
    SMALLER_FIELD_NUMBER: _ClassVar[int]
    LARGER_FIELD_NUMBER: _ClassVar[int]
    smaller: _containers.RepeatedScalarFieldContainer[int]
    larger: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, smaller: _Optional[_Iterable[int]] = ..., larger: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuaryMove(_message.Message):
    __slots__ = ("split", "choose", "pick", "discard", "decline", "top", "bottom", "send_back")
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_FIELD_NUMBER: _ClassVar[int]
    PICK_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    DECLINE_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    SEND_BACK_FIELD_NUMBER: _ClassVar[int]
    split: SanctuarySplit
    choose: SanctuaryChoose
    pick: SanctuaryPick
    discard: SanctuaryDiscard
    decline: SanctuaryDecline
    top: SanctuaryPlayTop
    bottom: SanctuaryPlayBottom
    send_back: SanctuaryManatees
    def __init__(self, split: _Optional[_Union[SanctuarySplit, _Mapping]] = ..., choose: _Optional[_Union[SanctuaryChoose, _Mapping]] = ..., pick: _Optional[_Union[SanctuaryPick, _Mapping]] = ..., discard: _Optional[_Union[SanctuaryDiscard, _Mapping]] = ..., decline: _Optional[_Union[SanctuaryDecline, _Mapping]] = ..., top: _Optional[_Union[SanctuaryPlayTop, _Mapping]] = ..., bottom: _Optional[_Union[SanctuaryPlayBottom, _Mapping]] = ..., send_back: _Optional[_Union[SanctuaryManatees, _Mapping]] = ...) -> None: ...

class SanctuarySplit(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cards: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuaryChoose(_message.Message):
    __slots__ = ("stack",)
    STACK_FIELD_NUMBER: _ClassVar[int]
    stack: SanctuaryStack
    def __init__(self, stack: _Optional[_Union[SanctuaryStack, str]] = ...) -> None: ...

class SanctuaryPick(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class SanctuaryDiscard(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class SanctuaryDecline(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SanctuaryPlayTop(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class SanctuaryPlayBottom(_message.Message):
    __slots__ = ("card", "cell", "rotation")
    CARD_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    card: int
    cell: SanctuaryCell
    rotation: int
    def __init__(self, card: _Optional[int] = ..., cell: _Optional[_Union[SanctuaryCell, _Mapping]] = ..., rotation: _Optional[int] = ...) -> None: ...

class SanctuaryEvent(_message.Message):
    __slots__ = ("bonus_drawn", "card_dealt", "card_received", "card_drawn", "committed", "stacks_offered", "stacks_seen", "stacks_chosen", "hand_taken", "picked", "discarded", "declined", "top_played", "bottom_played", "manatee_drawn", "returned", "housed", "fed", "scored", "round_begun", "ended")
    BONUS_DRAWN_FIELD_NUMBER: _ClassVar[int]
    CARD_DEALT_FIELD_NUMBER: _ClassVar[int]
    CARD_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    CARD_DRAWN_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_FIELD_NUMBER: _ClassVar[int]
    STACKS_OFFERED_FIELD_NUMBER: _ClassVar[int]
    STACKS_SEEN_FIELD_NUMBER: _ClassVar[int]
    STACKS_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    HAND_TAKEN_FIELD_NUMBER: _ClassVar[int]
    PICKED_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    DECLINED_FIELD_NUMBER: _ClassVar[int]
    TOP_PLAYED_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_PLAYED_FIELD_NUMBER: _ClassVar[int]
    MANATEE_DRAWN_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    HOUSED_FIELD_NUMBER: _ClassVar[int]
    FED_FIELD_NUMBER: _ClassVar[int]
    SCORED_FIELD_NUMBER: _ClassVar[int]
    ROUND_BEGUN_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    bonus_drawn: SanctuaryBonusDrawn
    card_dealt: SanctuaryCardDealt
    card_received: SanctuaryCardReceived
    card_drawn: SanctuaryCardDrawn
    committed: SanctuaryCommitted
    stacks_offered: SanctuaryStacksOffered
    stacks_seen: SanctuaryStacksSeen
    stacks_chosen: SanctuaryStacksChosen
    hand_taken: SanctuaryHandTaken
    picked: SanctuaryPicked
    discarded: SanctuaryDiscarded
    declined: SanctuaryDeclined
    top_played: SanctuaryTopPlayed
    bottom_played: SanctuaryBottomPlayed
    manatee_drawn: SanctuaryManateeDrawn
    returned: SanctuaryReturned
    housed: SanctuaryHoused
    fed: SanctuaryFed
    scored: SanctuaryScored
    round_begun: SanctuaryRoundBegun
    ended: SanctuaryEnded
    def __init__(self, bonus_drawn: _Optional[_Union[SanctuaryBonusDrawn, _Mapping]] = ..., card_dealt: _Optional[_Union[SanctuaryCardDealt, _Mapping]] = ..., card_received: _Optional[_Union[SanctuaryCardReceived, _Mapping]] = ..., card_drawn: _Optional[_Union[SanctuaryCardDrawn, _Mapping]] = ..., committed: _Optional[_Union[SanctuaryCommitted, _Mapping]] = ..., stacks_offered: _Optional[_Union[SanctuaryStacksOffered, _Mapping]] = ..., stacks_seen: _Optional[_Union[SanctuaryStacksSeen, _Mapping]] = ..., stacks_chosen: _Optional[_Union[SanctuaryStacksChosen, _Mapping]] = ..., hand_taken: _Optional[_Union[SanctuaryHandTaken, _Mapping]] = ..., picked: _Optional[_Union[SanctuaryPicked, _Mapping]] = ..., discarded: _Optional[_Union[SanctuaryDiscarded, _Mapping]] = ..., declined: _Optional[_Union[SanctuaryDeclined, _Mapping]] = ..., top_played: _Optional[_Union[SanctuaryTopPlayed, _Mapping]] = ..., bottom_played: _Optional[_Union[SanctuaryBottomPlayed, _Mapping]] = ..., manatee_drawn: _Optional[_Union[SanctuaryManateeDrawn, _Mapping]] = ..., returned: _Optional[_Union[SanctuaryReturned, _Mapping]] = ..., housed: _Optional[_Union[SanctuaryHoused, _Mapping]] = ..., fed: _Optional[_Union[SanctuaryFed, _Mapping]] = ..., scored: _Optional[_Union[SanctuaryScored, _Mapping]] = ..., round_begun: _Optional[_Union[SanctuaryRoundBegun, _Mapping]] = ..., ended: _Optional[_Union[SanctuaryEnded, _Mapping]] = ...) -> None: ...

class SanctuaryBonusDrawn(_message.Message):
    __slots__ = ("bonus", "round")
    BONUS_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    bonus: int
    round: int
    def __init__(self, bonus: _Optional[int] = ..., round: _Optional[int] = ...) -> None: ...

class SanctuaryCardDealt(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class SanctuaryCardReceived(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: int
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[int] = ...) -> None: ...

class SanctuaryCardDrawn(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class SanctuaryCommitted(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class SanctuaryStacksOffered(_message.Message):
    __slots__ = ("smaller_stacks",)
    SMALLER_STACKS_FIELD_NUMBER: _ClassVar[int]
    smaller_stacks: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, smaller_stacks: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuaryStacksSeen(_message.Message):
    __slots__ = ("seat", "stacks")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STACKS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    stacks: SanctuaryStacks
    def __init__(self, seat: _Optional[int] = ..., stacks: _Optional[_Union[SanctuaryStacks, _Mapping]] = ...) -> None: ...

class SanctuaryStacksChosen(_message.Message):
    __slots__ = ("kept",)
    KEPT_FIELD_NUMBER: _ClassVar[int]
    kept: _containers.RepeatedScalarFieldContainer[SanctuaryStack]
    def __init__(self, kept: _Optional[_Iterable[_Union[SanctuaryStack, str]]] = ...) -> None: ...

class SanctuaryHandTaken(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[int]] = ...) -> None: ...

class SanctuaryPicked(_message.Message):
    __slots__ = ("card", "discarded", "token")
    CARD_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    card: int
    discarded: int
    token: int
    def __init__(self, card: _Optional[int] = ..., discarded: _Optional[int] = ..., token: _Optional[int] = ...) -> None: ...

class SanctuaryDiscarded(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class SanctuaryDeclined(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SanctuaryTopPlayed(_message.Message):
    __slots__ = ("seat", "card", "harvest", "taken")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    HARVEST_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: int
    harvest: int
    taken: SanctuaryManatees
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[int] = ..., harvest: _Optional[int] = ..., taken: _Optional[_Union[SanctuaryManatees, _Mapping]] = ...) -> None: ...

class SanctuaryBottomPlayed(_message.Message):
    __slots__ = ("seat", "card", "cell", "rotation", "flowers")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    FLOWERS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: int
    cell: SanctuaryCell
    rotation: int
    flowers: int
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[int] = ..., cell: _Optional[_Union[SanctuaryCell, _Mapping]] = ..., rotation: _Optional[int] = ..., flowers: _Optional[int] = ...) -> None: ...

class SanctuaryManateeDrawn(_message.Message):
    __slots__ = ("seat", "colour")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    seat: int
    colour: SanctuaryColour
    def __init__(self, seat: _Optional[int] = ..., colour: _Optional[_Union[SanctuaryColour, str]] = ...) -> None: ...

class SanctuaryReturned(_message.Message):
    __slots__ = ("seat", "manatees")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    manatees: SanctuaryManatees
    def __init__(self, seat: _Optional[int] = ..., manatees: _Optional[_Union[SanctuaryManatees, _Mapping]] = ...) -> None: ...

class SanctuaryHoused(_message.Message):
    __slots__ = ("seat", "manatees")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    manatees: SanctuaryManatees
    def __init__(self, seat: _Optional[int] = ..., manatees: _Optional[_Union[SanctuaryManatees, _Mapping]] = ...) -> None: ...

class SanctuaryFed(_message.Message):
    __slots__ = ("seat", "food")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FOOD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    food: int
    def __init__(self, seat: _Optional[int] = ..., food: _Optional[int] = ...) -> None: ...

class SanctuaryScored(_message.Message):
    __slots__ = ("seat", "manatees", "bonus", "track", "end_game", "score")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    TRACK_FIELD_NUMBER: _ClassVar[int]
    END_GAME_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    manatees: int
    bonus: int
    track: int
    end_game: int
    score: int
    def __init__(self, seat: _Optional[int] = ..., manatees: _Optional[int] = ..., bonus: _Optional[int] = ..., track: _Optional[int] = ..., end_game: _Optional[int] = ..., score: _Optional[int] = ...) -> None: ...

class SanctuaryRoundBegun(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: int
    def __init__(self, round: _Optional[int] = ...) -> None: ...

class SanctuaryEnded(_message.Message):
    __slots__ = ("reason", "tier", "challenge_won")
    REASON_FIELD_NUMBER: _ClassVar[int]
    TIER_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_WON_FIELD_NUMBER: _ClassVar[int]
    reason: SanctuaryEndReason
    tier: int
    challenge_won: bool
    def __init__(self, reason: _Optional[_Union[SanctuaryEndReason, str]] = ..., tier: _Optional[int] = ..., challenge_won: bool = ...) -> None: ...
