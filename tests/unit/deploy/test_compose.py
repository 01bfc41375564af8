"""The compose file is of compose's form, closed by default, and names only what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from backends.jobs_celery import ROUTES
from runtime.audit import audit_keys, checkpoint_signer
from runtime.secrets import instance_secret
from runtime.storage import build_vectors
from tests.unit.deploy.manifests import (
    DEPLOY,
    SERVED,
    assert_is_a_command,
    program,
    queues_of,
    ran,
    secrets_made,
    settings_of,
)

COMPOSE = DEPLOY / "compose.yaml"
CONTENT: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))
SERVICES: dict[str, dict[str, Any]] = CONTENT["services"]
OURS = sorted(name for name in SERVICES if name == "gateway" or name.startswith("worker-"))
OUTSIDE = {"gateway", "worker-control"}

every_service = pytest.mark.parametrize("name", sorted(SERVICES))


def checked(file: Path) -> tuple[int, str]:
    done = ran([program("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(file)])
    return done.returncode, done.stdout


def test_the_file_is_of_the_compose_specifications_form() -> None:
    code, said = checked(COMPOSE)

    assert code == 0, said


def test_what_is_not_of_that_form_would_be_found(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE.read_text("utf-8").replace("read_only: true", "readonly: true"))

    code, said = checked(file)

    assert code == 1
    assert "readonly" in said


@every_service
def test_a_service_can_change_nothing_but_its_volumes(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "cap_add", "pid", "ipc", "network_mode", "devices"} & set(service)
    assert not any("docker.sock" in volume for volume in service.get("volumes", []))


@every_service
def test_a_service_has_limits_and_a_health_check(name: str) -> None:
    service = SERVICES[name]

    assert {"cpus", "memory", "pids"} <= set(service["deploy"]["resources"]["limits"])
    # The gateway's is its image's.
    assert "healthcheck" in service or name == "gateway"


@every_service
def test_a_service_is_pinned_by_version(name: str) -> None:
    image = SERVICES[name]["image"]

    assert re.search(r":v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?$", image), image


@every_service
def test_only_what_is_reached_or_delivers_is_on_the_network_that_leads_out(name: str) -> None:
    assert ("outside" in SERVICES[name]["networks"]) == (name in OUTSIDE)
    assert CONTENT["networks"]["inside"]["internal"] is True


def test_only_the_gateway_has_a_port_and_that_on_this_host_alone() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}

    assert list(ports) == ["gateway"]
    assert all(port.startswith("127.0.0.1:") for port in ports["gateway"])


@pytest.mark.parametrize("name", OURS)
def test_a_process_of_ours_reads_its_settings_and_secrets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    made = secrets_made(tmp_path / "secrets")
    given = tmp_path / "given"
    given.mkdir()
    for each in SERVICES[name]["secrets"]:
        (given / each).symlink_to(made / each)
    environment = {key: str(value) for key, value in SERVICES[name]["environment"].items()}
    environment["MITHRIDATE_AUDIT__SIGNING_KEY_PATH"] = str(given / "audit-signing.pem")
    environment["MITHRIDATE_DATA_DIR"] = str(tmp_path / "data")

    settings = settings_of(monkeypatch, environment, secrets=given)

    assert SERVICES[name]["environment"]["MITHRIDATE_SECRETS_DIR"] == "/run/secrets"
    assert settings.database.url is not None
    assert "@postgres:5432/mithridate" in settings.database.url.get_secret_value()
    assert settings.queue.url is not None
    assert settings.vectors.weaviate_api_key is not None
    assert not settings.local_admin_key
    assert len(instance_secret(settings)) == 32
    assert audit_keys(settings).former == ()
    assert checkpoint_signer(settings).name
    build_vectors(settings, dimensions=384)
    assert not (tmp_path / "data").exists(), "a key was made that no other host has"


@pytest.mark.parametrize("name", OURS)
def test_a_process_of_ours_is_a_command(name: str) -> None:
    assert_is_a_command(SERVICES[name]["command"])


def test_every_queue_is_served_and_by_who_may_go_where_its_jobs_lead() -> None:
    served = {name: queues_of(SERVICES[name]["environment"]) for name in OURS if name != "gateway"}

    assert frozenset().union(*served.values()) == frozenset(ROUTES.values())
    reading = ROUTES["documents.ingest"]
    delivering = ROUTES["alerts.deliver"]
    assert all(name not in OUTSIDE for name, queues in served.items() if reading in queues)
    assert all(name in OUTSIDE for name, queues in served.items() if delivering in queues)


def test_the_secrets_are_those_that_the_script_makes(tmp_path: Path) -> None:
    made = {path.name for path in secrets_made(tmp_path / "secrets").iterdir()}

    files = {Path(each["file"]).name for each in CONTENT["secrets"].values()}
    beside = {
        Path(each["path"]).name
        for service in SERVICES.values()
        for each in service.get("env_file", [])
    }
    assert files | beside == made


def test_the_script_never_overwrites(tmp_path: Path) -> None:
    made = secrets_made(tmp_path / "secrets")
    before = {path.name: path.read_bytes() for path in made.iterdir()}

    again = ran([str(DEPLOY / "make-secrets"), str(made)])

    assert again.returncode == 1
    assert {path.name: path.read_bytes() for path in made.iterdir()} == before
    assert made.stat().st_mode & 0o077 == 0


def test_no_two_installations_share_a_secret(tmp_path: Path) -> None:
    one, other = (secrets_made(tmp_path / name) for name in ("one", "other"))

    for path in one.iterdir():
        assert path.read_bytes() != (other / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", [name for name in OURS if name != "gateway"])
def test_a_workers_health_is_the_age_of_its_sign(tmp_path: Path, name: str) -> None:
    sign = tmp_path / "worker.alive"
    path = SERVICES[name]["environment"]["MITHRIDATE_WORKER__ALIVE_PATH"]
    kind, *command = SERVICES[name]["healthcheck"]["test"]
    command = [part.replace(path, str(sign)) for part in command]

    before = ran(command).returncode
    sign.touch()
    fresh = ran(command).returncode
    ran(["touch", "-d", "10 minutes ago", str(sign)])
    stale = ran(command).returncode

    assert kind == "CMD"
    assert (before == 0, fresh == 0, stale == 0) == (False, True, False)


def test_the_port_that_is_published_is_the_gateways() -> None:
    environment = SERVICES["gateway"]["environment"]

    for port in SERVICES["gateway"]["ports"]:
        assert port.rpartition(":")[2] == environment["MITHRIDATE_SERVER__PORT"]
    assert "/healthz" in SERVED


def test_services_that_are_depended_on_have_a_health_check() -> None:
    for name in OURS:
        for other, condition in SERVICES[name]["depends_on"].items():
            assert condition == {"condition": "service_healthy"}
            assert "healthcheck" in SERVICES[other]


def test_models_and_data_are_mounted_where_they_are_read() -> None:
    for name in ("drafter", "verifier"):
        command = SERVICES[name]["command"]
        assert command[command.index("--model") + 1] == f"/models/{name}"
        assert SERVICES[name]["volumes"] == ["./models:/models:ro"]
    for name in OURS:
        assert SERVICES[name]["volumes"] == ["data:/var/lib/mithridate"]
