"""The course of a round of sanctuary: playing cards, housing, feeding, scoring. Part of ext/sanctuary.pyx."""
from libc.stdint cimport uint8_t
from libc.string cimport memset


cdef inline int in_bag(const Table* t, int bag) noexcept nogil:
    return t.bag[bag][GRAY] + t.bag[bag][PINK] + t.bag[bag][YELLOW]


cdef inline int own_bag(Sanctuary game, int s) noexcept nogil:
    """The bag that a seat draws from and returns to: in Scramble the later half has the second (sanctuary-24)."""
    return s >= game.second_half


cdef inline int bag_to_draw_from(Sanctuary game, const Table* t, int s) noexcept nogil:
    """The own bag, the other one while that is empty, -1 when there is nothing left (sanctuary-24)."""
    cdef int bag = own_bag(game, s)
    if in_bag(t, bag):
        return bag
    if game.bags == 2 and in_bag(t, 1 - bag):
        return 1 - bag
    return -1


cdef inline int meals(const Seat* b) noexcept nogil:
    """Food that the manatees eat (sanctuary-16)."""
    return b.manatees[GRAY] + (1 if FAULT(16) else 2) * b.manatees[PINK] + b.manatees[YELLOW]


cdef inline int housed(const Seat* b) noexcept nogil:
    return b.manatees[GRAY] + b.manatees[PINK] + b.manatees[YELLOW]


cdef inline void gain_food(Sanctuary game, Seat* b, int food) noexcept nogil:
    """A cap holds after every gain (sanctuary-16)."""
    food += b.food
    b.food = food if food < game.most_food else game.most_food


cdef inline void add_points(Sanctuary game, Seat* b, int points) noexcept nogil:
    """A floor holds after every change (sanctuary-18)."""
    points += b.score
    points = points if points < game.most_points else game.most_points
    b.score = points if points > game.least_points else game.least_points


cdef inline void begin_playing(Sanctuary game, Table* t) noexcept nogil:
    """Seat 0 plays first, in every round (sanctuary-15)."""
    t.turn = game.seats - 1
    if FAULT(15) and t.round > 1:
        t.turn = 0
    next_card(game, t, False)


cdef inline void next_card(Sanctuary game, Table* t, bint same_seat) noexcept nogil:
    """Who plays the next card: seats without cards are skipped; when all are played, all are fed."""
    cdef int s = t.turn
    if not same_seat:
        s += 1
    for _ in range(game.seats):
        if s >= game.seats:
            s -= game.seats
        if t.seat[s].hand_n:
            t.turn = s
            t.phase = PLAYING
            return
        s += 1
    feed_from(game, t, 0)


cdef inline void card_resolved(Sanctuary game, Table* t) noexcept nogil:
    next_card(game, t, game.seat_by_seat)


cdef inline void play_bottom(Sanctuary game, Table* t, int kind, int e, int rotation) noexcept nogil:
    """A card on free cell number e; each flower it completes is a food (sanctuary-13)."""
    cdef Seat* b = &t.seat[t.turn]
    cdef int flowers
    give_up(b, kind)
    flowers = lay(&game.card[kind], b, e, kind, rotation)
    gain_food(game, b, 0 if FAULT(13) else flowers)
    card_resolved(game, t)


cdef inline int harvest_of(Sanctuary game, const Seat* b, int kind) noexcept nogil:
    """Food that a top brings: completed flowers for each icon (sanctuary-8)."""
    cdef int icons = game.card[kind].harvests
    cdef int flowers = b.flowers[0]
    if FAULT(8) and icons:
        icons = 1
    if FAULT(6) and flowers == 0:
        flowers = 1
    return icons * flowers


