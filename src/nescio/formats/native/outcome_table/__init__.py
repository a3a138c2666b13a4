"""Outcome tables: one row per answer, already judged."""
