"""Words that turn a statement round: negators and opposites."""

from __future__ import annotations

import re
from typing import Final

# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese. French "ne" is
# left out: "ne ... pas" would count twice.
_NEGATING: Final = """
    not no never none nor neither cannot without nobody nothing nowhere
    nicht kein keine keinen keinem keiner keines nie niemals ohne
    pas jamais aucun aucune sans nunca ningún ninguna sin non nessun nessuna senza mai
    não nenhum nenhuma sem niet geen nooit zonder не нет никогда без
    不 没 沒 未 无 無 非 勿 别
"""
_CONTRACTED: Final = re.compile(r"n['’]t$")  # noqa: RUF001 - both apostrophes occur

_OPPOSITES: Final = """
with/without before/after increase/reduce increase/decrease raise/lower rise/fall more/less
more/fewer least/most above/below over/under minimum/maximum allow/forbid allow/prohibit
permit/forbid permit/prohibit permitted/banned allowed/banned must/may shall/may must/might
required/optional mandatory/optional mandatory/voluntary compulsory/optional always/never
always/rarely often/never all/none every/no enable/disable on/off open/closed include/exclude
including/excluding accept/refuse accept/reject approve/reject grant/refuse grant/deny
safe/dangerous safe/unsafe hot/cold left/right top/bottom up/down inside/outside true/false
yes/no right/wrong free/paid start/stop begin/end first/last early/late earlier/later
clockwise/anticlockwise clockwise/counterclockwise public/private keep/delete keep/discard
keep/remove add/remove connect/disconnect lock/unlock buy/sell gain/lose win/lose pass/fail
present/absent presence/absence internal/external positive/negative high/low higher/lower
long/short longer/shorter fast/slow faster/slower strong/weak stronger/weaker better/worse
best/worst legal/illegal encourage/discourage recommend/discourage wet/dry full/empty
mit/ohne vor/nach mehr/weniger avec/sans avant/après plus/moins con/sin antes/después más/menos
con/senza prima/dopo più/meno com/sem mais/menos met/zonder voor/na meer/minder с/без до/после
больше/меньше
"""  # noqa: RUF001 - the Russian word is meant

_NEGATORS: Final = frozenset(_NEGATING.split())
_SUFFIX: Final = re.compile(r"(?:ing|ed|es|s|e)$")
_PREFIX: Final = re.compile(r"^(?:un|in|im|il|ir|dis|non)(?=\w{4})")
_MIN_INFLECTED: Final = 5


def _stem(word: str) -> str:
    return _SUFFIX.sub("", word) if len(word) >= _MIN_INFLECTED else word


_PAIRS: Final = frozenset(
    frozenset(_stem(side) for side in pair.split("/", 1)) for pair in _OPPOSITES.split()
)


def is_negator(word: str) -> bool:
    """Whether a casefolded word negates what stands near it."""
    return word in _NEGATORS or _CONTRACTED.search(word) is not None


def opposed(one: str, other: str) -> bool:
    """Whether two casefolded words are opposites: listed, or one is the other with `un-`, `in-`."""
    first, second = _stem(one), _stem(other)
    if first == second:
        return False
    if frozenset((first, second)) in _PAIRS:
        return True
    return first == _PREFIX.sub("", second) or second == _PREFIX.sub("", first)
