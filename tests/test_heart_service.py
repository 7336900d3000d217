"""Heart through the service: chance that is drawn, given by a table or seen, and what is told of it."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from bad_requests_heart import due, due_seen, taking, turn
from wire import advisor, new, new_heart, observe, play, play_game

from advisor.errors import AdvisorError
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2

pytestmark = pytest.mark.apart

VARIATIONS: list[dict[str, Any]] = [
    {"seats": 2, "reshuffle_discards": False, "repeat_swimmers": True},
    {"seats": 3, "mirror_patterns": True, "swims_mandatory": True, "bonus_tile_optional": True},
    {"seats": 4, "starting_tile_blocks": True, "orange_needs_requirement": False},
]
CHANCE = {"first_drawn", "tile_drawn", "photo_drawn", "die_rolled"}
DEAL = 4 * 3 + 4 + 1
"""Chance events of a deal whose first player is given: tiles, photo cards, the die."""


def legal(position: position_pb2.Position, seat: int) -> list[position_pb2.Move]:
    return list(advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves)


def names(events: Any) -> list[str]:
    return [event.heart.WhichOneof("event") for event in events]


def chances(events: Any) -> list[position_pb2.Event]:
    return [event for event in events if event.heart.WhichOneof("event") in CHANCE]


def apply(position: position_pb2.Position, **more: Any) -> pb.ApplyMoveResponse:
    return advisor().apply_move(pb.ApplyMoveRequest(position=position, **more))


@cache
def with_refill() -> tuple[position_pb2.Position, position_pb2.Move]:
    """A referee's position, and a move that is followed by the three draws of a column."""
    position = taking()
    for seed in range(1, 50):
        position = play(new_heart(seed=seed), 35, seed)
        columns = position.heart.table.columns
        for move in legal(position, turn(position)):
            if move.heart.HasField("take") and len(columns[move.heart.take.column].tiles) == 1:
                return position, move
    raise AssertionError("no column has one tile")


# The whole game.


@pytest.mark.parametrize("variation", VARIATIONS, ids=str)
def test_whole_games(variation: dict[str, Any]) -> None:
    """A referee's position and every seat's observation are played side by side to the end and stay equal.

    Seats tell their own moves in every way there is.
    """
    rng = random.Random(5)
    begun = advisor().new_position(new_heart(**variation))
    position, status = begun.position, begun.status
    seats = position.seats
    assert position.chance_events == DEAL + 1
    seen = [observe(position, seat) for seat in range(seats)]
    while not status.over:
        (seat,) = status.pending
        moves = legal(position, seat)
        assert moves == legal(seen[seat], seat)
        move = rng.choice(moves)
        played = apply(position, seat=seat, move=move, seed=9)
        assert played.position.chance_events == position.chance_events + len(chances(played.events))
        position, status = played.position, played.status
        for observer in range(seats):
            report = pb.ApplyMoveRequest(position=seen[observer], seat=observer, events=played.events)
            if observer == seat:
                how = rng.randrange(3)
                if how > 0:
                    report.move.CopyFrom(move)
                if how == 2:
                    shown = apply(seen[observer], seat=seat, move=move).events
                    assert played.events[: len(shown)] == shown
                    del report.events[: len(shown)]
            told = advisor().apply_move(report)
            seen[observer] = told.position
            view = advisor().observe(pb.ObserveRequest(position=position, seat=observer))
            assert told.position == view.position
            assert told.status == view.status
    assert min(status.ranks) == 1
    assert names(played.events)[-1] == "ended"


def test_a_report_event_by_event() -> None:
    position, move = with_refill()
    played = apply(position, seat=turn(position), move=move, seed=4)
    seen = observe(position, (turn(position) + 1) % 3)
    for event in played.events:
        seen = apply(seen, events=[event]).position
    assert seen == observe(played.position, (turn(position) + 1) % 3)


# The deal.


def test_the_first_seat_is_given_or_drawn() -> None:
    begun = set()
    for seed in range(8):
        drawn = advisor().new_position(new_heart(seed=seed))
        assert drawn.position.chance_events == DEAL + 1
        begun.add(drawn.position.heart.table.first_player)
        for seat in range(3):
            request = new_heart(seed=seed)
            request.first_seat = seat
            given = advisor().new_position(request)
            assert given.status.pending == [seat]
            assert given.position.chance_events == DEAL
            assert given.position.heart.table.first_player == seat
    assert begun == {0, 1, 2}
    request = new(3)
    request.first_seat = 1
    assert advisor().new_position(request) == advisor().new_position(new(3))


def test_the_seed_decides_the_deal() -> None:
    first, again, other = (advisor().new_position(new_heart(seed=seed)).position for seed in (1, 1, 2**64 - 1))
    assert first == again != other


# Chance on a referee's position.


def test_the_seed_and_the_counter_decide_what_is_drawn() -> None:
    position, move = with_refill()
    seat = turn(position)
    answers = [apply(position, seat=seat, move=move, seed=seed) for seed in range(20)]
    assert names(answers[0].events) == ["taken", "tile_drawn", "tile_drawn", "tile_drawn"]
    assert answers[0] == apply(position, seat=seat, move=move)
    assert len({answer.position.SerializeToString() for answer in answers}) > 10
    later = position_pb2.Position()
    later.CopyFrom(position)
    later.chance_events += 1
    assert apply(later, seat=seat, move=move).events != answers[0].events


