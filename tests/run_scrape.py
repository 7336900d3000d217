"""A real Prometheus with deploy's rules scrapes a real server under load: `make scrape`.

All times of the rules are divided by 60 (five minutes are five seconds); alerts wait 3 s at least. SECONDS_ bounds the
steady load (default 30). What must hold:

- What the server exports is what the callers counted, to the last call and simulation.
- The recorded series agree with the callers' ledger within what five seconds of a rate allow.
- Every panel of the dashboards shows something.
- No alert about calls and servers fires while all is well; overload, and a server that is gone, fire theirs and no
  other, and the alerts end when the fault does. What speaks of the machine (see MACHINE) is told, not judged.

Ends with one line of JSON; exits 1 when something does not hold.
"""

import json
import math
import os
import re
import signal
import sys
import tempfile
import threading
import time
import urllib.parse
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from deployed import load, panel_expressions
from fleet import FleetError, Supervised, fetch, free_port, running, tool, wait_for
from wire import new, observe, play

from advisor.client import AdvisorError, Client, Retry
from advisor.metrics import SECONDS
from advisor.v1 import advisor_service_pb2 as pb

FASTER = 60
"""Part of the rules' times that they take here."""
WINDOW = 300 / FASTER
"""What the rules' five minutes are here, in seconds."""
SCRAPE = 0.25
"""Seconds between two scrapes, and between two evaluations."""
SEARCH_SECONDS = 0.05
STALL = 3.0
"""What an alert lasts at least before it fires, in seconds: a busy machine may leave scrapes unanswered for a while."""
TOLERANCE = 0.25
"""How far a rate may be from the ledger's: a window has some twenty scrapes, and the ends are drawn out."""
MACHINE = {"AdvisorOverrun", "AdvisorSlowCancel", "AdvisorSaturated", "AdvisorStarved", "AdvisorWaiting"}
"""Alerts that a busy machine fires by itself."""
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class Outcome(NamedTuple):
    """How one call ended."""

    ended: float
    """On the clock of `time.time`, as Prometheus has it."""
    code: str
    simulations: int
    total_ms: float
    """The time that the server says it took."""


class Ledger:
    """Everything that was called, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.outcomes: list[Outcome] = []

    def ask(self, client: Client, request: pb.AdviseRequest, timeout: float = 60) -> None:
        """Make a call and note how it ended."""
        code, simulations, total = "OK", 0, 0.0
        try:
            answer = client.advise(request, timeout=timeout)
            simulations, total = answer.simulations, answer.timing.total_ms
        except AdvisorError as error:
            code = error.status.name
        with self._lock:
            self.outcomes.append(Outcome(time.time(), code, simulations, total))

    def between(self, begin: float, end: float) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if begin < outcome.ended <= end]

    def codes(self) -> Counter[str]:
        return Counter(outcome.code for outcome in self.outcomes)


@contextmanager
def load_by(ledger: Ledger, address: str, callers: int, pause: float) -> Iterator[None]:
    """So many callers that ask one after the other, with a pause between two calls, until the context ends."""
    stopped = threading.Event()
    seeds = count(len(ledger.outcomes))  # equal questions would get kept answers

    def call_on() -> None:
        request = advise(SEARCH_SECONDS)
        with Client(address, retry=Retry(attempts=1)) as client:
            while not stopped.is_set():
                request.options.seed = next(seeds)
                ledger.ask(client, request)
                stopped.wait(pause)

    threads = [threading.Thread(target=call_on) for _ in range(callers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def advise(seconds: float) -> pb.AdviseRequest:
    request = pb.AdviseRequest(position=observe(play(new(), 14, 3), 1), seat=1)
    request.limits.time.FromMilliseconds(round(seconds * 1000))
    return request


def one_of_each(ledger: Ledger, address: str) -> None:
    """Calls that the steady load has none of, so that every panel has something to show: three of each."""
    with Client(address, retry=Retry(attempts=1)) as client:
        for _ in range(3):
            watch = pb.WatchAdviceRequest(advise=advise(0.4))
            watch.interval.FromMilliseconds(100)
            for answer in client.watch(watch):
                if answer.final:
                    ledger.outcomes.append(
                        Outcome(time.time(), "OK", answer.advice.simulations, answer.advice.timing.total_ms)
                    )
            chosen = client.choose_move(pb.ChooseMoveRequest(position=advise(1).position, seat=1, level=3))
            ledger.outcomes.append(Outcome(time.time(), "OK", chosen.simulations, chosen.timing.total_ms))
            left = client.watch(pb.WatchAdviceRequest(advise=advise(60)))
            threading.Timer(0.2, left.cancel).start()
            with suppress(AdvisorError):  # CANCELLED
                list(left)
            ledger.outcomes.append(Outcome(time.time(), "CANCELLED", 0, 0.0))
            time.sleep(2 * SCRAPE)


# Prometheus.


def faster(text: str, least: float = 0) -> str:
    """A duration of the rules, as long as it is here: "5m" as "5000ms"; at least so many seconds."""
    number, unit = text[:-1], text[-1]
    return f"{round(max(int(number) * _UNITS[unit] / FASTER, least) * 1000)}ms"


def fast_rules() -> Any:
    """Deploy's rules with every time divided."""
    content = load("prometheus/rules.yml")
    for group in content["groups"]:
        for rule in group["rules"]:
            rule["expr"] = re.sub(r"(\[|offset )(\d+[smhd])\b", lambda found: found[1] + faster(found[2]), rule["expr"])
            if "for" in rule:
                rule["for"] = faster(rule["for"], STALL)
    return content


