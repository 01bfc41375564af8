"""The long-running processes: gateway, worker, and everything together."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from domain.errors import MithridateError
from gateway.cli.supervisor import Child, Supervisor
from runtime.home import announced, broker_url, embedded_broker, prepare_home
from runtime.logging import configure_logging
from runtime.settings import Settings

_WATCH_SECONDS: Final = 1.0
_PR_SET_PDEATHSIG: Final = 1


def run_serve(settings: Settings, *, supervised: bool, reload: bool) -> None:
    """Run the gateway until told to stop.

    Args:
        settings: The configuration in force; it is read again by reloaded processes.
        supervised: `mithridate up` looks after the broker and stops us.
        reload: Restart when the code changes, for development.
    """
    import uvicorn
    from uvicorn.supervisors import ChangeReload, Multiprocess

    configure_logging(settings.logging)
    if supervised:
        _die_with_parent()
    prepare_home(settings)
    config = uvicorn.Config(
        "gateway.http.asgi:create",
        factory=True,
        host=settings.server.host,
        port=settings.server.port,
        log_config=None,
        access_log=False,
        server_header=False,
        reload=reload,
        workers=settings.server.workers,
        timeout_graceful_shutdown=20,
        timeout_keep_alive=75,
        h11_max_incomplete_event_size=64 * 1024,
    )
    with _broker(settings, supervised=supervised):
        socket = config.bind_socket()
        host, port = socket.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        server = uvicorn.Server(config)
        with socket, announced(settings, url=f"http://{shown}:{port}"):
            if reload:
                ChangeReload(config, target=server.run, sockets=[socket]).run()
            elif settings.server.workers > 1:
                Multiprocess(config, target=server.run, sockets=[socket]).run()
            else:
                server.run(sockets=[socket])


def run_worker(settings: Settings, *, supervised: bool) -> int:
    """Run one Celery worker, its scheduler included, until told to stop; return its exit code."""
    from workers.app import create_celery

    configure_logging(settings.logging)
    if supervised:
        _die_with_parent()
    prepare_home(settings)
    with _broker(settings, supervised=supervised):
        app = create_celery(settings, broker_url=broker_url(settings))
        worker = app.Worker(
            pool="prefork",
            concurrency=settings.worker.processes,
            hostname=f"mithridate-{os.getpid()}@%h",
            # Every worker carries a scheduler. Periodic jobs run under a lock, so several are
            # harmless, and none is a single point of failure. In memory: no shelve, no pickle.
            beat=True,
            scheduler="celery.beat:Scheduler",
            loglevel="WARNING",
            without_gossip=True,
            without_mingle=True,
            quiet=True,
        )
        worker.start()
        return int(worker.exitcode or 0)


def run_up(settings: Settings, *, workers: int, reload: bool) -> int:
    """Run broker, gateway and workers together; restart what dies; stop all in order."""
    configure_logging(settings.logging)
    prepare_home(settings)
    command = [sys.executable, "-m", "gateway.cli"]
    children = [
        Child(
            name="gateway",
            command=[*command, "serve", "--supervised", *(["--reload"] if reload else [])],
        ),
        *(
            Child(name=f"worker-{number}", command=[*command, "worker", "--supervised"])
            for number in range(1, workers + 1)
        ),
    ]
    return Supervisor(children, broker=embedded_broker(settings), settings=settings).run()


@contextmanager
def _broker(settings: Settings, *, supervised: bool) -> Iterator[None]:
    """Keep the embedded broker alive while this process runs, unless somebody else does."""
    broker = embedded_broker(settings)
    if broker is None or supervised:
        yield
        return
    broker.ensure()
    stopping = threading.Event()

    def watch() -> None:
        while not stopping.wait(_WATCH_SECONDS):
            with suppress(MithridateError):
                broker.ensure()

    watcher = threading.Thread(target=watch, name="broker-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stopping.set()
        watcher.join()
        broker.stop()


def _die_with_parent() -> None:
    """Ask the kernel to end us if the supervisor is killed, so that nothing is left behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
