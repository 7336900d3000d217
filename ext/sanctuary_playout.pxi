"""What moves of sanctuary are worth at a guess, and playouts. Part of ext/sanctuary.pyx."""
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ext.rng cimport Stream, below, next_word, scaled

# Guesses that order moves and guide playouts, found by trying what raises the scores of informed playouts (docs/
# performance.md); no rule, no exact value depends on them.
cdef double LATER = 0.37            # a point of a later round, in points of now
cdef double INCOME = 1.2            # food that a later round brings besides
cdef double FLOWER_INCOME = 1.0     # and for each completed flower
cdef double CARD_FOOD = 0.67        # food that a card still to be played brings
cdef double CARD_HARVEST = 0.15     # and for each completed flower
cdef double RESCUES_A_CARD = 0.94   # manatees that it brings
cdef double LATER_CARDS = 3.1       # cards of a later round for which room is kept
cdef double ROOM = 0.86             # of what a manatee scores: a space for one that may come
cdef double OPEN_FLOWER = 0.11      # a flower half that faces water
cdef double YELLOW_DRAW = 0.36      # a yellow manatee, for each card that may bring others with it
cdef double YELLOW_CARDS = 4.8      # such cards in a later round
cdef double CHALLENGE_POINTS = 10.0     # a step away from what a challenge forbids
cdef double LOST = 20.0             # a manatee that may have to go back where none may


cdef inline double least(double one, double other) noexcept nogil:
    return one if one < other else other


cdef inline void hold(const Seat* b, Holding* h) noexcept nogil:
    cdef int i
    for i in range(COLOURS):
        h.manatees[i] = b.manatees[i]
    h.food = b.food
    h.spaces = b.spaces
    h.cards = b.hand_n
    for i in range(WALL):
        h.flowers[i] = b.flowers[i]
    for i in range(ENDS):
        h.ends[i] = b.ends[i]


cdef inline double feed(Holding* h, double* eaters, double each) noexcept nogil:
    """Points of a round in which the manatees are fed as far as the food goes; pink ones go hungry first.

    A manatee scores once for each food that it eats (sanctuary-16, sanctuary-17), and costs 2 points to send back.
    """
    cdef double short_ = eaters[0] - h.food
    cdef double pink
    if short_ <= 0:
        h.food -= eaters[0]
        return each * eaters[0]
    pink = least(short_, 2 * h.manatees[PINK])
    eaters[0] = h.food
    h.food = 0
    return each * eaters[0] - pink - 2 * (short_ - pink)


cdef double bonus_worth(Sanctuary game, const Table* t, const Holding* h, int round_, double fed) noexcept nogil:
    """What the bonus card of a round, 1 to 3, promises; shapes are left to the search."""
    cdef const Face* face = &game.face[t.bonus[round_ - 1]][round_ - 1]
    if face.goal == GOAL_YELLOW:
        return face.points * h.manatees[YELLOW] * fed
    if face.goal == GOAL_PINK:
        return face.points * h.manatees[PINK] * fed
    if face.goal == GOAL_MANATEES:
        return face.points * (h.manatees[GRAY] + h.manatees[PINK] + h.manatees[YELLOW]) * fed
    if face.goal == LITTLE_FOOD:
        return face.points if h.food <= 3 else 0
    if face.goal == SHAPE:
        return 0
    return face.points * h.flowers[1 + face.goal - GOAL_RED]


cdef double challenge_worth(Sanctuary game, const Table* t, const Holding* h) noexcept nogil:
    """Steps towards a challenge's objective, in points."""
    cdef int i, most = 0
    cdef double all_ = h.manatees[GRAY] + h.manatees[PINK] + h.manatees[YELLOW]
    if game.challenge == HARVESTER:
        return least(h.food, 40) * (1.5 if t.round == ROUNDS else 0.75)
    if game.challenge == SAVIOUR:
        return least(all_, 24) * 5 + least(h.spaces, 26) * 2.5
    if game.challenge == SHORTAGE:
        return -CHALLENGE_POINTS * (h.flowers[0] - 6) if h.flowers[0] > 6 else 0
    if game.challenge == COLOUR_COORDINATED:
        for i in range(1, WALL):
            most = h.flowers[i] if h.flowers[i] > most else most
        return 4 * least(most, 7)
    return 0


