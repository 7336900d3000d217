"""The service without a network: request message in, response message out. Any thread may call it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Final, NamedTuple

from advisor import chance
from advisor.advice import (
    ANY_MOVE,
    MAX_MOVES,
    Advice,
    Wanted,
    check_range,
    read_duration,
    read_limits,
    read_options,
    read_wanted,
    stop_reason,
    write_answer,
    write_limits,
)
from advisor.converter import Content
from advisor.errors import (
    CANCELLED,
    CHANCE_DUE,
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
    MAX_CHANCE_EVENTS,
    Loaded,
    chance_among,
    event_faults,
    header_of,
    read_catalogue,
    read_entry,
    read_events,
    read_move,
    read_position,
    read_variant,
    shown_before,
    write_event,
    write_move,
    write_position,
    write_ref,
    write_status,
)
from advisor.records import read_record
from advisor.settings import Settings
from advisor.threadtimes import MeasuredSearch
from advisor.v1 import advice_pb2, advisor_service_pb2, game_pb2
from ext.asked_wire import take_asked_apart
from ext.errors import Malformed, Violation
from ext.game import MAX_SEATS, Observation
from search.levels import LEVELS, Choice, choose, pick
from search.request import Algorithm, Answer, Limits, Options, StopReason
from search.run import Search

DEFAULT_INTERVAL: Final = 0.25
"""Seconds between interim answers."""
MIN_INTERVAL: Final = 0.02
MAX_INTERVAL: Final = 60.0
BY_LIMITS: Final = 0
"""Stands for a level where limits are given."""
MAX_TIMEOUT: Final = 86_400.0
"""Longest time that a question of a batch may be given, in seconds."""
MOST_WAYS: Final = 256
"""Ways to search that are remembered as they were said; of more all are forgotten."""
_ONLY_ADVICE: Final = ("report_moves", "max_moves", "confidence")
"""Options that say what is answered, not how a move is found."""
_WITH_LEVELS: Final = ("allow_moves", "avoid_moves", "priority")
"""Options that a level does not decide itself."""

OnSearch = Callable[[Search], None]
"""Is handed a search before it runs, so that another thread can cancel it."""
Hurried = Callable[[], bool]
"""Tells, once a search was cancelled, whether it is to be answered with what it has so far."""


PositionRequest = (
    advisor_service_pb2.ObserveRequest | advisor_service_pb2.ListMovesRequest | advisor_service_pb2.ApplyMoveRequest
)
AdviceRequest = advisor_service_pb2.AdviseRequest | advisor_service_pb2.ChooseMoveRequest
How = tuple[bytes, bytes]
"""Limits and, without the seed, options, as they were said."""


class Prepared(NamedTuple):
    """An Advise request that was read and found sound; what is left is the search.

    priority: -9 to 9, the higher first among the waiting searches of a client; no part of the result. how_key:
    what `advisor.answers.how_key` returns, where that is known already.
    """

    setup: Setup
    observation: Observation
    limits: Limits
    options: Options
    max_moves: int
    wanted: Wanted
    held: advice_pb2.Limits
    priority: int
    converted_seconds: float
    how_key: bytes = b""


class Plain(NamedTuple):
    """An Advise request that was taken apart, not read: see `ext.asked_wire`. Its rules are compiled already."""

    setup: Setup
    content: bytes
    chance_events: int
    seat: int
    seed: int
    how: How


class Way(NamedTuple):
    """How to search, as limits and options have said before."""

    limits: Limits
    options: Options
    held: advice_pb2.Limits
    priority: int
    key: bytes
    """Its part of a key of kept answers."""


class PreparedChoice(NamedTuple):
    """A ChooseMove request that was read and found sound.

    level: `BY_LIMITS` where `limits` and `options` say how; end: `time.monotonic()` value at which the decision's share
    of the turn is over, None without one; priority: as for `Prepared`.
    """

    setup: Setup
    observation: Observation
    level: int
    limits: Limits
    options: Options
    end: float | None
    priority: int
    converted_seconds: float


class Advisor:
    """Answers requests. Stateless but for compiled rules; raises `AdvisorError` for what cannot be answered."""

    def __init__(self, settings: Settings | None = None, games: Games | None = None) -> None:
        """Load the catalogues; raises `advisor.catalogues.CatalogueError` when one is unusable."""
        self.settings = Settings() if settings is None else settings
        self.games = Games(self.settings.catalogue_dirs, self.settings.kernel_cache) if games is None else games
        self._ways: dict[How, Way] = {}

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
        first = request.first_seat if request.HasField("first_seat") else None
        state, chance_events = chance.deal(setup.kernel, request.seed, first)
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
        """Play a move, take up what chance brought, or what an observer has seen."""
        faults = Faults()
        loaded = self._read_position(request, faults)
        moving = request.HasField("move")
        if moving:
            self._check_seat(request, loaded, faults)
        elif loaded is None or loaded.state is None:
            if not request.events:
                faults.add("move", "is required, or events on an observation")
        elif loaded.chance_due is None:
            faults.add("move", "is required where no chance event is due")
        faults.raise_if_any()
        assert loaded is not None

        move = read_move(loaded.setup, request.move, faults.under("move")) if moving else None
        events = read_events(loaded.setup, request.events, loaded.observer, faults)
        faults.raise_if_any()
        if loaded.observation is None:
            return self._play(request, loaded, move, events)
        return self._report(request, loaded, move, events)

    def _play(
        self,
        request: advisor_service_pb2.ApplyMoveRequest,
        loaded: Loaded,
        move: tuple[int, str] | None,
        events: list[dict[str, Any]],
    ) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, then let happen what chance brought; what `events` do not give of it is drawn."""
        setup, kernel, seat, state = loaded.setup, loaded.setup.kernel, request.seat, loaded.state
        assert state is not None
        response = advisor_service_pb2.ApplyMoveResponse()
        happened: list[Content] = []
        if move is not None:
            code, path = move
            self._check_owed(loaded, seat)
            if not kernel.legal(state, seat, code):
                raise self._illegal(setup, seat, code, path)
            before, state = state, kernel.play(state, seat, kernel.canonical(state, seat, code))
            happened += kernel.events(before, seat, code, state)
        state, brought = chance.let_happen(setup, state, events, request.seed, loaded.chance_events)
        happened += brought
        for content in happened:
            write_event(setup, content, response.events.add())
        chance_events = loaded.chance_events + chance_among(setup, happened)
        write_position(setup, chance_events, response.position, state=state)
        write_status(Loaded(setup, chance_events, state, None), response.status)
        return response

    def _report(
        self,
        request: advisor_service_pb2.ApplyMoveRequest,
        loaded: Loaded,
        move: tuple[int, str] | None,
        events: list[dict[str, Any]],
    ) -> advisor_service_pb2.ApplyMoveResponse:
        """Take up the observer's own move, then what it has seen."""
        setup, kernel = loaded.setup, loaded.setup.kernel
        observation = loaded.observation
        assert observation is not None
        response = advisor_service_pb2.ApplyMoveResponse()
        skipped = 0
        if move is not None:
            code, path = move
            self._check_owed(loaded, request.seat)
            before = observation
            try:
                observation = kernel.commit(before, code)
            except ValueError as error:
                raise self._illegal(setup, request.seat, code, path) from error
            shown = setup.entry.converter.own_move_events(kernel, before, request.seat, code, observation)
            for content in shown:
                write_event(setup, content, response.events.add())
            skipped = shown_before(events, shown)
        if events[skipped:]:
            try:
                observation = kernel.report(observation, events[skipped:])
            except Malformed as error:
                raise Malformed(event_faults(setup, error.violations, skipped)) from error
        chance_events = loaded.chance_events + chance_among(setup, events)
        write_position(setup, chance_events, response.position, observation=observation)
        write_status(Loaded(setup, chance_events, None, observation), response.status)
        return response

    # Advice.

    def advise(
        self,
        request: advisor_service_pb2.AdviseRequest,
        deadline: float | None = None,
        on_search: OnSearch | None = None,
    ) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat; `deadline` is a `time.monotonic()` value at which the search has to be over."""
        return self.search(self.prepare(request), deadline, on_search).message()

    def prepare(
        self,
        request: advisor_service_pb2.AdviseRequest,
        faults: Faults | None = None,
        familiar: Setup | None = None,
    ) -> Prepared:
        """Read and validate an Advise request, its faults below the place of `faults`.

        familiar: what `familiar` has found for it, if that was asked.
        """
        begun = time.perf_counter()
        faults = Faults() if faults is None else faults
        loaded = self._read_subject(request, faults, familiar)
        self._check_seat(request, loaded, faults)
        options = read_options(request.options, self.settings, faults.under("options"))
        limits = read_limits(request.limits, options.trees, self.settings, faults.under("limits"))
        wanted = self._read_wanted(request, loaded, faults)
        faults.raise_if_any()
        assert loaded is not None
        self._check_owed(loaded, request.seat)
        max_moves = options.lines
        return Prepared(
            setup=loaded.setup,
            observation=loaded.seen_by(request.seat),
            limits=limits,
            options=options
            if wanted is ANY_MOVE
            else options._replace(allowed=wanted.allowed, lines=MAX_MOVES if wanted.reported else max_moves),
            max_moves=max_moves,
            wanted=wanted,
            held=write_limits(limits),
            priority=request.options.priority,
            converted_seconds=time.perf_counter() - begun,
        )

    def take_apart(self, sent: bytes) -> Plain | None:
        """Take an Advise request apart, as it was sent; None of one that has to be read as a message."""
        asked = take_asked_apart(sent)
        if asked is None:
            return None
        setup = self.games.recall(asked[0])
        return None if setup is None else Plain(setup, *asked[1:])

    def prepare_plain(self, plain: Plain) -> Prepared | None:
        """Return what `prepare` returns, without a message; None where only that one can tell.

        It can where something is wrong, and where nobody has asked in this way since `remember`.
        """
        begun = time.perf_counter()
        way = self._ways.get(plain.how)
        kernel = plain.setup.kernel
        observation = None if way is None else kernel.recognize(plain.content)
        if (
            way is None
            or observation is None
            or not 0 <= plain.chance_events <= MAX_CHANCE_EVENTS
            or kernel.observer(observation) != plain.seat
            or plain.seat not in kernel.pending_observation(observation)
        ):
            return None
        options = way.options._replace(seed=plain.seed) if plain.seed else way.options
        return Prepared(
            plain.setup,
            observation,
            way.limits,
            options,
            options.lines,
            ANY_MOVE,
            way.held,
            way.priority,
            time.perf_counter() - begun,
            way.key,
        )

    def remember(self, plain: Plain, prepared: Prepared, key: bytes = b"") -> None:
        """Note what `prepare` has made of limits and options without a fault; key: of it, `advisor.answers.how_key`."""
        if len(self._ways) >= MOST_WAYS:
            self._ways.clear()
        options = prepared.options._replace(seed=0)
        self._ways[plain.how] = Way(prepared.limits, options, prepared.held, prepared.priority, key)

    def search(
        self,
        prepared: Prepared,
        deadline: float | None = None,
        on_search: OnSearch | None = None,
        hurried: Hurried | None = None,
    ) -> Advice:
        """Search and answer."""
        _check_deadline(deadline)
        begun = time.perf_counter()
        limits = prepared.limits.until(deadline)
        answer = self._run(prepared.setup, prepared.observation, limits, prepared.options, on_search)
        searched = time.perf_counter() - begun
        reason = self._settle(answer.stop_reason, answer.simulations, hurried)
        advice = self._write(prepared, answer, reason)
        _stamp(advice.rest, prepared.converted_seconds, searched, answer.threads)
        return advice

    def interim(self, prepared: Prepared, search: Search) -> advisor_service_pb2.AdviseResponse | None:
        """Return the ranking so far of a search that runs; None before there is anything to say."""
        answer = search.interim()
        if answer is None:
            return None
        advice = self._write(prepared, answer, None)
        _stamp(advice.rest, prepared.converted_seconds, answer.seconds, answer.threads)
        return advice.message()

    def _write(self, prepared: Prepared, answer: Answer, reason: StopReason | None) -> Advice:
        return write_answer(prepared.setup, answer, reason, prepared.held, prepared.wanted, prepared.max_moves)

    def watch(
        self, request: advisor_service_pb2.WatchAdviceRequest, deadline: float | None = None
    ) -> Iterator[advisor_service_pb2.WatchAdviceResponse]:
        """Rank the moves of a seat: interim answers at the interval, then the final one; closing it ends the search."""
        prepared, interval = self.prepare_watch(request)
        searches: list[Search] = []
        left = False

        def on_search(search: Search) -> None:
            searches.append(search)
            if left:
                search.cancel()

        with ThreadPoolExecutor(1, thread_name_prefix="watch") as worker:
            answer = worker.submit(self.search, prepared, deadline, on_search)
            try:
                while not wait([answer], interval).done:
                    interim = self.interim(prepared, searches[0]) if searches else None
                    if interim is not None:
                        yield advisor_service_pb2.WatchAdviceResponse(advice=interim)
                yield advisor_service_pb2.WatchAdviceResponse(advice=answer.result().message(), final=True)
            finally:
                left = True
                for search in searches:
                    search.cancel()

    def prepare_watch(self, request: advisor_service_pb2.WatchAdviceRequest) -> tuple[Prepared, float]:
        """Read and validate a WatchAdvice request; return what is to be searched, and the interval in seconds."""
        faults = Faults()
        interval = DEFAULT_INTERVAL
        if request.HasField("interval"):
            interval = read_duration(request.interval, MIN_INTERVAL, MAX_INTERVAL, "interval", faults)
        return self.prepare(request.advise, faults.under("advise")), interval

    # The computer opponent.

    def choose_move(
        self,
        request: advisor_service_pb2.ChooseMoveRequest,
        deadline: float | None = None,
        on_search: OnSearch | None = None,
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """Return the move that the computer opponent plays; the other arguments are those of `advise`."""
        return self.choose(self.prepare_choice(request), deadline, on_search)

    def prepare_choice(
        self,
        request: advisor_service_pb2.ChooseMoveRequest,
        faults: Faults | None = None,
        familiar: Setup | None = None,
    ) -> PreparedChoice:
        """Read and validate a ChooseMove request; the other arguments are those of `prepare`."""
        begun = time.monotonic()
        faults = Faults() if faults is None else faults
        loaded = self._read_subject(request, faults, familiar)
        self._check_seat(request, loaded, faults)
        options = read_options(request.options, self.settings, faults.under("options"))
        limits = read_limits(request.limits, options.trees, self.settings, faults.under("limits"))
        level = BY_LIMITS
        if request.WhichOneof("strength") != "limits":
            level = request.level if request.HasField("level") else LEVELS[-1]
            check_range(level, LEVELS[0], LEVELS[-1], "level", faults)
        for field, _ in request.options.ListFields():
            if field.name in _ONLY_ADVICE:
                faults.add(f"options.{field.name}", "is about an answer of Advise; ChooseMove answers with one move")
            elif level != BY_LIMITS and field.name not in _WITH_LEVELS:
                faults.add(f"options.{field.name}", "goes with limits; a level decides it itself")
        if level != BY_LIMITS or not options.seed:
            options = options._replace(seed=request.seed)
        elif request.seed not in (0, options.seed):
            faults.add("seed", f"differs from options.seed, which is {options.seed}")
        turn_seconds = None
        if request.HasField("turn_time"):
            turn_seconds = read_duration(request.turn_time, 0, self.settings.max_seconds, "turn_time", faults)
        wanted = self._read_wanted(request, loaded, faults)
        faults.raise_if_any()
        assert loaded is not None
        self._check_owed(loaded, request.seat)
        observation = loaded.seen_by(request.seat)
        end = None
        if turn_seconds is not None:
            content = loaded.setup.kernel.dump_observation(observation)
            decisions = loaded.setup.entry.converter.turn_decisions(content, loaded.setup.catalogue.content)
            end = begun + turn_seconds / decisions
        return PreparedChoice(
            setup=loaded.setup,
            observation=observation,
            level=level,
            limits=limits,
            options=options._replace(allowed=wanted.allowed, lines=1),
            end=end,
            priority=request.options.priority,
            converted_seconds=time.monotonic() - begun,
        )

    def choose(
        self,
        prepared: PreparedChoice,
        deadline: float | None = None,
        on_search: OnSearch | None = None,
        hurried: Hurried | None = None,
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """Choose and answer. Time that was given for the turn may be short: then a move is found without a search."""
        begun = time.perf_counter()
        end = prepared.end
        bounded = end is not None and (deadline is None or end < deadline)
        if not bounded:
            _check_deadline(deadline)
        choice, threads = self._choose(prepared, end if bounded else deadline, on_search)
        reason = choice.stop_reason
        if bounded and reason is StopReason.DEADLINE:
            reason = StopReason.TIME
        if reason is StopReason.TIME and choice.simulations == 0:
            choice = self._choose_at_once(prepared)
        reason = self._settle(reason, choice.simulations, hurried)
        searched = time.perf_counter() - begun
        response = advisor_service_pb2.ChooseMoveResponse(
            level=prepared.level,
            value=choice.value,
            stop_reason=stop_reason(reason),
            simulations=choice.simulations,
        )
        for code in (choice.move, *choice.follow):
            write_move(prepared.setup, code, response.moves.add())
        _stamp(response, prepared.converted_seconds, searched, threads)
        return response

    def _choose(self, prepared: PreparedChoice, until: float | None, on_search: OnSearch | None) -> tuple[Choice, int]:
        """Return the choice and the number of threads that it took."""
        kernel, observation, options = prepared.setup.kernel, prepared.observation, prepared.options
        if prepared.level != BY_LIMITS:
            choice = choose(
                kernel,
                observation,
                prepared.level,
                options.seed,
                allowed=options.allowed,
                deadline=until,
                on_search=on_search,
            )
            return choice, 1
        limits = prepared.limits.until(until)
        answer = self._run(prepared.setup, observation, limits, options, on_search)
        seat = kernel.observer(observation)
        move = pick(answer, seat, options.seed)
        found = next(ranked for ranked in answer.moves if ranked.move == move)
        follow = [code for who, code in found.line[1 : found.playable] if who == seat]
        return Choice(move, follow, found.value, answer.stop_reason, answer.simulations), answer.threads

    def _choose_at_once(self, prepared: PreparedChoice) -> Choice:
        options = Options(algorithm=Algorithm.GREEDY, allowed=prepared.options.allowed)
        answer = self._run(prepared.setup, prepared.observation, Limits(), options, None)
        return Choice(answer.moves[0].move, [], 0.0, StopReason.TIME, 0)

    # Batches.

    def prepare_question(
        self, request: advisor_service_pb2.AdviseBatchRequest
    ) -> tuple[Prepared | PreparedChoice, float | None]:
        """Read and validate a question of a batch; return what is to be searched, and its timeout in seconds."""
        faults = Faults()
        timeout = None
        if request.HasField("timeout"):
            timeout = read_duration(request.timeout, 0, MAX_TIMEOUT, "timeout", faults)
        if request.WhichOneof("action") == "choose":
            return self.prepare_choice(request.choose, faults.under("choose")), timeout
        return self.prepare(request.advise, faults.under("advise")), timeout

    def familiar(self, request: AdviceRequest) -> Setup | None:
        """Return the compiled rules of a request's position; None where they are not: that takes most of reading it."""
        position = request.position
        entry = self.games.entries.get(position.game)
        if entry is None or position.WhichOneof("content") != entry.converter.member:
            return None
        return self.games.recall(header_of(entry, position))

    # How searches are run.

    def _run(
        self, setup: Setup, observation: Observation, limits: Limits, options: Options, on_search: OnSearch | None
    ) -> Answer:
        # In a frame of its own, so that an error that is raised later does not keep the tree alive.
        search = MeasuredSearch(setup.kernel, observation, limits, options)
        if on_search is not None:
            on_search(search)
        return search.run()

    def _settle(self, reason: StopReason | None, simulations: int, hurried: Hurried | None) -> StopReason | None:
        """Return the stop reason that the caller is told; raises when there is nothing to be told."""
        if reason is StopReason.CANCELLED:
            if hurried is None or not hurried():
                raise AdvisorError(CANCELLED, "the caller cancelled")
            if simulations == 0:
                raise AdvisorError(SHUTTING_DOWN, "the server shuts down", retry_after=self.settings.retry_seconds)
            return StopReason.DEADLINE
        if reason is StopReason.DEADLINE and simulations == 0:
            raise too_short()
        return reason

    # What several methods read.

    def _read_position(self, request: PositionRequest, faults: Faults) -> Loaded | None:
        if not request.HasField("position"):
            faults.add("position", "is required")
            return None
        return read_position(self.games, request.position, faults.under("position"))

    def _read_subject(self, request: AdviceRequest, faults: Faults, familiar: Setup | None) -> Loaded | None:
        """Read the position that advice is about: given as it is, or as the end of a record."""
        if not request.HasField("record"):
            if not request.HasField("position"):
                faults.add("position", "is required, or a record")
                return None
            return read_position(self.games, request.position, faults.under("position"), familiar)
        if request.HasField("position"):
            faults.add("record", "cannot be given together with position")
            return None
        return read_record(self.games, request.record, self.settings.max_record_steps, faults.under("record"))

    def _check_seat(self, request: PositionRequest | AdviceRequest, loaded: Loaded | None, faults: Faults) -> None:
        """Check the seat asked about; without a readable position only what is wrong for every one."""
        if loaded is None:
            entry = self.games.entries.get(game_of(request))
            most = entry.max_seats if entry is not None else MAX_SEATS
            if not 0 <= request.seat < most:
                faults.add("seat", f"expected 0 to {most - 1}, not {request.seat}")
        elif not 0 <= request.seat < loaded.setup.seats:
            faults.add("seat", f"expected 0 to {loaded.setup.seats - 1}, not {request.seat}")
        elif loaded.observer not in (None, request.seat):
            faults.add("seat", f"expected {loaded.observer}, whose observation this is, not {request.seat}")

    def _read_wanted(self, request: AdviceRequest, loaded: Loaded | None, faults: Faults) -> Wanted:
        if loaded is None or not 0 <= request.seat < loaded.setup.seats or loaded.observer not in (None, request.seat):
            return ANY_MOVE
        most = self.settings.max_listed_moves
        return read_wanted(loaded, request.seat, request.options, most, faults.under("options"))

    def _check_owed(self, loaded: Loaded, seat: int) -> None:
        if loaded.over:
            raise AdvisorError(GAME_OVER, "the game is over: nobody owes a decision")
        pending = loaded.pending
        if seat not in pending:
            due = loaded.chance_due
            if due is not None:
                raise AdvisorError(
                    CHANCE_DUE,
                    f"chance is next, nobody owes a decision: tell ApplyMove of {due}",
                    metadata={"event": due},
                )
            owing = ", ".join(map(str, pending)) or "none"
            raise AdvisorError(
                NO_DECISION_OWED,
                f"seat {seat} owes no decision now; seats that do: {owing}",
                metadata={"pending": owing},
            )

    def _illegal(self, setup: Setup, seat: int, code: int, path: str) -> AdvisorError:
        text = f'"{setup.kernel.notation(code)}" is not legal for seat {seat} here; ListMoves has the legal moves'
        return invalid([Violation(f"move.{path}", text)])


def game_of(request: PositionRequest | AdviceRequest) -> str:
    """Return what a request calls its game."""
    if isinstance(request, AdviceRequest) and request.HasField("record"):
        return request.record.start.game
    return request.position.game


def _check_deadline(deadline: float | None) -> None:
    if deadline is not None and time.monotonic() >= deadline:
        raise too_short()


def too_short() -> AdvisorError:
    """Return the error of a search for which there was no time."""
    return AdvisorError(DEADLINE_TOO_SHORT, "not a single simulation fitted before the deadline")


def _stamp(
    response: advisor_service_pb2.AdviseResponse | advisor_service_pb2.ChooseMoveResponse,
    converted: float,
    searched: float,
    threads: int,
) -> None:
    """Fill the timing as far as it is known here; times in seconds."""
    timing = response.timing
    timing.converted_ms = converted * 1e3
    timing.searched_ms = searched * 1e3
    timing.total_ms = timing.converted_ms + timing.searched_ms
    timing.simulations_per_second = response.simulations / searched if searched > 0 else 0.0
    timing.threads = threads
