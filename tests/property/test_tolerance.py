"""Law 10: both numbers against their definition, by trying every attack."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from defences.answering.guard import DisagreementGuard
from defences.answering.tolerance import Rules, tolerance
from defences.answering.weighting import weigh_groups
from domain.answering import (
    PLAIN_SEAT,
    POOL_SEAT,
    AnswerGroup,
    GuardDecision,
    PartitionMode,
    ScoredDraft,
    SeatId,
    ToleranceNote,
)
from domain.documents import Tier
from tests.answer_builders import make_origin, make_scored

TINY = 1e-9
BOUND = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A draft by what matters here; `group` None: it abstained."""

    seats: tuple[str, ...]
    group: int | None
    raw: float
    quoted: tuple[str, ...]
    trust: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    drafts: tuple[Said, ...]
    tau: float
    floor: float
    bound: float = BOUND

    def seats(self) -> list[str]:
        return sorted({s for d in self.drafts for s in d.seats} - {POOL_SEAT, PLAIN_SEAT})


def scored(said: Said, index: int, raw: float | None = None) -> ScoredDraft:
    pooled = said.seats == (POOL_SEAT,)
    tier = Tier.POOL if pooled else Tier.ESTABLISHED
    uncapped = said.raw if raw is None else raw
    made = make_scored(
        f"answer {said.group}",
        origin=make_origin(said.seats[0], tier),
        index=index,
        raw=min(1.0, uncapped),
        trust=said.trust,
        seats=said.quoted,
    )
    subset = dataclasses.replace(
        made.draft.subset, seats=tuple(SeatId(seat) for seat in said.seats)
    )
    return dataclasses.replace(
        made, draft=dataclasses.replace(made.draft, subset=subset), uncapped=uncapped
    )


def judged(
    scene: Scene, votes: Sequence[tuple[int, ScoredDraft]]
) -> tuple[GuardDecision, dict[int, AnswerGroup]]:
    numbers = sorted({group for group, _ in votes})
    held = [[draft for at, draft in votes if at == number] for number in numbers]
    groups = weigh_groups(held, mode=PartitionMode.ISOLATED, calibrator=None)
    by_number = {int(group.answer.removeprefix("answer ")): group for group in groups}
    guard = DisagreementGuard(tau=scene.tau, agreement_floor=scene.floor)
    return guard.decide(groups, mode=PartitionMode.ISOLATED, calibrated=True), by_number


def answered(scene: Scene, votes: Sequence[tuple[int, ScoredDraft]]) -> int | None:
    decision, _ = judged(scene, votes)
    if decision.chosen is None:
        return None
    return int(decision.chosen.answer.removeprefix("answer "))


def attacks(scene: Scene, turned: frozenset[str]) -> Iterator[list[tuple[int, ScoredDraft]]]:
    """Yield the outcomes, at the ends of all ranges, that the definition grants to those who hold the seats `turned`.

    Every seat that shares a subset with one of them is moved too, each by itself; so is the pool,
    and the plain seat where anybody turned.
    """
    moved = {
        seat for draft in scene.drafts if turned & set(draft.seats) for seat in draft.seats
    } | {POOL_SEAT}
    plain = any(draft.seats == (PLAIN_SEAT,) for draft in scene.drafts)
    if turned and plain:
        moved.add(PLAIN_SEAT)
    honest = [
        (index, draft)
        for index, draft in enumerate(scene.drafts)
        if draft.group is not None and not moved & set(draft.seats)
    ]
    spoke: dict[tuple[str, ...], int] = {}
    for draft in scene.drafts:
        if turned & set(draft.seats):
            spoke[draft.seats] = max(spoke.get(draft.seats, 1), 1 + (draft.group is not None))
    nats = scene.bound * sum(spoke.values())
    groups = sorted({draft.group for draft in scene.drafts if draft.group is not None})
    choices = []
    for place, seat in enumerate(sorted(moved)):
        if seat == POOL_SEAT:
            choices.append([None, *((group, 1.0) for group in groups)])
        else:
            # An answer that stands, a new one that all agree on, a new one of its own, or none.
            together = itertools.product([*groups, 99], (1.0, TINY))
            choices.append([None, *together, (100 + place, TINY)])
    for steps in itertools.product((-nats, nats), repeat=len({d.group for _, d in honest})):
        shift = dict(zip(sorted({d.group or 0 for _, d in honest}), steps, strict=True))
        kept = [
            (draft.group or 0, scored(draft, index, draft.raw * math.exp(shift[draft.group or 0])))
            for index, draft in honest
        ]
        for chosen in itertools.product(*choices):
            yield kept + [
                (
                    vote[0],
                    scored(
                        Said(seats=(seat,), group=vote[0], raw=vote[1], quoted=(seat,), trust=1.0),
                        50 + place,
                    ),
                )
                for place, (seat, vote) in enumerate(zip(sorted(moved), chosen, strict=True))
                if vote is not None
            ]


