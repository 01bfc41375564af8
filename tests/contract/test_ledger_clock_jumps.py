"""A host's clock that is set forward or back holds up no document and gives none two verdicts."""

from __future__ import annotations

import pytest

from backends.memory.clock import START, ManualClock
from domain.documents import DocumentId
from domain.errors import ScanUnderWayError
from domain.ledger import Ledger
from tests.ledger_rows import settlement, upload

pytestmark = pytest.mark.anyio

ONE = DocumentId("doc_one")
LEASE = 20.0


@pytest.mark.parametrize("seconds", [3600.0, -3600.0, -86_400.0])
async def test_after_a_jump_a_dead_scan_is_taken_over_and_settled_once(
    ledger: Ledger, clock: ManualClock, seconds: float
) -> None:
    await ledger.documents.receive(upload("one", received_at=START), claim=None)
    await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    clock.jump(seconds)
    taken_over = await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    assert taken_over is not None
    assert taken_over.attempts == 2
    assert not await ledger.documents.extend_lease(ONE, attempt=1)
    # Whoever of the two comes first settles; the other finds it settled.
    both = [await ledger.documents.settle(ONE, settlement(ONE)) for _ in range(2)]
    assert both == [True, False]


@pytest.mark.parametrize("seconds", [0.0, -5.0, 5.0])
async def test_clocks_that_differ_a_little_leave_a_live_scan_alone(
    ledger: Ledger, clock: ManualClock, seconds: float
) -> None:
    await ledger.documents.receive(upload("one", received_at=START), claim=None)
    await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)

    clock.jump(seconds)

    with pytest.raises(ScanUnderWayError) as caught:
        await ledger.documents.begin_attempt(ONE, lease_seconds=LEASE)
    assert caught.value.retry_after_seconds <= 2 * LEASE
