"""The playout loop does not allocate: as many calls of the allocator for few playouts as for many."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.apart

COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
long allocator_calls = 0;
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
void *malloc(size_t n) { __atomic_add_fetch(&allocator_calls, 1, 5); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { __atomic_add_fetch(&allocator_calls, 1, 5); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { __atomic_add_fetch(&allocator_calls, 1, 5); return __libc_realloc(p, n); }
"""
PROGRAM = """
import ctypes, gc, sys
from differential import house
from ext import playout
from ext.heart import Heart
from ext.ocean import Ocean
calls = ctypes.c_long.in_dll(ctypes.CDLL(None), "allocator_calls")
few, many = map(int, sys.argv[2:])
game = Heart(4, house("heart")) if sys.argv[1] == "heart" else Ocean(4, house(), {}, "targets")
start = game.start()
gc.disable()
def count(playouts):
    before = calls.value
    playout.run(game, start, 1, playouts)
    return calls.value - before
count(10)
print(count(few), count(many), calls.value)
"""


@pytest.mark.parametrize(("game", "playouts"), [("heart", (200, 5_000)), ("ocean", (1_000, 50_000))])
def test_the_playout_loop_does_not_allocate(game: str, playouts: tuple[int, int], tmp_path: Path) -> None:
    source, library = tmp_path / "counter.c", tmp_path / "counter.so"
    source.write_text(COUNTER)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, game, *map(str, playouts)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    few, many, total = map(int, done.stdout.split())
    assert total > 1_000, "the counter counts"
    # One clone of the state a call of run(), and what its Python wrapper needs.
    assert few < 20
    assert abs(many - few) <= 2
