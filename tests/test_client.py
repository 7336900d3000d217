"""The Python client: every RPC, deadlines, retries, errors, streams, and the README's program."""

import asyncio
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from wire import advisor, new, play

from advisor.client import AdvisorError, AsyncClient, Client, Retry
from advisor.client_policy import SPREAD, Timeouts
from advisor.errors import DETAILS_KEY, PUSHBACK_KEY
from advisor.server import SERVICE, ServerThread
from advisor.settings import Settings
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

README = Path(__file__).resolve().parents[1] / "README.md"
PATIENT = 20.0
"""Deadline of calls that must not fail for want of time, in seconds."""
SHORT = 5.0
"""Deadline whose rest is compared, in seconds; gRPC sends longer ones in coarse steps."""
QUICK = Retry(first_seconds=0.01, most_seconds=0.05)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(Settings(port=0, metrics_port=0, workers=2, log_level="error")) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: ServerThread) -> Iterator[Client]:
    with Client(server.address, timeout=PATIENT) as connected:
        yield connected


@pytest.fixture(scope="module")
def referee() -> position_pb2.Position:
    return play(new(3, "targets"), 13, 3)


def pending(position: position_pb2.Position) -> int:
    status = advisor().observe(pb.ObserveRequest(position=position, seat=0)).status
    return status.pending[0]


def advise(position: position_pb2.Position, seconds: float = 0.0, simulations: int = 0) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=pending(position))
    request.options.algorithm = advice_pb2.ALGORITHM_MCTS
    if seconds:
        request.limits.time.FromMilliseconds(round(seconds * 1000))
    if simulations:
        request.limits.simulations = simulations
    return request


def watch(position: position_pb2.Position, seconds: float) -> pb.WatchAdviceRequest:
    request = pb.WatchAdviceRequest(advise=advise(position, seconds))
    request.interval.FromMilliseconds(50)
    return request


def requests(position: position_pb2.Position) -> list[tuple[str, Any]]:
    """One request for each method that answers once."""
    seat = pending(position)
    choose = pb.ChooseMoveRequest(position=position, seat=seat, level=1, seed=3)
    move = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves[0]
    return [
        ("list_games", pb.ListGamesRequest()),
        ("get_game", pb.GetGameRequest(game="ocean")),
        ("new_position", new(2)),
        ("observe", pb.ObserveRequest(position=position, seat=1)),
        ("list_moves", pb.ListMovesRequest(position=position, seat=seat)),
        ("apply_move", pb.ApplyMoveRequest(position=position, seat=seat, move=move)),
        ("advise", advise(position, simulations=100)),
        ("choose_move", choose),
    ]


def without_timing(response: Any) -> Any:
    if "timing" in response.DESCRIPTOR.fields_by_name:
        assert response.timing.request_id
        response.ClearField("timing")
    return response


# Every RPC.


def test_every_rpc_has_a_method(referee: position_pb2.Position) -> None:
    methods = {
        re.sub(r"(?<!^)(?=[A-Z])", "_", method.name).lower()
        for method in pb.DESCRIPTOR.services_by_name["AdvisorService"].methods
    }
    streams = {"watch_advice": "watch", "advise_batch": "batch"}
    asked = {name for name, _ in requests(referee)}
    assert asked | streams.keys() == methods
    for kind in (Client, AsyncClient):
        for name in asked | set(streams.values()):
            assert callable(getattr(kind, name))


@pytest.mark.parametrize("number", range(8))
def test_the_same_answers_as_without_a_network(client: Client, referee: position_pb2.Position, number: int) -> None:
    name, request = requests(referee)[number]
    expected = getattr(advisor(), name)(request)
    if "timing" in expected.DESCRIPTOR.fields_by_name:
        expected.ClearField("timing")
    assert without_timing(getattr(client, name)(request)) == expected


async def test_asyncio_gives_the_same(server: ServerThread, client: Client, referee: position_pb2.Position) -> None:
    async with AsyncClient(server.address, timeout=PATIENT) as asynchronous:
        asked = requests(referee)
        answers = await asyncio.gather(*(getattr(asynchronous, name)(request) for name, request in asked))
        for (name, request), answer in zip(asked, answers, strict=True):
            assert without_timing(answer) == without_timing(getattr(client, name)(request))


