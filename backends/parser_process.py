"""Parses each document in a process of its own, so that a hostile file ends only that."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Final

from domain.documents import ParsedDocument
from domain.errors import DocumentUnreadableError, TransientError
from domain.parse_wire import decode

_ROOT: Final = Path(__file__).resolve().parents[1]
_MODULE: Final = "ingest.parsers.child"
"""Named, not imported: the process is a program of ours like any other service."""
_READ: Final = 1 << 18
_ANSWER_BYTES_PER_CHAR: Final = 16
_ANSWER_OVERHEAD: Final = 1 << 20


def _unreadable(reason: str) -> DocumentUnreadableError:
    return DocumentUnreadableError(f"document cannot be read: {reason!r}", reason=reason)


class ProcessParser:
    """A `DocumentParser` that runs `ingest.parsers.child` once a document.

    The process sees neither our environment nor our descriptors. What breaks a limit, dies or
    answers nonsense is unreadable; only where the process cannot be started at all is it our own
    trouble and worth a retry.

    Args:
        memory_bytes: Address space of the process.
        cpu_seconds: CPU time of the process, start-up included.
        wall_seconds: From start to answer; then its whole process group is killed.
        max_text_chars: Most code points a document may give; bounds the answer too.
    """

    def __init__(
        self, *, memory_bytes: int, cpu_seconds: int, wall_seconds: float, max_text_chars: int
    ) -> None:
        self._memory_bytes = memory_bytes
        self._cpu_seconds = cpu_seconds
        self._wall_seconds = wall_seconds
        self._max_text_chars = max_text_chars
        self._max_answer = _ANSWER_BYTES_PER_CHAR * max_text_chars + _ANSWER_OVERHEAD

    async def parse(
        self, content: bytes, *, claimed_media_type: str | None, file_name: str | None
    ) -> ParsedDocument:
        """Parse; the same document gives the same result on every machine with enough memory.

        Raises:
            UnsupportedMediaTypeError: No parser takes what the content turned out to be.
            DocumentUnreadableError: Not well-formed, or a limit broke; `reason` says which.
            TransientError: The process could not be started.
        """
        header = {
            "claimed_media_type": claimed_media_type,
            "file_name": None if file_name is None else file_name[-255:],
            "memory_bytes": self._memory_bytes,
            "cpu_seconds": self._cpu_seconds,
            "max_text_chars": self._max_text_chars,
        }
        answer = await self._run(json.dumps(header).encode() + b"\n", content)
        return decode(answer, max_text_chars=self._max_text_chars)

    async def _run(self, header: bytes, content: bytes) -> bytes:
        process = await self._start()
        answer = b""
        reason: str | None = None
        try:
            async with asyncio.timeout(self._wall_seconds):
                _, answer = await asyncio.gather(
                    _feed(process, header, content), _read(process, self._max_answer)
                )
                if len(answer) <= self._max_answer:
                    await process.wait()
        except TimeoutError:
            reason = "parser-wall-limit"
        finally:
            await _end(process)
        if len(answer) > self._max_answer:
            reason = "parser-output-limit"
        reason = reason or _reason(process.returncode)
        if reason is not None:
            raise _unreadable(reason)
        return answer

    async def _start(self) -> Process:
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-E",
                "-s",
                "-B",
                "-m",
                _MODULE,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd=_ROOT,
                env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
                start_new_session=True,
                limit=_READ,
            )
        except OSError as error:
            raise TransientError("the parser process could not be started") from error


async def _feed(process: Process, header: bytes, content: bytes) -> None:
    stdin = process.stdin
    assert stdin is not None  # noqa: S101 - asked for as a pipe
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it died: see its end
        stdin.write(header)
        stdin.write(content)
        await stdin.drain()
    stdin.close()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        await stdin.wait_closed()


async def _read(process: Process, limit: int) -> bytes:
    """Return the answer, cut one piece after `limit`."""
    stdout = process.stdout
    assert stdout is not None  # noqa: S101 - asked for as a pipe
    pieces: list[bytes] = []
    size = 0
    while size <= limit and (piece := await stdout.read(_READ)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


async def _end(process: Process) -> None:
    """Kill what is left of the process group and reap the process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()


def _reason(returncode: int | None) -> str | None:
    if returncode == 0:
        return None
    if returncode == -signal.SIGXCPU:
        return "parser-cpu-limit"
    return "parser-crashed"
