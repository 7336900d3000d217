"""Habitats of heart: laying tiles, swimming, what photo cards demand and score. Part of ext/heart.pyx."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy

from ext.lists cimport find, find_masked, in_order
from ext.rng cimport mix

cdef extern from "faults.h" nogil:
    bint FAULT(int decision)

cdef extern from * nogil:
    """
    #define TOP_BITS 0x8080808080808080ULL
    typedef unsigned __int128 slots_t;
    """
    const uint64_t TOP_BITS     # of each byte
    ctypedef unsigned long long slots_t     # a set of slots; 128 bits
    int __builtin_ctzll(unsigned long long word)

cdef int[4] STEP = [-256, 1, 256, -1]


cdef inline uint64_t spot_bit(int cell) noexcept nogil:
    """The bit of a cell in `Table.seen`: the plane rolled up into 8 by 8."""
    return <uint64_t> 1 << ((cell & 7) | (cell >> 8 & 7) << 3)


cdef inline bint fits(uint16_t edges, uint16_t need) noexcept nogil:
    """Whether edges are equal wherever tiles touch (heart-5)."""
    cdef int sides = (need & TOUCHED) >> 3
    if FAULT(5):
        # Blank beside anything.
        sides &= (edges | edges >> 1 | edges >> 2) & 0x1111
    return ((edges ^ need) & 7 * sides) == 0


cdef inline int icons_on(uint16_t edges, int icon) noexcept nogil:
    """Complete icons of a kind on a tile."""
    cdef int other = edges ^ (8 | icon) * 0x1111
    other |= other >> 1
    other |= other >> 2
    return 4 - ((other & 0x1111) * 0x1111 >> 12 & 7)


cdef inline uint64_t tile_key(int cell, int kind, int edges) noexcept nogil:
    return mix(<uint64_t> cell | <uint64_t> kind << 16 | <uint64_t> (edges & 0x7777) << 24)


cdef inline uint64_t manatee_key(int cell) noexcept nogil:
    return mix(<uint64_t> cell | <uint64_t> 1 << 40)


cdef void share_out(uint8_t* base, const uint8_t* n, int seats, int s, int total) noexcept nogil:
    """Parts of a list for seats that use n of it each: equal slack, but seat s, which is to grow, has three at least.

    Three is what a placement can add; where less is left, it is enough, since the list has room for all there can be.
    """
    cdef int i, share, slack = total
    for i in range(seats):
        slack -= n[i]
    share = (slack - 3) // seats if slack > 3 else 0
    base[0] = 0
    for i in range(seats):
        base[i + 1] = base[i] + n[i] + (slack - (seats - 1) * share if i == s else share)


cdef void move_slots(Table* t, const Table* old, int seats) noexcept nogil:
    """Moves every seat's tiles to where its part is now."""
    cdef int s, here, there, n
    for s in range(seats):
        here = t.base[s]
        there = old.base[s]
        n = t.n[s]
        memcpy(t.cell + here, old.cell + there, n * sizeof(uint16_t))
        memcpy(t.edges + here, old.edges + there, n * sizeof(uint16_t))
        memcpy(t.near + here, old.near + there, n * 4)
        memcpy(t.kind + here, old.kind + there, n)
        memcpy(t.manatees + here, old.manatees + there, n)


cdef void more_slots(Table* t, int seats, int s) noexcept nogil:
    """Seat s gets room for another tile."""
    cdef Table old = t[0]
    share_out(t.base, t.n, seats, s, SLOTS)
    move_slots(t, &old, seats)


cdef void more_edges(Table* t, int seats, int s) noexcept nogil:
    """Seat s gets room for more free cells: as many as it can come to need, since there are never more than EDGES."""
    cdef Table old = t[0]
    cdef int i
    share_out(t.edge_base, t.edge_n, seats, s, EDGES)
    for i in range(seats):
        memcpy(t.free + t.edge_base[i], old.free + old.edge_base[i], t.edge_n[i] * sizeof(uint16_t))
        memcpy(t.need + t.edge_base[i], old.need + old.edge_base[i], t.edge_n[i] * sizeof(uint16_t))


