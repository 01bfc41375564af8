"""API keys, tokens and private keys, by the patterns of detect-secrets.

Only its patterns are used, on short windows in memory: its scanner wants files and settings of the
whole process, and would ask the services that keys open. What it has no pattern for is in
`secrets_kinds`. Examples and placeholders, which documentation is full of, are no findings.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Final

from backends.secrets_examples import is_example
from backends.secrets_kinds import KINDS, SecretKind
from domain.documents import Document, Span
from domain.errors import DetectorUnavailableError
from domain.masking import SensitiveValue
from domain.scanning import Finding, FindingLevel
from domain.text import MappedText

MAX_FINDINGS_PER_RULE = 20
MAX_CANDIDATES = 10_000  # a kind and text; the rest is reported as not looked at
RULES = frozenset({*(kind.rule for kind in KINDS), "not-searched"})

_SERIOUS = 0.6
_STRICT: Final = frozenset({"assigned-secret", "aws-key"})
_MODULES: Final = {
    "AWSKeyDetector": "aws",
    "AzureStorageKeyDetector": "azure_storage_key",
    "GitHubTokenDetector": "github_token",
    "GitLabTokenDetector": "gitlab_token",
    "JwtTokenDetector": "jwt",
    "OpenAIDetector": "openai",
    "PypiTokenDetector": "pypi_token",
    "SendGridDetector": "sendgrid",
    "SlackDetector": "slack",
    "SquareOAuthDetector": "square_oauth",
    "StripeDetector": "stripe",
    "TelegramBotTokenDetector": "telegram_token",
}
_KEY_END: Final = re.compile(
    r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: [0-9a-f]{16,128}"
)
_KEY_HEAD: Final = re.compile(r"[A-Z0-9 ]{0,60}-----")
_BASE64_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_MIN_KEY: Final = 100  # an Ed25519 key in OpenSSH's form has about 350, a PKCS#8 one 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    rule: str
    at: Span
    risk: float


_Patterns = Mapping[str, Sequence[re.Pattern[str]]]


class SecretsDetector:
    """Finds keys and tokens by their form. Loads detect-secrets at the first scan."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._patterns: _Patterns | None = None

    @property
    def name(self) -> str:
        return "secrets"

    @property
    def version(self) -> str:
        try:
            return f"1+detect-secrets-{version('detect-secrets')}"
        except PackageNotFoundError:
            return "1+detect-secrets-absent"

    def scan(self, document: Document) -> Sequence[Finding]:
        """Return findings in visible text, hidden passages and metadata.

        Raises:
            DetectorUnavailableError: detect-secrets cannot be imported.
        """
        patterns = self._load()
        findings = list(_findings(patterns, document, document.text, None))
        for passage in document.hidden:
            findings += _findings(patterns, document, passage.text, passage.locator)
        for entry in document.metadata:
            findings += _findings(patterns, document, entry.value, None)
        return findings

    def find(self, text: str) -> Sequence[SensitiveValue]:
        """Return every secret in order. Raises as `scan`."""
        hits, _ = _hits(self._load(), text, most=len(text))
        return [
            SensitiveValue(rule=f"{self.name}.{hit.rule}", start=hit.at.start, end=hit.at.end)
            for hit in sorted(hits, key=lambda hit: hit.at.start)
        ]

    def _load(self) -> _Patterns:
        with self._lock:
            if self._patterns is None:
                self._patterns = _library_patterns()
            return self._patterns


def _library_patterns() -> _Patterns:
    patterns: dict[str, Sequence[re.Pattern[str]]] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what it imports
            for plugin, module in _MODULES.items():
                loaded = import_module(f"detect_secrets.plugins.{module}")
                patterns[plugin] = tuple(getattr(loaded, plugin).denylist)
    except (ImportError, AttributeError) as exc:
        raise DetectorUnavailableError(
            f"detect-secrets cannot be loaded: {type(exc).__name__}"
        ) from exc
    # The second of its patterns for Amazon's keys wants quotes; ours stands in for it.
    patterns["AWSKeyDetector"] = patterns["AWSKeyDetector"][:1]
    return patterns


