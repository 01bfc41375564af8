"""The audit log: journal entries chained by hash, sealed by a key, witnessed by signatures.

    hash_n = SHA-256(hash_{n-1} || canonical JSON of entry n),   mac_n = HMAC-SHA-256(key, hash_n)

A changed, moved or missing entry breaks the chain, and who cannot read the key cannot mend it.
A tail that was cut off leaves a whole chain: checkpoints, kept elsewhere, say how long it was.
What is hashed never changes: entries on disk were sealed by it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from domain.documents import TenantId

GENESIS: Final = "0" * 64
"""What stands before the first entry."""
LEAST_KEY_BYTES: Final = 32

_ID: Final = b"mithridate audit key"
_SEAL: Final = b"mithridate audit entry\n"
_CHECKPOINT: Final = b"mithridate audit checkpoint\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """Who did what to which object, when and why. Append-only. Never document text."""

    seq: int
    at: datetime
    tenant_id: TenantId
    actor: str
    action: str
    object_kind: str
    object_id: str
    reason: str | None
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AuditKey:
    """A secret of at least `LEAST_KEY_BYTES`. Its `id` tells keys apart and nothing of them."""

    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) < LEAST_KEY_BYTES:
            raise ValueError(f"an audit key needs {LEAST_KEY_BYTES} bytes, got {len(self.secret)}")

    def __repr__(self) -> str:
        return f"AuditKey({self.id})"

    @property
    def id(self) -> str:
        return hmac.digest(self.secret, _ID, "sha256").hex()[:16]

    def seal(self, digest: str) -> str:
        """Return the MAC of an entry's hash; 64 hex digits."""
        return hmac.digest(self.secret, _SEAL + digest.encode(), "sha256").hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditKeys:
    """The key that seals from now on, and those that sealed before it."""

    current: AuditKey
    former: tuple[AuditKey, ...] = ()

    def by_id(self) -> Mapping[str, AuditKey]:
        return {key.id: key for key in (*self.former, self.current)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedEntry:
    """An entry in its place in the chain.

    Attributes:
        hash: 64 hex digits, over this entry and the hash before it.
        key_id, mac: None in entries that are older than the key.
    """

    entry: JournalEntry
    hash: str
    key_id: str | None
    mac: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainHead:
    """The last entry: its number, its hash, and how many entries there are with it."""

    seq: int
    count: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How far the chain went at a moment, signed. `signer` names the public key."""

    head: ChainHead
    at: datetime
    signer: str
    signature: str

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("a checkpoint's moment needs a time zone")


class CheckpointStore(Protocol):
    """The second place: it must not share the fate of the ledger."""

    async def keep(self, checkpoint: Checkpoint) -> None:
        """Add one to those that are kept.

        Raises:
            TransientError: Not kept; the next one says as much and more.
            PermanentError: The place is not allowed or refuses.
        """
        ...


class CheckpointSigner(Protocol):
    @property
    def name(self) -> str: ...

    def sign(self, message: bytes) -> str: ...


class CheckpointVerifier(Protocol):
    def verify(self, signer: str, message: bytes, signature: str) -> bool:
        """Return whether the signature is by a key that is trusted under that name."""
        ...


def chain(previous: str, entry: JournalEntry) -> str:
    """Return the hash of an entry that stands behind `previous`."""
    facts = [
        entry.seq,
        _moment(entry.at),
        entry.tenant_id,
        entry.actor,
        entry.action,
        entry.object_kind,
        entry.object_id,
        entry.reason,
        dict(entry.facts),
    ]
    return hashlib.sha256(previous.encode() + b"\n" + _canonical(facts)).hexdigest()


def sealed(previous: str, entry: JournalEntry, key: AuditKey | None) -> SealedEntry:
    """Return the entry in its place behind `previous`."""
    digest = chain(previous, entry)
    return SealedEntry(
        entry=entry,
        hash=digest,
        key_id=None if key is None else key.id,
        mac=None if key is None else key.seal(digest),
    )


def signed(head: ChainHead, signer: CheckpointSigner, *, at: datetime) -> Checkpoint:
    """Return a checkpoint of `head`."""
    message = checkpoint_message(head, at=at, signer=signer.name)
    return Checkpoint(head=head, at=at, signer=signer.name, signature=signer.sign(message))


def checkpoint_message(head: ChainHead, *, at: datetime, signer: str) -> bytes:
    """Return the bytes that are signed."""
    return _CHECKPOINT + _canonical([head.seq, head.count, head.hash, _moment(at), signer])


def unmoved(checkpoint: Checkpoint, verifier: CheckpointVerifier) -> bool:
    """Return whether the checkpoint is as it was signed, by a trusted key."""
    message = checkpoint_message(checkpoint.head, at=checkpoint.at, signer=checkpoint.signer)
    return verifier.verify(checkpoint.signer, message, checkpoint.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first thing that is wrong. `seq`: of the entry, or the number that a checkpoint names."""

    seq: int
    reason: str


class ChainCheck:
    """Follows a chain from its first entry, batch by batch, and stops at the first fault."""

    def __init__(self, keys: AuditKeys, checkpoints: Sequence[Checkpoint] = ()) -> None:
        """Begin before the first entry; every checkpoint given must have been verified."""
        self._keys = keys.by_id()
        self._awaited = sorted((one.head for one in checkpoints), key=lambda head: head.seq)
        self._previous = GENESIS
        self._seq = 0
        self._sealing = False
        self.count = 0
        self.unsealed = 0
        self.fault: Fault | None = None

    @property
    def head(self) -> ChainHead:
        return ChainHead(seq=self._seq, count=self.count, hash=self._previous)

    def resume(self, last: SealedEntry, *, hash: str) -> bool:
        """Go on behind an entry that was followed before; False where it is not that one now."""
        self._seq, self._previous = last.entry.seq, last.hash
        self._sealing = last.mac is not None
        return hmac.compare_digest(last.hash, hash)

    def take(self, entries: Sequence[SealedEntry]) -> bool:
        """Follow the next entries; return whether all is well so far."""
        for one in entries:
            reason = self._wrong(one)
            if reason is not None:
                self.fault = Fault(seq=one.entry.seq, reason=reason)
                return False
            self._seq, self._previous = one.entry.seq, one.hash
            self.count += 1
            self.unsealed += one.mac is None
            self._sealing |= one.mac is not None
            if not self._as_witnessed():
                return False
        return True

    def finish(self) -> Fault | None:
        """Return the first fault, a tail that was cut included; None where all is well."""
        if self.fault is None and self._awaited:
            longest = self._awaited[-1]
            self.fault = Fault(
                seq=self._seq + 1,
                reason=f"the tail is cut: a checkpoint counted {longest.count} entries to number "
                f"{longest.seq}, there are {self.count} to number {self._seq}",
            )
        return self.fault

    def _wrong(self, one: SealedEntry) -> str | None:
        if one.entry.seq <= self._seq:
            return "numbers do not rise"
        if not hmac.compare_digest(chain(self._previous, one.entry), one.hash):
            return "the hash does not follow from the entry and the one before it"
        if one.mac is None or one.key_id is None:
            return "an entry without a seal behind sealed ones" if self._sealing else None
        key = self._keys.get(one.key_id)
        if key is None:
            return f"sealed by the key {one.key_id!r}, which is not at hand"
        if not hmac.compare_digest(key.seal(one.hash), one.mac):
            return "the seal is not by the key that it names"
        return None

    def _as_witnessed(self) -> bool:
        """Hold what was followed so far against the checkpoints that it has reached."""
        while self._awaited and self._awaited[0].seq <= self._seq:
            witnessed = self._awaited.pop(0)
            if witnessed != self.head:
                self.fault = Fault(seq=self._seq, reason="not the chain that a checkpoint saw")
                return False
        return True


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
