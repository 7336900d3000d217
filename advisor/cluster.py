"""Blocks of an arena on a Ray cluster: tasks that may be lost with their worker or node, blocks that count once.

What a player needs on another machine is this package, of the same version, and nothing else: a task carries the rules
and the catalogue with it, and its worker process compiles them once.
"""

import json
import logging
import os
import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Generic, Protocol, TypeVar

import advisor
from advisor.games import ENTRIES, Setup
from ext.game import Game
from search.arena import Block, play_block
from search.players import parse_spec

LOCAL: Final = "local"
"""As an address: a cluster of this machine alone, on loopback, that ends with the arena."""
AUTO: Final = "auto"
"""As an address: the cluster that this machine belongs to."""
ATTEMPTS: Final = 6
"""How often a task is tried whose worker or node dies each time."""
AHEAD: Final = 2
"""Tasks handed out for each core of the cluster, so that none waits for this process."""
MOST_BLOCKS: Final = 64
"""Blocks of one task."""
WAIT_SECONDS: Final = 1.0
"""After how long without an answer it is asked again how large the cluster is."""
CONNECT_SECONDS: Final = 10.0
"""How long a given address may take to answer."""
STORE_BYTES: Final = 80 << 20
"""Memory for objects of a local cluster; an arena needs next to none, Ray wants 75 MB at the least."""

T = TypeVar("T")


class ClusterError(Exception):
    """The cluster cannot be had or cannot play; the text says why and what to do."""


class Lost(Exception):
    """A task was lost with the worker or the node that it ran on."""


@dataclass(frozen=True)
class Recipe:
    """What a worker needs to play any block of an arena: all of it plain text, so that it travels and compares.

    rules, catalogue: JSON of what the kernel takes. b: None with one seat.
    """

    version: str
    game: str
    variant: str
    seats: int
    rules: str
    catalogue: str
    a: str
    b: str | None
    seed: int

    @classmethod
    def of(cls, setup: Setup, a: str, b: str | None, seed: int) -> "Recipe":
        """Write down a setup and its players."""
        rules, catalogue = json.dumps(dict(setup.rules)), json.dumps(setup.catalogue.content)
        return cls(advisor.__version__, setup.entry.game, setup.variant, setup.seats, rules, catalogue, a, b, seed)


@dataclass(frozen=True)
class Played:
    """What came of one task: the node that it ran on, and its blocks by number."""

    node: str
    blocks: Mapping[int, Block]


def play_blocks(recipe: Recipe, numbers: range, node: str = "") -> Played:
    """Play these blocks; raises `ClusterError` where this process has another version of the program."""
    if recipe.version != advisor.__version__:
        raise ClusterError(
            f"a node has version {advisor.__version__} of sirenia and this program is {recipe.version}; "
            "install the same version everywhere"
        )
    game = kernel(recipe)
    first, second = parse_spec(recipe.a), None if recipe.b is None else parse_spec(recipe.b)
    return Played(node, {number: play_block(game, first, second, recipe.seed, number) for number in numbers})


@lru_cache(maxsize=1)
def kernel(recipe: Recipe) -> Game:
    """Return the compiled rules of a recipe, made once a process."""
    entry = next(entry for entry in ENTRIES if entry.game == recipe.game)
    return entry.converter.kernel(recipe.seats, recipe.variant, json.loads(recipe.rules), json.loads(recipe.catalogue))


# The ledger of blocks. It knows nothing of Ray, so that a test can lose what it likes.


class Executor(Protocol[T]):
    """Runs tasks somewhere; a T is a task that was handed out."""

    def slots(self) -> int:
        """Return how many tasks can run at once by now, at least 1."""

    def submit(self, numbers: range) -> T:
        """Hand out a task that plays these blocks."""

    def wait(self, tasks: Sequence[T]) -> Sequence[T]:
        """Wait a while for any of the tasks; return those that have ended."""

    def result(self, task: T) -> Played:
        """Return what came of an ended task; raises `Lost`, or `ClusterError` where it would fail again."""

    def cancel(self, tasks: Sequence[T]) -> None:
        """End tasks whose results nobody wants."""


@dataclass
class Tasks:
    """What playing took: nodes that played blocks that count, tasks handed out, and those lost and handed out again."""

    nodes: int = 0
    tasks: int = 0
    retried: int = 0


