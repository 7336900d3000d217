"""`advisor catalogue check`: whether a catalogue file is sound."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from advisor.catalogues import inspect
from advisor.cli.common import NEGATIVE, JsonOption, fail, handled, print_figures, read_text
from advisor.games import ENTRIES
from ext.errors import Violation

DEFAULT_GAME: Final = "ocean"
"""What a file is for that does not say so."""

app = typer.Typer(help="Catalogues: the data printed on a game's components.", no_args_is_help=True)


@app.command()
@handled
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A catalogue; - is standard input.")],
    game: Annotated[
        str | None, typer.Option("--game", help="The game it is for; of a file GAME-NAME.json that one by default.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say everything that is wrong with a catalogue file. Exit code 1 if anything is."""
    game = game or _game_of(file)
    entry = next((entry for entry in ENTRIES if entry.game == game), None)
    if entry is None:
        raise fail("--game", f"expected {', '.join(entry.game for entry in ENTRIES)}, not {game!r}")
    report = inspect(read_text(file), game, entry.converter)
    if json:
        print_figures(
            {
                "ok": report.catalogue is not None,
                "game": game,
                "id": report.catalogue.id if report.catalogue else None,
                "digest": report.catalogue.digest if report.catalogue else None,
                "faults": _as_json(report.faults),
                "warnings": _as_json(report.warnings),
            }
        )
    else:
        for path, message in report.faults:
            print(f"{path}: {message}" if path else message)
        for path, message in report.warnings:
            print(f"warning: {path}: {message}")
        if report.catalogue is None:
            print(f"{file}: {len(report.faults)} faults", file=sys.stderr)
        else:
            print(f"sound: {report.catalogue.id}, digest {report.catalogue.digest}")
    if report.catalogue is None:
        raise typer.Exit(NEGATIVE)


def _game_of(file: str) -> str:
    """Return the game that a file's name begins with, as in the folders of a server."""
    name = Path(file).name
    return next((entry.game for entry in ENTRIES if name.startswith(f"{entry.game}-")), DEFAULT_GAME)


def _as_json(violations: list[Violation]) -> list[dict[str, str]]:
    return [{"path": path, "message": message} for path, message in violations]


@app.callback()
def catalogue() -> None:
    """Catalogues: the data printed on a game's components."""
