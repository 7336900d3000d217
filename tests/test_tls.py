"""TLS: who connects and who does not, what either side is told, and certificates that are exchanged."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from pydantic import ValidationError
from wire import new

from advisor import health, logs
from advisor.calls import Call, Calls
from advisor.cli import main
from advisor.client import AdvisorError, AsyncClient, Client, Retry
from advisor.server import ServerThread
from advisor.settings import Settings
from advisor.tls import Certificates
from advisor.v1 import advisor_service_pb2 as pb
from advisor.watched import UnusableFile

pytestmark = pytest.mark.apart

ONCE = Retry(attempts=1)


@dataclass(frozen=True)
class Files:
    """A server's certificate, and one for clients by another authority."""

    authority: trustme.CA
    client_authority: trustme.CA
    certificate: Path
    key: Path
    client_ca: Path

    def settings(self, **changed: Any) -> Settings:
        own: dict[str, Any] = {
            "tls_certificate": self.certificate,
            "tls_key": self.key,
            "tls_client_ca": self.client_ca,
        }
        return Settings(**{"port": 0, "metrics": False, "workers": 1, "log_level": "error", **own, **changed})

    def renew(self, authority: trustme.CA | None = None) -> None:
        """Write a new certificate and its key."""
        made = (self.authority if authority is None else authority).issue_cert("127.0.0.1")
        exchange(self.certificate, b"".join(part.bytes() for part in made.cert_chain_pems))
        exchange(self.key, made.private_key_pem.bytes())


