"""Speed figures: rates are medians of windows, because machines are noisy."""

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ext import playout
from ext.game import Game

WINDOWS = 5
BATCH = 2_000
"""Playouts between two looks at the clock."""


def bench_playouts(game: Game, seconds: float, reference: Callable[[int], None] | None) -> dict[str, Any]:
    """Uniform playouts from the start position, deal included, with one thread and with every core.

    `seconds` bounds the whole measurement; `reference(seed)` plays one such game with the Python reference
    implementation, None where that is not installed. Returns the figures of the bench contract; plies are decisions
    and single chance events.
    """
    threads = os.cpu_count() or 1
    window = seconds / (WINDOWS * (2 if reference is None else 2.5))
    plies, _ = playout.run(game, game.start(), 1, BATCH)
    with ThreadPoolExecutor(threads) as pool:
        # The two rates are taken in turn, so that a drift of the machine meets both.
        pairs = [(rate(game, window, 1, pool, i), rate(game, window, threads, pool, i)) for i in range(WINDOWS)]
    one, every = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    speedup = statistics.median(pair[1] / pair[0] for pair in pairs)
    python = None if reference is None else reference_rate(reference, window / 2)
    return {
        "game": game.name,
        "players": game.seats,
        "threads": threads,
        "playouts_per_second": {"one_thread": one, "all_threads": every, "python_reference": python},
        "speedup_over_python": None if python is None else one / python,
        "thread_speedup": speedup,
        "plies_per_playout": plies / BATCH,
        "ns_per_ply": 1e9 / one / (plies / BATCH),
    }


def rate(game: Game, seconds: float, threads: int, pool: ThreadPoolExecutor, seed: int) -> float:
    """Playouts a second of so many threads together."""
    start = game.start()

    def work(thread: int) -> tuple[int, float, float]:
        done, first = 0, time.perf_counter()
        while (last := time.perf_counter()) < first + seconds:
            playout.run(game, start, (seed * 64 + thread) << 32 | done, BATCH)
            done += BATCH
        return done, first, last

    runs = list(pool.map(work, range(threads)))
    return sum(done / (last - first) for done, first, last in runs)


def reference_rate(reference: Callable[[int], None], seconds: float) -> float:
    """Games a second of the reference implementation: the median of windows."""
    rates = []
    seed = 0
    for _ in range(WINDOWS):
        done, start = 0, time.perf_counter()
        while time.perf_counter() < start + seconds or done == 0:
            reference(seed)
            done, seed = done + 1, seed + 1
        rates.append(done / (time.perf_counter() - start))
    return statistics.median(rates)
