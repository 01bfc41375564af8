"""Splits a question that needs another one's answer first, by rule, and joins the answers.

Three forms of English: a question about "the X of Z" or "the Y that ..." where X and Y are things
that have a name of their own ("where was the founder of Acme born"); a comparison of two named
things ("who is older, A or B"); and whether something holds of both. A question in any other form
stays whole: what is split wrongly is worse than what is not split.

What goes from an answer into the next question is one name or figure of it, found by shape, of at
most `MAX_USED` characters of few kinds: a sentence that an answer quotes never becomes a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from defences.answering.agreement import same_answer
from defences.answering.dates import find_moments
from defences.answering.focus import answer_values, find_focus, yes_or_no
from defences.answering.names import Name, find_names
from defences.answering.questions import AnswerType, read_question
from domain.decomposition import Combine, Plan

MAX_USED: Final = 60
MAX_USED_WORDS: Final = 8
_FEW_WORDS: Final = 4
"""An answer of so few is a name as it stands."""
_PLAIN: Final = re.compile(r"[\w .,'’&/%°$€£-]+")  # noqa: RUF001

_PEOPLE: Final = (
    "author writer director founder co-founder creator inventor owner chairman chairwoman president"
    " mayor manager head leader captain coach ceo chief executive producer composer singer painter"
    " architect designer editor presenter host wife husband spouse father mother son daughter"
    " brother sister king queen emperor governor senator minister commander developer discoverer"
)
_THINGS: Final = (
    "capital country birthplace hometown city town county state province region continent river"
    " manufacturer maker supplier publisher distributor employer company team club band university"
    " school hospital parent-company subsidiary headquarters successor predecessor constellation"
    " currency language"
)
_KINDS: Final = (
    f"{_PEOPLE} {_THINGS} man woman person player actor actress politician scientist film movie book"
    " novel song album series show game building bridge airport stadium museum ship aircraft species"
    " district village island lake mountain party organisation organization festival"
)


def _any_of(words: str) -> str:
    return "|".join(
        re.escape(word).replace("\\-", "[ -]") for word in sorted(words.split(), key=len)[::-1]
    )


_ASKED_LAST: Final = (
    r"\s+(?:born|die|died|study|studied|live|lived|work|worked|win|won|play|played|from|located|founded"
    r"|based|known|married|buried|educated)"
)
"""What may stand behind the thing that a question is about: "where was the founder of Acme born"."""

_RELATION: Final = re.compile(
    rf"\bthe (?P<said>(?:current |former |first |original |main )?(?P<noun>{_any_of(_PEOPLE)}|{_any_of(_THINGS)}))"
    r" of (?P<of>(?:the )?(?:[\w-]+ ){0,2}(?-i:[A-Z0-9\"“])[^?,;]*?)"
    rf"(?=(?:{_ASKED_LAST})?\s*\??$)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    rf"\bthe (?P<noun>{_any_of(_KINDS)})"
    rf" (?:(?P<place>where|in which) (?P<placed>[^?,;]+?)(?=\s*\??$)"
    rf"|(?P<how>who|that|which|whose) (?P<clause>[^?,;]+?)(?=(?:{_ASKED_LAST})?\s*\??$))",
    re.IGNORECASE,
)
_MORE_THAN_A_NAME: Final = re.compile(
    r"\b(?:which|who|what|that|where|whose|has|have|had|is|was|are|were|been|did|does)\b",
    re.IGNORECASE,
)
_PLURAL_HEAD: Final = re.compile(r"^(?P<head>[\w -]*?\w+s)(?P<rest> of .+)?$")
_LED_IN: Final = re.compile(r"^the [a-z]+s (?=[A-Z])")
_WHERE: Final = re.compile(r"^(?P<subject>.+?) (?P<verb>was|were|is|are|did|has) (?P<rest>.+)$")
_FINITE: Final = re.compile(
    r"^(?:(?:also|first|originally|once)\s+)?(?:is|was|are|were|has|had|won|made|wrote|sang|plays?|played"
    r"|founded|directed|represents?|led|leads|owns|owned|built|joined|\w+ed|\w+s)\b",
    re.IGNORECASE,
)
_WHO_IS: Final = re.compile(r"^(?:who|what|which)(?:'s| is| was| are| were)$", re.IGNORECASE)

_PAIR: Final = r"(?P<a>.{2,80}?)(?:,)? (?:or|and) (?P<b>.{2,80}?)"
_COMPARED: Final[Sequence[tuple[re.Pattern[str], str, Combine]]] = tuple(
    (re.compile(pattern, re.IGNORECASE), asked, combine)
    for pattern, asked, combine in (
        (
            rf"^who (?:is|was) (?:the )?(?:older|oldest|elder)[,:]? (?:person )?{_PAIR}\s*\??$",
            "When was {} born?",
            Combine.LESS,
        ),
        (
            rf"^who (?:is|was) (?:the )?(?:younger|youngest)[,:]? {_PAIR}\s*\??$",
            "When was {} born?",
            Combine.MORE,
        ),
        (
            rf"^who was born (?:first|earlier)[,:]? {_PAIR}\s*\??$",
            "When was {} born?",
            Combine.LESS,
        ),
        (rf"^who was born (?:later|last)[,:]? {_PAIR}\s*\??$", "When was {} born?", Combine.MORE),
        (
            rf"^(?:who|which [\w ]{{2,40}}?) died (?:first|earlier)[,:]? {_PAIR}\s*\??$",
            "When did {} die?",
            Combine.LESS,
        ),
        (
            rf"^(?:who|which [\w ]{{2,40}}?) died (?:later|last)[,:]? {_PAIR}\s*\??$",
            "When did {} die?",
            Combine.MORE,
        ),
        (
            rf"^(?:which|what)(?: [\w ]{{2,40}}?)? (?:is|was) (?:the )?older[,:]? {_PAIR}\s*\??$",
            "When was {} founded?",
            Combine.LESS,
        ),
        (
            rf"^(?:which|what)(?: [\w ]{{2,40}}?)? (?:is|was) (?:the )?newer[,:]? {_PAIR}\s*\??$",
            "When was {} founded?",
            Combine.MORE,
        ),
    )
)
_DONE_FIRST: Final = re.compile(
    rf"^(?:which|what)(?: [\w ]{{2,40}}?)? was (?P<done>\w+(?:ed|t|n)) (?P<when>first|earlier|later|last)"
    rf"[,:]? {_PAIR}\s*\??$",
    re.IGNORECASE,
)
_HAS_MORE: Final = re.compile(
    rf"^(?:which|who|what)(?: [\w ]{{2,40}}?)? (?P<verb>has|have|had) (?P<how>more|fewer|the most|the fewest)"
    rf" (?P<what>[\w ]{{2,40}}?)[,:]? {_PAIR}\s*\??$",
    re.IGNORECASE,
)
_PAIR_HAS: Final = re.compile(
    rf"^(?:which|what) [\w ]{{2,40}}?, {_PAIR}, (?P<verb>has|have|had) (?P<how>more|fewer)"
    r" (?P<what>[\w ]{2,40}?)\s*\??$",
    re.IGNORECASE,
)
_MEASURES: Final = {
    "taller": "How tall is {}?",
    "shorter": "How tall is {}?",
    "longer": "How long is {}?",
    "heavier": "How heavy is {}?",
    "lighter": "How heavy is {}?",
    "larger": "How large is {}?",
    "bigger": "How large is {}?",
    "smaller": "How large is {}?",
    "deeper": "How deep is {}?",
    "higher": "How high is {}?",
    "lower": "How high is {}?",
    "wider": "How wide is {}?",
    "faster": "How fast is {}?",
    "slower": "How fast is {}?",
    "more expensive": "How much does {} cost?",
    "dearer": "How much does {} cost?",
    "cheaper": "How much does {} cost?",
}
_SMALLER: Final = frozenset(
    {"shorter", "lighter", "smaller", "lower", "slower", "cheaper", "fewer"}
)
_MEASURED: Final = re.compile(
    rf"^(?:which|what|who)(?: [\w ]{{2,40}}?)? (?:is|was) (?:the )?(?P<how>{'|'.join(_MEASURES)})[,:]?"
    rf" {_PAIR}\s*\??$",
    re.IGNORECASE,
)
_SAME: Final = re.compile(
    rf"^(?:are|were|is|was|do|did) (?:both )?{_PAIR} (?:both )?(?:located |based |born )?(?:in |from |of |have |share )?"
    r"the same (?P<what>[\w ]{2,40}?)\s*\??$",
    re.IGNORECASE,
)
_BOTH: Final = re.compile(
    rf"^(?P<verb>are|were|do|did|does) (?:(?P<first>both) {_PAIR}|(?P<c>.{{2,80}}?) and (?P<d>.{{2,80}}?) both)"
    r" (?P<what>.{3,80}?)\s*\??$",
    re.IGNORECASE,
)
_LONG: Final = 8
_SIGNS: Final = re.compile(
    r"\b(?:who|that|which|whose|where|same|both|older|younger|earlier|later|more|fewer|than|or)\b"
    r"|\bthe [\w ]+ of the [\w ]+ of\b",
    re.IGNORECASE,
)
_SINGULAR: Final = {"are": "Is", "were": "Was", "do": "Does", "did": "Did", "does": "Does"}


def decompose(question: str) -> Plan | None:
    """Return the plan of a question in one of the known forms; None for any other."""
    text = " ".join(question.split())
    return _comparison(text) or _bridge(text)


def may_be_several(question: str) -> bool:
    """Whether a question that no rule splits shows signs of needing several."""
    text = " ".join(question.split())
    opened = re.sub(r"^\W*\w+", "", text)  # not the question word itself
    return len(text.split()) >= _LONG and _SIGNS.search(opened) is not None


def _comparison(text: str) -> Plan | None:
    for pattern, asked, combine in _COMPARED:
        if match := pattern.match(text):
            return _compared(asked, match["a"], match["b"], combine)
    if match := _DONE_FIRST.match(text):
        first = match["when"].lower() in {"first", "earlier"}
        asked = f"When was {{}} {match['done'].lower()}?"
        return _compared(asked, match["a"], match["b"], Combine.LESS if first else Combine.MORE)
    if match := _HAS_MORE.match(text) or _PAIR_HAS.match(text):
        verb = {"had": "did"}.get(match["verb"].lower(), "does")
        fewer = "few" in match["how"].lower()
        asked = f"How many {match['what']} {verb} {{}} have?"
        return _compared(asked, match["a"], match["b"], Combine.LESS if fewer else Combine.MORE)
    if match := _MEASURED.match(text):
        how = match["how"].lower()
        combine = Combine.LESS if how in _SMALLER else Combine.MORE
        return _compared(_MEASURES[how], match["a"], match["b"], combine)
    if match := _SAME.match(text):
        return _compared(f"What {match['what']} is {{}}?", match["a"], match["b"], Combine.SAME)
    if match := _BOTH.match(text):
        a, b = (match["a"], match["b"]) if match["first"] else (match["c"], match["d"])
        verb = match["verb"].lower()
        what = _one_of(match["what"]) if verb in {"are", "were"} else match["what"]
        return _compared(f"{_SINGULAR[verb]} {{}} {what}?", _LED_IN.sub("", a), b, Combine.BOTH)
    return None


def _compared(asked: str, first: str, second: str, combine: Combine) -> Plan | None:
    subjects = tuple(one.strip(" ,.;:\"'“”") for one in (first, second))
    if any("{" in one or not find_names(f"- {one}") for one in (*subjects,)):
        return None
    return Plan(
        hops=tuple(asked.replace("{}", one) for one in subjects), combine=combine, subjects=subjects
    )


def _one_of(what: str) -> str:
    """Return "an orchid" for "orchids"; other words as they are."""
    match = _PLURAL_HEAD.match(what)
    if match is None:
        return what
    head = (
        re.sub(r"ies$", "y", match["head"]) if match["head"].endswith("ies") else match["head"][:-1]
    )
    article = "an" if head[0].lower() in "aeiou" else "a"
    return f"{article} {head}{match['rest'] or ''}"


def _bridge(text: str) -> Plan | None:
    if "{" in text:
        return None
    for match, hop in (
        *((match, _clause_hop(match)) for match in _CLAUSE.finditer(text)),
        *((match, _relation_hop(match)) for match in _RELATION.finditer(text)),
    ):
        before, after = text[: match.start()].strip(), text[match.end() :].strip(" ?")
        # "Who is the author of X?" is one question: nothing is asked of the author
        if hop is None or not before or (_WHO_IS.match(before) and not after):
            continue
        rest = f"{text[: match.start()]}{{1}}{text[match.end() :]}".strip(" ?")
        return Plan(hops=(hop, f"{rest}?"))
    return None


def _relation_hop(match: re.Match[str]) -> str | None:
    if _MORE_THAN_A_NAME.search(match["of"]):
        return None
    who = "Who" if match["noun"].lower() in _PEOPLE.split() else "What"
    return f"{who} is the {match['said']} of {match['of'].strip()}?"


def _clause_hop(match: re.Match[str]) -> str | None:
    noun = match["noun"]
    if match["place"]:
        parts = _WHERE.match(match["placed"].strip())
        if parts is None:
            return None
        return f"In which {noun} {parts['verb']} {parts['subject']} {parts['rest']}?"
    how, clause = match["how"].lower(), match["clause"].strip()
    if how == "whose":
        return f"Which {noun}'s {clause}?"
    if not _FINITE.match(clause):
        return None
    return f"Which {noun} {clause}?" if how != "who" else f"Who {clause}?"


def bridge(question: str, answer: str) -> str | None:
    """Return the name or figure of an answer that the next question asks about.

    None where it names nothing new, or nothing that is plain and short.
    """
    profile = read_question(question)
    stated = {stem for name in profile.names for stem in name.stems}

    def new(name: Name) -> bool:
        # the first word of a sentence is capitalised whatever it is
        return not name.stems <= stated and not (name.opens and len(name.text.split()) == 1)

    focus = find_focus(profile, answer)
    found = []
    if len(answer.split()) <= _FEW_WORDS:
        found.append(answer.strip(" .!\"'“”"))
    if focus.name is not None and new(focus.name):
        found.append(focus.name.text)
    if focus.value is not None:
        found.append(answer[focus.value.start : focus.value.end])
    found += [name.text for name in find_names(answer) if new(name)]
    used = next((one.strip(" .,") for one in found if one.strip(" .,")), None)
    if used is None or len(used) > MAX_USED or len(used.split()) > MAX_USED_WORDS:
        return None
    return used if _PLAIN.fullmatch(used) else None


def combined(plan: Plan, questions: Sequence[str], answers: Sequence[str]) -> str | None:
    """Return the answer that two compared answers give; None where they cannot be compared."""
    first, second = answers
    if plan.combine is Combine.SAME:
        profile = read_question(questions[0])
        return "Yes" if same_answer(profile, first, second, 0.0) else "No"
    if plan.combine is Combine.BOTH:
        said = [
            yes_or_no(read_question(question), answer)
            for question, answer in zip(questions, answers, strict=True)
        ]
        if None in said:
            return None
        return "Yes" if all(said) else "No"
    figures = [
        _figure(question, answer) for question, answer in zip(questions, answers, strict=True)
    ]
    one, other = figures
    if one is None or other is None or one[0] != other[0] or one[1] == other[1]:
        return None
    less = 0 if one[1] < other[1] else 1
    return plan.subjects[less if plan.combine is Combine.LESS else 1 - less]


def _figure(question: str, answer: str) -> tuple[str, float] | None:
    """Return the kind of the figure that answers, and the figure; of a date the year alone."""
    profile = read_question(question)
    if profile.type in {AnswerType.DATE, AnswerType.TIME}:
        dates = [moment for moment in find_moments(answer) if moment.year is not None]
        return ("date", float(dates[0].year or 0)) if dates else None
    values = answer_values(profile, answer)
    return (f"{values[0].kind}:{values[0].unit}", values[0].low) if values else None
