"""What every `WebhookSender` must do, and what the one over HTTP does to real receivers."""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from backends.guarded_post import GuardedPoster
from backends.memory.webhooks import RecordingWebhookSender
from backends.webhook_http import HttpWebhookSender
from domain.documents import DEFAULT_TENANT
from domain.errors import PermanentError, TransientError
from domain.monitoring import Delivery, Webhook, WebhookId, WebhookSender
from tests.receivers import (
    Behaviour,
    answer,
    babble,
    drip,
    flood,
    flood_headers,
    hang,
    hang_up,
    receiving,
)

pytestmark = pytest.mark.anyio

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
NOW = datetime.now(UTC)
"""The real time: verifiers refuse old signatures."""

DELIVERY = Delivery(
    id="dlv_1",
    tenant_id=DEFAULT_TENANT,
    webhook_id=WebhookId("wh_1"),
    event_type="alert.firing",
    payload='{"type":"alert.firing","data":{"id":"alr_1","é":1}}',
    created_at=NOW,
    attempts=0,
    next_attempt_at=NOW,
)


def webhook(url: str, *, secret: str = SECRET) -> Webhook:
    return Webhook(
        id=WebhookId("wh_1"),
        tenant_id=DEFAULT_TENANT,
        url=url,
        secret=secret,
        event_types=frozenset({"alert.firing"}),
        created_at=NOW,
    )


def local_sender(*, timeout_seconds: float = 5.0) -> HttpWebhookSender:
    return HttpWebhookSender(
        GuardedPoster(allow_private_networks=True, timeout_seconds=timeout_seconds)
    )


# Every sender


@pytest.mark.parametrize("kind", ["memory", "http"])
async def test_a_delivery_may_be_sent_again(kind: str) -> None:
    async with receiving(answer(200)) as receiver:
        sender: WebhookSender = RecordingWebhookSender() if kind == "memory" else local_sender()
        target = webhook(f"http://127.0.0.1:{receiver.port}/")

        await sender.send(DELIVERY, target, now=NOW)
        await sender.send(DELIVERY, target, now=NOW)


@pytest.mark.parametrize("kind", ["memory", "http"])
@pytest.mark.parametrize(
    ("status", "error"), [(500, TransientError), (410, PermanentError)], ids=["500", "410"]
)
async def test_failures_say_whether_to_try_again(
    kind: str, status: int, error: type[TransientError | PermanentError]
) -> None:
    async with receiving(answer(status)) as receiver:
        target = webhook(f"http://127.0.0.1:{receiver.port}/")
        sender: WebhookSender = (
            RecordingWebhookSender(failures={target.id: error("as told")})
            if kind == "memory"
            else local_sender()
        )

        with pytest.raises(error):
            await sender.send(DELIVERY, target, now=NOW)


async def test_the_recording_sender_keeps_what_it_sent() -> None:
    sender = RecordingWebhookSender()

    await sender.send(DELIVERY, webhook("https://example.org/"), now=NOW)

    assert [(sent.delivery, sent.at) for sent in sender.sent] == [(DELIVERY, NOW)]


# Over HTTP: what is sent


async def test_the_signature_verifies_and_covers_the_body() -> None:
    now = datetime.now(UTC)  # a receiver takes what is five minutes old at most
    async with receiving(answer(204)) as receiver:
        url = f"http://127.0.0.1:{receiver.port}/hooks/a?token=t"
        await local_sender().send(DELIVERY, webhook(url), now=now)

    (received,) = receiver.received
    Verifier(SECRET).verify(received.body, received.headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(SECRET).verify(received.body.replace(b"alr_1", b"alr_2"), received.headers)
    assert received.target == "/hooks/a?token=t"
    assert received.body == DELIVERY.payload.encode()
    assert received.headers["webhook-id"] == DELIVERY.id
    assert received.headers["webhook-timestamp"] == str(int(now.timestamp()))
    assert received.headers["content-type"] == "application/json"
    assert received.headers["host"] == f"127.0.0.1:{receiver.port}"


async def test_a_time_of_another_zone_is_signed_as_the_moment_it_is() -> None:
    now = datetime.now(UTC)  # a receiver takes what is five minutes old at most
    elsewhere = now.astimezone(tz=datetime.strptime("+0530", "%z").tzinfo)
    async with receiving(answer(200)) as receiver:
        target = webhook(f"http://127.0.0.1:{receiver.port}/")
        await local_sender().send(DELIVERY, target, now=elsewhere)

    Verifier(SECRET).verify(receiver.received[0].body, receiver.received[0].headers)


@pytest.mark.parametrize("secret", ["whsec_", "whsec_a", ""], ids=["empty", "not base64", "none"])
async def test_a_secret_that_cannot_sign_is_a_permanent_error(secret: str) -> None:
    async with receiving(answer(200)) as receiver:
        target = webhook(f"http://127.0.0.1:{receiver.port}/", secret=secret)

        with pytest.raises(PermanentError):
            await local_sender().send(DELIVERY, target, now=NOW)

    assert receiver.connections == 0


# Over HTTP: how receivers fail


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_any_2xx_is_a_delivery(status: int) -> None:
    async with receiving(answer(status)) as receiver:
        await local_sender().send(DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW)

    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    "status", [301, 302, 304, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503]
)
async def test_other_statuses_are_tried_again(status: int) -> None:
    async with receiving(answer(status)) as receiver:
        with pytest.raises(TransientError, match=str(status)):
            await local_sender().send(
                DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW
            )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    async with receiving(answer(200)) as elsewhere:
        location = f"Location: http://127.0.0.1:{elsewhere.port}/\r\n"
        async with receiving(answer(status, headers=location)) as receiver:
            with pytest.raises(TransientError):
                await local_sender().send(
                    DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW
                )

    assert elsewhere.connections == 0


