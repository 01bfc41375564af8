"""Errors of the OpenAI-compatible routes, in OpenAI's shape. Everything else answers problems.

One place for all of them: a problem that is about to be sent on such a route is rewritten, whether
a route, a dependency, the limit of bodies or the last resort made it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from pydantic import ValidationError
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Scope, Send

from gateway.http.problems import (
    MEDIA_TYPE,
    TYPE_PREFIX,
    OpenAIError,
    OpenAIErrorDetail,
    Problem,
)

CHAT_PATH: Final = "/v1/chat/completions"
MODELS_PATH: Final = "/v1/models"

_KINDS: Final = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
_CODES: Final = {
    "unauthenticated": "invalid_api_key",
    "rate-limited": "rate_limit_exceeded",
}


def reshaped(scope: Scope, send: Send) -> Send:
    """Return `send`, or for an OpenAI-compatible route one that rewrites problems."""
    path = scope["path"]
    if path not in {CHAT_PATH, MODELS_PATH} and not path.startswith(f"{MODELS_PATH}/"):
        return send
    return _Rewriting(send)


def to_openai(problem: Problem) -> OpenAIError:
    fields = problem.fields or []
    told = [": ".join(filter(None, (_param(f.location), f.message))) for f in fields]
    code = problem.type.removeprefix(TYPE_PREFIX)
    server = problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = "server_error" if server else "invalid_request_error"
    return OpenAIError(
        error=OpenAIErrorDetail(
            message="; ".join(told) or problem.detail,
            type=_KINDS.get(HTTPStatus(problem.status), kind),
            param=_param(fields[0].location) if fields else None,
            code=_CODES.get(code, code),
        )
    )


def _param(location: Sequence[str | int]) -> str | None:
    """Return e.g. `messages[0].content` for `["body", "messages", 0, "content"]`."""
    path = ""
    for part in location[1:]:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or None


class _Rewriting:
    """Passes everything on but problems: these it holds until they are whole."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type") == MEDIA_TYPE:
                self._start = message
                return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body", False):
            start, self._start = self._start, None
            await self._rewrite(start)

    async def _rewrite(self, start: Message) -> None:
        body = _rewritten(self._body)
        # A parameter that is not taken is a bad request there; 422 is a status it does not use.
        if start["status"] == HTTPStatus.UNPROCESSABLE_ENTITY:
            start["status"] = int(HTTPStatus.BAD_REQUEST)
        headers = MutableHeaders(scope=start)
        headers["content-type"] = "application/json"
        headers["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _rewritten(body: bytes) -> bytes:
    try:
        problem = Problem.model_validate_json(body)
    except ValidationError:  # HEAD has no body
        return b"" if not body else json.dumps({"error": {"message": "failed"}}).encode()
    return to_openai(problem).model_dump_json().encode()
