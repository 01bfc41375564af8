"""`python -m ingest.parsers.child`: parses one document from standard input, within limits.

Reads a line of JSON (claimed media type, file name, limits), then the document's bytes to the
end; writes one JSON object to standard output. It has no secrets, no files to write, no network
where the kernel allows, and it dies with its parent.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import sys
from typing import Final

from domain.errors import DocumentUnreadableError, MithridateError, UnsupportedMediaTypeError
from ingest.parsers.registry import parse
from ingest.parsers.wire import encode, to_wire

_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_MAX_FILES: Final = 32


def _confine(memory_bytes: int, cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_FILES, _MAX_FILES))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    if not sys.platform.startswith("linux"):
        return
    # Elsewhere an address-space limit is refused or void, and these calls do not exist.
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    # Best effort: refused where unprivileged user namespaces are off.
    libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _error(kind: str, reason: str) -> bytes:
    return encode({"error": {"kind": kind, "reason": reason}})


def answer(header: dict[str, object], content: bytes) -> bytes:
    """Return what the parent reads: the document found, or one clean error."""
    claimed, name, most = (
        header.get("claimed_media_type"),
        header.get("file_name"),
        header.get("max_text_chars"),
    )
    try:
        extract = parse(
            content,
            claimed_media_type=claimed if isinstance(claimed, str) else None,
            file_name=name if isinstance(name, str) else None,
            max_text_chars=most if isinstance(most, int) else 0,
        )
        return encode(to_wire(extract))
    except UnsupportedMediaTypeError:
        return _error(UnsupportedMediaTypeError.code, "unknown-format")
    except DocumentUnreadableError as error:
        return _error(DocumentUnreadableError.code, error.reason)
    except MithridateError as error:
        return _error(DocumentUnreadableError.code, error.code)
    except MemoryError:
        return _error(DocumentUnreadableError.code, "parser-memory-limit")
    except RecursionError:
        return _error(DocumentUnreadableError.code, "parser-too-deep")
    except Exception:  # the outermost edge: whatever a hostile file brings about
        return _error(DocumentUnreadableError.code, "parser-failed")


def main() -> None:
    header = json.loads(sys.stdin.buffer.readline(1 << 16))
    _confine(int(header["memory_bytes"]), int(header["cpu_seconds"]))
    gc.disable()  # one document, then the end: collecting would only cost time
    sys.stdout.buffer.write(answer(header, sys.stdin.buffer.read()))
    sys.stdout.buffer.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
