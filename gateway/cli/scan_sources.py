"""What `scan` reads: files, folders, standard input, JSON lines. One source a document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from domain.errors import InputError
from gateway.cli.commands_client import walk

STDIN: Final = "-"

INVALID_LINE: Final = "parsing.invalid-line"
NOT_READ: Final = "parsing.unreadable"
TOO_LARGE: Final = "parsing.too-large"

_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document to scan, or why there is none.

    Attributes:
        id: As given, or the path; `line 3` where a line gives none.
        dropped: Code points of the input text that reading drops before the first (a byte order
            mark), so that spans can be given in the input's own count.
        problem: Rule and message where nothing could be read; `content` is then empty.
    """

    id: str | int
    content: bytes = b""
    file_name: str | None = None
    dropped: int = 0
    problem: tuple[str, str] | None = None


def from_paths(paths: Sequence[Path], *, max_bytes: int) -> Iterator[Source]:
    """Yield the files, folders walked, `-` as standard input.

    Raises:
        InputError: A path is not there.
    """
    for path in paths:
        if str(path) == STDIN:
            yield from_stream(sys.stdin.buffer, max_bytes=max_bytes)
        else:
            for file in walk([path]):
                yield from_file(file, id=str(file), max_bytes=max_bytes)


def from_stream(stream: BinaryIO, *, max_bytes: int) -> Source:
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        return _too_large(STDIN, max_bytes)
    return Source(id=STDIN, content=content)


def from_file(path: Path, *, id: str | int, max_bytes: int) -> Source:
    try:
        if not path.is_file():
            return Source(id=id, problem=(NOT_READ, "there is no such file"))
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "not a path"
        return Source(id=id, problem=(NOT_READ, f"the file cannot be read: {why}"))
    if len(content) > max_bytes:
        return _too_large(id, max_bytes)
    return Source(id=id, content=content, file_name=path.name)


def from_json_lines(name: str, *, max_bytes: int) -> Iterator[Source]:
    """Yield a source for every line that is not blank.

    Raises:
        InputError: The file cannot be read.
    """
    if name == STDIN:
        yield from _lines(sys.stdin.buffer, Path(), max_bytes)
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below, where reading is not ours to judge
    except OSError as exc:
        raise InputError(f"{name!r} cannot be read: {exc.strerror}") from exc
    with file:
        yield from _lines(file, Path(name).parent, max_bytes)


def _lines(stream: BinaryIO, folder: Path, max_bytes: int) -> Iterator[Source]:
    for number, line in enumerate(stream, start=1):
        if line.strip():
            yield _line(line, f"line {number}", folder, max_bytes)


def _line(line: bytes, name: str, folder: Path, max_bytes: int) -> Source:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Source(id=name, problem=(INVALID_LINE, "the line is not JSON"))
    if not isinstance(row, dict):
        return Source(id=name, problem=(INVALID_LINE, "the line is not a JSON object"))
    given = row.get("id")
    source_id: str | int = name
    if isinstance(given, str | int) and not isinstance(given, bool):
        source_id = given
    text, path = row.get("text"), row.get("path")
    if isinstance(text, str) and path is None:
        return from_text(text, id=source_id)
    if isinstance(path, str) and text is None:
        # As written where the command runs, else beside the file that names it.
        here = Path(path)
        beside = folder / path
        file = here if _exists(here) or not _exists(beside) else beside
        return from_file(file, id=source_id, max_bytes=max_bytes)
    return Source(id=source_id, problem=(INVALID_LINE, "the line needs one of text and path"))


def from_text(text: str, *, id: str | int) -> Source:
    """Return a text as bytes that decode to it code point for code point."""
    whole = "".join("\N{REPLACEMENT CHARACTER}" if _is_surrogate(char) else char for char in text)
    return Source(id=id, content=whole.encode(), dropped=1 if whole.startswith(_BOM) else 0)


def _is_surrogate(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _too_large(source_id: str | int, max_bytes: int) -> Source:
    return Source(id=source_id, problem=(TOO_LARGE, f"document is over {max_bytes} bytes"))
