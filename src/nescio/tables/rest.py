"""Complete files that list only some questions, such as failures, given the number of all questions (`--total`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nescio.data.dropped import FEWER_HELD, fewer_held
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, MEANINGS, Outcomes
from nescio.errors import FormatError, opt
from nescio.sources.source import Source
from nescio.tables.asking import AskedError

RESTS = ("correct", "incorrect", "unanswered", "ungraded")


def with_rest(
    outcomes: Outcomes, source: Source, total: int, rest: str | None, notes: Sequence[Note] = ()
) -> tuple[Outcomes, list[Note]]:
    """Return outcomes of `total` questions; each question that a run's file does not list has the outcome `rest`.

    Also returned are the `notes` of the reader, with a note for each run on the answers that got this outcome, and
    without notes that these answers are not in the file. Answers without a grade have notes of their own later. Raises
    AskedError, which asks for this outcome, if `rest` is None.
    """
    listed = len(outcomes.questions)
    if outcomes.repeats is not None or total < listed:
        why = "answers one question several times" if outcomes.repeats is not None else f"has {listed} questions"
        raise FormatError(source.label, f"the file {why}, so the total cannot be {total} ({opt('total', total)})")
    if total == listed and not (outcomes.state == ABSENT).any():
        return outcomes, [*notes]
    if rest is None:
        ways = [{"total": total, "rest": rest} for rest in RESTS]
        raise AskedError(
            source, f"the file does not list {total - listed} answers: which outcome do these answers have?", ways
        )
    state = np.full((len(outcomes.runs), total), MEANINGS[rest], dtype=np.int8)
    state[:, :listed] = np.where(outcomes.state == ABSENT, MEANINGS[rest], outcomes.state)
    names = (*outcomes.questions, *(f"not listed {i}" for i in range(1, total - listed + 1)))
    reasons = None
    if outcomes.why is not None:
        reasons = np.full(state.shape, None, dtype=object)
        reasons[:, :listed] = outcomes.why
    lacking = ((outcomes.state == ABSENT).sum(axis=1) + total - listed).tolist()
    of_runs = dict(zip(outcomes.runs, lacking, strict=True))
    noted = [remark for remark in notes if remark.code != FEWER_HELD or not _are_filled(remark, of_runs)]
    files = outcomes.files or (str(source.label),) * len(outcomes.runs)
    for run, file in zip(outcomes.runs, files, strict=True):
        if of_runs[run] and rest != "ungraded":
            name = f"{file} of {run}" if files.count(file) > 1 else file
            noted.append(fewer_held(name, [run], total, total - of_runs[run], rest=rest))
    kept, judges = outcomes.kept, outcomes.judges
    made = Outcomes(outcomes.runs, names, state, files=outcomes.files, judges=judges, why=reasons, kept=kept)
    return made, noted


def _are_filled(remark: Note, lacking: Mapping[str, int]) -> bool:
    """Return whether the answers that a file lacks, as a note says, are among the `lacking` ones of its runs."""
    filled = sum(lacking.get(run, 0) for run in remark["runs"])
    return filled >= max(1, (remark["stated"] or 0) - remark["held"])
