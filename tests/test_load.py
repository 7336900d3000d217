"""`advisor load`: schedules, the ledger, figures, quality, recommendations, the report, and bad input."""

import csv
import importlib.util
import io
import math
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from wire import advisor, new, observe, play

from advisor.cli import main
from advisor.load import report, sweep
from advisor.load.asked import Kind, Load, schedule
from advisor.load.generator import Run, deadline_text
from advisor.load.ledger import Ledger, LedgerError, Outcome
from advisor.load.positions import Drawn, Unseeded, request_for
from advisor.load.quality import Reference, quality
from advisor.load.reading import read_mix, read_time
from advisor.load.scrape import server_figures
from advisor.load.statistics import figures, percentiles, stable
from advisor.v1 import advice_pb2
from advisor.v1 import advisor_service_pb2 as pb

MIX = (Kind("long", seconds=5.0, weight=1), Kind("hint", seconds=0.1, deadline=0.15, weight=3))

# Schedules.


def test_poisson_arrivals() -> None:
    due, kinds = schedule(Load(rate=200, seconds=100, seed=3), MIX)
    gaps = np.diff(due)
    assert len(due) == pytest.approx(20_000, rel=0.03)
    # Exponential gaps spread as much as their mean, and forget: a gap says nothing about the next one.
    assert gaps.mean() == pytest.approx(1 / 200, rel=0.03)
    assert gaps.std() == pytest.approx(1 / 200, rel=0.05)
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 0.03
    assert (kinds == 1).mean() == pytest.approx(0.75, abs=0.02)
    assert due[-1] < 100
    again, _ = schedule(Load(rate=200, seconds=100, seed=3), MIX)
    assert np.array_equal(due, again)


def test_even_arrivals() -> None:
    due, _ = schedule(Load(rate=50, evenly=True, seconds=2), MIX[:1])
    assert np.diff(due) == pytest.approx(0.02)
    assert len(due) == 99  # at 0.02 s, ..., 1.98 s


def test_a_number_of_calls_comes_after_the_warm_up() -> None:
    due, _ = schedule(Load(rate=100, calls=2500, warm_up=2.0, seed=1), MIX)
    assert (due >= 2.0).sum() == 2500
    assert (due < 2.0).sum() == pytest.approx(200, abs=60)
    both, _ = schedule(Load(rate=100, calls=2500, seconds=1.0, warm_up=0.5), MIX)
    assert both[-1] < 1.5


# The ledger.


def test_every_call_has_exactly_one_outcome() -> None:
    ledger = Ledger()
    calls = [ledger.open(0, position, 1.0, 1.0) for position in range(4)]
    ledger.complete(calls[0], 2.0, "pick 1", 100, 5.0, 1.0, 2.0)
    ledger.reject(calls[1], 2.0, "QUEUE_FULL", 0.5)
    ledger.fail(calls[2], 2.0, "INTERNAL")
    with pytest.raises(LedgerError, match="call 3 has no outcome"):
        ledger.table()
    ledger.lose(calls[3], 2.0)
    again: list[Callable[[int], None]] = [
        lambda call: ledger.complete(call, 3.0, "pick 1", 1, 1.0, 0.0, 0.0),
        lambda call: ledger.reject(call, 3.0, "QUEUE_FULL", None),
        lambda call: ledger.fail(call, 3.0, "INTERNAL"),
        lambda call: ledger.lose(call, 3.0),
    ]
    for close in again:
        for call in calls:
            with pytest.raises(LedgerError, match="already"):
                close(call)
    table = ledger.table()
    assert table.outcome.tolist() == [Outcome.COMPLETED, Outcome.REJECTED, Outcome.FAILED, Outcome.LOST]
    assert table.reasons() == {"QUEUE_FULL": 1, "INTERNAL": 1}
    assert table.answers() == [(0, "pick 1")]
    assert table.latency_ms == pytest.approx(1000.0)


# Figures.


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001])
def test_percentiles(count: int) -> None:
    values = np.random.default_rng(count).lognormal(size=count)
    found = percentiles(values, {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0})
    for name, share in (("p50", 50), ("p90", 90), ("p99", 99), ("max", 100)):
        assert found[name] == pytest.approx(np.percentile(values, share, method="inverted_cdf"), abs=1e-4)
        assert found[name] == pytest.approx(sorted(values)[math.ceil(share * count / 100) - 1], abs=1e-4)
    assert percentiles(np.empty(0)) == {"p50": None, "p99": None, "max": None}


