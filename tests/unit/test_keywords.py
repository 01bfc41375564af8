"""What of a question becomes keywords."""

from __future__ import annotations

import pytest

from backends.keywords import MAX_WORD_CHARACTERS, MAX_WORDS, question_text, words_of


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is the refund policy?", "what is the refund policy"),
        ("refund REFUND Refund", "refund"),
        ("(refund) AND NOT policy*", "refund and not policy"),
        ('"exact phrase"~2', "exact phrase 2"),
        ("field:value^9", "field value 9"),
        ("E-1042 v1.2.3", "e 1042 v1 2 3"),
        ("user@example.com", "user example com"),
        ("don't", "don t"),
        ("foo_bar", "foo bar"),
        ("\ufb01nance \uff26ull", "finance full"),
        ("Straße", "strasse"),
        ("退款政策 是什么", "退款政策 是什么"),
        ("नीति क्या है", "नीति क्या है"),
        ("a\u200bb", "a b"),
        ("a\x00b", "a b"),
        ("\ud800", ""),
        ("😀🎉", ""),
        ("?!…—", ""),
        ("", ""),
        ("' OR '1'='1", "or 1"),
    ],
)
def test_a_question_becomes_its_words(question: str, words: str) -> None:
    assert question_text(question) == words


def test_a_long_question_keeps_its_first_words() -> None:
    words = question_text(" ".join(f"w{number}" for number in range(10_000))).split()

    assert words == [f"w{number}" for number in range(MAX_WORDS)]


def test_a_long_word_keeps_its_beginning_in_question_and_text() -> None:
    word = "x" * 5_000

    assert question_text(word) == "x" * MAX_WORD_CHARACTERS
    assert words_of(word) == ["x" * MAX_WORD_CHARACTERS]


def test_scripts_without_spaces_are_parted_by_character() -> None:
    assert words_of("退款 policy ポリシー") == ["退", "款", "policy", *"ポリシー"]
