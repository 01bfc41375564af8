"""Questions a second, by how many ask at once."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path
from typing import Final

import httpx

from benchmarks.load.clients import load, post
from benchmarks.load.pages import varied_page
from benchmarks.load.processes import Installation, cpu_seconds, until
from benchmarks.load.working import waiting
from evaluation.markdown import table

AT_ONCE: Final = (1, 4)
_OK: Final = 200
_SENTENCES: Final = 40


async def measure_questions(folder: Path, *, seconds: float, documents: int) -> str:
    """Return the report: the embedded default, which has no language model."""
    installation = Installation(folder)
    with installation.running("serve") as gateway:
        until(installation.ready, "the gateway to be ready")
        with installation.running("worker"):
            _fill(installation, documents)
            # In a thread: to count, it runs a loop of its own.
            await asyncio.to_thread(until, lambda: waiting(installation) == 0, "every verdict")
        numbers = itertools.count()
        rows = []
        for connections in AT_ONCE:
            before = cpu_seconds(gateway.pid)
            told = await load(
                installation.url,
                lambda number: post(
                    "/v1/questions",
                    authorization=installation.authorization,
                    content_type="application/json",
                    body=json.dumps({"question": _question(number, documents)}).encode(),
                ),
                connections=connections,
                seconds=seconds / len(AT_ONCE),
                expect=_OK,
                numbers=numbers,
            )
            used = cpu_seconds(gateway.pid) - before
            rows.append(
                (
                    str(connections),
                    f"{told.rate:.1f}",
                    f"{told.p50 * 1e3:.0f}",
                    f"{told.percentile(0.99) * 1e3:.0f}",
                    f"{used / max(1, len(told.latencies)) * 1e3:.0f}",
                    str(told.failed),
                )
            )
    return f"Over {documents} pages of {_SENTENCES} sentences, no question twice.\n\n" + table(
        ("at once", "questions/s", "p50 ms", "p99 ms", "gateway CPU ms each", "failed"), rows
    )


def _fill(installation: Installation, documents: int) -> None:
    headers = {"Authorization": installation.authorization, "Content-Type": "text/markdown"}
    with httpx.Client(base_url=installation.url, headers=headers, timeout=60) as client:
        for number in range(documents):
            page = varied_page(number, sentences=_SENTENCES)
            client.post("/v1/documents", content=page.encode()).raise_for_status()


def _question(number: int, documents: int) -> str:
    """Return a question about one page's own sentence."""
    lines = varied_page(number % documents, sentences=_SENTENCES).split("\n\n")[1].split(". ")
    line = lines[number // documents % len(lines)].strip(". \n")
    return f"Is it so that {line[0].lower()}{line[1:]}, as page {number} says?"
