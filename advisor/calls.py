"""One call from its beginning to its end: admission, what is known of it, and who is told when it has ended."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, NoReturn, Protocol, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from advisor import access, logs
from advisor.errors import CANCELLED, INTERNAL, TOO_MANY_CALLS, AdvisorError, from_exception
from advisor.metrics import NO_GAME, Metrics
from advisor.settings import Settings
from advisor.tracing import Told, Tracing, trace_id, traceparent
from advisor.v1 import advisor_service_pb2

SERVICE: Final = advisor_service_pb2.DESCRIPTOR.services_by_name["AdvisorService"]
REQUEST_ID_KEY: Final = "sirenia-request-id"
"""Trailer with the id under which the server's log knows a call."""
RPCS: Final = frozenset(method.name for method in SERVICE.methods)
OTHER_RPC: Final = "other"
"""The rpc label of a refused call of a method of another service, or of none."""
NO_ALGORITHM: Final = "none"
"""The algorithm label of a call that does not search."""
BATCH_STREAM: Final = "AdviseBatchStream"
"""The rpc label of a batch's stream; each of its questions counts as a call of AdviseBatch."""
LONGEST_BUDGET: Final = 1e9
"""Deadlines farther away than this, in seconds, are none."""
_WIRE_STEPS: Final = ((10_000.0, 100.0), (1_000.0, 10.0), (100.0, 1.0), (10.0, 0.1), (1.0, 0.01))
"""From how many seconds on gRPC rounds a deadline up to a multiple of how many."""

R = TypeVar("R")

SENT: Final[ContextVar[bytes]] = ContextVar("sent", default=b"")
"""The request of the call that is being answered, as it came, everywhere in its task; b"" of a stream of requests."""


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
        self.answer: Told | None = None
        """What a search has found, or what was kept of an equal one."""
        self.reason = ""
        self.failure: Exception | None = None
        """What went wrong inside."""
        self.traceparent = ""
        self.kept = ""
        """Whether an answer was kept for it, "hit" or "miss"; "" where none was looked for."""
        self.mark = b""
        """Of the request, where answers are kept."""
        self.above: Call | None = None
        """The stream that a question belongs to."""
        self.span: Any = None


class Calls:
    """Has calls answered, and sees to their beginning and their end. Belongs to one event loop."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._settings = settings
        self._metrics = metrics
        self._log = logs.logger(settings.log_level, settings.log_format)
        self._tracing = Tracing(settings.traces, settings.traces_ratio, self._log) if settings.traces else None
        self._in_flight = dict.fromkeys((*RPCS, BATCH_STREAM), 0)
        """Calls by RPC."""
        metrics.watch_calls(self._in_flight)

    async def answer(self, call: Call, context: Context, work: Callable[[], Awaitable[R]]) -> R:
        """Answer a call; an error becomes its status."""
        call.traceparent = traceparent(context.invocation_metadata())
        outcome = await self.outcome(call, work)
        if isinstance(outcome, AdvisorError):
            trailers = (*outcome.trailers(), (REQUEST_ID_KEY, call.request_id))
            await context.abort(outcome.status, outcome.message, trailers)
        return outcome

    async def outcome(self, call: Call, work: Callable[[], Awaitable[R]]) -> R | AdvisorError:
        """Do what a call asks for, or find out why not: admission, bookkeeping, and where errors are caught."""
        self._in_flight[call.rpc] += 1
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
        self._in_flight[call.rpc] -= 1
        call.parts["total"] = time.monotonic() - call.begun
        self._log_end(call, code)
        if self._tracing is not None:
            self._tracing.end(call, code)
        self._metrics.afterwards.leave(partial(self._count, call, code))

    def _count(self, call: Call, code: grpc.StatusCode) -> None:
        self._metrics.requests.labels(call.rpc, call.game, code.name).inc()
        if call.kept:
            self._metrics.kept.labels(call.rpc, call.kept).inc()
        for part, seconds in tuple(call.parts.items()):
            self._metrics.seconds.labels(call.rpc, call.game, call.algorithm, part).observe(seconds)

    def _log_end(self, call: Call, code: grpc.StatusCode) -> None:
        """Write the line of a call that has ended: for every one with "debug", else for those that call for a look."""
        waited = call.parts["total"] - call.parts.get("searched", 0.0) + call.parts.get("paused", 0.0)
        slow = waited > self._settings.slow_seconds and code is grpc.StatusCode.OK and call.rpc != BATCH_STREAM
        if not slow and call.failure is None and self._settings.log_level != "debug":
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
        most = self._settings.max_calls
        if sum(self._in_flight.values()) > most:
            self._metrics.rejected.labels(TOO_MANY_CALLS.lower()).inc()
            raise AdvisorError(
                TOO_MANY_CALLS,
                f"{most} calls are in flight already; try again later",
                retry_after=self._settings.retry_seconds,
            )

    def _note(self, call: Call, error: AdvisorError, caught: Exception) -> None:
        call.reason = error.reason
        if error.reason == INTERNAL:
            error.metadata["request_id"] = call.request_id
            call.failure = caught
        elif error.reason == CANCELLED:
            self._metrics.cancelled.labels(call.rpc).inc()

    async def refuse(self, rpc: str, context: Context, error: AdvisorError) -> NoReturn:
        """End a call whose request is not even read. `rpc` may be a full method name, of this service or another."""
        name = rpc.rpartition("/")[2]
        request_id = os.urandom(16).hex()
        self._metrics.requests.labels(name if name in RPCS else OTHER_RPC, NO_GAME, error.status.name).inc()
        self._log.debug("call refused", request_id=request_id, reason=error.reason)
        await context.abort(error.status, error.message, (*error.trailers(), (REQUEST_ID_KEY, request_id)))

    def deadline(self, context: Context) -> float | None:
        """Return when a call's search has to be over, on the clock of `time.monotonic`; None without a deadline."""
        remaining = context.time_remaining()
        if remaining is None or remaining > LONGEST_BUDGET:
            return None
        margin = self._settings.deadline_margin_seconds + rounded_up(remaining)
        return time.monotonic() + remaining - margin

    def close(self) -> None:
        """Count what is left to be counted, and send the last spans."""
        try:
            self._metrics.afterwards.settle()
        finally:
            if self._tracing is not None:
                self._tracing.close()