cdef void play_top(Sanctuary game, Table* t, int kind) noexcept nogil:
    """Harvest, then the named colours are taken, then the draws begin (sanctuary-7, sanctuary-8)."""
    cdef const Card* card = &game.card[kind]
    cdef Seat* b = &t.seat[t.turn]
    cdef int colour, bag
    give_up(b, kind)
    b.tops[b.tops_n] = kind
    b.tops_n += 1
    b.hash += top_key(kind)
    gain_food(game, b, harvest_of(game, b, kind))
    if card.icons == 0 and not FAULT(7):
        card_resolved(game, t)
        return
    for colour in range(COLOURS):
        for _ in range(card.rescues[colour]):
            bag = bag_to_draw_from(game, t, t.turn)
            if bag >= 0 and t.bag[bag][colour]:
                t.bag[bag][colour] -= 1
                t.newcomers[colour] += 1
    t.draws_left = card.random + b.manatees[YELLOW]
    draw_or_house(game, t)


cdef inline void house(Table* t, Seat* b) noexcept nogil:
    """All newcomers move in."""
    cdef int colour
    for colour in range(COLOURS):
        b.manatees[colour] += t.newcomers[colour]
        t.newcomers[colour] = 0


cdef inline void draw_or_house(Sanctuary game, Table* t) noexcept nogil:
    """The next draw; when all are drawn, the newcomers move in, or some have to go (sanctuary-7, sanctuary-9)."""
    cdef Seat* b = &t.seat[t.turn]
    if t.draws_left and bag_to_draw_from(game, t, t.turn) >= 0:
        t.phase = DRAW_MANATEE
        return
    t.draws_left = 0
    if houses(
        game, b, b.manatees[GRAY] + t.newcomers[GRAY], b.manatees[PINK] + t.newcomers[PINK],
        b.manatees[YELLOW] + t.newcomers[YELLOW]
    ):
        house(t, b)
        card_resolved(game, t)
    else:
        t.phase = RETURNING


cdef inline void draw_manatee(Sanctuary game, Table* t, int bag, int colour) noexcept nogil:
    t.bag[bag][colour] -= 1
    t.newcomers[colour] += 1
    t.draws_left -= 1
    t.seat[t.turn].draws += 1
    draw_or_house(game, t)


cdef inline int colour_at(const Table* t, int bag, int i) noexcept nogil:
    """The colour of the i-th manatee of a bag, gray ones first."""
    if i < t.bag[bag][GRAY]:
        return GRAY
    return PINK if i < t.bag[bag][GRAY] + t.bag[bag][PINK] else YELLOW


cdef void to_bag(Sanctuary game, Table* t, int s, const int* back) noexcept nogil:
    """Manatees go back to the own bag, for 2 points each (sanctuary-9, sanctuary-16, sanctuary-24)."""
    cdef int colour, bag = own_bag(game, s)
    if FAULT(24):
        bag = 0
    for colour in range(COLOURS):
        t.bag[bag][colour] += back[colour]
    add_points(game, &t.seat[s], -2 * (back[GRAY] + back[PINK] + back[YELLOW]))


cdef void lose(Table* t) noexcept nogil:
    """The saviour has sent a manatee back: the game ends unscored (sanctuary-23)."""
    t.sent_back = True
    t.turn = NONE
    t.phase = ENDED


cdef void return_newcomers(Sanctuary game, Table* t, const int* back) noexcept nogil:
    cdef int colour
    for colour in range(COLOURS):
        t.newcomers[colour] -= back[colour]
    if not FAULT(9):
        to_bag(game, t, t.turn, back)
    else:
        # Free of charge.
        t.seat[t.turn].score += 2 * (back[GRAY] + back[PINK] + back[YELLOW])
        to_bag(game, t, t.turn, back)
    house(t, &t.seat[t.turn])
    if game.challenge == SAVIOUR:
        lose(t)
    else:
        card_resolved(game, t)


