"""Whatever is sent to a running stack: nothing 5xx, and every answer as the OpenAPI document says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.e2e.stack import Stack
from tests.fuzzing import assert_all_tested, fuzz

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.timeout(0),  # schemathesis has one of its own
]

EXAMPLES = int(os.environ.get("MITHRIDATE_FUZZ_CALLS", "8"))
"""Of each operation in a phase; `make fuzz` sends more."""


def test_with_the_admin_key_every_answer_is_as_documented(stack: Stack, tmp_path: Path) -> None:
    authorization = stack.client.headers["Authorization"]
    before = server_errors(stack)

    report = fuzz(stack.url, tmp_path, authorization=authorization, examples=EXAMPLES)

    assert_all_tested(report)
    assert server_errors(stack) == before


def test_without_a_key_every_answer_is_as_documented(stack: Stack, tmp_path: Path) -> None:
    before = server_errors(stack)

    report = fuzz(stack.url, tmp_path, authorization=None, phases="fuzzing", examples=5)

    assert_all_tested(report)
    assert server_errors(stack) == before


def server_errors(stack: Stack) -> dict[str, float]:
    """Return how often each route answered 5xx, as the gateway counted; `/readyz` may at the start."""
    families = text_string_to_metric_families(stack.client.get("/metrics").text)
    return {
        sample.labels["route"]: sample.value
        for family in families
        for sample in family.samples
        if sample.name == "mithridate_http_requests_total" and sample.labels["status"] >= "500"
    }
