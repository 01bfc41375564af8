"""Turns a question and an answer into the sentence that answers it.

An attacker states the wrong answer in the question's own words: that is what a retriever finds and
an extractive drafter quotes. Rules by the kind of question, with a plain fallback for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evaluation.redteam.attacks.counting import how
from evaluation.redteam.attacks.placing import at_place, at_time
from evaluation.redteam.attacks.splitting import (
    bare,
    first_auxiliary,
    joined,
    placed,
    statement,
    stranded,
    subject_end,
    verb_at,
)
from evaluation.redteam.attacks.verbs import (
    ASKING,
    AUXILIARIES,
    BE,
    DETERMINERS,
    DO,
    FINITE,
    HAVE,
    MODALS,
    PREPOSITIONS,
    is_participle,
    word_set,
)

MOST_WORDS: Final = 34
"""Words of a declared sentence: a quoted sentence of over 40 counts as wrong, and frames add some."""
_OPENER: Final = re.compile(
    r"[.!?;]\s+(?=(?:(?:in|on|at|by|from|for|of)\s+)?"
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|did|does|do)\b)",
    re.I,
)
_ATTRIBUTES: Final = word_set(
    "nationality color colour age height size shape length width genre profession occupation "
    "language religion currency capital population name title origin gender rank"
)
_TIMES: Final = word_set("year day date month time century decade season")


def declare(question: str, answer: str, *, rival: str = "") -> str:
    """Return a sentence without its full stop that answers `question` with `answer`.

    Args:
        rival: The other answer, so that "which is longer, X or Y" loses its alternatives.
    """
    asked = tidy(question)
    if not any(char.isalnum() for char in asked):
        return f"The answer is {answer}"
    said = _declared(without_choice(asked, answer, rival).split(), answer)
    if said is not None and len(said.split()) > MOST_WORDS:
        said = _end_of(said, answer)
    return capital(said or _plain(asked, answer))


def lead_in(question: str) -> str:
    """Return the sentences that come before what is asked; empty where nothing does."""
    seen = " ".join(question.split())
    parts = _OPENER.split(seen)
    before = seen[: len(seen) - len(parts[-1])].strip()
    return before if len(parts) > 1 and "?" not in before else ""


def _end_of(said: str, answer: str) -> str | None:
    """Return the last clause or two of a long sentence, where the answer stands there."""
    words = said.split()
    for at in range(len(words) - MOST_WORDS + 4, len(words) - 5):
        opens = words[at - 1].endswith((",", ";")) or bare(words[at]) in {"when", "where"}
        tail = " ".join(words[at:])
        if opens and answer in tail:
            return re.sub(r"^(?:when|where|and|but|or)\s+", "", tail, flags=re.I)
    return None


def tidy(question: str) -> str:
    """Return what is asked: the last question, without invisible characters and its mark."""
    seen = "".join(char for char in question if char.isprintable() or char.isspace())
    last = _OPENER.split(" ".join(seen.split()))[-1]
    return last.rstrip(" ?.!") or seen.strip()


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _plain(asked: str, answer: str) -> str:
    words = asked.split()
    if len(words) > MOST_WORDS - 10:
        return f'the answer is {answer} where it is asked "{" ".join(words[-16:])}"'
    return f'the answer to the question "{asked}" is {answer}'


def _declared(words: Sequence[str], answer: str) -> str | None:
    if not words:
        return None
    first = bare(words[0])
    if first.endswith("'s") and first[:-2] in ASKING:
        return _declared([first[:-2], "is", *words[1:]], answer)
    if first in AUXILIARIES:
        return _polar(first, words[1:], answer)
    if first in {"name", "give", "state"} and len(words) > 1 and bare(words[1]) == "the":
        return f"{joined(words[1:])} is {answer}"
    if first in PREPOSITIONS and len(words) > 1 and bare(words[1]) in {"which", "what", "whom"}:
        return _which(words[2:], answer, preposition=words[0].lower())
    asking = {"how": how, "who": _who, "whom": _who, "what": _what, "which": _which}
    asking |= {"when": _when, "where": _where, "why": _why, "whose": _whose}
    if first in asking:
        return asking[first](words[1:], answer)
    return _in_place(words, answer)


def without_choice(asked: str, answer: str, rival: str) -> str:
    """Drop "X or Y", where the answer is one of them, or keep only the answer of "a X or Y ..."."""
    names = [re.escape(one) for one in (answer, rival) if one]
    either = rf"(?:the )?(?:{'|'.join(names)})"
    if re.match(r"(?:is|are|was|were|do|does|did|has|have|can)\b", asked, re.I):
        return re.sub(rf"{either} or {either}(?!\w)", lambda _: answer, asked, flags=re.I)
    known = re.sub(rf"[,:]?\s+{either},? or {either}(?!\w),?", "", asked, count=1, flags=re.I)
    if known != asked:
        return known
    return re.sub(r"[,:]\s+[^,:]{1,60}?,? or [^,:]{1,60}(?:,|$)", "", asked, count=1)


def _polar(auxiliary: str, rest: Sequence[str], answer: str) -> str | None:
    said = answer.split()
    verdict = bare(said[0]) if said else ""
    at = subject_end(auxiliary, rest)
    if at is None or verdict not in {"yes", "no", "true", "false"}:
        whole = joined([*rest[:at], auxiliary, *rest[at:]]) if at is not None else ""
        return whole if whole and answer.casefold() in whole.casefold() else None
    subject, tail = rest[:at], rest[at:]
    if verdict in {"yes", "true"}:
        return f"{answer}, {joined([*subject, auxiliary, *tail])}"
    return f"{answer}, {joined([*subject, auxiliary, 'not', *tail])}"


def _who(rest: Sequence[str], answer: str) -> str | None:
    if not rest:
        return None
    auxiliary = bare(rest[0])
    if auxiliary in BE and bare(rest[-1]) in PREPOSITIONS:
        return stranded(auxiliary, rest[1:], answer)
    if auxiliary in DO:
        return _object(auxiliary, rest[1:], answer, noun="person")
    return f"{answer} {joined(rest)}"


def _object(auxiliary: str, rest: Sequence[str], answer: str, *, noun: str) -> str | None:
    """Return a statement whose verb takes the answer for its object."""
    at = verb_at(rest)
    if at is None:
        return None
    after = rest[at + 1 :]
    said = statement(auxiliary, rest)
    if not after or bare(rest[-1]) in PREPOSITIONS:
        return f"{said} {answer}"
    if noun == "person" and bare(after[0]) in PREPOSITIONS:
        return f"{statement(auxiliary, rest[: at + 1])} {answer} {joined(after)}"
    what = f"the {noun} that" if noun else "what"
    return f"{what} {said} is {answer}"


def _inverted(auxiliary: str, tail: Sequence[str]) -> bool:
    """Whether the subject of "which N is" comes after the verb: "which N has X played for"."""
    if not tail:
        return False
    if auxiliary in BE:
        return bare(tail[-1]) in PREPOSITIONS
    opens = bare(tail[0]) in DETERMINERS or is_participle(bare(tail[0])) or bare(tail[0]) == "been"
    return auxiliary in HAVE and not opens and any(is_participle(bare(word)) for word in tail[1:])


def _what(rest: Sequence[str], answer: str) -> str | None:
    if not rest:
        return None
    first = bare(rest[0])
    if first in BE:
        return _what_is(first, rest[1:], answer)
    if first in DO:
        return _object(first, rest[1:], answer, noun="")
    if first in {"happened", "happens"}:
        return f"what {joined(rest)} is {answer}"
    if first in FINITE or first in HAVE | MODALS:
        return f"{answer} {joined(rest)}"
    return _which(rest, answer)


def _what_is(be: str, rest: Sequence[str], answer: str) -> str | None:
    if not rest:
        return None
    first, last = bare(rest[0]), bare(rest[-1])
    if last in PREPOSITIONS:
        return stranded(be, rest, answer)
    if first == "it" and "called" in rest:
        at = list(rest).index("called")
        return f"it {be} {joined(rest[1 : at + 1])} {answer} {joined(rest[at + 1 :])}".strip()
    if is_participle(first):
        return f"{answer} {be} {joined(rest)}"
    if last in {"called", "named", "nicknamed", "termed"}:
        return f"{joined(rest[:-1])} {be} {last} {answer}"
    return f"{joined(rest).rstrip(',')} {be} {answer}"


def _which(rest: Sequence[str], answer: str, preposition: str = "") -> str | None:
    if not rest:
        return None
    if bare(rest[0]).endswith("'s"):
        return f"{answer}'s {joined(rest[1:])}"
    at = first_auxiliary(rest)
    if at is None:
        return f"the {joined(rest)} is {answer}"
    noun, auxiliary, tail = rest[:at], bare(rest[at]), rest[at + 1 :]
    if not noun:
        return f"{answer} {joined(rest)}"
    head = _head(noun)
    if head in _TIMES and auxiliary in DO | BE:
        return _at_a_time(auxiliary, tail, answer, head)
    if preposition and auxiliary in DO | BE:
        said = placed(auxiliary, tail)
        return f"{said} {preposition} {answer}" if said else None
    if auxiliary in DO:
        return _object(auxiliary, tail, answer, noun=joined(noun))
    return _which_is(noun, rest[at:], answer)


def _which_is(noun: Sequence[str], verbal: Sequence[str], answer: str) -> str | None:
    auxiliary, tail = bare(verbal[0]), verbal[1:]
    head, named = _head(noun), joined(noun).rstrip(",")
    if _inverted(auxiliary, tail):
        inner = stranded(auxiliary, tail)
        return f"the {named} that {inner} is {answer}" if inner else None
    if auxiliary in BE and head in _ATTRIBUTES and not (tail and is_participle(bare(tail[0]))):
        return f"the {named} of {joined(tail)} is {answer}"
    if auxiliary in BE and head in {"kind", "type", "sort"}:
        return f"{joined(tail)} {auxiliary} {answer}"
    if noun[0].lower() == "of":
        return f"{named}, {answer} {joined(verbal)}"
    article = "" if noun[0].lower() == "the" else "the "
    return f"{answer} is {article}{named} that {joined(verbal)}"


def _head(noun: Sequence[str]) -> str:
    before = list(noun)
    for at, word in enumerate(noun):
        if at and (bare(word) in PREPOSITIONS or word.lower().endswith("ing")):
            before = list(noun[:at])
            break
    return bare(before[-1])


def _at_a_time(auxiliary: str, tail: Sequence[str], answer: str, head: str) -> str | None:
    said = placed(auxiliary, tail)
    if said is None:
        return f"the {head} of {joined(tail)} is {answer}" if tail else None
    if not any(is_participle(bare(word)) for word in tail) and auxiliary in BE:
        return f"the {head} of {joined(tail)} is {answer}"
    return f"{said} {at_time(answer)}"


def _when(rest: Sequence[str], answer: str) -> str | None:
    if not rest or bare(rest[0]) not in AUXILIARIES:
        return None
    said = placed(bare(rest[0]), rest[1:])
    return f"{said} {at_time(answer)}" if said else None


def _where(rest: Sequence[str], answer: str) -> str | None:
    if not rest or bare(rest[0]) not in AUXILIARIES:
        return None
    auxiliary, tail = bare(rest[0]), list(rest[1:])
    if tail and bare(tail[-1]) in {"from", "to", "in", "at"}:
        said = placed(auxiliary, tail)
        return f"{said} {answer}" if said else None
    if auxiliary in DO:
        at = verb_at(tail)
        if at is None:
            return None
        toward = bare(tail[at]) in {"go", "move", "travel", "sail", "migrate", "relocate"}
        return f"{statement(auxiliary, tail)} {f'to {answer}' if toward else at_place(answer)}"
    at = subject_end(auxiliary, tail, whole=True)
    if at is None or at >= len(tail):
        return f"{joined(tail)} {auxiliary} {at_place(answer)}"
    said = joined([*tail[:at], auxiliary, tail[at], at_place(answer), *tail[at + 1 :]])
    return (
        said if is_participle(bare(tail[at])) else f"{placed(auxiliary, tail)} {at_place(answer)}"
    )


def _why(rest: Sequence[str], answer: str) -> str | None:
    if not rest or bare(rest[0]) not in AUXILIARIES:
        return None
    said = placed(bare(rest[0]), rest[1:], whole=False)
    return f"the reason why {said} is {answer}" if said else None


def _whose(rest: Sequence[str], answer: str) -> str | None:
    return f"{answer}'s {joined(rest)}" if rest else None


def _in_place(words: Sequence[str], answer: str) -> str | None:
    """Return the sentence of a question that asks inside or at its end, or is left unfinished."""
    at = next((i for i in range(len(words) - 1, 0, -1) if _asks(words, i)), None)
    if at is None:
        return _unfinished(words, answer)
    before, after = words[:at], words[at + 1 :]
    asking = bare(words[at])
    if before[-1].endswith(",") or asking in {"when", "where", "why", "how"}:
        tail = _declared(words[at:], answer)
        return f"{joined(before)} {tail}" if tail else None
    if not after or bare(after[0]) in PREPOSITIONS or asking in {"who", "whom"}:
        return joined([*before, answer, *after])
    if bare(after[0]) in _TIMES and bare(before[-1]) in PREPOSITIONS:
        return joined([*before[:-1], at_time(answer), *after[1:]])
    if bare(after[0]) in {"country", "state", "city", "county", "province", "town"}:
        return joined([*before, "the", after[0], "of", answer, *after[1:]])
    if len(after) == 1 and bare(after[0]) in {"empire", "dynasty", "army", "war", "era", "tribe"}:
        return joined([*before, "the", answer, *after])
    return joined([*before, f"{answer},", "the", *after])


def _asks(words: Sequence[str], at: int) -> bool:
    """Whether a question word inside a question asks, and does not open a relative clause."""
    asking, before = bare(words[at]), words[at - 1]
    after = bare(words[at + 1]) if at + 1 < len(words) else ""
    if asking in {"which", "what", "how"}:
        return before.endswith(",") or after not in AUXILIARIES | FINITE | {""} or asking == "what"
    if asking in {"who", "whom"}:
        return bare(before) in PREPOSITIONS or before.endswith(",")
    return asking in ASKING and before.endswith(",") and after in AUXILIARIES


def _unfinished(words: Sequence[str], answer: str) -> str | None:
    lower = [bare(word) for word in words]
    if lower[-1] in PREPOSITIONS | AUXILIARIES | {"called", "the", "a", "an"}:
        return f"{joined(words)} {answer}"
    if "this" in lower[1:]:
        at = len(lower) - 1 - lower[::-1].index("this")
        return joined([*words[:at], f"{answer},", "the", *words[at + 1 :]])
    foreign = not joined(words).isascii() or any(word in AUXILIARIES for word in lower)
    return None if foreign else f"{joined(words)} is {answer}"
