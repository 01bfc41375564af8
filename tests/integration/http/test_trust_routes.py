"""Policy, suppressions, publishers and signed uploads over HTTP."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from defences.trust.policy import DEFAULT_POLICY
from defences.trust.signing import encode_key, public_key_of, sign
from domain.access import Scope
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef, TenantId
from domain.publishing import Publication
from gateway.http.attestations import AttestationModel
from tests.http_services import HOSTILE, Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

PRIVATE = bytes(range(32))
STRANGER = bytes(32)
POLICY = DEFAULT_POLICY.read_text(encoding="utf-8")
TEXT = "# Returns\n\nThe lamp may be sent back within 30 days.\n"
REASON = {"reason": "looked at"}


async def trust_press(gateway: Gateway, key: bytes = PRIVATE) -> str:
    """Configure the publisher `press`; return the key's id."""
    reply = await gateway.client.post(
        "/v1/publishers",
        json={"publisher": "press", "public_key": encode_key(public_key_of(key)), **REASON},
        headers=await gateway.admin(),
    )
    assert reply.status_code == 201, reply.text
    key_id: str = reply.json()["id"]
    return key_id


def attestation(
    gateway: Gateway,
    text: str = TEXT,
    *,
    version: int = 1,
    key: bytes = PRIVATE,
    tenant: str = DEFAULT_TENANT,
    days: float = 30,
    publisher: str = "press",
) -> str:
    ends: datetime = gateway.world.clock.now() + timedelta(days=days)
    said = Publication(
        publisher=publisher,
        logical_id="returns",
        version=version,
        expires_at=ends.replace(microsecond=0),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    return AttestationModel.of(sign(TenantId(tenant), said, key)).model_dump_json()


async def send(
    gateway: Gateway, signed: str | None, text: str = TEXT, *, origin: OriginRef | None = None
) -> Any:
    """Upload with the key of an uploader, else of `origin`."""
    writer = await (gateway.writer() if origin is None else gateway.writer(origin))
    return await gateway.client.post(
        "/v1/documents",
        content=text.encode(),
        params={} if signed is None else {"attestation": signed},
        headers={"Content-Type": "text/markdown", **writer},
    )


async def dry_run(gateway: Gateway, signed: str) -> Any:
    return await gateway.client.post(
        "/v1/scans",
        content=TEXT.encode(),
        params={"attestation": signed},
        headers={"Content-Type": "text/markdown", **await gateway.writer()},
    )


async def shown(gateway: Gateway, document_id: str) -> dict[str, Any]:
    reply = await gateway.client.get(
        f"/v1/documents/{document_id}", headers=await gateway.reviewer()
    )
    body: dict[str, Any] = reply.json()
    return body


async def test_a_signed_document_is_its_publisher_s_whoever_uploads_it(gateway: Gateway) -> None:
    await trust_press(gateway)

    receipt = await send(gateway, attestation(gateway))
    record = await gateway.settle(receipt.json()["id"])

    assert record.origin == OriginRef(kind=OriginKind.PUBLISHER, id="press")
    told = await shown(gateway, record.id)
    assert (told["status"], told["signature"]) == ("admitted", "verified")
    assert (told["logical_id"], told["version"]) == ("returns", 1)
    origin = await gateway.world.ledger.origins.get(DEFAULT_TENANT, record.origin)
    assert (origin.established, origin.reviewed) == (True, False)


async def test_a_form_carries_a_signature_too(gateway: Gateway) -> None:
    await trust_press(gateway)

    reply = await gateway.client.post(
        "/v1/documents",
        data={"attestation": attestation(gateway)},
        files={"file": ("returns.md", TEXT.encode(), "text/markdown")},
        headers=await gateway.writer(),
    )

    assert reply.status_code == 202, reply.text
    assert (await shown(gateway, reply.json()["id"]))["signature"] == "verified"


@pytest.mark.parametrize(
    "forgery",
    [
        {"key": STRANGER},
        {"text": "Other content."},
        {"tenant": "other"},
        {"publisher": "nobody"},
        {"key": STRANGER, "days": -1},
    ],
    ids=str,
)
async def test_a_forged_signature_is_a_hard_finding_and_journalled(
    gateway: Gateway, forgery: dict[str, Any]
) -> None:
    await trust_press(gateway)

    receipt = await send(gateway, attestation(gateway, **forgery))
    record = await gateway.settle(receipt.json()["id"])

    told = await shown(gateway, record.id)
    assert (told["status"], told["reason"]) == ("quarantined", "signature")
    assert told["origin"] == {"kind": "uploader", "id": "portal"}
    received = (await gateway.journal(record.id))[-1]
    assert received.facts["signature"] == "forged"
    explained = await gateway.client.get(
        f"/v1/policy/explanations/{record.id}", headers=await gateway.reviewer()
    )
    assert explained.json()["judgement"]["decisive"] == "hard:publisher-signature.forged"


@pytest.mark.parametrize(
    ("key", "expected"), [(PRIVATE, ("admit", "clean")), (STRANGER, ("quarantine", "signature"))]
)
async def test_a_dry_run_judges_a_signature_as_an_upload_does(
    gateway: Gateway, key: bytes, expected: tuple[str, str]
) -> None:
    await trust_press(gateway)

    told = await dry_run(gateway, attestation(gateway, key=key))

    assert (told.json()["verdict"], told.json()["reason"]) == expected


async def test_a_dry_run_of_a_malformed_signature_is_refused(gateway: Gateway) -> None:
    said = json.loads(attestation(gateway))

    reply = await dry_run(gateway, json.dumps({**said, "signature": "no"}))

    problem(reply, 422, "invalid-input")


async def test_an_expired_signature_is_refused(gateway: Gateway) -> None:
    await trust_press(gateway)

    reply = await send(gateway, attestation(gateway, days=-1))

    assert "expired" in problem(reply, 422, "invalid-input")["detail"]


async def test_a_lower_or_equal_version_with_other_content_is_refused(gateway: Gateway) -> None:
    await trust_press(gateway)
    await send(gateway, attestation(gateway, version=5))
    other = TEXT.replace("30", "90")

    same = await send(gateway, attestation(gateway, version=5))
    equal = await send(gateway, attestation(gateway, other, version=5), other)
    lower = await send(gateway, attestation(gateway, other, version=4), other)
    higher = await send(gateway, attestation(gateway, other, version=6), other)

    assert (same.status_code, same.json()["created"]) == (202, False)
    problem(equal, 409, "conflict")
    problem(lower, 409, "conflict")
    assert higher.json()["created"]


async def test_the_key_of_a_publisher_that_signs_uploads_nothing_unsigned(
    gateway: Gateway,
) -> None:
    press = OriginRef(kind=OriginKind.PUBLISHER, id="press")
    before = await send(gateway, None, "# Before\n\nA lamp.", origin=press)
    await trust_press(gateway)

    unsigned = await send(gateway, None, origin=press)
    signed = await send(gateway, attestation(gateway), origin=press)

    assert before.status_code == signed.status_code == 202
    problem(unsigned, 403, "forbidden")


async def test_with_its_last_key_a_publisher_loses_its_standing(gateway: Gateway) -> None:
    key_id = await trust_press(gateway)
    receipt = await send(gateway, attestation(gateway))
    await gateway.settle(receipt.json()["id"])

    reply = await gateway.client.post(
        f"/v1/publishers/press/keys/{key_id}/revoke", json=REASON, headers=await gateway.admin()
    )
    again = await send(gateway, attestation(gateway, TEXT + "\n", version=2), TEXT + "\n")

    assert reply.json()["revoked_at"] is not None
    press = OriginRef(kind=OriginKind.PUBLISHER, id="press")
    assert not (await gateway.world.ledger.origins.get(DEFAULT_TENANT, press)).established
    assert (await shown(gateway, again.json()["id"]))["signature"] == "forged"


@pytest.mark.parametrize(
    "signed",
    [
        "{}",
        "[]",
        "none",
        '{"publisher": "press", "logical_id": "a", "version": 1, "signature": "AA=="}',
        '{"publisher": "press", "logical_id": "a", "version": 1, "expires_at": '
        '"2030-01-01T00:00:00Z", "signature": "AA=="}',
        '{"publisher": "p p", "logical_id": "a", "version": 1, "expires_at": '
        '"2030-01-01T00:00:00Z", "signature": "AA=="}',
    ],
)
async def test_a_malformed_attestation_is_refused(gateway: Gateway, signed: str) -> None:
    problem(await send(gateway, signed), 422, "invalid-input")


async def test_what_is_no_key_is_refused(gateway: Gateway) -> None:
    reply = await gateway.client.post(
        "/v1/publishers",
        json={"publisher": "press", "public_key": "none", **REASON},
        headers=await gateway.admin(),
    )

    problem(reply, 422, "invalid-input")


@pytest.mark.parametrize("name", ["Press", "pre5s", "press.", "p-ress", "PRE.SS"])
async def test_a_name_that_passes_for_another_publisher_s_gets_no_key(
    gateway: Gateway, name: str
) -> None:
    admin = await gateway.admin()
    keys = [encode_key(public_key_of(bytes([number]) * 32)) for number in range(3)]

    replies = [
        await gateway.client.post(
            "/v1/publishers",
            json={"publisher": publisher, "public_key": key, **REASON},
            headers=admin,
        )
        for publisher, key in zip(("press", name, "press"), keys, strict=True)
    ]

    assert [reply.status_code for reply in replies] == [201, 409, 201]


async def test_a_document_is_explained_to_a_reviewer(gateway: Gateway) -> None:
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)

    reply = await gateway.client.get(
        f"/v1/policy/explanations/{document_id}", headers=await gateway.reviewer()
    )

    told = reply.json()
    assert told["judgement"] == told["in_force"]
    assert told["judgement"]["decisive"]
    assert told["contributions"][0]["version"]
    assert told["groups"][0]["group"] == "injection"
    assert not told["settled_by_person"]


