"""Ranked moves in protobuf's wire format (protobuf.dev, "Encoding"), as advice.proto and position.proto have them.

Set field by field, through Python's messages, they take several times as long as everything else of an answer.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

# Fields: number << 3 | type.
cdef enum:
    MOVES = 0x0A            # of AdviseResponse
    RANK = 0x08             # of RankedMove
    MOVE = 0x12
    VISITS = 0x18
    PRIOR = 0x21
    VALUE = 0x29
    STANDARD_ERROR = 0x31
    WIN_SHARE = 0x3A
    EXPECTED_SCORE = 0x42
    SCORE_SPREAD = 0x4A
    LINE = 0x52
    PLAYABLE = 0x58
    INTERVAL = 0x62
    TIED_WITH_BEST = 0x68
    LOW = 0x09              # of Interval
    HIGH = 0x11
    STEP_SEAT = 0x08        # of SeatMove
    STEP_MOVE = 0x12
    NUMBER = 11             # bytes that a varint and its tag take at most
    DOUBLE = 9              # bytes that a double and its tag take


cdef class Written:
    """Bytes, and room for more."""
    cdef uint8_t* start
    cdef size_t size, room

    def __dealloc__(self):
        free(self.start)

    cdef uint8_t* ask(self, size_t more) except NULL:
        """Where to write next: there is room for so many bytes more."""
        cdef void* grown
        if self.size + more > self.room:
            grown = realloc(self.start, 2 * (self.size + more))
            if grown == NULL:
                raise MemoryError
            self.start, self.room = <uint8_t*> grown, 2 * (self.size + more)
        return self.start + self.size

    cdef void took(self, const uint8_t* end) noexcept:
        """Tells where what was written ends."""
        self.size = end - self.start


cdef inline uint8_t* put_varint(uint8_t* at, uint64_t number) noexcept:
    while number > 0x7F:
        at[0] = <uint8_t> (number | 0x80)
        number >>= 7
        at += 1
    at[0] = <uint8_t> number
    return at + 1


cdef inline uint8_t* put_size(uint8_t* at, uint8_t tag, size_t size) noexcept:
    """The head of what has a size: messages, and numbers laid end to end."""
    at[0] = tag
    return put_varint(at + 1, size)


cdef inline uint8_t* put_bytes(uint8_t* at, uint8_t tag, const void* data, size_t size) noexcept:
    at = put_size(at, tag, size)
    memcpy(at, data, size)
    return at + size


# A field whose bits are all 0 is not written.
cdef inline uint8_t* put_number(uint8_t* at, uint8_t tag, int64_t number) noexcept:
    if number == 0:
        return at
    at[0] = tag
    return put_varint(at + 1, <uint64_t> number)


cdef inline uint8_t* put_double(uint8_t* at, uint8_t tag, double number) noexcept:
    cdef uint64_t bits
    memcpy(&bits, &number, sizeof(double))
    if bits == 0:
        return at
    at[0] = tag
    memcpy(at + 1, &bits, sizeof(double))
    return at + DOUBLE


cdef int write_doubles(Written out, uint8_t tag, list numbers) except -1:
    """A number a seat, laid end to end; none is no field."""
    cdef double number
    cdef uint8_t* at
    if len(numbers) == 0:
        return 0
    at = put_size(out.ask(NUMBER + len(numbers) * sizeof(double)), tag, len(numbers) * sizeof(double))
    for one in numbers:
        number = one
        memcpy(at, &number, sizeof(double))
        at += sizeof(double)
    out.took(at)
    return 0


cdef int write_step(Written out, int64_t seat, bytes move) except -1:
    """One step of a line."""
    cdef size_t size = PyBytes_GET_SIZE(move)
    cdef uint8_t inside[2 * NUMBER]
    # All of the step but the move's own bytes, since the size of it all comes first.
    cdef size_t head = put_size(put_number(inside, STEP_SEAT, seat), STEP_MOVE, size) - inside
    cdef uint8_t* at = put_size(out.ask(NUMBER + head + size), LINE, head + size)
    memcpy(at, inside, head)
    memcpy(at + head, PyBytes_AS_STRING(move), size)
    out.took(at + head + size)
    return 0


cdef bytes spelt(dict known, spell, code):
    """A move's message: one that is known, or else as `spell` makes it."""
    cdef PyObject* found = PyDict_GetItemWithError(known, code)
    return <bytes?> (<object> found if found != NULL else spell(code))


cdef int write_ranked(Written out, int rank, ranked, dict known, spell) except -1:
    """All fields of a RankedMove."""
    cdef double low, high
    cdef uint8_t inside[2 * DOUBLE]
    cdef bytes move = spelt(known, spell, ranked.move)
    cdef uint8_t* at = put_number(out.ask(3 * NUMBER + 3 * DOUBLE + PyBytes_GET_SIZE(move)), RANK, rank)
    at = put_bytes(at, MOVE, PyBytes_AS_STRING(move), PyBytes_GET_SIZE(move))
    at = put_number(at, VISITS, ranked.visits)
    at = put_double(at, PRIOR, ranked.prior)
    at = put_double(at, VALUE, ranked.value)
    out.took(put_double(at, STANDARD_ERROR, ranked.standard_error))
    write_doubles(out, WIN_SHARE, ranked.win_share)
    write_doubles(out, EXPECTED_SCORE, ranked.expected_score)
    write_doubles(out, SCORE_SPREAD, ranked.score_spread)
    for seat, code in ranked.line:
        write_step(out, seat, spelt(known, spell, code))
    low, high = ranked.interval
    at = put_number(out.ask(3 * NUMBER + 2 * DOUBLE), PLAYABLE, ranked.playable)
    at = put_bytes(at, INTERVAL, inside, put_double(put_double(inside, LOW, low), HIGH, high) - inside)
    out.took(put_number(at, TIED_WITH_BEST, bool(ranked.tied)))
    return 0


def ranked_moves(list moves, int most, reported, dict known, spell) -> bytes:
    cdef Written out = Written(), one = Written()
    cdef int rank = 0
    for ranked in moves:
        rank += 1
        if rank <= most or ranked.move in reported:
            one.size = 0
            write_ranked(one, rank, ranked, known, spell)
            out.took(put_bytes(out.ask(NUMBER + one.size), MOVES, one.start, one.size))
    return PyBytes_FromStringAndSize(<char*> out.start, out.size)
