"""docs/api.md against the messages and a real server: fields, examples, and every error provoked."""

import asyncio
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from wire import advisor, new, new_heart, new_sanctuary, observe, over

from advisor.calls import REQUEST_ID_KEY
from advisor.client_policy import Retry
from advisor.errors import DETAILS_KEY, DOMAIN, PUSHBACK_KEY, STATUS_OF_NUMBER, STATUS_OF_REASON, AdvisorError
from advisor.server import SERVICE, ServerThread, serve
from advisor.service import Advisor
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import advisor_service_pb2_grpc, position_pb2

pytestmark = pytest.mark.apart

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.glob("api*.md"))
"""The guide; a game's own messages may have a page of their own."""
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
METHODS = {method.name: method for method in pb.DESCRIPTOR.services_by_name["AdvisorService"].methods}
SCALARS = {
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_SINT32: "sint32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
}
Json = dict[str, Any]


# The guide, taken apart.


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it, up to the next heading of any rank."""

    title: str
    text: str

    def rows(self) -> list[list[str]]:
        """The cells of its tables, header rows and rules left out."""
        lines = self.text.splitlines()
        found = []
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line) and not re.fullmatch(r"[|\s:-]+", below):
                found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            elif re.fullmatch(r"\|[|\s:-]+", below):
                continue
        return found


def sections(text: str) -> list[Section]:
    parts = re.split(r"^(#+ .*)$", text, flags=re.MULTILINE)
    return [
        Section(heading.lstrip("# ").strip().strip("`"), body)
        for heading, body in zip(parts[1::2], parts[2::2], strict=True)
    ]


SECTIONS = sections(TEXT)


@dataclass(frozen=True)
class Example:
    """A block of JSON and what it is said to be: a message's name, or "error"."""

    kind: str
    json: Json
    section: str


EXAMPLES = [
    Example(kind, json.loads(text), section.title)
    for section in SECTIONS
    for kind, text in re.findall(r"```json (\w+)\n(.*?)```", section.text, re.DOTALL)
]


# What it is compared with.


def is_map(kind: Any) -> bool:
    """Whether it is what stands for an entry of a map."""
    return isinstance(kind, Descriptor) and kind.GetOptions().map_entry


def reachable() -> dict[str, Descriptor | EnumDescriptor]:
    """Every message and enum of ours that a call can carry."""
    found: dict[str, Descriptor | EnumDescriptor] = {}
    left: list[Any] = [kind for method in METHODS.values() for kind in (method.input_type, method.output_type)]
    while left:
        kind = left.pop()
        if kind.name in found or is_map(kind) or not kind.full_name.startswith("advisor.v1."):
            continue
        found[kind.name] = kind
        if isinstance(kind, Descriptor):
            left += [field.message_type or field.enum_type for field in kind.fields if field.type not in SCALARS]
    return found


KINDS = reachable()


def type_of(field: FieldDescriptor) -> str:
    """A field's type as the guide writes it: `int32`, `Move[]`, `double?` where absence can be told from 0."""
    kind: Any = field.message_type or field.enum_type
    name = SCALARS.get(field.type) or kind.name
    if is_map(kind):
        return f"`map<{', '.join(type_of(part).strip('`') for part in kind.fields)}>`"
    if field.is_repeated:
        return f"`{name}[]`"
    own = field.containing_oneof is not None and field.containing_oneof.name == f"_{field.name}"
    return f"`{name}?`" if own else f"`{name}`"


@cache
def positions() -> dict[str, Json]:
    """What stands for a position in the guide's requests."""
    request = new(3, "targets")
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    while position.ocean.table.round < 3:
        seat = status.pending[0]
        moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=moves[0]))
        position, status = played.position, played.status
    moves = advisor().list_moves(pb.ListMovesRequest(position=position, seat=1)).moves
    position = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=1, move=moves[0])).position
    seen = advisor().observe(pb.ObserveRequest(position=position, seat=0)).position
    named = {"@referee": position, "@observation": seen, "@finished": over(request)}
    named |= heart_positions() | sanctuary_positions()
    return {name: to_json(message) for name, message in named.items()}


