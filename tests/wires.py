"""A wire to a real server that can be cut, stopped or garbled while clients use it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import Final
from urllib.parse import parse_qs, urlsplit

_BYTES: Final = 65_536
_POLL_SECONDS: Final = 0.05
GARBAGE: Final = b"HTTP/1.1 200 OK\r\n\r\n\x00\xff\xfeE" * 4


class Wire(Enum):
    WHOLE = auto()
    CUT = auto()
    """Connections end at once, new ones too."""
    STOPPED = auto()
    """Connections stand and nothing comes through, as from a server that hangs."""
    GARBLED = auto()
    """Whatever is asked, the answer is garbage."""


class Wiretap:
    """A loopback port in front of a server; `state` may be changed at any time."""

    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        """Listen; `connect` opens a connection to the server."""
        self._connect = connect
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._closed = threading.Event()
        self.state = Wire.WHOLE
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def set(self, state: Wire) -> None:
        self.state = state
        if state is Wire.CUT:
            self._hang_up()

    def close(self) -> None:
        self._closed.set()
        self._listening.close()
        self._hang_up()

    def _hang_up(self) -> None:
        while self._open:
            one = self._open.pop()
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            if self.state is Wire.CUT:
                client.close()
                continue
            try:
                server = self._connect()
            except OSError:  # the server is gone, and so is whoever waits for it
                client.close()
                continue
            self._open += [client, server]
            for source, sink, answers in ((client, server, False), (server, client, True)):
                threading.Thread(
                    target=self._carry, args=(source, sink, answers), daemon=True
                ).start()

    def _carry(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        """Carry what comes until one side is gone."""
        with suppress(OSError):
            while content := source.recv(_BYTES):
                while self.state is Wire.STOPPED and not self._closed.wait(_POLL_SECONDS):
                    pass
                if self.state is Wire.GARBLED and not answers:
                    source.sendall(GARBAGE)
                else:
                    sink.sendall(content)
            sink.shutdown(socket.SHUT_RDWR)


def at_url(url: str) -> Callable[[], socket.socket]:
    """Return what connects to the server of a PostgreSQL or Redis URL, by TCP or a socket file."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    if folder.startswith("/"):
        return lambda: _unix(f"{folder}/.s.PGSQL.{parts.port or 5432}")
    return lambda: socket.create_connection((parts.hostname or "", parts.port or 0))


def _unix(path: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.connect(path)
    return made


@contextmanager
def wiretap(connect: Callable[[], socket.socket]) -> Iterator[Wiretap]:
    """Stand between clients and the server that `connect` opens connections to."""
    tap = Wiretap(connect)
    try:
        yield tap
    finally:
        tap.close()
