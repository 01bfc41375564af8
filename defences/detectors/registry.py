"""The detectors that ship with the product, by name. Explicit, so that grep finds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from defences.detectors.citations import CitationsDetector
from defences.detectors.hidden_text import HiddenTextDetector
from defences.detectors.injected_instructions import InjectedInstructionsDetector
from defences.detectors.near_duplicates import NearDuplicatesDetector
from defences.detectors.publisher_signature import PublisherSignatureDetector
from defences.detectors.version_changes import VersionChangesDetector
from domain.scanning import Detector

BUILT_IN: Final[Mapping[str, Callable[..., Detector]]] = {
    "hidden-text": HiddenTextDetector,
    "injected-instructions": InjectedInstructionsDetector,
    "citations": CitationsDetector,  # wants as_of: the day against which "future" is meant
    "near-duplicate": NearDuplicatesDetector,
    "version-changes": VersionChangesDetector,
    "publisher-signature": PublisherSignatureDetector,
}
