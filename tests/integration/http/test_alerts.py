"""Alerts, and the receivers that are told of them."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest

from backends.memory.clock import START
from domain.documents import DEFAULT_TENANT
from domain.errors import TransientError
from domain.monitoring import Alert, AlertId, AlertStatus, Severity, WebhookId
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

URL = "https://hooks.example.com/services/T0/token"
NEW = {"url": URL, "event_types": ["alert.firing", "alert.resolved"]}


def alert(number: int) -> Alert:
    return Alert(
        id=AlertId(f"alr_{number}"),
        tenant_id=DEFAULT_TENANT,
        name="disagreement-spike",
        fingerprint=f"fingerprint-{number}",
        severity=Severity.CRITICAL,
        status=AlertStatus.FIRING,
        labels={"monitor": "disagreement", "topic": f"top_{number}"},
        annotations={"disagreement": "0.8"},
        starts_at=START + timedelta(seconds=number),
    )


async def register(gateway: Gateway, headers: dict[str, str], **extra: Any) -> dict[str, Any]:
    reply = await gateway.client.post("/v1/webhooks", json={**NEW, **extra}, headers=headers)
    assert reply.status_code == 201, reply.text
    body: dict[str, Any] = reply.json()
    return body


async def test_alerts_are_listed_newest_first_by_status_and_page(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    for number in range(3):
        await gateway.fire(alert(number))
    await gateway.world.ledger.alerts.resolve(
        DEFAULT_TENANT,
        "fingerprint-1",
        at=START + timedelta(minutes=1),
        event_type="alert.resolved",
        payload="{}",
    )

    async def page(**params: str) -> dict[str, Any]:
        reply = await gateway.client.get("/v1/alerts", params=params, headers=reviewer)
        body: dict[str, Any] = reply.json()
        return body

    first = await page(limit="2")
    second = await page(limit="2", cursor=first["next_cursor"])
    assert [each["id"] for each in first["items"] + second["items"]] == ["alr_2", "alr_1", "alr_0"]
    assert [each["id"] for each in (await page(status="firing"))["items"]] == ["alr_2", "alr_0"]
    resolved = (await page(status="resolved"))["items"]
    assert [(each["id"], each["status"]) for each in resolved] == [("alr_1", "resolved")]
    assert resolved[0]["ends_at"] is not None
    assert resolved[0]["labels"] == {"monitor": "disagreement", "topic": "top_1"}


async def test_a_secret_is_made_and_shown_once(gateway: Gateway) -> None:
    admin = await gateway.admin()

    made = await register(gateway, admin)
    listed = await gateway.client.get("/v1/webhooks", headers=admin)
    deliveries = await gateway.client.get(f"/v1/webhooks/{made['id']}/deliveries", headers=admin)

    secret = made["secret"]
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert [item["id"] for item in listed.json()["items"]] == [made["id"]]
    assert "secret" not in listed.json()["items"][0]
    for later in (listed, deliveries):
        assert secret not in later.text
    assert secret != (await register(gateway, admin))["secret"]


@pytest.mark.parametrize("size", [24, 25, 26, 32, 63, 64])
async def test_a_given_secret_is_taken_as_it_is(shared: Gateway, size: int) -> None:
    given = "whsec_" + base64.b64encode(bytes(range(size))).decode()

    made = await register(shared, await shared.admin(), secret=given)

    assert made["secret"] == given
    kept = await shared.world.ledger.webhooks.get(WebhookId(made["id"]))
    assert kept is not None
    assert kept.secret == given


SECRETS = [
    "",
    "whsec_",
    "whsec_" + base64.b64encode(bytes(23)).decode(),
    "whsec_" + base64.b64encode(bytes(65)).decode(),
    "whsec_" + base64.b64encode(bytes(32)).decode().rstrip("="),
    "whsec_" + "-_" * 16,
    base64.b64encode(bytes(32)).decode(),
]
ADDRESSES = [
    "http://hooks.example.com/a",
    "https://localhost/a",
    "https://127.0.0.1/a",
    "https://2130706433/a",
    "https://[::1]/a",
    "https://10.0.0.8/a",
    "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:127.0.0.1]/a",
    "https://user:word@hooks.example.com/a",
    "https://hooks.example.com:0/a",
    "ftp://hooks.example.com/a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://",
    "https://a b/",
    "https://hooks.example.com/\n",
    "https://" + "a" * 2000,
    "",
]


@pytest.mark.parametrize("secret", SECRETS)
async def test_a_secret_of_another_form_or_size_is_refused(shared: Gateway, secret: str) -> None:
    reply = await shared.client.post(
        "/v1/webhooks", json={**NEW, "secret": secret}, headers=await shared.admin()
    )

    problem(reply, 422, "invalid-input")
    assert secret == "" or secret not in reply.text


@pytest.mark.parametrize("url", ADDRESSES)
async def test_an_address_that_is_private_or_none_is_refused(shared: Gateway, url: str) -> None:
    before = await shared.world.ledger.webhooks.list(DEFAULT_TENANT)

    reply = await shared.client.post(
        "/v1/webhooks", json={**NEW, "url": url}, headers=await shared.admin()
    )

    problem(reply, 422, "invalid-input")
    assert await shared.world.ledger.webhooks.list(DEFAULT_TENANT) == before


@pytest.mark.parametrize(
    "event_types",
    [[], ["document.admitted"], ["*"], "alert.firing", ["alert.firing"] * 17, [None], None],
)
async def test_unknown_event_types_are_refused(shared: Gateway, event_types: Any) -> None:
    reply = await shared.client.post(
        "/v1/webhooks", json={"url": URL, "event_types": event_types}, headers=await shared.admin()
    )

    problem(reply, 422, "invalid-input")


async def test_deliveries_are_listed_with_how_they_went(gateway: Gateway) -> None:
    admin = await gateway.admin()
    good, bad = await register(gateway, admin), await register(gateway, admin)
    gateway.sender.failures[WebhookId(bad["id"])] = TransientError("the receiver answered 500")
    await gateway.fire(alert(1))

    async def only(webhook: dict[str, Any]) -> dict[str, Any]:
        reply = await gateway.client.get(f"/v1/webhooks/{webhook['id']}/deliveries", headers=admin)
        (delivery,) = reply.json()["items"]
        found: dict[str, Any] = delivery
        return found

    pending = await only(good)
    await gateway.services.deliveries.deliver_due()

    assert (pending["event_type"], pending["attempts"]) == ("alert.firing", 0)
    assert pending["next_attempt_at"] is not None
    delivered, failed = await only(good), await only(bad)
    assert (delivered["attempts"], delivered["last_error"]) == (1, None)
    assert delivered["delivered_at"] is not None
    assert delivered["next_attempt_at"] is None
    assert (failed["attempts"], failed["delivered_at"]) == (1, None)
    assert failed["last_error"] == "the receiver answered 500"


async def test_a_removed_receiver_is_gone_with_what_waits_for_it(gateway: Gateway) -> None:
    admin = await gateway.admin()
    made = await register(gateway, admin)
    await gateway.fire(alert(1))

    reply = await gateway.client.delete(f"/v1/webhooks/{made['id']}", headers=admin)

    assert reply.status_code == 204
    assert await gateway.services.deliveries.deliver_due() == 0
    assert (await gateway.client.get("/v1/webhooks", headers=admin)).json()["items"] == []
    path = f"/v1/webhooks/{made['id']}/deliveries"
    problem(await gateway.client.get(path, headers=admin), 404, "not-found")
