"""Which way a question takes (Law 8), and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Route(StrEnum):
    """A way through the question path; part of what keys a calibration."""

    LONG = "long"
    """Every seat drafts."""
    FACTOID = "factoid"
    """One draft over the best passages of the established seats."""
    STANDARD = "standard"
    """One draft, by the large model where there is one, over all that those seats have."""


class RouteReason(StrEnum):
    """What decided. Of several reasons for the long way the first one found is told."""

    OFF = "off"
    """Routing is switched off."""
    FACTOID = "factoid"
    SHORT_CONTEXT = "short-context"
    """There is no more to read than drafts would be to score."""
    CLEAR = "clear"
    """The long way, with no second draft of a seat: what the seats say reads alike."""
    PARTITION = "partition"
    """A comparison mode was asked for."""
    TOLERANCE = "tolerance"
    """A tolerance was required, and one draft has none."""
    NOT_ESTABLISHED = "not-established"
    POOL = "pool"
    """The pool speaks to the question."""
    MANY_SEATS = "many-seats"
    TIERS = "tiers"
    """Reviewed and established seats would share a draft."""
    CONFLICT = "conflict"
    """Seats read differently, or nothing could be read."""
    QUESTION = "question"
    """It asks for more than a fact, and there is much to read."""
    WATCHED = "watched"
    """A share of all questions is drafted by every seat, so that the monitors keep seeing them."""
    UNCALIBRATED = "uncalibrated"
    """The long way is calibrated and the short one is not."""
    UNSETTLED = "unsettled"
    """The short way gave no answer that stands."""


SHORT_WAYS: Final = frozenset({Route.FACTOID, Route.STANDARD})

LEAST_DRAFTS: Final = 3
"""Fewer are a short way (Law 8)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A route, its reason, and the drafts and chunks a draft that belong to it."""

    route: Route
    reason: RouteReason
    m: int
    k: int

    @property
    def short(self) -> bool:
        return self.route in SHORT_WAYS
