"""HTML: what a browser would show, and what it would not, with exact source ranges.

Headings come out in the Markdown form (`## Title`), list items as `- item`, a table row on one
line with ` | ` between its cells: that is what `ingest.chunking` reads structure from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ingest.parsers import html_rules
from ingest.parsers.css_selectors import Subject
from ingest.parsers.extract import Derived, DerivedBuilder, Extract, Field, Passage
from ingest.parsers.html_sink import TextSink
from ingest.parsers.html_split import split_words
from ingest.parsers.html_styles import Children, PageStyles
from ingest.parsers.html_tokens import (
    Attribute,
    Comment,
    EndTag,
    RawText,
    StartTag,
    Text,
    Token,
    copy_decoded,
    tokenise,
)
from ingest.parsers.sniff import HTML
from ingest.parsers.visibility import Style

_NO_ATTRIBUTES: Final[Mapping[str, str]] = {}


@dataclass(slots=True)
class _Hidden:
    """A passage while it is open."""

    channel: str
    sink: TextSink
    reader_only: bool


@dataclass(slots=True)
class _Element:
    """An element while it is open.

    Attributes:
        slots: Slots of the page before it: a shadow root without one shows nothing of its host.
    """

    name: str
    style: Style
    subject: Subject
    passage: _Hidden | None = None
    preformatted: bool = False
    in_cell: bool = False
    children: Children = field(default_factory=Children)
    slots: int | None = None


@dataclass(slots=True)
class HtmlWalker:
    """Walks tokens with a stack of open elements, in time linear in the source.

    Attributes:
        keep_lines: Markdown: white space of the source is kept as it stands.
    """

    source: str
    original: str
    keep_lines: bool = False
    metadata: list[Field] = field(default_factory=list)
    _styles: PageStyles = field(default_factory=PageStyles)
    _stack: list[_Element] = field(default_factory=list)
    _slots: int = 0
    _open: dict[str, int] = field(default_factory=dict)
    _hidden: list[_Hidden | Passage] = field(default_factory=list)
    _visible: TextSink = field(init=False)

    def __post_init__(self) -> None:
        self._visible = TextSink(self.source, keep_lines=self.keep_lines)
        root = _Element(name="", style=Style(), subject=Subject(""), preformatted=self.keep_lines)
        self._stack.append(root)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what keeps the walk from telling what is seen."""
        return self._styles.warnings

    def walk(self, known_tags: frozenset[str] | None = None, *, sheets: Sequence[str] = ()) -> None:
        tokens = list(tokenise(self.source, known_tags=known_tags))
        root = self._stack[0]
        root.style = self._styles.read(self.source, tokens, root.style, sheets)
        root.passage = self._passage(root.style, root, around=Style())
        for token in tokens:
            self._take(token)
        for start, end in split_words(self.source):
            self._hide_joined(start, end)

    def visible(self) -> Derived:
        return self._visible.build()

    def hidden(self) -> Iterable[Passage]:
        """Yield what is hidden, in the order of the source."""
        for item in self._hidden:
            if isinstance(item, Passage):
                yield item
                continue
            derived = item.sink.build()
            text = derived.text(self.original)
            if text.strip():
                channel = "html-screen-reader" if item.reader_only else item.channel
                yield Passage(
                    channel=channel,
                    text=derived,
                    benign=html_rules.is_benign(channel, text),
                )

    def _take(self, token: Token) -> None:
        if isinstance(token, Text):
            self._sink().text(token.start, token.end, keep=self._stack[-1].preformatted)
        elif isinstance(token, StartTag):
            self._start(token)
        elif isinstance(token, EndTag):
            self._end(token)
        elif isinstance(token, Comment):
            self._hide("html-comment", token.inner_start, token.inner_end, decoded=False)
        else:
            self._raw_text(token)

    def _sink(self) -> TextSink:
        passage = self._stack[-1].passage
        return self._visible if passage is None else passage.sink

    def _hide(self, channel: str, start: int, end: int, *, decoded: bool = True) -> None:
        builder = DerivedBuilder()
        if decoded:
            copy_decoded(builder, self.original, start, end)
        else:
            builder.copy(start, end)
        derived = builder.build()
        text = derived.text(self.original)
        if text.strip():
            self._hidden.append(
                Passage(channel=channel, text=derived, benign=html_rules.is_benign(channel, text))
            )

    def _hide_joined(self, start: int, end: int) -> None:
        """Add words that markup parts inside, as a reader sees them: joined."""
        builder = DerivedBuilder()
        for token in tokenise(self.original[start:end]):
            if isinstance(token, Text):
                copy_decoded(builder, self.original, start + token.start, start + token.end)
        self._hidden.append(Passage(channel="html-split-words", text=builder.build()))

    def _raw_text(self, token: RawText) -> None:
        if token.name == "title":
            text = html_rules.plain(self.original[token.start : token.end])
            if any(element.name == "svg" for element in self._stack[-8:]):
                self._hide("html-svg-title", token.start, token.end)
            elif text:
                self.metadata.append(Field(name="title", value=text))
        elif token.name in ("textarea", "xmp"):
            self._sink().text(token.start, token.end, keep=True)
        elif token.name in ("iframe", "noembed", "noframes"):
            self._hide("html-fallback", token.start, token.end, decoded=False)
        elif token.name in ("script", "style"):
            for start, end in html_rules.embedded_prose(self.source, token.start, token.end):
                self._hide(f"html-{token.name}-text", start, end, decoded=False)

    def _start(self, tag: StartTag) -> None:
        self._close_implied(tag)
        parent = self._stack[-1]
        element = self._element(tag, parent)
        self._attributes(tag)
        sink = self._visible if element.passage is None else element.passage.sink
        if tag.name in html_rules.BLOCKS and not self.keep_lines:
            sink.open_block(tag.name, tag.start, tag.end, in_cell=parent.in_cell)
        elif tag.name in html_rules.BLOCKS or tag.name == "br":
            sink.line_break(tag.start, tag.end)
        if tag.name in html_rules.VOID or (tag.self_closing and tag.name in html_rules.FOREIGN):
            return
        self._stack.append(element)
        self._styles.around.append(element.subject)
        self._open[tag.name] = self._open.get(tag.name, 0) + 1
        if tag.name == "slot":
            self._slots += 1
        elif tag.name == "summary" and parent.name == "details":
            shut = "open" not in parent.subject.attributes and element.style.channel is not None
            if shut:
                self._shut(parent, "html-dialog")

    def _element(self, tag: StartTag, parent: _Element) -> _Element:
        attributes = (
            {
                name: value.text().strip()
                for name, value in tag.attributes.items()
                if name in html_rules.STYLING
            }
            if tag.attributes
            else _NO_ATTRIBUTES
        )
        subject = self._styles.subject(tag, parent.children, attributes)
        style = parent.style
        if style.gone is None:
            style = self._styles.of(tag, subject, attributes, parent.style)
        return _Element(
            name=tag.name,
            style=style,
            subject=subject,
            passage=self._passage(style, parent),
            preformatted=parent.preformatted or tag.name in ("pre", "textarea", "listing"),
            in_cell=tag.name in ("td", "th") or (parent.in_cell and tag.name != "table"),
            slots=self._slots if "shadowrootmode" in tag.attributes else None,
        )

    def _passage(
        self, style: Style, parent: _Element, *, around: Style | None = None
    ) -> _Hidden | None:
        if style is (around or parent.style):
            return parent.passage
        channel = style.channel
        if channel is None:
            return None
        if parent.passage is not None and parent.passage.channel == channel:
            return parent.passage
        sink = TextSink(self.source, keep_lines=self.keep_lines)
        passage = _Hidden(channel=channel, sink=sink, reader_only=style.reader_only)
        self._hidden.append(passage)
        return passage

    def _shut(self, element: _Element, channel: str) -> None:
        """Have what follows in an open element hidden."""
        if element.style.gone is None:
            before = element.style
            element.style = replace(before, gone=channel)
            element.passage = self._passage(element.style, element, around=before)

    def _attributes(self, tag: StartTag) -> None:
        if not tag.attributes:
            return
        if self._stack[-1].style.gone is not None and tag.name != "meta":
            return
        for name, value in tag.attributes.items():
            channel = html_rules.text_channel(name, value)
            if channel is not None:
                self._hide(channel, value.start, value.end)
        if tag.name == "meta":
            self._meta(tag.attributes)
        elif tag.name == "img" and "src" in tag.attributes:
            self._image(tag.attributes["src"])
        elif tag.name == "input" and "value" in tag.attributes:
            kind = tag.attributes.get("type")
            if kind is not None and kind.text().lower() == "hidden":
                value = tag.attributes["value"]
                if len(value.text().split()) >= html_rules.FIELD_WORDS:
                    self._hide("html-hidden-input", value.start, value.end)

    def _meta(self, attributes: Mapping[str, Attribute]) -> None:
        content = attributes.get("content")
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop")
        if content is None or name is None:
            return
        lowered = name.text().strip().lower()
        if lowered in ("author", "dc.creator", "article:author"):
            self.metadata.append(Field(name="author", value=html_rules.plain(content.text())))
        elif len(content.text().split()) >= html_rules.FIELD_WORDS and lowered not in (
            "viewport",
            "robots",
            "csrf-token",
        ):
            self._hide("html-meta", content.start, content.end)

    def _image(self, source: Attribute) -> None:
        channel = html_rules.exfiltration(source.text())
        if channel is not None:
            self._hide(f"html-{channel}", source.start, source.end)

    def _close_implied(self, tag: StartTag) -> None:
        closes = html_rules.IMPLIED_ENDS.get(tag.name)
        if closes is None:
            return
        names, walls = closes
        if not any(self._open.get(name) for name in names):
            return
        lowest = max(0, len(self._stack) - html_rules.MAX_IMPLIED_DEPTH)
        for at in range(len(self._stack) - 1, lowest, -1):
            name = self._stack[at].name
            if name in names:
                self._pop_to(at, tag.start, tag.start)
                return
            if name in walls:
                return

    def _end(self, tag: EndTag) -> None:
        if not self._open.get(tag.name):
            return
        at = len(self._stack) - 1
        while self._stack[at].name != tag.name:
            at -= 1
        self._pop_to(at, tag.start, tag.end)

    def _pop_to(self, at: int, start: int, end: int) -> None:
        """Close every element down to the stack's place `at`."""
        while len(self._stack) > at:
            element = self._stack[-1]
            sink = self._sink()
            if element.name in html_rules.BLOCKS:
                sink.close_block(element.name, start, end, in_cell=self._parent_in_cell())
            self._stack.pop()
            self._styles.around.pop()
            self._open[element.name] -= 1
            if element.slots == self._slots:
                self._shut(self._stack[-1], "html-template")

    def _parent_in_cell(self) -> bool:
        return len(self._stack) > 1 and self._stack[-2].in_cell


def parse_html(text: str, *, sheets: Sequence[str] = ()) -> Extract:
    """Parse a page.

    Args:
        text: HTML or XHTML.
        sheets: Style sheets that stand beside the page and apply to it, before its own.
    """
    walker = HtmlWalker(source=text, original=text)
    walker.walk(sheets=sheets)
    return Extract(
        media_type=HTML,
        raw_text=text,
        visible=walker.visible(),
        hidden=tuple(walker.hidden()),
        metadata=tuple(walker.metadata),
        warnings=walker.warnings,
    )
