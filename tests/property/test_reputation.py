"""What must hold of an origin's standing, whatever became of its documents (Laws 1 and 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.trust.policy import DEFAULT_POLICY, load_policy
from defences.trust.reputation import pool_factor, standing
from domain.documents import Tier
from domain.scanning import ScanReport
from domain.trust import FinalOutcome
from tests.builders import EPOCH
from tests.property.test_trust_policy import assess, provenance, report, reports

SHIPPED = load_policy(DEFAULT_POLICY.read_text())
TERMS = SHIPPED.weights.reputation
NOW = EPOCH + timedelta(days=1000)
CLOSE = 1e-9

outcomes = st.builds(
    FinalOutcome,
    sha256=st.text("abcdefgh", min_size=1, max_size=2),
    at=st.floats(0, 1000).map(lambda days: EPOCH + timedelta(days=days)),
    rejected=st.booleans(),
    reviewed=st.booleans(),
)
histories = st.lists(outcomes, max_size=30)


def rejection(name: str, *, days_ago: float = 1.0) -> FinalOutcome:
    return FinalOutcome(
        sha256=name, at=NOW - timedelta(days=days_ago), rejected=True, reviewed=True
    )


def stood(name: str, *, days_ago: float = 40.0) -> FinalOutcome:
    return FinalOutcome(
        sha256=name, at=NOW - timedelta(days=days_ago), rejected=False, reviewed=False
    )


@given(histories)
def test_a_standing_is_a_share(history: Sequence[FinalOutcome]) -> None:
    assert 0.0 <= standing(history, TERMS, now=NOW) <= 1.0


@given(histories)
def test_the_order_of_outcomes_tells_nothing(history: list[FinalOutcome]) -> None:
    shuffled = sorted(history, key=lambda one: (one.sha256, one.rejected, one.at), reverse=True)

    assert standing(shuffled, TERMS, now=NOW) == standing(history, TERMS, now=NOW)


@given(history=histories, times=st.integers(1, 5))
def test_a_content_counts_once_however_often_it_comes(
    history: list[FinalOutcome], times: int
) -> None:
    assert standing(history * times, TERMS, now=NOW) == standing(history, TERMS, now=NOW)


@given(history=histories, name=st.text("abcdefgh", min_size=1, max_size=2))
def test_a_release_by_a_person_is_neutral(history: list[FinalOutcome], name: str) -> None:
    release = FinalOutcome(sha256=name, at=NOW, rejected=False, reviewed=True)

    assert standing([*history, release], TERMS, now=NOW) == standing(history, TERMS, now=NOW)


@given(history=histories)
def test_what_is_not_final_yet_is_neutral(history: list[FinalOutcome]) -> None:
    fresh = FinalOutcome(sha256="new", at=NOW - timedelta(days=29), rejected=False, reviewed=False)

    assert standing([*history, fresh], TERMS, now=NOW) == standing(history, TERMS, now=NOW)


@given(history=histories, days_ago=st.floats(0, 900))
def test_another_rejection_never_lifts_a_known_origin(
    history: list[FinalOutcome], days_ago: float
) -> None:
    known = [rejection(f"known-{number}", days_ago=1.0) for number in range(TERMS.minimum)]
    before = standing([*history, *known], TERMS, now=NOW)

    after = standing([*history, *known, rejection("more", days_ago=days_ago)], TERMS, now=NOW)

    assert after <= before + CLOSE


@given(st.lists(outcomes, max_size=TERMS.minimum - 1))
def test_below_the_minimum_the_prior_stands(history: list[FinalOutcome]) -> None:
    assert standing(history, TERMS, now=NOW) == TERMS.prior


def test_old_outcomes_fade_to_the_prior() -> None:
    bad = [rejection(f"r{number}") for number in range(20)]

    standings = [standing(bad, TERMS, now=NOW + timedelta(days=days)) for days in (0, 90, 900)]

    assert standings[0] < standings[1] < standings[2] == pytest.approx(TERMS.prior, abs=0.01)


def test_what_stood_lifts_and_what_was_rejected_sinks() -> None:
    good = standing([stood(f"g{n}") for n in range(10)], TERMS, now=NOW)
    bad = standing([rejection(f"b{n}") for n in range(10)], TERMS, now=NOW)

    assert bad < TERMS.prior < good
    assert pool_factor(bad, TERMS) < 1.0 < pool_factor(good, TERMS) <= 1.0 + TERMS.spread


def test_an_origin_that_nothing_is_known_of_is_trusted_as_one_at_the_prior() -> None:
    assert pool_factor(None, TERMS) == pool_factor(TERMS.prior, TERMS) == 1.0


@given(seen=reports, first=st.floats(0, 1), second=st.floats(0, 1))
def test_a_standing_moves_no_verdict(seen: ScanReport, first: float, second: float) -> None:
    one, other = (
        SHIPPED.assess(seen, replace(provenance(), reputation=known), now=EPOCH)
        for known in (first, second)
    )

    assert (one.verdict, one.reason, one.risk) == (other.verdict, other.reason, other.risk)
    assert (one.score <= other.score) or first > second


@given(seen=reports, known=st.floats(0, 1))
def test_the_best_standing_never_reaches_an_established_origin(
    seen: ScanReport, known: float
) -> None:
    pooled = SHIPPED.assess(seen, replace(provenance(), reputation=known), now=EPOCH)
    vouched = assess(SHIPPED, seen, Tier.ESTABLISHED)

    assert pooled.score <= vouched.score


@given(known=st.floats(0, 1), tier=st.sampled_from([Tier.ESTABLISHED, Tier.REVIEWED]))
def test_a_standing_says_nothing_of_an_established_origin(known: float, tier: Tier) -> None:
    stated = replace(provenance(tier), reputation=known)

    assert (
        SHIPPED.assess(report(), stated, now=EPOCH).score == assess(SHIPPED, report(), tier).score
    )
