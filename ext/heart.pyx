"""I Heart Manatees: the rules kernel. Decisions are named as in docs/rules-heart.md ("heart-9")."""
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset, strcmp

from ext.game cimport (
    C_CHANCE, C_MAX_MOVES, C_MAX_OUTCOMES, C_OVER, Game, Observation, State, move_t, new_observation, new_state,
)
from ext.rng cimport Stream, below, mix, mix2, next_word, scaled, seed_stream

import sys
from collections import Counter

from ext import heart_catalogue, heart_events, heart_notation, heart_position, heart_tables
from ext.errors import Malformed, Violation


cdef extern from "faults.h" nogil:
    bint FAULT(int decision)
    bint PLANT_FAULT(int decision)

cdef extern from * nogil:
    int __builtin_ctzll(unsigned long long word)

cdef enum:
    # Move codes: a column, or one of these with what it takes. They ascend in the canonical order of each decision.
    PLACE = 1 << 27     # | cell << 2 | rotation
    DISCARD = 2 << 27
    TAKE_PHOTO = 3 << 27    # | kind
    MOVE_SHARK = 4 << 27    # | seat << 15 | cell
    SWIM = 1 << 30          # | cell << 15 | cell
    OF_FIRST = 0 << 8   # outcome codes: which chance, and its number
    OF_TILE = 1 << 8
    OF_PHOTO = 2 << 8
    OF_DIE = 3 << 8
    ATTEMPTS = 12       # at a random choice before all choices are listed
    # At most 91 reshuffles, each with a placement before it (heart-23), of at most 90 tiles: takes, each with a draw
    # and a place or discard; and behind a placement no more swims than icons.
    MAX_PLIES = 92 * 90 * 3 + 90 * 200

cdef extern from * nogil:
    """
    #define DECLINE ((uint32_t) 3 << 30)
    #define TOP_BITS 0x8080808080808080ULL
    #define LANES 0x0001000100010001ULL
    typedef unsigned __int128 slots_t;
    """
    const move_t DECLINE
    const uint64_t TOP_BITS     # of each byte
    const uint64_t LANES        # 1 in each of four 16-bit lanes
    ctypedef unsigned long long slots_t     # a set of slots; 128 bits
cdef int[4] STEP = [-256, 1, 256, -1]

PHASES = (
    "TAKE", "PLACE", "SWIM", "PHOTO", "SHARK", "DRAW_FIRST", "DRAW_TILE", "DRAW_PHOTO", "ROLL_DIE", "OVER",
)
ACTIONS = ("HEART_ACTION_RESCUE", "HEART_ACTION_SWIM", "HEART_ACTION_PHOTO", "HEART_ACTION_SHARK")


def plant_fault(int decision):
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
    return bool(PLANT_FAULT(decision))


# --- habitats ---

cdef inline int find_masked(const uint16_t* list_, int first, int n, uint16_t wanted, uint16_t mask) noexcept nogil:
    """The first place from `first` on in a list of n where an item is `wanted` under a mask, -1 when there is none.

    Four items at a time: a zero among 16-bit lanes (Mycroft's trick). It may read three items beyond the list, which
    lie within the table, and overlook them.
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


cdef inline int find(const uint16_t* cells, int n, uint16_t cell) noexcept nogil:
    """The place of a cell in a list, -1 when it is not there."""
    return find_masked(cells, 0, n, cell, 0xFFFF)


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


cdef void in_order(const uint16_t* cells, int n, uint8_t* order) noexcept nogil:
    """Numbers of cells by row, then column."""
    cdef int i, j
    for i in range(n):
        j = i
        while j > 0 and cells[order[j - 1]] > cells[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


# --- photo cards (heart-12, heart-13) ---

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


# --- the course of a turn ---

cdef inline void remove_at(uint8_t* list_, uint8_t* n, int i) noexcept nogil:
    n[0] -= 1
    memmove(list_ + i, list_ + i + 1, n[0] - i)


cdef inline int index_of(const uint8_t* list_, int kind) noexcept nogil:
    cdef int i = 0
    while list_[i] != kind:
        i += 1
    return i


cdef inline void clear_turn(Heart game, Table* t) noexcept nogil:
    """Forgets what belongs to one turn, but not a tile in hand."""
    cdef int slot
    if t.swims or t.action != NONE and game.action_of[t.action] == SWIM_ACTION:
        for slot in range(t.n[t.turn]):
            t.manatees[t.base[t.turn] + slot] &= ~SWUM
    t.action = NONE
    t.bonus = False
    t.refill = NONE
    t.swims = 0
    t.swum_home = 0
    t.offers = 0


cdef void end_game(Heart game, Table* t) noexcept nogil:
    """At once: a tile in hand stays there, action and die lapse (heart-23)."""
    clear_turn(game, t)
    t.phase = ENDED


cdef void count_discards(Heart game, const Table* t, uint8_t* count) noexcept nogil:
    """Discarded tiles by kind: those that are nowhere else."""
    cdef int i, j, s
    memcpy(count, game.tile_count, game.kinds)
    for i in range(t.pile_n):
        count[t.pile[i]] -= 1
    for i in range(COLUMNS):
        for j in range(t.column_n[i]):
            count[t.column[i][j]] -= 1
    for s in range(game.seats):
        for i in range(1, t.n[s]):
            count[t.kind[t.base[s] + i]] -= 1
    if t.hand != NONE:
        count[t.hand] -= 1


cdef void reshuffle(Heart game, Table* t) noexcept nogil:
    """The discards become the pile (heart-7)."""
    cdef uint8_t[TILES] count
    cdef int kind
    count_discards(game, t, count)
    for kind in range(game.kinds):
        for _ in range(count[kind]):
            t.pile[t.pile_n] = kind
            t.pile_n += 1
    t.discards = 0


cdef void go_on_refilling(Heart game, Table* t) noexcept nogil:
    """Draws the next tile for the column being filled; when it has three, or no tile is left, the game goes on."""
    cdef int filled = t.refill
    if t.column_n[filled] < COLUMN - FAULT(7) and (t.pile_n or game.reshuffle and t.discards):
        if t.pile_n == 0:
            if t.stale:
                end_game(game, t)
                return
            reshuffle(game, t)
            t.stale = not FAULT(23)
        t.phase = DRAW_TILE
        return
    t.refill = NONE
    if t.die == NONE:
        # Setup: the next column, and behind the last the photos (heart-2).
        if filled + 1 < COLUMNS:
            t.refill = filled + 1
            t.phase = DRAW_TILE
        else:
            t.phase = DRAW_PHOTO
    elif t.hand != NONE:
        t.phase = PLACING
    else:
        start_take(game, t)


cdef void start_take(Heart game, Table* t) noexcept nogil:
    """Refills columns that stayed empty, the lowest first, then asks for the take (heart-7, heart-8)."""
    cdef int c
    cdef bint any_ = False
    for c in range(COLUMNS):
        if t.column_n[c]:
            any_ = True
        elif t.pile_n or game.reshuffle and t.discards:
            t.refill = c
            go_on_refilling(game, t)
            return
    if any_:
        t.phase = TAKING
    else:
        end_game(game, t)


cdef void end_turn(Heart game, Table* t) noexcept nogil:
    clear_turn(game, t)
    if t.trigger != NONE:
        if t.turns_left == 0:
            end_game(game, t)
            return
        t.turns_left -= 1
    t.turn = (t.turn + (game.seats - 1 if FAULT(1) else 1)) % game.seats
    start_take(game, t)


cdef inline void trigger_end(Heart game, Table* t) noexcept nogil:
    """One more turn each, the triggering player last; later triggers change nothing (heart-20)."""
    if t.trigger == NONE:
        t.trigger = t.turn
        t.turns_left = game.seats - FAULT(20)


cdef inline void roll_die(Heart game, Table* t) noexcept nogil:
    """The die is rolled again, whether or not it gave anything, in the last turn too (heart-17, heart-22)."""
    if FAULT(17) and t.bonus or FAULT(22) and t.trigger != NONE and t.turns_left == 0:
        t.bonus = False
        end_turn(game, t)
        return
    t.bonus = False
    t.phase = ROLL_DIE


cdef void take_tile(Heart game, Table* t, int c) noexcept nogil:
    t.hand = t.column[c][0]
    t.column_n[c] -= 1
    t.column[c][0] = t.column[c][1]
    t.column[c][1] = t.column[c][2]
    if not t.bonus:
        t.action = c
    if t.column_n[c]:
        t.phase = PLACING
    else:
        # At once, so that a bonus tile may come from it (heart-7).
        t.refill = c
        go_on_refilling(game, t)


cdef inline int rescued(const Table* t, int s, int icons) noexcept nogil:
    """How many a rescue brings with so many rescue icons (heart-9)."""
    cdef int wanted = icons if FAULT(9) else 1 + icons
    cdef int room = ROOM - t.manatees[t.base[s]]
    wanted = room if room < wanted else wanted
    return t.supply if t.supply < wanted else wanted


cdef void ask_for_swim(Heart game, Table* t) noexcept nogil:
    if t.swims and can_swim(game, t, t.turn):
        t.phase = SWIMMING
    else:
        end_turn(game, t)


cdef inline bint can_go(const Table* t, int host, int slot) noexcept nogil:
    """Whether the shark may move to a tile of another player (heart-14)."""
    if t.manatees[t.base[host] + slot] and not FAULT(14):
        return False
    return not (t.shark_seat == host and t.shark == slot)


cdef bint can_hunt(Heart game, const Table* t) noexcept nogil:
    cdef int s, slot
    for s in range(game.seats):
        if s != t.turn:
            for slot in range(1, t.n[s]):
                if can_go(t, s, slot):
                    return True
    return False


cdef void second_part(Heart game, Table* t, bint moved) noexcept nogil:
    """What the die gives (heart-15, heart-16)."""
    cdef int icon, s = t.turn
    cdef int face = game.face[t.die]
    cdef int met = 0
    cdef bint bonus
    if face == 0:
        if moved and t.manatees[t.base[t.shark_seat]] and t.manatees[t.base[s]] < ROOM and not FAULT(15):
            move_manatees(t, t.shark_seat, 0, -1)
            move_manatees(t, s, 0, 1)
        roll_die(game, t)
        return
    for icon in range(1, ICONS):
        if face >> icon & 1 and t.icons[s][icon]:
            met |= 1 << icon
    bonus = met != 0 or FAULT(16)
    if FAULT(3):
        bonus = met == face
    if bonus and (has_tiles(t) or FAULT(8)):
        t.bonus = True
        t.phase = TAKING
        if FAULT(8) and not has_tiles(t):
            end_game(game, t)
        return
    roll_die(game, t)


cdef inline bint has_tiles(const Table* t) noexcept nogil:
    return (t.column_n[0] | t.column_n[1] | t.column_n[2] | t.column_n[3]) != 0


cdef void act(Heart game, Table* t) noexcept nogil:
    """The action of the column, once its tile is placed."""
    cdef int n, s = t.turn
    cdef int action = game.action_of[t.action]
    if action == RESCUE:
        n = rescued(t, s, t.icons[s][RESCUE_ICON])
        move_manatees(t, s, 0, n)
        t.supply -= n
        if t.supply == 0:
            trigger_end(game, t)
        end_turn(game, t)
    elif action == SWIM_ACTION:
        t.swims = t.icons[s][SWIM_ICON] + (not FAULT(10))
        ask_for_swim(game, t)
    elif action == PHOTO:
        t.offers = offered(game, t, s)
        if t.offers:
            t.phase = CHOOSING
        else:
            end_turn(game, t)
    elif can_hunt(game, t):
        t.phase = HUNTING
    else:
        second_part(game, t, False)


cdef inline void place_tile(Heart game, Table* t, int e, int rotation) noexcept nogil:
    cdef int kind = t.hand
    lay(game, t, t.turn, e, kind, game.turned[kind][rotation])
    t.hand = NONE
    t.stale = False
    if t.bonus:
        roll_die(game, t)
    else:
        act(game, t)


cdef void discard_tile(Heart game, Table* t) noexcept nogil:
    """The turn ends without an action (heart-6); a bonus tile's does with the die (heart-16)."""
    t.hand = NONE
    t.discards += 1
    if t.bonus:
        roll_die(game, t)
    else:
        end_turn(game, t)


