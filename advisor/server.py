"""The gRPC server: deadlines, admission, cancellation, health, metrics, drain. The answers come from `service`."""

import asyncio
import contextlib
import errno
import json
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Final, NoReturn, Protocol, TypeVar

import grpc
from google.protobuf import message_factory
from google.protobuf.message import DecodeError, Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from advisor import access, garbage, logs, transport
from advisor.advice import read_limits, read_options
from advisor.answers import Answers, digest_of, key_of, worth_keeping
from advisor.batch import Batch
from advisor.budget import MemoryBudget, need
from advisor.catalogues import CatalogueError
from advisor.clients import ClientLimits
from advisor.errors import CANCELLED, INTERNAL, SHUTTING_DOWN, TOO_MANY_CALLS, AdvisorError, from_exception, invalid
from advisor.failures import write_failure
from advisor.faults import Faults
from advisor.games import Games
from advisor.metrics import NO_GAME, Metrics, MetricsServer, algorithm_label
from advisor.pool import MOST_BEGUN, Ask, Job, SearchPool
from advisor.rates import Rates
from advisor.service import BY_LIMITS, AdviceRequest, Advisor, Prepared, PreparedChoice, game_of, too_short
from advisor.settings import Settings
from advisor.tls import certificates
from advisor.together import LOOK_SECONDS, Together, answering
from advisor.tokens import TokenFile
from advisor.tracing import Tracing, trace_id, traceparent
from advisor.v1 import advice_pb2, advisor_service_pb2, advisor_service_pb2_grpc
from ext.errors import Violation
from search.binding import unbind
from search.levels import LEVELS, STRENGTHS
from search.request import Limits, Options
from search.run import threads_of

SERVICE: Final = advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"].full_name
"""Full name of the service, as health checks ask for it."""
REQUEST_ID_KEY: Final = "sirenia-request-id"
"""Trailer with the id under which the server's log knows a call."""
_RPCS: Final = frozenset(
    method.name for method in advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"].methods
)
OTHER_RPC: Final = "other"
"""The rpc label of a refused call of a method of another service, or of none."""
NO_ALGORITHM: Final = "none"
"""The algorithm label of a call that does not search."""
BATCH_STREAM: Final = "AdviseBatchStream"
"""The rpc label of a batch's stream; each of its questions counts as a call of AdviseBatch."""
LEVEL_ALGORITHM: Final = "level"
"""The algorithm label of a computer opponent of a level."""
HURRY_SHARE: Final = 0.8
"""Part of the drain's grace after which running searches are answered with what they have."""
SMALL_BYTES: Final = 1024
"""Advice about positions up to this size, in bytes, is prepared on the event loop itself, in a fraction of 1 ms."""
DIGESTED_BYTES: Final = 1 << 16
"""Requests up to this size, in bytes, are known again as they are: a digest of it takes 0.1 ms."""
MEASURED: Final = frozenset(
    (advice_pb2.STOP_REASON_SIMULATIONS, advice_pb2.STOP_REASON_TIME, advice_pb2.STOP_REASON_DEADLINE)
)
"""Why a search ended that tells how fast searches are."""
LONGEST_BUDGET: Final = 1e9
"""Deadlines farther away than this, in seconds, are none."""
_WIRE_STEPS: Final = ((10_000.0, 100.0), (1_000.0, 10.0), (100.0, 1.0), (10.0, 0.1), (1.0, 0.01))
"""From how many seconds on gRPC rounds a deadline up to a multiple of how many."""

Q = TypeVar("Q", bound=Message)
R = TypeVar("R")
Searched = advisor_service_pb2.AdviseResponse | advisor_service_pb2.ChooseMoveResponse
S = TypeVar("S", advisor_service_pb2.AdviseResponse, advisor_service_pb2.ChooseMoveResponse)


class Context(Protocol):
    """The part of grpc.aio's servicer context that is used here."""

    def time_remaining(self) -> float | None:
        """Seconds to the call's deadline; None without one."""

    def invocation_metadata(self) -> Any:
        """Pairs of keys and values that the client has sent; None without any."""

    async def abort(self, code: grpc.StatusCode, details: str = ..., trailing_metadata: Any = ...) -> NoReturn:
        """End the call with an error."""

    async def write(self, message: Message) -> None:
        """Hand one answer of a stream to the transport; waits while its buffers are full."""


