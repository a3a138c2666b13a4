"""Definition questions of TREC: nuggets that assessors find in a response, and automatic matching (POURPRE).

`scoring.py` has the nouns and what becomes of them, `pourpre.py` the matching, and `columns.py` and `measures*.py` what
is measured. `reader.py`, `nuggetizer.py` and `counts.py` are three formats of files. `definitions.py` is a system.
"""
