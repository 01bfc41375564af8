"""The command line `mithridate`.

Starting it must cost little: what is slow to import is imported by the command that needs it.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line and leave with its exit code (see `gateway.cli.failures`)."""
    from gateway.cli.app import run

    run()
