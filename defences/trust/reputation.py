"""An origin's standing: what became of its documents in the end.

    standing = (prior x prior_weight + sum of w_i x good_i) / (prior_weight + sum of w_i)
    w_i      = exp(-age_i / decay_days)

over its final outcomes, each content once. Final is what a person rejected, and what nobody
objected to for a while. A person's release is neutral (Law 13): it says that one text is fit to be
read, not that its origin is to be trusted, and an attacker could else earn by false alarms. Below
a minimum of outcomes the prior stands, so that one lucky upload tells nothing.

Standing orders documents inside the pool and does nothing else: it moves no verdict, cancels no
finding and establishes nobody (Law 1). The shape, a decaying mean with a prior and a lower bound on
the count, is that of rspamd's reputation and of TxRep (facts/ingestion.md, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from math import exp
from typing import Final

from defences.trust.weights import ReputationTerms
from domain.trust import FinalOutcome

_SECONDS_A_DAY: Final = 86_400.0


def standing(outcomes: Sequence[FinalOutcome], terms: ReputationTerms, *, now: datetime) -> float:
    """Return the standing in [0, 1]; the order of the outcomes does not matter."""
    counted = _once(one for one in outcomes if not _neutral(one) and _final(one, terms, now))
    if len(counted) < terms.minimum:
        return terms.prior
    weight = terms.prior_weight
    good = terms.prior * terms.prior_weight
    for one in counted:
        decayed = exp(-_age_days(one, now) / terms.decay_days)
        weight += decayed
        good += 0.0 if one.rejected else decayed
    return min(1.0, max(0.0, good / weight))


def pool_factor(reputation: float | None, terms: ReputationTerms) -> float:
    """Return the factor on trust of a pooled document: 1 at the prior, within `spread` of it."""
    if reputation is None:
        return 1.0
    reach = max(terms.prior, 1.0 - terms.prior)
    return 1.0 + terms.spread * (reputation - terms.prior) / reach


def _neutral(outcome: FinalOutcome) -> bool:
    return outcome.reviewed and not outcome.rejected


def _final(outcome: FinalOutcome, terms: ReputationTerms, now: datetime) -> bool:
    return outcome.reviewed or _age_days(outcome, now) >= terms.settled_after_days


def _once(outcomes: Iterable[FinalOutcome]) -> list[FinalOutcome]:
    """Keep the worst outcome of each content, and of equal ones the latest."""
    kept: dict[str, FinalOutcome] = {}
    for one in outcomes:
        known = kept.get(one.sha256)
        if known is None or (one.rejected, one.at) > (known.rejected, known.at):
            kept[one.sha256] = one
    return sorted(kept.values(), key=lambda one: (one.at, one.sha256))


def _age_days(outcome: FinalOutcome, now: datetime) -> float:
    return max(0.0, (now - outcome.at).total_seconds() / _SECONDS_A_DAY)
