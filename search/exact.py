"""Exact answers, and the depth-limited and sampled forms of the same search where they cannot be had."""

import time
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import Game, Observation
from search.request import Algorithm, Answer, Limits, Options, Ranked, StopReason

AUTO_NODES = 300_000
"""States that `auto` looks at, at the most, to be exact: some tens of milliseconds."""
MAX_WORLDS = 64
"""Worlds that a search of a position with hidden information samples when nothing but time limits it."""
EQUAL = 1e-9
"""Proven values closer than this are equal."""

Sums = list[list[float]]


class ExactSearch:
    """Expectimax for one request. `run` gives None when it must not or could not be exact in the way of `auto`."""

    def __init__(self, game: Game, observation: Observation, limits: Limits, options: Options) -> None:
        self.game, self.observation, self.limits, self.options = game, observation, limits, options
        self._engine: Expectimax | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """Ends the search within microseconds, from any thread."""
        self._cancelled = True
        if self._engine is not None:
            self._engine.stop()

    def solve(self, start: float) -> Answer | None:
        """The proven answer if at most AUTO_NODES states lead to it; the number of states decides, not the clock."""
        engine = self._make(0, AUTO_NODES, None)
        if self.limits.depth is not None or not engine.certain or engine.size(AUTO_NODES) > AUTO_NODES:
            return None
        if not engine.run(self._left(start)) or not engine.exact:
            return None
        return self._answer([engine], start, StopReason.SOLVED, engine.nodes)

    def run(self, start: float) -> Answer:
        """As deep as the limits allow, world after world; proven when the only world was searched to its end."""
        solved: list[Expectimax] = []
        nodes = 0
        worlds = self.limits.simulations or MAX_WORLDS
        depth = self.limits.depth
        reason = StopReason.SIMULATIONS
        for world in range(worlds):
            engine = self._deepen(world, start) if depth is None and not solved else self._try(world, depth, start)
            if engine is None:
                reason = StopReason.CANCELLED if self._cancelled else self._time_reason(start)
                break
            nodes += engine.nodes
            if depth is None and not engine.exact:
                depth = self._depth
            solved.append(engine)
            if engine.certain:
                reason = StopReason.SOLVED if engine.exact else self._time_reason(start, depth)
                break
        return self._answer(solved, start, reason, nodes)

    def _deepen(self, world: int, start: float) -> Expectimax | None:
        """Depth after depth until nothing is estimated or the time is up; None when not even the first was finished."""
        best, self._depth = None, 1
        share = 1.0 if self._make(world, 1, 1).certain else 0.25
        for depth in range(1, 63):
            engine = self._make(world, 1 << 60, depth)
            if not engine.run(self._left(start) * share):
                break
            best, self._depth = engine, depth
            if engine.exact:
                break
        return best

    def _try(self, world: int, depth: int | None, start: float) -> Expectimax | None:
        engine = self._make(world, 1 << 60, depth)
        return engine if engine.run(self._left(start)) else None

    def _make(self, world: int, nodes: int, depth: int | None) -> Expectimax:
        self._engine = Expectimax(
            self.game,
            self.observation,
            OBJECTIVES[self.options.objective.value],
            nodes=nodes,
            depth=depth or 64,
            world=self.options.seed + world,
            allowed=self.options.allowed,
        )
        if self._cancelled:
            self._engine.stop()
        return self._engine

    def _left(self, start: float) -> float:
        ends = [self.limits.deadline] if self.limits.deadline is not None else []
        if self.limits.seconds is not None:
            ends.append(start + self.limits.seconds)
        return max(min(ends) - time.monotonic(), 0.0) if ends else 3600.0

    def _time_reason(self, start: float, depth: int | None = None) -> StopReason:
        if depth is not None and self.limits.depth is not None:
            return StopReason.DEPTH
        by_time, deadline = self.limits.seconds, self.limits.deadline
        if by_time is None or (deadline is not None and deadline < start + by_time):
            return StopReason.DEADLINE
        return StopReason.TIME

    def _answer(self, engines: list[Expectimax], start: float, reason: StopReason, nodes: int) -> Answer:
        """Means over the worlds; with one world that was searched to its end, proven values."""
        game, seats = self.game, self.game.seats
        seat = game.observer(self.observation)
        moves = self._make(0, 1, 1).moves()
        worlds = [engine.outlooks() for engine in engines]
        sums = [mean_outlook([world[i] for world in worlds], seats) for i in range(len(moves))]
        errors = [standard_error([world[i][0][seat] for world in worlds]) for i in range(len(moves))]
        exact = len(engines) == 1 and engines[0].exact and engines[0].certain
        mixes = engines[0].mixes() if exact else {}
        own = mixes.get(seat, {})
        values = [total[0][seat] for total in sums]
        top = max(values)

        def order(i: int) -> tuple[float, float, bytes]:
            """By value; those equal to the best count as the best, and what the mix plays comes first among them."""
            if top - values[i] <= EQUAL:
                return -top, -own.get(moves[i], 0.0), game.notation(moves[i]).encode()
            return -values[i], 0.0, game.notation(moves[i]).encode()

        ordered = sorted(range(len(moves)), key=order)
        ranked = [self._ranked(seat, moves[i], sums[i], errors[i], len(engines), top) for i in ordered]
        outlook = sums[ordered[0]]
        if own:
            outlook = [
                [sum(own.get(move, 0.0) * sums[i][row][s] for i, move in enumerate(moves)) for s in range(seats)]
                for row in range(4)
            ]
        return Answer(
            moves=ranked,
            algorithm=Algorithm.EXPECTIMAX,
            objective=self.options.objective,
            stop_reason=reason,
            simulations=len(engines),
            nodes=nodes,
            determinizations=len(engines),
            mean_depth=0.0,
            max_depth=0,
            mean_turns=0.0,
            max_turns=0,
            trees=self.options.trees,
            threads=1,
            seed=self.options.seed,
            seconds=time.monotonic() - start,
            legal_moves=len(game.moves_observation(self.observation)),
            win_share=outlook[1],
            expected_score=outlook[2],
            score_spread=[spread(square, score) for square, score in zip(outlook[3], outlook[2], strict=True)],
            confidence=self.options.confidence,
            exact=exact,
            mixes={
                s: sorted(((m, p) for m, p in mix.items() if p > 0), key=lambda pair: (-pair[1], pair[0]))
                for s, mix in mixes.items()
            },
        )

    def _ranked(self, seat: int, move: int, total: Sums, error: float, worlds: int, top: float) -> Ranked:
        value, share, score, square = total
        half = NormalDist().inv_cdf((1 + self.options.confidence) / 2) * error
        return Ranked(
            move=move,
            visits=worlds,
            prior=0.0,
            value=value[seat],
            standard_error=error,
            win_share=share,
            expected_score=score,
            score_spread=[spread(q, s) for q, s in zip(square, score, strict=True)],
            line=[(seat, move)],
            playable=1,
            interval=(value[seat] - half, value[seat] + half),
            tied=top - value[seat] <= max(EQUAL, half),
        )


def mean_outlook(worlds: Sequence[Sequence[Sequence[float]]], seats: int) -> Sums:
    """Value, share, score and squared score of each seat: the means over the worlds; 0 without any."""
    n = max(len(worlds), 1)
    return [[sum(world[row][s] for world in worlds) / n for s in range(seats)] for row in range(4)]


def standard_error(values: Sequence[float]) -> float:
    """Of the mean of independent values; 0 below two of them."""
    n = len(values)
    mean = sum(values) / max(n, 1)
    return sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n) if n > 1 else 0.0


def spread(square: float, mean: float) -> float:
    """Standard deviation from the means of squares and of values."""
    return sqrt(max(square - mean * mean, 0.0))
