"""Systems that answer questions about a story, and can decline: Deep Read, MCTest's baselines, and three simple
systems.

`runs.py` lists the systems and makes their runs; `deep_read.py`, `window.py` and `overlap.py` are the systems.
"""

from nescio.tasks.reading.entities import has_wordnet
from nescio.tasks.reading.systems.runs import SYSTEMS, answer, bundled, write_run

__all__ = ["SYSTEMS", "answer", "bundled", "has_wordnet", "write_run"]
