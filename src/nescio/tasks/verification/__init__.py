"""Authorship verification (PAN): is this text by the same author? Scores of 0.5 are silence."""
