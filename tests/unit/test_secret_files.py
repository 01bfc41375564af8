"""Settings handed over as files, and what hosts of one installation share."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.errors import ConfigurationError
from runtime.secrets import instance_secret
from runtime.settings import Settings, load_settings


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MITHRIDATE_CONFIG", raising=False)
    made = tmp_path / "secrets"
    made.mkdir()
    monkeypatch.setenv("MITHRIDATE_SECRETS_DIR", str(made))
    return made


def test_a_file_named_as_the_variable_gives_the_setting_without_its_newline(folder: Path) -> None:
    (folder / "MITHRIDATE_DATABASE__URL").write_text("postgresql://u:p@db/ledger\n")
    (folder / "mithridate_drafter__endpoint__api_key").write_text("k")
    (folder / "MITHRIDATE_AUDIT__FORMER_KEYS").write_text('["aa", "bb"]\n')

    settings = load_settings()

    assert settings.database.url is not None
    assert settings.database.url.get_secret_value() == "postgresql://u:p@db/ledger"
    assert settings.drafter.endpoint.api_key is not None
    assert [key.get_secret_value() for key in settings.audit.former_keys] == ["aa", "bb"]


def test_the_environment_wins_over_a_secret_file_and_that_over_the_settings_file(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "mithridate.toml").write_text(
        "[server]\nport = 9001\nhost = '127.0.0.2'\nworkers = 2\n"
    )
    (folder / "MITHRIDATE_SERVER__PORT").write_text("9002")
    (folder / "MITHRIDATE_SERVER__HOST").write_text("127.0.0.3")
    monkeypatch.setenv("MITHRIDATE_SERVER__PORT", "9003")

    server = load_settings().server

    assert (server.port, server.host, server.workers) == (9003, "127.0.0.3", 2)


def test_what_kubernetes_keeps_beside_the_secrets_is_passed_over(folder: Path) -> None:
    version = folder / "..2026_11_30"
    version.mkdir()
    (version / "MITHRIDATE_SERVER__PORT").write_text("9004")
    (folder / "..data").symlink_to(version)
    (folder / "MITHRIDATE_SERVER__PORT").symlink_to(Path("..data") / "MITHRIDATE_SERVER__PORT")

    assert load_settings().server.port == 9004


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("MITHRIDATE_SERVR__PORT", b"hunter2"),
        ("MITHRIDATE_SERVER__PROT", b"hunter2"),
        ("MITHRIDATE_SERVER__PORT", b"hunter2"),
        ("MITHRIDATE_DATABASE__URL", b"\xff\xfe hunter2"),
    ],
)
def test_a_wrong_secret_file_is_a_configuration_error_without_its_content(
    folder: Path, name: str, content: bytes
) -> None:
    (folder / name).write_bytes(content)

    with pytest.raises(ConfigurationError) as caught:
        load_settings()

    assert "hunter2" not in str(caught.value)


def test_a_secrets_folder_that_is_not_there_is_a_configuration_error(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setenv("MITHRIDATE_SECRETS_DIR", str(folder / "nowhere"))

    with pytest.raises(ConfigurationError, match="MITHRIDATE_SECRETS_DIR"):
        load_settings()


def test_hosts_that_are_given_one_instance_secret_share_it(tmp_path: Path) -> None:
    one, other = (
        Settings(data_dir=tmp_path / host, instance_secret="ab" * 32) for host in ("a", "b")
    )

    assert instance_secret(one) == instance_secret(other) == b"\xab" * 32
    assert not (tmp_path / "a" / "instance.secret").exists()


@pytest.mark.parametrize("given", ["ab" * 31, "xy" * 32, ""])
def test_an_instance_secret_that_is_none_is_refused_without_being_told(
    tmp_path: Path, given: str
) -> None:
    settings = Settings(data_dir=tmp_path, instance_secret=given)

    with pytest.raises(ConfigurationError) as caught:
        instance_secret(settings)

    assert not given or given not in str(caught.value)
