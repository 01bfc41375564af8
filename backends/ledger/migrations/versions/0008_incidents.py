"""Incidents: what was contained together, by whom, and whether it was undone.

Revision ID: 0008
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0008"
down_revision: Final = "0007"


def upgrade() -> None:
    op.create_table(
        "incidents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_by", sa.Text(), nullable=False),
        sa.Column("documents", sa.Text(), nullable=False),
        sa.Column("confirmable", sa.Text(), nullable=False),
        sa.Column("approved_at", sa.BigInteger()),
        sa.Column("approved_by", sa.Text()),
        sa.Column("contained_at", sa.BigInteger()),
        sa.Column("contained_by", sa.Text()),
        sa.Column("undone_at", sa.BigInteger()),
        sa.Column("undone_by", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
    )
    op.create_index("ix_incidents_tenant", "incidents", ["tenant_id", "opened_at", "id"])


def downgrade() -> None:
    op.drop_table("incidents")
