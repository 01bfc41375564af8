# ruff: noqa: RUF001 - look-alikes are meant
from __future__ import annotations

import subprocess
import sys
import unicodedata

import numpy as np
import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st

from defences.retrieval import shingles
from defences.retrieval.shingles import (
    MIN_WORDS,
    NUM_PERM,
    SHORT_WORDS,
    estimated_similarity,
    signature,
)

LONG = " ".join(f"word{n % 97} of{n % 31} many{n}" for n in range(60))
SHORT = "The pump may be returned within thirty days of purchase if the seal is whole."


def similarity(one: str, other: str) -> float:
    first, second = signature(one), signature(other)
    assert first is not None
    assert second is not None
    return estimated_similarity(first, second)


def test_a_signature_has_the_shape_that_indexes_store() -> None:
    found = signature(LONG)

    assert found is not None
    assert (found.shape, found.dtype) == ((NUM_PERM,), np.dtype(np.uint32))


def test_too_few_words_have_no_signature() -> None:
    words = [f"w{n}" for n in range(MIN_WORDS)]

    assert signature("") is None
    assert signature(" ".join(words[:-1])) is None
    assert signature(" ".join(words)) is not None


def test_the_table_of_letters_leaves_out_no_letter_and_no_mark() -> None:
    kinds = shingles._kinds(0x110000)
    wanted = [
        1 if chr(code).isalnum() else unicodedata.category(chr(code)) in {"Mn", "Me", "Cf"}
        for code in range(0x110000)
    ]

    assert np.array_equal(kinds != shingles._BREAK, np.array(wanted, bool))


def test_permutations_are_datasketch_s_own_bit_for_bit() -> None:
    hashes = np.random.default_rng(5).integers(0, 2**32, 3_000, dtype=np.uint32)
    reference = MinHash(num_perm=NUM_PERM, seed=1, scheme="affine32", hashfunc=int)
    reference.update_batch(hashes)

    assert np.array_equal(shingles._permute(hashes), reference.hashvalues)


def test_another_process_gives_the_same_signature() -> None:
    code = (
        "from defences.retrieval.shingles import signature\n"
        f"print(signature({LONG!r}).tolist(), signature({SHORT!r}).tolist())"
    )

    out = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PYTHONPATH": ":".join(sys.path)},
        timeout=120,
    ).stdout

    long, short = signature(LONG), signature(SHORT)
    assert long is not None
    assert short is not None
    assert out.strip() == f"{long.tolist()} {short.tolist()}"


@pytest.mark.parametrize("text", [LONG, SHORT], ids=["long", "short"])
@pytest.mark.parametrize(
    "disguise",
    [
        str.upper,
        lambda text: text.replace(" ", "\n\n"),
        lambda text: text.replace(" ", " -- "),
        lambda text: text.replace("a", "а").replace("o", "о").replace("e", "е"),
        lambda text: text.replace("a", "á"),
        "\u200b".join,
        "\u00ad".join,
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" < c < "\x7f" else c for c in text),
    ],
    ids=["case", "breaks", "dashes", "cyrillic", "accents", "zero-width", "soft", "fullwidth"],
)
def test_a_disguise_changes_nothing(text: str, disguise: object) -> None:
    assert callable(disguise)

    assert similarity(text, disguise(text)) == 1.0


def test_a_short_text_with_one_word_changed_is_still_near() -> None:
    assert similarity(SHORT, SHORT.replace("thirty", "ninety")) > 0.7


def test_a_long_text_with_one_word_changed_is_still_near() -> None:
    assert similarity(LONG, LONG.replace("many30", "few30")) > 0.85


def test_other_texts_are_far() -> None:
    other = " ".join(f"thing{n} is{n % 7} here{n * n}" for n in range(60))

    assert similarity(LONG, other) < 0.05


def test_a_short_and_a_long_text_are_never_near() -> None:
    words = [f"word{n}" for n in range(SHORT_WORDS)]

    assert similarity(" ".join(words[:-1]), " ".join(words)) == 0.0


def test_a_text_without_blanks_is_cut_by_characters() -> None:
    text = "本公司的暖气泵自发票日期起保修三十六个月，保修期内可以转让给新的所有者。" * 4

    assert similarity(text, text.replace("三十六", "九十六")) > 0.5


def test_the_estimate_is_close_to_the_true_share_of_windows() -> None:
    words = [f"w{n}" for n in range(2_000)]
    other = words[:1_000] + [f"v{n}" for n in range(1_000)]
    shared, either = 996, 1_996 + 1_000

    assert similarity(" ".join(words), " ".join(other)) == pytest.approx(shared / either, abs=0.13)


def test_where_a_long_text_is_cut_into_pieces_means_nothing() -> None:
    text = " ".join(f"word{n % 1013} of{n % 311} many{n}" for n in range(3 * shingles._PIECE // 16))

    assert len(text) > 2 * shingles._PIECE
    assert similarity(text, f"moved {text}") > 0.99


def test_signatures_of_other_shapes_are_not_compared() -> None:
    with pytest.raises(ValueError, match="shapes"):
        estimated_similarity(np.zeros(128, np.uint32), np.zeros(64, np.uint32))


@given(text=st.text(alphabet=st.characters(), max_size=400))
def test_any_text_has_a_signature_or_none(text: str) -> None:
    found = signature(text)

    assert found is None or found.shape == (NUM_PERM,)
