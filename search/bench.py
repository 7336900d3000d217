"""Speed figures: rates are medians of windows, because machines are noisy."""

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ext import playout
from ext.engine import OBJECTIVES
from ext.game import Game, Observation
from ext.mcts import Mcts
from ext.uct import Uct
from search.request import Algorithm, Limits, Options, StopReason
from search.run import UNLIMITED, Search

WINDOWS = 5
BATCH = 2_000
"""Playouts between two looks at the clock."""
OVERRUN_LIMIT = 0.050
"""Time limit of the searches whose overrun is measured, in seconds."""
SEARCHES = 200
"""Fewest searches for percentiles of the overrun."""
LEAST_MEMORY = 256 << 20
"""Tree memory of a measured search, in bytes, and what each simulation gets in one that needs more."""
MEMORY_EACH = 1024
FULL_MEMORY = 64 << 20
"""Memory of the tree whose bytes a node are counted, in bytes: so many that the tree is limited by nothing else."""


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


def bench_search(
    game: Game,
    observation: Observation,
    simulations: int,
    seconds: float,
    algorithm: Algorithm = Algorithm.MCTS,
    searches: int = SEARCHES,
) -> dict[str, Any]:
    """Searches of one decision: simulations a second, bytes a node, and time past a limit.

    simulations: of each search whose rate is taken, 1 or more; with all threads they are split over as many trees.
    seconds: about how long to measure; five searches of each kind are made however long they take. searches: how many
    with a time limit, whose overrun is taken. Returns the figures of the bench contract; `overrun_ms` is the wall time
    of a search beyond its limit, and `bytes_per_node` what a node takes of a memory limit that binds (None where the
    algorithm keeps no tree). Raises RuntimeError when memory ends a search, whose rate would mean nothing.
    """
    threads = os.cpu_count() or 1
    window = max(0.0, seconds - searches * OVERRUN_LIMIT) / (WINDOWS * 2)
    search_rate(game, observation, min(simulations, 1_000), 0, algorithm, threads, 0)  # threads, tables and caches
    pairs = [
        tuple(search_rate(game, observation, simulations, window, algorithm, trees, seed) for trees in (1, threads))
        for seed in range(WINDOWS)
    ]
    one, every = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    overruns = [overrun(game, observation, algorithm, seed) * 1e3 for seed in range(searches)]
    return {
        "game": game.name,
        "players": game.seats,
        "algorithm": algorithm.value,
        "simulations": simulations,
        "threads": threads,
        "simulations_per_second": {"one_thread": one, "all_threads": every},
        "bytes_per_node": bytes_per_node(game, observation, algorithm),
        "overrun_ms": {
            "p50": percentile(overruns, 0.5),
            "p99": percentile(overruns, 0.99),
            "max": max(overruns),
        },
        "searches": searches,
    }


def search_rate(
    game: Game,
    observation: Observation,
    simulations: int,
    seconds: float,
    algorithm: Algorithm,
    trees: int,
    seed: int,
) -> float:
    """Simulations a second of whole searches, one at least, for about so many seconds."""
    limits = Limits(simulations=simulations, memory=max(LEAST_MEMORY, MEMORY_EACH * simulations))
    done, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds or done == 0:
        answer = Search(game, observation, limits, Options(algorithm, trees=trees, threads=trees, seed=seed)).run()
        if answer.stop_reason is StopReason.MEMORY:
            raise RuntimeError(f"{limits.memory:,} bytes are too few for {simulations:,} simulations")
        done += answer.simulations
    return done / (time.perf_counter() - start)


def overrun(game: Game, observation: Observation, algorithm: Algorithm, seed: int) -> float:
    """Seconds that a search takes beyond its time limit, its ranking included."""
    start = time.perf_counter()
    Search(game, observation, Limits(seconds=OVERRUN_LIMIT), Options(algorithm, seed=seed)).run()
    return time.perf_counter() - start - OVERRUN_LIMIT


def bytes_per_node(game: Game, observation: Observation, algorithm: Algorithm) -> float | None:
    """Bytes that a node and its edges take of a tree's memory; None for an algorithm without a tree."""
    objective = OBJECTIVES["win"]
    if algorithm is Algorithm.MCTS:
        return Mcts(game, observation, objective, 0, memory=FULL_MEMORY, simulations=UNLIMITED).bytes_per_node
    if algorithm is Algorithm.UCT:
        return Uct(game, observation, objective, 0, memory=FULL_MEMORY, simulations=UNLIMITED).bytes_per_node
    return None


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share (more than 0, at most 1) of the values does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]
