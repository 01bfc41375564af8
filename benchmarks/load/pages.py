"""Honest pages that are no copies of one another."""

from __future__ import annotations

import random
from typing import Final

_NOUNS: Final = [
    "harbour",
    "lantern",
    "orchard",
    "quarry",
    "ledger",
    "kettle",
    "ferry",
    "chapel",
    "market",
    "bridge",
    "cellar",
    "meadow",
    "workshop",
    "garden",
    "library",
    "station",
    "tower",
    "mill",
    "brewery",
    "theatre",
    "bakery",
    "stable",
    "wharf",
    "archive",
]
_TRAITS: Final = [
    "old",
    "quiet",
    "narrow",
    "wooden",
    "northern",
    "painted",
    "crowded",
    "cold",
    "famous",
    "small",
    "restored",
    "empty",
    "stone",
    "busy",
    "distant",
    "plain",
    "lower",
    "upper",
    "ruined",
    "modern",
    "sunny",
    "windy",
    "private",
    "forgotten",
]
_VERBS: Final = [
    "faces",
    "serves",
    "borders",
    "overlooks",
    "supplies",
    "adjoins",
    "predates",
    "outlasts",
    "resembles",
    "shelters",
    "feeds",
    "crosses",
    "follows",
    "replaces",
    "hosts",
    "lights",
]
_ENDS: Final = [
    "since the flood",
    "before the railway came",
    "on market days",
    "through the winter",
    "after the repairs",
    "by an old agreement",
    "under a new roof",
    "with the council's leave",
    "in dry summers",
    "at low tide",
]


def varied_page(number: int, *, sentences: int = 40, opening: str = "") -> str:
    """Return a page that is the same for the same number; `opening` is its first sentence."""
    dice = random.Random(number)  # noqa: S311 - chance, not a secret
    lines = [
        f"The {dice.choice(_TRAITS)} {dice.choice(_NOUNS)} {dice.choice(_VERBS)} "
        f"the {dice.choice(_TRAITS)} {dice.choice(_NOUNS)} {dice.choice(_ENDS)}."
        for _ in range(sentences)
    ]
    title = f"The {dice.choice(_TRAITS)} {dice.choice(_NOUNS)} and the {dice.choice(_NOUNS)}"
    return f"# {title}\n\n" + " ".join(filter(None, (opening, *lines))) + "\n"
