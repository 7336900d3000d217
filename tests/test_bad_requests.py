"""Whatever is sent: a status that says what is wrong, and an answer to the next request."""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import bad_requests_heart as heart
import bad_requests_sanctuary as sanctuary
import grpc
import pytest
from bad_requests import Case, cases, finished, pick, place, played, seen, seen_targets, targets
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire import advisor, new, new_heart, new_sanctuary

from advisor import protojson
from advisor.errors import (
    DETAILS_KEY,
    DOMAIN,
    MAX_STATUS_BYTES,
    MAX_VIOLATIONS,
    AdvisorError,
    from_exception,
    from_rpc_error,
)
from advisor.faults import Faults
from advisor.games import Games, Header
from advisor.positions import header_of, read_position
from advisor.remote import RemoteAdvisor
from advisor.server import SERVICE, ServerThread
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import advisor_service_pb2_grpc, position_pb2
from ext.errors import Malformed

pytestmark = pytest.mark.apart

CASES = cases() + heart.cases() + sanctuary.cases()
METHODS = {
    "GetGame": "get_game",
    "NewPosition": "new_position",
    "Observe": "observe",
    "ListMoves": "list_moves",
    "ApplyMove": "apply_move",
    "Advise": "advise",
    "WatchAdvice": "watch",
    "ChooseMove": "choose_move",
}
STREAMED = {"WatchAdvice"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    settings = Settings(port=0, metrics_port=0, default_seconds=0.02, workers=2)
    with ServerThread(settings) as server:
        yield server.address


@pytest.fixture(scope="module")
def remote(address: str) -> Iterator[RemoteAdvisor]:
    with RemoteAdvisor(address) as client:
        yield client


def call(client: RemoteAdvisor | Advisor, rpc: str, request: Message) -> Any:
    answer = getattr(client, METHODS[rpc])(request)
    return list(answer)[-1] if rpc in STREAMED else answer


def assert_answers(client: RemoteAdvisor) -> None:
    answer = client.list_moves(pb.ListMovesRequest(position=pick(), seat=1))
    assert len(answer.moves) == 8


def test_there_are_enough() -> None:
    assert len(CASES) >= 200
    assert len(sanctuary.cases()) >= 150
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_refused_with_paths(remote: RemoteAdvisor, case: Case) -> None:
    with pytest.raises(AdvisorError) as caught:
        call(remote, case.rpc, case.request)
    error = caught.value
    assert error.status == case.code
    assert error.reason == case.reason
    if case.paths is None:
        assert not error.violations
    else:
        found = [path for path, _ in error.violations]
        assert set(case.paths) <= set(found)
        assert all(protojson.path_within(path, set(case.paths)) for path in found)
        assert all(message for _, message in error.violations)
    assert_answers(remote)


class Forgetful(Games):
    """Reads what decides a position's setup each time anew."""

    def recall(self, header: Header) -> None:
        return None


def test_what_was_read_before_hides_no_fault() -> None:
    forgetful, warm = Advisor(games=Forgetful()), Advisor()
    recalled = 0
    for case in CASES:
        said = []
        for one in (forgetful, warm, warm):
            with pytest.raises((AdvisorError, Malformed)) as caught:
                call(one, case.rpc, case.request)
            error = from_exception(caught.value)
            said.append((error.status, error.reason, error.message, error.violations, error.metadata))
        assert said[1:] == said[:1] * 2, case.name
        position = getattr(case.request, "position", None)
        if isinstance(position, position_pb2.Position) and position.WhichOneof("content") == position.game:
            recalled += warm.games.recall(header_of(warm.games.entries[position.game], position)) is not None
    assert recalled > 100


def test_headers_are_few_and_small() -> None:
    games = Games(cache_size=2)
    for seats in (2, 3, 4, 2):
        position = advisor().new_position(new(seats)).position
        found = [read_position(games, position, Faults()) for _ in range(2)]
        assert [one.setup.seats for one in found if one is not None] == [seats, seats]
        assert games.recall(header_of(games.entries["ocean"], position)) is not None
    assert len(games._headers) == 2
    # Fields of a later version are ignored, and not kept.
    position = advisor().new_position(new(2)).position
    position.ocean.rules.MergeFromString(b"\xfa\x3f\xac\x02" + bytes(300))
    assert read_position(games, position, Faults()) is not None
    assert games.recall(header_of(games.entries["ocean"], position)) is None


def test_the_bases_are_sound(remote: RemoteAdvisor) -> None:
    for position, seat in ((pick(), 1), (place(), 0), (targets(), 1), (seen(), 1), (seen_targets(), 1)):
        assert remote.advise(pb.AdviseRequest(position=position, seat=seat)).moves
    assert remote.observe(pb.ObserveRequest(position=finished(), seat=0)).status.over


def details(error: Any) -> status_pb2.Status:
    trailers = dict(error.trailing_metadata() or ())
    return status_pb2.Status.FromString(trailers[DETAILS_KEY])


def test_many_faults_fit_into_the_trailers(address: str) -> None:
    request = pb.AdviseRequest(position=pick(), seat=1)
    for secrets in request.position.ocean.referee.seats:
        secrets.hand[:] = [-1] * 40
    with grpc.insecure_channel(address) as channel:
        stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            stub.Advise(request, timeout=10)
    status = details(caught.value)
    assert status.ByteSize() <= MAX_STATUS_BYTES
    assert status.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    info, bad_request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(bad_request)
    assert info.domain == DOMAIN
    assert info.reason == "INVALID_REQUEST"
    assert 1 <= len(bad_request.field_violations) <= MAX_VIOLATIONS
    assert int(info.metadata["violations"]) > len(bad_request.field_violations)


def test_above_the_size_cap(remote: RemoteAdvisor) -> None:
    request = pb.AdviseRequest(position=pick(), seat=1)
    request.position.variant = "x" * (2 << 20)
    with pytest.raises(AdvisorError) as caught:
        remote.advise(request)
    assert caught.value.status == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert_answers(remote)


@pytest.mark.parametrize(
    "data", [b"\xff", b"\x0a\x05ab", bytes(range(256)), b"\x0a\x04\x0a\x02\xff\xfe", b"\x08\x01" * 1000 + b"\x07"]
)
@pytest.mark.parametrize("rpc", sorted(METHODS))
def test_bytes_that_are_no_message(address: str, remote: RemoteAdvisor, rpc: str, data: bytes) -> None:
    with grpc.insecure_channel(address) as channel:
        method = f"/{SERVICE}/{rpc}"
        raw: Any = channel.unary_stream(method) if rpc in STREAMED else channel.unary_unary(method)
        with pytest.raises(grpc.RpcError) as caught:
            list(raw(data, timeout=10))
    assert from_rpc_error(caught.value).status == grpc.StatusCode.INVALID_ARGUMENT
    assert_answers(remote)


def test_unknown_fields_are_ignored(address: str) -> None:
    data = pb.ListMovesRequest(position=pick(), seat=1).SerializeToString() + b"\xf8\x3f\x01"
    with grpc.insecure_channel(address) as channel:
        raw: Any = channel.unary_unary(f"/{SERVICE}/ListMoves")
        answer = pb.ListMovesResponse.FromString(raw(data, timeout=10))
    assert len(answer.moves) == 8


# Random changes of sound requests.

NUMBERS = (0, 1, -1, 2, 3, 7, 8, 9, 10, 39, 40, 41, 2**31 - 1, -(2**31))
WIDE = (*NUMBERS, 2**63 - 1, -(2**63))
TEXTS = ("", "ocean", "targets", "base", "pick 3", "place 0,1", "x" * 300, "\x00", "\u6d77")
ALLOWED = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION}


