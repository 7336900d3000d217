"""The fuzzer finds what is planted, covers every RPC, and its corpus is sound; `make fuzz` is the long run."""

import contextlib
import json
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from fuzz import seeds
from fuzz.child import Keep
from fuzz.engines import mutators_by_game
from fuzz.flight import RPCS, Flight
from fuzz.mutate import MAX_BYTES
from fuzz.target import GAMES, Fault, Runner, cells
from google.protobuf.message import DecodeError

from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

RUN = Path(__file__).parent / "run_fuzz.py"
AGAIN = "make the corpus anew: tests/run_fuzz.py --write-corpus"
POSITIONS = [cell for cell in cells(RPCS) if cell[0] not in ("ListGames", "GetGame", "NewPosition")]


def fuzz(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    command = [sys.executable, str(RUN), "--folder", str(folder), "--seed", "1", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return done.returncode, found


@pytest.mark.parametrize(("plant", "kind"), [("key-error", "KeyError"), ("sleep", "Fault"), ("crash", "died")])
def test_planted_faults_are_found(tmp_path: Path, plant: str, kind: str) -> None:
    code, found = fuzz(tmp_path, "--engines", "structured", "--executions", "400", "--first", "--plant", plant)
    assert code == 1
    assert not found["ok"]
    assert found["crashes"] > 0
    kept = [path for path in tmp_path.glob(f"crash-*-{kind}-*") if path.suffix != ".txt"]
    assert kept
    # What was kept is the input that brought it about.
    runner = Runner()
    for path in kept:
        _, rpc, *_ = path.name.split("-")
        request: Any = runner.targets[rpc].request.FromString(path.read_bytes())
        advise = request.advise if rpc == "WatchAdvice" else request
        if rpc == "AdviseBatch":
            advise = request.choose if request.HasField("choose") else request.advise
        position = advise.position
        if hasattr(advise, "record") and advise.HasField("record"):
            position = advise.record.start
        assert not 0 <= position.chance_events < 10**7


def test_without_a_fault_nothing_is_found(tmp_path: Path) -> None:
    code, found = fuzz(tmp_path, "--engines", "structured", "sockets", "--executions", "60")
    assert code == 0
    assert found["ok"]
    assert found["crashes"] == 0
    assert found["missing"] == []
    assert all(found["by_rpc"][rpc] > 0 for rpc in RPCS)
    assert found["by_rpc"]["connections"] > 0


def test_the_corpus_is_sound() -> None:
    """Most requests are answered; where one is refused the game has ended or waits for something."""
    runner = Runner()
    reasons: dict[str, set[str]] = {}
    answered: set[tuple[str, str]] = set()
    for (rpc, game), requests in seeds.requests().items():
        for request in requests[:: 1 + len(requests) // 20]:
            reason = runner.run(rpc, request.SerializeToString())
            reasons.setdefault(rpc, set()).add(reason)
            if not reason:
                answered.add((rpc, game))
    assert set(reasons) == set(RPCS)
    assert set(POSITIONS) <= answered, AGAIN
    assert reasons["Observe"] == {""}, AGAIN
    assert {game for _, game in answered} >= set(GAMES)


def test_who_reports_events_alone_need_not_say_for_whom() -> None:
    """`ApplyMoveRequest.seat` is not used without a move: the observer is in the position."""
    runner, tried = Runner(), 0
    for game in GAMES:
        requests: list[Any] = seeds.requests()["ApplyMove", game]
        for request in requests:
            if getattr(request.position, game).HasField("referee") or not request.events:
                continue
            alone = pb.ApplyMoveRequest(position=request.position, seat=7, events=request.events)
            tried += not runner.run("ApplyMove", alone.SerializeToString())
    assert tried > 0


def test_mutants_follow_from_the_seed_and_differ() -> None:
    runner = Runner()
    (request, *_) = seeds.requests()["Advise", "sanctuary"]
    kind, data = runner.targets["Advise"].request, request.SerializeToString()
    one, other = mutators_by_game()["sanctuary"], mutators_by_game()["sanctuary"]
    mutants = [one.mutated(kind, data, seed) for seed in range(100)]
    assert mutants == [other.mutated(kind, data, seed) for seed in range(100)]
    assert len(set(mutants)) > 75
    assert max(map(len, mutants)) <= MAX_BYTES


def test_changes_of_one_text_do_not_multiply() -> None:
    """Texts repeated again and again took more memory than atheris allows."""
    mutator = mutators_by_game()["ocean"]
    request = pb.NewPositionRequest(game="ocean", variant="\u6d77" * 300)
    tracemalloc.start()
    for seed in range(3_000):
        changed = mutator.mutated(pb.NewPositionRequest, request.SerializeToString(), seed)
        with contextlib.suppress(DecodeError):
            request = pb.NewPositionRequest.FromString(changed)
        if not request.variant:
            request.variant = "\u6d77" * 300
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * MAX_BYTES


def test_the_flight_keeps_what_was_in_it() -> None:
    flight = Flight()
    data = random.Random(1).randbytes(MAX_BYTES)
    flight.enter("Advise", data)
    assert flight.seconds > 0
    flight.leave("Advise", 0.25)
    flight.enter("Observe", b"ab")
    flight.note_fault()
    flight.note_memory(100, 300)
    assert flight.input == ("Observe", b"ab")
    assert (flight.slowest, flight.growth, flight.faults) == (0.25, 200, 1)
    assert flight.by_rpc["Advise"] == 1
    flight.clear()
    assert flight.seconds == 0


def test_a_kind_of_fault_is_kept_once(tmp_path: Path) -> None:
    keep = Keep(tmp_path, "x")
    for seconds in ("1.5", "2.5"):
        keep.error("Advise", b"12", Fault(f"took {seconds} s, twice"))
    keep.death("Advise", b"34", "ended with SIGSEGV")
    assert [fault["kind"] for fault in keep.faults()] == ["Fault", "died"]
    assert sorted(path.read_bytes() for path in tmp_path.glob("crash-*") if path.suffix != ".txt") == [b"12", b"34"]