cdef inline void lay(Heart game, Table* t, int s, int e, int kind, uint16_t edges) noexcept nogil:
    """Lays a tile, whose edges are given as it lies, on free cell number e."""
    if t.base[s] + t.n[s] == t.base[s + 1]:
        more_slots(t, game.seats, s)
    if t.edge_base[s] + t.edge_n[s] + 3 > t.edge_base[s + 1]:
        more_edges(t, game.seats, s)
    cdef int base = t.base[s]
    cdef int n = t.n[s]
    cdef uint16_t* cells = t.cell + base
    cdef uint16_t* free = t.free + t.edge_base[s]
    cdef uint16_t* need = t.need + t.edge_base[s]
    cdef uint64_t seen = t.seen[s]
    cdef int edge_n = t.edge_n[s] - 1
    cdef int cell = free[e]
    cdef int here = need[e]
    cdef int d, there, other
    free[e] = free[edge_n]
    need[e] = need[edge_n]
    for d in range(4):
        there = cell + STEP[d]
        if here >> 4 * d & 8:
            other = find(cells, n, there)
            t.near[base + n][d] = other
            t.near[base + other][d ^ 2] = n
            t.edges[base + other] |= 8 << 4 * (d ^ 2)
            t.icons[s][here >> 4 * d & 7] += 1
        else:
            t.near[base + n][d] = NONE
            # Most often the bit tells that the cell is new.
            other = find(free, edge_n, there) if seen & spot_bit(there) else -1
            if other < 0:
                other = edge_n
                seen |= spot_bit(there)
                edge_n += 1
                free[other] = there
                need[other] = 0
            need[other] |= (edges >> 4 * d & 7 | 8) << 4 * (d ^ 2)
    cells[n] = cell
    t.edges[base + n] = edges | here & TOUCHED
    t.kind[base + n] = kind
    t.manatees[base + n] = 0
    t.n[s] = n + 1
    t.edge_n[s] = edge_n
    t.seen[s] = seen
    t.hash[s] += tile_key(cell, kind, edges)


cdef void lay_start(Heart game, Table* t, int s) noexcept nogil:
    """Lays the starting tile of a seat: the s-th, unturned (heart-2)."""
    cdef int d
    cdef uint16_t edges = game.turned[game.kinds + s][1 if FAULT(2) else 0]
    for d in range(4):
        t.near[t.base[s]][d] = NONE
        t.free[t.edge_base[s] + d] = CENTRE + STEP[d]
        t.seen[s] |= spot_bit(CENTRE + STEP[d])
        t.need[t.edge_base[s] + d] = (edges >> 4 * d & 7 | 8) << 4 * (d ^ 2)
    t.cell[t.base[s]] = CENTRE
    t.edges[t.base[s]] = edges
    t.kind[t.base[s]] = NONE
    t.n[s] = 1
    t.edge_n[s] = 4
    t.hash[s] = tile_key(CENTRE, NONE, edges)


cdef inline void move_manatees(Table* t, int s, int slot, int by) noexcept nogil:
    """Adds manatees to a tile, or takes them away."""
    t.manatees[t.base[s] + slot] += by
    t.sea[s] += by
    t.hash[s] += by * manatee_key(t.cell[t.base[s] + slot])


cdef inline int population(const Table* t, int s, int slot) noexcept nogil:
    return t.manatees[t.base[s] + slot] & ~SWUM


# --- swimming (heart-10, heart-11) ---

# Tiles that a swim may enter, in parts that hang together.
cdef struct Waters:
    slots_t part[SLOTS]
    int n

cdef slots_t[NONE + 1] BIT      # of a slot; none of NONE

cdef int i_
for i_ in range(SLOTS):
    BIT[i_] = <slots_t> 1 << i_


cdef inline int lowest(slots_t set_) noexcept nogil:
    return __builtin_ctzll(<uint64_t> set_) if <uint64_t> set_ else 64 + __builtin_ctzll(<uint64_t> (set_ >> 64))


cdef inline slots_t beside(const Table* t, int s, int slot) noexcept nogil:
    cdef const uint8_t* near = t.near[t.base[s] + slot]
    return BIT[near[0]] | BIT[near[1]] | BIT[near[2]] | BIT[near[3]]


cdef inline bint open_water(Heart game, const Table* t, int s, int slot) noexcept nogil:
    """Whether a swim may enter or cross a tile."""
    if t.shark_seat == s and t.shark == slot and not FAULT(18):
        return False
    cdef int room = 1
    if slot == 0 and game.start_blocks == FAULT(11):
        room = ROOM
    return population(t, s, slot) < room


cdef inline int able(const Table* t, int s, int slot) noexcept nogil:
    """How many manatees of a tile may still swim in this action."""
    if slot == 0:
        return t.manatees[t.base[s]] - t.swum_home
    return t.manatees[t.base[s] + slot] == 1


cdef bint can_swim(Heart game, const Table* t, int s) noexcept nogil:
    cdef int slot, d, other
    for slot in range(t.n[s]):
        if able(t, s, slot) > 0:
            for d in range(4):
                other = t.near[t.base[s] + slot][d]
                if other != NONE and open_water(game, t, s, other):
                    return True
    return False


