"""Answers that reviewers called right, as rows to tune a drafter on (`finetune_drafter`).

    .venv/bin/python -m evaluation.reviewed_answers --out reviewed.jsonl

Of this installation's ledger and index. A row is what the drafter of the chosen draft saw, mentions
of attacks masked, and what it should say: {"question", "documents", "answer", "rationale", "quotes"}.
An abstention called right becomes the answer `UNKNOWN`. A passage that has left the index since takes
its row with it: what was withdrawn is not learnt. Rows hold documents' text: keep the file as you
keep the documents.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

import httpx

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.llm.prompts import masked
from domain.documents import DEFAULT_TENANT, DocumentId, TenantId
from domain.ledger import Ledger
from domain.retrieval import EvidenceFilter, ScoredChunk
from runtime.answering import build_query
from runtime.home import open_ledger, prepare_home
from runtime.secrets import instance_secret
from runtime.settings import load_settings
from runtime.storage import build_embedder, build_vectors

UNKNOWN: Final = "UNKNOWN"
_MOST: Final = 100_000
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


class EvidenceOf(Protocol):
    """`QueryPipeline.evidence`: what a question would be drafted from now."""

    async def evidence(
        self, text: str, *, tenant_id: TenantId, only: EvidenceFilter
    ) -> tuple[ScoredChunk, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedAnswer:
    question: str
    documents: tuple[str, ...]
    answer: str
    rationale: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """`gone`: answers called right whose evidence is no longer in the index."""

    rows: tuple[ReviewedAnswer, ...]
    gone: int


async def reviewed_answers(ledger: Ledger, query: EvidenceOf, tenant_id: TenantId) -> Exported:
    """Return a row for each question whose latest reviewer's label calls its answer right.

    Questions asked in hops are left out: their trace holds the drafts of the last hop alone.
    """
    rows: dict[str, ReviewedAnswer] = {}
    gone = 0
    for one in await ledger.feedback.labelled(tenant_id, since=_EVER, limit=_MOST):
        record = await ledger.questions.get(tenant_id, one.question_id)
        trace = json.loads(record.trace)
        drafted = _drafted(trace) if one.right and trace["question"] not in rows else None
        if drafted is None:
            continue
        places = {(hit["document"], hit["chunk"]) for hit in drafted.evidence}
        hits = await query.evidence(
            trace["question"],
            tenant_id=tenant_id,
            only=EvidenceFilter(documents=frozenset(DocumentId(name) for name, _ in places)),
        )
        held = [hit for hit in hits if (hit.chunk.document_id, hit.chunk.id) in places]
        if len(held) < len(places):
            gone += 1
            continue
        rows[trace["question"]] = ReviewedAnswer(
            question=trace["question"],
            documents=tuple(masked(hit) for hit in held),
            answer=drafted.answer,
            rationale=drafted.rationale,
            quotes=drafted.quotes,
        )
    return Exported(rows=tuple(rows.values()), gone=gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drafted:
    evidence: Sequence[Mapping[str, Any]]
    answer: str
    rationale: str = ""
    quotes: tuple[str, ...] = ()


def _drafted(trace: Mapping[str, Any]) -> _Drafted | None:
    """Return the draft that was answered with; of an abstention the first subset, and `UNKNOWN`."""
    subsets = {one["index"]: one["evidence"] for one in trace["subsets"]}
    if trace.get("hops") or not subsets:
        return None
    if trace["answer"] is None:
        return _Drafted(evidence=next(iter(subsets.values())), answer=UNKNOWN)
    chosen = next((one for one in trace["groups"] if one["answer"] == trace["answer"]), None)
    if chosen is None:  # said in one by the large model: no draft's words
        return None
    draft = next(one for one in trace["drafts"] if one["subset"] == chosen["drafts"][0])
    evidence = subsets[draft["subset"]]
    documents = {hit["document"] for hit in evidence}
    return _Drafted(
        evidence=evidence,
        answer=draft["answer"],
        rationale=draft["rationale"],
        quotes=tuple(one["quote"] for one in trace["sources"] if one["document"] in documents),
    )


def write(rows: Sequence[ReviewedAnswer], out: Path) -> None:
    """Write one JSON object a line, for the owner's eyes alone."""
    descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


async def _run(out: Path) -> Exported:
    settings, clock = load_settings(), SystemClock()
    ledger = open_ledger(settings, clock=clock, ids=RandomIds(clock))
    try:
        async with httpx.AsyncClient(follow_redirects=False) as http:
            embedder = build_embedder(settings.embedder, http)
            query = await build_query(
                settings,
                embedder=embedder,
                vectors=build_vectors(settings, dimensions=embedder.dimensions),
                clock=clock,
                secret=instance_secret(settings),
                http=http,
            )
            found = await reviewed_answers(ledger, query, DEFAULT_TENANT)
    finally:
        await ledger.close()
    write(found.rows, out)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="file, replaced; mode 600")
    chosen = parser.parse_args()
    prepare_home(load_settings())
    found = asyncio.run(_run(chosen.out))
    sys.stdout.write(f"{len(found.rows)} rows; {found.gone} left out: their evidence is gone\n")


if __name__ == "__main__":
    main()
