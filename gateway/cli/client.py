"""The gateway's HTTP API, as the commands call it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote, urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from domain.errors import (
    ConfigurationError,
    ConflictError,
    DocumentTooLargeError,
    ForbiddenError,
    InputError,
    MithridateError,
    NotFoundError,
    PermanentError,
    RateLimitedError,
    TransientError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from gateway.http.events import StageModel
from gateway.http.models_alerts import (
    AlertModel,
    AlertPage,
    CreatedWebhook,
    DeliveryList,
    DeliveryModel,
    ReplayedDeliveries,
    ReviewList,
    ReviewModel,
    RotatedWebhook,
    SilenceList,
    SilenceModel,
    WebhookList,
    WebhookModel,
)
from gateway.http.models_documents import DocumentModel, DocumentPage, ReceiptModel, ReportModel
from gateway.http.models_incidents import (
    DryRun,
    IncidentList,
    IncidentModel,
    IncidentReport,
)
from gateway.http.models_questions import AnswerModel, TraceModel
from gateway.http.models_topics import TopicList, TopicModel
from gateway.http.models_traces import TraceResult
from gateway.http.models_trust import (
    ExplanationModel,
    ReplayModel,
    SuppressionList,
    SuppressionModel,
)
from gateway.http.problems import Problem
from runtime.home import announced_url, local_admin_key

if TYPE_CHECKING:
    from datetime import datetime

    from runtime.settings import Settings

_M = TypeVar("_M", bound=BaseModel)

_ERRORS: Final[Mapping[int, type[MithridateError]]] = {
    HTTPStatus.UNAUTHORIZED: UnauthenticatedError,
    HTTPStatus.FORBIDDEN: ForbiddenError,
    HTTPStatus.NOT_FOUND: NotFoundError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: DocumentTooLargeError,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
    HTTPStatus.BAD_GATEWAY: PermanentError,
    HTTPStatus.SERVICE_UNAVAILABLE: TransientError,
    HTTPStatus.GATEWAY_TIMEOUT: TransientError,
}
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class GatewayClient:
    """One gateway, with one key. Every method raises a `MithridateError` of what went wrong."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def upload(
        self,
        path: Path,
        *,
        source_uri: str | None,
        labels: Mapping[str, str],
        logical_id: str | None = None,
        attestation: str | None = None,
    ) -> ReceiptModel:
        form = {"labels": json.dumps(dict(labels))}
        said = {"source_uri": source_uri, "logical_id": logical_id, "attestation": attestation}
        form |= {name: value for name, value in said.items() if value is not None}
        with path.open("rb") as file:
            files = {"file": (path.name, file, "application/octet-stream")}
            return self._send(ReceiptModel, "POST", "/v1/documents", data=form, files=files)

    def document(self, document_id: str) -> DocumentModel:
        return self._send(DocumentModel, "GET", f"/v1/documents/{_quoted(document_id)}")

    def documents(self, **filters: str | int | None) -> DocumentPage:
        return self._send(DocumentPage, "GET", "/v1/documents", params=_given(filters))

    def report(self, document_id: str) -> ReportModel:
        return self._send(ReportModel, "GET", f"/v1/documents/{_quoted(document_id)}/report")

    def decide(self, document_id: str, *, action: str, reason: str) -> DocumentModel:
        path = f"/v1/documents/{_quoted(document_id)}/decisions"
        body = {"action": action, "reason": reason}
        return self._send(DocumentModel, "POST", path, json_body=body)

    def delete_document(self, document_id: str) -> None:
        self._request("DELETE", f"/v1/documents/{_quoted(document_id)}")

    def explanation(self, document_id: str) -> ExplanationModel:
        path = f"/v1/policy/explanations/{_quoted(document_id)}"
        return self._send(ExplanationModel, "GET", path)

    def replay(self, policy: str, *, cursor: str | None, limit: int) -> ReplayModel:
        body = {"policy": policy, **_given({"cursor": cursor, "limit": limit})}
        return self._send(ReplayModel, "POST", "/v1/policy/replays", json_body=body)

    def add_suppression(self, *, expires_at: datetime, **body: str | int) -> SuppressionModel:
        said = {**body, "expires_at": expires_at.isoformat()}
        return self._send(SuppressionModel, "POST", "/v1/suppressions", json_body=said)

    def suppressions(self) -> SuppressionList:
        return self._send(SuppressionList, "GET", "/v1/suppressions")

    def remove_suppression(self, suppression_id: str, *, reason: str) -> SuppressionModel:
        path = f"/v1/suppressions/{_quoted(suppression_id)}/remove"
        return self._send(SuppressionModel, "POST", path, json_body={"reason": reason})

    def trace_back(self, **body: str) -> TraceResult:
        """Trace a `question_id` or an `alert_id`."""
        return self._send(TraceResult, "POST", "/v1/traces", json_body=body)

    def open_incident(self, body: Mapping[str, object]) -> DryRun:
        return self._send(DryRun, "POST", "/v1/incidents", json_body=body)

    def incidents(self) -> IncidentList:
        return self._send(IncidentList, "GET", "/v1/incidents")

    def incident_step(
        self, incident_id: str, step: str, body: Mapping[str, object]
    ) -> IncidentModel:
        """Take the step `approve`, `contain` or `undo`."""
        path = f"/v1/incidents/{_quoted(incident_id)}/{step}"
        return self._send(IncidentModel, "POST", path, json_body=body)

    def incident_report(self, incident_id: str) -> IncidentReport:
        path = f"/v1/incidents/{_quoted(incident_id)}/report"
        return self._send(IncidentReport, "GET", path)

    def ask(self, question: str, **options: str | int | None) -> AnswerModel:
        """Ask; `options` are the other members of the request's body, None for the default."""
        body = {"question": question, **_given(options)}
        return self._send(AnswerModel, "POST", "/v1/questions", json_body=body)

    def follow(
        self, question: str, **options: str | int | None
    ) -> Iterator[StageModel | AnswerModel]:
        """As `ask`, and yield each stage as it ends before the answer."""
        body = {"question": question, **_given(options)}
        headers = {"Accept": "text/event-stream"}
        with (
            self._reaching(),
            self._http.stream("POST", "/v1/questions", json=body, headers=headers) as response,
        ):
            if not response.is_success:
                response.read()
                raise _error(response)
            for name, text in _events(response.iter_lines()):
                yield self._read_event(name, text)
                if name == "answer":
                    return
        raise TransientError("the gateway ended the stream without an answer")

    def _read_event(self, name: str, text: str) -> StageModel | AnswerModel:
        try:
            if name == "stage":
                return StageModel.model_validate_json(text)
            if name == "answer":
                return AnswerModel.model_validate_json(text)
            problem = Problem.model_validate_json(text)
        except ValidationError as exc:
            raise PermanentError(
                f"{self._http.base_url} does not answer as a gateway does"
            ) from exc
        raise _error_of(problem.status, problem.detail)

    def trace(self, question_id: str) -> TraceModel:
        return self._send(TraceModel, "GET", f"/v1/questions/{_quoted(question_id)}")

    def topics(self) -> TopicList:
        return self._send(TopicList, "GET", "/v1/topics")

    def define_topic(self, *, name: str, about: Sequence[str], reason: str) -> TopicModel:
        said = {"name": name, "about": list(about), "reason": reason}
        return self._send(TopicModel, "POST", "/v1/topics", json_body=said)

    def remove_topic(self, topic_id: str, *, reason: str) -> TopicModel:
        path = f"/v1/topics/{_quoted(topic_id)}/remove"
        return self._send(TopicModel, "POST", path, json_body={"reason": reason})

    def alerts(self, **filters: str | int | None) -> AlertPage:
        return self._send(AlertPage, "GET", "/v1/alerts", params=_given(filters))

    def alert(self, alert_id: str) -> AlertModel:
        return self._send(AlertModel, "GET", f"/v1/alerts/{_quoted(alert_id)}")

    def acknowledge(self, alert_id: str) -> AlertModel:
        return self._send(AlertModel, "POST", f"/v1/alerts/{_quoted(alert_id)}/acknowledge")

    def add_silence(
        self,
        *,
        alert_id: str | None,
        matchers: Mapping[str, str] | None,
        reason: str,
        expires_at: datetime,
    ) -> SilenceModel:
        body: dict[str, object] = {"reason": reason, "expires_at": expires_at.isoformat()}
        body |= {} if alert_id is None else {"alert_id": alert_id}
        body |= {} if matchers is None else {"matchers": dict(matchers)}
        return self._send(SilenceModel, "POST", "/v1/silences", json_body=body)

    def silences(self) -> SilenceList:
        return self._send(SilenceList, "GET", "/v1/silences")

    def remove_silence(self, silence_id: str) -> SilenceModel:
        return self._send(SilenceModel, "POST", f"/v1/silences/{_quoted(silence_id)}/remove")

    def reviews(self, *, limit: int) -> ReviewList:
        return self._send(ReviewList, "GET", "/v1/reviews", params={"limit": limit})

    def close_review(self, question_id: str) -> ReviewModel:
        return self._send(ReviewModel, "POST", f"/v1/reviews/{_quoted(question_id)}/close")

    def add_webhook(
        self, url: str, *, event_types: list[str], secret: str | None
    ) -> CreatedWebhook:
        body = {"url": url, "event_types": event_types, **_given({"secret": secret})}
        return self._send(CreatedWebhook, "POST", "/v1/webhooks", json_body=body)

    def webhooks(self) -> WebhookList:
        return self._send(WebhookList, "GET", "/v1/webhooks")

    def remove_webhook(self, webhook_id: str) -> None:
        self._request("DELETE", f"/v1/webhooks/{_quoted(webhook_id)}")

    def rotate_webhook(self, webhook_id: str) -> RotatedWebhook:
        path = f"/v1/webhooks/{_quoted(webhook_id)}/rotate-secret"
        return self._send(RotatedWebhook, "POST", path, json_body={})

    def test_webhook(self, webhook_id: str) -> DeliveryModel:
        return self._send(DeliveryModel, "POST", f"/v1/webhooks/{_quoted(webhook_id)}/test")

    def enable_webhook(self, webhook_id: str) -> WebhookModel:
        return self._send(WebhookModel, "POST", f"/v1/webhooks/{_quoted(webhook_id)}/enable")

    def deliveries(self, webhook_id: str) -> DeliveryList:
        return self._send(DeliveryList, "GET", f"/v1/webhooks/{_quoted(webhook_id)}/deliveries")

    def replay_deliveries(
        self, webhook_id: str, *, delivery_id: str | None, since: str | None
    ) -> ReplayedDeliveries:
        path = f"/v1/webhooks/{_quoted(webhook_id)}/replays"
        body = _given({"delivery_id": delivery_id, "since": since})
        return self._send(ReplayedDeliveries, "POST", path, json_body=body)

    def _send(
        self,
        model: type[_M],
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        json_body: Mapping[str, object] | None = None,
        data: Mapping[str, str] | None = None,
        files: Mapping[str, object] | None = None,
    ) -> _M:
        response = self._request(
            method, path, params=params, json=json_body, data=data, files=files
        )
        try:
            return model.model_validate_json(response.content)
        except ValidationError as exc:
            raise PermanentError(
                f"{self._http.base_url} does not answer as a gateway does"
            ) from exc

    def _request(self, method: str, path: str, **parts: object) -> httpx.Response:
        with self._reaching():
            response = self._http.request(method, path, **parts)  # type: ignore[arg-type]
        if response.is_success:
            return response
        raise _error(response)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Turn what httpx says of a connection into what a person can act upon."""
        try:
            yield
        except httpx.TimeoutException as exc:
            raise TransientError(f"the gateway at {self._http.base_url} did not answer") from exc
        except httpx.TransportError as exc:
            raise TransientError(
                f"no gateway at {self._http.base_url} ({type(exc).__name__}); "
                "`mithridate up` starts one"
            ) from exc


@contextmanager
def open_client(settings: Settings) -> Iterator[GatewayClient]:
    """Connect to the configured gateway, else to the one that runs on the data folder.

    Raises:
        TransientError: None is configured and none runs.
        ConfigurationError: There is no key.
    """
    url = settings.client.url or announced_url(settings)
    if url is None:
        raise TransientError(
            f"no gateway runs on {str(settings.home)!r}; `mithridate up` starts one, "
            "or set MITHRIDATE_CLIENT__URL"
        )
    key = (
        settings.client.key.get_secret_value()
        if settings.client.key is not None
        # The local key is for the local gateway alone.
        else local_admin_key(settings)
        if settings.client.url is None
        else None
    )
    if not key:
        raise ConfigurationError("no API key; set MITHRIDATE_CLIENT__KEY")
    if not key.isascii() or any(char.isspace() for char in key):
        raise ConfigurationError("the API key has characters that no key of ours has")
    try:
        http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=settings.client.timeout_seconds,
            trust_env=urlsplit(url).hostname not in _LOOPBACK,
        )
    except (httpx.InvalidURL, ValueError) as exc:
        raise ConfigurationError("client.url is not a URL") from exc
    with http:
        yield GatewayClient(http)


def _error(response: httpx.Response) -> MithridateError:
    """Return the error that a problem+json body tells of."""
    try:
        problem = response.json()
        detail = str(problem["detail"])
        fields = problem.get("fields") or []
        told = [f"{'.'.join(map(str, f['location'][1:]))}: {f['message']}" for f in fields]
    except (ValueError, KeyError, TypeError, AttributeError):
        detail, told = f"the gateway answered {response.status_code}", []
    message = f"{detail} ({'; '.join(told)})" if told else detail
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        wait = response.headers.get("Retry-After", "")
        return RateLimitedError(
            message, retry_after_seconds=float(wait) if wait.isdecimal() else 1.0
        )
    return _error_of(response.status_code, message)


def _error_of(status: int, message: str) -> MithridateError:
    kind = _ERRORS.get(status)
    if kind is None:
        kind = PermanentError if status >= HTTPStatus.INTERNAL_SERVER_ERROR else InputError
    return kind(message)


def _events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield name and data of server-sent events; comments are skipped."""
    name, parts = "message", list[str]()
    for line in lines:
        if not line and parts:
            yield name, "\n".join(parts)
        if not line:
            name, parts = "message", []
        elif line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            parts.append(line.removeprefix("data:").removeprefix(" "))


def _given(values: Mapping[str, str | int | None]) -> dict[str, str | int]:
    return {name: value for name, value in values.items() if value is not None}


def _quoted(identifier: str) -> str:
    """One path segment, whatever was typed."""
    return quote(identifier, safe="")
