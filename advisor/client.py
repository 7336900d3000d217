"""A client of the service for Python programs: `Client`, and `AsyncClient` for asyncio.

Thin over the generated messages: a method for each RPC, request message in, response message out. What it adds:
a deadline on every call, retries (`Retry`), and one exception, `AdvisorError`, with

- `status`: the `grpc.StatusCode`;
- `reason`: stable, for programs to branch on ("INVALID_REQUEST", "QUEUE_FULL" ...; docs/api.md has them all), and
  "TRANSPORT" where gRPC itself failed;
- `message`: a sentence for people;
- `violations`: of an invalid request every fault, with `path` ("limits.simulations") and `message`;
- `retry_after`: seconds after which it makes sense to try again, or None;
- `metadata`: short facts, such as the catalogues held.

Errors of single questions of a batch come as messages; `read_failure` makes the same exception of one.

Deadlines: a call that does not search gets `timeout` (30 s). A search with a time limit gets that and `timeout` on
top; one without gets `search_timeout` (630 s). A stream gets `search_timeout` more, so that who reads late still finds
the final answer. A search whose deadline comes first is answered with what it has by
then, so a deadline is a budget as well. A batch has no deadline unless it is given one, since it may go on for as long
as there are questions; each of these can have its own. Every method takes a `timeout` of its own, in seconds;
`math.inf` is none.
"""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar

import grpc
import grpc.aio
from google.protobuf.message import Message

from advisor.client_policy import SEARCH_TIMEOUT_SECONDS, TIMEOUT_SECONDS, Retry, Timeouts, bearer, left, read_error
from advisor.client_trace import with_trace
from advisor.errors import CANCELLED, TRANSPORT, AdvisorError
from advisor.failures import read_failure
from advisor.v1 import advisor_service_pb2, advisor_service_pb2_grpc
from ext.errors import Violation

__all__ = [
    "AdvisorError",
    "AsyncBatch",
    "AsyncClient",
    "AsyncWatch",
    "Batch",
    "Client",
    "Retry",
    "Violation",
    "Watch",
    "read_failure",
]

Q = TypeVar("Q", bound=Message)
R = TypeVar("R", bound=Message)
A = TypeVar("A", bound=Message, covariant=True)
Option = tuple[str, Any]
AsyncStream: TypeAlias = (
    "grpc.aio.UnaryStreamCall[advisor_service_pb2.WatchAdviceRequest, advisor_service_pb2.WatchAdviceResponse]"
)
AsyncBatchStream: TypeAlias = (
    "grpc.aio.StreamStreamCall[advisor_service_pb2.AdviseBatchRequest, advisor_service_pb2.AdviseBatchResponse]"
)

_OPTIONS: Final[Sequence[Option]] = [("grpc.max_receive_message_length", -1)]


class Stream(Protocol[A]):
    """What gRPC makes of a streaming call."""

    def __next__(self) -> A:
        """Wait for the next response."""

    def cancel(self) -> object:
        """End the call."""


