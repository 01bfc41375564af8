"""What `doctor` and `config check` look at."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import httpx

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.jobs_celery import CeleryJobQueue
from backends.ledger.sql import SqlLedger
from backends.llm.endpoint import Endpoint
from backends.near_duplicates_redis import RedisNearDuplicateIndex
from backends.redis_clients import celery_broker, opened_redis, parse_servers
from backends.server_pool import RefusedError
from defences.retrieval.shingles import SCHEME
from domain.documents import DEFAULT_TENANT
from domain.errors import ConfigurationError, MithridateError
from domain.usage import ModelRole
from runtime.answering import SHIPPED_ARTEFACTS, build_endpoint, load_calibrators
from runtime.home import announced_url, broker_url, database_url, embedded_broker, state_url
from runtime.scanning import build_parser, build_policy, build_scanner
from runtime.settings import Settings
from runtime.storage import build_blobs, build_embedder, build_vectors, close_vectors

_LEAST_FREE_BYTES: Final = 500_000_000
_TIMEOUT_SECONDS: Final = 30.0
_OPEN_TO_OTHERS: Final = 0o077
_NOT_LET_IN: Final = frozenset({401, 403})
_FIRST_START: Final = "`mithridate up` makes it"

_STATE: Final = "start it, or correct queue.state_url or queue.url, its login or queue.ca_path"

State = Literal["ok", "failed", "not there yet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One dependency, by name. `mend` says what to do where it failed."""

    name: str
    state: State
    detail: str = ""
    mend: str = ""


def check_configuration(settings: Settings) -> list[str]:
    """Return what is wrong with the files and addresses that the settings name."""
    problems: list[str] = []
    checks: tuple[Callable[[], object], ...] = (
        lambda: build_policy(settings),
        lambda: load_calibrators(settings.answering.calibration_path or SHIPPED_ARTEFACTS),
        lambda: celery_broker(broker_url(settings)),
        lambda: settings.queue.state_url and parse_servers(state_url(settings)),
        lambda: build_blobs(settings),
        lambda: SqlLedger(
            database_url(settings), clock=SystemClock(), ids=RandomIds(SystemClock())
        ),
        lambda: _check_models(settings),
    )
    for check in checks:
        try:
            check()
        except MithridateError as exc:
            problems.append(str(exc))
    return problems


def diagnose(settings: Settings) -> list[Check]:
    """Look at every dependency; nothing is made or changed."""
    home = settings.home
    fresh = not home.exists()
    checks = [_configuration(settings), _data_folder(home), _disk(home), _broker(settings)]
    checks += asyncio.run(_services(settings, fresh=fresh))
    checks += model_checks(settings)
    return [*checks, _gateway(settings)]


def model_checks(settings: Settings) -> list[Check]:
    """Ask the servers of drafter and verifier, where there are any, for their models."""
    return asyncio.run(_model_servers(settings))


async def _model_servers(settings: Settings) -> list[Check]:
    chosen = (
        (ModelRole.DRAFTER, settings.drafter.backend, settings.drafter.endpoint),
        (ModelRole.VERIFIER, settings.verifier.backend, settings.verifier.endpoint),
    )
    async with httpx.AsyncClient(trust_env=False) as http:
        endpoints = [
            build_endpoint(role, section, http, concurrency=1, role=role)
            for role, backend, section in chosen
            if backend == "openai" and section.url is not None and section.model is not None
        ]
        return [
            await _model_server(f"{endpoint.role} {url}", url, endpoint)
            for endpoint in endpoints
            for url in endpoint.pool.urls
        ]


async def _model_server(name: str, url: str, endpoint: Endpoint) -> Check:
    try:
        listed = await endpoint.models(url)
    except MithridateError as exc:
        kept_out = isinstance(exc, RefusedError) and exc.status in _NOT_LET_IN
        mend = "correct the api_key" if kept_out else "start it, or correct the url"
        return Check(name=name, state="failed", detail=str(exc), mend=mend)
    if listed is None:
        return Check(name=name, state="ok", detail="answers, and lists no models")
    if endpoint.model not in listed:
        return Check(
            name=name,
            state="failed",
            detail=f"it has no model {endpoint.model!r}, but {', '.join(listed) or 'none'}",
            mend="correct the model, or serve it under that name",
        )
    return Check(name=name, state="ok", detail=endpoint.model)


