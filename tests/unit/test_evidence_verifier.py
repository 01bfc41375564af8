from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.embedder_hashing import HashingEmbedder
from domain.answering import Draft, EvidenceSubset, Question, QuestionId
from domain.documents import DEFAULT_TENANT
from gateway.query.evidence_verifier import CONTRADICTED, PRIOR, SUPPORTED, EvidenceVerifier
from tests.answer_builders import make_chunk, make_draft, make_origin, make_subset

WARRANTY = "How long is the warranty of the Verrin controller?"
TRUE = "The warranty of the Verrin controller lasts 36 months."
verifier = EvidenceVerifier(HashingEmbedder())


def question(text: str) -> Question:
    return Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text=text)


def evidence(text: str, *, name: str = "other") -> EvidenceSubset:
    return make_subset([make_chunk(text, document=name, origin=make_origin(name))], index=1)


async def score(asked: str, draft: Draft, subset: EvidenceSubset | None) -> float:
    return float((await verifier.score(question(asked), [draft], [subset]))[0, 0])


@pytest.mark.anyio
async def test_a_draft_is_supported_by_what_it_quotes() -> None:
    draft = make_draft(TRUE)

    assert await score(WARRANTY, draft, draft.subset) == SUPPORTED


@pytest.mark.anyio
async def test_no_evidence_gives_the_prior_whatever_the_draft() -> None:
    assert await score(WARRANTY, make_draft(TRUE), None) == PRIOR
    assert await score(WARRANTY, make_draft("Nonsense."), None) == PRIOR


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        (WARRANTY, TRUE, "Verrin controller: three years of warranty."),
        (WARRANTY, TRUE, "The Verrin warranty is 36 months. Lamps have 6 months."),
        ("Who leads the seed bank?", "Priya Nandakumar leads the seed bank.", "The seed bank is led by Dr Priya Nandakumar."),
        ("Is lightning damage covered?", "No: Lightning damage is not covered.", "Lightning damage is excluded."),
    ],
)  # fmt: skip
async def test_evidence_that_says_the_same_lifts(asked: str, answer: str, other: str) -> None:
    assert PRIOR < await score(asked, make_draft(answer), evidence(other)) <= SUPPORTED


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("asked", "answer", "other"),
    [
        (WARRANTY, TRUE, "The warranty of the Verrin controller lasts 9 months."),
        ("Who leads the seed bank?", "Priya Nandakumar leads the seed bank.", "Erwin Toll leads the seed bank."),
        ("Is lightning damage covered?", "Yes: Lightning damage is covered.", "Lightning damage is not covered."),
        ("What dose is given of the salt?", "A dose of 5 mg of the salt is given.", "A dose of 50 mg of the salt is given."),
    ],
)  # fmt: skip
async def test_evidence_that_answers_otherwise_lowers(asked: str, answer: str, other: str) -> None:
    assert CONTRADICTED <= await score(asked, make_draft(answer), evidence(other)) < PRIOR


@pytest.mark.anyio
@pytest.mark.parametrize(
    "other",
    ["The kiosk is blue.", "Bags of up to 23 kg are carried.", "---", "Parcels take 5 days."],
)
async def test_evidence_of_something_else_is_neutral(other: str) -> None:
    assert await score(WARRANTY, make_draft(TRUE), evidence(other)) == pytest.approx(
        PRIOR, abs=0.35
    )


@pytest.mark.anyio
async def test_a_quote_that_does_not_stand_in_the_evidence_is_not_taken_at_its_word() -> None:
    draft = make_draft(TRUE)
    own = evidence("The warranty of the Verrin controller lasts 9 months.")

    assert await score(WARRANTY, draft, own) < PRIOR


@pytest.mark.anyio
async def test_an_abstained_draft_says_nothing() -> None:
    draft = make_draft("", abstained=True)

    assert await score(WARRANTY, draft, draft.subset) == PRIOR


@pytest.mark.anyio
async def test_nothing_to_score_has_the_shape_of_nothing() -> None:
    empty = await verifier.score(question(WARRANTY), [], [])
    columns = await verifier.score(question(WARRANTY), [], [None])

    assert (empty.shape, columns.shape) == ((0, 0), (0, 1))


words = st.lists(
    st.sampled_from(
        [
            "36",
            "9",
            "months",
            "the",
            "warranty",
            "not",
            "Verrin",
            "lasts",
            "Yes",
            "No",
            ".",
            ",",
            "5",
            "mg",
            "is",
            "Toll",
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@settings(deadline=None, max_examples=40)
@given(
    answers=st.lists(words, min_size=1, max_size=3), texts=st.lists(words, min_size=1, max_size=3)
)
def test_every_score_is_finite_and_within_its_bounds(answers: list[str], texts: list[str]) -> None:
    drafts = [make_draft(answer, index=n) for n, answer in enumerate(answers)]
    columns = [*(evidence(text, name=f"o{n}") for n, text in enumerate(texts)), None]

    scores = asyncio.run(verifier.score(question(WARRANTY), drafts, columns))

    assert scores.shape == (len(drafts), len(columns))
    assert np.all(np.isfinite(scores))
    assert np.all((scores >= CONTRADICTED) & (scores <= SUPPORTED))
    assert np.all(scores[:, -1] == PRIOR)


def test_the_version_names_the_embedder() -> None:
    assert HashingEmbedder().version in verifier.version
