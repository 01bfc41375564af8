"""A figure stands in its evidence however the evidence is searched for it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from defences.answering.evidence_check import check_evidence
from defences.answering.figures import same_value
from defences.answering.values import find_values
from domain.answering import EvidenceSubset
from tests.fakes.evidence import make_chunk, make_draft, make_subset

QUESTION = "What is told of the Verrin pump of 2019?"

_NUMBERS = st.one_of(
    st.integers(0, 60).map(str),
    st.sampled_from(["1,200", "0.5", "2.50", "3/4", "three", "thirty-six", "half a", "1200"]),
)
_UNITS = st.sampled_from(
    ["mg", "g", "kg", "days", "weeks", "months", "years", "%", "euros", "cents", "°C", "pumps", "m"]
)
_DATES = st.builds(
    "{} {} {}".format, st.integers(1, 28), st.sampled_from(["May", "June"]), st.integers(2018, 2021)
)
_FIGURES = st.one_of(
    st.builds("{} {}".format, _NUMBERS, _UNITS),
    st.builds("{} to {} {}".format, st.integers(1, 9), st.integers(10, 20), _UNITS),
    st.builds("at {} {} {}".format, st.sampled_from(["least", "most"]), _NUMBERS, _UNITS),
    st.builds("{} euros per {}".format, st.integers(1, 60), st.sampled_from(["month", "year"])),
    _DATES,
    st.integers(2018, 2021).map(str),
)
_SENTENCES = st.builds(
    "{} {}.".format,
    st.sampled_from(["The seal holds", "It lasts", "Buyers pay", "The page tells of", "Kept for"]),
    _FIGURES,
)
_PASSAGES = st.builds(
    lambda sentences, between: between.join(sentences),
    st.lists(_SENTENCES, min_size=1, max_size=4),
    st.sampled_from([" ", "\n\n", "\n- "]),
)


def struck_by_reading_all(text: str, subset: EvidenceSubset) -> int:
    """Count the figures of `text` that nothing says, every text read whole for each of them."""
    texts = [QUESTION, *(hit.chunk.text for hit in subset.chunks)]
    stated = [value for one in texts for value in find_values(one)]
    return sum(
        any(map(str.isdigit, text[value.start : value.end]))
        and not any(same_value(value, other) for other in stated)
        for value in find_values(text)
    )


@given(_FIGURES, st.lists(_PASSAGES, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_a_figure_stands_where_reading_all_of_the_evidence_finds_it(
    figure: str, passages: list[str]
) -> None:
    subset = make_subset(*passages)
    rationale = f"Somebody wrote {figure} there."

    checked = check_evidence(QUESTION, make_draft("So", subset, rationale=rationale))

    assert checked.struck == struck_by_reading_all(rationale, subset)


@given(_FIGURES, _PASSAGES, st.lists(_PASSAGES, max_size=2))
@settings(max_examples=80, deadline=None)
def test_a_figure_that_stands_still_stands_when_more_is_read(
    figure: str, stating: str, others: list[str]
) -> None:
    passage = f"{stating}\n\nThe page tells {figure}."
    subset = make_subset(
        *(make_chunk(text, number=at) for at, text in enumerate([*others, passage]))
    )
    rationale = f"Somebody wrote {figure} there."

    assert check_evidence(QUESTION, make_draft("So", subset, rationale=rationale)).struck == 0
