"""Kept answers: which requests share one, which do not, and what is never kept; on a real server and without."""

import asyncio
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from test_server import metric, settings, wait_for
from wire import advisor, new, new_heart, new_sanctuary, observe, play

from advisor import answers
from advisor.answers import OVERHEAD_BYTES, Answers, key_of, mark_of
from advisor.client import AdvisorError, Client
from advisor.server import ServerThread, serve
from advisor.service import AdviceRequest, Prepared, PreparedChoice
from advisor.settings import Settings
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from search.request import Limits, Options

SERVED = pytest.mark.apart


@pytest.fixture(scope="module")
def referee() -> position_pb2.Position:
    return play(new(), 14, 3)


@pytest.fixture(scope="module")
def position(referee: position_pb2.Position) -> position_pb2.Position:
    return observe(referee, 1)


def ask(position: position_pb2.Position, simulations: int = 300) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=1)
    request.limits.simulations = simulations
    request.options.algorithm = advice_pb2.ALGORITHM_MCTS
    return request


def choice(position: position_pb2.Position, level: int = 3) -> pb.ChooseMoveRequest:
    return pb.ChooseMoveRequest(position=position, seat=1, level=level, seed=7)


def choice_by_limits(position: position_pb2.Position) -> pb.ChooseMoveRequest:
    request = pb.ChooseMoveRequest(position=position, seat=1)
    request.limits.simulations = 200
    return request


def changed(request: Any, change: Callable[[Any], object]) -> Any:
    copy = type(request)()
    copy.CopyFrom(request)
    change(copy)
    return copy


def key(request: pb.AdviseRequest | pb.ChooseMoveRequest) -> bytes | None:
    if isinstance(request, pb.AdviseRequest):
        return key_of(advisor().prepare(request))
    return key_of(advisor().prepare_choice(request))


# What is kept, and for how long.


def test_the_last_used_are_kept_within_their_bytes() -> None:
    each = 1000
    kept = Answers(3 * (each + 1 + OVERHEAD_BYTES))
    keys = [bytes([number]) for number in range(5)]
    for name in keys[:3]:
        kept.keep_answer(name, name * each)
    assert kept.find(keys[0]) == keys[0] * each
    kept.keep_answer(keys[3], keys[3] * each)
    assert [kept.find(name) is not None for name in keys] == [True, False, True, True, False]
    assert kept.size == 3 * (each + 1 + OVERHEAD_BYTES)
    # The same again takes no more room, a large one takes that of several, and none is larger than all.
    kept.keep_answer(keys[3], keys[3] * each)
    assert kept.size == 3 * (each + 1 + OVERHEAD_BYTES)
    kept.keep_answer(keys[4], b"x" * (2 * each))
    assert [kept.find(name) is not None for name in keys] == [False, False, False, True, True]
    kept.keep_answer(keys[0], b"x" * (4 * each))
    assert kept.find(keys[0]) is None
    assert kept.size <= 3 * (each + 1 + OVERHEAD_BYTES)


def test_none_are_kept_without_room() -> None:
    kept = Answers(0)
    assert not kept.on
    kept.keep_answer(b"key", b"")
    assert kept.find(b"key") is None
    assert kept.size == 0


def test_threads_may_keep_and_find_at_once() -> None:
    most = 20 * (100 + 1 + OVERHEAD_BYTES)
    kept = Answers(most)

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(3000):
            name = rng.randbytes(1)
            found = kept.find(name)
            assert found is None or found[:1] == name
            kept.keep_answer(name, name * rng.randrange(1, 200))
            assert kept.size <= most

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert kept.size == sum(len(answer) + 1 + OVERHEAD_BYTES for answer, _ in kept._kept.values())


def test_an_answer_is_found_by_its_key_and_by_its_very_request() -> None:
    kept = Answers(10_000)
    kept.keep_answer(b"key", b"answer", b"request")
    assert (kept.find(b"key"), kept.find_for(b"request"), kept.find_for(b"other")) == (b"answer", b"answer", None)
    kept.keep_answer(b"key", b"another", b"")
    assert kept.find_for(b"request") == b"another"
    kept.keep_answer(b"large", bytes(9_500))
    assert (kept.find_for(b"request"), kept.find(b"key")) == (None, None)


# Which requests are equal.


