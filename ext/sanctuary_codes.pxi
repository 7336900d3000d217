"""Codes of sanctuary's moves, lists of them, and positions in order: what the world outside sees.

Part of ext/sanctuary.pyx.
"""
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from ext.game cimport move_t
from ext.lists cimport find, in_order, sort_bytes, write_number

cdef enum:
    # Move codes: what is decided, with what it takes. They ascend in the canonical order of each decision.
    SPLIT_ONE = 1 << 16     # | card
    SPLIT_TWO = 2 << 16     # | lower card << 8 | higher card
    KEEP = 3 << 16          # | 0 the smaller stack, 1 the larger
    PICK = 4 << 16          # | card
    DISCARD = 5 << 16       # | card
    DECLINE = 6 << 16
    TOP = 7 << 16           # | card
    BOTTOM = 1 << 24        # | card << 14 | cell << 2 | rotation
    RETURN = 2 << 24        # | gray << 12 | pink << 6 | yellow
    MOVE_KIND = 0x7F << 16
    # Outcome codes: which chance, and its number.
    OF_BONUS = 0 << 8
    OF_CARD = 1 << 8
    OF_MANATEE = 2 << 8


cdef inline int pack(int cell) noexcept nogil:
    """A cell in 12 bits, ascending by row, then column."""
    return ((cell >> 8) - 128 + REACH) * SPAN + (cell & 255) - 128 + REACH


