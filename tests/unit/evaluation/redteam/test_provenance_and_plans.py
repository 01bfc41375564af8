"""Whose each text is, and what is asked."""

from __future__ import annotations

import pytest

from domain.errors import InputError
from evaluation.redteam.attacks.planted import Hand, Planted
from evaluation.redteam.plans import SYSTEMS, Choice, plan
from evaluation.redteam.provenance import (
    ATTACKER,
    ESTABLISHED_ATTACKER,
    ProvenanceMode,
    hands,
    passages_of,
)
from evaluation.redteam.rows import Row

ROW = Row(
    id="one",
    question="how many doors?",
    correct="3",
    incorrect="4",
    passages=("It has 3 doors.", "Three doors, says the owner."),
)
TEXTS = (Planted(text="4 doors", answer="4"), Planted(text="four doors", answer="4", slot=1))


def origins(mode: ProvenanceMode, *texts: Planted) -> list[str]:
    passages = {one.text: one for one in passages_of([ROW], mode, share=1.0)}
    return [str(one) for one in hands(ROW, texts or TEXTS, mode, passages)]


def test_one_new_is_one_account_and_sybil_as_many_as_texts() -> None:
    assert set(origins(ProvenanceMode.ONE_NEW)) == {str(ATTACKER)}
    assert len(set(origins(ProvenanceMode.SYBIL))) == len(TEXTS)


def test_a_compromised_origin_owns_a_clean_passage() -> None:
    passages = passages_of([ROW], ProvenanceMode.COMPROMISED, share=1.0)

    found = set(origins(ProvenanceMode.COMPROMISED))

    assert found == {str(passages[-1].origin)}
    assert all(one.established for one in passages)


def test_without_provenance_nobody_is_anybody() -> None:
    passages = passages_of([ROW], ProvenanceMode.NONE, share=1.0)

    found = origins(ProvenanceMode.NONE, *TEXTS, Planted(text="x", answer="4", hand=Hand.OWNER))

    assert not any(one.established for one in passages)
    assert len({*found, *(str(one.origin) for one in passages)}) == len(found) + len(passages)


def test_an_owner_replaces_its_own_passage_and_a_sleeper_has_a_seat() -> None:
    passages = passages_of([ROW], ProvenanceMode.ONE_NEW, share=1.0)

    owner, sleeper = origins(
        ProvenanceMode.ONE_NEW,
        Planted(text="It has 4 doors.", answer="4", hand=Hand.OWNER, replaces=1),
        Planted(text="x", answer="4", hand=Hand.ESTABLISHED),
    )

    assert owner == str(passages[1].origin)
    assert sleeper == str(ESTABLISHED_ATTACKER)


def test_the_share_says_how_many_origins_are_established() -> None:
    rows = [
        Row(id=str(n), question="?", correct="3", incorrect="4", passages=(f"text {n}",))
        for n in range(400)
    ]

    def established(share: float) -> set[str]:
        passages = passages_of(rows, ProvenanceMode.ONE_NEW, share=share)
        return {one.text for one in passages if one.established}

    assert len(established(1.0)) == len(rows)
    assert not established(0.0)
    assert 150 < len(established(0.5)) < 250
    assert established(0.25) <= established(0.5)


def test_every_profile_has_a_clean_cell_for_each_set_of_cells() -> None:
    for profile in ("quick", "default", "full"):
        made = plan(profile, Choice())

        for cell in made.cells:
            assert any(
                one.attack == "none"
                and (one.provenance, one.stage, one.share)
                == (cell.provenance, cell.stage, cell.share)
                for one in made.cells
            )
        assert len(set(made.cells)) == len(made.cells)


def test_the_default_profile_has_three_texts_in_the_three_usual_provenances() -> None:
    made = plan("default", Choice())

    usual = {
        cell.provenance
        for cell in made.cells
        if cell.attack == "poisonedrag" and cell.b == 3 and cell.stage == "query-only"
    }
    assert usual == {"one-new", "sybil", "none"}


def test_what_is_chosen_is_all_that_is_asked() -> None:
    made = plan("default", Choice(attacks=("dnd",), systems=("mithridate",), b=(1, 5)))

    assert {cell.attack for cell in made.cells} == {"none", "dnd"}
    assert {cell.b for cell in made.cells} == {0, 1, 5}
    assert made.systems == ("mithridate",)


@pytest.mark.parametrize(
    "choice",
    [
        Choice(attacks=("nonesuch",)),
        Choice(provenance=("nonesuch",)),
        Choice(stages=("nonesuch",)),
        Choice(systems=("nonesuch",)),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_there_are(choice: Choice) -> None:
    with pytest.raises(InputError, match=r"nonesuch.*is unknown: "):
        plan("default", choice)


def test_the_full_profile_asks_every_system() -> None:
    assert plan("full", Choice()).systems == SYSTEMS
