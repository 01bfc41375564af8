"""Words as LanceDB's keyword index takes them: segmented, stemmed, common ones left out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lancedb.index import FTS
    from lancedb.table import AsyncTable

MEMO: Final = 100_000
"""Words whose tokens are kept, of up to `_LONGEST` characters: some 20 MB."""

_LONGEST: Final = 40
_AT_ONCE: Final = 20_000
_FIRST_MARK: Final = 10**12


def keyword_index() -> FTS:
    """Return the configuration of the keyword index, in the folder and here."""
    from lancedb.index import FTS

    return FTS(base_tokenizer="icu/split", max_token_length=100)


class KeywordTokens:
    """Asks the tokenizer of LanceDB, over an empty table of this process's own, for words it does not know."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}
        self._table: AsyncTable | None = None
        self._pid = os.getpid()

    async def of(self, words: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """Return the tokens of each word, which holds letters, marks and digits only.

        A word that is too common has none; one of a script without spaces may have several.
        """
        distinct = set(words)
        found = {word: self._known[word] for word in distinct if word in self._known}
        missing = sorted(distinct - found.keys())
        for start in range(0, len(missing), _AT_ONCE):
            found.update(await self._asked(missing[start : start + _AT_ONCE]))
        return found

    async def _asked(self, words: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        # The tokenizer says nothing of places: a number that is none of the words parts them.
        mark = next(
            number
            for number in map(str, range(_FIRST_MARK, 2 * _FIRST_MARK))
            if not any(number in word for word in words)
        )
        table = await self._opened()
        told = await table.tokenize(f"\n{mark}\n".join(words), column="word")
        parts: list[list[str]] = [[]]
        for token in told:
            if token.text == mark:
                parts.append([])
            else:
                parts[-1].append(token.text)
        found = {word: tuple(part) for word, part in zip(words, parts, strict=True)}
        self._known.update(item for item in found.items() if len(item[0]) <= _LONGEST)
        for word in list(islice(self._known, max(0, len(self._known) - MEMO))):
            del self._known[word]
        return found

    async def _opened(self) -> AsyncTable:
        if self._table is None or self._pid != os.getpid():
            import lancedb
            import pyarrow as pa

            connection = await lancedb.connect_async("memory://")
            self._table = await connection.create_table("words", pa.table({"word": ["word"]}))
            await self._table.create_index("word", config=keyword_index())
            self._pid = os.getpid()
        return self._table


def numbered(
    texts: Sequence[Sequence[str]], tokens: Mapping[str, Sequence[str]], numbers: dict[str, int]
) -> list[list[int]]:
    """Return the tokens of each text's words as numbers; new ones are added to `numbers`."""
    by_word = {
        word: tuple(numbers.setdefault(token, len(numbers)) for token in held)
        for word, held in tokens.items()
    }
    return [list(chain.from_iterable(map(by_word.__getitem__, words))) for words in texts]
