"""What a worker imports before it forks: the slow part, and nothing that a fork would break."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHILD = """
import json, os, sys
from runtime.settings import Settings
from workers.process import import_ahead

settings = Settings.model_validate({"vectors": {"backend": sys.argv[1]}})
threads = len(os.listdir("/proc/self/task"))
import_ahead(settings)
print(json.dumps({
    "threads": len(os.listdir("/proc/self/task")) - threads,
    "has": [name for name in ("presidio_analyzer", "lance_namespace", "lancedb") if name in sys.modules],
}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.parametrize(
    ("backend", "imported"),
    [
        ("lancedb", ["presidio_analyzer", "lance_namespace"]),
        ("memory", ["presidio_analyzer"]),
    ],
)
def test_slow_imports_are_made_ahead_and_start_no_thread(backend: str, imported: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, backend],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    assert json.loads(done.stdout) == {"threads": 0, "has": imported}
