from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from backends.llm.llama import load_llama
from backends.llm.models import PINNED, ModelRegistry, file_sha256, verify_file
from backends.memory.clock import ManualClock
from domain.errors import ConfigurationError, NotFoundError, PermanentError, TransientError

pytestmark = pytest.mark.anyio

CONTENT = b"GGUF" + bytes(range(256)) * 8_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
NAME = "qwen2.5-coder-0.5b-instruct"


@pytest.fixture
def registry(tmp_path: Path) -> ModelRegistry:
    # the official files are half a gigabyte: here the name is pinned to what the test's hub sends
    pinned = replace(PINNED[NAME], sha256=SHA256, max_bytes=len(CONTENT) + 10)
    return ModelRegistry(tmp_path / "home", clock=ManualClock(), pinned={NAME: pinned})


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(CONTENT)
    return path


def test_a_verified_file_is_registered_where_it_stands(
    registry: ModelRegistry, model: Path
) -> None:
    added = registry.add(model, sha256=SHA256.upper())

    assert (added.name, added.path, added.sha256) == ("tiny", model, SHA256)
    assert registry.models() == (added,)
    assert registry.find("tiny") == added


def test_a_file_with_another_hash_is_not_registered(registry: ModelRegistry, model: Path) -> None:
    with pytest.raises(ConfigurationError, match=SHA256):
        registry.add(model, sha256="0" * 64)

    assert registry.models() == ()


@pytest.mark.parametrize("sha256", ["", "abc", "g" * 64, "0" * 63, "0" * 65, SHA256[:-1] + "\n"])
def test_what_is_no_sha256_is_refused(registry: ModelRegistry, model: Path, sha256: str) -> None:
    with pytest.raises(ConfigurationError, match="64"):
        registry.add(model, sha256=sha256)


@pytest.mark.parametrize("name", ["../x", "a b", ".hidden", "x" * 129, "a/b"])
def test_a_name_is_plain(registry: ModelRegistry, model: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="name"):
        registry.add(model, sha256=SHA256, name=name)


def test_a_name_used_again_is_replaced_and_names_are_sorted(
    registry: ModelRegistry, model: Path
) -> None:
    registry.add(model, sha256=SHA256, name="b")
    registry.add(model, sha256=SHA256, name="a")
    registry.add(model, sha256=SHA256, name="b")

    assert [one.name for one in registry.models()] == ["a", "b"]


def test_an_unknown_name_is_not_found(registry: ModelRegistry) -> None:
    with pytest.raises(NotFoundError):
        registry.find("nothing")


def test_a_damaged_registry_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text('{"models": [{"name": 1}]}')

    with pytest.raises(ConfigurationError, match="malformed"):
        ModelRegistry(tmp_path, clock=ManualClock()).models()


def test_a_missing_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.gguf"):
        file_sha256(tmp_path / "gone.gguf")


def test_one_changed_byte_is_another_file(model: Path) -> None:
    verify_file(model, SHA256)
    model.write_bytes(CONTENT[:-1] + b"\0")

    with pytest.raises(ConfigurationError):
        verify_file(model, SHA256)


def test_a_model_is_not_loaded_without_the_extra_or_with_another_hash(model: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"local-llm|pinned"):
        load_llama(model, sha256="0" * 64)


@contextmanager
def hub(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sending(content: bytes, *, status: int = 200, missing: int = 0) -> Callable[..., None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content) + missing))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(content)
        handler.close_connection = True

    return answer


async def pull(registry: ModelRegistry, base_url: str) -> Path:
    async with httpx.AsyncClient() as client:
        return (await registry.pull(NAME, client=client, base_url=base_url)).path


def left_over(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "home").rglob("*") if path.is_file()]


async def test_a_pinned_file_is_pulled_and_a_second_time_not_fetched(
    registry: ModelRegistry,
) -> None:
    asked: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        sending(CONTENT)(handler)

    with hub(answer) as base_url:
        first = await pull(registry, base_url)
        second = await pull(registry, base_url)

    assert first == second
    assert first.read_bytes() == CONTENT
    assert asked == [f"/{PINNED[NAME].path}/{PINNED[NAME].file_name}"]
    assert registry.find(NAME).sha256 == SHA256


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        pytest.param(sending(CONTENT[:-1] + b"\0"), PermanentError, id="another file"),
        pytest.param(sending(CONTENT + b"\0" * 11), PermanentError, id="too long"),
        pytest.param(sending(b""), PermanentError, id="empty"),
        pytest.param(sending(CONTENT[:5_000], missing=9), TransientError, id="broken off"),
        pytest.param(sending(b"no", status=404), PermanentError, id="404"),
        pytest.param(sending(b"no", status=403), PermanentError, id="403"),
        pytest.param(sending(b"no", status=429), TransientError, id="429"),
        pytest.param(sending(b"no", status=503), TransientError, id="503"),
    ],
)
async def test_a_pull_that_fails_leaves_nothing(
    registry: ModelRegistry,
    tmp_path: Path,
    answer: Callable[[BaseHTTPRequestHandler], None],
    error: type[Exception],
) -> None:
    with hub(answer) as base_url, pytest.raises(error):
        await pull(registry, base_url)

    assert left_over(tmp_path) == []
    assert registry.models() == ()


async def test_a_file_that_was_changed_on_disk_is_fetched_again(registry: ModelRegistry) -> None:
    with hub(sending(CONTENT)) as base_url:
        path = await pull(registry, base_url)
        path.write_bytes(b"changed")
        await pull(registry, base_url)

    assert path.read_bytes() == CONTENT


async def test_a_hub_that_cannot_be_reached_says_what_to_do(
    registry: ModelRegistry, tmp_path: Path
) -> None:
    with pytest.raises(TransientError, match="models add"):
        await pull(registry, "http://127.0.0.1:1")

    assert left_over(tmp_path) == []


async def test_a_name_that_is_not_pinned_is_not_asked_for(registry: ModelRegistry) -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(NotFoundError, match=NAME):
            await registry.pull("anything-else", client=client, base_url="http://127.0.0.1:1")


def test_pinned_files_are_the_measured_ones() -> None:
    assert {one.sha256[:8] for one in PINNED.values()} == {"1d961463", "cc324af0"}
