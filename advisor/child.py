"""A server in a child process, for programs that measure or show a real one."""

import json
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from advisor.server import endpoint

START_SECONDS: Final = 20.0
"""How long the server may take to start."""
STOP_SECONDS: Final = 5.0
"""How long it may take to stop."""


class ChildError(Exception):
    """The server did not start or did not stop as it should; the text says which."""


@dataclass(frozen=True)
class Child:
    """A running server: where it takes calls, and where its metrics are, None without; both HOST:PORT."""

    address: str
    metrics: str | None


@contextmanager
def child_server(*options: str) -> Iterator[str]:
    """Run a server on a free loopback port; yield its address, and stop it with SIGTERM.

    options: more options of `advisor serve`. Raises `ChildError`.
    """
    with child(*options) as running:
        yield running.address


@contextmanager
def child(*options: str) -> Iterator[Child]:
    """Run a server as `child_server` does; yield where it and its metrics are."""
    command = [sys.executable, "-m", "advisor", "serve", "--port", "0", "--metrics-port", "0", "--log-level", "warning"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        readable, _, _ = select.select([process.stdout], [], [], START_SECONDS)
        line = process.stdout.readline() if readable else ""
        if not line:
            raise ChildError("the server did not start")
        ready = json.loads(line)
        metrics = ready["metrics_port"]
        yield Child(endpoint(ready["host"], ready["port"]), f"127.0.0.1:{metrics}" if metrics else None)
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise ChildError("the server did not stop") from None
        if code != 0:
            raise ChildError(f"the server ended with code {code}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
