"""The committed OpenAPI document is the application's own, valid, and says what every route does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis

from gateway.http.openapi import render
from ingest.parsers.registry import MEDIA_TYPES

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}
OPEN = {"/healthz", "/readyz", "/metrics"}
OPENAI = ("/v1/chat/", "/v1/models")
OPENAI_ERROR = {"$ref": "#/components/schemas/OpenAIError"}
PROBLEM = {"$ref": "#/components/schemas/Problem"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    rendered: dict[str, Any] = json.loads(render())
    return rendered


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method in METHODS & set(item):
            yield f"{method.upper()} {path}", item[method]


def test_the_committed_document_is_the_rendered_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == render(), "run `make openapi`"


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(document).validate()


def test_every_error_of_every_route_is_a_problem_or_in_openais_shape(
    document: dict[str, Any],
) -> None:
    for name, operation in operations(document):
        errors = {code: r for code, r in operation["responses"].items() if code >= "400"}
        assert {"400", "401", "403", "404", "405", "409", "413", "415", "422", "429"} < set(errors)
        for code, response in errors.items():
            if name == "GET /readyz" and code == "503":
                continue  # what it is for: the state of each dependency
            content = {"application/problem+json": {"schema": PROBLEM}}
            if name.partition(" ")[2].startswith(OPENAI):
                content = {"application/json": {"schema": OPENAI_ERROR}}
            assert response["content"] == content, f"{name} {code}"


def test_every_operation_has_a_summary_a_name_of_its_own_and_a_tag(
    document: dict[str, Any],
) -> None:
    found = [operation for _, operation in operations(document)]

    assert all(operation["summary"] for operation in found)
    assert all(operation["tags"] for operation in found)
    assert len({operation["operationId"] for operation in found}) == len(found)


def test_every_operation_needs_a_key_but_those_for_orchestrators(document: dict[str, Any]) -> None:
    schemes = document["components"]["securitySchemes"]
    assert [scheme["scheme"] for scheme in schemes.values()] == ["bearer"]

    for name, operation in operations(document):
        if name.partition(" ")[2] in OPEN:
            assert "security" not in operation
        else:
            assert operation["security"] == [{key: []} for key in schemes], name


def test_no_answer_is_open_ended(document: dict[str, Any]) -> None:
    """FastAPI's own error bodies must not be left in: no route answers with them."""
    schemas = document["components"]["schemas"]

    assert "HTTPValidationError" not in schemas
    text = json.dumps(document)
    for name in schemas:
        assert f"#/components/schemas/{name}" in text, f"{name} is used nowhere"


def test_the_document_holds_nothing_of_the_machine_it_was_made_on() -> None:
    text = render()

    assert "servers" not in json.loads(text)
    assert str(Path.cwd()) not in text
    assert str(Path.home()) not in text


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/scans"])
def test_the_upload_lists_every_type_that_a_parser_takes(
    document: dict[str, Any], path: str
) -> None:
    listed = document["paths"][path]["post"]["requestBody"]["content"].keys()

    assert listed == {*MEDIA_TYPES, "multipart/form-data", "application/octet-stream"}
