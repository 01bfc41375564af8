"""Finds the way of a question: what there is to read, and whether the seats read alike."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from defences.answering.agreement import group_answers
from defences.answering.questions import read_question
from defences.answering.routing import (
    SHORT_PASSAGES,
    Survey,
    barred,
    choose_way,
    least_drafts,
    one_subset,
    survey,
)
from defences.answering.scoring import score_drafts
from defences.answering.second_look import heard
from defences.retrieval.chorus import find_choruses
from defences.retrieval.families import collapse
from defences.retrieval.partition import Choruses, Partition, partition
from domain.answering import Drafter, PartitionMode, Question
from domain.retrieval import Embedder, ScoredChunk
from domain.routing import Route, RouteReason, Way
from gateway.query.drafting import draft_all
from gateway.query.options import QueryOptions
from gateway.query.verification import checked

_SHARES: Final = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Whether short ways are taken, and how seldom not.

    Attributes:
        reader: Reads each seat's evidence to see whether they say the same: the extractive drafter,
            for a model's drafts are what a short way saves.
        watch_share: Of the questions that could go a short way, those that go the long one, in
            [0, 1]: a single draft has nobody to disagree with, and the monitors would be blind.
    """

    reader: Drafter
    watch_share: float = 0.1


Calibrated = Callable[[Way], bool]
"""Whether a calibration fits the configuration that a way makes."""


async def find_way(
    routing: Routing | None,
    question: Question,
    evidence: Sequence[ScoredChunk],
    *,
    options: QueryOptions,
    embedder: Embedder,
    key: bytes,
    calibrated: Calibrated,
) -> Way:
    """Return the way of a question; without `routing` the long one.

    Raises:
        TransientError: The embedder did not answer.
    """
    found = survey(collapse(evidence))
    long = long_way(found, options)
    if routing is None:
        return long
    why_not = barred(found, mode=options.partition, min_tolerance=options.min_tolerance)
    alike = why_not is None and await _read_alike(
        routing.reader, question, found, options=options, embedder=embedder, key=key
    )
    way = choose_way(
        read_question(question.text), found, m=long.m, k=long.k, alike=alike, why_not=why_not
    )
    if way == replace(long, reason=way.reason):
        return way
    if calibrated(long) and not calibrated(way):
        return replace(long, reason=RouteReason.UNCALIBRATED)
    if _drawn(question, key, routing.watch_share):
        return replace(long, reason=RouteReason.WATCHED)
    return way


def long_way(found: Survey, options: QueryOptions, *, reason: RouteReason = RouteReason.OFF) -> Way:
    """Return the way on which every seat drafts, with as many drafts as Law 8 wants."""
    isolated = options.partition is PartitionMode.ISOLATED
    m = least_drafts(options.m, found) if isolated else options.m
    return Way(route=Route.LONG, reason=reason, m=m, k=options.k)


def deal(
    evidence: Sequence[ScoredChunk],
    way: Way,
    *,
    options: QueryOptions,
    key: bytes,
    choruses: Choruses = (),
) -> Partition:
    """Return the evidence subsets of a way."""
    chunks = collapse(evidence)
    if way.short:
        subset = one_subset(survey(chunks), k=way.k)
        return Partition(mode=PartitionMode.ISOLATED, subsets=(subset,))
    return partition(
        chunks,
        m=way.m,
        k=way.k,
        key=key,
        mode=options.partition,
        plain_seat=options.plain_seat,
        choruses=choruses,
    )


def deal_apart(
    question: str, evidence: Sequence[ScoredChunk], way: Way, *, options: QueryOptions, key: bytes
) -> Partition:
    """Return the same; where families are the seats, with choruses told apart."""
    parts = deal(evidence, way, options=options, key=key)
    if parts.mode is not PartitionMode.NO_PROVENANCE:
        return parts
    choruses = find_choruses(collapse(evidence), question)
    return deal(evidence, way, options=options, key=key, choruses=choruses) if choruses else parts


async def _read_alike(
    reader: Drafter,
    question: Question,
    found: Survey,
    *,
    options: QueryOptions,
    embedder: Embedder,
    key: bytes,
) -> bool:
    """Whether some seat reads as an answer and none as another one."""
    parts = partition(found.passages, m=SHORT_PASSAGES + 1, k=options.k, key=key)
    said = checked(question, await draft_all(question, parts.subsets, reader))
    drafts = heard(said, mode=parts.mode)
    read = score_drafts(drafts, None, None, mode=parts.mode, lift_bound=0.0)
    if not read:
        return False
    vectors = await embedder.embed([one.draft.answer for one in read])
    return len(group_answers(question.text, read, vectors @ vectors.T)) == 1


def _drawn(question: Question, key: bytes, share: float) -> bool:
    """Draw by the question's id and the day's secret: who asks cannot choose."""
    digest = hashlib.blake2b(question.id.encode(), key=key[:64], digest_size=4).digest()
    return int.from_bytes(digest) < share * _SHARES
