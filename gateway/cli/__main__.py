"""`python -m gateway.cli`: how `mithridate up` starts its children."""

from __future__ import annotations

from gateway.cli import main

if __name__ == "__main__":
    main()
