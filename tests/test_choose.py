"""The computer opponent: levels, limits, time for a turn, and what it may not play."""

import dataclasses
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from test_server import ask, connect, metric, settings, wait_for
from wire import advisor, new, observe, play, play_game

from advisor.errors import AdvisorError
from advisor.remote import RemoteAdvisor
from advisor.server import ServerThread
from advisor.threadtimes import MeasuredSearch
from advisor.v1 import advice_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from search.request import Algorithm, Answer, StopReason
from search.run import Search

pytestmark = pytest.mark.apart

LEVELS = range(1, 11)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerThread]:
    with ServerThread(settings()) as running:
        yield running


@pytest.fixture(scope="module")
def position() -> position_pb2.Position:
    return play(new(), 14, 3)


def choose(request: pb.ChooseMoveRequest) -> pb.ChooseMoveResponse:
    response = advisor().choose_move(request)
    response.ClearField("timing")
    return response


def legal(position: position_pb2.Position, seat: int = 1) -> list[position_pb2.Move]:
    return list(advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_play_legal_moves_and_the_same_again(position: position_pb2.Position, level: int) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1, level=level, seed=4)
    response = choose(request)
    assert response.level == level
    assert response.moves[0] in legal(position)
    assert 0 < response.simulations <= 2000
    assert choose(request) == response
    assert choose(pb.ChooseMoveRequest(position=observe(position, 1), seat=1, level=level, seed=4)) == response
    played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=1, move=response.moves[0]))
    assert 1 not in played.status.pending


def test_seeds_vary_weak_play(position: position_pb2.Position) -> None:
    played = {
        choose(pb.ChooseMoveRequest(position=position, seat=1, level=1, seed=seed)).moves[0].notation
        for seed in range(20)
    }
    assert len(played) > 1


def test_without_a_strength_it_is_the_strongest(position: position_pb2.Position) -> None:
    assert choose(pb.ChooseMoveRequest(position=position, seat=1)).level == 10


def test_a_record_is_a_position(position: position_pb2.Position) -> None:
    expected = choose(pb.ChooseMoveRequest(position=position, seat=1, level=5))
    played = play_game(new(), 14, 3)
    for record in (played.record(), played.seen_by(1)):
        assert choose(pb.ChooseMoveRequest(record=record, seat=1, level=5)) == expected


@pytest.mark.parametrize("level", [1, 4, 10])
def test_moves_that_are_not_to_be_played(position: position_pb2.Position, level: int) -> None:
    moves = legal(position)
    for seed in range(8):
        request = pb.ChooseMoveRequest(position=position, seat=1, level=level, seed=seed)
        request.options.avoid_moves.extend(moves[1:7])
        assert choose(request).moves[0] in (moves[0], moves[7])
        request.options.Clear()
        request.options.allow_moves.append(moves[3])
        assert choose(request).moves[0] == moves[3]


def test_limits_play_the_best_ranked_move(position: position_pb2.Position) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1)
    request.limits.simulations = 300
    request.options.seed = 6
    request.options.objective = advice_pb2.OBJECTIVE_SCORE
    response = choose(request)
    best = advisor().advise(pb.AdviseRequest(position=position, seat=1, limits=request.limits, options=request.options))
    assert response.level == 0
    assert response.moves[0] == best.moves[0].move
    assert response.value == best.moves[0].value
    assert response.simulations == 300
    assert response.stop_reason == advice_pb2.STOP_REASON_SIMULATIONS
    request.options.ClearField("seed")
    request.seed = 6
    assert choose(request) == response


def test_a_mix_is_drawn_from() -> None:
    """Where a proven mix is the best play, the best-ranked move alone would be found out."""
    position = play(new(2, seed=7), 26, 7)
    mixes = {mix.seat: mix for mix in advisor().advise(pb.AdviseRequest(position=position, seat=0)).mixes}
    own = {one.move.notation: one.probability for one in mixes[0].moves}
    assert len(own) == 2
    for request in (
        pb.ChooseMoveRequest(position=position, seat=0, limits=advice_pb2.Limits(simulations=10)),
        pb.ChooseMoveRequest(position=position, seat=0, level=10),
    ):
        played: Counter[str] = Counter()
        for request.seed in range(90):
            response = choose(request)
            assert response.stop_reason == advice_pb2.STOP_REASON_SOLVED
            played[response.moves[0].notation] += 1
        assert played.keys() == own.keys()
        for notation, probability in own.items():
            assert abs(played[notation] / 90 - probability) < 0.2  # four standard errors


# Time.


