"""What was said of each alert, silences, the review queue, sinks, and a secret being changed.

Alerts that are there were told of by the code before this; of those that fire the end is left to tell.

Revision ID: 0007
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0007"
down_revision: Final = "0006"

_UNSETTLED: Final = "NOT settled"


def upgrade() -> None:
    with op.batch_alter_table("alerts") as table:
        for name in ("began_type", "began", "ended_type", "ended", "acknowledged_by"):
            table.add_column(sa.Column(name, sa.Text()))
        table.add_column(sa.Column("notices", sa.Integer(), nullable=False, server_default="1"))
        table.add_column(sa.Column("notified_at", sa.BigInteger()))
        table.add_column(sa.Column("settled", sa.Boolean(), nullable=False, server_default="1"))
        table.add_column(sa.Column("acknowledged_at", sa.BigInteger()))
    op.execute(
        "UPDATE alerts SET notified_at = starts_at, began_type = 'alert.firing', began = '{}', "
        "settled = (status <> 'firing')"
    )
    with op.batch_alter_table("alerts") as table:
        table.alter_column("notices", existing_type=sa.Integer(), server_default=None)
        table.alter_column("settled", existing_type=sa.Boolean(), server_default=None)
    op.create_index(
        "ix_alerts_standing",
        "alerts",
        ["tenant_id"],
        sqlite_where=sa.text(_UNSETTLED),
        postgresql_where=sa.text(_UNSETTLED),
    )
    with op.batch_alter_table("webhooks") as table:
        table.add_column(sa.Column("kind", sa.Text(), nullable=False, server_default="webhook"))
        table.add_column(sa.Column("former_secret", sa.Text()))
        table.add_column(sa.Column("former_until", sa.BigInteger()))
    _create_silences()
    _create_reviews()


def downgrade() -> None:
    op.drop_table("reviews")
    op.drop_table("silences")
    op.execute(
        "DELETE FROM deliveries WHERE webhook_id IN "
        "(SELECT id FROM webhooks WHERE kind <> 'webhook')"
    )
    op.execute("DELETE FROM webhooks WHERE kind <> 'webhook'")
    with op.batch_alter_table("webhooks") as table:
        for name in ("kind", "former_secret", "former_until"):
            table.drop_column(name)
    op.drop_index("ix_alerts_standing", "alerts")
    with op.batch_alter_table("alerts") as table:
        for name in (
            "began_type",
            "began",
            "ended_type",
            "ended",
            "notices",
            "notified_at",
            "settled",
            "acknowledged_at",
            "acknowledged_by",
        ):
            table.drop_column(name)


def _create_silences() -> None:
    op.create_table(
        "silences",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("matchers", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_silences"),
    )
    op.create_index("ix_silences_tenant", "silences", ["tenant_id", "created_at"])


def _create_reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("alert_id", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("reach", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("closed_by", sa.Text()),
        sa.PrimaryKeyConstraint("tenant_id", "question_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_principal", "reviews", ["tenant_id", "principal"])
