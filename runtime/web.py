"""The web search from `Settings`, joined to the scan that its results pass."""

from __future__ import annotations

from domain.clock import Clock
from domain.web import WebEvidence, WebSearch
from ingest.web import ScannedWeb, WebLimits
from runtime.answering_sections import WebSearchSettings
from runtime.ingestion import Ingestion


def build_web(
    settings: WebSearchSettings,
    *,
    ingestion: Ingestion,
    clock: Clock,
    search: WebSearch | None = None,
) -> WebEvidence | None:
    """Build the rung; None where no endpoint is set. `search` in place of the configured one.

    Raises:
        ConfigurationError: The address is not usable.
    """
    if search is None:
        if settings.url is None:
            return None
        from backends.web_search_http import HttpWebSearch

        search = HttpWebSearch(
            settings.url,
            api_key=settings.api_key,
            allow_private_networks=settings.allow_private_networks,
            timeout_seconds=settings.timeout_seconds,
        )
    return ScannedWeb(
        search=search,
        examiner=ingestion.pipeline.examiner,
        admission=ingestion.admission,
        clock=clock,
        limits=WebLimits(results=settings.results),
    )
