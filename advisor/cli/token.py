"""`advisor token`: a new token for a client of a server."""

import sys
from typing import Annotated

import typer

from advisor.cli.common import fail, handled
from advisor.tokens import make_token


@handled
def token(name: Annotated[str, typer.Argument(metavar="NAME", help="What the server calls the client.")]) -> None:
    """Make a token for a client of a server.

    Standard output gets the line for the server's token file, which holds no secret; standard error gets the token,
    this once: `advisor token game-one >> tokens 2> game-one.token`.
    """
    try:
        secret, line = make_token(name)
    except ValueError as error:
        raise fail("NAME", str(error)) from None
    print(line)
    print(secret, file=sys.stderr)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(token)
