"""`advisor load`: a server under load."""

import contextlib
import dataclasses
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import grpc
import typer
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from advisor.child import Child, ChildError, child
from advisor.cli.advise import AlgorithmName, ObjectiveName
from advisor.cli.common import (
    FAILED,
    NEGATIVE,
    CatalogueOption,
    JsonOption,
    RulesOption,
    SeedOption,
    VariantOption,
    console,
    fail,
    handled,
    load_settings,
    new_request,
    print_figures,
)
from advisor.cli.connection import connection
from advisor.client import Client, Retry
from advisor.connection import Connection
from advisor.errors import AdvisorError
from advisor.load import report
from advisor.load.asked import Kind, Load
from advisor.load.reading import (
    read_depth,
    read_list,
    read_mix,
    read_number,
    read_simulations,
    read_time,
    read_whole,
)
from advisor.load.scrape import ScrapeError, scrape
from advisor.load.sweep import Judging, Point, Tester, capacity, kind_name, label, met, recommend
from advisor.v1 import advice_pb2, advisor_service_pb2
from ext.game import MAX_SEATS
from search.run import lower_priority

SECONDS: Final = 10.0
"""Length of a run of which nothing is said, in seconds."""
SIMULATIONS: Final = 1000
"""Simulations of a call of which nothing is said."""
TARGET_RANGE: Final = (100, 100_000)
"""Simulations among which `--target-p99` looks where none are given."""
REACH_SECONDS: Final = 5.0
"""How long the first word of a server is waited for."""
UNAVAILABLE: Final = grpc.StatusCode.UNAVAILABLE.name
MOST_RATE: Final = 1e5
MOST_CALLERS: Final = 10_000

T = TypeVar("T")
Figures = dict[str, Any]


class Arrivals(StrEnum):
    """Values of `--arrivals`."""

    POISSON = "poisson"
    EVEN = "even"


@dataclass(frozen=True)
class Bounds:
    """What is asked of the figures; None for nothing."""

    target_p99_ms: float | None
    max_lost: int | None
    max_failed: int | None
    min_deadline_met: float | None

    def missed(self, found: Figures) -> list[str]:
        """Return what a run has missed, in words."""
        told = []
        for name, most in (("lost", self.max_lost), ("failed", self.max_failed)):
            if most is not None and found[name] > most:
                told.append(f"--max-{name}: {found[name]} calls {name}, {most} allowed")
        share = found["deadline_met"]
        if self.min_deadline_met is not None and (share or 0.0) < self.min_deadline_met:
            told.append(f"--min-deadline-met: {report.percent(share)} in time, not {self.min_deadline_met:.5g}")
        if self.target_p99_ms is not None and not met(found, self.target_p99_ms):
            p99 = report.number(found["latency_ms"]["p99"])
            told.append(
                f"--target-p99: p99 is {p99} ms and {found['completed']} of {found['requests']} calls were answered, "
                f"not 99 % within {self.target_p99_ms:g} ms"
            )
        return told


def read(option: str, text: str, how: Callable[[str], T]) -> T:
    """Return the value of an option; exits with 2 when it cannot be read."""
    try:
        return how(text)
    except ValueError as error:
        raise fail(option, str(error)) from None


def read_all(option: str, text: str | None, how: Callable[[str], T]) -> list[T]:
    """Return the values of an option that takes a list, none where it is not given."""
    return [] if text is None else read(option, text, lambda given: read_list(given, how))