async def test_a_document_without_a_report_is_not_explained(gateway: Gateway) -> None:
    receipt = await gateway.upload(await gateway.writer())

    reply = await gateway.client.get(
        f"/v1/policy/explanations/{receipt['id']}", headers=await gateway.reviewer()
    )

    problem(reply, 404, "not-found")


async def test_a_replay_says_what_would_change_and_changes_nothing(gateway: Gateway) -> None:
    writer, reviewer = await gateway.writer(), await gateway.reviewer()
    hostile = await gateway.settled(writer, HOSTILE)
    clean = await gateway.settled(writer, TEXT)
    rule = '[[rules]]\nrule = "injected-instructions.*"\nmode = "off"\n\n[[hard]]'

    reply = await gateway.client.post(
        "/v1/policy/replays",
        json={"policy": POLICY.replace("[[hard]]", rule, 1)},
        headers=reviewer,
    )

    items = {item["document_id"]: item for item in reply.json()["items"]}
    assert items[hostile]["changes_verdict"]
    assert items[hostile]["after"]["verdict"] == "admit"
    assert not items[clean]["changes_verdict"]
    assert (await shown(gateway, hostile))["status"] != "admitted"


async def test_a_replay_comes_in_pages(gateway: Gateway) -> None:
    writer, reviewer = await gateway.writer(), await gateway.reviewer()
    ids = [await gateway.settled(writer, f"# Page {n}\n\nA lamp, {n}.") for n in range(3)]

    first = await gateway.client.post(
        "/v1/policy/replays", json={"policy": POLICY, "limit": 2}, headers=reviewer
    )
    cursor = first.json()["next_cursor"]
    second = await gateway.client.post(
        "/v1/policy/replays",
        json={"policy": POLICY, "limit": 2, "cursor": cursor},
        headers=reviewer,
    )

    found = [item["document_id"] for page in (first, second) for item in page.json()["items"]]
    assert sorted(found) == sorted(ids)
    assert second.json()["next_cursor"] is None


