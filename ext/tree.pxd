"""Tree memory: nodes and edges in one arena whose size is fixed at the start, found by 64-bit keys."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from ext.game cimport move_t

cdef enum:
    NO = 0              # index of no node and no edge

# A decision of one seat, keyed by what that seat has seen.
cdef struct Node:
    uint64_t key
    int64_t visits
    int64_t value       # sum of its seat's values, fixed-point
    uint32_t first      # its edges, ascending by move

# A move that has been tried at a node.
cdef struct Edge:
    move_t move
    uint32_t next
    int64_t visits
    int64_t offered     # visits of the node in whose world the move was legal
    int64_t value       # sum of the deciding seat's values, fixed-point
    double prior        # how the move looked before it was tried, 0 to 1

cdef struct Tree:
    size_t bytes        # of the one block that holds all three
    Edge* edge
    Node* node
    uint32_t* table     # open addressing, a power of two, at most half full
    uint64_t mask
    uint32_t nodes      # in use, number 0 left out
    uint32_t edges
    uint32_t capacity   # of nodes
    uint32_t fanout     # edges for each node of the capacity
    uint32_t most_nodes     # that have been in use since the block came from the system
    uint32_t most_edges

cdef size_t tree_bytes(uint32_t capacity, uint32_t fanout) noexcept nogil
cdef uint32_t tree_capacity(size_t bytes_, uint32_t fanout) noexcept nogil
cdef bint tree_open(Tree* tree, uint32_t capacity, uint32_t fanout) noexcept nogil
cdef void tree_close(Tree* tree) noexcept nogil
cdef uint32_t tree_find(const Tree* tree, uint64_t key) noexcept nogil
cdef uint32_t tree_add_node(Tree* tree, uint64_t key) noexcept nogil
cdef uint32_t tree_add_edge(Tree* tree, uint32_t node, uint32_t after, move_t move) noexcept nogil
