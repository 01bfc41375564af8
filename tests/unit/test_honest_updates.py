"""The measurement of honest updates: seeded edits that are what they are called."""

from __future__ import annotations

from random import Random

import pytest

from backends.embedder_onnx import OnnxEmbedder
from defences.trust.policy import DEFAULT_POLICY, load_policy
from evaluation.honest_edits import KINDS, EditKind
from evaluation.honest_updates import Rate, is_held, measure

EMBED = OnnxEmbedder().embed_sync
POLICY = load_policy(DEFAULT_POLICY.read_text(encoding="utf-8"))
PLACES = ("cupboard", "cabinet", "workshop", "library", "kitchen", "cellar", "garden")
SECTIONS = [
    f"The {place} can be opened with the small key that hangs beside the door. Also, many visitors "
    f"ask Agnes whether the {place} needs care, and the answer provides help to the hall. The "
    f"{place} was cleaned on May {at}, 2025 by {at + 12} people, who usually start in the morning."
    for at, place in enumerate(PLACES, 3)
]
TEXT = "\n\n".join(SECTIONS)
OTHER = "\n\n".join(section.replace("hall", "yard") for section in SECTIONS)


def seeded() -> Random:
    # By this seed the figure changed is a count, not the year of a date, which is a stamp to some.
    return Random(9)  # noqa: S311 - reproducible, not secret


def edited(each: EditKind, random: Random) -> tuple[str, str]:
    """Return the test's text before and after an edit."""
    old = each.prepare(TEXT, random, [OTHER]) if each.prepare else TEXT
    new = None if old is None else each.edit(old, random, [OTHER])
    assert old is not None
    assert new is not None
    return old, new


def kind(name: str) -> EditKind:
    return next(one for one in KINDS if one.name == name)


@pytest.mark.parametrize("each", KINDS, ids=lambda each: each.name)
def test_an_edit_edits_and_is_the_same_for_the_same_seed(each: EditKind) -> None:
    first, again = (edited(each, seeded()) for _ in range(2))

    assert first == again
    assert first[0] != first[1]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("lines broken anew", False),
        ("paragraph added", False),
        ("paragraph moved", False),
        ("stamped with a date and revision", False),
        ("figure changed", True),
        ("date changed", True),
        ("statement negated", True),
        ("new date of the last review", False),
        ("new price, confirmed by another origin", False),
        ("new price, confirmed by nobody", True),
        ("thing swapped for its like", True),
    ],
)
def test_what_says_otherwise_waits_and_what_does_not_passes(name: str, held: bool) -> None:
    each = kind(name)
    old, new = edited(each, seeded())
    witness = new if each.confirmed else ""

    found = is_held(POLICY, old, new, logical_id="document", embed=EMBED, witness=witness)

    assert found is held


def test_another_text_waits_under_the_same_id_and_is_nobody_s_version_without() -> None:
    other = "The lamp hangs in the hall. " * 40

    assert is_held(POLICY, TEXT, other, logical_id="document", embed=EMBED)
    assert not is_held(POLICY, TEXT, other, logical_id=None, embed=EMBED)


def test_a_measurement_counts_every_edit_once() -> None:
    rates = list(measure([TEXT, OTHER], seed=1, logical_id="document", embed=EMBED))

    assert [rate.name for rate in rates] == [each.name for each in KINDS]
    assert all(0 <= rate.held <= rate.edits <= 2 for rate in rates)


@pytest.mark.parametrize(
    ("edits", "held", "upper"), [(60, 0, 0.0487), (60, 60, 1.0), (10, 1, 0.3942)]
)
def test_the_bound_is_that_of_clopper_and_pearson(edits: int, held: int, upper: float) -> None:
    rate = Rate(name="x", harmless=True, edits=edits, held=held)

    assert rate.upper == pytest.approx(upper, abs=1e-3)
