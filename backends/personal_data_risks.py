"""How likely a piece of personal data is a person's own, and not a company's or an example."""

from __future__ import annotations

import ipaddress
import re

from domain.text import Span

PERSONAL = 0.05
"""An address or number by which a person is reached. Directories, lists of contributors and letters
are full of them, so they hold nothing, however many: three findings of a rule count, and with
telephone numbers, network addresses and names they stay below the threshold of their group. Whoever
wants them out of the index masks them."""
CROWD = 0.08
"""Each, where there are many different people's."""
_ACCOUNT = 0.1
"""Printed on every invoice; with cards or identity numbers beside it, it adds up."""
_PUBLIC = 0.01
_CONTEXT_REACH = 60

_ROLE = re.compile(
    r"^(?:support|info|sales|no-?reply|contact|help(?:desk)?|office|admin|service|kontakt|press|media|jobs|careers"
    r"|security|abuse|privacy|legal|billing|accounts?|webmaster|postmaster|hello|team|feedback|orders?|returns"
    r"|marketing|hr|it|datenschutz|vertrieb|dpo|bugs?|root|git|mail|mailer-daemon|noc|ops|customer\w{0,8})"
    r"(?:[+._-]\w{1,20})?@",
    re.IGNORECASE,
)
RESERVED_ADDRESS = re.compile(
    r"@(?:[\w-]{1,63}\.){0,4}(?:example\.(?:com|org|net|edu)|[\w-]{1,63}\.(?:example|test|invalid|localhost))$",
    re.IGNORECASE,
)
_FICTION_PHONE = re.compile(r"(?:555.?01\d\d|0?2079460\d{3}|0?7700900\d{3}|0?1632960\d{3})$")
_TEST_CARDS = frozenset(
    (
        "4111111111111111",
        "4242424242424242",
        "4012888888881881",
        "4000056655665556",
        "5555555555554444",
        "5105105105105100",
        "378282246310005",
        "371449635398431",
        "6011111111111117",
        "6011000990139424",
        "3530111333300000",
        "30569309025904",
        "4222222222222",
    )
)
_EXAMPLE_SSNS = frozenset(("078051120", "219099999", "123456789", "457555462"))
_EXAMPLE_IBANS = frozenset(
    (
        "GB82WEST12345698765432",
        "GB29NWBK60161331926819",
        "GB33BUKB20201555555555",
        "DE89370400440532013000",
        "FR1420041010050500013M02606",
        "NL91ABNA0417164300",
        "CH9300762011623852957",
    )
)
_ISSUED_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}"
    r"|6(?:011|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}"
)
_SEPARATORS = re.compile(r"[\s().\-/]")
_CARD_WORDS = re.compile(
    r"card|visa|mastercard|amex|credit|kredit|karte|carte|tarjeta|carta|cvv|cvc|expir|valid thru",
    re.I,
)
_SSN_WORDS = re.compile(r"\bssn|social.security", re.IGNORECASE)
_MEDICAL_WORDS = re.compile(r"\bdea\b|prescri|physician|licen[cs]e", re.IGNORECASE)


def compact(value: str) -> str:
    """Return `value` without the characters that group it."""
    return _SEPARATORS.sub("", value)


def personal_data_risk(rule: str, text: str, at: Span) -> float | None:
    """Return how likely this is a person's own, None where it is none of its kind."""
    value = text[at.start : at.end]
    bare = compact(value)
    around = text[max(0, at.start - _CONTEXT_REACH) : at.end + _CONTEXT_REACH]
    match rule:
        case "credit-card":
            risk = _card_risk(bare, around)
        case "iban":
            risk = _PUBLIC if bare in _EXAMPLE_IBANS else _ACCOUNT
        case "us-ssn" if bare in _EXAMPLE_SSNS or bare.startswith("9876543"):
            risk = 0.03
        case "us-ssn":
            risk = 0.65 if _SSN_WORDS.search(around) else 0.2
        case "italian-fiscal-code":
            risk = 0.6
        case "medical-licence":
            risk = 0.3 if _MEDICAL_WORDS.search(around) else None
        case "ip-address":
            risk = _ip_risk(value)
        case "email-address":
            public = _ROLE.match(value) or RESERVED_ADDRESS.search(value)
            risk = _PUBLIC if public else PERSONAL
        case "phone-number":
            risk = _PUBLIC if _FICTION_PHONE.search(bare) else PERSONAL
        case _:
            risk = PERSONAL
    return risk


def _card_risk(digits: str, around: str) -> float | None:
    if digits in _TEST_CARDS:
        return 0.03
    if not _ISSUED_CARD.fullmatch(digits):
        return None
    return 0.65 if _CARD_WORDS.search(around) else 0.35


def _ip_risk(value: str) -> float | None:
    try:
        address = ipaddress.ip_address(value.split("/", maxsplit=1)[0])
    except ValueError:
        return None
    return 0.02 if address.is_global else _PUBLIC