@pytest.mark.parametrize("moves", [0, 100])
def test_a_request_s_mark_tells_it_from_all_others(position: position_pb2.Position, moves: int) -> None:
    """A short request stands for itself, a long one has a digest."""
    asked = ask(position)
    for number in range(moves):
        asked.options.report_moves.add(notation=f"pick {number}")

    def mark(request: AdviceRequest, generation: int = 0) -> bytes:
        return mark_of(type(request), request.SerializeToString(), generation)

    assert (len(mark(asked)) == 32) == (moves > 0)
    other_choice = choice(position)
    other_choice.options.CopyFrom(asked.options)
    others = [
        mark(asked, 1),
        mark(changed(asked, lambda one: setattr(one.options, "priority", 1))),
        mark(changed(asked, lambda one: setattr(one.position, "chance_events", 3))),
        mark(other_choice),
        mark(pb.ChooseMoveRequest.FromString(asked.SerializeToString())),
    ]
    assert mark(changed(asked, lambda _one: None)) == mark(asked)
    assert len({mark(asked), *others}) == 6


def test_a_referee_s_position_and_an_observation_of_it_are_one(
    referee: position_pb2.Position, position: position_pb2.Position
) -> None:
    assert key(ask(referee)) == key(ask(position))
    assert key(choice(referee)) == key(choice(position))
    record = pb.AdviseRequest(record=position_pb2.Record(start=position), seat=1)
    record.limits.simulations = 300
    record.options.algorithm = advice_pb2.ALGORITHM_MCTS
    assert key(record) == key(ask(position))


def test_what_cannot_change_the_answer_is_no_part_of_the_key(position: position_pb2.Position) -> None:
    plain = ask(position)
    legal = advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves
    for change in (
        lambda one: setattr(one.options, "threads", 4),
        lambda one: setattr(one.options, "priority", -3),
        lambda one: setattr(one.options, "max_moves", 10),  # the default
        lambda one: setattr(one.options, "confidence", 0.95),
        lambda one: setattr(one.options, "objective", advice_pb2.OBJECTIVE_WIN),
        lambda one: setattr(one.position, "chance_events", one.position.chance_events + 1),
        lambda one: one.limits.time.FromSeconds(600),  # the server's cap
        lambda one: one.options.allow_moves.extend(legal),  # all: as if nothing had been said
    ):
        assert key(changed(plain, change)) == key(plain)
    named = changed(plain, lambda one: one.options.allow_moves.extend(legal[:2]))
    turned = changed(plain, lambda one: one.options.allow_moves.extend([legal[1], legal[0], legal[1]]))
    assert key(named) == key(turned)
    level = choice(position)
    assert key(changed(level, lambda one: setattr(one.options, "priority", 5))) == key(level)


def test_what_can_change_the_answer_is_part_of_the_key(position: position_pb2.Position) -> None:
    legal = advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves
    plain, level, limited = ask(position), choice(position), choice_by_limits(position)
    both: list[Callable[[Any], object]] = [
        lambda one: setattr(one.limits, "simulations", 301),
        lambda one: setattr(one.limits, "depth", 3),
        lambda one: setattr(one.limits, "memory_bytes", 1 << 20),
        lambda one: one.limits.time.FromSeconds(3),
        lambda one: setattr(one.options, "algorithm", advice_pb2.ALGORITHM_UCT),
        lambda one: setattr(one.options, "objective", advice_pb2.OBJECTIVE_SCORE),
        lambda one: setattr(one.options, "trees", 2),
        lambda one: setattr(one.options, "seed", 1),
        lambda one: one.options.allow_moves.extend(legal[:2]),
        lambda one: one.options.avoid_moves.extend(legal[:2]),
    ]
    advice: list[Callable[[Any], object]] = [
        *both,
        lambda one: setattr(one.options, "max_moves", 11),
        lambda one: setattr(one.options, "confidence", 0.9),
        lambda one: one.options.report_moves.extend(legal[:1]),
        lambda one: one.options.report_moves.extend(legal[1:2]),
    ]
    by_level: list[Callable[[Any], object]] = [
        lambda one: setattr(one, "level", 4),
        lambda one: setattr(one, "seed", 8),
        lambda one: one.options.allow_moves.extend(legal[:2]),
    ]
    # A card to the right of another, not to its left.
    elsewhere = changed(plain, lambda one: setattr(one.position.ocean.table.seats[0].ocean[0].cell, "x", 1))
    requests = [plain, level, limited, elsewhere]
    requests += [changed(plain, change) for change in advice]
    requests += [changed(limited, change) for change in both]
    requests += [changed(level, change) for change in by_level]
    keys = [key(request) for request in requests]
    assert None not in keys
    assert len(set(keys)) == len(keys)


