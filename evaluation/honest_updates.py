"""How often an honest update of an ordinary document is held: `python -m evaluation.honest_updates`.

Ordinary documents are the descriptions of the packages in the environment, which `uv.lock` fixes:
manuals in prose, with figures, names and code. Each is edited in every way, seeded, and the new
text is judged as a new version of the old one, by the shipped detectors of versions and
near-copies and the shipped policy. Harmless edits ought to pass; changes of figures, dates,
negations and names ought to wait for a person, however honest they are.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import distributions
from random import Random
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from backends.embedder_onnx import OnnxEmbedder
from defences.detectors.near_duplicates import NearDuplicatesDetector
from defences.detectors.version_changes import VersionChangesDetector
from defences.retrieval.differences import differences
from defences.retrieval.versions import Change, compare, is_version, mark, otherwise, rewritten
from defences.trust.policy import DEFAULT_POLICY, WeightedTrustPolicy, load_policy
from domain.documents import (
    DEFAULT_TENANT,
    ChangeKind,
    Document,
    DocumentId,
    DocumentStatus,
    Neighbour,
    NeighbourRelation,
    Origin,
    OriginKind,
    Provenance,
    VersionChange,
)
from domain.lifecycle import Edition
from domain.scanning import ScanReport
from domain.text import MappedText, Span
from domain.trust import CoarseReason, Verdict

SEED: Final = 20261129
DOCUMENTS: Final = 150

_WORDS: Final = (150, 3000)
_NOW: Final = datetime(2026, 11, 1, tzinfo=UTC)
_ORIGIN: Final = Origin(kind=OriginKind.PUBLISHER, id="house", established=True)
_OLD: Final = DocumentId("old")
_SYNONYMS: Final = {
    "use": "employ", "using": "employing", "also": "besides", "many": "numerous",
    "fast": "quick", "simple": "plain", "help": "assist", "provides": "offers",
    "allows": "lets one", "needs": "requires", "makes": "renders", "whole": "entire",
    "currently": "at present", "usually": "as a rule", "example": "instance", "easy": "effortless",
    "start": "begin", "build": "construct", "show": "present", "change": "alter",
}  # fmt: skip
_BROKEN_LINES: Final = 0.1
_PARAGRAPH_WORDS: Final = 15
_FEW_PARAGRAPHS: Final = 5
# Between blanks: a letter changed within a link or a name of code is another link or name.
_LETTERS: Final = re.compile(r"(?<=[a-z,] )[a-z]{6,}(?=[ ,.]? )")
_FIGURE: Final = re.compile(r"(?<![\w.])\d{1,4}(?![\w.]|\.\d)")
_DATE: Final = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) "
    r"\d{1,2}, \d{4}\b|\b20\d\d-\d\d-\d\d\b"
)
_VERB: Final = re.compile(r"(?<=[a-z] )(?:is|are|can|should|must|will) (?=[a-z])")
_NAME: Final = re.compile(r"(?<=[a-z] )[A-Z][a-z]{3,}(?= [a-z])")

Edit = Callable[[str, Random, Sequence[str]], str | None]
"""Returns the edited text; None where the text has nothing to edit in this way."""

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditKind:
    """`harmless`: it ought to pass."""

    name: str
    harmless: bool
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Of `edits` edits of one kind `held` were held; `upper` is the 95% bound on the share."""

    name: str
    harmless: bool
    edits: int
    held: int

    @property
    def share(self) -> float:
        return self.held / self.edits if self.edits else 0.0

    @property
    def upper(self) -> float:
        if self.held == self.edits:
            return 1.0
        return float(beta.ppf(0.95, self.held + 1, self.edits - self.held))


def _replaced(
    text: str, pattern: re.Pattern[str], random: Random, new: Callable[[str], str], *, most: int
) -> str | None:
    """Replace up to `most` matches, drawn at random."""
    found = list(pattern.finditer(text))
    if not found:
        return None
    chosen = random.sample(found, min(most, len(found)))
    for match in sorted(chosen, key=lambda one: -one.start()):
        text = text[: match.start()] + new(match[0]) + text[match.end() :]
    return text


def _typos(text: str, random: Random, _: Sequence[str]) -> str | None:
    def swapped(word: str) -> str:
        at = random.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _replaced(text, _LETTERS, random, swapped, most=3)


