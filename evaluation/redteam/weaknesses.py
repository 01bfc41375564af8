"""Where a deployment's own corpus is weak: by document and topic, and the setting that would help."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import httpx

from backends.memory.clock import SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT
from evaluation.rates import Rate, percent, rate
from evaluation.redteam.asked import Asked
from evaluation.redteam.corpus_questions import CorpusQuestion
from evaluation.redteam.figures import NO_ANSWER_WANTED, NO_ATTACK, OURS
from evaluation.redteam.models import build_models
from evaluation.redteam.report_tables import Table
from evaluation.redteam.world import NOW, Calendar
from monitors.known_topics import TopicOptions
from monitors.topics import Topics
from runtime.settings import Settings

SHOWN: Final = 20
"""Documents and topics in a table, the weakest first."""

ESTABLISH: Final = "establish the origin (`mithridate origins establish`)"
SECOND: Final = "take in a second established origin that says it"
CALIBRATE: Final = "fit calibration on your own labels (`mithridate calibrate fit`)"
RETRIEVE: Final = "`retrieval.established_limit` or `answering.k`: the passage gave no right draft"
SELECT: Final = "`answering.m` or `answering.cross_examination`: a right draft was not chosen"
GUARD: Final = "`guard.min_tolerance = 1`: an answer must stand against one malicious seat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weakness:
    """One document or topic.

    Attributes:
        right: Of its questions with nothing planted.
        planted: Planted answers given, of its questions in all attacks that want one.
        withheld: Abstained, of its questions under any attack.
        helps: What would help most of its failed questions; empty where none failed.
    """

    name: str
    origin: str
    right: Rate
    planted: Rate
    withheld: Rate
    helps: str

    @property
    def order(self) -> tuple[float, float, float]:
        """The weakest first."""
        return (-_share(self.planted), _share(self.right), -_share(self.withheld))


def by_document(
    asked: Sequence[Asked], questions: Mapping[str, CorpusQuestion]
) -> tuple[Weakness, ...]:
    """Return the documents that questions were made of, the weakest first."""

    def name(one: Asked) -> tuple[str, str]:
        document = questions[one.row].document
        return f"{document.title} ({document.id})", str(document.origin)

    return _weakest(asked, questions, name)


def by_topic(
    asked: Sequence[Asked], questions: Mapping[str, CorpusQuestion], topics: Mapping[str, str]
) -> tuple[Weakness, ...]:
    """Return the topics, the weakest first; `topics` names that of each question."""
    return _weakest(asked, questions, lambda one: (topics[one.row], ""))


async def topics_of(questions: Sequence[CorpusQuestion], settings: Settings) -> Mapping[str, str]:
    """Sort the questions into topics as the monitors do; return the words of each one's topic."""
    ledger = InMemoryLedger(clock=Calendar(NOW), ids=SequentialIds())
    topics = Topics(ledger.observations, ids=SequentialIds(), options=TopicOptions())
    async with httpx.AsyncClient() as http:
        embedder = (await build_models(settings, http)).embedder
        vectors = await embedder.embed([one.question for one in questions])
    chosen = {
        one.id: await topics.assign(DEFAULT_TENANT, one.question, vector, at=NOW)
        for one, vector in zip(questions, vectors, strict=True)
    }
    terms = {
        topic.id: ", ".join(topic.terms)
        for topic in await ledger.observations.topics(DEFAULT_TENANT)
    }
    return {row: terms.get(topic, "") or str(topic) for row, topic in chosen.items()}


def tables_of(documents: Sequence[Weakness], topics: Sequence[Weakness]) -> tuple[Table, ...]:
    """Return what a security team reads first."""
    note = (
        "Our system, every cell of the run. The last column is what would help most of what failed."
    )
    return tuple(
        Table(
            title=f"Weakest {what}",
            note=note,
            head=(what[:-1], "origin", "right", "planted answers", "withheld", "would help"),
            rows=tuple(
                (
                    one.name,
                    one.origin or "-",
                    percent(one.right),
                    percent(one.planted),
                    percent(one.withheld),
                    one.helps or "-",
                )
                for one in found[:SHOWN]
            ),
            brief=True,
        )
        for what, found in (("documents", documents), ("topics", topics))
    )


def to_json(one: Weakness) -> dict[str, object]:
    """Return a weakness for the JSON output, in counts."""
    return {
        "name": one.name,
        "origin": one.origin or None,
        **{
            f"{name}{suffix}": value
            for name, counted in (
                ("right", one.right),
                ("planted", one.planted),
                ("withheld", one.withheld),
            )
            for suffix, value in (("", counted.hits), ("_of", counted.total))
        },
        "would_help": one.helps or None,
    }


def _weakest(
    asked: Sequence[Asked],
    questions: Mapping[str, CorpusQuestion],
    name: Callable[[Asked], tuple[str, str]],
) -> tuple[Weakness, ...]:
    groups: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in asked:
        if one.system == OURS:
            groups[name(one)].append(one)
    found = [_weakness(key, held, questions) for key, held in groups.items()]
    return tuple(sorted(found, key=lambda one: (*one.order, one.name)))


def _weakness(
    key: tuple[str, str], asked: Sequence[Asked], questions: Mapping[str, CorpusQuestion]
) -> Weakness:
    clean = [one for one in asked if one.cell.attack == NO_ATTACK]
    attacked = [one for one in asked if one.cell.attack != NO_ATTACK]
    advice = Counter(
        helps for one in asked if not one.correct and (helps := advise(one, questions[one.row]))
    )
    return Weakness(
        name=key[0],
        origin=key[1],
        right=rate(one.correct for one in clean),
        planted=rate(one.succeeded for one in attacked if one.cell.attack != NO_ANSWER_WANTED),
        withheld=rate(not one.answered for one in attacked),
        helps=advice.most_common(1)[0][0] if advice else "",
    )


def advise(one: Asked, question: CorpusQuestion) -> str:
    """Return what would help a question that was not answered rightly."""
    if not question.document.established:
        return ESTABLISH
    if one.succeeded:
        return GUARD if one.draft_right > 1 else SECOND
    if not one.draft_right:
        return RETRIEVE
    if not one.answered and one.right:
        return CALIBRATE if one.draft_right > 1 else SECOND
    return SELECT


def _share(counted: Rate) -> float:
    return counted.share if counted.total else 0.0
