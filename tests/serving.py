"""A server process and what can be seen of it from outside: for long runs and for tests that break things."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from prometheus_client.parser import text_string_to_metric_families

_GRPC_LINE = re.compile(r"[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.]+:\d+\] ")


@dataclass(frozen=True)
class Figures:
    """What a process holds."""

    resident: int
    """Bytes of memory in use."""
    threads: int
    descriptors: int


@dataclass
class Served:
    """A running server."""

    process: "subprocess.Popen[bytes]"
    host: str
    port: int
    metrics_port: int
    log: Path

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"{self.host}:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def figures(self) -> Figures:
        """What the process holds now; raises OSError when it has ended."""
        folder = Path(f"/proc/{self.process.pid}")
        lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        return Figures(
            resident=int(lines["VmRSS"].split()[0]) << 10,
            threads=int(lines["Threads"]),
            descriptors=len(os.listdir(folder / "fd")),
        )

    def metric(self, name: str, **labels: str) -> float:
        """The sum of the samples of that name that carry these labels."""
        with urllib.request.urlopen(f"http://{self.host}:{self.metrics_port}/metrics", timeout=10) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        samples = [sample for family in families for sample in family.samples]
        return sum(s.value for s in samples if s.name == name and labels.items() <= dict(s.labels).items())

    def errors(self) -> list[str]:
        """Lines of the log that tell of errors, and lines that are none of the log's.

        gRPC itself writes lines about connections that break its protocol; those are left out.
        """
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            if _GRPC_LINE.match(line):
                continue
            try:
                level = json.loads(line).get("level", "")
            except (ValueError, AttributeError):
                level = "not a log line"
            if level not in ("debug", "info", "warning"):
                found.append(line)
        return found


def limited_descriptors(number: int) -> Any:
    """What `served` has to run in the new process, so that it may open no more than so many descriptors."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))


@contextlib.contextmanager
def served(
    *options: str,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] = ("-m", "advisor"),
    log: IO[bytes] | None = None,
    before: Any = None,
) -> Iterator[Served]:
    """Start a server on free ports; it is killed at the end.

    command: what Python runs in place of the program; log: where its log goes in place of a file; before: what is
    called in the new process before it becomes the server.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        with path.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, *command, "serve", "--port", "0", "--metrics-port", "0", *options],
                stdout=subprocess.PIPE,
                stderr=file if log is None else log,
                env={**os.environ, **(env or {})},
                preexec_fn=before,
            )
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            if not ready:
                raise RuntimeError(f"the server has not started: {path.read_text(errors='replace')}")
            said = json.loads(ready)
            yield Served(process, said["host"], said["port"], said["metrics_port"], path)
        finally:
            process.kill()
            process.communicate()


def stop(server: Served, seconds: float = 30.0) -> int:
    """Ask a server to end; its exit code. Raises `subprocess.TimeoutExpired` when it takes longer."""
    server.process.send_signal(signal.SIGTERM)
    return server.process.wait(seconds)


def wait_until(condition: Any, seconds: float = 30.0) -> None:
    """Wait for a condition; raises AssertionError when it does not come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"has not come true within {seconds:g} s"
        time.sleep(0.01)
