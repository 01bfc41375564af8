"""How many tokens language models read and wrote for one question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What a question cost in language models; nothing where none was asked.

    Attributes:
        calls: Requests that a model answered.
        read_tokens: Of prompts, as the models count them, cached beginnings included.
        written_tokens: Generated.
        uncounted_calls: Of `calls`, those whose server told no count: the sums leave them out.
    """

    calls: int = 0
    read_tokens: int = 0
    written_tokens: int = 0
    uncounted_calls: int = 0


class UsageMeter:
    """Adds up what models report. One a question, used from one event loop and its threads."""

    def __init__(self) -> None:
        self._usage = ModelUsage()

    def add(self, *, read: int | None, written: int | None) -> None:
        """Count one call; None where the server does not tell."""
        used = self._usage
        self._usage = ModelUsage(
            calls=used.calls + 1,
            read_tokens=used.read_tokens + (read or 0),
            written_tokens=used.written_tokens + (written or 0),
            uncounted_calls=used.uncounted_calls + (read is None or written is None),
        )

    def usage(self) -> ModelUsage:
        return self._usage


_METER: ContextVar[UsageMeter | None] = ContextVar("usage_meter", default=None)


@contextmanager
def metered() -> Iterator[UsageMeter]:
    """Count what models report in this context, and in the tasks and threads begun in it."""
    meter = UsageMeter()
    token = _METER.set(meter)
    try:
        yield meter
    finally:
        _METER.reset(token)


def current_meter() -> UsageMeter | None:
    """Return the meter of the question under way, for work that is carried out in another task."""
    return _METER.get()


def count_call(*, read: int | None, written: int | None) -> None:
    """Report a call that a model answered. Outside of `metered` nothing is counted."""
    meter = _METER.get()
    if meter is not None:
        meter.add(read=read, written=written)
