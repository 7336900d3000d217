"""The server's certificate and the authority of its clients, from files that are read again when they change."""

import ssl
import threading
from pathlib import Path
from typing import Any

import grpc

from advisor.settings import Settings
from advisor.watched import UnusableFile, Watched, read


class Certificates:
    """What the server proves itself with, and by whom its clients must be certified.

    New files are taken up at the next connection after they changed; connections that stand keep what they have. While
    new files are unusable, or the key does not fit the certificate yet, the server goes on with those before and says
    so in its log. Any thread may call.
    """

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None, log: Any) -> None:
        """Read the files, all PEM; raises `UnusableFile`. With `client_ca` a client needs a certificate."""
        self._certificate, self._key, self._client_ca, self._log = certificate, key, client_ca, log
        self._files = Watched(certificate, key, *([] if client_ca is None else [client_ca]))
        self._lock = threading.Lock()
        self._files.changed()
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """Return what a secure port is opened with."""
        return grpc.dynamic_ssl_server_credentials(
            self._first,
            self._renewed,  # type: ignore[arg-type]  # may return None: no change
            require_client_authentication=self._client_ca is not None,
        )

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """The files anew; None while they are as they were. gRPC asks at every handshake, from threads of its own."""
        with self._lock:
            if not self._files.changed():
                return None
            try:
                found = self._read()
            except UnusableFile as error:
                self._log.error("certificates cannot be renewed; the last ones stay in use", error=str(error))
                return None
        self._log.info("certificates renewed")
        return found

    def _read(self) -> grpc.ServerCertificateConfiguration:
        certificate, key = read(self._certificate, "tls_certificate"), read(self._key, "tls_key")
        self._check_pair()
        if (certificate, key) != (read(self._certificate, "tls_certificate"), read(self._key, "tls_key")):
            raise UnusableFile("tls_certificate: changed while it was read")
        authority = None
        if self._client_ca is not None:
            authority = read(self._client_ca, "tls_client_ca")
            _check_authority(self._client_ca)
        return grpc.ssl_server_certificate_configuration([(key, certificate)], authority)

    def _check_pair(self) -> None:
        """Find out now what gRPC would only find out at the first connection."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            # Nobody is there to type a password.
            context.load_cert_chain(self._certificate, self._key, password=_no_password)
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or "no PEM certificate and its key"
            raise UnusableFile(
                f"tls_certificate: {self._certificate} and {self._key}: {reason.lower().replace('_', ' ')}; "
                "expected a certificate chain and its unencrypted private key, both PEM"
            ) from error


def _check_authority(path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(path)
    except (ssl.SSLError, OSError) as error:
        raise UnusableFile(f"tls_client_ca: {path}: holds no PEM certificate") from error


def _no_password() -> str:
    raise ValueError("encrypted key")


def certificates(settings: Settings, log: Any) -> Certificates | None:
    """Return what the settings name; None for a server in plain text. Raises `UnusableFile`."""
    if settings.tls_certificate is None or settings.tls_key is None:
        return None
    return Certificates(settings.tls_certificate, settings.tls_key, settings.tls_client_ca, log)
