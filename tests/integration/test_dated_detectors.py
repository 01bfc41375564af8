"""What is in the future is decided on the day of the scan, however long the process has lived."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from domain.documents import OriginKind, OriginRef
from tests.world import build_world

pytestmark = pytest.mark.anyio

CITING = "The seal was first described in arXiv:{month}.00001, where its wear was measured too.\n"


async def test_a_citation_is_no_longer_of_the_future_once_its_year_has_come(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path)
    month_to_come = f"{world.clock.now().year + 2 - 2000}01"
    text = CITING.format(month=month_to_come)

    early = await world.upload(text, origin=OriginRef(kind=OriginKind.UPLOADER, id="early"))
    world.clock.advance(timedelta(days=3 * 365).total_seconds())
    late = await world.upload(text + "\nv2\n", origin=OriginRef(kind=OriginKind.UPLOADER, id="b"))

    before, after = [await world.assessment(one.id) for one in (early, late)]
    assert any(f.rule.startswith("citations.") for f in before.report.findings)
    assert not any(f.rule.startswith("citations.") for f in after.report.findings)
