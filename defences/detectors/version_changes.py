"""What a new version of a document changes in an earlier one, and nobody independent confirms.

In-place replacement is what ingestion-time defences lose to: the page was reviewed, the update was
not. Works on `Document.changes`, which the pipeline looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain.documents import ChangeKind, Document, VersionChange
from domain.scanning import Finding, FindingLevel

_RISK = 0.6
_CONFIRMED_RISK = 0.02


class VersionChangesDetector:
    """One finding for each kind of change, at the first place where it is."""

    name = "version-changes"
    version = "1"

    def scan(self, document: Document) -> Sequence[Finding]:
        open_, confirmed = _parted(document.changes)
        findings = [_changed(kind, changes) for kind, changes in open_.items()]
        if confirmed:
            findings.append(_confirmed(confirmed))
        return findings


def _parted(
    changes: Sequence[VersionChange],
) -> tuple[dict[ChangeKind, list[VersionChange]], list[VersionChange]]:
    open_: dict[ChangeKind, list[VersionChange]] = {}
    for change in changes:
        if not change.confirmed:
            open_.setdefault(change.kind, []).append(change)
    return open_, [change for change in changes if change.confirmed]


def _changed(kind: ChangeKind, changes: Sequence[VersionChange]) -> Finding:
    first = min(changes, key=lambda change: change.span.start)
    many = "" if len(changes) == 1 else "s"
    return Finding(
        rule=f"version-changes.{kind.value}",
        risk=_RISK,
        level=FindingLevel.SUSPICIOUS,
        message=(
            f"changes {len(changes)} {kind.value}{many} of an earlier version, "
            "which no independent origin confirms"
        ),
        span=first.span,
        evidence={"changes": len(changes), "earlier": first.earlier},
    )


def _confirmed(changes: Sequence[VersionChange]) -> Finding:
    return Finding(
        rule="version-changes.confirmed",
        risk=_CONFIRMED_RISK,
        level=FindingLevel.MENTION,
        message=f"{len(changes)} changes of an earlier version are confirmed by another origin",
        evidence={"changes": len(changes), "earlier": changes[0].earlier},
    )
