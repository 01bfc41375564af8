"""The tables of the first release, and the triggers that keep the journal append-only.

Revision ID: 0001
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None

TABLES: Final = (
    "signatures",
    "findings",
    "assessments",
    "observations",
    "documents",
    "claims",
    "outbox",
    "journal",
    "origins",
    "api_keys",
    "questions",
    "topics",
    "monitor_states",
    "alerts",
    "webhooks",
    "deliveries",
)


def upgrade() -> None:
    _create_documents()
    _create_claims()
    _create_assessments()
    _create_findings()
    _create_signatures()
    _create_outbox()
    _create_journal()
    _create_origins()
    _create_api_keys()
    _create_questions()
    _create_observations()
    _create_topics()
    _create_monitor_states()
    _create_alerts()
    _create_webhooks()
    _create_deliveries()
    _protect_journal()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_journal_change()")


def _protect_journal() -> None:
    """Refuse every change of a journal row, whoever asks; in PostgreSQL truncation too."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION refuse_journal_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER journal_no_{change.lower()} BEFORE {change} ON journal "
            "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        )


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("origin_kind", sa.Text(), nullable=False),
        sa.Column("origin_id", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.Text()),
        sa.Column("file_name", sa.Text()),
        sa.Column("title", sa.Text()),
        sa.Column("source_uri", sa.Text()),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("trust", sa.Double()),
        sa.Column("policy_version", sa.Text()),
        sa.Column("decided_at", sa.BigInteger()),
        sa.Column("decided_by", sa.Text()),
        sa.Column("admitted_at", sa.BigInteger()),
        sa.Column("family_id", sa.Text()),
        sa.Column("voting", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
    )
    op.create_index("ix_documents_family", "documents", ["tenant_id", "family_id"])
    op.create_index("ix_documents_newest", "documents", ["tenant_id", "received_at", "id"])
    op.create_index(
        "ix_documents_status", "documents", ["tenant_id", "status", "received_at", "id"]
    )
    op.create_index("ix_documents_touched", "documents", ["status", "touched_at"])
    op.create_index(
        "uq_documents_live_bytes",
        "documents",
        ["tenant_id", "sha256", "origin_kind", "origin_id"],
        unique=True,
        sqlite_where=sa.text("status <> 'deleted'"),
        postgresql_where=sa.text("status <> 'deleted'"),
    )


def _create_claims() -> None:
    op.create_table(
        "claims",
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key_id", "key", name="pk_claims"),
    )


def _create_assessments() -> None:
    op.create_table(
        "assessments",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=False),
        sa.Column("risk", sa.Double(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Text(), nullable=False),
        sa.Column("contributions", sa.Text(), nullable=False),
        sa.Column("completed", sa.Text(), nullable=False),
        sa.Column("unavailable", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_assessments_document_id"
        ),
        sa.PrimaryKeyConstraint("document_id", name="pk_assessments"),
    )


def _create_findings() -> None:
    op.create_table(
        "findings",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("detector", sa.Text(), nullable=False),
        sa.Column("risk", sa.Double(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger()),
        sa.Column("end", sa.BigInteger()),
        sa.Column("locator", sa.Text()),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name="fk_findings_document_id"),
        sa.PrimaryKeyConstraint("document_id", "ordinal", name="pk_findings"),
    )
    op.create_index("ix_findings_rule", "findings", ["detector", "rule", "document_id"])


def _create_signatures() -> None:
    op.create_table(
        "signatures",
        sa.Column("document_id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_signatures_document_id"
        ),
        sa.PrimaryKeyConstraint("document_id", name="pk_signatures"),
    )
    op.create_index("ix_signatures_tenant", "signatures", ["tenant_id"])


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("published_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_outbox_pending",
        "outbox",
        ["id"],
        sqlite_where=sa.text("published_at IS NULL"),
        postgresql_where=sa.text("published_at IS NULL"),
    )


def _create_journal() -> None:
    op.create_table(
        "journal",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object_kind", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_journal"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_journal_object", "journal", ["tenant_id", "object_id", "seq"])
    op.create_index("ix_journal_tenant", "journal", ["tenant_id", "seq"])


def _create_origins() -> None:
    op.create_table(
        "origins",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("established", sa.Boolean(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "kind", "id", name="pk_origins"),
    )


def _create_api_keys() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_sha256", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("origin_kind", sa.Text()),
        sa.Column("origin_id", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
    )
    op.create_index("ix_api_keys_tenant", "api_keys", ["tenant_id"])


def _create_questions() -> None:
    op.create_table(
        "questions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("trace", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_questions"),
    )
    op.create_index("ix_questions_newest", "questions", ["tenant_id", "outcome", "asked_at", "id"])


def _create_observations() -> None:
    op.create_table(
        "observations",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("topic_id", sa.Text(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("question_key", sa.Text(), nullable=False),
        sa.Column("observed_at", sa.BigInteger(), nullable=False),
        sa.Column("disagreement", sa.Double(), nullable=False),
        sa.Column("entropy", sa.Double(), nullable=False),
        sa.Column("agreement", sa.Double(), nullable=False),
        sa.Column("margin", sa.Double(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("answer_group", sa.Text()),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("m", sa.Integer(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("calibration_version", sa.Text()),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name="fk_observations_question_id"
        ),
        sa.PrimaryKeyConstraint("question_id", name="pk_observations"),
    )
    op.create_index(
        "ix_observations_window",
        "observations",
        ["tenant_id", "topic_id", "observed_at", "question_id"],
    )


def _create_topics() -> None:
    op.create_table(
        "topics",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("centroid", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "id", name="pk_topics"),
    )


def _create_monitor_states() -> None:
    op.create_table(
        "monitor_states",
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("topic_id", sa.Text(), nullable=False),
        sa.Column("monitor", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "topic_id", "monitor", name="pk_monitor_states"),
    )


def _create_alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("annotations", sa.Text(), nullable=False),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_alerts"),
    )
    op.create_index("ix_alerts_newest", "alerts", ["tenant_id", "starts_at", "id"])
    op.create_index(
        "uq_alerts_firing",
        "alerts",
        ["tenant_id", "fingerprint"],
        unique=True,
        sqlite_where=sa.text("status = 'firing'"),
        postgresql_where=sa.text("status = 'firing'"),
    )


def _create_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("event_types", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )
    op.create_index("ix_webhooks_tenant", "webhooks", ["tenant_id"])


def _create_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("tenant_id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=False),
        sa.Column("pending", sa.Boolean(), nullable=False),
        sa.Column("delivered_at", sa.BigInteger()),
        sa.Column("last_error", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
    )
    op.create_index("ix_deliveries_due", "deliveries", ["pending", "next_attempt_at"])
    op.create_index("ix_deliveries_webhook", "deliveries", ["webhook_id", "created_at", "id"])
