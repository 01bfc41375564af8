"""An incident from its dry run to its undoing, over the whole product in memory."""

from __future__ import annotations

import re
from typing import Any

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, OriginKind, OriginRef
from domain.errors import TransientError
from domain.incidents import IncidentId, IncidentStatus
from ingest.containing import ContainmentDesk
from ingest.offences import OffendingCopies
from ingest.pipeline import IngestPipeline
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
QUESTION = "When does the quarry road close in winter?"
PAGE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
OTHER = "# The mill\n\nThe mill opens on Sundays from nine to noon, and its shop sells flour.\n"
LONG = (
    "# The old lighthouse\n\nThe old lighthouse on the northern cape was built of grey granite by "
    "masons from the valley, who carried every stone up the narrow path by hand during two dry "
    "summers, and its lamp was lit for the first time on an evening in late October while the "
    "whole village stood on the shore and the band played until the rain came in from the sea.\n"
)


async def act(
    gateway: Gateway, headers: dict[str, str], path: str = "", *, expect: int = 200, **body: Any
) -> dict[str, Any]:
    reply = await gateway.client.post(f"/v1/incidents{path}", json=body, headers=headers)
    assert reply.status_code == expect, reply.text
    found: dict[str, Any] = reply.json()
    return found


async def opened(gateway: Gateway, headers: dict[str, str], **body: Any) -> dict[str, Any]:
    return await act(gateway, headers, expect=201, reason="planted", **body)


async def asked(gateway: Gateway, headers: dict[str, str]) -> dict[str, Any]:
    reply = await gateway.client.post("/v1/questions", json={"question": QUESTION}, headers=headers)
    body: dict[str, Any] = reply.json()
    return body


async def status(gateway: Gateway, document_id: str) -> DocumentStatus:
    record = await gateway.world.ledger.documents.get(DEFAULT_TENANT, DocumentId(document_id))
    return record.status


