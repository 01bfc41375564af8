"""Sections of the settings: how documents are parsed and scanned."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from runtime.sections import Section


class ParserSettings(Section):
    memory_bytes: int = Field(1 << 30, gt=0, description="address space of the child process")
    cpu_seconds: int = Field(20, gt=0)
    wall_seconds: float = Field(30.0, gt=0)
    max_text_chars: int = Field(4_000_000, gt=0, description="code points a document may give")


ResolverName = Literal["crossref", "datacite", "openalex", "arxiv", "pubmed", "semantic-scholar"]


class CitationSettings(Section):
    """Who is asked whether what a document cites exists. By default nobody: no network call."""

    resolvers: tuple[ResolverName, ...] = Field((), description="asked in this order")
    catalogue_path: Path | None = Field(
        None, description="JSON lines, or Retraction Watch's CSV; asked before the resolvers"
    )
    urls: dict[ResolverName, str] = Field({}, description="other addresses, e.g. of a mirror")
    allow_private_networks: bool = Field(
        default=False, description="ask at loopback and private addresses, and over http"
    )
    contact: str | None = Field(None, description="e-mail address that resolvers may write to")
    semantic_scholar_key: SecretStr | None = None
    per_second: int = Field(3, ge=1, le=50, description="questions to each resolver")
    timeout_seconds: float = Field(5.0, gt=0, le=60)
    case_law: bool = Field(
        default=False, description="reporters beyond the built-in ones, by the case-law extra"
    )
    max_identifiers: int = Field(40, ge=1, le=500, description="asked for a document")
    document_seconds: float = Field(20.0, gt=0, le=60)


class PersonalDataSettings(Section):
    """Personal data and secrets."""

    actions: dict[str, Literal["flag", "mask", "hold"]] = Field(
        {}, description="by rule (`personal-data.iban`) or detector (`secrets.*`); else flag"
    )
    names_model: str | None = Field(
        None, description="spaCy model that finds people's names; None: patterns only"
    )


class IngestSettings(Section):
    policy_path: Path | None = Field(None, description="trust policy TOML; None: the shipped one")
    chunk_words: int = Field(120, ge=20, le=400)
    chunk_overlap_words: int = Field(20, ge=0)
    max_chunks: int = Field(
        3000, ge=1, description="of one document; with more it is quarantined unindexed"
    )
    parser: ParserSettings = ParserSettings()
    citations: CitationSettings = CitationSettings()
    personal_data: PersonalDataSettings = PersonalDataSettings()
