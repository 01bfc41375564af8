"""The style of a page's elements as they open, from its sheets, their own styles and their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ingest.parsers import css, html_rules
from ingest.parsers.css_colours import BLACK
from ingest.parsers.css_selectors import Subject
from ingest.parsers.html_tokens import Attribute, RawText, StartTag, Token
from ingest.parsers.visibility import Style, inherit

_MAX_SIBLINGS: Final = 8
_TRUNCATED: Final = "html-styles-truncated"
_NO_ATTRIBUTES: Final[Mapping[str, str]] = {}
_NO_CLASSES: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Children:
    """What began directly in an open element: the last few, and how many, by tag and all (``)."""

    last: tuple[Subject, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class PageStyles:
    """The sheets of a page, and what is open around the next element.

    Attributes:
        around: Open elements, the outermost first; who opens and closes them keeps it.
    """

    around: list[Subject] = field(default_factory=list)
    _sheet: css.StyleSheet = field(default_factory=css.StyleSheet)
    _shaped: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what keeps styles from being told."""
        return () if self._sheet.whole else (_TRUNCATED,)

    def read(
        self, source: str, tokens: Sequence[Token], root: Style, sheets: Sequence[str]
    ) -> Style:
        """Read every sheet, wherever it stands, and return the style that the page begins with."""
        for sheet in sheets:
            self._sheet.add(sheet)
        media = "all"
        names = set()
        for token in tokens:
            if isinstance(token, StartTag):
                names.add(token.name)
                if token.name in ("style", "link"):
                    said = token.attributes.get("media")
                    media = said.text() if said is not None else "all"
                    if token.name == "link" and css.applies_here(media):
                        self._link(token.attributes)
            elif isinstance(token, RawText) and token.name == "style" and css.applies_here(media):
                self._sheet.add(source[token.start : token.end])
        for name in ("html", "body"):
            if self._sheet and name not in names:  # a browser makes it all the same
                declared = self._sheet.declared(Subject(name), self.around, None)
                root = inherit(root, declared, _NO_ATTRIBUTES, _NO_CLASSES)
                self.around.append(Subject(name))
        return root

    def _link(self, attributes: Mapping[str, Attribute]) -> None:
        kind, address = attributes.get("rel"), attributes.get("href")
        if kind is not None and address is not None and "stylesheet" in kind.text().lower():
            self._sheet.link(address.text())

    def subject(self, tag: StartTag, among: Children, attributes: Mapping[str, str]) -> Subject:
        """Return the element as selectors see it; without a sheet nothing asks for its place.

        Args:
            tag: Its tag, counted here as a child.
            among: The children of what it stands in.
            attributes: Decoded values of its `class` and `id`.
        """
        classes = (
            frozenset(attributes["class"].lower().split()) if "class" in attributes else _NO_CLASSES
        )
        if not self._sheet:
            return Subject(tag.name, attributes.get("id", ""), classes, tag.attributes)
        for name in ("", tag.name):
            among.counts[name] = among.counts.get(name, 0) + 1
        subject = Subject(
            tag.name,
            attributes.get("id", ""),
            classes,
            tag.attributes,
            among.counts[""],
            among.counts[tag.name],
            among.last,
        )
        among.last = (*among.last[1 - _MAX_SIBLINGS :], replace(subject, before=()))
        return subject

    def of(
        self, tag: StartTag, subject: Subject, attributes: Mapping[str, str], parent: Style
    ) -> Style:
        """Return the element's style; `parent` itself where nothing is said of it."""
        style = parent
        declarations = self._declarations(tag, subject, attributes, drawn=style.drawn)
        if declarations or attributes:
            style = inherit(style, declarations, attributes, subject.classes)
        style = html_rules.by_kind(style, tag.name, tag.attributes)
        return self._drawn(style, tag)

    def _declarations(
        self, tag: StartTag, subject: Subject, attributes: Mapping[str, str], *, drawn: bool
    ) -> css.Declarations:
        own = css.parse_declarations(attributes["style"]) if "style" in attributes else None
        found: css.Declarations = {}
        if self._sheet:
            found = self._sheet.declared(subject, self.around, own)
        elif own is not None:
            found = {**own.normal, **own.important}
        if drawn or tag.name == "svg":
            said = {
                name: value.text().strip().lower()
                for name, value in tag.attributes.items()
                if name in html_rules.PRESENTATION
            }
            if tag.name in ("text", "tspan") and "x" in tag.attributes:
                said["text-indent"] = tag.attributes["x"].text().split(",")[0]
            found = {**said, **found}
        return found

    def _drawn(self, style: Style, tag: StartTag) -> Style:
        """Return the style of what is part of a drawing, or begins one, with what drawings add."""
        if tag.name == "svg":
            self._shaped = False
            sizes = [tag.attributes.get(name) for name in ("width", "height")]
            empty = any(size is not None and size.text().strip("px ") == "0" for size in sizes)
            gone = "html-clipped" if empty and style.gone is None else style.gone
            return replace(style, drawn=True, text=BLACK, gone=gone)
        if not style.drawn:
            return style
        if tag.name == "foreignobject":
            return replace(style, drawn=False, text=None)
        if tag.name in html_rules.SHAPES:
            self._shaped = True
        elif self._shaped and style.background is not None:
            return replace(style, background=None)
        return style