class Prometheus:
    """A running Prometheus. Made by `prometheus`."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1"

    def query(self, text: str, at: float | None = None) -> list[Any]:
        """The series that an expression gives, now or at a time."""
        given = {"query": text} if at is None else {"query": text, "time": f"{at:.3f}"}
        answer = json.loads(fetch(f"{self._url}/query?{urllib.parse.urlencode(given)}"))
        return list(answer["data"]["result"])

    def value(self, text: str, at: float | None = None) -> float:
        """The value of an expression that gives one series; 0 when it gives none."""
        found = self.query(text, at)
        if len(found) > 1:
            raise FleetError(f"{text} gives {len(found)} series")
        return float(found[0]["value"][1]) if found else 0.0

    def firing(self) -> set[str]:
        """The alerts that fire now."""
        alerts = json.loads(fetch(f"{self._url}/alerts"))["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def fired(self, since: float) -> set[str]:
        """The alerts that have fired since a time."""
        span = f"{round((time.time() - since) * 1000)}ms"
        text = f'count by (alertname) (count_over_time(ALERTS{{alertstate="firing"}}[{span}]))'
        return {series["metric"]["alertname"] for series in self.query(text)}

    def settled(self) -> None:
        """Wait until everything so far has been scraped and evaluated."""
        begun = time.time()
        text = 'min(timestamp(up{job="sirenia"})) and min(timestamp(job:advisor_requests:rate5m))'
        wait_for("a scrape", lambda: self.value(text) > begun)
        time.sleep(2 * SCRAPE)


@contextmanager
def prometheus(server: Supervised, folder: Path) -> Iterator[Prometheus]:
    """Run Prometheus with deploy's configuration, faster, until the context ends."""
    program = tool("prometheus", "prometheus")
    config = load("prometheus/prometheus.yml")
    every = f"{round(SCRAPE * 1000)}ms"
    config["global"] = {"scrape_interval": every, "scrape_timeout": every, "evaluation_interval": every}
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{server.metrics_port}"]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (folder / config["rule_files"][0]).write_text(yaml.safe_dump(fast_rules()), encoding="utf-8")
    port = free_port()
    command = [
        program,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        f"--web.console.templates={folder}",
        f"--web.console.libraries={folder}",
    ]
    started = Prometheus(port)

    def is_up() -> bool:
        try:
            return started.value('up{job="sirenia"}') == 1
        except OSError:
            return False

    with running(command, folder / "prometheus.log"):
        wait_for("Prometheus to scrape the server", is_up)
        yield started


# What must hold.


class Check:
    """What does not hold, and the figures."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.figures: dict[str, Any] = {}

    def that(self, what: str, holds: bool) -> None:
        if not holds:
            self.wrong.append(what)

    def near(self, what: str, found: float, wanted: float) -> None:
        """Note both, and that they differ by no more than the tolerance."""
        self.figures[what] = {"prometheus": round(found, 4), "callers": round(wanted, 4)}
        self.that(f"{what} agrees", abs(found - wanted) <= TOLERANCE * max(found, wanted))

    def equal(self, what: str, found: float, wanted: float) -> None:
        self.figures[what] = {"prometheus": found, "callers": wanted}
        self.that(f"{what} is equal", found == wanted)


def bucket(seconds: float) -> int:
    """The number of the histogram's bucket that a duration falls into."""
    return bisect_left(SECONDS, seconds)


def check_rates(check: Check, asked: Prometheus, ledger: Ledger, at: float) -> None:
    """The recorded series at a time, against the calls of the window before it."""
    window = ledger.between(at - WINDOW, at)
    # Recorded series are taken as they were at their last evaluation, of what had been scraped by then.
    check.near("calls a second", asked.value("job:advisor_requests:rate5m", at), len(window) / WINDOW)
    simulations = sum(outcome.simulations for outcome in window) / WINDOW
    check.near("simulations a second", asked.value("job_game:advisor_simulations:rate5m", at), simulations)
    totals = sorted(outcome.total_ms / 1e3 for outcome in window if outcome.code == "OK")
    for share, name in ((0.5, "p50"), (0.95, "p95")):
        series = f'job_rpc_part:advisor_request_seconds:{name}_5m{{rpc="Advise", part="total"}}'
        found, wanted = asked.value(series, at), totals[int(share * (len(totals) - 1))]
        check.figures[f"seconds, {name}"] = {"prometheus": round(found, 4), "callers": round(wanted, 4)}
        check.that(f"seconds, {name} agrees to a bucket", abs(bucket(found) - bucket(wanted)) <= 1)


