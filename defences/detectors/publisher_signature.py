"""A publisher's signature that did not verify: somebody speaks in another's name."""

from __future__ import annotations

from collections.abc import Sequence

from domain.documents import Document
from domain.scanning import Finding, FindingLevel


class PublisherSignatureDetector:
    name = "publisher-signature"
    version = "1"

    def scan(self, document: Document) -> Sequence[Finding]:
        if not document.provenance.signature_forged:
            return ()
        return (
            Finding(
                rule="publisher-signature.forged",
                risk=1.0,
                level=FindingLevel.HOSTILE,
                message="came with a publisher's signature that no key of that publisher made",
            ),
        )
