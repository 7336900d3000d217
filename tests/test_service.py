"""The service's methods without a network: what the messages promise."""

import random
import time
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from wire import advisor, new, observe, over, play

from advisor.catalogues import CatalogueError, digest_of
from advisor.errors import AdvisorError
from advisor.faults import Faults
from advisor.games import ENTRIES, Games
from advisor.positions import header_of, read_position
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advice_pb2, game_pb2, position_pb2
from advisor.v1 import advisor_service_pb2 as pb
from ext.game import CHANCE
from search.run import Search

pytestmark = pytest.mark.apart

VARIATIONS: list[dict[str, Any]] = [
    {"seats": 2},
    {"seats": 3, "passing": "OCEAN_PASSING_ALTERNATE"},
    {"seats": 4, "passing": "OCEAN_PASSING_RIGHT", "same_kind_sets": True},
    {"seats": 2, "variant": "targets", "topology": "OCEAN_TOPOLOGY_HEX", "promo": True},
    {"seats": 4, "variant": "targets", "topology": "OCEAN_TOPOLOGY_SQUARE_DIAGONAL", "mirror_targets": True},
]


def advise(position: position_pb2.Position, seat: int, **limits: int) -> pb.AdviseResponse:
    request = pb.AdviseRequest(position=position, seat=seat)
    for name, value in (limits or {"simulations": 100}).items():
        setattr(request.limits, name, value)
    return without_timing(advisor().advise(request))


def without_timing(answer: pb.AdviseResponse) -> pb.AdviseResponse:
    answer.ClearField("timing")
    return answer


def refused(call: Callable[[], Message]) -> AdvisorError:
    with pytest.raises(AdvisorError) as caught:
        call()
    return caught.value


# Games.


def test_games_are_listed() -> None:
    heart, ocean, sanctuary = advisor().list_games(pb.ListGamesRequest()).games
    assert (heart.game, ocean.game, sanctuary.game) == ("heart", "ocean", "sanctuary")
    assert [variant.variant for variant in heart.variants] == ["base"]
    assert [variant.variant for variant in ocean.variants] == ["base", "targets"]
    variants = [(variant.variant, variant.min_seats, variant.max_seats) for variant in sanctuary.variants]
    assert variants == [("base", 2, 6), ("solo", 1, 1), ("scramble", 7, 12)]
    for game in (heart, ocean, sanctuary):
        assert (game.min_seats, game.max_seats) == ((1, 12) if game is sanctuary else (2, 4))
        assert game.catalogues[0].id == f"{game.game}-house"


@pytest.mark.parametrize("game", ["heart", "ocean", "sanctuary"])
def test_a_game_in_full(game: str) -> None:
    found = advisor().get_game(pb.GetGameRequest(game=game))
    catalogue = getattr(found.catalogue, game)
    rules = getattr(game_pb2.Rules(), game).DESCRIPTOR
    assert [option.name for option in found.options] == [field.name for field in rules.fields]
    parts = {
        "ocean": lambda: catalogue.cards,
        "heart": lambda: catalogue.photos,
        "sanctuary": lambda: catalogue.bonuses,
    }
    assert len(parts[game]()) >= 10
    assert "ouse catalogue" in catalogue.about
    assert digest_of(catalogue) == found.catalogue.ref.digest


OPTIONS = [(entry.game, option) for entry in ENTRIES for option in entry.options]


@pytest.mark.parametrize(("game", "option"), OPTIONS, ids=[f"{game} {option.name}" for game, option in OPTIONS])
def test_defaults_are_as_told(game: str, option: Any) -> None:
    assert option.default in option.values
    assert all(decision.startswith(f"{game}-") for decision in option.decisions)
    assert option.decisions
    begun = advisor().new_position(pb.NewPositionRequest(game=game, seats=2))
    rules = getattr(begun.position, game).rules
    value = getattr(rules, option.name)
    field = rules.DESCRIPTOR.fields_by_name[option.name]
    if field.enum_type is not None:
        names = [name for name in field.enum_type.values_by_name if not name.endswith("_UNSPECIFIED")]
        assert len(names) == len(option.values)
        assert field.enum_type.values_by_number[value].name.endswith(f"_{option.default}")
    else:
        assert rules.HasField(option.name)
        assert str(value).lower() == option.default


