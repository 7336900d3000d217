"""Keeps searching threads apart: one a core, where the cores are theirs.

The system places a thread when it wakes, and moves it again only after a while: until then two searches may share a
core while another idles. With as many permits as there are cores each permit stands for one, and who holds it stays.
"""

import os
import time
from contextlib import suppress
from types import TracebackType
from typing import Final

from search.scheduler import Claim

LEAST_SHARE: Final = 0.7
"""Of their cores that bound threads have to have; with less somebody else needs them, and the system knows better. A
server that is busy by itself leaves its searches more than 0.8, another one on the same core half."""
WEIGHT: Final = 0.05
"""Of the latest slice among those before it, where shares are told."""
LOOSE_SECONDS: Final = 2.0
"""How long no thread is bound after they have had less."""


class Cores:
    """The cores of this process, and whether threads are bound to them now. Any thread may ask."""

    def __init__(self) -> None:
        self.all: Final = sorted(os.sched_getaffinity(0))
        self._loose_until = 0.0
        self._share = 1.0
        self._usable = True

    @property
    def usable(self) -> bool:
        """Whether threads may be bound at all."""
        return self._usable

    def core(self, claim: Claim | None) -> int | None:
        """Return where a claim's thread belongs; None for anywhere."""
        if claim is None or claim.permit is None or claim.permits != len(self.all) or not self._usable:
            return None
        return None if time.monotonic() < self._loose_until else self.all[claim.permit]

    def note(self, ran: float, wall: float) -> None:
        """Take into account how long a bound thread has run of a slice's time; both in seconds."""
        self._share += WEIGHT * (min(1.0, ran / wall) - self._share)
        if self._share < LEAST_SHARE:
            self._loose_until = time.monotonic() + LOOSE_SECONDS
            self._share = 1.0

    def place(self, core: int | None, before: int | None = None) -> bool:
        """Bind the calling thread to a core, or to none in particular, where it is still as `before`; tell whether.

        Where it is not, somebody else has placed it: then nothing is bound any more.
        """
        try:
            if os.sched_getaffinity(0) == (set(self.all) if before is None else {before}):
                os.sched_setaffinity(0, self.all if core is None else (core,))
                return True
        except OSError:
            pass  # forbidden, or a core was taken from the process since it began
        self._usable = False
        return False


CORES: Final = Cores()
"""Of this process."""


def unbind() -> None:
    """Have a new thread run anywhere: it begins bound where a bound one has started it."""
    if CORES.usable:
        with suppress(OSError):
            os.sched_setaffinity(0, CORES.all)


class Bound:
    """The calling thread while it searches: bound to its permit's core, without a claim to none. A context manager."""

    def __init__(self, claim: Claim | None) -> None:
        self._claim = claim
        self._core: int | None = None
        self._wall = self._ran = 0.0

    def __enter__(self) -> "Bound":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._to(None)

    def before(self) -> None:
        """Go where the permit says; called before a slice."""
        core = CORES.core(self._claim)
        if core != self._core:
            self._to(core)
        if core is not None:
            self._wall, self._ran = time.monotonic(), time.thread_time()

    def after(self) -> None:
        """See how much of its core the thread had; called after a slice."""
        if self._core is not None:
            wall = time.monotonic() - self._wall
            if wall > 0:
                CORES.note(time.thread_time() - self._ran, wall)

    def _to(self, core: int | None) -> None:
        if core != self._core:
            # Where it is not done somebody else has the last word, and there is nothing to be taken back.
            self._core = core if CORES.place(core, self._core) else None
