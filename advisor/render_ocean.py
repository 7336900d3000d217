"""Draws ocean as text: oceans by row and column, hands, targets and scores, with a legend of names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from advisor.drawing import about, headline, observer_line
from advisor.v1 import game_pb2, ocean_pb2, position_pb2

KIND_CODES: Final[Mapping[int, str]] = {
    ocean_pb2.OCEAN_KIND_PLANT: "PL",
    ocean_pb2.OCEAN_KIND_CORAL: "CO",
    ocean_pb2.OCEAN_KIND_TINY: "TI",
    ocean_pb2.OCEAN_KIND_INVERTEBRATE: "IN",
    ocean_pb2.OCEAN_KIND_SMALL: "SM",
    ocean_pb2.OCEAN_KIND_MEDIUM: "ME",
    ocean_pb2.OCEAN_KIND_GIANT: "GI",
    ocean_pb2.OCEAN_KIND_CARNIVORE: "CA",
}
KIND_NAMES: Final[Mapping[int, str]] = {
    ocean_pb2.OCEAN_KIND_PLANT: "plant",
    ocean_pb2.OCEAN_KIND_CORAL: "coral",
    ocean_pb2.OCEAN_KIND_TINY: "tiny species",
    ocean_pb2.OCEAN_KIND_INVERTEBRATE: "invertebrate",
    ocean_pb2.OCEAN_KIND_SMALL: "small marine life",
    ocean_pb2.OCEAN_KIND_MEDIUM: "medium marine life",
    ocean_pb2.OCEAN_KIND_GIANT: "giant species",
    ocean_pb2.OCEAN_KIND_CARNIVORE: "carnivore",
}
CONDITIONS: Final[Mapping[int, str]] = {
    ocean_pb2.OCEAN_CONDITION_FLAT: "4",
    ocean_pb2.OCEAN_CONDITION_EACH_TINY: "2 per adjacent tiny",
    ocean_pb2.OCEAN_CONDITION_EACH_PLANT: "3 per adjacent plant",
    ocean_pb2.OCEAN_CONDITION_EACH_PLANT_OR_CORAL: "2 per adjacent plant or coral",
    ocean_pb2.OCEAN_CONDITION_EACH_INVERTEBRATE: "3 per adjacent invertebrate",
    ocean_pb2.OCEAN_CONDITION_EACH_SMALL: "6 per adjacent small",
    ocean_pb2.OCEAN_CONDITION_EACH_TINY_OR_CORAL: "3 per adjacent tiny or coral",
    ocean_pb2.OCEAN_CONDITION_EACH_GIANT_OR_CARNIVORE: "5 per adjacent giant or carnivore",
    ocean_pb2.OCEAN_CONDITION_TWO_PLANTS: "12 per 2 adjacent plants",
    ocean_pb2.OCEAN_CONDITION_TWO_CORALS: "8 per 2 adjacent corals",
    ocean_pb2.OCEAN_CONDITION_PAIRS: "10 per adjacent pair (coral, plant, invertebrate; plants with plants too)",
    ocean_pb2.OCEAN_CONDITION_TWO_SMALL_OR_INVERTEBRATE: "12 per 2 adjacent small or invertebrate",
    ocean_pb2.OCEAN_CONDITION_TWO_TINY: "16 per 2 adjacent tiny",
    ocean_pb2.OCEAN_CONDITION_THREE_PLANTS: "23 per 3 adjacent plants",
    ocean_pb2.OCEAN_CONDITION_TWO_TINY_OR_INVERTEBRATE: "14 per 2 adjacent tiny or invertebrate",
    ocean_pb2.OCEAN_CONDITION_THREE_SMALL_OR_INVERTEBRATE: "21 per 3 adjacent small or invertebrate",
    ocean_pb2.OCEAN_CONDITION_TWO_MEDIUM: "13 per 2 adjacent medium",
}
TOPOLOGY_NAMES: Final[Mapping[int, str]] = {
    ocean_pb2.OCEAN_TOPOLOGY_SQUARE: "square, 4 neighbours",
    ocean_pb2.OCEAN_TOPOLOGY_SQUARE_DIAGONAL: "square, 8 neighbours",
    ocean_pb2.OCEAN_TOPOLOGY_HEX: "hex, 6 neighbours",
}
CELL_WIDTH: Final = 6
EMPTY: Final = "."


class OceanDrawing:
    """Draws ocean with the cards of a catalogue."""

    def __init__(self, catalogue: game_pb2.Catalogue) -> None:
        self.catalogue = catalogue
        self._ocean = catalogue.ocean

    def code(self, card: int) -> str:
        """Return a card's short code: kind and id, "PL17"."""
        if not 0 <= card < len(self._ocean.cards):
            return f"??{card}"
        return f"{KIND_CODES.get(self._ocean.cards[card].kind, '??')}{card}"

    def card(self, card: int) -> str:
        """Return a card's name."""
        return self._ocean.cards[card].name if 0 <= card < len(self._ocean.cards) else f"card {card}"

    def target(self, target: int) -> str:
        """Return a target's name with what it is worth."""
        targets = self._ocean.targets
        if 0 <= target < len(targets):
            return f"{targets[target].name} ({targets[target].points} points)"
        return self._ocean.promo_name or f"target {target}"

    def legend(self, card: int) -> str:
        """Return one line on a card: code, name, kind, how it scores."""
        entry = self._ocean.cards[card]
        kind, condition = KIND_NAMES.get(entry.kind, "?"), CONDITIONS.get(entry.condition, "?")
        return f"{self.code(card):<5} {entry.name} ({kind}): {condition}"

    def components(self) -> list[str]:
        """Return every card and target, a line each."""
        cards = [self.legend(card) for card in range(len(self._ocean.cards))]
        return cards + [f"target {target}: {self.target(target)}" for target in range(len(self._ocean.targets))]

    def move(self, move: position_pb2.Move, seat: int, position: position_pb2.Position | None) -> str:
        """Return a move with the name of the card that is picked or placed."""
        if move.ocean.HasField("pick"):
            return f"{move.notation} {self.card(move.ocean.pick.card)}"
        if position is not None and position.ocean.table.seats[seat].HasField("revealed_card"):
            return f"{move.notation} {self.card(position.ocean.table.seats[seat].revealed_card)}"
        return move.notation

    def draw(self, position: position_pb2.Position, status: position_pb2.Status) -> str:
        """Return a position as text, with a line feed at the end."""
        ocean = position.ocean
        table = ocean.table
        variant = f", variant {position.variant}" if position.variant != "base" else ""
        topology = TOPOLOGY_NAMES.get(ocean.rules.topology, "?")
        lines = [f"Ocean, {position.seats} players{variant} ({topology}) - {_moment(table)}"]
        lines.append(observer_line(position))
        cards: set[int] = set()
        for number, seat in enumerate(table.seats):
            cards.update(placed.card for placed in seat.ocean)
            lines += ["", headline(number, status, _doing(number, seat, status))]
            lines += [f"  {line}" for line in draw_ocean(seat.ocean, ocean.rules.topology, self)]
            if seat.HasField("revealed_card"):
                cards.add(seat.revealed_card)
                lines.append(f"  has to place {self.code(seat.revealed_card)} {self.card(seat.revealed_card)}")
            hand = _hand(ocean, number)
            cards.update(hand)
            if hand:
                known = "hand" if len(hand) == seat.hand_size else f"known {len(hand)} of {seat.hand_size} cards"
                lines.append(f"  {known}: {' '.join(self.code(card) for card in hand)}")
            else:
                lines.append(f"  hand: {seat.hand_size} cards")
            targets = _targets(ocean, number, seat)
            if targets:
                lines.append(f"  targets: {', '.join(self.target(target) for target in targets)}")
            commitment = _commitment(ocean, number)
            if commitment:
                lines.append(f"  committed: {commitment}")
        lines += ["", "Cards"]
        lines += [f"  {self.legend(card)}" for card in sorted(cards) if 0 <= card < len(self._ocean.cards)]
        lines += ["", f"Catalogue {self.catalogue.ref.id}: {about(self.catalogue)}"]
        return "\n".join(lines) + "\n"


