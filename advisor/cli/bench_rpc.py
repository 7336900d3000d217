"""What a call costs beyond its search, and how soon a server that is busy answers: measured on a real one."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from advisor.child import child_server
from advisor.client import Client
from advisor.settings import cores
from advisor.v1 import advice_pb2, advisor_service_pb2, position_pb2
from search.bench import percentile

CALLS: Final = 500
"""Fewest calls of each kind."""
SIMULATIONS: Final = 50
"""Simulations of an Advise call whose overhead is taken: few, so that the search is the smaller part."""
WARM_UP: Final = 50
"""Calls that are made before the first that counts."""
SEARCH_SECONDS: Final = 600
"""Time limit of the searches that keep every core busy; they are cancelled."""
TIMEOUT: Final = 60.0
"""Deadline of each measured call, in seconds."""


def bench_rpc(new: advisor_service_pb2.NewPositionRequest, seconds: float, calls: int = CALLS) -> dict[str, Any]:
    """Calls one after another to a server in a child process, about its game at half time.

    seconds: about how long to measure; at least `calls` calls of each kind are made. Returns the figures of the bench
    contract: `overhead_ms` is the client's round trip of Advise less its time in the queue and in the search, on an
    idle server; `overhead_busy_ms` the same, and `health_ms` the round trip of a health check, while every core
    searches for other calls. Raises `advisor.child.ChildError` and `advisor.client.AdvisorError`.
    """
    busy = cores()
    # One worker more than there are long searches, so that the measured calls do not wait for their end.
    with child_server("--workers", str(busy + 1)) as address, Client(address, timeout=TIMEOUT) as client:
        position, seat = halfway(client, new)
        request = advisor_service_pb2.AdviseRequest(position=position, seat=seat)
        request.limits.simulations = SIMULATIONS
        request.options.algorithm = advice_pb2.ALGORITHM_MCTS
        seeds = count(1)

        def advise() -> float:
            request.options.seed = next(seeds)  # or else the server would give the answer that it has kept
            begun = time.perf_counter()
            timing = client.advise(request).timing
            assert not timing.cached
            return (time.perf_counter() - begun) * 1e3 - timing.queued_ms - timing.searched_ms

        measure(advise, 0, WARM_UP)
        idle = measure(advise, seconds / 3, calls)
        with grpc.insecure_channel(address) as channel, searching(client, position, seat, busy):
            checks: Any = health_pb2_grpc.HealthStub(channel)

            def health() -> float:
                begun = time.perf_counter()
                checks.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT)
                return (time.perf_counter() - begun) * 1e3

            measure(health, 0, WARM_UP)
            healthy = measure(health, seconds / 3, calls)
            loaded = measure(advise, seconds / 3, calls)
    return {
        "game": position.game,
        "players": position.seats,
        "simulations": SIMULATIONS,
        "cores": busy,
        "overhead_ms": percentiles(idle),
        "overhead_busy_ms": percentiles(loaded),
        "health_ms": percentiles(healthy),
        "calls": len(idle),
        "health_calls": len(healthy),
    }


def halfway(client: Client, new: advisor_service_pb2.NewPositionRequest) -> tuple[position_pb2.Position, int]:
    """Return what seat 0 sees when it is to decide for the middle time, every seat playing its first legal move."""
    begun = client.new_position(new)
    position, status = begun.position, begun.status
    own: list[position_pb2.Position] = []
    while not status.over:
        seat = status.pending[0]
        if seat == 0:
            own.append(position)
        moves = client.list_moves(advisor_service_pb2.ListMovesRequest(position=position, seat=seat)).moves
        played = client.apply_move(
            advisor_service_pb2.ApplyMoveRequest(position=position, seat=seat, move=moves[0], seed=new.seed)
        )
        position, status = played.position, played.status
    middle = own[len(own) // 2]
    return client.observe(advisor_service_pb2.ObserveRequest(position=middle, seat=0)).position, 0


@contextmanager
def searching(client: Client, position: position_pb2.Position, seat: int, searches: int) -> Iterator[None]:
    """Keep so many searches running."""
    request = advisor_service_pb2.WatchAdviceRequest()
    request.advise.position.CopyFrom(position)
    request.advise.seat = seat
    request.advise.limits.time.seconds = SEARCH_SECONDS
    request.advise.options.algorithm = advice_pb2.ALGORITHM_MCTS
    request.interval.seconds = 1
    with ExitStack() as running:
        watches = [running.enter_context(client.watch(request)) for _ in range(searches)]
        for watch in watches:
            next(watch)  # an interim ranking: this one searches
        yield


def measure(call: Callable[[], float], seconds: float, calls: int) -> list[float]:
    """Call for so many seconds and so many times at least; return what each call tells."""
    figures: list[float] = []
    end = time.perf_counter() + seconds
    while len(figures) < calls or time.perf_counter() < end:
        figures.append(call())
    return figures


def percentiles(figures: list[float]) -> dict[str, float]:
    """Return the percentiles that are told."""
    return {"p50": percentile(figures, 0.5), "p99": percentile(figures, 0.99)}
