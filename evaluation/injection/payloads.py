"""Payloads to train on: what outsiders write into documents so that a model acts on it.

Grammars of our own, written from the published descriptions of the kinds of attack (`KINDS`), with
no sentence of any test set. Every payload is a pure function of the random generator given.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Final

from evaluation.injection.payload_acts import ACTION, ACTS, STEALS
from evaluation.injection.payload_bends import LEAK, PERSONA, STEER
from evaluation.injection.payload_languages import LANGUAGES
from evaluation.injection.payload_languages_more import MORE_LANGUAGES
from evaluation.injection.payload_orders import MARKUP, MESSAGE, OVERRIDE
from evaluation.injection.payload_pressure import AFTER, BEFORE
from evaluation.injection.payload_requests import REQUEST_SLOTS, REQUESTS
from evaluation.injection.payload_slots import MADE, SLOTS
from evaluation.injection.payload_tasks import POLITE, TASKS

__all__ = ["ALONE", "KINDS", "drawn_kind", "payload"]

_TEMPLATES: Final[Mapping[str, Sequence[str]]] = {
    "task": TASKS,
    "polite": POLITE,
    "action": ACTION,
    "override": OVERRIDE,
    "message": MESSAGE,
    "markup": MARKUP,
    "steer": STEER,
    "leak": LEAK,
    "persona": PERSONA,
}
_FOREIGN_ORDER: Final = "other-language"
_FOREIGN_REQUEST: Final = "other-language-request"
_SHARES: Final[Mapping[str, int]] = {
    "polite": 24,
    "action": 12,
    "override": 8,
    "message": 10,
    "markup": 5,
    "steer": 13,
    "leak": 5,
    "persona": 9,
    _FOREIGN_ORDER: 6,
    _FOREIGN_REQUEST: 8,
}
_PRESSED: Final = frozenset({"polite", "action", "override", "message", "steer", "leak"})
_WITH_BEFORE: Final = 0.08  # share of those that open with a reason
_WITH_AFTER: Final = 0.16  # share of those that close with pressure, secrecy or thanks
_STEALING: Final = 0.3  # share of acts that carry data out
_COMPOSED: Final = 0.55  # share of tasks that are put together of parts
_DATES: Final = ("3.11.", "24.12.", "2026-05-17", "8/7", "19.6.2026", "2027-01-30")
_TIMES: Final = ("7:30", "12:00", "18:45", "22:10", "23:59")
_DOUBLED_STOP: Final = re.compile(r"(?<=[.!?\u3002])\.(?![.\w])")
_SLOT: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z ]+)\}")
_VOWEL: Final = re.compile(r"(?:[aeio]|u(?!s)|LLM|ML)", re.IGNORECASE)

KINDS: Final = tuple(_SHARES)
ALONE: Final[frozenset[str]] = frozenset(
    {"override", "message", "markup", "steer", "leak", "persona", _FOREIGN_ORDER}
)
"""Kinds that are attacks even as a whole document; a lone request to a chatbot is ordinary."""


def drawn_kind(rng: random.Random) -> str:
    """Return a kind, drawn by the shares that we train on."""
    return rng.choices(KINDS, weights=[_SHARES[name] for name in KINDS])[0]


def payload(rng: random.Random, kind: str | None = None) -> str:
    """Return one payload of `kind`, or of a kind drawn by the shares that we train on.

    Raises:
        KeyError: No such kind.
    """
    kind = kind or drawn_kind(rng)
    if kind in (_FOREIGN_ORDER, _FOREIGN_REQUEST):
        return _dressed(_foreign(kind, rng), rng)
    text = _filled(rng.choice(_TEMPLATES[kind]), rng, {})
    return _dressed(_pressed(text, rng) if kind in _PRESSED else text, rng)


def _pressed(text: str, rng: random.Random) -> str:
    text = _capital(text)
    if rng.random() < _WITH_BEFORE:
        text = f"{_capital(_filled(rng.choice(BEFORE), rng, {}))} {text}"
    if rng.random() < _WITH_AFTER:
        stop = "" if text.endswith((".", "!", "?", ":")) else "."
        text = f"{text}{stop} {_capital(_filled(rng.choice(AFTER), rng, {}))}"
    return text


def _foreign(kind: str, rng: random.Random) -> str:
    language = rng.choice((*LANGUAGES, *MORE_LANGUAGES))
    own = {
        "task": language.task,
        "data": language.data,
        "claim": language.claim,
        "date": _DATES,
        "time": _TIMES,
    }
    templates = language.orders if kind == _FOREIGN_ORDER else language.requests
    return _filled(rng.choice(templates), rng, own)


def _filled(template: str, rng: random.Random, own: Mapping[str, Sequence[str]]) -> str:
    """Fill the slots of a template; two braces stand for one.

    `{a who}` is filled with its article, `{Act}` with a capital.
    """

    def fill(match: re.Match[str]) -> str:
        slot = match[1]
        return match[0][0] if slot is None else _slot(slot, rng, own)

    return _SLOT.sub(fill, template)


def _slot(slot: str, rng: random.Random, own: Mapping[str, Sequence[str]]) -> str:
    if slot.startswith("a "):
        text = _slot(slot[2:], rng, own)
        return f"{'an' if _VOWEL.match(text) else 'a'} {text}"
    if slot[0].isupper():
        return _capital(_slot(slot.lower(), rng, own))
    if slot in MADE and slot not in own:
        return MADE[slot](rng)
    if slot == "act":
        return _filled(rng.choice(STEALS if rng.random() < _STEALING else ACTS), rng, own)
    if slot == "task" and slot not in own and rng.random() < _COMPOSED:
        return _filled(rng.choice(REQUESTS), rng, own)
    choices = own.get(slot) or SLOTS.get(slot) or REQUEST_SLOTS.get(slot) or _TEMPLATES[slot]
    return _filled(rng.choice(choices), rng, own)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _dressed(text: str, rng: random.Random) -> str:
    text = _DOUBLED_STOP.sub("", _capital(text))
    dress = rng.choices(("plain", "upper", "lower", "loud"), weights=(84, 6, 6, 4))[0]
    return {
        "plain": text,
        "upper": text.upper(),
        "lower": text.lower(),
        "loud": text.rstrip(".") + "!!!",
    }[dress]
