"""What a rule for injected instructions is, and how its pattern is written.

A pattern runs over folded text (`views.fold`): lower case, Latin letters without accents, `_` as
a space. It is written in a small shorthand so that no rule can join unrelated clauses or take
more than linear time:

    `~`     the gap between two words: one to four characters, no clause end among them
    `<n>`   the same with up to n words in it
    ` `     white space, at most three characters; ` ?` the same or nothing
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BREAK = r"[^\w.!?;:|]{1,4}"
_GAP = re.compile(r"<(\d)>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One phrasing of a family.

    Attributes:
        family: Kebab-case kind of order; the finding's rule is `injected-instructions.<family>`.
        strength: How likely a match in plain visible prose is an attack, in [0, 1].
        needles: Of every group at least one must occur in the text, or the pattern is not tried.
    """

    family: str
    strength: float
    pattern: re.Pattern[str]
    needles: tuple[tuple[str, ...], ...]


def rule(family: str, strength: float, needles: str, shorthand: str) -> Rule:
    """Return the rule of a pattern in shorthand; `needles` is groups parted by `&`, `,` inside."""
    wordy = _GAP.sub(
        lambda gap: rf"{_BREAK}(?:[\w']{{1,20}}{_BREAK}){{0,{gap[1]}}}?", shorthand
    ).replace("~", _BREAK)
    return Rule(
        family=family,
        strength=strength,
        pattern=re.compile(wordy.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}")),
        needles=tuple(
            tuple(needle.strip() for needle in group.split(",")) for group in needles.split("&")
        ),
    )


def applicable(rules: Iterable[Rule], text: str) -> Iterator[Rule]:
    """Yield the rules whose needles all occur in folded `text`, without trying a pattern."""
    present: dict[tuple[str, ...], bool] = {}
    for candidate in rules:
        for group in candidate.needles:
            found = present.get(group)
            if found is None:
                found = present[group] = any(map(text.__contains__, group))
            if not found:
                break
        else:
            yield candidate


OVERRIDE = "override"
MODEL_ADDRESS = "model-address"
ROLE_MARKUP = "role-markup"
EXFILTRATION = "exfiltration"
PROMPT_EXTRACTION = "prompt-extraction"
ANSWER_DICTATION = "answer-dictation"
CONCEALMENT = "concealment"
TOOL_CALL = "tool-call"
GUARDRAIL_REMOVAL = "guardrail-removal"
ENCODED_ORDER = "encoded-order"
