"""Bodies of the incident routes: ids and numbers, and what people wrote."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from domain.incidents import Incident, IncidentStatus
from gateway.http.models_documents import IDENTIFIER, ORIGIN, Model, Reason
from ingest.containing import TopicShare

Id = Annotated[str, Field(pattern=IDENTIFIER)]


class IncidentRequest(Model):
    """What goes: documents by name, the suspects of an alert, an origin, a family or a time range."""

    reason: Reason
    documents: Annotated[list[Id] | None, Field(None, min_length=1, max_length=1000)]
    alert_id: Annotated[str | None, Field(None, pattern=IDENTIFIER)]
    origin: Annotated[str | None, Field(None, pattern=ORIGIN, description="kind:id")]
    family: Annotated[str | None, Field(None, pattern=IDENTIFIER)]
    since: Annotated[AwareDatetime | None, Field(None, description="of the admission")]
    until: Annotated[AwareDatetime | None, Field(None, description="of the admission")]


class ContainRequest(Model):
    confirm: Annotated[
        list[Id],
        Field(
            default_factory=list,
            max_length=1000,
            description="honest near-copies that shall go too, by name",
        ),
    ]


class UndoRequest(Model):
    reason: Reason


class IncidentModel(Model):
    id: str
    status: IncidentStatus
    cause: str
    reason: str
    documents: list[str] = Field(description="what goes, or went")
    confirmable: list[str] = Field(
        description="of established origins: they go only where they are confirmed by name"
    )
    opened_at: datetime
    opened_by: str
    approved_at: datetime | None
    approved_by: str | None
    contained_at: datetime | None
    contained_by: str | None
    undone_at: datetime | None
    undone_by: str | None

    @classmethod
    def of(cls, incident: Incident) -> IncidentModel:
        return cls(
            id=incident.id,
            status=incident.status,
            cause=incident.cause,
            reason=incident.reason,
            documents=sorted(incident.documents),
            confirmable=sorted(incident.confirmable),
            opened_at=incident.opened_at,
            opened_by=incident.opened_by,
            approved_at=incident.approved_at,
            approved_by=incident.approved_by,
            contained_at=incident.contained_at,
            contained_by=incident.contained_by,
            undone_at=incident.undone_at,
            undone_by=incident.undone_by,
        )


class TopicShareModel(Model):
    topic: str
    going: int
    established: int
    needs_approval: bool

    @classmethod
    def of(cls, share: TopicShare) -> TopicShareModel:
        return cls(
            topic=share.topic_id,
            going=share.going,
            established=share.established,
            needs_approval=share.needs_approval,
        )


class ChangedAnswer(Model):
    """A question asked again as it would be now, and without the documents."""

    question_id: str
    changes: bool


class DryRun(Model):
    """What would go, and which answers would change. Nothing has been touched."""

    incident: IncidentModel
    topics: list[TopicShareModel] = Field(description="that lose established documents")
    needs_approval: bool = Field(description="by another principal than who opened it")
    touched: int = Field(description="questions observed with one of the documents as evidence")
    answers: list[ChangedAnswer] = Field(description="the latest of those, asked again")


class IncidentList(Model):
    items: list[IncidentModel]


class IncidentReport(Model):
    incident: IncidentModel
    recall: list[str] = Field(
        description="questions that were answered while one of the documents was evidence"
    )
    markdown: str
