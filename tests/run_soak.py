"""The long run of a server under full load: every answer right, every call ended once, and nothing piles up.

A server process, and callers on one event loop: known questions whose answers must be the same bytes as in this
process, searches by time, games, cancels, deadlines, cut connections, nonsense; all games and variants. Memory, threads
and descriptors are watched from outside. Ends with one line of JSON; exits 1 when anything was wrong.
"""

import argparse
import asyncio
import dataclasses
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from serving import Served, served, stop, wait_until
from soak import series
from soak.callers import Callers

PLANTED = Path(__file__).parent / "soak" / "planted.py"
SAMPLE_SECONDS = 1.0
ENVIRONMENT = {
    # What is kept on purpose is kept small, so that it is full before the first quarter is over; of the answers to
    # known questions only a part, so that they are searched for again and again.
    "SIRENIA_KERNEL_CACHE": "16",
    "SIRENIA_CACHE_BYTES": str(128 << 10),
}


async def load(server: Served, callers: Callers, seconds: float, tasks: int) -> list[series.Sample]:
    """Load the server and look at it every second."""
    begun = time.monotonic()
    samples = [series.Sample(0.0, server.figures())]

    async def look() -> None:
        while True:
            await asyncio.sleep(SAMPLE_SECONDS)
            samples.append(series.Sample(time.monotonic() - begun, server.figures()))

    looking = asyncio.ensure_future(look())
    try:
        await callers.run(seconds, tasks)
    finally:
        looking.cancel()
        await asyncio.wait([looking])
    if not looking.cancelled() and looking.exception() is not None:
        callers.faults.append("the server has ended")
    return samples


def count_faults(server: Served, callers: Callers) -> list[str]:
    """Whether the server has ended as many calls as were made, each once."""
    found = []
    for rpc, begun in callers.begun.items():
        ended = server.metric("advisor_requests_total", rpc=rpc)
        heard = {status: number for (of, status), number in callers.outcomes.items() if of == rpc}
        if sum(heard.values()) + callers.left[rpc] != begun:
            found.append(f"{rpc}: {begun} calls begun, {sum(heard.values())} ended")
        # Who left early may have left before the call came to the server.
        uncertain = callers.left[rpc] + heard.get("CANCELLED", 0) + heard.get("DEADLINE_EXCEEDED", 0)
        too_large = heard.get("RESOURCE_EXHAUSTED", 0)  # also what gRPC itself refuses
        if not begun - uncertain - too_large <= ended <= begun:
            found.append(f"{rpc}: {begun} calls begun, {uncertain} left early, but the server counts {ended:.0f}")
        answered = server.metric("advisor_requests_total", rpc=rpc, code="OK")
        if not heard.get("OK", 0) <= answered <= heard.get("OK", 0) + uncertain:
            found.append(f"{rpc}: {heard.get('OK', 0)} answers heard, but the server counts {answered:.0f}")
    return found


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Start a server, load it, and look what is left of it."""
    command = (str(PLANTED), options.plant) if options.plant else ("-m", "advisor")
    with served("--log-level", "warning", command=command, env=ENVIRONMENT) as server:
        callers = Callers(server.host, server.port, options.seed)
        # The first calls make threads that stay.
        asyncio.run(load(server, callers, min(3.0, options.seconds / 4), options.tasks))
        quiet(server)
        before = server.figures()
        samples = asyncio.run(load(server, callers, options.seconds, options.tasks))
        if options.samples:
            rows = [(round(s.seconds, 1), *dataclasses.astuple(s.figures)) for s in samples]
            options.samples.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
        faults = list(callers.faults)
        if server.alive:
            try:
                quiet(server)
            except AssertionError:
                faults.append("calls are in flight though nobody waits")
            faults += series.left_behind(before, server.figures())
            faults += count_faults(server, callers)
            memory = series.memory(samples)
            faults += memory.faults
            after = server.figures()
            code = stop(server)
            if code:
                faults.append(f"the server ended with {code}")
            faults += [f"in the log: {line[:3000]}" for line in server.errors()[:5]]
        else:
            return {"ok": False, "faults": [*faults, *server.errors()[-5:]]}
    for fault in faults:
        print(fault, file=sys.stderr)
    codes: dict[str, int] = {}
    for (_, status), number in callers.outcomes.items():
        codes[status] = codes.get(status, 0) + number
    return {
        "ok": not faults,
        "seconds": options.seconds,
        "calls": sum(callers.begun.values()),
        "by_rpc": dict(sorted(callers.begun.items())),
        "by_status": dict(sorted(codes.items())),
        "visits": dict(sorted(callers.visits.items())),
        "rss_mb": round(memory.warm / series.MB, 1),
        "rss_mb_per_minute": round(memory.slope / series.MB, 2),
        "rss_growth_mb": round(memory.growth / series.MB, 1),
        "threads": [before.threads, after.threads],
        "descriptors": [before.descriptors, after.descriptors],
        "faults": faults[:10],
    }


def quiet(server: Served) -> None:
    """Wait until no call is open and no search runs."""
    names = ("advisor_requests_in_flight", "advisor_workers_busy", "advisor_queue_length")
    wait_until(lambda: all(server.metric(name) == 0 for name in names), 30)
    time.sleep(0.5)  # connections that were cut are noticed a moment later


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SECONDS_") or 1200))
    parser.add_argument("--tasks", type=int, default=12, help="calls at a time")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="printed at the start")
    parser.add_argument(
        "--samples", type=Path, help="write what was held each second: seconds, bytes, threads, descriptors"
    )
    parser.add_argument("--plant", help=argparse.SUPPRESS)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    found = run(options)
    print(json.dumps(found))
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
