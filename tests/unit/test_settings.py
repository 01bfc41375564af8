from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from domain.errors import ConfigurationError
from runtime.settings import Settings, load_settings

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"


def paths(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from paths(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MITHRIDATE_CONFIG", raising=False)


@pytest.mark.parametrize("path", list(paths(Settings)))
def test_every_setting_is_documented(path: str) -> None:
    assert f"`{path}`" in DOCS.read_text(encoding="utf-8")


def test_environment_wins_over_file_and_file_over_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[server]\nport = 9001\nhost = '127.0.0.2'\n", encoding="utf-8")
    monkeypatch.setenv("MITHRIDATE_CONFIG", str(file))
    monkeypatch.setenv("MITHRIDATE_SERVER__PORT", "9002")

    settings = load_settings()

    assert (settings.server.port, settings.server.host) == (9002, "127.0.0.2")
    assert settings.server.max_body_bytes == 20_000_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MITHRIDATE_SERVR__PORT", "1"),
        ("MITHRIDATE_SERVER__PROT", "1"),
        ("MITHRIDATE_SERVER__PORT", "many"),
        ("MITHRIDATE_SERVER__PORT", "70000"),
        ("MITHRIDATE_VECTORS__BACKEND", "faiss"),
        ("MITHRIDATE_CONFIG", "/nowhere/settings.toml"),
        ("MITHRIDATE_GUARD__TAU", "1.5"),
    ],
)
def test_a_wrong_variable_is_a_configuration_error_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationError):
        load_settings()


@pytest.mark.parametrize("content", ["[server]\nprot = 1\n", "colour = 'red'\n", "not toml at all"])
def test_a_wrong_file_is_a_configuration_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(content, encoding="utf-8")
    monkeypatch.setenv("MITHRIDATE_CONFIG", str(file))

    with pytest.raises(ConfigurationError):
        load_settings()


def test_a_secret_is_in_no_error_and_no_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MITHRIDATE_QUEUE__URL", "redis://:hunter2@localhost/0")
    monkeypatch.setenv("MITHRIDATE_SERVER__PORT", "hunter2")

    with pytest.raises(ConfigurationError) as caught:
        load_settings()

    assert "hunter2" not in str(caught.value)
    monkeypatch.delenv("MITHRIDATE_SERVER__PORT")
    assert "hunter2" not in load_settings().model_dump_json()
