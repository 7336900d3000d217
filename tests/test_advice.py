"""What advice says beyond the ranking, which moves it is about, and records in place of positions."""

import time
from typing import Any

import pytest
from wire import advisor, new, observe, play, play_game

from advisor.errors import AdvisorError
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

Limits = dict[str, int]


def ask(position: position_pb2.Position, seat: int = 1, simulations: int = 400) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=position, seat=seat)
    if simulations:
        request.limits.simulations = simulations
    return request


def answer(request: pb.AdviseRequest) -> pb.AdviseResponse:
    found = advisor().advise(request)
    found.ClearField("timing")
    return found


def bytes_of(request: pb.AdviseRequest) -> bytes:
    return answer(request).SerializeToString(deterministic=True)


def noted(*notations: str) -> list[position_pb2.Move]:
    return [position_pb2.Move(notation=notation) for notation in notations]


def notations(found: pb.AdviseResponse) -> list[str]:
    return [ranked.move.notation for ranked in found.moves]


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return observe(play(new(), 14, 3), 1)


@pytest.fixture(scope="module")
def legal(position: position_pb2.Position) -> list[position_pb2.Move]:
    return list(advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves)


# Which moves.


def test_allowed_moves_alone_are_ranked(position: position_pb2.Position, legal: list[position_pb2.Move]) -> None:
    request = ask(position)
    request.options.allow_moves.extend(legal[2:5])
    found = answer(request)
    assert sorted(notations(found)) == sorted(move.notation for move in legal[2:5])
    assert found.legal_moves == len(legal) == 8
    assert sum(ranked.visits for ranked in found.moves) == found.simulations == 400
    assert sum(ranked.prior for ranked in found.moves) == pytest.approx(1)


def test_moves_may_be_said_in_any_way(position: position_pb2.Position, legal: list[position_pb2.Move]) -> None:
    chosen = legal[2:5]
    ways = [
        chosen,
        [position_pb2.Move(ocean=move.ocean) for move in chosen],
        noted(*(f" {move.notation.upper()} " for move in reversed(chosen))),
        [*chosen, *chosen],
    ]
    answers = []
    for way in ways:
        request = ask(position)
        request.options.allow_moves.extend(way)
        answers.append(bytes_of(request))
    request = ask(position)
    request.options.avoid_moves.extend([*legal[:2], *legal[5:]])
    answers.append(bytes_of(request))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("name", ["MCTS", "UCT", "FLAT", "GREEDY", "RANDOM", "EXPECTIMAX"])
def test_every_algorithm_keeps_to_what_is_allowed(
    name: str, position: position_pb2.Position, legal: list[position_pb2.Move]
) -> None:
    request = ask(position, simulations=16)
    request.limits.depth = 2
    request.options.MergeFrom(advice_pb2.AdviceOptions(algorithm=f"ALGORITHM_{name}"))
    request.options.avoid_moves.extend(legal[:6])
    found = answer(request)
    assert advice_pb2.Algorithm.Name(found.algorithm) == f"ALGORITHM_{name}"
    assert sorted(notations(found)) == sorted(move.notation for move in legal[6:])
    assert found.legal_moves == 8


def test_reported_moves_come_behind_the_best(position: position_pb2.Position) -> None:
    whole = answer(ask(position))
    request = ask(position)
    request.options.max_moves = 2
    wanted = [whole.moves[number].move for number in (6, 1, 4, 4)]
    request.options.report_moves.extend(wanted)
    found = answer(request)
    assert [ranked.rank for ranked in found.moves] == [1, 2, 5, 7]
    assert list(found.moves) == [whole.moves[number] for number in (0, 1, 4, 6)]


def test_allowing_everything_changes_nothing(position: position_pb2.Position, legal: list[position_pb2.Move]) -> None:
    request = ask(position)
    request.options.allow_moves.extend(legal)
    assert bytes_of(request) == bytes_of(ask(position))


# How sure.


def test_intervals_and_ties(position: position_pb2.Position) -> None:
    widths = []
    for confidence in (0.5, 0.95, 0.999):
        request = ask(position)
        request.options.confidence = confidence
        found = answer(request)
        assert found.confidence == confidence
        assert found.moves[0].tied_with_best
        for ranked in found.moves:
            assert ranked.interval.low <= ranked.value <= ranked.interval.high
        widths.append([ranked.interval.high - ranked.interval.low for ranked in found.moves if ranked.visits])
    assert answer(ask(position)).confidence == 0.95
    assert all(a < b < c for a, b, c in zip(*widths, strict=True))


