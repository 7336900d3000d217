"""`advisor bench`: figures of speed."""

import importlib.util
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Annotated, Final

import typer

import advisor
from advisor.cli.common import (
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
from search.bench import bench_playouts

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


_REFERENCES: Final[Mapping[str, Callable[[ModuleType, Setup], Callable[[int], None]]]] = {"ocean": _ocean_reference}


@app.command()
@handled
def playouts(
    game: GameOption,
    players: PlayersOption,
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    seconds: Annotated[
        float, typer.Option("--seconds", envvar="SECONDS_", min=0.1, max=3600, help="About how long to measure.")
    ] = 10.0,
    json: JsonOption = False,
) -> None:
    """Uniform playouts from the start position, deal included."""
    setup = Advisor().setup(new_request(game, players, variant, rules, catalogue, 0))
    figures = bench_playouts(setup.kernel, seconds, reference_playout(setup))
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
