"""One search from request to answer: trees, the threads that execute them, and the limit that ends it."""

import os
import threading
import time
from contextlib import ExitStack
from functools import cache
from queue import SimpleQueue

from ext.engine import OBJECTIVES, STEP_CODES, Engine, Flat
from ext.game import Game, Observation
from ext.mcts import Mcts
from ext.uct import Uct
from search.binding import CORES, Bound
from search.exact import ExactSearch
from search.immediate import IMMEDIATE, immediate
from search.ranking import rank
from search.request import Algorithm, Answer, Limits, Objective, Options, StopReason
from search.scheduler import Claim

SLICE_SECONDS = 0.010
"""How long a tree runs before its thread looks up again."""
LAST_SLICE = 1.5
"""Slices that a tree's last may last, so that nobody looks up again for the little that is left of it."""
UNLIMITED = 1 << 60
MIN_TREE_BYTES = 1 << 14
MAX_MEMORY = 1 << 46
"""More than any machine has, and few enough to be counted in 64 bits."""
LONGEST_SECONDS = 1e9
MAX_DEPTH = 1 << 20
"""Decisions: deeper than any game is long."""
SEARCH_NICENESS = 19
RANKING_SECONDS = 60e-6
"""How much sooner than a deadline a search ends for each root move that it then has to rank."""
LARGE_NODES = 20_000
"""Nodes of a search from which giving its trees back is left to another thread."""


