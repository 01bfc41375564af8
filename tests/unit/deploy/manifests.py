"""What the tests of `deploy/` ask of every manifest: settings, commands, paths and tools that exist."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel, SecretStr
from typer.main import get_command

from backends.jobs_celery import ROUTES
from gateway.cli.app import app
from runtime.settings import Settings, load_settings

ROOT: Final = Path(__file__).resolve().parents[3]
DEPLOY: Final = ROOT / "deploy"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SERVED: Final = frozenset(json.loads((ROOT / "docs/openapi.json").read_text("utf-8"))["paths"])
"""Every path that the gateway has; that the file is the code's is another test's."""


def program(name: str) -> str:
    """Return a program of the environment that the tests run in; skip where it has none."""
    path = Path(sys.executable).parent / name
    if not path.exists():
        pytest.skip(f"{name} has no wheel for this platform")
    return str(path)


def ran(command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as in an image, where `python` is ours; machines may have `python3` alone."""
    ours = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=environment or ours
    )


def secrets_made(folder: Path) -> Path:
    """Return a folder with an installation's secrets, by the script that operators run."""
    done = ran([str(DEPLOY / "make-secrets"), str(folder)])
    assert done.returncode == 0, done.stderr
    return folder


def settings_of(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], *, secrets: Path
) -> Settings:
    """Return what a process reads of this environment; its secrets folder is another here."""
    named = {name: value for name, value in environment.items() if name.startswith("MITHRIDATE_")}
    for name, value in {**named, "MITHRIDATE_SECRETS_DIR": str(secrets)}.items():
        monkeypatch.setenv(name, value)
    return load_settings()


def assert_is_a_command(arguments: Sequence[str]) -> None:
    """Fail unless the command line takes these arguments."""
    group = get_command(app)
    with group.make_context("mithridate", list(arguments[:0]), resilient_parsing=True) as context:
        name, command, rest = group.resolve_command(context, list(arguments))  # type: ignore[attr-defined]
        assert name == arguments[0]
        command.make_context(name, rest, parent=context)


def queues_of(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the queues that a worker with this environment serves."""
    named = environment.get("MITHRIDATE_WORKER__QUEUES")
    return frozenset(ROUTES.values() if named is None else json.loads(named))


def secret_variables(
    model: type[BaseModel] = Settings, prefix: str = "MITHRIDATE_"
) -> Iterator[str]:
    """Yield the variable of every setting that holds a secret."""
    for name, field in model.model_fields.items():
        variable = f"{prefix}{name.upper()}"
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from secret_variables(kind, f"{variable}__")
        elif SecretStr.__name__ in repr(kind) or name == "sinks":
            yield variable
