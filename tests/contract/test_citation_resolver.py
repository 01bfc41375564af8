"""What every `CitationResolver` must do, over a local server that speaks each catalogue's form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from backends.citations.api import CatalogueApi
from backends.citations.arxiv import ArxivApi
from backends.citations.catalogue_file import CatalogueFile, read_catalogue
from backends.citations.client import MAX_ANSWER_BYTES, GuardedClient, base_url
from backends.citations.crossref import CrossrefApi
from backends.citations.datacite import DataCiteApi
from backends.citations.openalex import OpenAlexApi
from backends.citations.pubmed import PubMedApi
from backends.citations.resolver import (
    FAILURES_BEFORE_SPARING,
    SPARED_SECONDS,
    HttpCatalogue,
)
from backends.citations.semantic_scholar import SemanticScholarApi
from backends.memory.clock import ManualClock
from backends.memory.locks import InMemoryRateLimiter
from domain.citations import CitationKind, CitationResolver, Identifier, Work
from domain.errors import ConfigurationError, PermanentError, TransientError
from tests.receivers import (
    Behaviour,
    answer,
    babble,
    drip,
    flood,
    flood_headers,
    hang,
    hang_up,
    receiving,
)

pytestmark = pytest.mark.anyio

DOI = Identifier(kind=CitationKind.DOI, value="10.1234/pumps(97)11-0")
PMID = Identifier(kind=CitationKind.PMID, value="31452104")
ARXIV = Identifier(kind=CitationKind.ARXIV, value="1706.03762")
TITLE = "On the wear of pumps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One catalogue's form: what it is asked, and how it says what it knows."""

    api: CatalogueApi
    identifier: Identifier
    target: str
    known: Callable[..., bytes]
    unknown: Behaviour
    tells_retraction: bool


