"""Write outcomes as logs of Inspect: a `.json` log for each run, in a folder.

The score of a sample is C, I or N (an abstention), and NaN if an answer is not graded. Its `reason` says why, in
Inspect's own words if it has one. The repeats of a question are its epochs. Outcomes do not hold the texts of questions
and answers, so a sample's input is the name of its question. Metadata keep what gates ask of a run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from nescio.data.columns import bare
from nescio.data.kept import HELD
from nescio.data.notes import Note, note
from nescio.data.outcomes import ABSENT, CORRECT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.reasons import output_lacks, without_marks
from nescio.formats.folder_writer import file_names, folder_of
from nescio.formats.logs.inspect.inspect_reader import CLUSTER, JUDGE, REASONS
from nescio.formats.logs.kept_members import OWN, answerable, digests, own_members
from nescio.formats.registry import WriteResult, writer
from nescio.options.edge import Progress
from nescio.stats.parallel import followed
from nescio.text import plural

SCORER, TASK = "nescio", "nescio"
_VALUES = {CORRECT: "C", INCORRECT: "I", SILENT: "N", NOT_GRADED: float("nan")}
_WORDS = {why: reason for reason, why in REASONS.items()}


@writer(
    "inspect",
    about="logs of Inspect, one .json per run, with abstentions as N, in a folder",
    takes=Outcomes,
    keeps=True,
)
def write(outcomes: Outcomes, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write a log for each run, and note the data that a log cannot hold."""
    now = datetime.now(UTC).replace(microsecond=0)
    stamp = now.isoformat().replace(":", "-")
    notes: list[Note] = []
    written = 0
    with folder_of(path, "inspect") as folder:
        named = [*enumerate(zip(outcomes.runs, file_names(outcomes.runs), strict=True))]
        for r, (run, stem) in followed(named, progress):
            samples = list(_samples(outcomes, r))
            if not samples:
                notes.append(note("inspect.no_answers", "run {subject!r} holds no answer, so it gets no log", run))
                continue
            written += len(samples)
            log = _log(run, samples, now.isoformat(), _of_run(outcomes, r))
            (folder / f"{stamp}_{TASK}_{stem}.json").write_bytes(
                json.dumps(log, ensure_ascii=False).encode(errors="replace") + b"\n"
            )
    lost = [bare(name) for name in outcomes.extra_columns if bare(name) != "score"]
    lost += ["confidence"] if outcomes.confidence is not None else []
    if lost:
        notes.append(
            note(
                "inspect.in_metadata",
                "nescio cannot read these back, because a log lacks them or has them only in the metadata of the "
                "scores: {lost:list}",
                lost=lost,
            )
        )
    return WriteResult(f"{plural(written, 'sample')} of {plural(len(outcomes.runs), 'run')}", tuple(notes))


def _of_run(outcomes: Outcomes, r: int) -> dict[str, str]:
    """Return the metadata of a log: who judged its answers, and what gates ask of its run."""
    judge = outcomes.judges[r] if outcomes.judges else None
    return ({} if judge is None else {JUDGE: str(judge)}) | own_members(outcomes, r)


def _log(run: str, samples: list[dict[str, Any]], created: str, metadata: dict[str, str]) -> dict[str, Any]:
    """Return a log in the form that Inspect 0.3 reads. It states no figures, because Inspect computes these itself.

    Its status is success only if the run's files held all the answers that they state.
    """
    ids = list(dict.fromkeys(sample["id"] for sample in samples))
    epochs = max(sample["epoch"] for sample in samples)
    return {
        "version": 2,
        "status": "cancelled" if f"{OWN}{HELD}" in metadata else "success",
        "eval": {
            "run_id": TASK,
            "created": created,
            "task": TASK,
            "task_id": TASK,
            "dataset": {"name": TASK, "samples": len(ids), "sample_ids": ids},
            "model": run,
            "config": {"epochs": epochs},
            **({"metadata": metadata} if metadata else {}),
        },
        "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": []},
        "stats": {"started_at": created, "completed_at": created},
        "samples": samples,
    }


def _samples(outcomes: Outcomes, r: int) -> Iterator[dict[str, Any]]:
    epochs: Counter[str] = Counter()
    for q, question in enumerate(outcomes.questions):
        state = int(outcomes.state[r, q])
        epochs[question] += 1
        if state == ABSENT:
            continue
        why = None if outcomes.why is None else outcomes.why[r, q]
        score: dict[str, Any] = {"value": _VALUES[state]}
        if why and state in (SILENT, NOT_GRADED):
            score["reason"] = _WORDS.get(without_marks(why), why) if state == SILENT else "grader_failed"
            score["explanation"] = why
        elif lacks := _WORDS.get(output_lacks(why) or ""):
            score["reason"] = lacks
        if metadata := _metadata(outcomes, r, q):
            score["metadata"] = metadata
        yield {
            "id": question,
            "epoch": epochs[question],
            "input": question,
            "target": "",
            "messages": [],
            "output": {"model": outcomes.runs[r], "choices": []},
            "scores": {SCORER: score},
            "metadata": {
                **{name: str(values[q]) for name, values in outcomes.strata.items() if str(values[q])},
                **({} if outcomes.clusters is None else {CLUSTER: str(outcomes.clusters[q])}),
                **answerable(outcomes, r, q),
                **digests(outcomes, r, q),
            },
        }


def _metadata(outcomes: Outcomes, r: int, q: int) -> dict[str, float]:
    columns = {bare(name): values for name, values in outcomes.extra_columns.items()}
    if outcomes.confidence is not None:
        columns["confidence"] = outcomes.confidence
    return {name: float(values[r, q]) for name, values in columns.items() if np.isfinite(values[r, q])}
