from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.unit.cli.conftest import Run

CONTENT = b"GGUF, or so it says"


def test_a_model_is_listed_only_with_the_right_hash(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(CONTENT)
    right = hashlib.sha256(CONTENT).hexdigest()

    refused = run("models", "add", str(path), "--sha256", "0" * 64)
    before = json.loads(run("models", "list", "--json").out)
    added = run("models", "add", str(path), "--sha256", right, "--json")
    after = json.loads(run("models", "list", "--json").out)

    assert refused.code == 2
    assert before == {"items": []}
    assert json.loads(added.out)["sha256"] == right
    assert [one["name"] for one in after["items"]] == ["m"]


def test_a_name_that_is_not_pinned_is_refused_before_the_network(run: Run) -> None:
    assert run("models", "pull", "anything").code == 2