def sound_requests() -> list[tuple[str, Message]]:
    """One request of each RPC and kind of position; searches are kept short."""
    found: list[tuple[str, Message]] = [("NewPosition", new(3, "targets", promo=True)), ("NewPosition", new())]
    for position, seat in ((pick(), 1), (place(), 0), (targets(), 1), (seen(), 1), (seen_targets(), 1)):
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        found += [
            ("Observe", pb.ObserveRequest(position=position, seat=seat)),
            ("ListMoves", pb.ListMovesRequest(position=position, seat=seat)),
            ("ApplyMove", pb.ApplyMoveRequest(position=position, seat=seat, move=moves[0])),
        ]
        ask = pb.AdviseRequest(position=position, seat=seat)
        ask.limits.simulations = 20
        ask.options.report_moves.append(moves[-1])
        ask.options.allow_moves.extend(moves)
        found.append(("Advise", ask))
        found.append(("WatchAdvice", pb.WatchAdviceRequest(advise=ask)))
        found.append(("ChooseMove", pb.ChooseMoveRequest(position=position, seat=seat, level=3)))
    for record in (played().record(), played().seen_by(1)):
        ask = pb.AdviseRequest(record=record, seat=1)
        ask.limits.simulations = 20
        found.append(("Advise", ask))
    found.append(("NewPosition", new_heart()))
    for position in (heart.taking(), heart.placing(), heart.swimming(), heart.taking_seen()):
        found += sound(position, heart.turn(position))
    due = pb.ApplyMoveRequest(position=heart.due())
    due.events.extend(advisor().apply_move(due).events[:2])
    found.append(("ApplyMove", due))
    seat = heart.turn(heart.played().end)
    for record in (heart.played().record(), heart.played().seen_by(seat)):
        ask = pb.AdviseRequest(record=record, seat=seat)
        ask.limits.simulations = 20
        found.append(("Advise", ask))
    found += sound_sanctuary()
    # A report of everything that happens at the end of a round.
    position, observation = place(), advisor().observe(pb.ObserveRequest(position=place(), seat=0)).position
    report = pb.ApplyMoveRequest(position=observation, seat=0)
    for seat in advisor().observe(pb.ObserveRequest(position=position, seat=0)).status.pending:
        move = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves[0]
        applied = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=move))
        position = applied.position
        if seat == 0:
            report.move.CopyFrom(move)
        for event in applied.events:
            own = event.ocean.HasField("committed") and event.ocean.committed.seat == 0
            if not own and (not event.HasField("private_to") or event.private_to == 0):
                report.events.append(event)
    advisor().apply_move(report)
    found.append(("ApplyMove", report))
    return found


