"""Reads and writes protobuf JSON. Unlike protobuf's own parser the reader names every fault, each with its path."""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from advisor.errors import quote
from advisor.faults import Faults, join

M = TypeVar("M", bound=Message)

_RANGES: Final[Mapping[int, tuple[int, int]]] = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
_WHOLE: Final = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_NAME: Final = re.compile(r"[a-z0-9_]{1,60}", re.ASCII)
_MAX_DEPTH: Final = 64


def write(message: Message) -> str:
    """Return `message` as protobuf JSON (camelCase, defaults left out), indented, with a line feed at the end."""
    return json.dumps(json_format.MessageToDict(message), indent=2, ensure_ascii=False) + "\n"


def mapping(message: Message) -> dict[str, Any]:
    """Return `message` with the field names of the .proto file, full enum names and every plain field written out."""
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def parse_json(text: str | bytes, faults: Faults) -> Any:
    """Return the JSON value in `text`; None, with faults at or below the place of `faults`, when there is none.

    A key that is given twice is a fault: which of its values counts would be anybody's guess.
    """
    repeated: list[_Repeated] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(found)
        if len(entries) == len(found):
            return entries
        counts = Counter(key for key, _ in found)
        repeated.append(_Repeated(entries))
        repeated[-1].keys_twice = [key for key, count in counts.items() if count > 1]
        return repeated[-1]

    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        if not _encodable(text):
            faults.add("", "is not UTF-8 text")
            return None
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=pairs)
        if repeated:
            _tell_repeated(data, faults)
            return None
        return data
    except UnicodeDecodeError:
        faults.add("", "is not UTF-8 text")
    except json.JSONDecodeError as error:
        faults.add("", f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    except ValueError as error:
        faults.add("", f"is not JSON: {error}")
    except RecursionError:
        faults.add("", "is nested too deeply")
    return None


class _Repeated(dict[str, Any]):
    """An object in which some key was given more than once."""

    keys_twice: list[str]


def _tell_repeated(data: Any, faults: Faults) -> None:
    if isinstance(data, _Repeated):
        for key in data.keys_twice:
            faults.add(_field_name(key), "is given twice")
    if isinstance(data, dict):
        for key, value in data.items():
            _tell_repeated(value, faults.under(_field_name(key)))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            _tell_repeated(value, faults.under(f"[{i}]"))


def _field_name(key: str) -> str:
    """Return a key as paths write it: the name of the .proto field, or what a text of a caller's looks like."""
    name = re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", key)
    return name if _NAME.fullmatch(name) else quote(key)


def read(data: Any, kind: type[M], faults: Faults) -> M:
    """Return the message that `data`, a value parsed from JSON, stands for.

    Adds a fault for each thing that is wrong; what is wrong is left out of the message.
    """
    message = kind()
    found = len(faults.found)
    clean = _message(data, kind.DESCRIPTOR, faults, 0)
    try:
        json_format.ParseDict(clean, message)
    except (json_format.ParseError, ValueError) as error:
        if len(faults.found) == found:
            faults.add("", str(error))
    return message


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _message(data: Any, kind: Any, faults: Faults, depth: int) -> Any:
    if kind.full_name.startswith("google.protobuf."):
        return _well_known(data, kind, faults)
    if not isinstance(data, Mapping):
        faults.add("", f"expected a {kind.name} object, not {_shown(data)}")
        return {}
    if depth > _MAX_DEPTH:
        faults.add("", "is nested too deeply")
        return {}
    fields = {field.json_name: field for field in kind.fields} | {field.name: field for field in kind.fields}
    clean: dict[str, Any] = {}
    members: dict[str, str] = {}
    for key, value in data.items():
        field = fields.get(key)
        if field is None:
            faults.add("", f"has no field {quote(str(key))}; expected only {', '.join(f.name for f in kind.fields)}")
            continue
        if field.name in clean:
            faults.add(field.name, "is given twice")
            continue
        if value is None:
            continue  # as absent, says the JSON mapping of protobuf
        if field.containing_oneof is not None:
            other = members.setdefault(field.containing_oneof.name, field.name)
            if other != field.name:
                faults.add(field.name, f"cannot be given together with {other}")
                continue
        found = len(faults.found)
        taken = _field(value, field, faults.under(field.name), depth)
        if taken is not None or len(faults.found) == found:
            clean[field.name] = taken
    return clean


def _field(value: Any, field: FieldDescriptor, faults: Faults, depth: int) -> Any:
    if not field.is_repeated:
        return _value(value, field, faults, depth)
    if not isinstance(value, list):
        faults.add("", f"expected a list, not {_shown(value)}")
        return None
    return [_entry(entry, field, faults.under(f"[{i}]"), depth) for i, entry in enumerate(value)]


def _entry(value: Any, field: FieldDescriptor, faults: Faults, depth: int) -> Any:
    # An entry that is wrong still takes its place, so that the paths of the ones behind it stay right.
    taken = None
    if value is None:
        faults.add("", "is null")
    else:
        taken = _value(value, field, faults, depth)
    if taken is None:
        return {} if field.message_type is not None else field.default_value
    return taken


def _value(value: Any, field: FieldDescriptor, faults: Faults, depth: int) -> Any:
    if field.message_type is not None:
        return _message(value, field.message_type, faults, depth + 1)
    if field.enum_type is not None:
        return _enum(value, field.enum_type, faults)
    if field.cpp_type in _RANGES:
        return _integer(value, *_RANGES[field.cpp_type], faults)
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if isinstance(value, bool):
            return value
        faults.add("", f"expected true or false, not {_shown(value)}")
    elif field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        if isinstance(value, str) and _encodable(value):
            return value
        faults.add("", f"expected a text, not {_shown(value)}")
    elif field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return value
        faults.add("", f"expected a number, not {_shown(value)}")
    else:
        faults.add("", "cannot be given in JSON")
    return None


def _enum(value: Any, kind: EnumDescriptor, faults: Faults) -> str | int | None:
    if isinstance(value, str) and value in kind.values_by_name:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value in kind.values_by_number:
        return value
    faults.add("", f"expected one of {', '.join(kind.values_by_name)}, not {_shown(value)}")
    return None


def _integer(value: Any, low: int, high: int, faults: Faults) -> int | None:
    number = None
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        number = int(value)  # 64-bit fields are texts in protobuf JSON
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value
    if number is None:
        faults.add("", f"expected a whole number, not {_shown(value)}")
    elif not low <= number <= high:
        faults.add("", f"expected a whole number from {low} to {high}")
    else:
        return number
    return None


def _well_known(data: Any, kind: Descriptor, faults: Faults) -> Any:
    message = message_factory.GetMessageClass(kind)()
    try:
        json_format.ParseDict(data, message)
    except (json_format.ParseError, ValueError, TypeError, AttributeError):
        faults.add("", f"expected a {kind.name} as protobuf JSON writes it, not {_shown(data)}")
        return None
    return data


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False  # a lone surrogate
    return True


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int | float):
        return quote(str(value)).strip("'") if abs(value) < 1e20 else "a number far out of range"
    return "a list" if isinstance(value, list) else "an object"


def path_within(path: str, roots: set[str]) -> bool:
    """Whether `path` is one of `roots` or lies below one."""
    return any(path == root or path.startswith((f"{root}.", f"{root}[")) or root == "" for root in roots)


__all__ = ["join", "mapping", "parse_json", "path_within", "read", "write"]
