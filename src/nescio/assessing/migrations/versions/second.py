"""Indexes that keep the next item fast among 100,000."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0002", "0001"


def upgrade() -> None:
    """Make the indexes."""
    op.create_index(
        "units_open",
        "units",
        ["rank"],
        sqlite_where=sa.text("taken < times"),
        postgresql_where=sa.text("taken < times"),
    )
    op.create_index("claims_person", "claims", ["person", "done"])
