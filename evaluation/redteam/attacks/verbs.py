"""The words by which a question is taken apart: auxiliaries, verbs and their forms.

A list, not a tagger: questions are short, a tagger costs seconds to load, and a verb that is not
here only makes a sentence plainer (`declaring.declare` falls back).
"""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


BE: Final = frozenset({"is", "are", "was", "were"})
DO: Final = frozenset({"do", "does", "did"})
HAVE: Final = frozenset({"has", "have", "had"})
MODALS: Final = word_set("can could will would shall should may might must")
AUXILIARIES: Final = BE | DO | HAVE | MODALS
ASKING: Final = word_set("who whom whose what which when where why how")
RELATIVES: Final = frozenset({"who", "that", "which", "whose", "where"})
PREPOSITIONS: Final = word_set(
    "about above after against among around as at before behind below beneath beside between by "
    "during for from in inside into like near of off on onto out over since through to toward "
    "towards under until up upon with within without"
)
DETERMINERS: Final = word_set(
    "a an the this that these those his her its their my our your some any all every"
)

_REGULAR: Final = (
    "accept achieve act adapt add admit adopt affect allow announce answer appear appoint approve "
    "arrive ask assassinate attack attend authorise ban base belong border borrow call cancel carry "
    "cause change charge claim close collapse collect compare compete complete compose connect "
    "conquer consider consist contain continue contribute control convert cook cost cover crash "
    "create cross date decide declare defeat define deliver depict describe design destroy "
    "determine develop die direct discover divide divorce donate drop earn elect emerge employ end "
    "enter erupt establish exist expand expire explode explore export express face fail feature "
    "film finish fill flow follow form found gain generate govern graduate happen head help hire "
    "host identify import improve include increase inherit inspire instal install introduce invade "
    "invent involve issue join jump kill land last launch legalise lie like link list live locate "
    "look love manage marry measure merge move murder name need obtain occur offer open operate "
    "order organise originate own paint participate pass perform permit place plan plant play "
    "portray possess practise premiere present prevent produce promote propose protect provide "
    "publish purchase race rank reach receive record refer reform reign release remain remove "
    "rename replace represent require resign retire return rule sail score separate serve "
    "share sign sound specialise sponsor start star state stay store study succeed supply support "
    "surrender survive switch talk taste touch trade train travel travel try turn use "
    "visit volunteer vote walk want watch weigh wish work worship wrap yield admire aim air "
    "breed broadcast combine command commemorate commission compile construct cultivate debut "
    "decline discontinue dominate equal extend fire guard guide harvest honor honour house "
    "inhabit kidnap labour lack maintain manufacture mark migrate narrate note officiate outlaw "
    "pioneer print qualify quote ratify regulate relocate rescue revolve secede sculpt settle "
    "sample symbolise translate uphold voice witness convey encode secrete store abolish "
    "annex boil digest evolve float orbit rotate age attain stop kick trigger taper rely "
    "practice associate research educate dissolve schedule elevate "
    "function matter apply cite copy deny vary imply multiply bury worry hurry reply dry identify"
)
_IRREGULAR: Final = {
    "be": "was been",
    "become": "became become",
    "begin": "began begun",
    "bear": "bore born",
    "beat": "beat beaten",
    "break": "broke broken",
    "bring": "brought brought",
    "build": "built built",
    "burn": "burnt burnt",
    "buy": "bought bought",
    "catch": "caught caught",
    "choose": "chose chosen",
    "come": "came come",
    "deal": "dealt dealt",
    "do": "did done",
    "draw": "drew drawn",
    "drink": "drank drunk",
    "drive": "drove driven",
    "eat": "ate eaten",
    "fall": "fell fallen",
    "feed": "fed fed",
    "feel": "felt felt",
    "fight": "fought fought",
    "find": "found found",
    "fly": "flew flown",
    "freeze": "froze frozen",
    "get": "got got",
    "give": "gave given",
    "go": "went gone",
    "grow": "grew grown",
    "hang": "hung hung",
    "have": "had had",
    "hear": "heard heard",
    "hide": "hid hidden",
    "hit": "hit hit",
    "hold": "held held",
    "keep": "kept kept",
    "know": "knew known",
    "lay": "laid laid",
    "lead": "led led",
    "learn": "learnt learnt",
    "leave": "left left",
    "let": "let let",
    "lose": "lost lost",
    "make": "made made",
    "mean": "meant meant",
    "meet": "met met",
    "pay": "paid paid",
    "put": "put put",
    "read": "read read",
    "ride": "rode ridden",
    "rise": "rose risen",
    "run": "ran run",
    "say": "said said",
    "see": "saw seen",
    "sell": "sold sold",
    "send": "sent sent",
    "set": "set set",
    "shoot": "shot shot",
    "show": "showed shown",
    "sing": "sang sung",
    "sink": "sank sunk",
    "sit": "sat sat",
    "speak": "spoke spoken",
    "spend": "spent spent",
    "split": "split split",
    "stand": "stood stood",
    "steal": "stole stolen",
    "strike": "struck struck",
    "swim": "swam swum",
    "take": "took taken",
    "teach": "taught taught",
    "tell": "told told",
    "think": "thought thought",
    "throw": "threw thrown",
    "wear": "wore worn",
    "win": "won won",
    "write": "wrote written",
}
NOUNS_TOO: Final = word_set(
    "act age aim air answer attack ban base border call cause change charge claim close control "
    "cook cost cover crash cross date design drop end face film fire form guard guide head help "
    "host house issue jump land last launch lead list look love mark move name need note offer "
    "open order paint place plan plant play present print race rank read record reform reign "
    "release return ride rise rule run sail sample score set share show sign sound split star "
    "start state stay store strike study support switch taste touch trade train turn use voice "
    "volunteer vote walk want watch wish witness work found function matter copy fight fall "
    "fly feed hit sink stand drink drive beat deal being"
)
_VOWELS: Final = "aeiou"
_DOUBLING: Final = word_set("stop drop plan ban star admit permit refer occur wrap")


