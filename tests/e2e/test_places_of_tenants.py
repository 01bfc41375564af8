"""Whatever a running stack writes into broker and folders is under its tenant's name (Law 15)."""

from __future__ import annotations

from typing import Final

import pytest
from redis import Redis

from backends.broker_embedded import EmbeddedBroker
from tests.e2e.stack import Stack

pytestmark = [pytest.mark.integration, pytest.mark.slow]

OF_NOBODY: Final = ("lock:", "rate:", "mithridate:", "_kombu", "unacked", "celery")
"""Locks, counts and queues: names and ids, never content."""


def test_keys_and_folders_carry_the_tenant(stack: Stack) -> None:
    document = stack.upload("# Ferry\n\nThe ferry to the northern quay leaves at six.\n")["id"]
    stack.verdict(document)
    question = {"question": "When does the ferry to the northern quay leave?"}
    stack.client.post("/v1/questions", json=question).raise_for_status()

    with Redis.from_url(EmbeddedBroker(stack.folder / "broker").url) as redis:
        keys = [key.decode(errors="replace") for key in redis.scan_iter(count=1000)]
    content = [key for key in keys if not key.startswith(OF_NOBODY)]

    assert content
    assert [key for key in content if "{default}" not in key] == []
    assert {path.name for path in (stack.folder / "blobs").iterdir()} == {"default"}


def test_counts_that_name_somebody_name_the_tenant_or_a_key(stack: Stack) -> None:
    stack.upload("# Mill\n\nThe old mill grinds on Mondays.\n")

    with Redis.from_url(EmbeddedBroker(stack.folder / "broker").url) as redis:
        counts = [
            key.decode(errors="replace") for key in redis.scan_iter(match="rate:*", count=1000)
        ]

    named = ("rate:requests:key:", "rate:uploads:default:", "rate:failures:", "rate:scans:")
    assert any(key.startswith("rate:uploads:default:") for key in counts)
    assert [key for key in counts if not key.startswith(named)] == []
