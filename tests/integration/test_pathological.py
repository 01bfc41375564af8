"""Whatever a document is made of, it ends with a verdict or a clean error, within limits.

`make fuzz` runs the same at full size (`MITHRIDATE_FUZZ_SIZE=1`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

import pytest

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.trust import Verdict
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings
from tests.pathological import FILES, TEXTS

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SIZE: Final = float(os.environ.get("MITHRIDATE_FUZZ_SIZE", "0.04"))
_START_SECONDS: Final = 5.0
_SECONDS_OF_FULL_SIZE: Final = 120.0
"""CPU time of this process. What grows faster than its input is far above it at full size."""
ORDINARY: Final = b"The reservoir holds two litres of water. Rinse it once a week and let it dry."


@pytest.fixture(scope="module")
def scanner() -> Scanner:
    return build_scanner(Settings())


async def outcome(scanner: Scanner, content: bytes, file_name: str | None) -> str:
    """Return the verdict, or `unreadable` where the document is refused."""
    try:
        judged = await scanner.judge(content, file_name=file_name)
    except (DocumentUnreadableError, UnsupportedMediaTypeError):
        return "unreadable"
    assert judged.report.unavailable <= {"personal-data", "secrets"}
    return judged.assessment.verdict.value


@pytest.mark.parametrize("kind", [*TEXTS, *FILES])
async def test_it_ends_within_limits_and_the_next_document_is_unhurt(
    scanner: Scanner, kind: str
) -> None:
    make: Callable[[float], bytes] = {**TEXTS, **FILES}[kind]
    name = {"wide table": "a.csv", "deep json": "a.json", "long json": "a.json"}.get(kind)
    content = make(SIZE)
    started = time.thread_time()

    ended = await outcome(scanner, content, name)
    spent = time.thread_time() - started
    after = await outcome(scanner, ORDINARY, None)

    assert ended in {*(verdict.value for verdict in Verdict), "unreadable"}
    assert spent < _START_SECONDS + SIZE * _SECONDS_OF_FULL_SIZE
    assert after == Verdict.ADMIT.value
