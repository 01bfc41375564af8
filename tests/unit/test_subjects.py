"""Pages of one template are told from versions of one page by what they are about."""

from __future__ import annotations

import pytest

from defences.retrieval.subjects import subjects_differ

SHEET = (
    "{name} pump\n\nThe {name} pump carries a warranty of {months} months from delivery. "
    "Spare seals for the {name} pump are kept in the north store.\n"
)
CORVID = SHEET.format(name="Corvid", months=34)


@pytest.mark.parametrize("months", [34, 12])
def test_sheets_of_one_template_are_about_different_things(months: int) -> None:
    assert subjects_differ(CORVID, SHEET.format(name="Heron", months=months))


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(SHEET.format(name="Corvid", months=12), id="the same name"),
        pytest.param(SHEET.format(name="Corvids", months=12), id="a plural"),
        pytest.param(SHEET.format(name="Corvidd", months=12), id="a slip"),
        pytest.param(SHEET.format(name="Corvin", months=12), id="a like name"),
        pytest.param(
            SHEET.format(name="Heron", months=12) + "Formerly the Corvid.", id="named at the end"
        ),
        pytest.param(
            SHEET.format(name="Heron", months=12) + "Formerly the corvid.", id="in small letters"
        ),
        pytest.param(CORVID.replace("Corvid pump\n", "Heron pump\n"), id="another heading alone"),
        pytest.param(CORVID.replace("Corvid", "Heron", 2), id="one mention left behind"),
        pytest.param(CORVID.replace("Corvid", "pump"), id="no name in its place"),
        pytest.param(CORVID.replace("Corvid", "heron"), id="a small letter is no name"),
        pytest.param(
            SHEET.format(name="Heron", months=12) + "Heron again.", id="oftener than the old name"
        ),
        pytest.param(CORVID.replace("Corvid", "300"), id="figures are no names"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_may_speak_of_the_old_subject_is_a_version(new: str) -> None:
    assert not subjects_differ(CORVID, new)


def test_a_title_without_a_name_tells_nothing() -> None:
    page = "Returns and refunds\n\nSend it back within {} days, says {}, and the money comes.\n"
    assert not subjects_differ(page.format(30, "Ellen"), page.format(60, "Bruno"))
