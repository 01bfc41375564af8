"""Puts the preposition before a time or a place that a sentence ends on."""

from __future__ import annotations

import re
from typing import Final

_PLACED: Final = re.compile(
    r"(?:in|on|at|during|after|before|since|from|between|around|by|until|till|near|every|about|"
    r"inside|under|over|behind|beneath|through|throughout|with|within|to|next to|when|while)\b",
    re.I,
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = re.compile(
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}} {_MONTH}\b|\d{{4}}-\d\d-\d\d", re.I
)
_WEEKDAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.I)
_CLOCK: Final = re.compile(r"\d{1,2}[:.]\d\d|\d\s?[ap]\.?m\b|\bnoon\b|\bmidnight\b", re.I)
_SPAN: Final = re.compile(r"\d+ (?:second|minute|hour|day|week|month|year)s?\b", re.I)
_VENUE: Final = re.compile(
    r"\b(?:stadium|cent(?:er|re)|arena|hall|university|college|school|airport|park|station|museum|"
    r"hotel|church|cathedral|palace|castle|theat(?:er|re)|house|field|gardens?|bridge)\b",
    re.I,
)


def at_time(answer: str) -> str:
    if _PLACED.match(answer) or _SPAN.match(answer):
        return answer
    if _DAY.search(answer) or _WEEKDAY.search(answer):
        return f"on {answer}"
    return f"at {answer}" if _CLOCK.search(answer) else f"in {answer}"


def at_place(answer: str) -> str:
    if _PLACED.match(answer):
        return answer
    return f"at {answer}" if _VENUE.search(answer) else f"in {answer}"
