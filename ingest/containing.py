"""Takes documents out of the evidence in one step, and gives them back to be judged anew.

The ledger goes first, in one transaction; the index, the answers kept and the deny namespace
follow. A crash between the two leaves the incident `containing`, and `resume` ends it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from domain.clock import Clock, IdFactory
from domain.documents import DocumentId, DocumentStatus, OriginRef, TenantId
from domain.errors import ConflictError, InputError
from domain.incidents import Incident, IncidentId, IncidentStatus
from domain.ledger import DocumentFilter, DocumentRecord, Ledger
from domain.monitoring import Observation, TopicId
from domain.retrieval import FamilyId
from ingest.offences import OffendingCopies

MOST_DOCUMENTS: Final = 5_000
"""Of one incident. More is another incident, or an origin to revoke."""
MOST_SHARE: Final = 0.2
"""Of a topic's established documents, what one person alone may take out."""
_WINDOW: Final = 200
"""Latest questions of a topic, whose evidence is the topic's."""
_PAGE: Final = 200
_OBSERVED_PAGE: Final = 1_000
_OBSERVED_PAGES: Final = 20


class Agreement(Protocol):
    async def agree(self, document_id: DocumentId) -> object:
        """See `IngestPipeline.agree`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What an incident is opened from; one of these.

    `documents` and `origin` name what goes. Of the others, what an established origin brought goes
    only where it is confirmed by name.
    """

    documents: tuple[DocumentId, ...] = ()
    suspects: tuple[DocumentId, ...] = ()
    origin: OriginRef | None = None
    family: FamilyId | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShare:
    """How many of the established documents in a topic's evidence would go."""

    topic_id: TopicId
    going: int
    established: int

    @property
    def needs_approval(self) -> bool:
        return self.going > MOST_SHARE * self.established


