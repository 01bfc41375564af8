"""Model servers that are slow, hang, drip or lie: a clear outcome in time, and nothing kept of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from backends.memory.answer_cache import InMemoryAnswerCache
from domain.documents import OriginKind, OriginRef
from domain.scanning import Detector
from runtime.answer_cache import KeptAnswers
from runtime.answering import build_query
from runtime.settings import Settings
from tests.fakes.openai_server import MODEL, Fault, Served, serving
from tests.http_services import Gateway, Headers, open_gateway

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

PRESS: Final = OriginRef(kind=OriginKind.PUBLISHER, id="press")
MAKER: Final = OriginRef(kind=OriginKind.PUBLISHER, id="maker")
ASKED: Final = "When does the quarry road close in winter?"
TIMEOUT: Final = 1.0
IN_TIME: Final = 30.0
"""Seconds, for a few calls in turn on a machine that does other things; a hang would be for ever."""

_TRIES: Final = 10

FAULTS: Final = (
    Fault.SILENT,
    Fault.BROKEN,
    Fault.BUSY,
    Fault.UNAUTHORISED,
    Fault.NOT_JSON,
    Fault.NO_CHOICES,
    Fault.DRIPPING,
    Fault.ENDLESS,
    Fault.CUT_SHORT,
    Fault.TRUNCATED,
    Fault.TOO_FEW,
    Fault.NOT_NUMBERS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Modelled:
    """A gateway that answers by language models, each role at a server of its own."""

    gateway: Gateway
    drafter: Served
    verifier: Served
    asker: Headers

    async def ask(self) -> tuple[httpx.Response, float]:
        """Ask; return the reply, and how many seconds it took."""
        began = time.monotonic()
        reply = await self.gateway.client.post(
            "/v1/questions", json={"question": ASKED}, headers=dict(self.asker)
        )
        return reply, time.monotonic() - began

    async def answered(self) -> dict[str, Any]:
        """Ask until it is answered: a busy machine may take longer than the servers are given."""
        reply, _ = await self.ask()
        for _ in range(_TRIES):
            if reply.status_code == httpx.codes.OK:
                break
            reply, _ = await self.ask()
        body: dict[str, Any] = reply.json()
        return body


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Served, Served]]:
    with serving() as drafter, serving() as verifier:
        yield drafter, verifier


def settings_of(folder: Path, drafter: Served, verifier: Served) -> Settings:
    def section(served: Served) -> dict[str, Any]:
        endpoint = {"url": served.base_url, "model": MODEL, "timeout_seconds": TIMEOUT}
        return {"backend": "openai", "endpoint": endpoint}

    return Settings(
        data_dir=folder,
        drafter=section(drafter),
        verifier=section(verifier),
        answering={"cache_seconds": 60},
        guard={"tau": 0.001},
    )


@pytest.fixture
async def modelled(
    tmp_path: Path,
    servers: tuple[Served, Served],
    detectors: Sequence[Detector],
    anyio_backend: str,
) -> AsyncIterator[Modelled]:
    for each in servers:
        each.fault = None
    settings = settings_of(tmp_path, *servers)
    async with (
        open_gateway(tmp_path, detectors=detectors) as plain,
        httpx.AsyncClient() as http,
    ):
        world = plain.world
        query = await build_query(
            settings,
            embedder=world.embedder,
            vectors=world.vectors,
            clock=world.clock,
            secret=b"0" * 32,
            http=http,
        )
        cache = InMemoryAnswerCache(clock=world.clock)
        kept = KeptAnswers(cache, world.stamps, query=query, settings=settings)
        plain.app.state.services = replace(
            plain.services, settings=settings, query=query, answers=kept
        )
        for origin, hour in ((PRESS, "16:20"), (MAKER, "16:20")):
            await world.establish(origin, reviewed=True)
            writer = await plain.writer(origin)
            await plain.settled(
                writer, f"# By {origin.id}\n\nThe quarry road closes at {hour} in winter.\n"
            )
        yield Modelled(
            gateway=plain, drafter=servers[0], verifier=servers[1], asker=await plain.admin()
        )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_a_drafter_at_fault_is_told_in_time_and_nothing_of_it_is_kept(
    modelled: Modelled, fault: Fault
) -> None:
    modelled.drafter.fault = fault
    reply, took = await modelled.ask()
    modelled.drafter.fault = None
    mended = await modelled.answered()

    assert reply.status_code in {502, 503}, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert took < IN_TIME
    assert "16:20" in mended["answer"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.name.lower())
async def test_a_verifier_at_fault_vouches_for_nothing(modelled: Modelled, fault: Fault) -> None:
    sound = await modelled.answered()
    modelled.gateway.world.clock.advance(61)  # what was kept is forgotten

    modelled.verifier.fault = fault
    reply, took = await modelled.ask()
    modelled.verifier.fault = None
    mended = await modelled.answered()

    assert took < IN_TIME
    assert reply.status_code in {502, 503}, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert mended["confidence"] == pytest.approx(sound["confidence"])
