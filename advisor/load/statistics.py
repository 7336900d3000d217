"""The figures of a run, from its ledger. Times in milliseconds, from when a call was due; rates a second."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from advisor.load.asked import Kind, Load
from advisor.load.generator import Run
from advisor.load.ledger import Outcome, Table

WINDOWS: Final = 10
"""Parts of a run that are looked at one by one."""
DRIFT: Final = 0.2
"""A run is stable when the medians of its halves differ by no more than this part,"""
DRIFT_MS: Final = 1.0
"""or by no more than so many milliseconds,"""
DRIFT_ERRORS: Final = 2.0
"""or by no more than so many standard errors."""
LEAST_CALLS: Final = 20
"""Completed calls below which nothing is said about stability."""
LATE_MS: Final = 10.0
"""The generator holds a run back when its 99th percentile sends later than this,"""
BUSY: Final = 0.8
"""or when it takes more than this part of a core."""

LATENCY: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}
PLAIN: Final = {"p50": 0.5, "p99": 0.99, "max": 1.0}


def percentiles(values: NDArray[np.float64], told: Mapping[str, float] = PLAIN) -> dict[str, float | None]:
    """Return the smallest value that at least this share of the values does not exceed, None where there are none."""
    if not len(values):
        return dict.fromkeys(told)
    found = np.quantile(values, list(told.values()), method="inverted_cdf")
    return dict(zip(told, (round(float(value), 4) for value in found), strict=True))


def figures(run: Run, kinds: Sequence[Kind], load: Load) -> dict[str, Any]:
    """Return the figures of a run, without the warm-up: all calls together, then class by class."""
    every = run.ledger.table()
    counted = every.where(every.due >= run.begun)
    span = float(counted.ended.max()) - run.begun if len(counted) else 0.0
    windows = windows_of(counted, run)
    found = outcomes(counted, kinds, span)
    offered = run.offered_seconds
    return {
        **found,
        "offered_rate": round(len(counted) / offered, 4) if offered > 0 else None,
        "stable": stable(counted),
        "windows": windows,
        "generator": generator(counted, run, len(every)),
        "warm_up_requests": len(every) - len(counted),
        "by_class": {
            kind.name: outcomes(counted.where(counted.kind == number), kinds, span) for number, kind in enumerate(kinds)
        },
    }


def outcomes(calls: Table, kinds: Sequence[Kind], span: float) -> dict[str, Any]:
    """Return how many calls had which outcome and how long that took; `span` in seconds, from the first to the last."""
    completed, rejected = calls.ended_as(Outcome.COMPLETED), calls.ended_as(Outcome.REJECTED)
    failed, lost = calls.ended_as(Outcome.FAILED), calls.ended_as(Outcome.LOST)
    seconds = float(completed.searched_ms.sum()) / 1e3
    return {
        "requests": len(calls),
        "completed": len(completed),
        "rejected": len(rejected),
        "failed": len(failed),
        "lost": len(lost),
        "rejected_by": rejected.reasons(),
        "failed_by": failed.reasons(),
        "latency_ms": percentiles(completed.latency_ms, LATENCY),
        "overrun_ms": percentiles(overrun_ms(completed, kinds)),
        "rejected_ms": percentiles(rejected.latency_ms),
        "rejected_with_retry": int(np.isfinite(rejected.advice).sum()),
        "deadline_met": deadline_met(calls, kinds),
        "throughput": round(len(completed) / span, 4) if span > 0 else 0.0,
        "simulations_mean": round(float(completed.simulations.mean()), 1) if len(completed) else None,
        "depth_mean": round(float(completed.depth.mean()), 2) if len(completed) else None,
        "simulations_per_second": round(float(completed.simulations.sum()) / seconds, 1) if seconds > 0 else None,
        "queued_ms": percentiles(completed.queued_ms),
        "searched_ms": percentiles(completed.searched_ms),
        "cached": int(completed.cached.sum()),
        "attempts": int(calls.attempts.sum()),
    }


def overrun_ms(completed: Table, kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """Return how long after the time asked for answers came, 0 for one in time; only of classes that ask for one."""
    bounds = np.array([np.nan if kind.bound is None else kind.bound * 1e3 for kind in kinds])[completed.kind]
    bounded = np.isfinite(bounds)
    return np.asarray(np.maximum(0.0, completed.latency_ms[bounded] - bounds[bounded]))


def deadline_met(calls: Table, kinds: Sequence[Kind]) -> float | None:
    """Return the share of all calls with a deadline that were answered by it, None where none has one."""
    deadlines = np.array([np.nan if kind.deadline is None else kind.deadline * 1e3 for kind in kinds])[calls.kind]
    due = np.isfinite(deadlines)
    if not due.any():
        return None
    met = (calls.outcome == Outcome.COMPLETED) & (calls.latency_ms <= deadlines)
    return round(float(met[due].mean()), 6)


def windows_of(calls: Table, run: Run) -> list[dict[str, Any]]:
    """Return figures of equal parts of a run, by when calls were due: does it change while it goes on?"""
    width = run.offered_seconds / WINDOWS
    if width <= 0:
        return []
    number = np.minimum((calls.due - run.begun) // width, WINDOWS - 1)
    told = []
    for window in range(WINDOWS):
        part = calls.where(number == window)
        completed = part.ended_as(Outcome.COMPLETED)
        middle = percentiles(completed.latency_ms, {"p50": 0.5, "p99": 0.99})
        told.append(
            {
                "from_s": round(window * width, 3),
                "requests": len(part),
                "completed": len(completed),
                "latency_ms": middle,
            }
        )
    return told


def stable(calls: Table) -> bool | None:
    """Return whether both halves of a run, by when calls were due, took about as long; None for too few calls.

    The medians of tenths tell how much those of halves differ by chance.
    """
    completed = calls.ended_as(Outcome.COMPLETED)
    if len(completed) < LEAST_CALLS:
        return None
    latency = completed.latency_ms[np.argsort(completed.due, kind="stable")]
    first, second = (float(np.median(half)) for half in np.array_split(latency, 2))
    tenths = np.array([np.median(tenth) for tenth in np.array_split(latency, WINDOWS)])
    error = np.sqrt(sum(half.var(ddof=1) / len(half) for half in np.array_split(tenths, 2)))
    return bool(abs(second - first) <= max(DRIFT * first, DRIFT_MS, DRIFT_ERRORS * float(error)))


def generator(calls: Table, run: Run, made: int) -> dict[str, Any]:
    """Return how late calls were sent and what that cost: is it the server that was measured, or the load tester?"""
    lag = percentiles(calls.lag_ms)
    whole = run.offered_seconds + (run.begun - run.started)
    busy = run.cpu_seconds / whole if whole > 0 else 0.0
    late = lag["p99"] is not None and lag["p99"] > LATE_MS
    return {
        "lag_ms": lag,
        "cpu_ms_per_call": round(run.cpu_seconds * 1e3 / made, 4) if made else None,
        "cpu_share": round(busy, 4),
        "bottleneck": bool(late or busy > BUSY),
    }
