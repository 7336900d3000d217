"""How commands with --server reach one that speaks TLS or wants a token: options before the command."""

from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import grpc
import typer

from advisor.remote import RemoteAdvisor
from advisor.watched import UnusableFile, read


@dataclass(frozen=True)
class Connection:
    """The files that say how; of a token the file alone, so that it is in no list of processes."""

    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    token_file: Path | None = None

    def open(self, address: str) -> RemoteAdvisor:
        """Return a client of the server at "HOST:PORT"; raises `UnusableFile` naming the option at fault."""
        token = None
        if self.token_file is not None:
            token = read(self.token_file, "--token-file").decode("utf-8", "replace").strip()
        try:
            return RemoteAdvisor(address, credentials=self.credentials(), token=token)
        except ValueError as error:
            raise UnusableFile(f"--token-file: {self.token_file}: {error}") from None

    def credentials(self) -> grpc.ChannelCredentials | None:
        """Return what TLS needs, None for plain text; raises `UnusableFile` naming the option at fault."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise UnusableFile("--tls-cert: goes together with --tls-key")
        if self.tls_ca is None:
            if self.tls_cert is not None:
                raise UnusableFile("--tls-ca: is required with --tls-cert")
            return None
        key = None if self.tls_key is None else read(self.tls_key, "--tls-key")
        chain = None if self.tls_cert is None else read(self.tls_cert, "--tls-cert")
        return grpc.ssl_channel_credentials(read(self.tls_ca, "--tls-ca"), key, chain)


CONNECTION: Final[ContextVar[Connection | None]] = ContextVar("connection", default=None)
"""What the options before the command say."""


def connect(address: str) -> RemoteAdvisor:
    """Return a client of a server, reached as the command line says."""
    return (CONNECTION.get() or Connection()).open(address)


def _file(flag: str, text: str) -> Any:
    return typer.Option(flag, metavar="FILE", envvar=f"SIRENIA_CLIENT_{flag[2:].replace('-', '_').upper()}", help=text)


CaOption = Annotated[
    Path | None, _file("--tls-ca", "With --server: speak TLS, with a server these authorities vouch for.")
]
CertOption = Annotated[Path | None, _file("--tls-cert", "With --server: the certificate chain to show.")]
KeyOption = Annotated[Path | None, _file("--tls-key", "With --server: its private key.")]
TokenOption = Annotated[Path | None, _file("--token-file", "With --server: a file that holds the token to show.")]
