"""`advisor health`: whether a server takes calls."""

from typing import Annotated

import typer

from advisor.cli.common import NEGATIVE, handled
from advisor.cli.connection import CONNECTION, Connection
from advisor.health import DEFAULT_SERVER, SERVING, TIMEOUT_SECONDS, ask


@handled
def health(
    server: Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="The server.")] = DEFAULT_SERVER,
    service: Annotated[
        str, typer.Option("--service", help="Full name of one service; without it the whole server.")
    ] = "",
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.01, max=600, help="How long the answer may take, in seconds.")
    ] = TIMEOUT_SECONDS,
) -> None:
    """Print SERVING and exit with 0 when a server takes calls, else print why not and exit with 1."""
    state = ask(server, service, timeout, (CONNECTION.get() or Connection()).credentials())
    print(state)
    if state != SERVING:
        raise typer.Exit(NEGATIVE)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(health)
