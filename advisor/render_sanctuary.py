"""Draws sanctuary as text: a map of each sanctuary with the edges of its cells, hands and stacks as far as known."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from advisor.drawing import about, headline, number_of, observer_line
from advisor.render_map import Cell, Spot, draw_map
from advisor.v1 import game_pb2, position_pb2, sanctuary_pb2
from ext import sanctuary_tables

EDGE_LETTERS: Final[Mapping[int, str]] = {
    sanctuary_pb2.SANCTUARY_EDGE_RED: "r",
    sanctuary_pb2.SANCTUARY_EDGE_GREEN: "g",
    sanctuary_pb2.SANCTUARY_EDGE_PURPLE: "p",
    sanctuary_pb2.SANCTUARY_EDGE_WALL: "#",
}
FLOWERS: Final[Mapping[str, str]] = {"R": "red", "G": "green", "P": "purple"}
END_GAMES: Final[Mapping[int, str]] = {
    sanctuary_pb2.SANCTUARY_END_GAME_PAIRS: "1 point for two manatees",
    sanctuary_pb2.SANCTUARY_END_GAME_PINK: "2 points for a pink one",
    sanctuary_pb2.SANCTUARY_END_GAME_YELLOW: "3 points for a yellow one",
}
GOALS: Final[Mapping[int, str]] = {
    sanctuary_pb2.SANCTUARY_GOAL_YELLOW: "3 for a yellow manatee",
    sanctuary_pb2.SANCTUARY_GOAL_PINK: "2 for a pink manatee",
    sanctuary_pb2.SANCTUARY_GOAL_MANATEES: "1 for a manatee",
    sanctuary_pb2.SANCTUARY_GOAL_RED_FLOWERS: "3 for a red flower",
    sanctuary_pb2.SANCTUARY_GOAL_GREEN_FLOWERS: "3 for a green flower",
    sanctuary_pb2.SANCTUARY_GOAL_PURPLE_FLOWERS: "3 for a purple flower",
}
CHALLENGES: Final[Mapping[int, str]] = {
    sanctuary_pb2.SANCTUARY_CHALLENGE_HARVESTER: "harvester: at least 40 food left",
    sanctuary_pb2.SANCTUARY_CHALLENGE_TIGHT_FIT: "tight fit: each card has one space less",
    sanctuary_pb2.SANCTUARY_CHALLENGE_COLOUR_COORDINATED: "colour-coordinated: at least 7 flowers of one colour",
    sanctuary_pb2.SANCTUARY_CHALLENGE_SHORTAGE: "shortage: at most 6 flowers",
    sanctuary_pb2.SANCTUARY_CHALLENGE_POWER_CAP: "power cap: the strongest card goes once",
    sanctuary_pb2.SANCTUARY_CHALLENGE_WEAK_CUT: "weak cut: the weakest card goes every round",
    sanctuary_pb2.SANCTUARY_CHALLENGE_ARCHITECT: "architect: the challenge shape",
    sanctuary_pb2.SANCTUARY_CHALLENGE_SAVIOUR: "saviour: at least 24 manatees, none of them sent back",
}
START: Final = "@"
END_GAME: Final = "e"
"""Stands behind the kind of a card that scores in the end."""
INSIDE: Final = 7
"""Characters between the left and the right edge of a cell."""
WIDTH: Final = 120
"""Columns within which seats stand beside each other."""
GAP: Final = "   "
LEGEND: Final = (
    f"Maps: {START} is the starting tile, else there is the kind of card; then its spaces, or {END_GAME} for one that"
    " scores in the end.",
    "Edges: half a red r, green g or purple p flower, a wall #; a capital is a completed flower.",
    "Cards: kind, strength, top (g gray, p pink, y yellow, ? any manatee, h harvest); edges of the bottom north, east,"
    " south,",
    "west, and its spaces.",
)

Manatees = sanctuary_pb2.SanctuaryManatees


class SanctuaryDrawing:
    """Draws sanctuary with the cards of a catalogue."""

    def __init__(self, catalogue: game_pb2.Catalogue) -> None:
        self.catalogue = catalogue
        self._sanctuary = catalogue.sanctuary
        self._cards = [card for edition in catalogue.sanctuary.editions for card in edition.cards]

    # Names.

    def top(self, kind: int) -> str:
        """Return what the top of a card brings: "gp?h", "-" for nothing."""
        card = self._cards[kind]
        named = "g" * card.rescues.gray + "p" * card.rescues.pink + "y" * card.rescues.yellow
        return named + "?" * card.random_rescues + "h" * card.harvests or "-"

    def bottom(self, kind: int) -> str:
        """Return the bottom of a card: its edges as printed and its spaces, "rgp# 3", or what it scores in the end."""
        card = self._cards[kind]
        return f"{_letters(card.edges)} {END_GAMES.get(card.end_game, card.capacity)}"

    def card(self, kind: int) -> str:
        """Return a kind of card on one line: "17 ** ??h; rgp# 3"."""
        return f"{kind} {'*' * self._cards[kind].strength} {self.top(kind)}; {self.bottom(kind)}"

    def bonus(self, kind: int, round_index: int) -> str:
        """Return what a round bonus card rewards in a round, 0 to 2."""
        face = self._sanctuary.bonuses[kind].faces[round_index]
        if face.goal == sanctuary_pb2.SANCTUARY_GOAL_SHAPE:
            return f"{face.points} for the shape {_shape(face.shape)}"
        if face.goal == sanctuary_pb2.SANCTUARY_GOAL_LITTLE_FOOD:
            points = sanctuary_tables.LITTLE_FOOD_POINTS[round_index]
            return f"{points} for at most {sanctuary_tables.LITTLE_FOOD_MOST} food"
        return GOALS.get(face.goal, "?")

    def components(self) -> list[str]:
        """Return every kind of component, a line each."""
        sanctuary, lines, kinds = self._sanctuary, [], iter(range(len(self._cards)))
        for edition in sanctuary.editions:
            tile = edition.starting_tile
            lines.append(f"edition {edition.name}: starting tile {_letters(tile.edges)} {tile.capacity}")
            for card, kind in zip(edition.cards, kinds, strict=False):
                lines.append(f"card {self.card(kind)} ({max(card.count, 1)} of 90)")
        for kind, bonus in enumerate(sanctuary.bonuses):
            faces = " / ".join(self.bonus(kind, round_index) for round_index in range(len(bonus.faces)))
            lines.append(f"bonus card {kind}: {faces} ({max(bonus.count, 1)} of 10)")
        if sanctuary.HasField("solo_track"):
            values = ", ".join(map(str, sanctuary.solo_track.values))
            lines.append(f"solo track from {-sanctuary.solo_track.start} steps up: {values}")
        if sanctuary.HasField("challenge_shape"):
            lines.append(f"challenge shape: {_shape(sanctuary.challenge_shape)}")
        return [*lines, *LEGEND]

    def move(self, move: position_pb2.Move, seat: int, position: position_pb2.Position | None) -> str:
        """Return a move with what the half that is played shows, or with the cards of the stack that is kept."""
        said = move.sanctuary
        match said.WhichOneof("move"):
            case "top":
                return f"{move.notation} {self.top(said.top.card)}"
            case "bottom":
                return f"{move.notation} {self.bottom(said.bottom.card)}"
            case "pick":
                return f"pick {self.card(said.pick.card)}"
            case "discard":
                return f"discard {self.card(said.discard.card)}"
            case "choose" if position is not None:
                knowledge = position.sanctuary.seat_knowledge
                if knowledge.seat == seat and knowledge.HasField("offered"):
                    smaller = said.choose.stack == sanctuary_pb2.SANCTUARY_STACK_SMALLER
                    cards = knowledge.offered.smaller if smaller else knowledge.offered.larger
                    return f"{move.notation} {_kinds(cards)}"
        return move.notation

    # Positions.

    def draw(self, position: position_pb2.Position, status: position_pb2.Status) -> str:
        """Return a position as text, with a line feed at the end."""
        table = position.sanctuary.table
        variant = f", variant {position.variant}" if position.variant != "base" else ""
        players = number_of(position.seats, "player")
        lines = [f"Sanctuary, {players}{variant} - {_moment(table)}", observer_line(position)]
        lines += self._commons(position)
        blocks = [list(self.seat_lines(position, seat, status)) for seat in range(len(table.seats))]
        lines += _beside(blocks)
        lines += ["", *LEGEND]
        lines += ["", f"Catalogue {self.catalogue.ref.id}: {about(self.catalogue)}"]
        return "\n".join(lines) + "\n"

    def _commons(self, position: position_pb2.Position) -> Iterator[str]:
        """Yield what belongs to nobody, or is there once."""
        table, rules = position.sanctuary.table, position.sanctuary.rules
        for number, bag in enumerate(table.bags):
            whose = f" {number + 1}" if len(table.bags) > 1 else ""
            yield f"Bag{whose}: {_manatees(bag)}"
        for round_index, kind in enumerate(table.bonuses):
            yield f"Bonus of round {round_index + 1}: {self.bonus(kind, round_index)}"
        if rules.challenge in CHALLENGES:
            yield f"Challenge: {CHALLENGES[rules.challenge]}; at least 71 points"
            if rules.challenge == sanctuary_pb2.SANCTUARY_CHALLENGE_ARCHITECT:
                yield f"  {_shape(self._sanctuary.challenge_shape)}"
            if table.strongest_discarded:
                yield "  done"
            if table.sent_back:
                yield "  lost: a manatee was sent back"
        if position.variant == "solo":
            track = self._sanctuary.solo_track
            points = track.values[track.start + table.token]
            steps = f"{number_of(abs(table.token), 'step')} {'down' if table.token < 0 else 'up'}"
            yield f"Token: {steps}, {number_of(points, 'point')}"
            yield from (f"Drawn: {self.card(kind)}" for kind in sorted(table.drawn))
            if table.discards:
                yield f"Discards: {_kinds(table.discards)}"

    def seat_lines(self, position: position_pb2.Position, number: int, status: position_pb2.Status) -> Iterator[str]:
        """Yield what a seat has, line by line, as far as the position knows it."""
        table = position.sanctuary.table
        seat = table.seats[number]
        spots = self._spots(position, number)
        yield headline(number, status, _doing(seat, number in status.pending))
        yield f"  {seat.food} food; manatees: {_manatees(seat.manatees)}; spaces: {self._spaces(position, number)}"
        if table.HasField("turn") and table.turn == number and table.phase in _TAKING_IN:
            more = f"; {table.draws_left} more to draw" if table.draws_left else ""
            yield f"  newcomers: {_manatees(table.newcomers)}{more}"
        flowers = _flowers(spots)
        told = ", ".join(f"{count} {FLOWERS[letter]}" for letter, count in sorted(flowers.items()))
        yield f"  flowers: {told or 'none'}"
        yield from (f"  {line}" for line in draw_map(spots, INSIDE))
        for placed in sorted(seat.sanctuary, key=lambda one: one.card):
            if self._cards[placed.card].end_game:
                yield f"  {placed.card}{END_GAME}: {END_GAMES[self._cards[placed.card].end_game]}"
        if seat.tops:
            yield f"  tops: {_kinds(seat.tops)}"
        yield from (f"  {line}" for line in self._cards_of(position.sanctuary, number))

    def _cards_of(self, sanctuary: sanctuary_pb2.SanctuaryPosition, number: int) -> Iterator[str]:
        """Yield hand, stacks and commitment of a seat, as far as the position knows them."""
        seat = sanctuary.table.seats[number]
        secrets = _secrets(sanctuary, number)
        hand = secrets.hand if secrets is not None else _seen_hand(sanctuary, number)
        if seat.hand_size and not hand:
            yield f"hand: {number_of(seat.hand_size, 'card')}"
        elif hand:
            known = "" if len(hand) == seat.hand_size else f", {len(hand)} of {seat.hand_size} cards known"
            yield f"hand{known}:"
            yield from (f"  {self.card(kind)}" for kind in sorted(hand))
        if secrets is not None and secrets.HasField("made"):
            yield from self._stacks("made", secrets.made)
        elif seat.smaller_stack:
            yield f"has made stacks of {seat.smaller_stack} and {sanctuary_tables.DEALT - seat.smaller_stack} cards"
        if isinstance(secrets, sanctuary_pb2.SanctuarySeatKnowledge) and secrets.HasField("offered"):
            yield from self._stacks("offered to it", secrets.offered)
        if secrets is not None and secrets.HasField("commitment"):
            yield f"committed: {_commitment(secrets.commitment)}"

    def _stacks(self, what: str, stacks: sanctuary_pb2.SanctuaryStacks) -> Iterator[str]:
        yield f"{what}:"
        yield from (f"  smaller {self.card(kind)}" for kind in stacks.smaller)
        yield from (f"  larger {self.card(kind)}" for kind in stacks.larger)

    def _spots(self, position: position_pb2.Position, seat: int) -> dict[Cell, Spot]:
        """Return the sanctuary of a seat as what stands on a map."""
        tile = self._starting_tile(position, seat)
        spots = {(0, 0): Spot(f"{START}:{tile.capacity}", _letters(tile.edges))}
        for placed in position.sanctuary.table.seats[seat].sanctuary:
            card = self._cards[placed.card]
            spaces = END_GAME if card.end_game else f":{self._capacity(position, placed.card)}"
            edges = _letters(card.edges)
            turned = edges[-placed.rotation :] + edges[: -placed.rotation]
            spots[placed.cell.x, placed.cell.y] = Spot(f"{placed.card}{spaces}", turned)
        return spots

    def _spaces(self, position: position_pb2.Position, seat: int) -> int:
        placed = position.sanctuary.table.seats[seat].sanctuary
        return self._starting_tile(position, seat).capacity + sum(self._capacity(position, one.card) for one in placed)

    def _starting_tile(self, position: position_pb2.Position, seat: int) -> sanctuary_pb2.SanctuaryStartingTile:
        edition = sanctuary_tables.edition_of(seat, position.seats, position.variant)
        return self._sanctuary.editions[edition].starting_tile

    def _capacity(self, position: position_pb2.Position, kind: int) -> int:
        tight = position.sanctuary.rules.challenge == sanctuary_pb2.SANCTUARY_CHALLENGE_TIGHT_FIT
        return max(0, self._cards[kind].capacity - tight)


_TAKING_IN: Final = (sanctuary_pb2.SANCTUARY_PHASE_DRAW_MANATEE, sanctuary_pb2.SANCTUARY_PHASE_RETURN)
"""Phases in which there are newcomers."""


def _moment(table: sanctuary_pb2.SanctuaryTable) -> str:
    """Return what comes next."""
    turn = table.turn
    doing = {
        sanctuary_pb2.SANCTUARY_PHASE_SPLIT: "splitting hands",
        sanctuary_pb2.SANCTUARY_PHASE_CHOOSE: "choosing stacks",
        sanctuary_pb2.SANCTUARY_PHASE_PICK: "a card is to be kept",
        sanctuary_pb2.SANCTUARY_PHASE_DISCARD: "a card may have to go for the challenge",
        sanctuary_pb2.SANCTUARY_PHASE_PLAY: f"seat {turn} plays a card",
        sanctuary_pb2.SANCTUARY_PHASE_RETURN: f"seat {turn} sends back newcomers for want of space",
        sanctuary_pb2.SANCTUARY_PHASE_FEED: f"seat {turn} sends back manatees for want of food",
        sanctuary_pb2.SANCTUARY_PHASE_DRAW_BONUS: "a round bonus card is to be drawn",
        sanctuary_pb2.SANCTUARY_PHASE_DRAW_CARD: "a card is to be drawn",
        sanctuary_pb2.SANCTUARY_PHASE_DRAW_MANATEE: f"a manatee is to be drawn for seat {turn}",
        sanctuary_pb2.SANCTUARY_PHASE_OVER: "the game is over",
    }.get(table.phase, "?")
    return f"round {table.round} of {sanctuary_tables.ROUNDS}, {doing}"


def _doing(seat: sanctuary_pb2.SanctuarySeat, pending: bool) -> str:
    if seat.committed:
        return "has chosen"
    return "to decide" if pending else ""


def _secrets(
    sanctuary: sanctuary_pb2.SanctuaryPosition, seat: int
) -> sanctuary_pb2.SanctuarySecrets | sanctuary_pb2.SanctuarySeatKnowledge | None:
    """Return what the position knows of a seat as that seat does; None of another than the observer."""
    if sanctuary.HasField("seat_knowledge"):
        knowledge = sanctuary.seat_knowledge
        return knowledge if knowledge.seat == seat else None
    return sanctuary.referee.seats[seat]


def _seen_hand(sanctuary: sanctuary_pb2.SanctuaryPosition, seat: int) -> Sequence[int]:
    """Return the cards of another's hand that the observer knows (sanctuary-5)."""
    knowledge, seats = sanctuary.seat_knowledge, len(sanctuary.table.seats)
    if seat == (knowledge.seat + 1) % seats:
        return knowledge.left_hand
    return knowledge.right_hand if seat == (knowledge.seat - 1) % seats else ()


