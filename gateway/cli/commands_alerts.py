"""`alerts`: what the monitors raised, and what people do about it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gateway.cli.output import Json, emit, facts, note, table

if TYPE_CHECKING:
    from gateway.http.models_alerts import AlertModel, AlertSuspectModel, SilenceModel

AlertArgument = Annotated[str, typer.Argument(metavar="ID", help="The alert's id.")]

_DURATION: Final = re.compile(r"(\d{1,4})([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}


def register(app: typer.Typer) -> None:
    alerts = typer.Typer(no_args_is_help=True, help="What the monitors raised.")
    alerts.command("list")(list_alerts)
    alerts.command("show")(show)
    alerts.command("acknowledge")(acknowledge)
    alerts.command("silence")(silence)
    alerts.command("silences")(list_silences)
    alerts.command("unsilence")(unsilence)
    alerts.command("reviews")(list_reviews)
    alerts.command("close-review")(close_review)
    app.add_typer(alerts, name="alerts")


def list_alerts(
    status: Annotated[str | None, typer.Option(help="firing or resolved.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    json_: Json = False,
) -> None:
    """List alerts, newest first."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        page = client.alerts(status=status, limit=limit, cursor=cursor)
    if json_:
        emit(page.model_dump(mode="json"))
        return
    table(
        ("id", "alert", "severity", "status", "labels", "what", "since", "until"),
        (
            (
                alert.id,
                alert.name,
                alert.severity,
                _state(alert),
                _pairs(alert.labels),
                ", ".join(f"{key}: {value}" for key, value in alert.annotations.items()),
                f"{alert.starts_at:%Y-%m-%d %H:%M:%S}",
                f"{alert.ends_at:%Y-%m-%d %H:%M:%S}" if alert.ends_at else None,
            )
            for alert in page.items
        ),
    )
    if page.next_cursor:
        note(f"more: --cursor {page.next_cursor}")


def show(alert_id: AlertArgument, json_: Json = False) -> None:
    """Show an alert, who looks after it and what silences it."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        _print(client.alert(alert_id), as_json=json_)


def acknowledge(alert_id: AlertArgument, json_: Json = False) -> None:
    """Say that you look after an alert: no more reminders of it."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        _print(client.acknowledge(alert_id), as_json=json_)


def silence(
    reason: Annotated[str, typer.Option(help="Why; it is journalled.")],
    alert_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="An alert, whose labels are silenced.")
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="name=value; may be repeated. Instead of an alert."),
    ] = None,
    lasting: Annotated[str, typer.Option("--for", help="e.g. 30m, 8h, 2d.")] = "8h",
    json_: Json = False,
) -> None:
    """Tell nobody of alerts with these labels for a while. They are listed all the same."""
    from backends.clock import SystemClock
    from domain.errors import InputError
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    wrong = [one for one in label or () if "=" not in one]
    if wrong:
        raise InputError(f"a label is name=value, not {wrong[0]!r}")
    matchers = dict(one.split("=", 1) for one in label) if label else None
    expires_at = SystemClock().now() + _duration(lasting)
    with open_client(load_settings()) as client:
        made = client.add_silence(
            alert_id=alert_id, matchers=matchers, reason=reason, expires_at=expires_at
        )
    _print_silence(made, as_json=json_)


def list_silences(json_: Json = False) -> None:
    """List silences, ended ones too."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.silences()
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "labels", "author", "reason", "until", "removed"),
        (
            (
                one.id,
                _pairs(one.matchers),
                one.author,
                one.reason,
                f"{one.expires_at:%Y-%m-%d %H:%M:%S}",
                f"{one.removed_at:%Y-%m-%d %H:%M:%S}" if one.removed_at else None,
            )
            for one in found.items
        ),
    )


def unsilence(
    silence_id: Annotated[str, typer.Argument(metavar="ID", help="The silence's id.")],
    json_: Json = False,
) -> None:
    """End a silence now."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        _print_silence(client.remove_silence(silence_id), as_json=json_)


def list_reviews(
    limit: Annotated[int, typer.Option(min=1, max=200)] = 50, json_: Json = False
) -> None:
    """List questions of alerts that wait for a reviewer, by reach times severity."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.reviews(limit=limit)
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("question", "alert", "severity", "reach", "asked by", "since"),
        (
            (
                one.question_id,
                one.alert_id,
                one.severity,
                one.reach,
                one.principal,
                f"{one.added_at:%Y-%m-%d %H:%M:%S}",
            )
            for one in found.items
        ),
    )


def close_review(
    question_id: Annotated[str, typer.Argument(metavar="ID", help="The question's id.")],
    json_: Json = False,
) -> None:
    """Take a question off the review queue."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        closed = client.close_review(question_id)
    if json_:
        emit(closed.model_dump(mode="json"))
    else:
        facts({"question": closed.question_id, "closed by": closed.closed_by})


def _duration(text: str) -> timedelta:
    from domain.errors import InputError

    match = _DURATION.fullmatch(text)
    if match is None:
        raise InputError(f"a duration is a number and m, h or d, not {text!r}")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _state(alert: AlertModel) -> str:
    if alert.silenced_by:
        return f"{alert.status}, silenced"
    return f"{alert.status}, acknowledged" if alert.acknowledged_at else alert.status


def _pairs(labels: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()))


def _print(alert: AlertModel, *, as_json: bool) -> None:
    if as_json:
        emit(alert.model_dump(mode="json"))
        return
    facts(
        {
            "id": alert.id,
            "alert": alert.name,
            "severity": alert.severity,
            "status": alert.status,
            **{f"label {name}": value for name, value in sorted(alert.labels.items())},
            **alert.annotations,
            **{f"suspect {one.document}": _suspect(one) for one in alert.suspects},
            "since": alert.starts_at.isoformat(timespec="seconds"),
            "until": alert.ends_at and alert.ends_at.isoformat(timespec="seconds"),
            "acknowledged by": alert.acknowledged_by,
            "silenced by": ", ".join(alert.silenced_by),
        }
    )


def _suspect(one: AlertSuspectModel) -> str:
    return f"{one.score:.2f} ({', '.join(one.reasons)}), {one.origin}, family {one.family}"


def _print_silence(silence: SilenceModel, *, as_json: bool) -> None:
    if as_json:
        emit(silence.model_dump(mode="json"))
        return
    facts(
        {
            "id": silence.id,
            "labels": _pairs(silence.matchers),
            "author": silence.author,
            "reason": silence.reason,
            "until": silence.expires_at.isoformat(timespec="seconds"),
            "removed": silence.removed_at and silence.removed_at.isoformat(timespec="seconds"),
        }
    )
