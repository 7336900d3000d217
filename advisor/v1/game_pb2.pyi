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

class GameSummary(_message.Message):
    __slots__ = ("game", "title", "min_seats", "max_seats", "variants", "catalogues")
    GAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    CATALOGUES_FIELD_NUMBER: _ClassVar[int]
    game: str
    title: str
    min_seats: int
    max_seats: int
    variants: _containers.RepeatedCompositeFieldContainer[Variant]
    catalogues: _containers.RepeatedCompositeFieldContainer[CatalogueRef]
    def __init__(self, game: _Optional[str] = ..., title: _Optional[str] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ..., variants: _Optional[_Iterable[_Union[Variant, _Mapping]]] = ..., catalogues: _Optional[_Iterable[_Union[CatalogueRef, _Mapping]]] = ...) -> None: ...

class Variant(_message.Message):
    __slots__ = ("variant", "description", "min_seats", "max_seats")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    description: str
    min_seats: int
    max_seats: int
    def __init__(self, variant: _Optional[str] = ..., description: _Optional[str] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ...) -> None: ...

class RuleOption(_message.Message):
    __slots__ = ("name", "description", "values", "default_value", "variants", "decisions")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    values: _containers.RepeatedScalarFieldContainer[str]
    default_value: str
    variants: _containers.RepeatedScalarFieldContainer[str]
    decisions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., values: _Optional[_Iterable[str]] = ..., default_value: _Optional[str] = ..., variants: _Optional[_Iterable[str]] = ..., decisions: _Optional[_Iterable[str]] = ...) -> None: ...

class CatalogueRef(_message.Message):
    __slots__ = ("id", "digest")
    ID_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    digest: str
    def __init__(self, id: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class Catalogue(_message.Message):
    __slots__ = ("ref", "ocean", "heart", "sanctuary", "other")
    REF_FIELD_NUMBER: _ClassVar[int]
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HEART_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    ref: CatalogueRef
    ocean: _ocean_pb2.OceanCatalogue
    heart: _heart_pb2.HeartCatalogue
    sanctuary: _sanctuary_pb2.SanctuaryCatalogue
    other: _any_pb2.Any
    def __init__(self, ref: _Optional[_Union[CatalogueRef, _Mapping]] = ..., ocean: _Optional[_Union[_ocean_pb2.OceanCatalogue, _Mapping]] = ..., heart: _Optional[_Union[_heart_pb2.HeartCatalogue, _Mapping]] = ..., sanctuary: _Optional[_Union[_sanctuary_pb2.SanctuaryCatalogue, _Mapping]] = ..., other: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Rules(_message.Message):
    __slots__ = ("ocean", "heart", "sanctuary", "other")
    OCEAN_FIELD_NUMBER: _ClassVar[int]
    HEART_FIELD_NUMBER: _ClassVar[int]
    SANCTUARY_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    ocean: _ocean_pb2.OceanRules
    heart: _heart_pb2.HeartRules
    sanctuary: _sanctuary_pb2.SanctuaryRules
    other: _any_pb2.Any
    def __init__(self, ocean: _Optional[_Union[_ocean_pb2.OceanRules, _Mapping]] = ..., heart: _Optional[_Union[_heart_pb2.HeartRules, _Mapping]] = ..., sanctuary: _Optional[_Union[_sanctuary_pb2.SanctuaryRules, _Mapping]] = ..., other: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...
