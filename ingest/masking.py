"""What is done about sensitive values: weighed, masked in the index, or held for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from domain.documents import Document, MetadataField
from domain.errors import DetectorUnavailableError, TransientError
from domain.masking import SensitiveValue, ValueAction, ValueFinder, placeholder
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.text import MappedText

MASKED_RISK: Final = 0.02
"""What is left of a risk where the value is in no index: it is reported, and moves no verdict."""
HELD_RISK: Final = 0.98


class Masking:
    """Applies the configured actions to findings, and to the text that the index is made of.

    The blob keeps what was uploaded. Everything else that is written of an admitted document
    (chunks, headings, titles, links) is written of `masked`.
    """

    def __init__(
        self, *, finders: Sequence[ValueFinder], actions: Mapping[str, ValueAction]
    ) -> None:
        """Keep the actions.

        Args:
            finders: In order of precedence where their values overlap.
            actions: By rule, e.g. `personal-data.iban`, or by detector, e.g. `secrets.*`; the rule
                wins. What is not named is flagged.
        """
        self._finders = tuple(finders)
        self._actions = dict(actions)

    def action(self, rule: str) -> ValueAction:
        detector = rule.partition(".")[0]
        by_detector = self._actions.get(f"{detector}.*", ValueAction.FLAG)
        return self._actions.get(rule, by_detector)

    def applied(self, report: ScanReport) -> ScanReport:
        """Return the report with the risks that are left, each action in the evidence.

        What says that a text was not looked through is never masked away.
        """
        return replace(report, findings=tuple(self._weighed(one) for one in report.findings))

    def _weighed(self, finding: Finding) -> Finding:
        action = self.action(finding.rule)
        if action is ValueAction.HOLD:
            return replace(
                finding,
                risk=max(finding.risk, HELD_RISK),
                level=FindingLevel.HOSTILE,
                evidence={**finding.evidence, "action": action.value},
            )
        if action is ValueAction.MASK and _names_a_value(finding):
            return replace(
                finding,
                risk=min(finding.risk, MASKED_RISK),
                level=FindingLevel.SUSPICIOUS,
                evidence={**finding.evidence, "action": action.value},
            )
        return finding

    def masked(self, document: Document) -> Document:
        """Return the document with placeholders, each mapped to the whole of what it stands for.

        Raises:
            TransientError: Not all of a text could be looked at.
        """
        if not self._masks:
            return document
        text = document.text
        return replace(
            document,
            text=_replaced(text, self._values(text.text)),
            metadata=tuple(
                MetadataField(name=field.name, value=self.masked_text(field.value))
                for field in document.metadata
            ),
        )

    def masked_text(self, text: str) -> str:
        """Return a title, file name or link with placeholders. Raises as `masked`."""
        if not self._masks or not text:
            return text
        return _replaced(MappedText.identity(text), self._values(text)).text

    @property
    def _masks(self) -> bool:
        return ValueAction.MASK in self._actions.values()

    def _values(self, text: str) -> Sequence[SensitiveValue]:
        taken: set[int] = set()
        values: list[SensitiveValue] = []
        try:
            for finder in self._finders:
                for value in finder.find(text):
                    places = range(value.start, value.end)
                    if self.action(value.rule) is ValueAction.MASK and taken.isdisjoint(places):
                        taken.update(places)
                        values.append(value)
        except DetectorUnavailableError as exc:
            raise TransientError("not all of a text could be searched for values to mask") from exc
        return sorted(values, key=lambda value: value.start)


def _names_a_value(finding: Finding) -> bool:
    return finding.rule not in {"personal-data.timeout", "secrets.not-searched"}


def _replaced(text: MappedText, values: Sequence[SensitiveValue]) -> MappedText:
    if not values:
        return text
    letters: list[str] = []
    starts, ends = [], []
    at = 0
    for value in values:
        shown = placeholder(value.rule)
        source = text.source(value.start, value.end)
        letters += [text.text[at : value.start], shown]
        starts += [text.starts[at : value.start], np.full(len(shown), source.start, np.int32)]
        ends += [text.ends[at : value.start], np.full(len(shown), source.end, np.int32)]
        at = value.end
    return MappedText(
        text="".join([*letters, text.text[at:]]),
        starts=np.concatenate([*starts, text.starts[at:]]),
        ends=np.concatenate([*ends, text.ends[at:]]),
    )
