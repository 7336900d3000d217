"""AdviseBatch on a real socket: one answer for each id, whatever becomes of the question, and of the stream."""

import asyncio
import math
import queue
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from test_server import PATIENCE, connect, metric, settings, status_of, wait_for
from wire import advisor, new, observe, play

from advisor.batch import MAX_ID_BYTES, Batch
from advisor.client import AdvisorError, AsyncClient, Client, read_failure
from advisor.errors import CANCELLED, DEADLINE_TOO_SHORT, INVALID_REQUEST, QUEUE_FULL, SHUTTING_DOWN
from advisor.failures import write_failure
from advisor.server import SERVICE, ServerThread, serve
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext.errors import Violation

pytestmark = pytest.mark.apart

STORM = 400
IN_STORM = 24
"""Questions that the storm keeps open."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings()) as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


def question(
    position: position_pb2.Position, name: str, seconds: float = 0.0, simulations: int = 0, seed: int = 0
) -> pb.AdviseBatchRequest:
    request = pb.AdviseBatchRequest(id=name)
    request.advise.position.CopyFrom(position)
    request.advise.seat = 1
    request.advise.options.algorithm = advice_pb2.ALGORITHM_MCTS
    request.advise.options.seed = seed
    if seconds:
        request.advise.limits.time.FromMilliseconds(round(seconds * 1000))
    if simulations:
        request.advise.limits.simulations = simulations
    return request


def choice(position: position_pb2.Position, name: str, level: int = 2) -> pb.AdviseBatchRequest:
    asked = pb.ChooseMoveRequest(position=position, seat=1, level=level, seed=3)
    return pb.AdviseBatchRequest(id=name, choose=asked)


def cancel(name: str) -> pb.AdviseBatchRequest:
    return pb.AdviseBatchRequest(id=name, cancel=pb.BatchCancel())


def without_timing(answer: Any) -> Message:
    answer.ClearField("timing")
    copy: Message = answer
    return copy


class Talk:
    """A batch whose questions are put as one goes along. Without a deadline no long question is refused as too late."""

    def __init__(self, client: Client, timeout: float = math.inf) -> None:
        self._asked: queue.SimpleQueue[pb.AdviseBatchRequest | None] = queue.SimpleQueue()
        self.answers = client.batch(iter(self._asked.get, None), timeout=timeout)

    def put(self, *requests: pb.AdviseBatchRequest | None) -> None:
        """Ask; None ends the stream."""
        for request in requests:
            self._asked.put(request)

    def close(self) -> None:
        self.put(None)
        self.answers.cancel()


@pytest.fixture
def talk(server: ServerThread) -> Iterator[Talk]:
    with Client(server.address) as client:
        talking = Talk(client)
        yield talking
        talking.close()
    wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)
    wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0)


# Answers.


def test_each_question_is_answered_once_and_the_stream_ends(
    server: ServerThread, position: position_pb2.Position
) -> None:
    asked = [question(position, f"a{number}", simulations=200 + number, seed=number) for number in range(12)]
    asked += [choice(position, f"c{level}", level) for level in range(1, 6)]
    before = metric(server, "advisor_requests_total", rpc="AdviseBatch", game="ocean", code="OK")
    with Client(server.address) as client:
        answers = list(client.batch(asked, timeout=30))
    assert Counter(answer.id for answer in answers) == Counter(request.id for request in asked)
    by_id = {answer.id: answer for answer in answers}
    ids = {answer.advice.timing.request_id or answer.choice.timing.request_id for answer in answers}
    assert len(ids) == len(asked)
    for request in asked:
        answer = by_id[request.id]
        if request.HasField("choose"):
            assert answer.choice.timing.total_ms > 0
            assert without_timing(answer.choice) == without_timing(advisor().choose_move(request.choose))
        else:
            assert answer.advice.timing.total_ms > 0
            assert without_timing(answer.advice) == without_timing(advisor().advise(request.advise))
    assert metric(server, "advisor_requests_total", rpc="AdviseBatch", game="ocean", code="OK") == before + len(asked)
    assert metric(server, "advisor_requests_total", rpc="AdviseBatchStream", code="OK") >= 1
    assert metric(server, "advisor_requests_in_flight") == 0


def test_no_question_at_all(server: ServerThread) -> None:
    with Client(server.address) as client:
        assert list(client.batch([], timeout=10)) == []


def test_a_quick_answer_does_not_wait_for_a_slow_one(talk: Talk, position: position_pb2.Position) -> None:
    talk.put(question(position, "slow", 60), question(position, "quick", simulations=50))
    assert next(talk.answers).id == "quick"


def test_what_is_wrong_with_a_question_ends_nothing_else(talk: Talk, position: position_pb2.Position) -> None:
    bad = question(position, "bad", simulations=10)
    bad.advise.limits.simulations = 0
    bad.advise.options.priority = 10
    bad.timeout.FromSeconds(-1)
    worse = choice(position, "worse", 11)
    worse.choose.options.priority = -10
    over = pb.AdviseBatchRequest(id="over", advise=pb.AdviseRequest(position=play(new(2), 34), seat=0))
    empty = pb.AdviseBatchRequest(id="empty", choose=pb.ChooseMoveRequest())
    talk.put(bad, worse, over, empty, question(position, "good", simulations=50), None)
    answers = {answer.id: answer for answer in talk.answers}
    assert answers.keys() == {"bad", "worse", "over", "empty", "good"}
    assert answers["good"].advice.simulations == 50
    failed = {name: read_failure(answers[name].failure) for name in answers.keys() - {"good"}}
    assert {violation.path for violation in failed["bad"].violations} == {
        "timeout", "advise.limits.simulations", "advise.options.priority",
    }  # fmt: skip
    assert {violation.path for violation in failed["worse"].violations} == {"choose.level", "choose.options.priority"}
    assert [violation.path for violation in failed["empty"].violations] == ["choose.position"]
    assert failed["bad"].status is grpc.StatusCode.INVALID_ARGUMENT
    assert failed["bad"].reason == INVALID_REQUEST
    assert failed["bad"].metadata["violations"] == "3"
    assert failed["over"].status is grpc.StatusCode.FAILED_PRECONDITION
    assert failed["over"].reason == "GAME_OVER"


def test_a_priority_changes_no_answer(server: ServerThread, position: position_pb2.Position) -> None:
    plain, first = question(position, "plain", simulations=300), question(position, "first", simulations=300)
    first.advise.options.priority = 9
    level = choice(position, "level")
    level.choose.options.priority = -9  # which a level does not decide itself
    with Client(server.address) as client:
        answers = {answer.id: answer for answer in client.batch([plain, first, level], timeout=30)}
    assert without_timing(answers["plain"].advice) == without_timing(answers["first"].advice)
    assert answers["level"].choice.moves


def test_failures_say_what_a_status_would() -> None:
    error = AdvisorError(
        QUEUE_FULL,
        "later",
        violations=[Violation(f"place[{number}]", "is wrong") for number in range(40)],
        metadata={"held": "this"},
        retry_after=0.25,
    )
    failure = write_failure(error)
    assert failure.code == 8
    assert failure.retry_delay.ToMilliseconds() == 250
    read = read_failure(failure)
    assert (read.status, read.reason, read.message, read.retry_after) == (error.status, QUEUE_FULL, "later", 0.25)
    assert read.violations == error.violations[:32]
    assert read.metadata == {"held": "this", "violations": "40"}


def test_a_full_queue_refuses_each_question_that_is_too_many(position: position_pb2.Position) -> None:
    with ServerThread(settings(workers=1, queue_length=4, batch_window=16)) as server, Client(server.address) as client:
        talking = Talk(client)
        talking.put(question(position, "runs", 60))
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        talking.put(*(question(position, f"waits {number}", 60) for number in range(4)))
        wait_for(lambda: metric(server, "advisor_queue_length") == 4)
        talking.put(*(question(position, f"too many {number}", 60) for number in range(3)))
        refused = [next(talking.answers) for _ in range(3)]
        assert {answer.id for answer in refused} == {f"too many {number}" for number in range(3)}
        for answer in refused:
            error = read_failure(answer.failure)
            assert (error.status, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, QUEUE_FULL)
            assert error.retry_after is not None
        talking.put(cancel("runs"), *(cancel(f"waits {number}") for number in range(4)), None)
        assert {answer.failure.reason for answer in talking.answers} == {CANCELLED}


# Ids.


def test_an_id_may_be_used_again_once_it_is_answered(talk: Talk, position: position_pb2.Position) -> None:
    for number in range(20):
        talk.put(question(position, "same", simulations=10 + number))
        answer = next(talk.answers)
        assert (answer.id, answer.advice.simulations) == ("same", 10 + number)


async def test_an_id_is_free_from_the_moment_its_answer_goes_out(position: position_pb2.Position) -> None:
    """The client may have it, and ask again, before the server hears that it was sent. One is sent at a time."""
    told: asyncio.Queue[pb.AdviseBatchRequest | None] = asyncio.Queue()
    sent: list[str] = []
    sending = 0

    async def requests() -> AsyncIterator[pb.AdviseBatchRequest]:
        while (request := await told.get()) is not None:
            yield request

    async def ask(request: pb.AdviseBatchRequest, arrived: float) -> pb.AdviseBatchResponse:
        return pb.AdviseBatchResponse(id=request.id)

    async def write(response: pb.AdviseBatchResponse) -> None:
        nonlocal sending
        sending += 1
        assert sending == 1
        sent.append(response.id)
        if response.id == "one":
            told.put_nowait(question(position, "one") if len(sent) < 5 else None)
        await asyncio.sleep(0.01)
        sending -= 1

    for name in ("one", "two"):
        told.put_nowait(question(position, name))
    assert await Batch(ask, write, 8, asyncio.Event()).run(requests())
    assert Counter(sent) == {"one": len(sent) - 1, "two": 1}


def test_misuse_ends_the_stream(server: ServerThread, position: position_pb2.Position) -> None:
    long = "n" * MAX_ID_BYTES
    cases = [
        ([question(position, "one", 60), question(position, "one", 60)], {"id"}),
        ([question(position, "one", 60), choice(position, "one")], {"id"}),
        ([question(position, "", 60)], {"id"}),
        ([question(position, long, 60), question(position, long + "n", 60)], {"id"}),
        ([question(position, long, 60), cancel("é" * 40)], {"id"}),
        ([question(position, "one", 60), pb.AdviseBatchRequest(id="two")], {"advise"}),
        ([pb.AdviseBatchRequest()], {"id", "advise"}),
    ]
    for asked, places in cases:
        with Client(server.address) as client:
            talking = Talk(client)
            talking.put(*asked)
            with pytest.raises(AdvisorError) as caught:
                next(talking.answers)
            talking.put(None)
        assert caught.value.status is grpc.StatusCode.INVALID_ARGUMENT
        assert caught.value.reason == INVALID_REQUEST
        assert {violation.path for violation in caught.value.violations} == places
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0)
    assert metric(server, "advisor_requests_in_flight") == 0


def test_bytes_that_are_no_message_end_the_stream(server: ServerThread, position: position_pb2.Position) -> None:
    with grpc.insecure_channel(server.address) as channel:
        call: Any = channel.stream_stream(
            f"/{SERVICE}/AdviseBatch", request_serializer=None, response_deserializer=None
        )
        asked = [question(position, "one", 60).SerializeToString(), b"\xff\xff\xff"]
        with pytest.raises(grpc.RpcError) as caught:
            list(call(iter(asked), timeout=10))
    assert status_of(caught.value)[0] is grpc.StatusCode.INVALID_ARGUMENT


# Cancels.


def test_a_cancel_stops_the_search_and_is_answered(
    talk: Talk, server: ServerThread, position: position_pb2.Position
) -> None:
    talk.put(cancel("nobody"), question(position, "one", 60), question(position, "two", 60))
    wait_for(lambda: metric(server, "advisor_workers_busy") == 2)
    talk.put(question(position, "three", 60))  # waits for a worker
    wait_for(lambda: metric(server, "advisor_queue_length") == 1)
    stopped = metric(server, "advisor_cancel_seconds_count")
    for name in ("three", "one", "two"):
        talk.put(cancel(name), cancel(name))
        answer = next(talk.answers)
        assert (answer.id, answer.failure.code, answer.failure.reason) == (name, 1, CANCELLED)
    wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
    assert metric(server, "advisor_cancel_seconds_count") == stopped + 2
    # The stream goes on, and the ids are free.
    talk.put(cancel("one"), question(position, "one", simulations=20), None)
    (last,) = talk.answers
    assert last.advice.simulations == 20


def test_who_hangs_up_stops_all_searches(server: ServerThread, position: position_pb2.Position) -> None:
    for leave in ("cancel", "close"):
        client = Client(server.address)
        talking = Talk(client)
        talking.put(*(question(position, f"q{number}", 60) for number in range(6)))
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 6)
        if leave == "cancel":
            talking.answers.cancel()
        else:
            client.close()
        wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0)
        talking.put(None)
        client.close()
    assert metric(server, "advisor_requests_total", rpc="AdviseBatchStream", code="CANCELLED") >= 2


# Deadlines.


def test_each_question_has_its_own_timeout(talk: Talk, position: position_pb2.Position) -> None:
    near = question(position, "near", 60)
    near.timeout.FromMilliseconds(500)
    shortest = question(position, "shortest", 60)
    shortest.timeout.FromMilliseconds(1)
    talk.put(near, shortest, question(position, "far", 60))
    begun = time.monotonic()
    answers = {answer.id: answer for answer in (next(talk.answers), next(talk.answers))}
    assert time.monotonic() - begun < 5
    assert answers["near"].advice.stop_reason == advice_pb2.STOP_REASON_DEADLINE
    assert answers["near"].advice.simulations > 0
    assert answers["shortest"].failure.reason == DEADLINE_TOO_SHORT


def test_a_timeout_counts_while_a_question_waits_for_a_worker(talk: Talk, position: position_pb2.Position) -> None:
    late = question(position, "late", 60)
    late.timeout.FromMilliseconds(400)
    talk.put(question(position, "one", 60), question(position, "two", 60), late)
    answer = next(talk.answers)
    assert answer.id == "late"
    # There was no worker for it, or not for long.
    assert answer.failure.reason == DEADLINE_TOO_SHORT or answer.advice.simulations > 0


def test_the_stream_s_deadline_bounds_them_all(server: ServerThread, position: position_pb2.Position) -> None:
    with Client(server.address) as client:
        asked = [question(position, "one", 60), question(position, "two", 60)]
        asked[1].timeout.FromSeconds(60)
        answers = list(client.batch(asked, timeout=1.5))
    assert {answer.id for answer in answers} == {"one", "two"}
    assert {answer.advice.stop_reason for answer in answers} == {advice_pb2.STOP_REASON_DEADLINE}


# Many at a time.


def test_what_is_refused_ends_nothing_else(position: position_pb2.Position) -> None:
    small = settings(workers=1, queue_length=1, retry_seconds=0.25)
    with ServerThread(small) as server, Client(server.address) as client:
        talking = Talk(client)
        talking.put(*(question(position, name, 60) for name in ("one", "two", "three")))
        answer = next(talking.answers)
        assert (answer.failure.code, answer.failure.reason) == (8, QUEUE_FULL)
        assert answer.failure.retry_delay.ToMilliseconds() >= 1
        left = {"one", "two", "three"} - {answer.id}
        talking.put(*(cancel(name) for name in left), None)
        assert {answer.id for answer in talking.answers} == left


def test_calls_are_counted_with_those_of_other_kinds(position: position_pb2.Position) -> None:
    with ServerThread(settings(max_calls=2)) as server, Client(server.address) as client:
        talking = Talk(client)
        talking.put(question(position, "one", 60))
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        talking.put(question(position, "two", 60))
        answer = next(talking.answers)
        assert (answer.id, answer.failure.reason) == ("two", "TOO_MANY_CALLS")
        talking.close()


def test_beyond_the_window_the_stream_is_not_read(position: position_pb2.Position) -> None:
    narrow = settings(batch_window=4, queue_length=64)
    with ServerThread(narrow) as server, Client(server.address) as client:
        talking = Talk(client)
        talking.put(*(question(position, f"q{number}", 60) for number in range(4)))
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 4)
        # A cancel gets through while the window is just full.
        talking.put(cancel("q3"))
        assert next(talking.answers).id == "q3"
        talking.put(*(question(position, f"r{number}", 60) for number in range(20)))
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 4)
        time.sleep(0.2)
        assert metric(server, "advisor_requests_in_flight", rpc="AdviseBatch") == 4
        assert metric(server, "advisor_rejected_total") == 0
        talking.close()


def test_a_client_that_never_reads_costs_no_more_than_its_window(position: position_pb2.Position) -> None:
    # Some hundred bytes of the answers fit into what the transport buffers.
    stingy = [("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0)]
    window, asked = 8, 3000
    begun = Counter[str]()

    def questions() -> Iterator[pb.AdviseBatchRequest]:
        for number in range(asked):
            begun["sent"] += 1
            yield question(position, f"q{number}", simulations=1, seed=number)

    with ServerThread(settings(batch_window=window)) as server:
        with Client(server.address, options=stingy) as client, client.batch(questions()) as unread:

            def stuck() -> bool:
                done = metric(server, "advisor_requests_total", rpc="AdviseBatch")
                time.sleep(0.3)
                return done > 0 and metric(server, "advisor_requests_total", rpc="AdviseBatch") == done

            wait_for(stuck)
            assert metric(server, "advisor_requests_total", rpc="AdviseBatch") < asked
            assert metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0
            assert metric(server, "advisor_requests_in_flight", rpc="AdviseBatch") <= window + 1
            with connect(server.address) as stub:  # nobody else is held up
                assert stub.Advise(question(position, "", simulations=10).advise, timeout=10).simulations == 10
            unread.cancel()
        wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)


async def test_asynchronous_use(position: position_pb2.Position) -> None:
    async with serve(settings()) as server, AsyncClient(server.address) as client:
        talking = AsyncTalk(client)
        talking.put(question(position, "slow", 60), question(position, "quick", simulations=50))
        assert (await anext(talking.answers)).id == "quick"
        talking.put(cancel("slow"), None)
        (last,), error = await talking.rest()
        assert read_failure(last.failure).reason == CANCELLED
        assert error is None
        async with client.batch([question(position, "q", 60)]) as left:
            waiting = asyncio.ensure_future(anext(left))
            await asyncio.sleep(0.1)
        with pytest.raises(AdvisorError) as caught:
            await waiting
        assert caught.value.reason == CANCELLED
        with pytest.raises(AdvisorError) as caught:
            await anext(client.batch([question(position, "", 60)], timeout=10))
        assert caught.value.status is grpc.StatusCode.INVALID_ARGUMENT


# A storm.


@pytest.mark.parametrize(("seed", "queue_length"), [(1, 20), (2, 4)])
def test_a_storm_of_questions_and_cancels_leaves_one_answer_each(
    position: position_pb2.Position, seed: int, queue_length: int
) -> None:
    """A ledger of questions put and of answers got; ids are used again as soon as they may be."""
    rng = random.Random(seed)
    names = deque(f"n{number}" for number in range(IN_STORM))
    open_ones: dict[str, int] = {}
    got: list[tuple[int, str, pb.AdviseBatchResponse]] = []
    small = settings(queue_length=queue_length, batch_window=16, retry_seconds=0.05, cache_bytes=1 << 20)
    with ServerThread(small) as server, Client(server.address) as client:
        talking = Talk(client, timeout=60)
        put = 0
        while put < STORM or open_ones:
            while names and put < STORM:
                name = names.popleft()
                kind = rng.random()
                if kind < 0.4:
                    asked = question(position, name, simulations=rng.randrange(1, 400), seed=rng.randrange(4))
                elif kind < 0.6:
                    asked = choice(position, name, rng.randrange(1, 5))
                elif kind < 0.7:
                    asked = question(position, name, simulations=10)
                    asked.advise.seat = 3  # nobody is answered about another's observation
                elif kind < 0.8:
                    asked = question(position, name, 60)
                    asked.timeout.FromMilliseconds(rng.randrange(1, 300))
                else:
                    asked = question(position, name, 60)
                talking.put(asked)
                open_ones[name] = put
                put += 1
                if kind >= 0.8 or rng.random() < 0.3:  # who never ends by itself is always cancelled
                    talking.put(*[cancel(name)] * rng.randrange(1, 3))
                    if rng.random() < 0.2:
                        talking.put(cancel(f"{name}?"))
            answer = next(talking.answers)
            got.append((open_ones.pop(answer.id), answer.id, answer))  # KeyError: an answer too many
            names.append(answer.id)
        talking.put(None)
        assert list(talking.answers) == []
        assert Counter(number for number, _, _ in got) == Counter(range(STORM))
        outcomes = Counter(answer.WhichOneof("outcome") for _, _, answer in got)
        assert outcomes.keys() == {"advice", "choice", "failure"}
        assert None not in outcomes
        reasons = Counter(answer.failure.reason for _, _, answer in got if answer.HasField("failure"))
        assert reasons.keys() <= {CANCELLED, INVALID_REQUEST, QUEUE_FULL, DEADLINE_TOO_SHORT, "OVERLOADED"}
        if queue_length >= 10:
            assert reasons[CANCELLED] > STORM / 20
        wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)
        assert metric(server, "advisor_requests_total", rpc="AdviseBatch") == STORM
        wait_for(lambda: metric(server, "advisor_workers_busy") + metric(server, "advisor_queue_length") == 0)


# The server's end.


class AsyncTalk:
    """The same as `Talk`, for asyncio."""

    def __init__(self, client: AsyncClient) -> None:
        self._asked: asyncio.Queue[pb.AdviseBatchRequest | None] = asyncio.Queue()
        self.answers = client.batch(self._questions())

    async def _questions(self) -> AsyncIterator[pb.AdviseBatchRequest]:
        while (request := await self._asked.get()) is not None:
            yield request

    def put(self, *requests: pb.AdviseBatchRequest | None) -> None:
        for request in requests:
            self._asked.put_nowait(request)

    async def rest(self) -> tuple[list[pb.AdviseBatchResponse], AdvisorError | None]:
        """What is still answered, and how the stream ends: None for well."""
        found = []
        try:
            async for answer in self.answers:
                found.append(answer)
        except AdvisorError as error:
            return found, error
        return found, None


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_drain_answers_what_is_open_and_ends_the_stream(position: position_pb2.Position) -> None:
    async with serve(settings(workers=1)) as server, AsyncClient(server.address) as client:
        read = server.metrics.registry.get_sample_value
        talking, ending, idle = AsyncTalk(client), AsyncTalk(client), AsyncTalk(client)
        talking.put(question(position, "runs", 300))
        await until(lambda: read("advisor_workers_busy") == 1)
        talking.put(question(position, "waits", 300))
        ending.put(question(position, "ends", 300), None)
        idle.put(pb.AdviseBatchRequest(id="bad", advise=pb.AdviseRequest()))
        assert (await anext(idle.answers)).failure.reason == INVALID_REQUEST
        await until(lambda: read("advisor_requests_in_flight", {"rpc": "AdviseBatch"}) == 3)
        begun = time.monotonic()
        drained = asyncio.ensure_future(server.drain(3.0))
        # A stream without questions holds nobody up.
        found, error = await idle.rest()
        assert not found
        assert error is not None
        assert (error.status, error.reason) == (grpc.StatusCode.UNAVAILABLE, SHUTTING_DOWN)
        assert time.monotonic() - begun < 2
        talking.put(question(position, "late", simulations=10))
        late = await anext(talking.answers)
        assert late.id == "late"
        refused = read_failure(late.failure)
        assert (refused.reason, refused.status) == (SHUTTING_DOWN, grpc.StatusCode.UNAVAILABLE)
        assert refused.retry_after == 0.5
        found, error = await talking.rest()
        answers = {answer.id: answer for answer in found}
        assert len(found) == 2
        assert answers.keys() == {"runs", "waits"}
        assert answers["runs"].advice.stop_reason == advice_pb2.STOP_REASON_DEADLINE
        assert error is not None
        assert error.reason == SHUTTING_DOWN
        # Who had asked all it wanted to has an answer to each, and a good end.
        found, error = await ending.rest()
        assert [answer.id for answer in found] == ["ends"]
        assert error is None
        await drained
        for each in (talking, idle):
            each.put(None)
