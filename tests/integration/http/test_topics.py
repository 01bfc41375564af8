"""Topics over HTTP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from domain.documents import DEFAULT_TENANT
from domain.monitoring import Topic, TopicId
from tests.http_services import Gateway
from tests.integration.http.problems import problem
from tests.integration.http.test_alerts import alert

pytestmark = pytest.mark.anyio

NEW = {"name": "returns", "about": ["return deadline", "refund"], "reason": "watched"}


async def listed(gateway: Gateway) -> list[dict[str, Any]]:
    reply = await gateway.client.get("/v1/topics", headers=await gateway.reviewer())
    assert reply.status_code == 200, reply.text
    items: list[dict[str, Any]] = reply.json()["items"]
    return items


async def put(gateway: Gateway, name: str, **fields: Any) -> None:
    topic = Topic(
        id=TopicId(name),
        tenant_id=DEFAULT_TENANT,
        centroid=np.array([1.0, 0.0], dtype=np.float32),
        size=3,
        terms=("deadline",),
        created_at=gateway.world.clock.now(),
    )
    assert await gateway.world.ledger.observations.save_topic(replace(topic, **fields))


async def test_a_defined_topic_is_listed_first_then_removed_on_the_record(
    gateway: Gateway,
) -> None:
    admin = await gateway.admin()
    await put(gateway, "top_found")

    made = await gateway.client.post("/v1/topics", json=NEW, headers=admin)
    before = await listed(gateway)
    gone = await gateway.client.post(
        f"/v1/topics/{made.json()['id']}/remove", json={"reason": "over"}, headers=admin
    )
    after = await listed(gateway)

    assert made.status_code == 201
    assert [one["id"] for one in before] == [made.json()["id"], "top_found"]
    assert before[0]["about"] == NEW["about"]
    assert before[0]["created_by"].startswith("key:")
    assert gone.status_code == 200
    assert [one["removed_at"] is None for one in after] == [False, True]


async def test_aliases_and_contested_topics_say_so(gateway: Gateway) -> None:
    await put(gateway, "top_0")
    await put(gateway, "top_alias", merged_into=TopicId("top_0"))
    await gateway.fire(
        replace(alert(0), name="contested", labels={"monitor": "contested", "topic": "top_0"})
    )

    found = {one["id"]: one for one in await listed(gateway)}

    assert found["top_alias"]["merged_into"] == "top_0"
    assert [found[id]["contested"] for id in ("top_0", "top_alias")] == [True, False]


@pytest.mark.parametrize(
    "wrong",
    [
        {"about": []},
        {"about": ["the of"]},
        {"about": ["?!"]},
        {"name": "two\nlines"},
        {"reason": " "},
        {"about": ["x" * 201]},
        {"label": "an uploader's"},
    ],
)
async def test_a_definition_that_says_nothing_is_refused(
    gateway: Gateway, wrong: dict[str, Any]
) -> None:
    reply = await gateway.client.post(
        "/v1/topics", json={**NEW, **wrong}, headers=await gateway.admin()
    )

    assert reply.status_code == 422, reply.text
    assert await gateway.world.ledger.topic_definitions.list(DEFAULT_TENANT) == []


async def test_a_reviewer_reads_topics_and_defines_none(gateway: Gateway) -> None:
    reply = await gateway.client.post("/v1/topics", json=NEW, headers=await gateway.reviewer())

    problem(reply, 403, "forbidden")
