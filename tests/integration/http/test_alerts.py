"""Alerts, and the receivers that are told of them."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from backends.memory.clock import START
from domain.documents import DEFAULT_TENANT
from domain.errors import ReceiverGoneError, TransientError
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


async def test_an_alert_is_shown_with_who_looks_after_it(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    await gateway.fire(alert(1))

    done = await gateway.client.post("/v1/alerts/alr_1/acknowledge", headers=reviewer)
    shown = await gateway.client.get("/v1/alerts/alr_1", headers=reviewer)

    assert done.status_code == 200
    assert shown.json() == done.json()
    assert shown.json()["acknowledged_by"].startswith("key:")
    told = await gateway.journal("alr_1")
    assert [entry.action for entry in told] == ["alert.acknowledged", "alert.fired"]


async def silence(gateway: Gateway, headers: dict[str, str], **body: Any) -> Any:
    expires_at = gateway.world.clock.now() + timedelta(hours=1)
    whole = {"reason": "known", "expires_at": expires_at.isoformat(), **body}
    return await gateway.client.post("/v1/silences", json=whole, headers=headers)


async def test_what_is_silenced_is_listed_but_not_told_until_the_silence_ends(
    gateway: Gateway,
) -> None:
    reviewer, admin = await gateway.reviewer(), await gateway.admin()
    await register(gateway, admin)
    made = (await silence(gateway, reviewer, matchers={"topic": "top_1"})).json()

    await gateway.fire(alert(1))
    listed = (await gateway.client.get("/v1/alerts", headers=reviewer)).json()["items"]
    during = await gateway.services.deliveries.deliver_due()
    removed = await gateway.client.post(f"/v1/silences/{made['id']}/remove", headers=reviewer)
    await gateway.services.dispatcher.dispatch(DEFAULT_TENANT)
    after = await gateway.services.deliveries.deliver_due()

    assert [one["silenced_by"] for one in listed] == [[made["id"]]]
    assert (during, after) == (0, 1)
    assert removed.json()["removed_at"] is not None
    ended = (await gateway.client.get("/v1/silences", headers=reviewer)).json()["items"]
    assert ended == [removed.json()]


async def test_an_alert_is_silenced_by_its_labels(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    await gateway.fire(alert(1))

    made = await silence(gateway, reviewer, alert_id="alr_1")

    assert made.status_code == 201
    assert made.json()["matchers"] == {**alert(1).labels, "name": "disagreement-spike"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"matchers": {}},
        {"matchers": {"topic": "t"}, "alert_id": "alr_1"},
        {"matchers": {"topic": "t"}, "reason": " "},
        {"matchers": {"topic": "t"}, "expires_at": START.isoformat()},
        {"matchers": {"topic": "t"}, "expires_at": (START + timedelta(days=999)).isoformat()},
        {"matchers": {"topic": "t"}, "expires_at": "2026-01-01T13:00:00"},
        {"matchers": {"to\npic": "t"}},
        {"matchers": {"topic": "t\x00"}},
    ],
)
async def test_a_silence_without_end_reason_or_label_is_refused(
    shared: Gateway, body: dict[str, Any]
) -> None:
    problem(await silence(shared, await shared.reviewer(), **body), 422, "invalid-input")


async def test_a_secret_is_changed_and_the_former_one_signs_for_a_day(gateway: Gateway) -> None:
    admin = await gateway.admin()
    made = await register(gateway, admin)

    reply = await gateway.client.post(
        f"/v1/webhooks/{made['id']}/rotate-secret", json={}, headers=admin
    )
    await gateway.fire(alert(1))
    await gateway.services.deliveries.deliver_due()

    rotated = reply.json()
    (sent,) = gateway.sender.sent
    assert rotated["secret"] != made["secret"]
    assert sent.webhook.secrets_at(sent.at) == (rotated["secret"], made["secret"])
    listed = await gateway.client.get("/v1/webhooks", headers=admin)
    assert "whsec" not in listed.text


async def test_a_test_event_is_sent_at_once_and_says_how_it_went(gateway: Gateway) -> None:
    admin = await gateway.admin()
    made = await register(gateway, admin)

    async def test() -> dict[str, Any]:
        reply = await gateway.client.post(f"/v1/webhooks/{made['id']}/test", headers=admin)
        body: dict[str, Any] = reply.json()
        return body

    good = await test()
    gateway.sender.failures[WebhookId(made["id"])] = TransientError("receiver answered 500")
    bad = await test()

    assert (good["event_type"], good["last_error"]) == ("webhook.test", None)
    assert good["delivered_at"] is not None
    assert (bad["delivered_at"], bad["last_error"]) == (None, "receiver answered 500")
    gateway.world.clock.advance(600)
    assert await gateway.services.deliveries.deliver_due() == 0


async def test_a_receiver_that_answers_410_is_disabled_told_of_and_can_come_back(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    gone = await register(gateway, admin)
    other = await register(gateway, admin, event_types=["webhook.disabled"])
    gateway.sender.failures[WebhookId(gone["id"])] = ReceiverGoneError("410")
    await gateway.fire(alert(1))

    await gateway.services.deliveries.deliver_due()
    gateway.sender.failures.clear()
    await gateway.services.deliveries.deliver_due()

    (told,) = gateway.sender.sent
    event = json.loads(told.delivery.payload)
    hooks = (await gateway.client.get("/v1/webhooks", headers=admin)).json()["items"]
    assert told.webhook.id == other["id"]
    assert (event["type"], event["data"]["id"]) == ("webhook.disabled", gone["id"])
    assert [hook["disabled_at"] is None for hook in hooks] == [False, True]
    path = f"/v1/webhooks/{gone['id']}"
    since = {"since": START.isoformat()}
    problem(
        await gateway.client.post(f"{path}/replays", json=since, headers=admin), 409, "conflict"
    )
    enabled = await gateway.client.post(f"{path}/enable", headers=admin)
    replayed = await gateway.client.post(f"{path}/replays", json=since, headers=admin)
    assert enabled.json()["disabled_at"] is None
    assert replayed.json() == {"count": 1}
    assert await gateway.services.deliveries.deliver_due() == 1
    assert gateway.sender.sent[-1].webhook.id == gone["id"]


async def test_the_audit_log_says_who_did_what(gateway: Gateway) -> None:
    admin = await gateway.admin()
    made = await register(gateway, admin)

    reply = await gateway.client.get("/v1/audit", params={"object_id": made["id"]}, headers=admin)

    (entry,) = reply.json()["items"]
    assert (entry["action"], entry["object_kind"]) == ("webhook.added", "webhook")
    assert entry["actor"].startswith("key:")
    assert URL not in reply.text
