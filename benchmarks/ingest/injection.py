"""Injected instructions: what each detector flags of texts whose sources our classifier never saw.

The columns are those that the field was measured in (docs/benchmarks/ingest.md says how each is
counted). Every text goes to every detector in turn, so that times are of the same moments.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.ingest.asking import Answer, Asked
from benchmarks.ingest.remembered import Remembered
from evaluation.injection.held_out import (
    Sample,
    embedded_samples,
    held_out_documents,
    held_out_samples,
)
from evaluation.injection.hidden_channels import CHANNELS
from evaluation.injection.hidden_payloads import PAYLOADS
from evaluation.injection.hidden_report import samples as hidden_samples
from evaluation.rates import Rate, auroc, rate

SEED: Final = 20261130
BIPIA: Final = "BIPIA"
TIMED: Final = 4
"""One text in so many gives the times."""

_QUOTING: Final = "benign_security_quoting"
_SHORT: Final = ("bastion", "deepset_benign")
NOT_INJECT_LIKE: Final = "bastion"
"""Harmless short sentences with attackers' words in them: the family that NotInject is like."""

_WARM_UP: Final = (
    "The reading room opens at nine and closes at half past six from Monday to Friday."
)


class Group(StrEnum):
    """A column of the table."""

    NAMED = "named attacks"
    EMBEDDED = "embedded"
    HIDDEN = "hidden"
    DOCUMENTS = "documents"
    QUOTING = "quoting articles"
    SHORT = "short texts"


