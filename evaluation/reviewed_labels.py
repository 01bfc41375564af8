"""Calibration by reviewers' labels: what they said of answers that this installation gave (Law 13).

Asked in the course of the day, not for the purpose: a question that nobody looked at has no label,
and only answers that were returned have one, so that below the tau in force nothing is learnt.
Proposals of askers are not read. Of one question asked several times the latest label counts.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np

from defences.answering.calibration import MIN_LABELS, CalibrationError
from defences.answering.calibration_artefact import CalibrationArtefact, Labels, fit_artefact
from domain.answering import Outcome
from domain.documents import TenantId
from domain.ledger import Ledger
from evaluation.calibration.labelled_set import Split

SHARES: Final[Mapping[Split, float]] = {Split.FIT: 0.5, Split.TAU: 0.25, Split.TEST: 0.25}
NEEDED: Final[Mapping[Split, int]] = {
    Split.FIT: MIN_LABELS,
    Split.TAU: MIN_LABELS // 2,
    Split.TEST: MIN_LABELS // 2,
}
"""Labels that each split must have; they are dealt by a hash of the question."""

_MOST: Final = 100_000
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedScore:
    """The group score of one returned answer, with a reviewer's word on it."""

    configuration: str
    question: str
    score: float
    right: bool


async def reviewed_scores(ledger: Ledger, tenant_id: TenantId) -> tuple[ReviewedScore, ...]:
    """Return what reviewers labelled, one a question, the latest label first."""
    found: dict[tuple[str, str], ReviewedScore] = {}
    for one in await ledger.feedback.labelled(tenant_id, since=_EVER, limit=_MOST):
        if one.outcome is Outcome.ABSTAIN:
            continue
        record = await ledger.questions.get(tenant_id, one.question_id)
        read = _score(record.trace, right=one.right)
        if read is not None:
            found.setdefault((read.configuration, read.question), read)
    return tuple(found.values())


def fit_reviewed(
    scores: Sequence[ReviewedScore], *, precision: float
) -> tuple[CalibrationArtefact, ...]:
    """Fit an artefact for each configuration that has enough labels.

    Raises:
        CalibrationError: None has; says how many are missing where the fewest are.
    """
    by_configuration: defaultdict[str, list[ReviewedScore]] = defaultdict(list)
    for one in scores:
        by_configuration[one.configuration].append(one)
    short = {name: missing(held) for name, held in by_configuration.items()}
    ready = [name for name, lacking in short.items() if not lacking]
    if not ready:
        least = min(short.values(), default=sum(NEEDED.values()))
        raise CalibrationError(
            f"{len(scores)} reviewers' labels; about {least} more are needed for one configuration"
        )
    return tuple(
        _fitted(name, by_configuration[name], precision=precision) for name in sorted(ready)
    )


def missing(scores: Sequence[ReviewedScore]) -> int:
    """Return about how many more labels the split that lacks most of them needs; 0: enough."""
    dealt = split(scores)
    return max(
        math.ceil(max(0, NEEDED[name] - len(held)) / SHARES[name]) for name, held in dealt.items()
    )


def split(scores: Sequence[ReviewedScore]) -> Mapping[Split, Sequence[ReviewedScore]]:
    """Deal labels by question, so that one is in the same split however often it is fitted."""
    dealt: dict[Split, list[ReviewedScore]] = {name: [] for name in SHARES}
    for one in scores:
        digest = hashlib.blake2b(one.question.encode(), key=b"split", digest_size=8).digest()
        at = int.from_bytes(digest) / 2**64
        for name, share in SHARES.items():
            at -= share
            if at < 0.0:
                dealt[name].append(one)
                break
    return dealt


def write(artefacts: Sequence[CalibrationArtefact], out: Path) -> tuple[Path, ...]:
    """Write artefacts into a folder, named by what they serve."""
    paths = []
    for artefact in artefacts:
        digest = hashlib.sha256(artefact.configuration.encode()).hexdigest()[:8]
        path = out / f"reviewed-{digest}.json"
        path.write_text(artefact.to_json(), encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def _fitted(
    configuration: str, scores: Sequence[ReviewedScore], *, precision: float
) -> CalibrationArtefact:
    dealt = split(scores)
    return fit_artefact(
        fit=_labels(dealt[Split.FIT]),
        held_out=_labels(dealt[Split.TEST]),
        tau_split=_labels(dealt[Split.TAU]),
        configuration=configuration,
        precision=precision,
    )


def _labels(scores: Sequence[ReviewedScore]) -> Labels:
    return Labels(
        scores=np.array([one.score for one in scores], dtype=np.float64),
        right=np.array([one.right for one in scores], dtype=np.bool_),
    )


def _score(trace: str, *, right: bool) -> ReviewedScore | None:
    """Return the score of the group that was answered with; None of hops, rungs and the web.

    What was said in one (`answering.refine`) is in no group's words: the best group's then.
    """
    told = json.loads(trace)
    if told.get("hops") or told.get("ladder") or not told.get("groups") or not told.get("answer"):
        return None
    same = [one for one in told["groups"] if one["answer"] == told["answer"]]
    chosen = (same or told["groups"])[0]
    return ReviewedScore(
        configuration=str(told["configuration"]),
        question=str(told["question"]),
        score=float(chosen["score"]),
        right=right,
    )