@handled
def load(
    serve: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- OPTIONS]", help="Options of `advisor serve` for the server that is started here."),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option("--server", metavar="HOST:PORT", help="A running server; without, one is started for the run."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="The Prometheus endpoint of that server, for the report."),
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Workers of the server started here.")] = None,
    niceness: Annotated[
        int | None,
        typer.Option(
            "--niceness",
            min=0,
            max=19,
            help="Of the load tester and of the searches of the server started here. [default: that of searches, 19]",
        ),
    ] = None,
    game: Annotated[str, typer.Option("--game", help="The game, or a list: heart, ocean, sanctuary.")] = "ocean",
    players: Annotated[str, typer.Option("--players", help="Number of seats, or a list.")] = "4",
    variant: VariantOption = "",
    rules: RulesOption = None,
    catalogue: CatalogueOption = "",
    simulations: Annotated[
        str | None,
        typer.Option("--simulations", help=f"Simulations of each call, or a list. [default: {SIMULATIONS}]"),
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Time limit of each call's search, or a list: 50ms, 1s.")
    ] = None,
    depth: Annotated[
        str | None, typer.Option("--depth", help="Depth limit of each call's search, in decisions, or a list.")
    ] = None,
    deadline: Annotated[
        str | None, typer.Option("--deadline", help="Deadline of each call, counted from when it is due: 150ms.")
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(
            "--mix",
            metavar="CLASSES",
            help="Several classes of calls, LIMIT[@DEADLINE][*WEIGHT] each: 5s*1,100ms@150ms*20.",
        ),
    ] = None,
    algorithm: Annotated[AlgorithmName, typer.Option("--algorithm", help="How moves are found.")] = AlgorithmName.AUTO,
    objective: Annotated[ObjectiveName, typer.Option("--objective", help="What is maximised.")] = ObjectiveName.WIN,
    rate: Annotated[
        str | None,
        typer.Option("--rate", help="Open loop: calls a second, whatever becomes of the earlier ones; or a list."),
    ] = None,
    concurrency: Annotated[
        str | None,
        typer.Option("--concurrency", help="Closed loop: callers that wait for their answer; or a list. [default: 1]"),
    ] = None,
    arrivals: Annotated[Arrivals, typer.Option("--arrivals", help="How an open loop arrives.")] = Arrivals.POISSON,
    overload: Annotated[
        float | None,
        typer.Option("--overload", min=0.01, max=1000, help="Find the capacity, then offer so many times that."),
    ] = None,
    of_capacity: Annotated[
        float | None,
        typer.Option("--of-capacity", min=0.01, max=1000, help="The same, for a part of the capacity, such as 0.7."),
    ] = None,
    calls: Annotated[
        int | None, typer.Option("--calls", min=1, max=10_000_000, help="Calls of each run, the warm-up's not counted.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.1,
            max=86_400,
            help=f"Seconds of each run, warm-up not counted. [default: SECONDS_ of the environment, or {SECONDS:g}]",
        ),
    ] = None,
    warm_up: Annotated[
        float, typer.Option("--warm-up", min=0, max=3600, help="Seconds before those whose figures count.")
    ] = 1.0,
    grace: Annotated[
        float | None,
        typer.Option(
            "--grace",
            min=0,
            max=86_400,
            help="Seconds past its deadline after which a call without an outcome is lost; without a deadline past its "
            "time limit. [default: 1, or 60]",
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option("--attempts", min=1, max=100, help="How often a call is made that is refused with advice.")
    ] = 1,
    positions: Annotated[
        int, typer.Option("--positions", min=1, max=100_000, help="Different positions that are asked about.")
    ] = 48,
    reference: Annotated[
        int,
        typer.Option("--reference", min=0, max=1_000_000_000, help="Simulations of the searches that judge; 0: none."),
    ] = 20_000,
    reference_positions: Annotated[
        int, typer.Option("--reference-positions", min=1, max=100_000, help="Positions that are judged.")
    ] = 16,
    seed: SeedOption = 0,
    sweep: Annotated[bool, typer.Option("--sweep", help="A run for every combination of the lists given.")] = False,
    target_p99: Annotated[
        str | None,
        typer.Option(
            "--target-p99",
            help="Recommend the most simulations, or time, with which 99 % of the calls are answered within this time.",
        ),
    ] = None,
    max_lost: Annotated[
        int | None, typer.Option("--max-lost", min=0, help="End with 1 where a run loses more calls.")
    ] = None,
    max_failed: Annotated[
        int | None, typer.Option("--max-failed", min=0, help="End with 1 where more calls of a run fail.")
    ] = None,
    min_deadline_met: Annotated[
        float | None,
        typer.Option(
            "--min-deadline-met", min=0, max=1, help="End with 1 where a smaller share of the calls is in time."
        ),
    ] = None,
    csv: Annotated[str | None, typer.Option("--csv", metavar="FILE", help="Write the figures as CSV, too.")] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a report with charts, too.")] = None,
    json: JsonOption = False,
) -> None:
    """Put a server under load and tell what it answers, when, and how good it is.

    Without --rate and --concurrency one caller asks again and again. Options of `advisor serve` for the server that is
    started here go behind --. Ends with 1 when a bound that was asked for is missed, 3 when no server is reached.
    """
    open_or_closed = rate is not None or concurrency is not None
    _refuse(
        (
            rate is not None and concurrency is not None,
            "--concurrency: goes without --rate: calls come at a rate, or each caller waits for its answer",
        ),
        (overload is not None and of_capacity is not None, "--of-capacity: goes without --overload: both are a rate"),
        (overload is not None and open_or_closed, "--overload: finds its own rate; leave out --rate and --concurrency"),
        (
            of_capacity is not None and open_or_closed,
            "--of-capacity: finds its own rate; leave out --rate and --concurrency",
        ),
        (
            mix is not None and (simulations is not None or time is not None or depth is not None),
            "--mix: has limits of its own; leave out --simulations, --time and --depth",
        ),
        (
            min_deadline_met is not None and deadline is None and "@" not in (mix or ""),
            "--min-deadline-met: needs --deadline",
        ),
        (
            server is not None and (bool(serve) or workers is not None),
            "--server: names a running server; options of another one have no use",
        ),
        (metrics is not None and server is None, "--metrics: goes with --server; a server started here is known"),
        (
            bool(serve) and not (serve or [""])[0].startswith("-"),
            f"{(serve or [''])[0]}: is no option; options of `advisor serve` go behind --",
        ),
    )
    target = None if target_p99 is None else read("--target-p99", target_p99, read_time)
    bounds = Bounds(None if target is None else target * 1e3, max_lost, max_failed, min_deadline_met)
    settings = load_settings(niceness=niceness)
    if seconds is None and calls is None:
        seconds = _default_seconds()
    base = Load(
        evenly=arrivals is Arrivals.EVEN,
        calls=calls,
        seconds=seconds,
        warm_up=warm_up,
        grace=grace,
        attempts=attempts,
        seed=seed,
    )
    within = None if deadline is None else read("--deadline", deadline, read_time)
    asked = _asked_mix(mix, within) if mix is not None else _asked(simulations, time, depth, within, target is not None)
    loads = [dataclasses.replace(base, rate=each) for each in read_all("--rate", rate, _read_rate)]
    loads += [dataclasses.replace(base, concurrency=each) for each in read_all("--concurrency", concurrency, _callers)]
    games = read_list(game, str)
    seats = read("--players", players, lambda text: read_list(text, lambda part: read_whole(part, 1, MAX_SEATS)))
    points = [
        Point(new_request(which, many, variant, rules, catalogue, 0), kinds, how)
        for which, many, kinds, how in itertools.product(games, seats, asked.kinds, loads or [base])
    ]
    if len(points) > 1 and not sweep:
        raise fail("--sweep", "is missing: there are lists, and so several runs")
    if len(points) > 1 and (asked.tried or overload is not None or of_capacity is not None):
        raise fail(
            "--sweep", "of --target-p99, --overload or --of-capacity is about one game, one load and one setting"
        )
    _check_files(csv, html)

    options = advice_pb2.AdviceOptions(objective=f"OBJECTIVE_{objective.name}")
    if algorithm is not AlgorithmName.AUTO:
        options.MergeFrom(advice_pb2.AdviceOptions(algorithm=f"ALGORITHM_{algorithm.name}"))
    part = overload if overload is not None else of_capacity
    try:
        # A server that is started here speaks plain text, unless its own options say otherwise.
        how = connection() if server is not None or serve else Connection()
        with (
            _server(server, metrics, workers, niceness, serve or []) as running,
            _client(running.address, how) as client,
        ):
            _reach(running, how)
            # Not at the start: a child has its parent's niceness. Who is nicer already may not become less so.
            with contextlib.suppress(PermissionError):
                lower_priority(settings.niceness)
            with _watching() as watch:
                judging = Judging(reference, reference_positions)
                tester = Tester(running.address, client, options, positions, judging, running.metrics, watch.note, how)
                told, extra = _run(tester, watch, points, part, asked, bounds)
    except (ChildError, ScrapeError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(FAILED) from None
    if all(point["failed_by"].get(UNAVAILABLE, 0) == point["requests"] > 0 for point in told):
        _unreachable(server or "its address", "it answered no call")
    _write(csv, lambda: report.as_csv(told))
    _write(html, lambda: report.as_html(told, extra))
    _print(told, extra, sweep, json)
    missed = _missed(bounds, told, extra)
    for text in missed:
        print(text, file=sys.stderr)
    if missed:
        raise typer.Exit(NEGATIVE)


def _run(
    tester: Tester, watch: "_Watch", points: list[Point], part: float | None, asked: "Asked", bounds: Bounds
) -> tuple[list[Figures], Figures]:
    """Make all runs; return their figures, and what was found beside them: the capacity, a recommendation."""
    extra: Figures = {}

    def measure(point: Point) -> Figures:
        found = tester.measure(point)
        watch.add(found)
        return found

    if part is not None:
        found = capacity(lambda point: tester.measure(point, judged=False), points[0])
        if not found["throughput"]:
            raise ChildError("the server answered no call while its capacity was looked for")
        extra = {"capacity": found, "of_capacity": part}
        how = dataclasses.replace(points[0].load, rate=part * found["throughput"])
        points = [dataclasses.replace(points[0], load=how)]
    if bounds.target_p99_ms is not None and asked.tried:
        extra |= recommend(measure, points[0], asked.setting, asked.tried, bounds.target_p99_ms)
        return extra.pop("points"), extra
    return [measure(point) for point in points], extra


# What is asked.


def _refuse(*faults: tuple[bool, str]) -> None:
    """Exit with 2 and the words of the first fault that there is."""
    for there, words in faults:
        if there:
            raise fail("", words)


def _default_seconds() -> float:
    text = os.environ.get("SECONDS_")
    return SECONDS if text is None else read("SECONDS_", text, lambda given: read_number(given, 86_400))


def _read_rate(text: str) -> float:
    return read_number(text, MOST_RATE)


def _callers(text: str) -> int:
    return read_whole(text, 1, MOST_CALLERS)


@dataclass(frozen=True)
class Asked:
    """The classes of calls of each run; and where a target is looked for, in which setting, and its least and most."""

    kinds: list[tuple[Kind, ...]]
    setting: str = ""
    tried: tuple[float, ...] = ()


def _asked_mix(mix: str, deadline: float | None) -> Asked:
    return Asked([read("--mix", mix, lambda text: read_mix(text, deadline))])


def _asked(
    simulations: str | None, time: str | None, depth: str | None, deadline: float | None, looking: bool
) -> Asked:
    numbers: list[int | None] = [*read_all("--simulations", simulations, read_simulations)]
    times: list[float | None] = [*read_all("--time", time, read_time)]
    depths: list[int | None] = [*read_all("--depth", depth, read_depth)]
    setting: str = ""
    tried: tuple[float, ...] = ()
    if looking and not (numbers or times or depths):
        numbers = [*TARGET_RANGE]
    if looking and (len(numbers) > 1 or len(times) > 1):
        if len(numbers) > 1 and len(times) > 1:
            raise fail("--target-p99", "looks for --simulations or for --time, not for both")
        if len(numbers) > 1:
            setting, tried, numbers = "simulations", tuple(float(each or 0) for each in numbers), numbers[:1]
        else:
            setting, tried, times = "seconds", tuple(each or 0.0 for each in times), times[:1]
    if not (numbers or times or depths):
        numbers = [SIMULATIONS]
    product = itertools.product(numbers or [None], times or [None], depths or [None])
    return Asked([(Kind(kind_name(*limits), *limits, deadline),) for limits in product], setting, tried)


# Whom it is asked of.


@contextmanager
def _server(
    server: str | None, metrics: str | None, workers: int | None, niceness: int | None, more: list[str]
) -> Iterator[Child]:
    if server is not None:
        yield Child(server, metrics)
        return
    options = [] if workers is None else ["--workers", str(workers)]
    options += [] if niceness is None else ["--niceness", str(niceness)]
    with child(*options, *more) as running:
        yield running


@contextmanager
def _client(address: str, how: Connection) -> Iterator[Client]:
    """Yield the client for what is not measured: positions and references, which may wait for room."""
    with Client(address, retry=Retry(attempts=5), credentials=how.credentials(), token=how.token()) as client:
        yield client


def _reach(running: Child, how: Connection) -> None:
    """Exit with 3, before anything is measured, where there is no server or no metrics."""
    with Client(running.address, retry=Retry(attempts=1), credentials=how.credentials(), token=how.token()) as client:
        try:
            client.list_games(advisor_service_pb2.ListGamesRequest(), timeout=REACH_SECONDS)
        except AdvisorError as error:
            _unreachable(running.address, error.message or error.status.name)
    if running.metrics is not None:
        scrape(running.metrics)


def _unreachable(address: str, why: str) -> None:
    print(f"--server: {address} cannot be reached or gives no answers: {why}", file=sys.stderr)
    raise typer.Exit(FAILED)


# What is told.


class _Watch:
    """Shows on a terminal what is being done and what has been found; elsewhere nothing."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._found: list[Figures] = []
        self._doing = ""

    def note(self, text: str) -> None:
        """Show what is being done."""
        self._doing = text
        self._show()

    def add(self, found: Figures) -> None:
        """Show a point that is finished."""
        self._found.append(found)
        self._show()

    def _show(self) -> None:
        if self._live is not None:
            found = report.table(self._found, self._live.console.width)
            self._live.update(Group(found, Text(f"... {self._doing}")), refresh=True)


@contextmanager
def _watching() -> Iterator[_Watch]:
    if not sys.stderr.isatty():
        yield _Watch(None)
        return
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield _Watch(live)


def _check_files(csv: str | None, html: str | None) -> None:
    """Exit with 2, before anything is measured, where what was found could not be written."""
    if html is not None and (lacking := report.lacking()):
        raise fail(
            "--html", f"needs {' and '.join(lacking)}, which a plain install leaves out; install sirenia[report]"
        )
    for option, path in (("--csv", csv), ("--html", html)):
        if path is not None:
            try:
                Path(path).open("a").close()
            except OSError as error:
                raise fail(option, f"{path}: {(error.strerror or str(error)).lower()}") from None


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path is not None:
        Path(path).write_text(text(), encoding="utf-8")


def _print(told: list[Figures], extra: Figures, several: bool, json: bool) -> None:
    if json:
        if "recommended" in extra:
            print_figures({**extra, "points": told})
        else:
            print_figures(told if several else {**told[0], **extra})
        return
    out = console()
    out.print(report.table(told, out.width))
    for text in report.remarks(told):
        out.print(text, markup=False)
    if "capacity" in extra:
        out.print(f"capacity: {report.number(extra['capacity']['throughput'])} calls a second", markup=False)
    if "recommended" in extra:
        found = extra["recommended"]
        out.print(f"recommended: {'nothing that was tried' if found is None else label(found)}", markup=False)


def _missed(bounds: Bounds, told: list[Figures], extra: Figures) -> list[str]:
    if "recommended" not in extra:
        return [text for point in told for text in bounds.missed(point)]
    found = extra["recommended"]
    if found is None:
        return [f"--target-p99: no setting that was tried answers 99 % of the calls within {bounds.target_p99_ms:g} ms"]
    return bounds.missed(found)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(load)