def _check_models(settings: Settings) -> None:
    for name, section in (("drafter", settings.drafter), ("verifier", settings.verifier)):
        if section.backend == "local" and (
            section.local.path is None or section.local.sha256 is None
        ):
            raise ConfigurationError(f"{name}.local needs path and sha256")
        if section.backend == "openai" and (
            section.endpoint.url is None or section.endpoint.model is None
        ):
            raise ConfigurationError(f"{name}.endpoint needs url and model")


def _configuration(settings: Settings) -> Check:
    problems = check_configuration(settings)
    return Check(
        name="configuration",
        state="failed" if problems else "ok",
        detail="; ".join(problems),
        mend="mend the settings; `mithridate config show` lists them" if problems else "",
    )


def _data_folder(home: Path) -> Check:
    name = "data folder"
    if not home.exists():
        return Check(name=name, state="not there yet", detail=str(home), mend=_FIRST_START)
    if not home.is_dir():
        return Check(name=name, state="failed", detail=f"{home} is no folder", mend="move it away")
    if os.statvfs(home).f_flag & os.ST_RDONLY or not os.access(home, os.W_OK | os.X_OK):
        return Check(
            name=name,
            state="failed",
            detail=f"{home} cannot be written to",
            mend="mount it so that it can be written, or chown it to who runs this",
        )
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & _OPEN_TO_OTHERS:
        return Check(
            name=name,
            state="failed",
            detail=f"{home} has mode {mode:o}: others can look into it",
            mend=f"chmod 700 {home}",
        )
    return Check(name=name, state="ok", detail=str(home))


def _disk(home: Path) -> Check:
    there = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    return _room(there, free=shutil.disk_usage(there).free)


def _room(there: Path, *, free: int) -> Check:
    enough = free >= _LEAST_FREE_BYTES
    return Check(
        name="disk space",
        state="ok" if enough else "failed",
        detail=f"{free / 1e9:.1f} GB free",
        mend="" if enough else f"make room on the disk of {there}",
    )


def _broker(settings: Settings) -> Check:
    name = "broker"
    embedded = embedded_broker(settings)
    if embedded is not None:
        if embedded.answers():
            return Check(name=name, state="ok", detail="embedded")
        return Check(
            name=name,
            state="not there yet",
            detail="the embedded one does not run",
            mend="`mithridate up` starts it",
        )
    queue = CeleryJobQueue(
        broker_url=broker_url(settings),
        visibility_timeout_seconds=settings.queue.visibility_timeout_seconds,
        ca_path=settings.queue.ca_path,
    )
    try:
        queue.ping()
    except Exception as exc:  # the edge: the messages of foreign errors may hold a password
        return Check(
            name=name,
            state="failed",
            detail=f"no answer ({type(_first_cause(exc)).__name__})",
            mend="start it, or correct queue.url (MITHRIDATE_QUEUE__URL), its login or queue.ca_path",
        )
    return Check(name=name, state="ok", detail="as configured")


