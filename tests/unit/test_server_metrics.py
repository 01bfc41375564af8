from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
import pytest

from backends.llm.server_metrics import (
    FRESH_SECONDS,
    ServerLoad,
    ServerWatch,
    parse_load,
    read_loads,
)
from backends.memory.clock import ManualClock
from domain.queues import QueueDepth
from domain.usage import ModelRole
from runtime.metrics import Metrics

pytestmark = pytest.mark.anyio

VLLM = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="qwen"} 3.0
vllm:num_requests_running{engine="1",model_name="qwen"} 2.0
vllm:num_requests_waiting{engine="0",model_name="qwen"} 7.0
vllm:kv_cache_usage_perc{engine="0",model_name="qwen"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="qwen"} 0.5
vllm:request_success_total{engine="0",finished_reason="stop",model_name="qwen"} 41.0
"""


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def telling(body: str, status: str = "200 OK") -> Iterator[str]:
    """Serve `/metrics` on loopback until the block ends."""

    def app(environ: dict[str, object], start_response: object) -> list[bytes]:
        assert callable(start_response)
        start_response(status, [("Content-Type", "text/plain")])
        return [body.encode()]

    server = make_server("127.0.0.1", 0, app, handler_class=_Quiet)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@contextmanager
def silent_server() -> Iterator[str]:
    """Take connections and say nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as made:
        yield made


def test_gauges_of_engines_are_added_and_the_fullest_cache_counts() -> None:
    assert parse_load(VLLM) == {"running": 5.0, "waiting": 7.0, "cache": 0.5}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>nothing here</html>",
        "vllm:num_requests_running",
        "vllm:num_requests_running NaN",
        "vllm:num_requests_running -1",
        "vllm:num_requests_running +Inf",
        'vllm:num_requests_running{model="a"} many',
        "llamacpp:requests_processing 2",
    ],
)
def test_what_is_no_gauge_of_vllm_tells_nothing(text: str) -> None:
    assert parse_load(text) == {}


async def test_a_server_is_read_and_one_that_is_away_is_down(client: httpx.AsyncClient) -> None:
    with telling(VLLM) as url, telling("not found", "404 Not Found") as silent:
        loads = await read_loads(
            {"drafter": [url, "http://127.0.0.1:1/v1"], "verifier": [silent]}, client
        )

    assert loads == [
        ServerLoad(role="drafter", url=url, up=True, running=5.0, waiting=7.0, cache=0.5),
        ServerLoad(role="drafter", url="http://127.0.0.1:1/v1", up=False),
        ServerLoad(role="verifier", url=silent, up=True),
    ]


async def test_what_was_told_lately_is_told_again_and_then_asked_anew(
    client: httpx.AsyncClient,
) -> None:
    clock = ManualClock()
    with telling(VLLM) as url:
        watch = ServerWatch(
            {"drafter": [url]}, client, wait_seconds=30.0, monotonic=clock.monotonic
        )
        first = await watch.loads()
    kept = await watch.loads()
    clock.advance(FRESH_SECONDS)
    anew = await watch.loads()

    assert (
        first
        == kept
        == [ServerLoad(role="drafter", url=url, up=True, running=5.0, waiting=7.0, cache=0.5)]
    )
    assert anew == [ServerLoad(role="drafter", url=url, up=False)]


async def test_who_asks_does_not_wait_for_a_slow_server(client: httpx.AsyncClient) -> None:
    with silent_server() as url:
        watch = ServerWatch({"drafter": [url]}, client, wait_seconds=0.0)

        told = [await watch.loads(), await watch.loads()]
        await watch.close()

    assert told == [(), ()]


async def test_without_servers_nothing_is_asked(client: httpx.AsyncClient) -> None:
    assert await ServerWatch({}, client).loads() == ()


def test_what_waits_for_a_model_is_in_our_metrics_by_role() -> None:
    metrics = Metrics()
    metrics.queues({ModelRole.VERIFIER: QueueDepth(waiting=3, under_way=2)})

    shown = metrics.render().decode()

    assert 'mithridate_model_queue{role="verifier",state="waiting"} 3.0' in shown
    assert 'mithridate_model_queue{role="verifier",state="under-way"} 2.0' in shown
    assert 'mithridate_model_queue{role="drafter"' not in shown


def test_what_a_server_does_not_tell_is_not_in_our_metrics() -> None:
    metrics = Metrics()
    metrics.model_servers(
        [
            ServerLoad(role="drafter", url="a", up=True, running=5.0, waiting=7.0, cache=0.5),
            ServerLoad(role="verifier", url="b", up=True),
        ]
    )

    shown = metrics.render().decode()

    assert (
        'mithridate_model_server_requests{role="drafter",server="a",state="waiting"} 7.0' in shown
    )
    assert 'mithridate_model_server_up{role="verifier",server="b"} 1.0' in shown
    assert 'mithridate_model_server_cache_usage_ratio{role="drafter",server="a"} 0.5' in shown
    assert 'cache_usage_ratio{role="verifier"' not in shown
