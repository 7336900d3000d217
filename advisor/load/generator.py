"""The generator: sends calls when they are due, and enters what becomes of them.

One event loop on one thread, requests made beforehand, answers read only as far as the figures need them.
"""

import asyncio
import random
import secrets
import selectors
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
import grpc.aio
import uvloop

from advisor import garbage
from advisor.client_policy import SERVICE, bearer, read_error
from advisor.connection import Connection
from advisor.errors import TRANSPORT
from advisor.load.asked import Kind, Load, schedule, shares
from advisor.load.ledger import Ledger
from advisor.load.positions import Unseeded
from advisor.v1 import advisor_service_pb2

METHOD: Final = f"/{SERVICE}/Advise"
REST_SECONDS: Final = 0.1
"""How long a caller of a closed loop rests after a call that was not completed, unless the server says how long."""
LEAST_SECONDS: Final = 1e-3
"""A call that is sent later than its deadline is sent all the same, with so much left."""
DEADLINE_KEY: Final = "grpc-timeout"
"""The header in which gRPC tells a server the deadline."""
CHANNEL_OPTIONS: Final = (
    ("grpc.enable_retries", 0),  # each call is one attempt
    ("grpc.max_receive_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
)


PLAIN: Final = Connection()
"""Neither TLS nor a token."""


@dataclass
class Run:
    """What a run has brought: its ledger, when it started and its figures begin (on the ledger's clock), its cost."""

    ledger: Ledger = field(default_factory=Ledger)
    started: float = 0.0
    begun: float = 0.0
    offered_seconds: float = 0.0
    """From `begun` to when the last call was due."""
    cpu_seconds: float = 0.0
    """Processor time of the generator's process."""


def generate(
    address: str,
    requests: Sequence[Sequence[Unseeded]],
    kinds: Sequence[Kind],
    load: Load,
    how: Connection = PLAIN,
) -> Run:
    """Send calls to the server at `address` as `load` says, and wait for all outcomes.

    requests: for each class the request of each position. how: the server is reached. Raises
    `advisor.watched.UnusableFile` for the files that say so.
    """

    # uvloop and the default selector round waits up to whole milliseconds, which would make every call of an open loop
    # late. A closed one does not wait.
    def loop() -> asyncio.AbstractEventLoop:
        return uvloop.new_event_loop() if load.rate is None else asyncio.SelectorEventLoop(selectors.SelectSelector())

    with garbage.aside(), asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(_Generator(requests, kinds, load).run(address, how))


class _Generator:
    def __init__(self, requests: Sequence[Sequence[Unseeded]], kinds: Sequence[Kind], load: Load) -> None:
        self._requests = requests
        self._kinds = kinds
        self._load = load
        self._run = Run()
        self._ledger = self._run.ledger
        # Seeds that no run before has used: an answer that the server has kept is not what is measured.
        self._seeds = secrets.randbits(63)
        self._tasks: set[asyncio.Task[float]] = set()
        self._metadata: tuple[tuple[str, str], ...] = ()
        self._loop: asyncio.AbstractEventLoop
        self._stub: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]

    async def run(self, address: str, how: Connection) -> Run:
        self._loop = asyncio.get_running_loop()
        self._metadata = bearer(how.token())
        credentials = how.credentials()
        if credentials is None:
            made = grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS)
        else:
            made = grpc.aio.secure_channel(address, credentials, options=CHANNEL_OPTIONS)
        async with made as channel:
            # Bytes in, bytes out: messages are made before the run, and answers read once.
            self._stub = channel.unary_unary(METHOD)
            cpu = time.process_time()
            if self._load.rate is not None:
                await self._open_loop()
            else:
                await self._closed_loop()
            self._run.cpu_seconds = time.process_time() - cpu
        return self._run

    async def _open_loop(self) -> None:
        due, kinds = schedule(self._load, self._kinds)
        start = self._loop.time()
        self._run.started, self._run.begun = start, start + self._load.warm_up
        last = float(due[-1]) if len(due) else 0.0
        self._run.offered_seconds = last - self._load.warm_up if self._load.seconds is None else self._load.seconds
        for after, kind in zip(due.tolist(), kinds.tolist(), strict=True):
            wait = start + after - self._loop.time()
            # A late one does not wait, but lets answers in: asleep for nothing the loop still turns once.
            await asyncio.sleep(max(0.0, wait))
            self._begin(self._call(kind, start + after))
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _closed_loop(self) -> None:
        load = self._load
        rng = _Draws(shares(self._kinds).tolist(), load.seed)
        start = self._loop.time()
        self._run.started, self._run.begun = start, start + load.warm_up
        end = self._run.begun + load.seconds if load.seconds is not None else None
        made = 0  # after the warm-up

        async def caller() -> float:
            nonlocal made
            while True:
                now = self._loop.time()
                if end is not None and now >= end:
                    return 0.0
                if now >= self._run.begun:
                    if load.calls is not None and made >= load.calls:
                        return 0.0
                    made += 1
                rest = await self._call(rng.draw(), now)
                if rest > 0:
                    await asyncio.sleep(rest)

        for _ in range(load.concurrency):
            self._begin(caller())
        await asyncio.gather(*self._tasks)
        self._run.offered_seconds = self._loop.time() - self._run.begun

    def _begin(self, work: Coroutine[Any, Any, float]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call(self, number: int, due: float) -> float:
        """Make one call and enter its outcome; return the seconds to rest before another one."""
        kind = self._kinds[number]
        sent = self._loop.time()
        requests = self._requests[number]
        position = len(self._ledger) % len(requests)
        call = self._ledger.open(number, position, due, sent)
        request = requests[position].seeded(self._seeds + call)
        lost_at = due + self._load.patience(kind)
        attempt = 0
        while True:
            attempt += 1
            left = None if kind.deadline is None else due + kind.deadline - self._loop.time()
            answer = await self._attempt(request, left, lost_at)
            now = self._loop.time()
            if answer is None:
                self._ledger.lose(call, now, attempt)
                return REST_SECONDS
            if isinstance(answer, bytes):
                read = advisor_service_pb2.AdviseResponse.FromString(answer)
                timing = read.timing
                self._ledger.complete(
                    call,
                    now,
                    read.moves[0].move.notation if read.moves else "",
                    read.simulations,
                    read.depth.mean_decisions,
                    timing.queued_ms,
                    timing.searched_ms,
                    timing.cached,
                    attempt,
                )
                return 0.0
            error = read_error(answer)
            reason = error.status.name if error.reason == TRANSPORT else error.reason
            if error.status is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                self._ledger.fail(call, now, reason, attempt)
                return REST_SECONDS
            rest = REST_SECONDS if error.retry_after is None else error.retry_after
            again_at = now + rest
            in_time = kind.deadline is None or again_at < due + kind.deadline
            if attempt >= self._load.attempts or error.retry_after is None or not in_time or again_at >= lost_at:
                self._ledger.reject(call, now, reason, error.retry_after, attempt)
                return rest
            await asyncio.sleep(rest)

    async def _attempt(self, request: bytes, left: float | None, lost_at: float) -> bytes | grpc.aio.AioRpcError | None:
        """Send a request; return the answer or the error, None when neither has come at `lost_at`.

        left: seconds to the deadline, None without one. The server is told of the deadline in gRPC's own header, but
        this side listens on: gRPC would report a call that the server has forgotten and one that it refused at the
        last moment as the same error, and end both at the deadline.
        """
        metadata = self._metadata if left is None else (*self._metadata, (DEADLINE_KEY, deadline_text(left)))
        call = self._stub(request, metadata=metadata)
        gave_up = False

        def give_up() -> None:
            nonlocal gave_up
            gave_up = True
            call.cancel()

        timer = self._loop.call_at(lost_at, give_up)
        try:
            answer: bytes = await call
            return answer
        except grpc.aio.AioRpcError as error:
            return error
        except asyncio.CancelledError:
            if not gave_up:
                raise
            return None
        finally:
            timer.cancel()


class _Draws:
    """Draws classes by their shares. One at a time numpy is slower than this."""

    def __init__(self, shares_of: list[float], seed: int) -> None:
        self._rng = random.Random(seed)
        self._kinds = range(len(shares_of))
        self._shares = shares_of

    def draw(self) -> int:
        return 0 if len(self._kinds) == 1 else self._rng.choices(self._kinds, self._shares)[0]


def deadline_text(seconds: float) -> str:
    """Return a deadline as gRPC's header has it: at most eight digits and a unit. It never gives more than is left."""
    seconds = max(LEAST_SECONDS, seconds)
    if seconds < 99:
        return f"{int(seconds * 1e6)}u"
    return f"{int(seconds * 1e3)}m" if seconds < 99_000 else f"{min(int(seconds), 99_999_999)}S"