cdef void swim(Heart game, Table* t, int origin, int destination) noexcept nogil:
    cdef int s = t.turn
    move_manatees(t, s, origin, -1)
    move_manatees(t, s, destination, 1)
    t.swims -= 1
    if not game.repeat_swimmers:
        if destination == 0:
            t.swum_home += 1
        else:
            t.manatees[t.base[s] + destination] |= SWUM
    ask_for_swim(game, t)


cdef void take_photo(Heart game, Table* t, int i) noexcept nogil:
    """Takes the i-th open card; it is replaced at once (heart-12)."""
    cdef int s = t.turn
    t.held[s][t.held_n[s]] = t.open[i]
    t.held_n[s] += 1
    remove_at(t.open, &t.open_n, i)
    if t.held_n[s] == LAST_PHOTO:
        trigger_end(game, t)
    if t.deck_n:
        t.phase = DRAW_PHOTO
    else:
        end_turn(game, t)


cdef void move_shark(Heart game, Table* t, int host, int slot) noexcept nogil:
    t.shark_seat = host
    t.shark = slot
    second_part(game, t, True)


cdef void decline(Heart game, Table* t) noexcept nogil:
    if t.bonus:
        roll_die(game, t)
    else:
        end_turn(game, t)


cdef void draw_first(Table* t, int seat) noexcept nogil:
    t.first = seat
    t.turn = seat
    t.refill = 0
    t.phase = DRAW_TILE


cdef void draw_tile(Heart game, Table* t, int i) noexcept nogil:
    """The i-th tile of the pile comes to the end of the column (heart-7)."""
    t.column[t.refill][t.column_n[t.refill]] = t.pile[i]
    t.column_n[t.refill] += 1
    remove_at(t.pile, &t.pile_n, i)
    t.drawn[0] += 1
    go_on_refilling(game, t)


cdef void draw_photo(Heart game, Table* t, int i) noexcept nogil:
    t.open[t.open_n] = t.deck[i]
    t.open_n += 1
    remove_at(t.deck, &t.deck_n, i)
    t.drawn[1] += 1
    if t.die != NONE:
        end_turn(game, t)
    elif t.open_n == OPEN:
        t.phase = ROLL_DIE


cdef void show_die(Heart game, Table* t, int face) noexcept nogil:
    cdef bint setup = t.die == NONE
    t.die = face
    t.drawn[2] += 1
    if setup:
        start_take(game, t)
    else:
        end_turn(game, t)


# --- what moves gain ---

cdef int weigh(Heart game, const Table* t, int s, int e, bint rescue) noexcept nogil:
    """Points that any tile laid on free cell number e adds at once: the icons it completes are known beforehand."""
    cdef uint8_t[8] icons
    cdef int need = t.need[t.edge_base[s] + e]
    cdef int cell = t.free[t.edge_base[s] + e]
    cdef int d, icon, other, gain = 0, at_home = 0, newcomers = 0
    memcpy(icons, t.icons[s], 8)
    for d in range(4):
        if need >> 4 * d & 8:
            icon = need >> 4 * d & 7
            icons[icon] += 1
            if icon == FOOD:
                other = find(t.cell + t.base[s], t.n[s], cell + STEP[d])
                gain += population(t, s, other)
                at_home += other == 0
    if rescue:
        newcomers = rescued(t, s, icons[RESCUE_ICON])
        gain += newcomers * (icons_on(t.edges[t.base[s]], FOOD) + at_home)
    for d in range(t.held_n[s]):
        if game.photo[t.held[s][d]].orange:
            gain += photo_points(&game.photo[t.held[s][d]], icons, t.sea[s] + newcomers, t.n[s] + 1)
            gain -= photo_points(&game.photo[t.held[s][d]], t.icons[s], t.sea[s], t.n[s])
    return gain


