"""`advisor advise`: ranked moves."""

import re
import sys
from enum import StrEnum
from typing import Annotated, Final

import typer
from google.protobuf.duration_pb2 import Duration
from rich.box import SIMPLE
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from advisor.cli.common import (
    JsonOption,
    SeedOption,
    ServerOption,
    Service,
    SubjectArgument,
    console,
    drawing_for,
    fail,
    handled,
    in_32_bits,
    in_64_bits,
    print_message,
    read_subject,
    seat_of,
    service,
)
from advisor.drawing import Drawing, about
from advisor.errors import quote
from advisor.render import advice_columns, advice_notes, advice_rows, progress_line
from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2

_TIME: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)?", re.ASCII)
_UNITS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0, None: 1.0}
_SIZE: Final = re.compile(r"([0-9]{1,20})(KiB|MiB|GiB|K|M|G)?", re.ASCII)


class AlgorithmName(StrEnum):
    """Values of `--algorithm`."""

    AUTO = "auto"
    EXPECTIMAX = "expectimax"
    MCTS = "mcts"
    UCT = "uct"
    FLAT = "flat"
    GREEDY = "greedy"
    RANDOM = "random"


class ObjectiveName(StrEnum):
    """Values of `--objective`."""

    WIN = "win"
    SCORE = "score"


def parse_time(text: str, option: str = "--time") -> float:
    """Return a time such as "250ms", "1s", "1.5" or "2m" in seconds."""
    found = _TIME.fullmatch(text.strip())
    if not found:
        raise fail(option, f"expected a time such as 250ms, 1s or 2m, not {quote(text)}")
    return float(found[1]) * _UNITS[found[2]]


def parse_size(text: str) -> int:
    """Return a size such as "64MiB" or "1048576" in bytes."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise fail("--memory", f"expected a size such as 64MiB or 1048576, not {quote(text)}")
    return int(found[1]) << {"K": 10, "M": 20, "G": 30}.get((found[2] or "")[:1], 0)


SimulationsOption = Annotated[int | None, typer.Option("--simulations", help="Stop after so many simulations.")]
TimeOption = Annotated[str | None, typer.Option("--time", help="Stop after this time: 250ms, 1s, 2m.")]
AllowOption = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="MOVE", help="Only these moves; may be given several times."),
]
AvoidOption = Annotated[
    list[str] | None, typer.Option("--avoid", metavar="MOVE", help="Not these moves; may be given several times.")
]


@handled
def advise(
    file: SubjectArgument,
    seat: Annotated[int | None, typer.Option("--seat", help="The seat; by default the observer's.")] = None,
    simulations: SimulationsOption = None,
    time: TimeOption = None,
    depth: Annotated[int | None, typer.Option("--depth", help="Deepest decision in the tree.")] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Memory for all trees: 64MiB.")] = None,
    trees: Annotated[int | None, typer.Option("--trees", help="Independent trees; part of the result.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads; never part of the result.")] = None,
    algorithm: Annotated[AlgorithmName, typer.Option("--algorithm", help="How moves are found.")] = AlgorithmName.AUTO,
    objective: Annotated[ObjectiveName, typer.Option("--objective", help="What is maximised.")] = ObjectiveName.WIN,
    max_moves: Annotated[int | None, typer.Option("--max-moves", help="Ranked moves at the most.")] = None,
    allow: AllowOption = None,
    avoid: AvoidOption = None,
    report: Annotated[
        list[str] | None, typer.Option("--report", metavar="MOVE", help="Tell of this move whatever its rank.")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="Of intervals and ties, 0.5 to 0.999; 0.95 by default.")
    ] = None,
    seed: SeedOption = 0,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Rank the moves of a seat that owes a decision."""
    subject = read_subject(file)
    request = advisor_service_pb2.AdviseRequest(seat=seat_of(subject.position, seat))
    subject.put_into(request)
    fill_limits(request.limits, simulations, time)
    if depth is not None:
        request.limits.depth = in_32_bits(depth, "--depth")
    if memory is not None:
        request.limits.memory_bytes = in_64_bits(parse_size(memory), "--memory")
    if trees is not None:
        request.options.trees = in_32_bits(trees, "--trees")
    if threads is not None:
        request.options.threads = in_32_bits(threads, "--threads")
    if max_moves is not None:
        request.options.max_moves = in_32_bits(max_moves, "--max-moves")
    if confidence is not None:
        request.options.confidence = confidence
    fill_moves(request.options, allow, avoid)
    for notation in report or ():
        request.options.report_moves.add(notation=notation)
    how = advice_pb2.AdviceOptions(objective=f"OBJECTIVE_{objective.name}", seed=seed)
    if algorithm is not AlgorithmName.AUTO:
        how.MergeFrom(advice_pb2.AdviceOptions(algorithm=f"ALGORITHM_{algorithm.name}"))
    request.options.MergeFrom(how)
    with service(server) as asked:
        response = _ask(asked, request)
        if json:
            print_message(response)
            return
        drawing = drawing_for(asked, subject.position)
    print_advice(response, request.seat, None if subject.record else subject.position, drawing)


def shows_progress() -> bool:
    """Whether somebody watches standard error."""
    return sys.stderr.isatty()


def _ask(asked: Service, request: advisor_service_pb2.AdviseRequest) -> advisor_service_pb2.AdviseResponse:
    """Return the answer, and show on standard error, if that is a terminal, what it looks like so far."""
    if not shows_progress():
        return asked.advise(request)
    with Console(stderr=True).status("searching") as shown:
        for watched in asked.watch(advisor_service_pb2.WatchAdviceRequest(advise=request)):
            if watched.final:
                return watched.advice
            shown.update(escape(progress_line(watched.advice)))
    raise AssertionError("a stream of advice ends with a final answer")


def print_advice(
    response: advisor_service_pb2.AdviseResponse, seat: int, position: position_pb2.Position | None, drawing: Drawing
) -> None:
    """Print ranked moves as a table that a player understands; `position`, if known, is where they are made."""
    table = Table(title=f"Advice for seat {seat}", title_justify="left", box=SIMPLE)
    columns = advice_columns(len(response.outlook.win_share))
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number in (0, 1, len(columns) - 1) else "right")
    for row in advice_rows(response, seat, position, drawing):
        table.add_row(*(escape(cell) for cell in row))
    out = console()
    out.print(table)
    for note in advice_notes(response, drawing):
        out.print(escape(note))
    out.print(escape(f"Catalogue {drawing.catalogue.ref.id}: {about(drawing.catalogue)}"))


def fill_limits(limits: advice_pb2.Limits, simulations: int | None, time: str | None) -> None:
    """Fill in the limits of a command line that are given."""
    if simulations is not None:
        limits.simulations = in_64_bits(simulations, "--simulations")
    if time is not None:
        fill_time(limits.time, time, "--time")


def fill_time(duration: Duration, text: str, option: str) -> None:
    """Fill in a duration as written on a command line."""
    duration.FromNanoseconds(round(min(parse_time(text, option), 1e11) * 1e9))


def fill_moves(options: advice_pb2.AdviceOptions, allow: list[str] | None, avoid: list[str] | None) -> None:
    """Fill in which moves may be ranked."""
    for notation in allow or ():
        options.allow_moves.add(notation=notation)
    for notation in avoid or ():
        options.avoid_moves.add(notation=notation)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(advise)
