"""`advisor advise`: ranked moves."""

import re
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Table

from advisor.cli.common import (
    JsonOption,
    PositionArgument,
    SeedOption,
    ServerOption,
    console,
    fail,
    handled,
    names_of,
    print_message,
    read_position,
    seat_of,
    service,
)
from advisor.render import ADVICE_COLUMNS, Names, advice_rows, advice_summary
from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2

_TIME: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)?", re.ASCII)
_UNITS: Final = {"ms": 1e-3, "s": 1.0, "m": 60.0, None: 1.0}
_SIZE: Final = re.compile(r"([0-9]+)(KiB|MiB|GiB|K|M|G)?", re.ASCII)


class AlgorithmName(StrEnum):
    """Values of `--algorithm`."""

    AUTO = "auto"
    MCTS = "mcts"
    UCT = "uct"
    FLAT = "flat"
    GREEDY = "greedy"
    RANDOM = "random"


class ObjectiveName(StrEnum):
    """Values of `--objective`."""

    WIN = "win"
    SCORE = "score"


def parse_time(text: str) -> float:
    """Return a time such as "250ms", "1s", "1.5" or "2m" in seconds."""
    found = _TIME.fullmatch(text.strip())
    if not found:
        raise fail("--time", f"expected a time such as 250ms, 1s or 2m, not {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def parse_size(text: str) -> int:
    """Return a size such as "64MiB" or "1048576" in bytes."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise fail("--memory", f"expected a size such as 64MiB or 1048576, not {text!r}")
    return int(found[1]) << {"K": 10, "M": 20, "G": 30}.get((found[2] or "")[:1], 0)


@handled
def advise(
    file: PositionArgument,
    seat: Annotated[int | None, typer.Option("--seat", help="The seat; by default the observer's.")] = None,
    simulations: Annotated[int | None, typer.Option("--simulations", help="Stop after so many simulations.")] = None,
    time: Annotated[str | None, typer.Option("--time", help="Stop after this time: 250ms, 1s, 2m.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", help="Deepest decision in the tree.")] = None,
    memory: Annotated[str | None, typer.Option("--memory", help="Memory for all trees: 64MiB.")] = None,
    trees: Annotated[int | None, typer.Option("--trees", help="Independent trees; part of the result.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads; never part of the result.")] = None,
    algorithm: Annotated[AlgorithmName, typer.Option("--algorithm", help="How moves are found.")] = AlgorithmName.AUTO,
    objective: Annotated[ObjectiveName, typer.Option("--objective", help="What is maximised.")] = ObjectiveName.WIN,
    max_moves: Annotated[int | None, typer.Option("--max-moves", help="Ranked moves at the most.")] = None,
    seed: SeedOption = 0,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Rank the moves of a seat that owes a decision."""
    position = read_position(file)
    request = advisor_service_pb2.AdviseRequest(position=position, seat=seat_of(position, seat))
    if simulations is not None:
        request.limits.simulations = _in_64_bits(simulations, "--simulations")
    if time is not None:
        seconds = min(parse_time(time), 1e11)
        request.limits.time.FromNanoseconds(round(seconds * 1e9))
    if depth is not None:
        request.limits.depth = _in_32_bits(depth, "--depth")
    if memory is not None:
        request.limits.memory_bytes = _in_64_bits(parse_size(memory), "--memory")
    if trees is not None:
        request.options.trees = _in_32_bits(trees, "--trees")
    if threads is not None:
        request.options.threads = _in_32_bits(threads, "--threads")
    if max_moves is not None:
        request.options.max_moves = _in_32_bits(max_moves, "--max-moves")
    how = advice_pb2.AdviceOptions(objective=f"OBJECTIVE_{objective.name}", seed=seed)
    if algorithm is not AlgorithmName.AUTO:
        how.MergeFrom(advice_pb2.AdviceOptions(algorithm=f"ALGORITHM_{algorithm.name}"))
    request.options.MergeFrom(how)
    with service(server) as asked:
        response = asked.advise(request)
        if json:
            print_message(response)
            return
        names = names_of(asked, position)
    print_advice(response, request.seat, position, names)


def print_advice(
    response: advisor_service_pb2.AdviseResponse, seat: int, position: position_pb2.Position, names: Names
) -> None:
    """Print ranked moves as a table that a player understands."""
    table = Table(title=f"Advice for seat {seat}", title_justify="left", box=SIMPLE)
    for number, column in enumerate(ADVICE_COLUMNS):
        table.add_column(column, justify="left" if number in (1, len(ADVICE_COLUMNS) - 1) else "right")
    for row in advice_rows(response, seat, position, names):
        table.add_row(*(escape(cell) for cell in row))
    out = console()
    out.print(table)
    out.print(escape(advice_summary(response)))
    out.print(escape(f"Catalogue {names.catalogue.ref.id}: {names.about()}"))


def _in_64_bits(value: int, option: str) -> int:
    if not -(2**63) <= value < 2**63:
        raise fail(option, "is far out of range")
    return value


def _in_32_bits(value: int, option: str) -> int:
    if not -(2**31) <= value < 2**31:
        raise fail(option, "is far out of range")
    return value


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(advise)