def rounded_up(remaining: float) -> float:
    """Seconds that gRPC may have added to a deadline on its way here.

    The wire has few digits for it: tens of milliseconds from 1 s on, hundreds from 10 s, seconds from 100 s. A part of
    it has passed already, so the next coarser step counts a little early.
    """
    return next((step for least, step in _WIRE_STEPS if remaining > 0.9 * least), 0.001)


async def write(context: Context, message: Message) -> None:
    """Hand one answer of a stream to the transport; raises `AdvisorError` (CANCELLED) where nobody is there any more.

    gRPC tells of a client that has gone by cancelling the call, yet a write that comes just before finds it out first.
    """
    try:
        await context.write(message)
    except grpc.aio.BaseError as error:
        raise AdvisorError(CANCELLED, "the caller has gone") from error


class Unreadable:
    """Stands for a request that could not be parsed."""


def unreadable() -> AdvisorError:
    """Return the error of such a request."""
    return invalid([Violation("", "the request is not the protobuf message that this method takes")])


class Call:
    """What is known about one call while it is answered."""

    def __init__(self, rpc: str, game: str) -> None:
        self.rpc = rpc
        self.game = game
        self.algorithm = NO_ALGORITHM
        self.client = access.CLIENT.get()
        """Who calls, and whose share of the cores it takes from."""
        self.request_id = os.urandom(16).hex()
        self.begun = time.monotonic()
        self.parts: dict[str, float] = {}
        self.answer: Searched | None = None
        """What a search has found, or what was kept of an equal one."""
        self.reason = ""
        self.failure: Exception | None = None
        """What went wrong inside."""
        self.traceparent = ""
        self.digest = b""
        """Of the request, where answers are kept."""
        self.above: Call | None = None
        """The stream that a question belongs to."""
        self.span: Any = None


