"""Ways of hiding text with CSS, and what looks like them and shows its text."""

from __future__ import annotations

import pytest

from ingest.parsers import css
from ingest.parsers.css_colours import TRANSPARENT, Colour, colour
from ingest.parsers.css_values import Variables, length, resolved
from ingest.parsers.html import parse_html
from tests.growth import assert_linear

SAID = "the pump is under warranty"


def shown(markup: str) -> bool:
    extract = parse_html(f"<!doctype html><body><main>Seen.</main>{markup}</body>")
    text = extract.visible.text(extract.raw_text)
    assert "Seen." in text
    return SAID in text


def channels(markup: str) -> list[str]:
    extract = parse_html(f"<!doctype html><body><main>Seen.</main>{markup}</body>")
    return [p.channel for p in extract.hidden if SAID in p.text.text(extract.raw_text)]


@pytest.mark.parametrize(
    ("style", "channel"),
    [
        ("--c:#fff;color:var(--c)", "html-colour-on-colour"),
        ("color:var(--unset, #fff)", "html-colour-on-colour"),
        ("--a:var(--b);--b:none;display:var(--a)", "html-display-none"),
        ("color:hsl(0 0% 100%)", "html-colour-on-colour"),
        ("color:hsl(0.5turn,10%,99%)", "html-colour-on-colour"),
        ("color:hwb(0 100% 0%)", "html-colour-on-colour"),
        ("color:lab(100% 0 0)", "html-colour-on-colour"),
        ("color:lch(100 0 0)", "html-colour-on-colour"),
        ("color:oklab(1 0 0)", "html-colour-on-colour"),
        ("color:oklch(99% 0 0)", "html-colour-on-colour"),
        ("color:color(srgb 1 1 1)", "html-colour-on-colour"),
        ("color:color-mix(in srgb, white 90%, #eee)", "html-colour-on-colour"),
        ("color:light-dark(white, black)", "html-colour-on-colour"),
        ("color:seashell", "html-colour-on-colour"),
        ("color:Canvas", "html-colour-on-colour"),
        ("color:hsla(0,0%,0%,0)", "html-transparent"),
        ("color:rgba(0 0 0 / 1%)", "html-transparent"),
        ("-webkit-text-fill-color:transparent", "html-transparent"),
        ("background:linear-gradient(#000,#000);color:black", "html-colour-on-colour"),
        ("background:#fff;background-clip:text;color:transparent", "html-colour-on-colour"),
        ("font-size:calc(1px * 0)", "html-tiny-font"),
        ("font-size:min(0.5px, 2em)", "html-tiny-font"),
        ("font-size:clamp(0px,1px,1px)", "html-tiny-font"),
        ("font:italic .5px/30px serif", "html-tiny-font"),
        ("zoom:0.01", "html-tiny-font"),
        ("transform:scale(.05)", "html-tiny-font"),
        ("transform:scale(0.001)", "html-off-screen"),
        ("scale:0", "html-off-screen"),
        ("translate:-9999px 0", "html-off-screen"),
        ("transform:translateX(9999px)", "html-off-screen"),
        ("transform:rotateY(90deg)", "html-off-screen"),
        ("transform:matrix(0,0,0,0,0,0)", "html-off-screen"),
        ("transform:skewX(90deg)", "html-off-screen"),
        ("position:fixed;inset:-9999px auto auto -9999px", "html-off-screen"),
        ("position:absolute;inset-inline-start:-9999px", "html-off-screen"),
        ("position:absolute;left:300vw", "html-off-screen"),
        ("position:absolute;left:calc(0px - 9999px)", "html-off-screen"),
        ("margin:0 0 0 -9999px", "html-off-screen"),
        ("text-indent:9999px;overflow:hidden", "html-off-screen"),
        ("text-indent:100%;white-space:nowrap;overflow:hidden", "html-off-screen"),
        ("height:0;overflow-y:hidden", "html-clipped"),
        ("height:0;overflow:auto", "html-clipped"),
        ("max-block-size:0;overflow:clip", "html-clipped"),
        ("line-height:0;overflow:hidden", "html-clipped"),
        ("letter-spacing:-1em", "html-clipped"),
        ("clip-path:circle(0px at 50% 50%)", "html-clipped"),
        ("clip-path:ellipse(0 0)", "html-clipped"),
        ("clip-path:polygon(0 0, 0 0, 0 0)", "html-clipped"),
        ("clip-path:inset(0 100% 0 0)", "html-clipped"),
        ("clip-path:rect(0 0 0 0)", "html-clipped"),
        ("filter:opacity(0)", "html-opacity"),
        ("mask:linear-gradient(transparent,transparent)", "html-opacity"),
        ("opacity:calc(0)", "html-opacity"),
        (r"d\69splay:n\6fne", "html-display-none"),
        ("display:/* */none", "html-display-none"),
    ],
)
def test_a_style_that_hides_is_seen_through(style: str, channel: str) -> None:
    markup = f"<div style='{style}'>{SAID}</div>"

    assert not shown(markup)
    assert channels(markup) == [channel]


