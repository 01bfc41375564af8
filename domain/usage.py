"""How many tokens language models read and wrote for one question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import StrEnum


class ModelRole(StrEnum):
    """What a language model was asked for."""

    DRAFTER = "drafter"
    VERIFIER = "verifier"
    LARGE = "large"
    """The verifier's model where it writes: full RAG, `refine`, splitting a question."""
    EMBEDDER = "embedder"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What a question cost in language models; nothing where none was asked.

    Attributes:
        calls: Requests that a model answered.
        read_tokens: Of prompts, as the models count them, cached beginnings included.
        cached_tokens: Of `read_tokens`, those that a server says it had read before.
        written_tokens: Generated.
        uncounted_calls: Of `calls`, those whose server told no count: the sums leave them out.
        by_role: The same of each role that was asked; empty in its own values.
    """

    calls: int = 0
    read_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    uncounted_calls: int = 0
    by_role: Mapping[ModelRole, ModelUsage] = field(default_factory=dict)


def together(usages: Sequence[ModelUsage]) -> ModelUsage:
    """Return the sum, role by role too."""
    roles = dict.fromkeys(role for one in usages for role in one.by_role)
    return ModelUsage(
        calls=sum(one.calls for one in usages),
        read_tokens=sum(one.read_tokens for one in usages),
        cached_tokens=sum(one.cached_tokens for one in usages),
        written_tokens=sum(one.written_tokens for one in usages),
        uncounted_calls=sum(one.uncounted_calls for one in usages),
        by_role={
            role: together([one.by_role[role] for one in usages if role in one.by_role])
            for role in roles
        },
    )


class UsageMeter:
    """Adds up what models report. One a question, used from one event loop and its threads."""

    def __init__(self) -> None:
        self._usage = ModelUsage()

    def add(
        self, role: ModelRole, *, read: int | None, written: int | None, cached: int | None = None
    ) -> None:
        """Count one call; None where the server does not tell."""
        call = ModelUsage(
            calls=1,
            read_tokens=read or 0,
            cached_tokens=cached or 0,
            written_tokens=written or 0,
            uncounted_calls=int(read is None or written is None),
        )
        self._usage = together([self._usage, replace(call, by_role={role: call})])

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


def count_call(
    role: ModelRole, *, read: int | None, written: int | None, cached: int | None = None
) -> None:
    """Report a call that a model answered. Outside of `metered` nothing is counted."""
    meter = _METER.get()
    if meter is not None:
        meter.add(role, read=read, written=written, cached=cached)