def _findings(
    patterns: _Patterns, document: Document, source: MappedText | str, locator: str | None
) -> Iterator[Finding]:
    text = source if isinstance(source, str) else source.text
    hits, complete = _hits(patterns, text, most=MAX_CANDIDATES)
    if not complete:
        yield Finding(
            rule="secrets.not-searched",
            risk=_SERIOUS,
            level=FindingLevel.SUSPICIOUS,
            message="not all of a text was looked at: more candidates than are looked at",
        )
    by_rule: dict[str, list[_Hit]] = {}
    for hit in hits:
        by_rule.setdefault(hit.rule, []).append(hit)
    for rule, group in by_rule.items():
        for hit in group[:MAX_FINDINGS_PER_RULE]:
            span = None if isinstance(source, str) else source.source(hit.at.start, hit.at.end)
            yield Finding(
                rule=f"secrets.{rule}",
                risk=hit.risk,
                level=FindingLevel.HOSTILE if hit.risk >= _SERIOUS else FindingLevel.SUSPICIOUS,
                message=f"{rule}: {len(group)} in this text",
                span=span,
                locator=locator or (document.locate(span) if span is not None else None),
                evidence={"count": len(group)},
            )


def _hits(patterns: _Patterns, text: str, *, most: int) -> tuple[list[_Hit], bool]:
    """Return hits that do not overlap, and whether every candidate was looked at."""
    hits: list[_Hit] = []
    covered: set[int] = set()
    complete = True
    for kind in KINDS:
        last = -1
        found = list(islice(kind.candidate.finditer(text), most + 1))
        complete = complete and len(found) <= most
        for candidate in found[:most]:
            if candidate.start() < last:
                continue  # inside what was just found
            at = _value(kind, patterns, text, candidate)
            if at is None or not covered.isdisjoint(range(at.start, at.end)):
                continue
            last = at.end
            covered.update(range(at.start, at.end))
            hits.append(_Hit(rule=kind.rule, at=at, risk=kind.risk))
    return hits, complete


def _value(
    kind: SecretKind, patterns: _Patterns, text: str, candidate: re.Match[str]
) -> Span | None:
    if kind.rule == "private-key":
        return _private_key(text, candidate.start(), kind.after)
    start = max(0, candidate.start() - kind.before)
    window = text[start : candidate.start() + kind.after]
    for form in _forms(kind, patterns):
        valued = "value" in form.groupindex
        # Where nothing may stand before it, only the place of the candidate itself is tried.
        match = form.search(window) if valued or kind.before else form.match(window)
        if match is None:
            continue
        first, end = match.span("value" if valued else 0)
        strict = kind.rule in _STRICT
        return (
            None
            if is_example(window[first:end], strict=strict)
            else Span(start + first, start + end)
        )
    return None


def _forms(kind: SecretKind, patterns: _Patterns) -> Iterator[re.Pattern[str]]:
    if kind.plugin is not None:
        yield from patterns[kind.plugin]
    if kind.form is not None:
        yield kind.form


def _private_key(text: str, start: int, most: int) -> Span | None:
    """Return the whole key, to its end mark or the last line that looks like one; None without."""
    following = text.find("-----BEGIN", start + 10, start + most)
    window = text[start : start + most if following < 0 else following]
    end = _KEY_END.search(window)
    body = window[: end.start()] if end else window
    head = _KEY_HEAD.search(body, 10)
    lines = list(_BASE64_LINE.finditer(body, head.end() if head else 0))
    key = "".join(line[0] for line in lines)
    if len(key) < (_MIN_KEY if end is None else _MIN_KEY // 2) or len(set(key)) < 20:  # noqa: PLR2004
        return None  # a mark alone, or dots for a body
    return Span(start, start + (end.end() if end else lines[-1].end()))