def by_definition(scene: Scene, winner: int) -> tuple[int, int]:
    """Return the two numbers by trying everything; -1 where the pool alone is enough."""
    seats = scene.seats()
    most = [len(seats), len(seats)]
    for count in range(len(seats) + 1):
        for turned in itertools.combinations(seats, count):
            for votes in attacks(scene, frozenset(turned)):
                given_answer = answered(scene, votes)
                if given_answer not in {None, winner}:
                    most[0] = min(most[0], count - 1)
                if given_answer != winner:
                    most[1] = min(most[1], count - 1)
                if max(most) < count:
                    break
            if max(most) < count:
                break
        if max(most) < count:
            break
    return max(0, most[0]), max(0, most[1])


@st.composite
def scenes(draw: st.DrawFn, *, floors: tuple[float, ...] = (0.0, 0.3, 0.5)) -> Scene:
    """Up to four established seats in subsets of their own or shared, a pool, a plain seat."""
    count = draw(st.integers(1, 4))
    names = [f"publisher:{n}" for n in range(count)]
    shared = count > 2 and draw(st.booleans())
    places = (
        [(names[0], names[1]), *((name,) for name in names[2:])]
        if shared
        else [(name,) for name in names]
    )
    group = st.sampled_from([0, 0, 0, 0, 1, None])
    raws = st.sampled_from([0.05, 0.4, 0.8, 1.0, 2.5, 4.0])
    drafts = [
        Said(
            seats=seats,
            group=draw(group),
            raw=draw(raws),
            quoted=seats[: draw(st.integers(1, len(seats)))],
        )
        for seats in places
    ]
    if len(places[-1]) == 1 and count < 4 and draw(st.booleans()):
        # A seat whose families are spread over two subsets.
        drafts.append(Said(seats=places[-1], group=draw(group), raw=draw(raws), quoted=places[-1]))
    if draw(st.booleans()):
        drafts.append(
            Said(seats=(POOL_SEAT,), group=draw(group), raw=draw(raws), quoted=(POOL_SEAT,))
        )
    if count > 1 and count < 4 and draw(st.booleans()):
        drafts.append(
            Said(seats=(PLAIN_SEAT,), group=draw(group), raw=draw(raws), quoted=(PLAIN_SEAT,))
        )
    return Scene(
        drafts=tuple(drafts),
        tau=draw(st.sampled_from([0.05, 0.3, 0.45, 0.6])),
        floor=draw(st.sampled_from(floors)),
        bound=draw(st.sampled_from([0.0, 0.1, 0.5])),
    )


def computed(scene: Scene) -> tuple[int, tuple[int, int]] | None:
    """Return the group answered with and the numbers of `tolerance`; None where it abstains."""
    votes = [
        (draft.group, scored(draft, index))
        for index, draft in enumerate(scene.drafts)
        if draft.group is not None
    ]
    decision, _ = judged(scene, votes)
    if decision.chosen is None:
        return None
    groups = weigh_groups(
        [
            [draft for at, draft in votes if at == number]
            for number in sorted({at for at, _ in votes})
        ],
        mode=PartitionMode.ISOLATED,
        calibrator=None,
    )
    chosen = next(group for group in groups if group.answer == decision.chosen.answer)
    subsets = [scored(draft, index).draft.subset for index, draft in enumerate(scene.drafts)]
    found = tolerance(
        groups,
        chosen,
        subsets=subsets,
        retrieved=[SeatId(seat) for seat in scene.seats()],
        rules=Rules(
            tau=scene.tau,
            agreement_floor=scene.floor,
            lift_bound=scene.bound,
            confidence=lambda score: score,
        ),
    )
    return int(chosen.answer.removeprefix("answer ")), (found.answer, found.abstention)


