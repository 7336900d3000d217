"""Callers of every temper: they ask, wait, leave, hurry, hang up and talk nonsense. What they hear has to be right."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
import grpc.aio
from fuzz.engines import mutators_by_game
from fuzz.seeds import requests, setups
from fuzz.sockets import BAD, PREFACE, call_headers, frame
from fuzz.target import SERVICE, cells
from google.protobuf import message_factory
from google.protobuf.message import Message

from advisor.errors import STATUS_OF_NUMBER
from advisor.v1 import advisor_service_pb2 as pb
from soak import questions
from soak.answers import faults_of, same_bytes, watched_faults

PATIENCE: Final = 60.0
"""Seconds within which every call that is not given less must have come to an end."""
BATCH: Final = "AdviseBatch"
REFUSED: Final = grpc.StatusCode.RESOURCE_EXHAUSTED
CANCELLED, DEADLINE = grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED
CHANNELS: Final = 4
MOST_FAULTS: Final = 20
"""After so many there is nothing more to learn."""


class Wrong(Exception):
    """An answer, or an end of a call, that is not right."""


class Callers:
    """All callers of one server and what they have seen. Everything runs on one event loop."""

    def __init__(self, host: str, port: int, seed: int) -> None:
        self.outcomes: Counter[tuple[str, str]] = Counter()
        """Ends of calls, by RPC and status."""
        self.begun: Counter[str] = Counter()
        """Calls that were begun, by RPC."""
        self.left: Counter[str] = Counter()
        """Calls of which nobody heard the end, by RPC: the connection was cut."""
        self.visits: Counter[str] = Counter()
        self.faults: list[str] = []
        self._host, self._port = host, port
        self._rng = random.Random(seed)
        self._questions = questions.questions()
        self._places = questions.places()
        self._cells = [cell for cell in cells(method.name for method in SERVICE.methods) if cell in requests()]
        self._mutators = mutators_by_game()
        self._channels: list[grpc.aio.Channel] = []
        self._end = 0.0

    async def run(self, seconds: float, tasks: int) -> None:
        """Call for so long, so many calls at a time."""
        self._end = time.monotonic() + seconds
        self._channels = [self._connect() for _ in range(CHANNELS)]
        try:
            await asyncio.gather(*(self._visit_again() for _ in range(tasks)))
        finally:
            for channel in self._channels:
                await channel.close()

    def _connect(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(f"{self._host}:{self._port}", options=[("grpc.use_local_subchannel_pool", 1)])

    async def _visit_again(self) -> None:
        kinds: list[tuple[Callable[[], Awaitable[None]], float]] = [
            (self._ask_known, 40),
            (self._ask_timed, 14),
            (self._ask_many, 4),
            (self._play, 10),
            (self._cancel, 12),
            (self._hurry, 9),
            (self._hang_up, 3),
            (self._talk_nonsense, 12),
        ]
        visits, weights = [visit for visit, _ in kinds], [weight for _, weight in kinds]
        while time.monotonic() < self._end and len(self.faults) < MOST_FAULTS:
            (visit,) = self._rng.choices(visits, weights)
            name = visit.__name__.strip("_")
            try:
                await asyncio.wait_for(visit(), 2 * PATIENCE)
            except Wrong as error:
                self.faults.append(f"{name}: {error}")
            except TimeoutError:
                self.faults.append(f"{name}: has not come to an end")
            self.visits[name] += 1

    # Calls.

    async def _call(
        self, rpc: str, *requests: Message | bytes, timeout: float = PATIENCE, leave_after: float | None = None
    ) -> tuple[grpc.StatusCode, list[Any]]:
        """Make a call and wait for its end, or cancel it: its status and its answers. Counts it.

        Several requests are for a stream alone, which is counted apart from what is asked in it.
        """
        method = SERVICE.methods_by_name[rpc]
        channel = self._rng.choice(self._channels)
        data = [one if isinstance(one, bytes) else one.SerializeToString() for one in requests]
        read = message_factory.GetMessageClass(method.output_type).FromString
        counted = f"{rpc}Stream" if method.client_streaming else rpc
        self.begun[counted] += 1
        path = f"/{SERVICE.full_name}/{rpc}"
        kind: Any
        if method.client_streaming:
            kind = channel.stream_stream
        else:
            kind = channel.unary_stream if method.server_streaming else channel.unary_unary
        sent = iter(data) if method.client_streaming else data[0]
        call = kind(path, response_deserializer=read)(sent, timeout=timeout)
        if leave_after is not None:
            asyncio.get_running_loop().call_later(leave_after, call.cancel)
        answers = []
        try:
            if method.server_streaming:
                async for answer in call:
                    answers.append(answer)
            else:
                answers = [await call]
            code = await call.code()
        except grpc.aio.AioRpcError as error:
            code = error.code()
        except asyncio.CancelledError:
            if not call.cancelled():
                raise
            code = CANCELLED
        self.outcomes[counted, code.name] += 1
        if code in BAD:
            raise Wrong(f"{rpc} ended with {code.name}")
        if code is REFUSED:
            await asyncio.sleep(0.05)  # The server has too much to do, and said so at once.
        return code, answers

    def _expect(self, rpc: str, code: grpc.StatusCode, *allowed: grpc.StatusCode) -> bool:
        """Whether the call was answered; raises `Wrong` when it ended otherwise, but for those allowed."""
        if code is not grpc.StatusCode.OK and code not in (*allowed, REFUSED):
            raise Wrong(f"{rpc} ended with {code.name}")
        return code is grpc.StatusCode.OK

    # Visits.

    async def _ask_known(self) -> None:
        """A question whose answer is known."""
        question = self._rng.choice(self._questions)
        code, answers = await self._call(question.rpc, question.request)
        if not self._expect(question.rpc, code):
            return
        if question.rpc == "WatchAdvice":
            if [answer.final for answer in answers] != [False] * (len(answers) - 1) + [True]:
                raise Wrong("WatchAdvice: not exactly one final answer, at the end")
            answers = [answers[-1].advice]
        if same_bytes(answers[0]) != question.answer:
            raise Wrong(f"{question.rpc} of {question.game} has another answer than the same service in this process")

    async def _ask_many(self) -> None:
        """A batch of known questions, some of which are taken back: one answer for each."""
        known = [one for one in self._questions if isinstance(one.request, pb.AdviseRequest | pb.ChooseMoveRequest)]
        asked = {f"{number}": question for number, question in enumerate(self._rng.choices(known, k=8))}
        lines, taken_back = [], set()
        for name, question in asked.items():
            request = pb.AdviseBatchRequest(id=name)
            part: Any = request.advise if question.rpc == "Advise" else request.choose
            part.CopyFrom(question.request)
            lines.append(request)
            if self._rng.random() < 0.2:
                taken_back.add(name)
                lines.append(pb.AdviseBatchRequest(id=name, cancel=pb.BatchCancel()))
        self.begun[BATCH] += len(asked)
        code, answers = await self._call(BATCH, *lines)
        if not self._expect(BATCH, code):
            self.left[BATCH] += len(asked)  # nobody knows what has become of them
            return
        if sorted(answer.id for answer in answers) != sorted(asked):
            raise Wrong(f"AdviseBatch of {len(asked)} questions has answers to {sorted(a.id for a in answers)}")
        for answer in answers:
            question, outcome = asked[answer.id], answer.WhichOneof("outcome")
            if outcome == "failure":
                status = STATUS_OF_NUMBER[answer.failure.code]
                self.outcomes[BATCH, status.name] += 1
                if status is not REFUSED and not (status is CANCELLED and answer.id in taken_back):
                    raise Wrong(f"a question of AdviseBatch has failed with {status.name}")
                continue
            self.outcomes[BATCH, "OK"] += 1
            if same_bytes(getattr(answer, outcome or "")) != question.answer:
                raise Wrong(f"AdviseBatch has another answer about {question.game} than the same service here")

    async def _ask_timed(self) -> None:
        """As good an answer as there is time for, whatever the seed."""
        game = self._rng.choice(list(self._places))
        place = self._rng.choice(self._places[game])
        advise = pb.AdviseRequest(position=place.position, seat=place.seat)
        advise.limits.time.FromMilliseconds(self._rng.choice((5, 20, 80)))
        advise.limits.memory_bytes = questions.MEMORY
        advise.options.seed = self._rng.getrandbits(63)
        advise.options.trees = self._rng.choice((1, 1, 2))
        advise.options.max_moves = self._rng.choice((1, 10, 1000))
        seats = place.position.seats
        if self._rng.random() < 0.5:
            code, answers = await self._call("Advise", advise)
            faults = faults_of(answers[0], place.legal, seats) if self._expect("Advise", code) else []
        else:
            watch = pb.WatchAdviceRequest(advise=advise)
            watch.interval.FromMilliseconds(20)
            code, answers = await self._call("WatchAdvice", watch)
            faults = watched_faults(answers, place.legal, seats) if self._expect("WatchAdvice", code) else []
        if faults:
            raise Wrong(f"advice in {game}: {'; '.join(faults[:3])}")

    async def _play(self) -> None:
        """Some decisions of a new game by the computer opponent, each held to the rules in this process."""
        own = questions.service()
        request = pb.NewPositionRequest()
        request.CopyFrom(self._rng.choice(list(setups().values())))
        request.seed = self._rng.getrandbits(63)
        code, answers = await self._call("NewPosition", request)
        if not self._expect("NewPosition", code):
            return
        at = answers[0]
        if at != own.new_position(request):
            raise Wrong(f"NewPosition of {request.game} has dealt otherwise")
        for _ in range(4):
            if at.status.over:
                return
            seat = self._rng.choice(at.status.pending)
            asked = pb.ListMovesRequest(position=at.position, seat=seat)
            legal = own.list_moves(asked)
            code, answers = await self._call("ListMoves", asked)
            if self._expect("ListMoves", code) and answers[0] != legal:
                raise Wrong(f"ListMoves of {request.game} lists other moves")
            choose = pb.ChooseMoveRequest(position=at.position, seat=seat, level=self._rng.choice((1, 3, 6)))
            choose.seed = self._rng.getrandbits(63)
            code, answers = await self._call("ChooseMove", choose)
            if not self._expect("ChooseMove", code):
                return
            move = answers[0].moves[0]
            if move not in legal.moves:
                raise Wrong(f"ChooseMove of {request.game} plays {move.notation}, which is not legal")
            apply = pb.ApplyMoveRequest(position=at.position, seat=seat, move=move, seed=request.seed)
            code, answers = await self._call("ApplyMove", apply)
            if not self._expect("ApplyMove", code):
                return
            at = answers[0]
            if at != own.apply_move(apply):
                raise Wrong(f"ApplyMove of {request.game} leads elsewhere")

    def _long(self) -> tuple[str, Message]:
        """A search of five seconds, by one of the RPCs that search."""
        place = self._rng.choice(self._places[self._rng.choice(list(self._places))])
        advise = pb.AdviseRequest(position=place.position, seat=place.seat)
        advise.limits.time.FromSeconds(5)
        advise.limits.memory_bytes = questions.MEMORY
        advise.options.seed = self._rng.getrandbits(63)
        rpc = self._rng.choice(("Advise", "WatchAdvice", "ChooseMove"))
        if rpc == "WatchAdvice":
            return rpc, pb.WatchAdviceRequest(advise=advise)
        if rpc == "ChooseMove":
            return rpc, pb.ChooseMoveRequest(position=place.position, seat=place.seat, limits=advise.limits)
        return rpc, advise

    async def _cancel(self) -> None:
        """A search that nobody wants any more after a moment."""
        rpc, request = self._long()
        code, _ = await self._call(rpc, request, leave_after=self._rng.choice((0.0, 0.01, 0.1)) * self._rng.random())
        self._expect(rpc, code, CANCELLED)

    async def _hurry(self) -> None:
        """A deadline long before the limit: an answer by then, or none."""
        rpc, request = self._long()
        begun, timeout = time.monotonic(), self._rng.choice((0.001, 0.05, 0.3))
        code, _ = await self._call(rpc, request, timeout=timeout)
        self._expect(rpc, code, DEADLINE)
        if time.monotonic() - begun > timeout + PATIENCE / 2:
            raise Wrong(f"{rpc} came to its end {time.monotonic() - begun:.1f} s after it began")

    async def _hang_up(self) -> None:
        """A connection that is reset while a search runs."""
        rpc, request = self._long()
        data = request.SerializeToString()
        path = f"/{SERVICE.full_name}/{rpc}"
        self.begun[rpc] += 1
        self.left[rpc] += 1
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(self._host, self._port)
            body = b"\x00" + len(data).to_bytes(4, "big") + data
            writer.write(PREFACE + frame(4, 0, 0, b"") + frame(1, 4, 1, call_headers(path)) + frame(0, 1, 1, body))
            await asyncio.sleep(0.1 * self._rng.random())
            writer.transport.abort()

    async def _talk_nonsense(self) -> None:
        """A request that is changed at random: refused or answered, whatever it is."""
        rpc, game = self._rng.choice(self._cells)
        sound = self._rng.choice(requests()[rpc, game])
        data = self._mutators[game].mutated(type(sound), sound.SerializeToString(), self._rng.getrandbits(32))
        if rpc == BATCH:
            self.begun[rpc] += 1
            self.left[rpc] += 1  # it may be no question, or one whose answer is an error
        # A changed limit may let it search for minutes.
        await self._call(rpc, data, timeout=0.5)
