"""Reads protobuf's wire format (protobuf.dev, "Encoding"): bytes in, numbers out, never beyond the end."""
from libc.stdint cimport int64_t, uint8_t, uint64_t


cdef enum:
    TAG = 5                 # bytes that a tag takes at most: protobuf's own readers refuse more, though not of numbers

cdef struct Wire:
    const uint8_t* at
    const uint8_t* end
    bint sound              # false once it was read beyond its end, or a number had no end


cdef inline Wire open_wire(const uint8_t* data, size_t size) noexcept nogil:
    cdef Wire wire
    wire.at = data
    wire.end = data + size
    wire.sound = True
    return wire


cdef inline int64_t read_number(Wire* wire) noexcept nogil:
    """A varint as int32 and int64 have it; 0 where there is none."""
    cdef uint64_t number = 0
    cdef uint8_t byte
    cdef int shift = 0
    while wire.at < wire.end and shift < 64:
        byte = wire.at[0]
        wire.at += 1
        number |= <uint64_t> (byte & 0x7F) << shift
        if not byte & 0x80:
            return <int64_t> number
        shift += 7
    wire.sound = False
    return 0


cdef inline int read_tag(Wire* wire) noexcept nogil:
    """The next field's number and type; 0 at the end, and for a field beyond 15, which nothing read here has."""
    if wire.at == wire.end:
        return 0
    cdef const uint8_t* begin = wire.at
    cdef int64_t tag = read_number(wire)
    if not 0 < tag < 128 or wire.at - begin > TAG:
        wire.sound = False
        return 0
    return <int> tag


cdef inline Wire read_inside(Wire* wire) noexcept nogil:
    """What follows its own length: a message, or numbers laid end to end."""
    cdef int64_t size = read_number(wire)
    if not 0 <= size <= wire.end - wire.at:
        wire.sound = False
        size = 0
    cdef Wire inside = open_wire(wire.at, size)
    inside.sound = wire.sound
    wire.at += size
    return inside
