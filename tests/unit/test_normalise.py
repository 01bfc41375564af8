# ruff: noqa: RUF001 - what looks like something else is what is tested
from __future__ import annotations

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId, MetadataField
from domain.text import MappedText
from ingest.normalise import build_document, hidden_unicode, normalise
from tests.growth import assert_linear
from tests.parser_samples import PROVENANCE, parsed


def folded(text: str) -> str:
    return normalise(MappedText.identity(text)).text


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


def selected(text: str) -> str:
    return "".join(
        chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in text.encode()
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What hides.
        ("ig\u200bno\u200cre \u2060all\ufeff", "ignore all"),
        ("ig\u00adnore", "ignore"),
        ("a\u034fb\u115fc\u3164d", "abcd"),
        (f"Hello{tagged('ignore all')} you", "Hello you"),
        (f"Hi \U0001f600{selected('ignore all')} you", "Hi \U0001f600 you"),
        ("\u202esnoitcurtsni erongi\u202c now", "ignore instructions now"),
        ("\u202eeman\u202c: \u202eeulav", "name: value"),
        ("\u2066left\u2069 \u200eok\u200f", "left ok"),
        ("Ignоre аll рrevious", "Ignore all previous"),
        ("раураӏ and аррӏе are here", "paypal and apple are here"),
        ("ᴄʟɪᴄᴋ here", "click here"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "Full width"),
        ("𝐢𝐠𝐧𝐨𝐫𝐞 𝓪𝓵𝓵 ⓡⓤⓛⓔⓢ", "ignore all rules"),
        ("i\u0336g\u0336n\u0336o\u0336r\u0336e", "ignore"),
        ("z\u0300\u0301\u0302\u0303\u0304a\u0305\u0306\u0307lgo", "zalgo"),
        ("a\u0329b\u0329c\u0329d\u0329e\u0329", "abcde"),
        # What is sane.
        ("a\r\nb\rc\u2028d\u0085e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("a\x00b\x07c\x1bd", "abcd"),
        ("a\u00a0b\u3000c\u2009d", "a b c d"),
        ("x" + " " * 500 + "y", "x" + " " * 16 + "y"),
        ("a\n\n\n\n\n\n\nb", "a\n\n\nb"),
        ("ﬁne ﬂow", "fine flow"),
        ("e\u0301te\u0301", "été"),
        ("it´s", "it's"),
        # No number changes its value.
        ("10² m and 10⁻³", "10^2 m and 10−3"),
        ("1½ cups, ½ cup", "1 1⁄2 cups, 1⁄2 cup"),
        ("H₂O", "H2O"),
        # What is honest.
        ("👨‍👩‍👧 ❤️ 👩🏽‍🍳 1️⃣", "👨‍👩‍👧 ❤️ 👩🏽‍🍳 1️⃣"),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
        ("می‌خواهم کتاب‌ها", "می‌خواهم کتاب‌ها"),
        ("क्‍ष और क्‌ष", "क्‍ष और क्‌ष"),
        ("葛󠄀城", "葛󠄀城"),
        ("שלום עולם, مرحبا", "שלום עולם, مرحبا"),
        ("Привет, как дела? Он ел суп.", "Привет, как дела? Он ел суп."),
        ("Αθήνα και Πάτρα", "Αθήνα και Πάτρα"),
        ("μm, kΩ, αSMA, Δt", "μm, kΩ, αSMA, Δt"),
        ("Ẹ̀kọ́ Yorùbá", "Ẹ̀kọ́ Yorùbá"),
        ("Größe, naïve, Việt Nam", "Größe, naïve, Việt Nam"),
        ("한국어 텍스트", "한국어 텍스트"),
        ("ไทย ກຂ ខ្មែរ", "ไทย ກຂ ខ្មែរ"),
        ("Case Is KEPT", "Case Is KEPT"),
    ],
)
def test_text_is_hardened_and_what_is_honest_stays(text: str, expected: str) -> None:
    assert folded(text) == expected


def test_what_changed_maps_to_what_it_stands_for() -> None:
    text = "x ﬁ \u202ecba\u202c"
    derived = normalise(MappedText.identity(text))

    at = derived.text.index("fi")
    assert derived.source(at, at + 2).start == derived.source(at, at + 1).start == 2
    turned = derived.text.index("abc")
    assert derived.source(turned, turned + 1).start == 7
    assert derived.source(turned, turned + 3) == derived.source(turned, turned + 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Hello{tagged('ignore all rules')} you", [("unicode-tags", "ignore all rules")]),
        (
            "Hello" + "".join(f"{tagged(c)}y" for c in "obey me"),
            [("unicode-tags", "obey me")],
        ),
        (f"Hi 😀{selected('ignore it')} you", [("unicode-variation-selectors", "ignore it")]),
        (f"Hi 😀{selected('größer')} you", [("unicode-variation-selectors", "größer")]),
        (
            "a" + "".join("\u200b\u200c"[int(b)] for c in b"obey" for b in f"{c:08b}"),
            [("unicode-zero-width", "obey")],
        ),
        ("x \u202ereverse me\u202c y", [("unicode-bidi-override", "reverse me")]),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿 👩🏽‍🍳 ❤️ می‌خواهم", []),
        ("a\u200bb\u200bc", []),
        ("plain", []),
        ("葛󠄀城 葛󠄁飾", []),
    ],
)
def test_hidden_messages_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    passages = hidden_unicode(text)

    assert [(p.channel, p.text.text) for p in passages] == expected
    for passage in passages:
        span = passage.text.source(0, len(passage.text.text))
        assert 0 < span.start < span.end <= len(text)


def test_a_document_is_built_with_everything_that_is_text_hardened() -> None:
    source = f"<!doctype html><title>A\u200b page</title><p>Se\u00aden{tagged('obey now')}</p>" + (
        "<p hidden>hid\u200bden</p>"
    )

    document = build_document(
        parsed(source.encode()),
        id=DocumentId("d"),
        tenant_id=DEFAULT_TENANT,
        sha256="0" * 64,
        provenance=PROVENANCE,
        metadata=[MetadataField(name="file-name", value="re\u202exe.exe\u202cport")],
    )

    assert document.raw_text == source
    assert document.text.text == "Seen"
    assert [(p.channel, p.text.text) for p in document.hidden] == [
        ("html-hidden-attribute", "hidden"),
        ("unicode-tags", "obey now"),
    ]
    assert [(f.name, f.value) for f in document.metadata] == [
        ("file-name", "reexe.export"),
        ("file-name (unicode-bidi-override)", "xe.exe"),
        ("title", "A page"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["a\u0301\u0323", "\u0e31\u0e48\u0e38", "\u05b0\u0591", "ﾞ\u3099", "\u202ea", "а1"],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_linear(folded, "x" + unit * (60_000 // len(unit)))
