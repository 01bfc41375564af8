"""`trace`: which documents most likely caused an answer or an alert."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from gateway.cli.output import Json, emit, facts, note, table

_ALERT: Final = "alr_"


def register(app: typer.Typer) -> None:
    app.command()(trace)


def trace(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="QUESTION|ALERT", help="The id of a question, or of an alert (alr_...)."
        ),
    ],
    json_: Json = False,
) -> None:
    """Rank the documents that most likely caused an answer or an alert. Changes nothing."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        key = "alert_id" if subject.startswith(_ALERT) else "question_id"
        found = client.trace_back(**{key: subject})
    if json_:
        emit(found.model_dump(mode="json"))
        return
    for question in found.questions:
        facts(
            {
                "question": question.question_id,
                "traced as": question.traced_as,
                "retrieved": question.retrieved,
                "asked again": question.reruns,
                "not tried": question.skipped,
            }
        )
    table(
        ("document", "suspicion", "origin", "family", "age in days", "why"),
        (
            (
                one.document,
                f"{one.score:.2f}",
                f"{one.origin.kind}:{one.origin.id}",
                one.family,
                f"{one.age_days:.1f}",
                "; ".join(one.reasons),
            )
            for one in found.suspects
        ),
        title="suspects",
    )
    if found.gone:
        note(f"evidence then, and not admitted any more: {', '.join(found.gone)}")
