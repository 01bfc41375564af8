"""Writes the bill of materials of an installation: CycloneDX 1.5, JSON, the same for the same lock.

    .venv/bin/python -m scripts.sbom dist/mithridate.cdx.json

`uv export` lists what uv.lock locks, with the hashes of every file. This adds what it leaves out: licences,
the model files that ship, and no moment of its own (`SOURCE_DATE_EPOCH` gives one).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scripts.licences import PAGE, PROJECT, ROOT, UNSEEN, known_of

EXTRAS: Final = ("oidc", "otel", "postgres", "s3", "weaviate")
"""As in the image, deploy/Dockerfile."""
MODELS: Final = ROOT / "backends" / "models"


def exported() -> dict[str, Any]:
    """Return what uv says is locked, without what is for development.

    Raises:
        RuntimeError: uv is not there, or refuses.
    """
    uv = shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    done = subprocess.run(  # noqa: S603 - our own lock, by the uv that made the environment
        [uv, "export", "--frozen", "--quiet", "--no-dev", "--format", "cyclonedx1.5", *extras],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"uv export failed: {done.stderr.strip()}")
    content: dict[str, Any] = json.loads(done.stdout)
    return content


def bill(content: Mapping[str, Any], *, moment: datetime | None) -> dict[str, Any]:
    """Return the bill of materials: what uv exported, with licences and models."""
    licences = known_of(PAGE.read_text(encoding="utf-8"))
    components = [
        {**component, **_licence(licences.get(component["name"], UNSEEN))}
        for component in content["components"]
        if component["name"] != PROJECT
    ]
    metadata = {**content["metadata"]}
    metadata.pop("timestamp", None)
    if moment is not None:
        metadata["timestamp"] = moment.isoformat().replace("+00:00", "Z")
    made = {
        **content,
        "metadata": {
            **metadata,
            "component": {**metadata["component"], **_licence("Apache-2.0")},
        },
        "components": [*components, *models()],
    }
    made.pop("serialNumber", None)
    digest = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()
    return {**made, "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}"}


def models() -> Iterator[dict[str, Any]]:
    """Yield the model files that ship, by the hashes that loading them checks."""
    for path in sorted(MODELS.glob("*/manifest.json")):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for name, file in sorted(manifest["files"].items()):
            yield {
                "type": "machine-learning-model" if name.endswith(".onnx") else "data",
                "bom-ref": f"model:{path.parent.name}/{name}",
                "name": f"{path.parent.name}/{name}",
                "hashes": [{"alg": "SHA-256", "content": file["sha256"]}],
                **_licence("Apache-2.0"),
            }


def _licence(expression: str) -> dict[str, Any]:
    if expression == UNSEEN:
        return {}
    if any(word in expression.split() for word in ("AND", "OR")):
        return {"licenses": [{"expression": expression}]}
    return {"licenses": [{"license": {"name": expression}}]}


def main() -> int:
    """Write the bill of materials to the file named."""
    parser = argparse.ArgumentParser(prog="sbom", description=__doc__)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = None if epoch is None else datetime.fromtimestamp(int(epoch), UTC)
    made = bill(exported(), moment=moment)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{out}: {len(made['components'])} components\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
