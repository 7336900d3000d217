"""Tree memory: nodes and edges in one arena whose size is fixed at the start, found by 64-bit keys.

Small trees are kept when they are closed, for the next of the same shape: a page that comes fresh from the system costs
a fault and its clearing, and to give pages back interrupts every other core that the process runs on.
"""
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memmove, memset

from ext.game cimport move_t

cdef extern from *:
    """
    #include <pthread.h>
    static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
    """
    ctypedef struct pthread_mutex_t:
        pass
    pthread_mutex_t kept_lock
    int pthread_mutex_lock(pthread_mutex_t* mutex) nogil
    int pthread_mutex_unlock(pthread_mutex_t* mutex) nogil

cdef enum:
    MOST_KEPT = 64              # trees
    MOST_BYTES = 16 << 20       # of a tree that is kept, as far as they have been touched
    MOST_BYTES_KEPT = 64 << 20  # of all of them
    SPARSE = 32                 # a table with so many places for each node is cleared node by node

# Closed trees, empty, from which the next of the same shape are opened; the longest kept first.
cdef Tree kept_trees[MOST_KEPT]
cdef int n_kept = 0
cdef size_t bytes_kept = 0


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


cdef size_t touched(const Tree* tree) noexcept nogil:
    """Bytes that the system has had to find for a tree so far, about."""
    return (
        table_size(tree.capacity) * sizeof(uint32_t) + tree.most_nodes * sizeof(Node) + tree.most_edges * sizeof(Edge)
    )


cdef bint tree_open(Tree* tree, uint32_t capacity, uint32_t fanout) noexcept nogil:
    """Takes the memory; False when there is none. Its table is empty, all else is written before it is read."""
    if take_kept(tree, capacity, fanout) or map_tree(tree, capacity, fanout):
        return True
    release_kept()  # what is kept may be what is missing
    return map_tree(tree, capacity, fanout)


cdef bint map_tree(Tree* tree, uint32_t capacity, uint32_t fanout) noexcept nogil:
    """A tree from the system: pages come zeroed and cost nothing until they are touched."""
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
    tree.nodes = tree.most_nodes = 0
    tree.edges = tree.most_edges = 0
    tree.capacity = capacity
    tree.fanout = fanout
    return True


cdef bint take_kept(Tree* tree, uint32_t capacity, uint32_t fanout) noexcept nogil:
    """A tree of this shape that was kept, the latest, since its memory may still be in a cache; False without one."""
    cdef int i
    cdef bint found = False
    pthread_mutex_lock(&kept_lock)
    for i in range(n_kept - 1, -1, -1):
        if kept_trees[i].capacity == capacity and kept_trees[i].fanout == fanout:
            drop(i, tree)
            found = True
            break
    pthread_mutex_unlock(&kept_lock)
    return found


cdef void drop(int i, Tree* tree) noexcept nogil:
    """Moves a kept tree out; called under the lock."""
    global n_kept, bytes_kept
    tree[0] = kept_trees[i]
    bytes_kept -= touched(tree)
    n_kept -= 1
    memmove(&kept_trees[i], &kept_trees[i + 1], (n_kept - i) * sizeof(Tree))


cdef void tree_close(Tree* tree) noexcept nogil:
    """Gives the memory back: to whoever opens a tree of the same shape next, or to the system."""
    global n_kept, bytes_kept
    cdef Tree old
    cdef bint full = True
    if not tree.bytes:
        return
    tree.most_nodes = max(tree.most_nodes, tree.nodes)
    tree.most_edges = max(tree.most_edges, tree.edges)
    if touched(tree) <= MOST_BYTES:
        clear(tree)
        while full:
            old.bytes = 0
            pthread_mutex_lock(&kept_lock)
            full = n_kept == MOST_KEPT or bytes_kept + touched(tree) > MOST_BYTES_KEPT
            if full:
                drop(0, &old)
            else:
                kept_trees[n_kept] = tree[0]
                n_kept += 1
                bytes_kept += touched(tree)
            pthread_mutex_unlock(&kept_lock)
            if full:
                munmap(old.edge, old.bytes)
    else:
        munmap(tree.edge, tree.bytes)
    tree.bytes = 0


cdef void release_kept() noexcept nogil:
    cdef Tree old
    old.bytes = 1
    while old.bytes:
        old.bytes = 0
        pthread_mutex_lock(&kept_lock)
        if n_kept:
            drop(n_kept - 1, &old)
        pthread_mutex_unlock(&kept_lock)
        if old.bytes:
            munmap(old.edge, old.bytes)


cdef void clear(Tree* tree) noexcept nogil:
    """Empties the table."""
    cdef uint64_t place
    cdef uint32_t node
    if tree.mask < SPARSE * <uint64_t> tree.nodes:
        memset(tree.table, 0, (tree.mask + 1) * sizeof(uint32_t))
    else:
        for node in range(1, tree.nodes + 1):
            place = tree.node[node].key & tree.mask
            while tree.table[place] != node:
                place = (place + 1) & tree.mask
            tree.table[place] = NO
    tree.nodes = tree.edges = 0


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
    tree.node[tree.nodes] = Node(key, 0, 0, NO)
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
    tree.edge[tree.edges] = Edge(move, link[0], 0, 0, 0, 0)
    link[0] = tree.edges
    return tree.edges


def kept():
    """(closed trees that are kept, bytes of them that have been touched, the most of these there may be)."""
    cdef int trees
    cdef size_t touched_bytes
    with nogil:  # to the end: who opens a tree waits for the lock with the interpreter's own in its hand
        pthread_mutex_lock(&kept_lock)
        trees, touched_bytes = n_kept, bytes_kept
        pthread_mutex_unlock(&kept_lock)
    return trees, touched_bytes, MOST_BYTES_KEPT


def forget():
    """Give all trees that are kept back to the system."""
    with nogil:
        release_kept()


def measure(unsigned int capacity, unsigned int fanout):
    """(bytes of a tree for `capacity` nodes with `fanout` edges each, the capacity that those bytes hold)."""
    return tree_bytes(capacity, fanout), tree_capacity(tree_bytes(capacity, fanout), fanout)
