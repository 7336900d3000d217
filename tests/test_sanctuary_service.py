"""Sanctuary through the service: hidden choices, private events, chance that is drawn, given by a table or seen."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from bad_requests_sanctuary import (
    choosing,
    discarding,
    due,
    due_seen,
    feeding,
    last_of_round,
    picking,
    playing,
    playing_seen,
    returning,
    scrambling,
    splitting,
    splitting_seen,
    turn,
    undealt,
)
from wire import advisor, new_sanctuary, observe, play_game

from advisor.errors import AdvisorError
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2, sanctuary_pb2

pytestmark = pytest.mark.apart

VARIATIONS: list[dict[str, Any]] = [
    {"seats": 2, "blind_choice": True, "floor_score_at_zero": True},
    {"seats": 2},
    {"seats": 3, "pooled_space": True, "food_cap": 7},
    {"seats": 6, "play_order": "SANCTUARY_PLAY_ORDER_SEAT_BY_SEAT", "round_bonuses": True},
    {"seats": 12, "variant": "scramble", "round_bonuses": True, "mirror_shapes": True},
    {"seats": 3, "variant": "scramble", "allow_small_scramble": True, "blind_choice": True},
    {"seats": 1, "variant": "solo", "round_bonuses": True},
    {"seats": 1, "variant": "solo", "challenge": "SANCTUARY_CHALLENGE_POWER_CAP"},
    {"seats": 1, "variant": "solo", "challenge": "SANCTUARY_CHALLENGE_WEAK_CUT"},
    {"seats": 1, "variant": "solo", "challenge": "SANCTUARY_CHALLENGE_SAVIOUR"},
]
CHANCE = {"bonus_drawn", "card_dealt", "card_drawn", "manatee_drawn"}
TELLING = CHANCE - {"card_dealt"} | {"card_received"}
"""Events that tell an outcome."""
PRIVATE = {"card_received", "stacks_seen", "hand_taken"}
FOLLOWING = {"housed", "fed", "scored", "round_begun", "ended"}
"""Events that follow by rule."""
MOST_REPORTED = 300


def legal(position: position_pb2.Position, seat: int) -> list[position_pb2.Move]:
    return list(advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves)


def name(event: position_pb2.Event) -> str:
    return str(event.sanctuary.WhichOneof("event"))


def names(events: Any) -> list[str]:
    return [name(event) for event in events]


def telling(events: Any) -> list[position_pb2.Event]:
    """The outcomes as a table gives them."""
    return [event for event in events if name(event) in TELLING]


def seen_by(events: Any, seat: int) -> list[position_pb2.Event]:
    return [event for event in events if not event.HasField("private_to") or event.private_to == seat]


def apply(position: position_pb2.Position, **more: Any) -> pb.ApplyMoveResponse:
    return advisor().apply_move(pb.ApplyMoveRequest(position=position, **more))


def pending(position: position_pb2.Position) -> list[int]:
    return list(advisor().observe(pb.ObserveRequest(position=position)).status.pending)


# The whole game.


@pytest.mark.parametrize("variation", VARIATIONS, ids=str)
def test_whole_games(variation: dict[str, Any]) -> None:
    """A referee's position and every seat's observation are played side by side to the end and stay equal.

    Seats tell their own moves in every way there is: as a move, as events, or both.
    """
    rng = random.Random(5)
    begun = advisor().new_position(new_sanctuary(**variation))
    position, status = begun.position, begun.status
    seats, bonuses = position.seats, 3 * position.sanctuary.rules.round_bonuses
    assert position.chance_events == bonuses + (2 if seats == 1 else 5 * seats)
    seen = [observe(position, seat) for seat in range(seats)]
    longest = 0
    while not status.over:
        seat = rng.choice(status.pending)
        moves = legal(position, seat)
        assert moves == legal(seen[seat], seat)
        move = rng.choice(moves)
        played = apply(position, seat=seat, move=move, seed=9)
        drawn = sum(one in CHANCE for one in names(played.events))
        assert played.position.chance_events == position.chance_events + drawn
        for event in played.events:
            assert event.HasField("private_to") == (name(event) in PRIVATE)
            assert event.text
        position, status = played.position, played.status
        for observer in range(seats):
            news = seen_by(played.events, observer)
            longest = max(longest, len(news))
            report = pb.ApplyMoveRequest(position=seen[observer], seat=observer, events=news)
            if observer == seat:
                # The own split is in no event, and the own choice in none before all have chosen.
                hidden = move.notation.startswith("split") or names(news) == ["committed"]
                how = rng.randrange(int(hidden), 3)
                if how > 0:
                    report.move.CopyFrom(move)
                if how == 2:
                    shown = apply(seen[observer], seat=seat, move=move).events
                    assert news[: len(shown)] == list(shown)
                    del report.events[: len(shown)]
            told = advisor().apply_move(report)
            seen[observer] = told.position
            view = advisor().observe(pb.ObserveRequest(position=position, seat=observer))
            assert told.position == view.position
            assert told.status == view.status
    assert min(status.ranks) == 1
    assert names(played.events)[-1] == "ended"
    assert longest < MOST_REPORTED


def test_a_report_event_by_event() -> None:
    """What is private comes with the public event before it; what follows by rule is left out."""
    for position, seat in ((splitting(), 1), (choosing(), 1), (last_of_round()[0], turn(last_of_round()[0]))):
        move = last_of_round()[1] if position is last_of_round()[0] else legal(position, seat)[0]
        played = apply(position, seat=seat, move=move, seed=4)
        for observer in range(3):
            seen = observe(position, observer)
            news = seen_by(played.events, observer)
            if observer == seat and position is not last_of_round()[0]:
                seen, news = apply(seen, seat=seat, move=move).position, news[1:]
            news = [event for event in news if name(event) not in FOLLOWING]
            while news:
                together = 1 + next(
                    (i for i, event in enumerate(news[1:]) if not event.HasField("private_to")), len(news)
                )
                seen = apply(seen, events=news[:together]).position
                news = news[together:]
            assert seen == observe(played.position, observer)


def test_nobody_is_told_what_others_choose() -> None:
    position, seen = splitting(), observe(splitting(), 0)
    answers = [apply(position, seat=1, move=move) for move in legal(position, 1)]
    assert len(answers) > 10
    for answer in answers:
        assert names(answer.events) == ["committed"]
        assert observe(answer.position, 0) == observe(answers[0].position, 0)
        assert apply(seen, events=answer.events).position == observe(answer.position, 0)


# Chance on a referee's position.


def test_the_seed_decides_the_deal() -> None:
    first, again, other = (
        advisor().new_position(new_sanctuary(seed=seed)).position.sanctuary.referee for seed in (1, 1, 2**64 - 1)
    )
    assert first == again != other


def test_a_first_seat_changes_nothing() -> None:
    request = new_sanctuary()
    request.first_seat = 2
    assert advisor().new_position(request) == advisor().new_position(new_sanctuary())


@pytest.mark.parametrize("variation", VARIATIONS[2:7], ids=str)
def test_a_game_at_a_table(variation: dict[str, Any]) -> None:
    """What was dealt and drawn at a table leads to where the seed led that drew the same."""
    played = play_game(new_sanctuary(**variation), 25 if variation["seats"] == 1 else 40, 3)
    position = played.start
    for move, events in zip(played.moves, played.events, strict=True):
        again = apply(position, seat=move.seat, move=move.move, events=telling(events), seed=77)
        assert list(again.events) == events
        position = again.position
    assert position == played.end


def test_what_is_not_given_is_drawn() -> None:
    position, move = last_of_round()
    seat = turn(position)
    drawn = apply(position, seat=seat, move=move, seed=4)
    assert names(drawn.events).count("card_dealt") == 15
    outcomes = telling(drawn.events)
    for number in (0, 1, 7, 15):
        assert apply(position, seat=seat, move=move, events=outcomes[:number], seed=4) == drawn
    # Whom it is told to may be left out, and another card may come.
    card = next(kind for kind in undealt(position) if kind != outcomes[0].sanctuary.card_received.card)
    given = [position_pb2.Event(sanctuary={"card_received": {"seat": 0, "card": card}})]
    changed = apply(position, seat=seat, move=move, events=given, seed=4)
    assert card in changed.position.sanctuary.referee.seats[0].hand
    assert len(changed.events) == len(drawn.events)


def test_chance_that_is_due() -> None:
    """It goes on without a move: drawn from the seed, or given."""
    drawn = apply(due(), seed=3)
    draws = due().sanctuary.table.draws_left
    assert names(drawn.events)[:draws] == ["manatee_drawn"] * draws
    assert drawn.status.pending
    assert drawn.position.chance_events == due().chance_events + draws
    assert apply(due(), seed=3) == drawn
    assert apply(due(), events=telling(drawn.events), seed=8) == drawn
    seen = apply(due_seen(), events=seen_by(drawn.events, turn(due())))
    assert seen.position == observe(drawn.position, turn(due()))
    assert not seen.events


@pytest.mark.parametrize("position", [due(), due_seen()], ids=["referee", "observation"])
def test_nobody_decides_while_chance_is_due(position: position_pb2.Position) -> None:
    seat = turn(position)
    asked: list[Callable[[], object]] = [
        lambda: advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)),
        lambda: advisor().advise(pb.AdviseRequest(position=position, seat=seat)),
        lambda: advisor().choose_move(pb.ChooseMoveRequest(position=position, seat=seat)),
        lambda: apply(position, seat=seat, move=position_pb2.Move(notation="top 0")),
    ]
    for ask in asked:
        with pytest.raises(AdvisorError) as caught:
            ask()
        error = caught.value
        assert (error.reason, error.metadata) == ("CHANCE_DUE", {"event": "manatee_drawn"})


def test_a_deal_that_is_due() -> None:
    """Between two rounds an observer waits for cards to be dealt, one by one."""
    position, move = last_of_round()
    played = apply(position, seat=turn(position), move=move)
    seen, seat = observe(position, 2), 2
    news = seen_by(played.events, seat)
    first = names(news).index("card_dealt")
    seen = apply(seen, events=news[: first + 3]).position
    assert seen.sanctuary.table.phase == sanctuary_pb2.SANCTUARY_PHASE_DRAW_CARD
    assert [entry.hand_size for entry in seen.sanctuary.table.seats] == [3, 0, 0]
    with pytest.raises(AdvisorError) as caught:
        legal(seen, seat)
    assert (caught.value.reason, caught.value.metadata) == ("CHANCE_DUE", {"event": "card_dealt"})
    later = apply(seen, events=news[first + 3 :])
    assert later.position == observe(played.position, seat)
    assert later.status.pending == [0, 1, 2]


# Records.


@pytest.mark.parametrize("variation", VARIATIONS[1:9:2], ids=str)
@pytest.mark.parametrize("decisions", [0, 1, 14, 30])
def test_records_lead_where_the_game_went(variation: dict[str, Any], decisions: int) -> None:
    played = play_game(new_sanctuary(**variation), decisions, 3)
    seat = pending(played.end)[0]
    expected = advisor().choose_move(pb.ChooseMoveRequest(position=played.end, seat=seat, level=2, seed=5))
    expected.ClearField("timing")
    for record in (played.record(), played.seen_by(seat)):
        found = advisor().choose_move(pb.ChooseMoveRequest(record=record, seat=seat, level=2, seed=5))
        found.ClearField("timing")
        assert found == expected


# Advice.


@pytest.mark.parametrize(
    "base",
    [splitting, choosing, playing, returning, feeding, picking, discarding, scrambling],
    ids=lambda base: base.__name__,
)
def test_advice_is_the_same_for_referee_and_observer(base: Callable[[], position_pb2.Position]) -> None:
    position = base()
    seat = pending(position)[-1]
    answers = []
    for asked in (position, observe(position, seat)):
        request = pb.AdviseRequest(position=asked, seat=seat)
        request.limits.simulations = 200
        answers.append(advisor().advise(request))
        answers[-1].ClearField("timing")
    assert answers[0] == answers[1]
    assert {ranked.move.notation for ranked in answers[0].moves} <= {move.notation for move in legal(position, seat)}
    for ranked in answers[0].moves:
        assert len(ranked.win_share) == len(ranked.expected_score) == position.seats


def test_the_rest_of_a_turn_can_be_played() -> None:
    """The moves of an answer follow each other without another question; alone a turn may have several."""
    longest = 0
    for request in (new_sanctuary(seed=4), *(new_sanctuary(1, "solo", seed=seed) for seed in range(4))):
        begun = advisor().new_position(request)
        position, status = begun.position, begun.status
        for seed in range(35):
            if status.over:
                break
            seat = status.pending[0]
            chosen = advisor().choose_move(pb.ChooseMoveRequest(position=position, seat=seat, level=3, seed=seed))
            longest = max(longest, len(chosen.moves))
            for move in chosen.moves:
                assert move in legal(position, seat)
                played = apply(position, seat=seat, move=move, seed=seed)
                position, status = played.position, played.status
    assert longest > 1


def test_a_turn_time_is_shared() -> None:
    for position in (playing_seen(), splitting_seen()):
        seat = position.sanctuary.seat_knowledge.seat
        request = pb.ChooseMoveRequest(position=position, seat=seat, level=10)
        request.turn_time.FromMilliseconds(40)
        chosen = advisor().choose_move(request)
        assert chosen.moves[0] in legal(position, seat)
        assert chosen.timing.total_ms < 400


# Alone.


def test_alone_the_score_or_the_challenge_counts() -> None:
    """Nobody else can win: without a challenge all share of first place is one's own, and advice goes by points."""
    request = pb.AdviseRequest(position=picking(), seat=0)
    request.limits.simulations = 300
    answer = advisor().advise(request)
    assert len(answer.moves) == 2
    assert all(len(ranked.win_share) == 1 for ranked in answer.moves)
    request = pb.AdviseRequest(position=discarding(), seat=0)
    request.limits.simulations = 300
    for ranked in advisor().advise(request).moves:
        assert 0 <= ranked.win_share[0] <= 1


def test_a_variant_has_to_be_told_of_one_player() -> None:
    request = new_sanctuary(1, "solo")
    assert advisor().new_position(request).position.seats == 1
    request.variant = ""
    with pytest.raises(AdvisorError) as caught:
        advisor().new_position(request)
    assert [tuple(fault) for fault in caught.value.violations] == [("seats", "expected 2 to 6, not 1")]
