from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HeartIcon(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_ICON_UNSPECIFIED: _ClassVar[HeartIcon]
    HEART_ICON_BLANK: _ClassVar[HeartIcon]
    HEART_ICON_FOOD: _ClassVar[HeartIcon]
    HEART_ICON_DIVER: _ClassVar[HeartIcon]
    HEART_ICON_FISH: _ClassVar[HeartIcon]
    HEART_ICON_CORAL: _ClassVar[HeartIcon]
    HEART_ICON_RESCUE: _ClassVar[HeartIcon]
    HEART_ICON_SWIM: _ClassVar[HeartIcon]

class HeartAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_ACTION_UNSPECIFIED: _ClassVar[HeartAction]
    HEART_ACTION_RESCUE: _ClassVar[HeartAction]
    HEART_ACTION_SWIM: _ClassVar[HeartAction]
    HEART_ACTION_PHOTO: _ClassVar[HeartAction]
    HEART_ACTION_SHARK: _ClassVar[HeartAction]

class HeartColour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_COLOUR_UNSPECIFIED: _ClassVar[HeartColour]
    HEART_COLOUR_GREEN: _ClassVar[HeartColour]
    HEART_COLOUR_ORANGE: _ClassVar[HeartColour]

class HeartCounted(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_COUNTED_UNSPECIFIED: _ClassVar[HeartCounted]
    HEART_COUNTED_ICONS: _ClassVar[HeartCounted]
    HEART_COUNTED_MANATEES: _ClassVar[HeartCounted]
    HEART_COUNTED_TILES: _ClassVar[HeartCounted]

class HeartPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_PHASE_UNSPECIFIED: _ClassVar[HeartPhase]
    HEART_PHASE_TAKE: _ClassVar[HeartPhase]
    HEART_PHASE_PLACE: _ClassVar[HeartPhase]
    HEART_PHASE_SWIM: _ClassVar[HeartPhase]
    HEART_PHASE_PHOTO: _ClassVar[HeartPhase]
    HEART_PHASE_SHARK: _ClassVar[HeartPhase]
    HEART_PHASE_DRAW_FIRST: _ClassVar[HeartPhase]
    HEART_PHASE_DRAW_TILE: _ClassVar[HeartPhase]
    HEART_PHASE_DRAW_PHOTO: _ClassVar[HeartPhase]
    HEART_PHASE_ROLL_DIE: _ClassVar[HeartPhase]
    HEART_PHASE_OVER: _ClassVar[HeartPhase]

class HeartTriggerReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_TRIGGER_REASON_UNSPECIFIED: _ClassVar[HeartTriggerReason]
    HEART_TRIGGER_REASON_SUPPLY: _ClassVar[HeartTriggerReason]
    HEART_TRIGGER_REASON_PHOTOS: _ClassVar[HeartTriggerReason]

class HeartEndReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEART_END_REASON_UNSPECIFIED: _ClassVar[HeartEndReason]
    HEART_END_REASON_LAST_TURN: _ClassVar[HeartEndReason]
    HEART_END_REASON_NO_TILES: _ClassVar[HeartEndReason]
    HEART_END_REASON_NOTHING_PLACED: _ClassVar[HeartEndReason]
HEART_ICON_UNSPECIFIED: HeartIcon
HEART_ICON_BLANK: HeartIcon
HEART_ICON_FOOD: HeartIcon
HEART_ICON_DIVER: HeartIcon
HEART_ICON_FISH: HeartIcon
HEART_ICON_CORAL: HeartIcon
HEART_ICON_RESCUE: HeartIcon
HEART_ICON_SWIM: HeartIcon
HEART_ACTION_UNSPECIFIED: HeartAction
HEART_ACTION_RESCUE: HeartAction
HEART_ACTION_SWIM: HeartAction
HEART_ACTION_PHOTO: HeartAction
HEART_ACTION_SHARK: HeartAction
HEART_COLOUR_UNSPECIFIED: HeartColour
HEART_COLOUR_GREEN: HeartColour
HEART_COLOUR_ORANGE: HeartColour
HEART_COUNTED_UNSPECIFIED: HeartCounted
HEART_COUNTED_ICONS: HeartCounted
HEART_COUNTED_MANATEES: HeartCounted
HEART_COUNTED_TILES: HeartCounted
HEART_PHASE_UNSPECIFIED: HeartPhase
HEART_PHASE_TAKE: HeartPhase
HEART_PHASE_PLACE: HeartPhase
HEART_PHASE_SWIM: HeartPhase
HEART_PHASE_PHOTO: HeartPhase
HEART_PHASE_SHARK: HeartPhase
HEART_PHASE_DRAW_FIRST: HeartPhase
HEART_PHASE_DRAW_TILE: HeartPhase
HEART_PHASE_DRAW_PHOTO: HeartPhase
HEART_PHASE_ROLL_DIE: HeartPhase
HEART_PHASE_OVER: HeartPhase
HEART_TRIGGER_REASON_UNSPECIFIED: HeartTriggerReason
HEART_TRIGGER_REASON_SUPPLY: HeartTriggerReason
HEART_TRIGGER_REASON_PHOTOS: HeartTriggerReason
HEART_END_REASON_UNSPECIFIED: HeartEndReason
HEART_END_REASON_LAST_TURN: HeartEndReason
HEART_END_REASON_NO_TILES: HeartEndReason
HEART_END_REASON_NOTHING_PLACED: HeartEndReason

class HeartCell(_message.Message):
    __slots__ = ("x", "y")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    x: int
    y: int
    def __init__(self, x: _Optional[int] = ..., y: _Optional[int] = ...) -> None: ...

class HeartCatalogue(_message.Message):
    __slots__ = ("id", "about", "tiles", "starting_tiles", "photos", "die_faces", "actions")
    ID_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    STARTING_TILES_FIELD_NUMBER: _ClassVar[int]
    PHOTOS_FIELD_NUMBER: _ClassVar[int]
    DIE_FACES_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    about: str
    tiles: _containers.RepeatedCompositeFieldContainer[HeartTile]
    starting_tiles: _containers.RepeatedCompositeFieldContainer[HeartStartingTile]
    photos: _containers.RepeatedCompositeFieldContainer[HeartPhoto]
    die_faces: _containers.RepeatedCompositeFieldContainer[HeartDieFace]
    actions: _containers.RepeatedScalarFieldContainer[HeartAction]
    def __init__(self, id: _Optional[str] = ..., about: _Optional[str] = ..., tiles: _Optional[_Iterable[_Union[HeartTile, _Mapping]]] = ..., starting_tiles: _Optional[_Iterable[_Union[HeartStartingTile, _Mapping]]] = ..., photos: _Optional[_Iterable[_Union[HeartPhoto, _Mapping]]] = ..., die_faces: _Optional[_Iterable[_Union[HeartDieFace, _Mapping]]] = ..., actions: _Optional[_Iterable[_Union[HeartAction, str]]] = ...) -> None: ...

class HeartTile(_message.Message):
    __slots__ = ("count", "edges")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    count: int
    edges: _containers.RepeatedScalarFieldContainer[HeartIcon]
    def __init__(self, count: _Optional[int] = ..., edges: _Optional[_Iterable[_Union[HeartIcon, str]]] = ...) -> None: ...

class HeartStartingTile(_message.Message):
    __slots__ = ("edges",)
    EDGES_FIELD_NUMBER: _ClassVar[int]
    edges: _containers.RepeatedScalarFieldContainer[HeartIcon]
    def __init__(self, edges: _Optional[_Iterable[_Union[HeartIcon, str]]] = ...) -> None: ...

class HeartPhoto(_message.Message):
    __slots__ = ("name", "count", "colour", "points", "requirement", "scoring")
    NAME_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    REQUIREMENT_FIELD_NUMBER: _ClassVar[int]
    SCORING_FIELD_NUMBER: _ClassVar[int]
    name: str
    count: int
    colour: HeartColour
    points: int
    requirement: _containers.RepeatedCompositeFieldContainer[HeartDemand]
    scoring: HeartScoring
    def __init__(self, name: _Optional[str] = ..., count: _Optional[int] = ..., colour: _Optional[_Union[HeartColour, str]] = ..., points: _Optional[int] = ..., requirement: _Optional[_Iterable[_Union[HeartDemand, _Mapping]]] = ..., scoring: _Optional[_Union[HeartScoring, _Mapping]] = ...) -> None: ...

class HeartDemand(_message.Message):
    __slots__ = ("icons", "pattern")
    ICONS_FIELD_NUMBER: _ClassVar[int]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    icons: HeartIconDemand
    pattern: HeartPattern
    def __init__(self, icons: _Optional[_Union[HeartIconDemand, _Mapping]] = ..., pattern: _Optional[_Union[HeartPattern, _Mapping]] = ...) -> None: ...

class HeartIconDemand(_message.Message):
    __slots__ = ("icon", "at_least")
    ICON_FIELD_NUMBER: _ClassVar[int]
    AT_LEAST_FIELD_NUMBER: _ClassVar[int]
    icon: HeartIcon
    at_least: int
    def __init__(self, icon: _Optional[_Union[HeartIcon, str]] = ..., at_least: _Optional[int] = ...) -> None: ...

class HeartPattern(_message.Message):
    __slots__ = ("cells", "edges", "manatees")
    CELLS_FIELD_NUMBER: _ClassVar[int]
    EDGES_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[HeartCell]
    edges: _containers.RepeatedCompositeFieldContainer[HeartPatternEdge]
    manatees: int
    def __init__(self, cells: _Optional[_Iterable[_Union[HeartCell, _Mapping]]] = ..., edges: _Optional[_Iterable[_Union[HeartPatternEdge, _Mapping]]] = ..., manatees: _Optional[int] = ...) -> None: ...

class HeartPatternEdge(_message.Message):
    __slots__ = ("first_cell", "second_cell", "icon")
    FIRST_CELL_FIELD_NUMBER: _ClassVar[int]
    SECOND_CELL_FIELD_NUMBER: _ClassVar[int]
    ICON_FIELD_NUMBER: _ClassVar[int]
    first_cell: int
    second_cell: int
    icon: HeartIcon
    def __init__(self, first_cell: _Optional[int] = ..., second_cell: _Optional[int] = ..., icon: _Optional[_Union[HeartIcon, str]] = ...) -> None: ...

class HeartScoring(_message.Message):
    __slots__ = ("counted", "icon", "per")
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    ICON_FIELD_NUMBER: _ClassVar[int]
    PER_FIELD_NUMBER: _ClassVar[int]
    counted: HeartCounted
    icon: HeartIcon
    per: int
    def __init__(self, counted: _Optional[_Union[HeartCounted, str]] = ..., icon: _Optional[_Union[HeartIcon, str]] = ..., per: _Optional[int] = ...) -> None: ...

class HeartDieFace(_message.Message):
    __slots__ = ("count", "relocate", "attractions")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    RELOCATE_FIELD_NUMBER: _ClassVar[int]
    ATTRACTIONS_FIELD_NUMBER: _ClassVar[int]
    count: int
    relocate: bool
    attractions: _containers.RepeatedScalarFieldContainer[HeartIcon]
    def __init__(self, count: _Optional[int] = ..., relocate: bool = ..., attractions: _Optional[_Iterable[_Union[HeartIcon, str]]] = ...) -> None: ...

class HeartRules(_message.Message):
    __slots__ = ("reshuffle_discards", "repeat_swimmers", "swims_mandatory", "starting_tile_blocks", "orange_needs_requirement", "mirror_patterns", "bonus_tile_optional")
    RESHUFFLE_DISCARDS_FIELD_NUMBER: _ClassVar[int]
    REPEAT_SWIMMERS_FIELD_NUMBER: _ClassVar[int]
    SWIMS_MANDATORY_FIELD_NUMBER: _ClassVar[int]
    STARTING_TILE_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    ORANGE_NEEDS_REQUIREMENT_FIELD_NUMBER: _ClassVar[int]
    MIRROR_PATTERNS_FIELD_NUMBER: _ClassVar[int]
    BONUS_TILE_OPTIONAL_FIELD_NUMBER: _ClassVar[int]
    reshuffle_discards: bool
    repeat_swimmers: bool
    swims_mandatory: bool
    starting_tile_blocks: bool
    orange_needs_requirement: bool
    mirror_patterns: bool
    bonus_tile_optional: bool
    def __init__(self, reshuffle_discards: bool = ..., repeat_swimmers: bool = ..., swims_mandatory: bool = ..., starting_tile_blocks: bool = ..., orange_needs_requirement: bool = ..., mirror_patterns: bool = ..., bonus_tile_optional: bool = ...) -> None: ...

class HeartPosition(_message.Message):
    __slots__ = ("rules", "table", "referee", "seat_knowledge")
    RULES_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REFEREE_FIELD_NUMBER: _ClassVar[int]
    SEAT_KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    rules: HeartRules
    table: HeartTable
    referee: HeartReferee
    seat_knowledge: HeartSeatKnowledge
    def __init__(self, rules: _Optional[_Union[HeartRules, _Mapping]] = ..., table: _Optional[_Union[HeartTable, _Mapping]] = ..., referee: _Optional[_Union[HeartReferee, _Mapping]] = ..., seat_knowledge: _Optional[_Union[HeartSeatKnowledge, _Mapping]] = ...) -> None: ...

class HeartReferee(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HeartSeatKnowledge(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class HeartTable(_message.Message):
    __slots__ = ("phase", "first_player", "turn", "seats", "shark", "supply", "pile", "discards", "columns", "open_photos", "photo_deck", "die_face", "tile_in_hand", "action_column", "bonus", "refill_column", "swims_left", "swum", "swum_on_starting_tile", "nothing_placed_since_reshuffle", "trigger_seat", "turns_left")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    FIRST_PLAYER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SHARK_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    OPEN_PHOTOS_FIELD_NUMBER: _ClassVar[int]
    PHOTO_DECK_FIELD_NUMBER: _ClassVar[int]
    DIE_FACE_FIELD_NUMBER: _ClassVar[int]
    TILE_IN_HAND_FIELD_NUMBER: _ClassVar[int]
    ACTION_COLUMN_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    REFILL_COLUMN_FIELD_NUMBER: _ClassVar[int]
    SWIMS_LEFT_FIELD_NUMBER: _ClassVar[int]
    SWUM_FIELD_NUMBER: _ClassVar[int]
    SWUM_ON_STARTING_TILE_FIELD_NUMBER: _ClassVar[int]
    NOTHING_PLACED_SINCE_RESHUFFLE_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_SEAT_FIELD_NUMBER: _ClassVar[int]
    TURNS_LEFT_FIELD_NUMBER: _ClassVar[int]
    phase: HeartPhase
    first_player: int
    turn: int
    seats: _containers.RepeatedCompositeFieldContainer[HeartSeat]
    shark: HeartShark
    supply: int
    pile: _containers.RepeatedCompositeFieldContainer[HeartTileCount]
    discards: _containers.RepeatedCompositeFieldContainer[HeartTileCount]
    columns: _containers.RepeatedCompositeFieldContainer[HeartColumn]
    open_photos: _containers.RepeatedScalarFieldContainer[int]
    photo_deck: _containers.RepeatedCompositeFieldContainer[HeartPhotoCount]
    die_face: int
    tile_in_hand: int
    action_column: int
    bonus: bool
    refill_column: int
    swims_left: int
    swum: _containers.RepeatedCompositeFieldContainer[HeartCell]
    swum_on_starting_tile: int
    nothing_placed_since_reshuffle: bool
    trigger_seat: int
    turns_left: int
    def __init__(self, phase: _Optional[_Union[HeartPhase, str]] = ..., first_player: _Optional[int] = ..., turn: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[HeartSeat, _Mapping]]] = ..., shark: _Optional[_Union[HeartShark, _Mapping]] = ..., supply: _Optional[int] = ..., pile: _Optional[_Iterable[_Union[HeartTileCount, _Mapping]]] = ..., discards: _Optional[_Iterable[_Union[HeartTileCount, _Mapping]]] = ..., columns: _Optional[_Iterable[_Union[HeartColumn, _Mapping]]] = ..., open_photos: _Optional[_Iterable[int]] = ..., photo_deck: _Optional[_Iterable[_Union[HeartPhotoCount, _Mapping]]] = ..., die_face: _Optional[int] = ..., tile_in_hand: _Optional[int] = ..., action_column: _Optional[int] = ..., bonus: bool = ..., refill_column: _Optional[int] = ..., swims_left: _Optional[int] = ..., swum: _Optional[_Iterable[_Union[HeartCell, _Mapping]]] = ..., swum_on_starting_tile: _Optional[int] = ..., nothing_placed_since_reshuffle: bool = ..., trigger_seat: _Optional[int] = ..., turns_left: _Optional[int] = ...) -> None: ...

class HeartSeat(_message.Message):
    __slots__ = ("habitat", "photos")
    HABITAT_FIELD_NUMBER: _ClassVar[int]
    PHOTOS_FIELD_NUMBER: _ClassVar[int]
    habitat: _containers.RepeatedCompositeFieldContainer[HeartPlacedTile]
    photos: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, habitat: _Optional[_Iterable[_Union[HeartPlacedTile, _Mapping]]] = ..., photos: _Optional[_Iterable[int]] = ...) -> None: ...

class HeartPlacedTile(_message.Message):
    __slots__ = ("tile", "cell", "rotation", "manatees")
    TILE_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    tile: int
    cell: HeartCell
    rotation: int
    manatees: int
    def __init__(self, tile: _Optional[int] = ..., cell: _Optional[_Union[HeartCell, _Mapping]] = ..., rotation: _Optional[int] = ..., manatees: _Optional[int] = ...) -> None: ...

class HeartShark(_message.Message):
    __slots__ = ("seat", "cell")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cell: HeartCell
    def __init__(self, seat: _Optional[int] = ..., cell: _Optional[_Union[HeartCell, _Mapping]] = ...) -> None: ...

class HeartTileCount(_message.Message):
    __slots__ = ("tile", "count")
    TILE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    tile: int
    count: int
    def __init__(self, tile: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class HeartPhotoCount(_message.Message):
    __slots__ = ("photo", "count")
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    photo: int
    count: int
    def __init__(self, photo: _Optional[int] = ..., count: _Optional[int] = ...) -> None: ...

class HeartColumn(_message.Message):
    __slots__ = ("tiles",)
    TILES_FIELD_NUMBER: _ClassVar[int]
    tiles: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, tiles: _Optional[_Iterable[int]] = ...) -> None: ...

class HeartMove(_message.Message):
    __slots__ = ("take", "place", "discard", "swim", "photo", "shark", "decline")
    TAKE_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    SWIM_FIELD_NUMBER: _ClassVar[int]
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    SHARK_FIELD_NUMBER: _ClassVar[int]
    DECLINE_FIELD_NUMBER: _ClassVar[int]
    take: HeartTake
    place: HeartPlace
    discard: HeartDiscard
    swim: HeartSwim
    photo: HeartTakePhoto
    shark: HeartMoveShark
    decline: HeartDecline
    def __init__(self, take: _Optional[_Union[HeartTake, _Mapping]] = ..., place: _Optional[_Union[HeartPlace, _Mapping]] = ..., discard: _Optional[_Union[HeartDiscard, _Mapping]] = ..., swim: _Optional[_Union[HeartSwim, _Mapping]] = ..., photo: _Optional[_Union[HeartTakePhoto, _Mapping]] = ..., shark: _Optional[_Union[HeartMoveShark, _Mapping]] = ..., decline: _Optional[_Union[HeartDecline, _Mapping]] = ...) -> None: ...

class HeartTake(_message.Message):
    __slots__ = ("column",)
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    column: int
    def __init__(self, column: _Optional[int] = ...) -> None: ...

class HeartPlace(_message.Message):
    __slots__ = ("cell", "rotation")
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    cell: HeartCell
    rotation: int
    def __init__(self, cell: _Optional[_Union[HeartCell, _Mapping]] = ..., rotation: _Optional[int] = ...) -> None: ...

class HeartDiscard(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HeartSwim(_message.Message):
    __slots__ = ("origin", "destination")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    origin: HeartCell
    destination: HeartCell
    def __init__(self, origin: _Optional[_Union[HeartCell, _Mapping]] = ..., destination: _Optional[_Union[HeartCell, _Mapping]] = ...) -> None: ...

class HeartTakePhoto(_message.Message):
    __slots__ = ("photo",)
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    photo: int
    def __init__(self, photo: _Optional[int] = ...) -> None: ...

class HeartMoveShark(_message.Message):
    __slots__ = ("seat", "cell")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cell: HeartCell
    def __init__(self, seat: _Optional[int] = ..., cell: _Optional[_Union[HeartCell, _Mapping]] = ...) -> None: ...

class HeartDecline(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HeartEvent(_message.Message):
    __slots__ = ("first_drawn", "tile_drawn", "photo_drawn", "die_rolled", "taken", "placed", "discarded", "swam", "photo_taken", "shark_moved", "declined", "rescued", "relocated", "reshuffled", "end_triggered", "ended")
    FIRST_DRAWN_FIELD_NUMBER: _ClassVar[int]
    TILE_DRAWN_FIELD_NUMBER: _ClassVar[int]
    PHOTO_DRAWN_FIELD_NUMBER: _ClassVar[int]
    DIE_ROLLED_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    PLACED_FIELD_NUMBER: _ClassVar[int]
    DISCARDED_FIELD_NUMBER: _ClassVar[int]
    SWAM_FIELD_NUMBER: _ClassVar[int]
    PHOTO_TAKEN_FIELD_NUMBER: _ClassVar[int]
    SHARK_MOVED_FIELD_NUMBER: _ClassVar[int]
    DECLINED_FIELD_NUMBER: _ClassVar[int]
    RESCUED_FIELD_NUMBER: _ClassVar[int]
    RELOCATED_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLED_FIELD_NUMBER: _ClassVar[int]
    END_TRIGGERED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    first_drawn: HeartFirstDrawn
    tile_drawn: HeartTileDrawn
    photo_drawn: HeartPhotoDrawn
    die_rolled: HeartDieRolled
    taken: HeartTaken
    placed: HeartPlaced
    discarded: HeartDiscarded
    swam: HeartSwam
    photo_taken: HeartPhotoTaken
    shark_moved: HeartSharkMoved
    declined: HeartDeclined
    rescued: HeartRescued
    relocated: HeartRelocated
    reshuffled: HeartReshuffled
    end_triggered: HeartEndTriggered
    ended: HeartEnded
    def __init__(self, first_drawn: _Optional[_Union[HeartFirstDrawn, _Mapping]] = ..., tile_drawn: _Optional[_Union[HeartTileDrawn, _Mapping]] = ..., photo_drawn: _Optional[_Union[HeartPhotoDrawn, _Mapping]] = ..., die_rolled: _Optional[_Union[HeartDieRolled, _Mapping]] = ..., taken: _Optional[_Union[HeartTaken, _Mapping]] = ..., placed: _Optional[_Union[HeartPlaced, _Mapping]] = ..., discarded: _Optional[_Union[HeartDiscarded, _Mapping]] = ..., swam: _Optional[_Union[HeartSwam, _Mapping]] = ..., photo_taken: _Optional[_Union[HeartPhotoTaken, _Mapping]] = ..., shark_moved: _Optional[_Union[HeartSharkMoved, _Mapping]] = ..., declined: _Optional[_Union[HeartDeclined, _Mapping]] = ..., rescued: _Optional[_Union[HeartRescued, _Mapping]] = ..., relocated: _Optional[_Union[HeartRelocated, _Mapping]] = ..., reshuffled: _Optional[_Union[HeartReshuffled, _Mapping]] = ..., end_triggered: _Optional[_Union[HeartEndTriggered, _Mapping]] = ..., ended: _Optional[_Union[HeartEnded, _Mapping]] = ...) -> None: ...

class HeartFirstDrawn(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class HeartTileDrawn(_message.Message):
    __slots__ = ("tile", "column")
    TILE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    tile: int
    column: int
    def __init__(self, tile: _Optional[int] = ..., column: _Optional[int] = ...) -> None: ...

class HeartPhotoDrawn(_message.Message):
    __slots__ = ("photo",)
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    photo: int
    def __init__(self, photo: _Optional[int] = ...) -> None: ...

class HeartDieRolled(_message.Message):
    __slots__ = ("face",)
    FACE_FIELD_NUMBER: _ClassVar[int]
    face: int
    def __init__(self, face: _Optional[int] = ...) -> None: ...

class HeartTaken(_message.Message):
    __slots__ = ("seat", "column", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    column: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., column: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class HeartPlaced(_message.Message):
    __slots__ = ("seat", "tile", "cell", "rotation")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    ROTATION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    cell: HeartCell
    rotation: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ..., cell: _Optional[_Union[HeartCell, _Mapping]] = ..., rotation: _Optional[int] = ...) -> None: ...

class HeartDiscarded(_message.Message):
    __slots__ = ("seat", "tile")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tile: int
    def __init__(self, seat: _Optional[int] = ..., tile: _Optional[int] = ...) -> None: ...

class HeartSwam(_message.Message):
    __slots__ = ("seat", "origin", "destination")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    origin: HeartCell
    destination: HeartCell
    def __init__(self, seat: _Optional[int] = ..., origin: _Optional[_Union[HeartCell, _Mapping]] = ..., destination: _Optional[_Union[HeartCell, _Mapping]] = ...) -> None: ...

class HeartPhotoTaken(_message.Message):
    __slots__ = ("seat", "photo")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PHOTO_FIELD_NUMBER: _ClassVar[int]
    seat: int
    photo: int
    def __init__(self, seat: _Optional[int] = ..., photo: _Optional[int] = ...) -> None: ...

class HeartSharkMoved(_message.Message):
    __slots__ = ("seat", "host", "cell")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    seat: int
    host: int
    cell: HeartCell
    def __init__(self, seat: _Optional[int] = ..., host: _Optional[int] = ..., cell: _Optional[_Union[HeartCell, _Mapping]] = ...) -> None: ...

class HeartDeclined(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class HeartRescued(_message.Message):
    __slots__ = ("seat", "manatees")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MANATEES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    manatees: int
    def __init__(self, seat: _Optional[int] = ..., manatees: _Optional[int] = ...) -> None: ...

class HeartRelocated(_message.Message):
    __slots__ = ("seat", "host")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    seat: int
    host: int
    def __init__(self, seat: _Optional[int] = ..., host: _Optional[int] = ...) -> None: ...

class HeartReshuffled(_message.Message):
    __slots__ = ("tiles",)
    TILES_FIELD_NUMBER: _ClassVar[int]
    tiles: int
    def __init__(self, tiles: _Optional[int] = ...) -> None: ...

class HeartEndTriggered(_message.Message):
    __slots__ = ("seat", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: HeartTriggerReason
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[_Union[HeartTriggerReason, str]] = ...) -> None: ...

class HeartEnded(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: HeartEndReason
    def __init__(self, reason: _Optional[_Union[HeartEndReason, str]] = ...) -> None: ...
