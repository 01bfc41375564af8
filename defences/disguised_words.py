"""Finds sentences whose words are written otherwise: shifted, turned round, in leet, scrambled.

Each word that is no common word is looked up in a table of what common words become under every
transformation. Many such words of one transformation near each other, and hardly a plain word
among them, are a sentence in disguise. One pass over the text, whatever its length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from defences.vocabulary import FOREIGN_WORDS, FUNCTION_WORDS, words
from domain.decodings import Disguise
from domain.text import MappedText

MIN_VOTES: Final = 4
_MIN_DISTINCT: Final = 3
_MIN_LONG: Final = 2
"""Long words of a sentence in leet or scrambled: codes of products are short."""
_MAX_GAP: Final = 4
"""Words without a vote between two of one sentence."""
_MIN_SHARE: Final = 0.4
_MIN_LENGTH: Final = 3
_CIPHER_LENGTH: Final = 3
_TYPO_LENGTH: Final = 4
_ALPHABET: Final = 26
_TOKEN: Final = re.compile(r"[@$|]?[^\W_]+(?:[@$|!'\u2019]+[^\W_]+)*")
_LEET: Final = str.maketrans("il|!1o0e3a4@s5$t7b8g9z2", "11111003344455577889922"[:23])
_LEET_DIGITS: Final = re.compile(r"[0-9@$|!]")
_FROM_LEET: Final = str.maketrans("013457892@$|!", "oieastbgzasil"[:13])
_UPSIDE_DOWN: Final = str.maketrans(
    "\u0250\u0254\u01dd\u025f\u0183\u0265\u1d09\u027e\u029e\u05df\u026f\u0279\u0287\u028c\u028d\u028e"
    "qdbunp",
    "acefghijklmrtvwybpqnud",
)
_UPSIDE_SIGN: Final = re.compile(
    "[\u0250\u0254\u01dd\u025f\u0265\u1d09\u027e\u029e\u026f\u0279\u0287\u028c\u028d\u028e]"
)

LEET: Final = "leet"
SCRAMBLED: Final = "scrambled"
REVERSED: Final = "reversed"
UPSIDE_DOWN: Final = "upside-down"
ATBASH: Final = "atbash"
CAESAR: Final = "caesar-"
ROT13: Final = "rot13"


class _Token(NamedTuple):
    start: int
    end: int
    plain: bool
    """A function word as it stands."""


class _Word(NamedTuple):
    plain: bool
    """A function word as it stands."""
    names: tuple[str, ...]
    """The transformations that it votes for."""


def _shift(word: str, by: int) -> str:
    return "".join(chr((ord(letter) - 97 + by) % _ALPHABET + 97) for letter in word)


def _mirror(word: str) -> str:
    return "".join(chr(219 - ord(letter)) for letter in word)


def _key(word: str) -> str:
    return word[0] + "".join(sorted(word[1:-1])) + word[-1]


@cache
def _ciphers() -> Mapping[str, tuple[str, ...]]:
    """Return what disguised words may be, by the word as it is written."""
    table: dict[str, list[str]] = {}

    def enter(written: str, name: str) -> None:
        if written not in known and name not in table.setdefault(written, []):
            table[written].append(name)

    known = words() | FOREIGN_WORDS
    for word in _lexicon():
        if len(word) < _CIPHER_LENGTH:
            continue
        enter(word[::-1], REVERSED)
        enter(_shift(word, 13), ROT13)
        enter(_mirror(word), ATBASH)
    for word in FUNCTION_WORDS:
        if len(word) < _CIPHER_LENGTH:
            continue
        for by in range(1, _ALPHABET):
            if by != 13:  # noqa: PLR2004 - above
                enter(_shift(word, by), f"{CAESAR}{by}")
    return {written: tuple(names) for written, names in table.items()}


@cache
def _lexicon() -> frozenset[str]:
    return words() | {word for word in FOREIGN_WORDS if word.isascii()}


@cache
def _scrambles() -> Mapping[str, str]:
    return {_key(word): word for word in sorted(_lexicon()) if len(word) >= _TYPO_LENGTH}


@cache
def _leets() -> Mapping[str, str]:
    own = {word for word in words() if len(word) >= _MIN_LENGTH}
    others = {word for word in _lexicon() if len(word) > _MIN_LENGTH}
    return {word.translate(_LEET): word for word in sorted(own | others)}


def disguises(text: str) -> tuple[Disguise, ...]:
    """Return the sentences of `text` in disguise, in order, apart from each other by kind."""
    counts = Counter(_TOKEN.findall(text))
    known = {word: _look_up(word.lower()) for word in counts}
    cast: Counter[str] = Counter()
    for word, count in counts.items():
        for name in known[word].names:
            cast[name] += count
    if not cast or max(cast.values()) < MIN_VOTES:
        return ()
    tokens: list[_Token] = []
    votes: dict[str, list[int]] = {}
    for number, match in enumerate(_TOKEN.finditer(text)):
        looked_up = known[match[0]]
        tokens.append(_Token(*match.span(), looked_up.plain))
        for name in looked_up.names:
            votes.setdefault(name, []).append(number)
    found = [
        disguise
        for name, numbers in votes.items()
        if len(numbers) >= MIN_VOTES
        for disguise in _sentences(text, tokens, name, numbers)
    ]
    return tuple(sorted(_best(found), key=lambda disguise: disguise.start))


def _look_up(word: str) -> _Word:
    if word in FUNCTION_WORDS or word in FOREIGN_WORDS:
        return _Word(len(word) >= _MIN_LENGTH, ())
    if word in words():
        return _Word(False, ())
    return _Word(False, (*_ciphers().get(word, ()), *_other(word)))


def _best(found: Sequence[Disguise]) -> Iterator[Disguise]:
    """Yield the one with most votes of those that overlap."""
    taken: list[Disguise] = []
    for one in sorted(found, key=lambda disguise: -disguise.votes):
        if all(one.end <= other.start or other.end <= one.start for other in taken[:64]):
            taken.append(one)
            yield one


def _other(word: str) -> Iterator[str]:
    if word.isascii():
        if word.isalpha():
            if len(word) >= _TYPO_LENGTH and _key(word) in _scrambles():
                yield SCRAMBLED
        elif (
            not word.isdigit()
            and _LEET_DIGITS.search(word)
            and any(letter.isalpha() for letter in word)
            and word.translate(_LEET) in _leets()
        ):
            yield LEET
    elif _UPSIDE_SIGN.search(word) and word.translate(_UPSIDE_DOWN)[::-1] in words():
        yield UPSIDE_DOWN


def _sentences(
    text: str, tokens: Sequence[_Token], name: str, numbers: Sequence[int]
) -> Iterator[Disguise]:
    loose = name in (SCRAMBLED, LEET)  # short words stay as they are
    group: list[int] = []
    for number in numbers:
        if group:
            between = tokens[group[-1] + 1 : number]
            plain = sum(token.plain for token in between)
            gap = len(between) - (plain if loose else 0)
            if gap > _MAX_GAP or (plain > 1 and not loose) or plain > _MAX_GAP:
                yield from _sentence(text, tokens, name, group)
                group = []
        group.append(number)
    yield from _sentence(text, tokens, name, group)


def _sentence(
    text: str, tokens: Sequence[_Token], name: str, group: Sequence[int]
) -> Iterator[Disguise]:
    if len(group) < MIN_VOTES:
        return
    distinct = {text[tokens[n].start : tokens[n].end].lower() for n in group}
    first, last = group[0], group[-1]
    span = tokens[first : last + 1]
    shortest = _TYPO_LENGTH if name == SCRAMBLED else _MIN_LENGTH
    eligible = sum(token.end - token.start >= shortest for token in span)
    plain = sum(token.plain for token in span)
    long = sum(len(word) > _TYPO_LENGTH for word in distinct)
    if long < _MIN_LONG and name in (SCRAMBLED, LEET):
        return
    if len(distinct) < _MIN_DISTINCT or len(group) < _MIN_SHARE * max(1, eligible):
        return
    if name not in (SCRAMBLED, LEET) and plain * 3 > len(group):
        return
    while first > 0 and _joins(text, tokens, first - 1, first):
        first -= 1
    while last + 1 < len(tokens) and _joins(text, tokens, last + 1, last):
        last += 1
    start, end = tokens[first].start, tokens[last].end
    end += len(text[end : end + 1].strip())
    readings = tuple(_READINGS[_family(name)](text, start, end, name))
    yield Disguise(encoding=name, start=start, end=end, votes=len(group), readings=readings)


def _joins(text: str, tokens: Sequence[_Token], candidate: int, edge: int) -> bool:
    """Whether a word without a vote at the edge may belong to the sentence."""
    one, other = sorted((candidate, edge))
    between = text[tokens[one].end : tokens[other].start]
    token = tokens[candidate]
    word = text[token.start : token.end].lower()
    return "\n\n" not in between and word not in words() and word not in FOREIGN_WORDS


def _family(name: str) -> str:
    return CAESAR if name.startswith(CAESAR) or name in (ROT13, ATBASH) else name


def _shifted_reading(text: str, start: int, end: int, name: str) -> Iterator[MappedText]:
    if name == ATBASH:
        table = {97 + n: 122 - n for n in range(_ALPHABET)}
    else:
        by = 13 if name == ROT13 else int(name.removeprefix(CAESAR))
        table = {97 + n: 97 + (n - by) % _ALPHABET for n in range(_ALPHABET)}
    table |= {key - 32: value - 32 for key, value in table.items()}
    yield MappedText.identity(text[start:end].translate(table), offset=start)


def _turned_reading(text: str, start: int, end: int, name: str) -> Iterator[MappedText]:
    places = np.arange(end - 1, start - 1, -1, dtype=np.int32)
    turned = text[start:end][::-1]
    if name == UPSIDE_DOWN:
        turned = turned.translate(_UPSIDE_DOWN)
    yield MappedText(text=turned, starts=places, ends=places + 1)
    if name == REVERSED:
        yield _by_word(text, start, end, lambda word: word[::-1])


def _leet_reading(text: str, start: int, end: int, _: str) -> Iterator[MappedText]:
    yield _by_word(text, start, end, _unleet)


def _unleet(word: str) -> str:
    if word.isdigit() or word.isalpha():
        return word
    found = _leets().get(word.lower().translate(_LEET))
    return found or word.lower().translate(_FROM_LEET)


def _scrambled_reading(text: str, start: int, end: int, _: str) -> Iterator[MappedText]:
    yield _by_word(text, start, end, _unscramble)


def _unscramble(word: str) -> str:
    lowered = word.lower()
    if len(word) < _TYPO_LENGTH or lowered in words() or not lowered.isascii():
        return word
    return _scrambles().get(_key(lowered), word)


def _by_word(text: str, start: int, end: int, change: Callable[[str], str]) -> MappedText:
    """Return the range with each word changed to one of the same length."""
    changed = _TOKEN.sub(lambda match: change(match[0]), text[start:end])
    if len(changed) != end - start:  # pragma: no cover - every change keeps the length
        changed = text[start:end]
    return MappedText.identity(changed, offset=start)


_READINGS: Final[Mapping[str, Callable[[str, int, int, str], Iterator[MappedText]]]] = {
    CAESAR: _shifted_reading,
    REVERSED: _turned_reading,
    UPSIDE_DOWN: _turned_reading,
    LEET: _leet_reading,
    SCRAMBLED: _scrambled_reading,
}
