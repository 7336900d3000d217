"""State layout of heart. Tiles of all seats share a list, free cells beside them another; a seat has a part of each."""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ext.game cimport Game, move_t
from ext.rng cimport Stream

cdef enum:
    TILES = 90
    MAX_PLAYERS = 4
    SLOTS = TILES + MAX_PLAYERS
    EDGES = 2 * SLOTS + 2 * MAX_PLAYERS     # n tiles that hang together have at most 2 n + 2 free cells beside them
    MANATEES = 30
    PHOTOS = 24
    COLUMNS = 4
    COLUMN = 3              # tiles in a full column
    OPEN = 4                # photo cards
    HELD = 6                # photo cards of a seat at the most: four, the fifth, and one in a final turn
    LAST_PHOTO = 5          # triggers the end
    ROOM = 4                # manatees on a starting tile
    FACES = 20
    ICONS = 7               # blank, food, diver, fish, coral, rescue, swim: as in ext/heart_tables.py
    FOOD = 1
    RESCUE_ICON = 5
    SWIM_ICON = 6
    TOUCHED = 0x8888        # of an edges word: sides with a neighbour
    SWUM = 0x80             # of `manatees`: it has swum in this action
    NONE = 255
    CENTRE = 0x8080         # a cell is (y + 128) << 8 | (x + 128)
    REACH = 90
    SPAN = 2 * REACH + 1
    MAX_DEMANDS = 8
    MAX_IMAGES = 8
    PATTERN = 8

cdef enum Action:
    RESCUE, SWIM_ACTION, PHOTO, SHARK

cdef enum Phase:
    TAKING, PLACING, SWIMMING, CHOOSING, HUNTING, DRAW_FIRST, DRAW_TILE, DRAW_PHOTO, ROLL_DIE, ENDED

# Slots and edges are numbered within a seat's part; slot 0 is its starting tile.
cdef struct Table:
    uint64_t hash[MAX_PLAYERS]          # sum over tiles and manatees of what they are and where
    uint64_t seen[MAX_PLAYERS]          # bits of the cells that are or were free beside a tile: spot_bit()
    uint16_t cell[SLOTS]                # of a tile
    uint16_t edges[SLOTS]               # four bits a side, north first: its icon, and 8 where a tile touches it
    uint16_t free[EDGES]                # a free cell beside a tile
    uint16_t need[EDGES]                # what must lie there, written as edges: 8 marks the sides that tiles touch
    uint8_t near[SLOTS][4]              # slots of the neighbours, NONE where there are none
    uint8_t kind[SLOTS]
    uint8_t manatees[SLOTS]
    uint8_t base[MAX_PLAYERS + 1]       # where a seat's part of the slots begins, and behind the last, where they end
    uint8_t edge_base[MAX_PLAYERS + 1]
    uint8_t n[MAX_PLAYERS]              # tiles, the starting tile included
    uint8_t edge_n[MAX_PLAYERS]
    uint8_t icons[MAX_PLAYERS][8]       # complete ones
    uint8_t sea[MAX_PLAYERS]            # manatees
    uint8_t held[MAX_PLAYERS][HELD]     # kinds of photo card
    uint8_t held_n[MAX_PLAYERS]
    uint8_t pile[TILES]                 # kinds, ascending: a multiset
    uint8_t deck[PHOTOS]                # the same of photo cards
    uint8_t column[COLUMNS][COLUMN]     # the beach end first
    uint8_t column_n[COLUMNS]
    uint8_t open[OPEN]
    uint8_t offers                      # while choosing a photo: bits of the open ones on offer; of equal ones, one
    uint8_t pile_n
    uint8_t deck_n
    uint8_t open_n
    uint8_t discards                    # how many; their kinds follow from all others
    uint8_t supply
    uint8_t phase
    uint8_t first                       # player, NONE until drawn
    uint8_t turn
    uint8_t shark_seat                  # NONE on the ocean board
    uint8_t shark                       # slot
    uint8_t die                         # NONE until rolled: the game is being set up
    uint8_t hand                        # kind of tile, or NONE
    uint8_t action                      # column of the normal take, or NONE
    uint8_t bonus
    uint8_t refill                      # column, or NONE
    uint8_t swims
    uint8_t swum_home                   # manatees on the starting tile that have swum
    uint8_t stale                       # nothing has been placed since the last reshuffle
    uint8_t trigger                     # seat, or NONE
    uint8_t turns_left
    uint8_t drawn[3]                    # events so far of tiles, photos, dice, modulo 256: which luck is next

cdef struct Knowledge:
    Table table             # tiles and cells in order, so that equal positions have equal bytes
    uint8_t observer

cdef struct Image:
    int8_t dx[PATTERN]
    int8_t dy[PATTERN]
    uint8_t whence[PATTERN]     # an earlier cell that it is beside, or NONE
    uint8_t side[PATTERN]       # on which side of that
    uint16_t want[PATTERN]      # complete icons, written as edges
    uint16_t mask[PATTERN]      # the sides where they are wanted

cdef struct Pattern:
    int manatees            # at least
    int cells
    int images
    Image image[MAX_IMAGES]

cdef struct Photo:
    bint orange
    int points
    int counted             # an icon, COUNT_MANATEES or COUNT_TILES
    int per
    uint64_t icons          # complete ones at least, a byte for each as in `Table.icons`
    int patterns
    Pattern pattern[MAX_DEMANDS]

cdef enum Counted:
    COUNT_MANATEES = 7
    COUNT_TILES = 8

cdef class Heart(Game):
    cdef readonly dict rules
    cdef readonly str variant
    cdef readonly object catalogue      # as given, for what is checked in Python
    cdef int kinds, photo_kinds, faces
    cdef uint8_t tile_count[TILES]
    cdef uint16_t turned[TILES + MAX_PLAYERS][4]    # edges of a kind by rotation; behind the kinds, starting tiles
    cdef uint8_t turns[TILES]                       # distinct rotations
    cdef uint8_t photo_count[PHOTOS]
    cdef Photo photo[PHOTOS]
    cdef uint8_t face_count[FACES]
    cdef uint8_t face[FACES]                        # attractions as bits by icon; 0: Relocate
    cdef int face_sum
    cdef uint8_t action_of[COLUMNS]
    cdef bint reshuffle, repeat_swimmers, swims_mandatory, start_blocks, orange_needs, bonus_optional

    cdef _compile(self, catalogue)
    cdef _compile_photo(self, int kind, photo)
    cdef _compile_pattern(self, Pattern* out, images)
    cdef _build(self, Table* t, int s, habitat)
    cdef _load(self, position, bint observation)
    cdef _dump(self, const Table* t)
    cdef _text(self, move_t move)