cdef double worth(Sanctuary game, const Table* t, const Holding* from_, bint ahead) noexcept nogil:
    """Points that a holding scores if the round ended now; `ahead` with what later cards and rounds may bring."""
    cdef Holding h = from_[0]
    cdef int round_ = t.round
    cdef double each = 4 - round_
    cdef double eaters = h.manatees[GRAY] + 2 * h.manatees[PINK] + h.manatees[YELLOW]
    cdef double all_ = eaters - h.manatees[PINK]
    cdef double room = h.spaces - all_ - h.manatees[YELLOW]
    cdef double before = eaters
    cdef double come, points, total, weight = 1
    if ahead and room > 0:
        # Spaces for those that cards in hand may bring, and later rounds.
        come = least(room, RESCUES_A_CARD * h.cards)
        total = ROOM * come * (each * (each + 1) / 2)
        come = least(room - come, LATER_CARDS * RESCUES_A_CARD * (ROUNDS - round_))
        total += ROOM * come * (each * (each - 1) / 2)
    else:
        total = 0
    if ahead and h.cards > 0:
        # Cards in hand bring food, too.
        h.food += h.cards * (CARD_FOOD + CARD_HARVEST * h.flowers[0])
    if game.challenge == SAVIOUR and eaters > h.food:
        # Whoever sends one back loses.
        total -= LOST * least(eaters - h.food, 3)
    points = feed(&h, &eaters, each)
    if game.bonuses:
        points += bonus_worth(game, t, &h, round_, eaters / before if before > 0 else 1)
    total += points
    while ahead and round_ < ROUNDS:
        round_ += 1
        each -= 1
        weight *= LATER
        h.food += INCOME + FLOWER_INCOME * h.flowers[0]
        points = feed(&h, &eaters, each)
        if game.bonuses:
            points += bonus_worth(game, t, &h, round_, eaters / before if before > 0 else 1)
        total += weight * points
    if ahead or round_ == ROUNDS:
        all_ = all_ * eaters / before if before > 0 else 0
        points = h.ends[PAIRS_AT_END] * (all_ / 2 - 0.25)
        if before > 0:
            points += (2 * h.ends[PINK_AT_END] * h.manatees[PINK]
                       + 3 * h.ends[YELLOW_AT_END] * h.manatees[YELLOW]) * eaters / before
        total += weight * points
    if ahead:
        total += YELLOW_DRAW * h.manatees[YELLOW] * (h.cards + YELLOW_CARDS * (ROUNDS - t.round))
    if game.challenge:
        total += challenge_worth(game, t, &h)
    return total


cdef double top_worth(Sanctuary game, const Table* t, int s, int kind, bint ahead) noexcept nogil:
    """The worth of a seat's holding once a top is played: draws come as the bag is composed."""
    cdef const Seat* b = &t.seat[s]
    cdef const Card* card = &game.card[kind]
    cdef Holding h
    cdef int bag, colour, total
    cdef double draws, over
    hold(b, &h)
    h.cards -= 1
    h.food += harvest_of(game, b, kind)
    h.food = least(h.food, game.most_food)
    if card.icons == 0:
        return worth(game, t, &h, ahead)
    bag = bag_to_draw_from(game, t, s)
    if bag < 0:
        return worth(game, t, &h, ahead)
    total = in_bag(t, bag)
    draws = least(card.random + b.manatees[YELLOW], total)
    for colour in range(COLOURS):
        h.manatees[colour] += least(card.rescues[colour], t.bag[bag][colour]) + draws * t.bag[bag][colour] / total
    over = h.manatees[GRAY] + h.manatees[PINK] + 2 * h.manatees[YELLOW] - h.spaces
    if over <= 0:
        return worth(game, t, &h, ahead)
    # Gray newcomers go back first; what is still too much goes as it comes.
    h.manatees[GRAY] -= over
    draws = over * (LOST if game.challenge == SAVIOUR else 2)
    if h.manatees[GRAY] < 0:
        h.manatees[YELLOW] += h.manatees[GRAY] / 2
        h.manatees[GRAY] = 0
        if h.manatees[YELLOW] < 0:
            h.manatees[PINK] += 2 * h.manatees[YELLOW]
            h.manatees[YELLOW] = 0
    return worth(game, t, &h, ahead) - draws


