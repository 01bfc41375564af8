"""Placeholders change what is read and nothing of where it stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.documents import Chunk, ChunkId, DocumentId
from domain.errors import DetectorUnavailableError, TransientError
from domain.masking import SensitiveValue, ValueAction, placeholder
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.text import Span
from ingest.chunking import chunk
from ingest.masking import HELD_RISK, MASKED_RISK, Masking
from tests.builders import make_document

RULE = "personal-data.iban"


class Marked:
    """Takes every run of `#` and `@` for a value: of two kinds, which may touch."""

    def find(self, text: str) -> Sequence[SensitiveValue]:
        values: list[SensitiveValue] = []
        at = 0
        while at < len(text):
            end = at
            while end < len(text) and text[end] == text[at]:
                end += 1
            if text[at] in "#@":
                rule = RULE if text[at] == "#" else "secrets.github-token"
                values.append(SensitiveValue(rule=rule, start=at, end=end))
            at = end
        return values


class Unable:
    def find(self, text: str) -> Sequence[SensitiveValue]:
        raise DetectorUnavailableError("a pattern ran out of time")


ALL = Masking(
    finders=[Marked()], actions={"personal-data.*": ValueAction.MASK, "secrets.*": ValueAction.MASK}
)
TEXTS = st.text(alphabet="#@ab .\n\u00e9\u6c34", max_size=80)


@given(TEXTS)
def test_no_value_is_left_and_all_else_maps_to_itself(text: str) -> None:
    masked = ALL.masked(make_document(text)).text

    assert not set("#@") & set(masked.text)
    for place, letter in enumerate(masked.text):
        start, end = int(masked.starts[place]), int(masked.ends[place])
        assert 0 <= start < end <= len(text)
        if not set("#@") & set(text[start:end]):
            assert text[start:end] == letter
    kept = [c for c in text if c not in "#@"]
    shown = masked.text.replace(placeholder(RULE), "").replace(placeholder("a.github-token"), "")
    assert list(shown) == kept


@given(TEXTS)
def test_a_placeholder_maps_to_the_whole_value(text: str) -> None:
    masked = ALL.masked(make_document(text)).text
    shown = placeholder(RULE)

    at = masked.text.find(shown)
    if at >= 0:
        source = masked.source(at, at + len(shown))
        assert set(text[source.start : source.end]) == {"#"}
        assert text[source.start - 1 : source.start] != "#" or source.start == 0
        assert text[source.end : source.end + 1] != "#"


@given(TEXTS)
def test_chunks_of_a_masked_document_stand_where_their_text_stood(text: str) -> None:
    document = ALL.masked(make_document(text))

    for piece in chunk(document, words=20, overlap_words=0, mentions=()):
        if "[masked:" in piece.text:
            assert piece.source(0, 1) == piece.span
        else:
            assert text[piece.span.start : piece.span.end] == piece.text


def test_a_chunk_of_equal_length_with_a_placeholder_is_not_taken_for_exact() -> None:
    text = "[masked:iban] and"
    piece = Chunk(
        id=ChunkId("a:0"),
        document_id=DocumentId("a"),
        ordinal=0,
        span=Span(10, 10 + len(text)),
        text=text,
    )

    assert piece.source(14, 17) == piece.span


def test_what_cannot_be_searched_is_not_indexed() -> None:
    masking = Masking(finders=[Unable()], actions={"secrets.*": ValueAction.MASK})

    with pytest.raises(TransientError):
        masking.masked(make_document("anything"))


def test_where_nothing_is_to_be_masked_nothing_is_searched() -> None:
    masking = Masking(finders=[Unable()], actions={"secrets.*": ValueAction.HOLD})
    document = make_document("anything")

    assert masking.masked(document) is document
    assert masking.masked_text("title") == "title"


def finding(rule: str, risk: float) -> Finding:
    return Finding(rule=rule, risk=risk, level=FindingLevel.HOSTILE, message="m")


@pytest.mark.parametrize(
    ("rule", "risk", "left"),
    [
        ("secrets.github-token", 0.8, MASKED_RISK),
        ("secrets.not-searched", 0.6, 0.6),
        ("secrets.private-key", 0.1, HELD_RISK),
        ("personal-data.iban", 0.45, 0.45),
        ("citations.mismatch", 0.65, 0.65),
    ],
)
def test_an_action_decides_what_a_finding_weighs(rule: str, risk: float, left: float) -> None:
    masking = Masking(
        finders=[],
        actions={"secrets.*": ValueAction.MASK, "secrets.private-key": ValueAction.HOLD},
    )
    report = ScanReport(
        document_id=DocumentId("a"),
        findings=(finding(rule, risk),),
        completed={},
        unavailable=frozenset(),
    )

    (weighed,) = masking.applied(report).findings

    assert weighed.risk == left
