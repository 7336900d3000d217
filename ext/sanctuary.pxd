"""State layout of sanctuary. What belongs to a seat is one block; a state ends with as many as there are seats."""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ext.game cimport Game, move_t
from ext.rng cimport Stream

cdef enum:
    KINDS = 180             # of both editions' 90 cards
    MAX_PLAYERS = 12
    ROUNDS = 3
    DEALT = 5
    HAND = 8
    CELLS = 1 + ROUNDS * HAND       # the starting tile and the cards of a seat
    FREE = 56               # free cells beside them, at most 2 n + 2, and some to spare: they are read by eights
    BONUSES = 10
    TRACK = 41
    REACH = ROUNDS * HAND
    SPAN = 2 * REACH + 1
    TOUCHED = 0x8888        # of a `need`: sides with a neighbour
    WALL = 4                # of an edge; 1 to 3 are the flowers, 0 is no edge
    SHAPE_CELLS = 12
    MAX_IMAGES = 8
    NONE = 255
    UNKNOWN = 0xFFFF        # of a hand in an observation
    TO_RIGHT = 1            # of a card in a hand: the holder's right neighbour knows it, or with two seats the other
    TO_LEFT = 2             # the left neighbour knows it
    KEEP_SMALLER = 1        # a committed choice
    KEEP_LARGER = 2
    CENTRE = 0x8080         # a cell is (y + 128) << 8 | (x + 128)

cdef enum:     # colours of manatees
    GRAY, PINK, YELLOW, COLOURS

cdef enum:     # what a bottom scores after round 3
    NO_END, PAIRS_AT_END, PINK_AT_END, YELLOW_AT_END, ENDS

cdef enum:     # goals of bonus cards
    NO_GOAL, GOAL_YELLOW, GOAL_PINK, GOAL_MANATEES, GOAL_RED, GOAL_GREEN, GOAL_PURPLE, LITTLE_FOOD, SHAPE

cdef enum:     # challenges
    NO_CHALLENGE, HARVESTER, TIGHT_FIT, COLOUR_COORDINATED, SHORTAGE, POWER_CAP, WEAK_CUT, ARCHITECT, SAVIOUR

cdef enum Phase:
    SPLITTING, CHOOSING, PICKING, DISCARDING, PLAYING, RETURNING, FEEDING, DRAW_BONUS, DRAW_CARD, DRAW_MANATEE, ENDED

cdef struct Seat:
    uint64_t hash               # sum over cards played of what they are and where
    uint64_t seen               # bits of the cells that are or were free beside a card: spot_bit()
    uint16_t cell[CELLS]        # the starting tile first
    uint16_t edges[CELLS]       # four bits a side, north first
    uint16_t free[FREE]         # free cells beside cards: in front those that touch a flower, `live` of them
    uint16_t need[FREE]         # what must lie there, written as edges: 8 marks the sides that cards touch
    uint16_t hand[HAND]         # kind << 2 | who knows it, ascending
    int16_t score
    int16_t food
    uint8_t kind[CELLS]
    uint8_t tops[ROUNDS * HAND]     # cards played for their tops
    uint8_t n                   # cells covered
    uint8_t free_n
    uint8_t live
    uint8_t tops_n
    uint8_t hand_n
    uint8_t commit              # a split: bits of the hand that are the smaller stack; a choice: KEEP_...; 0: none
    uint8_t stack               # while choosing: bits of the hand in the smaller stack, the first of equal cards
    uint8_t manatees[COLOURS]
    uint8_t flowers[WALL]       # completed ones by colour, all in front
    uint8_t spaces
    uint8_t doubles             # yellow manatees that fit
    uint8_t ends[ENDS]          # end-game cards by what they score
    uint8_t draws               # manatees drawn so far, modulo 256: which luck is next

cdef struct Table:
    uint8_t phase
    uint8_t round               # 1 to 3
    uint8_t turn                # NONE where nobody's
    uint8_t draws_left
    uint16_t committed          # bits of seats
    uint8_t newcomers[COLOURS]
    uint8_t bag[2][COLOURS]
    uint8_t bonus[ROUNDS]
    uint8_t bonus_n
    uint8_t drawn[2]            # solo
    uint8_t drawn_n
    uint8_t discards[ROUNDS * (DEALT + 1)]
    uint8_t discards_n
    int8_t token
    uint8_t strongest_discarded
    uint8_t sent_back
    uint8_t deck_n
    uint8_t deck[KINDS]         # kinds, ascending: a multiset; in an observation with cards hidden in hands
    Seat seat[MAX_PLAYERS]

cdef struct Knowledge:
    Table table             # in order, so that equal knowledge has equal bytes; unknown cards UNKNOWN, unknown bits 0
    uint8_t observer

cdef struct Card:
    uint16_t turned[4]      # edges by rotation; 8 marks the sides on which a host may be
    uint16_t distinct[4]    # the same, 0 for a rotation that looks like an earlier one
    uint8_t turns           # distinct rotations
    uint8_t copies
    uint8_t strength
    uint8_t rescues[COLOURS]
    uint8_t random
    uint8_t icons           # rescues of either sort
    uint8_t harvests
    uint8_t capacity
    uint8_t end_game
    double quality          # points, at a guess, for playouts

cdef struct Image:
    int8_t dx[SHAPE_CELLS]
    int8_t dy[SHAPE_CELLS]

cdef struct Shape:
    int cells
    int images
    Image image[MAX_IMAGES]

cdef struct Face:
    int goal
    int points
    Shape shape

# What a seat has, or may come to have, in numbers that a guess can put a value to.
cdef struct Holding:
    double manatees[COLOURS]
    double food
    double spaces
    double cards            # still to be played in this round
    int flowers[WALL]
    int ends[ENDS]

cdef class Sanctuary(Game):
    cdef readonly dict rules
    cdef readonly str variant
    cdef readonly object catalogue      # as given, for what is checked in Python
    cdef readonly list cards            # its kinds of card in this game, for the same
    cdef bint solo, blind, pooled, seat_by_seat, bonuses
    cdef int most_food, most_points, least_points, challenge, kinds, bags, second_half, bonus_kinds, track_low, track_n
    cdef Card card[KINDS]
    cdef uint16_t start[2]              # edges of the starting tiles by bag
    cdef uint8_t start_spaces[2]
    cdef uint8_t bonus_count[BONUSES]
    cdef Face face[BONUSES][ROUNDS]
    cdef int track[TRACK]
    cdef Shape challenge_shape

    cdef _compile(self, catalogue)
    cdef _compile_shape(self, Shape* out, images)
    cdef _load(self, position, bint observation)
    cdef _load_seat(self, Table* t, int s, parsed)
    cdef _known(self, Table* t, int s, int flag, kinds)
    cdef _dump(self, const Table* t)
    cdef _secrets(self, const Table* t, int s)
    cdef _text(self, move_t move)
    cdef _commitment(self, const Table* t, int s)
