"""docs/operations.md against the settings, the flags and the errors."""

import inspect
import re
from pathlib import Path
from typing import Any

import grpc
from pydantic.fields import FieldInfo

from advisor.cli.serve import serve
from advisor.errors import STATUS_OF_REASON
from advisor.settings import Settings

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "operations.md").read_text(encoding="utf-8")
FACTORIES = {"workers": "one a core", "catalogue_dirs": "none", "max_total_memory_bytes": "half of the memory"}
"""Defaults that are found out."""


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def default_text(name: str, field: FieldInfo) -> str:
    value: Any = field.default
    if name in FACTORIES:
        return FACTORIES[name]
    if value in (None, ""):
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float) and "port" not in name:
        return f"{value:,}".removesuffix(".0")
    return str(value)


def row(name: str, field: FieldInfo) -> str:
    """What the table says of a setting."""
    has_flag = name in inspect.signature(serve).parameters
    flag = f"`--{name.replace('_', '-')}`" if has_flag else ""
    description = (field.description or "").replace("|", "\\|")
    cells = (f"`SIRENIA_{name.upper()}`", flag, default_text(name, field), description)
    return "| " + " | ".join(cells).replace("|  |", "| |") + " |"


def test_every_setting_is_in_the_table() -> None:
    """In the order of the settings; a table that differs is replaced by the one that is printed."""
    expected = [row(name, field) for name, field in Settings.model_fields.items()]
    found = [line for line in section("Settings").splitlines() if line.startswith("| `SIRENIA_")]
    assert found == expected, "the table of docs/operations.md should be\n" + "\n".join(expected)


def test_settings_that_are_named_exist() -> None:
    for name in re.findall(r"`SIRENIA_([A-Z_]+)`", TEXT):
        known = name.lower() in Settings.model_fields or name.startswith("CLIENT_T")  # the client's own
        assert known, name
    for name in re.findall(r"`((?:max|client|connection|keepalive|handshake|queue)_[a-z_]+)`", TEXT):
        assert name in Settings.model_fields, name


def test_every_refusal_has_a_row() -> None:
    refusals = {
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.UNAVAILABLE,
    }
    expected = {reason for reason, status in STATUS_OF_REASON.items() if status in refusals}
    rows = re.findall(r"^\| `([A-Z_]+)` \|", section("Refusals"), re.MULTILINE)
    assert sorted(rows) == sorted(expected)
