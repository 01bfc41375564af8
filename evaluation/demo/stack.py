"""Starts a whole installation in a folder of its own, and stops all of it, whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import httpx
import redis

from backends.clock import SystemClock
from backends.ids import RandomIds
from domain.access import Scope
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.errors import TransientError
from evaluation.demo.manifest import DemoOrigin
from runtime.credentials import issue_key
from runtime.home import (
    announced_url,
    broker_url,
    local_admin_key,
    open_ledger,
    prepare_home,
)
from runtime.settings import CONFIG_VARIABLE, ENV_PREFIX, Settings, load_settings

EVALUATE_SECONDS: Final = 1.0
LOG_FILE: Final = "processes.log"

_START_SECONDS: Final = 180.0
_STOP_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.1
_LOG_TAIL: Final = 20

_CONFIGURATION: Final = """\
data_dir = {data}

[server]
port = 0

[queue]
sweep_seconds = 1.0

[monitors]
evaluate_seconds = {evaluate}

# What the demo shows does not hang on how busy the machine is.
[answering.latency.interactive]
budget_seconds = 60.0

# The receiver of this demo listens on loopback.
[webhooks]
allow_private_networks = true
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Tokens. `by_origin`: one for each origin, for uploads alone."""

    admin: str
    asker: str
    by_origin: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A running installation."""

    url: str
    settings: Settings


@contextmanager
def configured(folder: Path) -> Iterator[Settings]:
    """Configure this process and its children for `folder` alone, whatever the caller's settings."""
    file = folder / "mithridate.toml"
    file.write_text(
        _CONFIGURATION.format(data=_toml(folder / "data"), evaluate=EVALUATE_SECONDS),
        encoding="utf-8",
    )
    saved = {name: value for name, value in os.environ.items() if _is_ours(name)}
    for name in saved:
        del os.environ[name]
    os.environ[CONFIG_VARIABLE] = str(file)
    try:
        yield load_settings()
    finally:
        del os.environ[CONFIG_VARIABLE]
        os.environ.update(saved)


@contextmanager
def running(settings: Settings, *, log: Path, verbose: bool) -> Iterator[Stack]:
    """Run `mithridate up` with one worker for as long as the block lasts.

    Raises:
        TransientError: It did not become ready; the message ends with the end of its log.
    """
    program = [sys.executable, "-m", "gateway.cli"]
    ours = ["--supervised", "--parent", str(os.getpid())]
    with log.open("wb") as file, _ending_on_sigterm():
        process = subprocess.Popen(  # noqa: S603 - ourselves
            [*program, "up", "--workers", "1", *ours],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if verbose else file,
            cwd=settings.home.parent,
            # Its own session: Ctrl-C reaches us alone, and we stop it in order.
            start_new_session=True,
        )
        try:
            yield Stack(url=_ready(process, settings, log), settings=settings)
        finally:
            _stop(process, settings)


def issue_keys(settings: Settings, origins: list[DemoOrigin]) -> Keys:
    """Make the ledger and, in it, one key for each origin and one for who asks."""
    prepare_home(settings)
    by_origin, asker = asyncio.run(_issue(settings, origins))
    admin = local_admin_key(settings)
    if admin is None:
        raise TransientError("the local admin key cannot be read")
    return Keys(admin=admin, asker=asker, by_origin=by_origin)


async def _issue(settings: Settings, origins: list[DemoOrigin]) -> tuple[dict[str, str], str]:
    clock = SystemClock()
    ids = RandomIds(clock)
    ledger = open_ledger(settings, clock=clock, ids=ids)

    async def issue(name: str, scope: Scope, origin: OriginRef | None) -> str:
        issued = issue_key(
            ids=ids,
            tenant_id=DEFAULT_TENANT,
            name=name,
            scopes=frozenset({scope}),
            origin=origin,
            now=clock.now(),
        )
        await ledger.keys.add(issued.key, actor="demo")
        return issued.token

    try:
        by_origin = {
            origin.id: await issue(
                origin.id,
                Scope.DOCUMENTS_WRITE,
                OriginRef(kind=OriginKind(origin.kind), id=origin.id),
            )
            for origin in origins
        }
        return by_origin, await issue("asker", Scope.QUESTIONS_ASK, None)
    finally:
        await ledger.close()


def _ready(process: subprocess.Popen[bytes], settings: Settings, log: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        url = announced_url(settings)
        if url is not None and _answers(url):
            return url
        time.sleep(_POLL_SECONDS)
    tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_TAIL:]
    raise TransientError("the demo's processes did not become ready: " + " | ".join(tail))


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=10, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _stop(process: subprocess.Popen[bytes], settings: Settings) -> None:
    process.terminate()
    try:
        process.wait(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()  # the kernel tells its children; the broker, which outlives it, we tell
        process.wait()
    with suppress(redis.RedisError), redis.Redis.from_url(broker_url(settings)) as broker:
        broker.shutdown(nosave=True)


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind as an exception, so that what was started is stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        raise SystemExit(128 + number)

    former = {each: signal.signal(each, leave) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _is_ours(name: str) -> bool:
    return name.upper().startswith(ENV_PREFIX)


def _toml(path: Path) -> str:
    escaped = str(path.absolute()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
