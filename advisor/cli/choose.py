"""`advisor choose`: the computer opponent's move."""

from typing import Annotated

import typer

from advisor.cli.advise import (
    AllowOption,
    AvoidOption,
    SimulationsOption,
    TimeOption,
    fill_limits,
    fill_moves,
    fill_time,
)
from advisor.cli.common import (
    JsonOption,
    SeedOption,
    ServerOption,
    SubjectArgument,
    fail,
    handled,
    in_32_bits,
    print_message,
    read_subject,
    seat_of,
    service,
)
from advisor.v1 import advisor_service_pb2


@handled
def choose(
    file: SubjectArgument,
    seat: Annotated[int | None, typer.Option("--seat", help="The seat; by default the observer's.")] = None,
    level: Annotated[int | None, typer.Option("--level", help="Strength, 1 to 10; 10 by default.")] = None,
    simulations: SimulationsOption = None,
    time: TimeOption = None,
    turn_time: Annotated[
        str | None,
        typer.Option(
            "--turn-time",
            help="Time for the whole turn; the decision gets its share. It only shortens what the strength takes.",
        ),
    ] = None,
    allow: AllowOption = None,
    avoid: AvoidOption = None,
    seed: SeedOption = 0,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Print the move that the computer opponent plays, and the rest of its turn that needs no new information.

    How strong it plays is given by a level, or by --simulations and --time. The strongest level, 10, thinks at most
    2,000 simulations a decision, whatever the turn time; give --simulations or --time for more.
    """
    subject = read_subject(file)
    request = advisor_service_pb2.ChooseMoveRequest(seat=seat_of(subject.position, seat), seed=seed)
    subject.put_into(request)
    if simulations is not None or time is not None:
        if level is not None:
            raise fail("--level", "cannot be given together with --simulations or --time")
        fill_limits(request.limits, simulations, time)
    elif level is not None:
        request.level = in_32_bits(level, "--level")
    if turn_time is not None:
        fill_time(request.turn_time, turn_time, "--turn-time")
    fill_moves(request.options, allow, avoid)
    with service(server) as asked:
        response = asked.choose_move(request)
    if json:
        print_message(response)
        return
    for move in response.moves:
        print(move.notation)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(choose)
