"""Plain information-set UCT with uniform playouts: the yardstick, frozen. Its answers for a seed never change again.

One world an iteration; every seat selects at its own nodes, keyed by what it has seen, without sight of the others'
open commitments (multiple-observer IS-MCTS: Cowling, Powley, Whitehouse 2012). UCB1 over the moves that the world
offers, with the number of offers in place of the parent's visits. One edge is added an iteration.
"""
from libc.math cimport sqrt
from libc.stdint cimport uint32_t, uint64_t

from ext.engine cimport ONE, Engine, natural_log
from ext.game cimport C_CHANCE, C_OVER, move_t
from ext.rng cimport Stream, below, mix2, seed_stream
from ext.tree cimport (
    NO, Edge, tree_add_edge, tree_add_node, tree_bytes, tree_capacity, tree_close, tree_find, tree_open,
)

cdef double EXPLORATION = 0.7
cdef enum:
    PATH = 512


cdef class Uct(Engine):
    """Plain information-set UCT. A node and its edge take `bytes_per_node` bytes of `memory`."""

    def __init__(self, game, observation, objective, seed, tree=0, depth=1000, *, memory, simulations, allowed=None):
        capacity = min(tree_capacity(memory, 1), simulations + 1)
        if capacity < 1 or not tree_open(&self.tree, capacity, 1):
            raise MemoryError

    def __dealloc__(self):
        # Giving back a large tree takes milliseconds: nobody else has to wait for them.
        with nogil:
            tree_close(&self.tree)

    cdef bint simulate(self) noexcept nogil:
        cdef Stream stream
        cdef uint32_t path[PATH]
        cdef int seats[PATH]
        cdef int depth = 0, turns = 0, choice = -1
        cdef int turn, n, i, pick, untried, limit
        cdef uint32_t node, edge, best_edge
        cdef uint64_t node_key, key = mix2(self.seed, self.simulations)
        cdef move_t move
        cdef double score, best
        cdef bint grown = False
        cdef Edge* e
        cdef void* world = self.world
        limit = self.depth_limit if self.depth_limit < PATH else PATH
        self.imagine(key)
        seed_stream(&stream, key + 1)
        while not grown and depth < limit:
            turn = self.game.turn_of(world)
            if turn == C_CHANCE:
                self.game.settle(world, self.game.draw_outcome(world, key))
                continue
            if turn == C_OVER:
                break
            if depth == 0:
                turn = self.seat
            n = self.offer(turn, depth)
            node_key = self.game.node_key(world, turn)
            node = tree_find(&self.tree, node_key)
            if node == NO:
                node = tree_add_node(&self.tree, node_key)
                if node == NO:
                    return False
            # Merge the legal moves with the node's edges; both ascend.
            edge = self.tree.node[node].first
            untried = 0
            best_edge = NO
            best = -1
            for i in range(n):
                while edge != NO and self.tree.edge[edge].move < self.buffer[i]:
                    edge = self.tree.edge[edge].next
                e = &self.tree.edge[edge]
                if edge == NO or e.move != self.buffer[i]:
                    # Reservoir of one: every untried move is as likely.
                    untried += 1
                    if below(&stream, untried) == 0:
                        pick = i
                    continue
                e.offered += 1
                score = <double> e.value / (<double> ONE * e.visits)
                score += EXPLORATION * sqrt(natural_log(<double> e.offered) / e.visits)
                if score > best:
                    best = score
                    best_edge = edge
            if untried > 0:
                move = self.buffer[pick]
                best_edge = tree_add_edge(&self.tree, node, NO, move)
                if best_edge == NO:
                    return False
                self.tree.edge[best_edge].offered = 1
                grown = True
            else:
                move = self.tree.edge[best_edge].move
            self.tree.node[node].visits += 1
            if depth == 0:
                choice = 0
                while self.root[choice].move != move:
                    choice += 1
            path[depth] = best_edge
            seats[depth] = turn
            turns += depth == 0 or turn != seats[depth - 1]
            depth += 1
            self.game.apply(world, turn, move)
        self.plies += self.game.rollout(world, &stream, self.scores)
        self.judge()
        for i in range(depth):
            e = &self.tree.edge[path[i]]
            e.visits += 1
            e.value += self.values[seats[i]]
        self.record(choice, depth, turns)
        return True

    @property
    def nodes(self):
        """Nodes in the tree."""
        return self.tree.nodes

    @property
    def bytes_per_node(self):
        """Bytes of the tree's memory for each node it can hold."""
        return tree_bytes(self.tree.capacity, 1) / self.tree.capacity
