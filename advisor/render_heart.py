"""Draws heart as text: habitats as maps of tiles with the icons on their edges, the ocean board, photo cards."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from advisor.drawing import about, headline, number_of, observer_line
from advisor.render_map import Cell, Spot, draw_map
from advisor.v1 import game_pb2, heart_pb2, position_pb2

ICON_LETTERS: Final[Mapping[int, str]] = {
    heart_pb2.HEART_ICON_FOOD: "f",
    heart_pb2.HEART_ICON_DIVER: "d",
    heart_pb2.HEART_ICON_FISH: "i",
    heart_pb2.HEART_ICON_CORAL: "c",
    heart_pb2.HEART_ICON_RESCUE: "r",
    heart_pb2.HEART_ICON_SWIM: "s",
}
ICON_NAMES: Final[Mapping[int, str]] = {
    heart_pb2.HEART_ICON_FOOD: "food",
    heart_pb2.HEART_ICON_DIVER: "diver",
    heart_pb2.HEART_ICON_FISH: "fish",
    heart_pb2.HEART_ICON_CORAL: "coral",
    heart_pb2.HEART_ICON_RESCUE: "rescue",
    heart_pb2.HEART_ICON_SWIM: "swim",
}
ACTION_NAMES: Final[Mapping[int, str]] = {
    heart_pb2.HEART_ACTION_RESCUE: "rescue",
    heart_pb2.HEART_ACTION_SWIM: "swim",
    heart_pb2.HEART_ACTION_PHOTO: "photo",
    heart_pb2.HEART_ACTION_SHARK: "shark",
}
COUNTED_NAMES: Final[Mapping[int, str]] = {
    heart_pb2.HEART_COUNTED_MANATEES: "manatee",
    heart_pb2.HEART_COUNTED_TILES: "tile",
}
BLANK: Final = "-"
"""An edge without an icon, where the edges of a tile are written in a row."""
START: Final = "@"
MANATEE: Final = "m"
SHARK: Final = "^"
LEGEND: Final = (
    f"Tiles are numbered by kind. {START} starting tile, {MANATEE} manatee, {SHARK} shark. Edges: f food, d diver,"
    " i fish, c coral, r rescue, s swim;",
    f"a capital is a complete icon. Beside a map they stand north, east, south, west: 12:fd{BLANK}s.",
)


class HeartDrawing:
    """Draws heart with the components of a catalogue."""

    def __init__(self, catalogue: game_pb2.Catalogue) -> None:
        self.catalogue = catalogue
        self._heart = catalogue.heart

    # Names.

    def tile(self, kind: int) -> str:
        """Return a kind of tile with its edges as printed: "12:fd-s"."""
        return f"{kind}:{_letters(self._heart.tiles[kind].edges, BLANK)}"

    def photo(self, kind: int) -> str:
        """Return a photo card with what it is worth and what it needs, on one line."""
        card = self._heart.photos[kind]
        needs = " and ".join(_demand(demand) for demand in card.requirement)
        return f"{kind} {card.name}: {_worth(card)}{f'; needs {needs}' if needs else ''}"

    def face(self, kind: int) -> str:
        """Return what a face of the die shows."""
        face = self._heart.die_faces[kind]
        return "Relocate" if face.relocate else " or ".join(ICON_NAMES[icon] for icon in face.attractions)

    def action(self, column: int) -> str:
        """Return the action of a column."""
        return ACTION_NAMES[self._heart.actions[column]]

    def components(self) -> list[str]:
        """Return every kind of component, a line each, and the patterns of photo cards as maps."""
        heart = self._heart
        lines = [f"tile {self.tile(kind)}, {max(tile.count, 1)} of 90" for kind, tile in enumerate(heart.tiles)]
        for seat, starting in enumerate(heart.starting_tiles):
            lines.append(f"starting tile of seat {seat}: {_letters(starting.edges, BLANK)}")
        for kind, card in enumerate(heart.photos):
            lines.append(f"photo {self.photo(kind)} ({max(card.count, 1)} of 24)")
            lines += _patterns(card)
        for kind, face in enumerate(heart.die_faces):
            lines.append(f"die face {kind}: {self.face(kind)}, {max(face.count, 1)} sides")
        lines += [f"column {column}: {self.action(column)}" for column in range(len(heart.actions))]
        return [*lines, *LEGEND]

    def move(self, move: position_pb2.Move, seat: int, position: position_pb2.Position | None) -> str:
        """Return a move with the tile that is taken and its column's action, or the photo card's name."""
        if move.heart.HasField("photo"):
            return f"{move.notation} {self._heart.photos[move.heart.photo.photo].name}"
        if move.heart.HasField("take") and position is not None:
            table, column = position.heart.table, move.heart.take.column
            tile = f"{move.notation} tile {self.tile(table.columns[column].tiles[0])}"
            return tile if table.bonus else f"{tile}, {self.action(column)}"
        return move.notation

    # Positions.

    def draw(self, position: position_pb2.Position, status: position_pb2.Status) -> str:
        """Return a position as text, with a line feed at the end."""
        table = position.heart.table
        lines = [f"Heart, {position.seats} players - {self._moment(table)}", observer_line(position)]
        lines += ["", *self._board(table)]
        for number, seat in enumerate(table.seats):
            manatees = sum(placed.manatees for placed in seat.habitat)
            doing = "to decide" if number in status.pending else ""
            lines += ["", headline(number, status, number_of(manatees, "manatee"), doing)]
            lines += [f"  {line}" for line in draw_map(self._spots(table, number))]
            lines += [f"  photo {self.photo(kind)}" for kind in sorted(seat.photos)]
        lines += ["", *LEGEND]
        lines += ["", f"Catalogue {self.catalogue.ref.id}: {about(self.catalogue)}"]
        return "\n".join(lines) + "\n"

    def _moment(self, table: heart_pb2.HeartTable) -> str:
        """Return what comes next."""
        bonus = ", its bonus" if table.bonus else ""
        tile = f" {self.tile(table.tile_in_hand)}" if table.HasField("tile_in_hand") else ""
        return {
            heart_pb2.HEART_PHASE_TAKE: f"seat {table.turn} takes a tile{bonus}",
            heart_pb2.HEART_PHASE_PLACE: f"seat {table.turn} places tile{tile}{bonus}",
            heart_pb2.HEART_PHASE_SWIM: f"seat {table.turn} may make {number_of(table.swims_left, 'more swim')}",
            heart_pb2.HEART_PHASE_PHOTO: f"seat {table.turn} may take a photo card",
            heart_pb2.HEART_PHASE_SHARK: f"seat {table.turn} moves the shark",
            heart_pb2.HEART_PHASE_DRAW_FIRST: "the first player is to be drawn",
            heart_pb2.HEART_PHASE_DRAW_TILE: f"a tile is to be drawn to column {table.refill_column}",
            heart_pb2.HEART_PHASE_DRAW_PHOTO: "a photo card is to be drawn",
            heart_pb2.HEART_PHASE_ROLL_DIE: "the die is to be rolled",
            heart_pb2.HEART_PHASE_OVER: "the game is over",
        }.get(table.phase, "?")

    def _board(self, table: heart_pb2.HeartTable) -> list[str]:
        """Return what belongs to nobody, and how long the game goes on."""
        lines = ["Ocean board, the beach end first:"]
        lines += [
            f"  column {number}, {self.action(number)}: {' '.join(self.tile(kind) for kind in column.tiles) or 'empty'}"
            for number, column in enumerate(table.columns)
        ]
        pile, discards = (sum(entry.count for entry in entries) for entries in (table.pile, table.discards))
        lines.append(f"Pile: {pile} tiles; discards: {discards}; supply: {table.supply} manatees")
        die = self.face(table.die_face) if table.HasField("die_face") else "not rolled yet"
        shark = "on the ocean board"
        if table.HasField("shark"):
            shark = f"at {table.shark.cell.x},{table.shark.cell.y} of seat {table.shark.seat}"
        lines.append(f"Die: {die}; shark: {shark}")
        if table.HasField("trigger_seat"):
            lines.append(f"Seat {table.trigger_seat} has triggered the end; turns after this one: {table.turns_left}")
        deck = sum(entry.count for entry in table.photo_deck)
        lines.append(f"Photo cards, {deck} more in the deck:")
        for kind in sorted(table.open_photos):
            lines.append(f"  {self.photo(kind)}")
            lines += [f"    {line}" for line in _patterns(self._heart.photos[kind])]
        return lines

    def _spots(self, table: heart_pb2.HeartTable, seat: int) -> dict[Cell, Spot]:
        """Return the habitat of a seat as what stands on a map."""
        spots = {}
        for placed in table.seats[seat].habitat:
            cell = placed.cell.x, placed.cell.y
            if placed.HasField("tile"):
                label, printed = str(placed.tile), self._heart.tiles[placed.tile].edges
            else:
                label, printed = START, self._heart.starting_tiles[seat].edges
            if placed.manatees:
                label += MANATEE if placed.manatees == 1 else f"{MANATEE}{placed.manatees}"
            if table.HasField("shark") and (table.shark.seat, table.shark.cell) == (seat, placed.cell):
                label += SHARK
            edges = _letters(printed, " ")
            spots[cell] = Spot(label, edges[-placed.rotation :] + edges[: -placed.rotation])
        return spots


def _letters(edges: Iterable[int], blank: str) -> str:
    return "".join(ICON_LETTERS.get(icon, blank) for icon in edges)


# Photo cards.


def _worth(card: heart_pb2.HeartPhoto) -> str:
    points = number_of(card.points, "point")
    if not card.HasField("scoring"):
        return points
    scoring = card.scoring
    what = COUNTED_NAMES.get(scoring.counted) or f"{ICON_NAMES[scoring.icon]} icon"
    return f"{points} for every {number_of(scoring.per, what) if scoring.per > 1 else what}"


def _demand(demand: heart_pb2.HeartDemand) -> str:
    if demand.HasField("icons"):
        return f"{max(demand.icons.at_least, 1)} {ICON_NAMES[demand.icons.icon]}"
    manatees = demand.pattern.manatees
    return "the pattern" + (f" with {number_of(manatees, 'manatee')}" if manatees else "")


def _patterns(card: heart_pb2.HeartPhoto) -> list[str]:
    """Return the patterns that a card needs, as maps in which only edges with an icon count."""
    lines = []
    for demand in card.requirement:
        if demand.HasField("pattern"):
            # Without the numbers of rows and columns: it may lie anywhere.
            lines += [line[6:] for line in draw_map(_pattern(demand.pattern))[1:]]
    return lines


def _pattern(pattern: heart_pb2.HeartPattern) -> dict[Cell, Spot]:
    cells: Sequence[Cell] = [(cell.x, cell.y) for cell in pattern.cells]
    edges = {cell: [" "] * 4 for cell in cells}
    for demanded in pattern.edges:
        one, other = cells[demanded.first_cell], cells[demanded.second_cell]
        step = other[0] - one[0], other[1] - one[1]
        side = ((0, -1), (1, 0), (0, 1), (-1, 0)).index(step)
        edges[one][side] = edges[other][(side + 2) % 4] = ICON_LETTERS[demanded.icon]
    return {cell: Spot("", "".join(letters)) for cell, letters in edges.items()}