def test_many_threads_share_a_client(client: Client, referee: position_pb2.Position) -> None:
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(client.advise, [advise(referee, simulations=50)] * 16))
    assert len({without_timing(answer).SerializeToString(deterministic=True) for answer in answers}) == 1


# Streams.


def test_watch_ends_with_the_final_answer(client: Client, referee: position_pb2.Position) -> None:
    answers = list(client.watch(watch(referee, 0.4)))
    assert [answer.final for answer in answers] == [False] * (len(answers) - 1) + [True]
    assert len(answers) >= 3
    assert {answer.advice.stop_reason for answer in answers[:-1]} == {advice_pb2.STOP_REASON_UNSPECIFIED}
    assert answers[-1].advice.stop_reason == advice_pb2.STOP_REASON_TIME
    counts = [answer.advice.simulations for answer in answers]
    assert counts == sorted(counts)


async def test_watch_with_asyncio(server: ServerThread, referee: position_pb2.Position) -> None:
    async with AsyncClient(server.address) as client:
        finals = [answer.final async for answer in client.watch(watch(referee, 0.3))]
        assert finals[-1]
        assert not any(finals[:-1])
        assert len(finals) >= 2


def busy(server: ServerThread) -> float:
    value = server.running.metrics.registry.get_sample_value("advisor_workers_busy")
    assert value is not None
    return value


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def cancelled(server: ServerThread) -> float:
    value = server.running.metrics.registry.get_sample_value("advisor_cancelled_total", {"rpc": "WatchAdvice"})
    return value or 0.0


def test_leaving_a_watch_ends_the_search(server: ServerThread, client: Client, referee: position_pb2.Position) -> None:
    before = cancelled(server)
    with client.watch(watch(referee, 60)) as answers:
        assert not next(answers).final
        assert busy(server) == 1
    wait_for(lambda: busy(server) == 0)
    wait_for(lambda: cancelled(server) == before + 1)
    # One that is watched to its end is not counted as cancelled.
    with client.watch(watch(referee, 0.1)) as answers:
        assert list(answers)[-1].final
    assert list(answers) == []
    wait_for(lambda: busy(server) == 0)
    assert cancelled(server) == before + 1


def test_cancel_from_another_thread(server: ServerThread, client: Client, referee: position_pb2.Position) -> None:
    answers = client.watch(watch(referee, 60))
    next(answers)
    threading.Timer(0.1, answers.cancel).start()
    with pytest.raises(AdvisorError) as caught:
        list(answers)
    assert caught.value.status is grpc.StatusCode.CANCELLED
    wait_for(lambda: busy(server) == 0)


async def test_cancel_with_asyncio(server: ServerThread, referee: position_pb2.Position) -> None:
    async with AsyncClient(server.address) as client:
        async with client.watch(watch(referee, 60)) as answers:
            assert not (await anext(answers)).final
            asyncio.get_running_loop().call_later(0.05, answers.cancel)
            with pytest.raises(AdvisorError) as caught:
                [answer async for answer in answers]
            assert caught.value.status is grpc.StatusCode.CANCELLED
        # A task that is cancelled while it iterates, or while it waits for a ranking.
        for wait in (drain(client, watch(referee, 60)), client.advise(advise(referee, 60))):
            task = asyncio.ensure_future(wait)
            while busy(server) == 0:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while busy(server) > 0:
                await asyncio.sleep(0.01)


async def drain(client: AsyncClient, request: pb.WatchAdviceRequest) -> None:
    async with client.watch(request) as answers:
        async for _ in answers:
            pass


# Errors.