async def test_a_dry_run_says_what_would_go_and_what_changes_and_touches_nothing(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    answer = await asked(gateway, admin)

    planned = await opened(gateway, admin, documents=[document])

    assert planned["incident"]["documents"] == [document]
    assert planned["touched"] == 1
    assert planned["answers"] == [{"question_id": answer["id"], "changes": True}]
    assert await status(gateway, document) is DocumentStatus.ADMITTED


async def test_what_is_contained_is_no_evidence_for_the_next_question(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    before = await asked(gateway, admin)
    planned = await opened(gateway, admin, documents=[document])

    after = await act(gateway, admin, f"/{planned['incident']['id']}/contain")

    assert "16:20" in before["answer"]
    assert after["status"] == "contained"
    assert (await asked(gateway, admin))["answer"] is None
    assert not await gateway.world.vectors.holds(DocumentId(document), tenant_id=DEFAULT_TENANT)


async def test_a_contained_text_that_comes_again_is_known(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), LONG)
    planned = await opened(gateway, admin, documents=[document])
    await act(gateway, admin, f"/{planned['incident']['id']}/contain")

    again = await gateway.settled(
        await gateway.writer(OriginRef(kind=OriginKind.UPLOADER, id="other")), LONG + "\nYes.\n"
    )

    assert await status(gateway, again) is not DocumentStatus.ADMITTED


async def test_near_copies_of_strangers_go_too_and_honest_ones_by_name_alone(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    await gateway.world.establish(PRESS)
    honest = await gateway.settled(await gateway.writer(PRESS), LONG)
    first = await gateway.settled(await gateway.writer(), LONG + "\nOf course.\n")
    other = OriginRef(kind=OriginKind.UPLOADER, id="other")
    second = await gateway.settled(await gateway.writer(other), LONG + "\nIndeed.\n")

    planned = (await opened(gateway, admin, documents=[first]))["incident"]
    reply = await gateway.client.post(
        f"/v1/incidents/{planned['id']}/contain", json={"confirm": [second]}, headers=admin
    )
    after = await act(gateway, admin, f"/{planned['id']}/contain")

    assert planned["documents"] == sorted([first, second])
    assert planned["confirmable"] == [honest]
    problem(reply, 422, "invalid-input")
    assert after["documents"] == sorted([first, second])
    assert await status(gateway, honest) is DocumentStatus.ADMITTED


async def test_an_honest_near_copy_goes_where_it_is_named(gateway: Gateway) -> None:
    admin = await gateway.admin()
    await gateway.world.establish(PRESS)
    honest = await gateway.settled(await gateway.writer(PRESS), LONG)
    first = await gateway.settled(await gateway.writer(), LONG + "\nOf course.\n")
    planned = (await opened(gateway, admin, documents=[first]))["incident"]

    await act(gateway, admin, f"/{planned['id']}/contain", confirm=[honest])

    assert await status(gateway, honest) is DocumentStatus.QUARANTINED


ALTERED = LONG.replace("two dry summers", "nine dry summers")
FOLLOWER = OriginRef(kind=OriginKind.PUBLISHER, id="follower")


async def planted_and_followed(gateway: Gateway, *, earlier: bool) -> tuple[str, str, str]:
    """Return an honest page, a planted one that changes it, and an established copy of that."""
    for ref in (PRESS, FOLLOWER):
        await gateway.world.establish(ref)
    honest = await gateway.settled(await gateway.writer(PRESS), LONG)
    stranger, follower = await gateway.writer(), await gateway.writer(FOLLOWER)
    if earlier:
        copy = await gateway.settled(follower, ALTERED + "\nOf course.\n")
        planted = await gateway.settled(stranger, ALTERED)
    else:
        planted = await gateway.settled(stranger, ALTERED)
        copy = await gateway.settled(follower, ALTERED + "\nOf course.\n")
    for one in (honest, planted, copy):
        if await status(gateway, one) is not DocumentStatus.ADMITTED:
            reply = await gateway.client.post(
                f"/v1/documents/{one}/decisions",
                json={"action": "release", "reason": "looked at"},
                headers=await gateway.admin(),
            )
            assert reply.is_success, reply.text
    return honest, planted, copy


async def test_an_established_copy_of_what_a_stranger_changed_goes_without_being_named(
    gateway: Gateway,
) -> None:
    honest, planted, copy = await planted_and_followed(gateway, earlier=False)

    planned = (await opened(gateway, await gateway.admin(), documents=[planted]))["incident"]

    assert planned["documents"] == sorted([planted, copy])
    assert honest not in planned["documents"]


async def test_what_an_established_origin_said_before_a_stranger_stays_unless_it_is_named(
    gateway: Gateway,
) -> None:
    honest, planted, copy = await planted_and_followed(gateway, earlier=True)

    planned = (await opened(gateway, await gateway.admin(), documents=[planted]))["incident"]

    assert planned["documents"] == [planted]
    assert {honest, copy}.isdisjoint(planned["documents"])


async def test_much_of_a_topic_goes_only_with_a_second_name(gateway: Gateway) -> None:
    admin, reviewer = await gateway.admin(), await gateway.reviewer()
    await gateway.world.establish(PRESS)
    await gateway.settled(await gateway.writer(PRESS), PAGE)
    await asked(gateway, admin)
    planned = await opened(gateway, admin, origin="publisher:press")
    path = f"/{planned['incident']['id']}"

    alone = await gateway.client.post(f"/v1/incidents{path}/contain", json={}, headers=admin)
    own = await gateway.client.post(f"/v1/incidents{path}/approve", headers=admin)
    await act(gateway, reviewer, f"{path}/approve")
    after = await act(gateway, admin, f"{path}/contain")

    assert planned["needs_approval"]
    problem(alone, 409, "conflict")
    problem(own, 409, "conflict")
    assert after["status"] == "contained"


async def test_undoing_restores_what_passes_the_policy_of_today(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    planned = (await opened(gateway, admin, documents=[document]))["incident"]
    await act(gateway, admin, f"/{planned['id']}/contain")

    after = await act(gateway, admin, f"/{planned['id']}/undo", reason="a mistake")
    await gateway.settle(document)

    assert after["status"] == "undone"
    assert await status(gateway, document) is DocumentStatus.ADMITTED
    assert "16:20" in (await asked(gateway, admin))["answer"]


async def test_the_report_lists_answers_to_recall_and_who_did_what(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    answer = await asked(gateway, admin)
    planned = (await opened(gateway, admin, documents=[document]))["incident"]
    gateway.world.clock.advance(60.0)
    await act(gateway, admin, f"/{planned['id']}/contain")

    reply = await gateway.client.get(f"/v1/incidents/{planned['id']}/report", headers=admin)

    found = reply.json()
    assert found["recall"] == [answer["id"]]
    assert found["markdown"].index("incident\\.opened") < found["markdown"].index(
        "incident\\.contained"
    )
    assert "quarry" not in reply.text


async def test_what_people_write_does_nothing_in_the_report(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    hostile = "see [this](https://evil.example) <script>alert(1)</script>\n# Heading"
    planned = await act(gateway, admin, expect=201, reason=hostile, documents=[document])

    reply = await gateway.client.get(
        f"/v1/incidents/{planned['incident']['id']}/report", headers=admin
    )

    told = reply.json()["markdown"]
    assert "](http" not in told
    assert not re.search(r"(?<!\\)[<\[]", told)
    assert "\n# Heading" not in told


async def test_a_family_an_origin_and_a_time_range_select(gateway: Gateway) -> None:
    admin = await gateway.admin()
    document = await gateway.settled(await gateway.writer(), PAGE)
    began = gateway.world.clock.now()
    gateway.world.clock.advance(3600.0)
    later = await gateway.settled(await gateway.writer(), OTHER)

    found = [
        (await opened(gateway, admin, **selector))["incident"]["documents"]
        for selector in (
            {"family": document},
            {"origin": "uploader:portal"},
            {"since": gateway.world.clock.now().isoformat()},
            {"until": began.isoformat()},
        )
    ]

    assert found == [[document], sorted([document, later]), [later], [document]]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"documents": []},
        {"documents": ["doc_1"], "origin": "uploader:portal"},
        {"origin": "nobody"},
        {"documents": ["doc_unknown"]},
        {"since": "yesterday"},
    ],
)
async def test_what_selects_nothing_or_too_much_is_refused(
    shared: Gateway, body: dict[str, Any]
) -> None:
    reply = await shared.client.post(
        "/v1/incidents", json={"reason": "planted", **body}, headers=await shared.admin()
    )

    problem(reply, 422, "invalid-input")


async def test_who_submits_sees_no_incident(shared: Gateway) -> None:
    reply = await shared.client.get("/v1/incidents", headers=await shared.writer())

    problem(reply, 403, "forbidden")


class _Dying:
    """An ingest pipeline whose index goes away at the second document."""

    def __init__(self, pipeline: IngestPipeline) -> None:
        self._pipeline = pipeline
        self._left = 1

    async def agree(self, document_id: DocumentId) -> None:
        if self._left == 0:
            raise TransientError("the index went away")
        self._left -= 1
        await self._pipeline.agree(document_id)


async def test_a_containment_that_dies_half_way_is_ended_by_the_next_start(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    writer = await gateway.writer()
    documents = [await gateway.settled(writer, text) for text in (PAGE, OTHER)]
    planned = (await opened(gateway, admin, documents=documents))["incident"]
    services, id_ = gateway.services, IncidentId(planned["id"])
    dying = ContainmentDesk(
        ledger=services.ledger,
        pipeline=_Dying(services.ingest),
        copies=OffendingCopies(
            ledger=services.ledger, blobs=services.blobs, index=services.near_duplicates
        ),
        clock=services.clock,
        ids=services.ids,
    )

    with pytest.raises(TransientError):
        await dying.contain(DEFAULT_TENANT, id_, confirmed=(), actor="key:k")
    half = await services.ledger.incidents.get(DEFAULT_TENANT, id_)
    held = [await status(gateway, one) for one in documents]
    resumed = await services.containment.resume()

    left = await gateway.world.vectors.document_ids(tenant_id=DEFAULT_TENANT)
    after = await services.ledger.incidents.get(DEFAULT_TENANT, id_)
    assert half.status is IncidentStatus.CONTAINING
    assert set(held) == {DocumentStatus.QUARANTINED}
    assert resumed == 1
    assert after.status is IncidentStatus.CONTAINED
    assert left == frozenset()