def ran(*calls: tuple[Any, ...], begun: float = 0.0, offered: float = 10.0) -> Run:
    """A run with calls of (kind, due, sent, ended, outcome)."""
    run = Run(started=0.0, begun=begun, offered_seconds=offered)
    for kind, due, sent, ended, outcome in calls:
        call = run.ledger.open(kind, 0, due, sent)
        if outcome is Outcome.COMPLETED:
            run.ledger.complete(call, ended, "pick 1", 500, 4.5, 1.0, 100.0)
        elif outcome is Outcome.REJECTED:
            run.ledger.reject(call, ended, "QUEUE_FULL", 0.5 if due < 5 else None)
        elif outcome is Outcome.FAILED:
            run.ledger.fail(call, ended, "DEADLINE_EXCEEDED")
        else:
            run.ledger.lose(call, ended)
    return run


def test_figures_of_a_run() -> None:
    hint, done = 1, Outcome.COMPLETED
    run = ran(
        (hint, 0.5, 0.5, 9.9, done),  # warm-up
        (hint, 1.0, 1.0, 1.1, done),
        (hint, 2.0, 2.09, 2.16, done),  # was sent 90 ms late and took 70 ms from then: too late all the same
        (hint, 3.0, 3.0, 3.12, done),
        (0, 4.0, 4.0, 9.5, done),
        (hint, 4.5, 4.5, 4.501, Outcome.REJECTED),
        (hint, 6.0, 6.0, 6.003, Outcome.REJECTED),
        (hint, 7.0, 7.0, 7.15, Outcome.FAILED),
        (hint, 8.0, 8.0, 9.15, Outcome.LOST),
        begun=1.0,
        offered=9.0,
    )
    found = figures(run, MIX, Load(rate=1))
    assert [found[name] for name in ("requests", "completed", "rejected", "failed", "lost")] == [8, 4, 2, 1, 1]
    assert found["warm_up_requests"] == 1
    assert found["latency_ms"]["p50"] == pytest.approx(120)
    assert found["latency_ms"]["max"] == pytest.approx(5500)
    assert found["deadline_met"] == pytest.approx(2 / 7, abs=1e-6)  # of seven hints; the long one has no deadline
    assert found["overrun_ms"]["max"] == pytest.approx(500)
    hints = found["by_class"]["hint"]
    assert hints["latency_ms"]["max"] == pytest.approx(160)
    assert hints["overrun_ms"]["p50"] == pytest.approx(20)  # past the time limit, which is nearer than the deadline
    assert found["rejected_with_retry"] == 1
    assert found["rejected_ms"]["max"] == pytest.approx(3)
    assert found["rejected_by"] == {"QUEUE_FULL": 2}
    assert found["failed_by"] == {"DEADLINE_EXCEEDED": 1}
    assert found["offered_rate"] == pytest.approx(8 / 9, abs=1e-4)
    assert found["throughput"] == pytest.approx(4 / 8.5, abs=1e-4)
    assert found["depth_mean"] == 4.5
    assert found["generator"]["lag_ms"]["max"] == pytest.approx(90)
    assert found["generator"]["bottleneck"]
    assert sum(window["requests"] for window in found["windows"]) == 8


def test_a_load_that_gets_slower_is_not_stable() -> None:
    done = Outcome.COMPLETED
    noise = np.random.default_rng(5).exponential(0.005, size=400)
    steady = [(0, at / 40, at / 40, at / 40 + 0.02 + late, done) for at, late in enumerate(noise)]
    queueing = [(0, at / 40, at / 40, at / 40 + 0.02 + at / 1000, done) for at in range(400)]
    assert stable(ran(*steady).ledger.table()) is True
    assert stable(ran(*queueing).ledger.table()) is False
    assert stable(ran(*steady[:10]).ledger.table()) is None


def test_what_the_server_says_of_a_run() -> None:
    def samples(**values: float) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        labels = {"rpc": "Advise", "game": "ocean", "algorithm": "mcts"}
        searched = frozenset({**labels, "part": "searched"}.items())
        return {
            ("advisor_request_seconds_sum", searched): values["seconds"],
            ("advisor_request_seconds_count", searched): values["count"],
            ("advisor_rejected_total", frozenset({("reason", "queue_full")})): values["rejected"],
            ("advisor_workers", frozenset()): 2.0,
        }

    before, after = samples(seconds=1, count=10, rejected=2), samples(seconds=5, count=30, rejected=5)
    found = server_figures(before, after, 4.0)
    assert found["mean_ms"]["searched"] == 200
    assert found["mean_ms"]["queued"] is None
    assert found["busy_workers"] == 1
    assert found["rejected"] == {"queue_full": 3}
    assert found["workers"] == 2


# Quality.


