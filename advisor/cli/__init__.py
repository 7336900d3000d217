"""The command `advisor`. One file a family of commands; this one puts them together."""

import os
import re
import sys
from typing import Annotated, Final

import typer

from advisor import __version__, polling  # noqa: F401  # polling first: it tells grpc, which the others load
from advisor.cli import advise, arena, bench, catalogue, choose, games, health, load, positions, serve, token
from advisor.cli.common import BAD_INPUT, FAILED
from advisor.cli.connection import CONNECTION, CaOption, CertOption, KeyOption, TokenOption
from advisor.connection import Connection

app = typer.Typer(
    name="advisor",
    help="A computer opponent and move advisor for board games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for family in (serve, health, games, positions, advise, choose, arena, load, token):
    family.register(app)
app.add_typer(bench.app, name="bench")
app.add_typer(catalogue.app, name="catalogue")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"advisor {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and end.")
    ] = False,
    tls_ca: CaOption = None,
    tls_cert: CertOption = None,
    tls_key: KeyOption = None,
    token_file: TokenOption = None,
) -> None:
    """A computer opponent and move advisor for board games."""
    CONNECTION.set(Connection(tls_ca, tls_cert, tls_key, token_file))


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
    given = sys.argv[1:] if arguments is None else arguments
    code: int | str | None = unreadable_argument(given)
    if code:
        print(code, file=sys.stderr)
        sys.exit(BAD_INPUT)
    if sys.stdout is None:
        _tell_output("it is closed")
        sys.exit(FAILED)
    try:
        app(args=spread_rules(given), prog_name="advisor")
    except SystemExit as ended:
        code = ended.code
    except OSError as error:
        code = FAILED
        _tell_output((error.strerror or str(error)).lower())
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
    except OSError as error:
        if code != FAILED:
            _tell_output((error.strerror or str(error)).lower())
        code = FAILED
        _forget_output()
    sys.exit(code)


def unreadable_argument(arguments: list[str]) -> str:
    """Return what is wrong with an argument that is not UTF-8, "" when all are. Names of files may be anything."""
    option = ""
    for number, argument in enumerate(arguments, start=1):
        before, option = option, ""
        name, equals, _ = argument.partition("=")
        if argument.startswith("-") and len(argument) > 1:
            option = "" if equals else argument
            before = name if equals else f"argument {number}"
        if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            is_file = before in ("-o", "--out") or (not before and os.path.exists(argument))
            if not is_file:
                return f"{ascii(before or f'argument {number}')[1:-1]}: is not UTF-8 text"
    return ""


def _tell_output(why: str) -> None:
    print(f"standard output: {why}", file=sys.stderr)


def _forget_output() -> None:
    # Python would complain once more when it flushes at exit.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115
