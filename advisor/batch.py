"""The stream of AdviseBatch: many questions at a time, each under an id of the client's, and one answer for each.

Nothing here knows how a question is answered. A question is a task that finds its answer and one that delivers it; a
stream that ends for whatever reason takes both along, and with them the searches.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc.aio

from advisor.errors import CANCELLED, AdvisorError, invalid, quote
from advisor.failures import write_failure
from advisor.v1 import advisor_service_pb2
from ext.errors import Violation

MAX_ID_BYTES: Final = 64

Ask = Callable[[advisor_service_pb2.AdviseBatchRequest, float], Awaitable[advisor_service_pb2.AdviseBatchResponse]]
"""Answers a question, which has arrived at that `time.monotonic()` value; what goes wrong is an answer, too."""
Write = Callable[[advisor_service_pb2.AdviseBatchResponse], Awaitable[None]]
"""Hands an answer to the transport; waits while that has no room."""


class Batch:
    """One stream.

    An id is open from its question to the moment when its answer goes out. `window` questions are worked on at a time;
    one more is read, so that a cancel gets through while the window is just full, and waits for its turn. Then the
    stream is not read until an answer has gone out, so a client that does not read costs no more than that.
    """

    def __init__(self, ask: Ask, write: Write, window: int, draining: asyncio.Event) -> None:
        """`draining` is set when the server is to end: what is open is answered, then the stream ends, too."""
        self._ask = ask
        self._write = write
        self._window = window
        self._draining = draining
        self._room = asyncio.Semaphore(window)
        self._writing = asyncio.Lock()
        self._open: dict[str, asyncio.Task[advisor_service_pb2.AdviseBatchResponse]] = {}
        self._deliveries: set[asyncio.Task[None]] = set()

    async def run(self, requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest]) -> bool:
        """Answer what is asked; return whether the client has ended the stream, and not the server's own end.

        Raises `AdvisorError` at a request that does not belong here; what is open then is given up.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(self._read(requests, tasks))
                draining = tasks.create_task(self._draining.wait())
                await asyncio.wait((reading, draining), return_when=asyncio.FIRST_COMPLETED)
                while self._deliveries:
                    await asyncio.wait(self._deliveries)
                ended = reading.done()
                reading.cancel()
                draining.cancel()
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return ended

    async def _read(
        self, requests: AsyncIterator[advisor_service_pb2.AdviseBatchRequest], tasks: asyncio.TaskGroup
    ) -> None:
        async for request in requests:
            arrived = time.monotonic()
            self._check(request)
            if request.HasField("cancel"):
                if request.id in self._open:
                    self._open[request.id].cancel()
                continue
            answer = tasks.create_task(self._find(request, arrived))
            self._open[request.id] = answer
            delivery = tasks.create_task(self._deliver(request.id, answer))
            self._deliveries.add(delivery)
            delivery.add_done_callback(self._deliveries.discard)
            while len(self._deliveries) > self._window:
                await asyncio.wait(self._deliveries, return_when=asyncio.FIRST_COMPLETED)

    def _check(self, request: advisor_service_pb2.AdviseBatchRequest) -> None:
        """Raise for what cannot be told of in an answer, since it is not clear to what."""
        faults = []
        if not 1 <= len(request.id.encode()) <= MAX_ID_BYTES:
            faults.append(Violation("id", f"expected 1 to {MAX_ID_BYTES} bytes, not {len(request.id.encode())}"))
        if request.WhichOneof("action") is None:
            faults.append(Violation("advise", "is required, or choose, or cancel"))
        elif request.id in self._open and not request.HasField("cancel"):
            faults.append(
                Violation("id", f"{quote(request.id)} is open already; until it is answered only cancel fits")
            )
        if faults:
            raise invalid(faults)

    async def _find(
        self, request: advisor_service_pb2.AdviseBatchRequest, arrived: float
    ) -> advisor_service_pb2.AdviseBatchResponse:
        async with self._room:
            return await self._ask(request, arrived)

    async def _deliver(self, name: str, answer: "asyncio.Task[advisor_service_pb2.AdviseBatchResponse]") -> None:
        try:
            response = await answer
        except asyncio.CancelledError:
            if _cancelling():  # the stream ends
                raise
            error = AdvisorError(CANCELLED, "the caller cancelled")
            response = advisor_service_pb2.AdviseBatchResponse(id=name, failure=write_failure(error))
        async with self._writing:
            # From now on the client may have the answer, and use the id again.
            del self._open[name]
            with contextlib.suppress(grpc.aio.BaseError):  # the client has gone; gRPC ends the call
                await _whole(self._write(response))


async def _whole(work: Awaitable[None]) -> None:
    """Wait for a write to its end, and only then be cancelled.

    gRPC does not know that a write which was given up midway has begun the answer: it begins it again when the call is
    to end with an error, which the call's core refuses, and the client would wait for the status until its deadline.
    """
    write = asyncio.ensure_future(work)
    try:
        await asyncio.shield(write)
    except asyncio.CancelledError:
        await asyncio.wait((write,))
        if not write.cancelled():
            write.exception()  # is of no interest any more
        raise


def _cancelling() -> bool:
    """Whether it is this task that was cancelled, and not one that it waits for."""
    task: asyncio.Task[Any] | None = asyncio.current_task()
    return task is not None and task.cancelling() > 0
