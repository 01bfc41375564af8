"""An answer and an alert, traced to the documents behind them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from backends.memory.clock import START
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
QUESTION = "When does the quarry road close in winter?"
TRUE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
FALSE = "# Roads in winter\n\nIn winter the quarry road closes at 22:45, says a neighbour.\n"


async def asked(gateway: Gateway, headers: dict[str, str]) -> dict[str, Any]:
    reply = await gateway.client.post("/v1/questions", json={"question": QUESTION}, headers=headers)
    body: dict[str, Any] = reply.json()
    return body


async def traced(gateway: Gateway, headers: dict[str, str], **body: str) -> dict[str, Any]:
    reply = await gateway.client.post("/v1/traces", json=body, headers=headers)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def poisoned(gateway: Gateway) -> tuple[str, str]:
    """Return an old established page and a young one of a stranger, both in the index."""
    await gateway.world.establish(PRESS)
    honest = await gateway.settled(await gateway.writer(PRESS), TRUE)
    gateway.world.clock.advance(timedelta(days=200).total_seconds())
    planted = await gateway.settled(await gateway.writer(), FALSE)
    return honest, planted


async def test_an_answer_is_traced_to_the_young_document_that_speaks_for_it(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    planted = await gateway.settled(await gateway.writer(), FALSE)
    answer = await asked(gateway, admin)

    found = await traced(gateway, admin, question_id=answer["id"])

    assert [one["document"] for one in found["suspects"]] == [planted]
    assert found["suspects"][0]["origin"] == {"kind": "uploader", "id": "portal"}
    assert found["questions"][0]["suspects"] == [planted]
    assert found["gone"] == []


async def test_who_speaks_for_the_answer_comes_before_who_does_not(gateway: Gateway) -> None:
    admin = await gateway.admin()
    honest, planted = await poisoned(gateway)
    answer = await asked(gateway, admin)

    found = await traced(gateway, admin, question_id=answer["id"])

    assert "16:20" in answer["answer"]
    assert [one["document"] for one in found["suspects"]] == [honest, planted]
    assert found["questions"][0]["retrieved"] == len({honest, planted})


async def test_an_alert_is_traced_by_its_questions(gateway: Gateway) -> None:
    admin = await gateway.admin()
    planted = await gateway.settled(await gateway.writer(), FALSE)
    answers = [await asked(gateway, admin) for _ in range(2)]
    await gateway.fire(about([one["id"] for one in answers], sources=[f"document {planted}"]))

    found = await traced(gateway, admin, alert_id="alr_1")

    assert {one["question_id"] for one in found["questions"]} == {one["id"] for one in answers}
    assert [one["document"] for one in found["suspects"]] == [planted]
    assert "named by the alert" in found["suspects"][0]["reasons"]


async def test_evidence_that_left_the_index_since_is_told_of(gateway: Gateway) -> None:
    admin = await gateway.admin()
    planted = await gateway.settled(await gateway.writer(), FALSE)
    answer = await asked(gateway, admin)
    await gateway.client.delete(f"/v1/documents/{planted}", headers=admin)

    found = await traced(gateway, admin, question_id=answer["id"])

    assert found["gone"] == [planted]
    assert found["suspects"] == []


async def test_a_trace_leaves_no_question_and_no_kept_answer_but_an_entry(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    await gateway.settled(await gateway.writer(), FALSE)
    answer = await asked(gateway, admin)

    await traced(gateway, admin, question_id=answer["id"])

    listed = (await gateway.client.get("/v1/questions", headers=admin)).json()["items"]
    entries = await gateway.journal(answer["id"])
    assert [one["id"] for one in listed] == [answer["id"]]
    assert [entry.action for entry in entries] == ["question.traced"]


async def test_no_text_of_a_document_stands_in_a_trace(gateway: Gateway) -> None:
    admin = await gateway.admin()
    await poisoned(gateway)
    answer = await asked(gateway, admin)

    found = await traced(gateway, admin, question_id=answer["id"])

    assert "quarry" not in str(found)
    assert "22:45" not in str(found)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "invalid-input"),
        ({"question_id": "q_1", "alert_id": "alr_1"}, 422, "invalid-input"),
        ({"question_id": "q_nobody"}, 404, "not-found"),
        ({"alert_id": "alr_nobody"}, 404, "not-found"),
    ],
)
async def test_what_cannot_be_traced_is_refused(
    shared: Gateway, body: dict[str, str], status: int, code: str
) -> None:
    reply = await shared.client.post("/v1/traces", json=body, headers=await shared.admin())

    problem(reply, status, code)


async def test_an_alert_whose_questions_are_gone_cannot_be_traced(gateway: Gateway) -> None:
    await gateway.fire(about(["q_gone"]))

    reply = await gateway.client.post(
        "/v1/traces", json={"alert_id": "alr_1"}, headers=await gateway.admin()
    )

    problem(reply, 404, "not-found")


async def test_who_submits_or_asks_traces_nothing(shared: Gateway) -> None:
    reply = await shared.client.post(
        "/v1/traces", json={"question_id": "q_1"}, headers=await shared.writer()
    )

    problem(reply, 403, "forbidden")


async def test_traces_are_limited_a_minute(gateway: Gateway) -> None:
    admin = await gateway.admin()

    replies = [
        await gateway.client.post("/v1/traces", json={"question_id": "q_1"}, headers=admin)
        for _ in range(11)
    ]

    assert {one.status_code for one in replies[:10]} == {404}
    problem(replies[10], 429, "rate-limited")


def about(questions: list[str], *, sources: list[str] | None = None) -> Alert:
    return Alert(
        id=AlertId("alr_1"),
        tenant_id=DEFAULT_TENANT,
        name="answer-flip",
        fingerprint="fingerprint-1",
        severity=Severity.CRITICAL,
        status=AlertStatus.FIRING,
        labels={"monitor": "answer-flip", "topic": "top_1"},
        annotations={"questions": ",".join(questions), "sources": ",".join(sources or [])},
        starts_at=START,
    )
