"""A bulk import holds nobody up, several workers share the work, and a restart loses none of it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from benchmarks.load.pages import varied_page
from tests.e2e.stack import Stack, running_stack, until
from tests.e2e.test_failures import verdicts

pytestmark = [pytest.mark.integration, pytest.mark.slow]

IMPORTED = 16


def undecided(stack: Stack, ids: list[str]) -> list[str]:
    return [each for each in ids if stack.document(each)["verdict"] is None]


def test_a_single_upload_passes_a_bulk_import(tmp_path: Path) -> None:
    settings = {"MITHRIDATE_QUEUE__BULK_AFTER": "2"}
    with running_stack(tmp_path / "data", settings=settings) as stack:
        single = stack.key("documents:write", origin="uploader:single")
        imported = [stack.upload(varied_page(number))["id"] for number in range(IMPORTED)]

        one = stack.upload("# Notice\n\nThe quay is closed on Friday.", headers=single)["id"]
        found = stack.verdict(one)
        behind = undecided(stack, imported)

        assert found["verdict"] == "admit"
        # It came last and was not served last: by turns with the import, not after it.
        assert len(behind) > IMPORTED // 2
        # Nor does the import starve.
        until(lambda: not undecided(stack, imported), "the import to be over")


def test_workers_restarted_one_by_one_lose_no_document_and_decide_none_twice(
    tmp_path: Path,
) -> None:
    with running_stack(tmp_path / "data", workers=2) as stack:
        ids = [stack.upload(varied_page(100 + number))["id"] for number in range(12)]

        for name in sorted(set(stack.pids("gateway.cli worker"))):
            # The supervisor brings each back; SIGTERM lets it finish what it scans.
            try:
                os.kill(name, signal.SIGTERM)
            except ProcessLookupError:
                continue
            ids.append(stack.upload(varied_page(name))["id"])

        found = [stack.verdict(each) for each in ids]

        assert {each["verdict"] for each in found} == {"admit"}
        assert [verdicts(stack, each) for each in ids] == [1] * len(ids)
