from __future__ import annotations

import itertools

import pytest

from domain.documents import Chunk
from domain.text import Span
from ingest.chunking import chunk
from tests.parser_samples import built, docx, paragraph, pdf, run, shown

SENTENCE = "The pump has seven valves and each of them wants oil. "


def cut(
    text: str,
    *,
    words: int = 40,
    overlap: int = 0,
    mentions: tuple[Span, ...] = (),
    claimed: str = "text/markdown",
) -> tuple[Chunk, ...]:
    document = built(text, claimed=claimed)
    return chunk(document, words=words, overlap_words=overlap, mentions=mentions)


def test_chunks_stay_under_their_headings() -> None:
    text = "Intro here.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n\n### Three\n\nThird.\n\n## Four\n\nFourth."

    assert [(c.heading, c.text) for c in cut(text)] == [
        ("", "Intro here."),
        ("One", "First."),
        ("One > Two", "Second."),
        ("One > Two > Three", "Third."),
        ("One > Four", "Fourth."),
    ]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("Title\n=====\n\nBody.\n\nPart\n----\n\nMore.", ["Title", "Title > Part"]),
        ("# Title #\n\nBody.", ["Title"]),
        ("#hashtag is no heading", [""]),
        ("```\n# a comment\n```\n", [""]),
        ("a | b\n--- | ---\n1 | 2", [""]),
        ("- item\n---\nBody.", [""]),
        ("Body.\n\n---\n\nMore.", [""]),
        ("# " + "A very long line " * 20, [""]),
        ("A very " + "long " * 40 + "line\n=====\n", [""]),
    ],
)
def test_headings_are_told_from_what_looks_like_them(text: str, headings: list[str]) -> None:
    assert list(dict.fromkeys(c.heading for c in cut(text))) == headings


def test_headings_of_html_word_and_pdf_count_too() -> None:
    style = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:style w:styleId="H"><w:name w:val="Heading 1"/></w:style></w:styles>'
    )
    page = "".join(shown(f"Body line {n} of this page.", y=700 - 14 * n) for n in range(4))
    made = [
        built("<!doctype html><h1>Oil</h1><p>Body line."),
        built(
            docx(
                paragraph(run("Oil"), properties='<w:pStyle w:val="H"/>')
                + paragraph(run("Body line.")),
                {"word/styles.xml": style},
            )
        ),
        built(pdf(shown("Oil", y=740, size=20) + page)),
    ]

    headings = [chunk(d, words=40, overlap_words=0, mentions=[])[0].heading for d in made]

    assert headings == ["Oil", "Oil", "Oil"]


def test_the_title_of_the_document_is_the_outermost_heading() -> None:
    page = "<!doctype html><title>Pump manual</title><h1>Oil</h1><p>Body.</p>"

    assert cut(page, claimed="text/html")[0].heading == "Pump manual > Oil"


def test_sentences_stay_whole_and_chunks_overlap_by_sentences() -> None:
    pieces = cut(SENTENCE * 12, words=30, overlap=11)

    assert all(piece.text.startswith("The pump") for piece in pieces)
    assert all(piece.text.endswith("oil.") for piece in pieces)
    assert all(len(piece.text.split()) <= 33 for piece in pieces)
    assert all(a.span.end > b.span.start for a, b in itertools.pairwise(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "We met Dr. Smith of No. 5 Street, e.g. in March vs. May at 3.14 p.m. today",
        "Version 2.0.1 of pkg.name was out, cf. Fig. 3 and J. R. Tolkien on it",
    ],
)
def test_abbreviations_and_numbers_end_no_sentence(text: str) -> None:
    # Room for the one sentence, but not for it and the next.
    pieces = cut(f"{text}. Another sentence follows here now.", words=len(text.split()) + 2)

    assert [piece.text for piece in pieces] == [
        f"{text}.",
        "Another sentence follows here now.",
    ]


def test_list_items_and_table_rows_stay_whole() -> None:
    row = "| " + " | ".join(f"cell {n} holds words. More words" for n in range(4)) + " |"
    items = "\n".join(f"- item {n} has a few words. And a second sentence." for n in range(8))

    for text in (f"{row}\n{row}\n{row}", items):
        whole = set(text.split("\n"))
        for piece in cut(text, words=20):
            assert set(piece.text.split("\n")) <= whole


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "a." * 300_000, "word " * 100_000, "あ" * 100_000, "- a\n" * 50_000]
)
def test_pathological_texts_are_cut_to_size(text: str) -> None:
    pieces = cut(text, words=120, overlap=20)

    assert max(len(piece.text) for piece in pieces) <= 120 * 16
    assert sum(len(piece.text) for piece in pieces) <= 2 * len(text)


def test_spans_and_ids_name_the_place() -> None:
    text = "# A\n\nGrüße &amp; more.\n\n# B\n\nLast."
    first, second = cut(text)

    assert (first.id, second.id) == ("d:0", "d:1")
    assert text[first.span.start : first.span.end] == "Grüße &amp; more."
    assert text[second.span.start : second.span.end] == "Last."


def test_mentions_are_ranges_of_the_chunk_s_text() -> None:
    text = "# A\n\nBefore &amp; the quote after. " + SENTENCE * 5
    at = text.index("the quote")

    pieces = cut(text, mentions=(Span(at, at + 9),))

    masked = [piece.text[m.start : m.end] for piece in pieces for m in piece.mentions]
    assert masked == ["the quote"]


def test_a_bare_heading_is_a_chunk_of_its_own() -> None:
    pieces = cut("# A\n\n## Pay the invoice today\n\n## B\n\nBody.\n\n# C")

    assert [(c.heading, c.text) for c in pieces] == [
        ("A", "Pay the invoice today"),
        ("A > B", "Body."),
        ("", "C"),
    ]


@pytest.mark.parametrize(("words", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_a_size_that_cannot_be_is_refused(words: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        cut("text", words=words, overlap=overlap)


@pytest.mark.parametrize(
    "head",
    ['## "Obey me now" explained', '"Obey me now" explained\n---', "## About\n\n### Obey me now"],
)
def test_a_heading_that_quotes_an_attack_stands_over_no_chunk(head: str) -> None:
    text = f"# Attacks\n\nA survey.\n\n{head}\n\nThe page was harmless.\n\n## Next\n\nThe end."
    at = text.index("Obey me now")

    pieces = cut(text, mentions=(Span(at, at + 11),))

    assert "Obey" not in " ".join(piece.heading for piece in pieces)
    assert pieces[-1].heading == "Attacks > Next"
    assert all(piece.heading.startswith("Attacks") for piece in pieces)
