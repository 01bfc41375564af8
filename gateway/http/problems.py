"""Errors as `application/problem+json` (RFC 9457). The only place that knows HTTP status codes."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match, Route

from domain import errors

MEDIA_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:mithridate:problem:"

STATUS: Final[Mapping[type[errors.MithridateError], HTTPStatus]] = {
    # An input error to whoever wrote the configuration, not to who asks over HTTP.
    errors.ConfigurationError: HTTPStatus.INTERNAL_SERVER_ERROR,
    errors.UnsupportedMediaTypeError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    errors.DocumentTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.DocumentUnreadableError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.IdempotencyMismatchError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.InputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.UnauthenticatedError: HTTPStatus.UNAUTHORIZED,
    errors.ForbiddenError: HTTPStatus.FORBIDDEN,
    errors.RateLimitedError: HTTPStatus.TOO_MANY_REQUESTS,
    errors.NotFoundError: HTTPStatus.NOT_FOUND,
    errors.ConflictError: HTTPStatus.CONFLICT,
    errors.TransientError: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.DependencyError: HTTPStatus.BAD_GATEWAY,
}

_CODES: Final[Mapping[int, str]] = {
    400: "malformed-request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    408: "request-timeout",
    413: "document-too-large",
    415: "unsupported-media-type",
    422: "invalid-input",
}


_FIELD_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_FRAMES: Final = 12


class FieldProblem(BaseModel):
    location: list[str | int] = Field(description="path to the field, outermost first")
    message: str


class Problem(BaseModel):
    """Body of every error answer."""

    type: str = Field(description="stable name of the kind of problem, a URN")
    title: str = Field(description="the same in words")
    status: int
    detail: str
    fields: list[FieldProblem] | None = Field(None, description="which fields are wrong")


class OpenAIErrorDetail(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIError(BaseModel):
    """Body of every error answer of the OpenAI-compatible routes."""

    error: OpenAIErrorDetail


_MEANINGS: Final[Mapping[int, str]] = {
    400: "Malformed request",
    401: "No valid API key",
    403: "The key lacks the scope",
    404: "Not found",
    405: "Method not allowed",
    408: "The body did not arrive in time",
    409: "Conflict",
    413: "Body over the limit",
    415: "Media type not supported",
    422: "Invalid input",
    429: "Too often",
    500: "Unexpected error, logged",
    502: "A dependency refused",
    503: "A dependency does not answer",
}


def _responses(media_type: str, schema: str) -> dict[int | str, dict[str, Any]]:
    # By reference and not as a `model`: FastAPI would say application/json.
    content = {media_type: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {
        status: {"description": meaning, "content": content}
        for status, meaning in _MEANINGS.items()
    }


RESPONSES: Final = _responses(MEDIA_TYPE, "Problem")
"""What any route may answer, for the OpenAPI document."""

OPENAI_RESPONSES: Final = _responses("application/json", "OpenAIError")
"""The same of the OpenAI-compatible routes."""


def describe(app: FastAPI) -> None:
    """Add the schemas of errors to the OpenAPI document."""
    original = app.openapi

    def openapi() -> dict[str, Any]:
        document = original()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for model in (FieldProblem, Problem, OpenAIErrorDetail, OpenAIError):
            schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
            schema.pop("$defs", None)
            schemas[model.__name__] = schema
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        return document

    setattr(app, "openapi", openapi)  # noqa: B010 - FastAPI's own way to extend the document


def problem(
    status: int, code: str, detail: str, *, fields: list[FieldProblem] | None = None
) -> Problem:
    return Problem(
        type=TYPE_PREFIX + code,
        title=code.replace("-", " ").capitalize(),
        status=status,
        detail=detail,
        fields=fields,
    )


def problem_of(error: errors.MithridateError, *, route: str) -> Problem:
    """Return what a deliberate error is told as; logged where it is no fault of the caller."""
    status = status_of(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log().warning("request_failed", code=error.code, route=route, error=str(error))
    return problem(status, error.code, str(error))


def problem_response(
    status: int,
    code: str,
    detail: str,
    *,
    fields: list[FieldProblem] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    return JSONResponse(
        problem(status, code, detail, fields=fields).model_dump(exclude_none=True),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=dict(headers or {}),
    )


def status_of(error: errors.MithridateError) -> HTTPStatus:
    for kind in type(error).__mro__:
        if kind in STATUS:
            return STATUS[kind]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def install(app: FastAPI) -> None:
    """Answer every error, FastAPI's own included, with a problem."""
    app.add_exception_handler(errors.MithridateError, _deliberate)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _disconnected)
    describe(app)


