"""Runs, one after another: points of a sweep, the capacity, and the most that a target leaves room for."""

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from advisor.client import Client
from advisor.connection import Connection
from advisor.load.asked import Kind, Load
from advisor.load.generator import PLAIN, generate
from advisor.load.ledger import Outcome
from advisor.load.positions import Drawn, Unseeded, draw, request_for
from advisor.load.quality import Reference, look_up, quality
from advisor.load.scrape import scrape, server_figures
from advisor.load.statistics import figures
from advisor.v1 import advice_pb2, advisor_service_pb2

RAMP_SECONDS: Final = 2.0
"""How long each step of the ramp to the capacity takes, after a warm-up of a quarter of it."""
RAMP_GROWTH: Final = 1.05
"""More callers that do not bring this much more throughput bring none."""
RAMP_PATIENCE: Final = 2
"""Steps without growth after which there is none to come."""
RAMP_CALLERS: Final = 1024
"""Most callers that are tried."""
NEAR: Final = 1.15
"""The search for the largest setting ends when what is too much is no more than this much larger."""


@dataclass(frozen=True)
class Point:
    """One run: the game it is about, its classes of calls, and how they arrive."""

    new: advisor_service_pb2.NewPositionRequest
    kinds: tuple[Kind, ...]
    load: Load

    def told(self) -> dict[str, Any]:
        """Return what was asked, for the head of the figures."""
        kind = self.kinds[0] if len(self.kinds) == 1 else Kind("")
        open_loop = self.load.rate is not None
        return {
            "game": self.new.game,
            "players": self.new.seats,
            "variant": self.new.variant,
            "simulations": kind.simulations,
            "time_ms": milliseconds(kind.seconds),
            "depth": kind.depth,
            "deadline_ms": milliseconds(kind.deadline),
            "mix": [kind.name for kind in self.kinds] if len(self.kinds) > 1 else None,
            "rate": self.load.rate,
            "arrivals": ("even" if self.load.evenly else "poisson") if open_loop else "closed",
            "concurrency": None if open_loop else self.load.concurrency,
        }


@dataclass(frozen=True)
class Judging:
    """How quality is measured: simulations of a reference (0: not at all), and how many positions have one."""

    simulations: int
    positions: int


class Tester:
    """Makes runs against one server; positions and references are made once for each game."""

    def __init__(
        self,
        address: str,
        client: Client,
        options: advice_pb2.AdviceOptions,
        positions: int,
        judging: Judging,
        metrics: str | None = None,
        note: Callable[[str], None] = lambda _text: None,
        how: Connection = PLAIN,
    ) -> None:
        """`metrics`: HOST:PORT of the server's metrics, None without; `note` is told what is being done.

        how: the server is reached, by `client` as well.
        """
        self._how = how
        self._address = address
        self._client = client
        self._options = options
        self._positions = positions
        self._judging = judging
        self._metrics = metrics
        self._note = note
        self._drawn: dict[bytes, list[Drawn]] = {}
        self._references: dict[bytes, list[Reference]] = {}

    def measure(self, point: Point, judged: bool = True) -> dict[str, Any]:
        """Make one run and return its figures.

        Raises `AdvisorError` where positions or references cannot be had, `ScrapeError` where metrics cannot be read.
        """
        drawn = self.drawn(point)
        requests = [[Unseeded(request_for(each, kind, self._options)) for each in drawn] for kind in point.kinds]
        self._note(f"{label(point.told())}: calls")
        before = scrape(self._metrics) if self._metrics is not None else None
        begun = time.monotonic()
        run = generate(self._address, requests, point.kinds, point.load, self._how)
        seconds = time.monotonic() - begun
        found = {**point.told(), **figures(run, point.kinds, point.load)}
        if self._metrics is not None and before is not None:
            found["server"] = server_figures(before, scrape(self._metrics), seconds)
        found["quality"] = None
        if judged and self._judging.simulations:
            completed = run.ledger.table().ended_as(Outcome.COMPLETED)
            references = self.references(point)
            how = {"reference_simulations": self._judging.simulations, "objective": self._objective}
            found["quality"] = {**quality(completed.answers(), references), **how}
            for number, kind in enumerate(point.kinds):
                part = completed.where(completed.kind == number)
                found["by_class"][kind.name]["quality"] = {**quality(part.answers(), references), **how}
        return found

    @property
    def _objective(self) -> str:
        name = advice_pb2.Objective.Name(self._options.objective)
        return "win" if name.endswith("UNSPECIFIED") else name.removeprefix("OBJECTIVE_").lower()

    def drawn(self, point: Point) -> list[Drawn]:
        """Return the positions of a point's game."""
        key = point.new.SerializeToString(deterministic=True)
        if key not in self._drawn:
            self._note(f"{point.new.game}, {point.new.seats} players: positions")
            self._drawn[key] = draw(self._client, point.new, self._positions, point.load.seed)
        return self._drawn[key]

    def references(self, point: Point) -> list[Reference]:
        """Return the references of a point's game: of the first positions."""
        key = point.new.SerializeToString(deterministic=True)
        if key not in self._references:
            what = f"{point.new.game}, {point.new.seats} players: references"
            self._references[key] = look_up(
                self._client,
                self.drawn(point)[: self._judging.positions],
                self._options,
                self._judging.simulations,
                lambda done, total: self._note(f"{what} {done} of {total}"),
            )
        return self._references[key]


