"""`documents.ingest` and `documents.ingest-bulk`: one received document to its verdict."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

import structlog
from celery import Celery, Task
from celery.exceptions import SoftTimeLimitExceeded

from domain.documents import DocumentId
from domain.errors import DependencyError, NotFoundError, ScanUnderWayError
from workers.process import present_process

_LONGEST_WAIT_SECONDS: Final = 30
_RESTART: Final = 75
_RETRIES: Final = 20
"""About nine minutes of a service that is down; after that the sweeper takes over."""


def register_documents(app: Celery) -> None:
    def ingest(self: Task, document_id: str) -> None:
        process = present_process()
        ingestion = process.services.ingest
        log = structlog.get_logger("workers").bind(document=document_id)
        try:
            with process.services.tracing.span(
                "document.scan", facts={"mithridate.document": document_id}
            ):
                record = process.run(ingestion.ingest(DocumentId(document_id)))
        except NotFoundError:
            log.warning("document_unknown")
        except ScanUnderWayError as exc:
            # Handed out twice, or its worker died a moment ago: again once the lease has run out.
            log.info("scan_under_way", retry=self.request.retries)
            raise self.retry(countdown=1 + exc.retry_after_seconds, exc=exc) from exc
        except DependencyError as exc:
            log.warning("scan_put_off", error=str(exc), retry=self.request.retries)
            wait = min(_LONGEST_WAIT_SECONDS, 2**self.request.retries)
            raise self.retry(countdown=wait, exc=exc) from exc
        except SoftTimeLimitExceeded:
            with suppress(DependencyError):
                process.run(ingestion.give_up(DocumentId(document_id)))
            log.warning("scan_over_time")
            # A thread cannot be stopped: only a new process is free of the scan that goes on in
            # it. The broker hands the job out again, and it then finds the verdict written, or,
            # where the ledger did not take it, tries once more.
            os._exit(_RESTART)
        else:
            if record is not None:
                log.info(
                    "document_settled",
                    tenant=record.tenant_id,
                    verdict=record.verdict.value if record.verdict else None,
                    trust=record.trust,
                    attempts=record.attempts,
                )

    for name in ("documents.ingest", "documents.ingest-bulk"):
        app.task(ingest, name=name, bind=True, max_retries=_RETRIES)
