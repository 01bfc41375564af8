"""The audit log's keys, checkpoints and verification, from `Settings`."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from backends.audit_checkpoints import Ed25519Signer, FileCheckpoints, HttpCheckpoints
from backends.guarded_post import GuardedPoster
from domain.audit import (
    AuditKey,
    AuditKeys,
    ChainCheck,
    ChainHead,
    Checkpoint,
    CheckpointSigner,
    CheckpointStore,
    CheckpointVerifier,
    Fault,
    signed,
    unmoved,
)
from domain.clock import Clock
from domain.errors import ConfigurationError
from domain.ledger import Journal
from runtime.secrets import make_once
from runtime.settings import Settings

KEYS_FILE: Final = "audit.keys"
SIGNING_FILE: Final = "audit-signing.pem"
CHECKPOINTS_FILE: Final = "audit-checkpoints.jsonl"

_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a verification found; `fault` is None where the log is whole."""

    head: ChainHead
    unsealed: int
    checkpoints: int
    fault: Fault | None


class Checkpointer:
    """Signs how far the log goes, and gives that to every second place."""

    def __init__(
        self,
        journal: Journal,
        signer: CheckpointSigner,
        stores: Sequence[CheckpointStore],
        *,
        clock: Clock,
    ) -> None:
        self._journal = journal
        self._signer = signer
        self._stores = stores
        self._clock = clock

    async def checkpoint(self) -> Checkpoint | None:
        """Make one and keep it; None where nothing was ever written.

        Raises:
            TransientError: A place did not take it; the others were given it.
            PermanentError: A place refuses; the others were given it.
        """
        head = await self._journal.head()
        if head is None:
            return None
        made = signed(head, self._signer, at=self._clock.now())
        failure: Exception | None = None
        for store in self._stores:
            try:
                await store.keep(made)
            except Exception as exc:  # every place is tried before the first failure is told
                failure = failure or exc
        if failure is not None:
            raise failure
        return made


async def verify(
    journal: Journal,
    keys: AuditKeys,
    checkpoints: Sequence[Checkpoint],
    verifier: CheckpointVerifier,
) -> AuditReport:
    """Follow the whole log, and hold it against the checkpoints.

    A checkpoint that is not as it was signed is a fault too: somebody meddled with the second
    place, or signed with a key that is not trusted.
    """
    for one in checkpoints:
        if not unmoved(one, verifier):
            reason = f"a checkpoint is not signed by a trusted key (it names {one.signer!r})"
            head = one.head
            return AuditReport(
                head=head,
                unsealed=0,
                checkpoints=len(checkpoints),
                fault=Fault(seq=head.seq, reason=reason),
            )
    check = ChainCheck(keys, checkpoints)
    after = 0
    while entries := await journal.sealed(after=after, limit=_BATCH):
        if not check.take(entries):
            break
        after = entries[-1].entry.seq
    return AuditReport(
        head=check.head,
        unsealed=check.unsealed,
        checkpoints=len(checkpoints),
        fault=check.finish(),
    )


def audit_keys(settings: Settings) -> AuditKeys:
    """Return the keys: as configured, else of the data folder, where one is made on first use.

    Raises:
        ConfigurationError: A key is not hexadecimal or too short, or the file cannot be used.
    """
    if settings.audit.key is not None:
        given = [key.get_secret_value() for key in settings.audit.former_keys]
        return _keys([*given, settings.audit.key.get_secret_value()], source="audit.key")
    path = settings.home / KEYS_FILE
    try:
        make_once(path, secrets.token_hex(32).encode() + b"\n")
        return _keys(path.read_text(encoding="ascii").split(), source=str(path))
    except (OSError, UnicodeError) as exc:
        raise ConfigurationError(f"{str(path)!r} cannot be read") from exc


def rotate_key(settings: Settings) -> AuditKey:
    """Add a key to those of the data folder and return it: processes that start use it.

    Raises:
        ConfigurationError: The key is configured, not the folder's, or the file cannot be used.
    """
    if settings.audit.key is not None:
        raise ConfigurationError(
            "audit.key is configured: set a new one, and the old one in audit.former_keys"
        )
    audit_keys(settings)
    path = settings.home / KEYS_FILE
    new = secrets.token_hex(32)
    try:
        with path.open("a", encoding="ascii") as file:
            file.write(new + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as exc:
        raise ConfigurationError(f"{str(path)!r}: {exc.strerror}") from exc
    return AuditKey(bytes.fromhex(new))


def checkpoint_signer(settings: Settings) -> Ed25519Signer:
    """Return what signs checkpoints, its key made on first use unless one is configured.

    Raises:
        ConfigurationError: The key's file cannot be used.
    """
    path = settings.audit.signing_key_path or settings.home / SIGNING_FILE
    try:
        if settings.audit.signing_key_path is None:
            make_once(path, _new_signing_key())
        return Ed25519Signer.from_pem(path.read_bytes(), source=str(path))
    except OSError as exc:
        raise ConfigurationError(f"{str(path)!r}: {exc.strerror}") from exc


def checkpoints_path(settings: Settings) -> Path:
    return settings.audit.checkpoint_path or settings.home / CHECKPOINTS_FILE


def build_checkpointer(settings: Settings, *, journal: Journal, clock: Clock) -> Checkpointer:
    stores: list[CheckpointStore] = [FileCheckpoints(checkpoints_path(settings))]
    if settings.audit.checkpoint_url is not None:
        stores.append(
            HttpCheckpoints(
                settings.audit.checkpoint_url.get_secret_value(),
                GuardedPoster(allow_private_networks=settings.audit.allow_private_networks),
            )
        )
    return Checkpointer(journal, checkpoint_signer(settings), stores, clock=clock)


def _new_signing_key() -> bytes:
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _keys(given: Sequence[str], *, source: str) -> AuditKeys:
    try:
        *former, current = [AuditKey(bytes.fromhex(one)) for one in given]
    except ValueError as exc:
        raise ConfigurationError(
            f"{source!r} holds a key that is not 32 bytes or more in hexadecimal, or none"
        ) from exc
    return AuditKeys(current=current, former=tuple(former))
