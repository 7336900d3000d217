"""Servers, a balancer and a Prometheus as processes of their own, for tests and scripts that need the real thing."""

import csv
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from advisor.health import SERVING, ask

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
PATIENCE = 60.0
"""Seconds after which something that should have happened has not: the machine may have other things to do."""


class FleetError(Exception):
    """Something is missing, or did not happen; the text says what."""


def tool(command: str, package: str) -> str:
    """The full name of a program of Debian's; raises `FleetError` that says what to install."""
    found = shutil.which(command) or shutil.which(command, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise FleetError(f"cannot find '{command}': please install it (Debian: apt-get install {package})")
    return found


def free_port() -> int:
    """A TCP port that nobody has right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: str, condition: Callable[[], bool], seconds: float = PATIENCE) -> float:
    """Wait until the condition holds; return the seconds it took. Raises `FleetError`."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise FleetError(f"after {seconds:.0f} s still waiting for {what}")
        time.sleep(0.02)
    return time.monotonic() - begun


def fetch(address: str) -> str:
    """The text behind a URL."""
    with urllib.request.urlopen(address, timeout=10) as answer:
        return str(answer.read().decode())


@contextmanager
def running(command: Sequence[str], log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program for as long as the context lasts, its output in a file."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def unit_settings() -> dict[str, str]:
    """What deploy/systemd/sirenia.service says; of a key that is there twice the last."""
    text = (DEPLOY / "systemd" / "sirenia.service").read_text(encoding="utf-8")
    return dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))


class Supervised:
    """A server on ports of its own under a small supervisor, which does what the systemd unit says: a server that fails
    is started again `RestartSec` later, one that ends well is not. A context manager; ends the server at once.
    """

    def __init__(self, log: Path, *options: str) -> None:
        unit = unit_settings()
        assert unit["Restart"] == "on-failure"
        self._pause = float(unit["RestartSec"].removesuffix("s"))
        self._log = log
        self._options = options
        self._closed = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self.port, self.metrics_port = free_port(), free_port()
        self.starts = 0
        self.codes: list[int] = []
        """What the servers so far ended with."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> "Supervised":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self.signal(signal.SIGKILL)
        if self._thread is not None:
            self._thread.join()

    def start(self) -> None:
        """Start it, or start it again once it has ended well."""
        if self._thread is not None:
            self._thread.join()
        self._thread = threading.Thread(target=self._supervise, name=f"supervisor-{self.port}")
        self._thread.start()

    def wait_ready(self) -> float:
        """Wait until it takes calls; return the seconds that took."""
        return wait_for(f"the server at {self.address}", lambda: ask(self.address, timeout=1) == SERVING)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server that runs now."""
        process = self._process
        if process is not None:
            process.send_signal(number)

    def metrics(self) -> str:
        """Its metrics as it exports them."""
        return fetch(f"http://127.0.0.1:{self.metrics_port}/metrics")

    def _supervise(self) -> None:
        ports = ["--port", str(self.port), "--metrics-port", str(self.metrics_port)]
        while not self._closed.is_set():
            with self._log.open("ab") as output:
                command = [sys.executable, "-m", "advisor", "serve", *ports, *self._options]
                self._process = subprocess.Popen(command, stdout=output, stderr=output)
            self.starts += 1
            if self._closed.is_set():  # whoever closed may have seen no process yet
                self._process.kill()
            self.codes.append(self._process.wait())
            if self.codes[-1] == 0:
                return
            self._closed.wait(self._pause)


class Haproxy:
    """A running HAProxy with deploy's configuration, its ports and paths replaced. Made by `haproxy`."""

    def __init__(self, port: int, socket_path: Path) -> None:
        self.port = port
        self._socket = socket_path

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def figures(self) -> dict[tuple[str, str], dict[str, str]]:
        """The figures of each frontend, backend and server, as `show stat` names them."""
        with socket.socket(socket.AF_UNIX) as asked:
            asked.connect(str(self._socket))
            asked.sendall(b"show stat\n")
            text = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
        lines = csv.DictReader(text.lstrip("# ").splitlines())
        return {(line["pxname"], line["svname"]): line for line in lines}

    def count(self, part: str, figure: str) -> int:
        """One figure: of the frontend for "FRONTEND", or of a server."""
        proxy = "calls" if part == "FRONTEND" else "servers"
        return int(self.figures()[proxy, part][figure] or 0)

    def is_up(self, server: str) -> bool:
        """Whether a server is sent calls."""
        return self.figures()["servers", server]["status"].startswith("UP")


def haproxy_config(port: int, servers: Sequence[str], folder: Path) -> str:
    """Deploy's configuration with other ports, servers and paths, and without the change of user."""
    text = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    for old, new in (
        (r"bind :50050 ", f"bind 127.0.0.1:{port} "),
        (r"bind 127\.0\.0\.1:8404", f"bind 127.0.0.1:{free_port()}"),
        (r"/run/haproxy/admin\.sock", str(folder / "admin.sock")),
        (r"server one 127\.0\.0\.1:50051", f"server one {servers[0]}"),
        (r"server two 127\.0\.0\.1:50052", f"server two {servers[1]}"),
        (r"(?m)^    (?:user|group) haproxy\n", ""),
    ):
        text, replaced = re.subn(old, new, text)
        if not replaced:
            raise FleetError(f"deploy/haproxy/haproxy.cfg has no {old}")
    return text


@contextmanager
def haproxy(servers: Sequence[str], folder: Path) -> Iterator[Haproxy]:
    """Run HAProxy in front of two servers until the context ends; it is left in `folder` what it said."""
    program = tool("haproxy", "haproxy")
    port = free_port()
    config = folder / "haproxy.cfg"
    config.write_text(haproxy_config(port, servers, folder), encoding="utf-8")
    balancer = Haproxy(port, folder / "admin.sock")

    def answers() -> bool:
        with suppress(OSError):
            return balancer.is_up("one") and balancer.is_up("two")
        return False

    with running([program, "-db", "-f", str(config)], folder / "haproxy.log"):
        wait_for("HAProxy to find both servers", answers)
        yield balancer
