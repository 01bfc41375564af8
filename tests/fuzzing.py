"""Runs schemathesis against a gateway, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]
_SEED: Final = "20260101"
_GRACE_SECONDS: Final = 600
_SECONDS_AN_EXAMPLE: Final = 60
"""Of all operations together, on a machine that does much else."""


def fuzz(
    url: str,
    folder: Path,
    *,
    authorization: str | None,
    phases: str = "examples,coverage,fuzzing,stateful",
    examples: int,
) -> str:
    """Send what the OpenAPI document allows and what it does not; return the report.

    Args:
        url: Of the gateway.
        folder: Where schemathesis may write.
        authorization: The header's value; None sends none.
        phases: Of schemathesis, by their names.
        examples: Greatest number of generated calls of an operation in a phase. There is no limit
            of time: with one, a slower machine would send other calls.

    Raises:
        AssertionError: A check failed; the message is the report.
    """
    command = [
        *(sys.executable, "-m", "schemathesis.cli"),
        *("--config-file", str(_ROOT / "tests" / "schemathesis.toml")),
        *("run", f"{url}/openapi.json", "--no-color", "--continue-on-failure", "--seed", _SEED),
        *("--phases", phases, "--max-examples", str(examples), "--request-timeout", "30"),
        *("--output-truncate", "false"),
    ]
    if authorization is not None:
        command += ["--header", f"Authorization: {authorization}"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.fuzz_hooks", "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=_GRACE_SECONDS + _SECONDS_AN_EXAMPLE * examples,
        check=False,
    )
    report = done.stdout + done.stderr
    assert done.returncode == 0, report
    return report


def assert_all_tested(report: str) -> None:
    """Fail unless every operation of the OpenAPI document was tested."""
    selected = re.search(r"Selected: (\d+)/\1\b", report)
    assert selected is not None, report
    assert f"Tested: {selected[1]}" in report, report