# Positions.


@pytest.mark.parametrize("variation", VARIATIONS, ids=str)
def test_whole_games(variation: dict[str, Any]) -> None:
    """A referee's position and every seat's observation are played side by side to the end and stay equal."""
    rng = random.Random(5)
    request = new(**variation)
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    seats = request.seats
    assert position.chance_events == seats * (12 if request.variant == "targets" else 10)
    seen = [observe(position, seat) for seat in range(seats)]
    while not status.over:
        seat = rng.choice(status.pending)
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        assert moves == advisor().list_moves(pb.ListMovesRequest(position=seen[seat], seat=seat)).moves
        move = rng.choice(moves)
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=move))
        position, status = played.position, played.status
        for observer in range(seats):
            report = pb.ApplyMoveRequest(position=seen[observer], seat=observer)
            events = [one for one in played.events if not one.HasField("private_to") or one.private_to == observer]
            if observer == seat:
                report.move.notation = move.notation
                assert events[0].ocean.HasField("committed")
                events = events[1:]
            report.events.extend(events)
            told = advisor().apply_move(report)
            seen[observer] = told.position
            view = advisor().observe(pb.ObserveRequest(position=position, seat=observer))
            assert told.position == view.position
            assert told.status == view.status
    assert sorted(status.ranks)[0] == 1
    assert not status.pending
    for final in seen:
        assert (
            advisor().observe(pb.ObserveRequest(position=final, seat=final.ocean.seat_knowledge.seat)).status == status
        )


def test_a_position_survives_bytes_and_defaults() -> None:
    position = play(new(2, "targets", topology="OCEAN_TOPOLOGY_HEX"), 10)
    again = position_pb2.Position.FromString(position.SerializeToString())
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves
    assert advisor().list_moves(pb.ListMovesRequest(position=again, seat=1)).moves == moves
    for field in ("catalogue", "chance_events"):
        again.ClearField(field)
    assert advisor().list_moves(pb.ListMovesRequest(position=again, seat=1)).moves == moves


@pytest.mark.parametrize("variation", VARIATIONS, ids=str)
def test_chance_events_of_the_deal(variation: dict[str, Any]) -> None:
    setup = advisor().setup(new(**variation))
    kernel = setup.kernel
    state, events = kernel.start(), 0
    while kernel.turn(state) == CHANCE:
        state = kernel.happen(state, kernel.draw(state, 1, 0))
        events += 1
    assert advisor().new_position(new(**variation)).position.chance_events == events


def test_seeds_decide_the_deal() -> None:
    first, again, other = (advisor().new_position(new(seed=seed)).position for seed in (1, 1, 2**64 - 1))
    assert first == again
    assert first != other


def test_observing_an_observation() -> None:
    seen = observe(play(new(), 14, 3), 1)
    assert observe(seen, 1) == seen
    assert [
        fault.path for fault in refused(lambda: advisor().observe(pb.ObserveRequest(position=seen, seat=2))).violations
    ] == ["seat"]


def test_nothing_hidden_is_observed() -> None:
    position = play(new(4, "targets"), 14, 3)
    seen = observe(position, 1)
    assert not seen.ocean.HasField("referee")
    shuffled = position_pb2.Position()
    shuffled.CopyFrom(position)
    seats = shuffled.ocean.referee.seats
    # Seats 0 and 3 have committed; what, and what targets the others hold, is unknown to seat 1.
    seats[0].commitment.pick.card = next(card for card in seats[0].hand if card != seats[0].commitment.pick.card)
    hidden = [list(seats[seat].targets) for seat in (0, 2)]
    seats[0].targets[:], seats[2].targets[:] = reversed(hidden)
    assert shuffled != position
    assert observe(shuffled, 1).SerializeToString(deterministic=True) == seen.SerializeToString(deterministic=True)
    assert advise(shuffled, 1) == advise(position, 1)


# Moves.


def test_a_move_in_three_ways() -> None:
    position = play(new(), 14, 3)
    move = advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves[0]
    noted, typed = position_pb2.Move(notation=f"  PICK  {move.ocean.pick.card} "), position_pb2.Move(ocean=move.ocean)
    answers = [
        advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=1, move=one)) for one in (move, noted, typed)
    ]
    assert answers[0] == answers[1] == answers[2]
    assert [event.text for event in answers[0].events] == ["seat 1 commits"]


