"""`/v1/documents`: upload, look, decide, delete."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Final

import structlog
from fastapi import APIRouter, BackgroundTasks, Header, Path, Query, Request, Response, status

from domain.access import Principal, Scope
from domain.documents import DocumentId, DocumentStatus, OriginKind, OriginRef
from domain.errors import (
    ConflictError,
    ForbiddenError,
    MithridateError,
    NotFoundError,
    TransientError,
)
from domain.ledger import (
    DocumentFilter,
    DocumentRecord,
    IdempotencyClaim,
    NewDocument,
    Receipt,
)
from gateway.http.auth import Reader, Reviewer, Writer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import (
    IDENTIFIER,
    ORIGIN,
    AssessmentModel,
    DecisionRequest,
    DocumentModel,
    DocumentPage,
    ReceiptModel,
    ReportModel,
)
from gateway.http.parameters import Cursor, Limit
from gateway.http.uploads import UPLOAD_BODY, Upload, attestation_of, read_upload
from ingest.originals import store_original
from ingest.publishers import Attribution
from runtime.wiring import Services

router = APIRouter(prefix="/v1/documents", tags=["documents"])

LOCATION: Final = {
    "Location": {
        "description": "path of the document",
        "required": True,
        "schema": {"type": "string", "pattern": r"^/v1/documents/[A-Za-z0-9_-]{1,64}$"},
    }
}

_LEASE_SECONDS: Final = 60.0
_CONTAINED: Final = frozenset({DocumentStatus.QUARANTINED, DocumentStatus.REJECTED})

DocumentIdPath = Annotated[str, Path(pattern=IDENTIFIER)]
IdempotencyKey = Annotated[str | None, Header(min_length=1, max_length=255)]


@router.post(
    "",
    status_code=status.HTTP_202_ACCEPTED,
    openapi_extra=UPLOAD_BODY,
    responses={202: {"headers": LOCATION}},
    summary="Upload a document",
)
async def upload(
    request: Request,
    response: Response,
    background: BackgroundTasks,
    services: ServicesDependency,
    principal: Writer,
    idempotency_key: IdempotencyKey = None,
) -> ReceiptModel:
    """Take a document and answer before it is scanned; `Location` tells where its verdict will be."""
    if principal.origin is None:
        raise ForbiddenError("the key is bound to no origin, so nothing can be uploaded with it")
    await services.pressure.require_room(principal.tenant_id)
    uploaded = await read_upload(request, max_bytes=services.settings.server.max_body_bytes)
    whose = await services.trust.publishers.attribute(
        principal.tenant_id, principal.origin, attestation_of(uploaded)
    )
    receipt = await _receive(services, principal, whose, uploaded, idempotency_key)
    response.headers["Location"] = f"/v1/documents/{receipt.record.id}"
    # After the answer: the entry is in the outbox, so a broker that is down loses nothing.
    background.add_task(_publish, services)
    return ReceiptModel(id=receipt.record.id, status=receipt.record.status, created=receipt.created)


@router.get("", summary="List documents; status=quarantined is the review queue")
async def list_documents(
    services: ServicesDependency,
    principal: Reader,
    document_status: Annotated[DocumentStatus | None, Query(alias="status")] = None,
    origin: Annotated[str | None, Query(pattern=ORIGIN)] = None,
    rule: Annotated[
        str | None, Query(max_length=100, pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)?$")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> DocumentPage:
    """List newest first. A key without the reviewer's scope sees its own origin's documents."""
    reviewer = principal.allows(Scope.QUARANTINE_REVIEW)
    wanted = _origin(origin) if origin is not None else None
    if not reviewer:
        if rule is not None:
            raise ForbiddenError("filtering by rule needs the scope quarantine:review")
        if principal.origin is None or (wanted is not None and wanted != principal.origin):
            return DocumentPage(items=[], next_cursor=None)
        wanted = principal.origin
    page = await services.ledger.documents.list(
        principal.tenant_id,
        DocumentFilter(status=document_status, origin=wanted, rule=rule),
        cursor=cursor,
        limit=limit,
    )
    return DocumentPage(
        items=[DocumentModel.of(record, reviewer=reviewer) for record in page.items],
        next_cursor=page.next_cursor,
    )


@router.get("/{document_id}", summary="Status, verdict and coarse reason")
async def get_document(
    services: ServicesDependency, principal: Reader, document_id: DocumentIdPath
) -> DocumentModel:
    record = await _visible(services, principal, document_id)
    return DocumentModel.of(record, reviewer=principal.allows(Scope.QUARANTINE_REVIEW))


@router.get("/{document_id}/report", summary="Everything the scan said")
async def get_report(
    services: ServicesDependency, principal: Reviewer, document_id: DocumentIdPath
) -> ReportModel:
    record = await _visible(services, principal, document_id)
    stored = await services.ledger.documents.stored_assessment(principal.tenant_id, record.id)
    return ReportModel(
        document=DocumentModel.of(record, reviewer=True),
        assessment=AssessmentModel.of(stored) if stored is not None else None,
    )


@router.post("/{document_id}/decisions", summary="Release or reject, with a reason")
async def decide(
    services: ServicesDependency,
    principal: Reviewer,
    document_id: DocumentIdPath,
    decision: DecisionRequest,
) -> DocumentModel:
    """Both are journalled and reversible, and reach the index before this answers."""
    record = await services.review.decide(
        principal.tenant_id,
        DocumentId(document_id),
        action=decision.action,
        reason=decision.reason,
        actor=principal.actor,
    )
    return DocumentModel.of(record, reviewer=True)


@router.delete(
    "/{document_id}", status_code=status.HTTP_204_NO_CONTENT, summary="Delete a document"
)
async def delete(
    services: ServicesDependency, principal: Reader, document_id: DocumentIdPath
) -> None:
    """Index, families and blob go; the journal stays.

    A writer deletes what its origin uploaded, but not what was held or rejected: that is evidence.
    """
    record = await _visible(services, principal, document_id)
    if (record.status in _CONTAINED or record.rescans) and not principal.allows(
        Scope.QUARANTINE_REVIEW
    ):
        # Else who is caught would take the evidence back, and the memory of the text with it.
        raise ForbiddenError("a document that was held or rejected is deleted by a reviewer")
    await services.review.delete(principal.tenant_id, record.id, actor=principal.actor)


async def _visible(services: Services, principal: Principal, document_id: str) -> DocumentRecord:
    """Return the record; what a writer may not see is not found, so that ids tell nothing."""
    record = await services.ledger.documents.get(principal.tenant_id, DocumentId(document_id))
    if principal.allows(Scope.QUARANTINE_REVIEW) or record.origin == principal.origin:
        return record
    raise NotFoundError(f"no document {document_id!r}")


async def _receive(
    services: Services,
    principal: Principal,
    whose: Attribution,
    uploaded: Upload,
    idempotency_key: str | None,
) -> Receipt:
    said = whose.publication
    new = NewDocument(
        id=DocumentId(services.ids.new("doc")),
        tenant_id=principal.tenant_id,
        origin=whose.origin,
        sha256=uploaded.sha256,
        size_bytes=len(uploaded.content),
        media_type=uploaded.media_type,
        file_name=uploaded.file_name,
        title=uploaded.title,
        source_uri=uploaded.source_uri,
        labels=uploaded.labels,
        received_at=services.clock.now(),
        actor=principal.actor,
        logical_id=uploaded.logical_id if said is None else said.logical_id,
        publication=said,
        signature=whose.signature,
        bulk=await services.pressure.is_bulk(principal.tenant_id, principal.origin or whose.origin),
    )
    if idempotency_key is None:
        return await _store(services, new, uploaded, claim=None)
    claim = IdempotencyClaim(
        key=idempotency_key, key_id=principal.key_id, request_hash=_request_hash(new)
    )
    name = f"idempotency:{principal.key_id}:{hashlib.sha256(idempotency_key.encode()).hexdigest()}"
    try:
        held = await services.lock.acquire(name, lease_seconds=_LEASE_SECONDS)
    except TransientError:
        # The ledger keeps uploads single without the lock, which only says "in flight".
        return await _store(services, new, uploaded, claim=claim)
    if not held:
        raise ConflictError("a request with this Idempotency-Key is being handled")
    try:
        return await _store(services, new, uploaded, claim=claim)
    finally:
        await services.release_quietly(name)


async def _publish(services: Services) -> None:
    """Hand over what the outbox holds; where that fails the sweeper does it later."""
    try:
        await services.relay.publish_pending()
    except MithridateError as exc:
        structlog.get_logger("gateway.http").warning("publishing_put_off", code=exc.code)


async def _store(
    services: Services, new: NewDocument, uploaded: Upload, *, claim: IdempotencyClaim | None
) -> Receipt:
    return await store_original(
        new,
        uploaded.content,
        claim=claim,
        blobs=services.blobs,
        documents=services.ledger.documents,
    )


def _request_hash(new: NewDocument) -> str:
    matter: list[Any] = [
        str(new.origin),
        new.sha256,
        new.media_type,
        new.file_name,
        new.title,
        new.source_uri,
        sorted(new.labels.items()),
        new.logical_id,
        None if new.publication is None else new.publication.version,
        new.signature,
    ]
    return hashlib.sha256(json.dumps(matter).encode()).hexdigest()


def _origin(text: str) -> OriginRef:
    kind, _, name = text.partition(":")
    return OriginRef(kind=OriginKind(kind), id=name)
