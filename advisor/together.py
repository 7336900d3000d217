"""Keeps the threads that answer calls on one core.

The event loop and the thread that waits for gRPC's events take turns, several times a call. One core is enough for
both, and there it is quicker to hand a call over: where they may run anywhere, the system wakes a sleeping core for it.
"""

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from advisor.threadtimes import Times, read_times
from search.binding import CORES

LOOK_SECONDS: Final = 1.0
"""How often it is looked whether the threads still do well on their core."""
MOST_WAITED: Final = 0.2
"""Part of the time that the event loop could run for which it may wait for its core. On a server that is busy by itself
it is under 0.1; more means that somebody else needs this core, and that the system knows a better one."""
TELLING: Final = 0.05
"""What the event loop's thread must have run and waited, in seconds, to be judged by."""
LOOSE_SECONDS: Final = 10.0
"""For how long the system then places the threads; afterwards they stay where it has put them."""
_POLLER: Final = "(_poll_wrapper)"
"""How the name of grpcio's thread that waits for events ends."""


class Together:
    """The threads that answer: the event loop's, which is watched, and others. `look` is to be called now and then."""

    def __init__(self, threads: Sequence[int]) -> None:
        """`threads`: native ids, the event loop's first."""
        self._threads = threads
        self._core: int | None = None
        self._loose_until = 0.0
        self._times: Times | None = None
        self._usable = len(threads) > 1 and len(CORES.all) > 1

    @property
    def core(self) -> int | None:
        """The core that the threads are bound to; None while they may run anywhere."""
        return self._core

    def look(self) -> None:
        """Bind the threads to one core, or let go of them where it has too much to do."""
        try:
            if self._core is not None:
                if not CORES.usable:
                    self._let_go()
                    self._usable = False  # somebody else places threads
                elif self._hindered():
                    self._let_go()
                    self._loose_until = time.monotonic() + LOOSE_SECONDS
            elif self._usable and CORES.usable and time.monotonic() >= self._loose_until:
                self._bind()
        except OSError:
            # Forbidden, a core was taken from the process, or nothing can be read.
            self._usable = False

    def _hindered(self) -> bool:
        before, now = self._times, read_times(self._threads[0])
        if before is None or now is None:
            return False
        since = now.plus(before, -1)
        if since.ran + since.waited < TELLING * 1e9:
            return False
        self._times = now
        return since.waited > MOST_WAITED * (since.ran + since.waited)

    def _bind(self) -> None:
        """Bind the threads to the core on which the first runs, unless somebody else has placed one."""
        if any(os.sched_getaffinity(thread) != set(CORES.all) for thread in self._threads):
            self._usable = False
            return
        core = _core_of(self._threads[0])
        self._times = read_times(self._threads[0])
        self._core = core
        for thread in self._threads:
            os.sched_setaffinity(thread, (core,))

    def _let_go(self) -> None:
        """Have the threads run anywhere, unless somebody else has placed them, or the whole process."""
        here, self._core = {self._core}, None
        placed = [_affinity(int(thread.name)) for thread in Path("/proc/self/task").iterdir()]
        if all(cores == here for cores in placed if cores is not None):
            self._usable = False
        for thread in self._threads:
            if self._usable and _affinity(thread) == here:
                os.sched_setaffinity(thread, CORES.all)
            else:
                self._usable = False


def answering() -> list[int]:
    """Return the threads that answer calls, for `Together`; called on the event loop's, once it takes calls."""
    pollers = [thread.native_id for thread in threading.enumerate() if thread.name.endswith(_POLLER)]
    return [threading.get_native_id(), *(thread for thread in pollers if thread is not None)]


def _affinity(thread: int) -> set[int] | None:
    """Return the cores that a thread may run on; None where it has ended."""
    try:
        return os.sched_getaffinity(thread)
    except OSError:
        return None


def _core_of(thread: int) -> int:
    """Return the core on which a thread ran last."""
    # The command's name, in parentheses, may have spaces; the core is the 37th field after it.
    return int(Path(f"/proc/self/task/{thread}/stat").read_text().rpartition(")")[2].split()[36])