def test_other_ways_to_play_have_other_keys() -> None:
    """Where all else is equal: rules that have not mattered yet, seats, variant, game."""
    openings = [
        *(new(seats, variant) for seats in (2, 3, 4) for variant in ("base", "targets")),
        new(2, "targets", promo=True),
        new(2, "targets", mirror_targets=True),
        new(2, same_kind_sets=True),
        new(2, passing=2),
        *(new_heart(2, **rule) for rule in ({}, {"mirror_patterns": True}, {"repeat_swimmers": True})),
        *(new_sanctuary(2, **rule) for rule in ({}, {"food_cap": 20}, {"floor_score_at_zero": True})),
    ]
    keys = set()
    for opening in openings:
        begun = advisor().new_position(opening)
        keys.add(key(pb.AdviseRequest(position=begun.position, seat=begun.status.pending[0])))
    assert len(keys) == len(openings)


def test_a_new_kernel_has_new_answers(position: position_pb2.Position) -> None:
    prepared = advisor().prepare(ask(position))
    game, variant, seats, rules, digest, version = prepared.setup.identity
    assert (game, variant, seats, version) == ("ocean", "base", 4, prepared.setup.kernel.kernel_version)
    assert digest == prepared.setup.catalogue.digest
    assert dict(rules) == prepared.setup.rules  # type: ignore[call-overload]  # pairs


def test_nothing_that_a_later_version_adds_is_forgotten() -> None:
    """Whoever adds a field has to say here whether the answer depends on it."""
    assert set(Limits._fields) == {"simulations", "seconds", "deadline", "depth", "memory"}
    assert set(Options._fields) == {
        "algorithm", "objective", "trees", "threads", "seed", "lines", "allowed", "confidence",
    }  # fmt: skip
    assert set(Prepared._fields) == {
        "setup", "observation", "limits", "options", "max_moves", "wanted", "held", "priority", "converted_seconds",
        "how_key",
    }  # fmt: skip
    assert set(PreparedChoice._fields) == {
        "setup", "observation", "level", "limits", "options", "end", "priority", "converted_seconds",
    }  # fmt: skip


def test_the_time_of_a_turn_is_for_one_request_alone(position: position_pb2.Position) -> None:
    assert key(changed(choice(position), lambda one: one.turn_time.FromSeconds(3))) is None


# On a server.


def keeping(**changed: Any) -> Settings:
    """Of a server that keeps answers, as they do unless told otherwise."""
    return settings(**{"cache_bytes": Settings().cache_bytes, **changed})


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(keeping()) as running:
        yield running


@pytest.fixture
def client(server: ServerThread) -> Iterator[Client]:
    with Client(server.address) as connected:
        yield connected


def without_timing(answer: Any) -> bytes:
    copy = type(answer)()
    copy.CopyFrom(answer)
    copy.ClearField("timing")
    data: bytes = copy.SerializeToString()
    return data


def counts(server: ServerThread, rpc: str) -> tuple[float, float]:
    """Hits and misses."""
    found = (metric(server, "advisor_kept_answers_total", rpc=rpc, outcome=outcome) for outcome in ("hit", "miss"))
    hits, misses = found
    return hits, misses