def draw_ocean(placed: Iterable[ocean_pb2.OceanPlacedCard], topology: int, drawing: OceanDrawing) -> list[str]:
    """Return an ocean as lines. Every row says its y, every column or, in hex, every row's first cell its x."""
    at = {(one.cell.x, one.cell.y): drawing.code(one.card) for one in placed}
    if not at:
        return ["(no card yet)"]
    rows = range(min(y for _, y in at), max(y for _, y in at) + 1)
    if topology == ocean_pb2.OCEAN_TOPOLOGY_HEX:
        return _draw_hex(at, rows)
    columns = range(min(x for x, _ in at), max(x for x, _ in at) + 1)
    lines = [" " * 6 + "".join(f"x={x}".center(CELL_WIDTH) for x in columns).rstrip()]
    for y in rows:
        cells = "".join(at.get((x, y), EMPTY).center(CELL_WIDTH) for x in columns)
        lines.append(f"y={y:<4}{cells}".rstrip())
    return lines


def _draw_hex(at: Mapping[tuple[int, int], str], rows: Sequence[int]) -> list[str]:
    # A cell (x, y) lies half a cell to the right for every row down: its left edge is at 2 x + y half cells.
    half = CELL_WIDTH // 2
    left = min(2 * x + y for x, y in at)
    lines = []
    for y in rows:
        inside = [x for x, row in at if row == y]
        line = f"y={y:<4}"
        if inside:
            first = min(inside)
            line += " " * ((2 * first + y - left) * half)
            line += "".join(at.get((x, y), EMPTY).center(CELL_WIDTH) for x in range(first, max(inside) + 1)).rstrip()
            line += f"   (from x={first})"
        lines.append(line.rstrip())
    return lines