def heart_positions() -> dict[str, position_pb2.Position]:
    """Those of heart: a column with one tile after two turns, and that tile taken."""
    request = new_heart(3)
    request.first_seat = 1
    begun = advisor().new_position(request)
    position, status = begun.position, begun.status
    while status.pending != [0]:
        seat = status.pending[0]
        notations = [
            one.notation for one in advisor().list_moves(pb.ListMovesRequest(position=position, seat=seat)).moves
        ]
        wanted = next((text for text in ("take 2", "decline") if text in notations), notations[0])
        move = position_pb2.Move(notation=wanted)
        played = advisor().apply_move(pb.ApplyMoveRequest(position=position, seat=seat, move=move))
        position, status = played.position, played.status
    seen = advisor().observe(pb.ObserveRequest(position=position, seat=0)).position
    take = position_pb2.Move(notation="take 2")
    taken = advisor().apply_move(pb.ApplyMoveRequest(position=seen, seat=0, move=take)).position
    return {"@heart": position, "@heart_observation": seen, "@chance": taken}


def sanctuary_positions() -> dict[str, position_pb2.Position]:
    """Those of sanctuary: hands that are chosen here, and what is made of them in the draft."""
    draft = advisor().new_position(new_sanctuary(3)).position
    for secrets, hand in zip(draft.sanctuary.referee.seats, SANCTUARY_HANDS, strict=True):
        secrets.hand[:] = hand
    position = draft
    for moves in SANCTUARY_DRAFT:
        for seat, notation in enumerate(moves):
            request = pb.ApplyMoveRequest(position=position, seat=seat, move=position_pb2.Move(notation=notation))
            position = advisor().apply_move(request).position
    return {
        "@draft": draft,
        "@draft_observation": observe(draft, 1),
        "@playing": position,
        "@playing_observation": observe(position, 0),
    }


SANCTUARY_HANDS = ([0, 3, 21, 45, 54], [1, 4, 22, 46, 55], [2, 5, 23, 47, 56])
SANCTUARY_DRAFT = (("split 21", "split 1,4", "split 2,5"), ("keep larger", "keep smaller", "keep smaller"))


def to_json(message: Message) -> Json:
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def spell_out(value: Any) -> Any:
    """A request of the guide with real positions in the places of their names."""
    if isinstance(value, dict):
        return {key: spell_out(below) for key, below in value.items()}
    if isinstance(value, list):
        return [spell_out(below) for below in value]
    if isinstance(value, str) and value.startswith("@"):
        return positions()[value]
    return value


