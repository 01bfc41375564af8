"""`webhooks`: who is told of alerts."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.output import Json, emit, facts, table


def register(app: typer.Typer) -> None:
    webhooks = typer.Typer(no_args_is_help=True, help="Receivers of signed alerts.")
    webhooks.command("add")(add)
    webhooks.command("list")(list_webhooks)
    webhooks.command("remove")(remove)
    app.add_typer(webhooks, name="webhooks")


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
        ("id", "url", "events", "since"),
        (
            (hook.id, hook.url, ", ".join(hook.event_types), f"{hook.created_at:%Y-%m-%d %H:%M:%S}")
            for hook in found.items
        ),
    )


def remove(
    webhook_id: Annotated[str, typer.Argument(metavar="ID", help="The receiver's id.")],
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
