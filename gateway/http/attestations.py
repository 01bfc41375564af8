"""A publisher's signature as it is sent and stored in files: JSON with a base64 signature."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, Field, ValidationError

from defences.trust.signing import MOST_VERSION, SIGNATURE_BYTES, check
from domain.errors import InputError
from domain.publishing import Attestation, Publication
from gateway.http.models_documents import ORIGIN_ID, Model

LOGICAL_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$"
MAX_LOGICAL_ID: Final = 200


class AttestationModel(Model):
    publisher: Annotated[str, Field(pattern=ORIGIN_ID)]
    logical_id: Annotated[str, Field(pattern=LOGICAL_ID)]
    version: Annotated[int, Field(ge=0, le=MOST_VERSION, strict=True)]
    expires_at: AwareDatetime
    signature: Annotated[str, Field(max_length=100)]

    @classmethod
    def of(cls, attestation: Attestation) -> AttestationModel:
        said = attestation.publication
        return cls(
            publisher=said.publisher,
            logical_id=said.logical_id,
            version=said.version,
            expires_at=said.expires_at,
            signature=base64.b64encode(attestation.signature).decode(),
        )


def read_attestation(text: str, *, sha256: str) -> Attestation:
    """Return the attestation that a JSON text holds, of the content with this hash.

    Raises:
        InputError: It is malformed. Whether its signature verifies is another matter.
    """
    try:
        model = AttestationModel.model_validate_json(text)
        signature = base64.b64decode(model.signature, validate=True)
    except ValidationError as exc:
        fields = ", ".join(sorted({str(error["loc"][0]) for error in exc.errors() if error["loc"]}))
        raise InputError(f"attestation is malformed: {fields or 'it is no JSON object'}") from exc
    except (ValueError, binascii.Error) as exc:
        raise InputError("attestation: signature is not base64") from exc
    if len(signature) != SIGNATURE_BYTES:
        raise InputError(f"attestation: signature has {len(signature)} bytes, not 64")
    publication = Publication(
        publisher=model.publisher,
        logical_id=model.logical_id,
        version=model.version,
        expires_at=_whole_seconds(model.expires_at),
        sha256=sha256,
    )
    check(publication)
    return Attestation(publication=publication, signature=signature)


def _whole_seconds(moment: datetime) -> datetime:
    if moment.microsecond:
        raise InputError("attestation: expires_at is in whole seconds")
    return moment
