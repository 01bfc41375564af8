"""`policy check`, `publishers` and `origins declare`: what needs no running gateway."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from defences.trust.policy import DEFAULT_POLICY
from defences.trust.signing import read_public_key, verifies
from domain.documents import DEFAULT_TENANT
from gateway.http.attestations import read_attestation
from tests.unit.cli.conftest import Run

POLICY = DEFAULT_POLICY.read_text(encoding="utf-8")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "returns.md"
    path.write_text("# Returns\n\nThirty days.\n", encoding="utf-8")
    return path


def test_a_policy_file_is_checked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(POLICY.replace('"default"', '"mine"'), encoding="utf-8")

    ran = run("policy", "check", "mine.toml", "--json")

    assert ran.code == 0
    assert ran.json["version"].startswith("mine-")
    assert ran.json["composites"] == 1


def test_the_rules_that_serve_are_counted_with_those_that_no_file_lists(
    run: Run, tmp_path: Path
) -> None:
    more = """
[[rules]]
rule = "citations.placeholder"
weight = 0.5

[[rules]]
rule = "personal-data.*"
mode = "off"
"""
    (tmp_path / "mine.toml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "more.toml").write_text(f"{POLICY}\n{more}", encoding="utf-8")

    shipped = run("policy", "check", "mine.toml", "--json").json
    changed = run("policy", "check", "more.toml", "--json").json

    assert (shipped["rules"], shipped["listed"]) == (8, 0)
    assert (changed["rules"], changed["listed"]) == (8, 2)
    assert changed["off"] == ["personal-data.*"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("quarantine = 0.9", "quarantine = 0.1"), "below thresholds.hold"),
        (("[age]", "[ages]"), "age"),
        (("spread = 0.02", "spread = 0.5"), "spread"),
        (("[[hard]]", "[[hard"), "not TOML"),
    ],
)
def test_what_is_wrong_with_a_policy_file_is_named(
    run: Run, tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    (tmp_path / "mine.toml").write_text(POLICY.replace(*change, 1), encoding="utf-8")

    ran = run("policy", "check", "mine.toml")

    assert ran.code == 2
    assert told in ran.err


def test_a_missing_policy_file_is_told_of(run: Run) -> None:
    assert run("policy", "check", "none.toml").code == 2
    assert run("policy", "replay", "none.toml").code == 2


def test_a_publisher_signs_what_its_key_then_verifies(run: Run, document: Path) -> None:
    made = run("publishers", "keygen", "--out", "key.pem", "--json").json

    signed = run(
        "publishers", "sign", str(document), "--private-key", "key.pem", "--publisher", "press",
        "--logical-id", "returns", "--version", "3", "--expires", "2027-01-31", "--out", "a.json",
    )  # fmt: skip

    assert signed.code == 0, signed.err
    attestation = read_attestation(
        (document.parent / "a.json").read_text(encoding="utf-8"),
        sha256=hashlib.sha256(document.read_bytes()).hexdigest(),
    )
    assert verifies(DEFAULT_TENANT, attestation, [read_public_key(made["public_key"])])
    assert attestation.publication.version == 3
    assert f"{attestation.publication.expires_at:%Y-%m-%d %H:%M}" == "2027-02-01 00:00"


def test_a_private_key_is_its_maker_s_alone_and_not_overwritten(run: Run, tmp_path: Path) -> None:
    first = run("publishers", "keygen", "--out", "key.pem")
    kept = (tmp_path / "key.pem").read_text(encoding="ascii")
    second = run("publishers", "keygen", "--out", "key.pem")

    assert (first.code, second.code) == (0, 2)
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600
    assert (tmp_path / "key.pem").read_text(encoding="ascii") == kept
    assert "PRIVATE" not in first.out + first.err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--expires", "soon"),
        ("--logical-id", "a b"),
        ("--publisher", ""),
        ("--private-key", "none.pem"),
        ("--private-key", "returns.md"),
    ],
)
def test_what_cannot_be_signed_is_refused(
    run: Run, document: Path, option: str, value: str
) -> None:
    run("publishers", "keygen", "--out", "key.pem")
    given = {
        "--private-key": "key.pem",
        "--publisher": "press",
        "--logical-id": "returns",
        "--version": "1",
        "--expires": "2027-01-31",
        option: value,
    }

    ran = run(
        "publishers", "sign", str(document), *(word for pair in given.items() for word in pair)
    )

    assert ran.code == 2
    assert not ran.out


def test_a_publisher_is_added_by_key_and_revoked_with_it(run: Run) -> None:
    public = run("publishers", "keygen", "--out", "key.pem", "--json").json["public_key"]

    added = run(
        "publishers", "add", "press", "--public-key", public, "--reason", "contract 17", "--json"
    )
    between = run("origins", "list", "--json").json["items"]
    revoked = run(
        "publishers", "revoke", "press", added.json["key"], "--reason", "stolen", "--json"
    )
    after = run("origins", "list", "--json").json["items"]

    assert added.code == 0, added.err
    assert {"kind": "publisher", "id": "press", "established": True, "reviewed": False} in between
    assert {"kind": "publisher", "id": "press", "established": False, "reviewed": False} in after
    assert revoked.json["revoked_at"] is not None
    assert run("publishers", "list", "--json").json["items"] == [revoked.json]


def test_a_connector_says_who_may_write(run: Run) -> None:
    run("origins", "add", "connector:wiki")

    declared = run("origins", "declare", "connector:wiki", "--open-write", "--json")
    vouched = run("origins", "establish", "connector:wiki", "--reason", "ours")

    assert declared.json["established"] is False
    assert vouched.code == 2
    assert "anybody may write" in vouched.err
    assert run("origins", "declare", "publisher:press", "--open-write").code == 2
