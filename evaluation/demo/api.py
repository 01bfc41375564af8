"""The gateway's HTTP API as an outsider sees it; the demo uses no other way in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from domain.errors import TransientError
from evaluation.demo.expectations import AlertResult
from evaluation.demo.manifest import DemoDocument


class DemoApi:
    """Calls one gateway with several keys."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=120, trust_env=False)

    def close(self) -> None:
        self._http.close()

    def upload(self, key: str, document: DemoDocument) -> str:
        """Upload and return the document's id."""
        form = {"title": document.title, "labels": json.dumps(document.labels)}
        if document.source_uri is not None:
            form["source_uri"] = document.source_uri
        content = document.path.read_bytes()
        files = {"file": (document.path.name, content, document.media_type)}
        return str(self._call("POST", "/v1/documents", key, data=form, files=files)["id"])

    def document(self, key: str, document_id: str) -> Mapping[str, object]:
        return self._call("GET", f"/v1/documents/{document_id}", key)

    def leading_rules(self, key: str, document_id: str, *, limit: int) -> tuple[str, ...]:
        """Return the rules that moved the score most, largest first."""
        assessment = self._call("GET", f"/v1/documents/{document_id}/report", key)["assessment"]
        if assessment is None:
            return ()
        return tuple(c["rule"] for c in assessment["contributions"][:limit] if c["points"] > 0)

    def establish(self, key: str, *, kind: str, origin: str, reason: str) -> None:
        self._call("POST", f"/v1/origins/{kind}/{origin}/establish", key, json={"reason": reason})

    def ask(self, key: str, question: str) -> Mapping[str, Any]:  # the whole public answer
        return self._call("POST", "/v1/questions", key, json={"question": question})

    def alerts(self, key: str) -> tuple[AlertResult, ...]:
        page = self._call("GET", "/v1/alerts", key)
        return tuple(
            AlertResult(
                id=item["id"],
                name=item["name"],
                status=item["status"],
                severity=item["severity"],
                labels=item["labels"],
                annotations=item["annotations"],
                starts_at=item["starts_at"],
                suspects=tuple(one["document"] for one in item["suspects"]),
            )
            for item in page["items"]
        )

    def add_webhook(self, key: str, *, url: str, secret: str) -> None:
        body = {"url": url, "secret": secret, "event_types": ["alert.firing", "alert.resolved"]}
        self._call("POST", "/v1/webhooks", key, json=body)

    def _call(self, method: str, path: str, key: str, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
        try:
            response = self._http.request(
                method, path, headers={"Authorization": f"Bearer {key}"}, **parts
            )
            content: dict[str, Any] = response.json()
        except (httpx.HTTPError, ValueError) as exc:
            raise TransientError(f"{method} {path}: {type(exc).__name__}") from exc
        if response.is_error:
            detail = content.get("detail", "")
            raise TransientError(f"{method} {path}: {response.status_code} {detail}")
        return content
