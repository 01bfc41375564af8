from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from itertools import combinations
from pathlib import Path

import pytest

from domain.documents import OriginKind
from domain.errors import InputError
from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.calibration.labelled_set import (
    AnswerKind,
    Condition,
    LabelledDocument,
    LabelledQuestion,
    LabelledSet,
    Split,
    is_right,
    load_labelled_set,
)

SEATS = {
    Condition.ONE_SEAT: range(1, 2),
    Condition.TWO_SEATS: range(2, 3),
    Condition.THREE_SEATS: range(3, 10),
    Condition.POOL_ONLY: range(1),
    Condition.CONTESTED: range(10),
    Condition.ATTACKED: range(1, 10),
    Condition.UNANSWERABLE: range(1),
    Condition.HARD_PARAPHRASE: range(1, 10),
}
SHARES = {  # least and greatest share of all questions
    Condition.ONE_SEAT: (0.15, 0.21),
    Condition.TWO_SEATS: (0.22, 0.30),
    Condition.THREE_SEATS: (0.10, 0.15),
    Condition.POOL_ONLY: (0.06, 0.10),
    Condition.CONTESTED: (0.05, 0.09),
    Condition.ATTACKED: (0.10, 0.16),
    Condition.UNANSWERABLE: (0.06, 0.10),
    Condition.HARD_PARAPHRASE: (0.06, 0.10),
}


@pytest.fixture(scope="module")
def labelled() -> LabelledSet:
    return load_labelled_set()


def text_of(document: LabelledDocument) -> str:
    return re.sub(r"<[^>]+>", " ", document.text)


def states(document: LabelledDocument, question: LabelledQuestion) -> bool:
    """Whether an accepted answer stands in the document, by its phrase and not its polarity."""
    phrases = tuple(answer for answer in question.answers if answer not in {"yes", "no"})
    plain = replace(question, answers=phrases, wrong_answers=(), kind=AnswerKind.DESCRIPTION)
    return is_right(text_of(document), plain)


def test_set_is_as_large_and_varied_as_calibration_needs(labelled: LabelledSet) -> None:
    established = {d.origin for d in labelled.documents if d.established}
    pooled = {d.origin for d in labelled.documents if not d.established}
    lengths = [len(d.text.split()) for d in labelled.documents]

    assert len(labelled.questions) >= 340
    assert len(labelled.documents) >= 70
    assert len(established) >= 6
    assert len(pooled) >= 5
    assert all(100 <= length <= 450 for length in lengths)
    assert {q.kind for q in labelled.questions} == set(AnswerKind)


@pytest.mark.parametrize("condition", list(Condition))
def test_each_condition_has_its_share(labelled: LabelledSet, condition: Condition) -> None:
    share = sum(q.condition is condition for q in labelled.questions) / len(labelled.questions)

    least, greatest = SHARES[condition]

    assert least <= share <= greatest


def test_no_two_questions_are_alike(labelled: LabelledSet) -> None:
    counts = Counter(canonical_tokens(q.question) for q in labelled.questions)

    assert [tokens for tokens, count in counts.items() if count > 1] == []


def test_every_support_document_states_an_accepted_answer(labelled: LabelledSet) -> None:
    silent = [
        (question.id, support)
        for question in labelled.questions
        for support in question.support
        if not states(labelled.document(support), question)
    ]

    assert silent == []


def test_every_accepted_answer_is_right_by_itself(labelled: LabelledSet) -> None:
    refused = [
        (question.id, answer)
        for question in labelled.questions
        for answer in question.answers
        if not is_right(answer, question)
    ]

    assert refused == []


def test_no_wrong_answer_is_right_by_itself(labelled: LabelledSet) -> None:
    accepted = [
        (question.id, answer)
        for question in labelled.questions
        for answer in question.wrong_answers
        if is_right(answer, question)
    ]

    assert accepted == []


def test_established_origins_behind_an_answer_match_its_condition(labelled: LabelledSet) -> None:
    off = []
    for question in labelled.questions:
        support = [labelled.document(support) for support in question.support]
        seats = len({document.origin for document in support if document.established})
        if seats not in SEATS[question.condition]:
            off.append((question.id, question.condition, seats))

    assert off == []


