"""`advisor new`, `observe`, `moves`, `apply` and `render`: positions in files."""

import sys
from typing import Annotated

import typer
from google.protobuf.message import Message

from advisor.cli.common import (
    STREAM,
    CatalogueOption,
    GameArgument,
    JsonOption,
    OutOption,
    PlayersOption,
    PositionArgument,
    RulesOption,
    SeedOption,
    ServerOption,
    Service,
    VariantOption,
    drawing_for,
    fail,
    handled,
    in_32_bits,
    new_request,
    parse_message,
    print_message,
    read_position,
    seat_of,
    service,
    write_file,
)
from advisor.drawing import seen_by
from advisor.v1 import advisor_service_pb2, position_pb2

SeatOption = Annotated[int | None, typer.Option("--seat", help="The seat; by default the one whose observation it is.")]


def _hand_out(
    asked: Service,
    response: Message,
    position: position_pb2.Position,
    status: position_pb2.Status,
    out: str,
    json: bool,
) -> None:
    """Write the position where it is wanted, and show people what it looks like where there is room for it.

    Without a file the position itself goes to standard output, ready for the next command.
    """
    if out != STREAM:
        write_file(out, position)
    if json:
        print_message(response)
    elif out != STREAM:
        sys.stdout.write(drawing_for(asked, position).draw(position, status))
    else:
        print_message(position)


@handled
def new(
    game: GameArgument,
    players: PlayersOption,
    seed: SeedOption = 0,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    first_seat: Annotated[int | None, typer.Option("--first-seat", help="Who begins, where a game has that.")] = None,
    out: OutOption = STREAM,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Set up a game: a referee's position, dealt from the seed."""
    request = new_request(game, players, variant, rules, catalogue, seed)
    if first_seat is not None:
        request.first_seat = in_32_bits(first_seat, "--first-seat")
    with service(server) as asked:
        response = asked.new_position(request)
        _hand_out(asked, response, response.position, response.status, out, json)


@handled
def observe(
    file: PositionArgument,
    seat: SeatOption = None,
    out: OutOption = STREAM,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Show a referee's position as one seat sees it."""
    position = read_position(file)
    request = advisor_service_pb2.ObserveRequest(position=position, seat=seat_of(position, seat))
    with service(server) as asked:
        response = asked.observe(request)
        _hand_out(asked, response, response.position, response.status, out, json)


@handled
def moves(
    file: PositionArgument,
    seat: SeatOption = None,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """List the legal moves of a seat."""
    position = read_position(file)
    asking = seat_of(position, seat)
    with service(server) as asked:
        response = asked.list_moves(advisor_service_pb2.ListMovesRequest(position=position, seat=asking))
        if json:
            print_message(response)
            return
        drawing = drawing_for(asked, position)
    for move in response.moves:
        print(drawing.move(move, asking, position))


@handled
def apply(
    file: PositionArgument,
    move: Annotated[str | None, typer.Option("--move", help='The move, such as "pick 17" or "take 2".')] = None,
    seat: SeatOption = None,
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="JSON",
            help="An event that was seen, or on a referee's position what chance brought; in order.",
        ),
    ] = None,
    seed: SeedOption = 0,
    out: OutOption = STREAM,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Play a move, or take up what chance brought or an observer has seen."""
    position = read_position(file)
    request = advisor_service_pb2.ApplyMoveRequest(position=position, seed=seed)
    if move is not None:
        if not move.strip():
            raise fail("--move", "is empty")
        request.seat = seat_of(position, seat)
        request.move.notation = move
    for number, text in enumerate(event or ()):
        request.events.append(parse_message(text, position_pb2.Event, f"events[{number}]"))
    with service(server) as asked:
        response = asked.apply_move(request)
        if not json:
            # Beside the position, which may be on standard output.
            for happened in response.events:
                private = f" (only seat {happened.private_to} knows)" if happened.HasField("private_to") else ""
                print(happened.text + private, file=sys.stderr)
        _hand_out(asked, response, response.position, response.status, out, json)


@handled
def render(
    file: PositionArgument,
    server: ServerOption = None,
) -> None:
    """Draw a position as text."""
    position = read_position(file)
    with service(server) as asked:
        status = _status(asked, position)
        sys.stdout.write(drawing_for(asked, position).draw(position, status))


def _status(asked: Service, position: position_pb2.Position) -> position_pb2.Status:
    """Return where a position stands; asking also checks it."""
    observer = seen_by(position)
    response = asked.observe(advisor_service_pb2.ObserveRequest(position=position, seat=observer or 0))
    status = response.status
    if observer is None:
        # Seat 0 does not know the others' targets, so its view of their points is not the referee's.
        for seat in range(1, position.seats):
            other = asked.observe(advisor_service_pb2.ObserveRequest(position=position, seat=seat))
            status.scores[seat] = other.status.scores[seat]
    return status


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (new, observe, moves, apply, render):
        app.command()(command)
