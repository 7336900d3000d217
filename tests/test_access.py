"""Tokens: who gets in, what is told, what it costs, and that no token is told anywhere."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from wire import new

from advisor import logs, tokens
from advisor.access import CLIENT, TOKEN_KEY, address_of, client_of, warnings
from advisor.calls import BATCH_STREAM, REQUEST_ID_KEY, Call, Calls
from advisor.cli import main
from advisor.client import AdvisorError, AsyncClient, Client
from advisor.errors import DETAILS_KEY
from advisor.server import SERVICE, ServerThread
from advisor.settings import Settings
from advisor.tokens import TokenFile, make_token, parse_tokens
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import advisor_service_pb2_grpc
from advisor.watched import UnusableFile

pytestmark = pytest.mark.apart

LOG = logs.logger("error")
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


def settings(**changed: Any) -> Settings:
    return Settings(**{"port": 0, "metrics_port": 0, "workers": 1, "log_level": "error", **changed})


def write(path: Path, *lines: str) -> None:
    """Exchange a file as an operator should: at once."""
    new = path.with_suffix(".new")
    new.write_text("".join(f"{line}\n" for line in lines))
    new.replace(path)


def refused(call: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[grpc.StatusCode, str]:
    """The code and the reason with which a call on a stub ends; a stream ends when it is read."""
    with pytest.raises(grpc.RpcError) as caught:
        list(call(*args, **kwargs))
    error: Any = caught.value
    trailers = dict(error.trailing_metadata() or ())
    assert trailers[REQUEST_ID_KEY]
    status = status_pb2.Status.FromString(trailers[DETAILS_KEY])
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return error.code(), info.reason


class Guarded:
    """A server that wants a token, and a client that has one."""

    def __init__(self, folder: Path) -> None:
        self.token, self.line = make_token("game-one")
        self.path = folder / "tokens"
        write(self.path, "# clients", "", self.line)
        self.server = ServerThread(settings(token_file=self.path, reflection=True))

    def value(self, name: str, **labels: str) -> float:
        return self.server.running.metrics.registry.get_sample_value(name, labels) or 0.0


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    found = Guarded(tmp_path_factory.mktemp("tokens"))
    with found.server:
        yield found


@pytest.fixture(scope="module")
def channel(guarded: Guarded) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(guarded.server.address) as connected:
        yield connected


# Who gets in.


def test_the_client_shows_its_token(guarded: Guarded) -> None:
    with Client(guarded.server.address, token=guarded.token) as client:
        assert client.list_games(pb.ListGamesRequest()).games
        position = client.new_position(new(2)).position
        request = pb.AdviseRequest(position=position, seat=0)
        request.limits.simulations = 20
        assert client.advise(request).moves
        assert list(client.watch(pb.WatchAdviceRequest(advise=request)))[-1].final


async def test_the_asynchronous_client_shows_its_token(guarded: Guarded) -> None:
    async with AsyncClient(guarded.server.address, token=guarded.token) as client:
        position = (await client.new_position(new(2))).position
        request = pb.WatchAdviceRequest(advise=pb.AdviseRequest(position=position, seat=0))
        request.advise.limits.simulations = 20
        assert [answer.final async for answer in client.watch(request)][-1]


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ((), "TOKEN_MISSING"),
        ((("x-token", "TOKEN"),), "TOKEN_MISSING"),
        (((TOKEN_KEY, "Bearer wrong"),), "TOKEN_UNKNOWN"),
        (((TOKEN_KEY, "Bearer "),), "TOKEN_UNKNOWN"),
        (((TOKEN_KEY, "TOKEN"),), "TOKEN_UNKNOWN"),
        (((TOKEN_KEY, "Basic TOKEN"),), "TOKEN_UNKNOWN"),
        (((TOKEN_KEY, "Bearer HASH"),), "TOKEN_UNKNOWN"),  # what stands in the file opens nothing
        (((TOKEN_KEY, "Bearer TOKEN"), (TOKEN_KEY, "Bearer TOKEN")), "TOKEN_UNKNOWN"),
        (((TOKEN_KEY, "Bearer TOKENx"),), "TOKEN_UNKNOWN"),
    ],
)
def test_nobody_else_gets_in(
    guarded: Guarded, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], reason: str
) -> None:
    spelt = {"TOKEN": guarded.token, "HASH": guarded.line.rpartition(":")[2]}
    given = []
    for key, value in metadata:
        for word, text in spelt.items():
            value = value.replace(word, text)
        given.append((key, value))
    before = guarded.value("advisor_rejected_total", reason=reason.lower())
    stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
    for method, request in ((stub.ListGames, pb.ListGamesRequest()), (stub.WatchAdvice, pb.WatchAdviceRequest())):
        assert refused(method, request, metadata=given, timeout=20) == (UNAUTHENTICATED, reason)
    assert guarded.value("advisor_rejected_total", reason=reason.lower()) == before + 2
    assert guarded.value("advisor_requests_total", rpc="ListGames", game="none", code="UNAUTHENTICATED") > 0


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
def test_how_a_token_may_be_written(guarded: Guarded, channel: grpc.Channel, scheme: str) -> None:
    stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
    metadata = ((TOKEN_KEY, scheme + guarded.token),)
    assert stub.ListGames(pb.ListGamesRequest(), metadata=metadata, timeout=20).games


def test_health_needs_no_token(channel: grpc.Channel) -> None:
    checks: Any = health_pb2_grpc.HealthStub(channel)
    found = checks.Check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=20)
    assert found.status == health_pb2.HealthCheckResponse.SERVING


def test_everything_else_needs_one(guarded: Guarded, channel: grpc.Channel) -> None:
    reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    assert refused(reflection, iter(asked), timeout=20) == (UNAUTHENTICATED, "TOKEN_MISSING")
    metadata = ((TOKEN_KEY, f"Bearer {guarded.token}"),)
    assert list(reflection(iter(asked), metadata=metadata, timeout=20))
    # What does not exist is not told either.
    for path in (f"/{SERVICE}/Divine", "/other.Service/ListGames2", "/grpc.health.v1.Healthy/Check"):
        unknown: Any = channel.unary_unary(path, request_serializer=None, response_deserializer=None)
        assert refused(unknown, b"", timeout=20) == (UNAUTHENTICATED, "TOKEN_MISSING")
    assert guarded.value("advisor_requests_total", rpc="other", game="none", code="UNAUTHENTICATED") >= 3
    assert not guarded.value("advisor_requests_total", rpc="Divine", game="none", code="UNAUTHENTICATED")


def test_a_request_without_a_token_is_not_read(
    guarded: Guarded, channel: grpc.Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Larger than the server takes: had gRPC read it, the error would be another."""
    stub: Any = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
    large = pb.GetGameRequest(game="x" * (guarded.server.running.settings.max_message_bytes + 1))
    assert refused(stub.GetGame, large, timeout=20) == (UNAUTHENTICATED, "TOKEN_MISSING")
    with_token = ((TOKEN_KEY, f"Bearer {guarded.token}"),)
    with pytest.raises(grpc.RpcError) as caught:
        stub.GetGame(large, metadata=with_token, timeout=20)
    error: Any = caught.value
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


