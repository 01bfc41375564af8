"""The framework alone: an upload route that reads the body and answers 202, nothing kept or queued."""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastapi import FastAPI, Request, status

app = FastAPI(docs_url=None, redoc_url=None)


@app.post("/v1/documents", status_code=status.HTTP_202_ACCEPTED)
async def upload(request: Request) -> dict[str, int]:
    return {"size": len(await request.body())}


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1])  # noqa: T201 - the port, for whoever started this
        sys.stdout.flush()
        # As `mithridate serve` configures it, so that the route alone differs.
        config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])
