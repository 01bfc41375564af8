"""Every attack of a red-team run by name; `docs/redteam.md` says where each comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from evaluation.redteam.attacks.doubting import (
    corruptrag,
    denial,
    disagreement,
    dnd,
    ladder_forcing,
)
from evaluation.redteam.attacks.ordering import (
    guilt_by_association,
    injection,
    injection_hidden,
    injection_quoted,
)
from evaluation.redteam.attacks.planted import Attack
from evaluation.redteam.attacks.standing import (
    delete_and_reupload,
    family_capture,
    replacement,
    seat_mate,
    sleeper,
)
from evaluation.redteam.attacks.stating import (
    crowding,
    date_salted,
    fake_citation,
    flood,
    misleading,
    near_duplicate,
    none,
    paraphrase,
    poisonedrag,
    typo,
)

ATTACKS: Final[Mapping[str, Attack]] = {
    "none": none,
    "poisonedrag": poisonedrag,
    "near-duplicate": near_duplicate,
    "paraphrase": paraphrase,
    "flood": flood,
    "corruptrag": corruptrag,
    "dnd": dnd,
    "disagreement": disagreement,
    "denial": denial,
    "injection": injection,
    "injection-hidden": injection_hidden,
    "injection-quoted": injection_quoted,
    "fake-citation": fake_citation,
    "typo": typo,
    "misleading": misleading,
    "replacement": replacement,
    "delete-and-reupload": delete_and_reupload,
    "crowding": crowding,
    "seat-mate": seat_mate,
    "family-capture": family_capture,
    "date-salted": date_salted,
    "ladder-forcing": ladder_forcing,
    "sleeper": sleeper,
    "guilt-by-association": guilt_by_association,
}
