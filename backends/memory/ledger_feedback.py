"""What people said of answers, in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from backends.ledger import entries
from backends.ledger.cursors import require_limit
from backends.memory.ledger_access import InMemoryJournal
from backends.memory.ledger_monitoring import InMemoryObservationLedger, InMemoryQuestionLedger
from domain.answering import QuestionId
from domain.documents import TenantId
from domain.feedback import Feedback, FeedbackVerdict, LabelledOutcome


class InMemoryFeedbackLedger:
    def __init__(
        self,
        journal: InMemoryJournal,
        questions: InMemoryQuestionLedger,
        observations: InMemoryObservationLedger,
    ) -> None:
        self._journal = journal
        self._questions = questions
        self._observations = observations
        self._given: dict[tuple[TenantId, QuestionId, str], Feedback] = {}

    async def give(self, given: Feedback) -> None:
        await self._questions.get(given.tenant_id, given.question_id)
        self._given[given.tenant_id, given.question_id, given.author] = given
        self._journal.write(entries.feedback_given(given))

    async def of_question(self, tenant_id: TenantId, question_id: QuestionId) -> Sequence[Feedback]:
        found = [
            given
            for (tenant, question, _), given in self._given.items()
            if (tenant, question) == (tenant_id, question_id)
        ]
        found.sort(key=lambda given: given.author)
        found.sort(key=lambda given: (given.label, given.given_at), reverse=True)
        return found

    async def labelled(
        self, tenant_id: TenantId, *, since: datetime, limit: int
    ) -> Sequence[LabelledOutcome]:
        require_limit(limit)
        labels = [
            (given, seen)
            for given in self._given.values()
            if given.tenant_id == tenant_id
            and given.label
            and given.given_at >= since
            and (seen := self._observations.of_question(given.question_id)) is not None
        ]
        labels.sort(key=lambda pair: pair[0].author)
        labels.sort(key=lambda pair: pair[0].given_at, reverse=True)
        found: dict[QuestionId, LabelledOutcome] = {}
        for given, seen in labels[:limit]:
            found.setdefault(
                given.question_id,
                LabelledOutcome(
                    question_id=given.question_id,
                    right=given.verdict is FeedbackVerdict.RIGHT,
                    outcome=seen.outcome,
                    confidence=seen.confidence,
                    calibration_version=seen.calibration_version,
                ),
            )
        return list(found.values())
