"""Finds prose that is taken apart or run together: `i g n o r e`, one word a line, `ignoreall`.

What is joined again is divided into common words; only where they cover it nearly whole is it
prose, so that tables, initials and identifiers are none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from defences.vocabulary import FOREIGN_WORDS, FUNCTION_WORDS, is_prose, words
from domain.decodings import Split
from domain.text import MappedText

MAX_CHARACTERS: Final = 100_000
"""In runs of one kind that are divided into words; `undivided` counts the rest."""
_PIECE: Final = 2_000
"""Letters that are divided at a time."""
_LONGEST_WORD: Final = 14
_COVERAGE: Final = 0.85
_MIN_SPLIT_WORDS: Final = 5
_MIN_JOINED_WORDS: Final = 6
_MIN_FUNCTIONS: Final = 2
_SHORTEST_MEAN: Final = 3.2
"""Letters a word: prose has 3.4 and more, German compounds cut into English words 2.8 and less."""
_FUNCTIONS: Final = FUNCTION_WORDS | FOREIGN_WORDS
_SURELY_PROSE: Final = 9
_SURELY_NO_SLIP: Final = 12
"""Words run together: fewer are so by a typesetter's slip, too, or in a name."""
_SEPARATOR: Final = r"[ \t._*\-\u00b7|,:;'\u2019\"()@!?/\n]{1,4}"
_LETTERS: Final = re.compile(rf"(?<![^\W_])(?:[^\W\d_]{_SEPARATOR}){{13,}}[^\W\d_](?![^\W_])")
_LONG: Final = re.compile(r"(?<![\w/=+#-])[A-Za-z][A-Za-z',;!?]{26,}")
_JOINED: Final = tuple(
    (
        joint,
        re.compile(
            rf"(?<![\w/.=#@-])[^\W\d_][^\s/(){mark}]{{0,40}}{mark}"
            rf"(?:[^\s(){mark}]{{1,60}}{mark}){{4,}}[^\s(){mark}]{{1,60}}"
        ),
    )
    for joint, mark in (("_", "_"), ("-", r"\-"), ("+", r"\+"), ("~", "~"), ("^", r"\^"))
)
_UNBROKEN: Final = re.compile(r"\S{11,}")
"""Where six words may stand joined: white space ends a run."""
_CODE_NAME: Final = re.compile(r"(?:test|it|should)_|[A-Z0-9_]+\Z")
_FILE_NAME: Final = re.compile(r".*[^\W_]\.[a-z][a-z0-9]{0,7}", re.DOTALL)
_SETTING: Final = re.compile(r"[A-Z0-9_]+=")
_CLOSING: Final = ".,;:!?\"'\u2019\u201d)"
_LINE_MARK: Final = re.compile(
    r"\s*(?:[-*+#>|]|\d+[.)]\s|\.{0,2}/\w)|.*[{}<>=;|\\\[\]`]|.*\w_\w|.*:\Z"
)
_WORDS_A_LINE: Final = 3
_MIN_LINES: Final = 6
_PARTS: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


def split_prose(text: str) -> Iterator[Split]:
    """Yield what reads as prose once it is joined or divided."""
    for start, end in _pieces(text, _LETTERS, 4 * _PIECE):
        yield from _spaced(text, start, end)
    for start, end in _pieces(text, _LONG, _PIECE):
        yield from _run_together(text, start, end)
    joints = [joint for joint, _ in _JOINED if text.count(joint) >= _MIN_JOINED_WORDS - 1]
    if joints:
        yield from _joined_runs(text, joints)
    yield from _lines(text)


def undivided(text: str) -> int:
    """Return how many code points of spaced or unbroken runs are not looked at: too many."""
    if len(text) <= MAX_CHARACTERS:
        return 0
    return sum(
        max(0, sum(len(run[0]) for run in pattern.finditer(text)) - MAX_CHARACTERS)
        for pattern in (_LETTERS, _LONG)
    )


def _pieces(text: str, pattern: re.Pattern[str], longest: int) -> Iterator[tuple[int, int]]:
    """Yield the runs, long ones in pieces, as far as `MAX_CHARACTERS` goes."""
    left = MAX_CHARACTERS
    for run in pattern.finditer(text):
        for start in range(run.start(), run.end(), longest):
            end = min(run.end(), start + longest)
            left -= end - start
            if left < 0:
                return
            yield start, end


