"""Backups: an installation copied into a folder of its own, with a list of what is in it.

A backup has the layout of a data folder. It is made beside its name and renamed when it is whole.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from backends.ledger.migrating import head_revision
from domain.clock import Clock
from domain.errors import ConfigurationError, ConflictError, PermanentError
from runtime.moving import Moved, Told, embedded, move
from runtime.settings import Settings
from runtime.storage_sections import DatabaseSettings

MANIFEST: Final = "backup.json"
_LEDGER: Final = "ledger.db"
_LEAVINGS: Final = (f"{_LEDGER}-wal", f"{_LEDGER}-shm", f"{_LEDGER}.lock")


class Manifest(BaseModel):
    """What a backup holds, and the sha256 of each of its files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = 1
    made_at: str
    schema_revision: str
    rows: dict[str, int]
    blobs: int
    chunks: int
    files: dict[str, str]


async def back_up(settings: Settings, folder: Path, *, told: Told, clock: Clock) -> Moved:
    """Copy what the settings name into a new folder. The installation may be in use.

    The ledger is of one moment; blobs and index are copied after it, so that what was decided
    meanwhile may be in them: `verify --mend` after a restore brings them to the ledger.

    Raises:
        ConflictError: The folder is there already.
        PermanentError: A part differs after it was copied.
        TransientError: A service did not answer.
    """
    beside = await asyncio.to_thread(_place_beside, folder)
    moved = await move(settings, embedded(settings, folder=beside), told=told, live=True)
    for name in _LEAVINGS:
        (beside / name).unlink(missing_ok=True)
    manifest = Manifest(
        made_at=clock.now().isoformat(),
        schema_revision=head_revision(),
        rows=dict(moved.rows),
        blobs=moved.blobs,
        chunks=moved.chunks,
        files=dict(_digests(beside)),
    )
    _write(beside / MANIFEST, manifest.model_dump_json(indent=1))
    beside.rename(folder)
    return moved


def check_backup(folder: Path) -> Manifest:
    """Return the list of a backup whose files are all there and as they were written.

    Raises:
        ConfigurationError: No backup, or of a later program.
        PermanentError: A file is missing, changed or not on the list.
    """
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValidationError) as exc:
        raise ConfigurationError(f"{str(folder)!r} is no backup: {type(exc).__name__}") from exc
    if manifest.schema_revision > head_revision():
        raise ConfigurationError(
            f"the backup is of a later program: its schema is {manifest.schema_revision!r}, "
            f"this one knows {head_revision()!r}"
        )
    found = dict(_digests(folder))
    wrong = sorted(
        name
        for name in manifest.files.keys() | found.keys()
        if manifest.files.get(name) != found.get(name)
    )
    if wrong:
        raise PermanentError(
            f"{len(wrong)} files of the backup are not as they were written, first {wrong[0]!r}"
        )
    return manifest


async def restore(settings: Settings, folder: Path, *, told: Told) -> Moved:
    """Copy a backup to where the settings point, which must be empty or an earlier try.

    The backup itself is not written to.

    Raises:
        ConfigurationError: No backup, or of a later program.
        ConflictError: There is something else.
        PermanentError: The backup is damaged, or a part differs after it was copied.
        TransientError: A service did not answer.
    """
    manifest = check_backup(folder)
    with tempfile.TemporaryDirectory(prefix="mithridate-restore") as scratch:
        # Opening a SQLite file writes beside it, and an older schema is brought up to date.
        ledger = Path(scratch) / _LEDGER
        shutil.copyfile(folder / _LEDGER, ledger)
        source = embedded(settings, folder=folder).model_copy(
            update={"database": DatabaseSettings(url=SecretStr(f"sqlite:///{ledger}"))}
        )
        moved = await move(source, settings, told=told)
    if (moved.blobs, moved.chunks) != (manifest.blobs, manifest.chunks):
        raise PermanentError(
            f"{moved.blobs} blobs and {moved.chunks} chunks were restored of "
            f"{manifest.blobs} and {manifest.chunks}"
        )
    return moved


def _place_beside(folder: Path) -> Path:
    if folder.exists():
        raise ConflictError(f"{str(folder)!r} is there already")
    beside = folder.with_name(f".{folder.name}.unfinished")
    if beside.exists():
        shutil.rmtree(beside)  # of a call that was broken off
    beside.mkdir(parents=True, mode=0o700)
    return beside


def _digests(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name != MANIFEST and not path.name.startswith(".write-lock"):
            with path.open("rb") as file:
                yield name, hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def summary(moved: Moved) -> Mapping[str, object]:
    """Return what was copied, for a person or a program."""
    return {
        "rows": sum(moved.rows.values()),
        "blobs": moved.blobs,
        "chunks": moved.chunks,
        "changed_meanwhile": moved.changed_meanwhile,
    }
