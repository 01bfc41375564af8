"""Lists the licence of every locked package in `docs/licences.md`, and says which may not be used.

    .venv/bin/python -m scripts.licences            # look; exit code 1 where something is wrong
    .venv/bin/python -m scripts.licences --write    # write the page anew

What is installed is asked what it says of itself; run it in the environment of an extra too and
the page keeps both. A package that no environment had yet is listed as not looked at.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "licences.md"
PROJECT: Final = "mithridate"
UNSEEN: Final = "not looked at"

PERMISSIVE: Final = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "CNRI-Python",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "MPL-2.0",
        "PSF-2.0",
        "Public-Domain",
        "Zlib",
    }
)
"""For what a user of Mithridate installs. MPL-2.0 binds changes of its own files alone."""

ALSO: Final[Mapping[str, str]] = {
    "psycopg": "LGPL-3.0-only",  # unchanged, an extra of its own, replaceable by whoever installs it
    "psycopg-binary": "LGPL-3.0-only",
}
FOR_DEVELOPMENT: Final = frozenset({"GPL-3.0", "LGPL-3.0-only"})
"""Programs and libraries that tests run, and that nothing of ours contains."""

_SPELLINGS: Final[Mapping[str, str]] = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd license": "BSD",
    "bsd-3-clause and public-domain": "BSD-3-Clause AND Public-Domain",
    "bsd-3-clause, apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "dual license": "BSD OR Apache-2.0",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "new bsd": "BSD-3-Clause",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
_SAID_ELSEWHERE: Final[Mapping[str, str]] = {
    "promql-parser": "MIT",  # its metadata says nothing; the LICENSE file that it ships does
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One locked package, what it says its licence is, and what of ours brings it."""

    name: str
    licence: str
    brought_by: tuple[str, ...]

    @property
    def problem(self) -> str | None:
        """What is wrong with using it; None where nothing is."""
        if self.licence == UNSEEN:
            return None
        allowed = PERMISSIVE
        if self.name in ALSO:
            allowed |= {ALSO[self.name]}
        if set(self.brought_by) <= {"dev", "bench"}:
            allowed |= FOR_DEVELOPMENT
        if _satisfied(self.licence, allowed):
            return None
        return f"{self.name}: {self.licence!r} is not among the licences that may be used"


def locked(lock: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return every locked package with the parts of the project that bring it, sorted."""
    packages = {package["name"]: package for package in lock["package"]}
    ours = packages[PROJECT]
    parts = {
        "core": ours["dependencies"],
        **ours.get("optional-dependencies", {}),
        **ours.get("dev-dependencies", {}),
    }
    brought: dict[str, set[str]] = {}
    for part, direct in parts.items():
        for name in _closure(direct, packages):
            brought.setdefault(name, set()).add(part)
    return {
        name: ("core",) if "core" in found else tuple(sorted(found))
        for name, found in sorted(brought.items())
    }


def packages(lock: Mapping[str, Any], *, known: Mapping[str, str]) -> list[Package]:
    """Return every locked package; one that is not installed is as it is `known`, else unseen."""
    versions = {(package["name"], package.get("version")) for package in lock["package"]}
    installed = {
        name: licence_of(one)
        for one in distributions()
        if ((name := normal(one.metadata["Name"])), one.version) in versions
    }
    return [
        Package(
            name=name,
            licence=installed.get(name, known.get(name, UNSEEN)),
            brought_by=brought_by,
        )
        for name, brought_by in locked(lock).items()
    ]


def licence_of(distribution: Distribution) -> str:
    """Return what a distribution says its licence is, in SPDX's spelling where it is known."""
    metadata = distribution.metadata
    name = normal(metadata["Name"])
    if name in _SAID_ELSEWHERE:
        return _SAID_ELSEWHERE[name]
    expression = metadata.get("License-Expression")
    if expression:
        return str(expression)
    field = (metadata.get("License") or "").strip().partition("\n")[0].strip()
    if field not in ("", "UNKNOWN", "BSD") and not field.startswith("Copyright"):
        return _SPELLINGS.get(field.lower(), field)
    told = [
        _SPELLINGS.get(each.rpartition("::")[2].strip().lower(), each)
        for each in metadata.get_all("Classifier", [])
        if each.startswith("License ::") and "DFSG" not in each
    ]
    return " AND ".join(sorted(set(told))) or field or "says nothing"


def page(found: list[Package]) -> str:
    """Return the page, the same for the same packages."""
    lines = [
        "# Licences",
        "",
        "What each locked package says of itself. Written by `make licences`; "
        "`scripts/licences.py` says which",
        "licences may be used, and a test that nothing else is. Ours is Apache-2.0; model files: "
        "[NOTICE](../NOTICE).",
        "",
        f"`{UNSEEN}`: no environment in which this was written had it. The two of `core` are for "
        "other platforms.",
        "",
        "| package | licence | brought by |",
        "|---|---|---|",
    ]
    rows = (f"| {one.name} | {one.licence} | {', '.join(one.brought_by)} |" for one in found)
    return "\n".join([*lines, *rows]) + "\n"


def known_of(text: str) -> dict[str, str]:
    """Return the licences that a page lists, by package."""
    return dict(re.findall(r"(?m)^\| (?!package )([\w.-]+) \| ([^|]+) \| [^|]+ \|$", text))


def read_lock() -> dict[str, Any]:
    with (ROOT / "uv.lock").open("rb") as file:
        return tomllib.load(file)


def main() -> int:
    """Look at every package, and write the page if asked to."""
    parser = argparse.ArgumentParser(prog="licences", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/licences.md anew")
    arguments = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    found = packages(read_lock(), known=known_of(before))
    problems = [one.problem for one in found if one.problem is not None]
    if arguments.write:
        PAGE.write_text(page(found), encoding="utf-8")
    elif page(found) != before:
        problems.append("docs/licences.md is not as it should be: run `make licences`")
    unseen = sum(one.licence == UNSEEN for one in found)
    sys.stdout.write(f"{len(found)} packages, {unseen} not looked at\n")
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if problems else 0


def _closure(direct: list[dict[str, Any]], packages: Mapping[str, Any]) -> Iterator[str]:
    waiting = [(one["name"], tuple(one.get("extra", ()))) for one in direct]
    seen: set[tuple[str, str | None]] = set()
    while waiting:
        name, extras = waiting.pop()
        for extra in (None, *extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            package = packages[name]
            wanted = (
                package.get("dependencies", [])
                if extra is None
                else package.get("optional-dependencies", {}).get(extra, [])
            )
            waiting += [(one["name"], tuple(one.get("extra", ()))) for one in wanted]
    yield from {name for name, _ in seen}


def _satisfied(expression: str, allowed: frozenset[str]) -> bool:
    """Tell whether the licences allowed are enough: one side of an OR, both of an AND."""
    for word, enough in (("OR", any), ("AND", all)):
        sides = _parted(expression, word)
        if len(sides) > 1:
            return enough(_satisfied(side, allowed) for side in sides)
    inner = expression.strip()
    if inner.startswith("(") and inner.endswith(")"):
        return _satisfied(inner[1:-1], allowed)
    return inner in allowed


def _parted(expression: str, word: str) -> list[str]:
    """Return the sides of the operators of one kind that stand outside all brackets."""
    sides: list[list[str]] = [[]]
    depth = 0
    for part in re.findall(r"[()]|[^\s()]+", expression):
        depth += (part == "(") - (part == ")")
        if part == word and depth == 0:
            sides.append([])
        else:
            sides[-1].append(part)
    return [" ".join(side) for side in sides]


def normal(name: str) -> str:
    """Return a package's name as uv.lock spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
