"""What every sink does with events, hostile ones too, against real servers that fail in every way."""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema

from backends.alert_cef import CefSender, cef, syslog, tls_url
from backends.alert_events import read_event
from backends.alert_ocsf import OCSF_VERSION, finding
from backends.alert_sinks import (
    AlertmanagerSender,
    AppriseSender,
    FileSender,
    OcsfHttpSender,
    Sink,
    SinkSender,
    alertmanager_alert,
    body_of,
    open_notifier,
    title_of,
)
from backends.guarded_post import GuardedPoster
from backends.memory.webhooks import RecordingWebhookSender
from domain.documents import DEFAULT_TENANT
from domain.errors import ConfigurationError, PermanentError, TransientError
from domain.monitoring import Delivery, WebhookId
from monitors.events import event
from tests.contract.test_webhook_sender import certificate, server_tls
from tests.ledger_rows import webhook
from tests.receivers import Behaviour, answer, babble, drip, hang, hang_up, receiving

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)
HOSTILE = (
    "top_1\r\nCEF:0|fake|fake|1|x|x|10| act=allowed <img src=x onerror=alert(1)> "
    "[click](https://evil.example) <!channel> @here *b* `c` =cmd|'/c calc'!A1 \u202eevil\x00"
)


SUSPECTS: Final[list[dict[str, object]]] = [
    {
        "document": f"doc_{number}",
        "origin": "uploader:x",
        "family": "fam_1",
        "score": 0.85,
        "reasons": ["young", "unestablished"],
    }
    for number in range(10)
]


def alert_payload(kind: str = "alert.firing", **extra: object) -> str:
    resolved = kind.endswith("resolved")
    facts = {
        "id": "alr_1",
        "name": "disagreement-spike",
        "severity": "critical",
        "status": "resolved" if resolved else "firing",
        "fingerprint": "ab" * 16,
        "labels": {"monitor": "disagreement-spike", "topic": "top_1"},
        "starts_at": NOW.isoformat(),
        "ends_at": (NOW + timedelta(hours=1)).isoformat() if resolved else None,
        "disagreement": 0.61,
        "questions": ["q_1", "q_2"],
        **extra,
    }
    return event(kind, NOW, facts)


EVENTS: Mapping[str, tuple[str, str]] = {
    "firing": ("alert.firing", alert_payload()),
    "resolved": ("alert.resolved", alert_payload("alert.resolved")),
    "linked": ("alert.firing", alert_payload(url="https://gateway.acme.example/v1/alerts/alr_1")),
    "grouped": ("alert.firing", alert_payload(count=2, alerts=[{"id": "a"}, {"id": "b"}])),
    "suspects": ("alert.firing", alert_payload(suspects=SUSPECTS)),
    "hostile": (
        "alert.firing",
        alert_payload(
            name=HOSTILE,
            id=HOSTILE,
            labels={"topic": HOSTILE, HOSTILE: "x"},
            note=HOSTILE,
            suspects=[{**SUSPECTS[0], "origin": HOSTILE}],
        ),
    ),
    "document": (
        "document.quarantined",
        event(
            "document.quarantined",
            NOW,
            {"id": "doc_1", "status": "quarantined", "origin": "uploader:a", "trust": 0.12},
        ),
    ),
    "webhook": ("webhook.disabled", event("webhook.disabled", NOW, {"id": "wh_1"})),
    "bare": ("webhook.test", "{}"),
}


def delivery(name: str = "firing") -> Delivery:
    kind, payload = EVENTS[name]
    return Delivery(
        id="dlv_1",
        tenant_id=DEFAULT_TENANT,
        webhook_id=WebhookId("sink_soc"),
        event_type=kind,
        payload=payload,
        created_at=NOW,
        attempts=0,
        next_attempt_at=NOW,
    )


def poster(timeout_seconds: float = 5.0) -> GuardedPoster:
    return GuardedPoster(allow_private_networks=True, timeout_seconds=timeout_seconds)


# Formats


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    whole = OcsfJsonSchemaEmbedded(get_ocsf_schema(OCSF_VERSION))
    found: dict[str, Any] = whole.get_class_schema("detection_finding", [])
    return found


@pytest.mark.parametrize("name", list(EVENTS))
def test_every_event_is_a_detection_finding_by_the_published_schema(
    schema: dict[str, Any], name: str
) -> None:
    made = finding(read_event(delivery(name)), uid="dlv_1")

    jsonschema.Draft202012Validator(schema).validate(made)
    assert made["type_uid"] == (200403 if name == "resolved" else 200401)
    assert made["time"] == int(NOW.timestamp() * 1000)


