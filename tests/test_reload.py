"""SIGHUP on a real server: other catalogues from one call to the next, and none when a file is unusable."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_server import Child, child, wait_for

from advisor import catalogues
from advisor.client import AdvisorError, Client
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import position_pb2

pytestmark = pytest.mark.apart

HOUSE = Path(catalogues.__file__).with_name("catalogues") / "ocean-house.json"


def write(folder: Path, about: str, **changed: Any) -> None:
    """A catalogue of the house's cards under a name of its own, put in place as a whole."""
    content = {**json.loads(HOUSE.read_text(encoding="utf-8")), "id": "ocean-mine", "about": about, **changed}
    fresh = folder / "fresh"
    fresh.write_text(json.dumps(content), encoding="utf-8")
    fresh.rename(folder / "ocean-mine.json")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Child, Path]]:
    folder = tmp_path_factory.mktemp("catalogues")
    with child("--catalogue-dir", str(folder), "--workers", "2", "--queue-length", "64") as server:
        yield server, folder


@pytest.fixture
def server(running: tuple[Child, Path], folder: Path) -> Child:
    server, _ = running
    write(folder, "the first")
    reload(server, "ok")
    return server


@pytest.fixture
def folder(running: tuple[Child, Path]) -> Path:
    return running[1]


def reload(server: Child, outcome: str) -> dict[str, Any]:
    """Have it load its catalogues; return what it says of that in its log."""
    before = server.metric("advisor_catalogue_reloads_total", outcome=outcome)
    server.process.send_signal(signal.SIGHUP)
    logged = next_line(server)
    assert logged["event"] == {"ok": "catalogues loaded", "failed": "catalogues stay as they were"}[outcome]
    assert server.metric("advisor_catalogue_reloads_total", outcome=outcome) == before + 1
    return logged


def next_line(server: Child) -> dict[str, Any]:
    """The next line of the log about catalogues; waits for it."""
    assert server.process.stderr is not None
    while True:
        logged: dict[str, Any] = json.loads(server.process.stderr.readline())
        if logged["event"].startswith("catalogues"):
            return logged


def mine(client: Client) -> dict[str, str]:
    """What the server's ocean-mine is: its digest and what it says about itself."""
    request = pb.GetGameRequest(game="ocean")
    request.catalogue.id = "ocean-mine"
    catalogue = client.get_game(request).catalogue
    return {"digest": catalogue.ref.digest, "about": catalogue.ocean.about}


def opening(client: Client) -> position_pb2.Position:
    request = pb.NewPositionRequest(game="ocean", seats=2, seed=7)
    request.catalogue.id = "ocean-mine"
    return client.new_position(request).position


def test_a_reload_swaps_the_catalogues(server: Child, folder: Path) -> None:
    with Client(server.address, timeout=10) as client:
        first = mine(client)
        assert first["about"] == "the first"
        position = opening(client)
        request = pb.AdviseRequest(position=position, seat=0)
        request.limits.simulations = 50
        assert not client.advise(request).timing.cached
        searching = pb.WatchAdviceRequest(advise=request)
        searching.advise.limits.simulations = 10**8
        searching.advise.limits.time.FromMilliseconds(2500)
        searching.interval.FromMilliseconds(50)
        with client.watch(searching) as watch:
            next(watch)
            write(folder, "the second")
            assert reload(server, "ok")["held"]["ocean"] == ["ocean-house", "ocean-mine"]
            second = mine(client)
            assert second["about"] == "the second"
            assert second["digest"] != first["digest"]
            # What was in flight keeps what it began with.
            *_, last = watch
        assert last.final
        assert last.advice.versions.catalogue.digest == first["digest"]
        # A position names its catalogue, so none is answered with other cards than its own.
        with pytest.raises(AdvisorError) as caught:
            client.advise(request)
        assert caught.value.reason == "CATALOGUE_NOT_HELD"
        assert second["digest"] in caught.value.metadata["digests"]
        # Nor with an answer that was kept for others.
        request.position.CopyFrom(opening(client))
        answer = client.advise(request)
        assert not answer.timing.cached
        assert answer.versions.catalogue.digest == second["digest"]
        # The old one again: what was kept for it is still right.
        write(folder, "the first")
        reload(server, "ok")
        request.position.CopyFrom(position)
        assert client.advise(request).timing.cached
        (folder / "ocean-mine.json").unlink()
        reload(server, "ok")
        with pytest.raises(AdvisorError) as caught:
            mine(client)
        assert caught.value.reason == "CATALOGUE_NOT_HELD"


def test_an_unusable_file_leaves_everything_as_it_was(server: Child, folder: Path) -> None:
    with Client(server.address, timeout=10) as client:
        first = mine(client)
        position = opening(client)
        cases: list[tuple[str, str]] = [("not JSON", "ocean-mine.json"), ("no card", "ocean-mine.json")]
        for what, name in cases:
            if what == "no card":
                write(folder, "the worst", cards=[])
            else:
                (folder / name).write_text("{", encoding="utf-8")
            logged = reload(server, "failed")
            assert logged["level"] == "error"
            assert str(folder / name) in logged["fault"]
            assert ("cards" in logged["fault"]) == (what == "no card")
            assert mine(client) == first
            assert client.list_moves(pb.ListMovesRequest(position=position, seat=0)).moves
        # Another with an id that is taken, beside a good one.
        write(folder, "the first")
        (folder / "ocean-other.json").write_bytes(
            (folder / "ocean-mine.json").read_bytes().replace(b"the first", b"a twin")
        )
        assert "ocean-mine" in reload(server, "failed")["fault"]
        assert mine(client) == first
        (folder / "ocean-other.json").unlink()
        reload(server, "ok")
        # And the folder itself.
        (folder / "ocean-mine.json").unlink()
        folder.rmdir()
        assert str(folder) in reload(server, "failed")["fault"]
        assert mine(client) == first
        folder.mkdir()


def test_calls_go_on_while_catalogues_change(server: Child, folder: Path) -> None:
    """Each call is answered with one catalogue or the other, whole; signals in a row end with the newest file."""
    seen, refused = set(), set()
    before = server.metric("advisor_catalogue_reloads_total")
    with Client(server.address, timeout=10) as client:
        end = time.monotonic() + 1.5
        number = 0
        while time.monotonic() < end:
            number += 1
            write(folder, f"number {number}")
            server.process.send_signal(signal.SIGHUP)
            position = opening(client)
            seen.add(position.catalogue.digest)
            try:
                assert client.observe(pb.ObserveRequest(position=position, seat=0)).position.catalogue.digest in seen
            except AdvisorError as error:
                refused.add(error.reason)  # it has changed in between
        wait_for(lambda: mine(client)["about"] == f"number {number}")
        assert len(seen) > 1
        # Fewer loads than signals: those that came while it loaded are one.
        loads = int(server.metric("advisor_catalogue_reloads_total") - before)
        assert 1 < loads <= number
        assert {next_line(server)["event"] for _ in range(loads)} == {"catalogues loaded"}
    assert refused <= {"CATALOGUE_NOT_HELD"}
