"""The course of a turn of heart: what a decision or a chance event brings. Part of ext/heart.pyx."""
from libc.stdint cimport uint8_t
from libc.string cimport memcpy

from ext.lists cimport index_of, remove_at


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
