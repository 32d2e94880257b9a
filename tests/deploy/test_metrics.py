"""The dashboard and the alerts ask for what the server tells, and alerts fire when they should."""

import json
import re
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from tests.support.metrics import ALONE, METRICS, SCRAPED, SUFFIXES, asked, series
from tests.support.servers import PATIENCE, program, serving

METRICS_FOLDER = Path(__file__).parents[2] / "deploy" / "metrics"
ALERTS = METRICS_FOLDER / "alerts.yml"
PROMETHEUS = METRICS_FOLDER / "prometheus.yml"
DASHBOARD = METRICS_FOLDER / "dashboard.json"
CASES = Path(__file__).with_name("alerts_test.yml")

SEVERITIES = {"critical", "warning"}

COLUMNS = 24
"""Of Grafana's grid."""


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return found


def targets() -> list[dict[str, Any]]:
    """The questions of all panels, and that of the annotations."""
    panels = [target for panel in dashboard()["panels"] for target in panel.get("targets", ())]
    return panels + dashboard()["annotations"]["list"]


def expressions() -> list[str]:
    return [each["expr"] for each in [*rules(), *targets()]]


def promtool(*arguments: str, said: str | None = None) -> None:
    done = subprocess.run(
        [program("promtool"), *arguments],
        input=said, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("expression", expressions())
def test_every_series_that_is_asked_for_exists_and_has_those_labels(expression: str) -> None:
    known = series()
    found = list(asked(expression))
    assert found
    for each in found:
        assert each.name in known, f"no such series: {each.name}"
        assert each.labels <= known[each.name], (
            f"{each.name} has no {each.labels - known[each.name]}"
        )


@pytest.mark.system
def test_a_server_tells_them_and_prometheus_can_read_it(tmp_path: Path) -> None:
    with serving(tmp_path, "--listen", "ws://127.0.0.1:0") as server:
        url = f"http://127.0.0.1:{server.port('ws')}/metrics"
        with urlopen(url, timeout=PATIENCE) as answer:
            told = answer.read().decode()
    names = set(re.findall(r"^# TYPE (\w+) ", told, re.MULTILINE))
    for name, metric in ALONE.items():
        assert any(name + suffix in names for suffix in ("", *SUFFIXES[metric.type])), name
    promtool("check", "metrics", said=told)


def test_every_metric_of_the_server_is_on_the_dashboard() -> None:
    shown = {each.name for target in targets() for each in asked(target["expr"])}
    for name in METRICS:
        assert any(re.fullmatch(rf"{name}(_total|_bucket|_info)?", each) for each in shown), name


@pytest.mark.parametrize("target", targets(), ids=lambda target: target["expr"])
def test_a_legend_names_labels_that_its_series_have(target: dict[str, Any]) -> None:
    named = set(re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")))
    kept = set(re.findall(r"\w+", " ".join(re.findall(r"by \((.*?)\)", target["expr"])))) - {"le"}
    if named and not kept:  # a series as it is
        [each] = asked(target["expr"])
        kept = named & series()[each.name]
    assert named == kept


def test_the_panels_are_told_apart_explained_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    boxes = []
    for panel in panels:
        assert panel["title"]
        assert panel["type"] == "row" or (panel["description"] and panel["targets"])
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= COLUMNS
        boxes.append((at["x"], at["y"], at["x"] + at["w"], at["y"] + at["h"]))
    for (left, top, right, bottom), (x, y, x_end, y_end) in combinations(boxes, 2):
        assert right <= x or x_end <= left or bottom <= y or y_end <= top


def test_the_dashboard_asks_the_data_source_that_the_reader_chose() -> None:
    text = DASHBOARD.read_text(encoding="utf-8")
    assert set(re.findall(r'"uid": "(.*?)"', text)) == {"${datasource}", dashboard()["uid"]}
    variables = {each["name"] for each in dashboard()["templating"]["list"]}
    builtin = {"__rate_interval", "__all"}
    assert set(re.findall(r"\$\{?(\w+)", text)) == variables | builtin


def test_an_alert_says_how_bad_it_is_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names)
    for rule in rules():
        assert rule["labels"]["severity"] in SEVERITIES
        assert {*rule["annotations"]} == {"summary", "description"}
        whose = "job" if "by (job)" in rule["expr"].partition("<")[0] else "instance"
        assert f"{{{{ $labels.{whose} }}}}" in rule["annotations"]["summary"]
        allowed = {label for each in asked(rule["expr"]) for label in each.labels} | SCRAPED
        texts = " ".join(rule["annotations"].values())
        assert set(re.findall(r"\$labels\.(\w+)", texts)) <= allowed


def test_prometheus_finds_no_fault_with_its_configuration_and_the_rules() -> None:
    promtool("check", "config", str(PROMETHEUS))


def test_prometheus_understands_what_the_dashboard_asks(tmp_path: Path) -> None:
    expressions = [each["expr"].replace("$__rate_interval", "1m") for each in targets()]
    recording = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(expressions)
    ]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recording}]}))
    promtool("check", "rules", str(file))


def test_alerts_fire_when_something_is_wrong_and_only_then(tmp_path: Path) -> None:
    cases = CASES.read_text(encoding="utf-8")
    for rule in rules():
        assert cases.count(f"alertname: {rule['alert']}}}") == 1
        assert cases.count(f'alertname="{rule["alert"]}"') == 1
    file = tmp_path / "cases.yml"
    file.write_text(cases.replace("RULES", str(ALERTS)), encoding="utf-8")
    promtool("test", "rules", str(file))


def test_prometheus_asks_the_port_that_a_server_listens_on() -> None:
    [job] = yaml.safe_load(PROMETHEUS.read_text(encoding="utf-8"))["scrape_configs"]
    assert job["job_name"] == "ulci"
    assert job["static_configs"] == [{"targets": ["127.0.0.1:25566"]}]
