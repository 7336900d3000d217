"""What moves of heart gain, and playouts. Part of ext/heart.pyx."""
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from ext.rng cimport Stream, below, next_word, scaled

cdef enum:
    ATTEMPTS = 12   # at a random choice before all choices are listed


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