def test_a_pool_only_answer_is_stated_in_the_pool(labelled: LabelledSet) -> None:
    pooled = [q for q in labelled.questions if q.condition is Condition.POOL_ONLY]

    assert all(q.support for q in pooled)


def test_attacked_questions_have_a_wrong_value_in_the_pool(labelled: LabelledSet) -> None:
    pool = [canonical_tokens(text_of(d)) for d in labelled.documents if not d.established]

    unattacked = [
        question.id
        for question in labelled.questions
        if question.condition is Condition.ATTACKED
        and not any(
            contains_phrase(said, wrong)
            for wrong in set(question.wrong_answers) - {"yes", "no"}
            for said in pool
        )
    ]

    assert unattacked == []


def test_decidable_contested_questions_have_a_document_against_them(labelled: LabelledSet) -> None:
    texts = [canonical_tokens(text_of(document)) for document in labelled.documents]

    unopposed = [
        question.id
        for question in labelled.questions
        if question.condition is Condition.CONTESTED
        and question.answers
        and not any(
            contains_phrase(said, wrong)
            for wrong in set(question.wrong_answers) - {"yes", "no"}
            for said in texts
        )
    ]

    assert unopposed == []


def test_no_support_document_is_spoilt_by_a_wrong_value(labelled: LabelledSet) -> None:
    spoilt = []
    for question in labelled.questions:
        for support in question.support if question.wrong_answers else ():
            text = text_of(labelled.document(support))
            sentences = re.split(r"(?<=[.!?:])\s+|\n", text)
            if not is_right(text, question) and not any(is_right(s, question) for s in sentences):
                spoilt.append((question.id, support))

    assert spoilt == []


def test_no_sentence_holds_all_words_of_an_unanswerable_question(labelled: LabelledSet) -> None:
    sentences = [
        set(canonical_tokens(sentence))
        for document in labelled.documents
        for sentence in re.split(r"(?<=[.!?])\s+|\n", text_of(document))
    ]

    near = [
        question.id
        for question in labelled.questions
        if question.condition is Condition.UNANSWERABLE
        for asked in [{t for t in canonical_tokens(question.question) if len(t) > 3}]
        if any(asked <= said for said in sentences)
    ]

    assert near == []


def test_splits_hold_every_condition_and_never_share_a_fact(labelled: LabelledSet) -> None:
    facts: dict[Split, set[str]] = {
        split: {question.fact for question in labelled.in_split(split)} for split in Split
    }
    shares = {s: len(labelled.in_split(s)) / len(labelled.questions) for s in Split}

    assert not any(facts[one] & facts[other] for one, other in combinations(Split, 2))
    assert all({q.condition for q in labelled.in_split(s)} == set(Condition) for s in Split)
    assert shares[Split.FIT] == pytest.approx(0.45, abs=0.03)
    assert shares[Split.TAU] == pytest.approx(0.25, abs=0.03)
    assert shares[Split.TEST] == pytest.approx(0.30, abs=0.03)


def test_no_two_documents_are_near_copies(labelled: LabelledSet) -> None:
    shingles = {}
    for document in labelled.documents:
        tokens = canonical_tokens(text_of(document))
        shingles[document.id] = {tokens[i : i + 5] for i in range(len(tokens) - 4)}

    alike = [
        (one, other)
        for one, other in combinations(shingles, 2)
        if len(shingles[one] & shingles[other]) >= 0.2 * len(shingles[one] | shingles[other])
    ]

    assert alike == []


def test_established_documents_state_one_fact_in_different_words(labelled: LabelledSet) -> None:
    sentences = defaultdict(set)
    for document in labelled.documents:
        for sentence in re.split(r"(?<=[.!?])\s+|\n", text_of(document)):
            tokens = canonical_tokens(sentence)
            if len(tokens) >= 8:
                sentences[tokens].add(document.origin)

    assert [tokens for tokens, origins in sentences.items() if len(origins) > 1] == []


def question_of(
    kind: AnswerKind,
    answers: str,
    wrong: str = "",
    text: str = "Are dogs allowed on board the ship?",
) -> LabelledQuestion:
    return LabelledQuestion(
        id="q",
        fact="f",
        question=text,
        answers=tuple(a for a in answers.split("|") if a),
        wrong_answers=tuple(w for w in wrong.split("|") if w),
        kind=kind,
        support=("d",) if answers else (),
        condition=Condition.ONE_SEAT if answers else Condition.UNANSWERABLE,
        split=Split.FIT,
    )