def merge(base: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def message_of(name: str, data: Json) -> Any:
    kind = KINDS[name]
    assert isinstance(kind, Descriptor)
    return json_format.ParseDict(spell_out(data), message_factory.GetMessageClass(kind)())


def call(channel: grpc.Channel, method: str, request: Message, timeout: float | None = 20.0) -> Any:
    """Call without retries; of a stream the last answer, of a batch the answer to its only question."""
    stub = getattr(advisor_service_pb2_grpc.AdvisorServiceStub(channel), method)
    if METHODS[method].client_streaming:
        (answer,) = stub(iter([request]), timeout=timeout)
        return answer
    if METHODS[method].server_streaming:
        return list(stub(request, timeout=timeout))[-1]
    return stub(request, timeout=timeout)


def error_json(error: Any) -> Json:
    """An error as the guide writes it."""
    trailers = dict(error.trailing_metadata() or ())
    found: Json = {"code": error.code().name, "message": error.details()}
    if DETAILS_KEY not in trailers:
        return found
    status = status_pb2.Status.FromString(trailers[DETAILS_KEY])
    assert (status.code, status.message) == (error.code().value[0], error.details())
    for detail in status.details:
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            assert info.domain == DOMAIN
            found["reason"] = info.reason
            found["metadata"] = dict(info.metadata)
        elif detail.Unpack(bad):
            found["violations"] = [
                {"path": entry.field, "message": entry.description} for entry in bad.field_violations
            ]
        elif detail.Unpack(retry):
            seconds = retry.retry_delay.ToMilliseconds() / 1000
            found["retry_after_seconds"] = seconds
            assert trailers[PUSHBACK_KEY] == str(round(seconds * 1000))
    assert trailers[REQUEST_ID_KEY]
    return found


def failure(channel: grpc.Channel, method: str, request: Message, timeout: float | None = 20.0) -> Json:
    try:
        answer = call(channel, method, request, timeout)
    except grpc.RpcError as error:
        return error_json(error)
    assert isinstance(answer, pb.AdviseBatchResponse)
    return failure_json(answer.failure)


def failure_json(failed: pb.BatchFailure) -> Json:
    """A failure in a batch as the guide writes errors."""
    found: Json = {"code": STATUS_OF_NUMBER[failed.code].name, "message": failed.message, "reason": failed.reason}
    found["metadata"] = dict(failed.metadata)
    if failed.faults:
        found["violations"] = [{"path": fault.field, "message": fault.description} for fault in failed.faults]
    if failed.HasField("retry_delay"):
        found["retry_after_seconds"] = failed.retry_delay.ToMilliseconds() / 1000
    return found


def settings(**changed: Any) -> Settings:
    return Settings(**{"port": 0, "metrics_port": 0, "workers": 2, "log_level": "error", **changed})


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with ServerThread(settings(default_seconds=0.05)) as server, grpc.insecure_channel(server.address) as connected:
        yield connected


# Fields.


def test_every_message_and_enum_has_one_section() -> None:
    titles = [section.title for section in SECTIONS]
    for name in KINDS:
        assert titles.count(name) == 1, name
    for name in METHODS:
        assert titles.count(name) == 1, name
    ours = set(pb.DESCRIPTOR.pool.FindFileByName("advisor/v1/advisor_service.proto").services_by_name)
    assert ours == {"AdvisorService"}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_field_is_documented_and_exists(name: str) -> None:
    kind = KINDS[name]
    section = next(section for section in SECTIONS if section.title == name)
    rows = section.rows()
    if isinstance(kind, EnumDescriptor):
        assert [row[0] for row in rows] == [f"`{value.name}`" for value in kind.values]
    else:
        assert [row[:2] for row in rows] == [[f"`{field.name}`", type_of(field)] for field in kind.fields]
    for row in rows:
        assert all(row), row


def test_nothing_is_documented_that_does_not_exist() -> None:
    known = {*KINDS, *METHODS, *STATUS_OF_REASON}
    for section in SECTIONS:
        if re.fullmatch(r"[A-Z][A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Z]+(_[A-Z]+)+", section.title):
            assert section.title in known, section.title
    for name in re.findall(r"`(SIRENIA_[A-Z_]+)`", TEXT):
        assert name.removeprefix("SIRENIA_").lower() in Settings.model_fields, name
    for name in re.findall(r"`(STOP_REASON_[A-Z]+|ALGORITHM_[A-Z]+|OBJECTIVE_[A-Z]+)`", TEXT):
        values = [value.name for kind in KINDS.values() if isinstance(kind, EnumDescriptor) for value in kind.values]
        assert name in values


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        anchors = {
            re.sub(r"[^a-z0-9_ -]", "", line.lower()).strip().replace(" ", "-")
            for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        }
        for target in re.findall(r"\]\(([^)]+)\)", text):
            path, _, anchor = target.partition("#")
            if path:
                assert (page.parent / path).exists(), target
            if anchor and not path:
                assert anchor in anchors, target


# What is said about defaults.


def test_the_defaults_are_the_settings() -> None:
    defaults = Settings()
    for text in (
        f"{defaults.default_seconds:g} s (`SIRENIA_DEFAULT_SECONDS`)",
        f"{defaults.max_seconds:g} s (`SIRENIA_MAX_SECONDS`)",
        f"{defaults.deadline_margin_seconds * 1000:g} ms, `SIRENIA_DEADLINE_MARGIN_SECONDS`",
        f"{defaults.max_message_bytes >> 20} MiB (`SIRENIA_MAX_MESSAGE_BYTES`)",
        f"({defaults.queue_length}, `SIRENIA_QUEUE_LENGTH`)",
        f"({defaults.max_calls:,}, `SIRENIA_MAX_CALLS`)",
        f"{defaults.cache_bytes >> 20} MiB (`SIRENIA_CACHE_BYTES`)",
        f"works on {defaults.batch_window} questions of a stream at a time (`SIRENIA_BATCH_WINDOW`)",
        f"the server's default, {defaults.default_memory_bytes >> 20} MiB",
        f"The cap is {defaults.max_memory_bytes >> 30} GiB",
        f"The cap is {defaults.max_threads} unless",
        f"{defaults.max_record_steps:,} steps (`SIRENIA_MAX_RECORD_STEPS`)",
        f"1 to {defaults.max_trees} (`SIRENIA_MAX_TREES`)",
        f"{defaults.max_listed_moves:,} (`SIRENIA_MAX_LISTED_MOVES`)",
    ):
        assert text in re.sub(r"\s+", " ", TEXT), text


# Examples.


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_parse(number: int) -> None:
    example = EXAMPLES[number]
    if example.kind == "service_config":
        assert example.json == Retry().service_config()
    elif example.kind == "error":
        assert set(example.json) <= {"code", "reason", "message", "violations", "metadata", "retry_after_seconds"}
    else:
        assert example.kind in KINDS
        message_of(example.kind, example.json)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_examples_of_methods_are_answered(channel: grpc.Channel, method: str) -> None:
    section = next(section for section in SECTIONS if section.title == method)
    kind = METHODS[method].input_type.name
    examples = [example for example in EXAMPLES if example.section == method]
    assert examples
    for example in examples:
        assert example.kind == kind
        answer = call(channel, method, message_of(kind, example.json))
        assert answer.ByteSize() > 0
        assert not (isinstance(answer, pb.AdviseBatchResponse) and answer.HasField("failure"))
    assert section.text.strip()


def test_examples_of_heart_are_answered(channel: grpc.Channel) -> None:
    requests = [one for one in EXAMPLES if one.section == "How a game of heart goes"]
    answers = [call(channel, one.kind.removesuffix("Request"), message_of(one.kind, one.json)) for one in requests]
    table, own, whole = answers
    given = [event["heart"]["tile_drawn"]["tile"] for event in requests[0].json["events"]]
    column = table.position.heart.table.columns[2].tiles
    assert (column[:2], len(column)) == (given, 3)
    assert table.status.pending == [0]
    # One observation brought up to date step by step, the other in one report.
    assert own.position == message_of("Position", positions()["@chance"])
    assert [event.heart.WhichOneof("event") for event in own.events] == ["taken"]
    assert not own.status.pending
    assert whole.status.pending == [0]
    assert whole.position.chance_events == own.position.chance_events + 3


def test_examples_of_sanctuary_are_answered(channel: grpc.Channel) -> None:
    requests = [one for one in EXAMPLES if one.section == "How a game of sanctuary goes"]
    answers = [call(channel, one.kind.removesuffix("Request"), message_of(one.kind, one.json)) for one in requests]
    draft, table, own = answers
    # All have split: the observation brought up to date is what Observe says of the referee's position.
    position = message_of("Position", positions()["@draft"])
    for seat, notation in enumerate(SANCTUARY_DRAFT[0]):
        move = pb.ApplyMoveRequest(position=position, seat=seat, move=position_pb2.Move(notation=notation))
        position = call(channel, "ApplyMove", move).position
    assert draft.position == call(channel, "Observe", pb.ObserveRequest(position=position, seat=1)).position
    assert draft.status.pending == [0, 1, 2]
    names = [event.sanctuary.WhichOneof("event") for event in table.events]
    assert names == ["top_played", "manatee_drawn", "manatee_drawn", "housed"]
    assert table.events[1].text == "a pink manatee is drawn for seat 0"
    assert table.status.pending == [1]
    assert [event.sanctuary.WhichOneof("event") for event in own.events] == ["bottom_played"]
    assert own.events[0].sanctuary.bottom_played.flowers == 1
    assert own.status.pending == [1]


def test_other_examples_are_answered(channel: grpc.Channel) -> None:
    by_kind = {
        example.kind: example.json for example in EXAMPLES if example.section.startswith(("Positions", "Record"))
    }
    position = message_of("Position", by_kind["Position"])
    observed = call(channel, "Observe", pb.ObserveRequest(position=position, seat=0))
    assert observed.position == position
    record = message_of("Record", by_kind["Record"])
    choice = pb.ChooseMoveRequest(record=record, seat=0, level=1)
    # After the record's end seat 0 has decided and waits for nobody: the pick was the last.
    with_own = pb.ChooseMoveRequest()
    with_own.CopyFrom(choice)
    own = with_own.record.steps.add()
    own.event.ocean.committed.seat = 0
    answers = [failure(channel, "ChooseMove", request) for request in (choice, with_own)]
    assert answers[0] == answers[1]
    assert answers[0]["reason"] == "NO_DECISION_OWED"


def test_the_own_commitment_may_be_reported(channel: grpc.Channel) -> None:
    request = message_of("ApplyMoveRequest", {"position": "@observation", "seat": 0, "move": {"notation": "pick 11"}})
    moved = call(channel, "ApplyMove", request)
    assert moved.status.pending == [2]
    request.events.add().ocean.committed.seat = 0
    assert call(channel, "ApplyMove", request).position == moved.position
    later = pb.ApplyMoveRequest(position=moved.position, events=request.events)
    assert call(channel, "ApplyMove", later).position == moved.position


def test_python_programs_run(capsys: pytest.CaptureFixture[str]) -> None:
    programs = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert programs
    with ServerThread(settings()) as server:
        for program in programs:
            assert "127.0.0.1:50051" in program
            exec(compile(program.replace("127.0.0.1:50051", server.address), "api.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("True ")
    assert "INVALID_REQUEST" in lines[-1]
    assert "seat" in lines[-1]


# Errors.


def documented(reason: str) -> tuple[Any, str, Json]:
    """The request and the error in a reason's section, and the method that is called."""
    found = [example for example in EXAMPLES if example.section == reason]
    request, error = found
    assert error.kind == "error"
    return message_of(request.kind, request.json), request.kind.removesuffix("Request"), error.json


def assert_like(found: Any, told: Any) -> None:
    """Equal, but "..." stands for any text."""
    if isinstance(told, str):
        assert isinstance(found, str)
        pattern = ".*".join(map(re.escape, told.split("...")))
        assert re.fullmatch(pattern, found, re.DOTALL), f"{found!r} is not {told!r}"
    elif isinstance(told, dict):
        assert isinstance(found, dict)
        assert found.keys() == told.keys()
        for key in told:
            assert_like(found[key], told[key])
    elif isinstance(told, list):
        assert len(found) == len(told)
        for one, other in zip(found, told, strict=True):
            assert_like(one, other)
    else:
        assert found == told


@contextmanager
def connected(advisor: Advisor | None = None, **changed: Any) -> Iterator[tuple[grpc.Channel, ServerThread]]:
    with ServerThread(settings(**changed), advisor) as server, grpc.insecure_channel(server.address) as channel:
        yield channel, server


def busy(server: ServerThread, searches: int) -> None:
    """Wait until so many searches run or wait."""
    end = time.monotonic() + 10
    registry = server.running.metrics.registry
    while (
        sum(registry.get_sample_value(name) or 0 for name in ("advisor_workers_busy", "advisor_queue_length"))
        < searches
    ):
        assert time.monotonic() < end
        time.sleep(0.01)


def long_search() -> Any:
    return message_of("AdviseRequest", {"position": "@observation", "seat": 0, "limits": {"time": "60s"}})


def start_searches(channel: grpc.Channel, server: ServerThread, number: int) -> list[Any]:
    stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
    calls: list[Any] = [stub.Advise.future(long_search()) for _ in range(number)]
    busy(server, number)
    return calls


def provoke_plainly(reason: str, **changed: Any) -> Json:
    request, method, _ = documented(reason)
    with connected(**changed) as (channel, _):
        return failure(channel, method, request)


def provoke_invalid() -> Json:
    found = provoke_plainly("INVALID_REQUEST")
    found["violations"].sort(key=lambda one: str(one["path"]))
    return found


def provoke_queue_full() -> Json:
    request, method, _ = documented("QUEUE_FULL")
    with connected(workers=1, queue_length=1) as (channel, server):
        calls = start_searches(channel, server, 2)
        found = failure(channel, method, request)
        # Methods that do not search are not refused.
        assert call(channel, "ListMoves", message_of("ListMovesRequest", {"position": "@observation"})).moves
        for running in calls:
            running.cancel()
    return found


def provoke_overloaded() -> Json:
    request, method, _ = documented("OVERLOADED")
    with connected(workers=1, max_wait_seconds=0.1, retry_seconds=90) as (channel, server):
        calls = start_searches(channel, server, 1)
        # With a deadline it would be due before the other one, and that would give way.
        found = failure(channel, method, request, None)
        calls[0].cancel()
    return found


def provoke_too_many_calls() -> Json:
    request, method, _ = documented("TOO_MANY_CALLS")
    with connected(max_calls=1) as (channel, server):
        calls = start_searches(channel, server, 1)
        found = failure(channel, method, request)
        calls[0].cancel()
    return found


class Broken(Advisor):
    """Fails as only a mistake in the program could make it."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        raise KeyError("a secret")


def provoke_out_of_memory() -> Json:
    request, method, _ = documented("OUT_OF_MEMORY")
    with connected(workers=1, max_total_memory_bytes=1 << 20) as (channel, server):
        calls = start_searches(channel, server, 1)
        found = failure(channel, method, request)
        calls[0].cancel()
    return found


def provoke_client_calls() -> Json:
    request, method, _ = documented("CLIENT_CALLS")
    with connected(client_calls=1) as (channel, server):
        calls = start_searches(channel, server, 1)
        found = failure(channel, method, request)
        calls[0].cancel()
    return found


def provoke_client_rate() -> Json:
    request, method, _ = documented("CLIENT_RATE")
    with connected(client_rate=0.01, client_burst=1) as (channel, _):
        call(channel, method, request)
        found = failure(channel, method, request)
    # Some milliseconds of it are over.
    assert 60 < found["retry_after_seconds"] <= 100
    found["retry_after_seconds"] = 100
    return found


def provoke_token(reason: str, *metadata: tuple[str, str]) -> Json:
    request, method, _ = documented(reason)
    with tempfile.NamedTemporaryFile() as file, connected(token_file=Path(file.name)) as (channel, _):
        stub = getattr(advisor_service_pb2_grpc.AdvisorServiceStub(channel), method)
        with pytest.raises(grpc.RpcError) as caught:
            stub(request, metadata=metadata, timeout=20)
        return error_json(caught.value)


def provoke_internal() -> Json:
    request, method, told = documented("INTERNAL")
    with connected(Broken(settings(log_level="error"))) as (channel, _):
        found = failure(channel, method, request)
    assert len(found["metadata"]["request_id"]) == len(told["metadata"]["request_id"])
    found["metadata"] = told["metadata"]
    return found


def provoke_cancelled() -> Json:
    """On the wire the client's own gRPC says it: see the test of gRPC's errors. Inside a process it is the service."""
    request, _, _ = documented("CANCELLED")
    assert isinstance(request, pb.AdviseRequest)
    with pytest.raises(AdvisorError) as caught:
        advisor().advise(request, on_search=lambda search: search.cancel())
    error = caught.value
    return {
        "code": error.status.name, "reason": error.reason, "message": error.message, "metadata": error.metadata
    }  # fmt: skip


def provoke_shutting_down() -> Json:
    request, method, _ = documented("SHUTTING_DOWN")

    async def drain() -> Json:
        async with (
            serve(settings(workers=1)) as server,
            grpc.aio.insecure_channel(server.address, options=[("grpc.enable_retries", 0)]) as channel,
        ):
            stub = advisor_service_pb2_grpc.AdvisorServiceStub(channel)
            running = stub.Advise(long_search())
            while not server.metrics.registry.get_sample_value("advisor_workers_busy"):
                await asyncio.sleep(0.01)
            waiting = getattr(stub, method)(request)
            while not server.metrics.registry.get_sample_value("advisor_queue_length"):
                await asyncio.sleep(0.01)
            drained = asyncio.ensure_future(server.drain(1.0))
            with pytest.raises(grpc.RpcError) as caught:
                await waiting
            # What ran is answered with what it has.
            assert (await running).simulations > 0
            await drained
            return error_json(caught.value)

    return asyncio.run(drain())


PROVOKED: dict[str, Callable[[], Json]] = {
    "TOKEN_MISSING": lambda: provoke_token("TOKEN_MISSING"),
    "TOKEN_UNKNOWN": lambda: provoke_token("TOKEN_UNKNOWN", ("authorization", "Bearer no-such-token")),
    "INVALID_REQUEST": provoke_invalid,
    "GAME_OVER": lambda: provoke_plainly("GAME_OVER"),
    "NO_DECISION_OWED": lambda: provoke_plainly("NO_DECISION_OWED"),
    "CHANCE_DUE": lambda: provoke_plainly("CHANCE_DUE"),
    "CATALOGUE_NOT_HELD": lambda: provoke_plainly("CATALOGUE_NOT_HELD"),
    "QUEUE_FULL": provoke_queue_full,
    "OVERLOADED": provoke_overloaded,
    "TOO_MANY_CALLS": provoke_too_many_calls,
    "CLIENT_CALLS": provoke_client_calls,
    "CLIENT_RATE": provoke_client_rate,
    "OUT_OF_MEMORY": provoke_out_of_memory,
    # A margin wider than the deadline, because the client's own clock would end a shorter call first.
    "DEADLINE_TOO_SHORT": lambda: provoke_plainly("DEADLINE_TOO_SHORT", deadline_margin_seconds=30),
    "CANCELLED": provoke_cancelled,
    "SHUTTING_DOWN": provoke_shutting_down,
    "INTERNAL": provoke_internal,
}


def test_every_reason_is_documented_with_its_code() -> None:
    section = next(section for section in SECTIONS if section.title == "Errors")
    told = {}
    for row in section.rows():
        found = re.fullmatch(r"\[([A-Z_]+)\]\(#([a-z_]+)\)", row[0])
        if found:
            assert found[2] == found[1].lower()
            told[found[1]] = row[1].strip("`")
    assert told == {reason: status.name for reason, status in STATUS_OF_REASON.items()}
    assert told.keys() == PROVOKED.keys()


@pytest.mark.parametrize("reason", sorted(PROVOKED))
def test_every_error_is_as_documented(reason: str) -> None:
    _, _, told = documented(reason)
    assert (told["code"], told["reason"]) == (STATUS_OF_REASON[reason].name, reason)
    if "violations" in told:
        told["violations"].sort(key=lambda one: str(one["path"]))
        told["message"] = "..."  # names whichever fault comes first
    assert_like(PROVOKED[reason](), told)


FAULTS = next(section for section in SECTIONS if section.title == "Faults by field").rows()


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_every_fault_is_as_documented(channel: grpc.Channel, number: int) -> None:
    method, patch, path, message = (cell.replace("\\|", "|") for cell in FAULTS[number])
    name = method.strip("`")
    base = next(example.json for example in EXAMPLES if example.section == name)
    changed = merge(spell_out(base), json.loads(patch.strip("`")))
    found = failure(channel, name, message_of(METHODS[name].input_type.name, changed))
    assert (found["code"], found["reason"]) == ("INVALID_ARGUMENT", "INVALID_REQUEST")
    assert [one["path"] for one in found["violations"]] == [path.strip("`")]
    assert found["metadata"] == {"violations": "1"}
    assert_like(found["violations"][0]["message"], message)


def test_faults_of_every_method_are_documented() -> None:
    methods = {row[0].strip("`") for row in FAULTS}
    assert methods == METHODS.keys() - {"ListGames"}  # whose request has no field


def test_bytes_that_are_no_message(channel: grpc.Channel) -> None:
    for name in METHODS:
        stub: Any = channel.unary_unary(f"/{SERVICE}/{name}", request_serializer=None, response_deserializer=None)
        with pytest.raises(grpc.RpcError) as caught:
            stub(b"\xff\xff\xff", timeout=10)
        found = error_json(caught.value)
        assert (found["code"], found["reason"]) == ("INVALID_ARGUMENT", "INVALID_REQUEST")
        assert [one["path"] for one in found["violations"]] == [""]


def test_more_faults_than_fit(channel: grpc.Channel) -> None:
    seats = [{"ocean": [{"card": -1, "cell": {"x": 9}}] * 9, "hand_size": 99}] * 3
    request = message_of(
        "ObserveRequest", {"position": merge(positions()["@referee"], {"ocean": {"table": {"seats": seats}}})}
    )
    found = failure(channel, "Observe", request)
    assert len(found["violations"]) <= 32
    assert int(found["metadata"]["violations"]) > 50


# What gRPC says by itself.


def grpc_unavailable(stack: ExitStack) -> Json:
    channel = stack.enter_context(grpc.insecure_channel("127.0.0.1:1"))
    return failure(channel, "ListGames", pb.ListGamesRequest())


def grpc_deadline(stack: ExitStack) -> Json:
    channel, _ = stack.enter_context(connected())
    return failure(channel, "Advise", long_search(), timeout=1e-6)


def grpc_cancelled(stack: ExitStack) -> Json:
    channel, server = stack.enter_context(connected())
    running = start_searches(channel, server, 1)[0]
    running.cancel()
    with pytest.raises(grpc.FutureCancelledError):
        running.result()
    return {"code": running.code().name}


def grpc_too_large(stack: ExitStack) -> Json:
    channel, _ = stack.enter_context(connected())
    return failure(channel, "GetGame", pb.GetGameRequest(game="x" * (1 << 20)))


def grpc_unknown(stack: ExitStack) -> Json:
    channel, _ = stack.enter_context(connected())
    stub: Any = channel.unary_unary(f"/{SERVICE}/Divine", request_serializer=None, response_deserializer=None)
    with pytest.raises(grpc.RpcError) as caught:
        stub(b"", timeout=10)
    return error_json(caught.value)


OWN: dict[str, Callable[[ExitStack], Json]] = {
    "UNAVAILABLE": grpc_unavailable,
    "DEADLINE_EXCEEDED": grpc_deadline,
    "CANCELLED": grpc_cancelled,
    "RESOURCE_EXHAUSTED": grpc_too_large,
    "UNIMPLEMENTED": grpc_unknown,
}


def test_grpcs_own_errors_are_documented() -> None:
    section = next(section for section in SECTIONS if section.title == "gRPC's own errors")
    assert {row[0].strip("`") for row in section.rows()} == OWN.keys()


@pytest.mark.parametrize("code", sorted(OWN))
def test_grpcs_own_errors(code: str) -> None:
    with ExitStack() as stack:
        found = OWN[code](stack)
    assert found["code"] == code
    assert "reason" not in found
    assert "retry_after_seconds" not in found
