"""Information-set Monte Carlo tree search."""
from libc.stdint cimport uint32_t, uint64_t

from ext.engine cimport Engine
from ext.game cimport move_t
from ext.tree cimport Edge, Tree


cdef class Mcts(Engine):
    cdef Tree tree
    cdef double exploration
    cdef double bias
    cdef bint informed

    cdef uint32_t visit(self, const void* world, int turn, int n) noexcept nogil
    cdef Edge* select(self, uint32_t node, int n) noexcept nogil
    cdef move_t promising(self, const void* world, int turn, int n) noexcept nogil
    cdef _follow(self, int choice, uint64_t key)
