"""`topics`: what questions are watched together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from gateway.http.models_topics import TopicModel

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is journalled.")]


def register(app: typer.Typer) -> None:
    topics = typer.Typer(no_args_is_help=True, help="What questions are watched together.")
    topics.command("list")(list_topics)
    topics.command("define")(define)
    topics.command("remove")(remove)
    app.add_typer(topics, name="topics")


def list_topics(json_: Json = False) -> None:
    """List topics, defined ones first, merged and removed ones too."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        found = client.topics()
    if json_:
        emit(found.model_dump(mode="json"))
        return
    table(
        ("id", "name", "terms", "questions", "state", "since"),
        (
            (
                one.id,
                one.name,
                " ".join(one.terms),
                one.size,
                _state(one),
                f"{one.created_at:%Y-%m-%d}",
            )
            for one in found.items
        ),
    )


def define(
    name: Annotated[str, typer.Argument(metavar="NAME", help="For people.")],
    about: Annotated[
        list[str],
        typer.Option(help="Phrase whose words a question must have; may be repeated."),
    ],
    reason: ReasonOption,
    json_: Json = False,
) -> None:
    """Watch the questions about a matter together, whatever they are like."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        made = client.define_topic(name=name, about=about, reason=reason)
    _print(made, as_json=json_)


def remove(
    topic_id: Annotated[str, typer.Argument(metavar="ID", help="The topic's id.")],
    reason: ReasonOption,
    json_: Json = False,
) -> None:
    """End a defined topic; what was observed stays under its id."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        removed = client.remove_topic(topic_id, reason=reason)
    _print(removed, as_json=json_)


def _state(topic: TopicModel) -> str:
    if topic.merged_into is not None:
        return f"now {topic.merged_into}"
    if topic.removed_at is not None:
        return "removed"
    return "contested" if topic.contested else ""


def _print(topic: TopicModel, *, as_json: bool) -> None:
    if as_json:
        emit(topic.model_dump(mode="json"))
        return
    facts(
        {
            "id": topic.id,
            "name": topic.name,
            "about": "; ".join(topic.about),
            "removed": topic.removed_at and topic.removed_at.isoformat(timespec="seconds"),
        }
    )