def check_totals(check: Check, asked: Prometheus, ledger: Ledger, when: str) -> None:
    """The counters since the server started, against all calls."""
    asked.settled()
    for code, wanted in ledger.codes().items():
        check.equal(f"{when}, calls {code}", asked.value(f'sum(advisor_requests_total{{code="{code}"}})'), wanted)
    refused = ledger.codes()["RESOURCE_EXHAUSTED"]
    check.equal(f"{when}, refused", asked.value("sum(advisor_rejected_total)"), refused)


def check_panels(check: Check, asked: Prometheus) -> None:
    expressions = list(panel_expressions())
    empty = []
    for expression in expressions:
        values = [float(series["value"][1]) for series in asked.query(expression.filled("60s"))]
        if all(map(math.isnan, values)):
            empty.append(expression.where)
    check.figures["panels"] = len(expressions)
    check.that(f"every panel shows something: {empty}", not empty)


def run(seconds: float, folder: Path) -> Check:
    """Run everything."""
    check, ledger = Check(), Ledger()
    options = ["--workers", "1", "--queue-length", "2", "--niceness", "0", "--log-level", "warning"]
    with Supervised(folder / "server.log", *options) as server:
        server.wait_ready()
        with prometheus(server, folder) as asked:
            # All is well, once the server has been up for a moment.
            wait_for("silence", lambda: not asked.firing() - MACHINE)
            time.sleep(2 * SCRAPE)
            begun = time.time()
            with load_by(ledger, server.address, 1, SEARCH_SECONDS):
                time.sleep(max(seconds, 1.5 * WINDOW))
                at = time.time()
                asked.settled()
            check_rates(check, asked, ledger, at)
            simulations = sum(outcome.simulations for outcome in ledger.outcomes)
            asked.settled()
            check.equal("simulations", asked.value("sum(advisor_simulations_total)"), simulations)
            one_of_each(ledger, server.address)
            check_totals(check, asked, ledger, "well")
            check_panels(check, asked)
            fired = asked.fired(begun)
            check.figures["fired while well"] = sorted(fired)
            check.that(f"no alert while all is well: {fired - MACHINE}", fired <= MACHINE)

            # More callers than the worker and the queue have room for, who come back at once.
            begun = time.time()
            with load_by(ledger, server.address, 8, 0.01):
                wanted = {"AdvisorRejecting", "AdvisorRejectingMany"}
                took = wait_for("the alerts of an overload", lambda: asked.firing() >= wanted)
                check.figures["overload fires after seconds"] = round(took, 1)
                at = time.time()
                asked.settled()
                window = ledger.between(at - WINDOW, at)
            share = sum(outcome.code == "RESOURCE_EXHAUSTED" for outcome in window) / len(window)
            check.near("refused share", asked.value("job:advisor_rejected:ratio5m", at), share)
            check_totals(check, asked, ledger, "overloaded")
            fired = asked.fired(begun) - MACHINE
            check.that(f"an overload fires its alerts alone: {fired}", fired == wanted)
            with load_by(ledger, server.address, 1, SEARCH_SECONDS):
                took = wait_for("the overload's alerts to end", lambda: not asked.firing() & wanted)
                check.figures["overload ends after seconds"] = round(took, 1)

            # The server is gone, then back.
            asked.settled()
            begun, codes = time.time(), len(server.codes)
            server.signal(signal.SIGTERM)
            wait_for("the server to end", lambda: len(server.codes) > codes)
            wanted = {"AdvisorDown", "AdvisorNoneUp"}
            wait_for("the alerts of a server that is gone", lambda: asked.firing() >= wanted)
            check.figures["gone fires after seconds"] = round(time.time() - begun, 1)
            server.start()
            server.wait_ready()
            wait_for("its alerts to end", lambda: not asked.firing() & wanted)
            fired = asked.fired(begun) - MACHINE
            check.that(f"a server that is gone fires its alerts alone: {fired}", fired == wanted)
    check.figures["calls"] = len(ledger.outcomes)
    return check


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            check = run(float(os.environ.get("SECONDS_") or 30), folder)
        except FleetError as error:
            check = Check()
            check.wrong.append(str(error))
        if check.wrong:
            for log in sorted(folder.glob("*.log")):
                print(f"---- {log.name}", log.read_text(errors="replace")[-3000:], sep="\n", file=sys.stderr)
    print(json.dumps({"ok": not check.wrong, "wrong": check.wrong, **check.figures}))
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