@pytest.mark.parametrize(
    "sheet",
    [
        ".k{display:none!important}",
        "[data-x]{display:none}",
        "p[data-x='one']{display:none}",
        "[class~=k]{display:none}",
        "p[data-x^=o i]{display:none}",
        "p:not(.z){display:none}",
        "p:not(:hover){display:none}",
        ":is(.z, .k){display:none}",
        ":where(.k){display:none}",
        "p:nth-child(even){display:none}",
        "p:nth-of-type(2){display:none}",
        "p:last-child{display:none}",
        "h1+p{display:none}",
        "h1~p{display:none}",
        "div>p{display:none}",
        "html body p{display:none}",
        "div{color:red;& p{display:none}}",
        "div{p{display:none}}",
        "@media not print{.k{display:none}}",
        "@media screen, print{.k{display:none}}",
        "@media (min-width:600px){.k{display:none}}",
        "@media (width >= 600px){.k{display:none}}",
        "@container (min-width:0){.k{display:none}}",
        "@scope (body){.k{display:none}}",
        "@layer a, b; .k{display:none}",
        "@import url('data:text/css,.k{display:none}');",
        ":root{--w:none} .k{display:var(--w)}",
        r".\6b{display:none}",
        ".K{display:none}",
        "<!-- .k{display:none} -->",
        ".z::after{content:'}'} .k{display:none}",
        ".z::after{content:'/*'} .k{display:none} .z::before{content:'*/'}",
        "p.k{display:none} .k{display:block}",
        "#i{display:none} p{display:block}",
    ],
)
def test_a_rule_that_hides_is_applied(sheet: str) -> None:
    style = "style='display:block'" if "important" in sheet else ""
    markup = (
        f"<style>{sheet}</style><div><h1>Notes</h1><p>Seen too.</p>"
        f"<h1>More</h1><p id=i class=k data-x=One {style}>{SAID}</p></div>"
    )

    # `h1+p` and the like hide the first paragraph too, which is none of this test's.
    assert not shown(markup)
    assert channels(markup)


@pytest.mark.parametrize(
    "markup",
    [
        f"<div popover>{SAID}</div>",
        f"<details><summary hidden>x</summary>{SAID}</details>",
        f"<div><template shadowrootmode=open><p>hi</p></template>{SAID}</div>",
        f"<div style=opacity:.2><div style=opacity:.2>{SAID}</div></div>",
        f"<svg><defs><text>{SAID}</text></defs></svg>",
        f"<svg><symbol id=s><text>{SAID}</text></symbol></svg>",
        f"<svg><text fill=none>{SAID}</text></svg>",
        f"<svg><text fill=white>{SAID}</text></svg>",
        f"<svg><g opacity=0><text>{SAID}</text></g></svg>",
        f"<svg><text font-size=0>{SAID}</text></svg>",
        f"<svg><text x=-9999 y=0>{SAID}</text></svg>",
        f"<svg width=0 height=0><text>{SAID}</text></svg>",
        f"<math><semantics><mi>x</mi><annotation>{SAID}</annotation></semantics></math>",
        f"<progress value=1>{SAID}</progress>",
        f"<style media=screen>.k{{display:none}}</style><p class=k>{SAID}</p>",
        f"<link rel=stylesheet href='data:text/css,.k%7Bdisplay:none%7D'><p class=k>{SAID}</p>",
        "<link rel=stylesheet href='data:text/css;base64,LmsgeyBkaXNwbGF5OiBub25lOyB9'>"
        f"<p class=k>{SAID}</p>",
    ],
)
def test_what_no_browser_lays_out_is_hidden(markup: str) -> None:
    assert not shown(markup)
    assert channels(markup)