def test_a_decision_gets_its_share_of_the_turn(position: position_pb2.Position) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1)
    request.limits.time.seconds = 60
    request.turn_time.FromMilliseconds(300)  # a pick and a placement
    begun = time.monotonic()
    response = choose(request)
    assert 0.1 < time.monotonic() - begun < 0.29
    assert response.stop_reason == advice_pb2.STOP_REASON_TIME
    start = advisor().new_position(new()).position
    first = pb.ChooseMoveRequest(position=start, seat=1, limits=request.limits, turn_time=request.turn_time)
    begun = time.monotonic()
    choose(first)  # a pick alone: the first card has no place to be chosen
    assert time.monotonic() - begun > 0.29


@pytest.mark.parametrize("level", [0, 2, 10])
def test_no_turn_is_too_short_for_a_move(position: position_pb2.Position, level: int) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1)
    if level:
        request.level = level
    else:
        request.limits.time.seconds = 60
    request.turn_time.nanos = 1
    request.options.avoid_moves.append(legal(position)[0])
    response = choose(request)
    assert response.moves[0] in legal(position)[1:]
    assert response.stop_reason == advice_pb2.STOP_REASON_TIME


def test_more_time_than_it_takes_changes_nothing(position: position_pb2.Position) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1, level=6)
    expected = choose(request)
    request.turn_time.seconds = 60
    assert choose(request) == expected


def test_a_deadline_that_has_passed(position: position_pb2.Position) -> None:
    with pytest.raises(AdvisorError) as caught:
        advisor().choose_move(pb.ChooseMoveRequest(position=position, seat=1), deadline=time.monotonic() - 1)
    assert caught.value.reason == "DEADLINE_TOO_SHORT"


def test_cancel_through_the_search(position: position_pb2.Position) -> None:
    def cancel(search: Search) -> None:
        search.cancel()

    for request in (
        pb.ChooseMoveRequest(position=position, seat=1, level=10),
        pb.ChooseMoveRequest(position=position, seat=1, limits=advice_pb2.Limits()),
    ):
        with pytest.raises(AdvisorError) as caught:
            advisor().choose_move(request, on_search=cancel)
        assert caught.value.reason == "CANCELLED"


# Over the network.


def test_the_same_from_a_server(server: ServerThread, position: position_pb2.Position) -> None:
    with RemoteAdvisor(server.address) as remote:
        for level in (1, 10):
            request = pb.ChooseMoveRequest(position=position, seat=1, level=level, seed=9)
            response = remote.choose_move(request)
            assert response.timing.request_id
            assert response.timing.total_ms > response.timing.searched_ms > 0
            response.ClearField("timing")
            assert response == choose(request)
        limited = pb.ChooseMoveRequest(position=position, seat=1, limits=advice_pb2.Limits(simulations=50))
        assert remote.choose_move(limited).level == 0
    for level in (0, 1, 10):
        assert metric(server, "advisor_choices_total", game="ocean", level=str(level)) == 1
    assert metric(server, "advisor_requests_in_flight") == 0


def test_cancel_stops_the_work(server: ServerThread, position: position_pb2.Position) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1, limits=ask(position, 60).limits)
    with connect(server.address) as stub:
        call = stub.ChooseMove.future(request)
        wait_for(lambda: metric(server, "advisor_workers_busy") == 1)
        call.cancel()
        wait_for(lambda: metric(server, "advisor_workers_busy") == 0)
    wait_for(lambda: metric(server, "advisor_requests_in_flight") == 0)


def test_options_of_an_answer_are_refused(position: position_pb2.Position) -> None:
    request = pb.ChooseMoveRequest(position=position, seat=1, limits=advice_pb2.Limits(simulations=50))
    request.options.report_moves.append(legal(position)[0])
    request.options.max_moves = 3
    request.options.confidence = 0.9
    with pytest.raises(AdvisorError) as caught:
        choose(request)
    paths = ["options.report_moves", "options.max_moves", "options.confidence"]
    assert sorted(path for path, _ in caught.value.violations) == sorted(paths)


def test_no_time_limit_is_too_short_for_a_move(
    position: position_pb2.Position, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = pb.ChooseMoveRequest(position=position, seat=1, limits=advice_pb2.Limits(simulations=1))
    greedy.options.algorithm = advice_pb2.ALGORITHM_GREEDY
    expected = choose(greedy).moves[0]
    run = MeasuredSearch.run

    def too_slow(self: MeasuredSearch) -> Answer:
        answer = run(self)
        if self.options.algorithm is not Algorithm.MCTS:
            return answer
        moves = [ranked for ranked in answer.moves if ranked.move != answer.moves[0].move]
        return dataclasses.replace(answer, moves=moves, simulations=0, stop_reason=StopReason.TIME)

    monkeypatch.setattr(MeasuredSearch, "run", too_slow)
    request = pb.ChooseMoveRequest(position=position, seat=1)
    request.limits.time.nanos = 1
    request.options.algorithm = advice_pb2.ALGORITHM_MCTS
    response = choose(request)
    assert response.moves[0] == expected
    assert response.simulations == 0
    assert response.stop_reason == advice_pb2.STOP_REASON_TIME
