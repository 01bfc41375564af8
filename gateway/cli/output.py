"""What commands print: JSON on standard output, or tables for people; progress on standard error."""

from __future__ import annotations

import json
import re
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
_PIPED: Final = 160
_FOLDED: Final = 12
"""A column is not folded below that: a table too wide for the terminal can still be read."""
_ID: Final = re.compile(r"[a-z]+_[0-9a-z]{26}")
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
    """Print a table; cells are shown as `plain`, None as nothing, no rows as the word none.

    Long cells go on in the next line, but for our own ids, which are there to be copied.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [["" if cell is None else plain(cell) for cell in row] for row in rows]
    if not cells:
        say(f"{title}: none" if title else "none")
        return
    shown = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    narrowest = 3 * len(columns)
    for column, values in zip(columns, zip(*cells, strict=True), strict=True):
        longest = max(map(len, (column, *values)))
        copied = any(map(_ID.fullmatch, values))
        least = longest if copied else min(longest, _FOLDED)
        shown.add_column(column, overflow="fold", no_wrap=copied, min_width=least)
        narrowest += least
    for row in cells:
        shown.add_row(*map(Text, row))
    usual = _NARROWEST if sys.stdout.isatty() else _PIPED
    width = max(_NARROWEST, narrowest, shutil.get_terminal_size((usual, 40)).columns)
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
