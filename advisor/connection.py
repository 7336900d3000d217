"""How a command reaches a server that speaks TLS or wants a token."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Self

import grpc

from advisor.watched import UnusableFile, read

PREFIX: Final = "SIRENIA_CLIENT_"


@dataclass(frozen=True)
class Connection:
    """The files that say how, all None for plain text; of a token the file alone, so that no list of processes has it.

    `credentials` and `token` raise `UnusableFile` naming the option at fault.
    """

    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    token_file: Path | None = None

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Return what SIRENIA_CLIENT_TLS_CA and its like say."""
        named = {field.name: environment.get(PREFIX + field.name.upper()) for field in fields(cls)}
        return cls(**{name: Path(path) for name, path in named.items() if path})

    def credentials(self) -> grpc.ChannelCredentials | None:
        """Return what a secure channel is made with; None for plain text."""
        if (self.tls_cert is None) != (self.tls_key is None):
            raise UnusableFile("--tls-cert: goes together with --tls-key")
        if self.tls_ca is None:
            if self.tls_cert is not None:
                raise UnusableFile("--tls-ca: is required with --tls-cert")
            return None
        key = None if self.tls_key is None else read(self.tls_key, "--tls-key")
        chain = None if self.tls_cert is None else read(self.tls_cert, "--tls-cert")
        return grpc.ssl_channel_credentials(read(self.tls_ca, "--tls-ca"), key, chain)

    def token(self) -> str | None:
        """Return the token; None without a file."""
        if self.token_file is None:
            return None
        text = read(self.token_file, "--token-file").decode("utf-8", "replace").strip()
        if not text or not all("!" <= letter <= "~" for letter in text):
            raise UnusableFile(f"--token-file: {self.token_file}: expected a token: printable ASCII without spaces")
        return text