cdef void flood(Heart game, const Table* t, int s, Waters* w) noexcept nogil:
    cdef const uint8_t* manatees = t.manatees + t.base[s]
    cdef slots_t rest = 0
    cdef slots_t part, edge, fresh
    cdef int slot
    for slot in range(1, t.n[s]):
        rest |= BIT[NONE if manatees[slot] else slot]
    if open_water(game, t, s, 0):
        rest |= BIT[0]
    if t.shark_seat == s and not open_water(game, t, s, t.shark):
        rest &= ~BIT[t.shark]
    w.n = 0
    while rest:
        part = edge = rest & (~rest + 1)
        rest ^= part
        while edge:
            fresh = beside(t, s, lowest(edge)) & rest
            edge &= edge - 1
            edge |= fresh
            part |= fresh
            rest ^= fresh
        w.part[w.n] = part
        w.n += 1


cdef inline slots_t reach(const Table* t, int s, const Waters* w, int slot) noexcept nogil:
    """Where a manatee on a tile can swim to: another tile than its own."""
    cdef slots_t near = beside(t, s, slot)
    cdef slots_t all_ = 0
    cdef int i
    for i in range(w.n):
        if w.part[i] & near:
            all_ |= w.part[i]
    return all_ & ~BIT[slot]


cdef bint image_at(const Table* t, int s, const Image* image, const Pattern* pattern, int slot) noexcept nogil:
    """Whether an image lies with its first cell on a tile."""
    cdef const uint16_t* edges = t.edges + t.base[s]
    cdef uint8_t[PATTERN] place
    cdef int c, there, manatees = population(t, s, slot)
    place[0] = slot
    for c in range(1, pattern.cells):
        if image.whence[c] != NONE:
            there = t.near[t.base[s] + place[image.whence[c]]][image.side[c]]
            if there == NONE:
                return False
        else:
            there = find(t.cell + t.base[s], t.n[s], t.cell[t.base[s] + slot] + image.dx[c] + 256 * image.dy[c])
            if there < 0:
                return False
        if (edges[there] ^ image.want[c]) & image.mask[c]:
            return False
        place[c] = there
        manatees += population(t, s, there)
    return manatees >= pattern.manatees or FAULT(13)


cdef bint has_pattern(const Table* t, int s, const Pattern* pattern) noexcept nogil:
    cdef const uint16_t* edges = t.edges + t.base[s]
    cdef const Image* image
    cdef int i, slot
    for i in range(pattern.images):
        image = &pattern.image[i]
        slot = find_masked(edges, 0, t.n[s], image.want[0], image.mask[0])
        while slot >= 0:
            if image_at(t, s, image, pattern, slot):
                return True
            slot = find_masked(edges, slot + 1, t.n[s], image.want[0], image.mask[0])
    return False


cdef bint may_take(Heart game, const Table* t, int s, int kind) noexcept nogil:
    """Whether a habitat meets what a photo card demands."""
    cdef const Photo* photo = &game.photo[kind]
    cdef uint64_t icons
    cdef int i
    if photo.orange and game.orange_needs == FAULT(12):
        return True
    # All icons are compared at once: no byte that is asked for has its top bit set.
    memcpy(&icons, t.icons[s], 8)
    if (((icons | TOP_BITS) - photo.icons) | icons) & TOP_BITS != TOP_BITS:
        return False
    for i in range(photo.patterns):
        if not has_pattern(t, s, &photo.pattern[i]):
            return False
    return True


cdef int offered(Heart game, const Table* t, int s) noexcept nogil:
    """Bit i: the i-th open card may be taken, and no equal one lies before it."""
    cdef int i, bits = 0
    for i in range(t.open_n):
        if index_of(t.open, t.open[i]) == i and may_take(game, t, s, t.open[i]):
            bits |= 1 << i
    return bits


cdef inline int photo_points(const Photo* photo, const uint8_t* icons, int manatees, int tiles) noexcept nogil:
    """What a card scores in a habitat with so many of each."""
    if not photo.orange:
        return photo.points
    cdef int count = (
        manatees if photo.counted == COUNT_MANATEES else tiles if photo.counted == COUNT_TILES else icons[photo.counted]
    )
    return photo.points * (count // photo.per)


cdef inline int seat_points(Heart game, const Table* t, int s) noexcept nogil:
    """Manatees beside food (heart-19), and photo cards."""
    cdef int slot, manatees, sum_ = 0
    for slot in range(t.n[s]):
        manatees = population(t, s, slot)
        if manatees:
            if FAULT(19) and manatees > 1:
                manatees = 1
            sum_ += manatees * icons_on(t.edges[t.base[s] + slot], FOOD)
    for slot in range(t.held_n[s]):
        sum_ += photo_points(&game.photo[t.held[s][slot]], t.icons[s], t.sea[s], t.n[s])
    return sum_
