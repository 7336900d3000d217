"""The numbers of a ranked move in protobuf's wire format (protobuf.dev, "Encoding"), as advice.proto has them.

Set one by one, through Python's messages, they take three times as long as everything else of an answer.
"""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

# Fields of RankedMove and Interval: number << 3 | type.
cdef enum:
    RANK = 0x08
    VISITS = 0x18
    PRIOR = 0x21
    VALUE = 0x29
    STANDARD_ERROR = 0x31
    WIN_SHARE = 0x3A
    EXPECTED_SCORE = 0x42
    SCORE_SPREAD = 0x4A
    PLAYABLE = 0x58
    INTERVAL = 0x62
    TIED_WITH_BEST = 0x68
    LOW = 0x09
    HIGH = 0x11
    NUMBER = 11             # bytes that a varint and its tag take at most
    DOUBLE = 9              # bytes that a double and its tag take


cdef inline uint8_t* put_varint(uint8_t* at, uint64_t number) noexcept:
    while number > 0x7F:
        at[0] = <uint8_t> (number | 0x80)
        number >>= 7
        at += 1
    at[0] = <uint8_t> number
    return at + 1


cdef inline uint8_t* put_number(uint8_t* at, uint8_t tag, int64_t number) noexcept:
    at[0] = tag
    return put_varint(at + 1, <uint64_t> number)


cdef inline uint8_t* put_double(uint8_t* at, uint8_t tag, double number) noexcept:
    at[0] = tag
    memcpy(at + 1, &number, sizeof(double))
    return at + DOUBLE


cdef uint8_t* put_doubles(uint8_t* at, uint8_t tag, list numbers) except NULL:
    """A number a seat, laid end to end."""
    cdef double number
    if len(numbers) == 0:
        return at
    at = put_number(at, tag, len(numbers) * sizeof(double))
    for one in numbers:
        number = one
        memcpy(at, &number, sizeof(double))
        at += sizeof(double)
    return at


def ranked_numbers(int rank, ranked) -> bytes:
    cdef list win_share = ranked.win_share, expected_score = ranked.expected_score, score_spread = ranked.score_spread
    cdef double low, high
    low, high = ranked.interval
    cdef Py_ssize_t doubles = len(win_share) + len(expected_score) + len(score_spread)
    cdef Py_ssize_t room = 8 * NUMBER + 5 * DOUBLE + doubles * <Py_ssize_t> sizeof(double)
    cdef bytes written = PyBytes_FromStringAndSize(NULL, room)
    cdef uint8_t* start = <uint8_t*> PyBytes_AS_STRING(written)
    cdef uint8_t* at = put_number(start, RANK, rank)
    at = put_number(at, VISITS, ranked.visits)
    at = put_double(at, PRIOR, ranked.prior)
    at = put_double(at, VALUE, ranked.value)
    at = put_double(at, STANDARD_ERROR, ranked.standard_error)
    at = put_doubles(at, WIN_SHARE, win_share)
    at = put_doubles(at, EXPECTED_SCORE, expected_score)
    at = put_doubles(at, SCORE_SPREAD, score_spread)
    at = put_number(at, PLAYABLE, ranked.playable)
    at = put_number(at, INTERVAL, 2 * DOUBLE)
    at = put_double(at, LOW, low)
    at = put_double(at, HIGH, high)
    at = put_number(at, TIED_WITH_BEST, bool(ranked.tied))
    return written[:at - start]