@SERVED
def test_an_equal_request_gets_equal_bytes_without_a_search(
    server: ServerThread, client: Client, referee: position_pb2.Position, position: position_pb2.Position
) -> None:
    first = client.advise(ask(referee))
    made = metric(server, "advisor_simulations_total")
    size = metric(server, "advisor_kept_answers_bytes")
    assert size >= len(without_timing(first))
    hits, misses = counts(server, "Advise")
    asked = changed(ask(position), lambda one: setattr(one.options, "priority", 4))
    again = client.advise(asked)
    assert without_timing(again) == without_timing(first)
    assert not first.timing.cached
    assert again.timing.cached
    assert (again.timing.searched_ms, again.timing.queued_ms, again.timing.threads) == (0, 0, 0)
    assert again.timing.simulations_per_second == 0
    assert again.timing.total_ms >= again.timing.converted_ms > 0
    assert again.timing.request_id not in ("", first.timing.request_id)
    assert counts(server, "Advise") == (hits + 1, misses)
    # Nothing was searched, and nothing more is kept but that this request has the same answer.
    assert metric(server, "advisor_simulations_total") == made
    taken = len(mark_of(pb.AdviseRequest, asked.SerializeToString(), 0)) + len(key(asked) or b"") + OVERHEAD_BYTES
    assert metric(server, "advisor_kept_answers_bytes") == size + taken
    hits, misses = counts(server, "Advise")
    unread = client.advise(asked)
    assert (unread.timing.cached, unread.timing.converted_ms) == (True, 0)
    assert without_timing(unread) == without_timing(first)
    assert counts(server, "Advise") == (hits + 1, misses)
    assert metric(server, "advisor_kept_answers_bytes") == size + taken
    assert without_timing(advisor().advise(ask(position))) == without_timing(first)


@SERVED
def test_the_very_same_request_is_not_even_read(server: ServerThread, client: Client) -> None:
    position = observe(play(new(), 16, 5), 1)
    kinds: list[tuple[Any, Callable[[Any], Any]]] = [
        (ask(position), client.advise),
        (choice(position), client.choose_move),
    ]
    for request, call in kinds:
        first, again = call(request), call(request)
        other = call(changed(request, lambda one: setattr(one.options, "priority", 4)))
        assert (first.timing.cached, again.timing.cached, other.timing.cached) == (False, True, True)
        assert without_timing(first) == without_timing(again) == without_timing(other)
        assert first.timing.converted_ms > 0
        assert again.timing.converted_ms == 0
        assert other.timing.converted_ms > 0


@SERVED
def test_other_catalogues_have_other_answers(position: position_pb2.Position) -> None:
    """Even for the very same bytes: what they name may be another catalogue's content now."""
    with ServerThread(keeping()) as server, Client(server.address) as client:
        assert not client.advise(ask(position)).timing.cached
        assert client.advise(ask(position)).timing.converted_ms == 0
        asyncio.run_coroutine_threadsafe(server.running.reload(), server.loop).result()
        again = client.advise(ask(position))
        assert again.timing.converted_ms > 0
        assert again.timing.cached  # having been read: the content is as it was


@SERVED
def test_choices_are_kept_but_not_those_with_a_time_for_the_turn(
    server: ServerThread, client: Client, position: position_pb2.Position
) -> None:
    chosen = metric(server, "advisor_choices_total", level="3")
    for request in (choice(position), choice_by_limits(position)):
        first, again = client.choose_move(request), client.choose_move(request)
        assert (first.timing.cached, again.timing.cached) == (False, True)
        assert without_timing(first) == without_timing(again)
    assert metric(server, "advisor_choices_total", level="3") == chosen + 2
    before = counts(server, "ChooseMove")
    timed = changed(choice(position), lambda one: one.turn_time.FromSeconds(30))
    assert not client.choose_move(timed).timing.cached
    assert not client.choose_move(timed).timing.cached
    assert counts(server, "ChooseMove") == before


@SERVED
def test_a_watcher_of_a_kept_answer_gets_it_at_once(client: Client, position: position_pb2.Position) -> None:
    asked = changed(ask(position), lambda one: one.limits.ClearField("simulations"))
    asked.limits.time.FromMilliseconds(300)
    watched = pb.WatchAdviceRequest(advise=asked)
    watched.interval.FromMilliseconds(20)
    *_, last = client.watch(watched)
    assert not last.advice.timing.cached
    (only,) = client.watch(watched)
    assert only.final
    assert only.advice.timing.cached
    assert without_timing(only.advice) == without_timing(last.advice)
    assert client.advise(asked).timing.cached


