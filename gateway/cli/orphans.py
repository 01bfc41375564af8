"""Leaves no process behind where its parent was killed and could not stop it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(parent: int | None) -> None:
    """Ask the kernel for a SIGTERM when the parent ends; leave at once if it has ended already.

    Call it early, in the main thread. Linux only; elsewhere it does nothing.

    Args:
        parent: The parent's process id; None if it is not known.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if parent is not None and os.getppid() != parent:
        sys.exit(0)
