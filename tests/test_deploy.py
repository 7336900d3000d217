"""deploy/ says what is so: names, limits and times fit the server and one another."""

import configparser
import math
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from deployed import (
    DEPLOY,
    ROOT,
    Expression,
    dashboards,
    load,
    manifests,
    panel_expressions,
    panels,
    rule_expressions,
    rules,
)
from fleet import FleetError, fetch, haproxy_config, tool, unit_settings
from grpc_health.v1 import health_pb2
from prometheus_client.parser import text_string_to_metric_families

from advisor.metrics import REJECTIONS, Metrics
from advisor.server import SERVICE, ServerThread
from advisor.settings import Settings

TARGET_LABELS = {"job", "instance"}
"""What Prometheus itself adds to every series."""
SPARE_SECONDS = 5
"""What a server may take to end once its grace is over."""


def debian(command: str, package: str) -> str:
    """A program of Debian's; without it the test is skipped, but in CI, which installs it, fails."""
    try:
        return tool(command, package)
    except FleetError as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


def run(*command: str | Path) -> str:
    ran = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


# Metrics.


@pytest.fixture(scope="module")
def exported() -> set[str]:
    """The names that a real server exports."""
    with ServerThread(Settings(port=0, metrics_port=0, workers=1, log_level="error")) as server:
        families = text_string_to_metric_families(fetch(f"http://127.0.0.1:{server.metrics_port}/metrics"))
        suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
        return {family.name + suffix for family in families for suffix in suffixes.get(family.type, ("",))}


EXPRESSIONS = [*rule_expressions(), *panel_expressions()]


@pytest.mark.apart
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: expression.where)
def test_every_metric_exists(expression: Expression, exported: set[str]) -> None:
    recorded = {rule["record"] for rule in rules("record")}
    named = expression.metrics()
    assert named, expression.text
    assert named <= exported | recorded | {"up"}


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: expression.where)
def test_every_label_exists(expression: Expression) -> None:
    registry = Metrics(["ocean"], 1, 1).registry
    known = {name for metric in registry._collector_to_names for name in getattr(metric, "_labelnames", ())}
    assert expression.labels() <= known | TARGET_LABELS | {"le"}


def test_what_alerts_go_by_is_counted_from_zero() -> None:
    """A rate cannot see a series that begins at 1."""
    registry = Metrics(["ocean"], 1, 1).registry
    for reason in REJECTIONS:
        assert registry.get_sample_value("advisor_rejected_total", {"reason": reason.lower()}) == 0
    assert registry.get_sample_value("advisor_catalogue_reloads_total", {"outcome": "failed"}) == 0


def test_names_are_read_from_expressions() -> None:
    """The reader of this file, not deploy/."""
    text = (
        'histogram_quantile(0.5, sum by (job, le) (rate(a_bucket{rpc=~"x|y", job!="$job"}[5m]))) > 3.5 * 1024 ^ 2'
        ' or (b:c:d offset 5m unless on (game) time() - e{}) and "f" == 1e3'
    )
    expression = Expression("here", text)
    assert expression.metrics() == {"a_bucket", "b:c:d", "e"}
    assert expression.labels() == {"job", "le", "rpc", "game"}


# Rules.