@pytest.mark.parametrize(
    ("kind", "answers", "wrong", "said", "right"),
    [
        ("duration", "21 days", "", "21 days", True),
        ("duration", "21 days", "", "It is twenty-one days.", True),
        ("duration", "21 days", "", "a 21-day period", True),
        ("duration", "21 days", "", "21", True),
        ("duration", "21 days", "", "about 21.", True),
        ("duration", "21 days", "", "21 euros", False),
        ("duration", "21 days", "", "121 days", False),
        ("duration", "21 days", "", "2 1 days", False),
        ("duration", "21 days", "7 days", "21 days, formerly seven days", False),
        ("duration", "14 days", "4 days", "14 days", True),
        ("number", "1,140", "", "1140 households", True),
        ("number", "1,140", "", "1\u202f140 households", True),
        ("number", "1,140", "", "eleven hundred and forty homes", True),
        ("number", "1,140", "", "one thousand one hundred and forty homes", True),
        ("number", "1,140", "", "1,1405", False),
        ("number", "412", "", "four hundred and twelve beds", True),
        ("number", "35%", "", "thirty-five per cent", True),
        ("number", "35 percent", "10 percent", "35 % less", True),
        ("number", "3.2 metres", "", "above 3.2 m", True),
        ("number", "3.2 metres", "", "above 3,2 metres", True),
        ("number", "minus 20 degrees", "", "at \u221220 \u00b0C", True),
        ("number", "minus 20 degrees", "", "at 20 \u00b0C", False),
        ("money", "€7.40", "", "7.40 euros a month", True),
        ("money", "€7.40", "", "EUR 7,40", True),
        ("money", "€7.40", "", "**€7.4**", True),
        ("money", "€7.40", "", "€7.45", False),
        ("money", "€0.80", "", "80 cents", True),
        ("money", "€14.50", "", "14 euros 50", True),
        ("money", "€18.6 million", "", "a loan of 18,600,000 euros", True),
        ("money", "€5", "€8", "the fee is €8, not €5", False),
        ("date", "12 June 2024", "", "on June 12th, 2024", True),
        ("date", "12 June 2024", "", "2024-06-12", True),
        ("date", "12 June 2024", "", "the twelfth of June 2024", True),
        ("date", "12 June", "", "12/06/2024", True),
        ("date", "12 June 2024", "", "12 June 2023", False),
        ("date", "12 June 2024", "", "in June 2024", False),
        ("date", "21:40", "19:15", "at 9.40 pm", True),
        ("date", "16:00 to 18:00", "", "4 p.m. to 6 p.m.", True),
        ("date", "Thursdays", "", "on THURSDAY", True),
        ("number", "18", "", "those over 18 may enter", True),
        ("person", "Lidia Farouk", "", "Dr Lídia Farouk, of course", True),
        ("person", "Lidia Farouk", "Basil Wray", "Basil Wray followed Lidia Farouk", False),
        ("person", "Lidia Farouk", "", "Lidia Faroukian", False),
        ("place", "14 Cooper's Row", "", "14 Cooper\u2019s Row", True),
        ("name", "P2", "P1", "car park p2", True),
        ("description", "half", "the whole", "half of it", True),
        ("description", "half", "", "", False),
        ("description", "half", "", "...", False),
        ("description", "", "", "anything", False),
    ],
)
def test_is_right_compares_by_value(
    kind: str, answers: str, wrong: str, said: str, *, right: bool
) -> None:
    question = question_of(AnswerKind(kind), answers, wrong)

    assert is_right(said, question) is right


