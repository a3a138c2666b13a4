"""Systems that answer questions about a story, and can decline: Deep Read, MCTest's baselines, and three simple ones.

`runs.py` has them by name and makes runs of them; `deep_read.py`, `window.py` and `overlap.py` are the systems, and
`classes.py` recognises persons, places and times.
"""

from nescio.systems.reading._system import Scored, System
from nescio.systems.reading.classes import has_wordnet
from nescio.systems.reading.deep_read import BY_HAND, SWITCHES, best_sentence, deep_read
from nescio.systems.reading.overlap import option_overlap, sentence_overlap, word_distance
from nescio.systems.reading.runs import SENTENCES, SYSTEMS, answer, bundled, write_run
from nescio.systems.reading.window import random_choice, sliding_window, window_distance

__all__ = [
    "BY_HAND",
    "SENTENCES",
    "SWITCHES",
    "SYSTEMS",
    "Scored",
    "System",
    "answer",
    "best_sentence",
    "bundled",
    "deep_read",
    "has_wordnet",
    "option_overlap",
    "random_choice",
    "sentence_overlap",
    "sliding_window",
    "window_distance",
    "word_distance",
    "write_run",
]
