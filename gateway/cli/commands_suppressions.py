"""`suppressions`: sentences of one origin that a rule is wrong about (Law 13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from gateway.cli.client import GatewayClient
    from gateway.http.models_trust import SuppressionModel

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is journalled.")]


def register(app: typer.Typer) -> None:
    suppressions = typer.Typer(
        no_args_is_help=True, help="What a reviewer says a rule is wrong about."
    )
    suppressions.command("add")(add)
    suppressions.command("list")(list_suppressions)
    suppressions.command("remove")(remove)
    app.add_typer(suppressions, name="suppressions")


def add(
    document_id: Annotated[str, typer.Argument(metavar="DOC", help="Where it was found.")],
    rule: Annotated[str, typer.Option(help="E.g. injected-instructions.takeover.")],
    reason: ReasonOption,
    start: Annotated[
        int | None, typer.Option(min=0, help="First character; None: the finding's own span.")
    ] = None,
    end: Annotated[int | None, typer.Option(min=1, help="One past the last character.")] = None,
    days: Annotated[int, typer.Option(min=1, max=365, help="How long it holds.")] = 90,
    json_: Json = False,
) -> None:
    """Suppress a rule for the sentences of a span, for the document's origin.

    Never hard rules, and never what is hidden. It counts from the next scan on.
    """
    from domain.errors import InputError
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    if (start is None) != (end is None):
        raise InputError("--start and --end are given together or not at all")
    with open_client(load_settings()) as client:
        if start is None or end is None:
            start, end = _span(client, document_id, rule)
        suppression = client.add_suppression(
            document_id=document_id,
            rule=rule,
            start=start,
            end=end,
            reason=reason,
            expires_at=datetime.now(UTC) + timedelta(days=days),
        )
    _print(suppression, as_json=json_)


def list_suppressions(json_: Json = False) -> None:
    """List suppressions, ended and removed ones too, newest first."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.suppressions()
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "rule", "origin", "document", "span", "until", "removed", "reason"),
        (
            (
                one.id,
                one.rule,
                f"{one.origin.kind}:{one.origin.id}",
                one.document_id,
                f"{one.start}-{one.end}",
                f"{one.expires_at:%Y-%m-%d}",
                one.removed_at and f"{one.removed_at:%Y-%m-%d}",
                one.reason,
            )
            for one in found.items
        ),
    )


def remove(
    suppression_id: Annotated[str, typer.Argument(metavar="ID", help="The suppression's id.")],
    reason: ReasonOption,
    json_: Json = False,
) -> None:
    """End a suppression now."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        removed = client.remove_suppression(suppression_id, reason=reason)
    _print(removed, as_json=json_)


def _span(client: GatewayClient, document_id: str, rule: str) -> tuple[int, int]:
    """Return the place of the rule's only finding.

    Raises:
        InputError: There is none with a place, or several.
    """
    from domain.errors import InputError

    assessment = client.report(document_id).assessment
    places = [
        (finding.start, finding.end)
        for finding in (assessment.findings if assessment is not None else ())
        if finding.rule == rule and finding.start is not None and finding.end is not None
    ]
    if len(places) != 1:
        raise InputError(
            f"{len(places)} findings of {rule!r} have a place in the text; give --start and --end"
        )
    return places[0]


def _print(suppression: SuppressionModel, *, as_json: bool) -> None:
    if as_json:
        emit(suppression.model_dump(mode="json"))
        return
    facts(
        {
            "id": suppression.id,
            "rule": suppression.rule,
            "origin": f"{suppression.origin.kind}:{suppression.origin.id}",
            "document": suppression.document_id,
            "span": f"{suppression.start}-{suppression.end}",
            "sentences": suppression.sentences,
            "until": suppression.expires_at.isoformat(timespec="seconds"),
            "removed": suppression.removed_at
            and suppression.removed_at.isoformat(timespec="seconds"),
        }
    )
