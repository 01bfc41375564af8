"""`config show`, `config check`, `doctor`: what is configured, and whether it would work."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, note, say, table

if TYPE_CHECKING:
    from runtime.settings import Settings

_USERINFO: Final = re.compile(r"(?<=://)[^/@\s]+(?=@)")
_MASK: Final = "**********"


def register(app: typer.Typer) -> None:
    config = typer.Typer(no_args_is_help=True, help="The configuration in force.")
    config.command("show")(show)
    config.command("check")(check)
    app.add_typer(config, name="config")
    app.command()(doctor)


def show(json_: Json = False) -> None:
    """Show every setting, where it comes from, secrets masked."""
    from runtime.settings import config_path, load_settings

    settings = load_settings()
    path = config_path(os.environ)
    values = dict(_flat(masked(settings)))
    written = None if path is None else dict(_flat(_read_toml(path)))
    sources = {name: _source(name, written or {}) for name in values}
    if json_:
        emit(
            {
                "file": str(path) if path else None,
                "settings": masked(settings),
                "sources": sources,
            }
        )
        return
    if path:
        note(f"file: {path}")
    table(("setting", "value", "from"), ((name, values[name], sources[name]) for name in values))


def check(json_: Json = False) -> None:
    """Check the configuration and the files that it names. Touches no service."""
    from domain.errors import ConfigurationError
    from gateway.cli.diagnosis import check_configuration
    from runtime.settings import load_settings

    problems = check_configuration(load_settings())
    if json_:
        emit({"ok": not problems, "problems": problems})
    if problems:
        raise ConfigurationError("; ".join(problems))
    if not json_:
        say("The configuration is valid.")


def doctor(json_: Json = False) -> None:
    """Check every dependency, and say how to mend what fails. Exit code 1 if one does."""
    from gateway.cli.diagnosis import diagnose
    from runtime.settings import load_settings

    checks = diagnose(load_settings())
    healthy = all(check.state != "failed" for check in checks)
    if json_:
        emit(
            {
                "ok": healthy,
                "checks": [
                    {
                        "name": check.name,
                        "state": check.state,
                        "detail": check.detail,
                        "mend": check.mend or None,
                    }
                    for check in checks
                ],
            }
        )
    else:
        table(
            ("check", "state", "detail", "to mend"),
            ((each.name, each.state, each.detail, each.mend) for each in checks),
        )
        facts({"in all": "healthy" if healthy else "something needs mending"})
    if not healthy:
        raise typer.Exit(FINDINGS)


def masked(settings: Settings) -> dict[str, object]:
    """Return the settings as JSON values, secrets and passwords in URLs masked."""
    tree: dict[str, object] = _masked(settings.model_dump(mode="json"))  # type: ignore[assignment]
    return tree


def _masked(value: object) -> object:
    if isinstance(value, dict):
        return {name: _masked(each) for name, each in value.items()}
    # SecretStr masks itself; a password may stand in a plain URL all the same.
    return _USERINFO.sub(_MASK, value) if isinstance(value, str) else value


def _flat(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _source(name: str, file: Mapping[str, object]) -> str:
    variable = f"MITHRIDATE_{name.upper().replace('.', '__')}"
    section = f"MITHRIDATE_{name.partition('.')[0].upper()}"
    if any(known.upper() == variable for known in os.environ):
        return "environment"
    # A whole section may be given as JSON.
    if section != variable and any(known.upper() == section for known in os.environ):
        return "environment"
    return "file" if name in file else "default"


def _read_toml(path: Path) -> Mapping[str, object]:
    with path.open("rb") as file:
        return tomllib.load(file)
