"""A server in a child process, for programs that measure or show a real one."""

import json
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from advisor.server import endpoint

START_SECONDS: Final = 20.0
"""How long the server may take to start."""
STOP_SECONDS: Final = 5.0
"""How long it may take to stop."""


class ChildError(Exception):
    """The server did not start or did not stop as it should; the text says which."""


@contextmanager
def child_server(*options: str) -> Iterator[str]:
    """Run a server on a free loopback port; yield its address, and stop it with SIGTERM.

    options: more options of `advisor serve`. Raises `ChildError`.
    """
    command = [sys.executable, "-m", "advisor", "serve", "--port", "0", "--metrics-port", "0", "--log-level", "warning"]
    child = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        readable, _, _ = select.select([child.stdout], [], [], START_SECONDS)
        line = child.stdout.readline() if readable else ""
        if not line:
            raise ChildError("the server did not start")
        ready = json.loads(line)
        yield endpoint(ready["host"], ready["port"])
        child.send_signal(signal.SIGTERM)
        try:
            code = child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise ChildError("the server did not stop") from None
        if code != 0:
            raise ChildError(f"the server ended with code {code}")
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
