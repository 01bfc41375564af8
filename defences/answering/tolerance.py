"""How many seats may be malicious: Law 10 of the design. docs/tolerance.md has the proof.

Whoever holds a seat decides what every draft says that its evidence stands in, with any score up
to the ceiling, for any answer or none; every other draft moves by the clipped corroboration of the
seats that turned. Two questions are asked of every set of seats: can another answer come about,
and can this one be taken away? Both have exact conditions, so nothing is simulated.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from defences.answering.guard import seat_agreement
from defences.answering.scoring import POOL_SUPPORT, source_diversity
from defences.answering.second_look import rests_on_tentative
from domain.answering import (
    PLAIN_SEAT,
    AnswerGroup,
    EvidenceSubset,
    SeatId,
    Tolerance,
    ToleranceNote,
)
from domain.documents import Tier

_ROUNDING: Final = 1e-9

MAX_SETS: Final = 1024
"""Sets of seats that are looked at. With more (above ten subsets) the number is a lower bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What decides, as the guard has it; `confidence` is non-decreasing in the score."""

    tau: float
    agreement_floor: float
    lift_bound: float
    confidence: Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voice:
    """A draft of a block: `weight` times its raw score counts for group `group`."""

    group: int
    weight: float
    uncapped: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Seats that turn together, since their evidence stands in one subset.

    Attributes:
        shares: By seat that voted, its shares by group.
        spoke: A draft of it counted as a witness.
    """

    seats: tuple[SeatId, ...]
    voices: tuple[_Voice, ...]
    shares: Mapping[SeatId, Mapping[int, float]]
    spoke: bool


