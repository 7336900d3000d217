"""Oceans: laying cards, what they score, targets. Part of ext/ocean.pyx."""
from libc.stdint cimport uint8_t, uint16_t, uint64_t

from ext.rng cimport mix

cdef extern from * nogil:
    int __builtin_popcountll(unsigned long long word)
    int __builtin_ctzll(unsigned long long word)

cdef uint64_t BYTES = 0x0101010101010101
cdef uint64_t ALL_CARDS = (<uint64_t> 1 << CARDS) - 1


cdef inline uint64_t bit(int i) noexcept nogil:
    return <uint64_t> 1 << i


cdef inline int nth_bit(uint64_t set_, int n) noexcept nogil:
    """The n-th lowest member of a set."""
    while n > 0:
        set_ &= set_ - 1
        n -= 1
    return __builtin_ctzll(set_)


cdef inline int card_points(const CardRule* rule, uint64_t near, bint split) noexcept nogil:
    """What a card scores from its neighbours (ocean-8 to ocean-12)."""
    cdef int plants, corals, n, lone
    if rule.pairs:
        plants = near & 255
        corals = (near >> 8) & 255
        lone = (near >> 24) & 255
        n = plants + corals + lone
        lone = n - (corals if corals > lone else lone)
        if FAULT(11):
            lone = n
        return 10 * (n // 2 if n // 2 < lone else lone)
    cdef int points = rule.points[((near & rule.mask) * BYTES) >> 56]
    if split and rule.second:
        points += rule.points[((near & rule.second) * BYTES) >> 56]
    return points


cdef inline void put(Ocean game, Board* board, int cell, int card, int n_steps) noexcept nogil:
    """Lays a card on a cell that is not in the frontier list (any more)."""
    cdef int slot = FIRST + board.n
    cdef uint64_t me = game.kind_bit[card]
    cdef uint64_t mine = 0
    cdef int d, neighbour, there, edge = board.edge
    cdef uint8_t* grid = board.grid
    grid[cell] = slot
    board.card[slot] = card
    board.cell[slot] = cell
    board.kind[slot] = me
    for d in range(n_steps):
        neighbour = cell + game.step[d]
        there = grid[neighbour]
        mine += board.kind[there]
        board.near[there] += me
        board.frontier[edge] = neighbour
        edge += there == EMPTY
        grid[neighbour] = there + (there == EMPTY)
    if FAULT(8):
        mine += me
    board.near[slot] = mine
    board.edge = edge
    board.n += 1


cdef inline void put_any(Ocean game, Board* board, int cell, int card) noexcept nogil:
    """Lays a card with its step count known to the compiler: the loop unrolls."""
    if game.n_steps == 4:
        put(game, board, cell, card, 4)
    elif game.n_steps == 6:
        put(game, board, cell, card, 6)
    else:
        put(game, board, cell, card, 8)


cdef inline void place_card(Ocean game, Board* board, int cell, int card) noexcept nogil:
    """Lays a card anywhere, and keeps the hash."""
    cdef int i
    if board.grid[cell] == EDGE:
        for i in range(board.edge):
            if board.frontier[i] == cell:
                board.edge -= 1
                board.frontier[i] = board.frontier[board.edge]
                break
    put_any(game, board, cell, card)
    if FAULT(2) and board.n > 1:
        board.edge -= 1
    board.hash += mix(<uint64_t> (cell * 64 + card + 1))


cdef inline int species_points(Ocean game, const Board* board) noexcept nogil:
    cdef int slot, sum_ = 0
    for slot in range(FIRST, FIRST + board.n):
        sum_ += card_points(&game.card_rule[board.card[slot]], board.near[slot], game.split_sets)
    return sum_


cdef bint matches(Ocean game, const Board* board, const Target* target) noexcept nogil:
    """Whether an image of the target's pattern lies in the ocean (ocean-15, ocean-16)."""
    cdef int i, c, slot, x, y, there
    cdef const Image* image
    if target.cells > board.n or (game.whole_shape and not FAULT(15) and target.cells != PICKS):
        return False
    for i in range(target.n_images):
        image = &target.image[i]
        for slot in range(FIRST, FIRST + board.n):
            x = board.cell[slot] % WIDTH
            y = board.cell[slot] // WIDTH
            for c in range(target.cells):
                # Cards lie within 8 of the origin: the check keeps the grid index inside.
                if not (1 <= x + image.dx[c] <= 17 and 1 <= y + image.dy[c] <= 17):
                    break
                there = board.grid[board.cell[slot] + image.dx[c] + WIDTH * image.dy[c]]
                if there < FIRST or not image.kinds[c] >> game.card_rule[board.card[there]].kind & 1:
                    break
            else:
                return True
    return False


cdef int promo_points(Ocean game, const Board* board) noexcept nogil:
    """Distinct IUCN categories (ocean-17, ocean-18)."""
    cdef uint64_t seen = 0
    cdef int slot, n
    for slot in range(FIRST, FIRST + board.n):
        seen |= game.card_rule[board.card[slot]].category
    n = __builtin_popcountll(seen)
    if FAULT(17) and n == 5:
        return 11
    return 0 if n < 3 else 3 if n == 3 else 7 if n == 4 else 12 if n == 5 else 18


cdef inline int target_points(Ocean game, const Board* board, uint16_t targets) noexcept nogil:
    """Every held target scores at most once (ocean-14)."""
    cdef int t, sum_ = 0
    while targets:
        t = __builtin_ctzll(targets)
        targets &= targets - 1
        if t == PROMO:
            sum_ += promo_points(game, board)
        elif matches(game, board, &game.target[t]):
            sum_ += game.target[t].points
        if FAULT(14):
            break
    return sum_


cdef inline int gain_of(Ocean game, const Board* board, int cell, int card, int n_steps) noexcept nogil:
    """Points that a card laid on a free cell adds at once, targets left out."""
    cdef uint64_t me = game.kind_bit[card]
    cdef uint64_t near = 0
    cdef int d, there, gain = 0
    cdef const CardRule* rule
    for d in range(n_steps):
        there = board.grid[cell + game.step[d]]
        if there >= FIRST:
            near += board.kind[there]
            rule = &game.card_rule[board.card[there]]
            gain += card_points(rule, board.near[there] + me, game.split_sets)
            gain -= card_points(rule, board.near[there], game.split_sets)
    return gain + card_points(&game.card_rule[card], near, game.split_sets)


cdef inline int best_gain(Ocean game, const Board* board, int card) noexcept nogil:
    """The most that a card can add at once; alone, what it scores by itself."""
    cdef int i, gain, best = -1
    if board.n == 0:
        return card_points(&game.card_rule[card], 0, game.split_sets)
    for i in range(board.edge):
        gain = gain_of(game, board, board.frontier[i], card, game.n_steps)
        if gain > best:
            best = gain
    return best
