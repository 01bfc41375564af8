from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, running_stack


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One stack for every test that does it no harm."""
    with running_stack(tmp_path_factory.mktemp("stack") / "data") as running:
        yield running
