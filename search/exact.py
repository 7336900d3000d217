"""Exact answers, and the depth-limited and sampled forms of the same search where they cannot be had."""

import time
from functools import cmp_to_key, partial
from math import sqrt

from ext.engine import OBJECTIVES
from ext.expectimax import Expectimax
from ext.game import Game, Observation
from search.ranking import IGNORANCE, quantile
from search.request import Algorithm, Answer, Limits, Objective, Options, Ranked, StopReason
from search.scheduler import Claim

AUTO_NODES = 300_000
"""States that `auto` looks at, at the most, to be exact: some tens of milliseconds."""
HOPELESS = 4
"""Times AUTO_NODES that a guess at the size may be for `auto` to try all the same."""
MAX_WORLDS = 1000
"""Worlds that a search of a position with hidden information samples when nothing but time limits it."""
WORLD_NODES = 20_000
"""States that such a search looks at in a world, at the most: what decides its depth where none is given."""
DEEPEST = 62
FIRST_DEPTH = 1
FIRST_SECONDS = 3600.0
UNBOUNDED = 1 << 60
EQUAL = 1e-9
"""Proven values closer than this are equal."""

Sums = list[list[float]]
Line = tuple[list[tuple[int, int]], int]
"""Decisions as (seat, move), and how many at its start can be played at once."""


class ExactSearch:
    """Expectimax for one request."""

    def __init__(self, game: Game, observation: Observation, limits: Limits, options: Options) -> None:
        self.game, self.observation, self.limits, self.options = game, observation, limits, options
        self.claim: Claim | None = None
        """To the core it runs on, where the cores are shared out."""
        self._engine: Expectimax | None = None
        self._cancelled = False
        self._end: float | None = None

    def cancel(self) -> None:
        """Ends the search within microseconds, from any thread."""
        self._cancelled = True
        if self._engine is not None:
            self._engine.stop()

    def solve(self, start: float) -> Answer | None:
        """The proven answer if at most AUTO_NODES states lead to it.

        The number of states decides, not the clock, unless half of the time limit or of the deadline is over first.
        """
        self._end = self._end_of(start)
        engine = self._make(0, AUTO_NODES, None)
        # The size is a guess from one line, often too high: it keeps out the hopeless, the search counts the rest.
        hopeless = HOPELESS * AUTO_NODES
        if self.limits.depth is not None or not engine.certain or engine.size(hopeless) > hopeless:
            return None
        # No more than half of the time, so that the search that follows has some.
        if not engine.run(self._left(start) / 2) or not engine.exact:
            return None
        return self._answer(Worlds(engine), start, StopReason.SOLVED)

    def run(self, start: float) -> Answer:
        """As deep as the limits allow: proven where there is one world and it was searched to its end."""
        self._end = self._end_of(start)
        if self._make(0, 1, 1).certain:
            return self._deepen(start)
        return self._sample(start)

    def _deepen(self, start: float) -> Answer:
        """One world, depth after depth until nothing is estimated, the depth limit is reached or the time is up.

        The first depth takes microseconds and is finished whatever the time.
        """
        found = Worlds()
        most = self.limits.depth or DEEPEST
        reason = StopReason.DEPTH
        for depth in range(1, most + 1):
            engine = self._make(0, UNBOUNDED, depth)
            if not engine.run(FIRST_SECONDS if depth == 1 else self._left(start)):
                reason = self._interrupted(start)
                break
            found = Worlds(engine)
            if engine.exact:
                reason = StopReason.SOLVED
                break
        return self._answer(found, start, reason)

    def _sample(self, start: float) -> Answer:
        """World after world, each to the same depth, until there are enough or the time is up.

        Without a depth limit it is the deepest that the first world allows within WORLD_NODES states: the number of
        states decides, not the clock, so that equal requests get equal answers.
        """
        depth = self.limits.depth or self._affordable()
        found = Worlds()
        reason = StopReason.SIMULATIONS
        for world in range(self.limits.simulations or MAX_WORLDS):
            if self._cancelled or (world and self._left(start) <= 0):
                reason = self._interrupted(start)
                break
            engine = self._make(world, UNBOUNDED, depth if world else min(depth, FIRST_DEPTH))
            if not engine.run(self._left(start) if world else FIRST_SECONDS):
                reason = self._interrupted(start)
                break
            if world == 0 and depth > FIRST_DEPTH:
                # The first world is finished at some depth whatever the time, then at the depth of all others.
                first, engine = engine, self._make(world, UNBOUNDED, depth)
                if not engine.run(self._left(start)):
                    found.add(first)
                    reason = self._interrupted(start)
                    break
            found.add(engine)
        return self._answer(found, start, reason)

    def _affordable(self) -> int:
        depth = 1
        while depth < DEEPEST:
            engine = self._make(0, WORLD_NODES, depth + 1)
            if not engine.run(FIRST_SECONDS) or engine.exact:
                break
            depth += 1
        return depth

    def _interrupted(self, start: float) -> StopReason:
        return StopReason.CANCELLED if self._cancelled else self._time_reason(start)

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
        if self.claim is not None:
            self._engine.between = partial(self.claim.rest, self._end)
        if self._cancelled:
            self._engine.stop()
        return self._engine

    def _left(self, start: float) -> float:
        end = self._end_of(start)
        return FIRST_SECONDS if end is None else max(end - time.monotonic(), 0.0)

    def _end_of(self, start: float) -> float | None:
        ends = [self.limits.deadline] if self.limits.deadline is not None else []
        if self.limits.seconds is not None:
            ends.append(start + self.limits.seconds)
        return min(ends, default=None)

    def _time_reason(self, start: float) -> StopReason:
        by_time, deadline = self.limits.seconds, self.limits.deadline
        if by_time is None or (deadline is not None and deadline < start + by_time):
            return StopReason.DEADLINE
        return StopReason.TIME

    def _answer(self, found: "Worlds", start: float, reason: StopReason) -> Answer:
        """Means over the worlds; with the one world there is, searched to its end, proven values."""
        game, seats = self.game, self.game.seats
        seat = game.observer(self.observation)
        moves = self._make(0, 1, 1).moves()
        sums = found.means(len(moves), seats)
        exact = found.exact
        errors = [0.0 if exact else found.error(i, seat, self.options.objective) for i in range(len(moves))]
        mixes = found.mixes
        own = mixes.get(seat, {})
        values = [total[0][seat] for total in sums]
        top = max(values)

        def order(i: int) -> tuple[float, float]:
            """By value; those equal to the best count as the best, and what the mix plays comes first among them."""
            return (-top, -own.get(moves[i], 0.0)) if top - values[i] <= EQUAL else (-values[i], 0.0)

        def by_notation(one: int, other: int) -> int:
            return -1 if game.before(moves[one], moves[other]) else 1

        ordered = sorted(sorted(range(len(moves)), key=cmp_to_key(by_notation)), key=order)
        lines = found.lines or [([(seat, move)], 1) for move in moves]
        ranked = [self._ranked(seat, moves[i], sums[i], errors[i], found.count, top, lines[i]) for i in ordered]
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
            simulations=found.count,
            nodes=found.nodes,
            determinizations=found.count,
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

    def _ranked(self, seat: int, move: int, total: Sums, error: float, worlds: int, top: float, line: Line) -> Ranked:
        value, share, score, square = total
        half = quantile(self.options.confidence) * error
        return Ranked(
            move=move,
            visits=worlds,
            prior=0.0,
            value=value[seat],
            standard_error=error,
            win_share=share,
            expected_score=score,
            score_spread=[spread(q, s) for q, s in zip(square, score, strict=True)],
            line=line[0],
            playable=line[1],
            interval=(value[seat] - half, value[seat] + half),
            tied=top - value[seat] <= max(EQUAL, half),
        )


