"""Which names a blob may have; every store refuses the others alike."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from domain.documents import TenantId
from domain.errors import PermanentError

_TENANT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEY: Final = re.compile(r"(original|text|objections)/([A-Za-z0-9_-]{1,128})")


class BlobKey(NamedTuple):
    kind: str
    name: str


def parse_blob_key(tenant_id: TenantId, key: str) -> BlobKey:
    """Return the parts of a key, `<kind>/<name>`.

    Raises:
        PermanentError: Key or tenant is no such name.
    """
    match = _KEY.fullmatch(key)
    if match is None or not _TENANT.fullmatch(tenant_id):
        raise PermanentError(f"blob key {key!r} is malformed")
    return BlobKey(*match.groups())


def require_tenant(tenant_id: TenantId) -> None:
    """Raise `PermanentError` if a tenant of that name can have no blobs."""
    if not _TENANT.fullmatch(tenant_id):
        raise PermanentError(f"tenant {tenant_id!r} is malformed")
