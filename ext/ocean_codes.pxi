"""Moves of ocean in order and as they are written. Part of ext/ocean.pyx."""
from ext.game cimport move_t
from ext.lists cimport write_number


cdef void spell(move_t move, char* text) noexcept nogil:
    """The part of a notation that tells moves of one kind apart: "17", "1,-2"."""
    cdef int cell = move & ~<move_t> PLACE
    if move & PLACE:
        text = write_number(cell % WIDTH - 9, text)
        text[0] = c','
        text = write_number(cell // WIDTH - 9, text + 1)
    else:
        text = write_number(cell, text)
    text[0] = 0


cdef void sort_cells(move_t* cells, int n) noexcept nogil:
    cdef int i, j
    cdef move_t cell
    for i in range(1, n):
        cell = cells[i]
        j = i
        while j > 0 and cells[j - 1] > cell:
            cells[j] = cells[j - 1]
            j -= 1
        cells[j] = cell
