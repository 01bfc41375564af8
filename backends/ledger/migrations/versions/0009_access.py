"""API keys that lapse, are rotated, are limited, and say when they were last used.

Revision ID: 0009
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0009"
down_revision: Final = "0008"

_COLUMNS: Final = {
    "expires_at": sa.BigInteger,
    "last_used_at": sa.BigInteger,
    "requests_per_minute": sa.Integer,
    "former_sha256": sa.Text,
    "former_until": sa.BigInteger,
}


def upgrade() -> None:
    for name, kind in _COLUMNS.items():
        op.add_column("api_keys", sa.Column(name, kind()))


def downgrade() -> None:
    with op.batch_alter_table("api_keys") as keys:
        for name in _COLUMNS:
            keys.drop_column(name)
