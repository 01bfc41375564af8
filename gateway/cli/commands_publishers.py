"""`publishers`: keys by whose signatures documents are known (Law 1), and signing with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, note, table

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from domain.publishing import PublisherKey
    from ingest.publishers import PublisherDesk

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The publisher's name.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is journalled.")]
Tenant = Annotated[str, typer.Option(help="The tenant.")]


def register(app: typer.Typer) -> None:
    publishers = typer.Typer(
        no_args_is_help=True, help="Publishers' keys. Needs no running gateway."
    )
    publishers.command("add")(add)
    publishers.command("list")(list_publishers)
    publishers.command("revoke")(revoke)
    publishers.command("keygen")(keygen)
    publishers.command("sign")(sign)
    app.add_typer(publishers, name="publishers")


def add(
    name: NameArgument,
    public_key: Annotated[
        str, typer.Option("--public-key", help="A PEM file, or 32 bytes in base64 or hexadecimal.")
    ],
    reason: ReasonOption,
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """Vouch for a publisher by its Ed25519 key. From then on its documents need its signature."""
    from defences.trust.signing import read_public_key
    from domain.documents import TenantId
    from gateway.cli.commands_keys import _tenant
    from gateway.cli.local_ledger import parse_origin

    parse_origin(f"publisher:{name}")
    given = Path(public_key)
    raw = read_public_key(_text(given) if given.is_file() else public_key)
    key = _at_desk(
        lambda desk, actor: desk.add(
            TenantId(_tenant(tenant)), name, raw, reason=reason, actor=actor
        )
    )
    _print(key, as_json=json_)


def list_publishers(tenant: Tenant = "default", json_: Json = False) -> None:
    """List keys, the revoked ones too."""
    from domain.documents import TenantId
    from gateway.cli.commands_keys import _tenant
    from gateway.cli.local_ledger import with_ledger
    from runtime.settings import load_settings

    found = with_ledger(
        load_settings(), lambda local: local.ledger.publishers.list(TenantId(_tenant(tenant)))
    )
    if json_:
        emit({"items": [_shown(key) for key in found]})
        return
    table(
        ("publisher", "key", "added", "revoked"),
        (
            (
                key.publisher,
                key.id,
                f"{key.added_at:%Y-%m-%d %H:%M:%S}",
                key.revoked_at and f"{key.revoked_at:%Y-%m-%d %H:%M:%S}",
            )
            for key in found
        ),
    )


def revoke(
    name: NameArgument,
    key_id: Annotated[str, typer.Argument(metavar="KEY", help="The key's id.")],
    reason: ReasonOption,
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """End a key, for good. With the last one the vouching ends too."""
    from domain.documents import TenantId
    from gateway.cli.commands_keys import _tenant

    key = _at_desk(
        lambda desk, actor: desk.revoke(
            TenantId(_tenant(tenant)), name, key_id, reason=reason, actor=actor
        )
    )
    _print(key, as_json=json_)


def keygen(
    out: Annotated[Path, typer.Option(help="Where the private key goes; not overwritten.")],
    json_: Json = False,
) -> None:
    """Make a key pair: the private key into a file for you alone, the public one is printed."""
    from defences.trust.signing import (
        encode_key,
        key_id,
        new_private_key,
        public_key_of,
        read_private_key,
    )
    from domain.errors import InputError

    private = new_private_key()
    try:
        handle = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as exc:
        raise InputError(f"{str(out)!r} cannot be made: {exc.strerror}") from exc
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(private)
    public = public_key_of(read_private_key(private))
    told = {"key": key_id(public), "public_key": encode_key(public), "private_key": str(out)}
    if json_:
        emit(told)
    else:
        facts(told)


def sign(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The document.")],
    private_key: Annotated[Path, typer.Option("--private-key", help="PEM, not encrypted.")],
    publisher: Annotated[str, typer.Option(help="The publisher's name.")],
    logical_id: Annotated[str, typer.Option(help="The document whatever its version.")],
    version: Annotated[int, typer.Option(min=0, help="Above every version before.")],
    expires: Annotated[
        str, typer.Option(help="E.g. 2027-01-31 or 2027-01-31T12:00:00+00:00; no upload after it.")
    ],
    tenant: Tenant = "default",
    out: Annotated[Path | None, typer.Option(help="File; None: standard output.")] = None,
    json_: Json = False,
) -> None:
    """Sign a document; the attestation goes with its upload (`ingest --attestation`)."""
    import hashlib

    from defences.trust.signing import read_private_key
    from defences.trust.signing import sign as make
    from domain.documents import TenantId
    from domain.publishing import Publication
    from gateway.cli.commands_keys import _tenant
    from gateway.http.attestations import AttestationModel

    publication = Publication(
        publisher=publisher,
        logical_id=logical_id,
        version=version,
        expires_at=_moment(expires),
        sha256=hashlib.sha256(_bytes(file)).hexdigest(),
    )
    signed = make(TenantId(_tenant(tenant)), publication, read_private_key(_text(private_key)))
    model = AttestationModel.of(signed)
    if out is None or json_:
        emit(model.model_dump(mode="json"))
    if out is None:
        return
    out.write_text(model.model_dump_json() + "\n", encoding="ascii")
    note(f"wrote {out}")


def _at_desk(act: Callable[[PublisherDesk, str], Awaitable[PublisherKey]]) -> PublisherKey:
    from gateway.cli.commands_origins import at_desk
    from ingest.publishers import PublisherDesk

    return at_desk(
        lambda desk, local: act(
            PublisherDesk(ledger=local.ledger, origins=desk, clock=local.clock), local.actor
        )
    )


def _moment(text: str) -> datetime:
    """Return the moment; a day alone ends with it, in UTC.

    Raises:
        InputError: It is none.
    """
    from datetime import UTC, datetime, timedelta

    from domain.errors import InputError

    try:
        moment = datetime.fromisoformat(text)
    except ValueError as exc:
        raise InputError(f"--expires is a day or a moment in ISO 8601, not {text!r}") from exc
    if len(text) == len("2027-01-31"):
        moment += timedelta(days=1)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).replace(microsecond=0)


def _bytes(file: Path) -> bytes:
    from domain.errors import InputError

    try:
        return file.read_bytes()
    except OSError as exc:
        raise InputError(f"{str(file)!r} cannot be read: {exc.strerror}") from exc


def _text(file: Path) -> str:
    from domain.errors import InputError

    try:
        return _bytes(file).decode("ascii")
    except UnicodeDecodeError as exc:
        raise InputError(f"{str(file)!r} is no PEM file") from exc


def _print(key: PublisherKey, *, as_json: bool) -> None:
    if as_json:
        emit(_shown(key))
    else:
        facts(_shown(key))


def _shown(key: PublisherKey) -> dict[str, object]:
    from defences.trust.signing import encode_key

    return {
        "publisher": key.publisher,
        "key": key.id,
        "public_key": encode_key(key.public_key),
        "added_at": key.added_at.isoformat(),
        "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
    }
