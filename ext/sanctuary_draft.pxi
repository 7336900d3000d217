"""The draft of sanctuary: dealing, splits, choices and picks; who knows which card. Part of ext/sanctuary.pyx."""
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy

from ext.rng cimport Stream, below


cdef inline void sort_hand(uint16_t* hand, int n) noexcept nogil:
    cdef int i, j
    cdef uint16_t card
    for i in range(1, n):
        card = hand[i]
        j = i
        while j > 0 and hand[j - 1] > card:
            hand[j] = hand[j - 1]
            j -= 1
        hand[j] = card


cdef inline void take_up(Seat* b, uint16_t card) noexcept nogil:
    """Puts a card into a hand, in order."""
    cdef int j = b.hand_n
    while j > 0 and b.hand[j - 1] > card:
        b.hand[j] = b.hand[j - 1]
        j -= 1
    b.hand[j] = card
    b.hand_n += 1


cdef inline int find_kind(const Seat* b, int kind) noexcept nogil:
    """The first place of a kind in a hand, -1 when it is not there."""
    cdef int i
    for i in range(b.hand_n):
        if b.hand[i] >> 2 == kind:
            return i
    return -1


cdef inline void drop_at(Seat* b, int i) noexcept nogil:
    b.hand_n -= 1
    while i < b.hand_n:
        b.hand[i] = b.hand[i + 1]
        i += 1


cdef inline void give_up(Seat* b, int kind) noexcept nogil:
    """Takes a card from a hand, and a copy of it from what each neighbour knows (sanctuary-5)."""
    cdef int i = find_kind(b, kind)
    cdef int known = b.hand[i] & 3
    cdef int j, bit
    drop_at(b, i)
    if i < b.hand_n and b.hand[i] >> 2 == kind:
        for bit in range(1, 3):
            if not known & bit:
                for j in range(i, b.hand_n):
                    if b.hand[j] >> 2 == kind and b.hand[j] & bit:
                        b.hand[j] -= bit
                        break
        sort_hand(b.hand, b.hand_n)


cdef void settle_knowledge(Seat* b) noexcept nogil:
    """Of equal cards it does not matter which is known: the same numbers of them are written the same way."""
    cdef int i, j, k, right, left
    i = 0
    while i < b.hand_n:
        right = left = 0
        j = i
        while j < b.hand_n and b.hand[j] >> 2 == b.hand[i] >> 2:
            right += b.hand[j] & TO_RIGHT
            left += (b.hand[j] & TO_LEFT) != 0
            j += 1
        for k in range(i, j):
            b.hand[k] = b.hand[i] & 0xFFFC | (TO_RIGHT if j - k <= right else 0) | (TO_LEFT if j - k <= left else 0)
        i = j


cdef inline int step_of(const Table* t) noexcept nogil:
    """From a seat to who chooses between its stacks: left, in round 2 right (sanctuary-4)."""
    return -1 if t.round == 2 and not FAULT(4) else 1


cdef inline int chooser_of(Sanctuary game, const Table* t, int s) noexcept nogil:
    return (s + step_of(t) + game.seats) % game.seats


cdef inline int giver_of(Sanctuary game, const Table* t, int s) noexcept nogil:
    return (s - step_of(t) + game.seats) % game.seats


cdef inline int take_any(Table* t, Stream* stream) noexcept nogil:
    """Takes a random card from the deck, which is out of order from then on; returns its kind."""
    cdef int i = below(stream, t.deck_n)
    cdef int kind = t.deck[i]
    t.deck_n -= 1
    t.deck[i] = t.deck[t.deck_n]
    return kind


cdef void draw_card(Sanctuary game, Table* t, int kind) noexcept nogil:
    """A card from the deck is dealt, in solo drawn to the pair (sanctuary-2, sanctuary-21)."""
    cdef int s = 0
    cdef int most = DEALT
    if game.solo:
        t.drawn[t.drawn_n] = kind
        t.drawn_n += 1
        if t.drawn_n == 2:
            if t.drawn[0] > t.drawn[1]:
                t.drawn[0], t.drawn[1] = t.drawn[1], t.drawn[0]
            t.phase = PICKING
        return
    if FAULT(2):
        # One card a seat, again and again.
        for s in range(game.seats):
            most = t.seat[s].hand_n + 1 if t.seat[s].hand_n + 1 < most else most
        s = 0
    while t.seat[s].hand_n >= most:
        s += 1
    take_up(&t.seat[s], kind << 2)
    if t.seat[game.seats - 1].hand_n == DEALT:
        for s in range(game.seats):
            if t.seat[s].hand_n < DEALT:
                return
        t.phase = SPLITTING


cdef inline bint all_committed(Sanctuary game, const Table* t) noexcept nogil:
    return t.committed == (1 << game.seats) - 1