cdef double bottom_worth(
    Sanctuary game, const Table* t, int s, int kind, int edges, int need, bint ahead
) noexcept nogil:
    """The worth of a seat's holding once a bottom is played, with these edges, where those are needed."""
    cdef const Seat* b = &t.seat[s]
    cdef const Card* card = &game.card[kind]
    cdef Holding h
    cdef int d, code
    cdef int open_ = 0
    hold(b, &h)
    h.cards -= 1
    for d in range(4):
        code = need >> 4 * d & 15
        if code == 0:
            open_ += (edges >> 4 * d & 7) != WALL
        elif code != 8 + WALL:
            h.flowers[code - 8] += 1
            h.flowers[0] += 1
            h.food += 1
    h.food = least(h.food, game.most_food)
    h.spaces += card.capacity
    h.ends[card.end_game] += 1
    return worth(game, t, &h, ahead) + (OPEN_FLOWER * open_ if ahead else 0)


cdef double card_worth(Sanctuary game, const Table* t, int s, int kind) noexcept nogil:
    """What a card adds at its best, played now."""
    cdef const Seat* b = &t.seat[s]
    cdef const Card* card = &game.card[kind]
    cdef Holding h
    cdef double best, here
    cdef int e, r
    hold(b, &h)
    best = top_worth(game, t, s, kind, True)
    for e in range(b.live):
        for r in range(card.turns):
            if fits(card.turned[r], b.need[e]):
                here = bottom_worth(game, t, s, kind, card.turned[r], b.need[e], True)
                best = here if here > best else best
                break
    h.cards -= 1
    return best - worth(game, t, &h, True) + 0.25 * card.strength


cdef double return_worth(Sanctuary game, const Table* t, move_t move, bint ahead) noexcept nogil:
    """The worth of a seat's holding once these have gone back."""
    cdef const Seat* b = &t.seat[t.turn]
    cdef Holding h
    cdef int[COLOURS] back
    cdef int colour, gone = 0
    read_return(move, back)
    hold(b, &h)
    for colour in range(COLOURS):
        h.manatees[colour] += t.newcomers[colour] - back[colour]
        gone += back[colour]
    return worth(game, t, &h, ahead) - 2 * gone


cdef double track_step(Sanctuary game, const Table* t, int kept, int other) noexcept nogil:
    """Points that picking a card of a pair costs or brings on the solo track."""
    cdef int token = t.token + game.card[kept].strength - game.card[other].strength
    if token < game.track_low:
        token = game.track_low
    if token > game.track_low + game.track_n - 1:
        token = game.track_low + game.track_n - 1
    return game.track[token - game.track_low] - game.track[t.token - game.track_low]


