"""Tries inputs in forked children, so that whatever becomes of one is seen, and the input kept."""

import contextlib
import ctypes
import dataclasses
import gc
import hashlib
import json
import os
import re
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from fuzz.flight import Flight
from fuzz.target import Fault, Runner

STUCK_SECONDS: Final = 10.0
"""An input that is not through after so long ends its child."""
MOST_DEATHS: Final = 3
"""Children that may die, one after the other, before a share of the time is given up."""
LEAST_SECONDS: Final = 0.1
"""For less it is not worth while to make a child."""
WARM_SHARE: Final = 0.3
"""Part of a child's time after which it has what it keeps."""


def resident() -> int:
    """Bytes of this process's memory that are in use, what is free given back before."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Bounds:
    """How long inputs are tried: for so many seconds, so many of them, and whether the first fault is the end."""

    seconds: float
    most: int | None = None
    first: bool = False


class Trial:
    """The life of a child: tries what it is given until a bound is reached, then ends the process."""

    def __init__(self, runner: Runner, flight: Flight, keep: "Keep", bounds: Bounds) -> None:
        self._runner = runner
        self._flight = flight
        self._keep = keep
        self._bounds = bounds
        now = time.monotonic()
        self._warm_at, self._end = now + WARM_SHARE * bounds.seconds, now + bounds.seconds
        self._warm = self._tried = 0

    def one(self, rpc: str, data: bytes) -> None:
        """Try an input; does not return when the time is over."""
        flight = self._flight
        flight.enter(rpc, data)
        try:
            self._runner.run(rpc, data)
        except Exception as error:
            flight.note_fault()
            self._keep.error(rpc, data, error)
        flight.leave(rpc, self._runner.slowest)
        now = time.monotonic()
        if now >= self._warm_at and not self._warm:
            self._warm = resident()
        self._tried += 1
        if now >= self._end or self._tried == self._bounds.most or (self._bounds.first and flight.faults):
            last = resident()
            flight.note_memory(self._warm or last, last)
            os._exit(0)


class Keep:
    """Keeps inputs with which something was wrong, and a line about each kind of fault."""

    def __init__(self, folder: Path, engine: str) -> None:
        self._folder = folder
        self._list = folder / f"faults-{engine}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._list.write_text("")

    def error(self, rpc: str, data: bytes, error: Exception) -> None:
        """Keep the input of an exception; one for each place where it was raised."""
        if isinstance(error, Fault):
            place = re.sub(r"[\d.]+", "N", str(error))
        else:
            place = "".join(
                f"{frame.filename}:{frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-1:]
            )
        self._add(rpc, data, type(error).__name__, place, "".join(traceback.format_exception(error)))

    def death(self, rpc: str, data: bytes, how: str) -> None:
        """Keep the input that a child did not survive."""
        self._add(rpc, data, "died", how, f"the process {how}")

    def wrong(self, rpc: str, data: bytes, what: str) -> None:
        """Keep an input that a server answered as it must not."""
        self._add(rpc, data, "wrong", what, what)

    def _add(self, rpc: str, data: bytes, kind: str, place: str, text: str) -> None:
        name = f"crash-{rpc}-{kind}-{hashlib.sha256(place.encode()).hexdigest()[:8]}"
        if name in {fault["input"] for fault in self.faults()}:
            return
        (self._folder / name).write_bytes(data)
        (self._folder / f"{name}.txt").write_text(text)
        with self._list.open("a") as lines:
            lines.write(json.dumps({"rpc": rpc, "kind": kind, "what": text.strip()[-500:], "input": name}) + "\n")

    def faults(self) -> list[dict[str, Any]]:
        """What has been found in this run, each kind once."""
        return [json.loads(line) for line in self._list.read_text().splitlines()]


def watch(flight: Flight, keep: Keep, bounds: Bounds, live: Callable[[Bounds], NoReturn]) -> int:
    """Have children `live` within the bounds, one after the other where one dies; bytes by which one has grown most."""
    begun, growth = time.monotonic(), 0
    for _ in range(1 if bounds.first else MOST_DEATHS):
        left = bounds.seconds - (time.monotonic() - begun)
        if left < LEAST_SECONDS:
            break
        flight.clear()
        process = os.fork()
        if not process:
            try:
                live(dataclasses.replace(bounds, seconds=left))
            finally:
                traceback.print_exc()
                os._exit(1)
        how = _wait(process, flight, left)
        growth = max(growth, flight.growth)
        if not how:
            break
        keep.death(*flight.input, how)
    return growth


def _wait(process: int, flight: Flight, seconds: float) -> str:
    """How a child has ended; "" when all was well."""
    last = time.monotonic() + seconds + 6 * STUCK_SECONDS
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else f"ended with {code if code > 0 else signal.Signals(-code).name}"
        if flight.seconds > STUCK_SECONDS or time.monotonic() > last:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return "hung"
        time.sleep(0.02)
