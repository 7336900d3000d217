"""The service's RPCs: what is answered from what is kept, what is refused unread, and what is searched for, and how."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message

from advisor.advice import Advice, read_limits, read_options
from advisor.answers import Answers, how_key, key_of, mark_of, worth_keeping
from advisor.batch import Batch
from advisor.budget import MemoryBudget, need
from advisor.calls import BATCH_STREAM, SENT, Call, Calls, Context, write
from advisor.clients import ClientLimits
from advisor.errors import CANCELLED, SHUTTING_DOWN, AdvisorError, invalid
from advisor.failures import write_failure
from advisor.faults import Faults
from advisor.games import Games
from advisor.metrics import Metrics, algorithm_label
from advisor.pool import MOST_BEGUN, Ask, Job, SearchPool
from advisor.rates import Rates
from advisor.service import BY_LIMITS, AdviceRequest, Advisor, Plain, Prepared, PreparedChoice, game_of, too_short
from advisor.tracing import Told
from advisor.v1 import advice_pb2, advisor_service_pb2, advisor_service_pb2_grpc
from ext.errors import Violation
from search.binding import unbind
from search.levels import LEVELS, STRENGTHS
from search.request import Limits, Options
from search.run import threads_of

LEVEL_ALGORITHM: Final = "level"
"""The algorithm label of a computer opponent of a level."""
SMALL_BYTES: Final = 1024
"""Advice about positions up to this size, in bytes, is prepared on the event loop itself, in a fraction of 1 ms."""
DIGESTED_BYTES: Final = 1 << 16
"""Requests up to this size, in bytes, are known again as they are: a digest of one takes 0.1 ms at most."""
MEASURED: Final = frozenset(
    (advice_pb2.STOP_REASON_SIMULATIONS, advice_pb2.STOP_REASON_TIME, advice_pb2.STOP_REASON_DEADLINE)
)
"""Why a search ended that tells how fast searches are."""

Q = TypeVar("Q", bound=Message)
R = TypeVar("R")
Searched = Advice | advisor_service_pb2.ChooseMoveResponse
S = TypeVar("S", Advice, advisor_service_pb2.ChooseMoveResponse)


def message_of(found: Searched) -> Told:
    """Return the message of what was found, as far as it is one yet."""
    return found.rest if isinstance(found, Advice) else found


class Unreadable:
    """Stands for a request that could not be parsed."""


def unreadable() -> AdvisorError:
    """Return the error of such a request."""
    return invalid([Violation("", "the request is not the protobuf message that this method takes")])


class AdvisorServicer(advisor_service_pb2_grpc.AdvisorServiceServicer):
    """Takes calls from gRPC to the service's methods and back; never blocks the event loop."""

    def __init__(self, advisor: Advisor, metrics: Metrics, on_broken: Callable[[], None] = lambda: None) -> None:
        """`on_broken` is called, from another thread, when searching is no longer possible."""
        self.settings = settings = advisor.settings
        self._advisor = advisor
        self._metrics = metrics
        self.calls = Calls(settings, metrics)
        self._answers = Answers(settings.cache_bytes)
        metrics.watch_answers(lambda: self._answers.size)
        self._generation = 0
        """Of the catalogues."""
        self._converters = ThreadPoolExecutor(settings.converter_threads, "convert", unbind)
        self._pool = SearchPool(
            settings.workers,
            settings.queue_length,
            settings.retry_seconds,
            metrics,
            settings.niceness,
            max_wait_seconds=settings.max_wait_seconds,
            on_broken=on_broken,
            log_level=settings.log_level,
            log_format=settings.log_format,
        )
        self._rates = Rates()
        self._jobs: set[Job] = set()
        self._jobs_lock = threading.Lock()  # `close` runs on another thread than the calls
        self._draining = asyncio.Event()
        self._budget = MemoryBudget(
            settings.max_total_memory_bytes, MOST_BEGUN * settings.workers, settings.retry_seconds, metrics
        )
        self.clients = ClientLimits(
            settings.client_calls, settings.client_rate, settings.client_burst, settings.retry_seconds, metrics
        )

    # The RPCs.

    async def ListGames(
        self, request: advisor_service_pb2.ListGamesRequest, context: Any
    ) -> advisor_service_pb2.ListGamesResponse:
        """The games, variants and catalogues this server holds."""
        return await self._plain("ListGames", None, self._advisor.list_games, request, context)

    async def GetGame(
        self, request: advisor_service_pb2.GetGameRequest, context: Any
    ) -> advisor_service_pb2.GetGameResponse:
        """One game: rule options, defaults and a catalogue in full."""
        return await self._plain("GetGame", request.game, self._advisor.get_game, request, context)

    async def NewPosition(
        self, request: advisor_service_pb2.NewPositionRequest, context: Any
    ) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game."""
        return await self._plain("NewPosition", request.game, self._advisor.new_position, request, context)

    async def Observe(
        self, request: advisor_service_pb2.ObserveRequest, context: Any
    ) -> advisor_service_pb2.ObserveResponse:
        """A referee's position as one seat sees it."""
        return await self._plain("Observe", request.position.game, self._advisor.observe, request, context)

    async def ListMoves(
        self, request: advisor_service_pb2.ListMovesRequest, context: Any
    ) -> advisor_service_pb2.ListMovesResponse:
        """The legal moves of a seat that owes a decision."""
        return await self._plain("ListMoves", request.position.game, self._advisor.list_moves, request, context)

    async def ApplyMove(
        self, request: advisor_service_pb2.ApplyMoveRequest, context: Any
    ) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, or take up reported events."""
        return await self._plain("ApplyMove", request.position.game, self._advisor.apply_move, request, context)

    async def Advise(  # type: ignore[override]  # an answer that is serialised as the message
        self, request: advisor_service_pb2.AdviseRequest, context: Any
    ) -> Advice:
        """Rank the moves of a seat that owes a decision."""
        call = Call("Advise", self._metrics.game_label(game_of(request)))
        return await self.calls.answer(call, context, lambda: self._advise(call, request, context))

    def take_apart(self, sent: bytes) -> Plain | None:
        """Take an Advise request apart, as it was sent; None of one that has to be read as a message."""
        return self._advisor.take_apart(sent) if len(sent) <= SMALL_BYTES else None

    async def advise_plain(self, plain: Plain, context: Context) -> Advice:
        """Do as `Advise` with a request that was taken apart."""
        call = Call("Advise", self._metrics.game_label(plain.setup.entry.game))
        return await self.calls.answer(call, context, lambda: self._advise_plain(call, plain, context))

    async def WatchAdvice(  # type: ignore[override]  # writes its answers itself, at the pace of the client
        self, request: advisor_service_pb2.WatchAdviceRequest, context: Any
    ) -> None:
        """The same, streamed: interim rankings at an interval, then exactly one final answer."""
        call = Call("WatchAdvice", self._metrics.game_label(game_of(request.advise)))
        await self.calls.answer(call, context, lambda: self._watch(call, request, context))

    async def ChooseMove(
        self, request: advisor_service_pb2.ChooseMoveRequest, context: Any
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """The computer opponent."""
        call = Call("ChooseMove", self._metrics.game_label(game_of(request)))
        return await self.calls.answer(call, context, lambda: self._choose(call, request, context))

    async def AdviseBatch(  # type: ignore[override]  # writes its answers itself, as they are found
        self, requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest], context: Any
    ) -> None:
        """Many questions over one stream: answers as they are found, exactly one for each id."""
        call = Call(BATCH_STREAM, self._metrics.game_label(None))
        await self.calls.answer(call, context, lambda: self._batch(call, requests, context))

    async def unreadable(self, rpc: str, context: Context) -> Message:
        """Answer a call whose request is no message of the RPC's type."""

        async def work() -> Message:
            raise unreadable()

        return await self.calls.answer(Call(rpc, self._metrics.game_label("")), context, work)

    # How a call is answered.

    async def _plain(self, rpc: str, game: str | None, method: Callable[[Q], R], request: Q, context: Context) -> R:
        call = Call(rpc, self._metrics.game_label(game))

        async def work() -> R:
            return await self._convert(call, lambda: method(request))

        return await self.calls.answer(call, context, work)

    async def _prepare(self, call: Call, small: bool, work: Callable[[], R]) -> R:
        if not small:
            return await self._convert(call, work)
        begun = time.monotonic()
        try:
            return work()
        finally:
            call.parts["converted"] = time.monotonic() - begun

    def _small(self, request: AdviceRequest) -> bool:
        """Whether reading a request takes less time than a thread takes to wake up and to hand back what it has read.

        With rules that are familiar it then takes hardly longer than to find out that it has to be refused, too.
        """
        return not request.HasField("record") and request.ByteSize() <= SMALL_BYTES

    async def _convert(self, call: Call, work: Callable[[], R]) -> R:
        begun = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._converters, work)
        finally:
            call.parts["converted"] = time.monotonic() - begun

    async def _advise(self, call: Call, request: advisor_service_pb2.AdviseRequest, context: Context) -> Advice:
        # The deadline is read before anything else, so that conversion and waiting come out of the same budget.
        deadline = self.calls.deadline(context)
        advisor, small = self._advisor, self._small(request)
        familiar = advisor.familiar(request) if small else None
        kept = self._unread(call, request, deadline, Advice, familiar is not None)
        if kept is not None:
            return kept
        prepared = await self._prepare(call, small, lambda: advisor.prepare(request, familiar=familiar))
        return await self._search(call, Job(), prepared, deadline)

    async def _advise_plain(self, call: Call, plain: Plain, context: Context) -> Advice:
        deadline = self.calls.deadline(context)
        kept = self._kept_for(call, advisor_service_pb2.AdviseRequest, SENT.get())
        if kept is not None:
            call.parts["converted"] = 0.0
            return self._known(call, kept, Advice)
        begun = time.monotonic()
        try:
            prepared = self._advisor.prepare_plain(plain) or self._read_plain(plain, SENT.get())
        finally:
            call.parts["converted"] = time.monotonic() - begun
        return await self._search(call, Job(), prepared, deadline)

    def _read_plain(self, plain: Plain, sent: bytes) -> Prepared:
        """Read a request as a message though it could be taken apart."""
        try:
            request = advisor_service_pb2.AdviseRequest.FromString(sent)
        except DecodeError:
            raise unreadable() from None
        prepared = self._advisor.prepare(request, familiar=plain.setup)
        self._advisor.remember(plain, prepared, how_key(prepared))
        return prepared

    def _unread(
        self, call: Call, request: AdviceRequest, deadline: float | None, kind: type[S], quick: bool
    ) -> S | None:
        """Return the answer that is kept for this very request, before it is read; None where it has to be.

        Raises `AdvisorError` where a search for it could not be had in time: who has to refuse has no time to read,
        unless it is `quick`.
        """
        if not request.HasField("record"):
            answer = self._kept_for(call, type(request), SENT.get() or request.SerializeToString(deterministic=True))
            if answer is not None:
                call.parts["converted"] = 0.0
                call.algorithm = read_options(request.options, self.settings, Faults()).algorithm.value
                return self._known(call, answer, kind)
        if not quick:
            self._shed(call, request, deadline)
        return None

    def _shed_unless_kept(self, call: Call, request: AdviceRequest, deadline: float | None) -> None:
        """Do as `_unread` where an answer that is kept is one of several things to be read of a request."""
        kept = None
        if self._answers.on and not request.HasField("record"):
            kept = self._kept_for(call, type(request), request.SerializeToString(deterministic=True))
        if kept is None and not (self._small(request) and self._advisor.familiar(request)):
            self._shed(call, request, deadline)

    def _kept_for(self, call: Call, kind: type[AdviceRequest], sent: bytes) -> bytes | None:
        """Return the answer that is kept for this very request, None without one; note what tells it from others.

        sent: the request as it came, or as it would be written.
        """
        if not self._answers.on or len(sent) > DIGESTED_BYTES:
            return None
        call.mark = mark_of(kind, sent, self._generation)
        return self._answers.find_for(call.mark)

    def _shed(self, call: Call, request: AdviceRequest, deadline: float | None) -> None:
        """Refuse what could not be had in time, as far as that is known before all of it is read."""
        if not self._pool.full:
            return
        faults = Faults()
        options = read_options(request.options, self.settings, faults)
        limits = read_limits(request.limits, options.trees, self.settings, faults)
        call.algorithm = options.algorithm.value
        if isinstance(request, advisor_service_pb2.ChooseMoveRequest):
            if request.HasField("turn_time"):
                return  # how much of it the decision has is known once it is read
            if request.WhichOneof("strength") != "limits":
                call.algorithm = LEVEL_ALGORITHM
                strength = STRENGTHS.get(request.level if request.HasField("level") else LEVELS[-1])
                if strength is None:
                    return
                limits = Limits(simulations=strength.simulations)
        if not faults:  # else they are told when all of it is read
            seconds = self._rates.seconds(call.game, limits, options)
            threads = self._threads(options)
            self._pool.shed(Ask(call.client, request.options.priority, seconds, deadline, threads=threads))

    async def _search(self, call: Call, job: Job, prepared: Prepared, deadline: float | None) -> Advice:
        key = key_of(prepared) if self._answers.on else None
        kept = self._kept(call, key, Advice)
        if kept is not None:
            return kept
        call.algorithm = prepared.options.algorithm.value
        seconds = self._rates.seconds(call.game, prepared.limits, prepared.options)
        with self._budget.holding(need(prepared.limits, prepared.options)):
            advice = await self._work(
                call,
                job,
                Ask(
                    call.client,
                    prepared.priority,
                    seconds,
                    deadline,
                    self._brief(prepared),
                    self._threads(prepared.options),
                ),
                lambda: self._advisor.search(prepared, deadline, job.started, lambda: job.hurried),
            )
        response = advice.rest
        call.algorithm = algorithm_label(response.algorithm)
        overrun = self._overrun(response, prepared.limits.seconds, deadline)

        def learn() -> None:
            self._measure(call, job, prepared, response)
            self._keep(call, key, job, advice)

        # When the answer is on its way, and before anybody can ask the same again.
        asyncio.get_running_loop().call_soon(learn)
        self._metrics.afterwards.leave(partial(self._metrics.searched, call.rpc, call.game, response, overrun))
        return advice

    def _measure(self, call: Call, job: Job, prepared: Prepared, response: advisor_service_pb2.AdviseResponse) -> None:
        """Take a search into account where it is told how long others will take."""
        if response.stop_reason in MEASURED:
            threads = max(1, response.timing.threads)
            made, algorithm = response.simulations // threads, prepared.options.algorithm
            self._rates.note(call.game, algorithm, made, job.ran_seconds)
            if prepared.limits.depth is None and prepared.options.trees == 1:
                self._rates.note_slowest(prepared.setup.digest, algorithm, made, job.cpu_seconds)

    def _threads(self, options: Options) -> int:
        """On how many threads a search runs when it can."""
        return min(threads_of(options), self.settings.workers)

    def _brief(self, prepared: Prepared) -> bool:
        if not self._pool.idle:
            return False  # then it waits like any other
        moves = len(prepared.setup.kernel.moves_observation(prepared.observation))
        return self._rates.brief(prepared.setup.digest, prepared.limits, prepared.options, moves)

    async def _watch(self, call: Call, request: advisor_service_pb2.WatchAdviceRequest, context: Context) -> None:
        deadline = self.calls.deadline(context)
        self._shed_unless_kept(call, request.advise, deadline)
        small = self._small(request.advise)
        prepared, interval = await self._prepare(call, small, lambda: self._advisor.prepare_watch(request))
        job = Job()
        search = asyncio.ensure_future(self._search(call, job, prepared, deadline))
        search.add_done_callback(lambda done: done.cancelled() or done.exception())  # known even if nobody waits
        try:
            await self._send_interim(call, job, prepared, interval, search, context)
            advice = await search
        finally:
            # Where it has not ended the caller has gone; whoever cancels twice does no harm.
            search.cancel()
        await write(context, advisor_service_pb2.WatchAdviceResponse(advice=advice.message(), final=True))

    async def _send_interim(
        self,
        call: Call,
        job: Job,
        prepared: Prepared,
        interval: float,
        search: "asyncio.Future[Advice]",
        context: Context,
    ) -> None:
        """Send interim answers until the search has ended.

        At most one an interval, and none while gRPC does not take the one before. What gRPC and the network have taken
        and the client has not read yet is out of our hands: gRPC does not tell when a client reads.
        """
        due = time.monotonic() + interval
        while not (await asyncio.wait((search,), timeout=due - time.monotonic()))[0]:
            running = job.search
            if running is not None:
                interim = await asyncio.get_running_loop().run_in_executor(
                    self._converters, self._advisor.interim, prepared, running
                )
                if interim is not None and not search.done():
                    interim.timing.queued_ms = job.queued_seconds * 1e3
                    self._stamp(call, interim.timing)
                    await write(context, advisor_service_pb2.WatchAdviceResponse(advice=interim))
                    self._metrics.interim.labels(call.game).inc()
            missed = max(0, int((time.monotonic() - due) / interval))
            self._metrics.skipped.labels(call.game).inc(missed)
            due += (missed + 1) * interval

    async def _choose(
        self, call: Call, request: advisor_service_pb2.ChooseMoveRequest, context: Context
    ) -> advisor_service_pb2.ChooseMoveResponse:
        deadline = self.calls.deadline(context)
        advisor, small = self._advisor, self._small(request)
        familiar = advisor.familiar(request) if small else None
        kept = self._unread(call, request, deadline, advisor_service_pb2.ChooseMoveResponse, familiar is not None)
        if kept is not None:
            return kept
        prepared = await self._prepare(call, small, lambda: advisor.prepare_choice(request, familiar=familiar))
        return await self._decide(call, prepared, deadline)

    async def _decide(
        self, call: Call, prepared: PreparedChoice, deadline: float | None
    ) -> advisor_service_pb2.ChooseMoveResponse:
        call.algorithm = prepared.options.algorithm.value if prepared.level == BY_LIMITS else LEVEL_ALGORITHM
        key = key_of(prepared) if self._answers.on else None
        kept = self._kept(call, key, advisor_service_pb2.ChooseMoveResponse)
        if kept is not None:
            return kept
        job = Job()
        limits, options = prepared.limits, prepared.options
        if prepared.level != BY_LIMITS:
            limits = Limits(simulations=STRENGTHS[prepared.level].simulations)
        ends = [end for end in (deadline, prepared.end) if end is not None]
        searching = self._rates.seconds(call.game, limits, options)
        with self._budget.holding(need(limits, options)):
            response = await self._work(
                call,
                job,
                Ask(call.client, prepared.priority, searching, min(ends, default=None), threads=self._threads(options)),
                lambda: self._advisor.choose(prepared, deadline, job.started, lambda: job.hurried),
            )
        seconds = prepared.limits.seconds if prepared.level == BY_LIMITS and prepared.end is None else None
        overrun = self._overrun(response, seconds, deadline if prepared.end is None else prepared.end)

        asyncio.get_running_loop().call_soon(self._keep, call, key, job, response)
        self._metrics.afterwards.leave(
            partial(self._metrics.chosen, call.rpc, call.game, call.algorithm, response, overrun)
        )
        return response

    async def _batch(
        self,
        stream: Call,
        requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest | Unreadable],
        context: Context,
    ) -> None:
        # Read once: what the wire has rounded the deadline up by cannot be told from what is left of it later.
        end = self.calls.deadline(context)

        async def readable() -> AsyncIterator[advisor_service_pb2.AdviseBatchRequest]:
            async for request in requests:
                if isinstance(request, Unreadable):
                    raise unreadable()
                yield request

        batch = Batch(
            lambda request, arrived: self._question(stream, request, arrived, end),
            context.write,
            self._advisor.settings.batch_window,
            self._draining,
        )
        if not await batch.run(readable()):
            raise self._shutting_down()

    async def _question(
        self, stream: Call, request: advisor_service_pb2.AdviseBatchRequest, arrived: float, end: float | None
    ) -> advisor_service_pb2.AdviseBatchResponse:
        """Answer one question of a batch, which counts as a call; `end` is when the stream's searches have to end."""
        asked = request.choose if request.HasField("choose") else request.advise
        call = Call("AdviseBatch", self._metrics.game_label(game_of(asked)))
        call.client, call.above, call.traceparent = stream.client, stream, stream.traceparent

        async def work() -> Searched:
            if self._draining.is_set():
                raise self._shutting_down()
            with self.clients.admitted(call.client):
                return await ask()

        async def ask() -> Searched:
            if not request.HasField("timeout"):  # else its deadline is known once it is read
                self._shed_unless_kept(call, asked, end)
            work = partial(self._advisor.prepare_question, request)
            prepared, timeout = await self._prepare(call, self._small(asked), work)
            expiry = None if timeout is None else arrived + timeout
            deadline = end
            if expiry is not None:
                own = expiry - self._advisor.settings.deadline_margin_seconds
                deadline = own if end is None else min(own, end)
            try:
                async with asyncio.timeout_at(expiry):
                    if isinstance(prepared, PreparedChoice):
                        return await self._decide(call, prepared, deadline)
                    return await self._search(call, Job(), prepared, deadline)
            except TimeoutError:
                raise too_short() from None

        outcome = await self.calls.outcome(call, work)
        response = advisor_service_pb2.AdviseBatchResponse(id=request.id)
        if isinstance(outcome, AdvisorError):
            response.failure.CopyFrom(write_failure(outcome))
        elif isinstance(outcome, Advice):
            response.advice.MergeFromString(outcome.SerializeToString())
        else:
            response.choice.CopyFrom(outcome)
        return response

    def _kept(self, call: Call, key: bytes | None, kind: type[S]) -> S | None:
        """Return the answer that is kept for a request, None where it has to be searched for."""
        if key is None:
            return None
        answer = self._answers.find(key)
        if answer is None:
            call.kept = "miss"
            return None
        self._answers.keep_request(call.mark, key)
        return self._known(call, answer, kind)

    def _known(self, call: Call, answer: bytes, kind: type[S]) -> S:
        """Return a kept answer as this call's."""
        call.kept = "hit"
        found = kind.FromString(answer)
        response = call.answer = message_of(found)
        response.ClearField("timing")  # of the search that found it
        response.timing.cached = True
        if isinstance(response, advisor_service_pb2.AdviseResponse):
            call.algorithm = algorithm_label(response.algorithm)
            self._metrics.advised(call.game, response)
        else:
            if response.level != BY_LIMITS:
                call.algorithm = LEVEL_ALGORITHM
            self._metrics.played(call.game, response)
        self._stamp(call, response.timing)
        return found

    def _keep(self, call: Call, key: bytes | None, job: Job, found: Searched) -> None:
        """Keep an answer, if it is worth it."""
        response = message_of(found)
        searched = response.timing.searched_ms / 1e3
        if key is None or not worth_keeping(response.stop_reason, searched, job.rested_seconds):
            return
        self._answers.keep_answer(key, found.SerializeToString(), call.mark)

    async def _work(self, call: Call, job: Job, ask: Ask, work: Callable[[], S]) -> S:
        """Have a worker search, and fill the answer's timing."""
        with self._jobs_lock:
            self._jobs.add(job)
        try:
            found = await self._pool.run(job, work, ask)
        except asyncio.CancelledError:
            if job.began:
                self._metrics.stops.labels(call.game, call.algorithm, CANCELLED.lower()).inc()
            raise
        finally:
            with self._jobs_lock:
                self._jobs.discard(job)
            if job.began:  # else it has not waited to the end, or not at all
                call.parts["queued"] = job.queued_seconds
                call.parts["paused"] = job.rested_seconds
        response = call.answer = message_of(found)
        call.parts["searched"] = response.timing.searched_ms / 1e3
        response.timing.queued_ms = job.queued_seconds * 1e3
        self._stamp(call, response.timing)
        return found

    def _stamp(self, call: Call, timing: advice_pb2.Timing) -> None:
        timing.converted_ms = call.parts["converted"] * 1e3
        timing.total_ms = (time.monotonic() - call.begun) * 1e3
        timing.request_id = call.request_id

    def _overrun(self, response: Told, seconds: float | None, deadline: float | None) -> float | None:
        """Return what a search took past the time or deadline that ended it, in seconds; None when none did."""
        if response.stop_reason == advice_pb2.STOP_REASON_TIME and seconds is not None:
            return response.timing.searched_ms / 1e3 - seconds
        if response.stop_reason in (advice_pb2.STOP_REASON_TIME, advice_pb2.STOP_REASON_DEADLINE):
            return None if deadline is None else max(0.0, time.monotonic() - deadline)
        return None

    def _shutting_down(self) -> AdvisorError:
        retry = self._advisor.settings.retry_seconds
        return AdvisorError(SHUTTING_DOWN, "the server shuts down", retry_after=retry)

    # Other games.

    def use(self, games: Games) -> None:
        """Answer calls from now on with other catalogues; those in flight keep theirs."""
        self._advisor = Advisor(self._advisor.settings, games)
        self._generation += 1

    # The end.

    def drain(self) -> None:
        """Take no more questions of the streams that are open, and end each when it has been answered."""
        self._draining.set()

    def hurry(self) -> None:
        """Have every search answered with what it has so far."""
        for job in self._known_jobs():
            job.hurry()

    def close(self) -> None:
        """Stop what still runs and let the threads end."""
        for job in self._known_jobs():
            job.cancel()
        self._converters.shutdown(wait=True, cancel_futures=True)
        self._pool.close()
        self.calls.close()

    def _known_jobs(self) -> list[Job]:
        with self._jobs_lock:
            return list(self._jobs)
