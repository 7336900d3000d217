"""The command `advisor`. One file a family of commands; this one puts them together."""

import re
import sys
from typing import Final

import typer

from advisor.cli import advise, arena, bench, catalogue, choose, games, positions, serve

app = typer.Typer(
    name="advisor",
    help="A computer opponent and move advisor for board games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for family in (serve, games, positions, advise, choose, arena):
    family.register(app)
app.add_typer(bench.app, name="bench")
app.add_typer(catalogue.app, name="catalogue")

_PAIR: Final = re.compile(r"[a-z_]+=\S*")


def spread_rules(arguments: list[str]) -> list[str]:
    """Let one `--rules` take several KEY=VALUE: each further one gets an option of its own."""
    spread: list[str] = []
    in_rules = False
    for argument in arguments:
        if in_rules and _PAIR.fullmatch(argument) and spread[-1] != "--rules":
            spread += ["--rules", argument]
            continue
        in_rules = argument == "--rules" or (in_rules and spread[-1] == "--rules")
        spread.append(argument)
    return spread


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; ends the process with exit code 0, 1, 2 or 3."""
    app(args=spread_rules(sys.argv[1:] if arguments is None else arguments), prog_name="advisor")