def _reworded(text: str, random: Random, _: Sequence[str]) -> str | None:
    pattern = re.compile(rf"(?<=[a-z,] )(?:{'|'.join(_SYNONYMS)})(?=[ ,.]? )")
    return _replaced(text, pattern, random, lambda word: _SYNONYMS[word], most=4)


def _reflowed(text: str, random: Random, _: Sequence[str]) -> str | None:
    def gap(_: re.Match[str]) -> str:
        return "\n" if random.random() < _BROKEN_LINES else " "

    words = re.sub(r"(?<=[a-z,]) (?=[a-z])", gap, text)
    return words if words != text else None


def _paragraph_added(text: str, random: Random, others: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    foreign = [p for p in random.choice(others).split("\n\n") if len(p.split()) >= _PARAGRAPH_WORDS]
    if not foreign:
        return None
    paragraphs.insert(random.randint(1, len(paragraphs)), random.choice(foreign))
    return "\n\n".join(paragraphs)


def _paragraph_removed(text: str, random: Random, _: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    if len(paragraphs) < _FEW_PARAGRAPHS:
        return None
    del paragraphs[random.randrange(len(paragraphs))]
    return "\n\n".join(paragraphs)


def _paragraph_moved(text: str, random: Random, _: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    if len(paragraphs) < _FEW_PARAGRAPHS:
        return None
    moved = paragraphs.pop(random.randrange(len(paragraphs)))
    paragraphs.insert(random.randrange(len(paragraphs)), moved)
    return "\n\n".join(paragraphs)


def _sentence_added(text: str, random: Random, others: Sequence[str]) -> str | None:
    ends = [match.end() for match in re.finditer(r"[a-z]\. (?=[A-Z])", text)]
    lent = re.findall(r"(?<=\. )[A-Z][a-z][^.!?\n]{30,150}\. ", random.choice(others))
    if not ends or not lent:
        return None
    at = random.choice(ends)
    return f"{text[:at]}{random.choice(lent)}{text[at:]}"


def _stamped(text: str, random: Random, _: Sequence[str]) -> str | None:
    return f"{text}\n\nLast updated: 2026-10-{random.randint(10, 28)}, revision 7\n"


def _figure(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _FIGURE, random, lambda old: str(int(old) * 3 + 7), most=1)


def _date(text: str, random: Random, _: Sequence[str]) -> str | None:
    def later(old: str) -> str:
        year = re.search(r"20\d\d|\d{4}", old)
        return old if year is None else old.replace(year[0], str(int(year[0]) + 2))

    return _replaced(text, _DATE, random, later, most=1)


def _negated(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _VERB, random, lambda verb: f"{verb}not ", most=1)


def _renamed(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _NAME, random, lambda _: "Mallorytown", most=1)


KINDS: Final = (
    EditKind(name="typos mended", harmless=True, edit=_typos),
    EditKind(name="words replaced by synonyms", harmless=True, edit=_reworded),
    EditKind(name="lines broken anew", harmless=True, edit=_reflowed),
    EditKind(name="paragraph added", harmless=True, edit=_paragraph_added),
    EditKind(name="paragraph removed", harmless=True, edit=_paragraph_removed),
    EditKind(name="paragraph moved", harmless=True, edit=_paragraph_moved),
    EditKind(name="sentence added", harmless=True, edit=_sentence_added),
    EditKind(name="stamped with a date and revision", harmless=True, edit=_stamped),
    EditKind(name="figure changed", harmless=False, edit=_figure),
    EditKind(name="date changed", harmless=False, edit=_date),
    EditKind(name="statement negated", harmless=False, edit=_negated),
    EditKind(name="name changed", harmless=False, edit=_renamed),
)


def ordinary_documents(limit: int) -> Sequence[str]:
    """Return descriptions of installed packages, by name, each text once."""
    found: dict[str, str] = {}
    for distribution in sorted(distributions(), key=lambda one: str(one.metadata["Name"])):
        said = cast(Message, distribution.metadata)
        text = str(said.get("Description") or said.get_payload() or "").replace("\r\n", "\n")
        if _WORDS[0] <= len(text.split()) <= _WORDS[1]:
            found.setdefault(text, text)
    return list(found)[:limit]


def is_held(
    policy: WeightedTrustPolicy, old: str, new: str, *, logical_id: str | None, embed: Embed
) -> bool:
    """Return whether `new` waits for a person as a new version of `old`, which serves."""
    own = mark(DEFAULT_TENANT, new)
    edition = Edition(
        document_id=_OLD, logical_id=logical_id, version=None, received_at=_NOW,
        status=DocumentStatus.ADMITTED, reviewed=True, served=True,
        mark=mark(DEFAULT_TENANT, old),
    )  # fmt: skip
    if not is_version(edition, own, logical_id=logical_id, ids_are_vouched=False):
        return False
    if rewritten(edition.mark, own):
        found: tuple[Change, ...] = (Change(kind=ChangeKind.TEXT, span=Span(0, len(new))),)
    else:
        found = _changes(old, new, embed)
    document = Document(
        id=DocumentId("new"), tenant_id=DEFAULT_TENANT, media_type="text/plain", sha256="0" * 64,
        raw_text=new, text=MappedText.identity(new),
        provenance=Provenance(origin=_ORIGIN, claimed_uri=None, received_at=_NOW),
        neighbours=(_neighbour(old, new),),
        changes=tuple(
            VersionChange(kind=change.kind, span=change.span, earlier=_OLD) for change in found
        ),
    )  # fmt: skip
    detectors = (VersionChangesDetector(), NearDuplicatesDetector())
    report = ScanReport(
        document_id=document.id,
        findings=tuple(found for one in detectors for found in one.scan(document)),
        completed=dict.fromkeys(policy.weights.expected, "1"),
        unavailable=frozenset(),
    )
    assessment = policy.assess(report, document.provenance, now=_NOW)
    return assessment.verdict is Verdict.QUARANTINE and assessment.reason is CoarseReason.HOLD


def _changes(old: str, new: str, embed: Embed) -> tuple[Change, ...]:
    found = compare(old, new)
    if not found.doubtful:
        return found.changes
    said = [one.before for one in found.doubtful] + [one.after for one in found.doubtful]
    return (*found.changes, *otherwise(found.doubtful, embed(said)))


def _neighbour(old: str, new: str) -> Neighbour:
    difference = differences(old, new)
    return Neighbour(
        document_id=_OLD, origin=_ORIGIN, similarity=0.95, admitted=True,
        relation=NeighbourRelation.CONTRADICTION
        if difference.contradicts
        else NeighbourRelation.DUPLICATE,
        differences=difference.total,
    )  # fmt: skip


def measure(
    documents: Sequence[str], *, seed: int, logical_id: str | None, embed: Embed
) -> Iterator[Rate]:
    """Yield the share of edits that is held, kind by kind."""
    policy = load_policy(DEFAULT_POLICY.read_text(encoding="utf-8"))
    for kind in KINDS:
        random = Random(f"{seed}:{kind.name}")  # noqa: S311 - reproducible, not secret
        held = edits = 0
        for text in documents:
            new = kind.edit(text, random, documents)
            if new is None or new == text:
                continue
            edits += 1
            held += is_held(policy, text, new, logical_id=logical_id, embed=embed)
        yield Rate(name=kind.name, harmless=kind.harmless, edits=edits, held=held)


def _table(rates: Sequence[Rate]) -> str:
    rows = [
        f"| {rate.name} | {rate.edits} | {rate.held} | {rate.share:.1%} | {rate.upper:.1%} |"
        for rate in (*rates, *_totals(rates))
    ]
    return "\n".join(
        ["| edit | edits | held | share | 95% upper |", "|---|---|---|---|---|", *rows]
    )


def _totals(rates: Sequence[Rate]) -> Iterator[Rate]:
    for harmless, name in ((True, "**harmless, all**"), (False, "**says otherwise, all**")):
        chosen = [rate for rate in rates if rate.harmless is harmless]
        yield Rate(
            name=name,
            harmless=harmless,
            edits=sum(rate.edits for rate in chosen),
            held=sum(rate.held for rate in chosen),
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, prog="python -m evaluation.honest_updates"
    )
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--without-id", action="store_true", help="link by likeness alone")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    documents = ordinary_documents(given.documents)
    logical_id = None if given.without_id else "document"
    embed = OnnxEmbedder().embed_sync
    rates = list(measure(documents, seed=given.seed, logical_id=logical_id, embed=embed))
    if given.json:
        rows = [
            {"edit": r.name, "harmless": r.harmless, "edits": r.edits, "held": r.held}
            for r in (*rates, *_totals(rates))
        ]
        sys.stdout.write(json.dumps({"documents": len(documents), "rates": rows}) + "\n")
    else:
        sys.stdout.write(f"{len(documents)} documents\n\n{_table(rates)}\n")


if __name__ == "__main__":
    main()
