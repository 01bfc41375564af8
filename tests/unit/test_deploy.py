"""What is shipped for Prometheus and Grafana parses, and names only metrics that there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import promql_parser
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT
from domain.verification import LatencyClass
from runtime.metrics import Metrics
from tests.ledger_rows import REVIEWER, alert, upload, webhook

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "mithridate.rules.yml"
DASHBOARD = DEPLOY / "grafana" / "mithridate.json"

# https://prometheus.io/docs/prometheus/latest/configuration/{recording,alerting}_rules/
DURATION = {"type": "string", "pattern": r"^(\d+(ms|[smhdwy]))+$"}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
RULE_SCHEMA = {
    "type": "object",
    "required": ["groups"],
    "additionalProperties": False,
    "properties": {
        "groups": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "rules"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string"},
                    "interval": DURATION,
                    "rules": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "oneOf": [
                                {
                                    "type": "object",
                                    "required": ["alert", "expr", "annotations", "labels"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "alert": {"type": "string", "pattern": "^Mithridate"},
                                        "expr": {"type": "string"},
                                        "for": DURATION,
                                        "keep_firing_for": DURATION,
                                        "labels": {**TEXTS, "required": ["severity"]},
                                        "annotations": {**TEXTS, "required": ["summary"]},
                                    },
                                },
                                {
                                    "type": "object",
                                    "required": ["record", "expr"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "record": {
                                            "type": "string",
                                            "pattern": "^[a-z_]+:[a-z_]+:[a-z0-9_]+$",
                                        },
                                        "expr": {"type": "string"},
                                        "labels": TEXTS,
                                    },
                                },
                            ]
                        },
                    },
                },
            },
        }
    },
}
PANEL_SCHEMA = {
    "type": "object",
    "required": ["id", "type", "title", "gridPos", "targets", "datasource", "fieldConfig"],
    "properties": {
        "id": {"type": "integer"},
        "type": {"enum": ["stat", "timeseries"]},
        "gridPos": {
            "type": "object",
            "required": ["x", "y", "w", "h"],
            "properties": {"x": {"minimum": 0, "maximum": 23}, "w": {"minimum": 1, "maximum": 24}},
        },
        "targets": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "required": ["expr", "refId", "datasource"]},
        },
    },
}


def rules() -> list[dict[str, Any]]:
    content = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return [rule for group in content["groups"] for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return content


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (each["expr"] for each in dashboard()["annotations"]["list"])


def as_prometheus_reads(expression: str) -> str:
    return expression.replace("$__rate_interval", "5m")


def served() -> set[str]:
    """Return every name that `/metrics` has, whether or not it has samples yet."""
    metrics = Metrics()
    for latency_class in LatencyClass:
        metrics.deadline_missed(latency_class)
    names: set[str] = set()
    for family in text_string_to_metric_families(metrics.render().decode()):
        suffixes = {
            "counter": ["_total"],
            "histogram": ["_bucket", "_sum", "_count"],
        }.get(family.type, [""])
        names |= {f"{family.name}{suffix}" for suffix in suffixes}
    return names


def named(expression: str) -> set[str]:
    return set(re.findall(r"\bmithridate_\w+", expression))


def test_the_rules_are_of_prometheus_form() -> None:
    jsonschema.validate(yaml.safe_load(RULES.read_text(encoding="utf-8")), RULE_SCHEMA)


@pytest.mark.parametrize("expression", list(expressions()))
def test_every_expression_parses_and_names_metrics_that_there_are(expression: str) -> None:
    promql_parser.parse(as_prometheus_reads(expression))

    recorded = {rule["record"] for rule in rules() if "record" in rule}
    named_records = set(re.findall(r"\bmithridate:[\w:]+", expression))
    assert named(expression) <= served()
    assert named_records <= recorded
    assert named(expression) or named_records


def test_a_metric_that_there_is_not_would_be_found() -> None:
    assert not named("sum(rate(mithridate_no_such_total[5m]))") <= served()


@pytest.mark.anyio
async def test_the_gauges_say_what_the_ledger_says() -> None:
    clock = ManualClock()
    ledger = InMemoryLedger(clock=clock, ids=SequentialIds())
    await ledger.webhooks.add(webhook(event_types=["alert.fired"]), actor=REVIEWER)
    await ledger.webhooks.add(webhook("w2", disabled_at=clock.now()), actor=REVIEWER)
    for name in ("a1", "a2"):
        await ledger.alerts.fire(
            alert(name, fingerprint=name), event_type="alert.fired", payload="{}"
        )
    await ledger.webhooks.emit(
        DEFAULT_TENANT, event_type="alert.fired", payload="{}", at=clock.now()
    )
    await ledger.documents.receive(upload(received_at=clock.now()), claim=None)
    clock.advance(120)
    metrics = Metrics()

    await metrics.alerts.read(ledger, [DEFAULT_TENANT], now=clock.now())

    said = metrics.render().decode()
    assert 'mithridate_alerts_firing{name="disagreement-spike",severity="critical"} 2.0' in said
    assert "mithridate_deliveries_due 1.0" in said
    assert "mithridate_webhooks_disabled 1.0" in said
    assert "mithridate_reviews_open 0.0" in said
    assert "mithridate_document_waiting_seconds 120.0" in said


@pytest.mark.anyio
async def test_where_no_document_waits_the_longest_wait_is_none() -> None:
    clock = ManualClock()
    metrics = Metrics()

    await metrics.alerts.read(
        InMemoryLedger(clock=clock, ids=SequentialIds()), [DEFAULT_TENANT], now=clock.now()
    )

    assert "mithridate_document_waiting_seconds 0.0" in metrics.render().decode()


def test_every_gauge_and_counter_of_alerts_is_on_the_dashboard_or_in_a_rule() -> None:
    everything = " ".join(expressions())

    for name in ("alerts_firing", "deliveries_due", "webhooks_disabled", "reviews_open"):
        assert f"mithridate_{name}" in everything


def test_templates_of_rules_name_labels_that_their_expressions_keep() -> None:
    for rule in rules():
        texts = [*rule.get("labels", {}).values(), *rule.get("annotations", {}).values()]
        for label in re.findall(r"\$labels\.(\w+)", " ".join(texts)):
            assert re.search(rf"by \([^)]*\b{label}\b[^)]*\)", rule["expr"]), rule["alert"]


def test_the_dashboard_is_of_grafanas_form() -> None:
    content = dashboard()
    for panel in content["panels"]:
        jsonschema.validate(panel, PANEL_SCHEMA)

    assert content["schemaVersion"] >= 36
    assert content["uid"] == "mithridate"
    ids = [panel["id"] for panel in content["panels"]]
    assert len(set(ids)) == len(ids)
    cells = [
        (x, y)
        for panel in content["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells), "panels overlap"
    assert max(x for x, _ in cells) < 24
    variables = {each["name"] for each in content["templating"]["list"]}
    assert set(re.findall(r"\$\{(\w+)\}", DASHBOARD.read_text())) <= variables
