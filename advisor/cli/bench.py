"""`advisor bench`: figures of speed."""

import importlib.util
import random
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final

import typer
from google.protobuf.json_format import MessageToDict

import advisor
from advisor.child import ChildError
from advisor.cli.bench_rpc import CALLS, bench_rpc
from advisor.cli.bench_serving import bench_serving
from advisor.cli.common import (
    FAILED,
    CatalogueOption,
    GameOption,
    JsonOption,
    PlayersOption,
    RulesOption,
    VariantOption,
    handled,
    new_request,
    print_figures,
)
from advisor.games import Setup
from advisor.service import Advisor
from search.bench import SEARCHES, bench_playouts, bench_search
from search.request import Algorithm

SEED: Final = 7
"""Seed of the deal that is searched."""

SecondsOption = Annotated[
    float, typer.Option("--seconds", envvar="SECONDS_", min=0.1, max=3600, help="About how long to measure.")
]

app = typer.Typer(help="Measure speed.", no_args_is_help=True)


def reference_module(game: str) -> ModuleType | None:
    """Return the slow implementation of a game in tests/, or None where the tests are not installed."""
    for root in (Path(advisor.__file__).resolve().parents[1], Path.cwd()):
        path = root / "tests" / "reference" / f"{game}.py"
        spec = importlib.util.spec_from_file_location(f"_reference_{game}", path) if path.is_file() else None
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    return None


def reference_playout(setup: Setup) -> Callable[[int], None] | None:
    """Return a function that plays one uniform playout, deal included, in the slow implementation."""
    module = reference_module(setup.entry.game)
    make = _REFERENCES.get(setup.entry.game)
    return None if module is None or make is None else make(module, setup)


def _ocean_reference(module: ModuleType, setup: Setup) -> Callable[[int], None]:
    with_targets = setup.variant == "targets"
    rules = dict(setup.rules)
    game = module.ReferenceOcean(dict(setup.catalogue.content), setup.seats, rules, with_targets)
    deck = range(len(setup.catalogue.content["cards"]))
    targets = range(len(setup.catalogue.content["targets"]) + bool(rules["promo"])) if with_targets else range(0)

    def play(seed: int) -> None:
        chance = random.Random(seed)
        game.deal(chance.sample(deck, len(deck)), chance.sample(targets, len(targets)))
        while pending := game.pending():
            game.play(pending[0], chance.choice(game.moves(pending[0])))
        game.scores()

    return play


def _heart_reference(module: ModuleType, setup: Setup) -> Callable[[int], None]:
    return _by_events(module.ReferenceHeart(_catalogue_of(setup), setup.seats, dict(setup.rules)))


def _sanctuary_reference(module: ModuleType, setup: Setup) -> Callable[[int], None]:
    return _by_events(module.ReferenceSanctuary(_catalogue_of(setup), setup.seats, dict(setup.rules), setup.variant))


def _catalogue_of(setup: Setup) -> dict[str, Any]:
    return MessageToDict(setup.catalogue.message, preserving_proto_field_name=True)


def _by_events(game: Any) -> Callable[[int], None]:
    """Return a function that plays a game in which chance brings one thing at a time."""

    def play(seed: int) -> None:
        chance = random.Random(seed)
        game.start()
        while not game.over:
            outcomes = game.chance()
            if outcomes is not None:
                game.happen(chance.choices(list(outcomes), outcomes.values())[0])
            else:
                game.play(game.turn, chance.choice(game.moves(game.turn)))
        game.scores()

    return play


_REFERENCES: Final[Mapping[str, Callable[[ModuleType, Setup], Callable[[int], None]]]] = {
    "heart": _heart_reference,
    "ocean": _ocean_reference,
    "sanctuary": _sanctuary_reference,
}


@app.command()
@handled
def playouts(
    game: GameOption,
    players: PlayersOption,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    seconds: SecondsOption = 10.0,
    json: JsonOption = False,
) -> None:
    """Uniform playouts from the start position, deal included."""
    setup = Advisor().setup(new_request(game, players, variant, rules, catalogue, 0))
    tell(bench_playouts(setup.kernel, seconds, reference_playout(setup)), json)


class SearchAlgorithm(StrEnum):
    """Values of `--algorithm`: what makes simulations."""

    MCTS = "mcts"
    UCT = "uct"
    FLAT = "flat"


@app.command()
@handled
def search(
    game: GameOption,
    players: PlayersOption = 4,
    simulations: Annotated[
        int, typer.Option("--simulations", min=1, max=1_000_000_000, help="Simulations of each search.")
    ] = 10_000,
    algorithm: Annotated[
        SearchAlgorithm, typer.Option("--algorithm", help="How moves are found.")
    ] = SearchAlgorithm.MCTS,
    searches: Annotated[
        int, typer.Option("--searches", min=1, max=100_000, help="Searches with a time limit of 50 ms.")
    ] = SEARCHES,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    seconds: SecondsOption = 20.0,
    json: JsonOption = False,
) -> None:
    """The first move: simulations a second, bytes a tree node, time past a limit."""
    setup = Advisor().setup(new_request(game, players, variant, rules, catalogue, SEED))
    kernel = setup.kernel
    state = kernel.deal(SEED)
    seat = kernel.pending(state)[0]
    how = Algorithm(algorithm.value)
    try:
        figures = bench_search(kernel, kernel.observe(state, seat), simulations, seconds, how, searches)
    except (MemoryError, RuntimeError) as error:
        print(error or "the machine has not enough memory for these searches", file=sys.stderr)
        raise typer.Exit(FAILED) from None
    tell(figures, json)


@app.command()
@handled
def rpc(
    game: GameOption = "ocean",
    players: PlayersOption = 4,
    calls: Annotated[int, typer.Option("--calls", min=1, max=1_000_000, help="Calls of each kind at least.")] = CALLS,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    seconds: SecondsOption = 10.0,
    json: JsonOption = False,
) -> None:
    """What a call costs beyond its search, and health checks while every core searches."""
    try:
        figures = bench_rpc(new_request(game, players, variant, rules, catalogue, SEED), seconds, calls)
    except ChildError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(FAILED) from None
    tell(figures, json)


@app.command()
@handled
def serving(
    game: GameOption = "ocean",
    players: PlayersOption = 4,
    milliseconds: Annotated[
        float, typer.Option("--milliseconds", min=1, max=10_000, help="About how long each search takes.")
    ] = 20.0,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    seconds: SecondsOption = 30.0,
    json: JsonOption = False,
) -> None:
    """How many searches a server gets done, against the same searches in a bare loop on every core."""
    try:
        figures = bench_serving(new_request(game, players, variant, rules, catalogue, SEED), milliseconds, seconds)
    except ChildError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(FAILED) from None
    tell(figures, json)


def tell(figures: Mapping[str, Any], json: bool) -> None:
    """Print figures, for programs or for people."""
    if json:
        print_figures(figures)
        return
    for key, value in figures.items():
        if isinstance(value, dict):
            for name, number in value.items():
                print(f"{key}.{name}: {number}")
        else:
            print(f"{key}: {value}")


@app.callback()
def bench() -> None:
    """Measure speed."""
