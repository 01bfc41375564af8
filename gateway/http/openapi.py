"""`python -m gateway.http.openapi PATH`: writes the OpenAPI document, which is committed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gateway.http.app import create_app
from runtime.settings import Settings


def render() -> str:
    """Return the OpenAPI document as committed: sorted keys, two spaces, a final newline."""
    schema = create_app(Settings()).openapi()
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render(), encoding="utf-8")
