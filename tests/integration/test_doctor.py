"""`mithridate doctor` where one service is broken, each in its own way: what, and how to mend it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from backends.ledger.migrating import go_back, migrate
from gateway.cli import diagnosis
from gateway.cli.diagnosis import Check
from runtime.settings import Settings
from tests.fakes.openai_server import DIMENSIONS, MODEL, Fault, serving
from tests.fakes.weaviate_server import fake_weaviate
from tests.receivers import answer, receiving
from tests.s3 import bucket, s3_url
from tests.services import free_port, valkey_url
from tests.wires import Wire, at_url, wiretap

__all__ = ["bucket", "s3_url", "valkey_url"]

pytestmark = pytest.mark.integration

SECRET: Final = "hunter2"


def settings_of(home: Path, sections: Mapping[str, Any]) -> Settings:
    return Settings(data_dir=home, **sections)


def services_of(home: Path, sections: Mapping[str, Any]) -> dict[str, Check]:
    """Return the checks of services by name; those of models in this process are left out."""

    async def looked() -> list[Check]:
        async with httpx.AsyncClient() as http:
            return [
                await diagnosis.look_at(service)
                for service in diagnosis.services_of(settings_of(home, sections), http, fresh=False)
                if service.name not in {"parser", "detectors"}
            ]

    checks = asyncio.run(looked())
    assert SECRET not in repr(checks)
    return {check.name: check for check in checks}


def assert_failed(check: Check, *, says: str, mend: str) -> None:
    assert check.state == "failed", check
    assert says in check.detail, check
    assert mend in check.mend, check


def test_a_broker_that_is_down(tmp_path: Path) -> None:
    url = f"redis://:{SECRET}@127.0.0.1:{free_port()}/0"

    check = diagnosis._broker(settings_of(tmp_path, {"queue": {"url": url}}))

    assert SECRET not in repr(check)
    assert_failed(check, says="Connection", mend="start it")


def test_a_broker_that_wants_another_password(tmp_path: Path, valkey_url: str) -> None:
    url = valkey_url.replace("redis://", f"redis://nobody:{SECRET}@")

    check = diagnosis._broker(settings_of(tmp_path, {"queue": {"url": url}}))

    assert SECRET not in repr(check)
    assert_failed(check, says="Authentication", mend="its login")


def test_a_broker_that_speaks_no_tls(tmp_path: Path, valkey_url: str) -> None:
    url = valkey_url.replace("redis://", "rediss://")

    check = diagnosis._broker(settings_of(tmp_path, {"queue": {"url": url}}))

    assert_failed(check, says="no answer", mend="queue.ca_path")


@pytest.mark.parametrize("fault", [Wire.CUT, Wire.GARBLED], ids=lambda each: each.name.lower())
def test_a_database_that_is_down_or_something_else(
    tmp_path: Path, postgres_server: Any, fault: Wire
) -> None:
    with wiretap(at_url(postgres_server.render_as_string(hide_password=False))) as tap:
        tap.set(fault)
        url = f"postgresql://someone:{SECRET}@127.0.0.1:{tap.port}/mithridate?sslmode=disable"

        check = services_of(tmp_path, {"database": {"url": url}})["database"]

    assert_failed(check, says="did not answer", mend="correct database.url")


def test_a_database_of_an_older_schema(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    migrate(url)
    go_back(url, "0005")

    check = services_of(tmp_path, {"database": {"url": url}})["database"]

    assert_failed(check, says="schema is at '0005'", mend="it migrates the schema")


def test_a_bucket_that_is_not_there(tmp_path: Path, s3_url: str, bucket: str) -> None:
    s3 = {
        "bucket": f"{bucket}-not",
        "endpoint": s3_url,
        "allow_http": True,
        "access_key_id": "key",
        "secret_access_key": SECRET,
    }

    check = services_of(tmp_path, {"blobs": {"backend": "s3", "s3": s3}})["blobs"]

    assert_failed(check, says="", mend="bucket")


def test_an_index_that_refuses(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    vectors = {"backend": "weaviate", "weaviate_url": url, "weaviate_api_key": SECRET}

    check = services_of(tmp_path, {"vectors": vectors})["index"]

    assert_failed(check, says="weaviate", mend="`vectors` settings")


def test_an_index_of_a_version_that_is_too_old(tmp_path: Path) -> None:
    with fake_weaviate(version="1.35.9") as server:
        vectors = {
            "backend": "weaviate",
            "weaviate_url": server.url,
            "weaviate_grpc_port": server.grpc_port,
        }

        check = services_of(tmp_path, {"vectors": vectors})["index"]

    assert_failed(check, says="1.35.9", mend="`vectors` settings")


@pytest.mark.parametrize(
    ("fault", "dimensions", "says"),
    [
        (Fault.UNAUTHORISED, DIMENSIONS, "answered 401"),
        (Fault.BROKEN, DIMENSIONS, "answered 500"),
        (None, DIMENSIONS + 1, f"{DIMENSIONS + 1} are configured"),
    ],
)
def test_an_embedder_that_is_not_as_configured(
    tmp_path: Path, fault: Fault | None, dimensions: int, says: str
) -> None:
    with serving() as server:
        server.fault = fault
        endpoint = {"url": server.base_url, "model": MODEL, "api_key": SECRET}
        embedder = {"backend": "openai", "dimensions": dimensions, "endpoint": endpoint}

        check = services_of(tmp_path, {"embedder": embedder})["embedder"]

    assert_failed(check, says=says, mend="embedder.endpoint")


def drafter_checks(home: Path, url: str, model: str = MODEL) -> list[Check]:
    endpoint = {"url": url, "model": model, "api_key": SECRET, "timeout_seconds": 5}
    checks = diagnosis.model_checks(
        settings_of(home, {"drafter": {"backend": "openai", "endpoint": endpoint}})
    )
    assert SECRET not in repr(checks)
    return checks


def test_a_model_server_of_another_model(tmp_path: Path) -> None:
    with serving() as server:
        (right,) = drafter_checks(tmp_path, server.base_url)
        (wrong,) = drafter_checks(tmp_path, server.base_url, model="other")

    assert right.state == "ok"
    assert_failed(wrong, says=f"no model 'other', but {MODEL}", mend="correct the model")


@pytest.mark.anyio
async def test_a_model_server_that_does_not_let_us_in(tmp_path: Path) -> None:
    async with receiving(answer(401)) as server:
        (check,) = await asyncio.to_thread(
            drafter_checks, tmp_path, f"http://127.0.0.1:{server.port}/v1"
        )

    assert_failed(check, says="401", mend="api_key")


def test_a_model_server_that_is_down(tmp_path: Path) -> None:
    (check,) = drafter_checks(tmp_path, f"http://127.0.0.1:{free_port()}/v1")

    assert_failed(check, says="ConnectError", mend="start it")


def test_without_model_servers_none_is_asked(tmp_path: Path) -> None:
    assert diagnosis.model_checks(settings_of(tmp_path, {})) == []


def test_a_disk_that_is_nearly_full(tmp_path: Path) -> None:
    check = diagnosis._room(tmp_path, free=100_000_000)

    assert_failed(check, says="0.1 GB free", mend="make room")


def test_a_data_folder_on_a_disk_that_is_read_only() -> None:
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    read_only = [
        Path(mount[1])
        for mount in mounts
        if "ro" in mount[3].split(",") and Path(mount[1]).is_dir()
    ]
    if not read_only:
        pytest.skip("no disk of this machine is read-only")

    check = diagnosis._data_folder(read_only[0])

    assert_failed(check, says="cannot be written", mend="mount it")
