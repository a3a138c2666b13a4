"""What a run gave where that is not what a screen shows, and which answers no run gives any more."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0004", "0003"


def upgrade() -> None:
    """Add the columns; all that is there is asked as before."""
    op.add_column("items", sa.Column("given", sa.JSON(none_as_null=True)))
    op.add_column("items", sa.Column("gone", sa.Integer, nullable=False, server_default="0"))