cdef void weigh_all(Heart game, const Table* t, int s, bint rescue, int* gain) noexcept nogil:
    cdef int e
    for e in range(t.edge_n[s]):
        gain[e] = weigh(game, t, s, e, rescue)


cdef int best_placement(Heart game, const Table* t, int s, int kind, const int* gain) noexcept nogil:
    """The most that a tile can add at once; 0 when it fits nowhere."""
    cdef int e, r, best = -1
    for e in range(t.edge_n[s]):
        if gain[e] > best:
            for r in range(game.turns[kind]):
                if fits(game.turned[kind][r], t.need[t.edge_base[s] + e]):
                    best = gain[e]
                    break
    return best if best > 0 else 0


cdef inline bint rescues(Heart game, const Table* t, int column) noexcept nogil:
    return not t.bonus and game.action_of[column] == RESCUE


# --- playouts ---

cdef inline int random_column(const Table* t, Stream* stream, int more) noexcept nogil:
    """A column with tiles, all alike; with `more` possibly COLUMNS, as likely as any of them."""
    cdef int c, n = more
    for c in range(COLUMNS):
        n += t.column_n[c] > 0
    n = below(stream, n)
    for c in range(COLUMNS):
        if t.column_n[c]:
            if n == 0:
                return c
            n -= 1
    return COLUMNS


cdef inline bint random_placement(
    Heart game, const Table* t, int s, int kind, Stream* stream, int* e, int* rotation
) noexcept nogil:
    """A placement of a tile, all alike; False when it fits nowhere."""
    cdef const uint16_t* need = t.need + t.edge_base[s]
    cdef const uint16_t* turned = game.turned[kind]
    cdef int n = t.edge_n[s]
    cdef int turns = game.turns[kind]
    cdef int i, r, count = 0
    cdef uint64_t word
    for _ in range(ATTEMPTS):
        word = next_word(stream)
        i = scaled(<uint32_t> (word >> 32), stream, n)
        r = word & (turns - 1)
        if fits(turned[r], need[i]):
            e[0] = i
            rotation[0] = r
            return True
    for i in range(n):
        for r in range(turns):
            count += fits(turned[r], need[i])
    if count == 0:
        return False
    count = below(stream, count)
    for i in range(n):
        for r in range(turns):
            if fits(turned[r], need[i]):
                if count == 0:
                    e[0] = i
                    rotation[0] = r
                    return True
                count -= 1
    return False


