"""The path of one document: parse, normalise, scan, assess, then admit, quarantine or reject.

Read this first. A worker calls `ingest` with an id; everything else is loaded here. The order of
writes makes every step safe to repeat: vectors before the verdict that promises them, and the
verdict last, by compare-and-set, so that of two workers on one document one settles it. Whoever
wrote to the index or the ledger then looks whether the two still say the same (`agree`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

from defences.retrieval.families import FamilyDecision
from domain.clock import Clock
from domain.documents import UNDECIDED, BlobStore, Document, DocumentId, DocumentStatus
from domain.errors import (
    DocumentUnreadableError,
    PermanentError,
    TransientError,
    UnsupportedMediaTypeError,
)
from domain.ledger import DocumentRecord, Ledger, Settlement
from domain.retrieval import FamilyId
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, Contribution, TrustAssessment, Verdict
from ingest.admission import Admission, Prepared
from ingest.background import Background
from ingest.examination import Examination, Examiner
from ingest.leases import ScanLeases
from ingest.neighbours import NeighbourLookup, text_key
from ingest.regrouping import Regrouping
from ingest.turns import Turns

WORKER_KILLED_RULE: Final = "parsing.worker-killed"
UNREADABLE_RULE: Final = "parsing.unreadable"
OVER_TIME_RULE: Final = "parsing.over-time"
UNSUPPORTED_RULE: Final = "parsing.unsupported-type"
TOO_LARGE_RULE: Final = "indexing.too-many-chunks"
REFUSED_RULE: Final = "scanning.refused"
"""A service refused, which is no fault of the document's: it is held, and scanned again later."""

_ROUNDS: Final = 5


