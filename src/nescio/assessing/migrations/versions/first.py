"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0001", None


def upgrade() -> None:
    """Make the tables."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table("about", sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.JSON, nullable=False))
    op.create_table(
        "units",
        sa.Column("topic", sa.Text, primary_key=True),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("taken", sa.Integer, nullable=False),
        sa.Column("rank", sa.Float, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("topic", sa.Text, sa.ForeignKey("units.topic"), nullable=False, index=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("supports", sa.JSON, nullable=False),
        sa.Column("pool", sa.Integer, nullable=False),
    )
    op.create_table(
        "people",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("languages", sa.JSON, nullable=False),
        sa.Column("token", sa.Text, unique=True),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("cookie", sa.Text, primary_key=True),
        sa.Column("person", sa.Text, sa.ForeignKey("people.name"), nullable=False, index=True),
        sa.Column("csrf", sa.Text, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_table(
        "claims",
        sa.Column("topic", sa.Text, sa.ForeignKey("units.topic"), primary_key=True),
        sa.Column("person", sa.Text, sa.ForeignKey("people.name"), primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("person", sa.Text, sa.ForeignKey("people.name"), nullable=False),
        sa.Column("item", sa.Text, sa.ForeignKey("items.id"), nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("mark", sa.Text, nullable=False),
        sa.Column("pool", sa.Integer, nullable=False),
        sa.Column("guidelines", sa.Text, nullable=False),
        sa.Column("received", sa.Float, nullable=False),
    )
    op.create_index("records_item", "records", ["item", "person"])