def _first_cause(error: BaseException) -> BaseException:
    """Return what it began with: what a library made of it says little."""
    while (cause := error.__cause__) is not None:
        error = cause
    return error


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service, and how it is asked. `absent`: the first start makes it, so it is not asked."""

    name: str
    ask: Callable[[], Awaitable[str]]
    mend: str
    absent: bool = False


async def _services(settings: Settings, *, fresh: bool) -> list[Check]:
    async with httpx.AsyncClient() as http:
        return [await look_at(each) for each in services_of(settings, http, fresh=fresh)]


async def look_at(service: Service) -> Check:
    """Ask one service; what it raises is told in the check."""
    if service.absent:
        return Check(name=service.name, state="not there yet", mend=_FIRST_START)
    return await _try(service.name, service.ask, service.mend)


def services_of(settings: Settings, http: httpx.AsyncClient, *, fresh: bool) -> list[Service]:
    """Return the services that the settings name, none of them asked yet.

    Args:
        settings: The configuration in force.
        http: Connections of an embedder at an address.
        fresh: Nothing was started yet, so that what lives in the data folder is not there.
    """

    async def database() -> str:
        clock = SystemClock()
        ledger = SqlLedger(database_url(settings), clock=clock, ids=RandomIds(clock))
        try:
            await ledger.ping()
        finally:
            await ledger.close()
        return ""

    async def blobs() -> str:
        await build_blobs(settings).ping()
        return settings.blobs.backend

    async def state() -> str:
        async with opened_redis(state_url(settings), ca_path=settings.queue.ca_path) as redis:
            await RedisNearDuplicateIndex(redis, SCHEME).count(DEFAULT_TENANT)
        return "locks, limits, kept answers, near-duplicates"

    async def embedder() -> str:
        built = build_embedder(settings.embedder, http)
        await built.embed(["ready"])
        return built.version

    async def index() -> str:
        dimensions = build_embedder(settings.embedder, http).dimensions
        vectors = build_vectors(settings, dimensions=dimensions)
        try:
            await vectors.ping()
        finally:
            await close_vectors(vectors)
        return settings.vectors.backend

    async def parser() -> str:
        await build_parser(settings).parse(b"ready", claimed_media_type=None, file_name=None)
        return "in a process of its own"

    async def detectors() -> str:
        judged = await build_scanner(settings).judge(b"ready", file_name=None)
        if judged.report.unavailable:
            raise ConfigurationError(f"cannot look: {', '.join(judged.report.unavailable)}")
        return ", ".join(sorted(judged.report.completed))

    kept = settings.database.url is None and fresh
    local = settings.vectors.backend == "lancedb" and fresh
    found = [
        Service(name="database", ask=database, mend=_mend_database(settings), absent=kept),
        Service(
            name="blobs", ask=blobs, mend="see `blobs` settings: bucket, login, endpoint, disk"
        ),
        Service(
            name="index", ask=index, mend="see `vectors` settings: URL, key, version", absent=local
        ),
        Service(name="embedder", ask=embedder, mend=_mend_embedder(settings)),
        Service(
            name="parser", ask=parser, mend="install anew, or raise the limits of ingest.parser"
        ),
        Service(name="detectors", ask=detectors, mend="install anew with `make setup`"),
    ]
    if settings.queue.url is not None or settings.queue.state_url is not None:
        found.insert(1, Service(name="state", ask=state, mend=_STATE))
    return found


def _mend_database(settings: Settings) -> str:
    if settings.database.url is None:
        return _FIRST_START
    return "start it, correct database.url, or start `mithridate up` once: it migrates the schema"


def _mend_embedder(settings: Settings) -> str:
    if settings.embedder.backend == "onnx":
        return "install anew: a model file is not as pinned"
    return "start it, or correct embedder.endpoint (url, model, api_key) or embedder.dimensions"


async def _try(name: str, check: Callable[[], Awaitable[str]], mend: str) -> Check:
    try:
        detail = await asyncio.wait_for(check(), _TIMEOUT_SECONDS)
    except TimeoutError:
        return Check(name=name, state="failed", detail="no answer in time", mend=mend)
    except MithridateError as exc:
        return Check(name=name, state="failed", detail=str(exc), mend=mend)
    except Exception as exc:  # the edge: the messages of foreign errors may hold a password
        return Check(name=name, state="failed", detail=type(exc).__name__, mend=mend)
    return Check(name=name, state="ok", detail=detail)


def _gateway(settings: Settings) -> Check:
    name = "gateway"
    url = settings.client.url or announced_url(settings)
    if url is None:
        return Check(
            name=name, state="not there yet", detail="none runs", mend="`mithridate up` starts one"
        )
    try:
        response = httpx.get(f"{url.rstrip('/')}/readyz", timeout=10, trust_env=False)
        wrong = {
            part: state
            for part, state in response.json()["dependencies"].items()
            if state not in {"ok", "uncalibrated"}
        }
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, AttributeError) as exc:
        return Check(
            name=name,
            state="failed",
            detail=f"{url}: {type(exc).__name__}",
            mend="start it, or correct client.url",
        )
    if wrong:
        told = ", ".join(f"{part}: {state}" for part, state in wrong.items())
        return Check(name=name, state="failed", detail=told, mend="see the gateway's log")
    return Check(name=name, state="ok", detail=url)