def _joined_runs(text: str, joints: Sequence[str]) -> Iterator[Split]:
    runs = [run for run in _UNBROKEN.finditer(text) if any(joint in run[0] for joint in joints)]
    for joint, pattern in _JOINED:
        for run in runs if joint in joints else ():
            if run[0].count(joint) >= _MIN_JOINED_WORDS - 1:
                for match in pattern.finditer(text, *run.span()):
                    yield from _joined(text, match, joint)


def _mapped(pieces: Sequence[tuple[str, int, int]]) -> MappedText:
    """Return the pieces; each character of one stands for the same range."""
    lengths = [len(piece) for piece, _, _ in pieces]
    starts = np.repeat(np.array([start for _, start, _ in pieces], dtype=np.int32), lengths)
    ends = np.repeat(np.array([end for _, _, end in pieces], dtype=np.int32), lengths)
    return MappedText(text="".join(piece for piece, _, _ in pieces), starts=starts, ends=ends)


def _spaced(text: str, start: int, end: int) -> Iterator[Split]:
    letters = [match.start() for match in re.finditer(r"[^\W\d_]", text[start:end])]
    gaps = [text[start + one + 1 : start + two] for one, two in pairwise(letters)]
    if not gaps:
        return
    usual = Counter(gaps).most_common(1)[0][0]
    wordy = sum(gap != usual for gap in gaps)
    if wordy >= _MIN_SPLIT_WORDS - 1:
        pieces: list[tuple[str, int, int]] = []
        for at, letter in enumerate(letters):
            pieces.append((text[start + letter], start + letter, start + letter + 1))
            if at < len(gaps) and gaps[at] != usual:
                mark = "".join(c for c in gaps[at] if c in ",:;!?'\"")
                pieces.append((f"{mark} ", start + letter + 1, start + letters[at + 1]))
        mapped = _mapped(pieces)
        if is_prose(mapped.text):
            yield Split(encoding="spaced-letters", start=start, end=end, text=mapped)
            return
    yield from _divided(text, start, [start + letter for letter in letters], "spaced-letters")


def _run_together(text: str, start: int, end: int) -> Iterator[Split]:
    places = [at for at in range(start, end) if text[at].isalpha()]
    yield from _divided(text, start, places, "run-together")


def _divided(text: str, start: int, places: Sequence[int], encoding: str) -> Iterator[Split]:
    places = places[:_PIECE]
    letters = "".join(text[at] for at in places).lower()
    if not letters or len(letters) != len(places):
        return
    found = divide(letters)
    if found is None:
        return
    spaced = encoding == "spaced-letters"
    functions = {word for word in found if word in _FUNCTIONS}
    if len(found) < (_MIN_SPLIT_WORDS if spaced else _MIN_JOINED_WORDS):
        return
    # The name of a class may hold two short words by chance: `ExternalReferenceForbidden`.
    if len(functions) < _MIN_FUNCTIONS + (not spaced):
        return
    if not spaced and len(letters) < _SHORTEST_MEAN * len(found):
        return  # a long word of another language, cut to bits
    pieces: list[tuple[str, int, int]] = []
    at = 0
    for word in found:
        pieces += [(text[p], p, p + 1) for p in places[at : at + len(word)]]
        at += len(word)
        pieces.append((" ", places[at - 1] + 1, places[at - 1] + 1))
    end = places[-1] + 1
    capitals = sum(text[at].isupper() for at in places)
    named = capitals > _MIN_FUNCTIONS + 1
    if named and capitals * 10 < 7 * len(found):
        return  # divided elsewhere than its capitals divide it
    yield Split(
        encoding=encoding,
        start=start,
        end=end,
        text=_mapped(pieces[:-1]),
        sure=spaced or len(found) >= _SURELY_NO_SLIP,
    )


