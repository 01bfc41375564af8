"""`ingest`, `ask`: what is sent to a running gateway."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from domain.errors import InputError, TransientError
from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, note, plain, progress, say, table

if TYPE_CHECKING:
    from gateway.cli.client import GatewayClient
    from gateway.http.events import StageModel
    from gateway.http.models_documents import DocumentModel, ReceiptModel
    from gateway.http.models_questions import AnswerModel, ToleranceModel, TraceModel

_POLL_SECONDS: Final = 0.2
_LONGEST_POLL_SECONDS: Final = 2.0
_UNDECIDED: Final = frozenset({"received", "scanning"})


def register(app: typer.Typer) -> None:
    app.command()(ingest)
    app.command()(ask)


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files, and folders to walk.")],
    wait: Annotated[bool, typer.Option(help="Wait for the verdicts.")] = True,
    label: Annotated[list[str] | None, typer.Option(help="key=value; may be repeated.")] = None,
    source_uri: Annotated[str | None, typer.Option(help="Where the one file comes from.")] = None,
    logical_id: Annotated[
        str | None, typer.Option(help="Of the one file: the document whatever its version.")
    ] = None,
    attestation: Annotated[
        Path | None, typer.Option(help="Of the one file: what `publishers sign` wrote.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Longest wait, in seconds.")] = 600.0,
    json_: Json = False,
) -> None:
    """Upload files. Exit code 1 if one was refused or not admitted."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    files = list(walk(paths))
    labels = _labels(label or [])
    single = {
        "--source-uri": source_uri,
        "--logical-id": logical_id,
        "--attestation": attestation,
    }
    for option, value in single.items():
        if value is not None and len(files) != 1:
            raise InputError(f"{option} is of one file, not of {len(files)}")
    signed = None if attestation is None else _attestation(attestation)
    with open_client(load_settings()) as client:
        uploaded, refused = _upload(
            lambda path: client.upload(
                path,
                source_uri=source_uri,
                labels=labels,
                logical_id=logical_id,
                attestation=signed,
            ),
            files,
        )
        seen = _await_verdicts(client, uploaded, timeout=timeout if wait else 0.0)
    for path, document in seen:
        if json_:
            emit({"path": str(path), **document.model_dump(mode="json")})
    for path, reason in refused:
        if json_:
            emit({"path": str(path), "error": reason})
    if not json_:
        _show_ingested(seen, refused)
    if wait and any(document.status in _UNDECIDED for _, document in seen):
        raise TransientError(f"no verdict on every document within {timeout:g} seconds")
    if refused or (wait and any(document.status != "admitted" for _, document in seen)):
        raise typer.Exit(FINDINGS)


