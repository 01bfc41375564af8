"""Bodies of `/v1/retrieve`: guarded evidence for applications that keep their own generator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, FiniteFloat

from backends.llm.prompts import masked
from defences.neutralising import neutralise
from domain.documents import Tier
from domain.retrieval import EvidenceFilter, ScoredChunk
from domain.scanning import Finding, FindingLevel
from gateway.http.models_documents import PROSE, Model, OriginModel
from gateway.http.models_questions import MAX_QUESTION, whole
from gateway.http.narrowing import DocumentIds, OriginNames, evidence_filter

Hits = Annotated[int, Field(strict=True, ge=0, le=100), BeforeValidator(whole)]

NEAR_DUPLICATE: Final = "near-duplicate"
"""Rules of this detector tell what is in the index: for reviewers alone (Law 15)."""


class RetrieveRequest(Model):
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION, pattern=PROSE)]
    established_limit: Annotated[
        Hits | None, Field(None, description="hits of established origins; the setting is the most")
    ]
    pool_limit: Annotated[
        Hits | None,
        Field(None, description="hits of all other origins together; the setting is the most"),
    ]
    min_trust: Annotated[
        FiniteFloat,
        Field(0.0, strict=True, ge=0.0, le=1.0, description="the setting is the least"),
    ]
    origins: OriginNames
    documents: DocumentIds
    unmasked: Annotated[
        bool,
        Field(False, strict=True, description="the text as it is; needs quarantine:review"),
    ]

    def only(self) -> EvidenceFilter:
        """Return what alone may be evidence."""
        return evidence_filter(self.origins, self.documents)


class HitFinding(Model):
    rule: str
    level: FindingLevel


class HitModel(Model):
    """A passage. `text`, `heading`, `title` and `source_uri` are untrusted: fence them in a prompt.

    What quotes an attack is `[...]` in the text, and links, pictures and markup are neutralised,
    unless `unmasked` was asked for.
    """

    document: str
    chunk: str
    start: int = Field(description="code points in the original text")
    end: int
    text: str
    masked: int = Field(description="passages of the text that quote an attack")
    heading: str
    title: str
    source_uri: str | None
    origin: OriginModel
    tier: Tier
    trust: float
    family: str = Field(description="passages of one family say the same: count them once")
    similarity: float = Field(description="cosine with the question, in -1..1")
    admitted_at: datetime
    findings: list[HitFinding] = Field(description="of the whole document, one a rule and level")

    @classmethod
    def of(
        cls, hit: ScoredChunk, findings: Sequence[Finding], *, unmasked: bool, reviewer: bool
    ) -> HitModel:
        shown = (lambda text: text) if unmasked else neutralise
        told = {
            (finding.rule, finding.level)
            for finding in findings
            if finding.suppressed_by is None
            and (reviewer or finding.rule.partition(".")[0] != NEAR_DUPLICATE)
        }
        return cls(
            document=hit.chunk.document_id,
            chunk=hit.chunk.id,
            start=hit.chunk.span.start,
            end=hit.chunk.span.end,
            text=hit.chunk.text if unmasked else neutralise(masked(hit)),
            masked=len(hit.chunk.mentions),
            # Mentions are marked in the text alone: a heading beside one may be the attack itself.
            heading=shown(hit.chunk.heading) if unmasked or not hit.chunk.mentions else "",
            title=shown(hit.title),
            source_uri=None if hit.source_uri is None else shown(hit.source_uri),
            origin=OriginModel.of(hit.origin.kind, hit.origin.id),
            tier=hit.origin.tier,
            trust=hit.trust,
            family=hit.family_id,
            similarity=hit.similarity,
            admitted_at=hit.admitted_at,
            findings=[HitFinding(rule=rule, level=level) for rule, level in sorted(told)],
        )


class RetrieveResult(Model):
    """Reviewed and established origins first, the pool last; each best first."""

    hits: list[HitModel]
    provenance: bool = Field(description="false: nothing found is of an established origin")
