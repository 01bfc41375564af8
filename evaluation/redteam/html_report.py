"""A red-team run as one HTML file with its plots: nothing in it is fetched, and nothing runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Final

from evaluation.charts import Span, spans, unit_lines
from evaluation.rates import Rate
from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.confidences import as_returned, cross_fitted, risk_coverage
from evaluation.redteam.figures import Figures, figures, grouped, latency
from evaluation.redteam.report_tables import Table, scene, tables
from evaluation.redteam.summary import sides
from evaluation.redteam.watched import Watched

_STYLE: Final = """
body { font: 14px/1.5 sans-serif; margin: 2em auto; max-width: 110em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; font-size: 12px; margin: 1em 0 }
th, td { border: 1px solid #ddd; padding: 3px 7px; text-align: left; white-space: nowrap }
tbody tr:nth-child(even) { background: #f6f6f6 }
section { overflow-x: auto } svg { max-width: 100%; height: auto } dt { font-weight: bold }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_SWEPT: Final = 2
"""Established shares that make a sweep."""


def html_report(
    asked: Sequence[Asked],
    facts: Mapping[str, str],
    *,
    watched: Sequence[Watched] = (),
    opened: Sequence[Asked] = (),
    more: Sequence[Table] = (),
    title: str = "Red team",
) -> str:
    """Return the page: what the run was, its plots, then its tables. All text is escaped.

    Args:
        asked: All answers of the run.
        facts: What repeats it: command, date, versions, by name.
        watched: What became of the corpus.
        opened: The answers that thresholds were set on.
        more: Tables that stand before the others.
        title: Of the page.
    """
    told = "".join(f"<dt>{escape(n)}</dt><dd>{escape(value)}</dd>" for n, value in facts.items())
    drawn = "".join(f"<section>{chart}</section>\n" for chart in charts(asked))
    every = [*more, *tables(asked, watched=watched, opened=opened)]
    shown = "".join(table_html(each) for each in every if each.rows)
    shown = shown or "<p>Nothing was asked.</p>"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n<dl>{told}</dl>\n{drawn}{shown}</body></html>\n"
    )


def style() -> str:
    """Return how a page of figures looks."""
    return _STYLE


def charts(asked: Sequence[Asked]) -> tuple[str, ...]:
    """Return the plots of a run as SVG; those with nothing in them are left out."""
    return (
        *_outcomes(asked),
        *_risk(asked),
        *_reliability(asked),
        *_sweeps(asked),
        *_latency(asked),
    )


def _outcomes(asked: Sequence[Asked]) -> list[str]:
    drawn = []
    for name, held in grouped(asked, lambda one: scene(one.cell)).items():
        made = _by_attack(held)
        accuracy = {
            attack: {system: _span(each.accuracy.all) for system, each in its.items()}
            for attack, its in made.items()
        }
        strict = {
            attack: {system: _span(each.strict.all) for system, each in its.items() if each.strict}
            for attack, its in made.items()
        }
        drawn.append(spans(f"Accuracy: {name}", accuracy, across="accuracy", per_cent=True))
        drawn.append(
            spans(f"Strict success: {name}", strict, across="attack success", per_cent=True)
        )
    return drawn


def _by_attack(asked: Sequence[Asked]) -> dict[str, dict[str, Figures]]:
    made: dict[str, dict[str, Figures]] = {}
    for (cell, system), held in grouped(asked, lambda one: (one.cell, one.system)).items():
        made.setdefault(_attack(cell), {})[system] = figures(held)
    return made


def _attack(cell: Cell) -> str:
    return f"{cell.attack}, B = {cell.b}" if cell.b else cell.attack


def _risk(asked: Sequence[Asked]) -> list[str]:
    drawn = []
    for side, held in sides(asked).items():
        by_system = grouped(held, lambda one: one.system)
        series = {
            system: [(point.coverage, point.risk) for point in curve]
            for system, its in by_system.items()
            if (curve := risk_coverage(its))
        }
        if series:
            drawn.append(
                unit_lines(
                    f"Risk at a coverage, {side}",
                    series,
                    across="questions answered, the best-scored first",
                    up="wrong among them",
                    marked=False,
                )
            )
    return drawn


def _reliability(asked: Sequence[Asked]) -> list[str]:
    drawn = []
    for side, held in sides(asked).items():
        by_system = grouped(held, lambda one: one.system)
        for kind, measured in (("cross-fitted", cross_fitted), ("as returned", as_returned)):
            series = {
                system: [(each.confidence, each.right) for each in made.bins]
                for system, its in by_system.items()
                if (made := measured(its))
            }
            if series:
                drawn.append(
                    unit_lines(
                        f"Reliability, {side}, confidence {kind}",
                        series,
                        across="confidence (bins of equal mass)",
                        up="right",
                        diagonal=True,
                    )
                )
    return drawn


def _sweeps(asked: Sequence[Asked]) -> list[str]:
    """Draw each attack that was run at several established shares."""
    measures: tuple[tuple[str, Callable[[Figures], Rate | None]], ...] = (
        ("accuracy", lambda made: made.accuracy.all),
        ("strict success", lambda made: made.strict.all if made.strict else None),
    )
    drawn = []
    by_place = grouped(asked, lambda one: (_attack(one.cell), one.cell.provenance, one.cell.stage))
    for (attack, provenance, stage), held in by_place.items():
        if len({one.cell.share for one in held}) < _SWEPT:
            continue
        by_system = grouped(held, lambda one: one.system)
        for name, measure in measures:
            series = {system: _swept(its, measure) for system, its in by_system.items()}
            drawn.append(
                unit_lines(
                    f"{name}: {attack}, {provenance}, {stage}",
                    {system: swept for system, swept in series.items() if swept},
                    across="clean passages from established origins",
                    up=name,
                )
            )
    return drawn


def _swept(
    asked: Sequence[Asked], measure: Callable[[Figures], Rate | None]
) -> list[tuple[float, float]]:
    made = {
        cell.share: measure(figures(held))
        for cell, held in grouped(asked, lambda one: one.cell).items()
    }
    return [(share, each.share) for share, each in sorted(made.items()) if each and each.total]


def _latency(asked: Sequence[Asked]) -> list[str]:
    made = {
        system: Span(low=each.p50, value=each.p50, high=each.p95)
        for system, held in grouped(asked, lambda one: one.system).items()
        if (each := latency([one.seconds for one in held]))
    }
    if not made:
        return []
    return [spans("Latency: median, and up to p95", {"": made}, across="seconds", per_cent=False)]


def _span(rate: Rate) -> Span:
    return Span(low=rate.low, value=rate.share, high=rate.high)


def table_html(each: Table) -> str:
    """Return a table as a section of a page; all text is escaped."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in each.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in each.rows
    )
    return (
        f"<section><h2>{escape(each.title)}</h2><p>{escape(each.note)}</p>\n"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>\n"
    )
