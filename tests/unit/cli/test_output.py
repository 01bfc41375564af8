from __future__ import annotations

import pytest

from gateway.cli.output import table

DOCUMENT = "doc_06h2mba8b856x5bfqysk9gtcwn"
SUPPRESSION = "sup_06h2mc7wsf7m9pj8xe9dq5wf20"


@pytest.mark.parametrize("columns", ["80", "100", "200"])
def test_ids_are_never_folded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    long = "a reason of very many words " * 6

    table(
        ("id", "rule", "origin", "document", "span", "until", "removed", "reason"),
        [(SUPPRESSION, "hidden-text.html-x", "uploader:local", DOCUMENT, "1-2", "-", "-", long)],
    )

    out = capsys.readouterr().out
    assert SUPPRESSION in out
    assert DOCUMENT in out


def test_a_long_cell_goes_on_in_the_next_line_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    words = [f"word{number}" for number in range(60)]

    table(("id", "message"), [(DOCUMENT, " ".join(words))])

    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert [word for word in out.split() if word.startswith("word")] == words


@pytest.mark.parametrize(("title", "expected"), [("", "none\n"), ("Findings", "Findings: none\n")])
def test_no_rows_are_said_to_be_none(
    capsys: pytest.CaptureFixture[str], title: str, expected: str
) -> None:
    table(("rule", "level"), [], title=title)

    assert capsys.readouterr().out == expected
