"""No key, token or wrong guess of one is in an answer, a log line or a metric."""

from __future__ import annotations

import json

import pytest
import structlog

from domain.access import KeyId, Scope
from runtime.credentials import new_secret
from tests.http_services import Gateway, bearer

pytestmark = pytest.mark.anyio


async def test_what_callers_prove_themselves_with_is_repeated_nowhere(gateway: Gateway) -> None:
    admin = await gateway.admin()
    asker = await gateway.key(Scope.QUESTIONS_ASK)
    guesses = [
        bearer(new_secret(KeyId(gateway.world.ids.new("key"))).token),
        bearer("eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZWNyZXQtc3ViamVjdCJ9.c2lnbmF0dXJl"),
        bearer("mithridate_not-a-key-but-a-password"),
        {"Authorization": "Basic c2VjcmV0OnBhc3N3b3Jk"},
    ]
    hook = {
        "url": "https://hooks.example.com/a?token=receiver-secret",
        "event_types": ["alert.firing"],
    }
    answers = []

    with structlog.testing.capture_logs(
        processors=[structlog.contextvars.merge_contextvars]
    ) as lines:
        for headers in (admin, asker, *guesses):
            answers += [
                await gateway.client.get(path, headers=headers)
                for path in ("/v1/documents", "/v1/audit", "/v1/nowhere")
            ]
            answers += [await gateway.client.post("/v1/questions", content=b"{", headers=headers)]
        await gateway.client.post("/v1/webhooks", json=hook, headers=admin)
        answers.append(await gateway.client.get("/metrics"))
        answers.append(await gateway.client.get("/v1/audit", headers=admin))

    told = json.dumps(lines, default=str)
    told += "".join(answer.text + str(answer.headers) for answer in answers)
    secrets = [
        piece
        for headers in (admin, asker, *guesses)
        for piece in headers["Authorization"].split(" ", 1)[1].split(".")
    ]
    secrets += [header["Authorization"].rpartition("_")[2] for header in (admin, asker)]
    assert {line["event"] for line in lines} >= {"request_answered", "caller_refused"}
    assert [secret for secret in (*secrets, "receiver-secret") if secret in told] == []