class Client:
    """A client of the server at "HOST:PORT". Connects with the first call; any number of threads may share it.

    timeout, search_timeout: deadlines in seconds, see above. retry: when calls are tried again. credentials: for TLS;
    plain text without. token: for a server that wants one; it goes with every call, so not over plain text but on a
    network that is trusted. options: more options for the gRPC channel.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        search_timeout: float = SEARCH_TIMEOUT_SECONDS,
        retry: Retry | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        options: Sequence[Option] = (),
    ) -> None:
        self._timeouts = Timeouts(timeout, search_timeout)
        self._retry = Retry() if retry is None else retry
        self._metadata = bearer(token)
        given = [*_OPTIONS, *self._retry.channel_options(), *options]
        if credentials is None:
            self._channel = grpc.insecure_channel(address, options=given)
        else:
            self._channel = grpc.secure_channel(address, credentials, options=given)
        self._stub = advisor_service_pb2_grpc.AdvisorServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; calls that still run end with CANCELLED."""
        self._channel.close()

    def list_games(
        self, request: advisor_service_pb2.ListGamesRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ListGamesResponse:
        """Return the games, variants and catalogues that the server holds."""
        return self._call(self._stub.ListGames, request, timeout, self._timeouts.plain)

    def get_game(
        self, request: advisor_service_pb2.GetGameRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.GetGameResponse:
        """Return one game with its rule options and a catalogue in full."""
        return self._call(self._stub.GetGame, request, timeout, self._timeouts.plain)

    def new_position(
        self, request: advisor_service_pb2.NewPositionRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game; return the referee's position."""
        return self._call(self._stub.NewPosition, request, timeout, self._timeouts.plain)

    def observe(
        self, request: advisor_service_pb2.ObserveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ObserveResponse:
        """Return a position as one seat sees it."""
        return self._call(self._stub.Observe, request, timeout, self._timeouts.plain)

    def list_moves(
        self, request: advisor_service_pb2.ListMovesRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ListMovesResponse:
        """Return the legal moves of a seat that owes a decision."""
        return self._call(self._stub.ListMoves, request, timeout, self._timeouts.plain)

    def apply_move(
        self, request: advisor_service_pb2.ApplyMoveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, or take up what an observer has seen; return the next position and the events."""
        return self._call(self._stub.ApplyMove, request, timeout, self._timeouts.plain)

    def advise(
        self, request: advisor_service_pb2.AdviseRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat that owes a decision."""
        return self._call(self._stub.Advise, request, timeout, self._timeouts.advise(request))

    def choose_move(
        self, request: advisor_service_pb2.ChooseMoveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """Return the move that the computer opponent plays."""
        return self._call(self._stub.ChooseMove, request, timeout, self._timeouts.choose(request))

    def watch(self, request: advisor_service_pb2.WatchAdviceRequest, *, timeout: float | None = None) -> "Watch":
        """Rank the moves of a seat; iterate over interim rankings, of which the last is `final`."""
        seconds = self._timeouts.watch(request.advise) if timeout is None else timeout

        def start(seconds_left: float | None) -> Stream[advisor_service_pb2.WatchAdviceResponse]:
            return self._stub.WatchAdvice(request, timeout=seconds_left, metadata=with_trace(self._metadata))

        return Watch(start, self._retry, time.monotonic() + seconds)

    def batch(
        self, requests: Iterable[advisor_service_pb2.AdviseBatchRequest], *, timeout: float = math.inf
    ) -> "Batch":
        """Ask many questions over one stream; iterate over the answers, one for each id, as they are found.

        `requests` is iterated on a thread of its own, no faster than the server takes them; the stream ends when it has
        ended and all is answered. To ask again, or to cancel, while answers come, let it wait for what comes next (a
        generator that reads a queue).
        """
        return Batch(
            self._stub.AdviseBatch(
                iter(requests), timeout=left(time.monotonic() + timeout), metadata=with_trace(self._metadata)
            )
        )

    def _call(
        self, method: "grpc.UnaryUnaryMultiCallable[Q, R]", request: Q, timeout: float | None, default: float
    ) -> R:
        end = time.monotonic() + (default if timeout is None else timeout)
        attempt = 1
        while True:
            try:
                return method(request, timeout=left(end), metadata=with_trace(self._metadata))
            except grpc.RpcError as caught:
                error = read_error(caught)
                wait = self._retry.wait(error, attempt, end)
                if wait is None:
                    raise error from caught
            time.sleep(wait)
            attempt += 1


class Watch(Iterator[advisor_service_pb2.WatchAdviceResponse]):
    """The answers of one WatchAdvice call: interim ones, then the final one. Made by `Client.watch`.

    Raises `AdvisorError` while iterating. Whoever stops before the end calls `cancel`, or uses it as a context manager.
    Only a call that has not answered yet is tried again.
    """

    def __init__(
        self,
        start: Callable[[float | None], Stream[advisor_service_pb2.WatchAdviceResponse]],
        retry: Retry,
        end: float,
    ) -> None:
        self._start = start
        self._retry = retry
        self._end = end
        self._attempt = 1
        self._answered = False
        self._done = False
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._call = start(left(end))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> advisor_service_pb2.WatchAdviceResponse:
        while not self._done:
            try:
                response = next(self._call)
            except StopIteration:
                self._done = True
                raise _unfinished() from None
            except grpc.RpcError as caught:
                self._again(caught)
                continue
            self._answered = True
            if response.final:
                self._done = True
                with contextlib.suppress(grpc.RpcError):
                    next(self._call, None)  # takes up the end of the call, which would count as cancelled else
            return response
        raise StopIteration

    def cancel(self) -> None:
        """End the search, from any thread; who still iterates gets CANCELLED. Does nothing after the final answer."""
        with self._lock:
            self._cancelled.set()
            self._call.cancel()

    def _again(self, caught: grpc.RpcError) -> None:
        error = read_error(caught)
        wait = None if self._answered else self._retry.wait(error, self._attempt, self._end)
        if wait is None or self._cancelled.wait(wait):
            self._done = True
            raise error from caught
        with self._lock:
            self._call = self._start(left(self._end))
            if self._cancelled.is_set():
                self._call.cancel()
        self._attempt += 1


class Batch(Iterator[advisor_service_pb2.AdviseBatchResponse]):
    """The answers of one AdviseBatch call, in the order in which they are found. Made by `Client.batch`.

    Raises `AdvisorError` while iterating when the stream as a whole fails: what is not answered by then may be asked
    again. Whoever stops before the end calls `cancel`, or uses it as a context manager.
    """

    def __init__(self, call: Stream[advisor_service_pb2.AdviseBatchResponse]) -> None:
        self._call = call

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> advisor_service_pb2.AdviseBatchResponse:
        try:
            return next(self._call)
        except grpc.RpcError as caught:
            raise read_error(caught) from caught

    def cancel(self) -> None:
        """End all searches, from any thread; who still iterates gets CANCELLED. Does nothing after the end."""
        self._call.cancel()


class AsyncClient:
    """The same for asyncio; made and used inside a running event loop. Cancelling a task ends its call on the server.

    The arguments are those of `Client`.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        search_timeout: float = SEARCH_TIMEOUT_SECONDS,
        retry: Retry | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        options: Sequence[Option] = (),
    ) -> None:
        self._timeouts = Timeouts(timeout, search_timeout)
        self._retry = Retry() if retry is None else retry
        self._metadata = bearer(token)
        given = [*_OPTIONS, *self._retry.channel_options(), *options]
        if credentials is None:
            self._channel = grpc.aio.insecure_channel(address, options=given)
        else:
            self._channel = grpc.aio.secure_channel(address, credentials, options=given)
        self._stub = advisor_service_pb2_grpc.AdvisorServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; calls that still run are cancelled."""
        await self._channel.close()

    async def list_games(
        self, request: advisor_service_pb2.ListGamesRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ListGamesResponse:
        """Return the games, variants and catalogues that the server holds."""
        return await self._call(self._stub.ListGames, request, timeout, self._timeouts.plain)

    async def get_game(
        self, request: advisor_service_pb2.GetGameRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.GetGameResponse:
        """Return one game with its rule options and a catalogue in full."""
        return await self._call(self._stub.GetGame, request, timeout, self._timeouts.plain)

    async def new_position(
        self, request: advisor_service_pb2.NewPositionRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.NewPositionResponse:
        """Set up a game; return the referee's position."""
        return await self._call(self._stub.NewPosition, request, timeout, self._timeouts.plain)

    async def observe(
        self, request: advisor_service_pb2.ObserveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ObserveResponse:
        """Return a position as one seat sees it."""
        return await self._call(self._stub.Observe, request, timeout, self._timeouts.plain)

    async def list_moves(
        self, request: advisor_service_pb2.ListMovesRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ListMovesResponse:
        """Return the legal moves of a seat that owes a decision."""
        return await self._call(self._stub.ListMoves, request, timeout, self._timeouts.plain)

    async def apply_move(
        self, request: advisor_service_pb2.ApplyMoveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ApplyMoveResponse:
        """Play a move, or take up what an observer has seen; return the next position and the events."""
        return await self._call(self._stub.ApplyMove, request, timeout, self._timeouts.plain)

    async def advise(
        self, request: advisor_service_pb2.AdviseRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.AdviseResponse:
        """Rank the moves of a seat that owes a decision."""
        return await self._call(self._stub.Advise, request, timeout, self._timeouts.advise(request))

    async def choose_move(
        self, request: advisor_service_pb2.ChooseMoveRequest, *, timeout: float | None = None
    ) -> advisor_service_pb2.ChooseMoveResponse:
        """Return the move that the computer opponent plays."""
        return await self._call(self._stub.ChooseMove, request, timeout, self._timeouts.choose(request))

    def watch(self, request: advisor_service_pb2.WatchAdviceRequest, *, timeout: float | None = None) -> "AsyncWatch":
        """Rank the moves of a seat; iterate over interim rankings, of which the last is `final`."""
        seconds = self._timeouts.watch(request.advise) if timeout is None else timeout

        def start(seconds_left: float | None) -> AsyncStream:
            return self._stub.WatchAdvice(request, timeout=seconds_left, metadata=with_trace(self._metadata))

        return AsyncWatch(start, self._retry, time.monotonic() + seconds)

    def batch(
        self,
        requests: AsyncIterable[advisor_service_pb2.AdviseBatchRequest]
        | Iterable[advisor_service_pb2.AdviseBatchRequest],
        *,
        timeout: float = math.inf,
    ) -> "AsyncBatch":
        """Ask many questions over one stream; iterate over the answers, one for each id, as they are found.

        `requests` is iterated no faster than the server takes them; the stream ends when it has ended and all is
        answered. To ask again, or to cancel, while answers come, let it wait for what comes next.
        """
        asked = aiter(requests) if isinstance(requests, AsyncIterable) else iter(requests)
        return AsyncBatch(
            self._stub.AdviseBatch(asked, timeout=left(time.monotonic() + timeout), metadata=with_trace(self._metadata))
        )

    async def _call(
        self, method: "grpc.aio.UnaryUnaryMultiCallable[Q, R]", request: Q, timeout: float | None, default: float
    ) -> R:
        end = time.monotonic() + (default if timeout is None else timeout)
        attempt = 1
        while True:
            try:
                return await method(request, timeout=left(end), metadata=with_trace(self._metadata))
            except grpc.RpcError as caught:
                error = read_error(caught)
                wait = self._retry.wait(error, attempt, end)
                if wait is None:
                    raise error from caught
            await asyncio.sleep(wait)
            attempt += 1


class AsyncWatch(AsyncIterator[advisor_service_pb2.WatchAdviceResponse]):
    """The answers of one WatchAdvice call: interim ones, then the final one. Made by `AsyncClient.watch`.

    Raises `AdvisorError` while iterating. Whoever stops before the end calls `cancel`, or uses it as a context manager.
    Only a call that has not answered yet is tried again.
    """

    def __init__(self, start: Callable[[float | None], AsyncStream], retry: Retry, end: float) -> None:
        self._start = start
        self._retry = retry
        self._end = end
        self._attempt = 1
        self._answered = False
        self._done = False
        self._cancelled = False
        self._call = start(left(end))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> advisor_service_pb2.WatchAdviceResponse:
        while not self._done:
            try:
                response = await self._call.read()
            except grpc.RpcError as caught:
                await self._again(caught)
                continue
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if not self._cancelled or (task is not None and task.cancelling()):
                    raise
                self._done = True
                raise AdvisorError(CANCELLED, "the caller cancelled") from None
            if response is grpc.aio.EOF:
                self._done = True
                raise _unfinished()
            assert isinstance(response, advisor_service_pb2.WatchAdviceResponse)
            self._answered = True
            if response.final:
                self._done = True
                with contextlib.suppress(grpc.RpcError):
                    await self._call.read()  # takes up the end of the call, which would count as cancelled else
            return response
        raise StopAsyncIteration

    def cancel(self) -> None:
        """End the search; who still iterates gets CANCELLED. Does nothing after the final answer."""
        self._cancelled = True
        self._call.cancel()

    async def _again(self, caught: grpc.RpcError) -> None:
        error = read_error(caught)
        wait = None if self._answered else self._retry.wait(error, self._attempt, self._end)
        if wait is None:
            self._done = True
            raise error from caught
        await asyncio.sleep(wait)
        if self._cancelled:
            self._done = True
            raise error from caught
        self._call = self._start(left(self._end))
        self._attempt += 1


class AsyncBatch(AsyncIterator[advisor_service_pb2.AdviseBatchResponse]):
    """The answers of one AdviseBatch call, in the order in which they are found. Made by `AsyncClient.batch`.

    Raises `AdvisorError` while iterating when the stream as a whole fails: what is not answered by then may be asked
    again. Whoever stops before the end calls `cancel`, or uses it as a context manager.
    """

    def __init__(self, call: AsyncBatchStream) -> None:
        self._call = call
        self._cancelled = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> advisor_service_pb2.AdviseBatchResponse:
        try:
            response = await self._call.read()
        except grpc.RpcError as caught:
            raise read_error(caught) from caught
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._cancelled or (task is not None and task.cancelling()):
                raise
            raise AdvisorError(CANCELLED, "the caller cancelled") from None
        if response is grpc.aio.EOF:
            raise StopAsyncIteration
        assert isinstance(response, advisor_service_pb2.AdviseBatchResponse)
        return response

    def cancel(self) -> None:
        """End all searches; who still iterates gets CANCELLED. Does nothing after the end."""
        self._cancelled = True
        self._call.cancel()


def _unfinished() -> AdvisorError:
    return AdvisorError(TRANSPORT, "the stream ended without a final answer", status=grpc.StatusCode.INTERNAL)