def tolerance(
    groups: Sequence[AnswerGroup],
    chosen: AnswerGroup,
    *,
    subsets: Sequence[EvidenceSubset],
    retrieved: Sequence[SeatId],
    rules: Rules,
) -> Tolerance:
    """Return both numbers for an answer in mode `isolated`.

    Args:
        groups: All groups that the guard judged, `chosen` among them.
        chosen: What it answered with.
        subsets: All that were drafted, also those whose draft abstained or failed: a seat that
            said nothing may begin to speak.
        retrieved: Established seats of the evidence, drafted or not.
        rules: As they were in force.
    """
    voters = {vote.seat for group in groups for vote in group.votes if vote.established}
    origins = voters - {PLAIN_SEAT}
    seats = len({*retrieved} | origins)
    if not any(vote.established for vote in chosen.votes):
        return Tolerance(answer=0, abstention=0, seats=seats, note=ToleranceNote.POOL_ONLY)
    if rests_on_tentative(groups):
        return Tolerance(answer=0, abstention=0, seats=seats, note=ToleranceNote.TENTATIVE)
    case = _Case.of(groups, chosen, subsets, retrieved, rules)
    kept = case.most(case.keeps, since=0)
    return Tolerance(
        answer=max(0, case.most(case.excludes_others, since=max(0, kept))),
        abstention=max(0, kept),
        seats=seats,
        note=ToleranceNote.SINGLE_ORIGIN if len(origins) == 1 else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One answer. Groups are numbered; `winner` is the one answered with, -1 is a new one.

    `blocks` can turn; the plain seat turns with any of them, and the pool always has.
    """

    groups: int
    winner: int
    blocks: tuple[_Block, ...]
    plain: _Block | None
    rules: Rules

    @classmethod
    def of(
        cls,
        groups: Sequence[AnswerGroup],
        chosen: AnswerGroup,
        subsets: Sequence[EvidenceSubset],
        retrieved: Sequence[SeatId],
        rules: Rules,
    ) -> _Case:
        places = dict.fromkeys(s.seats for s in subsets if s.tier is not Tier.POOL)
        drafted = {seat for seats in places for seat in seats}
        plain = (PLAIN_SEAT,) in places
        apart = [(seat,) for seat in dict.fromkeys(retrieved) if seat not in drafted]
        held = [_block(seats, groups) for seats in [*places, *apart] if seats != (PLAIN_SEAT,)]
        return cls(
            groups=len(groups),
            winner=next(at for at, group in enumerate(groups) if group is chosen),
            blocks=tuple(held),
            plain=_block((PLAIN_SEAT,), groups) if plain else None,
            rules=rules,
        )

    def most(self, holds: Callable[[_Attack], bool], *, since: int) -> int:
        """Return the largest number of seats for which all sets hold; -1 if the pool is enough."""
        looked_at = 0
        for count in range(since, len(self.blocks) + 1):
            for turned in self._sets(count):
                looked_at += 1
                if looked_at > MAX_SETS or not holds(_Attack.of(self, turned)):
                    return count - 1
        return len(self.blocks)

    def keeps(self, attack: _Attack) -> bool:
        """Whether the answer stands, whatever the seats that turned do."""
        ours = attack.seats(self.winner)
        if ours <= 0.0 or attack.least_agreement() < self.rules.agreement_floor:
            return False
        least = attack.least_score(self.winner)
        if self.rules.confidence(least) < self.rules.tau:
            return False
        return all(
            attack.seats(rival) + attack.turned_seats < ours - _ROUNDING
            and attack.greatest_score(rival) < least - _ROUNDING
            for rival in self._rivals(attack)
        )

    def excludes_others(self, attack: _Attack) -> bool:
        """Whether no other answer can be given, whatever the seats that turned do."""
        return not any(self._may_win(attack, rival) for rival in self._rivals(attack))

    def _may_win(self, attack: _Attack, rival: int) -> bool:
        seats = attack.seats(rival) + attack.turned_seats
        score = attack.greatest_score(rival)
        if self.rules.confidence(score) < self.rules.tau:
            return False
        return all(
            attack.seats(other) < seats - _ROUNDING
            and attack.least_score(other) < score + _ROUNDING
            for other in range(self.groups)
            if other != rival and attack.seats(other) > 0.0
        )

    def _rivals(self, attack: _Attack) -> Iterator[int]:
        """Yield the other groups that may contend; where nobody turned, those with seats."""
        for group in range(self.groups):
            if group != self.winner and attack.seats(group) + attack.turned_seats > 0.0:
                yield group
        if attack.turned_seats > 0:
            yield -1

    def _sets(self, count: int) -> Iterator[tuple[_Block, ...]]:
        """Yield the sets of `count` blocks; of those that said nothing only the largest."""
        speaking = [block for block in self.blocks if block.shares or block.spoke]
        silent = sorted(
            (block for block in self.blocks if not (block.shares or block.spoke)),
            key=lambda block: -len(block.seats),
        )
        for of_silent in range(min(count, len(silent)) + 1):
            for turned in itertools.combinations(speaking, count - of_silent):
                yield (*turned, *silent[:of_silent])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attack:
    """A set of blocks that turned, and what is left: everything here is about the others.

    Attributes:
        honest: Blocks that did not turn.
        turned_seats: Votes of those that did, the plain seat's with them.
        independent: The same without the plain seat's, which supports nobody.
        nats: How far the corroboration of an honest draft may move.
    """

    honest: tuple[_Block, ...]
    turned_seats: int
    independent: int
    nats: float

    @classmethod
    def of(cls, case: _Case, turned: Sequence[_Block]) -> _Attack:
        honest = [block for block in case.blocks if block not in turned]
        independent = sum(len(block.seats) for block in turned)
        plain = case.plain
        if plain is not None and not turned:
            honest.append(plain)
        # One that spoke goes from one bound to the other; one that begins to, from nothing.
        steps = sum(2 if block.spoke else 1 for block in turned)
        return cls(
            honest=tuple(honest),
            turned_seats=independent + (1 if plain is not None and turned else 0),
            independent=independent,
            nats=steps * case.rules.lift_bound,
        )

    def seats(self, group: int, *, without_plain: bool = False) -> float:
        return sum(
            shares.get(group, 0.0)
            for block in self.honest
            for seat, shares in block.shares.items()
            if not (without_plain and seat == PLAIN_SEAT)
        )

    def least_score(self, group: int) -> float:
        """Of a group that nobody who turned supports, its drafts corroborated least."""
        support = self.seats(group, without_plain=True) or POOL_SUPPORT
        weight = sum(
            voice.weight * min(1.0, voice.uncapped * math.exp(-self.nats))
            for block in self.honest
            for voice in block.voices
            if voice.group == group
        )
        return source_diversity(support) * min(1.0, weight)

    def greatest_score(self, group: int) -> float:
        """Of a group that the pool and all who turned support at the ceiling of raw x trust, 1.

        One such draft, the pool's, is all the weight that a score counts.
        """
        support = self.seats(group, without_plain=True) + self.independent
        return source_diversity(support or POOL_SUPPORT)

    def least_agreement(self) -> float:
        """Return the agreement where each seat that turned says something of its own."""
        votes = {seat: shares for block in self.honest for seat, shares in block.shares.items()}
        if self.turned_seats == 0:
            return seat_agreement(votes)
        whole = Counter(
            group
            for shares in votes.values()
            for group, share in shares.items()
            if share >= 1.0 - _ROUNDING
        )
        agreeing = sum(math.comb(count, 2) for count in whole.values())
        pairs = math.comb(len(votes) + self.turned_seats, 2)
        return agreeing / pairs if pairs else 1.0


def _block(seats: tuple[SeatId, ...], groups: Sequence[AnswerGroup]) -> _Block:
    loads = Counter(seat for group in groups for scored in group.drafts for seat in scored.seats)
    drafts = [
        (at, scored)
        for at, group in enumerate(groups)
        for scored in group.drafts
        if scored.draft.subset.seats == seats
    ]
    shares: dict[SeatId, dict[int, float]] = {}
    for at, group in enumerate(groups):
        for vote in group.votes:
            if vote.seat in seats:
                shares.setdefault(vote.seat, {})[at] = vote.share
    return _Block(
        seats=seats,
        voices=tuple(
            _Voice(
                group=at,
                weight=sum(scored.trust / loads[seat] for seat in scored.seats),
                uncapped=scored.raw if scored.uncapped is None else scored.uncapped,
            )
            for at, scored in drafts
        ),
        shares=shares,
        spoke=bool(drafts),
    )
