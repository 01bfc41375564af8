"""The cases that the benchmark of ingestion makes are what they are called."""

from __future__ import annotations

import re

import pytest

from benchmarks.ingest.citation_cases import KINDS, CitationCase, cases
from benchmarks.ingest.citations import measured
from benchmarks.ingest.parsing import WRITERS, media_of, parsed, plain_texts, recovered
from evaluation.charts import lines, points
from evaluation.injection import hidden_channels, hidden_files

CASES = list(cases(each=6))


def of_kind(kind: str, *, faulty: bool) -> list[str]:
    return [case.text for case in CASES if case.kind == kind and case.faulty is faulty]


def weighted(digits: str, weights: list[int], modulus: int) -> bool:
    values = [10 if sign == "X" else int(sign) for sign in digits]
    return sum(a * b for a, b in zip(values, weights, strict=True)) % modulus == 0


def iso_7064(digits: str) -> bool:
    total = 0
    for sign in digits:
        total = total * 2 + (10 if sign == "X" else int(sign))
    return total % 11 == 1


@pytest.mark.parametrize(
    ("kind", "pattern", "sound"),
    [
        ("ISBN-13, check digit", r"ISBN (\d{13})", lambda d: weighted(d, [1, 3] * 6 + [1], 10)),
        (
            "ISBN-10, check digit",
            r"ISBN (\d{9}[\dX])",
            lambda d: weighted(d, list(range(10, 0, -1)), 11),
        ),
        (
            "ISSN, check digit",
            r"ISSN (\d{4}-\d{3}[\dX])",
            lambda d: weighted(d, list(range(8, 0, -1)), 11),
        ),
        ("ORCID, check digit", r"orcid\.org/([\d-]+[\dX])", iso_7064),
    ],
)
def test_check_digits_are_right_in_sound_documents_and_wrong_in_their_twins(
    kind: str, pattern: str, sound: object
) -> None:
    assert callable(sound)
    for faulty in (False, True):
        for text in of_kind(kind, faulty=faulty):
            (found,) = re.findall(pattern, text)

            assert sound(found.replace("-", "")) is not faulty


@pytest.mark.parametrize("kind", KINDS)
def test_a_twin_differs_in_one_line_or_one_sentence(kind: str) -> None:
    for sound, faulty in zip(of_kind(kind, faulty=False), of_kind(kind, faulty=True), strict=True):
        pairs = list(zip(sound.split("\n"), faulty.split("\n"), strict=True))

        assert sum(one != other for one, other in pairs) == (not kind.startswith("invented"))


def test_the_same_cases_come_every_time() -> None:
    again = list(cases(each=6))

    assert again == CASES


def test_the_citation_table_counts_faulty_and_sound_documents_apart() -> None:
    text = "It is known [1].\n\nReferences\n\n[1] Iyer, A. (1999). On rust. ISSN {}.\n"
    made = measured(
        [
            CitationCase(kind="a", text=text.format("0317-8471"), faulty=False),
            CitationCase(kind="a", text=text.format("0317-8472"), faulty=True),
            CitationCase(kind="b", text=text.format("0317-8471"), faulty=True),
        ]
    )

    first, second = made.rows
    assert (first.kind, first.found.hits, first.found.total) == ("a", 1, 1)
    assert (first.suspected.hits, first.suspected.total) == (0, 1)
    assert first.rules == ("invalid-issn",)
    assert (second.found.hits, second.found.total, second.suspected.total) == (0, 1, 0)


@pytest.mark.parametrize(
    ("written", "read", "share"),
    [
        ("one two three four", "one two three four", 1.0),
        ("one two three four", "One, two. THREE four!", 1.0),
        ("one two three four", "title one two between three", 0.75),
        ("one two three four", "three four one two", 0.5),
        ("one two three four", "", 0.0),
    ],
)
def test_words_count_as_read_in_their_order(written: str, read: str, share: float) -> None:
    assert recovered(written, read) == pytest.approx(share)


def test_every_type_is_written_read_and_timed() -> None:
    made = parsed(1, peer=None, in_child=0)

    assert [row.media for row in made] == list(WRITERS)
    assert min(row.recovered for row in made) > 0.95
    assert all(row.milliseconds > 0 for row in made)
    assert {(row.peer_milliseconds, row.child_milliseconds) for row in made} == {(None, None)}


def test_texts_fit_the_fonts_of_a_plain_pdf_and_differ() -> None:
    texts = plain_texts(5)

    assert all(text.isascii() for text in texts)
    assert len(set(texts)) == 5


def test_every_channel_has_a_type_that_is_written() -> None:
    channels = (*hidden_channels.CHANNELS, *hidden_files.CHANNELS)

    assert {media_of(channel) for channel in channels} <= set(WRITERS)


def test_charts_show_every_series_and_escape_names() -> None:
    drawn = lines(
        "T", {"a < b": [(500, 1.0), (2_000, 40.0)], "c": [(500, 2.0)]}, across="x", up="y"
    )
    dots = points("T", {"a & b": (0.1, 0.9), "c": (1.0, 0.0)}, across="x", up="y")

    assert drawn.count("<polyline") == 2
    assert drawn.count("<circle") == 3
    assert "a &lt; b" in drawn
    assert dots.count("<circle") == 2
    assert "a &amp; b" in dots
