"""Spoils requests: knows protobuf messages, and bytes as such. All of it follows from a seed."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

MAX_BYTES: Final = 1 << 20
"""No input is larger, as the server would not take it."""
MAX_TEXT: Final = 1 << 16
"""About so long a text gets by being repeated; several changes of one text would multiply, up to gigabytes."""
MAX_COPIES: Final = (2, 3, 20, 300, 2_000, 50_000)
"""How often one entry of a list may be repeated, rarely the large numbers."""

POSITION: Final = "advisor.v1.Position"
INTEGERS: Final = (0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 31, 32, 39, 40, 63, 64, 127, 128, 255, 256, 1000)
WIDTHS: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}
DOUBLES: Final = (0.0, -0.0, 0.5, 0.95, 1.0, -1.0, 5e-324, 1e300, -1e300, float("inf"), -float("inf"), float("nan"))
TEXTS: Final = (
    "",
    " ",
    "\x00",
    "\n",
    "-1",
    "99999999999999999999",
    "\u0663",  # a digit, but none of ours
    "\u00b2",  # a digit that is no number
    "\U0001f40b",
    "\u202e",
    "heart",
    "ocean",
    "sanctuary",
    "base",
    "targets",
    "promo",
    "solo",
    "scramble",
    "pick 3",
    "pick 1,2",
    "place 0,1",
    "place -1,2 r1",
    "take 0",
    "swim 0,0 1,0",
    "split 1,2",
    "top 3",
    "bottom 3 0,1 r2",
    "tile 12",
    "manatee gray",
    "decline",
    "pass",
    "0" * 64,
)


Spoil = Callable[[bytes], bytes]


class Mutator:
    """Changes messages; `donors` are sound ones, parts of which may get into others."""

    def __init__(self, donors: Sequence[Message] = ()) -> None:
        self._rng = random.Random(0)
        self._parts: dict[str, list[Message]] = {}
        for donor in donors:
            for part in parts(donor):
                kept = self._parts.setdefault(part.DESCRIPTOR.full_name, [])
                if len(kept) < 200:
                    kept.append(part)

    def mutated(
        self, kind: type[Message], data: bytes, seed: int, raw: Callable[[bytes], bytes] | None = None
    ) -> bytes:
        """A changed request: as a message most of the time, else as bytes (by `raw`, if given)."""
        rng = self._rng = random.Random(seed)
        if rng.random() < 0.85:
            try:
                message = kind.FromString(data)
            except DecodeError:
                message = None
            if message is not None:
                for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
                    self._change(message)
                found = message.SerializeToString()
                if len(found) <= MAX_BYTES:
                    return found
        return (raw or self.spoil)(data)

    def spoil(self, data: bytes) -> bytes:
        """Change bytes, whatever they stand for."""
        rng, found = self._rng, bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 4, 8))):
            at = rng.randrange(len(found) + 1)
            match rng.randrange(6):
                case 0 if at < len(found):
                    found[at] ^= 1 << rng.randrange(8)
                case 1 if at < len(found):
                    found[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
                case 2:
                    del found[at : at + rng.choice((1, 2, 8, 64))]
                case 3:
                    found[at:at] = rng.randbytes(rng.choice((1, 2, 8, 64)))
                case 4:
                    found[at:at] = found[at : at + rng.choice((2, 8, 64, 512))] * rng.choice((1, 2, 50))
                case _:
                    del found[at:]
        return bytes(found[:MAX_BYTES])

    def _change(self, message: Message) -> None:
        rng = self._rng
        # What stands beside the position is as worth while as all that is in it, since few changed positions are sound.
        inside = rng.random() < 0.6
        target: Any = rng.choice(parts(message, () if inside else (POSITION,)))
        if inside and rng.random() < 0.25:
            self._exchange(message)
            return
        fields = target.DESCRIPTOR.fields
        if not fields or rng.random() < 0.02:
            self._add_unknown(target)
            return
        # As often a field that is there as one of all that could be.
        present = [field for field, _ in target.ListFields()]
        field = rng.choice(present) if present and rng.random() < 0.7 else rng.choice(fields)
        if rng.random() < 0.1:
            target.ClearField(field.name)
        elif field.is_repeated:
            self._change_list(target, field)
        elif field.message_type is not None:
            self._change_message(getattr(target, field.name))
        else:
            setattr(target, field.name, self._scalar(field, getattr(target, field.name)))

    def _exchange(self, message: Message) -> None:
        """Exchange two numbers of the same field: cards of two hands, say, which may well be sound."""
        places: dict[str, list[tuple[Any, int]]] = {}
        for part in parts(message):
            for field, value in part.ListFields():
                if field.is_repeated and field.cpp_type == FieldDescriptor.CPPTYPE_INT32:
                    places.setdefault(field.full_name, []).extend((value, at) for at in range(len(value)))
        if places:
            entries = places[self._rng.choice(list(places))]
            (one, here), (other, there) = self._rng.choice(entries), self._rng.choice(entries)
            one[here], other[there] = other[there], one[here]

    def _change_message(self, message: Message) -> None:
        """Put another of its kind there, an empty one, or what is in two of them."""
        known = self._parts.get(message.DESCRIPTOR.full_name)
        message.SetInParent()
        if known and self._rng.random() < 0.8:
            (message.MergeFrom if self._rng.random() < 0.3 else message.CopyFrom)(self._rng.choice(known))

    def _change_list(self, target: Message, field: FieldDescriptor) -> None:
        rng, entries = self._rng, getattr(target, field.name)
        index = rng.randrange(len(entries)) if len(entries) else None
        if field.message_type is None:
            self._change_scalars(entries, field, index)
            return
        action = rng.randrange(6)
        if index is None or action == 0:
            self._change_message(entries.add())
        elif action == 1:
            del entries[index]
        elif action == 2:
            self._change_message(entries[index])
        elif action == 3:
            entries.add().CopyFrom(entries[index])
        elif action == 4:
            one = type(entries[index])()
            one.CopyFrom(entries[index])
            entries.extend([one] * self._copies(one.ByteSize()))
        else:
            order = list(entries)
            copies = [type(one).FromString(one.SerializeToString()) for one in order]
            rng.shuffle(copies)
            del entries[:]
            entries.extend(copies)

    def _change_scalars(self, entries: Any, field: FieldDescriptor, index: int | None) -> None:
        rng = self._rng
        action = rng.randrange(6)
        if index is None or action == 0:
            entries.append(self._scalar(field, field.default_value or 0 if not _is_text(field) else ""))
        elif action == 1:
            del entries[index]
        elif action == 2:
            entries.append(entries[index])
        elif action == 3:
            entries.extend([entries[index]] * self._copies(4))
        elif action == 4:
            order = list(entries)
            rng.shuffle(order)
            entries[:] = order
        else:
            entries[index] = self._scalar(field, entries[index])

    def _copies(self, size: int) -> int:
        number = self._rng.choice(MAX_COPIES) if self._rng.random() < 0.3 else self._rng.choice(MAX_COPIES[:3])
        return min(number, MAX_BYTES // 4 // (size + 2))

    def _scalar(self, field: FieldDescriptor, old: Any) -> Any:
        rng = self._rng
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_BOOL:
                return not old
            case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
                return rng.choice(DOUBLES)
            case FieldDescriptor.CPPTYPE_STRING:
                if field.type == FieldDescriptor.TYPE_BYTES:
                    return rng.randbytes(rng.choice((0, 1, 16, 300)))
                return self._text(old)
        low, high = WIDTHS[field.cpp_type]
        if field.enum_type is not None and rng.random() < 0.7:
            return rng.choice([value.number for value in field.enum_type.values])
        near = (old - 1, old + 1, old - 1, old + 1, low, high, rng.randint(low, high), rng.choice(INTEGERS))
        return min(high, max(low, rng.choice(near)))

    def _text(self, old: str) -> str:
        rng = self._rng
        match rng.randrange(5):
            case 0:
                return rng.choice(TEXTS)
            case 1:
                return old + rng.choice(TEXTS)
            case 2:
                piece = rng.choice((old, "x", "1", "\u6d77"))
                return piece * min(rng.choice((2, 10, 300, 20_000)), 1 + MAX_TEXT // max(1, len(piece)))
            case 3:  # another number in it
                ends = [at for at, c in enumerate(old) if c.isdecimal()]
                if ends:
                    at = rng.choice(ends)
                    return old[:at] + str(rng.choice((*INTEGERS, 2**31, 2**64))) + old[at + 1 :]
                return old
            case _:
                at = rng.randrange(len(old) + 1)
                return old[:at] + rng.choice(("", " ", "-", ",", "0", "\x00")) + old[at + rng.randrange(2) :]

    def _add_unknown(self, target: Message) -> None:
        number = self._rng.choice((9, 99, 2000, 536_870_911))
        target.MergeFromString(_varint(number << 3) + _varint(self._rng.getrandbits(63)))


def _is_text(field: FieldDescriptor) -> bool:
    return field.cpp_type == FieldDescriptor.CPPTYPE_STRING


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def parts(message: Message, closed: Sequence[str] = (), most: int = 3_000) -> list[Message]:
    """The message and those inside it, so many at the most; not those inside the types named in `closed`."""
    found = [message]
    for one in found:  # grows on the way
        if one.DESCRIPTOR.full_name in closed:
            continue
        for field, value in one.ListFields():
            if field.message_type is not None and len(found) < most:
                found.extend(list(value)[: most - len(found)] if field.is_repeated else [value])
    return found
