"""An application behind a real server on a loopback port, on the event loop of the test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@asynccontextmanager
async def serve(app: FastAPI, **options: Any) -> AsyncIterator[str]:
    """Yield the URL of `app`, whose lifespan is somebody else's; `options` are uvicorn's."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app, lifespan="off", log_config=None, timeout_graceful_shutdown=1, **options
        )
        server = _Announcing(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            await server.ready.wait()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
