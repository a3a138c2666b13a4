"""Write PAN's files of 2020, whatever year was read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nescio.data.notes import Note, note
from nescio.data.outcomes import CORRECT, SILENT, Outcomes
from nescio.errors import MismatchError
from nescio.formats.folder_writer import file_names, folder_of, renamed, write_lines
from nescio.formats.registry import WriteResult, writer
from nescio.options.edge import Progress
from nescio.stats.parallel import followed
from nescio.tasks.pan.truth import STRATA
from nescio.text import plural


@writer(
    "pan",
    about="PAN verification data of any year, written as in 2020: truth.jsonl and runs/NAME/answers.jsonl, in a folder",
    takes=Outcomes,
)
def write(outcomes: Outcomes, path: Path, progress: Progress | None = None) -> WriteResult:
    """Write a truth file and files of scores; an abstention has the score 0.5.

    Raises MismatchError for outcomes without scores, which were not read from PAN's files, and for decisions that do
    not follow from their scores.
    """
    if not {"verification.same", "verification.value"} <= outcomes.extra_columns.keys():
        raise MismatchError(
            "this is not PAN data: PAN's files need verification.same (the truth) and verification.value (the score)"
        )
    same = outcomes.extra_columns["verification.same"][0]
    notes: list[Note] = []
    values = [_values_of(outcomes, run, notes) for run in range(len(outcomes.runs))]
    strata = [name for name in outcomes.strata if name in STRATA]
    if lost := [name for name in outcomes.strata if name not in STRATA]:
        notes.append(
            note(
                "pan.no_place",
                "PAN's truth of 2020 cannot hold these, so they are left out: {strata:list}",
                strata=lost,
            )
        )
    names = file_names(outcomes.runs)
    with folder_of(path, "pan") as folder:
        truth = (
            {"id": problem, "same": bool(same[i])}
            | {name: v for name in strata if (v := str(outcomes.strata[name][i]))}
            for i, problem in enumerate(outcomes.questions)
        )
        write_lines(folder / "truth.jsonl", truth)
        for name, scores in followed([*zip(names, values, strict=True)], progress):
            (folder / "runs" / name).mkdir(parents=True)
            rows = ({"id": problem, "value": score} for problem, score in zip(outcomes.questions, scores, strict=True))
            write_lines(folder / "runs" / name / "answers.jsonl", rows)
    what = f"{plural(len(outcomes.questions), 'problem')} and {plural(len(outcomes.runs), 'run')}"
    return WriteResult(what, (*notes, *renamed(outcomes.runs, names)))


def _values_of(outcomes: Outcomes, run: int, notes: list[Note]) -> list[float]:
    """Return the scores of a run in the form to write: in [0, 1], and 0.5 for an abstention.

    Raises MismatchError if a score does not give the run's decision, because a file of scores has no place for
    decisions.
    """
    state, raw = outcomes.state[run], outcomes.extra_columns["verification.value"][run]
    same = outcomes.extra_columns["verification.same"][run] == 1
    silent = state == SILENT
    values = np.where(silent, 0.5, np.clip(raw, 0, 1))
    if outside := int((~silent & (values != raw)).sum()):
        notes.append(
            note(
                "pan.clipped_in_writing",
                "run {subject!r}: {scores} scores outside [0, 1], clipped to [0, 1]",
                outcomes.runs[run],
                scores=outside,
            )
        )
    sides = np.where(state == CORRECT, same, ~same)
    if odd := int((~silent & ((values > 0.5) != sides) | (~silent & (values == 0.5))).sum()):
        raise MismatchError(
            f"run {outcomes.runs[run]!r}: {plural(odd, 'decision')} (Y or N) did not follow the score, "
            "and PAN's file of answers has only scores"
        )
    if moved := int((silent & (raw != 0.5)).sum()):
        notes.append(
            note(
                "pan.silence_moved",
                "run {subject!r}: {scores} scores of abstentions (-) are written as 0.5",
                outcomes.runs[run],
                scores=moved,
            )
        )
    scores: list[float] = values.tolist()
    return scores
