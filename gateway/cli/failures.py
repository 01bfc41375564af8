"""Exit codes, and errors as one line on standard error.

0    all is well
1    findings: a document was not admitted, or a check failed
2    usage or configuration, or the request was refused
3    a service is not reachable, or failed
70   a fault of ours (EX_SOFTWARE); the trace is shown with MITHRIDATE_LOGGING__LEVEL=debug
130  interrupted
141  nobody reads the output any more, as of a process that SIGPIPE ended
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, Final

import typer
from typer.core import TyperGroup

from domain.errors import DependencyError, MithridateError, RateLimitedError

OK: Final = 0
FINDINGS: Final = 1
USAGE: Final = 2
SERVICE: Final = 3
FAULT: Final = 70
INTERRUPTED: Final = 130
NO_READER: Final = 141

_LEVEL: Final = "MITHRIDATE_LOGGING__LEVEL"


class GuardedGroup(TyperGroup):
    """The outermost edge: no error of a command leaves a trace on the terminal."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's context is not a public type
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError as exc:
            silence_output()
            raise typer.Exit(NO_READER) from exc
        except MithridateError as exc:
            complain(str(exc))
            raise typer.Exit(code_of(exc)) from exc
        except KeyboardInterrupt as exc:
            raise typer.Exit(INTERRUPTED) from exc
        except Exception as exc:
            if hasattr(exc, "exit_code"):
                raise  # wrong usage, which typer shows itself
            _report_fault(exc)
            raise typer.Exit(FAULT) from exc


def code_of(error: MithridateError) -> int:
    """Return the exit code: 3 where trying again later may help, else 2."""
    return SERVICE if isinstance(error, DependencyError | RateLimitedError) else USAGE


def complain(message: str) -> None:
    """Write one line, whatever the message holds."""
    print(f"mithridate: {' '.join(message.split())}", file=sys.stderr)


def silence_output() -> None:
    """Send what is still buffered nowhere, so that Python does not complain at exit."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    os.close(sink)


def _report_fault(error: Exception) -> None:
    if os.environ.get(_LEVEL, "").lower() == "debug":
        traceback.print_exception(error)
    # Only the kind: the message of a foreign error may quote a document or a secret.
    complain(f"unexpected {type(error).__name__}; {_LEVEL}=debug shows where")
