"""Whatever is done to a sealed chain without its key, or to its tail, is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from domain.audit import (
    GENESIS,
    AuditKey,
    AuditKeys,
    ChainCheck,
    Checkpoint,
    JournalEntry,
    SealedEntry,
    sealed,
)
from domain.documents import TenantId

NOW = datetime(2026, 11, 1, tzinfo=UTC)
OLD, KEY, THEIRS = AuditKey(b"o" * 32), AuditKey(b"k" * 32), AuditKey(b"t" * 32)
KEYS = AuditKeys(current=KEY, former=(OLD,))

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
entries = st.builds(
    JournalEntry,
    seq=st.just(0),
    at=st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=9)).map(lambda d: NOW + d),
    tenant_id=texts.map(TenantId),
    actor=texts,
    action=texts,
    object_kind=texts,
    object_id=texts,
    reason=st.none() | texts,
    facts=st.dictionaries(texts, texts, max_size=3),
)
chains = st.lists(entries, min_size=1, max_size=8)


def chained(
    found: Sequence[JournalEntry], *, key: AuditKey | None = KEY, behind: Sequence[SealedEntry] = ()
) -> list[SealedEntry]:
    made = list(behind)
    for entry in found:
        previous = made[-1].hash if made else GENESIS
        made.append(sealed(previous, replace(entry, seq=len(made) + 1), key))
    return made[len(behind) :]


def is_whole(found: Sequence[SealedEntry], *checkpoints: Checkpoint) -> bool:
    check = ChainCheck(KEYS, checkpoints)
    check.take(found)
    return check.finish() is None


def witnessed(found: Sequence[SealedEntry]) -> Checkpoint:
    check = ChainCheck(KEYS)
    assert check.take(found)
    return Checkpoint(head=check.head, at=NOW, signer="s", signature="")


@given(old=chains, new=chains, cut=st.integers(0, 16))
def test_a_chain_under_two_keys_is_whole_wherever_it_is_parted(
    old: list[JournalEntry], new: list[JournalEntry], cut: int
) -> None:
    before = chained(old, key=OLD)
    whole = before + chained(new, behind=before)
    check = ChainCheck(KEYS, [witnessed(whole), witnessed(before)])

    assert check.take(whole[:cut])
    assert check.take(whole[cut:])

    assert check.finish() is None
    assert check.count == len(whole)


@given(found=chains, data=st.data())
def test_an_entry_that_is_changed_is_found_where_it_stands(
    found: list[JournalEntry], data: st.DataObject
) -> None:
    whole = chained(found)
    place = data.draw(st.integers(0, len(whole) - 1))
    before = whole[place].entry
    changed = data.draw(entries.filter(lambda other: replace(other, seq=before.seq) != before))
    whole[place] = replace(whole[place], entry=replace(changed, seq=before.seq))
    check = ChainCheck(KEYS)

    assert not check.take(whole)

    assert check.fault is not None
    assert check.fault.seq == place + 1


@given(found=st.lists(entries, min_size=2, max_size=8), data=st.data())
def test_an_entry_that_is_gone_from_the_middle_is_found(
    found: list[JournalEntry], data: st.DataObject
) -> None:
    whole = chained(found)
    place = data.draw(st.integers(0, len(whole) - 2))

    assert not is_whole(whole[:place] + whole[place + 1 :])


@given(kept=st.lists(entries, max_size=5), forged=chains, seal=st.sampled_from([None, THEIRS]))
def test_who_does_not_know_the_key_cannot_write_the_chain_anew(
    kept: list[JournalEntry], forged: list[JournalEntry], seal: AuditKey | None
) -> None:
    begun = [*chained([entry_of("first")]), *()]
    begun += chained(kept, behind=begun)
    claimed = [
        replace(one, key_id=None if seal is None else KEY.id)
        for one in chained(forged, key=seal, behind=begun)
    ]

    assert not is_whole(begun + claimed)


@given(found=chains, cut=st.integers(1, 8), more=st.lists(entries, max_size=8))
def test_a_tail_that_was_cut_is_found_even_if_entries_were_added_since(
    found: list[JournalEntry], cut: int, more: list[JournalEntry]
) -> None:
    whole = chained(found)
    checkpoint = witnessed(whole)
    left = whole[: max(0, len(whole) - cut)]
    left += chained([replace(entry, actor=entry.actor + "!") for entry in more], behind=left)

    assert not is_whole(left, checkpoint)


def entry_of(actor: str) -> JournalEntry:
    return JournalEntry(
        seq=0,
        at=NOW,
        tenant_id=TenantId("t"),
        actor=actor,
        action="a",
        object_kind="k",
        object_id="o",
        reason=None,
        facts={},
    )
