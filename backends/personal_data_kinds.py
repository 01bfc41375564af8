"""Kinds of personal data: where a cheap linear pattern says that a look is worth while."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of personal data.

    Attributes:
        rule: Behind `personal-data.`.
        candidate: Linear pattern for places worth a look.
        before: Characters shown to the recogniser before a candidate; `after` those behind it.
        recogniser: Key into the loaded recognisers.
    """

    rule: str
    candidate: re.Pattern[str]
    before: int
    after: int
    recogniser: str
    entity: str


KINDS: Final[tuple[Kind, ...]] = (  # in order of precedence where hits overlap
    Kind(
        rule="iban",
        candidate=re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}"),
        before=0,
        after=44,
        recogniser="IbanRecognizer",
        entity="IBAN_CODE",
    ),
    Kind(
        rule="credit-card",
        candidate=re.compile(r"(?<!\d)(?<!\d\.)\d(?:[ -]?\d){12,18}(?!\.?\d)"),
        before=0,
        after=0,
        recogniser="CreditCardRecognizer",
        entity="CREDIT_CARD",
    ),
    Kind(
        rule="us-ssn",
        candidate=re.compile(r"(?<![\d.-])\d{3}[- .]\d{2}[- .]\d{4}(?![\d-])"),
        before=0,
        after=0,
        recogniser="UsSsnRecognizer",
        entity="US_SSN",
    ),
    Kind(
        rule="italian-fiscal-code",
        candidate=re.compile(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b"),
        before=0,
        after=0,
        recogniser="ItFiscalCodeRecognizer",
        entity="IT_FISCAL_CODE",
    ),
    Kind(
        rule="medical-licence",
        candidate=re.compile(r"(?<!\w)[A-HJ-NP-UX][A-Z9]\d{7}(?!\w)"),
        before=0,
        after=0,
        recogniser="MedicalLicenseRecognizer",
        entity="MEDICAL_LICENSE",
    ),
    Kind(
        rule="crypto-wallet",
        candidate=re.compile(r"(?<![A-Za-z0-9])(?:bc1|[13])[a-zA-Z0-9]{25,61}(?![A-Za-z0-9])"),
        before=0,
        after=0,
        recogniser="CryptoRecognizer",
        entity="CRYPTO",
    ),
    Kind(
        rule="ip-address",
        candidate=re.compile(
            r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])[0-9A-Fa-f]{1,4}:(?:[0-9A-Fa-f]{0,4}:){1,6}"
            r"[0-9A-Fa-f]{1,4}(?![\w:])"
        ),
        before=0,
        after=0,
        recogniser="IpRecognizer",
        entity="IP_ADDRESS",
    ),
    Kind(
        rule="email-address",
        candidate=re.compile(r"@(?=\w)"),
        before=70,
        after=130,
        recogniser="EmailRecognizer",
        entity="EMAIL_ADDRESS",
    ),
    Kind(
        rule="phone-number",
        candidate=re.compile(r"(?<![\w.+])\+[1-9][\d ().\-/]{6,20}\d(?![\w])"),
        before=0,
        after=0,
        recogniser="InternationalPhoneRecognizer",
        entity="PHONE_NUMBER",
    ),
    Kind(
        rule="phone-number",
        candidate=re.compile(
            r"\b(?:tel|tele(?:phone|fon)|t[ée]l[ée]phone|tel[ée]fono|phone|fon|mobile?|mobil|cell|call|fax|handy|hotline)"
            r"\b[^\d\n]{0,24}[(0-9][\d ().\-/]{5,18}\d(?!\w)",
            re.IGNORECASE,
        ),
        before=0,
        after=0,
        recogniser="NationalPhoneRecognizer",
        entity="PHONE_NUMBER",
    ),
)
