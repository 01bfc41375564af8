"""The demo's result, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.demo.expectations import (
    DemoResult,
    QuestionResult,
    named_in,
    question_faults,
    topics_of,
)


def as_json(result: DemoResult) -> dict[str, object]:
    """Return the public object."""
    return {
        "documents": [
            {
                "name": each.document.name,
                "attack": each.document.attack,
                "verdict": each.verdict,
                "expected": each.document.expected,
                "trust": each.trust,
                "reasons": list(each.reasons),
            }
            for each in result.documents
        ],
        "questions": [
            {
                "question": each.question.question,
                "attack": each.question.attack,
                "outcome": each.outcome,
                "expected": each.question.expected.model_dump(mode="json"),
                "answer": each.answer,
                "confidence": each.confidence,
                "sources": [
                    {
                        "document": source.document,
                        "title": source.title,
                        "origin": source.origin,
                        "trust": source.trust,
                    }
                    for source in each.sources
                ],
            }
            for each in result.questions
        ],
        "alerts": [
            {
                "id": alert.id,
                "name": alert.name,
                "status": alert.status,
                "severity": alert.severity,
                "topics": sorted(topics_of(alert, result.questions)),
                "labels": dict(alert.labels),
                "annotations": dict(alert.annotations),
                "starts_at": alert.starts_at,
                "suspects": named_in(alert, result.documents),
            }
            for alert in result.alerts
        ],
    }


def show(result: DemoResult, console: Console) -> None:
    """Print the tables. Baseline and spike questions, of which there are many, are summed up."""
    _documents(result, console)
    _questions([r for r in result.questions if r.question.phase == "main"], console)
    for phase in ("baseline", "spike"):
        _summary(phase, [r for r in result.questions if r.question.phase == phase], console)
    _alerts(result, console)
    documents, questions = len(result.documents), len(result.questions)
    console.print(
        f"{documents} documents scanned in {result.scan_seconds:.1f} s, "
        f"{documents / max(result.scan_seconds, 0.001):.1f} documents/s"
    )
    console.print(
        f"{questions} questions answered in {result.ask_seconds:.1f} s, "
        f"{questions / max(result.ask_seconds, 0.001):.1f} questions/s"
    )


def _documents(result: DemoResult, console: Console) -> None:
    _table(
        "Documents",
        ("", "name", "origin", "attack", "verdict", "trust", "reasons"),
        (
            (
                _mark(met=each.verdict == each.document.expected),
                each.document.name,
                each.document.origin,
                each.document.attack or "",
                each.verdict or "none",
                "" if each.trust is None else f"{each.trust:.2f}",
                ", ".join(each.reasons),
            )
            for each in result.documents
        ),
        console,
    )


def _questions(results: Sequence[QuestionResult], console: Console) -> None:
    _table(
        "Questions",
        ("", "question", "attack", "outcome", "answer", "confidence", "sources"),
        (
            (
                _mark(met=not list(question_faults(each))),
                each.question.question,
                each.question.attack or "",
                each.outcome + (f" ({each.reason})" if each.reason else ""),
                each.answer or "",
                f"{each.confidence:.2f}",
                ", ".join(dict.fromkeys(source.document for source in each.sources)),
            )
            for each in results
        ),
        console,
    )


def _summary(phase: str, results: Sequence[QuestionResult], console: Console) -> None:
    counts: Counter[tuple[str, str]] = Counter((r.question.topic, r.outcome) for r in results)
    met = sum(not list(question_faults(each)) for each in results)
    _table(
        f"{phase.capitalize()} questions: {met} of {len(results)} as expected",
        ("topic", "outcome", "questions"),
        ((topic, outcome, str(count)) for (topic, outcome), count in sorted(counts.items())),
        console,
    )


def _alerts(result: DemoResult, console: Console) -> None:
    _table(
        "Alerts",
        ("alert", "severity", "status", "topic", "disagreement", "webhook"),
        (
            (
                alert.name,
                alert.severity,
                alert.status,
                ", ".join(sorted(topics_of(alert, result.questions))),
                f"{alert.annotations.get('disagreement', '')} "
                f"(used to be {alert.annotations.get('reference', '')})",
                "told, signature verified"
                if any(d.verified and d.alert_id == alert.id for d in result.deliveries)
                else "not told",
            )
            for alert in result.alerts
        ),
        console,
    )


def _table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], console: Console
) -> None:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _mark(*, met: bool) -> str:
    return "ok" if met else "NO"