def test_events_say_to_whom() -> None:
    position = play(new(), 15, 3)
    seat = advisor().observe(pb.ObserveRequest(position=position, seat=0)).status.pending[0]
    move = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves[0]
    played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=move))
    kinds = [event.ocean.WhichOneof("event") for event in played.events]
    assert kinds == ["committed", "revealed"]
    assert all(event.text for event in played.events)


def test_over() -> None:
    position = over(new(3, "targets"))
    status = advisor().observe(pb.ObserveRequest(position=position, seat=2)).status
    assert status.over
    assert len(status.ranks) == len(status.scores) == 3
    for call in (
        lambda: advisor().list_moves(pb.ListMovesRequest(position=position, seat=0)),
        lambda: advisor().advise(pb.AdviseRequest(position=position, seat=0)),
        lambda: advisor().apply_move(
            pb.ApplyMoveRequest(position=position, seat=0, move=position_pb2.Move(notation="pick 1"))
        ),
    ):
        error = refused(call)
        assert (error.status, error.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "GAME_OVER")


# Advice.


def test_equal_requests_get_equal_answers() -> None:
    position = play(new(), 14, 3)
    answers = [advise(position, 1), advise(position, 1), advise(observe(position, 1), 1)]
    assert answers[0].SerializeToString(deterministic=True) == answers[1].SerializeToString(deterministic=True)
    assert answers[0] == answers[2]


def test_an_answer_is_complete() -> None:
    answer = advise(play(new(), 14, 3), 1, simulations=400)
    assert [move.rank for move in answer.moves] == list(range(1, 9))
    assert answer.legal_moves == 8
    assert answer.algorithm == advice_pb2.ALGORITHM_MCTS
    assert answer.objective == advice_pb2.OBJECTIVE_WIN
    assert answer.stop_reason == advice_pb2.STOP_REASON_SIMULATIONS
    assert answer.simulations == 400
    assert answer.limits.simulations == 400
    assert answer.limits.memory_bytes > 0
    assert answer.versions.sirenia
    assert answer.versions.kernel >= 1
    assert answer.versions.catalogue.digest
    assert sum(move.prior for move in answer.moves) == pytest.approx(1)
    assert sum(move.visits for move in answer.moves) == 400
    for move in answer.moves:
        assert move.line[0].seat == 1
        assert move.line[0].move == move.move
        assert move.playable >= 1
        assert len(move.win_share) == len(move.expected_score) == len(move.score_spread) == 4
        assert sum(move.win_share) == pytest.approx(1)


def test_fewer_moves_when_asked() -> None:
    request = pb.AdviseRequest(position=play(new(), 14, 3), seat=1)
    request.limits.simulations = 50
    request.options.max_moves = 3
    answer = advisor().advise(request)
    assert len(answer.moves) == 3
    assert answer.legal_moves == 8


@pytest.mark.parametrize("name", ["MCTS", "UCT", "FLAT", "GREEDY", "RANDOM"])
@pytest.mark.parametrize("objective", ["WIN", "SCORE"])
def test_every_algorithm(name: str, objective: str) -> None:
    request = pb.AdviseRequest(position=play(new(2), 7), seat=0)
    request.limits.simulations = 64
    request.options.CopyFrom(
        advice_pb2.AdviceOptions(algorithm=f"ALGORITHM_{name}", objective=f"OBJECTIVE_{objective}", seed=3, trees=2)
    )
    seat = advisor().observe(pb.ObserveRequest(position=request.position, seat=0)).status.pending[0]
    request.seat = seat
    answer = advisor().advise(request)
    assert advice_pb2.Algorithm.Name(answer.algorithm) == f"ALGORITHM_{name}"
    assert advice_pb2.Objective.Name(answer.objective) == f"OBJECTIVE_{objective}"
    assert answer.moves
    assert answer.seed == 3
    if name in ("GREEDY", "RANDOM"):
        assert answer.stop_reason == advice_pb2.STOP_REASON_IMMEDIATE