cdef void weigh_moves(
    Sanctuary game, const Table* t, int seat, const move_t* moves, int n, bint ahead, double* points
) noexcept nogil:
    """What each move gains, now or with its prospects."""
    cdef const Seat* b = &t.seat[seat]
    cdef double[HAND] value
    cdef double[2] sums
    cdef Holding h
    cdef double base
    cdef int i, j, stack, kind
    for i in range(n):
        points[i] = 0
    if t.phase == SPLITTING or t.phase == CHOOSING:
        if t.phase == CHOOSING:
            b = &t.seat[giver_of(game, t, seat)]
            if game.blind and not FAULT(317):
                # Sizes are all that one sees.
                points[1] = 1
                return
        for j in range(DEALT):
            value[j] = card_worth(game, t, seat, b.hand[j] >> 2)
        for i in range(n):
            stack = stack_of_code(b, moves[i]) if t.phase == SPLITTING else b.stack
            sums[0] = sums[1] = 0
            for j in range(DEALT):
                sums[stack >> j & 1] += value[j]
            # The neighbour will keep the better one.
            points[i] = least(sums[0], sums[1]) if t.phase == SPLITTING else sums[moves[i] == KEEP]
    elif t.phase == PICKING:
        for i in range(n):
            j = moves[i] & 255
            kind = t.drawn[1] if t.drawn[0] == j else t.drawn[0]
            points[i] = card_worth(game, t, seat, j) + track_step(game, t, j, kind)
    elif t.phase == DISCARDING:
        for i in range(n):
            if moves[i] != DECLINE:
                points[i] = -card_worth(game, t, seat, moves[i] & 255)
    else:
        hold(b, &h)
        if t.phase == PLAYING:
            h.cards -= 1
        else:
            for i in range(COLOURS):
                h.manatees[i] += t.newcomers[i]
        base = worth(game, t, &h, ahead)
        for i in range(n):
            if moves[i] & RETURN:
                points[i] = return_worth(game, t, moves[i], ahead) - base
            elif moves[i] & BOTTOM:
                j = spot_of(b, unpack(moves[i] >> 2))
                kind = moves[i] >> 14 & 255
                points[i] = bottom_worth(
                    game, t, seat, kind, game.card[kind].turned[moves[i] & 3], b.need[j], ahead
                ) - base
            else:
                points[i] = top_worth(game, t, seat, moves[i] & 255, ahead) - base


# --- playouts ---

cdef inline void random_card(
    Sanctuary game, const Table* t, Stream* stream, int* kind, int* e, int* rotation
) noexcept nogil:
    """A top, where e is -1, or a placement, all alike, from pairs of cards and places of which not all are legal."""
    cdef const Seat* b = &t.seat[t.turn]
    cdef int top = 4 * b.live
    cdef int i, place
    cdef uint64_t word
    while True:
        word = next_word(stream)
        i = scaled(<uint32_t> (word >> 32), stream, b.hand_n)
        place = scaled(<uint32_t> word, stream, top + 1)
        kind[0] = b.hand[i] >> 2
        # One branch for all that may be wrong: it is taken most often. Behind the places lies an item to read.
        if (place != top) & (not fits(game.card[kind[0]].distinct[place & 3], b.need[place >> 2])):
            continue
        if i and b.hand[i - 1] >> 2 == kind[0]:
            continue
        e[0] = -1 if place == top else place >> 2
        rotation[0] = place & 3
        return


cdef inline int random_split(const Seat* b, Stream* stream) noexcept nogil:
    """The bits of a smaller stack, all alike."""
    cdef int i, j, k
    while True:
        k = below(stream, 15)
        i = k if k < 5 else FIRST_OF[k - 5]
        if i and b.hand[i] >> 2 == b.hand[i - 1] >> 2:
            continue
        if k < 5:
            return 1 << i
        j = SECOND_OF[k - 5]
        if j == i + 1 or b.hand[j] >> 2 != b.hand[j - 1] >> 2:
            return 1 << i | 1 << j


cdef int[10] FIRST_OF = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
cdef int[10] SECOND_OF = [1, 2, 3, 4, 2, 3, 4, 3, 4, 4]


cdef inline bint happen(Sanctuary game, Table* t, Stream* stream) noexcept nogil:
    """Lets chance decide, if it is next."""
    cdef int bag
    if t.phase == DRAW_MANATEE:
        bag = bag_to_draw_from(game, t, t.turn)
        draw_manatee(game, t, bag, colour_at(t, bag, below(stream, in_bag(t, bag))))
    elif t.phase == DRAW_CARD:
        draw_card(game, t, take_any(t, stream))
    elif t.phase == DRAW_BONUS:
        draw_bonus(t, random_bonus(game, t, stream))
    else:
        return False
    return True


cdef inline int random_bonus(Sanctuary game, const Table* t, Stream* stream) noexcept nogil:
    cdef int kind = 0, k = below(stream, BONUSES - t.bonus_n)
    while k >= bonus_left(game, t, kind):
        k -= bonus_left(game, t, kind)
        kind += 1
    return kind


