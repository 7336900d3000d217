"""The long run of bad input: requests of every RPC, changed at random, must be answered or refused, never more.

Three ways, all with the games and variants of `tests/fuzz/corpus`: sound requests changed as messages and as bytes;
atheris, which keeps what leads to new places in advisor/ and ext/; and bytes over a socket to a real server. The first
two run side by side in forked children, so that an input that ends one is kept: build/fuzz/crash-RPC-..., with a text
beside it. Ends with one line of JSON; exits 1 when anything was wrong. `tests/test_fuzz.py` does a part of it.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path("build/fuzz")
SOCKET_SHARE = 0.15
"""Part of the time for the server on a socket."""
MAX_GROWTH = 96 << 20
"""Bytes by which a process may grow once it is warm: tables of a bounded size fill up, and atheris keeps inputs."""
LATE_SECONDS = 90.0
"""An engine that goes on for so much longer than it should is ended."""
ENGINES = ("structured", "coverage")


def engine(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one engine in this process."""
    end, seed, folder = time.monotonic() + options.seconds, options.seed, options.folder
    if name == "coverage":
        import atheris

        folder.mkdir(parents=True, exist_ok=True)
        followed = atheris.instrument_imports(include=["advisor", "ext"], enable_loader_override=False)
        with (folder / "atheris.log").open("w") as log, contextlib.redirect_stderr(log), followed:
            import advisor.service  # noqa: F401

    from fuzz import engines
    from fuzz.child import Bounds, Keep
    from fuzz.flight import Flight
    from fuzz.plants import plant
    from fuzz.seeds import requests
    from fuzz.target import Runner

    requests()
    if options.plant is not None:
        plant(options.plant)
    runner, flight, keep = Runner(), Flight(), Keep(folder, name)
    left = max(1.0, end - time.monotonic())
    if name == "coverage":
        growth = engines.coverage(runner, flight, keep, left, seed, folder)
    else:
        growth = engines.structured(runner, flight, keep, Bounds(left, options.executions, options.first), seed)
    return {
        "by_rpc": flight.by_rpc,
        "missing": engines.missing(runner),
        "slowest": flight.slowest,
        "rss_growth_bytes": growth,
        "faults": keep.faults(),
    }


def start(name: str, options: argparse.Namespace, seconds: float) -> "subprocess.Popen[bytes]":
    """Run one engine in a process of its own."""
    command = [sys.executable, __file__, "--engine", name, "--seconds", str(seconds), "--seed", str(options.seed)]
    command += ["--folder", str(options.folder)] + (["--plant", options.plant] if options.plant else [])
    command += ["--first"] if options.first else []
    command += ["--executions", str(options.executions)] if options.executions else []
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def finish(name: str, process: "subprocess.Popen[bytes]", seconds: float) -> dict[str, Any]:
    """What an engine has found."""
    try:
        said, _ = process.communicate(timeout=seconds + LATE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
    try:
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
    except (ValueError, IndexError):
        what = f"the engine {name} has ended with {process.returncode}, without a result"
        found = {"by_rpc": {}, "missing": [], "slowest": 0.0, "rss_growth_bytes": 0}
        found["faults"] = [{"rpc": "", "kind": "engine", "what": what, "input": None}]
    return found


def over_sockets(seconds: float, options: argparse.Namespace) -> dict[str, Any]:
    """Run the part on a socket."""
    from fuzz import sockets
    from fuzz.child import Keep

    wrong, figures = sockets.run(seconds, options.seed, options.executions)
    keep = Keep(options.folder, "sockets")
    for rpc, data, what in wrong:
        keep.wrong(rpc or "socket", data, what)
    return {**figures, "missing": [], "faults": keep.faults()}


def have_atheris() -> bool:
    """Whether atheris is there: it has no wheels for some Pythons and machines."""
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


def run(options: argparse.Namespace) -> dict[str, Any]:
    """All three, the first two at the same time."""
    begun = time.monotonic()
    seconds = options.seconds * (1 - SOCKET_SHARE if "sockets" in options.engines else 1)
    names = [name for name in options.engines if name != "sockets" and (name != "coverage" or have_atheris())]
    running = {name: start(name, options, seconds) for name in names}
    found = {name: finish(name, process, seconds) for name, process in running.items()}
    if "sockets" in options.engines:
        found["sockets"] = over_sockets(options.seconds * (SOCKET_SHARE if names else 1), options)
    by_rpc: dict[str, int] = {}
    for one in found.values():
        for rpc, number in one["by_rpc"].items():
            by_rpc[rpc] = by_rpc.get(rpc, 0) + number
    faults = [{"engine": name, **fault} for name, one in found.items() for fault in one["faults"]]
    for fault in faults:
        print(f"{fault['engine']}, {fault['rpc']}: {fault['what']}\n  kept: {fault['input']}", file=sys.stderr)
    growth = max(one["rss_growth_bytes"] for one in found.values())
    return {
        "ok": not faults and growth < MAX_GROWTH,
        "executions": sum(by_rpc.values()),
        "by_rpc": by_rpc,
        "by_engine": {name: sum(one["by_rpc"].values()) for name, one in found.items()},
        "missing": sorted({rpc for one in found.values() for rpc in one["missing"]}),
        "slowest_ms": round(1e3 * max(one["slowest"] for one in found.values()), 1),
        "rss_growth_bytes": growth,
        "crashes": len(faults),
        "seconds": round(time.monotonic() - begun, 1),
    }


def main() -> int:
    """Run all of it, or what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SECONDS_") or 300))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="printed at the start")
    parser.add_argument("--executions", type=int, help="so many at the most, of all ways but atheris")
    parser.add_argument("--first", action="store_true", help="end with the first fault; not for atheris")
    parser.add_argument("--engines", nargs="+", choices=(*ENGINES, "sockets"), default=(*ENGINES, "sockets"))
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where inputs are kept")
    parser.add_argument("--write-corpus", action="store_true", help="make tests/fuzz/corpus anew, and nothing else")
    parser.add_argument("--again", nargs=2, metavar=("RPC", "FILE"), help="try an input that was kept")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--plant", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        print(json.dumps(engine(options.engine, options)))
        return 0
    if options.write_corpus:
        from fuzz import seeds

        seeds.write(seeds.CORPUS)
        return 0
    if options.again:
        from fuzz.target import Runner

        print(Runner().run(options.again[0], Path(options.again[1]).read_bytes()) or "answered")
        return 0
    print(f"seed {options.seed}", file=sys.stderr)
    found = run(options)
    print(json.dumps(found))
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
