"""Information-set Monte Carlo tree search: the algorithm that advises.

One world an iteration; every seat selects at its own nodes, keyed by what it has seen, without sight of the others'
open commitments (multiple-observer IS-MCTS: Cowling, Powley, Whitehouse 2012). Over the plain form in ext/uct.pyx:
a node takes all the moves its world offers at once, with a prior from the points that each gains; untried moves have
a first-play urgency, so that a node need not try everything before it follows what is good; playouts are informed.
"""
from libc.math cimport sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t

from ext.engine cimport ONE, Engine, natural_log
from ext.game cimport C_CHANCE, C_MAX_MOVES, C_OVER, move_t
from ext.rng cimport Stream, mix2, seed_stream
from ext.tree cimport (
    NO, Edge, tree_add_edge, tree_add_node, tree_bytes, tree_capacity, tree_close, tree_find, tree_open,
)

cdef enum:
    FANOUT = 14     # edges the arena holds for each node
    LINE_WORLDS = 8
    LINE_VISITS = 4     # below that a continuation is an accident


cdef class Mcts(Engine):
    """Information-set MCTS. A node and its edges take about `bytes_per_node` bytes of `memory`."""

    def __init__(self, game, observation, objective, seed, tree=0, depth=1000, *, memory, simulations, allowed=None,
                 exploration=0.4, bias=1.0, informed=True):
        capacity = simulations + 1
        fanout = game.max_moves
        if capacity > tree_capacity(memory, fanout):
            fanout = min(FANOUT, fanout)
            capacity = min(capacity, tree_capacity(memory, fanout))
        capacity = min(capacity, (1 << 32) // fanout - 2)   # edges are numbered in 32 bits
        self.exploration = exploration
        self.bias = bias
        self.informed = informed
        if capacity < 1 or not tree_open(&self.tree, capacity, fanout):
            raise MemoryError

    def __dealloc__(self):
        # Giving back a large tree takes milliseconds: nobody else has to wait for them.
        with nogil:
            tree_close(&self.tree)

    cdef bint simulate(self) noexcept nogil:
        cdef Stream stream
        cdef uint32_t path[PATH]
        cdef int seats[PATH]
        cdef int depth = 0, turns = 0, choice = 0
        cdef uint32_t nodes[PATH]
        cdef int turn, n, i
        cdef uint32_t node
        cdef uint64_t key = mix2(self.seed, self.simulations)
        cdef Edge* e
        cdef void* world = self.world
        cdef int limit = self.depth_limit if self.depth_limit < PATH else PATH
        self.imagine(key)
        seed_stream(&stream, key + 1)
        while depth < limit:
            turn = self.game.turn_of(world)
            if turn == C_CHANCE:
                self.game.settle(world, self.game.draw_outcome(world, key))
                continue
            if turn == C_OVER:
                break
            if depth == 0:
                turn = self.seat
            n = self.offer(turn, depth)
            node = self.visit(world, turn, n)
            if node == NO:
                return False
            e = self.select(node, n)
            if depth == 0:
                while self.root[choice].move != e.move:
                    choice += 1
            path[depth] = e - self.tree.edge
            nodes[depth] = node
            seats[depth] = turn
            turns += depth == 0 or turn != seats[depth - 1]
            depth += 1
            self.game.apply(world, turn, e.move)
            # A move that is tried for the first time is judged by its playout; its node comes with the second visit.
            if e.visits == 0:
                break
        if self.informed:
            self.plies += self.game.informed(world, &stream, self.scores)
        else:
            self.plies += self.game.rollout(world, &stream, self.scores)
        self.judge()
        for i in range(depth):
            self.tree.node[nodes[i]].visits += 1
            self.tree.node[nodes[i]].value += self.values[seats[i]]
            e = &self.tree.edge[path[i]]
            e.visits += 1
            e.value += self.values[seats[i]]
        self.record(choice, depth, turns)
        return True

    cdef uint32_t visit(self, const void* world, int turn, int n) noexcept nogil:
        """The node of a decision, with an edge for every move that this world offers; NO when the tree is full."""
        cdef uint64_t key = self.game.node_key(world, turn)
        cdef uint32_t node = tree_find(&self.tree, key)
        cdef uint32_t edge, last
        cdef double gains[C_MAX_MOVES]
        cdef double top = 1
        cdef int i, j
        cdef bint looked = False
        if node == NO:
            node = tree_add_node(&self.tree, key)
            if node == NO:
                return NO
        edge = self.tree.node[node].first
        last = NO
        for i in range(n):
            while edge != NO and self.tree.edge[edge].move < self.buffer[i]:
                last = edge
                edge = self.tree.edge[edge].next
            if edge != NO and self.tree.edge[edge].move == self.buffer[i]:
                continue
            if not looked:
                self.game.promise(world, turn, self.buffer, n, gains)
                looked = True
                top = 1
                for j in range(n):
                    top = gains[j] if gains[j] > top else top
            last = tree_add_edge(&self.tree, node, last, self.buffer[i])
            if last == NO:
                return NO
            self.tree.edge[last].prior = gains[i] / top if gains[i] > 0 else 0
        return node

    cdef Edge* select(self, uint32_t node, int n) noexcept nogil:
        """Of the moves that this world offers, the one with the highest upper bound."""
        cdef double urgency = 0.5
        cdef double score, best = -1e300
        cdef uint32_t edge = self.tree.node[node].first
        cdef Edge* e
        cdef Edge* chosen = NULL
        cdef int i
        if self.tree.node[node].visits:
            urgency = <double> self.tree.node[node].value / (<double> ONE * self.tree.node[node].visits)
        for i in range(n):
            while self.tree.edge[edge].move != self.buffer[i]:
                edge = self.tree.edge[edge].next
            e = &self.tree.edge[edge]
            e.offered += 1
            score = (<double> e.value / ONE + urgency + self.bias * e.prior) / (e.visits + 1)
            score += self.exploration * sqrt(natural_log(<double> e.offered + 1) / (e.visits + 1))
            if score > best:
                best = score
                chosen = e
        return chosen

    def line(self, int choice):
        """The likeliest continuation after root move number `choice`, that move first; and how much is playable.

        ([(seat, move)], moves at its start that the seat makes before it learns anything). What is likely depends on
        the world: of a few worlds, the one whose line the search has followed most.
        """
        cdef Line lines[2]
        cdef Line* best = NULL
        cdef Line* line = &lines[0]
        cdef int number
        if not 0 <= choice < self.n_root:
            raise ValueError(f"{choice} is not the number of a root move")
        with nogil:
            for number in range(LINE_WORLDS):
                self.follow(choice, mix2(self.seed, ~<uint64_t> number), line)
                if line.followed > (best.followed if best != NULL else 0):
                    best, line = line, &lines[1] if line == &lines[0] else &lines[0]
        if best == NULL:
            return Engine.line(self, choice)
        return [(best.seats[number], best.moves[number]) for number in range(best.length)], best.playable

    cdef void follow(self, int choice, uint64_t key, Line* line) noexcept nogil:
        """The most visited moves in one world, and how often they were played in sum.

        Where the search has hardly been, the turn goes on to its end with what promises most.
        """
        cdef void* world = self.world
        cdef uint32_t node, edge
        cdef int turn = self.seat, n, i
        cdef int64_t most
        cdef bint informed = False, own = True
        cdef move_t move = self.root[choice].move
        self.imagine(key)
        line.length = line.playable = 0
        line.followed = 0
        while True:
            if turn == self.seat and not informed:
                line.playable += 1
            else:
                informed = True
            line.seats[line.length] = turn
            line.moves[line.length] = move
            line.length += 1
            self.game.apply(world, turn, move)
            turn = self.game.turn_of(world)
            while turn == C_CHANCE:
                self.game.settle(world, self.game.draw_outcome(world, key))
                turn = self.game.turn_of(world)
                informed = True
            own = own and turn == self.seat
            if turn == C_OVER or line.length == PATH:
                return
            node = tree_find(&self.tree, self.game.node_key(world, turn))
            n = self.game.list_moves(world, turn, self.buffer)
            edge = NO if node == NO else self.tree.node[node].first
            most = LINE_VISITS - 1
            for i in range(n):
                while edge != NO and self.tree.edge[edge].move < self.buffer[i]:
                    edge = self.tree.edge[edge].next
                if edge != NO and self.tree.edge[edge].move == self.buffer[i] and self.tree.edge[edge].visits > most:
                    most = self.tree.edge[edge].visits
                    move = self.buffer[i]
            if most >= LINE_VISITS:
                line.followed += most
            elif own:
                move = self.promising(world, turn, n)
            else:
                return

    cdef move_t promising(self, const void* world, int turn, int n) noexcept nogil:
        """Of the moves in the buffer, the first that promises most."""
        cdef double points[C_MAX_MOVES]
        cdef int i, top = 0
        self.game.promise(world, turn, self.buffer, n, points)
        for i in range(n):
            if points[i] > points[top]:
                top = i
        return self.buffer[top]

    @property
    def nodes(self):
        """Nodes in the tree."""
        return self.tree.nodes

    @property
    def bytes_per_node(self):
        """Bytes of the tree's memory for each node it can hold."""
        return tree_bytes(self.tree.capacity, self.tree.fanout) / self.tree.capacity
