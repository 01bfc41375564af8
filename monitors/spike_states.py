"""What the spike detector remembers, as the JSON that a ledger keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from domain.answering import QuestionId
from domain.errors import PermanentError
from monitors.spikes import Episode, Reference, SpikeState
from monitors.windows import Reading

FORMAT: Final = 1


def dump_state(state: SpikeState) -> str:
    """Return JSON that `load_state` turns into an equal state. Ids, times and numbers alone."""
    episode = state.episode
    return json.dumps(
        {
            "format": FORMAT,
            "window": [_written_reading(reading) for reading in state.window],
            "references": [
                [stratum, _written_reference(reference)]
                for stratum, reference in state.references.items()
            ],
            "episode": episode and {"at": _written(episode.started_at), "calm": episode.calm},
            "latest": _written(state.latest),
            "taken": [[id, _written(at)] for id, at in state.taken.items()],
        },
        separators=(",", ":"),
    )


def load_state(text: str) -> SpikeState:
    """Return the state that was dumped.

    Raises:
        PermanentError: It is none of ours, or of a format that this release does not know. To begin
            anew in silence would forget that an alert stands.
    """
    try:
        read = json.loads(text)
        if read["format"] != FORMAT:
            raise PermanentError(f"monitor state has format {read['format']!r}, known is {FORMAT}")
        episode = read["episode"]
        return SpikeState(
            window=tuple(_reading(written) for written in read["window"]),
            references={stratum: _reference(written) for stratum, written in read["references"]},
            episode=episode
            and Episode(started_at=datetime.fromisoformat(episode["at"]), calm=episode["calm"]),
            latest=_moment(read["latest"]),
            taken={QuestionId(id): datetime.fromisoformat(at) for id, at in read["taken"]},
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise PermanentError(f"monitor state cannot be read: {type(exc).__name__}") from exc


def _written(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _moment(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written)


def _written_reading(reading: Reading) -> Mapping[str, object]:
    return {
        "id": reading.question_id,
        "asker": reading.asker,
        "at": _written(reading.observed_at),
        "stratum": reading.stratum,
        "value": reading.disagreement,
    }


def _reading(written: Mapping[str, Any]) -> Reading:
    return Reading(
        question_id=QuestionId(written["id"]),
        asker=written["asker"],
        observed_at=datetime.fromisoformat(written["at"]),
        stratum=written["stratum"],
        disagreement=float(written["value"]),
    )


def _written_reference(reference: Reference) -> Mapping[str, object]:
    return {
        "sample": dict(reference.sample),
        "mean": reference.mean,
        "spread": reference.spread,
        "frozen_mean": reference.frozen_mean,
        "moved_at": _written(reference.moved_at),
        "cold": reference.cold,
    }


def _reference(written: Mapping[str, Any]) -> Reference:
    return Reference(
        sample={asker: float(value) for asker, value in written["sample"].items()},
        mean=float(written["mean"]),
        spread=float(written["spread"]),
        frozen_mean=float(written["frozen_mean"]),
        moved_at=_moment(written["moved_at"]),
        cold=bool(written["cold"]),
    )