def sound_sanctuary() -> list[tuple[str, Message]]:
    """Every phase that asks somebody, as the referee and as the seat sees it, chance that is due, and records."""
    found: list[tuple[str, Message]] = [
        ("NewPosition", new_sanctuary()),
        ("NewPosition", new_sanctuary(1, "solo", challenge=sanctuary.POWER_CAP)),
        ("NewPosition", new_sanctuary(12, "scramble", round_bonuses=True)),
    ]
    bases = (sanctuary.splitting, sanctuary.choosing, sanctuary.playing, sanctuary.returning, sanctuary.feeding)
    for base in (*bases, sanctuary.picking, sanctuary.discarding, sanctuary.scrambling):
        position = base()
        (*_, seat) = advisor().observe(pb.ObserveRequest(position=position)).status.pending
        found += sound(position, seat)
        found += sound(advisor().observe(pb.ObserveRequest(position=position, seat=seat)).position, seat)
    due = pb.ApplyMoveRequest(position=sanctuary.due())
    due.events.append(advisor().apply_move(due).events[0])
    found.append(("ApplyMove", due))
    seen = pb.ApplyMoveRequest(position=sanctuary.due_seen(), events=due.events)
    found.append(("ApplyMove", seen))
    end = sanctuary.played().end
    (*_, seat) = advisor().observe(pb.ObserveRequest(position=end)).status.pending
    for record in (sanctuary.played().record(), sanctuary.played().seen_by(seat)):
        ask = pb.AdviseRequest(record=record, seat=seat)
        ask.limits.simulations = 20
        found.append(("Advise", ask))
    return found


