"""Codes of heart's moves, lists of them, and positions in order: what the world outside sees. Part of ext/heart.pyx."""
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from ext.game cimport move_t
from ext.lists cimport find, in_order, sort_bytes, write_number

cdef enum:
    # Move codes: a column, or one of these with what it takes. They ascend in the canonical order of each decision.
    PLACE = 1 << 27         # | cell << 2 | rotation
    DISCARD = 2 << 27
    TAKE_PHOTO = 3 << 27    # | kind
    MOVE_SHARK = 4 << 27    # | seat << 15 | cell
    SWIM = 1 << 30          # | cell << 15 | cell
    # Outcome codes: which chance, and its number.
    OF_FIRST = 0 << 8
    OF_TILE = 1 << 8
    OF_PHOTO = 2 << 8
    OF_DIE = 3 << 8

cdef extern from * nogil:
    """
    #define DECLINE ((uint32_t) 3 << 30)
    """
    const move_t DECLINE


cdef inline move_t pack(int cell) noexcept nogil:
    """A cell in 15 bits, ascending by row, then column."""
    return ((cell >> 8) - 128 + REACH) * SPAN + (cell & 255) - 128 + REACH


cdef inline int unpack(move_t code) noexcept nogil:
    """The cell of the low 15 bits; one that no tile can have for a code that none has."""
    cdef int packed = code & 0x7FFF
    if packed >= SPAN * SPAN:
        return 0
    return (packed // SPAN - REACH + 128) << 8 | (packed % SPAN - REACH + 128)


cdef inline int slot_of(const Table* t, int s, int cell) noexcept nogil:
    return find(t.cell + t.base[s], t.n[s], cell)


cdef inline int edge_of(const Table* t, int s, int cell) noexcept nogil:
    return find(t.free + t.edge_base[s], t.edge_n[s], cell)


cdef int list_placements(Heart game, const Table* t, int s, move_t* buffer) noexcept nogil:
    cdef uint8_t[EDGES] order
    cdef const uint16_t* free = t.free + t.edge_base[s]
    cdef const uint16_t* need = t.need + t.edge_base[s]
    cdef int i, e, r, n = 0
    in_order(free, t.edge_n[s], order)
    for i in range(t.edge_n[s]):
        e = order[i]
        for r in range(4 if FAULT(4) else game.turns[t.hand]):
            if fits(game.turned[t.hand][r], need[e]):
                buffer[n] = PLACE | pack(free[e]) << 2 | r
                n += 1
    if n == 0 or FAULT(6):
        buffer[n] = DISCARD
        n += 1
    return n


cdef int list_swims(Heart game, const Table* t, int s, move_t* buffer) noexcept nogil:
    cdef Waters w
    cdef uint8_t[SLOTS] order
    cdef slots_t open_
    cdef const uint16_t* cell = t.cell + t.base[s]
    cdef int i, j, origin, n = 0
    flood(game, t, s, &w)
    in_order(cell, t.n[s], order)
    for i in range(t.n[s]):
        origin = order[i]
        if able(t, s, origin) <= 0:
            continue
        open_ = reach(t, s, &w, origin)
        for j in range(t.n[s]):
            if open_ & BIT[order[j]]:
                buffer[n] = SWIM | pack(cell[origin]) << 15 | pack(cell[order[j]])
                n += 1
    if not game.swims_mandatory:
        buffer[n] = DECLINE
        n += 1
    return n


cdef int list_photos(const Table* t, move_t* buffer) noexcept nogil:
    cdef int i, j, n = 0
    for i in range(t.open_n):
        if not t.offers >> i & 1:
            continue
        j = n
        while j > 0 and buffer[j - 1] > TAKE_PHOTO | <move_t> t.open[i]:
            buffer[j] = buffer[j - 1]
            j -= 1
        buffer[j] = TAKE_PHOTO | <move_t> t.open[i]
        n += 1
    buffer[n] = DECLINE
    return n + 1


cdef int list_hunts(Heart game, const Table* t, int s, move_t* buffer) noexcept nogil:
    cdef uint8_t[SLOTS] order
    cdef int host, i, n = 0
    for host in range(game.seats):
        if host == s:
            continue
        in_order(t.cell + t.base[host], t.n[host], order)
        for i in range(t.n[host]):
            if order[i] and can_go(t, host, order[i]):
                buffer[n] = MOVE_SHARK | <move_t> host << 15 | pack(t.cell[t.base[host] + order[i]])
                n += 1
    return n


cdef bint swim_is_legal(Heart game, const Table* t, int s, int origin, int destination) noexcept nogil:
    cdef Waters w
    if origin < 0 or destination < 0 or able(t, s, origin) <= 0:
        return False
    flood(game, t, s, &w)
    return (reach(t, s, &w, origin) & BIT[destination]) != 0


cdef void spell(move_t move, char* text) noexcept nogil:
    """What tells the moves of one decision apart in their notation: "3,-1 r2", "0,0 1,0"."""
    if move >= DECLINE:
        text[0] = c'd'
        text += 1
    elif move & SWIM:
        text[0] = c's'
        text = spell_cell(unpack(move >> 15), text + 1)
        text[0] = c' '
        text = spell_cell(unpack(move), text + 1)
    elif move >= MOVE_SHARK:
        text[0] = c'0' + (move >> 15 & 3)
        text = spell_cell(unpack(move), text + 1)
    elif move >= TAKE_PHOTO:
        text[0] = c'p'
        text = write_number(move & 255, text + 1)
    elif move >= DISCARD:
        text[0] = c'd'
        text += 1
    elif move & PLACE:
        text[0] = c'p'
        text = spell_cell(unpack(move >> 2), text + 1)
        text[0] = c' '
        text[1] = c'0' + (move & 3)
        text += 2
    else:
        text[0] = c't'
        text[1] = c'0' + (move & 3)
        text += 2
    text[0] = 0


cdef char* spell_cell(int cell, char* text) noexcept nogil:
    text = write_number((cell & 255) - 128, text)
    text[0] = c','
    return write_number((cell >> 8) - 128, text + 1)


# --- equal positions, equal bytes ---

cdef void tidy(Heart game, const Table* t, Table* out) noexcept nogil:
    """The same position with every list in order, and nothing in what is not used."""
    cdef uint8_t[EDGES] order
    cdef uint8_t[SLOTS] rank
    cdef int s, i, d, here, there
    memcpy(out, t, sizeof(Table))
    share_out(out.base, t.n, game.seats, 0, SLOTS)
    share_out(out.edge_base, t.edge_n, game.seats, 0, EDGES)
    memset(out.cell, 0, sizeof(out.cell))
    memset(out.edges, 0, sizeof(out.edges))
    memset(out.free, 0, sizeof(out.free))
    memset(out.need, 0, sizeof(out.need))
    memset(out.near, 0, sizeof(out.near))
    memset(out.kind, 0, sizeof(out.kind))
    memset(out.manatees, 0, sizeof(out.manatees))
    for s in range(game.seats):
        # The starting tile stays in front.
        order[0] = 0
        in_order(t.cell + t.base[s] + 1, t.n[s] - 1, order + 1)
        for i in range(1, t.n[s]):
            order[i] += 1
        for i in range(t.n[s]):
            rank[order[i]] = i
        for i in range(t.n[s]):
            here = out.base[s] + i
            there = t.base[s] + order[i]
            out.cell[here] = t.cell[there]
            out.edges[here] = t.edges[there]
            out.kind[here] = t.kind[there]
            out.manatees[here] = t.manatees[there]
            for d in range(4):
                out.near[here][d] = NONE if t.near[there][d] == NONE else rank[t.near[there][d]]
        if t.shark_seat == s:
            out.shark = rank[t.shark]
        in_order(t.free + t.edge_base[s], t.edge_n[s], order)
        for i in range(t.edge_n[s]):
            out.free[out.edge_base[s] + i] = t.free[t.edge_base[s] + order[i]]
            out.need[out.edge_base[s] + i] = t.need[t.edge_base[s] + order[i]]
        sort_bytes(out.held[s], t.held_n[s])
    sort_bytes(out.open, t.open_n)
    memset(out.open + t.open_n, 0, OPEN - t.open_n)
    out.offers = offered(game, out, t.turn) if t.phase == CHOOSING else 0
    memset(out.pile + t.pile_n, 0, TILES - t.pile_n)
    memset(out.deck + t.deck_n, 0, PHOTOS - t.deck_n)
    for i in range(COLUMNS):
        memset(out.column[i] + t.column_n[i], 0, COLUMN - t.column_n[i])
    if not FAULT(205):
        memset(out.drawn, 0, sizeof(out.drawn))


cdef inline int last_laid(const Table* t, int s) noexcept nogil:
    """The cell of the tile that a seat laid last, which no position tells: for planted cheats."""
    return t.cell[t.base[s] + t.n[s] - 1]
