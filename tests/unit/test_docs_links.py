"""What the pages name is there: files, headings, tests, commands and their options, settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest
from typer.main import get_command

from gateway.cli.app import app

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
pages = pytest.mark.parametrize("path", PAGES, ids=[str(path.relative_to(ROOT)) for path in PAGES])


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"(?m)^#+ (.+)$", path.read_text("utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pages
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


@pages
def test_every_test_and_script_that_is_named_exists(path: Path) -> None:
    named = re.findall(
        r"`((?:tests|scripts|deploy)/[\w./*-]+?)(?:::\w+)?`", path.read_text("utf-8")
    )

    for name in named:
        made_by_operators = name.startswith(("deploy/secrets", "deploy/models"))
        assert made_by_operators or list(ROOT.glob(name.rstrip("/"))), name


def commands_of(text: str) -> list[list[str]]:
    """Return the command lines of fenced blocks and of inline code, in words."""
    whole = re.sub(r"\\\n\s*", " ", text)
    fenced = re.findall(r"(?ms)^ *```\w*\n(.*?)^ *```", whole)
    lines = [
        line for block in fenced for line in re.findall(r"(?m)^[ \w./]*\bmithridate (.+)$", block)
    ]
    lines += re.findall(r"`mithridate ([^`]+)`", re.sub(r"(?ms)^ *```.*?^ *```", "", whole))
    return [re.split(r" [#|&>;]|;", line)[0].split() for line in lines]


@pages
def test_every_command_and_option_that_is_named_exists(path: Path) -> None:
    for words in commands_of(path.read_text("utf-8")):
        command: Any = get_command(app)
        left = [word.strip("[],") for word in words]
        while hasattr(command, "commands") and left and not left[0].startswith("-"):
            choices = left.pop(0).split("|")
            assert set(choices) <= set(command.commands), words
            command = command.commands[choices[0]]
        known = {option for each in command.params for option in each.opts + each.secondary_opts}
        options = {word.partition("=")[0] for word in left if word.startswith("--")}
        assert options <= known | {"--help"}, words


def test_commands_and_options_are_found_in_text() -> None:
    text = "`mithridate ask --m 3`\n\n```sh\n.venv/bin/mithridate keys create \\\n  --name x  # why\n```\n"

    assert commands_of(text) == [["keys", "create", "--name", "x"], ["ask", "--m", "3"]]