def test_a_game_at_a_table() -> None:
    """What was drawn at a table leads to where the seed led that drew the same."""
    played = play_game(new_heart(), 45, 3)
    position = played.start
    for move, events in zip(played.moves, played.events, strict=True):
        given = chances(events)
        again = apply(position, seat=move.seat, move=move.move, events=given, seed=77)
        assert list(again.events) == events
        position = again.position
    assert position == played.end


def test_what_is_not_given_is_drawn() -> None:
    position, move = with_refill()
    seat = turn(position)
    drawn = apply(position, seat=seat, move=move, seed=4)
    for number in range(4):
        given = drawn.events[1 : 1 + number]
        assert apply(position, seat=seat, move=move, events=given, seed=4) == drawn
    other = next(
        entry.tile for entry in position.heart.table.pile if entry.tile != drawn.events[1].heart.tile_drawn.tile
    )
    given = [position_pb2.Event(heart={"tile_drawn": {"tile": other, "column": move.heart.take.column}})]
    changed = apply(position, seat=seat, move=move, events=given, seed=4)
    assert changed.events[1].heart.tile_drawn.tile == other
    assert len(changed.events) == 4


def test_chance_that_is_due() -> None:
    """It goes on without a move: drawn from the seed, or given."""
    drawn = apply(due(), seed=3)
    assert names(drawn.events) == ["tile_drawn"] * 3
    assert drawn.status.pending == [turn(due())]
    assert drawn.position.chance_events == due().chance_events + 3
    assert apply(due(), seed=3) == drawn
    assert apply(due(), events=drawn.events, seed=8) == drawn
    seen = apply(due_seen(), events=drawn.events)
    assert seen.position == observe(drawn.position, turn(due()))
    assert not seen.events


@pytest.mark.parametrize("position", [due(), due_seen()], ids=["referee", "observation"])
def test_nobody_decides_while_chance_is_due(position: position_pb2.Position) -> None:
    seat = turn(position)
    asked: list[Callable[[], object]] = [
        lambda: advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)),
        lambda: advisor().advise(pb.AdviseRequest(position=position, seat=seat)),
        lambda: advisor().choose_move(pb.ChooseMoveRequest(position=position, seat=seat)),
        lambda: apply(position, seat=seat, move=position_pb2.Move(notation="take 0")),
    ]
    for ask in asked:
        with pytest.raises(AdvisorError) as caught:
            ask()
        error = caught.value
        assert (error.reason, error.metadata) == ("CHANCE_DUE", {"event": "tile_drawn"})
        assert "tile_drawn" in error.message
    status = advisor().observe(pb.ObserveRequest(position=position, seat=turn(position))).status
    assert not status.pending
    assert not status.over


# Records.


@pytest.mark.parametrize("decisions", [0, 1, 25, 45])
def test_records_lead_where_the_game_went(decisions: int) -> None:
    played = play_game(new_heart(), decisions, 3)
    seat = turn(played.end)
    expected = advisor().choose_move(pb.ChooseMoveRequest(position=played.end, seat=seat, level=2, seed=5))
    expected.ClearField("timing")
    for record in (played.record(), played.seen_by(seat)):
        found = advisor().choose_move(pb.ChooseMoveRequest(record=record, seat=seat, level=2, seed=5))
        found.ClearField("timing")
        assert found == expected


def test_a_record_that_ends_before_chance() -> None:
    position, move = with_refill()
    record = position_pb2.Record(start=position)
    record.steps.add().move.CopyFrom(position_pb2.SeatMove(seat=turn(position), move=move))
    with pytest.raises(AdvisorError) as caught:
        advisor().advise(pb.AdviseRequest(record=record, seat=turn(position)))
    assert caught.value.reason == "CHANCE_DUE"


# The computer opponent.


def test_the_rest_of_a_turn_can_be_played() -> None:
    """The moves of an answer follow each other without another question."""
    position, status = play(new_heart(), 30, 3), None
    longest = 0
    for seed in range(10):
        seat = turn(position) if status is None else status.pending[0]
        chosen = advisor().choose_move(pb.ChooseMoveRequest(position=position, seat=seat, level=3, seed=seed))
        longest = max(longest, len(chosen.moves))
        for move in chosen.moves:
            assert move in legal(position, seat)
            played = apply(position, seat=seat, move=move, seed=seed)
            position, status = played.position, played.status
    assert longest > 1


def test_advice_is_the_same_for_referee_and_observer() -> None:
    position = play(new_heart(), 33, 3)
    seat = turn(position)
    answers = []
    for asked in (position, observe(position, seat)):
        request = pb.AdviseRequest(position=asked, seat=seat)
        request.limits.simulations = 200
        answers.append(advisor().advise(request))
        answers[-1].ClearField("timing")
    assert answers[0] == answers[1]
    assert len(answers[0].moves[0].line) > 1
