"""What detectors remember of a stream, as the JSON that a ledger keeps. Ids, times and numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError

from domain.errors import PermanentError
from monitors.detectors.interface import Detector
from monitors.stream import StreamState

NAME: Final = "streams"
"""The monitor whose state it is."""

FORMAT: Final = 2


def dump_state(state: StreamState) -> str:
    """Return JSON that `load_state` turns into an equal state."""
    dumped = {
        "format": FORMAT,
        "stream": _adapter(StreamState).dump_python(
            state, mode="json", exclude={"detectors"}, warnings="error"
        ),
        "detectors": {
            name: _adapter(type(own)).dump_python(own, mode="json", warnings="error")
            for name, own in state.detectors.items()
        },
    }
    return _adapter(dict).dump_json(dumped).decode()


def load_state(text: str, detectors: Mapping[str, Detector[Any]]) -> StreamState:
    """Return the state that was dumped; what a detector that is gone remembered is left out.

    Raises:
        PermanentError: It is none of ours, or of a format that this release does not know. To begin
            anew in silence would forget that an alert stands.
    """
    try:
        read = _adapter(dict).validate_json(text)
        if read["format"] != FORMAT:
            raise PermanentError(f"monitor state has format {read['format']!r}, known is {FORMAT}")
        kept = {
            name: _adapter(type(detectors[name].start())).validate_python(own)
            for name, own in read["detectors"].items()
            if name in detectors
        }
        state: StreamState = _adapter(StreamState).validate_python(
            {**read["stream"], "detectors": kept}
        )
    except (KeyError, TypeError, ValidationError) as exc:
        raise PermanentError(f"monitor state cannot be read: {type(exc).__name__}") from exc
    return state


def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return _built(cast("Hashable", kind))


@lru_cache(maxsize=64)
def _built(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("type[Any]", kind))
