"""Sanctuaries: laying cards, room for manatees, shapes. Part of ext/sanctuary.pyx."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from ext.lists cimport find
from ext.rng cimport mix

cdef int[4] STEP = [-256, 1, 256, -1]


cdef inline uint64_t spot_bit(int cell) noexcept nogil:
    """The bit of a cell in `Seat.seen`: the plane rolled up into 8 by 8."""
    return <uint64_t> 1 << ((cell & 7) | (cell >> 8 & 7) << 3)


cdef inline uint64_t bottom_key(int cell, int kind, int edges) noexcept nogil:
    return mix(<uint64_t> cell | <uint64_t> kind << 16 | <uint64_t> edges << 24)


cdef inline uint64_t top_key(int kind) noexcept nogil:
    return mix(<uint64_t> kind | <uint64_t> 1 << 40)


cdef inline bint fits(uint16_t edges, uint16_t need) noexcept nogil:
    """Whether edges are equal wherever cards touch (sanctuary-12), one of these sides the host's (sanctuary-11).

    That a flower is completed is up to the caller, who tries only cells that touch one.
    """
    cdef int sides = (need & TOUCHED) >> 3
    if FAULT(12):
        # A wall beside anything.
        sides &= ~(need >> 2)
    return (((edges ^ need) & 7 * sides) == 0) & ((edges & need & TOUCHED) != 0 or FAULT(11))


cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <string.h>
    /* `fits` for eight cells at once: bit i of the result is that of the i-th. Vectors as GCC and Clang know them on
       any machine; a nibble's 8 less a 1 is the 7 that covers an edge. */
    typedef uint16_t sanctuary_eight __attribute__((vector_size(16)));
    static inline unsigned sanctuary_fits_eight(uint16_t edges, const uint16_t* need) {
        const sanctuary_eight bits = {1, 2, 4, 8, 16, 32, 64, 128};
        sanctuary_eight cell, touched, right;
        uint64_t half[2];
        memcpy(&cell, need, sizeof cell);
        touched = cell & 0x8888;
        right = (sanctuary_eight) (((cell ^ edges) & (touched - (touched >> 3))) == 0);
        right &= (sanctuary_eight) ((touched & edges) != 0) & bits;
        memcpy(half, &right, sizeof half);
        half[0] |= half[1];
        half[0] |= half[0] >> 32;
        return (half[0] | half[0] >> 16) & 255;
    }
    """
    unsigned int fits_eight "sanctuary_fits_eight"(uint16_t edges, const uint16_t* need)
    int __builtin_ctzll(unsigned long long word)


cdef inline uint64_t fitting(uint16_t edges, const Seat* b) noexcept nogil:
    """The live cells, as bits, on which a card with these edges may be laid."""
    cdef uint64_t cells = 0
    cdef int e
    for e in range(0, b.live, 8):
        cells |= <uint64_t> fits_eight(edges, b.need + e) << e
    return cells & (<uint64_t> 1 << b.live) - 1


cdef inline void free_cell(Seat* b, int e) noexcept nogil:
    """Takes cell number e from the free ones."""
    if e < b.live:
        b.live -= 1
        b.free[e] = b.free[b.live]
        b.need[e] = b.need[b.live]
        e = b.live
    b.free_n -= 1
    b.free[e] = b.free[b.free_n]
    b.need[e] = b.need[b.free_n]


cdef inline void meet(Seat* b, int cell, int d, int code) noexcept nogil:
    """A free cell comes to touch an edge on its side d."""
    # Most often the bit tells that the cell is new.
    cdef int e = find(b.free, b.free_n, cell) if b.seen & spot_bit(cell) else -1
    cdef uint16_t need
    if e < 0:
        e = b.free_n
        b.free_n += 1
        b.seen |= spot_bit(cell)
        b.free[e] = cell
        b.need[e] = 0
    need = b.need[e] | (8 | code) << 4 * d
    b.need[e] = need
    if code != WALL and e >= b.live:
        b.free[e] = b.free[b.live]
        b.need[e] = b.need[b.live]
        b.free[b.live] = cell
        b.need[b.live] = need
        b.live += 1


cdef inline int lay(const Card* card, Seat* b, int e, int kind, int rotation) noexcept nogil:
    """Lays a card on free cell number e; returns how many flowers it completes (sanctuary-13)."""
    cdef int cell = b.free[e]
    cdef int need = b.need[e]
    cdef int n = b.n
    cdef int edges = card.turned[rotation] & ~TOUCHED
    cdef int d, code
    cdef int completed = 0
    free_cell(b, e)
    for d in range(4):
        code = edges >> 4 * d & 7
        if not need >> 4 * d & 8:
            meet(b, cell + STEP[d], d ^ 2, code)
        elif code != WALL:
            b.flowers[code] += 1
            completed += 1
    b.flowers[0] += completed
    b.cell[n] = cell
    b.edges[n] = edges
    b.kind[n] = kind
    b.n = n + 1
    b.hash += bottom_key(cell, kind, edges)
    b.spaces += card.capacity
    b.doubles += card.capacity // 2
    b.ends[card.end_game] += 1
    return completed


cdef void lay_start(Sanctuary game, Seat* b, int bag) noexcept nogil:
    """Lays the starting tile of a seat that has this bag, unturned (sanctuary-11, sanctuary-24)."""
    cdef int d, r
    cdef uint16_t edges = game.start[bag]
    if FAULT(3):
        edges = edges << 4 | edges >> 12
    b.cell[0] = CENTRE
    b.edges[0] = edges
    b.kind[0] = NONE
    b.n = 1
    b.hash = bottom_key(CENTRE, NONE, edges)
    b.spaces = game.start_spaces[bag]
    b.doubles = game.start_spaces[bag] // 2
    for d in range(4):
        meet(b, CENTRE + STEP[d], d ^ 2, edges >> 4 * d & 7)


cdef inline bint houses(Sanctuary game, const Seat* b, int gray, int pink, int yellow) noexcept nogil:
    """Whether some arrangement houses so many (sanctuary-10)."""
    if 2 * yellow + gray + pink > b.spaces:
        return False
    return game.pooled or FAULT(10) or yellow <= b.doubles


cdef bint contains(const Seat* b, const Shape* shape) noexcept nogil:
    """Whether a sanctuary contains a shape, the starting tile included (sanctuary-20)."""
    cdef const Image* image
    cdef int i, c, slot
    if shape.cells > b.n:
        return False
    for i in range(shape.images):
        image = &shape.image[i]
        for slot in range(b.n):
            for c in range(1, shape.cells):
                if find(b.cell, b.n, b.cell[slot] + image.dx[c] + 256 * image.dy[c]) < 0:
                    break
            else:
                return True
    return False
