"""Orders that would be ordinary in plain sight and are not where no reader sees them."""

from __future__ import annotations

from defences.detectors.injected_instructions.rules import (
    ANSWER_DICTATION,
    MODEL_ADDRESS,
    Rule,
    rule,
)

_START = r"(?:^|\n|[.!?:;,\-\])>]\s{1,2}|\b(?:please|must|should|always|and|then|to) )"

HIDDEN: tuple[Rule, ...] = (
    rule(
        ANSWER_DICTATION,
        0.3,
        "user,question,answer,response,reply,reader,candidate,summary,applicant,asked&answer,respond,reply,recommend,say,tell,state,summari,rank,rate,mention,include,write,give",
        rf"{_START}(?:answer|respond|reply|recommend|say|tell|state|summari[sz]e|rank|rate|mention|include|write|give)\b[^.!?\n]{{0,80}}?"
        r"\b(?:users?|questions?|answers?|responses?|reply|readers?|candidates?|applicants?|summar(?:y|ies))\b",
    ),
    rule(
        MODEL_ADDRESS,
        0.3,
        "you must,you should,you are,you have to,you will,your task,your answer,your response&ai,assistant,model,answer,response,user,summar,question,task",
        r"\b(?:you~(?:must|should|are|have~to|will)|your~(?:task|answer|response))\b[^.!?\n]{0,60}?"
        r"\b(?:ai|assistant|language~model|llm|answer|respond|response|users?|summar\w{1,6}|question|tasks?)\b",
    ),
)