cdef void return_hungry(Sanctuary game, Table* t, const int* back) noexcept nogil:
    cdef Seat* b = &t.seat[t.turn]
    cdef int colour
    for colour in range(COLOURS):
        b.manatees[colour] -= back[colour]
    to_bag(game, t, t.turn, back)
    b.food -= meals(b)
    if game.challenge == SAVIOUR:
        lose(t)
    else:
        feed_from(game, t, t.turn + 1)


cdef void feed_from(Sanctuary game, Table* t, int first) noexcept nogil:
    """Seats pay in their order until one has to decide who goes hungry (sanctuary-16)."""
    cdef int s
    for s in range(first, game.seats):
        if meals(&t.seat[s]) > t.seat[s].food:
            t.turn = s
            t.phase = FEEDING
            return
        t.seat[s].food -= meals(&t.seat[s])
    score_round(game, t)


cdef inline int manatee_points(const Table* t, const Seat* b) noexcept nogil:
    """3, 2 and 1 each in the rounds, pink ones twice that (sanctuary-17)."""
    cdef int each = 4 - t.round
    if FAULT(17) and t.round == 2:
        each = 3
    return each * (b.manatees[GRAY] + b.manatees[YELLOW] + 2 * b.manatees[PINK])


cdef int bonus_points(Sanctuary game, const Table* t, const Seat* b) noexcept nogil:
    """What the round's bonus card gives a seat that has fed its manatees (sanctuary-20)."""
    cdef const Face* face = &game.face[t.bonus[t.round - 1]][t.round - 1]
    if face.goal == GOAL_YELLOW:
        return face.points * b.manatees[YELLOW]
    if face.goal == GOAL_PINK:
        return face.points * b.manatees[PINK]
    if face.goal == GOAL_MANATEES:
        return face.points * housed(b)
    if face.goal == LITTLE_FOOD:
        return face.points if b.food <= 3 + FAULT(20) else 0
    if face.goal == SHAPE:
        return face.points if contains(b, &face.shape) else 0
    return face.points * b.flowers[1 + face.goal - GOAL_RED]


cdef inline int end_game_points(const Seat* b) noexcept nogil:
    """Copies add up (sanctuary-14)."""
    return (
        b.ends[PAIRS_AT_END] * ((housed(b) + FAULT(14)) // 2)
        + b.ends[PINK_AT_END] * 2 * b.manatees[PINK] + b.ends[YELLOW_AT_END] * 3 * b.manatees[YELLOW]
    )


cdef void score_round(Sanctuary game, Table* t) noexcept nogil:
    """Manatees, round bonus, solo track, end-game cards, in this order (sanctuary-18)."""
    cdef Seat* b
    cdef int s
    for s in range(game.seats):
        b = &t.seat[s]
        add_points(game, b, manatee_points(t, b))
        if game.bonuses:
            add_points(game, b, bonus_points(game, t, b))
        if game.solo:
            add_points(game, b, game.track[t.token - game.track_low])
        if t.round == ROUNDS:
            add_points(game, b, end_game_points(b))
    t.token = 0
    t.turn = NONE
    if t.round == ROUNDS:
        t.phase = ENDED
        return
    t.round += 1
    t.phase = DRAW_CARD


cdef bint challenge_met(Sanctuary game, const Table* t) noexcept nogil:
    """The objective and at least 71 points, judged at the very end (sanctuary-23); True without a challenge."""
    cdef const Seat* b = &t.seat[0]
    if game.challenge == NO_CHALLENGE:
        return True
    if b.score < 71 or t.sent_back:
        return False
    if game.challenge == HARVESTER:
        return b.food >= 40
    if game.challenge == COLOUR_COORDINATED:
        return b.flowers[1] >= 7 or b.flowers[2] >= 7 or b.flowers[3] >= 7
    if game.challenge == SHORTAGE:
        return b.flowers[0] <= 6
    if game.challenge == ARCHITECT:
        return contains(b, &game.challenge_shape)
    if game.challenge == SAVIOUR:
        return housed(b) >= 24
    return True