@settings(deadline=None, max_examples=25)
@given(scene=scenes())
def test_no_attack_of_the_definition_does_more_than_the_numbers_allow(scene: Scene) -> None:
    found = computed(scene)
    assume(found is not None and len(scene.seats()) < 4)
    assert found is not None
    winner, numbers = found

    exact = by_definition(scene, winner)

    assert numbers[0] <= exact[0]
    assert numbers[1] == exact[1]
    if scene.floor == 0.0:
        assert numbers[0] == exact[0]


def agreeing(count: int, *, raw: float = 4.0, dissenting: int = 0, silent: int = 0) -> Scene:
    groups: list[int | None] = [0] * count + [1] * dissenting + [None] * silent
    return Scene(
        drafts=tuple(
            Said(seats=(f"publisher:{n}",), group=group, raw=raw, quoted=(f"publisher:{n}",))
            for n, group in enumerate(groups)
        ),
        tau=0.4,
        floor=0.3,
    )


@pytest.mark.parametrize(
    ("scene", "numbers"),
    [
        (agreeing(1), (0, 0)),
        (agreeing(2), (1, 0)),
        (agreeing(3), (1, 1)),
        (agreeing(4), (2, 1)),
        (agreeing(5), (2, 2)),
        (agreeing(7), (3, 2)),
        (agreeing(3, dissenting=1), (1, 0)),
        (agreeing(5, dissenting=1), (2, 1)),
        (agreeing(3, silent=1), (1, 1)),
        (agreeing(3, raw=0.4), (1, 0)),
        (agreeing(2, silent=3), (1, 0)),
    ],
)
def test_a_majority_of_seats_bounds_both_numbers(scene: Scene, numbers: tuple[int, int]) -> None:
    found = computed(scene)

    assert found == (0, numbers)


def test_one_malicious_seat_that_shares_a_subset_takes_its_neighbour_along() -> None:
    apart = agreeing(5)
    neighbours = ("publisher:0", "publisher:1")
    together = dataclasses.replace(
        apart,
        drafts=(
            Said(seats=neighbours, group=0, raw=4.0, quoted=neighbours),
            *apart.drafts[2:],
        ),
    )

    assert computed(apart) == (0, (2, 2))
    assert computed(together) == (0, (1, 1))


def test_the_plain_seat_is_moved_by_everyone() -> None:
    scene = agreeing(3)
    plain = Said(seats=(PLAIN_SEAT,), group=0, raw=4.0, quoted=(PLAIN_SEAT,))

    assert computed(scene) == (0, (1, 1))
    assert computed(dataclasses.replace(scene, drafts=(*scene.drafts, plain))) == (0, (1, 0))


def test_what_the_pool_alone_says_tolerates_nobody() -> None:
    pooled = scored(Said(seats=(POOL_SEAT,), group=0, raw=0.9, quoted=(POOL_SEAT,)), 0)
    groups = weigh_groups([[pooled]], mode=PartitionMode.ISOLATED, calibrator=None)

    found = tolerance(
        groups,
        groups[0],
        subsets=[pooled.draft.subset],
        retrieved=[],
        rules=Rules(tau=0.1, agreement_floor=0.3, lift_bound=BOUND, confidence=lambda s: s),
    )

    assert (found.answer, found.abstention, found.note) == (0, 0, ToleranceNote.POOL_ONLY)


def test_a_single_origin_says_so_also_where_another_was_retrieved_and_said_nothing() -> None:
    only = scored(Said(seats=("publisher:a",), group=0, raw=0.9, quoted=("publisher:a",)), 0)
    groups = weigh_groups([[only]], mode=PartitionMode.ISOLATED, calibrator=None)

    found = tolerance(
        groups,
        groups[0],
        subsets=[only.draft.subset],
        retrieved=[SeatId("publisher:a"), SeatId("publisher:b")],
        rules=Rules(tau=0.1, agreement_floor=0.3, lift_bound=BOUND, confidence=lambda s: s),
    )

    assert (found.answer, found.abstention, found.seats) == (0, 0, 2)
    assert found.note is ToleranceNote.SINGLE_ORIGIN


def test_thirty_seats_are_reckoned_within_the_bound_of_sets() -> None:
    found = computed(agreeing(30))

    assert found is not None
    assert 1 <= found[1][1] <= found[1][0] < 15
