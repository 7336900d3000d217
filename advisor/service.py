"""The service without a network: request message in, response message out. Any thread may call it."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import advisor
from advisor.errors import (
    CANCELLED,
    DEADLINE_TOO_SHORT,
    GAME_OVER,
    NO_DECISION_OWED,
    SHUTTING_DOWN,
    AdvisorError,
    invalid,
)
from advisor.faults import Faults
from advisor.games import GameEntry, Games, Setup
from advisor.positions import (
    Loaded,
    event_faults,
    read_catalogue,
    read_entry,
    read_events,
    read_move,
    read_position,
    read_variant,
    write_event,
    write_move,
    write_position,
    write_ref,
    write_status,
)
from advisor.settings import Settings
from advisor.v1 import advice_pb2, advisor_service_pb2, game_pb2
from ext.errors import Malformed, Violation
from ext.game import CHANCE, MAX_SEATS, Observation, State
from search.request import Algorithm, Answer, Limits, Objective, Options, Ranked, StopReason
from search.run import MIN_TREE_BYTES, Search

MAX_TREES: Final = 64
MAX_DEPTH: Final = 1000
MAX_MOVES: Final = 1000
DEFAULT_MOVES: Final = 10
MIN_MEMORY_BYTES: Final = 65_536

_ALGORITHMS: Final = {
    advice_pb2.ALGORITHM_UNSPECIFIED: Algorithm.MCTS,
    advice_pb2.ALGORITHM_MCTS: Algorithm.MCTS,
    advice_pb2.ALGORITHM_UCT: Algorithm.UCT,
    advice_pb2.ALGORITHM_FLAT: Algorithm.FLAT,
    advice_pb2.ALGORITHM_GREEDY: Algorithm.GREEDY,
    advice_pb2.ALGORITHM_RANDOM: Algorithm.RANDOM,
}
_OBJECTIVES: Final = {
    advice_pb2.OBJECTIVE_UNSPECIFIED: Objective.WIN,
    advice_pb2.OBJECTIVE_WIN: Objective.WIN,
    advice_pb2.OBJECTIVE_SCORE: Objective.SCORE,
}
_MAX_DURATION_SECONDS: Final = 315_576_000_000  # google.protobuf.Duration's own range


@dataclass(frozen=True)
class Prepared:
    """An Advise request that was read and found sound; what is left is the search."""

    setup: Setup
    observation: Observation
    limits: Limits
    options: Options
    max_moves: int
    held: advice_pb2.Limits
    converted_seconds: float


class Advisor:
    """Answers requests. Stateless but for compiled rules; raises `AdvisorError` for what cannot be answered."""

    def __init__(self, settings: Settings | None = None, games: Games | None = None) -> None:
        """Load the catalogues; raises `advisor.catalogues.CatalogueError` when one is unusable."""
        self.settings = Settings() if settings is None else settings
        self.games = Games(self.settings.catalogue_dirs, self.settings.kernel_cache) if games is None else games

    # Games.

    def list_games(self, request: advisor_service_pb2.ListGamesRequest) -> advisor_service_pb2.ListGamesResponse:
        """Return the games, variants and catalogues held."""
        response = advisor_service_pb2.ListGamesResponse()
        for game in sorted(self.games.entries):
            self._write_summary(self.games.entries[game], response.games.add())
        return response

    def get_game(self, request: advisor_service_pb2.GetGameRequest) -> advisor_service_pb2.GetGameResponse:
        """Return one game with its rule options and a catalogue in full."""
        faults = Faults()
        entry = read_entry(self.games, request.game, faults)
        catalogue = None
        if entry is not None:
            catalogue = read_catalogue(self.games, entry, request.catalogue, faults.under("catalogue"))
        faults.raise_if_any()
        assert entry is not None
        assert catalogue is not None
        response = advisor_service_pb2.GetGameResponse()
        self._write_summary(entry, response.summary)
        for option in entry.options:
            response.options.add(
                name=option.name,
                description=option.description,
                values=option.values,
                default_value=option.default,
                variants=option.variants,
                decisions=option.decisions,
            )
        write_ref(catalogue, response.catalogue.ref)
        getattr(response.catalogue, entry.converter.member).CopyFrom(catalogue.message)
        return response

    def _write_summary(self, entry: GameEntry, summary: game_pb2.GameSummary) -> None:
        summary.game = entry.game
        summary.title = entry.title
        summary.min_seats = entry.min_seats
        summary.max_seats = entry.max_seats
        for variant in entry.variants:
            summary.variants.add(
                variant=variant.variant,
                description=variant.description,
                min_seats=variant.min_seats,
                max_seats=variant.max_seats,
            )
        for catalogue in self.games.catalogues(entry.game):
            write_ref(catalogue, summary.catalogues.add())

    # Positions.

    def new_position(self, request: advisor_service_pb2.NewPositionRequest) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game and deal it from the seed."""
        setup = self.setup(request)
        state = setup.kernel.deal(request.seed)
        chance_events = setup.entry.converter.deal_events(setup.seats, setup.variant, setup.rules)
        response = advisor_service_pb2.NewPositionResponse()
        write_position(setup, chance_events, response.position, state=state)
        write_status(Loaded(setup, chance_events, state, None), response.status)
        return response

    def setup(self, request: advisor_service_pb2.NewPositionRequest) -> Setup:
        """Return the compiled rules of the game that a request sets up."""
        faults = Faults()
        variant = read_variant(self.games, request.game, request.variant, request.seats, faults)
        entry = self.games.entries.get(request.game)
        if request.HasField("first_seat"):
            most = request.seats if variant is not None else MAX_SEATS
            if not 0 <= request.first_seat < most:
                faults.add("first_seat", f"expected 0 to {most - 1}, not {request.first_seat}")
        rules, catalogue = None, None
        if entry is not None:
            converter = entry.converter
            member = request.rules.WhichOneof("content")
            if member is not None and member != converter.member:
                faults.add(f"rules.{member}", f"is not for the game {entry.game}; expected {converter.member}")
            else:
                message = getattr(request.rules, converter.member)
                rules = converter.read_rules(message, faults.under(f"rules.{converter.member}"))
            catalogue = read_catalogue(self.games, entry, request.catalogue, faults.under("catalogue"))
        faults.raise_if_any()
        assert variant is not None
        assert entry is not None
        assert rules is not None
        assert catalogue is not None
        try:
            return self.games.setup(entry, variant[1], variant[2], rules, catalogue)
        except Malformed as error:
            member = entry.converter.member
            renamed = [
                Violation(f"rules.{member}{path.removeprefix('rules')}" if path.startswith("rules") else path, text)
                for path, text in error.violations
            ]
            raise Malformed(renamed) from error

    def observe(self, request: advisor_service_pb2.ObserveRequest) -> advisor_service_pb2.ObserveResponse:
        """Return the position as one seat sees it; an observation stays as it is."""
        faults = Faults()
        loaded = self._read_position(request, faults)
        self._check_seat(request, loaded, faults)
        faults.raise_if_any()
        assert loaded is not None
        seen = Loaded(loaded.setup, loaded.chance_events, None, loaded.seen_by(request.seat))
        response = advisor_service_pb2.ObserveResponse()
        write_position(seen.setup, seen.chance_events, response.position, observation=seen.observation)
        write_status(seen, response.status)
        return response

    def list_moves(self, request: advisor_service_pb2.ListMovesRequest) -> advisor_service_pb2.ListMovesResponse:
        """Return the legal moves of a seat that owes a decision."""
        faults = Faults()
        loaded = self._read_position(request, faults)
        self._check_seat(request, loaded, faults)
        faults.raise_if_any()
        assert loaded is not None
        self._check_owed(loaded, request.seat)
        if loaded.observation is not None:
            codes = loaded.setup.kernel.moves_observation(loaded.observation)
        else:
            assert loaded.state is not None
            codes = loaded.setup.kernel.moves(loaded.state, request.seat)
        response = advisor_service_pb2.ListMovesResponse()
        for code in codes:
            write_move(loaded.setup, code, response.moves.add())
        return response

    def apply_move(self, request: advisor_service_pb2.ApplyMoveRequest) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, or take up what an observer has seen."""
        faults = Faults()
        loaded = self._read_position(request, faults)
        moving = request.HasField("move")
        if moving:
            self._check_seat(request, loaded, faults)
        elif not request.events:
            faults.add("move", "is required, or events on an observation")
        faults.raise_if_any()
        assert loaded is not None

        move = read_move(loaded.setup, request.move, faults.under("move")) if moving else None
        if loaded.observation is None:
            if request.events:
                faults.add("events", "are for an observation; a referee's position brings its events about itself")
            faults.raise_if_any()
            assert move is not None
            return self._play(request, loaded, *move)
        observer = loaded.setup.kernel.observer(loaded.observation)
        events = read_events(loaded.setup, request.events, observer, faults)
        faults.raise_if_any()
        return self._report(request, loaded, move, events)

    def _play(
        self, request: advisor_service_pb2.ApplyMoveRequest, loaded: Loaded, code: int, path: str
    ) -> advisor_service_pb2.ApplyMoveResponse:
        setup, kernel, seat = loaded.setup, loaded.setup.kernel, request.seat
        self._check_owed(loaded, seat)
        assert loaded.state is not None
        if not kernel.legal(loaded.state, seat, code):
            raise self._illegal(setup, seat, code, path)
        state = kernel.play(loaded.state, seat, kernel.canonical(loaded.state, seat, code))
        response = advisor_service_pb2.ApplyMoveResponse()
        for content in kernel.events(loaded.state, seat, code, state):
            write_event(setup, content, response.events.add())
        state, chance_events = self._draw(setup, state, loaded.chance_events, request.seed)
        write_position(setup, chance_events, response.position, state=state)
        write_status(Loaded(setup, chance_events, state, None), response.status)
        return response

    def _draw(self, setup: Setup, state: State, chance_events: int, seed: int) -> tuple[State, int]:
        """Let chance decide until a seat has to; the seed and the event counter say how."""
        kernel = setup.kernel
        while kernel.turn(state) == CHANCE:
            state = kernel.happen(state, kernel.draw(state, seed, chance_events))
            chance_events += 1
        return state, chance_events

    def _report(
        self,
        request: advisor_service_pb2.ApplyMoveRequest,
        loaded: Loaded,
        move: tuple[int, str] | None,
        events: list[dict[str, object]],
    ) -> advisor_service_pb2.ApplyMoveResponse:
        setup, kernel = loaded.setup, loaded.setup.kernel
        observation = loaded.observation
        assert observation is not None
        response = advisor_service_pb2.ApplyMoveResponse()
        if move is not None:
            code, path = move
            self._check_owed(loaded, request.seat)
            try:
                observation = kernel.commit(observation, code)
            except ValueError as error:
                raise self._illegal(setup, request.seat, code, path) from error
            for content in setup.entry.converter.own_move_events(request.seat, kernel.notation(code)):
                write_event(setup, content, response.events.add())
        if events:
            try:
                observation = kernel.report(observation, events)
            except Malformed as error:
                raise Malformed(event_faults(setup, error.violations)) from error
        write_position(setup, loaded.chance_events, response.position, observation=observation)
        write_status(Loaded(setup, loaded.chance_events, None, observation), response.status)
        return response

    # Advice.

    def advise(
        self,
        request: advisor_service_pb2.AdviseRequest,
        deadline: float | None = None,
        on_search: Callable[[Search], None] | None = None,
    ) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat.

        deadline: `time.monotonic()` value at which the search has to be over. on_search: is handed the search before it
        runs, so that another thread can cancel it.
        """
        return self.search(self.prepare(request), deadline, on_search)

    def prepare(self, request: advisor_service_pb2.AdviseRequest) -> Prepared:
        """Read and validate an Advise request."""
        begun = time.perf_counter()
        faults = Faults()
        loaded = self._read_position(request, faults)
        self._check_seat(request, loaded, faults)
        limits = self._read_limits(request.limits, faults.under("limits"))
        options = self._read_options(request.options, faults.under("options"))
        least = options.trees * MIN_TREE_BYTES
        if options.trees <= MAX_TREES and MIN_MEMORY_BYTES <= limits.memory < least:
            faults.add("limits.memory_bytes", f"expected at least {least:,} for {options.trees} trees")
        max_moves = DEFAULT_MOVES
        if request.options.HasField("max_moves"):
            max_moves = request.options.max_moves
            _check_range(max_moves, 1, MAX_MOVES, "options.max_moves", faults)
        faults.raise_if_any()
        assert loaded is not None
        self._check_owed(loaded, request.seat)
        held = advice_pb2.Limits(memory_bytes=limits.memory)
        if limits.simulations is not None:
            held.simulations = limits.simulations
        if limits.depth is not None:
            held.depth = limits.depth
        assert limits.seconds is not None
        held.time.FromNanoseconds(round(limits.seconds * 1e9))
        return Prepared(
            setup=loaded.setup,
            observation=loaded.seen_by(request.seat),
            limits=limits,
            options=options,
            max_moves=max_moves,
            held=held,
            converted_seconds=time.perf_counter() - begun,
        )

    def search(
        self,
        prepared: Prepared,
        deadline: float | None = None,
        on_search: Callable[[Search], None] | None = None,
        hurried: Callable[[], bool] | None = None,
    ) -> advisor_service_pb2.AdviseResponse:
        """Search and answer; the other arguments are those of `advise`.

        hurried: tells, once the search was cancelled, whether it is to be answered with what it has so far.
        """
        if deadline is not None and time.monotonic() >= deadline:
            raise _too_short()
        given = prepared.limits
        limits = Limits(given.simulations, given.seconds, deadline, given.depth, given.memory)
        search = Search(prepared.setup.kernel, prepared.observation, limits, prepared.options)
        if on_search is not None:
            on_search(search)
        begun = time.perf_counter()
        answer = search.run()
        searched = time.perf_counter() - begun
        if answer.stop_reason is StopReason.CANCELLED:
            if hurried is None or not hurried():
                raise AdvisorError(CANCELLED, "the caller cancelled")
            if answer.simulations == 0:
                raise AdvisorError(SHUTTING_DOWN, "the server shuts down", retry_after=self.settings.retry_seconds)
            answer = dataclasses.replace(answer, stop_reason=StopReason.DEADLINE)
        if answer.simulations == 0 and answer.stop_reason is StopReason.DEADLINE:
            raise _too_short()
        response = self._write_answer(prepared, answer)
        response.timing.converted_ms = prepared.converted_seconds * 1e3
        response.timing.searched_ms = searched * 1e3
        response.timing.total_ms = response.timing.converted_ms + response.timing.searched_ms
        response.timing.simulations_per_second = answer.simulations / searched if searched > 0 else 0.0
        response.timing.threads = answer.threads
        return response

    def _write_answer(self, prepared: Prepared, answer: Answer) -> advisor_service_pb2.AdviseResponse:
        setup = prepared.setup
        response = advisor_service_pb2.AdviseResponse(
            legal_moves=len(answer.moves),
            exact=answer.exact,
            algorithm=f"ALGORITHM_{answer.algorithm.name}",
            objective=f"OBJECTIVE_{answer.objective.name}",
            stop_reason=f"STOP_REASON_{answer.stop_reason.name}",
            simulations=answer.simulations,
            nodes=answer.nodes,
            determinizations=answer.determinizations,
            limits=prepared.held,
            trees=answer.trees,
            seed=answer.seed,
        )
        response.depth.mean_decisions = answer.mean_depth
        response.depth.max_decisions = answer.max_depth
        response.versions.sirenia = advisor.__version__
        response.versions.kernel = setup.kernel.kernel_version
        write_ref(setup.catalogue, response.versions.catalogue)
        for rank, ranked in enumerate(answer.moves[: prepared.max_moves], start=1):
            self._write_ranked(setup, rank, ranked, response.moves.add())
        return response

    def _write_ranked(self, setup: Setup, rank: int, ranked: Ranked, message: advice_pb2.RankedMove) -> None:
        message.rank = rank
        write_move(setup, ranked.move, message.move)
        message.visits = ranked.visits
        message.prior = ranked.prior
        message.value = ranked.value
        message.standard_error = ranked.standard_error
        message.win_share.extend(ranked.win_share)
        message.expected_score.extend(ranked.expected_score)
        message.score_spread.extend(ranked.score_spread)
        for seat, code in ranked.line:
            entry = message.line.add(seat=seat)
            write_move(setup, code, entry.move)
        message.playable = ranked.playable

    # What several methods read.

    def _read_position(
        self,
        request: advisor_service_pb2.ObserveRequest
        | advisor_service_pb2.ListMovesRequest
        | advisor_service_pb2.ApplyMoveRequest
        | advisor_service_pb2.AdviseRequest,
        faults: Faults,
    ) -> Loaded | None:
        if not request.HasField("position"):
            faults.add("position", "is required")
            return None
        return read_position(self.games, request.position, faults.under("position"))

    def _check_seat(
        self,
        request: advisor_service_pb2.ObserveRequest
        | advisor_service_pb2.ListMovesRequest
        | advisor_service_pb2.ApplyMoveRequest
        | advisor_service_pb2.AdviseRequest,
        loaded: Loaded | None,
        faults: Faults,
    ) -> None:
        """Check the seat asked about; without a readable position only what is wrong for every one."""
        if loaded is None:
            entry = self.games.entries.get(request.position.game)
            most = entry.max_seats if entry is not None else MAX_SEATS
            if not 0 <= request.seat < most:
                faults.add("seat", f"expected 0 to {most - 1}, not {request.seat}")
        elif not 0 <= request.seat < loaded.setup.seats:
            faults.add("seat", f"expected 0 to {loaded.setup.seats - 1}, not {request.seat}")
        elif loaded.observer not in (None, request.seat):
            faults.add("seat", f"expected {loaded.observer}, whose observation this is, not {request.seat}")

    def _check_owed(self, loaded: Loaded, seat: int) -> None:
        if loaded.over:
            raise AdvisorError(GAME_OVER, "the game is over: nobody owes a decision")
        pending = loaded.pending
        if seat not in pending:
            owing = ", ".join(map(str, pending)) or "none"
            raise AdvisorError(
                NO_DECISION_OWED,
                f"seat {seat} owes no decision now; seats that do: {owing}",
                metadata={"pending": owing},
            )

    def _illegal(self, setup: Setup, seat: int, code: int, path: str) -> AdvisorError:
        text = f'"{setup.kernel.notation(code)}" is not legal for seat {seat} here; ListMoves has the legal moves'
        return invalid([Violation(f"move.{path}", text)])

    def _read_limits(self, limits: advice_pb2.Limits, faults: Faults) -> Limits:
        settings = self.settings
        simulations = depth = seconds = None
        memory = settings.default_memory_bytes
        if limits.HasField("simulations"):
            simulations = limits.simulations
            _check_range(simulations, 1, settings.max_simulations, "simulations", faults)
        if limits.HasField("time"):
            seconds = self._read_time(limits, faults)
        elif simulations is None:
            seconds = min(settings.default_seconds, settings.max_seconds)
        else:
            seconds = settings.max_seconds
        if limits.HasField("depth"):
            depth = limits.depth
            _check_range(depth, 1, MAX_DEPTH, "depth", faults)
        if limits.HasField("memory_bytes"):
            memory = limits.memory_bytes
            _check_range(memory, MIN_MEMORY_BYTES, settings.max_memory_bytes, "memory_bytes", faults)
        return Limits(simulations, seconds, None, depth, memory)

    def _read_time(self, limits: advice_pb2.Limits, faults: Faults) -> float:
        duration, cap = limits.time, self.settings.max_seconds
        valid = (
            abs(duration.seconds) <= _MAX_DURATION_SECONDS
            and abs(duration.nanos) <= 999_999_999
            and duration.seconds * duration.nanos >= 0
        )
        if not valid:
            faults.add("time", "is no valid duration: nanos must be within a second and have the sign of seconds")
            return 0.0
        seconds = duration.seconds + duration.nanos / 1e9
        if not 0 < seconds <= cap:
            faults.add("time", f"expected more than 0 and at most {cap:g} s, not {seconds:g} s")
        return seconds

    def _read_options(self, options: advice_pb2.AdviceOptions, faults: Faults) -> Options:
        trees, threads = 1, None
        if options.HasField("trees"):
            trees = options.trees
            _check_range(trees, 1, MAX_TREES, "trees", faults)
        if options.HasField("threads"):
            threads = options.threads
            _check_range(threads, 1, self.settings.max_threads, "threads", faults)
        algorithm = _ALGORITHMS.get(options.algorithm)
        if algorithm is None:
            faults.add("algorithm", f"{options.algorithm} is not a value of Algorithm")
        objective = _OBJECTIVES.get(options.objective)
        if objective is None:
            faults.add("objective", f"{options.objective} is not a value of Objective")
        return Options(algorithm or Algorithm.MCTS, objective or Objective.WIN, trees, threads, options.seed)


def _check_range(value: int, low: int, high: int, path: str, faults: Faults) -> None:
    if not low <= value <= high:
        faults.add(path, f"expected {low:,} to {high:,}, not {value:,}")


def _too_short() -> AdvisorError:
    return AdvisorError(DEADLINE_TOO_SHORT, "not a single simulation fitted before the deadline")
