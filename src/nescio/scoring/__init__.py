"""Scores with their intervals, and a judge held against people."""
