"""Suppressions, publishers and their editions, versions of documents, and what is scanned again.

Revision ID: 0003
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0003"
down_revision: Final = "0002"

TABLES: Final = ("editions", "suppressions", "publisher_keys", "publications")
COLUMNS: Final = {
    "documents": ("rescans", "signature", "version", "logical_id"),
    "assessments": ("decisive",),
    "findings": ("suppressed_by",),
    "origins": ("open_write",),
}


def upgrade() -> None:
    op.add_column("documents", sa.Column("logical_id", sa.Text()))
    op.add_column("documents", sa.Column("version", sa.BigInteger()))
    op.add_column("documents", sa.Column("signature", sa.Text()))
    op.add_column(
        "documents", sa.Column("rescans", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column("assessments", sa.Column("decisive", sa.Text()))
    op.add_column("findings", sa.Column("suppressed_by", sa.Text()))
    op.add_column("origins", sa.Column("open_write", sa.Boolean()))
    _replace_live_bytes("status NOT IN ('deleted', 'superseded')")
    op.create_index(
        "ix_documents_origin",
        "documents",
        ["tenant_id", "origin_kind", "origin_id", "received_at"],
    )
    op.create_index("ix_documents_held", "documents", ["status", "reason", "decided_at"])
    _create_editions()
    _create_suppressions()
    _create_publishers()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    # What was replaced is gone in the older schema, which knows no better word for it.
    op.execute("UPDATE documents SET status = 'deleted' WHERE status = 'superseded'")
    op.drop_index("ix_documents_held", "documents")
    op.drop_index("ix_documents_origin", "documents")
    _replace_live_bytes("status <> 'deleted'")
    for table, columns in COLUMNS.items():
        for column in columns:
            op.drop_column(table, column)


def _replace_live_bytes(condition: str) -> None:
    op.drop_index("uq_documents_live_bytes", "documents")
    op.create_index(
        "uq_documents_live_bytes",
        "documents",
        ["tenant_id", "sha256", "origin_kind", "origin_id"],
        unique=True,
        sqlite_where=sa.text(condition),
        postgresql_where=sa.text(condition),
    )


def _create_editions() -> None:
    op.create_table(
        "editions",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("served", sa.Boolean(), nullable=False),
        sa.Column("signature", sa.LargeBinary()),
        sa.Column("statements", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_editions_document_id"),
        sa.PrimaryKeyConstraint("document_id", name="pk_editions"),
    )
    op.create_index("ix_editions_received", "editions", ["received_at"])


def _create_suppressions() -> None:
    op.create_table(
        "suppressions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("origin_kind", sa.Text(), nullable=False),
        sa.Column("origin_id", sa.Text(), nullable=False),
        sa.Column("sentences", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_suppressions"),
    )
    op.create_index(
        "ix_suppressions_origin", "suppressions", ["tenant_id", "origin_kind", "origin_id"]
    )


def _create_publishers() -> None:
    op.create_table(
        "publisher_keys",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("publisher", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("tenant_id", "publisher", "id", name="pk_publisher_keys"),
    )
    op.create_table(
        "publications",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("publisher", sa.Text(), nullable=False),
        sa.Column("logical_id", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "publisher", "logical_id", name="pk_publications"),
    )
