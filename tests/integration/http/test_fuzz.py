"""The fast run of schemathesis: the application with stores in memory, behind a real server."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import anyio
import pytest
import uvicorn
from anyio import to_thread
from prometheus_client.parser import text_string_to_metric_families

from domain.scanning import Detector
from runtime.access_sections import AccessSettings
from runtime.settings import Settings, WebhookSettings
from tests.fuzzing import assert_all_tested, fuzz
from tests.http_services import Gateway, open_gateway

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
async def served(
    tmp_path: Path, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[tuple[Gateway, str]]:
    """A gateway and the URL at which it is served."""
    settings = Settings(
        data_dir=tmp_path,
        webhooks=WebhookSettings(allow_private_networks=True),
        # Some hundred calls without a key come from one address, and are to be heard all.
        access=AccessSettings(failures_per_minute=100_000),
    )
    async with open_gateway(tmp_path, detectors=detectors, settings=settings) as gateway:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            config = uvicorn.Config(gateway.app, lifespan="off", log_config=None, access_log=False)
            server = uvicorn.Server(config)
            async with anyio.create_task_group() as group:
                group.start_soon(server.serve, [listening])
                yield gateway, f"http://127.0.0.1:{listening.getsockname()[1]}"
                server.should_exit = True


@pytest.mark.parametrize("with_key", [True, False], ids=["admin key", "no key"])
async def test_whatever_is_sent_the_answer_is_as_documented(
    served: tuple[Gateway, str], tmp_path: Path, with_key: bool
) -> None:
    gateway, url = served
    authorization = (await gateway.admin())["Authorization"] if with_key else None

    report = await to_thread.run_sync(
        lambda: fuzz(url, tmp_path, authorization=authorization, phases="fuzzing", examples=8)
    )

    assert_all_tested(report)
    counted = [
        sample
        for family in text_string_to_metric_families((await gateway.client.get("/metrics")).text)
        for sample in family.samples
        if sample.name == "mithridate_http_requests_total"
    ]
    assert len({sample.labels["route"] for sample in counted}) > 15
    assert not [sample for sample in counted if sample.labels["status"] >= "500"]
