"""What a near-duplicate index is rebuilt from: exact digest, passages, and how they were made.

Rows of before have none of it; they are made again from the text when an index is rebuilt.

Revision ID: 0002
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0002"
down_revision: Final = "0001"


def upgrade() -> None:
    op.add_column("signatures", sa.Column("scheme", sa.Text()))
    op.add_column("signatures", sa.Column("exact", sa.LargeBinary()))
    op.add_column("signatures", sa.Column("passages", sa.LargeBinary()))
    op.add_column("signatures", sa.Column("sampled", sa.Integer()))


def downgrade() -> None:
    for column in ("sampled", "passages", "exact", "scheme"):
        op.drop_column("signatures", column)
