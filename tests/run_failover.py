"""Two servers behind a real HAProxy with deploy's configuration, of which one is killed, and each is drained.

`make failover`; SECONDS_ bounds the load (default 60). What must hold:

- Killed (SIGKILL) under load: every call ends well, once, with the answer it would have had otherwise; only calls that
  were at the killed server were tried again, each once. The supervisor has the server back, and it is sent calls again.
- Drained (SIGTERM) under load, one after the other: no call fails and none is tried again, by anybody.
- A caller that leaves stops the search behind the balancer.

Ends with one line of JSON; exits 1 when something does not hold.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from fleet import FleetError, Haproxy, Supervised, haproxy, wait_for
from prometheus_client.parser import text_string_to_metric_families
from wire import new, new_heart, observe, play

from advisor.client import AdvisorError, Client
from advisor.v1 import advisor_service_pb2 as pb
from advisor.v1 import advisor_service_pb2_grpc

SERVERS = ("one", "two")
"""As deploy's configuration calls them."""
CALLERS = 6
SIMULATIONS = 3000
NOTICE = 5.0
"""Seconds that a drained server goes on taking calls, as in the unit. HAProxy's checks need 3.25 at most."""


class Outcome(NamedTuple):
    """How one call ended."""

    number: int
    ended: float
    kind: str
    """OK, or the status and the reason of the error."""


class Load:
    """Callers that ask one call after the other, and the ledger of what became of each."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._next = 0
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._call_on, name=f"caller-{n}") for n in range(CALLERS)]
        self._asks = list(_asks())
        self._answers: dict[int, bytes] = {}
        self.ledger: list[Outcome] = []
        self.different = 0
        """Answers that differ from an earlier one to the same request."""

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    @property
    def calls(self) -> int:
        """How many have been made."""
        return self._next

    def longest_gap(self) -> float:
        """The longest time between two calls that ended well one after the other, in seconds."""
        ends = sorted(outcome.ended for outcome in self.ledger if outcome.kind == "OK")
        return max((after - before for before, after in pairwise(ends)), default=0.0)

    def lost(self) -> int:
        """How many calls did not end well exactly once."""
        well = Counter(outcome.number for outcome in self.ledger if outcome.kind == "OK")
        return sum(well[number] != 1 for number in range(self._next))

    def errors(self) -> Counter[str]:
        """How the calls ended that did not end well."""
        return Counter(outcome.kind for outcome in self.ledger if outcome.kind != "OK")

    def _call_on(self) -> None:
        with Client(self._address, timeout=30, search_timeout=60) as client:
            while not self._stopped.is_set():
                with self._lock:
                    number = self._next
                    self._next += 1
                which = number % len(self._asks)
                kind = "OK"
                try:
                    answer = self._asks[which](client)
                except AdvisorError as error:
                    kind = f"{error.status.name} {error.reason}"
                else:
                    with self._lock:
                        self.different += self._answers.setdefault(which, answer) != answer
                with self._lock:
                    self.ledger.append(Outcome(number, time.monotonic(), kind))


def _asks() -> Iterator[Callable[[Client], bytes]]:
    """Some calls of every kind that a game makes; each returns what does not depend on time, as bytes."""
    ocean, heart = play(new(), 14, 3), play(new_heart(), 8, 3)

    def advise(seed: int) -> Callable[[Client], bytes]:
        request = pb.AdviseRequest(position=observe(ocean, 1), seat=1)
        request.limits.simulations = SIMULATIONS
        request.options.seed = seed

        def ask(client: Client) -> bytes:
            answer = client.advise(request)
            answer.ClearField("timing")
            return answer.SerializeToString(deterministic=True)

        return ask

    def choose(seed: int) -> Callable[[Client], bytes]:
        seat = next(iter(_pending(heart)))
        request = pb.ChooseMoveRequest(position=observe(heart, seat), seat=seat, level=6, seed=seed)

        def ask(client: Client) -> bytes:
            answer = client.choose_move(request)
            answer.ClearField("timing")
            return answer.SerializeToString(deterministic=True)

        return ask

    def list_moves(client: Client) -> bytes:
        answer = client.list_moves(pb.ListMovesRequest(position=ocean, seat=1))
        return answer.SerializeToString(deterministic=True)

    for seed in range(1, 6):
        yield advise(seed)
        yield choose(seed)
    yield list_moves


def _pending(position: Any) -> list[int]:
    from wire import advisor

    return list(advisor().observe(pb.ObserveRequest(position=position, seat=0)).status.pending)


def metric(server: Supervised, name: str, **labels: str) -> float:
    """The sum of a server's samples of that name with these labels."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(server.metrics())
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


