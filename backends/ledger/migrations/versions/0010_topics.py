"""Topics that an administrator defines, aliases of merged ones, and whom an alert suspects.

Revision ID: 0010
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0010"
down_revision: Final = "0009"


def upgrade() -> None:
    op.create_table(
        "topic_definitions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_topic_definitions"),
    )
    op.create_index("ix_topic_definitions_tenant", "topic_definitions", ["tenant_id", "created_at"])
    with op.batch_alter_table("topics") as table:
        table.add_column(sa.Column("merged_into", sa.Text()))
    with op.batch_alter_table("alerts") as table:
        table.add_column(sa.Column("suspects", sa.Text(), nullable=False, server_default="[]"))
    with op.batch_alter_table("alerts") as table:
        table.alter_column("suspects", existing_type=sa.Text(), server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("alerts") as table:
        table.drop_column("suspects")
    with op.batch_alter_table("topics") as table:
        table.drop_column("merged_into")
    op.drop_table("topic_definitions")
