"""Law 8: a short way is open to established seats alone, and no seat loses its draft to one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from defences.answering.questions import read_question
from defences.answering.routing import Survey, barred, choose_way, survey
from defences.retrieval.partition import MIN_RELEVANCE, seat_of
from domain.answering import PartitionMode, SeatId
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from domain.routing import LEAST_DRAFTS, Way
from gateway.query.options import QueryOptions
from gateway.query.routing import deal
from tests.answer_builders import make_chunk, make_origin

QUESTIONS = st.sampled_from(
    ["How many months does it last?", "Why does it rattle?", "Is it sealed?", "Who makes it?"]
)


@st.composite
def chunks_of(draw: st.DrawFn, *, tiers: tuple[Tier, ...]) -> list[ScoredChunk]:
    drawn = draw(
        st.lists(
            st.tuples(
                st.integers(0, 6),
                st.sampled_from(tiers),
                st.floats(0.0, 1.0),
                st.integers(1, 200),
            ),
            max_size=12,
        )
    )
    return [
        make_chunk(
            " ".join(["word"] * words),
            document=f"{tier.value}-{at}",
            origin=make_origin(f"{tier.value}-{seat}", tier),
            similarity=similarity,
        )
        for at, (seat, tier, similarity, words) in enumerate(drawn)
    ]


ESTABLISHED = chunks_of(tiers=(Tier.REVIEWED, Tier.ESTABLISHED, Tier.ESTABLISHED))
POOLED = chunks_of(tiers=(Tier.POOL,))


def way_of(question: str, found: Survey, *, m: int, alike: bool) -> Way:
    why_not = barred(found, mode=PartitionMode.ISOLATED, min_tolerance=0)
    return choose_way(read_question(question), found, m=m, k=5, alike=alike, why_not=why_not)


def relevant_seats(chunks: list[ScoredChunk]) -> set[SeatId]:
    return {
        seat_of(chunk, PartitionMode.ISOLATED)
        for chunk in chunks
        if chunk.origin.established and chunk.similarity >= MIN_RELEVANCE
    }


@given(QUESTIONS, ESTABLISHED, POOLED, st.integers(1, 8), st.booleans())
def test_every_established_seat_is_drafted_whatever_the_way(
    question: str, known: list[ScoredChunk], pooled: list[ScoredChunk], m: int, alike: bool
) -> None:
    chunks = [*known, *pooled]
    way = way_of(question, survey(chunks), m=m, alike=alike)

    parts = deal(chunks, way, options=QueryOptions(m=m), key=b"key")

    drafted = {seat for subset in parts.subsets for seat in subset.seats if ":" in seat}
    assert drafted - {seat for seat in drafted if seat.startswith("family:")} == relevant_seats(
        chunks
    )


@given(QUESTIONS, ESTABLISHED, POOLED, st.integers(1, 8), st.booleans())
def test_fewer_than_three_drafts_only_where_established_seats_alone_have_evidence(
    question: str, known: list[ScoredChunk], pooled: list[ScoredChunk], m: int, alike: bool
) -> None:
    found = survey([*known, *pooled])

    way = way_of(question, found, m=m, alike=alike)

    assert way.m >= LEAST_DRAFTS or found.established_alone
    assert not way.short or found.established_alone


@given(QUESTIONS, ESTABLISHED, POOLED, st.integers(1, 8), st.booleans())
def test_no_pooled_document_shortens_a_way(
    question: str, known: list[ScoredChunk], pooled: list[ScoredChunk], m: int, alike: bool
) -> None:
    before = way_of(question, survey(known), m=m, alike=alike)
    after = way_of(question, survey([*known, *pooled]), m=m, alike=alike)

    assert after.m >= before.m
    assert before.short or not after.short
