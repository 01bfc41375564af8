"""What is killed, wiped or poisoned loses no document, and gives none two verdicts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.killer_worker import MARKER
from tests.e2e.stack import Stack, running_stack, until

pytestmark = [pytest.mark.integration, pytest.mark.slow]

SENTENCE = "The harbour office number {n} keeps its ledger of ropes in the {n}th room upstairs. "


def long_page(title: str, sentences: int = 1500) -> str:
    return f"# {title}\n\n" + "".join(SENTENCE.format(n=n) for n in range(sentences))


@pytest.fixture(scope="module")
def frail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that these tests may break."""
    with running_stack(tmp_path_factory.mktemp("frail") / "data") as running:
        yield running


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def verdicts(stack: Stack, document_id: str) -> int:
    """How often the journal says that the document got its verdict."""
    import sqlite3

    with sqlite3.connect(f"file:{stack.folder}/ledger.db?mode=ro", uri=True) as ledger:
        rows = ledger.execute(
            "SELECT action FROM journal WHERE object_id = ?", (document_id,)
        ).fetchall()
    settled = {"document.admitted", "document.quarantined", "document.rejected"}
    return sum(action in settled for (action,) in rows)


def test_a_worker_killed_in_the_middle_of_a_scan_gives_the_document_one_verdict(
    frail: Stack,
) -> None:
    document_id = frail.upload(long_page("Killed worker"))["id"]
    until(lambda: frail.document(document_id)["status"] == "scanning", "the scan to begin")

    kill(frail.pids("gateway.cli worker"))

    found = frail.verdict(document_id)
    assert found["status"] == "admitted"
    assert found["attempts"] >= 2
    assert verdicts(frail, document_id) == 1


def test_a_killed_broker_is_brought_back_and_nothing_is_lost(frail: Stack) -> None:
    kill(frail.pids("valkey-server"))

    document_id = frail.upload("# Broker\n\nUploaded while the broker was away.\n")["id"]

    assert frail.verdict(document_id)["verdict"] == "admit"
    assert verdicts(frail, document_id) == 1


def test_a_worker_that_was_not_looking_while_its_broker_came_back_takes_jobs_again(
    frail: Stack,
) -> None:
    """As a busy machine has it: the worker's loop finds the old connection dead, the new one up."""
    before = frail.upload("# Not looking\n\nThe tide table hangs beside the northern gate.\n")["id"]
    mains = frail.mains("gateway.cli worker")
    dead = frail.pids("valkey-server")

    for pid in mains:
        os.kill(pid, signal.SIGSTOP)
    try:
        kill(dead)
        until(lambda: set(frail.pids("valkey-server")) - set(dead), "the broker to be back")
        until(frail.ready, "the broker to answer")
    finally:
        for pid in mains:
            os.kill(pid, signal.SIGCONT)
    after = frail.upload("# After\n\nUploaded once the broker was back.\n")["id"]

    assert frail.verdict(before)["verdict"] == "admit"
    assert frail.verdict(after)["verdict"] == "admit"
    assert frail.mains("gateway.cli worker") == mains, "the same worker, not a new one"


def test_a_wiped_broker_loses_no_document_and_no_near_duplicate(frail: Stack) -> None:
    original = "# Mooring fees\n\n" + "".join(
        f"A boat of {n} metres pays {n * 3} crowns a night at the stone quay. "
        for n in range(5, 40)
    )
    first = frail.upload(original)["id"]
    frail.verdict(first)
    kill(frail.pids("gateway.cli worker"))
    pending = frail.upload(long_page("Wiped broker", 50))["id"]

    kill(frail.pids("valkey-server"))
    for file in (frail.folder / "broker").glob("appendonlydir/*"):
        file.unlink()
    shutil.rmtree(frail.folder / "broker" / "appendonlydir", ignore_errors=True)

    assert frail.verdict(pending)["verdict"] == "admit"
    copy = frail.upload(original.replace("stone quay", "stone  quay") + "\nReprinted.\n")["id"]
    frail.verdict(copy)
    report = frail.client.get(f"/v1/documents/{copy}/report").json()
    rules = {finding["rule"] for finding in report["assessment"]["findings"]}
    assert any(rule.startswith("near-duplicate.") for rule in rules)


def test_a_document_that_kills_its_worker_is_quarantined_after_three_tries(
    tmp_path: Path,
) -> None:
    with running_stack(tmp_path / "data", workers=0) as stack:
        killer = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.killer_worker"],
            env=stack.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            document_id = stack.upload(f"# Poison\n\nTruly, {MARKER}.\n")["id"]
            healthy = stack.upload("# Healthy\n\nThis one is fine.\n")["id"]

            found = stack.verdict(document_id)
            assert (found["status"], found["reason"]) == ("quarantined", "unreadable")
            assert found["attempts"] == 4
            report = stack.client.get(f"/v1/documents/{document_id}/report").json()
            assert [f["rule"] for f in report["assessment"]["findings"]] == [
                "parsing.worker-killed"
            ]
            assert stack.verdict(healthy)["verdict"] == "admit"
        finally:
            killer.terminate()
            killer.wait(timeout=60)
