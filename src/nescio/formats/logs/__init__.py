"""Logs of evaluation tools, which have graded the answers already."""
