"""What finds personal data and secrets, and what is done about them, from `Settings`."""

from __future__ import annotations

from typing import Final

from backends.personal_data_names import SpacyNames
from backends.personal_data_presidio import RULES as PERSONAL
from backends.personal_data_presidio import PresidioPersonalDataDetector
from backends.secrets_detect_secrets import RULES as SECRET
from backends.secrets_detect_secrets import SecretsDetector
from domain.errors import ConfigurationError
from domain.masking import ValueAction
from ingest.masking import Masking
from runtime.ingest_sections import PersonalDataSettings

_KNOWN: Final = frozenset(
    {
        "personal-data.*",
        "secrets.*",
        *(f"personal-data.{rule}" for rule in PERSONAL),
        *(f"secrets.{rule}" for rule in SECRET),
    }
)


def build_personal_data(settings: PersonalDataSettings) -> PresidioPersonalDataDetector:
    """Build the detector of personal data; its models are loaded at the first scan."""
    names = SpacyNames(settings.names_model) if settings.names_model else None
    return PresidioPersonalDataDetector(names=names)


def build_masking(settings: PersonalDataSettings) -> Masking:
    """Build what masks and holds. Secrets win where the two overlap.

    Raises:
        ConfigurationError: An action is given to a rule that does not exist.
    """
    unknown = sorted(settings.actions.keys() - _KNOWN)
    if unknown:
        raise ConfigurationError(
            f"ingest.personal_data.actions: there is no rule {unknown[0]!r}; "
            f"known are {', '.join(sorted(_KNOWN))}"
        )
    return Masking(
        finders=(SecretsDetector(), build_personal_data(settings)),
        actions={rule: ValueAction(action) for rule, action in settings.actions.items()},
    )