cdef inline int bonus_left(Sanctuary game, const Table* t, int kind) noexcept nogil:
    """Bonus cards of a kind that are not drawn."""
    cdef int i, left = game.bonus_count[kind]
    for i in range(t.bonus_n):
        left -= t.bonus[i] == kind
    return left


cdef inline void draw_bonus(Table* t, int kind) noexcept nogil:
    """All three before the first deal (sanctuary-20)."""
    cdef int n = t.bonus_n
    t.bonus[n if n < ROUNDS else 0] = kind      # the compiler cannot know that n is less
    t.bonus_n = n + 1
    if n == ROUNDS - 1:
        t.phase = DRAW_CARD


cdef inline int next_to_commit(const Table* t) noexcept nogil:
    cdef int s = 0
    while t.committed >> s & 1:
        s += 1
    return s


cdef inline void random_return(Sanctuary game, Table* t, Stream* stream) noexcept nogil:
    cdef move_t[C_MAX_MOVES] buffer
    cdef int[COLOURS] back
    if t.phase == RETURNING:
        read_return(buffer[below(stream, list_returns(game, t, buffer))], back)
        return_newcomers(game, t, back)
    else:
        read_return(buffer[below(stream, list_hungry(t, buffer))], back)
        return_hungry(game, t, back)


cdef inline void random_discard(Sanctuary game, Table* t, Stream* stream) noexcept nogil:
    cdef move_t[HAND + 1] buffer
    cdef move_t move = buffer[below(stream, list_discards(game, t, buffer))]
    if move == DECLINE:
        begin_playing(game, t)
    else:
        discard(game, t, move & 255)


cdef int roll(Sanctuary game, Table* t, Stream* stream, int32_t* scores) noexcept nogil:
    """A playout of uniformly random moves."""
    cdef int s, kind = 0, e = 0, r = 0, plies = 0
    while t.phase != ENDED and plies < game.max_plies:
        plies += 1
        if t.phase == PLAYING:
            random_card(game, t, stream, &kind, &e, &r)
            if e >= 0:
                play_bottom(game, t, kind, e, r)
                continue
            play_top(game, t, kind)
            # Draws come one after another: a loop of their own is easier to foresee.
            while t.phase == DRAW_MANATEE:
                plies += 1
                happen(game, t, stream)
        elif t.phase == DRAW_CARD:
            plies -= 1
            while t.phase == DRAW_CARD:
                plies += 1
                draw_card(game, t, take_any(t, stream))
        elif t.phase == SPLITTING:
            s = next_to_commit(t)
            commit_split(game, t, s, random_split(&t.seat[s], stream))
        elif t.phase == CHOOSING:
            commit_choice(game, t, next_to_commit(t), KEEP_SMALLER + below(stream, 2))
        elif t.phase == PICKING:
            pick(game, t, below(stream, 2) if t.drawn[0] != t.drawn[1] else 0)
        elif t.phase == DISCARDING:
            random_discard(game, t, stream)
        elif not happen(game, t, stream):
            random_return(game, t, stream)
    game.points(t, scores)
    return plies


# An informed playout: of a few random choices the one that promises most.

cdef enum:
    TRIES = 6
    SPLIT_TRIES = 3
    TOPMOST = 1 << 15


cdef inline int informed_split(Sanctuary game, const Seat* b, Stream* stream) noexcept nogil:
    """Of a few splits the most even one: the neighbour takes the better stack."""
    cdef int i, stack, best = 0
    cdef double worse, most = -1e9
    cdef double[2] sums
    for _ in range(SPLIT_TRIES):
        stack = random_split(b, stream)
        sums[0] = sums[1] = 0
        for i in range(DEALT):
            sums[stack >> i & 1] += game.card[b.hand[i] >> 2].quality
        worse = least(sums[0], sums[1])
        if worse > most:
            most, best = worse, stack
    return best


cdef inline int informed_choice(Sanctuary game, const Table* t, int s, Stream* stream) noexcept nogil:
    """The better stack, as far as it is seen."""
    cdef const Seat* b = &t.seat[giver_of(game, t, s)]
    cdef double[2] sums
    cdef int i
    if game.blind:
        return KEEP_SMALLER + below(stream, 2)
    sums[0] = sums[1] = 0
    for i in range(DEALT):
        sums[b.stack >> i & 1] += game.card[b.hand[i] >> 2].quality
    return KEEP_SMALLER if sums[1] >= sums[0] else KEEP_LARGER