def ask(
    question: Annotated[str, typer.Argument(help="The question.")],
    m: Annotated[int | None, typer.Option("--m", min=1, max=32, help="Drafts.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, max=32, help="Chunks a draft.")] = None,
    min_tolerance: Annotated[
        int,
        typer.Option(
            "--min-tolerance", min=0, max=31, help="Seats that must not be able to change it."
        ),
    ] = 0,
    trace: Annotated[bool, typer.Option("--trace", help="Show how it came about.")] = False,
    stream: Annotated[bool, typer.Option("--stream", help="Show each stage as it ends.")] = False,
    json_: Json = False,
) -> None:
    """Ask a question; the answer says how far it can be trusted, or that there is none."""
    from gateway.cli.client import open_client
    from runtime.settings import load_settings

    with open_client(load_settings()) as client:
        if stream:
            followed = client.follow(question, m=m, k=k, min_tolerance=min_tolerance)
            answer = _follow(followed, json_=json_)
        else:
            answer = client.ask(question, m=m, k=k, min_tolerance=min_tolerance)
        whole = client.trace(answer.id) if trace else None
    if json_:
        emit((whole or answer).model_dump(mode="json"))
        return
    _show_answer(answer)
    if whole is not None:
        _show_trace(whole)


def _follow(events: Iterator[StageModel | AnswerModel], *, json_: bool) -> AnswerModel:
    """Tell of each stage beside the result, or as a line of JSON before it; return the answer."""
    from gateway.http.models_questions import AnswerModel

    for event in events:
        if isinstance(event, AnswerModel):
            return event
        if json_:
            emit({"event": "stage", **event.model_dump(mode="json")})
        else:
            note(_stage_line(event))
    raise TransientError("the gateway ended the stream without an answer")


def _stage_line(stage: StageModel) -> str:
    if stage.rung is not None:
        return f"{'ladder':<12} {stage.rung.step}: {plain(stage.rung.result)}"
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in stage.counts.items())
    return f"{plain(stage.stage):<12} {stage.seconds:.3f} s  {plain(counts)}".rstrip()


def walk(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield files in a stable order; of folders those whose names do not begin with a dot.

    Raises:
        InputError: A path is not there, or is neither file nor folder.
    """
    for path in paths:
        if path.is_file():
            yield path
        elif path.is_dir():
            # os.walk follows no links to folders, so a link upwards cannot trap us.
            for folder, folders, names in os.walk(path):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                for name in sorted(names):
                    if not name.startswith(".") and (Path(folder) / name).is_file():
                        yield Path(folder) / name
        else:
            raise InputError(f"no file or folder {str(path)!r}")


def _labels(pairs: Sequence[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise InputError(f"a label is key=value, not {pair!r}")
        labels[key] = value
    return labels


def _attestation(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(f"attestation {str(path)!r} cannot be read") from exc


def _upload(
    send: Callable[[Path], ReceiptModel], files: Sequence[Path]
) -> tuple[list[tuple[Path, str]], list[tuple[Path, str]]]:
    """Return the ids of what was taken, and why the rest was not."""
    taken: list[tuple[Path, str]] = []
    refused: list[tuple[Path, str]] = []
    with progress() as bar:
        task = bar.add_task("uploading", total=len(files))
        for path in files:
            try:
                receipt = send(path)
            except InputError as exc:
                refused.append((path, str(exc)))
            except OSError as exc:
                refused.append((path, f"cannot be read: {exc.strerror}"))
            else:
                taken.append((path, receipt.id))
            bar.advance(task)
    return taken, refused


def _await_verdicts(
    client: GatewayClient, uploaded: Sequence[tuple[Path, str]], *, timeout: float
) -> list[tuple[Path, DocumentModel]]:
    """Return every document as it stands when all are decided or the time is up, in order."""
    found: dict[str, DocumentModel] = {}
    deadline = time.monotonic() + timeout
    poll = _POLL_SECONDS
    with progress() as bar:
        task = bar.add_task("scanning", total=len(uploaded))
        waiting = deque(document_id for _, document_id in uploaded)
        while waiting:
            # They are scanned about in the order they came in: look at the oldest alone.
            document = client.document(waiting[0])
            found[document.id] = document
            if document.status not in _UNDECIDED or time.monotonic() >= deadline:
                waiting.popleft()
                bar.advance(task)
                poll = _POLL_SECONDS
                continue
            time.sleep(poll)
            poll = min(_LONGEST_POLL_SECONDS, poll * 1.3)
    return [(path, found[document_id]) for path, document_id in uploaded]


def _show_ingested(
    seen: Sequence[tuple[Path, DocumentModel]], refused: Sequence[tuple[Path, str]]
) -> None:
    if not seen and not refused:
        say("no documents were found")
        return
    table(
        ("file", "id", "status", "trust", "reason"),
        [
            *(
                (
                    path,
                    document.id,
                    document.status,
                    None if document.trust is None else f"{document.trust:.2f}",
                    document.reason,
                )
                for path, document in seen
            ),
            *((path, None, "refused", None, reason) for path, reason in refused),
        ],
    )
    admitted = sum(document.status == "admitted" for _, document in seen)
    say(f"{admitted} of {len(seen) + len(refused)} admitted")


def tolerance_in_words(tolerance: ToleranceModel | None) -> str | None:
    """Return both numbers; None where there are none."""
    if tolerance is None:
        return None
    numbers = (
        f"{tolerance.answer} of {tolerance.seats} seats cannot change the answer, "
        f"{tolerance.abstention} cannot force abstention"
    )
    return f"{numbers} ({tolerance.note})" if tolerance.note else numbers


def _show_answer(answer: AnswerModel) -> None:
    if answer.answer is not None:
        say(plain(answer.answer))
        say("")
    facts(
        {
            "outcome": answer.outcome,
            "reason": answer.reason,
            "warnings": ", ".join(answer.warnings),
            "confidence": f"{answer.confidence:.2f}",
            "agreement": f"{answer.agreement:.2f}",
            "tolerance": tolerance_in_words(answer.tolerance),
            "question": answer.id,
        }
    )
    if answer.sources:
        table(
            ("source", "document", "origin", "tier", "trust", "span"),
            (
                (
                    source.title or source.source_uri,
                    source.document,
                    f"{source.origin.kind}:{source.origin.id}",
                    source.tier,
                    f"{source.trust:.2f}",
                    f"{source.start}-{source.end}",
                )
                for source in answer.sources
            ),
        )


def _show_trace(trace: TraceModel) -> None:
    seats = {subset.index: subset.seats for subset in trace.subsets}
    table(
        ("draft", "seats", "answer", "raw", "faithful", "corroborated", "trust"),
        (
            (
                draft.subset,
                ", ".join(seats.get(draft.subset, [])),
                draft.failure or ("abstained" if draft.abstained else draft.answer),
                *(
                    None if number is None else f"{number:.3f}"
                    for number in (draft.raw, draft.faithfulness, draft.corroboration, draft.trust)
                ),
            )
            for draft in trace.drafts
        ),
    )
    table(
        ("group", "votes", "support", "score", "confidence"),
        (
            (
                group.answer,
                ", ".join(f"{vote.seat} {vote.share:g}" for vote in group.votes),
                f"{group.support:g}",
                f"{group.score:.3f}",
                f"{group.confidence:.2f}",
            )
            for group in trace.groups
        ),
    )
    facts(
        {
            "mode": trace.mode,
            "entropy": f"{trace.entropy:.3f} nats",
            "disagreement": f"{trace.disagreement:.2f}",
            "ladder": ", ".join(f"{rung.step}: {rung.result}" for rung in trace.ladder),
            "calibration": trace.calibration_version,
            **{f"{stage} s": f"{seconds:.3f}" for stage, seconds in trace.timings.items()},
        }
    )