@pytest.mark.parametrize(
    "markup",
    [
        f"<style media=print>.k{{display:none}}</style><p class=k>{SAID}</p>",
        f"<style>@media (max-width:600px){{.k{{display:none}}}}</style><p class=k>{SAID}</p>",
        f"<style>@media not screen{{.k{{display:none}}}}</style><p class=k>{SAID}</p>",
        f"<style>@media (prefers-color-scheme:dark){{p{{color:#fff}}}}</style><p>{SAID}</p>",
        f"<style>.k{{display:none}}.k.on{{display:block}}</style><p class='k on'>{SAID}</p>",
        f"<style>.k:not(.on){{display:none}}</style><p class='k on'>{SAID}</p>",
        f"<style>p:empty{{display:none}}</style><p>{SAID}</p>",
        f"<style>#t:checked~p{{display:none}}</style><input id=t type=checkbox><p>{SAID}</p>",
        f"<style>p:first-child{{display:none}}</style><p>{SAID}</p>",
        f"<style>div>p{{display:none}}</style><section><p>{SAID}</p></section>",
        f"<style>.k::before{{display:none}}</style><p class=k>{SAID}</p>",
        f"<style>:root{{--w:#222}} p{{color:var(--w)}}</style><p>{SAID}</p>",
        r"<style>.md\:hidden{display:none}</style>" + f"<p class=md>{SAID}</p>",
        f"<h1 style='background:linear-gradient(red,blue);background-clip:text;"
        f"color:transparent'>{SAID}</h1>",
        f"<div style='margin:0 -9999px;padding:0 9999px'>{SAID}</div>",
        f"<div style='position:absolute;transform:translate(-50%,-100%)'>{SAID}</div>",
        f"<div style='transform:scaleX(-1)'>{SAID}</div>",
        f"<div style='transform:rotate(90deg)'>{SAID}</div>",
        f"<div style='position:absolute;top:4000px'>{SAID}</div>",
        f"<div style='clip-path:inset(10% 5%)'>{SAID}</div>",
        f"<div style='clip-path:circle(50%)'>{SAID}</div>",
        f"<div style='clip-path:polygon(0 0, 100% 0, 100% 100%)'>{SAID}</div>",
        f"<div style='mask:linear-gradient(black,transparent)'>{SAID}</div>",
        f"<div style='letter-spacing:-0.02em'>{SAID}</div>",
        f"<div style='line-height:0'>{SAID}</div>",
        f"<div style='font-size:clamp(1rem, 2vw, 3rem)'>{SAID}</div>",
        f"<div style='opacity:.6'><div style='opacity:.6'>{SAID}</div></div>",
        f"<svg><rect width=9 height=9 /><text fill=white>{SAID}</text></svg>",
        f"<svg><text fill=none stroke=black>{SAID}</text></svg>",
        f"<svg><text x=20 y=20>{SAID}</text></svg>",
        f"<details><summary>More</summary>{SAID}</details>",
        f"<div><template shadowrootmode=open><slot></slot></template>{SAID}</div>",
        f"<select><option>{SAID}</option></select>",
    ],
)
def test_what_only_looks_like_hiding_stays(markup: str) -> None:
    assert shown(markup)
    assert channels(markup) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("rebeccapurple", Colour(102, 51, 153)),
        ("#0f08", Colour(0, 255, 0)),
        ("#0f00", TRANSPARENT),
        ("hsl(120, 100%, 25%)", Colour(0, 128, 0)),
        ("hwb(240 0% 0%)", Colour(0, 0, 255)),
        ("oklch(62.8% 0.2577 29.23)", Colour(255, 0, 0)),
        ("lab(54.29% 80.81 69.89)", Colour(255, 0, 0)),
        ("color-mix(in oklab, red 25%, blue)", Colour(64, 0, 191)),
        ("rgb(from red r g b)", None),
        ("rgb(nan, 0, 0)", None),
        ("hsl(1e999 0% 0%)", None),
        ("url(x)", None),
    ],
)
def test_colours_are_those_of_the_standard(value: str, expected: Colour | str | None) -> None:
    found = colour(value)

    if isinstance(expected, Colour):
        assert isinstance(found, Colour)
        apart = (found.red - expected.red, found.green - expected.green, found.blue - expected.blue)
        assert max(map(abs, apart)) <= 2
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("value", "pixels"),
    [
        ("12pt", 16.0),
        ("calc(2em - 2px * (3 + 1))", 24.0),
        ("max(1px, min(5px, 9px))", 5.0),
        ("calc(100% - 2px)", None),
        ("calc(1px / 0)", None),
        ("calc(((((", None),
        ("calc(" + "(" * 40 + "1px" + ")" * 40 + ")", None),
        ("calc(" + "1px + " * 80 + "1px)", None),
        ("auto", None),
    ],
)
def test_lengths_are_worked_out_within_a_bound(value: str, pixels: float | None) -> None:
    assert length(value, em=16.0) == pixels


def test_variables_that_refer_to_each_other_end() -> None:
    around = Variables({"--a": "var(--b) var(--b)", "--b": "var(--a) var(--a)"})

    assert len(resolved("var(--a)", around)) < 200


@pytest.mark.parametrize(
    "css_text",
    ["a{" * 20_000, "/*" * 20_000, "'" * 20_000, "url(" * 20_000, ":is(" * 20_000 + "{color:red}"],
)
def test_reading_a_hostile_sheet_is_linear(css_text: str) -> None:
    assert_linear(lambda source: css.StyleSheet().add(source), css_text)


@pytest.mark.parametrize(
    "style",
    ["transform:" + "a" * 60_000, "transform:" + "a(" * 30_000, "color:" + "var(--a," * 20_000],
    ids=["letters", "functions", "variables"],
)
def test_reading_a_hostile_style_is_linear(style: str) -> None:
    assert_linear(lambda said: parse_html(f"<p style='{said}'>{SAID}</p>"), style)


def test_a_page_of_too_much_style_says_that_it_was_not_judged() -> None:
    sheet = "".join(f".k .c{number}{{display:none}}" for number in range(css.MAX_RULES + 1))

    extract = parse_html(f"<style>{sheet}</style><p>{SAID}</p>")

    assert extract.warnings == ("html-styles-truncated",)