@pytest.mark.parametrize("policy", ["name = 1", "name = " + "[" * 50_000, "x = " + "1" * 5_000])
async def test_a_file_that_is_no_policy_is_refused(gateway: Gateway, policy: str) -> None:
    reply = await gateway.client.post(
        "/v1/policy/replays", json={"policy": policy}, headers=await gateway.reviewer()
    )

    assert "trust policy" in problem(reply, 422, "invalid-input")["detail"]


async def test_a_suppression_comes_goes_and_stays_on_record(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)
    report = await gateway.client.get(f"/v1/documents/{document_id}/report", headers=reviewer)
    found = next(
        one
        for one in report.json()["assessment"]["findings"]
        if one["rule"].startswith("injected-instructions.") and one["start"] is not None
    )
    body = {
        "document_id": document_id,
        "rule": found["rule"],
        "start": found["start"],
        "end": found["end"],
        **REASON,
    }

    added = await gateway.client.post("/v1/suppressions", json=body, headers=reviewer)
    removed = await gateway.client.post(
        f"/v1/suppressions/{added.json()['id']}/remove", json=REASON, headers=reviewer
    )
    listed = await gateway.client.get("/v1/suppressions", headers=reviewer)

    assert added.status_code == 201, added.text
    assert added.json()["origin"] == {"kind": "uploader", "id": "portal"}
    assert removed.json()["removed_at"] is not None
    assert listed.json()["items"] == [removed.json()]
    entries = await gateway.journal(added.json()["id"])
    assert [entry.action for entry in entries] == ["suppression.removed", "suppression.added"]


