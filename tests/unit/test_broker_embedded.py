"""A process that hangs while it starts the embedded broker holds up no other for ever."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from backends.broker_embedded import EmbeddedBroker
from domain.errors import TransientError


def test_who_waits_for_a_start_that_hangs_is_told_so(tmp_path: Path) -> None:
    broker = EmbeddedBroker(tmp_path / "broker", start_seconds=0.1)
    (tmp_path / "broker").mkdir()

    with (tmp_path / "broker" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(TransientError, match="another process"):
            broker.ensure()

    assert not broker.started_here


def test_it_starts_once_whoever_held_the_lock_has_let_go(tmp_path: Path) -> None:
    broker = EmbeddedBroker(tmp_path / "broker")
    (tmp_path / "broker").mkdir()
    with (tmp_path / "broker" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)

    started = broker.ensure()
    again = EmbeddedBroker(tmp_path / "broker").ensure()
    broker.stop()

    assert started
    assert not again
