"""Drawings: maps of habitats, and every position of a game that can come up."""

from collections.abc import Callable

import bad_requests_sanctuary as sanctuary
import pytest
from bad_requests_heart import at, due
from wire import advisor, new, new_heart, new_sanctuary, observe, over, play

from advisor.drawing import Drawing, seen_by
from advisor.render import DRAWINGS, drawing_of
from advisor.render_map import Spot, draw_map
from advisor.render_sanctuary import SanctuaryDrawing
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import game_pb2, position_pb2, sanctuary_pb2


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


MOMENTS: list[tuple[Callable[[], position_pb2.Position], str]] = [
    (sanctuary.splitting, "round 2 of 3, splitting hands"),
    (sanctuary.choosing, "round 2 of 3, choosing stacks"),
    (sanctuary.playing, "plays a card"),
    (sanctuary.returning, "sends back newcomers for want of space"),
    (sanctuary.feeding, "sends back manatees for want of food"),
    (sanctuary.picking, "a card is to be kept"),
    (sanctuary.discarding, "a card may have to go for the challenge"),
    (sanctuary.due, "a manatee is to be drawn for seat"),
    (sanctuary.scrambling, "7 players, variant scramble"),
]


@pytest.mark.parametrize(("base", "moment"), MOMENTS, ids=[base.__name__ for base, _ in MOMENTS])
def test_moments_of_sanctuary(base: Callable[[], position_pb2.Position], moment: str) -> None:
    position = base()
    pending = advisor().observe(pb.ObserveRequest(position=position)).status.pending
    for seen in (position, *(observe(position, seat) for seat in range(position.seats))):
        text = drawn(seen)
        lines = text.splitlines()
        assert moment in lines[0]
        observer = seen_by(seen)
        assert lines[1] == ("Seen by the referee" if observer is None else f"Seen by seat {observer}")
        assert text.count(" - to decide") == len(pending)
        assert text.count("x=0 ") + text.count("x=0\n") == position.seats
        assert max(map(len, lines)) <= 120
    for seat in pending:
        for seen in (position, observe(position, seat)):
            for move in advisor().list_moves(pb.ListMovesRequest(position=seen, seat=seat)).moves:
                assert drawing("sanctuary").move(move, seat, seen).startswith(move.notation)


def test_a_drawing_of_sanctuary_shows_what_a_seat_knows_and_no_more() -> None:
    position = sanctuary.splitting()
    hands = [sorted(secrets.hand) for secrets in position.sanctuary.referee.seats]
    whole = drawn(position)
    committed = next(seat for seat, entry in enumerate(position.sanctuary.table.seats) if entry.committed)
    assert whole.count("committed: split ") == whole.count(" - has chosen") == 1
    for seat in range(3):
        text = drawn(observe(position, seat))
        assert text.count("hand: 5 cards") == 2
        assert text.count("committed: split ") == (seat == committed)
        for card in hands[seat]:
            assert f"  {card} *" in text
    text = drawn(sanctuary.choosing_seen())
    assert text.count("made:") == text.count("offered to it:") == 1
    assert text.count("has made stacks of ") == 2
    assert text.count(" smaller ") + text.count(" larger ") == 10


def test_every_card_and_flower_of_sanctuary_is_on_its_map() -> None:
    """Counted again from what is drawn: a capital for each completed flower, a label for each card."""
    position = sanctuary.at("PLAY", 5, new_sanctuary(2), number=3)
    draws = SanctuaryDrawing(advisor().get_game(pb.GetGameRequest(game="sanctuary")).catalogue)
    for number, seat in enumerate(position.sanctuary.table.seats):
        lines = list(draws.seat_lines(position, number, position_pb2.Status()))
        told = next(line for line in lines if line.startswith("  flowers: "))
        start = next(i for i, line in enumerate(lines) if "x=0" in line)
        picture = [line for line in lines[start + 1 :] if line.startswith(("  y=", "        "))]
        labels = [
            word for line in picture for word in line[8:].split() if any(letter in word for letter in "@0123456789")
        ]
        assert len(labels) == len(seat.sanctuary) + 1
        for letter, colour in (("R", "red"), ("G", "green"), ("P", "purple")):
            count = "".join(picture).count(letter)
            assert (f"{count} {colour}" in told) == (count > 0)


def test_solo_and_bonuses_of_sanctuary() -> None:
    text = drawn(sanctuary.picking())
    assert "Token: " in text
    assert text.count("Drawn: ") == 2
    assert "Discards: " in text
    text = drawn(sanctuary.discarding())
    assert "Challenge: power cap" in text
    request = new_sanctuary(1, "solo", round_bonuses=True)
    assert drawn(advisor().new_position(request).position).count("Bonus of round ") == 3
    tight = new_sanctuary(1, "solo", challenge=sanctuary_pb2.SANCTUARY_CHALLENGE_TIGHT_FIT)
    assert "Challenge: tight fit" in drawn(advisor().new_position(tight).position)
    shape = new_sanctuary(1, "solo", challenge=sanctuary_pb2.SANCTUARY_CHALLENGE_ARCHITECT)
    assert "  .#./###/.#./.#." in drawn(advisor().new_position(shape).position).splitlines()
    assert "Bag 2: " in drawn(sanctuary.scrambling())


def test_components() -> None:
    heart = "\n".join(drawing("heart").components())
    assert heart.count("tile ") > 20
    assert heart.count("photo ") >= 10
    assert "Relocate" in heart
    assert len(drawing("ocean").components()) == 48
    parts = "\n".join(drawing("sanctuary").components())
    assert parts.count("card ") > 126
    assert parts.count("bonus card ") == 10
    assert "edition Estuary: starting tile prg# 4" in parts
    assert "challenge shape: .#./###/.#./.#." in parts


def test_ocean() -> None:
    text = drawn(play(new(), 14, 3))
    assert "round 3 of 9" in text
    assert text.count("has chosen") == 2
    assert "the game is over" in drawn(over(new(2)))
