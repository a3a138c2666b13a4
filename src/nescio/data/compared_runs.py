"""Limit notes on several runs to the runs that are compared, so that no other run decides about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from nescio.data.changed_questions import OTHER_DOCUMENTS, OTHER_QUESTIONS, OTHER_TEXTS
from nescio.data.dropped import ANOTHER_FIGURE, FEWER_HELD
from nescio.data.notes import Note


def on_compared(
    notes: Iterable[Note], names: Mapping[str, str], runs: Collection[str], compared: Collection[str]
) -> list[Note]:
    """Return the notes without the pairs and runs that are not compared; a note on none but these is left out.

    `names` maps old names of runs to new ones. `runs` has the new names of all runs, and `compared` those of the
    compared ones. Two attempts of one run are no pair.
    """
    left, kept = {*runs} - {*compared}, list[Note]()
    for remark in notes:
        if remark.code == FEWER_HELD or (remark.code == ANOTHER_FIGURE and remark["runs"]):
            named = dict.fromkeys(names.get(run, run) for run in remark["runs"])
            rest = tuple(run for run in named if run not in left)
            kept += [replace(_with(remark, runs=rest), subject=_file(remark, several=len(runs) > 1))] if rest else []
        elif remark.code in (OTHER_QUESTIONS, OTHER_DOCUMENTS, OTHER_TEXTS) and remark["pairs"]:
            pairs = [
                ((names.get(first, first), names.get(second, second)), (first, second))
                for first, second in remark["pairs"]
            ]
            pairs = [(new, old) for new, old in pairs if new[0] != new[1] and not {*new} & left]
            kept += [_of_pairs(remark, pairs)] if pairs else []
        else:
            kept.append(remark)
    return kept


def _file(remark: Note, *, several: bool) -> str:
    """Return the file of a note, and its run if there are several runs: many tools name the files of all runs alike."""
    file, run = remark.subject, remark["runs"][0]
    return f"{file} of {run}" if several and len(remark["runs"]) == 1 and run not in file else file


def _of_pairs(remark: Note, pairs: list[tuple[tuple[str, str], tuple[str, str]]]) -> Note:
    """Return a note on these pairs alone, each by its new and its old names, with the first pair as its example."""
    remark = _with(remark, pairs=tuple(dict.fromkeys(new for new, _ in pairs)))
    if remark.code != OTHER_QUESTIONS:
        return remark
    run, other = pairs[0][1]
    question = next(question for question, *old in remark["examples"] if tuple(old) == (run, other))
    return _with(remark, question=question, run=run, other=other)


def _with(remark: Note, **values: Any) -> Note:
    return replace(remark, values=tuple((name, values.get(name, value)) for name, value in remark.values))
