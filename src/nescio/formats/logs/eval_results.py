"""Writing scores for model repositories of the Hugging Face Hub: a file of `.eval_results/` for each run.

An entry is a list with one object: the benchmark (a dataset of the Hub and a task of its eval.yaml), a value, and notes
(https://huggingface.co/docs/hub/eval-results). The value is the share of all questions that were answered correctly.
The format cannot represent abstentions, so the notes have the three counts.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from nescio._version import __version__
from nescio.data.notes import note
from nescio.data.outcomes import ABSENT, NOT_GRADED, Outcomes
from nescio.data.policies import Policies, apply_policies
from nescio.errors import MismatchError, UsageError, opt
from nescio.formats.folder_writer import file_names, renamed
from nescio.formats.registry import WriteResult, writer
from nescio.sources.writing import atomic_folder
from nescio.text import plural

_BENCHMARK = re.compile(r"(?P<dataset>[\w.-]+/[\w.-]+):(?P<task>[\w.-]+)", re.ASCII)


@writer(
    "eval_results",
    about="one score for each run, for .eval_results/ of a model on the Hugging Face Hub",
    takes=Outcomes,
)
def write(outcomes: Outcomes, path: Path, *, benchmark: str | None = None) -> WriteResult:
    """Write the score of each run as an entry of the Hugging Face Hub's `.eval_results`.

    Raises UsageError if `benchmark` is not DATASET:TASK, MismatchError for repeats, missing or ungraded answers.
    """
    named = _BENCHMARK.fullmatch(benchmark or "")
    if named is None:
        raise UsageError(
            f"{opt('to', 'eval_results')} needs {opt('benchmark', of='DATASET:TASK')}: a dataset of the Hugging Face "
            "Hub and a task in its eval.yaml, such as cais/hle:hle"
        )
    if outcomes.repeats is not None:
        raise MismatchError(
            "questions were asked several times, but an entry of .eval_results has one score; give one repeat"
        )
    for state, what in ((ABSENT, "lacks"), (NOT_GRADED, "has no grade for")):
        for run, states in zip(outcomes.runs, outcomes.state, strict=True):
            if lacking := int((states == state).sum()):
                raise MismatchError(
                    f"run {run!r} {what} {lacking} of {len(states)} questions, but a published score must cover all "
                    "questions"
                )
    evidence, notes = apply_policies(outcomes, Policies())
    totals = evidence.tally().totals()
    files = file_names(outcomes.runs)
    with atomic_folder(path) as folder:
        for i, file in enumerate(files):
            right, wrong, silent, n = (int(totals[name][i]) for name in ("correct", "incorrect", "unanswered", "n"))
            counts = f"{right} correct, {wrong} incorrect, {silent} unanswered of {n} questions; nescio {__version__}"
            # A text quoted as JSON is valid YAML, too.
            lines = (
                "- dataset:",
                f"    id: {json.dumps(named['dataset'])}",
                f"    task_id: {json.dumps(named['task'])}",
                f"  value: {right / n:.6g}",
                f"  notes: {json.dumps(counts)}",
            )
            (folder / f"{file}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = note(
        "eval_results.value",
        "`value` is the share of all questions answered correctly, from 0 to 1; `notes` has the numbers of correct, "
        "incorrect and unanswered questions",
    )
    return WriteResult(plural(len(files), "score"), (*notes, *renamed(outcomes.runs, files), shown))