# The file.


def test_made_tokens() -> None:
    token, line = make_token("game-one")
    assert line == f"game-one sha256:{hashlib.sha256(token.encode()).hexdigest()}"
    assert token not in line
    assert len(token) >= 43
    assert make_token("game-one")[0] != token
    for wrong in ("", "a b", "-a", "a" * 65, "ä", "a\n", "a:b"):
        with pytest.raises(ValueError, match="expected 1 to 64"):
            make_token(wrong)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("game-one", ":1: expected NAME sha256:HEX"),
        ("# fine\n\ngame one sha256:" + "0" * 64, ":3: expected NAME sha256:HEX"),
        ("game-one md5:" + "0" * 64, ":1: expected NAME sha256:HEX"),
        ("game-one sha256:" + "0" * 63, ":1: expected NAME sha256:HEX"),
        ("game-one sha256:" + "A" * 64, ":1: expected NAME sha256:HEX"),
        ("a sha256:{0}\nb sha256:{0}".format("0" * 64), ":2: this token stands in an earlier line"),
    ],
)
def test_faulty_files(text: str, fault: str) -> None:
    with pytest.raises(UnusableFile) as caught:
        parse_tokens(text, "token_file: tokens")
    assert str(caught.value).startswith(f"token_file: tokens{fault}")
    assert "0000" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    with pytest.raises(UnusableFile, match=r"token_file: .*no such file"):
        TokenFile(path, LOG)
    path.write_bytes(b"\xff")
    with pytest.raises(UnusableFile, match="UTF-8"):
        TokenFile(path, LOG)
    path.write_bytes(b"#" * (tokens.MAX_FILE_BYTES + 1))
    with pytest.raises(UnusableFile, match="bytes are more than"):
        TokenFile(path, LOG)
    with pytest.raises(UnusableFile), ServerThread(settings(token_file=path)):
        pass


