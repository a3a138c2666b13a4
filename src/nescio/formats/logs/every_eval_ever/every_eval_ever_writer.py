"""Write outcomes as every_eval_ever: one instance per line.

The format has no word for declining, so `is_correct` only says whether an abstention was right. The outcome itself is
in a field beside it, which the schema allows (`outcome`, as docs/explanation/every-eval-ever.md proposes). It is also
in the metadata of each instance (`nescio_outcome`, `nescio_why`). This format's reader finds it there, and other tools
see an empty output. An ungraded answer has an `error`. Outcomes do not hold the texts of answers, so these are not
written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.columns import bare
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.repeats import REPEAT
from nescio.formats.folder_writer import write_lines
from nescio.formats.logs.every_eval_ever.every_eval_ever_reader import (
    CLUSTER,
    EVALUATION,
    JUDGE,
    OUTCOME,
    PROPOSED,
    REASON,
    STATES_WRITTEN,
    WHY,
)
from nescio.formats.logs.kept_members import OWN, answerable, own_members
from nescio.formats.registry import WriteResult, writer
from nescio.options.edge import Progress
from nescio.sources.writing import atomic_write
from nescio.stats.parallel import followed
from nescio.text import plural

SCHEMA = "0.3.0"
_WORDS = {state: word for word, state in STATES_WRITTEN.items()}


@writer(
    "every_eval_ever",
    about="every_eval_ever: one instance per line, with the outcome in its metadata",
    takes=Outcomes,
    suffixes=(".jsonl",),
    keeps=True,
)
def write(outcomes: Outcomes, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write an instance for each answer, and note the data that the format cannot hold."""
    rows = list(_instances(outcomes, progress))
    with atomic_write(path) as draft:
        write_lines(draft, rows)
    notes: list[Note] = []
    silent = int((outcomes.state == SILENT).sum())
    if silent:
        notes.append(
            note(
                "every_eval_ever.silence",
                "{silent:n answer} declined: in the file, outcome is unanswered, and is_correct says whether "
                "declining was right",
                silent=silent,
            )
        )
    if outcomes.first_right is not None:
        lost = ["ranks of right answers"]
        notes.append(
            note(
                "every_eval_ever.no_place",
                "the format cannot hold these, so they are left out: {lost:list}",
                lost=lost,
            )
        )
    return WriteResult(f"{plural(len(rows), 'instance')} of {plural(len(outcomes.runs), 'run')}", tuple(notes))


def _instances(outcomes: Outcomes, progress: Progress | None) -> Iterator[dict[str, Any]]:
    for r, run in followed([*enumerate(outcomes.runs)], progress):
        for q, question in enumerate(outcomes.questions):
            state = int(outcomes.state[r, q])
            if state == ABSENT:
                continue
            why = None if outcomes.why is None else outcomes.why[r, q]
            scores = {bare(name): float(values[r, q]) for name, values in outcomes.extra_columns.items()}
            none = outcomes.answerable is not None and outcomes.answerable[q] == 0
            right = state == CORRECT or (state == SILENT and bool(none))
            score = scores.get("score", float(right))
            yield {
                "schema_version": SCHEMA,
                "evaluation_id": f"{EVALUATION}/{run}",
                "model_id": run,
                "evaluation_name": EVALUATION,
                "sample_id": question,
                "sample_hash": hashlib.blake2s(question.encode(errors="replace"), digest_size=8).hexdigest(),
                "interaction_type": "single_turn",
                "input": {"raw": question, "reference": [], "choices": None},
                "output": {"raw": [""] if state == SILENT else []},
                "messages": None,
                "answer_attribution": [],
                "evaluation": {
                    "score": score if np.isfinite(score) else float(right),
                    "is_correct": right,
                    PROPOSED: _WORDS[state],
                    **({REASON: why} if why else {}),
                },
                "token_usage": None,
                "performance": None,
                "error": f"not graded: {why or 'without a reason'}" if state == NOT_GRADED else None,
                "metadata": _metadata(outcomes, r, q, state, why),
            }


def _metadata(outcomes: Outcomes, r: int, q: int, state: int, why: str | None) -> dict[str, str]:
    """Return the data for which an instance has no other fields, keyed by name: strata, outcome, reason, confidence, …

    `r` and `q` are the indices of the run and the question. All values are texts, because the schema requires it.
    """
    metadata: dict[str, str] = {name: str(values[q]) for name, values in outcomes.strata.items() if str(values[q])}
    metadata |= {OUTCOME: _WORDS[state]} | ({WHY: why} if why else {})
    if outcomes.repeats is not None:
        metadata[f"{OWN}{REPEAT}"] = str(outcomes.repeats.label[q])
    for name, column in (("confidence", outcomes.confidence), ("candidate", outcomes.candidate)):
        value = None if column is None else float(column[r, q])
        if value is not None and np.isfinite(value) and (name != "candidate" or value >= 0):
            metadata[f"{OWN}{name}"] = f"{value!r}" if name == "confidence" else f"{value:g}"
    if outcomes.clusters is not None:
        metadata[CLUSTER] = str(outcomes.clusters[q])
    if outcomes.judges and (judge := outcomes.judges[r]) is not None:
        metadata[JUDGE] = str(judge)
    return metadata | answerable(outcomes, r, q) | own_members(outcomes, r, q)
