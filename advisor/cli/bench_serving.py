"""How much of the machine reaches the searches: calls to a real server against the same searches in a bare loop."""

import secrets
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle, pairwise
from typing import Any, Final

import grpc

from advisor.child import child_server
from advisor.client import Client
from advisor.client_policy import read_error
from advisor.garbage import aside
from advisor.load.asked import Kind
from advisor.load.generator import CHANNEL_OPTIONS, METHOD
from advisor.load.positions import Unseeded, draw, request_for
from advisor.service import Advisor, Prepared
from advisor.settings import cores
from advisor.v1 import advice_pb2, advisor_service_pb2
from search.request import Limits, Options
from search.run import Search, lower_priority

POSITIONS: Final = 48
"""Different positions that are searched."""
ROUNDS: Final = 20
"""How often either is measured, in turn: the machine may be faster at one time than at another."""
CALLERS: Final = 3
"""For each core: one whose search runs, one that waits for its turn, one on its way."""
WARM_UP: Final = 0.5
"""Seconds of each run of calls that do not count."""
TRIAL: Final = 2_000
"""Simulations of the first searches that tell how fast searches are."""


def bench_serving(new: advisor_service_pb2.NewPositionRequest, milliseconds: float, seconds: float) -> dict[str, Any]:
    """Search the same positions with as many simulations, by calls and in a bare loop on every core, in turn.

    milliseconds: about how long each search takes. seconds: about how long to measure. The figures: searches a second
    of either, medians of the rounds; `search_ms` of the bare loop; `ratio`, the median of the rounds' served over bare,
    that of the bare loop just before and after. The callers have their part of the machine as well, `client_ms` of
    processor time a call: `ratio_less_callers` has what a bare loop would have got done in what they left below the
    line. Raises `advisor.child.ChildError` and `advisor.client.AdvisorError`.
    """
    options = advice_pb2.AdviceOptions(algorithm=advice_pb2.ALGORITHM_MCTS)
    window = max(0.5, seconds / (2 * ROUNDS))
    with child_server() as address, ThreadPoolExecutor(cores(), initializer=lower_priority) as threads:
        with Client(address) as client:
            drawn = draw(client, new, POSITIONS, new.seed)
        advisor = Advisor()
        trial = [request_for(each, Kind("", simulations=TRIAL), options) for each in drawn]
        prepared = [advisor.prepare(request) for request in trial]
        bare(prepared, TRIAL, window / 4, threads)  # threads, tables and caches
        simulations = TRIAL
        for _ in range(2):  # a search is more than its simulations, so the second time comes closer
            rate = bare(prepared, simulations, window, threads)
            simulations = max(1, round(simulations * rate / cores() * milliseconds / 1e3))
        kind = Kind("", simulations=simulations)
        requests = [Unseeded(request_for(each, kind, options)) for each in drawn]
        with aside():  # else collecting garbage stops callers and bare loops for tens of milliseconds, now and then
            bares, answered = [bare(prepared, simulations, window, threads)], []
            for _ in range(ROUNDS):
                answered.append(served(address, requests, simulations, window))
                bares.append(bare(prepared, simulations, window, threads))
    serveds, costs = zip(*answered, strict=True)
    # Beside each run of calls, what a bare loop did just before and after: a machine's speed drifts.
    beside = [(before + after) / 2 for before, after in pairwise(bares)]
    middle = statistics.median(bares)
    return {
        "game": new.game,
        "players": new.seats,
        "simulations": simulations,
        "cores": cores(),
        "search_ms": cores() / middle * 1e3,
        "bare_per_second": middle,
        "served_per_second": statistics.median(serveds),
        "ratio": statistics.median(calls / searches for searches, calls in zip(beside, serveds, strict=True)),
        "ratio_less_callers": statistics.median(
            calls / (searches * (1 - calls * cost / 1e3 / cores()))
            for searches, calls, cost in zip(beside, serveds, costs, strict=True)
        ),
        "client_ms": statistics.median(costs),
        "rounds": ROUNDS,
    }


def bare(prepared: Sequence[Prepared], simulations: int, seconds: float, threads: ThreadPoolExecutor) -> float:
    """Searches a second of a loop on every core."""
    seeds = count(1)
    begun = time.perf_counter()

    def work(first: int) -> float:
        done = 0
        positions: Iterator[Prepared] = cycle([*prepared[first:], *prepared[:first]])
        while time.perf_counter() < begun + seconds:
            each = next(positions)
            options = Options(each.options.algorithm, seed=next(seeds), lines=each.options.lines)
            Search(each.setup.kernel, each.observation, Limits(simulations), options).run()
            done += 1
        return done / (time.perf_counter() - begun)

    return sum(threads.map(work, (core * len(prepared) // cores() for core in range(cores()))))


def served(address: str, requests: Sequence[Unseeded], simulations: int, seconds: float) -> tuple[float, float]:
    """Answers a second of a server whose callers ask again as soon as they have theirs, and what one costs them in ms.

    Counted while all of them do ask. They are threads that wait, the lightest callers that gRPC has: what they take of
    the machine the server has not. Raises `AdvisorError` for a call that fails, ValueError for a wrong answer.
    """
    begun = time.perf_counter() + WARM_UP
    end = begun + seconds
    # Seeds that no run before has used: an answer that the server has kept is not what is measured.
    seeds = count(secrets.randbits(62))

    with grpc.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
        advise: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(METHOD)

        def ask_again(_: int) -> list[tuple[float, bytes]]:
            answers = []
            while time.perf_counter() < end:
                seed = next(seeds)
                try:
                    answer = advise(requests[seed % len(requests)].seeded(seed))
                except grpc.RpcError as caught:
                    raise read_error(caught) from caught
                answers.append((time.perf_counter(), answer))
            return answers

        callers = CALLERS * cores()
        cpu = time.process_time()
        with ThreadPoolExecutor(callers) as threads:
            answers = [one for answers in threads.map(ask_again, range(callers)) for one in answers]
        cost = time.process_time() - cpu
    for _, answer in answers:
        read = advisor_service_pb2.AdviseResponse.FromString(answer)
        if read.simulations != simulations or read.timing.cached:
            raise ValueError("an answer was not searched for as it was asked to be")
    return sum(begun <= came < end for came, _ in answers) / seconds, cost * 1e3 / len(answers)
