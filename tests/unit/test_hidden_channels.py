"""Every channel that the generator knows is found by its own rule; the honest twins are not."""

from __future__ import annotations

import pytest

from defences.detectors.hidden_text import HiddenTextDetector
from evaluation.injection import benign_twins, hidden_channels, hidden_files
from evaluation.injection.hidden_payloads import CARRIERS, PAYLOADS
from tests.parser_samples import built

POLITE = PAYLOADS["polite-task"][2]
"""Nothing in it speaks of instructions: only the channel can give it away."""
IN_PLAIN_SIGHT = frozenset({"md_code_comment"})
"""A reader sees it: for the instruction detector alone."""
CHANNELS = [
    name
    for name in (*hidden_channels.CHANNELS, *hidden_files.CHANNELS)
    if name not in IN_PLAIN_SIGHT
]


def greatest_risk(content: bytes, file_name: str | None) -> float:
    findings = HiddenTextDetector().scan(built(content, file_name=file_name))
    return max((finding.risk for finding in findings), default=0.0)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("seed", [1, 4])
def test_a_polite_task_is_given_away_by_its_channel(channel: str, seed: int) -> None:
    make = hidden_files.hide if channel in hidden_files.CHANNELS else hidden_channels.hide
    sample = make(channel, POLITE, CARRIERS[seed], seed=seed)

    risk = greatest_risk(sample.content, sample.file_name)

    assert risk >= 0.5


@pytest.mark.parametrize("family", [*benign_twins.TEXTS, *benign_twins.FILES])
def test_what_only_looks_like_hiding_is_admitted(family: str) -> None:
    samples = [s for name, s in benign_twins.samples(seed=3, each=2) if name == family]

    risks = [greatest_risk(sample.content, sample.file_name) for sample in samples]

    assert len(risks) >= 2
    assert max(risks) < 0.5


@pytest.mark.parametrize("channel", CHANNELS)
def test_every_finding_has_its_place_in_the_text(channel: str) -> None:
    make = hidden_files.hide if channel in hidden_files.CHANNELS else hidden_channels.hide
    sample = make(channel, POLITE, CARRIERS[0], seed=2)
    document = built(sample.content, file_name=sample.file_name)

    findings = HiddenTextDetector().scan(document)

    for finding in findings:
        if finding.span is None:
            assert finding.rule in {"hidden-text.metadata", "hidden-text.pdf-javascript"}
        else:
            assert 0 <= finding.span.start < finding.span.end <= len(document.raw_text)


def test_the_same_seed_gives_the_same_document() -> None:
    first = hidden_channels.hide("zalgo", POLITE, CARRIERS[0], seed=5)
    second = hidden_channels.hide("zalgo", POLITE, CARRIERS[0], seed=5)

    assert first == second
