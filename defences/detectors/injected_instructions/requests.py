"""Whether a sentence asks its reader for what an assistant does: a text, or a deed in an account.

A document informs its reader; what it asks of him is done by hand and with what is his own. A
request for words is addressed to whoever writes answers, and one about "my" mail or money, or what
"the user" is to hear, to whoever acts for somebody else. By itself either is ordinary (an exercise, a
letter), so it counts only where it speaks of what the rest of the document does not.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORDS: Final = (
    "write|compose|draft|explain|describe|discuss|outline|elaborate|compare|analy[sz]e"
    "|summari[sz]e|sum up|translate|rewrite|rephrase|paraphrase|proofread|recite|spell"
    "|tell|answer|reply|respond|suggest|recommend|imagine|calculate|compute|solve"
)
"""Verbs whose object is a text, or which are done in words."""

_MAKE: Final = (
    "create|generate|produce|craft|develop|design|invent|make|prepare|plan|provide|give|show|find"
    "|list|name|convert|correct|simplify|repeat"
)
"""Verbs that ask for a text only where one is named, or so many of something."""

_NUMBER: Final = "(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|[2-9]|[1-5]0)"
_TEXT: Final = (
    "(?:poem|song|haiku|limerick|rhyme|joke|riddle|stor(?:y|ies)|tale|novel|plot|script|dialogue"
    "|speech|letter|e-?mail|message|essay|article|blog|post|advert\\w{0,9}|slogan|headline|title"
    "|introduction|paragraph|sentence|word|line|summar(?:y|ies)|overview|description|explanation"
    "|example|tip|idea|suggestion|recommendation|recipe|guide|tutorial|instruction|step|plan"
    "|itinerary|checklist|quiz|question|answer|reason|fact|argument|comparison|translation"
    "|definition|review|report|presentation|prompt|code|program)"
)
_VERDICTS: Final = (
    r"mention\b|state (?:that|in)\b|conclude (?:that|with|your|every|the (?:answer|reply|summary))\b"
    r"|(?:rank|rate|score|grade) (?:this|it|him|her|them|us)\b"
    r"|(?:praise|endorse|promote|favou?r|name|leave out|omit)\b(?=[^.!?\n]{0,90}?"
    r"\b(?:answers?|repl(?:y|ies)|summar\w{1,7}|summing|compar\w{1,6}|asks?|asked|only)\b)"
    r"|(?:advise|urge|convince|ask|warn) (?:the )?(?:users?|readers?|customers?|them|whoever)\b"
)
"""What an answer is to say of somebody or something."""

_DEEDS: Final = (
    "send|forward|e-?mail|mail|post|share|upload|export|transfer|wire|pay|grant|give|invite|delete"
    "|remove|erase|cancel|book|reserve|schedule|buy|purchase|order|sell|unlock|lock|open|turn o(?:n|ff)"
    "|disable|switch off|reset|change|update|retrieve|fetch|look up|search|find|read|copy|collect"
    "|extract|get|check|create|add|append|use (?:the |your )?[a-z]{1,14} (?:tool|function|plugin) to"
)
_SOMEBODY: Final = (
    r"\b(?:my|(?:the )?(?:user|customer|patient|client|owner|victim)s?'s?) [a-z]"
    r"|\b(?:to|with|invite|at) (?:[a-z]{1,20} )?\(?[\w.+\-]{1,40}@[\w\-]{1,40}\.[a-z]"
)
"""Whose it is, or where it goes: somebody for whom one acts, or an address."""

_POLITELY: Final = (
    "(?:please|kindly|now|then|also|and|instead|finally|first|lastly|always|immediately)[^a-z0-9]{1,2}"
    "|(?:can|could|would|will) you (?:please |kindly )?|i (?:want|need|would like) you to "
)
_ELSEWHERE: Final = (
    # German, French, Spanish, Portuguese, Italian, Polish, Russian: please, and verbs of words
    "bitte|veuillez|merci de|por favor|per favore|prosze|пожалуйста"
    "|schreib[et]?|verfasse|nenne|erklare?|ubersetze|fasse|beschreibe"
    "|(?:re)?ecri(?:s|vez)|redige[zr]?|explique[zr]?|tradui(?:s|sez)|resume[zr]?|decri(?:s|vez)"
    "|escribe|escriba|redact[ae]|explica|traduce|traduzca|resume|resuma|enumera"
    "|escreva|traduza|scrivi|scriva|spiega|traduci|riassumi|elenca"
    "|napisz|wyjasnij|przetlumacz|напиши(?:те)?|переведи(?:те)?|объясни(?:те)?"
)
# What bears such a name (`list:`, `tell(`) is no request.
_REQUEST: Final = re.compile(
    rf"[^\w\-*]{{0,4}}(?:(?:{_POLITELY}){{0,2}}"
    rf"(?:(?:{_WORDS})\b(?!\s?[:=(\-,|/])"
    rf"|{_VERDICTS}"
    rf"|(?:{_DEEDS})\b(?!\s?[:=(\-,|/])(?=[^.!?\n]{{0,120}}?(?:{_SOMEBODY}))"
    rf"|(?:{_MAKE}) (?:(?:me|us) |(?:\w+ ){{0,4}}(?:{_NUMBER}\b|{_TEXT}s?\b)))"
    rf"|(?:{_ELSEWHERE})\b)"
)
_GOES_ON: Final = re.compile(r"[\w,]\s{0,3}\Z")


def requests(text: str, folded: str, bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which pieces ask for what an assistant does, shape (n,).

    An item of a list is none, for it stands among its like, nor is what goes on from the line
    before in small letters.

    Args:
        text: As it stands.
        folded: The same that `fold` has been over.
        bounds: Shape (n, 2): where its pieces stand.
    """
    asked = (
        _REQUEST.match(folded, start, end) is not None
        and not (text[start].islower() and _GOES_ON.search(text, max(0, start - 4), start))
        for start, end in bounds.tolist()
    )
    return np.fromiter(asked, np.bool_, len(bounds))