def milliseconds(seconds: float | None) -> float | None:
    """Return seconds in milliseconds, None for None."""
    return None if seconds is None else round(seconds * 1e3, 6)


def label(told: dict[str, Any]) -> str:
    """Return a short name of a point: "ocean 4p, 1000 sims, 20/s"."""
    parts = [f"{told['game']} {told['players']}p"]
    if told["mix"] is not None:
        parts.append(", ".join(told["mix"]))
    if told["simulations"] is not None:
        parts.append(f"{told['simulations']} sims")
    if told["time_ms"] is not None:
        parts.append(f"{told['time_ms']:g} ms")
    if told["depth"] is not None:
        parts.append(f"depth {told['depth']}")
    callers = "1 caller" if told["concurrency"] == 1 else f"{told['concurrency']} callers"
    parts.append(callers if told["rate"] is None else f"{told['rate']:.4g}/s")
    return ", ".join(parts)


def capacity(measure: Callable[[Point], dict[str, Any]], point: Point) -> dict[str, Any]:
    """Find the most calls a second that a server answers: more and more callers, until that brings no more.

    Deadlines are left out: with them a search that waited is cut short, and a server would seem to do ever more calls
    the less it does for each.
    """
    kinds = tuple(dataclasses.replace(kind, deadline=None) for kind in point.kinds)
    longest = max((kind.seconds or 0.0) for kind in kinds)
    seconds = max(RAMP_SECONDS, 2 * longest)
    steps: list[dict[str, Any]] = []
    best, idle, callers = 0.0, 0, 1
    while callers <= RAMP_CALLERS and idle < RAMP_PATIENCE:
        load = dataclasses.replace(
            point.load, rate=None, concurrency=callers, calls=None, seconds=seconds, warm_up=seconds / 4, attempts=1
        )
        found = measure(dataclasses.replace(point, kinds=kinds, load=load))
        throughput = found["throughput"]
        steps.append(
            {
                "concurrency": callers,
                "throughput": throughput,
                "p50_ms": found["latency_ms"]["p50"],
                "rejected": found["rejected"],
            }
        )
        idle = 0 if throughput > best * RAMP_GROWTH else idle + 1
        best = max(best, throughput)
        if found["rejected"]:
            break
        callers *= 2
    return {"throughput": best, "steps": steps}


def largest(meets: Callable[[float], bool], low: float, high: float) -> float | None:
    """Return the largest setting from `low` to `high` that meets a target, None where even `low` does not.

    By bisection of the ratio, since what is looked for spans orders of magnitude; larger settings are taken to meet it
    less. What is tried has two significant digits.
    """
    if not meets(low):
        return None
    if high <= low or meets(high):
        return max(low, high)
    while high / low > NEAR:
        middle = two_digits(math.sqrt(low * high))
        if not low < middle < high:
            break
        if meets(middle):
            low = middle
        else:
            high = middle
    return low


def two_digits(value: float) -> float:
    """Return a value above 0 rounded to two significant digits."""
    return round(value, 1 - math.floor(math.log10(value)))


def with_setting(point: Point, name: str, value: float) -> Point:
    """Return the point with every class's `simulations` or `seconds` set to `value`."""

    def changed(kind: Kind) -> Kind:
        if name == "simulations":
            kind = dataclasses.replace(kind, simulations=round(value))
        else:
            kind = dataclasses.replace(kind, seconds=value)
        return dataclasses.replace(kind, name=kind_name(kind.simulations, kind.seconds, kind.depth))

    return dataclasses.replace(point, kinds=tuple(map(changed, point.kinds)))


def kind_name(simulations: int | None, seconds: float | None, depth: int | None) -> str:
    """Return the name of a class of calls by its limits, as a mix has them: "1000", "50ms"."""
    parts = [] if simulations is None else [str(simulations)]
    if seconds is not None:
        parts.append(f"{seconds * 1e3:g}ms" if seconds < 1 else f"{seconds:g}s")
    if depth is not None:
        parts.append(f"depth{depth}")
    return "+".join(parts)


def recommend(
    measure: Callable[[Point], dict[str, Any]], point: Point, name: str, values: Sequence[float], target_ms: float
) -> dict[str, Any]:
    """Find the largest `simulations` or `seconds` between the least and the most of `values` that meets a target.

    The target: 99 % of the calls are answered within so many milliseconds; a call that is not answered is not.
    """
    points: dict[float, dict[str, Any]] = {}

    def meets(value: float) -> bool:
        points[value] = measure(with_setting(point, name, value))
        return met(points[value], target_ms)

    found = largest(meets, min(values), max(values))
    return {
        "target_p99_ms": target_ms,
        "setting": name if name == "simulations" else "time_ms",
        "recommended": None if found is None else points[found],
        "points": [points[value] for value in sorted(points)],
    }


def met(figures_of: dict[str, Any], target_ms: float) -> bool:
    """Whether 99 % of a run's calls were answered within so many milliseconds."""
    p99 = figures_of["latency_ms"]["p99"]
    unanswered = figures_of["requests"] - figures_of["completed"]
    return p99 is not None and p99 <= target_ms and unanswered <= figures_of["requests"] * 0.01
