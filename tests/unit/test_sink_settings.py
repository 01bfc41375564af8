"""Sinks and their rows, from settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from backends.alert_cef import CefSender
from backends.alert_sinks import AlertmanagerSender, FileSender, OcsfHttpSender
from domain.errors import ConfigurationError
from runtime.alerts import EVENT_TYPES, build_sinks, sink_rows
from runtime.sections import SinkSettings
from runtime.settings import Settings, load_settings
from tests.ledger_rows import NOW


def settings(*sinks: dict[str, Any]) -> Settings:
    return Settings(sinks=tuple(SinkSettings(**sink) for sink in sinks))


def test_each_kind_is_built(tmp_path: Path) -> None:
    built = build_sinks(
        settings(
            {"name": "am", "kind": "alertmanager", "url": "https://am.example"},
            {"name": "siem", "kind": "ocsf", "url": "https://siem.example/collect"},
            {"name": "lake", "kind": "ocsf", "path": tmp_path / "ocsf.jsonl"},
            {"name": "arc", "kind": "cef", "url": "tls://arc.example:6514"},
            {"name": "log", "kind": "jsonl", "path": tmp_path / "events.jsonl"},
        )
    )

    kinds = {name: type(sink) for name, sink in built.items()}
    assert kinds == {
        "sink_am": AlertmanagerSender,
        "sink_siem": OcsfHttpSender,
        "sink_lake": FileSender,
        "sink_arc": CefSender,
        "sink_log": FileSender,
    }


def test_rows_of_sinks_hold_neither_address_nor_secret() -> None:
    (row,) = sink_rows(
        settings(
            {
                "name": "siem",
                "kind": "ocsf",
                "url": "https://siem.example/hush",
                "authorization": "hush",
            }
        ),
        at=NOW,
    )

    assert "hush" not in repr(row)
    assert row.id == "sink_siem"
    assert row.event_types < set(EVENT_TYPES)


def test_alertmanager_is_told_of_alerts_alone_unless_asked_otherwise() -> None:
    rows = sink_rows(
        settings(
            {"name": "am", "kind": "alertmanager", "url": "https://am.example"},
            {
                "name": "chat",
                "kind": "apprise",
                "url": "json://x",
                "event_types": ["disagreement.firing"],
            },
        ),
        at=NOW,
    )

    assert [sorted(row.event_types) for row in rows] == [
        ["alert.firing", "alert.resolved"],
        ["disagreement.firing"],
    ]


@pytest.mark.parametrize(
    "sink",
    [
        {"name": "a", "kind": "jsonl"},
        {"name": "a", "kind": "jsonl", "path": "x", "url": "https://x"},
        {"name": "a", "kind": "ocsf"},
        {"name": "a", "kind": "ocsf", "path": "x", "url": "https://x"},
        {"name": "a", "kind": "cef", "path": "x"},
        {"name": "A b", "kind": "jsonl", "path": "x"},
        {"name": "a", "kind": "smoke", "path": "x"},
        {"name": "a", "kind": "jsonl", "path": "x", "event_types": ["all"]},
    ],
)
def test_a_sink_without_its_place_or_of_no_kind_is_a_wrong_setting(sink: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SinkSettings(**sink)


@pytest.mark.parametrize(
    "sink",
    [
        {"name": "a", "kind": "alertmanager", "url": "https://127.0.0.1/hush"},
        {"name": "a", "kind": "ocsf", "url": "http://siem.example/hush"},
        {"name": "a", "kind": "cef", "url": "udp://siem.example/hush"},
        {"name": "a", "kind": "cef", "url": "tls://s.example", "ca_path": "/nowhere.pem"},
    ],
)
def test_an_address_that_is_not_allowed_stops_the_start_and_is_not_shown(
    sink: dict[str, Any],
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        build_sinks(settings(sink))

    assert "hush" not in str(caught.value)


def test_two_sinks_of_one_name_are_a_wrong_setting() -> None:
    both = {"name": "a", "kind": "jsonl", "path": "x"}

    with pytest.raises(ConfigurationError, match="one name"):
        sink_rows(settings(both, both), at=NOW)


def test_sinks_are_tables_of_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '[[sinks]]\nname = "log"\nkind = "jsonl"\npath = "/var/log/m.jsonl"\n'
        '[[alerts.inhibitions]]\nsource = {name = "a"}\ntarget = {name = "b"}\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("MITHRIDATE_CONFIG", str(file))

    loaded = load_settings()

    assert [sink.name for sink in loaded.sinks] == ["log"]
    assert loaded.alerts.inhibitions[0].equal == ("topic",)
