"""`advisor arena`: matches between computer players."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from advisor.cli.common import (
    CatalogueOption,
    GameOption,
    JsonOption,
    PlayersOption,
    RulesOption,
    SeedOption,
    VariantOption,
    fail,
    handled,
    load_settings,
    new_request,
    print_figures,
)
from advisor.service import Advisor
from search.arena import run_arena
from search.players import SPEC_HELP, parse_spec


@contextmanager
def progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows (done, total) on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def check_spec(spec: str, option: str) -> str:
    """Return a player's SPEC; exits with 2 when it cannot be read."""
    try:
        parse_spec(spec)
    except ValueError as error:
        raise fail(option, str(error)) from None
    return spec


@handled
def arena(
    game: GameOption,
    players: PlayersOption,
    a: Annotated[str, typer.Option("--a", metavar="SPEC", help=f"The player that is measured: {SPEC_HELP}.")],
    b: Annotated[str | None, typer.Option("--b", metavar="SPEC", help="The others, as --a.")] = None,
    games: Annotated[int, typer.Option("--games", min=1, max=10_000_000, help="Games, rounded up to blocks.")] = 100,
    seed: SeedOption = 0,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    threads: Annotated[int | None, typer.Option("--threads", min=1, max=1024, help="Games side by side.")] = None,
    json: JsonOption = False,
) -> None:
    """Play many games between two computer players and say how often the first one wins."""
    check_spec(a, "--a")
    if b is not None:
        check_spec(b, "--b")
    settings = load_settings()
    setup = Advisor(settings).setup(new_request(game, players, variant, rules, catalogue, 0))
    if b is None and players > 1:
        raise fail("--b", "is required with more than one player")
    if b is not None and players == 1:
        raise fail("--b", "has no seat with one player")
    with progress() as report:
        figures = run_arena(lambda: setup.kernel, a, b, games, seed, threads or settings.workers, report)
    if json:
        print_figures(figures)
        return
    _print(figures)


def _print(figures: dict[str, object]) -> None:
    for key, value in figures.items():
        if isinstance(value, float):
            value = f"{value:.4f}"
        elif isinstance(value, list):
            value = " to ".join(f"{bound:.4f}" if isinstance(bound, float) else str(bound) for bound in value)
        print(f"{key:<20} {value}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(arena)
