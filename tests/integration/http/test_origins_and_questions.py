"""Vouching for origins, and what questions are answered and kept."""

from __future__ import annotations

from typing import Any

import pytest

from domain.access import Scope
from domain.documents import OriginKind, OriginRef
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
PAGE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
QUESTION = {"question": "When does the quarry road close in winter?"}


async def tiers(gateway: Gateway, headers: dict[str, str]) -> set[str]:
    """Ask; return the tiers of what was retrieved."""
    asked = (await gateway.client.post("/v1/questions", json=QUESTION, headers=headers)).json()
    trace = await gateway.client.get(f"/v1/questions/{asked['id']}", headers=headers)
    return {subset["tier"] for subset in trace.json()["subsets"]}


async def act(gateway: Gateway, headers: dict[str, str], action: str, **body: Any) -> Any:
    return await gateway.client.post(
        f"/v1/origins/publisher/press/{action}",
        json={"reason": "our own press office", **body},
        headers=headers,
    )


async def test_establishing_and_revoking_reach_the_index_before_they_are_answered(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    await gateway.settled(await gateway.writer(PRESS), PAGE)

    seen = [await tiers(gateway, admin)]
    for action, extra in (("establish", {}), ("establish", {"reviewed": True}), ("revoke", {})):
        reply = await act(gateway, admin, action, **extra)
        assert reply.status_code == 200, reply.text
        seen.append(await tiers(gateway, admin))

    assert seen == [{"pool"}, {"established"}, {"reviewed"}, {"pool"}]


async def test_vouching_is_journalled_with_who_and_why(gateway: Gateway) -> None:
    admin = await gateway.admin()
    await gateway.client.post(
        "/v1/origins", json={"kind": "publisher", "id": "press"}, headers=admin
    )

    await act(gateway, admin, "establish")
    await act(gateway, admin, "revoke")

    entries = await gateway.journal("publisher:press")
    assert [entry.action for entry in entries] == [
        "origin.revoked",
        "origin.established",
        "origin.added",
    ]
    assert {entry.reason for entry in entries[:2]} == {"our own press office"}
    assert all(entry.actor.startswith("key:") for entry in entries)


async def test_an_origin_is_listed_as_it_stands(gateway: Gateway) -> None:
    admin = await gateway.admin()
    await gateway.writer(PRESS)

    await act(gateway, admin, "establish", reviewed=True)

    listed = (await gateway.client.get("/v1/origins", headers=admin)).json()["items"]
    assert {"kind": "publisher", "id": "press", "established": True, "reviewed": True} in listed
    assert {"kind": "uploader", "id": "local", "established": False, "reviewed": False} in listed


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/origins/publisher/nobody/establish", {"reason": "r"}, 404, "not-found"),
        ("/v1/origins/publisher/nobody/revoke", {"reason": "r"}, 404, "not-found"),
        ("/v1/origins/thief/press/establish", {"reason": "r"}, 422, "invalid-input"),
        ("/v1/origins/publisher/-press/establish", {"reason": "r"}, 422, "invalid-input"),
        ("/v1/origins/publisher/press/establish", {}, 422, "invalid-input"),
        ("/v1/origins/publisher/press/establish", {"reason": " "}, 422, "invalid-input"),
        (
            "/v1/origins/publisher/press/establish",
            {"reason": "r", "reviewed": "yes"},
            422,
            "invalid-input",
        ),
        ("/v1/origins/publisher/press/revoke", {"reason": ""}, 422, "invalid-input"),
        ("/v1/origins", {"kind": "publisher", "id": ""}, 422, "invalid-input"),
        ("/v1/origins", {"kind": "publisher", "id": "a b"}, 422, "invalid-input"),
        ("/v1/origins", {"kind": "publisher", "id": "a\n"}, 422, "invalid-input"),
        ("/v1/origins", {"kind": "pool", "id": "a"}, 422, "invalid-input"),
        (
            "/v1/origins",
            {"kind": "publisher", "id": "p", "established": True},
            422,
            "invalid-input",
        ),
    ],
)
async def test_what_is_not_a_known_origin_with_a_reason_is_refused(
    shared: Gateway, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    reply = await shared.client.post(path, json=body, headers=await shared.admin())

    problem(reply, status, code)


async def test_adding_an_origin_again_takes_nothing_from_it(gateway: Gateway) -> None:
    admin = await gateway.admin()
    new = {"kind": "publisher", "id": "press"}
    await gateway.client.post("/v1/origins", json=new, headers=admin)
    await act(gateway, admin, "establish")

    again = await gateway.client.post("/v1/origins", json=new, headers=admin)

    assert (again.status_code, again.json()["established"]) == (201, True)


async def test_a_question_is_answered_with_an_outcome_and_its_numbers(gateway: Gateway) -> None:
    asker = await gateway.key(Scope.QUESTIONS_ASK)

    reply = await gateway.client.post("/v1/questions", json=QUESTION, headers=asker)

    body = reply.json()
    assert reply.status_code == 200
    assert (body["outcome"], body["reason"]) == ("abstain", "not-in-documents")
    assert (body["answer"], body["sources"]) == (None, [])
    assert body["timings"]["total"] >= 0
    assert {"confidence", "agreement", "entropy", "warnings"} <= set(body)


async def test_a_trace_shows_what_made_the_answer(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document_id = await gateway.settled(await gateway.writer(PRESS), PAGE)
    await act(gateway, admin, "establish", reviewed=True)
    asked = (
        await gateway.client.post("/v1/questions", json={**QUESTION, "m": 3, "k": 2}, headers=admin)
    ).json()

    trace = (await gateway.client.get(f"/v1/questions/{asked['id']}", headers=admin)).json()

    assert {name: trace[name] for name in asked} == asked
    assert (trace["m"], trace["k"], trace["mode"]) == (3, 2, "isolated")
    assert trace["subsets"][0]["seats"] == ["publisher:press"]
    assert trace["subsets"][0]["evidence"][0]["document"] == document_id
    assert [draft["subset"] for draft in trace["drafts"]] == [0]
    assert trace["configuration"]


async def test_a_trace_is_for_who_asked_and_for_reviewers(gateway: Gateway) -> None:
    asker = await gateway.key(Scope.QUESTIONS_ASK)
    asked = (await gateway.client.post("/v1/questions", json=QUESTION, headers=asker)).json()
    path = f"/v1/questions/{asked['id']}"

    own = await gateway.client.get(path, headers=asker)
    reviewed = await gateway.client.get(path, headers=await gateway.reviewer())
    other = await gateway.client.get(path, headers=await gateway.key(Scope.QUESTIONS_ASK))

    assert (own.status_code, reviewed.status_code) == (200, 200)
    problem(other, 404, "not-found")


async def test_questions_are_listed_newest_first_by_outcome(gateway: Gateway) -> None:
    asker, reviewer = await gateway.key(Scope.QUESTIONS_ASK), await gateway.reviewer()
    asked = []
    for number in range(3):
        gateway.world.clock.advance(1)
        body = {"question": f"What is lamp number {number}?"}
        reply = await gateway.client.post("/v1/questions", json=body, headers=asker)
        asked.append(reply.json())

    async def page(**params: str) -> dict[str, Any]:
        reply = await gateway.client.get("/v1/questions", params=params, headers=reviewer)
        found: dict[str, Any] = reply.json()
        return found

    assert (await page(outcome="abstain"))["items"] == asked[::-1]
    assert (await page(outcome="answer"))["items"] == []
    first = await page(limit="2")
    second = await page(limit="2", cursor=first["next_cursor"])
    assert first["items"] + second["items"] == asked[::-1]
    assert second["next_cursor"] is None
