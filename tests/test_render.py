"""Drawings: maps of habitats, and every position of a game that can come up."""

import pytest
from bad_requests_heart import at, due
from wire import advisor, new, new_heart, observe, over, play

from advisor.drawing import Drawing, seen_by
from advisor.render import DRAWINGS, drawing_of
from advisor.render_heart import Spot, draw_map
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import game_pb2, position_pb2


def drawing(game: str) -> Drawing:
    found = drawing_of(advisor().get_game(pb.GetGameRequest(game=game)).catalogue)
    assert found is not None
    return found


def drawn(position: position_pb2.Position) -> str:
    seat = seen_by(position) or 0
    status = advisor().observe(pb.ObserveRequest(position=position, seat=seat)).status
    return drawing(position.game).draw(position, status)


def test_every_game_is_drawn() -> None:
    assert DRAWINGS.keys() == advisor().games.entries.keys()
    assert drawing_of(game_pb2.Catalogue()) is None


def test_a_map() -> None:
    spots = {(0, 0): Spot("@m3", "fr c"), (1, 0): Spot("12m", "   r"), (1, -1): Spot("7^", "sd  ")}
    assert draw_map(spots) == [
        "       x=0   x=1",
        "            +--s--+",
        "y=-1        |  7^ d",
        "      +--f--+-----+",
        "y=0   c @m3 R 12m |",
        "      +-----+-----+",
    ]


@pytest.mark.parametrize("phase", ["TAKE", "PLACE", "SWIM", "PHOTO", "SHARK"])
def test_decisions_of_heart(phase: str) -> None:
    position = at(phase)
    text = drawn(position)
    words = {"TAKE": "takes a tile", "PLACE": "places tile", "SWIM": "more swim", "PHOTO": "may take a photo card",
             "SHARK": "moves the shark"}  # fmt: skip
    assert words[phase] in text.splitlines()[0]
    assert text.splitlines()[1] == "Seen by the referee"
    assert text.count("x=0") == 3
    assert f"Seat {position.heart.table.turn} - " in text
    assert text.count(" - to decide") == 1
    assert "Seen by seat 1" in drawn(observe(position, 1))
    seat = position.heart.table.turn
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
    told = [drawing("heart").move(move, seat, position) for move in moves]
    assert all(text.startswith(move.notation) for text, move in zip(told, moves, strict=True))
    if phase == "TAKE":
        assert all(" tile " in text for text in told)


def test_every_tile_and_manatee_is_on_its_map() -> None:
    position = play(new_heart(2), 40)
    maps = drawn(position).split("\nSeat ")[1:]
    for number, seat in enumerate(position.heart.table.seats):
        lines = [line for line in maps[number].splitlines() if line.startswith("  y=")]
        labels = [
            word for line in lines for word in line.split()[1:] if any(letter in word for letter in "@0123456789")
        ]
        assert len(labels) == len(seat.habitat)
        assert sum("m" in label for label in labels) == sum(placed.manatees > 0 for placed in seat.habitat)


def test_chance_and_the_end_of_heart() -> None:
    assert "a tile is to be drawn to column" in drawn(due()).splitlines()[0]
    begun = advisor().new_position(new_heart(2))
    position, status = begun.position, begun.status
    while not status.over:
        seat = status.pending[0]
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=moves[0]))
        position, status = played.position, played.status
    text = drawn(position)
    assert "the game is over" in text.splitlines()[0]
    assert "place 1" in text


def test_components() -> None:
    heart = "\n".join(drawing("heart").components())
    assert heart.count("tile ") > 20
    assert heart.count("photo ") >= 10
    assert "Relocate" in heart
    assert len(drawing("ocean").components()) == 48


def test_ocean() -> None:
    text = drawn(play(new(), 14, 3))
    assert "round 3 of 9" in text
    assert text.count("has chosen") == 2
    assert "the game is over" in drawn(over(new(2)))
