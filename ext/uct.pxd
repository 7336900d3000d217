"""Plain information-set UCT."""
from ext.engine cimport Engine
from ext.tree cimport Tree


cdef class Uct(Engine):
    cdef Tree tree
