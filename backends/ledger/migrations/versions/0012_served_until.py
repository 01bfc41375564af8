"""When a document stopped serving, so that what is deleted late is still remembered.

Revision ID: 0012
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0012"
down_revision: Final = "0011"


def upgrade() -> None:
    op.add_column("editions", sa.Column("served_until", sa.BigInteger()))
    op.create_index("ix_editions_gone", "editions", ["tenant_id", "served_until"])


def downgrade() -> None:
    op.drop_index("ix_editions_gone", "editions")
    op.drop_column("editions", "served_until")
