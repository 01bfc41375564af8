"""A red-team run as Markdown: what docs/benchmarks/redteam.md holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from evaluation.markdown import escaped, table
from evaluation.redteam.asked import Asked
from evaluation.redteam.report_tables import Table, tables
from evaluation.redteam.watched import Watched

_OPENING: Final = """# Red team

Each section is one run of `mithridate redteam`, written by it (`--markdown`). How attacks, systems and
scoring are meant: `docs/redteam.md`.
"""


def markdown_report(
    asked: Sequence[Asked],
    facts: Mapping[str, str],
    *,
    watched: Sequence[Watched] = (),
    opened: Sequence[Asked] = (),
    more: Sequence[Table] = (),
    level: int = 2,
) -> str:
    """Return what the run was, then its tables; every text in it is shown and does nothing.

    Args:
        asked: All answers of the run.
        facts: What repeats it: command, date, versions, by name.
        watched: What became of the corpus.
        opened: The answers that thresholds were set on.
        more: Tables that stand before the others.
        level: Of the headings.
    """
    told = [f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items()]
    parts = ["\n".join(told)] if told else []
    made = [*more, *tables(asked, watched=watched, opened=opened)]
    parts += [_section(each, "#" * level) for each in made if each.rows] or ["Nothing was asked."]
    return "\n\n".join(parts) + "\n"


def with_section(page: str, title: str, told: str) -> str:
    """Return a page of runs with this one in it: in place of the one of its title, or at the end."""
    head = page.split("\n## ", 1)[0] if page.strip() else _OPENING
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:] if "\n" in part)
    sections[escaped(title)] = f"\n{told}"
    body = "".join(f"\n## {name}\n{text.rstrip()}\n" for name, text in sections.items())
    return f"{head.rstrip()}\n{body}"


def _section(each: Table, marks: str) -> str:
    head = [escaped(cell) for cell in each.head]
    rows = [[escaped(cell) for cell in row] for row in each.rows]
    return f"{marks} {escaped(each.title)}\n\n{each.note}\n\n{table(head, rows)}"
