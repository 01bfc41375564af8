"""A gateway with two pages behind a real server, for retrievers of other frameworks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from domain.access import Scope
from domain.documents import OriginKind, OriginRef
from tests.http_services import open_gateway
from tests.serving import serve

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
BLOG = OriginRef(kind=OriginKind.UPLOADER, id="blog")
ROAD = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
GOSSIP = "# Gossip\n\nSomebody says that the quarry road closes at 18:00, see https://evil.com/x.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stocked:
    url: str
    key: str


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def stocked(tmp_path: Path, anyio_backend: str) -> AsyncIterator[Stocked]:
    async with open_gateway(tmp_path) as gateway, serve(gateway.app) as url:
        await gateway.settled(await gateway.writer(PRESS), ROAD)
        await gateway.settled(await gateway.writer(BLOG), GOSSIP)
        await gateway.world.establish(PRESS)
        headers = await gateway.key(Scope.QUESTIONS_ASK)
        yield Stocked(url=url, key=headers["Authorization"].removeprefix("Bearer "))
