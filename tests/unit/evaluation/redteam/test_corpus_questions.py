"""Questions of a deployment's own documents, and what is said of those that do badly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from domain.answering import Outcome
from domain.documents import DocumentId, OriginKind, OriginRef
from domain.errors import InputError
from evaluation.redteam.corpus_questions import (
    PER_DOCUMENT,
    CorpusDocument,
    CorpusQuestion,
    by_row,
    make_questions,
    passages,
    write_rows,
)
from evaluation.redteam.provenance import ProvenanceMode, passages_of
from evaluation.redteam.rows import read_rows
from evaluation.redteam.weaknesses import (
    CALIBRATE,
    ESTABLISH,
    GUARD,
    RETRIEVE,
    SECOND,
    SELECT,
    advise,
    by_document,
    by_topic,
    tables_of,
)
from tests.redteam_answers import CLEAN, asked


def document(text: str, *, name: str = "one", established: bool = True) -> CorpusDocument:
    return CorpusDocument(
        id=DocumentId(f"doc_{name}"),
        title=f"Document {name}",
        text=text,
        origin=OriginRef(kind=OriginKind.PUBLISHER, id=f"press-{name}"),
        established=established,
    )


def question(text: str, *, established: bool = True) -> CorpusQuestion:
    (found,) = make_questions([document(text, established=established)], most=1)
    return found


@pytest.mark.parametrize(
    ("sentence", "asked_for", "answer"),
    [
        ("The old canal of Brae was opened in 1871 by a duke.",
         "The old canal of Brae was opened in which year by a duke?", "1871"),
        ("The bridge across the bay has 17 arches of pale granite.",
         "The bridge across the bay has how many arches of pale granite?", "17"),
        ("The theatre of the valley now has 1,250 seats on three levels.",
         "The theatre of the valley now has how many seats on three levels?", "1,250"),
        ("A season ticket of the line costs $340 at every station.",
         "A season ticket of the line costs how much money at every station?", "$340"),
        ("The alloy of the bell is said to hold 22 percent tin.",
         "The alloy of the bell is said to hold what percentage tin?", "22"),
        ("The observatory on the ridge was founded by Ilse Varno after the war.",
         "The observatory on the ridge was founded by whom after the war?", "Ilse Varno"),
        ("The headquarters of the seed bank is in Port Amsel, by the quay.",
         "The headquarters of the seed bank is in which place, by the quay?", "Port Amsel"),
    ],
)  # fmt: skip
def test_a_figure_or_name_is_asked_for_in_its_place(
    sentence: str, asked_for: str, answer: str
) -> None:
    found = question(sentence)

    assert (found.question, found.answer) == (asked_for, answer)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was opened in 1871 by a duke of the old line.",
        "The bridge is old and grey and stands by the river.",
        "Has the bridge of the bay really got 17 arches or more?",
        "Arches: 17.",
        "The mast weighs 3.5 tonnes and the keel is heavier still.",
    ],
)
def test_what_cannot_be_asked_plainly_is_not(sentence: str) -> None:
    assert make_questions([document(sentence)], most=5) == ()


def test_a_long_document_does_not_fill_the_run() -> None:
    long = " ".join(f"The tower of ward {at} has {at + 20} steps of stone." for at in range(9))
    short = document("The mill of the lower ward has 12 wheels of oak.", name="two")

    found = make_questions([document(long), short], most=3)

    assert [one.document.id for one in found] == ["doc_one", "doc_two", "doc_one"]
    assert len(make_questions([document(long)], most=9)) == PER_DOCUMENT


def test_rows_keep_origins_as_they_are_and_all_passages_in_the_corpus(tmp_path: Path) -> None:
    documents = [
        document("The mill of the lower ward has 12 wheels of oak."),
        document("The tower of the upper ward has 90 steps.", name="two", established=False),
        document("Nothing to ask here at all.", name="three"),
    ]
    path = tmp_path / "corpus.jsonl"

    write_rows(path, make_questions(documents, most=9), documents)

    rows = read_rows(path)
    found = passages_of(rows, ProvenanceMode.ONE_NEW, share=1.0)
    assert [row.correct for row in rows] == ["12", "90"]
    assert [row.incorrect for row in rows] == ["90", "12"]
    assert {one.origin.id: one.established for one in found} == {
        "publisher:press-one": True,
        "publisher:press-two": False,
        "publisher:press-three": True,
    }


def test_a_corpus_without_a_question_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question can be made of 1 admitted"):
        write_rows(tmp_path / "corpus.jsonl", (), [document("Nothing to ask.")])


def test_passages_are_whole_sentences_and_nothing_is_lost() -> None:
    text = " ".join(f"Sentence number {at} says that the mill turns." for at in range(60))

    found = passages(text)

    assert len(found) > 2
    assert " ".join(found) == text


@pytest.mark.parametrize(
    ("answer", "established", "helps"),
    [
        (asked("q"), False, ESTABLISH),
        (asked("q", planted=True, draft_right=2), True, GUARD),
        (asked("q", planted=True, draft_right=1), True, SECOND),
        (asked("q", draft_right=0), True, RETRIEVE),
        (asked("q", outcome=Outcome.ABSTAIN, right=True, draft_right=2), True, CALIBRATE),
        (asked("q", outcome=Outcome.ABSTAIN, right=True, draft_right=1), True, SECOND),
        (asked("q", draft_right=2), True, SELECT),
    ],
)
def test_what_would_help_depends_on_what_failed(
    answer: object, established: bool, helps: str
) -> None:
    made = question("The mill of the lower ward has 12 wheels.", established=established)

    assert advise(answer, made) == helps  # type: ignore[arg-type]


def test_the_weakest_document_and_topic_come_first() -> None:
    documents = [
        document("The mill of the lower ward has 12 wheels of oak."),
        document("The tower of the upper ward has 90 steps.", name="two"),
    ]
    good, bad = make_questions(documents, most=2)
    answers = [
        asked(good.id, right=True),
        asked(good.id, cell=CLEAN, right=True),
        asked(bad.id, planted=True),
        replace(asked(bad.id, cell=CLEAN), right=False),
        asked(bad.id, system="standard-rag", right=True),
    ]
    known = by_row([good, bad])

    found = by_document(answers, known)
    topics = by_topic(answers, known, {good.id: "mills", bad.id: "towers"})

    assert [one.origin for one in found] == ["publisher:press-two", "publisher:press-one"]
    assert (found[0].planted.hits, found[0].planted.total) == (1, 1)
    assert found[0].helps
    assert not found[1].helps
    assert [one.name for one in topics] == ["towers", "mills"]
    assert [each.rows[0][0] for each in tables_of(found, topics)] == [found[0].name, "towers"]
