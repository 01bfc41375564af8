"""Runs the main job on the sample corpus over HTTP, and checks what came of every attack.

Read `run` first: established origins publish, the open ones follow with the planted poison, a
baseline of questions is asked and the questions that the attacks aim at; then two established
origins turn (the spike), and the monitor has to notice.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from domain.errors import InputError
from evaluation.demo.api import DemoApi
from evaluation.demo.expectations import (
    AlertResult,
    DemoResult,
    DocumentResult,
    QuestionResult,
    SourceResult,
    failures,
)
from evaluation.demo.manifest import DemoDocument, DemoQuestion, Manifest, load_manifest
from evaluation.demo.receiver import Receiver, receiving
from evaluation.demo.stack import (
    EVALUATE_SECONDS,
    LOG_FILE,
    Keys,
    configured,
    issue_keys,
    running,
)
from evaluation.demo.tables import as_json as json_of
from evaluation.demo.tables import show

_WIDTH: Final = 150
_REASONS: Final = 3
_POLL_SECONDS: Final = 0.1
_VERDICT_SECONDS: Final = 300.0
_ALERT_SECONDS: Final = 60.0
_DELIVERY_SECONDS: Final = 30.0
_QUIET_SECONDS: Final = 3 * EVALUATE_SECONDS + 1.0
"""Time in which the monitor evaluates at least twice."""

_VERDICTS: Final = {"admitted": "admit", "quarantined": "quarantine", "rejected": "reject"}


def run(*, as_json: bool = False, keep: Path | None = None, verbose: bool = False) -> int:
    """Run the demo; return 0 if every expectation is met, else 1.

    Args:
        as_json: Print one JSON object as the last line instead of tables.
        keep: Folder for data and logs, new or empty, that stays; None: a temporary one.
        verbose: Show the log of the processes on standard error.

    Raises:
        InputError: `keep` is not a new or empty folder.
        TransientError: The processes did not start, or stopped answering.
    """
    manifest = load_manifest()
    with _folder(keep) as folder, configured(folder) as settings, receiving() as receiver:
        keys = issue_keys(settings, manifest.origins)
        with (
            running(settings, log=folder / LOG_FILE, verbose=verbose) as stack,
            closing(DemoApi(stack.url)) as api,
        ):
            result = _Demo(manifest, api, keys, receiver).play()
    if as_json:
        sys.stdout.write(json.dumps(json_of(result)) + "\n")
        sys.stdout.flush()
    else:
        show(result, Console(width=max(_WIDTH, shutil.get_terminal_size().columns)))
    failed = failures(result)
    for failure in failed:
        print(f"not as expected: {failure}", file=sys.stderr)  # noqa: T201
    return 1 if failed else 0


class _Demo:
    """One run against a running installation."""

    def __init__(self, manifest: Manifest, api: DemoApi, keys: Keys, receiver: Receiver) -> None:
        self._manifest = manifest
        self._api = api
        self._keys = keys
        self._receiver = receiver
        self._names: dict[str, str] = {}
        self._scan_seconds = 0.0
        self._ask_seconds = 0.0

    def play(self) -> DemoResult:
        self._api.add_webhook(
            self._keys.admin, url=self._receiver.url, secret=self._receiver.secret
        )
        for origin in self._manifest.origins:
            if origin.established:
                self._api.establish(
                    self._keys.admin,
                    kind=origin.kind,
                    origin=origin.id,
                    reason=origin.reason or "",
                )
        documents = [*self._upload("established"), *self._upload("open")]
        questions = [*self._ask("baseline"), *self._ask("main")]
        early = self._quiet_alerts()
        documents += self._upload("spike")
        questions += self._ask("spike")
        alerts = self._await_alerts()
        return DemoResult(
            documents=tuple(documents),
            questions=tuple(questions),
            early_alerts=early,
            alerts=alerts,
            deliveries=self._receiver.deliveries,
            scan_seconds=self._scan_seconds,
            ask_seconds=self._ask_seconds,
        )

    def _upload(self, phase: str) -> list[DocumentResult]:
        """Upload what the phase holds and wait for the verdicts."""
        documents = [each for each in self._manifest.documents if each.phase == phase]
        began = time.monotonic()
        ids = []
        for document in documents:
            document_id = self._api.upload(self._keys.by_origin[document.origin], document)
            self._names[document_id] = document.name
            ids.append(document_id)
        results = []
        deadline = time.monotonic() + _VERDICT_SECONDS
        with _bar(f"scanning {phase} documents", len(documents)) as advance:
            for document, document_id in zip(documents, ids, strict=True):
                results.append(self._await_verdict(document, document_id, deadline))
                advance()
        self._scan_seconds += time.monotonic() - began
        return results

    def _await_verdict(
        self, document: DemoDocument, document_id: str, deadline: float
    ) -> DocumentResult:
        while True:
            record = self._api.document(self._keys.admin, document_id)
            verdict = _VERDICTS.get(str(record["status"]))
            if verdict is not None or time.monotonic() >= deadline:
                break
            time.sleep(_POLL_SECONDS)
        trust = record["trust"]
        return DocumentResult(
            document=document,
            id=document_id,
            verdict=verdict,
            trust=float(trust) if isinstance(trust, int | float) else None,
            reasons=()
            if verdict is None
            else self._api.leading_rules(self._keys.admin, document_id, limit=_REASONS),
        )

    def _ask(self, phase: str) -> list[QuestionResult]:
        questions = [each for each in self._manifest.questions if each.phase == phase]
        began = time.monotonic()
        results = []
        with _bar(f"asking {phase} questions", len(questions)) as advance:
            for question in questions:
                results.append(self._answer(question))
                advance()
        self._ask_seconds += time.monotonic() - began
        return results

    def _answer(self, question: DemoQuestion) -> QuestionResult:
        answer = self._api.ask(self._keys.asker, question.question)
        return QuestionResult(
            question=question,
            id=answer["id"],
            outcome=answer["outcome"],
            reason=answer["reason"],
            warnings=tuple(answer["warnings"]),
            answer=answer["answer"],
            confidence=answer["confidence"],
            sources=tuple(
                SourceResult(
                    document=self._names.get(source["document"], source["document"]),
                    title=source["title"],
                    origin=f"{source['origin']['kind']}:{source['origin']['id']}",
                    trust=source["trust"],
                )
                for source in answer["sources"]
            ),
        )

    def _quiet_alerts(self) -> tuple[AlertResult, ...]:
        """Let the monitor look at the baseline, and return what it should not have raised."""
        with _bar("letting the monitor look", 1) as advance:
            time.sleep(_QUIET_SECONDS)
            advance()
        return self._api.alerts(self._keys.admin)

    def _await_alerts(self) -> tuple[AlertResult, ...]:
        """Wait for the alert and its delivery, then see whether others follow."""
        with _bar("waiting for the alert", 1) as advance:
            _until(lambda: bool(self._api.alerts(self._keys.admin)), _ALERT_SECONDS)
            time.sleep(_QUIET_SECONDS)
            alerts = self._api.alerts(self._keys.admin)
            wanted = {alert.id for alert in alerts}
            _until(
                lambda: wanted <= {each.alert_id for each in self._receiver.deliveries},
                _DELIVERY_SECONDS,
            )
            advance()
        return alerts


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="mithridate-demo-") as name:
            yield Path(name)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True, mode=0o700)
        occupied = any(keep.iterdir())
    except OSError as exc:
        raise InputError(f"{str(keep)!r} cannot be a folder of ours: {exc.strerror}") from exc
    if occupied:
        raise InputError(f"{str(keep)!r} is not empty")
    yield keep


@contextmanager
def _bar(description: str, total: int) -> Iterator[Callable[[], None]]:
    """Show progress on standard error: a bar on a terminal, else one line."""
    console = Console(stderr=True)
    if not console.is_terminal:
        console.print(f"{description} ({total})")
        yield lambda: None
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    ) as progress:
        task = progress.add_task(description, total=total)
        yield lambda: progress.advance(task)


def _until(met: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not met() and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
