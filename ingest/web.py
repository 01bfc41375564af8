"""Results of a web search as evidence: each passes the same scan as an upload, and nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from domain.answering import Question
from domain.clock import Clock
from domain.documents import DocumentId, Origin, OriginKind
from domain.errors import InputError
from domain.retrieval import FamilyId, ScoredChunk, Vector
from domain.trust import Verdict
from domain.web import WebResult, WebSearch
from ingest.admission import Admission
from ingest.examination import Examiner, metadata_fields

WEB_ORIGIN: Final = Origin(kind=OriginKind.CONNECTOR, id="web-search", established=False)
"""All of the web is one origin of the pool: whoever fills a page of results fills one slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebLimits:
    results: int = 5
    chars: int = 20_000
    passages: int = 3
    """Of one result, those nearest the question."""


class ScannedWeb:
    """Searches, scans every result, and hands on what would have been admitted.

    One that is held, for whatever reason, is no evidence: nobody would look at it in time.
    """

    def __init__(
        self,
        *,
        search: WebSearch,
        examiner: Examiner,
        admission: Admission,
        clock: Clock,
        limits: WebLimits,
    ) -> None:
        self._search = search
        self._examiner = examiner
        self._admission = admission
        self._clock = clock
        self._limits = limits

    async def find(self, question: Question, vector: Vector) -> Sequence[ScoredChunk]:
        results = await self._search.search(question.text, count=self._limits.results)
        found: dict[DocumentId, list[ScoredChunk]] = {}
        for result in results[: self._limits.results]:
            document_id = DocumentId(f"web-{sha256(result.text.encode()).hexdigest()[:24]}")
            if document_id not in found:
                found[document_id] = await self._passages(document_id, result, question, vector)
        return [passage for passages in found.values() for passage in passages]

    async def _passages(
        self, document_id: DocumentId, result: WebResult, question: Question, vector: Vector
    ) -> list[ScoredChunk]:
        try:
            examined = await self._examiner.dry_run(
                result.text[: self._limits.chars].encode("utf-8", "replace"),
                tenant_id=question.tenant_id,
                origin=WEB_ORIGIN,
                claimed_media_type="text/plain",
                file_name=None,
                metadata=metadata_fields(
                    title=result.title, file_name=None, source_uri=result.url, labels={}
                ),
            )
            if examined.assessment.verdict is not Verdict.ADMIT:
                return []
            prepared = await self._admission.prepare(
                replace(examined.document, id=document_id), findings=examined.report.findings
            )
        except InputError:
            return []  # it cannot be read as text
        hits = [
            ScoredChunk(
                chunk=chunk,
                origin=WEB_ORIGIN,
                family_id=FamilyId(document_id),
                vector=own,
                similarity=float(own @ vector),
                trust=examined.assessment.score,
                admitted_at=self._clock.now(),
                title=result.title,
                source_uri=result.url,
            )
            for chunk, own in zip(prepared.chunks, prepared.vectors, strict=True)
        ]
        hits.sort(key=lambda hit: (-hit.similarity, hit.chunk.ordinal))
        return hits[: self._limits.passages]
