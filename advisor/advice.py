"""Reads how advice is wanted, and writes answers of the search as messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Self

from google.protobuf.duration_pb2 import Duration

import advisor
from advisor.faults import Faults
from advisor.games import Setup
from advisor.positions import Loaded, read_move, write_move, write_ref
from advisor.settings import Settings
from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2
from ext.ranked_wire import ranked_moves
from search.request import Algorithm, Answer, Limits, Objective, Options, StopReason
from search.run import MIN_TREE_BYTES

MAX_DEPTH: Final = 1000
MAX_MOVES: Final = 1000
MAX_PRIORITY: Final = 9
DEFAULT_MOVES: Final = 10
MIN_MEMORY_BYTES: Final = 65_536
MIN_CONFIDENCE: Final = 0.5
MAX_CONFIDENCE: Final = 0.999
DEFAULT_CONFIDENCE: Final = 0.95
MAX_SPELT: Final = 1 << 11
"""Messages of moves that are kept for each way to play; 2,048 take 0.5 MB."""

_ALGORITHMS: Final = {
    advice_pb2.ALGORITHM_UNSPECIFIED: Algorithm.AUTO,
    advice_pb2.ALGORITHM_MCTS: Algorithm.MCTS,
    advice_pb2.ALGORITHM_UCT: Algorithm.UCT,
    advice_pb2.ALGORITHM_FLAT: Algorithm.FLAT,
    advice_pb2.ALGORITHM_GREEDY: Algorithm.GREEDY,
    advice_pb2.ALGORITHM_RANDOM: Algorithm.RANDOM,
    advice_pb2.ALGORITHM_EXPECTIMAX: Algorithm.EXPECTIMAX,
}
_OBJECTIVES: Final = {
    advice_pb2.OBJECTIVE_UNSPECIFIED: Objective.WIN,
    advice_pb2.OBJECTIVE_WIN: Objective.WIN,
    advice_pb2.OBJECTIVE_SCORE: Objective.SCORE,
}
_ALGORITHM_NUMBERS: Final = {algorithm: number for number, algorithm in _ALGORITHMS.items()}
_OBJECTIVE_NUMBERS: Final = {objective: number for number, objective in _OBJECTIVES.items()}
_STOP_REASONS: Final[Mapping[StopReason | None, advice_pb2.StopReason]] = {
    None: advice_pb2.STOP_REASON_UNSPECIFIED,
    **{reason: getattr(advice_pb2, f"STOP_REASON_{reason.name}") for reason in StopReason},
}
_MAX_DURATION_SECONDS: Final = 315_576_000_000  # google.protobuf.Duration's own range


# Reading.


def check_range(value: float, low: float, high: float, path: str, faults: Faults) -> None:
    """Add a fault unless `value` lies within the range; a value that is no number never does."""
    if not low <= value <= high:
        faults.add(path, f"expected {low:,} to {high:,}, not {value:,}")


def read_duration(duration: Duration, low: float, high: float, path: str, faults: Faults) -> float:
    """Return a duration in seconds; 0, with a fault, for one out of range. `low` 0 means more than 0."""
    valid = (
        abs(duration.seconds) <= _MAX_DURATION_SECONDS
        and abs(duration.nanos) <= 999_999_999
        and duration.seconds * duration.nanos >= 0
    )
    if not valid:
        faults.add(path, "is no valid duration: nanos must be within a second and have the sign of seconds")
        return 0.0
    seconds = duration.seconds + duration.nanos / 1e9
    if not max(low, 1e-9) <= seconds <= high:
        least = f"{low:g}" if low > 0 else "more than 0"
        joint = "to" if low > 0 else "and at most"
        faults.add(path, f"expected {least} {joint} {high:g} s, not {seconds:g} s")
        return 0.0
    return seconds


def read_limits(limits: advice_pb2.Limits, trees: int, settings: Settings, faults: Faults) -> Limits:
    """Return what may be spent, the server's caps and defaults included; seconds and memory are always set."""
    simulations = depth = None
    most_memory = min(settings.max_memory_bytes, settings.max_total_memory_bytes)
    memory = min(settings.default_memory_bytes, most_memory)
    if limits.HasField("simulations"):
        simulations = limits.simulations
        check_range(simulations, 1, settings.max_simulations, "simulations", faults)
    if limits.HasField("time"):
        seconds = read_duration(limits.time, 0, settings.max_seconds, "time", faults)
    elif simulations is None:
        seconds = min(settings.default_seconds, settings.max_seconds)
    else:
        seconds = settings.max_seconds
    if limits.HasField("depth"):
        depth = limits.depth
        check_range(depth, 1, MAX_DEPTH, "depth", faults)
    if limits.HasField("memory_bytes"):
        memory = limits.memory_bytes
        check_range(memory, MIN_MEMORY_BYTES, most_memory, "memory_bytes", faults)
    least = trees * MIN_TREE_BYTES
    if trees <= settings.max_trees and MIN_MEMORY_BYTES <= memory < least:
        faults.add("memory_bytes", f"expected at least {least:,} for {trees} trees")
    return Limits(simulations, seconds, None, depth, memory)


