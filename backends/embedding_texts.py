"""What every embedder does to a text before it looks at it."""

from __future__ import annotations


def well_formed(text: str, *, max_characters: int) -> str:
    """Return the beginning of a text, with lone surrogates, which no encoder takes, as `?`."""
    return text[:max_characters].encode("utf-8", "replace").decode("utf-8")