def exchange(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(data)
    new.replace(path)


def make_files(folder: Path) -> Files:
    files = Files(trustme.CA(), trustme.CA(), folder / "cert.pem", folder / "key.pem", folder / "ca.pem")
    files.renew()
    exchange(files.client_ca, files.client_authority.cert_pem.bytes())
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_files(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def mutual(files: Files) -> Iterator[ServerThread]:
    with ServerThread(files.settings()) as server:
        yield server


def credentials(
    trusted: trustme.CA, signer: trustme.CA | None = None, name: str = "game-one"
) -> grpc.ChannelCredentials:
    if signer is None:
        return grpc.ssl_channel_credentials(trusted.cert_pem.bytes())
    own = signer.issue_cert("game-one.example", common_name=name)
    chain = b"".join(part.bytes() for part in own.cert_chain_pems)
    return grpc.ssl_channel_credentials(trusted.cert_pem.bytes(), own.private_key_pem.bytes(), chain)


def games(server: ServerThread, given: grpc.ChannelCredentials | None, timeout: float = 20.0) -> int:
    """How many games a new connection is told of."""
    # Else gRPC would take a connection that it has.
    options = [("grpc.use_local_subchannel_pool", 1)]
    with Client(server.address, credentials=given, retry=ONCE, options=options) as client:
        return len(client.list_games(pb.ListGamesRequest(), timeout=timeout).games)


def refusal(server: ServerThread, given: grpc.ChannelCredentials | None) -> AdvisorError:
    with pytest.raises(AdvisorError) as caught:
        games(server, given)
    return caught.value


# Who connects.


def test_a_client_with_a_certificate(mutual: ServerThread, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    answer = Calls.answer

    async def noting(self: Calls, call: Call, *args: Any) -> Any:
        found.append(call.client)
        return await answer(self, call, *args)

    monkeypatch.setattr(Calls, "answer", noting)
    assert games(mutual, credentials(files.authority, files.client_authority)) == 3
    assert found == ["game-one"]


async def test_the_asynchronous_client(mutual: ServerThread, files: Files) -> None:
    given = credentials(files.authority, files.client_authority)
    async with AsyncClient(mutual.address, credentials=given) as client:
        assert (await client.new_position(new(2))).position.game == "ocean"


@pytest.mark.parametrize("who", ["no certificate", "another authority", "wrong server", "plain text"])
def test_who_does_not_connect(mutual: ServerThread, files: Files, who: str) -> None:
    """Each is told at once that there is no connection, and the next one with a certificate gets one."""
    stranger = trustme.CA()
    given = {
        "no certificate": credentials(files.authority),
        "another authority": credentials(files.authority, stranger),
        "wrong server": credentials(stranger, files.client_authority),
        "plain text": None,
    }[who]
    error = refusal(mutual, given)
    assert (error.reason, error.status) == ("TRANSPORT", grpc.StatusCode.UNAVAILABLE)
    if who == "wrong server":
        assert "CERTIFICATE_VERIFY_FAILED" in error.message
    assert games(mutual, credentials(files.authority, files.client_authority)) == 3


def test_without_an_authority_of_clients(files: Files) -> None:
    with ServerThread(files.settings(tls_client_ca=None)) as server:
        assert games(server, credentials(files.authority)) == 3
        # A certificate that nobody asked for does no harm.
        assert games(server, credentials(files.authority, trustme.CA())) == 3
        assert refusal(server, None).status == grpc.StatusCode.UNAVAILABLE


def test_tls_to_a_server_in_plain_text(files: Files) -> None:
    plain = Settings(port=0, metrics=False, workers=1, log_level="error")
    with ServerThread(plain) as server:
        assert refusal(server, credentials(files.authority)).status == grpc.StatusCode.UNAVAILABLE
        assert games(server, None) == 3


# Files that change.


def test_certificates_are_renewed_while_the_server_runs(tmp_path: Path) -> None:
    files = make_files(tmp_path)
    old, new_authority = credentials(files.authority, files.client_authority), trustme.CA()
    with ServerThread(files.settings()) as server, Client(server.address, credentials=old) as standing:
        assert games(server, old) == 3
        assert standing.list_games(pb.ListGamesRequest()).games
        files.renew(new_authority)
        assert games(server, credentials(new_authority, files.client_authority)) == 3
        assert "CERTIFICATE_VERIFY_FAILED" in refusal(server, old).message
        # Who is connected stays so.
        assert standing.list_games(pb.ListGamesRequest()).games
        newcomers = trustme.CA()
        exchange(files.client_ca, newcomers.cert_pem.bytes())
        assert games(server, credentials(new_authority, newcomers)) == 3
        assert refusal(server, credentials(new_authority, files.client_authority)).status is grpc.StatusCode.UNAVAILABLE


def test_unusable_files_leave_the_last_ones_in_use(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = make_files(tmp_path)
    given = credentials(files.authority, files.client_authority)
    with ServerThread(files.settings()) as server:
        key = files.key.read_bytes()
        for broken in (b"", files.authority.issue_cert("127.0.0.1").private_key_pem.bytes()):
            exchange(files.key, broken)
            assert games(server, given) == 3
            assert games(server, given) == 3
        files.key.unlink()
        assert games(server, given) == 3
        files.renew()
        assert games(server, given) == 3
    written = [line for line in capfd.readouterr().err.splitlines() if "certificates cannot be renewed" in line]
    assert len(written) == 3  # once each
    assert not any(part in line for line in written for part in key.decode().splitlines()[1:-1])


def test_a_certificate_whose_key_comes_later(tmp_path: Path) -> None:
    """Two files are not exchanged at once: in between the old ones serve."""
    files = make_files(tmp_path)
    given = credentials(files.authority, files.client_authority)
    with ServerThread(files.settings()) as server:
        made = files.authority.issue_cert("127.0.0.1")
        exchange(files.certificate, b"".join(part.bytes() for part in made.cert_chain_pems))
        assert games(server, given) == 3
        exchange(files.key, made.private_key_pem.bytes())
        assert games(server, given) == 3


# Settings.


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        (("tls_certificate",), "tls_key is required with tls_certificate"),
        (("tls_key",), "tls_certificate is required with tls_key"),
        (("tls_client_ca",), "tls_certificate is required with tls_client_ca"),
        (("tls_certificate", "tls_client_ca"), "tls_key is required with tls_certificate"),
    ],
)
def test_half_of_tls_is_an_error(given: tuple[str, ...], needed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValidationError, match=needed):
        Settings(**dict.fromkeys(given, Path("file.pem")))  # type: ignore[arg-type]
    flags = [word for name in given for word in (f"--{name.replace('_', '-')}", "file.pem")]
    with pytest.raises(SystemExit) as ended:
        main(["serve", *flags])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"settings: {needed}\n"


def test_files_that_are_no_certificates(tmp_path: Path) -> None:
    files = make_files(tmp_path)
    log = logs.logger("error")
    other = tmp_path / "other.pem"
    other.write_bytes(files.authority.issue_cert("127.0.0.1").private_key_pem.bytes())
    text = tmp_path / "text"
    text.write_text("no certificate")
    encrypted = tmp_path / "encrypted.pem"
    key = serialization.load_pem_private_key(files.key.read_bytes(), None)
    encrypted.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    cases = [
        ((files.certificate, other, None), "tls_certificate: .*key values mismatch"),
        ((text, files.key, None), "tls_certificate: .*expected a certificate chain and its unencrypted private key"),
        ((files.certificate, text, None), "tls_certificate: .*expected a certificate chain"),
        ((files.certificate, encrypted, None), "tls_certificate: .*unencrypted"),
        ((files.certificate, tmp_path / "none", None), "tls_key: .*no such file"),
        ((tmp_path / "none", files.key, None), "tls_certificate: .*no such file"),
        ((files.certificate, files.key, text), "tls_client_ca: .*holds no PEM certificate"),
        ((files.certificate, files.key, tmp_path / "none"), "tls_client_ca: .*no such file"),
    ]
    for paths, message in cases:
        with pytest.raises(UnusableFile, match=message):
            Certificates(*paths, log)
    with pytest.raises(UnusableFile), ServerThread(files.settings(tls_key=other)):
        pass


# The command line.


def test_commands_reach_a_server_with_tls(
    mutual: ServerThread, files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = files.client_authority.issue_cert("game-one.example")
    paths = {name: tmp_path / f"{name}.pem" for name in ("ca", "cert", "key")}
    paths["ca"].write_bytes(files.authority.cert_pem.bytes())
    paths["cert"].write_bytes(b"".join(part.bytes() for part in own.cert_chain_pems))
    paths["key"].write_bytes(own.private_key_pem.bytes())

    def run(*names: str) -> tuple[int, str]:
        flags = [word for name in names for word in (f"--tls-{name}", str(paths[name]))]
        with pytest.raises(SystemExit) as ended:
            main([*flags, "games", "--server", mutual.address, "--json"])
        return int(ended.value.code or 0), capsys.readouterr().err

    assert run("ca", "cert", "key") == (0, "")
    assert run("ca", "cert") == (2, "--tls-cert: goes together with --tls-key\n")
    assert run("cert", "key") == (2, "--tls-ca: is required with --tls-cert\n")
    code, text = run("ca")
    assert code == 3
    assert text.startswith("TRANSPORT: ")


def test_health_over_tls(
    mutual: ServerThread,
    files: Files,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `advisor health` asks it, and as a container does, by its environment."""
    assert health.main([mutual.address]) == 1
    own = files.client_authority.issue_cert("probe.example")
    data = {
        "ca": files.authority.cert_pem.bytes(),
        "cert": b"".join(part.bytes() for part in own.cert_chain_pems),
        "key": own.private_key_pem.bytes(),
    }
    for name, text in data.items():
        (tmp_path / name).write_bytes(text)
        monkeypatch.setenv(f"SIRENIA_CLIENT_TLS_{name.upper()}", str(tmp_path / name))
    capsys.readouterr()
    assert health.main([mutual.address]) == 0
    with pytest.raises(SystemExit) as ended:
        main(["health", "--server", mutual.address])
    assert not ended.value.code
    assert capsys.readouterr().out == "SERVING\nSERVING\n"


def test_a_server_with_tls_and_tokens_is_put_under_load(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token, digest = "a" * 43, hashlib.sha256(b"a" * 43).hexdigest()
    known, mine = tmp_path / "tokens", tmp_path / "token"
    known.write_text(f"load sha256:{digest}\n")
    mine.write_text(token)
    ca = tmp_path / "authority.pem"
    ca.write_bytes(files.authority.cert_pem.bytes())
    with ServerThread(files.settings(tls_client_ca=None, token_file=known)) as server:
        command = ["load", "--server", server.address, "--simulations", "50", "--calls", "20", "--warm-up", "0"]
        command += ["--positions", "4", "--reference", "0", "--json"]
        with pytest.raises(SystemExit) as ended:
            main(["--tls-ca", str(ca), "--token-file", str(mine), *command])
        told = capsys.readouterr()
        assert ended.value.code in (0, None), told.err
        found = json.loads(told.out)
        assert (found["requests"], found["completed"]) == (20, 20)
        for lacking in (["--tls-ca", str(ca)], []):
            with pytest.raises(SystemExit) as ended:
                main([*lacking, *command])
            assert ended.value.code == 3
            assert "cannot be reached or gives no answers" in capsys.readouterr().err
