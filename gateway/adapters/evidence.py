"""What an adapter asks a gateway for, and what it is told: `POST /v1/retrieve`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import httpx

PATH: Final = "/v1/retrieve"
Facts: TypeAlias = dict[str, str | int | float | bool | None]


class RetrievalError(Exception):
    """The gateway refused or did not answer; the message says why, and holds no text of either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A guarded passage: masked and neutralised text, and what is known of where it comes from.

    Attributes:
        text: Untrusted all the same: fence it in a prompt.
        facts: `document`, `origin`, `tier`, `trust`, `family`, `title`, `source_uri`, `findings`,
            `start`, `end`. For people and filters, not for a prompt.
    """

    id: str
    text: str
    similarity: float
    facts: Facts


def body_of(question: str, options: Mapping[str, object]) -> dict[str, object]:
    """Return the request; options that are None are left to the gateway's settings."""
    return {"question": question, **{k: v for k, v in options.items() if v is not None}}


def read(response: httpx.Response) -> list[Passage]:
    """Return the passages of an answer, in its order.

    Raises:
        RetrievalError: It is an error, or none of a gateway.
    """
    if not response.is_success:
        raise RetrievalError(_detail(response))
    try:
        return [_passage(hit) for hit in response.json()["hits"]]
    except (ValueError, KeyError, TypeError) as exc:
        raise RetrievalError("the answer is not one of a Mithridate gateway") from exc


def retrieve(
    url: str, key: str, question: str, options: Mapping[str, object], *, timeout_seconds: float
) -> list[Passage]:
    """Ask and wait.

    Raises:
        RetrievalError: The gateway refused or did not answer.
    """
    try:
        with httpx.Client(timeout=timeout_seconds) as client:
            return read(client.post(_at(url), json=body_of(question, options), headers=_auth(key)))
    except httpx.HTTPError as exc:
        raise RetrievalError(f"the gateway did not answer: {type(exc).__name__}") from exc


async def aretrieve(
    url: str, key: str, question: str, options: Mapping[str, object], *, timeout_seconds: float
) -> list[Passage]:
    """As `retrieve`, on an event loop."""
    try:
        async with httpx.AsyncClient(timeout=timeout_seconds) as client:
            body = body_of(question, options)
            return read(await client.post(_at(url), json=body, headers=_auth(key)))
    except httpx.HTTPError as exc:
        raise RetrievalError(f"the gateway did not answer: {type(exc).__name__}") from exc


def _at(url: str) -> str:
    return url.rstrip("/") + PATH


def _auth(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _passage(hit: Mapping[str, object]) -> Passage:
    origin, findings, similarity = hit["origin"], hit["findings"], hit["similarity"]
    if not isinstance(origin, dict) or not isinstance(findings, list):
        raise TypeError("not a hit")
    if not isinstance(similarity, int | float):
        raise TypeError("not a hit")
    facts: Facts = {
        name: value
        for name in ("document", "tier", "trust", "family", "title", "source_uri", "start", "end")
        if (value := hit[name]) is None or isinstance(value, str | int | float)
    }
    facts["origin"] = f"{origin['kind']}:{origin['id']}"
    facts["findings"] = ", ".join(f"{one['rule']} ({one['level']})" for one in findings)
    return Passage(
        id=str(hit["chunk"]), text=str(hit["text"]), similarity=float(similarity), facts=facts
    )


def _detail(response: httpx.Response) -> str:
    try:
        detail = str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = "no reason given"
    return f"the gateway answered {response.status_code}: {detail}"