def crossref(value: str = DOI.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    message = {
        "DOI": value.upper(),
        "title": [title],
        "author": [{"given": "Ada", "family": "van der Berg", "sequence": "first"}],
        "issued": {"date-parts": [[2019, 3]]},
        "publisher": "Pump Press",
    }
    if retracted:
        message["updated-by"] = [{"type": "retraction", "DOI": "10.1234/notice"}]
    return json.dumps({"status": "ok", "message-type": "work", "message": message}).encode()


def datacite(value: str = DOI.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    creators = [{"name": "van der Berg, Ada", "familyName": "van der Berg", "givenName": "Ada"}]
    attributes = {
        "doi": value,
        "titles": [{"title": title, "lang": None}],
        "creators": creators,
        "publicationYear": 2019,
    }
    return json.dumps({"data": {"id": value, "type": "dois", "attributes": attributes}}).encode()


def openalex(value: str = DOI.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    work = {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{value}",
        "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/31452104"},
        "display_name": title,
        "publication_year": 2019,
        "authorships": [{"author": {"display_name": "Ada van der Berg"}}],
        "is_retracted": retracted,
    }
    return json.dumps(work).encode()


def scholar(value: str = DOI.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    work = {
        "paperId": "0" * 40,
        "externalIds": {"DOI": value, "CorpusId": 1},
        "title": title,
        "year": 2019,
        "authors": [{"authorId": "1", "name": "Ada van der Berg"}],
    }
    return json.dumps(work).encode()


def pubmed(value: str = PMID.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    summary = {
        "uid": value,
        "title": title,
        "authors": [{"name": "van der Berg A", "authtype": "Author"}],
        "pubdate": "2019 Aug 26",
        "pubtype": ["Journal Article", *(["Retracted Publication"] if retracted else [])],
    }
    return json.dumps({"header": {}, "result": {"uids": [value], value: summary}}).encode()


def arxiv(value: str = ARXIV.value, title: str = TITLE, *, retracted: bool = False) -> bytes:
    comment = "This paper has been withdrawn by the author" if retracted else "8 pages"
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:arxiv="http://arxiv.org/schemas/atom"><title>q</title><entry>'
        f"<id>http://arxiv.org/abs/{value}v7</id><published>2019-06-12T17:57:34Z</published>"
        f"<title>{title}</title><author><name>Ada van der Berg</name></author>"
        f"<arxiv:comment>{comment}</arxiv:comment></entry></feed>"
    ).encode()


NO_SUMMARY = json.dumps(
    {"result": {"uids": ["31452104"], "31452104": {"uid": "31452104", "error": "cannot get"}}}
).encode()
NO_ENTRY = b'<feed xmlns="http://www.w3.org/2005/Atom"><title>q</title></feed>'

DIALECTS = {
    dialect.api.name: dialect
    for dialect in (
        Dialect(
            api=CrossrefApi(contact="library@acme.example"),
            identifier=DOI,
            target="/works/10.1234%2Fpumps%2897%2911-0?mailto=library%40acme.example",
            known=crossref,
            unknown=answer(404, body=b"Resource not found."),
            tells_retraction=True,
        ),
        Dialect(
            api=DataCiteApi(),
            identifier=DOI,
            target="/dois/10.1234%2Fpumps%2897%2911-0",
            known=datacite,
            unknown=answer(404, body=b'{"errors":[{"status":"404"}]}'),
            tells_retraction=False,
        ),
        Dialect(
            api=OpenAlexApi(),
            identifier=DOI,
            target="/works/doi:10.1234%2Fpumps%2897%2911-0",
            known=openalex,
            unknown=answer(404, body=b"<!doctype html>"),
            tells_retraction=True,
        ),
        Dialect(
            api=ArxivApi(),
            identifier=ARXIV,
            target="/api/query?max_results=1&id_list=1706.03762",
            known=arxiv,
            unknown=answer(200, body=NO_ENTRY),
            tells_retraction=True,
        ),
        Dialect(
            api=PubMedApi(),
            identifier=PMID,
            target="/entrez/eutils/esummary.fcgi?db=pubmed&retmode=json&tool=mithridate&id=31452104",
            known=pubmed,
            unknown=answer(200, body=NO_SUMMARY),
            tells_retraction=True,
        ),
        Dialect(
            api=SemanticScholarApi(api_key="s3"),
            identifier=DOI,
            target="/graph/v1/paper/DOI:10.1234%2Fpumps%2897%2911-0"
            "?fields=title,year,authors,externalIds",
            known=scholar,
            unknown=answer(404, body=b'{"error":"Paper not found"}'),
            tells_retraction=False,
        ),
    )
}


CSV_HEAD = "OriginalPaperDOI,RetractionNature,Title,Author,OriginalPaperDate"


def catalogue(
    dialect: Dialect,
    port: int,
    *,
    clock: ManualClock | None = None,
    timeout_seconds: float = 5.0,
    per_second: int = 100,
    pauses: list[float] | None = None,
) -> HttpCatalogue:
    clock = clock or ManualClock()

    async def pause(seconds: float) -> None:
        assert pauses is not None
        pauses.append(seconds)
        clock.advance(seconds)

    client = GuardedClient(
        base_url(f"http://127.0.0.1:{port}", allow_private_networks=True),
        who=dialect.api.name,
        allow_private_networks=True,
        timeout_seconds=timeout_seconds,
    )
    return HttpCatalogue(
        dialect.api,
        client,
        rate_limiter=InMemoryRateLimiter(clock=clock),
        per_second=per_second,
        clock=clock,
        pause=pause,
    )


each = pytest.mark.parametrize("name", DIALECTS)


@each
async def test_a_known_identifier_gives_its_title_authors_and_year(name: str) -> None:
    dialect = DIALECTS[name]
    async with receiving(answer(200, body=dialect.known())) as server:
        found = await catalogue(dialect, server.port).resolve(dialect.identifier)

    assert found is not None
    assert (found.title, found.year, found.retracted) == (TITLE, 2019, False)
    assert found.identifier == dialect.identifier
    assert found.source == name
    assert found.authors
    assert "Berg" in found.authors[0]


@each
async def test_only_the_identifier_is_sent_and_to_the_configured_host_only(name: str) -> None:
    dialect = DIALECTS[name]
    async with receiving(answer(200, body=dialect.known())) as server:
        await catalogue(dialect, server.port).resolve(dialect.identifier)

    (received,) = server.received
    assert received.target == dialect.target
    assert received.body == b""
    assert received.headers["host"] == f"127.0.0.1:{server.port}"
    assert received.headers["accept-encoding"] == "identity"
    assert set(received.headers) <= {
        "host", "accept", "accept-encoding", "connection", "user-agent", "x-api-key",
    }  # fmt: skip


@each
async def test_what_is_not_found_is_none_and_no_error(name: str) -> None:
    dialect = DIALECTS[name]
    async with receiving(dialect.unknown) as server:
        assert await catalogue(dialect, server.port).resolve(dialect.identifier) is None


@pytest.mark.parametrize("name", [n for n, d in DIALECTS.items() if d.tells_retraction])
async def test_a_retraction_is_told(name: str) -> None:
    dialect = DIALECTS[name]
    async with receiving(answer(200, body=dialect.known(retracted=True))) as server:
        found = await catalogue(dialect, server.port).resolve(dialect.identifier)

    assert found is not None
    assert found.retracted


@each
async def test_a_title_marked_retracted_loses_the_mark_and_tells(name: str) -> None:
    dialect = DIALECTS[name]
    body = dialect.known(title=f"RETRACTED: {TITLE}")
    async with receiving(answer(200, body=body)) as server:
        found = await catalogue(dialect, server.port).resolve(dialect.identifier)

    assert found is not None
    assert (found.title, found.retracted) == (TITLE, True)


@each
async def test_the_record_of_another_identifier_is_refused(name: str) -> None:
    dialect = DIALECTS[name]
    other = {"pubmed": "99", "arxiv": "1706.99999"}.get(name, "10.1234/other")
    async with receiving(answer(200, body=dialect.known(other))) as server:
        with pytest.raises(PermanentError):
            await catalogue(dialect, server.port).resolve(dialect.identifier)


MALFORMED = {
    "empty": b"",
    "html": b"<html><body>maintenance</body></html>",
    "list": b"[]",
    "null": b"null",
    "not text": b"\xff\xfe\x00",
    "deep": b'{"message":' + b"[" * 50_000,
    "other form": b'{"message":{"DOI":7,"title":"x"},"data":[],"title":3,"result":{"31452104":1}}',
    "entities": b'<!DOCTYPE a [<!ENTITY b "cc">]><feed xmlns="http://www.w3.org/2005/Atom"><entry>'
    b"<id>&b;</id></entry></feed>",
}


@each
@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
async def test_an_answer_in_no_form_is_a_permanent_error(name: str, body: bytes) -> None:
    dialect = DIALECTS[name]
    async with receiving(answer(200, body=body)) as server:
        with pytest.raises(PermanentError):
            await catalogue(dialect, server.port).resolve(dialect.identifier)


FAILURES: dict[str, tuple[Behaviour, type[Exception]]] = {
    "429": (answer(429, headers="Retry-After: 5\r\n"), TransientError),
    "500": (answer(500), TransientError),
    "503": (answer(503, body=b"down"), TransientError),
    "400": (answer(400), PermanentError),
    "403": (answer(403), PermanentError),
    "redirect": (answer(302, headers="Location: http://127.0.0.1:1/\r\n"), PermanentError),
    "compressed": (
        answer(200, headers="Content-Encoding: gzip\r\n", body=b"\x1f\x8b"),
        PermanentError,
    ),
    "huge": (answer(200, body=b" " * (MAX_ANSWER_BYTES + 1)), PermanentError),
    "endless": (flood, PermanentError),
    "endless head": (flood_headers, TransientError),
    "silent": (hang, TransientError),
    "slow": (drip, TransientError),
    "hangs up": (hang_up, TransientError),
    "no HTTP": (babble, TransientError),
}


@pytest.mark.parametrize(("behaviour", "error"), FAILURES.values(), ids=FAILURES)
async def test_a_catalogue_that_fails_is_an_error_and_never_an_answer(
    behaviour: Behaviour, error: type[Exception]
) -> None:
    dialect = DIALECTS["crossref"]
    async with receiving(behaviour) as server:
        with pytest.raises(error):
            await catalogue(dialect, server.port, timeout_seconds=1.5).resolve(dialect.identifier)

    assert server.connections == 1


async def test_a_failing_catalogue_is_spared_and_asked_again_later() -> None:
    dialect = DIALECTS["crossref"]
    clock = ManualClock()
    async with receiving(answer(500)) as server:
        asked = catalogue(dialect, server.port, clock=clock)
        for _ in range(FAILURES_BEFORE_SPARING + 2):
            with pytest.raises(TransientError):
                await asked.resolve(dialect.identifier)
        spared = server.connections
        clock.advance(SPARED_SECONDS + 1)
        with pytest.raises(TransientError):
            await asked.resolve(dialect.identifier)

    assert spared == FAILURES_BEFORE_SPARING
    assert server.connections == FAILURES_BEFORE_SPARING + 1


async def test_one_that_has_had_enough_is_spared_for_as_long_as_it_says() -> None:
    dialect = DIALECTS["crossref"]
    clock = ManualClock()
    async with receiving(answer(429, headers="Retry-After: 7\r\n")) as server:
        asked = catalogue(dialect, server.port, clock=clock)
        for seconds in (6.0, 2.0, 0.0):
            with pytest.raises(TransientError):
                await asked.resolve(dialect.identifier)
            clock.advance(seconds)

    assert server.connections == 2


async def test_questions_wait_for_their_turn() -> None:
    dialect = DIALECTS["crossref"]
    pauses: list[float] = []
    async with receiving(answer(200, body=crossref())) as server:
        asked = catalogue(dialect, server.port, per_second=2, pauses=pauses)
        for _ in range(5):
            await asked.resolve(dialect.identifier)

    assert len(server.received) == 5
    assert len(pauses) == 2


async def test_a_private_host_is_refused_unless_allowed() -> None:
    dialect = DIALECTS["crossref"]

    async def resolve(_host: str, _port: int) -> list[str]:
        return ["10.0.0.7"]

    client = GuardedClient(httpx.URL("https://api.crossref.org"), who="crossref", resolve=resolve)
    clock = ManualClock()
    asked = HttpCatalogue(
        dialect.api,
        client,
        rate_limiter=InMemoryRateLimiter(clock=clock),
        per_second=1,
        clock=clock,
    )

    with pytest.raises(PermanentError, match="private"):
        await asked.resolve(dialect.identifier)


@pytest.mark.parametrize(
    "url",
    [
        "http://api.crossref.org",
        "https://user:secret@api.crossref.org",
        "https://127.0.0.1",
        "https://api.crossref.org/?key=1",
        "ftp://api.crossref.org",
        "nothing",
    ],
)
def test_an_address_that_cannot_be_asked_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ConfigurationError):
        base_url(url, allow_private_networks=False)


HOSTILE = ["10.1234/../../admin", "10.1234/a?b=c#d", "10.1234/x%2f..%2fy", "10.1234/a\\b;c&d=e"]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", ["crossref", "datacite", "openalex", "semantic-scholar"])
async def test_a_hostile_identifier_stays_one_segment_of_the_path(name: str, value: str) -> None:
    dialect = DIALECTS[name]
    hostile = Identifier(kind=CitationKind.DOI, value=value)
    async with receiving(answer(404)) as server:
        await catalogue(dialect, server.port).resolve(hostile)

    path, _, query = server.received[0].target.partition("?")
    assert path.count("/") == dialect.target.partition("?")[0].count("/")
    assert query == dialect.target.partition("?")[2]
    assert "#" not in path


@pytest.mark.parametrize("value", ["10.1234/a b", "10.1234/ä", "10.1/x", "http://x", "10.1234/"])
def test_what_is_no_canonical_identifier_cannot_be_sent(value: str) -> None:
    with pytest.raises(ValueError, match="canonical"):
        Identifier(kind=CitationKind.DOI, value=value)


# The file that an organisation ships


def shipped(folder: Path, *lines: str, name: str = "works.jsonl") -> CitationResolver:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return CatalogueFile(path)


async def test_the_file_answers_for_every_identifier_of_a_work(tmp_path: Path) -> None:
    resolver = shipped(
        tmp_path,
        '{"doi": "https://doi.org/10.1234/ABC", "isbn": "978-0-306-40615-7", "rfc": "RFC 9110",'
        ' "title": "T", "authors": ["Doe, Jane"], "year": 2019}',
        "",
        '{"pmid": 31452104, "title": "U", "retracted": true}',
    )
    book = Identifier(kind=CitationKind.ISBN, value="9780306406157")
    rfc = Identifier(kind=CitationKind.RFC, value="9110")

    by_doi = await resolver.resolve(Identifier(kind=CitationKind.DOI, value="10.1234/abc"))
    by_isbn, by_rfc, by_pmid = [await resolver.resolve(one) for one in (book, rfc, PMID)]

    assert by_doi is not None
    assert by_doi.authors == ("Doe, Jane",)
    assert by_isbn is not None
    assert by_rfc is not None
    assert by_pmid is not None
    assert by_pmid.retracted
    assert await resolver.resolve(ARXIV) is None


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"title": "no identifier"}',
        '{"doi": "not one", "title": "T"}',
        '{"doi": "10.1234/a", "title": "T", "surprise": 1}',
        '{"doi": "10.1234/a", "title": "' + "x" * 70_000 + '"}',
    ],
)
async def test_a_line_in_no_form_makes_the_whole_file_an_error(tmp_path: Path, line: str) -> None:
    resolver = shipped(tmp_path, '{"doi": "10.1234/ok", "title": "T"}', line)

    with pytest.raises(PermanentError, match="line 2"):
        await resolver.resolve(DOI)


