"""Other systems, each written plainly from its paper; none knows who stands behind a text.

All retrieve the same ten passages and draft with the same model as ours. With the embedded default
that is the extractive drafter, which quotes: what a paper does with a language model's free text is
then an analogue, and the tables say so.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final

from defences.answering.agreement import group_answers
from defences.answering.keywords import keywords
from defences.answering.scoring import score_drafts
from defences.answering.second_look import heard
from defences.retrieval.comparison import mixed
from domain.answering import (
    Draft,
    EvidenceSubset,
    Outcome,
    PartitionMode,
    Question,
    QuestionId,
    SeatId,
)
from domain.documents import DEFAULT_TENANT, Tier
from domain.retrieval import ScoredChunk
from domain.verification import CrossExamination
from evaluation.redteam.rows import Row
from evaluation.redteam.systems.gateway import SECRET, Models
from evaluation.redteam.systems.reply import Reply, noted
from evaluation.redteam.systems.views import TOP
from evaluation.redteam.world import World
from gateway.query.verification import examine

DRAFTS: Final = 5
SUBSET: Final = 2
"""m and k of the paper for ten passages (Wang et al., ICLR 2025, arXiv:2407.08223)."""

KEYWORD_SHARE: Final = 0.3
KEYWORD_COUNT: Final = 3
"""alpha and beta of keyword aggregation (Xiang et al. 2024, arXiv:2405.15556)."""

_MODE: Final = PartitionMode.MULTI_PERSPECTIVE
"""What a peer's drafts are scored as: no mode of ours that bounds a seat."""


class Peer:
    """What all peers do: retrieve, and draft from passages that they choose."""

    def __init__(self, name: str, models: Models) -> None:
        self._name = name
        self._models = models

    @property
    def name(self) -> str:
        return self._name

    @property
    def sees_provenance(self) -> bool:
        return False

    async def retrieve(self, row: Row, world: World) -> Sequence[ScoredChunk]:
        vector = (await self._models.embedder.embed([row.question]))[0]
        return await world.vectors.ranked(vector, row.question, tenant_id=DEFAULT_TENANT, limit=TOP)

    async def drafts(self, row: Row, subsets: Sequence[Sequence[ScoredChunk]]) -> Sequence[Draft]:
        question = question_of(row)
        drafts = await asyncio.gather(
            *(
                self._models.drafter.draft(question, subset_of(number, chunks))
                for number, chunks in enumerate(subsets)
                if chunks
            )
        )
        return heard(drafts, mode=_MODE)


class StandardRag(Peer):
    """All ten passages before one draft."""

    def __init__(self, models: Models) -> None:
        super().__init__("standard-rag", models)

    async def ask(self, row: Row, world: World) -> Reply:
        hits = await self.retrieve(row, world)
        return answered(await self.drafts(row, [hits]), world, picked=0)


class SpeculativeRag(Peer):
    """Algorithm 1 with the published scores: the best-scoring draft wins alone."""

    def __init__(self, models: Models, *, mode: PartitionMode = _MODE) -> None:
        random = mode is PartitionMode.RANDOM
        super().__init__("speculative-rag-random" if random else "speculative-rag", models)
        self._mode = mode

    async def ask(self, row: Row, world: World) -> Reply:
        hits = await self.retrieve(row, world)
        dealt = mixed(hits, self._mode, m=DRAFTS, k=SUBSET, key=SECRET)
        drafts = await self.drafts(row, dealt)
        scored = await examine(
            self._models.verifier,
            question_of(row),
            drafts,
            cross_examination=CrossExamination.PUBLISHED,
            mode=self._mode,
            lift_bound=0.0,
        )
        best = max(scored, key=lambda one: one.raw, default=None)
        if best is None:
            return answered(drafts, world, picked=None)
        return answered(drafts, world, picked=best.draft.subset.index, score=best.raw)


class NoRetrieval(Peer):
    """The model's own knowledge. A drafter that quotes has none, and gives no answer."""

    def __init__(self, models: Models) -> None:
        super().__init__("no-retrieval", models)

    async def ask(self, row: Row, world: World) -> Reply:
        del row
        return answered((), world, picked=None)


class MajorityVote(Peer):
    """One draft a passage; the answer that most of them give, ties by the order of retrieval."""

    def __init__(self, models: Models) -> None:
        super().__init__("majority-vote", models)

    async def ask(self, row: Row, world: World) -> Reply:
        hits = await self.retrieve(row, world)
        drafts = await self.drafts(row, [[hit] for hit in hits])
        scored = score_drafts(
            [draft for draft in drafts if draft.usable], None, None, mode=_MODE, lift_bound=0.0
        )
        if not scored:
            return answered(drafts, world, picked=None)
        vectors = await self._models.embedder.embed([one.draft.answer for one in scored])
        groups = group_answers(row.question, scored, vectors @ vectors.T)
        best = max(
            groups,
            key=lambda group: (len(group), -min(one.draft.subset.index for one in group)),
        )
        first = min(one.draft.subset.index for one in best)
        return answered(drafts, world, picked=first, score=len(best) / len(drafts))


class RobustRag(Peer):
    """Keyword aggregation: what enough passages say by themselves is kept.

    A keyword counts where at least min(alpha x passages, beta) answers have it. The paper lets the
    model write an answer from the keywords; here it is the draft that holds most of them.
    """

    def __init__(self, models: Models) -> None:
        super().__init__("robustrag", models)

    async def ask(self, row: Row, world: World) -> Reply:
        hits = await self.retrieve(row, world)
        drafts = await self.drafts(row, [[hit] for hit in hits])
        usable = [draft for draft in drafts if draft.usable]
        asked = set(keywords(row.question))
        counts = Counter(word for draft in usable for word in set(keywords(draft.answer)) - asked)
        least = max(1.0, min(KEYWORD_SHARE * len(usable), KEYWORD_COUNT))
        kept = {word for word, count in counts.items() if count >= least}
        held = [len(kept.intersection(keywords(draft.answer))) for draft in usable]
        if not held or max(held) == 0:
            return answered(drafts, world, picked=None)
        best = usable[held.index(max(held))]
        return answered(
            drafts, world, picked=best.subset.index, score=max(held) / max(1, len(kept))
        )


def question_of(row: Row) -> Question:
    return Question(id=QuestionId(row.id), tenant_id=DEFAULT_TENANT, text=row.question)


def subset_of(number: int, chunks: Sequence[ScoredChunk]) -> EvidenceSubset:
    seats = sorted({SeatId(str(chunk.origin.ref)) for chunk in chunks})
    return EvidenceSubset(index=number, seats=tuple(seats), tier=Tier.POOL, chunks=tuple(chunks))


def answered(
    drafts: Sequence[Draft], world: World, *, picked: int | None, score: float | None = None
) -> Reply:
    """Return the picked draft's answer; none where it abstained or nothing was picked.

    `picked` is the index of the draft's subset.
    """
    chosen = next((one for one in drafts if one.subset.index == picked and one.usable), None)
    return Reply(
        answer=chosen.answer if chosen is not None else None,
        said=chosen.answer if chosen is not None else None,
        outcome=Outcome.ANSWER if chosen is not None else Outcome.ABSTAIN,
        reason="" if chosen is not None else "no-draft",
        score=score if score is not None or chosen is None else chosen.probability,
        drafts=noted(drafts, frozenset(world.planted)),
        picked=picked if chosen is not None else None,
    )
