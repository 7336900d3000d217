"""`advisor serve`: the gRPC server."""

import asyncio
import sys
from typing import Annotated

import typer

from advisor.cli.common import FAILED, handled, load_settings
from advisor.server import RunningServer, ready_line, run_until_signal


@handled
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="TCP port for gRPC; 0 takes a free one.")] = None,
    metrics_host: Annotated[str | None, typer.Option(help="Address of the Prometheus endpoint.")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="TCP port of the Prometheus endpoint; 0: free.")] = None,
    metrics: Annotated[bool | None, typer.Option(help="Serve Prometheus metrics over HTTP.")] = None,
    reflection: Annotated[bool | None, typer.Option(help="Let clients ask for the service's description.")] = None,
    workers: Annotated[int | None, typer.Option(help="Searches that run at the same time.")] = None,
    niceness: Annotated[int | None, typer.Option(help="How much searches give way, 0 to 19, as nice(1).")] = None,
    queue_length: Annotated[int | None, typer.Option(help="Searches that may wait for a worker.")] = None,
    grace_seconds: Annotated[float | None, typer.Option(help="How long accepted calls may take after SIGTERM.")] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
) -> None:
    """Serve the games over gRPC until SIGTERM or SIGINT.

    Every setting can also be given in the environment as SIRENIA_NAME. When the server takes calls it prints one line
    of JSON with its ports.
    """
    settings = load_settings(
        host=host,
        port=port,
        metrics_host=metrics_host,
        metrics_port=metrics_port,
        metrics=metrics,
        reflection=reflection,
        workers=workers,
        niceness=niceness,
        queue_length=queue_length,
        grace_seconds=grace_seconds,
        log_level=log_level,
    )

    def ready(running: RunningServer) -> None:
        print(ready_line(running), flush=True)

    try:
        asyncio.run(run_until_signal(settings, ready))
    except OSError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(FAILED) from None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
