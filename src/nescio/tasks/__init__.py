"""Tasks with rules of their own, a folder each: nouns, columns, and how files' contents become Evidence.

To import this package is to know every task's columns (`columns.py` in its folder).
"""

from nescio.registry import import_named

import_named("columns", __name__, __path__)
