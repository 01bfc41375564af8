"""Reads an upload: a multipart form or a raw body with a media type."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi import Request
from starlette.datastructures import UploadFile

from defences.trust.signing import require_logical_id
from domain.errors import DocumentTooLargeError, InputError, UnsupportedMediaTypeError
from domain.publishing import Attestation
from gateway.http.attestations import LOGICAL_ID, MAX_LOGICAL_ID, read_attestation
from gateway.http.models_documents import LINE, NAMED_LINE, ORIGIN_ID
from ingest.parsers.sniff import (
    CSV,
    DOCX,
    EPUB,
    HTML,
    JSON,
    MAIL,
    MARKDOWN,
    PDF,
    PLAIN,
    PPTX,
    XLSX,
)

MAX_TITLE: Final = 500
MAX_URI: Final = 2000
MAX_FILE_NAME: Final = 255
MAX_LABELS: Final = 32
MAX_LABEL_CHARS: Final = 200

MAX_ATTESTATION: Final = 4000

_TEXT_FIELDS: Final = frozenset({"title", "source_uri", "labels", "logical_id", "attestation"})
_NAME: Final = r"[a-z0-9!#$&^_.+-]{1,127}"
_MEDIA_TYPE: Final = re.compile(f"{_NAME}/{_NAME}")

_LABELS: Final[dict[str, Any]] = {
    "type": "object",
    "maxProperties": MAX_LABELS,
    "propertyNames": {"maxLength": MAX_LABEL_CHARS, "pattern": NAMED_LINE},
    "additionalProperties": {"type": "string", "maxLength": MAX_LABEL_CHARS, "pattern": LINE},
}
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "title": {"type": "string", "maxLength": MAX_TITLE, "pattern": LINE},
    "source_uri": {"type": "string", "maxLength": MAX_URI, "pattern": LINE},
    # A form sends a field that nobody filled in as well.
    "logical_id": {"anyOf": [{"const": ""}, {"type": "string", "pattern": LOGICAL_ID}]},
}
_ATTESTATION: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["publisher", "logical_id", "version", "expires_at", "signature"],
    "properties": {
        "publisher": {"type": "string", "pattern": ORIGIN_ID},
        "logical_id": {"type": "string", "maxLength": MAX_LOGICAL_ID, "pattern": LOGICAL_ID},
        "version": {"type": "integer", "minimum": 0, "maximum": 2**53},
        "expires_at": {"type": "string", "format": "date-time"},
        "signature": {
            "type": "string",
            "pattern": "^[A-Za-z0-9+/]{86}==$",
            "description": "Ed25519, base64; `mithridate publishers sign` makes it",
        },
    },
    "additionalProperties": False,
}
_FILE_NAME: Final[dict[str, Any]] = {"type": "string", "maxLength": MAX_FILE_NAME, "pattern": LINE}

UPLOAD_BODY: Final[dict[str, Any]] = {
    "parameters": [
        *(
            {
                "name": name,
                "in": "query",
                "required": False,
                "description": f"{name} of the document; what a form says goes before it",
                "schema": schema,
            }
            for name, schema in (*_FIELDS.items(), ("file_name", _FILE_NAME))
        ),
        {
            "name": "labels",
            "in": "query",
            "required": False,
            "description": "JSON object of strings; what a form says goes before it",
            "content": {"application/json": {"schema": _LABELS}},
        },
        {
            "name": "attestation",
            "in": "query",
            "required": False,
            "description": "a publisher's signature; what a form says goes before it",
            "content": {"application/json": {"schema": _ATTESTATION}},
        },
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "minLength": 1},
                        **_FIELDS,
                        "labels": _LABELS,
                        "attestation": _ATTESTATION,
                    },
                    "additionalProperties": False,
                },
                "encoding": {
                    "labels": {"contentType": "application/json"},
                    "attestation": {"contentType": "application/json"},
                },
            },
            **{
                media_type: {"schema": {"type": "string", "minLength": 1}}
                for media_type in (PLAIN, MARKDOWN, HTML)
            },
            **{
                media_type: {"schema": {"type": "string", "format": "binary", "minLength": 1}}
                for media_type in (
                    PDF,
                    DOCX,
                    PPTX,
                    XLSX,
                    EPUB,
                    MAIL,
                    CSV,
                    "application/octet-stream",
                )
            },
            JSON: {"schema": {"description": "any JSON, or JSON lines, is a document"}},
        },
    },
}
"""The upload's part of the OpenAPI document. Other media types are taken too: what a document is
gets decided by its content, and what no parser takes waits in quarantine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Bytes and what their uploader says of them: claims, all of it."""

    content: bytes
    media_type: str | None
    file_name: str | None
    title: str | None
    source_uri: str | None
    labels: Mapping[str, str]
    logical_id: str | None = None
    attestation: str | None = None
    """JSON, not read yet: `attestation_of` does."""
    sha256: str = ""
    """Of `content`, in hex; empty until the body is read."""


async def read_upload(request: Request, *, max_bytes: int) -> Upload:
    """Read the body, at most `max_bytes` of document.

    Raises:
        DocumentTooLargeError: The document is larger.
        UnsupportedMediaTypeError: No content type, none that is one, or
            `application/x-www-form-urlencoded`.
        InputError: A field is missing, unknown, too long or malformed, or the document is empty.
        HTTPException: The form is malformed (400), or the body over the limit (413).
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "multipart/form-data":
        upload = await _form(request)
    elif not _is_document_type(media_type):
        raise UnsupportedMediaTypeError(
            "send multipart/form-data, or the document as the body with its media type"
        )
    else:
        upload = await _raw(request, media_type)
    if not upload.content:
        raise InputError("the document is empty")
    if len(upload.content) > max_bytes:
        raise DocumentTooLargeError(
            f"document is {len(upload.content)} bytes, limit is {max_bytes}"
        )
    return replace(upload, sha256=hashlib.sha256(upload.content).hexdigest())


