"""The migrations, in order; Alembic imports them."""