class Tally(NamedTuple):
    """What HAProxy has counted."""

    requests: int
    broken: dict[str, int]
    """Requests that a server got and did not answer, though the client waited."""
    again: int
    """Connections that could not be made and were made to another server."""

    def since(self, before: "Tally") -> "Tally":
        broken = {name: count - before.broken[name] for name, count in self.broken.items()}
        return Tally(self.requests - before.requests, broken, self.again - before.again)


def tally(balancer: Haproxy) -> Tally:
    wait_for("HAProxy to end its calls", lambda: idle(balancer))
    figures = balancer.figures()
    broken, again = {}, 0
    for name in SERVERS:
        sent, answered, redispatched, retried, left = (
            int(figures["servers", name][figure] or 0) for figure in ("stot", "hrsp_2xx", "wredis", "wretr", "cli_abrt")
        )
        broken[name] = sent - answered - redispatched - left
        again += redispatched + retried
    return Tally(balancer.count("FRONTEND", "req_tot"), broken, again)


def idle(balancer: Haproxy) -> bool:
    return all(balancer.count(name, "scur") == 0 for name in SERVERS)


@contextmanager
def counted(load: Load, balancer: Haproxy, seconds: float, figures: dict[str, Any]) -> Iterator[None]:
    """Load for some seconds before and after what is done inside; then fill the figures."""
    before = tally(balancer)
    with load:
        time.sleep(seconds)
        yield
        time.sleep(seconds)
    done = tally(balancer).since(before)
    figures.update(
        calls=load.calls,
        retried=done.requests - load.calls,
        broken=done.broken,
        reconnected=done.again,
        lost=load.lost(),
        errors=load.errors(),
        different=load.different,
        longest_gap_ms=round(load.longest_gap() * 1000),
    )


def kill_one(balancer: Haproxy, servers: dict[str, Supervised], seconds: float) -> tuple[dict[str, Any], list[str]]:
    """Kill a server that has calls; return figures and what does not hold."""
    figures: dict[str, Any] = {}
    victim, survivor = SERVERS
    with counted(Load(balancer.address), balancer, seconds, figures):
        wait_for("calls at the server to be killed", lambda: balancer.count(victim, "scur") > 0)
        starts = servers[victim].starts
        figures["in_flight"] = balancer.count(victim, "scur")
        servers[victim].signal(signal.SIGKILL)
        killed = time.monotonic()
        wait_for("the supervisor", lambda: servers[victim].starts > starts)
        servers[victim].wait_ready()
        figures["ready_again_seconds"] = round(time.monotonic() - killed, 2)
        served = balancer.count(victim, "stot")
        wait_for("calls at the server that is back", lambda: balancer.count(victim, "stot") > served)
        figures["serves_again_seconds"] = round(time.monotonic() - killed, 2)
    held = {
        "calls were made": figures["calls"] > 100,
        "no call is lost": figures["lost"] == 0,
        "equal requests have equal answers": figures["different"] == 0,
        "calls were under way at the killed server": figures["broken"][victim] > 0,
        "each call that broke was tried again once": figures["retried"] == figures["broken"][victim],
        "no more broke than one server had": figures["retried"] <= CALLERS,
        "none broke elsewhere": figures["broken"][survivor] == 0,
        "it was killed": servers[victim].codes[-1] == -signal.SIGKILL,
    }
    return figures, [what for what, holds in held.items() if not holds]


