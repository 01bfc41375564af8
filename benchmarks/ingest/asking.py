"""Asks detectors that run in processes of their own, one line at a time."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError

ROOT: Final = Path(__file__).resolve().parents[2]
PEERS_PYTHON: Final = ROOT / ".venv-peers" / "bin" / "python"
_PEERS: Final = Path(__file__).with_name("peers.py")
_SECONDS: Final = 400.0


class Answer(BaseModel):
    """What a process said of one text or file; the fields that apply.

    Attributes:
        score: Orders texts within one detector: what is flagged comes before what is not.
        text: What a converter made of a file.
        cpu_ms: CPU time of the whole process that the answer took.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    flagged: bool = False
    score: float = 0.0
    text: str = ""
    error: str = ""
    cpu_ms: float = 0.0


class _Ready(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    version: str = ""
    error: str = ""


class Asked(Protocol):
    """Something that answers lines."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def ask(self, line: Mapping[str, str]) -> Answer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A peer that could not be started, and why."""

    name: str
    error: str


class AskedProcess:
    """A process that answers JSON lines; closed by `with`."""

    def __init__(
        self, name: str, command: Sequence[str], *, timeout_seconds: float = _SECONDS
    ) -> None:
        """Start it and wait until it is ready.

        Raises:
            RuntimeError: It says that it cannot start, or says nothing.
        """
        self._name = name
        self._timeout = timeout_seconds
        self._process = subprocess.Popen(  # noqa: S603 - our own list of words
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            ready = _Ready.model_validate_json(self._next())
        except ValidationError as exc:
            self.close()
            raise RuntimeError("it says nothing that can be read") from exc
        if ready.error:
            self.close()
            raise RuntimeError(ready.error)
        self._version = ready.version

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        return self._version

    def ask(self, line: Mapping[str, str]) -> Answer:
        """Ask; an answer that does not come in time, or cannot be read, is an error."""
        if self._process.stdin is None or self._process.poll() is not None:
            return Answer(error="the process has ended")
        try:
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()
            return Answer.model_validate_json(self._next())
        except BrokenPipeError:
            return Answer(error="the process has ended")
        except ValidationError:
            self.close()
            return Answer(error=f"no answer within {self._timeout:.0f} s")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # what it did not read any more
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        if self._process.stdout is not None:
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put("")

    def _next(self) -> str:
        """Return the next line; an empty one where none comes."""
        try:
            return self._lines.get(timeout=self._timeout)
        except queue.Empty:
            return ""


def own(name: str) -> AskedProcess:
    """Start a scan of ours, by its name in `benchmarks.ingest.own`."""
    return AskedProcess(name, [sys.executable, "-m", "benchmarks.ingest.own", name])


def peer(name: str) -> AskedProcess | Absent:
    """Start a peer, without a network where this machine lets us take it away."""
    if not PEERS_PYTHON.exists():
        return Absent(name=name, error="no .venv-peers: `make bench-peers-setup` makes it")
    try:
        return AskedProcess(name, [*_without_network(), str(PEERS_PYTHON), str(_PEERS), name])
    except RuntimeError as exc:
        return Absent(name=name, error=str(exc))


def network_is_off() -> bool:
    """Return whether peers run without a network."""
    return bool(_without_network())


@cache
def _without_network() -> tuple[str, ...]:
    tool = shutil.which("unshare")
    if tool is None:
        return ()
    tried = subprocess.run([tool, "--net", "true"], capture_output=True, check=False)  # noqa: S603
    return (tool, "--net") if tried.returncode == 0 else ()
