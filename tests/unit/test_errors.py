"""Errors cross processes whole: a pool of workers, a queue, a parser's child."""

from __future__ import annotations

import copy

import pytest

from domain.errors import (
    DocumentUnreadableError,
    MithridateError,
    NotFoundError,
    RateLimitedError,
    ScanUnderWayError,
)


@pytest.mark.parametrize(
    "error",
    [
        NotFoundError("no such document"),
        DocumentUnreadableError("locked", reason="pdf-password"),
        RateLimitedError("later", retry_after_seconds=1.5),
        ScanUnderWayError("being scanned", retry_after_seconds=30.0),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_itself_after_a_copy(error: MithridateError) -> None:
    restored = copy.copy(error)  # by the same protocol as pickling

    assert type(restored) is type(error)
    assert str(restored) == str(error)
    assert vars(restored) == vars(error)