def _moment(table: ocean_pb2.OceanTable) -> str:
    if table.phase == ocean_pb2.OCEAN_PHASE_OVER:
        return "the game is over"
    doing = "choosing a card" if table.phase == ocean_pb2.OCEAN_PHASE_PICK else "placing the revealed cards"
    return f"round {table.round} of 9, {doing}"


def _doing(number: int, seat: ocean_pb2.OceanSeat, status: position_pb2.Status) -> str:
    if seat.committed:
        return "has chosen"
    return "to decide" if number in status.pending else ""


def _hand(ocean: ocean_pb2.OceanPosition, seat: int) -> list[int]:
    if ocean.HasField("seat_knowledge"):
        hands = ocean.seat_knowledge.hands
        return sorted(hands[seat].cards) if seat < len(hands) else []
    secrets = ocean.referee.seats
    return sorted(secrets[seat].hand) if seat < len(secrets) else []


def _targets(ocean: ocean_pb2.OceanPosition, number: int, seat: ocean_pb2.OceanSeat) -> list[int]:
    if seat.targets:
        return list(seat.targets)
    if ocean.HasField("seat_knowledge"):
        return list(ocean.seat_knowledge.targets) if ocean.seat_knowledge.seat == number else []
    secrets = ocean.referee.seats
    return list(secrets[number].targets) if number < len(secrets) else []


def _commitment(ocean: ocean_pb2.OceanPosition, seat: int) -> str:
    if ocean.HasField("seat_knowledge"):
        knowledge = ocean.seat_knowledge
        if knowledge.seat != seat or not knowledge.HasField("commitment"):
            return ""
        move = knowledge.commitment
    else:
        secrets = ocean.referee.seats
        if seat >= len(secrets) or not secrets[seat].HasField("commitment"):
            return ""
        move = secrets[seat].commitment
    if move.HasField("pick"):
        return f"pick {move.pick.card}"
    return f"place {move.place.cell.x},{move.place.cell.y}"
