"""What a Weaviate server makes of text and of names, from its documentation and its messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

CLASS_NAME: Final = re.compile(r"[A-Z][_0-9A-Za-z]{0,254}")
PROPERTY_NAME: Final = re.compile(r"[_A-Za-z][_0-9A-Za-z]{0,230}")
TENANT_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
RESERVED: Final = frozenset({"_additional", "_id", "id"})

STOPWORDS: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "if",
        "in",
        "into",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "such",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "will",
        "with",
    ]
)
"""The preset `en`."""


def tokens(text: str) -> list[str]:
    """Part as tokenisation `word` does: runs of letters and numbers, in lower case, and no more.

    It folds no compatibility forms, drops marks that are code points of their own, and knows no
    dictionary: what is written without spaces is one word.
    """
    kept = (c if unicodedata.category(c)[0] in "LN" else " " for c in text)
    return "".join(kept).lower().split()


def asked_for(query: str) -> list[str]:
    """Return the distinct words of a query that are looked for: stop words are not."""
    return [word for word in dict.fromkeys(tokens(query)) if word not in STOPWORDS]


def fault_of(prop: Mapping[str, Any]) -> str | None:
    """Return why the server would not take a property of a new collection."""
    name, kind = prop["name"], prop["dataType"][0]
    if not PROPERTY_NAME.fullmatch(name):
        return f"{name!r} is not a valid property name"
    if name in RESERVED:
        return f"{name!r} is a reserved property name"
    if kind not in {"text", "boolean", "number"}:
        return f"{name!r}: the fake knows no data type {kind!r}"
    if kind != "text" and prop.get("tokenization"):
        return f"Tokenization is not allowed for data type {kind!r}"
    if kind != "text" and prop.get("indexSearchable"):
        return "`indexSearchable` is allowed only for text/text[] data types"
    if kind != "number" and prop.get("indexRangeFilters"):
        return "`indexRangeFilters` is allowed only for number/int/date data types"
    return None