def test_a_changed_file_is_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One client with two tokens while it exchanges them; a faulty file leaves all as it was, and the log has it."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    (old, old_line), (other, other_line), (another, another_line) = map(make_token, ("a", "a", "b"))
    path = tmp_path / "tokens"
    write(path, old_line)
    found = TokenFile(path, logs.logger("info"))
    assert [found.client_of(token) for token in (old, other, another, "")] == ["a", None, None, None]
    write(path, old_line, other_line, another_line)
    assert found.client_of(other) is None  # it looks once a second
    now[0] += 1.1
    assert [found.client_of(token) for token in (old, other, another)] == ["a", "a", "b"]
    write(path, old)  # a token where its hash belongs
    for _ in range(3):
        now[0] += 1.1
        assert [found.client_of(token) for token in (old, other, another)] == ["a", "a", "b"]
    path.unlink()
    now[0] += 1.1
    assert found.client_of(old) == "a"
    write(path, other_line)
    now[0] += 1.1
    assert [found.client_of(token) for token in (old, other, another)] == [None, "a", None]
    written = capfd.readouterr().err
    assert written.count("the tokens before stay valid") == 2
    assert written.count("tokens renewed") == 2
    assert not any(token in written for token in (old, other, another))


def test_a_renewed_file_on_a_running_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "LOOK_SECONDS", 0.0)
    path = tmp_path / "tokens"
    (first, first_line), (second, second_line) = make_token("a"), make_token("a")
    write(path, first_line)
    with ServerThread(settings(token_file=path)) as server:
        with Client(server.address, token=second) as client, pytest.raises(AdvisorError) as caught:
            client.list_games(pb.ListGamesRequest())
        assert (caught.value.reason, caught.value.status) == ("TOKEN_UNKNOWN", UNAUTHENTICATED)
        write(path, second_line)
        with Client(server.address, token=second) as client:
            assert client.list_games(pb.ListGamesRequest()).games
        with Client(server.address, token=first) as client, pytest.raises(AdvisorError):
            client.list_games(pb.ListGamesRequest())


# Whom a call is from.


def test_who_calls_is_known_in_every_method(guarded: Guarded, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[str, str]] = []
    answer = Calls.answer

    async def noting(self: Calls, call: Call, *args: Any) -> Any:
        found.append((call.rpc, call.client))
        return await answer(self, call, *args)

    monkeypatch.setattr(Calls, "answer", noting)
    methods = pb.DESCRIPTOR.services_by_name["AdvisorService"].methods
    with grpc.insecure_channel(guarded.server.address) as channel:
        for method in methods:
            kind: Any = channel.unary_stream if method.server_streaming else channel.unary_unary
            asked: Any = b""
            if method.client_streaming:
                kind, asked = channel.stream_stream, iter(())
            stub: Any = kind(f"/{SERVICE}/{method.name}", request_serializer=None, response_deserializer=None)
            with suppress(grpc.RpcError):
                list(stub(asked, metadata=((TOKEN_KEY, f"Bearer {guarded.token}"),), timeout=20))
    names = [BATCH_STREAM if method.client_streaming else method.name for method in methods]
    assert found == [(name, "game-one") for name in names]
    with ServerThread(settings()) as server, Client(server.address) as client:
        found.clear()
        client.list_games(pb.ListGamesRequest())
        assert found == [("ListGames", "127.0.0.1")]
    assert CLIENT.get() == ""


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.1:50000", "192.0.2.1"),
        ("ipv6:%5B::1%5D:50000", "::/64"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:1", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2:ffff::1%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50000", "fe80::/64"),
        ("ipv6:%5B::ffff:192.0.2.1%5D:50000", "192.0.2.1"),
        ("unix:", "unix"),
        ("unix:/run/socket", "unix"),
    ],
)
def test_addresses(peer: str, address: str) -> None:
    assert address_of(peer) == address


class Certified:
    """A call of a client with a certificate."""

    def __init__(self, **properties: bytes) -> None:
        self._properties = {key: [value] for key, value in properties.items()}

    def auth_context(self) -> dict[str, list[bytes]]:
        return self._properties

    def peer(self) -> str:
        return "ipv4:192.0.2.1:50000"


def test_subjects() -> None:
    named = Certified(x509_common_name=b"game-one", x509_subject_alternative_name=b"a.example")
    assert client_of(named, True) == "game-one"
    assert client_of(named, False) == "192.0.2.1"  # a certificate that nobody has checked
    assert client_of(Certified(x509_common_name=b"", x509_subject_alternative_name=b"a.example"), True) == "a.example"
    assert client_of(Certified(x509_subject=b"O=Example"), True) == "O=Example"
    assert client_of(Certified(), True) == "192.0.2.1"


# What is told.


