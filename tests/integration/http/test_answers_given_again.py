"""Answers given again over HTTP: to who had them, until any evidence changes, and never observed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.scanning import Detector
from runtime.answering_sections import AnsweringSettings
from runtime.settings import Settings
from tests.http_services import Gateway, Headers, open_gateway

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
PAGE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
ASKED = "When does the quarry road close in winter?"


@pytest.fixture
async def keeping(tmp_path: Path, detectors: Sequence[Detector]) -> AsyncIterator[Gateway]:
    settings = Settings(data_dir=tmp_path, answering=AnsweringSettings(cache_seconds=60))
    async with open_gateway(tmp_path, detectors=detectors, settings=settings) as gateway:
        yield gateway


async def ask(gateway: Gateway, headers: Headers) -> dict[str, Any]:
    reply = await gateway.client.post(
        "/v1/questions", json={"question": ASKED}, headers=dict(headers)
    )
    trace = await gateway.client.get(f"/v1/questions/{reply.json()['id']}", headers=dict(headers))
    body: dict[str, Any] = trace.json()
    return body


async def test_an_answer_is_given_again_to_who_had_it_until_its_document_is_withdrawn(
    keeping: Gateway,
) -> None:
    await keeping.world.establish(PRESS, reviewed=True)
    document = await keeping.settled(await keeping.writer(PRESS), PAGE)
    admin, other = await keeping.admin(), await keeping.admin()

    first, again = await ask(keeping, admin), await ask(keeping, admin)
    stranger = await ask(keeping, other)
    await keeping.client.delete(f"/v1/documents/{document}", headers=admin)
    after = await ask(keeping, admin)

    assert [one["cached"] for one in (first, again, stranger, after)] == [False, True, False, False]
    assert again["answer"] == first["answer"] is not None
    assert again["id"] != first["id"]
    assert again["usage"]["calls"] == 0
    assert (after["outcome"], after["sources"]) == ("abstain", [])
    topics = await keeping.world.ledger.observations.topics(DEFAULT_TENANT)
    seen = [
        observation.question_id
        for topic in topics
        for observation in await keeping.world.ledger.observations.window(
            topic.tenant_id, topic.id, limit=9
        )
    ]
    assert again["id"] not in seen
    assert first["id"] in seen


async def test_an_incident_recalls_answers_given_again_and_none_from_afterwards(
    keeping: Gateway,
) -> None:
    await keeping.world.establish(PRESS, reviewed=True)
    document = await keeping.settled(await keeping.writer(PRESS), PAGE)
    admin, other = await keeping.admin(), await keeping.admin()
    asked = [await ask(keeping, headers) for headers in (admin, admin, other, other)]

    opened = await keeping.client.post(
        "/v1/incidents", json={"documents": [document], "reason": "planted"}, headers=admin
    )
    incident = f"/v1/incidents/{opened.json()['incident']['id']}"
    await keeping.client.post(f"{incident}/approve", json={}, headers=other)
    contained = await keeping.client.post(f"{incident}/contain", json={}, headers=admin)
    after = await ask(keeping, admin)
    told = (await keeping.client.get(f"{incident}/report", headers=admin)).json()

    assert contained.status_code == 200, contained.text
    assert [one["cached"] for one in (*asked, after)] == [False, True, False, True, False]
    assert sorted(told["recall"]) == sorted(one["id"] for one in asked)
    assert all(f"- {one['id']}" in told["markdown"].replace("\\", "") for one in asked)