def _commitment(move: sanctuary_pb2.SanctuaryMove) -> str:
    if move.HasField("split"):
        return f"split {_kinds(move.split.cards)}"
    return "keep smaller" if move.choose.stack == sanctuary_pb2.SANCTUARY_STACK_SMALLER else "keep larger"


def _flowers(spots: Mapping[Cell, Spot]) -> Counter[str]:
    """Count the completed flowers of each colour, by their capital letters."""
    flowers: Counter[str] = Counter()
    for (x, y), spot in spots.items():
        for beside, side in (((x + 1, y), 1), ((x, y + 1), 2)):
            letter = spot.edges[side].upper()
            if beside in spots and letter in FLOWERS:
                flowers[letter] += 1
    return flowers


def _beside(blocks: Iterable[list[str]]) -> list[str]:
    """Return blocks of lines beside each other, as many as go into a row, an empty line above each row."""
    lines: list[str] = []
    row: list[list[str]] = []
    for block in (*blocks, []):
        width = sum(max(map(len, one)) + len(GAP) for one in row) + max(map(len, block), default=0)
        if row and (not block or width > WIDTH):
            widths = [max(map(len, one)) for one in row]
            lines.append("")
            for parts in zip_longest(*row, fillvalue=""):
                told = (part.ljust(wide) for part, wide in zip(parts, widths, strict=True))
                lines.append(GAP.join(told).rstrip())
            row = []
        row.append(block)
    return lines


def _letters(edges: Iterable[int]) -> str:
    return "".join(EDGE_LETTERS.get(edge, "?") for edge in edges)


def _kinds(kinds: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(kinds)))


def _manatees(manatees: Manatees) -> str:
    counts = (("gray", manatees.gray), ("pink", manatees.pink), ("yellow", manatees.yellow))
    return ", ".join(f"{count} {colour}" for colour, count in counts if count) or "none"


def _shape(shape: sanctuary_pb2.SanctuaryShape) -> str:
    """Return a shape in rows from the top: "##./.##"."""
    cells = {(cell.x, cell.y) for cell in shape.cells}
    columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
    rows = range(min(y for _, y in cells), max(y for _, y in cells) + 1)
    return "/".join("".join("#" if (x, y) in cells else "." for x in columns) for y in rows)
