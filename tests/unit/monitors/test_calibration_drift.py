from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT
from domain.feedback import Feedback, FeedbackVerdict
from domain.monitoring import AlertStatus
from monitors.calibration_drift import CalibrationDriftMonitor
from tests.builders import EPOCH
from tests.ledger_rows import observation, question

pytestmark = pytest.mark.anyio

NOW = EPOCH + timedelta(days=1)


@pytest.fixture
def ledger() -> InMemoryLedger:
    return InMemoryLedger(clock=ManualClock(), ids=SequentialIds())


@pytest.fixture
def monitor(ledger: InMemoryLedger) -> CalibrationDriftMonitor:
    return CalibrationDriftMonitor(ledger.feedback, ledger.alerts, ids=SequentialIds())


async def reviewed(
    ledger: InMemoryLedger,
    *,
    right: int,
    wrong: int,
    label: bool = True,
    version: str = "v1",
    outcome: Outcome = Outcome.ANSWER,
    at: datetime = NOW,
) -> None:
    for number in range(right + wrong):
        name = f"{version}-{label}-{outcome}-{at.isoformat()}-{number}"
        seen = observation(name, observed_at=at)
        seen = replace(seen, confidence=0.93, outcome=outcome, calibration_version=version)
        await ledger.questions.add(question(name), seen)
        await ledger.feedback.give(
            Feedback(
                question_id=QuestionId(name),
                tenant_id=DEFAULT_TENANT,
                author="key:reviewer",
                verdict=FeedbackVerdict.RIGHT if number < right else FeedbackVerdict.WRONG,
                answer=None,
                comment=None,
                label=label,
                given_at=at,
            )
        )


async def test_labels_that_say_otherwise_alert_once(
    ledger: InMemoryLedger, monitor: CalibrationDriftMonitor
) -> None:
    await reviewed(ledger, right=30, wrong=30)

    first = await monitor.evaluate(DEFAULT_TENANT, now=NOW)
    again = await monitor.evaluate(DEFAULT_TENANT, now=NOW)

    assert [alert.name for alert in first] == ["calibration-drift"]
    assert first[0].annotations["share_right"] == "0.500"
    assert again == []


async def test_an_alert_ends_when_a_refit_serves(
    ledger: InMemoryLedger, monitor: CalibrationDriftMonitor
) -> None:
    await reviewed(ledger, right=30, wrong=30)
    await monitor.evaluate(DEFAULT_TENANT, now=NOW)
    later = NOW + timedelta(hours=1)
    await reviewed(ledger, right=50, wrong=3, version="v2", at=later)

    changed = await monitor.evaluate(DEFAULT_TENANT, now=later)

    assert [alert.status for alert in changed] == [AlertStatus.RESOLVED]


@pytest.mark.parametrize(
    ("label", "outcome", "age"),
    [
        (False, Outcome.ANSWER, timedelta()),
        (True, Outcome.ABSTAIN, timedelta()),
        (True, Outcome.ANSWER, timedelta(days=31)),
    ],
)
async def test_proposals_abstentions_and_old_labels_do_not_count(
    ledger: InMemoryLedger,
    monitor: CalibrationDriftMonitor,
    label: bool,
    outcome: Outcome,
    age: timedelta,
) -> None:
    await reviewed(ledger, right=0, wrong=60, label=label, outcome=outcome, at=NOW - age)

    assert await monitor.evaluate(DEFAULT_TENANT, now=NOW) == []