def test_the_default_limit_is_stated() -> None:
    position = observe(play(new(), 14, 3), 1)
    for limits in (advice_pb2.Limits(), advice_pb2.Limits(depth=2), advice_pb2.Limits(memory_bytes=1 << 20)):
        answer = advisor().advise(pb.AdviseRequest(position=position, seat=1, limits=limits))
        assert answer.limits.time.ToMilliseconds() == round(advisor().settings.default_seconds * 1000)
        assert answer.stop_reason in (advice_pb2.STOP_REASON_TIME, advice_pb2.STOP_REASON_MEMORY)
        assert answer.depth.max_decisions <= (2 if limits.HasField("depth") else 1000)


def test_a_time_too_short_for_anything() -> None:
    request = pb.AdviseRequest(position=observe(play(new(), 14, 3), 1), seat=1)
    request.limits.time.nanos = 1
    answer = advisor().advise(request)
    assert answer.stop_reason == advice_pb2.STOP_REASON_TIME
    assert len(answer.moves) == 8


def test_a_deadline_that_has_passed() -> None:
    request = pb.AdviseRequest(position=observe(play(new(), 14, 3), 1), seat=1)
    error = refused(lambda: advisor().advise(request, deadline=time.monotonic() - 1))
    assert (error.status, error.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_TOO_SHORT")


def test_cancel_through_the_search() -> None:
    request = pb.AdviseRequest(position=observe(play(new(), 14, 3), 1), seat=1)
    request.limits.time.seconds = 60
    begun = time.monotonic()

    def cancel(search: Search) -> None:
        search.cancel()

    error = refused(lambda: advisor().advise(request, on_search=cancel))
    assert error.reason == "CANCELLED"
    assert time.monotonic() - begun < 1


# Catalogues and rule sets.


def test_catalogues_from_a_folder(tmp_path: Any) -> None:
    from advisor.protojson import write

    catalogue = advisor().get_game(pb.GetGameRequest(game="ocean")).catalogue.ocean
    catalogue.id = "ocean-mine"
    catalogue.cards[0].name = "Something else"
    (tmp_path / "ocean-mine.json").write_text(write(catalogue), encoding="utf-8")
    mine = Advisor(Settings(catalogue_dirs=[tmp_path]))
    refs = mine.list_games(pb.ListGamesRequest()).games[1].catalogues
    assert [ref.id for ref in refs] == ["ocean-house", "ocean-mine"]
    request = new()
    request.catalogue.id = "ocean-mine"
    position = mine.new_position(request).position
    assert position.catalogue.digest == digest_of(catalogue)
    error = refused(lambda: advisor().observe(pb.ObserveRequest(position=position, seat=0)))
    assert error.reason == "CATALOGUE_NOT_HELD"
    assert error.metadata["held"] == "ocean-house"
    catalogue.cards[0].ClearField("kind")
    (tmp_path / "ocean-mine.json").write_text(write(catalogue), encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"cards\[0\]\.kind"):
        Games([tmp_path])


def test_compiled_rules_are_kept_and_bounded() -> None:
    games = Games(cache_size=2)
    entry, catalogue = games.entries["ocean"], games.catalogues("ocean")[0]
    first = games.setup(entry, "base", 2, {}, catalogue)
    assert games.setup(entry, "base", 2, {}, catalogue) is first
    for seats in (3, 4):
        games.setup(entry, "base", seats, {}, catalogue)
    assert games.setup(entry, "base", 2, {}, catalogue) is not first


def test_the_rules_that_are_recalled_most_are_kept() -> None:
    games = Games(cache_size=3)
    entry, catalogue = games.entries["ocean"], games.catalogues("ocean")[0]
    busy = advisor().new_position(new(2)).position
    assert read_position(games, busy, Faults()) is not None
    first = games.recall(header_of(entry, busy))
    assert first is not None
    for seats in (3, 4):
        for same_kind_sets in (False, True):
            games.setup(entry, "base", seats, {"same_kind_sets": same_kind_sets}, catalogue)
            assert games.recall(header_of(entry, busy)) is first
    other = advisor().new_position(new(3)).position
    assert read_position(games, other, Faults()) is not None
    assert games.recall(header_of(entry, other)) is not None
    assert games.recall(header_of(entry, busy)) is first
