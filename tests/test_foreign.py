"""A client in another language, made from the .proto files alone, plays a whole game on a real server."""

import fcntl
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.server import ServerThread
from advisor.settings import Settings

pytestmark = pytest.mark.apart

FOREIGN = Path(__file__).resolve().parent / "foreign"
LOCK = FOREIGN / "package-lock.json"
INSTALLED = FOREIGN / "node_modules" / ".package-lock.json"
OLDEST_NODE = 18
LONGEST_SECONDS = 240


def program(name: str) -> str:
    """The path of a program; skips where it is absent, but fails in continuous integration."""
    found = shutil.which(name)
    if found is None:
        reason = f"{name} is not installed (Debian: apt-get install nodejs npm)"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"{reason}; continuous integration must have it")
        pytest.skip(reason)
    return found


@pytest.fixture(scope="module")
def node() -> str:
    """The path of node, with the packages of the lock file in place."""
    found, npm = program("node"), program("npm")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    major = re.match(r"v(\d+)", version)
    assert major is not None
    assert int(major[1]) >= OLDEST_NODE, f"node {OLDEST_NODE} or newer is needed, not {version}"
    with LOCK.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests that run side by side install once
        if not INSTALLED.is_file() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
            ran = subprocess.run([npm, "ci"], cwd=FOREIGN, capture_output=True, text=True, timeout=LONGEST_SECONDS)
            assert ran.returncode == 0, f"npm ci failed:\n{ran.stdout}\n{ran.stderr}"
    return found


@pytest.mark.parametrize(
    ("game", "variant", "seed"),
    [("ocean", "targets", 1), ("ocean", "targets", 2), ("heart", "base", 1), ("sanctuary", "base", 1),
     ("sanctuary", "solo", 2)],
)  # fmt: skip
def test_a_whole_game_from_observations_alone(node: str, game: str, variant: str, seed: int) -> None:
    with ServerThread(Settings(port=0, metrics=False, log_level="error")) as server:
        ran = subprocess.run(
            [node, "play.js", server.address, str(seed), game, variant],
            cwd=FOREIGN,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
    assert ran.returncode == 0, ran.stderr
    played = json.loads(ran.stdout)
    seats = 1 if variant == "solo" else 3
    assert (played["game"], played["variant"], played["seats"]) == (game, variant, seats)
    # In sanctuary two choices of the draft and on the average five cards a seat and round; alone five cards are kept,
    # of which one is discarded, and four are played.
    least = {"targets": 3 * 17, "base": 51, "solo": 3 * (5 + 1 + 4)}[variant]
    assert played["moves"] == least if game == "ocean" else played["moves"] >= least
    assert len(played["scores"]) == seats
    assert min(played["ranks"]) == 1


def test_a_batch_with_a_cancel(node: str) -> None:
    with ServerThread(Settings(port=0, metrics=False, log_level="error")) as server:
        ran = subprocess.run(
            [node, "batch.js", server.address], cwd=FOREIGN, capture_output=True, text=True, timeout=LONGEST_SECONDS
        )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {"questions": 8, "answers": 8}


def test_the_lock_file_names_no_registry() -> None:
    packages = json.loads(LOCK.read_text(encoding="utf-8"))["packages"]
    for name, package in packages.items():
        assert "resolved" not in package
        assert name == "" or package["integrity"].startswith("sha512-")