cdef inline int unpack(int packed) noexcept nogil:
    """The cell of 12 bits; one that no card can have for a code that none has."""
    packed &= 0xFFF
    if packed >= SPAN * SPAN:
        return 0
    return (packed // SPAN - REACH + 128) << 8 | (packed % SPAN - REACH + 128)


cdef inline int spot_of(const Seat* b, int cell) noexcept nogil:
    """The number of a free cell that touches a flower, -1 for any other."""
    return find(b.free, b.live, cell)


cdef inline move_t return_code(const int* back) noexcept nogil:
    return RETURN | <move_t> back[GRAY] << 12 | back[PINK] << 6 | back[YELLOW]


cdef inline void read_return(move_t move, int* back) noexcept nogil:
    back[GRAY] = move >> 12 & 0xFF
    back[PINK] = move >> 6 & 0x3F
    back[YELLOW] = move & 0x3F


cdef inline move_t split_code(const Seat* b, int stack) noexcept nogil:
    """The code of a split by the bits of its smaller stack."""
    cdef int i, low = NONE
    for i in range(DEALT):
        if stack >> i & 1:
            if low != NONE:
                return SPLIT_TWO | low << 8 | b.hand[i] >> 2
            low = b.hand[i] >> 2
    return SPLIT_ONE | low


cdef inline int stack_of_code(const Seat* b, move_t move) noexcept nogil:
    """The bits of a split's smaller stack, 0 for one that the hand does not allow."""
    if move >= SPLIT_TWO:
        return stack_of(b, move >> 8 & 255, move & 255)
    return stack_of(b, move & 255, NONE)


cdef int list_splits(const Seat* b, move_t* buffer) noexcept nogil:
    cdef int i, j, n = 0
    for i in range(DEALT):
        if i == 0 or b.hand[i] >> 2 != b.hand[i - 1] >> 2:
            buffer[n] = SPLIT_ONE | b.hand[i] >> 2
            n += 1
    for i in range(DEALT):
        if i and b.hand[i] >> 2 == b.hand[i - 1] >> 2:
            continue
        for j in range(i + 1, DEALT):
            if j == i + 1 or b.hand[j] >> 2 != b.hand[j - 1] >> 2:
                buffer[n] = SPLIT_TWO | (b.hand[i] >> 2) << 8 | b.hand[j] >> 2
                n += 1
    return n


cdef int list_discards(Sanctuary game, const Table* t, move_t* buffer) noexcept nogil:
    cdef const Seat* b = &t.seat[0]
    cdef int i, kind, n = 0
    for i in range(b.hand_n):
        kind = b.hand[i] >> 2
        if (i == 0 or b.hand[i - 1] >> 2 != kind) and may_discard(game, t, kind):
            buffer[n] = DISCARD | kind
            n += 1
    # In round 3 it is forced (sanctuary-23).
    if game.challenge == POWER_CAP and t.round < ROUNDS:
        buffer[n] = DECLINE
        n += 1
    return n


cdef int list_cards(Sanctuary game, const Seat* b, move_t* buffer) noexcept nogil:
    cdef uint8_t[FREE] order
    cdef const Card* card
    cdef int i, j, e, r, kind, n = 0
    for i in range(b.hand_n):
        kind = b.hand[i] >> 2
        if i == 0 or b.hand[i - 1] >> 2 != kind:
            buffer[n] = TOP | kind
            n += 1
    in_order(b.free, b.live, order)
    for i in range(b.hand_n):
        kind = b.hand[i] >> 2
        if i and b.hand[i - 1] >> 2 == kind:
            continue
        card = &game.card[kind]
        for j in range(b.live):
            e = order[j]
            for r in range(card.turns):
                if fits(card.turned[r], b.need[e]):
                    buffer[n] = BOTTOM | <move_t> kind << 14 | pack(b.free[e]) << 2 | r
                    n += 1
    return n


cdef int list_returns(Sanctuary game, const Table* t, move_t* buffer) noexcept nogil:
    """Of each number of gray and pink newcomers sent back: the fewest yellow ones, if none could stay (sanctuary-9)."""
    cdef const Seat* b = &t.seat[t.turn]
    cdef int[COLOURS] back
    cdef int room, staying, most, n = 0
    for back[GRAY] in range(t.newcomers[GRAY] + 1):
        for back[PINK] in range(t.newcomers[PINK] + 1):
            room = b.spaces - housed(b) - b.manatees[YELLOW]
            room -= t.newcomers[GRAY] - back[GRAY] + t.newcomers[PINK] - back[PINK]
            if room < 0:
                continue
            staying = room // 2
            most = t.newcomers[YELLOW] if game.pooled or FAULT(10) else b.doubles - b.manatees[YELLOW]
            staying = most if most < staying else staying
            staying = t.newcomers[YELLOW] if t.newcomers[YELLOW] < staying else staying
            back[YELLOW] = t.newcomers[YELLOW] - staying
            if (back[GRAY] or back[PINK]) and room - 2 * staying > 0:
                continue
            buffer[n] = return_code(back)
            n += 1
    return n


cdef int list_hungry(const Table* t, move_t* buffer) noexcept nogil:
    """Of each number of gray and pink ones that go hungry: the fewest yellow ones, if none could eat (sanctuary-16)."""
    cdef const Seat* b = &t.seat[t.turn]
    cdef int[COLOURS] back
    cdef int left, eating, n = 0
    for back[GRAY] in range(b.manatees[GRAY] + 1):
        for back[PINK] in range(b.manatees[PINK] + 1):
            left = b.food - (b.manatees[GRAY] - back[GRAY])
            left -= (1 if FAULT(16) else 2) * (b.manatees[PINK] - back[PINK])
            if left < 0:
                continue
            eating = b.manatees[YELLOW] if b.manatees[YELLOW] < left else left
            back[YELLOW] = b.manatees[YELLOW] - eating
            left -= eating
            if back[GRAY] and left >= 1 or back[PINK] and left >= (1 if FAULT(16) else 2):
                continue
            buffer[n] = return_code(back)
            n += 1
    return n


cdef void spell(move_t move, char* text) noexcept nogil:
    """What tells the moves of one decision apart in their notation: "split 3,17", "bottom 17 0,-1 r2"."""
    cdef int cell
    text[1] = c' '
    if move & RETURN:
        text[0] = c'r'
        text = write_number(move >> 12 & 0xFF, text + 2)
        text[0] = c','
        text = write_number(move >> 6 & 0x3F, text + 1)
        text[0] = c','
        text = write_number(move & 0x3F, text + 1)
    elif move & BOTTOM:
        cell = unpack(move >> 2)
        text[0] = c'b'
        text = write_number(move >> 14 & 0xFF, text + 2)
        text[0] = c' '
        text = write_number((cell & 255) - 128, text + 1)
        text[0] = c','
        text = write_number((cell >> 8) - 128, text + 1)
        text[0] = c' '
        text[1] = c'0' + (move & 3)
        text += 2
    elif move >= TOP:
        text[0] = c't'
        text = write_number(move & 255, text + 2)
    elif move >= DISCARD:
        # "decline" comes before "discard".
        text[0] = c'd' if move & MOVE_KIND == DISCARD else c'c'
        text = write_number(move & 255, text + 2)
    elif move >= KEEP:
        # "keep larger" comes before "keep smaller".
        text[0] = c'k'
        text = write_number(1 - (move & 1) if move & MOVE_KIND == KEEP else <int> (move & 255), text + 2)
    elif move >= SPLIT_TWO:
        text[0] = c's'
        text = write_number(move >> 8 & 255, text + 2)
        text[0] = c','
        text = write_number(move & 255, text + 1)
    else:
        text[0] = c's'
        text = write_number(move & 255, text + 2)
    text[0] = 0


# --- equal positions, equal bytes ---

cdef void tidy_seat(const Seat* b, Seat* out) noexcept nogil:
    cdef uint8_t[FREE] order
    cdef int i, part, first, n
    out[0] = b[0]
    memset(out.cell, 0, sizeof(out.cell))
    memset(out.edges, 0, sizeof(out.edges))
    memset(out.kind, 0, sizeof(out.kind))
    memset(out.free, 0, sizeof(out.free))
    memset(out.need, 0, sizeof(out.need))
    # The starting tile stays in front.
    order[0] = 0
    in_order(b.cell + 1, b.n - 1, order + 1)
    for i in range(b.n):
        first = order[i] + (i > 0)
        out.cell[i] = b.cell[first]
        out.edges[i] = b.edges[first]
        out.kind[i] = b.kind[first]
    for part in range(2):
        first = b.live if part else 0
        n = b.free_n - b.live if part else b.live
        in_order(b.free + first, n, order)
        for i in range(n):
            out.free[first + i] = b.free[first + order[i]]
            out.need[first + i] = b.need[first + order[i]]
    sort_bytes(out.tops, out.tops_n)
    memset(out.tops + out.tops_n, 0, sizeof(out.tops) - out.tops_n)
    memset(out.hand + out.hand_n, 0, sizeof(out.hand) - out.hand_n * sizeof(uint16_t))
    settle_knowledge(out)
    if not FAULT(301):
        out.draws = 0


cdef void tidy(Sanctuary game, const Table* t, Table* out) noexcept nogil:
    """The same position with every list in order, and nothing in what is not used."""
    cdef int s
    memset(out, 0, sizeof(Table))
    memcpy(out, t, game.state_bytes)
    for s in range(game.seats):
        tidy_seat(&t.seat[s], &out.seat[s])
    sort_bytes(out.deck, out.deck_n)
    memset(out.deck + out.deck_n, 0, sizeof(out.deck) - out.deck_n)
    sort_bytes(out.discards, out.discards_n)
    memset(out.discards + out.discards_n, 0, sizeof(out.discards) - out.discards_n)


cdef void conceal(Sanctuary game, Table* t, int observer) noexcept nogil:
    """Hides from a tidied position what a seat does not know (sanctuary-5): hidden cards go to the deck's."""
    cdef Seat* b
    cdef int s, i, bits, left = (observer + 1) % game.seats, right = (observer + game.seats - 1) % game.seats
    for s in range(game.seats):
        b = &t.seat[s]
        if s == observer:
            for i in range(b.hand_n):
                b.hand[i] &= 0xFFFF if FAULT(305) else 0xFFFC
            continue
        if not FAULT(303):
            b.commit = 0
        if t.phase == CHOOSING:
            if s == giver_of(game, t, observer) and (not game.blind or FAULT(304)):
                continue
            b.stack = 1 if b.stack & (b.stack - 1) == 0 else 3
        bits = TO_RIGHT if s == left else TO_LEFT if s == right else 0
        for i in range(b.hand_n):
            if FAULT(302) and s == left and i == 0:
                b.hand[i] |= bits
            if b.hand[i] & bits:
                b.hand[i] &= 0xFFFC | bits
            else:
                if not FAULT(319):
                    t.deck[t.deck_n] = b.hand[i] >> 2
                    t.deck_n += 1
                b.hand[i] = UNKNOWN
        sort_hand(b.hand, b.hand_n)
    sort_bytes(t.deck, t.deck_n)