def divide(letters: str) -> list[str] | None:
    """Return `letters` divided into common words, or None where they do not cover most of it.

    Least cost: a word costs one, a letter that is in none costs two; a name may be left over.
    """
    known = words() | FOREIGN_WORDS
    size = len(letters)
    cost = [0.0] + [np.inf] * size
    back = [0] * (size + 1)
    for end in range(1, size + 1):
        cost[end], back[end] = cost[end - 1] + 2.0, end - 1
        for start in range(max(0, end - _LONGEST_WORD), end):
            length = end - start
            if letters[start:end] not in known or (length == 1 and letters[start] not in "ai"):
                continue
            price = cost[start] + (1.0 if length > 2 else 1.4)  # noqa: PLR2004 - short words are everywhere
            if price < cost[end]:
                cost[end], back[end] = price, start
    found: list[str] = []
    rest, at, loose = 0, size, ""
    while at > 0:
        piece = letters[back[at] : at]
        if len(piece) == 1 and piece not in "ai":
            rest, loose = rest + 1, piece + loose
        else:
            if loose:
                found.append(loose)
            found.append(piece)
            loose = ""
        at = back[at]
    if loose:
        found.append(loose)
    found.reverse()
    if rest > (1 - _COVERAGE) * size or len(found) * 6 < size / 1.5:
        return None
    return found


def _joined(text: str, match: re.Match[str], joint: str) -> Iterator[Split]:
    """`ignore_all_previous_...`: an identifier is short, or is named as tests are."""
    run = match[0]
    if re.search(r"[#</`\\]", run.replace("://", "")):
        return
    bare = run.rstrip(_CLOSING)  # the sentence around a name goes on behind it
    if _SETTING.match(run) or _FILE_NAME.fullmatch(bare):
        return
    if _CODE_NAME.match(run) or text[match.end() : match.end() + 1] in ("(", "/", ":"):
        return
    parts = list(_PARTS.finditer(run))
    lowered = [part[0].lower() for part in parts]
    functions = {word for word in lowered if word in _FUNCTIONS}
    known = sum(word in words() or word in FOREIGN_WORDS for word in lowered)
    if len(lowered) < _MIN_JOINED_WORDS or known * 3 < 2 * len(lowered):
        return
    if len(functions) < _MIN_FUNCTIONS:
        return
    punctuated = re.search(rf"[,.!?;:]{re.escape(joint)}|['\u2019][^\W_]", bare) is not None
    slug = joint == "-" and bare == bare.lower() and not punctuated
    capitals = sum(part[0][0].isupper() for part in parts)
    sure = not slug and (
        len(lowered) >= _SURELY_PROSE or punctuated or (bare[:1].isupper() and capitals == 1)
    )
    readable = run.replace(joint, " ")
    yield Split(
        encoding="joined-words",
        start=match.start(),
        end=match.end(),
        text=MappedText.identity(readable, offset=match.start()),
        sure=sure,
    )


def _lines(text: str) -> Iterator[Split]:
    """Yield runs of lines of one to three words that read on from line to line."""
    if text.count("\n") < _MIN_LINES - 1:
        return
    run: list[tuple[int, str]] = []
    at = 0
    for line in [*text.split("\n"), "\x00" * 4]:
        count = len(line.split())
        if count == 0 and run and len(run[-1][1].split()) == 1 and len(run) > 1:
            pass  # a blank line between single words
        elif 1 <= count <= _WORDS_A_LINE and "\x00" not in line and not _LINE_MARK.match(line):
            run.append((at, line))
        else:
            yield from _line_run(run)
            run = []
        at += len(line) + 1


def _line_run(run: Sequence[tuple[int, str]]) -> Iterator[Split]:
    if len(run) < _MIN_LINES:
        return
    lines = [line.strip() for _, line in run]
    joined = " ".join(lines)
    found = [word.lower() for word in _PARTS.findall(joined)]
    functions = sum(word in _FUNCTIONS for word in found)
    lower = sum(line[:1].islower() for line in lines[1:])
    ends = sum(line[-1:] in ".!?,;" for line in lines)
    if functions * 4 < len(found) or len({*found}) < _MIN_JOINED_WORDS:
        return
    if lower * 10 < 6 * (len(lines) - 1) or ends * 3 > len(lines) or not is_prose(joined):
        return
    pieces: list[tuple[str, int, int]] = []
    for at, line in run:
        pieces += [(c, at + n, at + n + 1) for n, c in enumerate(line)]
        pieces.append((" ", at + len(line), at + len(line)))
    sure = len(found) <= 1.6 * len(lines) or len(found) > _SURELY_PROSE
    end = run[-1][0] + len(run[-1][1])
    yield Split(
        encoding="line-split", start=run[0][0], end=end, text=_mapped(pieces[:-1]), sure=sure
    )
