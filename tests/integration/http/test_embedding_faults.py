"""An embedder that fails: no document is lost or blamed, and each is tried again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest
from pydantic import SecretStr

from backends.embedder_openai import OpenAIEmbedder
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus
from domain.errors import TransientError
from domain.scanning import Detector
from domain.trust import CoarseReason
from ingest.pipeline import REFUSED_RULE
from tests.fakes.llm import KEY
from tests.fakes.openai_server import DIMENSIONS, MODEL, Fault, Served, serving
from tests.integration.test_origin_changes import MALLORY, TEXT
from tests.world import World, build_world

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

TIMEOUT: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A world whose embedder is at a server."""

    server: Served
    world: World


@pytest.fixture(params=[DIMENSIONS])
async def remote(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    detectors: Sequence[Detector],
    anyio_backend: str,
) -> AsyncIterator[Remote]:
    with serving() as server:
        async with httpx.AsyncClient() as client:
            embedder = OpenAIEmbedder(
                client=client,
                base_url=server.base_url,
                model=MODEL,
                dimensions=request.param,
                api_key=SecretStr(KEY),
                timeout_seconds=TIMEOUT,
            )
            world = await build_world(tmp_path, detectors=detectors, embedder=embedder)
            yield Remote(server=server, world=world)


async def indexed(world: World) -> frozenset[DocumentId]:
    return await world.vectors.document_ids(tenant_id=DEFAULT_TENANT)


@pytest.mark.parametrize(
    "fault", [Fault.SILENT, Fault.BROKEN, Fault.BUSY, Fault.DRIPPING, Fault.CUT_SHORT]
)
async def test_what_may_pass_puts_the_document_off_and_counts_no_attempt(
    remote: Remote, fault: Fault
) -> None:
    server, world = remote.server, remote.world
    document_id = await world.receive(TEXT.encode(), origin=MALLORY)

    server.fault = fault
    for _ in range(5):
        with pytest.raises(TransientError):
            await world.ingest.ingest(document_id)
    waiting = await world.ledger.documents.find(document_id)
    server.fault = None
    settled = await world.ingest.ingest(document_id)

    assert (waiting.status, waiting.attempts) == (DocumentStatus.RECEIVED, 0)
    assert settled is not None
    assert settled.status is DocumentStatus.ADMITTED
    assert await indexed(world) == {document_id}


@pytest.mark.parametrize(
    "fault",
    [
        Fault.NOT_JSON,
        Fault.UNAUTHORISED,
        Fault.TRUNCATED,
        Fault.TOO_FEW,
        Fault.NOT_NUMBERS,
        Fault.OTHER_LENGTH,
    ],
)
async def test_what_a_retry_does_not_mend_holds_the_document_and_it_is_scanned_again(
    remote: Remote, fault: Fault
) -> None:
    server, world = remote.server, remote.world
    document_id = await world.receive(TEXT.encode(), origin=MALLORY)
    world.clock.advance(1)

    server.fault = fault
    held = await world.ingest.ingest(document_id)
    rules = [one.rule for one in (await world.assessment(document_id)).report.findings]
    nothing = await indexed(world)
    server.fault = None
    world.clock.advance(86_400)
    queued = await world.trust.held.rescan_due()
    settled = await world.ingest.ingest(document_id)

    assert held is not None
    assert (held.status, held.reason) == (DocumentStatus.QUARANTINED, CoarseReason.HOLD)
    assert REFUSED_RULE in rules
    assert not nothing
    assert queued == 1
    assert settled is not None
    assert settled.status is DocumentStatus.ADMITTED
    assert await indexed(world) == {document_id}


@pytest.mark.parametrize("remote", [DIMENSIONS + 1], indirect=True)
async def test_vectors_of_another_length_than_configured_reach_no_index(remote: Remote) -> None:
    world = remote.world
    document_id = await world.receive(TEXT.encode(), origin=MALLORY)

    held = await world.ingest.ingest(document_id)

    stored = await world.assessment(document_id)
    assert held is not None
    assert (held.status, held.reason) == (DocumentStatus.QUARANTINED, CoarseReason.HOLD)
    assert any(f"{DIMENSIONS + 1} are configured" in one.message for one in stored.report.findings)
    assert not await indexed(world)
