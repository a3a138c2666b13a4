"""Compute the figures that evaluate-v2.0.py prints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nescio.errors import FormatError
from nescio.sources.opening import open_source
from nescio.tasks.squad.gold import Gold, gold_of, listed_questions, read_gold, shape
from nescio.tasks.squad.predictions import finite_odds, read_predictions
from nescio.tasks.squad.reader import recognise
from nescio.tasks.squad.scores import best, score_texts


def official(gold: Any, predictions: Any, odds: Any = None) -> dict[str, float]:
    """Return the figures that the official script evaluate-v2.0.py prints, in percent, keyed by the script's names.

    `gold`, `predictions` and the optional `odds` (no-answer odds or probabilities) are files. `best_exact`, `best_f1`
    and their `_thresh` need odds. They are too optimistic, because the script tunes the thresholds on these same
    questions, and takes tied odds one by one. A question without a prediction counts nowhere. Raises FormatError or
    MismatchError.
    """
    known = _gold_of(gold)
    sources = [open_source(file) for file in (predictions, *([odds] if odds is not None else []))]
    for source, part in zip(sources, ("answers", "odds"), strict=False):
        if recognise(source) != part:
            raise FormatError(source.label, f"this is not a file of SQuAD's {part}")
    texts = read_predictions(sources[0], "run", known, [])
    scores = score_texts(known.golds, texts)
    answering = np.array([name in texts for name in known.golds.ids])
    figures: dict[str, float] = {}
    for prefix, use in (
        ("", answering),
        ("HasAns_", answering & known.golds.has_answer),
        ("NoAns_", answering & ~known.golds.has_answer),
    ):
        if total := int(use.sum()):
            figures[f"{prefix}exact"] = 100.0 * int(scores.exact[use].sum()) / total
            figures[f"{prefix}f1"] = 100.0 * sum(scores.f1[use].tolist()) / total
            figures[f"{prefix}total"] = total
    if odds is not None:
        figures |= best(known.golds, texts, scores, dict(finite_odds(sources[1])))
    return figures


def _gold_of(path: Any) -> Gold:
    """Return the questions and right answers of a gold file.

    The texts of paragraphs are not read from a valid file, because no figure needs them.
    """
    import msgspec

    try:
        questions = listed_questions(msgspec.json.decode(Path(path).read_bytes(), type=shape()))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError, TypeError, ValueError):
        questions = None
    if questions:
        return gold_of(questions, path)
    source = open_source(path)
    if recognise(source) != "gold":
        raise FormatError(source.label, "this is not a file of SQuAD's gold")
    return read_gold(source)