class Worlds:
    """What the worlds that were searched are worth, move by move: sums, so that a thousand take no more than one."""

    def __init__(self, engine: Expectimax | None = None) -> None:
        self.count = self.nodes = 0
        self.exact = False
        self.mixes: dict[int, dict[int, float]] = {}
        self.lines: list[Line] = []
        self._sums: list[Sums] = []
        self._squares: list[list[float]] = []
        if engine is not None:
            self.add(engine)
            self.exact = engine.exact and engine.certain
            self.mixes = engine.mixes() if self.exact else {}
            self.lines = [engine.line_of(i) for i in range(len(engine.moves()))]

    def add(self, engine: Expectimax) -> None:
        """Adds a world."""
        outlooks = engine.outlooks()
        if self.count == 0:
            seats = len(outlooks[0][0])
            self._sums = [[[0.0] * seats for _ in range(4)] for _ in outlooks]
            self._squares = [[0.0] * seats for _ in outlooks]
        self.count += 1
        self.nodes += engine.nodes
        for sums, squares, outlook in zip(self._sums, self._squares, outlooks, strict=True):
            for column, part in zip(sums, outlook, strict=True):
                for s, number in enumerate(part):
                    column[s] += number
            for s, value in enumerate(outlook[0]):
                squares[s] += value * value

    def means(self, moves: int, seats: int) -> list[Sums]:
        """Per move: value, share, score and squared score of each seat; 0 without a world."""
        if self.count == 0:
            return [[[0.0] * seats for _ in range(4)] for _ in range(moves)]
        return [[[number / self.count for number in column] for column in sums] for sums in self._sums]

    def error(self, i: int, seat: int, objective: Objective) -> float:
        """Standard error of a move's value over the worlds, with one world's worth of not knowing."""
        if self.count == 0:
            return sqrt(IGNORANCE[objective])
        mean = self._sums[i][0][seat] / self.count
        within = max(self._squares[i][seat] - self.count * mean * mean, 0.0)
        return sqrt((within + IGNORANCE[objective]) / self.count / self.count)


def spread(square: float, mean: float) -> float:
    """Standard deviation from the means of squares and of values."""
    return sqrt(max(square - mean * mean, 0.0))
