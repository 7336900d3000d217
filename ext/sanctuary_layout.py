"""How cards lie in a sanctuary: which looks they have, whether they can be placed one after the other, and why not."""

from functools import cache
from typing import NamedTuple

from ext.cells import reached
from ext.reading import Cell, Faults
from ext.sanctuary_tables import EDGES, STEPS, WALL, distinct_turns, edge_at, edges_word, turned

HOME: Cell = (0, 0)
"""The starting tile's cell."""
START = -1
"""Stands for a kind of card where the starting tile lies."""
_SIDES = ("north", "east", "south", "west")


class Half(NamedTuple):
    """How the visible half of a card, or a starting tile, looks after some turns."""

    turns: int
    """The fewest that give these edges."""
    word: int
    """The edges; 0 when they cannot be known."""
    hosts: int
    """Sides on which a host may be: bit d for side d."""
    flowers: int
    """Sides with a flower."""


Lying = tuple[int, int, Half]
"""Of a card in a sanctuary its index in the list, its kind and its looks; of the starting tile -1 and `START`."""
Laid = dict[Cell, Lying]
UNKNOWN = Half(0, 0, 0, 0)


@cache  # There are at most 4 ** 4 of these edges.
def half_of(edges: tuple[str, ...], rotation: int) -> Half:
    """How a half with these printed edges looks after `rotation` turns."""
    printed = edges_word(edges)
    different = distinct_turns(printed)
    word = turned(printed, rotation)
    return Half(
        turns=rotation % different,
        word=word,
        hosts=sum(1 << side for side in range(rotation % different, 4, different)),
        flowers=sum(1 << side for side in range(4) if edge_at(word, side) != WALL),
    )


def legal_order(laid: Laid) -> list[tuple[int, int, int, int]] | None:
    """(card, x, y, turns) of all cards, each placed legally (sanctuary-11, sanctuary-12); None if there is no order."""
    for (x, y), (_, _, half) in laid.items():
        east, south = laid.get((x + 1, y)), laid.get((x, y + 1))
        if east is not None and (half.word >> 4 ^ east[2].word >> 12) & 15:
            return None
        if south is not None and (half.word >> 8 ^ south[2].word) & 15:
            return None
    order = placeable(laid)
    return order if len(order) == len(laid) - 1 else None


def placeable(laid: Laid) -> list[tuple[int, int, int, int]]:
    """As many cards as can be placed one after the other, from the starting tile outwards; touching edges are equal.

    What can be placed can still be placed later, when more cards lie beside it, so the order tried does not matter.
    """
    touched = dict.fromkeys(laid, 0)
    del touched[HOME]
    order = []
    reached = [HOME]
    for x, y in reached:
        # Each neighbour, and the side of it on which this card is.
        for cell, side in (((x, y - 1), 4), ((x + 1, y), 8), ((x, y + 1), 1), ((x - 1, y), 2)):
            if cell not in touched:
                continue
            _, card, half = laid[cell]
            sides = touched[cell] | side
            if sides & half.hosts and sides & half.flowers:
                del touched[cell]
                reached.append(cell)
                order.append((card, *cell, half.turns))
            else:
                touched[cell] = sides
    return order


def touched_sides(cell: Cell, placed: set[Cell]) -> int:
    """The sides of a cell with a card of `placed` beyond them: bit d for side d."""
    return sum(1 << side for side, (dx, dy) in enumerate(STEPS) if (cell[0] + dx, cell[1] + dy) in placed)


def groups(left: set[Cell]) -> list[set[Cell]]:
    """Cells in groups that hang together by shared edges."""
    found = []
    while left:
        found.append(reached(left, next(iter(left))))
        left = left - found[-1]
    return found


def explain(faults: Faults, path: str, laid: Laid, all_cells: bool) -> None:
    """Faults of a sanctuary that no legal placements lead to, as far as its cards are known."""
    before = len(faults.found)
    for (x, y), lying in laid.items():
        for side in (1, 2):
            other = laid.get((x + STEPS[side][0], y + STEPS[side][1]))
            if other is not None:
                check_touching(faults, path, lying, other, side)
    if not all_cells:
        return
    for group in groups(laid.keys() - reached(laid, HOME)):
        first = min(laid[cell][0] for cell in group)
        message = "expected a cell that hangs together with the starting tile by shared edges"
        faults.add(f"{path}[{first}].cell", message)
    if len(faults.found) > before or any(half is UNKNOWN for _, _, half in laid.values()):
        return
    # Every card touches others, and rightly. What is left out of the order cannot be placed.
    placed = {HOME, *((x, y) for _, x, y, _ in placeable(laid))}
    for group in groups(laid.keys() - placed):
        first, cell = min((laid[cell][0], cell) for cell in group if touched_sides(cell, placed))
        flower = touched_sides(cell, placed) & laid[cell][2].flowers
        why = "has no host at its inner edge" if flower else "completes no flower"
        message = f"expected a legal placement: beside the cards that can be placed it {why}"
        faults.add(f"{path}[{first}]", message)


def check_touching(faults: Faults, path: str, lying: Lying, other: Lying, side: int) -> None:
    """A fault, at the later card, if the edges between two cards are not equal (sanctuary-12)."""
    if lying[0] < other[0]:
        lying, other, side = other, lying, side ^ 2
    (place, _, half), (other_place, other_card, other_half) = lying, other
    mine, theirs = edge_at(half.word, side), edge_at(other_half.word, side ^ 2)
    if mine == theirs or half is UNKNOWN or other_half is UNKNOWN:
        return
    beside = "the starting tile" if other_card == START else f"{path}[{other_place}]"
    faults.add(
        f"{path}[{place}]",
        f"expected touching edges to be equal: its {_SIDES[side]} edge has {EDGES[mine - 1]}, and {beside} beside "
        f"it {EDGES[theirs - 1]}",
    )
