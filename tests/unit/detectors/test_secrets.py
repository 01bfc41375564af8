"""Keys and tokens are found; examples, placeholders and test values are not."""

from __future__ import annotations

import random
import socket
import string
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.secrets_detect_secrets import (
    MAX_CANDIDATES,
    MAX_FINDINGS_PER_RULE,
    RULES,
    SecretsDetector,
)
from domain.scanning import Finding
from tests.builders import make_document
from tests.growth import cpu_seconds

DETECTOR = SecretsDetector()
_LETTERS = string.ascii_letters + string.digits
_DRAW = random.Random(11)  # noqa: S311 - nobody's keys


def drawn(length: int, alphabet: str = _LETTERS) -> str:
    """Nobody's key: drawn here, so that none stands in the repository in its own form."""
    return "".join(_DRAW.choice(alphabet) for _ in range(length))


UPPER = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
RSA = "\n".join(drawn(64, _LETTERS + "+/") for _ in range(12))
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{RSA}\n-----END RSA PRIVATE KEY-----"
OPENSSH = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{RSA}\n-----END OPENSSH PRIVATE KEY-----"
JWT = f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{drawn(60)}.{drawn(43)}"

VALUES = [
    ("aws-key", "AKIA" + drawn(16, UPPER)),
    ("aws-key", "ASIA" + drawn(16, UPPER)),
    ("github-token", "ghp_" + drawn(36)),
    ("github-token", "github_pat_" + drawn(22) + "_" + drawn(59)),
    ("gitlab-token", "glpat-" + drawn(20)),
    ("model-api-key", f"sk-{drawn(20)}T3BlbkFJ{drawn(20)}"),
    ("model-api-key", "sk-ant-api03-" + drawn(95)),
    ("model-api-key", "hf_" + drawn(34, string.ascii_letters)),
    ("google-api-key", "AIza" + drawn(35)),
    ("package-token", "npm_" + drawn(36)),
    ("package-token", "pypi-AgEIcHlwaS5vcmc" + drawn(80)),
    ("slack-token", f"xoxb-{drawn(12, string.digits)}-{drawn(12, string.digits)}-{drawn(24, LOWER)}"),
    ("slack-token", f"https://hooks.slack.com/services/T{drawn(8, UPPER)}/B{drawn(8, UPPER)}/{drawn(24)}"),
    ("stripe-key", "sk_live_" + drawn(24)),
    ("sendgrid-key", f"SG.{drawn(22)}.{drawn(43)}"),
    ("azure-key", "AccountKey=" + drawn(86) + "=="),
    ("square-secret", "sq0csp-" + drawn(43)),
    ("telegram-token", f"{drawn(10, '23456789')}:{drawn(35)}"),
    ("private-key", KEY),
    ("private-key", OPENSSH),
    ("private-key", KEY.replace("RSA ", "")),
]  # fmt: skip
CONTEXTS = [
    "Use {} to log in.",
    "key={}",
    '"{}"',
    "{}",
    "| prod | {} |",
    "\u30ad\u30fc\uff1a {} \u3067\u3059\u3002",
]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("rule", "value"), VALUES)
def test_a_secret_is_found_where_it_stands(rule: str, value: str, context: str) -> None:
    text = context.format(value)

    places = [
        text[one.span.start : one.span.end]
        for one in DETECTOR.scan(make_document(text))
        if one.rule == f"secrets.{rule}" and one.span
    ]

    assert places == [value]


ASSIGNED = [
    ("aws-key", "aws_secret_access_key = ", drawn(40)),
    ("assigned-secret", 'api_key: "', drawn(32) + '7"'),
    ("assigned-secret", "password = '", "kX9" + drawn(14) + "'"),
    ("password-in-url", "postgres://app:", "vK3" + drawn(12) + "@db.internal/x"),
    ("json-web-token", "Authorization: Bearer ", JWT),
]


@pytest.mark.parametrize(("rule", "before", "value"), ASSIGNED)
def test_a_value_given_to_a_name_is_found(rule: str, before: str, value: str) -> None:
    assert f"secrets.{rule}" in {one.rule for one in DETECTOR.scan(make_document(before + value))}