class ContainmentDesk:
    """Plans, contains, undoes."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        pipeline: Agreement,
        copies: OffendingCopies,
        clock: Clock,
        ids: IdFactory,
    ) -> None:
        self._ledger = ledger
        self._copies = copies
        self._pipeline = pipeline
        self._clock = clock
        self._ids = ids

    async def open(
        self, tenant_id: TenantId, selection: Selection, *, cause: str, reason: str, actor: str
    ) -> Incident:
        """Write the plan; nothing is touched.

        Admitted documents that are selected, and with them their near-identicals: those of
        unestablished origins and those that hold what a selected one changed at once, others of
        established origins where they are confirmed by name.

        Raises:
            InputError: Nothing admitted is selected, or more than `MOST_DOCUMENTS`.
        """
        picked = await self._picked(tenant_id, selection)
        named = bool(selection.documents) or selection.origin is not None
        standing = _Standing(self._ledger, tenant_id)
        going = {one.id for one in picked if named or not await standing.established(one)}
        going |= await self._copies.holders(tenant_id, [one for one in picked if one.id in going])
        confirmable = {one.id for one in picked} - going
        for record in await self._near_identical(picked):
            if record.id not in going:
                honest = await standing.established(record)
                (confirmable if honest else going).add(record.id)
        if not going and not confirmable:
            raise InputError("nothing that is admitted is selected")
        _require_few(going | confirmable)
        incident = Incident(
            id=IncidentId(self._ids.new("inc")),
            tenant_id=tenant_id,
            status=IncidentStatus.OPEN,
            cause=cause,
            reason=reason,
            opened_at=self._clock.now(),
            opened_by=actor,
            documents=frozenset(going),
            confirmable=frozenset(confirmable),
        )
        await self._ledger.incidents.add(incident)
        return incident

    async def contain(
        self,
        tenant_id: TenantId,
        incident_id: IncidentId,
        *,
        confirmed: Collection[DocumentId],
        actor: str,
    ) -> Incident:
        """Quarantine all at once; from the next question on none of it is evidence.

        Raises:
            NotFoundError: Unknown.
            InputError: Something is confirmed that does not wait for it.
            ConflictError: It is not open, or another principal has to approve it first.
            TransientError: Index or ledger did not answer; what was begun ends by itself.
        """
        incident = await self._ledger.incidents.get(tenant_id, incident_id)
        wrong = set(confirmed) - incident.confirmable
        if wrong:
            raise InputError(f"document {min(wrong)!r} does not wait to be confirmed")
        documents = incident.documents | frozenset(confirmed)
        shares = await self.shares(tenant_id, documents)
        if incident.approved_by is None and any(one.needs_approval for one in shares):
            raise ConflictError(
                f"more than {MOST_SHARE:.0%} of a topic's established documents would go: "
                "another principal has to approve it"
            )
        begun = await self._ledger.incidents.contain(
            tenant_id, incident_id, documents=documents, actor=actor, at=self._clock.now()
        )
        return await self._follow(begun)

    async def undo(
        self, tenant_id: TenantId, incident_id: IncidentId, *, reason: str, actor: str
    ) -> Incident:
        """Have all that is still contained scanned anew: what passes today's policy comes back.

        Raises:
            NotFoundError: Unknown.
            ConflictError: It is not contained.
            InputError: No reason is given.
        """
        if not reason.strip():
            raise InputError("an undoing needs a reason")
        return await self._ledger.incidents.undo(
            tenant_id, incident_id, reason=reason, actor=actor, at=self._clock.now()
        )

    async def resume(self) -> int:
        """End what a crash left half way; return how many incidents.

        Raises:
            TransientError: Index or ledger did not answer.
        """
        unfinished = await self._ledger.incidents.unfinished()
        for incident in unfinished:
            await self._follow(incident)
        return len(unfinished)

    async def shares(
        self, tenant_id: TenantId, documents: Collection[DocumentId]
    ) -> Sequence[TopicShare]:
        """Return the topics that would lose established documents, the greatest share first."""
        going = frozenset(documents)
        found: list[TopicShare] = []
        for topic in await self._ledger.observations.topics(tenant_id):
            seen = await self._ledger.observations.window(tenant_id, topic.id, limit=_WINDOW)
            established = {
                note.document_id for one in seen for note in one.evidence if note.established
            }
            lost = len(established & going)
            if lost:
                found.append(
                    TopicShare(topic_id=topic.id, going=lost, established=len(established))
                )
        return sorted(found, key=lambda one: (-one.going / one.established, one.topic_id))

    async def touched(
        self, tenant_id: TenantId, documents: Collection[DocumentId], *, until: datetime | None
    ) -> Sequence[Observation]:
        """Return the questions in whose evidence one of the documents stood, oldest first.

        Of long records the first `_OBSERVED_PAGES` pages since the earliest receipt are read.
        """
        wanted = frozenset(documents)
        records = await self._ledger.documents.records(tenant_id, sorted(wanted))
        since = min((one.received_at for one in records.values()), default=None)
        found: list[Observation] = []
        last: Observation | None = None
        for _ in range(_OBSERVED_PAGES):
            page = await self._ledger.observations.recorded(
                tenant_id,
                since=since if last is None else last.observed_at,
                after=None if last is None else last.question_id,
                limit=_OBSERVED_PAGE,
            )
            found += [one for one in page if _holds(one, wanted)]
            if len(page) < _OBSERVED_PAGE:
                break
            last = page[-1]
        return [one for one in found if until is None or one.observed_at <= until]

    async def _follow(self, incident: Incident) -> Incident:
        for document_id in sorted(incident.documents):
            await self._pipeline.agree(document_id)
        return await self._ledger.incidents.finish(incident.tenant_id, incident.id)

    async def _picked(self, tenant_id: TenantId, selection: Selection) -> Sequence[DocumentRecord]:
        documents = self._ledger.documents
        if selection.documents or selection.suspects:
            names = (*selection.documents, *selection.suspects)
            found: Iterable[DocumentRecord] = (await documents.records(tenant_id, names)).values()
        elif selection.family is not None:
            found = await documents.family(tenant_id, selection.family)
        else:
            found = await self._listed(tenant_id, selection)
        return [one for one in found if one.status is DocumentStatus.ADMITTED]

    async def _listed(self, tenant_id: TenantId, selection: Selection) -> Sequence[DocumentRecord]:
        wanted = DocumentFilter(status=DocumentStatus.ADMITTED, origin=selection.origin)
        found: list[DocumentRecord] = []
        cursor: str | None = None
        while True:
            page = await self._ledger.documents.list(tenant_id, wanted, cursor=cursor, limit=_PAGE)
            found += [one for one in page.items if _within(one, selection)]
            cursor = page.next_cursor
            if cursor is None:
                return found
            _require_few(found)

    async def _near_identical(self, picked: Sequence[DocumentRecord]) -> Sequence[DocumentRecord]:
        families = {(one.tenant_id, one.family_id) for one in picked if one.family_id is not None}
        return [
            record
            for tenant_id, family_id in sorted(families)
            for record in await self._ledger.documents.family(tenant_id, family_id)
        ]


class _Standing:
    """Whether a document's origin is established now; each origin is asked for once."""

    def __init__(self, ledger: Ledger, tenant_id: TenantId) -> None:
        self._ledger = ledger
        self._tenant_id = tenant_id
        self._known: dict[OriginRef, bool] = {}

    async def established(self, record: DocumentRecord) -> bool:
        if record.origin not in self._known:
            origin = await self._ledger.origins.get(self._tenant_id, record.origin)
            self._known[record.origin] = origin.established
        return self._known[record.origin]


def _holds(observation: Observation, wanted: frozenset[DocumentId]) -> bool:
    return any(note.document_id in wanted for note in observation.evidence)


def _within(record: DocumentRecord, selection: Selection) -> bool:
    at = record.admitted_at or record.received_at
    early = selection.since is not None and at < selection.since
    late = selection.until is not None and at > selection.until
    return not early and not late


def _require_few(documents: Collection[object]) -> None:
    if len(documents) > MOST_DOCUMENTS:
        raise InputError(f"{len(documents)} documents are selected, limit is {MOST_DOCUMENTS}")
