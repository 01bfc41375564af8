"""Whether a text gives orders to whoever writes an answer: no label, note or caption does.

Meant for places that honest documents fill with descriptions (alternative text, meta fields,
comments, notes, properties). In plain sight the same words are ordinary.
"""

from __future__ import annotations

import re
from typing import Final

MIN_WORDS: Final = 6
"""Fewer words are a button or a heading."""

_START: Final = (
    r"(?:\A|[.!?:;\u2026\n\])>*]\s{0,3}|[\"'\u201c(\[]|--?\s|\b(?:and|then|please|also|instead|now|must|should|to"
    r"|finally|first|next|simply|just|kindly|bitte|und|et|y|e)\s{1,2}|,\s{1,2}(?:and\s|then\s|please\s)?)"
)
_OBJECT: Final = (
    r"(?:answer|response|reply|output|summary|summari[sz]ation|paragraph|sentence|text|document|article"
    r"|passage|prompt|instruction|conversation|chat|question|query|user|reader|person|customer|result|translation"
    r"|review|score|rating|candidate|applicant|application|paper|supplier|message|context|content|system"
    r"|assistant|model|language|e-?mail|inbox|list|line|word|phrase|poem|capital letters|following)s?"
)
_STRONG: Final = re.compile(
    _START
    + r"(?:ignore|disregard|forget|override|pretend|obey|comply|act as|you are (?:now|no longer)"
    r"|reply|respond|answer|stop what|do not (?:tell|mention|reveal|answer|reply|say|warn|inform)"
    r"|don't (?:tell|mention|reveal|answer)|never (?:refuse|mention|reveal|answer|say|tell)"
    r"|always (?:answer|reply|respond|say|name|recommend|mention|end|include|state|add)"
    r"|from (?:now|here) on|new instructions?|system ?:|let us play|let's play|roleplay|role-play"
    r"|append the|exfiltrate|when (?:asked|anyone asks|someone asks|the user|users)|if (?:asked|anyone asks|the user)"
    r"|tell (?:the|every|each|any|all|who|them|him|her|people|everyone|everybody)|inform (?:the|every|all)"
    r"|rank (?:this|it|the)|rate (?:this|it|the)|recommend (?:this|the|a|that|only)|state (?:that|in|clearly)"
    r"|mention (?:that|the)|say that|claim that|conclude that|insist that|pretend that"
    r"|ignoriere|missachte|vergiss|antworte|schreibe?|f\u00fcge|\u00fcbersetze|empfiehl|erw\u00e4hne|sage"
    r"|veuillez|ignorez|oubliez|r\u00e9pondez|\u00e9crivez|ajoutez|traduisez|recommandez|dites"
    r"|ignora|olvida|responde|escribe|a\u00f1ade|agrega|traduce|recomienda|por favor,? \w+"
    r"|ignore (?:todas|tudo)|responda|escreva|traduza|ignoreer|antwoord|schrijf|rispondi|scrivi|traduci)\b",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"\b(?:could|can|would|will) you (?:please )?(?:also )?(?:write|list|give|tell|explain|translate|suggest"
    r"|recommend|name|find|help|provide|describe|compare|create|draft|calculate|show|send|summari[sz]e|add)\b"
    r"|\b(?:note|message|reminder|hint|instruction)s? (?:to|for) (?:the |any |all |every )?(?:ai|bot|model|assistant"
    r"|llm|agent|reviewer|recruiter|summari[sz]er|chatbot|reader)s?\b"
    r"|\bsystem (?:override|note|message|prompt|update|notice|instruction)s?\s?[\]:]|\bsystemhinweis\b"
    r"|\bnot[ae] (?:del sistema|di sistema|syst\u00e8me|do sistema)\b"
    r"|\b(?:call|invoke|trigger) [a-z]{2,20}_[a-z_]{2,30}\b|\bstop answering\b"
    r"|\b(?:must|should|has to|have to|muss|m\u00fcssen|doit|doivent|debe|deben|deve) (?:always |also |be |be always |\u00eatre )?"
    r"(?:included?|added|appended|mention(?:ed)?|shown|listed|ranked|recommended?|sent|forwarded|repeated|stated"
    r"|ajout\u00e9e?|a\u00f1adirse|aggiunt[oa])\b"
    r"|\bplease (?:also )?(?:write|translate|list|compose|draft|calculate|compute|convert|tell|answer|reply"
    r"|respond|summari[sz]e|rewrite|rephrase|recommend|rate|rank|generate|explain|suggest|give|print|repeat"
    r"|output|ignore|forward|send)\b"
    r"|\b(?:what|which|who|where|how) (?:is|are|do|does|did|can|should|would|many|much)\b[^.?!]{3,200}\?",
    re.IGNORECASE,
)
_TASK: Final = re.compile(
    _START
    + r"(?:write|compose|draft|translate|convert|rewrite|rephrase|paraphrase|summari[sz]e|compute"
    r"|calculate|generate|give|list|name|suggest|explain|describe|tell|mention|append|attach|insert|add"
    r"|put|print|output|repeat|collect|gather|forward|send|e-?mail|post|look up|fetch|extract|reveal|transfer"
    r"|recommend|promote|praise|rate|rank|rewrite|correct|count|solve|plan|make up|invent|approve|delete"
    r"|remove|replace|use the|call the|run the|execute|open the|leave out|omit|state|include|provide)\b",
    re.IGNORECASE,
)
_TASK_OBJECT: Final = re.compile(
    rf"\b(?:an?|the|this|that|your|every|each|all|any|his|her|their|its|following|above|previous)\s(?:[\w'-]+\s){{0,3}}?{_OBJECT}\b"
    r"|\b(?:in (?:french|german|spanish|italian|english|russian|chinese|japanese|latin|dutch"
    r"|portuguese|capital letters|verse|rhyme|one sentence|two sentences|\w+ words))\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    _START
    + r"(?:(?:give|list|name|suggest|write|recommend|explain|describe|provide|tell)(?: me| us)?\s"
    r"(?:two|three|four|five|six|seven|eight|nine|ten|some|several|\d{1,2})\b"
    r"|(?:write|compose|draft|recommend|tell|give|generate)(?: me| us)?\san?\b)",
    re.IGNORECASE,
)
_SENDING: Final = re.compile(
    _START + r"(?:append|attach|collect|gather|forward|send|e-?mail|post|upload|transmit|transfer"
    r")\b[^\n]{0,200}?(?:https?://|\w@\w)",
    re.IGNORECASE,
)
_MODEL: Final = re.compile(
    r"(?<![.\w/])(?:ai|a\.i\.|llms?|language models?|assistants?|chatbots?|gpt|as an ai|system prompt)\b(?![./])[^\n]{0,80}?"
    r"\b(?:must|should|shall|needs? to|will|has to|have to|please|do not|don't|never|always)\b",
    re.IGNORECASE,
)


def gives_orders(text: str) -> bool:
    """Whether `text` tells its reader what to write, say, rank or send."""
    text = text.strip()
    if len(text.split()) < MIN_WORDS:
        return False
    if _STRONG.search(text) or _POLITE.search(text) or _MODEL.search(text):
        return True
    if _COUNTED.search(text) or _SENDING.search(text):
        return True
    return bool(_TASK.search(text) and _TASK_OBJECT.search(text))
