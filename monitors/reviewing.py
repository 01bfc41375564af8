"""Puts a sample of the questions that an alert is about before reviewers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from domain.alerting import Review, ReviewLedger
from domain.answering import QuestionId
from domain.errors import NotFoundError
from domain.ledger import ObservationLedger, QuestionLedger
from domain.monitoring import Alert, TopicId

_WINDOW: Final = 200
"""Latest questions of a topic, whose askers are its reach."""


class ReviewSampler:
    """Takes `sample` questions of an alert; of one asker no more than `quota` wait at a time.

    Which ones is decided by a hash of alert and question: the same after a restart, and by nothing
    that an asker can choose.
    """

    def __init__(
        self,
        questions: QuestionLedger,
        observations: ObservationLedger,
        reviews: ReviewLedger,
        *,
        sample: int,
        quota: int,
    ) -> None:
        self._questions = questions
        self._observations = observations
        self._reviews = reviews
        self._sample = sample
        self._quota = quota

    async def take(self, alert: Alert, *, now: datetime) -> int:
        """Queue the alert's sample; return how many are new. Doing it twice adds none.

        Raises:
            TransientError: The ledger did not answer.
        """
        chosen = sampled(alert, self._sample)
        if not chosen:
            return 0
        reach = await self._reach(alert)
        found: list[Review] = []
        for question_id in chosen:
            try:
                record = await self._questions.get(alert.tenant_id, question_id)
            except NotFoundError:
                continue  # it was kept for long enough
            found.append(
                Review(
                    tenant_id=alert.tenant_id,
                    question_id=question_id,
                    principal=record.principal,
                    alert_id=alert.id,
                    severity=alert.severity,
                    reach=reach,
                    added_at=now,
                )
            )
        return await self._reviews.add(found, quota=self._quota)

    async def _reach(self, alert: Alert) -> int:
        topic = alert.labels.get("topic")
        if topic is None:
            return 1
        seen = await self._observations.window(alert.tenant_id, TopicId(topic), limit=_WINDOW)
        return max(1, len({one.principal for one in seen}))


def sampled(alert: Alert, count: int) -> Sequence[QuestionId]:
    """Return the ids that are taken of those in the alert's annotation `questions`."""
    given = [one for one in alert.annotations.get("questions", "").split(",") if one]

    def rank(question_id: str) -> str:
        return hashlib.sha256(f"{alert.id}\n{question_id}".encode()).hexdigest()

    return [QuestionId(one) for one in sorted(dict.fromkeys(given), key=rank)[:count]]