class Ledger(Generic[T]):
    """Has every block played by an executor, and counted once, whatever is lost on the way."""

    def __init__(self, executor: Executor[T]) -> None:
        self.tasks = Tasks()
        """What it has taken so far."""
        self._executor = executor
        self._nodes: set[str] = set()

    def play(self, blocks: int, report: Callable[[int], None]) -> Sequence[Block]:
        """Play blocks 0 to `blocks` - 1 and return them in this order; `report` hears how many are done.

        Raises `ClusterError` when a task was lost `ATTEMPTS` times or fails for a reason of its own. However it ends,
        nothing is left running.
        """
        size = max(1, min(MOST_BLOCKS, blocks // (16 * self._executor.slots())))
        waiting = deque((range(start, min(start + size, blocks)), 1) for start in range(0, blocks, size))
        running: dict[T, tuple[range, int]] = {}
        counted: dict[int, Block] = {}
        try:
            while waiting or running:
                while waiting and len(running) < AHEAD * self._executor.slots():
                    numbers, attempt = waiting.popleft()
                    running[self._executor.submit(numbers)] = numbers, attempt
                    self.tasks.tasks += 1
                for task in self._executor.wait(list(running)):
                    numbers, attempt = running.pop(task)
                    try:
                        self._count(counted, numbers, self._executor.result(task))
                    except Lost as error:
                        if attempt == ATTEMPTS:
                            raise ClusterError(f"a task was lost {attempt} times, the last time so: {error}") from error
                        self.tasks.retried += 1
                        waiting.appendleft((numbers, attempt + 1))
                    report(len(counted))
        finally:
            self._executor.cancel(list(running))
        return [counted[number] for number in range(blocks)]

    def _count(self, counted: dict[int, Block], numbers: range, played: Played) -> None:
        if set(played.blocks) != set(numbers) or counted.keys() & played.blocks.keys():
            raise ClusterError(f"a task was to play blocks {numbers[0]} to {numbers[-1]} and answered with others")
        counted.update(played.blocks)
        self._nodes.add(played.node)
        self.tasks.nodes = len(self._nodes)


# Ray.


class RayExecutor:
    """Runs tasks on the cluster that this process is connected to, each on one core."""

    def __init__(self, recipe: Recipe) -> None:
        import ray

        self._ray: Any = ray
        # Ray's own retries are off, because nobody could tell how many there were.
        self._task: Any = ray.remote(num_cpus=1, max_retries=0)(_on_worker)
        self._recipe = ray.put(recipe)

    def slots(self) -> int:
        """Return the cores of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 0)))

    def submit(self, numbers: range) -> Any:
        """Hand out a task."""
        return self._task.remote(self._recipe, numbers)

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Return what has ended, after at most `WAIT_SECONDS`."""
        ended, _ = self._ray.wait(list(tasks), num_returns=1, timeout=WAIT_SECONDS)
        return list(ended)

    def result(self, task: Any) -> Played:
        """Return what came of a task."""
        lost = self._ray.exceptions
        try:
            played: Played = self._ray.get(task)
        except (lost.WorkerCrashedError, lost.NodeDiedError, lost.OutOfMemoryError, lost.ObjectLostError) as error:
            raise Lost(_first_line(error)) from error
        except ClusterError as error:
            raise ClusterError(_cause(error)) from None
        except lost.RayError as error:
            raise ClusterError(f"a task failed: {_cause(error)}; every node needs sirenia and its packages") from error
        return played

    def cancel(self, tasks: Sequence[Any]) -> None:
        """End tasks; a worker inside a kernel hears of nothing, so its process ends."""
        for task in tasks:
            self._ray.cancel(task, force=True)


def _on_worker(recipe: Recipe, numbers: range) -> Played:
    import ray

    return play_blocks(recipe, numbers, ray.get_runtime_context().get_node_id())


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _cause(error: BaseException) -> str:
    """Return what went wrong on the worker; Ray's own text is the whole traceback."""
    return _first_line(getattr(error, "cause", None) or error)


@contextmanager
def connected(address: str, cores: int | None = None) -> Iterator[None]:
    """Connect to the Ray cluster at "HOST:PORT", `AUTO` or `LOCAL`; raises `ClusterError`. Disconnects at the end.

    cores: of a local cluster; as many as the machine has when None.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no figures about its use go to anybody
    if address == LOCAL:
        # Everything on loopback. Named after the systems where this is the default.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    else:
        # A cluster that has gone is asked for once, for some 40 s, not 20 times.
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")
        if address != AUTO:
            _probe(address)
    try:
        import ray
    except ImportError:
        raise ClusterError("Ray is not installed: pip install 'sirenia[cluster]'") from None
    own: dict[str, Any] = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **(own if address == LOCAL else {}))
    except Exception as error:  # Ray has no kind of its own for what goes wrong here
        if address == AUTO and isinstance(error, ConnectionError):
            raise ClusterError("no Ray cluster runs on this machine: give HOST:PORT, or start one here") from error
        raise ClusterError(f"no Ray cluster at {address}: {_first_line(error)}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _probe(address: str) -> None:
    """Find out quickly whether anybody listens at an address; Ray takes minutes over it."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ClusterError(f"expected HOST:PORT, {AUTO} or {LOCAL}, not {address}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(f"no Ray cluster at {address}: {(error.strerror or str(error)).lower()}") from None
