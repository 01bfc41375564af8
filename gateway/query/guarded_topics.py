"""Topics whose answers must withstand malicious seats, as an administrator names them."""

from __future__ import annotations

from dataclasses import dataclass

from defences.answering.keywords import keyword_set, speaks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedTopic:
    """Questions about something, and the least tolerance of an answer to them.

    The question alone decides, so that no document can take a question out of its topic; and words
    do, so that an administrator can say beforehand which questions are meant.

    Attributes:
        about: Phrases. A question belongs if it has every content word of one of them, whatever
            their order and inflection.
        min_tolerance: Seats that must not be able to change the answer, at least 1.
    """

    name: str
    about: tuple[str, ...]
    min_tolerance: int

    def __post_init__(self) -> None:
        if self.min_tolerance < 1:
            raise ValueError(f"topic {self.name!r} requires {self.min_tolerance}, expected >= 1")
        empty = [phrase for phrase in self.about if not keyword_set(phrase)]
        if empty or not self.about:
            raise ValueError(f"topic {self.name!r}: {empty!r} name no matter")

    def covers(self, question: str) -> bool:
        return speaks_of(question, self.about)
