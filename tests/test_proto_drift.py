"""The committed code in advisor/v1 is what proto/ gives with the pinned generators."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.apart

ROOT = Path(__file__).resolve().parents[1]


def generated(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*_pb2*.py*")}


def test_generated_code_is_up_to_date(tmp_path: Path) -> None:
    pytest.importorskip("grpc_tools", reason="the generators are a developer's tool; `make lowest` has none")
    subprocess.run([sys.executable, ROOT / "proto" / "generate.py", tmp_path], check=True)
    committed, fresh = generated(ROOT / "advisor" / "v1"), generated(tmp_path / "advisor" / "v1")
    assert committed.keys() == fresh.keys(), "run `make proto`"
    assert [name for name in fresh if fresh[name] != committed[name]] == [], "run `make proto`"
