"""Reads an upload: a multipart form or a raw body with a media type."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from domain.errors import DocumentTooLargeError, InputError, UnsupportedMediaTypeError

MAX_TITLE: Final = 500
MAX_URI: Final = 2000
MAX_LABELS: Final = 32
MAX_LABEL_CHARS: Final = 200

_TEXT_FIELDS: Final = ("title", "source_uri")

UPLOAD_BODY: Final[dict[str, Any]] = {
    "parameters": [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": f"{name} of a raw body; in a form it is a field",
            "schema": {"type": "string", "maxLength": limit},
        }
        for name, limit in (
            ("title", MAX_TITLE),
            ("source_uri", MAX_URI),
            ("file_name", 255),
            ("labels", 10_000),
        )
    ],
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "title": {"type": "string", "maxLength": MAX_TITLE},
                        "source_uri": {"type": "string", "maxLength": MAX_URI},
                        "labels": {
                            "type": "string",
                            "description": "JSON object of strings",
                        },
                    },
                }
            },
            **{
                media_type: {"schema": {"type": "string", "format": "binary"}}
                for media_type in (
                    "text/plain",
                    "text/markdown",
                    "text/html",
                    "application/pdf",
                    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                    "message/rfc822",
                    "application/octet-stream",
                )
            },
        },
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """Bytes and what their uploader says of them: claims, all of it."""

    content: bytes
    media_type: str | None
    file_name: str | None
    title: str | None
    source_uri: str | None
    labels: Mapping[str, str]


async def read_upload(request: Request, *, max_bytes: int) -> Upload:
    """Read the body, at most `max_bytes` of document.

    Raises:
        DocumentTooLargeError: The document is larger.
        UnsupportedMediaTypeError: No content type, or `application/x-www-form-urlencoded`.
        InputError: The form is malformed, a field is too long, or the document is empty.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "multipart/form-data":
        upload = await _form(request)
    elif not media_type or media_type == "application/x-www-form-urlencoded":
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
    return upload


async def _raw(request: Request, media_type: str) -> Upload:
    query = request.query_params
    return _upload(
        content=await request.body(),
        media_type=None if media_type == "application/octet-stream" else media_type,
        file_name=query.get("file_name"),
        fields={name: query.get(name) for name in _TEXT_FIELDS},
        labels=query.get("labels"),
    )


async def _form(request: Request) -> Upload:
    try:
        async with request.form(max_files=1, max_fields=8) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InputError("the form needs one field `file` with the document")
            texts = {name: form.get(name) for name in (*_TEXT_FIELDS, "labels")}
            if any(isinstance(value, UploadFile) for value in texts.values()):
                raise InputError("title, source_uri and labels must be text fields")
            claimed = (file.content_type or "").partition(";")[0].strip().lower()
            return _upload(
                content=await file.read(),
                media_type=None if claimed in {"", "application/octet-stream"} else claimed,
                file_name=file.filename,
                fields={name: _text(texts[name]) for name in _TEXT_FIELDS},
                labels=_text(texts["labels"]),
            )
    except MultiPartException as exc:
        raise InputError(f"the form is malformed: {exc.message}") from exc


def _upload(
    *,
    content: bytes,
    media_type: str | None,
    file_name: str | None,
    fields: Mapping[str, str | None],
    labels: str | None,
) -> Upload:
    return Upload(
        content=content,
        media_type=_bounded("media type", media_type, 200),
        file_name=_bounded("file_name", _base_name(file_name), 255),
        title=_bounded("title", fields["title"], MAX_TITLE),
        source_uri=_bounded("source_uri", fields["source_uri"], MAX_URI),
        labels=_labels(labels),
    )


def _text(value: UploadFile | str | None) -> str | None:
    return value if isinstance(value, str) else None


def _base_name(name: str | None) -> str | None:
    return name.replace("\\", "/").rpartition("/")[2] if name else None


def _bounded(name: str, value: str | None, limit: int) -> str | None:
    if value is None or not value.strip():
        return None
    if len(value) > limit:
        raise InputError(f"{name} has {len(value)} characters, limit is {limit}")
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in value):
        raise InputError(f"{name} has control characters")
    return value


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
        _bounded("a label's name", key, MAX_LABEL_CHARS)
        _bounded("a label", value, MAX_LABEL_CHARS)
    return labels
