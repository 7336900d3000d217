"""Prometheus metrics of one server. Labels are bounded: never a position, a seed, a token or a text a client sent."""

import platform
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from http.server import HTTPServer
from threading import Thread
from typing import Final, TypeVar

from prometheus_client import (
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.registry import Collector

import advisor
from advisor.afterwards import Afterwards, SettledRegistry
from advisor.errors import (
    CLIENT_CALLS,
    CLIENT_RATE,
    OUT_OF_MEMORY,
    OVERLOADED,
    QUEUE_FULL,
    TOKEN_MISSING,
    TOKEN_UNKNOWN,
    TOO_MANY_CALLS,
)
from advisor.threadtimes import TIMES
from advisor.v1 import advice_pb2, advisor_service_pb2
from search.scheduler import Scheduler

SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0,
)  # fmt: skip
"""Buckets of durations, in seconds."""
OVERRUN: Final = (0.0, 0.0002, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0)
"""Buckets of what a search took past its time, in seconds."""
CANCEL: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0)
"""Buckets of what a worker takes to be free once its caller has gone, in seconds."""
DEPTH: Final = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100, 200)
"""Buckets of depths, in decisions."""
RATES: Final = (1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7)
"""Buckets of simulations a second."""

NO_GAME: Final = "none"
"""The game label of a call that is about no game."""
UNKNOWN_GAME: Final = "unknown"
"""The game label of a call about a game this server does not know."""
CANCELLED: Final = "cancelled"
"""The stop reason of a search whose caller has gone."""

REJECTIONS: Final = (
    QUEUE_FULL, OVERLOADED, TOO_MANY_CALLS, OUT_OF_MEMORY, CLIENT_CALLS, CLIENT_RATE, TOKEN_MISSING, TOKEN_UNKNOWN,
)  # fmt: skip
"""Why calls are refused before any work."""

M = TypeVar("M", bound=MetricWrapperBase)


class Metrics:
    """The metrics of one server, in a registry of its own so that several servers fit into one process."""

    def __init__(self, games: Iterable[str], workers: int, queue_length: int) -> None:
        """Set up the metrics; `games` are the only values that a game label takes, beside "none" and "unknown"."""
        self.afterwards = Afterwards()
        """Counts what was answered, once the answer is on its way."""
        self.registry = SettledRegistry(self.afterwards)
        self._games = frozenset(games)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.registry.register(_ThreadTimes())
        self.requests = self._counter("requests", "Calls that ended, by status code.", "rpc", "game", "code")
        self.seconds = self._histogram(
            "request_seconds",
            "Time of a call by part: queued, converted, searched, of that paused, total.",
            SECONDS,
            "rpc",
            "game",
            "algorithm",
            "part",
        )
        self.overrun = self._histogram(
            "overrun_seconds", "Search time past the time limit or deadline.", OVERRUN, "rpc", "game", "algorithm"
        )
        self.simulations = self._counter("simulations", "Simulations made.", "game", "algorithm")
        self.nodes = self._counter("nodes", "Tree nodes made.", "game", "algorithm")
        self.depth = self._histogram(
            "search_depth_decisions", "Deepest decision of a search.", DEPTH, "game", "algorithm"
        )
        self.rate = self._histogram(
            "simulations_per_second", "Simulations a second of a search.", RATES, "game", "algorithm"
        )
        self.playouts = self._gauge(
            "playouts_per_second", "Playouts a second of the search that ended last.", "game", "algorithm"
        )
        self.stops = self._counter("stop_reasons", "Why searches ended.", "game", "algorithm", "reason")
        self.exact = self._counter("exact_answers", "Answers of which every value is proven.", "game", "algorithm")
        self.interim = self._counter("interim_answers", "Interim rankings sent.", "game")
        self.skipped = self._counter(
            "interim_answers_skipped", "Interim rankings left out because the client was slow to take them.", "game"
        )
        self.choices = self._counter(
            "choices", "Moves of the computer opponent, by level; 0 when limits were given.", "game", "level"
        )
        self.kept = self._counter(
            "kept_answers", "Requests that could be answered without a search: whether one was kept.", "rpc", "outcome"
        )
        self._kept_bytes = self._gauge("kept_answers_bytes", "Memory that kept answers take.")
        self.reloads = self._counter("catalogue_reloads", "Loads of the catalogues after the first.", "outcome")
        for outcome in ("ok", "failed"):
            self.reloads.labels(outcome)
        self.cancelled = self._counter("cancelled", "Calls that the client cancelled or left.", "rpc")
        self.cancel = self._histogram(
            "cancel_seconds", "From a cancel's arrival to the moment its worker is free again.", CANCEL
        )
        self.rejected = self._counter("rejected", "Calls refused before any work, by reason.", "reason")
        # A rate cannot see a count that begins at 1, so what alerts go by begins at 0.
        for reason in REJECTIONS:
            self.rejected.labels(reason.lower())
        self._in_flight = self._gauge("requests_in_flight", "Calls accepted and not yet answered.", "rpc")
        self._busy = self._gauge("workers_busy", "Workers with a search.")
        self._queued = self._gauge("queue_length", "Searches that wait for a worker.")
        self._resting = self._gauge("searches_paused", "Searches that have begun and give way to others.")
        self._backlog = self._gauge(
            "backlog_seconds", "How long what has been admitted will keep the cores busy, at a guess."
        )
        self._memory = self._gauge("search_memory_reserved_bytes", "Tree memory that admitted searches may need.")
        self._gauge("workers", "Searches that can run at once.").set(workers)
        self._gauge("queue_capacity", "Searches that may wait.").set(queue_length)
        build = self._gauge("build_info", "1, labelled with what runs.", "version", "python")
        build.labels(advisor.__version__, platform.python_version()).set(1)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return _remembering(Counter(f"advisor_{name}", text, labels, registry=self.registry))

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return _remembering(Gauge(f"advisor_{name}", text, labels, registry=self.registry))

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return _remembering(Histogram(f"advisor_{name}", text, labels, buckets=buckets, registry=self.registry))

    def watch_scheduler(self, scheduler: Scheduler) -> None:
        """Have what searches and what waits counted when it is asked for, by any thread."""
        self._busy.set_function(lambda: scheduler.holding)
        self._queued.set_function(lambda: scheduler.waiting)
        self._resting.set_function(lambda: scheduler.resting)
        self._backlog.set_function(scheduler.backlog)
        self.registry.register(_Preemptions(scheduler))

    def watch_calls(self, in_flight: Mapping[str, int]) -> None:
        """Have calls in flight, by RPC, counted when they are asked for, by any thread."""
        for rpc in in_flight:
            self._in_flight.labels(rpc).set_function(partial(in_flight.__getitem__, rpc))

    def watch_answers(self, size: Callable[[], int]) -> None:
        """Have the bytes of kept answers counted when they are asked for, by any thread."""
        self._kept_bytes.set_function(size)

    def watch_memory(self, reserved: Callable[[], int]) -> None:
        """Have reserved bytes counted when they are asked for, by any thread."""
        self._memory.set_function(reserved)

    def game_label(self, game: str | None) -> str:
        """Return the label for what a client called a game; None stands for a call about no game."""
        if game is None:
            return NO_GAME
        return game if game in self._games else UNKNOWN_GAME

    def searched(
        self, rpc: str, game: str, response: advisor_service_pb2.AdviseResponse, overrun: float | None
    ) -> None:
        """Count a search that was answered; `overrun` in seconds, None when time did not limit it."""
        algorithm = algorithm_label(response.algorithm)
        self._ended(rpc, game, algorithm, response, overrun)
        self.nodes.labels(game, algorithm).inc(response.nodes)
        self.advised(game, response)
        if response.stop_reason != advice_pb2.STOP_REASON_IMMEDIATE:
            self.depth.labels(game, algorithm).observe(response.depth.max_decisions)

    def chosen(
        self,
        rpc: str,
        game: str,
        algorithm: str,
        response: advisor_service_pb2.ChooseMoveResponse,
        overrun: float | None,
    ) -> None:
        """Count a move of the computer opponent."""
        self._ended(rpc, game, algorithm, response, overrun)
        self.played(game, response)

    def advised(self, game: str, response: advisor_service_pb2.AdviseResponse) -> None:
        """Count a ranking for what it says, searched for or kept."""
        if response.exact:
            self.exact.labels(game, algorithm_label(response.algorithm)).inc()

    def played(self, game: str, response: advisor_service_pb2.ChooseMoveResponse) -> None:
        """Count a move of the computer opponent, searched for or kept."""
        self.choices.labels(game, str(response.level)).inc()

    def _ended(
        self,
        rpc: str,
        game: str,
        algorithm: str,
        response: advisor_service_pb2.AdviseResponse | advisor_service_pb2.ChooseMoveResponse,
        overrun: float | None,
    ) -> None:
        self.simulations.labels(game, algorithm).inc(response.simulations)
        self.stops.labels(game, algorithm, stop_label(response.stop_reason)).inc()
        if overrun is not None:
            self.overrun.labels(rpc, game, algorithm).observe(max(0.0, overrun))
        rate = response.timing.simulations_per_second
        if rate > 0:
            self.rate.labels(game, algorithm).observe(rate)
            self.playouts.labels(game, algorithm).set(rate)