async def test_a_missing_file_is_an_error_and_no_empty_catalogue(tmp_path: Path) -> None:
    with pytest.raises(PermanentError):
        await CatalogueFile(tmp_path / "none.jsonl").resolve(DOI)


async def test_retraction_watch_s_table_tells_retractions_only(tmp_path: Path) -> None:
    resolver = shipped(
        tmp_path,
        "Record ID,Title,Author,OriginalPaperDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature",
        '1,"Wear, revisited",Ada Berg;Bo Roe,3/4/2018 0:00,10.1234/One,77,Retraction',
        "2,Corrected,C Doe,1/1/2019 0:00,10.1234/two,0,Correction",
        "3,Nowhere,C Doe,,unavailable,,Retraction",
        name="retractions.csv",
    )

    one = await resolver.resolve(Identifier(kind=CitationKind.DOI, value="10.1234/one"))
    number = await resolver.resolve(Identifier(kind=CitationKind.PMID, value="77"))

    assert one is not None
    assert (one.title, one.authors, one.year) == ("Wear, revisited", ("Ada Berg", "Bo Roe"), 2018)
    assert isinstance(number, Work)
    assert number.retracted
    assert await resolver.resolve(Identifier(kind=CitationKind.DOI, value="10.1234/two")) is None


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("open-quote.csv", 'DOI,"RetractionNature\n' * 3, "cannot be read"),
        (
            "swallowed.csv",
            f'{CSV_HEAD}\n"10.1000/1,Retraction,T,A,\n10.1000/2,Retraction,T,A,',
            "read",
        ),
        ("deep.jsonl", "[" * 60_000, "line 1"),
        (
            "digits.jsonl",
            '{"doi": "10.1000/1", "title": "T", "year": ' + "1" * 5_000 + "}",
            "line 1",
        ),
        ("surrogate.jsonl", '{"doi": "10.1000/1", "title": "\\ud800"}', "line 1"),
        ("nul.jsonl", "\0\1\2", "line 1"),
        ("second.jsonl", '{"doi": "10.1000/1", "title": "T"}\n{', "line 2"),
    ],
)
def test_a_malformed_catalogue_is_refused_whole(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=told):
        read_catalogue(path)


@pytest.mark.parametrize(
    ("date", "year"),
    [
        ("1/12/2019", 2019),
        ("1/12/2019 0:00", 2019),
        ("1/1/\u00b2\u00b2\u00b2\u00b2", None),
        ("1/1/\u0661\u0662\u0663\u0664", None),
        ("12019", None),
        ("", None),
    ],
)
def test_a_retraction_s_year_is_four_digits_or_none(
    tmp_path: Path, date: str, year: int | None
) -> None:
    path = tmp_path / "retractions.csv"
    path.write_text(f"{CSV_HEAD}\n10.1000/1,Retraction,T,A,{date}\n", encoding="utf-8")

    works = read_catalogue(path)

    assert [work.year for work in works.values()] == [year]


def test_a_byte_order_mark_before_the_first_line_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "works.jsonl"
    path.write_text('{"doi": "10.1000/1", "title": "T"}', encoding="utf-8-sig")

    assert len(read_catalogue(path)) == 1
