"""What a process keeps for good is set aside, so that no full collection of garbage halts it for long."""

import gc
import json
import subprocess
import sys
from weakref import ref

from advisor import garbage

MANY = 10_000
"""Fewer objects than a server's libraries and catalogues are."""

SERVER = """
import asyncio, gc, json, os, signal
from advisor.server import run_until_signal
from advisor.settings import Settings

tasks = []

async def watch(running):
    counts = [gc.get_freeze_count()]
    gc.unfreeze()
    os.kill(os.getpid(), signal.SIGHUP)
    for _ in range(500):
        await asyncio.sleep(0.02)
        if gc.get_freeze_count():
            break
    counts.append(gc.get_freeze_count())
    print(json.dumps(counts))
    os.kill(os.getpid(), signal.SIGTERM)

settings = Settings(port=0, metrics_port=0, log_level="error")
asyncio.run(run_until_signal(settings, lambda running: tasks.append(asyncio.ensure_future(watch(running)))))
"""


class Node:
    """Something that can hold on to itself."""

    def __init__(self) -> None:
        self.itself = self


def test_a_server_sets_aside_what_it_has_loaded_also_when_it_loads_anew() -> None:
    ran = subprocess.run([sys.executable, "-c", SERVER], capture_output=True, text=True, timeout=60, check=True)
    started, reloaded = json.loads(ran.stdout)
    assert started > MANY
    assert reloaded > MANY


def test_aside_lasts_as_long_as_its_block() -> None:
    node = Node()
    gone = ref(node)
    del node
    with garbage.aside():
        assert gc.get_freeze_count() > 0
        assert gone() is None  # what was garbage before is not kept with the rest
    assert gc.get_freeze_count() == 0


def test_what_was_set_aside_before_is_looked_through_again() -> None:
    node = Node()
    gone = ref(node)
    with garbage.aside():
        del node
        gc.collect()
        assert gone() is not None  # a collection does not see it
        garbage.set_aside()
        assert gone() is None