@SERVED
def test_what_a_deadline_or_a_cancel_cut_short_is_not_kept(
    server: ServerThread, client: Client, position: position_pb2.Position
) -> None:
    asked = changed(ask(position), lambda one: setattr(one.limits, "simulations", 10**8))
    for _ in range(2):
        answer = client.advise(asked, timeout=0.4)
        assert answer.stop_reason == advice_pb2.STOP_REASON_DEADLINE
        assert not answer.timing.cached
    watched = pb.WatchAdviceRequest(advise=asked)
    for _ in range(2):
        with client.watch(watched) as watch:
            first = next(watch)
            assert not first.final
    wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
    with pytest.raises(AdvisorError):
        client.advise(pb.AdviseRequest(position=position, seat=2))


@SERVED
def test_what_a_drain_cut_short_is_not_kept(position: position_pb2.Position) -> None:
    async def drain() -> Answers:
        async with serve(keeping()) as running:
            kept = running._servicer._answers
            with ThreadPoolExecutor(1) as threads, Client(running.address) as client:
                asked = changed(ask(position), lambda one: setattr(one.limits, "simulations", 10**8))
                loop = asyncio.get_running_loop()
                answer = loop.run_in_executor(threads, client.advise, asked)
                while not running.metrics.registry.get_sample_value("advisor_workers_busy"):
                    await asyncio.sleep(0.005)
                await running.drain(0.5)
                assert (await answer).stop_reason == advice_pb2.STOP_REASON_DEADLINE
            return kept

    assert asyncio.run(drain()).size == 0


@SERVED
def test_a_hit_needs_no_worker(position: position_pb2.Position) -> None:
    with ServerThread(keeping(workers=1, queue_length=0)) as server, Client(server.address) as client:
        first = client.advise(ask(position))
        long = pb.WatchAdviceRequest(
            advise=changed(ask(position), lambda one: setattr(one.limits, "simulations", 10**8))
        )
        with client.watch(long) as busy:
            next(busy)
            again = client.advise(ask(position))
            assert again.timing.cached
            assert without_timing(again) == without_timing(first)
            (batched,) = client.batch([pb.AdviseBatchRequest(id="one", advise=ask(position))], timeout=10)
            assert without_timing(batched.advice) == without_timing(first)
            assert counts(server, "AdviseBatch") == (1, 0)


@SERVED
def test_what_had_to_give_way_for_long_is_not_kept(position: position_pb2.Position) -> None:
    """It is worse than it would be on an idle server."""
    timed, hint = ask(position), ask(position)
    for request, seconds in ((timed, 1.0), (hint, 0.3)):
        request.limits.ClearField("simulations")
        request.limits.time.FromMilliseconds(round(seconds * 1000))
    with ServerThread(keeping(workers=1)) as server, Client(server.address) as client:
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(client.advise, timed)
            wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
            assert not client.advise(hint).timing.cached  # comes later, and is due sooner
            answer.result()
        assert metric(server, "advisor_preemptions_total") > 0
        assert client.advise(hint).timing.cached  # which had its core for itself
        assert not client.advise(timed).timing.cached
        assert client.advise(timed).timing.cached


@SERVED
def test_keeping_can_be_turned_off(position: position_pb2.Position) -> None:
    with ServerThread(keeping(cache_bytes=0)) as server, Client(server.address) as client:
        for _ in range(2):
            assert not client.advise(ask(position)).timing.cached
        assert metric(server, "advisor_kept_answers_total") == 0
        assert metric(server, "advisor_kept_answers_bytes") == 0


@SERVED
def test_little_room_is_not_exceeded(position: position_pb2.Position) -> None:
    most = 20_000
    with ServerThread(keeping(cache_bytes=most)) as server, Client(server.address) as client:
        requests = [ask(position, 20) for _ in range(30)]
        for seed, request in enumerate(requests):
            request.options.seed = seed
            client.advise(request)
            assert metric(server, "advisor_kept_answers_bytes") <= most
        assert client.advise(requests[-1]).timing.cached
        assert not client.advise(requests[0]).timing.cached


def test_no_stop_reason_is_forgotten() -> None:
    kept = set(advice_pb2.StopReason.values()) - answers.CUT_SHORT
    assert {advice_pb2.StopReason.Name(reason) for reason in kept} == {
        "STOP_REASON_UNSPECIFIED", "STOP_REASON_SIMULATIONS", "STOP_REASON_TIME", "STOP_REASON_MEMORY",
        "STOP_REASON_IMMEDIATE", "STOP_REASON_SOLVED", "STOP_REASON_DEPTH",
    }  # fmt: skip
