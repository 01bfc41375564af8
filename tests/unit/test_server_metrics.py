from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
import pytest

from backends.llm.server_metrics import ServerLoad, parse_load, read_loads
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
