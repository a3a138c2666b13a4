"""Tasks with rules of their own, a folder each: nouns, columns, and how files' contents become Evidence.

To import this package is to know every task's columns (`columns.py` in its folder).
"""

from importlib import import_module
from pkgutil import iter_modules

for _task in iter_modules(__path__):
    import_module(f"{__name__}.{_task.name}.columns")
