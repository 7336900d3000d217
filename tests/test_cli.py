"""The command line: files and streams, exit codes, the same output with and without a server."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bad_requests_heart import due
from wire import new as new_request
from wire import observe, over, play, play_game

from advisor import __version__
from advisor.cli import main, spread_rules
from advisor.cli.advise import parse_size, parse_time
from advisor.protojson import write
from advisor.server import ServerThread
from advisor.settings import Settings
from advisor.v1 import advisor_service_pb2 as pb

pytestmark = pytest.mark.apart

HOUSE = Path(__file__).resolve().parents[1] / "advisor" / "catalogues" / "ocean-house.json"


@dataclass
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


class Stdin(io.TextIOWrapper):
    """Standard input that holds a text."""

    def __init__(self, text: str) -> None:
        super().__init__(io.BytesIO(text.encode()))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def run_command(*arguments: str | Path, stdin: str | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", Stdin(stdin))
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run_command


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ServerThread(Settings(port=0, metrics_port=0)) as running:
        yield running.address


@pytest.fixture
def position(tmp_path: Path) -> Path:
    path = tmp_path / "p.json"
    path.write_text(write(play(new_request(), 14, 3)), encoding="utf-8")
    return path


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    path = tmp_path / "o.json"
    path.write_text(write(observe(play(new_request(), 14, 3), 1)), encoding="utf-8")
    return path


def without_timing(text: str) -> str:
    data = json.loads(text)
    assert data.pop("timing")
    return json.dumps(data)


# From a new game to advice.


def test_the_first_steps(run: Run, tmp_path: Path) -> None:
    position, seen = tmp_path / "p.json", tmp_path / "o.json"
    ran = run("new", "ocean", "--players", 4, "--seed", 7, "-o", position)
    assert (ran.code, ran.err) == (0, "")
    assert "Seen by the referee" in ran.out
    assert "House catalogue" in ran.out
    ran = run("observe", position, "--seat", 0, "-o", seen)
    assert ran.code == 0
    assert "Seen by seat 0" in ran.out
    asked = ("advise", seen, "--seat", 0, "--simulations", 400, "--seed", 1, "--trees", 2, "--json")
    answers = [without_timing(run(*asked, "--threads", threads).out) for threads in (1, 2, 2)]
    assert answers[0] == answers[1] == answers[2]
    answer = json.loads(answers[0])
    assert answer["stopReason"] == "STOP_REASON_SIMULATIONS"
    assert answer["simulations"] == "400"
    assert answer["seed"] == "1"


def test_streams(run: Run) -> None:
    new = run("new", "ocean", "--players", 2, "--variant", "targets", "--rules", "topology=HEX", "promo=true")
    assert new.code == 0
    rules = new.json["ocean"]["rules"]
    assert rules["topology"] == "OCEAN_TOPOLOGY_HEX"
    assert rules["promo"] is True
    seen = run("observe", "-", "--seat", 1, stdin=new.out)
    assert seen.json["ocean"]["seatKnowledge"]["seat"] == 1
    moves = run("moves", "-", stdin=seen.out)
    assert len(moves.out.splitlines()) == 10
    answer = run("advise", "-", "--simulations", 50, stdin=seen.out)
    assert answer.code == 0
    assert "Advice for seat 1" in answer.out
    whole = run("new", "ocean", "--players", 2, "--json")
    assert whole.json["status"]["pending"] == [0, 1]
    assert run("observe", "-", "--seat", 0, stdin=whole.out).code == 0


def test_apply(run: Run, position: Path, tmp_path: Path) -> None:
    card = json.loads(position.read_text())["ocean"]["referee"]["seats"][1]["hand"][0]
    ran = run("apply", position, "--seat", 1, "--move", f"pick {card}", "--json")
    assert ran.code == 0
    assert ran.json["events"][0]["text"] == "seat 1 commits"
    plain = run("apply", position, "--seat", 1, "--move", f"pick {card}")
    assert plain.json == ran.json["position"]
    assert plain.err == "seat 1 commits\n"
    out = tmp_path / "next.json"
    drawn = run("apply", position, "--seat", 1, "--move", f"pick {card}", "-o", out)
    assert json.loads(out.read_text()) == plain.json
    assert "Seat 1" in drawn.out


def test_apply_reported_events(run: Run, seen: Path) -> None:
    event = json.dumps({"ocean": {"committed": {"seat": 2}}})
    ran = run("apply", seen, "--event", event, "--json")
    assert ran.code == 0
    assert ran.json["position"]["ocean"]["table"]["seats"][2]["committed"] is True
    ran = run("apply", seen, "--event", event, "--event", event)
    assert ran.code == 2
    assert ran.err.startswith("events[1].ocean.committed")
    ran = run("apply", seen, "--event", '{"ocean": {"comitted": {}}}')
    assert ran.code == 2
    assert ran.err.startswith("events[0].ocean")


def test_render(run: Run, position: Path, seen: Path, tmp_path: Path) -> None:
    ran = run("render", position)
    assert ran.code == 0
    assert ran.out.count("hand: ") == 4
    assert "has chosen" in ran.out
    assert "round 3 of 9" in ran.out
    ran = run("render", seen)
    assert "Seen by seat 1" in ran.out
    path = tmp_path / "hex.json"
    path.write_text(write(over(new_request(2, "targets", topology="OCEAN_TOPOLOGY_HEX"))), encoding="utf-8")
    ran = run("render", path)
    assert ran.code == 0
    assert "place 1" in ran.out
    assert "targets: " in ran.out
    assert "from x=" in ran.out


def test_a_turn_of_heart(run: Run, tmp_path: Path) -> None:
    position, seen, later = tmp_path / "p.json", tmp_path / "o.json", tmp_path / "l.json"
    ran = run(
        "new",
        "heart",
        "--players",
        3,
        "--seed",
        7,
        "--first-seat",
        1,
        "--rules",
        "mirror_patterns=true",
        "-o",
        position,
    )
    assert (ran.code, ran.err) == (0, "")
    assert "seat 1 takes a tile" in ran.out
    assert run("observe", position, "--seat", 1, "-o", seen).code == 0
    moves = run("moves", seen).out.splitlines()
    assert [move.split(" tile ")[0] for move in moves] == ["take 0", "take 1", "take 2", "take 3"]
    answer = run("advise", seen, "--simulations", 60, "--seed", 1)
    assert answer.code == 0
    assert "Advice for seat 1" in answer.out
    assert " tile " in answer.out
    chosen = run("choose", seen, "--level", 2).out.splitlines()
    ran = run("apply", position, "--seat", 1, "--move", chosen[0], "--seed", 3, "-o", later)
    assert ran.code == 0
    assert ran.err.startswith("seat 1 takes tile ")
    assert "seat 1 places tile" in ran.out
    assert "seat 1 places tile" in run("render", later).out
    told = run("apply", seen, "--move", chosen[0])
    assert told.json == run("observe", later, "--seat", 1).json
    ran = run("games", "heart")
    assert "heart-16" in ran.out
    assert "Relocate" in ran.out


def test_a_turn_of_sanctuary(run: Run, tmp_path: Path) -> None:
    position, seen, later = tmp_path / "p.json", tmp_path / "o.json", tmp_path / "l.json"
    ran = run("new", "sanctuary", "--players", 3, "--rules", "round_bonuses=true", "food_cap=30", "-o", position)
    assert (ran.code, ran.err) == (0, "")
    assert "3 players - round 1 of 3, splitting hands" in ran.out
    assert ran.out.count("Bonus of round ") == 3
    assert run("observe", position, "--seat", 1, "-o", seen).code == 0
    moves = run("moves", seen).out.splitlines()
    assert all(move.startswith("split ") for move in moves)
    answer = run("advise", seen, "--simulations", 60, "--seed", 1)
    assert answer.code == 0
    assert "Advice for seat 1" in answer.out
    chosen = run("choose", seen, "--level", 2).out.splitlines()
    assert chosen[0] in moves
    ran = run("apply", position, "--seat", 1, "--move", chosen[0], "-o", later)
    assert ran.err == "seat 1 commits\n"
    assert "Seat 1 - 10 points - has chosen" in ran.out
    assert run("apply", seen, "--move", chosen[0]).json == run("observe", later, "--seat", 1).json
    ran = run("games", "sanctuary")
    assert "sanctuary-23" in ran.out
    assert "0, 1 to 999" in ran.out
    ran = run("new", "sanctuary", "--players", 3, "--rules", "challenge=saviour", "food_cap=x", "blind_choice=1")
    assert (ran.code, ran.err.count("\n")) == (2, 2)
    assert run("new", "sanctuary", "--players", 3, "--rules", "challenge=saviour").err == (
        "rules.sanctuary.challenge: challenges are for the variant solo; give NONE\n"
    )


def test_sanctuary_alone_and_with_many(run: Run, tmp_path: Path) -> None:
    """Without a variant it is the one for so many players."""
    path = tmp_path / "p.json"
    ran = run("new", "sanctuary", "--players", 1, "--rules", "challenge=shortage", "-o", path)
    assert (ran.code, ran.err) == (0, "")
    assert "1 player, variant solo - round 1 of 3, a card is to be kept" in ran.out
    moves = run("moves", path, "--seat", 0).out.splitlines()
    assert [move.split()[0] for move in moves] == ["pick", "pick"]
    assert "aim met" in run("advise", path, "--seat", 0, "--simulations", 50).out
    ran = run("apply", path, "--seat", 0, "--move", " ".join(moves[0].split()[:2]), "-o", path)
    assert ran.err.count(" is drawn") == 2
    assert run("render", path).out == ran.out
    ran = run("new", "sanctuary", "--players", 12, "-o", path)
    assert "12 players, variant scramble" in ran.out
    assert "Seat 11 - " in run("render", path).out
    ran = run("new", "sanctuary", "--players", 2, "--variant", "scramble", "--rules", "allow_small_scramble=true")
    assert ran.code == 0
    ran = run("new", "sanctuary", "--players", 2, "--variant", "scramble")
    assert ran.err == "seats: scramble is for 7 to 12 seats, with allow_small_scramble for 2 to 12, not 2\n"
    ran = run("new", "sanctuary", "--players", 13)
    assert (ran.code, ran.err) == (2, "seats: expected 2 to 6, not 13\n")


def test_chance_from_a_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "due.json"
    path.write_text(write(due()), encoding="utf-8")
    column = due().heart.table.refill_column
    tile = due().heart.table.pile[0].tile
    event = json.dumps({"heart": {"tileDrawn": {"tile": tile, "column": column}}})
    ran = run("apply", path, "--event", event, "--seed", 5)
    assert ran.code == 0
    assert ran.err.splitlines()[0] == f"tile {tile} comes to column {column}"
    assert len(ran.err.splitlines()) == 3
    assert run("apply", path, "--seed", 5).code == 0
    ran = run("moves", path, "--seat", 0)
    assert ran.code == 2
    assert ran.err.startswith("CHANCE_DUE: ")
    assert "a tile is to be drawn" in run("render", path).out


# Advice on chosen moves, records, the computer opponent.


def hand(seen: Path) -> list[str]:
    cards = json.loads(seen.read_text())["ocean"]["seatKnowledge"]["hands"][1]["cards"]
    return [f"pick {card}" for card in cards]


def test_moves_allowed_avoided_and_reported(run: Run, seen: Path) -> None:
    cards = hand(seen)
    asked = ("advise", seen, "--simulations", 100, "--json")
    found = run(*asked, "--allow", cards[0], "--allow", cards[1].upper()).json
    assert {ranked["move"]["notation"] for ranked in found["moves"]} == set(cards[:2])
    assert found["legalMoves"] == 8
    avoided = [part for card in cards[2:] for part in ("--avoid", card)]
    assert run(*asked, *avoided).json["moves"] == found["moves"]
    whole = run(*asked).json["moves"]
    last = whole[-1]["move"]["notation"]
    reported = run(*asked, "--max-moves", 1, "--report", last).json["moves"]
    assert [ranked["rank"] for ranked in reported] == [1, 8]


def test_confidence_and_the_table(run: Run, seen: Path) -> None:
    ran = run("advise", seen, "--simulations", 200, "--confidence", 0.8)
    assert ran.code == 0
    assert "interval" in ran.out
    assert "at 80 % confidence" in ran.out
    assert "Outlook by seat" in ran.out
    assert " = " in ran.out


def test_a_proven_answer(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    path.write_text(write(play(new_request(2, seed=7), 26, 7)), encoding="utf-8")
    ran = run("advise", path, "--seat", 0)
    assert ran.code == 0
    assert "proven" in ran.out
    assert "expectimax, exact" in ran.out
    assert "Seat 0 mixes: pick 2 " in ran.out
    assert "Seat 1 mixes: " in ran.out
    again = run("advise", path, "--seat", 0, "--algorithm", "expectimax", "--json").json
    assert again["exact"] is True
    searched = run("advise", path, "--seat", 0, "--algorithm", "mcts", "--simulations", 50, "--json").json
    assert "exact" not in searched


def test_records_in_files(run: Run, tmp_path: Path) -> None:
    played = play_game(new_request(), 14, 3)
    position = tmp_path / "p.json"
    position.write_text(write(played.end), encoding="utf-8")
    for name, record in (("referee", played.record()), ("seen", played.seen_by(1))):
        path = tmp_path / f"{name}.json"
        path.write_text(write(record), encoding="utf-8")
        seat = ("--seat", 1) if name == "referee" else ()
        for command in (("advise", "--simulations", 60), ("choose", "--level", 4)):
            expected = run(command[0], position, "--seat", 1, *command[1:], "--json").out
            ran = run(command[0], path, *seat, *command[1:], "--json")
            assert without_timing(ran.out) == without_timing(expected)
        assert "Advice for seat 1" in run("advise", path, *seat, "--simulations", 60).out
    ran = run("advise", tmp_path / "referee.json")
    assert ran.err.startswith("--seat: ")
    broken = json.loads((tmp_path / "referee.json").read_text())
    broken["steps"][2]["move"]["move"] = {"notation": "pick 40"}
    ran = run("advise", "-", "--seat", 1, stdin=json.dumps(broken))
    assert ran.code == 2
    assert ran.err.startswith("record.steps[2].move.move.notation: ")
    broken["steps"][2] = {"mvoe": {}}
    ran = run("choose", "-", "--seat", 1, stdin=json.dumps(broken))
    assert ran.code == 2
    assert ran.err.startswith("record.steps[2]: has no field")


def test_choose(run: Run, seen: Path) -> None:
    cards = hand(seen)
    ran = run("choose", seen, "--level", 3, "--seed", 5)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] in cards
    assert run("choose", seen, "--seat", 1, "--level", 3, "--seed", 5).out == ran.out
    assert run("choose", seen, "--json").json["level"] == 10
    assert run("choose", seen, "--level", 1, "--allow", cards[4]).out == f"{cards[4]}\n"
    limited = run("choose", seen, "--simulations", 80, "--json").json
    assert limited["simulations"] == "80"
    assert "level" not in limited
    timed = run("choose", seen, "--time", "60s", "--turn-time", "100ms", "--json").json
    assert timed["stopReason"] == "STOP_REASON_TIME"


def test_progress_on_a_terminal(run: Run, seen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("advise", seen, "--simulations", 30_000, "--json")
    shown: list[int] = []

    def note(answer: pb.AdviseResponse) -> str:
        shown.append(answer.simulations)
        return "so far"

    monkeypatch.setattr("advisor.cli.advise.shows_progress", lambda: True)
    monkeypatch.setattr("advisor.cli.advise.progress_line", note)
    ran = run("advise", seen, "--time", "600ms", "--json")
    assert ran.code == 0
    assert shown
    ran = run("advise", seen, "--simulations", 30_000, "--json")
    assert without_timing(ran.out) == without_timing(plain.out)


# The same with a server.


def commands(position: Path, seen: Path) -> list[list[str]]:
    card = json.loads(seen.read_text())["ocean"]["seatKnowledge"]["hands"][1]["cards"][0]
    listed = [
        ["games"],
        ["games", "ocean"],
        ["games", "--json"],
        ["games", "ocean", "--json"],
        ["new", "ocean", "--players", "3", "--seed", "5"],
        ["new", "ocean", "--players", "9"],
        ["new", "ocean", "--players", "2", "--json", "--variant", "targets"],
        ["observe", str(position), "--seat", "2"],
        ["observe", str(seen), "--seat", "2"],
        ["moves", str(seen)],
        ["moves", str(position), "--seat", "0"],
        ["moves", str(seen), "--json"],
        ["apply", str(seen), "--move", f"pick {card}", "--json"],
        ["apply", str(seen), "--move", "pick 40"],
        ["render", str(position)],
        ["advise", str(seen), "--algorithm", "greedy", "--json"],
        ["advise", str(seen), "--simulations", "200", "--json"],
        ["advise", str(seen), "--simulations", "0", "--trees", "99"],
        ["choose", str(seen), "--level", "2", "--seed", "3"],
        ["choose", str(seen), "--simulations", "50", "--json"],
        ["choose", str(seen), "--level", "11"],
    ]
    return listed


@pytest.mark.parametrize("number", range(21))
def test_the_same_output(run: Run, server: str, position: Path, seen: Path, number: int) -> None:
    command = commands(position, seen)[number]
    here, there = run(*command), run(*command, "--server", server)
    assert here.code == there.code
    assert here.err == there.err
    if command[0] in ("advise", "choose") and "--json" in command and here.code == 0:
        assert without_timing(here.out) == without_timing(there.out)
    else:
        assert here.out == there.out


def test_no_server(run: Run, seen: Path) -> None:
    ran = run("games", "--server", "127.0.0.1:1")
    assert ran.code == 3
    assert ran.err
    assert not ran.out


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["new", "chess", "--players", "2"], "game: "),
        (["new", "ocean", "--players", "2", "--rules", "topology=ROUND"], "rules.topology: "),
        (["new", "ocean", "--players", "2", "--rules", "colour=red"], "rules: "),
        (["new", "ocean", "--players", "2", "--rules", "promo=true"], "rules.ocean.promo: "),
        (["new", "ocean", "--players", "2", "--rules", "promo"], "rules: "),
        (["new", "ocean", "--players", "2", "--catalogue", "x"], "CATALOGUE_NOT_HELD: "),
        (["new", "ocean", "--players", "2", "--seed", "-1"], "--seed"),
        (["new", "ocean"], "--players"),
        (["observe", "missing.json"], "missing.json: "),
        (["frobnicate"], "frobnicate"),
        (["advise", "SEEN", "--time", "soon"], "--time: "),
        (["advise", "SEEN", "--memory", "much"], "--memory: "),
        (["advise", "SEEN", "--time", "1000h"], "--time: "),
        (["advise", "SEEN", "--time", "1000m"], "limits.time: "),
        (["advise", "SEEN", "--simulations", "99999999999999999999"], "--simulations: "),
        (["advise", "SEEN", "--seat", "0"], "seat: "),
        (["advise", "POSITION"], "--seat: "),
        (["advise", "POSITION", "--seat", "0"], "NO_DECISION_OWED: "),
        (["advise", "SEEN", "--algorithm", "magic"], "magic"),
        (["advise", "SEEN", "--confidence", "1"], "options.confidence: "),
        (["advise", "SEEN", "--allow", "pick 40"], "options.allow_moves[0].notation: "),
        (["advise", "SEEN", "--report", "jump"], "options.report_moves[0].notation: "),
        (["choose", "SEEN", "--level", "11"], "level: "),
        (["choose", "SEEN", "--level", "3", "--simulations", "9"], "--level: "),
        (["choose", "SEEN", "--turn-time", "soon"], "--turn-time: "),
        (["choose", "SEEN", "--turn-time", "0s"], "turn_time: "),
        (["choose", "POSITION"], "--seat: "),
        (["apply", "SEEN"], "move: "),
        (["apply", "SEEN", "--move", "jump"], "move.notation: "),
        (["apply", "SEEN", "--event", "{"], "events[0]: "),
        (["arena", "--game", "ocean", "--players", "2", "--a", "best", "--b", "random"], "--a: "),
        (["arena", "--game", "ocean", "--players", "2", "--a", "random"], "--b: "),
        (["arena", "--game", "ocean", "--players", "7", "--a", "random", "--b", "random"], "seats: "),
        (["arena", "--game", "ocean", "--players", "1", "--a", "random"], "seats: "),
        (["arena", "--game", "sanctuary", "--players", "13", "--a", "random", "--b", "random"], "seats: "),
        (["arena", "--game", "sanctuary", "--players", "1", "--a", "random", "--b", "random"], "--b: "),
        (["arena", "--game", "sanctuary", "--players", "3", "--a", "random", "--variant", "solo"], "seats: "),
        (["catalogue", "check", "missing.json"], "missing.json: "),
        (["catalogue", "check", str(HOUSE), "--game", "go"], "--game: "),
    ],
)
def test_bad_input(run: Run, position: Path, seen: Path, arguments: list[str], told: str) -> None:
    given = [{"SEEN": str(seen), "POSITION": str(position)}.get(argument, argument) for argument in arguments]
    ran = run(*given)
    assert ran.code == 2
    assert told in ran.err
    assert not ran.out


def test_every_fault_of_a_file(run: Run) -> None:
    ran = run("advise", "-", "--seat", "0", stdin='{"game": 1, "seats": "x", "ocean": {"table": {"round": []}}}')
    assert ran.code == 2
    paths = [line.split(":")[0] for line in ran.err.splitlines()]
    assert paths == ["position.game", "position.seats", "position.ocean.table.round"]
    ran = run("advise", "-", "--seat", "0", stdin="{")
    assert ran.code == 2
    assert ran.err.startswith("position: is not JSON")


def test_bad_settings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIRENIA_WORKERS", "none")
    ran = run("games")
    assert ran.code == 2
    assert ran.err.startswith("settings.workers: ")
    monkeypatch.delenv("SIRENIA_WORKERS")
    monkeypatch.setenv("SIRENIA_CATALOGUE_DIRS", "[")
    ran = run("games")
    assert ran.code == 2
    assert ran.err.startswith("settings.catalogue_dirs: ")
    assert "JSON list" in ran.err
    monkeypatch.setenv("SIRENIA_CATALOGUE_DIRS", '["/nowhere"]')
    ran = run("games")
    assert (ran.code, ran.err) == (2, "/nowhere: is not a directory\n")
    monkeypatch.delenv("SIRENIA_CATALOGUE_DIRS")
    ran = run("serve", "--log-level", "blah")
    assert ran.code == 2
    assert all(level in ran.err for level in ("settings.log_level", "debug", "info", "warning", "error"))


def test_a_server_that_cannot_listen(run: Run, server: str) -> None:
    ran = run("serve", "--port", server.rpartition(":")[2], "--metrics-port", "0")
    assert ran.code == 3
    assert "cannot listen" in ran.err
    assert "address already in use" in ran.err
    assert "--port or SIRENIA_PORT" in ran.err
    ran = run("serve", "--port", "0", "--metrics-port", server.rpartition(":")[2])
    assert ran.code == 3
    assert "address already in use" in ran.err
    assert "--metrics-port or SIRENIA_METRICS_PORT" in ran.err
    for part in ("", "metrics-"):
        ran = run("serve", f"--{part}host", "nowhere.invalid", "--port", "0", "--metrics-port", "0")
        assert ran.code == 3
        assert "no such host" in ran.err
        assert f"--{part}host or SIRENIA_" in ran.err


FAR = "99999999999"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["observe", "POSITION", "--seat", FAR], "--seat: "),
        (["moves", "POSITION", "--seat", FAR], "--seat: "),
        (["apply", "POSITION", "--seat", FAR, "--move", "pick 1"], "--seat: "),
        (["advise", "POSITION", "--seat", f"-{FAR}"], "--seat: "),
        (["choose", "POSITION", "--seat", FAR], "--seat: "),
        (["new", "ocean", "--players", FAR], "--players: "),
        (["new", "ocean", "--players", "2", "--first-seat", FAR], "--first-seat: "),
        (["arena", "--game", "ocean", "--players", FAR, "--a", "random", "--b", "random"], "--players: "),
        (["advise", "POSITION", "--seat", "0", "--memory", "9" * 5000], "--memory: "),
        (["new", "ocean", "--players", "2", "--variant", "\udcff"], "--variant: "),
        (["new", "ocean", "--players", "2", "--catalogue=\udcff"], "--catalogue: "),
        (["new", "\udcff", "--players", "2"], "argument 2: "),
        (["apply", "POSITION", "--seat", "0", "--move", "pick \udcff"], "--move: "),
    ],
)
def test_what_no_message_has_room_for(run: Run, position: Path, arguments: list[str], told: str) -> None:
    ran = run(*(str(position) if argument == "POSITION" else argument for argument in arguments))
    assert ran.code == 2
    assert ran.err.startswith(told)
    assert len(ran.err) < 500


def test_streams_that_are_closed_or_full() -> None:
    command = f"{sys.executable} -m advisor"
    for line, code, told in (
        (f"{command} moves - --seat 0 <&-", 2, "-: standard input is closed"),
        (f"{command} games > /dev/full", 3, "standard output: no space left on device"),
        (f"{command} new ocean --players 2 > /dev/full", 3, "standard output: no space left on device"),
        (f"{command} games >&-", 3, "standard output: it is closed"),
    ):
        ran = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (code, f"{told}\n")


def test_what_help_tells(run: Run) -> None:
    assert run("--version").out == f"advisor {__version__}\n"
    serve = " ".join(run("serve", "--help").out.split())
    assert "[default: 50051]" in serve
    assert "[default: one a core]" in serve
    assert "expectimax:D" in " ".join(run("arena", "--help").out.split())
    assert "2,000 simulations" in " ".join(run("choose", "--help").out.split())


# The rest.


def test_arena(run: Run) -> None:
    command = ("arena", "--game", "ocean", "--players", 2, "--a", "greedy", "--b", "random", "--games", 9, "--json")
    ran = run(*command, "--seed", 3)
    assert ran.code == 0
    figures = ran.json
    assert figures["games"] == 10
    assert figures["blocks"] == 5
    assert {"game", "players", "a", "b", "win_rate", "interval", "elo", "elo_interval", "mean_margin"} <= figures.keys()
    assert run(*command, "--seed", 3, "--threads", 1).out == ran.out
    plain = run(*command[:-1], "--variant", "targets", "--rules", "topology=HEX,passing=RIGHT")
    assert plain.code == 0
    assert "win_rate" in plain.out


def test_arena_for_one(run: Run) -> None:
    command = ("arena", "--game", "sanctuary", "--players", 1, "--a", "greedy", "--games", 5, "--seed", 3)
    figures = run(*command, "--json").json
    assert figures.keys() == {"game", "players", "games", "blocks", "a", "mean_score", "mean_score_interval"}
    assert (figures["games"], figures["players"]) == (5, 1)
    figures = run(*command, "--rules", "challenge=SHORTAGE", "--json").json
    assert 0 <= figures["met_rate"] <= 1
    assert len(figures["met_interval"]) == 2
    assert "met_rate" in run(*command, "--rules", "challenge=SHORTAGE").out


@pytest.mark.parametrize(("players", "variant"), [(1, "solo"), (2, "base"), (6, "base"), (7, "scramble")])
def test_the_variant_is_the_first_for_so_many_players(run: Run, players: int, variant: str) -> None:
    assert run("new", "sanctuary", "--players", players, "--json").json["position"]["variant"] == variant


def test_bench(run: Run) -> None:
    ran = run("bench", "playouts", "--game", "ocean", "--players", 4, "--seconds", 0.5, "--json")
    assert ran.code == 0
    figures = ran.json
    assert figures["players"] == 4
    assert figures["playouts_per_second"]["one_thread"] > 0
    assert figures["playouts_per_second"]["python_reference"] > 0
    assert figures["plies_per_playout"] == pytest.approx(108)


def test_catalogue_check(run: Run, tmp_path: Path) -> None:
    ran = run("catalogue", "check", HOUSE, "--json")
    assert ran.code == 0
    assert ran.json["ok"] is True
    assert ran.json["id"] == "ocean-house"
    assert len(ran.json["digest"]) == 64
    data = json.loads(HOUSE.read_text())
    data["cards"][3]["kind"] = "OCEAN_KIND_BIRD"
    data["cards"][5]["name"] = data["cards"][4]["name"]
    data["targets"][0]["points"] = 100
    del data["about"]
    ran = run("catalogue", "check", "-", "--json", stdin=json.dumps(data))
    assert ran.code == 1
    assert ran.json["ok"] is False
    paths = {fault["path"] for fault in ran.json["faults"]}
    assert paths == {"cards[3].kind", "cards[5].name", "targets[0].points", "about"}
    plain = run("catalogue", "check", "-", stdin=json.dumps(data))
    assert plain.code == 1
    assert {line.split(":")[0] for line in plain.out.splitlines()} == paths
    assert run("catalogue", "check", "-", stdin="[]").code == 1


def test_catalogue_check_knows_the_game_by_the_name(run: Run, tmp_path: Path) -> None:
    heart = HOUSE.with_name("heart-house.json")
    ran = run("catalogue", "check", heart, "--json")
    assert (ran.code, ran.json["game"], ran.json["id"]) == (0, "heart", "heart-house")
    other = tmp_path / "mine.json"
    other.write_text(heart.read_text(encoding="utf-8"), encoding="utf-8")
    assert run("catalogue", "check", other).code == 1
    assert run("catalogue", "check", other, "--game", "heart").code == 0


def test_rules_are_spread() -> None:
    assert spread_rules(["new", "--rules", "a=1", "b=2", "--seed", "3", "c=4"]) == [
        "new", "--rules", "a=1", "--rules", "b=2", "--seed", "3", "c=4",
    ]  # fmt: skip
    assert spread_rules(["--rules", "a=1", "p.json"]) == ["--rules", "a=1", "p.json"]


@pytest.mark.parametrize(("text", "seconds"), [("250ms", 0.25), ("1s", 1), ("1.5", 1.5), ("2m", 120)])
def test_times(text: str, seconds: float) -> None:
    assert parse_time(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "size"), [("1048576", 1 << 20), ("64MiB", 64 << 20), ("1G", 1 << 30), ("4K", 4096)])
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


def test_as_a_module() -> None:
    ran = subprocess.run([sys.executable, "-m", "advisor", "--help"], capture_output=True, text=True, check=True)
    for command in (
        "serve",
        "games",
        "new",
        "observe",
        "moves",
        "apply",
        "render",
        "advise",
        "choose",
        "arena",
        "bench",
        "catalogue",
    ):
        assert command in ran.stdout


def test_the_demo() -> None:
    ran = subprocess.run([sys.executable, "-m", "advisor.demo"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("Advice for seat") == 5
    assert ran.stdout.count("House catalogue") == 10
    assert "The server has stopped." in ran.stdout
