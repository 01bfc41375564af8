"""`webhooks`: who is told of events."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, table


def register(app: typer.Typer) -> None:
    webhooks = typer.Typer(no_args_is_help=True, help="Receivers of signed events.")
    webhooks.command("add")(add)
    webhooks.command("list")(list_webhooks)
    webhooks.command("remove")(remove)
    webhooks.command("test")(send_test)
    webhooks.command("rotate-secret")(rotate_secret)
    webhooks.command("deliveries")(deliveries)
    webhooks.command("replay")(replay)
    webhooks.command("enable")(enable)
    app.add_typer(webhooks, name="webhooks")


HookArgument = Annotated[str, typer.Argument(metavar="ID", help="The receiver's id.")]


def add(
    url: Annotated[str, typer.Argument(help="Where to deliver.")],
    event: Annotated[
        list[str] | None, typer.Option(help="Event type; may be repeated. Default: both of alerts.")
    ] = None,
    json_: Json = False,
) -> None:
    """Register a receiver. Its secret is made here and shown this once."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    event_types = event or ["alert.firing", "alert.resolved"]
    with open_client(load_settings()) as client:
        webhook = client.add_webhook(url, event_types=event_types, secret=None)
    if json_:
        emit(webhook.model_dump(mode="json"))
    else:
        events = ", ".join(webhook.event_types)
        facts({"id": webhook.id, "url": webhook.url, "events": events, "secret": webhook.secret})


def list_webhooks(json_: Json = False) -> None:
    """List receivers."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.webhooks()
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "kind", "url", "events", "since", "disabled"),
        (
            (
                hook.id,
                hook.kind,
                hook.url,
                ", ".join(hook.event_types),
                f"{hook.created_at:%Y-%m-%d %H:%M:%S}",
                f"{hook.disabled_at:%Y-%m-%d %H:%M:%S}" if hook.disabled_at else None,
            )
            for hook in found.items
        ),
    )


def remove(
    webhook_id: HookArgument,
    json_: Json = False,
) -> None:
    """Remove a receiver and what is pending for it."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        client.remove_webhook(webhook_id)
    if json_:
        emit({"id": webhook_id, "removed": True})
    else:
        facts({"id": webhook_id, "status": "removed"})


def send_test(webhook_id: HookArgument, json_: Json = False) -> None:
    """Send a test event now. Exit code 1 if the receiver does not take it."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        sent = client.test_webhook(webhook_id)
    if json_:
        emit(sent.model_dump(mode="json"))
    else:
        facts({"id": sent.id, "delivered": sent.delivered_at, "error": sent.last_error})
    if sent.delivered_at is None:
        raise typer.Exit(FINDINGS)


def rotate_secret(webhook_id: HookArgument, json_: Json = False) -> None:
    """Make a new secret, shown this once. The former one signs as well for a while."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        rotated = client.rotate_webhook(webhook_id)
    if json_:
        emit(rotated.model_dump(mode="json"))
    else:
        until = rotated.former_until.isoformat(timespec="seconds")
        facts({"id": rotated.id, "secret": rotated.secret, "former secret until": until})


def deliveries(webhook_id: HookArgument, json_: Json = False) -> None:
    """List what was sent to a receiver and how it went, newest first."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.deliveries(webhook_id)
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "event", "made", "attempts", "delivered", "error"),
        (
            (
                one.id,
                one.event_type,
                f"{one.created_at:%Y-%m-%d %H:%M:%S}",
                one.attempts,
                f"{one.delivered_at:%Y-%m-%d %H:%M:%S}" if one.delivered_at else None,
                one.last_error,
            )
            for one in found.items
        ),
    )


def replay(
    webhook_id: HookArgument,
    delivery: Annotated[str | None, typer.Option(help="Id of one delivery.")] = None,
    since: Annotated[str | None, typer.Option(help="RFC 3339; all made since.")] = None,
    json_: Json = False,
) -> None:
    """Send deliveries again, under their ids: one, or all that were made since a moment."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        replayed = client.replay_deliveries(webhook_id, delivery_id=delivery, since=since)
    if json_:
        emit(replayed.model_dump(mode="json"))
    else:
        facts({"deliveries": replayed.count})


def enable(webhook_id: HookArgument, json_: Json = False) -> None:
    """Deliver again to a receiver that was disabled because it answered 410."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        hook = client.enable_webhook(webhook_id)
    if json_:
        emit(hook.model_dump(mode="json"))
    else:
        facts({"id": hook.id, "status": "enabled"})
