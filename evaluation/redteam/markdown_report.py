"""A red-team run as Markdown: what docs/benchmarks/redteam.md holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.markdown import escaped, table
from evaluation.redteam.asked import Asked
from evaluation.redteam.report_tables import Table, tables


def markdown_report(asked: Sequence[Asked], facts: Mapping[str, str], *, level: int = 2) -> str:
    """Return what the run was, then its tables; every text in it is shown and does nothing.

    Args:
        asked: All answers of the run.
        facts: What repeats it: command, date, versions, by name.
        level: Of the headings.
    """
    told = [f"- {escaped(name)}: {escaped(value)}" for name, value in facts.items()]
    parts = ["\n".join(told)] if told else []
    made = tables(asked)
    parts += [_section(each, "#" * level) for each in made] or ["Nothing was asked."]
    return "\n\n".join(parts) + "\n"


def _section(each: Table, marks: str) -> str:
    head = [escaped(cell) for cell in each.head]
    rows = [[escaped(cell) for cell in row] for row in each.rows]
    return f"{marks} {escaped(each.title)}\n\n{each.note}\n\n{table(head, rows)}"