@lru_cache(maxsize=256)
def write_limits(limits: Limits) -> advice_pb2.Limits:
    """Return the message of limits that `read_limits` has read; nobody changes it."""
    message = advice_pb2.Limits(memory_bytes=limits.memory)
    if limits.simulations is not None:
        message.simulations = limits.simulations
    if limits.depth is not None:
        message.depth = limits.depth
    assert limits.seconds is not None
    time = message.time
    time.seconds, time.nanos = divmod(round(limits.seconds * 1e9), 1_000_000_000)
    return message


def read_options(options: advice_pb2.AdviceOptions, settings: Settings, faults: Faults) -> Options:
    """Return how to search, all but which moves; what orders searches is checked, and no part of it."""
    trees, threads, lines, confidence = 1, None, DEFAULT_MOVES, DEFAULT_CONFIDENCE
    if options.HasField("trees"):
        trees = options.trees
        check_range(trees, 1, settings.max_trees, "trees", faults)
    if options.HasField("threads"):
        threads = options.threads
        check_range(threads, 1, settings.max_threads, "threads", faults)
    algorithm = _ALGORITHMS.get(options.algorithm)
    if algorithm is None:
        faults.add("algorithm", f"{options.algorithm} is not a value of Algorithm")
    objective = _OBJECTIVES.get(options.objective)
    if objective is None:
        faults.add("objective", f"{options.objective} is not a value of Objective")
    if options.HasField("max_moves"):
        lines = options.max_moves
        check_range(lines, 1, MAX_MOVES, "max_moves", faults)
    if options.HasField("confidence"):
        confidence = options.confidence
        check_range(confidence, MIN_CONFIDENCE, MAX_CONFIDENCE, "confidence", faults)
    check_range(options.priority, -MAX_PRIORITY, MAX_PRIORITY, "priority", faults)
    return Options(
        algorithm=algorithm or Algorithm.AUTO,
        objective=objective or Objective.WIN,
        trees=trees,
        threads=threads,
        seed=options.seed,
        lines=lines,
        confidence=confidence,
    )


@dataclass(frozen=True)
class Wanted:
    """Which moves: those that may be ranked (None for all), and those that are answered whatever their rank."""

    allowed: frozenset[int] | None = None
    reported: frozenset[int] = frozenset()


ANY_MOVE: Final = Wanted()
"""Nothing is wanted in particular."""


def read_wanted(loaded: Loaded, seat: int, options: advice_pb2.AdviceOptions, most: int, faults: Faults) -> Wanted:
    """Return which moves are wanted of a seat that owes a decision; `most` of them in a list.

    Of another seat only what no position could make right is at fault.
    """
    if not (options.allow_moves or options.avoid_moves or options.report_moves):
        return ANY_MOVE
    allow, avoid, report = (
        _read_moves(loaded, seat, getattr(options, name), most, name, faults)
        for name in ("allow_moves", "avoid_moves", "report_moves")
    )
    if options.allow_moves and options.avoid_moves:
        faults.add("avoid_moves", "cannot be given together with allow_moves")
    allowed: frozenset[int] | None = None
    if (allow or avoid) and seat in loaded.pending:
        legal = frozenset(loaded.setup.kernel.moves_observation(loaded.seen_by(seat)))
        allowed = frozenset(code for code, _ in allow) if allow else legal - {code for code, _ in avoid}
        if not allowed:
            faults.add("avoid_moves", "leaves no legal move")
        if allowed == legal:
            allowed = None  # as if nothing had been said
    for code, path in report:
        if allowed is not None and code not in allowed:
            faults.add(path, f"is excluded by {'allow_moves' if allow else 'avoid_moves'}")
    return Wanted(allowed, frozenset(code for code, _ in report))


