"""How often an honest update of an ordinary document is held: `python -m evaluation.honest_updates`.

Ordinary documents are the descriptions of the packages in the environment, which `uv.lock` fixes:
manuals in prose, with figures, names and code. Each is edited in every way, seeded, and the new
text is judged as a new version of the old one, by the shipped detectors of versions and
near-copies and the shipped policy. Harmless edits ought to pass; changes of figures, dates,
negations and names ought to wait for a person, however honest they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import distributions
from random import Random
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from backends.embedder_onnx import OnnxEmbedder
from defences.detectors.near_duplicates import NearDuplicatesDetector
from defences.detectors.version_changes import VersionChangesDetector
from defences.retrieval.differences import differences
from defences.retrieval.versions import (
    Change,
    compare,
    is_version,
    mark,
    rewritten,
    says,
)
from defences.trust.policy import DEFAULT_POLICY, WeightedTrustPolicy, load_policy
from domain.documents import (
    DEFAULT_TENANT,
    ChangeKind,
    Document,
    DocumentId,
    DocumentStatus,
    Neighbour,
    NeighbourRelation,
    Origin,
    OriginKind,
    Provenance,
    VersionChange,
)
from domain.lifecycle import Edition
from domain.scanning import ScanReport
from domain.text import MappedText, Span
from domain.trust import CoarseReason, Verdict
from evaluation.honest_edits import KINDS

SEED: Final = 20261129
DOCUMENTS: Final = 150

_WORDS: Final = (150, 3000)
_NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
_ORIGIN: Final = Origin(kind=OriginKind.PUBLISHER, id="house", established=True)
_OLD: Final = DocumentId("old")
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Of `edits` edits of one kind `held` were held; `upper` is the 95% bound on the share."""

    name: str
    harmless: bool
    edits: int
    held: int

    @property
    def share(self) -> float:
        return self.held / self.edits if self.edits else 0.0

    @property
    def upper(self) -> float:
        if self.held == self.edits:
            return 1.0
        return float(beta.ppf(0.95, self.held + 1, self.edits - self.held))


def ordinary_documents(limit: int) -> Sequence[str]:
    """Return descriptions of installed packages, by name, each text once."""
    found: dict[str, str] = {}
    for distribution in sorted(distributions(), key=lambda one: str(one.metadata["Name"])):
        said = cast(Message, distribution.metadata)
        text = str(said.get("Description") or said.get_payload() or "").replace("\r\n", "\n")
        if _WORDS[0] <= len(text.split()) <= _WORDS[1]:
            found.setdefault(text, text)
    return list(found)[:limit]


def is_held(
    policy: WeightedTrustPolicy,
    old: str,
    new: str,
    *,
    logical_id: str | None,
    embed: Embed,
    witness: str = "",
) -> bool:
    """Return whether `new` waits for a person as a new version of `old`, which serves.

    `witness` is a text of another established origin.
    """
    own = mark(DEFAULT_TENANT, new)
    edition = Edition(
        document_id=_OLD, logical_id=logical_id, version=None, received_at=_NOW,
        status=DocumentStatus.ADMITTED, reviewed=True, served=True,
        mark=mark(DEFAULT_TENANT, old),
    )  # fmt: skip
    if not is_version(edition, own, logical_id=logical_id, ids_are_vouched=False):
        return False
    if rewritten(edition.mark, own):
        found: tuple[Change, ...] = (Change(kind=ChangeKind.TEXT, span=Span(0, len(new))),)
    else:
        compared = compare(old, new)
        found = compared.settled(embed(compared.passages) if compared.doubtful else None)
    document = Document(
        id=DocumentId("new"), tenant_id=DEFAULT_TENANT, media_type="text/plain", sha256="0" * 64,
        raw_text=new, text=MappedText.identity(new),
        provenance=Provenance(origin=_ORIGIN, claimed_uri=None, received_at=_NOW),
        neighbours=(_neighbour(old, new),),
        changes=tuple(
            VersionChange(
                kind=change.kind, span=change.span, earlier=_OLD,
                confirmed=says(new, change.span, witness),
            )
            for change in found
        ),
    )  # fmt: skip
    detectors = (VersionChangesDetector(), NearDuplicatesDetector())
    report = ScanReport(
        document_id=document.id,
        findings=tuple(found for one in detectors for found in one.scan(document)),
        completed=dict.fromkeys(policy.weights.expected, "1"),
        unavailable=frozenset(),
    )
    assessment = policy.assess(report, document.provenance, now=_NOW)
    return assessment.verdict is Verdict.QUARANTINE and assessment.reason is CoarseReason.HOLD


def _neighbour(old: str, new: str) -> Neighbour:
    difference = differences(old, new)
    return Neighbour(
        document_id=_OLD, origin=_ORIGIN, similarity=0.95, admitted=True,
        relation=NeighbourRelation.CONTRADICTION
        if difference.contradicts
        else NeighbourRelation.DUPLICATE,
        differences=difference.total,
    )  # fmt: skip


def measure(
    documents: Sequence[str], *, seed: int, logical_id: str | None, embed: Embed
) -> Iterator[Rate]:
    """Yield the share of edits that is held, kind by kind."""
    policy = load_policy(DEFAULT_POLICY.read_text(encoding="utf-8"))
    for kind in KINDS:
        random = Random(f"{seed}:{kind.name}")  # noqa: S311 - reproducible, not secret
        held = edits = 0
        for text in documents:
            old = kind.prepare(text, random, documents) if kind.prepare else text
            new = None if old is None else kind.edit(old, random, documents)
            if old is None or new is None or new == old:
                continue
            edits += 1
            witness = new if kind.confirmed else ""
            held += is_held(policy, old, new, logical_id=logical_id, embed=embed, witness=witness)
        yield Rate(name=kind.name, harmless=kind.harmless, edits=edits, held=held)


def _table(rates: Sequence[Rate]) -> str:
    rows = [
        f"| {rate.name} | {rate.edits} | {rate.held} | {rate.share:.1%} | {rate.upper:.1%} |"
        for rate in (*rates, *_totals(rates))
    ]
    return "\n".join(
        ["| edit | edits | held | share | 95% upper |", "|---|---|---|---|---|", *rows]
    )


def _totals(rates: Sequence[Rate]) -> Iterator[Rate]:
    for harmless, name in ((True, "**harmless, all**"), (False, "**says otherwise, all**")):
        chosen = [rate for rate in rates if rate.harmless is harmless]
        yield Rate(
            name=name,
            harmless=harmless,
            edits=sum(rate.edits for rate in chosen),
            held=sum(rate.held for rate in chosen),
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m evaluation.honest_updates"
    )
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--without-id", action="store_true", help="link by likeness alone")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    documents = ordinary_documents(given.documents)
    logical_id = None if given.without_id else "document"
    embed = OnnxEmbedder().embed_sync
    rates = list(measure(documents, seed=given.seed, logical_id=logical_id, embed=embed))
    if given.json:
        rows = [
            {"edit": r.name, "harmless": r.harmless, "edits": r.edits, "held": r.held}
            for r in (*rates, *_totals(rates))
        ]
        sys.stdout.write(json.dumps({"documents": len(documents), "rates": rows}) + "\n")
    else:
        sys.stdout.write(f"{len(documents)} documents\n\n{_table(rates)}\n")


if __name__ == "__main__":
    main()
