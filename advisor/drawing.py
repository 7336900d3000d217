"""What a drawing of a game's positions and moves has in common, whatever the game. One file a game implements it."""

from typing import Final, Protocol

from advisor.v1 import game_pb2, position_pb2

ABOUT_LENGTH: Final = 100
"""Characters of a catalogue's own word that are shown."""


class Drawing(Protocol):
    """Draws one game, with the names and numbers of one catalogue. What it is given has been found sound."""

    @property
    def catalogue(self) -> game_pb2.Catalogue:
        """The catalogue."""

    def draw(self, position: position_pb2.Position, status: position_pb2.Status) -> str:
        """Return a position as text, with a line feed at the end."""

    def move(self, move: position_pb2.Move, seat: int, position: position_pb2.Position | None) -> str:
        """Return a move as a player says it, "pick 17 Dugong"; `position`, if known, is where it is made."""

    def components(self) -> list[str]:
        """Return everything in the catalogue, a line each."""


def about(catalogue: game_pb2.Catalogue) -> str:
    """Return the catalogue's own word on what it is, on one line."""
    text = " ".join(about_in_full(catalogue).split())
    first = text.split(". ")[0].rstrip(".") + "."
    return first if len(first) <= ABOUT_LENGTH else first[: ABOUT_LENGTH - 3] + "..."


def about_in_full(catalogue: game_pb2.Catalogue) -> str:
    """Return the catalogue's own word on what it is."""
    return str(getattr(catalogue, catalogue.WhichOneof("content") or "").about)


def seen_by(position: position_pb2.Position) -> int | None:
    """Return the seat whose observation it is; None for a referee's position and for one of an unknown game."""
    member = position.WhichOneof("content")
    if member in (None, "other"):
        return None
    content = getattr(position, member)
    return content.seat_knowledge.seat if content.HasField("seat_knowledge") else None


def number_of(count: int, what: str) -> str:
    """Return a number of things: "1 tile", "2 tiles"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def observer_line(position: position_pb2.Position) -> str:
    """Return a line that says whose position it is."""
    seat = seen_by(position)
    return "Seen by the referee" if seat is None else f"Seen by seat {seat}"


def headline(seat: int, status: position_pb2.Status, *more: str) -> str:
    """Return the line above what a seat has: its points, its place, and what more there is to say."""
    parts = [f"Seat {seat}"]
    if seat < len(status.scores):
        parts.append(f"{status.scores[seat]} points")
    if seat < len(status.ranks):
        parts.append(f"place {status.ranks[seat]}")
    return " - ".join([*parts, *filter(None, more)])
