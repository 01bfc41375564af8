"""Which question's kept answer a question was given again.

Revision ID: 0011
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0011"
down_revision: Final = "0010"


def upgrade() -> None:
    op.add_column("questions", sa.Column("again_of", sa.Text()))
    op.create_index("ix_questions_again_of", "questions", ["tenant_id", "again_of"])


def downgrade() -> None:
    op.drop_index("ix_questions_again_of", "questions")
    op.drop_column("questions", "again_of")
