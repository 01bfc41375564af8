"""Through the whole path of a document: what a catalogue over HTTP says, and what its silence does."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from backends.memory.citations import InMemoryCitationCache
from backends.memory.clock import ManualClock
from backends.memory.locks import InMemoryRateLimiter
from domain.documents import DocumentStatus, OriginKind, OriginRef
from domain.errors import ConfigurationError
from domain.ledger import DocumentRecord
from domain.trust import CoarseReason
from ingest.citations import RESOLVERS, CitationLookup
from runtime.citations import build_citation_lookup
from runtime.ingest_sections import CitationSettings, IngestSettings
from runtime.scanning import build_detectors
from runtime.settings import Settings
from tests.receivers import Behaviour, answer, receiving
from tests.world import World, build_world

pytestmark = pytest.mark.anyio

PORTAL = OriginRef(kind=OriginKind.UPLOADER, id="portal")
ENTRY = "van der Berg, A. (2019). Wear of centrifugal pumps in mining. Pump Letters."
STOLEN = "Doe, J. (2020). Deep learning for tulip prices in Holland. Finance Weekly."


def text(entry: str) -> str:
    return f"# Pumps\n\nPumps wear out [1].\n\n## References\n\n[1] {entry} doi:10.4321/pumps\n"


def known(*, retracted: bool = False) -> Behaviour:
    message = {
        "DOI": "10.4321/pumps",
        "title": ["Wear of centrifugal pumps in mining"],
        "author": [{"family": "van der Berg", "given": "Ada"}],
        "issued": {"date-parts": [[2019]]},
        "updated-by": [{"type": "retraction"}] if retracted else [],
    }
    return answer(200, body=json.dumps({"message": message}).encode())


def lookup(port: int, *, allow_private_networks: bool = True) -> CitationLookup:
    clock = ManualClock()
    found = build_citation_lookup(
        CitationSettings(
            resolvers=("crossref",),
            urls={"crossref": f"http://127.0.0.1:{port}"},
            allow_private_networks=allow_private_networks,
            timeout_seconds=2.0,
        ),
        cache=InMemoryCitationCache(clock=clock),
        rate_limiter=InMemoryRateLimiter(clock=clock),
        clock=clock,
    )
    assert found is not None
    return found


async def world_with(folder: Path, citations: CitationLookup | None) -> World:
    return await build_world(
        folder,
        detectors=[
            detector
            for detector in build_detectors(as_of=date(2026, 1, 1))
            if detector.name != "injected-instructions"
        ],
        settings=Settings(data_dir=folder, ingest=IngestSettings(policy_path=_policy(folder))),
        citations=citations,
    )


def _policy(folder: Path) -> Path:
    """The shipped policy without the detector whose model takes seconds to load."""
    from defences.trust.policy import DEFAULT_POLICY

    path = folder / "policy.toml"
    path.write_text(DEFAULT_POLICY.read_text().replace('"injected-instructions", ', ""))
    return path


async def uploaded(folder: Path, behaviour: Behaviour, entry: str) -> tuple[World, DocumentRecord]:
    async with receiving(behaviour) as server:
        world = await world_with(folder, lookup(server.port))
        return world, await world.upload(text(entry), origin=PORTAL)


async def rules(world: World, record: DocumentRecord) -> set[str]:
    stored = await world.assessment(record.id)
    return {finding.rule for finding in stored.report.findings}


async def test_a_citation_that_agrees_is_admitted_with_no_more_trust(tmp_path: Path) -> None:
    world, record = await uploaded(tmp_path, known(), ENTRY)
    (tmp_path / "offline").mkdir()
    offline = await world_with(tmp_path / "offline", None)
    alone = await offline.upload(text(ENTRY), origin=PORTAL)

    looked = await world.assessment(record.id)
    unlooked = await offline.assessment(alone.id)

    assert record.status is DocumentStatus.ADMITTED
    assert RESOLVERS in looked.report.completed
    assert RESOLVERS not in unlooked.report.completed
    assert looked.assessment.score == unlooked.assessment.score


async def test_a_stolen_identifier_is_quarantined(tmp_path: Path) -> None:
    world, record = await uploaded(tmp_path, known(), STOLEN)

    assert record.status is DocumentStatus.QUARANTINED
    assert "citations.mismatch" in await rules(world, record)


async def test_a_retracted_source_is_a_finding(tmp_path: Path) -> None:
    world, record = await uploaded(tmp_path, known(retracted=True), ENTRY)

    assert "citations.retracted" in await rules(world, record)


async def test_what_the_catalogue_does_not_know_is_admitted(tmp_path: Path) -> None:
    world, record = await uploaded(tmp_path, answer(404), STOLEN)

    assert record.status is DocumentStatus.ADMITTED
    assert not await rules(world, record)


@pytest.mark.parametrize("behaviour", [answer(500), answer(429), answer(200, body=b"{}")])
async def test_a_catalogue_that_is_down_holds_the_document(
    tmp_path: Path, behaviour: Behaviour
) -> None:
    world, record = await uploaded(tmp_path, behaviour, ENTRY)

    stored = await world.assessment(record.id)
    assert record.status is DocumentStatus.QUARANTINED
    assert stored.assessment.reason is CoarseReason.HOLD
    assert RESOLVERS in stored.report.unavailable


async def test_a_document_without_identifiers_asks_nobody(tmp_path: Path) -> None:
    async with receiving(answer(500)) as server:
        world = await world_with(tmp_path, lookup(server.port))
        link = f"See http://127.0.0.1:{server.port}/secret and doi:10.0123/x."

        record = await world.upload(f"Pumps wear out. {link}", origin=PORTAL)

    assert server.connections == 0
    assert RESOLVERS not in (await world.assessment(record.id)).report.unavailable


def test_by_default_nobody_is_asked() -> None:
    clock = ManualClock()

    assert (
        build_citation_lookup(
            CitationSettings(),
            cache=InMemoryCitationCache(clock=clock),
            rate_limiter=InMemoryRateLimiter(clock=clock),
            clock=clock,
        )
        is None
    )


@pytest.mark.parametrize(
    "wrong",
    [
        CitationSettings(catalogue_path=Path("/nowhere/works.jsonl")),
        CitationSettings(urls={"crossref": "https://mirror.acme.example"}),
        CitationSettings(resolvers=("crossref",), urls={"crossref": "http://mirror.acme.example"}),
        CitationSettings(resolvers=("crossref",), urls={"crossref": "https://10.0.0.1"}),
    ],
    ids=["no such file", "not listed", "no TLS", "private"],
)
def test_settings_that_cannot_work_are_refused_at_the_start(wrong: CitationSettings) -> None:
    clock = ManualClock()

    with pytest.raises(ConfigurationError):
        build_citation_lookup(
            wrong,
            cache=InMemoryCitationCache(clock=clock),
            rate_limiter=InMemoryRateLimiter(clock=clock),
            clock=clock,
        )
