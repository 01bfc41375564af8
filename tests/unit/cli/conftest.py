from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gateway.cli.app import app


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, on a data folder of its own."""
    for name in [name for name in os.environ if name.startswith("MITHRIDATE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def run(
        *arguments: str, environment: Mapping[str, str] | None = None, stdin: bytes | str = ""
    ) -> Ran:
        words: Sequence[str] = arguments
        result = CliRunner().invoke(
            app,
            words,
            input=stdin,
            env={"MITHRIDATE_DATA_DIR": str(tmp_path / "data"), **(environment or {})},
            prog_name="mithridate",
        )
        return Ran(code=result.exit_code, out=result.stdout, err=result.stderr)

    return run
