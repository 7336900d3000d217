"""Maps of square tiles as text, whatever the game: what stands on the tiles and on their edges."""

from collections.abc import Mapping
from typing import Final, NamedTuple

INSIDE: Final = 5
"""Characters between the left and the right edge of a tile, where a game needs no more."""

Cell = tuple[int, int]


class Spot(NamedTuple):
    """A tile on a map: what stands inside, and its north, east, south and west edge as letters, " " without an icon."""

    label: str
    edges: str


def draw_map(spots: Mapping[Cell, Spot], inside: int = INSIDE) -> list[str]:
    """Return tiles as lines: each row and column says its number, an icon that two tiles share is a capital.

    inside: characters between the left and the right edge of a tile.
    """
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    columns, rows = range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)
    lines = [" " * 6 + "".join(f"x={x}".center(inside + 1) for x in columns)]
    for y in (*rows, rows.stop):
        line = " " * 6
        for x in columns:
            line += _corner(spots, x, y)
            letter = _edge(spots, (x, y - 1), (x, y), 2, "-")
            line += letter.center(inside, "-") if letter else " " * inside
        lines.append(line + _corner(spots, columns.stop, y))
        if y in rows:
            line = f"y={y}".ljust(6)
            for x in columns:
                line += _edge(spots, (x - 1, y), (x, y), 1, "|") or " "
                line += spots[x, y].label.center(inside) if (x, y) in spots else " " * inside
            lines.append(line + (_edge(spots, (columns.stop - 1, y), (columns.stop, y), 1, "|") or " "))
    return [line.rstrip() for line in lines]


def _edge(spots: Mapping[Cell, Spot], one: Cell, other: Cell, side: int, line: str) -> str:
    """Return what stands between a cell and the one on its `side`: an icon's letter, a line, "" where no tile is."""
    letters = [spots[cell].edges[at] for cell, at in ((one, side), (other, (side + 2) % 4)) if cell in spots]
    if not letters:
        return ""
    letter = letters[0].strip() or line
    return letter.upper() if len(letters) == 2 else letter


def _corner(spots: Mapping[Cell, Spot], x: int, y: int) -> str:
    return "+" if any(cell in spots for cell in ((x, y), (x - 1, y), (x, y - 1), (x - 1, y - 1))) else " "