def test_no_token_is_told_anywhere(tmp_path: Path) -> None:
    """Neither in the log at its most talkative, nor in metrics, errors, or what objects say of themselves."""
    (right, line), (wrong, _) = make_token("game-one"), make_token("game-two")
    path = tmp_path / "tokens"
    write(path, line)
    chosen = settings(token_file=path, log_level="debug")
    code = (
        "import sys, advisor.server as s; from advisor.settings import Settings; from advisor.client import *;"
        "from advisor.v1 import advisor_service_pb2 as pb; right, wrong = sys.stdin.read().split();"
        f"server = s.ServerThread(Settings(port=0, metrics_port=0, token_file={str(path)!r}, log_level='debug'));\n"
        "import urllib.request\n"
        "with server:\n"
        "    for token in (right, wrong):\n"
        "        with Client(server.address, token=token) as client:\n"
        "            try: client.advise(pb.AdviseRequest())\n"
        "            except AdvisorError as error: print(repr(error), error.metadata, error.to_status())\n"
        "            print(repr(client), vars(client).keys())\n"
        "    print(urllib.request.urlopen(f'http://127.0.0.1:{server.metrics_port}/metrics').read().decode())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=f"{right} {wrong}", capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout + ran.stderr
    assert "TOKEN_UNKNOWN" in ran.stderr
    assert "INVALID_REQUEST" in ran.stderr
    assert "token_unknown" in ran.stdout
    for secret in (right, wrong, line.rpartition(":")[2]):
        assert secret not in said
        assert secret not in repr(TokenFile(path, LOG))
        assert secret not in repr(chosen)


def test_clients_refuse_tokens_that_no_header_holds() -> None:
    for wrong in ("", "two words", "line\nbreak", "ü"):
        with pytest.raises(ValueError, match="printable ASCII") as caught:
            Client("127.0.0.1:1", token=wrong)
        assert not wrong or wrong not in str(caught.value)


def test_what_an_operator_is_warned_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    token_file, pem = tmp_path / "tokens", tmp_path / "pem"
    secure = {"tls_certificate": pem, "tls_key": pem}
    quiet: list[dict[str, Any]] = [
        {},
        {"host": "localhost", "token_file": token_file},
        {"host": "::1"},
        {"host": "0.0.0.0", "token_file": token_file, **secure},
        {"host": "0.0.0.0", "tls_client_ca": pem, **secure},
    ]
    for chosen in quiet:
        assert not list(warnings(settings(**chosen))), chosen
    (plain,) = warnings(settings(host="0.0.0.0", token_file=token_file))
    assert "plain text" in plain
    (everybody,) = warnings(settings(host="10.0.0.1", **secure))
    assert "everybody" in everybody
    monkeypatch.setattr("os.geteuid", lambda: 0)
    (root,) = warnings(settings())
    assert "root" in root


# The command line.


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The exit code, the output and the errors of a command in this process."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        return (int(ended.value.code or 0), *capsys.readouterr())

    return run


Run = Callable[..., tuple[int, str, str]]


def test_a_token_from_the_command_line_to_a_call(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, line, written = run("token", "game-one")
    token = written.strip()
    assert (code, line) == (0, f"game-one sha256:{hashlib.sha256(token.encode()).hexdigest()}\n")
    path, secret = tmp_path / "tokens", tmp_path / "game-one.token"
    path.write_text(line)
    secret.write_text(written)
    with ServerThread(settings(token_file=path)) as server:
        code, shown, errors = run("--token-file", str(secret), "games", "--server", server.address, "--json")
        assert (code, errors) == (0, "")
        assert '"ocean"' in shown
        code, _, errors = run("games", "--server", server.address)
        assert code == 3
        assert errors.startswith("TOKEN_MISSING: ")
        monkeypatch.setenv("SIRENIA_CLIENT_TOKEN_FILE", str(secret))
        assert run("games", "--server", server.address)[0] == 0


def test_faults_on_the_command_line(tmp_path: Path, run: Run) -> None:
    code, shown, errors = run("token", "no name")
    assert (code, shown) == (2, "")
    assert errors.startswith("NAME: expected 1 to 64")
    code, _, errors = run("serve", "--token-file", str(tmp_path / "missing"), "--port", "0", "--metrics-port", "0")
    assert code == 2
    assert errors.startswith(f"token_file: {tmp_path}/missing: no such file")
    asked = ("games", "--server", "127.0.0.1:1")
    code, _, errors = run("--token-file", str(tmp_path / "none"), *asked)
    assert (code, errors) == (2, f"--token-file: {tmp_path}/none: no such file or directory\n")
    (tmp_path / "empty").write_text("\n")
    code, _, errors = run("--token-file", str(tmp_path / "empty"), *asked)
    assert code == 2
    assert errors.startswith(f"--token-file: {tmp_path}/empty: expected a token: printable ASCII")
