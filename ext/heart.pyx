"""I Heart Manatees: the rules kernel. Decisions are named as in docs/rules-heart.md ("heart-9").

The kernel is one C program in parts, one idea a file: habitats, the course of a turn, playouts, codes, and here the
contract and the face towards Python.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset, strcmp

from ext.game cimport (
    C_CHANCE, C_MAX_MOVES, C_MAX_OUTCOMES, C_OVER, Game, Observation, State, move_t, new_observation, new_state,
)
from ext.rng cimport Stream, below, mix, mix2, seed_stream

import sys
from collections import Counter

from ext import heart_catalogue, heart_events, heart_notation, heart_position, heart_tables
from ext.errors import Malformed, Violation


cdef extern from "faults.h" nogil:
    bint FAULT(int decision)
    bint PLANT_FAULT(int decision)

include "heart_habitat.pxi"
include "heart_turn.pxi"
include "heart_playout.pxi"
include "heart_codes.pxi"

cdef enum:
    # At most 91 reshuffles, each with a placement before it (heart-23), of at most 90 tiles: takes, each with a draw
    # and a place or discard; and behind a placement no more swims than icons.
    MAX_PLIES = 92 * 90 * 3 + 90 * 200

PHASES = (
    "TAKE", "PLACE", "SWIM", "PHOTO", "SHARK", "DRAW_FIRST", "DRAW_TILE", "DRAW_PHOTO", "ROLL_DIE", "OVER",
)
ACTIONS = ("HEART_ACTION_RESCUE", "HEART_ACTION_SWIM", "HEART_ACTION_PHOTO", "HEART_ACTION_SHARK")


def plant_fault(int decision):
    """In a build with faults: break one rule decision on purpose (0: none) and return True. Otherwise False."""
    return bool(PLANT_FAULT(decision))


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


# Manatees rescued and points added in a turn, and their spread: guesses, for estimates below a depth limit only.
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