class _Preemptions(Collector):
    """Tells how often a search gave way to another."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def collect(self) -> Iterable[CounterMetricFamily]:
        """Return the count."""
        yield CounterMetricFamily(
            "advisor_preemptions",
            "How often a search gave its core to another between two slices.",
            value=self._scheduler.preemptions,
        )


class _ThreadTimes(Collector):
    """Tells what Linux's scheduler notes of the threads of this process that search; without it, nothing."""

    def collect(self) -> Iterable[CounterMetricFamily]:
        """Return the sums over all threads, those that have ended included."""
        times = TIMES.total()
        if times is None:
            return
        yield CounterMetricFamily(
            "advisor_search_cpu_seconds", "Time that the threads that search have run.", value=times.ran / 1e9
        )
        yield CounterMetricFamily(
            "advisor_search_runnable_seconds",
            "Time that the threads that search could have run but waited for a core.",
            value=times.waited / 1e9,
        )


def _remembering(metric: M) -> M:
    """Have `labels` keep what it has returned: finding a known child costs it as much as counting. Labels are few."""
    metric.labels = cache(metric.labels)  # type: ignore[method-assign]
    return metric


@cache
def algorithm_label(algorithm: advice_pb2.Algorithm) -> str:
    """Return the label of an algorithm: "mcts"."""
    return advice_pb2.Algorithm.Name(algorithm).removeprefix("ALGORITHM_").lower()


@cache
def stop_label(reason: advice_pb2.StopReason) -> str:
    """Return the label of a stop reason: "deadline"."""
    return advice_pb2.StopReason.Name(reason).removeprefix("STOP_REASON_").lower()


class MetricsServer:
    """Serves a registry over HTTP on a thread of its own, so that scrapes work while the event loop is busy."""

    def __init__(self, host: str, port: int, metrics: Metrics) -> None:
        """Listen; raises OSError when the port is taken. Port 0 takes a free one."""
        started: tuple[HTTPServer, Thread] = start_http_server(port, host, metrics.registry)
        self._server, self._thread = started

    @property
    def port(self) -> int:
        """The TCP port that is listened on."""
        return int(self._server.server_port)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
