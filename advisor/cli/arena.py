"""`advisor arena`: matches between computer players."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from advisor.cli.common import (
    FAILED,
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
from advisor.games import Setup
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
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray",
            metavar="ADDRESS",
            help="Play on a Ray cluster: HOST:PORT, auto (this machine's), or local (its own).",
        ),
    ] = None,
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
    if threads is not None and ray not in (None, "local"):
        raise fail("--threads", "has no effect with --ray: a cluster has the cores that it was started with")
    threads = threads or settings.workers
    with progress() as report:
        if ray is None:
            figures = run_arena(lambda: setup.kernel, a, b, games, seed, threads, report)
        else:
            figures = run_on_ray(ray, setup, a, b, games, seed, threads, report)
    if json:
        print_figures(figures)
        return
    _print(figures)


def run_on_ray(
    address: str,
    setup: Setup,
    a: str,
    b: str | None,
    games: int,
    seed: int,
    cores: int,
    report: Callable[[int, int], None],
) -> dict[str, Any]:
    """Return the figures of an arena that a Ray cluster plays, and how it did; exits with 3 when it cannot."""
    from advisor.cluster import ClusterError, Ledger, RayExecutor, Recipe, connected

    try:
        # Ray tells of nodes that die on standard output, which is for the figures.
        with redirect_stdout(sys.stderr), connected(address, cores):
            ledger = Ledger(RayExecutor(Recipe.of(setup, a, b, seed)))
            figures = run_arena(lambda: setup.kernel, a, b, games, seed, progress=report, elsewhere=ledger.play)
            return {**figures, "ray": asdict(ledger.tasks)}
    except ClusterError as error:
        print(f"--ray: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from None


def _print(figures: dict[str, object]) -> None:
    for key, value in figures.items():
        if isinstance(value, float):
            value = f"{value:.4f}"
        elif isinstance(value, dict):
            value = ", ".join(f"{name} {number}" for name, number in value.items())
        elif isinstance(value, list):
            value = " to ".join(f"{bound:.4f}" if isinstance(bound, float) else str(bound) for bound in value)
        print(f"{key:<20} {value}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(arena)