def drain_each(balancer: Haproxy, servers: dict[str, Supervised], seconds: float) -> tuple[dict[str, Any], list[str]]:
    """Replace one server after the other; return figures and what does not hold."""
    figures: dict[str, Any] = {"drained_seconds": []}
    with counted(Load(balancer.address), balancer, seconds, figures):
        for name, server in servers.items():
            ended = len(server.codes)
            server.signal(signal.SIGTERM)
            took = wait_for(f"server {name} to drain", lambda s=server, n=ended: len(s.codes) > n)  # type: ignore[misc]
            figures["drained_seconds"].append(round(took, 2))
            wait_for("HAProxy to notice", lambda n=name: not balancer.is_up(n))  # type: ignore[misc]
            server.start()
            server.wait_ready()
            wait_for("HAProxy to notice", lambda n=name: balancer.is_up(n))  # type: ignore[misc]
    held = {
        "calls were made": figures["calls"] > 100,
        "no call is lost": figures["lost"] == 0,
        "equal requests have equal answers": figures["different"] == 0,
        "no call is tried again": figures["retried"] == sum(figures["broken"].values()) == figures["reconnected"] == 0,
        "both end well": all(server.codes[-1] == 0 for server in servers.values()),
    }
    return figures, [what for what, holds in held.items() if not holds]


def leave(balancer: Haproxy, servers: dict[str, Supervised]) -> float:
    """Leave a long search behind the balancer; return the seconds until no server has one."""

    def busy() -> float:
        return sum(metric(server, "advisor_workers_busy") for server in servers.values())

    request = pb.AdviseRequest(position=observe(play(new(), 14, 3), 1), seat=1)
    request.limits.time.FromSeconds(120)
    with grpc.insecure_channel(balancer.address) as channel:
        call = advisor_service_pb2_grpc.AdvisorServiceStub(channel).Advise.future(request)
        wait_for("the search", lambda: busy() == 1)
        call.cancel()
        return wait_for("the search to end", lambda: busy() == 0, 30)


def run(seconds: float, folder: Path) -> dict[str, Any]:
    """Run everything; return the figures, with what does not hold under "wrong"."""
    # Niceness 0: else, on one machine, the server that starts would take the processor from the one that searches.
    options = ["--workers", "1", "--niceness", "0", "--log-level", "warning"]
    options += ["--cache-bytes", "0"]  # every call is to be a search
    options += ["--grace-seconds", "20", "--notice-seconds", str(NOTICE)]
    with (
        Supervised(folder / "one.log", *options) as one,
        Supervised(folder / "two.log", *options) as two,
    ):
        servers = {"one": one, "two": two}
        for server in servers.values():
            server.wait_ready()
        with haproxy([one.address, two.address], folder) as balancer:
            left = leave(balancer, servers)
            killed, wrong = kill_one(balancer, servers, seconds / 4)
            drained, wrong_drained = drain_each(balancer, servers, seconds / 4)
    wrong = [f"killed: {what}" for what in wrong] + [f"drained: {what}" for what in wrong_drained]
    return {"left_seconds": round(left, 2), "killed": killed, "drained": drained, "wrong": wrong}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            figures = run(float(os.environ.get("SECONDS_") or 60), folder)
        except FleetError as error:
            figures = {"wrong": [str(error)]}
        if figures["wrong"]:
            for log in sorted(folder.glob("*.log")):
                print(f"---- {log.name}", log.read_text(errors="replace")[-3000:], sep="\n", file=sys.stderr)
    print(json.dumps({"ok": not figures["wrong"], **figures}))
    return 1 if figures["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
