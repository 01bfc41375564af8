"""`incident`: documents are taken out of the evidence in one step, and may come back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, note, say, table

if TYPE_CHECKING:
    from gateway.http.models_incidents import IncidentModel

IncidentArgument = Annotated[str, typer.Argument(metavar="ID", help="The incident's id.")]


def register(app: typer.Typer) -> None:
    incident = typer.Typer(no_args_is_help=True, help="Containment of poisoned documents.")
    incident.command("open")(open_incident)
    incident.command("list")(list_incidents)
    incident.command("approve")(approve)
    incident.command("contain")(contain)
    incident.command("undo")(undo)
    incident.command("report")(report)
    app.add_typer(incident, name="incident")


def open_incident(
    reason: Annotated[str, typer.Option(help="Why; it is journalled.")],
    document: Annotated[
        list[str] | None, typer.Option(help="A document's id; may be repeated.")
    ] = None,
    alert: Annotated[str | None, typer.Option(help="The suspects of an alert.")] = None,
    origin: Annotated[str | None, typer.Option(help="kind:id")] = None,
    family: Annotated[str | None, typer.Option(help="A family's id.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Admitted since, e.g. 2026-11-30T12:00:00Z.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Admitted until.")] = None,
    json_: Json = False,
) -> None:
    """Plan a containment: what would go, and which answers change. Touches nothing."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    body = {
        "reason": reason,
        "documents": document or None,
        "alert_id": alert,
        "origin": origin,
        "family": family,
        "since": _moment(since),
        "until": _moment(until),
    }
    with open_client(load_settings()) as client:
        planned = client.open_incident({k: v for k, v in body.items() if v is not None})
    if json_:
        emit(planned.model_dump(mode="json"))
        return
    _show(planned.incident)
    facts(
        {
            "questions touched": planned.touched,
            "of the latest, change": ", ".join(
                one.question_id for one in planned.answers if one.changes
            )
            or "none",
            "needs approval": "yes" if planned.needs_approval else "no",
        }
    )
    note(f"nothing has been touched; go on with: mithridate incident contain {planned.incident.id}")


def list_incidents(json_: Json = False) -> None:
    """List incidents, newest first."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.incidents()
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "status", "cause", "documents", "opened", "by"),
        (
            (
                one.id,
                one.status,
                one.cause,
                len(one.documents),
                f"{one.opened_at:%Y-%m-%d %H:%M:%S}",
                one.opened_by,
            )
            for one in found.items
        ),
    )


def approve(incident_id: IncidentArgument, json_: Json = False) -> None:
    """Approve an incident that another principal opened."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        _print(client.incident_step(incident_id, "approve", {}), as_json=json_)


def contain(
    incident_id: IncidentArgument,
    confirm: Annotated[
        list[str] | None,
        typer.Option(help="An honest near-copy that shall go too; may be repeated."),
    ] = None,
    json_: Json = False,
) -> None:
    """Quarantine all of it in one step, from the next question on."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        after = client.incident_step(incident_id, "contain", {"confirm": confirm or []})
    _print(after, as_json=json_)


def undo(
    incident_id: IncidentArgument,
    reason: Annotated[str, typer.Option(help="Why; it is journalled.")],
    json_: Json = False,
) -> None:
    """Scan anew what was contained: what passes the policy of today comes back."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        _print(client.incident_step(incident_id, "undo", {"reason": reason}), as_json=json_)


def report(incident_id: IncidentArgument, json_: Json = False) -> None:
    """Print the report in Markdown: timeline, documents, answers to recall."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.incident_report(incident_id)
    if json_:
        emit(found.model_dump(mode="json"))
        return
    say(found.markdown.rstrip())


def _print(incident: IncidentModel, *, as_json: bool) -> None:
    if as_json:
        emit(incident.model_dump(mode="json"))
        return
    _show(incident)


def _show(incident: IncidentModel) -> None:
    facts(
        {
            "id": incident.id,
            "status": incident.status,
            "cause": incident.cause,
            "documents": ", ".join(incident.documents),
            "to be confirmed": ", ".join(incident.confirmable) or "none",
            "approved by": incident.approved_by or "",
        }
    )


def _moment(given: str | None) -> str | None:
    from domain.errors import InputError

    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as exc:
        raise InputError(f"{given!r} is no time like 2026-11-30T12:00:00Z") from exc
    if moment.tzinfo is None:
        raise InputError(f"{given!r} must tell its offset from UTC, as in 2026-11-30T12:00:00Z")
    return moment.isoformat()