cdef void random_swim(Heart game, Table* t, Stream* stream) noexcept nogil:
    """A swim or, where that is allowed, none: all alike, from pairs of tiles of which not all are swims."""
    cdef Waters w
    cdef uint8_t[SLOTS + 1] origin
    cdef int slot, k, s = t.turn
    cdef int n = t.n[s]
    cdef int origins = 0
    flood(game, t, s, &w)
    for slot in range(n):
        origin[origins] = slot
        origins += able(t, s, slot) > 0
    while True:
        k = below(stream, origins * n + (not game.swims_mandatory))
        if k == origins * n:
            decline(game, t)
            return
        slot = k % n
        k = origin[k // n]
        if reach(t, s, &w, k) & BIT[slot]:
            swim(game, t, k, slot)
            return


cdef void random_photo(Heart game, Table* t, Stream* stream) noexcept nogil:
    cdef int i, n = 1
    for i in range(OPEN):
        n += t.offers >> i & 1
    n = below(stream, n)
    for i in range(OPEN):
        if t.offers >> i & 1:
            if n == 0:
                take_photo(game, t, i)
                return
            n -= 1
    decline(game, t)


cdef void random_hunt(Heart game, Table* t, Stream* stream) noexcept nogil:
    cdef int s, slot, k, total = 0
    for s in range(game.seats):
        if s != t.turn:
            total += t.n[s] - 1
    for _ in range(ATTEMPTS):
        k = below(stream, total)
        for s in range(game.seats):
            if s == t.turn:
                continue
            if k < t.n[s] - 1:
                break
            k -= t.n[s] - 1
        if can_go(t, s, k + 1):
            move_shark(game, t, s, k + 1)
            return
    total = 0
    for s in range(game.seats):
        for slot in range(1, t.n[s]):
            total += s != t.turn and can_go(t, s, slot)
    k = below(stream, total)
    for s in range(game.seats):
        for slot in range(1, t.n[s]):
            if s != t.turn and can_go(t, s, slot):
                if k == 0:
                    move_shark(game, t, s, slot)
                    return
                k -= 1


cdef inline int random_face(Heart game, Stream* stream) noexcept nogil:
    cdef int face = 0, k = below(stream, game.face_sum)
    while k >= game.face_count[face]:
        k -= game.face_count[face]
        face += 1
    return face


cdef inline bint happen(Heart game, Table* t, Stream* stream) noexcept nogil:
    """Lets chance decide, if it is next."""
    if t.phase == DRAW_TILE:
        draw_tile(game, t, below(stream, t.pile_n))
    elif t.phase == ROLL_DIE:
        show_die(game, t, random_face(game, stream))
    elif t.phase == DRAW_PHOTO:
        draw_photo(game, t, below(stream, t.deck_n))
    elif t.phase == DRAW_FIRST:
        draw_first(t, below(stream, game.seats))
    else:
        return False
    return True


cdef int roll(Heart game, Table* t, Stream* stream, int32_t* scores) noexcept nogil:
    """A playout of uniformly random moves."""
    cdef int e = 0, r = 0, plies = 0
    while t.phase != ENDED and plies < game.max_plies:
        plies += 1
        if t.phase == PLACING:
            if random_placement(game, t, t.turn, t.hand, stream, &e, &r):
                place_tile(game, t, e, r)
            else:
                discard_tile(game, t)
        elif t.phase == TAKING:
            e = random_column(t, stream, t.bonus and game.bonus_optional)
            if e == COLUMNS:
                decline(game, t)
            else:
                take_tile(game, t, e)
        elif t.phase == SWIMMING:
            random_swim(game, t, stream)
        elif t.phase == CHOOSING:
            random_photo(game, t, stream)
        elif t.phase == HUNTING:
            random_hunt(game, t, stream)
        else:
            happen(game, t, stream)
    game.points(t, scores)
    return plies


# An informed playout: random choices, of which the best few-sighted one is made.

cdef enum:
    POINT = 8       # worths are eighths of a point
    TRIES = 4       # placements looked at


cdef inline int prospect(const Table* t, int s, int e, uint16_t edges) noexcept nogil:
    """What the icons that a placement completes, and the food that it leaves open, may bring later."""
    cdef int need = t.need[t.edge_base[s] + e]
    cdef int d, icon, worth = 0
    for d in range(4):
        icon = edges >> 4 * d & 7
        if need >> 4 * d & 8:
            worth += 5 if icon == FOOD else 4 if icon > 4 else 3 if icon else 0
        elif icon == FOOD:
            worth += 1
    return worth


cdef double best_promise(Heart game, const Table* t, int s, int kind, bint rescue) noexcept nogil:
    """The most that a tile gains at once and in prospect; 0 when it fits nowhere."""
    cdef int e, r, gain, worth, best = 0
    for e in range(t.edge_n[s]):
        gain = -1
        for r in range(game.turns[kind]):
            if fits(game.turned[kind][r], t.need[t.edge_base[s] + e]):
                if gain < 0:
                    gain = POINT * weigh(game, t, s, e, rescue)
                worth = gain + prospect(t, s, e, game.turned[kind][r])
                best = worth if worth > best else best
    return best / <double> POINT


cdef double action_promise(Heart game, const Table* t, int s, int action) noexcept nogil:
    """What the action of a column may be worth, at a guess, before its tile is placed."""
    cdef int i, points, most = 0
    if action == RESCUE:
        return 0.75 * rescued(t, s, t.icons[s][RESCUE_ICON])
    if action == PHOTO:
        for i in range(t.open_n):
            points = photo_points(&game.photo[t.open[i]], t.icons[s], t.sea[s], t.n[s])
            if points > most and may_take(game, t, s, t.open[i]):
                most = points
        return most
    return 0.75 if action == SWIM_ACTION and t.manatees[t.base[s]] else 0.25


cdef void informed_swim(Heart game, Table* t, Stream* stream) noexcept nogil:
    """To the tile with the most food, above all off the starting tile, which then has room; or not at all."""
    cdef Waters w
    cdef slots_t[5] rich        # tiles with so many food icons
    cdef slots_t open_
    cdef int slot, food, worth, s = t.turn
    cdef int most = 0, origin = 0, destination = 0
    flood(game, t, s, &w)
    memset(rich, 0, sizeof(rich))
    for slot in range(1, t.n[s]):
        rich[icons_on(t.edges[t.base[s] + slot], FOOD)] |= BIT[slot]
    for slot in range(t.n[s]):
        if able(t, s, slot) <= 0:
            continue
        open_ = reach(t, s, &w, slot)
        food = 4
        while food >= 0 and not open_ & rich[food]:
            food -= 1
        if food < 0:
            continue
        worth = POINT * (food - icons_on(t.edges[t.base[s] + slot], FOOD)) + (4 if slot == 0 else 0)
        if worth > most:
            most, origin, destination = worth, slot, lowest(open_ & rich[food])
    if most:
        swim(game, t, origin, destination)
    elif game.swims_mandatory:
        random_swim(game, t, stream)
    else:
        decline(game, t)


cdef void informed_photo(Heart game, Table* t) noexcept nogil:
    """The card that scores most now."""
    cdef int i, points, best = -1, most = -1, s = t.turn
    for i in range(t.open_n):
        points = photo_points(&game.photo[t.open[i]], t.icons[s], t.sea[s], t.n[s])
        if t.offers >> i & 1 and points > most:
            most, best = points, i
    take_photo(game, t, best)


cdef inline int informed_placement(
    Heart game, const Table* t, int s, int kind, bint rescue, int tries, Stream* stream, int* e, int* rotation
) noexcept nogil:
    """The best of a few random placements; returns what it is worth, -1 when the tile fits nowhere."""
    cdef int here = 0, r = 0, worth, most = -1
    for _ in range(tries):
        if not random_placement(game, t, s, kind, stream, &here, &r):
            break
        worth = POINT * weigh(game, t, s, here, rescue) + prospect(t, s, here, game.turned[kind][r])
        if worth > most:
            most, e[0], rotation[0] = worth, here, r
    return most


cdef int roll_informed(Heart game, Table* t, Stream* stream, int32_t* scores) noexcept nogil:
    """Tile and place are chosen together, since what a tile gains depends on where it fits."""
    cdef int c, e = 0, r = 0, worth, most, column, planned_e = 0, planned_r = 0, plies = 0
    cdef bint planned = False
    while t.phase != ENDED and plies < game.max_plies:
        plies += 1
        if t.phase == TAKING:
            most = -1
            column = 0
            for _ in range(TRIES):
                c = random_column(t, stream, 0)
                worth = informed_placement(
                    game, t, t.turn, t.column[c][0], rescues(game, t, c), 1, stream, &e, &r
                )
                if worth > most:
                    most, column, planned_e, planned_r = worth, c, e, r
            planned = most >= 0
            take_tile(game, t, column if planned else c)
        elif t.phase == PLACING:
            # A playout may begin here, without a plan; and a tile may fit nowhere.
            if not planned:
                planned = 0 <= informed_placement(
                    game, t, t.turn, t.hand, rescues(game, t, t.action), TRIES, stream, &planned_e, &planned_r
                )
            if planned:
                place_tile(game, t, planned_e, planned_r)
            else:
                discard_tile(game, t)
            planned = False
        elif t.phase == SWIMMING:
            informed_swim(game, t, stream)
        elif t.phase == CHOOSING:
            informed_photo(game, t)
        elif t.phase == HUNTING:
            random_hunt(game, t, stream)
        else:
            happen(game, t, stream)
    game.points(t, scores)
    return plies


# --- codes ---

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


cdef char* write_number(int number, char* text) noexcept nogil:
    """Appends -99 to 99 in decimal; returns the end."""
    if number < 0:
        text[0] = c'-'
        text += 1
        number = -number
    if number > 9:
        text[0] = c'0' + number // 10
        text += 1
    text[0] = c'0' + number % 10
    return text + 1


# --- equal positions, equal bytes ---

cdef void sort_bytes(uint8_t* list_, int n) noexcept nogil:
    cdef int i, j
    cdef uint8_t item
    for i in range(1, n):
        item = list_[i]
        j = i
        while j > 0 and list_[j - 1] > item:
            list_[j] = list_[j - 1]
            j -= 1
        list_[j] = item


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


cdef class Heart(Game):
    """The rules of heart for a number of seats, options and a catalogue."""

    name = "heart"
    kernel_version = 1

    def __init__(self, int seats, catalogue, rules=None, str variant="base"):
        if not 2 <= seats <= MAX_PLAYERS:
            raise Malformed([Violation("seats", "heart is for 2 to 4 players")])
        self.rules = heart_tables.read_rules({} if rules is None else rules, variant)
        self.variant = variant
        faults = heart_catalogue.check(catalogue)
        if faults:
            raise Malformed([Violation(f"catalogue.{path}", message) for path, message in faults])
        self.catalogue = catalogue
        self.seats = seats
        self.max_moves = MANATEES * (SLOTS - MANATEES) + 1   # swims of all manatees to all other tiles
        self.max_outcomes = TILES
        self.max_plies = MAX_PLIES
        self.state_bytes = sizeof(Table)
        self.observation_bytes = sizeof(Knowledge)
        self._compile(catalogue)

    cdef _compile(self, catalogue):
        cdef int i, r
        self.reshuffle = self.rules["reshuffle_discards"]
        self.repeat_swimmers = self.rules["repeat_swimmers"]
        self.swims_mandatory = self.rules["swims_mandatory"]
        self.start_blocks = self.rules["starting_tile_blocks"]
        self.orange_needs = self.rules["orange_needs_requirement"]
        self.bonus_optional = self.rules["bonus_tile_optional"]
        self.kinds = len(catalogue["tiles"])
        words = []
        for i, tile in enumerate(catalogue["tiles"]):
            word = heart_tables.edges_word(tile["edges"])
            self.tile_count[i] = heart_tables.or_one(tile.get("count"))
            self.turns[i] = heart_tables.distinct_turns(word)
            words.append(word)
        words += [heart_tables.edges_word(tile["edges"]) for tile in catalogue["starting_tiles"]]
        for i, word in enumerate(words):
            for r in range(4):
                self.turned[i][r] = heart_tables.turned(word, r)
        self.photo_kinds = len(catalogue["photos"])
        for i, photo in enumerate(catalogue["photos"]):
            self.photo_count[i] = heart_tables.or_one(photo.get("count"))
            self._compile_photo(i, photo)
        self.faces = len(catalogue["die_faces"])
        for i, face in enumerate(catalogue["die_faces"]):
            self.face_count[i] = heart_tables.or_one(face.get("count"))
            self.face_sum += self.face_count[i]
            self.face[i] = sum(1 << heart_tables.icon_code(icon) for icon in face.get("attractions") or ())
        for i, action in enumerate(catalogue["actions"]):
            self.action_of[i] = ACTIONS.index(action)

    cdef _compile_photo(self, int kind, photo):
        cdef Photo* out = &self.photo[kind]
        out.points = photo["points"]
        out.orange = photo["colour"] == "HEART_COLOUR_ORANGE"
        if out.orange:
            scoring = photo["scoring"]
            out.per = heart_tables.or_one(scoring.get("per"))
            counted = scoring["counted"].removeprefix("HEART_COUNTED_")
            if counted == "ICONS":
                out.counted = heart_tables.icon_code(scoring["icon"])
            else:
                out.counted = COUNT_MANATEES if counted == "MANATEES" else COUNT_TILES
        least = [0] * 8
        for demand in heart_tables.requirement(photo, self.rules["mirror_patterns"]):
            if isinstance(demand, heart_tables.IconDemand):
                asked = {demand.icon: demand.at_least}
            else:
                self._compile_pattern(&out.pattern[out.patterns], demand.images)
                out.patterns += 1
                # A pattern asks for its icons, too: cheap to see that they are not there.
                asked = Counter(icon for _, _, icon in demand.images[0].edges)
            for icon, count in asked.items():
                least[icon] = max(least[icon], count)
        out.icons = int.from_bytes(bytes(least), sys.byteorder)

    cdef _compile_pattern(self, Pattern* out, images):
        cdef Image* image
        cdef int i, c, cell, beyond
        out.images = len(images)
        out.cells = len(images[0].cells)
        out.manatees = images[0].manatees
        for i, (cells, edges, _) in enumerate(images):
            image = &out.image[i]
            for c, (x, y) in enumerate(cells):
                image.dx[c] = x
                image.dy[c] = y
                image.whence[c] = NONE
                for before in range(c):
                    side = _side(cells[before], cells[c])
                    if side is not None:
                        image.whence[c] = before
                        image.side[c] = side
            for one, other, icon in edges:
                for cell, beyond in ((one, other), (other, one)):
                    side = _side(cells[cell], cells[beyond])
                    image.want[cell] |= (8 | icon) << 4 * side
                    image.mask[cell] |= 15 << 4 * side

    # --- the contract ---

    cdef void begin(self, void* state) noexcept nogil:
        """Seat s gets the s-th starting tile with a manatee; first the first player is drawn (heart-1, heart-2)."""
        cdef Table* t = <Table*> state
        cdef uint8_t[MAX_PLAYERS] four = [4, 4, 4, 4]
        cdef int s, i
        memset(t, 0, sizeof(Table))
        for s in range(self.seats):
            t.n[s] = 1
        share_out(t.base, t.n, self.seats, 0, SLOTS)
        share_out(t.edge_base, four, self.seats, 0, EDGES)
        for s in range(self.seats):
            lay_start(self, t, s)
            move_manatees(t, s, 0, 1)
        for i in range(self.kinds):
            memset(t.pile + t.pile_n, i, self.tile_count[i])
            t.pile_n += self.tile_count[i]
        for i in range(self.photo_kinds):
            memset(t.deck + t.deck_n, i, self.photo_count[i])
            t.deck_n += self.photo_count[i]
        t.supply = MANATEES - self.seats
        t.phase = DRAW_FIRST
        t.first = t.turn = t.shark_seat = t.die = t.hand = t.action = t.refill = t.trigger = NONE

    cdef int turn_of(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase <= HUNTING:
            return t.turn
        return C_OVER if t.phase == ENDED else C_CHANCE

    cdef uint32_t pending_mask(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        return 1 << t.turn if t.phase <= HUNTING else 0

    cdef int list_moves(self, const void* state, int seat, move_t* buffer) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef int c, n = 0
        if t.phase == PLACING:
            return list_placements(self, t, seat, buffer)
        if t.phase == SWIMMING:
            return list_swims(self, t, seat, buffer)
        if t.phase == CHOOSING:
            return list_photos(t, buffer)
        if t.phase == HUNTING:
            return list_hunts(self, t, seat, buffer)
        for c in range(COLUMNS):
            if t.column_n[c]:
                buffer[n] = c
                n += 1
        if t.bonus and self.bonus_optional:
            buffer[n] = DECLINE
            n += 1
        return n

    cdef bint is_legal(self, const void* state, int seat, move_t move) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef int e, s, slot
        cdef move_t[C_MAX_MOVES] buffer
        if t.phase == PLACING:
            if move == DISCARD:
                return list_placements(self, t, seat, buffer) == 1 and buffer[0] == DISCARD
            if not PLACE <= move < PLACE + (1 << 17):
                return False
            e = edge_of(t, seat, unpack(move >> 2))
            return e >= 0 and fits(self.turned[t.hand][move & 3], t.need[t.edge_base[seat] + e])
        if t.phase == SWIMMING:
            if move == DECLINE:
                return not self.swims_mandatory
            if not SWIM <= move < <move_t> 2 * SWIM:
                return False
            return swim_is_legal(
                self, t, seat, slot_of(t, seat, unpack(move >> 15)), slot_of(t, seat, unpack(move))
            )
        if t.phase == CHOOSING:
            for e in range(t.open_n):
                if move == TAKE_PHOTO + <move_t> t.open[e] and t.offers >> e & 1:
                    return True
            return move == DECLINE
        if t.phase == HUNTING:
            if not MOVE_SHARK <= move < MOVE_SHARK + (1 << 17):
                return False
            s = move >> 15 & 3
            if s >= self.seats or s == seat:
                return False
            slot = slot_of(t, s, unpack(move))
            return slot > 0 and can_go(t, s, slot)
        if move == DECLINE:
            return t.bonus and self.bonus_optional
        return move < COLUMNS and t.column_n[move] > 0

    cdef move_t representative(self, const void* state, int seat, move_t move) noexcept nogil:
        """The fewest turns stand for equal ones (heart-4)."""
        cdef const Table* t = <const Table*> state
        if t.phase == PLACING and move != DISCARD:
            return move & ~<move_t> 3 | (move & 3) % self.turns[t.hand]
        return move

    cdef void apply(self, void* state, int seat, move_t move) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int s
        if move == DECLINE:
            decline(self, t)
        elif t.phase == PLACING:
            if move == DISCARD:
                discard_tile(self, t)
            else:
                place_tile(self, t, edge_of(t, seat, unpack(move >> 2)), move & 3)
        elif t.phase == SWIMMING:
            swim(self, t, slot_of(t, seat, unpack(move >> 15)), slot_of(t, seat, unpack(move)))
        elif t.phase == CHOOSING:
            take_photo(self, t, index_of(t.open, move & 255))
        elif t.phase == HUNTING:
            s = move >> 15 & 3
            move_shark(self, t, s, slot_of(t, s, unpack(move)))
        else:
            take_tile(self, t, move)

    cdef int list_outcomes(self, const void* state, uint32_t* buffer, uint32_t* weights) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef bint tiles = t.phase == DRAW_TILE
        cdef int i, kind, last = -1, n = 0
        if t.phase == DRAW_FIRST:
            for i in range(self.seats - FAULT(1)):
                buffer[i] = OF_FIRST | i
                weights[i] = 1
            return self.seats - FAULT(1)
        if t.phase == ROLL_DIE:
            for i in range(self.faces):
                buffer[i] = OF_DIE | i
                weights[i] = self.face_count[i]
            return self.faces
        for i in range(t.pile_n if tiles else t.deck_n):
            kind = t.pile[i] if tiles else t.deck[i]
            if kind == last:
                weights[n - 1] += 1
                continue
            last = kind
            buffer[n] = (OF_TILE if tiles else OF_PHOTO) | kind
            weights[n] = 1
            n += 1
        return n

    cdef uint32_t draw_outcome(self, const void* state, uint64_t key) noexcept nogil:
        """The k-th tile, the k-th photo and the k-th die of a key are the same whatever is decided between them."""
        cdef const Table* t = <const Table*> state
        cdef Stream stream
        cdef uint32_t[C_MAX_OUTCOMES] codes
        cdef uint32_t[C_MAX_OUTCOMES] weights
        cdef int which = 0 if t.phase == DRAW_TILE else 1 if t.phase == DRAW_PHOTO else 2
        if FAULT(202) and t.first != NONE:
            key += last_laid(t, t.turn)
        if FAULT(204):
            key = 0
        seed_stream(&stream, mix2(key, which << 8 | t.drawn[which] if t.phase != DRAW_FIRST else 3 << 8))
        if FAULT(208) and t.phase == DRAW_TILE:
            return codes[below(&stream, self.list_outcomes(state, codes, weights))]
        if t.phase == DRAW_TILE:
            return OF_TILE | t.pile[below(&stream, t.pile_n)]
        if t.phase == DRAW_PHOTO:
            return OF_PHOTO | t.deck[below(&stream, t.deck_n)]
        if t.phase == ROLL_DIE:
            return OF_DIE | random_face(self, &stream)
        return OF_FIRST | below(&stream, self.seats)

    cdef void settle(self, void* state, uint32_t outcome) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int number = outcome & 255
        if t.phase == DRAW_TILE:
            draw_tile(self, t, index_of(t.pile, number))
        elif t.phase == DRAW_PHOTO:
            draw_photo(self, t, index_of(t.deck, number))
        elif t.phase == ROLL_DIE:
            show_die(self, t, number)
        else:
            draw_first(t, number)

    cdef void look(self, const void* state, int seat, void* observation) noexcept nogil:
        """Everything is open but what chance will bring (heart-22)."""
        cdef Knowledge* k = <Knowledge*> observation
        memset(k, 0, sizeof(Knowledge))
        tidy(self, <const Table*> state, &k.table)
        if FAULT(201):
            memcpy(&k.table, state, sizeof(Table))
        k.observer = seat

    cdef void prepare(self, const void* observation, void* state) noexcept nogil:
        memcpy(state, &(<const Knowledge*> observation).table, sizeof(Table))

    cdef void sample(self, const void* observation, uint64_t key, void* state) noexcept nogil:
        pass    # nothing is hidden

    cdef void reopen(self, void* state, int observer) noexcept nogil:
        pass    # nobody decides in secret

    cdef bint certain(self, const void* observation) noexcept nogil:
        return True

    cdef bint separable(self, const void* state) noexcept nogil:
        return (<const Table*> state).phase == ENDED

    cdef bint futile(self, const void* state) noexcept nogil:
        """In the last turn: a new photo and the die; and the refill of a column, unless a bonus may come from it."""
        cdef const Table* t = <const Table*> state
        if FAULT(209):
            return True
        if t.trigger == NONE or t.turns_left or t.phase == DRAW_FIRST:
            return False
        if t.phase != DRAW_TILE:
            return True
        return t.hand != NONE and (t.bonus or self.action_of[t.action] != SHARK or self.face[t.die] == 0)

    cdef uint64_t node_key(self, const void* state, int seat) noexcept nogil:
        """What has been decided. Of what chance brought, only what a decision depends on: tiles and cards that lie open
        are told by the moves they allow, so that a node is met again whichever came.
        """
        cdef const Table* t = <const Table*> state
        cdef uint64_t key = (
            <uint64_t> t.phase | <uint64_t> t.turn << 8 | <uint64_t> t.hand << 16 | <uint64_t> t.action << 24
            | <uint64_t> t.bonus << 32 | <uint64_t> t.swims << 40 | <uint64_t> t.swum_home << 48
            | <uint64_t> seat << 56
        )
        cdef int s, i
        for i in range(COLUMNS):
            key = key * 4 + t.column_n[i] if i else mix(key) * 4 + t.column_n[i]
        for s in range(self.seats):
            key = mix2(key, t.hash[s])
            for i in range(t.held_n[s]):
                key += mix(<uint64_t> s << 8 | t.held[s][i] | <uint64_t> 1 << 41)
        if t.shark_seat != NONE:
            key = mix2(key, <uint64_t> t.shark_seat << 16 | t.cell[t.base[t.shark_seat] + t.shark])
        if t.phase == SWIMMING:
            for i in range(1, t.n[t.turn]):
                if t.manatees[t.base[t.turn] + i] & SWUM:
                    key += mix(<uint64_t> t.cell[t.base[t.turn] + i] | <uint64_t> 1 << 42)
        if t.phase == HUNTING:
            key += t.die + 1
        if FAULT(206):
            key += last_laid(t, seat)
        return mix(key)

    cdef bint precedes(self, move_t one, move_t other) noexcept nogil:
        cdef char[32] a
        cdef char[32] b
        spell(one, a)
        spell(other, b)
        return strcmp(a, b) < 0

    cdef void gains(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef int[EDGES] plain
        cdef int[EDGES] rescue
        cdef int base = t.base[seat]
        cdef int i, kind
        for i in range(n):
            points[i] = 0
        if t.phase == TAKING:
            weigh_all(self, t, seat, False, plain)
            weigh_all(self, t, seat, True, rescue)
            for i in range(n):
                if moves[i] < COLUMNS:
                    kind = t.column[moves[i]][0]
                    if rescues(self, t, moves[i]):
                        points[i] = best_placement(self, t, seat, kind, rescue)
                    else:
                        points[i] = best_placement(self, t, seat, kind, plain)
        elif t.phase == PLACING:
            weigh_all(self, t, seat, rescues(self, t, t.action), plain)
            for i in range(n):
                if moves[i] != DISCARD:
                    points[i] = plain[edge_of(t, seat, unpack(moves[i] >> 2))]
        elif t.phase == SWIMMING:
            for i in range(n):
                if moves[i] != DECLINE:
                    points[i] = icons_on(t.edges[base + slot_of(t, seat, unpack(moves[i]))], FOOD)
                    points[i] -= icons_on(t.edges[base + slot_of(t, seat, unpack(moves[i] >> 15))], FOOD)
        elif t.phase == CHOOSING:
            for i in range(n):
                if moves[i] != DECLINE:
                    points[i] = photo_points(&self.photo[moves[i] & 255], t.icons[seat], t.sea[seat], t.n[seat])
        elif t.phase == HUNTING and self.face[t.die] == 0:
            # A relocated manatee eats on the own starting tile (heart-15), and counts for some cards.
            for i in range(n):
                if t.manatees[t.base[moves[i] >> 15 & 3]] and t.manatees[base] < ROOM:
                    points[i] = icons_on(t.edges[base], FOOD)
                    for kind in range(t.held_n[seat]):
                        points[i] += photo_points(
                            &self.photo[t.held[seat][kind]], t.icons[seat], t.sea[seat] + 1, t.n[seat]
                        ) - photo_points(&self.photo[t.held[seat][kind]], t.icons[seat], t.sea[seat], t.n[seat])
        if FAULT(207):
            for i in range(n):
                points[i] += last_laid(t, seat) & 7

    cdef void promise(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        """Gains, and what icons, room for the next rescue and a blocked opponent may be worth later."""
        cdef const Table* t = <const Table*> state
        cdef int i, c, host
        self.gains(state, seat, moves, n, points)
        for i in range(n):
            if t.phase == TAKING and moves[i] < COLUMNS:
                c = moves[i]
                points[i] = best_promise(self, t, seat, t.column[c][0], rescues(self, t, c))
                if not t.bonus:
                    points[i] += action_promise(self, t, seat, self.action_of[c])
            elif t.phase == PLACING and moves[i] != DISCARD:
                c = edge_of(t, seat, unpack(moves[i] >> 2))
                points[i] += prospect(t, seat, c, self.turned[t.hand][moves[i] & 3]) / <double> POINT
            elif t.phase == SWIMMING and moves[i] != DECLINE:
                points[i] += 0.5 * (slot_of(t, seat, unpack(moves[i] >> 15)) == 0)
            elif t.phase == HUNTING:
                host = moves[i] >> 15 & 3
                points[i] += 0.25 * icons_on(t.edges[t.base[host] + slot_of(t, host, unpack(moves[i]))], FOOD)

    cdef move_t policy(self, const void* state, int seat, Stream* stream) noexcept nogil:
        """Mostly the move that gains most now, ties alike; one time in eight any move."""
        cdef move_t[C_MAX_MOVES] moves
        cdef double[C_MAX_MOVES] points
        cdef int n = self.list_moves(state, seat, moves)
        cdef int i, ties = 0, choice = 0
        if FAULT(203):
            return moves[last_laid(<const Table*> state, seat) % n]
        if below(stream, 8) == 0:
            return moves[below(stream, n)]
        self.gains(state, seat, moves, n, points)
        for i in range(n):
            if ties and points[i] < points[choice]:
                continue
            ties = 1 if ties == 0 or points[i] > points[choice] else ties + 1
            if ties == 1 or below(stream, ties) == 0:
                choice = i
        return moves[choice]

    cdef int rollout(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        return roll(self, <Table*> state, stream, scores)

    cdef int informed(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        return roll_informed(self, <Table*> state, stream, scores)

    cdef void evaluate(self, const void* state, double* values, double* scales) noexcept nogil:
        """Points so far, and what a sensible player adds in the turns to come."""
        cdef const Table* t = <const Table*> state
        cdef int32_t[MAX_PLAYERS] scores
        cdef double turns
        cdef int s
        self.points(state, scores)
        turns = t.supply / (SUPPLY_A_TURN * self.seats)
        if t.trigger != NONE:
            turns = (t.turns_left + 1.0) / self.seats
        if t.phase == ENDED:
            turns = 0
        for s in range(self.seats):
            values[s] = scores[s] + MEAN_GAIN * turns
            scales[s] = GAIN_SPREAD * sqrt(turns)

    cdef void points(self, const void* state, int32_t* scores) noexcept nogil:
        cdef int s
        for s in range(self.seats):
            scores[s] = seat_points(self, <const Table*> state, s)

    cdef void places(self, const void* state, const int32_t* scores, int32_t* places) noexcept nogil:
        """A tie goes to the most manatees, then is shared (heart-21)."""
        cdef const Table* t = <const Table*> state
        cdef int s, other
        for s in range(self.seats):
            places[s] = 1
            for other in range(self.seats):
                if scores[other] > scores[s]:
                    places[s] += 1
                elif scores[other] == scores[s] and t.sea[other] > t.sea[s] and not FAULT(21):
                    places[s] += 1

    cdef uint64_t state_key(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t key = self.node_key(state, 0)
        cdef int i, j
        for i in range(t.pile_n):
            key = mix2(key, t.pile[i])
        for i in range(t.deck_n):
            key = mix2(key, t.deck[i])
        for i in range(COLUMNS):
            for j in range(t.column_n[i]):
                key = mix2(key, i << 8 | t.column[i][j])
        for i in range(t.open_n):
            key += mix(<uint64_t> t.open[i] | <uint64_t> 1 << 43)
        key = mix2(key, <uint64_t> t.die << 16 | <uint64_t> t.first << 8 | t.refill)
        return mix2(key, <uint64_t> t.trigger << 16 | <uint64_t> t.turns_left << 8 | t.stale)

    cdef uint64_t knowledge_key(self, const void* state, int seat) noexcept nogil:
        return mix2(self.state_key(state), seat)

    # --- the face towards Python ---

    def notation(self, move):
        """The text of a move code: "take 2", "place 3,-1 r2"; raises ValueError for a code that no move has."""
        text = self._text(move)
        if self.parse(text) != move:
            raise ValueError(f"{move} is not the code of a move")
        return text

    cdef _text(self, move_t move):
        if move == DECLINE:
            return heart_notation.DECLINE
        if move & SWIM:
            return heart_notation.swim(*_spot(move >> 15), *_spot(move))
        if move >= MOVE_SHARK:
            return heart_notation.shark(move >> 15 & 3, *_spot(move))
        if move >= TAKE_PHOTO:
            return heart_notation.photo(move & 255)
        if move == DISCARD:
            return heart_notation.DISCARD
        if move & PLACE:
            return heart_notation.place(*_spot(move >> 2), move & 3)
        return heart_notation.take(move)

    def parse(self, text):
        """The code of a notation; raises ValueError that says what is expected."""
        word, *rest = heart_notation.parse(text)
        if word == "take":
            return rest[0]
        if word == "place":
            return PLACE | _code(rest[0], rest[1]) << 2 | rest[2]
        if word == "discard":
            return DISCARD
        if word == "swim":
            return SWIM | _code(rest[0], rest[1]) << 15 | _code(rest[2], rest[3])
        if word == "photo":
            return TAKE_PHOTO | rest[0]
        if word == "shark":
            return MOVE_SHARK | rest[0] << 15 | _code(rest[1], rest[2])
        return DECLINE

    def outcome_notation(self, outcome):
        """The text of an outcome code: "first 2", "tile 12", "photo 3", "die 4"."""
        return heart_notation.outcome(("first", "tile", "photo", "die")[outcome >> 8 & 3], outcome & 255)

    def parse_outcome(self, text):
        """The code of an outcome's text; raises ValueError that says what is expected."""
        word, number = heart_notation.parse_outcome(text)
        return {"first": OF_FIRST, "tile": OF_TILE, "photo": OF_PHOTO, "die": OF_DIE}[word] | number

    def load(self, position):
        """Reads a referee's position; raises Malformed."""
        return self._load(position, False)

    def load_observation(self, position):
        """Reads a seat's observation; raises Malformed."""
        return self._load(position, True)

    cdef _load(self, position, bint observation):
        parsed = heart_position.check(
            position, catalogue=self.catalogue, seats=self.seats, rules=self.rules, observation=observation
        )
        cdef State state = new_state(self)
        cdef Table* t = <Table*> state.data
        cdef Observation seen
        cdef move_t[C_MAX_MOVES] moves
        cdef int s, i
        self.begin(t)
        t.phase = PHASES.index(parsed.phase)
        t.first = _or_none(parsed.first_player)
        t.turn = _or_none(parsed.turn)
        t.die = _or_none(parsed.die_face)
        t.hand = _or_none(parsed.tile_in_hand)
        t.action = _or_none(parsed.action_column)
        t.refill = _or_none(parsed.refill_column)
        t.trigger = _or_none(parsed.trigger_seat)
        t.turns_left = parsed.turns_left
        t.bonus = parsed.bonus
        t.swims = parsed.swims_left
        t.swum_home = parsed.swum_on_starting_tile
        t.stale = parsed.nothing_placed_since_reshuffle
        t.supply = parsed.supply
        t.discards = sum(parsed.discards)
        t.pile_n = t.deck_n = 0
        for i, count in enumerate(parsed.pile):
            memset(t.pile + t.pile_n, i, count)
            t.pile_n += count
        for i, count in enumerate(parsed.photo_deck):
            memset(t.deck + t.deck_n, i, count)
            t.deck_n += count
        for i, tiles in enumerate(parsed.columns):
            t.column_n[i] = len(tiles)
            for s, kind in enumerate(tiles):
                t.column[i][s] = kind
        t.open_n = len(parsed.open_photos)
        for i, kind in enumerate(parsed.open_photos):
            t.open[i] = kind
        for s in range(self.seats):
            t.held_n[s] = len(parsed.photos[s])
            for i, kind in enumerate(parsed.photos[s]):
                t.held[s][i] = kind
            self._build(t, s, parsed.habitats[s])
        if parsed.shark is not None:
            s, x, y = parsed.shark
            t.shark_seat = s
            t.shark = slot_of(t, s, _cell(x, y))
        for x, y in parsed.swum:
            t.manatees[t.base[t.turn] + slot_of(t, t.turn, _cell(x, y))] |= SWUM
        if t.phase == CHOOSING:
            t.offers = offered(self, t, t.turn)
        if t.phase <= HUNTING:
            i = self.list_moves(t, t.turn, moves)
            if i == 0 or (t.phase in (SWIMMING, CHOOSING) and moves[0] == DECLINE):
                raise Malformed([Violation("table.phase", f"nothing can be done in {parsed.phase} here but declining")])
        if not observation:
            return state
        seen = new_observation(self)
        self.look(t, parsed.observer, seen.data)
        return seen

    cdef _build(self, Table* t, int s, habitat):
        """Lays a habitat's tiles, each beside one that lies, and puts its manatees there."""
        cdef int e
        waiting = {_cell(x, y): (kind, rotation) for kind, x, y, rotation, _ in habitat if kind >= 0}
        while waiting:
            beside = [t.free[t.edge_base[s] + e] for e in range(t.edge_n[s])]
            for cell in beside:
                if cell in waiting:
                    kind, rotation = waiting.pop(cell)
                    lay(self, t, s, edge_of(t, s, cell), kind, self.turned[kind][rotation])
        for _, x, y, _, manatees in habitat:
            e = slot_of(t, s, _cell(x, y))
            move_manatees(t, s, e, manatees - population(t, s, e))

    def dump(self, State state):
        """The referee's position as the message HeartPosition without its rules."""
        return {"table": self._dump(<const Table*> self._own(state)), "referee": {}}

    def dump_observation(self, Observation observation):
        """The observation as the message HeartPosition without its rules."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        return {"table": self._dump(&k.table), "seat_knowledge": {"seat": k.observer}}

    cdef _dump(self, const Table* table):
        cdef Table tidied
        cdef Table* t = &tidied
        cdef uint8_t[TILES] discards
        cdef int s, i, e, r
        tidy(self, table, t)
        count_discards(self, t, discards)
        seats = []
        for s in range(self.seats):
            habitat = []
            for i in sorted(range(t.n[s]), key=lambda i: t.cell[t.base[s] + i]):
                e = t.base[s] + i
                r = 0
                while i and self.turned[t.kind[e]][r] != t.edges[e] & 0x7777:
                    r += 1
                habitat.append({
                    "tile": t.kind[e] if i else None,
                    "cell": _spot_entry(t.cell[e]),
                    "rotation": r,
                    "manatees": t.manatees[e] & ~SWUM,
                })
            seats.append({"habitat": habitat, "photos": [t.held[s][i] for i in range(t.held_n[s])]})
        swum = []
        if t.turn != NONE:
            swum = [
                _spot_entry(t.cell[t.base[t.turn] + i])
                for i in range(t.n[t.turn]) if t.manatees[t.base[t.turn] + i] & SWUM
            ]
        shark = None
        if t.shark_seat != NONE:
            shark = {"seat": t.shark_seat, "cell": _spot_entry(t.cell[t.base[t.shark_seat] + t.shark])}
        return {
            "phase": PHASES[t.phase],
            "first_player": _given(t.first),
            "turn": _given(t.turn),
            "seats": seats,
            "shark": shark,
            "supply": t.supply,
            "pile": _counted("tile", [t.pile[i] for i in range(t.pile_n)]),
            "discards": [{"tile": i, "count": discards[i]} for i in range(self.kinds) if discards[i]],
            "columns": [{"tiles": [t.column[s][i] for i in range(t.column_n[s])]} for s in range(COLUMNS)],
            "open_photos": [t.open[i] for i in range(t.open_n)],
            "photo_deck": _counted("photo", [t.deck[i] for i in range(t.deck_n)]),
            "die_face": _given(t.die),
            "tile_in_hand": _given(t.hand),
            "action_column": _given(t.action),
            "bonus": bool(t.bonus),
            "refill_column": _given(t.refill),
            "swims_left": t.swims,
            "swum": swum,
            "swum_on_starting_tile": t.swum_home,
            "nothing_placed_since_reshuffle": bool(t.stale),
            "trigger_seat": _given(t.trigger),
            "turns_left": t.turns_left,
        }

    def observer(self, Observation observation):
        """The seat whose knowledge it is."""
        return (<const Knowledge*> self._own_observation(observation)).observer

    def over_observation(self, Observation observation):
        """Whether the game has ended."""
        return (<const Knowledge*> self._own_observation(observation)).table.phase == ENDED

    def pending_observation(self, Observation observation):
        """The seat that owes a decision now, as a list; empty when none does."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        return [k.table.turn] if k.table.phase <= HUNTING else []

    def moves_observation(self, Observation observation):
        """The observer's own legal moves, ascending; empty when it owes no decision."""
        return self.moves(self.determinize(observation, 0), self.observer(observation))

    def score_observation(self, Observation observation):
        """Points of each seat as the position stands: all are open."""
        return self.score(self.determinize(observation, 0))

    def events(self, State before, int seat, move, State after):
        """What a move brought, as messages HeartEvent."""
        return heart_events.events(
            self.dump(before), seat, self.notation(move), self.dump(after), catalogue=self.catalogue, rules=self.rules
        )

    def chance_events(self, State before, outcome, State after):
        """What an outcome brought, as messages HeartEvent."""
        return heart_events.chance_events(
            self.dump(before), self.outcome_notation(outcome), self.dump(after),
            catalogue=self.catalogue, rules=self.rules,
        )

    def commit(self, Observation observation, move):
        """The observer's own move on its observation; raises ValueError when it is not legal."""
        seat = self.observer(observation)
        return self.observe(self.play(self.determinize(observation, 0), seat, move), seat)

    def report(self, Observation observation, events):
        """Takes up what the observer has seen happen; raises Malformed with paths "events[i]..."."""
        state = heart_events.report(self, self.determinize(observation, 0), events)
        return self.observe(state, self.observer(observation))


# Of games in which every seat follows `policy`: manatees rescued and points added a turn (docs/performance.md).
cdef double SUPPLY_A_TURN = 0.5
cdef double MEAN_GAIN = 2.0
cdef double GAIN_SPREAD = 3.0


cdef object _side(one, other):
    """The side of one cell on which another lies; None where they do not touch."""
    step = other[0] - one[0], other[1] - one[1]
    return heart_tables.STEPS.index(step) if step in heart_tables.STEPS else None


cdef int _cell(int x, int y):
    return (y + 128) << 8 | (x + 128)


cdef int _code(int x, int y):
    return pack(_cell(x, y))


cdef tuple _spot(move_t code):
    cdef int cell = unpack(code)
    return (cell & 255) - 128, (cell >> 8) - 128


cdef dict _spot_entry(int cell):
    return {"x": (cell & 255) - 128, "y": (cell >> 8) - 128}


cdef int _or_none(value):
    return NONE if value is None else value


cdef object _given(int value):
    return None if value == NONE else value


cdef list _counted(str name, list kinds):
    return [{name: kind, "count": kinds.count(kind)} for kind in sorted(set(kinds))]
