"""An AdviseRequest taken apart where it lies, in protobuf's wire format (protobuf.dev, "Encoding").

Only what is plain is taken: an observation of ocean, no record, no lists of moves, nothing twice and nothing unknown.
The parts are not judged here: they are what others have judged before, or are about to.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from ext.wire cimport Wire, open_wire, read_inside, read_number, read_tag

# Fields: number << 3 | type.
cdef enum:
    POSITION = 0x0A         # of AdviseRequest
    SEAT = 0x10
    LIMITS = 0x1A
    OPTIONS = 0x22
    GAME = 0x0A             # of Position
    VARIANT = 0x12
    SEATS = 0x18
    CATALOGUE = 0x22
    CHANCE_EVENTS = 0x28
    OCEAN = 0x52
    ID = 0x0A               # of CatalogueRef
    DIGEST = 0x12
    RULES = 0x0A            # of OceanPosition
    TABLE = 0x12
    KNOWLEDGE = 0x22
    SEED = 0x28             # of AdviceOptions
    ALGORITHM = 0x08
    OBJECTIVE = 0x10
    TREES = 0x18
    THREADS = 0x20
    MAX_MOVES = 0x30
    CONFIDENCE = 0x51
    PRIORITY = 0x58
    MOST_OPTIONS = 128      # bytes, of options without lists of moves

# Where a part lies, and that it does.
cdef struct Part:
    const uint8_t* at
    size_t size

cdef struct Asked:
    Part game, variant, catalogue, id, digest, content, rules, limits
    int64_t seat, seats, chance_events
    uint64_t seed
    uint8_t options[MOST_OPTIONS]   # without the seed
    int options_size
    unsigned int seen               # which fields of the message that is being read


cdef inline bint first(Asked* asked, int tag) noexcept nogil:
    """Whether a field has not come before; twice it would be merged or replaced."""
    cdef unsigned int bit = 1u << (tag >> 3)
    if asked.seen & bit:
        return False
    asked.seen |= bit
    return True


cdef inline Part part(Wire* wire) noexcept nogil:
    cdef Wire inside = read_inside(wire)
    cdef Part found
    found.at, found.size = inside.at, inside.end - inside.at
    return found


cdef bint take_apart(Wire wire, Asked* asked) noexcept nogil:
    cdef Part position, options
    cdef int tag
    position.at = options.at = NULL
    position.size = options.size = 0
    while (tag := read_tag(&wire)):
        if not first(asked, tag):
            return False
        if tag == POSITION:
            position = part(&wire)
        elif tag == SEAT:
            asked.seat = read_number(&wire)
        elif tag == LIMITS:
            asked.limits = part(&wire)
        elif tag == OPTIONS:
            options = part(&wire)
        else:
            return False
    return (
        wire.sound and take_position(open_wire(position.at, position.size), asked)
        and take_catalogue(open_wire(asked.catalogue.at, asked.catalogue.size), asked)
        and take_content(open_wire(asked.content.at, asked.content.size), asked)
        and take_options(open_wire(options.at, options.size), asked)
    )


cdef bint take_position(Wire wire, Asked* asked) noexcept nogil:
    cdef int tag
    asked.seen = 0
    while (tag := read_tag(&wire)):
        if not first(asked, tag):
            return False
        if tag == GAME:
            asked.game = part(&wire)
        elif tag == VARIANT:
            asked.variant = part(&wire)
        elif tag == SEATS:
            asked.seats = read_number(&wire)
        elif tag == CATALOGUE:
            asked.catalogue = part(&wire)
        elif tag == CHANCE_EVENTS:
            asked.chance_events = read_number(&wire)
        elif tag == OCEAN:
            asked.content = part(&wire)
        else:
            return False
    return wire.sound and asked.content.at != NULL


cdef bint take_catalogue(Wire wire, Asked* asked) noexcept nogil:
    cdef int tag
    asked.seen = 0
    while (tag := read_tag(&wire)):
        if not first(asked, tag):
            return False
        if tag == ID:
            asked.id = part(&wire)
        elif tag == DIGEST:
            asked.digest = part(&wire)
        else:
            return False
    return wire.sound


cdef bint take_content(Wire wire, Asked* asked) noexcept nogil:
    """The rules alone: the rest is the kernel's."""
    cdef int tag
    asked.seen = 0
    while (tag := read_tag(&wire)):
        if not first(asked, tag):
            return False
        if tag == RULES:
            asked.rules = part(&wire)
        elif tag == TABLE or tag == KNOWLEDGE:
            part(&wire)
        else:
            return False
    return wire.sound


cdef bint take_options(Wire wire, Asked* asked) noexcept nogil:
    """All but the seed, as it was written."""
    cdef const uint8_t* begin
    cdef int tag
    asked.seen = 0
    while True:
        begin = wire.at
        tag = read_tag(&wire)
        if not tag:
            return wire.sound
        if not first(asked, tag):
            return False
        if tag == SEED:
            asked.seed = <uint64_t> read_number(&wire)
            continue
        if tag == CONFIDENCE:
            if wire.end - wire.at < 8:
                return False
            wire.at += 8
        elif tag in (ALGORITHM, OBJECTIVE, TREES, THREADS, MAX_MOVES, PRIORITY):
            read_number(&wire)
        else:
            return False
        if asked.options_size + (wire.at - begin) > MOST_OPTIONS:
            return False
        memcpy(asked.options + asked.options_size, begin, wire.at - begin)
        asked.options_size += <int> (wire.at - begin)


cdef inline str text(Part found):
    return PyUnicode_DecodeUTF8(<const char*> found.at, found.size, NULL) if found.size else ""


cdef inline bytes raw(Part found):
    return PyBytes_FromStringAndSize(<const char*> found.at, found.size)


def take_asked_apart(bytes request):
    cdef Asked asked
    memset(&asked, 0, sizeof(asked))
    if not take_apart(open_wire(<const uint8_t*> PyBytes_AS_STRING(request), PyBytes_GET_SIZE(request)), &asked):
        return None
    try:
        header = (
            text(asked.game), text(asked.variant), asked.seats, text(asked.id), text(asked.digest), raw(asked.rules)
        )
    except UnicodeDecodeError:
        return None
    options = PyBytes_FromStringAndSize(<const char*> asked.options, asked.options_size)
    return header, raw(asked.content), asked.chance_events, asked.seat, asked.seed, (raw(asked.limits), options)
