"""An arena on a Ray cluster of two nodes, one of which is killed in the middle: `make cluster`.

Every block must count once, and the figures must be those of this process, to the bit. Ends with one line of JSON;
exits 1 when something differs. SECONDS_ (120) bounds the games. Everything is on loopback and is stopped at the end.
"""

import contextlib
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

# Before Ray is imported, which reads it there. The first is for the systems where loopback is the default.
os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_USAGE_STATS_ENABLED="0", RAY_raylet_start_wait_time_s="120"
)

from advisor.cli.common import new_request
from advisor.cluster import STORE_BYTES, Ledger, Played, RayExecutor, Recipe, connected
from advisor.service import Advisor
from advisor.settings import Settings
from search.arena import run_arena

SEED = 1
KILLED_AT = 0.3
"""Part of the blocks after which a node dies."""
FEWEST, MOST = 100, 400
"""Games."""


class Counting(RayExecutor):
    """Notes who played what, and kills a node once so many blocks are played while it has a task."""

    def __init__(self, recipe: Recipe, kill: Any, blocks: int) -> None:
        super().__init__(recipe)
        self.seen: Counter[int] = Counter()
        self.nodes: Counter[str] = Counter()
        self._kill = kill
        self._kill_at = blocks * KILLED_AT

    def result(self, task: Any) -> Played:
        """Return what came of a task, noted."""
        played = super().result(task)
        self.seen.update(played.blocks.keys())
        self.nodes[played.node] += len(played.blocks)
        if self._kill is not None and sum(self.seen.values()) >= self._kill_at:
            self._kill()
            self._kill = None
        return played


def children(process: int) -> Iterator[int]:
    """Yield every process below this one, the deepest last."""
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from children(child)


def kill_node(node: Any) -> None:
    """End a node as a power cut does: its raylet and everything that it has started, at once."""
    raylet = node.all_processes["raylet"][0].process.pid
    family = [raylet, *children(raylet)]
    print(f"killing the second node: {len(family)} processes", file=sys.stderr)
    for process in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def main() -> dict[str, Any]:
    """Play the same arena here and on the cluster; return what came of it."""
    seconds = float(os.environ.get("SECONDS_", "120"))
    from ray.cluster_utils import Cluster

    setup = Advisor(Settings()).setup(new_request("ocean", 2, "", None, "", 0))
    a, b = "mcts:400", "greedy"

    def play(games: int, **how: Any) -> dict[str, Any]:
        return run_arena(lambda: setup.kernel, a, b, games, SEED, **how)

    begun = time.monotonic()
    play(8)
    # A quarter of the time for playing here; as much again and half as much for the cluster, the rest to start it.
    games = max(FEWEST, min(MOST, int(8 * seconds / 4 / (time.monotonic() - begun)))) // 2 * 2
    here = play(games)
    print(f"{games} games here: {here['win_rate']:.3f}", file=sys.stderr)

    started = time.monotonic()
    small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "node_ip_address": "127.0.0.1"}
    nodes: Any = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    try:
        second = nodes.add_node(**small)
        print(f"two nodes after {time.monotonic() - started:.1f} s", file=sys.stderr)
        started = time.monotonic()
        with connected(nodes.address):
            counting = Counting(Recipe.of(setup, a, b, SEED), lambda: kill_node(second), games // 2)
            ledger = Ledger(counting)
            there = play(games, elsewhere=ledger.play)
        print(f"{games} games there in {time.monotonic() - started:.1f} s: {there['win_rate']:.3f}", file=sys.stderr)
    finally:
        nodes.shutdown()
    killed = second.node_id
    once = sorted(counting.seen) == list(range(games // 2)) and set(counting.seen.values()) == {1}
    ok = once and here == there and ledger.tasks.retried > 0 and len(counting.nodes) == 2 and killed in counting.nodes
    outcome: dict[str, Any] = {
        "ok": ok,
        "games": games,
        "blocks": len(counting.seen),
        "once": once,
        "equal": here == there,
        **asdict(ledger.tasks),
        "killed_node": killed,
        "blocks_of_killed_node": counting.nodes[killed],
    }
    return outcome


if __name__ == "__main__":
    # Ray tells of nodes that die on standard output, which is for the last line.
    with contextlib.redirect_stdout(sys.stderr):
        found = main()
    print(json.dumps(found))
    sys.exit(0 if found["ok"] else 1)