@pytest.mark.parametrize(
    ("answers", "wrong", "said", "right"),
    [
        ("yes|dogs are welcome", "no|banned", "Yes.", True),
        ("yes|dogs are welcome", "no|banned", "No, they are not.", False),
        ("yes|dogs are welcome", "no|banned", "Dogs are welcome on deck 3.", True),
        ("yes|dogs are welcome", "no|banned", "Dogs may come along.", True),
        ("yes|dogs are welcome", "no|banned", "Dogs are banned since January.", False),
        ("yes|dogs are welcome", "no|banned", "Dogs cannot come along.", False),
        ("yes|dogs are welcome", "no|banned", "Dogs bark.", False),
        ("yes|dogs are welcome", "no|banned", "Bicycles may come along.", False),
        ("no|dogs cannot", "yes", "no", True),
        ("no|dogs cannot", "yes", "Dogs are not admitted.", True),
        ("no|dogs cannot", "yes", "Smoking is not allowed.", False),
        ("no|dogs cannot", "yes", "The ship does not sail at night.", False),
        ("no|not at all", "yes", "The ship does not take them.", True),
        ("no|dogs cannot", "yes", "Dogs are allowed.", False),
        ("no|dogs cannot", "yes", "Yes", False),
    ],
)
def test_is_right_reads_the_polarity(answers: str, wrong: str, said: str, *, right: bool) -> None:
    question = question_of(AnswerKind.YES_NO, answers, wrong)

    assert is_right(said, question) is right


DOCUMENT = {
    "id": "d1",
    "origin": "quay",
    "kind": "publisher",
    "established": True,
    "title": "Notice",
    "media_type": "text/plain",
    "published": "2026-01-02",
    "text": "The gate opens at nine.",
}
QUESTION = {
    "id": "q1",
    "fact": "gate",
    "question": "When does the gate open?",
    "answers": ["at nine"],
    "wrong_answers": [],
    "kind": "date",
    "support": ["d1"],
    "condition": "one-seat",
    "split": "fit",
}


def write_set(folder: Path, documents: list[object], questions: list[object]) -> Path:
    for name, rows in (("documents", documents), ("questions", questions)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_loading_keeps_order_and_types(tmp_path: Path) -> None:
    write_set(tmp_path, [DOCUMENT], [QUESTION])

    loaded = load_labelled_set(tmp_path)

    assert loaded.documents[0].published == date(2026, 1, 2)
    assert loaded.documents[0].kind is OriginKind.PUBLISHER
    assert loaded.questions[0].answers == ("at nine",)


@pytest.mark.parametrize(
    ("documents", "questions", "place"),
    [
        ([DOCUMENT, DOCUMENT], [QUESTION], "documents.jsonl, line 2"),
        ([DOCUMENT | {"kind": "friend"}], [], "documents.jsonl, line 1"),
        ([DOCUMENT | {"established": "yes"}], [], "documents.jsonl, line 1"),
        ([DOCUMENT | {"published": "yesterday"}], [], "documents.jsonl, line 1"),
        ([DOCUMENT | {"media_type": "image/png"}], [], "documents.jsonl, line 1"),
        ([DOCUMENT | {"text": "  "}], [], "documents.jsonl, line 1"),
        ([DOCUMENT | {"extra": 1}], [], "documents.jsonl, line 1"),
        ([DOCUMENT, DOCUMENT | {"id": "d2", "established": False}], [], "documents.jsonl, line 2"),
        ([["not", "an", "object"]], [], "documents.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"support": ["d9"]}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"answers": []}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"answers": "at nine"}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"answers": ["?!"]}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"answers": ["a", "a"]}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"condition": "unanswerable"}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION | {"kind": "yes-no"}], "questions.jsonl, line 1"),
        ([DOCUMENT], [QUESTION, QUESTION], "questions.jsonl, line 2"),
        ([DOCUMENT], [QUESTION, QUESTION | {"id": "q2", "split": "tau"}], "line 2"),
        ([DOCUMENT], [{}], "questions.jsonl, line 1"),
    ],
)
def test_a_bad_line_is_named(
    tmp_path: Path, documents: list[object], questions: list[object], place: str
) -> None:
    write_set(tmp_path, documents, questions)

    with pytest.raises(InputError, match=re.escape(place)):
        load_labelled_set(tmp_path)


def test_text_that_is_not_json_is_named(tmp_path: Path) -> None:
    write_set(tmp_path, [DOCUMENT], [])
    (tmp_path / "questions.jsonl").write_text("{broken\n", encoding="utf-8")

    with pytest.raises(InputError, match=r"questions\.jsonl, line 1: not JSON"):
        load_labelled_set(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"documents\.jsonl"):
        load_labelled_set(tmp_path)
