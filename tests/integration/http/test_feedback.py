"""Who asked proposes, a reviewer's word is a label."""

from __future__ import annotations

from typing import Any

import pytest

from domain.access import Scope
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

QUESTION = {"question": "When does the quarry road close in winter?"}


async def asked(gateway: Gateway, headers: dict[str, str]) -> str:
    reply = await gateway.client.post("/v1/questions", json=QUESTION, headers=headers)
    path: str = f"/v1/questions/{reply.json()['id']}/feedback"
    return path


async def test_an_asker_proposes_and_a_reviewer_labels(gateway: Gateway) -> None:
    asker, reviewer = await gateway.key(Scope.QUESTIONS_ASK), await gateway.reviewer()
    path = await asked(gateway, asker)

    proposal = await gateway.client.post(
        path, json={"verdict": "wrong", "answer": "16:20 <b>"}, headers=asker
    )
    label = await gateway.client.post(path, json={"verdict": "right"}, headers=reviewer)
    listed = await gateway.client.get(path, headers=reviewer)

    assert (proposal.status_code, label.status_code) == (200, 200)
    assert (proposal.json()["label"], label.json()["label"]) == (False, True)
    items = listed.json()["items"]
    assert [(item["verdict"], item["label"]) for item in items] == [
        ("right", True),
        ("wrong", False),
    ]
    assert items[1]["answer"] == "16:20 < b>"


async def test_said_again_it_replaces_what_the_key_said_before(gateway: Gateway) -> None:
    admin = await gateway.admin()
    path = await asked(gateway, admin)

    for verdict in ("wrong", "right"):
        await gateway.client.post(path, json={"verdict": verdict}, headers=admin)

    listed = (await gateway.client.get(path, headers=admin)).json()["items"]
    assert [item["verdict"] for item in listed] == ["right"]


async def test_a_question_is_there_for_who_asked_and_for_reviewers(gateway: Gateway) -> None:
    path = await asked(gateway, await gateway.key(Scope.QUESTIONS_ASK))
    other = await gateway.key(Scope.QUESTIONS_ASK)

    stranger = await gateway.client.post(path, json={"verdict": "right"}, headers=other)
    nobody = await gateway.client.post(
        "/v1/questions/q_none/feedback", json={"verdict": "right"}, headers=await gateway.admin()
    )
    reading = await gateway.client.get(path, headers=other)

    problem(stranger, 404, "not-found")
    problem(nobody, 404, "not-found")
    problem(reading, 403, "forbidden")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"verdict": "maybe"},
        {"verdict": "right", "comment": " "},
        {"verdict": "right", "comment": "a" * 1001},
        {"verdict": "right", "answer": "a\u0000"},
        {"verdict": "right", "label": True},
    ],
)
async def test_what_is_not_valid_is_refused(shared: Gateway, body: dict[str, Any]) -> None:
    headers = await shared.admin()

    reply = await shared.client.post(await asked(shared, headers), json=body, headers=headers)

    problem(reply, 422, "invalid-input")
