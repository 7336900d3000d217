"""`advisor games`: what is held."""

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from advisor.cli.common import (
    CatalogueOption,
    JsonOption,
    ServerOption,
    console,
    drawing_with,
    handled,
    print_message,
    ref_text,
    service,
)
from advisor.drawing import about_in_full
from advisor.v1 import advisor_service_pb2, game_pb2


@handled
def games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Tell of this game in full.")] = None,
    catalogue: CatalogueOption = "",
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """List the games, or one game's rule options and catalogue."""
    with service(server) as asked:
        if game is None:
            listed = asked.list_games(advisor_service_pb2.ListGamesRequest())
            if json:
                print_message(listed)
                return
            for summary in listed.games:
                _print_summary(summary)
            return
        request = advisor_service_pb2.GetGameRequest(game=game)
        if catalogue:
            request.catalogue.id = catalogue
        found = asked.get_game(request)
    if json:
        print_message(found)
        return
    _print_summary(found.summary)
    _print_options(found)
    _print_components(found.catalogue)


def _print_summary(summary: game_pb2.GameSummary) -> None:
    out = console()
    out.print(f"{summary.game}: {escape(summary.title)}, {summary.min_seats}-{summary.max_seats} players")
    for variant in summary.variants:
        out.print(f"  variant {variant.variant}: {escape(variant.description)}")
    for ref in summary.catalogues:
        out.print(f"  catalogue {ref_text(ref)}")


def _print_options(found: advisor_service_pb2.GetGameResponse) -> None:
    table = Table(
        "rule option", "values (default first)", "what it does", "decisions", title="Rules", title_justify="left"
    )
    for option in found.options:
        values = [option.default_value, *(value for value in option.values if value != option.default_value)]
        text = option.description + (f" Only in {', '.join(option.variants)}." if option.variants else "")
        table.add_row(option.name, ", ".join(values), escape(text), ", ".join(option.decisions))
    console().print(table)


def _print_components(catalogue: game_pb2.Catalogue) -> None:
    out = console()
    for line in drawing_with(catalogue).components():
        out.print(escape(line))
    out.print(f"Catalogue {ref_text(catalogue.ref)}: {escape(about_in_full(catalogue))}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(games)
