"""Turn files into data that can be scored: `read`, `judge` and `apply`, and `load`, which does all three.

    paths ──read──▶ Read (Unjudged, Outcomes, Evidence or Tally) ──judge──▶ Outcomes ──apply──▶ Loaded

Every command and every function that takes files uses these functions.
"""

from nescio.pipeline.baselines import both_named, check_baseline, deciding, file_of, words_of
from nescio.pipeline.judging import judge, judges_of
from nescio.pipeline.loading import DEFAULT_MEASURES, Loaded, apply, load, load_parts
from nescio.pipeline.options import Options, Reading, ReadingAnswers
from nescio.pipeline.reading import read, read_collection, read_parts
from nescio.pipeline.recognition import only_questions, open_files, recognise

__all__ = [
    "DEFAULT_MEASURES",
    "Loaded",
    "Options",
    "Reading",
    "ReadingAnswers",
    "apply",
    "both_named",
    "check_baseline",
    "deciding",
    "file_of",
    "judge",
    "judges_of",
    "load",
    "load_parts",
    "only_questions",
    "open_files",
    "read",
    "read_collection",
    "read_parts",
    "recognise",
    "words_of",
]
