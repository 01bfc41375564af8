"""What routes are handed: the services of the application they run in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from runtime.wiring import Services


async def services_of(request: Request) -> Services:
    # Async, though it waits for nothing: FastAPI would call a plain function in a thread.
    services: Services = request.app.state.services
    return services


ServicesDependency = Annotated[Services, Depends(services_of)]
