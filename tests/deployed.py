"""What deploy/ says, read for tests and scripts: rules, dashboards, manifests, and the metrics that they name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).resolve().parents[1]
DEPLOY: Final = ROOT / "deploy"

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_RANGE = re.compile(r"\[[^\]]*\]")
_SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)?\s*\{([^}]*)\}")
_GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
_NAME = re.compile(r"(?<![\w:.$])([a-zA-Z_:][\w:]*)(?!\s*\()(?![\w:])")
_WORDS = {"and", "or", "unless", "offset", "bool"}


def load(path: str) -> Any:
    """The content of a YAML file of deploy/ with one document."""
    return yaml.safe_load((DEPLOY / path).read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Expression:
    """A PromQL expression and where it stands."""

    where: str
    text: str

    def metrics(self) -> set[str]:
        """The metrics and recorded series that it names."""
        text = _GROUPING.sub(" ", _RANGE.sub(" ", _SELECTOR.sub(r"\1 ", _STRING.sub('""', self.text))))
        text = re.sub(r"\boffset\s+\w+|\b\d\w*(?:\.\d+)?", " ", text)
        return {name for name in _NAME.findall(text) if name not in _WORDS}

    def labels(self) -> set[str]:
        """The labels that it selects or groups by."""
        text = _STRING.sub('""', self.text)
        selected = (
            part.split("=")[0].strip(" !~")
            for _, body in _SELECTOR.findall(text)
            for part in body.split(",")
            if part.strip()
        )
        grouped = (part.strip() for _, body in _GROUPING.findall(text) for part in body.split(",") if part.strip())
        return {label for label in (*selected, *grouped) if label}

    def filled(self, interval: str) -> str:
        """The same with Grafana's variables replaced: every job and game, rates over `interval`."""
        text = self.text.replace("$__rate_interval", interval)
        return re.sub(r"\$(?:job|game)\b", ".*", text)


def rules(kind: str) -> list[dict[str, Any]]:
    """The rules of deploy/prometheus/rules.yml; kind is "record" or "alert"."""
    groups = load("prometheus/rules.yml")["groups"]
    return [rule for group in groups for rule in group["rules"] if kind in rule]


def dashboards() -> dict[str, Any]:
    """Every dashboard by its file's name."""
    found = sorted((DEPLOY / "grafana" / "dashboards").glob("*.json"))
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in found}


def panels(dashboard: Any) -> list[Any]:
    """The panels of a dashboard that show something."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def rule_expressions() -> Iterator[Expression]:
    """Those of the rules."""
    for kind in ("record", "alert"):
        for rule in rules(kind):
            yield Expression(f"rules.yml {rule[kind]}", rule["expr"])


def panel_expressions() -> Iterator[Expression]:
    """Those of the dashboards' panels."""
    for name, dashboard in dashboards().items():
        for panel in panels(dashboard):
            for target in panel["targets"]:
                yield Expression(f"{name} {panel['title']}", target["expr"])


def manifests(folder: str) -> dict[str, Any]:
    """The manifests of a folder below deploy/kubernetes by the file's name; the kustomization is not one."""
    found = sorted((DEPLOY / "kubernetes" / folder).glob("*.yaml"))
    return {path.name: load(str(path.relative_to(DEPLOY))) for path in found if path.name != "kustomization.yaml"}
