"""What schemathesis cannot read off the OpenAPI document; loaded by `SCHEMATHESIS_HOOKS`."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import schemathesis
from hypothesis import strategies as st

from backends.ledger.cursors import Position, encode

_IDS = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=26, max_size=26)
_MOMENTS = st.datetimes(
    min_value=datetime(2000, 1, 1),  # noqa: DTZ001 - hypothesis wants naive bounds
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)

# A cursor is opaque: no schema says which texts are ours.
schemathesis.openapi.format(
    "cursor",
    st.builds(lambda at, id: encode(Position(at=at, id=f"doc_{id}")), at=_MOMENTS, id=_IDS),
)
# Whether an address may be delivered to is more than its form. Nothing listens on port 9.
schemathesis.openapi.format(
    "uri",
    st.builds(lambda id: f"http://127.0.0.1:9/{id}", id=_IDS),
)
# No document is empty; schemathesis' own bytes do not look at `minLength`.
schemathesis.openapi.format("binary", st.binary(min_size=1))


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Mend what schemathesis makes and the API cannot be blamed for."""
    # A valid idempotency key is one of its own: used again with another body it is refused.
    headers = case.headers or {}
    for name in list(headers):
        if name.lower() == "idempotency-key" and 1 <= len(str(headers[name])) <= 255:
            headers[name] = str(uuid.uuid4())
    # A text body has no other type to be of: "{}" is text too. What it can do wrong is to be empty.
    if str(case.media_type).startswith("text/") and not isinstance(case.body, str | bytes):
        case.body = b""
