from __future__ import annotations

import pytest

from backends.embedder_hashing import HashingEmbedder
from defences.answering.relations import asked_relations, nearness, stated_relations
from domain.answering import Draft, Question, QuestionId
from domain.documents import DEFAULT_TENANT
from gateway.query.extractive import MAX_WORDS, ExtractiveDrafter
from tests.answer_builders import make_chunk, make_subset

PELL = "Marten Pell (born 14 February 1871) was a Cardish botanist. He wrote on mosses."
VENN = "Harald Venn (born 2 March 1890) was a Cardish coach. His clubs won 412 games."
BRANDT = "Sunniva Brandt is a Cardish coach. Her clubs won 455 games."


async def drafted(question: str, *passages: str) -> Draft:
    chunks = [make_chunk(text) for text in passages]
    asked = Question(id=QuestionId("q"), tenant_id=DEFAULT_TENANT, text=question)
    return await ExtractiveDrafter(HashingEmbedder()).draft(asked, make_subset(chunks))


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "passages", "begins"),
    [
        ("Are Marten Pell and Harald Venn both Cardish?", (PELL, VENN), "Yes"),
        ("Were Harald Venn and Sunniva Brandt both coaches?", (VENN, BRANDT), "Yes"),
        ("Who was born first, Marten Pell or Harald Venn?", (PELL, VENN), "Marten Pell"),
        ("Who was born first, Harald Venn or Marten Pell?", (PELL, VENN), "Marten Pell"),
        ("Who is younger, Marten Pell or Harald Venn?", (PELL, VENN), "Harald Venn"),
        ("Who won more games, Harald Venn or Sunniva Brandt?", (VENN, BRANDT), "Sunniva Brandt"),
        ("Who won fewer games, Harald Venn or Sunniva Brandt?", (VENN, BRANDT), "Harald Venn"),
        ("Which man was a botanist, Harald Venn or Marten Pell?", (PELL, VENN), "Marten Pell"),
    ],
)
async def test_what_is_said_of_both_sides_decides(
    question: str, passages: tuple[str, ...], begins: str
) -> None:
    draft = await drafted(question, *passages)

    assert draft.answer.startswith(begins)
    assert len(draft.answer.split()) <= MAX_WORDS
    assert all(any(quote.text in text for text in passages) for quote in draft.quotes)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("Are Marten Pell and Harald Venn both botanists?", (PELL, VENN)),  # silence is no denial
        ("Are Marten Pell and Harald Venn both Cardish?", (PELL,)),
        ("Are Marten Pell and Harald Venn from the same town?", (PELL, VENN)),
    ],
)
async def test_a_sentence_on_one_side_answers_nothing(
    question: str, passages: tuple[str, ...]
) -> None:
    draft = await drafted(question, *passages)

    assert draft.abstained


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("Who was born first, Marten Pell or Harald Venn?", (PELL, "Harald Venn was a coach.")),
        ("Who won more games, Harald Venn or Sunniva Brandt?", (VENN, "Sunniva Brandt is tall.")),
    ],
)
async def test_one_figure_alone_compares_nothing(question: str, passages: tuple[str, ...]) -> None:
    draft = await drafted(question, *passages)

    assert "compares two things" not in draft.rationale


@pytest.mark.anyio
async def test_a_sentence_that_speaks_of_both_is_read_as_any_other() -> None:
    text = "Dogs are allowed on the Sarre Ferry and the Lowholm Tram."

    draft = await drafted("Are dogs allowed on the Sarre Ferry and the Lowholm Tram?", text)

    assert draft.answer.startswith("Yes")


@pytest.mark.anyio
async def test_the_answer_never_holds_both_names() -> None:
    venn = "Harald Venn (born 2 March 1890), who knew Marten Pell, was a coach."
    pell = "Marten Pell (born 14 February 1871), who knew Harald Venn, was a botanist."

    draft = await drafted("Who was born first, Marten Pell or Harald Venn?", venn, pell)

    assert not ("Pell" in draft.answer and "Venn" in draft.answer and draft.quotes[1:])


@pytest.mark.parametrize(
    ("question", "sentence", "relation"),
    [
        ("who sang the lantern road", "Its melody is carried by guest vocalist Runa.", "sing"),
        ("when does season 6 come out", "It premiered on 22 September.", "release"),
        ("who plays the oldest brother", "Oskar Thelin starred as Holm.", "act"),
        ("where was the picture filmed", "It was shot on the island of Sarre.", "place"),
        ("who founded the bank", "Quay Savings was set up by a teacher.", "begin"),
        ("when did the station close", "It was in use until 1951.", "end"),
        ("who wrote the song", "It was composed by Ilse Maarten.", "write"),
        ("how long do players stay", "It is valid for 36 hours.", "last"),
    ],
)
def test_a_relation_is_found_in_other_words(question: str, sentence: str, relation: str) -> None:
    asked = asked_relations(question)

    assert relation in asked
    assert relation in {one.name for one in stated_relations(sentence, asked)}


def test_a_word_inside_another_states_nothing() -> None:
    stated = stated_relations("The dieter's singularity was starched.", ("die", "sing", "act"))

    assert stated == ()


def test_nearness_falls_with_distance_and_is_nothing_without_a_relation() -> None:
    stated = stated_relations("It was written long ago, they say, by Ilse Maarten.", ("write",))

    assert nearness(stated, 16, 20) > nearness(stated, 38, 50) > 0.0
    assert nearness((), 0, 1) == 0.0


@pytest.mark.anyio
async def test_at_once_is_no_figure_to_a_question_how_often() -> None:
    text = (
        "Calibration of the Tavik water meter is due again every 180 days, whether it was used or"
        " not. A meter that was dropped is recalibrated at once."
    )

    draft = await drafted("How often must a Tavik water meter be recalibrated?", text)

    assert "180 days" in draft.answer
