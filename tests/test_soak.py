"""What the soak holds a server to: each check says no to what is wrong; `make soak` is the long run."""

import random
from collections.abc import Callable

import pytest
from serving import Figures
from soak.answers import faults_of, same_bytes, watched_faults
from soak.series import MB, Sample, left_behind, memory, slope
from wire import advisor, new_heart, new_sanctuary, play

from advisor.v1 import advice_pb2
from advisor.v1 import advisor_service_pb2 as pb


def samples(minutes: float, per_minute: float, size: float = 120.0, warming: float = 0.0) -> list[Sample]:
    """A sample a second of memory in MB: noise, a steady growth, and what fills up in the first fifth."""
    rng = random.Random(1)
    count = int(60 * minutes)
    found = []
    for second in range(count):
        grown = per_minute * second / 60 + warming * min(1.0, 5 * second / count)
        found.append(Sample(float(second), Figures(int(MB * (size + grown + rng.uniform(-3, 3))), 20, 30)))
    return found


@pytest.mark.parametrize("minutes", [0.5, 20])
def test_memory_that_stays_is_no_fault(minutes: float) -> None:
    assert memory(samples(minutes, 0)).faults == []
    assert memory(samples(minutes, 0, warming=60)).faults == []


@pytest.mark.parametrize(("minutes", "per_minute"), [(20, 10.0), (20, 2.5), (0.6, 120.0)])
def test_memory_that_grows_is_a_fault(minutes: float, per_minute: float) -> None:
    found = memory(samples(minutes, per_minute))
    assert found.faults
    assert found.slope / MB == pytest.approx(per_minute, rel=0.3)


def test_slope() -> None:
    assert slope([0, 1, 2, 3], [5, 7, 9, 11]) == pytest.approx(2)
    assert slope([0, 1], [5, 7]) == 0


def test_what_is_left_behind() -> None:
    before = Figures(1, 10, 20)
    assert left_behind(before, Figures(1, 12, 22)) == []
    assert left_behind(before, Figures(1, 30, 20)) == ["30 threads, before 10"]
    assert left_behind(before, Figures(1, 10, 60)) == ["60 descriptors, before 20"]


def ask(request: pb.NewPositionRequest) -> tuple[pb.AdviseResponse, frozenset[str], int]:
    """Advice in a game that has begun, its legal moves, and the number of seats."""
    position = play(request, 6)
    seat = advisor().observe(pb.ObserveRequest(position=position)).status.pending[0]
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
    advise = pb.AdviseRequest(position=position, seat=seat)
    advise.limits.simulations = 300
    advise.options.algorithm = advice_pb2.ALGORITHM_MCTS
    return advisor().advise(advise), frozenset(move.notation for move in moves), position.seats


def set_rank(answer: pb.AdviseResponse) -> None:
    answer.moves[1].rank = 1


def swap(answer: pb.AdviseResponse) -> None:
    first = advice_pb2.RankedMove()
    first.CopyFrom(answer.moves[0])
    answer.moves[0].CopyFrom(answer.moves[-1])
    answer.moves[-1].CopyFrom(first)
    answer.moves[0].rank, answer.moves[-1].rank = 1, len(answer.moves)


def forget(answer: pb.AdviseResponse) -> None:
    del answer.moves[:]


def repeat(answer: pb.AdviseResponse) -> None:
    answer.moves.add().CopyFrom(answer.moves[-1])
    answer.moves[-1].rank += 1


def name_illegal(answer: pb.AdviseResponse) -> None:
    answer.moves[0].move.notation = "take 99"


def miscount(answer: pb.AdviseResponse) -> None:
    answer.legal_moves += 1


def share(answer: pb.AdviseResponse) -> None:
    answer.moves[0].win_share[0] += 0.01


def leave_interval(answer: pb.AdviseResponse) -> None:
    answer.moves[0].interval.high = answer.moves[0].value - 0.1


def visit_too_often(answer: pb.AdviseResponse) -> None:
    answer.moves[0].visits += 1_000


def begin_elsewhere(answer: pb.AdviseResponse) -> None:
    answer.moves[0].line[0].move.notation = answer.moves[1].move.notation


def not_stop(answer: pb.AdviseResponse) -> None:
    answer.stop_reason = advice_pb2.STOP_REASON_UNSPECIFIED


def mix(answer: pb.AdviseResponse) -> None:
    answer.mixes.add().moves.add(probability=0.9)


@pytest.mark.parametrize(
    "spoil",
    [
        set_rank,
        swap,
        forget,
        repeat,
        name_illegal,
        miscount,
        share,
        leave_interval,
        visit_too_often,
        begin_elsewhere,
        not_stop,
        mix,
    ],
)
def test_a_wrong_answer_is_a_fault(spoil: Callable[[pb.AdviseResponse], None]) -> None:
    for request in (new_heart(), new_sanctuary()):
        answer, legal, seats = ask(request)
        assert faults_of(answer, legal, seats) == []
        spoil(answer)
        assert faults_of(answer, legal, seats), spoil.__name__


def test_streams() -> None:
    answer, legal, seats = ask(new_heart())
    interim = pb.AdviseResponse()
    interim.CopyFrom(answer)
    interim.stop_reason = advice_pb2.STOP_REASON_UNSPECIFIED
    final = pb.WatchAdviceResponse(advice=answer, final=True)
    early = pb.WatchAdviceResponse(advice=interim)
    assert watched_faults([early, early, final], legal, seats) == []
    for stream in ([], [early], [final, final], [final, early], [early, pb.WatchAdviceResponse(advice=answer)]):
        assert watched_faults(stream, legal, seats)


def test_only_the_timing_may_differ() -> None:
    answer, _, _ = ask(new_heart())
    other = pb.AdviseResponse()
    other.CopyFrom(answer)
    other.timing.total_ms += 1
    assert same_bytes(other) == same_bytes(answer)
    assert same_bytes(pb.WatchAdviceResponse(advice=other)) == same_bytes(pb.WatchAdviceResponse(advice=answer))
    other.moves[0].visits += 1
    assert same_bytes(other) != same_bytes(answer)