def third(base: str) -> str:
    """Return the form that goes with he, she or it."""
    if base in {"be", "have", "do", "go"}:
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith("y") and base[-2] not in _VOWELS:
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "z", "ch", "sh")) else f"{base}s"


def past(base: str) -> str:
    """Return the simple past."""
    if base in _IRREGULAR:
        return _IRREGULAR[base].split()[0]
    return _with_ed(base)


def _with_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return f"{base[:-1]}ied"
    return f"{base}{base[-1]}ed" if base in _DOUBLING else f"{base}ed"


BASES: Final = frozenset(_REGULAR.split()) | frozenset(_IRREGULAR)
PARTICIPLES: Final = (
    frozenset(_with_ed(base) for base in _REGULAR.split())
    | frozenset(forms.split()[1] for forms in _IRREGULAR.values())
    | word_set("situated called nicknamed supposed married played crowned awarded filmed")
) - {"come", "become", "been"}
_NO_PARTICIPLES: Final = word_set(
    "speed indeed hundred sacred breed exceed united hatred wicked naked rugged biped"
)


def is_participle(word: str) -> bool:
    """Whether a bare word may be a past participle; regular ones beyond the list count too."""
    if word in PARTICIPLES:
        return True
    return len(word) > 5 and word.endswith("ed") and word not in _NO_PARTICIPLES  # noqa: PLR2004


FINITE: Final = (
    (frozenset(third(base) for base in BASES) | frozenset(past(base) for base in BASES))
    - BE
    - DO
    - HAVE
)
"""Forms that can be the verb of a sentence by themselves."""


def agreed(base: str, auxiliary: str) -> str:
    """Return the verb as it stands in a statement when `auxiliary` (do, does, did) goes."""
    if auxiliary == "did":
        return past(base)
    return third(base) if auxiliary == "does" else base