cdef inline int informed_pick(Sanctuary game, const Table* t) noexcept nogil:
    cdef int one = t.drawn[0]
    cdef int two = t.drawn[1]
    return (
        game.card[one].quality + track_step(game, t, one, two) < game.card[two].quality + track_step(game, t, two, one)
    )


cdef void informed_return(Sanctuary game, Table* t) noexcept nogil:
    """Who goes back costs least: the first of the best."""
    cdef move_t[C_MAX_MOVES] buffer
    cdef int[COLOURS] back
    cdef bint newcomers = t.phase == RETURNING
    cdef int n = list_returns(game, t, buffer) if newcomers else list_hungry(t, buffer)
    cdef int i, top = 0
    cdef double here, most = -1e9
    for i in range(n):
        here = return_worth(game, t, buffer[i], True)
        if here > most:
            most, top = here, i
    read_return(buffer[top], back)
    if newcomers:
        return_newcomers(game, t, back)
    else:
        return_hungry(game, t, back)


cdef inline int plans(Sanctuary game, const Seat* b, uint32_t* plan) noexcept nogil:
    """All that a seat can do with its cards, as kind << 16 | free cell << 8 | rotation, or kind << 16 | TOPMOST."""
    cdef uint64_t cells
    cdef int i, r, kind, n = 0
    for i in range(b.hand_n):
        kind = b.hand[i] >> 2
        if i and b.hand[i - 1] >> 2 == kind:
            continue
        plan[n] = kind << 16 | TOPMOST
        n += 1
        for r in range(game.card[kind].turns):
            cells = fitting(game.card[kind].turned[r], b)
            while cells:
                plan[n] = kind << 16 | __builtin_ctzll(cells) << 8 | r
                cells &= cells - 1
                n += 1
    return n


cdef inline void informed_card(Sanctuary game, Table* t, Stream* stream) noexcept nogil:
    """Of a few plans, or of all where there are no more, the one that promises most."""
    cdef const Seat* b = &t.seat[t.turn]
    cdef uint32_t[HAND * (1 + 4 * FREE)] plan
    cdef int n = plans(game, b, plan)
    cdef int tries = n if n < TRIES else TRIES
    cdef int i, kind
    cdef uint32_t chosen, best = plan[0]
    cdef double here, most = -1e9
    if FAULT(316) and t.turn and secret(t, 0) & 1:
        tries = 1
    for i in range(tries if n > 1 else 0):
        chosen = plan[i if tries == n else <int> below(stream, n)]
        kind = chosen >> 16
        if chosen & TOPMOST:
            here = top_worth(game, t, t.turn, kind, True)
        else:
            here = bottom_worth(
                game, t, t.turn, kind, game.card[kind].turned[chosen & 3], b.need[chosen >> 8 & 255], True
            )
        if here > most:
            most, best = here, chosen
    if best & TOPMOST:
        play_top(game, t, best >> 16)
    else:
        play_bottom(game, t, best >> 16, best >> 8 & 255, best & 3)


cdef int roll_informed(Sanctuary game, Table* t, Stream* stream, int32_t* scores) noexcept nogil:
    cdef int s, plies = 0
    while t.phase != ENDED and plies < game.max_plies:
        plies += 1
        if t.phase == PLAYING:
            informed_card(game, t, stream)
        elif t.phase == SPLITTING:
            s = next_to_commit(t)
            commit_split(game, t, s, informed_split(game, &t.seat[s], stream))
        elif t.phase == CHOOSING:
            s = next_to_commit(t)
            commit_choice(game, t, s, informed_choice(game, t, s, stream))
        elif t.phase == PICKING:
            pick(game, t, informed_pick(game, t))
        elif t.phase == DISCARDING:
            random_discard(game, t, stream)
        elif not happen(game, t, stream):
            informed_return(game, t)
    game.points(t, scores)
    return plies
