"""The doors of Mithridate. `from gateway import answer_question` is the one for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.door import GuardedAnswer, answer_question

__all__ = ["GuardedAnswer", "answer_question"]


def __getattr__(name: str) -> object:
    # Only when asked for: the command line and the workers import this package too.
    if name in __all__:
        from gateway import door

        return getattr(door, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
