"""Selectors that are written to keep a reader busy."""

from __future__ import annotations

import pytest

from ingest.parsers.css_selectors import Subject, selector


class _Said:
    def __init__(self, value: str) -> None:
        self._value = value

    def text(self) -> str:
        return self._value


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "[" + "é" * 5_000 + "!",
        "[" + "\\aaaaaa" * 1_000 + "!",
        "[a" + " " * 5_000 + "!",
        "[a=b" + " " * 5_000 + "!",
        "[" + "-" * 5_000 + "*!",
        "." + "é" * 5_000 + "!",
        "a" + " >" * 5_000,
        ":is(q" * 5_000,
    ],
    ids=["letters", "escapes", "spaces", "value", "dashes", "class", "combinators", "nested"],
)
def test_what_could_be_read_in_many_ways_is_not_tried_in_all_of_them(text: str) -> None:
    """Two ways a letter would be 2 to the 5,000th; the limit of the test is what fails then."""
    found = selector(text)

    assert found is None or not found.matches(Subject("p"), ())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[data-x]", "anything"),
        ("[ data-x = b ]", "b"),
        ('[data-x="b c" i]', "b c"),
        ("[data-x='b's]", "b"),
        ("[*|data-x~=b]", "a b c"),
        ("[svg|data-x^=b]", "bcd"),
        ("[d\\61ta-x|=b]", "b-c"),
    ],
)
def test_attributes_are_read_as_a_browser_reads_them(text: str, value: str) -> None:
    found = selector(text)

    assert found is not None
    assert found.matches(Subject("p", attributes={"data-x": _Said(value)}), ())
    assert not found.matches(Subject("p", attributes={"data-y": _Said(value)}), ())


@pytest.mark.parametrize(("choices", "held"), [(64, False), (65, True)])
def test_a_list_too_long_to_be_tried_is_taken_to_hold(choices: int, *, held: bool) -> None:
    found = selector(f":is({','.join(['q'] * choices)})")

    assert found is not None
    assert found.matches(Subject("p"), ()) is held