class IngestPipeline:
    """Takes a received document to its verdict."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        blobs: BlobStore,
        examiner: Examiner,
        neighbours: NeighbourLookup,
        admission: Admission,
        background: Background,
        regrouping: Regrouping,
        turns: Turns,
        leases: ScanLeases,
        clock: Clock,
        max_attempts: int,
    ) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._examiner = examiner
        self._neighbours = neighbours
        self._admission = admission
        self._background = background
        self._regrouping = regrouping
        self._turns = turns
        self._leases = leases
        self._clock = clock
        self._max_attempts = max_attempts

    @property
    def examiner(self) -> Examiner:
        """What reads and judges, and writes no verdict."""
        return self._examiner

    async def ingest(self, document_id: DocumentId) -> DocumentRecord | None:
        """Scan and settle one document; None where there was nothing to do.

        Raises:
            NotFoundError: Unknown to the ledger.
            ScanUnderWayError: Another job of the document is being done.
            DependencyError: A service failed; the document stays to be tried again, and the attempt
                does not count.
        """
        record = await self._leases.begin(document_id)
        if record is None:
            return None
        async with self._leases.kept(record):
            await self._take_to_verdict(record)
        return await self._ledger.documents.find(document_id)

    async def _take_to_verdict(self, record: DocumentRecord) -> None:
        if record.attempts > self._max_attempts:
            # Written before parsing, so a file that kills its worker is counted, not retried for ever.
            await self._settle_unread(
                record,
                WORKER_KILLED_RULE,
                f"scanning stopped its worker {record.attempts - 1} times",
            )
        else:
            try:
                seen = await self._examiner.examine(record)
            except UnsupportedMediaTypeError as exc:
                await self._settle_unread(record, UNSUPPORTED_RULE, str(exc))
            except DocumentUnreadableError as exc:
                await self._settle_unread(record, UNREADABLE_RULE, str(exc))
            except PermanentError as exc:
                await self._settle_unread(record, REFUSED_RULE, str(exc), reason=CoarseReason.HOLD)
            else:
                await self._settle(record, seen)

    async def give_up(self, document_id: DocumentId) -> None:
        """Hold a document whose scan took too long; nothing if it has a verdict."""
        record = await self._ledger.documents.find(document_id)
        if record.status is DocumentStatus.SCANNING:
            await self._settle_unread(
                record, OVER_TIME_RULE, "scanning took too long", reason=CoarseReason.HOLD
            )

    async def examine_again(self, record: DocumentRecord) -> Examination:
        """Parse and scan a document that has a verdict, for a release. Writes no verdict.

        Raises:
            InputError: It cannot be parsed.
        """
        return await self._examiner.examine(record)

    async def agree(self, document_id: DocumentId) -> DocumentRecord:
        """Make the index hold what the ledger promises of one document, whoever else writes.

        Steps side by side may each undo what another wrote. The last of them to look finds the
        ledger at rest, and leaves the index as it says.

        Raises:
            TransientError: The document was decided again and again while we looked.
        """
        for _ in range(_ROUNDS):
            before = await self._ledger.documents.find(document_id)
            await self._follow(before)
            after = await self._ledger.documents.find(document_id)
            if (after.status, after.decided_at) == (before.status, before.decided_at):
                return after
        raise TransientError(f"document {document_id!r} kept changing")

    async def admit_in_turn(
        self,
        record: DocumentRecord,
        seen: Examination,
        *,
        trust: float,
        write: Callable[[FamilyDecision, datetime], Awaitable[None]],
    ) -> None:
        """Index a document and let `write` put it into the ledger, while no other is placed.

        Afterwards index, ledger and families agree, with the tier that the origin then has, even
        if the turn was lost or the origin changed half way. What `write` raises is raised after it.

        Raises:
            TransientError: The turn did not come in time; nothing was written.
        """
        prepared = await self._admission.prepare(seen.document, findings=seen.report.findings)
        async with self._turns.take(record.tenant_id) as turn:
            document = await self._up_to_date(seen.document)
            now = self._clock.now()
            try:
                family = await self._admission.place(
                    document, prepared, record=record, trust=trust, at=now
                )
                await write(family, now)
            finally:
                present = await self.agree(record.id)
                if present.status is DocumentStatus.ADMITTED and present.admitted_at != now:
                    # Another admitted it meanwhile: the index is to say what was written down.
                    await self._write_as_recorded(present, document, prepared)
                    present = await self.agree(record.id)
            if not turn.held:
                document = await self._up_to_date(document)
                await self._place_again(present, document)
            origin = await self._ledger.origins.get(record.tenant_id, record.origin)
            if origin != document.provenance.origin:
                await self._place_again(present, await self._up_to_date(document))
                await self._regrouping.regroup(record.tenant_id, record.origin)
            if present.status is DocumentStatus.ADMITTED:
                await self._replace_earlier(present)

    async def _settle(self, record: DocumentRecord, seen: Examination) -> None:
        settlement = Settlement(
            assessment=seen.assessment,
            report=seen.report,
            media_type=seen.document.media_type,
            fingerprint=seen.fingerprint,
            settled_at=self._clock.now(),
            mark=seen.mark,
        )
        if seen.assessment.verdict is not Verdict.ADMIT:
            await self._neighbours.object_to(
                seen.document, seen.report.findings, seen.assessment.reason
            )
            await self._hold(record, settlement)
            return

        async def write(family: FamilyDecision, at: datetime) -> None:
            admitted = replace(
                settlement, settled_at=at, family_id=family.family_id, voting=family.voting
            )
            await self._ledger.documents.settle(record.id, admitted)

        try:
            await self.admit_in_turn(record, seen, trust=seen.assessment.score, write=write)
        except DocumentUnreadableError as exc:
            await self._hold(record, _kept_out(settlement, TOO_LARGE_RULE, str(exc)))
        except PermanentError as exc:
            await self._hold(
                record, _kept_out(settlement, REFUSED_RULE, str(exc), reason=CoarseReason.HOLD)
            )

    async def _hold(self, record: DocumentRecord, settlement: Settlement) -> None:
        """Write a verdict that keeps the document out of the index."""
        async with self._turns.take(record.tenant_id, required=False):
            await self._admission.withdraw(record)
            await self._ledger.documents.settle(record.id, settlement)
            await self.agree(record.id)

    async def _settle_unread(
        self,
        record: DocumentRecord,
        rule: str,
        message: str,
        *,
        reason: CoarseReason = CoarseReason.UNREADABLE,
    ) -> None:
        """Quarantine what could not be looked at: a person decides, nothing is dropped."""
        finding = Finding(rule=rule, risk=1.0, level=FindingLevel.SUSPICIOUS, message=message)
        contribution = Contribution(rule=rule, risk=1.0, weight=1.0, points=1.0)
        await self._hold(
            record,
            Settlement(
                assessment=TrustAssessment(
                    document_id=record.id,
                    score=0.0,
                    risk=1.0,
                    verdict=Verdict.QUARANTINE,
                    reason=reason,
                    contributions=(contribution,),
                    policy_version=self._examiner.policy_version,
                ),
                report=ScanReport(
                    document_id=record.id,
                    findings=(finding,),
                    completed={},
                    unavailable=self._examiner.detectors,
                ),
                media_type=None,
                fingerprint=None,
                settled_at=self._clock.now(),
            ),
        )

    async def _replace_earlier(self, record: DocumentRecord) -> None:
        """Take the versions out of the index that an admitted document takes the place of."""
        for earlier in await self._background.versions.replaced_by(record):
            if await self._ledger.lifecycle.supersede(
                record.tenant_id, earlier.document_id, by=record.id, at=self._clock.now()
            ):
                await self.agree(earlier.document_id)

    async def _follow(self, record: DocumentRecord) -> None:
        """Bring the index to what the record says, once."""
        if record.status is DocumentStatus.ADMITTED:
            await self._restore(record)
        elif record.status not in UNDECIDED:  # a scan under way is writing, and looks after it
            await self._admission.withdraw(record)
        await self._neighbours.follow(record)
        if record.status is DocumentStatus.DELETED:
            await self._blobs.delete(record.tenant_id, text_key(record.id))

    async def _restore(self, record: DocumentRecord) -> None:
        """Write the vectors of an admitted document that has none."""
        if await self._admission.holds(record):
            return
        seen = await self._examiner.examine(record)
        prepared = await self._admission.prepare(seen.document, findings=seen.report.findings)
        await self._write_as_recorded(record, seen.document, prepared)

    async def _write_as_recorded(
        self, record: DocumentRecord, document: Document, prepared: Prepared
    ) -> None:
        await self._admission.write(
            document,
            prepared,
            record=record,
            family=FamilyDecision(
                family_id=record.family_id or FamilyId(record.id), voting=record.voting
            ),
            trust=0.0 if record.trust is None else record.trust,
            at=record.admitted_at or record.received_at,
        )

    async def _up_to_date(self, document: Document) -> Document:
        """Return the document with the neighbours and the origin's tier of this moment."""
        origin = await self._ledger.origins.get(document.tenant_id, document.provenance.origin.ref)
        document = await self._neighbours.look_again(document)
        return replace(document, provenance=replace(document.provenance, origin=origin))

    async def _place_again(self, record: DocumentRecord, document: Document) -> None:
        if record.status is DocumentStatus.ADMITTED:
            await self._admission.place_again(document, record=record)


def _kept_out(
    settlement: Settlement,
    rule: str,
    message: str,
    *,
    reason: CoarseReason = CoarseReason.UNREADABLE,
) -> Settlement:
    """Return the verdict of a document that was to be admitted and could not be indexed."""
    if settlement.report is None:
        raise AssertionError("what is settled after a scan has its report")
    finding = Finding(rule=rule, risk=1.0, level=FindingLevel.SUSPICIOUS, message=message)
    contribution = Contribution(rule=rule, risk=1.0, weight=1.0, points=1.0)
    return replace(
        settlement,
        assessment=replace(
            settlement.assessment,
            verdict=Verdict.QUARANTINE,
            reason=reason,
            contributions=(*settlement.assessment.contributions, contribution),
        ),
        report=replace(settlement.report, findings=(*settlement.report.findings, finding)),
    )
