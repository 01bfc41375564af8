"""structlog for every process: JSON lines on standard error, ids and counts, never content."""

from __future__ import annotations

import logging
import sys

import structlog

from runtime.settings import LoggingSettings


def configure_logging(settings: LoggingSettings) -> None:
    """Send structlog and the standard library's loggers through one renderer. Repeatable."""
    level = getattr(logging, settings.level.upper())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    renderer: list[structlog.typing.Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if settings.format == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    # Libraries speak at warning and above: some of them print arguments at lower levels.
    for noisy in (
        "celery",
        "kombu",
        "uvicorn",
        "alembic",
        "httpx",
        "presidio-analyzer",
        "aiosqlite",
    ):
        logging.getLogger(noisy).setLevel(max(level, logging.WARNING))
    for access in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(access).handlers = []
        logging.getLogger(access).propagate = True
