"""What the server's own Prometheus metrics say of a run: the difference between before and after."""

import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from typing import Any, Final

from prometheus_client.parser import text_string_to_metric_families

TIMEOUT_SECONDS: Final = 10.0
RPC: Final = "Advise"
PARTS: Final = ("queued", "converted", "searched", "total")
"""Parts of a call's time, as the server labels them."""

Samples = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


class ScrapeError(Exception):
    """The metrics could not be had; the text says why."""


def scrape(address: str) -> Samples:
    """Return every sample that the metrics endpoint at HOST:PORT has; raises `ScrapeError`."""
    try:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=TIMEOUT_SECONDS) as page:
            text = page.read().decode("utf-8")
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise ScrapeError(f"no Prometheus metrics at {address}: {reason}") from None


def server_figures(before: Samples, after: Samples, seconds: float) -> dict[str, Any]:
    """Return what happened between two scrapes, so many seconds apart; the warm-up is part of it.

    `mean_ms`: mean time of a call by part. `busy_workers`: searches that ran at a time, on average. `search_cores`:
    cores that they had; less than `busy_workers` where the rest of the machine took its share.
    """
    mean_ms = {}
    for part in PARTS:
        spent = _sum(before, after, "advisor_request_seconds_sum", rpc=RPC, part=part)
        calls = _sum(before, after, "advisor_request_seconds_count", rpc=RPC, part=part)
        mean_ms[part] = round(spent / calls * 1e3, 4) if calls > 0 else None
    searched = _sum(before, after, "advisor_request_seconds_sum", rpc=RPC, part="searched")
    cpu = _sum(before, after, "advisor_search_cpu_seconds_total")
    return {
        "mean_ms": mean_ms,
        "requests": _by(before, after, "advisor_requests_total", "code", rpc=RPC),
        "rejected": _by(before, after, "advisor_rejected_total", "reason"),
        "busy_workers": round(searched / seconds, 3),
        "search_cores": round(cpu / seconds, 3),
        "workers": _last(after, "advisor_workers"),
        "queue_capacity": _last(after, "advisor_queue_capacity"),
    }


def _matching(samples: Samples, name: str, wanted: Iterable[tuple[str, str]]) -> float:
    asked = frozenset(wanted)
    return sum(value for (found, labels), value in samples.items() if found == name and asked <= labels)


def _sum(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return _matching(after, name, labels.items()) - _matching(before, name, labels.items())


def _by(before: Samples, after: Samples, name: str, label: str, **labels: str) -> dict[str, int]:
    values = {value for found, pairs in after if found == name for key, value in pairs if key == label}
    counted = {value: round(_sum(before, after, name, **{**labels, label: value})) for value in sorted(values)}
    return {value: count for value, count in counted.items() if count}


def _last(samples: Samples, name: str) -> float | None:
    return samples.get((name, frozenset()))
