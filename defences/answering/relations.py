"""What a question asks about its subject: to sing, to be born, to be released ...

Questions and passages name one relation in different words: "who sang" is answered by "vocals by",
"when does it come out" by "premiered on". A group is a relation; a text states it by any of its
words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_GROUPS: Final = {
    "sing": r"s[aiu]ngs?|singers?|singing|vocals?|vocalists?|performed|recorded|covered|credited",
    "act": r"play(?:s|ed|ing)?|portray\w*|star(?:s|red|ring)|cast|role|act(?:s|ed|or|ress)|voiced?s?|character",
    "write": r"wr(?:ote|ites?|itten|iter|iting)|co-?wr\w+|authors?|authored|penned|compos\w+|songwriters?|poet|lyrics",
    "make": r"invent\w*|develop\w*|devis\w+|creat(?:ed?|or|ors|es|ing)|pioneer\w*|discover\w*|introduced|founded|founders?|founding|established|father of|designed|designer|architect|built|builder|made by|produced",
    "direct": r"direct(?:s|ed|or|ors|ing)|conduct(?:s|ed|or)|head(?:s|ed)? by|led by|run by",
    "release": r"com(?:e|es|ing) out|came out|releas\w+|premi[eè]r\w*|debut\w*|air(?:s|ed|ing)|publish\w*|launch\w*|issued",
    "begin": r"start(?:s|ed|ing)?|beg[aiu]n\w*|commenc\w+|opens?|opened|opening|launch\w*|founded|established|inaugurated|introduced|set up",
    "end": r"end(?:s|ed|ing)?|finish\w*|conclud\w+|clos(?:e|es|ed|ing)|ceas\w+|expir\w+|abolish\w*|until|last(?:ed)?|dissolv\w+|surrender\w*|abandon\w*|suspend\w*|left|leaves?|withdr\w+",
    "win": r"w[io]ns?|winn(?:er|ers|ing)|victor\w*|champion\w*|titles?|defeat\w*|beat(?:s|en)?|awarded|medal\w*|record",
    "die": r"di(?:e|es|ed)|dying|deaths?|dead|kill(?:s|ed)?|execut\w+|assassinat\w+|murder\w*|perish\w*",
    "born": r"born|births?|birthplace|native|hails? from",
    "place": r"locat\w+|situat\w+|lies|stands|stood|lives?|found in|based|headquarter\w*|home|set in|takes? place|took place|filmed|shot|held|housed|resid\w+|coast|capital",
    "marry": r"marri\w+|wife|husband|spouse|wed(?:s|ded|ding)?|engaged",
    "price": r"costs?|pric\w+|fees?|charg\w+|pay(?:s|able|ment)?|paid",
    "count": r"consist\w*|contain\w*|compris\w+|includ\w+|total\w*|number of|made up of|altogether|there (?:is|are|were|was)|spann?\w*",
    "call": r"call(?:s|ed)?|nam(?:e|es|ed)|known as|refer\w*|terms?|termed|means?|meaning|stands? for|synonym\w*|nick ?name\w*|dubbed|titled|defined",
    "rule": r"rul(?:e|es|ed|er|ers|ing)|kings?|queens?|reign\w*|presidents?|ministers?|elected|leaders?|govern\w*|appointed|heads?|chair\w*|manager|director|emperor|in charge",
    "cause": r"caus\w+|because|due to|owing to|leads? to|led to|result\w*|reasons?|so that|in order to|purpose",
    "happen": r"happen\w*|occur\w*|takes? place|took place|held|fought|event|incident",
    "become": r"bec[ao]mes?|becoming|made|turned into|adopt\w*|join\w*|admitted|enter(?:s|ed)?|signed|ratified|passed",
    "lay": r"lays?|laid|runs?|ran|installed|plac(?:e|es|ed)|put|mounted|attached|fixed|fitted",
    "last": r"how long|lasts?|lasted|period|terms?|takes?|took|duration|later|within|valid|expires?|for (?:up to )?\d+",
    "own": r"owns?|owned|owners?|owned by|acquired|bought|belongs?|property",
}  # fmt: skip
_PATTERNS: Final = {
    name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _GROUPS.items()
}
_ASKED: Final = {
    "sing": r"s[aiu]ngs?|singer|vocals?|performed|performs",
    "act": r"play(?:s|ed)?|portray\w*|star(?:s|red|ring)|cast|actor|actress|voice[ds]?|voice of",
    "count": r"how many|number of",
    "place": r"where|locat\w+|situat\w+|(?:which|what) (?:city|town|country|place|state|county)",
    "last": r"how long|period",
    "happen": r"happen\w*|occur\w*|take place|took place",
    "rule": r"rul(?:e|es|ed|er)|king|queen|reign\w*|president|minister|leads?|head of|in charge|responsible|manages?|director|chair\w*",
    "cause": r"why|what (?:causes?|caused)|purpose|reason",
    "lay": r"lay|laid|placed?|put|installed|mounted",
    "call": r"call(?:s|ed)?|names?|named|known as|terms? for|means?|meaning|stands? for|synonym\w*|nickname\w*|titled",
    "win": r"w[io]ns?|winn(?:er|ers)|champions?",
    "become": r"bec[ao]mes?|join\w*|adopt\w*|sign\w*|ratified|passed|enter(?:s|ed)?",
    "end": r"ends?|ended|finish\w*|conclud\w+|clos(?:e|es|ed)|ceas\w+|expir\w+|stop(?:s|ped)?|leaves?|left|over",
    "begin": r"starts?|started|beg[aiu]n\w*|commenc\w+|opens?|opened|launched|established|founded",
}  # fmt: skip
_ASKING: Final = {
    name: re.compile(rf"\b(?:{_ASKED.get(name, words)})\b", re.IGNORECASE)
    for name, words in _GROUPS.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A relation that a text states, and where its words stand."""

    name: str
    places: tuple[tuple[int, int], ...]


@lru_cache(maxsize=2_048)
def asked_relations(question: str) -> tuple[str, ...]:
    """Return the relations that a question asks for, in the order of the table; often none."""
    return tuple(name for name, pattern in _ASKING.items() if pattern.search(question))


@lru_cache(maxsize=2_048)
def asking_words(question: str) -> str:
    """Return the words by which the question asks for its relations."""
    return " ".join(
        match.group()
        for name in asked_relations(question)
        for match in _ASKING[name].finditer(question)
    )


def stated_relations(text: str, wanted: Sequence[str]) -> tuple[Relation, ...]:
    """Return those of `wanted` that the text states."""
    found = (
        Relation(name=name, places=tuple(m.span() for m in _PATTERNS[name].finditer(text)))
        for name in wanted
    )
    return tuple(one for one in found if one.places)


def nearness(relations: Sequence[Relation], start: int, end: int) -> float:
    """Return how near a range stands to words of a relation: 1 beside one, 0 without any."""
    gaps = [
        max(0, at - end, start - stop) for relation in relations for at, stop in relation.places
    ]
    return 1.0 / (1.0 + min(gaps) / 20.0) if gaps else 0.0
