"""Tree memory: nodes and edges in one arena whose size is fixed at the start, found by 64-bit keys."""
from libc.stdint cimport uint32_t, uint64_t

from ext.game cimport move_t


cdef extern from "<sys/mman.h>" nogil:
    int PROT_READ, PROT_WRITE, MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE
    void* MAP_FAILED
    void* mmap(void* address, size_t length, int protection, int flags, int file, long offset)
    int munmap(void* address, size_t length)


cdef uint64_t table_size(uint32_t capacity) noexcept nogil:
    cdef uint64_t size = 2
    while size < 2 * <uint64_t> capacity:
        size *= 2
    return size


cdef size_t tree_bytes(uint32_t capacity, uint32_t fanout) noexcept nogil:
    """Bytes of a tree for so many nodes, with `fanout` edges for each."""
    cdef size_t nodes = capacity + 1
    return nodes * sizeof(Node) + (nodes * fanout + 1) * sizeof(Edge) + table_size(capacity) * sizeof(uint32_t)


cdef uint32_t tree_capacity(size_t bytes_, uint32_t fanout) noexcept nogil:
    """The most nodes that fit into so many bytes."""
    cdef uint32_t low = 0
    cdef uint32_t high = 1 << 31
    cdef uint32_t middle
    while low + 1 < high:
        middle = low + (high - low) // 2
        if tree_bytes(middle, fanout) <= bytes_:
            low = middle
        else:
            high = middle
    return low


cdef bint tree_open(Tree* tree, uint32_t capacity, uint32_t fanout) noexcept nogil:
    """Takes the memory; False when there is none. Pages come zeroed and cost nothing until they are touched.

    Straight from the system: an allocator that hands out memory it has had back would have to clear all of it first.
    """
    cdef size_t nodes = <size_t> capacity + 1
    cdef char* block
    tree.bytes = tree_bytes(capacity, fanout)
    block = <char*> mmap(
        NULL, tree.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    )
    if block == MAP_FAILED:
        tree.bytes = 0
        return False
    tree.edge = <Edge*> block
    tree.node = <Node*> (block + (nodes * fanout + 1) * sizeof(Edge))
    tree.table = <uint32_t*> (tree.node + nodes)
    tree.mask = table_size(capacity) - 1
    tree.nodes = 0
    tree.edges = 0
    tree.capacity = capacity
    tree.fanout = fanout
    return True


cdef void tree_close(Tree* tree) noexcept nogil:
    if tree.bytes:
        munmap(tree.edge, tree.bytes)
        tree.bytes = 0


cdef uint32_t tree_find(const Tree* tree, uint64_t key) noexcept nogil:
    """The node of a key, or NO."""
    cdef uint64_t place = key & tree.mask
    cdef uint32_t node
    while True:
        node = tree.table[place]
        if node == NO or tree.node[node].key == key:
            return node
        place = (place + 1) & tree.mask


cdef uint32_t tree_add_node(Tree* tree, uint64_t key) noexcept nogil:
    """A new node, or NO when the tree is full. The key must not be there yet."""
    cdef uint64_t place = key & tree.mask
    if tree.nodes == tree.capacity:
        return NO
    while tree.table[place] != NO:
        place = (place + 1) & tree.mask
    tree.nodes += 1
    tree.table[place] = tree.nodes
    tree.node[tree.nodes].key = key
    return tree.nodes


cdef uint32_t tree_add_edge(Tree* tree, uint32_t node, uint32_t after, move_t move) noexcept nogil:
    """A new edge in its place among the node's, or NO when the tree is full. The move must not be there yet.

    `after` is an edge of the node with a smaller move, where the search for the place begins; NO: at the first.
    """
    cdef uint32_t* link = &tree.node[node].first if after == NO else &tree.edge[after].next
    if tree.edges == tree.capacity * tree.fanout:
        return NO
    while link[0] != NO and tree.edge[link[0]].move < move:
        link = &tree.edge[link[0]].next
    tree.edges += 1
    tree.edge[tree.edges].move = move
    tree.edge[tree.edges].next = link[0]
    link[0] = tree.edges
    return tree.edges


def measure(unsigned int capacity, unsigned int fanout):
    """(bytes of a tree for `capacity` nodes with `fanout` edges each, the capacity that those bytes hold)."""
    return tree_bytes(capacity, fanout), tree_capacity(tree_bytes(capacity, fanout), fanout)
