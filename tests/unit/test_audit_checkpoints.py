"""Checkpoints in their second places, and what verifying holds against them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from backends.audit_checkpoints import (
    Ed25519Signer,
    Ed25519Verifier,
    FileCheckpoints,
    HttpCheckpoints,
    read_checkpoints,
    read_public_key,
)
from backends.guarded_post import GuardedPoster
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.audit import AuditKeys, ChainHead, CheckpointStore, signed, unmoved
from domain.errors import ConfigurationError, InputError, PermanentError, TransientError
from runtime.audit import Checkpointer, verify
from tests.ledger_rows import NOW, REVIEWER, webhook
from tests.ledgers import AUDIT_KEY
from tests.receivers import answer, receiving

pytestmark = pytest.mark.anyio

SIGNER = Ed25519Signer(Ed25519PrivateKey.generate())
VERIFIER = Ed25519Verifier([SIGNER.public_key])
KEYS = AuditKeys(current=AUDIT_KEY)
HEAD = ChainHead(seq=3, count=3, hash="ab" * 32)


async def written(count: int) -> InMemoryLedger:
    ledger = InMemoryLedger(clock=ManualClock(), ids=SequentialIds(), audit_key=AUDIT_KEY)
    for number in range(count):
        await ledger.webhooks.add(webhook(f"w{number}"), actor=REVIEWER)
    return ledger


async def test_what_is_signed_cannot_be_changed_nor_signed_by_another() -> None:
    made = signed(HEAD, SIGNER, at=NOW)
    other = signed(HEAD, Ed25519Signer(Ed25519PrivateKey.generate()), at=NOW)

    assert unmoved(made, VERIFIER)
    for forged in (
        replace(made, head=replace(HEAD, seq=2)),
        replace(made, head=replace(HEAD, count=2)),
        replace(made, head=replace(HEAD, hash="cd" * 32)),
        replace(made, signature="!"),
        replace(other, signer=made.signer),
        other,
    ):
        assert not unmoved(forged, VERIFIER)


async def test_a_file_keeps_each_head_once_and_survives_a_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "second" / "checkpoints.jsonl"
    store = FileCheckpoints(path)
    first, second = signed(HEAD, SIGNER, at=NOW), signed(replace(HEAD, hash="1"), SIGNER, at=NOW)

    for _ in range(3):
        await store.keep(first)
    with path.open("a") as file:
        file.write('{"seq": 9, "cou')
    cut = read_checkpoints(path)
    await store.keep(second)

    assert cut == [first]
    assert path.read_text().count("\n") == 3
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(InputError, match="line 2"):
        read_checkpoints(path)


async def test_a_place_that_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(TransientError):
        await FileCheckpoints(tmp_path / "file" / "x").keep(signed(HEAD, SIGNER, at=NOW))


async def test_a_url_gets_each_as_json() -> None:
    async with receiving(answer(201)) as receiver:
        poster = GuardedPoster(allow_private_networks=True)
        made = signed(HEAD, SIGNER, at=NOW)
        await HttpCheckpoints(f"http://127.0.0.1:{receiver.port}/c", poster).keep(made)

    said = json.loads(receiver.received[0].body)
    assert (said["seq"], said["count"], said["hash"]) == (3, 3, "ab" * 32)
    assert said["signature"] == made.signature


async def test_a_place_that_fails_keeps_none_from_the_others(tmp_path: Path) -> None:
    ledger = await written(2)
    path = tmp_path / "checkpoints.jsonl"
    refused: CheckpointStore = HttpCheckpoints("http://127.0.0.1:1/", GuardedPoster())
    maker = Checkpointer(
        ledger.journal, SIGNER, [refused, FileCheckpoints(path)], clock=ManualClock()
    )

    with pytest.raises(PermanentError):
        await maker.checkpoint()

    assert [one.head.count for one in read_checkpoints(path)] == [2]


async def test_an_empty_log_has_no_checkpoint() -> None:
    maker = Checkpointer((await written(0)).journal, SIGNER, [], clock=ManualClock())

    assert await maker.checkpoint() is None


async def test_a_log_that_was_restored_from_an_old_copy_is_found() -> None:
    whole, restored = await written(5), await written(3)
    head = await whole.journal.head()
    assert head is not None
    seen = [signed(head, SIGNER, at=NOW)]

    good = await verify(whole.journal, KEYS, seen, VERIFIER)
    bad = await verify(restored.journal, KEYS, seen, VERIFIER)

    assert good.fault is None
    assert bad.fault is not None
    assert (bad.fault.seq, bad.head.count) == (4, 3)
    assert "tail is cut" in bad.fault.reason


def test_keys_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(
        SIGNER.public_key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )

    assert read_public_key(path) == SIGNER.public_key
    with pytest.raises(ConfigurationError):
        Ed25519Signer.from_pem(path.read_bytes(), source="key.pem")
    path.write_text("hush")
    with pytest.raises(InputError) as caught:
        read_public_key(path)
    assert "hush" not in str(caught.value)