@pytest.mark.parametrize("behaviour", [hang, drip], ids=["silent", "dripping"])
async def test_a_slow_receiver_times_out_as_a_whole(behaviour: Behaviour) -> None:
    async with receiving(behaviour) as receiver:
        with pytest.raises(TransientError, match="longer than"):
            await local_sender(timeout_seconds=0.4).send(
                DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW
            )


async def test_an_oversized_body_is_cut_and_the_delivery_counts() -> None:
    async with receiving(flood) as receiver:
        await local_sender().send(DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW)

    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    "behaviour", [flood_headers, babble, hang_up], ids=["endless head", "no HTTP", "hung up"]
)
async def test_what_is_no_answer_is_tried_again(behaviour: Behaviour) -> None:
    async with receiving(behaviour) as receiver:
        with pytest.raises(TransientError):
            await local_sender().send(
                DELIVERY, webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW
            )


async def test_a_closed_port_is_tried_again() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(TransientError, match="ConnectError"):
            await local_sender().send(DELIVERY, webhook(f"http://127.0.0.1:{port}/"), now=NOW)


async def test_no_error_repeats_url_secret_or_payload() -> None:
    errors = []
    async with receiving(answer(500, body=b"private reply")) as receiver:
        url = f"http://127.0.0.1:{receiver.port}/path-token?key=query-token"
        for sender, target in (
            (local_sender(), webhook(url)),
            (HttpWebhookSender(GuardedPoster()), webhook(url.replace("http:", "https:"))),
            (local_sender(), webhook(url.replace("127.0.0.1", "user:pass-token@127.0.0.1"))),
            (local_sender(), webhook(url, secret="whsec_b")),
        ):
            with pytest.raises((TransientError, PermanentError)) as caught:
                await sender.send(DELIVERY, target, now=NOW)
            errors.append(str(caught.value))

    for text in errors:
        assert not any(
            secret in text for secret in ("token", "whsec", SECRET, "alr_1", "private reply")
        )


# Over HTTP: where it connects to


