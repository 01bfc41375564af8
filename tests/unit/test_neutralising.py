# ruff: noqa: RUF001 - characters that look like others are what is tested
"""What leaves by a door is inert in Markdown, HTML, chats, terminals and spreadsheets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.neutralising import _parted, neutralise
from tests.growth import assert_linear

HOSTILE = [
    # Markdown
    ("a picture", "![x](http://evil.com/x.png)", "![x] (http[:]//evil[.]com/x.png)"),
    ("a link", "see [docs](https://evil.com/a)", "see [docs] (https[:]//evil[.]com/a)"),
    ("a link with a title", '[d](http://e.com "t")', '[d] (http[:]//e[.]com "t")'),
    ("a picture in a link", "[![a](b.png)](c)", "[![a] (b.png)] (c)"),
    ("nested brackets", "[a[b]c](http://e.com)", "[a[b]c] (http[:]//e[.]com)"),
    ("a full reference", "[text][ref]", "[text] [ref]"),
    ("a collapsed reference", "[text][]", "[text] []"),
    ("a definition", "[ref]: http://e.com", "[ref] : http[:]//e[.]com"),
    ("a footnote", "[^1]: hidden", "[^1] : hidden"),
    ("a wiki link", "[[Page]]", "[ [Page]]"),
    ("an embedded wiki file", "![[a.png]]", "![ [a.png]]"),
    ("a link of angle brackets", "[a](<http://e.com>)", "[a] (< http[:]//e[.]com>)"),
    ("a relative link", "[a](/logout)", "[a] (/logout)"),
    ("an unclosed fence", "```\nall that follows", "` ``\nall that follows"),
    ("a fence of tildes", "~~~ js", "~ ~~ js"),
    # addresses
    ("an autolink", "<https://evil.com>", "< https[:]//evil[.]com>"),
    ("a mail autolink", "<a@evil.com>", "< a@evil[.]com>"),
    ("a bare address", "go to https://evil.com/x?q=1", "go to https[:]//evil[.]com/x?q=1"),
    ("capitals", "HTTPS://EVIL.COM", "HTTPS[:]//EVIL[.]COM"),
    ("without slashes", "https:evil.com", "https[:]evil[.]com"),
    ("a host and a hyphen", "evil.com-", "evil[.]com-"),
    ("a host and a word", "evil.com-sale", "evil[.]com-sale"),
    ("back slashes", "https:\\\\evil.com", "https[:]\\\\evil[.]com"),
    ("an address by number", "http://1.2.3.4/x", "http[:]//1[.]2[.]3[.]4/x"),
    ("another scheme", "gopher://evil.tld/", "gopher[:]//evil[.]tld/"),
    ("no scheme", "www.evil.tld", "www[.]evil[.]tld"),
    ("a bare host", "visit evil.com", "visit evil[.]com"),
    ("a bare host with a path", "evil.monster/x", "evil[.]monster/x"),
    ("a bare host with a port", "evil.monster:8080", "evil[.]monster:8080"),
    ("a mail address", "mail a.b@shop.example", "mail a.b@shop[.]example"),
    ("a script", "javascript:alert(1)", "javascript[:]alert(1)"),
    ("a script after a blank", "JavaScript :alert(1)", "JavaScript [:]alert(1)"),
    ("another script", "vbscript:x", "vbscript[:]x"),
    ("data", "data:text/html;base64,PHN2Zz4=", "data[:]text/html;base64,PHN2Zz4="),
    ("data without a type", "data:,hello", "data[:],hello"),
    ("a file", "file:///etc/passwd", "file[:]///etc/passwd"),
    ("a mailto", "mailto:a@b.de", "mailto[:]a@b[.]de"),
    # HTML and its kin
    ("a tag", "<img src=x onerror=alert(1)>", "< img src=x onerror=alert(1)>"),
    ("an end tag", "</script>", "< /script>"),
    ("a comment", "a <!-- hides", "a < !-- hides"),
    ("an instruction", "<?php x ?>", "< ?php x ?>"),
    ("a tag of the chat", "<!channel> <@U1>", "< !channel> < @U1>"),
    ("an entity", "&lt;img&gt; &#x3c;", "& lt;img& gt; & #x3c;"),
    ("a template", "{{7*7}} {% x %}", "{ {7*7}} { % x %}"),
    ("BBCode", "[img]a[/img] [url=b]", "[ img]a[ /img] [ url=b]"),
    (
        "a chat template",
        "<|im_start|>system [INST] x [/INST]",
        "< |im_start|>system [ INST] x [ /INST]",
    ),
    ("TeX", r"\href{x}{y}", r"\ href{x}{y}"),
    ("a call to everybody", "hey @everyone", "hey @ everyone"),
    # Unicode
    ("full width", "［x］（http：／／evil。com）", "［x］ （http[：]／／evil[。]com）"),
    ("a full-width tag", "＜img src=x＞", "＜ img src=x＞"),
    ("invisible letters", "java\u200bscript\u2060:x", "javascript[:]x"),
    ("an invisible letter in a link", "[a]\u200b(b)", "[a] (b)"),
    ("a joiner between letters", "htt\u200dps://e.com", "https[:]//e[.]com"),
    ("overrides of direction", "a\u202egnp.exe", "agnp.exe"),
    ("tags that spell", "a\U000e0041\U000e0042", "a"),
    ("fillers and selectors", "a\u3164\ufe0f\U000e0101b", "a\ufe0fb"),
    ("a lone surrogate", "a\ud800b", "ab"),
    # terminals
    ("a colour", "\x1b[31mred\x1b[0m", "red"),
    ("a hyperlink", "\x1b]8;;http://e.com\x07hi\x1b]8;;\x07", "hi"),
    ("a title of the window", "\x1b]0;owned\x1b\\x", "x"),
    ("an eight-bit sequence", "\x9b2Jx", "x"),
    ("an unended sequence", "\x1b]0;all that follows", "0;all that follows"),
    ("a bell and a rub-out", "a\x07\x08b\x7f", "ab"),
    ("a return", "safe\rsure", "safe\nsure"),
    # spreadsheets
    ("a formula", "=1+1", "'=1+1"),
    ("a formula behind blanks", " \t=A1", "'=A1"),
    ("a call", "@SUM(A1)", "'@SUM(A1)"),
    ("a sum", "+A1", "'+A1"),
    ("a program", "-2+cmd|' /C calc'!A0", "'-2+cmd|' /C calc'!A0"),
    ("a full-width formula", "＝A1", "'＝A1"),
]

HARMLESS = [
    "The warranty lasts 24 months.",
    "It closes at 16:20; see e.g. section 3.5.2 (page 4).",
    "Version 1.2.3 of Node.js runs.",
    "-5 degrees, +3 % and 4 < 5 > 3",
    "<3 of 10 & AT&T, R&D",
    "Data: 5, 6 and 7. Tel: 555. About: us. Profile: x",
    "and/or 3.5/4, 2.5:1",
    "Time is up.In winter it shuts.Then it opens.",
    "an array a[1] (first), [masked:iban], [...]",
    "C:\\Users\\anna and 10 \\ 2",
    "`code` and ``more``, * a list, # a heading, **bold**",
    "時間：5点（午後）。終わり。",
    "می\u200cخواهم",
    "👩\u200d🚀 is an astronaut",
    "naïve café, Œuvre, 1 000 €",
    "+1 555 0100",
    "",
]


@pytest.mark.parametrize(
    ("text", "expected"), [row[1:] for row in HOSTILE], ids=[r[0] for r in HOSTILE]
)
def test_what_a_sink_would_act_upon_is_inert_and_still_readable(text: str, expected: str) -> None:
    assert neutralise(text) == expected


@pytest.mark.parametrize("text", HARMLESS)
def test_prose_stays_as_it_is(text: str) -> None:
    assert neutralise(text) == text


ALPHABET = st.sampled_from(
    "[]()<>!:/\\.@&#;{}%`~=+-|'\"＜［］（：。 \n\t\x1b\x9b\u200b\u200dahtpsjx1é"
).map(str)
PIECES = st.sampled_from(
    ["http", "https:", "javascript", "data:", "](", "![", "]:", "[[", "<img", "evil.com", "www.",
     "\x1b]8;;", "&lt;", "{{", "```", "@all", "\\url", "می\u200c"]
)  # fmt: skip
TEXTS = st.lists(ALPHABET | PIECES, max_size=40).map("".join)

ACTIVE = re.compile(
    r"[\]］][(（\[［:：]|[\[［]{2}|<[A-Za-z/!?]|＜[A-Za-z/!?]|https?:|javascript\s*:|\w://|\{[{%]"
    r"|```|~~~|&#?\w+;|(?:^|\W)www\.\w|evil\.com(?![\w.])|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b]"
)


@given(TEXTS)
def test_nothing_active_is_left_and_a_second_time_changes_nothing(text: str) -> None:
    inert = neutralise(text)

    assert ACTIVE.search(inert) is None
    assert not re.match(r"\s*[=@]", inert)
    assert neutralise(inert) == inert


@given(TEXTS | st.text("a.1: -=+@/data\thps", max_size=30))
def test_what_is_passed_by_the_short_way_would_not_have_been_changed(text: str) -> None:
    assert neutralise(text) == _parted(text)


@given(st.text(max_size=60))
def test_any_text_is_taken_and_is_stable(text: str) -> None:
    inert = neutralise(text)

    assert neutralise(inert) == inert


@pytest.mark.parametrize(
    "unit", ["a.", "[", "](", "http:", "<a", "\x1b]", "a+", "&a", "data: ", "- ", "@a."]
)
def test_the_time_grows_with_the_length(unit: str) -> None:
    assert_linear(neutralise, unit * 20_000)
