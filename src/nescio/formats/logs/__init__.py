"""Logs of evaluation tools, whose answers are graded already."""
