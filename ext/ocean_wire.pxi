"""Observations of ocean as answers write them, read without a detour. Part of ext/ocean.pyx.

Only what is flawless and plain is taken: everything is checked that `ext.ocean_position` checks, and whatever fails, or
is told in other ways than answers do, is left to that reader, which knows what to say of it.
"""
from libc.stdint cimport int64_t

from ext.ocean_notation import REACH as _REACH

from ext.wire cimport Wire, open_wire, read_inside, read_number, read_tag

cdef int REACH = _REACH

# Fields of OceanPosition and the messages inside it, as advisor/v1/ocean.proto numbers them: number << 3 | type.
cdef enum:
    POSITION_RULES = 0x0A
    POSITION_TABLE = 0x12
    POSITION_KNOWLEDGE = 0x22
    TABLE_ROUND = 0x08
    TABLE_PHASE = 0x10
    TABLE_SEATS = 0x1A
    SEAT_OCEAN = 0x0A
    SEAT_HAND_SIZE = 0x10
    SEAT_COMMITTED = 0x18
    SEAT_REVEALED = 0x20
    PLACED_CARD = 0x08
    PLACED_CELL = 0x12
    CELL_X = 0x08
    CELL_Y = 0x10
    KNOWLEDGE_SEAT = 0x08
    KNOWLEDGE_TARGETS = 0x12
    KNOWLEDGE_HANDS = 0x22
    HAND_CARDS = 0x0A
    PHASE_PICK = 1
    PHASE_PLACE = 2

# What is read besides the knowledge itself.
cdef struct Told:
    uint64_t taken                  # cards seen so far
    int64_t phase
    int64_t round
    int64_t observer
    int64_t hand_size[MAX_PLAYERS]
    int cards[MAX_PLAYERS]          # in each ocean
    int known[MAX_PLAYERS]          # of each hand
    int targets
    int seats
    int hands
    bint knows                      # its knowledge was read


cdef bint take_card(int64_t card, Told* told) noexcept nogil:
    """Notes a card that is in one place only."""
    if not 0 <= card < CARDS or told.taken >> card & 1:
        return False
    told.taken |= <uint64_t> 1 << card
    return True


cdef bint read_placed(Wire wire, int s, Knowledge* k, Told* told) noexcept nogil:
    cdef int64_t card = 0, x = 0, y = 0
    cdef int tag, i = told.cards[s]
    cdef uint16_t cell
    cdef Wire place
    while (tag := read_tag(&wire)):
        if tag == PLACED_CARD:
            card = read_number(&wire)
        elif tag == PLACED_CELL:
            place = read_inside(&wire)
            while (tag := read_tag(&place)):
                if tag == CELL_X:
                    x = read_number(&place)
                elif tag == CELL_Y:
                    y = read_number(&place)
                else:
                    return False
            if not place.sound:
                return False
        else:
            return False
    if not wire.sound or i == PICKS or not -REACH <= x <= REACH or not -REACH <= y <= REACH:
        return False
    if not take_card(card, told):
        return False
    cell = <uint16_t> ((y + 9) * WIDTH + x + 9)
    while i > 0 and k.cell[s][i - 1] > cell:
        k.cell[s][i] = k.cell[s][i - 1]
        k.card[s][i] = k.card[s][i - 1]
        i -= 1
    if i > 0 and k.cell[s][i - 1] == cell:
        return False
    k.cell[s][i] = cell
    k.card[s][i] = <uint8_t> card
    told.cards[s] += 1
    return True


cdef bint read_seat(Wire wire, int s, Knowledge* k, Told* told) noexcept nogil:
    cdef int64_t number
    cdef int tag
    while (tag := read_tag(&wire)):
        if tag == SEAT_OCEAN:
            if not read_placed(read_inside(&wire), s, k, told):
                return False
        elif tag == SEAT_HAND_SIZE:
            told.hand_size[s] = read_number(&wire)
        elif tag == SEAT_COMMITTED:
            if read_number(&wire) != 1:
                return False
            k.committed |= 1 << s
        elif tag == SEAT_REVEALED:
            number = read_number(&wire)
            if k.revealed[s] != NONE or not take_card(number, told):
                return False
            k.revealed[s] = <uint8_t> number
        else:
            return False
    return wire.sound


cdef bint read_table(Wire wire, int seats, Knowledge* k, Told* told) noexcept nogil:
    cdef int tag
    while (tag := read_tag(&wire)):
        if tag == TABLE_ROUND:
            told.round = read_number(&wire)
        elif tag == TABLE_PHASE:
            told.phase = read_number(&wire)
        elif tag == TABLE_SEATS:
            if told.seats == seats or not read_seat(read_inside(&wire), told.seats, k, told):
                return False
            told.seats += 1
        else:
            return False
    return wire.sound


cdef bint read_knowledge(Wire wire, int seats, int n_targets, Knowledge* k, Told* told) noexcept nogil:
    cdef int64_t number
    cdef uint16_t targets = 0
    cdef int tag
    cdef Wire hand, cards
    while (tag := read_tag(&wire)):
        if tag == KNOWLEDGE_SEAT:
            told.observer = read_number(&wire)
            if not 0 <= told.observer < seats:
                return False
        elif tag == KNOWLEDGE_TARGETS:
            cards = read_inside(&wire)
            while cards.at < cards.end:
                number = read_number(&cards)
                if not 0 <= number < n_targets or targets >> number & 1:
                    return False
                targets |= <uint16_t> (1 << number)
                told.targets += 1
            if not cards.sound:
                return False
        elif tag == KNOWLEDGE_HANDS:
            hand = read_inside(&wire)
            if told.hands == seats:
                return False
            while (tag := read_tag(&hand)):
                if tag != HAND_CARDS:
                    return False
                cards = read_inside(&hand)
                while cards.at < cards.end:
                    number = read_number(&cards)
                    if not take_card(number, told):
                        return False
                    k.known[told.hands] |= <uint64_t> 1 << number
                    told.known[told.hands] += 1
                if not cards.sound:
                    return False
            if not hand.sound:
                return False
            told.hands += 1
        else:
            return False
    k.targets[told.observer] = targets
    return wire.sound


cdef bint connected(const uint16_t* cells, int n, const int* steps, int n_steps) noexcept nogil:
    """Whether cells, ascending, hang together and with the first card's."""
    cdef uint32_t reached = 0
    cdef int i, j, step, found = 0
    cdef bint more = True
    for i in range(n):
        if cells[i] == ORIGIN:
            reached = 1 << i
            found = 1
    while more:
        more = False
        for i in range(n):
            if not reached >> i & 1:
                continue
            for j in range(n):
                if reached >> j & 1:
                    continue
                for step in range(n_steps):
                    if cells[j] == cells[i] + steps[step]:
                        reached |= 1 << j
                        found += 1
                        more = True
                        break
    return found == n
