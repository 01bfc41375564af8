"""A tuning run as tables, JSON and one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from evaluation.charts import Span, points, spans
from evaluation.rates import percent
from evaluation.redteam.confidences import OperatingPoint
from evaluation.redteam.html_report import style, table_html
from evaluation.redteam.report_tables import Table
from evaluation.tuning import Verdict, by_m, frontier
from evaluation.tuning_bench import Measured

_HEAD = (
    "setting", "n", "right", "planted answers", "s (median)", "words read", "tau at 90% coverage",
    "tau at 90% precision", "answered there", "right drafts", "some right", "selected", "alike",
    "picks",
)  # fmt: skip


def tables(measured: Sequence[Measured]) -> tuple[Table, ...]:
    """Return all settings, the frontier, and what m alone changes."""
    note = "Shares with Wilson 95% intervals; every score let pass. Words: what the drafts of a question read."
    return tuple(
        Table(title=title, note=note, head=_HEAD, rows=tuple(_row(one) for one in held), brief=True)
        for title, held in (
            ("Settings", measured),
            ("Pareto frontier of right answers, seconds and words", frontier(measured)),
            ("Sensitivity to m", by_m(measured)),
        )
    )


def lines(told: Verdict) -> tuple[str, ...]:
    """Return what to say of speculation, a sentence a line."""
    found = [f"settings in force: {told.base}"]
    if told.difference is not None:
        each = told.difference
        found.append(
            f"right answers less those of standard RAG, on the same {each.n} questions: "
            f"{100 * each.difference:+.0f} points ({100 * each.low:+.0f} to {100 * each.high:+.0f})"
        )
    found += [f"for speculation: {why}" for why in told.favour]
    found += [f"against speculation: {why}" for why in told.against]
    found.append("speculation pays here" if told.pays else "speculation does not pay here")
    return tuple(found)


def to_json(
    measured: Sequence[Measured], told: Verdict, facts: Mapping[str, str]
) -> dict[str, object]:
    """Return everything as one object, shares in [0, 1]."""
    best = {one.name for one in frontier(measured)}
    return {
        "settings": [{**_json(one), "pareto": one.name in best} for one in measured],
        "sensitivity_to_m": [
            {"m": one.setting.m, "right": one.right.share} for one in by_m(measured) if one.setting
        ],
        "speculation": {
            "base": told.base,
            "pays": told.pays,
            "favour": list(told.favour),
            "against": list(told.against),
            "difference": told.difference.difference if told.difference else None,
            "difference_interval": [told.difference.low, told.difference.high]
            if told.difference
            else None,
        },
        "facts": dict(facts),
    }


def page(measured: Sequence[Measured], told: Verdict, facts: Mapping[str, str]) -> str:
    """Return the page; all text is escaped, and nothing in it is fetched."""
    most = max(one.words for one in measured) or 1.0
    charts = [
        points(
            "Pareto frontier: right answers against words read",
            {one.name: (one.words / most, one.right.share) for one in frontier(measured)},
            across=f"words read, of {most:.0f}",
            up="right",
        ),
        spans(
            "Sensitivity to m",
            {
                "": {
                    f"m = {one.setting.m}": Span(
                        low=one.right.low, value=one.right.share, high=one.right.high
                    )
                    for one in by_m(measured)
                    if one.setting
                }
            },
            across="right",
            per_cent=True,
        ),
    ]
    made_by = "".join(f"<dt>{escape(n)}</dt><dd>{escape(text)}</dd>" for n, text in facts.items())
    said = "".join(f"<p>{escape(line)}</p>" for line in lines(told))
    shown = "".join(f"<section>{chart}</section>" for chart in charts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Tuning</title>\n'
        f"<style>{style()}</style></head>\n<body><h1>Tuning</h1>\n<dl>{made_by}</dl>\n{said}\n"
        f"{shown}\n{''.join(table_html(each) for each in tables(measured))}</body></html>\n"
    )


def _row(one: Measured) -> tuple[str, ...]:
    return (
        one.name,
        str(one.right.total),
        percent(one.right),
        percent(one.strict) if one.strict else "-",
        f"{one.seconds:.3f}",
        f"{one.words:.0f}",
        _tau(one.wide),
        _tau(one.sure),
        f"{one.sure.answered} of {one.sure.asked}" if one.sure else "-",
        percent(one.draft_right),
        percent(one.possible),
        percent(one.selected),
        f"{one.alike:.2f}" if one.alike is not None else "-",
        " ".join(f"{number}:{count}" for number, count in one.picks.items()) or "-",
    )


def _tau(point: OperatingPoint | None) -> str:
    if point is None or point.threshold is None:
        return "-"
    return f"{point.threshold:.3f}" + ("" if point.reached else " (not reached)")


def _json(one: Measured) -> dict[str, object]:
    setting = one.setting
    return {
        "name": one.name,
        "m": setting.m if setting else None,
        "k": setting.k if setting else None,
        "retrieved": setting.limit if setting else None,
        "partition": setting.partition if setting else None,
        "cross_examination": setting.cross_examination if setting else None,
        "drafter": setting.drafter if setting else None,
        "verifier": setting.verifier if setting else None,
        "n": one.right.total,
        "right": one.right.share,
        "right_interval": [one.right.low, one.right.high],
        "strict_asr": one.strict.share if one.strict else None,
        "seconds_p50": one.seconds,
        "words": one.words,
        "tau_coverage_90": one.wide.threshold if one.wide else None,
        "tau_precision_90": one.sure.threshold if one.sure else None,
        "coverage_at_precision_90": one.sure.coverage if one.sure else None,
        "right_drafts": one.draft_right.share if one.draft_right.total else None,
        "some_draft_right": one.possible.share,
        "selected_right": one.selected.share if one.selected.total else None,
        "drafts_alike": one.alike,
        "picks": {str(number): count for number, count in one.picks.items()},
    }
