"""What people said of answers, in this process's memory."""

from __future__ import annotations

from collections.abc import Sequence

from backends.ledger import entries
from backends.memory.ledger_access import InMemoryJournal
from backends.memory.ledger_monitoring import InMemoryQuestionLedger
from domain.answering import QuestionId
from domain.documents import TenantId
from domain.feedback import Feedback


class InMemoryFeedbackLedger:
    def __init__(self, journal: InMemoryJournal, questions: InMemoryQuestionLedger) -> None:
        self._journal = journal
        self._questions = questions
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
