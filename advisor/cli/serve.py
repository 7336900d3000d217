"""`advisor serve`: the gRPC server."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer
import uvloop

from advisor.cli.common import FAILED, fail, handled, load_settings
from advisor.server import BrokenServer, RunningServer, ready_line, run_until_signal
from advisor.settings import Settings
from advisor.tracing import TracingError

STDERR: Final = 2
"""The descriptor of the last of the standard streams."""


def _option(name: str, *names: str) -> Any:
    """Return the option of a setting, with its help and its default; `names` where it is called something else."""
    field = Settings.model_fields[name]
    if name == "catalogue_dirs":
        return typer.Option(*names, help="A directory with more catalogues, GAME-NAME.json; as often as you like.")
    if name == "workers":
        default = "one a core"
    elif isinstance(field.default, bool):
        default = "on" if field.default else "off"
    elif field.default is None:
        default = "none"
    else:
        default = str(field.default)
    return typer.Option(help=f"{field.description} [default: {default}]")


@handled
def serve(
    host: Annotated[str | None, _option("host")] = None,
    port: Annotated[int | None, _option("port")] = None,
    metrics_host: Annotated[str | None, _option("metrics_host")] = None,
    metrics_port: Annotated[int | None, _option("metrics_port")] = None,
    metrics: Annotated[bool | None, _option("metrics")] = None,
    reflection: Annotated[bool | None, _option("reflection")] = None,
    catalogue_dir: Annotated[list[Path] | None, _option("catalogue_dirs", "--catalogue-dir")] = None,
    workers: Annotated[int | None, _option("workers")] = None,
    niceness: Annotated[int | None, _option("niceness")] = None,
    queue_length: Annotated[int | None, _option("queue_length")] = None,
    batch_window: Annotated[int | None, _option("batch_window")] = None,
    cache_bytes: Annotated[int | None, _option("cache_bytes")] = None,
    notice_seconds: Annotated[float | None, _option("notice_seconds")] = None,
    tls_certificate: Annotated[Path | None, _option("tls_certificate")] = None,
    tls_key: Annotated[Path | None, _option("tls_key")] = None,
    tls_client_ca: Annotated[Path | None, _option("tls_client_ca")] = None,
    token_file: Annotated[Path | None, _option("token_file")] = None,
    client_calls: Annotated[int | None, _option("client_calls")] = None,
    client_rate: Annotated[float | None, _option("client_rate")] = None,
    client_burst: Annotated[int | None, _option("client_burst")] = None,
    grace_seconds: Annotated[float | None, _option("grace_seconds")] = None,
    log_level: Annotated[str | None, _option("log_level")] = None,
    log_format: Annotated[str | None, _option("log_format")] = None,
    traces: Annotated[str | None, _option("traces")] = None,
    traces_ratio: Annotated[float | None, _option("traces_ratio")] = None,
) -> None:
    """Serve the games over gRPC until SIGTERM or SIGINT; SIGHUP loads the catalogues anew.

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
        catalogue_dirs=catalogue_dir or None,
        workers=workers,
        niceness=niceness,
        queue_length=queue_length,
        batch_window=batch_window,
        cache_bytes=cache_bytes,
        notice_seconds=notice_seconds,
        tls_certificate=tls_certificate,
        tls_key=tls_key,
        tls_client_ca=tls_client_ca,
        token_file=token_file,
        client_calls=client_calls,
        client_rate=client_rate,
        client_burst=client_burst,
        grace_seconds=grace_seconds,
        log_level=log_level,
        log_format=log_format,
        traces=traces,
        traces_ratio=traces_ratio,
    )

    def ready(running: RunningServer) -> None:
        print(ready_line(running), flush=True)

    occupy_standard_streams()
    try:
        uvloop.run(run_until_signal(settings, ready))
    except TracingError as error:
        raise fail("settings.traces", str(error)) from None
    except (OSError, BrokenServer) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(FAILED) from None


def occupy_standard_streams() -> None:
    """Have nothing else take the descriptors of streams that were closed before the start: uvloop aborts then."""
    # The system gives out the smallest that is free.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= STDERR:
        pass
    os.close(descriptor)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)
