"""The long-running processes: gateway, worker, and everything together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

import structlog

from domain.errors import ConfigurationError, MithridateError, TransientError
from gateway.cli.orphans import die_with_parent
from gateway.cli.output import emit, say
from gateway.cli.supervisor import Child, Supervisor
from runtime.heap import bound_arenas
from runtime.home import (
    ADMIN_KEY,
    announced,
    announced_url,
    broker_url,
    embedded_broker,
    prepare_home,
)
from runtime.logging import configure_logging
from runtime.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

_WATCH_SECONDS: Final = 1.0
_ANY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - a look-up, not a binding
_SOURCE: Final = Path(__file__).resolve().parents[2]
_PACKAGES: Final = (
    "backends",
    "defences",
    "domain",
    "evaluation",
    "gateway",
    "ingest",
    "monitors",
    "runtime",
    "workers",
)


def run_serve(settings: Settings, *, supervised: bool, reload: bool) -> None:
    """Run the gateway until told to stop.

    Args:
        settings: The configuration in force; it is read again by reloaded processes.
        supervised: `mithridate up` looks after the broker and stops us.
        reload: Restart when the code changes, for development.
    """
    import uvicorn
    from uvicorn.supervisors import ChangeReload, Multiprocess

    from gateway.http.connections import PatientProtocol

    prepare_home(settings)
    bound = _bind(settings)
    configure_logging(settings.logging)
    # uvicorn ends by raising the signal that stopped it anew: as an exception it lets us tidy up.
    signal.signal(signal.SIGTERM, _leave)
    config = uvicorn.Config(
        "gateway.cli.processes:application",
        factory=True,
        host=settings.server.host,
        port=settings.server.port,
        log_config=None,
        access_log=False,
        server_header=False,
        # Else whoever sends the header chooses the address that limits count against.
        proxy_headers=bool(settings.server.trusted_proxies),
        forwarded_allow_ips=list(settings.server.trusted_proxies),
        reload=reload,
        reload_dirs=[str(_SOURCE / package) for package in _PACKAGES] if reload else None,
        workers=settings.server.workers,
        timeout_graceful_shutdown=20,
        timeout_keep_alive=75,
        h11_max_incomplete_event_size=64 * 1024,
        http=PatientProtocol,
        ws="none",
        limit_concurrency=settings.server.max_connections,
    )
    host, port = bound.getsockname()[:2]
    host = _ANY_ADDRESS.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    server = uvicorn.Server(config)
    with (
        bound,
        broker_kept(settings, supervised=supervised),
        announced(settings, url=f"http://{shown}:{port}"),
    ):
        if reload:
            ChangeReload(config, target=server.run, sockets=[bound]).run()
        elif settings.server.workers > 1:
            Multiprocess(config, sockets=[bound]).run()
        else:
            server.run(sockets=[bound])


def application() -> FastAPI:
    """Make what uvicorn serves, in this process or in one that it started."""
    from gateway.http.asgi import create

    bound_arenas()
    parent = multiprocessing.parent_process()
    if parent is not None:
        die_with_parent(parent.pid)
    return create()


def run_worker(settings: Settings, *, supervised: bool) -> int:
    """Run one Celery worker, its scheduler included, until told to stop; return its exit code."""
    from celery import signals
    from celery.platforms import SecurityWarning

    from workers.app import create_celery
    from workers.process import import_ahead

    bound_arenas()
    queues = _queues(settings.worker.queues)
    configure_logging(settings.logging)
    if os.geteuid() == 0:
        # Celery's own warning is no JSON line, and it fears pickle, which we never take.
        warnings.simplefilter("ignore", SecurityWarning)
        structlog.get_logger("mithridate.worker").warning("running_as_root")
    prepare_home(settings)
    with broker_kept(settings, supervised=supervised):
        app = create_celery(settings, broker_url=broker_url(settings))
        import_ahead(settings)
        # After the application's own handler, which opens the process.
        signals.worker_process_init.connect(_end_unless_open, weak=False)
        parent = os.getpid()
        signals.beat_embedded_init.connect(lambda **_: die_with_parent(parent), weak=False)
        alive = settings.worker.alive_path
        if alive is not None:
            signals.heartbeat_sent.connect(lambda **_: alive.touch(), weak=False)
        worker = app.Worker(
            pool="prefork",
            concurrency=settings.worker.processes,
            queues=queues,
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


def _queues(wanted: tuple[str, ...]) -> list[str] | None:
    """Return the queues that a worker serves; None: all.

    Raises:
        ConfigurationError: There is no queue of such a name, and its jobs would wait for ever.
    """
    from backends.jobs_celery import ROUTES

    known = sorted(set(ROUTES.values()))
    if unknown := sorted(set(wanted) - set(known)):
        raise ConfigurationError(f"worker.queues: {unknown} are not among {known}")
    return list(wanted) or None


def run_up(settings: Settings, *, workers: int, reload: bool, as_json: bool) -> int:
    """Run broker, gateway and workers together; restart what dies; stop all in order.

    Args:
        settings: The configuration in force; the children read it for themselves.
        workers: How many worker processes.
        reload: Restart the gateway when the code changes.
        as_json: Say as JSON where the gateway is.
    """
    prepare_home(settings)
    if settings.server.port:
        # Now, and not by a child that would be started again and again in vain.
        _bind(settings).close()
    configure_logging(settings.logging)
    key_file = str(settings.home.absolute() / ADMIN_KEY) if settings.local_admin_key else None

    def ready(url: str) -> None:
        if as_json:
            emit({"url": url, "admin_key_file": key_file})
            return
        say(f"Mithridate is ready at {url}")
        if key_file is not None:
            say(f"The local admin key is in {key_file}")

    program = [sys.executable, "-m", "gateway.cli"]
    ours = ["--supervised", "--parent", str(os.getpid())]
    children = [
        Child(
            name="gateway",
            command=[*program, "serve", *ours, *(["--reload"] if reload else [])],
        ),
        *(
            Child(name=f"worker-{number}", command=[*program, "worker", *ours])
            for number in range(1, workers + 1)
        ),
    ]
    supervisor = Supervisor(
        children, broker=embedded_broker(settings), settings=settings, on_ready=ready
    )
    return supervisor.run()


def _bind(settings: Settings) -> socket.socket:
    """Return a socket bound to the gateway's address.

    Raises:
        TransientError: The port is taken, or the address is none of this machine's.
    """
    host, port = settings.server.host, settings.server.port
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as exc:
        bound.close()
        ours = announced_url(settings)
        hint = (
            f"the gateway of {str(settings.home)!r} runs at {ours} already"
            if ours is not None and ours.endswith(f":{port}")
            else "MITHRIDATE_SERVER__PORT sets another port, 0 takes a free one"
        )
        raise TransientError(
            f"cannot listen on {host}, port {port}: {exc.strerror}; {hint}"
        ) from exc
    bound.set_inheritable(True)
    return bound


@contextmanager
def broker_kept(settings: Settings, *, supervised: bool = False) -> Iterator[None]:
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


def _end_unless_open(**_: object) -> None:
    """End the whole worker where a pool process has no services.

    It would fail, and so use up, every document handed to it; whoever supervises us starts us anew.
    """
    from workers.process import present_process

    try:
        present_process()
    except RuntimeError:
        structlog.get_logger("mithridate.worker").error("pool_process_not_opened")
        os.kill(os.getppid(), signal.SIGTERM)
        os._exit(1)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise SystemExit(0)
