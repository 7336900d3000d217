"""Imports point down only: advisor -> search -> ext; and only advisor knows grpc and protobuf."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WIRE = {"grpc", "grpc_health", "grpc_reflection", "grpc_status", "google"}
FORBIDDEN = {
    "advisor": {"tests", "reference"},
    "search": {"advisor", "tests", "reference"} | WIRE,
    "ext": {"advisor", "search", "tests", "reference"} | WIRE,
    # The oracle is worth something only while it cannot see what it checks.
    "tests/reference": {"advisor", "search", "ext"} | WIRE,
}
CYTHON = {".pyx", ".pxd", ".pxi"}
CYTHON_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import\b|c?import[ \t]+([\w., \t]+))", re.MULTILINE)


def python_imports(source: str) -> Iterator[str]:
    """Every absolute module name a Python source imports, importlib.import_module("...") included."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.Call(
                func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield module


def cython_imports(source: str) -> Iterator[str]:
    """Every absolute module name a Cython source imports or cimports."""
    for module, names in CYTHON_IMPORT.findall(source):
        for name in [module] if module else names.split(","):
            if not name.strip().startswith("."):
                yield name.split()[0]


def imports(path: Path) -> set[str]:
    """Top-level names of what a file imports."""
    source = path.read_text(encoding="utf-8")
    found = cython_imports(source) if path.suffix in CYTHON else python_imports(source)
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("floor", FORBIDDEN)
def test_imports_point_down(floor: str) -> None:
    paths = [path for path in sorted((ROOT / floor).rglob("*")) if path.suffix in {".py", ".pyi"} | CYTHON]
    assert paths, f"{floor}/ holds no source"
    wrong = {str(path.relative_to(ROOT)): sorted(bad) for path in paths if (bad := imports(path) & FORBIDDEN[floor])}
    assert not wrong


def test_the_readers_see_every_way_to_import() -> None:
    assert set(python_imports(PYTHON_SAMPLE)) == {"a.b", "c", "d.e", "i.j", "k"}
    assert set(cython_imports(CYTHON_SAMPLE)) == {"a.b", "d", "e.f", "k", "l"}


PYTHON_SAMPLE = """
import a.b, c
from d.e import f
from . import g
def h():
    importlib.import_module("i.j")
    import k as l
"""

CYTHON_SAMPLE = """
from a.b cimport c
cimport d, e.f as g
from .h cimport i
from . cimport j
    import k
from l import (
    m)
# import n
"""