class Names:
    """A resolver that answers as told and counts."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self._answers.pop(0)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", "2130706433", "127.1"])
async def test_a_private_address_is_refused_by_default(host: str) -> None:
    async with receiving(answer(200)) as receiver:
        with pytest.raises(PermanentError):
            await HttpWebhookSender(GuardedPoster()).send(
                DELIVERY, webhook(f"https://{host}:{receiver.port}/"), now=NOW
            )

    assert receiver.connections == 0


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "10.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["::1"],
        ["169.254.169.254"],
        ["fe80::1%eth0"],
        ["100.64.0.1"],
        ["64:ff9b::7f00:1"],
    ],
    ids=str,
)
async def test_a_name_that_leads_to_a_private_address_is_refused(addresses: list[str]) -> None:
    names = Names(addresses)
    sender = HttpWebhookSender(GuardedPoster(resolve=names))

    with pytest.raises(PermanentError, match="receiver is at"):
        await sender.send(DELIVERY, webhook("https://hooks.example.test/"), now=NOW)

    assert names.asked == [("hooks.example.test", 443)]


async def test_plain_http_is_refused_by_default() -> None:
    names = Names(["93.184.216.34"])

    with pytest.raises(PermanentError, match="https"):
        await HttpWebhookSender(GuardedPoster(resolve=names)).send(
            DELIVERY, webhook("http://hooks.example.test/"), now=NOW
        )

    assert names.asked == []


async def test_a_host_is_resolved_once_and_the_checked_address_connected_to() -> None:
    async with receiving(answer(200)) as receiver:
        # A second look-up would find somewhere else.
        names = Names(["127.0.0.1"], ["192.0.2.1"])
        sender = HttpWebhookSender(GuardedPoster(allow_private_networks=True, resolve=names))
        url = f"http://hooks.example.test:{receiver.port}/a"

        await sender.send(DELIVERY, webhook(url), now=NOW)

    assert names.asked == [("hooks.example.test", receiver.port)]
    assert receiver.received[0].headers["host"] == f"hooks.example.test:{receiver.port}"


async def test_the_next_address_is_tried_where_the_first_does_not_connect() -> None:
    async with receiving(answer(200)) as receiver:
        names = Names(["127.0.0.2", "127.0.0.1"])
        sender = HttpWebhookSender(GuardedPoster(allow_private_networks=True, resolve=names))

        await sender.send(DELIVERY, webhook(f"http://hooks.example.test:{receiver.port}/"), now=NOW)

    assert len(receiver.received) == 1


async def test_a_name_without_an_address_is_tried_again() -> None:
    async def nowhere(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    for resolve in (nowhere, Names([])):
        with pytest.raises(TransientError, match="resolved"):
            await HttpWebhookSender(GuardedPoster(resolve=resolve)).send(
                DELIVERY, webhook("https://hooks.example.test/"), now=NOW
            )


async def test_metadata_addresses_are_refused_even_where_private_networks_are_allowed() -> None:
    with pytest.raises(PermanentError):
        await local_sender().send(
            DELIVERY, webhook("http://169.254.169.254/latest/meta-data"), now=NOW
        )


# Over TLS


def certificate(folder: Path, name: str) -> Path:
    """Write a self-signed certificate for a name, with its key, and return where."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "receiver.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


def server_tls(path: Path, seen: list[str | None]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def note(_: ssl.SSLObject, name: str | None, __: ssl.SSLContext) -> None:
        seen.append(name)

    context.sni_callback = note
    return context


async def test_tls_is_checked_under_the_hosts_own_name(tmp_path: Path) -> None:
    path = certificate(tmp_path, "hooks.example.test")
    asked: list[str | None] = []
    trusting = ssl.create_default_context(cafile=path)
    async with receiving(answer(200), tls=server_tls(path, asked)) as receiver:
        sender = HttpWebhookSender(
            GuardedPoster(allow_private_networks=True, resolve=Names(["127.0.0.1"]), tls=trusting)
        )
        await sender.send(
            DELIVERY, webhook(f"https://hooks.example.test:{receiver.port}/"), now=NOW
        )

    assert asked == ["hooks.example.test"]
    assert receiver.received[0].headers["host"] == f"hooks.example.test:{receiver.port}"


@pytest.mark.parametrize("trusted", [True, False], ids=["another name", "unknown authority"])
async def test_a_certificate_that_does_not_fit_is_not_delivered_to(
    tmp_path: Path, trusted: bool
) -> None:
    path = certificate(tmp_path, "other.example.test" if trusted else "hooks.example.test")
    tls = ssl.create_default_context(cafile=path) if trusted else None
    async with receiving(answer(200), tls=server_tls(path, [])) as receiver:
        sender = HttpWebhookSender(
            GuardedPoster(allow_private_networks=True, resolve=Names(["127.0.0.1"]), tls=tls)
        )

        with pytest.raises(TransientError, match="ConnectError"):
            await sender.send(
                DELIVERY, webhook(f"https://hooks.example.test:{receiver.port}/"), now=NOW
            )

    assert receiver.received == []


def test_a_timeout_must_be_positive() -> None:
    with pytest.raises(ValueError, match="timeout_seconds"):
        HttpWebhookSender(GuardedPoster(timeout_seconds=0))


async def test_environment_proxies_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving(answer(200)) as proxy, receiving(answer(200)) as receiver:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")

        await local_sender().send(
            replace(DELIVERY, id="dlv_2"), webhook(f"http://127.0.0.1:{receiver.port}/"), now=NOW
        )

    assert (proxy.connections, receiver.connections) == (0, 1)
