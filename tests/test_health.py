"""What balancers and supervisors go by: the health command, and the notice that a server gives before it drains."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from fleet import Supervised, free_port, wait_for

from advisor import cli
from advisor.client import Client, Retry
from advisor.health import SERVING, ask, main
from advisor.server import SERVICE, ServerThread
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

NOTICE = 60.0
"""Longer than any test: a server that waited for it to end would be noticed."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ServerThread(Settings(port=0, metrics=False, workers=1, log_level="error")) as server:
        yield server.address


def test_the_state_of_a_server(address: str) -> None:
    assert ask(address) == ask(address, SERVICE) == SERVING
    assert ask(address, "nobody").startswith("NOT_FOUND")
    assert ask(f"127.0.0.1:{free_port()}", timeout=1).startswith(("UNAVAILABLE", "DEADLINE_EXCEEDED"))


def test_the_command(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> tuple[int | str | None, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["health", *arguments])
        return ended.value.code, capsys.readouterr().out.strip()

    assert run("--server", address) == (0, SERVING)
    assert run("--server", address, "--service", SERVICE) == (0, SERVING)
    code, said = run("--server", f"127.0.0.1:{free_port()}", "--timeout", "1")
    assert code == 1
    assert said.startswith(("UNAVAILABLE", "DEADLINE_EXCEEDED"))


def test_the_command_speaks_tls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    authority = trustme.CA()
    made = authority.issue_cert("127.0.0.1")
    files = {name: tmp_path / name for name in ("ca", "chain", "key")}
    authority.cert_pem.write_to_path(files["ca"])
    made.private_key_pem.write_to_path(files["key"])
    made.cert_chain_pems[0].write_to_path(files["chain"])
    told = Settings(
        port=0, metrics=False, workers=1, log_level="error", tls_certificate=files["chain"], tls_key=files["key"]
    )
    with ServerThread(told) as server:
        for options, code in (["--tls-ca", str(files["ca"])], 0), ([], 1):
            with pytest.raises(SystemExit) as ended:
                cli.main([*options, "health", "--server", server.address, "--timeout", "2"])
            assert (ended.value.code, capsys.readouterr().out.strip() == SERVING) == (code, code == 0)


def test_the_quick_form(address: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "advisor.health", address], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.strip()) == (0, SERVING)
    assert main(["127.0.0.1:1"]) == 1


def test_notice(tmp_path: Path) -> None:
    """After SIGTERM health says no at once, calls are taken all the same, and a second signal ends that."""
    with Supervised(tmp_path / "log", "--workers", "1", "--notice-seconds", str(NOTICE)) as server:
        server.wait_ready()
        server.signal(signal.SIGTERM)
        wait_for("health to change", lambda: ask(server.address) == "NOT_SERVING")
        with Client(server.address, retry=Retry(attempts=1)) as client:
            assert client.list_games(pb.ListGamesRequest()).games
        begun = time.monotonic()
        server.signal(signal.SIGTERM)
        wait_for("the server to end", lambda: bool(server.codes))
        assert time.monotonic() - begun < NOTICE / 2
        assert server.codes == [0]