@pytest.mark.parametrize(
    "change",
    [
        {"rule": "near-duplicate.denied"},
        {"rule": "hidden-text.html-comment"},
        {"end": 1},
        {"start": 0, "end": 3},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "2199-01-01T00:00:00Z"},
        {"reason": " "},
    ],
    ids=json.dumps,
)
async def test_a_suppression_that_covers_too_much_or_nothing_is_refused(
    gateway: Gateway, change: dict[str, Any]
) -> None:
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)
    body = {
        "document_id": document_id,
        "rule": "injected-instructions.override",
        "start": 9,
        "end": 41,
        **REASON,
    }

    reply = await gateway.client.post(
        "/v1/suppressions", json=body | change, headers=await gateway.reviewer()
    )

    problem(reply, 422, "invalid-input")


async def test_a_source_that_anybody_writes_to_is_pooled(gateway: Gateway) -> None:
    admin = await gateway.admin()
    wiki = {"kind": "connector", "id": "wiki"}
    await gateway.client.post("/v1/origins", json=wiki, headers=admin)
    await gateway.client.post("/v1/origins/connector/wiki/establish", json=REASON, headers=admin)

    declared = await gateway.client.post(
        "/v1/origins/connector/wiki/declare", json={"open_write": True}, headers=admin
    )
    vouched = await gateway.client.post(
        "/v1/origins/connector/wiki/establish", json=REASON, headers=admin
    )

    assert declared.json()["established"] is False
    problem(vouched, 409, "conflict")


async def test_a_submit_only_key_learns_nothing_of_points(gateway: Gateway) -> None:
    writer = await gateway.key(
        Scope.DOCUMENTS_WRITE, origin=OriginRef(kind=OriginKind.UPLOADER, id="portal")
    )
    document_id = await gateway.settled(writer, HOSTILE)

    reply = await gateway.client.get(f"/v1/policy/explanations/{document_id}", headers=writer)

    problem(reply, 403, "forbidden")