class Search:
    """Ranks the moves of the seat that owns an observation.

    Raises ValueError when the seat owes no decision, no limit is given, or a number is out of range. `run` blocks and
    may be called once; `cancel` ends it from any thread.
    """

    def __init__(self, game: Game, observation: Observation, limits: Limits, options: Options) -> None:
        check(limits, options)
        if game.observer(observation) not in game.pending_observation(observation):
            raise ValueError("the seat owes no decision")
        if game.seats == 1 and not game.aim:
            # Who plays alone for points can only win them.
            options = options._replace(objective=Objective.SCORE)
        self.game, self.observation, self.limits, self.options = game, observation, limits, options
        self._cancelled = threading.Event()
        self._engines: list[Engine] = []
        self._exact = ExactSearch(game, observation, limits, options)
        self._lock = threading.Lock()
        # One a tree, held while it runs: whoever looks at its statistics waits for the end of a slice.
        self._slices: list[threading.Lock] = []
        self._looking = 0
        # Who ranks plays lines out in the trees' own worlds.
        self._ranking = threading.Lock()
        self._threads = 1
        self._start = 0.0
        # One a thread while they run; empty where nobody shares the cores out.
        self._claims: list[Claim] = []

    def share(self, claim: Claim) -> None:
        """Has the search give way between slices, as its claim to a core says; before `run`, which must hold it."""
        self._claims = [claim]
        self._exact.claim = claim

    def cancel(self) -> None:
        """Ends the search within milliseconds; `run` then answers with what it has."""
        with self._lock:
            self._cancelled.set()
            self._exact.cancel()
            for engine in self._engines:
                engine.stop()
            for claim in self._claims:
                claim.wake()

    def run(self) -> Answer:
        """Searches until a limit binds and ranks all legal moves."""
        start = self._start = time.monotonic()
        if self.options.algorithm in IMMEDIATE:
            return immediate(self.game, self.observation, self.options, start)
        if self.options.algorithm is Algorithm.EXPECTIMAX:
            return self._exact.run(start)
        if self.options.algorithm is Algorithm.AUTO and (proven := self._exact.solve(start)) is not None:
            return proven
        trees = self.options.trees
        quota = [UNLIMITED] * trees
        if self.limits.simulations is not None:
            total = self.limits.simulations
            quota = [total // trees + (tree < total % trees) for tree in range(trees)]
        threads = self._threads = threads_of(self.options)
        with self._lock:
            self._slices = [threading.Lock() for _ in range(trees)]
            self._engines = [self._engine(tree, quota[tree]) for tree in range(trees)]
            self._claims += [other for claim in self._claims for other in claim.shared(threads)]
            if self._cancelled.is_set():
                for engine in self._engines:
                    engine.stop()
        shares = [range(first, trees, threads) for first in range(threads)]
        by_deadline = self.limits.deadline
        if by_deadline is not None:
            by_deadline -= RANKING_SECONDS * len(self._engines[0].moves())
        end = min((end for end in (self._end_by_time(start), by_deadline) if end is not None), default=None)
        # Threads of its own, not a pool's: whoever searches at the same time gets its share from the system. They have
        # the priority of the calling thread.
        found: list[list[str]] = [[] for _ in shares]

        failures: list[BaseException] = []

        def work(share: int) -> None:
            claim = self._claims[share] if self._claims else None
            try:
                if claim is not None and share > 0:
                    claim.hold(end)
                found[share] = self._execute(shares[share], quota, end, claim)
            except BaseException as failure:
                failures.append(failure)
                self.cancel()
            finally:
                # The others may still need it; writing the answer is brief.
                if claim is not None and threads > 1:
                    claim.leave()

        others = [threading.Thread(target=work, args=(share,), name="search") for share in range(1, threads)]
        for other in others:
            other.start()
        work(0)
        for other in others:
            other.join()
        if failures:
            raise failures[0]
        codes = [code for codes in found for code in codes]
        answer = self._answer(codes, start, threads)
        with self._lock:
            engines, self._engines = self._engines, []
        discard(engines)
        return answer

    def _end_by_time(self, start: float) -> float | None:
        return None if self.limits.seconds is None else start + self.limits.seconds

    def _engine(self, tree: int, quota: int) -> Engine:
        objective = OBJECTIVES[self.options.objective.value]
        depth = self.limits.depth or 1000
        if self.options.algorithm is Algorithm.FLAT:
            return Flat(
                self.game, self.observation, objective, self.options.seed, tree, depth, allowed=self.options.allowed
            )
        kind = Uct if self.options.algorithm is Algorithm.UCT else Mcts
        memory = self.limits.memory // self.options.trees
        return kind(
            self.game,
            self.observation,
            objective,
            self.options.seed,
            tree,
            depth,
            memory=memory,
            simulations=quota,
            allowed=self.options.allowed,
        )

    def _execute(self, trees: range, quota: list[int], end: float | None, claim: Claim | None) -> list[str]:
        """Runs some trees, slice by slice in turn, until each has met a limit; says which, tree by tree."""
        with Bound(claim) as bound:
            return self._slice_by_slice(trees, quota, end, claim, bound)

    def _slice_by_slice(
        self, trees: range, quota: list[int], end: float | None, claim: Claim | None, bound: Bound
    ) -> list[str]:
        codes = {}
        made = dict.fromkeys(trees, 0)  # simulations of the latest slice
        open_trees = list(trees)
        while open_trees:
            for tree in list(open_trees):
                engine = self._engines[tree]
                before = engine.simulations
                left = SLICE_SECONDS
                if quota[tree] - before <= LAST_SLICE * made[tree]:
                    left *= LAST_SLICE
                if end is not None:
                    left = min(left, end - time.monotonic())
                if self._cancelled.is_set():
                    code = "stopped"
                elif before >= quota[tree]:
                    code = "enough"
                elif left <= 0 and (before or self._past_deadline()):
                    # A time that is up before the search began still buys its first simulations.
                    code = "timeout"
                else:
                    while self._looking:
                        time.sleep(0.0002)
                    bound.before()
                    with self._slices[tree]:
                        code = STEP_CODES[engine.step(quota[tree] - before, max(left, 0.0))]
                    bound.after()
                    made[tree] = engine.simulations - before
                    if code == "timeout" and (end is None or time.monotonic() < end):
                        if claim is not None:
                            claim.rest(end)
                        continue
                codes[tree] = code
                open_trees.remove(tree)
        return list(codes.values())

    def _past_deadline(self) -> bool:
        return self.limits.deadline is not None and time.monotonic() >= self.limits.deadline

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

    def interim(self) -> Answer | None:
        """The ranking so far, from any thread while `run` is under way; None before there is anything to say.

        Each tree is looked at between two of its slices: it costs the search no more than the writing.
        """
        engines, slices = self._engines, self._slices
        if not engines or not any(engine.simulations for engine in engines):
            return None
        with self._lock:
            self._looking += 1
        try:
            with ExitStack() as held:
                for lock in slices:
                    held.enter_context(lock)
                return self._rank(engines, None, self._threads)
        finally:
            with self._lock:
                self._looking -= 1

    def _answer(self, codes: list[str], start: float, threads: int) -> Answer:
        return self._rank(self._engines, self._stop_reason(codes, start), threads)

    def _rank(self, engines: list[Engine], reason: StopReason | None, threads: int) -> Answer:
        """The answer as the trees stand; without a reason it is an interim one."""
        options, game = self.options, self.game
        algorithm = Algorithm.MCTS if options.algorithm is Algorithm.AUTO else options.algorithm
        seat = game.observer(self.observation)
        with self._ranking:
            moves = rank(engines, seat, algorithm, options, game.before)
        simulations = sum(engine.simulations for engine in engines)
        return Answer(
            moves=moves,
            algorithm=algorithm,
            objective=options.objective,
            stop_reason=reason,
            simulations=simulations,
            nodes=sum(engine.nodes for engine in engines),
            determinizations=simulations,
            mean_depth=sum(engine.depth_sum for engine in engines) / max(simulations, 1),
            max_depth=max(engine.depth_max for engine in engines),
            mean_turns=sum(engine.turn_sum for engine in engines) / max(simulations, 1),
            max_turns=max(engine.turn_max for engine in engines),
            trees=options.trees,
            threads=threads,
            seed=options.seed,
            seconds=time.monotonic() - self._start,
            legal_moves=len(game.moves_observation(self.observation)),
            win_share=moves[0].win_share,
            expected_score=moves[0].expected_score,
            score_spread=moves[0].score_spread,
            confidence=options.confidence,
        )


def threads_of(options: Options) -> int:
    """On how many threads a search runs: one a core unless told otherwise, and never more than there are trees."""
    return min(options.threads or len(CORES.all), options.trees)


def check(limits: Limits, options: Options) -> None:
    """Raises ValueError naming the limit or option that is out of range."""
    searching = options.algorithm not in IMMEDIATE
    if searching and limits.simulations is None and limits.seconds is None and limits.deadline is None:
        raise ValueError("give a number of simulations, a time or a deadline")
    if limits.simulations is not None and limits.simulations < 1:
        raise ValueError("simulations must be at least 1")
    if limits.seconds is not None and not 0 < limits.seconds <= LONGEST_SECONDS:
        raise ValueError(f"seconds must be more than 0 and at most {LONGEST_SECONDS:g}")
    if limits.deadline is not None and not limits.deadline <= 2 * LONGEST_SECONDS:
        raise ValueError("deadline must be a value of time.monotonic(), or None")
    if limits.depth is not None and not 1 <= limits.depth <= MAX_DEPTH:
        raise ValueError(f"depth must be 1 to {MAX_DEPTH}")
    if options.trees < 1 or (options.threads is not None and options.threads < 1):
        raise ValueError("trees and threads must be at least 1")
    if not 0 < options.confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    if limits.memory // options.trees < MIN_TREE_BYTES:
        raise ValueError(f"memory must be at least {MIN_TREE_BYTES} bytes a tree")
    if limits.memory > MAX_MEMORY:
        raise ValueError(f"memory must be at most {MAX_MEMORY} bytes")


def discard(engines: list[Engine]) -> None:
    """Gives trees back; large ones on a thread of their own, since that takes the system tens of milliseconds."""
    if sum(engine.nodes for engine in engines) > LARGE_NODES:
        graveyard().put(engines)


@cache
def graveyard() -> SimpleQueue[list[Engine]]:
    """A queue whose only reader forgets what it reads."""
    queue: SimpleQueue[list[Engine]] = SimpleQueue()

    def forget() -> None:
        while True:
            queue.get()

    threading.Thread(target=forget, name="discard", daemon=True).start()
    return queue


def lower_priority(niceness: int = SEARCH_NICENESS) -> None:
    """Lowers the calling thread's priority, so that whoever answers requests gets the processor first."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
