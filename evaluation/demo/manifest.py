"""The manifest of the sample corpus: what is uploaded, what is asked, and what must come of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

MANIFEST_PATH: Final = Path(__file__).resolve().parent / "manifest.json"

Attack = Literal[
    "near-duplicate-flood",
    "paraphrased-flood",
    "corruptrag",
    "injection-plain",
    "injection-html",
    "injection-pdf",
    "fabricated-citations",
    "personal-data",
    "quoted-attack",
    "mirror",
    "outdated",
    "compromised-connector",
]
ExpectedOutcome = Literal["answer", "answer-with-warning", "escalated", "abstain"]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DemoOrigin(_Strict):
    """An origin of the demo; `reason` is what the demo gives when it establishes it, else None."""

    id: Slug
    kind: Literal["publisher", "connector", "uploader"]
    established: bool
    reason: str | None


class DemoDocument(_Strict):
    """One upload. `phase` says when: established, then open, then (after the baseline) spike."""

    name: Slug
    file: Annotated[str, Field(pattern=r"^corpus/")]
    media_type: Text
    origin: Slug
    title: Text
    source_uri: str | None
    labels: dict[str, str]
    phase: Literal["established", "open", "spike"]
    attack: Attack | None
    expected: Literal["admit", "quarantine", "reject"]

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return MANIFEST_PATH.parent / self.file


class ExpectedAnswer(_Strict):
    """What a question must meet; strings are compared case-folded, white space collapsed.

    `contains_any` binds only where an answer is given (empty: nothing is asked of it); no string
    of `excludes` may ever be in an answer.
    """

    outcomes: Annotated[list[ExpectedOutcome], Field(min_length=1)]
    contains_any: list[Text]
    excludes: list[Text]


class DemoQuestion(_Strict):
    """One question; the manifest lists them in the order in which they are asked."""

    question: Text
    attack: Attack | Literal["absent"] | None
    phase: Literal["main", "baseline", "spike"]
    topic: Slug
    expected: ExpectedAnswer


class Manifest(_Strict):
    """The whole demo. `seed` feeds every source of randomness in it."""

    company: Text
    seed: int
    origins: list[DemoOrigin]
    documents: list[DemoDocument]
    questions: list[DemoQuestion]


def load_manifest(path: Path = MANIFEST_PATH) -> Manifest:
    """Return the manifest at `path`.

    Raises:
        pydantic.ValidationError: The file does not follow the schema; unknown keys are errors.
    """
    return Manifest.model_validate_json(path.read_bytes())


def fold(text: str) -> str:
    """Return text as expectations compare it: case-folded, white space collapsed."""
    return " ".join(text.casefold().split())
