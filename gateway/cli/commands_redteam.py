"""`redteam`: attack a scratch copy of this configuration, and see how far its answers hold."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gateway.cli.output import Json, emit, facts, note, progress, table

if TYPE_CHECKING:
    from evaluation.redteam.corpus_questions import CorpusQuestion
    from evaluation.redteam.running import Ran, Run
    from evaluation.redteam.weaknesses import Weakness
    from runtime.settings import Settings


CORPUS_DOCUMENTS: Final = 500
CORPUS_QUESTIONS: Final = 50
"""The newest admitted documents, and questions made of them, that `--corpus` takes."""


class OperatingPoint(StrEnum):
    """As `evaluation.redteam.thresholds.PointName`, which takes seconds to import."""

    COVERAGE_90 = "coverage-90"
    PRECISION_90 = "precision-90"


Data = Annotated[
    Path | None,
    typer.Option(help="JSONL of questions, passages and attack texts: docs/redteam.md."),
]
Corpus = Annotated[
    bool, typer.Option("--corpus", help="Ask what this installation's admitted documents say.")
]
_Names = Annotated[str, typer.Option(help="Comma-separated; default: what the profile has.")]


def register(app: typer.Typer) -> None:
    app.command()(redteam)


def redteam(
    data: Data = None,
    corpus: Corpus = False,
    profile: Annotated[str, typer.Option(help="quick, default or full.")] = "default",
    attacks: _Names = "",
    provenance: _Names = "",
    stage: _Names = "",
    systems: _Names = "",
    b: Annotated[str, typer.Option("--b", help="Texts of the attacker, e.g. 1,3,5.")] = "",
    share: Annotated[
        str, typer.Option(help="Established shares of the clean passages, e.g. 1,0.5,0.")
    ] = "",
    operating_point: Annotated[
        OperatingPoint, typer.Option(help="What our own thresholds are set for.")
    ] = OperatingPoint.COVERAGE_90,
    drafter: Annotated[
        str, typer.Option(help="extractive, openai or local; default: as configured.")
    ] = "",
    verifier: Annotated[
        str, typer.Option(help="evidence, openai or local; default: as configured.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="The first so many questions.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of answers and report; the same one goes on where it stopped."),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(help="Markdown file whose section on this run is written, or written anew."),
    ] = None,
    json_: Json = False,
) -> None:
    """Attack the question path with poisoned documents, beside other systems.

    Nothing of the installation is touched: every question has a scratch index and ledger. Answers
    are kept as they come; the same command goes on after an interruption. With --json the last line
    is one JSON object.
    """
    from domain.errors import InputError
    from evaluation.redteam.legitimate import is_ambiguous
    from evaluation.redteam.plans import Choice, plan
    from evaluation.redteam.rows import read_rows
    from evaluation.redteam.running import Run, carry_out, key_of
    from evaluation.redteam.thresholds import PointName
    from runtime.settings import load_settings

    if (data is None) is not corpus:
        raise InputError("one of --data FILE and --corpus says what is asked")
    settings = with_models(load_settings(), drafter=drafter, verifier=verifier)
    questions: Sequence[CorpusQuestion] = ()
    if data is None:
        data, questions = corpus_rows(settings, limit=limit)
    keep = settings.home / "redteam" / "kept.sqlite"
    if data.is_file() and is_ambiguous(data):
        _legitimate(data, settings, limit=limit, keep=keep, json_=json_)
        return
    run = Run(
        data=data,
        limit=limit,
        plan=plan(
            profile,
            Choice(
                attacks=split_names(attacks),
                provenance=split_names(provenance),
                stages=split_names(stage),
                systems=split_names(systems),
                b=tuple(int(one) for one in _numbers("--b", b)),
                shares=_numbers("--share", share),
            ),
        ),
        point=PointName(operating_point.value),
        settings=settings,
        folder=out or settings.home / "redteam",
        jobs=jobs,
        keep=keep,
    )
    if out is None:
        run = _in_own_folder(run, key_of(run, read_rows(data, limit=limit)))
    note(f"answers and report in {run.folder}")
    with progress() as bar:
        task = bar.add_task("thresholds", total=None)

        def moved(what: str, done: int, of: int) -> None:
            bar.update(task, description=what, completed=done, total=of)

        ran = carry_out(run, moved)
    weak = _weaknesses(ran, questions, settings)
    _report(run, ran, weak, profile=profile, markdown=markdown, json_=json_)


def _legitimate(
    data: Path, settings: Settings, *, limit: int | None, keep: Path, json_: bool
) -> None:
    """Ask questions whose documents differ for good reasons."""
    import asyncio

    from evaluation.redteam.legitimate import measure, read_ambiguous, to_json

    questions = read_ambiguous(data, limit=limit)
    with progress() as bar:
        task = bar.add_task("asking", total=None)
        found = asyncio.run(
            measure(
                questions,
                settings,
                keep=keep,
                progress=lambda done, of: bar.update(task, completed=done, total=of),
            )
        )
    told = to_json(found)
    if json_:
        emit({"rows": [], "legitimate_disagreement": told})
    else:
        facts(told)


def corpus_rows(settings: Settings, *, limit: int | None) -> tuple[Path, Sequence[CorpusQuestion]]:
    """Make questions of the admitted documents and write them beside the answers."""
    from domain.documents import DEFAULT_TENANT
    from evaluation.redteam.corpus_questions import (
        CorpusDocument,
        make_questions,
        read_corpus,
        write_rows,
    )
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime.storage import build_blobs

    async def work(local: LocalLedger) -> Sequence[CorpusDocument]:
        blobs = build_blobs(settings)
        return await read_corpus(local.ledger, blobs, DEFAULT_TENANT, most=CORPUS_DOCUMENTS)

    documents = with_ledger(settings, work)
    questions = make_questions(documents, most=limit or CORPUS_QUESTIONS)
    path = settings.home / "redteam" / "corpus.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    write_rows(path, questions, documents)
    note(f"{len(questions)} questions of {len(documents)} admitted documents")
    return path, questions


def _weaknesses(
    ran: Ran, questions: Sequence[CorpusQuestion], settings: Settings
) -> tuple[Sequence[Weakness], Sequence[Weakness]]:
    """Return the weakest documents and topics; nothing of questions that came in a file."""
    if not questions:
        return (), ()
    import asyncio

    from evaluation.redteam.corpus_questions import by_row
    from evaluation.redteam.weaknesses import by_document, by_topic, topics_of

    known = by_row(questions)
    topics = asyncio.run(topics_of(questions, settings))
    return by_document(ran.asked, known), by_topic(ran.asked, known, topics)


def _report(
    run: Run,
    ran: Ran,
    weak: tuple[Sequence[Weakness], Sequence[Weakness]],
    *,
    profile: str,
    markdown: Path | None,
    json_: bool,
) -> None:
    from evaluation.redteam.html_report import html_report
    from evaluation.redteam.markdown_report import markdown_report, with_section
    from evaluation.redteam.output import output
    from evaluation.redteam.report_tables import tables
    from evaluation.redteam.running import facts_of
    from evaluation.redteam.summary import COLUMNS, cells, summarise
    from evaluation.redteam.weaknesses import tables_of, to_json

    command = shlex.join(["mithridate", *sys.argv[1:]])
    made_by = facts_of(run, ran, profile=profile, command=command)
    watched, opened = ran.watched, ran.opened
    documents, topics = weak
    more = tables_of(documents, topics)
    page = html_report(ran.asked, made_by, watched=watched, opened=opened, more=more)
    told = markdown_report(ran.asked, made_by, watched=watched, opened=opened, more=more, level=3)
    (run.folder / "report.html").write_text(page, encoding="utf-8")
    (run.folder / "report.md").write_text(told, encoding="utf-8")
    if markdown is not None:
        title = f"{made_by['data']}, {profile}, {made_by['operating point']}, {made_by['drafter']}"
        before = markdown.read_text(encoding="utf-8") if markdown.exists() else ""
        markdown.write_text(with_section(before, title, told), encoding="utf-8")
    if json_:
        made = output(ran.asked, made_by, watched=watched, opened=opened)
        weakest = {
            "documents": [to_json(one) for one in documents],
            "topics": [to_json(one) for one in topics],
        }
        emit({**made, "weakest": weakest} if documents else made)
        return
    table(COLUMNS, (cells(row) for row in summarise(ran.asked)))
    shown = [*tables(ran.asked, watched=watched, opened=opened), *more]
    for each in shown:
        if each.brief and each.rows:
            table(each.head, each.rows, title=each.title)


def with_models(settings: Settings, *, drafter: str, verifier: str) -> Settings:
    """Return the settings with other models, checked as a file's would be."""
    from pydantic import ValidationError

    from domain.errors import ConfigurationError
    from runtime.settings import Settings

    changed = settings.model_dump()
    if drafter:
        changed["drafter"]["backend"] = drafter
    if verifier:
        changed["verifier"]["backend"] = verifier
    try:
        return Settings.model_validate(changed) if drafter or verifier else settings
    except ValidationError as exc:
        raise ConfigurationError(
            f"--drafter {drafter!r}, --verifier {verifier!r}: no such backend"
        ) from exc


def _in_own_folder(run: Run, key: str) -> Run:
    from dataclasses import replace

    return replace(run, folder=run.folder / key)


def split_names(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _numbers(option: str, text: str) -> tuple[float, ...]:
    from domain.errors import InputError

    try:
        return tuple(float(one) for one in split_names(text))
    except ValueError as exc:
        raise InputError(f"{option} {text!r} is no list of numbers") from exc
