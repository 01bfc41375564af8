"""From observations to an alert to a signed delivery, by the real worker, to a real receiver."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.sql import SqlLedger
from domain.answering import QuestionId
from domain.documents import DEFAULT_TENANT
from domain.ledger import QuestionRecord
from domain.monitoring import Topic, TopicId
from tests.e2e.stack import Stack, until
from tests.unit.monitors.streams import observe

pytestmark = [pytest.mark.integration, pytest.mark.slow]

QUIET, LOUD = 30, 20
DISAGREEMENT = 5 / 6


@dataclass(slots=True)
class Receiver:
    """Answers with `statuses` in turn, the last one for good, and keeps what came."""

    statuses: list[int]
    url: str = ""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def take(self, headers: dict[str, str], body: bytes) -> int:
        self.received.append((headers, body))
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """One that fails at first."""
    receiver = Receiver([500, 204])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = receiver.take({k.lower(): v for k, v in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield receiver
        server.shutdown()
        thread.join()


def attempts(receiver: Receiver) -> list[tuple[dict[str, str], bytes]]:
    """Return what came under the id that came first."""
    came = receiver.received
    return [one for one in came if one[0]["webhook-id"] == came[0][0]["webhook-id"]]


async def write_spike(stack: Stack, topic_id: TopicId, trace: dict[str, Any]) -> None:
    """Write what the gateway writes of questions: a quiet topic, then seats that disagree."""
    clock = SystemClock()
    ids = RandomIds(clock)
    ledger = SqlLedger(f"sqlite+aiosqlite:///{stack.folder}/ledger.db", clock=clock, ids=ids)
    end = datetime.now(UTC) - timedelta(seconds=5)
    topic = Topic(
        id=topic_id,
        tenant_id=DEFAULT_TENANT,
        centroid=np.eye(1, 384, 7, dtype=np.float32)[0],
        size=QUIET + LOUD,
        terms=("test",),
        created_at=end - timedelta(hours=2),
    )
    assert await ledger.observations.save_topic(topic)
    for number in range(QUIET + LOUD):
        question_id = QuestionId(ids.new("q"))
        observation = replace(
            observe(number, 0.0 if number < QUIET else DISAGREEMENT),
            question_id=question_id,
            topic_id=topic_id,
            observed_at=end - timedelta(minutes=QUIET + LOUD - number),
        )
        await ledger.questions.add(
            QuestionRecord(
                id=question_id,
                tenant_id=DEFAULT_TENANT,
                principal=observation.principal,
                asked_at=observation.observed_at,
                outcome=observation.outcome,
                trace=json.dumps({**trace, "id": question_id}),
            ),
            observation,
        )
    await ledger.close()


def test_a_spike_reaches_a_receiver_signed_and_again_where_it_failed(
    stack: Stack, receiver: Receiver
) -> None:
    for other in stack.client.get("/v1/webhooks").json()["items"]:
        stack.client.delete(f"/v1/webhooks/{other['id']}")
    made = stack.client.post(
        "/v1/webhooks", json={"url": receiver.url, "event_types": ["alert.firing"]}
    ).json()
    asked = stack.client.post("/v1/questions", json={"question": "Is there a lamp?"}).json()
    trace = stack.client.get(f"/v1/questions/{asked['id']}").json()
    topic_id = TopicId(RandomIds(SystemClock()).new("top"))

    asyncio.run(write_spike(stack, topic_id, trace))

    # The topic may raise several alerts, each told on its own: the first to come is followed.
    until(lambda: len(attempts(receiver)) >= 2, "the second attempt", stack.log_path)
    verifier = Verifier(made["secret"])
    (first, body), (second, same_body) = attempts(receiver)
    event = verifier.verify(body.decode(), first)
    assert verifier.verify(same_body.decode(), second) == event
    assert first["webhook-id"] == second["webhook-id"]
    assert event["type"] == "alert.firing"
    assert event["data"]["labels"]["topic"] == topic_id
    with pytest.raises(WebhookVerificationError):
        verifier.verify(body.decode().replace("firing", "resolved"), first)

    def delivered() -> dict[str, Any] | None:
        items = stack.client.get(f"/v1/webhooks/{made['id']}/deliveries").json()["items"]
        mine = [one for one in items if one["id"] == first["webhook-id"]]
        found: dict[str, Any] | None = mine[0] if mine and mine[0]["delivered_at"] else None
        return found

    delivery = until(delivered, "the delivery to be written down", stack.log_path)
    assert (delivery["attempts"], delivery["last_error"]) == (2, None)
    alerts = stack.client.get("/v1/alerts", params={"status": "firing"}).json()["items"]
    firing = {one["id"]: one["name"] for one in alerts if one["labels"].get("topic") == topic_id}
    assert event["data"]["id"] in firing
    assert "disagreement-spike" in firing.values()
    assert len(attempts(receiver)) == 2