def attestation_of(upload: Upload) -> Attestation | None:
    """Return what a publisher says of these very bytes.

    Raises:
        InputError: It is malformed. Whether its signature verifies is another matter.
    """
    if upload.attestation is None:
        return None
    return read_attestation(upload.attestation, sha256=upload.sha256)


async def _raw(request: Request, media_type: str) -> Upload:
    claimed = _claim(media_type)
    said = _said(request.query_params)
    return replace(said, content=await request.body(), media_type=claimed)


async def _form(request: Request) -> Upload:
    beside = _said(request.query_params)
    try:
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InputError("the form needs one field `file` with the document")
            texts = {name: value for name, value in form.items() if isinstance(value, str)}
            if not _TEXT_FIELDS.issuperset(texts) or len(texts) + 1 != len(form):
                raise InputError(
                    f"a form has `file` and the texts {', '.join(sorted(_TEXT_FIELDS))}"
                )
            within = _said({**texts, "file_name": file.filename or ""})
            claimed = (file.content_type or "").partition(";")[0].strip().lower()
            return Upload(
                content=await file.read(),
                media_type=_claim(claimed) if claimed else None,
                # What a form says of its file goes before what the query says.
                file_name=within.file_name or beside.file_name,
                title=within.title or beside.title,
                source_uri=within.source_uri or beside.source_uri,
                labels=within.labels or beside.labels,
                logical_id=within.logical_id or beside.logical_id,
                attestation=within.attestation or beside.attestation,
            )
    except UnicodeError as exc:
        # Some codecs that a form may name as its charset fail in ways of their own.
        raise InputError("a text field of the form cannot be decoded") from exc


def _said(texts: Mapping[str, str]) -> Upload:
    """Return what is said of a document that is still to be read."""
    return Upload(
        content=b"",
        media_type=None,
        file_name=_base_name(_bounded("file_name", texts.get("file_name"), MAX_FILE_NAME)),
        title=_bounded("title", texts.get("title"), MAX_TITLE),
        source_uri=_bounded("source_uri", texts.get("source_uri"), MAX_URI),
        labels=_labels(texts.get("labels")),
        logical_id=_logical_id(texts.get("logical_id")),
        attestation=_attestation(texts.get("attestation")),
    )


def _logical_id(text: str | None) -> str | None:
    if not text:
        return None
    require_logical_id(text)
    return text


def _attestation(text: str | None) -> str | None:
    if text is not None and len(text) > MAX_ATTESTATION:
        raise InputError(f"attestation has {len(text)} characters, limit is {MAX_ATTESTATION}")
    return text if text and text.strip() else None


def _is_document_type(media_type: str) -> bool:
    return (
        _MEDIA_TYPE.fullmatch(media_type) is not None
        and media_type != "application/x-www-form-urlencoded"
    )


def _claim(media_type: str) -> str | None:
    """Return the type claimed for the document; None where the claim says nothing.

    Raises:
        UnsupportedMediaTypeError: It is no media type.
    """
    if not _is_document_type(media_type):
        raise UnsupportedMediaTypeError("the file's content type is no media type of a document")
    return None if media_type == "application/octet-stream" else media_type


def _base_name(name: str | None) -> str | None:
    return name.replace("\\", "/").rpartition("/")[2] if name else None


def _bounded(name: str, value: str | None, limit: int) -> str | None:
    if value is None:
        return None
    if len(value) > limit:
        raise InputError(f"{name} has {len(value)} characters, limit is {limit}")
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in value):
        raise InputError(f"{name} has control characters")
    return value if value.strip() else None


def _labels(text: str | None) -> Mapping[str, str]:
    if text is None or not text.strip():
        return {}
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InputError("labels must be a JSON object of strings") from exc
    if not isinstance(labels, dict) or not all(isinstance(v, str) for v in labels.values()):
        raise InputError("labels must be a JSON object of strings")
    if len(labels) > MAX_LABELS:
        raise InputError(f"{len(labels)} labels, limit is {MAX_LABELS}")
    for key, value in labels.items():
        if _bounded("a label's name", key, MAX_LABEL_CHARS) is None:
            raise InputError("a label's name is blank")
        _bounded("a label", value, MAX_LABEL_CHARS)
    return labels
