"""Law 3: stars, one vote a family, and nothing an unestablished origin does costs a seat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from defences.retrieval.families import (
    ESTABLISHED_JOIN,
    JOIN,
    FamilyDecision,
    Member,
    assign_family,
    collapse,
    deal,
    seniority,
)
from domain.documents import (
    Chunk,
    ChunkId,
    DocumentId,
    Origin,
    OriginKind,
    OriginRef,
    Span,
    Tier,
)
from domain.retrieval import FamilyId, ScoredChunk
from tests.builders import EPOCH


@dataclass(frozen=True)
class Upload:
    """A document of the simulated corpus; `text` places it on a line, near means near."""

    name: str
    tier: Tier
    origin: str
    text: float
    says: int

    @property
    def ref(self) -> OriginRef:
        return OriginRef(kind=OriginKind.UPLOADER, id=f"{self.tier}-{self.origin}")


def similarity(one: Upload, other: Upload) -> float:
    return max(0.0, 1.0 - abs(one.text - other.text))


class Corpus:
    """The documents that are there, and the stars they form."""

    def __init__(self) -> None:
        self.uploads: dict[str, Upload] = {}
        self.members: dict[str, Member] = {}
        self.voting: dict[str, bool] = {}
        self.seconds = 0

    def add(self, upload: Upload) -> FamilyDecision:
        self.seconds += 1
        candidate = Member(
            document_id=DocumentId(upload.name),
            tier=upload.tier,
            origin=upload.ref,
            admitted_at=EPOCH + timedelta(seconds=self.seconds),
            family_id=None,
        )
        decision = assign_family(candidate, self._near(upload))
        self.uploads[upload.name] = upload
        self.members[upload.name] = candidate
        self._settle()
        return decision

    def remove(self, name: str) -> None:
        del self.uploads[name], self.voting[name], self.members[name]
        self._settle()

    def seats(self) -> frozenset[str]:
        """Established origins that have a document which may be retrieved."""
        return frozenset(
            str(member.origin)
            for name, member in self.members.items()
            if self.voting[name] and member.tier is not Tier.POOL
        )

    def established_votes(self) -> frozenset[str]:
        return frozenset(
            n for n, m in self.members.items() if self.voting[n] and m.tier is not Tier.POOL
        )

    def seen(self, centre: Member, member: Member) -> Member:
        one, other = self.uploads[centre.document_id], self.uploads[member.document_id]
        return replace(
            centre, similarity=similarity(one, other), contradicts=one.says != other.says
        )

    def _near(self, upload: Upload) -> list[Member]:
        return [
            replace(
                self.members[name],
                similarity=similarity(upload, other),
                contradicts=upload.says != other.says,
            )
            for name, other in self.uploads.items()
            if similarity(upload, other) >= JOIN
        ]

    def _settle(self) -> None:
        for name, decision in deal(list(self.members.values()), self.seen).items():
            self.members[name] = replace(self.members[name], family_id=decision.family_id)
            self.voting[name] = decision.voting


def uploads(tiers: Iterable[Tier] = tuple(Tier)) -> st.SearchStrategy[list[Upload]]:
    one = st.builds(
        Upload,
        name=st.just(""),
        tier=st.sampled_from(list(tiers)),
        origin=st.sampled_from("abc"),
        text=st.sampled_from([n / 8 for n in range(17)]),
        says=st.integers(0, 1),
    )
    return st.lists(one, max_size=12).map(
        lambda them: [replace(upload, name=f"d{n:02}") for n, upload in enumerate(them)]
    )


def corpus(them: Iterable[Upload]) -> Corpus:
    built = Corpus()
    for upload in them:
        built.add(upload)
    return built


@given(before=uploads(), newcomer=uploads([Tier.POOL]).filter(bool))
def test_no_unestablished_upload_changes_an_established_vote(
    before: list[Upload], newcomer: list[Upload]
) -> None:
    built = corpus(before)
    votes = built.established_votes()

    built.add(replace(newcomer[0], name="new"))

    assert built.established_votes() == votes


@given(mixed=uploads())
def test_unestablished_uploads_in_any_order_cost_no_established_seat(mixed: list[Upload]) -> None:
    trusted = [upload for upload in mixed if upload.tier is not Tier.POOL]

    assert corpus(mixed).established_votes() == corpus(trusted).established_votes()


@given(mixed=uploads())
def test_every_family_has_one_vote_and_it_is_the_centre_s(mixed: list[Upload]) -> None:
    built = corpus(mixed)

    for name, member in built.members.items():
        assert built.voting[name] == member.is_centre
        assert member.family_id is not None
        assert built.members[member.family_id].is_centre


@given(mixed=uploads())
def test_a_centre_is_at_least_as_established_as_its_members(mixed: list[Upload]) -> None:
    built = corpus(mixed)
    rank = list(Tier).index

    for member in built.members.values():
        assert member.family_id is not None
        assert rank(built.members[member.family_id].tier) <= rank(member.tier)


@given(mixed=uploads(), data=st.data())
def test_the_order_in_which_documents_are_looked_at_does_not_change_the_stars(
    mixed: list[Upload], data: st.DataObject
) -> None:
    built = corpus(mixed)
    members = list(built.members.values())

    again = deal(data.draw(st.permutations(members)), built.seen)

    assert {n: (d.family_id, d.voting) for n, d in again.items()} == {
        n: (m.family_id, built.voting[n]) for n, m in built.members.items()
    }


@given(mixed=uploads())
def test_placing_one_by_one_gives_the_stars_of_the_whole(mixed: list[Upload]) -> None:
    built = Corpus()

    for upload in mixed:
        decision = built.add(upload)

        placed = built.members[upload.name]
        assert (decision.family_id, decision.voting) == (
            placed.family_id,
            built.voting[upload.name],
        )


@given(mixed=uploads(), newcomer=uploads().filter(bool))
def test_a_newcomer_moves_nobody_whose_centre_is_its_senior(
    mixed: list[Upload], newcomer: list[Upload]
) -> None:
    built = corpus(mixed)
    before = {n: built.members[str(m.family_id)] for n, m in built.members.items()}

    built.add(replace(newcomer[0], name="new"))

    arrived = seniority(built.members["new"])
    for name, centre in before.items():
        if seniority(centre) < arrived:
            assert built.members[name].family_id == FamilyId(centre.document_id)


@given(mixed=uploads())
def test_a_member_is_near_the_centre_it_joined_and_not_through_a_chain(
    mixed: list[Upload],
) -> None:
    built = Corpus()

    for upload in mixed:
        built.add(upload)

        for name, member in built.members.items():
            centre = built.uploads[str(member.family_id)]
            assert similarity(built.uploads[name], centre) >= JOIN


@given(mixed=uploads())
def test_a_pooled_contradiction_never_votes(mixed: list[Upload]) -> None:
    built = Corpus()

    for upload in mixed:
        decision = built.add(upload)

        if upload.tier is Tier.POOL and decision.contradicts is not None:
            assert not decision.voting


@given(mixed=uploads())
def test_a_contradiction_never_adds_a_seat_beyond_its_origin_s_own(mixed: list[Upload]) -> None:
    built = Corpus()

    for upload in mixed:
        before = built.seats()
        decision = built.add(upload)

        if decision.contradicts is not None:
            own = set() if upload.tier is Tier.POOL else {str(upload.ref)}
            assert built.seats() - before <= own


@given(mixed=uploads(), data=st.data())
def test_withdrawing_documents_leaves_one_vote_in_every_family(
    mixed: list[Upload], data: st.DataObject
) -> None:
    built = corpus(mixed)

    for name in data.draw(st.permutations(sorted(built.members))):
        built.remove(name)

        families = {member.family_id for member in built.members.values()}
        votes = [n for n, m in built.members.items() if built.voting[n]]
        assert {built.members[n].family_id for n in votes} == families
        assert len(votes) == len(families)


def upload(name: str, tier: Tier, origin: str, *, text: float = 0.0, says: int = 0) -> Upload:
    return Upload(name=name, tier=tier, origin=origin, text=text, says=says)


def test_a_copy_uploaded_before_the_original_takes_no_seat() -> None:
    built = corpus([upload("copy", Tier.POOL, "x"), upload("page", Tier.ESTABLISHED, "docs")])

    assert built.voting == {"copy": False, "page": True}
    assert built.members["copy"].family_id == "page"


def test_a_poisoned_copy_uploaded_before_the_original_takes_no_seat() -> None:
    poison = upload("poison", Tier.POOL, "x", says=1)
    built = corpus([poison, upload("page", Tier.ESTABLISHED, "docs")])

    assert built.voting == {"poison": False, "page": True}


def test_the_same_text_of_two_established_origins_is_one_vote_the_earlier_s() -> None:
    built = corpus(
        [upload("first", Tier.ESTABLISHED, "docs"), upload("second", Tier.ESTABLISHED, "wiki")]
    )

    assert built.voting == {"first": True, "second": False}


def test_a_voteless_mirror_votes_once_the_original_is_withdrawn() -> None:
    built = corpus(
        [upload("first", Tier.ESTABLISHED, "docs"), upload("second", Tier.ESTABLISHED, "wiki")]
    )

    built.remove("first")

    assert built.voting == {"second": True}


def test_established_origins_that_contradict_each_other_are_both_heard() -> None:
    built = corpus([upload("one", Tier.ESTABLISHED, "docs")])

    decision = built.add(upload("other", Tier.ESTABLISHED, "wiki", says=1))

    assert decision == FamilyDecision(
        family_id=FamilyId("other"), voting=True, contradicts=DocumentId("one")
    )


def test_two_manuals_of_one_house_that_share_half_their_wording_both_vote() -> None:
    built = corpus([upload("one", Tier.ESTABLISHED, "docs")])

    decision = built.add(upload("two", Tier.ESTABLISHED, "docs", text=1.01 - ESTABLISHED_JOIN))

    assert decision.voting


def hit(
    document: str, *, family: str, tier: Tier = Tier.POOL, minute: int = 0, ordinal: int = 0
) -> ScoredChunk:
    return ScoredChunk(
        chunk=Chunk(
            id=ChunkId(f"{document}/{ordinal}"),
            document_id=DocumentId(document),
            ordinal=ordinal,
            span=Span(0, 1),
            text="x",
        ),
        origin=Origin(
            kind=OriginKind.UPLOADER,
            id=document,
            established=tier is not Tier.POOL,
            reviewed=tier is Tier.REVIEWED,
        ),
        family_id=FamilyId(family),
        vector=np.ones(1, np.float32),
        similarity=0.5,
        trust=0.5,
        admitted_at=EPOCH + timedelta(minutes=minute),
    )


def test_collapsing_keeps_the_chunks_of_the_most_established_document_in_order() -> None:
    hits = [
        hit("pool", family="f", minute=0),
        hit("page", family="f", tier=Tier.ESTABLISHED, minute=9, ordinal=1),
        hit("apart", family="g", minute=5),
        hit("page", family="f", tier=Tier.ESTABLISHED, minute=9, ordinal=0),
    ]

    assert [h.chunk.id for h in collapse(hits)] == ["page/1", "apart/0", "page/0"]


hits = st.lists(
    st.builds(
        hit,
        st.sampled_from("abcdef"),
        family=st.sampled_from("xyz"),
        tier=st.sampled_from(list(Tier)),
        minute=st.integers(0, 3),
        ordinal=st.integers(0, 3),
    ),
    max_size=12,
)


@given(found=hits)
def test_collapsing_leaves_one_document_a_family_and_loses_no_family(
    found: list[ScoredChunk],
) -> None:
    kept = collapse(found)

    assert {h.family_id for h in kept} == {h.family_id for h in found}
    assert len({(h.family_id, h.chunk.document_id) for h in kept}) == len(
        {h.family_id for h in found}
    )
    positions = [next(i for i, f in enumerate(found) if f is h) for h in kept]
    assert positions == sorted(positions)


@given(found=hits)
def test_collapsing_twice_changes_nothing(found: list[ScoredChunk]) -> None:
    once = collapse(found)

    assert [id(h) for h in collapse(once)] == [id(h) for h in once]