def test_the_schema_refuses_what_is_no_finding(schema: dict[str, Any]) -> None:
    made = {**finding(read_event(delivery()), uid="dlv_1")}
    del made["finding_info"]

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(made)


def parse_cef(text: str) -> tuple[list[str], dict[str, str]]:
    """Read CEF as a receiver does: seven headers, then key=value with escapes."""
    *headers, extension = re.split(r"(?<!\\)(?:\\\\)*\|", text, maxsplit=7)
    found = re.split(r"(?:^| )(\w+)(?<!\\)=", extension)
    pairs = dict(zip(found[1::2], found[2::2], strict=True))
    return headers, pairs


@pytest.mark.parametrize("name", list(EVENTS))
def test_cef_is_one_line_whose_fields_are_ours_alone(name: str) -> None:
    text = cef(read_event(delivery(name)))

    headers, pairs = parse_cef(text)
    assert len(headers) == 7
    assert headers[:3] == ["CEF:0", "Mithridate", "Mithridate"]
    assert headers[6] in ("3", "6", "9")
    assert "act" not in pairs
    assert pairs["rt"] == str(int(NOW.timestamp() * 1000))
    assert not re.search(r"[\x00-\x1f\x7f\u202e]", text)


def test_every_sink_tells_whom_an_alert_suspects() -> None:
    told = read_event(delivery("suspects"))
    shown = "doc_0 0.85 uploader:x young unestablished"

    assert told.facts["suspects"].startswith(f"{shown}; doc_1 0.85")
    assert shown.replace(".", "[.]") in body_of(told)
    assert shown in json.dumps(finding(told, uid="dlv_1"))
    assert shown in json.dumps(alertmanager_alert(told))
    pairs = parse_cef(cef(told))[1]
    labels = {pairs[name]: pairs[name.removesuffix("Label")] for name in pairs if "Label" in name}
    assert labels["suspects"].startswith(shown)
    assert labels["topic"] == "top_1"


def test_cef_escapes_what_would_part_its_fields() -> None:
    named = replace(read_event(delivery()), name="a|b\\c", labels={"k": "x=y\\z\nw|v"}, facts={})

    text = cef(named)

    assert "|a\\|b\\\\c|" in text
    assert "cs1=x\\=y\\\\z w|v" in text


def test_a_syslog_frame_says_its_length_and_is_cut_at_a_character() -> None:
    long = replace(read_event(delivery()), facts={"a": "é" * 299}, labels={"b": "é" * 9_999})
    huge = replace(long, name="é" * 290, type="x" * 290, id="é" * 290)

    for one in (long, huge):
        frame = syslog(one, host="gate way\n", uid="dlv_1")
        length, _, message = frame.partition(b" ")
        assert int(length) == len(message) <= 8_192
        head = message.decode().split(" ", 7)
        assert head[0] == "<106>1"
        assert head[2:7] == ["gateway", "mithridate", "-", "dlv_1", "-"]


def test_alertmanager_gets_labels_that_it_takes_and_an_end() -> None:
    firing = alertmanager_alert(read_event(delivery("hostile")))
    resolved = alertmanager_alert(read_event(delivery("resolved")))

    labels = firing["labels"]
    assert isinstance(labels, dict)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in labels)
    assert not any(re.search(r"[\x00-\x1f]", value) for value in labels.values())
    assert resolved["labels"] == {
        "alertname": "disagreement-spike",
        "severity": "critical",
        "monitor": "disagreement-spike",
        "topic": "top_1",
    }
    assert resolved["endsAt"] == (NOW + timedelta(hours=1)).isoformat()
    assert firing["endsAt"] == (NOW + timedelta(days=7)).isoformat()


def test_no_chat_or_mail_program_finds_markup_a_link_or_a_mention_in_a_message() -> None:
    hostile = read_event(delivery("hostile"))

    for text in (title_of(hostile), *body_of(hostile).split("\n")):
        assert not re.search(r"[<>&*`~|#\\\x00-\x1f\u202e]|\b_|_\b", text)
        assert "https://" not in text
        assert not re.search(r"\w\.\w", text)
        assert not re.search(r"@\w", text)


def test_a_message_ends_with_the_operators_own_link() -> None:
    text = body_of(read_event(delivery("linked")))

    assert text.split("\n")[-1] == "https://gateway.acme.example/v1/alerts/alr_1"


# Over HTTP


def http_sink(kind: str, url: str, *, timeout_seconds: float = 5.0) -> Sink:
    made = AlertmanagerSender if kind == "alertmanager" else OcsfHttpSender
    return made(url, poster(timeout_seconds), authorization="Splunk t0ken")


