"""The report's charts, as SVG to stand inside a page. Needs matplotlib (the extra `report`)."""

import io
from collections.abc import Callable, Iterable
from typing import Any, Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from advisor.load.sweep import label

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444")
"""Told apart by people who see few colours, and in print (Okabe and Ito)."""
MARKS: Final = ("o", "s", "^", "D", "v", "P", "X")
WIDTH: Final = 8.6
"""Of every chart, in inches."""
OUTCOMES: Final = {"completed": "#009e73", "rejected": "#e69f00", "failed": "#d55e00", "lost": "#444444"}

Figures = dict[str, Any]


def svg(figure: Figure, name: str) -> str:
    """Return a figure as an SVG element; texts stay texts, in the reader's own font."""
    text = io.StringIO()
    # The salt keeps the ids of several drawings on one page apart, and equal figures equal.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]


def _axes(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    _plain(axes)
    return figure, axes


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)


def _logarithmic(axes: Axes, which: str) -> None:
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}" if f"{value:.0e}"[0] in "25" else ""))
    axis.set_tick_params(which="minor", labelsize="small")


def _rows(points: list[Figures]) -> tuple[Figure, Axes]:
    figure, axes = _axes(0.9 + 0.32 * len(points))
    axes.set_yticks(range(len(points)), [label(point) for point in points])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    return figure, axes


def latency(points: list[Figures]) -> str:
    """Latency percentiles, a row for each point."""
    figure, axes = _rows(points)
    for number, point in enumerate(points):
        found = point["latency_ms"]
        if found["p50"] is None:
            continue
        axes.plot([found["p50"], found["p999"]], [number, number], color="#9a9a9a", linewidth=2, zorder=1)
    for colour, mark, share in zip(COLOURS, MARKS, ("p50", "p90", "p99", "p999"), strict=False):
        values = [(point["latency_ms"][share], row) for row, point in enumerate(points) if point["latency_ms"][share]]
        if values:
            axes.scatter(
                [value for value, _ in values],
                [row for _, row in values],
                color=colour,
                marker=mark,
                s=36,
                label=share,
                zorder=2,
            )
    _logarithmic(axes, "x")
    axes.set_xlabel("latency from when the call was due (ms)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, ncols=4, fontsize="small")
    return svg(figure, "latency")


def outcomes(points: list[Figures]) -> str:
    """What became of the calls, a row for each point."""
    figure, axes = _rows(points)
    rows = range(len(points))
    left = [0.0] * len(points)
    for name, colour in OUTCOMES.items():
        widths = [point[name] / max(1, point["requests"]) for point in points]
        axes.barh(rows, widths, left=left, color=colour, label=name, height=0.6)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the calls")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, ncols=4, fontsize="small")
    return svg(figure, "outcomes")


def throughput(points: list[Figures]) -> str:
    """Throughput against latency: a line for each setting, from little load to much."""
    figure, axes = _axes(4.2)
    for number, (name, line) in enumerate(_lines(points, _setting)):
        line = sorted(line, key=lambda point: point["rate"] or point["concurrency"])
        rates = [point["throughput"] for point in line]
        colour, mark = _style(number)
        axes.plot(rates, [point["latency_ms"]["p50"] for point in line], color=colour, marker=mark, label=name)
        axes.plot(
            rates,
            [point["latency_ms"]["p99"] for point in line],
            color=colour,
            marker=mark,
            markerfacecolor="none",
            linestyle="--",
            linewidth=1,
        )
    _logarithmic(axes, "y")
    _logarithmic(axes, "x")
    axes.set_xlabel("throughput (completed calls a second)")
    axes.set_ylabel("latency (ms): p50 solid, p99 dashed")
    axes.legend(frameon=False, fontsize="small")
    return svg(figure, "throughput")


def quality(points: list[Figures]) -> str:
    """Milliseconds against move quality: a line for each game and load, along the setting."""
    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    agreement, regret = figure.subplots(1, 2)
    for number, (name, line) in enumerate(_lines(points, _offered)):
        line = sorted(line, key=lambda point: point["latency_ms"]["p50"])
        times = [point["latency_ms"]["p50"] for point in line]
        colour, mark = _style(number)
        agreement.plot(times, [p["quality"]["agreement"] for p in line], color=colour, marker=mark, label=name)
        regret.plot(times, [p["quality"]["regret"] for p in line], color=colour, marker=mark, label=name)
    for axes in (agreement, regret):
        _plain(axes)
        _logarithmic(axes, "x")
        axes.set_xlabel("latency, p50 (ms)")
    agreement.yaxis.set_major_formatter(PercentFormatter(1.0))
    agreement.set_ylabel("answers that the reference agrees with (%)")
    objectives = {"win": "share of a win", "score": "points"}
    units = sorted({objectives[point["quality"]["objective"]] for point in points})
    regret.set_ylabel(f"mean regret ({', '.join(units)})")
    regret.axhline(0, color="#9a9a9a", linewidth=1)
    agreement.legend(frameon=False, fontsize="small")
    return svg(figure, "quality")


def _style(number: int) -> tuple[str, str]:
    """Return the colour and the mark of a line; where colours come again, marks differ."""
    return COLOURS[number % len(COLOURS)], MARKS[(number + number // len(COLOURS)) % len(MARKS)]


def _setting(point: Figures) -> str:
    return label(point).rpartition(", ")[0]


def _offered(point: Figures) -> str:
    return f"{point['game']} {point['players']}p, {label(point).rpartition(', ')[2]}"


def _lines(points: Iterable[Figures], key: Callable[[Figures], str]) -> list[tuple[str, list[Figures]]]:
    lines: dict[str, list[Figures]] = {}
    for point in points:
        if point["latency_ms"]["p50"] is not None:
            lines.setdefault(key(point), []).append(point)
    return list(lines.items())