class AdvisorServicer(advisor_service_pb2_grpc.AdvisorServiceServicer):
    """Takes calls from gRPC to the service's methods and back; never blocks the event loop."""

    def __init__(self, advisor: Advisor, metrics: Metrics, on_broken: Callable[[], None] = lambda: None) -> None:
        """`on_broken` is called, from another thread, when searching is no longer possible."""
        self.settings = settings = advisor.settings
        self._advisor = advisor
        self._metrics = metrics
        self._log = logs.logger(settings.log_level, settings.log_format)
        self._tracing = Tracing(settings.traces, settings.traces_ratio, self._log) if settings.traces else None
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
        self._in_flight = 0
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

    async def Advise(
        self, request: advisor_service_pb2.AdviseRequest, context: Any
    ) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat that owes a decision."""
        call = Call("Advise", self._metrics.game_label(game_of(request)))
        return await self._answer(call, context, lambda: self._advise(call, request, context))

    async def WatchAdvice(  # type: ignore[override]  # writes its answers itself, at the pace of the client
        self, request: advisor_service_pb2.WatchAdviceRequest, context: Any
    ) -> None:
        """The same, streamed: interim rankings at an interval, then exactly one final answer."""
        call = Call("WatchAdvice", self._metrics.game_label(game_of(request.advise)))
        await self._answer(call, context, lambda: self._watch(call, request, context))

    async def ChooseMove(
        self, request: advisor_service_pb2.ChooseMoveRequest, context: Any
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """The computer opponent."""
        call = Call("ChooseMove", self._metrics.game_label(game_of(request)))
        return await self._answer(call, context, lambda: self._choose(call, request, context))

    async def AdviseBatch(  # type: ignore[override]  # writes its answers itself, as they are found
        self, requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest], context: Any
    ) -> None:
        """Many questions over one stream: answers as they are found, exactly one for each id."""
        call = Call(BATCH_STREAM, self._metrics.game_label(None))
        await self._answer(call, context, lambda: self._batch(call, requests, context))

    async def unreadable(self, rpc: str, context: Context) -> Message:
        """Answer a call whose request is no message of the RPC's type."""

        async def work() -> Message:
            raise unreadable()

        return await self._answer(Call(rpc, self._metrics.game_label("")), context, work)

    async def refuse(self, rpc: str, context: Context, error: AdvisorError) -> NoReturn:
        """End a call whose request is not even read. `rpc` may be a full method name, of this service or another."""
        name = rpc.rpartition("/")[2]
        request_id = os.urandom(16).hex()
        self._metrics.requests.labels(name if name in _RPCS else OTHER_RPC, NO_GAME, error.status.name).inc()
        self._log.debug("call refused", request_id=request_id, reason=error.reason)
        await context.abort(error.status, error.message, (*error.trailers(), (REQUEST_ID_KEY, request_id)))

    # How a call is answered.

    async def _plain(self, rpc: str, game: str | None, method: Callable[[Q], R], request: Q, context: Context) -> R:
        call = Call(rpc, self._metrics.game_label(game))

        async def work() -> R:
            return await self._convert(call, lambda: method(request))

        return await self._answer(call, context, work)

    async def _prepare(self, call: Call, request: AdviceRequest, work: Callable[[], R]) -> R:
        if request.HasField("record") or request.ByteSize() > SMALL_BYTES:
            return await self._convert(call, work)
        # A position: reading it takes less time than a thread takes to wake up and to hand back what it has read.
        begun = time.monotonic()
        try:
            return work()
        finally:
            call.parts["converted"] = time.monotonic() - begun

    async def _convert(self, call: Call, work: Callable[[], R]) -> R:
        begun = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._converters, work)
        finally:
            call.parts["converted"] = time.monotonic() - begun

    async def _advise(
        self, call: Call, request: advisor_service_pb2.AdviseRequest, context: Context
    ) -> advisor_service_pb2.AdviseResponse:
        # The deadline is read before anything else, so that conversion and waiting come out of the same budget.
        deadline = self._deadline(context)
        kept = self._unread(call, request, deadline, advisor_service_pb2.AdviseResponse)
        if kept is not None:
            return kept
        prepared = await self._prepare(call, request, lambda: self._advisor.prepare(request))
        return await self._search(call, Job(), prepared, deadline)

    def _unread(self, call: Call, request: AdviceRequest, deadline: float | None, kind: type[S]) -> S | None:
        """Return the answer that is kept for this very request, before it is read; None where it has to be.

        Raises `AdvisorError` where a search for it could not be had in time: who has to refuse has no time to read.
        """
        if self._digest(call, request):
            answer = self._answers.find_for(call.digest)
            if answer is not None:
                call.parts["converted"] = 0.0
                call.algorithm = read_options(request.options, self.settings, Faults()).algorithm.value
                return self._known(call, answer, kind)
        if self._pool.full:
            self._shed(call, request, deadline)
        return None

    def _shed_unless_kept(self, call: Call, request: AdviceRequest, deadline: float | None) -> None:
        """Do as `_unread` where an answer that is kept is one of several things to be read of a request."""
        kept = self._digest(call, request) and self._answers.find_for(call.digest) is not None
        if self._pool.full and not kept:
            self._shed(call, request, deadline)

    def _digest(self, call: Call, request: AdviceRequest) -> bool:
        """Note what tells this very request from others; return whether it is one that is looked for so."""
        known = self._answers.on and not request.HasField("record") and request.ByteSize() <= DIGESTED_BYTES
        if known:
            call.digest = digest_of(request, self._generation)
        return known

    def _shed(self, call: Call, request: AdviceRequest, deadline: float | None) -> None:
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

    async def _search(
        self, call: Call, job: Job, prepared: Prepared, deadline: float | None
    ) -> advisor_service_pb2.AdviseResponse:
        key = key_of(prepared) if self._answers.on else None
        kept = self._kept(call, key, advisor_service_pb2.AdviseResponse)
        if kept is not None:
            return kept
        call.algorithm = prepared.options.algorithm.value
        seconds = self._rates.seconds(call.game, prepared.limits, prepared.options)
        with self._budget.holding(need(prepared.limits, prepared.options)):
            response = await self._work(
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
        if response.stop_reason in MEASURED:
            threads = max(1, response.timing.threads)
            made, algorithm = response.simulations // threads, prepared.options.algorithm
            self._rates.note(call.game, algorithm, made, job.ran_seconds)
            if prepared.limits.depth is None and prepared.options.trees == 1:
                self._rates.note_slowest(prepared.setup.digest, algorithm, made, job.cpu_seconds)
        call.algorithm = algorithm_label(response.algorithm)
        overrun = self._overrun(response, prepared.limits.seconds, deadline)

        def afterwards() -> None:
            self._metrics.searched(call.rpc, call.game, response, overrun)
            self._keep(call, key, job, response)

        self._metrics.afterwards.leave(afterwards)
        return response

    def _threads(self, options: Options) -> int:
        """On how many threads a search runs when it can."""
        return min(threads_of(options), self.settings.workers)

    def _brief(self, prepared: Prepared) -> bool:
        moves = len(prepared.setup.kernel.moves_observation(prepared.observation))
        return self._rates.brief(prepared.setup.digest, prepared.limits, prepared.options, moves)

    async def _watch(self, call: Call, request: advisor_service_pb2.WatchAdviceRequest, context: Context) -> None:
        deadline = self._deadline(context)
        self._shed_unless_kept(call, request.advise, deadline)
        prepared, interval = await self._prepare(call, request.advise, lambda: self._advisor.prepare_watch(request))
        job = Job()
        search = asyncio.ensure_future(self._search(call, job, prepared, deadline))
        search.add_done_callback(lambda done: done.cancelled() or done.exception())  # known even if nobody waits
        try:
            await self._send_interim(call, job, prepared, interval, search, context)
            answer = await search
        finally:
            # Where it has not ended the caller has gone; whoever cancels twice does no harm.
            search.cancel()
        await write(context, advisor_service_pb2.WatchAdviceResponse(advice=answer, final=True))

    async def _send_interim(
        self,
        call: Call,
        job: Job,
        prepared: Prepared,
        interval: float,
        search: "asyncio.Future[advisor_service_pb2.AdviseResponse]",
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
        deadline = self._deadline(context)
        kept = self._unread(call, request, deadline, advisor_service_pb2.ChooseMoveResponse)
        if kept is not None:
            return kept
        prepared = await self._prepare(call, request, lambda: self._advisor.prepare_choice(request))
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

        def afterwards() -> None:
            self._metrics.chosen(call.rpc, call.game, call.algorithm, response, overrun)
            self._keep(call, key, job, response)

        self._metrics.afterwards.leave(afterwards)
        return response

    async def _batch(
        self,
        stream: Call,
        requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest | Unreadable],
        context: Context,
    ) -> None:
        # Read once: what the wire has rounded the deadline up by cannot be told from what is left of it later.
        end = self._deadline(context)

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
            prepared, timeout = await self._prepare(call, asked, lambda: self._advisor.prepare_question(request))
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

        outcome = await self._outcome(call, work)
        response = advisor_service_pb2.AdviseBatchResponse(id=request.id)
        if isinstance(outcome, AdvisorError):
            response.failure.CopyFrom(write_failure(outcome))
        elif isinstance(outcome, advisor_service_pb2.AdviseResponse):
            response.advice.CopyFrom(outcome)
        else:
            response.choice.CopyFrom(outcome)
        return response

    def _kept(self, call: Call, key: bytes | None, kind: type[S]) -> S | None:
        """Return the answer that is kept for a request, None where it has to be searched for."""
        if key is None:
            return None
        answer = self._answers.find(key)
        if answer is None:
            self._metrics.kept.labels(call.rpc, "miss").inc()
            return None
        self._answers.keep_request(call.digest, key)
        return self._known(call, answer, kind)

    def _known(self, call: Call, answer: bytes, kind: type[S]) -> S:
        """Return a kept answer as this call's."""
        self._metrics.kept.labels(call.rpc, "hit").inc()
        response = kind.FromString(answer)
        response.ClearField("timing")  # of the search that found it
        response.timing.cached = True
        call.answer = response
        if isinstance(response, advisor_service_pb2.AdviseResponse):
            call.algorithm = algorithm_label(response.algorithm)
            self._metrics.advised(call.game, response)
        else:
            if response.level != BY_LIMITS:
                call.algorithm = LEVEL_ALGORITHM
            self._metrics.played(call.game, response)
        self._stamp(call, response.timing)
        return response

    def _keep(self, call: Call, key: bytes | None, job: Job, response: Searched) -> None:
        """Keep an answer, if it is worth it."""
        searched = response.timing.searched_ms / 1e3
        if key is None or not worth_keeping(response.stop_reason, searched, job.rested_seconds):
            return
        self._answers.keep_answer(key, response.SerializeToString(), call.digest)

    async def _work(self, call: Call, job: Job, ask: Ask, work: Callable[[], S]) -> S:
        """Have a worker search, and fill the answer's timing."""
        with self._jobs_lock:
            self._jobs.add(job)
        try:
            response = await self._pool.run(job, work, ask)
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
        call.parts["searched"] = response.timing.searched_ms / 1e3
        call.answer = response
        response.timing.queued_ms = job.queued_seconds * 1e3
        self._stamp(call, response.timing)
        return response

    def _stamp(self, call: Call, timing: advice_pb2.Timing) -> None:
        timing.converted_ms = call.parts["converted"] * 1e3
        timing.total_ms = (time.monotonic() - call.begun) * 1e3
        timing.request_id = call.request_id

    def _deadline(self, context: Context) -> float | None:
        remaining = context.time_remaining()
        if remaining is None or remaining > LONGEST_BUDGET:
            return None
        margin = self._advisor.settings.deadline_margin_seconds + rounded_up(remaining)
        return time.monotonic() + remaining - margin

    def _overrun(self, response: Searched, seconds: float | None, deadline: float | None) -> float | None:
        """Return what a search took past the time or deadline that ended it, in seconds; None when none did."""
        if response.stop_reason == advice_pb2.STOP_REASON_TIME and seconds is not None:
            return response.timing.searched_ms / 1e3 - seconds
        if response.stop_reason in (advice_pb2.STOP_REASON_TIME, advice_pb2.STOP_REASON_DEADLINE):
            return None if deadline is None else max(0.0, time.monotonic() - deadline)
        return None

    async def _answer(self, call: Call, context: Context, work: Callable[[], Awaitable[R]]) -> R:
        """Answer a call; an error becomes its status."""
        call.traceparent = traceparent(context.invocation_metadata())
        outcome = await self._outcome(call, work)
        if isinstance(outcome, AdvisorError):
            trailers = (*outcome.trailers(), (REQUEST_ID_KEY, call.request_id))
            await context.abort(outcome.status, outcome.message, trailers)
        return outcome

    async def _outcome(self, call: Call, work: Callable[[], Awaitable[R]]) -> R | AdvisorError:
        """Do what a call asks for, or find out why not: admission, bookkeeping, and where errors are caught."""
        self._metrics.in_flight.labels(call.rpc).inc()
        self._in_flight += 1
        if self._tracing is not None:
            self._tracing.begin(call, None if call.above is None else call.above.span)
        try:
            self._admit()
            response = await work()
        except asyncio.CancelledError:
            self._metrics.cancelled.labels(call.rpc).inc()
            self._end(call, grpc.StatusCode.CANCELLED)
            raise
        except Exception as caught:
            error = from_exception(caught)
            self._note(call, error, caught)
            self._end(call, error.status)
            return error
        self._end(call, grpc.StatusCode.OK)
        return response

    def _end(self, call: Call, code: grpc.StatusCode) -> None:
        self._in_flight -= 1
        call.parts["total"] = time.monotonic() - call.begun
        self._log_end(call, code)
        if self._tracing is not None:
            self._tracing.end(call, code)
        self._metrics.afterwards.leave(partial(self._count, call, code))

    def _count(self, call: Call, code: grpc.StatusCode) -> None:
        self._metrics.in_flight.labels(call.rpc).dec()
        self._metrics.requests.labels(call.rpc, call.game, code.name).inc()
        for part, seconds in tuple(call.parts.items()):
            self._metrics.seconds.labels(call.rpc, call.game, call.algorithm, part).observe(seconds)

    def _log_end(self, call: Call, code: grpc.StatusCode) -> None:
        """Write the line of a call that has ended: for every one with "debug", else for those that call for a look."""
        settings = self._advisor.settings
        waited = call.parts["total"] - call.parts.get("searched", 0.0) + call.parts.get("paused", 0.0)
        slow = waited > settings.slow_seconds and code is grpc.StatusCode.OK and call.rpc != BATCH_STREAM
        if not slow and call.failure is None and settings.log_level != "debug":
            return
        # Nothing that a client has sent but what was matched with what is known here, or read as hex digits.
        line: dict[str, Any] = {
            "rpc": call.rpc,
            "game": call.game,
            "algorithm": call.algorithm,
            "code": code.name,
            "request_id": call.request_id,
            "trace_id": trace_id(call),
            "reason": call.reason,
            **{f"{part}_ms": round(seconds * 1e3, 3) for part, seconds in call.parts.items()},
        }
        line = {name: value for name, value in line.items() if value != ""}
        if call.failure is not None:
            # The traceback has no local values, so nothing of the position gets into the log.
            self._log.error("call failed", **line, exc_info=call.failure)
            call.failure = None  # it holds its frames, which hold the call
        elif slow:
            self._log.info("slow call", **line)
        else:
            self._log.debug("call", **line)

    def _admit(self) -> None:
        most = self._advisor.settings.max_calls
        if self._in_flight > most:
            self._metrics.rejected.labels(TOO_MANY_CALLS.lower()).inc()
            raise AdvisorError(
                TOO_MANY_CALLS,
                f"{most} calls are in flight already; try again later",
                retry_after=self._advisor.settings.retry_seconds,
            )

    def _note(self, call: Call, error: AdvisorError, caught: Exception) -> None:
        call.reason = error.reason
        if error.reason == INTERNAL:
            error.metadata["request_id"] = call.request_id
            call.failure = caught
        elif error.reason == CANCELLED:
            self._metrics.cancelled.labels(call.rpc).inc()

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
        self._metrics.afterwards.settle()
        if self._tracing is not None:
            self._tracing.close()

    def _known_jobs(self) -> list[Job]:
        with self._jobs_lock:
            return list(self._jobs)


def handlers(servicer: AdvisorServicer) -> grpc.GenericRpcHandler:
    """Return the service's RPCs. Unlike the generated registration, an unreadable request is the caller's fault."""
    service = advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"]
    return grpc.method_handlers_generic_handler(
        service.full_name, {method.name: _handler(servicer, method) for method in service.methods}
    )


def _handler(servicer: AdvisorServicer, method: Any) -> Any:
    request_type = message_factory.GetMessageClass(method.input_type)
    answer: Callable[[Any, Any], Awaitable[Message | None]] = getattr(servicer, method.name)
    certified = servicer.settings.tls_client_ca is not None

    def parse(data: bytes) -> Message | Unreadable:
        try:
            return request_type.FromString(data)
        except DecodeError:
            return Unreadable()

    async def parse_and_answer(data: bytes, context: Any) -> Message | None:
        request = parse(data)
        if isinstance(request, Unreadable):
            return await servicer.unreadable(method.name, context)
        return await answer(request, context)

    async def handle(requests: Any, context: Any) -> Message | None:
        # Who asks too much is refused before its request is parsed.
        client = access.identify(context, certified)
        try:
            servicer.clients.enter(client)
        except AdvisorError as error:
            await servicer.refuse(method.name, context, error)
        try:
            return await (answer if method.client_streaming else parse_and_answer)(requests, context)
        finally:
            servicer.clients.leave(client)

    def serialize(response: Message) -> bytes:
        return response.SerializeToString()

    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(handle, request_deserializer=parse, response_serializer=serialize)
    kind = grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
    return kind(handle, response_serializer=serialize)


def endpoint(host: str, port: int) -> str:
    """Return host and port as gRPC wants them, IPv6 addresses in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def cannot_listen(host: str, port: int, what: str, reason: OSError | None = None) -> OSError:
    """Return the error of a port that could not be had: why, and what to do. `what` is "" or "metrics_".

    reason: what the system said; found out by trying where it is None.
    """
    if reason is None:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                probe.listen(1)
        except OSError as error:
            reason = error
    flag, variable = f"--{what}port".replace("_", "-"), f"SIRENIA_{what.upper()}PORT"
    if isinstance(reason, socket.gaierror) or (reason is not None and reason.errno == errno.EADDRNOTAVAIL):
        flag, variable = f"--{what}host".replace("_", "-"), f"SIRENIA_{what.upper()}HOST"
        why = "there is no such host" if isinstance(reason, socket.gaierror) else "this machine has no such address"
    else:
        why = "the system refuses it" if reason is None or not reason.strerror else reason.strerror.lower()
    return OSError(f"cannot listen on {endpoint(host, port)}: {why}; choose another with {flag} or {variable}")


class RunningServer:
    """A server that takes calls; made by `serve`."""

    def __init__(
        self,
        settings: Settings,
        server: grpc.aio.Server,
        servicer: AdvisorServicer,
        checks: health.aio.HealthServicer,
        metrics: Metrics,
        port: int,
        metrics_server: MetricsServer | None,
    ) -> None:
        self.settings = settings
        self.metrics = metrics
        self.port = port
        self._server = server
        self._servicer = servicer
        self._checks = checks
        self._metrics_server = metrics_server
        self._drained = False
        self._log = logs.logger(settings.log_level, settings.log_format)
        self._cut_off = asyncio.Event()
        self.broken = asyncio.Event()
        """Set when searching is no longer possible; the server has stopped saying that it is ready."""

    @property
    def address(self) -> str:
        """Where clients connect: "127.0.0.1:50051"."""
        return endpoint(self.settings.host, self.port)

    @property
    def metrics_port(self) -> int | None:
        """TCP port of the Prometheus endpoint; None when it is off."""
        return None if self._metrics_server is None else self._metrics_server.port

    async def breaks(self) -> None:
        """Say no longer that the server is ready."""
        if not self._drained:
            await self._checks.enter_graceful_shutdown()
        self.broken.set()

    async def reload(self) -> None:
        """Load the catalogues anew; an unusable one leaves everything as it was, and the log has its faults."""
        settings = self.settings
        try:
            games = await asyncio.to_thread(Games, settings.catalogue_dirs, settings.kernel_cache)
        except Exception as error:
            self.metrics.reloads.labels("failed").inc()
            if isinstance(error, CatalogueError):
                self._log.error("catalogues stay as they were", fault=str(error))
            else:
                self._log.error("catalogues stay as they were", exc_info=error)
            return
        self._servicer.use(games)
        self.metrics.reloads.labels("ok").inc()
        held = {game: [one.id for one in games.catalogues(game)] for game in games.entries}
        self._log.info("catalogues loaded", held=held)

    async def stop_now(self) -> None:
        """Cut off what a drain still waits for."""
        self._cut_off.set()
        await self._server.stop(None)

    async def drain(self, grace: float | None = None) -> None:
        """Take no more calls and finish the accepted ones within `grace` seconds.

        With None the settings say how long that may take, and for how long before it calls are still taken, so that
        balancers have noticed by then.
        """
        if self._drained:
            return
        self._drained = True
        seconds = self.settings.grace_seconds if grace is None else grace
        await self._checks.enter_graceful_shutdown()
        if grace is None and self.settings.notice_seconds and not self.broken.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._cut_off.wait(), self.settings.notice_seconds)
        self._servicer.drain()
        hurry = asyncio.get_running_loop().call_later(seconds * HURRY_SHARE, self._servicer.hurry)
        await self._server.stop(seconds)
        hurry.cancel()
        await asyncio.to_thread(self._servicer.close)
        if self._metrics_server is not None:
            await asyncio.to_thread(self._metrics_server.close)


async def start(settings: Settings, advisor: Advisor | None = None) -> RunningServer:
    """Start a server; raises OSError when a port is taken, `UnusableFile` for certificates or tokens."""
    log = logs.logger(settings.log_level, settings.log_format)
    certified = certificates(settings, log)
    tokens = None if settings.token_file is None else TokenFile(settings.token_file, log)
    advisor = Advisor(settings) if advisor is None else advisor
    metrics = Metrics(advisor.games.entries, settings.workers, settings.queue_length)
    loop = asyncio.get_running_loop()
    running: asyncio.Future[RunningServer] = loop.create_future()

    async def breaks() -> None:
        await (await asyncio.shield(running)).breaks()

    def on_broken() -> None:
        work = breaks()
        try:
            asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # the loop has ended
            work.close()

    servicer = AdvisorServicer(advisor, metrics, on_broken)
    server = grpc.aio.server(
        interceptors=[] if tokens is None else [access.Guard(tokens, servicer.refuse, metrics)],
        options=transport.channel_options(settings),
    )
    server.add_generic_rpc_handlers((handlers(servicer),))
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    if settings.reflection:
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    try:
        where = endpoint(settings.host, settings.port)
        if certified is None:
            port = server.add_insecure_port(where)
        else:
            port = server.add_secure_port(where, certified.credentials())
    except RuntimeError as error:
        servicer.close()
        raise cannot_listen(settings.host, settings.port, "") from error
    metrics_server = None
    if settings.metrics:
        try:
            metrics_server = MetricsServer(settings.metrics_host, settings.metrics_port, metrics)
        except OSError as error:
            servicer.close()
            await server.stop(None)
            raise cannot_listen(settings.metrics_host, settings.metrics_port, "metrics_", error) from error
    await server.start()
    for name in ("", SERVICE):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    running.set_result(RunningServer(settings, server, servicer, checks, metrics, port, metrics_server))
    return running.result()


@contextlib.asynccontextmanager
async def serve(settings: Settings, advisor: Advisor | None = None) -> AsyncIterator[RunningServer]:
    """Run a server for as long as the context lasts; it ends at once, without grace."""
    running = await start(settings, advisor)
    try:
        yield running
    finally:
        await running.drain(0)


class ServerThread:
    """A server on a thread of its own, for callers that are not asynchronous. A context manager."""

    def __init__(self, settings: Settings, advisor: Advisor | None = None) -> None:
        self._settings = settings
        self._advisor = advisor
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._running: RunningServer | None = None
        self._thread = threading.Thread(target=self._run, name="server", daemon=True)

    @property
    def running(self) -> RunningServer:
        """The server."""
        assert self._running is not None
        return self._running

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop that serves."""
        assert self._loop is not None
        return self._loop

    @property
    def port(self) -> int:
        """TCP port for gRPC."""
        return self.running.port

    @property
    def metrics_port(self) -> int | None:
        """TCP port of the Prometheus endpoint."""
        return self.running.metrics_port

    @property
    def address(self) -> str:
        """Where clients connect."""
        return self.running.address

    def __enter__(self) -> "ServerThread":
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        async with serve(self._settings, self._advisor) as running:
            self._running = running
            self._ready.set()
            await self._stop.wait()


class BrokenServer(Exception):
    """The server has stopped by itself; the text says why."""


async def run_until_signal(settings: Settings, ready: Callable[[RunningServer], None]) -> None:
    """Serve until SIGTERM or SIGINT, then drain; a second signal ends at once. SIGHUP loads the catalogues anew.

    Drains, too, and raises `BrokenServer` when searching is no longer possible. `ready` is called as soon as calls are
    taken.
    """
    stop = asyncio.Event()
    at_once = asyncio.Event()

    def on_signal() -> None:
        (at_once if stop.is_set() else stop).set()

    hung_up = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
    loop.add_signal_handler(signal.SIGHUP, hung_up.set)
    running = await start(settings)

    async def reload() -> None:
        while await hung_up.wait():
            hung_up.clear()
            await running.reload()
            garbage.set_aside()

    async def keep_together() -> None:
        together = Together(answering())
        while True:
            together.look()
            await asyncio.sleep(LOOK_SECONDS)

    # What the loop has done elsewhere is not to be done on the core that it stays on.
    loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="aside", initializer=unbind))
    reloading, keeping = asyncio.ensure_future(reload()), asyncio.ensure_future(keep_together())
    log = logs.logger(settings.log_level, settings.log_format)
    for warning in access.warnings(settings):
        log.warning(warning)
    garbage.set_aside()
    ready(running)
    signalled = asyncio.ensure_future(stop.wait())
    broken = asyncio.ensure_future(running.broken.wait())
    await asyncio.wait((signalled, broken), return_when=asyncio.FIRST_COMPLETED)
    failed = running.broken.is_set()
    signalled.cancel()
    broken.cancel()
    reloading.cancel()
    stop.set()  # the next signal ends at once
    log.info("draining", grace_seconds=settings.grace_seconds)
    drain = asyncio.ensure_future(running.drain())
    impatient = asyncio.ensure_future(at_once.wait())
    await asyncio.wait((drain, impatient), return_when=asyncio.FIRST_COMPLETED)
    impatient.cancel()
    if not drain.done():
        await running.stop_now()
    await drain
    keeping.cancel()
    log.info("stopped")
    if failed:
        raise BrokenServer("a thread that searches has ended; the log has it")


def ready_line(running: RunningServer) -> str:
    """Return the one line of JSON that a server prints when it takes calls."""
    return json.dumps(
        {
            "event": "ready",
            "host": running.settings.host,
            "port": running.port,
            "metrics_port": running.metrics_port,
            "service": SERVICE,
        }
    )
