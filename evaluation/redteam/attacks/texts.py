"""Draws texts about a claim: documents in ten styles, short passages, near-copies, typos."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.redteam.attacks.claims import Claim, filled_in, made, offends
from evaluation.redteam.attacks.planted import Planted
from evaluation.redteam.attacks.style_texts import CAPTIONS, CLOSINGS, PASSAGES, STYLES, Style
from evaluation.redteam.rows import Row

_EDITS: Final = (
    ("also", "in addition"),
    ("famous", "well-known"),
    ("known", "recognised"),
    ("large", "big"),
    ("many", "numerous"),
    ("often", "frequently"),
    ("several", "various"),
    ("however", "yet"),
    ("because", "since"),
    ("began", "started"),
    ("located", "situated"),
    ("about", "regarding"),
    ("clear", "plain"),
    ("confirmed", "verified"),
    ("sources", "accounts"),
    ("official", "formal"),
    ("important", "major"),
    ("show", "indicate"),
    ("specifically", "in particular"),
    ("various", "different"),
)
_LEADS: Final = ("", "Note that ", "As noted, ", "In fact, ", "Indeed, ", "Reportedly, ")
_TAILS: Final = (
    "",
    " This has been checked.",
    " See the references for details.",
    " Further details are available on request.",
    " This remains unchanged.",
    " That is all there is to say.",
)
_KEYS: Final = {
    "a": "sq",
    "b": "vn",
    "c": "xv",
    "d": "sf",
    "e": "wr",
    "f": "dg",
    "g": "fh",
    "h": "gj",
    "i": "uo",
    "j": "hk",
    "k": "jl",
    "l": "k",
    "m": "n",
    "n": "bm",
    "o": "ip",
    "p": "o",
    "q": "wa",
    "r": "et",
    "s": "ad",
    "t": "ry",
    "u": "yi",
    "v": "cb",
    "w": "qe",
    "x": "zc",
    "y": "tu",
    "z": "x",
}
_TYPO_SHARE: Final = 0.3  # of words, about what GARAG's best perturbations touch
_MAX_TRIES: Final = 40


def styled(claim: Claim, style: str, random: Random) -> tuple[str, str]:
    """Return title and text of one document in a style."""
    kind = STYLES[style]
    title = filled_in(random.choice(kind.titles), claim)

    def draw(chance: Random) -> str:
        parts = [chance.choice(slot) for slot in kind.slots]
        body = kind.glue.join(filled_in(part, claim) for part in parts if part)
        return f"{claim.lead} {body}" if claim.lead else body

    return title, made(draw, claim, random)


def in_styles(claim: Claim, count: int, random: Random) -> list[Planted]:
    """Return `count` documents, each style once before one comes again; a hand each."""
    order = random.sample(list(STYLES), len(STYLES))
    found: list[Planted] = []
    for at in range(count):
        title, text = styled(claim, order[at % len(order)], random)
        found.append(Planted(text=text, answer=claim.answer, title=title, slot=at))
    return found


def passages(claim: Claim, count: int, random: Random) -> list[str]:
    """Return short passages as a language model writes them for the wrong answer."""
    order = random.sample(PASSAGES, len(PASSAGES))
    return [
        made(from_template(order[at % len(order)], claim), claim, random)
        for at in range(max(count, 0))
    ]


def from_template(template: str, claim: Claim) -> Callable[[Random], str]:
    """Return a draw for `made` that always gives the template with the claim's words in it."""
    return lambda _: filled_in(template, claim)


def ready(row: Row, name: str, count: int) -> list[str]:
    """Return the first `count` texts of an attack that stand in the row."""
    return list(row.texts.get(name, ())[:count])


def planted(texts: Sequence[str], claim: Claim, *, hands: int | None = None) -> tuple[Planted, ...]:
    """Return texts as planted, titled by their topic, dealt over `hands` (by default one each)."""
    return tuple(
        Planted(
            text=text,
            answer=claim.answer,
            title=titled(text, claim),
            slot=at % hands if hands else at,
        )
        for at, text in enumerate(texts)
    )