HARMLESS = [
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    'api_key = "your-api-key-here"',
    'API_KEY="xxxxxxxxxxxxxxxxxxxx"',
    'api_key: "${API_KEY_FROM_VAULT}"',
    'password = "correct horse battery"',
    'password: "changeme12345"',
    'client_secret="<insert your client secret>"',
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_1234567890abcdefghijklmnopqrstuvwxyz",
    "sk-ant-api03-...",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    "xoxb-your-token",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "postgres://user:password@localhost/db",
    "https://example.com:8080/path@x",
    "ssh://git@github.com:22/x.git",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n<your key>\n-----END PRIVATE KEY-----",
    "The file begins with -----BEGIN OPENSSH PRIVATE KEY----- and must be kept safe.",
    "-----BEGIN PUBLIC KEY-----\n" + RSA + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + RSA + "\n-----END CERTIFICATE-----",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
    ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "The password must have 12 characters.",
    "See AKIA in the guide; ASIA is a continent. GLPAT- and ghp_ are prefixes.",
    'token = "' + "a1" * 20 + '"',
    'secret_key = "' + "".join(chr(97 + n) for n in range(24)) + '"',
    "",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_what_opens_no_door_is_no_finding(text: str) -> None:
    assert not DETECTOR.scan(make_document(f"Docs:\n\n{text}\n"))


def test_hidden_text_and_metadata_are_looked_at() -> None:
    document = make_document(
        "Nothing.",
        hidden=[("html-comment", " ghp_" + drawn(36))],
        metadata=[("title", "AKIA" + drawn(16, UPPER))],
    )

    found = {one.rule: one.span for one in DETECTOR.scan(document)}

    assert found["secrets.github-token"] is not None
    assert found["secrets.aws-key"] is None


def test_findings_are_bounded_and_hold_no_secret() -> None:
    tokens = ["ghp_" + drawn(36) for _ in range(50)]

    findings = DETECTOR.scan(make_document(" ".join(tokens)))

    assert len(findings) == MAX_FINDINGS_PER_RULE
    assert all(one.evidence["count"] == 50 for one in findings)
    assert not any(token[4:12] in str(findings) for token in tokens)


def test_every_value_is_told_to_who_masks_them() -> None:
    tokens = ["ghp_" + drawn(36) for _ in range(50)]
    text = " ".join(tokens)

    values = DETECTOR.find(text)

    assert [text[one.start : one.end] for one in values] == tokens


def test_more_candidates_than_are_looked_at_is_a_finding_and_no_pass() -> None:
    findings = DETECTOR.scan(make_document("ghp_ " * (MAX_CANDIDATES + 1)))

    assert [one.rule for one in findings] == ["secrets.not-searched"]


def test_rules_are_all_named() -> None:
    assert {rule for rule, _ in VALUES} | {rule for rule, _, _ in ASSIGNED} <= RULES


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["a.", "eyJa", " eyJa.", "-----BEGIN PRIVATE KEY-----\n", "AKIA", "aws secret", "api_key='a", "x://a:b", "ghp_",
     "-----BEGIN A PRIVATE KEY-----\n" + "A1b2C3d4" * 10 + "\n", "1:"],
)  # fmt: skip
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        document = make_document(unit * (size // len(unit)))
        return cpu_seconds(lambda: DETECTOR.scan(document))

    small, large = seconds(10_000), seconds(80_000)

    # 8 times the text: linear is 8, quadratic 64.
    assert large < 24 * small + 0.3


def test_it_uses_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a detector must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    findings: Sequence[Finding] = SecretsDetector().scan(make_document(KEY))

    assert findings


def test_importing_the_detector_loads_no_library() -> None:
    code = "import sys, backends.secrets_detect_secrets; sys.exit('detect_secrets' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_says_which_library_looked() -> None:
    assert DETECTOR.version.startswith("1+detect-secrets-1")


@given(st.lists(st.sampled_from([*(v for _, v in VALUES), *HARMLESS, "\n", "x"]), max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_well_formed_findings_twice_the_same(pieces: list[str]) -> None:
    document = make_document(" ".join(pieces))

    findings = DETECTOR.scan(document)

    assert findings == DETECTOR.scan(document)
    for one in findings:
        assert one.rule.startswith("secrets.")
        assert one.span is not None
        assert one.span.end <= len(document.raw_text)