def test_the_outlook_is_that_of_the_best_move(position: position_pb2.Position) -> None:
    found = answer(ask(position))
    assert list(found.outlook.win_share) == list(found.moves[0].win_share)
    assert list(found.outlook.expected_score) == list(found.moves[0].expected_score)
    assert list(found.outlook.score_spread) == list(found.moves[0].score_spread)
    assert not found.mixes


def test_what_is_proven_says_so() -> None:
    position = play(new(2), 30, 3)
    request = ask(position, 0)
    request.limits.ClearField("simulations")
    found = answer(request)
    assert found.exact
    assert found.stop_reason == advice_pb2.STOP_REASON_SOLVED
    assert found.algorithm == advice_pb2.ALGORITHM_EXPECTIMAX
    for ranked in found.moves:
        assert ranked.interval.low == ranked.interval.high == ranked.value
    assert [mix.seat for mix in found.mixes] == [0, 1]
    for mix in found.mixes:
        assert sum(one.probability for one in mix.moves) == pytest.approx(1)
        assert all(one.probability > 0 for one in mix.moves)
        assert all(one.move.HasField("ocean") for one in mix.moves)
    assert sum(found.outlook.win_share) == pytest.approx(1)
    again = ask(observe(position, 0), 0)
    again.limits.ClearField("simulations")
    assert bytes_of(again) == bytes_of(request)


def test_what_is_not_small_is_searched(position: position_pb2.Position) -> None:
    found = answer(ask(position))
    assert found.algorithm == advice_pb2.ALGORITHM_MCTS
    assert not found.exact


# Records.

GAMES: list[tuple[dict[str, Any], int]] = [
    ({"seats": 4}, 14),
    ({"seats": 4}, 0),
    ({"seats": 3, "variant": "targets", "passing": "OCEAN_PASSING_ALTERNATE"}, 37),
    ({"seats": 2, "variant": "targets", "topology": "OCEAN_TOPOLOGY_HEX", "promo": True}, 25),
]


@pytest.mark.parametrize(("setup", "decisions"), GAMES, ids=str)
def test_the_end_of_a_record_is_a_position(setup: dict[str, Any], decisions: int) -> None:
    played = play_game(new(**setup), decisions, 3)
    seat = advisor().observe(pb.ObserveRequest(position=played.end, seat=0)).status.pending[0]
    expected = bytes_of(ask(played.end, seat, 100))
    for record in (played.record(), played.seen_by(seat)):
        request = pb.AdviseRequest(record=record, seat=seat)
        request.limits.simulations = 100
        assert bytes_of(request) == expected


def test_a_record_takes_moves_in_any_way_and_events_without_what_goes_without_saying() -> None:
    played = play_game(new(), 14, 3)
    expected = bytes_of(ask(played.end, 1, 50))
    record = played.seen_by(1)
    kept = [step for step in record.steps if step.event.ocean.WhichOneof("event") != "passed"]
    del record.steps[:]
    for step in kept:
        own = step.event.ocean.HasField("committed") and step.event.ocean.committed.seat == 1
        if step.HasField("move"):
            step.move.move.ClearField("ocean")
        if not own:
            record.steps.append(step)
    request = pb.AdviseRequest(record=record, seat=1)
    request.limits.simulations = 50
    assert bytes_of(request) == expected


def test_a_record_to_the_end_of_the_game() -> None:
    played = play_game(new(2), 34)
    for record in (played.record(), played.seen_by(0)):
        with pytest.raises(AdvisorError) as caught:
            advisor().advise(pb.AdviseRequest(record=record, seat=0))
        assert caught.value.reason == "GAME_OVER"


def test_a_long_record_is_read_at_once() -> None:
    played = play_game(new(4), 60)
    seat = advisor().observe(pb.ObserveRequest(position=played.end, seat=0)).status.pending[0]
    begun = time.monotonic()
    advisor().prepare(pb.AdviseRequest(record=played.record(), seat=seat))
    assert time.monotonic() - begun < 1
