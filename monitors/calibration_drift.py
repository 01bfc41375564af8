"""Watches whether confidence still holds, by reviewers' labels, and keeps an alert in step with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from defences.answering.calibration_drift import LEAST_LABELS, PRECISION, Drift, LabelledAnswer
from defences.answering.calibration_drift import measure_drift as measured
from domain.answering import Outcome
from domain.clock import IdFactory
from domain.documents import TenantId
from domain.feedback import FeedbackLedger
from domain.ledger import AlertLedger
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from monitors.events import fingerprint
from monitors.standing import begin, end, firing

NAME: Final = "calibration-drift"
_LABELS: Final[Mapping[str, str]] = {"monitor": NAME}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftOptions:
    """Labels of the last `window` count, `most` of them; with fewer than `least` nothing is said."""

    window: timedelta = timedelta(days=30)
    least: int = LEAST_LABELS
    most: int = 1_000
    precision: float = PRECISION


class CalibrationDriftMonitor:
    """A `Monitor` of the calibration that made the latest labelled answer: one alert a tenant.

    Askers' proposals are not read (Law 13). A refit has another version: labels of answers that
    the former one made no longer count, and its alert ends.
    """

    def __init__(
        self,
        feedback: FeedbackLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: DriftOptions | None = None,
    ) -> None:
        self._feedback = feedback
        self._alerts = alerts
        self._ids = ids
        self._options = options or DriftOptions()

    @property
    def name(self) -> str:
        return NAME

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return the alert if it changed status.

        Raises:
            TransientError: The ledger did not answer.
        """
        options = self._options
        labelled = await self._feedback.labelled(
            tenant_id, since=now - options.window, limit=options.most
        )
        version = labelled[0].calibration_version if labelled else None
        answers = [
            LabelledAnswer(confidence=one.confidence, right=one.right)
            for one in labelled
            if one.calibration_version == version and one.outcome is not Outcome.ABSTAIN
        ]
        drift = measured(answers, precision=options.precision, least=options.least)
        if drift is not None and drift.drifted:
            return await self._fire(tenant_id, drift, version, now)
        return await self._resolve(tenant_id, drift, now)

    async def _fire(
        self, tenant_id: TenantId, drift: Drift, version: str | None, now: datetime
    ) -> Sequence[Alert]:
        alert = Alert(
            id=AlertId(self._ids.new("alr")),
            tenant_id=tenant_id,
            name=NAME,
            fingerprint=fingerprint(_LABELS),
            severity=Severity.WARNING,
            status=AlertStatus.FIRING,
            labels=_LABELS,
            annotations={
                "labels": str(drift.labels),
                "share_right": f"{drift.share:.3f}",
                "upper_bound": f"{drift.upper:.3f}",
                "calibration_error": f"{drift.error:.3f}",
                "calibration_version": version or "none",
            },
            starts_at=now,
        )
        return [alert] if await begin(self._alerts, alert, _numbers(drift)) else []

    async def _resolve(
        self, tenant_id: TenantId, drift: Drift | None, now: datetime
    ) -> Sequence[Alert]:
        standing = await self._standing(tenant_id)
        if standing is None:
            return []
        resolved = await end(self._alerts, standing, _numbers(drift), at=now)
        return [] if resolved is None else [resolved]

    async def _standing(self, tenant_id: TenantId) -> Alert | None:
        found = [alert async for alert in firing(self._alerts, tenant_id, NAME)]
        return found[0] if found else None


def _numbers(drift: Drift | None) -> Mapping[str, object]:
    if drift is None:
        return {"answers": 0}
    return {
        "answers": drift.labels,
        "share_right": round(drift.share, 4),
        "calibration_error": round(drift.error, 4),
    }
