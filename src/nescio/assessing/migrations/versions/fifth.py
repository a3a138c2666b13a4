"""What else is known of a question, such as its type: within that, too, an organiser sees how far people agree."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0005", "0004"


def upgrade() -> None:
    """Add the column; of the questions that are there nothing else is known."""
    op.add_column("units", sa.Column("strata", sa.JSON, nullable=False, server_default="{}"))
