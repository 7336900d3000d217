"""What a run asks of a server: classes of calls, and how they arrive."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from advisor.v1 import advice_pb2

GRACE_SECONDS: Final = 1.0
"""How long past its deadline an outcome is waited for."""
PATIENCE_SECONDS: Final = 60.0
"""How long past its time limit the outcome of a call without a deadline is waited for."""


@dataclass(frozen=True)
class Kind:
    """A class of calls: the limits of its searches, its deadline and its share of the calls.

    seconds: time limit of the search. deadline: of the call, in seconds after it is due; None sets none.
    weight: the class's part of all calls, relative to the other classes.
    """

    name: str
    simulations: int | None = None
    seconds: float | None = None
    depth: int | None = None
    deadline: float | None = None
    weight: float = 1.0

    @property
    def bound(self) -> float | None:
        """Seconds within which an answer was asked for: the nearer of time limit and deadline, None without either."""
        given = [seconds for seconds in (self.seconds, self.deadline) if seconds is not None]
        return min(given, default=None)

    def limits(self) -> advice_pb2.Limits:
        """Return the limits of its searches."""
        limits = advice_pb2.Limits(simulations=self.simulations, depth=self.depth)
        if self.seconds is not None:
            limits.time.FromNanoseconds(round(self.seconds * 1e9))
        return limits


@dataclass(frozen=True)
class Load:
    """How calls arrive, and for how long.

    rate: calls a second that are due whatever becomes of the earlier ones (open loop), or None. concurrency: callers of
    which each calls again when it has its outcome (closed loop); used without a rate. evenly: the same time between
    two calls in place of a Poisson process. calls, seconds: what ends the run, the first of both; warm-up not counted.
    grace: seconds past the deadline after which a call without an outcome is lost, None for the default. attempts:
    how often a refused call is made, the first one included.
    """

    rate: float | None = None
    concurrency: int = 1
    evenly: bool = False
    calls: int | None = None
    seconds: float | None = None
    warm_up: float = 0.0
    grace: float | None = None
    attempts: int = 1
    seed: int = 0

    def patience(self, kind: Kind) -> float:
        """Return the seconds after a call was due at which it is lost without an outcome."""
        if kind.deadline is not None:
            return kind.deadline + (GRACE_SECONDS if self.grace is None else self.grace)
        return (kind.seconds or 0.0) + (PATIENCE_SECONDS if self.grace is None else self.grace)


def shares(kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """Return each class's share of the calls."""
    weights = np.array([kind.weight for kind in kinds], dtype=np.float64)
    return np.asarray(weights / weights.sum())


def schedule(load: Load, kinds: Sequence[Kind]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return when the calls of an open loop are due, in seconds from the start of the warm-up, and their classes.

    The gaps of a Poisson process are independent and exponential, so calls come in bursts, as people send them. A
    class drawn for each call makes each class a Poisson process of its own rate.
    """
    assert load.rate is not None
    rng = np.random.default_rng(load.seed)
    end = np.inf if load.seconds is None else load.warm_up + load.seconds
    due = np.empty(0)
    last = 0.0
    while True:
        gaps = np.full(1024, 1.0) if load.evenly else rng.standard_exponential(1024)
        due = np.append(due, last + np.cumsum(gaps / load.rate))
        last = float(due[-1])
        first = int(np.searchsorted(due, load.warm_up))
        if last >= end or (load.calls is not None and len(due) - first >= load.calls):
            break
    due = due[due < end]
    if load.calls is not None:
        due = due[: first + load.calls]
    return due, rng.choice(len(kinds), size=len(due), p=shares(kinds))