def test_every_alert_is_whole() -> None:
    for rule in rules("alert"):
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}, rule["alert"]
        assert rule["labels"]["severity"] in ("info", "warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
        assert rule["annotations"]["runbook_url"] == f"docs/runbook.md#{rule['alert'].lower()}"


def test_the_runbook_has_every_alert_and_no_other() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (Advisor\w+)\n(.*?)(?=^## |\Z)", runbook, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in sections] == [rule["alert"] for rule in rules("alert")]
    for name, text in sections:
        assert len(text.split()) > 30, f"{name} hardly says anything"


def test_every_alert_is_tested_firing_and_silent() -> None:
    tested: dict[str, set[bool]] = {}
    for test in load("prometheus/rules_test.yml")["tests"]:
        for case in test.get("alert_rule_test", ()):
            tested.setdefault(case["alertname"], set()).add(bool(case["exp_alerts"]))
    assert tested == {rule["alert"]: {True, False} for rule in rules("alert")}


def test_every_recorded_series_is_used() -> None:
    used = {name for expression in EXPRESSIONS for name in expression.metrics()}
    tested = (DEPLOY / "prometheus" / "rules_test.yml").read_text(encoding="utf-8")
    for rule in rules("record"):
        assert rule["record"] in used or rule["record"] in tested, rule["record"]


def test_promtool(tmp_path: Path) -> None:
    promtool = debian("promtool", "prometheus")
    folder = DEPLOY / "prometheus"
    run(promtool, "check", "config", folder / "prometheus.yml")
    run(promtool, "test", "rules", folder / "rules_test.yml")
    # The dashboards' expressions are valid, too.
    shown = [
        {"record": f"shown:{number}", "expr": expression.filled("5m")}
        for number, expression in enumerate(panel_expressions())
    ]
    path = tmp_path / "shown.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "shown", "rules": shown}]}), encoding="utf-8")
    run(promtool, "check", "rules", path)


# Dashboards.


def test_dashboards() -> None:
    provider = load("grafana/provisioning/dashboards/sirenia.yaml")["providers"][0]
    source = load("grafana/provisioning/datasources/prometheus.yaml")["datasources"][0]
    mounts = load("compose.yaml")["services"]["grafana"]["volumes"]
    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in mounts
    assert dashboards()
    for name, dashboard in dashboards().items():
        assert name == f"{dashboard['uid']}.json"
        variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
        assert variables["datasource"]["current"]["value"] == source["uid"]
        ids = [panel["id"] for panel in dashboard["panels"]]
        assert len(set(ids)) == len(ids)
        taken: set[tuple[int, int]] = set()
        for panel in dashboard["panels"]:
            at = panel["gridPos"]
            cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
            assert not cells & taken, f"{panel['title']} covers another"
            assert max(x for x, _ in cells) < 24
            taken |= cells
        for panel in panels(dashboard):
            assert panel["title"]
            assert panel["description"]
            assert panel["fieldConfig"]["defaults"]["unit"]
            for target in panel["targets"]:
                used = set(re.findall(r"\$\{?(\w+)", target["expr"] + target["datasource"]["uid"]))
                assert used <= set(variables) | {"__rate_interval"}, panel["title"]


# Kubernetes.


@pytest.fixture(scope="module")
def base() -> dict[str, Any]:
    return manifests("base")


@pytest.fixture(scope="module")
def container(base: dict[str, Any]) -> Any:
    return base["deployment.yaml"]["spec"]["template"]["spec"]["containers"][0]


@pytest.mark.parametrize("folder", ["base", "overlays/monitoring"])
def test_the_kustomization_lists_every_file(folder: str) -> None:
    listed = load(f"kubernetes/{folder}/kustomization.yaml")["resources"]
    assert [name for name in listed if name.endswith(".yaml")] == sorted(manifests(folder))
    for name in listed:
        assert (DEPLOY / "kubernetes" / folder / name).exists()


def quantity(text: str) -> float:
    """A quantity of Kubernetes: "1Gi" in bytes, "500m" of a core."""
    number, unit = re.fullmatch(r"([\d.]+)([A-Za-z]*)", text).groups()  # type: ignore[union-attr]
    return float(number) * {"": 1, "m": 1e-3, "k": 1e3, "Mi": 2**20, "Gi": 2**30}[unit]


def seconds_of(settings: dict[str, str]) -> float:
    """What a server may take from SIGTERM to its end by these settings."""
    fields = Settings.model_fields
    times = [
        settings.get(f"SIRENIA_{name.upper()}", fields[name].default) for name in ("notice_seconds", "grace_seconds")
    ]
    return sum(map(float, times)) + SPARE_SECONDS


def test_settings_exist(base: dict[str, Any], container: Any) -> None:
    named = set(base["config.yaml"]["data"]) | {variable["name"] for variable in container["env"]}
    named |= set(load("compose.yaml")["services"]["sirenia"]["environment"])
    for path in ("Dockerfile", "systemd/sirenia.service", "haproxy/haproxy.cfg", "README.md"):
        named |= set(re.findall(r"\bSIRENIA_[A-Z_]+[A-Z]\b", (DEPLOY / path).read_text(encoding="utf-8")))
    known = {f"SIRENIA_{name.upper()}" for name in Settings.model_fields}
    assert named - {"SIRENIA_NAME"} <= known


def test_pods_are_hardened(base: dict[str, Any], container: Any) -> None:
    pod = base["deployment.yaml"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["automountServiceAccountToken"] is False
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    user = re.search(r"^USER (\d+):(\d+)$", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert user
    assert int(user[1]) == pod["securityContext"]["runAsUser"]


def test_ports_and_probes(base: dict[str, Any], container: Any) -> None:
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {
        "grpc": Settings.model_fields["port"].default,
        "metrics": Settings.model_fields["metrics_port"].default,
    }
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["grpc"]["port"] == ports["grpc"]
        assert container[probe]["grpc"].get("service", "") in ("", SERVICE)
    assert {port["name"]: port["port"] for port in base["service.yaml"]["spec"]["ports"]} == ports
    assert {port["port"] for rule in base["network.yaml"]["spec"]["ingress"] for port in rule["ports"]} == set(
        ports.values()
    )
    exposed = re.search(r"^EXPOSE (.*)$", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert exposed
    assert set(map(int, exposed[1].split())) == set(ports.values())
    targets = load("prometheus/prometheus.yml")["scrape_configs"][0]
    assert targets["job_name"] == "sirenia"
    assert targets["static_configs"][0]["targets"] == [f"sirenia:{ports['metrics']}"]


def test_selectors_fit(base: dict[str, Any]) -> None:
    labels = base["deployment.yaml"]["spec"]["template"]["metadata"]["labels"]
    assert base["deployment.yaml"]["spec"]["selector"]["matchLabels"] == labels
    assert base["disruption.yaml"]["spec"]["selector"]["matchLabels"] == labels
    assert base["network.yaml"]["spec"]["podSelector"]["matchLabels"] == labels
    assert base["service.yaml"]["spec"]["selector"] == labels
    monitor = manifests("overlays/monitoring")["servicemonitor.yaml"]["spec"]
    assert monitor["selector"]["matchLabels"].items() <= base["service.yaml"]["metadata"]["labels"].items()
    assert base["service.yaml"]["metadata"]["labels"][monitor["jobLabel"]] == "sirenia"
    assert monitor["endpoints"][0]["port"] in {port["name"] for port in base["service.yaml"]["spec"]["ports"]}


@pytest.mark.apart
def test_scaling_goes_by_a_metric_that_exists(base: dict[str, Any], exported: set[str]) -> None:
    scaling = base["scaling.yaml"]["spec"]
    assert scaling["scaleTargetRef"]["name"] == base["deployment.yaml"]["metadata"]["name"]
    named = [metric["pods"]["metric"]["name"] for metric in scaling["metrics"] if metric["type"] == "Pods"]
    assert named == ["advisor_queue_length"]
    assert set(named) <= exported
    assert scaling["minReplicas"] > base["disruption.yaml"]["spec"]["maxUnavailable"]


def test_memory_fits(base: dict[str, Any], container: Any) -> None:
    """All trees fit the memory that a server may have, and the alert comes before the kernel does."""
    alert = next(rule for rule in rules("alert") if rule["alert"] == "AdvisorMemory")
    found = re.search(r"> ([\d.]+) \* 1024 \^ 3", alert["expr"])
    assert found
    unit = unit_settings()
    server = load("compose.yaml")["services"]["sirenia"]
    for settings, limit in (
        (base["config.yaml"]["data"], quantity(container["resources"]["limits"]["memory"])),
        (dict(pair.split("=") for pair in shlex.split(unit["Environment"])), quantity(unit["MemoryMax"] + "i")),
        (server["environment"], quantity(server["mem_limit"].upper() + "i")),
    ):
        trees = int(settings["SIRENIA_MAX_TOTAL_MEMORY_BYTES"])
        assert trees + 2**30 < float(found[1]) * 2**30 < limit


def test_nobody_is_killed_within_its_grace(base: dict[str, Any]) -> None:
    pod = base["deployment.yaml"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] >= seconds_of(base["config.yaml"]["data"])
    unit = unit_settings()
    given = dict(pair.split("=") for pair in shlex.split(unit["Environment"]))
    assert float(unit["TimeoutStopSec"].removesuffix("s")) >= seconds_of(given)
    server = load("compose.yaml")["services"]["sirenia"]
    assert float(server["stop_grace_period"].removesuffix("s")) >= seconds_of(server["environment"])


def test_balancers_hear_of_a_drain_in_time(base: dict[str, Any], container: Any) -> None:
    config = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    found = re.search(r"inter (\d+)s fastinter (\d+)ms .*fall 2", config)
    assert found
    checked = int(found[1]) + int(found[2]) / 1000 + 2 * 1  # two checks, each as long as `timeout check` lets it be
    assert "timeout check 1s" in config
    probe = container["readinessProbe"]
    ready = probe["failureThreshold"] * probe["periodSeconds"]
    notice = float(base["config.yaml"]["data"]["SIRENIA_NOTICE_SECONDS"])
    assert notice >= max(checked, ready)
    assert f"SIRENIA_NOTICE_SECONDS={notice:.0f}" in unit_settings()["Environment"]


# Containers.


def test_compose_names_files_that_are_there() -> None:
    services = load("compose.yaml")["services"]
    assert (DEPLOY / services["sirenia"]["build"]["context"] / services["sirenia"]["build"]["dockerfile"]).is_file()
    for name, service in services.items():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).exists(), source


def test_the_build_context_has_what_the_build_takes() -> None:
    """What meson.build installs and pyproject.toml names, and nothing that is not there."""
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    taken = {line[1:] for line in lines if line.startswith("!")}
    assert "*" in lines
    assert all((ROOT / path).exists() for path in taken)
    packages = re.search(r"foreach package : \[(.*)\]", (ROOT / "meson.build").read_text(encoding="utf-8"))
    assert packages
    assert {*re.findall(r"'(\w+)'", packages[1]), "meson.build", "meson.options", "pyproject.toml"} <= taken
    assert {"README.md", "LICENSE", "requirements/run.txt"} <= taken


# systemd.


def test_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "systemd" / "sirenia.service").read_text(encoding="utf-8")
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit)
    service = parser["Service"]
    for key, value in {
        "DynamicUser": "yes",
        "ProtectSystem": "strict",
        "Restart": "on-failure",
        "KillMode": "mixed",
    }.items():
        assert service[key] == value
    assert service["ExecStart"].endswith("/advisor serve")


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("cannot find 'systemd-analyze': please install it (Debian: apt-get install systemd)")
    unit = (DEPLOY / "systemd" / "sirenia.service").read_text(encoding="utf-8")
    path = tmp_path / "sirenia.service"
    path.write_text(unit.replace("/opt/sirenia/bin/advisor", "/bin/true"), encoding="utf-8")
    assert not run("systemd-analyze", "verify", path)
    exposure = run("systemd-analyze", "security", "--offline=true", path)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", exposure)
    assert found
    assert float(found[1]) < 2, exposure


# HAProxy.


def frames(data: bytes) -> list[tuple[int, int, int, bytes]]:
    """The frames of HTTP/2 in some bytes: type, flags, stream, content."""
    found = []
    while data:
        size = int.from_bytes(data[:3], "big")
        assert len(data) >= 9 + size
        found.append((data[3], data[4], int.from_bytes(data[5:9], "big"), data[9 : 9 + size]))
        data = data[9 + size :]
    return found


def test_haproxy_asks_for_health_as_grpc_does() -> None:
    config = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    sent = bytes.fromhex("".join(re.findall(r"tcp-check send-binary (\w+)", config)))
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    assert sent.startswith(preface)
    settings, headers, data = frames(sent.removeprefix(preface))
    assert settings == (4, 0, 0, b"")
    assert headers[:3] == (1, 4, 1)  # HEADERS, END_HEADERS, stream 1
    assert b"/grpc.health.v1.Health/Check" in headers[3]
    assert data == (0, 1, 1, bytes(5))  # DATA, END_STREAM: a message of no bytes
    answer = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING).SerializeToString()
    expected = re.search(r"tcp-check expect binary (\w+)", config)
    assert expected
    assert bytes.fromhex(expected[1]) == b"\0" + len(answer).to_bytes(4, "big") + answer


def test_haproxy_takes_its_configuration(tmp_path: Path) -> None:
    haproxy = debian("haproxy", "haproxy")
    path = tmp_path / "haproxy.cfg"
    path.write_text(haproxy_config(50050, ["127.0.0.1:50051", "127.0.0.1:50052"], tmp_path), encoding="utf-8")
    run(haproxy, "-c", "-f", path)


def test_haproxy_waits_as_long_as_a_search_may_take() -> None:
    config = (DEPLOY / "haproxy" / "haproxy.cfg").read_text(encoding="utf-8")
    longest = Settings.model_fields["max_seconds"].default
    for side in ("client", "server"):
        found = re.search(rf"timeout {side} (\d+)s", config)
        assert found
        assert longest < int(found[1]) < math.inf
