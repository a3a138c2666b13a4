"""Known answers for training and control, a judge's grades, and how topics were drawn."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "0003", "0002"


def upgrade() -> None:
    """Add the columns; what is there is judged as before."""
    op.add_column("units", sa.Column("part", sa.Text, nullable=False, server_default=""))
    op.add_column("units", sa.Column("inclusion", sa.Float))
    for name in ("known", "why", "grade"):
        op.add_column("items", sa.Column(name, sa.Text, nullable=False, server_default=""))
