"""Ways in which text is kept from a reader, and what each means by itself.

The names are those that parsers give to passages and warnings.
"""

from __future__ import annotations

from typing import Final

ORDINARY_CHANNELS: Final = frozenset(
    {
        "html-display-none",
        "html-hidden-attribute",
        "html-hiding-class",
        "html-visibility-hidden",
        "html-comment",
        "markdown-comment",
        "markdown-link-comment",
        "html-template",
        "html-dialog",
        "html-noscript",
        "html-fallback",
        "html-annotation",
        "html-hidden-input",
        "html-screen-reader",
        "docx-comment",
        "docx-deleted-revision",
        "pptx-notes",
        "pptx-comment",
        "pptx-hidden-slide",
        "xlsx-comment",
        "xlsx-covered-cell",
        "xlsx-hidden-sheet",
        "xlsx-hidden-row",
        "xlsx-hidden-column",
        "epub-unlisted-page",
        "pdf-actual-text",
        "pdf-annotation",
        "pdf-layer",
        "pdf-bookmark",
        "pdf-script",
        "mail-alternative",
    }
)
"""Channels that honest documents use too: it takes a sentence, not a few words, to stand out."""
LABEL_CHANNELS: Final = frozenset(
    {
        "html-alt",
        "html-title-attribute",
        "html-aria-label",
        "html-placeholder",
        "html-meta",
        "markdown-image-alt",
        "markdown-link-title",
        "docx-alt-text",
        "pptx-alt-text",
    }
)
"""What a reader is shown on asking, and honest authors write at length: glossaries, charts."""
EXFILTRATION: Final = {
    "markdown-image-exfil": 0.9,
    "html-image-exfil": 0.9,
    "markdown-image-query": 0.4,
    "html-image-query": 0.4,
}
NEVER_HONEST: Final = frozenset({"html-split-words"})
WARNINGS: Final = {
    "xlsx-command-formula": (0.7, "a formula starts a program"),
    "csv-formula": (0.4, "a cell starts a program or fetches a page when it is opened"),
    "pdf-javascript": (0.4, "a script runs when the document is opened"),
    "pdf-launch": (0.6, "a program is started from the document"),
    "docx-macros": (0.4, "the document carries macros"),
}
"""What a parser says of a whole document that is a finding by itself: risk and message."""
NOT_READ: Final = frozenset(
    {
        "attachment-not-inspected",
        "attachment-unreadable",
        "docx-embedded-object",
        "epub-chapter-missing",
        "epub-chapters-truncated",
        "epub-encrypted",
        "mail-parts-truncated",
        "pdf-no-text-layer",
        "pdf-objects-truncated",
        "pdf-page-broken",
        "pdf-pages-truncated",
        "pptx-slides-truncated",
        "xlsx-rows-truncated",
        "xlsx-sheets-truncated",
    }
)
"""What a parser says of parts that it left out: they are not scanned, and not indexed either."""
NOT_JUDGED: Final = frozenset({"hidden-truncated", "html-styles-truncated", "pdf-page-too-complex"})
"""What a parser says of text that is there, and of which it could not tell who sees it."""