def test_an_error_says_everything(client: Client, referee: position_pb2.Position) -> None:
    request = advise(referee, simulations=0)
    request.limits.simulations = 0
    request.options.trees = 99
    with pytest.raises(AdvisorError) as caught:
        client.advise(request)
    error = caught.value
    assert (error.status, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert {violation.path for violation in error.violations} == {"limits.simulations", "options.trees"}
    assert all(violation.message for violation in error.violations)
    assert error.retry_after is None
    assert str(error) == error.message


async def test_an_error_says_everything_with_asyncio(server: ServerThread, referee: position_pb2.Position) -> None:
    async with AsyncClient(server.address) as client:
        with pytest.raises(AdvisorError) as caught:
            await client.observe(pb.ObserveRequest(position=referee, seat=9))
        assert [violation.path for violation in caught.value.violations] == ["seat"]
        request = watch(referee, 1)
        request.interval.seconds = 1000
        with pytest.raises(AdvisorError) as caught:
            await anext(client.watch(request))
        assert [violation.path for violation in caught.value.violations] == ["interval"]


def test_a_full_queue_is_waited_for(referee: position_pb2.Position) -> None:
    settings = Settings(
        port=0, metrics_port=0, workers=1, queue_length=0, retry_seconds=0.2, cache_bytes=0, log_level="error"
    )
    with ServerThread(settings) as server, Client(server.address, retry=Retry(attempts=5)) as client:
        with client.watch(watch(referee, 0.5)) as running:
            next(running)
            begun = time.monotonic()
            assert client.advise(advise(referee, simulations=10)).simulations == 10
            assert time.monotonic() - begun >= 0.2
        with Client(server.address, retry=Retry(attempts=1)) as hasty, client.watch(watch(referee, 60)) as running:
            next(running)
            with pytest.raises(AdvisorError) as caught:
                hasty.advise(advise(referee, simulations=10))
            assert caught.value.reason == "QUEUE_FULL"
            assert caught.value.retry_after == pytest.approx(0.2)
            with pytest.raises(AdvisorError) as caught:
                next(hasty.watch(watch(referee, 1)))
            assert caught.value.reason == "QUEUE_FULL"


# A server that fails as it is told.


class Faulty:
    """Fails ListGames and WatchAdvice with the statuses given, one a call, then answers."""

    def __init__(self, *failures: tuple[grpc.StatusCode, tuple[tuple[str, str | bytes], ...]]) -> None:
        self.failures = list(failures)
        self.times: list[float] = []
        self.remaining: list[float] = []
        self.interim_first = False
        self.endless = False

    def fail(self, context: Any) -> None:
        self.times.append(time.monotonic())
        self.remaining.append(context.time_remaining())
        if self.failures:
            code, trailers = self.failures.pop(0)
            context.set_trailing_metadata(trailers)
            context.abort(code, "as told")

    def list_games(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        self.fail(context)
        return pb.ListGamesResponse()

    def watch(self, request: pb.WatchAdviceRequest, context: Any) -> Iterator[pb.WatchAdviceResponse]:
        if self.interim_first:
            yield pb.WatchAdviceResponse()
        self.fail(context)
        if not self.endless:
            yield pb.WatchAdviceResponse(final=True)

    @contextmanager
    def serve(self) -> Iterator[str]:
        server = grpc.server(ThreadPoolExecutor(2))
        methods: dict[str, Any] = {
            "ListGames": grpc.unary_unary_rpc_method_handler(
                self.list_games, pb.ListGamesRequest.FromString, pb.ListGamesResponse.SerializeToString
            ),
            "WatchAdvice": grpc.unary_stream_rpc_method_handler(
                self.watch, pb.WatchAdviceRequest.FromString, pb.WatchAdviceResponse.SerializeToString
            ),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(None)


def with_retry_info(milliseconds: int) -> tuple[tuple[str, str | bytes], ...]:
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(milliseconds)
    packed = any_pb2.Any()
    packed.Pack(retry)
    status = status_pb2.Status(code=8, message="as told", details=[packed])
    return ((DETAILS_KEY, status.SerializeToString()),)


UNAVAILABLE = (grpc.StatusCode.UNAVAILABLE, ())
TOLD = (grpc.StatusCode.RESOURCE_EXHAUSTED, with_retry_info(150))
PUSHED = (grpc.StatusCode.RESOURCE_EXHAUSTED, ((PUSHBACK_KEY, "150"),))
PUSHED_AWAY = (grpc.StatusCode.RESOURCE_EXHAUSTED, ((PUSHBACK_KEY, "-1"),))
UNTOLD = (grpc.StatusCode.RESOURCE_EXHAUSTED, ())
BROKEN = (grpc.StatusCode.INTERNAL, ())


@pytest.mark.parametrize("failure", [UNAVAILABLE, TOLD, PUSHED], ids=["unavailable", "told", "pushed"])
@pytest.mark.parametrize("kind", ["unary", "stream"])
async def test_what_is_tried_again(failure: Any, kind: str) -> None:
    for use in (use_sync, use_async):
        faulty = Faulty(failure, failure)
        with faulty.serve() as address:
            await use(address, kind, QUICK)
        assert len(faulty.times) == 3
        pauses = [late - early for early, late in zip(faulty.times, faulty.times[1:], strict=False)]
        if failure is not UNAVAILABLE:
            assert all(0.15 <= pause < 0.15 * (1 + SPREAD) + 0.5 for pause in pauses)
        # All attempts share the call's deadline.
        ends = [at + remaining for at, remaining in zip(faulty.times, faulty.remaining, strict=True)]
        assert max(ends) - min(ends) < 0.1
        # A timeout is rounded up on its way.
        assert faulty.remaining[0] <= SHORT + 0.1


@pytest.mark.parametrize("failure", [UNTOLD, PUSHED_AWAY, BROKEN], ids=["untold", "pushed away", "broken"])
@pytest.mark.parametrize("kind", ["unary", "stream"])
async def test_what_is_not_tried_again(failure: Any, kind: str) -> None:
    for use in (use_sync, use_async):
        faulty = Faulty(failure, failure)
        with faulty.serve() as address, pytest.raises(AdvisorError) as caught:
            await use(address, kind, QUICK)
        assert caught.value.status is failure[0]
        assert caught.value.reason == "TRANSPORT"
        assert len(faulty.times) == 1


async def use_sync(address: str, kind: str, retry: Retry) -> None:
    def run() -> None:
        with Client(address, timeout=SHORT, retry=retry) as client:
            if kind == "unary":
                client.list_games(pb.ListGamesRequest())
            else:
                assert [answer.final for answer in client.watch(pb.WatchAdviceRequest(), timeout=SHORT)] == [True]

    await asyncio.to_thread(run)


async def use_async(address: str, kind: str, retry: Retry) -> None:
    async with AsyncClient(address, timeout=SHORT, retry=retry) as client:
        if kind == "unary":
            await client.list_games(pb.ListGamesRequest())
        else:
            assert [answer.final async for answer in client.watch(pb.WatchAdviceRequest(), timeout=SHORT)] == [True]


@pytest.mark.parametrize("failure", [UNAVAILABLE, TOLD], ids=["unavailable", "told"])
async def test_attempts_are_bounded(failure: Any) -> None:
    for attempts in (1, 3):
        for use in (use_sync, use_async):
            faulty = Faulty(*[failure] * 9)
            retry = Retry(attempts=attempts, first_seconds=0.01, most_seconds=0.02)
            with faulty.serve() as address, pytest.raises(AdvisorError) as caught:
                await use(address, "unary", retry)
            assert caught.value.status is failure[0]
            assert len(faulty.times) == attempts


def test_no_wait_beyond_the_deadline() -> None:
    faulty = Faulty((grpc.StatusCode.RESOURCE_EXHAUSTED, with_retry_info(60_000)))
    with faulty.serve() as address, Client(address, timeout=PATIENT) as client:
        begun = time.monotonic()
        with pytest.raises(AdvisorError) as caught:
            client.list_games(pb.ListGamesRequest())
        assert time.monotonic() - begun < 5
        assert caught.value.retry_after == pytest.approx(60)


async def test_a_stream_that_has_answered_is_not_tried_again() -> None:
    for use in (use_sync, use_async):
        faulty = Faulty(TOLD)
        faulty.interim_first = True
        with faulty.serve() as address, pytest.raises(AdvisorError) as caught:
            await use(address, "stream", QUICK)
        assert caught.value.retry_after == pytest.approx(0.15)
        assert len(faulty.times) == 1


async def test_a_stream_without_a_final_answer_is_an_error() -> None:
    for use in (use_sync, use_async):
        faulty = Faulty()
        faulty.endless = True
        with faulty.serve() as address, pytest.raises(AdvisorError, match="without a final answer"):
            await use(address, "stream", QUICK)


def test_nobody_listens() -> None:
    with Client("127.0.0.1:1", retry=QUICK) as client, pytest.raises(AdvisorError) as caught:
        client.list_games(pb.ListGamesRequest())
    assert (caught.value.status, caught.value.reason) == (grpc.StatusCode.UNAVAILABLE, "TRANSPORT")


# Deadlines.


def test_default_deadlines() -> None:
    faulty = Faulty()
    with faulty.serve() as address, Client(address) as client:
        client.list_games(pb.ListGamesRequest())
        list(client.watch(pb.WatchAdviceRequest()))
        client.list_games(pb.ListGamesRequest(), timeout=3)
        client.list_games(pb.ListGamesRequest(), timeout=math.inf)
    assert faulty.remaining[0] == pytest.approx(30, abs=2)
    assert faulty.remaining[1] == pytest.approx(2 * 630, abs=15)  # gRPC rounds up
    assert faulty.remaining[2] == pytest.approx(3, abs=1)
    assert faulty.remaining[3] is None or faulty.remaining[3] > 1e6


def test_deadlines_of_searches() -> None:
    timeouts = Timeouts(10, 100)
    advice, choice = pb.AdviseRequest(), pb.ChooseMoveRequest()
    assert (timeouts.advise(advice), timeouts.choose(choice)) == (100, 10)
    advice.limits.simulations = 5
    choice.level = 3
    assert (timeouts.advise(advice), timeouts.choose(choice)) == (100, 10)
    advice.limits.time.FromMilliseconds(2500)
    choice.limits.time.FromMilliseconds(2500)
    assert (timeouts.advise(advice), timeouts.choose(choice)) == (12.5, 100)
    choice.limits.time.seconds = 300
    assert timeouts.choose(choice) == pytest.approx(310.5)
    choice.limits.ClearField("time")
    assert timeouts.choose(choice) == 100
    choice.turn_time.seconds = 7
    assert timeouts.choose(choice) == 17
    # What no server takes is for the server to refuse.
    for seconds, expected in ((-5, 10), (2**62, 86_410)):
        advice.limits.time.seconds = seconds
        assert timeouts.advise(advice) == pytest.approx(expected, abs=1)


def test_a_deadline_is_kept(referee: position_pb2.Position) -> None:
    # A wide margin, so that a busy machine still answers before the client's own clock ends the call.
    settings = Settings(port=0, metrics_port=0, workers=1, deadline_margin_seconds=0.5, log_level="error")
    with ServerThread(settings) as server, Client(server.address) as client:
        begun = time.monotonic()
        answer = client.advise(advise(referee, 60), timeout=1.0)
        assert 0.4 < time.monotonic() - begun < 1.1
        assert answer.stop_reason == advice_pb2.STOP_REASON_DEADLINE
        with pytest.raises(AdvisorError) as caught:
            client.advise(advise(referee, 60), timeout=1e-6)
    assert caught.value.status is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempts": 0}, {"attempts": 6}, {"first_seconds": 0}, {"first_seconds": 3}, {"most_seconds": math.inf},
        {"factor": 0.5}, {"factor": math.nan},
    ],
)  # fmt: skip
def test_a_retry_policy_that_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|expected"):
        Retry(**wrong)


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"search_timeout": -1}, {"timeout": math.nan}])
def test_a_timeout_that_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="timeouts"):
        Client("127.0.0.1:1", **wrong)


# The README.


def test_the_readme_plays_a_game(server: ServerThread, capsys: pytest.CaptureFixture[str]) -> None:
    programs = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    program = next(text for text in programs if "choose_move" in text)
    lines = [line for line in program.splitlines() if line and not line.startswith(("import", "from"))]
    assert len(lines) <= 10
    assert "127.0.0.1:50051" in program
    exec(compile(program.replace("127.0.0.1:50051", server.address), "README.md", "exec"), {})
    scores, ranks = re.findall(r"\[(.*?)\]", capsys.readouterr().out)
    assert len(scores.split(",")) == len(ranks.split(",")) == 3
    assert min(int(rank) for rank in ranks.split(",")) == 1


def test_a_stream_leaves_room_for_reading_late() -> None:
    timeouts = Timeouts(10, 100)
    request = pb.AdviseRequest()
    assert timeouts.watch(request) == 200
    request.limits.time.FromSeconds(5)
    assert timeouts.watch(request) == 115
