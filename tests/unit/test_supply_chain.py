"""Nothing is unpickled, and no model is loaded that is not the pinned one, to the byte."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256
from backends.instruction_classifier_onnx import SHIPPED_CLASSIFIER_SHA256
from backends.onnx_model import OnnxTextModel
from domain.errors import PermanentError
from runtime.settings import Settings
from workers.app import create_celery

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = (
    "backends",
    "benchmarks",
    "defences",
    "domain",
    "evaluation",
    "gateway",
    "ingest",
    "monitors",
    "runtime",
    "scripts",
    "tests",
    "workers",
)
UNPICKLERS: Final = frozenset(
    {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
)
SAFE_ARGUMENT: Final = {"np": ("allow_pickle", False), "torch": ("weights_only", True)}
"""What `load` of these must be told, in so many words."""
PICKLED_SUFFIXES: Final = frozenset({".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".ckpt"})
PINNED: Final = {
    "minilm-l6-int8": SHIPPED_MANIFEST_SHA256,
    "injection-minilm-int8": SHIPPED_CLASSIFIER_SHA256,
}
MODELS: Final = ROOT / "backends" / "models"


def shipped(pattern: str) -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob(pattern))


def unpickling(source: str) -> list[str]:
    """Return what in a module could run what a file says."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found += [one.name for one in names if one.name.partition(".")[0] in UNPICKLERS]
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in UNPICKLERS:
                found.append(module)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="load")) if (
                owner in SAFE_ARGUMENT
            ):
                name, value = SAFE_ARGUMENT[owner]
                told = {
                    one.arg: one.value.value
                    for one in node.keywords
                    if isinstance(one.value, ast.Constant)
                }
                if told.get(name) is not value:
                    found.append(f"{owner}.load without {name}={value}")
            case ast.Attribute(attr="read_pickle" | "to_pickle"):
                found.append(node.attr)
    return found


def test_no_module_of_ours_unpickles() -> None:
    found = {
        str(path.relative_to(ROOT)): faults
        for path in shipped("*.py")
        if (faults := unpickling(path.read_text(encoding="utf-8")))
    }

    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import joblib.numpy_pickle as np_",
        "from cloudpickle import loads",
        "def late():\n    import dill",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=flag)",
        "torch.load(path, map_location='cpu')",
        "frame.to_pickle(path)",
    ],
)
def test_a_module_that_unpickles_would_be_found(source: str) -> None:
    assert len(unpickling(source)) == 1


def test_no_file_of_ours_is_a_pickle_or_holds_one() -> None:
    for path in shipped("*"):
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        assert path.suffix not in PICKLED_SUFFIXES, path
        with path.open("rb") as file:
            start = file.read(4)
        assert not (start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05"), path
        if start == b"PK\x03\x04":
            with zipfile.ZipFile(path) as archive:
                inside = {Path(name).suffix for name in archive.namelist()}
            assert not inside & PICKLED_SUFFIXES, path


def test_arrays_that_ship_hold_numbers_alone() -> None:
    arrays = list(shipped("*.np[yz]"))
    for path in arrays:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as held:
            assert all(held[name].dtype.kind in "fiub" for name in held.files), path

    assert arrays


def test_jobs_are_json_and_nothing_else_is_taken() -> None:
    settings = create_celery(Settings(), broker_url="redis://localhost:1/0").conf

    assert settings.accept_content == ["json"]
    assert settings.result_accept_content == ["json"]
    assert settings.task_serializer == "json"


def listed_files() -> list[tuple[str, str]]:
    return [
        (path.parent.name, name)
        for path in sorted(MODELS.glob("*/manifest.json"))
        for name in sorted(json.loads(path.read_text(encoding="utf-8"))["files"])
    ]


def with_one_byte_changed(model: str, name: str, folder: Path) -> Path:
    for path in (MODELS / model).iterdir():
        if path.name != name:
            (folder / path.name).symlink_to(path)
    content = bytearray((MODELS / model / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize(("model", "name"), listed_files())
def test_a_model_file_with_one_byte_changed_is_refused(
    model: str, name: str, tmp_path: Path
) -> None:
    folder = with_one_byte_changed(model, name, tmp_path)
    loading = OnnxTextModel(model_dir=folder, manifest_sha256=PINNED[model])

    with pytest.raises(PermanentError, match="sha256"):
        loading.verified(name)


@pytest.mark.parametrize("model", sorted(PINNED))
def test_a_manifest_with_one_byte_changed_is_refused(model: str, tmp_path: Path) -> None:
    folder = with_one_byte_changed(model, "manifest.json", tmp_path)

    with pytest.raises(PermanentError, match="pinned"):
        OnnxTextModel(model_dir=folder, manifest_sha256=PINNED[model])


def test_every_model_that_ships_is_pinned_and_every_file_of_it_listed() -> None:
    assert {path.name for path in MODELS.iterdir() if path.is_dir()} == set(PINNED)
    for model in PINNED:
        files = {path.name for path in (MODELS / model).iterdir()}
        listed = {name for each, name in listed_files() if each == model}
        assert files - listed <= {"manifest.json", "NOTICE", "LICENSE", "README.md"}
