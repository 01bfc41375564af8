"""Reads what a language model replied: one JSON object, or labelled lines.

Whatever could be read in two ways (several objects with other answers, one key twice) is malformed:
a document that smuggles an object into the reply must not be able to win by its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from backends.llm.prompts import MAX_ANSWER_WORDS

MAX_REPLY_CHARS: Final = 16_384
MAX_ANSWER_CHARS: Final = 160
"""Bounds an answer in a script without blanks."""
MAX_RATIONALE_CHARS: Final = 600
MAX_QUOTES: Final = 4

_MAX_STARTS: Final = 64

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

_THINKING: Final = re.compile(
    r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE
)
_STRING_OR_COMMA: Final = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
_LABEL: Final = re.compile(
    r"^[ \t>#*_-]{0,6}(answer|rationale|explanation|quotes?|evidence)(?:[ \t]*\d{1,2})?[ \t*_]*:[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_UNKNOWN: Final = re.compile(
    r"unknown|unanswerable|n/?a|none|null|not (?:in|found in|stated in|mentioned in|given in|specified in)"
    r" (?:the |these |any )*documents?|not (?:stated|specified|mentioned|given|provided|available|found|known)"
    r"|no (?:answer|information|relevant information)(?: (?:found|available|given|provided))?"
    r"|(?:the )?(?:documents?|answer) (?:do|does|is|are|did)(?: not|n['\u2019]t)\b.*"
    r"|i (?:do not|don['\u2019]t|cannot|can['\u2019]t|can not)\b.*|(?:cannot|can['\u2019]t) be (?:determined|answered).*"
    r"|insufficient (?:information|evidence).*",
    re.IGNORECASE | re.DOTALL,
)


class MalformedReplyError(ValueError):
    """The reply is not in the format asked for; the message never quotes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReply:
    """A reply as read. `answer` is None where the model says that it does not know."""

    answer: str | None
    rationale: str
    quotes: tuple[str, ...]


def read_draft(text: str) -> DraftReply:
    """Read a drafter's reply.

    Raises:
        MalformedReplyError: There is no answer in it, more than one, or one that is too long.
    """
    if len(text) > MAX_REPLY_CHARS:
        raise MalformedReplyError(f"reply has {len(text)} characters, limit is {MAX_REPLY_CHARS}")
    said = _THINKING.sub("", text)
    replies = [_from_object(found) for found in _objects(said) if "answer" in found]
    if not replies:
        replies = [_from_lines(said)]
    first = replies[0]
    if any(_flat(reply.answer) != _flat(first.answer) for reply in replies[1:]):
        raise MalformedReplyError(f"{len(replies)} objects with different answers")
    return first


def read_selection(text: str, count: int) -> frozenset[int] | None:
    """Return which candidates, from 0, a reply names; None where it is not as asked for."""
    if len(text) > MAX_REPLY_CHARS:
        return None
    try:
        objects = [found for found in _objects(_THINKING.sub("", text)) if "supported" in found]
    except MalformedReplyError:
        return None
    if len(objects) != 1:
        return None
    listed = objects[0]["supported"]
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        return None
    chosen: set[int] = set()
    for number in listed:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
            return None
        chosen.add(number - 1)
    return frozenset(chosen)


def _objects(text: str) -> Iterator[Mapping[str, Json]]:
    """Yield the outermost JSON objects, in order; trailing commas and line ends in strings pass."""
    tidy = _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_unique)
    at = tidy.find("{")
    for _ in range(_MAX_STARTS):
        if at == -1:
            return
        try:
            value, end = decoder.raw_decode(tidy, at)
        except RecursionError as exc:
            raise MalformedReplyError("reply is nested too deeply") from exc
        except json.JSONDecodeError:
            end = at + 1
        else:
            yield value
        at = tidy.find("{", end)
    raise MalformedReplyError(f"more than {_MAX_STARTS} objects, or what looks like them")


def _unique(pairs: list[tuple[str, Json]]) -> Mapping[str, Json]:
    lowered = {key.strip().casefold(): value for key, value in pairs}
    if len(lowered) != len(pairs):
        raise MalformedReplyError("one key stands twice in an object")
    return lowered


def _from_object(found: Mapping[str, Json]) -> DraftReply:
    answer = found["answer"]
    if isinstance(answer, bool):
        answer = "Yes" if answer else "No"
    elif isinstance(answer, int | float):
        answer = str(answer)
    elif answer is not None and not isinstance(answer, str):
        raise MalformedReplyError("answer is not text")
    rationale = found.get("rationale", found.get("explanation"))
    return _reply(
        answer,
        rationale if isinstance(rationale, str) else "",
        _quotes(found.get("quotes", found.get("quote"))),
    )


def _quotes(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Sequence):
        return []
    quotes: list[str] = []
    for item in value:
        said = item.get("quote", item.get("text")) if isinstance(item, Mapping) else item
        if isinstance(said, str):
            quotes.append(said)
    return quotes


def _from_lines(text: str) -> DraftReply:
    labels = list(_LABEL.finditer(text))
    fields: dict[str, list[str]] = {}
    for label, after in zip(labels, [*labels[1:], None], strict=False):
        value = text[label.end() : after.start() if after is not None else len(text)]
        # a field ends with its paragraph: what a model adds below it is none of it
        value = re.split(r"\n\s*\n|```", value.strip(), maxsplit=1)[0].strip()
        fields.setdefault(label[1].lower(), []).append(value)
    answers = fields.get("answer", [])
    if not answers:
        raise MalformedReplyError("there is no answer in the reply")
    if len({_flat(answer) for answer in answers}) > 1:
        raise MalformedReplyError(f"{len(answers)} different answers")
    quotes = [
        line.strip().lstrip("-*\u2022 ").strip()
        for name in ("quote", "quotes", "evidence")
        for value in fields.get(name, [])
        for line in value.splitlines()
    ]
    rationale = fields.get("rationale", fields.get("explanation", [""]))[0]
    return _reply(answers[0].strip("*_ "), rationale, quotes)


def _reply(answer: str | None, rationale: str, quotes: Sequence[str]) -> DraftReply:
    said = " ".join((answer or "").split()).strip("\"'\u201c\u201d\u2018\u2019`")
    bare = said.rstrip(".!").strip()
    if not any(character.isalnum() for character in bare) or _UNKNOWN.fullmatch(bare):
        return DraftReply(answer=None, rationale="", quotes=())
    words = len(said.split())
    if words > MAX_ANSWER_WORDS or len(said) > MAX_ANSWER_CHARS:
        raise MalformedReplyError(f"answer has {words} words, limit is {MAX_ANSWER_WORDS}")
    return DraftReply(
        answer=said,
        rationale=" ".join(rationale.split())[:MAX_RATIONALE_CHARS],
        quotes=tuple(quote for quote in quotes if quote.strip())[:MAX_QUOTES],
    )


def _flat(text: str | None) -> str:
    return " ".join((text or "").casefold().split())