cdef void commit_split(Sanctuary game, Table* t, int s, int stack) noexcept nogil:
    """A seat has split its hand; the last split offers all stacks (sanctuary-4)."""
    t.seat[s].commit = stack
    t.committed |= 1 << s
    if not all_committed(game, t):
        return
    for s in range(game.seats):
        t.seat[s].stack = t.seat[s].commit
        t.seat[s].commit = 0
    t.committed = 0
    t.phase = CHOOSING


cdef void commit_choice(Sanctuary game, Table* t, int s, int choice) noexcept nogil:
    """A seat has chosen; the last choice hands out all stacks (sanctuary-4, sanctuary-5)."""
    cdef uint16_t[MAX_PLAYERS][DEALT] offered
    cdef uint8_t[MAX_PLAYERS] stack
    cdef uint8_t[MAX_PLAYERS] kept
    cdef int i, to, giver, kept_known, returned_known
    t.seat[s].commit = choice
    t.committed |= 1 << s
    if not all_committed(game, t):
        return
    to = step_of(t)
    # The giver knows what was kept, the chooser what it returned, unless it has not seen it.
    kept_known = TO_RIGHT if to == 1 or game.seats == 2 else TO_LEFT
    returned_known = TO_LEFT if to == 1 and game.seats > 2 else TO_RIGHT
    if game.blind:
        returned_known = 0
    if FAULT(5):
        kept_known = 0
    for s in range(game.seats):
        memcpy(offered[s], t.seat[s].hand, sizeof(offered[s]))
        stack[s] = t.seat[s].stack
        kept[s] = t.seat[s].commit
        t.seat[s].hand_n = 0
        t.seat[s].stack = 0
        t.seat[s].commit = 0
    for s in range(game.seats):
        giver = giver_of(game, t, s)
        for i in range(DEALT):
            if (stack[giver] >> i & 1) == (kept[s] == KEEP_SMALLER):
                take_up(&t.seat[s], offered[giver][i] & 0xFFFC | kept_known)
            else:
                take_up(&t.seat[giver], offered[giver][i] & 0xFFFC | returned_known)
    t.committed = 0
    begin_playing(game, t)


cdef void pick(Sanctuary game, Table* t, int i) noexcept nogil:
    """Keeps the i-th card of the pair; the token moves by the difference of dots (sanctuary-21)."""
    cdef int kept = t.drawn[i]
    cdef int other = t.drawn[1 - i]
    cdef int token = t.token
    cdef int by = game.card[kept].strength - game.card[other].strength
    t.drawn_n = 0
    t.drawn[0] = t.drawn[1] = 0
    take_up(&t.seat[0], kept << 2)
    t.discards[t.discards_n] = other
    t.discards_n += 1
    token += -by if FAULT(21) else by
    if token < game.track_low:
        token = game.track_low
    if token > game.track_low + game.track_n - 1:
        token = game.track_low + game.track_n - 1
    t.token = token
    if t.seat[0].hand_n < DEALT:
        t.phase = DRAW_CARD
    elif game.challenge == WEAK_CUT or game.challenge == POWER_CAP and not t.strongest_discarded:
        t.phase = DISCARDING
    else:
        begin_playing(game, t)


cdef void discard(Sanctuary game, Table* t, int kind) noexcept nogil:
    """Discards a card for a challenge (sanctuary-23)."""
    give_up(&t.seat[0], kind)
    t.discards[t.discards_n] = kind
    t.discards_n += 1
    t.strongest_discarded = game.challenge == POWER_CAP
    begin_playing(game, t)


cdef inline bint may_discard(Sanctuary game, const Table* t, int kind) noexcept nogil:
    """Whether a card of the hand is of the strongest, or of the weakest for WEAK_CUT."""
    cdef int i, other
    cdef bint weakest = (game.challenge == WEAK_CUT) != FAULT(23)
    for i in range(t.seat[0].hand_n):
        other = game.card[t.seat[0].hand[i] >> 2].strength
        if other < game.card[kind].strength if weakest else other > game.card[kind].strength:
            return False
    return True


cdef inline int stack_of(const Seat* b, int low, int high) noexcept nogil:
    """The bits of a stack of one or two kinds (high NONE: one), the first of equal cards; 0 when it cannot be made."""
    cdef int i = find_kind(b, low)
    cdef int j
    if i < 0:
        return 0
    if high == NONE:
        return 1 << i
    j = i + 1 if high == low else find_kind(b, high)
    if j < 0 or j == b.hand_n or b.hand[j] >> 2 != high:
        return 0
    return 1 << i | 1 << j


cdef void split_hand(Seat* b, int smaller) noexcept nogil:
    """Puts five cards, of which the first so many are the smaller stack, in order."""
    cdef int i
    for i in range(DEALT):
        b.hand[i] = b.hand[i] & 0xFFFC | (i >= smaller)
    sort_hand(b.hand, DEALT)
    b.stack = 0
    for i in range(DEALT):
        b.stack |= (not b.hand[i] & 1) << i
        b.hand[i] &= 0xFFFC
