"""Definition questions of TREC: nuggets that assessors find in a response, and automatic matching (POURPRE).

`scoring.py` has the classes and their conversion to Evidence, `pourpre.py` the matching, and `columns.py` and
`measures*.py` the measures. `reader.py`, `nuggetizer.py` and `counts.py` read three formats of files. `definitions.py`
is a system.
"""
