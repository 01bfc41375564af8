"""What a document cites, and what is known of it elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from domain.text import Span

if TYPE_CHECKING:
    from domain.documents import TenantId


class CitationKind(StrEnum):
    DOI = "doi"
    ARXIV = "arxiv"
    ISBN = "isbn"
    ISSN = "issn"
    PMID = "pmid"
    RFC = "rfc"
    CVE = "cve"
    ORCID = "orcid"
    URL = "url"
    CASE = "case"
    AUTHOR_YEAR = "author-year"
    NUMBERED = "numbered"


RESOLVABLE: Final[Mapping[CitationKind, re.Pattern[str]]] = {
    kind: re.compile(pattern)
    for kind, pattern in (
        (CitationKind.DOI, r"10\.\d{4,9}(?:\.\d{1,9}){0,3}/[!-~]{1,200}"),
        (CitationKind.ARXIV, r"\d{4}\.\d{4,5}|[a-z]{2,9}(?:-[a-z]{2,6})?/\d{7}"),
        (CitationKind.ISBN, r"97[89]\d{10}"),
        (CitationKind.ISSN, r"\d{4}-\d{3}[\dX]"),
        (CitationKind.PMID, r"[1-9]\d{0,8}"),
        (CitationKind.RFC, r"[1-9]\d{0,4}"),
        (CitationKind.CVE, r"CVE-\d{4}-\d{4,10}"),
        (CitationKind.ORCID, r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]"),
    )
}
"""Kinds that name one thing, and the only form in which their values leave this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """A checked, canonical identifier: DOIs in lower case, ISBNs of 13 digits, arXiv unversioned.

    Printable ASCII without a space, so that it can stand, quoted, in a request.
    """

    kind: CitationKind
    value: str

    def __post_init__(self) -> None:
        form = RESOLVABLE.get(self.kind)
        if form is None or not form.fullmatch(self.value):
            raise ValueError(f"not a canonical {self.kind.value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a catalogue says of an identifier. Untrusted text: compared, never shown to a model.

    Attributes:
        authors: Family names, or whole names where the catalogue does not part them.
        year: Of publication, None where the catalogue does not say.
        source: Name of the catalogue.
    """

    identifier: Identifier
    title: str
    authors: tuple[str, ...]
    year: int | None
    retracted: bool
    source: str


class LookupStatus(StrEnum):
    """What asking gave. `not-found` is no sign of forgery: no catalogue has everything."""

    FOUND = "found"
    NOT_FOUND = "not-found"
    UNAVAILABLE = "unavailable"
    """Somebody who may know could not be asked."""
    NOT_ASKED = "not-asked"
    """No resolver takes the kind, or the document's budget was spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedCitation:
    """An identifier of a document, looked up before the scan. `work` only where it was found."""

    identifier: Identifier
    status: LookupStatus
    work: Work | None = None

    def __post_init__(self) -> None:
        if (self.status is LookupStatus.FOUND) != (self.work is not None):
            raise ValueError(f"a lookup is {self.status.value} and has {self.work and 'a work'}")


class CitationVerdict(StrEnum):
    """The worst that holds, in this order.

    Offline, the best is `unverified`; a verified citation never raises trust (Law 13).
    """

    INVALID = "invalid"
    MISMATCH = "mismatch"
    RETRACTED = "retracted"
    UNVERIFIED = "unverified"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A citation of a decision; `fault` says, without a word of it, why there can be none such."""

    at: Span
    fault: str | None


class CaseFinder(Protocol):
    """Finds case law in a text. Pure."""

    def find(self, text: str, *, today: date) -> Sequence[Case]:
        """Return what is cited, in order.

        Raises:
            DetectorUnavailableError: It cannot be loaded.
        """
        ...


class CitationResolver(Protocol):
    """A catalogue of publications. Sends identifiers to configured hosts, and nothing else."""

    @property
    def name(self) -> str: ...

    @property
    def kinds(self) -> frozenset[CitationKind]: ...

    async def resolve(self, identifier: Identifier) -> Work | None:
        """Return what the catalogue says, None where it does not know the identifier.

        Raises:
            TransientError: It did not answer in time, has had enough of us, or is being spared
                after a failure.
            PermanentError: Its answer cannot be right: too long, no JSON or XML, another record.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """What a catalogue said once; `work` None where it did not know the identifier."""

    work: Work | None


class CitationCache(Protocol):
    """Remembers answers for a while, apart by tenant, bounded in number. Losing any is no error."""

    async def get(
        self, tenant_id: TenantId, source: str, identifier: Identifier
    ) -> CachedAnswer | None:
        """Return what `source` said, None where that is not known or has expired.

        Raises:
            TransientError: The store did not answer.
        """
        ...

    async def put(
        self,
        tenant_id: TenantId,
        source: str,
        identifier: Identifier,
        answer: CachedAnswer,
        *,
        lifetime_seconds: int,
    ) -> None:
        """Remember, replacing what was known; those that expire first go where there are too many.

        Raises:
            TransientError: The store did not answer.
        """
        ...