def _read_moves(
    loaded: Loaded, seat: int, moves: Sequence[position_pb2.Move], most: int, name: str, faults: Faults
) -> list[tuple[int, str]]:
    """Return the codes of legal moves, each with the path that says it."""
    owed = bool(moves) and seat in loaded.pending
    seen = Loaded(loaded.setup, loaded.chance_events, None, loaded.seen_by(seat)) if owed else loaded
    found = []
    for number, move in enumerate(faults.few(moves, most, name)):
        here = f"{name}[{number}]"
        said = read_move(loaded.setup, move, faults.under(here))
        if said is None:
            continue
        code = seen.representative(seat, said[0]) if owed else said[0]
        if code is None:
            notation = loaded.setup.kernel.notation(said[0])
            faults.under(here).add(
                said[1], f'"{notation}" is not legal for seat {seat} here; ListMoves has the legal moves'
            )
        else:
            found.append((code, f"{here}.{said[1]}"))
    return found


# Writing.


def stop_reason(reason: StopReason | None) -> advice_pb2.StopReason:
    """Return the message's value of a stop reason; None stands for a search that goes on."""
    return _STOP_REASONS[reason]


class Advice:
    """An answer of Advise on its way: its moves, which are most of it and nobody here reads, as the bytes they become.

    rest: the message without `moves`; moves: that field. Laid end to end they are the message as bytes.
    """

    __slots__ = ("_sent", "moves", "rest")

    def __init__(self, rest: advisor_service_pb2.AdviseResponse, moves: bytes = b"") -> None:
        self.rest, self.moves = rest, moves
        self._sent: bytes | None = None

    def SerializeToString(self) -> bytes:
        """Return the message as bytes; named as messages name it. From then on it stays as it is."""
        if self._sent is None:
            self._sent = self.moves + self.rest.SerializeToString()
        return self._sent

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """Return the answer of a message as bytes."""
        return cls(advisor_service_pb2.AdviseResponse.FromString(data))

    def message(self) -> advisor_service_pb2.AdviseResponse:
        """Return the message as a whole."""
        return advisor_service_pb2.AdviseResponse.FromString(self.SerializeToString())


def write_answer(
    setup: Setup,
    answer: Answer,
    reason: StopReason | None,
    held: advice_pb2.Limits,
    wanted: Wanted,
    max_moves: int,
) -> Advice:
    """Return an answer without its timing; `reason` is the end that callers are told, None for none."""
    response = advisor_service_pb2.AdviseResponse(
        legal_moves=answer.legal_moves,
        exact=answer.exact,
        algorithm=_ALGORITHM_NUMBERS[answer.algorithm],
        objective=_OBJECTIVE_NUMBERS[answer.objective],
        stop_reason=stop_reason(reason),
        simulations=answer.simulations,
        nodes=answer.nodes,
        determinizations=answer.determinizations,
        limits=held,
        trees=answer.trees,
        seed=answer.seed,
        confidence=answer.confidence,
    )
    depth, versions = response.depth, response.versions
    depth.mean_decisions, depth.max_decisions = answer.mean_depth, answer.max_depth
    depth.mean_turns, depth.max_turns = answer.mean_turns, answer.max_turns
    versions.sirenia, versions.kernel = advisor.__version__, setup.kernel.kernel_version
    write_ref(setup.catalogue, versions.catalogue)
    for seat, mix in sorted(answer.mixes.items()):
        mixed = response.mixes.add(seat=seat)
        for code, probability in mix:
            write_move(setup, code, mixed.moves.add(probability=probability).move)
    if answer.win_share:
        outlook = response.outlook
        outlook.win_share.extend(answer.win_share)
        outlook.expected_score.extend(answer.expected_score)
        outlook.score_spread.extend(answer.score_spread)
    moves = ranked_moves(answer.moves, max_moves, wanted.reported, setup.spelt, partial(_spell, setup))
    return Advice(response, moves)


def _spell(setup: Setup, code: int) -> bytes:
    """Return a move's message as bytes, and keep it."""
    move = position_pb2.Move()
    write_move(setup, code, move)
    if len(setup.spelt) >= MAX_SPELT:
        setup.spelt.clear()
    spelt = setup.spelt[code] = move.SerializeToString()
    return spelt
