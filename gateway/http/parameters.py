"""Query parameters that every list takes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

Cursor = Annotated[
    str | None,
    Query(
        max_length=200,
        description="`next_cursor` of the page before",
        json_schema_extra={"format": "cursor"},
    ),
]
Limit = Annotated[int, Query(ge=1, le=200, description="greatest number of items")]
