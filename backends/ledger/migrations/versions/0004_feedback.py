"""What people say of answers.

Revision ID: 0004
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0004"
down_revision: Final = "0003"


def upgrade() -> None:
    op.create_table(
        "feedback",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text()),
        sa.Column("comment", sa.Text()),
        sa.Column("label", sa.Boolean(), nullable=False),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["question_id"], ["questions.id"], name="fk_feedback_question_id"),
        sa.PrimaryKeyConstraint("question_id", "author", name="pk_feedback"),
    )


def downgrade() -> None:
    op.drop_table("feedback")
