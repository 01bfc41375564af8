"""The traceback over the question path as it is wired."""

from __future__ import annotations

from domain.answering import AnswerResult, Question
from domain.retrieval import Withheld
from gateway.query.multi_hop import MultiHop
from gateway.query.options import Wishes
from monitors.traceback import Traceback
from runtime.settings import Settings


class AskingAgain:
    """Asks as an asker does, and tells nobody: no record, no observation, no kept answer."""

    def __init__(self, hops: MultiHop) -> None:
        self._hops = hops

    async def ask(self, question: Question, *, without: Withheld) -> AnswerResult:
        """See `domain.traceback.Asking`."""
        return await self._hops.answer(question, Wishes(without=without))


def build_traceback(settings: Settings, *, hops: MultiHop) -> Traceback:
    return Traceback(AskingAgain(hops), most_reruns=settings.monitors.traceback_reruns)
