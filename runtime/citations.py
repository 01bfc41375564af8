"""Citation resolvers from `Settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from backends.citations.api import CatalogueApi
from backends.citations.arxiv import ArxivApi
from backends.citations.catalogue_file import CatalogueFile
from backends.citations.client import GuardedClient, base_url
from backends.citations.crossref import CrossrefApi
from backends.citations.datacite import DataCiteApi
from backends.citations.openalex import OpenAlexApi
from backends.citations.pubmed import PubMedApi
from backends.citations.resolver import HttpCatalogue
from backends.citations.semantic_scholar import SemanticScholarApi
from domain.citations import CitationCache, CitationResolver
from domain.clock import Clock
from domain.errors import ConfigurationError
from domain.limits import RateLimiter
from ingest.citations import CitationLookup, LookupBudget
from runtime.ingest_sections import CitationSettings, ResolverName

_QUESTIONS_AT_ONCE: Final = 4


def build_citation_lookup(
    settings: CitationSettings,
    *,
    cache: CitationCache,
    rate_limiter: RateLimiter,
    clock: Clock,
) -> CitationLookup | None:
    """Build the lookup; None where nobody is to be asked.

    Raises:
        ConfigurationError: An address is not usable, or is given for a resolver not listed.
    """
    unlisted = sorted(settings.urls.keys() - set(settings.resolvers))
    if unlisted:
        raise ConfigurationError(
            f"ingest.citations.urls: {unlisted[0]!r} is not among ingest.citations.resolvers"
        )
    resolvers: list[CitationResolver] = []
    if settings.catalogue_path is not None:
        if not settings.catalogue_path.is_file():
            raise ConfigurationError(
                f"ingest.citations.catalogue_path: {str(settings.catalogue_path)!r} is not a file"
            )
        resolvers.append(CatalogueFile(settings.catalogue_path))
    apis = _apis(settings)
    for name in dict.fromkeys(settings.resolvers):
        api = apis[name]
        client = GuardedClient(
            base_url(
                settings.urls.get(name, api.url),
                allow_private_networks=settings.allow_private_networks,
            ),
            who=name,
            allow_private_networks=settings.allow_private_networks,
            timeout_seconds=settings.timeout_seconds,
        )
        resolvers.append(
            HttpCatalogue(
                api,
                client,
                rate_limiter=rate_limiter,
                per_second=settings.per_second,
                clock=clock,
            )
        )
    if not resolvers:
        return None
    budget = LookupBudget(
        identifiers=settings.max_identifiers,
        seconds=settings.document_seconds,
        at_once=_QUESTIONS_AT_ONCE,
    )
    return CitationLookup(resolvers=resolvers, cache=cache, budget=budget, clock=clock)


def _apis(settings: CitationSettings) -> Mapping[ResolverName, CatalogueApi]:
    key = settings.semantic_scholar_key
    return {
        "crossref": CrossrefApi(contact=settings.contact),
        "datacite": DataCiteApi(),
        "openalex": OpenAlexApi(contact=settings.contact),
        "arxiv": ArxivApi(),
        "pubmed": PubMedApi(contact=settings.contact),
        "semantic-scholar": SemanticScholarApi(api_key=key.get_secret_value() if key else None),
    }
