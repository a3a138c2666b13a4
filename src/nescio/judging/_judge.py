"""What a judge is, the registry of them, and how runs become outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nescio.errors import UnknownNameError
from nescio.evidence import Array
from nescio.model import Collection, Question, Response, Run
from nescio.outcomes import CORRECT, INCORRECT, SILENT, Outcomes, gather

Judge = Callable[[Question, str], bool]

REGISTRY: dict[str, Judge] = {}


def judge(name: str) -> Callable[[Judge], Judge]:
    """Register the decorated function (question, answer) -> right? as a judge. A name that is taken raises ValueError."""

    def register(function: Judge) -> Judge:
        if name in REGISTRY:
            raise ValueError(f"a judge named {name!r} is registered already")
        REGISTRY[name] = function
        return function

    return register


def known(name: str) -> Judge:
    """The judge of that name; raises UnknownNameError with the nearest names."""
    if name not in REGISTRY:
        from importlib.metadata import entry_points

        for point in entry_points(group="nescio.judges"):
            point.load()
    if name not in REGISTRY:
        raise UnknownNameError("judge", name, REGISTRY)
    return REGISTRY[name]


def default_judge(collection: Collection) -> str:
    """`choice` for a collection whose questions all have options, else `exact`."""
    return "choice" if all(question.options for question in collection.questions) else "exact"


def judge_runs(
    collection: Collection, runs: Sequence[Run], name: str, files: Sequence[str] = ()
) -> tuple[Outcomes, int]:
    """Judge every answer and every declined candidate; returns the outcomes and the number of answers below rank 1.

    On an unanswerable question every answer is incorrect, and the judge is not asked.
    """
    decide = known(name)
    index = {question.id: i for i, question in enumerate(collection.questions)}
    cells: dict[str, list[float]] = {key: [] for key in ("run", "question", "rank", "state", "confidence", "candidate")}
    for r, run in enumerate(runs):
        for response in run.responses:
            q = index[response.question_id]
            state, candidate = _decide(decide, collection.questions[q], response)
            confidence = float("nan") if response.confidence is None else response.confidence
            for key, value in zip(cells, (r, q, response.rank, state, confidence, candidate), strict=True):
                cells[key].append(value)
    arrays: dict[str, Array] = {
        key: np.array(values, dtype=float if key == "confidence" else np.int64) for key, values in cells.items()
    }
    arrays["known"] = np.ones(len(arrays["run"]), dtype=np.int64)
    found, lower = gather(arrays, tuple(run.name for run in runs), tuple(index))
    return replace(found, files=tuple(files), **_of_questions(collection.questions)), lower


def _decide(decide: Judge, question: Question, response: Response) -> tuple[int, int]:
    right = None if response.answer is None else question.answerable is not False and decide(question, response.answer)
    if response.answered:
        return (CORRECT if right else INCORRECT), -1
    return SILENT, -1 if right is None else int(right)


def _of_questions(questions: Sequence[Question]) -> dict[str, Any]:
    # A question with gold answers is answerable, whether or not it says so.
    answerable = [int(question.answerable is not False) for question in questions]
    names = list(dict.fromkeys(name for question in questions for name in question.strata))
    clusters = [question.cluster for question in questions]
    return {
        "answerable": np.array(answerable, dtype=np.int8) if 0 in answerable else None,
        "strata": {
            name: np.array([question.strata.get(name, "") for question in questions], dtype=object) for name in names
        },
        "clusters": np.array(clusters, dtype=object) if None not in clusters else None,
    }
