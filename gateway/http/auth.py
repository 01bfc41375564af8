"""Who calls: the bearer key of a request, and the scopes a route asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

import structlog
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from domain.access import Principal, Scope
from domain.errors import ForbiddenError, UnauthenticatedError
from gateway.http.dependencies import ServicesDependency
from runtime.doorkeeping import REFUSED

_bearer = HTTPBearer(
    auto_error=False,
    description="an API key, see `mithridate keys create`, or a token of the configured issuer",
)


async def authenticate(
    request: Request,
    services: ServicesDependency,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Principal:
    """Return the caller.

    Raises:
        UnauthenticatedError: No key or token, or one that opens nothing: all told alike.
        RateLimitedError: Too many requests, or too many with wrong keys.
    """
    if bearer is None:
        raise UnauthenticatedError(REFUSED)
    address = "unknown" if request.client is None else request.client.host
    principal = await services.doorkeeper.admit(bearer.credentials, address=address)
    structlog.contextvars.bind_contextvars(tenant=principal.tenant_id, key=principal.key_id)
    return principal


def requires(*scopes: Scope) -> Callable[[Request, Principal], Awaitable[Principal]]:
    """Make a dependency that lets a caller pass who has any of `scopes`."""
    wanted = " or ".join(scope.value for scope in scopes)

    async def check(
        request: Request, principal: Annotated[Principal, Depends(authenticate)]
    ) -> Principal:
        del request
        if not any(principal.allows(scope) for scope in scopes):
            raise ForbiddenError(f"the key lacks the scope {wanted}")
        return principal

    return check


Writer = Annotated[Principal, Depends(requires(Scope.DOCUMENTS_WRITE))]
Reader = Annotated[Principal, Depends(requires(Scope.DOCUMENTS_WRITE, Scope.QUARANTINE_REVIEW))]
Reviewer = Annotated[Principal, Depends(requires(Scope.QUARANTINE_REVIEW))]
Asker = Annotated[Principal, Depends(requires(Scope.QUESTIONS_ASK))]
AskerOrReviewer = Annotated[
    Principal, Depends(requires(Scope.QUESTIONS_ASK, Scope.QUARANTINE_REVIEW))
]
Admin = Annotated[Principal, Depends(requires(Scope.ADMIN))]