def sound(position: position_pb2.Position, seat: int) -> list[tuple[str, Message]]:
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
    move = position_pb2.Move(notation=moves[0].notation)
    ask = pb.AdviseRequest(position=position, seat=seat)
    ask.limits.simulations = 20
    return [
        ("Observe", pb.ObserveRequest(position=position, seat=seat)),
        ("ListMoves", pb.ListMovesRequest(position=position, seat=seat)),
        ("ApplyMove", pb.ApplyMoveRequest(position=position, seat=seat, move=move)),
        ("Advise", ask),
        ("ChooseMove", pb.ChooseMoveRequest(position=position, seat=seat, level=2)),
    ]


SOUND = sound_requests()


def messages_in(message: Message) -> list[Message]:
    """The message and every message inside it."""
    found = [message]
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else [value]:
                found += messages_in(one)
    return found


def mutate(message: Message, rng: random.Random) -> None:
    """Change one field of the message or of one inside it."""
    target: Any = rng.choice(messages_in(message))
    fields = target.DESCRIPTOR.fields
    if not fields:
        return
    field = rng.choice(fields)
    name = field.name
    if rng.random() < 0.15:
        target.ClearField(name)
    elif field.message_type is not None and field.is_repeated:
        entries = getattr(target, name)
        if entries and rng.random() < 0.4:
            del entries[rng.randrange(len(entries))]
        elif entries and rng.random() < 0.6:
            entries.add().CopyFrom(rng.choice(list(entries)))
        else:
            entries.add()
    elif field.message_type is not None:
        getattr(target, name).SetInParent()
    elif field.is_repeated:
        entries = getattr(target, name)
        if entries and rng.random() < 0.7:
            entries[rng.randrange(len(entries))] = scalar(field, rng)
        else:
            entries.append(scalar(field, rng))
    else:
        setattr(target, name, scalar(field, rng))


def scalar(field: FieldDescriptor, rng: random.Random) -> Any:
    if field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_ENUM):
        return rng.choice(NUMBERS)
    if field.cpp_type == FieldDescriptor.CPPTYPE_INT64:
        return rng.choice(WIDE)
    if field.cpp_type == FieldDescriptor.CPPTYPE_UINT64:
        return rng.choice((0, 1, 2**64 - 1))
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return rng.random() < 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return rng.choice((0.0, 0.5, 0.95, 1.0, -1.0, 1e300, float("inf"), float("nan")))
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(20)))
    return rng.choice(TEXTS)


def restrain(request: Message) -> None:
    """Keep a search that is still allowed from taking its time."""
    if isinstance(request, pb.WatchAdviceRequest):
        request = request.advise
    if isinstance(request, pb.AdviseRequest) or (
        isinstance(request, pb.ChooseMoveRequest) and request.HasField("limits")
    ):
        limits = request.limits
        if not limits.HasField("simulations") or limits.simulations > 100:
            limits.simulations = 20


def error_of(client: RemoteAdvisor, rpc: str, request: Message) -> AdvisorError | None:
    try:
        call(client, rpc, request)
    except AdvisorError as error:
        return error
    return None


@given(st.integers(0, len(SOUND) - 1), st.integers(0, 2**32), st.integers(1, 4))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_changes(remote: RemoteAdvisor, which: int, seed: int, changes: int) -> None:
    rpc, sound = SOUND[which]
    request = type(sound)()
    request.CopyFrom(sound)
    rng = random.Random(seed)
    for _ in range(changes):
        mutate(request, rng)
    restrain(request)
    error = error_of(remote, rpc, request)
    if error is not None:
        assert error.status in ALLOWED, request
        assert error.status != grpc.StatusCode.INVALID_ARGUMENT or error.violations
    assert_answers(remote)


def test_sound_requests_are_answered(remote: RemoteAdvisor) -> None:
    for rpc, request in SOUND:
        call(remote, rpc, request)


