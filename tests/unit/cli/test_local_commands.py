"""Commands that work on the data folder itself: configuration, keys, origins, doctor."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from runtime.credentials import read_token
from tests.unit.cli.conftest import Run

SECRETS = {
    "MITHRIDATE_DATABASE__URL": "postgresql://mith:hunter2@db/mith",
    "MITHRIDATE_QUEUE__URL": "redis://:hunter2@broker:6379/0",
    "MITHRIDATE_CLIENT__KEY": "mithridate_hunter2",
    "MITHRIDATE_CLIENT__URL": "https://someone:hunter2@gateway.example",
    "MITHRIDATE_DRAFTER__ENDPOINT__API_KEY": "hunter2",
    "MITHRIDATE_VERIFIER__ENDPOINT__URL": "https://u:hunter2@llm.example/v1",
    "MITHRIDATE_VECTORS__WEAVIATE_API_KEY": "hunter2",
}


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_no_secret_is_shown(run: Run, flags: tuple[str, ...]) -> None:
    ran = run("config", "show", *flags, environment=SECRETS)

    assert ran.code == 0
    assert "hunter2" not in ran.out + ran.err
    assert "gateway.example" in ran.out


def test_each_setting_says_where_it_comes_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mithridate.toml").write_text(
        "[server]\nport = 9000\nhost = '::1'\n[answering]\nm = 3\n", encoding="utf-8"
    )

    shown = run("config", "show", "--json", environment={"MITHRIDATE_SERVER__PORT": "9001"}).json

    assert shown["file"] == "mithridate.toml"
    assert shown["settings"]["server"]["port"] == 9001
    assert shown["sources"]["server.port"] == "environment"
    assert shown["sources"]["server.host"] == "file"
    assert shown["sources"]["answering.m"] == "file"
    assert shown["sources"]["answering.k"] == "default"
    assert shown["sources"]["data_dir"] == "environment"


def test_a_valid_configuration_passes(run: Run) -> None:
    ran = run("config", "check", "--json")

    assert (ran.code, ran.json) == (0, {"ok": True, "problems": []})


@pytest.mark.parametrize(
    "environment",
    [
        {"MITHRIDATE_INGEST__POLICY_PATH": "/not/there.toml"},
        {"MITHRIDATE_QUEUE__URL": "amqp://broker"},
        {"MITHRIDATE_DATABASE__URL": "mysql://db/x"},
        {"MITHRIDATE_DRAFTER__BACKEND": "openai"},
        {"MITHRIDATE_VERIFIER__BACKEND": "local"},
        {"MITHRIDATE_ANSWERING__CALIBRATION_PATH": "/not/there.json"},
    ],
)
def test_files_and_addresses_that_cannot_be_used_are_found(
    run: Run, environment: dict[str, str]
) -> None:
    ran = run("config", "check", "--json", environment=environment)

    assert ran.code == 2
    assert ran.json["ok"] is False
    assert len(ran.json["problems"]) == 1


def test_the_data_folder_is_private_and_has_one_admin_key(run: Run, tmp_path: Path) -> None:
    first = run("keys", "list", "--json").json["items"]
    again = run("keys", "list", "--json").json["items"]

    home = tmp_path / "data"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "admin.key").stat().st_mode) == 0o600
    assert read_token((home / "admin.key").read_text(encoding="utf-8")) is not None
    assert first == again
    assert [(key["name"], key["scopes"]) for key in first] == [("local-admin", ["admin"])]
    assert first[0]["origin"] == {"kind": "uploader", "id": "local"}


def test_no_administrator_is_made_where_hosts_share_a_ledger(run: Run, tmp_path: Path) -> None:
    ran = run("keys", "list", "--json", environment={"MITHRIDATE_LOCAL_ADMIN_KEY": "false"})

    assert ran.json["items"] == []
    assert not (tmp_path / "data" / "admin.key").exists()


def test_a_key_is_shown_once_and_can_be_revoked(run: Run) -> None:
    scopes = ("--scope", "documents:write", "--scope", "questions:ask")
    made = run("keys", "create", "--name", "wiki", *scopes, "--origin", "connector:wiki", "--json")
    key = made.json

    listed = run("keys", "list", "--json")
    revoked = run("keys", "revoke", key["id"], "--json")

    credential = read_token(key["token"])
    assert credential is not None
    assert credential.key_id == key["id"]
    assert key["scopes"] == ["documents:write", "questions:ask"]
    assert key["origin"] == {"kind": "connector", "id": "wiki"}
    assert credential.secret not in listed.out
    assert revoked.json["revoked_at"] is not None


def test_origins_are_added_established_and_revoked(run: Run) -> None:
    added = run("origins", "add", "publisher:docs", "--json")
    known = run("origins", "establish", "publisher:docs", "--reason", "ours", "--json")
    listed = run("origins", "list", "--json")
    gone = run("origins", "revoke", "publisher:docs", "--reason", "sold", "--json")

    assert [ran.code for ran in (added, known, listed, gone)] == [0, 0, 0, 0]
    assert added.json["established"] is False
    assert known.json["established"] is True
    assert {origin["id"] for origin in listed.json["items"]} == {"docs", "local"}
    assert gone.json["established"] is False


def test_establishing_needs_a_reason_and_a_known_origin(run: Run) -> None:
    blank = run("origins", "establish", "uploader:local", "--reason", "  ")
    unknown = run("origins", "establish", "publisher:nobody", "--reason", "ours")

    assert (blank.code, unknown.code) == (2, 2)


def test_an_index_in_the_gateways_memory_is_left_to_the_gateway(run: Run) -> None:
    ran = run(
        "origins",
        "establish",
        "uploader:local",
        "--reason",
        "ours",
        environment={"MITHRIDATE_VECTORS__BACKEND": "memory"},
    )

    assert ran.code == 2
    assert "/v1/origins" in ran.err


def test_doctor_on_a_fresh_machine_finds_nothing_to_mend(run: Run, tmp_path: Path) -> None:
    ran = run("doctor", "--json")

    states = {check["name"]: check["state"] for check in ran.json["checks"]}
    assert ran.code == 0, ran.out
    assert states == {
        "configuration": "ok",
        "data folder": "not there yet",
        "disk space": "ok",
        "broker": "not there yet",
        "blobs": "ok",
        "database": "not there yet",
        "index": "not there yet",
        "embedder": "ok",
        "parser": "ok",
        "detectors": "ok",
        "gateway": "not there yet",
    }
    assert not (tmp_path / "data").exists()


def test_doctor_names_what_is_broken_and_how_to_mend_it(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "data"
    home.mkdir(mode=0o755)
    environment = {
        "MITHRIDATE_QUEUE__URL": "redis://127.0.0.1:9/0",
        "MITHRIDATE_INGEST__POLICY_PATH": "/not/there.toml",
        "MITHRIDATE_CLIENT__URL": "http://127.0.0.1:9",
    }

    ran = run("doctor", "--json", environment=environment)

    failed = {c["name"]: c for c in ran.json["checks"] if c["state"] == "failed"}
    assert ran.code == 1
    assert {"configuration", "data folder", "broker", "database", "detectors", "gateway"} <= set(
        failed
    )
    assert all(check["mend"] for check in failed.values())
    assert failed["data folder"]["mend"] == f"chmod 700 {home}"
