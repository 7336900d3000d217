"""Malaysia's Ocean Heritage: the rules kernel. Decisions are named as in docs/rules-ocean.md ("ocean-9").

The kernel is one C program in parts, one idea a file: oceans, playouts, codes, the wire, and here the contract and the
face towards Python.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset, strcmp

from ext.game cimport C_CHANCE, C_OVER, Game, Observation, State, move_t, new_observation, new_state, rank_scores
from ext.rng cimport Stream, below, mix2, seed_stream

from ext import ocean_catalogue, ocean_events, ocean_notation, ocean_position, ocean_tables
from ext.errors import Malformed, Violation


cdef extern from "faults.h" nogil:
    bint FAULT(int decision)
    bint PLANT_FAULT(int decision)

include "ocean_board.pxi"
include "ocean_playout.pxi"
include "ocean_codes.pxi"
include "ocean_wire.pxi"


def plant_fault(int decision):
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
    return bool(PLANT_FAULT(decision))


cdef class Ocean(Game):
    """The rules of ocean for a number of seats, a variant, options and a catalogue."""

    name = "ocean"
    kernel_version = 1

    def __init__(self, int seats, catalogue, rules=None, str variant="base"):
        if not 2 <= seats <= MAX_PLAYERS:
            raise Malformed([Violation("seats", "ocean is for 2 to 4 players")])
        self.rules = ocean_tables.read_rules({} if rules is None else rules, variant)
        self.variant = variant
        faults = ocean_catalogue.check(catalogue, targets=variant == "targets", promo=self.rules["promo"])
        if faults:
            raise Malformed([Violation(f"catalogue.{path}", message) for path, message in faults])
        self.seats = seats
        self.max_moves = FRONTIER
        self.max_outcomes = CARDS
        self.max_plies = seats * (HAND + 2 + PICKS + PICKS - 1)
        self.state_bytes = sizeof(Table) - (MAX_PLAYERS - seats) * sizeof(Board)
        self.observation_bytes = sizeof(Knowledge)
        self._compile_cards(catalogue["cards"])
        self._compile_targets(catalogue)
        self._compile_passing()

    cdef _compile_cards(self, cards):
        cdef int i, n, wanted
        self.split_sets = self.rules["same_kind_sets"]
        if FAULT(10):
            self.split_sets = not self.split_sets
        steps = ocean_position.neighbours(self.rules["topology"])
        if FAULT(1):
            steps = steps[:len(steps) - 1]
        self.n_steps = len(steps)
        for i, (x, y) in enumerate(steps):
            self.step[i] = y * WIDTH + x
        no_category = self.rules["no_category_counts"]
        if FAULT(18):
            no_category = not no_category
        for i, card in enumerate(cards):
            kind = ocean_tables.KINDS.index(card["kind"].removeprefix("OCEAN_KIND_"))
            category = ocean_tables.CATEGORIES.index(card["iucn_category"].removeprefix("OCEAN_IUCN_CATEGORY_"))
            name = card["condition"].removeprefix("OCEAN_CONDITION_")
            condition = ocean_tables.CONDITIONS[name]
            kinds = list(condition.kinds)
            if FAULT(7) and name == "EACH_TINY":
                kinds = ["SMALL"]
            self.kind_bit[i] = bit(8 * kind)
            rule = &self.card_rule[i]
            rule.kind = kind
            rule.category = 0 if category == 0 and not no_category else 1 << category
            rule.pairs = name == "PAIRS"
            masks = [255 << 8 * ocean_tables.KINDS.index(k) for k in kinds]
            # A set of one card is no set: "each A or B" counts alike either way.
            if self.split_sets and condition.per > 1 and len(masks) == 2:
                rule.mask, rule.second = masks[0], masks[1]
            else:
                rule.mask, rule.second = sum(masks), 0
            for n in range(16):
                wanted = 1 if condition.per == 0 else n // condition.per
                if FAULT(9) and condition.per > 1:
                    wanted = (n + 1) // condition.per
                rule.points[n] = condition.points * wanted
                if FAULT(12) and name == "TWO_MEDIUM":
                    rule.points[n] = 12 * wanted

    cdef _compile_targets(self, catalogue):
        cdef int t, i, c
        self.whole_shape = self.rules["target_match"] == "WHOLE_SHAPE"
        self.n_targets = 0 if self.variant == "base" else TARGETS if self.rules["promo"] else PROMO
        if self.n_targets == 0:
            return
        topology = self.rules["topology"]
        mirror = self.rules["mirror_targets"]
        if FAULT(16):
            mirror = not mirror
        for t, target in enumerate(catalogue["targets"]):
            pattern = target["hex" if topology == "HEX" else "square"]
            found = ocean_tables.images(pattern, topology, mirror)
            self.target[t].points = target["points"]
            self.target[t].cells = len(pattern)
            self.target[t].n_images = len(found)
            for i, cells in enumerate(found):
                for c, (dx, dy, kinds) in enumerate(cells):
                    self.target[t].image[i].dx[c] = dx
                    self.target[t].image[i].dy[c] = dy
                    self.target[t].image[i].kinds[c] = kinds

    cdef _compile_passing(self):
        """Where every dealt hand is in every round, and who has held it (ocean-4, ocean-5)."""
        cdef int r, s, left, shift = 0
        held = [1 << k for k in range(self.seats)]
        for r in range(PICKS):
            self.shift[r] = shift
            for s in range(self.seats):
                self.origin[r][s] = (s - shift + self.seats) % self.seats
                held[self.origin[r][s]] |= 1 << s
            for s in range(self.seats):
                self.held[r][s] = held[self.origin[r][s]]
            passing = self.rules["passing"]
            left = passing == "LEFT" or (passing == "ALTERNATE" and r % 2 == 0)
            if FAULT(4):
                left = not left
            shift = (shift + (1 if left else self.seats - 1)) % self.seats

    # --- the contract ---

    cdef void begin(self, void* state) noexcept nogil:
        cdef Table* t = <Table*> state
        memset(t, 0, self.state_bytes)
        t.deck = ALL_CARDS
        t.target_deck = (1 << self.n_targets) - 1
        t.phase = DEAL
        memset(t.revealed, NONE, MAX_PLAYERS)

    cdef int turn_of(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase == DEAL:
            return C_CHANCE
        if t.phase == ENDED:
            return C_OVER
        return __builtin_ctzll(~<uint64_t> t.committed)

    cdef uint32_t pending_mask(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase == DEAL or t.phase == ENDED:
            return 0
        return ((1 << self.seats) - 1) & ~t.committed

    cdef int list_moves(self, const void* state, int seat, move_t* buffer) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef const Board* board = &t.board[seat]
        cdef uint64_t hand
        cdef int n = 0
        if t.phase == PICKING:
            hand = t.hand[seat]
            while hand:
                buffer[n] = __builtin_ctzll(hand)
                hand &= hand - 1
                n += 1
        else:
            for n in range(board.edge):
                buffer[n] = PLACE | board.frontier[n]
            n = board.edge
            sort_cells(buffer, n)
        return n

    cdef bint is_legal(self, const void* state, int seat, move_t move) noexcept nogil:
        cdef const Table* t = <const Table*> state
        if t.phase == PICKING:
            return move < CARDS and t.hand[seat] >> move & 1
        return PLACE <= move < PLACE + GRID and t.board[seat].grid[move & ~<move_t> PLACE] == EDGE

    cdef move_t representative(self, const void* state, int seat, move_t move) noexcept nogil:
        return move

    cdef void apply(self, void* state, int seat, move_t move) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int s
        t.commit[seat] = <uint16_t> (move & ~<move_t> PLACE)
        t.committed |= 1 << seat
        if t.committed != (1 << self.seats) - 1:
            return
        t.committed = 0
        if t.phase == PICKING:
            for s in range(self.seats):
                t.revealed[s] = <uint8_t> t.commit[s]
                t.hand[s] &= ~bit(t.commit[s])
            if t.round > 0:
                t.phase = PLACING
            else:
                # The first card is the origin: no decision (ocean-2, ocean-3).
                for s in range(self.seats):
                    place_card(self, &t.board[s], ORIGIN, t.revealed[s])
                self._next_round(t)
        else:
            for s in range(self.seats):
                place_card(self, &t.board[s], t.commit[s], t.revealed[s])
            self._next_round(t)
        for s in range(self.seats):
            t.commit[s] = 0

    cdef void _next_round(self, Table* t) noexcept nogil:
        """Hands pass, or the game ends (ocean-4, ocean-5)."""
        cdef uint64_t hand[MAX_PLAYERS]
        cdef int s, shift
        memset(t.revealed, NONE, MAX_PLAYERS)
        if t.round == PICKS - 1:
            t.phase = ENDED
            if FAULT(5):
                t.seen[0] |= t.hand[1]
            return
        shift = (self.shift[t.round + 1] - self.shift[t.round] + self.seats) % self.seats
        t.round += 1
        t.phase = PICKING
        memcpy(hand, t.hand, sizeof(hand))
        for s in range(self.seats):
            t.hand[(s + shift) % self.seats] = hand[s]
        for s in range(self.seats):
            t.seen[s] |= t.hand[s]

    cdef int list_outcomes(self, const void* state, uint32_t* buffer, uint32_t* weights) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t left = t.deck if t.dealt < HAND * self.seats else t.target_deck
        cdef int n = 0
        while left:
            buffer[n] = __builtin_ctzll(left)
            weights[n] = 1
            left &= left - 1
            n += 1
        return n

    cdef uint32_t draw_outcome(self, const void* state, uint64_t key) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t left = t.deck if t.dealt < HAND * self.seats else t.target_deck
        cdef Stream stream
        seed_stream(&stream, mix2(key, t.dealt))
        return nth_bit(left, below(&stream, __builtin_popcountll(left)))

    cdef void settle(self, void* state, uint32_t outcome) noexcept nogil:
        """Seat s gets the deck's cards 10 s to 10 s + 9, then targets 2 s and 2 s + 1 (ocean-6)."""
        cdef Table* t = <Table*> state
        cdef int seat
        if t.dealt < HAND * self.seats:
            seat = t.dealt // HAND if not FAULT(6) else t.dealt % self.seats
            t.hand[seat] |= bit(outcome)
            t.seen[seat] |= bit(outcome)
            t.deck &= ~bit(outcome)
        else:
            seat = (t.dealt - HAND * self.seats) // 2
            t.targets[seat] |= <uint16_t> bit(outcome)
            t.target_deck &= <uint16_t> ~bit(outcome)
        t.dealt += 1
        if t.dealt == self.seats * (HAND + (2 if self.n_targets else 0)):
            t.phase = PICKING

    cdef void look(self, const void* state, int seat, void* observation) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef Knowledge* k = <Knowledge*> observation
        cdef const Board* board
        cdef int s, i, j
        memset(k, 0, sizeof(Knowledge))
        memset(k.revealed, NONE, MAX_PLAYERS)
        memset(k.card, NONE, sizeof(k.card))
        k.observer = seat
        k.phase = t.phase
        k.round = t.round
        k.committed = t.committed
        k.commit = t.commit[seat]
        for s in range(self.seats):
            k.known[s] = t.hand[s] & t.seen[seat]
            k.revealed[s] = t.revealed[s]
            if s == seat or t.phase == ENDED:
                k.targets[s] = t.targets[s]
            board = &t.board[s]
            for i in range(board.n):
                j = i
                while j > 0 and k.cell[s][j - 1] > board.cell[FIRST + i]:
                    k.cell[s][j] = k.cell[s][j - 1]
                    k.card[s][j] = k.card[s][j - 1]
                    j -= 1
                k.cell[s][j] = board.cell[FIRST + i]
                k.card[s][j] = board.card[FIRST + i]
        if FAULT(3):
            k.known[(seat + 1) % self.seats] |= t.hand[(seat + 1) % self.seats]
        if FAULT(101) and not t.committed >> seat & 1:
            k.commit = t.commit[(seat + 1) % self.seats]

    cdef void prepare(self, const void* observation, void* state) noexcept nogil:
        cdef const Knowledge* k = <const Knowledge*> observation
        cdef Table* t = <Table*> state
        cdef int s, i
        memset(t, 0, self.state_bytes)
        for s in range(MAX_PLAYERS):
            t.revealed[s] = k.revealed[s]
        for s in range(self.seats):
            for i in range(PICKS):
                if k.card[s][i] != NONE:
                    place_card(self, &t.board[s], k.cell[s][i], k.card[s][i])
        t.committed = k.committed
        t.phase = k.phase
        t.round = k.round
        t.dealt = self.seats * (HAND + (2 if self.n_targets else 0))

    cdef void sample(self, const void* observation, uint64_t key, void* state) noexcept nogil:
        cdef const Knowledge* k = <const Knowledge*> observation
        cdef Table* t = <Table*> state
        cdef uint8_t pool[CARDS]
        cdef uint64_t unknown = ALL_CARDS
        cdef uint64_t hand
        cdef Stream stream
        cdef int s, i, j, card, n = 0, missing
        cdef int size = HAND - k.round if k.phase == PICKING else HAND - 1 - k.round
        seed_stream(&stream, 0 if FAULT(102) else key)
        for s in range(self.seats):
            unknown &= ~k.known[s]
            if k.revealed[s] != NONE:
                unknown &= ~bit(k.revealed[s])
            for i in range(t.board[s].n):
                unknown &= ~bit(t.board[s].card[FIRST + i])
        t.deck = unknown
        while unknown:
            pool[n] = __builtin_ctzll(unknown)
            unknown &= unknown - 1
            n += 1
        # Cards that are not known anywhere fill the hands; every card is distinct, so this is uniform over deals.
        for s in range(self.seats):
            hand = k.known[s]
            missing = size - __builtin_popcountll(hand)
            for _ in range(missing):
                j = below(&stream, (n + 1) // 2 if FAULT(110) else n)
                card = pool[j]
                n -= 1
                pool[j] = pool[n]
                hand |= bit(card)
                t.deck &= ~bit(card)
            t.hand[s] = hand
        for s in range(self.seats):
            t.seen[s] = 0
            for i in range(self.seats):
                if s == k.observer:
                    t.seen[s] |= k.known[i]
                elif self.held[k.round][i] >> s & 1:
                    t.seen[s] |= t.hand[i]
        self._sample_targets(k, t, &stream)
        for s in range(self.seats):
            t.commit[s] = 0
            if s == k.observer:
                t.commit[s] = k.commit
            elif k.committed >> s & 1:
                if k.phase == PICKING:
                    t.commit[s] = nth_bit(t.hand[s], 0 if FAULT(106) else below(&stream, size))
                else:
                    t.commit[s] = t.board[s].frontier[0 if FAULT(106) else below(&stream, t.board[s].edge)]

    cdef void _sample_targets(self, const Knowledge* k, Table* t, Stream* stream) noexcept nogil:
        cdef int s, card
        t.target_deck = (1 << self.n_targets) - 1
        for s in range(self.seats):
            t.targets[s] = k.targets[s]
            t.target_deck &= ~k.targets[s]
        if self.n_targets == 0 or k.phase == ENDED:
            return
        for s in range(self.seats):
            while s != k.observer and __builtin_popcountll(t.targets[s]) < 2:
                card = 0 if FAULT(109) else below(stream, __builtin_popcountll(t.target_deck))
                card = nth_bit(t.target_deck, card)
                t.targets[s] |= <uint16_t> bit(card)
                t.target_deck &= <uint16_t> ~bit(card)

    cdef void reopen(self, void* state, int observer) noexcept nogil:
        cdef Table* t = <Table*> state
        cdef int s
        if FAULT(105):
            return
        t.committed &= 1 << observer
        for s in range(self.seats):
            if s != observer:
                t.commit[s] = 0

    cdef bint certain(self, const void* observation) noexcept nogil:
        cdef const Knowledge* k = <const Knowledge*> observation
        cdef int size = HAND - k.round if k.phase == PICKING else HAND - 1 - k.round
        cdef int s, gaps = 0
        if self.n_targets and k.phase != ENDED:
            return False
        for s in range(self.seats):
            if __builtin_popcountll(k.known[s]) < size:
                gaps += 1
        # One unknown hand follows by elimination when every card was dealt. Undealt cards never matter.
        return gaps == 0 or (gaps == 1 and self.seats * HAND == CARDS)

    cdef bint separable(self, const void* state) noexcept nogil:
        """From the eighth placement on everybody's last hand is fixed, and only the own ocean scores (ocean-5)."""
        cdef const Table* t = <const Table*> state
        return t.phase == ENDED or t.round == PICKS - 1 or (t.round == PICKS - 2 and t.phase == PLACING)

    cdef uint64_t node_key(self, const void* state, int seat) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t key = (t.round * 4 + t.phase) * MAX_PLAYERS + seat
        cdef int s
        for s in range(self.seats):
            key = mix2(key, t.board[s].hash + t.revealed[s])
            if FAULT(104) and s != seat:
                key = mix2(key, t.commit[s])
            if FAULT(111) and s != seat:
                key = mix2(key, t.hand[s])
        return key

    cdef bint precedes(self, move_t one, move_t other) noexcept nogil:
        cdef char[16] a
        cdef char[16] b
        spell(one, a)
        spell(other, b)
        return strcmp(a, b) < 0

    cdef void gains(self, const void* state, int seat, const move_t* moves, int n, double* points) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef const Board* board = &t.board[seat]
        cdef int i
        for i in range(n):
            if t.phase == PICKING:
                points[i] = best_gain(self, board, moves[i])
            else:
                points[i] = gain_of(
                    self, board, moves[i] & ~<move_t> PLACE, t.revealed[seat], self.n_steps
                )
            if FAULT(107):
                points[i] += 20 * (t.targets[(seat + 1) % self.seats] >> (moves[i] & 7) & 1)

    cdef move_t policy(self, const void* state, int seat, Stream* stream) noexcept nogil:
        """Mostly the move that gains most now, ties alike; one time in eight any move.

        It goes by the canonical order of the moves: the order of the frontier tells how the board came about.
        """
        cdef const Table* t = <const Table*> state
        cdef move_t moves[FRONTIER]
        cdef double points[FRONTIER]
        cdef int n = self.list_moves(state, seat, moves)
        cdef int i, ties = 0, choice = 0
        if below(stream, 8) == 0:
            return moves[below(stream, n)]
        self.gains(state, seat, moves, n, points)
        for i in range(n):
            if FAULT(103):
                points[i] += 10 * (t.hand[(seat + 1) % self.seats] >> i % CARDS & 1)
            if ties and points[i] < points[choice]:
                continue
            ties = 1 if ties == 0 or points[i] > points[choice] else ties + 1
            if ties == 1 or below(stream, ties) == 0:
                choice = i
        return moves[choice]

    cdef int rollout(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        if self.n_steps == 4:
            return roll(self, <Table*> state, stream, scores, 4, 1)
        if self.n_steps == 6:
            return roll(self, <Table*> state, stream, scores, 6, 1)
        return roll(self, <Table*> state, stream, scores, 8, 1)

    cdef int informed(self, void* state, Stream* stream, int32_t* scores) noexcept nogil:
        if self.n_steps == 4:
            return roll(self, <Table*> state, stream, scores, 4, TRIES)
        if self.n_steps == 6:
            return roll(self, <Table*> state, stream, scores, 6, TRIES)
        return roll(self, <Table*> state, stream, scores, 8, TRIES)

    cdef void evaluate(self, const void* state, double* values, double* scales) noexcept nogil:
        """Points so far, and what a sensible player adds with the cards to come."""
        cdef const Table* t = <const Table*> state
        cdef int32_t scores[MAX_PLAYERS]
        cdef int s, left
        self.points(state, scores)
        for s in range(self.seats):
            left = PICKS - t.board[s].n
            values[s] = scores[s] + MEAN_GAIN * left
            scales[s] = GAIN_SPREAD * sqrt(<double> left)

    cdef void points(self, const void* state, int32_t* scores) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef int s
        for s in range(self.seats):
            scores[s] = species_points(self, &t.board[s])
            if self.n_targets:
                scores[s] += target_points(self, &t.board[s], t.targets[s])

    cdef void places(self, const void* state, const int32_t* scores, int32_t* places) noexcept nogil:
        """Most points win, a tie is shared (ocean-19)."""
        cdef int s
        rank_scores(scores, self.seats, places)
        if FAULT(19):
            for s in range(1, self.seats):
                places[s] += scores[s] == scores[0]

    cdef uint64_t state_key(self, const void* state) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t key = self.node_key(state, 0)
        cdef uint64_t held = 0
        cdef int s
        for s in range(self.seats):
            held |= t.hand[s]
        for s in range(self.seats):
            key = mix2(key, t.hand[s])
            key = mix2(key, t.seen[s] & held)   # what became of a card that was played is no secret
            key = mix2(key, <uint64_t> t.targets[s] << 32 | t.commit[s])
        return mix2(key, <uint64_t> t.committed << 8 | t.dealt)

    cdef uint64_t knowledge_key(self, const void* state, int seat) noexcept nogil:
        cdef const Table* t = <const Table*> state
        cdef uint64_t key = self.node_key(state, seat)
        cdef int s
        for s in range(self.seats):
            key = mix2(key, t.hand[s] & t.seen[seat])
            if s == seat or t.phase == ENDED:
                key = mix2(key, t.targets[s])
        return mix2(key, <uint64_t> t.committed << 16 | t.commit[seat])

    # --- the face towards Python ---

    def _complete(self, Observation observation):
        cdef const Knowledge* k = <const Knowledge*> self._own_observation(observation)
        return k.phase != DEAL and (k.phase == ENDED or k.committed != (1 << self.seats) - 1)

    def notation(self, move):
        """The text of a move code: "pick 17", "place 1,-2"."""
        cdef int cell
        if not move & PLACE:
            return ocean_notation.pick(move)
        cell = move & ~PLACE
        return ocean_notation.place(cell % WIDTH - 9, cell // WIDTH - 9)

    def parse(self, text):
        """The code of a notation; raises ValueError that says what is expected."""
        move = ocean_notation.parse(text)
        if move[0] == "pick":
            return move[1]
        return PLACE | _cell(move[1], move[2])

    def load(self, position):
        """Reads a referee's position; raises Malformed."""
        return self._load(position, False)

    def load_observation(self, position):
        """Reads a seat's observation; raises Malformed."""
        return self._load(position, True)

    def recognize(self, bytes message):
        """An observation in which nothing is wrong, of an OceanPosition as answers write it; None of any other.

        The rules inside it have to be the game's own; they are not looked at.
        """
        cdef Observation out = new_observation(self)
        cdef const uint8_t* data = <const uint8_t*> <char*> message
        return out if self._recognize(open_wire(data, len(message)), <Knowledge*> out.data) else None

    cdef bint _recognize(self, Wire wire, Knowledge* k) noexcept nogil:
        cdef Told told
        cdef int tag, s, size
        memset(&told, 0, sizeof(told))
        memset(k.revealed, NONE, MAX_PLAYERS)
        memset(k.card, NONE, sizeof(k.card))
        while (tag := read_tag(&wire)):
            if tag == POSITION_RULES:
                read_inside(&wire)
            elif tag == POSITION_TABLE:
                if not read_table(read_inside(&wire), self.seats, k, &told):
                    return False
            elif tag == POSITION_KNOWLEDGE:
                # In two parts it would be one message, too, but not as answers write it.
                if told.knows or not read_knowledge(read_inside(&wire), self.seats, self.n_targets, k, &told):
                    return False
                told.knows = True
            else:
                return False
        if not wire.sound or told.seats != self.seats or told.hands != self.seats:
            return False
        if not 1 <= told.round <= PICKS:
            return False
        k.round = <uint8_t> (told.round - 1)
        k.observer = <uint8_t> told.observer
        if told.phase == PHASE_PICK:
            k.phase = PICKING
            size = HAND - k.round
        elif told.phase == PHASE_PLACE and k.round > 0:
            k.phase = PLACING
            size = HAND - 1 - k.round
        else:
            return False
        # Its own choice is told in many words: the other reader takes them.
        if k.committed >> k.observer & 1 or told.targets != (2 if self.n_targets else 0):
            return False
        for s in range(self.seats):
            if told.cards[s] != k.round or told.hand_size[s] != size:
                return False
            if (k.revealed[s] != NONE) != (k.phase == PLACING):
                return False
            if not connected(k.cell[s], told.cards[s], self.step, self.n_steps):
                return False
            if s == k.observer:
                if told.known[s] != size:
                    return False
            elif told.known[s] > (size if self.held[k.round][s] >> k.observer & 1 else 0):
                return False
        return True

    cdef _load(self, position, bint observation):
        parsed = ocean_position.check(
            position, seats=self.seats, topology=self.rules["topology"], passing=self.rules["passing"],
            variant=self.variant, promo=self.rules["promo"], observation=observation,
        )
        cdef Observation out = new_observation(self)
        cdef State world
        cdef Knowledge* k = <Knowledge*> out.data
        cdef Table* t
        cdef int s, i
        memset(k.revealed, NONE, MAX_PLAYERS)
        memset(k.card, NONE, sizeof(k.card))
        k.round = parsed.round - 1
        k.phase = {"PICK": PICKING, "PLACE": PLACING, "OVER": ENDED}[parsed.phase]
        for s in range(self.seats):
            k.committed |= parsed.committed[s] << s
            k.known[s] = sum(1 << card for card in parsed.hands[s])
            k.targets[s] = sum(1 << target for target in parsed.targets[s])
            if parsed.revealed[s] is not None:
                k.revealed[s] = parsed.revealed[s]
            for i, (cell, card) in enumerate(sorted((_cell(x, y), card) for card, x, y in parsed.oceans[s])):
                k.cell[s][i] = cell
                k.card[s][i] = card
        commits = [0 if text is None else self.parse(text) & ~PLACE for text in parsed.commitments]
        if observation:
            k.observer = parsed.observer
            k.commit = commits[parsed.observer]
            return out
        # A referee knows every hand: the one world of this knowledge is the state.
        world = new_state(self)
        self.prepare(k, world.data)
        self.sample(k, 0, world.data)
        t = <Table*> world.data
        for s in range(self.seats):
            t.commit[s] = commits[s]
            t.seen[s] = 0
            for i in range(self.seats):
                if self.held[k.round][i] >> s & 1:
                    t.seen[s] |= t.hand[i]
        return world

    def dump(self, State state):
        """The referee's position as the message OceanPosition without its rules."""
        cdef Table* t = <Table*> self._own(state)
        cdef Knowledge k
        if t.phase == DEAL:
            raise ValueError("the deal is not finished")
        self.look(t, 0, &k)
        over = t.phase == ENDED
        return {
            "table": self._table(&k),
            "referee": {
                "seats": [
                    {
                        "hand": _members(t.hand[s]),
                        "targets": [] if over else _members(t.targets[s]),
                        "commitment": self._commitment(t.phase, t.committed, s, t.commit[s]),
                    }
                    for s in range(self.seats)
                ]
            },
        }

    def dump_observation(self, Observation observation):
        """The observation as the message OceanPosition without its rules."""
        cdef Knowledge* k = <Knowledge*> self._own_observation(observation)
        if k.phase == DEAL:
            raise ValueError("the deal is not finished")
        return {
            "table": self._table(k),
            "seat_knowledge": {
                "seat": k.observer,
                "targets": [] if k.phase == ENDED else _members(k.targets[k.observer]),
                "commitment": self._commitment(k.phase, k.committed, k.observer, k.commit),
                "hands": [{"cards": _members(k.known[s])} for s in range(self.seats)],
            },
        }

    cdef _commitment(self, int phase, int committed, int seat, int commit):
        if not committed >> seat & 1:
            return None
        return self.notation(commit if phase == PICKING else PLACE | commit)

    cdef _table(self, Knowledge* k):
        cdef int s, i
        cdef int size = HAND - k.round if k.phase == PICKING else HAND - 1 - k.round
        seats = []
        for s in range(self.seats):
            ocean = [
                {
                    "card": k.card[s][i],
                    "cell": {"x": k.cell[s][i] % WIDTH - 9, "y": k.cell[s][i] // WIDTH - 9},
                }
                for i in range(PICKS) if k.card[s][i] != NONE
            ]
            seats.append({
                "ocean": ocean,
                "hand_size": size,
                "committed": bool(k.committed >> s & 1),
                "revealed_card": None if k.revealed[s] == NONE else k.revealed[s],
                "targets": _members(k.targets[s]) if k.phase == ENDED else [],
            })
        phase = {PICKING: "PICK", PLACING: "PLACE", ENDED: "OVER"}[k.phase]
        return {"round": k.round + 1, "phase": phase, "seats": seats}

    def observer(self, Observation observation):
        """The seat whose knowledge it is."""
        return (<Knowledge*> self._own_observation(observation)).observer

    def over_observation(self, Observation observation):
        """Whether the game has ended."""
        return (<Knowledge*> self._own_observation(observation)).phase == ENDED

    def pending_observation(self, Observation observation):
        """Every seat that owes a decision now, ascending."""
        cdef Knowledge* k = <Knowledge*> self._own_observation(observation)
        if k.phase == ENDED or k.phase == DEAL:
            return []
        return [s for s in range(self.seats) if not k.committed >> s & 1]

    def moves_observation(self, Observation observation):
        """The observer's own legal moves, ascending; empty when it owes no decision."""
        seat = self.observer(observation)
        if seat not in self.pending_observation(observation):
            return []
        return self.moves(self.determinize(observation, 0), seat)

    def score_observation(self, Observation observation):
        """Points of each seat as far as the observer knows them: own targets, and all when the game is over."""
        cdef Knowledge* k = <Knowledge*> self._own_observation(observation)
        cdef State state = new_state(self)
        cdef Table* t = <Table*> state.data
        cdef int s
        self.prepare(k, t)
        for s in range(self.seats):
            t.targets[s] = k.targets[s]
        return self.score(state)

    def events(self, State before, int seat, move, State after):
        """What happened between two states, as messages OceanEvent; private ones carry "private_to"."""
        return ocean_events.events(
            self.dump(before), seat, self.notation(move), self.dump(after), passing=self.rules["passing"]
        )

    def commit(self, Observation observation, move):
        """The observer's own move on its observation; raises ValueError when it is not legal."""
        if move not in self.moves_observation(observation):
            raise ValueError("not a legal move")
        dumped = self.dump_observation(observation)
        return self.load_observation(
            ocean_events.commit(dumped, self.notation(move), topology=self.rules["topology"])
        )

    def report(self, Observation observation, events):
        """Takes up what the observer has seen happen; raises Malformed with paths "events[i]..."."""
        return self.load_observation(
            ocean_events.report(
                self.dump_observation(observation), events, seats=self.seats, passing=self.rules["passing"],
                variant=self.variant, topology=self.rules["topology"], promo=self.rules["promo"],
            )
        )


# Of 20,000 games in which every seat follows `policy`: mean points a pick adds, and their spread (docs/performance.md).
cdef double MEAN_GAIN = 7.5
cdef double GAIN_SPREAD = 6.0


cdef int _cell(int x, int y):
    return (y + 9) * WIDTH + x + 9


cdef list _members(uint64_t set_):
    return [i for i in range(CARDS) if set_ >> i & 1]
