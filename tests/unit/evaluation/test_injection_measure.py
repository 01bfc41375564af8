"""Folds over sources of documents: a source's own texts set no threshold that it is measured at."""

from __future__ import annotations

import math

from evaluation.injection.held_out import Sample
from evaluation.injection.measure import DOCUMENT, Outcome, folds, told

LONG = "x" * DOCUMENT


def _document(source: str, odds: float, *, otherwise: bool = False) -> tuple[Sample, Outcome]:
    seen = Outcome(flagged=otherwise or odds > 0, otherwise=otherwise, odds=odds)
    return Sample(text=LONG, family=source, attack=False), seen


def _planted(odds: float) -> tuple[Sample, Outcome]:
    sample = Sample(text=LONG, family="embedded x", attack=True, length=DOCUMENT, place="end")
    return sample, Outcome(flagged=odds > 0, otherwise=False, odds=odds)


LOUD = [_document("loud", 3.0) for _ in range(5)]
QUIET = [_document("quiet", -math.inf) for _ in range(99)] + [_document("quiet", 1.0)]
PAIRS = [*LOUD, *QUIET, _planted(2.0), _planted(4.0)]
SAMPLES, OUTCOMES = [pair[0] for pair in PAIRS], [pair[1] for pair in PAIRS]


def test_a_source_is_measured_at_the_threshold_of_the_others() -> None:
    loud, quiet = folds(SAMPLES, OUTCOMES)

    assert (loud.source, loud.flagged, loud.documents) == ("loud", 5, 5)
    assert loud.threshold == -math.inf
    assert (quiet.source, quiet.flagged, quiet.threshold) == ("quiet", 0, 3.0)
    assert (loud.embedded, quiet.embedded) == (1.0, 0.5)


def test_what_is_flagged_otherwise_is_flagged_at_every_threshold() -> None:
    pairs = [*PAIRS, _document("ruled", -math.inf, otherwise=True)]

    by_source = {fold.source: fold for fold in folds(*zip(*pairs, strict=True))}

    assert by_source["ruled"].flagged == 1


def test_articles_that_quote_attacks_set_no_threshold() -> None:
    pairs = [*PAIRS, *[_document("articles quoting", 9.0) for _ in range(50)]]

    by_source = {fold.source: fold for fold in folds(*zip(*pairs, strict=True))}

    assert by_source["quiet"].threshold == 3.0
    assert by_source["articles quoting"].flagged == 50


def test_the_report_tells_rates_auroc_and_folds() -> None:
    lines = "\n".join(told(SAMPLES, OUTCOMES))

    assert "embedded, at the end" in lines
    assert "AUROC 0.97" in lines
    assert "left out in turn: 5 of 105 documents flagged" in lines
