"""What every built-in detector must do, whatever it looks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from defences.detectors.registry import BUILT_IN
from domain.documents import HiddenPassage
from domain.errors import DetectorUnavailableError
from domain.scanning import Detector, Finding
from domain.text import MappedText
from tests.parser_samples import built, plain_document

ARGUMENTS: Mapping[str, Mapping[str, object]] = {"citations": {"as_of": date(2026, 11, 1)}}
"""What a detector cannot do without."""

AWKWARD = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("a .\n-#<>|`&\u200b\u200d\u202e\u202c\u00ad\u0301\ufe0f\U000e0041\u0430"),
    ),
    max_size=200,
)


def scan(detector: Detector, text: str, hidden: str = "") -> list[Finding]:
    passages = (
        [HiddenPassage(channel="html-display-none", text=MappedText.identity(hidden[: len(text)]))]
        if hidden
        else []
    )
    try:
        return list(detector.scan(plain_document(text, passages)))
    except DetectorUnavailableError:
        pytest.skip("the detector's model is not here")


@pytest.fixture(scope="module")
def detectors() -> dict[str, Detector]:
    """Made once: a detector holds no state of a document, and some take a second to load."""
    return {name: make(**ARGUMENTS.get(name, {})) for name, make in BUILT_IN.items()}


@pytest.mark.parametrize("name", BUILT_IN)
def test_registered_name_is_the_detector_s_own(name: str, detectors: dict[str, Detector]) -> None:
    assert detectors[name].name == name
    assert detectors[name].version


@pytest.mark.parametrize("name", BUILT_IN)
@settings(max_examples=40, deadline=None)
@given(text=AWKWARD, hidden=AWKWARD)
def test_findings_are_well_formed_and_repeatable(
    name: str, detectors: dict[str, Detector], text: str, hidden: str
) -> None:
    detector = detectors[name]

    findings = scan(detector, text, hidden)

    assert findings == scan(detector, text, hidden)
    for finding in findings:
        assert finding.rule.startswith(f"{name}.")
        assert 0.0 < finding.risk <= 1.0
        assert finding.span is None or finding.span.end <= len(text)
        json.dumps(dict(finding.evidence))


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    "text",
    [
        "The pumps were inspected on 4 March. Replace filter B before June.",
        "# Opening hours\n\nWe are open from nine to five.\n",
        "Die Pumpen wurden im März geprüft.",
        "پمپ‌ها در ماه مارس بازرسی می‌شوند.",  # noqa: RUF001
        "पंपों की जाँच मार्च में की गई।",
        "水泵于三月四日检查完毕。",
        "👩🏽‍🍳 cooks 👨‍👩‍👧 eat ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    ],
)
def test_ordinary_texts_give_nothing(name: str, detectors: dict[str, Detector], text: str) -> None:
    try:
        assert list(detectors[name].scan(built(text))) == []
    except DetectorUnavailableError:
        pytest.skip("the detector's model is not here")


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("unit", ["a", "a.", "<b>", "\u200b", "-", "1", "é\u0301", "10.1/"])
def test_long_monotonous_texts_end(name: str, detectors: dict[str, Detector], unit: str) -> None:
    scan(detectors[name], unit * (60_000 // len(unit)))