def test_quality_against_references() -> None:
    references = [
        Reference({"a": 0.6, "b": 0.59, "c": 0.2}, ["a", "b"], False),
        Reference({"d": 0.5, "e": 0.1}, ["d"], True),
    ]
    answers = [(0, "a"), (0, "b"), (0, "c"), (1, "d"), (1, "e"), (2, "never judged")]
    found = quality(answers, references)
    assert found["agreement"] == pytest.approx(3 / 5)
    assert found["regret"] == pytest.approx((0 + 0.01 + 0.4 + 0 + 0.4) / 5)
    assert (found["calls"], found["positions"]) == (5, 2)
    assert quality([], references)["agreement"] is None


# What is asked.


def test_requests_differ_in_their_seeds() -> None:
    seen = observe(play(new(2), 10), 0)
    kind = Kind("x", simulations=50, seconds=0.25, depth=9)
    request = request_for(Drawn(seen, 0), kind, advice_pb2.AdviceOptions(max_moves=3))
    sent = Unseeded(request).seeded(2**64 + 77)
    merged = pb.AdviseRequest.FromString(sent)
    assert merged.SerializeToString() == sent
    assert merged.options.seed == 77
    assert merged.options.max_moves == 3
    assert (merged.limits.simulations, merged.limits.time.ToMilliseconds(), merged.limits.depth) == (50, 250, 9)
    assert advisor().advise(merged).seed == 77


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.15, "150000u"), (-1, "1000u"), (120, "120000m"), (200_000, "200000S"), (1e12, "99999999S")]
)
def test_deadlines_as_grpc_has_them(seconds: float, text: str) -> None:
    assert deadline_text(seconds) == text


def test_mixes() -> None:
    long, hint, sims, deep = read_mix("5s@none*0.5, 100ms*20, 2000@1s, depth6", 0.15)
    assert (long.seconds, long.deadline, long.weight) == (5.0, None, 0.5)
    assert (hint.seconds, hint.deadline, hint.weight, hint.name) == (0.1, 0.15, 20, "100ms")
    assert (sims.simulations, sims.deadline, sims.weight, sims.name) == (2000, 1.0, 1, "2000@1s")
    assert (deep.depth, deep.seconds) == (6, None)
    assert read_time("2m") == 120


# Recommendations.


def answer(p99: float, **more: Any) -> dict[str, Any]:
    return {"latency_ms": {"p99": p99}, "requests": 100, "completed": 100, **more}


def test_the_largest_setting_within_a_target() -> None:
    tried = []

    def measure(point: sweep.Point) -> dict[str, Any]:
        simulations = point.kinds[0].simulations
        assert simulations is not None
        tried.append(simulations)
        return answer(simulations / 20, simulations=simulations)

    point = sweep.Point(new(2), (Kind("100", simulations=100),), Load(rate=10))
    found = sweep.recommend(measure, point, "simulations", [100, 100_000], 150)
    assert 3000 / sweep.NEAR <= found["recommended"]["simulations"] <= 3000
    assert len(tried) == len(set(tried)) <= 9
    assert [each["simulations"] for each in found["points"]] == sorted(tried)
    assert sweep.recommend(measure, point, "simulations", [5000, 9000], 150)["recommended"] is None
    assert sweep.recommend(measure, point, "simulations", [100, 2000], 150)["recommended"]["simulations"] == 2000


def test_calls_without_an_answer_miss_a_target() -> None:
    assert sweep.met(answer(100), 150)
    assert not sweep.met(answer(151), 150)
    assert not sweep.met({**answer(1), "completed": 98}, 150)


def test_the_capacity_is_where_more_callers_bring_no_more() -> None:
    asked = []

    def measure(point: sweep.Point) -> dict[str, Any]:
        asked.append(point.load.concurrency)
        assert point.load.rate is None
        assert point.kinds[0].deadline is None
        return {"throughput": min(asked[-1], 6) * 10.0, "latency_ms": {"p50": 1.0}, "rejected": 0}

    point = sweep.Point(new(2), (Kind("x", simulations=100, deadline=0.1),), Load(calls=10_000))
    found = sweep.capacity(measure, point)
    assert found["throughput"] == 60
    assert asked == [1, 2, 4, 8, 16, 32]


# The report.