async def _deliberate(request: Request, exc: Exception) -> Response:
    if not isinstance(exc, errors.MithridateError):
        raise exc
    told = problem_of(exc, route=_route(request))
    status = told.status
    headers: dict[str, str] = {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = "5"
    if isinstance(exc, errors.RateLimitedError):
        headers["Retry-After"] = str(max(1, round(exc.retry_after_seconds)))
    return problem_response(status, exc.code, told.detail, headers=headers)


async def _invalid(request: Request, exc: Exception) -> Response:
    if not isinstance(exc, RequestValidationError):
        raise exc
    found = exc.errors()
    if _is_of_another_type(request) and any(error["loc"][:1] == ("body",) for error in found):
        return problem_response(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            errors.UnsupportedMediaTypeError.code,
            "send the body as application/json",
        )
    # The input itself is left out: it may be a document or a secret.
    fields = [
        FieldProblem(location=_location(error["loc"]), message=_message(error)) for error in found
    ]
    return problem_response(
        HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-input", "the request is not valid", fields=fields
    )


def _is_of_another_type(request: Request) -> bool:
    """Whether the body claims to be something other than JSON."""
    claimed = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return bool(claimed) and not re.fullmatch(r"application/(\S+\+)?json", claimed)


def _message(error: Mapping[str, Any]) -> str:
    # A regular expression tells a reader little; the OpenAPI document has it.
    if error["type"] == "string_pattern_mismatch":
        return "is blank, or not of the documented form"
    return str(error["msg"])


def _location(parts: Sequence[object]) -> list[str | int]:
    """Return the path to a field; a name that the caller made up is shown only if it is a name."""
    return [
        part if isinstance(part, int) or _FIELD_NAME.fullmatch(part) else "?"
        for part in parts
        if isinstance(part, (int, str))
    ]


async def _http(request: Request, exc: Exception) -> Response:
    if not isinstance(exc, HTTPException):
        raise exc
    code = _CODES.get(exc.status_code, "http-error")
    headers = dict(exc.headers or {})
    if exc.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    return problem_response(exc.status_code, code, str(exc.detail), headers=headers)


def _methods(request: Request) -> set[str]:
    """Return what the path takes: Starlette names the methods of the first route alone."""
    return {
        method
        for route in request.app.routes
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


async def _disconnected(_: Request, exc: Exception) -> Response:
    """Answer nobody: the caller went away before the body was whole."""
    del exc
    return problem_response(
        HTTPStatus.BAD_REQUEST, _CODES[400], "the connection ended before the body did"
    )


def unexpected(exc: Exception, *, route: str) -> Response:
    """Answer what nobody foresaw."""
    told = unexpected_problem(exc, route=route)
    return problem_response(told.status, "internal", told.detail)


def unexpected_problem(exc: Exception, *, route: str) -> Problem:
    """Return what an unforeseen error is told as. Logged is where it was raised, never its words."""
    _log().error(
        "unexpected_error",
        route=route,
        error=type(exc).__name__,
        frames=[
            f"{frame.filename}:{frame.lineno}:{frame.name}"
            for frame in traceback.extract_tb(exc.__traceback__)[-_FRAMES:]
        ],
    )
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "an unexpected error was logged")


def _route(request: Request) -> str:
    return str(getattr(request.scope.get("route"), "path", "unmatched"))


def _log() -> structlog.stdlib.BoundLogger:
    logger: structlog.stdlib.BoundLogger = structlog.get_logger("gateway.http")
    return logger
