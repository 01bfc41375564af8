"""How a request says which documents alone may be evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from domain.documents import DocumentId, OriginKind, OriginRef
from domain.retrieval import EvidenceFilter
from gateway.http.models_documents import IDENTIFIER, ORIGIN

OriginNames = Annotated[
    list[Annotated[str, Field(pattern=ORIGIN)]],
    Field(default_factory=list, max_length=50, description="kind:id; none given: any"),
]
DocumentIds = Annotated[
    list[Annotated[str, Field(pattern=IDENTIFIER)]],
    Field(default_factory=list, max_length=100, description="ids; none given: any"),
]


def evidence_filter(origins: Sequence[str], documents: Sequence[str]) -> EvidenceFilter:
    """Return what alone may be evidence; origins are `kind:id`."""
    refs = (name.partition(":") for name in origins)
    return EvidenceFilter(
        origins=frozenset(OriginRef(kind=OriginKind(kind), id=id_) for kind, _, id_ in refs),
        documents=frozenset(DocumentId(one) for one in documents),
    )