@pytest.mark.parametrize("kind", ["alertmanager", "ocsf"])
async def test_http_sinks_post_json_with_their_authorization(kind: str) -> None:
    async with receiving(answer(200)) as receiver:
        await http_sink(kind, f"http://127.0.0.1:{receiver.port}").send(delivery())

    (received,) = receiver.received
    content = json.loads(received.body)
    assert received.target == ("/api/v2/alerts" if kind == "alertmanager" else "/")
    assert received.headers["authorization"] == "Splunk t0ken"
    assert isinstance(content, list) is (kind == "alertmanager")


@pytest.mark.parametrize("kind", ["alertmanager", "ocsf"])
@pytest.mark.parametrize(
    "behaviour",
    [answer(302), answer(401), answer(500), hang, hang_up, babble, drip],
    ids=["302", "401", "500", "hang", "hang_up", "babble", "drip"],
)
async def test_http_sinks_are_tried_again_when_they_fail(kind: str, behaviour: Behaviour) -> None:
    async with receiving(behaviour) as receiver:
        sink = http_sink(kind, f"http://127.0.0.1:{receiver.port}", timeout_seconds=0.5)

        with pytest.raises(TransientError):
            await sink.send(delivery())


@pytest.mark.parametrize("kind", ["alertmanager", "ocsf", "cef"])
async def test_sinks_at_private_addresses_are_refused_unless_allowed(kind: str) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["10.0.0.7"]

    guarded = GuardedPoster(resolve=resolve)
    sinks: Mapping[str, Sink] = {
        "alertmanager": AlertmanagerSender("https://am.example", guarded, authorization=None),
        "ocsf": OcsfHttpSender("https://siem.example", guarded, authorization=None),
        "cef": CefSender("tls://siem.example:6514", host="h", resolve=resolve),
    }

    with pytest.raises(PermanentError, match="private"):
        await sinks[kind].send(delivery())


# Syslog


@dataclass(slots=True)
class Syslog:
    port: int = 0
    frames: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def syslog_server(
    tls: ssl.SSLContext, *, cut: bool = False, deaf: bool = False
) -> AsyncIterator[Syslog]:
    kept = Syslog()
    done = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if cut:
            writer.transport.abort()
            return
        try:
            while length := await reader.readuntil(b" "):
                kept.frames.append(await reader.readexactly(int(length)))
        except asyncio.IncompleteReadError:
            pass
        finally:
            done.set()
            writer.close()

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await done.wait()
        writer.transport.abort()

    server = await asyncio.start_server(
        never if deaf else handle, "127.0.0.1", 0, ssl=None if deaf else tls
    )
    kept.port = server.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        if not cut and not deaf:
            async with asyncio.timeout(5):
                await done.wait()
        done.set()
        server.close()
        await server.wait_closed()


