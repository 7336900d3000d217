"""State layout of ocean. One hand is a 40-bit set of cards; one board is a grid with the frontier kept as a list."""
from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint64_t

from ext.game cimport Game
from ext.rng cimport Stream
from ext.wire cimport Wire

cdef enum:
    CARDS = 40
    HAND = 10
    PICKS = 9
    MAX_PLAYERS = 4
    TARGETS = 9             # 8 and the promo
    PROMO = 8
    WIDTH = 20              # of the grid; cells -9 to 9 each way, so that every neighbour of a card exists
    GRID = WIDTH * WIDTH
    ORIGIN = 9 * WIDTH + 9
    EMPTY = 0               # grid values: nothing, a free neighbour of a card, or the slot of a card
    EDGE = 1
    FIRST = 2
    SLOTS = FIRST + PICKS
    FRONTIER = 80           # 9 x 8, and one to spare for the branch-free append
    PLACE = 0x1000          # move codes: a card id, or PLACE | grid cell
    NONE = 255
    MAX_IMAGES = 12
    PATTERN = 9

cdef enum Phase:
    DEAL, PICKING, PLACING, ENDED

# What one seat has laid out. Slots 0 and 1 stand for grid values without a card: their kind is 0, `near` is waste.
cdef struct Board:
    uint64_t near[SLOTS]    # adjacent cards by kind, 8 bits a kind
    uint64_t kind[SLOTS]    # 1 << 8 * kind
    uint64_t hash           # sum over cards of mix(cell, card)
    uint16_t frontier[FRONTIER]
    uint16_t cell[SLOTS]
    uint8_t card[SLOTS]
    uint8_t n               # cards placed
    uint8_t edge            # length of the frontier
    uint8_t grid[GRID]

cdef struct Table:
    uint64_t hand[MAX_PLAYERS]      # by the seat that holds it; a committed pick still counts
    uint64_t seen[MAX_PLAYERS]      # cards that the seat has had in a hand
    uint64_t deck                   # cards not dealt (yet)
    uint16_t targets[MAX_PLAYERS]
    uint16_t target_deck
    uint16_t commit[MAX_PLAYERS]    # a card or a cell, where `committed` has the bit
    uint8_t revealed[MAX_PLAYERS]   # while placing
    uint8_t committed
    uint8_t phase
    uint8_t round                   # 0 to 8
    uint8_t dealt                   # chance events so far
    Board board[MAX_PLAYERS]        # only `seats` of them exist

cdef struct Knowledge:
    uint64_t known[MAX_PLAYERS]
    uint16_t targets[MAX_PLAYERS]   # the own, or all when the game is over
    uint16_t cell[MAX_PLAYERS][PICKS]
    uint16_t commit
    uint8_t card[MAX_PLAYERS][PICKS]    # by cell
    uint8_t revealed[MAX_PLAYERS]
    uint8_t committed
    uint8_t phase
    uint8_t round
    uint8_t observer

cdef struct CardRule:
    uint64_t mask           # kinds that count
    uint64_t second         # with same_kind_sets: the other kind of "either A or B", counted apart; else 0
    int16_t points[16]      # by the number that count
    uint8_t pairs           # ocean-11
    uint8_t kind
    uint8_t category        # bit, 0 when it does not count for the promo

cdef struct Image:
    int8_t dx[PATTERN]
    int8_t dy[PATTERN]
    uint8_t kinds[PATTERN]

cdef struct Target:
    int points
    int cells
    int n_images
    Image image[MAX_IMAGES]

cdef class Ocean(Game):
    cdef readonly dict rules
    cdef readonly str variant
    cdef CardRule card_rule[CARDS + 1]
    cdef uint64_t kind_bit[CARDS]
    cdef Target target[TARGETS]
    cdef int step[8]                # neighbours as grid offsets
    cdef int n_steps
    cdef int n_targets              # in the deck: 0, 8 or 9
    cdef bint split_sets
    cdef bint whole_shape
    cdef int shift[PICKS]                          # the hand that seat k was dealt is at seat k + shift
    cdef int origin[PICKS][MAX_PLAYERS]            # which dealt hand a seat holds in a round
    cdef int held[PICKS][MAX_PLAYERS]              # which seats have held the hand that a seat holds in a round

    cdef _compile_cards(self, cards)
    cdef _compile_targets(self, catalogue)
    cdef _compile_passing(self)
    cdef void _next_round(self, Table* t) noexcept nogil
    cdef void _sample_targets(self, const Knowledge* k, Table* t, Stream* stream) noexcept nogil
    cdef _load(self, position, bint observation)
    cdef bint _recognize(self, Wire wire, Knowledge* k) noexcept nogil
    cdef _commitment(self, int phase, int committed, int seat, int commit)
    cdef _table(self, Knowledge* k)