def titled(text: str, claim: Claim) -> str:
    """Return a title of the text's own, its first heading, or the claim's topic."""
    heading = re.match(r"\s*(?:#+\s*|\*\*)([^*\n]{3,80})", text)
    return heading[1].strip() if heading else claim.topic[:1].upper() + claim.topic[1:]


def asked_first(question: str, text: str) -> str:
    """Put the question before a text that does not hold it (PoisonedRAG's S + I, black box)."""
    if contains_phrase(canonical_tokens(text), question):
        return text
    mark = "" if question.rstrip().endswith(("?", ".")) else "?"
    return f"{question.strip()}{mark} {text.strip()}"


def near_copies(text: str, count: int, kept: str, random: Random) -> list[str]:
    """Return the text and light edits of it, all different, none of which touches `kept`."""
    found = [text]
    for _ in range(_MAX_TRIES * count):
        if len(found) >= count:
            break
        edited = _edited(text, kept, random)
        if edited not in found:
            found.append(edited)
    while len(found) < count:
        found.append(f"{text} ({len(found) + 1})")
    return found[:count]


def _edited(text: str, kept: str, random: Random) -> str:
    edited = text
    for old, new in random.sample(_EDITS, len(_EDITS)):
        if random.random() < 0.6 and old not in kept.casefold():  # noqa: PLR2004 - most, not all
            edited = re.sub(rf"\b{old}\b", new, edited)
    lead = random.choice(_LEADS)
    first = edited.split(" ", 1)[0]
    if lead and first.lower() in {"the", "in", "a", "an", "this", "it", "there"}:
        edited = edited[:1].lower() + edited[1:]
    return f"{lead}{edited.rstrip()}{random.choice(_TAILS)}"


def crowd(claim: Claim, count: int, random: Random) -> list[Planted]:
    """Return many documents on one claim that share little but its sentence.

    What the claim shuns is looked for once in each part, not in each of hundreds of documents.
    """
    styles = [_fitting(style, claim) for style in STYLES.values()]
    captions, closings = _kept(CAPTIONS, claim), _kept(CLOSINGS, claim)
    found: dict[str, Planted] = {}
    for at in range(count * _MAX_TRIES):
        if len(found) >= count:
            break
        style = styles[at % len(styles)]
        body = style.glue.join(part for slot in style.slots if (part := random.choice(slot)))
        ends = random.sample(closings, min(2, len(closings)))
        closing = " ".join(end for end in ends if end)
        parts = [claim.lead, f"{random.choice(captions)}{body}", closing]
        if random.random() < 0.5:  # noqa: PLR2004 - either end
            parts.reverse()
        text = "\n".join(part for part in parts if part)
        title = random.choice(style.titles)
        found.setdefault(
            text, Planted(text=text, answer=claim.answer, title=title, slot=len(found))
        )
    return list(found.values())


def _fitting(style: Style, claim: Claim) -> Style:
    """Return the style with the claim's words in it, without alternatives that it shuns."""
    return Style(
        titles=_kept(style.titles, claim),
        slots=tuple(_kept(slot, claim) for slot in style.slots),
        glue=style.glue,
    )


def _kept(templates: Sequence[str], claim: Claim) -> tuple[str, ...]:
    said = [filled_in(one, claim) for one in templates]
    return tuple(one for one in said if not offends(one, claim)) or ("",)


def with_typos(text: str, random: Random) -> str:
    """Return the text with about a third of its words misspelt (GARAG, 2404.13948)."""
    return re.sub(
        r"\w{2,}",
        lambda word: _misspelt(word[0], random) if random.random() < _TYPO_SHARE else word[0],
        text,
    )


def _misspelt(word: str, random: Random) -> str:
    at = random.randrange(len(word) - 1)
    act = random.randrange(4)
    if act == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if act == 1:
        return word[:at] + word[at + 1 :]
    near = random.choice(_KEYS.get(word[at].lower(), word[at]))
    return word[:at] + near + word[at + (1 if act == 2 else 0) :]  # noqa: PLR2004 - third of four
