"""Options before the command that say how servers are reached, and the clients that reach them so."""

from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from advisor.connection import PREFIX, Connection
from advisor.remote import RemoteAdvisor

CONNECTION: Final[ContextVar[Connection | None]] = ContextVar("connection", default=None)
"""What the options before the command say."""


def connection() -> Connection:
    """Return what the command line says."""
    return CONNECTION.get() or Connection()


def connect(address: str) -> RemoteAdvisor:
    """Return a client of a server, reached as the command line says."""
    found = connection()
    return RemoteAdvisor(address, credentials=found.credentials(), token=found.token())


def _file(flag: str, text: str) -> Any:
    return typer.Option(flag, metavar="FILE", envvar=f"{PREFIX}{flag[2:].replace('-', '_').upper()}", help=text)


CaOption = Annotated[
    Path | None, _file("--tls-ca", "With --server: speak TLS, with a server these authorities vouch for.")
]
CertOption = Annotated[Path | None, _file("--tls-cert", "With --server: the certificate chain to show.")]
KeyOption = Annotated[Path | None, _file("--tls-key", "With --server: its private key.")]
TokenOption = Annotated[Path | None, _file("--token-file", "With --server: a file that holds the token to show.")]
