from __future__ import annotations

from tests.services import valkey_url

__all__ = ["valkey_url"]
