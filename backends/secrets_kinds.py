"""Kinds of secrets: a cheap linear pattern for where to look, and whose form is looked for there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretKind:
    """One kind of secret.

    Attributes:
        rule: Behind `secrets.`.
        risk: That a value of this form, which is no placeholder, is one.
        candidate: Linear pattern for where one begins.
        before: Characters looked at before a candidate; `after` those from its beginning on.
        plugin: Class of detect-secrets whose patterns are used, None where it has none.
        form: Used beside or in place of the plugin's; `value` is the secret, else all of it.
    """

    rule: str
    risk: float
    candidate: re.Pattern[str]
    before: int = 0
    after: int = 300
    plugin: str | None = None
    form: re.Pattern[str] | None = None


def _kind(
    rule: str,
    risk: float,
    candidate: str,
    *,
    plugin: str | None = None,
    form: str | None = None,
    before: int = 0,
    after: int = 300,
) -> SecretKind:
    return SecretKind(
        rule=rule,
        risk=risk,
        candidate=re.compile(candidate),
        before=before,
        after=after,
        plugin=plugin,
        form=re.compile(form) if form else None,
    )


KINDS: Final[tuple[SecretKind, ...]] = (
    _kind(
        "private-key",
        0.9,
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY|PuTTY-User-Key-File-[23]",
        after=20_000,
    ),
    _kind(
        "aws-key",
        0.65,
        r"(?<![A-Za-z0-9/+])(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])",
        plugin="AWSKeyDetector",
        after=20,
    ),
    _kind(
        "aws-key",
        0.75,
        r"(?i:aws.{0,20}?secret.{0,20}?[=:\"' ]{1,5})[0-9a-zA-Z/+]{40}(?![0-9a-zA-Z/+=])",
        form=r"(?P<value>[0-9a-zA-Z/+]{40})(?![0-9a-zA-Z/+=])",
        after=110,
    ),
    _kind(
        "github-token",
        0.8,
        r"(?<!\w)(?:gh[opsru]|github_pat)_",
        plugin="GitHubTokenDetector",
        form=r"github_pat_[0-9A-Za-z_]{60,90}",
    ),
    _kind(
        "gitlab-token", 0.8, r"(?<!\w)gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent)-", plugin="GitLabTokenDetector"
    ),
    _kind(
        "model-api-key",
        0.8,
        r"(?<![\w-])(?:sk-[A-Za-z0-9]|hf_|gsk_)",
        plugin="OpenAIDetector",
        form=r"sk-ant-[a-z0-9]{2,8}-[\w-]{80,120}|sk-(?:proj|svcacct|or-v1)-[\w-]{40,200}|hf_[A-Za-z]{34}|gsk_[A-Za-z0-9]{52}",
    ),
    _kind(
        "google-api-key",
        0.7,
        r"(?<![\w-])(?:AIza|GOCSPX-)",
        form=r"AIza[\w-]{35}(?![\w-])|GOCSPX-[\w-]{28}",
    ),
    _kind("package-token", 0.8, r"(?<![\w-])(?:pypi-Ag|npm_)", plugin="PypiTokenDetector", form=r"npm_[A-Za-z0-9]{36}(?!\w)"),
    _kind("slack-token", 0.8, r"(?i:xox[abpors]-|hooks\.slack\.com/services/T)", before=8, plugin="SlackDetector"),
    _kind("stripe-key", 0.85, r"(?<![A-Za-z0-9])[rs]k_live_", plugin="StripeDetector"),
    _kind("sendgrid-key", 0.8, r"(?<!\w)SG\.", plugin="SendGridDetector"),
    _kind("azure-key", 0.8, r"AccountKey=", plugin="AzureStorageKeyDetector"),
    _kind("square-secret", 0.8, r"sq0csp-", plugin="SquareOAuthDetector"),
    _kind(
        "telegram-token", 0.6, r"(?<![\w:.])\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])", plugin="TelegramBotTokenDetector", after=46
    ),
    _kind("json-web-token", 0.45, r"(?<![\w-])eyJ[A-Za-z0-9]", plugin="JwtTokenDetector", after=4_000),
    _kind(
        "password-in-url",
        0.6,
        r"(?<![\w+.-])[a-z][a-z0-9+.-]{1,15}://[^\s:/@?#]{1,60}:[^\s/@?#]{3,100}@[\w.-]",
        form=r"://[^\s:/@?#]{1,60}:(?P<value>[^\s/@?#]{3,100})@",
        after=190,
    ),
    _kind(
        "assigned-secret",
        0.4,
        r"(?i:api[_-]?key|secret[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|passw(?:or)?d)[\"']{0,2} ?(?:=|:|=>) ?[\"'][^\s\"']{12,100}[\"']",
        form=r"(?:=|:|>) ?[\"'](?P<value>[^\s\"']{12,100})[\"']",
        after=150,
    ),
)  # fmt: skip