ATTACKS: Final = (Group.NAMED, Group.EMBEDDED, Group.HIDDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Attributes: length: Of the document around an embedded payload; 0 elsewhere."""

    text: str
    group: Group
    family: str
    length: int = 0

    @property
    def attack(self) -> bool:
        return self.group in ATTACKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many texts there are of each kind."""

    rows_each: int
    documents_each: int
    embedded: int
    hidden: int

    @classmethod
    def scaled(cls, scale: float) -> Sizes:
        return cls(
            rows_each=max(2, round(30 * scale)),
            documents_each=max(1, round(5 * scale)),
            embedded=max(12, round(60 * scale)),
            hidden=max(12, round(len(CHANNELS) * scale)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One detector.

    Attributes:
        named: Unweighted mean over families of the share flagged, in [0, 1].
        groups: What was flagged, pooled over texts.
        families: The same by `group/family`.
        lengths: Embedded payloads and BIPIA by length of the document.
        short_right: Harmless sentences with attackers' words that were not flagged.
        milliseconds: CPU time a text, mean over those that every detector was asked in this run.
        to_ours: That over the first detector's.
        document_milliseconds: The same of the texts of `Group.DOCUMENTS` among them.
        errors: Texts that it failed on; they count as not flagged.
    """

    name: str
    version: str
    named: float
    groups: dict[Group, Rate]
    families: dict[str, Rate]
    lengths: dict[int, Rate]
    short_right: Rate
    auroc: float
    milliseconds: float
    document_milliseconds: float
    to_ours: float
    errors: int


def texts(data: Path, benign: Path, bipia: Path | None, sizes: Sizes) -> list[Text]:
    """Return all texts, in an order that mixes them."""
    found = [
        _of(sample)
        for sample in held_out_samples(
            data, benign, documents_each=sizes.documents_each, rows_each=sizes.rows_each
        )
    ]
    carriers = [each.text for each in held_out_documents(benign, each=60)]
    own = [(kind, text) for kind, payloads in PAYLOADS.items() for text in payloads]
    found += map(_of, embedded_samples(own, carriers, count=sizes.embedded))
    if bipia is not None:
        lines = bipia.read_text(encoding="utf-8").splitlines()
        given = [(BIPIA, str(json.loads(line)["text"])) for line in lines]
        found += map(_of, embedded_samples(given, carriers, count=sizes.embedded // 2))
    found += _hidden(sizes.hidden)
    random.Random(SEED).shuffle(found)  # noqa: S311
    return found


def _of(sample: Sample) -> Text:
    if sample.place:
        named = sample.family == f"embedded {BIPIA}"
        return Text(
            text=sample.text,
            group=Group.NAMED if named else Group.EMBEDDED,
            family=BIPIA if named else sample.family.removeprefix("embedded "),
            length=sample.length,
        )
    if sample.attack:
        group = Group.NAMED
    elif sample.family == _QUOTING:
        group = Group.QUOTING
    else:
        group = Group.SHORT if sample.family in _SHORT else Group.DOCUMENTS
    return Text(text=sample.text, group=group, family=sample.family)


def _hidden(count: int) -> Iterator[Text]:
    """Yield `count` of the texts that hide a payload, evenly over channels, payloads by chance."""
    by_channel: dict[str, list[str]] = defaultdict(list)
    for channel, _, sample in hidden_samples(seed=SEED, carriers_each=1, channels=CHANNELS, most=1):
        by_channel[channel].append(sample.content.decode("utf-8", "replace"))
    rng = random.Random(SEED)  # noqa: S311
    for channel in CHANNELS:
        rng.shuffle(by_channel[channel])
    for number in range(count):
        channel = CHANNELS[number % len(CHANNELS)]
        of_channel = by_channel[channel]
        text = of_channel[number // len(CHANNELS) % len(of_channel)]
        yield Text(text=text, group=Group.HIDDEN, family=channel)


def asked(
    detectors: Sequence[Asked], texts: Sequence[Text], remembered: Remembered
) -> list[list[Answer]]:
    """Ask every detector about every text; answers by detector, in order of the texts.

    Every `TIMED`th text is asked anew of every detector, the others only of those whose answer is
    not remembered: an answer that was has no `cpu_ms`.
    """
    for detector in detectors:
        detector.ask({"text": _WARM_UP})
    answers: list[list[Answer]] = [[] for _ in detectors]
    for number, text in enumerate(texts):
        if number % 50 == 0:
            sys.stderr.write(f"injection: {number} of {len(texts)} texts\n")
        for detector, given in zip(detectors, answers, strict=True):
            known = None if number % TIMED == 0 else remembered.get(detector, text.text)
            given.append(known or detector.ask({"text": text.text}))
            if known is None:
                remembered.keep(detector, text.text, given[-1])
    return answers


def rows(
    detectors: Sequence[Asked], texts: Sequence[Text], answers: Sequence[Sequence[Answer]]
) -> list[Row]:
    """Return the table; the first detector is what costs are compared with."""
    ours = _mean(answer.cpu_ms for answer in answers[0][::TIMED])
    return [
        _row(detector, texts, given, ours=ours)
        for detector, given in zip(detectors, answers, strict=True)
    ]


def _row(detector: Asked, texts: Sequence[Text], given: Sequence[Answer], *, ours: float) -> Row:
    pairs = list(zip(texts, given, strict=True))
    families = {
        f"{group}/{family}": _flagged(pairs, group=group, family=family)
        for group, family in sorted({(text.group, text.family) for text in texts})
    }
    named = [each.share for name, each in families.items() if name.startswith(f"{Group.NAMED}/")]
    harmless = [a for t, a in pairs if t.group is Group.SHORT and t.family == NOT_INJECT_LIKE]
    spent = _mean(answer.cpu_ms for answer in given[::TIMED])
    return Row(
        name=detector.name,
        version=detector.version,
        named=statistics.fmean(named) if named else float("nan"),
        groups={group: _flagged(pairs, group=group) for group in Group},
        families=families,
        lengths={
            length: rate(answer.flagged for text, answer in pairs if text.length == length)
            for length in sorted({text.length for text in texts} - {0})
        },
        short_right=rate(not answer.flagged for answer in harmless),
        auroc=auroc(
            [answer.score for text, answer in pairs if text.attack],
            [answer.score for text, answer in pairs if not text.attack],
        ),
        milliseconds=spent,
        document_milliseconds=_mean(
            answer.cpu_ms for text, answer in pairs[::TIMED] if text.group is Group.DOCUMENTS
        ),
        to_ours=spent / ours,
        errors=sum(bool(answer.error) for answer in given),
    )


def _flagged(
    pairs: Iterable[tuple[Text, Answer]], *, group: Group, family: str | None = None
) -> Rate:
    return rate(
        answer.flagged
        for text, answer in pairs
        if text.group is group and family in (None, text.family)
    )


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return statistics.fmean(found) if found else float("nan")
