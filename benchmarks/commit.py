"""What a report was measured on."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]


def commit() -> str:
    """Return the short name of the commit that is checked out; `no commit` outside of one."""
    said = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip() or "no commit"