@pytest.mark.parametrize(
    ("base", "holder", "field", "count"),
    [
        (pick, "referee.seats[1]", "hand", 1_000_000),
        (pick, "referee.seats[1]", "targets", 1_000_000),
        (pick, "table.seats[0]", "targets", 1_000_000),
        (pick, "table.seats[0]", "ocean", 100_000),
        (pick, "table", "seats", 100_000),
        (pick, "referee", "seats", 100_000),
        (seen, "seat_knowledge", "targets", 1_000_000),
        (seen, "seat_knowledge", "hands", 100_000),
        (seen, "seat_knowledge.hands[1]", "cards", 1_000_000),
        (heart.taking, "table", "seats", 100_000),
        (heart.taking, "table", "pile", 100_000),
        (heart.taking, "table", "discards", 100_000),
        (heart.taking, "table", "columns", 100_000),
        (heart.taking, "table", "photo_deck", 100_000),
        (heart.taking, "table", "open_photos", 1_000_000),
        (heart.taking, "table", "swum", 100_000),
        (heart.taking, "table.seats[0]", "habitat", 100_000),
        (heart.taking, "table.seats[0]", "photos", 1_000_000),
        (heart.taking, "table.columns[0]", "tiles", 1_000_000),
        (sanctuary.playing, "table", "seats", 100_000),
        (sanctuary.playing, "table", "bags", 100_000),
        (sanctuary.playing, "table", "bonuses", 1_000_000),
        (sanctuary.playing, "table", "drawn", 1_000_000),
        (sanctuary.playing, "table", "discards", 1_000_000),
        (sanctuary.playing, "table.seats[0]", "sanctuary", 100_000),
        (sanctuary.playing, "table.seats[0]", "tops", 1_000_000),
        (sanctuary.playing, "referee", "seats", 100_000),
        (sanctuary.playing, "referee.seats[0]", "hand", 1_000_000),
        (sanctuary.playing, "referee.seats[0]", "left_hand", 1_000_000),
        (sanctuary.choosing, "referee.seats[0].made", "smaller", 1_000_000),
        (sanctuary.choosing_seen, "seat_knowledge.offered", "larger", 1_000_000),
        (sanctuary.splitting_seen, "seat_knowledge", "right_hand", 1_000_000),
    ],
)
def test_too_many_entries_are_one_fault_at_once(
    base: Callable[[], position_pb2.Position], holder: str, field: str, count: int
) -> None:
    """A million of them are neither converted nor told of one by one."""
    position = position_pb2.Position()
    position.CopyFrom(base())  # which is kept for others
    member = position.game
    message: Any = getattr(position, member)
    for name in holder.replace("[", ".").replace("]", "").split("."):
        message = message[int(name)] if name.isdigit() else getattr(message, name)
    entries = getattr(message, field)
    if message.DESCRIPTOR.fields_by_name[field].message_type is not None:
        entries.extend([type(entries.add())()] * count)
    else:
        entries.extend([1] * count)
    advisor = Advisor()
    begun = time.process_time()
    with pytest.raises(AdvisorError) as caught:
        advisor.observe(pb.ObserveRequest(position=position, seat=1))
    assert time.process_time() - begun < 0.5
    told = dict(caught.value.violations)
    assert told[f"position.{member}.{holder}.{field}"].startswith("expected at most ")
    assert len(told) < 20


def test_too_many_events_and_moves() -> None:
    advisor = Advisor()
    with pytest.raises(AdvisorError) as caught:
        advisor.apply_move(pb.ApplyMoveRequest(position=seen(), events=[position_pb2.Event()] * 301))
    assert [tuple(fault) for fault in caught.value.violations] == [("events", "expected at most 300, not 301")]
    request = pb.AdviseRequest(position=seen(), seat=1)
    request.options.avoid_moves.extend([position_pb2.Move(notation="pick 1")] * 1001)
    with pytest.raises(AdvisorError) as caught:
        advisor.advise(request)
    assert ("options.avoid_moves", "expected at most 1,000, not 1,001") in [tuple(f) for f in caught.value.violations]