class Page(HTMLParser):
    """What a page refers to, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name in ("href", "src", "xlink:href", "srcset", "action", "data", "poster"):
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data + " "


def check_page(text: str) -> Page:
    """A page that needs nothing but itself."""
    page = Page(text)
    assert [link for link in page.links if not link.startswith("#")] == []
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert not re.search(r"@import|url\((?!#)", text)
    assert set(re.findall(r"https?://[^\"'<\s]*", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    return page


def a_point(simulations: int, factor: float) -> dict[str, Any]:
    run = ran(
        *((0, at / 10, at / 10, at / 10 + 0.01 * factor, Outcome.COMPLETED) for at in range(90)),
        (0, 9.5, 9.5, 9.501, Outcome.REJECTED),
    )
    kinds = (Kind(str(simulations), simulations=simulations),)
    point = sweep.Point(new(2), kinds, Load(rate=10))
    judged = {"agreement": 0.8, "regret": 0.1 / factor, "objective": "win"}
    mean_ms = dict.fromkeys(("queued", "converted", "searched", "total"), 1.5)
    server = {"mean_ms": mean_ms, "busy_workers": 1.5, "workers": 2.0, "search_cores": 1.4, "rejected": {"<b>": 1}}
    return {**point.told(), **figures(run, kinds, point.load), "quality": judged, "server": server}


def test_the_report_stands_alone() -> None:
    pytest.importorskip("matplotlib")
    points = [a_point(100, 1), a_point(1000, 4)]
    extra = {
        "target_p99_ms": 50.0,
        "recommended": points[1],
        "capacity": {"throughput": 20.0, "steps": [{"concurrency": 1, "throughput": 20.0}]},
    }
    text = report.as_html(points, extra)
    page = check_page(text)
    assert page.tags.count("svg") == 4
    for words in (
        "Recommended",
        "Capacity",
        "latency from when the call was due (ms)",
        "throughput (completed calls a second)",
        "mean regret (share of a win)",
        "share of the calls",
        "ocean 2p, 1000 sims, 10/s",
        "QUEUE_FULL 1",
        "<b> 1",
    ):
        assert words in page.text
    assert "<b>" not in text
    alone = check_page(report.as_html(points[:1], {}))
    assert alone.tags.count("svg") == 2


def test_csv_has_a_line_a_point() -> None:
    points = [a_point(100, 1), a_point(1000, 4)]
    points[0].pop("server")
    lines = list(csv.DictReader(io.StringIO(report.as_csv(points))))
    assert [line["simulations"] for line in lines] == ["100", "1000"]
    assert [float(line["latency_ms.p50"]) for line in lines] == pytest.approx([10, 40])
    assert [line["server.busy_workers"] for line in lines] == ["", "1.5"]


@pytest.mark.parametrize(("share", "text"), [(1.0, "100 %"), (0.99996, "99.99 %"), (0.5, "50 %"), (None, "-")])
def test_shares_are_not_rounded_up(share: float | None, text: str) -> None:
    assert report.percent(share) == text


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rate", "x"], "--rate: expected a number"),
        (["--rate", "0"], "--rate: expected a number more than 0"),
        (["--rate", "5", "--concurrency", "2"], "--concurrency: goes without --rate"),
        (["--concurrency", "0"], "--concurrency: expected a whole number from 1"),
        (["--simulations", "100,"], "--simulations: expected a whole number"),
        (["--simulations", "100,200"], "--sweep: is missing"),
        (["--game", "ocean,heart"], "--sweep: is missing"),
        (["--players", "two"], "--players: expected a whole number"),
        (["--time", "50"], "--time: expected a time with its unit"),
        (["--deadline", "0ms"], "--deadline: expected a time"),
        (["--mix", "5s*1", "--time", "1s"], "--mix: has limits of its own"),
        (["--mix", "5s*0"], "--mix: expected a number more than 0"),
        (["--mix", "5s@@1s"], "--mix: expected LIMIT"),
        (["--mix", "5s,5s"], "--mix: has the class '5s' twice"),
        (["--overload", "2", "--rate", "5"], "--overload: finds its own rate"),
        (["--overload", "2", "--of-capacity", "0.5"], "--of-capacity: goes without"),
        (["--target-p99", "1s", "--time", "1s,2s", "--simulations", "1,2"], "--target-p99: looks for"),
        (["--sweep", "--target-p99", "1s", "--simulations", "1,2", "--rate", "1,2"], "--sweep: of --target-p99"),
        (["--min-deadline-met", "0.9"], "--min-deadline-met: needs --deadline"),
        (["--server", "127.0.0.1:1", "--workers", "2"], "--server: names a running server"),
        (["--metrics", "127.0.0.1:1"], "--metrics: goes with --server"),
        (["nonsense"], "nonsense: is no option"),
        (["--csv", "/nowhere/at/all.csv"], "--csv: /nowhere/at/all.csv: no such file"),
    ],
)
def test_bad_input(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["load", *arguments])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


def test_a_bad_environment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SECONDS_", "soon")
    with pytest.raises(SystemExit) as ended:
        main(["load"])
    assert ended.value.code == 2
    assert "SECONDS_: expected a number" in capsys.readouterr().err


def test_a_page_without_its_packages(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jinja2" else find(name))
    with pytest.raises(SystemExit) as ended:
        main(["load", "--html", "x.html"])
    assert ended.value.code == 2
    assert "--html: needs jinja2, which a plain install leaves out; install sirenia[report]" in capsys.readouterr().err
