"""Short lists inside states: finding, sorting and removing without a branch too many."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memmove

cdef extern from * nogil:
    """
    #define LANES 0x0001000100010001ULL
    """
    const uint64_t LANES        # 1 in each of four 16-bit lanes
    int __builtin_ctzll(unsigned long long word)


cdef inline int find_masked(const uint16_t* list_, int first, int n, uint16_t wanted, uint16_t mask) noexcept nogil:
    """The first place from `first` on in a list of n where an item is `wanted` under a mask, -1 when there is none.

    Four items at a time: a zero among 16-bit lanes (Mycroft's trick). It may read three items beyond the list, which
    have to lie within its struct, and overlook them.
    """
    cdef uint64_t lanes = wanted * LANES
    cdef uint64_t masks = mask * LANES
    cdef uint64_t word
    while first < n:
        memcpy(&word, list_ + first, 8)
        word = (word ^ lanes) & masks
        word = (word - LANES) & ~word & (LANES << 15)
        if word:
            first += __builtin_ctzll(word) >> 4
            return first if first < n else -1
        first += 4
    return -1


cdef inline int find(const uint16_t* list_, int n, uint16_t wanted) noexcept nogil:
    """The place of an item in a list, -1 when it is not there."""
    return find_masked(list_, 0, n, wanted, 0xFFFF)


cdef inline void in_order(const uint16_t* list_, int n, uint8_t* order) noexcept nogil:
    """The places of a list's items by their value, ascending."""
    cdef int i, j
    for i in range(n):
        j = i
        while j > 0 and list_[order[j - 1]] > list_[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


cdef inline void sort_bytes(uint8_t* list_, int n) noexcept nogil:
    cdef int i, j
    cdef uint8_t item
    for i in range(1, n):
        item = list_[i]
        j = i
        while j > 0 and list_[j - 1] > item:
            list_[j] = list_[j - 1]
            j -= 1
        list_[j] = item


cdef inline void remove_at(uint8_t* list_, uint8_t* n, int i) noexcept nogil:
    n[0] -= 1
    memmove(list_ + i, list_ + i + 1, n[0] - i)


cdef inline int index_of(const uint8_t* list_, int item) noexcept nogil:
    """The first place of an item that is there."""
    cdef int i = 0
    while list_[i] != item:
        i += 1
    return i


cdef inline char* write_number(int number, char* text) noexcept nogil:
    """Appends -999 to 999 in decimal; returns the end."""
    if number < 0:
        text[0] = c'-'
        text += 1
        number = -number
    if number > 99:
        text[0] = c'0' + number // 100
        text += 1
    if number > 9:
        text[0] = c'0' + number // 10 % 10
        text += 1
    text[0] = c'0' + number % 10
    return text + 1
