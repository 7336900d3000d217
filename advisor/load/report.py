"""The report of one or more runs: a table for a terminal, CSV, and a page with charts."""

import csv
import datetime
import importlib.util
import io
import math
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.markup import escape
from rich.table import Table

from advisor import __version__
from advisor.load.sweep import label
from advisor.settings import cores

TEMPLATE: Final = "report.html.j2"
NEEDED: Final = ("jinja2", "matplotlib")
"""What a page needs beyond what the program itself does: the extra `report`."""
NOTHING: Final = "-"

Figures = dict[str, Any]


def lacking() -> list[str]:
    """Return which of the packages that a page needs are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


# Tables.


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for people: three significant digits, whole from 100 on."""
    if value is None:
        return NOTHING
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def percent(value: float | None) -> str:
    """Return a share for people, cut and not rounded: 99.996 % is not 100 %."""
    return NOTHING if value is None else f"{math.floor(value * 1e4 + 1e-6) / 100:g} %"


HEADINGS: Final = (
    "run", "calls", "p50 ms", "p90 ms", "p99 ms", "p999 ms", "over ms p99", "calls/s", "in time",
    "rejected", "failed", "lost", "agreement", "regret", "stable",
)  # fmt: skip
"""Of the table of figures, on a terminal and on a page."""
NARROW: Final = ("run", "calls", "p50 ms", "p99 ms", "calls/s", "in time", "rejected", "lost", "regret")
"""Those of them for a terminal that has not room for all."""
WIDE: Final = 140
"""Columns in which there is room for all."""


def row(name: str, found: Figures) -> list[str]:
    """Return a line of the table of figures."""
    latency, judged = found["latency_ms"], found.get("quality") or {}
    stable = found.get("stable")
    return [
        name,
        f"{found['requests']:,}",
        *(number(latency[share]) for share in ("p50", "p90", "p99", "p999")),
        number(found["overrun_ms"]["p99"]),
        number(found["throughput"]),
        percent(found["deadline_met"]),
        *(f"{found[outcome]:,}" for outcome in ("rejected", "failed", "lost")),
        percent(judged.get("agreement")),
        number(judged.get("regret"), 2),
        NOTHING if stable is None else "yes" if stable else "NO",
    ]


def rows(points: list[Figures]) -> Iterator[list[str]]:
    """Yield the lines of the table of figures: each point, and of a mix each class."""
    for point in points:
        yield row(label(point), point)
        if len(point["by_class"]) > 1:
            for name, found in point["by_class"].items():
                yield row(f"· {name}", found)


def table(points: list[Figures], columns: int) -> Table:
    """Return the table of figures for a terminal with so many columns."""
    shown = HEADINGS if columns >= WIDE else NARROW
    made = Table(box=None, pad_edge=False)
    for heading in shown:
        made.add_column(heading, justify="left" if heading == HEADINGS[0] else "right", no_wrap=columns >= WIDE)
    for line in rows(points):
        cells = dict(zip(HEADINGS, line, strict=True))
        made.add_row(*(escape(cells[heading]) for heading in shown))
    return made


def remarks(points: list[Figures]) -> list[str]:
    """Return what a reader should know before trusting the figures."""
    drifting = [label(point) for point in points if point["stable"] is False]
    told = [f"Not stable, the halves of the run took different times: {'; '.join(drifting)}"] if drifting else []
    for point in points:
        name = label(point)
        if point["generator"]["bottleneck"]:
            lag = number(point["generator"]["lag_ms"]["p99"])
            told.append(f"{name}: the load tester itself was late (p99 {lag} ms), so latencies are too high")
        if point["cached"]:
            told.append(f"{name}: {point['cached']} answers came from the server's cache")
        for what in ("rejected", "failed"):
            if point[what]:
                reasons = ", ".join(f"{count} {reason}" for reason, count in point[f"{what}_by"].items())
                advice = f", {point['rejected_with_retry']} with retry advice" if what == "rejected" else ""
                told.append(f"{name}: {what} {point[what]} ({reasons}){advice}")
    return told


def flat(found: Mapping[str, Any], before: str = "") -> Figures:
    """Return figures on one level, `latency_ms.p50`; lists are left out but for the mix's names."""
    told: Figures = {}
    for key, value in found.items():
        if isinstance(value, Mapping):
            told.update(flat(value, f"{before}{key}."))
        elif isinstance(value, list):
            if key == "mix":
                told[before + key] = " ".join(value)
        else:
            told[before + key] = value
    return told


def as_csv(points: list[Figures]) -> str:
    """Return the points as CSV: a line each, a column for each figure that any of them has."""
    lines = [flat(point) for point in points]
    columns = list(dict.fromkeys(key for line in lines for key in line))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


# The page.


def as_html(points: list[Figures], extra: Figures) -> str:
    """Return a page that needs nothing but itself; `extra` has what was found beside the points (`capacity` ...)."""
    import jinja2

    from advisor.load import charts

    answered = [point for point in points if point["latency_ms"]["p50"] is not None]
    judged = [point for point in answered if point["quality"] and point["quality"]["agreement"] is not None]
    refused = any(point["completed"] < point["requests"] for point in points)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["number"] = number
    environment.filters["percent"] = percent
    return environment.get_template(TEMPLATE).render(
        version=__version__,
        when=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        machine=f"{cores()} cores, {platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        games=list(dict.fromkeys(point["game"] for point in points)),
        headings=HEADINGS,
        rows=list(rows(points)),
        remarks=remarks(points),
        charts={
            "latency": charts.latency(answered) if answered else "",
            "throughput": charts.throughput(answered) if len(answered) > 1 else "",
            "quality": charts.quality(judged) if len(judged) > 1 else "",
            "outcomes": charts.outcomes(points) if refused else "",
        },
        server=[(label(point), point["server"]) for point in points if point.get("server")],
        points=points,
        label=label,
        capacity=extra.get("capacity"),
        target_ms=extra.get("target_p99_ms"),
        recommended=extra.get("recommended"),
    )
