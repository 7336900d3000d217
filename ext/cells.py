"""Cells of a grid, as games lay cards and tiles out on one."""

from collections.abc import Iterable

from ext.reading import Cell


def reached(cells: Iterable[Cell], start: Cell) -> set[Cell]:
    """The cells that hang together with `start` by shared edges, itself included."""
    left = set(cells) - {start}
    found = {start}
    frontier = [start]
    while frontier:
        x, y = frontier.pop()
        for cell in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
            if cell in left:
                left.remove(cell)
                found.add(cell)
                frontier.append(cell)
    return found
