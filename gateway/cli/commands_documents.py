"""`documents`: look, decide, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, note, table

if TYPE_CHECKING:
    from gateway.http.models_documents import AssessmentModel, DocumentModel

DocumentIdArgument = Annotated[str, typer.Argument(metavar="ID", help="The document's id.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is journalled.")]


def register(app: typer.Typer) -> None:
    documents = typer.Typer(no_args_is_help=True, help="Documents and the review queue.")
    documents.command("list")(list_documents)
    documents.command("show")(show)
    documents.command("release")(release)
    documents.command("reject")(reject)
    documents.command("delete")(delete)
    app.add_typer(documents, name="documents")


def list_documents(
    status: Annotated[
        str | None, typer.Option(help="E.g. quarantined, which is the review queue.")
    ] = None,
    origin: Annotated[str | None, typer.Option(help="kind:id")] = None,
    rule: Annotated[str | None, typer.Option(help="A rule, or a detector's name.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    json_: Json = False,
) -> None:
    """List documents, newest first."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        page = client.documents(status=status, origin=origin, rule=rule, limit=limit, cursor=cursor)
    if json_:
        emit(page.model_dump(mode="json"))
        return
    table(
        ("id", "status", "reason", "trust", "origin", "name", "received"),
        (
            (
                document.id,
                document.status,
                document.reason,
                None if document.trust is None else f"{document.trust:.2f}",
                f"{document.origin.kind}:{document.origin.id}",
                document.title or document.file_name,
                f"{document.received_at:%Y-%m-%d %H:%M}",
            )
            for document in page.items
        ),
    )
    if page.next_cursor:
        note(f"more: --cursor {page.next_cursor}")


def show(document_id: DocumentIdArgument, json_: Json = False) -> None:
    """Show a document and, to reviewers, everything that the scan said."""
    from domain.errors import ForbiddenError
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        try:
            report = client.report(document_id)
        except ForbiddenError:
            document, assessment = client.document(document_id), None
        else:
            document, assessment = report.document, report.assessment
    if json_:
        emit(
            {
                "document": document.model_dump(mode="json"),
                "assessment": assessment and assessment.model_dump(mode="json"),
            }
        )
        return
    _show_document(document)
    if assessment is not None:
        _show_assessment(assessment)


def release(document_id: DocumentIdArgument, reason: ReasonOption, json_: Json = False) -> None:
    """Admit a document that was quarantined or rejected."""
    _decide(document_id, "release", reason, as_json=json_)


def reject(document_id: DocumentIdArgument, reason: ReasonOption, json_: Json = False) -> None:
    """Reject a document; its chunks leave the index."""
    _decide(document_id, "reject", reason, as_json=json_)


def delete(document_id: DocumentIdArgument, json_: Json = False) -> None:
    """Delete a document; the journal keeps that it was there."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        client.delete_document(document_id)
    if json_:
        emit({"id": document_id, "status": "deleted"})
    else:
        facts({"id": document_id, "status": "deleted"})


def _decide(document_id: str, action: str, reason: str, *, as_json: bool) -> None:
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        document = client.decide(document_id, action=action, reason=reason)
    if as_json:
        emit(document.model_dump(mode="json"))
    else:
        _show_document(document)


def _show_document(document: DocumentModel) -> None:
    facts(
        {
            "id": document.id,
            "status": document.status,
            "verdict": document.verdict,
            "reason": document.reason,
            "trust": None if document.trust is None else f"{document.trust:.3f}",
            "decided by": document.decided_by,
            "origin": f"{document.origin.kind}:{document.origin.id}",
            "title": document.title,
            "file": document.file_name,
            "source": document.source_uri,
            "type": document.media_type,
            "bytes": document.size_bytes,
            "sha256": document.sha256,
            "labels": ", ".join(f"{key}={value}" for key, value in document.labels.items()),
            "received": document.received_at.isoformat(timespec="seconds"),
            "decided": document.decided_at and document.decided_at.isoformat(timespec="seconds"),
            "attempts": document.attempts,
        }
    )


def _show_assessment(assessment: AssessmentModel) -> None:
    table(
        ("rule", "risk", "weight", "points", "mode"),
        (
            (c.rule, f"{c.risk:.2f}", f"{c.weight:g}", f"{c.points:.3f}", c.mode)
            for c in assessment.contributions
        ),
        title="What moved the score",
    )
    table(
        ("rule", "level", "risk", "where", "message"),
        (
            (
                finding.rule,
                finding.level,
                f"{finding.risk:.2f}",
                " ".join(
                    part
                    for part in (
                        finding.locator,
                        None if finding.start is None else f"{finding.start}-{finding.end}",
                    )
                    if part
                ),
                finding.message,
            )
            for finding in assessment.findings
        ),
        title="Findings",
    )
    facts(
        {
            "policy": assessment.policy_version,
            "could not look": ", ".join(assessment.unavailable),
        }
    )
