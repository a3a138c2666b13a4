"""Prepare outcomes for a file, so that a gate on the file decides as a gate on what was read (`nescio.data.kept`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from nescio.data.changed_questions import OTHER_DOCUMENTS, OTHER_QUESTIONS, OTHER_TEXTS
from nescio.data.columns import Array
from nescio.data.judge_record import DIFFERENT, UNKNOWN, combined, parse
from nescio.data.kept import GRADES, HELD, NO_GATE, SILENT_ON_ANSWERS, held_in_words
from nescio.data.merged_runs import names_of, notes_on_files
from nescio.data.notes import Note
from nescio.data.outcomes import ABSENT, INCORRECT, NOT_GRADED, SILENT, Outcomes
from nescio.data.policy_notes import ONE_SIDED
from nescio.data.reasons import output_lacks
from nescio.formats import ReadResult
from nescio.pipeline.judging import judges_of
from nescio.pipeline.loading import merged
from nescio.pipeline.options import Options
from nescio.scoring.grounds import why_unfit

_BETWEEN = "; "
_Key = tuple[str, str]  # a question, and the label of an answer


def to_write(read: ReadResult, options: Options) -> ReadResult:
    """Return judged answers as they are written: with merged repeats, and with what the notes say to gates."""
    single, names = read.data, {}
    if options.repeats_of:
        read = replace(read, data=merged(single, options))
        if isinstance(single, Outcomes):
            names, beside = names_of(single.runs, options.repeats_of), notes_on_files(single, options.repeats_of)
            read = replace(read, notes=(*read.notes, *beside))
    return replace(read, data=kept(read.data, read.notes, names)) if isinstance(read.data, Outcomes) else read


def kept(outcomes: Outcomes, notes: Sequence[Note], names: Mapping[str, str] | None = None) -> Outcomes:
    """Return outcomes with everything that the notes of their reader say to gates.

    `names` maps old names of runs to new ones. Changed questions are found again by digests, and answers without a
    grade by their rows.
    """
    of_runs = kept_of(notes, outcomes.runs, names, digests=outcomes.words is not None)
    if graded := outcomes.kept.get(GRADES):
        of_runs[GRADES] = _renamed(graded.items(), names or {})
    return replace(outcomes, kept=of_runs)


def kept_of_all(outcomes: Outcomes, notes: Sequence[Note], runs: Collection[str]) -> Outcomes:
    """Return outcomes that a rule made of `runs`, with everything that the notes on these say to gates.

    A run that has the name of one of these is made of it alone, and any other of all.
    """
    held, of_runs = held_in_words(notes), {GRADES: {**outcomes.kept.get(GRADES, {})}}
    for run in outcomes.runs:
        words = [held[run]] if run in held else []
        parts = words if run in runs else [*dict.fromkeys(held.values())]
        unfit = why_unfit(notes, run, [*runs] if run in runs else [run])
        for name, texts in ((HELD, parts), (NO_GATE, unfit)):
            if texts:
                of_runs.setdefault(name, {})[run] = _BETWEEN.join(texts)
    return replace(outcomes, kept=of_runs)


def as_read(made: Outcomes, read: ReadResult | None, runs: Collection[str] = ()) -> Outcomes:
    """Return outcomes that a rule made of the runs in `read`, with the digests, judges and grades of these runs.

    A run that has the name of one of these is made of it alone, and any other of all, or of those in `runs`. Where all
    of them lack an output, the made run lacks it for the same reason; where all lack a row, so does the made run. An
    answer has no grade where all of them lack one.
    """
    whole = None if read is None else read.data
    if read is None or not isinstance(whole, Outcomes):
        return made
    words: Array = np.full(made.state.shape, None, dtype=object)
    why, state = words.copy(), made.state.copy()
    judges, known = [], [*(whole.judges or (None,) * len(whole.runs))]
    ranges, graded = whole.kept.get(GRADES, {}), list[tuple[str, str]]()
    every = [at for at, run in enumerate(whole.runs) if run in runs] or [*range(len(whole.runs))]
    repeats = made.repeats is not None and whole.repeats is not None
    keys, columns = (_keys(outcomes, repeats=repeats) for outcomes in (whole, made))
    if not any(known) and len(by := judges_of(read)) == 1:
        known = [by[0]] * len(whole.runs)
    for at, run in enumerate(made.runs):
        indices = [whole.runs.index(run)] if run in whole.runs else every
        several = [known[i] for i in indices]
        judges.append(None if None in several else combined({judge for judge in several if judge is not None}))
        graded += [(run, ranges[whole.runs[i]]) for i in indices if whole.runs[i] in ranges]
        stated: dict[str, bytes] = {}
        for row in () if whole.words is None else whole.words[indices[::-1]]:
            stated |= {question: digest for question, digest in zip(whole.questions, row, strict=True) if digest}
        words[at] = [stated.get(question) for question in made.questions]
        given = _given(whole, keys, indices)
        for column, key in enumerate(columns):
            state[at, column], why[at, column] = _made_of(given[key], state[at, column])
    made = replace(made, state=state, why=why)
    words[made.state == ABSENT] = None
    kept = {**made.kept, GRADES: _renamed(graded, {})}
    return replace(made, words=words, judges=tuple(judges) if any(judges) else (), kept=kept)


def _keys(outcomes: Outcomes, *, repeats: bool) -> list[_Key]:
    """Return the question of each column, with the label of the answer if `repeats` tells to keep repeats apart."""
    labels = outcomes.repeats.label.astype(str) if repeats and outcomes.repeats is not None else outcomes.questions
    return [*zip(outcomes.questions, labels, strict=True)]


def _given(whole: Outcomes, keys: Sequence[_Key], runs: Sequence[int]) -> dict[_Key, set[tuple[int, str | None]]]:
    """Return the outcomes that these runs gave, each with what its output lacks; by the `keys` of the columns."""
    given: dict[_Key, set[tuple[int, str | None]]] = {key: set() for key in keys}
    for run in runs:
        reasons = [None] * len(keys) if whole.why is None else whole.why[run].tolist()
        for key, state, why in zip(keys, whole.state[run].tolist(), reasons, strict=True):
            if state != ABSENT:
                given[key].add((state, output_lacks(why)))
    return given


def _made_of(given: Collection[tuple[int, str | None]], state: int) -> tuple[int, str | None]:
    """Return the outcome of an answer that was made of the `given` ones, and what its output lacks.

    The rule gave it the outcome `state`.
    """
    if not given:
        return ABSENT, None
    if state == INCORRECT and {outcome for outcome, _ in given} == {NOT_GRADED}:  # the user counts these as wrong
        return NOT_GRADED, None
    reasons = [why for _, why in given if why]
    return state, min(reasons) if state == SILENT and len(reasons) == len(given) else None


def with_judges(outcomes: Outcomes, notes: Sequence[Note]) -> Outcomes:
    """Return outcomes that name all judges of each run, if a note says that runs with several judges differ in them."""
    judged = {run: text for remark in notes if remark.code == DIFFERENT for run, text in remark["judges"]}
    if not judged or any(outcomes.judges):
        return outcomes
    texts = [judged.get(run, UNKNOWN) for run in outcomes.runs]
    return replace(outcomes, judges=tuple(None if text == UNKNOWN else parse(text) for text in texts))


def kept_of(
    notes: Sequence[Note], runs: Sequence[str], names: Mapping[str, str] | None = None, *, digests: bool = False
) -> dict[str, dict[str, str]]:
    """Return the columns about runs that say something: the text of each run, keyed by column and run.

    `digests` says that the file has digests of the questions, which show changed ones.
    """
    new = names or {}
    every = [*dict.fromkeys((*runs, *new))]
    unfit = [(run, why) for run in every for why in why_unfit(notes, run, every)]
    unfit += [] if digests else _asked_otherwise(notes)
    of_runs = {
        HELD: _renamed(held_in_words(notes).items(), new),
        NO_GATE: _renamed(unfit, new),
        SILENT_ON_ANSWERS: _silent(runs, notes, new),
    }
    return {name: texts for name, texts in of_runs.items() if texts}


def _asked_otherwise(notes: Iterable[Note]) -> list[tuple[str, str]]:
    codes = (OTHER_DOCUMENTS, OTHER_QUESTIONS, OTHER_TEXTS)
    return [
        (run, f"this: {remark.text}. Ask all runs the same questions, with one key")
        for remark in notes
        if remark.code in codes
        for run in dict.fromkeys(run for pair in remark["pairs"] for run in pair)
    ]


def _silent(runs: Sequence[str], notes: Iterable[Note], names: Mapping[str, str]) -> dict[str, str]:
    """Return the runs whose rows do not say whether a question has an answer, although those of other runs do."""
    speakers = [{names.get(run, run) for run in remark["runs"]} for remark in notes if remark.code == ONE_SIDED]
    return {run: "" for run in runs for by in speakers if run not in by}


def _renamed(texts: Iterable[tuple[str, str]], names: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of each run, joined, keyed by the new names of the runs."""
    joined: dict[str, dict[str, None]] = {}
    for run, text in texts:
        joined.setdefault(names.get(run, run), {})[text] = None
    return {run: _BETWEEN.join(parts) for run, parts in joined.items()}
