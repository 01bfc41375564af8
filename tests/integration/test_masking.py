"""Through the whole path of a document: a masked value is in no chunk, no row and no log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from domain.documents import DEFAULT_TENANT, DocumentStatus, OriginKind, OriginRef
from domain.errors import ConfigurationError
from domain.ledger import DocumentRecord
from domain.retrieval import VectorRecord
from domain.trust import CoarseReason, Verdict
from ingest.originals import original_key
from runtime.ingest_sections import IngestSettings, PersonalDataSettings
from runtime.masking import build_masking
from runtime.scanning import build_detectors
from runtime.settings import Settings
from tests.world import World, build_world

pytestmark = pytest.mark.anyio

PORTAL = OriginRef(kind=OriginKind.UPLOADER, id="portal")
IBAN = "DE75 5121 0800 1245 1261 99"
MAIL = "anna.kovacs@gmail.com"
TOKEN = "ghp_" + "k7Qm2ZxN9rT4vB8cL1wY5sH3dJ6fG0pAuEiO"
TEXT = f"""# Refunds of {MAIL}

Refunds are paid within nine days to the account {IBAN}, which was confirmed by letter.

## Access

The job signs in with {TOKEN} and writes to {MAIL} when it is done. Then it stops.
"""
SECRETS = (IBAN, MAIL, TOKEN, TOKEN[4:20], "anna.kovacs")

Action = Literal["flag", "mask", "hold"]


async def world_with(folder: Path, actions: Mapping[str, Action]) -> World:
    personal_data = PersonalDataSettings(actions=dict(actions))
    settings = Settings(data_dir=folder, ingest=IngestSettings(personal_data=personal_data))
    return await build_world(
        folder,
        detectors=build_detectors(as_of=date(2026, 1, 1), ingest=settings.ingest),
        settings=settings,
    )


MASKED: Mapping[str, Action] = {"personal-data.*": "mask", "secrets.*": "mask"}


async def rows(world: World, record: DocumentRecord) -> list[VectorRecord]:
    found = world.stored._having(DEFAULT_TENANT, lambda row: row.chunk.document_id == record.id)
    return sorted((row for _, row in found), key=lambda row: row.chunk.ordinal)


async def test_a_masked_value_is_in_no_row_and_the_original_in_the_blob(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    world = await world_with(tmp_path, MASKED)

    record = await world.upload(
        TEXT, origin=PORTAL, title=f"Mail of {MAIL}", source_uri=f"https://x.example/{MAIL}"
    )

    assert record.status is DocumentStatus.ADMITTED
    kept = await rows(world, record)
    assert kept
    for row in kept:
        written = (row.chunk.text, row.chunk.heading, row.title, row.source_uri)
        assert not [value for value in SECRETS if value in str(written)]
    indexed = " ".join(row.chunk.text for row in kept)
    assert "[masked:iban]" in indexed
    assert "[masked:github-token]" in indexed
    assert "[masked:email-address]" in kept[0].title
    original = await world.blobs.get(DEFAULT_TENANT, original_key(record.sha256))
    assert IBAN in original.decode()
    told = caplog.text + "".join(capsys.readouterr())
    assert not [value for value in SECRETS if value in told]


async def test_a_chunk_with_a_placeholder_maps_to_where_the_value_stands(tmp_path: Path) -> None:
    world = await world_with(tmp_path, MASKED)

    record = await world.upload(TEXT, origin=PORTAL)

    for row in await rows(world, record):
        source = TEXT[row.chunk.span.start : row.chunk.span.end]
        at = row.chunk.text.find("[masked:")
        if at >= 0:
            span = row.chunk.source(at, at + 1)
            assert any(value in TEXT[span.start : span.end] for value in SECRETS)
        words = row.chunk.text.split("[masked:")[0].split()
        assert source.split()[: len(words)] == words


async def test_findings_of_masked_values_stay_and_move_no_verdict(tmp_path: Path) -> None:
    world = await world_with(tmp_path, MASKED)

    record = await world.upload(TEXT, origin=PORTAL)

    stored = await world.assessment(record.id)
    masked = {
        finding.rule: finding.risk
        for finding in stored.report.findings
        if finding.evidence.get("action") == "mask"
    }
    assert {"personal-data.iban", "secrets.github-token"} <= masked.keys()
    assert max(masked.values()) < 0.05
    assert not [value for value in SECRETS if value in str(stored)]


async def test_an_answer_s_evidence_has_the_placeholder(tmp_path: Path) -> None:
    world = await world_with(tmp_path, MASKED)
    await world.establish(PORTAL)
    await world.upload(TEXT, origin=PORTAL)

    result = await world.ask("Within how many days are refunds paid, and to which account?")

    assert not [value for value in SECRETS if value in str(result)]


async def test_without_an_action_a_secret_is_quarantined(tmp_path: Path) -> None:
    world = await world_with(tmp_path, {})

    record = await world.upload(TEXT, origin=PORTAL)

    assert record.status is DocumentStatus.QUARANTINED
    assert (await world.assessment(record.id)).assessment.reason is CoarseReason.PERSONAL_DATA
    assert not await rows(world, record)


async def test_a_held_kind_waits_for_a_person_however_small_its_risk(tmp_path: Path) -> None:
    world = await world_with(tmp_path, {"personal-data.email-address": "hold"})

    record = await world.upload(f"Write to {MAIL} about the lamp.", origin=PORTAL)

    stored = await world.assessment(record.id)
    assert stored.assessment.verdict is Verdict.QUARANTINE
    assert stored.assessment.reason is CoarseReason.PERSONAL_DATA


async def test_a_rule_s_own_action_wins_over_its_detector_s(tmp_path: Path) -> None:
    actions: Mapping[str, Action] = {"personal-data.*": "mask", "personal-data.ip-address": "flag"}
    world = await world_with(tmp_path, actions)

    record = await world.upload(f"The host 8.8.8.8 belongs to {MAIL}.", origin=PORTAL)

    (row,) = await rows(world, record)
    assert "8.8.8.8" in row.chunk.text
    assert MAIL not in row.chunk.text


async def test_every_value_is_masked_and_not_the_reported_ones_only(tmp_path: Path) -> None:
    world = await world_with(tmp_path, MASKED)
    text = "\n".join(f"- zebra{number}@gmail.com takes part." for number in range(60))

    record = await world.upload(text, origin=PORTAL)

    kept = await rows(world, record)
    assert kept
    assert not any("zebra" in row.chunk.text for row in kept)


async def test_ordinary_documents_are_indexed_as_they_are(tmp_path: Path) -> None:
    world = await world_with(tmp_path, MASKED)

    record = await world.upload("The lamp has a warranty of nine months.", origin=PORTAL)

    assert [row.chunk.text for row in await rows(world, record)] == [
        "The lamp has a warranty of nine months."
    ]


@pytest.mark.parametrize("rule", ["personal-data.ibann", "iban", "citations.*", "secrets"])
def test_an_action_for_no_rule_is_refused_at_the_start(rule: str) -> None:
    with pytest.raises(ConfigurationError, match="no rule"):
        build_masking(PersonalDataSettings(actions={rule: "mask"}))
