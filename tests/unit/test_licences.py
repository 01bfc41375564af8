"""Nothing is used whose licence may not be, and the page that lists them is as it should be."""

from __future__ import annotations

from importlib.metadata import distributions

import pytest

from scripts.licences import (
    PAGE,
    PROJECT,
    UNSEEN,
    Package,
    known_of,
    locked,
    normal,
    packages,
    page,
    read_lock,
)

LOCK = read_lock()
TEXT = PAGE.read_text(encoding="utf-8")
FOUND = packages(LOCK, known=known_of(TEXT))

FOR_OTHER_PLATFORMS = {"async-timeout", "httpx2-jsfetch"}
"""Python before 3.11.3, and Python in a browser."""
FOR_MODEL_SERVERS = {"vllm", "local-llm"}
"""Extras of servers and compilers that nothing of ours ships or starts."""


def test_every_licence_may_be_used() -> None:
    assert [one.problem for one in FOUND if one.problem is not None] == []


def test_the_page_lists_every_locked_package_as_it_is() -> None:
    assert page(FOUND) == TEXT, "run `make licences`"
    assert set(known_of(TEXT)) == set(locked(LOCK))


def test_only_extras_that_are_nowhere_installed_are_not_looked_at() -> None:
    for one in FOUND:
        if one.licence == UNSEEN and one.name not in FOR_OTHER_PLATFORMS:
            assert set(one.brought_by) <= FOR_MODEL_SERVERS, one


def test_what_is_installed_is_locked() -> None:
    names = {normal(one.metadata["Name"]) for one in distributions()}

    assert names - set(locked(LOCK)) - {PROJECT} == set()


@pytest.mark.parametrize(
    ("licence", "name", "brought_by", "allowed"),
    [
        ("MIT", "a", ("core",), True),
        ("MIT AND Zlib", "a", ("core",), True),
        ("MIT AND GPL-3.0", "a", ("core",), False),
        ("MIT OR GPL-3.0", "a", ("core",), True),
        ("MPL-2.0 AND (GPL-3.0 OR MIT)", "a", ("core",), True),
        ("(MIT OR BSD) AND GPL-3.0", "a", ("core",), False),
        ("GPL-3.0 AND MIT OR MIT", "a", ("core",), True),
        ("GPL-3.0 AND (MIT OR MIT)", "a", ("core",), False),
        ("AGPL-3.0-only", "a", ("dev",), False),
        ("GPL-3.0", "a", ("dev",), True),
        ("GPL-3.0", "a", ("dev", "postgres"), False),
        ("LGPL-3.0-only", "psycopg", ("dev", "postgres"), True),
        ("LGPL-3.0-only", "other", ("dev", "postgres"), False),
        ("says nothing", "a", ("dev",), False),
        ("Commercial", "a", ("core",), False),
        ("", "a", ("core",), False),
    ],
)
def test_which_licences_may_be_used(
    licence: str, name: str, brought_by: tuple[str, ...], allowed: bool
) -> None:
    package = Package(name=name, licence=licence, brought_by=brought_by)

    assert (package.problem is None) == allowed
