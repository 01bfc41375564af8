"""Query parameters that every list takes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Query
from pydantic.json_schema import SkipJsonSchema

from domain.verification import LatencyClass

Cursor = Annotated[
    str | None,
    Query(
        max_length=200,
        description="`next_cursor` of the page before",
        json_schema_extra={"format": "cursor"},
    ),
]
LatencyHeader = Annotated[
    LatencyClass | SkipJsonSchema[None],
    Header(
        alias="Mithridate-Latency-Class",
        description="how long the asker can wait; the body's word goes before it",
    ),
]
Limit = Annotated[int, Query(ge=1, le=200, description="greatest number of items")]
