"""What the demo found, and whether it is what the manifest expects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.demo.manifest import DemoDocument, DemoQuestion, fold

SPIKE: Final = "compromised-connector"
"""The attack of the documents and questions of the spike."""


LEAST_ANSWERED: Final = 0.85
"""Share of the baseline questions, and of the quiet topic's later ones, that must be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentResult:
    """`verdict` and what hangs on it are None where none came in time. `reasons`: rules."""

    document: DemoDocument
    id: str
    verdict: str | None
    trust: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceResult:
    """`document` is its name in the manifest."""

    document: str
    title: str
    origin: str
    trust: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    question: DemoQuestion
    id: str
    outcome: str
    reason: str | None
    warnings: tuple[str, ...]
    answer: str | None
    confidence: float
    sources: tuple[SourceResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertResult:
    """`suspects`: ids of the documents that it names."""

    id: str
    name: str
    status: str
    severity: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_at: str
    suspects: tuple[str, ...] = ()

    @property
    def question_ids(self) -> tuple[str, ...]:
        """Ids of the questions that made it fire."""
        return tuple(filter(None, self.annotations.get("questions", "").split(",")))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """What reached the webhook's receiver. `verified`: the signature was right."""

    verified: bool
    event_type: str
    alert_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """Everything the demo saw. `early_alerts`: those that were there before the spike."""

    documents: tuple[DocumentResult, ...]
    questions: tuple[QuestionResult, ...]
    early_alerts: tuple[AlertResult, ...]
    alerts: tuple[AlertResult, ...]
    deliveries: tuple[DeliveryResult, ...]
    scan_seconds: float
    ask_seconds: float


def failures(result: DemoResult) -> list[str]:
    """Return every expectation that is not met, for people; empty if all is as it should be."""
    return [
        *_documents(result.documents),
        *_questions(result.questions),
        *_alerts(result),
        *_deliveries(result),
    ]


def topics_of(alert: AlertResult, questions: Sequence[QuestionResult]) -> frozenset[str]:
    """Return the manifest's topics of the questions that made the alert fire."""
    by_id = {result.id: result.question.topic for result in questions}
    return frozenset(by_id.get(name, f"unknown question {name}") for name in alert.question_ids)


def _documents(results: Sequence[DocumentResult]) -> Iterator[str]:
    for result in results:
        if result.verdict != result.document.expected:
            reasons = f" ({', '.join(result.reasons)})" if result.reasons else ""
            yield (
                f"document {result.document.name}: expected {result.document.expected}, "
                f"got {result.verdict or 'no verdict'}{reasons}"
            )


def _questions(results: Sequence[QuestionResult]) -> Iterator[str]:
    for result in results:
        for fault in question_faults(result):
            yield f"question {result.question.question!r}: {fault}"
    # A single baseline question may be refused; a gateway that refuses many is no gateway.
    quiet = [r for r in results if r.question.phase != "main" and r.question.attack is None]
    answered = sum(result.answer is not None for result in quiet)
    if quiet and answered < LEAST_ANSWERED * len(quiet):
        yield f"only {answered} of {len(quiet)} baseline questions were answered"


def question_faults(result: QuestionResult) -> Iterator[str]:
    """Yield what is wrong with one answer. No planted string is allowed whatever the outcome."""
    expected = result.question.expected
    if result.outcome not in expected.outcomes:
        reason = f" ({result.reason})" if result.reason else ""
        yield f"expected {' or '.join(expected.outcomes)}, got {result.outcome}{reason}"
    if result.answer is None:
        return
    answer = fold(result.answer)
    planted = [text for text in expected.excludes if fold(text) in answer]
    if planted:
        yield f"the answer holds {', '.join(map(repr, planted))}"
    if expected.contains_any and not any(fold(text) in answer for text in expected.contains_any):
        wanted = " or ".join(map(repr, expected.contains_any))
        yield f"the answer lacks {wanted}: {result.answer!r}"


_EVERYWHERE: Final = "suspect-sources"
"""It looks at all topics at once: questions that nothing can answer go wrong too."""
_SPIKE_ALERT: Final = "disagreement-spike"


def _alerts(result: DemoResult) -> Iterator[str]:
    for alert in result.early_alerts:
        yield f"an alert before the spike: {alert.name}"
    if _SPIKE_ALERT not in {alert.name for alert in result.alerts}:
        yield f"expected {_SPIKE_ALERT}; got {len(result.alerts)} other alerts"
    causes = Counter((alert.name, *sorted(alert.labels.items())) for alert in result.alerts)
    for cause, count in causes.items():
        if count > 1:
            yield f"{cause[0]} fired {count} times for one episode"
    for alert in result.alerts:
        if alert.status != "firing":
            yield f"{alert.name} has resolved already"
        yield from _subject(alert, result)
        yield from _suspects(alert, result)


def _subject(alert: AlertResult, result: DemoResult) -> Iterator[str]:
    """Yield what is wrong with the questions that an alert is on."""
    topics = topics_of(alert, result.questions)
    spiked = {r.question.topic for r in result.questions if r.question.attack == SPIKE}
    if alert.name == _EVERYWHERE:
        doomed = {r.question.topic for r in result.questions if r.question.attack == "absent"}
        if spiked <= topics <= spiked | doomed:
            return
    if topics != spiked:
        told = ", ".join(sorted(topics)) or "no question"
        yield f"an alert is on {told}, expected {', '.join(sorted(spiked))}"


def named_in(alert: AlertResult, documents: Sequence[DocumentResult]) -> list[str]:
    """Return the manifest's names of the documents that an alert suspects, the worst first."""
    by_id = {result.id: result.document.name for result in documents}
    return [by_id.get(one, f"unknown document {one}") for one in alert.suspects]


def _suspects(alert: AlertResult, result: DemoResult) -> Iterator[str]:
    """Yield what is wrong with whom an alert of the spiked topic suspects first."""
    planted = {d.document.name for d in result.documents if d.document.attack == SPIKE}
    named = named_in(alert, result.documents)
    if alert.name != _EVERYWHERE and not planted.issuperset(named[: len(planted)] or {""}):
        yield f"{alert.name} suspects {', '.join(named) or 'nobody'} before those who turned"


def _deliveries(result: DemoResult) -> Iterator[str]:
    if any(not delivery.verified for delivery in result.deliveries):
        yield "a webhook delivery came with a wrong signature"
    told = {d.alert_id for d in result.deliveries if d.verified and d.event_type == "alert.firing"}
    for alert in result.alerts:
        if alert.id not in told:
            yield f"the webhook was not told of alert {alert.id}"
