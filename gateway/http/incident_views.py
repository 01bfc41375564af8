"""What an incident would change, and the report of one that is over."""

from __future__ import annotations

from collections.abc import Sequence

from domain.answering import AnswerResult, Outcome, Question
from domain.documents import TenantId
from domain.errors import NotFoundError
from domain.escaping import markdown
from domain.incidents import Incident
from domain.ledger import JournalEntry
from domain.monitoring import Observation
from domain.retrieval import NOTHING_WITHHELD, Withheld
from gateway.http.models_incidents import (
    ChangedAnswer,
    DryRun,
    IncidentModel,
    IncidentReport,
    TopicShareModel,
)
from gateway.http.models_questions import TraceModel
from monitors.observer import normal_form
from runtime.traceback import AskingAgain
from runtime.wiring import Services

_MOST_ENTRIES = 1_000


async def dry_run(services: Services, incident: Incident) -> DryRun:
    """Return what would go and which answers change: the latest questions are asked again.

    Raises:
        TransientError: Index, model or ledger did not answer.
    """
    shares = await services.containment.shares(incident.tenant_id, incident.documents)
    touched = await services.containment.touched(incident.tenant_id, incident.documents, until=None)
    latest = list({one.question_key: one for one in touched}.values())
    most = services.settings.monitors.traceback_questions
    return DryRun(
        incident=IncidentModel.of(incident),
        topics=[TopicShareModel.of(one) for one in shares],
        needs_approval=any(one.needs_approval for one in shares),
        touched=len(touched),
        answers=await _changes(services, incident, latest[-most:]),
    )


async def report(services: Services, incident: Incident) -> IncidentReport:
    """Return the incident with its timeline and the answers to recall, given again or not."""
    touched = await services.containment.touched(
        incident.tenant_id, incident.documents, until=incident.contained_at
    )
    answered = [one.question_id for one in touched if one.outcome is not Outcome.ABSTAIN]
    again = await services.ledger.questions.given_again(
        incident.tenant_id, answered, until=incident.contained_at
    )
    recall = [str(one) for one in (*answered, *again)]
    entries = await services.ledger.journal.entries(
        incident.tenant_id, object_id=incident.id, limit=_MOST_ENTRIES
    )
    return IncidentReport(
        incident=IncidentModel.of(incident),
        recall=recall,
        markdown=written(incident, entries, recall),
    )


def written(incident: Incident, entries: Sequence[JournalEntry], recall: Sequence[str]) -> str:
    """Return the report in Markdown; whatever people wrote is shown and does nothing."""
    lines = [
        f"# Incident {markdown(incident.id)}",
        "",
        f"- status: {incident.status.value}",
        f"- opened from: {markdown(incident.cause)}",
        f"- reason: {markdown(incident.reason)}",
        f"- documents: {len(incident.documents)}",
        f"- answers to recall: {len(recall)}",
        "",
        "## Timeline",
        "",
        *(_told(entry) for entry in sorted(entries, key=lambda entry: entry.seq)),
        "",
        "## Documents",
        "",
        *(f"- {markdown(name)}" for name in sorted(incident.documents)),
        "",
        "## Answers to recall",
        "",
        *([f"- {markdown(name)}" for name in recall] or ["none"]),
    ]
    return "\n".join(lines) + "\n"


def _told(entry: JournalEntry) -> str:
    why = f": {markdown(entry.reason)}" if entry.reason else ""
    at = f"{entry.at:%Y-%m-%d %H:%M:%S} UTC"
    return f"- {at}, {markdown(entry.action)} by {markdown(entry.actor)}{why}"


async def _changes(
    services: Services, incident: Incident, observed: Sequence[Observation]
) -> list[ChangedAnswer]:
    asking = AskingAgain(services.hops)
    withheld = Withheld(documents=incident.documents)
    found: list[ChangedAnswer] = []
    for one in observed:
        question = await _question(services, incident.tenant_id, one)
        if question is None:
            continue
        now = await asking.ask(question, without=NOTHING_WITHHELD)
        then = await asking.ask(question, without=withheld)
        found.append(ChangedAnswer(question_id=question.id, changes=_says(now) != _says(then)))
    return found


async def _question(
    services: Services, tenant_id: TenantId, observed: Observation
) -> Question | None:
    try:
        record = await services.ledger.questions.get(tenant_id, observed.question_id)
    except NotFoundError:
        return None  # it was kept for long enough
    asked = TraceModel.model_validate_json(record.trace)
    return Question(id=record.id, tenant_id=tenant_id, text=asked.question)


def _says(result: AnswerResult) -> str | None:
    """Return what is answered, wording aside; None where nothing is."""
    if result.answer is None or result.best is None:
        return None
    return normal_form(result.question.text, result.best.answer)
