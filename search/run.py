"""One search from request to answer: trees, the threads that execute them, and the limit that ends it."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from ext.engine import OBJECTIVES, STEP_CODES, Engine, Flat
from ext.game import Game, Observation
from ext.mcts import Mcts
from ext.uct import Uct
from search.immediate import IMMEDIATE, immediate
from search.ranking import rank
from search.request import Algorithm, Answer, Limits, Options, StopReason

SLICE_SECONDS = 0.010
"""How long a tree runs before its thread looks up again."""
UNLIMITED = 1 << 60
MIN_TREE_BYTES = 1 << 14
SEARCH_NICENESS = 19


class Search:
    """Ranks the moves of the seat that owns an observation.

    Raises ValueError when the seat owes no decision, no limit is given, or a number is out of range. `run` blocks and
    may be called once; `cancel` ends it from any thread.
    """

    def __init__(self, game: Game, observation: Observation, limits: Limits, options: Options) -> None:
        check(limits, options)
        if game.observer(observation) not in game.pending_observation(observation):
            raise ValueError("the seat owes no decision")
        self.game, self.observation, self.limits, self.options = game, observation, limits, options
        self._cancelled = threading.Event()
        self._engines: list[Engine] = []
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """Ends the search within milliseconds; `run` then answers with what it has."""
        with self._lock:
            self._cancelled.set()
            for engine in self._engines:
                engine.stop()

    def run(self) -> Answer:
        """Searches until a limit binds and ranks all legal moves."""
        start = time.monotonic()
        if self.options.algorithm in IMMEDIATE:
            return immediate(self.game, self.observation, self.options, start)
        trees = self.options.trees
        quota = [UNLIMITED] * trees
        if self.limits.simulations is not None:
            total = self.limits.simulations
            quota = [total // trees + (tree < total % trees) for tree in range(trees)]
        with self._lock:
            self._engines = [self._engine(tree, quota[tree]) for tree in range(trees)]
        threads = min(self.options.threads or os.cpu_count() or 1, trees)
        shares = [range(first, trees, threads) for first in range(threads)]
        ends = [end for end in (self._end_by_time(start), self.limits.deadline) if end is not None]
        end = min(ends, default=None)
        if threads == 1:
            codes = self._execute(shares[0], quota, end)
        else:
            futures = [pool().submit(self._execute, share, quota, end) for share in shares]
            codes = [code for future in futures for code in future.result()]
        return self._answer(codes, start, threads)

    def _end_by_time(self, start: float) -> float | None:
        return None if self.limits.seconds is None else start + self.limits.seconds

    def _engine(self, tree: int, quota: int) -> Engine:
        objective = OBJECTIVES[self.options.objective.value]
        depth = self.limits.depth or 1000
        if self.options.algorithm is Algorithm.FLAT:
            return Flat(self.game, self.observation, objective, self.options.seed, tree, depth)
        kind = Uct if self.options.algorithm is Algorithm.UCT else Mcts
        memory = self.limits.memory // self.options.trees
        return kind(
            self.game, self.observation, objective, self.options.seed, tree, depth, memory=memory, simulations=quota
        )

    def _execute(self, trees: range, quota: list[int], end: float | None) -> list[str]:
        """Runs some trees, slice by slice in turn, until each has met a limit; says which, tree by tree."""
        codes = {}
        open_trees = list(trees)
        while open_trees:
            for tree in list(open_trees):
                engine = self._engines[tree]
                left = SLICE_SECONDS if end is None else min(SLICE_SECONDS, end - time.monotonic())
                if self._cancelled.is_set():
                    code = "stopped"
                elif engine.simulations >= quota[tree]:
                    code = "enough"
                elif left <= 0:
                    code = "timeout"
                else:
                    code = STEP_CODES[engine.step(quota[tree] - engine.simulations, left)]
                    if code == "timeout" and (end is None or time.monotonic() < end):
                        continue
                codes[tree] = code
                open_trees.remove(tree)
        return list(codes.values())

    def _stop_reason(self, codes: list[str], start: float) -> StopReason:
        """The strongest of what ended the trees."""
        if "stopped" in codes or self._cancelled.is_set():
            return StopReason.CANCELLED
        if "timeout" in codes:
            by_time, deadline = self.limits.seconds, self.limits.deadline
            if by_time is None or (deadline is not None and deadline < start + by_time):
                return StopReason.DEADLINE
            return StopReason.TIME
        return StopReason.MEMORY if "full" in codes else StopReason.SIMULATIONS

    def _answer(self, codes: list[str], start: float, threads: int) -> Answer:
        engines = self._engines
        moves = rank(
            engines,
            self.game.observer(self.observation),
            self.game.seats,
            self.options.algorithm,
            self.options.objective,
            self.game.notation,
            self.options.lines,
        )
        simulations = sum(engine.simulations for engine in engines)
        return Answer(
            moves=moves,
            algorithm=self.options.algorithm,
            objective=self.options.objective,
            stop_reason=self._stop_reason(codes, start),
            simulations=simulations,
            nodes=sum(engine.nodes for engine in engines),
            determinizations=simulations,
            mean_depth=sum(engine.depth_sum for engine in engines) / max(simulations, 1),
            max_depth=max(engine.depth_max for engine in engines),
            trees=self.options.trees,
            threads=threads,
            seed=self.options.seed,
            seconds=time.monotonic() - start,
        )


def check(limits: Limits, options: Options) -> None:
    """Raises ValueError naming the limit or option that is out of range."""
    searching = options.algorithm not in IMMEDIATE
    if searching and limits.simulations is None and limits.seconds is None and limits.deadline is None:
        raise ValueError("give a number of simulations, a time or a deadline")
    if limits.simulations is not None and limits.simulations < 1:
        raise ValueError("simulations must be at least 1")
    if limits.seconds is not None and not limits.seconds > 0:
        raise ValueError("seconds must be more than 0")
    if limits.depth is not None and limits.depth < 1:
        raise ValueError("depth must be at least 1")
    if options.trees < 1 or (options.threads is not None and options.threads < 1):
        raise ValueError("trees and threads must be at least 1")
    if limits.memory // options.trees < MIN_TREE_BYTES:
        raise ValueError(f"memory must be at least {MIN_TREE_BYTES} bytes a tree")


@cache
def pool() -> ThreadPoolExecutor:
    """The threads that execute trees side by side, made once; searches share them."""
    return ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="search", initializer=lower_priority)


def lower_priority(niceness: int = SEARCH_NICENESS) -> None:
    """Lowers the calling thread's priority, so that whoever answers requests gets the processor first."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
