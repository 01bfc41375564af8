"""The key of a kept answer: everything that made it (Law 15)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def answer_key(*, stamp: str, made_by: str, asked: Mapping[str, object]) -> str:
    """Return the key under which an answer is kept.

    Args:
        stamp: Of the tenant's evidence, read before it was retrieved.
        made_by: What would answer: models, prompts, calibrations, settings, the day's secret.
        asked: Who asks, the question, and every wish of the request.
    """
    written = json.dumps(
        {"stamp": stamp, "made_by": made_by, "asked": asked},
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
