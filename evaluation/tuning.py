"""Settings of the question path against each other: quality, latency, cost, and what speculation is worth.

Every setting answers the same questions from the same scratch index, with every score let pass: what
tau would withhold is read off the scores afterwards. Cost is the words that drafts read. Sentence
vectors are known after a first round that is not measured, so that no setting pays for another.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import httpx

from domain.verification import CrossExamination
from evaluation.redteam.asked import Asked
from evaluation.redteam.figures import Difference, paired
from evaluation.redteam.models import build_models
from evaluation.redteam.rows import Row
from evaluation.tuning_bench import Bench, Measured, Setting
from runtime.settings import Settings

_ALIKE: Final = 0.9
"""Mean similarity of drafts from which the partition is wasted, share of one pick from which choosing is."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether speculation pays for this corpus: what speaks for and against, a reason a line."""

    base: str
    difference: Difference | None
    favour: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def pays(self) -> bool:
        return bool(self.favour) or not self.against


def grid(settings: Settings, *, drafters: Sequence[str], verifiers: Sequence[str]) -> list[Setting]:
    """Return the settings in force first, then m by k, then each other thing varied alone."""
    answering = settings.answering
    base = Setting(
        m=answering.m,
        k=answering.k,
        limit=settings.retrieval.established_limit,
        partition=answering.partition,
        cross_examination=answering.cross_examination.value,
        drafter=drafters[0],
        verifier=verifiers[0],
    )
    found = [base]
    found += [replace(base, m=m, k=k) for m in (2, 3, 5, 8) for k in (1, 3, 5)]
    found += [replace(base, limit=limit) for limit in (10, 20, 30)]
    found += [replace(base, partition=mode) for mode in ("isolated", "multi-perspective", "random")]
    found += [replace(base, cross_examination=mode.value) for mode in CrossExamination]
    found += [
        replace(base, drafter=drafter, verifier=verifier)
        for drafter, verifier in itertools.product(drafters, verifiers)
    ]
    return list(dict.fromkeys(found))


async def tune(
    rows: Sequence[Row],
    settings: Settings,
    chosen: Sequence[Setting],
    *,
    attack: str,
    with_models: Callable[[Settings, str, str], Settings],
    progress: Progress,
) -> tuple[Measured, ...]:
    """Measure standard RAG and every setting.

    Args:
        rows: The questions; their passages are the corpus.
        settings: The configuration in force.
        chosen: At least one.
        attack: Name of the attack of which the planted answers are counted; `none`: nothing planted.
        with_models: Returns the settings with another drafter and verifier.
        progress: Told after each setting.
    """
    found: list[Measured] = []
    async with httpx.AsyncClient() as http:
        for done, ((drafter, verifier), its) in enumerate(_by_models(chosen)):
            models = await build_models(with_models(settings, drafter, verifier), http)
            bench = Bench(rows, settings, models, attack=attack)
            await bench.measure(its[0])
            if not done:
                found.append(await bench.standard())
            for setting in its:
                found.append(await bench.measure(setting))
                progress(len(found), len(chosen) + 1)
    return tuple(found)


def frontier(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """Return what nothing beats in right answers, seconds and words at once, the cheapest first."""

    def beats(one: Measured, other: Measured) -> bool:
        mine = (one.right.share, -one.seconds, -one.words)
        theirs = (other.right.share, -other.seconds, -other.words)
        return mine != theirs and all(a >= b for a, b in zip(mine, theirs, strict=True))

    kept = [one for one in measured if not any(beats(other, one) for other in measured)]
    return tuple(sorted(kept, key=lambda one: (one.words, one.seconds, one.name)))


def by_m(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """Return the settings that differ from the first in m alone, by m."""
    settings = [one for one in measured if one.setting is not None]
    base = settings[0].setting
    same = [
        one for one in settings if one.setting and base and replace(one.setting, m=base.m) == base
    ]
    return tuple(sorted(same, key=lambda one: one.setting.m if one.setting else 0))


def verdict(measured: Sequence[Measured]) -> Verdict:
    """Say of the first setting whether its drafts and their selection are worth their cost."""
    base = next(one for one in measured if one.setting is not None)
    standard = next((one for one in measured if one.setting is None), None)
    favour: list[str] = []
    against: list[str] = []
    difference = None
    if standard is not None:
        difference = paired(_renamed(base.asked), _renamed(standard.asked), lambda one: one.correct)
        if difference is not None and difference.difference <= 0.0:
            against.append(
                f"standard RAG is right as often ({standard.right.hits} of {standard.right.total}, "
                f"here {base.right.hits}) and reads {standard.words:.0f} words for {base.words:.0f}"
            )
        if difference is not None and difference.low > 0.0:
            favour.append("it is right more often than standard RAG, by more than chance")
        if base.strict and standard.strict and base.strict.hits < standard.strict.hits:
            favour.append(
                f"under the attack it gives the planted answer {base.strict.hits} times of "
                f"{base.strict.total}, standard RAG {standard.strict.hits} times"
            )
    if base.alike is not None and base.alike > _ALIKE:
        against.append(f"drafts are alike (mean cosine {base.alike:.2f}): the partition is wasted")
    picked = sum(base.picks.values())
    if picked and max(base.picks.values()) > _ALIKE * picked:
        against.append("one draft is nearly always picked: choosing does no work")
    if base.draft_right.total and base.draft_right.share > _ALIKE:
        against.append("nearly every draft is right by itself: one would do")
    return Verdict(
        base=base.name, difference=difference, favour=tuple(favour), against=tuple(against)
    )


def _renamed(asked: Sequence[Asked]) -> list[Asked]:
    return [replace(one, system="compared") for one in asked]


def _by_models(
    chosen: Sequence[Setting],
) -> list[tuple[tuple[str, str], list[Setting]]]:
    """Return the settings by drafter and verifier, in order of first appearance."""
    found: dict[tuple[str, str], list[Setting]] = {}
    for one in chosen:
        found.setdefault((one.drafter, one.verifier), []).append(one)
    return list(found.items())
