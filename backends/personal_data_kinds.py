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
        entity: What presidio calls it.
    """

    rule: str
    recogniser: str
    entity: str
    candidate: re.Pattern[str]
    before: int
    after: int


_TABLE: Final = (  # in order of precedence where hits overlap
    ("iban", "IbanRecognizer", "IBAN_CODE", 0, 44,
     r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}"),
    ("credit-card", "CreditCardRecognizer", "CREDIT_CARD", 0, 0,
     r"(?<!\d)(?<!\d\.)\d(?:[ -]?\d){12,18}(?!\.?\d)"),
    ("us-ssn", "UsSsnRecognizer", "US_SSN", 0, 0,
     r"(?<![\d.-])\d{3}[- .]\d{2}[- .]\d{4}(?![\d-])"),
    ("italian-fiscal-code", "ItFiscalCodeRecognizer", "IT_FISCAL_CODE", 0, 0,
     r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b"),
    ("medical-licence", "MedicalLicenseRecognizer", "MEDICAL_LICENSE", 0, 0,
     r"(?<!\w)[A-HJ-NP-UX][A-Z9]\d{7}(?!\w)"),
    ("crypto-wallet", "CryptoRecognizer", "CRYPTO", 0, 0,
     r"(?<![A-Za-z0-9])(?:bc1|[13])[a-zA-Z0-9]{25,61}(?![A-Za-z0-9])"),
    ("ip-address", "IpRecognizer", "IP_ADDRESS", 0, 0,
     r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"
     r"|(?<![\w:])[0-9A-Fa-f]{1,4}:(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{1,4}(?![\w:])"),
    ("email-address", "EmailRecognizer", "EMAIL_ADDRESS", 70, 130, r"@(?=\w)"),
    ("phone-number", "InternationalPhoneRecognizer", "PHONE_NUMBER", 0, 0,
     r"(?<![\w.+])\+[1-9][\d ().\-/]{6,20}\d(?![\w])"),
    ("phone-number", "NationalPhoneRecognizer", "PHONE_NUMBER", 0, 0,
     r"(?i:\b(?:tel|tele(?:phone|fon)|t[ée]l[ée]phone|tel[ée]fono|phone|fon|mobile?|mobil|cell|call"
     r"|fax|handy|hotline)\b[^\d\n]{0,24}[(0-9][\d ().\-/]{5,18}\d(?!\w))"),
)  # fmt: skip

KINDS: Final[tuple[Kind, ...]] = tuple(
    Kind(
        rule=rule,
        recogniser=recogniser,
        entity=entity,
        candidate=re.compile(candidate),
        before=before,
        after=after,
    )
    for rule, recogniser, entity, before, after, candidate in _TABLE
)
