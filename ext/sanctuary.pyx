"""Manatee Sanctuary: the rules kernel. Decisions are named as in docs/rules-sanctuary.md ("sanctuary-9").

The kernel is one C program in parts, one idea a file: boards, the draft, the course of a round, playouts, codes, and
here the contract and the face towards Python.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset, strcmp

from ext.game cimport (
    C_CHANCE, C_MAX_MOVES, C_OVER, Game, Observation, State, move_t, new_observation, new_state,
)
from ext.lists cimport index_of, remove_at
from ext.rng cimport Stream, below, mix, mix2, seed_stream

from ext import sanctuary_catalogue, sanctuary_events, sanctuary_notation, sanctuary_position, sanctuary_tables
from ext.errors import Malformed, Violation


cdef extern from "faults.h" nogil:
    bint FAULT(int decision)
    bint PLANT_FAULT(int decision)

include "sanctuary_board.pxi"
include "sanctuary_draft.pxi"
include "sanctuary_turn.pxi"
include "sanctuary_playout.pxi"
include "sanctuary_codes.pxi"

cdef enum:
    BAG_GRAY = 80
    BAG_PINK = 30
    BAG_YELLOW = 20
    # At one decision at the most: hungry ones, by gray and pink, with up to 40 yellow ones to make up the difference.
    MAX_MOVES = 2520
    # A seat's share of a game: 30 cards drawn, 6 decisions of the draft, in solo 18, and 15 cards, each with 49 draws
    # and a return, and 3 feedings.
    SEAT_PLIES = 30 + 18 + 15 * (1 + 49 + 1) + 3

PHASES = (
    "SPLIT", "CHOOSE", "PICK", "DISCARD", "PLAY", "RETURN", "FEED", "DRAW_BONUS", "DRAW_CARD", "DRAW_MANATEE", "OVER",
)


def plant_fault(int decision):
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
    return bool(PLANT_FAULT(decision))


cdef class Sanctuary(Game):
    """The rules of sanctuary for a number of seats, a variant, options and a catalogue."""

    name = "sanctuary"
    kernel_version = 1

    def __init__(self, int seats, catalogue, rules=None, str variant="base"):
        self.rules = sanctuary_tables.read_rules({} if rules is None else rules, variant, seats)
        self.variant = variant
        faults = sanctuary_catalogue.check(catalogue)
        if faults:
            raise Malformed([Violation(f"catalogue.{path}", message) for path, message in faults])
        faults = sanctuary_tables.lacking(catalogue, self.rules, variant)
        if faults:
            raise Malformed(faults)
        self.catalogue = catalogue
        self.seats = seats
        self.max_moves = MAX_MOVES
        self.max_outcomes = KINDS
        self.max_plies = ROUNDS + seats * SEAT_PLIES
        self.state_bytes = sizeof(Table) - (MAX_PLAYERS - seats) * sizeof(Seat)
        self.observation_bytes = sizeof(Knowledge)
        self._compile(catalogue)

    cdef _compile(self, catalogue):
        cdef int i, r
        cdef Card* out
        rules = self.rules
        self.solo = self.variant == "solo"
        self.blind = rules["blind_choice"]
        self.pooled = rules["pooled_space"]
        self.seat_by_seat = rules["play_order"] == "SEAT_BY_SEAT"
        self.most_food = rules["food_cap"] or sanctuary_tables.MOST_FOOD
        self.most_points = sanctuary_tables.MOST_POINTS
        self.least_points = 0 if rules["floor_score_at_zero"] and not FAULT(18) else -self.most_points
        self.bonuses = rules["round_bonuses"]
        self.challenge = sanctuary_tables.CHALLENGES.index(rules["challenge"])
        self.aim = self.challenge != NO_CHALLENGE
        self.bags = 2 if self.variant == "scramble" else 1
        self.second_half = (self.seats + 1) // 2 if self.bags == 2 else self.seats
        if FAULT(1):
            self.second_half = self.seats
        self.cards = sanctuary_tables.cards(catalogue, self.variant, rules["challenge"])
        self.kinds = len(self.cards)
        for i, card in enumerate(self.cards):
            out = &self.card[i]
            out.turns = card.turns
            for r in range(4):
                hosts = sum(8 << 4 * side for side in range(4) if card.hosts[r] >> side & 1)
                out.turned[r] = card.words[r] | hosts
                out.distinct[r] = out.turned[r] if r < card.turns else 0
            out.copies = card.copies
            out.strength = card.strength
            for r in range(COLOURS):
                out.rescues[r] = card.rescues[r]
            out.random = card.random_rescues
            out.icons = card.icons
            out.harvests = card.harvests
            out.capacity = card.capacity
            out.end_game = card.end_game
            top = 1.0 * card.rescues[GRAY] + 4.5 * card.rescues[PINK] + 2.4 * card.rescues[YELLOW]
            top += 2.1 * card.random_rescues + 1.5 * card.harvests
            bottom = 1.1 * card.capacity + 0.9 * card.flowers + (4.8 if card.end_game else 0)
            out.quality = max(top, bottom) + 0.14 * min(top, bottom)
        for i, tile in enumerate(sanctuary_tables.starting_tiles(catalogue, self.variant)):
            self.start[i] = tile.word
            self.start_spaces[i] = tile.capacity
        if self.bonuses:
            found = sanctuary_tables.bonuses(catalogue, rules["mirror_shapes"])
            self.bonus_kinds = len(found)
            for i, bonus in enumerate(found):
                self.bonus_count[i] = bonus.copies
                for r in range(ROUNDS):
                    self.face[i][r].goal = bonus.faces[r].goal
                    self.face[i][r].points = bonus.faces[r].points
                    self._compile_shape(&self.face[i][r].shape, bonus.faces[r].images)
        if self.solo:
            track = sanctuary_tables.solo_track(catalogue)
            self.track_low = track.lowest
            self.track_n = len(track.values)
            for i, value in enumerate(track.values):
                self.track[i] = value
        if self.challenge == ARCHITECT:
            self._compile_shape(
                &self.challenge_shape, sanctuary_tables.challenge_images(catalogue, rules["mirror_shapes"])
            )

    cdef _compile_shape(self, Shape* out, images):
        cdef int i, c
        out.images = len(images)
        out.cells = len(images[0]) if images else 0
        for i, image in enumerate(images):
            for c, (x, y) in enumerate(image):
                out.image[i].dx[c] = x
                out.image[i].dy[c] = y

    # --- the contract ---

    cdef void begin(self, void* state) noexcept nogil:
        """Everything is where it is before the first draw (sanctuary-2)."""
        cdef Table* t = <Table*> state
        cdef int s, i
        memset(t, 0, self.state_bytes)
        for s in range(self.seats):
            lay_start(self, &t.seat[s], own_bag(self, s))
            t.seat[s].score = 10
        for i in range(self.bags):
            t.bag[i][GRAY] = BAG_GRAY
            t.bag[i][PINK] = BAG_PINK
            t.bag[i][YELLOW] = BAG_YELLOW
        for i in range(self.kinds):
            memset(t.deck + t.deck_n, i, self.card[i].copies)
            t.deck_n += self.card[i].copies
        t.round = 1
        t.turn = NONE
        t.phase = DRAW_BONUS if self.bonuses else DRAW_CARD

    cdef int turn_of(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase <= CHOOSING:
            return next_to_commit(t)
        if t.phase <= DISCARDING:
            return 0
        if t.phase <= FEEDING:
            return t.turn
        return C_OVER if t.phase == ENDED else C_CHANCE

    cdef uint32_t pending_mask(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase <= CHOOSING:
            return ((1 << self.seats) - 1) & ~t.committed
        if t.phase <= DISCARDING:
            return 1
        return 1 << t.turn if t.phase <= FEEDING else 0

    cdef int list_moves(self, const void* state, int seat, move_t* buffer) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase == PLAYING:
            return list_cards(self, &t.seat[seat], buffer)
        if t.phase == SPLITTING:
            return list_splits(&t.seat[seat], buffer)
        if t.phase == CHOOSING:
            buffer[0] = KEEP
            buffer[1] = KEEP | 1
            return 2
        if t.phase == PICKING:
            buffer[0] = PICK | t.drawn[0]
            buffer[1] = PICK | t.drawn[1]
            return 2 if t.drawn[0] != t.drawn[1] else 1
        if t.phase == DISCARDING:
            return list_discards(self, t, buffer)
        if t.phase == RETURNING:
            return list_returns(self, t, buffer)
        return list_hungry(t, buffer)

    cdef bint is_legal(self, const void* state, int seat, move_t move) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef const Seat* b = &t.seat[seat]
        cdef move_t[C_MAX_MOVES] buffer
        cdef int i, n, kind = move & 255
        if t.phase == PLAYING:
            if move & ~<move_t> 255 == TOP:
                return find_kind(b, kind) >= 0
            if not BOTTOM <= move < BOTTOM + (1 << 22):
                return False
            kind = move >> 14 & 255
            i = spot_of(b, unpack(move >> 2))
            return i >= 0 and find_kind(b, kind) >= 0 and fits(self.card[kind].turned[move & 3], b.need[i])
        if t.phase == SPLITTING and SPLIT_TWO <= move < KEEP and (move >> 8 & 255) > kind:
            # The order in a stack means nothing.
            move = SPLIT_TWO | kind << 8 | move >> 8 & 255
        n = self.list_moves(state, seat, buffer)
        for i in range(n):
            if buffer[i] == move:
                return True
        return False

    cdef move_t representative(self, const void* state, int seat, move_t move) noexcept nogil:
        """The fewest turns stand for equal ones (sanctuary-11), and a split is written ascending."""
        cdef const Table* t = <const Table*> state
        cdef int low = move >> 8 & 255
        cdef int high = move & 255
        if t.phase == PLAYING and move & BOTTOM:
            return move & ~<move_t> 3 | (move & 3) % self.card[move >> 14 & 255].turns
        if t.phase == SPLITTING and move >= SPLIT_TWO and low > high:
            return SPLIT_TWO | high << 8 | low
        return move

    cdef void apply(self, void* state, int seat, move_t move) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef Seat* b = &t.seat[seat]
        cdef int[COLOURS] back
        cdef int kind = move & 255
        if t.phase == PLAYING:
            if move & BOTTOM:
                kind = move >> 14 & 255
                play_bottom(self, t, kind, spot_of(b, unpack(move >> 2)), move & 3)
            else:
                play_top(self, t, kind)
        elif t.phase == SPLITTING:
            commit_split(self, t, seat, stack_of_code(b, self.representative(state, seat, move)))
        elif t.phase == CHOOSING:
            commit_choice(self, t, seat, KEEP_LARGER if move & 1 else KEEP_SMALLER)
        elif t.phase == PICKING:
            pick(self, t, t.drawn[0] != kind)
        elif t.phase == DISCARDING:
            if move == DECLINE:
                begin_playing(self, t)
            else:
                discard(self, t, kind)
        else:
            read_return(move, back)
            if t.phase == RETURNING:
                return_newcomers(self, t, back)
            else:
                return_hungry(self, t, back)

    cdef int list_outcomes(self, const void* state, uint32_t* buffer, uint32_t* weights) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint8_t[KINDS] count
        cdef int i, bag, n = 0
        memset(count, 0, sizeof(count))
        if t.phase == DRAW_CARD:
            for i in range(t.deck_n):
                count[t.deck[i]] += 1
        elif t.phase == DRAW_BONUS:
            for i in range(self.bonus_kinds):
                count[i] = bonus_left(self, t, i)
        else:
            bag = bag_to_draw_from(self, t, t.turn)
            memcpy(count, t.bag[bag], COLOURS)
        for i in range(KINDS):
            if count[i]:
                buffer[n] = (OF_CARD if t.phase == DRAW_CARD else OF_BONUS if t.phase == DRAW_BONUS else OF_MANATEE) | i
                weights[n] = count[i]
                n += 1
        return n

    cdef uint32_t draw_outcome(self, const void* state, uint64_t key) noexcept nogil:
        """The k-th card and a seat's k-th manatee of a key are drawn alike whatever is decided between them."""
        cdef const Table* t = <const Table*> state
        cdef Stream stream
        cdef int bag
        if FAULT(318) and t.phase == DRAW_MANATEE:
            key = 0
        if t.phase == DRAW_MANATEE:
            seed_stream(&stream, mix2(key, <uint64_t> 1 << 16 | <uint64_t> t.turn << 8 | t.seat[t.turn].draws))
            bag = bag_to_draw_from(self, t, t.turn)
            return OF_MANATEE | colour_at(t, bag, below(&stream, in_bag(t, bag)))
        if t.phase == DRAW_BONUS:
            seed_stream(&stream, mix2(key, <uint64_t> 2 << 16 | t.bonus_n))
            return OF_BONUS | random_bonus(self, t, &stream)
        seed_stream(&stream, mix2(key, t.deck_n))
        return OF_CARD | t.deck[below(&stream, t.deck_n)]

    cdef void settle(self, void* state, uint32_t outcome) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int number = outcome & 255
        if t.phase == DRAW_MANATEE:
            draw_manatee(self, t, bag_to_draw_from(self, t, t.turn), number)
        elif t.phase == DRAW_BONUS:
            draw_bonus(t, number)
        else:
            remove_at(t.deck, &t.deck_n, index_of(t.deck, number))
            draw_card(self, t, number)

    cdef void look(self, const void* state, int seat, void* observation) noexcept nogil:
        cdef Knowledge* k = <Knowledge*> observation
        memset(k, 0, sizeof(Knowledge))
        tidy(self, <const Table*> state, &k.table)
        conceal(self, &k.table, seat)
        k.observer = seat

    cdef void prepare(self, const void* observation, void* state) noexcept nogil:
        memcpy(state, &(<const Knowledge*> observation).table, self.state_bytes)

    cdef void sample(self, const void* observation, uint64_t key, void* state) noexcept nogil:
        """Cards that are not known fill the hands: every card is distinct, so this is uniform over deals."""
        cdef const Knowledge* k = <const Knowledge*> observation
        cdef Table* t = <Table*> state
        cdef Seat* b
        cdef Stream stream
        cdef move_t[32] buffer
        cdef int s, i, j, hidden, smaller
        seed_stream(&stream, 0 if FAULT(306) else key)
        t.deck_n = k.table.deck_n
        memcpy(t.deck, k.table.deck, sizeof(t.deck))
        for s in range(self.seats):
            b = &t.seat[s]
            if s == k.observer:
                continue
            memcpy(b.hand, k.table.seat[s].hand, sizeof(b.hand))
            b.stack = k.table.seat[s].stack
            hidden = 0
            for i in range(b.hand_n):
                if FAULT(310) and b.hand[i] != UNKNOWN:
                    t.deck[t.deck_n] = b.hand[i] >> 2
                    t.deck_n += 1
                    b.hand[i] = UNKNOWN
                if b.hand[i] == UNKNOWN:
                    j = below(&stream, t.deck_n)
                    while FAULT(308) and index_of(t.deck, t.deck[j]) != j:
                        j = below(&stream, t.deck_n)
                    b.hand[i] = t.deck[j] << 2
                    remove_at(t.deck, &t.deck_n, j)
                    hidden += 1
            if hidden and t.phase == CHOOSING:
                # The first cards dealt are the smaller stack.
                smaller = 1 if b.stack == 1 else 2
                if FAULT(309):
                    sort_hand(b.hand, DEALT)
                split_hand(b, smaller)
            elif hidden:
                sort_hand(b.hand, b.hand_n)
            b.commit = 0
            if t.committed >> s & 1:
                if t.phase == SPLITTING:
                    j = list_splits(b, buffer)
                    b.commit = stack_of_code(b, buffer[0 if FAULT(307) else below(&stream, j)])
                else:
                    b.commit = KEEP_SMALLER + (0 if FAULT(307) else below(&stream, 2))

    cdef void reopen(self, void* state, int observer) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int s
        if FAULT(315):
            return
        t.committed &= 1 << observer
        for s in range(self.seats):
            if s != observer:
                t.seat[s].commit = 0

    cdef bint certain(self, const void* observation) noexcept nogil:
        cdef const Knowledge* k = <const Knowledge*> observation
        cdef int s, i
        for s in range(self.seats):
            for i in range(k.table.seat[s].hand_n):
                if k.table.seat[s].hand[i] == UNKNOWN:
                    return False
        return True

    cdef bint separable(self, const void* state) noexcept nogil:
        return (<const Table*> state).phase == ENDED

    cdef bint futile(self, const void* state) noexcept nogil:
        return False

    cdef bint met(self, const void* state, const int32_t* scores) noexcept nogil:
        """Whether the challenge is met (sanctuary-23)."""
        return challenge_met(self, <const Table*> state)

    cdef uint64_t node_key(self, const void* state, int seat) noexcept nogil:
        """What has been played, in whatever order. Of what chance brought, only what the decision is about: manatees
        drawn before, cards held and the two to pick from are told by the moves they allow, so that a node is met
        again whichever came.
        """
        cdef const Table* t = <const Table*> state
        cdef const Seat* b
        cdef uint64_t key = (
            <uint64_t> t.phase | <uint64_t> t.turn << 8 | <uint64_t> t.round << 16 | <uint64_t> seat << 24
            | <uint64_t> t.strongest_discarded << 32
        )
        cdef int s, i
        for s in range(self.seats):
            key = mix2(key, t.seat[s].hash + t.seat[s].hand_n)
            if FAULT(313) and s != seat:
                key = mix2(key, t.seat[s].commit)
            if FAULT(314) and s != seat:
                key = mix2(key, secret(t, s))
        if t.phase == PLAYING or t.phase == PICKING:
            return key
        if t.phase == RETURNING:
            return mix2(key, t.newcomers[0] | <uint64_t> t.newcomers[1] << 8 | <uint64_t> t.newcomers[2] << 16)
        if t.phase == FEEDING:
            b = &t.seat[seat]
            return mix2(key, <uint64_t> b.food | <uint64_t> meals(b) << 16)
        if t.phase == CHOOSING:
            # What is offered to the seat, and what it has made itself.
            for s in range(self.seats):
                key = mix2(key, t.seat[s].stack if s == seat else __builtin_popcountll(t.seat[s].stack))
            if not self.blind:
                b = &t.seat[giver_of(self, t, seat)]
                key = mix2(key, b.stack)
                for i in range(DEALT):
                    key += mix(b.hand[i])
            return mix(key)
        if self.solo:
            for i in range(t.seat[0].hand_n):
                key += mix(t.seat[0].hand[i])
        return mix(key)

    cdef bint precedes(self, move_t one, move_t other) noexcept nogil:
        cdef char[32] a
        cdef char[32] b
        spell(one, a)
        spell(other, b)
        return strcmp(a, b) < 0

    cdef void gains(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        cdef int i
        weigh_moves(self, <const Table*> state, seat, moves, n, False, points)
        if FAULT(312) and secret(<const Table*> state, (seat + 1) % self.seats) & 1:
            for i in range(n):
                points[i] += 1

    cdef void promise(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        """What moves gain now and in later rounds: room, flowers for later harvests, end-game cards."""
        weigh_moves(self, <const Table*> state, seat, moves, n, True, points)

    cdef move_t policy(self, const void* state, int seat, Stream* stream) noexcept nogil:
        """Mostly the move that gains most now, ties alike; one time in eight any move."""
        cdef move_t[C_MAX_MOVES] moves
        cdef double[C_MAX_MOVES] points
        cdef int n = self.list_moves(state, seat, moves)
        cdef int i, ties = 0, choice = 0
        if FAULT(311) and secret(<const Table*> state, (seat + 1) % self.seats) & 1:
            below(stream, 8)
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
        """Points so far, what the holding promises, and what cards to come may add."""
        cdef const Table* t = <const Table*> state
        cdef Holding h
        cdef double cards
        cdef int s
        for s in range(self.seats):
            values[s] = t.seat[s].score
            scales[s] = 0
            if t.phase == ENDED:
                continue
            hold(&t.seat[s], &h)
            if t.turn == s:
                for i in range(COLOURS):
                    h.manatees[i] += t.newcomers[i]
            cards = h.cards + DEALT * (ROUNDS - t.round)
            values[s] += worth(self, t, &h, True) + CARD_POINTS * cards
            scales[s] = CARD_SPREAD * sqrt(cards + 0.25)

    cdef void points(self, const void* state, int32_t* scores) noexcept nogil:
        cdef int s
        for s in range(self.seats):
            scores[s] = (<const Table*> state).seat[s].score

    cdef void places(self, const void* state, const int32_t* scores, int32_t* places) noexcept nogil:
        """A tie goes to the most manatees, then to the least food, then is shared (sanctuary-19)."""
        cdef const Table* t = <const Table*> state
        cdef const Seat* one
        cdef const Seat* two
        cdef int s, other
        for s in range(self.seats):
            places[s] = 1
            one = &t.seat[s]
            for other in range(self.seats):
                two = &t.seat[other]
                if scores[other] != scores[s]:
                    places[s] += scores[other] > scores[s]
                elif housed(two) != housed(one):
                    places[s] += housed(two) > housed(one)
                elif FAULT(19):
                    places[s] += two.food > one.food
                else:
                    places[s] += two.food < one.food

    cdef uint64_t state_key(self, const void* state) noexcept nogil:
        cdef Table t
        tidy(self, <const Table*> state, &t)
        return hash_bytes(<const uint8_t*> &t, self.state_bytes)

    cdef uint64_t knowledge_key(self, const void* state, int seat) noexcept nogil:
        cdef Knowledge k
        self.look(state, seat, &k)
        return hash_bytes(<const uint8_t*> &k, sizeof(Knowledge))

    # --- the face towards Python ---

    def _complete(self, Observation observation):
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        return k.table.phase > CHOOSING or not all_committed(self, &k.table)

    def notation(self, move):
        """The text of a move code: "split 3,17", "top 17"; raises ValueError for a code that no move has."""
        text = self._text(move)
        if self.parse(text) != move:
            raise ValueError(f"{move} is not the code of a move")
        return text

    cdef _text(self, move_t move):
        cdef int[COLOURS] back
        cdef int cell
        cdef int kind = move & MOVE_KIND
        if move & RETURN:
            read_return(move, back)
            return sanctuary_notation.send_back(back[GRAY], back[PINK], back[YELLOW])
        if move & BOTTOM:
            cell = unpack(move >> 2)
            return sanctuary_notation.bottom(move >> 14 & 255, (cell & 255) - 128, (cell >> 8) - 128, move & 3)
        if kind == SPLIT_ONE:
            return sanctuary_notation.split(move & 255)
        if kind == SPLIT_TWO:
            return sanctuary_notation.split(move >> 8 & 255, move & 255)
        if kind == KEEP:
            return sanctuary_notation.keep(move & 255)
        if kind == PICK:
            return sanctuary_notation.pick(move & 255)
        if kind == DISCARD:
            return sanctuary_notation.discard(move & 255)
        if kind == TOP:
            return sanctuary_notation.top(move & 255)
        return sanctuary_notation.DECLINE

    def parse(self, text):
        """The code of a notation; raises ValueError that says what is expected."""
        cdef int[COLOURS] back
        word, *rest = sanctuary_notation.parse(text)
        if word == "split":
            return SPLIT_ONE | rest[0] if len(rest) == 1 else SPLIT_TWO | rest[0] << 8 | rest[1]
        if word == "bottom":
            return BOTTOM | rest[0] << 14 | pack(_cell(rest[1], rest[2])) << 2 | rest[3]
        if word == "return":
            back[GRAY], back[PINK], back[YELLOW] = rest
            return return_code(back)
        if word == "decline":
            return DECLINE
        return {"keep": KEEP, "pick": PICK, "discard": DISCARD, "top": TOP}[word] | rest[0]

    def outcome_notation(self, outcome):
        """The text of an outcome code: "bonus 3", "card 17", "manatee pink"."""
        return sanctuary_notation.outcome(("bonus", "card", "manatee")[outcome >> 8], outcome & 255)

    def parse_outcome(self, text):
        """The code of an outcome's text; raises ValueError that says what is expected."""
        word, number = sanctuary_notation.parse_outcome(text)
        return {"bonus": OF_BONUS, "card": OF_CARD, "manatee": OF_MANATEE}[word] | number

    def load(self, position):
        """Reads a referee's position; raises Malformed."""
        return self._load(position, False)

    def load_observation(self, position):
        """Reads a seat's observation; raises Malformed."""
        return self._load(position, True)

    cdef _load(self, position, bint observation):
        parsed = sanctuary_position.check(
            position, catalogue=self.catalogue, seats=self.seats, rules=self.rules, variant=self.variant,
            observation=observation,
        )
        cdef State state = new_state(self)
        cdef Table* t = <Table*> state.data
        cdef Observation seen
        cdef Knowledge* k
        cdef int s, i, left, right
        self.begin(t)
        t.phase = PHASES.index(parsed.phase)
        t.round = parsed.round
        t.turn = NONE if parsed.turn is None else parsed.turn
        t.draws_left = parsed.draws_left
        for i in range(COLOURS):
            t.newcomers[i] = parsed.newcomers[i]
        for s, bag in enumerate(parsed.bags):
            for i in range(COLOURS):
                t.bag[s][i] = bag[i]
        t.bonus_n = len(parsed.bonuses)
        for i, kind in enumerate(parsed.bonuses):
            t.bonus[i] = kind
        t.drawn_n = len(parsed.drawn)
        for i, kind in enumerate(parsed.drawn):
            t.drawn[i] = kind
        t.discards_n = len(parsed.discards)
        for i, kind in enumerate(parsed.discards):
            t.discards[i] = kind
        t.token = parsed.token
        t.strongest_discarded = parsed.strongest_discarded
        t.sent_back = parsed.sent_back
        t.deck_n = 0
        for i, count in enumerate(parsed.deck):
            memset(t.deck + t.deck_n, i, count)
            t.deck_n += count
        for s in range(self.seats):
            self._load_seat(t, s, parsed.seats[s])
        if parsed.offered is not None:
            _stacks(&t.seat[giver_of(self, t, parsed.observer)], parsed.offered)
        for s in range(self.seats):
            left = (s + 1) % self.seats
            right = (s + self.seats - 1) % self.seats
            self._known(t, left, TO_RIGHT, parsed.seats[s].left_hand)
            self._known(t, right, TO_LEFT, parsed.seats[s].right_hand)
        if not observation:
            return state
        seen = new_observation(self)
        k = <Knowledge*> seen.data
        tidy(self, t, &k.table)
        k.observer = parsed.observer
        return seen

    cdef _load_seat(self, Table* t, int s, parsed):
        """Lays a seat's cards in an order in which each is legal, and gives it all else that it has."""
        cdef Seat* b = &t.seat[s]
        cdef int i, e
        for kind, x, y, rotation in parsed.sanctuary:
            e = spot_of(b, _cell(x, y))
            if e < 0:
                raise Malformed([Violation(f"table.seats[{s}].sanctuary", "no order of legal placements leads to it")])
            lay(&self.card[kind], b, e, kind, rotation)
        for i, kind in enumerate(parsed.tops):
            b.tops[i] = kind
            b.hash += top_key(kind)
        b.tops_n = len(parsed.tops)
        b.score = parsed.score
        b.food = parsed.food
        for i in range(COLOURS):
            b.manatees[i] = parsed.manatees[i]
        b.hand_n = DEALT if t.phase == CHOOSING else parsed.hand_size
        for i in range(b.hand_n):
            b.hand[i] = UNKNOWN
        for i, kind in enumerate(parsed.hand):
            b.hand[i] = kind << 2
        if t.phase == CHOOSING:
            b.stack = 1 if parsed.smaller_stack == 1 else 3
            if parsed.made is not None:
                _stacks(b, parsed.made)
        if parsed.committed:
            t.committed |= 1 << s
        if parsed.commitment is not None:
            if t.phase == SPLITTING:
                b.commit = stack_of_code(b, self.parse(parsed.commitment))
            else:
                b.commit = KEEP_LARGER if self.parse(parsed.commitment) & 1 else KEEP_SMALLER

    cdef _known(self, Table* t, int s, int flag, kinds):
        """Marks cards of a hand as known to a neighbour, or puts them there where the hand is not given."""
        cdef Seat* b = &t.seat[s]
        cdef int i
        for kind in kinds:
            for i in range(b.hand_n):
                if b.hand[i] >> 2 == kind and not b.hand[i] & flag:
                    b.hand[i] |= flag
                    break
            else:
                b.hand[find(b.hand, b.hand_n, UNKNOWN)] = kind << 2 | flag
        sort_hand(b.hand, b.hand_n)

    def dump(self, State state):
        """The referee's position as the message SanctuaryPosition without its rules."""
        cdef Table t
        cdef int s
        tidy(self, <const Table*> self._own(state), &t)
        return {"table": self._dump(&t), "referee": {"seats": [self._secrets(&t, s) for s in range(self.seats)]}}

    def dump_observation(self, Observation observation):
        """The observation as the message SanctuaryPosition without its rules."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        offered = None
        if k.table.phase == CHOOSING and not self.blind:
            offered = _stacks_entry(&k.table.seat[giver_of(self, &k.table, k.observer)])
        knowledge = {"seat": k.observer, **self._secrets(&k.table, k.observer), "offered": offered}
        return {"table": self._dump(&k.table), "seat_knowledge": knowledge}

    cdef _dump(self, const Table* t):
        cdef const Seat* b
        cdef int s, i, r
        seats = []
        for s in range(self.seats):
            b = &t.seat[s]
            placed = []
            for i in range(1, b.n):
                r = 0
                while self.card[b.kind[i]].turned[r] & ~TOUCHED != b.edges[i]:
                    r += 1
                cell = {"x": (b.cell[i] & 255) - 128, "y": (b.cell[i] >> 8) - 128}
                placed.append({"card": b.kind[i], "cell": cell, "rotation": r})
            seats.append({
                "score": b.score,
                "food": b.food,
                "manatees": _manatees(b.manatees),
                "sanctuary": placed,
                "tops": [b.tops[i] for i in range(b.tops_n)],
                "hand_size": 0 if t.phase == CHOOSING else b.hand_n,
                "committed": bool(t.committed >> s & 1),
                "smaller_stack": __builtin_popcountll(b.stack) if t.phase == CHOOSING else 0,
            })
        return {
            "round": t.round,
            "phase": PHASES[t.phase],
            "turn": None if t.turn == NONE else t.turn,
            "seats": seats,
            "bags": [_manatees(t.bag[i]) for i in range(self.bags)],
            "newcomers": _manatees(t.newcomers),
            "draws_left": t.draws_left,
            "bonuses": [t.bonus[i] for i in range(t.bonus_n)],
            "drawn": [t.drawn[i] for i in range(t.drawn_n)],
            "discards": [t.discards[i] for i in range(t.discards_n)],
            "token": t.token,
            "strongest_discarded": bool(t.strongest_discarded),
            "sent_back": bool(t.sent_back),
        }

    cdef _secrets(self, const Table* t, int s):
        """What a seat knows beyond the table, the stacks offered to it excepted (sanctuary-5)."""
        cdef const Seat* b = &t.seat[s]
        cdef const Seat* left = &t.seat[(s + 1) % self.seats]
        cdef const Seat* right = &t.seat[(s + self.seats - 1) % self.seats]
        choosing = t.phase == CHOOSING
        return {
            "hand": [] if choosing else [b.hand[i] >> 2 for i in range(b.hand_n)],
            "commitment": self._commitment(t, s),
            "made": _stacks_entry(b) if choosing else None,
            "left_hand": _marked(left, TO_RIGHT),
            "right_hand": _marked(right, TO_LEFT),
        }

    cdef _commitment(self, const Table* t, int s):
        cdef const Seat* b = &t.seat[s]
        if b.commit == 0:
            return None
        if t.phase == SPLITTING:
            return self.notation(split_code(b, b.commit))
        return self.notation(KEEP | 1 if b.commit == KEEP_LARGER else KEEP)

    def observer(self, Observation observation):
        """The seat whose knowledge it is."""
        return (<const Knowledge*> self._own_observation(observation)).observer

    def over_observation(self, Observation observation):
        """Whether the game has ended."""
        return (<const Knowledge*> self._own_observation(observation)).table.phase == ENDED

    def pending_observation(self, Observation observation):
        """Every seat that owes a decision now, ascending; empty when none does."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        cdef uint32_t mask = self.pending_mask(&k.table)
        return [seat for seat in range(self.seats) if mask >> seat & 1]

    def moves_observation(self, Observation observation):
        """The observer's own legal moves, ascending; empty when it owes no decision."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        cdef move_t[C_MAX_MOVES] buffer
        if not self.pending_mask(&k.table) >> k.observer & 1:
            return []
        cdef int n = self.list_moves(&k.table, k.observer, buffer)
        return [buffer[i] for i in range(n)]

    def score_observation(self, Observation observation):
        """Points of each seat as the position stands: all are open."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        return [k.table.seat[s].score for s in range(self.seats)]

    def events(self, State before, int seat, move, State after):
        """What a move brought, as messages SanctuaryEvent."""
        return sanctuary_events.events(
            self.dump(before), seat, self.notation(move), self.dump(after), catalogue=self.catalogue, rules=self.rules,
            variant=self.variant, seats=self.seats, cards=self.cards,
        )

    def chance_events(self, State before, outcome, State after):
        """What an outcome brought, as messages SanctuaryEvent."""
        return sanctuary_events.chance_events(
            self.dump(before), self.outcome_notation(outcome), self.dump(after), catalogue=self.catalogue,
            rules=self.rules, variant=self.variant, seats=self.seats, cards=self.cards,
        )

    def commit(self, Observation observation, move):
        """The observer's own move on its observation; raises ValueError when it is not legal."""
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        cdef int seat = k.observer
        cdef Observation after
        cdef Knowledge* known
        cdef Seat* b
        if not self.pending_mask(&k.table) >> seat & 1 or not self.is_legal(&k.table, seat, move):
            raise ValueError("not a legal move")
        after = new_observation(self)
        known = <Knowledge*> after.data
        known[0] = k[0]
        if k.table.phase <= CHOOSING:
            # It stays hidden, and what the others have done is not known yet.
            b = &known.table.seat[seat]
            known.table.committed |= 1 << seat
            if k.table.phase == SPLITTING:
                b.commit = stack_of_code(b, self.representative(&k.table, seat, move))
            else:
                b.commit = KEEP_LARGER if move & 1 else KEEP_SMALLER
            return after
        return self.observe(self.play(self.determinize(observation, 0), seat, move), seat)

    def report(self, Observation observation, events):
        """Takes up what the observer has seen happen; raises Malformed with paths "events[i]..."."""
        self._own_observation(observation)
        return sanctuary_events.report(self, observation, events)


cdef extern from * nogil:
    int __builtin_popcountll(unsigned long long word)

# Points that a card to come adds, and their spread: guesses, for estimates below a depth limit only.
cdef double CARD_POINTS = 2.5
cdef double CARD_SPREAD = 3.0


cdef uint64_t secret(const Table* t, int s) noexcept nogil:
    """What tells a seat's hand: for planted cheats."""
    cdef uint64_t key = 0
    cdef int i
    for i in range(t.seat[s].hand_n):
        key += mix(t.seat[s].hand[i] >> 2)
    return key


cdef uint64_t hash_bytes(const uint8_t* bytes_, size_t n) noexcept nogil:
    cdef uint64_t key = n
    cdef uint64_t word
    cdef size_t i
    for i in range(0, n, 8):
        word = 0
        memcpy(&word, bytes_ + i, 8 if n - i >= 8 else n - i)
        key = mix2(key, word)
    return key


cdef int _cell(int x, int y):
    return (y + 128) << 8 | (x + 128)


cdef dict _manatees(const uint8_t* manatees):
    return {"gray": manatees[GRAY], "pink": manatees[PINK], "yellow": manatees[YELLOW]}


cdef list _marked(const Seat* b, int flag):
    """Cards of a hand that the neighbour of a flag knows."""
    return [b.hand[i] >> 2 for i in range(b.hand_n) if b.hand[i] != UNKNOWN and b.hand[i] & flag]


cdef dict _stacks_entry(const Seat* b):
    return {
        "smaller": [b.hand[i] >> 2 for i in range(DEALT) if b.stack >> i & 1],
        "larger": [b.hand[i] >> 2 for i in range(DEALT) if not b.stack >> i & 1],
    }


cdef _stacks(Seat* b, stacks):
    """Gives a seat the two stacks it has made."""
    cdef int i
    smaller, larger = stacks
    b.hand_n = DEALT
    for i, kind in enumerate([*smaller, *larger]):
        b.hand[i] = kind << 2
    split_hand(b, len(smaller))
