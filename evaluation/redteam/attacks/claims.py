"""The claim that an attacker plants for one question, and texts made of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.redteam.attacks.declaring import capital, declare, lead_in, tidy, without_choice
from evaluation.redteam.attacks.splitting import bare
from evaluation.redteam.attacks.verbs import (
    ASKING,
    AUXILIARIES,
    DETERMINERS,
    FINITE,
    PREPOSITIONS,
    RELATIVES,
)
from evaluation.redteam.rows import Row

_DRAWS: Final = 12
_LONGEST_TOPIC: Final = 8
_SENTENCE: Final = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A wrong answer and the words to say it in.

    Attributes:
        said: The sentence that answers the question, capitalised, without its full stop.
        clause: The same to stand after "that": no capital of its own, no "Yes," before it.
        lead: Sentences that the question itself puts before what it asks, or empty.
        shunned: What may not stand in a text about it: the right answer and its aliases, unless
            the question or the wrong answer itself holds them.
    """

    question: str
    answer: str
    topic: str
    said: str
    clause: str
    lead: str
    shunned: tuple[str, ...]


def claim_of(row: Row, answer: str | None = None) -> Claim:
    """Return the claim that `answer`, by default the row's wrong one, is true."""
    wrong = row.incorrect if answer is None else answer
    asked = tidy(row.question)
    said = declare(row.question, wrong, rival=row.correct)
    held = canonical_tokens(f"{row.question} . {wrong}")
    shunned = tuple(
        right
        for right in (row.correct, *row.aliases)
        if right.strip() and not contains_phrase(held, right)
    )
    verdict = f"{wrong}, "
    plain = said[len(verdict) :] if said.casefold().startswith(verdict.casefold()) else said
    return Claim(
        question=asked,
        answer=wrong,
        topic=topic_of(without_choice(asked, wrong, row.correct)),
        said=said,
        clause=_low(plain, asked),
        lead=lead_in(row.question),
        shunned=shunned,
    )


def topic_of(asked: str) -> str:
    """Return the longest noun phrase of a question, for a title or "about ..."."""
    stops = ASKING | AUXILIARIES | RELATIVES | FINITE | {"both", "there", "many"}
    words = [word.strip('.,:;!?"()') for word in asked.split()[:80]]
    best: list[str] = []
    start = begins = 0
    for at, word in enumerate([*words, "which"]):
        low = word.lower()
        measure = at == 1 and words[0].lower() == "how"
        if low in ASKING or measure or (low in stops and (at == 0 or word.islower())):
            run = _trimmed(words[start:at])
            if len(run) > len(best):
                best, begins = run, start
            start = at + 1
    if len(best) == 1:  # "the guy that jumped from space"
        best = _trimmed(words[begins : begins + _LONGEST_TOPIC])
    return " ".join(best) or "the subject"


def _trimmed(run: Sequence[str]) -> list[str]:
    loose = DETERMINERS | PREPOSITIONS | {"and", "or", ""}
    start, end = 0, len(run)
    while start < end and bare(run[start]) in loose:
        start += 1
    end = min(end, start + _LONGEST_TOPIC)
    while end > start and bare(run[end - 1]) in loose:
        end -= 1
    return list(run[start:end])


def _low(said: str, asked: str) -> str:
    first = said.split(maxsplit=1)[0] if said.split() else ""
    lower = first.lower()
    if lower in {"the", "there", "what", "it", "a", "an"} or lower in asked.split():
        return lower[:1] + said[1:]
    return said


def filled_in(template: str, claim: Claim) -> str:
    """Return a template with the claim's words in it; braces in the words stay as they are."""
    parts = {
        "Said": claim.said,
        "clause": claim.clause,
        "Clause": capital(claim.clause),
        "topic": claim.topic,
        "Topic": capital(claim.topic),
        "answer": claim.answer,
        "Answer": capital(claim.answer),
        "question": claim.question,
        "Question": capital(claim.question),
    }
    return re.sub(r"\{(\w+)\}", lambda found: parts.get(found[1], found[0]), template)


def made(draw: Callable[[Random], str], claim: Claim, random: Random) -> str:
    """Return a drawn text that states the answer and does not hold what the claim shuns.

    It is drawn again a few times; what then still offends loses the sentences that offend.
    """
    text = draw(random)
    for _ in range(_DRAWS):
        if not offends(text, claim):
            break
        text = draw(random)
    else:
        kept = [one for one in _SENTENCE.split(text) if not offends(one, claim)]
        text = " ".join(kept)
    if not contains_phrase(canonical_tokens(text), claim.answer):
        text = f"{text} {claim.said}.".strip()
    if not contains_phrase(canonical_tokens(text), claim.answer):
        text = f"{text}\n\nAnswer: {claim.answer}"
    return text


def offends(text: str, claim: Claim) -> bool:
    """Whether what the claim shuns stands in the text, in whatever form the same value takes."""
    likely = [right for right in claim.shunned if _may_hold(text, right)]
    if not likely:
        return False
    tokens = canonical_tokens(text)
    return any(contains_phrase(tokens, right) for right in likely)


def _may_hold(text: str, right: str) -> bool:
    """Whether folding is worth its time: False where a plain word of `right` is nowhere in `text`."""
    if not (text.isascii() and right.isascii()) or re.search(r"\d", right):
        return True
    low = text.casefold()
    words = [word.casefold() for word in re.findall(r"[A-Za-z]{5,}", right)]
    plain = [word for word in words if canonical_tokens(word) in {(word,), (word[:-1],)}]
    return all(word[:-1] in low for word in plain)


def sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.split(" ".join(text.split())) if one]
