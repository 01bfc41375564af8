"""What commands print: JSON on standard output, or tables for people; progress on standard error."""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]

_NARROWEST: Final = 100
_UNSHOWN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def emit(value: object) -> None:
    """Print one JSON value on a line of its own, at once, in ASCII: any text survives any pipe."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Print a line for a person."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """Print a line beside the result."""
    print(text, file=sys.stderr)


def plain(text: object) -> str:
    """Return text of a stranger as a terminal may be shown it: no control or format characters."""
    return "".join(
        " " if char in "\n\t" else "\N{REPLACEMENT CHARACTER}" if _is_unshown(char) else char
        for char in str(text)
    )


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """Print a table; cells are shown as `plain`, None as nothing."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*(Text("" if cell is None else plain(cell)) for cell in row))
    width = max(_NARROWEST, shutil.get_terminal_size((_NARROWEST, 40)).columns)
    Console(width=width, highlight=False).print(shown)


def facts(pairs: Mapping[str, object]) -> None:
    """Print names and values, one a line; None and empty ones are left out."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        if value is not None and value != "":
            say(f"{name.ljust(width)}  {plain(value)}")


def progress() -> Progress:
    """Return a bar on standard error, which shows itself on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _is_unshown(char: str) -> bool:
    return unicodedata.category(char) in _UNSHOWN
