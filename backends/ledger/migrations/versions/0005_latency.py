"""How long an answer took, and for what kind of asker.

Revision ID: 0005
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0005"
down_revision: Final = "0004"


def upgrade() -> None:
    with op.batch_alter_table("observations") as table:
        table.add_column(
            sa.Column("latency_class", sa.Text(), nullable=False, server_default="interactive")
        )
        table.add_column(sa.Column("seconds", sa.Double(), nullable=False, server_default="0"))
    op.create_index("ix_observations_latest", "observations", ["tenant_id", "observed_at"])


def downgrade() -> None:
    op.drop_index("ix_observations_latest", "observations")
    with op.batch_alter_table("observations") as table:
        table.drop_column("seconds")
        table.drop_column("latency_class")