async def loopback(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


def cef_sink(port: int, tls: ssl.SSLContext | None, *, timeout_seconds: float = 5.0) -> CefSender:
    return CefSender(
        f"tls://siem.example.test:{port}",
        host="gateway",
        allow_private_networks=True,
        timeout_seconds=timeout_seconds,
        resolve=loopback,
        tls=tls,
    )


async def test_cef_arrives_whole_over_tls_under_the_hosts_own_name(tmp_path: Path) -> None:
    path = certificate(tmp_path, "siem.example.test")
    asked: list[str | None] = []
    async with syslog_server(server_tls(path, asked)) as server:
        await cef_sink(server.port, ssl.create_default_context(cafile=path)).send(
            delivery("hostile")
        )

    (frame,) = server.frames
    assert asked == ["siem.example.test"]
    assert frame.decode().split(" - ", 2)[2] == cef(read_event(delivery("hostile")))


async def test_a_receiver_that_nobody_vouches_for_gets_nothing(tmp_path: Path) -> None:
    path = certificate(tmp_path, "siem.example.test")
    async with syslog_server(server_tls(path, []), cut=True) as server:
        with pytest.raises(TransientError, match="SSL"):
            await cef_sink(server.port, None).send(delivery())

    assert not server.frames


async def test_a_receiver_that_is_deaf_or_away_is_tried_again(tmp_path: Path) -> None:
    path = certificate(tmp_path, "siem.example.test")
    trusting = ssl.create_default_context(cafile=path)
    async with syslog_server(trusting, deaf=True) as server:
        with pytest.raises(TransientError, match="longer than"):
            await cef_sink(server.port, trusting, timeout_seconds=0.3).send(delivery())
        port = server.port

    with pytest.raises(TransientError, match="cannot be reached"):
        await cef_sink(port, trusting).send(delivery())


@pytest.mark.parametrize(
    "url",
    ["http://a:1", "tls://", "tls://u:p@a:1", "tls://a:99999", "tls://a:1/path", "a:6514", ""],
)
def test_only_tls_urls_are_taken_for_syslog(url: str) -> None:
    with pytest.raises(ConfigurationError):
        tls_url(url)


def test_a_syslog_url_may_leave_the_port_out_or_be_an_address() -> None:
    assert tls_url("tls://siem.example").port == 6514
    assert tls_url("tls://[2001:db8::1]:7000").raw_host == b"2001:db8::1"


# Files


@pytest.mark.parametrize("ocsf", [False, True])
async def test_a_file_holds_one_object_a_line(tmp_path: Path, ocsf: bool) -> None:
    path = tmp_path / "events.jsonl"
    sink = FileSender(path, ocsf=ocsf)

    await asyncio.gather(*(sink.send(delivery("hostile")) for _ in range(20)))

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 20
    assert {line["metadata"]["uid"] if ocsf else line["id"] for line in lines} == {"dlv_1"}
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("what", ["folder", "link", "pipe", "missing"])
async def test_what_is_no_file_is_not_written_to(tmp_path: Path, what: str) -> None:
    path = tmp_path / "events.jsonl"
    target = tmp_path / "target"
    target.touch()
    if what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(target)
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path = tmp_path / "nowhere" / "events.jsonl"

    with pytest.raises((TransientError, PermanentError)):
        await FileSender(path, ocsf=False).send(delivery())

    assert target.read_text() == ""


# People


@dataclass(slots=True)
class Notifications:
    works: bool = True
    sent: list[tuple[str, str]] = field(default_factory=list)

    def notify(self, body: str, title: str) -> bool:
        self.sent.append((title, body))
        return self.works


async def test_people_are_told_in_plain_lines() -> None:
    notifier = Notifications()

    await AppriseSender(notifier, timeout_seconds=5).send(delivery())

    ((title, body),) = notifier.sent
    assert title == "Mithridate: disagreement-spike (critical)"
    assert "id: alr_1" in body.split("\n")


async def test_a_message_that_is_not_taken_is_tried_again() -> None:
    sink = AppriseSender(Notifications(works=False), timeout_seconds=5)

    with pytest.raises(TransientError):
        await sink.send(delivery())


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
async def test_apprise_delivers_to_a_real_receiver() -> None:
    pytest.importorskip("apprise", reason="the extra notify")
    async with receiving(answer(200)) as receiver:
        notifier = open_notifier(f"json://127.0.0.1:{receiver.port}/")
        await AppriseSender(notifier, timeout_seconds=10).send(delivery("hostile"))
        async with receiving(answer(500)) as broken:
            failing = open_notifier(f"json://127.0.0.1:{broken.port}/")
            with pytest.raises(TransientError):
                await AppriseSender(failing, timeout_seconds=10).send(delivery())

    told = json.loads(receiver.received[0].body)
    assert "<" not in told["message"]


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
def test_a_url_that_apprise_does_not_know_is_a_wrong_setting_and_never_shown() -> None:
    pytest.importorskip("apprise", reason="the extra notify")
    with pytest.raises(ConfigurationError) as caught:
        open_notifier("nonsense://hush")

    assert "hush" not in str(caught.value)


# All


@pytest.mark.parametrize("payload", ["", "[]", "{", '{"data": 1}', '{"data": {"labels": 3}}'])
async def test_what_is_no_event_is_given_up(tmp_path: Path, payload: str) -> None:
    broken = replace(delivery(), payload=payload)

    with pytest.raises(PermanentError):
        await FileSender(tmp_path / "x", ocsf=True).send(broken)


async def test_each_delivery_goes_to_the_sink_that_it_is_for() -> None:
    webhooks, chat = RecordingWebhookSender(), Notifications()
    sender = SinkSender(webhooks, {WebhookId("sink_chat"): AppriseSender(chat, timeout_seconds=5)})
    hook = webhook()
    sink = replace(hook, id=WebhookId("sink_chat"), kind="apprise")

    await sender.send(delivery(), hook, now=NOW)
    await sender.send(delivery(), sink, now=NOW)
    with pytest.raises(TransientError):
        await sender.send(delivery(), replace(sink, id=WebhookId("sink_x")), now=NOW)

    assert len(webhooks.sent) == len(chat.sent) == 1
